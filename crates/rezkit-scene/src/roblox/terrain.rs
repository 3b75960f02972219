//! Terrain: a node with a primitive for each material.

use rbxblobs::{MaterialColors, ReadOptions, SmoothGrid};

use super::builder::Builder;
use super::look::bytes_of;
use super::tree::Inst;
use crate::images::linear_from_srgb;
use crate::model::{Alpha, Material, Mesh, Node, Primitive};
use rezkit_core::Result;

/// The most triangles, by default.
const MOST_TRIANGLES: u64 = 1_000_000;

impl Builder<'_> {
    pub(super) fn terrain(&mut self, index: usize, parent: Option<usize>) {
        let tree = self.tree;
        let terrain = &tree.instances[index];
        let Some(voxels) = terrain.blobs(&["SmoothGrid"]).next() else { return };
        if let Err(error) = self.surfaces(index, terrain, &tree.blobs[voxels], parent) {
            self.lose(index, format!("terrain: {error}"));
        }
    }

    fn surfaces(&mut self, index: usize, terrain: &Inst, voxels: &[u8], parent: Option<usize>) -> Result<()> {
        let tree = self.tree;
        let options = |left: u64| ReadOptions::new().max_bytes(left);
        let grid: SmoothGrid = options(self.budget.left()).read(voxels)?;
        let runs: usize = grid.chunks.iter().map(|chunk| chunk.runs.len()).sum();
        self.budget.take(runs as u64 * 8 + grid.chunks.len() as u64 * 64, "terrain")?;
        self.budget.work(grid.chunks.len() as u64 * (1 << 16), "terrain")?;
        let (step, triangles) = grid.finest_step(MOST_TRIANGLES, &options(self.budget.left()))?;
        if triangles == 0 {
            return Ok(());
        }
        let surfaces = grid.surface(step, &options(self.budget.left()))?;
        drop(grid);
        let colors = match terrain.blobs(&["MaterialColors"]).next() {
            Some(blob) => rbxblobs::from_slice(&tree.blobs[blob])?,
            None => MaterialColors::default(),
        };
        let water = bytes_of(terrain.color(&["WaterColor"]).unwrap_or([0.05, 0.33, 0.36]));
        let water_alpha = 1.0 - terrain.number("WaterTransparency").unwrap_or(0.3).clamp(0.0, 1.0);
        let mut primitives = Vec::new();
        for surface in surfaces {
            let taken = surface.mesh.positions.len() * 24 + surface.mesh.triangles.len() * 12;
            self.budget.take(taken as u64, "terrain")?;
            let is_water = surface.material == 1;
            let color = match colors.get(surface.material) {
                Some(color) => [color.r, color.g, color.b],
                None if is_water => water,
                None => [127; 3],
            };
            let [r, g, b] = color.map(linear_from_srgb);
            self.scene.materials.push(Material {
                name: format!("Terrain.{}", surface.name()),
                base_color: [r, g, b, if is_water { water_alpha } else { 1.0 }],
                roughness: if is_water { 0.1 } else { 0.9 },
                alpha: if is_water { Alpha::Blend } else { Alpha::Opaque },
                ..Material::default()
            });
            let material = Some(self.scene.materials.len() - 1);
            primitives.push(Primitive::new(surface.mesh, material));
        }
        let mesh = Some(self.scene.add_mesh(Mesh { name: "Terrain".into(), primitives, ..Mesh::default() }));
        self.scene.add_node(parent, Node { name: terrain.name.clone(), mesh, ..Node::default() });
        let what = match step {
            1 => format!("terrain is a smooth surface of {triangles} triangles"),
            _ => format!(
                "terrain is a smooth surface of {triangles} triangles, from every {step} voxels each way"
            ),
        };
        self.approximate(index, what);
        Ok(())
    }
}
