//! `rezkit convert`: the same content in another form of its format, or in another format.

use std::path::{Path, PathBuf};

use rezkit::{Asset, ConvertOptions, Fill, Format, WriteOptions};

use super::scenes::{self, Beside};
use crate::cli::{self, Error, Outcome};
use crate::input::Reading;
use crate::{output, report};

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
    /// What is read
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
        match self.convert(reading) {
            Ok(()) => Ok(Outcome::Success),
            Err(error) => {
                report::complain(Some(&report::path(&self.input)), &error);
                Ok(cli::outcome(&error))
            }
        }
    }

    fn convert(&self, reading: &Reading) -> Result<(), Error> {
        if let Some(form) = scenes::form(reading, &self.input, self.to.as_deref(), &self.output)? {
            let to = self.to.as_deref();
            return scenes::convert(reading, &self.beside, &self.input, form, to, &self.output);
        }
        let (_, mut asset) = reading.read(&self.input)?;
        let mut options = WriteOptions::new().allow_loss(self.allow_loss);
        let mut losses = Vec::new();
        match self.target(&*asset)? {
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
        output::put(&self.output, &bytes)
            .map_err(|error| format!("{}: {error}", report::path(&self.output)))?;
        for loss in losses {
            report::complain(Some(&report::path(&self.input)), &loss);
        }
        Ok(())
    }

    fn target(&self, asset: &dyn Asset) -> Result<Target, Error> {
        let own = asset.format();
        if let Some(to) = &self.to {
            if own.forms.iter().any(|form| form.name == to) {
                return Ok(Target::Form(to.clone()));
            }
            let is = |format: &&&'static Format| {
                format.name == own.name && format.extensions.contains(&to.as_str())
                    || format.name != own.name
                        && (format.name == to || format.extensions.contains(&to.as_str()))
            };
            return match rezkit::FORMATS.iter().find(is) {
                Some(format) if format.name == own.name => Ok(Target::AsRead),
                Some(format) => Ok(Target::Format(format)),
                None => Ok(Target::Form(to.clone())),
            };
        }
        let Some(extension) = Path::new(&self.output).extension().and_then(|extension| extension.to_str())
        else {
            return Ok(Target::AsRead);
        };
        let form = own.forms.iter().find(|form| form.extension == Some(extension));
        if let Some(form) = form {
            // A name that fits how the asset is written already asks for nothing.
            return Ok(if form.name == asset.version() {
                Target::AsRead
            } else {
                Target::Form(form.name.into())
            });
        }
        if own.extensions.contains(&extension) {
            return Ok(Target::AsRead);
        }
        // A name of another format asks for that one, which is an error where the asset cannot become one.
        Ok(match rezkit::FORMATS.iter().find(|format| format.extensions.contains(&extension)) {
            Some(format) => Target::Format(format),
            None => Target::AsRead,
        })
    }
}
