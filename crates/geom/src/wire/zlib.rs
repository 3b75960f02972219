//! Streams of zlib, inflated within a budget.

use std::cell::Cell;

use zlib_rs::{Deflate, DeflateFlush, Inflate, InflateFlush, Status};

use super::{Budget, Error, ErrorKind, Problem, Result, after};

/// Up to this size, a buffer that is too large costs less than growing and copying a smaller one.
const SMALL: usize = 1 << 20;

/// Why a stream does not inflate, and how much was read and written before the error.
#[derive(Debug)]
pub struct Broken {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The number of bytes of input before the error.
    pub used: usize,
    /// The number of bytes of output before the error.
    pub written: usize,
}

/// Inflates one stream after the other into the same buffer.
pub struct Inflater {
    state: Inflate,
    buffer: Vec<u8>,
    /// The part of the buffer that the last stream fills.
    filled: usize,
}

impl Default for Inflater {
    fn default() -> Self {
        // With a zlib header and the largest window, which costs nothing if the stream uses a smaller one.
        Self { state: Inflate::new(true, 15), buffer: Vec::new(), filled: 0 }
    }
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Inflater({} bytes)", self.buffer.len())
    }
}

impl Inflater {
    /// Inflates the stream at the beginning of the input. Returns how many bytes the stream has, and its content.
    ///
    /// # Errors
    /// If there is no whole stream, or a limit is reached.
    pub fn inflate(&mut self, input: &[u8], budget: &mut Budget) -> Result<(usize, &[u8]), Broken> {
        self.state.reset(true);
        self.filled = 0;
        loop {
            let (used, from) = (count(self.state.total_in()), self.filled);
            let broken = |kind, used| Broken { kind, used, written: from };
            if from == self.buffer.len() {
                self.grow(input.len(), budget).map_err(|kind| broken(kind, 0))?;
            }
            // One call writes at most 4 GB.
            let space = self.buffer.get_mut(from..).unwrap_or_default();
            let status = self.state.decompress(after(input, used), space, InflateFlush::Finish);
            let used = count(self.state.total_in());
            self.filled = count(self.state.total_out());
            let kind = match status {
                Ok(Status::StreamEnd) => {
                    return Ok((used, self.buffer.get(..self.filled).unwrap_or_default()));
                }
                Ok(Status::Ok | Status::BufError) if self.filled != from => continue,
                // All input is consumed, but the stream does not end.
                Ok(Status::Ok | Status::BufError) => {
                    return Err(broken(ErrorKind::UnexpectedEnd, input.len()));
                }
                Err(_) if self.state.error_message() == Some("incorrect data check") => {
                    return Err(Broken {
                        kind: ErrorKind::Invalid(Problem::Checksum { of: "zlib" }),
                        used: 0,
                        written: self.filled,
                    });
                }
                Err(_) => ErrorKind::Invalid("missing or malformed zlib stream".into()),
            };
            return Err(Broken { kind, used, written: self.filled });
        }
    }

    /// Grows the buffer, keeping its content. Real streams need 1.1 to 6 times their size. A large buffer grows by
    /// less than doubling, since the values read from it need memory, too.
    fn grow(&mut self, input: usize, budget: &mut Budget) -> Result<(), ErrorKind> {
        let from = self.buffer.len();
        let mut added = match from {
            0 => (input.saturating_mul(17) / 5).max(input.saturating_mul(4).min(SMALL)).max(4096),
            1..=SMALL => from,
            _ => from / 4,
        };
        // The old and the new buffer both exist for a moment. If the limit does not allow this, try a smaller size.
        while let Err(limit) = budget.take(from.saturating_add(added) as u64) {
            added /= 2;
            if added < 4096 {
                return Err(limit);
            }
        }
        // Zeroed pages from the system cost nothing until written.
        let mut larger = vec![0; from.saturating_add(added)];
        larger.iter_mut().zip(&self.buffer).for_each(|(to, from)| *to = *from);
        self.buffer = larger;
        budget.give_back(from as u64);
        Ok(())
    }

    /// The last inflated content.
    pub fn into_inflated(mut self, budget: &mut Budget) -> Vec<u8> {
        self.buffer.truncate(self.filled);
        // Shrinking may copy the content, so it is done only if it releases more than a quarter of it.
        let before = self.buffer.capacity();
        if before > self.filled.saturating_add(self.filled / 4) {
            self.buffer.shrink_to_fit();
            budget.give_back(before.saturating_sub(self.buffer.capacity()) as u64);
        }
        self.buffer
    }
}

fn count(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// The number of bytes compressed at once: the compressor counts with 32 bits.
const PART: usize = 1 << 30;

thread_local! {
    /// The last compressor of the thread and its level, to be used again: between new ones, the allocator would keep holes.
    static LAST: Cell<Option<(u8, Deflate)>> = const { Cell::new(None) };
}

/// Appends the compressed bytes to `out`. The level is 0 to 9.
///
/// # Errors
/// [`ErrorKind::Unwritable`] if the compressor makes no progress, which is not known to happen.
pub fn deflate(bytes: &[u8], level: u8, out: &mut Vec<u8>) -> Result<()> {
    let last = LAST.take().filter(|(last, _)| *last == level);
    let mut state = last.map_or_else(
        || Deflate::new(i32::from(level.min(9)), true, 15),
        |(_, mut state)| {
            state.reset();
            state
        },
    );
    let done = compress(&mut state, bytes, out);
    LAST.set(Some((level, state)));
    done
}

fn compress(state: &mut Deflate, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut piece = vec![0; (bytes.len() / 2).clamp(1 << 10, 1 << 16)];
    loop {
        let (read, written) = (state.total_in(), state.total_out());
        let rest = after(bytes, count(read));
        let (part, flush) = match rest.split_at_checked(PART) {
            Some((part, after)) if !after.is_empty() => (part, DeflateFlush::NoFlush),
            _ => (rest, DeflateFlush::Finish),
        };
        let status = state.compress(part, &mut piece, flush);
        let added = count(state.total_out().saturating_sub(written));
        out.extend_from_slice(piece.get(..added).unwrap_or_default());
        match status {
            Ok(Status::StreamEnd) => return Ok(()),
            Ok(_) if (state.total_in(), state.total_out()) != (read, written) => {}
            _ => return Err(Error::unwritable("", "data that zlib failed to compress")),
        }
    }
}
