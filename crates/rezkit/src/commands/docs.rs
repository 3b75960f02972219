//! `rezkit docs`: completions for shells, and manual pages.

use std::path::PathBuf;

use crate::outcome::{Error, Outcome};
use crate::report;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit docs --completions bash > ~/.local/share/bash-completion/completions/rezkit
  rezkit docs --man ~/.local/share/man/man1")]
#[group(required = true)]
pub(crate) struct Docs {
    /// Print the completions for a shell
    #[arg(long, value_name = "SHELL")]
    completions: Option<clap_complete::Shell>,
    /// Write the manual pages into a folder
    #[arg(long, value_name = "FOLDER")]
    man: Option<PathBuf>,
}

impl Docs {
    pub(crate) fn run(self, mut command: clap::Command) -> Result<Outcome, Error> {
        if let Some(shell) = self.completions {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut command, "rezkit", &mut text);
            report::print(&String::from_utf8(text)?)?;
        }
        if let Some(folder) = self.man {
            std::fs::create_dir_all(&folder)?;
            clap_mangen::generate_to(command, &folder)?;
        }
        Ok(Outcome::Success)
    }
}
