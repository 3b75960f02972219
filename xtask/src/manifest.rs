//! Manifests, which list the purpose and the grade of each file in a folder of fixtures.

use std::fs;
use std::path::Path;

/// The file name of a manifest.
pub const MANIFEST: &str = "manifest.tsv";

/// The entries of a folder's manifest, which is edited by hand: the grade (how well the file must come back: `exact`,
/// `model`, or `failed` if it must be refused), the path, and what the file is for. `None` if there is no manifest.
///
/// # Errors
/// If the manifest cannot be read, or a line has other fields.
pub fn manifest(folder: &Path) -> Result<Option<Vec<[String; 3]>>, Box<dyn std::error::Error>> {
    let path = folder.join(MANIFEST);
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&path)?;
    let entry = |line: &str| -> Result<[String; 3], String> {
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        fields.try_into().map_err(|_| format!("{}: expected three fields, found {line:?}", path.display()))
    };
    Ok(Some(text.lines().filter(|line| !line.starts_with('#')).map(entry).collect::<Result<_, _>>()?))
}
