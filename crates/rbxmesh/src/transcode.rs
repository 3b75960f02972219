//! Conversion between versions. The tables here are the only place that decides what a version cannot represent:
//! converting drops it, and writing fails.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use geom::Rgba8;
use geom::wire::Counted;

use crate::consts::{ChunkKind, LodType, Version};
use crate::model::{Chunk, Lods, Loss, Mesh, Payload, Tangent, Vertex, select};
use crate::options::LodChoice;
use crate::wire::{coremesh, text};

/// A part of a mesh that a version cannot represent, and that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The path of the part, such as `bones` or `layout.trailing`.
    pub path: &'static str,
    /// What was lost, such as `52 bones`.
    pub what: String,
}

impl Dropped {
    /// Whether the part was not dropped but replaced by nearly the same: the texture coordinates, which text rounds.
    pub fn is_rounded(&self) -> bool {
        self.path == UV
    }
}

/// `bones: 52 bones`.
impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

/// The path of texture coordinates.
const UV: &str = "vertices.uv";

/// Losses of parts that both versions have, in an order in which they can be dropped one after the other.
const CONTENT: &[Loss] = &[
    Loss { path: "lods", lost: lost_levels, drop: |mesh, _| mesh.lods.offsets.clear() },
    Loss {
        path: "lods.kind",
        lost: |mesh, to| {
            let kind = mesh.lods.kind;
            (!to.has_skin() && kind != LodType::NONE)
                .then(|| format!("the id of the method that generated the levels of detail ({})", kind.0))
        },
        drop: |mesh, _| mesh.lods.kind = LodType::NONE,
    },
    Loss {
        path: "lods.high_quality",
        lost: |mesh, to| {
            let (ours, usual) = (mesh.lods.high_quality, Lods::default().high_quality);
            (!to.has_skin() && ours != usual)
                .then(|| format!("the number of high-quality levels of detail ({ours})"))
        },
        drop: |mesh, _| mesh.lods.high_quality = Lods::default().high_quality,
    },
    Loss {
        path: "faces",
        lost: |mesh, to| {
            let (out, first) = if to.is_text() { select::out_of_range(mesh) } else { None }?;
            let faces = Counted::new(out, "faces with a vertex index out of range");
            Some(format!("{faces} (the first is faces[{first}])"))
        },
        drop: |mesh, _| select::sound_faces(mesh),
    },
    Loss { path: "vertices", lost: unused_vertices, drop: |mesh, _| select::keep(mesh, 0..mesh.faces.len()) },
    Loss { path: "faces", lost: shared_vertices, drop: |mesh, _| select::soup(mesh) },
    Loss {
        path: "vertices.color",
        lost: |mesh, to| {
            let count = mesh.vertices.iter().filter(|vertex| vertex.color != Rgba8::WHITE);
            to.is_text().then(|| some(count.count(), "colours other than white"))?
        },
        drop: |mesh, _| mesh.vertices.iter_mut().for_each(|vertex| vertex.color = Rgba8::WHITE),
    },
    Loss {
        path: "vertices.tangent",
        lost: |mesh, to| {
            let count = mesh.vertices.iter().filter(|vertex| vertex.tangent != Tangent::ABSENT);
            to.is_text().then(|| some(count.count(), "tangents"))?
        },
        drop: |mesh, _| mesh.vertices.iter_mut().for_each(|vertex| vertex.tangent = Tangent::ABSENT),
    },
    Loss {
        path: "vertices",
        lost: |mesh, to| {
            let other =
                mesh.vertices.iter().filter(|&vertex| has_nan(vertex) && text_vertex(vertex) != *vertex);
            let third = mesh.texture_w.iter().filter(|&w| text_number(*w).to_bits() != w.to_bits());
            let vertices = to.is_text().then(|| some(other.count() + third.count(), "vertices"))??;
            Some(format!("the payload bits of the NaN values of {vertices}"))
        },
        drop: |mesh, _| {
            mesh.vertices.iter_mut().for_each(|vertex| *vertex = text_vertex(vertex));
            mesh.texture_w.iter_mut().for_each(|w| *w = text_number(*w));
        },
    },
    Loss { path: UV, lost: rounded_v, drop: |mesh, _| round_v(mesh) },
    Loss {
        path: "envelopes",
        // Up to 5.00, a file without bones has no envelopes.
        lost: |mesh, to| {
            let without = to.has_skin() && !to.is_chunked() && mesh.bones.is_empty();
            without.then(|| some(mesh.envelopes.len(), "envelopes of a mesh without bones"))?
        },
        drop: |mesh, _| mesh.envelopes.clear(),
    },
];

/// Losses of the layout.
const LAYOUT: &[Loss] = &[
    Loss {
        path: "layout.facs_unknown",
        lost: |mesh, to| {
            let unknown = mesh.layout.facs_unknown.as_ref()?;
            let kept = to.has_facs() && mesh.facs.is_none() && (unknown.format == 1 || !to.is_chunked());
            let bytes = Counted::new(unknown.bytes.len(), "bytes of facial animation in an unknown format");
            (!kept).then(|| bytes.to_string())
        },
        drop: |mesh, _| mesh.layout.facs_unknown = None,
    },
    Loss {
        path: "layout.header_extra",
        lost: |mesh, to| {
            let kept = to.has_header() && to.form() == mesh.version.form();
            (!kept).then(|| some(mesh.layout.header_extra.len(), "bytes of unknown meaning in the header"))?
        },
        drop: |mesh, _| mesh.layout.header_extra.clear(),
    },
    Loss {
        path: "layout.reserved",
        lost: |mesh, to| {
            let byte = mesh.layout.reserved;
            (!to.has_reserved() && byte != 0).then(|| format!("the value {byte} of the reserved header byte"))
        },
        drop: |mesh, _| mesh.layout.reserved = 0,
    },
    Loss {
        path: "layout.vertex_extra",
        lost: |mesh, to| {
            let extra = &mesh.layout.vertex_extra;
            let kept = to.has_strides() && mesh.layout.vertex_extra_each(mesh.vertices.len()).is_some();
            (!kept).then(|| some(extra.len(), "bytes of unknown meaning in the vertices"))?
        },
        drop: |mesh, _| mesh.layout.vertex_extra.clear(),
    },
    Loss {
        path: "layout.face_extra",
        lost: |mesh, to| {
            let kept = to.has_strides() && mesh.layout.face_extra_each(mesh.faces.len()).is_some();
            (!kept).then(|| some(mesh.layout.face_extra.len(), "bytes of unknown meaning in the faces"))?
        },
        drop: |mesh, _| mesh.layout.face_extra.clear(),
    },
    Loss {
        path: "layout.chunks",
        lost: |mesh, to| {
            let lost = lost_chunks(mesh, to).filter(|&at| !has_extra(mesh, at));
            some(lost.count(), "unknown or repeated chunks")
        },
        drop: drop_chunks,
    },
    Loss {
        path: "layout.chunks",
        lost: |mesh, to| {
            let lost = lost_chunks(mesh, to).filter(|&at| has_extra(mesh, at));
            let chunks = some(lost.count(), "chunks")?;
            Some(format!("the bytes after the known content of {chunks}"))
        },
        drop: drop_chunks,
    },
    Loss {
        path: "layout.draco",
        lost: |mesh, to| {
            let stream = mesh.layout.draco.as_ref().filter(|stream| stream.others > 0)?;
            let same = to == mesh.version && to.is_chunked() && mesh.layout.compresses(to);
            let kept = (same || to == Version::V7_00) && coremesh::contains(stream, mesh);
            (!kept).then(|| Counted(stream.others.into(), "unknown Draco attributes").to_string())
        },
        drop: |mesh, _| mesh.layout.draco = None,
    },
    Loss {
        path: "layout.trailing",
        lost: |mesh, to| {
            let kept = to.form() == mesh.version.form();
            (!kept).then(|| some(mesh.layout.trailing.len(), "bytes after the end of the mesh"))?
        },
        drop: |mesh, _| mesh.layout.trailing.clear(),
    },
];

/// All possible losses.
fn losses() -> impl Iterator<Item = &'static Loss> {
    CONTENT.iter().chain(Mesh::PARTS.iter().map(|part| &part.loss)).chain(LAYOUT)
}

/// The first thing that a version cannot represent: its path, and what is lost.
pub(crate) fn lost(mesh: &Mesh, to: Version) -> Option<(&'static str, String)> {
    losses().find_map(|loss| Some((loss.path, (loss.lost)(mesh, to)?)))
}

impl Mesh {
    /// Converts the mesh to another version. Also returns everything that was dropped; nothing else is lost. `lods`
    /// decides which faces remain if the version has no levels of detail.
    ///
    /// From 3.00 on, a mesh with one level gets the offsets that Roblox needs, `(0, faces)`, whatever the original file
    /// had.
    ///
    /// ```
    /// use rbxmesh::{LodChoice, Version};
    ///
    /// # fn main() -> rbxmesh::Result<()> {
    /// # let mut mesh = rbxmesh::Mesh { version: Version::V5_00, ..Default::default() };
    /// # mesh.facs = Some(Default::default());
    /// let (old, dropped) = mesh.to_version(Version::V2_00, LodChoice::First);
    /// assert_eq!(dropped[0].to_string(), "facs: 0 poses of facial animation");
    /// assert!(rbxmesh::to_vec(&old)?.starts_with(b"version 2.00\n"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "what was dropped is part of the result"]
    pub fn to_version(&self, to: Version, lods: LodChoice) -> (Self, Vec<Dropped>) {
        let mut mesh = self.clone();
        let mut dropped = Vec::new();
        if !to.has_lods() && lods == LodChoice::First && self.levels().len() > 1 {
            let first = self.lods.ranges(self.faces.len()).next().unwrap_or_default();
            mesh.lods.offsets.clear();
            select::keep(&mut mesh, first);
            let faces = self.faces.len() - mesh.faces.len();
            let vertices = self.vertices.len() - mesh.vertices.len();
            let (faces, vertices) = (Counted::new(faces, "faces"), Counted::new(vertices, "vertices"));
            let what = format!("the coarser levels of detail ({faces}, {vertices})");
            dropped.push(Dropped { path: "lods", what });
        }
        for loss in losses() {
            if let Some(what) = (loss.lost)(&mesh, to) {
                (loss.drop)(&mut mesh, to);
                dropped.push(Dropped { path: loss.path, what });
            }
        }
        mesh.lay_out(to);
        mesh.version = to;
        (mesh, dropped)
    }

    /// Adjusts the layout to a version.
    fn lay_out(&mut self, to: Version) {
        let from = self.version;
        let layout = &mut self.layout;
        layout.crlf &= to.form() == from.form();
        if !to.is_text() {
            layout.text = Arc::default();
        }
        if !to.has_strides() {
            (layout.vertex_size, layout.face_size) = (None, None);
        }
        (layout.lod_size, layout.lod_offsets) = (None, None);
        if !to.has_skin() {
            layout.bone_names = None;
        }
        if to == from {
            return self.add_lods();
        }
        let core = layout.slot(ChunkKind::Core).map(|slot| &mut layout.chunks[slot]);
        // A chunk that is kept as bytes, because it is empty, does not change.
        if let Some(Chunk { version, payload: Payload::Model { .. }, .. }) = core {
            *version = if to == Version::V7_00 { 2 } else { 1 };
        }
        if to != Version::V7_00 {
            (layout.draco, layout.normal_grid) = (None, None);
        }
        self.add_lods();
    }

    /// Adds a chunk for the levels of detail to the list of chunks, if the list is not empty and lacks one.
    fn add_lods(&mut self) {
        let chunks = &self.layout.chunks;
        if !chunks.is_empty() && self.layout.slot(ChunkKind::Lods).is_none() {
            let payload = Payload::Model { extra: Vec::new() };
            self.layout.chunks.reserve_exact(1);
            self.layout.chunks.push(Chunk { tag: ChunkKind::Lods.tag(), version: 1, payload });
        }
    }
}

fn some(count: usize, what: &str) -> Option<String> {
    (count > 0).then(|| Counted::new(count, what).to_string())
}

fn lost_levels(mesh: &Mesh, to: Version) -> Option<String> {
    let levels = mesh.levels().len();
    let what = || format!("the division into {levels} levels of detail");
    (!to.has_lods() && levels > 1).then(what)
}

/// The loss of vertices that no face uses: text has only the corners of faces.
fn unused_vertices(mesh: &Mesh, to: Version) -> Option<String> {
    if !to.is_text() {
        return None;
    }
    let mut used = vec![false; mesh.vertices.len()];
    for &index in mesh.faces.iter().flatten() {
        if let Some(used) = used.get_mut(index as usize) {
            *used = true;
        }
    }
    some(used.iter().filter(|&&used| !used).count(), "vertices that no face uses")
}

fn shared_vertices(mesh: &Mesh, to: Version) -> Option<String> {
    let corners = mesh.faces.as_flattened();
    let own = corners.len() == mesh.vertices.len() && corners.iter().zip(0..).all(|(&a, b): (_, u32)| a == b);
    let what =
        || format!("the vertex indices (each of the {} face corners gets its own vertex)", corners.len());
    (to.is_text() && !own).then(what)
}

/// Whether reading text that contains `stored`, which gives `1 - stored`, gives `v`.
fn reads_as(stored: f32, v: f32) -> bool {
    (1.0 - stored).to_bits() == v.to_bits()
}

/// The number that text can represent: text has only one NaN of each sign.
fn text_number(number: f32) -> f32 {
    if number.is_nan() { f32::NAN.copysign(number) } else { number }
}

fn has_nan(Vertex { position, normal, uv, .. }: &Vertex) -> bool {
    // A sum with a NaN is NaN.
    (position.x + position.y + position.z + normal.x + normal.y + normal.z + uv.x + uv.y).is_nan()
}

fn text_vertex(vertex: &Vertex) -> Vertex {
    let Vertex { position, normal, uv, .. } = vertex;
    let [position, normal] = [position, normal].map(|vector| vector.to_array().map(text_number).into());
    Vertex { position, normal, uv: uv.to_array().map(text_number).into(), ..*vertex }
}

fn rounded_v(mesh: &Mesh, to: Version) -> Option<String> {
    let count = || {
        let mut stored = text::stored_v(&mesh.layout.text);
        let fits = |v: f32| stored.next().is_some_and(|stored| reads_as(stored, v)) || reads_as(1.0 - v, v);
        let fit = mesh.vertices.iter().map(|vertex| vertex.uv.y).map(fits);
        fit.filter(|fits| !fits).count()
    };
    let coordinates = to.is_text().then(|| some(count(), "texture coordinates"))??;
    Some(format!("the exact v of {coordinates} (text stores 1 - v, which is rounded)"))
}

fn round_v(mesh: &mut Mesh) {
    let Mesh { vertices, layout, .. } = mesh;
    let mut stored = text::stored_v(&layout.text);
    for Vertex { uv, .. } in vertices {
        let kept = stored.next().is_some_and(|stored| reads_as(stored, uv.y));
        // Once is enough, except from 2^24 on, where floats are farther apart than 1.
        for _ in 0..4 {
            if !kept && !reads_as(1.0 - uv.y, uv.y) {
                uv.y = 1.0 - (1.0 - uv.y);
            }
        }
    }
}

/// The indices of chunks with unknown bytes that a file of this version would not have.
fn lost_chunks(mesh: &Mesh, to: Version) -> impl Iterator<Item = usize> {
    let written = |kind: ChunkKind| mesh.has(kind) || kind == ChunkKind::Lods;
    let slot = |&kind: &ChunkKind| Some((mesh.layout.slot(kind)?, written(kind)));
    let slots: Vec<(usize, bool)> = ChunkKind::ALL.iter().filter_map(slot).collect();
    let lost = move |index: usize, chunk: &Chunk| {
        let written = slots.iter().find(|(slot, _)| *slot == index).map(|&(_, written)| written);
        match (&chunk.payload, written) {
            // The first chunk of a known name and version belongs to the mesh, even if it is empty.
            (Payload::Kept(_), written) => !to.is_chunked() && written.is_none(),
            (Payload::Model { extra }, None) => to.is_chunked() || !extra.is_empty(),
            (Payload::Model { extra }, Some(written)) => !(extra.is_empty() || to.is_chunked() && written),
        }
    };
    let chunks = mesh.layout.chunks.iter().enumerate();
    chunks.filter(move |&(index, chunk)| lost(index, chunk)).map(|(index, _)| index)
}

/// Whether bytes follow the content of a chunk.
fn has_extra(mesh: &Mesh, at: usize) -> bool {
    matches!(&mesh.layout.chunks[at].payload, Payload::Model { extra } if !extra.is_empty())
}

fn drop_chunks(mesh: &mut Mesh, to: Version) {
    if !to.is_chunked() {
        return mesh.layout.chunks.clear();
    }
    let lost: HashSet<usize> = lost_chunks(mesh, to).collect();
    let mut index = 0;
    mesh.layout.chunks.retain(|_| {
        index += 1;
        !lost.contains(&(index - 1))
    });
}
