//! What writing a scene drops or changes is listed once, and as what it is.

use crate::{add, has, tetrahedron, turned};
use geom::TriMesh;
use rezkit_scene::{
    Animation, Channel, Interpolation, Loss, Mesh, ModelOptions, Node, Primitive, Scene, SceneWriter, Skin,
    Transform, Values, m3d, rbxmesh, slmesh, stl,
};

/// The losses of writing a scene, and the file.
fn written(writer: &SceneWriter, scene: &Scene) -> (Vec<String>, Vec<u8>) {
    let made = writer.write(scene, "a", 1 << 26).expect("written");
    (crate::shown(&made.losses), made.bytes)
}

/// Parts of R15, and a node below the last.
fn figure() -> Scene {
    let mut scene = Scene::default();
    for name in ["Head", "LeftHand", "RightHand", "LeftFoot"] {
        scene.add_node(None, Node { name: name.into(), ..Node::default() });
    }
    node(&mut scene, Some(3), "Extra");
    scene
}

#[test]
fn motion_that_no_part_has_is_dropped() {
    let mut scene = figure();
    let animation = |channels| Animation { channels, ..Animation::default() };
    scene.animations = vec![animation(vec![turned(0, 1.0), turned(4, 1.0)]), animation(vec![turned(4, 1.0)])];
    let (losses, bytes) = written(&rezkit_scene::roblox_model::RBXM, &scene);
    let starts = [
        "changed: animations[0]: retargeted to R15",
        "dropped: animations[0]/Extra: the motion of the node: the rig has no joint for it or for a node below it",
        "dropped: animations[1]: an animation that moves no node with the name of a part",
    ];
    assert_eq!(losses.len(), 3, "{losses:?}");
    assert!(losses.iter().zip(starts).all(|(loss, start)| loss.starts_with(start)), "{losses:?}");
    // As in the models that Studio saves.
    let document = rbxbinary::from_slice(&bytes).expect("a model");
    let metadata: Vec<_> =
        document.metadata().iter().map(|one| (one.key.to_string(), one.value.to_string())).collect();
    assert_eq!(metadata, [("ExplicitAutoJoints".to_owned(), "true".to_owned())]);
    let faces = serde_json::json!({"JawDrop": [[-1.0, 0.5]], "TongueUp": [[0.0, 0.5]], "Pucker": [[2.0, 0.5], [1.0, 0.0]]});
    scene.animations[0].extras.insert("FaceControls".into(), faces);
    let (losses, _) = written(&rezkit_scene::roblox_model::RBXM, &scene);
    let expected = "dropped: animations[0]: facial controls in the extras of the animation: their times are negative \
                    or not strictly increasing, or their values are infinite or NaN (and 1 more)";
    assert!(losses.iter().any(|loss| loss == expected), "{losses:?}");
    scene.animations[0].extras.insert("FaceControls".into(), "JawDrop".into());
    let (losses, _) = written(&rezkit_scene::roblox_model::RBXM, &scene);
    let expected = "dropped: animations[0]: the FaceControls in the extras of the animation: expected an object \
                    with a list of [time, value] pairs for each control, found \"JawDrop\"";
    assert!(losses.iter().any(|loss| loss == expected), "{losses:?}");
    scene.animations = vec![animation(vec![turned(0, 3000.0)])];
    let error = rezkit_scene::roblox_model::RBXM.write(&scene, "a", 1 << 26).expect_err("too long");
    assert_eq!(error.path(), "animations[0]");
}

fn from_gltf(bytes: &[u8]) -> (Scene, Vec<Loss>) {
    rezkit_scene::gltf::from_slice(bytes, &mut crate::budget(), &mut |_, _| Ok(None)).expect("glTF")
}

/// The times of glTF are at least 0, and those of all channels of an animation are shifted together.
#[test]
fn an_animation_of_gltf_that_begins_before_zero_is_shifted() {
    let mut scene = figure();
    let channels = vec![turned(0, 2.0), Channel { times: vec![0.625, 1.0], ..turned(1, 1.0) }];
    scene.animations = vec![Animation { channels, ..Animation::default() }];
    let (losses, mut bytes) = written(&rezkit_scene::gltf::GLB, &scene);
    assert_eq!(losses, [""; 0]);
    let at = bytes.windows(4).position(|bytes| bytes == 0.625_f32.to_le_bytes()).expect("the time");
    bytes[at..at + 4].copy_from_slice(&(-0.625_f32).to_le_bytes());
    let (read, losses) = from_gltf(&bytes);
    let times: Vec<_> = read.animations[0].channels.iter().map(|channel| channel.times.clone()).collect();
    assert_eq!(times, [[0.625, 2.625], [0.0, 1.625]]);
    let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(losses, ["animations[0]: the animation begins at -0.625 s, and is shifted to 0 s"]);
}

/// A tetrahedron that follows the first joint of a skin.
fn rigid() -> TriMesh {
    TriMesh { joints: vec![[0; 4]; 4], weights: vec![[1.0, 0.0, 0.0, 0.0]; 4], ..tetrahedron() }
}

/// Adds a skin of these joints.
fn add_skin(scene: &mut Scene, joints: &[usize]) {
    let inverse_bind = vec![Transform::default().matrix(); joints.len()];
    scene.skins.push(Skin { name: String::new(), joints: joints.to_vec(), inverse_bind });
}

/// Adds a node without a mesh.
fn node(scene: &mut Scene, above: Option<usize>, name: &str) -> usize {
    scene.add_node(above, Node { name: name.into(), ..Node::default() })
}

#[test]
fn several_skins_are_listed_with_the_skins() {
    let mut scene = Scene::default();
    for name in ["a", "b"] {
        let joint = node(&mut scene, None, &format!("{name} joint"));
        add_skin(&mut scene, &[joint]);
        let skin = Some(scene.skins.len() - 1);
        add(&mut scene, name, rigid(), skin);
    }
    let losses = stl::WRITER.write(&scene, "a", 1 << 24).expect("written").losses;
    let skins: Vec<_> = losses.iter().filter(|loss| loss.what.contains("rest pose")).collect();
    assert_eq!(skins.len(), 1, "{losses:?}");
    assert_eq!(skins[0].features, ["skins", "several skins"]);
}

#[test]
fn a_hull_without_a_volume_is_a_warning() {
    let mut scene = Scene::default();
    add(&mut scene, "a", tetrahedron(), None);
    add(&mut scene, "a_HULL0", TriMesh { triangles: vec![[0, 1, 2]], ..tetrahedron() }, None);
    let has_warning = |scene: &Scene| {
        written(&slmesh::LLMESH, scene).0.iter().any(|loss| loss.contains("convex hull has no volume"))
    };
    assert!(!has_warning(&scene), "the unused fourth point is a corner");
    let hull = scene.meshes[1].primitives[0].mesh.positions[..3].to_vec();
    let flat = TriMesh { positions: hull, triangles: vec![[0, 1, 2]], ..TriMesh::default() };
    scene.meshes[1].primitives = vec![Primitive::new(flat, None)];
    assert!(has_warning(&scene));
}

#[test]
fn a_node_that_only_holds_joints_is_neither_a_bone_nor_a_hierarchy() {
    let mut scene = Scene::default();
    let holder = node(&mut scene, None, "Armature");
    let joint = node(&mut scene, Some(holder), "bone");
    add_skin(&mut scene, &[joint]);
    add(&mut scene, "a", rigid(), Some(0));
    let (losses, _) = written(&rbxmesh::WRITER, &scene);
    assert!(!losses.iter().any(|loss| loss.contains("hierarchy")), "{losses:?}");
    let bones = |scene: &Scene| {
        let model = ::m3d::from_slice(&written(&m3d::M3D, scene).1).expect("a model");
        model.bones.iter().map(|bone| bone.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(bones(&scene), ["bone"]);
    // A holder that transforms its joints is needed.
    scene.nodes[holder].transform = Transform::from_translation([1.0, 0.0, 0.0]);
    assert_eq!(bones(&scene), ["Armature", "bone"]);
}

#[test]
fn shapes_are_listed() {
    let text = "3dmodel 1\nn\nl\na\n\n\nVertex\n0 0 0 1\n1 0 0 1\n1 1 0 1\n0 1 0 1\n\nTextmap\n0 1\n\nShape\n\
                degu 3\nparu 2[ 0 1 ]\nrange 0 0\nbez1 4[ 0 1 2 3 ]\n\nEnd\n";
    let (_, losses) = crate::of_model(text);
    let listed: Vec<String> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(listed, ["shapes[0]: a shape, since shapes are not drawn (commands: 4)"]);
}

/// glTF allows any order of joints; in a Roblox mesh, a parent comes before its children.
#[test]
fn bones_come_after_their_parents() {
    let mut scene = Scene::default();
    let parent = node(&mut scene, None, "parent");
    let child = node(&mut scene, Some(parent), "child");
    add_skin(&mut scene, &[child, parent]);
    // The first vertex follows the child.
    let joints = [0, 1, 1, 1].map(|joint| [joint, 0, 0, 0]).to_vec();
    let mesh = TriMesh { joints, weights: vec![[1.0, 0.0, 0.0, 0.0]; 4], ..tetrahedron() };
    add(&mut scene, "a", mesh, Some(0));
    let (_, bytes) = written(&rbxmesh::WRITER, &scene);
    let mesh = ::rbxmesh::from_slice(&bytes).expect("a mesh");
    let bones: Vec<_> = mesh.bones.iter().map(|bone| (bone.name.to_string(), bone.parent)).collect();
    assert_eq!(bones, [("parent".to_owned(), None), ("child".to_owned(), Some(0))]);
    let skin = mesh.skin();
    assert_eq!([0, 1].map(|vertex| skin.joints(vertex).0[0]), [1, 0]);
}

#[test]
fn actions_of_model_3d_have_a_name_and_finite_rotations() {
    let mut scene = Scene::default();
    let joint = node(&mut scene, None, "bone");
    add_skin(&mut scene, &[joint]);
    add(&mut scene, "a", rigid(), Some(0));
    let mut channel = turned(joint, 1.0);
    channel.values = Values::Rotation(vec![[0.0; 4], [0.0, 0.0, 0.0, 1.0]]);
    channel.interpolation = Interpolation::Step;
    scene.animations = vec![Animation { channels: vec![channel], ..Animation::default() }];
    let (losses, bytes) = written(&m3d::M3D, &scene);
    has(&losses, "the name animation0");
    has(&losses, "no rotation is written");
    let model = ::m3d::from_slice(&bytes).expect("a model");
    assert_eq!(model.actions[0].name, "animation0");
    let rotations = model.actions[0].frames.iter().flat_map(|frame| &frame.transforms);
    let mut rotations =
        rotations.map(|of| model.vertices.coord(of.orientation).expect("a vertex").to_array());
    assert!(rotations.all(|rotation| rotation.iter().all(|part| part.is_finite())));
}

/// In MTL, a word that begins with `-` is an option, and `mtllib` can name several libraries.
#[test]
fn files_of_obj_are_found_whatever_its_name() {
    use rezkit_scene::{Image, ImageData, Material, Texture};
    let mut scene = Scene::default();
    let uv = TriMesh { uvs: vec![[0.0; 2].into(); 4], ..tetrahedron() };
    add(&mut scene, "a b", uv, None);
    let png = b"\x89PNG\r\n\x1a\n".to_vec();
    scene.images = vec![
        Image { name: String::new(), data: ImageData::Bytes(png) },
        Image { name: String::new(), data: ImageData::Uri("-x.png".into()) },
    ];
    let material = |name: &str, image| Material {
        name: name.into(),
        base_texture: Some(Texture::new(image)),
        ..Material::default()
    };
    scene.materials = vec![material("A B", 0), material("A_B", 1)];
    scene.meshes[0].primitives[0].material = Some(0);
    for stem in ["-s", "-bm 2", " lead", "a.mtl b", "plain name"] {
        let made = rezkit_scene::obj::WRITER.write(&scene, stem, 1 << 24).expect("written");
        let mut sources = |reference: &rezkit_scene::Reference, _: u64| {
            let rezkit_scene::Reference::Beside(name) = reference else { return Ok(None) };
            Ok(made.files.iter().find(|file| file.path() == name).map(|file| file.bytes.clone()))
        };
        let options = rezkit_scene::SceneOptions::default();
        let read = rezkit_scene::obj::READER.read("OBJ", &made.bytes, "a", &options, &mut sources);
        let (read, _) = read.expect("a scene");
        assert!(matches!(read.images[0].data, ImageData::Bytes(_)), "{stem}");
        assert_eq!(read.images[1].name, "./-x.png");
        let losses: Vec<_> = made.losses.iter().map(ToString::to_string).collect();
        let names = "a name that is empty, already used, or has spaces or control characters: another name is written";
        assert!(losses.contains(&format!("materials[0]: {names} (and 2 more)")), "{losses:?}");
    }
}

#[test]
fn a_property_is_animated_once() {
    let mut scene = figure();
    scene.animations =
        vec![Animation { channels: vec![turned(0, 1.0), turned(0, 2.0)], ..Animation::default() }];
    let (losses, bytes) = written(&rezkit_scene::gltf::GLB, &scene);
    let what = "animations[0].channels[1]: a channel that animates the same property of the same node as an earlier \
                channel";
    assert_eq!(losses, [format!("dropped: {what}")]);
    // Two nodes become the same.
    scene.animations[0].channels[1].node = 1;
    let (_, mut bytes_of_two) = written(&rezkit_scene::gltf::GLB, &scene);
    assert_ne!(bytes, bytes_of_two);
    let at = bytes_of_two.windows(8).position(|part| part == b"\"node\":1").expect("a target");
    bytes_of_two[at + 7] = b'0';
    let (read, losses) = from_gltf(&bytes_of_two);
    assert_eq!((read.animations[0].channels.len(), losses[0].to_string()), (1, what.to_owned()));
    assert_eq!(read.animations[0].duration(), 1.0);
}

/// The squares of these scales are not numbers of 32 bits.
#[test]
fn very_large_and_very_small_matrices_keep_their_scale() {
    for size in [1e20, 1e-30_f32] {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let transform =
            Transform { rotation: [half, 0.0, 0.0, half], scale: [size; 3], ..Transform::default() };
        let read = Transform::from_matrix(transform.matrix());
        assert!(read.scale.iter().all(|part| (part / size - 1.0).abs() < 1e-5), "{:?}", read.scale);
        assert!((read.rotation[0] - half).abs() < 1e-5, "{:?}", read.rotation);
    }
}

/// A name that a format cannot store is listed; a single object gives its name to the file.
#[test]
fn names_of_objects() {
    let scene = |names: &[&str]| {
        let mut scene = Scene::default();
        scene.name = "Scene".into();
        let primitives = vec![Primitive::new(tetrahedron(), None)];
        let mesh = Some(scene.add_mesh(Mesh { primitives, ..Mesh::default() }));
        for (at, name) in (0_u8..).zip(names) {
            let transform = Transform::from_translation([4.0 * f32::from(at), 0.0, 0.0]);
            scene.add_node(None, Node { name: (*name).into(), mesh, transform, ..Node::default() });
        }
        scene
    };
    let lost =
        "node hierarchy flattened into one mesh, without the names of its objects: \"Chair\", \"Lamp\"";
    for writer in [&m3d::M3D, &slmesh::SLM] {
        let written = writer.write(&scene(&["Chair", "Lamp"]), "a", 1 << 30).expect("written");
        match ::slmesh::detect(&written.bytes) {
            // A linkset has a name for each of its objects.
            Some(_) => {
                let file = ::slmesh::Slm::from_slice(&written.bytes).expect("a file");
                let names: Vec<_> = file.instances.into_iter().map(|instance| instance.label).collect();
                assert_eq!(names, [Some("Chair".into()), Some("Lamp".into())]);
                assert!(!written.losses.iter().any(|loss| loss.what == lost), "{:?}", written.losses);
            }
            None => assert!(written.losses.iter().any(|loss| loss.what == lost), "{:?}", written.losses),
        }
        let written = writer.write(&scene(&["Chair"]), "a", 1 << 30).expect("written");
        let name = match ::slmesh::detect(&written.bytes) {
            Some(_) => ::slmesh::Slm::from_slice(&written.bytes).expect("a file").instances[0].label.clone(),
            None => {
                Some(::m3d::from_slice(&written.bytes).expect("a model").name.to_string().as_str().into())
            }
        };
        assert_eq!(name, Some("Chair".into()));
    }
}

/// A grid of squares with a side of 20 in the plane of x and z.
fn grid(wide: u32, deep: u32) -> TriMesh {
    let corners = (0..=deep).flat_map(|z| (0..=wide).map(move |x| [x as f32 * 20.0, 0.0, z as f32 * 20.0]));
    let at = |x: u32, z: u32| z * (wide + 1) + x;
    let squares = (0..deep).flat_map(|z| (0..wide).map(move |x| (x, z)));
    let triangles = squares.flat_map(|(x, z)| {
        [[at(x, z), at(x, z + 1), at(x + 1, z)], [at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)]]
    });
    crate::mesh(&corners.collect::<Vec<_>>(), &triangles.collect::<Vec<_>>())
}

/// The sizes of the parts of a model, the triangles of its meshes, and the losses.
fn fitted(scene: &Scene) -> (Vec<f32>, Vec<usize>, Vec<String>) {
    let options = ModelOptions::new().assets("a").fit(true);
    let made = rezkit_scene::roblox_model::RBXM.write_model(scene, "a", &options, 1 << 30).expect("written");
    let document = rbxbinary::from_slice(&made.bytes).expect("a model");
    let mut sizes = Vec::new();
    for part in document.by_class("MeshPart") {
        let size = document.get(part, "Size").and_then(|size| size.as_vector3()).expect("a size");
        sizes.push(size.x.max(size.y).max(size.z));
    }
    let meshes = made.files.iter().filter(|file| file.path().ends_with(".mesh"));
    let triangles = meshes.map(|file| {
        let mesh = ::rbxmesh::from_slice(&file.bytes).expect("a mesh");
        mesh.to_tri_mesh(0).expect("triangles").triangles.len()
    });
    (sizes, triangles.collect(), crate::shown(&made.losses))
}

#[test]
fn meshes_are_split_until_roblox_accepts_them() {
    // 160 by 160 squares: 51,200 triangles, and 3,200 studs along x and z.
    let mut scene = Scene::default();
    add(&mut scene, "ground", grid(160, 160), None);
    let (sizes, triangles, losses) = fitted(&scene);
    has(&losses, "a mesh of 51200 triangles is split into 4 parts");
    assert_eq!((sizes.len(), triangles.iter().sum::<usize>()), (4, 51_200));
    assert!(sizes.iter().all(|size| *size <= 2048.0), "{sizes:?}");
    assert!(triangles.iter().all(|count| *count <= 20_000), "{triangles:?}");
    // A triangle of 4,096 studs cannot be split.
    let mut scene = Scene::default();
    let corners = [[0.0; 3], [4096.0, 0.0, 0.0], [0.0, 0.0, 1024.0], [0.0, 512.0, 0.0]];
    add(&mut scene, "sail", crate::mesh(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), None);
    let (sizes, _, losses) = fitted(&scene);
    has(&losses, "the model is scaled by 0.5");
    assert_eq!(sizes, [2048.0]);
    // What fits is not changed.
    let mut scene = Scene::default();
    add(&mut scene, "small", tetrahedron(), None);
    assert_eq!(fitted(&scene).2, [""; 0]);
}

/// As UniGLTF 1 writes it: the root of the scene is the child of a node that no scene has.
#[test]
fn roots_below_a_node_outside_of_the_scene_are_roots() {
    let text = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [1]}],
        "nodes": [{"children": [1], "name": "outside"}, {"name": "inside"}]}"#;
    let options = rezkit_scene::SceneOptions::new();
    let (scene, losses) = rezkit_scene::gltf::READER
        .read("glTF", text.as_bytes(), "a.gltf", &options, &mut ())
        .expect("a scene");
    assert_eq!((scene.roots.clone(), scene.nodes[0].children.len()), (vec![1], 0));
    has(&losses.iter().map(ToString::to_string).collect::<Vec<_>>(), "a node outside the scene");
    scene.check().expect("valid");
}

/// A bone has no scale: one that moves vertices is listed, one that the skin undoes is not.
#[test]
fn scales_of_joints_are_listed() {
    let losses_of = |scale: [f32; 3], bind: [f32; 3], uses: u16| {
        let mut scene = Scene::default();
        let top = scene.add_node(None, Node { name: "Root".into(), ..Node::default() });
        let transform = Transform { scale, ..Transform::default() };
        let arm = scene.add_node(Some(top), Node { name: "Arm".into(), transform, ..Node::default() });
        let mut inverse = Transform::default().matrix();
        (0..3).for_each(|axis| inverse[axis][axis] = 1.0 / bind[axis]);
        let joints = vec![top, arm];
        scene.skins.push(Skin {
            name: String::new(),
            joints,
            inverse_bind: vec![Transform::default().matrix(), inverse],
        });
        let mesh = TriMesh {
            joints: vec![[uses, 0, 0, 0]; 4],
            weights: vec![[1.0, 0.0, 0.0, 0.0]; 4],
            ..tetrahedron()
        };
        add(&mut scene, "Body", mesh, Some(0));
        written(&rezkit_scene::roblox_model::RBXM, &scene).0
    };
    let is_scale = |loss: &String| loss.contains("the scale of the joint \"Arm\", which moves vertices");
    assert_eq!(losses_of([2.0, 1.0, 1.0], [1.0; 3], 1).iter().filter(|loss| is_scale(loss)).count(), 1);
    assert!(!losses_of([2.0, 1.0, 1.0], [2.0, 1.0, 1.0], 1).iter().any(is_scale));
    // No vertex follows the joint.
    assert!(!losses_of([2.0, 1.0, 1.0], [1.0; 3], 0).iter().any(is_scale));
}

/// A mesh without a material looks as it is drawn elsewhere: linear 0.8 is 231 in sRGB.
#[test]
fn meshes_without_a_material_are_grey() {
    let mut scene = Scene::default();
    add(&mut scene, "Body", tetrahedron(), None);
    let (_, bytes) = written(&rezkit_scene::roblox_model::RBXM, &scene);
    let document = rbxbinary::from_slice(&bytes).expect("a model");
    let part = document.by_class("MeshPart").next().expect("a part");
    let color = document.get(part, "Color3uint8").and_then(|value| value.as_color3()).expect("a colour");
    assert_eq!([color.r, color.g, color.b].map(|part| (part * 255.0).round()), [231.0; 3]);
    assert_eq!(document.get(part, "Material"), Some(rbxcore::ValueRef::Enum(272)));
}
