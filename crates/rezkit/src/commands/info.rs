//! `rezkit info`: what each file is, and how much is in it.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::json;

use crate::cli::{Error, Outcome};
use crate::input::Reading;
use crate::report::{self, Plain};

#[derive(clap::Args)]
pub(crate) struct Info {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// The files, of any format
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Info {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        report::each(reading.sources(&self.files), |source, out| {
            let asset = reading.options().read(&source.bytes)?;
            let (format, version, facts) = (asset.format().name, asset.version(), asset.describe());
            if self.json {
                let facts: serde_json::Map<_, _> =
                    facts.into_iter().map(|fact| (fact.name.to_owned(), json!(fact.value))).collect();
                report::json_line(
                    out,
                    &json!({
                        "path": source.name,
                        "format": format,
                        "version": version,
                        "bytes": source.bytes.len(),
                        "facts": facts,
                    }),
                );
                return Ok(Outcome::Success);
            }
            let facts: Vec<_> =
                facts.iter().map(|fact| format!("{} {}", fact.name, Plain(&fact.value))).collect();
            let bytes = source.bytes.len();
            writeln!(out, "{}: {format} {version}, {bytes} bytes: {}", source.name, facts.join("; "))?;
            Ok(Outcome::Success)
        })
    }
}
