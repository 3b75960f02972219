//! The tasks that need all of the kit. `cargo xtask` lists and calls them.

mod attack;
mod bench;
mod fuzz;
mod robustness;
mod worst;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What a task gives back: nothing, or why it failed.
type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let mut args = lexopt::Parser::from_env();
    let run = match args.next() {
        Ok(Some(lexopt::Arg::Value(name))) => match name.to_str() {
            Some("attack") => attack::run,
            Some("bench") => bench::run,
            Some("fuzz") => fuzz::run,
            Some("robustness") => robustness::run,
            Some("worst") => worst::run,
            _ => return ExitCode::from(2),
        },
        _ => return ExitCode::from(2),
    };
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// On what a figure was measured: the processor, the compiler and the commit, as far as they can be told.
fn machine() -> String {
    let output = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).current_dir(root()).output().ok();
        let text = output.filter(|output| output.status.success()).map(|output| output.stdout);
        text.map_or("unknown".into(), |text| String::from_utf8_lossy(&text).trim().to_owned())
    };
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map(|(_, name)| name);
    let cpu = model.map_or_else(|| output("sysctl", &["-n", "machdep.cpu.brand_string"]), str::to_owned);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (rustc, commit) = (output("rustc", &["--version"]), output("git", &["rev-parse", "--short", "HEAD"]));
    format!("{cpu} ({cores} cores), {rustc}, commit {commit}")
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.ancestors().nth(2).unwrap_or(folder).to_path_buf()
}
