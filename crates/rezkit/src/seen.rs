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
        let locked = File::open(path)?;
        lock(&locked)?;
        // While this waited for the lock, another run may have replaced the file, so the path is opened again.
        if Self::read(&mut File::open(path)?)? == self { Ok(locked) } else { Err(changed()) }
    }
}

/// Waits until no other run is replacing a file. If the system cannot lock files, only the comparison protects it.
fn lock(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{FlockOperation, flock};
        use rustix::io::Errno;
        // Other runs hold the lock while they compare and rename.
        for _ in 0..200 {
            match flock(file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK | Errno::INTR) => {
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                _ => return Ok(()),
            }
        }
        Err(io::Error::other("another program has locked the file; try again later"))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        Ok(())
    }
}
