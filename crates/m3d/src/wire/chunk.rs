//! The payload: chunk `HEAD`, and the chunks after it.
//!
//! | size | chunk `HEAD` |
//! |---|---|
//! | 4 | scale |
//! | 4 | thirteen widths of two bits each, and six unused bits |
//! | | the string table |

use std::sync::Arc;

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::{le_f32, le_u32};

use super::colors;
use super::frame::{end, find, read_chunk};
use super::names::{NameTable, front};
use super::reader::Reader;
use super::record::Field;
use super::skeleton;
use super::width::{put_size, size32};
use super::writer::Writer;
use crate::consts::{Tag, TypeField, Types};
use crate::model::{ChunkKind, Model, Slot, TexCoords, Vertices, each_list, ordered};
use geom::wire::{At, Budget, Error, Fail, Here, Parsed, Result, after, taken};

fn read_head(start: &[u8]) -> Parsed<'_, (f32, Types, &[u8])> {
    let (rest, (tag, data)) = read_chunk(start)?;
    if tag != Tag::HEAD {
        return Err(Fail::invalid(start, format!("expected the chunk HEAD, found {tag}")));
    }
    let (types_at, scale) = context("scale", le_f32).parse(data)?;
    let (input, types) = context("types", le_u32).parse(types_at)?;
    let types = Types(types);
    if let Some(what) = types.unknown() {
        return Err(Fail::unsupported(types_at, what)).field("types");
    }
    let (_, strings) = take(input.len())(input)?;
    Ok((rest, (scale, types, strings)))
}

/// Reads a payload. With `compact`, only those bytes of chunks are kept that could be written in another way; otherwise
/// the caller keeps the payload.
pub(crate) fn read_all<'a>(start: &'a [u8], compact: bool, budget: &mut Budget) -> Parsed<'a, Model> {
    let (mut input, (scale, types, strings)) = read_head(start)?;
    // The palette may come after the chunks that use it.
    let palette = match find(input, Tag::PALETTE) {
        Some(data) => colors::read(data, budget)?.1,
        None => Vec::new(),
    };

    let mut model = Model { scale, ..Model::default() };
    model.layout.strings = budget.copy(strings).here(start).field("strings")?.into();
    model.layout.types = Some(types);
    budget.take(strings.len() as u64).here(start).field("strings")?;
    let [name, license, author, description] = front(strings).map(Into::into);
    (model.name, model.license, model.author, model.description) = (name, license, author, description);

    let mut reader = Reader::new(types, strings, palette, budget.clone());
    let mut source = Vec::new();
    let trailing = loop {
        if let Some(trailing) = end(input) {
            break trailing;
        }
        if input.is_empty() {
            return Err(Fail::invalid(
                input,
                "expected the chunk OMD3, which ends the file, found the end of input",
            ));
        }
        let (rest, (tag, data)) = read_chunk(input)?;
        let kind = reader.kind(tag);
        (reader.data, reader.choices) = (data, 0);
        let (tail, ()) = reader.read_content(kind, tag, data, &mut model)?;
        let mut end = taken(start, rest).len();
        let mut len = data.len();
        if compact {
            let choices = data.get(..reader.choices.min(taken(data, tail).len())).unwrap_or_default();
            len = choices.len().saturating_add(tail.len());
            for part in [choices, tail] {
                reader.budget.extend(&mut source, part).here(data)?;
            }
            end = source.len();
        }
        let slot = Slot { kind, start: end.saturating_sub(len), end, tail: tail.len() };
        reader.budget.push(&mut model.layout.chunks, slot).here(input)?;
        reader.chunk = model.layout.chunks.len();
        input = rest;
    };
    let layout = &mut model.layout;
    layout.source = Arc::new(source);
    layout.trailing = reader.budget.copy(trailing).here(trailing).field("trailing")?;
    layout.palette = reader.palette;
    (layout.outside_names, layout.outside_colors) = (reader.outside_names, reader.outside_colors);
    *budget = reader.budget;
    Ok((trailing, model))
}

impl<'a> Reader<'a> {
    /// The kind of a chunk. A second chunk of a kind that may occur only once is an extra, and is kept unchanged.
    fn kind(&mut self, tag: Tag) -> ChunkKind {
        let kind = ChunkKind::of(tag);
        let seen = self.seen.get_mut(kind as usize).is_none_or(|seen| std::mem::replace(seen, true));
        if kind.is_once() && seen { ChunkKind::Extra } else { kind }
    }

    /// Reads the content of a chunk into the model. Returns the bytes after it.
    fn read_content(
        &mut self,
        kind: ChunkKind,
        tag: Tag,
        data: &'a [u8],
        model: &mut Model,
    ) -> Parsed<'a, ()> {
        /// Reads a part of the model, or one more entry of one of its lists.
        macro_rules! part {
            ($part:ident) => {
                Field::read(self, data).map(|(tail, value)| {
                    model.$part = value;
                    (tail, ())
                })
            };
        }
        macro_rules! entry {
            ($list:ident) => {
                Field::read(self, data).index(model.$list.len()).and_then(|(tail, entry)| {
                    self.budget.push(&mut model.$list, entry).here(data)?;
                    Ok((tail, ()))
                })
            };
        }
        let (tail, ()) = each_list!(ChunkKind, kind, entry, {
            ChunkKind::Palette => Ok((data.as_chunks::<4>().1, ())),
            ChunkKind::TexCoords => part!(tex_coords),
            ChunkKind::Vertices => part!(vertices),
            ChunkKind::VoxelTypes => part!(voxel_types),
            ChunkKind::Asset => entry!(assets),
            ChunkKind::Skeleton => return skeleton::read(self, data, model),
        })
        .field(kind.path())?;
        if let (ChunkKind::Extra, Some(extra)) = (kind, model.extras.last_mut()) {
            extra.tag = tag;
        }
        Ok((tail, ()))
    }
}

/// Appends the payload of a model to `out`. `round` is the width to which coordinates are rounded. The table of names may
/// take `max_bytes`.
pub(crate) fn write_all(model: &Model, round: Option<u8>, max_bytes: u64, out: Vec<u8>) -> Result<Vec<u8>> {
    let start = out.len();
    let mut writer = Writer::new(model, round, max_bytes, out)?;
    let (names, swallowed) = loop {
        writer.out.truncate(start);
        writer.reserve();
        for part in [&Tag::HEAD.0[..], &[0; 4], &model.scale.to_le_bytes(), &[0; 4], &writer.names.table] {
            writer.out.extend_from_slice(part);
        }
        let names = writer.names.table.len();
        let swallowed = write_chunks(model, &mut writer)?;
        if !writer.widen()? {
            break (names, swallowed);
        }
    };
    if let Some(slot) = swallowed {
        let what = "the bytes after the last record, which would be read as another record \
                    (set `Model::layout` to its default to drop them)";
        return Err(Error::unwritable(format!("layout.chunks[{slot}]"), what));
    }
    let Writer { mut out, types, names: NameTable { table, .. }, .. } = writer;
    let end = start.saturating_add(names).saturating_add(16);
    out.splice(end..end, after(&table, names).iter().copied());
    put_size(
        &mut out,
        start.saturating_add(4),
        size32(table.len().saturating_add(16)).field("layout.strings")?,
    );
    put_size(&mut out, start.saturating_add(12), types.0);
    out.extend_from_slice(&Tag::END.0);
    out.extend_from_slice(&model.layout.trailing);
    Ok(out)
}

/// Writes the chunks. Returns the index of the first chunk whose trailing bytes would be read as model data.
fn write_chunks<'m>(model: &'m Model, writer: &mut Writer<'m>) -> Result<Option<usize>> {
    let types = writer.types;
    let palette = matches!(types.size(TypeField::Color), 1 | 2) && !writer.colors.colors.is_empty();
    let mut swallowed = None;
    let chunks = ordered(
        model.layout.chunks(),
        ChunkKind::ALL,
        ChunkKind::is_once,
        |kind| kind == ChunkKind::Extra,
        |kind| count(model, kind, palette),
    );
    let mut seen = Vec::new();
    for (kind, index, slot) in chunks {
        let mut tag = kind.tag();
        if let (ChunkKind::Extra, Some(extra)) = (kind, model.extras.get(index)) {
            tag = extra.tag;
            // Refuse a chunk that would not be read back as an extra.
            let known = match ChunkKind::of(tag) {
                ChunkKind::Extra => tag == Tag::END,
                known => !known.is_once() || !seen.contains(&known),
            };
            if known {
                let what = format!("an extra chunk with the reserved tag {tag} (choose another tag)");
                return Err(Error::unwritable(format!("extras[{index}].tag"), what));
            }
        }
        seen.push(kind);
        let old = slot.map(|slot| model.layout.old(slot)).unwrap_or_default();
        let written = writer.chunk(tag, old, |writer| {
            macro_rules! entry {
                ($list:ident) => {
                    model.$list.get(index).map_or(Ok(()), |entry| entry.write(writer)).index(index)
                };
            }
            each_list!(ChunkKind, kind, entry, {
                ChunkKind::Palette => {
                    writer.palette();
                    Ok(())
                },
                ChunkKind::TexCoords => model.tex_coords.write(writer),
                ChunkKind::Vertices => model.vertices.write(writer),
                ChunkKind::VoxelTypes => model.voxel_types.write(writer),
                ChunkKind::Asset => entry!(assets),
                ChunkKind::Skeleton => skeleton::write(model, writer),
            })
        });
        let written = if kind == ChunkKind::Skeleton { written } else { written.field(kind.path()) }?;
        if !leaves(kind, tag, types, written, old.1) {
            swallowed = swallowed.or(slot);
        }
    }
    Ok(swallowed)
}

/// Whether a reader ignores the trailing bytes of a chunk. This does not depend on names and colours.
fn leaves(kind: ChunkKind, tag: Tag, types: Types, content: &[u8], tail: &[u8]) -> bool {
    let mut reader = Reader::new(types, &[], Vec::new(), Budget::new(u64::MAX));
    let mut left = || reader.read_content(kind, tag, content, &mut Model::default());
    tail.is_empty() || left().is_ok_and(|(left, ())| left.len() == tail.len())
}

/// The number of chunks of a kind that the model needs.
fn count(model: &Model, kind: ChunkKind, palette: bool) -> usize {
    macro_rules! len {
        ($list:ident) => {
            model.$list.len()
        };
    }
    each_list!(ChunkKind, kind, len, {
        ChunkKind::Palette => palette.into(),
        ChunkKind::TexCoords => (model.tex_coords != TexCoords::default()).into(),
        ChunkKind::Vertices => (model.vertices != Vertices::default()).into(),
        ChunkKind::Skeleton => (!model.bones.is_empty() || !model.skins.is_empty()).into(),
        ChunkKind::VoxelTypes => (!model.voxel_types.is_empty()).into(),
        ChunkKind::Asset => len!(assets),
    })
}
