//! Heads with facial animation become morph targets, and back.

use crate::Ask as _;
use std::collections::BTreeMap;

use rbxmesh::{Bone, Facs, LodChoice, Names, Version};
use rezkit::ConvertOptions;
use rezkit::scene::{SceneOptions, Values};

use crate::rigs::{keyframe, motor, part, pose};
use crate::xml::{UNTURNED, document, field, item, vector, with_id};

/// A triangle that follows the bone `jaw`, half a unit below the mesh's middle. JawDrop moves it down, Pucker rotates
/// it about x, and both together also move it to the side.
fn head() -> Vec<u8> {
    let points = [[0.0, -0.5, 1.0], [1.0, -0.5, 0.0], [0.0, -0.5, 0.0]];
    let triangle = geom::TriMesh {
        positions: points.map(Into::into).to_vec(),
        normals: vec![[0.0, 1.0, 0.0].into(); 3],
        uvs: vec![[0.0; 2].into(); 3],
        triangles: vec![[0, 1, 2]],
        ..Default::default()
    };
    let bind = |y: f32| {
        let columns = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, y, 0.0, 1.0];
        geom::Mat4::from_columns(columns)
    };
    let bones = vec![
        Bone::new("Head", None, bind(0.0)).expect("a bone"),
        Bone::new("jaw", Some(0), bind(-0.5)).expect("a bone"),
    ];
    let mesh = rbxmesh::Mesh::from_tri_mesh(&triangle).expect("a mesh");
    let (mut mesh, _) = mesh.to_version(Version::V5_00, LodChoice::First);
    mesh.set_skin(&[[1, 0, 0, 0]; 3], &[[1.0, 0.0, 0.0, 0.0]; 3], bones).expect("a skin");
    let names = |names: &[&str]| Names::from_names(names).expect("names");
    let controls = names(&["c_JD", "c_PK", "l_EC"]);
    let movement = |_: usize, pose: usize| {
        let (by, turn) = match pose {
            0 => ([0.0, -0.4, 0.0], [0.0; 3]),
            1 => ([0.0; 3], [90.0, 0.0, 0.0]),
            2 => ([0.0; 3], [0.0; 3]),
            _ => ([0.2, 0.0, 0.0], [0.0; 3]),
        };
        (by.into(), turn.into())
    };
    let facs = Facs::from_poses(names(&["jaw"]), controls, vec![[0, 1]], Vec::new(), movement);
    mesh.facs = Some(facs.expect("facial animation"));
    rbxmesh::to_vec(&mesh).expect("written")
}

/// A rig with that head, twice as large, and an animation of its face.
fn talking(style: u32) -> Vec<u8> {
    let frame = |(time, value): (f32, f32)| {
        let number = |name: &str| {
            let properties = field("double", "Value", value) + &field("float", "Weight", 1);
            item("NumberPose", name, &(properties + &field("token", "EasingStyle", style)), "")
        };
        let controls = number("JawDrop") + &number("Pucker") + &number("LeftEyeClosed");
        let face = item("Folder", "FaceControls", "", &controls);
        keyframe(time, &pose("HumanoidRootPart", 1.0, [0.0; 3], &pose("Head", 1.0, [0.0; 3], &face)))
    };
    let frames: String = [(0.0, 0.0), (1.0, 1.0)].map(frame).concat();
    let sequence = item("KeyframeSequence", "talk", "", &frames);
    let mesh = vector("InitialSize", [1.0, 2.0, 1.0])
        + &vector("size", [2.0, 4.0, 2.0])
        + "<Content name=\"MeshId\"><url>rbxassetid://1</url></Content>";
    let head = with_id("Head", item("MeshPart", "Head", &mesh, ""));
    let joint = motor("HumanoidRootPart", "Head", [([0.0, 3.0, 0.0], UNTURNED), ([0.0; 3], UNTURNED)]);
    let parts = part("HumanoidRootPart", [0.0; 3], UNTURNED, "") + &head + &joint + &sequence;
    document(&item("Model", "Dummy", "", &parts))
}

/// A head whose mesh has movements of another bone, and a corrective pose.
#[test]
fn parts_of_a_face_that_move_nothing_are_listed() {
    let mut mesh = rbxmesh::from_slice(&head()).expect("a mesh");
    let facs = mesh.facs.as_mut().expect("facial animation");
    facs.face_bones = Names::from_names(["tongue"]).expect("a name");
    let mesh = rbxmesh::to_vec(&mesh).expect("written");
    let source = |_: &rezkit::Reference, _: u64| Ok(Some(mesh.clone()));
    let mut opened = rezkit::open(talking(0), "a.rbxmx", source).expect("readable");
    let (_, losses) = opened.scene(&SceneOptions::default()).expect("a scene");
    let listed = crate::texts(&losses);
    for (path, what) in [
        (".face_bones", "the movement of face bones that the mesh does not have, such as \"tongue\""),
        ("", "1 corrective pose for combinations of facial controls"),
    ] {
        assert!(listed.contains(&format!("Dummy/Head/facs{path}: {what}")), "{listed:?}");
    }
}

#[test]
fn face_controls_move_the_vertices_of_a_head() {
    let mesh = head();
    let source = |_: &rezkit::Reference, _: u64| Ok(Some(mesh.clone()));
    let mut opened = rezkit::open(talking(0), "a.rbxmx", source).expect("readable");
    let (scene, losses) = opened.scene(&SceneOptions::default()).expect("a scene");
    let listed: BTreeMap<&str, usize> = losses.iter().map(|loss| (loss.what.as_ref(), loss.count)).collect();
    // LeftEyeClosed does not move this head.
    assert_eq!(losses.len(), 3, "{listed:?}");
    assert!(listed.keys().any(|what| what.starts_with("facial controls become morph targets")));
    assert_eq!(
        scene.animations[0].extras["FaceControls"],
        serde_json::json!({"LeftEyeClosed": [[0.0, 0.0], [1.0, 1.0]]})
    );
    let targets = scene.meshes.iter().flat_map(|mesh| &mesh.primitives[0].targets);
    let names: Vec<&str> = targets.map(|target| target.name.as_str()).collect();
    assert_eq!(names, ["JawDrop", "Pucker"]);
    // The first corner, relative to the head at time 1: 0.4 down, rotated by 90 degrees about x around the jaw (z
    // becomes -y). The corrective, which would move it to the side, is a loss. The head is twice as large, which doubles
    // all of it.
    let at = |time: f32| {
        let posed: Vec<_> = scene.posed(&scene.pose_at(0, time)).flatten().collect();
        let mesh = posed.iter().find(|primitive| primitive.mesh.positions.len() == 3).expect("the head");
        mesh.mesh.positions[0].to_array()
    };
    for (time, expected) in
        [(0.0, [0.0, 2.0, 2.0]), (0.5, [0.0, 2.0 - 0.4 - 1.0, 1.0]), (1.0, [0.0, 2.0 - 0.8 - 2.0, 0.0])]
    {
        crate::near(time, &at(time), &expected, 5e-4);
    }

    let glb = crate::glb(&scene).0;
    let mut back = crate::open(glb, "a.glb");
    let made = back.convert(None, "a.rbxm", &ConvertOptions::new()).expect("converted");
    assert!(made.losses.iter().all(|loss| !loss.what.contains("weights of")), "{:?}", made.losses);
    let made = crate::open(&made.files[0].bytes, "a.rbxm");
    let frames = made.nodes("talk", 1).expect("nodes").children;
    let face = "talk/Keyframe[1]/HumanoidRootPart/Head/FaceControls";
    for name in ["JawDrop", "Pucker", "LeftEyeClosed"] {
        assert_eq!(made.text(&format!("{face}/{name}.Value")), "1");
    }
    assert_eq!(frames.len(), 2, "keys stay keys");
}

/// Cubic easing in both directions is 4 x³ in the first half, as `Enum.PoseEasingStyle` defines it.
#[test]
fn face_controls_ease() {
    let talking = String::from_utf8(talking(3)).expect("text");
    let easing = talking.replace("</token>", "</token><token name=\"EasingDirection\">2</token>");
    let (scene, losses) = crate::scene(easing, "a.rbxmx");
    crate::has(&losses, "eased keys of facial controls");
    let keys: Vec<(f32, f32)> =
        serde_json::from_value(scene.animations[0].extras["FaceControls"]["JawDrop"].clone()).expect("keys");
    for pair in keys.windows(2) {
        for part in [0.0, 0.3, 0.7] {
            let x = pair[0].0 + (pair[1].0 - pair[0].0) * part;
            let eased = if x < 0.5 { 4.0 * x * x * x } else { 1.0 - 4.0 * (1.0 - x).powi(3) };
            let found = pair[0].1 + (pair[1].1 - pair[0].1) * part;
            assert!((found - eased).abs() < 0.0015, "{x}: {found}, not {eased}");
        }
    }
    assert!(!scene.animations[0].channels.iter().any(|channel| matches!(channel.values, Values::Weights(_))));
}
