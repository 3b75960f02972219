//! 6.00 and 7.00: values and bytes known from elsewhere, edits, and conversion across the line.

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
    rbxmesh::check(mesh).iter().map(|finding| finding.rule).collect()
}

/// The real files of 7.00.
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
        let offsets = if name.contains("more") { vec![0, 2] } else { vec![0, 1, 2] };
        assert_eq!(mesh.lods, Lods { kind: LodType(4), offsets, high_quality: 1 }, "{name}");
        assert_eq!((&mesh.envelopes, &mesh.bones), (&skinned.envelopes, &skinned.bones), "{name}");
        assert_eq!(mesh.subsets, skinned.subsets, "{name}");
        assert_eq!(mesh.influences(1).next(), Some(Influence { bone: 2, weight: 200.0 / 255.0 }), "{name}");
        let facs = mesh.facs().unwrap();
        assert_eq!(facs.transforms, skinned.facs().unwrap().transforms, "{name}");
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
    assert_eq!(rules(&mesh), ["chunks are of a known name and version"]);

    let twice = read("v6_00_twice.mesh");
    assert_eq!((twice.faces.len(), twice.lods.offsets.len()), (2, 3), "the first of a name counts");
    assert_eq!(rules(&twice), ["a chunk comes once"]);
    assert_eq!(read("v6_00_trailing.mesh").layout.trailing, [0; 15]);
    let long = read("v6_00_trailing_long.mesh");
    assert_eq!(
        (long.layout.trailing.as_bstr(), long.layout.chunks.len()),
        ("bytes without a meaning".into(), 2)
    );
    assert_eq!(rules(&long), ["a file ends with its last chunk"]);
    let nothing = read("v6_00_nothing.mesh");
    assert!(nothing.vertices.is_empty() && nothing.facs.is_none());
    assert!(read("v6_00_matrix_9.mesh").layout.facs_unknown.len() > 100);
    assert_eq!(rules(&read("v6_00_more.mesh")), ["a chunk ends with what is known of it"]);
    let no_core = rules(&read("v6_00_no_core.mesh"));
    assert!(
        no_core.contains(&"a mesh has vertices and faces in a COREMESH of version 1 or 2"),
        "{no_core:?}"
    );
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

    // A part that the file does not have is put behind its chunks.
    mesh.visibility = Some([true, false, true].into_iter().collect());
    expected.extend(b"HSRAVIS\0\x01\0\0\0\x05\0\0\0\x03\0\0\0\x05");
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), expected);
    // One that it has in a way that nobody knows is put in its place, which is said.
    mesh.facs = read("v5_00.mesh").facs;
    let (bytes, dropped) = WriteOptions::new().write_listing(&mesh).unwrap();
    assert_eq!(dropped.iter().map(|dropped| dropped.path).collect::<Vec<_>>(), ["layout.chunks"]);
    let again = rbxmesh::from_slice(&bytes).unwrap();
    assert_eq!((again.layout.chunks[3].version, &again.facs), (1, &mesh.facs));
    // One that the mesh has no more goes.
    mesh.lods = Lods::default();
    let again = rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap();
    assert_eq!(again.layout.chunks.len(), mesh.layout.chunks.len(), "one less, and HSRAVIS");
    assert_eq!(again.lods, Lods::default());
}

#[test]
fn a_stream_is_kept_while_it_holds_the_mesh() {
    for name in ["v7_00.mesh", "v7_00_sides.mesh", "v7_00_hand.mesh", "v7_00_more.mesh"] {
        let (bytes, before) = (fixture("rbxmesh", name), read(name));
        let mut mesh = before.clone();
        mesh.vertices.swap(0, 3);
        mesh.faces[1] = [3, 2, 1];
        mesh.vertices[1].color = Rgba8::from([1, 2, 3, 4]);
        let edited = rbxmesh::to_vec(&mesh).unwrap();
        assert_ne!(edited, bytes, "{name}");
        let again = rbxmesh::from_slice(&edited).unwrap();
        assert_eq!((&again.vertices, &again.faces), (&mesh.vertices, &mesh.faces), "{name}: normals too");
        assert_eq!(again.lods, before.lods, "{name}");
        // Every single part counts, and the sign of a zero.
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
        // What was edited back, or anything else, leaves the stream alone.
        (mesh.vertices, mesh.faces) = (before.vertices, before.faces);
        assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), bytes, "{name}");
    }
}

#[test]
fn options_choose_how_the_mesh_is_compressed() {
    let mesh = read("v7_00_sides.mesh");
    let version = |options: WriteOptions| {
        let bytes = options.write(&mesh).unwrap();
        let chunk = rbxmesh::chunks(&bytes).unwrap().next().unwrap().unwrap();
        (chunk.version, chunk.payload.len())
    };
    let plain = (1, 4 + 4 * 40 + 4 + 2 * 12);
    assert_eq!(version(WriteOptions::new()), (2, 4 + 234));
    assert_eq!(version(WriteOptions::new().draco(false)), plain);
    assert_eq!(version(WriteOptions::new().version(Version::V6_00)), plain);
    assert_eq!(version(WriteOptions::new().version(Version::V6_00).draco(true)).0, 2);
    assert_eq!(version(WriteOptions::new().normal_bits(11)), (2, 4 + 234), "as it is: the stream is kept");
    for bits in [1, 12, 30, 32] {
        let bytes = WriteOptions::new().normal_bits(bits).write(&mesh).unwrap();
        let again = rbxmesh::from_slice(&bytes).unwrap();
        assert_eq!(again.layout.draco.as_ref().unwrap().normal_bits(), bits);
        // And so it stays from then on.
        let mut edited = again.clone();
        edited.vertices[0].position.x = 5.0;
        let again = rbxmesh::from_slice(&rbxmesh::to_vec(&edited).unwrap()).unwrap();
        assert_eq!(again.layout.draco.unwrap().normal_bits(), bits);
        assert_eq!(again.vertices, edited.vertices);
    }
    for bits in [0, 31, 33, 255] {
        let error = WriteOptions::new().normal_bits(bits).write(&mesh).unwrap_err();
        assert_eq!(error.path(), "vertices.normal");
    }
    let bytes = WriteOptions::new().compress_faces(true).write(&mesh).unwrap();
    let again = rbxmesh::from_slice(&bytes).unwrap();
    assert!(again.layout.draco.as_ref().unwrap().has_compressed_faces());
    assert_eq!((&again.vertices, &again.faces), (&mesh.vertices, &mesh.faces));
    // In 2.00 they say nothing.
    assert!(WriteOptions::new().version(Version::V2_00).draco(true).normal_bits(0).write(&mesh).is_ok());
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
    assert_eq!(error.to_string(), "unsupported mesh version without chunks in version at offset 0x0");
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
    assert_eq!(refusal(b"version 8.00\nCOREMESH"), "unsupported mesh version 8.00 in version at offset 0x0");
    assert_eq!(
        refusal(&fixture("rbxmesh", "v7_00_edgebreaker.mesh")),
        "unsupported Draco EdgeBreaker connectivity in COREMESH.draco.header at offset 0x21"
    );
    let mut mesh = read("v6_00_all.mesh");
    mesh.visibility.as_mut().unwrap().bits.pop();
    assert!(rules(&mesh).contains(&"visibility has a bit per flag"));
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap_err().path(), "visibility.bits");
    let mut mesh = read("v7_00.mesh");
    mesh.faces[1] = [0, 1, 256];
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap_err().path(), "faces[1]", "an index has one byte");
}

#[test]
fn to_old_clients_and_back() {
    let mesh = read("v7_00_all.mesh");
    let error = WriteOptions::new().version(Version::V2_00).write(&mesh).unwrap_err();
    assert!(error.to_string().contains("WriteOptions::allow_loss"), "{error}");
    let old = WriteOptions::new().version(Version::V2_00).allow_loss(true);
    let (bytes, dropped) = old.clone().write_listing(&mesh).unwrap();
    let first = rbxmesh::from_slice(&bytes).unwrap();
    assert_eq!((first.vertices.len(), &first.faces), (3, &vec![[0, 1, 2]]), "the finest level alone");
    assert_eq!(first.vertices, mesh.vertices[..3]);
    let paths: Vec<_> = dropped.iter().map(|dropped| dropped.path).collect();
    assert_eq!(paths, ["lods", "bones", "subsets", "envelopes", "facs", "visibility"]);
    let all = rbxmesh::from_slice(&old.lods(LodChoice::All).write(&mesh).unwrap()).unwrap();
    assert_eq!((&all.vertices, &all.faces), (&mesh.vertices, &mesh.faces));

    // To 5.00 nothing is lost but what is visible, and back nothing but what a step cannot say.
    let five = WriteOptions::new().version(Version::V5_00);
    assert_eq!(five.write(&mesh).unwrap_err().path(), "visibility");
    let five = rbxmesh::from_slice(&five.allow_loss(true).write(&mesh).unwrap()).unwrap();
    let back = WriteOptions::new().version(Version::V7_00).write(&five).unwrap();
    let back = rbxmesh::from_slice(&back).unwrap();
    assert_eq!((&back.vertices, &back.faces, &back.lods), (&mesh.vertices, &mesh.faces, &mesh.lods));
    assert_eq!((&back.bones, &back.envelopes, &back.subsets), (&mesh.bones, &mesh.envelopes, &mesh.subsets));
    assert_eq!(back.facs, mesh.facs);
    assert_eq!(rules(&back), [] as [&str; 0]);
}

#[test]
fn from_text_to_chunks() {
    for (name, version) in [("v1_00.mesh", Version::V7_00), ("v1_01.mesh", Version::V6_00)] {
        let text = read(name);
        let (bytes, dropped) = WriteOptions::new().version(version).write_listing(&text).unwrap();
        let mesh = rbxmesh::from_slice(&bytes).unwrap();
        assert_eq!((mesh.version, &mesh.vertices, &mesh.faces), (version, &text.vertices, &text.faces));
        // As new files say that there is one level.
        assert_eq!(mesh.lods, Lods { kind: LodType::NONE, offsets: vec![0, 2], high_quality: 1 });
        assert_eq!(mesh.layout.draco.is_some(), version == Version::V7_00);
        let rounded = dropped.iter().any(|dropped| dropped.path == "vertices.normal");
        assert_eq!(rounded, version == Version::V7_00, "what may be rounded is said");
        assert_eq!(rules(&mesh), [] as [&str; 0]);
        assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), bytes);
    }
    let w = read("v1_01_w.mesh");
    assert_eq!(WriteOptions::new().version(Version::V7_00).write(&w).unwrap_err().path(), "texture_w");
}

#[test]
fn what_has_no_place_elsewhere_is_listed() {
    let listed = |mesh: &Mesh, version| {
        let options = WriteOptions::new().version(version).allow_loss(true);
        let (_, dropped) = options.write_listing(mesh).unwrap();
        dropped.iter().map(|dropped| dropped.path).collect::<Vec<_>>()
    };
    assert_eq!(listed(&read("v6_00_unknown.mesh"), Version::V5_00), ["layout.chunks"]);
    assert_eq!(listed(&read("v6_00_unknown.mesh"), Version::V7_00), ["vertices.normal"]);
    assert_eq!(listed(&read("v6_00_more.mesh"), Version::V5_00), ["visibility", "layout.chunks"]);
    assert_eq!(listed(&read("v6_00_trailing.mesh"), Version::V5_00), ["layout.trailing"]);
    assert_eq!(listed(&read("v5_00_format_2.mesh"), Version::V6_00), ["layout.facs_unknown"]);
    assert_eq!(listed(&read("v5_00_matrix_9.mesh"), Version::V6_00), [] as [&str; 0]);
    assert_eq!(listed(&read("v6_00_matrix_9.mesh"), Version::V5_00), [] as [&str; 0]);
    assert_eq!(listed(&read("v7_00_others.mesh"), Version::V7_00), [] as [&str; 0]);
    assert_eq!(listed(&read("v7_00_others.mesh"), Version::V6_00), ["layout.draco"]);
    assert_eq!(listed(&read("v7_00.mesh"), Version::V6_00), [] as [&str; 0]);
    // Between the two versions, chunks that nobody knows go along.
    let six = read("v6_00_unknown.mesh");
    let seven = WriteOptions::new().version(Version::V7_00).write(&six).unwrap();
    let tags = rbxmesh::chunks(&seven).unwrap().map(|chunk| chunk.unwrap().tag).collect::<Vec<_>>();
    assert_eq!(tags, six.layout.chunks.iter().map(|chunk| chunk.tag).collect::<Vec<_>>());
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
        assert_eq!(
            mesh.layout.draco.as_ref().map(rbxmesh::DracoStream::normal_bits),
            (core == 2).then_some(11)
        );
        let bits = mesh.vertices.iter().map(|vertex| vertex.normal.length());
        assert!(bits.into_iter().all(|length| (length - 1.0).abs() < 0.01), "{name}: normals have length 1");
        // A client that reads 2.00 gets every vertex, and what it gets comes back to 7.00 unchanged.
        let old = WriteOptions::new().version(Version::V2_00).allow_loss(true);
        let two = rbxmesh::from_slice(&old.write(&mesh).unwrap()).unwrap();
        assert_eq!((&two.vertices, &two.faces), (&mesh.vertices, &mesh.faces), "{name}: one level");
        let back = WriteOptions::new().version(Version::V7_00).normal_bits(32).write(&two).unwrap();
        assert_eq!(rbxmesh::from_slice(&back).unwrap().vertices, mesh.vertices, "{name}");
        // To 5.00 nothing is lost.
        let (five, dropped) = WriteOptions::new().version(Version::V5_00).write_listing(&mesh).unwrap();
        let five = rbxmesh::from_slice(&five).unwrap();
        assert!(dropped.is_empty(), "{name}: {dropped:?}");
        assert_eq!((&five.bones, &five.facs), (&mesh.bones, &mesh.facs), "{name}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn serde_holds_chunks_and_streams() {
    for name in ["v6_00_unknown.mesh", "v6_00_more.mesh", "v7_00_all.mesh", "v7_00_sides.mesh"] {
        let mesh = read(name);
        let text = serde_json::to_string(&mesh).unwrap();
        let again = serde_json::from_str::<Mesh>(&text).unwrap();
        assert_eq!(again, mesh, "{name}");
        assert_eq!(rbxmesh::to_vec(&again).unwrap(), fixture("rbxmesh", name), "{name}");
    }
}
