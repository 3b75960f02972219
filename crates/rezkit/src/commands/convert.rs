//! `rezkit convert`: the same content in another form of its format, or in another format.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rezkit::{Asset, ConvertOptions, Fill, Format, WriteOptions};

use super::scenes::{self, Beside};
use crate::input::{Reading, Source};
use crate::outcome::{self, Error, Outcome, Usage};
use crate::output;
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
        let done = reading.open_one(&self.input).and_then(|source| self.one(reading, &source, &self.output));
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
        let run = |source: &Source| {
            if source.is_part {
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
            if let Some(folder) = output.parent() {
                std::fs::create_dir_all(folder)
                    .map_err(|error| format!("{}: {error}", report::path(folder)))?;
            }
            let losses = self.one(reading, source, &output)?;
            let mut text = format!("{} -> {}\n", source.name, report::path(&output));
            losses.iter().for_each(|loss| text += &format!("  {}\n", Plain(loss)));
            Ok(text)
        };
        // Into a form of scenes go files that can be one, into any other our assets.
        let by_scene = rezkit::scene::io::SceneForm::find(to).is_some();
        let wanted = |source: &Source| {
            scenes::is_scene(source) || !by_scene && rezkit::detect(&source.bytes).is_some()
        };
        reading.map(std::slice::from_ref(&self.input), wanted, run, |_, text| report::print(&text))
    }

    /// Converts one file; what was left out or filled in, a line each.
    fn one(&self, reading: &Reading, source: &Source, output: &Path) -> Result<Vec<String>, Error> {
        let to = self.to.as_deref();
        if let Some(form) = scenes::form(source, to, output) {
            return scenes::convert(reading, &self.beside, source, form, to, output);
        }
        let mut asset = reading.asset(source)?;
        let mut options = WriteOptions::new().allow_loss(self.allow_loss);
        let mut losses = Vec::new();
        match target(to, output, &*asset) {
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
        let bytes = asset.write(&options)?;
        output::put(output, &bytes).map_err(|error| format!("{}: {error}", report::path(output)))?;
        Ok(losses)
    }
}

/// What a form or the output's name asks for.
fn target(to: Option<&str>, output: &Path, asset: &dyn Asset) -> Target {
    let own = asset.format();
    if let Some(form) = to.and_then(|to| own.forms.iter().find(|form| form.name == to)) {
        return Target::Form(form.name.into());
    }
    let Some(wanted) = to.or_else(|| output.extension()?.to_str()) else { return Target::AsRead };
    if let Some(form) = own.forms.iter().find(|form| form.extension == Some(wanted)) {
        // A name that fits how the asset is written already asks for nothing.
        return if form.name == asset.version() { Target::AsRead } else { Target::Form(form.name.into()) };
    }
    if own.extensions.contains(&wanted) {
        return Target::AsRead;
    }
    // A name of another format asks for that one, which is an error where the asset cannot become one.
    let is = |format: &&&'static Format| format.name == wanted || format.extensions.contains(&wanted);
    match (rezkit::FORMATS.iter().find(is), to) {
        (Some(format), _) => Target::Format(format),
        (None, Some(to)) => Target::Form(to.into()),
        (None, None) => Target::AsRead,
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
