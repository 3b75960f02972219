//! The functions that `fuzz_targets` feed. `cargo xtask fuzz --smoke` runs the same ones on stable.

mod targets;

/// Runs a target.
///
/// # Panics
/// Where the target finds something, and where there is no such target.
pub fn run(name: &str, data: &[u8]) {
    let target = targets::TARGETS.iter().find(|target| target.name == name).expect("a target of the table");
    (target.run)(data);
}
