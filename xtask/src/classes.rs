//! Makes the class table of `rbxcore` with the program in `xtask/class-table`, which is a workspace of its own since
//! nothing else needs Roblox's class database.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Outcome, root};

/// Runs `classes age` or `classes NOTES`; NOTES is the folder with the tables that the program in `xtask/class-table`
/// reads.
pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let notes = PathBuf::from(args.value()?);
    if notes == Path::new("age") {
        return age();
    }
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--manifest-path"]).arg(root().join("xtask/class-table/Cargo.toml"));
    let made = command.arg("--").arg(notes).stderr(Stdio::inherit()).output()?;
    if !made.status.success() {
        return Err("the program xtask/class-table failed, so the class table is unchanged".into());
    }
    Ok(fs::write(root().join("crates/rbxcore/src/classes/classes.tsv"), made.stdout)?)
}

/// Prints by how many versions of Roblox (about one a week) the newest published database is ahead of the table.
fn age() -> Outcome {
    let table = fs::read_to_string(root().join("crates/rbxcore/src/classes/classes.tsv"))?;
    let number = |text: &str, before: &str| -> Option<u32> {
        text.split_once(before)?.1.split(|char: char| !char.is_ascii_digit()).next()?.parse().ok()
    };
    let table =
        table.lines().next().and_then(|line| number(line, "Roblox 0.")).ok_or(
            "the first line of crates/rbxcore/src/classes/classes.tsv contains no version of Roblox",
        )?;
    let found = Command::new(env!("CARGO")).args(["info", "rbx_reflection_database"]).output()?;
    let newest = number(&String::from_utf8_lossy(&found.stdout), "+roblox-")
        .ok_or("`cargo info rbx_reflection_database` found no version")?;
    let behind = newest.saturating_sub(table);
    println!(
        "The class table is from Roblox 0.{table}. The newest database is from 0.{newest}, about {behind} weeks newer."
    );
    Ok(())
}
