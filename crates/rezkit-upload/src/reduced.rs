//! Scenes whose meshes have at most a number of triangles.

use std::collections::HashMap;
use std::sync::Arc;

use geom::TriMesh;
use rezkit_scene::{Budget, ErrorKind, Loss, Primitive, Result, Scene};

use crate::simplify::{Simplified, Source, column, simplify};

/// A mesh with fewer triangles, and the points of the original that its vertices are.
type Reduced = Option<(Arc<TriMesh>, Vec<Source>)>;

/// The part of its area that a simplified mesh has at least: loose pieces are not left out.
const KEPT: f64 = 0.97;

/// Simplifies each mesh of a scene that has more than a number of triangles, if the result keeps its borders, its area and the
/// seams of its textures; others, and those with morph targets, stay as they are. Returns the losses.
///
/// # Errors
/// If a mesh contradicts itself.
pub fn reduced(scene: &mut Scene, most: usize, budget: &mut Budget) -> Result<Vec<Loss>> {
    let (mut losses, mut known): (Vec<Loss>, HashMap<usize, Reduced>) = Default::default();
    // The addresses of the originals stay their own while they are held.
    let mut originals: Vec<Arc<TriMesh>> = Vec::new();
    for (index, mesh) in scene.meshes.iter_mut().enumerate() {
        for primitive in &mut mesh.primitives {
            let count = primitive.mesh.triangles.len();
            if count <= most || !primitive.targets.is_empty() {
                continue;
            }
            let address = Arc::as_ptr(&primitive.mesh).addr();
            let made = match known.get(&address) {
                Some(made) => made.clone(),
                None => {
                    originals.push(primitive.mesh.clone());
                    let made = one(&primitive.mesh, most, budget)?;
                    known.entry(address).or_insert(made).clone()
                }
            };
            let Some((made, sources)) = made else { continue };
            let what = format!("a mesh of {count} triangles is simplified to {}", made.triangles.len());
            losses.push(Loss::approximated(format!("meshes[{index}]"), what).id("roblox.simplified"));
            *primitive = with(primitive, made, &sources);
        }
    }
    Ok(losses)
}

/// A mesh with fewer triangles; `None` if that would take too long, or cross its borders or seams.
fn one(mesh: &TriMesh, most: usize, budget: &mut Budget) -> Result<Reduced> {
    let mut own = budget.clone();
    let levels = match simplify(&[mesh], &[most], &mut own) {
        Ok(levels) => levels,
        Err(error) if matches!(error.kind(), ErrorKind::Effort | ErrorKind::Limit) => return Ok(None),
        Err(error) => return Err(error),
    };
    let own_area = area(mesh);
    let has_area =
        |level: &Simplified| level.parts.iter().map(|(mesh, _)| area(mesh)).sum::<f64>() >= own_area * KEPT;
    let fits = |level: &Simplified| level.keeps_seams && level.triangle_count() <= most && has_area(level);
    let level = levels.into_iter().next().filter(fits);
    *budget = own;
    Ok(level
        .and_then(|level| level.parts.into_iter().next())
        .map(|(mesh, sources)| (Arc::new(mesh), sources)))
}

fn area(mesh: &TriMesh) -> f64 {
    let own = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize]);
        f64::from((b - a).cross(c - a).length()) / 2.0
    };
    mesh.triangles.iter().map(own).sum()
}

/// A primitive with a simplified mesh, and further texture coordinates at its points.
fn with(primitive: &Primitive, mesh: Arc<TriMesh>, sources: &[Source]) -> Primitive {
    let triangles = &primitive.mesh.triangles;
    let set = |set: &Vec<geom::Vec2>| {
        let all = column(triangles, set, sources, |uv| [uv.x, uv.y]);
        all.into_iter().map(|uv| uv.into()).collect()
    };
    Primitive { more_uvs: primitive.more_uvs.iter().map(set).collect(), mesh, ..primitive.clone() }
}
