//! Puts a model into the workspace of a place: `cargo run --example graft PLACE MODEL OUT`.
#![allow(clippy::print_stdout, reason = "it says what it did")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(place), Some(model), Some(out)) = (args.next(), args.next(), args.next()) else {
        return Err("graft PLACE MODEL OUT".into());
    };
    let mut place = rbxxml::from_slice(&std::fs::read(place)?)?;
    let model = rbxxml::from_slice(&std::fs::read(model)?)?;
    let workspace = place.find("Workspace");
    let merged = place.merge(model, workspace)?;
    println!("{} items at the top, {} referents renamed", merged.roots.len(), merged.renamed.len());
    std::fs::write(out, rbxxml::to_vec(&place)?)?;
    Ok(())
}
