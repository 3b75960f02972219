//! The envelope of a file: a header, a preview, and chunks, which may be one compressed stream.
//!
//! | size | what |
//! |---|---|
//! | 4 | `3DMO` |
//! | 4 | size of the file |
//! | | chunk `PRVW`, a PNG image, if there is one; never compressed |
//! | | the payload, which begins with `HEAD`, as it is or as a zlib stream |
//!
//! | size | chunk |
//! |---|---|
//! | 4 | tag |
//! | 4 | size of the chunk, including these eight bytes |
//!
//! `OMD3` ends the payload and has no size.

use std::borrow::Cow;
use std::ops::Range;

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::consts::Tag;
use geom::wire::zlib::{Broken, Inflater};
use geom::wire::{At, Budget, Error, ErrorKind, Fail, Parsed, Result, after, finish, magic, taken};

/// The part before the payload, and the payload as stored in the file.
#[derive(Debug)]
pub(crate) struct Envelope<'a> {
    pub(crate) stated: u32,
    pub(crate) preview: Option<&'a [u8]>,
    pub(crate) body: &'a [u8],
}

impl<'a> Envelope<'a> {
    pub(crate) fn is_raw(&self) -> bool {
        self.body.starts_with(&Tag::HEAD.0)
    }

    /// The payload, inflated if it is compressed, and the bytes after the compressed stream.
    pub(crate) fn payload(&self, whole: &'a [u8], budget: &mut Budget) -> Result<(Cow<'a, [u8]>, &'a [u8])> {
        if self.is_raw() {
            return Ok((Cow::Borrowed(self.body), &[]));
        }
        let mut inflater = Inflater::default();
        let inflated = inflater.inflate(self.body, budget).map(|(used, _)| (after(self.body, used), ()));
        let inflated = inflated.map_err(|Broken { kind, used, written }| match self.body {
            // The low four bits of the first byte are the compression method.
            [first, ..] if written == 0 && first & 15 != 8 => {
                let found = self.body.get(..4).unwrap_or(self.body).escape_ascii();
                let what = format!("expected the header (HEAD) or a zlib stream, found \"{found}\"");
                Fail::invalid(self.body, what)
            }
            body => Fail::new(after(body, used), kind),
        });
        let (rest, ()) = finish(whole, inflated.field("payload"))?;
        Ok((Cow::Owned(inflater.into_inflated(budget)), rest))
    }
}

pub(crate) fn read_envelope(start: &[u8]) -> Parsed<'_, Envelope<'_>> {
    if crate::ascii::detect(start) {
        return Err(Fail::unsupported(
            start,
            "text file: expected a binary Model 3D file, which begins with \"3DMO\"",
        ));
    }
    let (input, ()) = magic(
        start,
        &Tag::FILE.0,
        "not a Model 3D file: expected \"3DMO\" (binary) or \"3dmodel\" (text) at the start",
    )
    .field("magic")?;
    let (mut input, stated) = context("size", le_u32).parse(input)?;
    let mut preview = None;
    if input.starts_with(&Tag::PREVIEW.0) {
        let (rest, (_, data)) = read_chunk(input).field("preview")?;
        (input, preview) = (rest, Some(data));
    }
    let (end, body) = take(input.len())(input)?;
    Ok((end, Envelope { stated, preview, body }))
}

pub(crate) fn read_chunk(start: &[u8]) -> Parsed<'_, (Tag, &[u8])> {
    let Some((&tag, input)) = start.split_first_chunk() else {
        return Err(Fail::end(start)).field("tag");
    };
    let tag = Tag(tag);
    let (input, size) = le_u32(input).field("size").named(|| tag.to_string())?;
    let too_small =
        || Fail::invalid(start, format!("expected a chunk size of at least 8 bytes, found {size}"));
    let len = size.checked_sub(8).ok_or_else(too_small).field("size").named(|| tag.to_string())?;
    let (rest, data) = take(len)(input).named(|| tag.to_string())?;
    Ok((rest, (tag, data)))
}

/// The bytes after the end of the payload, if it ends here.
pub(crate) fn end(input: &[u8]) -> Option<&[u8]> {
    input.strip_prefix(&Tag::END.0)
}

/// The content of the first chunk with a tag; `None` if no chunk has it, or if a chunk before it is malformed.
pub(crate) fn find(mut input: &[u8], tag: Tag) -> Option<&[u8]> {
    while end(input).is_none() {
        let (rest, (found, data)) = read_chunk(input).ok()?;
        if found == tag {
            return Some(data);
        }
        input = rest;
    }
    None
}

/// A chunk of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk<'a> {
    /// Its tag.
    pub tag: Tag,
    /// Its range in the payload, including its tag and size.
    pub range: Range<usize>,
    /// Its content, after its tag and size.
    pub payload: &'a [u8],
}

/// An iterator over the chunks of a payload; [`chunks`](crate::chunks) makes it.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    payload: &'a [u8],
    at: usize,
}

impl<'a> Chunks<'a> {
    pub(crate) fn new(payload: &'a [u8]) -> Result<Self> {
        if !payload.starts_with(&Tag::FILE.0) {
            return Ok(Self { payload, at: 0 });
        }
        if let Ok((_, envelope)) = read_envelope(payload)
            && !envelope.is_raw()
        {
            let kind =
                ErrorKind::Unsupported("compressed chunks (decompress them with `m3d::payload`)".into());
            return Err(Error::new(kind, "payload").at(8));
        }
        // A whole file has eight more bytes before the first chunk.
        Ok(Self { payload, at: 8 })
    }

    fn read(&self, rest: &'a [u8]) -> Result<Chunk<'a>> {
        let (after, (tag, payload)) = match end(rest) {
            Some(after) => (after, (Tag::END, &[][..])),
            None => finish(self.payload, read_chunk(rest))?,
        };
        Ok(Chunk { tag, range: self.at..taken(self.payload, after).len(), payload })
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.payload.get(self.at..).filter(|rest| !rest.is_empty())?;
        let next = self.read(rest);
        self.at = match &next {
            Ok(chunk) if chunk.tag != Tag::END => chunk.range.end,
            _ => self.payload.len(),
        };
        Some(next)
    }
}
