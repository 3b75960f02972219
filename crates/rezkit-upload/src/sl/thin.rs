//! Enlarges the boxes of objects that are thinner than the platform's minimum by adding triangles without area.

use std::collections::HashMap;
use std::sync::Arc;

use geom::TriMesh;
use glam::{DMat4, DVec3};
use rezkit_scene::{Loss, Primitive};

use super::{Options, Parts, Shapes};
use crate::rules::LEAST_METRES as LEAST;

/// The maximum number of triangles that [`widen`] adds to each mesh of the finest level.
pub(super) fn needles(parts: &Parts, options: &Options) -> HashMap<usize, usize> {
    let mut counts = HashMap::new();
    for (&node, mesh) in parts.nodes.iter().filter_map(|node| Some((node, parts.high.nodes[*node].mesh?))) {
        let count = thin(parts, options, node, &parts.high.meshes[mesh].primitives, &[])
            .map_or(0, |thin| thin.halves.len());
        let most = counts.entry(mesh).or_insert(0);
        *most = count.max(*most);
    }
    counts
}

/// An object that is too thin.
struct Thin {
    center: DVec3,
    size: DVec3,
    /// For each axis along which the object is too thin, a vector of half the required size.
    halves: Vec<DVec3>,
}

/// An object, if it is too thin; `None` if it is thick enough or skinned. An axis without any extent does not count,
/// since it becomes as long as the platform requires anyway.
fn thin<'a>(
    parts: &Parts,
    options: &Options,
    node: usize,
    primitives: impl IntoIterator<Item = &'a Primitive>,
    physics: &[(String, TriMesh)],
) -> Option<Thin> {
    let (least, world) = (LEAST / f64::from(options.scale), parts.worlds[node]);
    if parts.high.nodes[node].skin.is_some() || world.determinant() == 0.0 {
        return None;
    }
    let points = primitives.into_iter().flat_map(|primitive| &primitive.mesh.positions);
    let points = points.map(|point| world.transform_point3(wide(*point)));
    let points = points.chain(physics.iter().flat_map(|(_, mesh)| &mesh.positions).map(|point| wide(*point)));
    let (low, high) = points
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| (low.min(point), high.max(point)));
    let (size, center) = (high - low, (low + high) * 0.5);
    let is_thin = |along: f64| along < least && along > 1e-6 * size.max_element();
    let axes = DVec3::AXES.into_iter().filter(|axis| is_thin(size.dot(*axis)));
    // Slightly more than the minimum, since positions are rounded.
    let halves: Vec<DVec3> = axes.map(|axis| axis * (least * 0.505)).collect();
    (!halves.is_empty()).then_some(Thin { center, size, halves })
}

/// Makes the boxes of thin objects larger.
pub(super) fn widen(parts: &Parts, options: &Options, shapes: &mut Shapes) {
    for &node in &parts.nodes {
        let world = parts.worlds[node];
        let of_levels = shapes.levels.iter().filter_map(|level| level.get(&node)).flatten();
        let physics = shapes.physics.get(&node).map_or(&[][..], Vec::as_slice);
        let Some(Thin { center, size, halves }) = thin(parts, options, node, of_levels, physics) else {
            continue;
        };
        let inverse = world.inverse();
        for primitives in shapes.levels.iter_mut().filter_map(|level| level.get_mut(&node)) {
            let smallest = primitives.iter_mut().min_by_key(|one| one.mesh.positions.len());
            smallest.into_iter().for_each(|primitive| {
                for &half in &halves {
                    needle(primitive, [center + half, center - half, center], inverse);
                }
            });
        }
        let thinnest = halves.iter().map(|half| size.dot(half.normalize())).fold(f64::INFINITY, f64::min);
        let what = format!(
            "the shortest side of the bounding box is enlarged from {:.4} m to {LEAST} m by an added triangle \
             without an area",
            thinnest * f64::from(options.scale)
        );
        shapes.widened.insert(node);
        shapes.losses.push(Loss::approximated(parts.name(node), what).id("sl.widened"));
    }
}

/// Adds a triangle whose corners are on a line.
fn needle(primitive: &mut Primitive, corners: [DVec3; 3], inverse: DMat4) {
    fn repeat<T: Copy>(column: &mut Vec<T>) {
        column.extend(column.first().copied().into_iter().flat_map(|first| [first; 3]));
    }
    let mesh: &mut TriMesh = Arc::make_mut(&mut primitive.mesh);
    let Ok(first) = u32::try_from(mesh.positions.len()) else { return };
    mesh.triangles.push([first, first + 1, first + 2]);
    let place =
        |corner: DVec3| geom::Vec3::from(inverse.transform_point3(corner).to_array().map(|axis| axis as f32));
    mesh.positions.extend(corners.map(place));
    repeat(&mut mesh.normals);
    repeat(&mut mesh.tangents);
    repeat(&mut mesh.uvs);
    repeat(&mut mesh.colors);
    primitive.more_uvs.iter_mut().for_each(repeat);
    for target in &mut primitive.targets {
        for column in [&mut target.positions, &mut target.normals, &mut target.tangents] {
            let count = if column.is_empty() { 0 } else { 3 };
            column.extend(std::iter::repeat_n(geom::Vec3::default(), count));
        }
    }
}

fn wide(point: geom::Vec3) -> DVec3 {
    DVec3::from_array(point.to_array().map(f64::from))
}
