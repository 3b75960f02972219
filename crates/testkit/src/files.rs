//! The files of a folder.

use std::path::Path;
use std::{fs, io};

/// Calls a function with every file in a folder and its subfolders, in order of paths. A link to a folder is not
/// followed, since it can lead back to a folder above it.
///
/// # Errors
/// If a folder cannot be read.
pub fn files(folder: &Path, file: &mut dyn FnMut(&Path)) -> io::Result<()> {
    let mut paths =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            files(&path, file)?;
        } else if path.is_file() {
            file(&path);
        }
    }
    Ok(())
}
