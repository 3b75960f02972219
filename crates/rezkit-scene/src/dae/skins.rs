//! Controllers: skins and morphs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use geom::Vec3;
use glam::{DMat4, DVec3, Mat4};
use rezkit_core::{Loss, Result};

use super::document::{Element, File, all, child, damaged, integers, name, path, words};
use super::geometry::{self, Geometry};
use super::transform::bound;
use crate::corners::Moved;
use crate::model::{MorphTarget, Primitive, Scene, Transform};
use crate::skins::NO_BONE;

const WHAT: &str = "the skins";

/// A mesh that is not placed yet.
pub(super) struct Shape<'a> {
    /// The primitives, with the symbols of their materials.
    pub(super) parts: Vec<(String, Primitive)>,
    /// The points of the vertices of each part.
    points: Vec<Vec<u32>>,
    pub(super) sets: Vec<u32>,
    pub(super) name: &'a str,
    /// The weights of the morph targets, and the element whose animation changes them.
    pub(super) weights: Vec<f32>,
    pub(super) morph: Option<Element<'a>>,
    pub(super) joints: Vec<Joint<'a>>,
}

/// A joint of a skin: its name, and the matrix from the mesh, moved by its bind shape, to the joint.
pub(super) struct Joint<'a> {
    pub(super) name: &'a str,
    pub(super) inverse: DMat4,
}

/// Reads a geometry or a controller.
///
/// # Errors
/// If it is damaged, or the budget does not suffice.
pub(super) fn shape<'a>(file: &mut File<'a, '_>, of: Element<'a>, unit: f64) -> Result<Shape<'a>> {
    // A skin of a morph of a geometry, or the other way round.
    let (mut skin, mut morph, mut inner) = (None, None, of);
    while inner.tag_name().name() == "controller" {
        let (slot, found) = match (child(inner, "skin"), child(inner, "morph")) {
            (Some(found), _) => (&mut skin, found),
            (None, Some(found)) => (&mut morph, found),
            (None, None) => return Err(damaged(inner, "the controller has neither a skin nor a morph")),
        };
        if slot.is_some() {
            return Err(damaged(inner, "a controller of a controller of the same kind"));
        }
        *slot = Some(found);
        inner = file.follow(found, "source")?;
    }
    let bind = bound(skin.and_then(|skin| child(skin, "bind_shape_matrix")), file.budget)?;
    let moved = Moved::new(bind, unit);
    let Geometry { parts, sets, positions } = geometry::read(file, inner, &moved)?;
    let mut shape = Shape {
        parts: Vec::new(),
        points: Vec::new(),
        sets,
        name: name(inner),
        weights: Vec::new(),
        morph: None,
        joints: Vec::new(),
    };
    for (symbol, part) in parts {
        let primitive = Primitive { mesh: part.mesh.into(), more_uvs: part.more_uvs, ..Primitive::default() };
        shape.parts.push((symbol, primitive));
        shape.points.push(part.points);
    }
    if let Some(morph) = morph {
        shape.targets(file, morph, (&moved, &positions))?;
    }
    if let Some(skin) = skin {
        shape.bind(file, skin, positions.count)?;
    }
    Ok(shape)
}

impl<'a> Shape<'a> {
    /// Adds the targets of a morph.
    fn targets(
        &mut self,
        file: &mut File<'a, '_>,
        morph: Element<'a>,
        (moved, base): (&Moved, &super::document::Rows),
    ) -> Result<()> {
        let Some(targets) = child(morph, "targets") else { return Ok(()) };
        let names = match file.input(targets, "MORPH_TARGET")? {
            Some(source) => file.names(source)?,
            None => return Ok(()),
        };
        let weights = file.input(targets, "MORPH_WEIGHT")?;
        self.morph = weights;
        let weights = weights.map(|source| file.rows(source)).transpose()?;
        let is_relative = morph.attribute("method") == Some("RELATIVE");
        for (index, target) in names.iter().enumerate() {
            let found = file.find(target).filter(|found| found.tag_name().name() == "geometry");
            let Some(found) = found else {
                file.losses.push(
                    Loss::new(path(morph), format!("the target {target:?}, which does not exist"))
                        .id("dae.skin"),
                );
                continue;
            };
            let mesh = geometry::mesh(found).ok_or_else(|| damaged(found, "the target has no mesh"))?;
            let rows = geometry::positions(file, mesh)?;
            if rows.count != base.count {
                let (found_count, count) = (rows.count, base.count);
                let what = format!("the target has {found_count} vertices, and the geometry {count}");
                return Err(damaged(found, what));
            }
            let offset = |point: &u32| -> Vec3 {
                let at = |rows: &super::document::Rows| {
                    DVec3::from(rows.row::<3>(*point as usize).unwrap_or_default())
                };
                let start = if is_relative { DVec3::ZERO } else { at(base) };
                moved.offset(at(&rows) - start)
            };
            for ((_, primitive), points) in self.parts.iter_mut().zip(&self.points) {
                file.budget.take(12 * points.len() as u64 + 100, "the morph targets")?;
                primitive.targets.push(MorphTarget {
                    name: name(found).to_owned(),
                    positions: points.iter().map(offset).collect(),
                    ..MorphTarget::default()
                });
            }
            let weight = weights.as_ref().and_then(|rows| rows.value(index, 0)).unwrap_or_default();
            self.weights.push(weight as f32);
        }
        Ok(())
    }

    /// Binds the vertices to the joints of a skin.
    fn bind(&mut self, file: &mut File<'a, '_>, skin: Element<'a>, count: usize) -> Result<()> {
        let path = path(skin);
        let joints = child(skin, "joints").ok_or_else(|| damaged(skin, "the skin has no `joints`"))?;
        let source =
            file.input(joints, "JOINT")?.ok_or_else(|| damaged(joints, "the joints have no names"))?;
        let names = file.names(source)?;
        let matrices = file.input(joints, "INV_BIND_MATRIX")?.map(|source| file.rows(source)).transpose()?;
        for (index, name) in names.iter().enumerate() {
            file.budget.take(2 * size_of::<Joint<'_>>() as u64, WHAT)?;
            let found = matrices.as_ref().and_then(|rows| rows.row::<16>(index));
            let inverse = found.map_or(DMat4::IDENTITY, |rows| DMat4::from_cols_array(&rows).transpose());
            self.joints.push(Joint { name, inverse });
        }
        if matrices.is_none_or(|matrices| matrices.count < names.len()) {
            file.losses.push(
                Loss::approximated(&*path, "joints without a bind matrix are bound at the origin")
                    .id("dae.skin"),
            );
        }
        let Some(influences) = child(skin, "vertex_weights") else { return Ok(()) };
        let of_point = weights(file, influences, (names.len(), count), &path)?;
        let mut unbound = 0;
        for ((_, primitive), points) in self.parts.iter_mut().zip(&self.points) {
            file.budget.take(24 * points.len() as u64, WHAT)?;
            let mesh = Arc::make_mut(&mut primitive.mesh);
            for point in points {
                let (joints, mut weights) = of_point.get(*point as usize).copied().unwrap_or_default();
                if weights == [0.0; 4] {
                    unbound += 1;
                    weights[0] = 1.0;
                }
                mesh.joints.push(joints);
                mesh.weights.push(weights);
            }
        }
        let what = "a vertex that follows no bone is bound to the first one";
        Loss::approximated(path, what).id("mesh.unbound-vertex").times(unbound).count_in(&mut file.losses);
        Ok(())
    }
}

/// The joints and the weights of each point: the four heaviest, with a sum of 1.
fn weights<'a>(
    file: &mut File<'a, '_>,
    influences: Element<'a>,
    (joints, count): (usize, usize),
    path: &str,
) -> Result<Vec<([u16; 4], [f32; 4])>> {
    let (mut stride, mut joint_at, mut weight_at) = (1, 0, None);
    for input in all(influences, "input").take(16) {
        let offset =
            input.attribute("offset").and_then(|offset| offset.trim().parse::<u16>().ok()).unwrap_or(0);
        let offset = usize::from(offset);
        stride = stride.max(offset + 1);
        match input.attribute("semantic") {
            Some("JOINT") => joint_at = offset,
            Some("WEIGHT") => weight_at = Some((offset, file.follow(input, "source")?)),
            _ => {}
        }
    }
    let (weight_at, source) = weight_at.ok_or_else(|| damaged(influences, "the weights have no values"))?;
    let values = file.rows(source)?;
    let counts = child(influences, "vcount").map(|counts| integers(counts, file.budget)).transpose()?;
    let list = child(influences, "v");
    let indices = list.map(|list| integers(list, file.budget)).transpose()?.unwrap_or_default();
    let mut rows = indices.chunks_exact(stride);
    let mut of_point = Vec::new();
    let (mut dropped, mut none) = (0, 0);
    file.budget.take(40 * count as u64, WHAT)?;
    for (point, length) in counts.unwrap_or_default().into_iter().enumerate() {
        let length = usize::try_from(length).ok().filter(|length| *length <= rows.len());
        let length = length.ok_or_else(|| {
            damaged(influences, format_args!("the vertex {point} has more weights than there are"))
        })?;
        let mut found: Vec<(u16, f32)> = Vec::with_capacity(length);
        for row in rows.by_ref().take(length) {
            let weight = usize::try_from(row[weight_at]).ok().and_then(|row| values.value(row, 0));
            let weight = weight.ok_or_else(|| {
                let (index, count) = (row[weight_at], values.count);
                damaged(
                    influences,
                    format_args!("the index {index} refers to a weight of which there are only {count}"),
                )
            })?;
            let joint = u16::try_from(row[joint_at]).ok().filter(|joint| usize::from(*joint) < joints);
            match joint {
                Some(joint) if weight > 0.0 && weight.is_finite() => found.push((joint, weight as f32)),
                Some(_) => {}
                None => none += 1,
            }
        }
        if point >= count {
            continue;
        }
        geom::sort::by(&mut found, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        dropped += found.len().saturating_sub(4);
        found.truncate(4);
        let sum: f32 = found.iter().map(|(_, weight)| weight).sum();
        let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
        for (at, (joint, weight)) in found.into_iter().enumerate() {
            (joints[at], weights[at]) = (joint, weight / sum);
        }
        of_point.push((joints, weights));
    }
    Loss::new(path, "weights of a vertex after the four heaviest")
        .id("mesh.four-joints")
        .times(dropped)
        .count_in(&mut file.losses);
    Loss::new(path, NO_BONE).id("mesh.unknown-bone").times(none).count_in(&mut file.losses);
    Ok(of_point)
}

/// The elements at which the joints of an instance of a skin are searched.
pub(super) fn skeletons<'a>(file: &File<'a, '_>, instance: Element<'a>) -> Vec<Element<'a>> {
    all(instance, "skeleton").filter_map(|skeleton| file.find(words(skeleton).next()?)).collect()
}

/// Places joints as their skins were bound to them, if the pose of a skeleton in the file is another one, as Blender and the
/// viewers of Second Life do: files for these viewers have often only some of the bones, or bones at the default places.
/// Skeletons that are moved as a whole stay. `axes` is the rotation from the axes of the file. Returns the moved joints.
pub(super) fn rebind(scene: &mut Scene, axes: Mat4, losses: &mut Vec<Loss>) -> HashSet<usize> {
    let mut wanted: HashMap<usize, Mat4> = HashMap::new();
    let world = scene.world_at_rest();
    let size =
        |matrix: &Mat4| matrix.to_cols_array().into_iter().fold(1.0, |most: f32, part| most.max(part.abs()));
    let is_near = |a: &Mat4, b: &Mat4| a.abs_diff_eq(*b, 1e-3 * size(b));
    let mut moved = 0;
    for skin in &scene.skins {
        let joints =
            || skin.joints.iter().copied().zip(skin.inverse_bind.iter().map(Mat4::from_cols_array_2d));
        let places: Vec<Mat4> = joints().map(|(joint, inverse)| world[joint] * inverse).collect();
        let is_as_bound = places.iter().all(|place| is_near(place, &axes));
        let is_rigid = places.len() > 1 && places.iter().all(|place| is_near(place, &places[0]));
        if is_rigid && !is_as_bound {
            continue;
        }
        moved += usize::from(!is_as_bound);
        let bound = joints().map(|(joint, inverse)| (joint, axes * inverse.inverse()));
        for (joint, place) in bound.filter(|(_, place)| place.is_finite()) {
            wanted.entry(joint).or_insert(place);
        }
    }
    if moved == 0 {
        return HashSet::new();
    }
    let what = "joints whose places differ from those to which the mesh was bound: placed as bound";
    losses.push(Loss::approximated("skins", what).id("scene.rest-pose").times(moved));
    let (parents, mut places, mut changed) = (scene.parents(), world, 0);
    for node in scene.walk() {
        let parent = parents[node].map_or(Mat4::IDENTITY, |parent| places[parent]);
        if let Some(place) = wanted.get(&node) {
            let local = parent.inverse() * *place;
            if local.is_finite() {
                scene.nodes[node].transform = Transform::of(local);
            }
        }
        places[node] = parent * scene.nodes[node].transform.mat4();
    }
    // A node has no shear, which some bind matrices have.
    for skin in &mut scene.skins {
        for (joint, inverse) in skin.joints.iter().zip(&mut skin.inverse_bind) {
            let bound = Mat4::from_cols_array_2d(inverse);
            let own = places[*joint].inverse() * axes;
            let is_bound = wanted.get(joint).is_some_and(|place| is_near(&(*place * bound), &axes));
            if is_bound && own.is_finite() && !is_near(&(places[*joint] * bound), &axes) {
                *inverse = own.to_cols_array_2d();
                changed += 1;
            }
        }
    }
    Loss::approximated("skins", "bind matrices with shear, which is dropped")
        .id("scene.shear")
        .times(changed)
        .count_in(losses);
    wanted.into_keys().collect()
}
