//! Scenes whose animations are moved to another rig.

use std::collections::HashSet;

use glam::{Quat, Vec3};
use rezkit_core::{Budget, Error, Loss, Result};

use super::{Changes, Keys, Retarget, Retargeted, Target, times};
use crate::model::{Animation, Channel, Interpolation, Scene, Transform, Values};
use crate::reduction::reduced;

/// The deviation that dropped keys may leave: in degrees, and as a part of the leg's length.
const TOLERANCE: [f32; 2] = [0.01, 2e-5];

/// The samples of an animation per second unless a rate is requested.
pub(crate) const RATE: f32 = 30.0;

/// The scene of a target with all animations of another scene, and what was done with each.
///
/// # Errors
/// If no animation moves a joint of the target, or the budget does not suffice.
pub(crate) fn onto(
    scene: &Scene,
    target: &Target,
    changes: Changes,
    rate: Option<f32>,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<(Scene, Vec<Retargeted>)> {
    target.scene.take(1, budget)?;
    let (mut made, mut reports) = (target.scene.clone(), Vec::new());
    made.name.clone_from(&scene.name);
    made.animations.clear();
    for (index, animation) in scene.animations.iter().enumerate() {
        budget.work((scene.nodes.len() + target.scene.nodes.len()) as u64 * 2048, "the animations")?;
        let from = Retarget::new(scene, animation, target);
        let path = format!("animations[{index}]");
        if !from.is_matched() {
            let what = format!("an animation that moves no joint of {}", target.name);
            losses.push(Loss::new(path, what).id("retarget.no-joint"));
            continue;
        }
        let (times, _) = times(animation, animation.lasts(), rate, 0.0, budget)?;
        budget.work((times.len() * from.effort()) as u64 * 8, "the animations")?;
        budget.take_values::<[f32; 12]>(times.len() * target.joints.len(), "the animations")?;
        let (tracks, feet) = from.tracks(&times, changes);
        let resting = from.resting(&tracks);
        let mut channels = Vec::new();
        for (joint, keys) in tracks.iter().enumerate().filter(|(_, keys)| !keys.is_empty()) {
            if resting[joint] {
                continue;
            }
            let node = target.joints[joint].node;
            channels.extend(of_joint(node, target, keys, from.is_turned(joint)));
        }
        if target.is_source {
            channels.extend(others(animation, &channels));
        }
        let report = from.report(changes, &feet, &times);
        if !target.is_source {
            let what = format!("moved from {} to {}: {report}", report.from, report.to);
            losses.push(Loss::approximated(path.clone(), what).id("retarget.rest-pose"));
            from.list(&format!("{path}/"), losses);
        }
        reports.push(report);
        made.animations.push(Animation { channels, ..animation.clone() });
    }
    match made.animations.is_empty() {
        true => {
            let what =
                format!("no animation moves a joint of {}: the names of its joints are unknown", target.name);
            Err(Error::unwritable(what))
        }
        false => Ok((made, reports)),
    }
}

/// The channels of an animation that its own rig keeps: those of other nodes, and scales and weights.
fn others(animation: &Animation, made: &[Channel]) -> Vec<Channel> {
    let known: HashSet<usize> = made.iter().map(|channel| channel.node).collect();
    let is_kept = |channel: &&Channel| {
        !known.contains(&channel.node) || matches!(channel.values, Values::Scale(_) | Values::Weights(_))
    };
    animation.channels.iter().filter(is_kept).cloned().collect()
}

/// The channels of a joint, without keys that interpolation yields. What stays at rest is left out, unless it is turned.
fn of_joint(node: usize, target: &Target, keys: &Keys, is_turned: bool) -> Vec<Channel> {
    let rest = &target.scene.nodes[node].transform;
    let [degrees, way] = TOLERANCE;
    let way = way * target.leg;
    let part =
        |from: usize, to: usize, key: usize| (keys[key].0 - keys[from].0) / (keys[to].0 - keys[from].0);
    let turn = |key: &(f32, Transform)| Quat::from_array(key.1.rotation);
    let place = |key: &(f32, Transform)| Vec3::from(key.1.translation);
    // Twice the sine of half of the angle.
    let apart = |a: Quat, b: Quat| 2.0 * (a.inverse() * b).xyz().length();
    let mut channels = Vec::new();
    let channel = |kept: &[usize], values| {
        let times = kept.iter().map(|&key| keys[key].0).collect();
        Channel { node, times, values, interpolation: Interpolation::Linear }
    };
    let at_rest = Quat::from_array(rest.rotation);
    if is_turned || keys.iter().any(|key| apart(turn(key), at_rest) > 1e-4) {
        let kept = reduced(keys.len(), |from, to, key| {
            let line = turn(&keys[from]).slerp(turn(&keys[to]), part(from, to, key));
            apart(line, turn(&keys[key])) < degrees.to_radians()
        });
        let values = kept.iter().map(|&key| keys[key].1.rotation).collect();
        channels.push(channel(&kept, Values::Rotation(values)));
    }
    if keys.iter().any(|key| place(key).distance(rest.translation.into()) > way) {
        let kept = reduced(keys.len(), |from, to, key| {
            place(&keys[from]).lerp(place(&keys[to]), part(from, to, key)).distance(place(&keys[key])) < way
        });
        let values = kept.iter().map(|&key| keys[key].1.translation).collect();
        channels.push(channel(&kept, Values::Translation(values)));
    }
    channels
}
