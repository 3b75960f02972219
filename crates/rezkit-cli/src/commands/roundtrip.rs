//! `rezkit roundtrip`: checks whether files stay the same when they are read and written.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use rezkit::Grade;
use serde_json::json;

use crate::input::Reading;
use crate::outcome::{Error, Outcome};
use crate::report::{self, Plain};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit roundtrip models/
  rezkit roundtrip --json place.rbxl

Grades:
  exact    the written file has the same bytes; if it is compressed, the same bytes after decompression
  model    the written file has different bytes, but equal content
  failed   the file cannot be read or written, or the written file has different content
  unknown  the file was not checked: its format is unknown or, like glTF, one that rezkit converts but
           does not preserve exactly")]
pub(crate) struct Roundtrip {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// Files of any format, or folders
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Roundtrip {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let reading = &match self.json {
            true => reading.with_row(|name, error| {
                let mut row = String::new();
                let what = json!({ "path": name, "grade": "failed", "error": error.to_string() });
                report::json_line(&mut row, &what);
                row
            }),
            false => reading.with_row(|name, error| format!("failed   {name}: {}\n", Plain(error))),
        };
        reading.each(&self.files, |source, out| {
            let start = Instant::now();
            let report = reading.options().roundtrip(&source.part.bytes);
            let seconds = start.elapsed().as_secs_f64();
            let found = source.detected().filter(|_| report.format.is_none());
            let format = report.format.or(found.as_ref().map(|found| found.file_type.format));
            let why =
                "not checked, since rezkit converts files of this format, but does not preserve them exactly";
            let why = found.as_ref().map(|_| why.to_owned());
            let error = report.error.as_ref().map(ToString::to_string).or(why);
            let version = report.version.as_ref().or(found.as_ref().map(|found| &found.version));
            if self.json {
                report::json_line(
                    out,
                    &json!({
                        "path": source.json_name(),
                        "format": format,
                        "version": version,
                        "grade": report.grade.as_str(),
                        "bytes": source.part.bytes.len(),
                        "seconds": seconds,
                        "error": error,
                    }),
                );
            } else {
                write!(out, "{:<8} {}", report.grade, source.name)?;
                if let (Some(format), Some(version)) = (format, version) {
                    write!(out, ": {}", format!("{format} {version}").trim_end())?;
                }
                if let Some(error) = &error {
                    write!(out, ": {}", Plain(error))?;
                }
                out.push('\n');
            }
            Ok(match report.grade {
                Grade::Failed | Grade::Unknown => Outcome::Failure,
                Grade::Model | Grade::Exact => Outcome::Success,
            })
        })
    }
}
