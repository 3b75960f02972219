//! Reads the poses that the posers of viewers save as LLSD.
//!
//! A pose is a map with the names of joints as keys. Each value is a map: `rotation`, three angles in radians as in
//! `llEuler2Rot` (about z, then y, then x); `position`, an offset from the joint's place at rest in metres; `scale`, a
//! change of its size; `enabled`; and `jointBaseRotationIsZero`, whether the rotation begins at the avatar's rest pose.
//! Sources: poses of Firestorm (versions 5 and 6), and the documentation of `llEuler2Rot` for the order of the angles.

use glam::Quat;
use rezkit_core::{Budget, Error, Loss, Result};
use slmesh::joints::{self, JointKind};
use slmesh::llsd::Value;
use slmesh::motion::{Joint, Key, Motion};

use super::track::PELVIS;

/// The time of a pose in seconds, and its priority: that of other animations without one.
const SECONDS: f32 = 1.0;
const PRIORITY: i32 = 3;

/// Whether LLSD is a pose: a map in which a joint has a rotation.
pub fn is_pose(value: &Value) -> bool {
    let mut entries = value.as_map().into_iter().flatten();
    entries
        .any(|(name, of)| name.as_str().and_then(joints::find).is_some() && vector(of, "rotation").is_some())
}

/// A pose as a motion of one second with a key for each joint, which loops; and losses.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if the LLSD is no pose, [`Limit`](rezkit_core::ErrorKind::Limit) if the
/// budget does not suffice.
pub fn pose_to_motion(pose: &Value, budget: &mut Budget) -> Result<(Motion, Vec<Loss>)> {
    let entries = pose.as_map().filter(|_| is_pose(pose)).ok_or_else(|| {
        Error::argument(
            "LLSD has no geometry, unless it is a pose: a map in which joints of the avatar, such as mHead, have a rotation",
        )
    })?;
    budget.take_values::<Joint>(entries.len(), "the joints of the pose")?;
    let mut motion = Motion::new(SECONDS);
    (motion.looped, motion.priority) = (1, PRIORITY);
    let what = "a pose has no duration and no priority: it loops after 1 s with the priority 3 (to choose another, use \
        `--priority`)";
    let mut losses = vec![Loss::filled_in("", what).id("sl.filled")];
    for (name, of) in entries.iter() {
        if ["version", "startFromTeePose"].iter().any(|known| *name == *known) {
            continue;
        }
        let mut lose = |loss: fn(String, &'static str) -> Loss, part: &str, what| {
            let path = if part.is_empty() { name.to_string() } else { format!("{name}/{part}") };
            loss(path, what).id("sl.keys").count_in(&mut losses);
        };
        let joint = name.as_str().and_then(joints::find);
        let Some((joint, [x, y, z])) = joint.zip(vector(of, "rotation")) else {
            lose(Loss::new, "", "a value that is not the rotation of a joint");
            continue;
        };
        if of.get("enabled").and_then(Value::as_boolean) == Some(false) {
            lose(Loss::new, "", "a joint that is not enabled");
            continue;
        }
        if of.get("jointBaseRotationIsZero").and_then(Value::as_boolean) == Some(false) {
            let what =
                "the rotation, which was relative to another animation, becomes relative to the rest pose";
            lose(Loss::approximated, "rotation", what);
        }
        if vector(of, "scale").is_some_and(|scale| scale != [0.0; 3]) {
            lose(Loss::new, "scale", "the size of a joint, which an animation cannot change");
        }
        let offset = vector(of, "position").unwrap_or_default();
        // Poses list all collision volumes, and mostly leave them alone.
        if joint.kind != JointKind::Bone && [x, y, z] == [0.0; 3] && offset == [0.0; 3] {
            continue;
        }
        let mut keys = Joint::new(joint.name);
        let rotation = Quat::from_rotation_x(x) * Quat::from_rotation_y(y) * Quat::from_rotation_z(z);
        keys.rotations.push(Key::of_rotation(0.0, rotation.to_array()));
        if offset != [0.0; 3] && joint.kind == JointKind::Bone {
            // The place of the pelvis is stored relative to its place at rest, and others relative to their parents.
            let rest = if joint.name == PELVIS { [0.0; 3] } else { joint.position };
            keys.positions.push(Key::of_position(0.0, std::array::from_fn(|axis| rest[axis] + offset[axis])));
        } else if offset != [0.0; 3] {
            lose(Loss::new, "position", "the position of a joint that is not a bone");
        }
        motion.joints.push(keys);
    }
    Ok((motion, losses))
}

/// A list of three finite numbers in a map.
fn vector(of: &Value, name: &str) -> Option<[f32; 3]> {
    let values: [&Value; 3] = of.get(name)?.as_array()?.iter().collect::<Vec<_>>().try_into().ok()?;
    let numbers = values.map(|value| match value {
        Value::Integer(number) => f64::from(*number),
        other => other.as_real().unwrap_or(f64::NAN),
    });
    #[allow(clippy::cast_possible_truncation, reason = "the viewer stores these numbers with 32 bits")]
    let numbers = numbers.map(|number| number as f32);
    numbers.iter().all(|number| number.is_finite()).then_some(numbers)
}
