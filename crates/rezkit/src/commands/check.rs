//! `rezkit check`: the rules that each file breaks.

use std::fmt::Write as _;
use std::path::PathBuf;

use rezkit::Severity;
use serde_json::json;

use crate::cli::{Error, Outcome};
use crate::input::Reading;
use crate::report::{self, Plain};

#[derive(clap::Args)]
pub(crate) struct Check {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// The files, of any format
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Check {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        report::each(reading.sources(&self.files), |source, out| {
            let asset = reading.options().read(&source.bytes)?;
            let mut outcome = Outcome::Success;
            for finding in asset.check() {
                if finding.severity == Severity::Error {
                    outcome = Outcome::Failure;
                }
                match self.json {
                    true => report::json_line(
                        out,
                        &json!({
                            "file": source.name,
                            "severity": finding.severity,
                            "rule": finding.rule,
                            "demands": finding.demands,
                            "path": finding.path,
                            "found": finding.found,
                            "count": finding.count,
                        }),
                    ),
                    false => writeln!(out, "{}: {}", source.name, Plain(&finding))?,
                }
            }
            Ok(outcome)
        })
    }
}
