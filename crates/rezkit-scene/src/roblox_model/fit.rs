//! Changes a scene so that Roblox accepts it: splits meshes, and scales the model.

use std::collections::HashMap;
use std::sync::Arc;

use geom::TriMesh;
use glam::Vec3;
use rezkit_core::{Budget, Loss, Result};

use super::build::{LARGEST, MOST_TRIANGLES};
use crate::forms::ModelOptions;
use crate::model::{MorphTarget, Primitive, Scene, Transform};

const WHAT: &str = "the parts of meshes that are split";
/// The largest side of an image, in pixels.
const MOST_PIXELS: u32 = 4096;

/// A scene and options whose model Roblox accepts. The changes are listed.
///
/// # Errors
/// If the budget does not suffice.
pub(super) fn fit(
    scene: &Scene,
    options: &ModelOptions,
    losses: &mut Vec<Loss>,
    budget: &mut Budget,
) -> Result<(Scene, ModelOptions)> {
    scene.take(1, budget)?;
    let (mut scene, mut options) = (scene.clone(), options.clone());
    // The largest scale of each mesh along each axis.
    let mut scales = vec![Vec3::ZERO; scene.meshes.len()];
    for placed in scene.placed() {
        let scale = Vec3::from(Transform::from_matrix(placed.world).scale).abs() * options.scale;
        scales[placed.mesh] = scales[placed.mesh].max(scale);
    }
    let (mut factor, mut split) = (1.0_f32, HashMap::new());
    for (index, scale) in scales.into_iter().enumerate() {
        let mut primitives = Vec::new();
        let mesh = &mut scene.meshes[index];
        for primitive in std::mem::take(&mut mesh.primitives) {
            let pieces =
                match split.get(&(Arc::as_ptr(&primitive.mesh).addr(), scale.to_array().map(f32::to_bits))) {
                    Some(known) => Vec::clone(known),
                    None => {
                        let pieces = pieces(&primitive.mesh, scale, budget)?;
                        let key = (Arc::as_ptr(&primitive.mesh).addr(), scale.to_array().map(f32::to_bits));
                        split.insert(key, pieces.clone());
                        pieces
                    }
                };
            if let [_, _, ..] = &pieces[..] {
                let (triangles, count) = (primitive.mesh.triangles.len(), pieces.len());
                let what = format!(
                    "a mesh of {triangles} triangles is split into {count} parts, since Roblox accepts {MOST_TRIANGLES} \
                     triangles and {LARGEST} studs"
                );
                losses.push(Loss::approximated(format!("meshes[{index}]"), what).id("roblox.split"));
            }
            for triangles in pieces {
                let part = if triangles.len() == primitive.mesh.triangles.len() {
                    primitive.clone()
                } else {
                    budget.take(100 * triangles.len() as u64, WHAT)?;
                    piece(&primitive, &triangles)
                };
                let size = extent(&part.mesh, part.mesh.triangles.iter()) * scale;
                factor = factor.min(LARGEST / size.max_element().max(LARGEST));
                primitives.push(part);
            }
        }
        mesh.primitives = primitives;
    }
    if factor < 1.0 {
        let what = format!("the model is scaled by {factor}, so that no part is longer than {LARGEST} studs");
        losses.push(Loss::approximated("scale", what).id("roblox.scaled"));
        options.scale *= factor;
    }
    options.max_texture = Some(options.max_texture.map_or(MOST_PIXELS, |most| most.min(MOST_PIXELS)));
    Ok((scene, options))
}

/// The size of triangles along each axis.
fn extent<'a>(mesh: &TriMesh, triangles: impl Iterator<Item = &'a [u32; 3]>) -> Vec3 {
    let points = triangles.flatten().map(|&index| Vec3::from(mesh.positions[index as usize].to_array()));
    let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (low, high) = points.fold(start, |(low, high), point| (low.min(point), high.max(point)));
    (high - low).max(Vec3::ZERO)
}

/// The triangles of a mesh in groups that Roblox accepts: halves along the longest axis, as often as needed. A triangle
/// that is too large itself stays in its group.
fn pieces(mesh: &TriMesh, scale: Vec3, budget: &mut Budget) -> Result<Vec<Vec<[u32; 3]>>> {
    budget.take_values::<[u32; 6]>(mesh.triangles.len(), WHAT)?;
    let (mut open, mut made) = (vec![mesh.triangles.clone()], Vec::new());
    while let Some(mut triangles) = open.pop() {
        budget.work(40 * triangles.len() as u64 + 100, WHAT)?;
        let size = extent(mesh, triangles.iter()) * scale;
        let longest = size.max_element();
        let own = || triangles.iter().map(|of| (extent(mesh, std::iter::once(of)) * scale).max_element());
        let is_large = longest > LARGEST && own().fold(0.0, f32::max) <= LARGEST;
        if triangles.len() < 2 || !(is_large || triangles.len() > MOST_TRIANGLES) {
            made.push(triangles);
            continue;
        }
        let axis = if size.x == longest {
            0
        } else if size.y == longest {
            1
        } else {
            2
        };
        let place = |of: &[u32; 3]| -> f32 {
            of.iter().map(|&index| mesh.positions[index as usize].to_array()[axis]).sum()
        };
        let middle = triangles.len() / 2;
        triangles.select_nth_unstable_by(middle, |a, b| place(a).total_cmp(&place(b)));
        let rest = triangles.split_off(middle);
        open.extend([rest, triangles]);
    }
    Ok(made)
}

/// The part of a primitive with these triangles, and the vertices that they use.
fn piece(of: &Primitive, triangles: &[[u32; 3]]) -> Primitive {
    let (mut index_of, mut kept) = (HashMap::new(), Vec::new());
    let mut index = |old: u32| {
        *index_of.entry(old).or_insert_with(|| {
            kept.push(old as usize);
            kept.len() as u32 - 1
        })
    };
    let triangles = triangles.iter().map(|triangle| triangle.map(&mut index)).collect();
    fn each<T: Copy>(column: &[T], kept: &[usize]) -> Vec<T> {
        if column.is_empty() { Vec::new() } else { kept.iter().map(|&at| column[at]).collect() }
    }
    let mesh = &of.mesh;
    let target = |target: &MorphTarget| MorphTarget {
        name: target.name.clone(),
        positions: each(&target.positions, &kept),
        normals: each(&target.normals, &kept),
        tangents: each(&target.tangents, &kept),
    };
    Primitive {
        targets: of.targets.iter().map(target).collect(),
        more_uvs: of.more_uvs.iter().map(|set| each(set, &kept)).collect(),
        material: of.material,
        mesh: Arc::new(TriMesh {
            positions: each(&mesh.positions, &kept),
            normals: each(&mesh.normals, &kept),
            tangents: each(&mesh.tangents, &kept),
            uvs: each(&mesh.uvs, &kept),
            colors: each(&mesh.colors, &kept),
            joints: each(&mesh.joints, &kept),
            weights: each(&mesh.weights, &kept),
            triangles,
        }),
    }
}
