//! The rigs of Roblox's avatars, R6 and R15, for animations without a rig: boxes with the sizes of the parts.
//!
//! Sizes and joints are those of the rigs of Roblox's own avatars, in studs.

use std::collections::{HashMap, HashSet};

use glam::{Mat3, Mat4, Vec3};

use super::tree::{Inst, Prop, Property, Tree};
use crate::forms::RigModel;
use rezkit_core::{Budget, Error, Result};

/// A joint between two parts: the names of both parts, and the frame of the joint in each, column by column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Joint {
    pub(super) part0: String,
    pub(super) part1: String,
    c0: [f32; 16],
    c1: [f32; 16],
}

/// A rig: its name, the sizes of its parts and its joints, from the root outwards.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Avatar {
    pub(super) name: String,
    sizes: HashMap<String, [f32; 3]>,
    pub(super) joints: Vec<Joint>,
}

/// A joint in a table: both parts, its position in each, and its rotation in both, row by row.
type Row = (&'static str, &'static str, [f32; 3], [f32; 3], [f32; 9]);

/// The root part, which no joint moves.
pub(super) const ROOT: &str = "HumanoidRootPart";

const NONE: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// The rotations of the joints of R6.
const UP: [f32; 9] = [-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0];
const RIGHT: [f32; 9] = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0];
const LEFT: [f32; 9] = [0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0];

const R6_SIZES: &[(&str, [f32; 3])] = &[
    (ROOT, [2.0, 2.0, 1.0]),
    ("Torso", [2.0, 2.0, 1.0]),
    ("Head", [2.0, 1.0, 1.0]),
    ("Right Arm", [1.0, 2.0, 1.0]),
    ("Left Arm", [1.0, 2.0, 1.0]),
    ("Right Leg", [1.0, 2.0, 1.0]),
    ("Left Leg", [1.0, 2.0, 1.0]),
];

const R6: &[Row] = &[
    ("HumanoidRootPart", "Torso", [0.0; 3], [0.0; 3], UP),
    ("Torso", "Head", [0.0, 1.0, 0.0], [0.0, -0.5, 0.0], UP),
    ("Torso", "Right Arm", [1.0, 0.5, 0.0], [-0.5, 0.5, 0.0], RIGHT),
    ("Torso", "Left Arm", [-1.0, 0.5, 0.0], [0.5, 0.5, 0.0], LEFT),
    ("Torso", "Right Leg", [1.0, -1.0, 0.0], [0.5, 1.0, 0.0], RIGHT),
    ("Torso", "Left Leg", [-1.0, -1.0, 0.0], [-0.5, 1.0, 0.0], LEFT),
];

const R15_SIZES: &[(&str, [f32; 3])] = &[
    (ROOT, [2.0, 2.0, 1.0]),
    ("LowerTorso", [2.0, 0.4, 1.0]),
    ("UpperTorso", [2.0, 1.6, 1.0]),
    ("Head", [1.198, 1.202, 1.198]),
    ("RightUpperArm", [1.0, 1.1687, 1.0]),
    ("RightLowerArm", [1.0, 1.0519, 1.0]),
    ("RightHand", [1.0, 0.3, 1.0]),
    ("LeftUpperArm", [1.0, 1.1687, 1.0]),
    ("LeftLowerArm", [1.0, 1.0519, 1.0]),
    ("LeftHand", [1.0, 0.3, 1.0]),
    ("RightUpperLeg", [1.0, 1.2166, 1.0]),
    ("RightLowerLeg", [1.0, 1.1931, 1.0]),
    ("RightFoot", [1.0, 0.3, 1.0]),
    ("LeftUpperLeg", [1.0, 1.2166, 1.0]),
    ("LeftLowerLeg", [1.0, 1.1931, 1.0]),
    ("LeftFoot", [1.0, 0.3, 1.0]),
];

const R15: &[Row] = &[
    ("HumanoidRootPart", "LowerTorso", [0.0, -1.0, 0.0], [0.0, -0.2, 0.0], NONE),
    ("LowerTorso", "UpperTorso", [0.0, 0.2, 0.0], [0.0, -0.8, 0.0], NONE),
    ("UpperTorso", "Head", [0.0, 0.8, 0.0], [0.0, -0.5, 0.0], NONE),
    ("UpperTorso", "RightUpperArm", [1.0, 0.563, 0.0], [-0.5, 0.394, 0.0], NONE),
    ("RightUpperArm", "RightLowerArm", [0.0, -0.334, 0.0], [0.0, 0.2587, 0.0], NONE),
    ("RightLowerArm", "RightHand", [0.0, -0.501, 0.0], [0.0, 0.125, 0.0], NONE),
    ("UpperTorso", "LeftUpperArm", [-1.0, 0.563, 0.0], [0.5, 0.394, 0.0], NONE),
    ("LeftUpperArm", "LeftLowerArm", [0.0, -0.334, 0.0], [0.0, 0.2587, 0.0], NONE),
    ("LeftLowerArm", "LeftHand", [0.0, -0.501, 0.0], [0.0, 0.125, 0.0], NONE),
    ("LowerTorso", "RightUpperLeg", [0.5, -0.2, 0.0], [0.0, 0.4208, 0.0], NONE),
    ("RightUpperLeg", "RightLowerLeg", [0.0, -0.401, 0.0], [0.0, 0.379, 0.0], NONE),
    ("RightLowerLeg", "RightFoot", [0.0, -0.547, 0.0], [0.0, 0.102, 0.0], NONE),
    ("LowerTorso", "LeftUpperLeg", [-0.5, -0.2, 0.0], [0.0, 0.4208, 0.0], NONE),
    ("LeftUpperLeg", "LeftLowerLeg", [0.0, -0.401, 0.0], [0.0, 0.379, 0.0], NONE),
    ("LeftLowerLeg", "LeftFoot", [0.0, -0.547, 0.0], [0.0, 0.102, 0.0], NONE),
];

/// The sizes of the parts of Rthro relative to those of R15, by the ends of their names: as Roblox's page on the evolution
/// of avatars has them.
const RTHRO: Scales = &[
    ("Torso", [1.033, 1.309, 1.14]),
    ("Head", [0.942; 3]),
    ("Arm", [1.129, 1.342, 1.132]),
    ("Hand", [1.066, 1.174, 1.231]),
    ("Leg", [1.023, 1.506, 1.023]),
    ("Foot", [1.079, 1.267, 1.129]),
];

/// Those of slender Rthro.
const RTHRO_NARROW: Scales = &[
    ("LowerTorso", [0.985_687, 1.004_605, 1.013_333]),
    ("UpperTorso", [0.905_346, 1.204_232, 1.013_333]),
    ("Head", [0.896_289, 0.942, 0.896_289]),
    ("Arm", [1.003_556, 1.207_921, 1.006_222]),
    ("Hand", [0.947_556, 1.174, 1.094_222]),
    ("UpperLeg", [0.976_145, 1.400_93, 0.909_333]),
    ("LowerLeg", [0.976_145, 1.300_518, 0.909_333]),
    ("Foot", [1.029_58, 1.133_274, 1.003_556]),
];

/// The ends of names of parts, and factors of their sizes.
type Scales = &'static [(&'static str, [f32; 3])];

/// A joint of one of Roblox's avatars.
pub(crate) struct AvatarJoint {
    /// The name of the joint.
    pub(crate) name: &'static str,
    /// The names of the parts that it connects; it moves the second one.
    pub(crate) part0: &'static str,
    pub(crate) part1: &'static str,
    /// The frame of the joint in each part.
    pub(crate) frames: [Mat4; 2],
    /// The size of the second part.
    pub(crate) size: Vec3,
}

/// The names of the joints of R15 and R6, in the order of the tables.
const R15_NAMES: [&str; 15] = [
    "Root",
    "Waist",
    "Neck",
    "RightShoulder",
    "RightElbow",
    "RightWrist",
    "LeftShoulder",
    "LeftElbow",
    "LeftWrist",
    "RightHip",
    "RightKnee",
    "RightAnkle",
    "LeftHip",
    "LeftKnee",
    "LeftAnkle",
];
const R6_NAMES: [&str; 6] = ["RootJoint", "Neck", "Right Shoulder", "Left Shoulder", "Right Hip", "Left Hip"];

/// The joints of R15 and of R6.
pub(crate) fn avatar_joints() -> [Vec<AvatarJoint>; 2] {
    let of = |rows: &'static [Row], names: &[&'static str], sizes: &[(&str, [f32; 3])]| {
        let joint = |(&(part0, part1, c0, c1, turn), &name): (&Row, &&'static str)| {
            let turn = Mat4::from_mat3(Mat3::from_cols_array(&turn).transpose());
            let frames = [c0, c1].map(|place| Mat4::from_translation(place.into()) * turn);
            let size = sizes.iter().find(|(part, _)| *part == part1).map_or([1.0; 3], |(_, size)| *size);
            AvatarJoint { name, part0, part1, frames, size: size.into() }
        };
        rows.iter().zip(names).map(joint).collect()
    };
    [of(R15, &R15_NAMES, R15_SIZES), of(R6, &R6_NAMES, R6_SIZES)]
}

impl Joint {
    pub(super) fn new(part0: &str, part1: &str, [c0, c1]: [Mat4; 2]) -> Self {
        let [c0, c1] = [c0, c1].map(|frame| frame.to_cols_array());
        Self { part0: part0.to_owned(), part1: part1.to_owned(), c0, c1 }
    }

    /// The frames of the joint in both parts.
    pub(super) fn frames(&self) -> [Mat4; 2] {
        [self.c0, self.c1].map(|frame| Mat4::from_cols_array(&frame))
    }
}

impl Avatar {
    pub(super) fn r6() -> Self {
        Self::of_tables("R6", R6_SIZES, R6)
    }

    pub(super) fn r15() -> Self {
        Self::of_tables("R15", R15_SIZES, R15)
    }

    pub(super) fn rthro() -> Self {
        Self::r15().scaled("Rthro", RTHRO)
    }

    pub(super) fn rthro_narrow() -> Self {
        Self::r15().scaled("Rthro-narrow", RTHRO_NARROW)
    }

    /// The rig with parts of other sizes; the joints move with them.
    fn scaled(mut self, name: &str, scales: Scales) -> Self {
        let scale = |part: &str| {
            let of = scales.iter().find(|(end, _)| part.ends_with(end));
            of.map_or(Vec3::ONE, |(_, scale)| Vec3::from(*scale))
        };
        for (part, size) in &mut self.sizes {
            *size = (Vec3::from(*size) * scale(part)).to_array();
        }
        for joint in &mut self.joints {
            let [c0, c1] = joint.frames();
            let moved = |frame: Mat4, part: &str| {
                let place = frame.w_axis.truncate() * scale(part);
                Mat4 { w_axis: place.extend(1.0), ..frame }
            };
            *joint =
                Joint::new(&joint.part0, &joint.part1, [moved(c0, &joint.part0), moved(c1, &joint.part1)]);
        }
        name.clone_into(&mut self.name);
        self
    }

    fn of_tables(name: &str, sizes: &[(&str, [f32; 3])], rows: &[Row]) -> Self {
        let joint = |&(part0, part1, c0, c1, turn): &Row| {
            let turn = Mat4::from_mat3(Mat3::from_cols_array(&turn).transpose());
            Joint::new(part0, part1, [c0, c1].map(|place| Mat4::from_translation(place.into()) * turn))
        };
        let sizes = sizes.iter().map(|(part, size)| ((*part).to_owned(), *size)).collect();
        Self { name: name.into(), sizes, joints: rows.iter().map(joint).collect() }
    }

    /// A rig with these joints, which are in order from the root outwards.
    pub(super) fn of_joints(name: &str, joints: Vec<Joint>) -> Self {
        Self { name: name.into(), sizes: HashMap::new(), joints }
    }

    /// The bones of a model as a rig. Several parts can have bones of one name, which move together.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn of_bones(tree: &Tree, model: usize) -> Result<Self> {
        let mut known = HashSet::new();
        let mut joints = Vec::new();
        for index in tree.descendants(model) {
            let bone = &tree.instances[index];
            let above = bone.parent.filter(|_| bone.class == "Bone").map(|above| &tree.instances[above]);
            let Some(above) = above else { continue };
            if !known.insert(bone.name.as_str()) {
                continue;
            }
            let frame = bone.frame(&[Property::CFrame]).unwrap_or_default();
            joints.push(Joint::new(&above.name, &bone.name, [frame, Mat4::IDENTITY]));
        }
        match joints.is_empty() {
            true => Err(Error::argument("the model of the rig file has no bones").at("rig")),
            false => Ok(Self::of_joints(&tree.instances[model].name, joints)),
        }
    }

    /// Which names the nodes of an animation need so that parts of a rig get their motion, for messages. Without a rig,
    /// R15 and R6 are possible.
    pub(super) fn names_for(rig: Option<&Self>) -> String {
        const KNOWN: &str = "Mixamo, VRM, VRoid, Rigify, Biovision, Poser or Second Life rig";
        match rig.map(|rig| &*rig.name) {
            None => format!("the name of a part of R15 or R6, or of a joint of a {KNOWN}"),
            Some(name) if RigModel::of_roblox(name).is_some() => {
                format!("the name of a part of {name}, or of a joint of a {KNOWN}")
            }
            Some(name) => format!(
                "the name of a part of the rig {name:?}, or of a joint of a {KNOWN} that corresponds to such a part"
            ),
        }
    }

    /// The avatar with the posed parts; `None` if neither R6 nor R15 has them.
    pub(super) fn of(posed: &HashSet<&str>) -> Option<Self> {
        let has = |parts: &[&str]| parts.iter().any(|part| posed.contains(part));
        if has(&["UpperTorso", "LowerTorso"]) {
            return Some(Self::r15());
        }
        if has(&["Torso", "Right Arm", "Left Arm", "Right Leg", "Left Leg"]) {
            return Some(Self::r6());
        }
        // Only R15 has limbs with these names.
        let of_limbs =
            R15_SIZES.iter().any(|(part, _)| !matches!(*part, ROOT | "Head") && posed.contains(part));
        of_limbs.then(Self::r15)
    }

    /// The name of the root part, which no joint moves.
    pub(super) fn root(&self) -> &str {
        self.joints.first().map_or(ROOT, |joint| &joint.part0)
    }

    /// The size of a part, if it is known.
    pub(super) fn size(&self, part: &str) -> Option<[f32; 3]> {
        self.sizes.get(part).copied()
    }

    /// The names of the parts that joints move.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        self.joints.iter().map(|joint| joint.part1.as_str())
    }

    /// The frames of the parts at rest, from the root outwards; the root is at the origin.
    pub(super) fn at_rest(&self) -> Vec<(&str, Mat4)> {
        let mut places = vec![(self.root(), Mat4::IDENTITY)];
        let mut known: HashMap<&str, Mat4> = places.iter().copied().collect();
        for joint in &self.joints {
            let [c0, c1] = joint.frames();
            let place = known.get(&*joint.part0).copied().unwrap_or_default() * c0 * c1.inverse();
            known.insert(&joint.part1, place);
            places.push((&joint.part1, place));
        }
        places
    }

    /// The position of the joint of each part at rest.
    pub(super) fn places(&self) -> HashMap<&str, Vec3> {
        let at_rest: HashMap<&str, Mat4> = self.at_rest().into_iter().collect();
        let place = |joint: &Joint| {
            at_rest
                .get(&*joint.part0)
                .copied()
                .unwrap_or_default()
                .transform_point3(joint.frames()[0].w_axis.truncate())
        };
        self.joints.iter().map(|joint| (joint.part1.as_str(), place(joint))).collect()
    }

    /// Adds the avatar to a document as a root, standing on the ground. Returns the index of its model.
    pub(super) fn add(&self, tree: &mut Tree, budget: &mut Budget) -> Result<usize> {
        budget.take((self.sizes.len() as u64 + 1) * 3 * 1024, "an avatar")?;
        let model = tree.instances.len();
        tree.instances.push(Inst { class: "Model".into(), name: self.name.clone(), ..Inst::default() });
        let places = self.at_rest();
        let size = |part: &str| self.sizes.get(part).copied().unwrap_or([1.0; 3]);
        let lowest = places.iter().map(|(part, place)| place.w_axis.y - size(part)[1] / 2.0);
        let up = -lowest.fold(f32::INFINITY, f32::min);
        let mut index_of = Vec::new();
        for (part, place) in &places {
            let index = tree.instances.len();
            let mut made =
                Inst { class: "Part".into(), name: (*part).into(), parent: Some(model), ..Inst::default() };
            made.props.insert(Property::CFrame, Prop::Frame(Mat4::from_translation(Vec3::Y * up) * *place));
            made.props.insert(Property::size, Prop::Vector(size(part).into()));
            if *part == ROOT {
                made.props.insert(Property::Transparency, Prop::Number(1.0));
            }
            tree.instances[model].children.push(index);
            tree.instances.push(made);
            index_of.push((*part, index));
        }
        let index = |part: &str| index_of.iter().find(|(name, _)| *name == part).map(|(_, index)| *index);
        for joint in &self.joints {
            motor(tree, model, [index(&joint.part0), index(&joint.part1)], joint.frames());
        }
        Ok(model)
    }

    /// R6 or R15.
    pub(super) fn model(&self) -> RigModel {
        if self.name == "R6" { RigModel::R6 } else { RigModel::R15 }
    }
}

/// Puts a copy of a tool with its own joints into a hand of an added avatar: at the tool's joint, or else like a
/// Tool in Roblox.
pub(super) fn hold(tree: &mut Tree, avatar: usize, tool: HeldTool<'_>, budget: &mut Budget) -> Result<()> {
    let first = tree.instances.len();
    let copies = copy(tree, tool.model, avatar, budget)?;
    let Some(&root) = copies.get(&tool.root) else { return Ok(()) };
    let part = |name: &str| tree.children(avatar).find(|(_, child)| child.name == name).map(|(at, _)| at);
    let hand = [tool.holder, "RightHand", "Right Arm"].into_iter().find_map(part);
    // A joint that a script connects when the tool is picked up has only one part yet.
    let own = (first..tree.instances.len()).find(|&at| {
        let joint = &tree.instances[at];
        let is_open =
            joint.class == "Motor6D" && joint.instance(Property::Part0).is_none_or(|part| part < first);
        is_open && joint.instance(Property::Part1) == Some(root)
    });
    let frames = match own {
        Some(own) => {
            tree.instances[own].class = "Folder".into();
            [Property::C0, Property::C1].map(|name| tree.instances[own].frame(&[name]).unwrap_or_default())
        }
        None => {
            let is_r15 = hand.is_some_and(|hand| tree.instances[hand].name == "RightHand");
            let down = Mat4::from_translation(Vec3::NEG_Y * if is_r15 { 0.15 } else { 1.0 });
            let turn = Mat4::from_rotation_x(-std::f32::consts::FRAC_PI_2);
            [down * turn, tree.instances[tool.model].frame(&[Property::Grip]).unwrap_or_default()]
        }
    };
    motor(tree, avatar, [hand, Some(root)], frames);
    Ok(())
}

/// A tool that an animation of an avatar moves: its model, the root part of its joints, and the name of the avatar's part
/// whose pose contains that of the root part.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldTool<'a> {
    pub(super) model: usize,
    pub(super) root: usize,
    pub(super) holder: &'a str,
}

/// Adds a joint between two parts.
fn motor(tree: &mut Tree, parent: usize, [part0, part1]: [Option<usize>; 2], [c0, c1]: [Mat4; 2]) {
    let mut made = Inst { class: "Motor6D".into(), parent: Some(parent), ..Inst::default() };
    let parts = [(Property::Part0, Prop::Ref(part0)), (Property::Part1, Prop::Ref(part1))];
    for (name, value) in
        parts.into_iter().chain([(Property::C0, Prop::Frame(c0)), (Property::C1, Prop::Frame(c1))])
    {
        made.props.insert(name, value);
    }
    let at = tree.instances.len();
    tree.instances[parent].children.push(at);
    tree.instances.push(made);
}

/// Copies an instance and its descendants below another one; returns the copy of each. References between them refer to
/// the copies.
fn copy(tree: &mut Tree, from: usize, parent: usize, budget: &mut Budget) -> Result<HashMap<usize, usize>> {
    let inside: Vec<usize> = std::iter::once(from).chain(tree.descendants(from)).collect();
    let first = tree.instances.len();
    let copies: HashMap<usize, usize> = inside.iter().enumerate().map(|(at, &of)| (of, first + at)).collect();
    for &of in &inside {
        let mut made = tree.instances[of].clone();
        budget.take(made.size(), "a tool in the hand of an avatar")?;
        made.renumber(|at| copies.get(&at).copied().unwrap_or(at));
        if of == from {
            made.parent = Some(parent);
        }
        tree.instances.push(made);
    }
    tree.instances[parent].children.push(first);
    Ok(copies)
}

/// Adds the instances of another document; its roots become roots.
///
/// # Errors
/// If they need more memory than is left.
pub(super) fn add_document(tree: &mut Tree, other: Tree, budget: &mut Budget) -> Result<()> {
    let (first, blobs) = (tree.instances.len(), tree.blobs.len());
    for mut made in other.instances {
        budget.take(made.size(), "a rig")?;
        made.renumber(|at| first + at);
        made.props.shift_blobs(blobs);
        tree.instances.push(made);
    }
    tree.blobs.extend(other.blobs);
    Ok(())
}
