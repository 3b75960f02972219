//! `rezkit convert`: the same content in another form of its format, or in another format.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rezkit::{Asset, ConvertOptions, Fill, Format, WriteOptions};

use super::scenes::{self, Beside, Made};
use crate::input::{Reading, Source, Tally};
use crate::outcome::{self, Error, Outcome, Usage};
use crate::output::{Claims, Plan, Replacing};
use crate::report::{self, Plain};

#[derive(clap::Args)]
#[command(after_help = forms())]
pub(crate) struct Convert {
    /// The form or the format; unless set, the one that the output's name asks for, or as it was read
    #[arg(long, value_name = "FORM")]
    to: Option<String>,
    /// Leave out what the form cannot represent, and list it, instead of refusing
    #[arg(long)]
    allow_loss: bool,
    /// Fill in what the format needs and the file does not have, and list it: neutral values, or the
    /// defaults of a class database where rezkit was built with the feature `reflection`
    #[arg(long, value_name = "WITH")]
    fill: Option<Filling>,
    #[command(flatten)]
    beside: Beside,
    #[command(flatten)]
    replacing: Replacing,
    /// What is read: a file, or a folder with all below it
    input: PathBuf,
    /// What is written: it appears when it is complete; where something fails, what was there stays
    output: PathBuf,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Filling {
    Neutral,
    #[cfg(feature = "reflection")]
    Defaults,
}

/// The forms of every format, for the help.
fn forms() -> String {
    let mut text = String::from(
        "Examples:
  rezkit convert --to 5.00 new.mesh old-client.mesh
  rezkit convert place.rbxl place.rbxlx
  rezkit convert --to zstd place.rbxl smaller.rbxl
  rezkit convert answer.bin answer.json
  rezkit convert --to glb meshes/ scenes/

Forms:\n",
    );
    for format in rezkit::FORMATS {
        let names: Vec<_> = format.forms.iter().map(|form| form.name).collect();
        let names = if names.is_empty() { format.extensions.join(" ") } else { names.join(" ") };
        text += &format!("  {:<24} {names}\n", format.title);
    }
    text += "A Roblox document becomes the other form by the ending of the output, or by --to rbxm or --to rbxmx\n";
    let scenes: Vec<_> = rezkit::scene::io::FORMS.iter().map(|form| form.name).collect();
    text + &format!("Any mesh, place or model becomes any of: {}", scenes.join(" "))
}

/// What is asked for.
enum Target {
    AsRead,
    Form(String),
    Format(&'static Format),
}

impl Convert {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        if self.input.is_dir() {
            return self.folder(reading);
        }
        let done = reading.open_one(&self.input).and_then(|source| {
            let made = self.one(reading, &source, &self.output)?;
            let mut plan = Plan::new(&[&source.path], self.replacing);
            plan.named(&self.output, made.bytes)?;
            write(plan, made.beside, &self.output)?;
            Ok(made.losses)
        });
        let about = report::path(&self.input);
        match done {
            Ok(losses) => {
                losses.iter().for_each(|loss| report::complain(Some(&about), loss));
                Ok(Outcome::Success)
            }
            Err(error) => {
                report::complain(Some(&about), &error);
                Ok(outcome::outcome(&error))
            }
        }
    }

    /// Converts everything below a folder, into files of the same names in another.
    fn folder(&self, reading: &Reading) -> Result<Outcome, Error> {
        let Some(to) = &self.to else {
            return Err(Box::new(Usage("a folder is converted with --to".into())));
        };
        let mut stems: HashMap<PathBuf, usize> = HashMap::new();
        for path in reading.below(&self.input)? {
            *stems.entry(path.with_extension("")).or_default() += 1;
        }
        let claims = Claims::default();
        let run = |source: &Source| {
            if source.is_part() {
                return Err("several assets in one file: unpack them first".into());
            }
            let mut path = source.path.clone();
            let extension = extension(to, source);
            // Where `a.mesh` and `a.m3d` are beside each other, both have their own name.
            match stems.get(&path.with_extension("")) {
                Some(1) => _ = path.set_extension(extension),
                _ => path.as_mut_os_string().push(format!(".{extension}")),
            }
            let output = self.output.join(path.strip_prefix(&self.input)?);
            let Made { bytes, beside, losses } = self.one(reading, source, &output)?;
            let mut plan = Plan::in_folder(&[&source.path], self.replacing);
            plan.unnamed(output.clone(), bytes)?;
            plan.paths().try_for_each(|path| claims.claim(path, &source.name))?;
            write(plan, beside, &output)?;
            let mut text = format!("{} -> {}\n", source.name, report::path(&output));
            losses.iter().for_each(|loss| text += &format!("  {}\n", Plain(loss)));
            Ok((text, !losses.is_empty()))
        };
        // Into a form of scenes go files that can be one, into any other our assets.
        let by_scene = rezkit::scene::io::SceneForm::find(to).is_some();
        let wanted = |source: &Source| {
            scenes::is_scene(source) || !by_scene && rezkit::detect(&source.bytes).is_some()
        };
        let (mut converted, mut with_losses) = (0, 0);
        let tally = reading.map(std::slice::from_ref(&self.input), wanted, run, |_, (text, lossy)| {
            converted += 1;
            with_losses += usize::from(lossy);
            // Files are converted whether anybody reads about them or not.
            report::print(&text).map(|_| true)
        })?;
        let Tally { failed, skipped, .. } = tally;
        report::print(&format!(
            "{converted} converted, {with_losses} with losses, {failed} failed, {skipped} skipped\n"
        ))?;
        Ok(tally.outcome)
    }

    fn one(&self, reading: &Reading, source: &Source, output: &Path) -> Result<Made, Error> {
        let to = self.to.as_deref();
        if let Some(form) = scenes::form(source, to, output) {
            return scenes::convert(reading, &self.beside, source, form, to, output);
        }
        let mut asset = reading.asset(source)?;
        let mut options = WriteOptions::new().allow_loss(self.allow_loss);
        let mut losses = Vec::new();
        match target(to, source, output, &*asset)? {
            Target::AsRead => {}
            Target::Form(form) => {
                losses = if self.allow_loss { asset.losses(&form) } else { Vec::new() };
                options = options.form(form);
            }
            Target::Format(format) => {
                let fill = match self.fill {
                    None => Fill::Refuse,
                    Some(Filling::Neutral) => Fill::Neutral,
                    #[cfg(feature = "reflection")]
                    Some(Filling::Defaults) => Fill::Defaults,
                };
                let options = ConvertOptions::new().allow_loss(self.allow_loss).fill(fill);
                let converted = asset.convert(format, &options)?;
                (asset, losses) = (converted.asset, converted.losses);
            }
        }
        Ok(Made { bytes: asset.write(&options)?, beside: Vec::new(), losses })
    }
}

/// Writes the files of a plan, and those that one of them refers to, beside it.
fn write(mut plan: Plan, beside: Vec<rezkit::File>, output: &Path) -> Result<(), Error> {
    let folder = output.parent().unwrap_or(Path::new(""));
    beside.into_iter().try_for_each(|file| plan.below(folder, file))?;
    plan.write()
}

/// What a form or the output's name asks for.
///
/// # Errors
/// Where the output's name ends as no form does.
fn target(to: Option<&str>, source: &Source, output: &Path, asset: &dyn Asset) -> Result<Target, Usage> {
    let own = asset.format();
    if let Some(form) = to.and_then(|to| own.forms.iter().find(|form| form.name == to)) {
        return Ok(Target::Form(form.name.into()));
    }
    let ending = output.extension().and_then(|extension| extension.to_str());
    let Some(wanted) = to.or(ending) else { return Ok(Target::AsRead) };
    if let Some(form) = own.forms.iter().find(|form| form.extension == Some(wanted)) {
        // A name that fits how the asset is written already asks for nothing.
        let as_read = form.name == asset.version();
        return Ok(if as_read { Target::AsRead } else { Target::Form(form.name.into()) });
    }
    if own.extensions.contains(&wanted) {
        return Ok(Target::AsRead);
    }
    // A name of another format asks for that one, which is an error where the asset cannot become one.
    let is = |format: &&&'static Format| format.name == wanted || format.extensions.contains(&wanted);
    match (rezkit::FORMATS.iter().find(is), to) {
        (Some(format), _) => Ok(Target::Format(format)),
        (None, Some(to)) => Ok(Target::Form(to.into())),
        // The same ending asks for nothing else.
        (None, None) if source.path.extension() == output.extension() => Ok(Target::AsRead),
        (None, None) => {
            let known = rezkit::FORMATS.iter().flat_map(|format| {
                format.extensions.iter().copied().chain(format.forms.iter().filter_map(|form| form.extension))
            });
            let scenes = rezkit::scene::io::FORMS.iter().map(|form| form.name);
            let mut endings: Vec<_> = known.chain(scenes).collect();
            endings.sort_unstable();
            endings.dedup();
            Err(Usage(format!(".{wanted} is not written: known are {}", endings.join(", "))))
        }
    }
}

/// The extension of what a file becomes: the one that is asked for; of a form, the file's own; and where both
/// formats have one for models and one for places, the file's kind.
fn extension(to: &str, source: &Source) -> String {
    let old = source.path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let own = rezkit::detect(&source.bytes).map(|found| found.format);
    let form = own.and_then(|own| own.forms.iter().find(|form| form.name == to));
    if let Some(form) = form {
        return form.extension.unwrap_or(old).to_owned();
    }
    if own.is_none()
        && let Some(format) =
            rezkit::FORMATS.iter().find(|format| format.forms.iter().any(|form| form.name == to))
    {
        return format.extensions.first().copied().unwrap_or(to).to_owned();
    }
    let other = rezkit::FORMATS
        .iter()
        .find(|format| format.name == to || format.extensions.contains(&to))
        .filter(|other| own.is_some_and(|own| own.name != other.name));
    let index = own.and_then(|own| own.extensions.iter().position(|extension| *extension == old));
    let same_kind = other.and_then(|other| other.extensions.get(index.unwrap_or(0)));
    let is_scene = rezkit::scene::io::SceneForm::find(to).is_some();
    same_kind.filter(|_| !is_scene).map_or(to, |extension| extension).to_owned()
}
