//! The rules of the skin.

use std::collections::HashSet;

use super::rules::{
    ALT_MATRICES, BIND_MATRICES, BIND_ROTATION, BIND_SHAPE, JOINT_COUNT, JOINT_NAME, JOINT_TWICE, JOINTS,
    MATRIX_FINITE,
};
use super::values;
use crate::consts::{MAX_JOINTS, joints};
use crate::model::Skin;
use geom::wire::{Findings, found, report};

/// How much each component of the bind shape's quaternion may differ from that of the identity.
const BIND_TOLERANCE: f64 = 0.01;

pub(super) fn check(skin: &Skin, findings: &mut Findings) {
    values::left_over::<Skin>("skin", &skin.extra, findings);
    names(skin, findings);
    let joints = skin.joint_names.len();
    let count = skin.inverse_bind_matrices.len();
    if count != joints {
        found!(
            findings,
            BIND_MATRICES,
            "skin.inverse_bind_matrices",
            "expected one matrix per joint (joints: {joints}), found {count}"
        );
    }
    let count = skin.alt_inverse_bind_matrices.len();
    if count != 0 && count != joints {
        found!(
            findings,
            ALT_MATRICES,
            "skin.alt_inverse_bind_matrices",
            "expected one matrix per joint (joints: {joints}) or none, found {count}"
        );
    }
    match &skin.bind_shape_matrix {
        None => {
            findings.add(BIND_SHAPE, || ("skin.bind_shape_matrix".into(), "the matrix is missing".into()))
        }
        Some(matrix) if is_rotated(matrix) => {
            findings.add(BIND_ROTATION, || {
                ("skin.bind_shape_matrix".into(), "the matrix contains a rotation".into())
            });
        }
        Some(_) => {}
    }
    let mut finite = |path: &dyn Fn() -> String, matrix: &[f64; 16]| {
        if let Some(number) = matrix.iter().find(|number| !number.is_finite()) {
            findings.add(MATRIX_FINITE, || (path(), format!("the matrix contains {number}")));
        }
    };
    skin.bind_shape_matrix.iter().for_each(|matrix| finite(&|| "skin.bind_shape_matrix".into(), matrix));
    let lists = [
        ("inverse_bind_matrices", &skin.inverse_bind_matrices),
        ("alt_inverse_bind_matrices", &skin.alt_inverse_bind_matrices),
    ];
    for (name, matrices) in lists {
        for (index, matrix) in matrices.iter().enumerate() {
            finite(&|| format!("skin.{name}[{index}]"), matrix);
        }
    }
}

fn names(skin: &Skin, findings: &mut Findings) {
    let count = skin.joint_names.len();
    report!(findings, count == 0, JOINTS, "skin.joint_names", "the skin has no joints");
    if count > MAX_JOINTS {
        found!(
            findings,
            JOINT_COUNT,
            "skin.joint_names",
            "expected at most {MAX_JOINTS} joints, found {count}"
        );
    }
    let mut seen = HashSet::new();
    for (index, name) in skin.joint_names.iter().enumerate() {
        let at = || format!("skin.joint_names[{index}]");
        if name.as_str().and_then(joints::find).is_none() {
            findings.add(JOINT_NAME, || (at(), format!("the avatar has no joint with the name {name:?}")));
        }
        report!(findings, !seen.insert(name), JOINT_TWICE, at(), "duplicate joint {name:?}");
    }
}

/// Whether the linear part rotates, apart from scale.
fn is_rotated(matrix: &[f64; 16]) -> bool {
    let row = |row: usize| {
        let [x, y, z] = [matrix[row * 4], matrix[row * 4 + 1], matrix[row * 4 + 2]];
        let length = (x * x + y * y + z * z).sqrt();
        [x / length, y / length, z / length]
    };
    let [a, b, c] = [row(0), row(1), row(2)];
    // The quaternion of the rotation: 2w is the root of 1 and the trace.
    let w = (1.0 + a[0] + b[1] + c[2]).max(0.0).sqrt() / 2.0;
    let [x, y, z] = [b[2] - c[1], c[0] - a[2], a[1] - b[0]].map(|n| n / (4.0 * w));
    let near = |n: f64, to: f64| (n - to).abs() <= BIND_TOLERANCE;
    // A matrix from which no rotation follows, such as all zeros, has no wrong one.
    let known = [a, b, c].as_flattened().iter().all(|n| n.is_finite());
    known && !(near(w, 1.0) && near(x, 0.0) && near(y, 0.0) && near(z, 0.0))
}
