//! Face controls: numbers over time that NumberPoses, or curves in a folder `FaceControls`, set, and morph targets of their names.

use std::collections::BTreeMap;

use rbxblobs::FloatCurve;
use rbxblobs::curves::FloatKey;
use rbxcore::{NewInstance, Value};

use super::builder::Builder;
use super::interpolation::Curve;
use super::knots::{curve_of, ticks};
use crate::model::{Animation, Interpolation, Scene, Values};
use rezkit_core::{Budget, Result};

/// Of each control its times, in seconds, and its values, between which lines are straight.
pub(super) type Faces = BTreeMap<String, Vec<(f32, f32)>>;

/// Under which name an animation of a scene keeps them, and the name of their folder.
pub(super) const FACES: &str = "FaceControls";
/// The part that they are below.
pub(super) const HEAD: &str = "Head";

/// The names of the controls, `*` for both sides.
const CONTROLS: [&str; 36] = [
    "ChinRaiser",
    "ChinRaiserUpperLip",
    "Corrugator",
    "EyesLookDown",
    "EyesLookLeft",
    "EyesLookRight",
    "EyesLookUp",
    "FlatPucker",
    "Funneler",
    "JawDrop",
    "JawLeft",
    "JawRight",
    "LipPresser",
    "LipsTogether",
    "LowerLipSuck",
    "MouthLeft",
    "MouthRight",
    "Pucker",
    "TongueDown",
    "TongueOut",
    "TongueUp",
    "UpperLipSuck",
    "*BrowLowerer",
    "*CheekPuff",
    "*CheekRaiser",
    "*Dimpler",
    "*EyeClosed",
    "*EyeUpperLidRaiser",
    "*InnerBrowRaiser",
    "*LipCornerDown",
    "*LipCornerPuller",
    "*LipStretcher",
    "*LowerLipDepressor",
    "*NoseWrinkler",
    "*OuterBrowRaiser",
    "*UpperLipRaiser",
];

/// Whether a name is that of a control.
fn is_control(name: &str) -> bool {
    let is = |control: &&str| match control.strip_prefix('*') {
        None => name == *control,
        Some(rest) => ["Left", "Right"].iter().any(|side| name.strip_prefix(side) == Some(rest)),
    };
    CONTROLS.iter().any(is)
}

/// Those of an animation of a document.
pub(super) fn read(builder: &mut Builder<'_>, animation: usize) -> Faces {
    let (tree, mut faces, mut eased) = (builder.tree, Faces::new(), 0);
    for (frame, keyframe) in tree.children(animation).filter(|(_, child)| child.class == "Keyframe") {
        let time = keyframe.number("Time").unwrap_or(0.0);
        for at in tree.descendants(frame) {
            let pose = &tree.instances[at];
            let value = pose.number("Value").filter(|value| value.is_finite());
            let is_set = pose.class == "NumberPose" && pose.number("Weight") != Some(0.0);
            if let Some(value) = value.filter(|_| is_set && time >= 0.0 && time.is_finite()) {
                eased += usize::from(pose.int("EasingStyle").is_some_and(|style| style != 0));
                faces.entry(pose.name.clone()).or_default().push((time, value));
            }
        }
    }
    for folder in tree.descendants(animation) {
        if tree.instances[folder].name != FACES {
            continue;
        }
        for (at, child) in tree.children(folder).filter(|(_, child)| child.class == "FloatCurve") {
            let curve: Curve = builder.curve(at, Curve::from_bytes);
            eased += curve.keys.iter().filter(|key| key.1 != 1).count();
            let keys = curve.keys.iter().filter(|key| key.0 >= 0.0 && key.2.is_finite());
            faces.insert(child.name.clone(), keys.map(|key| (key.0, key.2)).collect());
        }
    }
    for keys in faces.values_mut() {
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        keys.dedup_by(|later, first| later.0 == first.0);
    }
    faces.retain(|_, keys| !keys.is_empty());
    if eased > 0 {
        builder.approximate(animation, "keys of face controls are joined by straight lines");
    }
    faces
}

/// Those of an animation of a scene: what it keeps of Roblox's, and the weights of morph targets with the names of controls.
///
/// # Errors
/// If they need more memory than is left.
pub(super) fn of(scene: &Scene, animation: &Animation, budget: &mut Budget) -> Result<Faces> {
    let kept = animation.extras.get(FACES).cloned().unwrap_or_default();
    let mut faces: Faces = serde_json::from_value(kept).unwrap_or_default();
    faces.retain(|_, keys| keys.iter().all(|(time, value)| *time >= 0.0 && value.is_finite()));
    for channel in &animation.channels {
        let Values::Weights(values) = &channel.values else { continue };
        let mesh = scene.nodes.get(channel.node).and_then(|node| scene.meshes.get(node.mesh?));
        let Some(primitive) = mesh.and_then(|mesh| mesh.primitives.first()) else { continue };
        let (count, cubic) = (primitive.targets.len(), channel.interpolation == Interpolation::Cubic);
        for (index, target) in
            primitive.targets.iter().enumerate().filter(|(_, target)| is_control(&target.name))
        {
            budget.take_values::<[f32; 4]>(channel.times.len(), "face controls")?;
            let value =
                |key: usize| values.get(if cubic { 3 * key + 1 } else { key } * count + index).copied();
            let keys = channel.times.iter().enumerate();
            let keys = keys.filter_map(|(key, time)| Some((time.max(0.0), value(key)?)));
            faces.insert(target.name.clone(), keys.collect());
        }
    }
    Ok(faces)
}

/// Whether all morph targets of a node are face controls.
pub(super) fn are_weights(scene: &Scene, node: usize) -> bool {
    let mesh = scene.nodes.get(node).and_then(|node| scene.meshes.get(node.mesh?));
    let targets = mesh.and_then(|mesh| mesh.primitives.first()).map_or(&[][..], |of| &of.targets);
    !targets.is_empty() && targets.iter().all(|target| is_control(&target.name))
}

/// The folder of the controls with a key at a time.
pub(super) fn poses(faces: &Faces, time: f32) -> Option<NewInstance> {
    let at = |(name, keys): (&String, &Vec<(f32, f32)>)| {
        let key = keys.binary_search_by(|key| key.0.total_cmp(&time)).ok()?;
        let made = NewInstance::new("NumberPose").property("Name", name.as_str());
        let made = made.property("Value", f64::from(keys[key].1)).property("Weight", 1.0_f32);
        Some(made.property("EasingStyle", Value::Enum(0)).property("EasingDirection", Value::Enum(0)))
    };
    let mut poses = faces.iter().filter_map(at).peekable();
    poses.peek()?;
    Some(poses.fold(NewInstance::new("Folder").property("Name", FACES), NewInstance::child))
}

/// The folder with a curve for each control.
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
