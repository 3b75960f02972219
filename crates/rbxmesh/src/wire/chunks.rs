//! The chunks of 6.00 and 7.00, one after the other to the end of the file.
//!
//! | size | what |
//! |---|---|
//! | 8 | name, padded with zero bytes |
//! | 4 | version of the chunk's layout |
//! | 4 | size of the content |
//! | ... | the content |

use crate::consts::{ChunkKind, ChunkTag, Version};
use crate::model::{Chunk, Mesh, Payload};
use crate::wire::coremesh::{self, Core};
use crate::wire::record::{Field as _, record};
use crate::wire::sizes::{blob, write_sized};
use crate::wire::{facs, lods, skin, visibility};
use geom::wire::{At, Budget, Error, Fail, Here, Parsed, Result};

record! {
    /// The header of a chunk, without the size of the content.
    struct Head { tag: [u8; 8], version: u32 }
}

/// Reads the name, version and content of a chunk; `None` if the bytes are not a chunk. If the size exceeds the file, a
/// chunk with a known name is truncated, which is an error; bytes with another name may be anything.
pub(crate) fn read_chunk(start: &[u8]) -> Parsed<'_, Option<(ChunkTag, u32, &[u8])>> {
    let Some((size, rest)) = start.get(12..).and_then(|rest| rest.split_first_chunk()) else {
        return Ok((start, None));
    };
    let Head { tag, version } = Head::read(start)?.1;
    let tag = ChunkTag(tag);
    match blob(rest, u32::from_le_bytes(*size)) {
        Ok((rest, payload)) => Ok((rest, Some((tag, version, payload)))),
        Err(_) if tag.kind().is_none() => Ok((start, None)),
        Err(_) => Err(Fail::end_of(rest)).named(|| format!("{tag:?}")),
    }
}

pub(crate) fn read<'a>(start: &'a [u8], version: Version, budget: &mut Budget) -> Parsed<'a, Mesh> {
    let mut mesh = Mesh { version, ..Mesh::default() };
    let mut seen = Vec::with_capacity(ChunkKind::ALL.len());
    let mut input = start;
    while let (rest, Some((tag, version, bytes))) = read_chunk(input)? {
        input = rest;
        let kind = tag.kind().filter(|kind| kind.knows(version) && !seen.contains(kind));
        let mut extra = None;
        if let Some(kind) = kind {
            seen.push(kind);
            let (left, ()) =
                read_part(&mut mesh, kind, version, bytes, budget).named(|| format!("{tag:?}"))?;
            extra = (kind == ChunkKind::Lods || mesh.has(kind)).then_some(left);
        }
        let payload = match extra {
            Some(extra) => Payload::Model { extra: budget.copy(extra).here(extra)? },
            None => Payload::Kept(budget.copy(bytes).here(bytes)?),
        };
        budget.push(&mut mesh.layout.chunks, Chunk { tag, version, payload }).here(bytes)?;
    }
    if mesh.layout.chunks.is_empty() {
        return Err(Fail::end_of(start)).field("chunks");
    }
    mesh.layout.trailing = budget.copy(input).here(input)?;
    lods::place_offsets(&mut mesh);
    Ok((&[], mesh))
}

/// Reads a chunk of a known layout, and returns the bytes after it.
fn read_part<'a>(
    mesh: &mut Mesh,
    kind: ChunkKind,
    version: u32,
    input: &'a [u8],
    budget: &mut Budget,
) -> Parsed<'a, ()> {
    // Charges the memory of a chunk, except for a stream and for names, which are charged as they are read.
    let cost = match (kind, version) {
        (ChunkKind::Core, 2) => return coremesh::read_compressed(mesh, input, budget),
        (ChunkKind::Skinning, _) => skin::COST,
        _ => 1,
    };
    budget.take((input.len() as u64).saturating_mul(cost)).here(input)?;
    match kind {
        ChunkKind::Core => coremesh::read(mesh, input),
        ChunkKind::Lods => lods::read(mesh, input),
        ChunkKind::Skinning => skin::read(mesh, input, budget),
        ChunkKind::Facs => facs::read(mesh, input),
        ChunkKind::Visibility => visibility::read(mesh, input),
    }
}

pub(crate) fn write(mesh: &Mesh, core: Core<'_>, out: &mut Vec<u8>) -> Result<()> {
    let chunks = &mesh.layout.chunks;
    let slots: Vec<_> = ChunkKind::ALL.iter().map(|&kind| (kind, mesh.layout.slot(kind))).collect();
    let start = out.len();
    for (index, chunk) in chunks.iter().enumerate() {
        let kind = slots.iter().find(|(_, slot)| *slot == Some(index)).map(|&(kind, _)| kind);
        let wanted = kind.filter(|&kind| mesh.has(kind));
        match (wanted, kind, &chunk.payload) {
            (Some(kind), _, payload)
            | (None, Some(kind @ ChunkKind::Lods), payload @ Payload::Model { .. }) => {
                let extra: &[u8] = if let Payload::Model { extra } = payload { extra } else { &[] };
                write_part(mesh, kind, chunk.tag, core, extra, out)?;
            }
            (None, kind, Payload::Kept(bytes)) => {
                if kind.is_some_and(|kind| !is_empty(kind, chunk.version, bytes)) {
                    let what = format!(
                        "unknown bytes that would be read back as a {:?} chunk (remove them)",
                        chunk.tag
                    );
                    return Err(Error::unwritable(format!("layout.chunks[{index}].payload"), what));
                }
                Head::append(&Head { tag: chunk.tag.0, version: chunk.version }, out);
                write_sized(out, "layout.chunks", |out| {
                    out.extend_from_slice(bytes);
                    Ok(())
                })?;
            }
            // The mesh no longer has this part, so its chunk is not written.
            (None, _, Payload::Model { .. }) => {}
        }
    }
    let nothing = out.len() == start;
    for (kind, slot) in slots {
        // A file needs at least one chunk to be a mesh, and every mesh has levels of detail.
        let usual = nothing && matches!(kind, ChunkKind::Core | ChunkKind::Lods);
        if slot.is_none() && (usual || mesh.has(kind)) {
            write_part(mesh, kind, kind.tag(), core, &[], out)?;
        }
    }
    if !matches!(read_chunk(&mesh.layout.trailing), Ok((_, None))) {
        return Err(Error::unwritable(
            "layout.trailing",
            "trailing bytes that would be read back as a chunk (remove them)",
        ));
    }
    out.extend_from_slice(&mesh.layout.trailing);
    Ok(())
}

/// Whether a chunk of a known layout adds nothing to a mesh.
fn is_empty(kind: ChunkKind, version: u32, bytes: &[u8]) -> bool {
    let mut mesh = Mesh::default();
    // The memory that reading an empty chunk can take: an attribute of a stream takes six bytes in the file, and about
    // sixty in memory. Saturating, since no memory reaches such a limit.
    let limit = (bytes.len() as u64).saturating_mul(64).saturating_add(4096);
    let read = read_part(&mut mesh, kind, version, bytes, &mut Budget::new(limit));
    read.is_ok() && kind != ChunkKind::Lods && !mesh.has(kind)
}

fn write_part(
    mesh: &Mesh,
    kind: ChunkKind,
    tag: ChunkTag,
    core: Core<'_>,
    extra: &[u8],
    out: &mut Vec<u8>,
) -> Result<()> {
    // Only `Core` has a choice of versions; the others are written in the newest layout.
    let newest = kind.versions().last().copied().unwrap_or(1);
    let version = if kind == ChunkKind::Core { core.version() } else { newest };
    Head::append(&Head { tag: tag.0, version }, out);
    write_sized(out, "layout.chunks", |out| {
        match kind {
            ChunkKind::Core => coremesh::write(mesh, core, out)?,
            ChunkKind::Lods => lods::write(mesh, out)?,
            ChunkKind::Skinning => skin::write(mesh, out)?,
            ChunkKind::Facs => facs::write(mesh, out)?,
            ChunkKind::Visibility => visibility::write(mesh, out)?,
        }
        out.extend_from_slice(extra);
        Ok(())
    })
}
