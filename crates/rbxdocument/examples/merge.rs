//! Puts models of one form into one, each into a folder with the name of its file: `merge OUT IN…`.

use std::error::Error;
use std::path::PathBuf;

use rbxdocument::edit::EditOptions;
use rbxdocument::{AnyDocument, NewInstance};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let out = paths.next().ok_or("usage: merge OUT IN…")?;
    let mut all: Option<AnyDocument> = None;
    // Properties that only some of the models store get the default of their class in the others, as in Studio.
    let options = EditOptions::defaults();
    for path in paths {
        let model = rbxdocument::from_slice(&std::fs::read(&path)?)?;
        let all = all.get_or_insert_with(|| model.empty());
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = NewInstance::new("Folder").property("Name", name);
        let folder = options.insert(&mut **all, None, folder)?.instances[0];
        let edited = options.merge(&mut **all, folder, &*model)?;
        for filled in &edited.filled {
            eprintln!("{}: {filled}", path.display());
        }
        for renamed in &edited.renamed {
            eprintln!("{}: {renamed}", path.display());
        }
    }
    std::fs::write(out, all.ok_or("usage: merge OUT IN…")?.to_vec()?)?;
    Ok(())
}
