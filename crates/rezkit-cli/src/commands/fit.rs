//! `rezkit fit`: mends avatar items.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::avatar::{Avatar, table};
use super::scenes::Beside;
use crate::input::Reading;
use crate::outcome::{Error, Outcome};
use crate::output::{Plan, Replacing};
use crate::policy::{Policy, accept};
use crate::report::{self, Plain, about};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit fit cap.rbxm --assets meshes -o cap-fitted.rbxm
  rezkit fit place.rbxl -o fitted.rbxl

It scales and moves accessories into their box, sets properties with fixed values, renames and removes instances, makes
vertex colours white, centres meshes and reduces their triangles. Each change is printed; nothing else is changed. Changed
meshes are written into a folder beside the output; upload them, and replace their ids with `rezkit assets`. What remains
to be done is printed as a table, and the exit status is 1 if the item would still be refused.")]
pub(crate) struct Fit {
    /// The output path
    #[arg(short, long)]
    output: PathBuf,
    /// A Roblox model or place with avatar items
    file: PathBuf,
    #[command(flatten)]
    avatar: Avatar,
    #[command(flatten)]
    beside: Beside,
    #[command(flatten)]
    policy: Policy,
    #[command(flatten)]
    replacing: Replacing,
}

impl Fit {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let policy = self.policy.of_losses()?;
        let mut options = self.avatar.options(reading)?;
        options.path = self.beside.path_alone(reading)?;
        let (mut opened, source) = self.beside.open_one(reading, &self.file).map_err(about(&self.file))?;
        let mut fitted = opened.fit_avatar(&options).map_err(Error::from).map_err(about(&self.file))?;
        if fitted.changes.is_empty() && opened.check_avatar(&options)?.items.is_empty() {
            let what = "found no avatar item: no accessory, body, head or emote";
            return Err(about(&self.file)(rezkit::Error::new(rezkit::ErrorKind::Empty, what)));
        }
        accept(&policy, &mut fitted.losses).map_err(about(&self.file))?;
        let bytes = opened.to_vec().map_err(Error::from).map_err(about(&self.file))?;
        let mut plan = Plan::in_folder(&[&self.file], self.replacing);
        plan.unnamed(self.output.clone(), bytes.clone())?;
        let stem = self.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = self.output.with_file_name(format!("{stem}-meshes"));
        for (id, mesh) in &fitted.meshes {
            plan.below(&folder, std::path::Path::new(&format!("{id}.mesh")), mesh.clone())?;
        }
        plan.write()?;
        let mut text = String::new();
        for change in &fitted.changes {
            let path = Plain(&change.path);
            writeln!(
                text,
                "{path}: {} -> {} ({})",
                Plain(&change.before),
                Plain(&change.after),
                change.rule
            )?;
        }
        let file = report::path(&self.file);
        report::lost(&file, &fitted.losses, reading.verbose);
        // The changed meshes take the place of those with the same ids.
        let mut others = self.beside.sources(reading, &source)?;
        let sources = |reference: &rezkit::Reference, max_bytes: u64| {
            let changed = fitted.meshes.iter().find(|(id, _)| *reference == rezkit::Reference::Id(*id));
            match changed {
                Some((_, mesh)) => Ok(Some(mesh.clone())),
                None => rezkit::Sources::get(&mut others, reference, max_bytes),
            }
        };
        let name = self.output.file_name().unwrap_or_default().to_string_lossy();
        let mut again = reading
            .options()
            .open(bytes, &name, sources)
            .map_err(Error::from)
            .map_err(about(&self.output))?;
        let report = again.check_avatar(&options)?;
        for item in &report.items {
            table(&mut text, &report::path(&self.output), item, reading.verbose)?;
        }
        report::print(&text)?;
        let accepted = !report.items.is_empty() && report.items.iter().all(|item| item.is_accepted());
        Ok(if accepted { source.outcome() } else { Outcome::Failure })
    }
}
