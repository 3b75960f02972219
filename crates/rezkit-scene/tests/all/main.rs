//! All tests in one program, since each further program would link all crates again.

mod dangling;
mod inside;
mod listed;
mod losses;
mod m3d_losses;
mod material;
mod motions;
mod polygons;
mod roblox_curves;
mod roblox_effort;
mod roblox_keyframes;
mod roblox_losses;
mod roblox_meshes;
mod roblox_rigs;
mod roblox_terrain;
mod sl_losses;
mod texts;
mod unions;
mod written;

// As in the library.
use inside::reduction;

/// Whether each edge belongs to two triangles, in opposite directions.
pub(crate) fn is_watertight(mesh: &geom::TriMesh) -> bool {
    let point = |index: u32| mesh.positions[index as usize].to_array().map(|axis| (axis + 0.0).to_bits());
    let mut edges = std::collections::HashMap::new();
    for [a, b, c] in mesh.triangles.iter().map(|triangle| triangle.map(point)) {
        for [from, to] in [[a, b], [b, c], [c, a]].into_iter().filter(|[from, to]| from != to) {
            *edges.entry([from.min(to), from.max(to)]).or_insert(0) += if from < to { 1 } else { -1 };
        }
    }
    edges.values().all(|count| *count == 0)
}
