//! Prints what is in each file: its instances as a tree, and what is wrong with it: `xml_describe FILE…`.
#![allow(clippy::print_stdout, reason = "that is what it does")]

use std::collections::HashMap;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args_os().skip(1) {
        let document = rbxxml::from_slice(&std::fs::read(&path)?)?;
        let shared = document.shared_strings().len();
        println!("{}: {} instances, {shared} shared strings", path.display(), document.len());
        let mut depths = HashMap::new();
        for id in document.instances() {
            let above = document.parent(id).and_then(|parent| depths.get(&parent).copied());
            let depth = above.map_or(1, |depth: usize| depth + 1);
            depths.insert(id, depth);
            let (name, class) =
                (document.name(id).unwrap_or_default(), document.class(id).unwrap_or_default());
            let count = document.properties(id).count();
            println!("{:width$}{name}: {class}, {count} properties", "", width = depth * 2);
        }
        for finding in rbxxml::check(&document) {
            println!("  {finding}");
        }
    }
    Ok(())
}
