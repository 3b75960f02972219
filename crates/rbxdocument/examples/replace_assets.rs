//! Replaces the addresses of assets: `replace_assets FROM TO IN OUT`.
#![allow(clippy::print_stdout, reason = "that is what it does")]

use std::error::Error;

use rbxdocument::Value;
use rbxdocument::bstr::ByteSlice;
use rbxdocument::types::Content;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, input, output] = arguments.as_slice() else {
        return Err("usage: replace_assets FROM TO IN OUT".into());
    };
    let mut document = rbxdocument::from_slice(&std::fs::read(input)?)?;
    let mut changes = Vec::new();
    for id in document.instances() {
        for (name, value) in document.properties(id) {
            let Some(text) = value.as_bytes().filter(|text| text.contains_str(from)) else { continue };
            let text = text.replace(from, to);
            let new = match value.to_value() {
                Value::String(_) => Value::String(text.into()),
                Value::ContentId(_) => Value::ContentId(text.into()),
                Value::Content(_) => Value::Content(Content::Uri(text.into())),
                _ => continue,
            };
            changes.push((id, name.to_owned(), new));
        }
    }
    println!("{} values replaced", changes.len());
    for (id, name, value) in changes {
        document.set(id, name, value)?;
    }
    std::fs::write(output, document.to_vec()?)?;
    Ok(())
}
