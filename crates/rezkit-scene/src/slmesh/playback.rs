//! The settings of motions: priority, loop, ease and hands. In a scene, they are the playback of the animation.

use rezkit_core::{Counted, Error, Loss, Result};
use slmesh::motion::{Constraint, HAND_POSES, MAX_DURATION, Motion};

use super::uploaded;
use crate::model::{Animation, Playback, Priority, Scene};

/// The default pose of the hands: the index of `relaxed`.
const RELAXED: u32 = 1;

/// The settings of motions. A setting that is `None` is taken from the animation's playback, or is the default: priority
/// 3, played once, easing of 0.8 s but at most half of the motion, relaxed hands. For a BVH file that is not converted
/// with [`exact`](Self::exact), the default priority is 2, and the default easing 0.3 s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MotionOptions {
    /// The priority, 0 to 6: if two motions move a joint, the one with the higher priority wins.
    pub priority: Option<i32>,
    /// Whether the motion is repeated.
    pub looped: Option<Loop>,
    /// The fade-in time, in seconds.
    pub ease_in: Option<f32>,
    /// The fade-out time, in seconds.
    pub ease_out: Option<f32>,
    /// The pose of the hands: an index of [`HAND_POSES`].
    pub hand_pose: Option<u32>,
    /// Whether BVH is converted exactly, by its rest pose and with all frames, and not like the viewer's upload does.
    pub exact: bool,
}

/// Whether a motion is repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Loop {
    /// The motion is played once.
    #[default]
    Off,
    /// The whole motion is repeated.
    On,
    /// The part between two times, in seconds, is repeated; the parts before and after it are played once.
    Between(f32, f32),
}

/// The index of a hand pose by its name, with spaces or `-`, or by its number; `None` if it is neither.
pub fn hand_pose(text: &str) -> Option<u32> {
    let plain = text.replace('-', " ");
    let named = (0..).zip(HAND_POSES).find(|(_, name)| **name == plain);
    named.map(|(number, _)| number).or_else(|| text.parse().ok())
}

impl MotionOptions {
    /// Whether no option is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Changes the settings of a motion. A new priority is also that of the joints that have the old one.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) for a priority outside 0 to 6, a hand pose that does not exist,
    /// times that are negative or not finite, and a loop that is not within the motion or ends before it begins.
    pub fn apply(&self, motion: &mut Motion) -> Result<()> {
        let wrong = |path: &str, expected: &str, found: String| {
            Err(Error::argument(format!("expected {expected}, found {found}")).at(path))
        };
        let duration = motion.duration;
        match self.priority {
            Some(priority) if !(0..=6).contains(&priority) => {
                return wrong("priority", "a number from 0 to 6", priority.to_string());
            }
            None => {}
            Some(priority) => {
                // Viewers use the priority of each joint, so those that have that of the motion follow it.
                let before = std::mem::replace(&mut motion.priority, priority);
                let same = motion.joints.iter_mut().filter(|joint| joint.priority == before);
                same.for_each(|joint| joint.priority = priority);
            }
        }
        match self.looped {
            None => {}
            Some(Loop::Off) => motion.looped = 0,
            Some(Loop::On) => (motion.looped, motion.loop_in, motion.loop_out) = (1, 0.0, duration),
            Some(Loop::Between(from, to)) if 0.0 <= from && from <= to && to <= duration => {
                (motion.looped, motion.loop_in, motion.loop_out) = (1, from, to);
            }
            Some(Loop::Between(from, to)) => {
                let expected = format!("two times from 0 s to {duration} s (the earlier one first)");
                return wrong("loop", &expected, format!("{from} and {to}"));
            }
        }
        let eases =
            [("ease", self.ease_in, &mut motion.ease_in), ("ease", self.ease_out, &mut motion.ease_out)];
        for (name, wanted, ease) in eases {
            match wanted {
                Some(seconds) if !(seconds.is_finite() && seconds >= 0.0) => {
                    return wrong(name, "0 seconds or more", seconds.to_string());
                }
                wanted => *ease = wanted.unwrap_or(*ease),
            }
        }
        match self.hand_pose {
            Some(pose) if pose as usize >= HAND_POSES.len() => {
                wrong("hand-pose", &format!("a number from 0 to {}", HAND_POSES.len() - 1), pose.to_string())
            }
            pose => {
                motion.hand_pose = pose.unwrap_or(motion.hand_pose);
                Ok(())
            }
        }
    }

    /// Changes the settings of all animations of a scene, for their conversion to motions.
    ///
    /// # Errors
    /// As [`apply`](Self::apply); if there is no animation; if one is longer than the viewer's 60 s; and if `exact` is
    /// set but the animations are not those of a BVH file.
    pub fn apply_to(&self, scene: &mut Scene) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        if scene.animations.is_empty() {
            return Err(Error::argument(
                "the options for animations (priority, loop, ease, hand-pose, exact) have no effect, because the \
                 file has no animation: remove them",
            ));
        }
        if self.exact && !uploaded::make_exact(scene) {
            return Err(Error::argument("the option exact applies only to BVH files; remove it"));
        }
        let is_one = scene.animations.len() == 1;
        for index in 0..scene.animations.len() {
            let at = |error: Error| error.below(|path| format!("animations[{index}].{path}"));
            // Invalid values are listed when the motion is created.
            let unlisted = &mut Vec::new();
            let is_uploaded = uploaded::is_taken(scene, &scene.animations[index], unlisted);
            let animation = &mut scene.animations[index];
            let mut motion = stated(animation, is_uploaded, unlisted).map_err(at)?;
            // The fault is in an option; only the end of a loop depends on the animation.
            self.apply(&mut motion).map_err(|error| match is_one || error.path() != "loop" {
                true => error,
                false => error.below(|path| format!("animations[{index}]: {path}")),
            })?;
            let priority = animation.playback.priority;
            keep(&motion, &mut animation.playback);
            if self.priority.is_none() {
                // A priority of Roblox is still to be listed.
                animation.playback.priority = priority;
            }
        }
        Ok(())
    }
}

/// The numbers of the settings of a motion, with their names.
fn numbers(motion: &Motion) -> [(&'static str, f32); 5] {
    let Motion { duration, loop_in, loop_out, ease_in, ease_out, .. } = *motion;
    [
        ("duration", duration),
        ("loop_in", loop_in),
        ("loop_out", loop_out),
        ("ease_in", ease_in),
        ("ease_out", ease_out),
    ]
}

/// Whether all numbers of a constraint are finite.
fn is_finite(constraint: &Constraint) -> bool {
    let Constraint { source_offset, target_offset, target_direction, .. } = constraint;
    let Constraint { ease_in_start, ease_in_stop, ease_out_start, ease_out_stop, .. } = *constraint;
    let times = [ease_in_start, ease_in_stop, ease_out_start, ease_out_stop];
    let vectors = [*source_offset, *target_offset, *target_direction];
    vectors.as_flattened().iter().chain(&times).all(|number| number.is_finite())
}

/// The settings that [`keep`] cannot store.
pub(super) fn unkept(motion: &Motion) -> Vec<Loss> {
    let mut losses = Vec::new();
    for (name, _) in numbers(motion).into_iter().filter(|(_, number)| !number.is_finite()) {
        Loss::new(name, "a setting that is infinite or NaN").id("sl.malformed").count_in(&mut losses);
    }
    if !(0..=1).contains(&motion.looped) {
        let what = format!("the number {}, which viewers take for 1", motion.looped);
        losses.push(Loss::approximated("loop", what).id("sl.malformed"));
    }
    if motion.emote.as_str().is_none() {
        losses.push(Loss::new("emote", "a name that is not UTF-8 text").id("sl.malformed"));
    }
    let mut broken = motion.constraints.iter().enumerate().filter(|(_, constraint)| !is_finite(constraint));
    if let Some((index, _)) = broken.next() {
        let loss = Loss::new(format!("constraints[{index}]"), "a constraint with infinite or NaN numbers")
            .id("sl.malformed");
        losses.push(loss.times(1 + broken.count()));
    }
    if !motion.rest.is_empty() {
        let count = Counted::new(motion.rest.len(), "bytes");
        losses.push(
            Loss::new(
                "",
                format!("{count} of unknown meaning at the end of the file, after the constraints"),
            )
            .id("file.extra-bytes"),
        );
    }
    losses
}

/// Stores the settings of a motion; those that are not finite are left out.
pub(super) fn keep(motion: &Motion, playback: &mut Playback) {
    let Motion { priority, duration, loop_in, loop_out, looped, ease_in, ease_out, hand_pose, .. } = *motion;
    let finite = |number: f32| Some(number).filter(|number| number.is_finite());
    playback.looped = Some(looped != 0);
    playback.loop_part = finite(loop_in).zip(finite(loop_out)).map(|(from, to)| [from, to]);
    playback.duration = finite(duration);
    playback.priority.second_life = Some(priority);
    (playback.ease_in, playback.ease_out) = (finite(ease_in), finite(ease_out));
    playback.hand_pose = Some(hand_pose);
    playback.expression = motion.emote.as_str().unwrap_or_default().to_owned();
    playback.constraints = motion.constraints.iter().copied().filter(is_finite).collect();
}

/// The priority of a joint; -1 for that of the motion.
pub(super) fn priority(animation: &Animation, joint: &str) -> i32 {
    animation.playback.joint_priorities.get(joint).copied().unwrap_or(-1)
}

/// Lists the settings of Second Life that animations of Roblox do not have.
pub(crate) fn for_roblox(animation: &Animation, path: &str, losses: &mut Vec<Loss>) {
    let playback = &animation.playback;
    let duration = animation.lasts();
    if let Priority { second_life: Some(priority), roblox: None } = playback.priority {
        let what = format!(
            "the priority {priority} of Second Life: Roblox has other priorities, and Action is used (set the option \
             priority to choose another)"
        );
        losses.push(Loss::approximated(path, what).id("animation.priority"));
    }
    let is_part =
        playback.looped != Some(false) && playback.loop_part.is_some_and(|part| part != [0.0, duration]);
    // Keys have 65,536 different times.
    let is_longer = duration - animation.duration() > duration / 16_384.0;
    let has_time = |ease: Option<f32>| ease.is_some_and(|time| time != 0.0);
    let lost = [
        ("the start and end of the repeated part", is_part),
        ("the time after the last key", is_longer),
        ("the fade-in and fade-out times", has_time(playback.ease_in) || has_time(playback.ease_out)),
        ("the hand pose", playback.hand_pose.is_some_and(|pose| pose != RELAXED)),
        ("the facial expression (emote)", !playback.expression.is_empty()),
        ("the constraints", !playback.constraints.is_empty()),
        ("the priorities of joints", !playback.joint_priorities.is_empty()),
    ];
    let lost: Vec<&str> = lost.into_iter().filter(|(_, is_lost)| *is_lost).map(|(what, _)| what).collect();
    if !lost.is_empty() {
        let what = format!("settings that animations of Roblox do not have: {}", lost.join(", "));
        losses.push(Loss::new(path, what).id("animation.settings"));
    }
}

/// A motion without joints, with the playback of an animation. A priority of Roblox and extras are listed as losses.
/// `is_uploaded`: whether the defaults are those of the viewer's upload of BVH.
///
/// # Errors
/// If the animation is longer than the viewer's 60 s.
pub(super) fn stated(animation: &Animation, is_uploaded: bool, losses: &mut Vec<Loss>) -> Result<Motion> {
    let playback = &animation.playback;
    // The original duration exceeds the last key if nothing moves at the end.
    let own = if is_uploaded { uploaded::duration(animation) } else { animation.duration() };
    let duration = own.max(playback.duration.unwrap_or(0.0));
    if duration > MAX_DURATION {
        return Err(Error::unwritable(format!(
            "the animation lasts {duration} s, but the viewer plays at most {MAX_DURATION} s: shorten it"
        )));
    }
    let (priority, ease) = if is_uploaded { (uploaded::PRIORITY, uploaded::EASE) } else { (3, 0.8) };
    let ease = duration.min(2.0 * ease) / 2.0;
    let mut motion = Motion::new(duration);
    motion.looped = i32::from(playback.looped.unwrap_or(false));
    [motion.loop_in, motion.loop_out] = playback.loop_part.unwrap_or([0.0, duration]);
    motion.ease_in = playback.ease_in.unwrap_or(ease);
    motion.ease_out = playback.ease_out.unwrap_or(ease);
    motion.priority = playback.priority.second_life.unwrap_or(priority);
    motion.hand_pose = playback.hand_pose.unwrap_or(RELAXED);
    motion.constraints.clone_from(&playback.constraints);
    motion.emote = playback.expression.as_str().into();
    if let Priority { second_life: None, roblox: Some(priority) } = playback.priority {
        let name = Priority::roblox_name(priority).map_or_else(|| priority.to_string(), str::to_owned);
        let what = format!(
            "the priority {name} of Roblox: Second Life has other priorities, and {} is used (to choose another, use \
             `--priority`)",
            motion.priority
        );
        let path = format!("animations {:?}.priority", animation.name);
        losses.push(Loss::approximated(path, what).id("animation.priority"));
    }
    // Such as markers and the keys of facial controls.
    let others = animation.extras.iter().filter(|(_, value)| !value.is_null());
    losses.extend(others.map(|(name, _)| {
        let path = format!("animations {:?}.extras.{name}", animation.name);
        Loss::new(path, "extras, which a Second Life animation cannot contain").id("animation.settings")
    }));
    Ok(motion)
}
