//! Voxels as a grid, and as triangles.

use bstr::ByteSlice;
use geom::{Rgba8, TriMesh, Vec3};

use crate::consts::PropertyId;
use crate::model::{Model, Voxel, VoxelBlock, VoxelType};

/// The sides of a cube: its normal, and its corners counter-clockwise seen from outside.
const SIDES: [([i8; 3], [[u8; 3]; 4]); 6] = [
    ([-1, 0, 0], [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]]),
    ([1, 0, 0], [[1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]),
    ([0, -1, 0], [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]),
    ([0, 1, 0], [[0, 1, 1], [1, 1, 1], [1, 1, 0], [0, 1, 0]]),
    ([0, 0, -1], [[1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0]]),
    ([0, 0, 1], [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]),
];

impl VoxelBlock {
    /// Every voxel that the file says something of, with its place counted from the block's corner:
    /// all but the unset ones behind the last.
    pub fn iter(&self) -> impl Iterator<Item = ([u32; 3], Voxel)> {
        let [w, _, d] = self.size.map(|extent| u64::from(extent.max(1)));
        #[allow(clippy::cast_possible_truncation, reason = "below a size, which has 32 bits")]
        let place = move |at: u64| [(at % w) as u32, (at / w / d) as u32, (at / w % d) as u32];
        (0..).zip(&self.voxels).map(move |(at, &voxel)| (place(at), voxel))
    }
}

impl Model {
    /// The type of a voxel; `None` where it is not set, cleared, or of a type that is not there.
    pub fn voxel_type(&self, voxel: Voxel) -> Option<&VoxelType> {
        self.voxel_types.get(voxel.kind()?)
    }

    /// The colour of a voxel's type: that of the material of its name, or else its own, or else white.
    pub fn voxel_color(&self, voxel: Voxel) -> Rgba8 {
        let Some(kind) = self.voxel_type(voxel) else { return Rgba8::WHITE };
        let material = self.material(kind.name.as_bstr()).filter(|_| !kind.name.is_empty());
        let color = material.and_then(|material| material.color(PropertyId::DIFFUSE)).unwrap_or(kind.color);
        if color == Rgba8::default() { Rgba8::WHITE } else { color }
    }

    /// How long the side of a voxel is in the model's coordinates: all blocks fill the bounding cube.
    pub fn voxel_size(&self) -> f32 {
        let mut most = 0_u64;
        for block in &self.voxel_blocks {
            for (position, size) in block.position.into_iter().zip(block.size) {
                let end = i64::from(position) + i64::from(size);
                most = most.max(position.unsigned_abs().into()).max(end.unsigned_abs());
            }
        }
        #[allow(clippy::cast_precision_loss, reason = "a size, not a count")]
        let most = most.max(1) as f32;
        1.0 / most
    }

    /// The blocks as triangles in metres, each voxel as a cube whatever its shape: only sides that no
    /// other voxel of the block hides, each with four corners of its own, its normal and its colour.
    /// Unset and cleared voxels are empty.
    pub fn voxel_mesh(&self) -> TriMesh {
        let mut mesh = TriMesh::default();
        let scale = self.voxel_size() * self.scale_or_one();
        let colors: Vec<Rgba8> = (0..self.voxel_types.len())
            .map(|kind| self.voxel_color(Voxel(u16::try_from(kind).unwrap_or(u16::MAX))))
            .collect();
        for block in &self.voxel_blocks {
            for (place, voxel) in block.iter() {
                let Some(kind) = voxel.kind() else { continue };
                let color = colors.get(kind).copied().unwrap_or(Rgba8::WHITE);
                for (normal, corners) in SIDES {
                    if !hidden(block, place, normal) {
                        side(&mut mesh, block, place, normal, corners, scale, color);
                    }
                }
            }
        }
        mesh
    }
}

fn hidden(block: &VoxelBlock, place: [u32; 3], normal: [i8; 3]) -> bool {
    let mut next = place;
    for (to, step) in next.iter_mut().zip(normal) {
        let Some(moved) = to.checked_add_signed(step.into()) else { return false };
        *to = moved;
    }
    let [x, y, z] = next;
    block.get(x, y, z).kind().is_some()
}

#[allow(clippy::cast_precision_loss, reason = "places in a grid")]
fn side(
    mesh: &mut TriMesh,
    block: &VoxelBlock,
    place: [u32; 3],
    normal: [i8; 3],
    corners: [[u8; 3]; 4],
    scale: f32,
    color: Rgba8,
) {
    let Ok(first) = u32::try_from(mesh.positions.len()) else { return };
    for corner in corners {
        let at = |axis: usize| {
            (i64::from(block.position[axis]) + i64::from(place[axis]) + i64::from(corner[axis])) as f32
        };
        mesh.positions.push(Vec3::new(at(0), at(1), at(2)) * scale);
        mesh.normals.push(Vec3::from(normal.map(f32::from)));
        mesh.colors.push(color);
    }
    mesh.triangles.push([first, first + 1, first + 2]);
    mesh.triangles.push([first, first + 2, first + 3]);
}
