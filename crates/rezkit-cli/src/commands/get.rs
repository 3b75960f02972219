//! `rezkit get`: the value at a path.

use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::path::PathBuf;

use rezkit::plain::JsonOut;
use rezkit::tree::{self, Data, Found};

use crate::input::Reading;
use crate::outcome::{Error, Outcome, helped};
use crate::report::{self, about};
use crate::terminal::plain_lines;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit get place.rbxl Workspace/Door.size
  rezkit get place.rbxl ServerScriptService/Main.Source > main.luau
  rezkit get place.rbxl Workspace/Door.AttributesSerialize.Health
  rezkit get settings.xml AFKTimeout/Value")]
pub(crate) struct Get {
    /// Print the value as JSON with its type, as find and tree do; binary properties that rezkit can decode are printed
    /// completely, not as a summary
    #[arg(long)]
    json: bool,
    /// If the file does not store the value, report an error instead of printing the default of the class
    #[arg(long)]
    stored: bool,
    /// The file to read
    file: PathBuf,
    /// The path of the value, such as `Workspace/Door.Size`: names separated by `/`, with `.` before a
    /// property; of several children with one name, `Door` is the first and `Door[1]` the second
    path: String,
}

impl Get {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let opened = reading.read(&self.file)?;
        let mut printed = Ok(());
        let left = reading.max_bytes;
        let mut unstored = None;
        tree::resolve(&*opened.tree(), &self.path, &mut |found| {
            unstored = match &found {
                Found::Default(_) => Some("the default of the class".to_owned()),
                Found::Other(name, _) => {
                    Some(format!("the value converted from {name}, which the file stores instead"))
                }
                _ => None,
            };
            if !(self.stored && unstored.is_some()) {
                printed = self.print(found, left);
            }
        })
        .map_err(about(&self.file))?;
        if let Some(other) = unstored {
            let what = format!("{} is not stored in the file", self.path);
            if self.stored {
                let help = format!("omit --stored to print {other}");
                return Err(about(&self.file)(helped(rezkit::Error::argument(what), help)));
            }
            report::note(&report::path(&self.file), &format!("{what}; printed instead: {other}"));
        }
        printed.map(|()| Outcome::Success)
    }

    fn print(&self, found: Found<'_>, left: u64) -> Result<(), Error> {
        let value = match &found {
            Found::Node(node) => node.value(),
            Found::Value(value) | Found::Other(_, value) | Found::Default(value) => Some(value.clone()),
        };
        // A terminal would execute control characters of the file.
        let is_terminal = io::stdout().is_terminal();
        // Instances can share values, so the text of a small file can be large.
        let mut out = report::Limited { out: BufWriter::new(io::stdout().lock()), left };
        if self.json {
            let kind = match (value, &found) {
                (Some(value), _) => value.kind.into_owned(),
                (None, Found::Node(node)) => node.kind().into_owned(),
                (None, _) => String::new(),
            };
            let written = write!(out, "{{\"type\":{},\"value\":", serde_json::json!(kind))
                .and_then(|()| serde_json::to_writer(JsonOut(&mut out), &found).map_err(io::Error::from))
                .and_then(|()| writeln!(out, "}}"));
            return report::heard(written.and_then(|()| out.flush())).map(drop);
        }
        let written = match value.map(|value| value.data) {
            Some(Data::Line(_, text) | Data::Decoded(text, _)) if !is_terminal => writeln!(out, "{text}"),
            Some(Data::Line(_, text) | Data::Decoded(text, _)) => plain_lines(&mut out, &text),
            Some(Data::Bytes(bytes)) if is_terminal => {
                plain_lines(&mut out, &String::from_utf8_lossy(&bytes))
            }
            // Bytes are written unchanged, for a pipe or a file.
            Some(Data::Bytes(bytes)) => out.write_all(&bytes),
            // There can be too many values to keep their text.
            _ => serde_json::to_writer_pretty(JsonOut(&mut out), &found)
                .map_err(io::Error::from)
                .and_then(|()| writeln!(out)),
        };
        report::heard(written.and_then(|()| out.flush())).map(drop)
    }
}
