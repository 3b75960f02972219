//! From one version to another: what each of them has no place for.

use std::borrow::Cow;
use std::fmt;

use geom::Rgba8;

use crate::consts::{ChunkTag, LodType, Version};
use crate::error::{Error, Result};
use crate::model::{Chunk, Coding, DracoStream, Grid, Lods, Mesh, Normals, Payload, Tangent};
use crate::options::{LodChoice, WriteOptions};
use crate::wire::replaces_unknown;

/// A part of a mesh that the written version has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The part, as `bones` or `layout.trailing`.
    pub path: &'static str,
    /// What was there.
    pub what: Cow<'static, str>,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

/// The mesh that is written as `version`, and what of the given one it leaves out. An error where
/// something of the model would be left out and the caller did not allow it.
pub(crate) fn prepare<'a>(
    mesh: &'a Mesh,
    version: Version,
    options: &WriteOptions,
) -> Result<(Cow<'a, Mesh>, Core<'a>, Vec<Dropped>)> {
    let mut dropped = model_losses(mesh, version, options);
    if let Some(first) = dropped.first().filter(|_| !options.allows_loss()) {
        let what = format!("{} in version {version}; WriteOptions::allow_loss leaves it out", first.what);
        return Err(Error::unwritable(first.path, what));
    }
    layout_losses(mesh, version, &mut dropped);
    if version.is_chunked() {
        let core = Core::choose(mesh, version, options)?;
        core_losses(mesh, &core, &mut dropped);
        return Ok((Cow::Borrowed(mesh), core, dropped));
    }
    let levels = mesh.lods().len();
    let mesh = match !version.has_lods() && levels > 1 && options.lod_choice() == LodChoice::First {
        true => Cow::Owned(first_level(mesh)),
        false => Cow::Borrowed(mesh),
    };
    Ok((mesh, Core::Plain, dropped))
}

/// What of the model proper the version has no place for.
fn model_losses(mesh: &Mesh, version: Version, options: &WriteOptions) -> Vec<Dropped> {
    let mut dropped = Vec::new();
    let mut lose = |lost: bool, path, what: &dyn Fn() -> String| {
        if lost {
            dropped.push(Dropped { path, what: Cow::Owned(what()) });
        }
    };
    let Mesh { vertices, faces, lods, envelopes, bones, subsets, facs, texture_w, .. } = mesh;
    let many = |count: usize, what: &'static str| move || format!("{count} {what}");

    lose(version.is_text() && vertices.iter().any(|v| v.color != Rgba8::WHITE), "vertices.color", &|| {
        "vertex colours".into()
    });
    lose(
        version.is_text() && vertices.iter().any(|v| v.tangent != Tangent::ABSENT),
        "vertices.tangent",
        &|| "tangents".into(),
    );
    lose(!version.is_text() && !texture_w.is_empty(), "texture_w", &|| "a third texture coordinate".into());
    let first = mesh.lods().next().map_or(0, <[_]>::len);
    lose(!version.has_lods() && mesh.lods().len() > 1, "lods", &|| match options.lod_choice() {
        LodChoice::First => format!("{} faces of lower levels of detail", faces.len() - first),
        LodChoice::All => "the limits between levels of detail, whose faces become one".into(),
    });
    let lod_facts = (lods.kind, lods.high_quality) != (LodType::NONE, 0);
    lose(version.has_lods() && !version.has_skin() && lod_facts, "lods.kind", &|| {
        "how levels of detail were made".into()
    });
    lose(!version.has_skin() && !bones.is_empty(), "bones", &many(bones.len(), "bones"));
    lose(!version.has_skin() && !subsets.is_empty(), "subsets", &many(subsets.len(), "subsets"));
    let homeless = !version.has_skin() || bones.is_empty() && !version.is_chunked();
    lose(homeless && !envelopes.is_empty(), "envelopes", &many(envelopes.len(), "envelopes"));
    lose(!version.has_facs() && facs.is_some(), "facs", &|| "facial animation".into());
    lose(!version.is_chunked() && mesh.visibility.is_some(), "visibility", &|| {
        "what is always visible".into()
    });
    // The format of the block has no place in a chunk.
    let format = version.is_chunked() && mesh.layout.facs_format.is_some() && facs.is_none();
    let homeless = !version.has_facs() || format;
    lose(homeless && !mesh.layout.facs_unknown.is_empty(), "layout.facs_unknown", &|| {
        "facial animation of a format that is not known".into()
    });
    dropped
}

/// What of the layout the version has no place for: bytes without a known meaning, which stand in
/// nobody's way.
fn layout_losses(mesh: &Mesh, version: Version, dropped: &mut Vec<Dropped>) {
    let layout = &mesh.layout;
    let same = version.same_header(mesh.version);
    let mut lose = |lost: bool, path, what| {
        if lost {
            dropped.push(Dropped { path, what: Cow::Borrowed(what) });
        }
    };
    let one_level = !version.has_lods() && mesh.lods().len() == 1 && mesh.lods != Lods::default();
    lose(one_level, "lods", "what is said of the one level of detail");
    lose(!same && !layout.header_extra.is_empty(), "layout.header_extra", "bytes of the header");
    lose(!version.has_reserved() && layout.reserved != 0, "layout.reserved", "a byte of the header");
    lose(!same && !layout.trailing.is_empty(), "layout.trailing", "bytes behind the end");
    let vertices = Stride::of_vertices(mesh, version);
    lose(vertices.extra.len() != layout.vertex_extra.len(), "layout.vertex_extra", "bytes of vertices");
    let kept = layout.chunks.iter().any(|chunk| match &chunk.payload {
        Payload::Kept(_) => !chunk.is_known(),
        Payload::Model { extra } => !extra.is_empty(),
    });
    lose(!version.is_chunked() && kept, "layout.chunks", "chunks or bytes in them that are not known");
    let faces = Stride::of_faces(mesh, version);
    lose(faces.extra.len() != layout.face_extra.len(), "layout.face_extra", "bytes of faces");
}

/// How vertices and faces stand in 6.00 and 7.00.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Core<'a> {
    /// As they are (`COREMESH` 1).
    Plain,
    /// As the stream that they were read from (`COREMESH` 2).
    Kept(&'a DracoStream),
    /// As a new stream, the normals on this grid or one that fits (`COREMESH` 2).
    Draco(Coding),
}

/// With how many bits Roblox rounds normals.
const NORMAL_BITS: u8 = 11;

impl<'a> Core<'a> {
    pub(crate) fn choose(mesh: &'a Mesh, version: Version, options: &WriteOptions) -> Result<Self> {
        let (wanted, wanted_bits, wanted_faces) = options.draco_choice();
        let layout = &mesh.layout;
        let compressed = wanted.unwrap_or_else(|| {
            // As the file had it; a mesh of another version as that version usually has it.
            let chunk = Chunk::slot(&layout.chunks, ChunkTag::COREMESH);
            let chunk = chunk.and_then(|slot| layout.chunks.get(slot));
            let chunk = chunk.filter(|chunk| mesh.version == version && chunk.is_known());
            chunk.map_or(version == Version::V7_00, |chunk| chunk.version == 2)
        });
        let stream = layout.draco.as_ref();
        let bits = wanted_bits.or(stream.map(DracoStream::normal_bits)).unwrap_or(NORMAL_BITS);
        if !matches!(bits, 1..=30 | 32) {
            let what = format!("normals of {bits} bits: 1 to 30 are possible, and 32 for plain ones");
            return Err(Error::unwritable("vertices.normal", what));
        }
        // There is nothing to compress in an empty mesh, and decoders differ about what that looks like.
        if !compressed || mesh.vertices.is_empty() && mesh.faces.is_empty() {
            return Ok(Self::Plain);
        }
        let compressed_faces =
            wanted_faces.unwrap_or_else(|| stream.is_some_and(DracoStream::has_compressed_faces));
        let stream = stream.filter(|stream| stream.normal_bits() == bits);
        let normals = match stream {
            Some(stream)
                if stream.has_compressed_faces() == compressed_faces
                    && stream.holds(&mesh.vertices, &mesh.faces) =>
            {
                return Ok(Self::Kept(stream));
            }
            Some(stream) => stream.coding.normals,
            None if bits == 32 => Normals::Floats,
            None => Normals::Grid(Grid::to_fit(bits)),
        };
        Ok(Self::Draco(Coding { normals, compressed_faces }))
    }

    pub(crate) fn is_draco(&self) -> bool {
        *self != Self::Plain
    }
}

/// What of the vertices, and of the chunks of the file, a chunked version changes.
fn core_losses(mesh: &Mesh, core: &Core<'_>, dropped: &mut Vec<Dropped>) {
    let mut lose = |lost: bool, path, what: &dyn Fn() -> String| {
        if lost {
            dropped.push(Dropped { path, what: Cow::Owned(what()) });
        }
    };
    if let Core::Draco(Coding { normals: Normals::Grid(grid), .. }) = core {
        lose(true, "vertices.normal", &|| format!("what {} bits do not hold of normals", grid.bits));
    }
    let stream = mesh.layout.draco.as_ref().filter(|_| !matches!(core, Core::Kept(_)));
    if let Some(others) = stream.map(DracoStream::other_attributes).filter(|&others| others > 0) {
        lose(true, "layout.draco", &|| format!("{others} attributes that a vertex has no place for"));
    }
    lose(replaces_unknown(mesh, core), "layout.chunks", &|| {
        "a chunk, or bytes in one, that are not known, in the place of what the mesh says now".into()
    });
}

/// The size of a record in the written file, and the bytes in it that nobody knows.
#[derive(Debug)]
pub(crate) struct Stride<'a> {
    pub(crate) size: u8,
    pub(crate) extra: &'a [u8],
}

impl<'a> Stride<'a> {
    /// Of the vertices: as the layout says where that still holds them, otherwise 40 bytes.
    pub(crate) fn of_vertices(mesh: &'a Mesh, version: Version) -> Self {
        let Some(size) = mesh.layout.vertex_size.filter(|_| version.has_strides()) else {
            return Self { size: 40, extra: &[] };
        };
        let known = known_vertex_size(size);
        let holds = mesh.vertices.iter().all(|vertex| {
            (known >= 40 || vertex.color == Rgba8::WHITE)
                && (known >= 36 || vertex.tangent == Tangent::ABSENT)
        });
        match holds && known >= 32 {
            true => Self::new(size, known, mesh.vertices.len(), &mesh.layout.vertex_extra),
            false => Self { size: 40, extra: &[] },
        }
    }

    /// Of the faces: as the layout says, otherwise 12 bytes.
    pub(crate) fn of_faces(mesh: &'a Mesh, version: Version) -> Self {
        match mesh.layout.face_size.filter(|&size| version.has_strides() && size >= 12) {
            Some(size) => Self::new(size, 12, mesh.faces.len(), &mesh.layout.face_extra),
            None => Self { size: 12, extra: &[] },
        }
    }

    /// The size with its extra bytes where those are as many as the records want.
    fn new(size: u8, known: u8, records: usize, extra: &'a [u8]) -> Self {
        match records.checked_mul(usize::from(size.saturating_sub(known))) == Some(extra.len()) {
            true => Self { size, extra },
            false => Self { size: known, extra: &[] },
        }
    }
}

/// How many of a vertex's bytes are known: up to the texture coordinate, the tangent or the colour.
/// Zero where it is too small for any.
pub(crate) fn known_vertex_size(size: u8) -> u8 {
    match size {
        40.. => 40,
        36.. => 36,
        32.. => 32,
        _ => 0,
    }
}

/// The first level of detail alone, with the vertices that it uses.
fn first_level(mesh: &Mesh) -> Mesh {
    let mut first = Mesh {
        version: mesh.version,
        faces: mesh.lods().next().unwrap_or_default().to_vec(),
        lods: Lods::default(),
        layout: crate::model::Layout { vertex_size: mesh.layout.vertex_size, ..Default::default() },
        ..Mesh::default()
    };
    const UNUSED: u32 = u32::MAX;
    let mut places = vec![UNUSED; mesh.vertices.len()];
    for index in first.faces.iter_mut().flatten() {
        // An index that names no vertex stays: it is what the mesh says.
        let Some(place) = places.get_mut(*index as usize) else { continue };
        if *place == UNUSED {
            #[allow(clippy::cast_possible_truncation, reason = "fewer than the u32 that led here")]
            let next = first.vertices.len() as u32;
            *place = next;
            first.vertices.push(mesh.vertices[*index as usize]);
            first.texture_w.extend(mesh.texture_w.get(*index as usize));
        }
        *index = *place;
    }
    first
}
