//! Converts terrain to a mesh with a primitive for each material.

use std::collections::BTreeMap;

use rbxblobs::{MaterialColors, ReadOptions, SmoothGrid};

use super::builder::Builder;
use super::look::bytes_of;
use super::surfaces;
use crate::forms::Terrain;
use crate::images::linear_from_srgb;
use crate::model::{Alpha, Material, Mesh, Node, Primitive, Scene};
use rezkit_core::{Budget, Result};

/// Maximum number of triangles unless a step is requested.
const MOST_TRIANGLES: u64 = 1_000_000;

/// The bytes of terrain, and its appearance.
pub(super) struct Ground<'a> {
    pub(super) voxels: &'a [u8],
    pub(super) colors: Option<&'a [u8]>,
    /// The colour of water, sRGB, 0 to 1.
    pub(super) water: Option<[f32; 3]>,
    pub(super) water_transparency: Option<f32>,
}

impl Builder<'_> {
    pub(super) fn terrain(&mut self, index: usize, parent: Option<usize>) {
        let tree = self.tree;
        let terrain = &tree.instances[index];
        let Some(voxels) = terrain.blobs(&["SmoothGrid"]).next() else { return };
        let ground = Ground {
            voxels: &tree.blobs[voxels],
            colors: terrain.blobs(&["MaterialColors"]).next().map(|blob| &*tree.blobs[blob]),
            water: terrain.color(&["WaterColor"]),
            water_transparency: terrain.number("WaterTransparency"),
        };
        match ground.mesh(self.options.terrain, &mut self.scene, self.budget) {
            Ok(Made::Mesh(mesh, what)) => {
                self.scene.add_node(parent, Node { mesh: Some(mesh), ..tree.node(index) });
                self.approximate(index, what);
            }
            Ok(Made::LeftOut) => self.lose(index, "terrain, which the option terrain excludes"),
            Ok(Made::Nothing) => {}
            Err(error) => self.lose(index, format!("terrain that cannot be converted: {error}")),
        }
    }
}

/// The result of converting terrain.
pub(super) enum Made {
    /// The index of a mesh, and the approximations.
    Mesh(usize, String),
    LeftOut,
    /// All voxels are air.
    Nothing,
}

impl Ground<'_> {
    /// Adds a mesh with a primitive for each material to a scene.
    pub(super) fn mesh(&self, wanted: Terrain, scene: &mut Scene, budget: &mut Budget) -> Result<Made> {
        let options = |left: u64| ReadOptions::new().max_bytes(left);
        let grid: SmoothGrid = options(budget.left()).read(self.voxels)?;
        let runs: usize = grid.chunks.iter().map(|chunk| chunk.runs.len()).sum();
        budget.take(runs as u64 * 8 + grid.chunks.len() as u64 * 64, "terrain")?;
        budget.work(grid.chunks.len() as u64 * (1 << 16), "terrain")?;
        let mut areas = None;
        let step = match wanted {
            Terrain::Finest => {
                let (step, measured) = grid.finest_step(MOST_TRIANGLES, &options(budget.left()))?;
                areas = measured.into_iter().next().map(|of_voxels| of_voxels.areas);
                step
            }
            Terrain::Step(step) => step,
            Terrain::Without => {
                let mut runs = grid.chunks.iter().flat_map(|chunk| &chunk.runs);
                let has_any = runs.any(|(voxel, _)| voxel.material != 0);
                return Ok(if has_any { Made::LeftOut } else { Made::Nothing });
            }
        };
        let surfaces = grid.surface(step, &options(budget.left()))?;
        let areas = match areas {
            _ if step == 1 => BTreeMap::new(),
            Some(areas) => areas,
            None => grid.measure(1, &options(budget.left()))?.areas,
        };
        drop(grid);
        let triangles: usize = surfaces.iter().map(|surface| surface.mesh.triangles.len()).sum();
        if triangles == 0 {
            return Ok(Made::Nothing);
        }
        let colors = match self.colors {
            Some(colors) => rbxblobs::from_slice(colors)?,
            None => MaterialColors::default(),
        };
        let water = bytes_of(self.water.unwrap_or([0.05, 0.33, 0.36]));
        let water_alpha = 1.0 - self.water_transparency.unwrap_or(0.3).clamp(0.0, 1.0);
        let (mut primitives, mut after) = (Vec::new(), BTreeMap::new());
        for surface in surfaces {
            after.insert(surface.material, surface.area());
            let taken = surface.mesh.positions.len() * 24 + surface.mesh.triangles.len() * 12;
            budget.take(taken as u64, "terrain")?;
            let is_water = surface.material == 1;
            let color = match colors.get(surface.material) {
                Some(color) => [color.r, color.g, color.b],
                None if is_water => water,
                None => [127; 3],
            };
            let [r, g, b] = color.map(linear_from_srgb);
            scene.materials.push(Material {
                name: format!("Terrain.{}", surface.name()),
                base_color: [r, g, b, if is_water { water_alpha } else { 1.0 }],
                roughness: if is_water { 0.1 } else { surfaces::roughness(surface.name()) },
                alpha: if is_water { Alpha::Blend } else { Alpha::Opaque },
                ..Material::default()
            });
            let material = Some(scene.materials.len() - 1);
            primitives.push(Primitive::new(surface.mesh, material));
        }
        let mesh = scene.add_mesh(Mesh { name: "Terrain".into(), primitives, ..Mesh::default() });
        let mut what = format!("terrain becomes a smooth surface of {triangles} triangles");
        if step > 1 {
            what += &format!(
                " (one sample per {step} x {step} x {step} voxels); remaining area of each material, in square studs:"
            );
            // Includes materials without remaining triangles.
            let of = areas.iter().map(|(&material, &before)| {
                let after = after.get(&material).copied().unwrap_or_default();
                format!(" {} {after:.0} of {before:.0}", rbxblobs::terrain::name(material))
            });
            what += &of.collect::<Vec<_>>().join(",");
        }
        Ok(Made::Mesh(mesh, what))
    }
}
