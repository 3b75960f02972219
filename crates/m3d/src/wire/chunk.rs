//! The chunks of a payload: what each begins with, and which of them is what.
//!
//! | size | what |
//! |---|---|
//! | 4 | tag |
//! | 4 | size of the chunk with these eight bytes |
//!
//! `OMD3` ends the payload and has no size.

use nom::bytes::complete::take;
use nom::number::complete::le_u32;

use super::colors::{self, Palette};
use super::fail::{At, Fail, Here, Parsed};
use super::head;
use super::names::Names;
use super::order::{Plan, is_once};
use super::reader::{Reader, Runs};
use super::writer::Writer;
use crate::consts::{Tag, TypeField};
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::list::push;
use crate::model::{ChunkKind, Extra, Model};

/// A chunk: its tag and its content.
pub(crate) fn read_chunk(start: &[u8]) -> Parsed<'_, (Tag, &[u8])> {
    let (input, tag) = read_tag(start)?;
    let (input, size) = le_u32(input).field("size").named(|| tag.to_string())?;
    let Some(len) = size.checked_sub(8) else {
        return Err(Fail::invalid(start, format!("size {size} is less than 8")))
            .field("size")
            .named(|| tag.to_string());
    };
    let (rest, data) = take(len)(input).named(|| tag.to_string())?;
    Ok((rest, (tag, data)))
}

fn read_tag(start: &[u8]) -> Parsed<'_, Tag> {
    match start.split_first_chunk() {
        Some((&tag, rest)) => Ok((rest, Tag(tag))),
        None => Err(Fail::end(start)).field("tag"),
    }
}

/// Whether the payload ends here, and the bytes after the end.
fn end(input: &[u8]) -> Option<&[u8]> {
    input.strip_prefix(&Tag::END.0)
}

/// The first chunk of a tag; nothing where the chunks are broken before it.
fn find(mut input: &[u8], tag: Tag) -> Option<&[u8]> {
    while end(input).is_none() {
        let (rest, (found, data)) = read_chunk(input).ok()?;
        if found == tag {
            return Some(data);
        }
        input = rest;
    }
    None
}

pub(crate) fn read_all(start: &[u8], mut budget: Budget) -> Parsed<'_, Model> {
    let (mut input, head) = head::read(start)?;
    let names = Names::new(head.strings, &mut budget).here(start).field("strings")?;
    // Colours may come after what uses them.
    let palette = match head.types.size(TypeField::Color) {
        1 | 2 => match find(input, Tag::PALETTE) {
            Some(data) => colors::read(data, &mut budget)?.1,
            None => Vec::new(),
        },
        _ => Vec::new(),
    };
    let palette = Palette::new(palette, &mut budget).here(input).field("palette")?;

    let mut model = Model { scale: head.scale, ..Model::default() };
    budget.take(head.strings.len() as u64).here(start).field("strings")?;
    model.layout.strings = head.strings.into();
    model.layout.types = Some(head.types);
    budget.take(head.strings.len() as u64).here(start).field("strings")?;
    let [name, license, author, description] = names.front().map(Into::into);
    (model.name, model.license, model.author, model.description) = (name, license, author, description);

    let mut reader = Reader {
        types: head.types,
        names,
        palette,
        budget,
        seen: [false; ChunkKind::ALL.len()],
        name_runs: Runs::default(),
        color_runs: Runs::default(),
        commands: 0,
        long_commands: Vec::new(),
    };
    let trailing = loop {
        if let Some(trailing) = end(input) {
            break trailing;
        }
        let (rest, (tag, data)) = read_chunk(input)?;
        let (tail, kind) = reader.read_content(tag, data, &mut model)?;
        if !tail.is_empty() {
            let place = u32::try_from(model.layout.chunks.len()).unwrap_or(u32::MAX);
            let tail = reader.budget.copy(tail).here(tail)?;
            push(&mut model.layout.tails, (place, tail), &mut reader.budget).here(input)?;
        }
        push(&mut model.layout.chunks, kind, &mut reader.budget).here(input)?;
        input = rest;
    };
    model.layout.trailing = reader.budget.copy(trailing).here(trailing).field("trailing")?;
    model.layout.palette = reader.palette.colors;
    model.layout.name_runs = reader.name_runs.runs;
    model.layout.color_runs = reader.color_runs.runs;
    model.layout.long_commands = reader.long_commands;
    Ok((trailing, model))
}

impl<'a> Reader<'a> {
    /// Reads the content of a chunk into the model. Gives the bytes after it, and what it was.
    fn read_content(&mut self, tag: Tag, data: &'a [u8], model: &mut Model) -> Parsed<'a, ChunkKind> {
        let kind = self.kind(tag);
        let budget = &mut self.budget;
        /// Reads one more entry of a list of the model.
        macro_rules! entry {
            ($list:ident, $read:ident) => {{
                let place = model.$list.len();
                let (tail, value) = self.$read(data).index(place).field(stringify!($list))?;
                push(&mut model.$list, value, &mut self.budget).here(data).field(stringify!($list))?;
                tail
            }};
        }
        let tail = match kind {
            ChunkKind::Palette => {
                let whole = self.palette.colors.len().saturating_mul(4);
                // With other widths of colours nobody uses the palette, and it is read only here.
                if !matches!(self.types.size(TypeField::Color), 1 | 2) {
                    self.palette.colors = colors::read(data, budget)?.1;
                }
                let whole = whole.max(self.palette.colors.len().saturating_mul(4));
                data.get(whole..).unwrap_or_default()
            }
            ChunkKind::TexCoords => {
                let (tail, tex_coords) = self.read_tex_coords(data)?;
                model.tex_coords = tex_coords;
                tail
            }
            ChunkKind::Vertices => {
                let (tail, vertices) = self.read_vertices(data)?;
                model.vertices = vertices;
                tail
            }
            ChunkKind::Skeleton => {
                let (tail, (bones, skins)) = self.read_skeleton(data)?;
                (model.bones, model.skins) = (bones, skins);
                tail
            }
            ChunkKind::VoxelTypes => {
                let (tail, types) = self.read_voxel_types(data)?;
                model.voxel_types = types;
                tail
            }
            ChunkKind::Voxels => {
                let place = model.voxel_blocks.len();
                let (tail, (block, kept)) = self.read_voxels(data).index(place).field("voxel_blocks")?;
                push(&mut model.voxel_blocks, block, &mut self.budget).here(data)?;
                if let Some(kept) = kept {
                    let place = u32::try_from(place).unwrap_or(u32::MAX);
                    push(&mut model.layout.voxel_data, (place, kept), &mut self.budget).here(data)?;
                }
                tail
            }
            ChunkKind::Material => entry!(materials, read_material),
            ChunkKind::Procedural => entry!(procedurals, read_procedural),
            ChunkKind::Mesh => entry!(meshes, read_mesh),
            ChunkKind::Shape => entry!(shapes, read_shape),
            ChunkKind::Labels => entry!(labels, read_labels),
            ChunkKind::Action => entry!(actions, read_action),
            ChunkKind::Asset => entry!(assets, read_asset),
            ChunkKind::Extra => {
                let copy = budget.copy(data).here(data).field("extras")?;
                push(&mut model.extras, Extra { tag, data: copy }, budget).here(data).field("extras")?;
                &[]
            }
        };
        Ok((tail, kind))
    }

    /// What a chunk is. The second of those that may be there only once is kept as it is.
    fn kind(&mut self, tag: Tag) -> ChunkKind {
        let kind = ChunkKind::of(tag);
        if !is_once(kind) {
            return kind;
        }
        let seen = self.seen.get_mut(kind as usize).is_none_or(|seen| std::mem::replace(seen, true));
        if seen { ChunkKind::Extra } else { kind }
    }
}

impl ChunkKind {
    /// The kind of a tag.
    fn of(tag: Tag) -> Self {
        Self::ALL.into_iter().find(|kind| kind.tag() == tag).unwrap_or(Self::Extra)
    }

    /// The tag of a kind; an extra chunk has its own.
    pub(crate) fn tag(self) -> Tag {
        match self {
            Self::Palette => Tag::PALETTE,
            Self::TexCoords => Tag::TEX_COORDS,
            Self::Vertices => Tag::VERTICES,
            Self::Skeleton => Tag::SKELETON,
            Self::Material => Tag::MATERIAL,
            Self::Procedural => Tag::PROCEDURAL,
            Self::Mesh => Tag::MESH,
            Self::VoxelTypes => Tag::VOXEL_TYPES,
            Self::Voxels => Tag::VOXELS,
            Self::Shape => Tag::SHAPE,
            Self::Labels => Tag::LABELS,
            Self::Action => Tag::ACTION,
            Self::Asset => Tag::ASSET,
            Self::Extra => Tag::default(),
        }
    }
}

/// Writes the chunks of a payload.
pub(crate) fn write_all(model: &Model, plan: &Plan, writer: &mut Writer<'_>) -> Result<()> {
    let start = writer.names;
    let types = writer.types;
    writer.chunk(Tag::HEAD, "layout.strings", |writer| {
        head::write(model.scale, types, &mut writer.out);
        writer.put(&start.table);
        Ok(())
    })?;
    let mut seen = Vec::new();
    for (place, &(kind, index)) in plan.chunks.iter().enumerate() {
        let tag = match kind {
            ChunkKind::Extra => model.extras.get(index).map_or(Tag::default(), |extra| extra.tag),
            kind => kind.tag(),
        };
        if kind == ChunkKind::Extra {
            // What a reader would take for something else.
            let known = match ChunkKind::of(tag) {
                ChunkKind::Extra => tag == Tag::END,
                known => !is_once(known) || !seen.contains(&known),
            };
            if known {
                let what = format!("{tag}, which a reader takes for a part of the model");
                return Err(Error::unwritable(format!("extras[{index}].tag"), what));
            }
        } else if is_once(kind) {
            seen.push(kind);
        }
        // Bytes after the records belong to the chunk that was here.
        let tail = match model.layout.chunks.get(place) {
            Some(&there) if there == kind => {
                let tails = &model.layout.tails;
                let found = tails.binary_search_by_key(&place, |&(place, _)| place as usize).ok();
                found.and_then(|found| tails.get(found)).map(|(_, tail)| tail.as_slice())
            }
            _ => None,
        };
        let path = || match is_once(kind) {
            true => kind.path().to_owned(),
            false => format!("{}[{index}]", kind.path()),
        };
        writer
            .chunk(tag, "", |writer| {
                write_content(model, kind, index, writer)?;
                writer.put(tail.unwrap_or_default());
                Ok(())
            })
            .map_err(|error| if is_once(kind) { error } else { error.within(&path()) })?;
        if writer.narrow().is_some() {
            // All of it is written again.
            return Ok(());
        }
    }
    writer.put(&Tag::END.0);
    writer.put(&model.layout.trailing);
    Ok(())
}

fn write_content(model: &Model, kind: ChunkKind, index: usize, writer: &mut Writer<'_>) -> Result<()> {
    match kind {
        ChunkKind::Palette => colors::write(&writer.colors.colors, &mut writer.out),
        ChunkKind::TexCoords => writer.write_tex_coords(&model.tex_coords)?,
        ChunkKind::Vertices => writer.write_vertices(&model.vertices)?,
        ChunkKind::Skeleton => writer.write_skeleton(&model.bones, &model.skins)?,
        ChunkKind::VoxelTypes => writer.write_voxel_types(&model.voxel_types)?,
        ChunkKind::Material => {
            model.materials.get(index).map_or(Ok(()), |material| writer.write_material(material))?;
        }
        ChunkKind::Procedural => {
            model.procedurals.iter().skip(index).take(1).for_each(|it| writer.write_procedural(it));
        }
        ChunkKind::Mesh => model.meshes.get(index).map_or(Ok(()), |mesh| writer.write_mesh(mesh))?,
        ChunkKind::Voxels => {
            let kept = &model.layout.voxel_data;
            let found = kept.binary_search_by_key(&index, |&(place, _)| place as usize).ok();
            let kept = found.and_then(|found| kept.get(found)).map(|(_, data)| data.as_slice());
            model.voxel_blocks.get(index).map_or(Ok(()), |block| writer.write_voxels(block, kept))?;
        }
        ChunkKind::Shape => model.shapes.get(index).map_or(Ok(()), |shape| writer.write_shape(shape))?,
        ChunkKind::Labels => model.labels.iter().skip(index).take(1).for_each(|it| writer.write_labels(it)),
        ChunkKind::Action => model.actions.get(index).map_or(Ok(()), |action| writer.write_action(action))?,
        ChunkKind::Asset => model.assets.iter().skip(index).take(1).for_each(|it| writer.write_asset(it)),
        ChunkKind::Extra => {
            model.extras.iter().skip(index).take(1).for_each(|extra| writer.put(&extra.data));
        }
    }
    Ok(())
}
