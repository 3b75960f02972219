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

/// The error of a level, relative to the longest side, up to which nothing better is searched: less than a pixel where
/// the level is seen.
const UNSEEN: f64 = 0.004;
/// The factor by which another way must be nearer than one that keeps more of the texture.
const NEARER: f64 = 1.25;

/// Simplifies meshes that share a surface, such as the materials of a model, to each of the target numbers of
/// triangles, which must not rise. A result with more triangles than its target cannot have fewer. If a result that
/// keeps seams is visibly far from the original, they are crossed if that is nearer.
///
/// # Errors
/// [`Unwritable`](rezkit_scene::ErrorKind::Unwritable) if a mesh contradicts itself or a position is not finite;
/// [`Limit`](rezkit_scene::ErrorKind::Limit) and [`Effort`](rezkit_scene::ErrorKind::Effort) if it needs more than
/// the budget has.
pub fn simplify(parts: &[&TriMesh], targets: &[usize], budget: &mut Budget) -> Result<Vec<Simplified>> {
    let free = budget.left();
    let surface = Surface::new(parts, budget)?;
    let original = Original::new(&surface);
    let mut runs = [May::Keep, May::Cross, May::Ignore].map(Run::new);
    let mut found: Vec<Vec<Way>> = Vec::with_capacity(targets.len());
    for &target in targets {
        let mut ways: Vec<Way> = Vec::new();
        for run in &mut runs {
            if ways.iter().any(|way| way.error < UNSEEN && way.level.triangle_count() <= target) {
                break;
            }
            if let Some(engine) = run.reach(&surface, &original, target, budget)? {
                let error = original.error(engine, budget)?;
                let made = |creases: bool, budget: &mut Budget| -> Result<Simplified> {
                    let before = budget.left();
                    let parts = original.meshes(engine, creases, budget)?;
                    // What is left of the memory in which they were made.
                    let held =
                        |(mesh, _): &(TriMesh, _)| mesh.positions.len() * 160 + mesh.triangles.len() * 24;
                    let held = parts.iter().map(held).sum::<usize>() as u64;
                    budget.give_back((before - budget.left()).saturating_sub(held));
                    let keeps_seams = engine.may == May::Keep;
                    Ok(Simplified { parts, keeps_seams, is_nearest: !original.bvh.is_spent() })
                };
                let level = made(true, budget)?;
                // A platform refuses more vertices than a finer level has, so creases may have to go.
                let smooth =
                    Some(made(false, budget)?).filter(|other| other.vertex_count() < level.vertex_count());
                ways.push(Way { may: run.may, error, level, smooth });
            }
        }
        found.push(ways);
    }
    // A way that is nearer with fewer triangles is nearer with more, too.
    let mut chosen: Vec<usize> =
        found.iter().zip(targets).map(|(ways, target)| best(ways, *target)).collect();
    for level in (1..chosen.len()).rev() {
        let Some(next) = found[level].get(chosen[level]) else { continue };
        let is_worse = found[level - 1].get(chosen[level - 1]).is_some_and(|way| way.error > next.error);
        if let Some(same) = found[level - 1].iter().position(|way| way.may == next.may).filter(|_| is_worse) {
            chosen[level - 1] = same;
        }
    }
    let mut vertices = parts.iter().map(|part| part.positions.len()).sum::<usize>();
    let mut levels: Vec<Simplified> = Vec::with_capacity(targets.len());
    for (mut ways, chosen) in found.into_iter().zip(chosen) {
        let Way { level, smooth, .. } = ways.swap_remove(chosen);
        let level = smooth.filter(|_| level.vertex_count() > vertices).unwrap_or(level);
        // A surface of very many pieces can be reduced further in the way of the finer level.
        let finer = levels.last().filter(|finer| finer.triangle_count() < level.triangle_count()).cloned();
        let level = finer.unwrap_or(level);
        vertices = level.vertex_count();
        levels.push(level);
    }
    // The levels themselves are taken by those who keep them.
    budget.give_back(free - budget.left());
    Ok(levels)
}

/// A level made in one way.
struct Way {
    may: May,
    error: f64,
    level: Simplified,
    /// The level without separate vertices at creases, if it has fewer.
    smooth: Option<Simplified>,
}

/// Of the ways with the target number of triangles, or else the fewest, the first that is nearly as near as the nearest.
fn best(ways: &[Way], target: usize) -> usize {
    let fewest = ways.iter().map(|way| way.level.triangle_count()).min().unwrap_or_default().max(target);
    let is_one = |way: &&Way| way.level.triangle_count() <= fewest;
    let least = ways.iter().filter(is_one).map(|way| way.error).fold(f64::INFINITY, f64::min);
    let is_best = |way: &Way| is_one(&way) && (way.error <= least * NEARER || way.error < UNSEEN);
    ways.iter().position(is_best).unwrap_or_default()
}

/// The collapse of a surface in one way, level by level.
struct Run<'s> {
    may: May,
    engine: Option<Engine<'s>>,
    layers: Option<Layers<'s>>,
    /// Whether fewer triangles cannot be reached.
    is_over: bool,
}

impl<'s> Run<'s> {
    fn new(may: May) -> Self {
        Self { may, engine: None, layers: None, is_over: false }
    }

    /// The surface with a target number of triangles; `None` if seams would have to be crossed for it.
    fn reach(
        &mut self,
        surface: &'s Surface<'s>,
        original: &'s Original<'s>,
        target: usize,
        budget: &mut Budget,
    ) -> Result<Option<&Engine<'s>>> {
        if self.is_over {
            return Ok(None);
        }
        if self.engine.is_none() && self.may > May::Keep {
            surface.take(budget)?;
            self.layers = Some(Layers::new(surface, &original.bvh, budget)?);
        }
        let Self { engine, layers, .. } = self;
        let engine = engine.get_or_insert_with(|| setup::engine(surface, self.may));
        reduce(engine, target, layers, budget)?;
        if engine.live > target {
            if self.may == May::Keep {
                self.is_over = true;
                return Ok(None);
            }
            for may in [May::Turn, May::Close] {
                engine.may = may;
                engine.forget();
                reduce(engine, target, layers, budget)?;
            }
            engine.prune(target);
            engine.forget();
            engine.may = self.may;
        }
        Ok(Some(engine))
    }
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
