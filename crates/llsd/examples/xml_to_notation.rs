//! Rewrites XML as indented notation, event by event, without building the document.
//!
//! `cargo run --example xml_to_notation -- settings.xml > settings.notation`

use std::io::Write as _;

use llsd::{Encoding, ReadOptions, WriteOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bytes = match std::env::args().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => b"<llsd><map><key>sizes</key><array><real>0.5</real><undef /></array></map></llsd>".to_vec(),
    };
    let from = ReadOptions::new().encoding(Encoding::Xml);
    let to = WriteOptions::new().encoding(Encoding::Notation).indent(true);
    let notation = llsd::transcode(&bytes, &from, &to)?;
    std::io::stdout().lock().write_all(&notation)?;
    Ok(())
}
