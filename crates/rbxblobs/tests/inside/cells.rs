//! Tests of private items of `src/terrain/surface/cells.rs`, which compiles them by their path.

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

/// One corner, two at the ends of a diagonal of the cell, two of a face, all.
#[test]
fn rings_by_hand() {
    let count = |inside: usize| RINGS[inside].count;
    assert_eq!([0, 0b1, 0b1000_0001, 0b1001, 0b11, 0xff].map(count), [0, 1, 2, 2, 1, 0]);
    // Two outside corners of a face: one ring through them, which goes through the face twice.
    let rings = RINGS[0b1111_0110];
    assert_eq!((rings.count, rings.twice), (1, 1 << 4));
}
