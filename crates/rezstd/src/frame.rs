//! The header of a frame, and the headers of its blocks.
//!
//! | bytes | what |
//! |---|---|
//! | u32 | magic, 28 b5 2f fd |
//! | u8 | bits 0 to 1: size of the dictionary's id; bit 2: a checksum follows; bit 5: one segment; bits 6 to 7: size of the content's size |
//! | 0 or 1 | the window, if there is more than one segment |
//! | 0, 1, 2 or 4 | the id of the dictionary |
//! | 0, 1, 2, 4 or 8 | the size of the content; minus 256 if stored in two bytes |
//! | 3 | per block: bit 0 whether it is the last, bits 1 to 2 the kind, the other bits the size |
//! | … | kind 0: the content as it is; 1: one byte to repeat size times; 2: literals and sequences |
//! | 0 or 4 | the checksum of the content |

use alloc::vec::Vec;

use crate::consts::{MAGIC, MAX_BLOCK, SKIPPABLE};
use crate::error::{Error, ErrorKind, Result};

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The size of the header, in bytes.
    pub len: usize,
    /// The declared size of the content, if any. The content may have another size.
    pub content_size: Option<u64>,
    /// The maximum distance of matches, in bytes.
    pub window_size: u64,
    /// Whether a checksum follows the content.
    pub checksum: bool,
    /// The id of the dictionary that the frame needs; 0 if it needs none.
    pub dictionary: u32,
}

/// The kind of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Raw = 0,
    Repeated = 1,
    Coded = 2,
}

/// The header of a block.
pub(crate) struct BlockHead {
    pub(crate) last: bool,
    pub(crate) kind: BlockKind,
    pub(crate) size: usize,
}

/// The little-endian number of `len` bytes at an offset.
pub(crate) fn number(bytes: &[u8], at: usize, len: usize) -> Result<u64> {
    let Some(bytes) = at.checked_add(len).and_then(|end| bytes.get(at..end)) else {
        return Err(Error::new(ErrorKind::UnexpectedEnd, bytes.len()));
    };
    let mut number = [0; 8];
    number.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    Ok(u64::from_le_bytes(number))
}

impl Header {
    /// Reads the header of the frame at the start of the input.
    ///
    /// # Errors
    /// [`ErrorKind::NotZstd`] if the input does not begin with the magic of a frame, and other errors if the header is
    /// truncated or malformed.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Self::read_at(bytes, 0)
    }

    pub(crate) fn read_at(bytes: &[u8], start: usize) -> Result<Self> {
        if bytes.get(start..).is_none_or(|bytes| !bytes.starts_with(&MAGIC)) {
            return Err(Error::new(ErrorKind::NotZstd, start));
        }
        let mut at = start + MAGIC.len();
        let mut take = |len: usize| {
            let value = number(bytes, at, len)?;
            at += len;
            Ok(value)
        };
        let descriptor = take(1)?;
        if descriptor & 8 != 0 {
            return Err(Error::invalid("frame header (a reserved bit is set)", start + MAGIC.len()));
        }
        let one_segment = descriptor & 0x20 != 0;
        let window = if one_segment { 0 } else { take(1)? };
        let dictionary = take([0, 1, 2, 4][(descriptor & 3) as usize])? as u32;
        let content_size = match descriptor >> 6 {
            0 if one_segment => Some(take(1)?),
            0 => None,
            1 => Some(take(2)? + 256),
            2 => Some(take(4)?),
            _ => Some(take(8)?),
        };
        let exact = 1_u64 << (10 + (window >> 3));
        let window_size = match content_size {
            Some(size) if one_segment => size,
            _ => exact + exact / 8 * (window & 7),
        };
        Ok(Self { len: at - start, content_size, window_size, checksum: descriptor & 4 != 0, dictionary })
    }

    /// The space for the content, of which `stored` bytes are left; 0 if no size is declared. The declared size is not
    /// trusted: a block has at most 128 KiB of content, and takes at least four bytes.
    pub(crate) fn space(&self, stored: usize) -> usize {
        let most = (stored / (BlockHead::LEN + 1)).saturating_add(1).saturating_mul(MAX_BLOCK);
        self.content_size.map_or(0, |size| usize::try_from(size).unwrap_or(usize::MAX).min(most))
    }

    /// Appends a header of a single segment with the size of the content.
    pub(crate) fn write(len: usize, checksum: bool, out: &mut Vec<u8>) {
        out.extend(MAGIC);
        let descriptor = if checksum { 0x24 } else { 0x20 };
        let len = len as u64;
        let (code, value, size) = match len {
            0..256 => (0, len, 1),
            256..0x1_0100 => (1, len - 256, 2),
            0x1_0100..0x1_0000_0000 => (2, len, 4),
            _ => (3, len, 8),
        };
        out.push(descriptor | code << 6);
        out.extend_from_slice(&value.to_le_bytes()[..size]);
    }
}

impl BlockHead {
    pub(crate) const LEN: usize = 3;

    pub(crate) fn read(bytes: &[u8], at: usize) -> Result<Self> {
        let head = number(bytes, at, Self::LEN)? as usize;
        let kind = match head >> 1 & 3 {
            0 => BlockKind::Raw,
            1 => BlockKind::Repeated,
            2 => BlockKind::Coded,
            _ => return Err(Error::invalid("block type (3 is reserved)", at)),
        };
        let size = head >> 3;
        if size > MAX_BLOCK {
            return Err(Error::invalid("block size (it exceeds 131,072 bytes)", at));
        }
        Ok(Self { last: head & 1 == 1, kind, size })
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let head = (self.size as u32) << 3 | (self.kind as u32) << 1 | u32::from(self.last);
        out.extend_from_slice(&head.to_le_bytes()[..Self::LEN]);
    }
}

/// The maximum size of what a [`Decoder`](crate::Decoder) makes of frames before it ends or fails, in bytes, from the
/// headers of the frames and their blocks. It takes much less time than decoding them.
pub fn max_content(bytes: &[u8]) -> u64 {
    let (mut at, mut all) = (0, 0_u64);
    while let Some((end, content)) = max_of_frame(bytes, at) {
        (at, all) = (end, all.saturating_add(content));
    }
    all
}

/// The end of the frame at an offset, and the maximum size of its content; `None` if there is no frame.
fn max_of_frame(bytes: &[u8], start: usize) -> Option<(usize, u64)> {
    if let Some(end) = skippable(bytes, start).ok()? {
        return Some((end, 0));
    }
    let header = Header::read_at(bytes, start).ok()?;
    let (mut at, mut content, mut last) = (start + header.len, 0_u64, false);
    let space = header.space(bytes.len() - at);
    while !last && let Ok(head) = BlockHead::read(bytes, at) {
        let (stored, most) = match head.kind {
            BlockKind::Raw => (head.size, head.size),
            BlockKind::Repeated => (1, head.size),
            BlockKind::Coded => (head.size, MAX_BLOCK),
        };
        content = content.saturating_add(most as u64);
        (at, last) = (at + BlockHead::LEN + stored, head.last);
    }
    // A block can exceed the declared size, but then it is the last that is decoded.
    let most = header.content_size.map_or(u64::MAX, |size| size.saturating_add(MAX_BLOCK as u64));
    let end = if header.checksum { at + 4 } else { at };
    Some((end, content.min(most).max(space as u64)))
}

/// The end of the skippable frame at an offset; `None` if there is another kind of frame.
pub(crate) fn skippable(bytes: &[u8], at: usize) -> Result<Option<usize>> {
    if number(bytes, at, 4).is_ok_and(|magic| magic >> 4 == SKIPPABLE.into()) {
        let len = number(bytes, at + 4, 4)?;
        let end = usize::try_from(len).ok().and_then(|len| (at + 8).checked_add(len));
        return match end.filter(|end| *end <= bytes.len()) {
            Some(end) => Ok(Some(end)),
            None => Err(Error::new(ErrorKind::UnexpectedEnd, bytes.len())),
        };
    }
    Ok(None)
}
