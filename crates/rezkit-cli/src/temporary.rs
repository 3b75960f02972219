//! Temporary files and folders beside the files that are written: their names, their removal on signals, and the
//! removal of those that a killed run left.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/// The temporary files and folders that are being written. Code that creates or moves one, or writes below one, has
/// the lock. A signal takes the lock for good, so that nothing appears while they are removed or is moved in part.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The beginning of the names of temporary files. A name continues with that of the lock of its run.
const NAME: &str = ".rezkit-";

/// The ending of the names of locks.
const LOCK: &str = ".lock";

pub(crate) fn paths() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files when a signal ends the program.
pub(crate) fn remove_on_signals() {
    fn ended(status: i32) -> ! {
        // The lock is held until the process exits.
        let paths = paths();
        paths.iter().for_each(|path| remove(path));
        let _no_others = unlock();
        std::process::exit(status);
    }
    // If no handler can be set, the temporary files remain after a signal; nothing else differs.
    // A file that is larger than allowed is an error of writing, not the end of the program.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
    #[cfg(unix)]
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) {
        let _ = std::thread::Builder::new().spawn(move || {
            // Shells report the end by a signal with this status.
            if let Some(signal) = signals.forever().next() {
                ended(128 + signal);
            }
        });
    }
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(|| ended(130));
}

fn remove(path: &Path) {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
}

/// The locks of this run: an empty file in each folder into which it writes, locked as long as the run lasts. The names
/// of its temporary files there begin with the name of the lock, so another run can tell whether they are still needed.
static LOCKS: Mutex<BTreeMap<PathBuf, (&'static str, PathBuf, fs::File)>> = Mutex::new(BTreeMap::new());

/// Removes the locks of this run, at its end. As long as the result is held, no thread makes others.
pub(crate) fn unlock() -> impl Drop {
    let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut *locks).values().for_each(|(_, path, _)| remove(path));
    locks
}

/// The prefix of the names of this run's temporary files in a folder. Removes those of killed runs first.
fn prefix(folder: &Path) -> &'static str {
    let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((prefix, ..)) = locks.get(folder) {
        return prefix;
    }
    sweep(folder);
    // Another run can take the lock before this one does, and then removes it.
    for _ in 0..10 {
        let create = |path: &Path| exclusive().write(true).create_new(true).open(path);
        let mut builder = tempfile::Builder::new();
        let Ok(made) = builder.prefix(NAME).suffix(LOCK).make_in(folder, create) else { break };
        let Ok((file, path)) = made.keep() else { break };
        let name = path.file_name().and_then(|name| name.to_str()?.strip_suffix(LOCK)).map(str::to_owned);
        if let Some(name) = name.filter(|_| is_locked(&file) && path.exists()) {
            // Builders keep the prefix, of which each folder has one.
            let prefix: &'static str = String::leak(name + "-");
            locks.insert(folder.to_owned(), (prefix, path, file));
            return prefix;
        }
    }
    // If the folder cannot be written, the temporary file cannot either, and its error is the one to report.
    NAME
}

/// How locks are opened. On Windows, only one run at a time can open one; all may remove it.
fn exclusive() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(windows)]
    {
        const FILE_SHARE_DELETE: u32 = 4;
        std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, FILE_SHARE_DELETE);
    }
    options
}

/// Locks a file, unless another run has locked it. Returns whether it is locked; on Windows, each open one is.
fn is_locked(file: &fs::File) -> bool {
    #[cfg(unix)]
    return rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_ok();
    #[cfg(not(unix))]
    {
        let _ = file;
        cfg!(windows)
    }
}

/// Removes the files of killed runs, whose locks nobody holds.
fn sweep(folder: &Path) {
    let names = |folder| fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = names(folder).filter_map(|entry| entry.file_name().into_string().ok()).collect();
    for lock in names.iter().filter(|name| name.starts_with(NAME) && name.ends_with(LOCK)) {
        let path = folder.join(lock);
        let Some(_held) = exclusive().open(&path).ok().filter(is_locked) else { continue };
        let prefix = format!("{}-", lock.trim_end_matches(LOCK));
        names.iter().filter(|name| name.starts_with(&prefix)).for_each(|name| remove(&folder.join(name)));
        remove(&path);
    }
}

/// A builder of temporary files and folders in a folder, with these permissions.
pub(crate) fn builder(folder: &Path, mode: Option<u32>) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix(folder));
    #[cfg(unix)]
    if let Some(mode) = mode {
        use std::os::unix::fs::PermissionsExt as _;
        // The umask still applies.
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder
}

/// An error without the temporary path, which `tempfile` appends: users do not know that path.
pub(crate) fn without_temporary(error: io::Error) -> io::Error {
    match error.to_string().rsplit_once(" at path ") {
        Some((cause, path)) if path.contains(NAME) => io::Error::new(error.kind(), cause),
        _ => error,
    }
}

/// The permissions that any new file gets, as a file in this folder shows.
pub(crate) fn new_permissions(folder: &Path) -> io::Result<fs::Permissions> {
    static FOUND: OnceLock<fs::Permissions> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.clone());
    }
    let builder = builder(folder, Some(0o666));
    let _kept_from_signals = paths();
    let probe = builder.tempfile_in(folder)?;
    let permissions = probe.as_file().metadata()?.permissions();
    Ok(FOUND.get_or_init(|| permissions).clone())
}
