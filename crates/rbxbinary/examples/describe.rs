//! Prints what is in each file: chunks, classes, and what is wrong with it.
#![allow(clippy::print_stdout, reason = "that is what it does")]

use std::collections::BTreeMap;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args_os().skip(1) {
        let bytes = std::fs::read(&path)?;
        println!("{}", path.display());
        let mut chunks: BTreeMap<_, (usize, usize, u64)> = BTreeMap::new();
        for chunk in rbxbinary::chunks(&bytes)? {
            let chunk = chunk?;
            let kind = format!("{} {:?}", chunk.name, chunk.compression);
            let (count, stored, len) = chunks.entry(kind).or_default();
            *count += 1;
            *stored += chunk.payload.len();
            *len += u64::from(chunk.len);
        }
        for (kind, (count, stored, len)) in chunks {
            println!("  {kind:<12} {count:>6} of them, {stored:>9} bytes stored, {len:>9} in all");
        }
        let document = rbxbinary::from_slice(&bytes)?;
        for class in document.classes() {
            println!(
                "  {:<28} {:>6} × {} properties",
                class.name,
                class.referents.len(),
                class.properties.len()
            );
        }
        for finding in rbxbinary::check(&document) {
            println!("  {finding}");
        }
    }
    Ok(())
}
