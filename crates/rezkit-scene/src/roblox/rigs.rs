//! Rigs: parts that joints hold together, or with bones, which animations move.
//!
//! A joint gives `W1 = W0 * C0 * P * C1⁻¹`, where P is what an animation sets. The three factors become
//! three nested nodes, of which the middle one moves: as one node, its translation would not be linear.

use std::collections::{HashMap, HashSet};

use glam::Mat4;

use super::tree::{Tree, is_part};

/// From one part of a rig to the next.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) part0: usize,
    pub(super) part1: usize,
    pub(super) c0: Mat4,
    pub(super) c1: Mat4,
}

/// The parts that the joints of a model connect, from its root part.
#[derive(Clone, Debug)]
pub(super) struct Rig {
    pub(super) model: usize,
    /// Where only bones move, the first part that has some.
    pub(super) root: usize,
    /// From the root outwards.
    pub(super) joints: Vec<Joint>,
    /// The KeyframeSequences and CurveAnimations that move it.
    pub(super) sequences: Vec<usize>,
}

/// The rigs of a document that animations move.
#[derive(Clone, Debug, Default)]
pub(super) struct Rigs {
    pub(super) rigs: Vec<Rig>,
    /// Those that are not drawn, or not whole.
    pub(super) hidden: Vec<Rig>,
    moved: HashSet<usize>,
}

impl Rigs {
    pub(super) fn moves(&self, part: usize) -> bool {
        self.moved.contains(&part)
    }
}

/// In how many models with animations of their own an instance is a part of the rig; what is in more of them is not moved.
/// Each of models in one another has all that is in it.
pub(super) const MOST_INSIDE: usize = 32;

/// What makes a model a rig.
const JOINTS: [&str; 3] = ["Motor6D", "AnimationConstraint", "Bone"];

pub(super) fn animated(tree: &Tree) -> Rigs {
    let mut found = Rigs::default();
    let is_sequence = |class: &str| matches!(class, "KeyframeSequence" | "CurveAnimation");
    let mut sequences = Vec::new();
    let mut has_joints = HashSet::new();
    for (at, instance) in tree.instances.iter().enumerate() {
        if is_sequence(&instance.class) {
            sequences.push(at);
        } else if JOINTS.contains(&instance.class.as_str()) {
            let mut above = instance.parent;
            while let Some(index) = above.filter(|&index| has_joints.insert(index)) {
                above = tree.instances[index].parent;
            }
        }
    }
    // The nearest model with joints, of every instance that a walk upwards came by.
    let mut left = MOST_INSIDE * tree.instances.len();
    let mut nearest: HashMap<usize, Option<usize>> = HashMap::new();
    let mut of_model: HashMap<usize, Option<usize>> = HashMap::new();
    for sequence in sequences {
        let (mut at, mut passed) = (tree.instances[sequence].parent, Vec::new());
        let model = loop {
            let Some(index) = at else { break None };
            if let Some(&known) = nearest.get(&index) {
                break known;
            }
            if has_joints.contains(&index) && tree.instances[index].class == "Model" {
                break Some(index);
            }
            passed.push(index);
            at = tree.instances[index].parent;
        };
        nearest.extend(passed.into_iter().map(|index| (index, model)));
        let rig = model.and_then(|model| {
            *of_model.entry(model).or_insert_with(|| {
                found.rigs.push(rig(tree, model, &mut left)?);
                Some(found.rigs.len() - 1)
            })
        });
        if let Some(rig) = rig {
            found.rigs[rig].sequences.push(sequence);
        }
    }
    let below = tree.only().filter(|_| !found.rigs.is_empty()).map(|only| tree.below(&[only]));
    let is_shown = |rig: &Rig| below.as_ref().is_none_or(|below| below[rig.model].is_some());
    let (drawn, hidden): (Vec<_>, Vec<_>) = std::mem::take(&mut found.rigs).into_iter().partition(is_shown);
    let parts = drawn.iter().flat_map(|rig| &rig.joints).flat_map(|joint| [joint.part0, joint.part1]);
    found.moved.extend(parts);
    (found.rigs, found.hidden) = (drawn, hidden);
    found
}

/// The rig of a model: the joints that can be reached from the part that no joint moves.
fn rig(tree: &Tree, model: usize, left: &mut usize) -> Option<Rig> {
    let joint = |index: usize| {
        let instance = &tree.instances[index];
        if instance.class == "AnimationConstraint" {
            // Its frames are those of two attachments.
            let end = |name: &str| {
                let attachment = &tree.instances[instance.instance(name)?];
                let part = attachment.parent.filter(|&part| is_part(&tree.instances[part]))?;
                Some((part, attachment.frame(&["CFrame"]).unwrap_or_default()))
            };
            let ((part0, c0), (part1, c1)) = (end("Attachment0")?, end("Attachment1")?);
            return Some(Joint { part0, part1, c0, c1 });
        }
        if !matches!(instance.class.as_str(), "Motor6D" | "Motor" | "Weld" | "ManualWeld" | "Snap") {
            return None;
        }
        let part = |name: &str| instance.instance(name).filter(|&part| is_part(&tree.instances[part]));
        Some(Joint {
            part0: part("Part0")?,
            part1: part("Part1")?,
            c0: instance.frame(&["C0"]).unwrap_or_default(),
            c1: instance.frame(&["C1"]).unwrap_or_default(),
        })
    };
    if *left == 0 {
        return None;
    }
    let inside = tree.descendants(model);
    *left = left.saturating_sub(inside.len());
    let first = |classes: &[&str]| {
        inside.iter().copied().find(|&index| classes.contains(&tree.instances[index].class.as_str()))
    };
    if first(&["Motor6D", "AnimationConstraint"]).is_none() {
        let mut root = first(&["Bone"])?;
        while !is_part(&tree.instances[root]) {
            root = tree.instances[root].parent?;
        }
        return Some(Rig { model, root, joints: Vec::new(), sequences: Vec::new() });
    }
    let joints: Vec<Joint> = inside.into_iter().filter_map(joint).collect();
    let targets: HashSet<usize> = joints.iter().map(|joint| joint.part1).collect();
    let root = joints.iter().map(|joint| joint.part0).find(|part| !targets.contains(part))?;
    let mut from: HashMap<usize, Vec<&Joint>> = HashMap::new();
    joints.iter().for_each(|joint| from.entry(joint.part0).or_default().push(joint));
    let mut reached = HashSet::from([root]);
    let mut ordered = Vec::new();
    let mut open = vec![root];
    while let Some(part) = open.pop() {
        for &joint in from.get(&part).into_iter().flatten() {
            if reached.insert(joint.part1) {
                ordered.push(joint.clone());
                open.push(joint.part1);
            }
        }
    }
    Some(Rig { model, root, joints: ordered, sequences: Vec::new() })
}
