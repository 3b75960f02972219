//! Reads the poses of KeyframeSequences.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::builder::Builder;
use super::interpolation::{eased, steps};
use super::tree::{Inst, Property};
use crate::model::{Interpolation, Transform};
use rezkit_core::{Budget, Result};

/// For each part, by its name, the poses over time and their interpolation.
pub(super) type Tracks = BTreeMap<String, (Vec<(f32, Transform)>, Interpolation)>;

/// A pose of a part at a time, and the easing to the next one.
struct Key {
    time: f32,
    pose: Transform,
    style: u32,
    direction: u32,
}

/// Reads the poses of a KeyframeSequence.
pub(super) fn keyframes(builder: &mut Builder<'_>, sequence: usize) -> Result<Tracks> {
    let tree = builder.tree;
    let mut frames: Vec<(f32, usize)> = Vec::new();
    for (index, frame) in tree.children(sequence).filter(|(_, child)| child.class == "Keyframe") {
        match frame.number(Property::Time).unwrap_or(0.0) {
            time if time >= 0.0 && time.is_finite() => frames.push((time, index)),
            time => builder.lose(
                index,
                "roblox.keys",
                format!("a keyframe at {time} s: the time must be finite and at least 0"),
            ),
        }
    }
    geom::sort::by(&mut frames, |a, b| a.0.total_cmp(&b.0));
    let mut keys: BTreeMap<String, Vec<Key>> = BTreeMap::new();
    for (time, frame) in frames {
        for at in tree.keyed(frame) {
            let pose = &tree.instances[at];
            if pose.class != "Pose" || !is_set(pose) {
                continue;
            }
            let Some(cframe) = pose.frame(&[Property::CFrame]) else { continue };
            if !cframe.is_finite() {
                builder.lose(at, "roblox.keys", "a pose whose CFrame has infinite or NaN numbers");
                continue;
            }
            builder.list_weight(at);
            let (style, direction) = builder.easing(at);
            let key = Key { time, pose: builder.rigid(at, cframe), style, direction };
            keys.entry(pose.name.clone()).or_default().push(key);
        }
    }
    let (mut tracks, mut eased) = (Tracks::new(), 0);
    for (name, mut keys) in keys {
        // Of two poses at one time, the later one applies.
        let count = keys.len();
        keys.reverse();
        keys.dedup_by(|earlier, later| earlier.time == later.time);
        keys.reverse();
        let what = "the earlier of two poses of a part at the same time";
        builder.lose_many(sequence, "roblox.keys", what.into(), count - keys.len());
        let before_last = keys.split_last().map_or(&[][..], |(_, before)| before);
        // If every key stays constant up to the next one, the interpolation is a step.
        let is_step =
            !before_last.is_empty() && before_last.iter().all(|key| (key.style, key.direction) == (1, 1));
        let track = match is_step {
            true => (keys.iter().map(|key| (key.time, key.pose)).collect(), Interpolation::Step),
            false => {
                eased += before_last.iter().filter(|key| key.style != 0).count();
                (baked(&keys, builder.budget)?, Interpolation::Linear)
            }
        };
        tracks.insert(name, track);
    }
    if eased > 0 {
        let what = format!(
            "easing styles are approximated by additional keys with linear interpolation (eased keys: {eased})"
        );
        builder.approximate(sequence, "animation.interpolation", what);
    }
    Ok(tracks)
}

/// The maximum distance of straight lines from eased values between two keys, in studs and in degrees.
const EXACT_STUDS: f32 = 5e-5;
const EXACT_DEGREES: f32 = 0.005;

/// Converts keys with easing to keys with linear interpolation.
fn baked(keys: &[Key], budget: &mut Budget) -> Result<Vec<(f32, Transform)>> {
    let mut all = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        all.push((key.time, key.pose));
        let Some(next) = keys.get(index + 1) else { continue };
        if key.style == 0 {
            continue;
        }
        let span = next.time - key.time;
        let place_of = |pose: &Transform| Vec3::from(pose.translation);
        let turn_of = |pose: &Transform| Quat::from_array(pose.rotation);
        let way = place_of(&key.pose).distance(place_of(&next.pose));
        let angle = turn_of(&key.pose).angle_between(turn_of(&next.pose));
        let near = (EXACT_STUDS / way).min(EXACT_DEGREES.to_radians() / angle);
        let steps = steps((key.style, key.direction), span, near, budget)?;
        let places = [key.pose, next.pose].map(|pose| Vec3::from(pose.translation));
        let turns = [key.pose, next.pose].map(|pose| Quat::from_array(pose.rotation));
        for step in steps {
            let eased = eased(key.style, key.direction, step / span);
            let pose = Transform {
                translation: places[0].lerp(places[1], eased).into(),
                rotation: turns[0].slerp(turns[1], eased).normalize().into(),
                scale: [1.0; 3],
            };
            all.push((key.time + step, pose));
        }
    }
    Ok(all)
}

/// Whether a pose sets a value: one with a weight of 0 only contains other poses.
pub(super) fn is_set(pose: &Inst) -> bool {
    pose.number(Property::Weight) != Some(0.0)
}

impl Builder<'_> {
    /// Lists the weight of a pose if it changes: poses of scenes have none.
    pub(super) fn list_weight(&mut self, pose: usize) {
        if self.tree.instances[pose].number(Property::Weight).is_some_and(|weight| weight != 1.0) {
            self.approximate(
                pose,
                "roblox.keys",
                "a pose with a weight other than 0 and 1 gets the weight 1",
            );
        }
    }

    /// The easing style and direction of a pose.
    pub(super) fn easing(&mut self, pose: usize) -> (u32, u32) {
        let of = |name| self.tree.instances[pose].int(name).unwrap_or(0);
        match (of(Property::EasingStyle), of(Property::EasingDirection)) {
            (style @ 0..=5, direction @ 0..=2) => (style, direction),
            _ => {
                self.approximate(
                    pose,
                    "animation.interpolation",
                    "a pose with an unknown easing becomes linear",
                );
                (0, 0)
            }
        }
    }
}
