//! The joints of R15 in an exchange file: what importers lose.

use geom::Vec3;

use super::Context;
use crate::item::{Item, Joint};
use crate::kind::{JOINTS, is_body_part};
use crate::report::triple;
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

/// Vertices without weights, and weights for joints that do not exist.
fn weights(item: &Item, cx: &mut Context<'_>) {
    for part in &item.parts {
        let Some(shape) = part.mesh.read().filter(|shape| !shape.mesh.joints.is_empty()) else { continue };
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
