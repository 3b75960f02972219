//! Rigs: parts connected by joints, or with bones, that animations move.
//!
//! A joint places its second part at `W1 = W0 * C0 * P * C1⁻¹`; animations set P. The three factors become
//! three nested nodes, of which the middle one moves: with only one node, its translation would not be linear.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::avatars::{self, Avatar, HeldTool};
use super::graph::{Graph, Joint, joint, with_ways_to};
use super::source;
use super::tree::{Inst, Property, Tree, is_part, is_sequence};
use crate::forms::RigModel;
use rezkit_core::{Budget, Error, ErrorKind, Result};

/// What a rig of Roblox is.
enum Known<'a> {
    Avatar(Avatar),
    Document(&'a [u8]),
}

impl RigModel {
    fn avatar(&self) -> Result<Known<'_>> {
        Ok(Known::Avatar(match self {
            Self::R6 => Avatar::r6(),
            Self::R15 => Avatar::r15(),
            Self::Rthro => Avatar::rthro(),
            Self::RthroNarrow => Avatar::rthro_narrow(),
            Self::Named(name) => return Err(not_of_roblox(name)),
            Self::Document(bytes) => return Ok(Known::Document(bytes)),
        }))
    }

    /// Adds the rig to a document. Returns the index of its model.
    fn add(&self, tree: &mut Tree, budget: &mut Budget) -> Result<usize> {
        let bytes = match self.avatar()? {
            Known::Avatar(avatar) => return avatar.add(tree, budget),
            Known::Document(bytes) => bytes,
        };
        let first = tree.instances.len();
        avatars::add_document(tree, document(bytes, budget)?, budget)?;
        model_with_joints(tree, first)
    }

    /// The joints of the rig, from the root outwards.
    ///
    /// # Errors
    /// If the document cannot be read, has no model with joints, or two parts of it have the same name.
    pub(super) fn joints(&self, budget: &mut Budget) -> Result<Avatar> {
        let bytes = match self.avatar()? {
            Known::Avatar(avatar) => return Ok(avatar),
            Known::Document(bytes) => bytes,
        };
        let tree = document(bytes, budget)?;
        let model = model_with_joints(&tree, 0)?;
        let name = |index: usize| tree.instances[index].name.as_str();
        let inside: HashSet<&str> = tree.descendants(model).into_iter().map(name).collect();
        let mut left = MOST_INSIDE * tree.instances.len();
        let rig = rig(&tree, model, &inside, &mut left).ok_or_else(no_joints)?;
        if rig.joints.is_empty() {
            return Avatar::of_bones(&tree, model);
        }
        if let Some(joint) = rig.closing.first() {
            let path = tree.path(joint.index);
            let other = rig.joints.iter().find(|other| other.part1 == joint.part1);
            let other = other.map_or_else(|| "another joint".to_owned(), |other| tree.path(other.index));
            let what = format!(
                "in the rig file, the joint {path} moves the same part as {other}: remove one of them"
            );
            return Err(Error::argument(what).at("rig"));
        }
        let mut known = HashSet::from([name(rig.root)]);
        let mut joints = Vec::new();
        // What is only welded to a part needs no name: no animation moves it.
        for Joint { part0, part1, c0, c1, .. } in with_ways_to(rig.joints, |joint| !joint.is_held) {
            if !known.insert(name(part1)) {
                return Err(Error::argument(format!(
                    "two parts of the rig file are named {:?}, expected different names",
                    name(part1)
                ))
                .at("rig"));
            }
            joints.push(avatars::Joint::new(name(part0), name(part1), [c0, c1]));
        }
        Ok(Avatar::of_joints(name(model), joints))
    }
}

/// Reads the document of a rig. The error names the rig file, since a conversion reads another file, too.
fn document(bytes: &[u8], budget: &mut Budget) -> Result<Tree> {
    source::document(bytes, "the rig file", budget).map_err(|error| match error.kind() {
        ErrorKind::Unreadable => Error::unreadable(format!("the rig file cannot be read: {error}")).at("rig"),
        _ => error,
    })
}

fn not_of_roblox(name: &str) -> Error {
    let what = format!(
        "expected R6, R15, Rthro, Rthro-narrow or a Roblox document, since the animations are Roblox's, found {name}"
    );
    Error::argument(what).at("rig")
}

fn no_joints() -> Error {
    Error::argument(
        "the rig file contains no model in which Motor6D or AnimationConstraint joints connect a root part to \
         other parts, or in which a part has bones",
    )
    .at("rig")
}

/// The first model with joints from an instance on.
fn model_with_joints(tree: &Tree, first: usize) -> Result<usize> {
    let is_joint = |instance: &&Inst| JOINTS.contains(&instance.class.as_str());
    let joint = tree.instances[first..].iter().find(is_joint).ok_or_else(no_joints)?;
    // The innermost model around the joint; a document can also have the parts without a model.
    let (mut at, mut last) = (joint.parent, None);
    while let Some(index) = at {
        last = Some(index);
        if tree.instances[index].class == "Model" {
            break;
        }
        at = tree.instances[index].parent;
    }
    last.ok_or_else(no_joints)
}

/// The parts that the joints of a model connect, from its root part.
#[derive(Clone, Debug)]
pub(super) struct Rig {
    pub(super) model: usize,
    /// The root part; if only bones move, the first part that has bones.
    pub(super) root: usize,
    /// The joints, from the root outwards.
    pub(super) joints: Vec<Joint>,
    /// Motors to parts that other joints already reach.
    pub(super) closing: Vec<Joint>,
    /// The KeyframeSequences and CurveAnimations that move it.
    pub(super) sequences: Vec<usize>,
    /// Whether the rig is an avatar that was added for these animations.
    pub(super) is_avatar: bool,
}

/// The rigs of a document that animations move.
#[derive(Clone, Debug, Default)]
pub(super) struct Rigs {
    pub(super) rigs: Vec<Rig>,
    /// Rigs that are not drawn, or only partly.
    pub(super) hidden: Vec<Rig>,
    /// The animations of models whose joints form a cycle, without a root.
    pub(super) in_circles: HashSet<usize>,
    moved: HashSet<usize>,
}

impl Rigs {
    pub(super) fn moves(&self, part: usize) -> bool {
        self.moved.contains(&part)
    }
}

/// The maximum number of nested animated models whose rigs may include the same instance; more deeply nested instances
/// are not moved. An outer model includes the content of inner ones.
pub(super) const MOST_INSIDE: usize = 32;

/// The classes of instances that make a model a rig.
const JOINTS: [&str; 3] = ["Motor6D", "AnimationConstraint", "Bone"];

/// The maximum number of models above an animation that are searched for the parts that it poses.
const MOST_ABOVE: usize = 8;

/// The classes of curves that pose the part that their folder names.
pub(super) const CURVES: [&str; 3] = ["Vector3Curve", "EulerRotationCurve", "RotationCurve"];

/// The names of the parts that an animation poses.
pub(super) fn posed(tree: &Tree, sequence: usize) -> HashSet<&str> {
    let below = tree.animated(sequence).into_iter().map(|index| &tree.instances[index]);
    let is_curve = |at: &usize| CURVES.contains(&tree.instances[*at].class.as_str());
    let is_posed = |instance: &&Inst| match instance.class.as_str() {
        "Pose" => instance.number(Property::Weight) != Some(0.0),
        _ => instance.children.iter().any(is_curve),
    };
    below.filter(is_posed).map(|instance| instance.name.as_str()).collect()
}

/// All names in an animation, including those of poses that only contain others.
fn names(tree: &Tree, sequence: usize) -> HashSet<&str> {
    tree.animated(sequence).into_iter().map(|index| tree.instances[index].name.as_str()).collect()
}

/// The rigs of a document that its animations move. For an animation without a rig, an avatar with the posed parts is
/// added to the document.
///
/// # Errors
/// If avatars need more memory than is left.
pub(super) fn animated(tree: &mut Tree, choice: Option<&RigModel>, budget: &mut Budget) -> Result<Rigs> {
    // Animations are moved to any other rig later.
    let choice = choice.filter(|rig| !matches!(rig, RigModel::Named(_)));
    let is_document = matches!(choice, Some(RigModel::Document(_)));
    let mut sequences = Vec::new();
    let mut has_joints = HashSet::new();
    for (at, instance) in tree.instances.iter().enumerate() {
        if is_sequence(instance) {
            sequences.push(at);
        } else if JOINTS.contains(&instance.class.as_str()) {
            let mut above = instance.parent;
            while let Some(index) = above.filter(|&index| has_joints.insert(index)) {
                above = tree.instances[index].parent;
            }
        }
    }
    let has_animations = !sequences.is_empty();
    let asked = tree.start.map(|start| tree.below(&[start]));
    let mut search = Search::new(tree, has_joints);
    let (mut of_model, mut without): (BTreeMap<usize, Vec<usize>>, Vec<_>) = Default::default();
    let mut left = MOST_INSIDE * tree.instances.len();
    let mut held = Vec::new();
    for sequence in sequences {
        match search.model(sequence, &mut left) {
            Some(model) => match search.holder(model, sequence, &mut left) {
                Some(avatar) => held.push((sequence, avatar, model)),
                None => of_model.entry(model).or_default().push(sequence),
            },
            None if posed(tree, sequence).is_empty() => {}
            None if asked.as_ref().is_none_or(|asked| asked[sequence].is_some()) => {
                let by_names = || Some(Avatar::of(&names(tree, sequence))?.model());
                let rig = match is_document {
                    true => choice.cloned(),
                    false => by_names().or_else(|| choice.cloned()),
                };
                without.extend(rig.map(|rig| (sequence, rig)));
            }
            None => {}
        }
    }
    let mut avatars: Vec<(RigModel, Option<usize>, usize)> = Vec::new();
    let without = without.into_iter().map(|(sequence, avatar)| (sequence, avatar, None));
    let held = held.into_iter().map(|(sequence, avatar, tool)| {
        let rig = choice.filter(|_| is_document).cloned().unwrap_or(avatar);
        (sequence, rig, Some(tool))
    });
    for (sequence, avatar, tool) in without.chain(held) {
        let known = avatars.iter().find(|(of, held, _)| *held == tool && *of == avatar).map(|known| known.2);
        let model = match known {
            Some(model) => model,
            None => {
                let model = avatar.add(tree, budget)?;
                if let Some(tool) = tool {
                    hold(tree, model, tool, sequence, budget)?;
                }
                avatars.push((avatar, tool, model));
                model
            }
        };
        of_model.entry(model).or_default().push(sequence);
    }
    if choice.is_some() && avatars.is_empty() && (is_document || !has_animations) {
        let what = match has_animations {
            true => {
                "the option rig has no effect, because no animation to convert needs it: each has a rig in the file \
                 or poses no part; remove the option"
            }
            false => "the option rig has no effect, because the file has no animation; remove the option",
        };
        return Err(Error::argument(what).at("rig"));
    }
    let tree = &*tree;
    let is_avatar = |model: usize| avatars.iter().any(|(.., avatar)| *avatar == model);
    let mut found = Rigs::default();
    let mut left = MOST_INSIDE * tree.instances.len();
    for (model, sequences) in of_model {
        let mut names = HashSet::new();
        sequences.iter().for_each(|&sequence| names.extend(posed(tree, sequence)));
        match rig(tree, model, &names, &mut left) {
            Some(rig) => found.rigs.push(Rig { sequences, is_avatar: is_avatar(model), ..rig }),
            None if left > 0 => found.in_circles.extend(sequences),
            None => {}
        }
    }
    let below = tree.only().filter(|_| !found.rigs.is_empty()).map(|only| tree.below(&[only]));
    let is_requested = |rig: &Rig| below.as_ref().is_none_or(|below| below[rig.model].is_some());
    let is_shown = |rig: &Rig| rig.is_avatar || is_requested(rig) && tree.frame_around(rig.model).is_none();
    let (drawn, hidden): (Vec<_>, Vec<_>) = std::mem::take(&mut found.rigs).into_iter().partition(is_shown);
    let parts = drawn.iter().flat_map(|rig| &rig.joints).flat_map(|joint| [joint.part0, joint.part1]);
    found.moved.extend(parts);
    (found.rigs, found.hidden) = (drawn, hidden);
    Ok(found)
}

/// Puts a copy of a tool into the hand of an avatar that was added for an animation that moves both.
fn hold(tree: &mut Tree, avatar: usize, tool: usize, sequence: usize, budget: &mut Budget) -> Result<()> {
    let posed = posed(tree, sequence);
    let mut left = tree.instances.len();
    let Some(root) = rig(tree, tool, &posed, &mut left).map(|rig| rig.root) else { return Ok(()) };
    // Poses are nested like the parts: the pose around that of the tool names the holder.
    let is_root = |&at: &usize| {
        let instance = &tree.instances[at];
        instance.class == "Pose" && instance.name == tree.instances[root].name
    };
    let pose = tree.animated(sequence).into_iter().find(is_root);
    let above = pose.and_then(|pose| tree.instances[pose].parent);
    let holder = above.map(|above| tree.instances[above].name.clone()).unwrap_or_default();
    avatars::hold(tree, avatar, HeldTool { model: tool, root, holder: &holder }, budget)
}

/// The search for the models that animations move.
struct Search<'t> {
    tree: &'t Tree,
    has_joints: HashSet<usize>,
    /// The first models with joints below each instance, or at the root of the document.
    beside: HashMap<Option<usize>, Vec<usize>>,
    /// The nearest model with joints, or ObjectValue, at or above an instance.
    nearest: HashMap<usize, Option<usize>>,
    /// The names of the parts and bones that can move in a model, and of the parts from which joints start.
    parts: HashMap<usize, [HashSet<&'t str>; 2]>,
}

impl<'t> Search<'t> {
    fn new(tree: &'t Tree, has_joints: HashSet<usize>) -> Self {
        let mut beside: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        for (index, instance) in tree.instances.iter().enumerate() {
            if instance.class == "Model" && has_joints.contains(&index) {
                let models = beside.entry(instance.parent).or_default();
                if models.len() < MOST_ABOVE {
                    models.push(index);
                }
            }
        }
        Self { tree, has_joints, beside, nearest: HashMap::new(), parts: HashMap::new() }
    }

    /// The model with the parts that an animation poses: one that contains the animation, or to which an ObjectValue
    /// above it refers, or one beside it. If no model has one, a model of which it poses only the part from which the joints start.
    /// Examines only the animation, since many of them can be in one model.
    fn model(&mut self, sequence: usize, left: &mut usize) -> Option<usize> {
        let posed = posed(self.tree, sequence);
        let mut at = self.tree.instances[sequence].parent;
        let mut of_root = None;
        for _ in 0..MOST_ABOVE {
            let Some(found) = at.and_then(|at| self.nearest(at)) else { break };
            let instance = &self.tree.instances[found];
            let model = match instance.class.as_str() {
                "ObjectValue" => {
                    instance.instance(Property::Value).filter(|model| self.has_joints.contains(model))
                }
                _ => Some(found),
            };
            if let Some(model) = model {
                let [moved, roots] = self.parts(model, left);
                if posed.is_empty() || posed.iter().any(|part| moved.contains(part)) {
                    return Some(model);
                }
                if posed.len() == 1 && posed.iter().all(|part| roots.contains(part)) {
                    of_root = of_root.or(Some(model));
                }
            }
            at = instance.parent;
        }
        of_root.or_else(|| self.beside(sequence, &posed, left))
    }

    /// The model beside an animation, as in files of models with their animations, or where they were inserted.
    fn beside(&mut self, sequence: usize, posed: &HashSet<&str>, left: &mut usize) -> Option<usize> {
        let models = self.beside.get(&self.tree.instances[sequence].parent)?.clone();
        models.into_iter().find(|&model| posed.iter().any(|part| self.parts(model, left)[0].contains(part)))
    }

    /// The avatar with a tool in its hand: the one whose parts an animation poses besides those of the tool.
    fn holder(&mut self, tool: usize, sequence: usize, left: &mut usize) -> Option<RigModel> {
        let mut posed = posed(self.tree, sequence);
        let [own, _] = self.parts(tool, left);
        posed.retain(|part| !own.contains(part));
        // More than one part is required, since a part of a tool can have the name of a part of an avatar.
        Avatar::of(&posed)
            .filter(|avatar| avatar.parts().filter(|part| posed.contains(part)).count() > 1)
            .map(|avatar| avatar.model())
    }

    fn nearest(&mut self, from: usize) -> Option<usize> {
        let (mut at, mut passed) = (Some(from), Vec::new());
        let found = loop {
            let Some(index) = at else { break None };
            if let Some(&known) = self.nearest.get(&index) {
                break known;
            }
            let instance = &self.tree.instances[index];
            passed.push(index);
            let is_rig = instance.class == "Model" && self.has_joints.contains(&index);
            if is_rig || instance.class == "ObjectValue" {
                break Some(index);
            }
            at = instance.parent;
        };
        self.nearest.extend(passed.into_iter().map(|index| (index, found)));
        found
    }

    fn parts(&mut self, model: usize, left: &mut usize) -> &[HashSet<&'t str>; 2] {
        let tree = self.tree;
        self.parts.entry(model).or_insert_with(|| {
            let inside = if *left > 0 { tree.descendants(model) } else { Vec::new() };
            *left = left.saturating_sub(inside.len());
            let name = |index: usize| tree.instances[index].name.as_str();
            let (mut moved, mut roots) = (HashSet::new(), HashSet::new());
            for index in inside {
                if tree.instances[index].class == "Bone" {
                    moved.insert(name(index));
                } else if let Some(joint) = joint(tree, index) {
                    moved.insert(name(joint.part1));
                    roots.insert(name(joint.part0));
                }
            }
            [moved, roots]
        })
    }
}

/// The rig of a model: the joints that can be reached from its root part.
fn rig(tree: &Tree, model: usize, posed: &HashSet<&str>, left: &mut usize) -> Option<Rig> {
    if *left == 0 {
        return None;
    }
    let inside = tree.descendants(model);
    *left = left.saturating_sub(inside.len());
    let first = |classes: &[&str]| {
        inside.iter().copied().find(|&index| classes.contains(&tree.instances[index].class.as_str()))
    };
    let (root, [joints, closing]) = if first(&["Motor6D", "AnimationConstraint"]).is_some() {
        let graph = Graph::new(tree, &inside);
        let root = graph.root(posed)?;
        (root, graph.joints_from(root))
    } else {
        let mut root = first(&["Bone"])?;
        while !is_part(&tree.instances[root]) {
            root = tree.instances[root].parent?;
        }
        (root, Default::default())
    };
    Some(Rig { model, root, joints, closing, sequences: Vec::new(), is_avatar: false })
}
