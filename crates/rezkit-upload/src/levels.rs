//! The levels of detail of a scene.

use std::collections::HashMap;

use rezkit_scene::{Budget, Loss, Mesh, MorphTarget, Node, Primitive, Result, Scene, slmesh};

use crate::coverage::lost;
use crate::hulls::corners;
use crate::samples::area;
use crate::simplify::{Simplified, Source, column, simplify};

/// The number of triangles of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LevelTarget {
    /// A fraction of the finest level's triangles. A mesh keeps 24 triangles; in an upload to Second Life, only as far as
    /// fewer would not cost less, since the first 384 bytes of a level are free.
    Ratio(f64),
    /// The number in the whole scene, counting each mesh as often as it is placed.
    Triangles(usize),
}

/// The minimum number of triangles of a mesh in a level given as a fraction, if they need at most [`FREE`] bytes.
const LEAST: usize = 24;
/// The bytes of a level that cost no more than an empty one: 384 are free, and 16 are always charged.
const FREE: f64 = 400.0;

/// The approximate size of a level's block, as measured for levels of few triangles: keys and domains, and columns that
/// compress to about half. Flat and textured meshes have more vertices.
fn block(parts: &[(geom::TriMesh, Vec<Source>)]) -> f64 {
    let columns = |mesh: &geom::TriMesh| {
        let vertex = if mesh.uvs.is_empty() { 12 } else { 16 };
        mesh.positions.len() * vertex + mesh.triangles.len() * 6
    };
    let columns: usize = parts.iter().map(|(mesh, _)| columns(mesh)).sum();
    150.0 + 55.0 * parts.len() as f64 + 0.47 * columns as f64
}

impl LevelTarget {
    /// The fraction of all triangles that the level has.
    pub(crate) fn share(self, all: usize) -> f64 {
        match self {
            Self::Ratio(ratio) => ratio,
            Self::Triangles(count) => count as f64 / all.max(1) as f64,
        }
        .clamp(0.0, 1.0)
    }
}

/// The scene with fewer triangles, once for each target. Nodes, materials, skins and the number of primitives of each
/// mesh are unchanged. A level has no more triangles than the previous one.
///
/// # Errors
/// As [`simplify`](crate::simplify), and if the scene contradicts itself.
pub fn levels(
    scene: &Scene,
    targets: &[LevelTarget],
    budget: &mut Budget,
) -> Result<(Vec<Scene>, Vec<Loss>)> {
    let (scenes, losses) = levels_with_room(scene, targets, None, budget)?;
    Ok((scenes, losses.into_iter().map(|listed| listed.loss).collect()))
}

/// A loss of generated levels.
pub(crate) struct Listed {
    /// The index of the level and the mesh; `None` for a loss of all meshes.
    pub(crate) of: Option<(usize, usize)>,
    pub(crate) loss: Loss,
}

/// Like [`levels`], for an upload to Second Life: reserves some triangles of a mesh for later additions, their number by
/// mesh; and levels that cost more than an empty one may have less than [`LEAST`] triangles.
pub(crate) fn levels_with_room(
    scene: &Scene,
    targets: &[LevelTarget],
    room: Option<&HashMap<usize, usize>>,
    budget: &mut Budget,
) -> Result<(Vec<Scene>, Vec<Listed>)> {
    scene.check()?;
    let mut placed: HashMap<usize, usize> = HashMap::new();
    scene.placed().iter().for_each(|placed_one| *placed.entry(placed_one.mesh).or_default() += 1);
    let triangles = |mesh: &Mesh| mesh.primitives.iter().map(|each| each.mesh.triangles.len()).sum::<usize>();
    let all: usize = placed.iter().map(|(mesh, times)| triangles(&scene.meshes[*mesh]) * times).sum();
    let which = |level: usize| format!("generated level of detail {} of {}", level + 1, targets.len());
    let mut losses = Vec::new();
    let mut least = 1.0_f64;
    let mut shares: Vec<f64> = Vec::new();
    for (level, target) in targets.iter().enumerate() {
        let share = target.share(all);
        if share > least {
            let what = format!(
                "{}: more triangles were requested than the previous level has, so both levels have the same number",
                which(level)
            );
            losses.push(Listed { of: None, loss: Loss::approximated("levels", what).id("lods.not-reduced") });
        }
        least = least.min(share);
        shares.push(least);
    }
    scene.take(1 + targets.len(), budget)?;
    let mut scenes = vec![scene.clone(); targets.len()];
    for (index, mesh) in scene.meshes.iter().enumerate().filter(|(index, _)| placed.contains_key(index)) {
        let count = triangles(mesh);
        let is_charged = room.is_some();
        let room = room.and_then(|room| room.get(&index)).copied().unwrap_or(0);
        let wanted = |least: usize| -> Vec<usize> {
            let of = |(share, target): (&f64, &LevelTarget)| {
                let wanted = (count as f64 * share).round() as usize;
                let is_ratio = matches!(target, LevelTarget::Ratio(_));
                let wanted = if is_ratio { wanted.max(least) } else { wanted };
                // Nothing is reserved in a mesh that is not reduced.
                wanted.saturating_sub(if wanted < count { room } else { 0 })
            };
            shares.iter().zip(targets).map(of).collect()
        };
        let parts: Vec<_> = mesh.primitives.iter().map(|primitive| &*primitive.mesh).collect();
        let title = || if mesh.name.is_empty() { format!("meshes[{index}]") } else { mesh.name.clone() };
        let mut least = LEAST.min(count);
        let (wanted, simplified) = loop {
            let (all, fewer) = (wanted(least), wanted(least * 3 / 4));
            let simplified = simplify(&parts, &all, budget).map_err(|error| {
                error.below(|path| format!("{}.{}", title(), path.replace("parts", "primitives")))
            })?;
            let is_dear = |(level, simplified): (usize, &Simplified)| {
                fewer[level] < all[level] && block(&simplified.parts) > FREE
            };
            if !is_charged || least <= 1 || !simplified.iter().enumerate().any(is_dear) {
                break (all, simplified);
            }
            least = least * 3 / 4;
        };
        for ((level, (scene, simplified)), wanted) in
            scenes.iter_mut().zip(simplified).enumerate().zip(wanted)
        {
            let path = || format!("{} (triangles: {})", title(), simplified.triangle_count());
            let mut list = |loss: Loss| losses.push(Listed { of: Some((level, index)), loss });
            if simplified.triangle_count() > wanted.max(mesh.primitives.len()) {
                let what = format!(
                    "{}: the mesh cannot be reduced further; its share of the requested triangles is {wanted}",
                    which(level)
                );
                list(Loss::approximated(path(), what).id("lods.not-reduced"));
            }
            if !simplified.is_nearest {
                let what = "some colours, normals and texture coordinates are not those of the nearest \
                            original triangle, because too many triangles overlap";
                list(Loss::approximated(path(), format!("{}: {what}", which(level))).id("lods.quality"));
            }
            if !simplified.keeps_seams {
                let made: Vec<_> = simplified.parts.iter().map(|(mesh, _)| mesh).collect();
                let gone = lost(&parts, &made, size(&parts) * GONE, budget)?;
                let gone = gone.map_or_else(String::new, |gone| {
                    format!(" ({:.1} % of the surface is lost)", (gone.share * 100.0).max(0.1))
                });
                let what = format!(
                    "{}: borders, texture seams and small parts are not preserved, because the requested number of \
                     triangles is too small for them{gone}",
                    which(level)
                );
                list(Loss::approximated(path(), what).id("lods.quality"));
            }
            let area = |meshes: &[&geom::TriMesh]| -> f64 {
                meshes.iter().flat_map(|mesh| corners(mesh)).map(|corners| area(&corners)).sum()
            };
            let made: Vec<_> = simplified.parts.iter().map(|(mesh, _)| mesh).collect();
            let share = area(&made) / area(&parts);
            if simplified.triangle_count() > FEW && !USUAL.contains(&share) {
                let what = format!("has {:.0} % of the area of the original surface", share * 100.0);
                list(Loss::approximated(path(), format!("{}: it {what}", which(level))).id("lods.quality"));
            }
            let primitives = mesh.primitives.iter().zip(simplified.parts);
            scene.meshes[index].primitives =
                primitives.map(|(original, (mesh, sources))| carried(original, mesh, &sources)).collect();
        }
    }
    Ok((scenes, losses))
}

/// The distance of a point of the surface from a level, as a fraction of the longest side, above which the point counts
/// as lost.
const GONE: f64 = 0.05;

/// The area of a level, relative to the original, that is not listed, if the level has more triangles than a few.
const USUAL: std::ops::Range<f64> = 0.8..1.1;
const FEW: usize = 200;

/// The longest side of the box around meshes.
pub(crate) fn size(meshes: &[&geom::TriMesh]) -> f64 {
    let bounds = geom::Aabb::from_points(meshes.iter().flat_map(|mesh| &mesh.positions).copied());
    bounds.map_or(0.0, |bounds| bounds.size().to_array().into_iter().fold(0.0, f32::max).into())
}

/// A primitive with another mesh; its other columns are taken from the original, at the points where the vertices are.
fn carried(original: &Primitive, mesh: geom::TriMesh, sources: &[Source]) -> Primitive {
    let triangles = &original.mesh.triangles;
    let vectors = |list: &[geom::Vec3]| -> Vec<geom::Vec3> {
        column(triangles, list, sources, |vector| vector.to_array()).into_iter().map(Into::into).collect()
    };
    let mut primitive = Primitive::new(mesh, original.material);
    primitive.more_uvs = original
        .more_uvs
        .iter()
        .map(|set| column(triangles, set, sources, |uv| uv.to_array()).into_iter().map(Into::into).collect())
        .collect();
    primitive.targets = original
        .targets
        .iter()
        .map(|target| MorphTarget {
            name: target.name.clone(),
            positions: vectors(&target.positions),
            normals: vectors(&target.normals),
            tangents: vectors(&target.tangents),
        })
        .collect();
    primitive
}

/// A scene with its levels as further nodes beside those of the finest level. They have the extra `lod`, which becomes
/// the level in Roblox meshes, and the suffixes `_LOD2`, `_LOD1` and `_LOD0`, by which the Second Life viewer pairs
/// them.
///
/// # Errors
/// [`Limit`](rezkit_scene::ErrorKind::Limit) if the nodes take more than is left.
pub fn with_levels(mut scene: Scene, levels: &[Scene], budget: &mut Budget) -> Result<Scene> {
    let nodes = (scene.nodes.len() * levels.len()) as u64;
    // Each node has an extra, and the list of nodes doubles when it grows.
    budget.take(nodes.saturating_mul(size_of::<[Node; 2]>() as u64 + 800), "the levels of detail")?;
    levels.iter().try_for_each(|level| level.take(1, budget))?;
    let parents = scene.parents();
    let drawn: Vec<usize> = scene.placed().iter().map(|placed| placed.node).collect();
    for (number, level) in (1..).zip(levels) {
        let mut mesh_of: HashMap<usize, usize> = HashMap::new();
        for &at in &drawn {
            let Some(mesh) = scene.nodes[at].mesh else { continue };
            let added = *mesh_of.entry(mesh).or_insert_with(|| {
                let mut mesh = level.meshes[mesh].clone();
                mesh.name = slmesh::level_name(&mesh.name, number);
                scene.add_mesh(mesh)
            });
            let mut node = scene.nodes[at].clone();
            (node.mesh, node.name) = (Some(added), slmesh::level_name(&node.name, number));
            node.children.clear();
            (node.light, node.camera) = (None, None);
            node.set_level(number);
            scene.add_node(parents[at], node);
        }
    }
    Ok(scene)
}
