//! Animations that become KeyframeSequences: those of Roblox's rigs unchanged, others by their rest poses.

use std::collections::HashMap;

use rezkit::scene::{Animation, Channel, Interpolation, Node, Scene, Transform, Values};
use rezkit::{ConvertOptions, open};

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
    let name = format!("a.{kind}");
    let (back, _) = crate::scene_of(&written.bytes, &name, &Default::default(), &mut ()).expect("readable");
    (back, written.losses.iter().map(ToString::to_string).collect())
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
    let channel = |name: &str, degrees: f32, axis: usize| Channel {
        node: nodes[name],
        times: vec![0.0, 1.0],
        values: Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], turn(degrees, axis)]),
        interpolation: Interpolation::Linear,
    };
    let hips = Channel {
        node: nodes["Hips"],
        times: vec![0.0, 1.0],
        values: Values::Translation(vec![[0.0, 1.0, 0.0], [0.0, 0.8, 0.3]]),
        interpolation: Interpolation::Linear,
    };
    let channels = vec![
        channel("LeftArm", 70.0, 2),
        channel("LeftForeArm", -60.0, 1),
        channel("RightArm", 40.0, 0),
        channel("RightForeArm", -90.0, 2),
        channel("LeftLeg", 50.0, 0),
        channel("Spine1", 25.0, 1),
        hips,
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
    let pose = |turn: f32, x: f32| {
        let (s, c) = turn.sin_cos();
        format!(
            "<Item class=\"Pose\"><Properties><string name=\"Name\">Torso</string><float name=\"Weight\">0</float></Properties>\
             <Item class=\"Pose\"><Properties><string name=\"Name\">Head</string><float name=\"Weight\">1</float>\
             <CoordinateFrame name=\"CFrame\"><X>{x}</X><Y>0</Y><Z>0</Z><R00>{c}</R00><R01>0</R01><R02>{s}</R02><R10>0</R10>\
             <R11>1</R11><R12>0</R12><R20>{}</R20><R21>0</R21><R22>{c}</R22></CoordinateFrame></Properties></Item></Item>",
            -s
        )
    };
    let frame = |time: f32, pose: String| {
        format!(
            "<Item class=\"Keyframe\"><Properties><float name=\"Time\">{time}</float></Properties>{pose}</Item>"
        )
    };
    let text = format!(
        "<roblox version=\"4\"><Item class=\"KeyframeSequence\"><Properties><string name=\"Name\">nod</string>\
         <bool name=\"Loop\">false</bool><token name=\"Priority\">3</token></Properties>{}{}{}</Item></roblox>",
        frame(0.0, pose(0.0, 0.0)),
        frame(0.25, pose(0.5, 0.1)),
        frame(1.5, pose(-0.25, 0.0))
    );
    let mut opened = open(text.clone().into_bytes(), "a.rbxmx", ()).expect("readable");
    let glb = opened.convert(Some("glb"), "a.glb", &ConvertOptions::new()).expect("converted");
    let mut opened = open(glb.files[0].bytes.clone(), "a.glb", ()).expect("readable");
    for kind in ["rbxm", "rbxmx"] {
        let back = opened.convert(None, &format!("b.{kind}"), &ConvertOptions::new()).expect("converted");
        let back = open(back.files[0].bytes.clone(), "b", ()).expect("readable");
        let get = |path: &str| back.get(path).unwrap_or_else(|error| panic!("{error}")).summary(200);
        assert_eq!([get("nod.Loop"), get("nod.Priority"), get("nod.Name")], ["false", "Action2", "\"nod\""]);
        let tree = back.nodes("nod", 1).expect("a sequence");
        assert_eq!(tree.children.len(), 3);
        let floats =
            |text: &str| text.split(", ").map(|part| part.parse().expect("a number")).collect::<Vec<f32>>();
        for (index, (time, turn, x)) in
            [(0.0, 0.0, 0.0), (0.25, 0.5, 0.1), (1.5, -0.25, 0.0_f32)].into_iter().enumerate()
        {
            let frame = format!("nod/Keyframe[{index}]").replace("[0]", "");
            assert_eq!(get(&format!("{frame}.Time")).parse::<f32>().expect("a number"), time);
            let head = floats(&get(&format!("{frame}/HumanoidRootPart/Torso/Head.CFrame")));
            let (s, c) = f32::sin_cos(turn);
            for (found, wanted) in head.iter().zip([x, 0.0, 0.0, c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c]) {
                assert!((found - wanted).abs() < 1e-5, "{head:?}");
            }
            assert_eq!(get(&format!("{frame}/HumanoidRootPart/Torso.Weight")), "0");
        }
    }
}

/// Curves and keyframes give the same positions within 0.01 studs, even if Euler angles wrap around.
#[test]
fn curves_are_the_same_animation() {
    use rezkit::scene::roblox::AnimationOptions;
    let mut scene = figure();
    // More than 90 degrees about the middle axis.
    if let Values::Rotation(turns) = &mut scene.animations[0].channels[1].values {
        let (sine, cosine) = 75.0_f32.to_radians().sin_cos();
        turns[1] = [0.1 * sine, 0.99 * sine, 0.1 * sine, cosine];
    }
    let glb = crate::writer("glb").write(&scene, "a", 1 << 28).expect("written").bytes;
    let convert = |curves: bool| {
        let mut options = AnimationOptions::default();
        (options.curves, options.tolerance) = (curves, Some([0.01, 0.001]));
        let options = ConvertOptions::new().animation(options);
        let mut opened = open(glb.clone(), "a.glb", ()).expect("readable");
        let made = opened.convert(None, "a.rbxm", &options).expect("converted").files[0].bytes.clone();
        let opened = open(made.clone(), "a.rbxm", ()).expect("readable");
        let class = opened.nodes("", 1).expect("nodes").children[0].kind.clone();
        let (scene, _) = crate::scene_of(&made, "a.rbxm", &Default::default(), &mut ()).expect("a scene");
        (class.to_string(), scene)
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
    let pose = "<Item class=\"Pose\"><Properties><string name=\"Name\">Torso</string><float name=\"Weight\">0</float></Properties>\
        <Item class=\"Pose\"><Properties><string name=\"Name\">Head</string><float name=\"Weight\">1</float></Properties></Item></Item>";
    let marker = "<Item class=\"KeyframeMarker\"><Properties><string name=\"Name\">Step</string>\
        <string name=\"Value\">left foot</string></Properties></Item>";
    let frame = |name: &str, time: f32, more: &str| {
        format!(
            "<Item class=\"Keyframe\"><Properties><string name=\"Name\">{name}</string><float name=\"Time\">{time}</float></Properties>\
             {pose}{more}</Item>"
        )
    };
    let turned = pose.replace("1</float></Properties>", "1</float><CoordinateFrame name=\"CFrame\"><X>0</X><Y>0</Y><Z>0</Z><R00>0</R00><R01>0</R01>\
        <R02>1</R02><R10>0</R10><R11>1</R11><R12>0</R12><R20>-1</R20><R21>0</R21><R22>0</R22></CoordinateFrame></Properties>");
    let text = format!(
        "<roblox version=\"4\"><Item class=\"KeyframeSequence\"><Properties><string name=\"Name\">walk</string></Properties>{}{}{}{}\
         </Item></roblox>",
        frame("Keyframe", 0.0, ""),
        frame("Land", 0.5, marker),
        // Files store keyframes in any order.
        frame("Keyframe", 0.25, &marker.replace("left", "right")),
        frame("Keyframe", 1.0, "").replace(pose, &turned)
    );
    let mut options = rezkit::scene::roblox::AnimationOptions::default();
    let mut bytes = text.into_bytes();
    for curves in [false, true, true] {
        let mut opened = open(bytes.clone(), "a.rbxmx", ()).expect("readable");
        let glb = opened.convert(Some("glb"), "a.glb", &ConvertOptions::new()).expect("converted");
        let mut opened = open(glb.files[0].bytes.clone(), "a.glb", ()).expect("readable");
        options.curves = curves;
        let made =
            opened.convert(None, "b.rbxmx", &ConvertOptions::new().animation(options)).expect("converted");
        bytes = made.files[0].bytes.clone();
        let back = open(bytes.clone(), "b.rbxmx", ()).expect("readable");
        let get = |path: &str| back.get(path).unwrap_or_else(|error| panic!("{error}")).summary(200);
        match curves {
            false => {
                assert_eq!(get("walk/Land.Time"), "0.5");
                assert_eq!(get("walk/Land/Step.Value"), "\"left foot\"");
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
        let mut opened = open(bytes.to_vec(), name, ()).expect("readable");
        let findings = opened.check(&["roblox-animation"]).expect("checked");
        let of_profile = findings.iter().filter(|finding| finding.rule.starts_with("roblox-animation."));
        of_profile.map(|finding| format!("{} {}: {}", finding.rule, finding.path, finding.found)).collect()
    };
    let mut options = rezkit::scene::roblox::AnimationOptions::default();
    options.curves = true;
    let convert = |scene: &Scene| {
        let glb = crate::writer("glb").write(scene, "a", 1 << 28).expect("written").bytes;
        let mut opened = open(glb, "a.glb", ()).expect("readable");
        let options = ConvertOptions::new().animation(options);
        opened.convert(None, "a.rbxmx", &options).expect("converted").files[0].bytes.clone()
    };
    let sequence = "<roblox version=\"4\"><Item class=\"KeyframeSequence\"><Item class=\"Keyframe\"><Properties>\
        <float name=\"Time\">-3</float></Properties></Item></Item></roblox>";
    let keys = "roblox-animation.keys KeyframeSequence/Keyframe: found a keyframe at -3 s; the time must be finite \
        and at least 0";
    assert!(found(sequence.as_bytes(), "a.rbxmx").contains(&keys.to_owned()));
    // A converted animation only lacks the data of the rig.
    let rig = "roblox-animation.rig-data wave: expected one child of class AnimationRigData, found 0";
    assert_eq!(found(&convert(&figure()), "a.rbxmx"), [rig]);
    // 25 times as fast, and then 11 times as long.
    let mut fast = figure();
    let times = fast.animations[0].channels.iter_mut().flat_map(|channel| &mut channel.times);
    times.for_each(|time| *time *= 0.04);
    let fast = found(&convert(&fast), "a.rbxmx");
    assert!(
        fast.iter().any(|found| found
            .starts_with("roblox-animation.rotation-speed wave/RightLowerArm: expected at most 1750")),
        "{fast:#?}"
    );
    let mut long = figure();
    let times = long.animations[0].channels.iter_mut().flat_map(|channel| &mut channel.times);
    times.for_each(|time| *time *= 11.0);
    assert_eq!(
        found(&convert(&long), "a.rbxmx"),
        [rig, "roblox-animation.length wave: the animation lasts 11 s"]
    );
    // A class that is not allowed in an animation, and tags.
    let text = String::from_utf8(convert(&figure())).expect("text");
    let part = "<Item class=\"Part\" referent=\"p\"><Properties><string name=\"Name\">Box</string>\
        <BinaryString name=\"Tags\">QQ==</BinaryString></Properties></Item><Item class=\"AnimationRigData\" referent=\"d\">\
        <Properties><string name=\"Name\">Rig</string></Properties></Item>";
    let end = text.rfind("</Item>").expect("an item");
    let wrong = found(format!("{}{part}{}", &text[..end], &text[end..]).as_bytes(), "a.rbxmx");
    assert_eq!(
        wrong,
        [
            "roblox-animation.classes wave/Box: found an instance of class Part",
            "roblox-animation.tags wave/Box: the instance has tags (remove them)"
        ]
    );
    let still =
        found(&crate::writer("glb").write(&Scene::default(), "a", 1 << 20).expect("written").bytes, "a.glb");
    assert_eq!(still, ["roblox-animation.none : found no animation"]);
    // Two equal keys with a rotation, which rounding changes between them.
    let key = |time: u32| {
        format!(
            "<Item class='Keyframe'><Properties><float name='Time'>{time}</float></Properties><Item class='Pose'>\
             <Properties><string name='Name'>HumanoidRootPart</string></Properties><Item class='Pose'><Properties>\
             <string name='Name'>LowerTorso</string><CoordinateFrame name='CFrame'><X>0</X><Y>0</Y><Z>0</Z>\
             <R00>0.996545732</R00><R01>-0.0830454677</R01><R02>0</R02><R10>0.0830454677</R10><R11>0.996545732</R11>\
             <R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame></Properties></Item></Item></Item>"
        )
    };
    let equal = format!(
        "<roblox version='4'><Item class='KeyframeSequence'><Properties><string name='Name'>A</string></Properties>{}{}\
         </Item></roblox>",
        key(0),
        key(1)
    );
    let equal = found(equal.as_bytes(), "a.rbxmx");
    let rule = "roblox-animation.still A: no part has two keys with different poses".to_owned();
    assert!(equal.contains(&rule), "{equal:?}");
    // An animation without a pose cannot be converted.
    let alone = b"<roblox version='4'><Item class='KeyframeSequence'><Properties><string name='Name'>W</string>\
        </Properties><Item class='Keyframe'><Properties><float name='Time'>1</float></Properties></Item></Item></roblox>";
    let unposed = found(alone, "a.rbxmx");
    assert!(
        unposed.contains(&"roblox-animation.still W: the animation has no keys".to_owned()),
        "{unposed:?}"
    );
    let none = "roblox-animation.none : found 1 animation, but none that can be converted";
    assert!(unposed.contains(&none.to_owned()), "{unposed:?}");
}

/// Options of animations have an effect, or are refused.
#[test]
fn options_of_animations() {
    use rezkit::scene::slmesh::{Loop, MotionOptions};
    let mut figure = figure();
    // An arm that does not move at first, and then rotates by 10 degrees.
    let channel = &mut figure.animations[0].channels[0];
    channel.times = vec![0.0, 0.9, 1.0];
    let (sine, cosine) = 5.0_f32.to_radians().sin_cos();
    channel.values =
        Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, sine, cosine]]);
    let glb = crate::writer("glb").write(&figure, "a", 1 << 28).expect("written").bytes;
    let convert =
        |name: &str, change: &dyn Fn(&mut MotionOptions, &mut rezkit::scene::roblox::AnimationOptions)| {
            let (mut motion, mut animation) = Default::default();
            change(&mut motion, &mut animation);
            let options = ConvertOptions::new().motion(motion).animation(animation);
            let made = open(glb.clone(), "a.glb", ()).expect("readable").convert(None, name, &options)?;
            open(made.files[0].bytes.clone(), name, ())
        };
    let made =
        convert("a.rbxm", &|motion, _| (motion.priority, motion.looped) = (Some(1000), Some(Loop::Off)));
    let made = made.expect("converted");
    let get = |path: &str| made.get(path).expect("a value").summary(80);
    assert_eq!([get("wave.Priority"), get("wave.Loop")], ["Core", "false"]);
    let frames = |tolerance: [f32; 2]| {
        let made =
            convert("a.rbxm", &|_, animation| animation.tolerance = Some(tolerance)).expect("converted");
        made.nodes("wave", 1).expect("nodes").children.len()
    };
    assert!(frames([20.0, 1.0]) < frames([0.01, 0.0001]));
    type Change = dyn Fn(&mut MotionOptions, &mut rezkit::scene::roblox::AnimationOptions);
    let refused: [(&str, &Change, &str); 6] = [
        ("a.rbxm", &|motion, _| motion.priority = Some(6), "priority: for Roblox, expected idle"),
        ("a.rbxm", &|motion, _| motion.looped = Some(Loop::Between(0.0, 1.0)), "loop: expected on or off"),
        (
            "a.rbxm",
            &|motion, _| motion.hand_pose = Some(1),
            "the option hand-pose applies only to animations that are written for Second Life or to glTF",
        ),
        ("a.rbxm", &|_, animation| animation.tolerance = Some([0.0, 1.0]), "above 0"),
        (
            "a.anim",
            &|_, animation| animation.curves = true,
            "the option curves applies only to animations that are written to Roblox files",
        ),
        (
            "a.glb",
            &|_, animation| animation.curves = true,
            "the option curves applies only to animations that are written to Roblox files",
        ),
    ];
    for (name, change, text) in refused {
        let error = convert(name, change).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(text), "{name}: {error}");
    }
}

/// Meshes without an animation are refused.
#[test]
fn what_has_no_animation_is_refused() {
    let error = crate::writer("rbxm").write(&Scene::default(), "a", 1 << 20).expect_err("nothing");
    assert!(error.to_string().contains("the scene has none"), "{error}");
}

/// If a file has no instances, `insert` inserts its animations.
#[test]
fn an_animation_is_inserted_into_a_place() {
    let place = "<roblox version=\"4\"><Item class=\"Model\"><Properties><string name=\"Name\">Dummy</string></Properties></Item></roblox>";
    let glb = crate::writer("glb").write(&figure(), "a", 1 << 28).expect("written").bytes;
    let mut opened = open(place.as_bytes().to_vec(), "a.rbxmx", ()).expect("readable");
    let edits = rezkit::Edit::parse("insert wave.glb Dummy").expect("an edit");
    let edited =
        opened.edit(&edits, &mut |_: &rezkit::Reference, _: u64| Ok(Some(glb.clone()))).expect("inserted");
    assert!(edited.losses.iter().any(|loss| loss.what.contains("retargeted to R15")), "{:?}", edited.losses);
    let kind = opened.nodes("Dummy/wave", 0).expect("there").kind;
    assert_eq!(kind, "KeyframeSequence");
    // A mesh has no animation, so it is refused and nothing is changed.
    let mesh = testkit::fixture("rbxmesh", "v2_00.mesh");
    let error = opened
        .edit(&edits, &mut |_: &rezkit::Reference, _: u64| Ok(Some(mesh.clone())))
        .expect_err("no animation");
    assert!(error.to_string().starts_with("wave.glb: "), "{error}");
}

/// The commands of the guide, in order, in one folder.
#[test]
#[cfg(all(unix, feature = "cli"))]
fn the_commands_of_the_guide_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let glb = crate::writer("glb").write(&figure(), "wave", 1 << 28).expect("written").bytes;
    std::fs::write(folder.path().join("wave.glb"), glb).expect("written");
    let place = "<roblox version=\"4\"><Item class=\"Workspace\"><Properties><string name=\"Name\">Workspace</string></Properties>\
                 <Item class=\"Part\"><Properties><string name=\"Name\">Floor</string></Properties></Item></Item></roblox>";
    std::fs::write(folder.path().join("place.rbxlx"), place).expect("written");
    assert_eq!(crate::guide::runs("docs/guide/animations.md", folder.path()), 11);
    // The picture does not show the avatar of the place's animation.
    let bytes = std::fs::read(folder.path().join("place.glb")).expect("written");
    let (scene, _) = crate::scene_of(&bytes, "place.glb", &Default::default(), &mut ()).expect("a scene");
    assert_eq!((scene.animations.len(), scene.triangle_count()), (1, 12));
    let bounds = scene.bounds().expect("a floor");
    assert_eq!((bounds.max - bounds.min).to_array(), [4.0, 1.2, 2.0]);
}

/// Euler angles are not unique if the second one is 90 degrees: for such an animation another order of axes is used.
#[test]
fn curves_turn_as_keys_do() {
    use crate::rigs::{document, item, scene};
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
        let rows = rows(turn).into_iter().enumerate();
        let numbers =
            rows.flat_map(|(row, values)| (0..3).map(move |at| (format!("R{row}{at}"), values[at])));
        let numbers: String = numbers.map(|(tag, value)| format!("<{tag}>{value}</{tag}>")).collect();
        let frame =
            format!("<CoordinateFrame name=\"CFrame\"><X>0</X><Y>0</Y><Z>0</Z>{numbers}</CoordinateFrame>");
        let torso = item("Pose", "", "Torso", "", &item("Pose", "", "Right Arm", &frame, ""));
        let poses = item("Pose", "", "HumanoidRootPart", "", &torso);
        item("Keyframe", "", "Keyframe", &format!("<float name=\"Time\">{time}</float>"), &poses)
    };
    let turns = [(0.0, [20.0, 70.0, 0.0]), (0.05, [0.0, 90.0, 45.0]), (0.1, [80.0, 80.0, -60.0])];
    let frames: String = turns.map(frame).concat();
    let text = document(&item("KeyframeSequence", "", "turn", "", &frames)).replace(" referent=\"\"", "");
    let (made, _) = scene(&text, None).expect("a scene");
    let glb = crate::writer("glb").write(&made, "a", 1 << 28).expect("written").bytes;
    let mut animation = rezkit::scene::roblox::AnimationOptions::default();
    animation.curves = true;
    let options = ConvertOptions::new().animation(animation);
    let mut opened = open(glb, "a.glb", ()).expect("readable");
    let curves = opened.convert(None, "a.rbxmx", &options).expect("converted").files[0].bytes.clone();
    let (back, _) = scene(std::str::from_utf8(&curves).expect("XML"), None).expect("a scene");
    let arm = |scene: &Scene, time: f32| {
        let node = scene.nodes.iter().position(|node| node.name == "Right Arm pose").expect("an arm");
        scene.pose_at(0, time).transforms[node].rotation
    };
    for step in 0..=100_u8 {
        let time = f32::from(step) / 1000.0;
        let [[ax, ay, az, aw], [bx, by, bz, bw]] = [arm(&made, time), arm(&back, time)];
        // The vector part of inverse(a) * b: its length is the sine of half the angle between them.
        let x = aw * bx - ax * bw - ay * bz + az * by;
        let y = aw * by + ax * bz - ay * bw - az * bx;
        let z = aw * bz - ax * by + ay * bx - az * bw;
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
    let mut document = rbxbinary::Document::new();
    let key = rbxbinary::NewInstance::new("FloatCurve").property("Name", "X");
    let key = key.property("ValuesAndTimes", curve.to_vec().expect("written"));
    let animation = rbxbinary::NewInstance::new("CurveAnimation").property("Name", "A").child(key);
    document.insert(None, animation).expect("inserted");
    // The profile reads a scene, which needs something visible.
    document.insert(None, rbxbinary::NewInstance::new("Part").property("Name", "P")).expect("inserted");
    let mut opened = open(rbxbinary::to_vec(&document).expect("written"), "a", ()).expect("readable");
    let found = opened.check(&["roblox-animation"]).expect("checked");
    let of_keys = found.iter().find(|found| found.rule == "roblox-animation.keys");
    let Some(found) = of_keys else { panic!("{found:?}") };
    assert_eq!(found.found, "the key at 1.0000 s comes after the key at 2.0000 s in the list");
}
