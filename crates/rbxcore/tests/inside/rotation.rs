//! Tests of private items of `src/rotation.rs`, which includes this file as a module.

use super::*;

/// The id of each of the 24 rotations, and a quaternion with the same rotation.
#[test]
fn every_rotation_between_axes() {
    let all: Vec<(u8, Mat3)> = (0..=u8::MAX).filter_map(|id| Some((id, matrix(id)?))).collect();
    assert_eq!((all.len(), all.last().map(|(id, _)| *id)), (24, Some(35)));
    for (id, matrix) in all {
        assert_eq!(super::id(&matrix), Some(id));
        let Quat { x, y, z, w } = quaternion(id).expect("a rotation");
        let turned = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        for (ours, theirs) in turned.as_flattened().iter().zip(matrix.to_rows()) {
            assert!((ours - theirs).abs() < 1e-6, "{id}: {turned:?} {matrix:?}");
        }
    }
}
