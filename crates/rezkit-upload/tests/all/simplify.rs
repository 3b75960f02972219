//! Simplification: fewer triangles for the same surface.

use geom::{TriMesh, Vec2, Vec3};
use glam::DVec3;
use rezkit_upload::{Simplified, simplify};

use crate::budget;
use crate::bvh::{Bvh, closest};

/// A torus with the radii 1 and `r`, whose texture has seams along two circles.
fn torus(n: u32, m: u32, r: f32) -> TriMesh {
    let mut mesh = TriMesh::default();
    for i in 0..=n {
        for j in 0..=m {
            let [u, v] = [(i % n) as f32 / n as f32, (j % m) as f32 / m as f32]
                .map(|part| part * std::f32::consts::TAU);
            let (out, up) = (v.cos(), v.sin());
            mesh.positions.push([(1.0 + r * out) * u.cos(), r * up, (1.0 + r * out) * u.sin()].into());
            mesh.normals.push([out * u.cos(), up, out * u.sin()].into());
            mesh.uvs.push([i as f32 / n as f32, j as f32 / m as f32].into());
        }
    }
    for i in 0..n {
        for j in 0..m {
            let at = |i: u32, j: u32| i * (m + 1) + j;
            mesh.triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            mesh.triangles.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
    }
    mesh
}

/// A cube with edges of length 2, whose sides are separate grids with normals.
fn cube(n: u32) -> TriMesh {
    let mut mesh = TriMesh::default();
    for side in 0..6 {
        let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
        let first = mesh.positions.len() as u32;
        for i in 0..=n {
            for j in 0..=n {
                let [a, b] = [i, j].map(|i| i as f32 / n as f32 * 2.0 - 1.0);
                let mut point = [0.0; 3];
                (point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3]) = (sign, a * sign, b);
                mesh.positions.push(point.into());
                let mut normal = [0.0; 3];
                normal[axis] = sign;
                mesh.normals.push(normal.into());
                mesh.uvs.push(Vec2::new(i as f32 / n as f32, j as f32 / n as f32));
            }
        }
        for i in 0..n {
            for j in 0..n {
                let at = |i: u32, j: u32| first + i * (n + 1) + j;
                mesh.triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                mesh.triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    mesh
}

fn wide(point: Vec3) -> DVec3 {
    DVec3::from_array(point.to_array().map(f64::from))
}

fn corners(mesh: &TriMesh) -> Vec<[DVec3; 3]> {
    mesh.triangles.iter().map(|t| t.map(|i| wide(mesh.positions[i as usize]))).collect()
}

fn volume(mesh: &TriMesh) -> f64 {
    corners(mesh).into_iter().map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

fn area(mesh: &TriMesh) -> f64 {
    corners(mesh).into_iter().map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0).sum()
}

/// The greatest distance from a vertex or a triangle's centre in `from` to the surface of `to`.
fn deviation(from: &TriMesh, to: &TriMesh) -> f64 {
    let bvh = Bvh::new(corners(to));
    let points = corners(from).into_iter().flat_map(|[a, b, c]| [a, b, c, (a + b + c) / 3.0]);
    points
        .map(|point| bvh.nearest(0, point, f64::INFINITY, |_| true).expect("triangles").squared.sqrt())
        .fold(0.0, f64::max)
}

fn one(mesh: &TriMesh, target: usize) -> (TriMesh, bool) {
    let mut levels = simplify(&[mesh], &[target], &mut budget()).expect("consistent");
    let mut level = levels.pop().expect("one level");
    (level.parts.pop().expect("one part").0, level.keeps_seams)
}

#[test]
fn a_cube_needs_two_triangles_a_side() {
    let mesh = cube(8);
    let (least, keeps_seams) = one(&mesh, 12);
    assert!(keeps_seams);
    assert_eq!(least.triangles.len(), 12);
    assert!((volume(&least) - 8.0).abs() < 1e-5, "{}", volume(&least));
    assert!((area(&least) - 24.0).abs() < 1e-5);
    // The normals of each side are kept, and so are the texture's corners.
    assert_eq!(least.positions.len(), 24);
    for triangle in &least.triangles {
        let [a, b, c] = triangle.map(|i| least.positions[i as usize]);
        let own = (b - a).cross(c - a).normalize().expect("an area");
        for &i in triangle {
            assert!(own.dot(least.normals[i as usize]) > 0.9999);
            assert!(
                least.uvs[i as usize].to_array().iter().all(|n| n.abs() < 1e-6 || (n - 1.0).abs() < 1e-6)
            );
        }
    }
}

#[test]
fn a_torus_keeps_its_volume_seams_and_box() {
    let mesh = torus(64, 32, 0.4);
    // The volume of an exact torus, 2 pi^2 R r^2.
    let round = 2.0 * std::f64::consts::PI.powi(2) * 0.16;
    for (target, volume_off, distance) in [(1024, 0.02, 0.012), (300, 0.06, 0.045)] {
        let (less, keeps_seams) = one(&mesh, target);
        assert!(keeps_seams && less.triangles.len() <= target && less.triangles.len() >= target - 2);
        let off = (volume(&less) / round - 1.0).abs();
        assert!(off < volume_off, "{target}: {off}");
        let far = deviation(&less, &mesh).max(deviation(&mesh, &less));
        assert!(far < distance, "{target}: {far}");
        let (was, is) = (mesh.bounds().expect("points"), less.bounds().expect("points"));
        assert!(is.min.min(was.min) == was.min && is.max.max(was.max) == was.max);
        // The texture goes around once: no triangle is mirrored in it, as it would be across a seam.
        for triangle in &less.triangles {
            let [a, b, c] = triangle.map(|i| less.uvs[i as usize].to_array());
            let turned = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            assert!(turned < 0.01 && (a[0] - b[0]).abs() < 0.6, "{a:?} {b:?} {c:?}");
        }
    }
}

#[test]
fn each_material_stays() {
    let whole = cube(6);
    // A side with another material, and a single triangle of a third one in its middle.
    let mut parts = [whole.clone(), whole.clone(), whole.clone()];
    parts[0].triangles.drain(0..72);
    parts[1].triangles = whole.triangles[1..72].to_vec();
    parts[2].triangles = whole.triangles[0..1].to_vec();
    let all: Vec<&TriMesh> = parts.iter().collect();
    let levels = simplify(&all, &[100, 14, 1], &mut budget()).expect("consistent");
    for (level, most) in levels.iter().zip([100, 16, 9]) {
        assert!(level.triangle_count() <= most, "{} of {most}", level.triangle_count());
        assert!(level.parts.iter().all(|(mesh, _)| !mesh.triangles.is_empty()));
    }
}

#[test]
fn weights_are_those_of_the_nearest_point() {
    let mut mesh = torus(48, 16, 0.3);
    mesh.joints = vec![[0, 1, 0, 0]; mesh.positions.len()];
    mesh.weights =
        mesh.positions.iter().map(|p| [(p.x + 1.3) / 2.6, 1.0 - (p.x + 1.3) / 2.6, 0.0, 0.0]).collect();
    let (less, _) = one(&mesh, 400);
    for (point, (joints, weights)) in less.positions.iter().zip(less.joints.iter().zip(&less.weights)) {
        let first: f32 = joints.iter().zip(weights).filter(|(joint, _)| **joint == 0).map(|(_, w)| w).sum();
        assert!((first - (point.x + 1.3) / 2.6).abs() < 0.03);
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

/// At each vertex of a coarse level, the weights are those of the nearest triangle of the finest level, within two of
/// 255. Triangles of another piece do not count, even if they are nearer, like an eye in its lid.
#[test]
fn weights_are_those_of_the_nearest_triangle_of_the_piece() {
    let mut mesh = torus(48, 16, 0.3);
    let count = mesh.positions.len();
    let wave = |p: &Vec3| (0.5 + 0.5 * (9.0 * p.x + 5.0 * p.z).sin()).clamp(0.0, 1.0);
    mesh.weights = mesh.positions.iter().map(|p| [wave(p), 1.0 - wave(p), 0.0, 0.0]).collect();
    mesh.joints = vec![[0, 1, 0, 0]; count];
    // A thinner torus inside of it, with other joints.
    let mut inner = torus(48, 16, 0.29);
    inner.joints = vec![[2, 0, 0, 0]; inner.positions.len()];
    inner.weights = vec![[1.0, 0.0, 0.0, 0.0]; inner.positions.len()];
    let first = u32::try_from(count).expect("few");
    let mut both = mesh.clone();
    both.positions.extend(&inner.positions);
    both.normals.extend(&inner.normals);
    both.uvs.extend(&inner.uvs);
    both.joints.extend(&inner.joints);
    both.weights.extend(&inner.weights);
    both.triangles.extend(inner.triangles.iter().map(|list| list.map(|index| index + first)));
    let triangles = corners(&mesh);
    for target in [600, 200, 90] {
        let (less, _) = one(&both, target);
        let mut of_ring = 0;
        for (point, (joints, weights)) in less.positions.iter().zip(less.joints.iter().zip(&less.weights)) {
            if joints[0] == 2 {
                assert_eq!(weights[0], 1.0);
                continue;
            }
            of_ring += 1;
            let point = wide(*point);
            let away = |triangle: &usize| closest(triangles[*triangle], point).0.distance_squared(point);
            let nearest = (0..triangles.len()).min_by(|a, b| away(a).total_cmp(&away(b))).expect("some");
            let shares = closest(triangles[nearest], point).1;
            let expected: f64 = mesh.triangles[nearest]
                .iter()
                .zip(shares)
                .map(|(vertex, share)| share * f64::from(mesh.weights[*vertex as usize][0]))
                .sum();
            let found =
                joints.iter().zip(weights).filter(|(joint, _)| **joint == 0).map(|(_, w)| *w).sum::<f32>();
            assert!((f64::from(found) - expected).abs() < 2.0 / 255.0, "{target}: {found} for {expected}");
        }
        assert!(of_ring > target / 8);
    }
}

/// Triangles between random points of a small grid, with every kind of degenerate, open and intersecting ones.
#[test]
fn any_soup_is_simplified_or_refused() {
    let mut seed = 7_u32;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    };
    for round in 0..60 {
        let side = 2 + round % 4;
        let vertices = 4 + random(40);
        let mut mesh = TriMesh::default();
        for _ in 0..vertices {
            mesh.positions.push([0; 3].map(|_: u32| random(side) as f32).into());
            mesh.uvs.push([0; 2].map(|_: u32| random(3) as f32).into());
        }
        mesh.triangles = (0..80).map(|_| [0; 3].map(|_: u32| random(vertices))).collect();
        let levels = simplify(&[&mesh, &mesh], &[60, 20, 5, 0], &mut budget()).expect("finite");
        let mut before = 160;
        for level in levels {
            assert!(level.triangle_count() <= before);
            before = level.triangle_count();
            for (part, sources) in level.parts {
                assert!(part.is_consistent() && !part.triangles.is_empty());
                assert_eq!(part.positions.len(), sources.len());
                assert!(part.positions.iter().all(|point| point.is_finite()));
            }
        }
    }
    let mut mesh = cube(1);
    mesh.positions[3].y = f32::NAN;
    let error = simplify(&[&mesh], &[4], &mut budget()).expect_err("not finite");
    assert_eq!(error.path(), "parts[0].positions[3]");
}

/// The vertices of a smooth mesh can be split when it has few triangles, but never exceed the number in the finer
/// level.
#[test]
fn vertices_do_not_rise() {
    for mesh in [torus(16, 8, 0.4), torus(8, 5, 0.6), torus(40, 20, 0.2)] {
        let count = mesh.triangles.len();
        let targets = [count / 3, count / 9, count / 27, 4];
        let levels = simplify(&[&mesh], &targets, &mut budget()).expect("finite");
        let mut vertices: Vec<usize> = levels.iter().map(Simplified::vertex_count).collect();
        vertices.insert(0, mesh.positions.len());
        assert!(vertices.is_sorted_by(|finer, coarser| finer >= coarser), "{vertices:?}");
    }
}

/// Boxes in slightly larger ones, like clothes, with seams at all edges. Half of the triangles are enough for one of
/// the layers, and no distance to the original is greater than the one between the layers.
#[test]
fn layers_are_left_out_before_boxes_are_bent() {
    let mut parts = [TriMesh::default(), TriMesh::default()];
    for (number, part) in (0..2).zip(&mut parts) {
        for place in 0..8 {
            let mut mesh = cube(1);
            let first = part.positions.len() as u32;
            let size = 1.0 + 0.02 * number as f32;
            let center = Vec3::new((place % 4) as f32 * 2.5, (place / 4) as f32 * 3.0, 0.0);
            mesh.positions.iter_mut().for_each(|point| *point = *point * size + center);
            // Each side has its own part of the texture.
            for (uv, normal) in mesh.uvs.iter_mut().zip(&mesh.normals) {
                uv.x += (normal.x + 2.0 * normal.y + 3.0 * normal.z) * 10.0;
            }
            mesh.triangles.iter_mut().flatten().for_each(|index| *index += first);
            part.positions.append(&mut mesh.positions);
            part.normals.append(&mut mesh.normals);
            part.uvs.append(&mut mesh.uvs);
            part.triangles.append(&mut mesh.triangles);
        }
    }
    let levels = simplify(&[&parts[0], &parts[1]], &[96], &mut budget()).expect("consistent");
    assert!(levels[0].triangle_count() <= 96);
    let far = 0.02 * 3.0_f64.sqrt() + 1e-6;
    for (part, (level, _)) in parts.iter().zip(&levels[0].parts) {
        assert!(!level.triangles.is_empty());
        let bent = deviation(level, part);
        assert!(bent <= far, "{bent} of {} triangles", level.triangles.len());
    }
    let mut whole = levels[0].parts[0].0.clone();
    let first = whole.positions.len() as u32;
    whole.positions.extend(&levels[0].parts[1].0.positions);
    whole.triangles.extend(levels[0].parts[1].0.triangles.iter().map(|t| t.map(|index| index + first)));
    assert!(parts.iter().all(|part| deviation(part, &whole) <= far));
}

/// A thousand triangles at the same place, each a group of its own: a search in a single group only visits one box.
#[test]
fn groups_at_one_place_are_searched_alone() {
    let corners = vec![[DVec3::ZERO, DVec3::X, DVec3::Y]; 1000];
    let (pieces, groups): (Vec<u32>, Vec<u32>) = (0..1000).map(|at| (at / 10, at)).unzip();
    let (bvh, branches) = Bvh::grouped(corners, &[&pieces, &groups]);
    for at in [0, 499, 999] {
        let before = bvh.steps();
        let found = bvh.nearest(branches[1][at], DVec3::Z, f64::INFINITY, |_| true).expect("a triangle");
        assert_eq!((found.triangle, found.squared, bvh.steps() - before), (at, 1.0, 1));
        let found = bvh.nearest(branches[0][at], DVec3::Z, f64::INFINITY, |other| other == at);
        assert_eq!(found.map(|found| found.triangle), Some(at));
        assert!(bvh.steps() - before <= 1 + 2 * 10, "a piece has ten groups");
    }
}

/// Triangles through a common point overlap, so that finding the nearest takes more steps than on a surface.
#[test]
fn overlapping_triangles_are_said_and_others_are_not() {
    let levels = |mesh: &TriMesh| {
        let all = mesh.triangles.len();
        simplify(&[mesh], &[all / 2, all / 4], &mut budget()).expect("consistent")
    };
    assert!(levels(&torus(64, 32, 0.4)).iter().chain(&levels(&cube(8))).all(|level| level.is_nearest));
    let count = 8_000;
    let points = (0..count).flat_map(|at| [[at as f32, 1e4, 0.0], [0.0, at as f32 * 0.1, 1e4]]);
    let fan = TriMesh {
        positions: std::iter::once([1e4, -1e4, 1.0]).chain(points).map(Vec3::from).collect(),
        triangles: (0..count).map(|at| [0, 2 * at + 1, 2 * at + 2]).collect(),
        ..TriMesh::default()
    };
    assert!(levels(&fan).iter().any(|level| !level.is_nearest));
}
