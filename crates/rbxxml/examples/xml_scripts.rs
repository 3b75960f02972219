//! Prints the scripts of a file, each under its path: `xml_scripts FILE`.
#![allow(clippy::print_stdout, reason = "that is what it does")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: xml_scripts FILE")?;
    let document = rbxxml::from_slice(&std::fs::read(path)?)?;
    for id in document.instances() {
        if let Some(source) = document.get(id, "Source").and_then(|source| source.as_bytes())
            && let (Some(path), Some(class)) = (document.path(id), document.class(id))
        {
            println!("-- {path} ({class})\n{}\n", String::from_utf8_lossy(source));
        }
    }
    Ok(())
}
