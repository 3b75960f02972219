//! Reads frames.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::consts::{FIRST_OFFSETS, KINDS, MAX_BLOCK};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{BlockHead, BlockKind, Header, number, skippable};
use crate::fse::Shares;
use crate::sequences::{self, Batch, Literals, Section};
use crate::table::{FORMAT, Table};
use crate::unhuff::Huffman;
use crate::xxhash::xxh64;

/// Reads frames. The memory, at most about 160 kB in addition to the content, is reused for the next frame.
#[derive(Clone, Debug)]
pub struct Decoder {
    tables: Box<Tables>,
    literals: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Tables {
    huffman: Huffman,
    weights: Table,
    sequences: [Table; 3],
    batch: Batch,
}

/// The state that a block can take over from the previous one.
struct State {
    has_huffman: bool,
    /// For each part of a sequence, whether its last table was defined in a block (or else predefined); `None` if there
    /// was no table yet.
    own: [Option<bool>; 3],
    offsets: [u32; 3],
}

/// The output of the decoder.
trait Output {
    /// The whole output, with space for `more` bytes after the first `at`, or for fewer if a limit does not allow more.
    fn space(&mut self, at: usize, more: usize) -> &mut [u8];
}

impl Output for &mut [u8] {
    fn space(&mut self, _: usize, _: usize) -> &mut [u8] {
        self
    }
}

/// A vector of at most `end` bytes.
struct Growing<'a> {
    bytes: &'a mut Vec<u8>,
    end: usize,
}

impl Output for Growing<'_> {
    fn space(&mut self, at: usize, more: usize) -> &mut [u8] {
        // Saturating, since no length beyond memory is below the limit.
        let wanted = at.saturating_add(more).min(self.end);
        if wanted > self.bytes.len() {
            // The capacity doubles each time, up to the limit.
            let capacity = wanted.max(self.bytes.capacity().saturating_mul(2).min(self.end));
            if wanted > self.bytes.capacity() {
                self.bytes.reserve_exact(capacity - self.bytes.len());
            }
            self.bytes.resize(wanted, 0);
        }
        self.bytes
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// A decoder that can read any number of frames.
    pub fn new() -> Self {
        let sequences = [Table::EMPTY; 3];
        let tables =
            Tables { huffman: Huffman::EMPTY, weights: Table::EMPTY, sequences, batch: Batch::EMPTY };
        Self { tables: Box::new(tables), literals: Vec::new() }
    }

    /// Appends the content of all frames, at most `max` bytes, to `out`; returns its size. Memory is limited
    /// by the size of the input and by `max`, whatever size a frame declares. Skippable frames have no content.
    ///
    /// # Errors
    /// If the input has anything but zstd frames, if a frame breaks the format, needs a dictionary or has a wrong
    /// checksum, and if the content is longer than `max`. `out` is then unchanged.
    pub fn decode(&mut self, bytes: &[u8], max: usize, out: &mut Vec<u8>) -> Result<usize> {
        let start = out.len();
        // Saturating, since a limit beyond all memory has no effect.
        let mut growing = Growing { end: start.saturating_add(max), bytes: out };
        let result = self.frames(bytes, &mut growing, start);
        let end = result.as_ref().map_or(start, |end| *end);
        out.truncate(end);
        allowed(result.map(|end| end - start), max)
    }

    /// Writes the content of all frames to the start of `out`; returns its size. The bytes of `out` after the
    /// content are unspecified.
    ///
    /// # Errors
    /// As [`Decoder::decode`], with the length of `out` as the limit.
    pub fn decode_into(&mut self, bytes: &[u8], mut out: &mut [u8]) -> Result<usize> {
        let max = out.len();
        allowed(self.frames(bytes, &mut out, 0), max)
    }

    fn frames(&mut self, bytes: &[u8], out: &mut impl Output, mut to: usize) -> Result<usize> {
        let mut at = 0;
        while at < bytes.len() || at == 0 {
            match skippable(bytes, at)? {
                Some(end) => at = end,
                None => (at, to) = self.frame(bytes, at, out, to)?,
            }
        }
        Ok(to)
    }

    /// Reads a frame; returns its end in `bytes`, and the end of its content in `out`.
    fn frame(
        &mut self,
        bytes: &[u8],
        start: usize,
        out: &mut impl Output,
        content: usize,
    ) -> Result<(usize, usize)> {
        let header = Header::read_at(bytes, start)?;
        if header.dictionary != 0 {
            return Err(Error::new(ErrorKind::Dictionary(header.dictionary), start));
        }
        let mut at = start + header.len;
        let declared = header.content_size.unwrap_or(u64::MAX);
        out.space(content, header.space(bytes.len() - at));
        let mut state = State { has_huffman: false, own: [None; 3], offsets: FIRST_OFFSETS };
        let mut to = content;
        loop {
            let head = BlockHead::read(bytes, at)?;
            at += BlockHead::LEN;
            let all = out.space(to, if head.kind == BlockKind::Coded { MAX_BLOCK } else { head.size });
            let out = &mut all[content..];
            let too_long = Error::new(ErrorKind::TooLong(out.len()), at);
            let begun = to - content;
            let stored = if head.kind == BlockKind::Repeated { 1 } else { head.size };
            let end = at + stored;
            let Some(data) = bytes.get(at..end) else {
                return Err(Error::new(ErrorKind::UnexpectedEnd, bytes.len()));
            };
            let ended = match head.kind {
                BlockKind::Raw => {
                    out.get_mut(begun..begun + head.size).ok_or(too_long)?.copy_from_slice(data);
                    begun + head.size
                }
                BlockKind::Repeated => {
                    out.get_mut(begun..begun + head.size).ok_or(too_long)?.fill(data[0]);
                    begun + head.size
                }
                BlockKind::Coded => {
                    // A block cannot be longer, even if there is space.
                    let limit = out.len().min(begun + MAX_BLOCK);
                    let ended = self.block(bytes, at, end, &mut state, &mut out[..limit], begun);
                    ended.map_err(|error| match error.kind() {
                        ErrorKind::TooLong(_) if limit - begun == MAX_BLOCK => {
                            Error::invalid("content of a block (it exceeds 131,072 bytes)", at)
                        }
                        _ => error,
                    })?
                }
            };
            (at, to) = (end, content + ended);
            if head.last || ended as u64 > declared {
                break;
            }
        }
        let len = (to - content) as u64;
        if let Some(declared) = header.content_size.filter(|size| *size != len) {
            return Err(Error::new(ErrorKind::Length { declared, found: len }, start));
        }
        if header.checksum {
            let expected = number(bytes, at, 4)? as u32;
            let found = xxh64(&out.space(to, 0)[content..to]) as u32;
            if found != expected {
                return Err(Error::new(ErrorKind::Checksum { expected, found }, at));
            }
            at += 4;
        }
        Ok((at, to))
    }

    /// Reads a block of literals and sequences; returns the end of its content in `out`, which begins with the content
    /// of the frame.
    fn block(
        &mut self,
        bytes: &[u8],
        start: usize,
        end: usize,
        state: &mut State,
        out: &mut [u8],
        to: usize,
    ) -> Result<usize> {
        let bytes = &bytes[..end];
        let (literals, at) = Self::literals(&mut self.tables, &mut self.literals, bytes, start, state)?;
        let first = number(bytes, at, 1)? as usize;
        let (count, mut at) = match first {
            0..128 => (first, at + 1),
            128..255 => (((first - 128) << 8) + number(bytes, at + 1, 1)? as usize, at + 2),
            _ => (0x7f00 + number(bytes, at + 1, 2)? as usize, at + 3),
        };
        if count == 0 {
            if at != end {
                return Err(Error::invalid("block (it has no sequences, but bytes follow its literals)", at));
            }
            let too_long = Error::new(ErrorKind::TooLong(out.len()), at);
            return sequences::copy_rest(&literals, 0, out, to).ok_or(too_long);
        }
        let modes = number(bytes, at, 1)?;
        if modes & 3 != 0 {
            return Err(Error::invalid("compression modes of sequences (a reserved bit is set)", at));
        }
        at += 1;
        for (index, kind) in KINDS.iter().enumerate() {
            let table = &mut self.tables.sequences[index];
            let wrong = || Error::invalid("decoding table of sequences", at);
            match modes >> (6 - 2 * index) & 3 {
                0 => state.own[index] = Some(false),
                1 => {
                    let code = kind.codes.get(number(bytes, at, 1)? as usize).ok_or_else(wrong)?;
                    table.fill_one(*code);
                    state.own[index] = Some(true);
                    at += 1;
                }
                2 => {
                    // No bytes are left after the end; they are not a valid table.
                    let rest = bytes.get(at..).unwrap_or_default();
                    let (shares, len) =
                        Shares::read(rest, kind.codes.len(), kind.max_log).ok_or_else(wrong)?;
                    table.fill(kind.codes, shares.shares(), shares.log);
                    state.own[index] = Some(true);
                    at += len;
                }
                _ if state.own[index].is_none() => return Err(wrong()),
                _ => {}
            }
        }
        let Tables { sequences, batch, .. } = &mut *self.tables;
        let tables = core::array::from_fn(|index| match state.own[index] {
            Some(true) => &sequences[index],
            _ => &FORMAT[index],
        });
        let section = Section { bytes, start: at, count, tables };
        batch.run(section, &literals, &mut state.offsets, out, to)
    }

    /// Reads the literals of a block; returns them, and their end in `bytes`.
    fn literals<'a>(
        tables: &mut Tables,
        buffer: &'a mut Vec<u8>,
        bytes: &'a [u8],
        at: usize,
        state: &mut State,
    ) -> Result<(Literals<'a>, usize)> {
        let first = number(bytes, at, 1)?;
        let format = first >> 2 & 3;
        let kind = first & 3;
        let wrong = || Error::invalid("size of literals (it exceeds the block or 131,072 bytes)", at);
        if kind < 2 {
            let (head, shift) = [(1, 3), (2, 4), (1, 3), (3, 4)][format as usize];
            let len = (number(bytes, at, head)? >> shift) as usize;
            let start = at + head;
            let stored = if kind == 0 { len } else { 1 };
            let data = bytes.get(start..start + stored).ok_or_else(wrong)?;
            if len > MAX_BLOCK {
                return Err(wrong());
            }
            if kind == 0 {
                return Ok((Literals { bytes: &bytes[start..], len }, start + len));
            }
            buffer.clear();
            buffer.resize(len + sequences::STEP, data[0]);
            return Ok((Literals { bytes: buffer, len }, start + 1));
        }
        let (head, bits) = [(3, 10), (3, 10), (4, 14), (5, 18)][format as usize];
        let sizes = number(bytes, at, head)? >> 4;
        let len = (sizes & ((1 << bits) - 1)) as usize;
        let start = at + head;
        let end = start + (sizes >> bits) as usize;
        if end > bytes.len() || len > MAX_BLOCK {
            return Err(wrong());
        }
        let mut codes = start;
        if kind == 2 {
            codes = tables.huffman.read(bytes, start, end, &mut tables.weights)?;
            state.has_huffman = true;
        } else if !state.has_huffman {
            return Err(Error::invalid("literals (they reuse a Huffman table that no block defined)", at));
        }
        if buffer.len() < len + sequences::STEP {
            buffer.resize(len + sequences::STEP, 0);
        }
        let out = &mut buffer[..len];
        match format {
            0 => tables.huffman.one(bytes, codes, end, out)?,
            _ => tables.huffman.four(bytes, codes, end, out)?,
        }
        Ok((Literals { bytes: buffer, len }, end))
    }
}

/// Replaces the limit in the error by `max`, the limit of the caller.
fn allowed(result: Result<usize>, max: usize) -> Result<usize> {
    result.map_err(|error| match error.kind() {
        ErrorKind::TooLong(_) => Error::new(ErrorKind::TooLong(max), error.offset()),
        _ => error,
    })
}
