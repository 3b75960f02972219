//! Trusses: four posts with bars around them, and diagonals between them. Roblox does not publish their
//! thickness.

use geom::TriMesh;
use glam::Vec3;

/// The thickness of posts and of bars, in studs.
const POST: f32 = 0.3;
const BAR: f32 = 0.18;
/// Maximum number of cells: that of the longest possible part.
const MOST_CELLS: u16 = 1024;

/// A truss: a row of cells, each a cube of two studs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Truss {
    cells: u16,
    /// A number in `Enum.Style`: 0 for alternating diagonals, 1 for those of a bridge, 2 for no diagonals.
    style: u8,
    /// The axis along which the cells follow each other: 0 for x, 1 for y, 2 for z.
    axis: u8,
}

impl Truss {
    pub(super) fn new(size: Vec3, style: u32) -> Self {
        let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(1);
        let cells = (size[axis] / 2.0).round().clamp(1.0, f32::from(MOST_CELLS)) as u16;
        Self { cells, style: style.min(2) as u8, axis: axis as u8 }
    }

    /// The number of bars: four posts, four around each end of a cell, and the diagonals.
    fn bars(self) -> usize {
        let cells = usize::from(self.cells);
        4 + 4 * (cells + 1) + if self.style == 2 { 0 } else { 4 * cells }
    }

    /// The memory of its mesh, in bytes.
    pub(super) fn bytes(self) -> u64 {
        (self.bars() * (24 * size_of::<[geom::Vec3; 2]>() + 12 * size_of::<[u32; 3]>())) as u64
    }

    /// Its mesh, in a cube from -0.5 to 0.5.
    pub(super) fn mesh(self) -> TriMesh {
        let mut mesh = TriMesh::default();
        mesh.positions.reserve_exact(24 * self.bars());
        mesh.normals.reserve_exact(24 * self.bars());
        mesh.triangles.reserve_exact(12 * self.bars());
        let cells = f32::from(self.cells);
        // The axes along and across are in cyclic order, so that no triangle is flipped.
        let place = |[along, u, v]: [f32; 3]| {
            let mut point = [0.0; 3];
            let axis = usize::from(self.axis);
            point[axis] = along / (2.0 * cells);
            point[(axis + 1) % 3] = u / 2.0;
            point[(axis + 2) % 3] = v / 2.0;
            point.into()
        };
        let edge = 1.0 - POST / 2.0;
        let corners = [[-edge, -edge], [edge, -edge], [edge, edge], [-edge, edge]];
        for [u, v] in corners {
            let ends = [Vec3::new(-cells, u, v), Vec3::new(cells, u, v)];
            bar(&mut mesh, ends, POST, Vec3::Y, place);
        }
        for side in 0..4 {
            let ([u, v], [to_u, to_v]) = (corners[side], corners[(side + 1) % 4]);
            let outward = Vec3::new(0.0, u + to_u, v + to_v).normalize();
            // Bars at the ends of the truss stay inside it.
            let most = cells - BAR / 2.0;
            let at = |cell: u16| (2.0 * f32::from(cell) - cells).clamp(-most, most);
            for cell in 0..=self.cells {
                let along = at(cell);
                let ends = [Vec3::new(along, u, v), Vec3::new(along, to_u, to_v)];
                bar(&mut mesh, ends, BAR, outward, place);
            }
            for cell in 0..self.cells {
                let rises = match self.style {
                    0 => cell % 2 == 0,
                    1 => cell < self.cells / 2,
                    _ => continue,
                };
                let (low, high) = if rises { (at(cell), at(cell + 1)) } else { (at(cell + 1), at(cell)) };
                let ends = [Vec3::new(low, u, v), Vec3::new(high, to_u, to_v)];
                bar(&mut mesh, ends, BAR * 0.8, outward, place);
            }
        }
        mesh
    }
}

/// Adds a bar with a square cross section; one side faces the direction `out`, which is perpendicular to the bar.
fn bar(
    mesh: &mut TriMesh,
    [from, to]: [Vec3; 2],
    thickness: f32,
    out: Vec3,
    place: impl Fn([f32; 3]) -> geom::Vec3,
) {
    let along = (to - from).normalize();
    let (out, across) = (out * (thickness / 2.0), along.cross(out) * (thickness / 2.0));
    let corner = |end: Vec3, a: f32, b: f32| place((end + out * a + across * b).to_array());
    let ring = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let [first, last] = [from, to].map(|end| ring.map(|(a, b)| corner(end, a, b)));
    let mut quad = |corners: [geom::Vec3; 4]| {
        let [a, b, c, _] = corners;
        let normal = (b - a).cross(c - a).normalize().unwrap_or(geom::Vec3::new(0.0, 1.0, 0.0));
        let start = mesh.positions.len() as u32;
        mesh.positions.extend(corners);
        mesh.normals.extend([normal; 4]);
        mesh.triangles.extend([[start, start + 1, start + 2], [start, start + 2, start + 3]]);
    };
    for side in 0..4 {
        let next = (side + 1) % 4;
        quad([first[side], first[next], last[next], last[side]]);
    }
    quad([first[3], first[2], first[1], first[0]]);
    quad(last);
}

#[cfg(test)]
#[path = "../../tests/inside/roblox_truss.rs"]
mod tests;
