//! The settings of Second Life's motions, and the options that change them.
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

/// A motion of the head that lasts 2 s.
fn nod() -> Motion {
    let mut motion = Motion::new(2.0);
    (motion.ease_in, motion.ease_out, motion.hand_pose) = (0.0, 0.0, 1);
    let mut head = slmesh::motion::Joint::new("mHead");
    head.rotations = vec![
        Key::of_rotation(0.0, [0.0, 0.0, 0.0, 1.0]),
        Key::of_rotation(1.0, [0.0, 0.173_648_18, 0.0, 0.984_807_7]),
    ];
    motion.joints.push(head);
    motion
}

/// Converts a file; returns the result and what is listed about settings.
fn converted(bytes: &[u8], from: &str, to: &str, options: MotionOptions) -> (Vec<u8>, Vec<String>) {
    let mut opened = rezkit::open(bytes.to_vec(), from, ()).expect("a file");
    let mut output = opened.convert(None, to, &ConvertOptions::new().motion(options)).expect("converted");
    let listed = output.losses.iter().map(ToString::to_string);
    let listed = listed.filter(|loss| loss.contains("priorit") || loss.contains("settings")).collect();
    (output.files.remove(0).bytes, listed)
}

#[test]
fn settings_of_second_life_for_roblox() {
    let convert = |motion: &Motion, options: MotionOptions| {
        let bytes = slmesh::motion::to_vec(motion).expect("written");
        let direct = converted(&bytes, "nod.anim", "nod.rbxmx", options);
        let (glb, _) = converted(&bytes, "nod.anim", "nod.glb", MotionOptions::default());
        assert_eq!(converted(&glb, "nod.glb", "nod.rbxmx", options).1, direct.1);
        let made = rezkit::open(direct.0, "nod.rbxmx", ()).expect("a document");
        let get = |path: &str| made.get(path).expect("a value").summary(80);
        ([get("nod.Loop"), get("nod.Priority")], direct.1)
    };
    let priority = |number: u8| {
        format!(
            "animations[0]: the priority {number} of Second Life: Roblox has other priorities, and Action is used (set \
             the option priority to choose another)"
        )
    };
    let lost = |what: &str| format!("animations[0]: settings that animations of Roblox do not have: {what}");
    let plain = MotionOptions::default();
    let mut motion = nod();
    (motion.priority, motion.looped, motion.loop_out) = (6, 1, 2.0);
    assert_eq!(convert(&motion, plain), (["true".into(), "Action".into()], vec![priority(6)]));
    motion.loop_in = 0.5;
    let part = lost("the start and end of the repeated part");
    assert_eq!(convert(&motion, plain).1, [priority(6), part]);
    let mut given = plain;
    (given.priority, given.looped) = (Some(1), Some(Loop::On));
    assert_eq!(convert(&motion, given), (["true".into(), "Movement".into()], vec![]));
    (motion.looped, motion.priority, motion.hand_pose, motion.ease_in) = (0, 3, 5, 0.5);
    motion.emote = "express_smile".into();
    motion.joints[0].priority = 5;
    let all = lost(
        "the fade-in and fade-out times, the hand pose, the facial expression (emote), the priorities of joints",
    );
    assert_eq!(convert(&motion, plain), (["false".into(), "Action".into()], vec![priority(3), all]));
}

#[test]
fn settings_of_roblox_for_second_life() {
    let bytes = slmesh::motion::to_vec(&nod()).expect("written");
    let of = |looped, priority| {
        let mut options = MotionOptions::default();
        (options.looped, options.priority) = (Some(looped), Some(priority));
        converted(&bytes, "nod.anim", "nod.rbxmx", options).0
    };
    let convert = |document: &[u8], options: MotionOptions| {
        let direct = converted(document, "nod.rbxmx", "nod.anim", options);
        let (glb, _) = converted(document, "nod.rbxmx", "nod.glb", MotionOptions::default());
        assert_eq!(converted(&glb, "nod.glb", "nod.anim", options).1, direct.1);
        let motion = slmesh::motion::from_slice(&direct.0).expect("a motion");
        assert_eq!((motion.loop_in, motion.loop_out), (0.0, motion.duration));
        ((motion.looped, motion.priority), direct.1)
    };
    let listed = |name: &str| {
        format!(
            "animations \"nod\".extras.Priority: the priority {name} of Roblox: Second Life has other priorities, and 3 \
             is used (to choose another, use `--priority`)"
        )
    };
    let plain = MotionOptions::default();
    assert_eq!(convert(&of(Loop::On, 4), plain), ((1, 3), vec![listed("Action3")]));
    assert_eq!(convert(&of(Loop::Off, 1000), plain), ((0, 3), vec![listed("Core")]));
    let mut given = plain;
    given.looped = Some(Loop::Off);
    assert_eq!(convert(&of(Loop::On, 4), given), ((0, 3), vec![listed("Action3")]));
    (given.looped, given.priority) = (None, Some(6));
    assert_eq!(convert(&of(Loop::On, 4), given), ((1, 6), vec![]));
    // An option also replaces the setting of Roblox in glTF.
    given.looped = Some(Loop::Off);
    let (glb, _) = converted(&of(Loop::On, 4), "nod.rbxmx", "nod.glb", given);
    let back = rezkit::open(converted(&glb, "nod.glb", "nod.rbxmx", plain).0, "nod.rbxmx", ());
    assert_eq!(back.expect("a document").get("nod.Loop").expect("a value").summary(80), "false");
}

/// The JSON chunk of a GLB.
fn gltf_json(glb: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four")) as usize;
    serde_json::from_slice(&glb[20..20 + length]).expect("JSON")
}

/// Viewers use the priorities of joints: those that have the priority of the motion follow it.
#[test]
fn joints_follow_the_priority() {
    let mut motion = Motion::new(1.0);
    motion.priority = 4;
    for (name, priority) in [("mHead", 4), ("mChest", 6), ("mNeck", -1)] {
        let mut joint = slmesh::motion::Joint::new(name);
        joint.priority = priority;
        motion.joints.push(joint);
    }
    let mut options = MotionOptions::default();
    options.priority = Some(2);
    options.apply(&mut motion).expect("a priority");
    let joints: Vec<i32> = motion.joints.iter().map(|joint| joint.priority).collect();
    assert_eq!((motion.priority, joints), (2, vec![2, 6, -1]));
}
