use super::*;

/// The surface of boxes of a grid, closed and welded: what is between two of them is no surface.
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
    let (hulls, losses) = hulls(&[mesh], &HullOptions::default(), &mut Budget::new(1 << 30)).expect("finite");
    assert!(losses.is_empty(), "{losses:?}");
    let points = |mesh: &TriMesh| -> Vec<DVec3> {
        mesh.positions.iter().map(|p| DVec3::from_array(p.to_array().map(f64::from))).collect()
    };
    hulls.iter().map(|mesh| Hull::around(&points(mesh), 256, 0.0).expect("a volume")).collect()
}

/// How much of a box is in hulls, by points of a grid.
fn covered(hulls: &[Hull], low: [f64; 3], high: [f64; 3]) -> f64 {
    let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
    let points = (0..1000).map(|i| {
        let part = DVec3::new(f64::from(i % 10), f64::from(i / 10 % 10), f64::from(i / 100)) / 10.0 + 0.05;
        low + (high - low) * part
    });
    points.filter(|&point| hulls.iter().any(|hull| hull.depth(point) > 0.0)).count() as f64 / 1000.0
}

/// A wall with a door, a wall with a door and two windows, and four walls around a square with a door and a window in each
/// of the others: the openings stay open, and what is wall is in a hull.
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

/// Separate convex pieces have a hull each, one inside of another one that is hollow does not fill it, what is not
/// closed has one, and too many have one together.
#[test]
fn pieces_have_hulls_of_their_own() {
    let xs: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let four = blocks(&xs, &[0.0, 1.0], &[0.0, 1.0], |i, _, _| i % 2 == 0);
    let hulls = made(&four);
    assert_eq!(hulls.len(), 4);
    assert!(hulls.iter().all(|hull| (hull.volume() - 1.0).abs() < 1e-6));
    // A hole is closed; half of a box is a sheet.
    let mut open = four.clone();
    open.triangles.pop();
    let budget = &mut Budget::new(1 << 30);
    let (found, losses) = super::hulls(&[&open], &HullOptions::default(), budget).expect("finite");
    assert!(found.len() == 4 && losses.is_empty());
    open.triangles.truncate(41);
    let (found, losses) = super::hulls(&[&open], &HullOptions::default(), budget).expect("finite");
    assert!(found.len() == 4 && losses.len() == 1);
    let options = HullOptions { most: 3, ..HullOptions::default() };
    let (found, losses) = super::hulls(&[&four], &options, budget).expect("finite");
    assert!(found.len() == 1 && losses.len() == 1 && found[0].positions.len() == 8);
    let along = [0.0, 0.1, 1.9, 2.0];
    let hollow = blocks(&along, &along, &along, |i, j, k| i != 1 || j != 1 || k != 1);
    let hulls = made(&hollow);
    assert!(hulls.len() <= 12 && covered(&hulls, [0.1; 3], [1.9; 3]) < 0.02, "{}", hulls.len());
}

/// Walls with doors and windows that end at nearly one height: no hull closes more than a fiftieth of one.
#[test]
fn openings_of_many_heights_stay_open() {
    let mut state = 39_u32;
    let mut number = |low: f32, high: f32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        low + (high - low) * (state >> 8) as f32 / (1 << 24) as f32
    };
    for _ in 0..20 {
        let (height, thick) = (number(2.6, 4.0), number(0.1, 0.4));
        let mut openings = Vec::new();
        let mut x = number(0.3, 0.8);
        for _ in 0..3 {
            let wide = number(0.6, 1.4);
            let low = if number(0.0, 1.0) < 0.5 { 0.0 } else { number(0.8, 1.1) };
            openings.push([x, x + wide, low, number(1.6, 2.2)]);
            x += wide + number(0.3, 1.5);
        }
        let sorted = |mut list: Vec<f32>| {
            list.sort_by(f32::total_cmp);
            list.dedup();
            list
        };
        let along = |axis: usize| openings.iter().flat_map(move |opening| [opening[axis], opening[axis + 1]]);
        let xs = sorted(along(0).chain([0.0, x]).collect());
        let zs = sorted(along(2).chain([0.0, height]).collect());
        let is_open = |i: usize, k: usize| {
            openings.iter().any(|[a, b, c, d]| (*a..*b).contains(&xs[i]) && (*c..*d).contains(&zs[k]))
        };
        let hulls = made(&blocks(&xs, &[0.0, thick], &zs, |i, _, k| !is_open(i, k)));
        assert!(hulls.len() <= 3 * openings.len() + 2, "{}", hulls.len());
        for [a, b, c, d] in &openings {
            let [low, high] = [[*a, 0.0, *c], [*b, thick, *d]].map(|corner| corner.map(f64::from));
            let covered = covered(&hulls, low, high);
            assert!(covered < 0.02, "{covered} of {a} to {b}, {c} to {d}");
        }
    }
}
