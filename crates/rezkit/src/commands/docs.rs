//! `rezkit docs`: completions for shells, manual pages, and the pages of commands and of rules.

use std::fmt::Write as _;
use std::path::PathBuf;

use rezkit::Rule;

use crate::outcome::{Error, Outcome};
use crate::report;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit docs --completions bash > ~/.local/share/bash-completion/completions/rezkit
  rezkit docs --man ~/.local/share/man/man1
  rezkit docs --rules > rules.md")]
#[group(required = true)]
pub(crate) struct Docs {
    /// Print completions for a shell
    #[arg(long, value_name = "SHELL")]
    completions: Option<clap_complete::Shell>,
    /// Write manual pages into a folder
    #[arg(long, value_name = "FOLDER")]
    man: Option<PathBuf>,
    /// Print all rules of all formats and profiles as Markdown
    #[arg(long)]
    rules: bool,
    /// Print the help of all commands as Markdown
    #[arg(long)]
    commands: bool,
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
            clap_mangen::generate_to(command.clone(), &folder)?;
        }
        if self.rules {
            report::print(&rules())?;
        }
        if self.commands {
            report::print(&commands(command))?;
        }
        Ok(Outcome::Success)
    }
}

/// The page of the rules, with a table for each format and each profile.
fn rules() -> String {
    let mut text = String::from(
        "# Rules\n\nThe rules that `rezkit check` tests and `rezkit::rules()` lists. Written by `rezkit docs --rules`.\n",
    );
    let mut section = String::new();
    for Rule { id, severity, demands, source, .. } in rezkit::rules() {
        let prefix = id.split('.').next().unwrap_or(id);
        if prefix != section {
            section = prefix.to_owned();
            let _infallible = write!(
                text,
                "\n## {prefix}\n\nSource: {source}.\n\n| rule | severity | requirement |\n|---|---|---|\n"
            );
        }
        let _infallible =
            writeln!(text, "| `{id}` | {} | {} |", severity.as_str(), demands.replace('|', "\\|"));
    }
    text
}

/// The page of the commands: the help of each of them.
fn commands(mut command: clap::Command) -> String {
    command.build();
    let mut text =
        String::from("# Commands\n\nThe help of every command. Written by `rezkit docs --commands`.\n");
    for command in command.get_subcommands_mut().filter(|command| command.get_name() != "help") {
        let help = command.render_long_help().to_string();
        let lines = help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        let _infallible = write!(text, "\n## {}\n\n```text\n{lines}\n```\n", command.get_name());
    }
    text
}
