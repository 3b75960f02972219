//! Finds parts so far from everything else that a picture of all would show nothing.

use glam::Vec3;

/// A box; `None` for what has no finite point.
pub(crate) type Bounds = Option<[Vec3; 2]>;

/// The size of the gap, relative to the rest.
const FAR: f32 = 2.0;

/// At most one in this number of things may be far away.
pub(crate) const FEW: usize = 5;

/// The maximum number of rounds, each of which leaves something out: the most clusters found.
const ROUNDS: usize = 12;

pub(crate) fn union(a: Bounds, b: Bounds) -> Bounds {
    match (a, b) {
        (Some([a, b]), Some([c, d])) => Some([a.min(c), b.max(d)]),
        (bounds, None) | (None, bounds) => bounds,
    }
}

/// Finds the boxes that are far away: along an axis there is a gap between them and the rest, which is at least
/// four fifths of all, and the gap is twice as large as the rest. Beams more than twice as long as the rest are far
/// away, too.
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

/// Finds the boxes that are ground: flat, below the rest or around its lower half, and more than twice as wide and
/// deep.
pub(crate) fn ground(boxes: &[Bounds], outside: &[bool]) -> Vec<bool> {
    let mut ground = vec![false; boxes.len()];
    let is_in = |index: usize| !outside.get(index).copied().unwrap_or(false);
    let mut framed: Vec<_> = boxes
        .iter()
        .enumerate()
        .filter_map(|(index, of)| Some((index, (*of)?)).filter(|_| is_in(index)))
        .collect();
    let area = |[min, max]: &[Vec3; 2]| (max.x - min.x) * (max.z - min.z);
    framed.sort_by(|(_, a), (_, b)| area(a).total_cmp(&area(b)));
    let join = |all: &mut Bounds, (_, of): &(usize, [Vec3; 2])| {
        let before = *all;
        *all = union(*all, Some(*of));
        Some(before)
    };
    let before: Vec<Bounds> = framed.iter().scan(None, join).collect();
    for ((index, [min, max]), rest) in framed.iter().zip(before).rev() {
        let Some([low, high]) = rest else { break };
        let (size, rest) = (max - min, high - low);
        let is_flat = size.y * FLAT < size.x.min(size.z);
        let is_below = max.y <= f32::midpoint(low.y, high.y);
        if !(is_flat && is_below && size.x > FAR * rest.x && size.z > FAR * rest.z) {
            break;
        }
        ground[*index] = true;
    }
    ground
}

/// Sorts the boxes by length; returns the number without a few that reach far beyond all others in one direction.
/// What is as large in two directions is ground or sky.
fn without_beams(kept: &mut [(usize, [Vec3; 2])], few: usize) -> Option<usize> {
    let length = |[min, max]: &[Vec3; 2]| (*max - *min).max_element();
    let width = |[min, max]: &[Vec3; 2]| {
        let mut sizes = (*max - *min).to_array();
        sizes.sort_by(f32::total_cmp);
        sizes[1]
    };
    kept.sort_by(|(_, a), (_, b)| length(a).total_cmp(&length(b)));
    // After some rounds, a few may be all that remain.
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
    kept.sort_by(|(_, a), (_, b)| a[0][axis].total_cmp(&b[0][axis]));
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
mod tests {
    use super::*;

    fn at(x: f32, y: f32, size: f32) -> Bounds {
        Some([Vec3::new(x, y, 0.0), Vec3::new(x + size, y + size, size)])
    }

    fn found(boxes: &[Bounds]) -> Vec<usize> {
        outliers(boxes).iter().enumerate().filter_map(|(index, is)| is.then_some(index)).collect()
    }

    #[test]
    fn few_and_far() {
        let mut boxes: Vec<_> = (0..20).map(|index| at(index as f32, 0.0, 1.0)).collect();
        assert!(found(&boxes).is_empty());
        // A gap of less than twice the rest, and one of more.
        boxes.push(at(59.0, 0.0, 1.0));
        assert!(found(&boxes).is_empty());
        boxes[20] = at(61.0, 0.0, 1.0);
        assert_eq!(found(&boxes), [20]);
        // In several directions, and what has no points.
        boxes.extend([at(0.0, -5000.0, 100.0), None, at(0.0, 1e30, 1.0)]);
        assert_eq!(found(&boxes), [20, 21, 23]);
    }

    /// A beam into the sky is left out with the points that it reached; a wall as long as the rest and a baseplate stay.
    #[test]
    fn beams() {
        let mut boxes: Vec<_> = (0..20).map(|index| at(index as f32, 0.0, 1.0)).collect();
        let of = |x: f32, y: f32, z: f32| Some([Vec3::new(-x, -y, -z), Vec3::new(x, y, z)]);
        boxes.extend([of(15.0, 1.0, 1.0), of(5000.0, 0.5, 5000.0)]);
        assert!(found(&boxes).is_empty());
        boxes[21] = None;
        boxes.extend([of(1.0, 20_000.0, 1.0), of(1.0, 1.0, 9000.0)]);
        assert_eq!(found(&boxes), [22, 23]);
    }

    /// Each of which is ten times as long as the one before: round after round takes the longest, until fewer than a few are left.
    #[test]
    fn beams_of_every_length() {
        let of = |length: f32| Some([Vec3::ZERO, Vec3::new(length, 0.1, 0.1)]);
        let boxes: Vec<_> = (0..10).map(|at| of(10_f32.powi(at))).collect();
        assert!(!found(&boxes).contains(&0));
    }

    /// A plate below some things, and a wider one below that; alone, a plate is what there is.
    #[test]
    fn plates() {
        let plate = |size: f32, y: f32| Some([Vec3::new(-size, y - 1.0, -size), Vec3::new(size, y, size)]);
        let boxes = [plate(500.0, 0.0), at(0.0, 0.0, 5.0), at(7.0, 0.0, 3.0), plate(2000.0, -1.0), None];
        assert_eq!(ground(&boxes, &[]), [true, false, false, true, false]);
        assert_eq!(ground(&boxes[..1], &[]), [false]);
        // Not a roof, and not a floor as large as the model on it.
        assert_eq!(ground(&[plate(500.0, 20.0), at(0.0, 0.0, 5.0)], &[]), [false, false]);
        assert_eq!(ground(&[plate(4.0, 0.0), at(0.0, 0.0, 5.0)], &[]), [false, false]);
    }

    /// Half of everything is not few, and neither is one of four.
    #[test]
    fn many_are_no_outliers() {
        let boxes: Vec<_> = (0..20).map(|index| at(if index < 10 { 0.0 } else { 1e6 }, 0.0, 1.0)).collect();
        assert!(found(&boxes).is_empty());
        assert!(
            found(&[at(0.0, 0.0, 1.0), at(1.0, 0.0, 1.0), at(2.0, 0.0, 1.0), at(1e6, 0.0, 1.0)]).is_empty()
        );
    }
}
