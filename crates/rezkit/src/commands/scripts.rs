//! `rezkit scripts`: the scripts in a file, and code to review.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::input::Reading;
use crate::outcome::{Error, Outcome};
use crate::report::{self, Plain};
use rezkit::Suspicion;
use rezkit_core::Counted;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit scripts model.rbxm
  rezkit scripts --suspicious downloads/

This is a search for keywords, not an analysis of the code: listed code can be harmless, and code that is not listed can
be malicious.")]
pub(crate) struct Scripts {
    /// List only suspicious code, to review before you open a model: `require` of an id, loadstring, getfenv, network
    /// access, encoded strings and the like; if any is found, the exit status is 1
    #[arg(long)]
    suspicious: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// Files of any format, or folders
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Scripts {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let count = AtomicUsize::new(0);
        let outcome = reading.each(&self.files, |source, out| {
            let opened = reading.opened(source)?;
            let mut outcome = Outcome::Success;
            for script in opened.scripts()? {
                count.fetch_add(1, Ordering::Relaxed);
                let found = script.suspicious(opened.left())?;
                if self.suspicious && found.is_empty() {
                    continue;
                }
                if self.suspicious {
                    outcome = Outcome::Failure;
                }
                let lines = script.source.iter().filter(|&&byte| byte == b'\n').count() + 1;
                if self.json {
                    report::json_line(
                        out,
                        &json!({
                            "file": source.json_name(),
                            "path": script.path,
                            "class": script.class,
                            "lines": lines,
                            "suspicious": found,
                        }),
                    );
                    continue;
                }
                let (path, class) = (Plain(&script.path), Plain(&script.class));
                writeln!(out, "{}: {path} ({class}), {}", source.name, Counted::new(lines, "lines"))?;
                for found in found {
                    let Suspicion { line, column, what, text } = found;
                    writeln!(out, "  line {line}, column {column}: {what}: {}", Plain(text))?;
                }
            }
            Ok(outcome)
        })?;
        if self.suspicious && !self.json {
            let count = count.into_inner();
            report::note(
                "",
                &format!(
                    "scripts searched for keywords: {count}; scripts that are not listed can be malicious, too"
                ),
            );
        }
        Ok(outcome)
    }
}
