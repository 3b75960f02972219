//! What is so far from everything else that a picture of all would show nothing.

use glam::Vec3;

/// A box; `None` for what has no finite point.
pub(crate) type Bounds = Option<[Vec3; 2]>;

/// How many times the size of the rest the gap to it is.
const FAR: f32 = 2.0;

/// One of this number of things may be far away.
pub(crate) const FEW: usize = 5;

/// How often something is left out, each time of what is left: the most clusters that are found.
const ROUNDS: usize = 12;

pub(crate) fn union(a: Bounds, b: Bounds) -> Bounds {
    match (a, b) {
        (Some([a, b]), Some([c, d])) => Some([a.min(c), b.max(d)]),
        (bounds, None) | (None, bounds) => bounds,
    }
}

/// Which of the boxes are far away: along an axis there is a gap between them and the rest, which is at least four fifths of
/// all, and the gap is twice as large as the rest.
pub(crate) fn outliers(boxes: &[Bounds]) -> Vec<bool> {
    let mut outside = vec![false; boxes.len()];
    let mut kept: Vec<(usize, [Vec3; 2])> =
        boxes.iter().enumerate().filter_map(|(index, bounds)| Some((index, (*bounds)?))).collect();
    let few = kept.len() / FEW;
    for _ in 0..ROUNDS {
        let Some((from, to)) = (0..3).find_map(|axis| rest(&mut kept, axis, few)) else { break };
        kept.drain(to..).for_each(|(index, _)| outside[index] = true);
        kept.drain(..from).for_each(|(index, _)| outside[index] = true);
    }
    outside
}

/// Sorts the boxes along an axis; the range of those that are left where a few are far away.
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
