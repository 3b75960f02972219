//! The text that the parser gets, and the way back from it to the file.
//!
//! Most files are the text. What XML 1.0 does not allow, though old files hold it, is put as
//! characters that it does allow: control characters, bytes of no UTF-8 and references to the former
//! become characters of a private block that the text does not use, and come back as bytes.

use std::borrow::Cow;
use std::ops::Range;

use bstr::ByteSlice as _;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::model::Text;
use crate::wire::cx::more;
use crate::wire::out::find;
use crate::wire::xml::{code, is_forbidden};

/// A file and the text that stands for it.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// The file.
    pub(crate) file: &'a [u8],
    pub(crate) text: Cow<'a, str>,
    /// Where text and file part: behind each place of the text, the place of the file.
    steps: Vec<(usize, usize)>,
    /// The first character of the private block, where there is one.
    block: Option<u32>,
}

/// Private characters stand for bytes in blocks of this many.
const BLOCK: u32 = 256;
/// The planes for private use.
const PRIVATE: Range<u32> = 0xf_0000..0x11_0000;

impl<'a> Source<'a> {
    /// The file as it is, where it is UTF-8 of characters that XML allows.
    pub(crate) fn plain(file: &'a [u8]) -> Option<Self> {
        if has_illegal(file) {
            return None;
        }
        let text = std::str::from_utf8(file).ok()?;
        // A byte order mark is the parser's matter, and counts as part of the text.
        Some(Self { file, text: Cow::Borrowed(text), steps: Vec::new(), block: None })
    }

    /// The file with everything put right that can be.
    fn cured(file: &'a [u8], budget: &mut Budget) -> Result<Self> {
        if file.starts_with(b"\xff\xfe") || file.starts_with(b"\xfe\xff") {
            return Err(Error::new(ErrorKind::Unsupported("text in UTF-16".into()), "").at(0, None));
        }
        let block = free_block(file);
        let block = block.ok_or_else(|| {
            let what = "text that uses every private character, and forbidden ones besides";
            Error::new(ErrorKind::Unsupported(what.into()), "")
        })?;
        let limit = |kind| Error::new(kind, "");
        budget.take(file.len() as u64).map_err(limit)?;
        let mut cure = Curing { file, text: String::with_capacity(file.len()), steps: Vec::new(), block };
        cure.run(budget).map_err(limit)?;
        let Curing { text, steps, .. } = cure;
        Ok(Self { file, text: Cow::Owned(text), steps, block: Some(block) })
    }

    /// The place in the file of a place in the text.
    #[inline]
    pub(crate) fn place(&self, at: usize) -> usize {
        if self.steps.is_empty() {
            return at.min(self.file.len());
        }
        let step = self.steps.partition_point(|&(text, _)| text <= at).checked_sub(1);
        let (text, file) = step.and_then(|step| self.steps.get(step)).copied().unwrap_or_default();
        file.saturating_add(at.saturating_sub(text)).min(self.file.len())
    }

    #[inline]
    pub(crate) fn range(&self, range: Range<usize>) -> Range<usize> {
        self.place(range.start)..self.place(range.end)
    }

    /// A piece of the file.
    #[inline]
    pub(crate) fn slice(&self, range: Range<usize>) -> &'a [u8] {
        self.file.get(range).unwrap_or_default()
    }

    /// The bytes that a piece of the text stands for.
    #[inline]
    pub(crate) fn bytes<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        let Some(block) = self.block else { return Cow::Borrowed(text.as_bytes()) };
        let byte = |character: char| {
            u32::from(character).checked_sub(block).and_then(|byte| u8::try_from(byte).ok())
        };
        if !text.chars().any(|character| byte(character).is_some()) {
            return Cow::Borrowed(text.as_bytes());
        }
        let mut bytes = Vec::with_capacity(text.len());
        for character in text.chars() {
            match byte(character) {
                Some(byte) => bytes.push(byte),
                None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        Cow::Owned(bytes)
    }

    /// The same as a person may see it.
    pub(crate) fn shown(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text)).into_owned()
    }

    /// The same as a value.
    #[inline]
    pub(crate) fn value(&self, text: &str) -> Text {
        self.bytes(text).as_ref().into()
    }
}

/// How a try to read a file ended.
pub(crate) enum Outcome<T> {
    Done(T),
    /// It might be readable with what XML does not allow put as something else.
    Curable(Error),
}

/// Reads the file as it is, and where that might help, with what is not allowed put right.
pub(crate) fn with_cure<T>(
    file: &[u8],
    max_bytes: u64,
    read: impl Fn(&Source<'_>, Budget) -> Result<Outcome<T>>,
) -> Result<T> {
    let mut budget = Budget::new(max_bytes);
    if let Some(source) = Source::plain(file)
        && let Outcome::Done(done) = read(&source, budget.clone())?
    {
        return Ok(done);
    }
    let source = Source::cured(file, &mut budget)?;
    match read(&source, budget)? {
        Outcome::Done(done) => Ok(done),
        Outcome::Curable(error) => Err(error),
    }
}

/// Whether a file holds characters that XML does not allow. Bytes that are no UTF-8 are not seen.
fn has_illegal(file: &[u8]) -> bool {
    let control = |&byte: &u8| (byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r');
    // Without a way out of each piece, many bytes are looked at in one step.
    let controls = |piece: &[u8]| piece.iter().fold(false, |any, byte| any | control(byte));
    file.chunks(4096).any(controls)
        || file.find(b"\xef\xbf\xbe").or_else(|| file.find(b"\xef\xbf\xbf")).is_some()
}

/// The first block of private characters of which the file uses none.
fn free_block(file: &[u8]) -> Option<u32> {
    let mut used = [false; 512];
    let mut see = |code: u32| {
        let block = code.saturating_sub(PRIVATE.start) / BLOCK;
        if let Some(used) = used.get_mut(block as usize).filter(|_| PRIVATE.contains(&code)) {
            *used = true;
        }
    };
    // Private characters begin with f3 or f4, as all of four bytes with large numbers do.
    for at in file.find_iter(b"\xf3").chain(file.find_iter(b"\xf4")) {
        let bytes = file.get(at..at.saturating_add(4)).unwrap_or_default();
        if let Some(character) = std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next()) {
            see(u32::from(character));
        }
    }
    for at in file.find_iter(b"&#") {
        if let Some((_, Some(code))) = reference(file.get(at..).unwrap_or_default()) {
            see(code);
        }
    }
    // The last block ends with two characters that XML allows and others may not.
    let free = used.iter().position(|&used| !used)?;
    PRIVATE.clone().step_by(BLOCK as usize).nth(free)
}

/// The name in the reference at the front, and its number if it is one by number; `None` where none
/// stands here.
fn reference(text: &[u8]) -> Option<(&str, Option<u32>)> {
    let text = text.strip_prefix(b"&")?;
    let sign = usize::from(text.first() == Some(&b'#'));
    let name = text.get(sign..)?;
    let len = name.iter().position(|byte| !byte.is_ascii_alphanumeric())?.saturating_add(sign);
    let name = std::str::from_utf8(text.get(..len)?).ok().filter(|_| text.get(len) == Some(&b';'))?;
    match sign {
        0 => (1..=10).contains(&len).then_some((name, None)),
        _ => Some((name, Some(code(name)?))),
    }
}

struct Curing<'a> {
    file: &'a [u8],
    text: String,
    steps: Vec<(usize, usize)>,
    block: u32,
}

impl Curing<'_> {
    fn rest(&self, at: usize) -> &[u8] {
        self.file.get(at..).unwrap_or_default()
    }

    /// From here on, the text stands for the file at this place.
    fn step(&mut self, file: usize, budget: &mut Budget) -> std::result::Result<(), ErrorKind> {
        let at = self.text.len();
        match self.steps.last_mut() {
            Some(step) if step.0 == at => step.1 = file,
            // Both went on by as much.
            Some(step) if at.checked_sub(step.0) == file.checked_sub(step.1) => {}
            _ => {
                // What was put in is longer than what it stands for: it grows as the steps do.
                if self.steps.len() == self.steps.capacity() {
                    budget.take(self.steps.len().saturating_mul(8) as u64)?;
                }
                more(&mut self.steps, budget)?;
                self.steps.push((at, file));
            }
        }
        Ok(())
    }

    fn private(&mut self, byte: u8) {
        self.text.push(char::from_u32(self.block.saturating_add(u32::from(byte))).unwrap_or('?'));
    }

    /// Goes through the file once: markup as it is, and what stands in it and between put right.
    fn run(&mut self, budget: &mut Budget) -> std::result::Result<(), ErrorKind> {
        let mut at = self.skip_front();
        self.step(at, budget)?;
        let mut depth = 0_usize;
        while at < self.file.len() {
            let rest = self.rest(at);
            let (end, change): (usize, isize) = if rest.starts_with(b"<!--") {
                (until(rest, 4, b"-->"), 0)
            } else if rest.starts_with(b"<![CDATA[") {
                (until(rest, 9, b"]]>"), 0)
            } else if rest.starts_with(b"<?") {
                (until(rest, 2, b"?>"), 0)
            } else if rest.starts_with(b"<") {
                let end = tag_end(rest);
                let closed = rest.get(..end).is_some_and(|tag| tag.ends_with(b"/>"));
                (end, if rest.starts_with(b"</") { -1 } else { isize::from(!closed) })
            } else {
                (rest.find_byte(b'<').unwrap_or(rest.len()), 0)
            };
            let next = at.saturating_add(end.max(1));
            let is_tag = rest.starts_with(b"<") && !rest.starts_with(b"<!") && !rest.starts_with(b"<?");
            let references = is_tag || !rest.starts_with(b"<");
            self.piece(at, next, references, budget)?;
            at = next;
            depth = depth.saturating_add_signed(change);
            // Behind the root there is nothing that a parser needs to see.
            if is_tag && depth == 0 {
                break;
            }
        }
        Ok(())
    }

    /// What may stand in front of a declaration, which wants to be the first.
    fn skip_front(&self) -> usize {
        let front = self.file.find_byte(b'<').unwrap_or(0);
        match self.rest(front).starts_with(b"<?xml") {
            true => front,
            false => 0,
        }
    }

    /// Copies a piece, putting what is not allowed as what is.
    fn piece(
        &mut self,
        mut at: usize,
        end: usize,
        references: bool,
        budget: &mut Budget,
    ) -> std::result::Result<(), ErrorKind> {
        while at < end {
            let piece = self.file.get(at..end).unwrap_or_default();
            let plain = piece.iter().position(|&byte| {
                byte >= 0x80 || (byte < 0x20 && !b"\t\n\r".contains(&byte)) || (references && byte == b'&')
            });
            let plain = plain.unwrap_or(piece.len());
            // Only ASCII: it is UTF-8.
            self.text
                .push_str(std::str::from_utf8(piece.get(..plain).unwrap_or_default()).unwrap_or_default());
            at = at.saturating_add(plain);
            let piece = piece.get(plain..).unwrap_or_default();
            let Some(&byte) = piece.first() else { break };
            let used = match byte {
                b'&' => self.reference(piece),
                0x80.. => self.beyond_ascii(piece),
                _ => {
                    self.private(byte);
                    1
                }
            };
            at = at.saturating_add(used);
            self.step(at, budget)?;
        }
        Ok(())
    }

    /// A reference to a character that XML does not allow, or a sign that begins no reference.
    fn reference(&mut self, piece: &[u8]) -> usize {
        let Some((name, code)) = reference(piece) else {
            self.text.push_str("&amp;");
            return 1;
        };
        match code {
            Some(code) if is_forbidden(code) => {
                let character = char::from_u32(code).unwrap_or_default();
                for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
                    self.private(byte);
                }
            }
            // Good, or for the parser to refuse.
            _ => {
                self.text.push('&');
                self.text.push_str(name);
                self.text.push(';');
            }
        }
        name.len().saturating_add(2)
    }

    /// A character of several bytes, or a byte of none.
    fn beyond_ascii(&mut self, piece: &[u8]) -> usize {
        let (character, len) = bstr::decode_utf8(piece);
        match character {
            Some(character) if !is_forbidden(u32::from(character)) => self.text.push(character),
            _ => {
                for &byte in piece.get(..len).unwrap_or_default() {
                    self.private(byte);
                }
            }
        }
        len.max(1)
    }
}

/// The length up to and with an ending that stands behind so many bytes; all, where it does not come.
fn until(text: &[u8], begin: usize, ending: &[u8]) -> usize {
    let found = find(text.get(begin..).unwrap_or_default(), ending);
    found.map_or(text.len(), |at| begin.saturating_add(at).saturating_add(ending.len()))
}

/// The length of a tag: up to the sign that ends it outside of quotes.
pub(crate) fn tag_end(tag: &[u8]) -> usize {
    let mut quote = None;
    for (at, &byte) in tag.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at.saturating_add(1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    tag.len()
}
