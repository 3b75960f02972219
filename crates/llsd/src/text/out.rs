//! The output of the writers.

use crate::text::short::words;

/// The maximum number of bytes by which the space filled with zeros grows at once.
const STEP: usize = 4096;

/// Levels after this one are not indented further.
const MAX_INDENTED: usize = 40;

/// The indentation of a document with one entry per line.
#[derive(Clone, Debug)]
pub(crate) struct Indent {
    /// The end of a line, and the text with which every line begins.
    pub(crate) line: Vec<u8>,
    /// The indentation of one level.
    pub(crate) unit: Vec<u8>,
}

impl Default for Indent {
    fn default() -> Self {
        Self { line: b"\n".to_vec(), unit: b"  ".to_vec() }
    }
}

/// The written bytes, with space after them that is already filled with zeros. Most pieces are of a few bytes: each is
/// one store of a fixed size, of which only a part may be used.
#[derive(Debug)]
pub(crate) struct Out {
    bytes: Vec<u8>,
    /// The number of bytes written.
    len: usize,
}

impl Out {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let len = bytes.len();
        Self { bytes, len }
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.len);
        self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Writes a piece of at most `N` bytes: `fill` gets space for `N`, of which the first `used` are kept.
    #[inline(always)]
    pub(crate) fn piece<const N: usize>(&mut self, used: usize, fill: impl FnOnce(&mut [u8; N])) {
        if self.bytes.len().saturating_sub(self.len) < N {
            self.more(N);
        }
        if let Some(space) = self.bytes.get_mut(self.len..).and_then(|space| space.first_chunk_mut()) {
            fill(space);
            self.len = self.len.saturating_add(used);
        }
    }

    #[cold]
    #[inline(never)]
    fn more(&mut self, least: usize) {
        let ahead = self.len.clamp(64, STEP).max(least);
        let wanted = self.len.saturating_add(ahead);
        if wanted > self.bytes.capacity() {
            // Keeps the capacity a power of two; the space ahead would otherwise make it slightly larger.
            let space = wanted.checked_next_power_of_two().unwrap_or(wanted);
            self.bytes.reserve_exact(space.saturating_sub(self.bytes.len()));
        }
        self.bytes.resize(wanted, 0);
    }

    /// Writes bytes whose number is known at compile time.
    #[inline(always)]
    pub(crate) fn all<const N: usize>(&mut self, bytes: &[u8; N]) {
        self.piece(N, |space| *space = *bytes);
    }

    /// Writes a byte if a condition is true.
    #[inline(always)]
    pub(crate) fn byte_if(&mut self, condition: bool, byte: u8) {
        self.piece(usize::from(condition), |space| *space = [byte]);
    }

    #[inline(always)]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.all(&[byte]);
    }

    #[inline]
    pub(crate) fn slice(&mut self, bytes: &[u8]) {
        let end = self.len.saturating_add(bytes.len());
        match self.bytes.get_mut(self.len..end) {
            Some(space) => space.copy_from_slice(bytes),
            None => {
                self.bytes.truncate(self.len);
                self.bytes.extend_from_slice(bytes);
            }
        }
        self.len = end;
    }

    /// Writes bytes; fast if they are few.
    #[inline(always)]
    pub(crate) fn few(&mut self, bytes: &[u8]) {
        match words(bytes) {
            Some(words) => self.short(b"", bytes.len(), words),
            None => self.slice(bytes),
        }
    }

    /// Writes up to 8 bytes, then `len` bytes of [`words`], in one piece.
    #[inline(always)]
    pub(crate) fn short<const N: usize>(&mut self, before: &[u8; N], len: usize, words: [u64; 3]) {
        self.piece::<32>(len.saturating_add(N), |space| {
            let Some((start, space)) = space.split_first_chunk_mut() else { return };
            *start = *before;
            // One store for each word.
            if let ([first, second, third, ..], _) = space.as_chunks_mut::<8>() {
                [*first, *second, *third] = words.map(u64::to_le_bytes);
            }
        });
    }

    /// Writes the end of a line and the indentation of a depth. The indentation is limited: that of a deeply nested
    /// document would otherwise grow with the square of its depth.
    pub(crate) fn line(&mut self, indent: &Indent, depth: usize) {
        self.slice(&indent.line);
        for _ in 0..depth.min(MAX_INDENTED) {
            self.slice(&indent.unit);
        }
    }

    /// Calls a function that appends to a vector.
    pub(crate) fn vec<T>(&mut self, append: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.bytes.truncate(self.len);
        let result = append(&mut self.bytes);
        self.len = self.bytes.len();
        result
    }

    /// Removes the last byte.
    pub(crate) fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    /// The written bytes from an offset on, to change them.
    pub(crate) fn written_mut(&mut self, at: usize) -> &mut [u8] {
        self.bytes.get_mut(at..self.len).unwrap_or_default()
    }
}
