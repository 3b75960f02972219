//! The file: its header, a preview, and the payload, which may be one compressed stream.
//!
//! | size | what |
//! |---|---|
//! | 4 | `3DMO` |
//! | 4 | size of the file |
//! | | chunk `PRVW`, a PNG image, if there is one; never compressed |
//! | | the payload as it is, which begins with `HEAD`; or a zlib stream of it |

use std::borrow::Cow;

use nom::Parser;
use nom::bytes::complete::{tag, take};
use nom::error::context;
use nom::number::complete::le_u32;

use super::chunk;
use super::fail::{At, Fail, Here, Parsed, finish};
use super::stream;
use crate::consts::Tag;
use crate::error::Result;
use crate::limits::Budget;
use crate::model::{Model, WrongSize};

/// What stands in front of the payload, and the payload as it is in the file.
#[derive(Debug)]
pub(crate) struct Envelope<'a> {
    stated: u32,
    preview: Option<&'a [u8]>,
    pub(crate) body: &'a [u8],
}

impl Envelope<'_> {
    pub(crate) fn is_raw(&self) -> bool {
        self.body.starts_with(&Tag::HEAD.0)
    }
}

pub(crate) fn read_envelope(start: &[u8]) -> Parsed<'_, Envelope<'_>> {
    let (input, _) = context("magic", tag(Tag::FILE.0.as_slice())).parse(start)?;
    let (mut input, stated) = context("size", le_u32).parse(input)?;
    let mut preview = None;
    if input.starts_with(&Tag::PREVIEW.0) {
        let (rest, (_, data)) = chunk::read_chunk(input).field("preview")?;
        (input, preview) = (rest, Some(data));
    }
    let (end, body) = take(input.len())(input)?;
    Ok((end, Envelope { stated, preview, body }))
}

/// The payload, inflated where it is compressed; and the bytes behind a stream.
pub(crate) fn payload<'a>(
    whole: &'a [u8],
    envelope: &Envelope<'a>,
    budget: &mut Budget,
) -> Result<(Cow<'a, [u8]>, &'a [u8])> {
    if envelope.is_raw() {
        return Ok((Cow::Borrowed(envelope.body), &[]));
    }
    let inflated = stream::inflate(envelope.body, budget).field("payload");
    let (behind, payload) = finish(whole, inflated)?;
    Ok((Cow::Owned(payload), behind))
}

pub(crate) fn read(whole: &[u8], max_bytes: u64) -> Result<Model> {
    let mut budget = Budget::new(max_bytes);
    let (_, envelope) = finish(whole, read_envelope(whole))?;
    let (payload, behind) = payload(whole, &envelope, &mut budget)?;
    let raw = envelope.is_raw();
    let copies = (|| {
        let preview = envelope.preview.map(|preview| budget.copy(preview)).transpose()?;
        Ok((preview, budget.copy(behind)?))
    })();
    let (_, (preview, behind)) =
        finish(whole, copies.here(whole).field("preview").map(|copies| (whole, copies)))?;

    // Offsets count in the file where the payload stands in it.
    let counted = if raw { whole } else { payload.as_ref() };
    let read = finish(counted, chunk::read_all(&payload, budget));
    let (_, mut model) = if raw { read? } else { read.map_err(|error| error.within("payload"))? };
    model.preview = preview;
    model.layout.raw = raw;
    model.layout.behind_stream = behind;
    if envelope.stated as usize != whole.len() {
        model.layout.wrong_size = Some(WrongSize { stated: envelope.stated, actual: whole.len() as u64 });
    }
    Ok(model)
}

/// A failure with the input at which it happened, for what is not nom's.
pub(crate) fn broken<'a, T>(at: &'a [u8], what: &'static str) -> Parsed<'a, T> {
    Err(Fail::invalid(at, what))
}
