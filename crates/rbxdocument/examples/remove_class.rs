//! Removes all instances of a class, with everything below them: `remove_class CLASS IN OUT`.
#![allow(clippy::print_stdout, reason = "that is what it does")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [class, input, output] = arguments.as_slice() else {
        return Err("usage: remove_class CLASS IN OUT".into());
    };
    let mut document = rbxdocument::from_slice(&std::fs::read(input)?)?;
    let ids: Vec<_> = document.by_class(class).collect();
    println!("{} instances removed", document.remove_all(ids)?);
    std::fs::write(output, document.to_vec()?)?;
    Ok(())
}
