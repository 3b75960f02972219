//! The settings of Second Life's motions, and the options that change them.
#![cfg(feature = "scene")]
#![allow(clippy::indexing_slicing, reason = "tests")]

use rezkit::scene::slmesh::{Loop, MotionOptions, motion_from_scene, motion_to_scene};
use rezkit::{Budget, ConvertOptions};
use slmesh::motion::{Key, Motion};

/// In glTF, the settings of a motion are an extra of the animation, which is read again; options change them.
#[test]
fn what_a_motion_tells_goes_there_and_back() {
    let mut motion = Motion::new(3.0);
    (motion.priority, motion.looped, motion.loop_in, motion.loop_out) = (5, 1, 0.25, 2.5);
    (motion.ease_in, motion.ease_out, motion.hand_pose) = (0.125, 0.5, 9);
    motion.emote = "express_smile".into();
    let mut head = slmesh::motion::Joint::new("mHead");
    head.rotations = vec![
        Key::of_rotation(0.0, [0.0, 0.0, 0.0, 1.0]),
        Key::of_rotation(1.0, [0.0, 0.173_648_18, 0.0, 0.984_807_7]),
    ];
    motion.joints.push(head);
    let bytes = slmesh::motion::to_vec(&motion).expect("written");
    let convert = |bytes: Vec<u8>, name: &str, to: &str, options: MotionOptions| {
        let mut opened = rezkit::open(bytes, name, ()).expect("a file");
        let output = opened.convert(None, to, &ConvertOptions::new().motion(options));
        output.map(|mut output| output.files.remove(0).bytes)
    };
    let plain = MotionOptions::default();
    let glb = convert(bytes.clone(), "wave.anim", "wave.glb", plain).expect("a GLB");
    let json = serde_json::to_value(gltf_json(&glb)["animations"][0]["extras"]["secondlife_motion"].clone());
    let stated = json.expect("JSON");
    assert_eq!(
        (&stated["priority"], &stated["loop"], &stated["ease"]),
        (&5.into(), &serde_json::json!([1, 0.25, 2.5]), &serde_json::json!([0.125, 0.5]))
    );
    let back = convert(glb.clone(), "wave.glb", "wave.anim", plain).expect("a motion");
    assert_eq!(slmesh::motion::from_slice(&back).expect("a motion"), motion);
    // Each option alone: on conversion to glTF, from glTF, and without glTF.
    type Change = (fn(&mut MotionOptions), fn(&mut Motion));
    let changes: [Change; 6] = [
        (|options| options.priority = Some(2), |motion| motion.priority = 2),
        (|options| options.looped = Some(Loop::Off), |motion| motion.looped = 0),
        (
            |options| options.looped = Some(Loop::On),
            |motion| (motion.looped, motion.loop_in, motion.loop_out) = (1, 0.0, 3.0),
        ),
        (
            |options| options.looped = Some(Loop::Between(1.0, 3.0)),
            |motion| (motion.loop_in, motion.loop_out) = (1.0, 3.0),
        ),
        (
            |options| (options.ease_in, options.ease_out) = (Some(0.0), Some(1.0)),
            |motion| (motion.ease_in, motion.ease_out) = (0.0, 1.0),
        ),
        (|options| options.hand_pose = Some(13), |motion| motion.hand_pose = 13),
    ];
    for (number, (change, changed)) in changes.into_iter().enumerate() {
        let mut options = plain;
        change(&mut options);
        let mut expected = motion.clone();
        changed(&mut expected);
        let first = convert(bytes.clone(), "wave.anim", "wave.glb", options).expect("a GLB");
        for made in [
            convert(glb.clone(), "wave.glb", "wave.anim", options),
            convert(first, "wave.glb", "wave.anim", plain),
            convert(bytes.clone(), "wave.anim", "calm.anim", options),
        ] {
            let made = slmesh::motion::from_slice(&made.expect("a motion")).expect("a motion");
            assert_eq!(made, expected, "{number}");
        }
    }
    type Wrong = (fn(&mut MotionOptions), &'static str);
    let wrong: [Wrong; 6] = [
        (|options| options.priority = Some(7), "priority"),
        (|options| options.looped = Some(Loop::Between(2.0, 1.0)), "loop"),
        (|options| options.looped = Some(Loop::Between(0.0, 3.5)), "loop"),
        (|options| options.ease_in = Some(f32::NAN), "ease"),
        (|options| options.ease_out = Some(-1.0), "ease"),
        (|options| options.hand_pose = Some(14), "hand-pose"),
    ];
    for (change, path) in wrong {
        let mut options = plain;
        change(&mut options);
        for (bytes, name) in [(&bytes, "wave.anim"), (&glb, "wave.glb")] {
            let error = convert(bytes.clone(), name, "x.anim", options).expect_err("refused");
            assert!(error.kind() == rezkit::ErrorKind::Argument && error.path().ends_with(path), "{error}");
        }
    }
    // The options do not apply to a mesh.
    let mut options = plain;
    options.priority = Some(1);
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec();
    assert!(convert(obj, "a.obj", "b.glb", options).is_err());
    // A text instead of a number is listed.
    let (mut scene, _) = motion_to_scene(&motion, "wave", &mut Budget::new(1 << 20)).expect("a scene");
    scene.animations[0].extras.insert("secondlife_motion".into(), serde_json::json!({"priority": "high"}));
    let (motion, losses) = motion_from_scene(&scene, &mut Budget::new(1 << 26)).expect("a motion");
    assert_eq!(motion.priority, 3);
    assert!(losses.iter().any(|loss| loss.path.ends_with("secondlife_motion.priority")), "{losses:?}");
}

/// The JSON chunk of a GLB.
fn gltf_json(glb: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four")) as usize;
    serde_json::from_slice(&glb[20..20 + length]).expect("JSON")
}
