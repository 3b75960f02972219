//! `cargo xtask TASK`.

fn main() -> std::process::ExitCode {
    xtask::run()
}
