//! Tests of private items of `src/terrain/surface/cells.rs`, which includes this file as a module.

use super::*;

#[test]
fn edges_and_faces() {
    for number in 0..6 {
        let face = face(number);
        for (index, &(corner, edge)) in face.iter().enumerate() {
            let mut wanted = [corner, face[(index + 1) % 4].0];
            wanted.sort_unstable();
            assert_eq!(ends(edge), wanted, "face {number}");
            assert_eq!(corner >> (number / 2) & 1, number % 2);
        }
    }
}

/// The numbers of rings for no corner inside, one, two at opposite ends of the cell, two on a diagonal of a face, two
/// on an edge, and all.
#[test]
fn rings_by_hand() {
    let count = |inside: usize| RINGS[inside].count;
    assert_eq!([0, 0b1, 0b1000_0001, 0b1001, 0b11, 0xff].map(count), [0, 1, 2, 2, 1, 0]);
    // If only two diagonal corners of a face are outside, a single ring goes through that face twice.
    let rings = RINGS[0b1111_0110];
    assert_eq!((rings.count, rings.twice), (1, 1 << 4));
}
