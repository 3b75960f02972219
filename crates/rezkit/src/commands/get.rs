//! `rezkit get`: the value at a path.

use std::io::{self, Write as _};
use std::path::PathBuf;

use rezkit::tree::Data;

use crate::input::Reading;
use crate::outcome::{Error, Outcome};
use crate::report;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit get place.rbxl Workspace/Door.Size
  rezkit get place.rbxl ServerScriptService/Main.Source > main.luau
  rezkit get place.rbxl Workspace/Door.AttributesSerialize.Health
  rezkit get settings.xml AFKTimeout/Value")]
pub(crate) struct Get {
    /// As JSON
    #[arg(long)]
    json: bool,
    /// The file
    file: PathBuf,
    /// Names with `/` between them; `.` before a property
    path: String,
}

impl Get {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let (_, asset) = reading.read(&self.file)?;
        let value = asset.get(&self.path)?;
        if self.json {
            report::print(&format!("{}\n", value.to_json()))?;
            return Ok(Outcome::Success);
        }
        match value.data {
            Data::Text(text) => report::print(&format!("{text}\n"))?,
            // Bytes are what they are: for a pipe or a file.
            Data::Bytes(bytes) => io::stdout().write_all(&bytes).map(|()| true)?,
            Data::Fields(_) => report::print(&format!("{:#}\n", value.to_json()))?,
        };
        Ok(Outcome::Success)
    }
}
