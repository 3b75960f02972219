//! Section 5: cages.

use rezkit_core::Result;

use super::Context;
use crate::geometry::{corners, distances, distinct_uvs, flat_uvs, open_edges};
use crate::item::{Cage, Held, Item, Part};
use crate::kind::ItemType;
use crate::report::{Verdict, shown};
use crate::rules::*;

/// Checks the cages of an item.
///
/// # Errors
/// If the budget does not suffice.
pub(crate) fn check(item: &Item, cx: &mut Context<'_>) -> Result<()> {
    let is_layered = item.is(ItemType::is_layered);
    if item.is(ItemType::is_accessory) && !is_layered {
        return Ok(());
    }
    for part in &item.parts {
        if is_layered && item.is_scene() {
            let has = [&part.outer, &part.inner].iter().filter(|cage| cage.is_some()).count();
            cx.sheet.test(
                &CAGE_FILE,
                &part.path,
                has == 2,
                format!("{has} cages"),
                "an inner and an outer cage",
            );
        }
        for cage in [&part.outer, &part.inner].into_iter().flatten() {
            one(item, part, cage, is_layered, cx)?;
        }
        if is_layered {
            pair(part, cx);
        }
    }
    Ok(())
}

fn one(item: &Item, part: &Part, cage: &Cage, is_layered: bool, cx: &mut Context<'_>) -> Result<()> {
    match &cage.mesh {
        Held::Broken(why) => cx.sheet.test(&CAGE_FILE, &cage.path, false, why, "a mesh"),
        Held::Missing(file) => {
            let rules: &[&AvatarRule] = if is_layered {
                &[&CAGE_FILE, &CAGE_UV_AREA, &CAGE_MANIFOLD]
            } else {
                &[&CAGE_FILE, &CAGE_UV_AREA, &CAGE_UV_COUNT, &CAGE_DISTANCE]
            };
            for rule in rules {
                cx.sheet.row(rule, &cage.path, Verdict::Unseen, format!("{file} is not at hand"), "");
            }
        }
        Held::Unset => {}
        Held::Read(shape) => {
            let count = shape.mesh.triangles.len();
            cx.sheet.test(&CAGE_FILE, &cage.path, count > 0, format!("{count} triangles"), "triangles");
            if count == 0 {
                return Ok(());
            }
            cx.budget.take(shape.mesh.positions.len() as u64 * 100, "the cage")?;
            if is_layered {
                let open = open_edges(&shape.mesh);
                cx.sheet.at_most(
                    &CAGE_MANIFOLD,
                    &cage.path,
                    open as f64,
                    0.0,
                    "edges without exactly two triangles",
                );
            } else if let Some(expected) =
                cx.numbers.get(&["OtherRules", "CageUVCounts", &part.name]).and_then(|count| count.as_u64())
            {
                let found = distinct_uvs(&shape.mesh).len();
                cx.sheet.test(
                    &CAGE_UV_COUNT,
                    &cage.path,
                    found as u64 == expected,
                    found.to_string(),
                    expected.to_string(),
                );
            }
            let flat = flat_uvs(&shape.mesh);
            cx.sheet.at_most(&CAGE_UV_AREA, &cage.path, flat as f64, 0.0, "triangles");
            far(item, part, cage, is_layered, cx)?;
        }
    }
    Ok(())
}

/// The distances from a cage to the mesh. For clothing, those of the inner cage are the body's, so they do not count.
fn far(item: &Item, part: &Part, cage: &Cage, is_layered: bool, cx: &mut Context<'_>) -> Result<()> {
    let Held::Read(shape) = &part.mesh else {
        if let Held::Missing(file) = &part.mesh {
            cx.sheet.row(&CAGE_DISTANCE, &part.path, Verdict::Unseen, format!("{file} is not at hand"), "");
        }
        return Ok(());
    };
    if is_layered {
        return Ok(());
    }
    let points = cage.points(if item.is_scene() { geom::Vec3::new(1.0, 1.0, 1.0) } else { shape.scale });
    let moved = corners(&shape.mesh, geom::Vec3::new(1.0, 1.0, 1.0)).map(|triangle| {
        triangle.map(|[x, y, z]| {
            #[allow(clippy::cast_possible_truncation, reason = "they were numbers of 32 bits")]
            let point = shape.place(geom::Vec3::new(x as f32, y as f32, z as f32));
            point.to_array().map(f64::from)
        })
    });
    let farthest = distances(&points, moved, cx.budget)?.into_iter().fold(0.0, f64::max);
    let most = cx.numbers.number(&["MeshRules", "CageMeshMaxDistanceFromRenderMesh"]);
    cx.sheet.at_most(&CAGE_DISTANCE, &cage.path, farthest, most, "studs");
    // A violation of the limit is not also one of the quality.
    if farthest <= most {
        let most = cx.numbers.other("CageFarDistance");
        cx.sheet.at_most(&CAGE_FAR, &cage.path, farthest, most, "studs");
    }
    Ok(())
}

/// Both cages of clothing have the same vertices.
fn pair(part: &Part, cx: &mut Context<'_>) {
    let (Some(outer), Some(inner)) = (&part.outer, &part.inner) else { return };
    let allowed = "the same texture coordinates";
    let Some(outer_shape) = cx.held(&CAGE_PAIR, &outer.path, &outer.mesh, allowed) else { return };
    let Some(inner_shape) = cx.held(&CAGE_PAIR, &inner.path, &inner.mesh, allowed) else { return };
    if outer_shape.mesh.triangles.is_empty() || inner_shape.mesh.triangles.is_empty() {
        return;
    }
    let (outer_uvs, inner_uvs) = (distinct_uvs(&outer_shape.mesh), distinct_uvs(&inner_shape.mesh));
    let different = outer_uvs.symmetric_difference(&inner_uvs).count();
    let found = match different {
        0 => format!("{} in both", outer_uvs.len()),
        _ => format!(
            "{different} in one of them only (outer: {}, inner: {})",
            outer_uvs.len(),
            inner_uvs.len()
        ),
    };
    cx.sheet.test(&CAGE_PAIR, &outer.path, different == 0, found, shown(0.0) + " in one of them only");
}
