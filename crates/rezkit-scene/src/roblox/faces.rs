//! Facial controls: numbers over time, set by NumberPoses or by curves in a folder `FaceControls`, and morph targets
//! with the names of controls.

use std::collections::{BTreeMap, HashMap};

use rbxblobs::FloatCurve;
use rbxblobs::curves::FloatKey;
use rbxcore::{NewInstance, Value};

use super::builder::Builder;
use super::curves::numbers;
use super::interpolation::{Curve, between, eased as easing_at, steps, uneven};
use super::keyframes::is_set;
use super::knots::{POSE, curve_of, ticks};
use super::rigs::Rigs;
use super::stated::{any, setting};
use super::tree::Property;
use crate::model::{Animation, Interpolation, MorphTarget, Scene, Values};
use crate::reduction::reduced;
use rezkit_core::{Budget, Loss, Result};

/// The values of each control over time, by its name; they are linear between keys.
pub(super) type Faces = BTreeMap<String, Track>;

/// Times, in seconds, and values.
pub(super) type Track = Vec<(f32, f32)>;

/// A time, a value, and the easing style and direction up to the next key.
type Eased = (f32, f32, (u32, u32));

/// The extra of an animation in which controls are kept, and the name of their folder.
pub(super) const FACES: &str = "FaceControls";
const FORM: &str = "an object with a list of [time, value] pairs for each control";
/// The name of the part whose pose or folder contains the controls.
pub(super) const HEAD: &str = "Head";

/// The names of the controls (`*` is replaced by a side), and their abbreviations in meshes, which have a prefix
/// there: `c_`, `l_` or `r_`.
const CONTROLS: [(&str, &str); 36] = [
    ("ChinRaiser", "CR"),
    ("ChinRaiserUpperLip", "CRUL"),
    ("Corrugator", "COR"),
    ("EyesLookDown", "ELD"),
    ("EyesLookLeft", "ELL"),
    ("EyesLookRight", "ELR"),
    ("EyesLookUp", "ELU"),
    ("FlatPucker", "FP"),
    ("Funneler", "FN"),
    ("JawDrop", "JD"),
    ("JawLeft", "JL"),
    ("JawRight", "JR"),
    ("LipPresser", "LP"),
    ("LipsTogether", "LPT"),
    ("LowerLipSuck", "LLS"),
    ("MouthLeft", "ML"),
    ("MouthRight", "MR"),
    ("Pucker", "PK"),
    ("TongueDown", "TD"),
    ("TongueOut", "TO"),
    ("TongueUp", "TU"),
    ("UpperLipSuck", "ULS"),
    ("*BrowLowerer", "BL"),
    ("*CheekPuff", "CHP"),
    ("*CheekRaiser", "CHR"),
    ("*Dimpler", "DM"),
    ("*EyeClosed", "EC"),
    ("*EyeUpperLidRaiser", "EULR"),
    ("*InnerBrowRaiser", "IBR"),
    ("*LipCornerDown", "LCD"),
    ("*LipCornerPuller", "LCP"),
    ("*LipStretcher", "LS"),
    ("*LowerLipDepressor", "LLD"),
    ("*NoseWrinkler", "NW"),
    ("*OuterBrowRaiser", "OBR"),
    ("*UpperLipRaiser", "ULR"),
];

/// Whether a name is that of a control.
fn is_control(name: &str) -> bool {
    let is = |control: &str| match control.strip_prefix('*') {
        None => name == control,
        Some(rest) => ["Left", "Right"].iter().any(|side| name.strip_prefix(side) == Some(rest)),
    };
    CONTROLS.iter().any(|(control, _)| is(control))
}

/// The control with an abbreviated name of a mesh.
pub fn control_of(short: &str) -> Option<String> {
    let (side, short) = short.split_once('_')?;
    let (name, _) = CONTROLS.iter().find(|(_, of)| *of == short)?;
    match (side, name.strip_prefix('*')) {
        ("c", None) => Some((*name).to_owned()),
        ("l", Some(rest)) => Some(format!("Left{rest}")),
        ("r", Some(rest)) => Some(format!("Right{rest}")),
        _ => None,
    }
}

/// The value at a time.
pub(super) fn at(track: &Track, time: f32) -> f32 {
    let after = track.partition_point(|key| key.0 <= time);
    let [before, next] = [after.checked_sub(1), Some(after)].map(|index| track.get(index?));
    match (before, next) {
        (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (time - a.0) / (b.0 - a.0),
        (Some(key), None) | (None, Some(key)) => key.1,
        (None, None) => 0.0,
    }
}

/// The controls of all animations of rigs.
pub(super) fn build(builder: &mut Builder<'_>, rigs: &Rigs) -> HashMap<usize, Faces> {
    let animations = rigs.rigs.iter().flat_map(|rig| &rig.sequences);
    animations.map(|&animation| (animation, read(builder, animation))).collect()
}

/// Reads the controls of an animation of a document. Of two keys at one time, the first applies.
fn read(builder: &mut Builder<'_>, animation: usize) -> Faces {
    /// The maximum distance of straight lines from eased values: of 1, or of the greatest value if that is more.
    const NEAR: f32 = 0.001;
    let near = |values: &mut dyn Iterator<Item = f32>| NEAR * values.map(f32::abs).fold(1.0, f32::max);
    const LATER: &str = "the later of two keys of a facial control at the same time";
    let tree = builder.tree;
    let mut poses: BTreeMap<String, Vec<Eased>> = BTreeMap::new();
    for (frame, keyframe) in tree.children(animation).filter(|(_, child)| child.class == "Keyframe") {
        let time = keyframe.number(Property::Time).unwrap_or(0.0);
        for at in tree.keyed(frame) {
            let pose = &tree.instances[at];
            let is_read = pose.class == "NumberPose" && is_set(pose) && time >= 0.0 && time.is_finite();
            // A keyframe at another time is listed with its poses.
            let value = pose.number(Property::Value).filter(|_| is_read);
            if value.is_some_and(|value| !value.is_finite()) {
                builder.lose(
                    at,
                    "roblox.facial-controls",
                    "a pose of a facial control whose value is infinite or NaN",
                );
            } else if let Some(value) = value {
                builder.list_weight(at);
                let easing = builder.easing(at);
                poses.entry(pose.name.clone()).or_default().push((time, value, easing));
            }
        }
    }
    let (mut faces, mut farthest) = (Faces::new(), 0.0_f32);
    for (name, mut keys) in poses {
        geom::sort::by(&mut keys, |a, b| a.0.total_cmp(&b.0));
        let count = keys.len();
        keys.dedup_by(|later, first| later.0 == first.0);
        builder.lose_many(animation, "roblox.facial-controls", LATER.into(), count - keys.len());
        let mut track: Track = keys.first().map(|key| (key.0, key.1)).into_iter().collect();
        let near = near(&mut keys.iter().map(|key| key.1));
        for pair in keys.windows(2) {
            let [(start, from, easing), (end, to, _)] = [pair[0], pair[1]];
            let steps = steps(easing, end - start, near / (to - from).abs(), builder.budget);
            let steps = steps.unwrap_or_else(|error| {
                builder.lose(
                    animation,
                    "animation.interpolation",
                    format!("the easing of the facial control {name} cannot be converted: {error}"),
                );
                Vec::new()
            });
            if !steps.is_empty() {
                farthest = farthest.max(near);
            }
            let value = |step: f32| from + (to - from) * easing_at(easing.0, easing.1, step / (end - start));
            track.extend(steps.into_iter().map(|step| (start + step, value(step))));
            track.push((end, to));
        }
        faces.insert(name, track);
    }
    for folder in tree.animated(animation) {
        if tree.instances[folder].name != FACES {
            continue;
        }
        for (at, child) in tree.children(folder).filter(|(_, child)| child.class == "FloatCurve") {
            let curve = numbers(builder, at);
            let near = near(&mut curve.keys.iter().map(|key| key.2));
            match sampled(&curve, near, builder.budget) {
                Ok(track) => {
                    if track.len() > curve.keys.len() {
                        farthest = farthest.max(near);
                    }
                    if faces.insert(child.name.clone(), track).is_some() {
                        builder.lose(
                            at,
                            "roblox.facial-controls",
                            "keys of a facial control that this later curve replaces",
                        );
                    }
                }
                Err(error) => builder.lose_because(at, "roblox.keys", "", &error),
            }
        }
    }
    faces.retain(|_, keys| !keys.is_empty());
    if farthest > 0.0 {
        let what =
            format!("eased keys of facial controls become linear keys (maximum deviation: {farthest})");
        builder.approximate(animation, "animation.interpolation", what);
    }
    faces
}

/// Samples a curve so that straight lines between the values approximate it.
///
/// # Errors
/// If they need more memory than is left.
fn sampled(curve: &Curve, near: f32, budget: &mut Budget) -> Result<Track> {
    let take = |count: usize, budget: &mut Budget| budget.take_values::<[f32; 4]>(count, "facial controls");
    take(2 * curve.keys.len(), budget)?;
    let mut times: Vec<f32> = curve.keys.iter().map(|key| key.0).chain(curve.jumps()).collect();
    for pair in curve.keys.windows(2).filter(|pair| pair[0].1 > 1) {
        let (key, next) = (&pair[0], &pair[1]);
        let time = |x: f32| key.0 + (next.0 - key.0) * x;
        let steps = uneven((|x| between(key, next, time(x)), 8), 4, near, budget)?;
        take(steps.len(), budget)?;
        times.extend(steps.into_iter().map(time));
    }
    times.sort_by(f32::total_cmp);
    Ok(times.into_iter().map(|time| (time, curve.at(time))).collect())
}

/// The controls of an animation of a scene: those kept from Roblox, and the weights of morph targets with the names of controls.
///
/// # Errors
/// If they need more memory than is left.
pub(super) fn of(
    scene: &Scene,
    animation: &Animation,
    path: &str,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Faces> {
    let mut faces: Faces =
        setting(animation.extras.get(FACES), (FACES, FORM), any, path, losses).unwrap_or_default();
    let count = faces.len();
    faces.retain(|_, keys| {
        keys.iter().all(|(time, value)| *time >= 0.0 && value.is_finite())
            && keys.is_sorted_by(|one, next| one.0 < next.0)
    });
    if faces.len() < count {
        let what = "facial controls in the extras of the animation: their times are negative or not strictly \
                    increasing, or their values are infinite or NaN";
        losses.push(Loss::new(path, what).id("roblox.facial-controls").times(count - faces.len()));
    }
    for channel in &animation.channels {
        let Values::Weights(values) = &channel.values else { continue };
        let (targets, cubic) =
            (targets_of(scene, channel.node), channel.interpolation == Interpolation::Cubic);
        for (index, target) in targets.iter().enumerate().filter(|(_, target)| is_control(&target.name)) {
            budget.take_values::<[f32; 4]>(channel.times.len(), "facial controls")?;
            let value = |key: usize| {
                values.get(if cubic { 3 * key + 1 } else { key } * targets.len() + index).copied()
            };
            let keys = channel.times.iter().enumerate();
            let keys: Track = keys.filter_map(|(key, time)| Some((time.max(0.0), value(key)?))).collect();
            let kept = reduced(keys.len(), |from, to, key| is_straight(&keys[from], &keys[to], &keys[key]));
            faces.insert(target.name.clone(), kept.into_iter().map(|at| keys[at]).collect());
        }
    }
    Ok(faces)
}

/// Whether all morph targets of a node are facial controls.
pub(super) fn are_weights(scene: &Scene, node: usize) -> bool {
    let targets = targets_of(scene, node);
    !targets.is_empty() && targets.iter().all(|target| is_control(&target.name))
}

/// The morph targets of a node.
pub(super) fn targets_of(scene: &Scene, node: usize) -> &[MorphTarget] {
    let mesh = scene.nodes.get(node).and_then(|node| scene.meshes.get(node.mesh?));
    mesh.and_then(|mesh| mesh.primitives.first()).map_or(&[][..], |of| &of.targets)
}

/// Whether a value is on the straight line between two others.
fn is_straight(from: &(f32, f32), to: &(f32, f32), key: &(f32, f32)) -> bool {
    (from.1 + (to.1 - from.1) * (key.0 - from.0) / (to.0 - from.0) - key.1).abs() < 1e-6
}

/// A folder of poses of the controls that have a key at a time; `None` if none has.
///
/// # Errors
/// If they need more memory than is left.
pub(super) fn poses(faces: &Faces, time: f32, budget: &mut Budget) -> Result<Option<NewInstance>> {
    let at = |(name, keys): (&String, &Track)| {
        let key = keys.binary_search_by(|key| key.0.total_cmp(&time)).ok()?;
        let made = NewInstance::new("NumberPose").property("Name", name.as_str());
        let made = made.property("Value", f64::from(keys[key].1)).property("Weight", 1.0_f32);
        Some(made.property("EasingStyle", Value::Enum(0)).property("EasingDirection", Value::Enum(0)))
    };
    let mut folder = None;
    for pose in faces.iter().filter_map(at) {
        budget.take(POSE, "the keyframes")?;
        let made = folder.unwrap_or_else(|| NewInstance::new("Folder").property("Name", FACES));
        folder = Some(made.child(pose));
    }
    Ok(folder)
}

/// A folder with a curve for each control.
///
/// # Errors
/// If a time cannot be written.
pub(super) fn curves(faces: &Faces) -> Result<Option<NewInstance>> {
    let mut folder = NewInstance::new("Folder").property("Name", FACES);
    for (name, keys) in faces {
        let key =
            |&(_, value): &(f32, f32)| FloatKey { mode: 1, mask: Some(0), value, left: 0.0, right: 0.0 };
        let times = ticks(keys.iter().map(|key| key.0).collect())?;
        let curve = FloatCurve { times, keys: keys.iter().map(key).collect(), ..FloatCurve::default() };
        folder = folder.child(curve_of("FloatCurve", name, curve.to_vec()?));
    }
    Ok((!faces.is_empty()).then_some(folder))
}
