//! Values worked out by hand.

use geom::{Aabb, CFrame, Mat3, Mat4, Quat, TriMesh, Vec2, Vec3, Vec4};

#[test]
fn rows_and_columns_are_told_apart() {
    let m = Mat3::from_rows([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    assert_eq!(m.y_axis, Vec3::new(2.0, 5.0, 8.0));
    assert_eq!(m.to_columns(), [1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.0]);
    assert_eq!(Mat3::from_columns(m.to_columns()), m);
    assert_eq!(m.to_rows(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    assert_eq!(m.transpose().to_rows(), m.to_columns());
    let counted: [f32; 16] = std::array::from_fn(|i| i as f32);
    assert_eq!(Mat4::from_columns(counted).w_axis, Vec4::new(12.0, 13.0, 14.0, 15.0));
    assert_eq!(Mat4::from_rows(counted).w_axis, Vec4::new(3.0, 7.0, 11.0, 15.0));
    assert_eq!(Mat4::from_rows(counted).to_rows(), counted);
}

#[test]
fn inverses() {
    // 2 0 1 / 0 4 0 / 1 0 1 has the determinant 4. In the second matrix, the first pivot is not on the diagonal.
    let m = Mat3::from_rows([2.0, 0.0, 1.0, 0.0, 4.0, 0.0, 1.0, 0.0, 1.0]);
    let inverse = Mat3::from_rows([1.0, 0.0, -1.0, 0.0, 0.25, 0.0, -1.0, 0.0, 2.0]);
    assert_eq!(m.inverse(), Some(inverse));
    let swap = Mat3::from_rows([0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(swap.inverse(), Some(swap.transpose()));
    let moved = Mat4::from_parts(m, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(moved.inverse().unwrap().translation(), Vec3::new(2.0, -0.5, -5.0));
    assert_eq!(moved * moved.inverse().unwrap(), Mat4::IDENTITY);
    // The determinant, 1e-60, underflows in 32 bits; the inverse does not.
    let tiny = Mat3::from_rows([1e-20, 0.0, 0.0, 0.0, 1e-20, 0.0, 0.0, 0.0, 1e-20]);
    assert_eq!(tiny.inverse().unwrap().x_axis.x, 1e20);
    let rank_two = Mat3::from_rows([1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 0.0, 1.0]);
    for singular in [rank_two, Mat3::from_rows([0.0; 9]), Mat3::from_rows([f32::NAN; 9])] {
        assert_eq!(singular.inverse(), None);
    }
    assert_eq!(Mat3::from_rows([1e-40, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).inverse(), None);
}

#[test]
fn the_default_rotation_changes_nothing() {
    assert_eq!(Quat::default(), Quat::new(0.0, 0.0, 0.0, 1.0));
    assert_eq!((Mat3::default(), Mat4::default()), (Mat3::IDENTITY, Mat4::IDENTITY));
    assert_eq!(Mat4::IDENTITY.to_rows().iter().sum::<f32>(), 4.0);
    assert_eq!(Mat4::IDENTITY.linear(), Mat3::IDENTITY);
}

/// A square of two triangles, and one triangle perpendicular to it; all three share vertex 0.
fn corner() -> TriMesh {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]];
    TriMesh {
        positions: points.map(Vec3::from).to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3], [0, 4, 1]],
        ..TriMesh::default()
    }
}

#[test]
fn normals_by_area_and_by_angle() {
    let mesh = corner();
    // Twice the areas: 1 + 1 upwards, 3 along y. The angles: 45 + 45 degrees upwards, 90 degrees along y.
    let by_area = mesh.area_weighted_normals();
    let unit = 13.0_f32.sqrt();
    assert_eq!(by_area[0], Vec3::new(0.0, 3.0 / unit, 2.0 / unit));
    let by_angle = mesh.angle_weighted_normals();
    let half = 0.5_f32.sqrt();
    assert!((by_angle[0] - Vec3::new(0.0, half, half)).length() < 1e-6, "{:?}", by_angle[0]);
    assert_eq!((by_area[3], by_angle[3]), (Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.0, 0.0, 1.0)));
}

#[test]
fn normals_of_broken_meshes() {
    let mut mesh = corner();
    mesh.positions.push(Vec3::default());
    mesh.positions.push(Vec3::new(f32::NAN, 0.0, 0.0));
    // Triangles without an area, with an index out of range, and with a corner whose position is not finite.
    mesh.triangles = vec![[0, 1, 1], [0, 1, 99], [0, 1, 6]];
    assert_eq!(mesh.area_weighted_normals(), [Vec3::default(); 7]);
    assert_eq!(mesh.angle_weighted_normals(), [Vec3::default(); 7]);
    // So small that the squares of its edges underflow in 32 bits.
    for point in &mut mesh.positions {
        *point = *point * 1e-25;
    }
    mesh.triangles = vec![[0, 1, 2]];
    assert_eq!(mesh.area_weighted_normals()[0], Vec3::new(0.0, 0.0, 1.0));
    assert_eq!(mesh.angle_weighted_normals()[0], Vec3::new(0.0, 0.0, 1.0));
}

#[test]
fn a_quarter_turn_and_a_step() {
    // x becomes y, and y becomes -x: a rotation by 90 degrees about z. After it, a translation by 1 along x.
    let turn = Mat3::from_rows([0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let m = Mat4::from_translation(Vec3::new(1.0, 0.0, 0.0)) * Mat4::from_parts(turn, Vec3::default());
    assert_eq!(m.transform_point(Vec3::new(2.0, 0.0, 5.0)), Vec3::new(1.0, 2.0, 5.0));
    assert_eq!(m.linear(), turn);
    // In the other order, the translation is rotated as well.
    let other = Mat4::from_parts(turn, Vec3::default()) * Mat4::from_translation(Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(other.translation(), Vec3::new(0.0, 1.0, 0.0));
    assert_eq!((turn * turn).x_axis, Vec3::new(-1.0, 0.0, 0.0));
    assert_eq!(Mat4::from_columns(m.to_columns()), m);
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
    mesh.joints = vec![[0; 4]; 3];
    assert!(!mesh.is_consistent(), "joints without weights");
    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; 3];
    assert!(mesh.is_consistent());
    mesh.tangents.push(Vec4::default());
    assert!(!mesh.is_consistent());
    mesh.tangents.clear();
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
    let q = Quat::new(1.0, 2.0, 3.0, 4.0);
    let theirs = mint::Quaternion::from(q);
    assert_eq!((theirs.s, theirs.v.z), (4.0, 3.0));
    assert_eq!(Quat::from(theirs), q);
}

#[cfg(feature = "serde")]
#[test]
fn serde_names_the_fields() {
    let v = Vec3::new(1.0, 2.5, -3.0);
    let text = serde_json::to_string(&v).unwrap();
    assert_eq!(text, r#"{"x":1.0,"y":2.5,"z":-3.0}"#);
    assert_eq!(serde_json::from_str::<Vec3>(&text).unwrap(), v);
    // Absent columns are read as empty ones.
    let mesh: TriMesh = serde_json::from_str(r#"{"positions":[{"x":1.0,"y":2.5,"z":-3.0}]}"#).unwrap();
    assert_eq!(mesh, TriMesh { positions: vec![v], ..TriMesh::default() });
}

/// Whether two vectors are equal except for rounding.
fn near(a: Vec3, b: Vec3) -> bool {
    (a - b).length() < 1e-5
}

#[test]
fn frames_turn_and_move() {
    use core::f32::consts::{FRAC_PI_2, PI};
    let (x, y, z) = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
    // A rotation by 90 degrees about an axis maps the next axis to the one after it (counter-clockwise if seen from the
    // tip).
    for (axis, from, to) in [(x, y, z), (y, z, x), (z, x, y)] {
        assert!(near(CFrame::from_axis_angle(axis * 3.0, FRAC_PI_2) * from, to));
    }
    assert_eq!(CFrame::from_axis_angle(Vec3::default(), 1.0), CFrame::IDENTITY);
    // In Roblox, `CFrame.Angles(0, math.pi / 2, 0)` looks along -x: its `LookVector` is the rotated -z.
    let turned = CFrame::from_euler_angles_xyz(0.0, FRAC_PI_2, 0.0);
    assert!(near(turned * (z * -1.0), x * -1.0));
    // First about z, then about y, then about x. For `fromOrientation`, first about z, then about x, then about y.
    let xyz = CFrame::from_euler_angles_xyz(FRAC_PI_2, FRAC_PI_2, PI);
    let yxz = CFrame::from_euler_angles_yxz(FRAC_PI_2, FRAC_PI_2, PI);
    assert!(near(xyz * x, y * -1.0) && near(xyz * y, z * -1.0));
    assert!(near(yxz * x, z) && near(yxz * y, x * -1.0));
    let frame = xyz.with_position(Vec3::new(1.0, 2.0, 3.0));
    assert!(near(frame * x, Vec3::new(1.0, 1.0, 3.0)));
    assert!(near(frame.inverse() * Vec3::new(1.0, 1.0, 3.0), x));
    assert!(near((CFrame::new(5.0, 0.0, 0.0) * frame) * x, Vec3::new(6.0, 1.0, 3.0)));
}

/// The formula of IEC 61966-2-1, and back; alpha is linear in both.
#[test]
fn srgb_colours_come_back() {
    for byte in 0..=255_u8 {
        let value = f64::from(byte) / 255.0;
        let linear = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
        let color = geom::Rgba8::new(byte, 128, 0, byte);
        assert!((f64::from(color.to_linear().r) - linear * 65_535.0).abs() <= 0.5, "{byte}");
        assert_eq!(color.to_linear().a, u16::from(byte) * 257);
        assert_eq!(color.to_linear().to_srgb(), color);
    }
    // Half of the light is 188 of 255, and 55 of 255 in linear bytes is 128.
    assert_eq!(
        geom::LinearRgba::from_unit([0.5, 55.0 / 255.0, 2.0, f32::NAN]).to_srgb().to_array()[..3],
        [188, 128, 255]
    );
}

/// Lists on both sides of the length up to which elements are inserted are sorted as by the standard library, also where
/// keys are equal.
#[test]
fn sorting_is_that_of_the_standard_library() {
    let mut state = 1_u32;
    for count in [0, 1, 2, 3, 15, 16, 17, 18, 40, 300] {
        for keys in [1, 3, 1000] {
            let list: Vec<(u32, usize)> = (0..count)
                .map(|at| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    ((state >> 8) % keys, at)
                })
                .collect();
            let mut wanted = list.clone();
            wanted.sort_by_key(|(key, _)| *key);
            let [mut found, mut backwards] = [list.clone(), list];
            geom::sort::by_key(&mut found, |(key, _)| *key);
            assert_eq!(found, wanted, "{count} elements, {keys} keys");
            wanted.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
            geom::sort::by_key(&mut backwards, |(key, at)| (std::cmp::Reverse(*key), *at));
            assert_eq!(backwards, wanted, "{count} elements, {keys} keys");
        }
    }
}
