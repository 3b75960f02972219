//! Places that become GLB and then Roblox models again.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "colours and places")]

use std::collections::BTreeMap;

use rbxcore::Dom;
use rezkit::{ConvertOptions, EditOptions, ModelOptions, ReadOptions};

/// A part of a simple shape: its class and shape, size, frame and colour.
type Part = (String, [f32; 3], [f32; 12], [u8; 3]);

/// The parts of the Workspace, or of a model, that a scene shows as the shape that they are.
fn parts(document: &dyn Dom) -> Vec<Part> {
    let mut found = Vec::new();
    let is_service = |id| document.class(id).is_some_and(|class| class == "Workspace");
    let has_workspace = document.roots().any(is_service);
    for id in document.instances().collect::<Vec<_>>() {
        let mut top = id;
        while let Some(parent) = document.parent(top) {
            top = parent;
        }
        if has_workspace && !is_service(top) {
            continue;
        }
        let class = document.class(id).map(ToString::to_string).unwrap_or_default();
        let number = |name: &str| document.get(id, name).and_then(|value| value.as_f64());
        let shape = match (class.as_str(), number("shape").unwrap_or(1.0) as u8) {
            ("Part", 0) => "Ball",
            ("Part", 1) => "Block",
            ("Part", 2) => "Cylinder",
            ("WedgePart", _) => "Wedge",
            ("CornerWedgePart", _) => "CornerWedge",
            _ => continue,
        };
        let is_mesh = |child| document.class(child).is_some_and(|class| class.ends_with(b"Mesh"));
        let is_clear = number("Transparency").is_some_and(|value| value > 0.998);
        if is_clear || document.children(id).any(is_mesh) {
            continue;
        }
        let Some(size) = document.get(id, "size").and_then(|value| value.as_vector3()) else { continue };
        let Some(frame) = document.get(id, "CFrame").and_then(|value| value.as_cframe()) else { continue };
        let brick = document.get(id, "BrickColor").and_then(|value| value.as_f64());
        let brick = brick.and_then(|number| rbxcore::classes::brick_color(number as u32));
        let color = document.get(id, "Color3uint8").and_then(|value| value.as_color3());
        let color = color.map_or(brick.unwrap_or([163, 162, 165]), |c| {
            [c.r, c.g, c.b].map(|part| (part * 255.0).round() as u8)
        });
        let mut numbers = [0.0; 12];
        numbers[..9].copy_from_slice(&frame.rotation.to_rows());
        numbers[9..].copy_from_slice(&frame.position.to_array());
        // A ball and a cylinder are drawn with their smallest thickness.
        let [x, y, z] = size.to_array();
        let size = match shape {
            "Ball" => [x.min(y).min(z); 3],
            "Cylinder" => [x, y.min(z), y.min(z)],
            _ => [x, y, z],
        };
        found.push((shape.to_owned(), size, numbers, color));
    }
    found
}

fn near(a: &[f32], b: &[f32]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-3 * a.abs().max(1.0))
}

/// Whether two frames are the same but for turns of the shape that do not change it.
fn same(a: &Part, b: &Part) -> bool {
    a.0 == b.0 && a.3 == b.3 && near(&a.1, &b.1) && near(&a.2[9..], &b.2[9..]) && near(&a.2[..9], &b.2[..9])
}

/// At least 99 of 100 parts come back with class, size, frame and colour.
#[test]
fn parts_of_real_places_come_back() {
    let mut all = [0, 0];
    for sample in testkit::corpus("rbxbinary") {
        if !sample.name.ends_with(".rbxl") {
            continue;
        }
        let Ok(place) = rbxbinary::from_slice(&sample.bytes) else { continue };
        let wanted = parts(&*place);
        let mut opened = ReadOptions::new().open(sample.bytes, "place.rbxl", ()).expect("a place");
        let Ok(glb) = opened.convert(None, "place.glb", &ConvertOptions::new()) else { continue };
        let glb = glb.files.into_iter().next().expect("a file").bytes;
        let mut opened = ReadOptions::new().open(glb, "place.glb", ()).expect("a scene");
        let options = ConvertOptions::new().model(ModelOptions::new().parts(true));
        let made = opened.convert(None, "back.rbxm", &options).expect("a model");
        let made = made.files.into_iter().next().expect("a file").bytes;
        let back = parts(&*rbxbinary::from_slice(&made).expect("a model"));
        let mut by_place: BTreeMap<[i32; 3], Vec<Part>> = BTreeMap::new();
        let cell = |part: &Part, add: [i32; 3]| {
            let at = [part.2[9], part.2[10], part.2[11]].map(|axis| axis.round() as i32);
            [at[0] + add[0], at[1] + add[1], at[2] + add[2]]
        };
        back.into_iter().for_each(|part| by_place.entry(cell(&part, [0; 3])).or_default().push(part));
        let mut lost = Vec::new();
        for part in &wanted {
            let cells = (0..27).map(|n| cell(part, [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1]));
            let found = cells.into_iter().any(|cell| {
                let Some(list) = by_place.get_mut(&cell) else { return false };
                list.iter().position(|other| same(part, other)).map(|at| list.swap_remove(at)).is_some()
            });
            if !found {
                lost.push(part);
            }
        }
        all = [all[0] + wanted.len() - lost.len(), all[1] + wanted.len()];
        println!("{}: {} of {}", sample.name, wanted.len() - lost.len(), wanted.len());
        lost.iter().take(3).for_each(|part| println!("  {part:?}"));
    }
    let [back, of] = all;
    assert!(back * 100 >= of * 99, "{back} of {of}");
}

/// `--tolerance` is that of parts, too, with or without animations: a bent box is a part within it.
#[test]
fn parts_are_within_the_tolerance() {
    let classes = |tolerance: Option<[f32; 2]>, is_animated: bool| {
        let mut scene = rezkit::scene::Scene::default();
        // The bits of the number of a corner are its sides along x, y and z.
        let corner = |at: u32| [0, 1, 2].map(|axis| (at >> axis & 1) as f32 * 2.0 - 1.0).into();
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let positions = (0..8).map(corner).collect();
        let mut bent = geom::TriMesh { positions, triangles, ..geom::TriMesh::default() };
        bent.positions[0].x += 0.01;
        let node = crate::add_mesh(&mut scene, "Box", bent);
        if is_animated {
            let values = rezkit::scene::Values::Translation(vec![[0.0; 3], [1.0, 0.0, 0.0]]);
            let interpolation = rezkit::scene::Interpolation::Linear;
            let channel = rezkit::scene::Channel { node, times: vec![0.0, 1.0], values, interpolation };
            let animation =
                rezkit::scene::Animation { channels: vec![channel], ..rezkit::scene::Animation::default() };
            scene.animations.push(animation);
        }
        let (bytes, _) = crate::glb(&scene);
        let mut opened = ReadOptions::new().open(bytes, "a.glb", ()).expect("a scene");
        let mut options = ConvertOptions::new().model(ModelOptions::new().parts(true));
        options.animation.tolerance = tolerance;
        let made = opened.convert(None, "a.rbxm", &options)?;
        let bytes = made.files.into_iter().next().expect("a file").bytes;
        let document = rbxbinary::from_slice(&bytes).expect("a model");
        // A part that moves has a joint to an invisible one.
        let is_shape = |id: &rbxcore::InstanceId| document.label(*id) != "Root";
        Ok::<_, rezkit::Error>(
            ["Part", "MeshPart"].map(|class| document.by_class(class).filter(is_shape).count()),
        )
    };
    for is_animated in [false, true] {
        assert_eq!(classes(None, is_animated).expect("a model"), [0, 1]);
        assert_eq!(classes(Some([0.1, 0.02]), is_animated).expect("a model"), [1, 0]);
        assert_eq!(classes(Some([0.1, 0.001]), is_animated).expect("a model"), [0, 1]);
        let error = classes(Some([0.1, 0.0]), is_animated).expect_err("no tolerance");
        assert_eq!(error.path(), "tolerance");
    }
}

/// The names of R15's parts, and where the joint of each is, in the scene that [`avatar`] makes.
const LIMBS: [(&str, [f32; 3]); 15] = [
    ("LowerTorso", [0.0, 2.0, 0.0]),
    ("UpperTorso", [0.0, 2.4, 0.0]),
    ("Head", [0.0, 4.0, 0.0]),
    ("RightUpperArm", [1.0, 3.8, 0.0]),
    ("RightLowerArm", [1.5, 3.0, 0.0]),
    ("RightHand", [1.5, 2.0, 0.0]),
    ("LeftUpperArm", [-1.0, 3.8, 0.0]),
    ("LeftLowerArm", [-1.5, 3.0, 0.0]),
    ("LeftHand", [-1.5, 2.0, 0.0]),
    ("RightUpperLeg", [0.5, 2.0, 0.0]),
    ("RightLowerLeg", [0.5, 1.0, 0.0]),
    ("RightFoot", [0.5, 0.2, 0.0]),
    ("LeftUpperLeg", [-0.5, 2.0, 0.0]),
    ("LeftLowerLeg", [-0.5, 1.0, 0.0]),
    ("LeftFoot", [-0.5, 0.2, 0.0]),
];

/// A scene with a part for each limb, whose origin is its joint.
fn avatar() -> rezkit::scene::Scene {
    let mut scene = rezkit::scene::Scene::default();
    for (name, place) in LIMBS {
        // Its middle is beside its origin.
        let node = crate::add_mesh(&mut scene, name, crate::tetrahedron(0.5));
        scene.nodes[node].transform.translation = place;
    }
    scene
}

/// Parts that are named as those of R15 get its joints, where the origins of their nodes are.
#[test]
fn an_avatar_has_joints() {
    let convert = |scene: &rezkit::scene::Scene| {
        let (bytes, _) = crate::glb(scene);
        let mut opened = ReadOptions::new().open(bytes, "avatar.glb", ()).expect("a scene");
        let made = opened.convert(None, "avatar.rbxm", &ConvertOptions::new()).expect("a model");
        let bytes = made.files.into_iter().next().expect("a file").bytes;
        rbxbinary::from_slice(&bytes).expect("a model")
    };
    let document = convert(&avatar());
    let motors: Vec<_> = document.by_class("Motor6D").collect();
    // A root part that is not there is invisible.
    assert_eq!(motors.len(), 15);
    let root = document.find("avatar/HumanoidRootPart").expect("a part");
    assert_eq!(document.get(root, "Transparency").and_then(|value| value.as_f32()), Some(1.0));
    let size = document.get(root, "Size").and_then(|value| value.as_vector3());
    assert_eq!(size.map(|size| size.to_array()), Some([2.0, 2.0, 1.0]));
    let frame = |id, name: &str| document.get(id, name).and_then(|value| value.as_cframe()).expect("a frame");
    for id in motors {
        let part = |name: &str| document.get(id, name).and_then(|value| value.as_instance()).expect("a part");
        let (one, next) = (part("Part0"), part("Part1"));
        let name = document.label(next).to_string();
        let (_, wanted) = LIMBS.iter().find(|(limb, _)| *limb == name).expect("a limb");
        // No part is turned, so that the joint is beside the middle of each.
        for (part, offset) in [(one, frame(id, "C0")), (next, frame(id, "C1"))] {
            let (middle, offset) = (frame(part, "CFrame").position.to_array(), offset.position.to_array());
            let joint: [f32; 3] = std::array::from_fn(|axis| middle[axis] + offset[axis]);
            assert!(near(&joint, wanted), "{name}: {joint:?}, not {wanted:?}");
        }
        let is_anchored = |id| document.get(id, "Anchored").and_then(|value| value.as_bool());
        assert_eq!(is_anchored(next), Some(false), "{name}");
    }
    assert_eq!(document.by_class("Animator").count(), 1);
    let neck = document.find("avatar/Neck").expect("a joint");
    let part = document.get(neck, "Part0").and_then(|value| value.as_instance()).expect("a part");
    assert_eq!(document.label(part), "UpperTorso");
    // Without one of the limbs, it is no avatar.
    let mut scene = avatar();
    scene.nodes[3].name = "Wing".into();
    assert_eq!(convert(&scene).by_class("Motor6D").count(), 0);
}

/// A model made of a scene, and the scene that is drawn of it.
fn made_and_drawn(
    scene: &rezkit::scene::Scene,
) -> (rbxbinary::Document, rezkit::Output, rezkit::scene::Scene) {
    let mut opened = ReadOptions::new().open(crate::glb(scene).0, "mill.glb", ()).expect("a scene");
    let options = ConvertOptions::new().model(ModelOptions::new().assets("mill"));
    let made = opened.convert(None, "mill.rbxm", &options).expect("a model");
    let document = rbxbinary::from_slice(&made.files[0].bytes).expect("a model");
    let files = |reference: &rezkit::Reference, _: u64| {
        let rezkit::Reference::Local(path) = reference else { return Ok(None) };
        let found = made.files.iter().find(|file| file.path() == path);
        Ok(found.map(|file| file.bytes.clone()))
    };
    let mut opened =
        ReadOptions::new().open(made.files[0].bytes.clone(), "mill.rbxm", files).expect("a model");
    let (drawn, losses) = opened.scene(&rezkit::SceneOptions::new()).expect("a scene");
    assert!(losses.iter().all(|loss| loss.path == "mill/Root"), "{losses:?}");
    drop(opened);
    (document, made, drawn)
}

/// The bounds of everything that is drawn, in order.
fn drawn_at(scene: &rezkit::scene::Scene, time: f32) -> Vec<[f32; 6]> {
    let pose = scene.pose_at(0, time);
    let parts = scene.posed(&pose).flatten();
    let bounds = parts.map(|part| {
        let bounds = part.mesh.bounds().expect("points");
        let [low, high] = [bounds.min, bounds.max].map(|corner| corner.to_array().map(|n| n + 0.0));
        [low[0], low[1], low[2], high[0], high[1], high[2]]
    });
    let mut bounds: Vec<_> = bounds.collect();
    bounds.sort_by_key(|bounds| bounds.map(|n| (n * 1000.0).round() as i64));
    bounds
}

/// Parts that an animation moves follow joints: each moves as its node does, with what is below it.
#[test]
fn parts_move_as_their_nodes() {
    use rezkit::scene::{Animation, Scene, Values};
    let mut scene = Scene::default();
    let tower = crate::add_mesh(&mut scene, "tower", crate::tetrahedron(1.0));
    let wheel = crate::add_node(&mut scene, None, "wheel");
    scene.nodes[wheel].transform.translation = [0.0, 4.0, 0.0];
    let mut below = |above: usize, name: &str, place: [f32; 3]| {
        let node = crate::add_node(&mut scene, Some(above), name);
        let mesh = scene.nodes[tower].mesh;
        (scene.nodes[node].mesh, scene.nodes[node].transform.translation) = (mesh, place);
        node
    };
    // Two of one name, of which the first is the body of the wheel and the second moves on it.
    below(wheel, "sail", [2.0, 0.0, 0.0]);
    below(wheel, "hub", [0.0, 0.0, 0.5]);
    let flag = below(wheel, "sail", [3.0, 0.0, 0.0]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turn = Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half]]);
    let way = Values::Translation(vec![[3.0, 0.0, 0.0], [5.0, 0.0, 0.0]]);
    let channels = vec![crate::channel(wheel, &[0.0, 1.0], turn), crate::channel(flag, &[0.0, 1.0], way)];
    scene.animations.push(Animation { name: "turn".into(), channels, ..Animation::default() });
    let (document, made, drawn) = made_and_drawn(&scene);
    assert!(!made.losses.iter().any(|loss| loss.id.contains("animation")), "{:?}", made.losses);
    let label = |id| document.label(id).to_string();
    let moved: Vec<String> = document.by_class("Motor6D").map(label).collect();
    assert_eq!(moved, ["sail", "sail 2"]);
    let stays: Vec<String> = document
        .by_class("MeshPart")
        .filter(|&id| is_anchored_in(&document, id) == Some(true))
        .map(label)
        .collect();
    assert_eq!(stays, ["tower"]);
    assert_eq!(document.by_class("WeldConstraint").count(), 1);
    for time in [0.0, 0.25, 0.5, 1.0] {
        let (found, wanted) = (drawn_at(&drawn, time), drawn_at(&scene, time));
        assert_eq!(found.len(), wanted.len());
        crate::near(time, found.as_flattened(), wanted.as_flattened(), 1e-3);
    }
    // A quarter turn takes the flag to the top: 4 for the axle and 5 for its way.
    let top = drawn_at(&drawn, 1.0).iter().map(|bounds| bounds[1]).fold(0.0, f32::max);
    assert!((top - 9.0).abs() < 1.01, "{top}");
    // Without a part that stands still, an invisible one holds the others.
    scene.roots.retain(|&root| root != tower);
    let (document, _, _) = made_and_drawn(&scene);
    let root = document.find("mill/Root").expect("a part");
    assert_eq!(is_anchored_in(&document, root), Some(true));
}

/// Steps are jumps beside other keys, a light moves, an animation that holds the rest pose is one, and what is inserted beside
/// its animations plays them.
#[test]
fn keys_of_moving_parts_are_those_of_their_nodes() {
    use rezkit::scene::{
        Animation, Channel, Interpolation, Light, LightKind, Node, Scene, Transform, Values,
    };
    let mut scene = Scene::default();
    let cube = crate::add_mesh(&mut scene, "cube", crate::tetrahedron(1.0));
    let light = Light { kind: LightKind::Point, color: [1.0; 3], intensity: 100.0, range: Some(16.0) };
    let transform = Transform::from_translation([0.0, 2.0, 0.0]);
    let lamp =
        scene.add_node(None, Node { name: "lamp".into(), light: Some(light), transform, ..Node::default() });
    let places = Values::Translation(vec![[0.0; 3], [0.0, 5.0, 0.0]]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turns = Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], [0.0, half, 0.0, half]]);
    let steps = Channel { interpolation: Interpolation::Step, ..crate::channel(cube, &[0.0, 1.0], places) };
    let way = Values::Translation(vec![[0.0, 2.0, 0.0], [3.0, 2.0, 0.0]]);
    let channels =
        vec![steps, crate::channel(cube, &[0.0, 1.0], turns), crate::channel(lamp, &[0.0, 1.0], way)];
    scene.animations.push(Animation { name: "move".into(), channels, ..Animation::default() });
    let held = crate::channel(cube, &[0.0, 1.0], Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0]; 2]));
    scene.animations.push(Animation { name: "hold".into(), channels: vec![held], ..Animation::default() });
    let (document, _, drawn) = made_and_drawn(&scene);
    assert_eq!(document.by_class("KeyframeSequence").count(), 2);
    for time in [0.0, 0.5, 0.9, 1.0] {
        let (found, wanted) = (drawn_at(&drawn, time), drawn_at(&scene, time));
        crate::near(time, found.as_flattened(), wanted.as_flattened(), 1e-3);
    }
    let motor = document.find("mill/lamp").expect("a joint");
    let c1 = document.get(motor, "C1").and_then(|value| value.as_cframe()).expect("a frame");
    assert_eq!(c1.position.to_array(), [0.0; 3]);
    // Below another instance, as after an insertion.
    let folder = "<roblox version=\"4\"><Item class=\"Folder\"><Properties><string name=\"Name\">props</string></Properties></Item></roblox>";
    let mut place = crate::open(folder, "place.rbxlx");
    let glb = crate::glb(&scene).0;
    let files = |reference: &rezkit::Reference, _: u64| {
        let is_model = *reference == rezkit::Reference::Beside("sub/mill.glb".into());
        is_model
            .then(|| glb.clone())
            .map_or_else(|| Err(rezkit::Error::unreadable("no such file")), |glb| Ok(Some(glb)))
    };
    place
        .edit(
            &rezkit::Edit::parse("insert sub/mill.glb props").expect("an edit"),
            &mut { files },
            &EditOptions::new(),
        )
        .expect("inserted");
    let (again, losses) = place.scene(&rezkit::SceneOptions::new()).expect("a scene");
    assert_eq!(again.animations.len(), 2, "{losses:?}");
}

fn is_anchored_in(document: &rbxbinary::Document, id: rbxcore::InstanceId) -> Option<bool> {
    document.get(id, "Anchored").and_then(|value| value.as_bool())
}

/// A mesh with too many triangles is simplified, with its texture coordinates; one of loose triangles is split.
#[test]
fn large_meshes_are_simplified_or_split() {
    // A hill of 2 * 120 * 120 triangles.
    let side = 120_u32;
    let (mut mesh, mut loose) = (geom::TriMesh::default(), geom::TriMesh::default());
    for at in 0..(side + 1) * (side + 1) {
        let [x, z] = [at % (side + 1), at / (side + 1)].map(|at| at as f32 / side as f32);
        mesh.positions.push([x * 10.0, (x * 6.0).sin() * (z * 5.0).cos(), z * 10.0].into());
        mesh.uvs.push([x, z].into());
    }
    for at in (0..side * side).map(|at| at % side + at / side * (side + 1)) {
        mesh.triangles.extend([[at, at + side + 1, at + 1], [at + 1, at + side + 1, at + side + 2]]);
    }
    for (index, triangle) in (0..).zip(&mesh.triangles) {
        loose.positions.extend(triangle.map(|corner| mesh.positions[corner as usize]));
        loose.triangles.push([index * 3, index * 3 + 1, index * 3 + 2]);
        // Apart from the others.
        let lift = geom::Vec3::new(0.0, (index % 97) as f32, 0.0);
        loose.positions.iter_mut().rev().take(3).for_each(|corner| *corner = *corner + lift);
    }
    let count = mesh.triangles.len();
    for (mesh, parts, rule) in [(mesh, 1, "roblox.simplified"), (loose, 2, "roblox.split")] {
        let mut scene = rezkit::scene::Scene::default();
        crate::add_mesh(&mut scene, "Hill", mesh);
        let (bytes, _) = crate::glb(&scene);
        let mut opened = ReadOptions::new().open(bytes, "hill.glb", ()).expect("a scene");
        let options = ConvertOptions::new().model(ModelOptions::new().fit(true).assets("out"));
        let made = opened.convert(None, "hill.rbxm", &options).expect("a model");
        assert!(made.losses.iter().any(|loss| loss.id == rule), "{:?}", made.losses);
        let meshes: Vec<_> = made.files.iter().filter(|file| file.path().ends_with(".mesh")).collect();
        assert_eq!(meshes.len(), parts, "{rule}");
        let all = meshes.iter().map(|file| rbxmesh::from_slice(&file.bytes).expect("a mesh"));
        let counts: Vec<usize> = all.clone().map(|mesh| mesh.faces.len()).collect();
        assert!(counts.iter().all(|count| *count <= 20_000), "{counts:?}");
        if parts == 1 {
            let mesh = all.clone().next().expect("one");
            // The corners of the hill and of its texture are kept.
            let has = |u: f32, v: f32| {
                let is_there = |uv: geom::Vec2| (uv.x - u).abs().max((uv.y - v).abs()) < 0.01;
                mesh.vertices.iter().any(|vertex| is_there(vertex.uv))
            };
            assert!(has(0.0, 0.0) && has(1.0, 1.0) && has(1.0, 0.0));
        } else {
            assert_eq!(counts.iter().sum::<usize>(), count);
        }
    }
}

/// A figure of a bone and of a tetrahedron, whose last vertex follows no bone, among vertices of no triangle, as exporters of VRM
/// let primitives share columns; its scale is animated, and stays what it is but for rounding. As Blender, and as for Collada,
/// the vertex follows the first bone; the mesh has the four vertices and their size.
#[test]
fn exporters_share_columns_and_leave_vertices_without_weights() {
    use rezkit::scene::{Animation, Channel, Node, Skin, Values};
    let mut scene = rezkit::scene::Scene::default();
    let mut mesh = crate::tetrahedron(0.5);
    mesh.positions.extend([[9.0; 3]; 20].map(geom::Vec3::from));
    mesh.joints = vec![[0; 4]; 24];
    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; 24];
    let size = crate::tetrahedron(0.5).bounds().expect("a box").size();
    let node = crate::add_mesh(&mut scene, "Hand", mesh);
    let bone = scene.add_node(None, Node { name: "Bone".into(), ..Node::default() });
    let identity = std::array::from_fn(|row| std::array::from_fn(|at| f32::from(u8::from(row == at))));
    scene.skins.push(Skin { joints: vec![bone], inverse_bind: vec![identity], ..Skin::default() });
    scene.nodes[node].skin = Some(0);
    let channel = |values| Channel {
        node: bone,
        times: vec![0.0, 1.0],
        values,
        interpolation: rezkit::scene::Interpolation::Linear,
    };
    scene.animations.push(Animation {
        name: "Wave".into(),
        channels: vec![
            channel(Values::Scale(vec![[1.0; 3], [1.000_01; 3]])),
            channel(Values::Translation(vec![[0.0; 3], [0.0, 1.0, 0.0]])),
        ],
        ..Animation::default()
    });
    let (mut bytes, _) = crate::glb(&scene);
    // The weights of the vertices, of which the fourth loses its own.
    let weights = [1.0_f32, 0.0, 0.0, 0.0].map(f32::to_le_bytes).concat().repeat(24);
    let at = bytes.windows(weights.len()).position(|part| part == weights).expect("weights");
    bytes[at + 3 * 16..][..4].fill(0);
    // The model that is written plays the animation beside it.
    let folder = super::run::Folder::new(&[("hand.glb", &bytes)]);
    folder.ok("convert -q hand.glb hand.rbxm --assets out");
    folder.ok("convert -q hand.rbxm back.glb");
    // Its bones are a rig for motions of other files.
    folder.ok("convert -q hand.glb motion.rbxm --rig hand.rbxm");
    let motion = rbxbinary::from_slice(&folder.read("motion.rbxm")).expect("a model");
    assert!(motion.find("Wave/Keyframe/Hand/Bone").is_some(), "{:?}", motion.paths().collect::<Vec<_>>());
    let mut back = ReadOptions::new().open(folder.read("back.glb"), "back.glb", ()).expect("a scene");
    let back = back.scene(&rezkit::SceneOptions::new()).expect("a scene").0;
    let names: Vec<&str> = back.animations.iter().map(|animation| animation.name.as_str()).collect();
    assert_eq!(names, ["Wave"]);
    let end = back.world_matrices(&back.pose_at(0, 1.0).transforms);
    let bone = back.nodes.iter().position(|node| node.name == "Bone").expect("a bone");
    assert!((end[bone][3][1] - back.at_rest()[bone][3][1] - 1.0).abs() < 1e-3, "{end:?}");
    let mut opened = ReadOptions::new().open(bytes, "hand.glb", ()).expect("a scene");
    let options = ConvertOptions::new().model(ModelOptions::new().assets("out"));
    let made = opened.convert(None, "hand.rbxm", &options).expect("a model");
    let ids: Vec<&str> = made.losses.iter().map(|loss| loss.id).collect();
    assert!(
        ids.contains(&"mesh.unbound-vertex") && !ids.contains(&"scene.node-animations"),
        "{:?}",
        made.losses
    );
    let file = made.files.iter().find(|file| file.path().ends_with(".mesh")).expect("a mesh");
    assert_eq!(rbxmesh::from_slice(&file.bytes).expect("a mesh").vertices.len(), 4 * 3);
    let document = rbxbinary::from_slice(&made.files[0].bytes).expect("a model");
    let part = document.by_class("MeshPart").next().expect("a part");
    let found = document.get(part, "size").and_then(|value| value.as_vector3()).expect("a size");
    assert!(near(&found.to_array(), &size.to_array()), "{found:?}, not {size:?}");
}

/// A quad with a texture, whose v is from 1 to 2, as a model: its files, and its losses.
fn textured(change: impl FnOnce(&mut rezkit::scene::Material)) -> rezkit::Output {
    use rezkit::scene::{Image, ImageData, Material, Texture};
    let mut scene = rezkit::scene::Scene::default();
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let mut mesh = crate::mesh(&corners, &[[0, 1, 2], [0, 2, 3]]);
    mesh.uvs = [[0.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 1.75]].map(Into::into).into();
    scene
        .images
        .push(Image { name: "a.png".into(), data: ImageData::Bytes(crate::png([200, 100, 50, 255])) });
    let mut material = Material { base_texture: Some(Texture::new(0)), ..Material::default() };
    change(&mut material);
    scene.materials.push(material);
    let node = crate::add_mesh(&mut scene, "Quad", mesh);
    let mesh = scene.nodes[node].mesh.expect("a mesh");
    scene.meshes[mesh].primitives[0].material = Some(0);
    let (bytes, _) = crate::glb(&scene);
    let mut opened = ReadOptions::new().open(bytes, "quad.glb", ()).expect("a scene");
    let options = ConvertOptions::new().model(ModelOptions::new().assets("out"));
    opened.convert(None, "quad.rbxm", &options).expect("a model")
}

/// A child that is turned below a parent with a scale along one axis is sheared, which a part is not: its frame is a rotation,
/// and the vertices of its mesh have the shear.
#[test]
fn sheared_nodes_have_frames() {
    let mut scene = rezkit::scene::Scene::default();
    let above = scene.add_node(None, rezkit::scene::Node { name: "Above".into(), ..Default::default() });
    scene.nodes[above].transform.scale = [1.0, 3.0, 1.0];
    let node = crate::add_mesh(&mut scene, "Sheared", crate::tetrahedron(1.0));
    let turn = std::f32::consts::FRAC_PI_8;
    scene.nodes[node].transform.rotation = [turn.sin(), 0.0, 0.0, turn.cos()];
    scene.roots.retain(|root| *root != node);
    scene.nodes[above].children.push(node);
    let (bytes, _) = crate::glb(&scene);
    let mut opened = ReadOptions::new().open(bytes, "sheared.glb", ()).expect("a scene");
    let options = ConvertOptions::new().model(ModelOptions::new().assets("out"));
    let made = opened.convert(None, "sheared.rbxm", &options).expect("a model");
    let document = rbxbinary::from_slice(&made.files[0].bytes).expect("a model");
    let part = document.by_class("MeshPart").next().expect("a part");
    let frame = document.get(part, "CFrame").and_then(|value| value.as_cframe()).expect("a frame");
    let axes = [frame.rotation.x_axis, frame.rotation.y_axis, frame.rotation.z_axis];
    let dot = |a: geom::Vec3, b: geom::Vec3| a.x * b.x + a.y * b.y + a.z * b.z;
    for (one, next, wanted) in [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0), (0, 1, 0.0), (1, 2, 0.0), (0, 2, 0.0)]
    {
        assert!((dot(axes[one], axes[next]) - wanted).abs() < 1e-5, "{frame:?}");
    }
    // The vertices are where the scene has them.
    let file = made.files.iter().find(|file| file.path().ends_with(".mesh")).expect("a mesh");
    let mesh = rbxmesh::from_slice(&file.bytes).expect("a mesh");
    let world = scene.at_rest()[node];
    for point in &crate::tetrahedron(1.0).positions {
        let wanted: [f32; 3] = std::array::from_fn(|row| {
            world[0][row] * point.x + world[1][row] * point.y + world[2][row] * point.z + world[3][row]
        });
        let is_it = |at: geom::Vec3| near(&(frame * at).to_array(), &wanted);
        assert!(mesh.vertices.iter().any(|vertex| is_it(vertex.position)), "{wanted:?}");
    }
}

/// A file that was cut off is no image, also if nothing of it has to change; it is not said to be reduced, too.
#[test]
fn images_that_were_cut_off_are_listed() {
    for most in [None, Some(1)] {
        let mut scene = rezkit::scene::Scene::default();
        let mut png = crate::png([200, 100, 50, 255]);
        png.truncate(png.len() - 20);
        let data = rezkit::scene::ImageData::Bytes(png);
        scene.images.push(rezkit::scene::Image { name: "a.png".into(), data });
        let base_texture = Some(rezkit::scene::Texture::new(0));
        scene.materials.push(rezkit::scene::Material { base_texture, ..Default::default() });
        let mut mesh = crate::tetrahedron(1.0);
        mesh.uvs = vec![[0.0; 2].into(); mesh.positions.len()];
        let node = crate::add_mesh(&mut scene, "Quad", mesh);
        let mesh = scene.nodes[node].mesh.expect("a mesh");
        scene.meshes[mesh].primitives[0].material = Some(0);
        let (bytes, _) = crate::glb(&scene);
        let mut opened = ReadOptions::new().open(bytes, "quad.glb", ()).expect("a scene");
        let mut model = ModelOptions::new().assets("out");
        model.max_texture = most;
        let made = opened.convert(None, "quad.rbxm", &ConvertOptions::new().model(model)).expect("a model");
        let ids: Vec<&str> = made.losses.iter().map(|loss| loss.id).collect();
        assert!(
            ids.contains(&"image.unreadable") && !ids.contains(&"roblox.texture-size"),
            "{:?}",
            made.losses
        );
    }
}

/// Roblox repeats images without mirroring them: coordinates in a mirrored copy are moved into the image.
#[test]
fn mirrored_textures_are_folded() {
    use rezkit::scene::Wrap;
    let vs = |made: &rezkit::Output| {
        let file = made.files.iter().find(|file| file.path().ends_with(".mesh")).expect("a mesh");
        let mesh = rbxmesh::from_slice(&file.bytes).expect("a mesh");
        let mut vs: Vec<f32> = mesh.vertices.iter().map(|vertex| vertex.uv.y).collect();
        vs.sort_by(f32::total_cmp);
        vs.dedup();
        vs
    };
    let wrapped = |wrap| {
        textured(move |material| {
            material.base_texture.as_mut().expect("a texture").sampler.wrap = [Wrap::Repeat, wrap];
        })
    };
    let (repeated, mirrored) = (wrapped(Wrap::Repeat), wrapped(Wrap::Mirror));
    assert_eq!(vs(&repeated), [1.0, 1.75, 2.0]);
    assert_eq!(vs(&mirrored), [0.0, 0.25, 1.0]);
    let is_listed = |made: &rezkit::Output| made.losses.iter().any(|loss| loss.id == "scene.sampler");
    assert!(!is_listed(&mirrored) && is_listed(&wrapped(Wrap::Clamp)));
}

/// The light of a surface is a mask, a colour and a strength, which are drawn.
#[test]
fn light_of_surfaces_comes_back() {
    let made = textured(|material| {
        material.emissive = [0.25, 0.5, 0.0];
        material.emissive_strength = 3.0;
        material.emissive_texture = Some(rezkit::scene::Texture::new(0));
    });
    let model = made.files[0].bytes.clone();
    let files = move |reference: &rezkit::Reference, _: u64| {
        let rezkit::Reference::Local(path) = reference else { return Ok(None) };
        let found = made.files.iter().find(|file| file.path() == path);
        Ok(found.map(|file| file.bytes.clone()))
    };
    let mut opened = ReadOptions::new().open(model, "quad.rbxm", files).expect("a model");
    let (scene, losses) = opened.scene(&rezkit::SceneOptions::new()).expect("a scene");
    assert!(losses.iter().all(|loss| !loss.to_string().contains("emissive")), "{losses:?}");
    let material = scene.materials.iter().find(|of| of.emissive_texture.is_some()).expect("a light");
    let light = material.emissive.map(|part| part * material.emissive_strength);
    // Colours have 8 bits in sRGB.
    crate::near("the light", &light, &[0.75, 1.5, 0.0], 0.02);
}

/// Chunks of a place that an inserted model does not concern stay byte for byte.
#[test]
fn an_inserted_scene_changes_only_its_own_chunks() {
    let part = |name: &str| crate::instance("WedgePart", name).property("Anchored", true);
    let script = crate::instance("Script", "Script").property("Source", "print(1)");
    let workspace = crate::instance("Workspace", "Workspace").service(true);
    let workspace =
        ["A", "B", "C"].into_iter().map(part).fold(workspace.child(script), rbxbinary::NewInstance::child);
    let place = crate::binary_of([workspace]);
    let (glb, _) = crate::glb(&avatar());
    let mut opened = ReadOptions::new().open(place.clone(), "place.rbxl", ()).expect("a place");
    let edit = rezkit::Edit::Insert { model: "avatar.glb".into(), parent: "Workspace".into() };
    let mut models = |_: &rezkit::Reference, _: u64| Ok(Some(glb.clone()));
    opened.edit(&[edit], &mut models, &EditOptions::new()).expect("inserted");
    let new = opened.to_vec().expect("bytes");
    let chunks = |bytes: &[u8]| -> Vec<(String, Vec<u8>)> {
        let all = rbxbinary::chunks(bytes).expect("chunks").map(|chunk| chunk.expect("a chunk"));
        all.map(|chunk| (chunk.name.to_string(), bytes[chunk.range.clone()].to_vec())).collect()
    };
    let (old, new) = (chunks(&place), chunks(&new));
    assert!(new.len() > old.len());
    for (name, bytes) in old.iter().filter(|(name, _)| name != "PRNT") {
        assert!(new.iter().any(|(_, other)| other == bytes), "a chunk {name} has changed");
    }
}
