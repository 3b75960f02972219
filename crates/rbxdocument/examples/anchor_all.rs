//! Anchors all parts of a file: `anchor_all IN OUT`.
#![allow(clippy::print_stdout, reason = "that is what it does")]

use std::error::Error;

// ANCHOR: main
fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args_os().skip(1);
    let (Some(input), Some(output)) = (paths.next(), paths.next()) else {
        return Err("usage: anchor_all IN OUT".into());
    };
    let mut document = rbxdocument::from_slice(&std::fs::read(input)?)?;
    let parts: Vec<_> = document
        .instances()
        .filter(|&id| document.get(id, "Anchored").is_some_and(|value| value.as_bool() == Some(false)))
        .collect();
    println!("{} parts anchored", parts.len());
    for part in parts {
        document.set(part, "Anchored", true)?;
    }
    std::fs::write(output, document.to_vec()?)?;
    Ok(())
}
// ANCHOR_END: main
