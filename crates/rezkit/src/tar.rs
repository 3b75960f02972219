//! tar: the oldest form, which OpenSim writes, and those of POSIX and GNU.
//!
//! The magic `ustar` is optional: a block is a header if its checksum is right. Long names are entries of their own,
//! which OpenSim writes as GNU does, but under headers without a magic.

use std::borrow::Cow;

/// The size of a header, and the alignment of contents.
const BLOCK: usize = 512;

/// An entry, or the reason why the rest of the archive cannot be read.
#[derive(Debug)]
pub(crate) struct Entry<'b> {
    /// The path.
    pub(crate) name: Cow<'b, [u8]>,
    /// What the entry is.
    pub(crate) kind: EntryKind,
    /// The content, if the archive has all of it.
    pub(crate) content: Option<&'b [u8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Folder,
    /// A link or a device.
    Other,
}

/// The entries of an archive, up to the first error.
#[derive(Debug)]
pub(crate) struct Entries<'b> {
    rest: &'b [u8],
    /// Whether the last content was not filled up to a whole block.
    is_cut: bool,
}

impl<'b> Iterator for Entries<'b> {
    type Item = Result<Entry<'b>, &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.entry().transpose()?;
        // Nothing is known of what follows an error.
        if entry.as_ref().map_or(true, |entry| entry.content.is_none()) {
            (self.rest, self.is_cut) = (&[], false);
        }
        Some(entry)
    }
}

impl<'b> Entries<'b> {
    /// The entries of an archive.
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes, is_cut: false }
    }

    /// The next entry; `None` at the end, which is a block of zeros or the end of the bytes.
    fn entry(&mut self) -> Result<Option<Entry<'b>>, &'static str> {
        let (mut long, mut extended) = (None, Extended::default());
        loop {
            let Some(header) = self.header()? else {
                let is_whole = long.is_none() && extended == Extended::default();
                return if is_whole { Ok(None) } else { Err("it ends after a long name") };
            };
            let kind = header[156];
            let size = match (kind, extended.size) {
                (b'L' | b'K' | b'x' | b'g', _) | (_, None) => {
                    number(&header[124..136]).ok_or("the size of an entry is not a number")?
                }
                (_, Some(size)) => size,
            };
            let content = usize::try_from(size).ok().and_then(|size| self.rest.split_at_checked(size));
            if let Some((content, rest)) = content {
                let padding = content.len().next_multiple_of(BLOCK) - content.len();
                self.rest = rest.get(padding..).unwrap_or_default();
                self.is_cut = rest.len() < padding;
            }
            let content = content.map(|(content, _)| content);
            match kind {
                b'L' => long = Some(text(content.ok_or("it ends within a long name")?)),
                b'x' => extended.read(content.ok_or("it ends within a long name")?),
                // The target of a link, which is not followed, and notes about the whole archive.
                b'K' | b'g' => _ = content.ok_or("it ends within a long name")?,
                _ => {
                    let name = extended.path.map(Cow::Borrowed).or(long.map(Cow::Borrowed));
                    let name = name.unwrap_or_else(|| short_name(header));
                    // The oldest form has no other mark of a folder.
                    let is_folder = kind == b'5' || name.ends_with(b"/") && size == 0;
                    let kind = match kind {
                        _ if is_folder => EntryKind::Folder,
                        0 | b'0' | b'7' => EntryKind::File,
                        _ => EntryKind::Other,
                    };
                    return Ok(Some(Entry { name, kind, content }));
                }
            }
        }
    }

    /// The next block, if it is a header.
    fn header(&mut self) -> Result<Option<&'b [u8; BLOCK]>, &'static str> {
        let Some((header, rest)) = self.rest.split_first_chunk::<BLOCK>() else {
            let is_end = !self.is_cut && self.rest.iter().all(|byte| *byte == 0);
            return if is_end { Ok(None) } else { Err("it ends within the header of an entry") };
        };
        self.rest = rest;
        match header.iter().all(|byte| *byte == 0) {
            true => Ok(None),
            false if is_header(header) => Ok(Some(header)),
            false => Err("the header of an entry has a wrong checksum"),
        }
    }
}

/// Whether bytes begin with the header of a tar archive.
pub(crate) fn is_tar(bytes: &[u8]) -> bool {
    bytes.first_chunk().is_some_and(is_header)
}

/// Whether a block has its checksum: the sum of its bytes, with the checksum itself taken as spaces. Some old programs
/// add signed bytes.
fn is_header(block: &[u8; BLOCK]) -> bool {
    let (before, others) = block.split_at(148);
    let (stored, after) = others.split_at(8);
    let bytes = || before.iter().chain(after).copied();
    let unsigned: i64 = 8 * 32 + bytes().map(i64::from).sum::<i64>();
    let signed: i64 = 8 * 32 + bytes().map(|byte| i64::from(byte as i8)).sum::<i64>();
    let stored = number(stored).and_then(|stored| i64::try_from(stored).ok());
    stored.is_some_and(|stored| stored == unsigned || stored == signed)
}

/// A number of a header: octal digits, or a binary number after a byte 0x80.
fn number(field: &[u8]) -> Option<u64> {
    let is_blank = |byte: &u8| matches!(byte, 0 | b' ');
    if let Some((0x80, binary)) = field.split_first() {
        return binary
            .iter()
            .try_fold(0_u64, |number, byte| number.checked_mul(256)?.checked_add(u64::from(*byte)));
    }
    let start = field.iter().position(|byte| !is_blank(byte))?;
    let digits = field[start..].split(is_blank).next()?;
    digits.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 8)?;
        number.checked_mul(8)?.checked_add(u64::from(digit))
    })
}

/// The bytes before the first zero, if there is one.
fn text(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The name in a header; that of POSIX has its first part in another field.
fn short_name(header: &[u8; BLOCK]) -> Cow<'_, [u8]> {
    let name = text(&header[..100]);
    match text(&header[345..500]) {
        prefix if header[257..263] == *b"ustar\0" && !prefix.is_empty() => {
            [prefix, b"/", name].concat().into()
        }
        _ => name.into(),
    }
}

/// What POSIX states about the next entry, in lines of `LENGTH NAME=VALUE`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Extended<'b> {
    path: Option<&'b [u8]>,
    size: Option<u64>,
}

impl<'b> Extended<'b> {
    fn read(&mut self, mut lines: &'b [u8]) {
        while let Some(blank) = lines.iter().position(|byte| *byte == b' ') {
            let length = str::from_utf8(&lines[..blank]).ok().and_then(|length| length.parse().ok());
            let Some((line, rest)) = length.and_then(|length| lines.split_at_checked(length)) else { return };
            lines = rest;
            let line = line.get(blank + 1..).unwrap_or_default();
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            if let Some(path) = line.strip_prefix(b"path=") {
                self.path = Some(path);
            } else if let Some(size) = line.strip_prefix(b"size=") {
                self.size = str::from_utf8(size).ok().and_then(|size| size.parse().ok());
            }
        }
    }
}
