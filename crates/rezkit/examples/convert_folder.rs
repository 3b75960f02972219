//! Converts every model in a folder to GLB, and lists what each conversion drops:
//! `cargo run --example convert_folder FOLDER OUTPUT`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::fs;
use std::path::Path;

use rezkit::{ConvertOptions, ErrorKind, Reference, open};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(folder), Some(output)) = (args.next(), args.next()) else {
        return Err("usage: convert_folder FOLDER OUTPUT".into());
    };
    fs::create_dir_all(&output)?;
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !path.is_file() {
            continue;
        }
        // Textures and buffers beside the model.
        let beside = |reference: &Reference, _: u64| match reference {
            Reference::Beside(name) => Ok(fs::read(Path::new(&folder).join(name)).ok()),
            _ => Ok(None),
        };
        let made = open(fs::read(&path)?, &name, beside)
            .and_then(|mut file| file.convert(Some("glb"), "model.glb", &ConvertOptions::new()));
        match made {
            Ok(made) => {
                fs::write(Path::new(&output).join(format!("{name}.glb")), &made.files[0].bytes)?;
                made.losses.iter().for_each(|loss| println!("{name}: {loss}"));
            }
            Err(error) if error.kind() == ErrorKind::Unknown => {}
            Err(error) => println!("{name}: {error}"),
        }
    }
    Ok(())
}
