//! Connected sets of points (union-find): each point has a parent, or is the representative of its set.

/// The representative of a point's set.
pub(crate) fn root(above: &mut [u32], mut point: u32) -> u32 {
    while above[point as usize] != point {
        let next = above[above[point as usize] as usize];
        above[point as usize] = next;
        point = next;
    }
    point
}
