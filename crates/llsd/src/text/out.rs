//! Bytes that are being written.

use crate::text::short::words;

/// Space is filled with zeros ahead in steps up to this.
const STEP: usize = 4096;

/// Levels after this one are not indented further.
const MAX_INDENTED: usize = 40;

/// The indentation of a document with one entry per line.
#[derive(Clone, Debug)]
pub(crate) struct Indent {
    /// The end of a line, and what every line begins with.
    pub(crate) line: Vec<u8>,
    /// The text of each level.
    pub(crate) unit: Vec<u8>,
}

impl Default for Indent {
    fn default() -> Self {
        Self { line: b"\n".to_vec(), unit: b"  ".to_vec() }
    }
}

/// Bytes, with space after them that is filled with zeros already: most of what is written are pieces of
/// a few bytes, and each of them is one store of a known size, whether all of it is used or not.
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

    /// A piece of at most `N` bytes: `fill` gets space for `N`, of which the first `used` are kept.
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
            // Powers of two: the space ahead would otherwise shift them upwards each time.
            let space = wanted.checked_next_power_of_two().unwrap_or(wanted);
            self.bytes.reserve_exact(space.saturating_sub(self.bytes.len()));
        }
        self.bytes.resize(wanted, 0);
    }

    /// As many bytes as are known when this is compiled.
    #[inline(always)]
    pub(crate) fn all<const N: usize>(&mut self, bytes: &[u8; N]) {
        self.piece(N, |space| *space = *bytes);
    }

    /// One byte, if at all.
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

    /// Bytes, mostly few of them.
    #[inline(always)]
    pub(crate) fn few(&mut self, bytes: &[u8]) {
        match words(bytes) {
            Some(words) => self.short(b"", bytes.len(), words),
            None => self.slice(bytes),
        }
    }

    /// Up to 8 bytes and after them those of [`words`], in one piece.
    #[inline(always)]
    pub(crate) fn short<const N: usize>(&mut self, before: &[u8; N], len: usize, words: [u64; 3]) {
        self.piece::<32>(len.saturating_add(N), |space| {
            let Some((start, space)) = space.split_first_chunk_mut() else { return };
            *start = *before;
            // Each in a store of its own.
            if let ([first, second, third, ..], _) = space.as_chunks_mut::<8>() {
                [*first, *second, *third] = words.map(u64::to_le_bytes);
            }
        });
    }

    /// The end of a line and the indentation of a depth, which is bounded: the lines of a deeply nested
    /// document would otherwise take the square of its depth.
    pub(crate) fn line(&mut self, indent: &Indent, depth: usize) {
        self.slice(&indent.line);
        for _ in 0..depth.min(MAX_INDENTED) {
            self.slice(&indent.unit);
        }
    }

    /// A writer that appends to a vector.
    pub(crate) fn vec<T>(&mut self, append: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.bytes.truncate(self.len);
        let result = append(&mut self.bytes);
        self.len = self.bytes.len();
        result
    }

    /// Takes the last byte back.
    pub(crate) fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    /// Bytes that were written already.
    pub(crate) fn written_mut(&mut self, at: usize) -> &mut [u8] {
        self.bytes.get_mut(at..self.len).unwrap_or_default()
    }
}
