//! Assets built from triangle meshes: `check` accepts them, and they are read back equal.

use slmesh::errors::ErrorKind;
use slmesh::geom::{Mat4, TriMesh, Vec2, Vec3};
use slmesh::{Asset, Builder, Domain, Lod, Skin, WriteOptions};

/// A sphere of radius 0.5 with this many rings.
fn sphere(rings: u32) -> TriMesh {
    let sides = rings * 2;
    let mut mesh = TriMesh::default();
    for ring in 0..=rings {
        for side in 0..=sides {
            let (u, v) = (side as f32 / sides as f32, ring as f32 / rings as f32);
            let (around, down) = (u * std::f32::consts::TAU, v * std::f32::consts::PI);
            let normal = Vec3::new(down.sin() * around.cos(), down.sin() * around.sin(), down.cos());
            mesh.positions.push(normal * 0.5);
            mesh.normals.push(normal);
            mesh.uvs.push(Vec2::new(u, v));
        }
    }
    let at = |ring: u32, side: u32| ring * (sides + 1) + side;
    for ring in 0..rings {
        for side in 0..sides {
            let [a, b, c, d] =
                [at(ring, side), at(ring + 1, side), at(ring + 1, side + 1), at(ring, side + 1)];
            if ring + 1 < rings {
                mesh.triangles.push([a, b, c]);
            }
            if ring > 0 {
                mesh.triangles.push([a, c, d]);
            }
        }
    }
    mesh
}

fn weighted(mut mesh: TriMesh) -> TriMesh {
    let weights = mesh.positions.iter().map(|p| [0.5 - p.z, 0.5 + p.z, 0.0, 0.0]);
    mesh.weights = weights.collect();
    mesh.joints = vec![[0, 1, 0, 0]; mesh.positions.len()];
    mesh
}

fn skin() -> Skin {
    let joint = |z: f32| Mat4::from_translation(Vec3::new(0.0, 0.0, z));
    Skin::new([("mPelvis", joint(-1.067)), ("mTorso", joint(-1.151))])
}

/// The two halves of the sphere's bounding box.
fn boxes() -> [Vec<Vec3>; 2] {
    let corners = |low: f32, high: f32| {
        let corner = |n: u8| {
            let end = |bit: u8, a: f32, b: f32| if n >> bit & 1 == 0 { a } else { b };
            Vec3::new(end(0, -0.5, 0.5), end(1, -0.5, 0.5), end(2, low, high))
        };
        (0..8).map(corner).collect()
    };
    [corners(-0.5, 0.0), corners(0.0, 0.5)]
}

fn rigged_sphere() -> Asset {
    let [bottom, top] = boxes();
    let hull: Vec<Vec3> = bottom[..4].iter().chain(&top[4..]).copied().collect();
    Builder::new()
        .level(Lod::High, [weighted(sphere(32))])
        .level(Lod::Medium, [weighted(sphere(16))])
        .level(Lod::Low, [weighted(sphere(8))])
        .level(Lod::Lowest, [weighted(sphere(4))])
        .skin(skin())
        .bounding_hull(hull)
        .hulls([bottom, top])
        .build()
        .expect("an asset")
}

fn round_trip(asset: &Asset) -> Asset {
    slmesh::from_slice(&slmesh::to_vec(asset).expect("an asset")).expect("an asset")
}

#[test]
fn a_sphere_with_everything_passes_check_and_comes_back() {
    let asset = rigged_sphere();
    assert_eq!(slmesh::check(&asset), []);
    assert_eq!(round_trip(&asset), asset);
    assert_eq!(slmesh::check(&round_trip(&asset)), []);
    // n rings of 2n sides with two triangles each, less one for each side at a pole.
    let triangles = |n: usize| 2 * n * (2 * n) - 2 * (2 * n);
    for (lod, rings) in [(Lod::Lowest, 4), (Lod::Low, 8), (Lod::Medium, 16), (Lod::High, 32)] {
        assert_eq!(asset.triangle_count(lod), triangles(rings));
    }
    // Every position is within half a step of the original, and unused vertices at the poles are removed.
    let mesh = asset.to_tri_mesh(Lod::High).unwrap();
    assert!(mesh.is_consistent());
    for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
        assert!((position.length() - 0.5).abs() < 2e-5);
        assert!((*normal - *position * 2.0).length() < 1e-4);
    }
    let convex = asset.physics_convex.as_ref().unwrap();
    assert_eq!(convex.hull_points().map(|hull| hull.len()).collect::<Vec<_>>(), [8, 8]);
    assert_eq!(convex.bounding_points().next().unwrap().to_array(), [-0.5, -0.5, -0.5]);
}

#[test]
fn a_sphere_without_skin_or_hulls_gets_a_box() {
    let asset = Builder::new()
        .level(Lod::High, [sphere(12)])
        .level(Lod::Medium, [sphere(6)])
        .physics_mesh([sphere(5)])
        .build()
        .unwrap();
    assert_eq!(slmesh::check(&asset), []);
    assert_eq!(round_trip(&asset), asset);
    assert_eq!(asset.physics_convex.unwrap().bounding.len(), 8);
}

/// A sheet with this many vertices in each direction.
fn sheet(side: u32) -> TriMesh {
    let place = |n: u32| n as f32 / (side - 1) as f32 - 0.5;
    let at = |x: u32, y: u32| Vec3::new(place(x), place(y), 0.0);
    let cells = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
    TriMesh {
        positions: (0..side).flat_map(|y| (0..side).map(move |x| at(x, y))).collect(),
        triangles: cells.flat_map(|a| [[a, a + 1, a + side], [a + 1, a + side + 1, a + side]]).collect(),
        ..TriMesh::default()
    }
}

#[test]
fn large_parts_are_split() {
    // 67,600 vertices and 134,162 triangles.
    let asset =
        Builder::new().level(Lod::High, [sheet(260)]).level(Lod::Medium, [sheet(20)]).build().unwrap();
    let high = asset.high_lod.as_ref().unwrap();
    assert_eq!(high.submeshes.len(), 7);
    assert!(
        high.submeshes.iter().all(|face| face.positions.len() < 65_535 && face.triangles.len() <= 21_844)
    );
    assert_eq!(high.triangle_count(), 259 * 259 * 2);
    assert_eq!(high.bounds().unwrap().size().to_array(), [1.0, 1.0, 0.0]);
    // The lower level only needs one submesh, and has placeholders for the others.
    let medium = asset.medium_lod.as_ref().unwrap();
    let bare: Vec<bool> = medium.submeshes.iter().map(|face| face.no_geometry).collect();
    assert_eq!(bare, [false, true, true, true, true, true, true]);
    assert_eq!(slmesh::check(&asset), []);
    // Flat: all z are 0, in a domain without a height.
    let face = &high.submeshes[0];
    assert!(face.positions.iter().all(|position| position[2] == 0));
    assert!(face.points().all(|point| point.z == 0.0));
    // All faces of a level share a domain, so vertices on the border of two faces have equal positions.
    assert_eq!(high.submeshes[0].position_domain, high.submeshes[1].position_domain);
    let last: std::collections::HashSet<_> = high.submeshes[0].positions.iter().collect();
    assert!(high.submeshes[1].positions.iter().filter(|position| last.contains(position)).count() >= 250);
    assert_eq!(round_trip(&asset), asset);
}

/// Small tetrahedra in a row.
fn parts(count: u32) -> Vec<TriMesh> {
    let part = |n: u32| {
        let x = n as f32 / 32.0 - 0.4;
        let corners = [[x, 0.0, 0.0], [x + 0.02, 0.0, 0.0], [x, 0.1, 0.0], [x, 0.0, 0.1]];
        TriMesh {
            positions: corners.map(Vec3::from).to_vec(),
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            ..TriMesh::default()
        }
    };
    (0..count).map(part).collect()
}

#[test]
fn more_than_eight_faces_are_several_assets() {
    let error = Builder::new().level(Lod::High, parts(20)).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model has more than 8 faces and needs 3 assets (use Builder::build_all) in high_lod"
    );
    let mut low = parts(20);
    low.iter_mut().for_each(|part| part.triangles.truncate(3));
    // The last part has no triangles at this level.
    low[19].triangles.clear();
    let all = Builder::new().level(Lod::High, parts(20)).level(Lod::Medium, low).build_all().unwrap();
    let faces = |asset: &Asset| asset.high_lod.as_ref().unwrap().submeshes.len();
    assert_eq!(all.iter().map(faces).collect::<Vec<_>>(), [8, 8, 4]);
    assert_eq!(all.iter().map(|asset| asset.submodel_id).collect::<Vec<_>>(), [None, Some(1), Some(2)]);
    assert!(all[2].medium_lod.as_ref().unwrap().submeshes[3].no_geometry);
    for asset in &all {
        // A single domain for the whole level, in all assets.
        let face = &asset.high_lod.as_ref().unwrap().submeshes[0];
        assert_eq!(face.position_domain.unwrap().min[0], f64::from(-0.4_f32));
        assert_eq!(slmesh::check(asset), []);
        assert_eq!(round_trip(asset), *asset);
    }
}

#[test]
fn degenerate_triangles_and_unused_vertices_are_left_out() {
    let mut mesh = parts(1).remove(0);
    mesh.triangles.insert(1, [2, 2, 3]);
    mesh.positions.push(Vec3::new(0.3, 0.3, 0.3));
    let asset = Builder::new().level(Lod::High, [mesh]).build().unwrap();
    let face = &asset.high_lod.as_ref().unwrap().submeshes[0];
    assert_eq!((face.positions.len(), face.triangles.len()), (4, 4));
    assert_eq!(slmesh::check(&asset), []);
}

#[test]
fn a_large_model_is_made_to_fit() {
    let mut mesh = sphere(8);
    for position in &mut mesh.positions {
        *position = Vec3::new(position.x * 4.0 + 10.0, position.y * 2.0, position.z * 8.0 - 3.0);
    }
    let part = weighted(mesh);
    let error = Builder::new().level(Lod::High, [part.clone()]).skin(skin()).build().unwrap_err();
    assert_eq!(error.path(), "positions");
    assert!(error.to_string().contains("a position is 12 from the origin along an axis"), "{error}");
    let asset = Builder::new().level(Lod::High, [part]).skin(skin()).normalize(true).build().unwrap();
    assert_eq!(slmesh::check(&asset), []);
    let bounds = asset.bounds().unwrap();
    assert_eq!((bounds.min.to_array(), bounds.max.to_array()), ([-0.5; 3], [0.5; 3]));
    let face = &asset.high_lod.as_ref().unwrap().submeshes[0];
    assert_eq!(face.normalized_scale, Some([4.0, 2.0, 8.0]));
    // The bind shape matrix restores the original position.
    let skin = asset.skin.as_ref().unwrap();
    let bounds = slmesh::geom::Aabb::from_points(face.points().map(|point| skin.bind_pose(point))).unwrap();
    for (ours, theirs) in [(bounds.min, [8.0, -1.0, -7.0]), (bounds.max, [12.0, 1.0, 1.0])] {
        assert!((ours - Vec3::from(theirs)).length() < 1e-4, "{bounds:?}");
    }
}

#[test]
fn what_makes_no_asset_is_refused_with_its_path() {
    let tetra = || parts(1).remove(0);
    let refused = |builder: Builder, text: &str| {
        let error = builder.build().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)), "{error}");
        assert_eq!(error.to_string(), text);
    };
    let high = || Builder::new().level(Lod::High, [tetra()]);
    refused(Builder::new(), "the model has no triangles in high_lod");
    let mut mesh = tetra();
    mesh.triangles[2][1] = 4;
    refused(
        Builder::new().level(Lod::High, [mesh]),
        "vertex index 4 is out of range (the list has 4 vertices) in high_lod[0].mesh.triangles[2]",
    );
    let mut mesh = tetra();
    mesh.normals = vec![Vec3::default(); 3];
    refused(high().level(Lod::Medium, [mesh]), "expected 4 entries, found 3 in medium_lod[0].mesh.normals");
    refused(
        high().level(Lod::Medium, parts(2)),
        "expected no more parts than high_lod (1), found 2 in medium_lod",
    );
    refused(
        high().level(Lod::Low, parts(1)),
        "expected at least one part, as in the coarser level low_lod, found none in medium_lod",
    );
    refused(high().hulls([vec![]]), "the hull has no points in hulls[0]");
    let far = [Vec3::new(0.0, f32::INFINITY, 0.0)];
    refused(high().bounding_hull(far), "a coordinate is infinite or NaN in bounding_hull[0]");
    refused(
        high().hulls(boxes()).physics_mesh([tetra()]),
        "expected a physics mesh or hulls, found both in physics_mesh",
    );
    refused(
        high().skin(skin()),
        "expected joints and weights for a model with a skin, found none in high_lod[0].mesh.joints",
    );
    refused(
        Builder::new().level(Lod::High, [weighted(tetra())]),
        "the mesh has joints, but the model has no skin (set one with Builder::skin) in high_lod[0].mesh.joints",
    );
    let mut mesh = weighted(tetra());
    mesh.joints[3][1] = 2;
    refused(
        Builder::new().level(Lod::High, [mesh]).skin(skin()),
        "expected the index of a joint of the skin (less than 2), found 2 in high_lod[0].mesh.joints[3]",
    );
    let mut mesh = tetra();
    mesh.positions[1].y = f32::NAN;
    refused(
        Builder::new().level(Lod::High, [mesh]),
        "a number is infinite or NaN in high_lod[0].mesh.positions[1]",
    );
    let line = TriMesh {
        positions: (0..3_u8).map(|n| Vec3::new(f32::from(n) / 8.0, 0.0, 0.0)).collect(),
        triangles: vec![[0, 1, 2]],
        ..TriMesh::default()
    };
    refused(high().physics_mesh([line]), "all triangles are degenerate in physics_mesh");
}

#[test]
fn normals_are_made_where_they_are_missing() {
    let mut mesh = sphere(16);
    let smooth = std::mem::take(&mut mesh.normals);
    let asset = Builder::new().level(Lod::High, [mesh]).build().unwrap();
    assert_eq!(slmesh::check(&asset), []);
    let made = asset.to_tri_mesh(Lod::High).unwrap();
    for (position, normal) in made.positions.iter().zip(&made.normals) {
        assert!((*normal - *position * 2.0).length() < 0.15, "{normal:?} at {position:?}");
    }
    assert!(made.normals.len() < smooth.len(), "the unused corners at the poles are gone");
}

#[test]
fn vertices_that_no_triangle_uses_do_not_count() {
    // A distant unused vertex and one that is not finite do not shrink the model, and get no index.
    let with = |extra: &[Vec3]| {
        let mut mesh = parts(1).remove(0);
        mesh.positions.extend(extra);
        Builder::new().level(Lod::High, [mesh]).normalize(true).build().unwrap()
    };
    let alone = with(&[]);
    assert_eq!(with(&[Vec3::new(1000.0, 0.0, 0.0), Vec3::new(f32::NAN, 0.0, 0.0)]), alone);
    assert_eq!(alone.bounds().unwrap().size().to_array(), [1.0; 3]);
}

#[test]
fn hulls_outside_of_the_mesh_keep_their_shape() {
    // The hull is twice as long as the mesh: both are scaled together, and nothing is cut off.
    let mesh = sheet(4);
    let hull: Vec<Vec3> = (0..8_u8)
        .map(|n| {
            Vec3::new(f32::from(n & 1) * 2.0 - 1.0, f32::from(n >> 1 & 1) - 0.5, f32::from(n >> 2) - 0.5)
        })
        .collect();
    let builder = || Builder::new().level(Lod::High, [mesh.clone()]).hulls([hull.clone()]);
    let error = builder().build().unwrap_err().to_string();
    assert!(error.starts_with("a position is 1 from the origin along an axis"), "{error}");
    let asset = builder().normalize(true).build().unwrap();
    let face = &asset.high_lod.as_ref().unwrap().submeshes[0];
    assert_eq!(face.normalized_scale, Some([2.0, 1.0, 1.0]));
    assert_eq!(asset.bounds().unwrap().size().to_array(), [0.5, 1.0, 0.0]);
    let convex = asset.physics_convex.as_ref().unwrap();
    let points: Vec<[f32; 3]> = convex.hull_points().next().unwrap().map(Vec3::to_array).collect();
    let fitted = hull.iter().map(|p| [p.x / 2.0, p.y, p.z]).collect::<Vec<_>>();
    assert_eq!(points, fitted);
    assert_eq!(slmesh::check(&asset), []);
}

#[test]
fn a_hull_of_many_points_keeps_its_extremes() {
    let many: Vec<Vec3> = sphere(40).positions;
    let asset = Builder::new().level(Lod::High, [sphere(8)]).bounding_hull(many.clone()).build().unwrap();
    let hull: Vec<Vec3> = asset.physics_convex.as_ref().unwrap().bounding_points().collect();
    assert!((200..=256).contains(&hull.len()), "{}", hull.len());
    // Each corner is one of the points, and the extent in any direction is at least 95 % of the original.
    for point in &hull {
        assert!((point.length() - 0.5).abs() < 1e-4, "{point:?}");
    }
    let reach = |points: &[Vec3], to: Vec3| points.iter().map(|p| p.dot(to)).fold(f32::MIN, f32::max);
    for direction in sphere(12).normals {
        assert!(reach(&hull, direction) > 0.95 * reach(&many, direction), "{direction:?}");
    }
    // Equal points count once.
    let twice: Vec<Vec3> = many.iter().take(200).chain(many.iter().take(200)).copied().collect();
    let asset = Builder::new().level(Lod::High, [sphere(8)]).hulls([twice]).build().unwrap();
    assert!(asset.physics_convex.unwrap().hulls[0].len() <= 200);
}

#[test]
fn degenerate_triangles_of_a_physics_mesh_are_left_out() {
    let mut mesh = parts(1).remove(0);
    mesh.positions.extend([[0.0, 0.2, 0.0], [0.5, 0.2, 0.0], [0.0, 0.2005, 0.0]].map(Vec3::from));
    mesh.triangles.push([4, 5, 6]);
    let asset = Builder::new().level(Lod::High, parts(1)).physics_mesh([mesh]).build().unwrap();
    let physics = &asset.physics_mesh.as_ref().unwrap().submeshes[0];
    assert_eq!((physics.positions.len(), physics.triangles.len(), physics.normals.len()), (4, 4, 0));
    assert_eq!(slmesh::check(&asset), []);
}

#[test]
fn a_triangle_mesh_gives_back_joints_and_weights() {
    let asset = rigged_sphere();
    let mesh = asset.to_tri_mesh(Lod::High).unwrap();
    assert!(mesh.is_consistent() && mesh.joints.len() == mesh.positions.len());
    for ((position, joints), weights) in mesh.positions.iter().zip(&mesh.joints).zip(&mesh.weights) {
        let of = |joint: u16| (0..4).filter(|&n| joints[n] == joint).map(|n| weights[n]).sum::<f32>();
        assert!((of(1) - (0.5 + position.z)).abs() < 1e-4, "{position:?} {joints:?} {weights:?}");
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn the_compression_level_is_an_option() {
    let asset = rigged_sphere();
    let sizes = [0, 1, 9].map(|level| {
        let bytes = WriteOptions::new().level(level).write(&asset).unwrap();
        assert_eq!(slmesh::from_slice(&bytes).unwrap(), asset);
        bytes.len()
    });
    assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
}

#[test]
fn steps_come_back_for_all_values_of_many_domains() {
    let tiny = f64::from(f32::from_bits(1));
    let next = |number: f32| f64::from(f32::from_bits(number.to_bits() + 1));
    let ends = [
        (-0.5, 0.5),
        (-1.0, 1.0),
        (0.0, 1.0),
        (-0.501, 0.501),
        (-0.5, -0.500_000_059_604_644_8_f64 + 1.0),
        (-0.487_713_843_584_060_67, 0.242_712_602_019_31),
        (0.059_858_500_957_489_014, 0.978_109_776_973_724_4),
        (0.125, 0.875),
        (1.0 / 3.0, 2.0 / 3.0),
        (-100_000.25, 3.0),
        (1e-30, 1.1e-30),
        (0.0, tiny),
        (-tiny, tiny),
        (-3.4e38, 3.4e38),
        (f64::from(f32::MIN), f64::from(f32::MAX)),
        (-1e300, 1e300),
        (f64::MIN, f64::MAX),
        (1e6, next(1e6)),
        (0.5, next(0.5)),
        (-12.0, -11.999),
        (0.5, -0.5),
        (7.0, 3.0),
    ];
    for (min, max) in ends {
        let domain = Domain { min: [min], max: [max] };
        for step in 0..=u16::MAX {
            let number = domain.dequantize([step]);
            assert_eq!(domain.quantize(number), [step], "{step} of {min} to {max}, {number:?}");
        }
        assert_eq!((domain.dequantize([0]), domain.dequantize([u16::MAX])), ([min], [max]));
    }
    // This also works with f32, for domains of positions and of texture coordinates.
    for (min, max) in [(-0.5, 0.5), (-0.501, 0.501), (-1.0, 1.0), (0.0, 1.0), (-4.0, 9.0), (0.9, 1.0)] {
        let domain = Domain { min: [min], max: [max] };
        for step in 0..=u16::MAX {
            assert_eq!(domain.quantize_f32(domain.dequantize_f32([step])), [step], "{min} to {max}");
        }
    }
    // A domain without a width: all steps are the same value, which is stored as 0.
    let flat = Domain { min: [0.25], max: [0.25] };
    for step in 0..=u16::MAX {
        assert_eq!(flat.dequantize([step]), [0.25]);
        assert_eq!(flat.quantize([0.25]), [0]);
    }
}

#[test]
fn rounding_is_to_the_nearest() {
    let domain = Domain::<1>::UNIT;
    // The viewer truncates, and stores a normal of 0 as 0x7fff.
    assert_eq!(domain.quantize([0.0]), [0x8000]);
    let step = 2.0 / 65_535.0;
    assert_eq!(domain.quantize([-1.0 + 10.4 * step]), [10]);
    assert_eq!(domain.quantize([-1.0 + 10.6 * step]), [11]);
    assert_eq!(domain.quantize([-2.0]), [0]);
    assert_eq!(domain.quantize([2.0]), [65_535]);
    assert_eq!(domain.quantize([f64::NAN]), [0]);
    assert_eq!(domain.quantize([f64::INFINITY]), [65_535]);
}
