//! The scene as data.

use std::collections::BTreeMap;
use std::sync::Arc;

use geom::TriMesh;
use glam::{Mat4, Quat, Vec3};

/// Nodes, and everything that they refer to by index.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Scene {
    /// The name of the scene; empty where it has no name.
    pub name: String,
    /// All nodes.
    pub nodes: Vec<Node>,
    /// The nodes without a parent, in order.
    pub roots: Vec<usize>,
    /// Meshes, which nodes refer to.
    pub meshes: Vec<Mesh>,
    /// Materials, which primitives refer to.
    pub materials: Vec<Material>,
    /// Images, which materials refer to.
    pub images: Vec<Image>,
    /// Skins, which nodes refer to.
    pub skins: Vec<Skin>,
    /// Animations.
    pub animations: Vec<Animation>,
    /// Who made it and under which licence; empty where unknown.
    pub copyright: String,
    /// Whether its front faces -z, as Roblox's models do, and not +z, as glTF's.
    pub faces_away: bool,
    /// What has no counterpart in a scene, by name.
    pub extras: BTreeMap<String, serde_json::Value>,
}

/// Which levels of detail become nodes of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub enum Levels {
    /// The finest.
    #[default]
    Finest,
    /// All, under names of their own, and meshes for physics.
    All,
    /// One; 0 is the finest.
    One(usize),
}

/// A node: a transform relative to its parent, and what is drawn there.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Node {
    /// The name; empty where it has no name.
    pub name: String,
    /// Relative to the parent.
    pub transform: Transform,
    /// The indices of the children.
    pub children: Vec<usize>,
    /// The mesh.
    pub mesh: Option<usize>,
    /// The skin that deforms the mesh.
    pub skin: Option<usize>,
    /// A light.
    pub light: Option<Light>,
    /// A camera, which looks along -z.
    pub camera: Option<Camera>,
    /// What has no counterpart in a scene, by name.
    pub extras: BTreeMap<String, serde_json::Value>,
}

/// A transform: scale first, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Transform {
    /// Translation, in units of the scene.
    pub translation: Vec3,
    /// Rotation, of length 1.
    pub rotation: Quat,
    /// Scale per axis.
    pub scale: Vec3,
}

impl Default for Transform {
    fn default() -> Self {
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE }
    }
}

impl Transform {
    /// The parts of a matrix without shear.
    pub fn from_matrix(matrix: Mat4) -> Self {
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        Self { translation, rotation, scale }
    }

    /// A translation alone.
    pub fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::default() }
    }

    /// As a matrix.
    pub fn matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// A mesh: triangles, a primitive for each material.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Mesh {
    /// The name; empty where it has no name.
    pub name: String,
    /// The primitives.
    pub primitives: Vec<Primitive>,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Primitive {
    /// Positions, other columns and triangles. Joints are indices of [`Skin::joints`]. Primitives that differ in
    /// their material alone share it.
    #[serde(serialize_with = "shared")]
    pub mesh: Arc<TriMesh>,
    /// The material; the default one where it is `None`.
    pub material: Option<usize>,
    /// Targets that move the vertices.
    pub targets: Vec<Target>,
}

/// A morph target: what is added to the vertices at weight 1.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Target {
    /// The name; empty where it has no name.
    pub name: String,
    /// One offset per vertex.
    pub positions: Vec<geom::Vec3>,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Material {
    /// The name; empty where it has no name.
    pub name: String,
    /// Base colour, linear, with alpha; multiplies the texture and the vertex colours.
    pub base_color: [f32; 4],
    /// The texture of the base colour, sRGB with alpha.
    pub base_texture: Option<Texture>,
    /// 0 to 1.
    pub metallic: f32,
    /// 0 to 1.
    pub roughness: f32,
    /// Roughness in green, metalness in blue; multiplied with the two factors.
    pub metallic_roughness_texture: Option<Texture>,
    /// A tangent-space normal map, y up.
    pub normal_texture: Option<Texture>,
    /// The strength of the normal map.
    pub normal_scale: f32,
    /// Ambient occlusion in red.
    pub occlusion_texture: Option<Texture>,
    /// Light that the surface gives, linear.
    pub emissive: [f32; 3],
    /// The texture of that light, sRGB; multiplied with `emissive`.
    pub emissive_texture: Option<Texture>,
    /// What alpha means.
    pub alpha: Alpha,
    /// Whether both sides are drawn.
    pub double_sided: bool,
    /// Whether light does not matter (`KHR_materials_unlit`).
    pub unlit: bool,
    /// The index of refraction (`KHR_materials_ior`).
    pub ior: Option<f32>,
    /// How much light passes through, 0 to 1 (`KHR_materials_transmission`).
    pub transmission: Option<f32>,
    /// The strength and colour of reflections of what is not metal (`KHR_materials_specular`).
    pub specular: Option<[f32; 4]>,
    /// What has no counterpart in a scene, by name.
    pub extras: BTreeMap<String, serde_json::Value>,
}

impl Default for Material {
    /// A white, rough surface that is not metal.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            base_texture: None,
            metallic: 0.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            emissive: [0.0; 3],
            emissive_texture: None,
            alpha: Alpha::Opaque,
            double_sided: false,
            unlit: false,
            ior: None,
            transmission: None,
            specular: None,
            extras: BTreeMap::new(),
        }
    }
}

/// A texture: an image, and how coordinates outside 0 to 1 are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Texture {
    /// The index of the image.
    pub image: usize,
    /// Outside 0 to 1 the image repeats; otherwise its border does.
    pub repeat: bool,
}

impl Texture {
    /// A texture that repeats.
    pub fn new(image: usize) -> Self {
        Self { image, repeat: true }
    }
}

/// What alpha means.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub enum Alpha {
    /// Nothing.
    #[default]
    Opaque,
    /// Below the value nothing is drawn.
    Mask(f32),
    /// How much of the background is hidden.
    Blend,
}

/// An image.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Image {
    /// The name; empty where it has no name.
    pub name: String,
    /// The image itself, or where it is.
    pub data: ImageData,
}

/// An image itself, or where it is.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub enum ImageData {
    /// A PNG or JPEG file.
    #[serde(serialize_with = "bytes")]
    Bytes(Vec<u8>),
    /// A file, relative to the scene's, or an address.
    Uri(String),
}

fn bytes<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

fn shared<S: serde::Serializer>(mesh: &Arc<TriMesh>, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&**mesh, serializer)
}

impl Image {
    /// The media type, from the first bytes or the name of the file.
    pub fn media_type(&self) -> Option<&'static str> {
        match &self.data {
            ImageData::Bytes(bytes) if bytes.starts_with(b"\x89PNG") => Some("image/png"),
            ImageData::Bytes(bytes) if bytes.starts_with(b"\xff\xd8\xff") => Some("image/jpeg"),
            ImageData::Bytes(_) => None,
            ImageData::Uri(uri) => {
                let lower = uri.to_ascii_lowercase();
                match lower.rsplit('.').next() {
                    Some("png") => Some("image/png"),
                    Some("jpg" | "jpeg") => Some("image/jpeg"),
                    _ => None,
                }
            }
        }
    }
}

/// The joints that deform a mesh.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Skin {
    /// The name; empty where it has no name.
    pub name: String,
    /// Nodes; joint indices of vertices are indices of this list.
    pub joints: Vec<usize>,
    /// From the mesh to each joint, as posed when the mesh was bound.
    pub inverse_bind: Vec<Mat4>,
}

/// Values over time.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Animation {
    /// The name; empty where it has no name.
    pub name: String,
    /// What is moved, and how.
    pub channels: Vec<Channel>,
}

impl Animation {
    /// The time of the last key, in seconds.
    pub fn duration(&self) -> f32 {
        self.channels.iter().filter_map(|channel| channel.times.last()).fold(0.0, |a, &b| a.max(b))
    }
}

/// The values of one property of one node over time.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Channel {
    /// The node.
    pub node: usize,
    /// In seconds, each after the one before.
    pub times: Vec<f32>,
    /// One value per time; three (tangent, value, tangent) for cubic splines.
    pub values: Values,
    /// What happens between two keys.
    pub interpolation: Interpolation,
}

impl Channel {
    /// The translation and the rotation of a node at some times, linear between them.
    pub(crate) fn of_keys(node: usize, keys: &[(f32, Transform)]) -> [Self; 2] {
        let times: Vec<f32> = keys.iter().map(|key| key.0).collect();
        let translations = Values::Translation(keys.iter().map(|key| key.1.translation).collect());
        let rotations = Values::Rotation(keys.iter().map(|key| key.1.rotation).collect());
        [translations, rotations].map(|values| {
            let times = times.clone();
            Self { node, times, values, interpolation: Interpolation::Linear }
        })
    }
}

/// The values of a channel.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub enum Values {
    /// Of [`Transform::translation`].
    Translation(Vec<Vec3>),
    /// Of [`Transform::rotation`].
    Rotation(Vec<Quat>),
    /// Of [`Transform::scale`].
    Scale(Vec<Vec3>),
    /// The weights of all morph targets of the node's mesh.
    Weights(Vec<f32>),
}

/// What happens between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub enum Interpolation {
    /// A straight line; for rotations the shorter arc.
    #[default]
    Linear,
    /// The value of the earlier key.
    Step,
    /// A cubic spline.
    Cubic,
}

/// A light (`KHR_lights_punctual`).
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Light {
    /// Its form.
    pub kind: LightKind,
    /// Linear.
    pub color: [f32; 3],
    /// In candela, or lux for directional lights.
    pub intensity: f32,
    /// Where it ends, in units of the scene; without end where it is `None`.
    pub range: Option<f32>,
}

/// The form of a light. All but point lights shine along -z of their node.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub enum LightKind {
    /// From far away.
    Directional,
    /// From a point in all directions.
    Point,
    /// From a point into a cone; angles from its axis, in radians.
    Spot {
        /// Up to here it is as bright as on the axis.
        inner: f32,
        /// From here on it is dark.
        outer: f32,
    },
}

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Camera {
    /// The vertical field of view, in radians.
    pub yfov: f32,
    /// The distance of the near plane.
    pub znear: f32,
}

/// A mesh where it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// The node.
    pub node: usize,
    /// The mesh.
    pub mesh: usize,
    /// From the mesh to the scene. Skinned meshes ignore it.
    pub world: Mat4,
}

impl Scene {
    /// Adds a node, below a parent or at the root; its index.
    pub fn add_node(&mut self, parent: Option<usize>, node: Node) -> usize {
        let index = self.nodes.len();
        self.nodes.push(node);
        match parent {
            Some(parent) => self.nodes[parent].children.push(index),
            None => self.roots.push(index),
        }
        index
    }

    /// Adds a mesh; its index.
    pub fn add_mesh(&mut self, mesh: Mesh) -> usize {
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    /// The matrices of all nodes, from the node to the scene, with other transforms for some nodes. Nodes
    /// that no root leads to have their own transform.
    pub fn world_matrices(&self, transforms: &[Transform]) -> Vec<Mat4> {
        let mut world: Vec<Mat4> = transforms.iter().map(Transform::matrix).collect();
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<(usize, Mat4)> = self.roots.iter().map(|&root| (root, Mat4::IDENTITY)).collect();
        while let Some((index, parent)) = open.pop() {
            // A node that is reached twice would make the walk endless.
            let Some(seen) = seen.get_mut(index).filter(|seen| !**seen) else { continue };
            *seen = true;
            world[index] = parent * world[index];
            open.extend(self.nodes[index].children.iter().map(|&child| (child, world[index])));
        }
        world
    }

    /// The transforms of all nodes, as they are without animation.
    pub fn transforms(&self) -> Vec<Transform> {
        self.nodes.iter().map(|node| node.transform).collect()
    }

    /// The nodes that are reached from the roots, parents before children.
    pub fn walk(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<usize> = self.roots.iter().rev().copied().collect();
        while let Some(index) = open.pop() {
            let Some(seen) = seen.get_mut(index).filter(|seen| !**seen) else { continue };
            *seen = true;
            order.push(index);
            open.extend(self.nodes[index].children.iter().rev());
        }
        order
    }

    /// The meshes with their matrices, as they are without animation.
    pub fn placed(&self) -> Vec<Placed> {
        let world = self.world_matrices(&self.transforms());
        let nodes = self.walk();
        let meshes = nodes.iter().filter_map(|&node| Some((node, self.nodes[node].mesh?)));
        meshes.map(|(node, mesh)| Placed { node, mesh, world: world[node] }).collect()
    }

    /// The number of triangles that are drawn.
    pub fn triangle_count(&self) -> usize {
        let count = |mesh: usize| {
            self.meshes[mesh].primitives.iter().map(|primitive| primitive.mesh.triangles.len()).sum::<usize>()
        };
        self.placed().iter().map(|placed| count(placed.mesh)).sum()
    }
}
