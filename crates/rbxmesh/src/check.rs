//! What the format demands and a reader need not refuse.

use std::collections::HashMap;

use crate::consts::{BONES_PER_SUBSET, ChunkTag, NO_BONE};
use crate::finding::{Finding, Findings};
use crate::model::{BoneNames, Chunk, Mesh, Payload};

/// Every rule of the format that the mesh breaks: an entry per rule, with the first place and how
/// many there are. A mesh in which this finds nothing loads in every program that keeps the rules.
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
            findings.error("positions are finite", || {
                (format!("vertices[{index}].position"), format!("{:?}", vertex.position.to_array()))
            });
        }
        let length = vertex.normal.length();
        if length.is_nan() || (length - 1.0).abs() > 0.01 {
            findings.warning("normals have length 1", || {
                (format!("vertices[{index}].normal"), format!("a length of {length}"))
            });
        }
        if !(vertex.uv.x.is_finite() && vertex.uv.y.is_finite()) {
            findings.error("texture coordinates are finite", || {
                (format!("vertices[{index}].uv"), format!("{:?}", vertex.uv.to_array()))
            });
        }
    }
    let third = mesh.texture_w.len();
    if third != 0 && third != mesh.vertices.len() {
        findings.error("a column is empty or has one entry per vertex", || {
            ("texture_w".into(), format!("{third} entries for {} vertices", mesh.vertices.len()))
        });
    }
}

fn faces(mesh: &Mesh, findings: &mut Findings) {
    for (index, face @ &[a, b, c]) in mesh.faces.iter().enumerate() {
        if let Some(vertex) = face.iter().find(|&&vertex| vertex as usize >= mesh.vertices.len()) {
            findings.error("every index of a face names a vertex", || {
                (format!("faces[{index}]"), format!("vertex {vertex} of {}", mesh.vertices.len()))
            });
        }
        if a == b || b == c || c == a {
            findings.warning("a face has three different vertices", || {
                (format!("faces[{index}]"), format!("{face:?}"))
            });
        }
    }
}

fn lods(mesh: &Mesh, findings: &mut Findings) {
    let offsets = &mesh.lods.offsets;
    for (level, pair) in offsets.windows(2).enumerate() {
        // (0, 0) is how files without levels are often written.
        if pair[1] < pair[0] || (pair[1] == pair[0] && offsets.len() > 2) {
            findings.error("offsets of levels rise", || {
                (format!("lods.offsets[{}]", level + 1), format!("{} behind {}", pair[1], pair[0]))
            });
        }
    }
    if let Some(&first) = offsets.first().filter(|&&first| first != 0) {
        findings.error("the first level begins at face 0", || ("lods.offsets[0]".into(), first.to_string()));
    }
    if let Some((level, &end)) =
        offsets.iter().enumerate().find(|&(_, &offset)| offset as usize > mesh.faces.len())
    {
        findings.error("levels end within the faces", || {
            (format!("lods.offsets[{level}]"), format!("{end} of {} faces", mesh.faces.len()))
        });
    }
}

fn bones(mesh: &Mesh, findings: &mut Findings) {
    for (index, bone) in mesh.bones.iter().enumerate() {
        for (field, parent) in [("parent", bone.parent), ("lod_parent", bone.lod_parent)] {
            if parent != NO_BONE && usize::from(parent) >= mesh.bones.len() {
                findings.error("the parent of a bone is a bone or none", || {
                    (format!("bones[{index}].{field}"), format!("bone {parent} of {}", mesh.bones.len()))
                });
            } else if parent != NO_BONE && usize::from(parent) >= index {
                findings.error("parents come before their children", || {
                    (format!("bones[{index}].{field}"), format!("bone {parent}"))
                });
            }
        }
        let finite = bone.position.is_finite() && bone.rotation.to_rows().iter().all(|n| n.is_finite());
        if !finite {
            findings.error("bind poses are finite", || {
                (format!("bones[{index}].position"), format!("{:?}", bone.position.to_array()))
            });
        }
    }
    let Some(BoneNames { bytes, offsets }) = &mesh.layout.bone_names else { return };
    for (index, &offset) in offsets.iter().enumerate() {
        if offset as usize >= bytes.len() {
            findings.error("names of bones stand within the table", || {
                (
                    format!("bones[{index}].name"),
                    format!("offset {offset} in a table of {} bytes", bytes.len()),
                )
            });
        }
    }
}

fn subsets(mesh: &Mesh, findings: &mut Findings) {
    // How often each vertex is in a subset, as differences at the ends of the subsets.
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
                findings.error("subsets end within the vertices and the faces", || {
                    (at(&format!("{what}_len")), format!("{end} of {have} {what}"))
                });
            }
        }
        let begin = u64::from(subset.vertices_begin);
        ends.extend([(begin, 1), (begin + u64::from(subset.vertices_len), -1)]);
        if subset.bones_len as usize > BONES_PER_SUBSET {
            findings
                .error("a subset names at most 26 bones", || (at("bones_len"), subset.bones_len.to_string()));
        }
        if let Some(bone) = subset.bones().iter().find(|&&bone| usize::from(bone) >= mesh.bones.len()) {
            findings.error("subsets name bones of the mesh", || {
                (at("bone_table"), format!("bone {bone} of {}", mesh.bones.len()))
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
            findings.error("subsets do not overlap", || {
                (format!("vertices[{vertex}]"), "a vertex of two subsets".into())
            });
        }
        covered = covered.max(vertex);
    }
    let vertices = mesh.vertices.len() as u64;
    if covered < vertices && !mesh.bones.is_empty() {
        uncovered(findings, covered, vertices);
    }
}

fn uncovered(findings: &mut Findings, begin: u64, end: u64) {
    findings.error("every vertex of a skinned mesh is in a subset", || {
        (format!("vertices[{begin}]"), format!("{} vertices of no subset", end - begin))
    });
}

fn envelopes(mesh: &Mesh, findings: &mut Findings) {
    if mesh.envelopes.len() != mesh.vertices.len() {
        findings.error("a skinned mesh has an envelope per vertex", || {
            ("envelopes".into(), format!("{} for {} vertices", mesh.envelopes.len(), mesh.vertices.len()))
        });
    }
    for (index, envelope) in mesh.envelopes.iter().enumerate() {
        let at = |field: &str| format!("envelopes[{index}].{field}");
        let sum: u16 = envelope.weights.iter().map(|&weight| u16::from(weight)).sum();
        if sum != 255 {
            findings.error("the weights of a vertex sum to 255", || (at("weights"), sum.to_string()));
        }
        if !envelope.weights.is_sorted_by(|a, b| a >= b) {
            findings.warning("the weights of a vertex fall", || {
                (at("weights"), format!("{:?}", envelope.weights))
            });
        }
        let used = envelope.weights.iter().filter(|&&weight| weight > 0).count();
        if mesh.influences(index).count() < used {
            findings.error("the places of an envelope lead to bones", || {
                (at("indices"), format!("{:?}", envelope.indices))
            });
        }
    }
}

fn facs(mesh: &Mesh, findings: &mut Findings) {
    let Some(facs) = &mesh.facs else { return };
    let (rows, columns) = (facs.face_bones.len(), facs.pose_count());
    for (index, matrix) in
        facs.transforms.iter().flat_map(|t| t.position.iter().chain(&t.rotation)).enumerate()
    {
        if (matrix.rows as usize, matrix.columns as usize) != (rows, columns) {
            findings.error("the transforms have a row per face bone and a column per pose", || {
                let what =
                    format!("{} × {} for {rows} bones and {columns} poses", matrix.rows, matrix.columns);
                (format!("facs.transforms[{index}]"), what)
            });
        }
    }
    let two = facs.two_pose.iter().map(|pose| pose.as_slice());
    let three = facs.three_pose.iter().map(|pose| pose.as_slice());
    for (index, pose) in two.chain(three).enumerate() {
        if pose.iter().any(|&control| usize::from(control) >= facs.controls.len()) {
            findings.error("correctives name controls", || {
                (
                    format!("facs.correctives[{index}]"),
                    format!("{pose:?} of {} controls", facs.controls.len()),
                )
            });
        }
    }
}

/// What only 6.00 and 7.00 have.
fn chunks(mesh: &Mesh, findings: &mut Findings) {
    if let Some(visibility) = &mesh.visibility
        && visibility.bits.len() != visibility.count.div_ceil(8) as usize
    {
        findings.error("visibility has a bit per flag", || {
            let what = format!("{} bytes of {} flags", visibility.bits.len(), visibility.count);
            ("visibility.bits".into(), what)
        });
    }
    if !mesh.version.is_chunked() {
        return;
    }
    let chunks = &mesh.layout.chunks;
    let at = |index: usize, chunk: &Chunk| {
        (format!("layout.chunks[{index}]"), format!("{:?} of version {}", chunk.tag, chunk.version))
    };
    // Known names are few; chunks may be many.
    let mut slots = HashMap::new();
    for (index, chunk) in chunks.iter().enumerate() {
        if !chunk.is_known() {
            findings.warning("chunks are of a known name and version", || at(index, chunk));
        } else if *slots.entry(chunk.tag.name()).or_insert_with(|| Chunk::slot(chunks, chunk.tag))
            != Some(index)
        {
            findings.warning("a chunk comes once", || at(index, chunk));
        }
        if matches!(&chunk.payload, Payload::Model { extra } if !extra.is_empty()) {
            findings.warning("a chunk ends with what is known of it", || at(index, chunk));
        }
    }
    let core = Chunk::slot(chunks, ChunkTag::COREMESH).and_then(|slot| chunks.get(slot));
    if !chunks.is_empty() && core.is_none_or(|chunk| !chunk.is_known()) {
        findings.error("a mesh has vertices and faces in a COREMESH of version 1 or 2", || {
            ("layout.chunks".into(), "none".into())
        });
    }
    if !mesh.layout.trailing.is_empty() {
        findings.warning("a file ends with its last chunk", || {
            ("layout.trailing".into(), format!("{} bytes", mesh.layout.trailing.len()))
        });
    }
}
