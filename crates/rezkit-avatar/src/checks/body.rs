//! Section 4: the sizes, attachments and poses of body parts.

use std::collections::BTreeMap;

use geom::{Aabb, CFrame, Vec3};
use rezkit_core::Result;
use serde_json::Value;

use super::Context;
use crate::geometry::{Corners, coverage, divided};
use crate::item::{Attachment, Item, Part, assembled};
use crate::kind::{ASSETS, ItemType};
use crate::numbers::vector;
use crate::report::{Verdict, shown, triple};
use crate::rules::*;

/// Differences of rounding, in studs.
const ROUNDING: f32 = 1e-3;

/// The same in halves of a part, in which the boxes of attachments are.
const ROUNDING_OF_BOX: f32 = 1e-4;

/// Checks the parts of a body.
///
/// # Errors
/// If the budget does not suffice.
pub(crate) fn check(item: &Item, cx: &mut Context<'_>) -> Result<()> {
    let mut frames = assembled(&item.parts);
    // In an exchange file, the parts are where they are.
    if item.is_scene() {
        frames.clear();
        frames.extend(item.parts.iter().map(|part| (&*part.name, CFrame::IDENTITY)));
    }
    match item.is_scene() {
        true => exchanged(item, cx),
        false => item.parts.iter().for_each(|part| attachments(part, &part.attachments, false, cx)),
    }
    let bounds = |names: &[&str]| {
        let parts = item.parts.iter().filter(|part| names.contains(&&*part.name));
        let corners =
            parts.filter_map(|part| Some((part, frames.get(&*part.name)?))).flat_map(|(part, frame)| {
                let Aabb { min, max } = part.bounds();
                let corner = move |at: usize| {
                    let pick =
                        |bit: usize, least: f32, most: f32| if at >> bit & 1 == 0 { least } else { most };
                    *frame * Vec3::new(pick(0, min.x, max.x), pick(1, min.y, max.y), pick(2, min.z, max.z))
                };
                (0..8).map(corner)
            });
        Aabb::from_points(corners)
    };
    for (kind, names) in ASSETS {
        let found: Vec<&Part> = item.parts.iter().filter(|part| names.contains(&&*part.name)).collect();
        let is_whole = names.iter().all(|name| frames.contains_key(name));
        let (Some(first), Some(bounds_of), true) = (found.first(), bounds(names), is_whole) else { continue };
        size(
            &ASSET_SIZE,
            &first.path,
            bounds_of,
            cx.numbers.get(&["BodyPartRules", kind.key(), "Bounds", item.scale.name()]).cloned(),
            cx,
        );
        order(names, &found, &frames, cx);
        opacity(kind, (&found, &frames), bounds_of, cx)?;
    }
    limbs(item, &frames, cx);
    grips(item, cx);
    let all: Vec<&str> = ASSETS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    if item.kind == Some(ItemType::Body) && all.iter().all(|name| frames.contains_key(name)) {
        if let Some(bounds) = bounds(&all) {
            size(
                &BODY_SIZE,
                &item.path,
                bounds,
                cx.numbers.get(&["FullBodyRules", "Bounds", item.scale.name()]).cloned(),
                cx,
            );
        }
        let [left, right] = [ItemType::LeftLeg, ItemType::RightLeg].map(|kind| bounds(kind.parts()));
        if let (Some(left), Some(right)) = (left, right) {
            // The right is +x in documents; exchange files may face either way.
            let overlap = (left.max.x - right.min.x).min(if item.is_scene() {
                right.max.x - left.min.x
            } else {
                f32::MAX
            });
            let most = cx.numbers.other("MaxLegOverlap") * f64::from(left.size().x.min(right.size().x));
            let passes = f64::from(overlap - ROUNDING) <= most.max(0.0);
            let found = format!("an overlap of {} studs", shown(overlap.max(0.0).into()));
            cx.sheet.test(&LEGS, &item.path, passes, found, format!("at most {} studs", shown(most)));
        }
    }
    Ok(())
}

fn size(rule: &AvatarRule, path: &str, bounds: Aabb, limits: Option<Value>, cx: &mut Context<'_>) {
    let limit = |key: &str| limits.as_ref().and_then(|limits| vector(limits.get(key)?));
    let (Some(least), Some(most)) = (limit("MinSize"), limit("MaxSize")) else { return };
    let size = bounds.size();
    let sides = size.to_array().into_iter().zip(least.to_array()).zip(most.to_array());
    let passes =
        sides.into_iter().all(|((side, least), most)| side >= least - ROUNDING && side <= most + ROUNDING);
    cx.sheet.test(rule, path, passes, triple(size), format!("{} to {}", triple(least), triple(most)));
}

/// The parts of a body in an exchange file: all of them, with cages and attachments. What Studio's importer adds is not
/// seen.
fn exchanged(item: &Item, cx: &mut Context<'_>) {
    if item.kind == Some(ItemType::Body) {
        super::tree::whole(item, "15 meshes PART_Geo of R15", cx);
    }
    let is_turned = is_turned(item);
    for part in &item.parts {
        let mut all = part.attachments.clone();
        if let Some(kind) = ItemType::of_part(&part.name) {
            let path = ["BodyPartRules", kind.key(), "SubParts", &part.name];
            let names: Vec<&str> = cx.numbers.object(&path).map(|(name, _)| name).collect();
            all.extend(item.loose.iter().filter(|attachment| names.contains(&&*attachment.name)).cloned());
        }
        attachments(part, &all, is_turned, cx);
        if part.outer.is_none() {
            let (found, wanted) = (format!("no {}_OuterCage", part.name), "a cage");
            cx.sheet.row(&CONTENT, &part.path, Verdict::Unseen, found, wanted);
        }
    }
}

/// Whether a figure of an exchange file faces +z and not, as in Roblox, -z with its right at +x.
fn is_turned(item: &Item) -> bool {
    let middle = |side: &str| -> f32 {
        let parts = item.parts.iter().filter(|part| part.name.starts_with(side));
        parts.map(|part| part.bounds().center().x).sum()
    };
    item.is_scene() && middle("Left") > middle("Right")
}

/// The attachments of a part: all of them, each once, in its box, and the rig's not turned.
fn attachments(part: &Part, all: &[Attachment], is_turned: bool, cx: &mut Context<'_>) {
    let is_scene = part.id.is_none();
    let Some(kind) = ItemType::of_part(&part.name) else { return };
    let numbers = cx.numbers;
    let path = ["BodyPartRules", kind.key(), "SubParts", &part.name];
    let names: Vec<&str> = numbers.object(&path).map(|(name, _)| name).collect();
    for name in &names {
        let count = all.iter().filter(|attachment| attachment.name == *name).count();
        let found = format!("{count} of {name}");
        if count == 0 && is_scene {
            let what = format!("no {name}, which Studio's importer adds");
            cx.sheet.row(&BODY_ATTACHMENTS, &part.path, Verdict::Unseen, what, "one of each");
            continue;
        }
        cx.sheet.test(
            &BODY_ATTACHMENTS,
            &part.path,
            count == 1,
            found,
            format!("{}: one of each", names.join(", ")),
        );
    }
    let other = all.iter().find(|attachment| !names.contains(&&*attachment.name));
    if let Some(other) = other {
        cx.sheet.test(&BODY_ATTACHMENTS, &other.path, false, &other.name, names.join(", "));
    }
    let bounds = part.bounds();
    for attachment in all {
        let key = [path[0], path[1], path[2], path[3], &attachment.name];
        let corner = |side: &str| numbers.get(&key).and_then(|row| vector(row.get(side)?));
        let (Some(low), Some(high)) = (corner("LowerBound"), corner("UpperBound")) else { continue };
        let mut at = divided(attachment.frame.position - bounds.center(), bounds.size() * 0.5);
        if is_turned {
            at = Vec3::new(-at.x, at.y, -at.z);
        }
        let inside = at.to_array().into_iter().zip(low.to_array()).zip(high.to_array());
        let passes = inside
            .into_iter()
            .all(|((at, low), high)| at >= low - ROUNDING_OF_BOX && at <= high + ROUNDING_OF_BOX);
        let list = |v: Vec3| v.to_array().map(|part| shown(part.into())).join(", ");
        cx.sheet.test(
            &ATTACHMENT_BOX,
            &attachment.path,
            passes,
            list(at),
            format!("{} to {}", list(low), list(high)),
        );
        let is_grip = attachment.name.ends_with("GripAttachment");
        let is_rig = attachment.name.ends_with("RigAttachment");
        let most = numbers.other(if is_rig { "MaxRigAttachmentAngle" } else { "MaxAttachmentAngle" });
        if !is_scene && !is_grip && most < 180.0 {
            let angle = angle(attachment.frame);
            let passes = angle <= most + 1e-4;
            cx.sheet.test(
                &ATTACHMENT_TURNED,
                &attachment.path,
                passes,
                format!("{} degrees", shown(angle)),
                format!("at most {most} degrees"),
            );
        }
    }
}

/// The orientation of grips.
fn grips(item: &Item, cx: &mut Context<'_>) {
    for side in ["Left", "Right"] {
        let part = |name: &str| item.parts.iter().find(|part| part.name == format!("{side}{name}"));
        let (Some(hand), Some(arm)) = (part("Hand"), part("LowerArm")) else { continue };
        let Some(grip) = hand.attachment(&format!("{side}GripAttachment")) else { continue };
        let most = cx.numbers.other("MaxGripAngle");
        let allowed = format!("at most {most} degrees from the recommended orientation");
        if item.is_scene() {
            cx.sheet.row(&GRIP_TURNED, &grip.path, Verdict::Unseen, "Studio's importer turns grips", allowed);
            continue;
        }
        let joint = |part: &Part, name: &str| {
            part.attachment(&format!("{side}{name}RigAttachment")).map(|joint| joint.frame)
        };
        let all = (joint(hand, "Wrist"), joint(arm, "Wrist"), joint(arm, "Elbow"));
        let (Some(wrist), Some(end), Some(elbow)) = all else { continue };
        // From the elbow to the wrist, as the hand sees it. A forearm does not point up.
        let way = wrist.position - (wrist * end.inverse() * elbow).position;
        let (along, down) = (way.x, (-way.y).max(0.0));
        let lean = along.atan2(down);
        let recommended = CFrame::from_euler_angles_xyz(0.0, 0.0, lean)
            * CFrame::from_euler_angles_xyz(-std::f32::consts::FRAC_PI_2, 0.0, 0.0);
        let away = angle(recommended * grip.frame.inverse());
        // Another rule finds numbers that are not finite.
        if away.is_finite() {
            let found = format!("{} degrees away", shown((away * 100.0).round() / 100.0));
            cx.sheet.test(&GRIP_TURNED, &grip.path, away <= most + 0.01, found, allowed);
        }
    }
}

/// The angle of a rotation, in degrees.
fn angle(frame: CFrame) -> f64 {
    // The sine is exact where the cosine is almost 1.
    let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = frame.rotation.to_rows().map(f64::from);
    let sine = (zy - yz).hypot(xz - zx).hypot(yx - xy);
    sine.atan2(xx + yy + zz - 1.0).to_degrees()
}

/// The order of the parts of an asset from top to bottom.
fn order(names: &[&str], parts: &[&Part], frames: &BTreeMap<&str, CFrame>, cx: &mut Context<'_>) {
    let bounds = |name: &str| {
        let part = parts.iter().find(|part| part.name == name)?;
        let Aabb { min, max } = part.bounds();
        let frame = frames.get(name)?;
        Aabb::from_points([*frame * min, *frame * max])
    };
    for pair in names.windows(2) {
        let (Some(upper), Some(lower)) = (bounds(pair[0]), bounds(pair[1])) else { continue };
        let passes = lower.max.y <= upper.max.y + ROUNDING && upper.min.y >= lower.min.y - ROUNDING;
        let range = |b: Aabb| format!("{} to {}", shown(b.min.y.into()), shown(b.max.y.into()));
        let found = format!("{} from {}, {} from {}", pair[0], range(upper), pair[1], range(lower));
        let path = parts.iter().find(|part| part.name == pair[1]).map_or("", |part| part.path.as_str());
        cx.sheet.test(&ORDER, path, passes, found, format!("{} above {}", pair[0], pair[1]));
    }
}

/// The silhouette of an asset.
fn opacity(
    kind: ItemType,
    (parts, frames): (&[&Part], &BTreeMap<&str, CFrame>),
    bounds: Aabb,
    cx: &mut Context<'_>,
) -> Result<()> {
    let least = cx.numbers.number(&["OtherRules", "MinOpacityPercent", kind.key()]);
    let allowed = format!("at least {least} %");
    let mut triangles: Vec<Corners> = Vec::new();
    for part in parts {
        let Some(shape) = cx.held(&OPACITY, &part.path, &part.mesh, &allowed) else { return Ok(()) };
        let Some(frame) = frames.get(&*part.name) else { return Ok(()) };
        cx.budget.take(shape.mesh.triangles.len() as u64 * 72, "the silhouette")?;
        let point = |index: u32| {
            let point = shape.mesh.positions.get(index as usize).copied().unwrap_or_default();
            (*frame * shape.place(point)).to_array().map(f64::from)
        };
        triangles.extend(shape.mesh.triangles.iter().map(|triangle| triangle.map(point)));
    }
    for (axis, side) in [(2, "the front"), (0, "the side")] {
        let percent = coverage(&triangles, bounds, axis, cx.budget)?;
        let path = parts.first().map_or("", |part| part.path.as_str());
        cx.sheet.test(
            &OPACITY,
            path,
            percent >= least,
            format!("{} % from {side}", shown(percent.round())),
            &*allowed,
        );
    }
    Ok(())
}

/// The directions of arms and legs, and the places of the hips.
fn limbs(item: &Item, frames: &BTreeMap<&str, CFrame>, cx: &mut Context<'_>) {
    let position = |part: &str, joint: &str| {
        let frame = frames.get(part)?;
        let part = item.parts.iter().find(|other| other.name == part)?;
        Some(*frame * part.attachment(&format!("{joint}RigAttachment"))?.frame.position)
    };
    let right = if is_turned(item) { -1.0 } else { 1.0 };
    for (side, outward) in [("Left", -right), ("Right", right)] {
        for (limb, [top, end], [upper, last]) in [
            ("Arm", ["UpperArm", "Hand"], ["Shoulder", "Wrist"]),
            ("Leg", ["UpperLeg", "Foot"], ["Hip", "Ankle"]),
        ] {
            let at = |part: &str, joint: &str| position(&format!("{side}{part}"), &format!("{side}{joint}"));
            let (Some(from), Some(to)) = (at(top, upper), at(end, last)) else { continue };
            let way = to - from;
            let angle = f64::from(way.y).atan2(f64::from(way.x * outward)).to_degrees();
            let off = f64::from(way.z).atan2(f64::from(way.x.hypot(way.y))).to_degrees().abs();
            let [least, most] = ["MinAngle", "MaxAngle"].map(|key| cx.numbers.other(&format!("{limb}{key}")));
            // An arm that points inwards and down is beyond -90 degrees.
            let angle = if angle > 90.0 { angle - 360.0 } else { angle };
            let plane = cx.numbers.other("MaxAngleFromFrontalPlane");
            let passes = angle >= least && angle <= most && off <= plane;
            let found =
                format!("{} degrees, {} from the frontal plane", shown(angle.round()), shown(off.round()));
            let allowed = format!("{least} to {most} degrees, at most {plane} from the frontal plane");
            let path = item
                .parts
                .iter()
                .find(|part| part.name == format!("{side}{top}"))
                .map_or("", |part| part.path.as_str());
            cx.sheet.test(&POSE, path, passes, found, allowed);
        }
        let leg = item.parts.iter().find(|part| part.name == format!("{side}UpperLeg"));
        let hip = leg.and_then(|leg| Some((leg, leg.attachment(&format!("{side}HipRigAttachment"))?)));
        if let Some((leg, hip)) = hip.filter(|_| !item.is_scene()) {
            let outward = f64::from(hip.frame.position.x) * f64::from(outward);
            let most = f64::from(leg.size.x) * cx.numbers.other("MaxHipOffset");
            let found = format!("{} studs outward", shown(outward));
            cx.sheet.test(
                &HIPS,
                &hip.path,
                outward <= most + 1e-4,
                found,
                format!("at most {} studs", shown(most)),
            );
        }
    }
}
