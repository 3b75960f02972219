//! Converts animations of scenes to KeyframeSequences and CurveAnimations.
//!
//! For a rig that came from Roblox, the poses and keys do not change. The joints of any other rig are matched to those
//! of an avatar by name, and each part rotates in the world like its joint, relative to the rig's rest pose.

use std::collections::{BTreeSet, HashMap, HashSet};

use geom::TriMesh;
use glam::{Mat4, Vec3};
use rbxcore::NewInstance;

use super::avatars::Avatar;
use super::faces;
use super::keys::{fits, frames, own};
use super::knots::Key;
use super::sequence::Sequence;
use super::shapes::{Face, quad};
use crate::forms::{ModelOptions, RigModel};
use crate::model::{Animation, Channel, Mesh, Node, Primitive, Scene, Skin, Transform, Values};
use crate::reduction::reduced;
use crate::retarget::names::plain;
use crate::retarget::{Changes, End, Joint, Limb, RATE, Retarget, SAME_POSE, Target, times};
use rezkit_core::{Budget, Error, Loss, Result};

/// The animations of a scene as instances; everything else is listed as a loss.
///
/// # Errors
/// If there is no animation, none of them moves a joint with a part, or the budget does not suffice.
pub(crate) fn scene_animations(
    scene: &Scene,
    options: &ModelOptions,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<NewInstance>> {
    let sequences = sequences(scene, options, budget, losses)?;
    sequences.iter().map(|sequence| sequence.instances(budget)).collect()
}

/// Converts all animations of a scene; everything else is listed as a loss.
///
/// # Errors
/// If there is no animation, none of them moves a joint with a part, or the budget does not suffice.
fn sequences(
    scene: &Scene,
    options: &ModelOptions,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Sequence>> {
    let rig = options.rig.as_ref().map(|rig| rig.joints(budget)).transpose()?;
    let (mut made, named) = (Vec::new(), names_of(scene));
    let mut names = Avatar::names_for(None);
    for (index, animation) in scene.animations.iter().enumerate() {
        let path = format!("animations[{index}]");
        // Converting an animation examines all nodes.
        budget.work(scene.nodes.len() as u64 * 2048, "the animations")?;
        let is_face = |channel: &Channel| {
            matches!(channel.values, Values::Weights(_)) && faces::are_weights(scene, channel.node)
        };
        let lost = animation.channels.iter().filter(|channel| channel.is_beyond_joints(&scene.nodes));
        let count = lost.filter(|channel| !is_face(channel)).count();
        if count > 0 {
            let loss = Loss::new(
                &*path,
                "animated scales, or weights of morph targets that do not have the name of a facial control \
                 (such as JawDrop)",
            )
            .id("scene.node-animations");
            losses.push(loss.times(count));
        }
        let mut sequence = Sequence::of(animation, (&scene.name, &path), &options.animation, losses);
        sequence.rig.clone_from(&rig);
        names = Avatar::names_for(sequence.rig.as_ref());
        let mut changed = Vec::new();
        let is_own = own(scene, animation, &mut sequence, budget)?;
        // The keys stay unchanged if the requested rig has all posed parts.
        let fits = |rig: &Avatar| {
            let parts: HashSet<&str> = rig.parts().collect();
            sequence.keys.keys().all(|part| parts.contains(&**part))
        };
        if !is_own || !sequence.rig.as_ref().is_none_or(fits) {
            (sequence.keys, sequence.parents) = Default::default();
            retargeted(scene, &named, animation, &mut sequence, &path, budget, &mut changed)
                .map_err(|error| error.at(&*path))?;
        }
        sequence.faces = faces::of(scene, animation, &path, budget, losses)?;
        let moves = animation.channels.iter().any(is_move);
        match sequence.keys.is_empty() {
            true if moves || sequence.faces.is_empty() => {
                let what = match moves {
                    true if !sequence.faces.is_empty() => {
                        format!("the motion of nodes, none of which has {names} ({REMEDY})")
                    }
                    true => format!("an animation that moves no node with {names} ({REMEDY})"),
                    false => {
                        "an animation that moves or rotates no node, and animates no facial control".into()
                    }
                };
                losses.push(Loss::new(path, what).id("roblox.animation"));
            }
            true => {}
            false => losses.extend(changed),
        }
        if !sequence.keys.is_empty() || !sequence.faces.is_empty() {
            made.push(sequence);
        }
    }
    let channels = || scene.channels();
    match made.is_empty() {
        true if channels().next().is_some() && !channels().any(is_move) => Err(Error::unwritable(
            "no animation moves or rotates a node, or animates a morph target with the name of a facial control, \
                 such as JawDrop: a Roblox animation can contain nothing else",
        )),
        true => Err(Error::unwritable(format!("no animated node has {names}: {REMEDY}"))),
        false => Ok(made),
    }
}

const REMEDY: &str =
    "rename the nodes, or set the option rig to a model whose parts have the names of the nodes";

/// Whether a channel moves or rotates its node.
fn is_move(channel: &Channel) -> bool {
    matches!(channel.values, Values::Translation(_) | Values::Rotation(_))
}

/// The letters and digits of the names of a scene's nodes.
fn names_of(scene: &Scene) -> HashSet<String> {
    scene.nodes.iter().map(|node| plain(&node.name)).collect()
}

/// The avatar that a scene's animations fit: R6 or R15, by the names of its nodes, and R15 for those of other rigs.
fn fitting(names: &HashSet<String>) -> Avatar {
    // All parts except the head have different names in R6 and R15.
    let count = |avatar: &Avatar| avatar.parts().filter(|part| names.contains(&plain(part))).count();
    let r6 = Avatar::r6();
    if count(&r6) > 3.max(count(&Avatar::r15())) { r6 } else { Avatar::r15() }
}

/// The joints of a human whose rotation each part of R15 and R6 has: the first that a rig has.
const PARTS: [(&str, &[&str]); 20] = [
    ("LowerTorso", &["mPelvis"]),
    ("UpperTorso", &["mChest", "mTorso"]),
    ("Head", &["mHead"]),
    ("LeftUpperArm", &["mShoulderLeft"]),
    ("LeftLowerArm", &["mElbowLeft"]),
    ("LeftHand", &["mWristLeft"]),
    ("RightUpperArm", &["mShoulderRight"]),
    ("RightLowerArm", &["mElbowRight"]),
    ("RightHand", &["mWristRight"]),
    ("LeftUpperLeg", &["mHipLeft"]),
    ("LeftLowerLeg", &["mKneeLeft"]),
    ("LeftFoot", &["mAnkleLeft"]),
    ("RightUpperLeg", &["mHipRight"]),
    ("RightLowerLeg", &["mKneeRight"]),
    ("RightFoot", &["mAnkleRight"]),
    ("Torso", &["mChest", "mTorso", "mPelvis"]),
    ("Left Arm", &["mShoulderLeft"]),
    ("Right Arm", &["mShoulderRight"]),
    ("Left Leg", &["mHipLeft"]),
    ("Right Leg", &["mHipRight"]),
];

/// The ends of the limbs of R6, which have one part each: in a human's joints.
const ENDS: [(&str, &str); 4] = [
    ("Left Arm", "mElbowLeft"),
    ("Right Arm", "mElbowRight"),
    ("Left Leg", "mKneeLeft"),
    ("Right Leg", "mKneeRight"),
];

/// The parts at the hips and those at the ends of the legs. R6 has one part per leg: its length is that to the knee.
const LEGS: [[&str; 2]; 4] =
    [["LeftUpperLeg", "LeftFoot"], ["RightUpperLeg", "RightFoot"], ["Left Leg", ""], ["Right Leg", ""]];

/// The length of the avatar's legs, and that of R6 to the knee, in studs.
const LEG: f32 = 2.0;
const KNEE: f32 = 1.0;

/// An avatar as a rig that animations are moved to: each part is below the nodes of its joint, as in scenes of documents.
fn target(avatar: &Avatar) -> Target {
    let mut scene = Scene { front: 180.0, ..Scene::default() };
    let root = scene.add_node(None, Node { name: avatar.root().to_owned(), ..Node::default() });
    let mut nodes: HashMap<&str, (usize, Option<usize>)> = HashMap::from([(avatar.root(), (root, None))]);
    let mut below: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut moving = Vec::new();
    for (index, joint) in avatar.joints.iter().enumerate() {
        let (above, parent) = nodes.get(&*joint.part0).copied().unwrap_or((root, None));
        let [start, end] = joint.frames();
        let mut add = |above: usize, suffix: &str, transform: Transform| {
            let name = format!("{}{suffix}", joint.part1);
            scene.add_node(Some(above), Node { name, transform, ..Node::default() })
        };
        let c0 = add(above, " C0", Transform::of(start));
        let pose = add(c0, " pose", Transform::default());
        let part = add(pose, "", Transform::of(end.inverse()));
        nodes.insert(&joint.part1, (part, Some(index)));
        below.entry(&joint.part0).or_default().push(index);
        moving.push((pose, parent));
    }
    let places = avatar.places();
    let middles: HashMap<&str, Mat4> = avatar.at_rest().into_iter().collect();
    let place = |part: &str| places.get(part).copied().unwrap_or_default();
    // A limb points from the middle of its part to the joint below, not from the joint above: the shoulders of R15 are at
    // the inner side of its arms, and the line from there to the elbow is 34 degrees off the arm.
    let limb = |part: &str| match below.get(part).map(Vec::as_slice) {
        Some([end]) => {
            let own = place(&avatar.joints[*end].part1);
            let along = (own - middles.get(part)?.w_axis.truncate()).try_normalize()?;
            let line = (own - place(part)).normalize_or_zero();
            Some(Limb { along, line, end: End::Joint(*end) })
        }
        Some(_) => None,
        None => {
            let (_, end) = ENDS.iter().find(|(limb, _)| *limb == part)?;
            Some(Limb { along: Vec3::NEG_Y, line: Vec3::NEG_Y, end: End::Known(end) })
        }
    };
    let joints = avatar.joints.iter().zip(moving).map(|(joint, (node, parent))| {
        let part = joint.part1.as_str();
        let known = PARTS.iter().find(|(own, _)| *own == part).map_or(&[][..], |(_, known)| *known);
        Joint {
            name: part.to_owned(),
            node,
            known: known.to_vec(),
            parent,
            limb: limb(part),
            is_root: joint.part0 == avatar.root(),
            follows: part.ends_with("Hand"),
        }
    });
    let joints: Vec<Joint> = joints.collect();
    let find = |name: &str| joints.iter().position(|joint| joint.name == name);
    let leg = |[hip, foot]: [&str; 2]| {
        let joint = find(hip)?;
        Some(match find(foot) {
            Some(end) => (joint, End::Joint(end), place(hip).distance(place(foot))),
            None => (joint, End::Known(ENDS.iter().find(|(limb, _)| *limb == hip)?.1), KNEE),
        })
    };
    let legs: Vec<_> = LEGS.into_iter().filter_map(leg).collect();
    Target::new(&avatar.name, scene, joints, legs).at_origin(LEG).lenient(SAME_POSE)
}

/// The rig of a model, for animations of any format: a skeleton, with boxes for the parts of R6 and R15.
///
/// # Errors
/// As [`RigModel::joints`].
pub(crate) fn motion_rig(rig: &RigModel, budget: &mut Budget) -> Result<Target> {
    let avatar = rig.joints(budget)?;
    let mut target = target(&avatar);
    let scene = &mut target.scene;
    let joints: Vec<usize> = target.joints.iter().map(|joint| joint.node).collect();
    let world = scene.world_at_rest();
    let inverse_bind = joints.iter().map(|&node| world[node].inverse().to_cols_array_2d()).collect();
    for ((&node, part), joint) in joints.iter().zip(avatar.parts()).zip(0_u16..) {
        let Some((&part, size)) = scene.nodes[node].children.first().zip(avatar.size(part)) else { continue };
        // A skinned mesh is at its joint, and not at its node.
        let mut mesh = block(size.into());
        let place = |corner: &geom::Vec3| {
            let corner = world[part].transform_point3(Vec3::new(corner.x, corner.y, corner.z));
            geom::Vec3::from(corner.to_array())
        };
        mesh.positions = mesh.positions.iter().map(place).collect();
        (mesh.joints, mesh.weights) = (vec![[joint, 0, 0, 0]; 24], vec![[1.0, 0.0, 0.0, 0.0]; 24]);
        let primitives = vec![Primitive::new(mesh, None)];
        scene.nodes[part].skin = Some(0);
        let name = scene.nodes[part].name.clone();
        scene.nodes[part].mesh = Some(scene.add_mesh(Mesh { name, primitives, ..Mesh::default() }));
    }
    scene.skins.push(Skin { name: String::new(), joints, inverse_bind });
    Ok(target)
}

/// A box of a size.
fn block(size: Vec3) -> TriMesh {
    let mut mesh = TriMesh::default();
    for face in (0..6).map(Face) {
        let first = mesh.positions.len() as u32;
        let (normal, ..) = face.axes();
        mesh.positions.extend(quad(face).map(|corner| geom::Vec3::from((corner * size).to_array())));
        mesh.normals.extend([geom::Vec3::from(normal.to_array()); 4]);
        mesh.triangles.extend([[0, 1, 2], [0, 2, 3]].map(|of| of.map(|corner| first + corner)));
    }
    mesh
}

/// Retargets an animation of another rig to the poses of an avatar.
fn retargeted(
    scene: &Scene,
    names: &HashSet<String>,
    animation: &Animation,
    sequence: &mut Sequence,
    path: &str,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let avatar = sequence.rig.take().unwrap_or_else(|| fitting(names));
    let moved: BTreeSet<usize> = animation.channels.iter().map(|channel| channel.node).collect();
    let target = target(&avatar);
    let from = Retarget::new(scene, animation, &target);
    if !from.is_matched() || moved.is_empty() {
        return Ok(());
    }
    let end = animation.duration();
    frames(end, sequence.rate.unwrap_or(RATE), budget)?;
    let (times, near) = times(animation, end, sequence.rate, NEAREST, budget)?;
    if near > 0 {
        let what = "keys less than 1/70 s after another one, which Roblox refuses in uploads";
        losses.push(Loss::new(path, what).id("roblox.keys").times(near));
    }
    let nodes = from.nodes.iter().flatten().count();
    budget.take_values::<[Key; 2]>(times.len() * nodes, "the keys of the animations")?;
    let steps = times.len() * (from.effort() + nodes * SPAN);
    budget.work(steps as u64 * 4, "the animations")?;
    let changes = Changes::default();
    let (tracks, feet) = from.tracks(&times, changes);
    for joint in &avatar.joints {
        sequence.parents.insert(joint.part1.clone(), joint.part0.clone());
    }
    let resting = from.resting(&tracks);
    for ((joint, keys), is_resting) in avatar.joints.iter().zip(tracks).zip(resting) {
        // Parts that do not move are dropped, so that other animations can move them.
        if keys.is_empty() || is_resting {
            continue;
        }
        let keys: Vec<Key> = keys.into_iter().map(|(time, pose)| Key { time, pose, stays: false }).collect();
        let fits =
            |from: usize, to: usize, key: usize| fits(&keys[from], &keys[to], &keys[key], sequence.tolerance);
        let kept = reduced(keys.len(), fits).into_iter().map(|at| keys[at]).collect();
        sequence.keys.insert(joint.part1.clone(), kept);
    }
    let ([turn, way], rate) = (sequence.tolerance, sequence.rate.unwrap_or(RATE));
    let what = format!(
        "retargeted to {}, sampled {rate} times per second, and reduced to fewer keys (within {turn} degrees and {way} \
         studs); {}",
        avatar.name,
        from.report(changes, &feet, &times)
    );
    losses.push(Loss::approximated(path, what).id("animation.resampled"));
    from.list(&format!("{path}/"), losses);
    Ok(())
}

/// The least distance of keys in seconds: slightly less than 1/70, which uploads allow, since times are rounded. In ticks of
/// 1/2,400 s, in which curves have their times, both are 34.
const NEAREST: f32 = 0.0142;

/// The work for reducing a sample, in that for a node.
const SPAN: usize = 64;
