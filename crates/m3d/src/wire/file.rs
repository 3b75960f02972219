//! A whole file: the envelope, and the payload in it.

use std::borrow::Cow;
use std::sync::Arc;

use super::chunk;
use super::frame::read_envelope;
use super::width::{put_size, size32};
use crate::consts::Tag;
use crate::model::Model;
use crate::options::WriteOptions;
use geom::wire::{At, Budget, Error, Result, finish, taken, zlib};

/// On a mesh of 140,000 vertices this is more than twice as fast as level 6, and smaller.
const DEFAULT_LEVEL: u8 = 2;

pub(crate) fn read(whole: &[u8], keep_source: bool, budget: &mut Budget) -> Result<Model> {
    let (_, envelope) = finish(whole, read_envelope(whole))?;
    let raw = envelope.is_raw();
    let (payload, after) = envelope.payload(whole, budget)?;
    let failed = |kind| Error::new(kind, "preview").at(0);
    let preview = envelope.preview.map(|preview| budget.copy(preview)).transpose().map_err(failed)?;
    let stream = if keep_source && !raw { taken(envelope.body, after) } else { &[] };
    let stream = Arc::new(budget.copy(stream).map_err(failed)?);
    let after = budget.copy(after).map_err(failed)?;

    // Offsets of errors count in the file if its payload is not compressed, otherwise in the payload.
    let counted = if raw { whole } else { payload.as_ref() };
    let read = finish(counted, chunk::read_all(&payload, raw, budget));
    let (_, mut model) = if raw { read? } else { read.map_err(|error| error.within("payload"))? };
    model.preview = preview;
    model.layout.raw = raw;
    model.layout.after_stream = after;
    if envelope.stated as usize != whole.len() {
        model.layout.wrong_size = Some((envelope.stated, whole.len() as u64));
    }
    match payload {
        _ if !keep_source => model.layout.source = Arc::default(),
        Cow::Owned(payload) => (model.layout.source, model.layout.stream) = (Arc::new(payload), stream),
        Cow::Borrowed(_) => {}
    }
    Ok(model)
}

pub(crate) fn write(model: &Model, options: &WriteOptions) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    out.extend_from_slice(&Tag::FILE.0);
    out.extend_from_slice(&[0; 4]);
    if let Some(preview) = &model.preview {
        let size = size32(preview.len().saturating_add(8)).field("preview")?;
        out.extend_from_slice(&Tag::PREVIEW.0);
        out.extend_from_slice(&size.to_le_bytes());
        out.extend_from_slice(preview);
    }
    let round = options.coordinates.map(|coordinates| coordinates as u8);
    let mut out = if options.raw.unwrap_or(model.layout.raw) {
        chunk::write_all(model, round, options.max_bytes, out)?
    } else {
        let payload = chunk::write_all(model, round, options.max_bytes, Vec::new())?;
        let layout = &model.layout;
        if payload == *layout.source && !layout.stream.is_empty() && options.level.is_none() {
            out.extend_from_slice(&layout.stream);
        } else {
            zlib::deflate(&payload, options.level.unwrap_or(DEFAULT_LEVEL), &mut out)?;
        }
        out.extend_from_slice(&layout.after_stream);
        out
    };
    let size = size32(out.len())?;
    let size = match model.layout.wrong_size {
        Some((stated, actual)) if actual == u64::from(size) => stated,
        _ => size,
    };
    put_size(&mut out, 4, size);
    Ok(out)
}
