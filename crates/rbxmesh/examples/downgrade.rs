//! Writes a mesh as version 2.00, which every client reads, and says what that leaves out:
//! `cargo run --example downgrade IN OUT`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use rbxmesh::{Version, WriteOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(input), Some(output)) = (args.next(), args.next()) else {
        return Err("usage: downgrade IN OUT".into());
    };
    let mesh = rbxmesh::from_reader(std::fs::File::open(input)?)?;
    let (bytes, dropped) =
        WriteOptions::new().version(Version::V2_00).allow_loss(true).write_listing(&mesh)?;
    for part in dropped {
        println!("left out {part}");
    }
    std::fs::write(output, bytes)?;
    Ok(())
}
