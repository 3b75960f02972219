//! Files that are there whole or not at all.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The temporary files that are being written.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes the temporary files when the program is told to end by a signal.
pub(crate) fn remove_on_signals() {
    // Where no handler can be set, a signal leaves the file: nothing else is different.
    let _ = ctrlc::set_handler(|| {
        // Until the end the lock is kept, so that nothing new appears.
        let paths = paths();
        paths.iter().for_each(|path| _ = fs::remove_file(path));
        // As shells report the end by an interrupt.
        std::process::exit(130);
    });
}

/// Writes a file beside where it goes, and moves it there when it is complete and on the disk. Where
/// something fails, what was there stays as it was.
///
/// Until it is complete only the owner can read it; then it gets the permissions of the file that it
/// replaces, or those that a new file gets. `-` is the standard output; devices and pipes are written as
/// they are. A link stays a link: what it leads to is replaced, or made where there is nothing yet. Other
/// names of a replaced file (hard links) keep the old content.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.to_str() == Some("-") {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        return out.flush();
    }
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let path = follow(path)?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let permissions = match existing {
        Some(existing) => existing.permissions(),
        None => new_permissions(folder)?,
    };
    let mut file = {
        let mut paths = paths();
        let file = tempfile::Builder::new().prefix(".rezkit-").tempfile_in(folder)?;
        paths.insert(file.path().to_owned());
        file
    };
    let temporary = file.path().to_owned();
    let written = (|| {
        file.write_all(bytes)?;
        file.as_file().set_permissions(permissions)?;
        file.as_file().sync_all()
    })();
    let placed = written.and_then(|()| file.persist(&path).map(drop).map_err(io::Error::from));
    paths().remove(&temporary);
    placed?;
    // The new name too must survive a crash; where folders cannot be opened, the system does without.
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn paths() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What links lead to in the end, whether it is there or not.
fn follow(path: &Path) -> io::Result<PathBuf> {
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
    Err(io::Error::other("a loop of links"))
}

/// The permissions that any new file gets in a folder.
fn new_permissions(folder: &Path) -> io::Result<fs::Permissions> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rezkit-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What the umask leaves of it.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let _kept_from_signals = paths();
    let probe = builder.tempfile_in(folder)?;
    Ok(probe.as_file().metadata()?.permissions())
}
