//! The rigs of Roblox's avatars, R6 and R15, for animations that have no rig beside them: boxes of the parts' sizes.
//!
//! Sizes and joints are those of the rigs that Roblox's own avatars have, in studs.

use std::collections::{HashMap, HashSet};

use glam::{Mat3, Mat4, Quat, Vec3};

use super::tree::{Inst, Prop, Tree};
use rezkit_core::{Budget, Result};

/// From a part to the next: both parts, and where the joint is in each.
pub(super) struct Joint {
    pub(super) part0: &'static str,
    pub(super) part1: &'static str,
    c0: [f32; 3],
    c1: [f32; 3],
    /// The rotation of both, row by row.
    turn: [f32; 9],
}

/// An avatar: its name, the sizes of its parts and its joints, from the root outwards.
pub(super) struct Avatar {
    pub(super) name: &'static str,
    sizes: &'static [(&'static str, [f32; 3])],
    joints: &'static [Joint],
}

/// The part that no joint moves.
const ROOT: &str = "HumanoidRootPart";

const NONE: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// The turns of the joints of R6.
const UP: [f32; 9] = [-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0];
const RIGHT: [f32; 9] = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0];
const LEFT: [f32; 9] = [0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0];

macro_rules! joints {
    ($($part0:literal $part1:literal $c0:expr, $c1:expr, $turn:ident;)+) => {
        &[$(Joint { part0: $part0, part1: $part1, c0: $c0, c1: $c1, turn: $turn }),+]
    };
}

pub(super) const R6: Avatar = Avatar {
    name: "R6",
    sizes: &[
        (ROOT, [2.0, 2.0, 1.0]),
        ("Torso", [2.0, 2.0, 1.0]),
        ("Head", [2.0, 1.0, 1.0]),
        ("Right Arm", [1.0, 2.0, 1.0]),
        ("Left Arm", [1.0, 2.0, 1.0]),
        ("Right Leg", [1.0, 2.0, 1.0]),
        ("Left Leg", [1.0, 2.0, 1.0]),
    ],
    joints: joints! {
        "HumanoidRootPart" "Torso" [0.0; 3], [0.0; 3], UP;
        "Torso" "Head" [0.0, 1.0, 0.0], [0.0, -0.5, 0.0], UP;
        "Torso" "Right Arm" [1.0, 0.5, 0.0], [-0.5, 0.5, 0.0], RIGHT;
        "Torso" "Left Arm" [-1.0, 0.5, 0.0], [0.5, 0.5, 0.0], LEFT;
        "Torso" "Right Leg" [1.0, -1.0, 0.0], [0.5, 1.0, 0.0], RIGHT;
        "Torso" "Left Leg" [-1.0, -1.0, 0.0], [-0.5, 1.0, 0.0], LEFT;
    },
};

pub(super) const R15: Avatar = Avatar {
    name: "R15",
    sizes: &[
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
    ],
    joints: joints! {
        "HumanoidRootPart" "LowerTorso" [0.0, -1.0, 0.0], [0.0, -0.2, 0.0], NONE;
        "LowerTorso" "UpperTorso" [0.0, 0.2, 0.0], [0.0, -0.8, 0.0], NONE;
        "UpperTorso" "Head" [0.0, 0.8, 0.0], [0.0, -0.5, 0.0], NONE;
        "UpperTorso" "RightUpperArm" [1.0, 0.563, 0.0], [-0.5, 0.394, 0.0], NONE;
        "RightUpperArm" "RightLowerArm" [0.0, -0.334, 0.0], [0.0, 0.2587, 0.0], NONE;
        "RightLowerArm" "RightHand" [0.0, -0.501, 0.0], [0.0, 0.125, 0.0], NONE;
        "UpperTorso" "LeftUpperArm" [-1.0, 0.563, 0.0], [0.5, 0.394, 0.0], NONE;
        "LeftUpperArm" "LeftLowerArm" [0.0, -0.334, 0.0], [0.0, 0.2587, 0.0], NONE;
        "LeftLowerArm" "LeftHand" [0.0, -0.501, 0.0], [0.0, 0.125, 0.0], NONE;
        "LowerTorso" "RightUpperLeg" [0.5, -0.2, 0.0], [0.0, 0.4208, 0.0], NONE;
        "RightUpperLeg" "RightLowerLeg" [0.0, -0.401, 0.0], [0.0, 0.379, 0.0], NONE;
        "RightLowerLeg" "RightFoot" [0.0, -0.547, 0.0], [0.0, 0.102, 0.0], NONE;
        "LowerTorso" "LeftUpperLeg" [-0.5, -0.2, 0.0], [0.0, 0.4208, 0.0], NONE;
        "LeftUpperLeg" "LeftLowerLeg" [0.0, -0.401, 0.0], [0.0, 0.379, 0.0], NONE;
        "LeftLowerLeg" "LeftFoot" [0.0, -0.547, 0.0], [0.0, 0.102, 0.0], NONE;
    },
};

impl Joint {
    /// The rotation of the joint in both parts.
    pub(super) fn turn(&self) -> Quat {
        Quat::from_mat3(&Mat3::from_cols_array(&self.turn).transpose())
    }

    fn frames(&self) -> [Mat4; 2] {
        let turn = Mat3::from_cols_array(&self.turn).transpose();
        [self.c0, self.c1].map(|place| Mat4::from_translation(Vec3::from(place)) * Mat4::from_mat3(turn))
    }
}

impl Avatar {
    /// The avatar that has the parts of poses; `None` if these are of neither.
    pub(super) fn of(posed: &HashSet<&str>) -> Option<&'static Self> {
        let has = |parts: &[&str]| parts.iter().any(|part| posed.contains(part));
        if has(&["UpperTorso", "LowerTorso"]) {
            return Some(&R15);
        }
        if has(&["Torso", "Right Arm", "Left Arm", "Right Leg", "Left Leg"]) {
            return Some(&R6);
        }
        // Of limbs alone no other avatar has the names.
        let of_limbs =
            R15.sizes.iter().any(|(part, _)| !matches!(*part, ROOT | "Head") && posed.contains(part));
        of_limbs.then_some(&R15)
    }

    /// The part that no joint moves.
    pub(super) fn root(&self) -> &'static str {
        ROOT
    }

    /// The joints, from the root outwards.
    pub(super) fn joints(&self) -> &'static [Joint] {
        self.joints
    }

    /// The names of the parts that joints move.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.joints.iter().map(|joint| joint.part1)
    }

    /// Where the parts are at rest, the root at the origin.
    fn at_rest(&self) -> Vec<(&'static str, Mat4)> {
        let mut places = vec![(ROOT, Mat4::IDENTITY)];
        for joint in self.joints {
            let place = places.iter().find(|(part, _)| *part == joint.part0).map(|(_, place)| *place);
            let [c0, c1] = joint.frames();
            places.push((joint.part1, place.unwrap_or_default() * c0 * c1.inverse()));
        }
        places
    }

    /// Where the joint of each part is at rest.
    pub(super) fn places(&self) -> HashMap<&'static str, Vec3> {
        let at_rest: HashMap<&str, Mat4> = self.at_rest().into_iter().collect();
        let place = |joint: &Joint| at_rest[joint.part0].transform_point3(joint.c0.into());
        self.joints.iter().map(|joint| (joint.part1, place(joint))).collect()
    }

    /// Adds the avatar to a document, standing on the ground: below no other instance. Returns the model.
    pub(super) fn add(&self, tree: &mut Tree, budget: &mut Budget) -> Result<usize> {
        budget.take((self.sizes.len() as u64 + 1) * 3 * 1024, "an avatar")?;
        let model = tree.instances.len();
        tree.instances.push(Inst { class: "Model".into(), name: self.name.into(), ..Inst::default() });
        let places = self.at_rest();
        let size = |part: &str| {
            self.sizes.iter().find(|(name, _)| *name == part).map_or([1.0; 3], |(_, size)| *size)
        };
        let lowest = places.iter().map(|(part, place)| place.w_axis.y - size(part)[1] / 2.0);
        let up = -lowest.fold(f32::INFINITY, f32::min);
        let mut index_of = Vec::new();
        for (part, place) in &places {
            let index = tree.instances.len();
            let mut made =
                Inst { class: "Part".into(), name: (*part).into(), parent: Some(model), ..Inst::default() };
            made.props.insert("CFrame", Prop::Frame(Mat4::from_translation(Vec3::Y * up) * *place));
            made.props.insert("size", Prop::Vector(size(part).into()));
            if *part == ROOT {
                made.props.insert("Transparency", Prop::Number(1.0));
            }
            tree.instances[model].children.push(index);
            tree.instances.push(made);
            index_of.push((*part, index));
        }
        let index = |part: &str| index_of.iter().find(|(name, _)| *name == part).map(|(_, index)| *index);
        for joint in self.joints {
            let (part0, [c0, c1]) = (index(joint.part0), joint.frames());
            let mut made = Inst { class: "Motor6D".into(), parent: part0, ..Inst::default() };
            for (name, value) in [
                ("Part0", Prop::Ref(part0)),
                ("Part1", Prop::Ref(index(joint.part1))),
                ("C0", Prop::Frame(c0)),
                ("C1", Prop::Frame(c1)),
            ] {
                made.props.insert(name, value);
            }
            let at = tree.instances.len();
            tree.instances[part0.unwrap_or(model)].children.push(at);
            tree.instances.push(made);
        }
        Ok(model)
    }
}
