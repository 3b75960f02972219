//! Broken compressed meshes: damaged Draco streams of real files and of fixtures.
#![allow(clippy::cast_possible_truncation, reason = "sizes of small files")]

use rbxmesh::ReadOptions;
use rbxmesh::errors::{ErrorKind, Limit};
use testkit::{Hostile, Rng, Sample, corpus, fixture, mutate};

/// A limit that valid files do not reach: a vertex of 40 bytes takes at least 20 bytes if positions and texture
/// coordinates are uncompressed, and a table of symbols takes 32 KiB.
fn bound(len: usize) -> u64 {
    12 * len as u64 + (96 << 10)
}

fn limited(bytes: &[u8]) -> Result<rbxmesh::Mesh, String> {
    ReadOptions::new().max_bytes(bound(bytes.len()) - 1024).read(bytes).map_err(|error| error.to_string())
}

/// Reads and writes: a stream that is kept is written as the same bytes, however broken it is.
const HOSTILE: Hostile<'_> = Hostile {
    name: "rbxmesh",
    read: &|bytes| {
        let mesh = limited(bytes)?;
        assert_eq!(rbxmesh::to_vec(&mesh).map_err(|error| error.to_string())?, bytes);
        let listed = rbxmesh::chunks(bytes).expect("what reads has chunks");
        assert_eq!(listed.count(), mesh.layout.chunks.len());
        Ok(())
    },
    only_read: &|bytes| limited(bytes).is_ok(),
    bound: &bound,
    mutations: 0,
    counts: false,
};

/// The file up to the end of its first chunk, and the offset of the declarations of attributes in it; `None` if the
/// chunk has no Draco stream.
fn stream(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let first = rbxmesh::chunks(bytes).ok()?.next()?.ok()?;
    let declared = bytes.windows(7).position(|window| window == [1, 5, 0, 9, 3, 0, 0])?;
    (first.version == 2).then(|| (&bytes[..first.range.end], declared))
}

/// Damages a file: half of the time anywhere, and half of the time in the header, in the declarations of attributes or
/// among the symbols.
fn damage(name: &str, file: &[u8], declared: usize, mutations: usize) {
    limited(file).unwrap_or_else(|error| panic!("{name} is sound: {error}"));
    let compressed = file.len() * 9 / 10;
    let mut rng = Rng(0xd2ac0);
    for turn in 0..mutations {
        let range = match rng.below(8) {
            0..4 => 13..file.len(),
            4 => 29..60,
            5 => declared..declared + 40,
            _ => compressed..file.len(),
        };
        let mut broken = file[..range.start].to_vec();
        broken.extend(mutate(&file[range.clone()], &mut rng));
        broken.extend_from_slice(&file[range.end..]);
        HOSTILE.one(&|| format!("{name}, mutation {turn}"), &broken);
    }
}

/// Damages a real file; 25,000 mutations in all tests together.
fn damage_real(name: &str, mutations: usize) {
    let real = corpus("rbxmesh").into_iter().find(|sample| sample.name == name);
    let Some(Sample { bytes, .. }) = real else { return };
    let (file, declared) = stream(&bytes).expect("a compressed mesh");
    damage(name, file, declared, mutations);
}

#[test]
fn a_real_small_stream() {
    damage_real("mesh7_127279296594138.bin", 20_000);
}

#[test]
fn a_real_large_stream() {
    damage_real("mesh7_100025761449828.bin", 5_000);
}

#[test]
fn every_byte_of_small_streams_is_every_other_byte() {
    for name in ["v7_00.mesh", "v7_00_sides.mesh", "v7_00_hand.mesh", "v7_00_metadata.mesh"] {
        let good = fixture("rbxmesh", name);
        for at in 13..good.len() {
            let mut bytes = good.clone();
            for byte in 0..=255 {
                bytes[at] = byte;
                HOSTILE.one(&|| format!("{name}: {byte:#x} at {at}"), &bytes);
            }
        }
    }
}

#[test]
fn every_truncation_of_real_streams() {
    for Sample { name, bytes } in corpus("rbxmesh") {
        let Some((file, _)) = stream(&bytes) else { continue };
        for len in (13..file.len()).step_by(if file.len() > 20_000 { 61 } else { 7 }) {
            // The sizes of the chunk and of the stream are adjusted, so that the parts of the stream itself are cut
            // off.
            let mut cut = file[..len].to_vec();
            for (at, before) in [(25, 29), (29, 33)] {
                if let Some(size) = len.checked_sub(before) {
                    cut[at..at + 4].copy_from_slice(&(size as u32).to_le_bytes());
                }
            }
            HOSTILE.one(&|| format!("{name} cut to {len}"), &cut);
            assert!(limited(&cut).is_err(), "{name} cut to {len}");
        }
    }
}

/// A file of version 7.00 with this Draco stream.
fn file(stream: &[u8]) -> Vec<u8> {
    let mut file = b"version 7.00\nCOREMESH\x02\0\0\0".to_vec();
    file.extend((stream.len() as u32 + 4).to_le_bytes());
    file.extend((stream.len() as u32).to_le_bytes());
    file.extend(stream);
    file
}

#[test]
fn a_stream_without_its_magic() {
    let error = rbxmesh::from_slice(&file(b"DRACK\x02\x02\x01\0\0\0")).unwrap_err().to_string();
    assert!(error.starts_with("not a Draco stream: expected \"DRACO\" at the start"), "{error}");
}

/// The greatest counts of points and faces that a varint can represent. They take no bytes, since one symbol has all
/// slots.
#[test]
fn points_and_faces_that_cost_nothing() {
    let most = [0xff, 0xff, 0xff, 0xff, 0x0f];
    let constant = [1, 1, 1, 0x01, 0x40, 1, 0];
    let head = b"DRACO\x02\x02\x01\0\0\0".as_slice();
    let colors = [1, 1, 2, 2, 4, 0, 4, 1, 0xfe, 1];
    let points = |count: &[u8]| file(&[head, &[0], count, &[1], &colors, &constant].concat());
    let faces = |count: &[u8]| file(&[head, count, &[0, 0], &constant, &[0]].concat());
    for bytes in [points(&most), faces(&most)] {
        let error = rbxmesh::from_slice(&bytes).unwrap_err();

        assert_eq!((limit_of(&error).name, limit_of(&error).allowed), ("max_bytes", 1 << 30), "{error}");
    }
    // 100,000 points are read if the limit allows it: 40 bytes for each point and 4 for each value.
    let bytes = points(&[0xa0, 0x8d, 0x06]);
    assert_eq!(rbxmesh::from_slice(&bytes).unwrap().vertices.len(), 100_000);
    let needed = 100_000 * (40 + 16) + (34 << 10);
    let taken = testkit::measure(|| {
        ReadOptions::new().max_bytes(needed).read(&bytes).expect("as much as it needs");
    });
    assert!(taken.bytes_max <= needed);
    assert!(ReadOptions::new().max_bytes(100_000 * 56).read(&bytes).is_err());
}

fn limit_of(error: &rbxmesh::Error) -> Limit {
    match error.kind() {
        ErrorKind::Limit(limit) => *limit,
        other => panic!("{other:?}"),
    }
}

/// Attributes that are not fields of a vertex count towards the limit, too, so that it also bounds the work.
#[test]
fn many_wide_attributes_of_many_points() {
    let mut stream = b"DRACO\x02\x02\x01\0\0\0\0".to_vec();
    stream.extend([0xa0, 0x8d, 0x06, 1, 255]);
    let attribute = [4, 2, 255, 0, 9];
    for _ in 0..255 {
        stream.push(1);
        stream.extend(attribute);
        stream.push(1);
    }
    for _ in 0..255 {
        stream.extend([0xfe, 1, 1, 1, 1, 0x01, 0x40, 1, 0]);
    }
    let bytes = file(&stream);
    let error = ReadOptions::new().max_bytes(300 << 20).read(&bytes).unwrap_err();
    assert_eq!(error.path(), "COREMESH.draco.attributes[3]");
    assert!(matches!(error.kind(), ErrorKind::Limit(_)));
}

/// The most expensive symbols: the greatest number of them, all in the first bucket of the largest table.
#[test]
fn symbols_that_are_hard_to_find() {
    let mut stream = b"DRACO\x02\x02\x01\0\0\0".to_vec();
    let table = 255_u32;
    let faces = 200_000_u32;
    stream.extend([(faces & 0x7f) as u8 | 0x80, (faces >> 7 & 0x7f) as u8 | 0x80, (faces >> 14) as u8, 0, 0]);
    // 255 symbols with one slot each, then one with all others.
    stream.extend([1, 18, 0x80, 2]);
    stream.extend([4].repeat(table as usize));
    let rest = ((1 << 20) - table) << 2 | 2;
    stream.extend(&rest.to_le_bytes()[..3]);
    stream.extend([0xff, 0x7f]);
    stream.extend([0; 16_383]);
    let bytes = file(&stream);
    // A linear search for each symbol would take minutes.
    let error = ReadOptions::new().read(&bytes).unwrap_err();
    assert!(error.path().starts_with("COREMESH"), "{error}");
}
