//! Sculpted prims: an image is a grid of points, whose red, green and blue are x, y and z.

use geom::{TriMesh, Vec3};

use crate::images::Picture;

/// The maximum number of rectangles of the grid.
const RECTANGLES: f64 = 1024.0;

/// How the borders of the grid are joined, in the lower bits of the type.
const SPHERE: u8 = 1;
const TORUS: u8 = 2;
const CYLINDER: u8 = 4;
/// The inside is visible.
const INVERTED: u8 = 64;
/// x is negated.
const MIRRORED: u8 = 128;

/// The surface of a map in a cube of side 1, as in the finest level: it has one vertex for two pixels. A plane whose red
/// rises to the right, and green to the top, is visible from above.
pub(super) fn mesh(map: &Picture, kind: u8) -> TriMesh {
    let (width, height) = map.size();
    let pixels = f64::from(width) * f64::from(height);
    let most = RECTANGLES.min(pixels / 4.0).max(1.0);
    let columns = ((most * f64::from(width) / f64::from(height)).sqrt() as u32).clamp(1, width);
    let rows = ((most / f64::from(columns)) as u32).clamp(1, height);
    let (stitch, mirrors) = (kind & 7, kind & MIRRORED != 0);
    let is_round = matches!(stitch, SPHERE | TORUS | CYLINDER);
    let point = |column: u32, row: u32| {
        // Row 0 is at the map's top, but the viewer counts pixels from the bottom. The first and the last row of a sphere are
        // its poles.
        let (x, up) = match stitch == SPHERE && (row == 0 || row == rows) {
            true => (width / 2, (rows - row) * height / rows),
            false => (column * width / columns, (rows - row) * height / rows),
        };
        let x = if is_round { x % width } else { x.min(width - 1) };
        let up = if stitch == TORUS { up % height } else { up.min(height - 1) };
        let [red, green, blue, _] = map.pixel(x, height - 1 - up);
        let [x, y, z] = [red, green, blue].map(|part| f32::from(part) / 255.0 - 0.5);
        Vec3::from([if mirrors { -x } else { x }, y, z])
    };
    let mut mesh = TriMesh::default();
    for row in 0..=rows {
        for column in 0..=columns {
            mesh.positions.push(point(column, row));
            mesh.uvs.push([column as f32 / columns as f32, row as f32 / rows as f32].into());
        }
    }
    let turns = mirrors != (kind & INVERTED != 0);
    for row in 0..rows {
        for column in 0..columns {
            let top = row * (columns + 1) + column;
            let below = top + columns + 1;
            for [a, b, c] in [[below, below + 1, top + 1], [below, top + 1, top]] {
                mesh.triangles.push(if turns { [a, c, b] } else { [a, b, c] });
            }
        }
    }
    joined_normals(&mut mesh, [columns, rows], [is_round, stitch == TORUS]);
    mesh
}

/// Smooth normals, also where borders are joined.
fn joined_normals(mesh: &mut TriMesh, [columns, rows]: [u32; 2], [joins_sides, joins_ends]: [bool; 2]) {
    let mut normals: Vec<[f32; 3]> =
        mesh.area_weighted_normals().iter().map(|normal| normal.to_array()).collect();
    let mut join = |pairs: &mut dyn Iterator<Item = [u32; 2]>| {
        for [a, b] in pairs.map(|pair| pair.map(|at| at as usize)) {
            let sum: [f32; 3] = std::array::from_fn(|axis| normals[a][axis] + normals[b][axis]);
            let length = sum.iter().map(|axis| axis * axis).sum::<f32>().sqrt();
            if length > 1e-6 {
                normals[a] = sum.map(|axis| axis / length);
                normals[b] = normals[a];
            }
        }
    };
    let line = columns + 1;
    if joins_sides {
        join(&mut (0..=rows).map(|row| [row * line, row * line + columns]));
    }
    if joins_ends {
        join(&mut (0..=columns).map(|column| [column, rows * line + column]));
    }
    mesh.normals = normals.into_iter().map(Vec3::from).collect();
}
