//! Simplifies surfaces: edges are collapsed to points, the cheapest first.
//!
//! The meshes are one surface: vertices at one point are one. Borders and the seams of textures and materials are kept
//! if the target can be reached, no point leaves the box of the original, and each mesh keeps at least one triangle.
//! Texture coordinates, normals, colours and weights are those of the nearest point of the original.

mod carry;
mod collapse;
mod layers;
mod prune;
mod quadric;
mod queue;
mod setup;
mod weld;

use geom::TriMesh;
use rezkit_scene::{Budget, Result};

use carry::Original;
pub use carry::{Source, column};
use collapse::{Engine, May};
use layers::Layers;
use weld::Surface;

/// The error if the work is used up.
const TOO_LONG: &str =
    "simplifying the meshes would take too long: they have too many triangles (split the file)";

/// Meshes with fewer triangles.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Simplified {
    /// Each mesh, and for each of its vertices the point of the original.
    pub parts: Vec<(TriMesh, Vec<Source>)>,
    /// Whether all borders and seams are kept; `false` if the target could not be reached with them.
    pub keeps_seams: bool,
    /// Whether the nearest point of the original was found for each vertex. If very many triangles overlap, some
    /// vertices take a point of one of their original triangles instead.
    pub is_nearest: bool,
}

impl Simplified {
    /// The number of triangles of all parts.
    pub fn triangle_count(&self) -> usize {
        self.parts.iter().map(|(mesh, _)| mesh.triangles.len()).sum()
    }

    /// The number of vertices of all parts.
    pub fn vertex_count(&self) -> usize {
        self.parts.iter().map(|(mesh, _)| mesh.positions.len()).sum()
    }
}

/// Simplifies meshes that share a surface, such as the materials of a model, to each of the target numbers of
/// triangles, which must not rise. A result with more triangles than its target cannot have fewer.
///
/// # Errors
/// [`Unwritable`](rezkit_scene::ErrorKind::Unwritable) if a mesh contradicts itself or a position is not finite;
/// [`Limit`](rezkit_scene::ErrorKind::Limit) and [`Effort`](rezkit_scene::ErrorKind::Effort) if it needs more than
/// the budget has.
pub fn simplify(parts: &[&TriMesh], targets: &[usize], budget: &mut Budget) -> Result<Vec<Simplified>> {
    let surface = Surface::new(parts, budget)?;
    let original = Original::new(&surface);
    let mut engine = setup::engine(&surface);
    let mut levels = Vec::with_capacity(targets.len());
    let mut vertices = parts.iter().map(|part| part.positions.len()).sum::<usize>();
    let mut layers = None;
    for &target in targets {
        reduce(&mut engine, target, &mut layers, budget)?;
        if engine.live > target && engine.may == May::Keep {
            // Start again from the original: so far, seams were kept at the cost of the rest.
            let before = engine.live;
            engine = setup::engine(&surface);
            engine.may = May::Cross;
            layers = Some(Layers::new(&surface, &original.bvh, budget)?);
            reduce(&mut engine, target.min(before), &mut layers, budget)?;
        }
        if engine.live > target {
            engine.may = May::Close;
            engine.forget();
            reduce(&mut engine, target, &mut layers, budget)?;
            engine.prune(target);
            engine.forget();
            engine.may = May::Cross;
        }
        let keeps_seams = engine.may == May::Keep;
        let parts = original.meshes(&engine, true, budget)?;
        let mut level = Simplified { parts, keeps_seams, is_nearest: !original.bvh.is_spent() };
        // A platform refuses more vertices than the finer level has.
        if level.vertex_count() > vertices {
            let smooth = Simplified { parts: original.meshes(&engine, false, budget)?, ..level };
            if smooth.vertex_count() < level.vertex_count() {
                level = smooth;
            }
        }
        vertices = level.vertex_count();
        levels.push(level);
    }
    Ok(levels)
}

/// Collapses edges, and leaves out pieces if there are layers.
fn reduce<'s>(
    engine: &mut Engine<'s>,
    target: usize,
    layers: &mut Option<Layers<'_>>,
    budget: &mut Budget,
) -> Result<()> {
    let mut leave_out = |engine: &mut Engine<'s>, cost| {
        layers.iter_mut().for_each(|layers| engine.leave_out(layers, cost, target));
    };
    engine.reduce(target, &mut leave_out, budget)
}
