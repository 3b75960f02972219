//! Keyframe motions of avatars: the asset type *animation*, files `.anim` and `.animatn`.
//!
//! ```
//! use slmesh::motion::{self, Joint, Key, Motion};
//!
//! # fn main() -> slmesh::Result<()> {
//! let mut motion = Motion::new(2.0);
//! let mut head = Joint::new("mHead");
//! head.rotations = vec![
//!     Key::of_rotation(0.0, [0.0, 0.0, 0.0, 1.0]),
//!     Key::of_rotation(1.0, [0.0, 0.0, 0.5, 0.866]),
//! ];
//! motion.joints.push(head);
//! let bytes = motion::to_vec(&motion)?;
//! assert_eq!(motion::from_slice(&bytes)?, motion);
//! assert!(motion::check(&motion).is_empty());
//! # Ok(())
//! # }
//! ```

use crate::consts::joints;
pub use crate::model::motion::{Constraint, HAND_POSES, Joint, Key, MAX_OFFSET, Motion};
use crate::options::ReadOptions;
use crate::wire;
use geom::wire::{Finding, Findings, Result, rules};

rules! {
    "slmesh":
    NUMBERS = Error("motion-finite", "the times of a motion are finite and at least 0, and the numbers of \
        its constraints are finite");
    DURATION = Error("motion-duration", "a motion lasts at most 60 s: the viewer refuses longer ones");
    PRIORITY = Warning("motion-priority", "the priority of a motion is from 0 to 6, and that of a joint from -1 to 6: \
        the viewer treats a greater priority of a motion as 6");
    LEAST_PRIORITY = Error("motion-priority-minimum", "the priority of a motion or a joint is at least -1: \
        otherwise the viewer refuses the motion");
    LOOP = Warning("motion-loop", "loop_in is at most loop_out, loop_out is at most the duration, and looped is 0 or 1");
    HAND_POSE = Error("motion-hand-pose", "a hand pose is a number from 0 to 13");
    JOINTS = Error("motion-joints", "a motion moves 1 to 216 joints");
    JOINT_NAME = Error("motion-joint-name", "joints have names that the viewer knows, such as mPelvis: otherwise \
        it refuses the upload");
    JOINT_TWICE = Warning("motion-joint-twice", "a joint occurs at most once");
    KEY_ORDER = Error("motion-key-order", "the keys of a joint are ordered by time");
    CONSTRAINT_KIND = Error("motion-constraint-kind", "the kind of a constraint is 0 (point) or 1 (plane)");
    REST = Warning("motion-rest", "no bytes follow the constraints");
}

/// The maximum number of joints of a motion.
pub const MAX_JOINTS: usize = 216;

/// The maximum duration of a motion in seconds.
pub const MAX_DURATION: f32 = 60.0;

/// Whether the bytes look like a motion. The format has no magic: checks a version, a priority, a duration and a
/// text.
pub fn detect(bytes: &[u8]) -> bool {
    wire::motion::detect(bytes)
}

/// Reads a motion with the default options.
///
/// # Errors
/// As [`ReadOptions::read_motion`].
pub fn from_slice(bytes: &[u8]) -> Result<Motion> {
    ReadOptions::new().read_motion(bytes)
}

/// Writes a motion: an unedited one comes back byte for byte.
///
/// # Errors
/// [`Unwritable`](crate::errors::ErrorKind::Unwritable), with the path, for a text with a zero byte in it and for more than
/// 2,147,483,647 joints, keys or constraints.
pub fn to_vec(motion: &Motion) -> Result<Vec<u8>> {
    wire::motion::write(motion)
}

impl ReadOptions {
    /// Reads a motion.
    ///
    /// # Errors
    /// If the bytes end too early, a count exceeds the remaining bytes, the version is not 1.0, or the motion needs
    /// more memory than [`max_bytes`](Self::max_bytes).
    pub fn read_motion(&self, bytes: &[u8]) -> Result<Motion> {
        wire::motion::read(bytes, &mut wire::Limits::new(self))
    }
}

/// Every rule of the viewer that a motion violates.
pub fn check(motion: &Motion) -> Vec<Finding> {
    let mut findings = Findings::default();
    let mut found = |rule, path: String, what: String| findings.add(rule, || (path, what));
    let Motion { priority, duration, loop_in, loop_out, looped, ease_in, ease_out, hand_pose, .. } = motion;
    let times = [("duration", duration), ("loop_in", loop_in), ("loop_out", loop_out), ("ease_in", ease_in)];
    for (name, time) in times.into_iter().chain([("ease_out", ease_out)]) {
        if !time.is_finite() || *time < 0.0 {
            found(NUMBERS, name.into(), format!("expected a finite time of at least 0 s, found {time}"));
        }
    }
    if *duration > MAX_DURATION {
        found(DURATION, "duration".into(), format!("expected at most {MAX_DURATION} s, found {duration} s"));
    }
    let rule = |priority: i32| if priority < -1 { LEAST_PRIORITY } else { PRIORITY };
    let outside = |priority: i32, least: i32| match priority < -1 {
        true => format!("expected a priority of at least -1, found {priority}"),
        false => format!("expected a priority from {least} to 6, found {priority}"),
    };
    if !(0..=6).contains(priority) {
        found(rule(*priority), "priority".into(), outside(*priority, 0));
    }
    if loop_in > loop_out {
        let what = format!("expected at most loop_out ({loop_out} s), found {loop_in} s");
        found(LOOP, "loop_in".into(), what);
    }
    if loop_out > duration {
        let what = format!("expected at most the duration ({duration} s), found {loop_out} s");
        found(LOOP, "loop_out".into(), what);
    }
    if !(0..=1).contains(looped) {
        found(LOOP, "looped".into(), format!("expected 0 or 1, found {looped}"));
    }
    if *hand_pose as usize >= HAND_POSES.len() {
        let most = HAND_POSES.len() - 1;
        found(HAND_POSE, "hand_pose".into(), format!("expected 0 to {most}, found {hand_pose}"));
    }
    if motion.joints.is_empty() || motion.joints.len() > MAX_JOINTS {
        let count = motion.joints.len();
        found(JOINTS, "joints".into(), format!("expected 1 to {MAX_JOINTS} joints, found {count}"));
    }
    let mut names = std::collections::HashSet::new();
    for (index, joint) in motion.joints.iter().enumerate() {
        let name = || format!("{:?}", joint.name);
        if joint.name.as_str().and_then(joints::find).is_none() {
            let what = format!("the viewer knows no joint with the name {}", name());
            found(JOINT_NAME, format!("joints[{index}].name"), what);
        }
        if !names.insert(joint.name.as_ref()) {
            found(JOINT_TWICE, format!("joints[{index}].name"), format!("duplicate joint {}", name()));
        }
        if !(-1..=6).contains(&joint.priority) {
            let what = outside(joint.priority, -1);
            found(rule(joint.priority), format!("joints[{index}].priority"), what);
        }
        for (keys, what) in [(&joint.rotations, "rotations"), (&joint.positions, "positions")] {
            let pairs = keys.windows(2).enumerate();
            for (key, _) in pairs.filter(|(_, pair)| pair[0].time > pair[1].time) {
                found(
                    KEY_ORDER,
                    format!("joints[{index}].{what}[{}]", key + 1),
                    format!(
                        "the time of this key, {}, is less than the time of the previous key, {} \
                         (65,535 is the end of the motion)",
                        keys[key + 1].time,
                        keys[key].time
                    ),
                );
            }
        }
    }
    for (index, constraint) in motion.constraints.iter().enumerate() {
        if constraint.kind > 1 {
            let what = format!("expected 0 (point) or 1 (plane), found {}", constraint.kind);
            found(CONSTRAINT_KIND, format!("constraints[{index}].kind"), what);
        }
        let Constraint { source_offset, target_offset, target_direction, .. } = constraint;
        let vectors = [*source_offset, *target_offset, *target_direction];
        let Constraint { ease_in_start, ease_in_stop, ease_out_start, ease_out_stop, .. } = constraint;
        let times = [ease_in_start, ease_in_stop, ease_out_start, ease_out_stop];
        if !vectors.as_flattened().iter().chain(times).all(|number| number.is_finite()) {
            found(
                NUMBERS,
                format!("constraints[{index}]"),
                "the constraint contains an infinite or NaN number".into(),
            );
        }
    }
    if !motion.rest.is_empty() {
        found(
            REST,
            "rest".into(),
            format!("the file continues after the constraints (bytes: {})", motion.rest.len()),
        );
    }
    findings.into_vec()
}
