//! Section 7: bones beyond R15, and the skins of body parts.

use std::collections::HashSet;

use rbxcore::{Dom, InstanceId};

use super::meshes::weighted;
use super::{Context, instances};
use crate::find::document::{class, frame, name, path};
use crate::item::Item;
use crate::kind::is_body_part;
use crate::report::shown;
use crate::rules::*;

/// Bones beyond R15, and the bone above each; empty for one directly in a part.
const BONES: [(&str, &str); 7] = [
    ("HeadBase", ""),
    ("Spine", ""),
    ("Chest", "Spine"),
    ("LeftClavicle", "Chest"),
    ("RightClavicle", "Chest"),
    ("LeftToeBase", ""),
    ("RightToeBase", ""),
];

/// The fingers of a hand.
const DIGITS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Pinky"];

/// A bone of a finger as the name of the finger and its number.
fn digit(name: &str) -> Option<(&str, u32)> {
    let rest = name.strip_prefix("LeftHand").or_else(|| name.strip_prefix("RightHand"))?;
    let digit = DIGITS.iter().find(|digit| rest.starts_with(**digit))?;
    let number = rest.get(digit.len()..)?.parse().ok()?;
    (1..=4).contains(&number).then(|| (name.get(..name.len() - 1).unwrap_or(name), number))
}

fn is_known(name: &str) -> bool {
    BONES.iter().any(|(bone, _)| *bone == name) || digit(name).is_some()
}

/// Checks the bones of an item.
pub(crate) fn check(document: &dyn Dom, item: &Item, cx: &mut Context<'_>) {
    let all = instances(document, item);
    let bones: Vec<InstanceId> = all.iter().copied().filter(|id| class(document, *id) == "Bone").collect();
    let described: HashSet<InstanceId> = all
        .iter()
        .filter(|id| ["HumanoidRigDescription", "DigitsRigDescription"].contains(&class(document, **id)))
        .flat_map(|id| document.references(*id).map(|(_, to)| to).collect::<Vec<_>>())
        .collect();
    let names: HashSet<String> = bones.iter().map(|id| name(document, *id)).collect();
    for &id in &bones {
        let (path, name) = (path(document, id), name(document, id));
        let is_described = described.contains(&id);
        let found = if is_described { "described" } else { "not described" };
        cx.sheet.test(&BONES_DESCRIBED, &path, is_described, found, "described");
        let above = match (digit(&name), BONES.iter().find(|(bone, _)| *bone == name)) {
            (Some((stem, number)), _) if number > 1 => Some(format!("{stem}{}", number - 1)),
            (_, Some((_, above))) if !above.is_empty() => Some((*above).to_owned()),
            _ => None,
        };
        let missing = above.filter(|above| !names.contains(above));
        let found = match &missing {
            Some(above) => format!("{name} without {above}"),
            None => name.clone(),
        };
        cx.sheet.test(
            &BONE_NAMES,
            &path,
            is_known(&name) && missing.is_none(),
            found,
            "a joint with those above it",
        );
        place(document, id, &path, cx);
        let transform = frame(document, id, "Transform");
        let is_identity = transform == geom::CFrame::IDENTITY;
        let found = if is_identity { "identity" } else { "a pose" };
        cx.sheet.test(&BONE_TRANSFORM, &path, is_identity, found, "identity");
    }
}

/// A bone is not at the bone above it, and in the box of its MeshPart.
fn place(document: &dyn Dom, id: InstanceId, path: &str, cx: &mut Context<'_>) {
    let own = frame(document, id, "CFrame");
    let mut inside = own;
    let mut above = document.parent(id);
    while let Some(bone) = above.filter(|bone| class(document, *bone) == "Bone") {
        if document.parent(id) == Some(bone) {
            let distance = f64::from(own.position.length());
            let least = cx.numbers.other("MinBoneDistance");
            let found = format!("{} studs", shown(distance));
            cx.sheet.test(&BONE_DISTANCE, path, distance >= least, found, format!("at least {least} studs"));
        }
        inside = frame(document, bone, "CFrame") * inside;
        above = document.parent(bone);
    }
    let size = above.and_then(|part| document.get(part, "Size")?.as_vector3());
    if let Some(size) = size.filter(|_| inside.position.is_finite()) {
        let most = cx.numbers.other("BoneBox");
        let half = size.to_array().map(|side| f64::from(side) * 0.5);
        let sides = inside.position.to_array().into_iter().zip(half);
        let ratio = sides.map(|(at, half)| f64::from(at.abs()) / half.max(1e-9)).fold(0.0, f64::max);
        let found = format!("{} halves of the part from its middle", shown(ratio));
        cx.sheet.test(&BONE_BOX, path, ratio <= most + 1e-4, found, format!("at most {most}"));
    }
}

/// The joints of the meshes of body parts.
pub(crate) fn skins(item: &Item, cx: &mut Context<'_>) {
    for part in &item.parts {
        let allowed = "joints of the body";
        let Some(shape) = cx.held(&BODY_SKIN, &part.path, &part.mesh, allowed) else { continue };
        let is_of_face = |name: &str| {
            let faces = shape.facs.iter().flat_map(|facs| facs.face_bones.iter());
            part.name == "Head" && faces.into_iter().any(|bone| bone == name)
        };
        let is_joint = |name: &&str| {
            is_body_part(name)
                || ["Root", "HumanoidRootNode", "DynamicHead"].contains(name)
                || is_known(name)
                || is_of_face(name)
        };
        let names = weighted(shape);
        let unknown = names.iter().find(|name| !is_joint(name));
        let found = unknown.map_or_else(|| format!("{} joints", names.len()), |name| (*name).to_owned());
        cx.sheet.test(&BODY_SKIN, &part.path, unknown.is_none(), found, allowed);
    }
}
