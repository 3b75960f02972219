//! Converts every fixture to every version. The list of what was dropped must be exactly what differs, field by field,
//! between the mesh and the file of the other version after it was read.
#![allow(
    clippy::cast_possible_truncation,
    clippy::type_complexity,
    clippy::unwrap_used,
    reason = "small numbers, and a test that fails here has failed"
)]

use std::collections::BTreeSet;

use rbxmesh::geom::Rgba8;
use rbxmesh::{Layout, LodChoice, Lods, Mesh, Payload, Tangent, Version, Vertex};
use testkit::{Sample, corpus, fixtures};

/// A vertex as bits, with all NaNs equal.
fn bits(vertex: &Vertex) -> [u32; 8] {
    let Vertex { position: p, normal: n, uv, .. } = vertex;
    let canonical = |number: f32| if number.is_nan() { f32::NAN.to_bits() } else { number.to_bits() };
    [p.x, p.y, p.z, n.x, n.y, n.z, uv.x, uv.y].map(canonical)
}

/// A corner of a face: its vertex as bits, its colour and its tangent.
type Corner = ([u32; 8], Rgba8, Tangent);

fn corners(mesh: &Mesh, faces: &[[u32; 3]]) -> Vec<Option<Corner>> {
    let corner = |&index: &u32| {
        let vertex = mesh.vertices.get(index as usize)?;
        Some((bits(vertex), vertex.color, vertex.tangent))
    };
    faces.iter().flatten().map(corner).collect()
}

/// The bytes of chunks that no part of the model represents: unknown chunks, repeated ones, and bytes after a part.
fn unknown_chunks(mesh: &Mesh) -> Vec<Vec<u8>> {
    let mut seen = BTreeSet::new();
    let chunks = mesh.layout.chunks.iter().filter_map(|chunk| match &chunk.payload {
        Payload::Model { extra } => {
            seen.insert(chunk.tag.name().to_vec());
            (!extra.is_empty()).then(|| extra.clone())
        }
        // An empty known chunk is not a loss.
        Payload::Kept(bytes) => {
            let first = seen.insert(chunk.tag.name().to_vec());
            (!chunk.is_known() || !first).then(|| bytes.clone())
        }
    });
    chunks.collect()
}

/// The paths of the fields in which `after` lacks something of `before`.
fn differences(before: &Mesh, after: &Mesh, lods: LodChoice) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut differ = |path: &'static str, differs: bool| {
        if differs {
            found.insert(path);
        }
    };
    let levels = |mesh: &Mesh| mesh.levels().map(<[_]>::len).collect::<Vec<_>>();
    let cut = levels(before) != levels(after) && before.levels().len() > 1;
    differ("lods", cut);
    differ("lods.kind", before.lods.kind != after.lods.kind);
    differ("lods.high_quality", before.lods.high_quality != after.lods.high_quality);

    // The faces that must remain, with corners in the same order.
    let kept = match lods {
        LodChoice::First if cut => before.levels().next().unwrap_or_default(),
        _ => &before.faces,
    };
    let sound: Vec<_> = kept
        .iter()
        .filter(|face| face.iter().all(|&index| (index as usize) < before.vertices.len()))
        .copied()
        .collect();
    let (ours, theirs) = (corners(before, &sound), corners(after, &after.faces));
    let whole = corners(before, kept);
    let text = after.version.is_text();
    let (ours, faces_lost) = if text { (ours, sound.len() != kept.len()) } else { (whole, false) };
    assert_eq!(ours.len(), theirs.len(), "faces are lost");
    let pairs = || ours.iter().flatten().zip(theirs.iter().flatten());
    differ("vertices.color", pairs().any(|(a, b)| a.1 != b.1));
    differ("vertices.tangent", pairs().any(|(a, b)| a.2 != b.2));
    differ("vertices.uv", pairs().any(|(a, b)| a.0[7] != b.0[7]));
    assert!(pairs().all(|(a, b)| a.0[..7] == b.0[..7]), "a position, a normal or a u changed");
    let used: BTreeSet<u32> = kept.iter().flatten().copied().collect();
    let unused = (0..before.vertices.len()).filter(|&index| !used.contains(&(index as u32))).count();
    if cut && lods == LodChoice::First {
        assert!(after.vertices.len() >= used.len().min(before.vertices.len()));
    } else if text {
        differ("vertices", unused > 0);
    } else {
        assert_eq!(before.vertices.len(), after.vertices.len());
    }
    let own = |faces: &[[u32; 3]]| faces.as_flattened().iter().zip(0..).all(|(&a, b): (_, u32)| a == b);
    // Do not count what the removal of levels dropped.
    let shared = if cut || unused > 0 { used.len() < sound.len() * 3 } else { !own(&sound) };
    differ("faces", text && (shared || faces_lost));

    let zero = |column: &[f32]| column.iter().all(|number| number.to_bits() == 0);
    differ("texture_w", zero(&before.texture_w) != zero(&after.texture_w));
    differ("bones", before.bones != after.bones);
    differ("subsets", before.subsets != after.subsets);
    differ("envelopes", before.envelopes != after.envelopes);
    differ("facs", before.facs != after.facs);
    differ("visibility", before.visibility != after.visibility);
    let (a, b) = (&before.layout, &after.layout);
    differ("layout.facs_unknown", a.facs_unknown != b.facs_unknown);
    differ("layout.header_extra", a.header_extra != b.header_extra);
    differ("layout.reserved", a.reserved != b.reserved);
    // Extra bytes of removed vertices and faces are removed with them.
    differ("layout.vertex_extra", !a.vertex_extra.is_empty() && b.vertex_extra.is_empty());
    differ("layout.face_extra", !a.face_extra.is_empty() && b.face_extra.is_empty());
    differ("layout.trailing", a.trailing != b.trailing);
    differ("layout.chunks", unknown_chunks(before) != unknown_chunks(after));
    let others = |layout: &Layout| layout.draco.as_ref().map_or(0, |stream| stream.other_attributes());
    differ("layout.draco", others(a) != others(b));
    found
}

fn all_pairs(name: &str, mesh: &Mesh) {
    for &version in Version::ALL {
        for lods in [LodChoice::First, LodChoice::All] {
            let what = format!("{name} ({}) to {version}, {lods:?}", mesh.version);
            let (converted, dropped) = mesh.to_version(version, lods);
            let bytes = rbxmesh::to_vec(&converted).unwrap_or_else(|error| panic!("{what}: {error}"));
            let read = rbxmesh::from_slice(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(read.version, version, "{what}");
            assert!(read == converted, "{what}: what is written is what was converted");
            let listed: BTreeSet<_> = dropped.iter().map(|dropped| dropped.path).collect();
            assert_eq!(listed, differences(mesh, &read, lods), "{what}");
            // A second conversion drops nothing more.
            let (again, dropped) = read.to_version(version, lods);
            assert!(dropped.is_empty() && again == read, "{what}: {dropped:?}");
        }
    }
}

#[test]
fn what_is_listed_is_what_differs() {
    let mut tried = 0;
    for Sample { name, bytes } in fixtures("rbxmesh") {
        if let Ok(mesh) = rbxmesh::from_slice(&bytes) {
            all_pairs(&name, &mesh);
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
}

#[test]
fn what_is_listed_is_what_differs_in_real_files() {
    for Sample { name, bytes } in corpus("rbxmesh") {
        // Small files only, since each is converted twenty times.
        if bytes.len() < 200_000 {
            all_pairs(&name, &rbxmesh::from_slice(&bytes).expect("reads"));
        }
    }
}

/// Losses that no fixture has: wide records with several levels, vertices that no face uses, a corner out of range, and
/// colours in lower levels.
#[test]
fn meshes_by_hand() {
    let vertex = |index: u8| Vertex {
        position: [f32::from(index), 0.5, -1.0].into(),
        uv: [0.25, 1e-9].into(),
        color: Rgba8::new(index, 1, 2, 3),
        ..Vertex::default()
    };
    let mut mesh = Mesh {
        version: Version::V3_00,
        vertices: (0..7).map(vertex).collect(),
        faces: vec![[0, 2, 1], [2, 3, 1], [4, 5, 0]],
        lods: Lods { offsets: vec![0, 2, 3], ..Lods::default() },
        ..Mesh::default()
    };
    mesh.layout.vertex_size = Some(44);
    mesh.layout.vertex_extra = (0..28).collect();
    mesh.layout.face_size = Some(16);
    mesh.layout.face_extra = (100..112).collect();
    all_pairs("wide records, two levels", &mesh);
    let (two, dropped) = mesh.to_version(Version::V2_00, LodChoice::First);
    assert_eq!(dropped.len(), 1, "the extra bytes go along: {dropped:?}");
    // In the order of their first use: vertices 0, 2, 1, 3.
    let extra: Vec<u8> = [0..4, 8..12, 4..8, 12..16].into_iter().flatten().collect();
    assert_eq!((two.layout.vertex_extra, two.layout.face_extra), (extra, (100..108).collect()));

    let mut soup = mesh.to_version(Version::V2_00, LodChoice::All).0;
    soup.faces.push([0, 1, 99]);
    let (text, dropped) = soup.to_version(Version::V1_00, LodChoice::First);
    let paths: Vec<_> = dropped.iter().map(|dropped| dropped.path).collect();
    let expected = [
        "faces",
        "vertices",
        "faces",
        "vertices.color",
        "vertices.uv",
        "layout.vertex_extra",
        "layout.face_extra",
    ];
    assert_eq!(paths, expected);
    assert_eq!((text.faces.len(), text.vertices.len(), text.vertices[0].uv.y), (3, 9, 0.0));
    all_pairs("a face out of range", &soup);
}
