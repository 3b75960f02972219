//! Assets are written so that they read back equal, or refused with a path.

use slmesh::llsd::Map;
use slmesh::{Asset, Submesh};
use testkit::fixture;

fn read(name: &str) -> Asset {
    slmesh::from_slice(&fixture("slmesh", name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn what_cannot_be_written_says_where() {
    let text = |change: &dyn Fn(&mut Asset)| {
        let mut asset = read("all.llmesh");
        change(&mut asset);
        slmesh::to_vec(&asset).unwrap_err().to_string()
    };
    assert_eq!(
        text(&|asset| asset.high_lod.as_mut().unwrap().submeshes[0].weights[2].joints = [1, 255, 0, 255]),
        "cannot write joint 255 with weight 20000 after joint 255, which ends the joint list of a vertex in high_lod[0].weights[2]"
    );
    assert_eq!(
        text(&|asset| asset.physics_convex.as_mut().unwrap().hulls[1].clear()),
        "cannot write a hull of 0 points (1 to 256 are allowed) in physics_convex.hulls[1]"
    );
    assert_eq!(
        text(&|asset| asset.physics_convex.as_mut().unwrap().hulls[0].resize(257, [0; 3])),
        "cannot write a hull of 257 points (1 to 256 are allowed) in physics_convex.hulls[0]"
    );
    assert_eq!(
        text(&|asset| asset.other_blocks[0].name = "skin".into()),
        "cannot write the block skin (Asset has a field for it: set that field, and remove the block from other_blocks) in other_blocks[0]"
    );
    assert_eq!(
        text(&|asset| asset.other_blocks[0].name = "version".into()),
        "cannot write two header entries with the key \"version\" (remove or rename one) in version"
    );
    assert_eq!(
        text(&|asset| asset.high_lod.as_mut().unwrap().submeshes[0].weights[0].weights[1] = 5535),
        "cannot write joint 255 with weight 5535 after joint 255, which ends the joint list of a vertex in high_lod[0].weights[0]"
    );
    let extra = |change: &dyn Fn(&mut Map)| text(&|asset| change(&mut asset.extra));
    let place = || Map::from([("offset", 0), ("size", 9)]);
    for key in ["future", "low_lod"] {
        assert_eq!(
            text(&|asset| {
                asset.low_lod = None;
                asset.extra.push(key, place());
            }),
            format!(
                "cannot write an extra value that would be read back as a block or a known field \
                 (set that block or field instead) in extra.{key}"
            )
        );
    }
    for key in ["version", "future_key", "high_lod", "future_block"] {
        let twice =
            format!("cannot write two header entries with the key \"{key}\" (remove one) in extra.{key}");
        assert_eq!(extra(&|extra| extra.push(key, 1)), twice);
    }
    assert_eq!(
        text(&|asset| {
            asset.version = None;
            asset.extra.push("version", 1);
        }),
        "cannot write an extra value that would be read back as a block or a known field \
         (set that block or field instead) in extra.version"
    );
    assert_eq!(
        text(&|asset| asset.high_lod.as_mut().unwrap().entry.push("size", 1)),
        "cannot write two entries with the key \"size\" (remove one) in high_lod.entry.size"
    );
}

#[test]
fn a_left_over_value_is_written_only_where_it_is_read_back() {
    let write = |change: &dyn Fn(&mut Submesh)| {
        let mut asset = read("simple.llmesh");
        change(&mut asset.high_lod.as_mut().unwrap().submeshes[0]);
        slmesh::to_vec(&asset).map(|bytes| assert!(slmesh::from_slice(&bytes).unwrap() == asset))
    };
    // Fewer bytes than one element are kept after the positions. If a column is missing, a value of another type can
    // have its key.
    write(&|face| face.extra.push("Position", &[1, 2, 3][..])).unwrap();
    write(&|face| face.extra.push("Normal", "none")).unwrap();
    let refused = |key: &str, change: &dyn Fn(&mut Submesh)| {
        let what = "an extra value whose key belongs to a known field (set that field instead)";
        let text = write(change).unwrap_err().to_string();
        assert_eq!(text, format!("cannot write {what} in high_lod[0].extra.{key}"));
    };
    refused("Position", &|face| face.extra.push("Position", &[0; 6][..]));
    refused("Position", &|face| face.extra.push("Position", "none"));
    refused("Normal", &|face| face.extra.push("Normal", &[0; 24][..]));
    refused("NoGeometry", &|face| face.extra.push("NoGeometry", false));
    refused("NormalizedScale", &|face| face.extra.push("NormalizedScale", [1.0, 2.0, 3.0]));
    let text = write(&|face| face.extra.extend([("new", 1), ("new", 2)])).map(|()| "collected: one entry");
    assert!(text.is_ok());
    let twice = write(&|face| (face.extra.push("new", 1), face.extra.push("new", 2)).0).unwrap_err();
    assert_eq!(
        twice.to_string(),
        "cannot write a field `extra` that contains the key \"new\" twice (remove one) in high_lod[0].extra.new"
    );
    // In the map of the hulls.
    let mut asset = read("all.llmesh");
    asset.physics_convex.as_mut().unwrap().extra.push("Min", [0.0; 3]);
    let text = slmesh::to_vec(&asset).unwrap_err().to_string();
    assert!(text.ends_with("in physics_convex.extra.Min"), "{text}");
}

#[test]
fn numbers_are_compared_by_their_bits() {
    let asset = |x: f64| {
        let mut asset = read("all.llmesh");
        asset.high_lod.as_mut().unwrap().submeshes[0].normalized_scale = Some([x, 1.0, 1.0]);
        asset
    };
    assert!(
        asset(f64::NAN) == asset(f64::NAN)
            && asset(f64::NAN) != asset(-f64::NAN)
            && asset(0.0) != asset(-0.0)
    );
    let read = slmesh::from_slice(&slmesh::to_vec(&asset(f64::NAN)).unwrap()).unwrap();
    assert!(read == asset(f64::NAN) && read != asset(1.0) && !read.same_layout(&asset(f64::NAN)));
}

#[test]
fn blocks_without_a_known_meaning_are_in_any_order() {
    let mut asset = read("all.llmesh");
    let mut other = asset.other_blocks[0].clone();
    other.name = "another".into();
    asset.other_blocks.insert(0, other);
    let bytes = slmesh::to_vec(&asset).unwrap();
    assert!(slmesh::from_slice(&bytes).unwrap() == asset);
    asset.other_blocks.swap(0, 1);
    assert!(slmesh::from_slice(&bytes).unwrap() == asset);
}

#[test]
fn an_undefined_block_is_kept() {
    // Submeshes as the uploader writes them for the further parts of a model.
    let undefined = miniz_oxide::deflate::compress_to_vec_zlib(b"!", 9);
    let level = miniz_oxide::deflate::compress_to_vec_zlib(b"[\0\0\0\0]", 9);
    let place = |offset: usize, bytes: &[u8]| {
        let number = |number| i32::try_from(number).expect("small");
        Map::from([("offset", number(offset)), ("size", number(bytes.len()))])
    };
    let header = Map::from([
        ("high_lod", slmesh::llsd::Value::from(place(undefined.len(), &level))),
        ("physics_convex", place(0, &undefined).into()),
        ("submodel_id", 1.into()),
    ]);
    let header = slmesh::llsd::write_binary(&header.into()).unwrap();
    let bytes = [header, undefined, level].concat();
    let mut asset = slmesh::from_slice(&bytes).unwrap();
    assert_eq!((&asset.physics_convex, asset.other_blocks.len()), (&None, 1));
    assert_eq!(slmesh::open(&bytes).unwrap().physics_convex().unwrap(), None);
    assert_eq!(slmesh::to_vec(&asset).unwrap(), bytes);
    asset.submodel_id = Some(2);
    assert!(slmesh::from_slice(&slmesh::to_vec(&asset).unwrap()).unwrap() == asset);
    let missing = |asset: &Asset| slmesh::check(asset).iter().any(|f| f.rule.id == "slmesh.physics-convex");
    assert!(!missing(&asset));
    asset.other_blocks.clear();
    assert!(missing(&asset));
}
