//! The rules of platforms for uploads.

use geom::TriMesh;
use glam::{Mat4, Quat, Vec3};
use rezkit_scene::{Image, ImageData, Limit, Node, Primitive, Scene, Skin, Transform};
use rezkit_upload::check;
use slmesh::joints;

fn tetrahedron() -> TriMesh {
    crate::tetrahedron(0.0)
}

fn scene(parts: &[(&str, Vec<TriMesh>)]) -> Scene {
    let mut scene = Scene::default();
    for (name, meshes) in parts {
        let primitives = meshes.iter().map(|mesh| Primitive::new(mesh.clone(), None)).collect();
        crate::add(&mut scene, name, primitives);
    }
    scene
}

/// An object of one mesh.
fn one(mesh: TriMesh) -> Scene {
    scene(&[("a", vec![mesh])])
}

fn found(scene: &Scene, profile: &str) -> Vec<(String, String, Option<[u64; 2]>)> {
    let limit = |limit: Limit| [limit.found, limit.allowed];
    let findings = check(scene, profile, &mut crate::budget()).expect("small").into_iter();
    let found = findings.map(|one| (one.rule.to_owned(), one.path, one.limit.map(limit)));
    found.collect()
}

const ROBLOX: &str = "roblox-upload";
const SECOND_LIFE: &str = "secondlife-upload";

/// The rest position of one of the avatar's bones.
fn place(joint: &joints::Joint) -> Vec3 {
    let parent = joint.parent.and_then(joints::find);
    parent.map_or(Vec3::ZERO, place) + Vec3::from_array(joint.position)
}

/// A skin of joints at the origin.
fn skin(joints: Vec<usize>) -> Skin {
    let inverse_bind = vec![Mat4::IDENTITY.to_cols_array_2d(); joints.len()];
    Skin { joints, inverse_bind, ..Skin::default() }
}

#[test]
fn limits_of_roblox() {
    assert_eq!(found(&one(tetrahedron()), ROBLOX), []);
    let mut many = tetrahedron();
    many.triangles.resize(20_000, [0, 0, 0]);
    assert_eq!(found(&one(many.clone()), ROBLOX), []);
    many.triangles.push([0, 0, 0]);
    let rule = |id: &str, limit| (format!("roblox-upload.{id}"), "a".to_owned(), limit);
    let expected = [rule("triangles", Some([20_001, 20_000]))];
    assert_eq!(found(&one(many), ROBLOX), expected);
    // Without one face, three edges are open. If all faces have vertices of their own, no edge is.
    let mut open = tetrahedron();
    open.triangles.pop();
    assert_eq!(found(&one(open.clone()), ROBLOX), [rule("watertight", Some([3, 0]))]);
    let side = TriMesh { triangles: vec![[1, 2, 3]], ..tetrahedron() };
    assert_eq!(found(&scene(&[("a", vec![open, side.clone()])]), ROBLOX), []);
    let flat = TriMesh { triangles: vec![[0, 1, 2]], ..side };
    let expected = [rule("thickness", None), rule("watertight", Some([3, 0]))];
    assert_eq!(found(&one(flat), ROBLOX), expected);
    let mut large = tetrahedron();
    large.positions[1] = [2049.0, 0.0, 0.0].into();
    assert_eq!(found(&one(large), ROBLOX), [rule("size", Some([2049, 2048]))]);
    // A root joint that is not at the origin and moves a vertex.
    let mut skinned = tetrahedron();
    skinned.joints = vec![[0; 4], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]];
    skinned.weights = vec![[1.0, 0.0, 0.0, 0.0]; 4];
    let mut rigged = scene(&[("mesh", vec![skinned])]);
    let root = rigged.add_node(None, Node { name: "a".into(), ..Node::default() });
    let tip = rigged.add_node(Some(root), Node { name: "tip".into(), ..Node::default() });
    rigged.nodes[root].transform.translation = [0.0, 1.0, 0.0];
    rigged.nodes[0].skin = Some(0);
    rigged.skins.push(skin(vec![root, tip]));
    let expected = [rule("root-joint", None), rule("root-weights", Some([1, 0]))];
    assert_eq!(found(&rigged, ROBLOX), expected);
}

/// What the importer of Studio changes: each number found, and the one allowed.
#[test]
fn limits_of_the_importer() {
    const IMPORT: &str = "roblox-import";
    assert_eq!(found(&one(tetrahedron()), IMPORT), []);
    let rule = |id: &str, path: &str, limit| (format!("roblox-import.{id}"), path.to_owned(), limit);
    let mut flat = tetrahedron();
    flat.triangles.push([1, 1, 2]);
    flat.uvs = vec![Default::default(); 4];
    let mut model = scene(&[("a", vec![flat]), ("b", vec![tetrahedron()]), ("b", vec![tetrahedron()])]);
    let part = &mut model.meshes[0].primitives[0];
    part.more_uvs = vec![vec![Default::default(); 4]];
    // A black PNG of 4,097 by 2 pixels.
    let png =
        b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x10\x01\x00\x00\x00\x02\
          \x01\x00\x00\x00\x00\x1f\x0c\x4f\x41\x00\x00\x00\x11\x49\x44\x41\x54\x78\xda\x63\x60\x18\x05\xa3\
          \x60\x14\x8c\x64\x00\x00\x04\x04\x00\x01\xf6\x6b\x5e\xac\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\
          \x60\x82"
            .to_vec();
    model.images.push(Image { name: "wide".into(), data: ImageData::Bytes(png) });
    let expected = [
        rule("uv-sets", "a", Some([2, 1])),
        rule("degenerate", "a", Some([1, 0])),
        rule("names", "b", Some([2, 1])),
        rule("textures", "images[0]", Some([4097, 4096])),
    ];
    assert_eq!(found(&model, IMPORT), expected);
    let mut rigged = one(tetrahedron());
    let transform = Transform { scale: [2.0, 1.0, 1.0], ..Transform::default() };
    let joint = rigged.add_node(None, Node { name: "tip".into(), transform, ..Node::default() });
    rigged.skins.push(skin(vec![joint]));
    assert_eq!(found(&rigged, IMPORT), [rule("joint-scale", "tip", None)]);
    // The rules of the other profile apply, too.
    let mut open = tetrahedron();
    open.triangles.pop();
    assert_eq!(found(&one(open), IMPORT)[0].0, "roblox-upload.watertight");
}

/// A rig with the avatar's bones, scaled and rotated, as in a model that faces +z.
#[test]
fn rigs_are_compared_with_the_avatars() {
    let rigged = |scale: f32, degrees: f32| {
        let mut scene = one(tetrahedron());
        let turn =
            Quat::from_rotation_y(degrees.to_radians()) * Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
        let mut joints = Vec::new();
        for name in ["mPelvis", "mTorso", "mHead", "mHipLeft", "mHipRight", "mAnkleLeft", "mWristLeft"] {
            let joint = joints::find(name).expect("a bone");
            let translation = (turn * place(joint) * scale).to_array();
            let transform = Transform::from_translation(translation);
            joints.push(scene.add_node(None, Node { name: name.into(), transform, ..Node::default() }));
        }
        scene.skins.push(skin(joints));
        found(&scene, SECOND_LIFE).into_iter().map(|(rule, ..)| rule).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(rigged(1.0, 0.0), none);
    assert_eq!(rigged(1.05, 5.0), none);
    assert_eq!(rigged(1.2, 0.0), ["secondlife-upload.rig-size"]);
    assert_eq!(rigged(0.01, 0.0), ["secondlife-upload.rig-size"]);
    assert_eq!(rigged(1.0, -90.0), ["secondlife-upload.rig-turned"]);
    assert_eq!(rigged(100.0, 180.0), ["secondlife-upload.rig-size", "secondlife-upload.rig-turned"]);
}

#[test]
fn limits_of_second_life() {
    let model = scene(&[("a", vec![tetrahedron(); 8]), ("a_LOD2", vec![tetrahedron(); 8])]);
    assert_eq!(found(&model, SECOND_LIFE), []);
    let rule = |id: &str, path: &str, limit| (format!("secondlife-upload.{id}"), path.to_owned(), limit);
    let model = scene(&[("a", vec![tetrahedron(); 9])]);
    assert_eq!(found(&model, SECOND_LIFE), [rule("faces", "a", Some([9, 8]))]);
    let model = scene(&[("a", vec![tetrahedron()]), ("a_LOD2", vec![tetrahedron(); 2])]);
    let expected = [
        rule("asset", "a_LOD2", None),
        rule("level-faces", "a_LOD2", Some([2, 1])),
        rule("level-vertices", "a_LOD2", Some([8, 4])),
    ];
    assert_eq!(found(&model, SECOND_LIFE), expected);
    let model = scene(&[("a_LOD0", vec![tetrahedron()])]);
    assert_eq!(found(&model, SECOND_LIFE), [rule("high", "", None)]);
    let mut large = tetrahedron();
    large.positions[1] = [64.5, 0.0, 0.0].into();
    large.positions.resize(65_525, Default::default());
    let expected =
        [rule("face-vertices", "a.primitives[0]", Some([65_525, 65_524])), rule("size", "a", Some([65, 64]))];
    let large = one(large);
    assert_eq!(found(&large, SECOND_LIFE), expected);
    let findings = check(&large, "secondlife-upload", &mut crate::budget()).expect("small");
    assert_eq!(findings[1].found, "expected at most 64 m along the longest axis, found 64.5 m");
    // Each of 111 joints has vertices. The 112th has none, so it is dropped, whatever its name.
    let mut skinned = tetrahedron();
    skinned.positions.resize(111, Default::default());
    skinned.joints = (0..111).map(|joint| [joint, 0, 0, 0]).collect();
    skinned.weights = vec![[1.0, 0.0, 0.0, 0.0]; 111];
    let mut rigged = scene(&[("a", vec![tetrahedron()]), ("b", vec![skinned])]);
    rigged.nodes[0].transform.scale = [-1.0, 1.0, 1.0];
    rigged.nodes[1].skin = Some(0);
    let joints: Vec<usize> =
        (0..112).map(|_| rigged.add_node(None, Node { name: "mHead".into(), ..Node::default() })).collect();
    rigged.nodes[joints[1]].name = "Bone".into();
    rigged.nodes[joints[111]].name = "Unused".into();
    rigged.skins.push(skin(joints));
    let expected = [
        rule("mirrored", "a", None),
        rule("joints", "skins[0]", Some([111, 110])),
        rule("joint-names", "skins[0]", None),
    ];
    assert_eq!(found(&rigged, SECOND_LIFE), expected);
}

#[test]
fn sheets_and_many_objects_for_second_life() {
    let rules = |scene: &Scene| found(scene, SECOND_LIFE);
    let mut sheet = tetrahedron();
    sheet.positions.iter_mut().for_each(|point| point.z *= 0.009);
    let thin = ("secondlife-upload.no-thickness".to_owned(), "a".to_owned(), None);
    assert_eq!(rules(&one(sheet.clone())), [thin]);
    // The viewer makes a flat object as thick as it must be.
    sheet.positions.iter_mut().for_each(|point| point.z = 0.0);
    assert_eq!(rules(&one(sheet)), []);
    let mut many = one(tetrahedron());
    for _ in 1..256 {
        many.add_node(None, Node { name: "b".into(), mesh: Some(0), ..Node::default() });
    }
    assert_eq!(rules(&many), []);
    many.add_node(None, Node { name: "b".into(), mesh: Some(0), ..Node::default() });
    let objects = ("secondlife-upload.objects".to_owned(), "objects".to_owned(), Some([257, 256]));
    assert_eq!(rules(&many), [objects]);
}

#[test]
fn positions_that_are_not_numbers_are_not_a_size_of_0() {
    let mut mesh = tetrahedron();
    mesh.positions[0] = [f32::NAN, 0.0, 0.0].into();
    let findings = check(&one(mesh), "roblox-upload", &mut crate::budget()).expect("small");
    let found: Vec<_> = findings.iter().map(|finding| &*finding.found).collect();
    assert_eq!(found, ["the mesh has 1 infinite or NaN position, so its size is unknown"]);
}
