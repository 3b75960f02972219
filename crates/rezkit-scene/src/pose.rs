//! The triangles of a scene where they are drawn: moved by nodes and deformed by skins.

use std::collections::HashMap;
use std::sync::Arc;

use geom::{Aabb, TriMesh};
use glam::{Mat4, Vec3};

use super::model::{Mesh, Primitive, Scene, Transform};

impl Scene {
    /// All triangles as one mesh per material, in the scene's coordinates, at rest: what formats without
    /// nodes and skins hold. Materials in the order of their first use.
    pub fn flattened(&self) -> Vec<Primitive> {
        let mut parts: Vec<Primitive> = Vec::new();
        let mut index_of: HashMap<Option<usize>, usize> = HashMap::new();
        for posed in self.posed(&self.transforms()) {
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
        parts
    }

    /// The primitives of each placed mesh in the scene's coordinates, deformed by skins: one mesh after the
    /// other, so that a scene of many needs the memory of one.
    pub fn posed(&self, transforms: &[Transform]) -> impl Iterator<Item = Vec<Primitive>> {
        let world = self.world_matrices(transforms);
        self.walk().into_iter().filter_map(move |index| {
            let node = &self.nodes[index];
            let mesh = self.meshes.get(node.mesh?)?;
            let skin = node.skin.and_then(|skin| self.skins.get(skin));
            let joints: Option<Vec<Mat4>> = skin.map(|skin| {
                let pairs = skin.joints.iter().zip(&skin.inverse_bind);
                pairs
                    .map(|(&joint, inverse)| world.get(joint).copied().unwrap_or_default() * *inverse)
                    .collect()
            });
            let posed = |primitive: &Primitive| {
                let mesh = deformed(&primitive.mesh, world[index], joints.as_deref()).into();
                Primitive { mesh, ..primitive.clone() }
            };
            Some(mesh.primitives.iter().map(posed).collect())
        })
    }

    /// What all triangles take in memory where each mesh is copied to where it is placed.
    pub(super) fn placed_bytes(&self) -> u64 {
        let size = |mesh: &TriMesh| {
            let columns = mesh.positions.len() * (12 + 12 + 16 + 8 + 4) + mesh.joints.len() * (8 + 16);
            (columns + mesh.triangles.len() * 12) as u64
        };
        let size = |mesh: &Mesh| mesh.primitives.iter().map(|primitive| size(&primitive.mesh)).sum::<u64>();
        let sizes: Vec<u64> = self.meshes.iter().map(size).collect();
        let placed = self.walk().into_iter().filter_map(|node| sizes.get(self.nodes[node].mesh?));
        placed.fold(0, |sum, size| sum.saturating_add(*size))
    }

    /// Whether anything is drawn at rest: a triangle that has an area.
    pub fn is_visible(&self) -> bool {
        self.posed(&self.transforms()).flatten().any(|primitive| {
            let positions = &primitive.mesh.positions;
            primitive.mesh.triangles.iter().any(|triangle| {
                let corner = |index: u32| positions.get(index as usize).map(|at| Vec3::from(at.to_array()));
                let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { return false };
                // The sine of the angle, as far as floats tell it from 0.
                let (b, c) = (b - a, c - a);
                b.cross(c).length_squared() > 1e-10 * b.length_squared() * c.length_squared()
            })
        })
    }

    /// The box around everything that is drawn, at rest; `None` where nothing is drawn.
    pub fn bounds(&self) -> Option<Aabb> {
        let transforms = self.transforms();
        let points = self.posed(&transforms).flatten().flat_map(|primitive| {
            let TriMesh { positions, triangles, .. } = Arc::unwrap_or_clone(primitive.mesh);
            triangles
                .into_flattened()
                .into_iter()
                .filter_map(move |index| positions.get(index as usize).copied())
        });
        Aabb::from_points(points.filter(|point| point.is_finite()))
    }
}

/// A mesh in the scene's coordinates.
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
    for (index, position) in mesh.positions.iter_mut().enumerate() {
        *position = matrix(index).transform_point3(Vec3::from(position.to_array())).to_array().into();
    }
    let mut normal_matrix =
        matrices.first().map(|matrix| glam::Mat3::from_mat4(*matrix).inverse().transpose());
    for (index, normal) in mesh.normals.iter_mut().enumerate() {
        if matrices.len() > 1 {
            normal_matrix = Some(glam::Mat3::from_mat4(matrix(index)).inverse().transpose());
        }
        let turned = normal_matrix.unwrap_or_default() * Vec3::from(normal.to_array());
        *normal = turned.normalize_or_zero().to_array().into();
    }
    for (index, tangent) in mesh.tangents.iter_mut().enumerate() {
        let [x, y, z, w] = tangent.to_array();
        let turned = matrix(index).transform_vector3(Vec3::new(x, y, z)).normalize_or_zero();
        *tangent = [turned.x, turned.y, turned.z, w].into();
    }
    if matrices.len() == 1 && world.determinant() < 0.0 {
        mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    mesh
}

/// Appends a mesh to another; columns that one of the two lacks are filled with neutral values.
pub(super) fn append(to: &mut TriMesh, from: &TriMesh) {
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
    column(&mut to.colors, &from.colors, before, count, [255; 4].into());
    column(&mut to.tangents, &from.tangents, before, count, [0.0; 4].into());
    column(&mut to.joints, &from.joints, before, count, [0; 4]);
    column(&mut to.weights, &from.weights, before, count, [0.0; 4]);
    to.triangles
        .extend(from.triangles.iter().map(|triangle| triangle.map(|index| index.saturating_add(offset))));
}
