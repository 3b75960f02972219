//! The settings of motions: priority, loop, ease and hands. In a scene, they are extras of the animation.

use rezkit_core::plain::shorten;
use rezkit_core::{Counted, Error, Loss, Result};
use serde_json::{Map, Value, json};
use slmesh::motion::{Constraint, HAND_POSES, MAX_DURATION, Motion};

use super::uploaded;
use crate::model::{Animation, LOOP, PRIORITY, Scene};

/// The extra of an animation in which its settings are kept.
pub(super) const EXTRAS: &str = "secondlife_motion";

/// The default pose of the hands: the index of `relaxed`.
const RELAXED: u32 = 1;

/// The settings of motions. A setting that is `None` is taken from the animation's extras, or is the default: priority
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
            let own = priorities(animation).cloned().unwrap_or_default();
            let is_default = self.priority.is_none() && setting(animation, "priority").is_none();
            keep(&motion, own, animation);
            if is_default && let Some(Value::Object(kept)) = animation.extras.get_mut(EXTRAS) {
                // A priority of Roblox is still to be listed.
                kept.remove("priority");
            }
            if let (Some(looped), Some(kept)) = (self.looped, animation.extras.get_mut(LOOP)) {
                *kept = (looped != Loop::Off).into();
            }
        }
        Ok(())
    }
}

/// The memory that [`keep`] needs, about: a constraint is a map of eleven names with lists of numbers.
pub(super) fn cost(motion: &Motion) -> u64 {
    motion.constraints.len() as u64 * 2560 + motion.emote.len() as u64 * 2
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

/// Whether all numbers of a constraint can be written as JSON.
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

/// Stores the settings of a motion and the priorities of its joints in an animation.
pub(super) fn keep(motion: &Motion, priorities: Map<String, Value>, animation: &mut Animation) {
    let Motion { priority, duration, loop_in, loop_out, looped, ease_in, ease_out, hand_pose, .. } = motion;
    let mut stated = json!({
        "priority": priority,
        "duration": duration,
        "loop": [looped, loop_in, loop_out],
        "ease": [ease_in, ease_out],
        "handPose": hand_pose,
        "emote": motion.emote.as_str().unwrap_or_default(),
    });
    if !priorities.is_empty() {
        stated["priorities"] = priorities.into();
    }
    let mut constraints = motion.constraints.iter().filter(|constraint| is_finite(constraint)).peekable();
    if constraints.peek().is_some() {
        stated["constraints"] = constraints.map(|constraint| json!(constraint)).collect();
    }
    animation.extras.insert(EXTRAS.into(), stated);
}

/// A setting in the extras of an animation.
fn setting<'a>(animation: &'a Animation, name: &str) -> Option<&'a Value> {
    animation.extras.get(EXTRAS)?.get(name).filter(|value| !value.is_null())
}

/// The time that an animation lasts in seconds, also if nothing moves at its end.
pub(crate) fn lasts(animation: &Animation) -> f32 {
    read(animation, false, &mut Vec::new()).duration
}

/// The priorities of joints in the extras of an animation.
fn priorities(animation: &Animation) -> Option<&Map<String, Value>> {
    setting(animation, "priorities")?.as_object()
}

/// The priority of a joint in the extras of an animation; -1 for that of the motion.
pub(super) fn priority(animation: &Animation, joint: &str) -> i32 {
    let found = priorities(animation).and_then(|priorities| priorities.get(joint)).and_then(Value::as_i64);
    found.and_then(|number| i32::try_from(number).ok()).unwrap_or(-1)
}

/// Whether a motion with settings in the extras of an animation is repeated, for Roblox; `None` without settings. Lists
/// the settings that Roblox does not have. `has_loop` and `has_priority`: whether these settings are replaced.
pub(crate) fn for_roblox(
    animation: &Animation,
    [has_loop, has_priority]: [bool; 2],
    path: &str,
    losses: &mut Vec<Loss>,
) -> Option<bool> {
    animation.extras.get(EXTRAS)?;
    let motion = read(animation, false, losses);
    let is_looped = setting(animation, "loop").map(|_| motion.looped != 0);
    if let Some(priority) = setting(animation, "priority").filter(|_| !has_priority) {
        let what = format!(
            "the priority {priority} of Second Life: Roblox has other priorities, and Action is used (set the option \
             priority to choose another)"
        );
        losses.push(Loss::approximated(path, what).id("animation.priority"));
    }
    let is_part = motion.looped != 0 && (motion.loop_in, motion.loop_out) != (0.0, motion.duration);
    // Keys have 65,536 different times.
    let is_longer = motion.duration - animation.duration() > motion.duration / 16_384.0;
    let lost = [
        ("the start and end of the repeated part", is_part && !has_loop),
        ("the time after the last key", is_longer),
        ("the fade-in and fade-out times", (motion.ease_in, motion.ease_out) != (0.0, 0.0)),
        ("the hand pose", motion.hand_pose != RELAXED),
        ("the facial expression (emote)", !motion.emote.is_empty()),
        ("the constraints", !motion.constraints.is_empty()),
        ("the priorities of joints", priorities(animation).is_some_and(|of| !of.is_empty())),
    ];
    let lost: Vec<&str> = lost.into_iter().filter(|(_, is_lost)| *is_lost).map(|(what, _)| what).collect();
    if !lost.is_empty() {
        let what = format!("settings that animations of Roblox do not have: {}", lost.join(", "));
        losses.push(Loss::new(path, what).id("animation.settings"));
    }
    is_looped
}

/// A motion without joints, with the settings in the extras of an animation. Settings that are not numbers are listed
/// as losses, and so is a priority of Roblox. `is_uploaded`: whether the defaults are those of the viewer's upload of
/// BVH.
///
/// # Errors
/// If the animation is longer than the viewer's 60 s.
pub(super) fn stated(animation: &Animation, is_uploaded: bool, losses: &mut Vec<Loss>) -> Result<Motion> {
    let mut motion = read(animation, is_uploaded, losses);
    let duration = motion.duration;
    if duration > MAX_DURATION {
        return Err(Error::unwritable(format!(
            "the animation lasts {duration} s, but the viewer plays at most {MAX_DURATION} s: shorten it"
        )));
    }
    let of_roblox = |name: &str| animation.extras.get(name).filter(|value| !value.is_null());
    let path = |name: &str| format!("animations {:?}.extras.{name}", animation.name);
    if let (None, Some(looped)) = (setting(animation, "loop"), of_roblox(LOOP)) {
        motion.looped = looped.as_bool().map_or(0, i32::from);
        if !looped.is_boolean() {
            let what = format!("expected true or false, found {looped}: the animation plays once");
            losses.push(Loss::filled_in(path(LOOP), what).id("animation.settings"));
        }
    }
    if let (None, Some(priority)) = (setting(animation, "priority"), of_roblox(PRIORITY)) {
        let name = || {
            let items = rbxcore::classes::class("KeyframeSequence")?.property(PRIORITY)?.items()?;
            items.item_name(priority.as_u64()?.try_into().ok()?)
        };
        let what = format!(
            "the priority {} of Roblox: Second Life has other priorities, and {} is used (to choose another, use \
             `--priority`)",
            name().map_or_else(|| priority.to_string(), str::to_owned),
            motion.priority
        );
        losses.push(Loss::approximated(path(PRIORITY), what).id("animation.priority"));
    }
    // Such as markers and the keys of facial controls.
    let others = animation.extras.iter().filter(|(name, value)| {
        ![EXTRAS, LOOP, PRIORITY, uploaded::BVH, uploaded::AT_REST].contains(&name.as_str())
            && !value.is_null()
    });
    losses.extend(others.map(|(name, _)| {
        Loss::new(path(name), "extras, which a Second Life animation cannot contain").id("animation.settings")
    }));
    Ok(motion)
}

/// A motion without joints, with the settings in the extras of an animation that [`keep`] stored.
fn read(animation: &Animation, is_uploaded: bool, losses: &mut Vec<Loss>) -> Motion {
    let stated = animation.extras.get(EXTRAS).unwrap_or(&Value::Null);
    let mut get = |path: &str| {
        let found = stated.pointer(path).filter(|value| !value.is_null())?;
        let number = found.as_f64().filter(|number| number.is_finite());
        if number.is_none() {
            let path = format!("animations {:?}.extras.{EXTRAS}{}", animation.name, path.replace('/', "."));
            losses.push(
                Loss::filled_in(path, format!("expected a number, found {found}: the default is used"))
                    .id("animation.settings"),
            );
        }
        number
    };
    #[allow(clippy::cast_possible_truncation, reason = "rounded, or the nearest that fits")]
    let mut real = |path: &str| get(path).map(|number| number as f32).filter(|number| number.is_finite());
    // The original duration exceeds the last key if nothing moves at the end.
    let own = if is_uploaded { uploaded::duration(animation) } else { animation.duration() };
    let duration = own.max(real("/duration").unwrap_or(0.0));
    let (priority, ease) = if is_uploaded { (uploaded::PRIORITY, uploaded::EASE) } else { (3, 0.8) };
    let ease = duration.min(2.0 * ease) / 2.0;
    let mut motion = Motion::new(duration);
    motion.loop_in = real("/loop/1").unwrap_or(0.0);
    motion.loop_out = real("/loop/2").unwrap_or(duration);
    motion.ease_in = real("/ease/0").unwrap_or(ease);
    motion.ease_out = real("/ease/1").unwrap_or(ease);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rounded, or the nearest that fits"
    )]
    {
        motion.priority = get("/priority").map_or(priority, |number| number as i32);
        motion.looped = get("/loop/0").map_or(0, |number| number as i32);
        motion.hand_pose = get("/handPose").map_or(RELAXED, |number| number as u32);
    }
    if let Some(constraints) = stated.get("constraints") {
        match serde_json::from_value(constraints.clone()) {
            Ok(constraints) => motion.constraints = constraints,
            Err(_) => {
                let path = format!("animations {:?}.extras.{EXTRAS}.constraints", animation.name);
                let found = shorten(&constraints.to_string(), 60);
                let what = format!(
                    "expected an array of constraints as the conversion of an .anim file writes it, found {found}"
                );
                losses.push(Loss::new(path, what).id("animation.settings"));
            }
        }
    }
    motion.emote = stated.get("emote").and_then(Value::as_str).unwrap_or_default().into();
    motion
}
