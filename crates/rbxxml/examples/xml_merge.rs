//! Puts models into one, each into a folder with the name of its file: `xml_merge OUT IN…`.

use std::error::Error;
use std::path::PathBuf;

use rbxxml::{Document, NewInstance};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let out = paths.next().ok_or("usage: xml_merge OUT IN…")?;
    let mut all = Document::new();
    for path in paths {
        let model = rbxxml::from_slice(&std::fs::read(&path)?)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = NewInstance::new("Folder").property("Name", name);
        let folder = all.insert(None, folder)?;
        all.merge(folder, &model)?;
    }
    std::fs::write(out, rbxxml::to_vec(&all)?)?;
    Ok(())
}
