//! Lists the assets that a place or model refers to, with the properties that name them:
//! `cargo run --example asset_list place.rbxl`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: asset_list FILE")?;
    let file = rezkit::open(std::fs::read(&path)?, &path, ())?;
    for (address, places) in file.assets()? {
        println!("{address}\t{}", places.join(", "));
    }
    Ok(())
}
