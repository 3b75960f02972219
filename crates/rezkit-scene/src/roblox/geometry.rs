//! The geometry of shapes and files, and the memory of what unions draw from their operands.

use std::sync::Arc;

use super::builder::{Builder, MeshKey, MeshSource};
use super::look::Look;
use super::tree::Inst;
use crate::model::{Image, ImageData, Material, Mesh, Node, Primitive};
use geom::TriMesh;
use glam::Vec3;
use rezkit_core::Reference;

const WHAT: &str = "the operands of the unions";

impl Builder<'_> {
    /// Takes memory that counts only among the operands of a union; `None` if there is not enough.
    fn charged(&mut self, bytes: usize) -> Option<()> {
        (self.depth == 0 || self.take(bytes, WHAT)).then_some(())
    }

    /// Takes the memory of the node of an instance; `None` if there is not enough.
    pub(super) fn node_charged(&mut self, instance: &Inst) -> Option<()> {
        // The node is in a list whose capacity doubles. Groups and losses need the rest.
        self.charged(2 * size_of::<Node>() + 3 * instance.name.len() + 128)
    }

    /// The material of a look.
    pub(super) fn material(&mut self, look: &Look) -> usize {
        let known = self.scene.materials.len();
        let material = self.looks.material(&mut self.scene, look);
        if material == known {
            self.charged(2 * size_of::<(Material, Look)>() + 64);
        }
        material
    }

    /// Takes the memory of the images after a number of images, if each union has its own.
    pub(super) fn images_fit(&mut self, known: usize) {
        let bytes = |image: &Image| match &image.data {
            ImageData::Bytes(bytes) => bytes.len(),
            ImageData::Uri(_) => 0,
        };
        let added: usize = self.scene.images.iter().skip(known).map(bytes).sum();
        self.charged(added);
    }

    /// The mesh of the scene for a source and a material; `None` if it cannot be made.
    pub(super) fn mesh(&mut self, source: &MeshSource, material: usize) -> Option<usize> {
        let key = MeshKey::Whole(source.clone(), material);
        if let Some(&index) = self.meshes.get(&key) {
            return Some(index);
        }
        let (name, mesh) = match (self.geometry.get(source), source) {
            (Some(made), _) => made.clone(),
            (None, MeshSource::Solid(key)) => self.solid_mesh(key)?,
            (None, _) => {
                let (name, mesh) = match source {
                    MeshSource::File(asset) => (asset.to_string(), self.copied(asset)?),
                    MeshSource::Raised(asset, numbers) => (asset.to_string(), self.raised(asset, *numbers)?),
                    MeshSource::Shape(shape) => {
                        // Shapes are small, so the memory is taken afterwards. That of a truss was taken before.
                        let mesh = shape.mesh();
                        self.charged(bytes_of(&mesh))?;
                        (shape.name().to_owned(), mesh)
                    }
                    MeshSource::Solid(_) => return None,
                };
                self.geometry.entry(source.clone()).or_insert((name, Arc::new(mesh))).clone()
            }
        };
        let bytes = 2 * size_of::<(Mesh, Primitive, MeshKey)>() + name.len();
        self.charged(bytes)?;
        let primitive = Primitive::new(mesh, Some(material));
        let index = self.scene.add_mesh(Mesh { name, primitives: vec![primitive], ..Mesh::default() });
        self.meshes.insert(key, index);
        Some(index)
    }

    /// The mesh of a file, without bones.
    fn copied(&mut self, asset: &Reference) -> Option<TriMesh> {
        let bytes = bytes_of(&self.files.get(asset)?.as_ref()?.mesh);
        self.charged(bytes)?;
        let mut mesh = self.files.get(asset)?.as_ref()?.mesh.clone();
        (mesh.joints, mesh.weights) = (Vec::new(), Vec::new());
        Some(mesh)
    }

    fn raised(&mut self, asset: &Reference, numbers: [u32; 4]) -> Option<TriMesh> {
        let [x, y, z, height] = numbers.map(f32::from_bits);
        // Each height and each scale has its own copy.
        let bytes = bytes_of(&self.files.get(asset)?.as_ref()?.mesh);
        if self.depth == 0 && !self.take(bytes, "the decals on meshes") {
            return None;
        }
        let (scale, mut mesh) = (Vec3::new(x, y, z), self.copied(asset)?);
        if mesh.normals.is_empty() {
            mesh.normals = mesh.area_weighted_normals();
        }
        for (position, normal) in mesh.positions.iter_mut().zip(&mesh.normals) {
            let [place, normal] = [*position, *normal].map(|vector| Vec3::from(vector.to_array()));
            let out = (normal / scale).normalize_or_zero() * height / scale;
            if out.is_finite() {
                *position = (place + out).to_array().into();
            }
        }
        Some(mesh)
    }

    pub(super) fn has_bones(&self, asset: &Reference) -> bool {
        self.files.get(asset).and_then(Option::as_ref).is_some_and(|file| !file.bones.is_empty())
    }
}

/// The memory of a mesh with all columns.
fn bytes_of(mesh: &TriMesh) -> usize {
    let vertex = size_of::<(geom::Vec3, geom::Vec3, geom::Vec4, geom::Vec2, [u16; 4], [f32; 4], u32)>();
    mesh.positions.len() * vertex + size_of_val(&*mesh.triangles) + size_of::<TriMesh>()
}
