//! Convex hulls for physics: one for each separate piece that is nearly convex, several for other pieces.

mod boxes;
mod decompose;
mod frame;
mod piece;
mod surface;

use std::collections::HashMap;

use geom::TriMesh;
use glam::DVec3;
use rezkit_scene::{Budget, Loss, Result};

use crate::connected::root;
use crate::simplify;
use decompose::{Effort, decompose};
use frame::{Frame, NEAR};
use rezkit_scene::hull::Hull;
use surface::{Patch, Welded, patches};

/// Options for creating hulls.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct HullOptions {
    /// Maximum distance of a hull from its surface, as a fraction of the model's longest side.
    pub concavity: f64,
    /// Maximum number of hulls, at most 256.
    pub most: usize,
    /// Maximum number of corners of a hull, at most 256.
    pub corners: usize,
    /// The thickness of the hull of a flat object, such as a floor: objects in Second Life are at least a centimetre
    /// thick.
    pub thickness: f64,
}

impl Default for HullOptions {
    fn default() -> Self {
        Self { concavity: 0.03, most: 256, corners: 32, thickness: 0.01 }
    }
}

/// The error if the work is used up.
const TOO_LONG: &str = "computing the physics hulls would take too long: the objects have too many triangles or \
                        separate parts (use `--physics box`, or simplify the model)";

/// Closed shapes with more triangles are simplified before they are cut.
const TRIANGLES: usize = 1500;
/// The limit of steps for the hulls of all objects of a model: half a second at most.
pub(crate) const STEPS: u64 = 16_000_000;

/// Steps of work that are divided among objects by their sizes. Steps that one object leaves are for the others.
pub(crate) struct Shared {
    left: u64,
    sizes: usize,
}

impl Shared {
    pub(crate) fn new(steps: u64, sizes: usize) -> Self {
        Self { left: steps, sizes }
    }

    /// Takes the part for an object of a size.
    pub(crate) fn take(&mut self, size: usize) -> u64 {
        let part = u128::from(self.left) * size as u128 / self.sizes.max(1) as u128;
        self.sizes -= size;
        self.left -= part as u64;
        part as u64
    }

    pub(crate) fn put_back(&mut self, steps: u64) {
        self.left += steps;
    }
}

/// The convex hulls of meshes, in which y is up, as closed meshes, and losses for deviations from the options. Separate
/// pieces get separate hulls, made in axes along their own faces, and a sheet gets hulls of the minimum thickness. A
/// piece whose only holes are narrow or below it counts as closed. If there would be too many hulls, one encloses
/// everything. Work is limited to about half a second: shapes that would need more get other hulls than the options ask
/// for.
///
/// # Errors
/// As [`simplify`](crate::simplify).
pub fn hulls(
    meshes: &[&TriMesh],
    options: &HullOptions,
    budget: &mut Budget,
) -> Result<(Vec<TriMesh>, Vec<Loss>)> {
    hulls_within(meshes, options, &mut { STEPS }, budget)
}

/// Like [`hulls`], with a number of steps of work, which is reduced by the used steps.
pub(crate) fn hulls_within(
    meshes: &[&TriMesh],
    options: &HullOptions,
    steps: &mut u64,
    budget: &mut Budget,
) -> Result<(Vec<TriMesh>, Vec<Loss>)> {
    let mut losses = Vec::new();
    let pieces = pieces(meshes, options.thickness, budget)?;
    let points = || pieces.iter().flat_map(|piece| &piece.corners).flatten().copied();
    let Some((low, high)) = points().map(|point| (point, point)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    else {
        return Ok(Default::default());
    };
    let extent = (high - low).max_element();
    let corners = options.corners.clamp(4, 256);
    let most = options.most.clamp(1, 256);
    let mut flat = pieces.iter().filter(|piece| piece.has_sheets).count();
    let mut around = |list: &[DVec3]| {
        let tolerance = extent * options.concavity * 0.05;
        Hull::around(list, corners, tolerance).or_else(|| {
            let hull = Hull::around(&slab(list, options.thickness)?, corners, 0.0)?;
            flat += 1;
            Some(hull)
        })
    };
    let mut found: Vec<(usize, Hull)> = Vec::new();
    let (mut none, mut far, mut apart) = (0, 0, 0);
    if pieces.len() <= most {
        // Small pieces come first, so that the steps that they leave are for the large ones.
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        geom::sort::by_key(&mut order, |&number| pieces[number].corners.len());
        let mut work =
            Shared::new(std::mem::take(steps), pieces.iter().map(|piece| piece.corners.len()).sum());
        for (done, number) in order.into_iter().enumerate() {
            let piece = &pieces[number];
            let before = found.len();
            let mut left = work.take(piece.corners.len());
            let effort = Effort {
                concavity: extent * options.concavity,
                most: most.saturating_sub(before + pieces.len() - done - 1).max(1),
            };
            let frame = Frame::new(&piece.corners, options.thickness * 0.25);
            let made = decompose(
                &frame.inner(&piece.corners),
                &frame.inner(&piece.closing),
                effort,
                &mut left,
                budget,
            )?;
            far += usize::from(!made.is_near);
            apart += usize::from(!made.is_joined);
            let outer = |hull: &Hull| hull.points.iter().map(|&point| frame.outer(point)).collect::<Vec<_>>();
            found.extend(made.hulls.iter().filter_map(|hull| Some((number, around(&outer(hull))?))));
            if found.len() == before {
                let list: Vec<DVec3> = piece.corners.iter().flatten().copied().collect();
                found.extend(around(&list).map(|hull| (number, hull)));
            }
            none += usize::from(found.len() == before);
            work.put_back(left);
        }
        *steps = work.left;
    }
    geom::sort::by_key(&mut found, |(number, _)| *number);
    let mut hulls: Vec<Hull> = found.into_iter().map(|(_, hull)| hull).collect();
    let mut note = |id: &'static str, count: usize, what: &str| {
        if count > 0 {
            losses.push(Loss::approximated("physics", what.to_owned()).id(id).times(count));
        }
    };
    let what = format!(
        "the hulls of a part of the mesh are farther from its surface than `--concavity` allows, \
         because the mesh would need more than {most} hulls, or computing them would take too long"
    );
    note("sl.coarser-hulls", far, &what);
    note(
        "sl.coarser-hulls",
        apart,
        "a part of the mesh has more hulls than necessary, because merging them would take too long",
    );
    note("sl.coarser-hulls", none, "a part of the mesh has no area or encloses no volume, so it has no hull");
    if hulls.is_empty() || hulls.len() > most {
        let what = if pieces.len() <= most && hulls.is_empty() {
            "a part of the mesh has no hull of its own, and neither has any other part: one hull encloses the whole mesh"
                .to_owned()
        } else {
            format!(
                "a part of the mesh has no hull of its own: one hull encloses the whole mesh, because its parts would \
                 need more than {most} hulls"
            )
        };
        let list: Vec<DVec3> = points().collect();
        hulls = around(&list).into_iter().collect();
        note("sl.coarser-hulls", if hulls.is_empty() { 0 } else { pieces.len() }, &what);
    }
    note(
        "sl.flat",
        flat,
        "a part of the mesh is flat: its hull has the minimum thickness that Second Life requires",
    );
    Ok((hulls.into_iter().map(Hull::into_mesh).collect(), losses))
}

/// Points of one plane, moved apart along its normal; `None` if they are on one line.
fn slab(points: &[DVec3], thickness: f64) -> Option<Vec<DVec3>> {
    let first = *points.first()?;
    let farthest = |distance: &dyn Fn(DVec3) -> f64| {
        points.iter().copied().max_by(|a, b| distance(*a).total_cmp(&distance(*b)))
    };
    let along = farthest(&|point| point.distance_squared(first))? - first;
    let across = farthest(&|point| (point - first).cross(along).length_squared())? - first;
    let offset = along.cross(across).try_normalize()? * (thickness * 0.505);
    Some(points.iter().flat_map(|&point| [point - offset, point + offset]).collect())
}

/// Closed surfaces that are connected by points.
#[derive(Default)]
struct Connected {
    corners: Vec<[DVec3; 3]>,
    /// Triangles that close the holes.
    closing: Vec<[DVec3; 3]>,
    /// Whether some of the surfaces are sheets, which were made thick.
    has_sheets: bool,
}

/// A patch with at most about a number of triangles; `None` if it need not or cannot be simplified.
fn fewer(patch: &Patch, most: usize, budget: &mut Budget) -> Result<Option<Vec<[DVec3; 3]>>> {
    // Simplifying would move the borders of holes.
    if patch.corners.len() <= most || !patch.closing.is_empty() {
        return Ok(None);
    }
    let positions = patch.corners.iter().flatten();
    let mesh = TriMesh {
        positions: positions.map(|point| point.to_array().map(|axis| axis as f32).into()).collect(),
        triangles: (0..patch.corners.len() as u32).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect(),
        ..TriMesh::default()
    };
    let mut levels = simplify(&[&mesh], &[most], budget)?;
    let level = levels.pop().filter(|level| level.keeps_seams);
    Ok(level.and_then(|mut level| level.parts.pop()).map(|(mesh, _)| corners(&mesh).collect()))
}

pub(crate) fn corners(mesh: &TriMesh) -> impl Iterator<Item = [DVec3; 3]> + '_ {
    let point = |index: u32| mesh.positions.get(index as usize).filter(|point| point.is_finite());
    mesh.triangles.iter().filter_map(move |&[a, b, c]| {
        let wide = |point: &geom::Vec3| DVec3::from_array(point.to_array().map(|axis| f64::from(axis + 0.0)));
        Some([wide(point(a)?), wide(point(b)?), wide(point(c)?)])
    })
}

/// The pieces of meshes that are connected by common points. The inner surface of a hollow belongs to the piece around
/// it.
fn pieces(meshes: &[&TriMesh], thickness: f64, budget: &mut Budget) -> Result<Vec<Connected>> {
    let count: usize = meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    budget.take((count as u64).saturating_mul(800), "the physics hulls")?;
    let all: Vec<[DVec3; 3]> = meshes.iter().flat_map(|mesh| corners(mesh)).collect();
    let points = || all.iter().flatten().copied();
    let bounds_of = |corners: &[[DVec3; 3]]| {
        let points = || corners.iter().flatten().copied();
        [points().fold(DVec3::INFINITY, DVec3::min), points().fold(DVec3::NEG_INFINITY, DVec3::max)]
    };
    let [low, high] = bounds_of(&all);
    if points().next().is_none() {
        return Ok(Vec::new());
    }
    let near = ((high - low).max_element() * NEAR).min(thickness * 0.25);
    let welded = Welded::new(&all, near);
    let mut above: Vec<u32> = (0..welded.points.len() as u32).collect();
    for &[a, b, c] in &welded.triangles {
        let [a, b] = [a, b].map(|point| root(&mut above, point));
        above[a as usize] = b;
        let [b, c] = [b, c].map(|point| root(&mut above, point));
        above[b as usize] = c;
    }
    let mut groups: HashMap<u32, usize> = HashMap::new();
    let mut pieces: Vec<(usize, Vec<Patch>)> = Vec::new();
    let mut hollows = Vec::new();
    for patch in patches(&welded, thickness) {
        if patch.is_closed && patch.volume < 0.0 {
            hollows.push(patch.corners);
            continue;
        }
        let next = pieces.len();
        let group = *groups.entry(root(&mut above, patch.point)).or_insert(next);
        if group == next {
            pieces.push((0, Vec::new()));
        }
        pieces[group].0 += patch.corners.len();
        pieces[group].1.push(patch);
    }
    let mut made: Vec<Connected> = Vec::new();
    for (count, patches) in pieces {
        let mut piece = Connected::default();
        for mut patch in patches {
            let most = (patch.corners.len() * TRIANGLES / count.max(TRIANGLES)).max(12);
            if let Some(less) = fewer(&patch, most, budget)? {
                patch.corners = less;
            }
            piece.has_sheets |= !patch.is_closed;
            match patch.is_closed {
                true => piece.corners.append(&mut patch.corners),
                false => piece.corners.extend(surface::slab(&patch.corners, thickness * 0.505)),
            }
            piece.closing.append(&mut patch.closing);
        }
        made.push(piece);
    }
    let boxes: Vec<[DVec3; 2]> = made.iter().map(|piece| bounds_of(&piece.corners)).collect();
    budget.work_or((hollows.len() as u64).saturating_mul(boxes.len() as u64), || TOO_LONG.to_owned())?;
    for mut corners in hollows {
        let [low, high] = bounds_of(&corners);
        let size = |at: &usize| (boxes[*at][1] - boxes[*at][0]).length();
        let inside = |at: &usize| boxes[*at][0].cmple(low).all() && boxes[*at][1].cmpge(high).all();
        let around = (0..boxes.len()).filter(|at| !made[*at].has_sheets && inside(at));
        match around.min_by(|a, b| size(a).total_cmp(&size(b))) {
            Some(at) => made[at].corners.append(&mut corners),
            None => {
                // The piece is inside out, so its triangles are turned.
                corners.iter_mut().for_each(|corners| corners.swap(1, 2));
                made.push(Connected { corners, ..Connected::default() });
            }
        }
    }
    Ok(made)
}

#[cfg(test)]
#[path = "../../tests/inside/hulls.rs"]
mod tests;
