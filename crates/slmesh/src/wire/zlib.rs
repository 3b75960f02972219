//! Compressed blocks: zlib, inflated through a cap.

use zlib_rs::{Deflate, DeflateFlush, Inflate, InflateFlush, Status};

use geom::wire::{Budget, Error, ErrorKind, Result};

/// The initial size of the buffer for an inflated block: real blocks need 2 to 6 times their size. Beyond a
/// megabyte, growing costs little beside inflating, and an unused buffer costs much.
fn first_guess(block: usize) -> usize {
    let twice = block.checked_mul(2).unwrap_or(block);
    twice.checked_mul(2).unwrap_or(twice).min(twice.max(1 << 20)).max(512)
}

/// Inflates one block after the other into the same buffer.
pub(crate) struct Inflater {
    state: Inflate,
    buffer: Vec<u8>,
    /// How much of the buffer the last block fills.
    filled: usize,
}

impl Default for Inflater {
    fn default() -> Self {
        // A header, and the largest window: it costs nothing if less was used.
        Self { state: Inflate::new(true, 15), buffer: Vec::new(), filled: 0 }
    }
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Inflater({} bytes)", self.buffer.len())
    }
}

impl Inflater {
    /// An inflated block. Bytes after its end are ignored; an error has the offset in what was inflated so far.
    pub(crate) fn inflate(&mut self, bytes: &[u8], budget: &mut Budget) -> Result<&[u8]> {
        self.state.reset(true);
        if self.buffer.is_empty() {
            self.grow(first_guess(bytes.len()), 0, budget).map_err(|kind| Error::new(kind, "").at(0))?;
        }
        let mut filled = 0_usize;
        loop {
            let used = count(self.state.total_in());
            let input = bytes.get(used..).unwrap_or(&[]);
            let free = self.buffer.get_mut(filled..).unwrap_or(&mut []);
            let status = self.state.decompress(input, free, InflateFlush::Finish);
            let before = filled;
            filled = count(self.state.total_out());
            let kind = match status {
                Ok(Status::StreamEnd) => {
                    self.filled = filled;
                    return Ok(self.buffer.get(..filled).unwrap_or(&[]));
                }
                // More than 4 GB are not written at once.
                Ok(Status::Ok | Status::BufError) if filled < self.buffer.len() && filled != before => {
                    continue;
                }
                Ok(Status::Ok | Status::BufError) if filled < self.buffer.len() => ErrorKind::UnexpectedEnd,
                Ok(Status::Ok | Status::BufError) => {
                    // Twice its size: no machine has more memory than it can count.
                    match self.grow(self.buffer.len().saturating_mul(2), filled, budget) {
                        Ok(()) => continue,
                        Err(kind) => kind,
                    }
                }
                Err(_) if self.state.error_message() == Some("incorrect data check") => {
                    ErrorKind::Invalid("wrong zlib checksum".into())
                }
                Err(_) => ErrorKind::Invalid("missing or malformed zlib stream".into()),
            };
            return Err(Error::new(kind, "").at(filled));
        }
    }

    /// The last inflated block.
    pub(crate) fn into_inflated(mut self) -> Vec<u8> {
        self.buffer.truncate(self.filled);
        self.buffer
    }

    /// Grows the buffer to this length, keeping its content.
    fn grow(&mut self, len: usize, filled: usize, budget: &mut Budget) -> Result<(), ErrorKind> {
        // During the copy, the old buffer and the new one both exist.
        budget.take(len as u64)?;
        budget.give_back(self.buffer.len() as u64);
        // Zeroed pages from the system cost nothing until written.
        let mut larger = vec![0; len];
        larger.iter_mut().zip(&self.buffer).take(filled).for_each(|(to, from)| *to = *from);
        self.buffer = larger;
        Ok(())
    }
}

fn count(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// The amount compressed at once: the compressor counts with 32 bits.
const PART: usize = 1 << 30;

/// Compresses a block; level 0 to 9.
pub(crate) fn deflate(bytes: &[u8], level: u8) -> Result<Vec<u8>> {
    let mut state = Deflate::new(i32::from(level.min(9)), true, 15);
    let mut out = Vec::new();
    let mut piece = vec![0; (bytes.len() / 2).clamp(1 << 10, 1 << 16)];
    loop {
        let (read, written) = (state.total_in(), state.total_out());
        let rest = bytes.get(count(read)..).unwrap_or(&[]);
        let (part, flush) = match rest.split_at_checked(PART) {
            Some((part, more)) if !more.is_empty() => (part, DeflateFlush::NoFlush),
            _ => (rest, DeflateFlush::Finish),
        };
        let status = state.compress(part, &mut piece, flush);
        let added = state.total_out().checked_sub(written).map_or(0, count);
        out.extend_from_slice(piece.get(..added).unwrap_or(&[]));
        match status {
            Ok(Status::StreamEnd) => return Ok(out),
            Ok(_) if (state.total_in(), state.total_out()) != (read, written) => {}
            _ => return Err(Error::unwritable("", "a block that does not compress")),
        }
    }
}
