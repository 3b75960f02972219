//! Temporary files and folders beside what is written: their names, their removal on signals, and that of those which a killed
//! run left.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The temporary files and folders that are being written. Who makes one, writes below one or moves one has the lock: a
/// signal takes it for good, so that nothing appears while it removes them, and nothing is moved in part.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The prefix of their names; the machine and the process follow.
const NAME: &str = ".rezkit-";

pub(crate) fn paths() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files when a signal ends the program.
pub(crate) fn remove_on_signals() {
    fn ended(status: i32) -> ! {
        // Locked until the end.
        let paths = paths();
        paths.iter().for_each(|path| remove(path));
        std::process::exit(status);
    }
    // If no handler can be set, a signal leaves the file: nothing else is different.
    #[cfg(unix)]
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) {
        std::thread::spawn(move || {
            // As shells report the end by a signal.
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

/// The prefix of the names of this process.
fn prefix() -> &'static str {
    static PREFIX: OnceLock<String> = OnceLock::new();
    PREFIX.get_or_init(|| format!("{}{}-", machine(), std::process::id()))
}

/// The prefix of the names of this machine: on a shared folder, the processes of others are unknown.
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

/// A maker of temporary files and folders with permissions, in a folder from which those of killed runs are removed.
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
        // What the umask leaves of it.
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

/// Running processes are unknown: nothing is removed.
#[cfg(not(unix))]
fn has_ended(_: i32) -> bool {
    false
}

/// An error without the temporary path, which `tempfile` puts after its cause: users do not know that one.
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
