//! Animations of Roblox: which one is converted and how, what happens to bad ones, and what is reported about them.

use crate::Ask as _;
use geom::TriMesh;
use rezkit::scene::{Interpolation, MorphTarget, RigModel, Scene, Transform, Values};
use rezkit::{ConvertOptions, Edit, ErrorKind, FactValue, Reference};

use crate::keyframes::{figure, placed};
use crate::rigs::{keyframe, motor, part, pose, scene};
use crate::xml::{UNTURNED, document, field, item};
use crate::{channel, has, near, options};

/// A KeyframeSequence: each frame has a time and its poses.
fn sequence(name: &str, properties: &str, frames: &[(&str, String)]) -> String {
    let frames: String = frames.iter().map(|(time, poses)| keyframe(time, poses)).collect();
    item("KeyframeSequence", name, properties, &frames)
}

/// Poses of parts below the root of an avatar, each moved up by `studs`.
fn up(parts: &[&str], studs: f32) -> String {
    let inner: String = parts.iter().map(|part| pose(part, 1.0, [0.0, studs, 0.0], "")).collect();
    pose("HumanoidRootPart", 0.0, [0.0; 3], &inner)
}

/// One of several animations is chosen by its name or its index, and converted.
#[test]
fn one_of_several_is_converted() {
    let mut three = figure();
    for name in ["walk", "1", "walk"] {
        three.animations.push(rezkit::scene::Animation { name: name.into(), ..three.animations[0].clone() });
    }
    let glb = crate::glb(&three).0;
    let convert = |name: &str, action: &str| {
        let made = rezkit::open(glb.clone(), "a.glb", ())?.convert(
            None,
            name,
            &ConvertOptions::new().action(action),
        )?;
        rezkit::open(made.files[0].bytes.clone(), name, ())
    };
    for (action, name) in [("wave", "wave"), ("1", "1"), ("3", "walk")] {
        let made = convert("a.rbxm", action).expect("converted");
        let children = made.nodes("", 1).expect("nodes").children;
        assert_eq!(children.iter().map(|child| child.name.as_str()).collect::<Vec<_>>(), [name], "{action}");
    }
    assert!(convert("a.anim", "wave").is_ok());
    for (name, action, says) in [
        ("a.rbxm", "run", "no animation has the name or index \"run\" (available: wave, walk, 1, walk)"),
        ("a.anim", "walk", "2 animations are named \"walk\": select one by its index (1, 3)"),
        ("a.glb", "wave", "the option action applies only to conversions to or from a scene format"),
    ] {
        let Err(error) = convert(name, action) else { panic!("{name} {action}") };
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.to_string().starts_with(says), "{error}");
    }
    three.animations[0].name.clear();
    let error = three.find_animation("run").unwrap_err().to_string();
    assert!(error.ends_with("(available: index 0, walk, 1, walk)"), "{error}");
}

/// A higher rate samples a curve more closely; the samples are at multiples of the rate's interval.
#[test]
fn samples_are_as_many_as_asked_for() {
    let mut figure = figure();
    let channel = &mut figure.animations[0].channels[0];
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let none = [0.0; 4];
    channel.values =
        Values::Rotation(vec![none, [0.0, 0.0, 0.0, 1.0], none, none, [0.0, 0.0, half, half], none]);
    channel.interpolation = Interpolation::Cubic;
    let glb = crate::glb(&figure).0;
    let frames = |fps: f32| {
        let options = options(|all| {
            (all.animation.fps, all.animation.tolerance) = (Some(fps), Some([0.001, 1e-6]));
        });
        let made = crate::open(&glb, "a.glb").convert(None, "a.rbxm", &options)?;
        Ok::<_, rezkit::Error>(crate::open(&made.files[0].bytes, "a.rbxm").nodes("wave", 1)?.children.len())
    };
    let (few, many) = (frames(5.0).expect("converted"), frames(60.0).expect("converted"));
    assert!((4..=6).contains(&few) && (40..=61).contains(&many), "{few} {many}");
    for wrong in [0.0, -1.0, 241.0, f32::NAN] {
        let error = frames(wrong).expect_err("an error");
        let what = "fps: expected more than 0 and at most 240 samples per second";
        assert!(error.to_string().contains(what), "{error}");
    }
}

/// Inserting an animation into a document takes the same options as a conversion.
#[test]
fn insert_takes_options_of_animations() {
    let place = document(&item("Model", "Dummy", "", ""));
    let glb = crate::glb(&figure()).0;
    let mut opened = crate::open(place, "a.rbxmx");
    let edits = Edit::parse("insert wave.glb Dummy").expect("an edit");
    let convert = options(|all| (all.scene.rig, all.animation.curves) = (Some(RigModel::R6), true));
    let convert = rezkit::EditOptions::new().convert(convert);
    let glb = |_: &Reference, _: u64| Ok(Some(glb.clone()));
    let edited = opened.edit(&edits, &mut { glb }, &convert).expect("inserted");
    has(&edited.losses, "retargeted to R6");
    assert_eq!(opened.class("Dummy/wave"), "CurveAnimation");
    assert!(opened.nodes("Dummy/wave/HumanoidRootPart/Torso/Left Arm", 0).is_ok());
    // A model is inserted unchanged, so the options are an error.
    let model = document(&item("Folder", "x", "", ""));
    let model = |_: &Reference, _: u64| Ok(Some(model.clone()));
    let error = opened.edit(&edits, &mut { model }, &convert).expect_err("an error");
    assert!(error.to_string().contains("so options for animations have no effect"), "{error}");
}

/// A rig with the joints of R15 as Roblox exports it: bones from joint to joint. Shoulders and arms have different x.
fn r15() -> Scene {
    let text =
        document(&sequence("up", "", &[("0", up(&["LowerTorso", "UpperTorso", "LeftUpperArm"], 0.0))]));
    let (roblox, _) = scene(&text, None).expect("a scene");
    let world = roblox.world_matrices(&roblox.pose().transforms);
    let mut bones = Scene::default();
    let mut known: Vec<(String, usize, [f32; 3])> = Vec::new();
    let parents = |node: usize| (0..roblox.nodes.len()).find(|&of| roblox.nodes[of].children.contains(&node));
    for (index, node) in roblox.nodes.iter().enumerate() {
        let Some(name) = node.name.strip_suffix(" pose") else { continue };
        let [x, y, z, _] = world[index][3];
        let above = parents(index).and_then(parents).map(|part| roblox.nodes[part].name.clone());
        let above = above.and_then(|above| known.iter().find(|(name, ..)| *name == above).cloned());
        let [a, b, c] = above.as_ref().map_or([0.0; 3], |(_, _, place)| *place);
        let transform = Transform::from_translation([x - a, y - b, z - c]);
        let bone = rezkit::scene::Node { name: name.to_owned(), transform, ..Default::default() };
        let at = bones.add_node(above.map(|(_, node, _)| node), bone);
        known.push((name.to_owned(), at, [x, y, z]));
    }
    bones
}

/// A rig with the joints of R15 keeps its rest pose and the positions of its limbs. Parts that do not move get no
/// poses.
#[test]
fn a_rig_with_the_joints_of_an_avatar_is_held_as_it() {
    let mut bones = r15();
    let arm = bones.nodes.iter().position(|node| node.name == "RightUpperArm").expect("a bone");
    let rest = bones.nodes[arm].transform.translation;
    let [x, y, z] = rest;
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turns = Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half]]);
    let places = Values::Translation(vec![rest, [x, y + 0.5, z]]);
    let channels = [turns, places].map(|values| channel(arm, &[0.0, 1.0], values)).to_vec();
    bones.animations.push(rezkit::scene::Animation { name: "lift".into(), channels, ..Default::default() });
    let glb = crate::glb(&bones).0;
    let (back, _) = scene(crate::open(glb, "a.glb").made("a.rbxmx"), None).expect("a scene");
    let moved: std::collections::BTreeSet<&str> =
        back.animations[0].channels.iter().map(|channel| back.nodes[channel.node].name.as_str()).collect();
    assert_eq!(moved.into_iter().collect::<Vec<_>>(), ["RightUpperArm pose"]);
    let (own, rest) = (placed(&back, 1.0), placed(&back, 0.0));
    let way: [f32; 3] =
        std::array::from_fn(|axis| own["RightUpperArm pose"][axis] - rest["RightUpperArm pose"][axis]);
    near("the arm", &way, &[0.0, 0.5, 0.0], 1e-4);
    // At rest, the elbow is 0.728 below and 0.5 to the side of the shoulder. It rotates about x, forward to -z.
    let elbow: [f32; 3] =
        std::array::from_fn(|axis| own["RightLowerArm pose"][axis] - own["RightUpperArm pose"][axis]);
    near("the elbow", &elbow, &[0.5, 0.0, -0.728], 1e-3);
}

/// Poses of unknown parts, invalid times of keys and cycles of joints are each listed with their path, and not guessed.
#[test]
fn bad_animations_are_listed() {
    let wing = sequence("a", "", &[("0", up(&["Torso", "Wing"], 0.0)), ("1", up(&["Torso", "Wing"], 1.0))]);
    let (made, losses) = scene(document(&wing), None).expect("a scene");
    has(&losses, "a: poses of \"Wing\": no joint of the rig moves a part with this name (and 1 more)");
    assert_eq!(made.animations[0].duration(), 1.0);
    let of_torso = |times: [(&str, f32); 3]| {
        scene(document(&sequence("a", "", &times.map(|(time, studs)| (time, up(&["Torso"], studs))))), None)
            .expect("a scene")
    };
    for (time, shown) in [("-1", "-1"), ("NAN", "NaN"), ("INF", "inf")] {
        let (made, losses) = of_torso([(time, 5.0), ("0", 0.0), ("1", 1.0)]);
        has(&losses, &format!("a/Keyframe: a keyframe at {shown} s"));
        let ways = placed(&made, 0.0)["Torso"][2] - placed(&made, 1.0)["Torso"][2];
        assert!((ways.abs() - 1.0).abs() < 1e-5, "{ways}");
    }
    let (made, losses) = of_torso([("0", 0.0), ("1", 1.0), ("2", f32::NAN)]);
    has(&losses, "a/Keyframe[2]/HumanoidRootPart/Torso: a pose whose CFrame has infinite or NaN numbers");
    assert_eq!(made.animations[0].duration(), 1.0);
    let rig = |joints: &[[&str; 2]], inner: &str| {
        let parts: String = ["A", "B", "C"].iter().map(|name| part(name, [0.0; 3], UNTURNED, "")).collect();
        let joints: String = joints.iter().map(|[a, b]| motor(a, b, [([0.0; 3], UNTURNED); 2])).collect();
        document(&item("Model", "Beast", "", &(parts + &joints + inner)))
    };
    let poses = |studs| pose("A", 0.0, [0.0; 3], &pose("B", 1.0, [0.0, studs, 0.0], ""));
    let turns = sequence("turns", "", &[("0", poses(0.0)), ("1", poses(1.0))]);
    let (made, losses) = scene(rig(&[["A", "B"], ["B", "C"], ["C", "A"]], &turns), None).expect("a scene");
    has(
        &losses,
        "Beast/turns: an animation without a usable rig (its model has no root part: the joints form a cycle or do not \
         connect parts, or the bones are not in a part)",
    );
    assert!(made.animations.is_empty());
    let closed = rig(&[["A", "B"], ["B", "C"], ["C", "B"]], &turns);
    let (made, losses) = scene(&closed, None).expect("a scene");
    has(&losses, "Beast/B[2]: the joint is ignored, because another joint moves the same part");
    assert_eq!(made.animations.len(), 1);
    let alone = document(&turns);
    let unknown = scene(&alone, None).expect_err("no rig").to_string();
    assert!(unknown.contains("(it moves B; set the option rig to a model with these parts)"), "{unknown}");
    let junk = scene(&alone, Some(RigModel::Document(b"junk".to_vec().into()))).expect_err("no document");
    assert!(junk.to_string().starts_with("rig: the rig file cannot be read: "), "{junk}");
    let rig = RigModel::Document(closed.into());
    let (_, losses) = scene(&alone, Some(rig.clone())).expect("a scene");
    has(&losses, "Beast/B[2]: the joint is ignored, because another joint moves the same part");
    assert!(
        !losses.iter().any(|loss| loss.contains("without a usable rig")),
        "of the rig's own animation: {losses:?}"
    );
    let options = options(|all| all.scene.rig = Some(rig));
    let error = crate::open(crate::glb(&figure()).0, "a.glb").convert(None, "a.rbxm", &options);
    let error = error.expect_err("a circle").to_string();
    let what = "in the rig file, the joint Beast/B[2] moves the same part as Beast/B[1]";
    assert!(error.contains(what), "{error}");
}

/// Poses with constant easing become step interpolation in glTF, and are the same again when converted back.
#[test]
fn constant_keys_stay_keys() {
    let held = "<token name=\"EasingStyle\">1</token><token name=\"EasingDirection\">1</token><float name=\"Weight\">1</float>";
    let frame = |studs| up(&["Torso"], studs).replace("<float name=\"Weight\">1</float>", held);
    let text = document(&sequence("hold", "", &[("0", frame(0.0)), ("0.5", frame(1.0)), ("2", frame(3.0))]));
    let (made, _) = scene(&text, None).expect("a scene");
    for channel in &made.animations[0].channels {
        assert_eq!((channel.interpolation, &channel.times[..]), (Interpolation::Step, &[0.0, 0.5, 2.0][..]));
    }
    // The y axis of R6's torso pose is the z axis of the avatar.
    let height = |time| placed(&made, time)["Torso"][2] - placed(&made, 0.0)["Torso"][2];
    assert_eq!([height(0.49), height(0.5), height(1.99), height(2.0)].map(f32::round), [0.0, 1.0, 1.0, 3.0]);
    let glb = crate::glb(&made).0;
    let back = crate::open(crate::open(glb, "a.glb").made("a.rbxm"), "a.rbxm");
    assert_eq!(back.nodes("hold", 1).expect("nodes").children.len(), 3);
    assert_eq!(back.text("hold/Keyframe[1]/HumanoidRootPart/Torso.EasingStyle"), "Constant");
}

/// Facial controls are kept through glTF, as poses and as curves. Morph targets with their names become facial
/// controls.
#[test]
fn face_controls_come_back() {
    let number = |name: &str, value: f64| {
        item("NumberPose", name, &(field("double", "Value", value) + &field("float", "Weight", 1)), "")
    };
    let frame = |studs: f32, jaw: f64| {
        let controls = number("JawDrop", jaw) + &number("LeftEyeClosed", 1.0 - jaw);
        let face = pose("Head", 0.0, [0.0; 3], &item("Folder", "FaceControls", "", &controls));
        pose("HumanoidRootPart", 0.0, [0.0; 3], &pose("Torso", 1.0, [0.0, studs, 0.0], &face))
    };
    let text = document(&sequence("talk", "", &[("0", frame(0.0, 0.25)), ("0.5", frame(1.0, 0.75))]));
    let (made, losses) = scene(&text, None).expect("a scene");
    has(&losses, "no mesh of the rig has morph targets for the facial controls");
    let motion = crate::writer("anim").write(&made, "a", 1 << 28).expect("written");
    has(&motion.losses, "extras.FaceControls: extras, which a Second Life animation cannot contain");
    let glb = crate::glb(&made).0;
    let back = |curves: bool| {
        let options = options(|all| all.animation.curves = curves);
        crate::open(crate::open(&glb, "a.glb").made_with("a.rbxm", &options).0, "a.rbxm")
    };
    let poses = back(false);
    let face = "talk/Keyframe[1]/HumanoidRootPart/Torso/Head/FaceControls";
    let value = |name: &str| poses.text(&format!("{face}/{name}.Value"));
    assert_eq!([value("JawDrop"), value("LeftEyeClosed")], ["0.75", "0.25"]);
    let curves = back(true);
    assert_eq!(
        curves.nodes("talk/HumanoidRootPart/Torso/Head/FaceControls", 9).expect("nodes").children.len(),
        2
    );
    let (again, _) = crate::scene(curves.to_file(None).expect("bytes"), "a.rbxm");
    let kept = &again.animations[0].extras["FaceControls"];
    assert_eq!(
        *kept,
        serde_json::json!({"JawDrop": [[0.0, 0.25], [0.5, 0.75]], "LeftEyeClosed": [[0.0, 0.75], [0.5, 0.25]]})
    );
    // A mesh with two morph targets, one of them named as a facial control.
    let mut figure = figure();
    let point = |x: f32| rbxcore::geom::Vec3::new(x, 0.0, 1.0 - x);
    let mesh = rbxcore::geom::TriMesh {
        positions: vec![point(0.0), point(1.0), point(0.5)],
        triangles: vec![[0, 1, 2]],
        ..Default::default()
    };
    let mut primitive = rezkit::scene::Primitive::new(mesh, None);
    primitive.targets = ["smile", "JawDrop"]
        .map(|name| MorphTarget {
            name: name.into(),
            positions: vec![point(0.1); 3],
            ..MorphTarget::default()
        })
        .into();
    let node = crate::add_mesh(&mut figure, "face", TriMesh::default());
    figure.meshes[0].primitives = vec![primitive];
    let weights = Values::Weights(vec![0.0, 0.0, 1.0, 0.5]);
    figure.animations[0].channels.push(channel(node, &[0.0, 1.0], weights));
    let glb = crate::glb(&figure).0;
    let (made, losses) = crate::open(glb, "a.glb").made_with("a.rbxm", &ConvertOptions::new());
    has(&losses, "weights of morph targets that do not have the name");
    let made = crate::open(made, "a.rbxm");
    let frames = made.nodes("wave", 99).expect("nodes").children.len();
    let path =
        format!("wave/Keyframe[{}]/HumanoidRootPart/LowerTorso/UpperTorso/Head/FaceControls", frames - 1);
    assert_eq!(made.nodes(&path, 9).expect("controls").children.len(), 1);
    assert_eq!(made.text(&format!("{path}/JawDrop.Value")), "0.5");
}

/// `info` lists the properties of each animation.
#[test]
fn animations_are_described() {
    let stated = "<bool name=\"Loop\">true</bool><token name=\"Priority\">1000</token>";
    let first = sequence("idle", stated, &[("0", up(&["Torso"], 0.0)), ("1.5", up(&["Torso"], 1.0))]);
    let second = sequence("fly", "", &[("0", up(&["Wing"], 0.0))]);
    let opened = crate::open(document(&(first + &second)), "a.rbxmx");
    let facts = opened.info().facts;
    let fact = |name: &str| facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.clone());
    assert_eq!(fact("animations"), Some(FactValue::Count(2)));
    let said = ["idle (1.500 s, 2 keys, Core, looped, R6)", "fly (0.000 s, 1 key, no known rig)"];
    assert_eq!(fact("animation details"), Some(FactValue::List(said.map(str::to_owned).to_vec())));
}

/// Joints of BVH have the names of the parts, by which other programs find them, and the file can be read back.
#[test]
fn bvh_of_an_avatar_has_the_names_of_its_parts() {
    let up = |studs: f32| up(&["LowerTorso"], studs);
    let text = document(&sequence("hop", "", &[("0", up(0.0)), ("0.5", up(1.0))]));
    let convert = |bytes: Vec<u8>, from: &str, to: &str| {
        crate::open(bytes, from).convert(None, to, &ConvertOptions::new())
    };
    let bvh = convert(text, "a.rbxmx", "a.bvh").expect("BVH").files.remove(0).bytes;
    assert!(String::from_utf8_lossy(&bvh).starts_with("HIERARCHY\nROOT LowerTorso\n"));
    convert(bvh, "a.bvh", "b.rbxmx").expect("an animation");
}
