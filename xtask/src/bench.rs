//! Measures our crates and their peers, which live in a workspace of their own.

use std::process::Command;

use crate::{Outcome, root};

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let folder = root().join("xtask/peers");
    let status = Command::new(env!("CARGO"))
        .args(["run", "--release", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--")
        .arg("--docs")
        .arg(root().join("docs"))
        .args(args.raw_args()?)
        .status()?;
    match status.success() {
        true => Ok(()),
        false => Err("the measurement failed".into()),
    }
}
