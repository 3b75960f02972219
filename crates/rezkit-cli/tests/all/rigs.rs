//! The parts that animations move: requested rigs, and avatars with their tools.

use crate::{Ask as _, near};
use rezkit::scene::{RigModel, Scene, SceneOptions};
use rezkit::{ConvertOptions, ErrorKind};

use crate::keyframes::{direction, figure, placed};
use crate::xml::{UNTURNED, at, binary, cframe, document, field, item, sized, vector, with_id};

/// A rotation by 90 degrees about x, row by row.
const QUARTER: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0];

pub(crate) fn part(name: &str, place: [f32; 3], turn: [f32; 9], inner: &str) -> String {
    let properties = cframe("CFrame", place, turn) + &vector("size", [1.0; 3]);
    with_id(name, item("Part", name, &properties, inner))
}

/// A joint, with its frames in both parts.
pub(crate) fn motor(part0: &str, part1: &str, [c0, c1]: [([f32; 3], [f32; 9]); 2]) -> String {
    let frames = cframe("C0", c0.0, c0.1) + &cframe("C1", c1.0, c1.1);
    let parts = field("Ref", "Part0", part0) + &field("Ref", "Part1", part1);
    item("Motor6D", part1, &(frames + &parts), "")
}

pub(crate) fn pose(name: &str, weight: f32, place: [f32; 3], inner: &str) -> String {
    item("Pose", name, &(field("float", "Weight", weight) + &cframe("CFrame", place, UNTURNED)), inner)
}

pub(crate) fn keyframe(time: impl std::fmt::Display, poses: &str) -> String {
    item("Keyframe", "Keyframe", &field("float", "Time", time), poses)
}

/// A sequence of two keyframes, a second apart.
fn sequence(poses: [String; 2]) -> String {
    let [first, second] = poses;
    item("KeyframeSequence", "move", "", &(keyframe(0, &first) + &keyframe(1, &second)))
}

pub(crate) fn scene(text: impl AsRef<[u8]>, rig: Option<RigModel>) -> rezkit::Result<(Scene, Vec<String>)> {
    let mut options = SceneOptions::default();
    options.rig = rig;
    let (scene, losses) = rezkit::open(text.as_ref().to_vec(), "a.rbxmx", ())?.scene(&options)?;
    Ok((scene, crate::texts(&losses)))
}

/// Converts the animation of a scene into a sequence for a rig, and plays it on the rig.
fn played(of: &Scene, rig: &RigModel) -> Scene {
    let glb = crate::writer("glb").write(of, "a", 1 << 28).expect("written");
    let mut options = SceneOptions::default();
    options.rig = Some(rig.clone());
    let mut opened = crate::open(glb.bytes, "a.glb");
    let made = opened.convert(None, "b.rbxmx", &ConvertOptions::new().scene(options)).expect("converted");
    scene(std::str::from_utf8(&made.files[0].bytes).expect("XML"), Some(rig.clone())).expect("a scene").0
}

/// Rotates by 180 degrees about y: Mixamo's figures face +z, Roblox's -z.
fn turned([x, y, z]: [f32; 3]) -> [f32; 3] {
    [-x, y, -z]
}

fn degrees_between(a: [f32; 3], b: [f32; 3]) -> f32 {
    let cosine: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    cosine.clamp(-1.0, 1.0).acos().to_degrees()
}

/// The limbs of R6, which are vertical at rest, point to the hands and the feet.
#[test]
fn r6_is_posed_as_another_rig_is() {
    let figure = figure();
    let back = played(&figure, &RigModel::R6);
    assert!(back.nodes.iter().any(|node| node.name == "Right Leg pose"));
    for time in [0.0, 0.3, 0.5, 1.0] {
        let its = placed(&figure, time);
        let world = back.world_matrices(&back.pose_at(0, time).transforms);
        for (from, to, part) in [
            ("LeftArm", "LeftHand", "Left Arm"),
            ("RightArm", "RightHand", "Right Arm"),
            ("LeftUpLeg", "LeftFoot", "Left Leg"),
            ("RightUpLeg", "RightFoot", "Right Leg"),
        ] {
            let wanted = turned(direction(&its, &format!("mixamorig:{from}"), &format!("mixamorig:{to}")));
            let node = back.nodes.iter().position(|node| node.name == part).expect("a part");
            let [x, y, z, _] = world[node][1];
            let apart = degrees_between(wanted, [-x, -y, -z]);
            assert!(apart < 1.0, "{part} at {time}: {apart} degrees");
        }
    }
}

/// A custom rig whose parts and joints are rotated at rest: its parts are found by their names.
#[test]
fn a_rig_of_a_file_is_posed() {
    let mut figure = figure();
    for node in &mut figure.nodes {
        node.name = node.name.trim_start_matches("mixamorig:").to_owned();
    }
    // The parts are rotated by 90 degrees, and the frames of joints undo this.
    let back: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0];
    let joint =
        |part0, part1, place: [f32; 3]| motor(part0, part1, [(place, UNTURNED), ([0.0; 3], UNTURNED)]);
    let model = item(
        "Model",
        "Bot",
        "",
        &[
            part("Root", [0.0, 5.0, 0.0], UNTURNED, ""),
            part("Hips", [0.0, 5.0, 0.0], QUARTER, ""),
            part("Spine1", [0.0, 8.0, 0.0], QUARTER, ""),
            part("LeftArm", [-1.0, 8.0, 0.0], QUARTER, ""),
            part("LeftForeArm", [-1.0, 6.5, 0.0], QUARTER, ""),
            part("LeftHand", [-1.0, 5.0, 0.0], QUARTER, ""),
            motor("Root", "Hips", [([0.0; 3], QUARTER), ([0.0; 3], UNTURNED)]),
            joint("Hips", "Spine1", [0.0, 0.0, -3.0]),
            // The same joint with other frames.
            motor("Spine1", "LeftArm", [([-1.0, 0.0, 0.0], back), ([0.0; 3], back)]),
            joint("LeftArm", "LeftForeArm", [0.0, 0.0, 1.5]),
            joint("LeftForeArm", "LeftHand", [0.0, 0.0, 1.5]),
        ]
        .concat(),
    );
    let rig = RigModel::Document(document(&model).into());
    let back = played(&figure, &rig);
    for time in [0.0, 0.3, 0.5, 1.0] {
        let (its, own) = (placed(&figure, time), placed(&back, time));
        for (from, to) in [("LeftArm", "LeftForeArm"), ("LeftForeArm", "LeftHand")] {
            let wanted = turned(direction(&its, from, to));
            let apart = degrees_between(wanted, direction(&own, &format!("{from} C0"), &format!("{to} C0")));
            assert!(apart < 1.0, "{from} at {time}: {apart} degrees");
        }
    }
}

/// A sequence without a rig moves the rig of another file: `part1 = part0 * C0 * Transform * C1^-1`.
#[test]
fn a_sequence_without_a_rig_moves_that_of_a_file() {
    let rig = item(
        "Model",
        "Crane",
        "",
        &[
            part("Base", [10.0, 1.0, 0.0], UNTURNED, ""),
            part("Arm", [10.0, 3.0, 0.0], UNTURNED, ""),
            motor("Base", "Arm", [([0.0, 1.0, 0.0], UNTURNED), ([0.0, -1.0, 0.0], UNTURNED)]),
        ]
        .concat(),
    );
    let poses = [[0.0; 3], [0.0, 0.0, 4.0]].map(|at| pose("Base", 0.0, [0.0; 3], &pose("Arm", 1.0, at, "")));
    let text = document(&sequence(poses));
    let missing = scene(&text, None).expect_err("nothing to draw").to_string();
    assert!(missing.contains("Arm"), "{missing}");
    let rig = RigModel::Document(document(&rig).into());
    let (found, losses) = scene(&text, Some(rig.clone())).expect("a scene");
    crate::has(&losses, "applied to the rig \"Crane\"");
    assert_eq!(placed(&found, 0.5)["Arm"], [10.0, 3.0, 2.0]);
    // A rig that no animation needs, and a rig without joints, are refused.
    let still =
        scene(document(&part("A", [0.0; 3], UNTURNED, "")), Some(RigModel::R6)).expect_err("not needed");
    assert_eq!((still.kind(), still.path()), (ErrorKind::Argument, "rig"));
    let loose = RigModel::Document(document(&part("A", [0.0; 3], UNTURNED, "")).into());
    assert_eq!(scene(&text, Some(loose)).expect_err("no joints").path(), "rig");
}

fn arm(more: &str) -> Vec<u8> {
    document(&crane(more))
}

/// An arm that an animation turns by 90 degrees about x and moves by 4 along z. Its joint is at (1, 5, 0).
pub(crate) fn crane(more: &str) -> String {
    let turned = field("float", "Weight", 1) + &cframe("CFrame", [0.0, 0.0, 4.0], QUARTER);
    let poses = [pose("Arm", 1.0, [0.0; 3], ""), item("Pose", "Arm", &turned, "")];
    let parts = [
        more.to_owned(),
        part("HumanoidRootPart", [0.0, 5.0, 0.0], UNTURNED, ""),
        part("Arm", [2.0, 5.0, 0.0], UNTURNED, &attachment("At", [0.0, 0.0, -3.0])),
        motor("HumanoidRootPart", "Arm", [([1.0, 0.0, 0.0], UNTURNED), ([-1.0, 0.0, 0.0], UNTURNED)]),
        sequence(poses.map(|arm| pose("HumanoidRootPart", 0.0, [0.0; 3], &arm))),
    ];
    item("Model", "Crane", "", &parts.concat())
}

fn attachment(name: &str, place: [f32; 3]) -> String {
    with_id(name, item("Attachment", name, &at(place), ""))
}

/// A weld holds both of its parts, whichever is the first: `W1 = W0 * C0 * C1^-1`, or as they are placed.
#[test]
fn what_is_welded_to_a_moving_part_follows() {
    let weld = |class: &str, frames: [&str; 2], more: &str| {
        let parts = field("Ref", frames[0], "Arm") + &field("Ref", frames[1], "Held");
        item(class, "Weld", &(parts + more), "")
    };
    let (to, from) = (["Part0", "Part1"], ["Part1", "Part0"]);
    let internal = |[a, b]: [&str; 2]| [format!("{a}Internal"), format!("{b}Internal")];
    let frame = |name: &str| cframe(name, [0.0, 0.0, -3.0], UNTURNED);
    // Three studs along the arm, and from there by the inverse of a frame: (0, 1, 0) in axes turned by 90 degrees.
    let (c0, turned) = (frame("C0"), frame("C1") + &cframe("C0", [0.0, 1.0, 0.0], QUARTER));
    let (along, beside) = ([2.0, 5.0, -3.0], [2.0, 5.0, -2.0]);
    let [named, back] = [to, from].map(internal);
    let attached = field("Ref", "Attachment0", "Own") + &field("Ref", "Attachment1", "At");
    let off = c0.clone() + "<bool name=\"Enabled\">false</bool>";
    let cases = [
        (weld("Weld", to, &c0), along, [2.0, 8.0, 4.0]),
        (weld("Weld", from, &turned), beside, [2.0, 7.0, 4.0]),
        (weld("ManualWeld", from, &turned), beside, [2.0, 7.0, 4.0]),
        (weld("Snap", from, &turned), beside, [2.0, 7.0, 4.0]),
        (weld("Motor6D", from, &turned), beside, [2.0, 7.0, 4.0]),
        (weld("WeldConstraint", [&named[0], &named[1]], ""), along, [2.0, 8.0, 4.0]),
        (weld("WeldConstraint", [&back[0], &back[1]], ""), beside, [2.0, 7.0, 4.0]),
        (item("RigidConstraint", "Rigid", &attached, ""), along, [2.0, 8.0, 4.0]),
        (weld("Weld", to, &off), along, along),
    ];
    for (joint, place, wanted) in cases {
        // The part is before the arm in the file.
        let own = attachment("Own", [0.0; 3]);
        let (found, losses) =
            scene(arm(&part("Held", place, UNTURNED, &(own + &joint))), None).expect(&joint);
        assert_eq!(losses, [""; 0], "{joint}");
        near(&joint, &placed(&found, 0.0)["Held"], &place, 1e-5);
        near(&joint, &placed(&found, 1.0)["Held"], &wanted, 1e-5);
    }
}

/// Lights in an animated part and in its attachments move with it. A rope between parts does not.
#[test]
fn lights_of_a_moving_part_follow() {
    let held = [field("Ref", "Part0Internal", "Held"), field("Ref", "Part1Internal", "Arm")].concat();
    let inner = [
        item("SpotLight", "Spot", "<token name=\"Face\">5</token>", ""),
        with_id(
            "End",
            item("Attachment", "End", &at([0.0, 0.0, -3.0]), &item("PointLight", "Torch", "", "")),
        ),
        item("WeldConstraint", "Weld", &held, ""),
    ];
    let lamp = part("Held", [2.0, 5.0, -2.0], UNTURNED, &item("PointLight", "Lamp", "", ""));
    let ends = field("Ref", "Attachment0", "End") + &field("Ref", "Attachment1", "Hook");
    let rope = item("RopeConstraint", "Rope", &(ends + "<bool name=\"Visible\">true</bool>"), "");
    let ceiling = part("Ceiling", [2.0, 20.0, 0.0], UNTURNED, &attachment("Hook", [0.0; 3]));
    let text = String::from_utf8(arm(&(lamp + &rope + &ceiling))).expect("XML");
    let empty = item("Attachment", "At", &at([0.0, 0.0, -3.0]), "");
    let (found, losses) = scene(text.replace(&with_id("At", empty), &inner.concat()), None).expect("a scene");
    assert_eq!(losses.len(), 1, "{losses:?}");
    crate::has(&losses, "Rope: a rope or rod at a part that an animation moves stays where it is");
    for (time, wanted) in [
        (0.0, [[2.0, 5.0, 0.0], [2.0, 5.0, -3.0], [2.0, 5.0, -2.0]]),
        (1.0, [[2.0, 5.0, 4.0], [2.0, 8.0, 4.0], [2.0, 7.0, 4.0]]),
    ] {
        let places = placed(&found, time);
        for (name, wanted) in ["Spot", "Torch", "Lamp"].into_iter().zip(&wanted) {
            near(name, &places[name], wanted, 1e-5);
        }
    }
    // The spotlight shines along -z, and a quarter turn about x turns that upwards.
    let spot = found.nodes.iter().position(|node| node.name == "Spot").expect("a light");
    let [x, y, z, _] = found.world_matrices(&found.pose_at(0, 1.0).transforms)[spot][2];
    near("the spotlight", &[-x, -y, -z], &[0.0, 1.0, 0.0], 1e-5);
}

/// Welded parts can have joints, and other welded parts; what is welded to the root stays where it is in the tree.
#[test]
fn welds_are_followed_to_other_joints() {
    let weld = |part0: &str, part1: &str| {
        let parts = field("Ref", "Part0Internal", part0) + &field("Ref", "Part1Internal", part1);
        item("WeldConstraint", "Weld", &parts, "")
    };
    let more = [
        // A hat whose weld would make it the root.
        part("Hat", [0.0, 6.0, 0.0], UNTURNED, ""),
        motor("Hat", "HumanoidRootPart", [([0.0; 3], UNTURNED), ([0.0, 1.0, 0.0], UNTURNED)])
            .replace("Motor6D", "Weld"),
        item("Folder", "Sword", "", &part("Grip", [2.0, 5.0, -2.0], UNTURNED, "")),
        part("Blade", [2.0, 5.0, -4.0], UNTURNED, ""),
        part("Gem", [2.0, 5.0, -5.0], UNTURNED, ""),
        weld("Grip", "Arm"),
        weld("Gem", "Blade"),
        motor("Grip", "Blade", [([0.0, 0.0, -2.0], UNTURNED), ([0.0; 3], UNTURNED)]),
    ];
    let (found, losses) = scene(arm(&more.concat()), None).expect("a scene");
    assert_eq!(losses, [""; 0]);
    let places = placed(&found, 1.0);
    for (name, wanted) in [
        ("Hat", [0.0, 6.0, 0.0]),
        ("HumanoidRootPart", [0.0, 5.0, 0.0]),
        ("Grip", [2.0, 7.0, 4.0]),
        ("Blade", [2.0, 9.0, 4.0]),
        ("Gem", [2.0, 10.0, 4.0]),
    ] {
        near(name, &places[name], &wanted, 1e-5);
    }
    assert!(found.nodes.iter().any(|node| node.name == "Blade pose"), "the joint of the sword is kept");
}

/// A second motor of the arm carries its first part; a pose of this motor is listed.
#[test]
fn a_pose_of_a_motor_towards_the_root_is_listed() {
    let mount =
        part("Mount", [2.0, 5.0, 0.0], UNTURNED, "") + &motor("Mount", "Arm", [([0.0; 3], UNTURNED); 2]);
    let poses = [0.0, 1.0].map(|at| pose("Mount", 0.0, [0.0; 3], &pose("Arm", 1.0, [0.0, at, 0.0], "")));
    let (found, losses) = scene(arm(&(mount + &sequence(poses))), None).expect("a scene");
    assert_eq!(found.animations.len(), 2);
    crate::has(&losses, "Arm: the pose of a joint whose second part another joint moves");
}

/// A rig is below the nodes of its model and of the folders above. Animations with equal names name their models.
#[test]
fn a_rig_is_in_the_node_of_its_model() {
    let moved = || sequence([0.0, 1.0].map(|up| pose("Arm", 1.0, [0.0, up, 0.0], "")));
    let rig = |name: &str, more: &str| {
        let [root, arm] = ["Root", "Arm"].map(|part| format!("{name} {part}"));
        let parts = [
            with_id(&root, item("Part", "HumanoidRootPart", &sized([0.0, 5.0, 0.0], [1.0; 3]), "")),
            with_id(&arm, item("Part", "Arm", &sized([2.0, 5.0, 0.0], [1.0; 3]), "")),
            motor(&root, &arm, [([2.0, 0.0, 0.0], UNTURNED), ([0.0; 3], UNTURNED)]),
            moved(),
            more.to_owned(),
        ];
        item("Model", name, "", &parts.concat())
    };
    let bob = rig("Bob", &moved().replace("move", "wave"));
    let place = item("Workspace", "Workspace", "", &(bob + &item("Folder", "NPCs", "", &rig("Cat", ""))));
    let text = document(&place);
    let (found, _) = scene(&text, None).expect("a scene");
    let parents = found.parents();
    let path = |index: usize| {
        let above = std::iter::successors(Some(index), |&index| parents[index]);
        let names: Vec<&str> = above.map(|index| found.nodes[index].name.as_str()).collect();
        names.into_iter().rev().collect::<Vec<_>>().join("/")
    };
    let is_joint = |index: &usize| found.nodes[*index].name == "Arm C0";
    let paths: Vec<String> = (0..found.nodes.len()).filter(is_joint).map(path).collect();
    let wanted = ["Workspace/Bob/HumanoidRootPart/Arm C0", "Workspace/NPCs/Cat/HumanoidRootPart/Arm C0"];
    assert_eq!(paths, wanted);
    assert_eq!(placed(&found, 1.0)["HumanoidRootPart"], [0.0, 5.0, 0.0]);
    let model = |animation: &rezkit::scene::Animation| animation.extras.get("Model").cloned();
    let named: Vec<_> = found.animations.iter().map(|of| (of.name.as_str(), model(of))).collect();
    let [bob, cat] = ["Workspace/Bob", "Workspace/NPCs/Cat"].map(|path| Some(path.into()));
    assert_eq!(named, [("move", bob), ("wave", None), ("move", cat)]);
    // The names of the sequences come back.
    let glb = crate::open(text, "a.rbxmx").made("a.glb");
    let back = String::from_utf8(crate::open(&glb, "a.glb").made("b.rbxmx")).expect("XML");
    assert_eq!(back.matches(">move<").count(), 2, "{back}");
}

/// Accessories of a rig file, whose parts have the same name, are no parts that an animation moves.
#[test]
fn accessories_of_a_rig_file_are_not_posed() {
    let hat = |id: &str| {
        let weld = motor(id, "Arm", [([0.0; 3], UNTURNED); 2]).replace("Motor6D", "Weld");
        with_id(id, item("Part", "Handle", &sized([2.0, 5.0, 0.0], [1.0; 3]), &weld))
    };
    let rig = RigModel::Document(arm(&(hat("1") + &hat("2"))).into());
    let (moved, _) = scene(arm(""), None).expect("a scene");
    let back = played(&moved, &rig);
    near("the arm", &placed(&back, 1.0)["Arm"], &[2.0, 5.0, 4.0], 1e-5);
}

/// A gun with a bolt and an avatar's animation: the gun is in the hand, at the joint that has no first part.
#[test]
fn a_tool_is_in_the_hand_of_an_avatar() {
    let poses = [0.0, 0.5].map(|back| {
        let bolt = pose("Bolt", 1.0, [0.0, 0.0, back], "");
        let arm = pose("Right Arm", 1.0, [0.0; 3], &pose("Handle", 1.0, [0.0; 3], &bolt));
        pose(
            "HumanoidRootPart",
            0.0,
            [0.0; 3],
            &pose("Torso", 1.0, [0.0; 3], &(arm + &pose("Left Arm", 1.0, [0.0; 3], ""))),
        )
    });
    let open_joint = motor("null", "Handle", [([0.0, -1.0, 0.0], UNTURNED), ([0.0; 3], UNTURNED)]);
    let gun = |joint: &str| {
        let parts = [
            part("Handle", [50.0, 0.0, 0.0], UNTURNED, ""),
            part("Bolt", [50.0, 0.0, -1.0], UNTURNED, ""),
            motor("Handle", "Bolt", [([0.0, 0.0, -1.0], UNTURNED), ([0.0; 3], UNTURNED)]),
            joint.to_owned(),
            sequence(poses.clone()),
        ];
        document(&item("Model", "Gun", "", &parts.concat()))
    };
    let (found, _) = scene(gun(&open_joint), None).expect("a scene");
    assert_eq!(found.animations.len(), 1);
    // R6's feet are three studs below its middle, and its arms 1.5 studs to the sides.
    let avatar_gun = |time: f32, name: &str, wanted: [f32; 3]| {
        let pose = found.pose_at(0, time);
        let world = found.world_matrices(&pose.transforms);
        // The original gun is drawn as well; the gun in the hand comes later.
        let node = found.nodes.iter().rposition(|node| node.name == name).expect("a part");
        near(name, &world[node][3][..3], &wanted, 1e-5);
    };
    avatar_gun(0.0, "Handle", [1.5, 2.0, 0.0]);
    avatar_gun(0.0, "Bolt", [1.5, 2.0, -1.0]);
    avatar_gun(1.0, "Bolt", [1.5, 2.0, -0.5]);
    // Without such a joint, the gun is held like a Tool: one stud below the middle of the arm, with its top to the
    // front.
    let (held, _) = scene(gun(""), None).expect("a scene");
    let world = held.world_matrices(&held.pose_at(0, 1.0).transforms);
    let bolt = held.nodes.iter().rposition(|node| node.name == "Bolt").expect("a bolt");
    let found = [world[bolt][3][0], world[bolt][3][1], world[bolt][3][2]];
    // Rotated by -90 degrees about x: the part before the handle is below it.
    near("the bolt", &found, &[1.5, 1.5, 0.0], 1e-5);
}

/// A key of a curve: ticks (2,400 per second), mode (0 constant, 1 linear, 2 cubic), value, slope before and after it.
type CurveKey = (u32, u8, f32, f32, f32);

fn curve(name: &str, keys: &[CurveKey]) -> String {
    let count = u32::try_from(keys.len()).expect("few").to_le_bytes();
    let mut bytes = [2_u32.to_le_bytes(), count].concat();
    for (_, mode, value, before, after) in keys {
        bytes.extend([*mode, 3]);
        bytes.extend([value, before, after].into_iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes.extend([1_u32.to_le_bytes(), count].concat());
    bytes.extend(keys.iter().flat_map(|key| key.0.to_le_bytes()));
    item("FloatCurve", name, &binary("ValuesAndTimes", bytes), "")
}

/// As the engine computes it: Hermite interpolation of the values and slopes at the ends of each span.
fn value(keys: &[CurveKey], time: f64) -> f64 {
    let seconds = |key: &CurveKey| f64::from(key.0) / 2400.0;
    let after = keys.iter().position(|key| seconds(key) > time).unwrap_or(keys.len());
    let (Some(from), Some(to)) = (keys.get(after.wrapping_sub(1)), keys.get(after)) else {
        return keys.get(after.wrapping_sub(1)).or(keys.first()).map_or(0.0, |key| f64::from(key.2));
    };
    let span = seconds(to) - seconds(from);
    let t = (time - seconds(from)) / span;
    let (a, b) = (f64::from(from.2), f64::from(to.2));
    match from.1 {
        0 => a,
        1 => a + (b - a) * t,
        _ => {
            let (leaving, arriving) = (f64::from(from.4) * span, f64::from(to.3) * span);
            let (t2, t3) = (t * t, t * t * t);
            a * (2.0 * t3 - 3.0 * t2 + 1.0)
                + b * (3.0 * t2 - 2.0 * t3)
                + leaving * (t3 - 2.0 * t2 + t)
                + arriving * (t3 - t2)
        }
    }
}

/// Cubic, linear and constant keys at different times on each axis, exported to glTF and imported again: within 1e-4
/// studs and 0.01 degrees of the curves at 200 times.
#[test]
fn curves_are_cubic_keys() {
    let positions: [&[CurveKey]; 3] = [
        &[(0, 2, 0.0, 0.0, 3.0), (1200, 2, 1.5, -2.0, 4.0), (2400, 2, -1.0, 1.0, 0.0)],
        &[(0, 1, 0.5, 0.0, 0.0), (800, 1, 2.0, 0.0, 0.0), (2400, 1, 0.0, 0.0, 0.0)],
        &[(0, 0, 1.0, 0.0, 0.0), (1600, 0, -1.0, 0.0, 0.0)],
    ];
    let angles: [&[CurveKey]; 3] = [
        &[(0, 2, 0.0, 0.0, 2.0), (2400, 2, 1.2, -3.0, 0.0)],
        &[(0, 1, -0.4, 0.0, 0.0), (2400, 1, 0.9, 0.0, 0.0)],
        &[(400, 2, 0.3, 0.0, -4.0), (2000, 2, 0.8, 5.0, 0.0)],
    ];
    let axes = |class: &str, name: &str, curves: &[&[CurveKey]; 3], properties: &str| {
        let curves: String =
            ["X", "Y", "Z"].iter().zip(curves).map(|(axis, keys)| curve(axis, keys)).collect();
        item(class, name, properties, &curves)
    };
    let order = "<token name=\"RotationOrder\">4</token>";
    let folder = axes("Vector3Curve", "Position", &positions, "")
        + &axes("EulerRotationCurve", "Rotation", &angles, order);
    let head = item("Folder", "Head", "", &folder);
    let text = document(&item("CurveAnimation", "nod", "", &item("Folder", "Torso", "", &head)));
    let (out, _) = scene(&text, None).expect("a scene");
    let kinds: Vec<_> = out.animations[0].channels.iter().map(|channel| channel.interpolation).collect();
    assert_eq!(kinds, [rezkit::scene::Interpolation::Cubic; 2]);
    let glb = crate::open(text, "a.rbxmx").made("a.glb");
    // The animation without the parts of the rig.
    let options = rezkit::ConvertOptions::new().action("0");
    let back = crate::open(&glb, "a.glb").convert(None, "b.rbxmx", &options).expect("converted");
    let (again, _) = scene(std::str::from_utf8(&back.files[0].bytes).expect("XML"), None).expect("a scene");
    for (scene, name) in [(&out, "out"), (&again, "in again")] {
        let node = scene.nodes.iter().position(|node| node.name == "Head pose").expect("a head");
        for step in 0..200_u16 {
            let time = f64::from(step) * 0.0055 + 0.0001;
            #[allow(clippy::cast_possible_truncation, reason = "poses are of 32 bits")]
            let pose = scene.pose_at(0, time as f32).transforms[node];
            for (axis, keys) in positions.iter().enumerate() {
                // A constant value changes within a millisecond before the next key.
                if keys[0].1 == 0 && (time - 1600.0 / 2400.0).abs() < 0.0015 {
                    continue;
                }
                let apart = (value(keys, time) - f64::from(pose.translation[axis])).abs();
                assert!(apart < 1e-4, "{name} at {time}, axis {axis}: {apart} studs");
            }
            // Enum.RotationOrder 4 is ZXY: Rz * Rx * Ry.
            let [x, y, z] = angles.map(|keys| value(keys, time));
            let about = |angle: f64, axis: usize| {
                let mut turn = [0.0, 0.0, 0.0, (angle / 2.0).cos()];
                turn[axis] = (angle / 2.0).sin();
                turn
            };
            let wanted = crate::motions::times(crate::motions::times(about(z, 2), about(x, 0)), about(y, 1));
            let dot: f64 = wanted.iter().zip(pose.rotation).map(|(a, b)| a * f64::from(b)).sum();
            // For nearly equal rotations, the sine of half the angle is exact and the cosine is not.
            let sine: f64 = wanted
                .iter()
                .zip(pose.rotation)
                .map(|(a, b)| (a * dot.signum() - f64::from(b)).powi(2))
                .sum();
            let degrees = 2.0 * sine.sqrt().asin().to_degrees();
            assert!(degrees < 0.01, "{name} at {time}: {degrees} degrees");
        }
    }
}

/// Eased keys are sampled so densely that straight lines are within 1e-4 studs of them.
#[test]
fn eased_keys_are_sampled_as_they_need_it() {
    // Enum.PoseEasingStyle: Linear, Constant, Elastic, Cubic, Bounce; directions In, Out, InOut. The functions are
    // Penner's equations, which the engine's documentation plots.
    let cubic_in = |x: f64| x.powi(3);
    let bounce_out = |x: f64| {
        let (start, rest) = match x * 2.75 {
            n if n < 1.0 => (0.0, 0.0),
            n if n < 2.0 => (1.5, 0.75),
            n if n < 2.5 => (2.25, 0.9375),
            _ => (2.625, 0.984_375),
        };
        7.5625 * (x - start / 2.75).powi(2) + rest
    };
    type Easing<'a> = &'a dyn Fn(f64) -> f64;
    for (style, direction, of) in [(3, 0, &cubic_in as Easing<'_>), (4, 1, &bounce_out)] {
        let easing = format!(
            "<token name=\"EasingStyle\">{style}</token><token name=\"EasingDirection\">{direction}</token><float name=\"Weight\">1</float>"
        );
        let head =
            |y: f32| item("Pose", "Head", &(easing.clone() + &cframe("CFrame", [0.0, y, 0.0], UNTURNED)), "");
        let text = document(&sequence([0.0, 8.0].map(|y| pose("Torso", 0.0, [0.0; 3], &head(y)))));
        let (found, _) = scene(&text, None).expect("a scene");
        let node = found.nodes.iter().position(|node| node.name == "Head pose").expect("a head");
        for step in 0..=300_u16 {
            let time = f64::from(step) / 300.0;
            #[allow(clippy::cast_possible_truncation, reason = "poses are of 32 bits")]
            let y = found.pose_at(0, time as f32).transforms[node].translation[1];
            let apart = (f64::from(y) - 8.0 * of(time)).abs();
            assert!(apart < 1e-4, "style {style} at {time}: {apart} studs");
        }
    }
}
