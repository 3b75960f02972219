//! Manifests, which list the purpose and the grade of each file in a folder of fixtures.

use std::fs;
use std::path::Path;

/// The file name of a manifest.
pub const MANIFEST: &str = "manifest.tsv";

/// A manifest, which is edited by hand. It has a line for each file; comments begin with `#`.
pub struct Manifest {
    pub files: Vec<Entry>,
}

/// An entry of a manifest.
pub struct Entry {
    /// How well the file must come back: `exact`, `model`, or `failed` if it must be refused.
    pub grade: String,
    pub path: String,
    /// What the file is for.
    pub about: String,
}

impl Manifest {
    /// The manifest of a folder; `None` if it has none.
    ///
    /// # Errors
    /// If the manifest cannot be read, or a line has other fields.
    pub fn of(folder: &Path) -> Result<Option<Self>, Box<dyn std::error::Error>> {
        let path = folder.join(MANIFEST);
        if !path.exists() {
            return Ok(None);
        }
        let mut files = Vec::new();
        for line in fs::read_to_string(&path)?.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let &[grade, path, about] = fields.as_slice() else {
                let wanted = "expected a grade, a path and what the file is for, between tabs";
                return Err(format!("{}: {line:?}: {wanted}", path.display()).into());
            };
            files.push(Entry { grade: grade.into(), path: path.into(), about: about.into() });
        }
        Ok(Some(Self { files }))
    }
}
