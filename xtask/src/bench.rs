//! Runs the benchmarks of our crates and their peers, which are in a workspace of their own.

use std::process::Command;

use crate::{Outcome, root};

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["run", "--release", "--quiet", "--manifest-path"])
        .arg(root().join("xtask/peers/Cargo.toml"));
    command.args(["--bin", "peers", "--"]).arg(root().join("docs/BENCHMARKS.md"));
    crate::run_status(command.args(args.raw_args()?))
}
