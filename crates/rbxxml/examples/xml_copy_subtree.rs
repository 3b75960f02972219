//! Makes a model of one instance of a place, with everything below it: `xml_copy_subtree PATH IN OUT`.

use std::error::Error;

use rbxxml::{Document, Metadata};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, input, output] = arguments.as_slice() else {
        return Err("usage: xml_copy_subtree PATH IN OUT".into());
    };
    let place = rbxxml::from_slice(&std::fs::read(input)?)?;
    let id = place.find(path).ok_or("no such instance")?;
    let mut model = Document::new();
    model.metadata.push(Metadata::new("ExplicitAutoJoints", "true"));
    model.copy_from(None, &place, id)?;
    std::fs::write(output, rbxxml::to_vec(&model)?)?;
    Ok(())
}
