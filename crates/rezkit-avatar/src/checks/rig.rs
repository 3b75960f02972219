//! The joints of R15: of an exchange file, what importers lose; of a model, its Motor6D.

use geom::{CFrame, Vec3};
use rbxcore::{Dom, InstanceId};

use super::Context;
use crate::find::document::{class, frame, name, path};
use crate::item::{Item, Joint};
use crate::kind::{ItemType, JOINTS, is_body_part};
use crate::report::{shown, triple};
use crate::rules::*;

/// A name without what programs add to it: prefixes, numbers, punctuation and letter case.
fn plain(name: &str) -> String {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let name = name.split('.').next().unwrap_or(name);
    name.chars().filter(char::is_ascii_alphabetic).map(|char| char.to_ascii_lowercase()).collect()
}

/// The joint of R15 that a name means.
fn meant(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    JOINTS.iter().map(|(part, ..)| *part).find(|part| part.to_ascii_lowercase() == plain)
}

/// Checks the joints of a scene, and the weights of its meshes.
pub(crate) fn check(item: &Item, cx: &mut Context<'_>) {
    weights(item, cx);
    let joints: Vec<(&Joint, &str)> =
        item.joints.iter().filter_map(|joint| Some((joint, meant(&joint.name)?))).collect();
    // A skeleton with fewer of these joints is not of R15.
    if joints.len() < 5 {
        return;
    }
    let missing: Vec<&str> = JOINTS
        .iter()
        .map(|(part, ..)| *part)
        .filter(|part| !joints.iter().any(|(_, meant)| meant == part))
        .collect();
    let found =
        if missing.is_empty() { "15 joints".to_owned() } else { format!("not {}", missing.join(", ")) };
    cx.sheet.test(&RIG_MISSING, &item.path, missing.is_empty(), found, "15 joints");
    for (at, (joint, meant)) in joints.iter().enumerate() {
        let is_first = !joints[..at].iter().any(|(_, other)| other == meant);
        cx.sheet.test(&RIG_DOUBLED, &joint.name, is_first, &joint.name, "each joint once");
        // One that is doubled has another name for this reason.
        if is_first {
            cx.sheet.test(&RIG_NAME, &joint.name, joint.name == *meant, &joint.name, *meant);
            place(joint, meant, cx);
        }
    }
    for joint in &item.joints {
        let scale = joint.scale.to_array();
        let passes = scale.iter().all(|part| (part - 1.0).abs() < 1e-3);
        cx.sheet.test(&RIG_SCALE, &joint.name, passes, triple(joint.scale), "1 x 1 x 1");
    }
    sides(item, &joints, cx);
    heights(item, &joints, cx);
}

/// The least number of joints of a rig: a model with fewer is put together otherwise.
const LEAST: usize = 5;

/// The farthest that a joint may be from the attachment of its name, in studs.
const OFF: f32 = 0.05;

/// A Motor6D of a model that moves a part of R15.
struct Motor<'a> {
    id: InstanceId,
    name: String,
    /// The part above, and the part that it moves, by name.
    parts: [Option<String>; 2],
    joint: &'a (&'static str, &'static str, &'static str),
}

/// Checks the joints of a character.
pub(crate) fn motors(document: &dyn Dom, item: &Item, cx: &mut Context<'_>) {
    weights(item, cx);
    let Some(&top) = item.tops.first().filter(|_| item.kind == Some(ItemType::Body)) else { return };
    let part = |id: InstanceId, property: &str| {
        let found = document.property(id, property)?.value.as_instance()?;
        Some(name(document, found))
    };
    let all = document.descendants(top).filter(|id| class(document, *id) == "Motor6D").filter_map(|id| {
        let parts = [part(id, "Part0"), part(id, "Part1")];
        let (own, name) = (parts[1].as_deref(), name(document, id));
        let joint = JOINTS.iter().find(|(part, ..)| Some(*part) == own);
        Some(Motor {
            id,
            joint: joint.or_else(|| JOINTS.iter().find(|(.., joint)| *joint == name))?,
            name,
            parts,
        })
    });
    let all: Vec<Motor<'_>> = all.collect();
    if all.len() < LEAST {
        return;
    }
    let has_root = document.children(top).any(|id| document.label(id) == "HumanoidRootPart");
    let missing: Vec<&str> = JOINTS
        .iter()
        .filter(|(part, above, _)| {
            let is_there = item.parts.iter().any(|of| of.name == *part);
            is_there && (has_root || is_body_part(above)) && !all.iter().any(|motor| motor.joint.0 == *part)
        })
        .map(|(.., joint)| *joint)
        .collect();
    let found =
        if missing.is_empty() { "all joints".to_owned() } else { format!("not {}", missing.join(", ")) };
    cx.sheet.test(&RIG_MISSING, &item.path, missing.is_empty(), found, "a Motor6D for each part");
    for (at, motor) in all.iter().enumerate() {
        let (part, above, joint) = *motor.joint;
        let path = path(document, motor.id);
        let is_first = !all[..at].iter().any(|other| other.joint.0 == part);
        cx.sheet.test(&RIG_DOUBLED, &path, is_first, format!("another joint of {part}"), "one for each part");
        if !is_first {
            continue;
        }
        cx.sheet.test(&RIG_NAME, &path, motor.name == joint, &motor.name, joint);
        let [zero, one] = motor.parts.each_ref().map(|name| name.as_deref().unwrap_or("nothing"));
        let passes = zero == above && one == part;
        let found = format!("{zero} and {one}");
        cx.sheet.test(&RIG_PLACE, &path, passes, found, format!("{above} and {part}"));
        if passes {
            let rig = format!("{joint}RigAttachment");
            let away = |part: &str, property: &str| {
                let part = item.parts.iter().find(|of| of.name == part)?;
                let CFrame { position, .. } = part.attachment(&rig)?.frame;
                Some((frame(document, motor.id, property).position - position).length())
            };
            let farthest = away(above, "C0").into_iter().chain(away(part, "C1")).fold(0.0, f32::max);
            let found = format!("{} studs from {rig}", shown(farthest.into()));
            cx.sheet.test(&RIG_PLACE, &path, farthest <= OFF, found, format!("at {rig}"));
        }
    }
}

/// The joint above a joint.
fn place(joint: &Joint, meant_joint: &str, cx: &mut Context<'_>) {
    let Some((_, above, _)) = JOINTS.iter().find(|(part, ..)| *part == meant_joint) else { return };
    let parent = joint.parent.as_deref().unwrap_or_default();
    // The root joint has several names.
    let passes = !is_body_part(above) || meant(parent) == Some(above);
    cx.sheet.test(&RIG_PLACE, &joint.name, passes, format!("below {parent:?}"), format!("below {above:?}"));
}

/// The sides of the left and the right joints: all left ones are on one side, all right ones on the other.
fn sides(item: &Item, joints: &[(&Joint, &str)], cx: &mut Context<'_>) {
    let middle = joints
        .iter()
        .find(|(_, meant)| *meant == "LowerTorso")
        .map_or_else(Vec3::default, |(joint, _)| joint.position);
    let mut sum = 0.0;
    let side = |(joint, meant): &(&Joint, &str)| {
        let sign = if meant.starts_with("Left") { -1.0 } else { 1.0 };
        (meant.starts_with("Left") || meant.starts_with("Right"))
            .then_some((joint.position.x - middle.x) * sign)
    };
    joints.iter().filter_map(side).for_each(|part| sum += part);
    let is_wrong =
        |joint: &&(&Joint, &str)| side(joint).is_some_and(|part| part * sum < 0.0 && part.abs() > 0.02);
    let wrong = joints.iter().find(is_wrong);
    let found = wrong.map_or_else(
        || "on their sides".to_owned(),
        |(joint, _)| format!("{} is on the other side", joint.name),
    );
    cx.sheet.test(
        &RIG_PLACE,
        wrong.map_or(&*item.path, |(joint, _)| &*joint.name),
        wrong.is_none(),
        found,
        "on their sides",
    );
}

/// The joints that are above others in any pose that importers take for the rest pose.
const ABOVE: [(&str, &str); 6] = [
    ("Head", "UpperTorso"),
    ("UpperTorso", "LowerTorso"),
    ("LeftUpperLeg", "LeftLowerLeg"),
    ("LeftLowerLeg", "LeftFoot"),
    ("RightUpperLeg", "RightLowerLeg"),
    ("RightLowerLeg", "RightFoot"),
];

/// The heights of joints.
fn heights(item: &Item, joints: &[(&Joint, &str)], cx: &mut Context<'_>) {
    let find = |name: &str| joints.iter().find(|(_, meant)| *meant == name).map(|(joint, _)| *joint);
    for (above, below) in ABOVE {
        let (Some(above), Some(below)) = (find(above), find(below)) else { continue };
        let passes = above.position.y >= below.position.y - 1e-3;
        let found = format!("{} below {}", above.name, below.name);
        cx.sheet.test(&RIG_PLACE, if passes { &item.path } else { &above.name }, passes, found, "above it");
    }
}

/// Vertices without weights, and weights for joints that do not exist.
fn weights(item: &Item, cx: &mut Context<'_>) {
    for part in &item.parts {
        // Of the joints of the face, another rule checks the weights.
        let is_of_face = item.is(ItemType::is_of_face) && !item.is_scene();
        let shape = part.mesh.read().filter(|shape| !shape.mesh.joints.is_empty() && !is_of_face);
        let Some(shape) = shape else { continue };
        let mut wrong = 0;
        for (joints, weights) in shape.mesh.joints.iter().zip(&shape.mesh.weights) {
            let sum: f32 = weights.iter().sum();
            let is_out = joints
                .iter()
                .zip(weights)
                .any(|(joint, weight)| *weight > 0.0 && usize::from(*joint) >= shape.bones.len());
            wrong += usize::from(is_out || (sum - 1.0).abs() > 0.02);
        }
        let found = match wrong {
            0 => "all vertices".to_owned(),
            _ => format!("{wrong} vertices without weights of joints"),
        };
        cx.sheet.test(&RIG_WEIGHTS, &part.path, wrong == 0, found, "all vertices");
    }
}
