//! Merges two edited copies of a place or model: `cargo run --example merge_places BASE OURS THEIRS OUTPUT`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use rezkit::{MergeOptions, open};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [base, ours, theirs, output] = &paths[..] else {
        return Err("usage: merge_places BASE OURS THEIRS OUTPUT".into());
    };
    let read = |path: &String| -> Result<_, Box<dyn std::error::Error>> {
        Ok(open(std::fs::read(path)?, path, ())?)
    };
    let (base, mut ours, theirs) = (read(base)?, read(ours)?, read(theirs)?);
    let (conflicts, losses) = ours.merge(&base, &theirs, &MergeOptions::new())?;
    losses.iter().for_each(|loss| println!("{loss}"));
    // Where both changed one value, each in another way, the result has what ours has.
    conflicts.iter().for_each(|conflict| println!("conflict: {conflict}"));
    std::fs::write(output, ours.to_file(None)?)?;
    Ok(())
}
