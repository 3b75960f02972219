//! Broken input: reading returns an error or an asset, never panics, and never takes more memory than allowed.

use slmesh::errors::ErrorKind;
use slmesh::llsd::{self, Map, Value};
use slmesh::{Kind, Lod, ReadOptions, Slm, WriteOptions};
use testkit::{Hostile, Rng, fixture, fixtures, measure, mutate};

/// The limit of memory for reads; the default is a thousand times as much.
const MAX_BYTES: u64 = 1 << 20;

fn options() -> ReadOptions {
    ReadOptions::new().max_bytes(MAX_BYTES)
}

/// Reads, and calls everything with the asset.
fn exercise(bytes: &[u8]) -> Result<(), String> {
    let text = |error: slmesh::Error| error.to_string();
    if slmesh::detect(bytes) == Some(Kind::Slm) {
        let slm = options().read_slm(bytes).map_err(text)?;
        assert_eq!(slm.to_vec().expect("read but not written"), bytes);
        let fresh = WriteOptions::new().fresh(true).write_slm(&slm).expect("read but not written again");
        let again = Slm::from_slice(&fresh).expect("what was written reads");
        assert!(again == slm, "another file: {again:?} {slm:?}");
        return Ok(());
    }
    let view = options().open(bytes).map_err(text)?;
    let _header = view.header();
    for lod in Lod::ALL {
        let _level = (view.level(lod), view.inflate(lod.key()));
    }
    let _blocks = (view.skin(), view.physics_mesh(), view.physics_convex(), view.physics_havok());
    for chunk in view.chunks().flatten() {
        assert_eq!(chunk.payload, &bytes[chunk.range]);
    }
    let asset = view.to_asset().map_err(text)?;
    let _findings = slmesh::check(&asset);
    let _bounds = asset.bounds();
    let _posed = asset.posed(Lod::Low, &[Default::default(); 2]);
    assert!(asset.to_tri_mesh(Lod::High).is_none_or(|mesh| mesh.is_consistent()));
    assert_eq!(
        slmesh::to_vec(&asset).expect("read but not written"),
        bytes,
        "what was read comes back exact"
    );
    // Written with a new layout, it is read as an equal asset.
    let fresh = WriteOptions::new().fresh(true).level(1).write(&asset).expect("read but not written again");
    let again = slmesh::from_slice(&fresh).expect("what was written reads");
    assert!(again == asset, "another asset: {:.2000}", format!("{again:?} {asset:?}"));
    Ok(())
}

const HOSTILE: Hostile<'_> = Hostile {
    name: "slmesh",
    read: &exercise,
    only_read: &|bytes| match slmesh::detect(bytes) {
        Some(Kind::Slm) => options().read_slm(bytes).is_ok(),
        _ => options().read(bytes).is_ok(),
    },
    // The limit, and memory for an inflater and an error.
    bound: &|_| MAX_BYTES + 64 * 1024,
    mutations: 500,
    counts: true,
};

#[test]
fn every_truncation_and_many_mutations() {
    HOSTILE.run();
}

/// A zlib stream that stores the bytes without compression.
fn zlib(bytes: &[u8]) -> Vec<u8> {
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in bytes {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let len = u16::try_from(bytes.len()).expect("a small block").to_le_bytes();
    let mut stream = vec![0x78, 0x01, 1, len[0], len[1], !len[0], !len[1]];
    stream.extend_from_slice(bytes);
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

/// An asset with these blocks, each at its offset.
fn file(blocks: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut places = Vec::new();
    let mut body = Vec::new();
    for (name, bytes) in blocks {
        places.push((*name, int(body.len()), int(bytes.len())));
        body.extend_from_slice(bytes);
    }
    lying(&places, &body)
}

fn int(len: usize) -> i32 {
    i32::try_from(len).expect("a small file")
}

/// An asset whose header has these blocks with any offsets and sizes.
fn lying(places: &[(&str, i32, i32)], body: &[u8]) -> Vec<u8> {
    let mut header = Map::new();
    for &(name, offset, size) in places {
        header.push(name, Map::from([("offset", offset), ("size", size)]));
    }
    let mut bytes = llsd::write_binary(&Value::Map(header)).expect("a header");
    bytes.extend_from_slice(body);
    bytes
}

#[test]
fn what_is_inside_the_blocks_may_be_anything() {
    // The blocks are damaged before they are stored, since the checksum would refuse a damaged stream.
    for sample in fixtures("slmesh") {
        let Ok(view) = slmesh::open(&sample.bytes) else { continue };
        for chunk in view.chunks().map(Result::unwrap) {
            let name = chunk.name.to_string();
            let Ok(Some(inside)) = view.inflate(&name) else { continue };
            let wrap = |inside: &[u8]| file(&[(name.as_str(), zlib(inside))]);
            for len in 0..inside.len() {
                HOSTILE.one(&|| format!("{}: {name} cut to {len}", sample.name), &wrap(&inside[..len]));
            }
            let mut rng = Rng(0x5eed);
            for turn in 0..400 {
                let broken = mutate(&inside, &mut rng);
                HOSTILE.one(&|| format!("{}: {name}, mutation {turn}", sample.name), &wrap(&broken));
            }
        }
    }
}

fn refused(bytes: &[u8], text: &str) {
    HOSTILE.one(&|| text.to_owned(), bytes);
    assert_eq!(options().read(bytes).expect_err(text).to_string(), text);
}

#[test]
fn places_that_lie_are_refused_with_the_name_of_the_block() {
    let stream = zlib(b"[\0\0\0\0]");
    let len = int(stream.len());
    let two = [stream.clone(), stream.clone()].concat();
    for (offset, size) in [(0, len + 1), (7, len), (i32::MAX, i32::MAX)] {
        let end = i64::from(offset) + i64::from(size);
        let what = format!("only {len} bytes follow the header, but the block ends {end} bytes after it");
        let found = format!("{what} (offset {offset} + size {size}) in high_lod");
        refused(&lying(&[("high_lod", offset, size)], &stream), &found);
    }
    let negative = "expected a non-negative offset and size, found offset";
    refused(&lying(&[("high_lod", -1, len)], &stream), &format!("{negative} -1, size {len} in high_lod"));
    refused(&lying(&[("high_lod", 0, -5)], &stream), &format!("{negative} 0, size -5 in high_lod"));
    refused(
        &lying(&[("high_lod", i32::MIN, i32::MIN)], &stream),
        &format!("{negative} -2147483648, size -2147483648 in high_lod"),
    );
    refused(
        &lying(&[("high_lod", 0, len), ("low_lod", len - 1, len)], &two),
        "the byte ranges of the blocks high_lod and low_lod overlap in low_lod",
    );
    refused(
        &lying(&[("high_lod", 0, len), ("low_lod", 0, len)], &two),
        "the byte ranges of the blocks high_lod and low_lod overlap in low_lod",
    );
    // A block inside of another one, and one that overlaps its end.
    let places = [("high_lod", 0, 2 * len), ("medium_lod", 1, 2), ("skin", len, 3)];
    let bytes = lying(&places, &two);
    for (name, other) in [("medium_lod", "high_lod"), ("skin", "high_lod")] {
        let error = slmesh::open(&bytes).unwrap().inflate(name).unwrap_err();
        let what = format!("the byte ranges of the blocks {other} and {name} overlap in {name}");
        assert_eq!(error.to_string(), what);
    }
    // If they are read one by one, the other blocks can still be read.
    let bytes = lying(&[("high_lod", 0, len), ("low_lod", len, len + 9)], &two);
    let view = slmesh::open(&bytes).unwrap();
    assert!(view.level(Lod::High).is_ok() && view.level(Lod::Low).is_err());
}

#[test]
fn any_key_may_name_a_block() {
    let keys = ["version", "creator", "date", "submodel_id", "material_list", "physics_cost_data", "404", ""];
    for key in keys {
        let bytes = file(&[(key, b"anything".to_vec()), ("high_lod", level(&[]))]);
        HOSTILE.one(&|| format!("a block {key:?}"), &bytes);
        let asset = slmesh::from_slice(&bytes).unwrap();
        assert_eq!(asset.other_blocks[0].bytes, b"anything");
        assert_eq!(slmesh::to_vec(&asset).unwrap(), bytes);
    }
}

#[test]
fn streams_that_are_none() {
    let good = zlib(b"[\0\0\0\0]");
    let high = |stream: &[u8]| file(&[("high_lod", stream.to_vec())]);
    refused(&high(&good[..good.len() - 1]), "unexpected end of input in high_lod at offset 0x6");
    refused(&high(b"PK\x03\x04 no zlib"), "missing or malformed zlib stream in high_lod at offset 0x0");
    // gzip, which the specification names.
    refused(&high(b"\x1f\x8b\x08\0\0\0\0\0"), "missing or malformed zlib stream in high_lod at offset 0x0");
    let mut wrong = good.clone();
    *wrong.last_mut().unwrap() ^= 1;
    refused(&high(&wrong), "wrong zlib checksum in high_lod at offset 0x6");
}

#[test]
fn a_zlib_bomb_stops_at_the_limit() {
    // Many small meshes of an upload share the limit.
    let zeros = level(&[("Position", vec![0; 60_000].into())]);
    let all = vec![Value::from(llsd::Text::from(file(&[("high_lod", zeros)]))); 60];
    let map = Map::from([("instance", Value::from(vec![Value::Undef])), ("mesh", Value::from(all))]);
    let bytes = llsd::write_binary(&Value::from(map)).unwrap();
    assert_eq!(slmesh::detect(&bytes), Some(Kind::Slm));
    let options = ReadOptions::new().max_bytes(8 << 20);
    assert!(matches!(options.read_slm(&bytes).unwrap_err().kind(), ErrorKind::Limit(_)));
    // 256 MiB of zeros in 256 KiB: as a binary in a submesh, and in an unknown block.
    let mut inside = b"[\0\0\0\x01{\0\0\0\x01k\0\0\0\x08Positionb\x10\0\0\0".to_vec();
    inside.resize(inside.len() + (256 << 20), 0);
    inside.extend_from_slice(b"}]");
    let bomb = miniz_oxide::deflate::compress_to_vec_zlib(&inside, 1);
    assert!(bomb.len() < 2 << 20);
    drop(inside);
    for name in ["high_lod", "skin", "physics_convex", "physics_mesh", "physics_havok"] {
        let bytes = file(&[(name, bomb.clone())]);
        let limit = 8 << 20;
        let options = ReadOptions::new().max_bytes(limit);
        let taken = measure(|| {
            let error = options.read(&bytes).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Limit(limit) if limit.name == "max_bytes"), "{error}");
            assert_eq!(error.path(), name);
        });
        assert!(taken.bytes_max <= limit + (64 << 10), "{name}: {}", taken.bytes_max);
        let text = options.open(&bytes).unwrap().inflate(name).unwrap_err().to_string();
        assert!(
            text.starts_with("limit of 8388608 bytes of memory exceeded (raise the option max_bytes) in "),
            "{text}"
        );
    }
}

/// A level with a submesh of these entries only.
fn level(entries: &[(&str, Value)]) -> Vec<u8> {
    let submesh: Map = entries.iter().cloned().collect();
    zlib(&llsd::write_binary(&Value::from(vec![Value::Map(submesh)])).expect("a level"))
}

#[test]
fn weights_that_end_in_the_middle_of_a_vertex() {
    // Two vertices: joint 3 only, then joints 1 and 2.
    let whole = [3, 255, 255, 255, 1, 0, 128, 2, 255, 127, 255];
    for len in 0..=whole.len() {
        let bytes = file(&[("high_lod", level(&[("Weights", whole[..len].into())]))]);
        let read = options().read(&bytes);
        HOSTILE.one(&|| format!("weights of {len} bytes"), &bytes);
        match len {
            0 => assert_eq!(read.unwrap().high_lod.unwrap().submeshes[0].weights, []),
            4 => assert_eq!(read.unwrap().high_lod.unwrap().submeshes[0].weights.len(), 1),
            11 => assert_eq!(read.unwrap().high_lod.unwrap().submeshes[0].weights.len(), 2),
            _ => {
                let vertex = usize::from(len > 4);
                let error = read.unwrap_err();
                assert_eq!(error.path(), format!("high_lod[0].Weights[{vertex}]"), "{len}: {error}");
                assert!(matches!(error.kind(), ErrorKind::UnexpectedEnd));
                // The offset is relative to the inflated block, and is its end.
                assert!(error.offset().is_some_and(|offset| offset > 20), "{error}");
            }
        }
    }
}

#[test]
fn hulls_of_more_points_than_there_are() {
    let convex = |counts: &[u8], points: usize| {
        let map = Map::from([("HullList", Value::from(counts)), ("Positions", vec![0; points * 6].into())]);
        file(&[("physics_convex", zlib(&llsd::write_binary(&Value::Map(map)).unwrap()))])
    };
    assert_eq!(options().read(&convex(&[3, 4], 7)).unwrap().physics_convex.unwrap().hulls.len(), 2);
    let refuse = |counts: &[u8], points, text: &str| {
        let text = format!("too few points left in Positions for a hull: {text}");
        let error = options().read(&convex(counts, points)).unwrap_err();
        assert!(error.to_string().starts_with(&text), "{error}");
        HOSTILE.one(&|| text.clone(), &convex(counts, points));
    };
    refuse(&[3, 5], 7, "expected 5, found 4 in physics_convex.HullList[1] at offset");
    refuse(&[0], 255, "expected 256, found 255 in physics_convex.HullList[0] at offset");
    refuse(&[1], 0, "expected 1, found 0 in physics_convex.HullList[0] at offset");
    refuse(&[255; 1000], 9, "expected 255, found 9 in physics_convex.HullList[0] at offset");
}

#[test]
fn values_in_values_without_end() {
    let submesh = &b"[\0\0\0\x01{\0\0\0\x01k\0\0\0\x01x"[..];
    let opens = [("high_lod", submesh, &b"[\0\0\0\x01"[..]), ("skin", b"", b"{\0\0\0\x01k\0\0\0\0")];
    for (name, start, open) in opens {
        let deep = [start, &open.repeat(6_000)].concat();
        let limit = format!("limit of 128 levels of nesting exceeded (raise the option max_depth) in {name}");
        let bytes = file(&[(name, zlib(&deep))]);
        let error = options().read(&bytes).unwrap_err().to_string();
        assert!(error.starts_with(&limit), "{error}");
        HOSTILE.one(&|| "deep block".into(), &bytes);
        HOSTILE.one(&|| "deep header".into(), &[b"{\0\0\0\x01k\0\0\0\x01a", deep.as_slice()].concat());
    }
    // Within the limit of depth, such a value is kept, in the header and in a submesh.
    let mut deep = Value::from(1);
    for _ in 0..100 {
        deep = Value::from(vec![deep]);
    }
    let bytes = file(&[("high_lod", level(&[("future", deep)]))]);
    let asset = options().read(&bytes).unwrap();
    assert_eq!(slmesh::to_vec(&asset).unwrap(), bytes);
    let text = options().max_depth(50).read(&bytes).unwrap_err().to_string();
    assert!(
        text.starts_with("limit of 50 levels of nesting exceeded (raise the option max_depth) in high_lod"),
        "{text}"
    );
}

/// Bytes after the value of a block are ignored, but those of all blocks count together.
#[test]
fn bytes_after_the_values_of_blocks_count() {
    let mut inside = b"[\0\0\0\x01{\0\0\0\0}]".to_vec();
    inside.resize(3 << 20, 0);
    let block = miniz_oxide::deflate::compress_to_vec_zlib(&inside, 9);
    let options = ReadOptions::new().max_bytes(8 << 20);
    let all = ["high_lod", "medium_lod", "low_lod", "lowest_lod"].map(|name| (name, block.clone()));
    let one = file(&all[..1]);
    let asset = options.read(&one).unwrap();
    assert_eq!(slmesh::to_vec(&asset).unwrap(), one);
    assert!(matches!(options.read(&file(&all)).unwrap_err().kind(), ErrorKind::Limit(_)));
}

#[test]
fn many_small_things_take_no_more_than_is_allowed() {
    // Submeshes of five bytes, each of which needs a few hundred bytes of memory.
    let many = |one: &[u8], count: i32| {
        let mut inside = [b"[".as_slice(), &count.to_be_bytes()].concat();
        inside.extend(one.repeat(count as usize));
        inside.push(b']');
        miniz_oxide::deflate::compress_to_vec_zlib(&inside, 1)
    };
    for one in [&b"{\0\0\0\0}"[..], b"{\0\0\0\x01k\0\0\0\x01x!}"] {
        for count in [100, 1_000, 100_000] {
            let bytes = file(&[("high_lod", many(one, count))]);
            HOSTILE.one(&|| format!("{count} submeshes"), &bytes);
        }
    }
    // A hundred thousand unknown keys, and a hundred thousand equal ones.
    for same in [true, false] {
        let mut map = [b"[\0\0\0\x01{".as_slice(), &100_000_i32.to_be_bytes()].concat();
        for key in 0..100_000_u32 {
            map.extend_from_slice(b"k\0\0\0\x04");
            map.extend(if same { 0 } else { key }.to_be_bytes());
            map.push(b'!');
        }
        map.extend_from_slice(b"}]");
        let bytes = file(&[("high_lod", miniz_oxide::deflate::compress_to_vec_zlib(&map, 1))]);
        HOSTILE.one(&|| "keys".into(), &bytes);
        let asset = slmesh::from_slice(&bytes).unwrap();
        let keys = asset.high_lod.as_ref().unwrap().submeshes[0].extra.len();
        assert_eq!(keys, if same { 1 } else { 100_000 });
        assert_eq!(slmesh::to_vec(&asset).unwrap(), bytes);
    }
    // Thousands of unknown blocks, one after the other.
    let places: Vec<(String, i32, i32)> = (0..20_000).map(|n| (format!("b{n}"), n, 1)).collect();
    let places: Vec<(&str, i32, i32)> = places.iter().map(|(name, a, b)| (name.as_str(), *a, *b)).collect();
    let stream = zlib(b"[\0\0\0\0]");
    let places = [places, vec![("high_lod", 20_000, int(stream.len()))]].concat();
    let bytes = lying(&places, &[vec![0; 20_000], stream].concat());
    let asset = slmesh::from_slice(&bytes).unwrap();
    assert_eq!(asset.other_blocks.len(), 20_000);
    assert_eq!(slmesh::to_vec(&asset).unwrap(), bytes);
    // Thousands of blocks that overlap each other.
    let places: Vec<(String, i32, i32)> = (0..5_000).map(|n| (format!("b{n}"), n, 9_000 - n)).collect();
    let mut places: Vec<(&str, i32, i32)> =
        places.iter().map(|(name, a, b)| (name.as_str(), *a, *b)).collect();
    places.push(("skin", 1, 1));
    let bytes = lying(&places, &[0; 20_000]);
    HOSTILE.one(&|| "blocks".into(), &bytes);
    assert!(slmesh::from_slice(&bytes).is_err());
}

#[test]
fn every_count_of_a_block_lies() {
    let bytes = fixture("slmesh", "all.llmesh");
    let view = slmesh::open(&bytes).unwrap();
    for name in ["high_lod", "skin", "physics_convex", "physics_havok"] {
        let inside = view.inflate(name).unwrap().unwrap();
        // Wrong counts and lengths after each marker of a value that has one.
        let marked = |at: &usize| b"[{sbk".contains(&inside[*at]);
        for at in (0..inside.len() - 4).filter(marked) {
            for lie in [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff_u32] {
                let mut broken = inside.clone();
                broken[at + 1..at + 5].copy_from_slice(&lie.to_be_bytes());
                HOSTILE.one(&|| format!("{name}: {lie:#x} at {at}"), &file(&[(name, zlib(&broken))]));
            }
        }
    }
    // The same in the header.
    let start = view.start();
    for at in (0..start - 4).filter(|at| b"[{sbki".contains(&bytes[*at])) {
        for lie in [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff_u32] {
            let mut broken = bytes.clone();
            broken[at + 1..at + 5].copy_from_slice(&lie.to_be_bytes());
            HOSTILE.one(&|| format!("header: {lie:#x} at {at}"), &broken);
        }
    }
}

#[test]
fn blocks_twice_missing_and_in_any_order() {
    HOSTILE.rearranged(&|bytes| {
        let chunks = slmesh::chunks(bytes).into_iter().flatten();
        let mut blocks: Vec<_> = chunks.filter_map(Result::ok).map(|chunk| chunk.range).collect();
        blocks.sort_by_key(|block| block.start);
        blocks
    });
}

#[test]
fn a_full_disk_is_an_error() {
    testkit::full_disks("slmesh", &|bytes, disk| {
        let asset = slmesh::from_slice(bytes).ok()?;
        let written = slmesh::to_writer(disk, &asset);
        if let Err(error) = &written {
            assert!(matches!(error.kind(), slmesh::errors::ErrorKind::Io(_)), "{error}");
        }
        Some(written.is_ok())
    });
}

#[test]
fn a_block_among_many_is_found_without_a_search() {
    // A search among 200,000 blocks for each of 200,000 names would take minutes.
    let names: Vec<String> = (0..200_000).rev().map(|n| format!("block{n:06}")).collect();
    let mut blocks: Vec<(&str, Vec<u8>)> = names.iter().map(|name| (name.as_str(), b"x".to_vec())).collect();
    blocks.push(("high_lod", zlib(&llsd::write_binary(&Value::from(7)).unwrap())));
    let bytes = file(&blocks);
    let view = slmesh::open(&bytes).unwrap();
    assert!(names.iter().all(|name| view.size(name) == Some(1)));
    assert!(view.inflate("block000007").is_err());
    assert_eq!(view.inflate("high_lod").unwrap().as_deref(), Some(&b"i\0\0\0\x07"[..]));
    assert_eq!(view.inflate("block").unwrap(), None);
}

#[test]
fn many_keys_beside_many_instances_are_written_in_linear_time() {
    // A search among 200,000 keys for each of 200,000 instances would take minutes.
    const COUNT: i32 = 200_000;
    let mut slm = Slm {
        instances: (0..COUNT).map(|n| slmesh::Instance { mesh_id: Some(n), ..Default::default() }).collect(),
        extra: (0..COUNT).map(|n| (format!("{n:06}"), n)).collect(),
        ..Slm::default()
    };
    let bytes = slm.to_vec().unwrap();
    slm = Slm::from_slice(&bytes).unwrap();
    assert_eq!(slm.to_vec().unwrap(), bytes);
    slm.instances[7].mesh_id = Some(-1);
    let edited = Slm::from_slice(&slm.to_vec().unwrap()).unwrap();
    assert!(edited == slm && edited.extra.len() == COUNT as usize);
}

#[test]
fn inconsistent_models_are_refused_or_empty() {
    let submesh = slmesh::Submesh {
        positions: vec![[0; 3]; 3],
        normals: vec![[0; 3]; 9],
        tangents: vec![[0; 4]; 2],
        tex_coords0: vec![[0; 2]; 1],
        triangles: vec![[0, 1, 2], [9, 9, 9], [0, 0, u16::MAX]],
        weights: vec![slmesh::VertexWeights { joints: [200, 255, 3, 255], weights: [1; 4] }; 7],
        normalized_scale: Some([f64::NAN; 3]),
        ..Default::default()
    };
    let level = || Some(slmesh::Level { submeshes: vec![submesh.clone(); 3], ..Default::default() });
    let mut skin = slmesh::Skin::new([("mPelvis", Default::default())]);
    skin.bind_shape_matrix = Some([f64::INFINITY; 16]);
    let asset = slmesh::Asset {
        low_lod: level(),
        high_lod: level(),
        physics_mesh: level(),
        skin: Some(skin),
        ..Default::default()
    };
    assert!(slmesh::check(&asset).len() > 10);
    let mesh = asset.to_tri_mesh(Lod::High).unwrap();
    assert!(mesh.is_consistent() && mesh.normals.is_empty() && mesh.triangles.len() == 3);
    assert_eq!(asset.posed(Lod::High, &[]).unwrap().len(), 3);
    assert!(slmesh::to_vec(&asset).unwrap_err().path().starts_with("low_lod[0].weights[0]"));
}
