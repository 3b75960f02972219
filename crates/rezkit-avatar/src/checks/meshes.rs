//! Section 3: the meshes and textures of accessories, and what body parts have in common with them.

use geom::{CFrame, Vec3};
use rezkit_core::Result;

use super::Context;
use super::tree::allowed_attachments;
use crate::geometry::{areas, coplanar, divided};
use crate::item::{Attachment, Held, Item, Part, Scale, Shape};
use crate::kind::{ItemType, is_body_part};
use crate::numbers::vector;
use crate::report::{Verdict, shown, triple};
use crate::rules::*;

/// Differences of rounding, in studs.
const ROUNDING: f32 = 1e-4;

/// A box of an accessory: its frame relative to the part, and its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Box3 {
    pub(crate) frame: CFrame,
    pub(crate) size: Vec3,
}

impl Box3 {
    /// How far a point is outside, along the axis where it is farthest; negative inside.
    pub(crate) fn outside(&self, point: Vec3) -> f32 {
        let [x, y, z] = (self.frame.inverse() * point).to_array();
        let half = self.size * 0.5;
        (x.abs() - half.x).max(y.abs() - half.y).max(z.abs() - half.z)
    }

    pub(crate) fn contains(&self, point: Vec3) -> bool {
        self.outside(point) <= ROUNDING
    }
}

/// The box of an accessory's type that hangs on an attachment.
pub(crate) fn box_of(
    kind: ItemType,
    scale: Scale,
    attachment: &Attachment,
    numbers: &crate::numbers::Numbers,
) -> Option<Box3> {
    let mut rows = numbers.list(&["AccessoryRules", kind.key(), "Attachments"]);
    let row = rows.find(|row| row.get("Name").and_then(|name| name.as_str()) == Some(&attachment.name))?;
    let (size, offset) = size_of(row, scale)?;
    // Another rule finds a place that is no number.
    attachment.frame.position.is_finite().then_some(())?;
    Some(Box3 { frame: attachment.frame * CFrame::new(offset.x, offset.y, offset.z), size })
}

/// The size of a box, and where its middle is from the attachment.
fn size_of(row: &serde_json::Value, scale: Scale) -> Option<(Vec3, Vec3)> {
    let classic = vector(row.get("Size")?)?;
    let offset = row.get("Offset").and_then(vector).unwrap_or_default();
    Some(match row.get(scale.name()).and_then(vector) {
        // The offset shrinks as the box does.
        Some(size) if scale != Scale::Classic => {
            let ratio = divided(size, classic);
            (size, crate::geometry::scaled(offset, ratio))
        }
        _ => (classic, offset),
    })
}

/// Where the middle of a part's box is from its attachment, if it is elsewhere.
fn offset_of(kind: ItemType, scale: Scale, part: &Part, numbers: &crate::numbers::Numbers) -> Option<Vec3> {
    let mut rows = numbers.list(&["AccessoryRules", kind.key(), "Attachments"]);
    let row = rows.find(|row| {
        row.get("Name").and_then(|name| name.as_str()).is_some_and(|name| part.attachment(name).is_some())
    })?;
    size_of(row, scale).map(|(_, offset)| offset).filter(|offset| *offset != Vec3::default())
}

/// The box of a part of an accessory, by the first of its attachments that its type allows.
pub(crate) fn box_of_part(item: &Item, part: &Part, numbers: &crate::numbers::Numbers) -> Option<Box3> {
    let kind = item.kind?;
    part.attachments.iter().find_map(|attachment| box_of(kind, item.scale, attachment, numbers))
}

/// Checks the meshes and textures of an item.
///
/// # Errors
/// If the budget does not suffice.
pub(crate) fn check(item: &Item, cx: &mut Context<'_>) -> Result<()> {
    super::tree::files(item, cx);
    if item.is(ItemType::is_accessory) {
        for part in &item.parts {
            in_box(item, part, cx);
            skin(item, part, cx);
        }
    }
    triangles(item, cx);
    for part in &item.parts {
        textures(part, cx);
        surface(item, part, cx)?;
        finite(&part.path, &part.mesh, cx);
        for cage in [&part.outer, &part.inner].into_iter().flatten() {
            finite(&cage.path, &cage.mesh, cx);
        }
    }
    Ok(())
}

/// The numbers of a mesh.
fn finite(path: &str, held: &Held<Shape>, cx: &mut Context<'_>) {
    let Held::Read(Shape { mesh, .. }) = held else { return };
    let wrong = mesh.positions.iter().filter(|point| !point.is_finite()).count()
        + mesh.uvs.iter().filter(|uv| !(uv.x.is_finite() && uv.y.is_finite())).count();
    let found = if wrong == 0 {
        "finite".to_owned()
    } else {
        format!("{wrong} vertices with NaN or infinite numbers")
    };
    cx.sheet.test(&FINITE, path, wrong == 0, found, "finite");
}

/// The box of an accessory.
fn in_box(item: &Item, part: &Part, cx: &mut Context<'_>) {
    let Some(kind) = item.kind else { return };
    let Some(bounds) = box_of_part(item, part, cx.numbers) else {
        // Another rule finds a missing attachment.
        return;
    };
    let allowed = match offset_of(kind, item.scale, part, cx.numbers) {
        Some(Vec3 { x, y, z }) => {
            let offset = [x, y, z].map(|side| shown(side.into())).join(", ");
            format!("within {} around {offset} from the attachment", triple(bounds.size))
        }
        None => format!("within {} around the attachment", triple(bounds.size)),
    };
    let Some(shape) = cx.held(&BOX, &part.path, &part.mesh, &allowed) else { return };
    let points = || shape.points().filter(|point| point.is_finite());
    let outside = points().filter(|point| !bounds.contains(*point)).count();
    let farthest = points().map(|point| bounds.outside(point)).fold(f32::NEG_INFINITY, f32::max);
    let found = match outside {
        0 => "all vertices inside".to_owned(),
        _ => format!(
            "{outside} of {} vertices outside, by up to {} studs",
            shape.mesh.positions.len(),
            shown(farthest.into())
        ),
    };
    debug_assert!(!allowed_attachments(kind, cx).is_empty(), "a box has an attachment");
    cx.sheet.test(&BOX, &part.path, outside == 0, found, allowed);
}

/// The skin of an accessory.
fn skin(item: &Item, part: &Part, cx: &mut Context<'_>) {
    let Some(kind) = item.kind else { return };
    let is_layered = item.is_layered();
    let rule = if is_layered { &LAYERED_SKIN } else { &RIGID_SKIN };
    let allowed = match kind {
        _ if !is_layered => "no skin",
        _ if kind.is_of_face() => "RBX_Leader and RBX_Follower, or joints of R15",
        _ => "joints of R15",
    };
    let Some(shape) = cx.held(rule, &part.path, &part.mesh, allowed) else { return };
    let names = weighted(shape);
    if !is_layered {
        let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        cx.sheet.test(rule, &part.path, names.is_empty(), found, allowed);
        return;
    }
    let is_known = |name: &&str| {
        is_body_part(name) || kind.is_of_face() && ["RBX_Leader", "RBX_Follower"].contains(name)
    };
    let unknown = names.iter().find(|name| !is_known(name));
    let found = match unknown {
        Some(name) => (*name).to_owned(),
        None if names.is_empty() => "no skin".to_owned(),
        None => format!("{} joints", names.len()),
    };
    // Of the joints of transfer, one has the full weight.
    let is_transferred = names.iter().any(|name| name.starts_with("RBX_"));
    let is_full = |weights: &[f32; 4]| weights.iter().any(|weight| *weight > 0.98);
    let partly = shape.mesh.weights.iter().filter(|weights| is_transferred && !is_full(weights)).count();
    let found = if partly > 0 { format!("{partly} vertices without full weights") } else { found };
    cx.sheet.test(rule, &part.path, unknown.is_none() && !names.is_empty() && partly == 0, found, allowed);
    if let Some(number) = part.auto_skin.filter(|_| is_transferred) {
        let names = ["Disabled", "EnabledPreserve", "EnabledOverride"];
        let found = names.get(number as usize).map_or_else(|| number.to_string(), |name| (*name).to_owned());
        cx.sheet.test(&AUTO_SKIN, &part.path, number == 2, found, "EnabledOverride");
    }
    let wrong = shape
        .mesh
        .uvs
        .iter()
        .filter(|uv| uv.x.is_finite() && uv.y.is_finite())
        .find(|uv| !(-1e-4..=1.0001).contains(&uv.x) || !(-1e-4..=1.0001).contains(&uv.y));
    let found = wrong
        .map_or_else(|| "within".to_owned(), |uv| format!("{}, {}", shown(uv.x.into()), shown(uv.y.into())));
    cx.sheet.test(&RENDER_UV, &part.path, wrong.is_none(), found, "0 to 1");
}

/// The names of the joints with weights.
pub(crate) fn weighted(shape: &Shape) -> Vec<&str> {
    let mut used = vec![false; shape.bones.len()];
    for (joints, weights) in shape.mesh.joints.iter().zip(&shape.mesh.weights) {
        for (joint, weight) in joints.iter().zip(weights) {
            if let Some(used) = used.get_mut(usize::from(*joint)).filter(|_| *weight > 0.0) {
                *used = true;
            }
        }
    }
    shape.bones.iter().zip(used).filter(|(_, used)| *used).map(|(bone, _)| &*bone.name).collect()
}

/// The greatest number of triangles of a type.
pub(crate) fn most_triangles(kind: ItemType, numbers: &crate::numbers::Numbers) -> f64 {
    if kind.is_accessory() {
        return numbers.number(&["MeshRules", "AccessoryMaxTriangles"]);
    }
    numbers.number(&["MeshRules", "BodyPartMaxTriangles", kind.key()]) + numbers.other("TriangleTolerance")
}

/// The number of triangles of each asset.
fn triangles(item: &Item, cx: &mut Context<'_>) {
    let mut assets: Vec<(ItemType, Vec<&Part>)> = Vec::new();
    for part in &item.parts {
        let of = item.kind.filter(|kind| kind.is_accessory()).or_else(|| ItemType::of_part(&part.name));
        let Some(of) = of else { continue };
        match assets.iter_mut().find(|(other, _)| *other == of) {
            Some((_, parts)) => parts.push(part),
            None => assets.push((of, vec![part])),
        }
    }
    for (kind, parts) in assets {
        let most = most_triangles(kind, cx.numbers);
        let allowed = format!("at most {most} triangles");
        let mut sum = Some(0);
        for part in &parts {
            let count =
                cx.held(&TRIANGLES, &part.path, &part.mesh, &allowed).map(|shape| shape.mesh.triangles.len());
            sum = sum.zip(count).map(|(sum, count)| sum + count);
        }
        if let Some(sum) = sum {
            let path = parts.first().map_or(item.path.as_str(), |part| part.path.as_str());
            cx.sheet.at_most(&TRIANGLES, path, sum as f64, most, "triangles");
        }
    }
}

fn textures(part: &Part, cx: &mut Context<'_>) {
    for texture in &part.textures {
        let key = if texture.is_legacy { "LegacyMaxTextureSize" } else { "MaxTextureSize" };
        let most = cx.numbers.number(&["TextureRules", key]);
        let allowed = format!("at most {most} pixels");
        match &texture.size {
            Held::Broken(why) => cx.sheet.test(&TEXTURE_SIZE, &texture.path, false, why, allowed),
            other => {
                let Some((width, height)) = cx.held(&TEXTURE_SIZE, &texture.path, other, &allowed) else {
                    continue;
                };
                let side = f64::from(*width.max(height));
                cx.sheet.test(
                    &TEXTURE_SIZE,
                    &texture.path,
                    side <= most,
                    format!("{width} x {height} pixels"),
                    allowed,
                );
            }
        }
    }
}

/// A part of a colour as a byte.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn byte(part: f32) -> u8 {
    (part.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// What the surface of a mesh must be.
fn surface(item: &Item, part: &Part, cx: &mut Context<'_>) -> Result<()> {
    let rules = [&VERTEX_COLORS, &CENTERED, &AREA, &COPLANAR, &DEGENERATE];
    let Held::Read(shape) = &part.mesh else {
        if let Held::Missing(file) = &part.mesh {
            for rule in rules {
                cx.sheet.row(rule, &part.path, Verdict::Unseen, format!("{file} is not at hand"), "");
            }
        }
        return Ok(());
    };
    let wanted = cx.numbers.get(&["MeshRules", "MeshVertColor"]).and_then(vector);
    let wanted = wanted.unwrap_or(Vec3::new(1.0, 1.0, 1.0)).to_array().map(byte);
    // The vertices of accessories may be transparent.
    let is_opaque = !item.is(ItemType::is_accessory);
    let is_other = |color: geom::Rgba8| [color.r, color.g, color.b] != wanted || is_opaque && color.a != 255;
    let colored = shape.mesh.colors.iter().filter(|color| is_other(color.to_srgb())).count();
    let allowed = if wanted == [255; 3] { "white".to_owned() } else { format!("{wanted:?}") };
    let found = if colored == 0 { allowed.clone() } else { format!("{colored} vertices have a colour") };
    cx.sheet.test(&VERTEX_COLORS, &part.path, colored == 0, found, allowed);
    if shape.is_rbxmesh {
        let center = f64::from(shape.bounds().center().length());
        cx.sheet.at_most(&CENTERED, &part.path, center, cx.numbers.other("CenterTolerance"), "studs");
    }
    let (area, zero) = areas(&shape.mesh, shape.scale);
    cx.sheet.at_most(&AREA, &part.path, area, cx.numbers.other("MaxArea"), "square studs");
    cx.sheet.at_most(&DEGENERATE, &part.path, zero as f64, 0.0, "triangles");
    let doubled = coplanar(&shape.mesh, shape.scale, cx.budget)?;
    let percent = doubled as f64 * 100.0 / shape.mesh.triangles.len().max(1) as f64;
    cx.sheet.at_most(&COPLANAR, &part.path, percent, cx.numbers.other("MaxCoplanarPercent"), "%");
    Ok(())
}
