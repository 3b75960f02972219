//! Changes of animations: their speed, the joints that they move, and their sides.

use std::collections::BTreeSet;
use std::sync::Arc;

use rezkit_core::{Error, Loss, Result};
use slmesh::joints;
use slmesh::motion::{Constraint, HAND_POSES, Key, MAX_DURATION, Motion};

use crate::model::{Playback, Scene};
use crate::retarget;

/// Changes of animations. By default, nothing changes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ChangeOptions {
    /// Plays this number of times as fast: all times are divided by it, also those of the loop and of fading in and out.
    pub speed: Option<f32>,
    /// The names of joints that are no longer moved; `*` stands for any text.
    pub drop_joints: Vec<String>,
    /// Exchanges the left and the right side.
    pub mirror: bool,
    /// Whether the hips stay above the place where they begin.
    pub in_place: bool,
    /// The part of the time that is kept, from and to, in seconds.
    pub trim: Option<[f32; 2]>,
    /// Drops keys that interpolation yields within a number of degrees and a distance in units of the animation.
    pub reduce: Option<[f32; 2]>,
    /// A file whose first animation follows.
    pub then: Option<Arc<[u8]>>,
    /// The seconds in which the end of the animation and the start of the one that follows are blended: 0.3 by default.
    pub blend: Option<f32>,
    /// A file whose first animation, or pose, replaces the motion of a part of the body.
    pub pose: Option<Arc<[u8]>>,
    /// The joints of that part, with everything below them: names, in which `*` stands for any text; all by default.
    pub pose_joints: Vec<String>,
}

impl ChangeOptions {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether only changes are set that [`apply`](Self::apply) makes: the speed, dropped joints and the mirror.
    pub fn is_exact(&self) -> bool {
        let Self { in_place, trim, reduce, then, pose, .. } = self;
        !in_place && trim.is_none() && reduce.is_none() && then.is_none() && pose.is_none()
    }

    /// Changes a motion; returns what has no other side.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if a change would have no effect, a speed is not above 0, no joint
    /// would be left, or the motion would last longer than the viewer's 60 s.
    pub fn apply(&self, motion: &mut Motion) -> Result<Vec<Loss>> {
        if let Some(speed) = self.checked()? {
            faster(motion, speed)?;
        }
        let names: Vec<String> = motion.joints.iter().map(|joint| joint.name.to_string()).collect();
        let dropped = self.dropped(names.iter().map(String::as_str))?;
        motion.joints.retain(|joint| !dropped.contains(&joint.name.to_string()));
        if self.mirror { mirror(motion) } else { Ok(Vec::new()) }
    }

    /// Changes the speed and the joints of all animations of a scene; [`change`](crate::motion::change) makes the others.
    ///
    /// # Errors
    /// As [`apply`](Self::apply), and if the scene has no animation.
    pub fn apply_to(&self, scene: &mut Scene) -> Result<()> {
        let speed = self.checked()?;
        let alone = [
            ("blend", self.blend.is_some() && self.then.is_none(), "then"),
            ("pose-joints", !self.pose_joints.is_empty() && self.pose.is_none(), "pose"),
        ];
        if let Some((name, _, other)) = alone.into_iter().find(|(_, is_alone, _)| *is_alone) {
            let what = format!("it has no effect without the option {other}; remove it");
            return Err(Error::argument(what).at(name));
        }
        if scene.animations.is_empty() {
            let what = "the options of changes, such as speed and trim, have no effect, because the file has no animation: \
                        remove them";
            return Err(Error::argument(what));
        }
        let nodes = &scene.nodes;
        let moved = scene.channels();
        let dropped = self.dropped(moved.map(|channel| &*nodes[channel.node].name))?;
        for animation in &mut scene.animations {
            animation.channels.retain(|channel| !dropped.contains(&nodes[channel.node].name));
            if animation.channels.is_empty() && !dropped.is_empty() {
                let what = format!(
                    "no joint of the animation {:?} would be left: name fewer of them",
                    animation.name
                );
                return Err(Error::argument(what).at("drop-joints"));
            }
            let Some(speed) = speed else { continue };
            for channel in &mut animation.channels {
                channel.times.iter_mut().for_each(|time| *time /= speed);
                channel.stretch(speed);
            }
            animation.playback.faster(speed);
        }
        Ok(())
    }

    fn checked(&self) -> Result<Option<f32>> {
        let wrong = |expected: &str, speed| {
            Error::argument(format!("expected {expected}, found {speed}")).at("speed")
        };
        match self.speed {
            Some(speed) if !(speed.is_finite() && speed > 0.0) => Err(wrong("a number above 0", speed)),
            Some(1.0) => Err(wrong("a number other than 1, which has no effect", 1.0)),
            speed => Ok(speed),
        }
    }

    /// The names of joints that are dropped.
    fn dropped<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<BTreeSet<String>> {
        let names: BTreeSet<&str> = names.collect();
        for pattern in &self.drop_joints {
            if !names.iter().any(|name| fits(pattern, name)) {
                let found = names.iter().take(20).copied().collect::<Vec<_>>().join(", ");
                let more = if names.len() > 20 { ", …" } else { "" };
                let what =
                    format!("the animation moves no joint with the name {pattern:?} (found: {found}{more})");
                return Err(Error::argument(what).at("drop-joints"));
            }
        }
        let is_dropped = |name: &&&str| self.drop_joints.iter().any(|pattern| fits(pattern, name));
        let dropped: BTreeSet<String> =
            names.iter().filter(is_dropped).map(|&name| name.to_owned()).collect();
        if !dropped.is_empty() && dropped.len() == names.len() {
            let what = "no joint of the animation would be left: name fewer of them";
            return Err(Error::argument(what).at("drop-joints"));
        }
        Ok(dropped)
    }
}

/// Whether a name has a pattern in which `*` stands for any text.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').map_or((None, rest), |(middle, last)| (Some(middle), last));
    // The first place of each part leaves the most for those after it.
    for part in middle.into_iter().flat_map(|middle| middle.split('*')) {
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(last)
}

fn faster(motion: &mut Motion, speed: f32) -> Result<()> {
    let of_motion = [&mut motion.duration, &mut motion.loop_in, &mut motion.loop_out];
    let eases = [&mut motion.ease_in, &mut motion.ease_out];
    let of_constraints = motion.constraints.iter_mut().flat_map(|of| {
        [&mut of.ease_in_start, &mut of.ease_in_stop, &mut of.ease_out_start, &mut of.ease_out_stop]
    });
    of_motion.into_iter().chain(eases).chain(of_constraints).for_each(|time| *time /= speed);
    match motion.duration {
        duration if duration > MAX_DURATION => {
            let what = format!(
                "the animation would last {duration} s, but the viewer plays at most {MAX_DURATION} s: choose a greater \
                 number"
            );
            Err(Error::argument(what).at("speed"))
        }
        _ => Ok(()),
    }
}

/// Mirrors a motion: y is the avatar's left. A number of a key is mirrored exactly.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if the motion is its own mirror image.
pub(super) fn mirror(motion: &mut Motion) -> Result<Vec<Loss>> {
    let mut losses = Vec::new();
    let before = motion.clone();
    let flip = |keys: &mut [Key], axes: &[usize]| {
        for key in keys {
            axes.iter().for_each(|&axis| key.value[axis] = u16::MAX - key.value[axis]);
        }
    };
    for joint in &mut motion.joints {
        if let Some(name) = joint.name.as_str().and_then(other_side) {
            joint.name = name.into();
        }
        flip(&mut joint.positions, &[1]);
        flip(&mut joint.rotations, &[0, 2]);
    }
    motion.constraints.iter_mut().for_each(mirror_constraint);
    mirror_hand(&mut motion.hand_pose, &mut losses);
    if *motion == before {
        return Err(Error::argument("the animation is its own mirror image; remove the option").at("mirror"));
    }
    Ok(losses)
}

/// Mirrors the playback of an animation; lists what has no other side.
pub(crate) fn mirror_playback(playback: &mut Playback, losses: &mut Vec<Loss>) {
    let priorities = std::mem::take(&mut playback.joint_priorities).into_iter();
    playback
        .joint_priorities
        .extend(priorities.map(|(name, priority)| (other_side(&name).unwrap_or(name), priority)));
    playback.constraints.iter_mut().for_each(mirror_constraint);
    playback.hand_pose.iter_mut().for_each(|pose| mirror_hand(pose, losses));
}

fn mirror_constraint(constraint: &mut Constraint) {
    [&mut constraint.source, &mut constraint.target].into_iter().for_each(mirror_name);
    let vectors =
        [&mut constraint.source_offset, &mut constraint.target_offset, &mut constraint.target_direction];
    vectors.into_iter().for_each(|vector| vector[1] = -vector[1]);
}

fn mirror_hand(pose: &mut u32, losses: &mut Vec<Loss>) {
    let name = usize::try_from(*pose).ok().and_then(|pose| HAND_POSES.get(pose));
    let Some((name, other)) = name.and_then(|name| Some((name, other_hand(name)?))) else { return };
    match (0..).zip(HAND_POSES).find(|(_, name)| *name == other) {
        Some((number, _)) => *pose = number,
        None => {
            let what =
                format!("the hand pose {name:?}, which has no counterpart for the other hand: it is kept");
            losses.push(Loss::approximated("hand_pose", what).id("animation.settings"));
        }
    }
}

fn other_hand(pose: &str) -> Option<String> {
    let swap = |from, to| pose.strip_suffix(from).map(|start| format!("{start}{to}"));
    swap("left", "right").or_else(|| swap("right", "left"))
}

/// The name of a joint of the other side; `None` for a joint in the middle.
fn other_side(name: &str) -> Option<String> {
    retarget::other_side(joints::find(name).map_or(name, |joint| joint.name))
}

/// Mirrors the name of a collision volume, which a zero byte ends.
fn mirror_name(name: &mut [u8; 16]) {
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    let other = std::str::from_utf8(&name[..end]).ok().and_then(other_side);
    if let Some(other) = other.filter(|other| other.len() < name.len()) {
        if other.len() != end {
            name.fill(0);
        }
        name[..other.len()].copy_from_slice(other.as_bytes());
    }
}
