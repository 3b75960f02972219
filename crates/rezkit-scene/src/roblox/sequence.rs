//! Writes KeyframeSequences and CurveAnimations as instances.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use glam::{Mat3, Quat};
use rbxblobs::curves::{self, FloatKey, TICKS_PER_SECOND};
use rbxblobs::{FloatCurve, MarkerCurve};
use rbxcore::{NewInstance, Value};
use serde::{Deserialize, Serialize};

use super::avatars::Avatar;
use super::faces::{self, Faces};
use super::knots::{Key, Knot, POSE, curve_of, curves_of, ticks};
use super::stated::{any, setting};
use crate::forms::{AnimationOptions, RigModel};
use crate::model::{Animation, Priority, Scene, Transform};
use crate::slmesh::{Loop, MotionOptions, for_roblox};
use rezkit_core::{Budget, Error, Loss, Result};

/// An animation of Roblox.
pub(super) struct Sequence {
    name: String,
    loops: bool,
    priority: u32,
    hip_height: Option<f32>,
    /// Whether it is a CurveAnimation, not a KeyframeSequence.
    is_curves: bool,
    /// The maximum deviation from dropped keys, in degrees and in studs.
    pub(super) tolerance: [f32; 2],
    /// The asked sampling rate, per second; by default, keys are samples, too.
    pub(super) rate: Option<f32>,
    /// The rig whose parts are posed, if it is not that of the scene.
    pub(super) rig: Option<Avatar>,
    markers: Vec<Marker>,
    /// For each part, the part above it.
    pub(super) parents: BTreeMap<String, String>,
    pub(super) keys: BTreeMap<String, Vec<Key>>,
    pub(super) faces: Faces,
}

/// An event that a script receives when playback reaches a time: a name, and for markers a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Marker {
    pub(super) time: f32,
    pub(super) name: String,
    /// `None` for the name of a keyframe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<String>,
}

/// The extra of an animation in which its markers are kept.
pub(super) const MARKERS: &str = "Markers";
/// Kept if it is not the usual one. CurveAnimations do not have it.
pub(super) const HIP_HEIGHT: &str = "AuthoredHipHeight";
pub(super) const USUAL_HIP_HEIGHT: f32 = 2.0;

/// The default tolerance for dropping keys, in degrees and in studs.
const TOLERANCE: [f32; 2] = [0.1, 0.001];
/// Maximum samples per second.
const MOST_RATE: f32 = 240.0;

impl AnimationOptions {
    /// Changes the settings of all animations of a scene, for their conversion to Roblox animations. `rig` has the
    /// parts that are posed; by default, it is R6 or R15, by the names of the scene's joints.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) for options of Second Life, a loop of only a part of the
    /// animation, a priority that Roblox does not have, a tolerance that is not above 0, samples per second that are
    /// not above 0 or are above 240, a rig without joints or with two parts of one name, and if there is no animation;
    /// [`Limit`](rezkit_core::ErrorKind::Limit) if the budget does not suffice.
    pub fn apply_to(
        &self,
        motion: &MotionOptions,
        rig: Option<&RigModel>,
        scene: &mut Scene,
        budget: &mut Budget,
    ) -> Result<()> {
        if *self == Self::default() && motion.is_empty() && rig.is_none() {
            return Ok(());
        }
        let wrong = |path: &str, text: &str| Err(Error::argument(text.to_owned()).at(path));
        if scene.animations.is_empty() {
            let what = "the file has no animation: remove the options for animations, such as loop and rig";
            return wrong("", what);
        }
        if motion.ease_in.or(motion.ease_out).is_some() || motion.hand_pose.is_some() || motion.exact {
            let what =
                "the options ease, hand-pose and exact apply only to Second Life animations; remove them";
            return wrong("", what);
        }
        let loops = match motion.looped {
            None => None,
            Some(Loop::On) => Some(true),
            Some(Loop::Off) => Some(false),
            Some(Loop::Between(start, end)) => {
                let found = format!("found {start},{end}: Roblox can only loop an animation as a whole");
                return wrong("loop", &format!("expected on or off, {found}"));
            }
        };
        let priority = motion.priority.map(|found| {
            let number = u32::try_from(found).ok().filter(|&number| Priority::roblox_name(number).is_some());
            number.ok_or_else(|| {
                let names = "idle, movement, action, action2, action3, action4 or core";
                let text =
                    format!("for Roblox, expected {names} (the numbers 0 to 5, and 1000), found {found}");
                Error::argument(text).at("priority")
            })
        });
        let priority = priority.transpose()?;
        if let Some(Err(expected)) = self.tolerance.as_ref().map(check_tolerance) {
            return wrong("tolerance", &expected);
        }
        if let Some(Err(expected)) = self.fps.as_ref().map(check_rate) {
            return wrong("fps", &expected);
        }
        rig.map(|rig| rig.joints(budget)).transpose()?;
        for animation in &mut scene.animations {
            let playback = &mut animation.playback;
            if loops.is_some() {
                (playback.looped, playback.loop_part) = (loops, None);
            }
            playback.priority.roblox = priority.or(playback.priority.roblox);
        }
        Ok(())
    }
}

/// A number that sorts like a time, which is not negative but may be -0.
fn ordered(time: f32) -> u32 {
    (time + 0.0).to_bits()
}

fn check_tolerance(tolerance: &[f32; 2]) -> Result<(), String> {
    let is_usable = tolerance.iter().all(|n| *n > 0.0 && n.is_finite());
    let [turn, way] = tolerance;
    let wrong = || format!("expected two numbers above 0, in degrees and in studs, found {turn} and {way}");
    is_usable.then_some(()).ok_or_else(wrong)
}

fn check_rate(rate: &f32) -> Result<(), String> {
    let is_usable = *rate > 0.0 && *rate <= MOST_RATE;
    let wrong = || format!("expected more than 0 and at most 240 samples per second, found {rate}");
    is_usable.then_some(()).ok_or_else(wrong)
}

impl Sequence {
    /// The settings of the animation at `path`; `file` is the name for an animation without one.
    pub(super) fn of(
        animation: &Animation,
        (file, path): (&str, &str),
        options: &AnimationOptions,
        losses: &mut Vec<Loss>,
    ) -> Self {
        // Action, Roblox's default.
        const ACTION: u32 = 2;
        let extras = &animation.extras;
        let mut markers: Vec<Marker> = setting(
            extras.get(MARKERS),
            (MARKERS, "a list of objects with time and name"),
            any,
            path,
            losses,
        )
        .unwrap_or_default();
        let count = markers.len();
        markers.retain(|marker| marker.time >= 0.0 && marker.time.is_finite());
        if count > markers.len() {
            let what = "markers at a time that is negative or not finite";
            losses.push(Loss::new(path, what).id("roblox.markers").times(count - markers.len()));
        }
        geom::sort::by(&mut markers, |a, b| a.time.total_cmp(&b.time));
        for_roblox(animation, path, losses);
        let is_curves = options.curves;
        let hip_height = setting(extras.get(HIP_HEIGHT), (HIP_HEIGHT, "a number"), any, path, losses);
        if is_curves && hip_height.is_some() {
            losses.push(
                Loss::new(path, "the AuthoredHipHeight, because a CurveAnimation has none")
                    .id("animation.settings"),
            );
        }
        let named = markers.iter().filter(|marker| marker.value.is_none()).map(|marker| ordered(marker.time));
        let mut named: Vec<u32> = named.filter(|_| !is_curves).collect();
        let count = named.len();
        named.dedup();
        if count > named.len() {
            let what = "the later of two names of keyframes at the same time";
            losses.push(Loss::new(path, what).id("roblox.markers").times(count - named.len()));
        }
        Self {
            name: [&animation.name, file, "Animation"]
                .into_iter()
                .find(|name| !name.is_empty())
                .unwrap_or_default()
                .to_owned(),
            loops: animation.playback.looped.unwrap_or(true),
            priority: animation.playback.priority.roblox.unwrap_or(ACTION),
            hip_height,
            is_curves,
            tolerance: options.tolerance.unwrap_or(TOLERANCE),
            rate: options.fps,
            rig: None,
            markers,
            parents: BTreeMap::new(),
            keys: BTreeMap::new(),
            faces: Faces::new(),
        }
    }

    /// The time of a key, rounded to whole ticks for curves.
    pub(super) fn on_tick(&self, time: f32) -> f32 {
        let rate = f64::from(TICKS_PER_SECOND);
        if self.is_curves { ((f64::from(time) * rate).round() / rate) as f32 } else { time }
    }

    /// The animation as instances, for a binary or an XML document.
    ///
    /// # Errors
    /// If the budget does not suffice for the instances.
    pub(super) fn instances(&self, budget: &mut Budget) -> Result<NewInstance> {
        let class = if self.is_curves { "CurveAnimation" } else { "KeyframeSequence" };
        let made = NewInstance::new(class)
            .property("Name", self.name.as_str())
            .property("Loop", self.loops)
            .property("Priority", Value::Enum(self.priority));
        match self.is_curves {
            true => {
                self.curves(made, budget).map_err(|error| error.at(format!("animations {:?}", self.name)))
            }
            false => {
                let made = match self.hip_height {
                    Some(height) => made.property(HIP_HEIGHT, height),
                    None => made,
                };
                self.keyframes(made, budget)
            }
        }
    }

    fn keyframes(&self, mut made: NewInstance, budget: &mut Budget) -> Result<NewInstance> {
        let pose = |part: &str, key: Option<&Key>| {
            let frame = key.map_or_else(geom::CFrame::default, |key| frame(&key.pose));
            let stays = key.is_some_and(|key| key.stays);
            NewInstance::new("Pose")
                .property("Name", part)
                .property("CFrame", frame)
                // A pose without a key gets a weight of 0: it only contains the poses below it.
                .property("Weight", if key.is_some() { 1.0_f32 } else { 0.0 })
                .property("EasingStyle", Value::Enum(u32::from(stays)))
                .property("EasingDirection", Value::Enum(u32::from(stays)))
        };
        let mut markers: BTreeMap<u32, Vec<&Marker>> = BTreeMap::new();
        for marker in &self.markers {
            markers.entry(ordered(marker.time)).or_default().push(marker);
        }
        let places = self.places();
        for (time, poses) in self.frames() {
            // A part comes before its parent, so that each pose can contain those below it.
            let mut below: BTreeMap<&str, Vec<NewInstance>> = BTreeMap::new();
            let here = || markers.get(&ordered(time)).into_iter().flatten();
            let name = here().find(|marker| marker.value.is_none());
            let mut frame = NewInstance::new("Keyframe")
                .property("Name", name.map_or("Keyframe", |marker| marker.name.as_str()))
                .property("Time", time);
            for (marker, value) in here().filter_map(|marker| Some((marker, marker.value.as_ref()?))) {
                let marker = NewInstance::new("KeyframeMarker").property("Name", marker.name.as_str());
                frame = frame.child(marker.property("Value", value.as_str()));
            }
            let face = faces::poses(&self.faces, time, budget)?;
            let names = poses.keys().copied().chain(face.as_ref().map(|_| faces::HEAD));
            let parts = innermost_first(&places, names);
            budget.take(POSE * (1 + parts.len() as u64), "the keyframes")?;
            for (part, parent) in parts {
                let inner = below.remove(part).unwrap_or_default();
                let face = face.clone().filter(|_| part == faces::HEAD);
                let own = pose(part, poses.get(part).copied());
                let own = inner.into_iter().chain(face).fold(own, NewInstance::child);
                match parent {
                    Some(parent) => below.entry(parent).or_default().push(own),
                    None => frame = frame.child(own),
                }
            }
            made = made.child(frame);
        }
        Ok(made)
    }

    /// The poses at each time, by part.
    fn frames(&self) -> Vec<(f32, BTreeMap<&str, &Key>)> {
        let mut frames: BTreeMap<u32, (f32, BTreeMap<&str, &Key>)> = BTreeMap::new();
        for (part, keys) in &self.keys {
            for key in keys {
                let frame = frames.entry(ordered(key.time)).or_insert_with(|| (key.time, BTreeMap::new()));
                frame.1.insert(part, key);
            }
        }
        let faces = self.faces.values().flatten().map(|key| key.0);
        for time in self.markers.iter().map(|marker| marker.time).chain(faces) {
            frames.entry(ordered(time)).or_insert_with(|| (time, BTreeMap::new()));
        }
        frames.into_values().collect()
    }

    /// Adds a folder for each part, in the folder of the part above it, with a curve for each axis.
    fn curves(&self, mut made: NewInstance, budget: &mut Budget) -> Result<NewInstance> {
        let mut below: BTreeMap<&str, Vec<NewInstance>> = BTreeMap::new();
        let face = faces::curves(&self.faces)?;
        let posed = self.keys.iter().filter(|(_, keys)| !keys.is_empty()).map(|(part, _)| part.as_str());
        let posed = posed.chain(face.as_ref().map(|_| faces::HEAD));
        for (part, parent) in innermost_first(&self.places(), posed) {
            let mut folder = NewInstance::new("Folder").property("Name", part);
            if let Some(keys) = self.keys.get(part) {
                let (places, turns, order) = curves_of(keys, self.tolerance, budget)?;
                folder = folder.child(axes("Vector3Curve", "Position", &places)?);
                let turns = axes("EulerRotationCurve", "Rotation", &turns)?;
                folder = folder.child(turns.property("RotationOrder", Value::Enum(order)));
            }
            let face = face.clone().filter(|_| part == faces::HEAD);
            let inner = below.remove(part).unwrap_or_default().into_iter().chain(face);
            let own = inner.fold(folder, NewInstance::child);
            match parent {
                Some(parent) => below.entry(parent).or_default().push(own),
                None => made = made.child(own),
            }
        }
        let mut names: BTreeMap<&str, Vec<&Marker>> = BTreeMap::new();
        for marker in &self.markers {
            names.entry(&marker.name).or_default().push(marker);
        }
        for (name, markers) in names {
            let times = markers.iter().map(|marker| marker.time).collect();
            let keys =
                markers.iter().map(|marker| curves::Marker(marker.value.as_deref().unwrap_or(name).into()));
            let curve = MarkerCurve { version: 0, keys: keys.collect(), times: ticks(times)? };
            let bytes =
                curve.to_vec().map_err(|error| Error::unwritable(error).at(format!("marker {name:?}")))?;
            made = made.child(curve_of("MarkerCurve", name, bytes));
        }
        Ok(made)
    }

    /// The place of each part among those above it. In a cycle, the last part is a top one.
    fn places(&self) -> HashMap<&str, Place<'_>> {
        let mut places: HashMap<&str, Place<'_>> = HashMap::new();
        let parts = self.keys.keys().chain(self.parents.keys()).map(String::as_str);
        for part in parts.chain([faces::HEAD]) {
            let (mut chain, mut passed) = (Vec::new(), HashSet::new());
            let mut at = Some(part);
            // Up to a part that is known, or to the top: each part is passed once.
            while let Some(part) = at.filter(|part| !places.contains_key(part) && passed.insert(*part)) {
                chain.push(part);
                at = self.parents.get(part).map(String::as_str);
            }
            let mut above = at.filter(|part| places.contains_key(part));
            for part in chain.into_iter().rev() {
                let depth = above.and_then(|above| places.get(above)).map_or(0, |above| above.depth + 1);
                places.insert(part, Place { depth, above });
                above = Some(part);
            }
        }
        places
    }
}

/// The place of a part among those above it.
struct Place<'a> {
    /// The number of parts above it.
    depth: usize,
    above: Option<&'a str>,
}

/// The posed parts and those above them, each with its parent; a part comes before its parent.
fn innermost_first<'a>(
    places: &HashMap<&'a str, Place<'a>>,
    posed: impl Iterator<Item = &'a str>,
) -> Vec<(&'a str, Option<&'a str>)> {
    let mut parts: BTreeSet<&str> = BTreeSet::new();
    for part in posed {
        let mut at = Some(part);
        while let Some(part) = at.filter(|part| parts.insert(*part)) {
            at = places.get(part).and_then(|place| place.above);
        }
    }
    let mut parts: Vec<_> = parts.into_iter().filter_map(|part| Some((part, places.get(part)?))).collect();
    geom::sort::by_key(&mut parts, |(_, place)| std::cmp::Reverse(place.depth));
    parts.into_iter().map(|(part, place)| (part, place.above)).collect()
}

/// A curve for each axis.
fn axes(class: &str, name: &str, track: &[Knot]) -> Result<NewInstance> {
    let mut made = NewInstance::new(class).property("Name", name);
    let times = ticks(track.iter().map(|key| key.time).collect())?;
    for (axis, letter) in ["X", "Y", "Z"].into_iter().enumerate() {
        let mut curve = FloatCurve::default();
        for (knot, &tick) in track.iter().zip(&times) {
            // Two keys can fall on one tick: the later one applies.
            if curve.times.last() == Some(&tick) {
                curve.times.pop();
                curve.keys.pop();
            }
            curve.times.push(tick);
            let value = knot.values[axis];
            // The mask marks slopes of cubic keys as set: Roblox does not compute them.
            let is_cubic = knot.mode == 2 || knot.left[axis] != 0.0 || knot.right[axis] != 0.0;
            let mask = Some(if is_cubic { 3 } else { 0 });
            let (left, right) = (knot.left[axis], knot.right[axis]);
            curve.keys.push(FloatKey { mode: knot.mode, mask, value, left, right });
        }
        made = made.child(curve_of("FloatCurve", letter, curve.to_vec()?));
    }
    Ok(made)
}

fn frame(pose: &Transform) -> geom::CFrame {
    let rows = Mat3::from_quat(Quat::from_array(pose.rotation)).transpose().to_cols_array();
    let [x, y, z] = pose.translation;
    geom::CFrame { position: geom::Vec3::new(x, y, z), rotation: geom::Mat3::from_rows(rows) }
}
