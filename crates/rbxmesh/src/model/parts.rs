//! What of a mesh each version can represent. Converting leaves out what this table lists, and writing
//! fails on it: it is the one place that decides.

use geom::Rgba8;

use crate::consts::{ChunkKind, LodType, Version};
use crate::model::{Chunk, Lods, Mesh, Payload, Tangent, select};

/// A part of a mesh that not every version can represent.
pub(crate) struct Part {
    pub(crate) path: &'static str,
    /// What a version cannot represent of it; `None` where nothing is lost.
    pub(crate) lost: fn(&Mesh, Version) -> Option<String>,
    /// Leaves out what is lost.
    pub(crate) drop: fn(&mut Mesh, Version),
}

/// Every such part, in an order in which one can be left out after the other.
pub(crate) const PARTS: &[Part] = &[
    Part { path: "lods", lost: lost_levels, drop: |mesh, _| mesh.lods.offsets.clear() },
    Part {
        path: "lods.kind",
        lost: |mesh, to| {
            let kind = mesh.lods.kind;
            (!to.has_skin() && kind != LodType::NONE).then(|| format!("how levels were made: {kind:?}"))
        },
        drop: |mesh, _| mesh.lods.kind = LodType::NONE,
    },
    Part {
        path: "lods.high_quality",
        lost: |mesh, to| {
            let (ours, usual) = (mesh.lods.high_quality, Lods::default().high_quality);
            (!to.has_skin() && ours != usual).then(|| format!("{ours} levels of high quality"))
        },
        drop: |mesh, _| mesh.lods.high_quality = Lods::default().high_quality,
    },
    Part {
        path: "faces",
        lost: |mesh, to| {
            let (out, first) = select::out_of_range(mesh).filter(|_| to.is_text())?;
            Some(format!("{out} faces with an index that is out of range, faces[{first}] first"))
        },
        drop: |mesh, _| select::sound_faces(mesh),
    },
    Part { path: "vertices", lost: unused_vertices, drop: |mesh, _| select::keep(mesh, 0..mesh.faces.len()) },
    Part { path: "faces", lost: shared_vertices, drop: |mesh, _| select::soup(mesh) },
    Part {
        path: "vertices.color",
        lost: |mesh, to| {
            let count = mesh.vertices.iter().filter(|vertex| vertex.color != Rgba8::WHITE);
            to.is_text().then(|| some(count.count(), "colours other than white"))?
        },
        drop: |mesh, _| mesh.vertices.iter_mut().for_each(|vertex| vertex.color = Rgba8::WHITE),
    },
    Part {
        path: "vertices.tangent",
        lost: |mesh, to| {
            let count = mesh.vertices.iter().filter(|vertex| vertex.tangent != Tangent::ABSENT);
            to.is_text().then(|| some(count.count(), "tangents"))?
        },
        drop: |mesh, _| mesh.vertices.iter_mut().for_each(|vertex| vertex.tangent = Tangent::ABSENT),
    },
    Part { path: "vertices.uv", lost: rounded_v, drop: |mesh, _| round_v(mesh) },
    Part {
        path: "texture_w",
        lost: |mesh, to| {
            let count = mesh.texture_w.iter().filter(|number| number.to_bits() != 0);
            (!to.is_text()).then(|| some(count.count(), "third texture coordinates"))?
        },
        drop: |mesh, _| mesh.texture_w.clear(),
    },
    Part {
        path: "bones",
        lost: |mesh, to| (!to.has_skin()).then(|| some(mesh.bones.len(), "bones"))?,
        drop: |mesh, _| mesh.bones.clear(),
    },
    Part {
        path: "subsets",
        lost: |mesh, to| (!to.has_skin()).then(|| some(mesh.subsets.len(), "subsets"))?,
        drop: |mesh, _| mesh.subsets.clear(),
    },
    Part {
        path: "envelopes",
        // Up to 5.00 a file without bones has no envelopes.
        lost: |mesh, to| {
            let without = !to.has_skin() || mesh.bones.is_empty() && !to.is_chunked();
            without.then(|| some(mesh.envelopes.len(), "envelopes"))?
        },
        drop: |mesh, _| mesh.envelopes.clear(),
    },
    Part {
        path: "facs",
        lost: |mesh, to| {
            let facs = mesh.facs.as_ref().filter(|_| !to.has_facs())?;
            Some(format!("facial animation of {} poses", facs.pose_count()))
        },
        drop: |mesh, _| mesh.facs = None,
    },
    Part {
        path: "visibility",
        lost: |mesh, to| {
            let visibility = mesh.visibility.as_ref().filter(|_| !to.is_chunked())?;
            Some(format!("{} flags of what is always visible", visibility.count))
        },
        drop: |mesh, _| mesh.visibility = None,
    },
    Part {
        path: "layout.facs_unknown",
        lost: |mesh, to| {
            let unknown = mesh.layout.facs_unknown.as_ref()?;
            let kept = to.has_facs() && mesh.facs.is_none() && (unknown.format == 1 || !to.is_chunked());
            let what = || format!("{} bytes of facial animation of an unknown form", unknown.bytes.len());
            (!kept).then(what)
        },
        drop: |mesh, _| mesh.layout.facs_unknown = None,
    },
    Part {
        path: "layout.header_extra",
        lost: |mesh, to| {
            let kept = to.has_header() && to.form() == mesh.version.form();
            (!kept).then(|| some(mesh.layout.header_extra.len(), "bytes of the header"))?
        },
        drop: |mesh, _| mesh.layout.header_extra.clear(),
    },
    Part {
        path: "layout.reserved",
        lost: |mesh, to| {
            let byte = mesh.layout.reserved;
            (!to.has_reserved() && byte != 0).then(|| format!("a byte of the header, {byte}"))
        },
        drop: |mesh, _| mesh.layout.reserved = 0,
    },
    Part {
        path: "layout.vertex_extra",
        lost: |mesh, to| {
            let extra = &mesh.layout.vertex_extra;
            let kept = to.has_strides() && mesh.layout.vertex_extra_each(mesh.vertices.len()).is_some();
            (!kept).then(|| some(extra.len(), "bytes of vertices"))?
        },
        drop: |mesh, _| mesh.layout.vertex_extra.clear(),
    },
    Part {
        path: "layout.face_extra",
        lost: |mesh, to| {
            let kept = to.has_strides() && mesh.layout.face_extra_each(mesh.faces.len()).is_some();
            (!kept).then(|| some(mesh.layout.face_extra.len(), "bytes of faces"))?
        },
        drop: |mesh, _| mesh.layout.face_extra.clear(),
    },
    Part {
        path: "layout.chunks",
        lost: |mesh, to| some(lost_chunks(mesh, to).count(), "chunks with bytes that are not known"),
        drop: drop_chunks,
    },
    Part {
        path: "layout.draco",
        lost: |mesh, to| {
            let Mesh { layout, vertices, faces, .. } = mesh;
            let stream = layout.draco.as_ref().filter(|stream| stream.others > 0)?;
            let same = to == mesh.version && to.is_chunked() && layout.compresses(to);
            let kept = (same || to == Version::V7_00) && stream.contains(vertices, faces);
            (!kept).then(|| format!("{} attributes that vertices do not have", stream.others))
        },
        drop: |mesh, _| mesh.layout.draco = None,
    },
    Part {
        path: "layout.trailing",
        lost: |mesh, to| {
            let kept = to.form() == mesh.version.form();
            (!kept).then(|| some(mesh.layout.trailing.len(), "bytes after the end"))?
        },
        drop: |mesh, _| mesh.layout.trailing.clear(),
    },
];

/// The parts that a version cannot represent, each with what is lost of it.
pub(crate) fn lost(mesh: &Mesh, to: Version) -> impl Iterator<Item = (&'static Part, String)> {
    // Every field is named: one that is added has a row above, or is in every version.
    #[rustfmt::skip]
    let Mesh {
        version: _, vertices: _, faces: _, lods: _, envelopes: _, bones: _, subsets: _, facs: _, visibility: _,
        texture_w: _, layout: _,
    } = mesh;
    PARTS.iter().filter_map(move |part| Some((part, (part.lost)(mesh, to)?)))
}

/// The parts of a mesh that have a chunk, and whether the mesh has something of each to write.
pub(crate) fn has(mesh: &Mesh, kind: ChunkKind) -> bool {
    // Every field is named: one that is added belongs to a chunk, or has none.
    #[rustfmt::skip]
    let Mesh {
        vertices, faces, lods, envelopes, bones, subsets, facs, visibility, layout, version: _, texture_w: _,
    } = mesh;
    match kind {
        ChunkKind::Core => !vertices.is_empty() || !faces.is_empty(),
        ChunkKind::Lods => *lods != Lods::default(),
        ChunkKind::Skinning => {
            // A table of names that belongs to no bone is something too.
            let names = layout.bone_names.as_ref();
            let nameless = names.is_some_and(|names| !names.bytes.is_empty() && names.offsets.is_empty());
            !envelopes.is_empty() || !bones.is_empty() || !subsets.is_empty() || nameless
        }
        ChunkKind::Facs => facs.is_some() || layout.facs_unknown.is_some(),
        ChunkKind::Visibility => visibility.is_some(),
    }
}

fn some(count: usize, what: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {what}"))
}

fn lost_levels(mesh: &Mesh, to: Version) -> Option<String> {
    let levels = mesh.levels().len();
    let what = || format!("the limits between {levels} levels of detail, whose faces become one level");
    (!to.has_lods() && levels > 1).then(what)
}

/// Text has a vertex for each corner of a face and no other.
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
    let what = || format!("{} indices: each corner of a face gets a vertex of its own", corners.len());
    (to.is_text() && !own).then(what)
}

/// The v that text contains for a vertex; reading gives 1 - v.
fn reads_as(stored: f32, v: f32) -> bool {
    let read = 1.0 - stored;
    read.to_bits() == v.to_bits() || read.is_nan() && v.is_nan()
}

fn rounded_v(mesh: &Mesh, to: Version) -> Option<String> {
    let kept = |index: usize| mesh.layout.texture_v.get(index).copied();
    let fits = |(index, v): (usize, f32)| {
        reads_as(1.0 - v, v) || kept(index).is_some_and(|stored| reads_as(stored, v))
    };
    let count = || mesh.vertices.iter().map(|vertex| vertex.uv.y).enumerate().filter(|&at| !fits(at)).count();
    to.is_text().then(|| some(count(), "texture coordinates, rounded, since text has v upwards"))?
}

fn round_v(mesh: &mut Mesh) {
    let Mesh { vertices, layout, .. } = mesh;
    layout.texture_v.resize(vertices.len(), f32::NAN);
    for (vertex, stored) in vertices.iter_mut().zip(&mut layout.texture_v) {
        if !reads_as(*stored, vertex.uv.y) {
            *stored = 1.0 - vertex.uv.y;
            vertex.uv.y = 1.0 - *stored;
        }
    }
}

/// The indices of the chunks with unknown bytes that a file of a version would not have.
fn lost_chunks(mesh: &Mesh, to: Version) -> impl Iterator<Item = usize> {
    let written = |kind: ChunkKind| has(mesh, kind) || kind == ChunkKind::Lods;
    let slot = |&kind: &ChunkKind| Some((mesh.layout.slot(kind)?, written(kind)));
    let slots: Vec<(usize, bool)> = ChunkKind::ALL.iter().filter_map(slot).collect();
    let lost = move |index: usize, chunk: &Chunk| {
        let written = slots.iter().find(|(slot, _)| *slot == index).map(|&(_, written)| written);
        match (&chunk.payload, written) {
            // The first of a known name and version is the mesh's, even where it is empty.
            (Payload::Kept(_), written) => !to.is_chunked() && written.is_none(),
            (Payload::Model { extra }, None) => to.is_chunked() || !extra.is_empty(),
            (Payload::Model { extra }, Some(written)) => !(extra.is_empty() || to.is_chunked() && written),
        }
    };
    let chunks = mesh.layout.chunks.iter().enumerate();
    chunks.filter(move |&(index, chunk)| lost(index, chunk)).map(|(index, _)| index)
}

fn drop_chunks(mesh: &mut Mesh, to: Version) {
    if !to.is_chunked() {
        return mesh.layout.chunks.clear();
    }
    let lost: std::collections::HashSet<usize> = lost_chunks(mesh, to).collect();
    let mut index = 0;
    mesh.layout.chunks.retain(|_| {
        index += 1;
        !lost.contains(&(index - 1))
    });
}
