//! Section 5: cages.

use std::collections::{HashMap, HashSet};

use geom::{Aabb, Vec2, Vec3};
use rezkit_core::Result;

use super::Context;
use crate::geometry::{Corners, corners, distances, distinct_uvs, flat_uvs, open_edges, surrounds, uv_key};
use crate::item::{Cage, Held, Item, Part, Shape};
use crate::kind::{ItemType, JOINTS};
use crate::numbers::Numbers;
use crate::report::{Verdict, shown};
use crate::rules::*;

/// Checks the cages of an item.
///
/// # Errors
/// If the budget does not suffice.
pub(crate) fn check(item: &Item, cx: &mut Context<'_>) -> Result<()> {
    let is_layered = item.is_layered();
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
            clothing(item, part, cx)?;
        }
    }
    Ok(())
}

fn one(item: &Item, part: &Part, cage: &Cage, is_layered: bool, cx: &mut Context<'_>) -> Result<()> {
    match &cage.mesh {
        Held::Broken(why) => cx.sheet.test(&CAGE_FILE, &cage.path, false, why, "a mesh"),
        Held::Missing(file) => {
            let rules: &[&AvatarRule] = if is_layered {
                &[&CAGE_FILE, &CAGE_UVS, &CAGE_UV_AREA, &CAGE_MANIFOLD, &CAGE_DISTANCE, &CAGE_INSIDE]
            } else {
                &[&CAGE_FILE, &CAGE_UVS, &CAGE_UV_AREA, &CAGE_UV_COUNT, &CAGE_DISTANCE, &CAGE_INSIDE]
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
            template(part, cage, shape, is_layered, cx);
            let flat = flat_uvs(&shape.mesh);
            cx.sheet.at_most(&CAGE_UV_AREA, &cage.path, flat as f64, 0.0, "triangles");
            if !is_layered {
                of_body(item, part, cage, cx)?;
            }
        }
    }
    Ok(())
}

/// The texture coordinates of the template for some parts: the coordinates, if the rules file has them, else tiles of the
/// size 1.
struct Template {
    tiles: HashSet<[i64; 2]>,
    points: HashSet<[i64; 2]>,
    tolerance: f64,
}

/// The cell of a grid in which texture coordinates are.
fn cell(uv: Vec2, size: f64) -> [i64; 2] {
    #[allow(clippy::cast_possible_truncation, reason = "rounded; a float cast saturates")]
    [uv.x, uv.y].map(|part| (f64::from(part) / size).floor() as i64)
}

impl Template {
    fn new<'n>(numbers: &Numbers, parts: impl Iterator<Item = &'n str>) -> Self {
        let tolerance = numbers.other("CageUVTolerance");
        let mut all = Self { tiles: HashSet::new(), points: HashSet::new(), tolerance };
        let pair = |value: &serde_json::Value| {
            let part = |at: usize| value.get(at)?.as_f64();
            #[allow(clippy::cast_possible_truncation, reason = "texture coordinates have 32 bits")]
            Some(Vec2::new(part(0)? as f32, part(1)? as f32))
        };
        for part in parts {
            let points = numbers.list(&["OtherRules", "CageUVs", part]).filter_map(pair);
            let points: Vec<Vec2> = points.collect();
            if points.is_empty() {
                let tiles = numbers.list(&["OtherRules", "CageTiles", part]).filter_map(pair);
                all.tiles.extend(tiles.map(|tile| cell(tile, 1.0)));
            }
            all.points.extend(points.into_iter().map(|point| cell(point, tolerance)));
        }
        all
    }

    fn has(&self, uv: Vec2) -> bool {
        let [x, y] = cell(uv, self.tolerance);
        let beside = [-1, 0, 1].into_iter().flat_map(|dx| [-1, 0, 1].map(|dy| [x + dx, y + dy]));
        self.tiles.contains(&cell(uv, 1.0)) || beside.into_iter().any(|cell| self.points.contains(&cell))
    }
}

/// Texture coordinates with v in the other direction, as some programs write them.
fn upside_down(uv: Vec2) -> Vec2 {
    Vec2::new(uv.x, 1.0 - uv.y)
}

/// The texture coordinates of a cage are those of the template.
fn template(part: &Part, cage: &Cage, shape: &Shape, is_layered: bool, cx: &mut Context<'_>) {
    let own = [part.name.as_str()];
    let names = JOINTS.iter().map(|(name, ..)| *name).filter(|name| is_layered || own.contains(name));
    let template = Template::new(cx.numbers, names);
    let wrong = |turned: fn(Vec2) -> Vec2| {
        let all = shape.mesh.uvs.iter().filter(|uv| uv.x.is_finite() && uv.y.is_finite());
        let wrong = all.filter(|uv| !template.has(turned(**uv))).map(|uv| uv_key(*uv));
        wrong.collect::<HashSet<_>>().len()
    };
    // No real cage was at hand to see the direction of v in files, so both are taken.
    let wrong = wrong(|uv| uv).min(wrong(upside_down));
    let most = cx.numbers.other(if is_layered { "MaxWrongUVsLayered" } else { "MaxWrongUVsBody" });
    cx.sheet.at_most(&CAGE_UVS, &cage.path, wrong as f64, most, "other coordinates");
}

/// The parts whose cage a shoe moves, first that of its foot.
fn leg(kind: Option<ItemType>) -> Option<[&'static str; 3]> {
    match kind? {
        ItemType::LeftShoe => Some(["LeftFoot", "LeftLowerLeg", "LeftUpperLeg"]),
        ItemType::RightShoe => Some(["RightFoot", "RightLowerLeg", "RightUpperLeg"]),
        _ => None,
    }
}

/// The outer cage of a shoe is moved where the shoe is.
fn shoe(leg: [&str; 3], shape: &Shape, (cage, moved): (&Cage, &[(Vec2, Vec3)]), cx: &mut Context<'_>) {
    let numbers = cx.numbers;
    let of = |names: &[&str]| Template::new(numbers, names.iter().copied());
    let others: Vec<&str> =
        JOINTS.iter().map(|(name, ..)| *name).filter(|name| !leg.contains(name)).collect();
    let (foot, leg_of, others) = (of(&leg[..1]), of(&leg), of(&others));
    let whole = of(&JOINTS.map(|(name, ..)| name));
    let count_of = |turned: fn(Vec2) -> Vec2| moved.iter().filter(|(uv, _)| whole.has(turned(*uv))).count();
    let turned: fn(Vec2) -> Vec2 =
        if count_of(upside_down) > count_of(|uv| uv) { upside_down } else { |uv| uv };
    let count = |template: Option<&Template>| {
        let is_of = |(uv, _): &&(Vec2, Vec3)| template.is_none_or(|template| template.has(turned(*uv)));
        moved.iter().filter(is_of).map(|(uv, _)| uv_key(*uv)).collect::<HashSet<_>>().len() as f64
    };
    let share = |part: f64, of: f64| if of > 0.0 { part * 100.0 / of } else { 0.0 };
    let all = numbers.number(&["OtherRules", "CageUVCounts", leg[0]]);
    let inside = moved.iter().filter(|(uv, _)| leg_of.has(turned(*uv))).map(|(_, point)| *point);
    let bounds = Aabb::from_points(inside);
    let padding = numbers.other("LegBox");
    let is_in = |point: &Vec3| {
        bounds.is_some_and(|bounds| {
            let (away, size) = (*point - bounds.center(), bounds.size());
            let sides = away.to_array().into_iter().zip(size.to_array());
            sides.into_iter().all(|(at, side)| f64::from(at.abs()) <= f64::from(side) * 0.5 * padding)
        })
    };
    let vertices = shape.points().filter(is_in).count() as f64;
    let found = [
        (share(count(Some(&foot)), all), "MinFootPercent", "of its foot moved"),
        (share(vertices, shape.mesh.positions.len() as f64), "MinInsideLegPercent", "of the vertices inside"),
    ];
    for (percent, key, of) in found {
        let least = numbers.other(key);
        let found = format!("{} % {of}", shown(percent.floor()));
        cx.sheet.test(&CAGE_SHOE, &cage.path, percent >= least, found, format!("at least {least} % {of}"));
    }
    let beside = share(count(Some(&others)), count(None));
    cx.sheet.at_most(
        &CAGE_SHOE,
        &cage.path,
        beside,
        numbers.other("MaxBesideLegPercent"),
        "% moved elsewhere",
    );
}

/// The mesh of a part, in its space.
fn placed(shape: &Shape) -> Vec<Corners> {
    let one = Vec3::new(1.0, 1.0, 1.0);
    let moved = corners(&shape.mesh, one).map(|triangle| {
        triangle.map(|[x, y, z]| {
            #[allow(clippy::cast_possible_truncation, reason = "they were numbers of 32 bits")]
            let point = shape.place(Vec3::new(x as f32, y as f32, z as f32));
            point.to_array().map(f64::from)
        })
    });
    moved.filter(|triangle| triangle.iter().flatten().all(|number| number.is_finite())).collect()
}

/// The mesh of a part; notes that it is not at hand.
fn mesh_of<'p>(part: &'p Part, cx: &mut Context<'_>) -> Option<&'p Shape> {
    for rule in [&CAGE_DISTANCE, &CAGE_INSIDE] {
        cx.held(rule, &part.path, &part.mesh, "");
    }
    part.mesh.read()
}

/// The vertices of a cage that are finite, in the space of the part, with the indices of the file.
fn points(item: &Item, cage: &Cage, shape: &Shape) -> Vec<(usize, Vec3)> {
    let scale = if item.is_scene() { Vec3::new(1.0, 1.0, 1.0) } else { shape.scale };
    cage.points(scale).into_iter().enumerate().filter(|(_, point)| point.is_finite()).collect()
}

/// The cage of a body part is near the mesh, and around it.
fn of_body(item: &Item, part: &Part, cage: &Cage, cx: &mut Context<'_>) -> Result<()> {
    let Some(shape) = mesh_of(part, cx) else { return Ok(()) };
    let mesh = placed(shape);
    let points: Vec<Vec3> = points(item, cage, shape).into_iter().map(|(_, point)| point).collect();
    let away = distances(&points, mesh.iter().copied(), cx.budget)?;
    let farthest = away.into_iter().fold(0.0, f64::max);
    near(cage, (farthest, "studs"), farthest, cx);
    inside(cage, &points, &[&mesh], cx)
}

/// The distance of a cage from its mesh is at most the limit, and that of its farthest vertex is usual. A violation of the
/// limit is not also one of the quality.
fn near(cage: &Cage, (distance, unit): (f64, &str), farthest: f64, cx: &mut Context<'_>) {
    let most = cx.numbers.number(&["MeshRules", "CageMeshMaxDistanceFromRenderMesh"]);
    cx.sheet.at_most(&CAGE_DISTANCE, &cage.path, distance, most, unit);
    if distance <= most {
        let most = cx.numbers.other("CageFarDistance");
        cx.sheet.at_most(&CAGE_FAR, &cage.path, farthest, most, "studs");
    }
}

/// The least distance, in studs, that tells a vertex of the outer cage which was moved from that of the inner one.
const MOVED: f32 = 1e-3;

/// The outer cage of clothing is near the mesh, and around it and the inner cage, where it was moved away from that. The
/// rest of it is that of the body, which the mesh need not cover.
fn clothing(item: &Item, part: &Part, cx: &mut Context<'_>) -> Result<()> {
    let (Some(outer), Some(inner)) = (&part.outer, &part.inner) else { return Ok(()) };
    let (Some(outer_shape), Some(inner_shape)) = (outer.mesh.read(), inner.mesh.read()) else {
        return Ok(());
    };
    let Some(shape) = mesh_of(part, cx) else { return Ok(()) };
    let uv = |of: &Shape, vertex: usize| of.mesh.uvs.get(vertex).map(|uv| uv_key(*uv));
    let inner_points = points(item, inner, shape);
    cx.budget.take(inner_points.len() as u64 * 64, "the vertices of the inner cage")?;
    let by_uv: HashMap<[i64; 2], Vec3> =
        inner_points.iter().filter_map(|(vertex, point)| Some((uv(inner_shape, *vertex)?, *point))).collect();
    let is_moved = |(vertex, point): &(usize, Vec3)| {
        let body = uv(outer_shape, *vertex).and_then(|uv| by_uv.get(&uv));
        body.is_none_or(|body| (*point - *body).length() > MOVED)
    };
    let moved: Vec<(usize, Vec3)> = points(item, outer, shape).into_iter().filter(is_moved).collect();
    if let Some(leg) = leg(item.kind) {
        let uv = |vertex: usize| outer_shape.mesh.uvs.get(vertex).copied().unwrap_or_default();
        let moved: Vec<(Vec2, Vec3)> = moved.iter().map(|(vertex, point)| (uv(*vertex), *point)).collect();
        shoe(leg, shape, (outer, &moved), cx);
    }
    let moved: Vec<Vec3> = moved.into_iter().map(|(_, point)| point).collect();
    if moved.is_empty() {
        return Ok(());
    }
    let mesh = placed(shape);
    let away = distances(&moved, mesh.iter().copied(), cx.budget)?;
    let average = away.iter().sum::<f64>() / away.len() as f64;
    let farthest = away.into_iter().fold(0.0, f64::max);
    near(outer, (average, "studs on average"), farthest, cx);
    let positions: HashMap<usize, Vec3> = inner_points.iter().copied().collect();
    let body: Vec<Corners> = inner_shape
        .mesh
        .triangles
        .iter()
        .filter_map(|triangle| {
            let corner = |index: u32| Some(positions.get(&(index as usize))?.to_array().map(f64::from));
            Some([corner(triangle[0])?, corner(triangle[1])?, corner(triangle[2])?])
        })
        .collect();
    inside(outer, &moved, &[&mesh, &body], cx)
}

/// The vertices of a cage of which it is measured whether they are inside: of larger cages, every second one or fewer.
const MEASURED: usize = 256;

/// Most vertices of an outer cage are outside of what it encloses.
fn inside(cage: &Cage, points: &[Vec3], meshes: &[&[Corners]], cx: &mut Context<'_>) -> Result<()> {
    if points.is_empty() {
        return Ok(());
    }
    let points: Vec<Vec3> = points.iter().step_by(points.len().div_ceil(MEASURED)).copied().collect();
    let triangles: usize = meshes.iter().map(|mesh| mesh.len()).sum();
    let work = (points.len() as u64).saturating_mul(triangles as u64).saturating_mul(4);
    cx.budget.work(work, "the vertices inside of the mesh")?;
    let is_inside = |point: &&Vec3| {
        let point = point.to_array().map(f64::from);
        // At a hole, a point is about half inside.
        meshes.iter().any(|mesh| surrounds(point, mesh) > 0.75)
    };
    let count = points.iter().filter(is_inside).count();
    let percent = count as f64 * 100.0 / points.len() as f64;
    cx.sheet.at_most(&CAGE_INSIDE, &cage.path, percent, cx.numbers.other("MaxCageInsidePercent"), "%");
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
