//! The chunks of 6.00 and 7.00, one behind the other to the end of the file.
//!
//! | size | what |
//! |---|---|
//! | 8 | name, filled up with zero bytes |
//! | 4 | version of the chunk's layout |
//! | 4 | size of what follows |
//! | ... | the chunk |

use std::ops::Range;

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::{le_u8, le_u16, le_u32};

use crate::consts::{ChunkTag, LodType, Version};
use crate::convert::Core;
use crate::draco;
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Chunk, DracoStream, Lods, Mesh, Payload, Visibility, print};
use crate::wire::fail::{At, Fail, Here, Parsed, finish};
use crate::wire::{array, blob, body, count, line_end, read_version, skin};

/// A chunk as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawChunk<'a> {
    /// Its name.
    pub tag: ChunkTag,
    /// The version of its layout.
    pub version: u32,
    /// Where it stands in the file, its header of 16 bytes included.
    pub range: Range<usize>,
    /// What follows the header.
    pub payload: &'a [u8],
}

/// The chunks of a file, as [`crate::chunks`] lists them.
///
/// Bytes behind the last chunk that are none (fewer than a header, or under an unknown name with a
/// size that the file does not hold) end the list; they are [`Chunks::rest`].
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    whole: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Chunks<'a> {
    pub(crate) fn new(whole: &'a [u8]) -> Result<Self> {
        let start = || {
            let (rest, version) = context("version", read_version).parse(whole)?;
            let (rest, _) = context("version", line_end).parse(rest)?;
            match version {
                Some(version) if version.is_chunked() => Ok((rest, ())),
                _ => Err(Fail::unsupported(whole, "mesh version without chunks")).field("version"),
            }
        };
        let (rest, ()) = finish(whole, start())?;
        Ok(Self { whole, rest })
    }

    /// What is not read yet: in the end, the bytes behind the last chunk.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<RawChunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.whole.len().saturating_sub(self.rest.len());
        let (rest, (tag, version, payload)) = match finish(self.whole, read_chunk(self.rest)) {
            Ok((rest, chunk)) => (rest, chunk?),
            Err(error) => {
                self.rest = &[];
                return Some(Err(error));
            }
        };
        self.rest = rest;
        let range = start..self.whole.len().saturating_sub(rest.len());
        Some(Ok(RawChunk { tag, version, range, payload }))
    }
}

type Head<'a> = (ChunkTag, u32, &'a [u8]);

/// A chunk, or nothing where the rest is none. A chunk with a known name that the file does not hold
/// was cut off; under any other name the bytes may be anything.
fn read_chunk(start: &[u8]) -> Parsed<'_, Option<Head<'_>>> {
    let Some((header, rest)) = start.split_first_chunk::<16>() else { return Ok((start, None)) };
    let &[a, b, c, d, e, f, g, h, v0, v1, v2, v3, s0, s1, s2, s3] = header;
    let tag = ChunkTag([a, b, c, d, e, f, g, h]);
    let version = u32::from_le_bytes([v0, v1, v2, v3]);
    match blob(rest, u32::from_le_bytes([s0, s1, s2, s3])) {
        Ok((rest, payload)) => Ok((rest, Some((tag, version, payload)))),
        Err(_) if Part::named(tag).is_none() => Ok((start, None)),
        Err(_) => Err(Fail::end(rest.get(rest.len()..).unwrap_or(rest))).named(|| format!("{tag:?}")),
    }
}

/// A part of the mesh that has a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Core,
    Lods,
    Skin,
    Facs,
    Visibility,
}

impl Part {
    /// In the order in which chunks are written.
    const ALL: [Self; 5] = [Self::Core, Self::Lods, Self::Skin, Self::Facs, Self::Visibility];

    const fn tag(self) -> ChunkTag {
        match self {
            Self::Core => ChunkTag::COREMESH,
            Self::Lods => ChunkTag::LODS,
            Self::Skin => ChunkTag::SKINNING,
            Self::Facs => ChunkTag::FACS,
            Self::Visibility => ChunkTag::HSRAVIS,
        }
    }

    fn named(tag: ChunkTag) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.tag().name() == tag.name())
    }

    /// The part in a chunk, where its layout is known.
    fn of(tag: ChunkTag, version: u32) -> Option<Self> {
        Self::named(tag).filter(|_| tag.knows(version))
    }

    /// Whether the mesh says nothing here.
    fn is_empty(self, mesh: &Mesh) -> bool {
        match self {
            Self::Core => mesh.vertices.is_empty() && mesh.faces.is_empty(),
            Self::Lods => mesh.lods == Lods::default(),
            Self::Skin => {
                mesh.envelopes.is_empty()
                    && mesh.bones.is_empty()
                    && mesh.subsets.is_empty()
                    // A table of names that belongs to no bone.
                    && mesh.layout.bone_names.as_ref().is_none_or(|names| {
                        names.bytes.is_empty() || !names.offsets.is_empty()
                    })
            }
            // A block of another format than 1 has no chunk that could say so.
            Self::Facs => {
                mesh.facs.is_none()
                    && (mesh.layout.facs_unknown.is_empty() || mesh.layout.facs_format.is_some())
            }
            Self::Visibility => mesh.visibility.is_none(),
        }
    }
}

pub(crate) fn read<'a>(start: &'a [u8], version: Version, budget: &mut Budget) -> Parsed<'a, Mesh> {
    let mut mesh = Mesh { version, ..Mesh::default() };
    let (mut input, mut chunks) = (start, 0_usize);
    while let (rest, Some(_)) = read_chunk(input)? {
        (input, chunks) = (rest, chunks.saturating_add(1));
    }
    if chunks == 0 {
        return Err(Fail::end(start.get(start.len()..).unwrap_or(start))).field("chunks");
    }
    mesh.layout.trailing = budget.copy(input).here(input)?;
    mesh.layout.chunks = budget.vec(chunks).here(start)?;
    let mut seen = Vec::with_capacity(Part::ALL.len());
    let mut input = start;
    while let (rest, Some((tag, version, bytes))) = read_chunk(input)? {
        input = rest;
        let part = Part::of(tag, version).filter(|part| !seen.contains(part));
        let mut payload = None;
        if let Some(part) = part {
            seen.push(part);
            let name = || format!("{tag:?}");
            let (extra, ()) = read_part(&mut mesh, part, version, bytes, budget).named(name)?;
            if !part.is_empty(&mesh) {
                payload = Some(Payload::Model { extra: budget.copy(extra).here(extra)? });
            }
        }
        let payload = match payload {
            Some(payload) => payload,
            None => Payload::Kept(budget.copy(bytes).here(bytes)?),
        };
        mesh.layout.chunks.push(Chunk { tag, version, payload });
    }
    Ok((&[], mesh))
}

/// Reads a chunk of a known layout, and gives back the bytes behind it.
fn read_part<'a>(
    mesh: &mut Mesh,
    part: Part,
    version: u32,
    input: &'a [u8],
    budget: &mut Budget,
) -> Parsed<'a, ()> {
    match part {
        Part::Core if version == 1 => read_core_plain(mesh, input, budget),
        Part::Core => read_core_draco(mesh, input, budget),
        Part::Lods => read_lods(mesh, input, budget),
        Part::Skin => read_skin(mesh, input, budget),
        Part::Facs => {
            let (input, size) = context("size", le_u32).parse(input)?;
            let (rest, block) = context("block", |input| blob(input, size)).parse(input)?;
            body::read_facs(mesh, block, body::FACS_FORMAT, budget)?;
            Ok((rest, ()))
        }
        Part::Visibility => {
            let (input, flags) = context("count", le_u32).parse(input)?;
            let (rest, bits) = context("bits", take(flags.div_ceil(8))).parse(input)?;
            mesh.visibility = Some(Visibility { count: flags, bits: budget.copy(bits).here(bits)? });
            Ok((rest, ()))
        }
    }
}

/// u32 vertices, the vertices of 40 bytes, u32 faces, the faces.
fn read_core_plain<'a>(mesh: &mut Mesh, input: &'a [u8], budget: &mut Budget) -> Parsed<'a, ()> {
    let (input, vertices) = context("vertices", le_u32).parse(input)?;
    let (input, vertices) = array::read::<_, 40>(input, vertices as usize, budget).field("vertices")?;
    let (input, faces) = context("faces", le_u32).parse(input)?;
    let (rest, faces) = array::read(input, faces as usize, budget).field("faces")?;
    (mesh.vertices, mesh.faces) = (vertices, faces);
    Ok((rest, ()))
}

/// u32 size, the Draco stream.
fn read_core_draco<'a>(mesh: &mut Mesh, input: &'a [u8], budget: &mut Budget) -> Parsed<'a, ()> {
    let (input, size) = context("size", le_u32).parse(input)?;
    let (rest, stream) = context("draco", |input| blob(input, size)).parse(input)?;
    let (_, decoded) = draco::read(stream, budget).field("draco")?;
    let bytes = budget.copy(stream).here(stream)?;
    (mesh.vertices, mesh.faces) = (decoded.vertices, decoded.faces);
    if !Part::Core.is_empty(mesh) {
        let print = print(&mesh.vertices, &mesh.faces);
        let (coding, others) = (decoded.coding, decoded.others);
        mesh.layout.draco = Some(DracoStream { bytes, print, coding, others });
    }
    Ok((rest, ()))
}

/// u16 how the levels were made, u8 levels of high quality, u32 offsets, the offsets.
fn read_lods<'a>(mesh: &mut Mesh, input: &'a [u8], budget: &mut Budget) -> Parsed<'a, ()> {
    let (input, kind) = context("kind", le_u16).parse(input)?;
    let (input, high_quality) = context("high_quality", le_u8).parse(input)?;
    let (input, offsets) = context("offsets", le_u32).parse(input)?;
    let (rest, offsets) = array::read(input, offsets as usize, budget).field("offsets")?;
    mesh.lods = Lods { kind: LodType(kind), offsets, high_quality };
    Ok((rest, ()))
}

/// u32 envelopes, the envelopes, u32 bones, the bones, u32 size of their names, the names, u32 subsets,
/// the subsets.
fn read_skin<'a>(mesh: &mut Mesh, input: &'a [u8], budget: &mut Budget) -> Parsed<'a, ()> {
    let (input, envelopes) = context("envelopes", le_u32).parse(input)?;
    let (input, envelopes) = array::read(input, envelopes as usize, budget).field("envelopes")?;
    let (input, bones) = context("bones", le_u32).parse(input)?;
    let names_len = |input| context("bone_names", le_u32).parse(input);
    let (input, (bones, bone_names)) = skin::read_bones(input, bones as usize, names_len, budget)?;
    let (input, subsets) = context("subsets", le_u32).parse(input)?;
    let (rest, subsets) = array::read(input, subsets as usize, budget).field("subsets")?;
    (mesh.envelopes, mesh.bones, mesh.subsets) = (envelopes, bones, subsets);
    mesh.layout.bone_names = bone_names;
    Ok((rest, ()))
}

/// Whether the mesh is written in the place of bytes that are not known.
pub(crate) fn replaces_unknown(mesh: &Mesh, core: &Core<'_>) -> bool {
    let chunks = &mesh.layout.chunks;
    Part::ALL.into_iter().filter(|part| !part.is_empty(mesh)).any(|part| {
        let chunk = Chunk::slot(chunks, part.tag()).and_then(|slot| chunks.get(slot));
        chunk.is_some_and(|chunk| match &chunk.payload {
            Payload::Kept(_) => !chunk.is_known(),
            Payload::Model { extra } => !extra.is_empty() && chunk.version != part_version(part, core),
        })
    })
}

pub(crate) fn write(mesh: &Mesh, core: &Core<'_>, out: &mut Vec<u8>) -> Result<()> {
    let chunks = &mesh.layout.chunks;
    let slots = Part::ALL.map(|part| (part, Chunk::slot(chunks, part.tag())));
    for (index, chunk) in chunks.iter().enumerate() {
        let part = slots.iter().find(|(_, slot)| *slot == Some(index)).map(|&(part, _)| part);
        match (part.filter(|part| !part.is_empty(mesh)), &chunk.payload) {
            (Some(part), payload) => {
                let version = part_version(part, core);
                let extra = match payload {
                    Payload::Model { extra } if version == chunk.version => extra.as_slice(),
                    _ => &[],
                };
                write_chunk(chunk.tag, version, out, |out| {
                    write_part(mesh, part, core, out)?;
                    out.extend_from_slice(extra);
                    Ok(())
                })?;
            }
            (None, Payload::Kept(bytes)) => write_chunk(chunk.tag, chunk.version, out, |out| {
                out.extend_from_slice(bytes);
                Ok(())
            })?,
            // What it said, the model says no more.
            (None, Payload::Model { .. }) => {}
        }
    }
    for (part, slot) in slots {
        // A mesh without any chunk is no mesh, and one without levels of detail is unlike all real ones.
        let wanted = !part.is_empty(mesh)
            || part == Part::Core && chunks.is_empty()
            || part == Part::Lods && !mesh.version.has_lods();
        if slot.is_none() && wanted {
            write_chunk(part.tag(), part_version(part, core), out, |out| write_part(mesh, part, core, out))?;
        }
    }
    if mesh.version.is_chunked() {
        out.extend_from_slice(&mesh.layout.trailing);
    }
    Ok(())
}

fn part_version(part: Part, core: &Core<'_>) -> u32 {
    if part == Part::Core && core.is_draco() { 2 } else { 1 }
}

fn write_chunk(
    tag: ChunkTag,
    version: u32,
    out: &mut Vec<u8>,
    payload: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    out.extend(tag.0);
    out.extend(version.to_le_bytes());
    write_sized(out, "layout.chunks", payload)
}

/// The size of what follows, and that.
fn write_sized(
    out: &mut Vec<u8>,
    path: &'static str,
    content: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    let at = out.len();
    out.extend([0; 4]);
    let start = out.len();
    content(out)?;
    let size = count(out.len().saturating_sub(start), path)?;
    if let Some(place) = out.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *place = size.to_le_bytes();
    }
    Ok(())
}

fn write_part(mesh: &Mesh, part: Part, core: &Core<'_>, out: &mut Vec<u8>) -> Result<()> {
    match part {
        Part::Core => match core {
            Core::Plain => {
                out.extend(count(mesh.vertices.len(), "vertices")?.to_le_bytes());
                array::write::<_, 40>(&mesh.vertices, out);
                out.extend(count(mesh.faces.len(), "faces")?.to_le_bytes());
                array::write(&mesh.faces, out);
            }
            Core::Kept(stream) => write_sized(out, "layout.draco", |out| {
                out.extend_from_slice(stream.bytes());
                Ok(())
            })?,
            Core::Draco(coding) => {
                let Mesh { vertices, faces, .. } = mesh;
                write_sized(out, "vertices", |out| draco::write(vertices, faces, *coding, out))?;
            }
        },
        Part::Lods if !part.is_empty(mesh) => write_lods(&mesh.lods, out)?,
        Part::Lods => {
            // As files of today say that there is one level.
            let offsets = vec![0, count(mesh.faces.len(), "faces")?];
            write_lods(&Lods { offsets, high_quality: 1, ..Lods::default() }, out)?;
        }
        Part::Skin => write_skin(mesh, out)?,
        Part::Facs => write_sized(out, "facs", |out| {
            out.extend_from_slice(&body::write_facs(mesh, Version::V7_00)?);
            Ok(())
        })?,
        Part::Visibility => {
            let Some(Visibility { count, bits }) = &mesh.visibility else { return Ok(()) };
            if bits.len() != count.div_ceil(8) as usize {
                let what = format!("{} bytes of {count} flags", bits.len());
                return Err(Error::unwritable("visibility.bits", what));
            }
            out.extend(count.to_le_bytes());
            out.extend_from_slice(bits);
        }
    }
    Ok(())
}

fn write_lods(lods: &Lods, out: &mut Vec<u8>) -> Result<()> {
    out.extend(lods.kind.0.to_le_bytes());
    out.push(lods.high_quality);
    out.extend(count(lods.offsets.len(), "lods.offsets")?.to_le_bytes());
    array::write(&lods.offsets, out);
    Ok(())
}

fn write_skin(mesh: &Mesh, out: &mut Vec<u8>) -> Result<()> {
    let names = skin::bone_names(&mesh.bones, &mesh.layout)?;
    out.extend(count(mesh.envelopes.len(), "envelopes")?.to_le_bytes());
    array::write(&mesh.envelopes, out);
    out.extend(count(mesh.bones.len(), "bones")?.to_le_bytes());
    skin::write_bones(&mesh.bones, &names, out);
    out.extend(count(names.bytes.len(), "bone_names")?.to_le_bytes());
    out.extend_from_slice(&names.bytes);
    out.extend(count(mesh.subsets.len(), "subsets")?.to_le_bytes());
    array::write(&mesh.subsets, out);
    Ok(())
}
