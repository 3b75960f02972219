//! Adds a part that is like the first one of a place, three studs above it: `insert_part IN OUT`.
#![allow(clippy::print_stdout, reason = "that is what it does")]

use std::error::Error;

use rbxdocument::NewInstance;
use rbxdocument::edit::{EditOptions, Fill};
use rbxdocument::types::CFrame;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args_os().skip(1);
    let (Some(input), Some(output)) = (paths.next(), paths.next()) else {
        return Err("usage: insert_part IN OUT".into());
    };
    let mut place = rbxdocument::from_slice(&std::fs::read(input)?)?;
    let model = place.by_class("Part").next().ok_or("no part")?;
    let frame = place.get(model, "CFrame").and_then(|frame| frame.as_cframe()).ok_or("no CFrame")?;
    let new = NewInstance::new("Part")
        .property("Name", "Copy")
        .property("CFrame", CFrame::new(0.0, 3.0, 0.0) * frame);
    let parent = place.parent(model);
    let edited = EditOptions::new().fill(Fill::Like(model)).insert(&mut *place, parent, new)?;
    for filled in edited.filled {
        println!("{filled}");
    }
    std::fs::write(output, place.to_vec()?)?;
    Ok(())
}
