//! Tests of private items; the source file that they test includes this file as a module.

use slmesh::joints::{self, JointKind};

use super::*;

#[test]
fn scale_and_turn_are_found() {
    let bones = joints::ALL.iter().filter(|joint| joint.kind == JointKind::Bone);
    let bones: Vec<Vec3> = bones.map(|joint| Vec3::from_array(joint.position)).collect();
    for (axis, degrees, scale) in
        [(Vec3::Z, 90.0_f32, 1.5), (Vec3::X, -90.0, 100.0), (Vec3::Z, 180.0, 0.01), (Vec3::Z, 60.0, 1.0)]
    {
        let turn = Quat::from_axis_angle(axis, degrees.to_radians());
        let pairs: Vec<_> =
            bones.iter().map(|bone| (*bone, turn * *bone * scale + Vec3::new(3.0, 4.0, 5.0))).collect();
        let found = fitted(&pairs).expect("many");
        assert!((found.scale / scale - 1.0).abs() < 1e-3, "{found:?}");
        assert!(found.turn.angle_between(turn) < 0.001, "{found:?}, {degrees}");
    }
    // Points on a line, which do not determine the rotation about it.
    let line: Vec<_> = (0..4_u8).map(|n| (Vec3::Z * f32::from(n), Vec3::X * f32::from(n) * 2.0)).collect();
    let found = fitted(&line).expect("a line");
    assert!((found.scale - 2.0).abs() < 1e-4 && (found.turn * Vec3::Z - Vec3::X).length() < 1e-2);
    assert!(fitted(&line[..1]).is_none() && fitted(&[]).is_none());
}
