//! Animations that become KeyframeSequences: those of Roblox's rigs unchanged, others by their rest poses.

use crate::rigs::keyframe;
use crate::xml::{UNTURNED, binary, cframe, document, field, item, tree};
use crate::{Ask as _, channel, has, near, open, options};
use std::collections::HashMap;

use rezkit::ConvertOptions;
use rezkit::scene::{Animation, Node, Scene, Transform, Values};

/// The positions of the nodes of a scene at a time of its animation, by name.
pub(crate) fn placed(scene: &Scene, time: f32) -> HashMap<String, [f32; 3]> {
    let pose = scene.pose_at(0, time);
    let world = scene.world_matrices(&pose.transforms);
    let place = |(node, matrix): (&Node, &[[f32; 4]; 4])| {
        let [x, y, z, _] = matrix[3];
        (node.name.clone(), [x, y, z])
    };
    scene.nodes.iter().zip(&world).map(place).collect()
}

pub(crate) fn direction(places: &HashMap<String, [f32; 3]>, from: &str, to: &str) -> [f32; 3] {
    let [a, b] =
        [from, to].map(|name| places.get(name).unwrap_or_else(|| panic!("no {name}: {:?}", places.keys())));
    let way: [f32; 3] = std::array::from_fn(|axis| b[axis] - a[axis]);
    let length = way.iter().map(|part| part * part).sum::<f32>().sqrt();
    way.map(|part| part / length)
}

/// Writes a scene as a model and reads it again as a scene; returns the losses as well.
fn through(scene: &Scene, kind: &str) -> (Scene, Vec<String>) {
    let written = crate::writer(kind).write(scene, "a", 1 << 28).expect("written");
    (crate::scene(&written.bytes, &format!("a.{kind}")).0, crate::texts(&written.losses))
}

/// A figure like Mixamo's, in metres, with its arms to the sides and facing +z. Its hips are rotated at rest.
pub(crate) fn figure() -> Scene {
    let mut scene = Scene::default();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let bones: &[(&str, &str, [f32; 3])] = &[
        ("Hips", "", [0.0, 1.0, 0.0]),
        ("Spine", "Hips", [0.0, 0.1, 0.0]),
        ("Spine1", "Spine", [0.0, 0.2, 0.0]),
        ("Neck", "Spine1", [0.0, 0.2, 0.0]),
        ("Head", "Neck", [0.0, 0.1, 0.0]),
        ("LeftArm", "Spine1", [0.2, 0.15, 0.0]),
        ("LeftForeArm", "LeftArm", [0.3, 0.0, 0.0]),
        ("LeftHand", "LeftForeArm", [0.25, 0.0, 0.0]),
        ("RightArm", "Spine1", [-0.2, 0.15, 0.0]),
        ("RightForeArm", "RightArm", [-0.3, 0.0, 0.0]),
        ("RightHand", "RightForeArm", [-0.25, 0.0, 0.0]),
        ("LeftUpLeg", "Hips", [0.1, -0.05, 0.0]),
        ("LeftLeg", "LeftUpLeg", [0.0, -0.45, 0.0]),
        ("LeftFoot", "LeftLeg", [0.0, -0.45, 0.0]),
        ("RightUpLeg", "Hips", [-0.1, -0.05, 0.0]),
        ("RightLeg", "RightUpLeg", [0.0, -0.45, 0.0]),
        ("RightFoot", "RightLeg", [0.0, -0.45, 0.0]),
    ];
    let mut nodes: HashMap<&str, usize> = HashMap::new();
    for (name, above, place) in bones {
        let mut transform = Transform::from_translation(*place);
        // The children of the rotated hips are rotated back.
        if *name == "Hips" {
            transform.rotation = [0.0, 0.0, half, half];
        } else if nodes.get(above) == nodes.get("Hips") {
            let [x, y, z] = *place;
            transform.translation = [y, -x, z];
            transform.rotation = [0.0, 0.0, -half, half];
        }
        let node = Node { name: format!("mixamorig:{name}"), transform, ..Node::default() };
        nodes.insert(name, scene.add_node(nodes.get(above).copied(), node));
    }
    let turn = |degrees: f32, axis: usize| {
        let (sine, cosine) = (degrees.to_radians() / 2.0).sin_cos();
        let mut turn = [0.0, 0.0, 0.0, cosine];
        turn[axis] = sine;
        turn
    };
    let times = [0.0, 1.0];
    let turning = |name: &str, degrees: f32, axis: usize| {
        let turns = vec![[0.0, 0.0, 0.0, 1.0], turn(degrees, axis)];
        channel(nodes[name], &times, Values::Rotation(turns))
    };
    let moves = Values::Translation(vec![[0.0, 1.0, 0.0], [0.0, 0.8, 0.3]]);
    let channels = vec![
        turning("LeftArm", 70.0, 2),
        turning("LeftForeArm", -60.0, 1),
        turning("RightArm", 40.0, 0),
        turning("RightForeArm", -90.0, 2),
        turning("LeftLeg", 50.0, 0),
        turning("Spine1", 25.0, 1),
        channel(nodes["Hips"], &times, moves),
    ];
    scene.animations.push(Animation { name: "wave".into(), channels, ..Animation::default() });
    scene
}

/// The limbs of R15, from the middle of a part to the joint below, have the directions of the other rig's limbs.
#[test]
fn another_rig_is_posed_as_it_is() {
    let scene = figure();
    for kind in ["rbxm", "rbxmx"] {
        let (back, losses) = through(&scene, kind);
        assert_eq!((back.animations.len(), back.animations[0].name.as_str()), (1, "wave"));
        assert!(losses[0].contains("retargeted to R15"), "{losses:?}");
        for time in [0.0, 0.3, 0.5, 1.0] {
            let (its, own) = (placed(&scene, time), placed(&back, time));
            for (from, to, part, end) in [
                ("LeftArm", "LeftForeArm", "LeftUpperArm", "LeftLowerArm C0"),
                ("LeftForeArm", "LeftHand", "LeftLowerArm", "LeftHand C0"),
                ("RightArm", "RightForeArm", "RightUpperArm", "RightLowerArm C0"),
                ("RightForeArm", "RightHand", "RightLowerArm", "RightHand C0"),
                ("LeftUpLeg", "LeftLeg", "LeftUpperLeg", "LeftLowerLeg C0"),
                ("LeftLeg", "LeftFoot", "LeftLowerLeg", "LeftFoot C0"),
                ("RightLeg", "RightFoot", "RightLowerLeg", "RightFoot C0"),
            ] {
                let [x, y, z] = direction(&its, &format!("mixamorig:{from}"), &format!("mixamorig:{to}"));
                let found = direction(&own, part, end);
                // Mixamo's figures look towards +z, Roblox's towards -z.
                let cosine = -x * found[0] + y * found[1] - z * found[2];
                assert!(cosine > 1.0_f32.to_radians().cos(), "{kind} {time} {from}: {x} {y} {z}, {found:?}");
            }
        }
        // The hips move by the same fraction of the legs' length.
        let [before, after] = [0.0, 1.0].map(|time| placed(&back, time)["LowerTorso"]);
        let legs = {
            let at = placed(&back, 0.0);
            at["LeftUpperLeg C0"][1] - at["LeftFoot C0"][1]
        };
        let down = (before[1] - after[1]) / legs;
        assert!((down - 0.2 / 0.9).abs() < 0.01 && after[2] < before[2], "{down}: {before:?} {after:?}");
    }
}

/// Exported and imported again: the keys of a Roblox rig do not change, and the name, the priority and the loop are
/// kept.
#[test]
fn the_keys_of_a_roblox_rig_come_back() {
    let frame = |time: f32, turn: f32, x: f32| {
        let (s, c) = turn.sin_cos();
        let turn = cframe("CFrame", [x, 0.0, 0.0], [c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c]);
        let head = item("Pose", "Head", &(field("float", "Weight", 1) + &turn), "");
        keyframe(time, &item("Pose", "Torso", &field("float", "Weight", 0), &head))
    };
    let stated = field("bool", "Loop", false) + &field("token", "Priority", 3);
    let frames = frame(0.0, 0.0, 0.0) + &frame(0.25, 0.5, 0.1) + &frame(1.5, -0.25, 0.0);
    let text = document(&item("KeyframeSequence", "nod", &stated, &frames));
    let mut opened = open(open(text, "a.rbxmx").made("a.glb"), "a.glb");
    for kind in ["rbxm", "rbxmx"] {
        let back = open(opened.made(&format!("b.{kind}")), "b");
        let wanted = ["false", "Action2", "\"nod\""];
        assert_eq!([back.text("nod.Loop"), back.text("nod.Priority"), back.text("nod.Name")], wanted);
        let tree = back.nodes("nod", 1).expect("a sequence");
        assert_eq!(tree.children.len(), 3);
        let floats =
            |text: &str| text.split(", ").map(|part| part.parse().expect("a number")).collect::<Vec<f32>>();
        for (index, (time, turn, x)) in
            [(0.0, 0.0, 0.0), (0.25, 0.5, 0.1), (1.5, -0.25, 0.0_f32)].into_iter().enumerate()
        {
            let frame = format!("nod/Keyframe[{index}]").replace("[0]", "");
            assert_eq!(back.text(&format!("{frame}.Time")).parse::<f32>().expect("a number"), time);
            let head = floats(&back.text(&format!("{frame}/HumanoidRootPart/Torso/Head.CFrame")));
            let (s, c) = f32::sin_cos(turn);
            near(time, &head, &[x, 0.0, 0.0, c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c], 1e-5);
            assert_eq!(back.text(&format!("{frame}/HumanoidRootPart/Torso.Weight")), "0");
        }
    }
}

/// Curves and keyframes give the same positions within 0.01 studs, even if Euler angles wrap around.
#[test]
fn curves_are_the_same_animation() {
    let mut scene = figure();
    // More than 90 degrees about the middle axis.
    if let Values::Rotation(turns) = &mut scene.animations[0].channels[1].values {
        let (sine, cosine) = 75.0_f32.to_radians().sin_cos();
        turns[1] = [0.1 * sine, 0.99 * sine, 0.1 * sine, cosine];
    }
    let glb = crate::glb(&scene).0;
    let convert = |curves: bool| {
        let options = options(|all| {
            (all.animation.curves, all.animation.tolerance) = (curves, Some([0.01, 0.001]));
        });
        let made = open(&glb, "a.glb").made_with("a.rbxm", &options).0;
        let class = open(&made, "a.rbxm").nodes("", 1).expect("nodes").children[0].kind.clone();
        (class.to_string(), crate::scene(&made, "a.rbxm").0)
    };
    let (keyframes, of_keys) = convert(false);
    let (curves, of_curves) = convert(true);
    assert_eq!([&*keyframes, &*curves], ["KeyframeSequence", "CurveAnimation"]);
    for step in 0..=100_u8 {
        let time = f32::from(step) / 100.0;
        let [wanted, found] = [&of_keys, &of_curves].map(|scene| placed(scene, time));
        for (name, a) in &wanted {
            let apart = a.iter().zip(found[name]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(apart < 0.01, "{time} {name}: {apart}");
        }
    }
}

/// Names of keyframes and markers are kept, by both kinds of animations.
#[test]
fn markers_come_back() {
    let pose = |turn: [f32; 9]| {
        let turn = field("float", "Weight", 1) + &cframe("CFrame", [0.0; 3], turn);
        item("Pose", "Torso", &field("float", "Weight", 0), &item("Pose", "Head", &turn, ""))
    };
    let marker = |value| item("KeyframeMarker", "Step", &field("string", "Value", value), "");
    let frame = |name: &str, time: f32, turn, more: &str| {
        item("Keyframe", name, &field("float", "Time", time), &(pose(turn) + more))
    };
    let frames = [
        frame("Keyframe", 0.0, UNTURNED, ""),
        frame("Land", 0.5, UNTURNED, &marker("left foot")),
        // Files store keyframes in any order.
        frame("Keyframe", 0.25, UNTURNED, &marker("right foot")),
        frame("Keyframe", 1.0, [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0], ""),
    ];
    let mut bytes = document(&item("KeyframeSequence", "walk", "", &frames.concat()));
    for curves in [false, true, true] {
        let glb = open(&bytes, "a.rbxmx").made("a.glb");
        let options = options(|all| all.animation.curves = curves);
        bytes = open(glb, "a.glb").made_with("b.rbxmx", &options).0;
        let back = open(&bytes, "b.rbxmx");
        match curves {
            false => {
                assert_eq!(back.text("walk/Land.Time"), "0.5");
                assert_eq!(back.text("walk/Land/Step.Value"), "\"left foot\"");
            }
            true => {
                let step = format!("{:?}", back.get("walk/Step.ValuesAndTimes").expect("a curve"));
                assert!(step.contains("left foot") && step.contains("0.5"), "{step}");
                assert!(step.find("right foot") < step.find("left foot"), "{step}");
                assert!(step.find("0.25") < step.find("0.5"), "{step}");
            }
        }
    }
}

/// Animations that an upload of emotes refuses are reported, each with its path and its number.
#[test]
fn animations_are_checked() {
    let found = |bytes: &[u8], name: &str| -> Vec<String> {
        let mut opened = open(bytes, name);
        let findings = opened.check(&["roblox-animation"], None).expect("checked");
        let of_profile = findings.iter().filter(|finding| finding.rule.starts_with("roblox-animation."));
        of_profile.map(|finding| format!("{} {}: {}", finding.rule, finding.path, finding.found)).collect()
    };
    let options = options(|all| all.animation.curves = true);
    let convert = |scene: &Scene| open(crate::glb(scene).0, "a.glb").made_with("a.rbxmx", &options).0;
    let sequence = "<roblox version=\"4\"><Item class=\"KeyframeSequence\"><Item class=\"Keyframe\"><Properties>\
        <float name=\"Time\">-3</float></Properties></Item></Item></roblox>";
    let keys = "roblox-animation.keys KeyframeSequence/Keyframe: found a keyframe at -3 s; the time must be finite \
        and at least 0";
    assert!(found(sequence.as_bytes(), "a.rbxmx").contains(&keys.to_owned()));
    // A converted animation only lacks the data of the rig.
    let rig = "roblox-animation.rig-data wave: expected one child of class AnimationRigData, found 0";
    assert_eq!(found(&convert(&figure()), "a.rbxmx"), [rig]);
    // 25 times as fast, and then 11 times as long.
    let slower = |factor: f32| {
        let mut figure = figure();
        let times = figure.animations[0].channels.iter_mut().flat_map(|channel| &mut channel.times);
        times.for_each(|time| *time *= factor);
        found(&convert(&figure), "a.rbxmx")
    };
    let (fast, long) = (slower(0.04), slower(11.0));
    let speed = "roblox-animation.rotation-speed wave/RightLowerArm: expected at most 1750";
    assert!(fast.iter().any(|found| found.starts_with(speed)), "{fast:#?}");
    assert_eq!(long, [rig, "roblox-animation.length wave: the animation lasts 11 s"]);
    // A class that is not allowed in an animation, and tags.
    let text = String::from_utf8(convert(&figure())).expect("text");
    let part = item("Part", "Box", &binary("Tags", "A"), "") + &item("AnimationRigData", "Rig", "", "");
    let end = text.rfind("</Item>").expect("an item");
    let wrong = found(format!("{}{part}{}", &text[..end], &text[end..]).as_bytes(), "a.rbxmx");
    let wanted = [
        "roblox-animation.classes wave/Box: found an instance of class Part",
        "roblox-animation.tags wave/Box: the instance has tags (remove them)",
    ];
    assert_eq!(wrong, wanted);
    let still = found(&crate::glb(&Scene::default()).0, "a.glb");
    assert_eq!(still, ["roblox-animation.none : found no animation"]);
    // Two equal keys with a rotation, which rounding changes between them.
    let [a, b] = [0.996_545_73_f32, -0.083_045_47];
    let turned = cframe("CFrame", [0.0; 3], [a, b, 0.0, -b, a, 0.0, 0.0, 0.0, 1.0]);
    let pose = item("Pose", "HumanoidRootPart", "", &item("Pose", "LowerTorso", &turned, ""));
    let equal = item("KeyframeSequence", "A", "", &(keyframe(0, &pose) + &keyframe(1, &pose)));
    let equal = found(&document(&equal), "a.rbxmx");
    let rule = "roblox-animation.still A: no part has two keys with different poses".to_owned();
    assert!(equal.contains(&rule), "{equal:?}");
    // An animation without a pose cannot be converted.
    let alone = document(&item("KeyframeSequence", "W", "", &keyframe(1, "")));
    let unposed = found(&alone, "a.rbxmx");
    has(&unposed, "roblox-animation.still W: the animation has no keys");
    let none = "roblox-animation.none : found 1 animation, but none that can be converted";
    assert!(unposed.contains(&none.to_owned()), "{unposed:?}");
}

/// Options of animations have an effect, or are refused.
#[test]
fn options_of_animations() {
    use rezkit::scene::slmesh::Loop;
    let mut figure = figure();
    // An arm that does not move at first, and then rotates by 10 degrees.
    let channel = &mut figure.animations[0].channels[0];
    channel.times = vec![0.0, 0.9, 1.0];
    let (sine, cosine) = 5.0_f32.to_radians().sin_cos();
    channel.values =
        Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, sine, cosine]]);
    let glb = crate::glb(&figure).0;
    type Change = fn(&mut ConvertOptions);
    let convert = |name: &str, change: Change| {
        let made = open(&glb, "a.glb").convert(None, name, &options(change))?;
        Ok::<_, rezkit::Error>(open(&made.files[0].bytes, name))
    };
    let set: Change = |all| (all.motion.priority, all.motion.looped) = (Some(1000), Some(Loop::Off));
    let made = convert("a.rbxm", set).expect("converted");
    assert_eq!([made.text("wave.Priority"), made.text("wave.Loop")], ["Core", "false"]);
    let frames = |tolerance: [f32; 2]| {
        let options = options(|all| all.animation.tolerance = Some(tolerance));
        let made = open(open(&glb, "a.glb").made_with("a.rbxm", &options).0, "a.rbxm");
        made.nodes("wave", 1).expect("nodes").children.len()
    };
    assert!(frames([20.0, 1.0]) < frames([0.01, 0.0001]));
    let curves = "the option curves applies only to animations that are written to Roblox files";
    let hands = "the option hand-pose applies only to animations that are written for Second Life or to glTF";
    let refused: [(&str, Change, &str); 6] = [
        ("a.rbxm", |all| all.motion.priority = Some(6), "priority: for Roblox, expected idle"),
        ("a.rbxm", |all| all.motion.looped = Some(Loop::Between(0.0, 1.0)), "loop: expected on or off"),
        ("a.rbxm", |all| all.motion.hand_pose = Some(1), hands),
        ("a.rbxm", |all| all.animation.tolerance = Some([0.0, 1.0]), "above 0"),
        ("a.anim", |all| all.animation.curves = true, curves),
        ("a.glb", |all| all.animation.curves = true, curves),
    ];
    for (name, change, text) in refused {
        let error = convert(name, change).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(text), "{name}: {error}");
    }
}

/// A scene with nothing is refused.
#[test]
fn what_has_no_animation_is_refused() {
    let error = crate::writer("rbxm").write(&Scene::default(), "a", 1 << 20).expect_err("nothing");
    assert!(error.to_string().contains("no triangles, lights or animations"), "{error}");
}

/// If a file has no instances, `insert` inserts its model and its animations.
#[test]
fn an_animation_is_inserted_into_a_place() {
    fn source(bytes: &[u8]) -> impl rezkit::Sources {
        |_: &rezkit::Reference, _: u64| Ok(Some(bytes.to_vec()))
    }
    let glb = crate::glb(&figure()).0;
    let mut opened = open(tree("Model|Dummy"), "a.rbxmx");
    let edits = rezkit::Edit::parse("insert wave.glb Dummy").expect("an edit");
    let edited = opened.edit(&edits, &mut source(&glb), &rezkit::EditOptions::new()).expect("inserted");
    crate::has(&edited.losses, "retargeted to R15");
    let kind = opened.class("Dummy/wave");
    assert_eq!(kind, "KeyframeSequence");
    // A mesh becomes a model, whose file is missing.
    let mesh = testkit::fixture("rbxmesh", "v2_00.mesh");
    let edited = opened.edit(&edits, &mut source(&mesh), &rezkit::EditOptions::new()).expect("inserted");
    crate::has(&edited.losses, "the model refers to the file of a mesh, which is not written");
    assert_eq!(opened.class("Dummy/wave[1]"), "Model");
    // What has neither is refused.
    let empty = br#"{"asset": {"version": "2.0"}}"#.to_vec();
    let error =
        opened.edit(&edits, &mut source(&empty), &rezkit::EditOptions::new()).expect_err("nothing to insert");
    assert!(error.to_string().starts_with("wave.glb: "), "{error}");
}

/// The commands of the guide, in order, in one folder.
#[test]
#[cfg(unix)]
fn the_commands_of_the_guide_run() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(crate::guide::runs("docs/guide/animations.md", folder.path()), 14);
    // The scene does not show the avatar of the place's animation.
    let read = |name: &str| {
        let bytes = std::fs::read(folder.path().join(name)).expect("a file of the guide");
        crate::scene(&bytes, name).0
    };
    let (before, after) = (read("island.rbxlx"), read("place.glb"));
    assert_eq!((before.animations.len(), after.animations.len()), (0, 1));
    assert_eq!(after.triangle_count(), before.triangle_count());
}

/// Euler angles are not unique if the second one is 90 degrees: for such an animation another order of axes is used.
#[test]
fn curves_turn_as_keys_do() {
    use crate::motions::{inverse, times, wide};
    use crate::rigs::scene;
    // The matrix Rx * Ry * Rz, row by row, of rotations about x, y and z.
    let rows = |[x, y, z]: [f32; 3]| {
        let [(sx, cx), (sy, cy), (sz, cz)] = [x, y, z].map(|angle| angle.to_radians().sin_cos());
        [
            [cy * cz, -cy * sz, sy],
            [sx * sy * cz + cx * sz, cx * cz - sx * sy * sz, -sx * cy],
            [sx * sz - cx * sy * cz, cx * sy * sz + sx * cz, cx * cy],
        ]
    };
    let frame = |(time, turn): (f32, [f32; 3])| {
        let turn: [f32; 9] = rows(turn).as_flattened().try_into().expect("9 numbers");
        let arm = item("Pose", "Right Arm", &cframe("CFrame", [0.0; 3], turn), "");
        keyframe(time, &item("Pose", "HumanoidRootPart", "", &item("Pose", "Torso", "", &arm)))
    };
    let turns = [(0.0, [20.0, 70.0, 0.0]), (0.05, [0.0, 90.0, 45.0]), (0.1, [80.0, 80.0, -60.0])];
    let frames: String = turns.map(frame).concat();
    let (made, _) = scene(document(&item("KeyframeSequence", "turn", "", &frames)), None).expect("a scene");
    let options = options(|all| all.animation.curves = true);
    let curves = open(crate::glb(&made).0, "a.glb").made_with("a.rbxmx", &options).0;
    let (back, _) = scene(curves, None).expect("a scene");
    let arm = |scene: &Scene, time: f32| {
        let node = scene.nodes.iter().position(|node| node.name == "Right Arm pose").expect("an arm");
        scene.pose_at(0, time).transforms[node].rotation
    };
    for step in 0..=100_u8 {
        let time = f32::from(step) / 1000.0;
        let [a, b] = [arm(&made, time), arm(&back, time)].map(wide);
        // The length of the vector part is the sine of half the angle between them.
        let [x, y, z, _] = times(inverse(a), b);
        let apart = 2.0 * (x * x + y * y + z * z).sqrt().asin().to_degrees();
        assert!(apart < 0.05, "{time}: {apart} degrees");
    }
}

/// Keys in descending order are out of order, not too close.
#[test]
fn keys_out_of_order() {
    use rezkit::blobs::{FloatCurve, curves::FloatKey};
    let curve = FloatCurve {
        keys: vec![FloatKey { mask: Some(0), ..Default::default() }; 2],
        times: vec![4800, 2400],
        ..Default::default()
    };
    let key = crate::instance("FloatCurve", "X").property("ValuesAndTimes", curve.to_vec().expect("written"));
    let animation = crate::instance("CurveAnimation", "A").child(key);
    // The profile reads a scene, which needs something visible.
    let mut opened = open(crate::binary_of([animation, crate::instance("Part", "P")]), "a");
    let found = opened.check(&["roblox-animation"], None).expect("checked");
    let of_keys = found.iter().find(|found| found.rule == "roblox-animation.keys");
    let Some(found) = of_keys else { panic!("{found:?}") };
    assert_eq!(found.found, "the key at 1.0000 s comes after the key at 2.0000 s in the list");
}

/// A rig that lies on its back has the positions of one that stands: they are those of its own frame.
#[test]
fn a_rig_that_lies_down_has_the_same_positions() {
    let pose = |name: &str, place: [f32; 3], below: &str| {
        item("Pose", name, &cframe("CFrame", place, UNTURNED), below)
    };
    let torso = pose("LowerTorso", [0.0, 0.25, 0.0], &pose("UpperTorso", [0.0; 3], ""));
    let frame =
        item("Keyframe", "K", &field("float", "Time", 0.0), &pose("HumanoidRootPart", [0.0; 3], &torso));
    let (mut scene, _) = crate::scene(document(&item("KeyframeSequence", "S", "", &frame)), "a.rbxmx");
    let roots = std::mem::take(&mut scene.roots);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let transform = Transform { rotation: [half, 0.0, 0.0, half], ..Transform::default() };
    let lying = scene.add_node(None, Node { transform, ..Node::default() });
    scene.nodes[lying].children = roots;
    let written = crate::writer("rbxmx").write(&scene, "a", 1 << 28).expect("written");
    let opened = open(written.bytes, "a.rbxmx");
    let place = opened.get("S/K/HumanoidRootPart/LowerTorso.CFrame").expect("a pose").summary(200);
    let numbers: Vec<f32> = place.split(", ").map(|number| number.parse().expect("a number")).collect();
    near("position", &numbers[..3], &[0.0, 0.25, 0.0], 1e-3);
}

/// Among avatar items, an emote has the rules of animations: one AnimationRigData, and a motion.
#[test]
fn emotes_have_the_rules_of_animations() {
    let root = crate::xml::item("Folder", "HumanoidRootPart", "", "");
    let emote = crate::xml::document(&crate::xml::item("CurveAnimation", "E", "", &root));
    let folder = crate::run::Folder::new(&[("e.rbxmx", &emote)]);
    let ran = folder.run("check --profile roblox-avatar e.rbxmx");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.contains("would be refused") && ran.out.contains("rig-data"), "{}", ran.out);
    assert!(ran.out.contains("roblox-animation.still"), "{}", ran.out);
    let allowed =
        ["rig-data", "still", "length"].map(|rule| format!("--allow roblox-animation.{rule}")).join(" ");
    let ran = folder.run(&format!("check --profile roblox-avatar {allowed} e.rbxmx"));
    assert_eq!(ran.status, Some(0), "{ran:?}");
}
