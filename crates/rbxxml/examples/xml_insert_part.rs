//! Adds a part three studs above the first one of a place: `xml_insert_part IN OUT`.
#![allow(clippy::print_stdout, reason = "that is what it does")]

use std::error::Error;

use rbxxml::{CFrame, NewInstance};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args_os().skip(1);
    let (Some(input), Some(output)) = (paths.next(), paths.next()) else {
        return Err("usage: xml_insert_part IN OUT".into());
    };
    let mut place = rbxxml::from_slice(&std::fs::read(input)?)?;
    let model = place.by_class("Part").next().ok_or("no part")?;
    let frame = place.get(model, "CFrame").and_then(|frame| frame.as_cframe()).ok_or("no CFrame")?;
    let new = NewInstance::new("Part")
        .property("Name", "Copy")
        .property("CFrame", CFrame::new(0.0, 3.0, 0.0) * frame);
    let parent = place.parent(model);
    let new = place.insert(parent, new)?;
    println!("{}", place.path(new).unwrap_or_default());
    std::fs::write(output, rbxxml::to_vec(&place)?)?;
    Ok(())
}
