//! Second Life's avatar as a rig that animations of others are moved to.

use glam::{Quat, Vec3};
use rezkit_core::{Budget, Loss, Result};
use slmesh::joints::{self, Joint, JointKind};

use super::track::Track;
use super::upright;
use crate::model::{Animation, Node, Scene, Skin, Transform};
use crate::retarget::names::Mapped;
use crate::retarget::{Changes, Retarget, SAME_POSE, Target, times};

/// A smaller rotation (in radians) or distance (in metres) counts as none.
const NOTHING: f32 = 5e-4;

/// The bones before the update of 2016 that is called Bento.
const CLASSIC: [&str; 26] = [
    "mPelvis",
    "mTorso",
    "mChest",
    "mNeck",
    "mHead",
    "mSkull",
    "mEyeLeft",
    "mEyeRight",
    "mCollarLeft",
    "mShoulderLeft",
    "mElbowLeft",
    "mWristLeft",
    "mCollarRight",
    "mShoulderRight",
    "mElbowRight",
    "mWristRight",
    "mHipLeft",
    "mKneeLeft",
    "mAnkleLeft",
    "mFootLeft",
    "mToeLeft",
    "mHipRight",
    "mKneeRight",
    "mAnkleRight",
    "mFootRight",
    "mToeRight",
];

/// The skeleton of the avatar, y up and facing +x: its bones, or only those of before Bento, and the volumes and
/// attachment points that are wanted.
pub(crate) fn skeleton(is_classic: bool, is_wanted: &dyn Fn(&Joint) -> bool) -> Target {
    let mut scene = Scene { front: 90.0, ..Scene::default() };
    let transform = Transform { rotation: upright().into(), ..Transform::default() };
    let top = scene.add_node(None, Node { name: "skeleton".into(), transform, ..Node::default() });
    let mut bones: Vec<(usize, String, Option<&'static str>)> = Vec::new();
    let mut nodes = std::collections::HashMap::new();
    for joint in joints::ALL {
        let is_bone = joint.kind == JointKind::Bone && (!is_classic || CLASSIC.contains(&joint.name));
        if !is_bone && !is_wanted(joint) {
            continue;
        }
        // Bones that are left out have a position, too.
        let (mut place, mut above) = (Vec3::from_array(joint.position), joint.parent);
        while let Some(parent) = above.filter(|name| !nodes.contains_key(name)).and_then(joints::find) {
            place += Vec3::from_array(parent.position);
            above = parent.parent;
        }
        let parent = above.and_then(|name| nodes.get(name)).copied().unwrap_or(top);
        let transform = Transform::from_translation(place.to_array());
        let node = Node { name: joint.name.into(), transform, ..Node::default() };
        let node = scene.add_node(Some(parent), node);
        nodes.insert(joint.name, node);
        bones.push((node, joint.name.to_owned(), Some(joint.name)));
    }
    let joints: Vec<usize> = bones.iter().map(|bone| bone.0).collect();
    let world = scene.world_at_rest();
    let inverse_bind = joints.iter().map(|&node| world[node].inverse().to_cols_array_2d()).collect();
    scene.skins.push(Skin { name: String::new(), joints, inverse_bind });
    let name = if is_classic { "Second Life's classic skeleton" } else { "Second Life's avatar" };
    Target::of_bones(name, scene, bones).lenient(SAME_POSE)
}

/// The skeleton with all joints of the avatar that a rig has.
fn avatar(mapped: &Mapped) -> Target {
    skeleton(false, &|joint| mapped.joints.iter().flatten().any(|own| own.name == joint.name))
}

/// The tracks of the avatar's joints for an animation of another rig; `None` if the rig is the avatar's own, so that the
/// rotations of its nodes are those of a motion.
pub(super) fn tracks(
    scene: &Scene,
    animation: &Animation,
    mapped: &Mapped,
    duration: f32,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Option<Vec<Track>>> {
    let target = avatar(mapped);
    let from = Retarget::new(scene, animation, &target);
    if from.is_own() {
        return Ok(None);
    }
    let (times, _) = times(animation, duration, None, 0.0, budget)?;
    budget.work((times.len() * from.effort()) as u64 * 8, "the animation")?;
    budget.take_values::<[f32; 12]>(times.len() * from.nodes.iter().flatten().count(), "the animation")?;
    let changes = Changes::default();
    let (keys, feet) = from.tracks(&times, changes);
    let resting = from.resting(&keys);
    let mut tracks = Vec::new();
    for (index, keys) in keys.into_iter().enumerate().filter(|(_, keys)| !keys.is_empty()) {
        if resting[index] {
            continue;
        }
        let Some(joint) = joints::find(&target.joints[index].name) else { continue };
        let mut track = Track::new(joint);
        track.rotations = keys.iter().map(|(time, pose)| (*time, Quat::from_array(pose.rotation))).collect();
        track.positions = keys.iter().map(|(time, pose)| (*time, Vec3::from(pose.translation))).collect();
        let is_turned = |(_, turn): &(f32, Quat)| turn.xyz().length() > NOTHING;
        if !track.rotations.iter().any(is_turned) && !from.is_turned(index) {
            track.rotations.clear();
        }
        let own = Vec3::from_array(joint.position);
        if track.positions.iter().all(|(_, place)| (*place - own).length() < NOTHING) {
            track.positions.clear();
        }
        if !track.rotations.is_empty() || !track.positions.is_empty() {
            tracks.push(track);
        }
    }
    from.list("", losses);
    let report = from.report(changes, &feet, &times);
    let what = format!(
        "rotations, converted from the rest pose of {} to the rest pose of the avatar ({report})",
        report.from
    );
    losses.push(Loss::approximated("animations", what).id("retarget.rest-pose"));
    Ok(Some(tracks))
}

/// The rotation about the vertical axis that makes a rig with joints of the avatar face +z: 0, 90, 180 or -90 degrees.
pub(crate) fn quarters(scene: &Scene) -> f64 {
    let mapped = Mapped::new(scene);
    if mapped.joints.iter().all(Option::is_none) {
        return 0.0;
    }
    let (none, target) = (Animation::default(), avatar(&mapped));
    // The avatar faces x.
    let front = Retarget::new(scene, &none, &target).toward(Vec3::X);
    let quarters = libm::atan2(f64::from(front.x), f64::from(front.z)) / std::f64::consts::FRAC_PI_2;
    (1.0 - quarters.round()).rem_euclid(4.0) * 90.0 - 90.0
}
