//! Second Life: scenes as models with levels of detail, and back.
use std::sync::Arc;

use rezkit::scene::{Levels, Material, Mesh, Node, Primitive, Scene, Skin, Transform, gltf, slmesh};
use rezkit::{Budget, ErrorKind, LossKind};

use crate::{Ask as _, near, open};

use ::slmesh::{self as slmesh_crate, Asset, Lod};

/// Nodes, each with a tetrahedron for each of its materials.
fn model(nodes: &[(&str, &[&str])]) -> Scene {
    let mut scene = Scene::default();
    for (name, materials) in nodes {
        let mut primitives = Vec::new();
        for material in *materials {
            let found = scene.materials.iter().position(|other| other.name == *material);
            let index = found.unwrap_or(scene.materials.len());
            if found.is_none() {
                scene.materials.push(Material { name: (*material).into(), ..Material::default() });
            }
            let mesh = crate::tetrahedron(1.0 + index as f32).into();
            primitives.push(Primitive { mesh, material: Some(index), ..Primitive::default() });
        }
        let mesh = Some(scene.add_mesh(Mesh { primitives, ..Mesh::default() }));
        scene.add_node(None, Node { name: (*name).into(), mesh, ..Node::default() });
    }
    scene
}

/// For each existing level, coarsest first: which faces have triangles.
fn faces(asset: &Asset) -> Vec<(Lod, Vec<bool>)> {
    let there = |level: &slmesh_crate::Level| level.submeshes.iter().map(|face| !face.no_geometry).collect();
    asset.levels().map(|(lod, level)| (lod, there(level))).collect()
}

/// The names of materials are in the file of the viewer's uploader.
#[test]
fn an_upload_has_the_names_of_materials() {
    let obj = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\nusemtl blue\nf 3 2 1\n";
    let library = b"newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n";
    let beside = |_: &rezkit::Reference, _: u64| Ok(Some(library.to_vec()));
    let mut opened = rezkit::ReadOptions::new().open(obj.into(), "a.obj", beside).expect("OBJ");
    let options = rezkit::ConvertOptions::new().allow_loss(true);
    let written = opened.convert(Some("slm"), "a.slm", &options).expect("written");
    let slm = slmesh_crate::Slm::from_slice(&written.files[0].bytes).expect("a file of the uploader");
    assert_eq!(slm.meshes[0].material_list, Some(vec!["red".into(), "blue".into()]));
}

/// Each object becomes one of the linkset, at its place, with its levels and its hulls.
#[test]
fn several_objects_become_a_linkset() {
    let mut scene = model(&[
        ("a", &["wood"]),
        ("b", &["wood", "iron"]),
        ("b_LOD2", &["iron", "wood"]),
        ("a_HULL0", &["wood"]),
    ]);
    scene.nodes[1].transform = Transform::from_translation([8.0, 0.0, 0.0]);
    scene.nodes[2].transform = scene.nodes[1].transform;
    let read = rezkit::ReadOptions::new();
    let mut opened = read.open_scene(scene, "").expect("small");
    let options = rezkit::ConvertOptions::new().allow_loss(true);
    let written = opened.convert(Some("slm"), "a.slm", &options).expect("written");
    let slm = slmesh_crate::Slm::from_slice(&written.files[0].bytes).expect("a file of the uploader");
    let labels: Vec<String> =
        slm.instances.iter().filter_map(|object| object.label.as_ref()).map(ToString::to_string).collect();
    assert_eq!(labels, ["a", "b"]);
    let levels: Vec<usize> = slm.meshes.iter().map(|mesh| mesh.levels().count()).collect();
    assert_eq!(levels, [1, 2]);
    let hulls: Vec<bool> = slm.meshes.iter().map(|mesh| mesh.physics_convex.is_some()).collect();
    assert_eq!(hulls, [true, true]);
    let named = |names: &[&str]| Some(names.iter().map(|name| (*name).into()).collect());
    assert_eq!(slm.meshes[0].material_list, named(&["wood"]));
    assert_eq!(slm.meshes[1].material_list, named(&["wood", "iron"]));
    assert!(!written.losses.iter().any(|loss| loss.id == "scene.nodes"), "{:?}", written.losses);
    // Tetrahedra of the widths 1 and 2 from the corner on.
    let middles: Vec<[f64; 3]> = slm
        .instances
        .iter()
        .filter_map(|object| object.transform)
        .map(|of| [of[12], of[13], of[14]])
        .collect();
    for (found, expected) in middles.as_flattened().iter().zip([0.5, -0.5, 0.5, 9.0, -1.0, 1.0]) {
        assert!((found - expected).abs() < 1e-4, "{middles:?}");
    }
}

#[test]
fn a_level_has_the_faces_of_its_materials() {
    let scene =
        model(&[("a", &["wood", "glass", "iron"]), ("a_LOD2", &["iron", "glass"]), ("a_LOD1", &["glass"])]);
    let (asset, losses) = slmesh::from_scene(&scene, &mut crate::budget()).expect("an asset");
    let expected = [
        (Lod::Low, vec![false, true, false]),
        (Lod::Medium, vec![false, true, true]),
        (Lod::High, vec![true; 3]),
    ];
    assert_eq!(faces(&asset), expected);
    // A placeholder for a missing material is listed.
    assert!(losses.iter().any(|loss| loss.path == "a_LOD2" && loss.what.contains("wood")), "{losses:?}");
    // The tetrahedra have the widths 1, 2 and 3, and so have the faces of each level.
    let width = |lod, face: usize| {
        let points = asset.level(lod).expect("there").submeshes[face].points();
        geom::Aabb::from_points(points).expect("points").size().x
    };
    for face in [1, 2] {
        let ratio = width(Lod::Medium, face) / width(Lod::High, face);
        assert!((ratio - 1.0).abs() < 1e-3, "{face}: {ratio}");
    }
}

/// An upload makes an object of each of ten nodes; in one asset, they are one face, since they have one material.
#[test]
fn many_nodes_of_one_material_are_one_face() {
    let names: Vec<String> = (0..10).map(|number| format!("n{number}")).collect();
    let mut nodes: Vec<(&str, &[&str])> = names.iter().map(|name| (&**name, &["a"][..])).collect();
    nodes[9].1 = &["b"];
    let budget = &mut crate::budget();
    let (asset, _) = slmesh::from_scene(&model(&nodes), budget).expect("two faces");
    let level = &asset.level(Lod::High).expect("a level").submeshes;
    let triangles = |face: &slmesh_crate::Submesh| face.to_tri_mesh().triangles.len();
    assert_eq!(level.iter().map(triangles).collect::<Vec<_>>(), [9 * 4, 4]);
    let materials = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let many: Vec<(&str, &[&str])> =
        materials.iter().map(|name| (*name, std::slice::from_ref(name))).collect();
    let error = slmesh::from_scene(&model(&many), budget).expect_err("nine faces");
    assert_eq!(error.kind(), ErrorKind::Unwritable);
}

/// Second Life's axes: x forward, z up. The toes of a real figure have a larger x than its heels.
#[test]
fn figures_are_seen_from_the_front() {
    for sample in testkit::corpus("slmesh") {
        if !sample.name.contains("mesh_data") {
            continue;
        }
        let asset = ::slmesh::from_slice(&sample.bytes).expect("readable");
        let (scene, _) =
            slmesh::to_scene(&asset, "figure", Levels::Finest, false, &mut crate::budget()).expect("small");
        assert_eq!(scene.front, 90.0);
        let bounds = scene.bounds().expect("drawn");
        let points = scene.primitives().flat_map(|one| &one.mesh.positions);
        // In the mesh, z is up; the soles are the lowest fiftieth of the height.
        let points: Vec<_> = points.copied().collect();
        let [low, high] =
            [f32::min, f32::max].map(|pick| points.iter().map(|point| point.z).fold(f32::NAN, pick));
        let soles = points.iter().filter(|point| point.z < low + (high - low) / 50.0);
        let (sum, count) = soles.fold((0.0, 0.0), |(sum, count), point| (sum + point.x, count + 1.0));
        let (all, number) =
            points.iter().fold((0.0, 0.0), |(sum, count), point| (sum + point.x, count + 1.0));
        assert!(sum / count > all / number, "{bounds:?}");
    }
    let plain = slmesh::to_scene(&Asset::default(), "", Levels::Finest, false, &mut Budget::new(1 << 20))
        .expect("small")
        .0;
    assert_eq!(plain.front, 0.0);
}

#[test]
fn a_material_that_the_finest_level_lacks_is_refused() {
    for (nodes, path, names) in [
        ([("a", &["wood", "glass"][..]), ("a_LOD2", &["iron"])], "a_LOD2", "iron"),
        ([("a", &["wood"]), ("a_LOD2", &["wood", "wood"])], "a_LOD2", "wood"),
        ([("a", &["wood"]), ("b_LOD2", &["wood"])], "b_LOD2", "\"b\""),
    ] {
        let error = slmesh::from_scene(&model(&nodes), &mut crate::budget()).expect_err("refused");
        assert_eq!((error.kind(), error.path()), (ErrorKind::Unwritable, path), "{error}");
        assert!(error.to_string().contains(names), "{error}");
    }
}

/// A level belongs to the node with its name.
#[test]
fn a_level_of_the_head_is_no_level_of_the_body() {
    let scene = model(&[("Body", &["skin"]), ("Head", &["skin"]), ("Head_LOD2", &["skin"])]);
    let (asset, losses) = slmesh::from_scene(&scene, &mut crate::budget()).expect("an asset");
    assert_eq!(faces(&asset), [(Lod::Medium, vec![false, true]), (Lod::High, vec![true; 2])]);
    assert!(losses.iter().any(|loss| loss.path == "Body_LOD2"), "{losses:?}");
}

/// A real asset whose coarsest level has a placeholder and seven faces keeps them.
#[test]
fn placeholders_of_a_real_asset_come_back() {
    for file in testkit::corpus("slmesh").iter().filter(|file| file.name.contains("c34f02b8")) {
        let asset = slmesh_crate::from_slice(&file.bytes).expect("readable");
        let (scene, _) =
            slmesh::to_scene(&asset, "a", Levels::All, true, &mut crate::budget()).expect("small");
        let (glb, _) = gltf::to_glb(&scene, &mut crate::budget()).expect("written");
        let (scene, _) =
            gltf::from_slice(&glb, &mut crate::budget(), &mut |_, _| Ok(None)).expect("readable");
        let (back, _) = slmesh::from_scene(&scene, &mut crate::budget()).expect("an asset");
        let lowest = [false, true, true, true, true, true, true, true];
        assert_eq!(faces(&back)[0], (Lod::Lowest, lowest.to_vec()));
        assert_eq!(faces(&back), faces(&asset));
        // Each face has the same number of triangles.
        for (lod, level) in asset.levels() {
            let count = |level: &slmesh_crate::Level| -> Vec<usize> {
                level.submeshes.iter().map(|face| face.triangles.len()).collect()
            };
            assert_eq!(count(back.level(lod).expect("there")), count(level), "{lod}");
        }
    }
}

fn found(scene: &Scene) -> Vec<(String, String, usize, Option<[u64; 2]>)> {
    let findings =
        rezkit::upload::check(scene, "secondlife-upload", &mut crate::budget()).expect("small").into_iter();
    let limit = |limit: rezkit::Limit| [limit.found, limit.allowed];
    let found = findings
        .map(|one| (one.rule.replace("secondlife-upload.", ""), one.path, one.count, one.limit.map(limit)));
    found.collect()
}

/// Everything that our writer refuses or changes, and that the viewer refuses, is found by a check.
#[test]
fn what_an_upload_refuses_is_found() {
    let one = |rule: &str, path: &str, count, limit| [(rule.to_owned(), path.to_owned(), count, limit)];
    let all = model(&[
        ("a", &["w"]),
        ("a_LOD2", &["w"]),
        ("a_LOD1", &["w"]),
        ("a_LOD0", &["w"]),
        ("a_PHYS", &["w"]),
    ]);
    assert_eq!(found(&all), []);
    // LOD0 exists, but LOD1 and LOD2 do not.
    let gap = model(&[("a", &["w"]), ("a_LOD0", &["w"])]);
    assert_eq!(found(&gap), []);
    let (_, losses) = slmesh::from_scene(&gap, &mut crate::budget()).expect("filled in");
    assert!(losses.iter().any(|loss| loss.path == "low_lod"), "{losses:?}");
    // One part has a level that the others lack.
    let parts = model(&[("a", &["w"]), ("b", &["w"]), ("c", &["w"]), ("b_LOD2", &["w"])]);
    assert_eq!(found(&parts), one("level-parts", "a_LOD2", 2, None));
    // The level's materials are not a subset of those of the finest level.
    let materials = model(&[("a", &["w", "x"]), ("a_LOD2", &["y"])]);
    let rules = found(&materials);
    assert!(rules.contains(&one("asset", "a_LOD2", 1, None)[0]), "{rules:?}");
    // A position that is not a number.
    let mut broken = model(&[("a", &["w"])]);
    Arc::make_mut(&mut broken.meshes[0].primitives[0].mesh).positions[1].y = f32::NAN;
    assert_eq!(found(&broken), one("asset", "high_lod[0].mesh.positions[1]", 1, None));
    assert!(slmesh::from_scene(&broken, &mut crate::budget()).is_err());
    // A physics triangle whose corners are on one line.
    let mut physics = model(&[("a", &["w"]), ("a_PHYS", &["w"])]);
    let mesh = Arc::make_mut(&mut physics.meshes[1].primitives[0].mesh);
    mesh.positions.push([0.5, 0.0, 0.0].into());
    mesh.triangles.push([0, 4, 1]);
    assert_eq!(found(&physics), one("physics-triangles", "a_PHYS", 1, Some([1, 0])));
    let (_, losses) = slmesh::from_scene(&physics, &mut crate::budget()).expect("an asset");
    assert!(losses.iter().any(|loss| loss.path == "a_PHYS"), "{losses:?}");
    // A hull of 300 points on a circle, at two heights.
    let mut hull = model(&[("a", &["w"]), ("a_HULL0", &["w"])]);
    let mesh = Arc::make_mut(&mut hull.meshes[1].primitives[0].mesh);
    let circle = (0..300_u16).map(|n| (f32::from(n) / 150.0 * std::f32::consts::PI, f32::from(n % 2)));
    mesh.positions = circle.map(|(angle, z)| [angle.cos(), angle.sin(), z].into()).collect();
    assert_eq!(found(&hull), one("hull-points", "a_HULL0", 1, Some([300, 256])));
    let (_, losses) = slmesh::from_scene(&hull, &mut crate::budget()).expect("an asset");
    assert!(losses.iter().any(|loss| loss.path == "a_HULL0"), "{losses:?}");
}

/// Joints that no vertex follows, or that the viewer does not know, are not written.
#[test]
fn joints_are_those_that_are_used_and_known() {
    let mut scene = model(&[("a", &["w"])]);
    let names = ["mPelvis", "mTorso", "Tail", "mHead"];
    let joints = names.map(|name| crate::add_node(&mut scene, None, name)).to_vec();
    let inverse_bind = vec![Transform::default().matrix(); 4];
    scene.skins.push(Skin { joints, inverse_bind, ..Skin::default() });
    scene.nodes[0].skin = Some(0);
    let mesh = Arc::make_mut(&mut scene.meshes[0].primitives[0].mesh);
    mesh.joints = vec![[3, 2, 1, 0]; 4];
    // 1/2 for the head, 1/4 for the tail and 1/4 for the torso. One vertex only follows the tail.
    mesh.weights = vec![[0.5, 0.25, 0.25, 0.0]; 4];
    mesh.weights[3] = [0.0, 1.0, 0.0, 0.0];
    let (asset, losses) = slmesh::from_scene(&scene, &mut crate::budget()).expect("an asset");
    let kept: Vec<String> =
        asset.skin.as_ref().expect("a skin").joint_names.iter().map(ToString::to_string).collect();
    assert_eq!(kept, ["mTorso", "mHead"]);
    let approximated =
        |path| losses.iter().find(|loss| loss.kind == LossKind::Approximated && loss.path == path);
    assert!(approximated("Tail").is_some() && approximated("skin").is_some(), "{losses:?}");
    let mesh = asset.to_tri_mesh(Lod::High).expect("there");
    let share = |vertex: usize, joint: u16| -> f32 {
        let pairs = mesh.joints[vertex].iter().zip(&mesh.weights[vertex]);
        pairs.filter(|(other, _)| **other == joint).map(|(_, weight)| weight).sum()
    };
    // Without the tail, the weights are 2/3 and 1/3; the vertex of the tail follows the first joint.
    let heads: Vec<bool> = (0..4).map(|vertex| (share(vertex, 1) - 2.0 / 3.0).abs() < 1e-3).collect();
    assert_eq!(heads.iter().filter(|is| **is).count(), 3, "{:?}", mesh.weights);
    assert_eq!((0..4).filter(|vertex| (share(*vertex, 0) - 1.0).abs() < 1e-3).count(), 1);
}

/// A hand-written motion of one joint with one rotation.
fn motion() -> Vec<u8> {
    let mut bytes = vec![1, 0, 0, 0, 4, 0, 0, 0];
    bytes.extend(2.5_f32.to_le_bytes());
    bytes.push(0);
    bytes.extend([0.0_f32, 2.5].map(f32::to_le_bytes).concat());
    bytes.extend(1_i32.to_le_bytes());
    bytes.extend([0.25_f32, 0.75].map(f32::to_le_bytes).concat());
    bytes.extend([1, 0, 0, 0, 1, 0, 0, 0]);
    bytes.extend(b"mHead\0\xff\xff\xff\xff\x01\0\0\0\0\0\0\x80\0\x80\xff\xff\0\0\0\0\0\0\0\0");
    bytes
}

fn fact(info: &rezkit::Info, name: &str) -> String {
    info.facts.iter().find(|fact| fact.name == name).expect("a fact").value.to_string()
}

#[test]
fn motions_are_read_checked_and_written() {
    let bytes = motion();
    let mut opened = open(&bytes, "walk.anim");
    let info = opened.info();
    assert_eq!((info.format, &*info.version), ("slmesh", "motion"));
    let wanted = ["2.5", "relaxed", "0 to 2.5 s"];
    assert_eq!([fact(&info, "seconds"), fact(&info, "hands"), fact(&info, "loop")], wanted);
    assert!(opened.check(&[], None).expect("checked").is_empty());
    assert_eq!(opened.written(), bytes);
    assert_eq!(rezkit::roundtrip(&bytes).grade, rezkit::Grade::Exact);
    let tree = serde_json::to_string(&opened.nodes("", 9).expect("a tree")).expect("JSON");
    assert!(tree.contains("mHead"), "{tree}");
}

/// A motion becomes a GLB and a motion again: the same joint has the same angles at the same times.
#[test]
fn motions_become_animations_and_back() {
    let mut opened = open(motion(), "walk.anim");
    let options = rezkit::ConvertOptions::new().allow_loss(true);
    let mut scene = open(opened.made_with("walk.glb", &options).0, "walk.glb");
    let made = scene.scene(&rezkit::SceneOptions::default()).expect("a scene").0;
    // There are 133 bones below one node; the pelvis has the viewer's position, with y up.
    assert_eq!(made.nodes.len(), 134);
    let pelvis = made.nodes.iter().position(|node| node.name == "mPelvis").expect("the pelvis");
    let world = made.world_matrices(&made.nodes.iter().map(|node| node.transform).collect::<Vec<_>>());
    assert!((world[pelvis][3][1] - 1.067).abs() < 1e-5, "{:?}", world[pelvis]);
    let back = scene.made_with("back.anim", &options).0;
    let back = slmesh_crate::motion::from_slice(&back).expect("a motion");
    let before = slmesh_crate::motion::from_slice(&motion()).expect("a motion");
    assert_eq!((back.priority, back.hand_pose, back.looped), (4, 1, 1));
    assert_eq!((back.duration, back.loop_out, back.ease_out), (2.5, 2.5, 0.75));
    assert_eq!(back.joints.len(), 1);
    assert_eq!(back.joints[0].rotations, before.joints[0].rotations);
    assert!(slmesh_crate::motion::check(&back).is_empty());
}

/// A hand-written material asset with this document, as the viewer stores it.
fn material(document: &str) -> Vec<u8> {
    let text =
        |text: &str| [&u32::try_from(text.len()).expect("short").to_be_bytes()[..], text.as_bytes()].concat();
    let mut bytes = b"<?llsd/binary?>\n{\0\0\0\x03".to_vec();
    for (key, value) in [("data", document), ("type", "GLTF 2.0"), ("version", "1.1")] {
        bytes.extend([&b"k"[..], &text(key), b"s", &text(value)].concat());
    }
    bytes.push(b'}');
    bytes
}

const ID: &str = "968cbad0-4dad-d64e-71b5-72bf13ad051a";

#[test]
fn materials_are_shown_checked_and_converted() {
    let document = format!(
        r#"{{"asset":{{"version":"2.0"}},"images":[{{"uri":"{ID}"}}],"textures":[{{"source":0}}],
        "materials":[{{"alphaMode":"MASK","alphaCutoff":0.25,"doubleSided":true,
        "pbrMetallicRoughness":{{"baseColorFactor":[1,0.5,0.25,1],"metallicFactor":0.5,
        "baseColorTexture":{{"index":0,"extensions":{{"KHR_texture_transform":{{"scale":[2,3]}}}}}}}}}}]}}"#
    );
    let bytes = material(&document);
    let mut opened = open(&bytes, "wood.material");
    let info = opened.info();
    assert_eq!((info.format, &*info.version), ("slmesh", "material"));
    let wanted = ["MASK".to_owned(), "0.5".to_owned(), format!("base colour {ID}")];
    assert_eq!([fact(&info, "alpha mode"), fact(&info, "metalness"), fact(&info, "textures")], wanted);
    assert!(opened.check(&[], None).expect("checked").is_empty());
    assert_eq!(rezkit::roundtrip(&bytes).grade, rezkit::Grade::Exact);
    // An edit that would make the asset invalid is refused, and changes nothing.
    for (path, value, kind) in [("type", "GLTF 1.0", None), ("data", "-1e39", Some("real"))] {
        let error = opened.set(path, value, kind).expect_err(path);
        assert!(
            error.kind() == rezkit::ErrorKind::Argument && error.to_string().contains("material"),
            "{error}"
        );
    }
    assert!(opened.written() == bytes);
    let tree = serde_json::to_string(&opened.nodes("", 9).expect("a tree")).expect("JSON");
    assert!(tree.contains("KHR_texture_transform"), "{tree}");
    let (scene, _) = opened.scene(&rezkit::SceneOptions::default()).expect("a scene");
    let [made] = scene.materials.as_slice() else { panic!("{:?}", scene.materials) };
    assert_eq!((made.base_color, made.metallic, made.double_sided), ([1.0, 0.5, 0.25, 1.0], 0.5, true));
    assert_eq!(made.alpha, rezkit::scene::Alpha::Mask(0.25));
    assert_eq!(made.base_texture.expect("a texture").transform.scale, [2.0, 3.0]);
    // Converted to the file that the viewer uploads, and back to an asset. Textures would be uploaded with the file.
    let options = rezkit::ConvertOptions::new().allow_loss(true);
    let (glb, losses) = opened.made_with("wood.glb", &options);
    crate::has(&losses, ID);
    let mut back = open(open(glb, "wood.glb").made_with("wood.material", &options).0, "wood.material");
    assert!(back.check(&[], None).expect("checked").is_empty());
    let cutoff = back.get("data/materials/0/alphaCutoff").expect("there");
    assert!(matches!(&cutoff.data, rezkit::tree::Data::Line(_, text) if text == "0.25"), "{cutoff:?}");
    // With a file that has the id of the texture as its name, the texture is in the GLB, and its id in the asset.
    let png = crate::png([255; 4]);
    let beside = |reference: &rezkit::Reference, _: u64| {
        let is_it = *reference == rezkit::Reference::Beside(format!("{ID}.png"));
        Ok(is_it.then(|| png.clone()))
    };
    let mut opened = rezkit::open(bytes.clone(), "wood.material", beside).expect("a material");
    let (glb, losses) = opened.made_with("wood.glb", &options);
    assert!(losses.iter().all(|loss| !loss.contains(ID)), "{losses:?}");
    let mut glb = open(glb, "wood.glb");
    let (scene, _) = glb.scene(&rezkit::SceneOptions::default()).expect("a scene");
    assert_eq!(scene.images[0].data, rezkit::scene::ImageData::Bytes(png.clone()));
    let again = open(glb.made_with("wood.material", &options).0, "wood.material");
    assert_eq!(fact(&again.info(), "textures"), format!("base colour {ID}"));
    // A scene without a material is refused.
    let mut plain = open(motion(), "walk.anim");
    let error = plain.convert(None, "walk.material", &options).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Empty);
    // A file name of another kind of asset is refused.
    for (bytes, name, to) in [(bytes, "a.material", "a.llmesh"), (motion(), "a.anim", "a.llmesh")] {
        let error = open(bytes, name).convert(None, to, &options);
        assert_eq!(error.expect_err("refused").kind(), ErrorKind::Empty, "{name}");
    }
}

#[test]
fn broken_materials_are_found() {
    let found = |document: &str| -> Vec<String> {
        let mut opened = open(material(document), "a.material");
        let findings = opened.check(&[], None).expect("checked");
        findings.iter().map(|finding| format!("{} {}", finding.rule, finding.path)).collect()
    };
    assert_eq!(found("{"), ["slmesh.material-document data"]);
    assert_eq!(found(r#"{"materials":[{},{}]}"#), ["slmesh.material-document data.materials"]);
    let broken = r#"{"images":[{"uri":"wood.png"}],"textures":[{"source":0}],"materials":[{"alphaMode":"GLASS",
        "emissiveFactor":[0,0,7],"normalTexture":{"index":1},"occlusionTexture":{"index":0}}]}"#;
    let wanted = [
        "slmesh.material-texture data.materials[0].normalTexture",
        "slmesh.material-texture data.materials[0].occlusionTexture",
        "slmesh.material-range data.materials[0].emissiveFactor",
        "slmesh.material-alpha data.materials[0].alphaMode",
        "slmesh.material-occlusion data.materials[0].occlusionTexture",
    ];
    assert_eq!(found(broken), wanted);
}

#[test]
fn materials_of_either_header_and_materials_that_are_none() {
    let python = material(r#"{"materials":[{}]}"#);
    let viewer =
        [b"<? LLSD/Binary ?>\n", python.strip_prefix(b"<?llsd/binary?>\n").expect("the header")].concat();
    for bytes in [python, viewer] {
        assert_eq!(open(bytes, "a").file_type().name, "material");
    }
    let mut none = open(material(r#"{"materials":[3]}"#), "a.material");
    let error = none.convert(Some("glb"), "a.glb", &rezkit::ConvertOptions::new()).expect_err("no material");
    assert_eq!((error.path(), error.reason()), ("data.materials[0]", "expected a JSON object, found 3"));
}

/// The header of a motion with a negative duration is recognised by the extension.
#[test]
fn a_motion_with_a_wrong_header_is_checked() {
    let mut bytes = motion();
    bytes[8..12].copy_from_slice(&(-1.0_f32).to_le_bytes());
    assert!(rezkit::open(bytes.clone(), "a", ()).is_err());
    let mut opened = open(bytes, "a.anim");
    let findings = opened.check(&[], None).expect("checked");
    assert!(findings.iter().any(|finding| finding.path == "duration"), "{findings:?}");
}

/// Seventeen points in hundreds of triangles: keeping borders ends early, and another way must not end with more
/// triangles than the finer level has.
#[test]
fn a_coarser_level_never_has_more_triangles() {
    let bytes = include_bytes!("many_triangles_on_17_points.m3d").to_vec();
    let mut opened = open(bytes, "a.m3d");
    let targets = [rezkit::upload::LevelTarget::Ratio(0.5), rezkit::upload::LevelTarget::Triangles(4)];
    let options = rezkit::ConvertOptions::new().allow_loss(true);
    let made = opened.lods(&targets, None, "out.glb", &options).expect("levels");
    assert_eq!(made.triangles, [728, 364, 4]);
}

/// An asset states the size that it had before it was scaled to a cube: it has it again.
#[test]
fn an_asset_has_the_size_that_it_states() {
    let mut scene = Scene::default();
    let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 2.0]];
    crate::add_mesh(&mut scene, "", crate::mesh(&points, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]));
    let extent = |scene: &Scene| {
        let bounds = scene.bounds().expect("drawn");
        (bounds.max - bounds.min).to_array()
    };
    let size = extent(&scene);
    let (asset, _) = slmesh::from_scene(&scene, &mut crate::budget()).expect("an asset");
    let convert = |asset: &Asset| {
        let (back, losses) =
            slmesh::to_scene(asset, "a", Levels::All, true, &mut crate::budget()).expect("a scene");
        (extent(&back), losses.len())
    };
    let (restored, losses) = convert(&asset);
    near("the size", &restored, &size, 1e-3);
    assert_eq!(losses, 0);
    // Without the field, it is a cube; a size that is none is not used.
    for stated in [None, Some([0.0, 1.0, 1.0])] {
        let mut without = asset.clone();
        without.high_lod.as_mut().expect("a level").submeshes[0].normalized_scale = stated;
        near(format!("{stated:?}"), &convert(&without).0, &[1.0; 3], 1e-3);
    }
}
