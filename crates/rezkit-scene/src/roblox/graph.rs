//! The joints between the parts of a model as a graph: its root part, and the joints from there outwards.
//!
//! A motor moves its second part. A weld has no direction: whichever of its parts is farther from the root follows.

use std::collections::{HashMap, HashSet};

use glam::Mat4;

use super::avatars::ROOT;
use super::tree::{Property, Tree, is_part};

/// A joint between two parts of a rig: `W1 = W0 * C0 * C1⁻¹` at rest.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    /// Its instance.
    pub(super) index: usize,
    pub(super) part0: usize,
    pub(super) part1: usize,
    pub(super) c0: Mat4,
    pub(super) c1: Mat4,
    /// Whether the second part follows the first one without a motion of its own.
    pub(super) is_held: bool,
}

impl Joint {
    /// The joint from its second part to its first.
    fn reversed(&self) -> Self {
        let Self { index, part0, part1, c0, c1, .. } = *self;
        Self { index, part0: part1, part1: part0, c0: c1, c1: c0, is_held: true }
    }
}

/// The classes of joints that move their second part.
const MOTORS: [&str; 3] = ["Motor6D", "Motor", "AnimationConstraint"];

/// The classes of joints that hold their second part, in the frames of the joint.
const WELDS: [&str; 3] = ["Weld", "ManualWeld", "Snap"];

/// A motor or weld from its first part to its second.
pub(super) fn joint(tree: &Tree, index: usize) -> Option<Joint> {
    let instance = &tree.instances[index];
    let class = instance.class.as_str();
    if class == "AnimationConstraint" {
        return attached(tree, index);
    }
    if !MOTORS.contains(&class) && (!WELDS.contains(&class) || is_off(tree, index)) {
        return None;
    }
    let [part0, part1] = parts(tree, index)?;
    let [c0, c1] = [Property::C0, Property::C1].map(|name| instance.frame(&[name]).unwrap_or_default());
    Some(Joint { index, part0, part1, c0, c1, is_held: false })
}

pub(super) fn is_motor(tree: &Tree, joint: &Joint) -> bool {
    MOTORS.contains(&tree.instances[joint.index].class.as_str())
}

/// A constraint that holds two parts as they are.
fn held(tree: &Tree, index: usize) -> Option<Joint> {
    let joint = match tree.instances[index].class.as_str() {
        "RigidConstraint" => attached(tree, index)?,
        "WeldConstraint" => {
            let [part0, part1] = parts(tree, index)?;
            let place = |part: usize| tree.instances[part].frame(&[Property::CFrame]);
            let c0 = place(part0)?.inverse() * place(part1)?;
            Joint { index, part0, part1, c0, c1: Mat4::IDENTITY, is_held: true }
        }
        _ => return None,
    };
    Some(Joint { is_held: true, ..joint }).filter(|joint| joint.c0.is_finite() && !is_off(tree, index))
}

fn is_off(tree: &Tree, index: usize) -> bool {
    tree.instances[index].bool(Property::Enabled) == Some(false)
}

/// The parts that a joint connects.
fn parts(tree: &Tree, index: usize) -> Option<[usize; 2]> {
    let part =
        |name: Property| tree.instances[index].instance(name).filter(|&part| is_part(&tree.instances[part]));
    Some([part(Property::Part0)?, part(Property::Part1)?])
}

/// A constraint whose frames are two attachments.
fn attached(tree: &Tree, index: usize) -> Option<Joint> {
    let end = |name: Property| tree.attachment(tree.instances[index].instance(name)?);
    let ((part0, c0), (part1, c1)) = (end(Property::Attachment0)?, end(Property::Attachment1)?);
    Some(Joint { index, part0, part1, c0, c1, is_held: false })
}

/// The joints with a property, and those between them and the root.
pub(super) fn with_ways_to(joints: Vec<Joint>, is_wanted: impl Fn(&Joint) -> bool) -> Vec<Joint> {
    let mut needed = HashSet::new();
    let mut kept: Vec<Joint> = joints.into_iter().rev().collect();
    kept.retain(|joint| {
        let is_kept = is_wanted(joint) || needed.contains(&joint.part1);
        if is_kept {
            needed.insert(joint.part0);
        }
        is_kept
    });
    kept.reverse();
    kept
}

/// The joints of a model.
pub(super) struct Graph<'t> {
    tree: &'t Tree,
    /// The motors and welds, in the order of the document.
    joints: Vec<Joint>,
    /// The joints from each part, in three groups, of which later ones are only used if earlier ones do not reach a part:
    /// motors and welds from the first part; what else holds a part; motors from the second part.
    from: [HashMap<usize, Vec<Joint>>; 3],
    /// The parts that are held together have the same number.
    groups: HashMap<usize, usize>,
}

impl<'t> Graph<'t> {
    /// The joints among these instances.
    pub(super) fn new(tree: &'t Tree, inside: &[usize]) -> Self {
        let joints: Vec<Joint> = inside.iter().filter_map(|&index| joint(tree, index)).collect();
        let mut graph = Self { tree, joints: Vec::new(), from: Default::default(), groups: HashMap::new() };
        let [forward, held_at, back] = &mut graph.from;
        let add = |to: &mut HashMap<usize, Vec<Joint>>, joint: Joint| {
            to.entry(joint.part0).or_default().push(joint);
        };
        for joint in &joints {
            add(forward, joint.clone());
            add(if is_motor(tree, joint) { &mut *back } else { &mut *held_at }, joint.reversed());
        }
        for joint in inside.iter().filter_map(|&index| held(tree, index)) {
            add(held_at, joint.reversed());
            add(held_at, joint);
        }
        graph.joints = joints;
        graph.group();
        graph
    }

    fn is_motor(&self, joint: &Joint) -> bool {
        is_motor(self.tree, joint)
    }

    fn name(&self, part: usize) -> &'t str {
        &self.tree.instances[part].name
    }

    /// The joints from a part.
    fn steps(&self, kind: usize, part: usize) -> &[Joint] {
        self.from[kind].get(&part).map_or(&[], Vec::as_slice)
    }

    fn group(&mut self) {
        let mut groups = HashMap::new();
        for part in self.joints.iter().flat_map(|joint| [joint.part0, joint.part1]) {
            let mut open = vec![part];
            while let Some(at) = open.pop() {
                if groups.contains_key(&at) {
                    continue;
                }
                groups.insert(at, part);
                let welds = self.steps(0, at).iter().filter(|joint| !self.is_motor(joint));
                open.extend(welds.chain(self.steps(1, at)).map(|joint| joint.part1));
            }
        }
        self.groups = groups;
    }

    /// The part that reaches the most posed parts, of those that no motor moves.
    pub(super) fn root(&self, posed: &HashSet<&str>) -> Option<usize> {
        let motors = || self.joints.iter().filter(|joint| self.is_motor(joint));
        let moved: HashSet<usize> = motors().map(|joint| joint.part1).collect();
        let group = |part: usize| self.groups.get(&part).copied();
        let is_between = |joint: &&Joint| group(joint.part0) != group(joint.part1);
        let moved_groups: HashSet<_> = motors().filter(is_between).map(|joint| group(joint.part1)).collect();
        // Of the parts that are held together, HumanoidRootPart is the root.
        let mut roots = HashMap::new();
        for (&part, &group) in &self.groups {
            if self.name(part) == ROOT && !moved.contains(&part) {
                let first = roots.entry(group).or_insert(part);
                *first = part.min(*first);
            }
        }
        let tops = motors()
            .map(|joint| joint.part0)
            .filter(|&part| !moved.contains(&part) && !moved_groups.contains(&group(part)))
            .map(|part| group(part).and_then(|group| roots.get(&group).copied()).unwrap_or(part));
        let best = self.best(tops.collect(), posed);
        best.map(|top| self.above(top, posed)).or_else(|| {
            // If motors form cycles: a part that no joint places.
            let targets: HashSet<usize> = self.joints.iter().map(|joint| joint.part1).collect();
            let others = self.joints.iter().map(|joint| joint.part0).filter(|part| !targets.contains(part));
            self.best(others.collect(), posed)
        })
    }

    /// The part that reaches the most posed parts. If several parts reach the same number, HumanoidRootPart is
    /// preferred, then the first.
    fn best(&self, mut tops: Vec<usize>, posed: &HashSet<&str>) -> Option<usize> {
        geom::sort::by_key(&mut tops, |&part| self.name(part) != ROOT);
        let (mut reached, mut best) = (HashSet::new(), None);
        for top in tops {
            if reached.contains(&top) {
                continue;
            }
            let is_posed = |joint: &&Joint| !joint.is_held && posed.contains(self.name(joint.part1));
            let count = self.walk(top, 2, &mut reached).iter().filter(is_posed).count();
            if best.is_none_or(|(known, _)| count > known) {
                best = Some((count, top));
            }
        }
        best.map(|(_, top)| top)
    }

    /// The part above the welds that an animation moves as if they were motors.
    fn above(&self, top: usize, posed: &HashSet<&str>) -> usize {
        let (mut at, mut passed) = (top, HashSet::from([top]));
        while self.name(at) != ROOT && posed.contains(self.name(at)) {
            let is_weld = |joint: &&Joint| WELDS.contains(&self.tree.instances[joint.index].class.as_str());
            let above = self.steps(1, at).iter().find(is_weld).map(|joint| joint.part1);
            let Some(above) = above.filter(|&above| passed.insert(above)) else { break };
            at = above;
        }
        at
    }

    /// The joints to the parts that a part reaches, from there outwards.
    fn walk(&self, root: usize, kinds: usize, reached: &mut HashSet<usize>) -> Vec<Joint> {
        reached.insert(root);
        let (mut ordered, mut open) = (Vec::new(), [const { Vec::new() }; 3]);
        open.iter_mut().for_each(|open| open.push(root));
        while let Some((kind, part)) = (0..kinds).find_map(|kind| Some((kind, open[kind].pop()?))) {
            for joint in self.steps(kind, part) {
                if reached.insert(joint.part1) {
                    ordered.push(joint.clone());
                    open.iter_mut().for_each(|open| open.push(joint.part1));
                }
            }
        }
        ordered
    }

    /// The joints that a root part reaches, and the motors between the same parts that are not used. Parts that are
    /// only held at the root are left out: nothing moves them.
    pub(super) fn joints_from(&self, root: usize) -> [Vec<Joint>; 2] {
        let ordered = self.walk(root, 3, &mut HashSet::new());
        let mut moving = HashSet::new();
        for joint in &ordered {
            if !joint.is_held || moving.contains(&joint.part0) {
                moving.insert(joint.part1);
            }
        }
        let ordered = with_ways_to(ordered, |joint| moving.contains(&joint.part1));
        let own: HashSet<usize> = ordered.iter().map(|joint| joint.part1).chain([root]).collect();
        let used: HashSet<usize> = ordered.iter().map(|joint| joint.index).collect();
        let is_closing = |joint: &&Joint| {
            let class = self.tree.instances[joint.index].class.as_str();
            matches!(class, "Motor6D" | "AnimationConstraint")
                && !used.contains(&joint.index)
                && [joint.part0, joint.part1].iter().all(|part| own.contains(part))
        };
        let closing = self.joints.iter().filter(is_closing).cloned().collect();
        [ordered, closing]
    }
}
