//! Prints the tree of items of each document that is named, and what `check` finds:
//! `cargo run --example outline FILE…`.
#![allow(clippy::print_stdout, reason = "that is what it is for")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let document = rbxxml::from_slice(&std::fs::read(&path)?)?;
        println!("{path}: {} items, {} shared strings", document.len(), document.shared_strings.len());
        let mut depths = std::collections::HashMap::new();
        for (id, item) in document.items() {
            let depth =
                document.parent(id).and_then(|parent| depths.get(&parent)).map_or(1, |depth| depth + 1);
            depths.insert(id, depth);
            let name = item.name().unwrap_or("(no name)");
            println!(
                "{:width$}{name}: {}, {} properties",
                "",
                item.class,
                item.properties.len(),
                width = depth * 2
            );
        }
        for finding in rbxxml::check(&document) {
            println!("  {finding}");
        }
    }
    Ok(())
}
