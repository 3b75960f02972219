//! The triangles of a scene in its coordinates: moved by nodes and deformed by morph targets and skins.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use geom::{Aabb, TriMesh};
use glam::{DVec3, Mat4, Vec3};

use rezkit_core::{Budget, Loss, Result};

use super::features::Feature;
use super::model::{Channel, Mesh, Pose, Primitive, Scene, Values};

/// The memory of a placed primitive besides its columns, in bytes.
const PLACED: usize = 700;

impl Scene {
    /// All triangles as one mesh per material, in the scene's coordinates, at rest, for formats without
    /// nodes and skins. Materials are in the order of their first use.
    ///
    /// # Errors
    /// If the budget does not suffice for the triangles, which are copied for each node that places them.
    pub fn flattened(&self, budget: &mut Budget) -> Result<Vec<Primitive>> {
        let [bytes, steps] = self.placed_cost();
        budget.take(bytes, "the triangles of the scene")?;
        budget.work(steps, "the morph targets of the scene")?;
        let mut parts: Vec<Primitive> = Vec::new();
        let mut index_of: HashMap<Option<usize>, usize> = HashMap::new();
        for posed in self.posed(&self.pose()) {
            for primitive in posed {
                let at = *index_of.entry(primitive.material).or_insert_with(|| {
                    parts.push(Primitive { material: primitive.material, ..Primitive::default() });
                    parts.len() - 1
                });
                let mut mesh = Arc::unwrap_or_clone(primitive.mesh);
                (mesh.joints, mesh.weights) = (Vec::new(), Vec::new());
                append(Arc::make_mut(&mut parts[at].mesh), &mesh);
            }
        }
        Ok(parts)
    }

    /// The primitives of each drawn mesh in the scene's coordinates, moved by morph targets and deformed by
    /// skins. Returns one mesh at a time, so that many meshes need only the memory of one.
    // No budget: there is one mesh at a time.
    pub fn posed(&self, pose: &Pose) -> impl Iterator<Item = Vec<Primitive>> {
        let world = self.world(&pose.transforms);
        // Computed once per skin, when a mesh first uses it.
        let mut skins: HashMap<usize, Option<Vec<Mat4>>> = HashMap::new();
        self.visible().into_iter().filter_map(move |index| {
            let node = &self.nodes[index];
            let mesh = self.meshes.get(node.mesh?)?;
            let joints = node.skin.and_then(|skin| {
                let joints = skins.entry(skin).or_insert_with(|| self.joint_matrices(skin, &world));
                joints.as_deref()
            });
            let weights = self.weights_of(index, pose);
            let posed = |primitive: &Primitive| {
                let mesh = deformed(&morphed(primitive, weights), world[index], joints).into();
                let Primitive { more_uvs, material, .. } = primitive;
                Primitive { mesh, more_uvs: more_uvs.clone(), material: *material, targets: Vec::new() }
            };
            Some(mesh.primitives.iter().map(posed).collect())
        })
    }

    /// Adds the morph targets to the meshes, by their weights at rest; afterwards, no mesh has any. A mesh that nodes place
    /// with several weights is copied for each of them. Lists the change, and animations of weights, which are dropped.
    ///
    /// # Errors
    /// If the budget does not suffice for the changed meshes.
    pub fn bake_morphs(&mut self, budget: &mut Budget) -> Result<Vec<Loss>> {
        let has_targets = |mesh: &Mesh| mesh.primitives.iter().any(|primitive| !primitive.targets.is_empty());
        let pose = self.pose();
        let mut made: HashMap<(usize, Vec<u32>), usize> = HashMap::new();
        let (mut losses, mut baked) = (Vec::new(), HashSet::new());
        for node in 0..self.nodes.len() {
            let Some(index) = self.nodes[node].mesh.filter(|&mesh| has_targets(&self.meshes[mesh])) else {
                continue;
            };
            let weights = self.weights_of(node, &pose).to_vec();
            let key = (index, weights.iter().map(|weight| weight.to_bits()).collect());
            let at = match made.get(&key) {
                Some(&at) => at,
                None => {
                    let mut mesh = self.meshes[index].clone();
                    mesh.weights.clear();
                    for primitive in &mut mesh.primitives {
                        let steps = primitive.mesh.positions.len() as u64;
                        budget.take(steps * 100, "the meshes with their morph targets")?;
                        budget.work(steps * primitive.targets.len() as u64, "the morph targets")?;
                        primitive.mesh = deformed(&morphed(primitive, &weights), Mat4::IDENTITY, None).into();
                        primitive.targets.clear();
                    }
                    let what = "morph targets baked into the mesh at their current weights";
                    let loss =
                        Loss::approximated(self.nodes[node].name.clone(), what).id("scene.morph-targets");
                    losses.push(loss.about([Feature::Morphs.title()]));
                    self.add_mesh(mesh)
                }
            };
            made.insert(key, at);
            self.nodes[node].mesh = Some(at);
            self.nodes[node].weights.clear();
            baked.insert(node);
        }
        for channel in self.animations.iter_mut().flat_map(|animation| {
            let is_lost = |channel: &mut Channel| {
                matches!(channel.values, Values::Weights(_)) && baked.contains(&channel.node)
            };
            animation.channels.extract_if(.., is_lost)
        }) {
            let name = self.nodes[channel.node].name.clone();
            Loss::new(name, "animated morph weights").id("scene.weight-animations").count_in(&mut losses);
        }
        Ok(losses)
    }

    /// The weights of the morph targets of a node's mesh.
    pub(crate) fn weights_of<'a>(&'a self, node: usize, pose: &'a Pose) -> &'a [f32] {
        let of_mesh = || Some(&self.meshes.get(self.nodes.get(node)?.mesh?)?.weights);
        pose.weights.get(node).filter(|own| !own.is_empty()).or_else(of_mesh).map_or(&[], Vec::as_slice)
    }

    /// Scales the meshes and the places of the nodes of a scene without skins, lights and animations.
    ///
    /// # Errors
    /// If the budget does not suffice for meshes that another scene shares.
    pub fn resize(&mut self, factor: f32, budget: &mut Budget) -> Result<()> {
        budget.take(self.held()[1], "the scaled meshes")?;
        for primitive in self.primitives_mut() {
            for position in &mut Arc::make_mut(&mut primitive.mesh).positions {
                *position = position.to_array().map(|part| part * factor).into();
            }
        }
        let places = self.nodes.iter_mut().flat_map(|node| &mut node.transform.translation);
        places.for_each(|part| *part *= factor);
        Ok(())
    }

    /// For each joint of a skin, the matrix from the mesh as it was bound to the scene.
    pub(crate) fn joint_matrices(&self, skin: usize, world: &[Mat4]) -> Option<Vec<Mat4>> {
        let skin = self.skins.get(skin)?;
        let pairs = skin.joints.iter().zip(&skin.inverse_bind);
        let matrix = |(&joint, inverse): (&usize, &[[f32; 4]; 4])| {
            world.get(joint).copied().unwrap_or_default() * Mat4::from_cols_array_2d(inverse)
        };
        Some(pairs.map(matrix).collect())
    }

    /// The bytes that all triangles take if each mesh is copied for each node that places it, and the steps that their
    /// morph targets need.
    pub fn placed_cost(&self) -> [u64; 2] {
        let cost = |primitive: &Primitive| {
            let (mesh, count) = (&primitive.mesh, primitive.mesh.positions.len());
            let columns =
                count * (12 + 12 + 16 + 8 + 4 + 8 * primitive.more_uvs.len()) + mesh.joints.len() * 24;
            [PLACED + columns + mesh.triangles.len() * 12, count * primitive.targets.len()]
                .map(|cost| cost as u64)
        };
        let sum = |[a, b]: [u64; 2], [c, d]: [u64; 2]| [a.saturating_add(c), b.saturating_add(d)];
        let cost = |mesh: &Mesh| mesh.primitives.iter().map(cost).fold([0; 2], sum);
        let costs: Vec<[u64; 2]> = self.meshes.iter().map(cost).collect();
        let placed = self.visible().into_iter().filter_map(|node| costs.get(self.nodes[node].mesh?));
        placed.copied().fold([0; 2], sum)
    }

    /// Whether anything is visible at rest: a drawn triangle that has an area. Only the first [`LOOKED_AT`] placed
    /// corners are examined: if no triangle among them has an area, the others are assumed to have one.
    pub fn is_visible(&self) -> bool {
        let mut left = LOOKED_AT;
        self.posed(&self.pose()).flatten().any(|primitive| {
            let TriMesh { positions, triangles, .. } = &*primitive.mesh;
            left = left.saturating_sub(corners(&primitive));
            left == 0
                || triangles.iter().any(|triangle| {
                    // In 64 bits, neither large nor small triangles lose their area.
                    let corner = |index: u32| {
                        positions.get(index as usize).map(|at| DVec3::from(at.to_array().map(f64::from)))
                    };
                    let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { return false };
                    // Compares the sine of the angle with the smallest that floats distinguish from 0.
                    let (b, c) = (b - a, c - a);
                    b.cross(c).length_squared() > 1e-10 * b.length_squared() * c.length_squared()
                })
        })
    }

    /// The box around everything that is drawn, at rest; `None` if nothing is drawn, or more than [`LOOKED_AT`] corners are
    /// placed.
    pub fn bounds(&self) -> Option<Aabb> {
        if self.placed_corners() > LOOKED_AT {
            return None;
        }
        let pose = self.pose();
        let points = self.posed(&pose).flatten().flat_map(|primitive| {
            let TriMesh { positions, triangles, .. } = Arc::unwrap_or_clone(primitive.mesh);
            triangles
                .into_flattened()
                .into_iter()
                .filter_map(move |index| positions.get(index as usize).copied())
        });
        Aabb::from_points(points.filter(|point| point.is_finite()))
    }

    /// The number of vertices (also counted for each morph target) and corners of triangles of all placed meshes.
    pub fn placed_corners(&self) -> u64 {
        let of = |mesh: &Mesh| mesh.primitives.iter().map(corners).fold(0, u64::saturating_add);
        let each: Vec<u64> = self.meshes.iter().map(of).collect();
        self.placed().iter().map(|placed| each[placed.mesh]).fold(0, u64::saturating_add)
    }
}

/// The maximum number of [placed corners](Scene::placed_corners) that [`Scene::is_visible`] and [`Scene::bounds`]
/// examine, which takes about a second.
pub const LOOKED_AT: u64 = 1 << 26;

fn corners(primitive: &Primitive) -> u64 {
    let (mesh, targets) = (&primitive.mesh, 1 + primitive.targets.len() as u64);
    (mesh.positions.len() as u64).saturating_mul(targets) + 3 * mesh.triangles.len() as u64
}

/// A mesh with its morph targets added; the mesh itself if all weights are 0.
pub(super) fn morphed(primitive: &Primitive, weights: &[f32]) -> Arc<TriMesh> {
    let mut mesh = primitive.mesh.clone();
    fn add<const N: usize, T: Copy + Into<[f32; N]> + From<[f32; N]>>(
        to: &mut [T],
        offsets: &[geom::Vec3],
        weight: f32,
    ) {
        for (value, offset) in to.iter_mut().zip(offsets) {
            let mut sum: [f32; N] = (*value).into();
            sum.iter_mut().zip(offset.to_array()).for_each(|(sum, offset)| *sum += offset * weight);
            *value = sum.into();
        }
    }
    for (target, &weight) in primitive.targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        let mesh = Arc::make_mut(&mut mesh);
        add(&mut mesh.positions, &target.positions, weight);
        add(&mut mesh.normals, &target.normals, weight);
        add(&mut mesh.tangents, &target.tangents, weight);
    }
    mesh
}

/// A mesh moved by a matrix, or deformed by the matrices of its joints. Normals and tangents get the length 1. Under a
/// matrix that keeps lengths, those of about this length keep theirs: in formats that store integers, they would be
/// rounded again.
pub(super) fn deformed(mesh: &TriMesh, world: Mat4, joints: Option<&[Mat4]>) -> TriMesh {
    let mut mesh = mesh.clone();
    let of = |index: usize| -> Mat4 {
        let columns = joints.zip(mesh.joints.get(index)).zip(mesh.weights.get(index));
        let Some(((matrices, joints), weights)) = columns else { return world };
        let mut sum = Mat4::ZERO;
        let mut total = 0.0;
        for (&joint, &weight) in joints.iter().zip(weights) {
            if let Some(matrix) = matrices.get(joint as usize).filter(|_| weight != 0.0) {
                sum += *matrix * weight;
                total += weight;
            }
        }
        if total > 0.0 { sum * (1.0 / total) } else { world }
    };
    let matrices: Vec<Mat4> = match joints.filter(|_| !mesh.joints.is_empty()) {
        Some(_) => (0..mesh.positions.len()).map(of).collect(),
        None => vec![world],
    };
    let matrix = |index: usize| matrices.get(index).or(matrices.first()).copied().unwrap_or_default();
    // The sign and bits of a NaN result differ between processors: use one NaN everywhere.
    let same_everywhere = |number: f32| if number.is_nan() { f32::NAN } else { number };
    for (index, position) in mesh.positions.iter_mut().enumerate() {
        let placed = matrix(index).transform_point3(Vec3::from(position.to_array()));
        *position = placed.to_array().map(same_everywhere).into();
    }
    let keeps_length = |matrix: Mat4| {
        let matrix = glam::Mat3::from_mat4(matrix);
        (matrix * matrix.transpose()).abs_diff_eq(glam::Mat3::IDENTITY, 1e-6)
    };
    let keeps = matches!(matrices[..], [matrix] if keeps_length(matrix));
    let unit = |turned: Vec3| match keeps && (0.98..=1.02).contains(&turned.length_squared()) {
        true => turned,
        false => turned.normalize_or_zero(),
    };
    let mut normal_matrix =
        matrices.first().map(|matrix| glam::Mat3::from_mat4(*matrix).inverse().transpose());
    for (index, normal) in mesh.normals.iter_mut().enumerate() {
        if matrices.len() > 1 {
            normal_matrix = Some(glam::Mat3::from_mat4(matrix(index)).inverse().transpose());
        }
        let turned = normal_matrix.unwrap_or_default() * Vec3::from(normal.to_array());
        *normal = unit(turned).to_array().into();
    }
    for (index, tangent) in mesh.tangents.iter_mut().enumerate() {
        let [x, y, z, w] = tangent.to_array();
        let turned = unit(matrix(index).transform_vector3(Vec3::new(x, y, z)));
        *tangent = [turned.x, turned.y, turned.z, w].into();
    }
    if matrices.len() == 1 && world.determinant() < 0.0 {
        mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    mesh
}

/// Appends a mesh to another; columns that one of the two lacks are filled with neutral values.
pub fn append(to: &mut TriMesh, from: &TriMesh) {
    fn column<T: Copy>(to: &mut Vec<T>, from: &[T], before: usize, count: usize, neutral: T) {
        if to.is_empty() && from.is_empty() {
            return;
        }
        to.resize(before, neutral);
        to.extend_from_slice(from);
        to.resize(before + count, neutral);
    }
    let before = to.positions.len();
    let count = from.positions.len();
    let offset = u32::try_from(before).unwrap_or(u32::MAX);
    to.positions.extend_from_slice(&from.positions);
    column(&mut to.normals, &from.normals, before, count, [0.0; 3].into());
    column(&mut to.uvs, &from.uvs, before, count, [0.0; 2].into());
    column(&mut to.colors, &from.colors, before, count, geom::LinearRgba::WHITE);
    column(&mut to.tangents, &from.tangents, before, count, [0.0; 4].into());
    column(&mut to.joints, &from.joints, before, count, [0; 4]);
    column(&mut to.weights, &from.weights, before, count, [0.0; 4]);
    to.triangles
        .extend(from.triangles.iter().map(|triangle| triangle.map(|index| index.saturating_add(offset))));
}
