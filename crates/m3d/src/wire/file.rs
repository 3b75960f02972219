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
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::le_u32;

use super::chunk;
use super::colors::ColorTable;
use super::fail::{At, Fail, Here, Parsed, finish, magic};
use super::names::NameTable;
use super::order::Plan;
use super::stream;
use super::widths;
use super::writer::Writer;
use crate::consts::{Tag, TypeField};
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Model, WrongSize};
use crate::options::{Coordinates, WriteOptions};

/// What comes before the payload, and the payload as it is in the file.
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
    if start.starts_with(b"3dmo") {
        return Err(Fail::unsupported(start, "variant: ASCII text, not binary"));
    }
    let (input, ()) = magic(
        start,
        &Tag::FILE.0,
        "not a Model 3D file, which begins with \"3DMO\", or as text with \"3dmodel\"",
    )
    .field("magic")?;
    let (mut input, stated) = context("size", le_u32).parse(input)?;
    let mut preview = None;
    if input.starts_with(&Tag::PREVIEW.0) {
        let (rest, (_, data)) = chunk::read_chunk(input).field("preview")?;
        (input, preview) = (rest, Some(data));
    }
    let (end, body) = take(input.len())(input)?;
    Ok((end, Envelope { stated, preview, body }))
}

/// The payload, inflated where it is compressed; and the bytes after a stream.
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

pub(crate) fn read(whole: &[u8], mut budget: Budget) -> Result<Model> {
    let (_, envelope) = finish(whole, read_envelope(whole))?;
    let raw = envelope.is_raw();
    let (payload, behind) = payload(whole, &envelope, &mut budget)?;
    let copies = (|| {
        let preview = envelope.preview.map(|preview| budget.copy(preview)).transpose()?;
        Ok((preview, budget.copy(behind)?))
    })();
    let (_, (preview, behind)) =
        finish(whole, copies.here(whole).field("preview").map(|copies| (whole, copies)))?;

    // Offsets count in the file where it contains the payload as it is.
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

/// On a mesh of 140,000 vertices this is more than twice as fast as level 6, and smaller.
const DEFAULT_LEVEL: u8 = 2;

pub(crate) fn write(model: &Model, options: &WriteOptions) -> Result<Vec<u8>> {
    let raw = options.raw.unwrap_or(model.layout.raw);
    let mut out = Vec::new();
    out.extend_from_slice(&Tag::FILE.0);
    out.extend_from_slice(&[0; 4]);
    if let Some(preview) = &model.preview {
        let size = u32::try_from(preview.len().saturating_add(8))
            .map_err(|_| Error::unwritable("preview", "an image of more than 4 GiB"))?;
        out.extend_from_slice(&Tag::PREVIEW.0);
        out.extend_from_slice(&size.to_le_bytes());
        out.extend_from_slice(preview);
    }
    let mut out = if raw {
        write_payload(model, options, out)?
    } else {
        let payload = write_payload(model, options, Vec::new())?;
        stream::deflate(&payload, options.level.unwrap_or(DEFAULT_LEVEL), &mut out)?;
        out.extend_from_slice(&model.layout.behind_stream);
        out
    };
    let size = u32::try_from(out.len()).map_err(|_| Error::unwritable("", "a file of more than 4 GiB"))?;
    let size = match model.layout.wrong_size {
        Some(wrong) if wrong.actual == u64::from(size) => wrong.stated,
        _ => size,
    };
    if let Some(place) = out.get_mut(4..).and_then(|out| out.first_chunk_mut()) {
        *place = size.to_le_bytes();
    }
    Ok(out)
}

/// The payload, after what `out` has: with one width after the other wider until all are wide enough.
fn write_payload(model: &Model, options: &WriteOptions, mut out: Vec<u8>) -> Result<Vec<u8>> {
    let front = out.len();
    let mut plan = Plan::new(model, false);
    let names = NameTable::new(model, &plan)?;
    let mut types = widths::start(model, names.table.len());
    let coordinates = options.coordinates.map(|coordinates| match coordinates {
        Coordinates::Int8 => 0,
        Coordinates::Int16 => 1,
        Coordinates::Float => 2,
        Coordinates::Double => 3,
    });
    if let Some(bits) = coordinates {
        types = types.with(TypeField::Coord, bits);
    }
    let mut none = false;
    loop {
        let size = types.size(TypeField::Color);
        let colors = match size {
            1 => ColorTable::new(model, 256, none).ok(),
            2 => ColorTable::new(model, 65536, none).ok(),
            _ => Some(ColorTable::kept(model)),
        };
        let mut narrow = Some(TypeField::Color);
        if let Some(colors) = colors {
            plan = Plan::new(model, matches!(size, 1 | 2) && !colors.colors.is_empty());
            out.truncate(front);
            out.reserve(estimate(model, types));
            let mut writer = Writer::new(out, types, &names, colors);
            writer.round = coordinates.is_some();
            writer.long_commands = &model.layout.long_commands;
            chunk::write_all(model, &plan, &mut writer)?;
            narrow = writer.narrow();
            out = writer.out;
            if writer.colors.wants_none && !none {
                none = true;
                continue;
            }
        }
        let Some(field) = narrow else { return Ok(out) };
        if field == TypeField::Coord && coordinates.is_some() {
            return Err(Error::unwritable(
                "vertices.coords",
                "a coordinate that the width asked for cannot hold",
            ));
        }
        types = widths::widen(model, types, field, names.table.len()).ok_or_else(|| {
            Error::unwritable(format!("layout.types.{}", field.as_str()), "what its widest width cannot hold")
        })?;
    }
}

/// About how many bytes the large chunks take: growing would copy them again and again.
fn estimate(model: &Model, types: crate::consts::Types) -> usize {
    let vertex = types.size(TypeField::Vertex);
    let record = (types.size(TypeField::Coord).saturating_mul(4))
        .saturating_add(types.size(TypeField::Color))
        .saturating_add(types.size(TypeField::Skin));
    let mut size = model.vertices.len().saturating_mul(record);
    let uv = types.size(TypeField::Coord).saturating_mul(2);
    size = size.saturating_add(model.tex_coords.uvs.len().saturating_mul(uv));
    for mesh in &model.meshes {
        let ids = mesh.vertices.len().saturating_add(mesh.normals.len()).saturating_add(mesh.maximums.len());
        size = size
            .saturating_add(ids.saturating_mul(vertex))
            .saturating_add(mesh.tex_coords.len().saturating_mul(types.size(TypeField::TexCoord)))
            .saturating_add(mesh.len().min(mesh.vertices.len()))
            .saturating_add(mesh.records.len().saturating_mul(5));
    }
    for asset in &model.assets {
        size = size.saturating_add(asset.data.len());
    }
    size.saturating_add(4096)
}
