//! Convex hulls of points. The farthest point is added first, so that few corners suffice for a good approximation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use geom::TriMesh;
use glam::DVec3;

/// A convex hull.
#[derive(Clone, Debug, Default)]
pub struct Hull {
    /// Its corners.
    pub points: Vec<DVec3>,
    /// Its triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The number of comparisons of points with sides during its construction.
    pub work: u64,
}

const NO: u32 = u32::MAX;

struct Face {
    corners: [u32; 3],
    /// The face across the edge that begins at each corner.
    beside: [u32; 3],
    normal: DVec3,
    offset: f64,
    /// The points outside this face, the farthest last.
    outside: Vec<u32>,
    is_there: bool,
}

impl Hull {
    /// The hull of points as a mesh, with all its corners; `None` if they are in one plane or not finite.
    // No budget: a hull has at most twice as many triangles as points.
    pub fn mesh_around(points: impl IntoIterator<Item = geom::Vec3>) -> Option<TriMesh> {
        let wide = |point: geom::Vec3| DVec3::from_array(point.to_array().map(f64::from));
        let points: Vec<DVec3> = points.into_iter().map(wide).collect();
        let is_finite = points.iter().all(|point| point.is_finite());
        Self::around(&points, points.len(), 0.0).filter(|_| is_finite).map(Self::into_mesh)
    }

    /// The hull of points with at most `most` corners. Corners are added until no point is farther outside than
    /// `tolerance`. `None` if the points are in one plane, to a millionth of their extent.
    pub fn around(points: &[DVec3], most: usize, tolerance: f64) -> Option<Self> {
        let low = points.iter().copied().reduce(DVec3::min)?;
        let high = points.iter().copied().reduce(DVec3::max)?;
        let extent = (high - low).max_element();
        let least = extent * 1e-6;
        let mut growth = Growth::new(points, first(points, low, least)?, least);
        let mut corners = 4;
        while let Some((distance, Reverse(face))) = growth.open.pop() {
            if corners >= most || f64::from_bits(distance) <= tolerance {
                break;
            }
            corners += usize::from(growth.add(face));
        }
        let mut hull = growth.hull();
        // Points on an edge or a side are not corners.
        let needed = hull.is_needed();
        if needed.contains(&false) && needed.iter().filter(|needed| **needed).count() >= 4 {
            let list: Vec<DVec3> = hull
                .points
                .iter()
                .zip(needed)
                .filter(|(_, needed)| *needed)
                .map(|(point, _)| *point)
                .collect();
            if let Some(less) = Self::around(&list, most, tolerance) {
                hull.work += less.work;
                if less.volume() >= 0.999 * hull.volume() {
                    return Some(Self { work: hull.work, ..less });
                }
            }
        }
        Some(hull)
    }

    /// The hull as a closed mesh.
    // No budget: the triangles are not copied.
    pub fn into_mesh(self) -> TriMesh {
        let narrow = |point: &DVec3| geom::Vec3::from(point.to_array().map(|axis| axis as f32));
        TriMesh {
            positions: self.points.iter().map(narrow).collect(),
            triangles: self.triangles,
            ..TriMesh::default()
        }
    }

    /// For each point, whether sides of at least three directions meet in it.
    fn is_needed(&self) -> Vec<bool> {
        let mut normals = vec![([DVec3::ZERO; 3], 0); self.points.len()];
        for (triangle, [a, b, c]) in self.triangles.iter().zip(self.corners()) {
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for point in triangle {
                let (there, count) = &mut normals[*point as usize];
                let is_new = there[..*count].iter().all(|other| other.distance_squared(normal) > 1e-12);
                if normal != DVec3::ZERO && *count < 3 && is_new {
                    there[*count] = normal;
                    *count += 1;
                }
            }
        }
        normals.into_iter().map(|(_, count)| count >= 3).collect()
    }

    /// The corners of each triangle.
    pub fn corners(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.triangles.iter().map(|triangle| triangle.map(|point| self.points[point as usize]))
    }

    /// The volume of the hull.
    pub fn volume(&self) -> f64 {
        let center = self.points.first().copied().unwrap_or_default();
        self.corners().map(|corners| tetrahedron(corners.map(|corner| corner - center))).sum()
    }

    /// The planes of the sides of the hull.
    pub fn sides(&self) -> Sides {
        let side = |[a, b, c]: [DVec3; 3]| {
            let normal = (b - a).cross(c - a).normalize_or_zero();
            (normal, normal.dot(a))
        };
        Sides(self.corners().map(side).collect())
    }
}

/// The planes of the sides of a hull: their normals, outwards, and their distances from the origin.
#[derive(Debug)]
pub struct Sides(Vec<(DVec3, f64)>);

impl Sides {
    /// The number of sides.
    #[allow(clippy::len_without_is_empty, reason = "a hull has sides")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The depth of a point: its distance to the nearest side; negative if it is outside.
    pub fn depth(&self, point: DVec3) -> f64 {
        self.0.iter().map(|(normal, offset)| offset - normal.dot(point)).fold(f64::INFINITY, f64::min)
    }

    /// Whether a point is inside, or outside by at most the distance `least`.
    pub fn has(&self, point: DVec3, least: f64) -> bool {
        self.0.iter().all(|(normal, offset)| normal.dot(point) - offset <= least)
    }
}

/// The signed volume between a triangle and the origin.
pub fn tetrahedron([a, b, c]: [DVec3; 3]) -> f64 {
    a.dot(b.cross(c)) / 6.0
}

impl Face {
    fn new(points: &[DVec3], corners: [u32; 3], beside: [u32; 3]) -> Self {
        let [a, b, c] = corners.map(|corner| points[corner as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        Self { corners, beside, normal, offset: normal.dot(a), outside: Vec::new(), is_there: true }
    }

    fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// Moves the farthest outside point to the end; returns its distance and the face.
    fn farthest(&mut self, points: &[DVec3], index: u32) -> Option<(u64, Reverse<u32>)> {
        let height = |point: u32| self.height(points[point as usize]);
        let (at, far) =
            self.outside.iter().map(|&point| height(point)).enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let last = self.outside.len() - 1;
        self.outside.swap(at, last);
        Some((far.max(0.0).to_bits(), Reverse(index)))
    }
}

/// A hull during its construction.
struct Growth<'p> {
    points: &'p [DVec3],
    faces: Vec<Face>,
    /// The faces with points outside, by the distance of the farthest one.
    open: BinaryHeap<(u64, Reverse<u32>)>,
    /// The height above which a point is outside of a face.
    least: f64,
    work: u64,
    /// The faces visible from the new corner, and their border: the two points of an edge, and the face beside it.
    visible: Vec<u32>,
    horizon: Vec<(u32, u32, u32)>,
    /// The new faces, by the points at which their edges of the border begin and end.
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl<'p> Growth<'p> {
    fn new(points: &'p [DVec3], first: [u32; 4], least: f64) -> Self {
        let [starts, ends] = [vec![NO; points.len()], vec![NO; points.len()]];
        let [a, b, c, d] = first;
        // `beside` has the indices of the neighbours in this list.
        let faces =
            [([a, b, c], [3, 2, 1]), ([a, c, d], [0, 2, 3]), ([c, b, d], [0, 3, 1]), ([b, a, d], [0, 1, 2])]
                .map(|(corners, beside)| Face::new(points, corners, beside))
                .into();
        let (visible, horizon, work) = (Vec::new(), Vec::new(), points.len() as u64 * 4);
        let open = BinaryHeap::new();
        let mut growth = Self { points, faces, open, least, work, visible, horizon, starts, ends };
        growth.assign(0, (0..points.len() as u32).filter(|point| !first.contains(point)).collect());
        growth
    }

    /// Assigns each point to the first face that it is outside of, of those from `first` on.
    fn assign(&mut self, first: usize, list: Vec<u32>) {
        let faces = &mut self.faces[first..];
        let mut work = 2 * list.len();
        for point in list {
            let place = self.points[point as usize];
            let at = faces.iter().position(|face| face.height(place) > self.least);
            work += at.unwrap_or(faces.len());
            if let Some(at) = at {
                faces[at].outside.push(point);
            }
        }
        for (face, index) in faces.iter_mut().zip(first as u32..) {
            self.open.extend(face.farthest(self.points, index));
        }
        self.work += work as u64;
    }

    /// Adds the farthest point outside of a face as a corner; returns whether it was added.
    fn add(&mut self, face: u32) -> bool {
        let Face { is_there: true, outside, .. } = &self.faces[face as usize] else { return false };
        let Some(&far) = outside.last() else { return false };
        self.look(face, self.points[far as usize]);
        self.work += self.visible.len() as u64 * 4;
        let first = self.faces.len();
        let (starts, new) = (&mut self.starts, first as u32..);
        self.horizon.iter().zip(new.clone()).for_each(|((from, ..), face)| starts[*from as usize] = face);
        let is_new = |face: &u32| *face != NO && *face >= first as u32;
        let is_loop = (self.horizon.iter().zip(new.clone()))
            .all(|((from, to, _), face)| starts[*from as usize] == face && is_new(&starts[*to as usize]));
        if !is_loop || self.horizon.len() < 3 {
            self.horizon.iter().for_each(|(from, ..)| starts[*from as usize] = NO);
            // The border is not closed because of rounding: the point is practically on the hull.
            self.visible.iter().for_each(|&at| self.faces[at as usize].is_there = true);
            let it = &mut self.faces[face as usize];
            it.outside.pop();
            self.work += it.outside.len() as u64;
            self.open.extend(it.farthest(self.points, face));
            return false;
        }
        self.horizon.iter().zip(new.clone()).for_each(|((_, to, _), face)| self.ends[*to as usize] = face);
        for (&(from, to, beside), index) in self.horizon.iter().zip(new) {
            let around = [beside, self.starts[to as usize], self.ends[from as usize]];
            self.faces.push(Face::new(self.points, [from, to, far], around));
            let other = &mut self.faces[beside as usize];
            for edge in 0..3 {
                if other.corners[edge] == to && other.corners[(edge + 1) % 3] == from {
                    other.beside[edge] = index;
                }
            }
        }
        let mut left = Vec::new();
        self.visible.iter().for_each(|&at| left.append(&mut self.faces[at as usize].outside));
        left.retain(|&point| point != far);
        self.assign(first, left);
        true
    }

    /// Removes the faces that are visible from a point, beginning with one of them, and finds their border.
    fn look(&mut self, face: u32, place: DVec3) {
        let Self { faces, visible, horizon, .. } = self;
        visible.clear();
        horizon.clear();
        visible.push(face);
        faces[face as usize].is_there = false;
        let mut next = 0;
        while let Some(&at) = visible.get(next) {
            next += 1;
            for edge in 0..3 {
                let beside = faces[at as usize].beside[edge];
                if !faces[beside as usize].is_there {
                    continue;
                }
                if faces[beside as usize].height(place) > self.least * 0.1 {
                    faces[beside as usize].is_there = false;
                    visible.push(beside);
                } else {
                    let corners = faces[at as usize].corners;
                    horizon.push((corners[edge], corners[(edge + 1) % 3], beside));
                }
            }
        }
        // Faces that turned out to be visible are not a border.
        horizon.retain(|(.., beside)| faces[*beside as usize].is_there);
    }

    /// The hull, with only the points that are corners.
    fn hull(self) -> Hull {
        let mut number = vec![NO; self.points.len()];
        let mut hull = Hull { work: self.work, ..Hull::default() };
        for face in self.faces.iter().filter(|face| face.is_there) {
            hull.triangles.push(face.corners.map(|corner| {
                let number = &mut number[corner as usize];
                if *number == NO {
                    *number = hull.points.len() as u32;
                    hull.points.push(self.points[corner as usize]);
                }
                *number
            }));
        }
        hull
    }
}

/// The corners of the first tetrahedron, whose faces are turned outwards: each corner is the farthest from the point,
/// the line or the plane of those before it.
fn first(points: &[DVec3], low: DVec3, least: f64) -> Option<[u32; 4]> {
    let farthest = |distance: &dyn Fn(DVec3) -> f64| {
        let far = |(at, point): (usize, &DVec3)| (distance(*point), at);
        let (far, at) = points.iter().enumerate().map(far).max_by(|a, b| a.0.total_cmp(&b.0))?;
        (far > least).then_some(at)
    };
    let at = points.iter().enumerate().min_by(|a, b| (a.1.x - low.x).total_cmp(&(b.1.x - low.x)))?.0;
    let a = points[at];
    let second = farthest(&|point| point.distance(a))?;
    let along = (points[second] - a).normalize_or_zero();
    let third = farthest(&|point| (point - a).cross(along).length())?;
    let normal = (points[second] - a).cross(points[third] - a).normalize_or_zero();
    let fourth = farthest(&|point| (point - a).dot(normal).abs())?;
    let (second, third) =
        if (points[fourth] - a).dot(normal) > 0.0 { (third, second) } else { (second, third) };
    Some([at, second, third, fourth].map(|index| index as u32))
}

#[cfg(test)]
#[path = "../tests/inside/hull.rs"]
mod tests;
