//! Convex hulls for physics: one for each separate piece that is nearly convex, several for other pieces.

mod boxes;
mod decompose;
mod piece;

use std::collections::HashMap;

use geom::TriMesh;
use glam::DVec3;
use rezkit_scene::{Budget, Loss, Result};

use crate::connected::root;
use crate::simplify;
use decompose::{Effort, decompose};
use rezkit_scene::hull::{Hull, tetrahedron};

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

/// The convex hulls of meshes as closed meshes, and losses for deviations from the options. Separate pieces get
/// separate hulls, and a piece that is not closed gets one hull. If there would be too many, one hull encloses
/// everything. Work is limited to about half a second: shapes that would need more get other hulls than the options ask for.
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
    let pieces = pieces(meshes, budget)?;
    let points = || pieces.iter().flat_map(|piece| &piece.corners).flatten().copied();
    let Some((low, high)) = points().map(|point| (point, point)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    else {
        return Ok(Default::default());
    };
    let extent = (high - low).max_element();
    let corners = options.corners.clamp(4, 256);
    let most = options.most.clamp(1, 256);
    let mut flat = 0;
    let mut around = |list: &[DVec3]| {
        let tolerance = extent * options.concavity * 0.05;
        Hull::around(list, corners, tolerance).or_else(|| {
            let hull = Hull::around(&slab(list, options.thickness)?, corners, 0.0)?;
            flat += 1;
            Some(hull)
        })
    };
    let mut found: Vec<(usize, Hull)> = Vec::new();
    let (mut none, mut open, mut far, mut apart) = (0, 0, 0, 0);
    if pieces.len() <= most {
        // Small pieces come first, so that the steps that they leave are for the large ones.
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by_key(|&number| pieces[number].corners.len());
        let mut work = Shared::new(std::mem::take(steps), pieces.iter().map(Connected::size).sum());
        for (done, number) in order.into_iter().enumerate() {
            let piece = &pieces[number];
            let before = found.len();
            let mut left = work.take(piece.size());
            if piece.is_closed {
                let effort = Effort {
                    concavity: extent * options.concavity,
                    most: most.saturating_sub(before + pieces.len() - done - 1).max(1),
                };
                let reduced = piece.reduced(budget)?;
                let corners = reduced.as_deref().unwrap_or(&piece.corners);
                let made = decompose(corners, &piece.closing, effort, &mut left, budget)?;
                far += usize::from(!made.is_near);
                apart += usize::from(!made.is_joined);
                found.extend(made.hulls.iter().filter_map(|hull| Some((number, around(&hull.points)?))));
            } else {
                let list: Vec<DVec3> = piece.corners.iter().flatten().copied().collect();
                found.extend(around(&list).map(|hull| (number, hull)));
                open += usize::from(found.len() > before);
            }
            none += usize::from(found.len() == before);
            work.put_back(left);
        }
        *steps = work.left;
    }
    found.sort_by_key(|(number, _)| *number);
    let mut hulls: Vec<Hull> = found.into_iter().map(|(_, hull)| hull).collect();
    let mut tell = |count: usize, what: &str| {
        if count > 0 {
            losses.push(Loss::approximated("physics", what.to_owned()).times(count));
        }
    };
    tell(open, "a part of the mesh is not a closed surface, so a single hull encloses it");
    let what = format!(
        "the hulls of a part of the mesh are farther from its surface than `--concavity` allows, \
         because the mesh would need more than {most} hulls, or computing them would take too long"
    );
    tell(far, &what);
    tell(apart, "a part of the mesh has more hulls than necessary, because merging them would take too long");
    tell(none, "a part of the mesh has no area or encloses no volume, so it has no hull");
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
        tell(if hulls.is_empty() { 0 } else { pieces.len() }, &what);
    }
    tell(flat, "a part of the mesh is flat: its hull has the minimum thickness that Second Life requires");
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

/// Connected triangles.
struct Connected {
    corners: Vec<[DVec3; 3]>,
    /// Triangles that close the holes: from each edge of a hole to one point of the hole.
    closing: Vec<[DVec3; 3]>,
    /// Whether each edge belongs to two triangles, and the inside is consistent.
    is_closed: bool,
}

impl Connected {
    /// The number of triangles that the decomposition examines.
    fn size(&self) -> usize {
        self.corners.len().min(TRIANGLES)
    }

    /// The corners of the piece with fewer triangles; `None` if it need not or cannot be simplified.
    fn reduced(&self, budget: &mut Budget) -> Result<Option<Vec<[DVec3; 3]>>> {
        // Simplifying would move the borders of holes.
        if self.corners.len() <= TRIANGLES || !self.closing.is_empty() {
            return Ok(None);
        }
        let positions = self.corners.iter().flatten();
        let mesh = TriMesh {
            positions: positions.map(|point| point.to_array().map(|axis| axis as f32).into()).collect(),
            triangles: (0..self.corners.len() as u32).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect(),
            ..TriMesh::default()
        };
        let mut levels = simplify(&[&mesh], &[TRIANGLES], budget)?;
        let Some((mesh, _)) =
            levels.pop().filter(|level| level.keeps_seams).and_then(|mut level| level.parts.pop())
        else {
            return Ok(None);
        };
        Ok(Some(corners(&mesh).collect()))
    }
}

pub(crate) fn corners(mesh: &TriMesh) -> impl Iterator<Item = [DVec3; 3]> + '_ {
    let point = |index: u32| mesh.positions.get(index as usize).filter(|point| point.is_finite());
    mesh.triangles.iter().filter_map(move |&[a, b, c]| {
        let wide = |point: &geom::Vec3| DVec3::from_array(point.to_array().map(|axis| f64::from(axis + 0.0)));
        Some([wide(point(a)?), wide(point(b)?), wide(point(c)?)])
    })
}

/// A piece is a sheet, not a shape with holes, if the ratio of open edges to triangles is above this.
const OPEN: f64 = 0.35;

/// For each edge, the difference of the numbers of triangles that pass it in either direction.
type Edges = HashMap<[u32; 2], i32>;

/// The triangles that close the holes of a piece, and whether it is then closed.
fn closed(edges: &Edges, triangles: usize, point: impl Fn(u32) -> DVec3) -> (Vec<[DVec3; 3]>, bool) {
    let mut open: Vec<([u32; 2], i32)> =
        edges.iter().filter(|(_, count)| **count != 0).map(|(edge, count)| (*edge, *count)).collect();
    if open.len() as f64 > OPEN * triangles as f64 {
        return (Vec::new(), false);
    }
    open.sort_unstable();
    let mut ends: Vec<u32> = open.iter().flat_map(|(edge, _)| *edge).collect();
    ends.sort_unstable();
    ends.dedup();
    let number = |end: u32| ends.binary_search(&end).unwrap_or_default() as u32;
    let mut above: Vec<u32> = (0..ends.len() as u32).collect();
    for (edge, _) in &open {
        let [a, b] = edge.map(|end| root(&mut above, number(end)));
        above[a.max(b) as usize] = a.min(b);
    }
    let mut closing = Vec::new();
    for (edge, count) in &open {
        let apex = ends[root(&mut above, number(edge[0])) as usize];
        let [from, to] = if *count > 0 { *edge } else { [edge[1], edge[0]] };
        if from != apex && to != apex {
            let triangle = [to, from, apex].map(&point);
            closing.extend(std::iter::repeat_n(triangle, count.unsigned_abs() as usize));
        }
    }
    (closing, true)
}

/// The pieces of meshes that are connected by common points. The inner surface of a hollow belongs to the piece around
/// it.
fn pieces(meshes: &[&TriMesh], budget: &mut Budget) -> Result<Vec<Connected>> {
    let count: usize = meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    budget.take((count as u64).saturating_mul(400), "the physics hulls")?;
    let all: Vec<[DVec3; 3]> = meshes.iter().flat_map(|mesh| corners(mesh)).collect();
    let mut keys: Vec<([u64; 3], u32)> =
        all.iter().flatten().map(|point| point.to_array().map(f64::to_bits)).zip(0..).collect();
    keys.sort_unstable();
    let mut point_of = vec![0_u32; keys.len()];
    let mut points = 0;
    let mut keys_of: Vec<DVec3> = Vec::new();
    for same in keys.chunk_by(|a, b| a.0 == b.0) {
        keys_of.push(DVec3::from_array(same[0].0.map(f64::from_bits)));
        same.iter().for_each(|(_, at)| point_of[*at as usize] = points);
        points += 1;
    }
    let mut above: Vec<u32> = (0..points).collect();
    for triangle in point_of.chunks_exact(3) {
        let [a, b] = [0, 1].map(|corner| root(&mut above, triangle[corner]));
        above[a as usize] = b;
        let [b, c] = [1, 2].map(|corner| root(&mut above, triangle[corner]));
        above[b as usize] = c;
    }
    let mut groups: HashMap<u32, usize> = HashMap::new();
    let mut found: Vec<(Vec<usize>, Edges)> = Vec::new();
    for (at, triangle) in point_of.chunks_exact(3).enumerate() {
        let (a, b, c) = (triangle[0], triangle[1], triangle[2]);
        if a == b || b == c || c == a {
            continue;
        }
        let next = found.len();
        let group = *groups.entry(root(&mut above, a)).or_insert(next);
        if group == next {
            found.push(Default::default());
        }
        let (list, edges) = &mut found[group];
        list.push(at);
        for [from, to] in [[a, b], [b, c], [c, a]] {
            *edges.entry([from.min(to), from.max(to)]).or_default() += if from < to { 1 } else { -1 };
        }
    }
    let mut pieces = Vec::new();
    let mut hollows = Vec::new();
    for (list, edges) in found {
        let corners: Vec<[DVec3; 3]> = list.into_iter().map(|at| all[at]).collect();
        let origin = corners[0][0];
        let volume: f64 = corners.iter().map(|c| tetrahedron(c.map(|corner| corner - origin))).sum();
        let is_closed = edges.values().all(|count| *count == 0);
        match is_closed && volume < 0.0 {
            true => hollows.push(corners),
            false => {
                let points = |at: u32| keys_of[at as usize];
                let (closing, is_closed) = closed(&edges, corners.len(), points);
                pieces.push(Connected { corners, closing, is_closed });
            }
        }
    }
    let bounds = |corners: &[[DVec3; 3]]| {
        let points = || corners.iter().flatten().copied();
        [points().fold(DVec3::INFINITY, DVec3::min), points().fold(DVec3::NEG_INFINITY, DVec3::max)]
    };
    let boxes: Vec<[DVec3; 2]> = pieces.iter().map(|piece| bounds(&piece.corners)).collect();
    budget.work_or((hollows.len() as u64).saturating_mul(boxes.len() as u64), || TOO_LONG.to_owned())?;
    for mut corners in hollows {
        let [low, high] = bounds(&corners);
        let size = |at: &usize| (boxes[*at][1] - boxes[*at][0]).length();
        let inside = |at: &usize| boxes[*at][0].cmple(low).all() && boxes[*at][1].cmpge(high).all();
        let around = (0..boxes.len()).filter(|at| pieces[*at].is_closed && inside(at));
        match around.min_by(|a, b| size(a).total_cmp(&size(b))) {
            Some(at) => pieces[at].corners.append(&mut corners),
            None => {
                // The piece is inside out, so its triangles are turned.
                corners.iter_mut().for_each(|corners| corners.swap(1, 2));
                pieces.push(Connected { corners, closing: Vec::new(), is_closed: true });
            }
        }
    }
    Ok(pieces)
}

#[cfg(test)]
#[path = "../../tests/inside/hulls.rs"]
mod tests;
