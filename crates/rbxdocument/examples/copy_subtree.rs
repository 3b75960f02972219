//! Makes a model of one instance of a place, with everything below it: `copy_subtree PATH IN OUT`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, input, output] = arguments.as_slice() else {
        return Err("usage: copy_subtree PATH IN OUT".into());
    };
    let place = rbxdocument::from_slice(&std::fs::read(input)?)?;
    let id = place.find(path).ok_or("no such instance")?;
    let mut model = place.empty();
    model.set_metadata(vec![("ExplicitAutoJoints".into(), "true".into())])?;
    model.copy_from(None, &*place, id)?;
    std::fs::write(output, model.to_vec()?)?;
    Ok(())
}
