//! `rezkit table`: runs the program `rezkit-table`, which is a separate package, since Arrow and Parquet are larger
//! than all the rest.

use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::Command;

use crate::input::Reading;
use crate::outcome::{Error, Outcome};

const PROGRAM: &str = "rezkit-table";

#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Examples:
  rezkit table archive/ --table assets -o assets.parquet
  rezkit table dump.tar.gz --table references -o references.csv"
)]
pub(crate) struct Table {
    /// The arguments of the program rezkit-table; `rezkit table --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Table {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let file = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
        let beside =
            env::current_exe().ok().map(|path| path.with_file_name(&file)).filter(|path| path.exists());
        let mut command = Command::new(beside.unwrap_or_else(|| file.into()));
        command.args(["--max-bytes", &reading.max_bytes.to_string()]).args(self.arguments);
        match command.status() {
            Ok(status) if status.success() => Ok(Outcome::Success),
            Ok(status) if status.code() == Some(2) => Ok(Outcome::Usage),
            Ok(_) => Ok(Outcome::Failure),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let text = "is not installed: run `cargo install --path bindings/table` in a clone of \
                            rezkit's repository";
                Err(format!("{PROGRAM} {text}").into())
            }
            Err(error) => Err(format!("{PROGRAM}: {error}").into()),
        }
    }
}
