//! `rezkit lods`: levels of detail.

use std::path::PathBuf;

use rezkit::ConvertOptions;
use rezkit::upload::LevelTarget;

use super::scenes::Beside;
use crate::input::Reading;
use crate::outcome::{Error, Outcome};
use crate::output::{Plan, Replacing};
use crate::policy::{Policy, accept};
use crate::report::{self, about};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit lods head.mesh -o head.mesh --levels 0.5,0.25 --force
  rezkit lods tree.glb -o tree.mesh --to 7.00 --levels 2000,500,100
  rezkit lods chair.glb -o chair-with-levels.glb

The formats of Roblox meshes (versions 3 to 7) and Second Life meshes (.llmesh, .slm) have levels of detail. In glTF and
OBJ files, each generated level is a separate node or object, whose name ends with _LOD2, _LOD1 or _LOD0, by which the
Second Life viewer recognizes it.")]
pub(crate) struct Lods {
    /// The output path; its extension selects the format
    #[arg(short, long)]
    output: PathBuf,
    /// The version to write if the output is a Roblox mesh: 3.00 to 7.00
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,
    /// The coarser levels of detail to generate, separated by commas: for each, a fraction of the finest level's
    /// triangles (0.25) or a number of triangles (500)
    #[arg(long, value_delimiter = ',', value_name = "LEVEL", value_parser = target, default_value = "0.333333,0.111111,0.037037")]
    levels: Vec<LevelTarget>,
    /// The model to simplify
    file: PathBuf,
    #[command(flatten)]
    beside: Beside,
    #[command(flatten)]
    policy: Policy,
    #[command(flatten)]
    replacing: Replacing,
}

/// A fraction of the triangles, or their number.
pub(super) fn target(text: &str) -> Result<LevelTarget, String> {
    match (text.parse::<usize>(), text.parse::<f64>()) {
        (Ok(count), _) if count > 0 => Ok(LevelTarget::Triangles(count)),
        (_, Ok(ratio)) if ratio > 0.0 && ratio <= 1.0 => Ok(LevelTarget::Ratio(ratio)),
        _ => {
            Err("expected a number of triangles, such as 500, or a fraction below 1, such as 0.25".to_owned())
        }
    }
}

impl Lods {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let policy = self.policy.of_losses()?;
        let options = ConvertOptions::new().scene(self.beside.options(reading)?);
        let name = self.output.file_name().unwrap_or_default().to_string_lossy();
        let made = self.beside.open_one(reading, &self.file).and_then(|(mut opened, source)| {
            let made = opened.lods(&self.levels, self.to.as_deref(), &name, &options)?;
            Ok((made, source.outcome()))
        });
        let (mut made, outcome) = made.map_err(about(&self.file))?;
        accept(&policy, &mut made.output.losses).map_err(about(&self.file))?;
        report::lost(&report::path(&self.file), &made.output.losses, reading.verbose);
        let counts: Vec<String> = made.triangles.iter().map(ToString::to_string).collect();
        let mut plan = Plan::new(&[&self.file], self.replacing);
        let mut files = made.output.files.into_iter();
        files.by_ref().take(1).try_for_each(|file| plan.unnamed(self.output.clone(), file.bytes))?;
        let folder = self.output.parent().unwrap_or(std::path::Path::new("")).to_owned();
        files.try_for_each(|file| plan.file(&folder, file))?;
        plan.write()?;
        report::print(&format!("{}: {} triangles\n", report::path(&self.output), counts.join(", ")))?;
        Ok(outcome)
    }
}
