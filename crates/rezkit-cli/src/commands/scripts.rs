//! `rezkit scripts`: the scripts in a file.

use std::fmt::Write as _;
use std::path::PathBuf;

use bstr::ByteSlice as _;
use serde_json::json;

use crate::input::Reading;
use crate::outcome::{Error, Outcome};
use crate::report::{self, Plain};
use rezkit_core::Counted;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit scripts model.rbxm
  rezkit scripts --json downloads/")]
pub(crate) struct Scripts {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// Files of any format, or folders
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Scripts {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        reading.each(&self.files, |source, out| {
            for script in reading.opened(source)?.scripts()? {
                let lines = script.source.lines().count();
                if self.json {
                    let (path, class) = (script.path, script.class);
                    let file = source.json_name();
                    report::json_line(
                        out,
                        &json!({"file": file, "path": path, "class": class, "lines": lines}),
                    );
                    continue;
                }
                let (path, class) = (Plain(&script.path), Plain(&script.class));
                writeln!(out, "{}: {path} ({class}), {}", source.name, Counted::new(lines, "lines"))?;
            }
            Ok(Outcome::Success)
        })
    }
}
