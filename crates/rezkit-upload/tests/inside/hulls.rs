//! Tests of private items; the source file that they test includes this file as a module.

use rezkit_scene::hull::{Sides, tetrahedron};

use super::piece::{Piece, Plane};
use super::*;

/// The closed and welded surface of boxes in a grid, without the sides between adjacent boxes.
fn blocks(xs: &[f32], ys: &[f32], zs: &[f32], is_solid: impl Fn(usize, usize, usize) -> bool) -> TriMesh {
    let mut mesh = TriMesh::default();
    let count = [xs.len() - 1, ys.len() - 1, zs.len() - 1];
    let solid = |at: [isize; 3]| {
        let inside = (0..3).all(|axis| at[axis] >= 0 && (at[axis] as usize) < count[axis]);
        inside && is_solid(at[0] as usize, at[1] as usize, at[2] as usize)
    };
    for i in 0..count[0] {
        for j in 0..count[1] {
            for k in 0..count[2] {
                if !is_solid(i, j, k) {
                    continue;
                }
                for side in 0..6 {
                    let (axis, up) = (side / 2, side % 2);
                    let mut beside = [i as isize, j as isize, k as isize];
                    beside[axis] += if up == 1 { 1 } else { -1 };
                    if solid(beside) {
                        continue;
                    }
                    let first = mesh.positions.len() as u32;
                    for corner in 0..4 {
                        let mut at = [i, j, k];
                        at[axis] += up;
                        at[(axis + 1) % 3] += corner & 1;
                        at[(axis + 2) % 3] += corner >> 1;
                        mesh.positions.push([xs[at[0]], ys[at[1]], zs[at[2]]].into());
                    }
                    let [a, b, c, d] = [first, first + 1, first + 2, first + 3];
                    let sides = if up == 1 { [[a, b, d], [a, d, c]] } else { [[a, d, b], [a, c, d]] };
                    mesh.triangles.extend(sides);
                }
            }
        }
    }
    mesh
}

fn made(mesh: &TriMesh) -> Vec<Hull> {
    let (_, losses) = hulls(&[mesh], &HullOptions::default(), &mut Budget::new(1 << 30)).expect("finite");
    assert!(losses.is_empty(), "{losses:?}");
    made_of_sheets(mesh)
}

/// The fraction of a box that is inside of hulls, estimated with points of a grid.
fn covered(hulls: &[Hull], low: [f64; 3], high: [f64; 3]) -> f64 {
    let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
    let sides: Vec<_> = hulls.iter().map(Hull::sides).collect();
    let points = (0..1000).map(|i| {
        let part = DVec3::new(f64::from(i % 10), f64::from(i / 10 % 10), f64::from(i / 100)) / 10.0 + 0.05;
        low + (high - low) * part
    });
    points.filter(|&point| sides.iter().any(|sides| sides.depth(point) > 0.0)).count() as f64 / 1000.0
}

/// A wall with a door; a wall with a door and two windows; and four walls around a square, one of them with a door and
/// the others with a window. The openings stay open, and the walls are inside of hulls.
#[test]
fn doors_and_windows_stay_open() {
    let wall = blocks(&[0.0, 2.0, 3.0, 6.0], &[0.0, 0.2], &[0.0, 2.0, 3.0], |i, _, k| (i, k) != (1, 0));
    let hulls = made(&wall);
    assert!(hulls.len() <= 3, "{}", hulls.len());
    assert!(covered(&hulls, [2.0, 0.0, 0.0], [3.0, 0.2, 2.0]) < 0.02);
    assert!(covered(&hulls, [0.0, 0.0, 2.0], [6.0, 0.2, 3.0]) > 0.98);

    let xs = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let holes = |i: usize, k: usize| matches!((i, k), (1, 1) | (3, 0..=1) | (5, 1));
    let wall =
        blocks(&[&xs[..], &[7.0]].concat(), &[0.0, 0.2], &[0.0, 1.0, 2.0, 3.0], |i, _, k| !holes(i, k));
    let hulls = made(&wall);
    assert!(hulls.len() <= 7, "{}", hulls.len());
    for (x, low) in [(1.0, 1.0), (3.0, 0.0), (5.0, 1.0)] {
        let covered = covered(&hulls, [x, 0.0, low], [x + 1.0, 0.2, 2.0]);
        assert!(covered < 0.02, "{x}: {covered}");
    }

    let along = [0.0, 0.2, 2.0, 3.0, 4.8, 5.0];
    let room = blocks(&along, &along, &[0.0, 1.0, 2.0, 3.0], |i, j, k| {
        let is_wall = i == 0 || i == 4 || j == 0 || j == 4;
        let is_door = (i, j) == (2, 0) && k < 2;
        let is_window = k == 1 && (matches!((i, j), (2, 4) | (0, 2) | (4, 2)));
        is_wall && !is_door && !is_window
    });
    let hulls = made(&room);
    assert!(hulls.len() <= 16, "{}", hulls.len());
    assert!(covered(&hulls, [2.0, 0.0, 0.0], [3.0, 0.2, 2.0]) < 0.02);
    assert!(covered(&hulls, [2.0, 4.8, 1.0], [3.0, 5.0, 2.0]) < 0.02);
    assert!(covered(&hulls, [0.2, 0.2, 0.0], [4.8, 4.8, 3.0]) < 0.02);
    assert!(covered(&hulls, [0.0, 0.0, 2.0], [5.0, 0.2, 3.0]) > 0.98);
}

/// Separate convex pieces get a hull each. A piece inside of a hollow one does not fill it, a piece that is not closed
/// becomes a slab for each side, and too many pieces share one.
#[test]
fn pieces_have_hulls_of_their_own() {
    let xs: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let four = blocks(&xs, &[0.0, 1.0], &[0.0, 1.0], |i, _, _| i % 2 == 0);
    let hulls = made(&four);
    assert_eq!(hulls.len(), 4);
    assert!(hulls.iter().all(|hull| (hull.volume() - 1.0).abs() < 1e-6));
    // A narrow hole is closed, while a box without half of its sides is a sheet.
    let mut open = four.clone();
    open.triangles.pop();
    let budget = &mut Budget::new(1 << 30);
    let (found, losses) = super::hulls(&[&open], &HullOptions::default(), budget).expect("finite");
    assert!(found.len() == 4 && losses.is_empty());
    open.triangles.truncate(42);
    let (found, losses) = super::hulls(&[&open], &HullOptions::default(), budget).expect("finite");
    assert!(found.len() == 6 && losses.len() == 1, "{} {losses:?}", found.len());
    let options = HullOptions { most: 3, ..HullOptions::default() };
    let (found, losses) = super::hulls(&[&four], &options, budget).expect("finite");
    assert!(found.len() == 1 && losses.len() == 1 && found[0].positions.len() == 8);
    let along = [0.0, 0.1, 1.9, 2.0];
    let hollow = blocks(&along, &along, &along, |i, j, k| i != 1 || j != 1 || k != 1);
    let hulls = made(&hollow);
    assert!(hulls.len() <= 12 && covered(&hulls, [0.1; 3], [1.9; 3]) < 0.02, "{}", hulls.len());
}

/// Numbers that look random.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        low + (high - low) * (self.0 >> 8) as f32 / (1 << 24) as f32
    }
}

/// A mesh, and the boxes of its openings.
type Built = (TriMesh, Vec<[[f32; 3]; 2]>);

fn sorted(list: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut list: Vec<f32> = list.collect();
    list.sort_by(f32::total_cmp);
    list.dedup();
    list
}

/// The openings of a wall as from, to, bottom and top, and the length of the wall.
fn openings(numbers: &mut Numbers, count: usize) -> (Vec<[f32; 4]>, f32) {
    let (mut openings, mut x) = (Vec::new(), numbers.next(0.4, 0.8));
    for _ in 0..count {
        let wide = numbers.next(0.6, 1.4);
        let low = if numbers.next(0.0, 1.0) < 0.5 { 0.0 } else { numbers.next(0.8, 1.1) };
        openings.push([x, x + wide, low, numbers.next(1.6, 2.2)]);
        x += wide + numbers.next(0.4, 1.5);
    }
    (openings, x)
}

/// A wall along x with doors and windows whose tops have nearly equal heights, of planes if it has no thickness.
fn wall(numbers: &mut Numbers, thick: f32) -> Built {
    let count = numbers.next(1.0, 4.9) as usize;
    let (openings, length) = openings(numbers, count);
    let height = numbers.next(2.6, 4.0);
    let along = |axis: usize| openings.iter().flat_map(move |opening| [opening[axis], opening[axis + 1]]);
    let xs = sorted(along(0).chain([0.0, length]));
    let zs = sorted(along(2).chain([0.0, height]));
    let is_solid = |i: usize, k: usize| {
        !openings.iter().any(|[a, b, c, d]| (*a..*b).contains(&xs[i]) && (*c..*d).contains(&zs[k]))
    };
    let mut mesh = blocks(&xs, &[0.0, thick.max(1.0)], &zs, |i, _, k| is_solid(i, k));
    if thick == 0.0 {
        let is_front = |triangle: &[u32; 3]| triangle.iter().all(|at| mesh.positions[*at as usize].y == 0.0);
        mesh.triangles.retain(is_front);
    }
    mesh.positions.iter_mut().filter(|point| point.y > 0.0).for_each(|point| point.y = thick);
    (mesh, openings.iter().map(|[a, b, c, d]| [[*a, 0.0, *c], [*b, thick, *d]]).collect())
}

/// Four walls with openings on a floor.
fn house(numbers: &mut Numbers, thick: f32) -> Built {
    let [(mut front, wide), (mut side, deep)] = [0, 1].map(|_| openings(numbers, 2));
    let height = numbers.next(2.6, 3.2);
    let inner = |list: &mut Vec<[f32; 4]>| {
        list.iter_mut().for_each(|opening| opening[3] = opening[3].min(height - 0.3))
    };
    inner(&mut front);
    inner(&mut side);
    let mut boxes = Vec::new();
    for y in [0.0, deep - thick] {
        boxes.extend(front.iter().map(|[a, b, c, d]| [[*a, y, *c], [*b, y + thick, *d]]));
    }
    for x in [0.0, wide - thick] {
        boxes.extend(side.iter().map(|[a, b, c, d]| [[x, *a, *c], [x + thick, *b, *d]]));
    }
    let along = |axis: usize| boxes.iter().flat_map(move |ends| ends.map(|end| end[axis]));
    let xs = sorted(along(0).chain([0.0, thick, wide - thick, wide]));
    let ys = sorted(along(1).chain([0.0, thick, deep - thick, deep]));
    let zs = sorted(along(2).chain([-0.2, 0.0, height]));
    let mesh = blocks(&xs, &ys, &zs, |i, j, k| {
        let at = [(xs[i] + xs[i + 1]) / 2.0, (ys[j] + ys[j + 1]) / 2.0, (zs[k] + zs[k + 1]) / 2.0];
        let is_wall = at[0] < thick || at[0] > wide - thick || at[1] < thick || at[1] > deep - thick;
        let is_open =
            |[low, high]: &[[f32; 3]; 2]| (0..3).all(|axis| (low[axis]..high[axis]).contains(&at[axis]));
        at[2] < 0.0 || is_wall && !boxes.iter().any(is_open)
    });
    (mesh, boxes)
}

/// Walls and houses with doors and windows, straight, turned, tilted, thin and of planes: no hull closes more than a
/// fiftieth of an opening, what stands turned has at most twice as many hulls, and all of the surface has a hull.
#[test]
fn openings_stay_open_however_a_wall_stands() {
    let numbers = &mut Numbers(39);
    let mut closed = 0;
    for number in 0..76 {
        let thick = match number % 4 {
            0 | 1 => numbers.next(0.1, 0.4),
            2 => numbers.next(0.03, 0.06),
            _ if number < 64 => 0.0,
            _ => 0.2,
        };
        let (mesh, openings) = if number < 64 { wall(numbers, thick) } else { house(numbers, thick) };
        let straight = made_of_sheets(&mesh).len();
        assert!(straight <= 3 * openings.len() + 6, "{number}: {straight}");
        let angle = [0.05_f64, 0.1, 0.5, 1.0, 5.0, 17.0, 30.0, 44.0, 60.0][number % 9].to_radians();
        let tilt = if number % 5 == 0 { f64::from(numbers.next(5.0, 60.0)).to_radians() } else { 0.0 };
        let turn = glam::DMat3::from_rotation_z(angle) * glam::DMat3::from_rotation_x(tilt);
        let mut turned = mesh.clone();
        for point in &mut turned.positions {
            let noise = if number % 7 == 0 { numbers.next(-1e-6, 1e-6) } else { 0.0 };
            let wide = turn * DVec3::from_array(point.to_array().map(f64::from));
            *point = wide.to_array().map(|axis| axis as f32 + noise).into();
        }
        let hulls = made_of_sheets(&turned);
        assert!(hulls.len() <= 2 * straight, "{number}: {} instead of {straight}", hulls.len());
        let upright: Vec<Hull> = hulls
            .into_iter()
            .map(|mut hull| {
                hull.points.iter_mut().for_each(|point| *point = turn.transpose() * *point);
                hull
            })
            .collect();
        for [low, high] in &openings {
            let covered = covered(&upright, low.map(f64::from), high.map(f64::from));
            assert!(covered < 0.02, "{number}: {covered} of {low:?} to {high:?}");
            closed += usize::from(covered > 0.0);
        }
        let sides: Vec<_> = upright.iter().map(Hull::sides).collect();
        for middle in corners(&mesh).map(|[a, b, c]| (a + b + c) / 3.0) {
            let near = |sides: &Sides| sides.has(middle, 0.01);
            assert!(sides.iter().any(near), "{number}: {middle}");
        }
    }
    assert!(closed <= 2, "{closed}");
}

/// The hulls of a mesh, which may have sheets.
fn made_of_sheets(mesh: &TriMesh) -> Vec<Hull> {
    let (hulls, _) = hulls(&[mesh], &HullOptions::default(), &mut Budget::new(1 << 30)).expect("finite");
    let points = |mesh: &TriMesh| -> Vec<DVec3> {
        mesh.positions.iter().map(|p| DVec3::from_array(p.to_array().map(f64::from))).collect()
    };
    hulls.iter().map(|mesh| Hull::around(&points(mesh), 256, 0.0).expect("a volume")).collect()
}

/// A torus around z with the radii 1 and 0.4.
fn ring(n: u32, m: u32) -> TriMesh {
    let at = |i: u32, j: u32| i % n * m + j % m;
    let angle = |i: u32, of: u32| f64::from(i) / f64::from(of) * std::f64::consts::TAU;
    let point = |index: u32| {
        let (u, v) = (angle(index / m, n), angle(index % m, m));
        let out = 1.0 + 0.4 * v.cos();
        [out * u.cos(), out * u.sin(), 0.4 * v.sin()].map(|axis| axis as f32).into()
    };
    let quads = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
    TriMesh {
        positions: (0..n * m).map(point).collect(),
        triangles: quads
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
                [[a, b, c], [c, b, d]]
            })
            .collect(),
        ..TriMesh::default()
    }
}

/// Cutting with a plane keeps the sum of the volumes, and symmetric parts have equal volumes.
#[test]
fn cut_pieces_have_their_volumes() {
    let corners: Vec<[DVec3; 3]> = corners(&ring(48, 16)).collect();
    let solid = crate::bvh::Bvh::new(corners.clone());
    let whole = Piece::new(&corners, &[]);
    // The volume of an exact torus, 2 pi^2 R r^2.
    let round = 2.0 * std::f64::consts::PI.powi(2) * 0.16;
    assert!(whole.volume < round && whole.volume > 0.96 * round);
    let mut parts = vec![whole];
    for (axis, at) in [(2, 0.0), (0, 0.0), (1, 0.0), (1, 0.8), (0, -0.77), (2, 0.13), (0, 0.91)] {
        let before: f64 = parts.iter().map(|part| part.volume).sum();
        let cut = |part: Piece| {
            let along = || part.points().into_iter().map(move |point| point[axis]);
            match along().any(|there| there < at) && along().any(|there| there > at) {
                true => part.cut(Plane::across(axis, at), &solid).map(Piece::closed).into(),
                false => vec![part],
            }
        };
        parts = parts.into_iter().flat_map(cut).collect();
        let after: f64 = parts.iter().map(|part| part.volume).sum();
        assert!((before - after).abs() < 1e-9, "{axis} at {at}: {before}, {after}");
        if parts.len() == 8 {
            assert!(parts.iter().all(|part| (part.volume * 8.0 - before).abs() < 1e-9));
        }
    }
}

/// If the limit of work is reached, this is listed, and hulls still enclose the whole shape. With enough work, they are
/// close to it.
#[test]
fn work_that_ends_leaves_hulls() {
    let ring = ring(24, 12);
    let made = |mut steps: u64| {
        let budget = &mut Budget::new(1 << 30);
        let options = HullOptions { corners: 256, ..HullOptions::default() };
        hulls_within(&[&ring], &options, &mut steps, budget).expect("finite")
    };
    let outside = |hulls: &[TriMesh]| {
        let volume = |hull: &TriMesh| corners(hull).map(tetrahedron).sum::<f64>();
        hulls.iter().map(volume).sum::<f64>() / corners(&ring).map(tetrahedron).sum::<f64>() - 1.0
    };
    let (hulls, losses) = made(STEPS);
    assert!(losses.is_empty() && hulls.len() < 40 && outside(&hulls) < 0.2, "{}", hulls.len());
    for steps in [0, 100_000, 1_000_000] {
        let (hulls, losses) = made(steps);
        assert!(!losses.is_empty(), "{steps}");
        let points = |mesh: &TriMesh| -> Vec<DVec3> { corners(mesh).flatten().collect() };
        let sides: Vec<_> = hulls
            .iter()
            .filter_map(|hull| Hull::around(&points(hull), 256, 0.0))
            .map(|hull| hull.sides())
            .collect();
        let is_in = |point: DVec3| sides.iter().any(|sides| sides.depth(point) > -0.1);
        assert!(points(&ring).into_iter().all(is_in), "{steps}");
        assert!(hulls.len() == 1 || steps > 0);
    }
}

/// A wall with a door under a round arch, rotated about the vertical in steps of 90 degrees.
#[test]
fn arches_stay_open() {
    let (n, thick) = (12, 0.3_f32);
    let mut outline: Vec<[f32; 2]> = vec![[0.0, 0.0], [1.0, 0.0]];
    for i in 0..=n {
        let angle = std::f32::consts::PI * (1.0 - i as f32 / n as f32);
        outline.push([1.5 + 0.5 * angle.cos(), 1.5 + 0.5 * angle.sin()]);
    }
    outline.extend([[2.0, 0.0], [3.5, 0.0]]);
    // The strips from the opening to the top and to the ends.
    let top: Vec<[f32; 2]> = outline.iter().map(|&[x, _]| [x, 3.0]).collect();
    let count = outline.len() as u32;
    let mut mesh = TriMesh::default();
    for (y, _) in [(0.0, 0), (thick, 1)] {
        mesh.positions.extend(outline.iter().chain(&top).map(|&[x, z]| geom::Vec3::new(x, y, z)));
    }
    let back = 2 * count;
    for i in 0..count - 1 {
        let [a, b, c, d] = [i, i + 1, count + i, count + i + 1];
        let x = |at: u32| outline[at as usize][0];
        // The sides of the door are vertical.
        if x(a) < x(b) {
            mesh.triangles.extend([
                [a, b, d],
                [a, d, c],
                [back + a, back + d, back + b],
                [back + a, back + c, back + d],
            ]);
        }
        mesh.triangles.extend([[a, back + a, back + b], [a, back + b, b]]);
        if x(a) < x(b) {
            mesh.triangles.extend([[c, d, back + d], [c, back + d, back + c]]);
        }
    }
    let last = count - 1;
    mesh.triangles.extend([
        [0, count, back + count],
        [0, back + count, back],
        [last, back + last, back + count + last],
        [last, back + count + last, count + last],
    ]);
    let hulls = made(&mesh);
    assert!(hulls.len() <= 20, "{}", hulls.len());
    assert!(covered(&hulls, [1.0, 0.0, 0.0], [2.0, 0.3, 1.5]) < 0.02);
    assert!(covered(&hulls, [1.1, 0.0, 1.5], [1.9, 0.3, 1.8]) < 0.02);
    assert!(covered(&hulls, [0.0, 0.0, 2.05], [3.5, 0.3, 3.0]) > 0.95);
}

/// Points on a line have no hull, so nothing is said about one.
#[test]
fn a_line_has_no_hull() {
    let mesh = TriMesh {
        positions: [0.0, 1.0, 2.0].map(|x| [x, 0.0, 0.0].into()).to_vec(),
        triangles: vec![[0, 1, 2]],
        ..TriMesh::default()
    };
    let (hulls, losses) =
        hulls(&[&mesh], &HullOptions::default(), &mut Budget::new(1 << 30)).expect("finite");
    assert!(hulls.is_empty());
    let texts: Vec<_> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["physics: a part of the mesh has no area or encloses no volume, so it has no hull"]);
}
