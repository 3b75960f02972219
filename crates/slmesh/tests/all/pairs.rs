//! Values and bytes that are known from other sources: the fixtures were laid out by hand.

use slmesh::llsd::{Date, Map, Uuid, Value};
use slmesh::{Asset, Domain, Kind, Level, Lod, Slm, Submesh, VertexWeights, WriteOptions};
use testkit::{fixture, fixtures};

fn read(name: &str) -> Asset {
    slmesh::from_slice(&fixture("slmesh", name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn high(asset: &Asset) -> &Submesh {
    &asset.high_lod.as_ref().expect("a level").submeshes[0]
}

/// The corners of a tetrahedron: the origin, and the end of each axis.
const CORNERS: [[u16; 3]; 4] = [[0, 0, 0], [65_535, 0, 0], [0, 65_535, 0], [0, 0, 65_535]];
const TRIANGLES: [[u16; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

#[test]
fn every_fixture_comes_back_and_is_known() {
    for sample in fixtures("slmesh") {
        let kind = if sample.name.ends_with(".slm") { Kind::Slm } else { Kind::Asset };
        assert_eq!(slmesh::detect(&sample.bytes), Some(kind), "{}", sample.name);
        let written = match kind {
            Kind::Slm => Slm::from_slice(&sample.bytes).unwrap().to_vec(),
            _ => slmesh::to_vec(&slmesh::from_slice(&sample.bytes).unwrap()),
        };
        assert_eq!(written.unwrap(), sample.bytes, "{}", sample.name);
    }
}

#[test]
fn every_block_and_every_key() {
    let asset = read("all.llmesh");
    assert_eq!(asset.version, Some(1));
    assert_eq!(asset.creator, Some(Uuid(*b"0123456789abcdef")));
    assert_eq!(asset.date, Some(Date::from_secs(1_700_000_000.25)));
    assert_eq!(asset.submodel_id, Some(2));
    assert_eq!(asset.material_list, Some(vec!["Material".into()]));
    assert_eq!(
        asset.extra,
        Map::from([("future_key", Value::from(vec![Value::from(1), Value::from(false)]))])
    );
    let other = &asset.other_blocks[0];
    assert_eq!((other.name.as_str(), other.bytes.as_slice()), (Some("future_block"), &b"not zlib"[..]));
    assert_eq!(other.entry, Map::from([("kind", "?")]));
    assert_eq!(Lod::ALL.map(|lod| asset.triangle_count(lod)), [1, 2, 3, 4]);
    assert_eq!(Lod::ALL.map(|lod| asset.vertex_count(lod)), [3, 4, 4, 4]);
    assert_eq!(asset.high_lod.as_ref().unwrap().entry, Map::from([("mesh_triangles", 4)]));

    let face = high(&asset);
    assert_eq!(face.position_domain, Some(Domain { min: [-0.5, -0.25, 0.0], max: [0.5, 0.25, 0.125] }));
    assert_eq!((face.positions.as_slice(), face.triangles.as_slice()), (&CORNERS[..], &TRIANGLES[..]));
    let points: Vec<_> = face.points().map(|point| point.to_array()).collect();
    assert_eq!(points, [[-0.5, -0.25, 0.0], [0.5, -0.25, 0.0], [-0.5, 0.25, 0.0], [-0.5, -0.25, 0.125]]);
    assert_eq!(face.normals, [[32_768, 32_768, 65_535]; 4]);
    let [x, _, z] = face.normal_vectors().next().unwrap().to_array();
    assert!((x - 1.0 / 65_535.0).abs() < 1e-9 && z == 1.0);
    assert_eq!(face.tangents, [[65_535, 32_768, 32_768, 0]; 4]);
    assert_eq!(face.tangent_vectors().next().unwrap().w, -1.0);
    let uvs: Vec<_> = face.uvs().map(|uv| uv.to_array()).collect();
    assert_eq!(uvs, [[0.0, -1.0], [2.0, -1.0], [0.0, 1.0], [2.0, 1.0]]);
    assert_eq!(face.tex_coords1, [[1, 2], [3, 4], [5, 6], [7, 8]]);
    assert_eq!(face.tex_coord1_domain, Some(Domain { min: [0.25; 2], max: [0.75; 2] }));
    assert_eq!(face.uvs1().count(), 4);
    assert_eq!(face.normalized_scale, Some([2.0, 3.0, 0.5]));
    let influences: Vec<Vec<_>> = face.weights.iter().map(|w| w.influences().collect()).collect();
    assert_eq!(influences[0], [(0, 65_535)]);
    assert_eq!(influences[1], [(1, 40_000), (0, 25_535)]);
    assert_eq!(influences[2], [(0, 30_000), (1, 20_000), (0, 15_535)]);
    assert_eq!(influences[3], [(1, 20_000), (0, 20_000), (1, 20_000), (0, 5_535)]);
    // In a triangle mesh, v points downwards.
    let mesh = asset.to_tri_mesh(Lod::High).unwrap();
    assert_eq!(mesh.uvs[0].to_array(), [0.0, 2.0]);

    let skin = asset.skin.as_ref().unwrap();
    assert_eq!(skin.joint_names, ["mPelvis", "mTorso"].map(slmesh::llsd::Text::from));
    assert_eq!(skin.bind_shape().translation().to_array(), [0.0, 0.5, 1.0]);
    assert_eq!(skin.inverse_bind(1).unwrap().translation().to_array(), [0.0, 0.0, -1.5]);
    assert_eq!(skin.joint_position(1).unwrap().to_array(), [0.0, 0.25, 1.5]);
    assert_eq!((skin.pelvis_offset, skin.lock_scale_if_joint_position), (Some(-0.125), Some(true)));

    let convex = asset.physics_convex.as_ref().unwrap();
    assert_eq!(convex.domain, Some(Domain { min: [-0.5, -0.25, 0.0], max: [0.5, 0.25, 0.125] }));
    assert_eq!(convex.bounding, CORNERS);
    assert_eq!(convex.hulls, [CORNERS[..3].to_vec(), CORNERS[3..].to_vec()]);
    assert_eq!(convex.entry, Map::from([("hash", Value::from(&[0xaa, 0xbb, 0xcc, 0xdd][..]))]));

    let cost = asset.physics_cost_data.as_ref().unwrap();
    assert_eq!((cost.decomposition, cost.hull), (Some(2.5), Some(0.75)));
    assert_eq!((cost.decomposition_hulls, cost.decomposition_discounted_vertices), (Some(2), Some(4)));
    assert_eq!((cost.hull_discounted_vertices, cost.mesh_triangles), (Some(1), Some(4)));
    assert_eq!(cost.mesh, Some([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]));

    let havok = asset.physics_havok.as_ref().unwrap();
    let mass = havok.hull_mass.as_ref().unwrap();
    assert_eq!((mass.mass, mass.volume, mass.center), (Some(10.0), Some(0.5), Some([0.0, 0.25, -0.5])));
    assert_eq!(mass.inertia, Some([1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0]));
    assert_eq!(havok.decomposition_mass.as_ref().unwrap().mass, Some(8.0));
    let mopp = havok.mopp.as_ref().unwrap();
    assert_eq!((mopp.build_type, mopp.data.as_deref()), (Some(1), Some(&[1, 2, 3, 255][..])));
    assert_eq!(mopp.info, Some([0.0, 0.5, 1.0, 65_536.0]));
    assert_eq!(havok.extra, Map::from([("WeldingData", Value::from(&[9, 8, 7][..]))]));
    assert_eq!(havok.entry.get("version"), Some(&Value::Integer(1)));

    // The lazy view returns the same values.
    let bytes = fixture("slmesh", "all.llmesh");
    let view = slmesh::open(&bytes).unwrap();
    assert_eq!(view.physics_havok().unwrap(), asset.physics_havok);
    assert_eq!(view.header().physics_cost_data, asset.physics_cost_data);
    assert_eq!(view.physics_convex().unwrap(), asset.physics_convex);
    assert_eq!(view.skin().unwrap(), asset.skin);
    assert_eq!(view.level(Lod::Medium).unwrap(), asset.medium_lod);
    let names: Vec<String> = slmesh::chunks(&bytes).unwrap().map(|c| c.unwrap().name.to_string()).collect();
    assert_eq!(names.len(), 8);
    assert_eq!(names[0], "future_block");
}

#[test]
fn levels_fall_back_as_in_the_viewer() {
    let mut asset = read("all.llmesh");
    let shown = |asset: &Asset| Lod::ALL.map(|lod| asset.lod(lod).map(|(lod, _)| lod));
    assert_eq!(shown(&asset), Lod::ALL.map(Some));
    asset.medium_lod = None;
    assert_eq!(shown(&asset), [Some(Lod::Lowest), Some(Lod::Low), Some(Lod::Low), Some(Lod::High)]);
    asset.lowest_lod = None;
    assert_eq!(shown(&asset), [Some(Lod::Low), Some(Lod::Low), Some(Lod::Low), Some(Lod::High)]);
    asset.low_lod = None;
    assert_eq!(shown(&asset), [Some(Lod::High); 4]);
    asset.high_lod = None;
    assert_eq!(shown(&asset), [None; 4]);
    assert_eq!(asset.bounds(), None);
}

/// Regression, found by fuzzing: a byte after the map of the kept header moved every block.
#[test]
fn a_kept_header_that_does_not_end_with_its_map_is_written_anew() {
    let mut asset = read("simple.llmesh");
    let file = slmesh::to_vec(&asset).unwrap();
    asset.layout.header.push(17);
    assert!(slmesh::to_vec(&asset).unwrap() == file);
}

#[test]
fn what_was_kept_of_a_layout() {
    for name in ["prefix.llmesh", "prefix_short.llmesh"] {
        let asset = read(name);
        assert!(asset.layout.header.starts_with(b"<?"), "{name}");
        // The viewer's prefix has 18 bytes, but offsets still start at the end of the map.
        assert_eq!(asset, read("trailing.llmesh"));
        // An edit of the header removes the prefix, since current viewers do not read it.
        let edited = Asset { version: Some(2), ..asset };
        let bytes = slmesh::to_vec(&edited).unwrap();
        assert!(bytes.starts_with(b"{"));
        assert_eq!(slmesh::from_slice(&bytes).unwrap(), edited);
    }
    assert_eq!(read("trailing.llmesh").layout.trailing, b"LLWearable version 22\n");
    let mut gaps = read("gaps.llmesh");
    let kept: Vec<_> =
        gaps.layout.blocks.iter().map(|kept| (kept.name.as_str().unwrap(), &kept.gap[..])).collect();
    assert_eq!(kept, [("high_lod", &b"before"[..]), ("physics_convex", b"between")]);
    gaps.high_lod = None;
    let bytes = slmesh::to_vec(&gaps).unwrap();
    assert_eq!(slmesh::from_slice(&bytes).unwrap(), gaps);
    assert!(bytes.windows(13).any(|window| window == b"beforebetween"));
    let fresh = WriteOptions::new().fresh(true).write(&gaps).unwrap();
    assert!(!fresh.windows(6).any(|window| window == b"before"));
    // Bytes after a stream belong to its block.
    let stray = read("stray.llmesh");
    assert!(stray.layout.blocks[1].bytes.ends_with(b"outside"));
    assert_eq!(stray, read("simple.llmesh"));
}

#[test]
fn header_keys_in_any_order_and_of_any_type() {
    let odd = read("odd_header.llmesh");
    // If a key occurs twice, the first value counts, as in the viewer.
    assert_eq!(odd.version, Some(1));
    assert_eq!(odd.extra, Map::from([("404", Value::Undef)]));
    assert_eq!(high(&odd).triangles, TRIANGLES);
    let edited = Asset { version: Some(3), submodel_id: Some(1), ..odd };
    let bytes = slmesh::to_vec(&edited).unwrap();
    let header = slmesh::llsd::read_binary(&bytes[..slmesh::open(&bytes).unwrap().start()]).unwrap();
    let keys: Vec<String> = header.as_map().unwrap().keys().map(ToString::to_string).collect();
    assert_eq!(keys, ["version", "high_lod", "404", "physics_convex", "submodel_id"]);
    let types = read("odd_types.llmesh");
    assert_eq!((types.version, types.creator, &types.low_lod), (None, None, &None));
    assert_eq!(types.extra.get("version"), Some(&Value::Real(1.0)));
    assert_eq!(types.extra.get("creator"), Some(&Value::from("me")));
    assert_eq!(types.extra.get("low_lod"), Some(&Value::from(Map::from([("offset", 0), ("size", 0)]))));
}

#[test]
fn submeshes_that_nobody_should_write() {
    let asset = read("no_geometry.llmesh");
    let faces = &asset.high_lod.as_ref().unwrap().submeshes;
    assert_eq!(faces.iter().map(|face| face.no_geometry).collect::<Vec<_>>(), [true, true, true, false]);
    assert_eq!(faces[0], Submesh::without_geometry());
    assert_eq!(faces[1].extra, Map::from([("NoGeometry", false)]));
    assert_eq!(faces[2].triangles, TRIANGLES);
    let odd = read("odd_lengths.llmesh");
    let face = high(&odd);
    assert_eq!((face.positions.as_slice(), face.triangles.as_slice()), (&CORNERS[..], &TRIANGLES[..]));
    assert_eq!((face.normals.len(), face.tex_coords0.len()), (0, 0));
    let rest = |name: &str| Some(face.extra.get(name)?.as_binary()?.to_vec());
    assert_eq!(rest("Position"), Some(vec![1, 2, 3]));
    assert_eq!(rest("TriangleList"), Some(vec![7, 0]));
    assert_eq!(rest("Normal"), Some(vec![9; 5]));
    assert_eq!(rest("TexCoord0"), Some(Vec::new()));
    let odd = read("odd_values.llmesh");
    let face = high(&odd);
    assert_eq!(face.normalized_scale, Some([1.0, 2.0, 3.0]));
    assert_eq!((face.position_domain, face.tex_coord0_domain, face.normals.len()), (None, None, 0));
    assert_eq!(face.extra.keys().map(|key| key.to_string()).collect::<Vec<_>>().len(), 4);
    // Without a domain, positions range from -0.5 to 0.5.
    assert_eq!(face.points().nth(1).unwrap().to_array(), [0.5, -0.5, -0.5]);
    let flat = read("flat.llmesh");
    assert!(high(&flat).points().all(|point| point.y == 0.25));
    let joints = read("joints.llmesh");
    assert_eq!(high(&joints).weights[0].influences().collect::<Vec<_>>(), [(254, 1)]);
    assert_eq!(high(&joints).weights[2], VertexWeights::default());
    assert_eq!(high(&read("unsorted.llmesh")), high(&read("simple.llmesh")));
    assert_eq!(read("no_faces.llmesh").high_lod, Some(Level::default()));
    // NaN keeps its bits, too.
    assert!(high(&read("not_numbers.llmesh")).position_domain.unwrap().min[0].is_nan());
}

#[test]
fn physics_in_all_forms() {
    let mesh = read("physics_mesh.llmesh");
    assert_eq!(mesh.physics_mesh.as_ref().unwrap().triangle_count(), 3);
    let mut shape = read("physics_shape.llmesh");
    assert_eq!(shape.physics_mesh, mesh.physics_mesh);
    let bytes = fixture("slmesh", "physics_shape.llmesh");
    assert_eq!(slmesh::open(&bytes).unwrap().physics_mesh().unwrap(), mesh.physics_mesh);
    // After an edit, the block keeps its old name.
    shape.physics_mesh.as_mut().unwrap().submeshes[0].triangles.pop();
    let bytes = slmesh::to_vec(&shape).unwrap();
    assert!(slmesh::open(&bytes).unwrap().has("physics_shape"));
    assert_eq!(slmesh::from_slice(&bytes).unwrap(), shape);
    let both = read("physics_both.llmesh");
    assert_eq!(both.physics_mesh, mesh.physics_mesh);
    assert_eq!(both.other_blocks[0].name, *"physics_shape");

    let many = read("hull_256.llmesh");
    let convex = many.physics_convex.as_ref().unwrap();
    assert_eq!(convex.hulls.iter().map(Vec::len).collect::<Vec<_>>(), [256, 255]);
    assert_eq!(convex.hulls[1][0], [256 * 3 * 42, (256 * 3 + 1) * 42, (256 * 3 + 2) * 42_u16]);
    assert_eq!(convex.extra.get("Positions").unwrap().as_binary().unwrap().len(), 12);
    // Without a domain, points range from -0.5 to 0.5.
    assert_eq!(convex.bounding_points().nth(1).unwrap().to_array(), [0.5, -0.5, -0.5]);
    let half = read("half_domain.llmesh");
    assert_eq!(half.physics_convex.as_ref().unwrap().domain, None);
    assert!(half.physics_convex.as_ref().unwrap().extra.contains_key("Min"));
}

#[test]
fn the_uploaders_files() {
    let mut slm = Slm::from_slice(&fixture("slmesh", "upload.slm")).unwrap();
    assert_eq!(
        (slm.version, slm.name.as_ref().and_then(|name| name.as_str())),
        (Some(3), Some("Two shapes"))
    );
    assert_eq!(slm.meshes[0], read("simple.llmesh"));
    assert_eq!(slm.meshes[1].skin, read("all.llmesh").skin);
    let instance = &slm.instances[1];
    assert_eq!(
        (instance.mesh_id, instance.label.as_ref().and_then(|l| l.as_str())),
        (Some(1), Some("Tetrahedron"))
    );
    assert_eq!(instance.transform.unwrap()[12..], [0.0, 1.0, 1.0, 1.0]);
    let material = instance.material.as_ref().unwrap();
    assert_eq!(material.find("0/diffuse/filename").unwrap().as_str(), Some("wood.png"));
    // Edits of nested values.
    slm.meshes[1].high_lod.as_mut().unwrap().submeshes[0].normals[0] = [0, 32_768, 32_768];
    slm.instances[0].label = Some("Box".into());
    let bytes = slm.to_vec().unwrap();
    assert_eq!(slmesh::detect(&bytes), Some(Kind::Slm));
    assert_eq!(Slm::from_reader(bytes.as_slice()).unwrap(), slm);

    let mut odd = Slm::from_slice(&fixture("slmesh", "upload_odd.slm")).unwrap();
    assert_eq!((odd.instances[0].mesh_id, odd.instances[0].transform), (None, None));
    assert_eq!(odd.instances[0].extra.len(), 3);
    odd.version = Some(4);
    let bytes = odd.to_vec().unwrap();
    assert!(bytes.ends_with(b"}more"));
    assert_eq!(Slm::from_slice(&bytes).unwrap(), odd);
    // An upload that was not read from a file.
    let slm = Slm { version: Some(3), meshes: vec![read("simple.llmesh")], ..Slm::default() };
    assert_eq!(Slm::from_slice(&slm.to_vec().unwrap()).unwrap(), slm);
    // An error in a mesh contains its index.
    let mut bytes = fixture("slmesh", "upload.slm");
    let at = bytes.windows(2).position(|pair| pair == [0x78, 0x01]).unwrap();
    bytes[at] = 0;
    let error = Slm::from_slice(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "missing or malformed zlib stream in mesh[0].physics_convex at offset 0x0");
}

/// An edit changes its values, while every key stays in its position, in the file and in each object.
#[test]
fn an_edited_slm_keeps_the_order_of_its_keys() {
    let mesh = slmesh::llsd::Text::from(fixture("slmesh", "simple.llmesh"));
    let object = |id: i32| {
        let mut object = Map::new();
        for (key, value) in [("zoo", 1.into()), ("mesh_id", Value::from(id)), ("label", "a".into())] {
            object.push(key, value);
        }
        Value::from(object)
    };
    let mut file = Map::new();
    file.push("zebra", 1);
    file.push("mesh", Value::from(vec![Value::String(mesh)]));
    file.push("name", "one");
    file.push("instance", Value::from(vec![object(0), object(7)]));
    file.push("apple", 2);
    let mut bytes = slmesh::llsd::write_binary(&file.into()).unwrap();
    bytes.extend_from_slice(b"more");
    let mut slm = Slm::from_slice(&bytes).unwrap();
    assert_eq!(slm.to_vec().unwrap(), bytes);
    slm.name = Some("two".into());
    slm.instances[1].label = Some("b".into());
    slm.version = Some(3);
    let written = slm.to_vec().unwrap();
    assert!(written.ends_with(b"}more"));
    let Value::Map(again) = slmesh::llsd::read_binary(&written[..written.len() - 4]).unwrap() else {
        panic!()
    };
    let keys = |map: &Map| map.keys().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&again), "zebra mesh name instance apple version");
    for object in again.get("instance").and_then(Value::as_array).unwrap() {
        assert_eq!(keys(object.as_map().unwrap()), "zoo mesh_id label");
    }
}

/// An empty list of hulls is read and written as such.
#[test]
fn an_empty_hull_list_is_kept() {
    let asset = read("all.llmesh");
    let mut convex = asset.physics_convex.clone().unwrap();
    convex.hulls.clear();
    convex.extra.push("HullList", Value::from(Vec::<u8>::new()));
    convex.extra.push("Positions", Value::from(Vec::<u8>::new()));
    let edited = Asset { physics_convex: Some(convex), ..asset };
    let bytes = slmesh::to_vec(&edited).unwrap();
    let view = slmesh::open(&bytes).unwrap();
    let block = slmesh::llsd::read_binary(&view.inflate("physics_convex").unwrap().unwrap()).unwrap();
    assert_eq!(block.get("HullList"), Some(&Value::from(Vec::<u8>::new())));
    assert_eq!(block.get("Positions"), Some(&Value::from(Vec::<u8>::new())));
    assert_eq!(slmesh::from_slice(&bytes).unwrap(), edited);
}

#[test]
fn nothing_else_is_an_asset() {
    let none = [
        &b""[..],
        b"{",
        b"version 1.01\n",
        b"<? LLSD/Binary ?>\n",
        b"<? LLSD/Binary ?>\n{\0\0\0\0}",
        b"{\0\0\0\0}",
        b"<llsd><map/></llsd>",
        b"[\0\0\0\0]",
        b"{\0\0\0\x01k\0\0\0\x08high_lodi\0\0\0\0}",
        b"{\0\0\0\x01k\0\0\0\x04meshs\0\0\0\0}",
        b"{\0\0\0\x01k\0\0\0\x04mesh[\0\0\0\0]}",
    ];
    for bytes in none {
        assert_eq!(slmesh::detect(bytes), None, "{bytes:?}");
    }
    // A document with the place of a block, but without bytes after it.
    let place = Map::from([("offset", 0), ("size", 9)]);
    let bytes = slmesh::llsd::write_binary(&Value::from(Map::from([("skin", place.clone())]))).unwrap();
    assert_eq!(slmesh::detect(&bytes), None);
    assert_eq!(slmesh::detect(&[bytes, vec![0; 9]].concat()), Some(Kind::Asset));
    let other = slmesh::llsd::write_binary(&Value::from(Map::from([("texture", place)]))).unwrap();
    assert_eq!(slmesh::detect(&[other, vec![0; 9]].concat()), None);
    // Errors name the format that was found.
    let asset = |bytes: &[u8]| slmesh::from_slice(bytes).unwrap_err().to_string();
    let slm = |bytes: &[u8]| Slm::from_slice(bytes).unwrap_err().to_string();
    for (bytes, what) in [
        (&b"\x1f\x8b\x08\0\0"[..], "gzip data (decompress it first)"),
        (b"<!DOCTYPE html><html>", "an HTML page (perhaps a server's error message)"),
        (b"<?xml version=\"1.0\"?><COLLADA>", "XML of an unknown format"),
        (b"<llsd><map/></llsd>", "LLSD (read it with the crate llsd-format)"),
        (b"{\"asset\": 1}", "JSON"),
        (b"version 1.01\n", "a Roblox mesh (read it with the crate rbxmesh)"),
    ] {
        let begins = "expected a map of binary LLSD";
        assert_eq!(asset(bytes), format!("not a mesh asset: {begins}; found {what} at offset 0x0"));
        assert_eq!(slm(bytes), format!("not a .slm file: {begins}; found {what} at offset 0x0"));
    }
    assert_eq!(
        (asset(b""), slm(b"")),
        ("the input is empty at offset 0x0".into(), "the input is empty at offset 0x0".into())
    );
    assert_eq!(asset(b"{\0\0\0\x01k\0\0\0"), "unexpected end of input at offset 0x6");
    let upload = fixture("slmesh", "upload.slm");
    assert!(asset(&upload).starts_with("not a mesh asset: this is a .slm file"), "{}", asset(&upload));
    let simple = fixture("slmesh", "simple.llmesh");
    assert!(slm(&simple).starts_with("not a .slm file: this is a mesh asset"), "{}", slm(&simple));
    let other = b"{\0\0\0\0}";
    assert!(asset(other).starts_with("not a mesh asset: its map has no block such as high_lod"));
    assert!(slm(other).starts_with("not a .slm file: expected a map with the arrays"));
    assert_eq!(
        slmesh::to_vec(&Asset::default()).unwrap_err().to_string(),
        "cannot write an asset without a known block (set a level of detail, a skin or physics)"
    );
}

#[test]
fn shares_are_as_in_the_viewer() {
    let shares = |weights: VertexWeights| weights.shares().collect::<Vec<_>>();
    // Without any weights, a vertex follows the first joint.
    assert_eq!(shares(VertexWeights::default()), [(0, 1.0)]);
    assert_eq!(shares(VertexWeights::rigid(7)), [(7, 1.0)]);
    let two = VertexWeights { joints: [3, 4, 255, 255], weights: [49_151, 16_384, 0, 0] };
    let [(3, a), (4, b)] = shares(two)[..] else { panic!("two joints") };
    assert!((a - 0.75).abs() < 1e-4 && (b - 0.25).abs() < 1e-4);
    // A weight is at least 0.001, before all are scaled so that their sum is 1.
    let none = VertexWeights { joints: [3, 4, 255, 255], weights: [0, 0, 0, 0] };
    assert_eq!(shares(none), [(3, 0.5), (4, 0.5)]);
    // The four greatest of five weights, whose sum is exactly 65,535.
    let five = VertexWeights::from_shares(&[(0, 1.0), (1, 5.0), (2, 3.0), (3, 4.0), (4, 2.0), (5, -1.0)]);
    assert_eq!(five.joints, [1, 3, 2, 4]);
    assert_eq!(five.weights.iter().map(|&w| u32::from(w)).sum::<u32>(), 65_535);
    assert_eq!(VertexWeights::from_shares(&[(9, f32::NAN)]), VertexWeights::default());
}

#[cfg(feature = "serde")]
#[test]
fn the_model_goes_through_serde() {
    for name in ["all.llmesh", "gaps.llmesh", "odd_values.llmesh", "hull_256.llmesh", "prefix.llmesh"] {
        let asset = read(name);
        let text = serde_json::to_string(&asset).unwrap();
        let again: Asset = serde_json::from_str(&text).unwrap();
        assert_eq!(again, asset, "{name}");
        // The layout is kept, too: the same bytes are written.
        assert_eq!(slmesh::to_vec(&again).unwrap(), fixture("slmesh", name), "{name}");
    }
    let slm = Slm::from_slice(&fixture("slmesh", "upload.slm")).unwrap();
    let again: Slm = serde_json::from_str(&serde_json::to_string(&slm).unwrap()).unwrap();
    assert_eq!(again.to_vec().unwrap(), fixture("slmesh", "upload.slm"));
}

/// At each compression level, another inflater decompresses every block to the same bytes.
#[test]
fn every_level_compresses_the_same() {
    let asset = read("all.llmesh");
    let inflated = |level: u8| -> Vec<Vec<u8>> {
        let bytes = slmesh::WriteOptions::new().fresh(true).level(level).write(&asset).unwrap();
        let blocks = slmesh::chunks(&bytes).unwrap().map(|chunk| chunk.unwrap());
        let blocks = blocks.filter(|block| block.payload.starts_with(&[0x78]));
        blocks.map(|block| miniz_oxide::inflate::decompress_to_vec_zlib(block.payload).unwrap()).collect()
    };
    let plain = inflated(0);
    assert!(plain.len() >= 6);
    for level in [1, 2, 6, 9, 255] {
        assert_eq!(inflated(level), plain, "{level}");
    }
}
