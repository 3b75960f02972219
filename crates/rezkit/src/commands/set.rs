//! `rezkit set`: changes the value at a path.

use std::path::PathBuf;

use crate::input::Reading;
use crate::outcome::{Error, Outcome};
use crate::output::To;
use crate::report::about;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit set place.rbxl Workspace/Door.Transparency 0.5
  rezkit set place.rbxl Workspace/Door.Material Grass
  rezkit set place.rbxl Workspace/Door.size '4, 1, 2' -o other.rbxl
  rezkit set place.rbxl Workspace/Door.AttributesSerialize.Health 100 --type float64
  rezkit set place.rbxl Workspace/Door.Tags Door,Wooden           all tags
  rezkit set place.rbxl Workspace/Door.Tags +Locked,-Wooden       one more, one less
  rezkit set place.rbxl Workspace/Door.AttributesSerialize +Health=100,-Speed    one more, one less
  rezkit set place.rbxl Workspace/Door.AttributesSerialize '{\"Health\": 100}'     all attributes
  rezkit set settings.xml AFKTimeout/Value 300")]
pub(crate) struct Set {
    /// The type of the value [default: the current or the documented one]
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    #[command(flatten)]
    to: To,
    /// The file
    file: PathBuf,
    /// Names separated by `/`, a `.` before a property
    path: String,
    /// The value: a word, a number, numbers separated by commas, the name of an enum item, base64 for bytes
    #[arg(allow_hyphen_values = true)]
    value: String,
}

impl Set {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let mut opened = self.to.read(reading, &self.file)?;
        opened.set(&self.path, &self.value, self.kind.as_deref()).map_err(about(&self.file))?;
        self.to.write(&opened, &self.file)?;
        Ok(Outcome::Success)
    }
}
