//! The rules for physics data.

use super::levels::submeshes;
use super::rules::{
    BOUNDING_HULL, HASH, HULL_COUNT, HULL_DOMAIN, HULL_POINTS, HULL_SIZE, PHYSICS_BOTH, PHYSICS_CONVEX,
    PHYSICS_SIZE, PHYSICS_TRIANGLE,
};
use super::{submesh, values};
use crate::consts::{Lod, MAX_HULL_POINTS, MAX_HULLS};
use crate::model::{Asset, Convex, CostData, Havok, Level, MassProps, Mopp, StoredConvex};
use geom::wire::{Findings, found, report};
use llsd::Value;

/// The minimum size of a model with a physics mesh, in metres.
const MIN_SIZE: f64 = 0.5;
/// The fewest points in flat models that were uploaded.
const MIN_HULL_POINTS: usize = 3;

pub(super) fn check(asset: &Asset, findings: &mut Findings) {
    if let Some(mesh) = &asset.physics_mesh {
        physics_mesh(asset, mesh, findings);
    }
    match &asset.physics_convex {
        Some(convex) => hulls(convex, findings),
        // The uploader writes an undefined value for further parts of a model.
        None if asset.other_blocks.iter().any(|other| other.name == *"physics_convex") => {}
        None => findings.add(PHYSICS_CONVEX, || ("physics_convex".into(), "the block is missing".into())),
    }
    if let Some(havok) = &asset.physics_havok {
        values::left_over::<Havok>("physics_havok", &havok.extra, findings);
        let masses = [("hull_mass", &havok.hull_mass), ("decomposition_mass", &havok.decomposition_mass)];
        for (name, mass) in masses {
            if let Some(mass) = mass {
                values::left_over::<MassProps>(&format!("physics_havok.{name}"), &mass.extra, findings);
            }
        }
        if let Some(mopp) = &havok.mopp {
            values::left_over::<Mopp>("physics_havok.mopp", &mopp.extra, findings);
        }
    }
    if let Some(cost) = &asset.physics_cost_data {
        values::left_over::<CostData>("physics_cost_data", &cost.extra, findings);
    }
    uploaded(asset, findings);
}

fn physics_mesh(asset: &Asset, mesh: &Level, findings: &mut Findings) {
    submeshes("physics_mesh", mesh, findings);
    let hulls = asset.physics_convex.as_ref().map_or(0, |convex| convex.hulls.len());
    if hulls > 0 {
        found!(
            findings,
            PHYSICS_BOTH,
            "physics_mesh",
            "the asset has both physics_mesh and a decomposition (hulls: {hulls})"
        );
    }
    for (index, one) in mesh.submeshes.iter().enumerate() {
        let path = format!("physics_mesh.submeshes[{index}]");
        submesh::check(&path, one, findings);
        let points: Vec<[f32; 3]> = one.points().map(|point| point.to_array().map(|n| n * 0.5)).collect();
        for (index, triangle) in one.triangles.iter().enumerate().filter(|_| hulls == 0) {
            let corner = |vertex: u16| points.get(usize::from(vertex)).copied();
            let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { continue };
            // A placeholder has the indices 0, 0, 0.
            if *triangle != [0; 3] && is_degenerate(a, b, c) {
                findings.add(PHYSICS_TRIANGLE, || {
                    (
                        format!("{path}.triangles[{index}]"),
                        format!("the triangle {triangle:?} is degenerate: its area is nearly 0"),
                    )
                });
            }
        }
    }
    // The size of the model before it was fitted to its domain.
    let scale = asset.high_lod.iter().flat_map(|level| &level.submeshes).find_map(|one| one.normalized_scale);
    if let (Some(scale), Some(bounds)) = (scale, asset.level(Lod::High).and_then(Level::bounds)) {
        let size =
            bounds.size().to_array().into_iter().zip(scale).map(|(size, scale)| f64::from(size) * scale);
        let least = size.fold(f64::INFINITY, f64::min);
        if least < MIN_SIZE {
            findings.add(PHYSICS_SIZE, || {
                (
                    "physics_mesh".into(),
                    format!("expected at least {MIN_SIZE} m along each axis, found {least:.3} m"),
                )
            });
        }
    }
}

/// Whether the viewer considers a triangle of a physics mesh degenerate and therefore refuses the upload. The corners
/// are half of those in the asset: the viewer fits the mesh into a cube from -0.25 to 0.25.
pub fn is_degenerate(a: [f32; 3], b: [f32; 3], c: [f32; 3]) -> bool {
    let [e1, e2, e3] = [sub(a, b), sub(a, c), sub(c, b)];
    let [l1, l2, l3] = [dot(e1, e1), dot(e2, e2), dot(e3, e3)];
    let slim = l1 > 100.0 * l2 || l1 > 100.0 * l3 || l2 > 100.0 * l1 || l3 > 100.0 * l1;
    let tolerance = if slim { 1e-7 } else { 1e-11 };
    let area = |u, v| {
        let n = cross(u, v);
        dot(n, n)
    };
    area(e1, e2) < tolerance
        || area(sub(b, a), sub(b, c)) < tolerance
        || dot(e1, e1) * dot(e3, e3) - dot(e1, e3) * dot(e1, e3) == 0.0
}

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn hulls(convex: &Convex, findings: &mut Findings) {
    // One end alone, which is no domain, is in `extra`.
    let is_end = |name: &str| {
        let end = convex.extra.get(name).and_then(Value::as_array);
        end.is_some_and(|end| end.len() == 3 && end.iter().all(|side| matches!(side, Value::Real(_))))
    };
    let others = convex
        .extra
        .iter()
        .filter(|(name, _)| !["Min", "Max"].iter().any(|end| *name == **end && is_end(end)));
    values::left_over::<StoredConvex>("physics_convex", others, findings);
    for (end, other) in [("Min", "Max"), ("Max", "Min")] {
        if is_end(end) && !convex.extra.contains_key(other) {
            found!(findings, HULL_DOMAIN, "physics_convex.domain", "{other} is missing, but {end} exists");
        }
    }
    if let Some(domain) = &convex.domain {
        values::positions(|| "physics_convex.domain".into(), domain, findings);
    }
    if convex.bounding.is_empty() {
        findings.add(BOUNDING_HULL, || {
            ("physics_convex.bounding".into(), "the bounding hull has no points".into())
        });
    } else {
        hull(|| "physics_convex.bounding".into(), convex.bounding.len(), findings);
    }
    let count = convex.hulls.len();
    if count > MAX_HULLS {
        found!(
            findings,
            HULL_COUNT,
            "physics_convex.hulls",
            "expected at most {MAX_HULLS} hulls, found {count}"
        );
    }
    for (index, points) in convex.hulls.iter().enumerate() {
        hull(|| format!("physics_convex.hulls[{index}]"), points.len(), findings);
    }
}

fn hull(path: impl Fn() -> String, count: usize, findings: &mut Findings) {
    if count > MAX_HULL_POINTS {
        findings.add(HULL_POINTS, || {
            (path(), format!("expected at most {MAX_HULL_POINTS} points, found {count}"))
        });
    }
    report!(
        findings,
        count < MIN_HULL_POINTS,
        HULL_SIZE,
        path(),
        "expected at least {MIN_HULL_POINTS} points, found {count}"
    );
}

/// The data that the simulator adds when an asset is uploaded.
fn uploaded(asset: &Asset, findings: &mut Findings) {
    if asset.creator.is_none() && asset.date.is_none() {
        return;
    }
    let convex = asset.physics_convex.as_ref().map(|block| ("physics_convex", &block.entry));
    let mesh = asset.physics_mesh.as_ref().map(|block| ("physics_mesh", &block.entry));
    let havok = asset.physics_havok.as_ref().map(|block| ("physics_havok", &block.entry));
    for (name, entry) in [convex, mesh, havok].into_iter().flatten() {
        report!(findings, !entry.contains_key("hash"), HASH, "{name}.entry", "the header entry has no hash");
    }
}
