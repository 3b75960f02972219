//! Temporary files and folders beside the files that are written: their names, their removal on signals, and the
//! removal of those that a killed run left.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The temporary files and folders that are being written. Code that creates or moves one, or writes below one, has
/// the lock. A signal takes the lock for good, so that nothing appears while they are removed or is moved in part.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The prefix of the names of temporary files; the machine and the process follow.
const NAME: &str = ".rezkit-";

pub(crate) fn paths() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files when a signal ends the program.
pub(crate) fn remove_on_signals() {
    fn ended(status: i32) -> ! {
        // The lock is held until the process exits.
        let paths = paths();
        paths.iter().for_each(|path| remove(path));
        std::process::exit(status);
    }
    // If no handler can be set, the temporary files remain after a signal; nothing else differs.
    #[cfg(unix)]
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) {
        std::thread::spawn(move || {
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

/// The prefix of the names of this process's temporary files.
fn prefix() -> &'static str {
    static PREFIX: OnceLock<String> = OnceLock::new();
    PREFIX.get_or_init(|| format!("{}{}-", machine(), std::process::id()))
}

/// The prefix of the names of this machine's temporary files: in a shared folder, the processes of other machines are
/// unknown.
fn machine() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_bytes().to_vec();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default().into_bytes();
    let hash = name.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{NAME}{:08x}-", hash >> 32)
}

/// A builder of temporary files and folders with these permissions. Removes those of killed runs from the folder first.
pub(crate) fn builder(folder: &Path, mode: Option<u32>) -> tempfile::Builder<'static, 'static> {
    static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.get_or_insert_default().insert(folder.to_owned()) {
        sweep(folder);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix());
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

/// Removes the files of ended runs on this machine.
fn sweep(folder: &Path) {
    let machine = machine();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(&machine)?.split_once('-'));
        if process.and_then(|(process, _)| process.parse().ok()).is_some_and(has_ended) {
            remove(&entry.path());
        }
    }
}

#[cfg(unix)]
fn has_ended(process: i32) -> bool {
    let process = rustix::process::Pid::from_raw(process);
    process.is_some_and(|process| rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH))
}

/// On other systems it is unknown whether a process runs, so nothing is removed.
#[cfg(not(unix))]
fn has_ended(_: i32) -> bool {
    false
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
