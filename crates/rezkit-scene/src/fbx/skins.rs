//! Skins and blend shapes.

use std::collections::HashMap;

use geom::Vec3;
use glam::{DMat4, DVec3};
use rezkit_core::{Budget, Loss, Result};

use super::geometry::Geometry;
use super::objects::Objects;
use super::tree::Record;
use crate::corners::Moved;
use crate::model::{MorphTarget, Skin};

const WHAT: &str = "the skins";

/// The matrix of 16 numbers of a record, column by column.
fn matrix(record: &Record, name: &str) -> Option<DMat4> {
    let numbers: [f64; 16] = record.floats_of(name).try_into().ok()?;
    let matrix = DMat4::from_cols_array(&numbers);
    matrix.is_finite().then_some(matrix)
}

/// Binds the vertices of a geometry to the joints of its skins; returns the skin, or `None` without one. `nodes` has the
/// node of each model.
///
/// # Errors
/// If the budget does not suffice.
pub(super) fn bind(
    objects: &Objects<'_>,
    (geometry, path): (usize, &str),
    (nodes, unit): (&HashMap<usize, usize>, f64),
    made: &mut Geometry,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Option<Skin>> {
    let mut skin = Skin::default();
    let mut of_point: HashMap<u32, Vec<(u16, f32)>> = HashMap::new();
    let deformers = objects.inside(geometry, "Deformer").filter(|&at| objects.all[at].class == "Skin");
    for deformer in deformers {
        for cluster in objects.below[deformer].iter().map(|link| link.object) {
            let object = &objects.all[cluster];
            if object.class != "Cluster" {
                continue;
            }
            let Some(&joint) = objects.inside(cluster, "Model").find_map(|model| nodes.get(&model)) else {
                losses.push(
                    Loss::new(path, "the weights of a bone that does not exist").id("mesh.unknown-bone"),
                );
                continue;
            };
            let record = object.record;
            if record.text("Mode").is_some_and(|mode| mode == "Additive") {
                losses.push(
                    Loss::approximated(path, "additive weights of a skin are taken as usual ones")
                        .id("fbx.deformers"),
                );
            }
            let link = matrix(record, "TransformLink").unwrap_or(DMat4::IDENTITY);
            let own = matrix(record, "Transform").unwrap_or_else(|| link.inverse());
            let Ok(index) = u16::try_from(skin.joints.len()) else { break };
            let mut inverse = own;
            inverse.w_axis *= DVec3::splat(unit).extend(1.0);
            skin.joints.push(joint);
            skin.inverse_bind.push(inverse.as_mat4().to_cols_array_2d());
            let (points, weights) = (record.ints_of("Indexes"), record.floats_of("Weights"));
            budget.take(100 * points.len() as u64, WHAT)?;
            for (point, weight) in points.into_iter().zip(weights) {
                let Ok(point) = u32::try_from(point) else { continue };
                if weight > 0.0 && weight.is_finite() {
                    of_point.entry(point).or_default().push((index, weight as f32));
                }
            }
        }
    }
    if skin.joints.is_empty() {
        return Ok(None);
    }
    let (mut dropped, mut unbound) = (0, 0);
    for list in of_point.values_mut() {
        geom::sort::by(list, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        dropped += list.len().saturating_sub(4);
        list.truncate(4);
        let sum: f32 = list.iter().map(|(_, weight)| weight).sum();
        list.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
    for ((_, primitive), points) in made.primitives.iter_mut().zip(&made.points) {
        budget.take(24 * points.len() as u64, WHAT)?;
        let mesh = std::sync::Arc::make_mut(&mut primitive.mesh);
        for point in points {
            let list = of_point.get(point).map_or(&[][..], Vec::as_slice);
            unbound += usize::from(list.is_empty());
            let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
            for (at, &(joint, weight)) in list.iter().enumerate() {
                (joints[at], weights[at]) = (joint, weight);
            }
            if list.is_empty() {
                weights[0] = 1.0;
            }
            mesh.joints.push(joints);
            mesh.weights.push(weights);
        }
    }
    Loss::new(path, "weights of a vertex after the four heaviest")
        .id("mesh.four-joints")
        .times(dropped)
        .count_in(losses);
    let what = "a vertex that follows no bone is bound to the first one";
    Loss::approximated(path, what).id("mesh.unbound-vertex").times(unbound).count_in(losses);
    Ok(Some(skin))
}

/// A blend shape: its weight, and the property whose animation it follows.
#[derive(Clone)]
pub(super) struct Blend {
    pub(super) channel: Channel,
    pub(super) weight: f32,
}

/// An object, and the name of its property.
pub(super) type Channel = (usize, String);

/// A blend shape of a file.
struct Shape<'a> {
    name: String,
    record: &'a Record,
    /// The factor of each of its points, or one for all of them.
    factors: Vec<f64>,
    blend: Blend,
}

impl Shape<'_> {
    /// How the points of a mesh are moved: their offsets, and those of their normals.
    fn moves(&self, moved: &Moved, budget: &mut Budget) -> Result<HashMap<i64, (Vec3, Vec3)>> {
        let points = self.record.ints_of("Indexes");
        let (offsets, normals) = (self.record.floats_of("Vertices"), self.record.floats_of("Normals"));
        budget.take(100 * points.len() as u64, WHAT)?;
        let vector = |list: &[f64], at: usize| {
            list.get(at * 3..at * 3 + 3).and_then(|of| <[f64; 3]>::try_from(of).ok()).map(DVec3::from)
        };
        let mut moves = HashMap::new();
        for (at, &point) in points.iter().enumerate() {
            let factor = self.factors.get(at).or(self.factors.first()).copied().unwrap_or(1.0);
            let offset = vector(&offsets, at).unwrap_or_default() * factor;
            let normal = vector(&normals, at).unwrap_or_default() * factor;
            let length = normal.length();
            let normal: glam::Vec3 = (DVec3::from(moved.normal(normal).map(f64::from)) * length).as_vec3();
            moves.insert(point, (moved.offset(offset), normal.to_array().into()));
        }
        Ok(moves)
    }
}

/// The blend shapes of a geometry: those of its deformers, and those that files up to 7.1 have in the geometry itself.
fn shapes<'a>(
    objects: &'a Objects<'_>,
    (geometry, path): (usize, &str),
    losses: &mut Vec<Loss>,
) -> Vec<Shape<'a>> {
    let own = &objects.all[geometry];
    let mut all: Vec<Shape<'_>> = own
        .record
        .all("Shape")
        .filter_map(|record| {
            let name = record.values.first()?.text()?;
            let percent = own.properties.float(&name).filter(|of| of.is_finite()).unwrap_or(0.0);
            let blend = Blend { channel: (geometry, name.clone()), weight: (percent / 100.0) as f32 };
            Some(Shape { name, record, factors: Vec::new(), blend })
        })
        .collect();
    let deformers = objects.inside(geometry, "Deformer").filter(|&at| objects.all[at].class == "BlendShape");
    for channel in deformers.flat_map(|deformer| &objects.below[deformer]).map(|link| link.object) {
        let object = &objects.all[channel];
        if object.class != "BlendShapeChannel" {
            continue;
        }
        let shapes: Vec<usize> = objects.inside(channel, "Geometry").collect();
        let Some(&last) = shapes.last() else { continue };
        Loss::new(path, "shapes between the start and the end of a blend shape")
            .id("fbx.deformers")
            .times(shapes.len() - 1)
            .count_in(losses);
        let record = objects.all[last].record;
        let full = object.record.floats_of("FullWeights");
        // Blender stores the weights of a group of vertices here, others the weight at which a shape has its full effect.
        let factors = if objects.is_blender {
            let is_of_points = full.len() == record.ints_of("Indexes").len();
            full.into_iter().filter(|_| is_of_points).map(|percent| percent / 100.0).collect()
        } else {
            let whole = full.get(shapes.len() - 1).filter(|percent| percent.is_finite() && **percent > 0.0);
            whole.map(|percent| 100.0 / percent).into_iter().collect()
        };
        let percent = object.record.value("DeformPercent").and_then(super::tree::Value::float);
        let percent = object.properties.float("DeformPercent").or(percent).unwrap_or(0.0);
        let blend =
            Blend { channel: (channel, "DeformPercent".to_owned()), weight: (percent / 100.0) as f32 };
        all.push(Shape { name: object.name.clone(), record, factors, blend });
    }
    all
}

/// Adds the blend shapes of a geometry to its primitives as morph targets.
///
/// # Errors
/// If the budget does not suffice.
pub(super) fn blend(
    objects: &Objects<'_>,
    (geometry, path): (usize, &str),
    moved: &Moved,
    made: &mut Geometry,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Blend>> {
    let mut blends = Vec::new();
    for shape in shapes(objects, (geometry, path), losses) {
        let moves = shape.moves(moved, budget)?;
        for ((_, primitive), vertices) in made.primitives.iter_mut().zip(&made.points) {
            budget.take(24 * vertices.len() as u64, WHAT)?;
            let of = |point: &u32| moves.get(&i64::from(*point)).copied().unwrap_or_default();
            let has_normals = shape.record.child("Normals").is_some_and(|normals| !normals.values.is_empty())
                && !primitive.mesh.normals.is_empty();
            primitive.targets.push(MorphTarget {
                name: shape.name.clone(),
                positions: vertices.iter().map(|point| of(point).0).collect(),
                normals: if has_normals {
                    vertices.iter().map(|point| of(point).1).collect()
                } else {
                    Vec::new()
                },
                tangents: Vec::new(),
            });
        }
        blends.push(shape.blend);
    }
    Ok(blends)
}
