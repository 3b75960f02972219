//! Animations of rigs as motions of Second Life's avatar: the expected rotations are known from geometry.
#![allow(clippy::indexing_slicing, reason = "tests")]

use crate::{Ask as _, channel, near, open};
use serde_json::json;
use std::collections::HashMap;

use rezkit::Options as _;
use rezkit::scene::slmesh::{JointNames, motion_from_scene, motion_to_scene};
use rezkit::scene::{Animation, Channel, Interpolation, Node, Scene, Transform, Values};
use rezkit::{Budget, ConvertOptions, Loss};
use slmesh::joints;
use slmesh::motion::{Key, Motion};

type Object = serde_json::Map<String, serde_json::Value>;
type Quat = [f64; 4];
type Vector = [f64; 3];

const NONE: Quat = [0.0, 0.0, 0.0, 1.0];

/// A rotation by degrees about an axis.
fn turn(axis: Vector, degrees: f64) -> Quat {
    let length = axis.iter().map(|n| n * n).sum::<f64>().sqrt();
    let (sine, cosine) = (degrees.to_radians() / 2.0).sin_cos();
    [axis[0] / length * sine, axis[1] / length * sine, axis[2] / length * sine, cosine]
}

/// The rotation by b, followed by a.
pub(crate) fn times(a: Quat, b: Quat) -> Quat {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

pub(crate) fn inverse([x, y, z, w]: Quat) -> Quat {
    [-x, -y, -z, w]
}

fn turned(by: Quat, [x, y, z]: Vector) -> Vector {
    let [x, y, z, _] = times(times(by, [x, y, z, 0.0]), inverse(by));
    [x, y, z]
}

fn degrees_between(a: Quat, b: Quat) -> f64 {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    2.0 * dot.abs().min(1.0).acos().to_degrees()
}

pub(crate) fn wide(list: [f32; 4]) -> Quat {
    list.map(f64::from)
}

#[allow(clippy::cast_possible_truncation, reason = "a scene has 32 bits")]
fn narrow<const N: usize>(list: [f64; N]) -> [f32; N] {
    list.map(|number| number as f32)
}

/// A joint of a rig: its name, the avatar's joint, the index of its parent, and its rotations at rest and by the
/// animation.
struct Bone {
    name: &'static str,
    avatar: &'static str,
    parent: Option<usize>,
    rest: Quat,
    moved: Quat,
}

/// The position of a bone of the avatar.
fn place(name: &str) -> Vector {
    let joint = joints::find(name).expect("a bone");
    let above = joint.parent.map_or([0.0; 3], place);
    std::array::from_fn(|axis| above[axis] + f64::from(joint.position[axis]))
}

/// From the avatar's axes (x forward, y left, z up) to those of a glTF model that faces +z.
fn facing_z([x, y, z]: Vector) -> Vector {
    [y, z, x]
}

/// The same conversion as a rotation.
const FACING_Z: Quat = [-0.5, -0.5, -0.5, 0.5];

/// A rig in centimetres that faces +z, with bones that are rotated at rest, and an animation from the rest pose to
/// rotations of each bone in the world. `places` are the positions of the bones in the avatar's axes.
fn rig(bones: &[Bone], places: &dyn Fn(&Bone) -> Vector, extra: &[&str]) -> Scene {
    let mut scene = Scene::default();
    let mut channels = Vec::new();
    let top = crate::add_node(&mut scene, None, "Armature");
    for bone in bones {
        let parent = bone.parent.map(|parent| &bones[parent]);
        let above = parent.map_or(NONE, |parent| parent.rest);
        let from = parent.map_or([0.0; 3], places);
        let way: Vector = std::array::from_fn(|axis| (places(bone)[axis] - from[axis]) * 100.0);
        let transform = Transform {
            translation: narrow(turned(inverse(above), facing_z(way))),
            rotation: narrow(times(inverse(above), bone.rest)),
            ..Transform::default()
        };
        let parent_node = bone.parent.map_or(top, |parent| parent + 1);
        let bone_node = Node { name: bone.name.into(), transform, ..Node::default() };
        let node = scene.add_node(Some(parent_node), bone_node);
        let above = bone.parent.map_or(NONE, |parent| times(bones[parent].moved, bones[parent].rest));
        let end = times(inverse(above), times(bone.moved, bone.rest));
        let values = Values::Rotation(vec![transform.rotation, narrow(end)]);
        channels.push(channel(node, &[0.0, 1.0], values));
    }
    for name in extra {
        let node = crate::add_node(&mut scene, Some(top), name);
        let values = Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]]);
        channels.push(channel(node, &[0.0, 1.0], values));
    }
    scene.animations.push(Animation { name: "walk".into(), channels, ..Animation::default() });
    scene
}

fn motion_of(scene: &Scene) -> (Motion, Vec<Loss>) {
    motion_from_scene(scene, &mut Budget::new(1 << 26)).expect("a motion")
}

fn read(bytes: &[u8]) -> Motion {
    slmesh::motion::from_slice(bytes).expect("a motion")
}

/// The rotation of a joint of the avatar in the world, by the first or the last keys of a motion.
fn world(motion: &Motion, pick: fn(&[Key]) -> Option<&Key>, name: &str) -> Quat {
    let joint = joints::find(name).expect("a joint");
    let above = joint.parent.map_or(NONE, |parent| world(motion, pick, parent));
    let own = motion.joints.iter().find(|joint| joint.name.as_str() == Some(name));
    let own = own.and_then(|joint| pick(&joint.rotations)).map_or(NONE, |key| wide(key.rotation()));
    times(above, own)
}

/// Bones of a rig (such as Mixamo's), each with some rotation at rest and another one by the animation.
fn bones(names: &[(&'static str, &'static str, Option<usize>)]) -> Vec<Bone> {
    let bone = |(number, &(name, avatar, parent)): (usize, &(&'static str, &'static str, Option<usize>))| {
        let n = f64::from(u8::try_from(number).expect("few"));
        let rest = turn([1.0 + n, 2.0 - n, 0.5 * n], 37.0 * n + 20.0);
        let moved = turn([n - 3.0, 1.0, 2.0], 9.0 * n + 5.0);
        Bone { name, avatar, parent, rest, moved }
    };
    names.iter().enumerate().map(bone).collect()
}

const MIXAMO: [(&str, &str, Option<usize>); 11] = [
    ("mixamorig:Hips", "mPelvis", None),
    ("mixamorig:Spine", "mTorso", Some(0)),
    ("mixamorig:Spine2", "mChest", Some(1)),
    ("mixamorig:Neck", "mNeck", Some(2)),
    ("mixamorig:Head", "mHead", Some(3)),
    ("mixamorig:LeftShoulder", "mCollarLeft", Some(2)),
    ("mixamorig:LeftArm", "mShoulderLeft", Some(5)),
    ("mixamorig:LeftForeArm", "mElbowLeft", Some(6)),
    ("mixamorig:LeftHand", "mWristLeft", Some(7)),
    ("mixamorig:RightArm", "mShoulderRight", Some(2)),
    ("mixamorig:RightForeArm", "mElbowRight", Some(9)),
];

/// Each bone of the avatar has the same rotation in the world as the rig's bone, in the avatar's axes.
fn is_retargeted(bones: &[Bone], motion: &Motion) {
    for bone in bones {
        let start = degrees_between(world(motion, |keys| keys.first(), bone.avatar), NONE);
        assert!(start < 0.05, "{} at rest: {start} degrees", bone.name);
        let expected = times(times(inverse(FACING_Z), bone.moved), FACING_Z);
        let found = world(motion, |keys| keys.last(), bone.avatar);
        let apart = degrees_between(found, expected);
        assert!(apart < 0.05, "{}: {apart} degrees, {found:?} for {expected:?}", bone.name);
    }
}

#[test]
fn a_turn_of_axes_is_what_it_says() {
    for vector in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
        let [a, b] = [turned(FACING_Z, vector), facing_z(vector)];
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
    }
}

#[test]
fn rigs_are_retargeted_by_their_rest() {
    let bones = bones(&MIXAMO);
    let scene = rig(&bones, &|bone| place(bone.avatar), &["ik_target"]);
    let (motion, losses) = motion_of(&scene);
    is_retargeted(&bones, &motion);
    assert!(slmesh::motion::check(&motion).is_empty());
    let listed = |path: &str| losses.iter().any(|loss| loss.path == path);
    assert!(listed("ik_target") && !listed("mixamorig:Hips"), "{losses:?}");
    assert!(losses.iter().any(|loss| loss.what.contains("Mixamo")), "{losses:?}");
}

/// A joint that the avatar does not have moves the joints below it.
#[test]
fn what_is_between_joints_moves_them() {
    let mut names = MIXAMO;
    // There is one more joint between the spine and the chest.
    names[2] = ("Ribs", "mChest", Some(1));
    let between = bones(&names);
    let (motion, losses) = motion_of(&rig(&between, &|bone| place(bone.avatar), &[]));
    let known: Vec<Bone> = bones(&names).into_iter().filter(|bone| bone.name != "Ribs").collect();
    is_retargeted(&known, &motion);
    assert!(losses.iter().any(|loss| loss.path == "Ribs"), "{losses:?}");
}

/// The avatar's own names with bones that are rotated at rest, as Blender writes them.
#[test]
fn own_names_that_are_turned_at_rest_are_retargeted() {
    let own = MIXAMO.map(|(_, avatar, parent)| (avatar, avatar, parent));
    let bones = bones(&own);
    let (motion, losses) = motion_of(&rig(&bones, &|bone| place(bone.avatar), &[]));
    is_retargeted(&bones, &motion);
    assert!(losses.iter().all(|loss| !loss.what.contains("Mixamo")));
}

/// Joints with the avatar's names at the avatar's places are not turned, also if they are one line and have no front.
#[test]
fn the_spine_of_the_avatar_is_not_turned() {
    let mut scene = Scene::default();
    let mut above = None;
    for name in ["mPelvis", "mSpine1", "mSpine2", "mTorso"] {
        let [x, y, z] = joints::find(name).expect("a bone").position;
        let transform = Transform::from_translation([x, z, -y]);
        above = Some(scene.add_node(above, Node { name: name.into(), transform, ..Node::default() }));
    }
    let end = narrow(turn([0.0, 0.0, 1.0], 40.0));
    let values = Values::Rotation(vec![narrow(NONE), end]);
    let channels = vec![channel(2, &[0.0, 1.0], values)];
    scene.animations.push(Animation { name: "bow".into(), channels, ..Animation::default() });
    let found = world(&motion_of(&scene).0, |keys| keys.last(), "mSpine2");
    let apart = degrees_between(found, turn([0.0, -1.0, 0.0], 40.0));
    assert!(apart < 0.05, "{apart} degrees, {found:?}");
}

#[test]
fn names_of_other_rigs_are_known() {
    let ordinary = "mPelvis mChest mShoulderLeft mHandPinky2Right";
    for (own, avatar) in [
        ("J_Bip_C_Hips J_Bip_C_Chest J_Bip_L_UpperArm J_Bip_R_Little2", ordinary),
        ("hips upperChest leftUpperArm rightLittleIntermediate", ordinary),
        ("DEF-spine DEF-spine.003 DEF-upper_arm.L DEF-f_pinky.02.R", ordinary),
        ("mixamorig1:Hips mixamorig1:Spine2 mixamorig1:LeftArm mixamorig1:RightHandPinky2", ordinary),
        ("Hips LeftCollar LeftLowArm RightLowLeg", "mPelvis mCollarLeft mElbowLeft mKneeRight"),
        ("Hips LeftShoulder LeftElbow RightKnee", "mPelvis mShoulderLeft mElbowLeft mKneeRight"),
        ("LowerTorso UpperTorso LeftUpperArm RightFoot", "mPelvis mTorso mShoulderLeft mAnkleRight"),
    ] {
        let pairs = own.split(' ').zip(avatar.split(' '));
        let list: Vec<_> = pairs.map(|(name, avatar)| (name, avatar, None)).collect();
        let bones = bones(&list);
        let (motion, _) = motion_of(&rig(&bones, &|bone| place(bone.avatar), &[]));
        let mut found: Vec<&str> = motion.joints.iter().filter_map(|joint| joint.name.as_str()).collect();
        let mut expected: Vec<&str> = avatar.split(' ').collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}

/// R15's arms hang at rest, and also hang in the motion, although the avatar's rest pose has them to the sides.
#[test]
fn another_pose_at_rest_is_kept() {
    let names = [
        ("LowerTorso", "mPelvis", None),
        ("UpperTorso", "mTorso", Some(0)),
        ("LeftUpperArm", "mShoulderLeft", Some(1)),
        ("LeftLowerArm", "mElbowLeft", Some(2)),
        ("LeftHand", "mWristLeft", Some(3)),
        ("RightUpperArm", "mShoulderRight", Some(1)),
        ("RightLowerArm", "mElbowRight", Some(5)),
        ("RightHand", "mWristRight", Some(6)),
    ];
    let mut bones = bones(&names);
    // Only the left forearm moves, forward.
    for bone in &mut bones {
        bone.moved = NONE;
    }
    let forward = turn([1.0, 0.0, 0.0], -90.0);
    (bones[3].moved, bones[4].moved) = (forward, forward);
    let hanging = |bone: &Bone| {
        let [shoulder, own] = [place("mShoulderLeft"), place(bone.avatar)];
        let [side, arm] = [own[1].signum(), (own[1].abs() - shoulder[1]).max(0.0)];
        let is_arm = ["Shoulder", "Elbow", "Wrist"].iter().any(|part| bone.avatar.contains(part));
        if is_arm { [shoulder[0], side * shoulder[1], shoulder[2] - arm] } else { own }
    };
    let (motion, _) = motion_of(&rig(&bones, &hanging, &[]));
    let direction = |pick: fn(&[Key]) -> Option<&Key>, from: &str, to: &str| {
        let way: Vector = std::array::from_fn(|axis| place(to)[axis] - place(from)[axis]);
        turned(world(&motion, pick, from), way)
    };
    for (from, to) in
        [("mShoulderLeft", "mElbowLeft"), ("mElbowLeft", "mWristLeft"), ("mElbowRight", "mWristRight")]
    {
        let [x, y, z] = direction(|keys| keys.first(), from, to);
        assert!(z < -0.2 && x.abs() < 1e-3 && y.abs() < 1e-3, "{from}: {x} {y} {z}");
    }
    // Rotating by -90 degrees about +x of a model that faces +z moves hanging arms to the front, the avatar's +x.
    let [x, y, z] = direction(|keys| keys.last(), "mElbowLeft", "mWristLeft");
    assert!(x > 0.2 && y.abs() < 1e-3 && z.abs() < 1e-3, "{x} {y} {z}");
}

/// The movement of the hips is scaled to the avatar's size.
#[test]
fn hips_move_in_the_avatars_size() {
    let mut list = MIXAMO.to_vec();
    list.extend([
        ("mixamorig:LeftUpLeg", "mHipLeft", Some(0)),
        ("mixamorig:LeftLeg", "mKneeLeft", Some(11)),
        ("mixamorig:LeftFoot", "mAnkleLeft", Some(12)),
    ]);
    let bones = bones(&list);
    // This rig is twice as large as the avatar.
    let mut scene = rig(&bones, &|bone| place(bone.avatar).map(|axis| 2.0 * axis), &[]);
    let rest = scene.nodes[1].transform.translation;
    let [x, y, z] = rest;
    // In centimetres: to the left, up, to the front.
    let values = Values::Translation(vec![rest, [x + 20.0, y + 40.0, z + 60.0]]);
    scene.animations[0].channels.push(channel(1, &[0.0, 1.0], values));
    let (motion, _) = motion_of(&scene);
    let pelvis = motion.joints.iter().find(|joint| joint.name.as_str() == Some("mPelvis")).expect("moves");
    let [first, last] =
        [pelvis.positions.first(), pelvis.positions.last()].map(|key| key.expect("keys").position());
    near("first", &first, &[0.0; 3], 2e-4);
    near("last", &last, &[0.3, 0.1, 0.2], 5e-4);
}

#[test]
fn names_in_a_file_are_used() {
    let own = MIXAMO.map(|(name, avatar, parent)| (name.trim_start_matches("mixamorig:"), avatar, parent));
    let text: String = own.iter().map(|(name, avatar, _)| format!("Bone {name} = {avatar}\n")).collect();
    let mut scene = rig(&bones(&own), &|bone| place(bone.avatar), &[]);
    scene.nodes.iter_mut().skip(1).for_each(|node| node.name = format!("Bone {}", node.name));
    assert!(motion_from_scene(&scene, &mut Budget::new(1 << 26)).is_err());
    let names = JointNames::new(&format!("# a rig\n\n{text}")).expect("a list");
    let (glb, _) = rezkit::scene::gltf::to_glb(&scene, &mut crate::budget()).expect("a GLB");
    let mut opened = open(glb, "walk.glb");
    let options = ConvertOptions::new().joints(names.clone());
    let motion = read(&opened.made_with("walk.anim", &options).0);
    is_retargeted(&bones(&own), &motion);
    let error = names.rename(&mut Scene::default()).expect_err("none of them");
    assert_eq!(error.kind(), rezkit::ErrorKind::Argument);
    for (wrong, line) in [("a", "line 1"), ("a = mThirdArm", "line 1"), ("a=mHead\na=mNeck", "line 2")] {
        assert!(JointNames::new(wrong).expect_err("refused").to_string().contains(line), "{wrong}");
    }
}

/// An animation of the avatar's skeleton with different curves, as a motion and back: within 0.25 degrees at all times,
/// including times far from any key.
#[test]
fn animations_go_there_and_back() {
    let (mut scene, _) =
        motion_to_scene(&Motion::new(4.0), "dance", &mut Budget::new(1 << 20)).expect("a scene");
    let bones: Vec<usize> =
        (0..scene.nodes.len()).filter(|&node| scene.nodes[node].name.starts_with('m')).collect();
    let mut channels = Vec::new();
    for (number, &node) in bones.iter().enumerate().take(60) {
        let n = f64::from(u8::try_from(number).expect("few"));
        let at = |time: f64| {
            // Up to nearly 180 degrees, so that the signs of the quaternion change.
            let angle = 175.0 * (time * (0.7 + n / 40.0) + n).sin();
            narrow(turn([n.sin(), n.cos(), (2.0 * n).sin() + 0.1], angle))
        };
        let dense = number % 3 != 0;
        let count = if dense { 120 } else { 9 };
        let times: Vec<f64> = (0..=count).map(|key| 4.0 * f64::from(key) / f64::from(count)).collect();
        let values = Values::Rotation(times.iter().map(|&time| at(time)).collect());
        let times = times.iter().map(|&time| narrow([time])[0]).collect();
        let interpolation = if number % 5 == 4 { Interpolation::Step } else { Interpolation::Linear };
        channels.push(Channel { node, times, values, interpolation });
    }
    let keys: usize = channels.iter().map(|channel| channel.times.len()).sum();
    let turning: HashMap<usize, Interpolation> =
        channels.iter().map(|channel| (channel.node, channel.interpolation)).collect();
    scene.animations[0].channels = channels;
    let (motion, losses) = motion_of(&scene);
    assert!(losses.is_empty(), "{losses:?}");
    let bytes = slmesh::motion::to_vec(&motion).expect("written");
    let motion = read(&bytes);
    let (back, _) = motion_to_scene(&motion, "dance", &mut Budget::new(1 << 24)).expect("a scene");
    let mut worst: f64 = 0.0;
    for step in 0..2000_u16 {
        let time = f32::from(step) * 0.002 + 0.0003;
        let [before, after] = [&scene, &back].map(|scene| scene.pose_at(0, time));
        for (&node, interpolation) in &turning {
            // A stepped value may change up to one time step too late.
            if *interpolation == Interpolation::Step && (time * 30.0).fract().min((time * 2.25).fract()) < 0.1
            {
                continue;
            }
            let [a, b] = [&before, &after].map(|pose| wide(pose.transforms[node].rotation));
            let apart = degrees_between(a, b);
            assert!(apart < 0.25, "{} at {time}: {apart} degrees", scene.nodes[node].name);
            worst = worst.max(apart);
        }
    }
    let stored: usize = motion.joints.iter().map(|joint| joint.rotations.len()).sum();
    println!("{keys} keys, {stored} stored, {worst} degrees");
}

/// A rig without meaningful names, as glTF with one of the VRM extensions.
fn vrm(extension: &str, humanoid: serde_json::Value) -> Vec<u8> {
    let bones = bones(&MIXAMO.map(|(_, avatar, parent)| ("bone", avatar, parent)));
    let scene = rig(&bones, &|bone| place(bone.avatar), &[]);
    let gltf = rezkit::scene::gltf::to_gltf(&scene, "rig.bin", &mut crate::budget()).expect("glTF");
    let mut json: serde_json::Value = serde_json::from_str(&gltf.json).expect("JSON");
    json["buffers"][0]["uri"] = format!("data:;base64,{}", crate::xml::base64(&gltf.buffer)).into();
    json["extensionsUsed"] = json!([extension]);
    json["extensions"][extension]["humanoid"] = humanoid;
    serde_json::to_vec(&json).expect("JSON")
}

/// VRM's names for the bones of `MIXAMO`, in the order of the nodes after the armature.
#[rustfmt::skip]
const OF_VRM: [&str; 11] = [
    "hips", "spine", "chest", "neck", "head", "leftShoulder", "leftUpperArm",
    "leftLowerArm", "leftHand", "rightUpperArm", "rightLowerArm",
];

/// `VRMC_vrm` has an object of bones, and `VRM` (0.x) a list. Both identify the nodes, whatever their names are.
#[test]
fn bones_that_vrm_names_are_known() {
    let nodes = OF_VRM.iter().zip(1..);
    let object: Object =
        nodes.clone().map(|(bone, node)| ((*bone).into(), json!({ "node": node }))).collect();
    let list: Vec<_> =
        nodes.map(|(bone, node)| json!({"bone": bone, "node": node, "useDefaultValues": true})).collect();
    let expected = bones(&MIXAMO);
    let all: [(&str, serde_json::Value); 3] =
        [("VRMC_vrm", object.clone().into()), ("VRMC_vrm_animation", object.into()), ("VRM", list.into())];
    for (extension, bones) in all {
        let bytes = vrm(extension, json!({ "humanBones": bones }));
        let mut opened = open(bytes, "walk.gltf");
        is_retargeted(&expected, &read(&opened.made("walk.anim")));
        // The identification of bones is kept by another conversion.
        let again = open(opened.made("walk.glb"), "walk.glb").made("walk.anim");
        is_retargeted(&expected, &read(&again));
    }
    // With invalid content of the extension, the bones are only unknown.
    for wrong in [json!({"humanBones": 1}), json!({"humanBones": {"hips": {"node": 99}}})] {
        let mut opened = open(vrm("VRMC_vrm", wrong), "walk.gltf");
        assert!(opened.convert(None, "walk.anim", &ConvertOptions::new()).is_err());
    }
}

/// The first joint of the thumb is called metacarpal in VRM 1.0, and proximal in 0.x.
#[test]
fn thumbs_of_both_versions_of_vrm() {
    for (extension, names) in [
        ("VRMC_vrm", ["leftThumbMetacarpal", "leftThumbProximal", "leftThumbDistal"]),
        ("VRM", ["leftThumbProximal", "leftThumbIntermediate", "leftThumbDistal"]),
    ] {
        let pairs: Vec<_> = names.iter().zip(2..).chain([(&"hips", 1)]).collect();
        let bones: serde_json::Value = match extension {
            "VRM" => pairs.iter().map(|(bone, node)| json!({"bone": bone, "node": node})).collect(),
            _ => pairs
                .iter()
                .map(|(bone, node)| ((**bone).into(), json!({ "node": node })))
                .collect::<Object>()
                .into(),
        };
        let bytes = vrm(extension, json!({ "humanBones": bones }));
        let output = open(bytes, "walk.gltf").made("walk.anim");
        let motion = read(&output);
        let mut found: Vec<_> = motion.joints.iter().filter_map(|joint| joint.name.as_str()).collect();
        found.sort_unstable();
        let thumb = ["mHandThumb1Left", "mHandThumb2Left", "mHandThumb3Left", "mPelvis"];
        assert_eq!(found, thumb, "{extension}");
    }
}

/// A joint that the option joints names is used beside those of a known rig.
#[test]
fn named_joints_complete_a_known_rig() {
    let joint = |name: &str, inside: &str| {
        format!("JOINT {name}\n{{\nOFFSET 0 10 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n{inside}}}\n")
    };
    let end = "End Site\n{\nOFFSET 0 10 0\n}\n";
    let spine = joint("mixamorig:Spine", &joint("mixamorig:Head", end));
    let motion =
        (0..3).map(|frame| format!("0 90 0{}\n", format!(" {}", frame * 10).repeat(12))).collect::<String>();
    let file = format!(
        "HIERARCHY\nROOT mixamorig:Hips\n{{\nOFFSET 0 90 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
         Yrotation\n{spine}{}}}\nMOTION\nFrames: 3\nFrame Time: 0.1\n{motion}",
        joint("Tail", end)
    );
    let convert = |names: &str| {
        let mut options = ConvertOptions::new();
        options.set("joints", &rezkit::OptionValue::Text(names.into())).expect("set");
        let motion = read(&open(&file, "a.bvh").made_with("a.anim", &options).0);
        motion.joints.iter().map(|joint| joint.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(convert("Tail = mTail1"), ["mPelvis", "mTorso", "mHead", "mTail1"]);
}

/// A pose as Firestorm's poser saves it. The angles are those of the documentation of `llEuler2Rot`, and the rotation
/// is by the formula there; the joint's place at rest is the viewer's.
#[test]
fn a_pose_of_a_poser_becomes_an_animation() {
    let joint = |name: &str, angles: &str, position: &str, more: &str| {
        format!(
            "'{name}':{{'enabled':true,'rotation':[{angles}],'position':[{position}],'scale':[r0,r0,r0]{more}}}"
        )
    };
    let angles = "r1.2740903539558606,r-1.0995574287564276,r0.3490658503988659";
    let none = "r0,r0,r0";
    let joints = [
        joint("mShoulderLeft", angles, none, ""),
        joint("mHead", none, "r0,r0,r0.25", ",'jointBaseRotationIsZero':false"),
        joint("mPelvis", none, "r0,r0,r0.5", ""),
        joint("BELLY", "r0,r0,r1.5707963267948966", none, ""),
        joint("BUTT", none, none, ""),
        joint("Third Arm", none, none, ""),
    ];
    let pose = format!(
        "<?llsd/notation?>\n{{'version':{{'value':i6}},'startFromTeePose':{{'value':true}},{}}}",
        joints.join(",")
    );
    let (made, losses) = open(pose, "pose.llsd").made_with("pose.anim", &ConvertOptions::new());
    let motion = read(&made);
    assert!(slmesh::motion::check(&motion).is_empty());
    assert_eq!((motion.duration, motion.looped, motion.loop_out, motion.priority), (1.0, 1, 1.0, 3));
    let find = |name: &str| motion.joints.iter().find(|joint| joint.name == *name).unwrap();
    let rotation = |name: &str| wide(find(name).rotations[0].rotation());
    let expected = [
        0.426_530_074_408_081_44,
        -0.501_702_209_938_372_9,
        -0.187_053_819_225_572_68,
        0.728_956_690_676_144_2,
    ];
    let apart = degrees_between(rotation("mShoulderLeft"), expected);
    assert!(apart < 0.05, "{apart} degrees: {:?}", rotation("mShoulderLeft"));
    assert!(degrees_between(rotation("mPelvis"), NONE) < 0.05);
    let is_at = |name: &str, z: f32| (find(name).positions[0].position()[2] - z).abs() < 0.001;
    assert!(is_at("mPelvis", 0.5) && is_at("mHead", 0.0757 + 0.25));
    let wanted = [
        "a pose has no duration and no priority: it loops after 1 s with the priority 3 (to choose \
             another, use `--priority`)",
        "mHead/rotation: the rotation, which was relative to another animation, becomes relative to the \
             rest pose",
        "Third Arm: a value that is not the rotation of a joint",
    ];
    assert_eq!(losses, wanted);
    assert!(degrees_between(rotation("BELLY"), turn([0.0, 0.0, 1.0], 90.0)) < 0.05);
    // Other LLSD has no such conversion.
    let mut other = open("<?llsd/notation?>\n{'mHead':i1}", "a.llsd");
    let error = other.convert(Some("anim"), "a.anim", &ConvertOptions::new()).unwrap_err();
    assert!(error.to_string().contains("have no geometry"), "{error}");
}
