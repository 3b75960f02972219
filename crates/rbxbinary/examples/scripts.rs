//! Prints the scripts of a file, each under its path. Only their names and sources are read.
#![allow(clippy::print_stdout, reason = "that is what it does")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: scripts FILE")?;
    let options =
        rbxbinary::ReadOptions::new().filter(|_, property| property == "Name" || property == "Source");
    let document = options.read(&std::fs::read(path)?)?;
    let tree = document.tree();
    for script in tree.descendants() {
        let Some(source) = script.get("Source").and_then(|source| source.as_bytes()) else { continue };
        let mut path = vec![script.name().to_string()];
        let mut above = script.parent();
        while let Some(instance) = above {
            path.push(instance.name().to_string());
            above = instance.parent();
        }
        path.reverse();
        println!("-- {} ({})\n{}\n", path.join("/"), script.class_name(), String::from_utf8_lossy(source));
    }
    Ok(())
}
