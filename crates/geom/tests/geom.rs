//! Values worked out by hand.

use geom::{Aabb, Mat3, Mat4, TriMesh, Vec2, Vec3, Vec4};

#[test]
fn rows_and_columns_are_told_apart() {
    let m = Mat3::from_rows([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    assert_eq!(m.y_axis, Vec3::new(2.0, 5.0, 8.0));
    assert_eq!(<[f32; 9]>::from(m), [1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.0]);
    assert_eq!(Mat3::from(<[f32; 9]>::from(m)), m);
    assert_eq!(m.to_rows(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
}

#[test]
fn a_quarter_turn_and_a_step() {
    // x goes to y, y to -x: a quarter turn about z; then one step along x.
    let turn = Mat3::from_rows([0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let m = Mat4::from_translation(Vec3::new(1.0, 0.0, 0.0)) * Mat4::from_parts(turn, Vec3::default());
    assert_eq!(m.transform_point(Vec3::new(2.0, 0.0, 5.0)), Vec3::new(1.0, 2.0, 5.0));
    assert_eq!(m.linear(), turn);
    // The other order turns the step as well.
    let other = Mat4::from_parts(turn, Vec3::default()) * Mat4::from_translation(Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(other.translation(), Vec3::new(0.0, 1.0, 0.0));
    assert_eq!((turn * turn).x_axis, Vec3::new(-1.0, 0.0, 0.0));
    assert_eq!(Mat4::from(<[f32; 16]>::from(m)), m);
    assert_eq!(m.w_axis, Vec4::new(1.0, 0.0, 0.0, 1.0));
}

#[test]
fn normalize_refuses_what_has_no_direction() {
    assert_eq!(Vec3::new(3.0, 0.0, 4.0).normalize(), Some(Vec3::new(0.6, 0.0, 0.8)));
    for bad in [0.0, f32::NAN, f32::INFINITY, 1e-42] {
        assert_eq!(Vec3::new(bad, 0.0, 0.0).normalize(), None, "{bad}");
    }
}

#[test]
fn bounds() {
    assert_eq!(Aabb::from_points([]), None);
    let b = Aabb::from_points([Vec3::new(1.0, -2.0, 3.0), Vec3::new(f32::NAN, 4.0, 0.0)]).unwrap();
    assert_eq!((b.min, b.max), (Vec3::new(1.0, -2.0, 0.0), Vec3::new(1.0, 4.0, 3.0)));
    assert_eq!((b.size().y, b.center().y), (6.0, 1.0));
}

#[test]
fn a_mesh_is_consistent_or_not() {
    let mut mesh =
        TriMesh { positions: vec![Vec3::default(); 3], triangles: vec![[0, 1, 2]], ..TriMesh::default() };
    assert!(mesh.is_consistent());
    mesh.uvs.push(Vec2::default());
    assert!(!mesh.is_consistent());
    mesh.uvs.clear();
    mesh.triangles.push([0, 1, 3]);
    assert!(!mesh.is_consistent());
}

#[cfg(feature = "mint")]
#[test]
fn mint_keeps_columns_and_the_real_part() {
    let m = Mat3::from_rows([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    let theirs = mint::ColumnMatrix3::from(m);
    assert_eq!((theirs.x.y, theirs.y.x), (4.0, 2.0));
    assert_eq!(Mat3::from(theirs), m);
    let q = geom::Quat::new(1.0, 2.0, 3.0, 4.0);
    let theirs = mint::Quaternion::from(q);
    assert_eq!((theirs.s, theirs.v.z), (4.0, 3.0));
    assert_eq!(geom::Quat::from(theirs), q);
}

#[cfg(feature = "serde")]
#[test]
fn serde_names_the_fields() {
    let v = Vec3::new(1.0, 2.5, -3.0);
    let text = serde_json::to_string(&v).unwrap();
    assert_eq!(text, r#"{"x":1.0,"y":2.5,"z":-3.0}"#);
    assert_eq!(serde_json::from_str::<Vec3>(&text).unwrap(), v);
}
