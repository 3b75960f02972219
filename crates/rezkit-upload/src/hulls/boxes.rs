//! Exact decomposition of shapes that consist of boxes along the axes, as most walls do.

use glam::DVec3;

use crate::bvh::Bvh;

/// Maximum number of cells of the grid through the sides of a shape.
const CELLS: usize = 20_000;
/// Maximum number of cells from which the largest box is searched each time.
const FEW: usize = 500;
/// Maximum number of boxes: shapes with more are cut in the usual way.
const MOST: usize = 64;
/// The orders of the axes in which boxes grow.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The corners of the boxes that a closed shape consists of; `None` if its sides are not along the axes, or there are
/// too many.
pub(super) fn boxes(corners: &[[DVec3; 3]], solid: &Bvh) -> Option<Vec<[DVec3; 2]>> {
    let is_along = |&[a, b, c]: &[DVec3; 3]| {
        let normal = (b - a).cross(c - a).abs();
        normal.element_sum() - normal.max_element() <= normal.max_element() * 1e-6
    };
    if !corners.iter().all(is_along) {
        return None;
    }
    let [low, high] = solid.bounds()?;
    let least = (high - low).max_element() * 1e-6;
    let planes: [Vec<f64>; 3] = std::array::from_fn(|axis| {
        let mut planes: Vec<f64> = corners.iter().flatten().map(|corner| corner[axis]).collect();
        planes.sort_by(f64::total_cmp);
        planes.dedup_by(|next, first| *next - *first <= least);
        planes
    });
    let count: [usize; 3] = std::array::from_fn(|axis| planes[axis].len().saturating_sub(1));
    let cells = count.iter().try_fold(1_usize, |all, count| all.checked_mul(*count))?;
    if cells == 0 || cells > CELLS {
        return None;
    }
    let index = |cell: [usize; 3]| (cell[2] * count[1] + cell[1]) * count[0] + cell[0];
    let of_index = |at: usize| [at % count[0], at / count[0] % count[1], at / count[0] / count[1]];
    let corner = |cell: [usize; 3]| DVec3::from_array(std::array::from_fn(|axis| planes[axis][cell[axis]]));
    let middle = |cell: [usize; 3]| (corner(cell) + corner(cell.map(|at| at + 1))) * 0.5;
    let is_solid: Vec<bool> = (0..cells).map(|at| solid.is_inside(middle(of_index(at)))).collect();
    // Grows a box from a cell along the axes in an order.
    let grown = |left: &[bool], first: [usize; 3], order: [usize; 3]| {
        let mut end = first.map(|at| at + 1);
        for axis in order {
            while end[axis] < count[axis] {
                let (mut from, mut to) = (first, end);
                (from[axis], to[axis]) = (end[axis], end[axis] + 1);
                if !all_between(from, to).all(|cell| left[index(cell)]) {
                    break;
                }
                end[axis] += 1;
            }
        }
        end
    };
    let in_order = |order: [usize; 3]| {
        let mut left = is_solid.clone();
        let mut found = Vec::new();
        for first in (0..cells).map(of_index) {
            if left[index(first)] {
                let end = grown(&left, first, order);
                all_between(first, end).for_each(|cell| left[index(cell)] = false);
                found.push([corner(first), corner(end)]);
            }
        }
        found
    };
    let largest_first = || {
        let mut left = is_solid.clone();
        let mut found = Vec::new();
        while found.len() <= MOST {
            let starts = (0..cells).filter(|&at| left[at]).map(of_index);
            let all = starts.flat_map(|first| ORDERS.map(|order| (first, grown(&left, first, order))));
            let volume =
                |&(first, end): &([usize; 3], [usize; 3])| (corner(end) - corner(first)).element_product();
            let Some((first, end)) = all.max_by(|a, b| volume(a).total_cmp(&volume(b))) else { break };
            all_between(first, end).for_each(|cell| left[index(cell)] = false);
            found.push([corner(first), corner(end)]);
        }
        found
    };
    let few = (cells <= FEW).then(largest_first);
    let best = ORDERS.into_iter().map(in_order).chain(few).min_by_key(Vec::len)?;
    (best.len() <= MOST).then_some(best)
}

/// The cells of a box.
fn all_between(from: [usize; 3], to: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let rows = (from[2]..to[2]).flat_map(move |z| (from[1]..to[1]).map(move |y| [y, z]));
    rows.flat_map(move |[y, z]| (from[0]..to[0]).map(move |x| [x, y, z]))
}
