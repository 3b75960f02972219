//! Detects whether files changed since they were read.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{self, Read as _};
use std::path::Path;

/// The number of bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// The state of a file when it was read: its length and a hash of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen(u64, u64);

impl Seen {
    pub(crate) fn of(mut bytes: &[u8]) -> io::Result<Self> {
        Self::read(&mut bytes)
    }

    /// The state of a file, which is read piece by piece, since it may be as large as the memory limit.
    fn read(file: &mut impl io::Read) -> io::Result<Self> {
        let (mut length, mut hasher, mut piece) = (0, DefaultHasher::new(), Vec::with_capacity(PIECE));
        loop {
            piece.clear();
            let read = file.by_ref().take(PIECE as u64).read_to_end(&mut piece)?;
            hasher.write(&piece);
            length += read as u64;
            if read < PIECE {
                return Ok(Self(length, hasher.finish()));
            }
        }
    }

    /// Locks the file against other runs until the returned file is dropped.
    ///
    /// # Errors
    /// If the file changed since it was read.
    pub(crate) fn unchanged(self, path: &Path) -> io::Result<File> {
        let changed = || {
            io::Error::other(
                "another program changed the file, so nothing was written; run the command again",
            )
        };
        let locked = lock(path)?;
        // While this waited for the lock, another run may have replaced the file, so the path is opened again.
        if Self::read(&mut File::open(path)?)? == self { Ok(locked) } else { Err(changed()) }
    }
}

/// Waits until no other run is replacing a file, and keeps others from it until the returned file is dropped.
fn lock(path: &Path) -> io::Result<File> {
    // Other runs hold the lock while they compare and rename.
    for _ in 0..200 {
        if let Some(locked) = try_lock(path)? {
            return Ok(locked);
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    Err(io::Error::other("another program has locked the file; try again later"))
}

/// The file is its own lock. If the system cannot lock files, only the comparison protects it.
#[cfg(not(windows))]
fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let file = File::open(path)?;
    #[cfg(unix)]
    {
        use rustix::fs::{FlockOperation, flock};
        use rustix::io::Errno;
        if let Err(Errno::WOULDBLOCK | Errno::INTR) = flock(&file, FlockOperation::NonBlockingLockExclusive) {
            return Ok(None);
        }
    }
    Ok(Some(file))
}

/// The lock is a file beside it, since Windows replaces no file that is locked. The system removes it when it is closed.
#[cfg(windows)]
fn try_lock(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt as _;
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    /// Access denied, as while the file is being removed; and opened by another run.
    const HELD: [Option<i32>; 2] = [Some(5), Some(32)];
    let mut name = std::ffi::OsString::from(".rezkit-");
    name.push(path.file_name().unwrap_or_default());
    name.push(".lock");
    let mut options = File::options();
    options.write(true).create(true).truncate(false).share_mode(0).custom_flags(DELETE_ON_CLOSE);
    match options.open(path.with_file_name(name)) {
        Err(error) if HELD.contains(&error.raw_os_error()) => Ok(None),
        opened => opened.map(Some),
    }
}
