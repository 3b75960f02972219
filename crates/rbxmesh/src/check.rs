//! Checks a mesh against the rules that reading does not enforce.

use crate::consts::{BONES_PER_SUBSET, ChunkKind, Version};
use crate::model::{BoneNames, Chunk, DracoStream, Mesh, Payload};
use geom::wire::{Counted, Finding, Findings, found, report, rules};

rules! {
    "rbxmesh":
    POSITIONS = Error("positions", "every vertex position is finite");
    NORMALS = Warning("normals", "every vertex normal has the length 1");
    UVS = Error("texture-coordinates", "the texture coordinates of every vertex are finite");
    TEXTURE_W = Error("texture-w", "the list `texture_w` (the w components of texture coordinates) is empty or has one entry per vertex");
    INDICES = Error("indices", "every vertex index of a face refers to a vertex of the mesh");
    DEGENERATE = Warning("degenerate-faces", "a face has three different vertices");
    LOD_MISSING = Error("lod-offsets", "a mesh of version 3.00 or later has 2 or more offsets of levels of detail: \
        a mesh with one level has the offsets 0 and the number of faces");
    LOD_ORDER = Error("lod-order", "the offsets of the levels of detail begin with 0, and each further one is \
        greater than the one before it");
    LOD_RANGE = Error("lod-range", "the last offset of the levels of detail is the number of faces (if there are only \
        two offsets, both may be 0)");
    BONE_PARENTS = Error("bone-parents", "the parent of a bone is a bone of the mesh");
    BONE_ORDER = Error("bone-order", "the parent of a bone comes before the bone");
    BIND_POSES = Error("bind-poses", "every number of a bind pose is finite");
    BONE_NAMES = Error("bone-names", "the name offset of a bone is within the table of names");
    SUBSET_RANGE = Error("subset-range", "the vertex range and the face range of a subset end within the mesh");
    SUBSET_BONES = Error("subset-bones", "a subset lists at most 26 bones, and all of them are bones of the mesh");
    SUBSET_OVERLAP = Error("subset-overlap", "a vertex is in at most one subset");
    SUBSET_COVER = Error("subset-cover", "every vertex of a skinned mesh is in a subset");
    ENVELOPES = Error("envelopes", "a skinned mesh has one envelope (bone indices and weights) per vertex");
    WEIGHT_SUM = Error("weight-sum", "the weights of a vertex sum to 255");
    WEIGHT_ORDER = Warning("weight-order", "the weights of a vertex are in descending order");
    ENVELOPE_BONES = Error("envelope-bones", "the bone indices of a vertex refer to bones of its subset, or of the mesh if it has no subsets");
    FACS_MISSING = Warning("facs-missing", "a mesh of version 5.00 has facial animation (some programs refuse meshes without it)");
    FACS_SIZE = Error("facs-size", "a transform matrix of the facial animation has one row per face bone and one column per pose");
    FACS_CONTROLS = Error("facs-controls", "a corrective pose refers to existing controls");
    VISIBILITY = Error("visibility", "the visibility data (chunk HSRAVIS) has one bit per flag");
    CHUNK_UNKNOWN = Warning("chunk-unknown", "a chunk has a known name and version");
    CHUNK_TWICE = Warning("chunk-twice", "a file has at most one chunk of each name");
    CHUNK_EXTRA = Warning("chunk-extra", "no bytes follow the known content of a chunk");
    CHUNK_CORE = Error("chunk-core", "a mesh of version 6.00 or 7.00 has a COREMESH chunk of version 1 or 2, with the vertices and faces");
    DRACO_FIELDS = Warning("draco-fields", "a Draco stream has an attribute for every field of a vertex (position, normal, \
        texture coordinates, tangent, colour)");
    TRAILING = Warning("trailing", "no bytes follow the last chunk of the file");
}

/// Returns one finding for each rule that the mesh violates, with the first violation and the number of violations. A
/// mesh without findings loads in every program that follows the format.
pub fn check(mesh: &Mesh) -> Vec<Finding> {
    let mut findings = Findings::default();
    vertices(mesh, &mut findings);
    faces(mesh, &mut findings);
    lods(mesh, &mut findings);
    if !mesh.bones.is_empty() || !mesh.envelopes.is_empty() || !mesh.subsets.is_empty() {
        bones(mesh, &mut findings);
        subsets(mesh, &mut findings);
        envelopes(mesh, &mut findings);
    }
    facs(mesh, &mut findings);
    chunks(mesh, &mut findings);
    findings.into_vec()
}

fn vertices(mesh: &Mesh, findings: &mut Findings) {
    for (index, vertex) in mesh.vertices.iter().enumerate() {
        if !vertex.position.is_finite() {
            found!(
                findings,
                POSITIONS,
                "vertices[{index}].position",
                "found {:?}",
                vertex.position.to_array()
            );
        }
        let length = vertex.normal.length();
        if length.is_nan() || (length - 1.0).abs() > 0.01 {
            findings.add(NORMALS, || {
                (format!("vertices[{index}].normal"), format!("expected the length 1, found {length}"))
            });
        }
        if !(vertex.uv.x.is_finite() && vertex.uv.y.is_finite()) {
            findings
                .add(UVS, || (format!("vertices[{index}].uv"), format!("found {:?}", vertex.uv.to_array())));
        }
    }
    let third = mesh.texture_w.len();
    if third != 0 && third != mesh.vertices.len() {
        let expected = Counted::new(mesh.vertices.len(), "entries");
        found!(findings, TEXTURE_W, "texture_w", "expected {expected} (one per vertex), found {third}");
    }
}

fn faces(mesh: &Mesh, findings: &mut Findings) {
    for (index, face @ &[a, b, c]) in mesh.faces.iter().enumerate() {
        if let Some(vertex) = face.iter().find(|&&vertex| vertex as usize >= mesh.vertices.len()) {
            found!(
                findings,
                INDICES,
                "faces[{index}]",
                "vertex index {vertex} is out of range (the mesh has {})",
                Counted::new(mesh.vertices.len(), "vertices")
            );
        }
        report!(
            findings,
            a == b || b == c || c == a,
            DEGENERATE,
            "faces[{index}]",
            "found the vertex indices {face:?}"
        );
    }
}

fn lods(mesh: &Mesh, findings: &mut Findings) {
    let (faces, layout) = (mesh.faces.len(), &mesh.layout);
    let offsets = &mesh.lods.offsets;
    if mesh.lods.is_single() {
        let without =
            mesh.version.is_chunked() && !layout.chunks.is_empty() && layout.slot(ChunkKind::Lods).is_none();
        let few = layout.lod_offsets.as_ref().map(Vec::len).filter(|&len| len < 2);
        if let Some(len) = few.or(without.then_some(0)).filter(|_| mesh.version.has_lods()) {
            findings.add(LOD_MISSING, || {
                let chunk = if without { " (the file has no LODS chunk)" } else { "" };
                ("layout.lod_offsets".into(), format!("expected 2 or more offsets, found {len}{chunk}"))
            });
        }
        // Some real files have the offsets (0, 0), which are valid.
        if let Some([begin, end]) = layout.lod_offsets.as_deref() {
            ends("layout.lod_offsets", [*begin, *end], if *end == 0 { 0 } else { faces }, 1, findings);
        }
        return;
    }
    if let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) {
        ends("lods.offsets", [first, last], faces, offsets.len() - 1, findings);
    }
    for (level, pair) in offsets.windows(2).enumerate() {
        if pair[1] <= pair[0] {
            findings.add(LOD_ORDER, || {
                (
                    format!("lods.offsets[{}]", level + 1),
                    format!("found {}, which is not greater than the offset before it, {}", pair[1], pair[0]),
                )
            });
        }
    }
}

/// Checks the first and the last of the offsets at a path.
fn ends(path: &str, [first, last]: [u32; 2], faces: usize, at: usize, findings: &mut Findings) {
    if first != 0 {
        findings.add(LOD_ORDER, || (format!("{path}[0]"), format!("expected 0, found {first}")));
    }
    if last as usize != faces {
        let found = || format!("expected {faces} (the number of faces), found {last}");
        findings.add(LOD_RANGE, || (format!("{path}[{at}]"), found()));
    }
}

fn bones(mesh: &Mesh, findings: &mut Findings) {
    for (index, bone) in mesh.bones.iter().enumerate() {
        for (field, parent) in [("parent", bone.parent), ("lod_parent", bone.lod_parent)] {
            let Some(parent) = parent else { continue };
            if usize::from(parent) >= mesh.bones.len() {
                findings.add(BONE_PARENTS, || {
                    let bones = Counted::new(mesh.bones.len(), "bones");
                    (
                        format!("bones[{index}].{field}"),
                        format!("bone index {parent} is out of range (the mesh has {bones})"),
                    )
                });
            } else if usize::from(parent) >= index {
                let found = || format!("the parent, bone {parent}, does not come before bone {index}");
                findings.add(BONE_ORDER, || (format!("bones[{index}].{field}"), found()));
            }
        }
        if !bone.position.is_finite() {
            let found = || format!("found {:?}", bone.position.to_array());
            findings.add(BIND_POSES, || (format!("bones[{index}].position"), found()));
        } else if !bone.rotation.to_rows().iter().all(|number| number.is_finite()) {
            let found = || format!("found {:?}", bone.rotation.to_rows());
            findings.add(BIND_POSES, || (format!("bones[{index}].rotation"), found()));
        }
    }
    let Some(BoneNames { bytes, offsets }) = &mesh.layout.bone_names else { return };
    for (index, &offset) in offsets.iter().enumerate() {
        if offset as usize >= bytes.len() {
            findings.add(BONE_NAMES, || {
                let bytes = Counted::new(bytes.len(), "bytes");
                (
                    format!("bones[{index}].name"),
                    format!("offset {offset} is out of range (the table of names has {bytes})"),
                )
            });
        }
    }
}

fn subsets(mesh: &Mesh, findings: &mut Findings) {
    // The vertices where the number of subsets changes, with the difference: +1 at the start of a subset, −1 at its
    // end.
    let mut ends: Vec<(u64, i32)> = Vec::new();
    for (index, subset) in mesh.subsets.iter().enumerate() {
        let at = |field: &str| format!("subsets[{index}].{field}");
        let parts = [
            ("vertices", subset.vertices_begin, subset.vertices_len, mesh.vertices.len()),
            ("faces", subset.faces_begin, subset.faces_len, mesh.faces.len()),
        ];
        for (what, begin, len, have) in parts {
            let end = u64::from(begin) + u64::from(len);
            if end > have as u64 {
                found!(
                    findings,
                    SUBSET_RANGE,
                    at(&format!("{what}_len")),
                    "the range ends at {end}, but the mesh has {}",
                    Counted::new(have, what)
                );
            }
        }
        // Vertices beyond the last one neither overlap nor count as covered.
        let last = mesh.vertices.len() as u64;
        let begin = u64::from(subset.vertices_begin).min(last);
        let end = (begin + u64::from(subset.vertices_len)).min(last);
        if begin < end {
            ends.extend([(begin, 1), (end, -1)]);
        }
        if subset.bones_len as usize > BONES_PER_SUBSET {
            let found = || format!("expected at most {BONES_PER_SUBSET} bones, found {}", subset.bones_len);
            findings.add(SUBSET_BONES, || (at("bones_len"), found()));
        }
        if let Some(bone) = subset.bones().iter().find(|&&bone| usize::from(bone) >= mesh.bones.len()) {
            findings.add(SUBSET_BONES, || {
                let bones = Counted::new(mesh.bones.len(), "bones");
                (at("bone_table"), format!("bone index {bone} is out of range (the mesh has {bones})"))
            });
        }
    }
    ends.sort_unstable();
    let (mut covered, mut depth) = (0, 0);
    for (vertex, step) in ends {
        if depth == 0 && vertex > covered {
            uncovered(findings, covered, vertex);
        }
        depth += step;
        if depth > 1 && step > 0 {
            found!(findings, SUBSET_OVERLAP, "vertices[{vertex}]", "the vertex is in more than one subset");
        }
        covered = covered.max(vertex);
    }
    let vertices = mesh.vertices.len() as u64;
    if covered < vertices && !mesh.bones.is_empty() {
        uncovered(findings, covered, vertices);
    }
}

fn uncovered(findings: &mut Findings, begin: u64, end: u64) {
    findings.add(SUBSET_COVER, || {
        let found = match end - begin {
            1 => "the vertex is in no subset".to_owned(),
            count => format!("{count} vertices, starting with this one, are in no subset"),
        };
        (format!("vertices[{begin}]"), found)
    });
}

fn envelopes(mesh: &Mesh, findings: &mut Findings) {
    if mesh.envelopes.len() != mesh.vertices.len() {
        findings.add(ENVELOPES, || {
            let expected = Counted::new(mesh.vertices.len(), "envelopes");
            (
                "envelopes".into(),
                format!("expected {expected} (one per vertex), found {}", mesh.envelopes.len()),
            )
        });
    }
    let skin = mesh.skin();
    for (index, envelope) in mesh.envelopes.iter().enumerate() {
        let at = |field: &str| format!("envelopes[{index}].{field}");
        let sum: u16 = envelope.weights.iter().map(|&weight| u16::from(weight)).sum();
        report!(findings, sum != 255, WEIGHT_SUM, at("weights"), "expected the sum 255, found {sum}");
        if !envelope.weights.is_sorted_by(|a, b| a >= b) {
            findings
                .add(WEIGHT_ORDER, || (at("weights"), format!("found the weights {:?}", envelope.weights)));
        }
        let used = envelope.weights.iter().filter(|&&weight| weight > 0).count();
        if skin.influences(index).count() < used {
            let found = || {
                let used =
                    std::iter::zip(envelope.indices, envelope.weights).filter(|(_, weight)| *weight > 0);
                let used: Vec<u8> = used.map(|(index, _)| index).collect();
                let known = match skin.subset(index) {
                    Some(subset) => match mesh.subsets[subset].bones().len() {
                        len if used.iter().all(|&index| usize::from(index) < len) => {
                            "the subset refers to a bone that the mesh does not have".to_owned()
                        }
                        len => format!("the subset of the vertex has only {}", Counted::new(len, "bones")),
                    },
                    None if mesh.subsets.is_empty() => {
                        format!("the mesh has only {}", Counted::new(mesh.bones.len(), "bones"))
                    }
                    None => "the vertex is in no subset".to_owned(),
                };
                format!("found the bone indices {used:?} with weights above 0, but {known}")
            };
            findings.add(ENVELOPE_BONES, || (at("indices"), found()));
        }
    }
}

fn facs(mesh: &Mesh, findings: &mut Findings) {
    let Some(facs) = &mesh.facs else {
        let unknown = mesh.layout.facs_unknown.as_ref();
        if mesh.version == Version::V5_00 && unknown.is_none_or(|unknown| unknown.bytes.is_empty()) {
            let found = "found no facial animation (convert to version 4.01, which does not need it)";
            findings.add(FACS_MISSING, || ("facs".into(), found.into()));
        }
        return;
    };
    // Counted once, since counting names reads all of their bytes.
    let (rows, controls) = (facs.face_bones.len(), facs.controls.len());
    let columns = controls + facs.two_pose.len() + facs.three_pose.len();
    if let Some(transforms) = &facs.transforms {
        for (name, three) in [("position", &transforms.position), ("rotation", &transforms.rotation)] {
            for (index, matrix) in three.iter().enumerate() {
                if (matrix.rows as usize, matrix.columns as usize) != (rows, columns) {
                    findings.add(FACS_SIZE, || {
                        let size = format!("{} × {}", matrix.rows, matrix.columns);
                        let found = format!("expected {rows} × {columns} numbers, found {size}");
                        (format!("facs.transforms.{name}[{index}]"), found)
                    });
                }
            }
        }
    }
    let two = facs.two_pose.iter().map(|pose| pose.as_slice()).enumerate().map(|pose| ("two", pose));
    let three = facs.three_pose.iter().map(|pose| pose.as_slice()).enumerate().map(|pose| ("three", pose));
    for (name, (index, pose)) in two.chain(three) {
        if pose.iter().any(|&control| usize::from(control) >= controls) {
            found!(
                findings,
                FACS_CONTROLS,
                "facs.{name}_pose[{index}]",
                "a control index in {pose:?} is out of range (the mesh has {})",
                Counted::new(controls, "controls")
            );
        }
    }
}

/// Rules for content that only 6.00 and 7.00 have.
fn chunks(mesh: &Mesh, findings: &mut Findings) {
    if let Some(visibility) = &mesh.visibility
        && visibility.bits.len() != visibility.count.div_ceil(8) as usize
    {
        findings.add(VISIBILITY, || {
            let count = visibility.count;
            let bytes = Counted(count.div_ceil(8).into(), "bytes");
            let found = format!("expected {bytes} (for {count} flags), found {}", visibility.bits.len());
            ("visibility.bits".into(), found)
        });
    }
    if !mesh.version.is_chunked() {
        return;
    }
    let chunks = &mesh.layout.chunks;
    let at = |index: usize, which: &str, chunk: &Chunk| {
        (
            format!("layout.chunks[{index}]"),
            format!("found {which}: \"{:?}\" of version {}", chunk.tag, chunk.version),
        )
    };
    // Computed once per known name, since there may be many chunks.
    let slots: Vec<_> = ChunkKind::ALL.iter().map(|&kind| (kind, mesh.layout.slot(kind))).collect();
    for (index, chunk) in chunks.iter().enumerate() {
        match chunk.kind() {
            None => findings.add(CHUNK_UNKNOWN, || at(index, "a chunk of unknown name or version", chunk)),
            Some(kind) if !slots.contains(&(kind, Some(index))) => {
                findings.add(CHUNK_TWICE, || at(index, "another chunk of the same name", chunk));
            }
            Some(_) => {}
        }
        if let Payload::Model { extra } = &chunk.payload
            && !extra.is_empty()
        {
            let bytes = Counted::new(extra.len(), "bytes");
            let found = || format!("found {bytes} after the known content of the {:?} chunk", chunk.tag);
            findings.add(CHUNK_EXTRA, || (format!("layout.chunks[{index}].payload"), found()));
        }
    }
    if !chunks.is_empty() && mesh.layout.slot(ChunkKind::Core).is_none() {
        findings.add(CHUNK_CORE, || {
            let chunks = Counted::new(chunks.len(), "chunks");
            ("layout.chunks".into(), format!("found {chunks}, but no COREMESH chunk of version 1 or 2"))
        });
    }
    let missing = mesh.layout.draco.as_ref().map_or(&[][..], DracoStream::missing_fields);
    if !missing.is_empty() {
        found!(findings, DRACO_FIELDS, "layout.draco", "found no attribute for {}", missing.join(", "));
    }
    if !mesh.layout.trailing.is_empty() {
        found!(
            findings,
            TRAILING,
            "layout.trailing",
            "found {}",
            Counted::new(mesh.layout.trailing.len(), "bytes after the last chunk")
        );
    }
}
