//! What a retargeting did.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use glam::Vec3;

use super::{Changes, Retarget};
use crate::model::Values;

/// What became of an animation on another rig.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Retargeted {
    /// The rig that the animation was made for, such as `a Mixamo rig`.
    pub from: String,
    /// The name of the rig that it has now.
    pub to: String,
    /// The joints of the source and the target that correspond.
    pub matched: Vec<(String, String)>,
    /// Joints of the target that are between matched ones and that the source does not have: they follow the joint above
    /// them.
    pub split: Vec<String>,
    /// Moving joints of the source whose rotation is in that of a joint below them.
    pub merged: Vec<String>,
    /// Moving joints of the source that are lost.
    pub dropped: Vec<String>,
    /// The number of units of the target per unit of the source.
    pub scale: f32,
    /// What became of the motion of the root.
    pub root: RootMotion,
    /// The speed at which feet that stand slide, before and after, in units of the target per second; `None` if a rig has
    /// no feet, or none stands.
    pub sliding: Option<[f32; 2]>,
}

/// What became of the motion of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub enum RootMotion {
    /// The hips do not move.
    None,
    /// The hips move as in the source.
    Kept,
    /// Nodes above the hips move, and their motion is now that of the hips.
    IntoHips,
    /// The hips stay above the place where they begin.
    InPlace,
}

impl fmt::Display for Retargeted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "joints: {} matched", self.matched.len())?;
        for (names, what) in [(&self.split, "split"), (&self.merged, "merged"), (&self.dropped, "dropped")] {
            if !names.is_empty() {
                write!(f, ", {} {what}", names.len())?;
            }
        }
        write!(f, "; size: × {:.4}; root: ", self.scale)?;
        f.write_str(match self.root {
            RootMotion::None => "does not move",
            RootMotion::Kept => "kept",
            RootMotion::IntoHips => "moved into the hips",
            RootMotion::InPlace => "in place",
        })?;
        match self.sliding {
            Some([before, after]) => write!(f, "; feet slide by {after:.4} a second ({before:.4} before)"),
            None => Ok(()),
        }
    }
}

impl Retarget<'_> {
    /// What the retargeting did.
    pub(crate) fn report(&self, changes: Changes, feet: &[Vec<[Vec3; 2]>], times: &[f32]) -> Retargeted {
        let nodes = &self.rig.scene.nodes;
        let joints = || self.target.joints.iter().zip(&self.nodes);
        let matched =
            joints().filter_map(|(joint, node)| Some((nodes[(*node)?].name.clone(), joint.name.clone())));
        let is_matched = |joint: Option<usize>| joint.is_some_and(|joint| self.nodes[joint].is_some());
        let above: HashSet<usize> =
            joints().filter(|(_, node)| node.is_some()).filter_map(|(joint, _)| joint.parent).collect();
        let split = self.target.joints.iter().enumerate().filter(|(index, joint)| {
            self.nodes[*index].is_none() && above.contains(index) && is_matched(joint.parent)
        });
        let own: HashSet<usize> = self.nodes.iter().flatten().copied().collect();
        let order: HashSet<usize> = self.rig.order.iter().copied().collect();
        let mut others: BTreeMap<usize, bool> = BTreeMap::new();
        for channel in &self.animation.channels {
            let is_turn = matches!(channel.values, Values::Rotation(_));
            if !own.contains(&channel.node) && (is_turn || matches!(channel.values, Values::Translation(_))) {
                others.insert(channel.node, order.contains(&channel.node));
            }
        }
        let names = |wanted: bool| {
            let found = others.iter().filter(move |(_, is_above)| **is_above == wanted);
            found.map(|(node, _)| nodes[*node].name.clone()).collect()
        };
        let is_moved = |node: Option<usize>| {
            self.animation
                .channels
                .iter()
                .any(|channel| Some(channel.node) == node && matches!(channel.values, Values::Translation(_)))
        };
        let mut over = self.root().and_then(|root| self.rig.parents[root]);
        let mut is_over = false;
        while let Some(node) = over {
            is_over |= is_moved(Some(node));
            over = self.rig.parents[node];
        }
        let root = match (is_moved(self.root()), is_over) {
            (false, false) => RootMotion::None,
            _ if changes.in_place => RootMotion::InPlace,
            (_, true) => RootMotion::IntoHips,
            (true, false) => RootMotion::Kept,
        };
        Retargeted {
            from: self.title.map_or_else(|| "this file's rig".to_owned(), |title| format!("a {title} rig")),
            to: self.target.name.clone(),
            matched: matched.collect(),
            split: split.map(|(_, joint)| joint.name.clone()).collect(),
            merged: names(true),
            dropped: names(false),
            scale: self.size,
            root,
            sliding: foot_sliding(feet, times, self.target.leg),
        }
    }
}

/// The speed at which feet that stand slide: that of the target and of the source. A foot stands if both its places, now
/// and at the next time, are at most 2 % of the leg above its lowest.
pub(crate) fn foot_sliding(feet: &[Vec<[Vec3; 2]>], times: &[f32], leg: f32) -> Option<[f32; 2]> {
    let (mut ways, mut time) = ([0.0_f32; 2], 0.0);
    for places in feet.iter().filter(|places| places.len() == times.len()) {
        // The source's decide when a foot stands, so that both are measured at the same times.
        let lowest = places.iter().map(|[_, its]| its.y).fold(f32::INFINITY, f32::min);
        let stands = |index: usize| places[index][1].y - lowest < 0.02 * leg;
        for index in 1..places.len() {
            if stands(index - 1) && stands(index) {
                for (which, way) in ways.iter_mut().enumerate() {
                    let [from, to] = [index - 1, index].map(|index| places[index][which]);
                    *way += Vec3::new(to.x - from.x, 0.0, to.z - from.z).length();
                }
                time += times[index] - times[index - 1];
            }
        }
    }
    (time > 0.0).then(|| [ways[1] / time, ways[0] / time])
}
