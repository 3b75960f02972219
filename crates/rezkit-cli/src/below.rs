//! Paths below a folder that the user names. No link that leads out of the folder is followed, for reading or writing.
//!
//! No other file of the command line may join paths (`cargo xtask tidy` checks this).

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The real path of a file below a folder; `None` if the file is missing.
///
/// Links inside the folder are followed, and the path without links is returned: the file that is opened later is the
/// one that was checked, unless another process replaces a folder by a link in between.
///
/// # Errors
/// If the path or a link leaves the folder.
pub(crate) fn find(folder: &Path, path: &Path) -> io::Result<Option<PathBuf>> {
    let joined = join(folder, path)?;
    let found = match joined.canonicalize() {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        found => found?,
    };
    match found.starts_with(folder.canonicalize()?) {
        true => Ok(Some(found)),
        false => Err(io::Error::other(
            "the link leads out of the folder, and rezkit reads only files inside it; replace the link with a copy \
             of its target",
        )),
    }
}

/// A path below a folder.
///
/// # Errors
/// If the path is absolute, or `..` leaves the folder.
pub(crate) fn join(folder: &Path, path: &Path) -> io::Result<PathBuf> {
    let mut depth = 0_usize;
    for component in path.components() {
        let deeper = match component {
            Component::Normal(_) => depth.checked_add(1),
            Component::CurDir => Some(depth),
            Component::ParentDir => depth.checked_sub(1),
            Component::RootDir | Component::Prefix(_) => None,
        };
        let outside = "the path leads out of the folder, and rezkit reads only files inside it; move the file into \
                       the folder, and correct the path";
        depth = deeper.ok_or_else(|| io::Error::other(outside))?;
    }
    Ok(folder.join(path))
}

/// A path from a folder, which may lead out of it: for paths that the user's own project names.
pub(crate) fn from(folder: &Path, path: &str) -> PathBuf {
    folder.join(path)
}

/// Whether a path is a link.
pub(crate) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

/// Whether a path ends with a separator, so that it is the path of a folder.
pub(crate) fn names_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|&last| std::path::is_separator(last.into()))
}

/// The path at the end of a chain of links, whether it exists or not.
pub(crate) fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // As many as Linux follows.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(target) => {
                path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
            }
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("the link leads through more than 40 other links, probably in a loop"))
}

/// The folder that a file is in; `.` if its path has none.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
