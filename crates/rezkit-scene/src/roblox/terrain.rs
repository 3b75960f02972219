//! Converts terrain to a mesh with a primitive for each material.

use std::collections::BTreeMap;

use rbxblobs::terrain::{STEPS, name};
use rbxblobs::{MaterialColors, ReadOptions, SmoothGrid};

use super::builder::Builder;
use super::look::bytes_of;
use super::solid::Listed;
use super::surfaces;
use super::tree::Property;
use crate::forms::{MOST_TRIANGLES, Terrain};
use crate::images::linear_from_srgb;
use crate::model::{Alpha, Material, Mesh, Node, Primitive, Scene};
use rezkit_core::{Budget, Loss, Result};

const WHAT: &str = "terrain";

/// The bytes of terrain, and its appearance.
pub(super) struct Ground<'a> {
    pub(super) voxels: &'a [u8],
    /// Whether the bytes are the cells of terrain before 2015.
    pub(super) has_cells: bool,
    pub(super) colors: Option<&'a [u8]>,
    /// The colour of water, sRGB, 0 to 1.
    pub(super) water: Option<[f32; 3]>,
    pub(super) water_transparency: Option<f32>,
}

impl Builder<'_> {
    pub(super) fn terrain(&mut self, index: usize, parent: Option<usize>) {
        let tree = self.tree;
        let terrain = &tree.instances[index];
        // Studio gave places with older terrain an empty grid, which has only its header.
        let smooth = terrain.blobs(&[Property::SmoothGrid]).next();
        let old = terrain.blobs(&[Property::ClusterGridV3, Property::ClusterGridV2]).next();
        let is_empty = |blob: usize| tree.blobs[blob].len() <= 2;
        let old = old.filter(|old| !is_empty(*old) && smooth.is_none_or(is_empty));
        let Some(voxels) = old.or(smooth) else {
            if terrain.blobs(&[Property::ClusterGrid]).next().is_some() {
                let what = "terrain as ClusterGrid, the form before 2012, which is not supported".to_owned();
                self.without_terrain.push(what.clone());
                self.lose(index, "roblox.no-terrain", what);
            }
            return;
        };
        let colors = terrain.blobs(&[Property::MaterialColors]).next();
        let (water, water_transparency) =
            (terrain.color(&[Property::WaterColor]), terrain.number(Property::WaterTransparency));
        let bits = |color: [f32; 3]| color.map(f32::to_bits);
        let key = (voxels, colors, water.map(bits), water_transparency.map(f32::to_bits));
        if !self.grounds.contains_key(&key) {
            let ground = Ground {
                voxels: &tree.blobs[voxels],
                has_cells: old.is_some(),
                colors: colors.map(|blob| &*tree.blobs[blob]),
                water,
                water_transparency,
            };
            let mut listed = Vec::new();
            let made = ground.mesh(self.options.terrain, &mut self.scene, &mut listed, self.budget);
            let mesh = made.unwrap_or_else(|error| {
                listed.push(
                    Loss::new("", format!("terrain that cannot be converted: {error}"))
                        .id("roblox.no-terrain"),
                );
                None
            });
            self.grounds.insert(key, (mesh, listed));
        }
        let Some((mesh, listed)) = self.grounds.get(&key).cloned() else { return };
        if mesh.is_none() {
            self.without_terrain.extend(listed.iter().map(|loss| loss.what.clone().into_owned()));
        }
        if let Some(mesh) = mesh {
            self.scene.add_node(parent, Node { mesh: Some(mesh), ..tree.node(index) });
        }
        listed.into_iter().for_each(|loss| self.list(index, loss));
    }
}

/// Drops the chunks that are too far away, and lists them, repeated chunks and unknown materials.
fn drop_far_chunks(grid: &mut SmoothGrid, listed: &mut Vec<Listed>) {
    let defects = grid.defects();
    grid.chunks.retain(|chunk| !chunk.is_far());
    let far = "a chunk of terrain that is too far away from the origin";
    let repeated = "a chunk of terrain, since a later chunk has the same position";
    for (what, count) in [(far, defects.far), (repeated, defects.repeated)] {
        if count > 0 {
            listed.push(Loss::new("", what).id("roblox.no-terrain").times(count));
        }
    }
    listed.extend(defects.unknown.iter().map(|material| {
        let what = format!("the terrain material {material} is unknown, so it becomes grey");
        Loss::approximated("", what).id("roblox.terrain-look")
    }));
}

impl Ground<'_> {
    /// The voxels, also those of the form before 2015.
    fn grid(&self, listed: &mut Vec<Listed>, budget: &mut Budget) -> Result<SmoothGrid> {
        let options = |left: u64| ReadOptions::new().max_bytes(left);
        if !self.has_cells {
            budget.work(self.voxels.len() as u64 * 16, WHAT)?;
            return Ok(options(budget.left()).read::<SmoothGrid>(self.voxels)?);
        }
        let (grid, loss) = SmoothGrid::from_cells(self.voxels, budget)?;
        listed.push(loss);
        Ok(grid)
    }

    /// Adds a mesh with a primitive for each material to a scene; `None` if there is no surface. Lists what is
    /// approximated or left out.
    pub(super) fn mesh(
        &self,
        wanted: Terrain,
        scene: &mut Scene,
        listed: &mut Vec<Listed>,
        budget: &mut Budget,
    ) -> Result<Option<usize>> {
        let options = |left: u64| ReadOptions::new().max_bytes(left);
        let mut grid = self.grid(listed, budget)?;
        let runs: usize = grid.chunks.iter().map(|chunk| chunk.runs.len()).sum();
        let chunks = grid.chunks.len() as u64;
        budget.take(runs as u64 * 8 + chunks * 64, WHAT)?;
        if wanted == Terrain::Without {
            let mut runs = grid.chunks.iter().flat_map(|chunk| &chunk.runs);
            if runs.any(|(voxel, _)| voxel.material != 0) {
                let what = "terrain, which the option terrain (--terrain) excludes";
                listed.push(Loss::new("", what).id("roblox.terrain-excluded"));
            }
            return Ok(None);
        }
        drop_far_chunks(&mut grid, listed);
        let crossed = grid.crossed_chunks() as u64;
        // The surface of a crossed chunk takes about 0.3 ms, and up to 6 ms if every voxel differs from the next.
        let work = |step: u32| chunks * 1000 + ((crossed << 17) + runs as u64 * 64) / u64::from(step);
        let mut before = None;
        let step = match wanted {
            Terrain::Step(step) => step,
            _ => {
                let mut found = 1;
                for step in STEPS {
                    budget.work(work(step), WHAT)?;
                    let measured = grid.measure(step, &options(budget.left()))?;
                    found = step;
                    let is_enough = measured.triangles <= MOST_TRIANGLES;
                    before.get_or_insert(measured.areas);
                    if is_enough {
                        break;
                    }
                }
                found
            }
        };
        budget.work(work(step.max(1)), WHAT)?;
        let surfaces = grid.surface(step, &options(budget.left()))?;
        let areas = match before {
            _ if step == 1 => BTreeMap::new(),
            Some(areas) => areas,
            None => {
                budget.work(work(1), WHAT)?;
                grid.measure(1, &options(budget.left()))?.areas
            }
        };
        drop(grid);
        let triangles: usize = surfaces.iter().map(|surface| surface.mesh.triangles.len()).sum();
        if triangles == 0 {
            return Ok(None);
        }
        let colors = self.colors.map(rbxblobs::from_slice::<MaterialColors>).transpose();
        let colors = colors.unwrap_or_else(|error| {
            let what = format!(
                "the colours of the materials of terrain cannot be read, so the default colours are used: {error}"
            );
            listed.push(Loss::approximated("", what).id("roblox.terrain-look"));
            None
        });
        let colors = colors.unwrap_or_default();
        let water = bytes_of(self.water.unwrap_or([0.05, 0.33, 0.36]));
        let water_alpha = 1.0 - self.water_transparency.unwrap_or(0.3).clamp(0.0, 1.0);
        let (mut primitives, mut after) = (Vec::new(), BTreeMap::new());
        for surface in surfaces {
            after.insert(surface.material, surface.area());
            let taken = surface.mesh.positions.len() * 24 + surface.mesh.triangles.len() * 12;
            budget.take(taken as u64, WHAT)?;
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
                " (one sample per {step} x {step} x {step} voxels; to change this, set the option terrain, --terrain); \
                 area that remains of each material, in square studs:"
            );
            // Includes materials without remaining triangles.
            let of = areas.iter().map(|(&material, &before)| {
                let after = after.get(&material).copied().unwrap_or_default();
                format!(" {} {after:.0} of {before:.0}", name(material))
            });
            what += &of.collect::<Vec<_>>().join(",");
        }
        listed.push(Loss::approximated("", what).id("roblox.terrain-reduced"));
        Ok(Some(mesh))
    }
}
