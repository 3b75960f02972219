//! Lists every asset below a folder, and whether it survives being read and written:
//! `cargo run --example archive FOLDER > assets.csv`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::path::Path;

// ANCHOR: look
use rezkit::{Grade, ReadOptions};

/// A row for a file of a known format.
fn look(path: &Path) -> std::io::Result<Option<String>> {
    let bytes = std::fs::read(path)?;
    // Recognized by content: names in old archives say little.
    let Some(found) = rezkit::detect(&bytes) else { return Ok(None) };
    let quoted = |text: String| format!("\"{}\"", text.replace('"', "\"\""));
    let (name, format) = (quoted(path.display().to_string()), found.file_type.format);
    let known = format!("{name},{format},{},{}", found.version, bytes.len());
    let exact = rezkit::roundtrip(&bytes).grade == Grade::Exact;
    let opened = ReadOptions::new().max_bytes(256 << 20).open(bytes, "", ());
    let row = match opened.and_then(|mut file| file.check(&[], None)) {
        Ok(findings) => format!("{known},{},{exact},", findings.len()),
        Err(error) => format!("{known},,,{}", quoted(error.to_string())),
    };
    Ok(Some(row))
}
// ANCHOR_END: look

// ANCHOR: main
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: archive FOLDER")?;
    println!("path,format,version,bytes,findings,exact,error");
    let mut folders = vec![folder.into()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir::<std::path::PathBuf>(folder)? {
            let path = entry?.path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.is_file()
                && let Some(row) = look(&path)?
            {
                println!("{row}");
            }
        }
    }
    Ok(())
}
// ANCHOR_END: main
