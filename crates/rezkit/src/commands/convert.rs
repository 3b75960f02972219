//! `rezkit convert`: the same content in another form.

use std::path::PathBuf;

use rezkit::WriteOptions;

use crate::cli::{self, Error, Outcome};
use crate::input::Reading;
use crate::{output, report};

#[derive(clap::Args)]
#[command(after_help = forms())]
pub(crate) struct Convert {
    /// The form; unless set, the one that the output's name asks for, or as it was read
    #[arg(long, value_name = "FORM")]
    to: Option<String>,
    /// Leave out what the form cannot represent, instead of refusing
    #[arg(long)]
    allow_loss: bool,
    /// What is read
    input: PathBuf,
    /// What is written: it appears when it is complete; where something fails, what was there stays
    output: PathBuf,
}

/// The forms of every format, for the help.
fn forms() -> String {
    let mut text = String::from("Forms:\n");
    for format in rezkit::FORMATS {
        let names: Vec<_> = format.forms.iter().map(|form| form.name).collect();
        if !names.is_empty() {
            text += &format!("  {:<24} {}\n", format.title, names.join(" "));
        }
    }
    text.trim_end().to_owned()
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
        let (_, asset) = reading.read(&self.input)?;
        let extension = self.output.extension().and_then(|extension| extension.to_str());
        let of_name = || {
            let form = asset.format().forms.iter().find(|form| {
                // A name that fits how the asset is written already asks for nothing.
                form.extension.is_some() && form.extension == extension && form.name != asset.version()
            })?;
            Some(form.name.to_owned())
        };
        let mut options = WriteOptions::new().allow_loss(self.allow_loss);
        if let Some(form) = self.to.clone().or_else(of_name) {
            options = options.form(form);
        }
        let bytes = asset.write(&options)?;
        output::put(&self.output, &bytes)
            .map_err(|error| format!("{}: {error}", report::path(&self.output)).into())
    }
}
