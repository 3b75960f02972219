//! A tree of boxes over triangles, which finds the triangle nearest to a point, and those that a ray hits.

use std::cell::Cell;
use std::ops::Range;

use glam::DVec3;

/// Maximum number of triangles of a leaf.
const LEAF: usize = 4;
/// More than the depth of a tree with two levels of groups: each level halves at most 2^30 triangles.
const DEEP: usize = 96;

/// Triangles in a tree of boxes.
#[derive(Debug)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    /// The triangles in the order of the leaves.
    order: Vec<u32>,
    corners: Vec<[DVec3; 3]>,
    /// The number of examined boxes.
    steps: Cell<u64>,
    /// The maximum number of examined boxes. A point on a usual surface needs a few; if all boxes overlap, it needs
    /// all.
    most: Cell<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    low: DVec3,
    high: DVec3,
    /// For a leaf, its first triangle in `order`; for others, the second child. The first child is the next node.
    at: u32,
    /// The number of triangles of a leaf; 0 for others.
    count: u32,
}

/// The nearest point of a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) triangle: usize,
    pub(crate) squared: f64,
}

impl Bvh {
    /// Takes about 200 bytes for each triangle.
    pub(crate) fn new(corners: Vec<[DVec3; 3]>) -> Self {
        Self::grouped(corners, &[]).0
    }

    /// A tree with a branch for each group of triangles, and within it a branch for each group of the next level. Also
    /// returns, for each level, the branch of each triangle: [`nearest`](Self::nearest) searches only one branch, even
    /// if groups overlap.
    pub(crate) fn grouped(corners: Vec<[DVec3; 3]>, levels: &[&[u32]]) -> (Self, Vec<Vec<u32>>) {
        let mut order: Vec<u32> = (0..corners.len() as u32).collect();
        let branches = vec![vec![0; corners.len()]; levels.len()];
        let mut building = Building { nodes: Vec::with_capacity(corners.len() / 2 + 2), corners, branches };
        if !order.is_empty() {
            building.groups(&mut order, 0, levels);
        }
        let Building { nodes, corners, branches } = building;
        (Self { nodes, order, corners, steps: Cell::new(0), most: Cell::new(u64::MAX) }, branches)
    }

    /// Limits the number of boxes that are examined from now on.
    pub(crate) fn allow(&self, steps: u64) {
        self.most.set(self.steps().saturating_add(steps));
    }

    /// Whether the limit was reached: results since then are incomplete.
    pub(crate) fn is_spent(&self) -> bool {
        self.steps() >= self.most.get()
    }

    /// The box around everything.
    pub(crate) fn bounds(&self) -> Option<[DVec3; 2]> {
        self.nodes.first().map(|node| [node.low, node.high])
    }

    /// The number of boxes examined so far.
    pub(crate) fn steps(&self) -> u64 {
        self.steps.get()
    }

    pub(crate) fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.corners[triangle]
    }

    /// The nearest of the triangles of a branch (0 for all) that `wanted` accepts, within the square of a distance.
    pub(crate) fn nearest(
        &self,
        branch: u32,
        point: DVec3,
        within: f64,
        wanted: impl Fn(usize) -> bool,
    ) -> Option<Nearest> {
        self.nearest_beyond(branch, point, f64::NEG_INFINITY, within, wanted)
    }

    /// The square of the distance to the nearest triangle; `None` if it is not more than `than`, which is found sooner.
    pub(crate) fn farther(&self, point: DVec3, than: f64) -> Option<f64> {
        let found = self.nearest_beyond(0, point, than, f64::INFINITY, |_| true)?;
        (found.squared > than && !self.is_spent()).then_some(found.squared)
    }

    /// The nearest triangle, or the first one found that is near enough.
    fn nearest_beyond(
        &self,
        branch: u32,
        point: DVec3,
        enough: f64,
        within: f64,
        wanted: impl Fn(usize) -> bool,
    ) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let mut bound = within;
        // Boxes with the squares of their distances, the nearest last.
        let mut open = [(branch, 0.0_f64); DEEP];
        let mut depth = usize::from(!self.nodes.is_empty());
        let (mut steps, most) = (0, self.most.get().saturating_sub(self.steps.get()));
        'open: while let Some(top) = depth.checked_sub(1).filter(|_| steps < most) {
            depth = top;
            let (at, squared) = open[top];
            if squared >= bound {
                continue;
            }
            steps += 1;
            let node = &self.nodes[at as usize];
            if node.count > 0 {
                for &triangle in &self.order[node.at as usize..(node.at + node.count) as usize] {
                    let triangle = triangle as usize;
                    let squared = closest(self.corners[triangle], point).0.distance_squared(point);
                    if squared < bound && wanted(triangle) {
                        bound = squared;
                        best = Some(Nearest { triangle, squared });
                        if squared <= enough {
                            break 'open;
                        }
                    }
                }
                continue;
            }
            // The nearer child is examined first.
            let [one, two] =
                [at + 1, node.at].map(|child| (child, self.nodes[child as usize].squared(point)));
            [open[depth], open[depth + 1]] = if one.1 <= two.1 { [two, one] } else { [one, two] };
            depth += 2;
        }
        self.steps.set(self.steps.get() + steps);
        best
    }

    /// Whether a point is inside of closed surfaces: a ray from it leaves them more often than it enters.
    pub(crate) fn is_inside(&self, point: DVec3) -> bool {
        // The majority of three directions, none along an edge of usual models. If two agree, the third is skipped.
        let leaves = |x, y, z| self.winding(point, DVec3::new(x, y, z)) > 0;
        let first = leaves(0.836_7, 0.412_9, 0.359_3);
        match first == leaves(-0.297_1, 0.884_3, -0.360_7) {
            true => first,
            false => leaves(0.173_9, -0.301_1, 0.937_9),
        }
    }

    fn winding(&self, point: DVec3, direction: DVec3) -> i64 {
        let mut sum = 0;
        self.along(point, direction, |corners| sum += crossing(corners, point, direction).0);
        sum
    }

    /// Whether a triangle is between two points.
    pub(crate) fn is_between(&self, from: DVec3, to: DVec3) -> bool {
        let mut is_hit = false;
        self.along(from, to - from, |corners| {
            let (sign, at) = crossing(corners, from, to - from);
            is_hit |= sign != 0 && at <= 1.0;
        });
        is_hit
    }

    /// The triangles whose boxes a ray passes.
    fn along(&self, point: DVec3, direction: DVec3, mut found: impl FnMut([DVec3; 3])) {
        let inverse = direction.recip();
        let mut open = [0_u32; DEEP];
        let mut depth = usize::from(!self.nodes.is_empty());
        let (mut steps, most) = (0, self.most.get().saturating_sub(self.steps.get()));
        while let Some(top) = depth.checked_sub(1).filter(|_| steps < most) {
            depth = top;
            steps += 1;
            let at = open[top] as usize;
            let node = &self.nodes[at];
            let (a, b) = ((node.low - point) * inverse, (node.high - point) * inverse);
            let (near, far) = (a.min(b).max_element(), a.max(b).min_element());
            if near > far || far < 0.0 {
                continue;
            }
            if node.count > 0 {
                for &triangle in &self.order[node.at as usize..(node.at + node.count) as usize] {
                    found(self.corners[triangle as usize]);
                }
            } else {
                open[depth] = at as u32 + 1;
                open[depth + 1] = node.at;
                depth += 2;
            }
        }
        self.steps.set(self.steps.get() + steps);
    }
}

/// 1 if the ray leaves through the triangle, -1 if it enters, 0 if it misses; and the distance, in lengths of the
/// direction.
fn crossing([a, b, c]: [DVec3; 3], point: DVec3, direction: DVec3) -> (i64, f64) {
    let (e1, e2) = (b - a, c - a);
    let across = direction.cross(e2);
    let det = e1.dot(across);
    if det == 0.0 {
        return (0, 0.0);
    }
    let from = point - a;
    let u = from.dot(across) / det;
    let turned = from.cross(e1);
    let v = direction.dot(turned) / det;
    let at = e2.dot(turned) / det;
    let hit = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && at > 0.0;
    // The determinant is positive if the front is seen: the ray enters.
    let sign = if det > 0.0 { -1 } else { 1 };
    (if hit { sign } else { 0 }, at)
}

/// A range of triangles in the order, and the box around them.
struct Group {
    range: Range<usize>,
    bounds: [DVec3; 2],
}

struct Building {
    nodes: Vec<Node>,
    corners: Vec<[DVec3; 3]>,
    branches: Vec<Vec<u32>>,
}

impl Building {
    fn bounds(&self, order: &[u32]) -> [DVec3; 2] {
        let corners = order.iter().flat_map(|&triangle| self.corners[triangle as usize]);
        corners.fold(NOWHERE, |[low, high], corner| [low.min(corner), high.max(corner)])
    }

    fn groups(&mut self, order: &mut [u32], offset: usize, levels: &[&[u32]]) {
        let Some((of, levels)) = levels.split_first() else { return self.triangles(order, offset) };
        order.sort_unstable_by_key(|&triangle| (of[triangle as usize], triangle));
        let mut groups = Vec::new();
        for group in order.chunk_by(|&a, &b| of[a as usize] == of[b as usize]) {
            let start = groups.last().map_or(0, |last: &Group| last.range.end);
            groups.push(Group { range: start..start + group.len(), bounds: self.bounds(group) });
        }
        self.halves(&mut groups, order, offset, levels);
    }

    fn halves(&mut self, groups: &mut [Group], order: &mut [u32], offset: usize, levels: &[&[u32]]) {
        let at = self.nodes.len();
        if let [Group { range, .. }] = groups {
            let of = self.branches.len() - levels.len() - 1;
            for &triangle in &order[range.clone()] {
                self.branches[of][triangle as usize] = at as u32;
            }
            return self.groups(&mut order[range.clone()], offset + range.start, levels);
        }
        let around =
            |[low, high]: [DVec3; 2], group: &Group| [low.min(group.bounds[0]), high.max(group.bounds[1])];
        let [low, high] = groups.iter().fold(NOWHERE, around);
        self.nodes.push(Node { low, high, at: 0, count: 0 });
        let axis = longest(high - low);
        let center = |group: &Group| group.bounds[0][axis] + group.bounds[1][axis];
        let middle = groups.len() / 2;
        groups.select_nth_unstable_by(middle, |a, b| {
            center(a).total_cmp(&center(b)).then(a.range.start.cmp(&b.range.start))
        });
        let (left, right) = groups.split_at_mut(middle);
        self.halves(left, order, offset, levels);
        self.nodes[at].at = self.nodes.len() as u32;
        self.halves(right, order, offset, levels);
    }

    fn triangles(&mut self, order: &mut [u32], offset: usize) {
        let [low, high] = self.bounds(order);
        let at = self.nodes.len();
        self.nodes.push(Node { low, high, at: offset as u32, count: order.len() as u32 });
        if order.len() <= LEAF {
            return;
        }
        let axis = longest(high - low);
        let middle = order.len() / 2;
        let corners = &self.corners;
        let center =
            |triangle: u32| corners[triangle as usize].iter().map(|corner| corner[axis]).sum::<f64>();
        order.select_nth_unstable_by(middle, |&a, &b| center(a).total_cmp(&center(b)).then(a.cmp(&b)));
        let (left, right) = order.split_at_mut(middle);
        self.triangles(left, offset);
        self.nodes[at].count = 0;
        self.nodes[at].at = self.nodes.len() as u32;
        self.triangles(right, offset + middle);
    }
}

/// The box around nothing.
const NOWHERE: [DVec3; 2] = [DVec3::INFINITY, DVec3::NEG_INFINITY];

fn longest(size: DVec3) -> usize {
    if size.x >= size.y && size.x >= size.z { 0 } else { usize::from(size.z > size.y) + 1 }
}

impl Node {
    /// The square of the distance from the box.
    fn squared(&self, point: DVec3) -> f64 {
        point.distance_squared(point.clamp(self.low, self.high))
    }
}

/// The nearest point of a triangle, and the weights of the corners at it, which sum to 1.
pub(crate) fn closest([a, b, c]: [DVec3; 3], point: DVec3) -> (DVec3, [f64; 3]) {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let normal = ab.cross(ac);
    let squared = normal.length_squared();
    if squared > 0.0 {
        let v = ap.cross(ac).dot(normal) / squared;
        let w = ab.cross(ap).dot(normal) / squared;
        let u = 1.0 - v - w;
        if u >= 0.0 && v >= 0.0 && w >= 0.0 {
            return (a * u + b * v + c * w, [u, v, w]);
        }
    }
    // Otherwise the nearest point is on one of the edges.
    let on_edge = |from: DVec3, to: DVec3| {
        let edge = to - from;
        let length = edge.length_squared();
        let share = if length > 0.0 { ((point - from).dot(edge) / length).clamp(0.0, 1.0) } else { 0.0 };
        (from + edge * share, share)
    };
    let [(p, s), (q, t), (r, u)] = [on_edge(a, b), on_edge(b, c), on_edge(c, a)];
    let [dp, dq, dr] = [p, q, r].map(|at| at.distance_squared(point));
    if dp <= dq && dp <= dr {
        (p, [1.0 - s, s, 0.0])
    } else if dq <= dr {
        (q, [0.0, 1.0 - t, t])
    } else {
        (r, [u, 0.0, 1.0 - u])
    }
}
