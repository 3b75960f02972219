//! Animations of the bones of a model that is made of a scene.

use glam::{Mat4, Vec3};
use rbxcore::NewInstance;
use rezkit_core::{Budget, Loss, Result};

use super::interpolation::JUMP;
use super::keys::{fits, frames};
use super::knots::Key;
use super::sequence::Sequence;
use crate::features::Feature;
use crate::forms::ModelOptions;
use crate::model::{Animation, Interpolation, Scene, Transform, Values, rigid};
use crate::reduction::reduced;

/// A `Bone` of a model.
#[derive(Clone, Debug)]
pub(crate) struct BoneNode {
    /// The joint.
    pub(crate) node: usize,
    pub(crate) name: String,
    /// The name of the bone or the part above it.
    pub(crate) above: String,
    /// The joint of the bone above it.
    pub(crate) above_node: Option<usize>,
    /// The frame of the part.
    pub(crate) frame: Mat4,
    /// The frame at rest, relative to the bone or the part above.
    pub(crate) rest: Mat4,
}

/// The samples of cubic keys per second.
const RATE: f32 = 30.0;
/// The difference from a straight line up to which keys are dropped, in degrees and in studs: that of 32-bit numbers.
const EXACT: [f32; 2] = [0.01, 1e-4];

/// The animations of a scene as those of bones; whatever moves no bone is listed.
///
/// # Errors
/// If the budget does not suffice.
pub(crate) fn bone_animations(
    scene: &Scene,
    options: &ModelOptions,
    bones: &[BoneNode],
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<NewInstance>> {
    let mut made = Vec::new();
    let parents = scene.parents();
    // A bone follows the nodes above it.
    let mut moves = vec![false; scene.nodes.len()];
    for bone in bones {
        let mut at = Some(bone.node);
        while let Some(node) = at.filter(|&node| !moves[node]) {
            moves[node] = true;
            at = parents[node];
        }
    }
    for (index, animation) in scene.animations.iter().enumerate() {
        let path = format!("animations[{index}]");
        let mut sequence = Sequence::of(animation, (&scene.name, &path), &options.animation, losses);
        let mut lost = [0; 4];
        for channel in &animation.channels {
            match channel.values {
                Values::Weights(_) => lost[0] += 1,
                Values::Scale(_) if !channel.is_beyond_joints(&scene.nodes) => {}
                Values::Scale(_) => lost[1] += 1,
                _ if !moves[channel.node] && channel.moves(&scene.nodes) => lost[2] += 1,
                _ => {}
            }
        }
        let sheared = keys(scene, animation, (bones, &moves, options), &mut sequence, budget)?;
        // Animated scales shear, too.
        lost[3] = if lost[1] == 0 { sheared } else { 0 };
        let whats = [
            "the animation of the weights of morph targets, which parts do not have",
            "animated scales",
            "the motion of nodes without a part or a bone: Roblox animates only joints",
            "the shear of what turns below a node with different scales along its axes",
        ];
        let about = [
            Feature::WeightAnimations,
            Feature::NodeAnimations,
            Feature::NodeAnimations,
            Feature::NodeAnimations,
        ];
        for ((count, what), feature) in
            lost.into_iter().zip(whats).zip(about).filter(|((count, _), _)| *count > 0)
        {
            budget.lose(
                losses,
                Loss::new(&*path, what).id("scene.node-animations").times(count).about([feature.title()]),
            )?;
        }
        if !sequence.keys.is_empty() {
            made.push(sequence.instances(budget)?);
        }
    }
    Ok(made)
}

/// Whether several rotations move a bone, so that it does not turn evenly between keys.
fn is_chain(bone: &BoneNode, turns: &[bool], parents: &[Option<usize>]) -> bool {
    let way = std::iter::successors(Some(bone.node), |&node| parents[node]);
    let own = way.take(parents.len()).take_while(|node| Some(*node) != bone.above_node);
    own.filter(|node| turns[*node]).nth(1).is_some()
}

/// The times of the keys that move bones, with samples of cubic ones and, if there are chains, of rotations. `stays`: whether
/// all of them are steps.
fn times(animation: &Animation, moves: &[bool], (has_chains, stays): (bool, bool)) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    for channel in animation.channels.iter().filter(|channel| moves[channel.node]) {
        times.extend(channel.times.iter().map(|time| time.max(0.0)));
        // Between other keys, a step is a jump.
        if channel.interpolation == Interpolation::Step && !stays {
            times.extend(channel.times.iter().map(|time| time - JUMP).filter(|time| *time > 0.0));
        }
        let turns = has_chains && matches!(channel.values, Values::Rotation(_));
        if channel.interpolation == Interpolation::Cubic
            || turns && channel.interpolation != Interpolation::Step
        {
            let end = channel.times.last().copied().unwrap_or(0.0).clamp(0.0, 3600.0);
            let rate = if turns { 2.0 * RATE } else { RATE };
            times.extend((0..(end * rate) as u32).map(|frame| frame as f32 / rate));
        }
    }
    times.retain(|time| time.is_finite());
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

fn keys(
    scene: &Scene,
    animation: &Animation,
    (bones, moves, options): (&[BoneNode], &[bool], &ModelOptions),
    sequence: &mut Sequence,
    budget: &mut Budget,
) -> Result<usize> {
    const WHAT: &str = "the animations of the bones";
    let parents = scene.parents();
    let mut turns = vec![false; scene.nodes.len()];
    for channel in animation.channels.iter().filter(|channel| matches!(channel.values, Values::Rotation(_))) {
        turns[channel.node] = true;
    }
    let has_chains = bones.iter().any(|bone| is_chain(bone, &turns, &parents));
    let mut moving = animation.channels.iter().filter(|channel| moves[channel.node]);
    let all_stay = moving.all(|channel| channel.interpolation == Interpolation::Step);
    let stays = all_stay && sequence.rate.is_none();
    let times = match sequence.rate {
        Some(rate) => {
            let count = frames(animation.duration(), rate, budget)?;
            (0..=count).map(|frame| (frame as f32 / rate).min(animation.duration())).collect()
        }
        None => times(animation, moves, (has_chains, stays)),
    };
    budget.take_values::<[Key; 2]>(times.len().saturating_mul(bones.len()), WHAT)?;
    let steps = (scene.nodes.len() * 64 + animation.channels.len() * 32 + bones.len() * 128) as u64;
    budget.work(steps.saturating_mul(times.len() as u64), WHAT)?;
    let scale = Mat4::from_scale(Vec3::splat(options.scale));
    let tolerance = options.animation.tolerance.unwrap_or(EXACT);
    // What of the matrix of each bone is no frame: the same at all times, unless it is sheared.
    let at_rest = scene.world_at_rest();
    let beyond = |world: Mat4| rigid(scale * world).inverse() * scale * world;
    let at_rest = bones.iter().map(|bone| beyond(at_rest[bone.node])).map(|rest| {
        let size = rest.to_cols_array().into_iter().fold(1e-6, |most: f32, at| most.max(at.abs()));
        (rest, 1e-2 * size)
    });
    let at_rest: Vec<(Mat4, f32)> = at_rest.collect();
    let mut is_sheared = vec![false; bones.len()];
    let mut tracks: Vec<Vec<Key>> = vec![Vec::with_capacity(times.len()); bones.len()];
    for &time in &times {
        let mut transforms: Vec<Transform> = scene.nodes.iter().map(|node| node.transform).collect();
        for channel in &animation.channels {
            channel.apply(&mut transforms[channel.node], time);
        }
        let world = scene.world(&transforms);
        let placed = |node: usize| rigid(scale * world[node]);
        for (index, (bone, track)) in bones.iter().zip(&mut tracks).enumerate() {
            let (rest, most) = at_rest[index];
            is_sheared[index] |= !beyond(world[bone.node]).abs_diff_eq(rest, most);
            let above = bone.above_node.map_or(bone.frame, placed);
            let pose = Transform::of(bone.rest.inverse() * above.inverse() * placed(bone.node));
            track.push(Key { time, pose: Transform { scale: [1.0; 3], ..pose }, stays });
        }
    }
    let still = Transform::default().mat4();
    let is_still = |track: &[Key]| track.iter().all(|key| key.pose.mat4().abs_diff_eq(still, 1e-5));
    // An animation that holds the rest pose keeps others from moving what it names.
    let holds = tracks.iter().all(|track| is_still(track));
    let is_named = |bone: &BoneNode| animation.channels.iter().any(|channel| channel.node == bone.node);
    for (bone, track) in bones.iter().zip(tracks) {
        sequence.parents.insert(bone.name.clone(), bone.above.clone());
        if is_still(&track) && !(holds && is_named(bone)) {
            continue;
        }
        let near =
            |from: usize, to: usize, key: usize| fits(&track[from], &track[to], &track[key], tolerance);
        let kept = match stays {
            true => track,
            false => reduced(track.len(), near).into_iter().map(|at| track[at]).collect(),
        };
        sequence.keys.insert(bone.name.clone(), kept);
    }
    Ok(is_sheared.into_iter().filter(|is_sheared| *is_sheared).count())
}
