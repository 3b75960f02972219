//! The chunks of 6.00 and 7.00, one after the other to the end of the file.
//!
//! | size | what |
//! |---|---|
//! | 8 | name, padded with zero bytes |
//! | 4 | version of the chunk's layout |
//! | 4 | size of what follows |
//! | ... | the chunk |

use crate::consts::{ChunkTag, Version};
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Chunk, Mesh, Payload, parts};
use crate::wire::coremesh::{self, Core};
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::record::{Field as _, record};
use crate::wire::sizes::{blob, write_sized};
use crate::wire::{facs, lods, skin, visibility};

/// What a chunk begins with, but for its size.
struct Head {
    tag: [u8; 8],
    version: u32,
}

record!(Head { tag: [u8; 8], version: u32 });

/// A chunk's name, version and content, or nothing where the rest is no chunk. A chunk with a known name
/// that the file is too short for was cut off; under any other name the bytes may be anything.
pub(crate) fn read_chunk(start: &[u8]) -> Parsed<'_, Option<(ChunkTag, u32, &[u8])>> {
    let Some((size, rest)) = start.get(12..).and_then(|rest| rest.split_first_chunk()) else {
        return Ok((start, None));
    };
    let Head { tag, version } = Head::read(start)?.1;
    let tag = ChunkTag(tag);
    match blob(rest, u32::from_le_bytes(*size)) {
        Ok((rest, payload)) => Ok((rest, Some((tag, version, payload)))),
        Err(_) if known(tag).is_none() => Ok((start, None)),
        Err(_) => Err(Fail::end_of(rest)).named(|| format!("{tag:?}")),
    }
}

/// The part of the mesh that a chunk with this name is.
fn known(tag: ChunkTag) -> Option<ChunkTag> {
    ChunkTag::ALL.into_iter().find(|part| part.name() == tag.name())
}

pub(crate) fn read<'a>(start: &'a [u8], version: Version, budget: &mut Budget) -> Parsed<'a, Mesh> {
    let mut mesh = Mesh { version, ..Mesh::default() };
    let (mut input, mut chunks) = (start, 0_usize);
    while let (rest, Some(_)) = read_chunk(input)? {
        (input, chunks) = (rest, chunks.saturating_add(1));
    }
    if chunks == 0 {
        return Err(Fail::end_of(start)).field("chunks");
    }
    mesh.layout.trailing = budget.copy(input).here(input)?;
    mesh.layout.chunks = budget.vec(chunks).here(start)?;
    let mut seen = Vec::with_capacity(ChunkTag::ALL.len());
    let mut input = start;
    while let (rest, Some((tag, version, bytes))) = read_chunk(input)? {
        input = rest;
        let part = known(tag).filter(|part| tag.knows(version) && !seen.contains(part));
        let mut extra = None;
        if let Some(part) = part {
            seen.push(part);
            let (left, ()) =
                read_part(&mut mesh, part, version, bytes, budget).named(|| format!("{tag:?}"))?;
            extra = Some(left).filter(|_| part == ChunkTag::LODS || parts::has(&mesh, part));
        }
        let payload = match extra {
            Some(extra) => Payload::Model { extra: budget.copy(extra).here(extra)? },
            None => Payload::Kept(budget.copy(bytes).here(bytes)?),
        };
        mesh.layout.chunks.push(Chunk { tag, version, payload });
    }
    lods::settle(&mut mesh);
    Ok((&[], mesh))
}

/// Reads a chunk of a known layout, and gives back the bytes after it.
fn read_part<'a>(
    mesh: &mut Mesh,
    part: ChunkTag,
    version: u32,
    input: &'a [u8],
    budget: &mut Budget,
) -> Parsed<'a, ()> {
    match part {
        ChunkTag::COREMESH => coremesh::read(mesh, version, input, budget),
        ChunkTag::LODS => lods::read(mesh, input, budget),
        ChunkTag::SKINNING => skin::read(mesh, input, budget),
        ChunkTag::FACS => facs::read(mesh, input, budget),
        _ => visibility::read(mesh, input, budget),
    }
}

pub(crate) fn write(mesh: &Mesh, core: Core<'_>, out: &mut Vec<u8>) -> Result<()> {
    let chunks = &mesh.layout.chunks;
    let slots = ChunkTag::ALL.map(|part| (part, mesh.layout.slot(part)));
    let start = out.len();
    for (index, chunk) in chunks.iter().enumerate() {
        let part = slots.iter().find(|(_, slot)| *slot == Some(index)).map(|&(part, _)| part);
        let wanted = part.filter(|&part| parts::has(mesh, part));
        match (wanted, part, &chunk.payload) {
            (Some(part), _, payload)
            | (None, Some(part @ ChunkTag::LODS), payload @ Payload::Model { .. }) => {
                let extra: &[u8] = if let Payload::Model { extra } = payload { extra } else { &[] };
                write_part(mesh, part, chunk.tag, core, extra, out)?;
            }
            (None, part, Payload::Kept(bytes)) => {
                if part.is_some_and(|part| !is_empty(part, chunk.version, bytes)) {
                    let what = format!("a {:?} that would be read as a part of the mesh", chunk.tag);
                    return Err(Error::unwritable(format!("layout.chunks[{index}].payload"), what));
                }
                Head::append(&Head { tag: chunk.tag.0, version: chunk.version }, out);
                write_sized(out, "layout.chunks", |out| {
                    out.extend_from_slice(bytes);
                    Ok(())
                })?;
            }
            // The mesh does not have this part any more.
            (None, _, Payload::Model { .. }) => {}
        }
    }
    let nothing = out.len() == start;
    for (part, slot) in slots {
        // A file without any chunk is no mesh, and every mesh has levels of detail.
        let usual = nothing && matches!(part, ChunkTag::COREMESH | ChunkTag::LODS);
        if slot.is_none() && (usual || parts::has(mesh, part)) {
            write_part(mesh, part, part, core, &[], out)?;
        }
    }
    if !matches!(read_chunk(&mesh.layout.trailing), Ok((_, None))) {
        return Err(Error::unwritable("layout.trailing", "bytes that would be read as a chunk"));
    }
    out.extend_from_slice(&mesh.layout.trailing);
    Ok(())
}

/// Whether a reader makes nothing of a chunk of a known layout.
fn is_empty(part: ChunkTag, version: u32, bytes: &[u8]) -> bool {
    let mut mesh = Mesh::default();
    // What an empty chunk can take: an attribute of a stream takes six bytes, and some sixty here.
    let limit = (bytes.len() as u64).saturating_mul(64).saturating_add(4096);
    let read = read_part(&mut mesh, part, version, bytes, &mut Budget::new(limit));
    read.is_ok() && part != ChunkTag::LODS && !parts::has(&mesh, part)
}

fn write_part(
    mesh: &Mesh,
    part: ChunkTag,
    tag: ChunkTag,
    core: Core<'_>,
    extra: &[u8],
    out: &mut Vec<u8>,
) -> Result<()> {
    let version = if part == ChunkTag::COREMESH { core.version() } else { 1 };
    Head::append(&Head { tag: tag.0, version }, out);
    write_sized(out, "layout.chunks", |out| {
        match part {
            ChunkTag::COREMESH => coremesh::write(mesh, core, out)?,
            ChunkTag::LODS => lods::write(mesh, out)?,
            ChunkTag::SKINNING => skin::write(mesh, out)?,
            ChunkTag::FACS => facs::write(mesh, out)?,
            _ => visibility::write(mesh, out)?,
        }
        out.extend_from_slice(extra);
        Ok(())
    })
}
