//! Details that are known from the format or from the documentation of the crate.

use slmesh::llsd::{Date, Map, Text, Value, write_binary};
use slmesh::motion::{self, Key, Motion};
use slmesh::{Asset, Domain, Kind, Slm, Submesh, VertexWeights, geom};
use testkit::fixture;

fn read(name: &str) -> Asset {
    slmesh::from_slice(&fixture("slmesh", name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// `Debug` shortens the bytes of the file.
#[test]
fn debug_is_short() {
    let asset = read("all.llmesh");
    let shown = format!("{:?}", asset.layout);
    let kept = &asset.layout.blocks[0];
    assert!(shown.contains(&format!("bytes: {} bytes: {:02x} ", kept.bytes.len(), kept.bytes[0])), "{shown}");
    assert!(shown.len() < 2_000, "{shown}");
}

/// A step is `min + step / 65535 * (max - min)`, and the first and the last step are exactly min and max.
#[test]
fn steps_of_domains() {
    let domain = |min: f64, max: f64| Domain { min: [min], max: [max] };
    for (of, step, expected) in [
        (domain(-0.0, 1.0), 0, -0.0),
        (domain(-1e17, 1.0), u16::MAX, 1.0),
        (domain(0.0, 65_535.0), 7, 7.0),
        // Domains whose width overflows.
        (domain(-f64::MAX, f64::MAX), 0, -f64::MAX),
        (domain(-f64::MAX, f64::MAX), u16::MAX, f64::MAX),
    ] {
        assert_eq!(of.dequantize([step])[0].to_bits(), f64::to_bits(expected), "{of:?} {step}");
    }
    let of = domain(0.1, 0.7);
    for step in 1..u16::MAX {
        assert_eq!(of.dequantize([step]), [0.1 + f64::from(step) / 65_535.0 * (0.7 - 0.1)]);
    }
}

#[test]
fn steps_of_numbers() {
    let of = |min: f64, max: f64, number: f64| Domain { min: [min], max: [max] }.quantize([number])[0];
    assert_eq!([of(10.0, 20.0, 12.5), of(10.0, 20.0, 9.0), of(10.0, 20.0, 21.0)], [16_384, 0, 65_535]);
    assert_eq!((of(5.0, 5.0, 7.0), of(0.0, 1.0, f64::NAN)), (0, 0));
    // The width overflows: a third of it.
    let wide = Domain { min: [-f64::MAX], max: [f64::MAX / 2.0] };
    assert_eq!(wide.quantize([-f64::MAX / 2.0]), [21_845]);
    assert!((wide.dequantize([21_845])[0] / f64::MAX + 0.5).abs() < 1e-12);
}

#[test]
fn a_block_in_the_longest_before_it_overlaps() {
    let bytes = map([
        ("high_lod", place(0, 4)),
        ("low_lod", place(2, 8)),
        ("skin", place(6, 2)),
        ("x", place(10, 2)),
    ]);
    let bytes = [bytes, vec![0; 12]].concat();
    let shown = |block: slmesh::Result<slmesh::Chunk<'_>>| {
        block.map_or_else(|error| error.to_string(), |_| String::new())
    };
    let blocks: Vec<String> = slmesh::chunks(&bytes).unwrap().map(shown).collect();
    assert_eq!((blocks[0].as_str(), blocks[3].as_str()), ("", ""));
    assert!(
        blocks[1].starts_with("the byte ranges of the blocks high_lod and low_lod overlap"),
        "{blocks:?}"
    );
    assert!(blocks[2].starts_with("the byte ranges of the blocks low_lod and skin overlap"), "{blocks:?}");
}

#[test]
fn other_values_are_not_equal() {
    let domain = |min: f64, max: f64| Domain { min: [min], max: [max] };
    assert!(domain(0.0, 1.0) != domain(0.5, 1.0) && domain(0.0, 1.0) != domain(0.0, 0.5));
    let block = |name: &str, bytes: &[u8], kind: i32| {
        let entry = Map::from([("kind", kind)]);
        let other_blocks = vec![slmesh::OtherBlock { name: name.into(), bytes: bytes.to_vec(), entry }];
        Asset { other_blocks, ..Asset::default() }
    };
    let all = [
        block("a", b"1", 1),
        block("b", b"1", 1),
        block("a", b"2", 1),
        block("a", b"1", 2),
        Asset::default(),
    ];
    for (index, a) in all.iter().enumerate() {
        for (other, b) in all.iter().enumerate() {
            assert_eq!(a == b, index == other, "{index} {other}");
        }
    }
    let at = |seconds: f64| Asset { date: Some(Date::from_secs(seconds)), ..Asset::default() };
    assert!(at(1.0) == at(1.0) && at(1.0) != at(2.0));
    assert!(at(1.0) != Asset::default() && Asset::default() != at(1.0));
    assert_ne!(Domain::<3>::UNIT, Domain::HALF);
    let (asset, other) = (read("simple.llmesh"), read("stray.llmesh"));
    assert!(asset.same_layout(&read("simple.llmesh")) && !asset.same_layout(&other) && asset == other);
    let slm = |meshes: &[&Asset], layout: &[u8]| Slm {
        meshes: meshes.iter().copied().cloned().collect(),
        layout: layout.to_vec(),
        ..Slm::default()
    };
    let of_both = slm(&[&asset, &other], b"a");
    assert!(of_both.same_layout(&slm(&[&asset, &other], b"a")));
    assert!(!of_both.same_layout(&slm(&[&asset, &other], b"b")));
    assert!(!of_both.same_layout(&slm(&[&asset, &asset], b"a")));
}

#[test]
fn a_file_for_the_uploader_of_one_mesh() {
    let asset = read("simple.llmesh");
    let slm = Slm::of_asset(asset.clone(), "Chair");
    assert_eq!((slm.version, &slm.name, slm.meshes.len()), (Some(3), &Some(Text::from("Chair")), 1));
    assert_eq!(slm.meshes[0], asset);
    let object = &slm.instances[0];
    assert_eq!((object.mesh_id, &object.label), (Some(0), &Some(Text::from("Chair"))));
    let unit = geom::Mat4::IDENTITY.to_columns().map(f64::from);
    assert_eq!((slm.instances.len(), object.transform), (1, Some(unit)));
    assert_eq!(Slm::from_slice(&slm.to_vec().unwrap()).unwrap(), slm);
    let without = Slm::of_asset(asset, "");
    assert_eq!((without.name, &without.instances[0].label), (None, &None));
}

/// A point with the weight 1/2 for a joint that moves up by 2, and 1/2 for one that moves along by 4.
#[test]
fn points_follow_their_joints() {
    let along = |x: f32, y: f32| {
        geom::Mat4::from_columns([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, 0.0, 1.0])
    };
    let skin = slmesh::Skin::new([("a", along(0.0, 0.0)), ("b", along(10.0, 0.0))]);
    let weights = VertexWeights { joints: [0, 1, 255, 255], weights: [1, 1, 0, 0] };
    let posed = skin.posed(geom::Vec3::new(1.0, 1.0, 1.0), &weights, &[along(0.0, 2.0), along(-6.0, 0.0)]);
    assert_eq!(posed.to_array(), [3.0, 2.0, 1.0]);
}

#[test]
fn a_triangle_mesh_has_what_fits() {
    let face = Submesh {
        positions: vec![[0; 3]; 3],
        tangents: vec![[65_535, 0, 0, 65_535]; 3],
        triangles: vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]],
        ..Submesh::default()
    };
    let mesh = face.to_tri_mesh();
    assert_eq!((mesh.triangles.as_slice(), mesh.tangents.len()), (&[[0, 1, 2]][..], 3));
    // Flipping v inverts the bitangent.
    assert_eq!(mesh.tangents[0].w, -1.0);
    assert!(Submesh { tangents: vec![[0; 4]; 2], ..face }.to_tri_mesh().tangents.is_empty());
}

#[test]
fn shares_that_are_no_weights() {
    for share in [0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let weights = VertexWeights::from_shares(&[(1, share), (2, 1.0)]);
        assert_eq!(weights, VertexWeights::rigid(2), "{share}");
    }
}

/// A date has the length of a real, but is not read as one.
#[test]
fn three_dates_are_not_three_numbers() {
    let mut asset = read("simple.llmesh");
    let dates = Value::from([1.0, 2.0, 3.0].map(|seconds| Value::Date(Date::from_secs(seconds))).to_vec());
    let face = &mut asset.high_lod.as_mut().unwrap().submeshes[0];
    face.normalized_scale = None;
    face.extra.push("NormalizedScale", dates);
    assert!(slmesh::from_slice(&slmesh::to_vec(&asset).unwrap()).unwrap() == asset);
}

fn place(offset: i32, size: i32) -> Value {
    Map::from([("offset", offset), ("size", size)]).into()
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Vec<u8> {
    write_binary(&Map::from(entries).into()).expect("a map")
}

#[test]
fn what_a_file_is() {
    let array = || Value::from(Vec::<Value>::new());
    for (bytes, expected) in [
        // All of its blocks are absent.
        (map([("high_lod", place(0, 0))]), Some(Kind::Asset)),
        (map([("mesh", array()), ("instance", array())]), Some(Kind::Slm)),
        (map([("mesh", 1.into()), ("instance", array())]), None),
        (map([("other", array()), ("instance", array())]), None),
        (map([("mesh", array()), ("other", array())]), None),
        // A map after other bytes that begin like text.
        ([b"<llsd>".to_vec(), fixture("slmesh", "simple.llmesh")].concat(), None),
    ] {
        assert_eq!(slmesh::detect(&bytes), expected, "{bytes:?}");
    }
}

#[test]
fn a_block_outside_of_the_file_says_so() {
    let bytes = [map([("skin", place(3000, 69))]), b"skin".to_vec()].concat();
    let error = slmesh::from_slice(&bytes).unwrap_err();
    let what = "only 4 bytes follow the header, but the block ends 3069 bytes after it (offset 3000 + size 69) in skin";
    assert_eq!(error.to_string(), what);
}

/// A block that ends within a value of it.
#[test]
fn paths_into_a_block() {
    let cut = b"[\0\0\0\x01{\0\0\0\x01k\0\0\0\x0cTriangleListb\0\0\0\x09abc";
    let mut block = Vec::new();
    slmesh::geom::wire::zlib::deflate(cut, 1, &mut block).unwrap();
    let size = i32::try_from(block.len()).unwrap();
    let bytes = [map([("high_lod", place(0, size))]), block].concat();
    assert_eq!(slmesh::from_slice(&bytes).unwrap_err().path(), "high_lod[0].TriangleList");
}

/// A block before the first byte cannot be read; the other blocks can.
#[test]
fn a_block_outside_of_the_file_overlaps_nothing() {
    let bytes = map([("low_lod", place(-4, 8)), ("skin", place(0, 4))]);
    let bytes = [bytes, b"skin".to_vec()].concat();
    let blocks: Vec<_> = slmesh::chunks(&bytes).unwrap().collect();
    assert!(
        blocks[0]
            .as_ref()
            .unwrap_err()
            .to_string()
            .starts_with("expected a non-negative offset and size, found offset -4")
    );
    assert_eq!(blocks[1].as_ref().unwrap().payload, b"skin");
}

#[test]
fn a_value_is_no_block() {
    for (key, value) in
        [("high_lod", Value::from(1)), ("high_lod", Map::from([("offset", 1)]).into()), ("x", 1.into())]
    {
        let asset = Asset { extra: Map::from([(key, value)]), ..Asset::default() };
        assert_eq!(
            slmesh::to_vec(&asset).unwrap_err().to_string(),
            "cannot write an asset without a known block (set a level of detail, a skin or physics)"
        );
    }
}

/// Motions have no magic number: a file with plausible values is detected as a motion.
#[test]
fn what_is_a_motion() {
    let of = |change: &dyn Fn(&mut Motion)| {
        let mut motion = Motion::new(1.0);
        change(&mut motion);
        motion::detect(&motion::to_vec(&motion).unwrap())
    };
    assert!(of(&|_| {}));
    for priority in [-2, -1, 7, 8] {
        assert_eq!(of(&|motion| motion.priority = priority), (-1..=7).contains(&priority), "{priority}");
    }
    for (duration, expected) in
        [(-1.0, false), (0.0, true), (86_400.0, true), (86_401.0, false), (f32::NAN, false)]
    {
        assert_eq!(of(&|motion| motion.duration = duration), expected, "{duration}");
    }
    for (emote, expected) in [
        ("~ a".to_owned(), true),
        ("a\nb".to_owned(), false),
        ("a".repeat(63), true),
        ("a".repeat(64), false),
    ] {
        assert_eq!(of(&|motion| motion.emote = emote.as_str().into()), expected, "{emote}");
    }
    assert!(!motion::detect(b"\x01\0\0\0"));
}

#[test]
fn rotations_of_keys() {
    // For a rotation by 180 degrees, both signs of the quaternion have w = 0, so it is stored unchanged.
    for (rotation, value) in [([1.0, 0.0, 0.0, 0.0], 65_535), ([-1.0, 0.0, 0.0, 0.0], 0)] {
        assert_eq!(Key::of_rotation(0.0, rotation).value[0], value);
    }
    // Values that are too great for a unit quaternion are normalized.
    let third = 1.0 / 3_f32.sqrt();
    assert_eq!(Key { time: 0, value: [65_535; 3] }.rotation(), [third, third, third, 0.0]);
    // 0.6 and 0.8: a rotation about y.
    let [x, y, z, w] = Key::of_rotation(0.0, [0.0, 0.6, 0.0, 0.8]).rotation();
    assert!(x == 0.0 && z == 0.0 && (y - 0.6).abs() < 2e-5 && (w - 0.8).abs() < 2e-5, "{y} {w}");
    // For rotations of clearly less than 180 degrees, each component is rounded to the nearest step.
    for number in 0..1000_u16 {
        let angle = f32::from(number) / 1000.0 * 2.9;
        let axis = [0.48, 0.6, 0.64].map(|axis: f32| axis * (angle / 2.0).sin());
        let key = Key::of_rotation(0.0, [axis[0], axis[1], axis[2], (angle / 2.0).cos()]);
        for (component, step) in axis.into_iter().zip(key.value) {
            let exact = (f64::from(component) + 1.0) / 2.0 * 65_535.0;
            assert!((exact - f64::from(step)).abs() < 0.51, "{angle}: {exact} {step}");
        }
    }
    assert_eq!(format!("{:?}", Key { time: 16_384, value: [32_768, 0, 65_535] }), "16384: [32768, 0, 65535]");
}
