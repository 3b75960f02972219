//! The tasks of the workspace. `cargo xtask` lists them.

fn main() -> std::process::ExitCode {
    xtask::run(|_| None)
}
