//! Voxels as a grid, and as triangles.

use bstr::ByteSlice;
use geom::{LinearRgba, Rgba8, TriMesh, Vec3};

use crate::consts::PropertyId;
use crate::model::{Model, Voxel, VoxelBlock, VoxelType};
use crate::options::ViewOptions;
use crate::view_budget::ViewBudget;
use geom::wire::{ErrorKind, Result};

/// The sides of a cube: the normal of each, and its corners, counter-clockwise seen from outside.
const SIDES: [([i8; 3], [[u8; 3]; 4]); 6] = [
    ([-1, 0, 0], [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]]),
    ([1, 0, 0], [[1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]),
    ([0, -1, 0], [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]),
    ([0, 1, 0], [[0, 1, 1], [1, 1, 1], [1, 1, 0], [0, 1, 0]]),
    ([0, 0, -1], [[1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0]]),
    ([0, 0, 1], [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]),
];

impl VoxelBlock {
    /// Every voxel of the list with its coordinates, relative to the block's corner. Voxels beyond the end of the list,
    /// which are unset, are not included, nor are entries beyond the end of the block.
    pub fn iter(&self) -> impl Iterator<Item = ([u32; 3], Voxel)> {
        let [w, _, d] = self.size.map(|extent| u64::from(extent.max(1)));
        #[allow(clippy::cast_possible_truncation, reason = "below a size, which has 32 bits")]
        let coordinates = move |at: u64| [(at % w) as u32, (at / w / d) as u32, (at / w % d) as u32];
        let len = self.voxels.len().min(self.volume().unwrap_or(usize::MAX));
        (0..).zip(self.voxels.iter().take(len)).map(move |(at, &voxel)| (coordinates(at), voxel))
    }
}

impl ViewOptions {
    /// Like [`Model::voxel_mesh`], with these options.
    ///
    /// # Errors
    /// If more memory or work is needed than the options allow.
    pub fn voxel_mesh(&self, model: &Model) -> Result<TriMesh> {
        self.run(|work| mesh(model, work))
    }
}

impl Model {
    /// The type of a voxel; `None` if it is not set, cleared, or its type does not exist.
    pub fn voxel_type(&self, voxel: Voxel) -> Option<&VoxelType> {
        self.voxel_types.get(voxel.kind()?)
    }

    /// The colour of a voxel: that of the material with the name of its type, or else that of its type, or else white.
    pub fn voxel_color(&self, voxel: Voxel) -> Rgba8 {
        let Some(kind) = self.voxel_type(voxel) else { return Rgba8::WHITE };
        let material = self.material(&kind.name).filter(|_| !kind.name.is_empty());
        color(kind, material.and_then(|material| material.color(PropertyId::DIFFUSE)))
    }

    /// The side length of a voxel in metres, so that all blocks together fill the bounding cube.
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
        self.scale_or_one() / most
    }

    /// The blocks as triangles in metres. Each voxel is a cube whatever its shape; sides that another voxel of the
    /// block hides are left out. Each side has its own four corners, normal and colour. Unset and cleared voxels are
    /// empty.
    ///
    /// # Errors
    /// As [`ViewOptions::voxel_mesh`] with the defaults.
    pub fn voxel_mesh(&self) -> Result<TriMesh> {
        ViewOptions::new().voxel_mesh(self)
    }
}

fn color(kind: &VoxelType, material: Option<Rgba8>) -> Rgba8 {
    let color = material.unwrap_or(kind.color);
    if color == Rgba8::default() { Rgba8::WHITE } else { color }
}

pub(super) fn mesh(model: &Model, work: &ViewBudget) -> Result<TriMesh, ErrorKind> {
    let materials = (model.materials.len() + model.voxel_types.len()) as u64;
    work.steps(materials)?;
    work.bytes(materials * 100)?;
    let ids = model.material_ids();
    let named = |kind: &VoxelType| {
        let id = ids.get(kind.name.as_bstr()).filter(|_| !kind.name.is_empty())?;
        model.materials.get(id.get()?)?.color(PropertyId::DIFFUSE)
    };
    let colors: Vec<LinearRgba> =
        model.voxel_types.iter().map(|kind| color(kind, named(kind)).to_linear()).collect();
    // Counted first: only visible sides take memory.
    let mut count = 0_u64;
    for block in &model.voxel_blocks {
        // Empty voxels cost little.
        work.steps(block.voxels.len() as u64 / 8)?;
        for (cell, _) in block.iter().filter(|(_, voxel)| voxel.kind().is_some()) {
            work.steps(1)?;
            count += visible(block, cell).count() as u64;
        }
    }
    work.vertices(count * 4)?;
    work.steps(count)?;
    work.values::<([Vec3; 2], Rgba8)>(count * 4)?;
    work.values::<[[u32; 3]; 2]>(count)?;
    let mut mesh = TriMesh::default();
    let points = usize::try_from(count * 4).unwrap_or(0);
    mesh.positions.reserve_exact(points);
    mesh.normals.reserve_exact(points);
    mesh.colors.reserve_exact(points);
    mesh.triangles.reserve_exact(points / 2);
    let scale = model.voxel_size();
    for block in &model.voxel_blocks {
        for (cell, voxel) in block.iter() {
            let Some(kind) = voxel.kind() else { continue };
            let color = colors.get(kind).copied().unwrap_or(LinearRgba::WHITE);
            let sum = |axis: usize| i64::from(block.position[axis]) + i64::from(cell[axis]);
            for (normal, corners) in visible(block, cell) {
                let Ok(first) = u32::try_from(mesh.positions.len()) else { return Ok(mesh) };
                for corner in corners {
                    #[allow(clippy::cast_precision_loss, reason = "coordinates in a grid")]
                    let at = [0, 1, 2].map(|axis| (sum(axis) + i64::from(corner[axis])) as f32);
                    mesh.positions.push(Vec3::from(at) * scale);
                    mesh.normals.push(Vec3::from(normal.map(f32::from)));
                    mesh.colors.push(color);
                }
                mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            }
        }
    }
    Ok(mesh)
}

/// The sides of a voxel that no other one hides.
fn visible(block: &VoxelBlock, cell: [u32; 3]) -> impl Iterator<Item = &'static ([i8; 3], [[u8; 3]; 4])> {
    SIDES.iter().filter(move |(normal, _)| {
        let mut next = cell;
        for (to, &step) in next.iter_mut().zip(normal) {
            let Some(moved) = to.checked_add_signed(step.into()) else { return true };
            *to = moved;
        }
        let [x, y, z] = next;
        block.get(x, y, z).kind().is_none()
    })
}
