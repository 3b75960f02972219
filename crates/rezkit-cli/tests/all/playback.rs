//! The settings of Second Life's motions, and the options that change them.
#![allow(clippy::indexing_slicing, reason = "tests")]

use rezkit::scene::slmesh::{ChangeOptions, Loop, MotionOptions, motion_from_scene, motion_to_scene};
use rezkit::{Budget, ConvertOptions};
use serde_json::json;
use slmesh::motion::{Joint, Key, Motion};

use crate::{Ask as _, channel, open};

/// In glTF, the settings of a motion are an extra of the animation, which is read again; options change them.
#[test]
fn what_a_motion_tells_goes_there_and_back() {
    let mut motion = Motion::new(3.0);
    (motion.priority, motion.looped, motion.loop_in, motion.loop_out) = (5, 1, 0.25, 2.5);
    (motion.ease_in, motion.ease_out, motion.hand_pose) = (0.125, 0.5, 9);
    motion.emote = "express_smile".into();
    motion.joints.push(nodding());
    let bytes = slmesh::motion::to_vec(&motion).expect("written");
    let convert = |bytes: &[u8], name: &str, to: &str, options: MotionOptions| {
        let output = open(bytes, name).convert(None, to, &ConvertOptions::new().motion(options));
        output.map(|mut output| output.files.remove(0).bytes)
    };
    let plain = MotionOptions::default();
    let glb = convert(&bytes, "wave.anim", "wave.glb", plain).expect("a GLB");
    let stated = gltf_json(&glb)["animations"][0]["extras"]["secondlife_motion"].clone();
    let [repeated, ease] = [json!([1, 0.25, 2.5]), json!([0.125, 0.5])];
    assert_eq!([&stated["priority"], &stated["loop"], &stated["ease"]], [&json!(5), &repeated, &ease]);
    let back = convert(&glb, "wave.glb", "wave.anim", plain).expect("a motion");
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
        let first = convert(&bytes, "wave.anim", "wave.glb", options).expect("a GLB");
        for made in [
            convert(&glb, "wave.glb", "wave.anim", options),
            convert(&first, "wave.glb", "wave.anim", plain),
            convert(&bytes, "wave.anim", "calm.anim", options),
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
            let error = convert(bytes, name, "x.anim", options).expect_err("refused");
            assert!(error.kind() == rezkit::ErrorKind::Argument && error.path().ends_with(path), "{error}");
        }
    }
    // The options do not apply to a mesh.
    let mut options = plain;
    options.priority = Some(1);
    let _obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec();
    assert!(convert(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "a.obj", "b.glb", options).is_err());
    // A text instead of a number is listed, and stays an extra.
    let (mut scene, _) = motion_to_scene(&motion, "wave", &mut Budget::new(1 << 20)).expect("a scene");
    scene.animations[0].playback = rezkit::scene::Playback::default();
    scene.animations[0].extras.insert("secondlife_motion".into(), json!({"priority": "high", "handPose": 3}));
    let (scene, losses) = crate::scene(&crate::glb(&scene).0, "wave.glb");
    crate::has(&losses, "secondlife_motion.priority: expected a number, found \"high\"");
    assert_eq!(scene.animations[0].extras["secondlife_motion"], json!({"priority": "high"}));
    let (motion, _) = motion_from_scene(&scene, &mut Budget::new(1 << 26)).expect("a motion");
    assert_eq!((motion.priority, motion.hand_pose), (3, 3));
}

/// A head that turns by 20 degrees.
fn nodding() -> Joint {
    let mut head = Joint::new("mHead");
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.173_648_18, 0.0, 0.984_807_7]];
    head.rotations = vec![Key::of_rotation(0.0, turns[0]), Key::of_rotation(1.0, turns[1])];
    head
}

/// A motion of the head that lasts 2 s.
fn nod() -> Motion {
    let mut motion = Motion::new(2.0);
    (motion.ease_in, motion.ease_out, motion.hand_pose) = (0.0, 0.0, 1);
    motion.joints.push(nodding());
    motion
}

/// Converts a file; returns the result and what is listed about settings.
fn converted(bytes: &[u8], from: &str, to: &str, options: MotionOptions) -> (Vec<u8>, Vec<String>) {
    let (made, mut listed) = open(bytes, from).made_with(to, &ConvertOptions::new().motion(options));
    listed.retain(|loss| loss.contains("priorit") || loss.contains("settings"));
    (made, listed)
}

#[test]
fn settings_of_second_life_for_roblox() {
    let convert = |motion: &Motion, options: MotionOptions| {
        let bytes = slmesh::motion::to_vec(motion).expect("written");
        let direct = converted(&bytes, "nod.anim", "nod.rbxmx", options);
        let (glb, _) = converted(&bytes, "nod.anim", "nod.glb", MotionOptions::default());
        assert_eq!(converted(&glb, "nod.glb", "nod.rbxmx", options).1, direct.1);
        let made = crate::open(direct.0, "nod.rbxmx");
        ([made.text("nod.Loop"), made.text("nod.Priority")], direct.1)
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
            "animations \"nod\".priority: the priority {name} of Roblox: Second Life has other priorities, and 3 \
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
    assert_eq!(back.expect("a document").get("nod[1].Loop").expect("a value").summary(80), "false");
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
        let mut joint = Joint::new(name);
        joint.priority = priority;
        motion.joints.push(joint);
    }
    let mut options = MotionOptions::default();
    options.priority = Some(2);
    options.apply(&mut motion).expect("a priority");
    let joints: Vec<i32> = motion.joints.iter().map(|joint| joint.priority).collect();
    assert_eq!((motion.priority, joints), (2, vec![2, 6, -1]));
}

/// Converts a file with changes; returns the motion and what is listed.
fn changed(
    bytes: &[u8],
    from: &str,
    change: impl Fn(&mut ChangeOptions),
) -> rezkit::Result<(Motion, Vec<String>)> {
    let mut options = ConvertOptions::new();
    change(&mut options.changes);
    let mut output = rezkit::open(bytes.to_vec(), from, ())?.convert(None, "out.anim", &options)?;
    let motion = slmesh::motion::from_slice(&output.files.remove(0).bytes).expect("a motion");
    Ok((motion, crate::texts(&output.losses)))
}

/// A wave with the left arm, a turned head and a moved pelvis, with a constraint.
fn wave() -> Motion {
    let mut motion = nod();
    (motion.looped, motion.loop_in, motion.loop_out, motion.ease_in, motion.ease_out) =
        (1, 0.25, 1.5, 0.125, 0.5);
    for (name, [x, y, z]) in [
        ("mShoulderLeft", [0.48, 0.36, 0.0]),
        ("mElbowLeft", [0.0, 0.48, 0.36]),
        ("mHandIndex1Right", [0.6; 3]),
    ] {
        let mut joint = Joint::new(name);
        let w = (1.0_f32 - x * x - y * y - z * z).max(0.0).sqrt();
        joint.rotations = vec![Key::of_rotation(0.0, [x, y, z, w]), Key::of_rotation(1.0, [-x, y, z, w])];
        motion.joints.push(joint);
    }
    let mut pelvis = Joint::new("mPelvis");
    pelvis.positions =
        vec![Key::of_position(0.0, [0.5, 0.25, -0.125]), Key::of_position(1.0, [0.0, -1.0, 0.0])];
    motion.joints.push(pelvis);
    let mut constraint = slmesh::motion::Constraint::default();
    constraint.source[..6].copy_from_slice(b"L_HAND");
    constraint.target[..11].copy_from_slice(b"LEFT_HANDLE");
    (constraint.target_offset, constraint.ease_in_stop) = ([0.1, 0.2, 0.3], 0.5);
    motion.constraints.push(constraint);
    motion
}

/// Twice as fast, all times are half; the keys are at the same fractions of the motion.
#[test]
fn speed_divides_all_times() {
    let motion = wave();
    let mut fast = motion.clone();
    (fast.duration, fast.loop_in, fast.loop_out, fast.ease_in, fast.ease_out) =
        (1.0, 0.125, 0.75, 0.0625, 0.25);
    fast.constraints[0].ease_in_stop = 0.25;
    let bytes = slmesh::motion::to_vec(&motion).expect("written");
    let double = |options: &mut ChangeOptions| options.speed = Some(2.0);
    assert_eq!(changed(&bytes, "wave.anim", double).expect("faster"), (fast.clone(), vec![]));
    let (scene, _) = motion_to_scene(&motion, "wave", &mut Budget::new(1 << 24)).expect("a scene");
    let (glb, _) = crate::glb(&scene);
    let (of_glb, _) = changed(&glb, "wave.glb", double).expect("faster");
    let settings = |of: &Motion| {
        ([of.duration, of.loop_in, of.loop_out, of.ease_in, of.ease_out], of.constraints.clone())
    };
    assert_eq!(settings(&of_glb), settings(&fast));
    for (speed, wanted) in [(0.0, "above 0"), (f32::NAN, "above 0"), (1.0, "no effect"), (0.01, "60 s")] {
        let error = changed(&bytes, "wave.anim", |options| options.speed = Some(speed)).expect_err("refused");
        assert!(error.path() == "speed" && error.to_string().contains(wanted), "{error}");
    }
}

#[test]
fn joints_are_dropped_by_name() {
    let motion = wave();
    let bytes = slmesh::motion::to_vec(&motion).expect("written");
    let drop = |bytes: &[u8], from: &str, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        changed(bytes, from, move |options| options.drop_joints.clone_from(&names))
    };
    let (scene, _) = motion_to_scene(&motion, "wave", &mut Budget::new(1 << 24)).expect("a scene");
    let (glb, _) = crate::glb(&scene);
    for (names, left) in [
        (&["mHead"][..], &[1, 2, 3, 4][..]),
        (&["m*Left"], &[0, 3, 4]),
        (&["*Hand*1*t", "mPelvis"], &[0, 1, 2]),
        (&["m*l*e*t"], &[0, 3, 4]),
    ] {
        let (made, _) = drop(&bytes, "wave.anim", names).expect("fewer joints");
        let mut wanted = motion.clone();
        wanted.joints = left.iter().map(|&index: &usize| motion.joints[index].clone()).collect();
        assert_eq!(made, wanted, "{names:?}");
        let of = |motion: &Motion| {
            let mut names: Vec<String> = motion.joints.iter().map(|joint| joint.name.to_string()).collect();
            names.sort();
            names
        };
        let (of_glb, _) = drop(&glb, "wave.glb", names).expect("fewer joints");
        assert_eq!(of(&of_glb), of(&wanted), "{names:?}");
    }
    for (names, wanted) in
        [(&["mHead", "mTail*"][..], "no joint with the name \"mTail*\""), (&["m*"], "would be left")]
    {
        for (bytes, from) in [(&bytes, "wave.anim"), (&glb, "wave.glb")] {
            let error = drop(bytes, from, names).expect_err("refused");
            assert!(error.path() == "drop-joints" && error.to_string().contains(wanted), "{error}");
        }
    }
}

/// The mirror image of a pose: each joint is at the mirrored place of its counterpart. In the scene, the avatar's left
/// is -z.
#[test]
fn a_mirrored_motion_is_the_mirror_image() {
    let mut motion = wave();
    motion.hand_pose = 5;
    let bytes = slmesh::motion::to_vec(&motion).expect("written");
    let mirror = |options: &mut ChangeOptions| options.mirror = true;
    let (mirrored, losses) = changed(&bytes, "wave.anim", mirror).expect("mirrored");
    assert_eq!((mirrored.hand_pose, losses.len()), (8, 0));
    let names: Vec<_> = mirrored.joints.iter().map(|joint| joint.name.to_string()).collect();
    assert_eq!(names, ["mHead", "mShoulderRight", "mElbowRight", "mHandIndex1Left", "mPelvis"]);
    let constraint = mirrored.constraints[0];
    assert_eq!(&constraint.source[..7], b"R_HAND\0");
    assert_eq!(&constraint.target[..13], b"RIGHT_HANDLE\0");
    assert_eq!(constraint.target_offset, [0.1, -0.2, 0.3]);
    let scene =
        |motion: &Motion| motion_to_scene(motion, "wave", &mut Budget::new(1 << 24)).expect("a scene").0;
    for time in [0.0, 0.7, 2.0] {
        let [own, other] = [&motion, &mirrored].map(|motion| crate::keyframes::placed(&scene(motion), time));
        for (name, [x, y, z]) in &own {
            let other_name = match name.strip_suffix("Left") {
                Some(start) => format!("{start}Right"),
                None => name.strip_suffix("Right").map_or(name.clone(), |start| format!("{start}Left")),
            };
            crate::near(format!("{time}: {name}, {other_name}"), &other[&other_name], &[*x, *y, -z], 3e-3);
        }
    }
    let back = slmesh::motion::to_vec(&mirrored).expect("written");
    assert_eq!(
        slmesh::motion::to_vec(&changed(&back, "a.anim", mirror).expect("mirrored").0).expect("written"),
        bytes
    );
    // A conversion from or to another format; a hand pose that only one hand has.
    motion.hand_pose = 10;
    let (glb, _) = crate::glb(&scene(&motion));
    let (of_glb, losses) = changed(&glb, "wave.glb", mirror).expect("mirrored");
    assert!(of_glb.joints.iter().any(|joint| joint.name.as_str() == Some("mShoulderRight")));
    crate::has(&losses, "salute right");
    let mut options = ConvertOptions::new();
    options.changes.mirror = true;
    for (from, name) in [(bytes, "wave.anim"), (glb, "wave.glb")] {
        let bvh = open(from, name).made_with("b.bvh", &options).0;
        let (scene, _) = crate::scene(&bvh, "b.bvh");
        let turned = |name: &str| {
            let node = scene.nodes.iter().position(|node| node.name == name).expect("a joint");
            let [x, y, z, _] = scene.pose_at(0, 0.0).transforms[node].rotation;
            x.abs() + y.abs() + z.abs() > 0.01
        };
        assert!(turned("mElbowRight") && !turned("mElbowLeft"), "{name}");
    }
    // Files without animations.
    (options.changes.mirror, options.changes.speed) = (false, Some(2.0));
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec();
    for to in ["b.stl", "b.glb"] {
        let error = crate::open(&obj, "a.obj").convert(None, to, &options);
        assert!(error.is_err_and(|error| error.to_string().contains(" remove ")), "{to}");
    }
}

/// Splines keep their shape if they are played faster: tangents are changes per second.
#[test]
fn splines_are_played_faster() {
    use rezkit::scene::{Animation, Channel, Interpolation, Scene, Values};
    let mut scene = Scene::default();
    let node = crate::add_node(&mut scene, None, "box");
    let values = Values::Translation(
        [[0.0; 3], [0.0; 3], [3.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0; 3], [0.0; 3]].to_vec(),
    );
    let channels =
        vec![Channel { interpolation: Interpolation::Cubic, ..channel(node, &[0.0, 2.0], values) }];
    scene.animations.push(Animation { channels, ..Animation::default() });
    let mut fast = scene.clone();
    let mut changes = ChangeOptions::default();
    changes.speed = Some(4.0);
    changes.apply_to(&mut fast).expect("faster");
    for part in [0.0, 0.125, 0.25, 0.4, 0.5] {
        let place = |scene: &Scene, time: f32| scene.pose_at(0, time).transforms[0].translation;
        let (own, its) = (place(&scene, 4.0 * part), place(&fast, part));
        crate::near(part, &own, &its, 1e-6);
    }
}
