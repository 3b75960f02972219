//! Takes the scripts out of a document into files of a folder: `cargo run --example scripts FILE FOLDER`.
#![allow(clippy::print_stdout, reason = "it says what it wrote")]

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(from), Some(to)) = (args.next(), args.next()) else { return Err("scripts FILE FOLDER".into()) };
    let document = rbxxml::from_slice(&std::fs::read(from)?)?;
    std::fs::create_dir_all(&to)?;
    for (index, (_, item)) in document.items().enumerate() {
        let Some(source) = item.get("Source").and_then(|source| source.as_bytes()) else { continue };
        // A name is any text; what stands in a file name must not lead out of the folder.
        let name: String =
            item.name().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
        let path = Path::new(&to).join(format!("{index}-{name}.{}.lua", item.class));
        std::fs::write(&path, source)?;
        println!("{}: {} bytes", path.display(), source.len());
    }
    Ok(())
}
