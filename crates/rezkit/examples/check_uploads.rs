//! A check for a pipeline: ends with an error if a file breaks a rule of the upload to Second Life, or if converting it
//! drops anything but what is allowed by its id: `cargo run --example check_uploads FILE…`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use rezkit::{ConvertOptions, RulePolicy, Severity, loss_policy, open};

/// Whether a file passes; what is wrong is printed.
fn passes(path: &str, losses: &RulePolicy) -> rezkit::Result<bool> {
    let bytes = std::fs::read(path).map_err(rezkit::Error::unreadable)?;
    let mut file = open(bytes, path, ())?;
    let findings = file.check(&["secondlife-upload"], None)?;
    findings.iter().for_each(|finding| println!("{path}: {finding}"));
    let mut made = file.convert(Some("llmesh"), "model.llmesh", &ConvertOptions::new().allow_loss(true))?;
    // An error that names the first loss that is denied.
    losses.accept(&mut made.losses)?;
    Ok(findings.iter().all(|finding| finding.severity != Severity::Error))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Levels and animations may go, nothing else may be dropped.
    let allowed = ["scene.levels", "scene.animations"].map(String::from);
    let losses = loss_policy(Vec::from(allowed), vec!["dropped".into()])?;
    let mut all = true;
    for path in std::env::args().skip(1) {
        match passes(&path, &losses) {
            Ok(passes) => all &= passes,
            Err(error) => {
                println!("{path}: {error}");
                all = false;
            }
        }
    }
    if all { Ok(()) } else { Err("not all files pass".into()) }
}
