//! Broken input: reading returns an error or a model, never panics, and never takes more memory than allowed.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "small files made by hand")]

use m3d::{AfterLast, ReadOptions, WriteOptions};
use testkit::{Hostile, Rng, Sample, corpus, fixture, mutate};

/// The limit of memory for reads: a small part of the default.
const MAX_BYTES: u64 = 4 << 20;

fn read(bytes: &[u8]) -> m3d::Result<m3d::Model> {
    ReadOptions::new().max_bytes(MAX_BYTES).read(bytes)
}

/// Reads, and calls everything with the model.
fn exercise(bytes: &[u8]) -> Result<(), String> {
    if m3d::detect(bytes) == Some(m3d::Variant::Ascii) {
        // `hostile_ascii.rs` tests texts.
        return Ok(());
    }
    for chunk in m3d::payload(bytes).iter().filter_map(|payload| m3d::chunks(payload).ok()).flatten() {
        if chunk.is_err() {
            break;
        }
    }
    let model = read(bytes).map_err(|error| error.to_string())?;
    let _findings = m3d::check(&model);
    assert!(model.to_tri_mesh().unwrap().is_consistent());
    for group in model.material_groups().unwrap() {
        assert!(group.mesh.is_consistent());
    }
    if model.voxel_blocks.iter().map(|block| block.voxels.len()).sum::<usize>() < 10_000 {
        assert!(model.voxel_mesh().unwrap().is_consistent());
    }
    for action in model.actions.iter().take(2) {
        for time in [0.0, 100.0, f32::MAX, f32::NAN] {
            for after in [AfterLast::Hold, AfterLast::Wrap] {
                let matrices = model.skinning_matrices(&model.pose_with(action, time, after));
                assert_eq!(matrices.len(), model.bones.len());
                let _place = model.skinned_position(m3d::VertexId(0), &matrices);
            }
        }
    }
    let _names = (model.undefined_materials().len(), model.asset("x").is_some());

    // What was read is written as the same bytes. Only counts of 254 and 255 get two bytes, since other programs would
    // take them for -2 and -1.
    let written = m3d::to_vec(&model).map_err(|error| format!("read but not written: {error}"))?;
    let again = m3d::from_slice(&written).expect("what was written reads");
    if again.layout.types() != model.layout.types() {
        assert_eq!(m3d::to_vec(&again).expect("and writes"), written);
    } else if model.layout.is_raw() {
        assert_eq!(written, bytes, "what was read comes back exact");
    } else {
        let [a, b] = [bytes, &written].map(|bytes| m3d::payload(bytes).expect("it was read"));
        assert_eq!(a, b, "the payload comes back exact");
    }
    // Without the layout of the file, the model can still be written and read.
    let fresh = m3d::Model { layout: m3d::Layout::default(), ..model };
    if let Ok(written) = WriteOptions::new().raw(true).write(&fresh) {
        let again = m3d::from_slice(&written).expect("what was written reads");
        assert_eq!(m3d::to_vec(&again).expect("and writes"), written);
    }
    Ok(())
}

const HOSTILE: Hostile<'_> = Hostile {
    name: "m3d",
    read: &exercise,
    only_read: &|bytes| m3d::detect(bytes) == Some(m3d::Variant::Ascii) || read(bytes).is_ok(),
    // The limit, and memory for an inflater and an error.
    bound: &|_| MAX_BYTES + (64 << 10),
    mutations: 500,
    counts: true,
};

#[test]
fn every_truncation_and_many_mutations() {
    HOSTILE.run();
}

#[test]
fn mutations_of_real_files() {
    for Sample { name, bytes } in corpus("m3d") {
        if m3d::detect(&bytes) != Some(m3d::Variant::Binary) {
            continue;
        }
        let payload = m3d::payload(&bytes).unwrap().into_owned();
        let raw = [&bytes[..8], &payload].concat();
        let turns = if bytes.len() > 20_000 { 10 } else { 100 };
        let mut rng = Rng(0x3d);
        for turn in 0..turns {
            // A damaged stream is mostly refused by the inflater, so uncompressed chunks are damaged as well.
            for sound in [&bytes, &raw] {
                HOSTILE.one(&|| format!("{name}, mutation {turn}"), &mutate(sound, &mut rng));
            }
        }
    }
}

/// A file with these widths, strings and chunks.
pub(crate) fn file(types: u32, strings: &[u8], chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"3DMO\0\0\0\0HEAD".to_vec();
    bytes.extend((16 + strings.len() as u32).to_le_bytes());
    bytes.extend(1_f32.to_le_bytes());
    bytes.extend(types.to_le_bytes());
    bytes.extend(strings);
    for (tag, data) in chunks {
        bytes.extend(*tag);
        bytes.extend((8 + data.len() as u32).to_le_bytes());
        bytes.extend(data);
    }
    bytes.extend(b"OMD3");
    bytes
}

/// The types of a header in which only vertices and names have a width, of one byte.
pub(crate) const NARROW: u32 = 0x03ff_ffc0;

#[test]
fn counts_that_lie() {
    let most = u32::MAX.to_le_bytes();
    let wide_bones = NARROW & !(3 << 10 | 3 << 14) | 2 << 10 | 2 << 14;
    let lies: [(&str, u32, &[u8; 4], Vec<u8>); 8] = [
        ("bones", wide_bones, b"BONE", [most, [0; 4], [0; 4]].concat()),
        ("skins", wide_bones, b"BONE", [[0; 4], most, [0; 4]].concat()),
        // Skins with one bone and no width for bones take no bytes.
        ("empty skins", NARROW & !(3 << 14 | 3 << 12) | 2 << 14, b"BONE", most.to_vec()),
        ("frames", NARROW, b"ACTN", [&[0, 0xff, 0xff][..], &[0; 20]].concat()),
        (
            "transforms",
            NARROW & !(3 << 16) | 2 << 16,
            b"ACTN",
            [&[0, 1, 0][..], &[0; 8], &most, &[0; 9]].concat(),
        ),
        ("arguments", NARROW, b"SHPE", [&[0, 30][..], &most, &[0; 9]].concat()),
        ("arguments of coordinates", NARROW, b"SHPE", [&[0, 11][..], &most, &[0; 9]].concat()),
        ("items", NARROW & !(3 << 6), b"VOXT", vec![0, 0, 0, 0, 255, 1, 2]),
    ];
    for (what, types, tag, data) in lies {
        let bytes = file(types, b"n\0\0\0\0", &[(tag, data)]);
        HOSTILE.one(&|| what.into(), &bytes);
        let error = m3d::from_slice(&bytes).expect_err(what);
        assert!(matches!(error.kind(), m3d::errors::ErrorKind::UnexpectedEnd), "{what}: {error}");
    }
}

#[test]
fn voxels_take_no_more_than_their_data() {
    // Four billion voxels in each direction, with two bytes of data.
    let types = NARROW & !(3 << 22 | 3 << 24) | 2 << 22;
    let mut block = vec![0];
    block.extend([0; 12]);
    block.extend([0xff; 12]);
    block.extend([0, 0, 0xff, 7]);
    let bytes = file(types, b"n\0\0\0\0", &[(b"VOXD", block)]);
    let taken = testkit::measure(|| {
        let model = m3d::from_slice(&bytes).unwrap();
        assert_eq!(model.voxel_blocks[0].voxels, [m3d::Voxel(7); 128]);
        assert_eq!(model.voxel_blocks[0].get(u32::MAX, 0, 0), m3d::Voxel::UNSET);
    });
    assert!(taken.bytes_max < 65536, "{taken:?}");
}

#[test]
fn a_long_name_used_often_is_paid_for_each_time() {
    let mut strings = b"n\0\0\0\0".to_vec();
    strings.extend([b'x'; 60_000]);
    let bytes = file(NARROW, &strings, &[(b"MESH", [0, 5].repeat(50_000))]);
    let error = read(&bytes).unwrap_err();
    assert!(
        matches!(error.kind(), m3d::errors::ErrorKind::Limit(limit) if limit.name == "max_bytes"),
        "{error}"
    );
    HOSTILE.one(&|| "long names".into(), &bytes);
}

#[test]
fn a_stream_that_inflates_without_end_is_cut() {
    let model = m3d::Model {
        assets: vec![m3d::Asset { name: "zeros".into(), data: vec![0; 16 << 20] }],
        ..m3d::Model::default()
    };
    let bytes = WriteOptions::new().level(9).write(&model).unwrap();
    assert!(bytes.len() < 32 << 10);
    let error = read(&bytes).unwrap_err();
    assert!(matches!(error.kind(), m3d::errors::ErrorKind::Limit(_)), "{error}");
    assert_eq!(error.path(), "payload");
    HOSTILE.one(&|| "zeros".into(), &bytes);
}

#[test]
fn a_limit_that_is_just_enough_will_do() {
    let model = m3d::Model {
        assets: vec![m3d::Asset {
            name: "noise".into(),
            data: (0..100_000_u32).flat_map(|n| n.wrapping_mul(n).to_le_bytes()).collect(),
        }],
        ..m3d::Model::default()
    };
    let bytes = m3d::to_vec(&model).unwrap();
    let read = |keep, max_bytes| ReadOptions::new().keep_source(keep).max_bytes(max_bytes).read(&bytes);
    // The inflated payload and the copies in the model, and the stream if it is kept.
    assert!(read(false, 900_000).is_ok() && read(true, 1_300_000).is_ok());
    assert!(matches!(read(false, 700_000).unwrap_err().kind(), m3d::errors::ErrorKind::Limit(_)));
}

#[test]
fn chunks_twice_and_backwards() {
    let raw = fixture("m3d", "raw.m3d");
    let payload = m3d::payload(&raw).unwrap().into_owned();
    let chunks: Vec<m3d::Chunk<'_>> = m3d::chunks(&payload).unwrap().map(Result::unwrap).collect();
    let inner = &chunks[1..chunks.len() - 1];
    let part = |chunk: &m3d::Chunk<'_>| payload[chunk.range.clone()].to_vec();
    let head = [&raw[..8], &part(&chunks[0])].concat();
    let twice: Vec<u8> = inner.iter().flat_map(|chunk| part(chunk).repeat(2)).collect();
    let backwards: Vec<u8> = inner.iter().rev().flat_map(part).collect();
    for body in [twice, backwards] {
        let bytes = [&head[..], &body, b"OMD3"].concat();
        let model = m3d::from_slice(&bytes).unwrap();
        assert_eq!(model.vertices.len(), 3);
        assert!(!m3d::check(&model).is_empty());
        HOSTILE.one(&|| "chunks".into(), &bytes);
    }
}

#[test]
fn many_chunks_take_no_longer_each() {
    let chunks: Vec<(&[u8; 4], Vec<u8>)> = vec![(b"VRTS", Vec::new()); 200_000];
    let bytes = file(NARROW, b"n\0\0\0\0", &chunks);
    // A comparison of each chunk with all previous ones would take minutes.
    let model = m3d::from_slice(&bytes).unwrap();
    assert_eq!(model.extras.len(), 199_999);
    assert_eq!(m3d::to_vec(&model).unwrap().len(), bytes.len());
}

#[test]
fn chunks_twice_missing_and_in_any_order() {
    HOSTILE.rearranged(&|bytes| {
        // Uncompressed chunks begin after the eight bytes of the file's header.
        if bytes.get(8..12) != Some(b"HEAD") {
            return testkit::pieces_up_to(bytes, b"\n");
        }
        let chunks = m3d::chunks(&bytes[8..]).unwrap().map_while(Result::ok);
        chunks.map(|chunk| chunk.range.start + 8..chunk.range.end + 8).collect()
    });
}

#[test]
fn a_full_disk_is_an_error() {
    testkit::full_disks("m3d", &|bytes, disk| {
        let model = m3d::from_slice(bytes).ok()?;
        let written = m3d::to_writer(disk, &model);
        if let Err(error) = &written {
            assert!(matches!(error.kind(), m3d::errors::ErrorKind::Io(_)), "{error}");
        }
        Some(written.is_ok())
    });
}
