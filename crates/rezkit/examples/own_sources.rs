//! Meshes and textures of a place from a store of one's own, which counts and bounds what it gives:
//! `cargo run --example own_sources place.rbxl FOLDER place.glb`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::path::PathBuf;

use rezkit::{ConvertOptions, Error, ErrorKind, Reference, Result, Sources, open};

/// Files named by their asset ids, of at most 16 MB each.
struct Store {
    folder: PathBuf,
    given: usize,
}

impl Sources for Store {
    fn get(&mut self, reference: &Reference, max_bytes: u64) -> Result<Option<Vec<u8>>> {
        let Reference::Id(id) = reference else { return Ok(None) };
        let path = self.folder.join(id.to_string());
        let Ok(file) = std::fs::metadata(&path) else { return Ok(None) };
        if file.len() > max_bytes.min(16 << 20) {
            return Err(Error::new(ErrorKind::Limit, format!("the asset {id} has {} bytes", file.len())));
        }
        self.given += 1;
        std::fs::read(path).map(Some).map_err(Error::unreadable)
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(folder), Some(output)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: own_sources FILE FOLDER OUTPUT.glb".into());
    };
    let mut store = Store { folder: folder.into(), given: 0 };
    let get = |reference: &Reference, max_bytes: u64| store.get(reference, max_bytes);
    let made =
        open(std::fs::read(&path)?, &path, get)?.convert(Some("glb"), &output, &ConvertOptions::new())?;
    std::fs::write(output, &made.files[0].bytes)?;
    println!("{} assets, {} losses", store.given, made.losses.len());
    Ok(())
}
