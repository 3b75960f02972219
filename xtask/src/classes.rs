//! Makes the table of `rbxcore`, with the program in `xtask/class-table`: a workspace of its own, which alone needs Roblox's
//! class database.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Outcome, root};

/// `classes NOTES`: the folder with `roblox-properties.tsv`, `roblox-names.tsv` and `roblox-brickcolors.tsv`.
pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let notes = PathBuf::from(args.value()?);
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--manifest-path"]).arg(root().join("xtask/class-table/Cargo.toml"));
    let made = command.arg("--").arg(notes).stderr(Stdio::inherit()).output()?;
    if !made.status.success() {
        return Err("the table was not made".into());
    }
    Ok(fs::write(root().join("crates/rbxcore/src/classes/classes.tsv"), made.stdout)?)
}
