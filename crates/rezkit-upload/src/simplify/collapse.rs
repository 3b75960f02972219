//! Collapses edges to points, the cheapest first.

use glam::DVec3;
use rezkit_scene::{Budget, Result};

use super::quadric::Quadric;
use super::queue::{Entry, Queue};
use super::weld::Surface;

/// A point of more triangles stays, since the work for each of its edges grows with the number of its triangles.
const MOST_TRIANGLES: u32 = 96;
pub(super) struct Engine<'s> {
    pub(super) surface: &'s Surface<'s>,
    pub(super) positions: Vec<DVec3>,
    pub(super) points: Vec<[u32; 3]>,
    pub(super) wedges: Vec<[u32; 3]>,
    pub(super) alive: Vec<bool>,
    pub(super) live: usize,
    pub(super) live_of_part: Vec<usize>,
    pub(super) quadrics: Vec<Quadric>,
    pub(super) is_border: Vec<bool>,
    /// For each point, a number that changes with the point, so that outdated costs are recognized.
    versions: Vec<u32>,
    /// For each point, the number of its triangles.
    valence: Vec<u32>,
    /// The corners of each point as a circular list: any corner of a point, and for each corner the next one.
    first: Vec<u32>,
    next: Vec<u32>,
    /// For each wedge, its area, and the gradient and the offset of each attribute, weighted by the area.
    pub(super) sums: Vec<f64>,
    pub(super) attributes: usize,
    part_of_wedge: Vec<u32>,
    queue: Queue,
    pub(super) may: May,
    /// Whether edges collapse only to their ends. Other points may turn a triangle.
    to_ends: bool,
    marks: Vec<u32>,
    mark: u32,
    steps: u64,
}

/// The changes that collapsing an edge may make.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum May {
    /// Borders and seams stay.
    Keep,
    /// Borders and seams may be crossed, at a cost.
    Cross,
    /// Seams may be crossed without a cost.
    Ignore,
    /// Triangles may turn further, too.
    Turn,
    /// Holes may close, too.
    Close,
}

/// The factor of the cost of crossing a seam or a border.
const CROSSING: f64 = 4.0;

/// The evaluation of an edge.
struct Edge {
    cost: f64,
    gone: u32,
    stays: u32,
    place: DVec3,
    triangles: usize,
}

#[derive(Default)]
struct Scratch {
    corners: [Vec<u32>; 2],
    /// The wedges of both ends, each once.
    wedges: [Vec<u32>; 2],
    /// The pairs of wedges on the edge.
    pairs: Vec<[u32; 2]>,
    /// For each wedge of the removed point, the one that replaces it.
    map: Vec<[u32; 2]>,
    group: Vec<f64>,
    /// The corners of the point that an edge became.
    around: Vec<u32>,
}

const NO: u32 = u32::MAX;

impl<'s> Engine<'s> {
    pub(super) fn new(surface: &'s Surface<'s>) -> Self {
        let (points, triangles) = (surface.points.len(), &surface.triangles);
        let mut engine = Self {
            surface,
            positions: surface.points.clone(),
            points: triangles.iter().map(|triangle| triangle.points).collect(),
            wedges: triangles.iter().map(|triangle| triangle.wedges).collect(),
            alive: vec![true; triangles.len()],
            live: triangles.len(),
            live_of_part: vec![0; surface.parts.len()],
            quadrics: vec![Quadric::ZERO; points],
            is_border: vec![false; points],
            versions: vec![0; points],
            valence: vec![0; points],
            first: vec![NO; points],
            next: Vec::with_capacity(triangles.len() * 3),
            sums: Vec::new(),
            attributes: 0,
            part_of_wedge: vec![0; surface.wedges],
            queue: Queue::new(triangles.len()),
            may: May::Keep,
            to_ends: false,
            marks: vec![0; points],
            mark: 0,
            steps: 0,
        };
        for (triangle, corner) in triangles.iter().zip((0..).step_by(3)) {
            engine.live_of_part[triangle.part as usize] += 1;
            for (at, (&point, &wedge)) in (corner..).zip(triangle.points.iter().zip(&triangle.wedges)) {
                let point = point as usize;
                engine.valence[point] += 1;
                engine.part_of_wedge[wedge as usize] = triangle.part;
                // A new list, or one more corner in the list.
                match engine.first[point] {
                    NO => {
                        engine.first[point] = at;
                        engine.next.push(at);
                    }
                    first => {
                        let after = std::mem::replace(&mut engine.next[first as usize], at);
                        engine.next.push(after);
                    }
                }
            }
        }
        engine
    }

    /// The corners of a point whose triangles exist.
    fn corners(&mut self, point: u32, list: &mut Vec<u32>) {
        list.clear();
        let start = self.first[point as usize];
        if start == NO {
            return;
        }
        let (mut before, mut at) = (start, self.next[start as usize]);
        loop {
            self.steps += 1;
            let after = self.next[at as usize];
            if self.alive[at as usize / 3] {
                list.push(at);
                before = at;
            } else {
                // Remove the corner from the list.
                self.next[before as usize] = after;
                self.first[point as usize] = if before == at { NO } else { before };
            }
            if at == start {
                break;
            }
            at = after;
        }
    }

    /// Fills the queue with all edges.
    fn fill(&mut self, scratch: &mut Scratch) {
        self.queue.clear();
        let mut edges: Vec<[u32; 2]> = Vec::with_capacity(self.live * 3);
        for ([a, b, c], _) in self.points.iter().zip(&self.alive).filter(|(_, alive)| **alive) {
            edges.extend([[a, b], [b, c], [c, a]].map(|[&a, &b]| [a.min(b), a.max(b)]));
        }
        edges.sort_unstable();
        edges.dedup();
        edges.into_iter().for_each(|edge| self.push(edge, scratch));
    }

    fn push(&mut self, ends: [u32; 2], scratch: &mut Scratch) {
        let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        if let Some(edge) = self.edge(ends, scratch) {
            let versions = ends.map(|point| self.versions[point as usize]);
            self.queue.push(Entry::new(edge.cost, ends, versions));
        }
    }

    /// The cost of collapsing an edge, and the resulting point; `None` if it must not collapse.
    fn edge(&mut self, ends: [u32; 2], scratch: &mut Scratch) -> Option<Edge> {
        let [u, v] = ends;
        if ends.iter().any(|&end| self.valence[end as usize] > MOST_TRIANGLES) {
            return None;
        }
        let Scratch { corners, wedges, pairs, map, group, .. } = scratch;
        for (end, (corners, wedges)) in ends.into_iter().zip(corners.iter_mut().zip(wedges.iter_mut())) {
            self.corners(end, corners);
            wedges.clear();
            for &at in &*corners {
                let wedge = self.wedges[at as usize / 3][at as usize % 3];
                if !wedges.contains(&wedge) {
                    wedges.push(wedge);
                }
            }
        }
        pairs.clear();
        let mut triangles = 0;
        for &at in &corners[0] {
            let triangle = at as usize / 3;
            if let Some(other) = self.points[triangle].iter().position(|&point| point == v) {
                triangles += 1;
                let pair = [self.wedges[triangle][at as usize % 3], self.wedges[triangle][other]];
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
        if triangles == 0 {
            return None;
        }
        // Whether each wedge of one end is paired with exactly one wedge of the other.
        let maps = |from: usize| {
            wedges[from].iter().all(|wedge| pairs.iter().filter(|pair| pair[from] == *wedge).count() == 1)
        };
        let mut may_go = [maps(0), maps(1)];
        let mut is_free = may_go == [true; 2];
        match ends.map(|end| self.is_border[end as usize]) {
            [true, true] if triangles != 1 => may_go = [false; 2],
            [true, false] => may_go[0] = false,
            [false, true] => may_go[1] = false,
            _ => {}
        }
        is_free &= may_go == [true; 2];
        let crosses = self.may > May::Keep && may_go == [false; 2];
        if crosses {
            let part = |wedge: &u32| self.part_of_wedge[*wedge as usize];
            let same_parts = |from: usize| {
                wedges[from]
                    .iter()
                    .all(|wedge| wedges[1 - from].iter().any(|other| part(other) == part(wedge)))
            };
            may_go = [same_parts(0), same_parts(1)];
            is_free = may_go == [true; 2];
        }
        let from = match may_go {
            [true, _] => 0,
            [false, true] => 1,
            [false, false] => return None,
        };
        let [pu, pv] = ends.map(|end| self.positions[end as usize]);
        let mut quadric = self.quadrics[u as usize];
        quadric.add(&self.quadrics[v as usize]);
        let mut best: Option<(f64, usize, DVec3)> = None;
        for from in from..2 {
            if !may_go[from] || from > 0 && is_free {
                continue;
            }
            self.map_into(from, wedges, pairs, map);
            let all = self.without_attributes(quadric, &wedges[1 - from], map, group);
            let stays = if from == 0 { pv } else { pu };
            let mut consider = |place: DVec3| {
                let cost = all.at(place);
                if best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, from, place));
                }
            };
            if is_free && self.to_ends {
                consider(pu);
            } else if is_free {
                let middle = (pu + pv) * 0.5;
                let length = pu.distance_squared(pv);
                let inside = |place: DVec3| {
                    let place = place.clamp(self.surface.low, self.surface.high);
                    (place.distance_squared(middle) <= length).then_some(place)
                };
                consider(all.least(middle).and_then(inside).unwrap_or(middle));
                consider(pu);
            }
            consider(stays);
        }
        let (cost, from, place) = best?;
        if !cost.is_finite() {
            return None;
        }
        // Of edges with equal costs, the short ones come first.
        let cost = cost * if crosses && self.may == May::Cross { CROSSING } else { 1.0 }
            + 1e-9 * pu.distance_squared(pv);
        let [gone, stays] = if from == 0 { [u, v] } else { [v, u] };
        Some(Edge { cost, gone, stays, place, triangles })
    }

    /// The wedge that replaces each wedge of the removed end.
    fn map_into(&self, from: usize, wedges: &[Vec<u32>; 2], pairs: &[[u32; 2]], map: &mut Vec<[u32; 2]>) {
        map.clear();
        for &wedge in &wedges[from] {
            let beside = pairs.iter().find(|pair| pair[from] == wedge).map(|pair| pair[1 - from]);
            let part = |wedge: u32| self.part_of_wedge[wedge as usize];
            let same_part = || wedges[1 - from].iter().copied().find(|&other| part(other) == part(wedge));
            map.extend(beside.or_else(same_part).map(|into| [wedge, into]));
        }
    }

    /// The quadric of a point alone, if each wedge takes the attributes that are best for the point.
    fn without_attributes(
        &self,
        quadric: Quadric,
        wedges: &[u32],
        map: &[[u32; 2]],
        group: &mut Vec<f64>,
    ) -> Quadric {
        let mut quadric = quadric;
        let stride = 1 + 4 * self.attributes;
        if self.attributes == 0 {
            return quadric;
        }
        let sums = |wedge: u32| &self.sums[wedge as usize * stride..][..stride];
        for &wedge in wedges {
            group.clear();
            group.extend_from_slice(sums(wedge));
            for [other, _] in map.iter().filter(|[_, into]| *into == wedge) {
                group.iter_mut().zip(sums(*other)).for_each(|(sum, add)| *sum += add);
            }
            let area = group[0];
            if area <= 0.0 {
                continue;
            }
            for sums in group[1..].as_chunks::<4>().0 {
                let g = DVec3::new(sums[0], sums[1], sums[2]);
                quadric.subtract_plane(g, sums[3], 1.0 / area);
            }
        }
        quadric
    }

    /// Collapses edges until the number of triangles is reached, or no edge may collapse. `leave_out` is called before with the cost
    /// of each edge: it may remove triangles that cost no more.
    pub(super) fn reduce(
        &mut self,
        target: usize,
        leave_out: &mut dyn FnMut(&mut Self, u32),
        budget: &mut Budget,
    ) -> Result<()> {
        let scratch = &mut Scratch::default();
        // A refused edge may become possible after its surroundings changed.
        let mut refused = 0;
        while self.live > target && refused < 2 {
            if self.queue.is_empty() {
                self.fill(scratch);
            }
            let before = self.live;
            while self.live > target {
                let Some(entry) = self.queue.pop() else { break };
                leave_out(self, entry.cost);
                if self.live <= target {
                    self.queue.push(entry);
                    break;
                }
                let Entry { ends, versions, .. } = entry;
                if ends.map(|end| self.versions[end as usize]) == versions {
                    self.collapse(ends, scratch);
                }
                budget.work_or(std::mem::take(&mut self.steps), || super::TOO_LONG.to_owned())?;
            }
            // Edges that were refused may collapse to their ends.
            let is_less = self.live < before;
            refused = if is_less { 0 } else { refused + 1 };
            if self.live > target {
                self.to_ends = !self.to_ends;
            }
        }
        if self.to_ends {
            self.to_ends = false;
            self.queue.clear();
        }
        Ok(())
    }

    /// Discards the evaluations of the edges.
    pub(super) fn forget(&mut self) {
        self.queue.clear();
    }

    fn collapse(&mut self, ends: [u32; 2], scratch: &mut Scratch) {
        let Some(stays) = self.collapse_with(ends, scratch) else { return };
        let mut list = std::mem::take(&mut scratch.around);
        self.corners(stays, &mut list);
        self.mark += 1;
        for &at in &list {
            for point in self.points[at as usize / 3] {
                if point != stays && self.marks[point as usize] != self.mark {
                    self.marks[point as usize] = self.mark;
                    self.push([stays, point], scratch);
                }
            }
        }
        scratch.around = list;
    }

    /// The resulting point; `None` if the edge remains.
    fn collapse_with(&mut self, ends: [u32; 2], scratch: &mut Scratch) -> Option<u32> {
        let Edge { gone, stays, place, triangles, .. } = self.edge(ends, scratch)?;
        let from = usize::from(gone != ends[0]);
        let Scratch { corners, wedges, pairs, map, .. } = scratch;
        self.map_into(from, wedges, pairs, map);
        let [going, staying] = [&corners[from], &corners[1 - from]];
        // The ends must have no common neighbours except the corners of their common triangles.
        if self.may < May::Close {
            self.mark += 2;
            for &at in going {
                for point in self.points[at as usize / 3] {
                    self.marks[point as usize] = self.mark - 1;
                }
            }
            let mut common = 0;
            for &at in staying {
                for point in self.points[at as usize / 3] {
                    let is_first = self.marks[point as usize] == self.mark - 1;
                    if is_first && point != gone && point != stays {
                        self.marks[point as usize] = self.mark;
                        // A hole of three edges closes.
                        let once = |list: &[u32]| {
                            list.iter().filter(|at| self.points[**at as usize / 3].contains(&point)).count()
                                == 1
                        };
                        let is_hole = self.may > May::Keep && triangles == 1 && once(going) && once(staying);
                        let is_edge = |at: &u32| {
                            let points = self.points[*at as usize / 3];
                            points.contains(&point) && points.contains(&stays)
                        };
                        common += usize::from(!is_hole || going.iter().any(is_edge));
                    }
                }
            }
            if common != triangles {
                return None;
            }
        }
        // No triangle may turn over.
        let turned = |list: &[u32], moved: u32, other: u32| {
            list.iter().any(|&at| {
                let points = self.points[at as usize / 3];
                if points.contains(&other) {
                    return false;
                }
                let corners = points.map(|point| self.positions[point as usize]);
                let after =
                    points.map(|point| if point == moved { place } else { self.positions[point as usize] });
                let [was, is] = [corners, after].map(|[a, b, c]| (b - a).cross(c - a));
                let least = if self.may >= May::Turn { 0.0 } else { 0.1 };
                was.dot(is) <= least * was.length() * is.length() && was != DVec3::ZERO
            })
        };
        if turned(going, gone, stays)
            || place != self.positions[stays as usize] && turned(staying, stays, gone)
        {
            return None;
        }
        // Each part must keep a triangle.
        let shared =
            || going.iter().map(|at| *at as usize / 3).filter(|&at| self.points[at].contains(&stays));
        let part = |at: usize| self.surface.triangles[at].part as usize;
        let is_last =
            |at: usize| self.live_of_part[part(at)] <= shared().filter(|&o| part(o) == part(at)).count();
        if shared().any(is_last) {
            return None;
        }
        for at in shared().collect::<Vec<_>>() {
            self.remove(at);
        }
        let stride = 1 + 4 * self.attributes;
        for &[wedge, into] in &*map {
            for number in 0..stride {
                self.sums[into as usize * stride + number] += self.sums[wedge as usize * stride + number];
            }
        }
        for &at in going {
            let (triangle, corner) = (at as usize / 3, at as usize % 3);
            self.points[triangle][corner] = stays;
            let wedge = &mut self.wedges[triangle][corner];
            *wedge = map.iter().find(|[from, _]| from == wedge).map_or(*wedge, |[_, into]| *into);
        }
        // Exchanging two links joins two circular lists.
        let [mine, theirs] = [stays, gone].map(|point| self.first[point as usize]);
        if mine == NO {
            self.first[stays as usize] = theirs;
        } else if theirs != NO {
            self.next.swap(mine as usize, theirs as usize);
        }
        self.first[gone as usize] = NO;
        let quadric = self.quadrics[gone as usize];
        self.quadrics[stays as usize].add(&quadric);
        self.is_border[stays as usize] |= self.is_border[gone as usize];
        self.valence[stays as usize] += self.valence[gone as usize];
        self.positions[stays as usize] = place;
        for point in [gone, stays] {
            self.versions[point as usize] += 1;
        }
        Some(stays)
    }

    pub(super) fn remove(&mut self, triangle: usize) {
        self.alive[triangle] = false;
        self.live -= 1;
        self.live_of_part[self.surface.triangles[triangle].part as usize] -= 1;
        for point in self.points[triangle] {
            self.valence[point as usize] -= 1;
        }
    }
}
