//! Writes a mesh as version 2.00, which every client reads, and lists what that leaves out:
//! `cargo run --example downgrade IN OUT`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use rbxmesh::{LodChoice, Version};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(input), Some(output)) = (args.next(), args.next()) else {
        return Err("usage: downgrade IN OUT".into());
    };
    let mesh = rbxmesh::from_reader(std::fs::File::open(input)?)?;
    let (mesh, dropped) = mesh.to_version(Version::V2_00, LodChoice::First);
    for part in dropped {
        println!("left out {part}");
    }
    std::fs::write(output, rbxmesh::to_vec(&mesh)?)?;
    Ok(())
}
