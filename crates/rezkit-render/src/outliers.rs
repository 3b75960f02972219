//! Finds parts that are so far from the rest that a picture of all would show nothing.

use glam::Vec3;

/// The corners of a box; `None` for a part without finite points.
pub(crate) type Bounds = Option<[Vec3; 2]>;

/// The minimum size of the gap, relative to the rest.
const FAR: f32 = 2.0;

/// At most one in this number of parts may be far away.
pub(crate) const FEW: usize = 5;

/// The maximum number of rounds, each of which leaves out a cluster of parts.
const ROUNDS: usize = 12;

pub(crate) fn union(a: Bounds, b: Bounds) -> Bounds {
    match (a, b) {
        (Some([a, b]), Some([c, d])) => Some([a.min(c), b.max(d)]),
        (bounds, None) | (None, bounds) => bounds,
    }
}

/// Finds the boxes that are far away: along an axis, the gap between them and the rest is at least twice as large as
/// the rest, which is at least four fifths of all boxes. Beams more than twice as long as the rest count as far away,
/// too.
pub(crate) fn outliers(boxes: &[Bounds]) -> Vec<bool> {
    let mut outside = vec![false; boxes.len()];
    let mut kept: Vec<(usize, [Vec3; 2])> =
        boxes.iter().enumerate().filter_map(|(index, bounds)| Some((index, (*bounds)?))).collect();
    let few = kept.len() / FEW;
    for _ in 0..ROUNDS {
        let beams = without_beams(&mut kept, few).map(|to| (0, to));
        let found = beams.or_else(|| (0..3).find_map(|axis| rest(&mut kept, axis, few)));
        let Some((from, to)) = found else { break };
        kept.drain(to..).for_each(|(index, _)| outside[index] = true);
        kept.drain(..from).for_each(|(index, _)| outside[index] = true);
    }
    outside
}

/// The ratio of length to height of a ground plate.
const FLAT: f32 = 10.0;

/// Finds the boxes that are ground: flat, below the rest or around its lower half, and more than twice as wide and deep
/// as the rest. Several plates may lie on each other; if all boxes are flat, the largest may be ground.
pub(crate) fn ground(boxes: &[Bounds], outside: &[bool]) -> Vec<bool> {
    let mut ground = vec![false; boxes.len()];
    let is_in = |index: usize| !outside.get(index).copied().unwrap_or(false);
    let mut framed: Vec<_> = boxes
        .iter()
        .enumerate()
        .filter_map(|(index, of)| of.filter(|_| is_in(index)).map(|of| (index, of)))
        .collect();
    let area = |[min, max]: &[Vec3; 2]| (max.x - min.x) * (max.z - min.z);
    geom::sort::by(&mut framed, |(_, a), (_, b)| area(a).total_cmp(&area(b)));
    let join = |all: &mut Bounds, (_, of): &(usize, [Vec3; 2])| {
        let before = *all;
        *all = union(*all, Some(*of));
        Some(before)
    };
    let before: Vec<Bounds> = framed.iter().scan(None, join).collect();
    let (mut plates, mut width, mut depth, mut top) = (0, f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY);
    let is_flat = |size: Vec3| size.y * FLAT < size.x.min(size.z);
    let all_flat = framed.iter().all(|(_, [min, max])| is_flat(max - min));
    for (count, ((_, [min, max]), rest)) in (1..).zip(framed.iter().zip(before).rev()) {
        let (size, Some([low, high])) = (max - min, rest) else { break };
        (width, depth, top) = (width.min(size.x), depth.min(size.z), top.max(max.y));
        let is_below = top <= f32::midpoint(low.y, high.y);
        let rest = (high - low) * FAR;
        match is_below && width > rest.x && depth > rest.z {
            _ if !is_flat(size) => break,
            true => plates = count,
            false if all_flat => break,
            false => {}
        }
    }
    framed.iter().rev().take(plates).for_each(|(index, _)| ground[*index] = true);
    ground
}

/// Sorts the boxes by length; returns the number of boxes without a few that reach far beyond all others in one
/// direction. A box that is as large in two directions is ground or sky, and is kept.
fn without_beams(kept: &mut [(usize, [Vec3; 2])], few: usize) -> Option<usize> {
    let length = |[min, max]: &[Vec3; 2]| (*max - *min).max_element();
    let width = |[min, max]: &[Vec3; 2]| {
        let mut sizes = (*max - *min).to_array();
        sizes.sort_by(f32::total_cmp);
        sizes[1]
    };
    geom::sort::by(kept, |(_, a), (_, b)| length(a).total_cmp(&length(b)));
    // After some rounds, fewer than `few` boxes may remain.
    let first = kept.len().checked_sub(few)?;
    let mut widest = vec![0.0_f32; few];
    let mut most = 0.0_f32;
    for (widest, (_, of)) in widest.iter_mut().zip(&kept[first..]).rev() {
        most = most.max(width(of));
        *widest = most;
    }
    let mut rest = kept[..first].iter().fold(None, |bounds, (_, of)| union(bounds, Some(*of)));
    (first..kept.len()).find(|&at| {
        let (_, of) = &kept[at];
        let size = rest.as_ref().map_or(f32::INFINITY, length);
        let is_found = length(of) > FAR * size && widest[at - first] < size;
        rest = union(rest, Some(*of));
        is_found
    })
}

/// Sorts the boxes along an axis; returns the range without a few that are far away.
fn rest(kept: &mut [(usize, [Vec3; 2])], axis: usize, few: usize) -> Option<(usize, usize)> {
    geom::sort::by(kept, |(_, a), (_, b)| a[0][axis].total_cmp(&b[0][axis]));
    let count = kept.len();
    let join = |bounds: &mut Bounds, of: &[Vec3; 2]| {
        *bounds = union(*bounds, Some(*of));
        Some(*bounds)
    };
    let before: Vec<Bounds> = kept.iter().map(|(_, of)| of).scan(None, join).collect();
    let mut after: Vec<Bounds> = kept.iter().rev().map(|(_, of)| of).scan(None, join).collect();
    after.reverse();
    let size = |[min, max]: [Vec3; 2]| (max - min).max_element();
    (1..count).find_map(|at| {
        let (left, right) = (before[at - 1]?, after[at]?);
        let gap = right[0][axis] - left[1][axis];
        if at <= few && gap > FAR * size(right) {
            Some((at, count))
        } else if count - at <= few && gap > FAR * size(left) {
            Some((0, at))
        } else {
            None
        }
    })
}

#[cfg(test)]
#[path = "../tests/inside/outliers.rs"]
mod tests;
