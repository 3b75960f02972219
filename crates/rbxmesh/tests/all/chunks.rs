//! Versions 6.00 and 7.00: values and bytes that are known from other sources, edits, and conversion.

use rbxmesh::bstr::ByteSlice;
use rbxmesh::geom::{Rgba8, Vec3};
use rbxmesh::{
    ChunkTag, Influence, LodChoice, LodType, Lods, Mesh, Payload, Tangent, Version, Visibility, WriteOptions,
};
use testkit::{Sample, corpus, fixture, fixtures};

fn read(name: &str) -> Mesh {
    rbxmesh::from_slice(&fixture("rbxmesh", name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn refusal(bytes: &[u8]) -> String {
    rbxmesh::from_slice(bytes).expect_err("a refusal").to_string()
}

fn rules(mesh: &Mesh) -> Vec<&'static str> {
    rbxmesh::check(mesh).iter().map(|finding| finding.rule.id).collect()
}

/// The real files of version 7.00.
fn real() -> Vec<(String, Vec<u8>, Mesh)> {
    let read = |Sample { name, bytes }: Sample| {
        (rbxmesh::detect(&bytes)? == Version::V7_00).then(|| {
            let mesh = rbxmesh::from_slice(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, bytes, mesh)
        })
    };
    corpus("rbxmesh").into_iter().filter_map(read).collect()
}

#[test]
fn every_coding_holds_the_square() {
    let square = read("v2_00.mesh");
    for Sample { name, bytes } in fixtures("rbxmesh") {
        let other = ["nothing", "empty", "cut", "no_core", "no_points", "edgebreaker"];
        if !(name.starts_with("v6") || name.starts_with("v7")) || other.iter().any(|part| name.contains(part))
        {
            continue;
        }
        let mesh = rbxmesh::from_slice(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(rbxmesh::to_vec(&mesh).unwrap() == bytes, "{name}");
        assert_eq!(mesh.faces, square.faces, "{name}");
        let only_positions = name == "v7_00_positions.mesh";
        for (ours, theirs) in mesh.vertices.iter().zip(&square.vertices) {
            assert_eq!(ours.position, theirs.position, "{name}");
            if only_positions {
                assert_eq!((ours.uv.y, ours.tangent, ours.color), (0.0, Tangent::ABSENT, Rgba8::WHITE));
            } else {
                let parts = (ours.uv, ours.tangent, ours.color);
                assert_eq!(parts, (theirs.uv, theirs.tangent, theirs.color), "{name}");
            }
        }
        if name == "v7_00_sides.mesh" {
            let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
            for (vertex, axis) in mesh.vertices.iter().zip(axes) {
                let far = (vertex.normal - axis).to_array().map(f32::abs);
                assert!(far.iter().all(|&far| far <= 1.0 / 2047.0 + 1e-6), "half a step: {far:?}");
            }
        } else if !only_positions {
            assert!(mesh.vertices.iter().all(|vertex| vertex.normal == Vec3::new(0.0, 0.0, 1.0)), "{name}");
        }
    }
}

#[test]
fn every_chunk_says_its_part() {
    for name in ["v6_00_all.mesh", "v6_00_order.mesh", "v6_00_more.mesh", "v7_00_all.mesh"] {
        let (mesh, skinned) = (read(name), read("v5_00.mesh"));
        let offsets = if name.contains("more") { vec![] } else { vec![0, 1, 2] };
        assert_eq!(mesh.lods, Lods { kind: LodType(4), offsets, high_quality: 1 }, "{name}");
        assert_eq!((&mesh.envelopes, &mesh.bones), (&skinned.envelopes, &skinned.bones), "{name}");
        assert_eq!(mesh.subsets, skinned.subsets, "{name}");
        assert_eq!(
            mesh.skin().influences(1).next(),
            Some(Influence { bone: 2, weight: 200.0 / 255.0 }),
            "{name}"
        );
        let facs = mesh.facs.as_ref().unwrap();
        assert_eq!(facs.transforms, skinned.facs.as_ref().unwrap().transforms, "{name}");
        assert_eq!(
            facs.trailing.as_bstr(),
            if name.contains("more") { "in the block" } else { "" },
            "{name}"
        );
        let visibility = mesh.visibility.as_ref().unwrap();
        let set: Vec<_> = visibility.iter().enumerate().filter(|&(_, set)| set).map(|(at, _)| at).collect();
        assert_eq!((set, visibility.count, visibility.get(10)), (vec![1, 2, 9], 10, None), "{name}");
        assert_eq!(visibility.iter().collect::<Visibility>(), *visibility, "{name}");
    }
}

#[test]
fn what_is_not_known_is_kept_in_its_place() {
    let mesh = read("v6_00_unknown.mesh");
    let kept = |index: usize| match &mesh.layout.chunks[index].payload {
        Payload::Kept(bytes) => Some(bytes.as_bstr()),
        Payload::Model { .. } => None,
    };
    let chunks: Vec<_> = mesh.layout.chunks.iter().map(|chunk| (chunk.tag.name(), chunk.version)).collect();
    let expected: [(&[u8], u32); 6] =
        [(b"FUTURE", 7), (b"LODS", 2), (b"COREMESH", 1), (b"FACS", 9), (b"LODS", 1), (b"", 0)];
    assert_eq!(chunks, expected);
    assert_eq!((kept(0), kept(1)), (Some("anything".into()), Some("another layout".into())));
    assert_eq!((kept(2), kept(3), kept(4)), (None, Some("".into()), None));
    assert_eq!(mesh.lods.offsets, [0, 1, 2], "from the version that is known");
    assert_eq!(rules(&mesh), ["rbxmesh.chunk-unknown"]);

    let twice = read("v6_00_twice.mesh");
    assert_eq!((twice.faces.len(), twice.lods.offsets.len()), (2, 3), "the first of a name counts");
    assert_eq!(rules(&twice), ["rbxmesh.chunk-twice"]);
    assert_eq!(read("v6_00_trailing.mesh").layout.trailing, [0; 15]);
    let long = read("v6_00_trailing_long.mesh");
    assert_eq!(
        (long.layout.trailing.as_bstr(), long.layout.chunks.len()),
        ("bytes without a meaning".into(), 2)
    );
    assert_eq!(rules(&long), ["rbxmesh.trailing"]);
    let nothing = read("v6_00_nothing.mesh");
    assert!(nothing.vertices.is_empty() && nothing.facs.is_none());
    assert!(read("v6_00_matrix_9.mesh").layout.facs_unknown.unwrap().bytes.len() > 100);
    assert_eq!(rules(&read("v6_00_more.mesh")), ["rbxmesh.chunk-extra"]);
    let no_core = rules(&read("v6_00_no_core.mesh"));
    assert!(no_core.contains(&"rbxmesh.chunk-core"), "{no_core:?}");
    assert_eq!(read("v7_00_others.mesh").layout.draco.unwrap().other_attributes(), 1);
}

#[test]
fn an_edit_changes_its_own_chunk_and_no_other() {
    let mut mesh = read("v6_00_unknown.mesh");
    mesh.vertices[0].position.x = 9.0;
    let mut expected = fixture("rbxmesh", "v6_00_unknown.mesh");
    let at = expected.windows(8).position(|window| window == b"COREMESH").unwrap() + 20;
    expected[at..at + 4].copy_from_slice(&9.0_f32.to_le_bytes());
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), expected);

    // A part that the file does not have is written after its chunks.
    mesh.visibility = Some([true, false, true].into_iter().collect());
    expected.extend(b"HSRAVIS\0\x01\0\0\0\x05\0\0\0\x03\0\0\0\x05");
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), expected);
    // A part that the file has in an unknown version is written as a further chunk; the unknown one stays.
    mesh.facs = read("v5_00.mesh").facs;
    let again = rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap();
    assert_eq!(again, mesh);
    let versions: Vec<_> =
        again.layout.chunks.iter().map(|chunk| (chunk.tag.name(), chunk.version)).collect();
    assert_eq!((versions[3], versions[6]), ((&b"FACS"[..], 9), (&b"FACS"[..], 1)));
    // The chunk of a removed part is not written.
    let mut mesh = read("v6_00_all.mesh");
    mesh.visibility = None;
    let again = rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap();
    assert_eq!(again.layout.chunks.len(), mesh.layout.chunks.len() - 1);
    assert_eq!(again, mesh);
    // If its chunk also has unknown bytes, these are only dropped on request.
    let mut mesh = read("v6_00_more.mesh");
    mesh.facs = None;
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap_err().path(), "layout.chunks");
    let (mesh, dropped) = mesh.to_version(mesh.version, LodChoice::First);
    assert_eq!(dropped.iter().map(|dropped| dropped.path).collect::<Vec<_>>(), ["layout.chunks"]);
    assert_eq!(rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap(), mesh);
}

#[test]
fn one_level_follows_the_faces() {
    for name in ["v6_00.mesh", "v7_00.mesh", "v3_01.mesh"] {
        let mut mesh = read(name);
        assert!(mesh.lods.is_single() && mesh.layout.lod_offsets.is_none(), "{name}");
        mesh.faces.pop();
        let again = rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap();
        assert_eq!((&again, &again.layout.lod_offsets), (&mesh, &None), "{name}: (0, 1) and not (0, 2)");
    }
}

#[test]
fn a_stream_is_kept_while_nobody_edits_the_mesh() {
    for name in ["v7_00.mesh", "v7_00_sides.mesh", "v7_00_hand.mesh", "v7_00_more.mesh"] {
        let (bytes, before) = (fixture("rbxmesh", name), read(name));
        let mut mesh = before.clone();
        mesh.vertices.swap(0, 3);
        mesh.faces[1] = [3, 2, 1];
        mesh.vertices[1].color = Rgba8::from([1, 2, 3, 4]);
        let edited = rbxmesh::to_vec(&mesh).unwrap();
        assert_ne!(edited, bytes, "{name}");
        let again = rbxmesh::from_slice(&edited).unwrap();
        assert_eq!(again, mesh, "{name}: normals too");
        assert_eq!(again.layout.normal_grid, mesh.layout.normal_grid, "{name}");
        // A change of any single field is noticed, even of the sign of a zero.
        let edits: [fn(&mut Mesh); 7] = [
            |mesh| mesh.vertices[2].position.z = -0.0,
            |mesh| mesh.vertices[2].normal.x = f32::NAN,
            |mesh| mesh.vertices[2].uv.x += 1e-7,
            |mesh| mesh.vertices[2].tangent.0[3] ^= 1,
            |mesh| mesh.faces.swap(0, 1),
            |mesh| mesh.vertices.push(Default::default()),
            |mesh| mesh.faces.clear(),
        ];
        for (index, edit) in edits.into_iter().enumerate() {
            let mut mesh = before.clone();
            edit(&mut mesh);
            assert_ne!(rbxmesh::to_vec(&mesh).unwrap(), bytes, "{name}: edit {index}");
        }
        // If the vertices and faces are as before, the stream is written unchanged.
        (mesh.vertices, mesh.faces) = (before.vertices, before.faces);
        assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), bytes, "{name}");
    }
}

#[test]
fn options_choose_how_the_mesh_is_compressed() {
    let mesh = read("v7_00_sides.mesh");
    let version = |mesh: &Mesh, options: WriteOptions| {
        let bytes = options.write(mesh).unwrap();
        let chunk = rbxmesh::chunks(&bytes).unwrap().next().unwrap().unwrap();
        (chunk.version, chunk.payload.len())
    };
    let six = mesh.to_version(Version::V6_00, LodChoice::First).0;
    let plain = (1, 4 + 4 * 40 + 4 + 2 * 12);
    assert_eq!(version(&mesh, WriteOptions::new()), (2, 4 + 234));
    assert_eq!(version(&mesh, WriteOptions::new().draco(false)), plain);
    assert_eq!(version(&six, WriteOptions::new()), plain);
    assert_eq!(version(&six, WriteOptions::new().draco(true)).0, 2);
    let bytes = WriteOptions::new().compress_faces(true).write(&mesh).unwrap();
    let again = rbxmesh::from_slice(&bytes).unwrap();
    assert!(again.layout.draco.as_ref().unwrap().has_compressed_faces());
    assert_eq!(again, mesh);
    // Version 2.00 is not affected by this option.
    let two = mesh.to_version(Version::V2_00, LodChoice::First).0;
    assert_eq!(WriteOptions::new().draco(true).write(&two).unwrap(), rbxmesh::to_vec(&two).unwrap());
}

#[test]
fn normals_are_rounded_where_that_is_asked_for_and_nowhere_else() {
    let turned = |angle: f32| Vec3::new(angle.cos(), angle.sin(), 0.0);
    let mut mesh = read("v7_00.mesh");
    for (vertex, angle) in mesh.vertices.iter_mut().zip([0.0, 0.3, 0.7, 1.1]) {
        vertex.normal = turned(angle);
    }
    let exact = rbxmesh::to_vec(&mesh).unwrap();
    assert_eq!(rbxmesh::from_slice(&exact).unwrap(), mesh, "as they are");
    for bits in 1..=20 {
        let mut rounded = mesh.clone();
        rounded.round_normals(bits).unwrap();
        let step = 1.0 / ((1_u32 << bits) - 1) as f32;
        for (ours, theirs) in rounded.vertices.iter().zip(&mesh.vertices) {
            let off = (ours.normal - theirs.normal).to_array().map(f32::abs);
            assert!(off.iter().all(|&off| off <= step / 2.0 + 1e-6), "{bits} bits: {off:?}");
        }
        let bytes = rbxmesh::to_vec(&rounded).unwrap();
        let again = rbxmesh::from_slice(&bytes).unwrap();
        assert_eq!(again, rounded, "{bits} bits");
        assert_eq!(again.layout.normal_grid.map(|grid| grid.bits), Some(bits));
        // The grid stays the same when the file is edited and written again.
        let mut edited = again.clone();
        edited.vertices[0].position.x = 5.0;
        let twice = rbxmesh::from_slice(&rbxmesh::to_vec(&edited).unwrap()).unwrap();
        assert_eq!((&twice, twice.layout.normal_grid), (&edited, again.layout.normal_grid));
        edited.round_normals(bits).unwrap();
        assert_eq!(edited, twice, "already rounded");
    }
    for bits in [0, 21, 32, 255] {
        assert_eq!(mesh.round_normals(bits).unwrap_err().path(), "bits");
    }
    mesh.vertices[2].normal.y = f32::NAN;
    let before = mesh.clone();
    assert_eq!(mesh.round_normals(11).unwrap_err().path(), "vertices[2].normal");
    assert_eq!(mesh, before);
}

#[test]
fn chunks_are_listed_without_decoding() {
    let bytes = fixture("rbxmesh", "v7_00_edgebreaker.mesh");
    let mut chunks = rbxmesh::chunks(&bytes).unwrap();
    let first = chunks.next().unwrap().unwrap();
    assert_eq!((first.tag, first.version, first.range.start), (ChunkTag::COREMESH, 2, 13));
    assert_eq!(first.range.len(), 16 + first.payload.len());
    let second = chunks.next().unwrap().unwrap();
    assert_eq!((second.tag, second.range), (ChunkTag::LODS, first.range.end..bytes.len()));
    assert!(chunks.next().is_none() && chunks.rest().is_empty());
    for (name, count, rest) in [("v6_00_trailing.mesh", 2, 15), ("v6_00_unknown.mesh", 6, 0)] {
        let bytes = fixture("rbxmesh", name);
        let mut chunks = rbxmesh::chunks(&bytes).unwrap();
        assert_eq!((chunks.by_ref().filter_map(Result::ok).count(), chunks.rest().len()), (count, rest));
    }
    let cut = fixture("rbxmesh", "v6_00_cut.mesh");
    let items: Vec<_> = rbxmesh::chunks(&cut).unwrap().collect();
    assert_eq!(items.len(), 1);
    let error = items[0].as_ref().unwrap_err();
    assert_eq!(error.to_string(), "unexpected end of input in COREMESH at offset 0xdc");
    let error = rbxmesh::chunks(&fixture("rbxmesh", "v5_00.mesh")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unsupported mesh version 5.00 (only the versions 6.00 and 7.00 have chunks) in version at offset 0x0"
    );
    assert_eq!(format!("{:?}", ChunkTag(*b"LODS\0\xffab")), "LODS");
}

#[test]
fn errors_name_the_chunk_and_the_field() {
    let lods = |payload: &[u8]| {
        let mut bytes = b"version 7.00\nLODS\0\0\0\0\x01\0\0\0".to_vec();
        bytes.extend(u32::try_from(payload.len()).unwrap().to_le_bytes());
        bytes.extend(payload);
        refusal(&bytes)
    };
    assert_eq!(lods(&[0]), "unexpected end of input in LODS.kind at offset 0x1d");
    assert_eq!(lods(&[0, 0, 0, 2, 0, 0, 0, 1]), "unexpected end of input in LODS.offsets at offset 0x25");
    assert_eq!(refusal(b"version 7.00\n"), "unexpected end of input in chunks at offset 0xd");
    assert_eq!(refusal(b"version 6.00\nCOREMESH"), "unexpected end of input in chunks at offset 0x15");
    assert_eq!(
        refusal(b"version 8.00\nCOREMESH"),
        "unsupported mesh version 8.00 (known versions: 1.00, 1.01, 2.00, 3.00, 3.01, 4.00, 4.01, 5.00, 6.00, 7.00) in version at offset 0x0"
    );
    assert_eq!(
        refusal(&fixture("rbxmesh", "v7_00_edgebreaker.mesh")),
        "unsupported Draco EdgeBreaker encoding (encode the mesh with the sequential method) in \
         COREMESH.draco.header at offset 0x29"
    );
    let mut mesh = read("v6_00_all.mesh");
    mesh.visibility.as_mut().unwrap().bits.pop();
    assert!(rules(&mesh).contains(&"rbxmesh.visibility"));
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap_err().path(), "visibility.bits");
    let mut mesh = read("v7_00.mesh");
    mesh.faces[1] = [0, 1, 256];
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap_err().path(), "faces[1]", "an index has one byte");
}

/// Converts a mesh, and returns the paths of what was dropped.
fn convert(mesh: &Mesh, version: Version) -> (Mesh, Vec<&'static str>) {
    let (mesh, dropped) = mesh.to_version(version, LodChoice::First);
    (mesh, dropped.iter().map(|dropped| dropped.path).collect())
}

#[test]
fn to_old_clients_and_back() {
    let mesh = read("v7_00_all.mesh");
    let (first, dropped) = convert(&mesh, Version::V2_00);
    assert_eq!((first.vertices.len(), &first.faces), (3, &vec![[0, 1, 2]]), "the finest level alone");
    assert_eq!(first.vertices, mesh.vertices[..3]);
    assert_eq!(dropped, ["lods", "lods.kind", "envelopes", "bones", "subsets", "facs", "visibility"]);
    let (all, _) = mesh.to_version(Version::V2_00, LodChoice::All);
    assert_eq!((&all.vertices, &all.faces), (&mesh.vertices, &mesh.faces));

    // The conversion to 5.00 only drops visibility, and the one back drops nothing.
    let (five, dropped) = convert(&mesh, Version::V5_00);
    assert_eq!(dropped, ["visibility"]);
    let five = rbxmesh::from_slice(&rbxmesh::to_vec(&five).unwrap()).unwrap();
    let (back, dropped) = convert(&five, Version::V7_00);
    assert_eq!(dropped, [""; 0]);
    let back = rbxmesh::from_slice(&rbxmesh::to_vec(&back).unwrap()).unwrap();
    assert_eq!(back, Mesh { visibility: None, ..mesh });
    assert_eq!(rules(&back), [""; 0]);
}

#[test]
fn from_text_to_chunks() {
    for (name, version) in [("v1_00.mesh", Version::V7_00), ("v1_01.mesh", Version::V6_00)] {
        let text = read(name);
        let (mesh, dropped) = convert(&text, version);
        assert_eq!(dropped, [""; 0]);
        let bytes = rbxmesh::to_vec(&mesh).unwrap();
        let mesh = rbxmesh::from_slice(&bytes).unwrap();
        assert_eq!(mesh, Mesh { version, ..text });
        // Like new files with one level: kind 0, one of high quality, offsets 0 and 2.
        let lods = rbxmesh::chunks(&bytes).unwrap().map(Result::unwrap).nth(1).unwrap();
        assert_eq!((lods.tag, lods.payload), (ChunkTag::LODS, &b"\0\0\x01\x02\0\0\0\0\0\0\0\x02\0\0\0"[..]));
        assert_eq!(mesh.layout.draco.is_some(), version == Version::V7_00);
        assert_eq!(rules(&mesh), [""; 0]);
        assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), bytes);
    }
    assert_eq!(convert(&read("v1_01_w.mesh"), Version::V7_00).1, ["texture_w"]);
}

#[test]
fn what_other_versions_do_not_have_is_listed() {
    let listed = |name: &str, version| convert(&read(name), version).1;
    assert_eq!(listed("v6_00_unknown.mesh", Version::V5_00), ["layout.chunks"]);
    assert_eq!(listed("v6_00_unknown.mesh", Version::V7_00), [""; 0]);
    assert_eq!(listed("v6_00_twice.mesh", Version::V5_00), ["layout.chunks"]);
    assert_eq!(listed("v6_00_more.mesh", Version::V5_00), ["visibility", "layout.chunks"]);
    assert_eq!(listed("v6_00_trailing.mesh", Version::V5_00), ["layout.trailing"]);
    assert_eq!(listed("v5_00_format_2.mesh", Version::V6_00), ["layout.facs_unknown"]);
    assert_eq!(listed("v5_00_matrix_9.mesh", Version::V6_00), [""; 0]);
    assert_eq!(listed("v6_00_matrix_9.mesh", Version::V5_00), [""; 0]);
    assert_eq!(listed("v7_00_others.mesh", Version::V7_00), [""; 0]);
    assert_eq!(listed("v7_00_others.mesh", Version::V6_00), ["layout.draco"]);
    assert_eq!(listed("v7_00.mesh", Version::V6_00), [""; 0]);
    assert!(listed("v2_00_wide.mesh", Version::V4_00).contains(&"layout.header_extra"));
    // A compressed mesh of version 6.00 stays compressed in 7.00.
    let mut six = read("v7_00_others.mesh");
    six.version = Version::V6_00;
    assert_eq!(convert(&six, Version::V7_00).1, [""; 0]);
    // A repeated chunk of a known part is dropped by a conversion, but is not a loss in versions without chunks.
    let mut twice = read("v6_00.mesh");
    twice.layout.chunks.push(twice.layout.chunks[0].clone());
    assert_eq!(convert(&twice, Version::V7_00).1, ["layout.chunks"]);
    assert_eq!(convert(&twice, Version::V5_00).1, [""; 0]);
    // Unknown chunks are kept between the two versions.
    let six = read("v6_00_unknown.mesh");
    let seven = rbxmesh::to_vec(&convert(&six, Version::V7_00).0).unwrap();
    let tags = rbxmesh::chunks(&seven).unwrap().map(|chunk| chunk.unwrap().tag).collect::<Vec<_>>();
    assert_eq!(tags, six.layout.chunks.iter().map(|chunk| chunk.tag).collect::<Vec<_>>());
    // An edit would lose attributes of the stream that are not fields of a vertex.
    let mut others = read("v7_00_others.mesh");
    others.vertices[0].position.x = 9.0;
    assert_eq!(rbxmesh::to_vec(&others).unwrap_err().path(), "layout.draco");
    let (others, dropped) = convert(&others, Version::V7_00);
    assert_eq!(dropped, ["layout.draco"]);
    assert_eq!(rbxmesh::from_slice(&rbxmesh::to_vec(&others).unwrap()).unwrap(), others);
}

#[test]
fn real_files_are_as_the_facts_say() {
    for (name, bytes, mesh) in real() {
        assert!(rbxmesh::to_vec(&mesh).unwrap() == bytes, "{name}");
        let chunks: Vec<_> = mesh.layout.chunks.iter().map(|chunk| (chunk.tag, chunk.version)).collect();
        assert!(chunks.iter().all(|&(_, version)| version == 1 || version == 2), "{name}");
        let (vertices, faces, core) = match name.as_str() {
            "mesh7_100025761449828.bin" => (1569, 2538, 2),
            "mesh7_112807239761722.bin" => (4, 2, 1),
            "mesh7_127279296594138.bin" => (408, 268, 2),
            other => panic!("{other} is new"),
        };
        assert_eq!((mesh.vertices.len(), mesh.faces.len(), chunks[0].1), (vertices, faces, core), "{name}");
        assert_eq!(
            chunks[..2].iter().map(|chunk| chunk.0).collect::<Vec<_>>(),
            [ChunkTag::COREMESH, ChunkTag::LODS]
        );
        assert_eq!(mesh.layout.normal_grid.map(|grid| grid.bits), (core == 2).then_some(11));
        let bits = mesh.vertices.iter().map(|vertex| vertex.normal.length());
        assert!(bits.into_iter().all(|length| (length - 1.0).abs() < 0.01), "{name}: normals have length 1");
        // A client that reads 2.00 gets every vertex, and its mesh is converted back to 7.00 unchanged.
        let (two, _) = convert(&mesh, Version::V2_00);
        let two = rbxmesh::from_slice(&rbxmesh::to_vec(&two).unwrap()).unwrap();
        assert_eq!((&two.vertices, &two.faces), (&mesh.vertices, &mesh.faces), "{name}: one level");
        let back = rbxmesh::to_vec(&convert(&two, Version::V7_00).0).unwrap();
        assert_eq!(rbxmesh::from_slice(&back).unwrap().vertices, mesh.vertices, "{name}");
        // The conversion to 5.00 loses nothing.
        let (five, dropped) = convert(&mesh, Version::V5_00);
        assert!(dropped.is_empty(), "{name}: {dropped:?}");
        let five = rbxmesh::from_slice(&rbxmesh::to_vec(&five).unwrap()).unwrap();
        assert_eq!(Mesh { version: Version::V7_00, ..five }, mesh, "{name}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn serde_keeps_chunks_and_streams() {
    for name in ["v6_00_unknown.mesh", "v6_00_more.mesh", "v7_00_all.mesh", "v7_00_sides.mesh"] {
        let mesh = read(name);
        let text = serde_json::to_string(&mesh).unwrap();
        let again = serde_json::from_str::<Mesh>(&text).unwrap();
        assert!(again == mesh && again.same_layout(&mesh), "{name}");
        assert_eq!(rbxmesh::to_vec(&again).unwrap(), fixture("rbxmesh", name), "{name}");
    }
}

/// A triangle whose Draco stream has no texture coordinates.
const NO_UV: &str = "76657273696f6e20372e30300a434f52454d455348020000008f0000008b000000445241434f020201000000010301000102\
    01040009030000040903000104020400030202040004000000000000000000000000000000000000803f0000000000000000\
    000000000000803f0000000000000000000000000000803f00000000000000000000803f00000000000000000000803f8080\
    ff008080ff008080ff00ff0000ffff0000ffff0000ff";

#[test]
fn missing_attributes_of_a_stream_are_found() {
    let digits = NO_UV.as_bytes().as_chunks::<2>().0.iter();
    let bytes: Vec<u8> =
        digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect();
    let mesh = rbxmesh::from_slice(&bytes).unwrap();
    assert_eq!(mesh.vertices.len(), 3);
    let findings = rbxmesh::check(&mesh);
    let finding = findings.iter().find(|finding| finding.rule.id == "rbxmesh.draco-fields").unwrap();
    assert_eq!((&*finding.path, &*finding.found), ("layout.draco", "found no attribute for uv"));
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), bytes);
}
