//! The scene as data.

mod animation;
pub(crate) mod held;
mod material;
mod mesh;
mod playback;
mod select;

use std::collections::{BTreeMap, HashSet};

use glam::{Mat4, Quat, Vec3};
use rezkit_core::Counted;

pub use animation::{Animation, Channel, Interpolation, Values};
pub use material::{
    Alpha, Clearcoat, Filter, Image, ImageData, Material, Sampler, Texture, UvTransform, Wrap,
};
pub use mesh::{Mesh, MorphTarget, Primitive, Skin};
pub use playback::{Playback, Priority};

/// Nodes, and the lists that they refer to by index.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Scene {
    /// The name of the scene; empty if it has no name.
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
    /// The author and the licence; empty if unknown.
    pub copyright: String,
    /// The direction of the front, in degrees about y from +z, which is the front of glTF models: 90 is +x, the front
    /// of Second Life avatars; 180 is -z, the front of Roblox models. The front of a Roblox place is 30 degrees beside
    /// the direction to its camera, because pictures show a front turned by that angle.
    pub front: f32,
    /// Properties without a counterpart in a scene, by name.
    pub extras: BTreeMap<String, serde_json::Value>,
}

/// The levels of detail that become nodes of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub enum Levels {
    /// Only the finest level.
    #[default]
    Finest,
    /// All levels, each with its own name, and meshes for physics.
    All,
    /// Only this level; 0 is the finest.
    One(usize),
}

/// A node: a transform relative to its parent, and the mesh, light or camera at that place.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Node {
    /// The name; empty if it has no name.
    pub name: String,
    /// The transform relative to the parent.
    pub transform: Transform,
    /// The indices of the children.
    pub children: Vec<usize>,
    /// The mesh.
    pub mesh: Option<usize>,
    /// The skin that deforms the mesh.
    pub skin: Option<usize>,
    /// The weights of the morph targets; if empty, [`Mesh::weights`] apply.
    pub weights: Vec<f32>,
    /// Whether the node and its descendants are hidden (`KHR_node_visibility`).
    pub hidden: bool,
    /// A light.
    pub light: Option<Light>,
    /// A camera, which looks along -z.
    pub camera: Option<Camera>,
    /// Properties without a counterpart in a scene, by name.
    pub extras: BTreeMap<String, serde_json::Value>,
    /// In a scene of a Roblox document, the instance that the node shows: its index among all instances, parents before
    /// children. It is neither compared nor written, because it is the origin of the node, not a property of it.
    #[serde(skip)]
    pub source: Option<u32>,
}

/// The extra of a node in which its level of detail is kept.
pub(crate) const LEVEL: &str = "lod";

impl Node {
    /// The level of detail; 0 is the finest.
    pub fn level(&self) -> u64 {
        self.extras.get(LEVEL).and_then(serde_json::Value::as_u64).unwrap_or(0)
    }

    /// Sets the level of detail, in the extra `lod`.
    pub fn set_level(&mut self, level: usize) {
        self.extras.insert(LEVEL.into(), level.into());
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        let Self { name, transform, children, mesh, skin, weights, hidden, light, camera, extras, source: _ } =
            self;
        (name, transform, children) == (&other.name, &other.transform, &other.children)
            && (mesh, skin, weights) == (&other.mesh, &other.skin, &other.weights)
            && (hidden, light, camera) == (&other.hidden, &other.light, &other.camera)
            && extras == &other.extras
    }
}

/// A transform: scale first, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Transform {
    /// Translation, in units of the scene.
    pub translation: [f32; 3],
    /// Rotation, a quaternion x, y, z, w of length 1.
    pub rotation: [f32; 4],
    /// Scale per axis.
    pub scale: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

impl Transform {
    /// The transform of a matrix of four columns; shear is dropped.
    pub fn from_matrix(columns: [[f32; 4]; 4]) -> Self {
        Self::of(Mat4::from_cols_array_2d(&columns))
    }

    /// A translation without rotation and scale.
    pub fn from_translation(translation: [f32; 3]) -> Self {
        Self { translation, ..Self::default() }
    }

    /// The transform as a matrix of four columns.
    pub fn matrix(&self) -> [[f32; 4]; 4] {
        self.mat4().to_cols_array_2d()
    }

    pub(crate) fn of(matrix: Mat4) -> Self {
        let (scale, rotation, translation) = decomposed(matrix);
        Self { translation: translation.into(), rotation: rotation.into(), scale: scale.into() }
    }

    /// Whether the matrix from which the transform was made has shear, or another part that a transform cannot have.
    pub(crate) fn lacks_shear_of(&self, matrix: Mat4) -> bool {
        let largest = Vec3::from_array(self.scale).abs().max_element();
        largest.is_finite() && !matrix.abs_diff_eq(self.mat4(), 1e-3 * largest.max(f32::MIN_POSITIVE))
    }

    pub(crate) fn mat4(&self) -> Mat4 {
        let [scale, translation] = [self.scale, self.translation].map(Vec3::from_array);
        Mat4::from_scale_rotation_translation(scale, Quat::from_array(self.rotation), translation)
    }
}

/// A matrix without its scale and shear.
pub(crate) fn rigid(matrix: Mat4) -> Mat4 {
    let (_, rotation, translation) = decomposed(matrix);
    Mat4::from_rotation_translation(rotation, translation)
}

/// The scale, the rotation and the translation of a matrix, without its shear. A direction whose scale is 0 is taken to
/// be perpendicular to the others.
pub(crate) fn decomposed(matrix: Mat4) -> (Vec3, Quat, Vec3) {
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(glam::Vec4::truncate);
    // The squares of very large and very small numbers are not numbers of 32 bits.
    let largest = columns.map(|column| column.abs().max_element()).into_iter().fold(0.0, f32::max);
    if largest.is_finite() && largest > 0.0 && !(1e-18..1e18).contains(&largest) {
        let [x, y, z] = columns.map(|column| (column / largest).extend(0.0));
        let (scale, rotation, translation) = decomposed(Mat4::from_cols(x, y, z, matrix.w_axis));
        return (scale * largest, rotation, translation);
    }
    let scale = columns.map(Vec3::length);
    if !scale.contains(&0.0) {
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        // Axes that are not perpendicular give no rotation.
        let is_rotation = (rotation.length_squared() - 1.0).abs() < 1e-4;
        return (scale, if is_rotation { rotation } else { rotation.normalize() }, translation);
    }
    let mut axes = columns.map(Vec3::normalize_or_zero);
    for at in 0..3 {
        if axes[at] == Vec3::ZERO {
            let (next, last) = (axes[(at + 1) % 3], axes[(at + 2) % 3]);
            axes[at] = match (next == Vec3::ZERO, last == Vec3::ZERO) {
                (false, false) => next.cross(last).normalize_or_zero(),
                (false, true) => next.any_orthonormal_vector(),
                (true, false) => last.any_orthonormal_vector(),
                (true, true) => [Vec3::X, Vec3::Y, Vec3::Z][at],
            };
        }
    }
    let turned =
        Mat4::from_cols(axes[0].extend(0.0), axes[1].extend(0.0), axes[2].extend(0.0), matrix.w_axis);
    let (mirrored, rotation, translation) = turned.to_scale_rotation_translation();
    (mirrored * Vec3::from_array(scale), rotation, translation)
}

/// The transforms and weights of a scene at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// The transform of each node.
    pub transforms: Vec<Transform>,
    /// The weights of the morph targets of each node; if empty, [`Mesh::weights`] apply.
    pub weights: Vec<Vec<f32>>,
}

/// A light (`KHR_lights_punctual`).
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Light {
    /// Its form.
    pub kind: LightKind,
    /// The colour, linear.
    pub color: [f32; 3],
    /// The intensity in candela, or in lux for directional lights.
    pub intensity: f32,
    /// Its range, in units of the scene; `None` if unlimited.
    pub range: Option<f32>,
}

/// The form of a light. All except point lights shine along -z of their node.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub enum LightKind {
    /// Parallel light from a distance.
    Directional,
    /// Light from a point in all directions.
    Point,
    /// Light from a point into a cone; angles from its axis, in radians.
    Spot {
        /// The light has full brightness up to this angle.
        inner: f32,
        /// The light ends at this angle.
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
    /// The distance of the far plane; infinite if it is `None`.
    pub zfar: Option<f32>,
    /// The width divided by the height; `None` for that of the picture.
    pub aspect: Option<f32>,
}

/// A mesh at the place where it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// The node.
    pub node: usize,
    /// The mesh.
    pub mesh: usize,
    /// The matrix from the mesh to the scene, as four columns. Skinned meshes ignore it.
    pub world: [[f32; 4]; 4],
}

/// The extra of the node with the camera that is the current one of a place.
pub(crate) const CURRENT_CAMERA: &str = "CurrentCamera";

impl Scene {
    /// Removes images that no material shows.
    pub(crate) fn drop_unused_images(&mut self) {
        let mut is_used = vec![false; self.images.len()];
        let used = self.materials.iter().flat_map(Material::textures);
        used.for_each(|texture| {
            is_used.get_mut(texture.image).into_iter().for_each(|is_used| *is_used = true)
        });
        let mut kept = 0;
        let new: Vec<usize> = is_used
            .iter()
            .map(|is_used| {
                kept += usize::from(*is_used);
                kept.saturating_sub(1)
            })
            .collect();
        let mut at = 0..;
        self.images.retain(|_| at.next().is_some_and(|at: usize| is_used[at]));
        for texture in self.materials.iter_mut().flat_map(Material::textures_mut) {
            texture.image = new.get(texture.image).copied().unwrap_or(texture.image);
        }
    }

    /// The primitives of all meshes.
    pub fn primitives(&self) -> impl Iterator<Item = &Primitive> + Clone {
        self.meshes.iter().flat_map(|mesh| &mesh.primitives)
    }

    /// The primitives of all meshes.
    pub fn primitives_mut(&mut self) -> impl Iterator<Item = &mut Primitive> {
        self.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives)
    }

    /// The nodes that are joints; one of several skins is returned for each of them.
    pub fn joints(&self) -> impl Iterator<Item = usize> + Clone {
        self.skins.iter().flat_map(|skin| skin.joints.iter().copied())
    }

    /// The channels of all animations.
    pub fn channels(&self) -> impl Iterator<Item = &Channel> + Clone {
        self.animations.iter().flat_map(|animation| &animation.channels)
    }

    /// The channels of all animations.
    pub fn channels_mut(&mut self) -> impl Iterator<Item = &mut Channel> {
        self.animations.iter_mut().flat_map(|animation| &mut animation.channels)
    }

    /// Adds a node, below a parent or as a root, and returns its index.
    pub fn add_node(&mut self, parent: Option<usize>, node: Node) -> usize {
        let index = self.nodes.len();
        self.nodes.push(node);
        match parent {
            Some(parent) => self.nodes[parent].children.push(index),
            None => self.roots.push(index),
        }
        index
    }

    /// Adds a mesh and returns its index.
    pub fn add_mesh(&mut self, mesh: Mesh) -> usize {
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    /// The matrices from each node to the scene, as four columns, if the nodes have these transforms.
    /// Nodes that are not below a root have their own transform.
    pub fn world_matrices(&self, transforms: &[Transform]) -> Vec<[[f32; 4]; 4]> {
        self.world(transforms).iter().map(Mat4::to_cols_array_2d).collect()
    }

    pub(crate) fn world(&self, transforms: &[Transform]) -> Vec<Mat4> {
        let mut world: Vec<Mat4> = transforms.iter().map(Transform::mat4).collect();
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<(usize, Mat4)> = self.roots.iter().map(|&root| (root, Mat4::IDENTITY)).collect();
        while let Some((index, parent)) = open.pop() {
            // A node is visited only once, so that a cycle does not make the walk endless.
            let Some(seen) = seen.get_mut(index).filter(|seen| !**seen) else { continue };
            *seen = true;
            world[index] = parent * world[index];
            open.extend(self.nodes[index].children.iter().map(|&child| (child, world[index])));
        }
        world
    }

    /// The matrices from each node to the scene at rest, as four columns.
    pub fn at_rest(&self) -> Vec<[[f32; 4]; 4]> {
        self.world_at_rest().iter().map(Mat4::to_cols_array_2d).collect()
    }

    /// The matrices from each node to the scene at rest.
    pub(crate) fn world_at_rest(&self) -> Vec<Mat4> {
        self.world(&self.nodes.iter().map(|node| node.transform).collect::<Vec<_>>())
    }

    /// The pose of the scene at rest.
    pub fn pose(&self) -> Pose {
        Pose {
            transforms: self.nodes.iter().map(|node| node.transform).collect(),
            weights: self.nodes.iter().map(|node| node.weights.clone()).collect(),
        }
    }

    /// The node with the camera that sees the scene: the one whose extras say that it is the current one, otherwise the
    /// first.
    pub fn main_camera(&self) -> Option<usize> {
        let cameras = || self.walk().into_iter().filter(|&node| self.nodes[node].camera.is_some());
        let is_current = |node: &usize| self.nodes[*node].extras.get(CURRENT_CAMERA) == Some(&true.into());
        cameras().find(is_current).or_else(|| cameras().next())
    }

    /// The parent of each node.
    pub fn parents(&self) -> Vec<Option<usize>> {
        let mut parents = vec![None; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            node.children.iter().for_each(|&child| parents[child] = Some(at));
        }
        parents
    }

    /// The nodes whose places animations change.
    pub(crate) fn moving_nodes(&self) -> HashSet<usize> {
        let channels = self.channels();
        channels.filter(|channel| channel.moves(&self.nodes)).map(|channel| channel.node).collect()
    }

    /// The nodes that can be reached from the roots, parents before children.
    pub fn walk(&self) -> Vec<usize> {
        self.reached(|_| true)
    }

    /// The nodes that are drawn, parents before children: all of [`Scene::walk`] except hidden nodes and their
    /// descendants.
    pub fn visible(&self) -> Vec<usize> {
        self.reached(|node| !node.hidden)
    }

    fn reached(&self, enter: impl Fn(&Node) -> bool) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<usize> = self.roots.iter().rev().copied().collect();
        while let Some(index) = open.pop() {
            let Some(seen) = seen.get_mut(index).filter(|seen| !**seen) else { continue };
            *seen = true;
            if enter(&self.nodes[index]) {
                order.push(index);
                open.extend(self.nodes[index].children.iter().rev());
            }
        }
        order
    }

    /// The drawn meshes with their matrices, at rest.
    pub fn placed(&self) -> Vec<Placed> {
        let world = self.world_at_rest();
        let nodes = self.visible();
        let meshes = nodes.iter().filter_map(|&node| Some((node, self.nodes[node].mesh?)));
        meshes.map(|(node, mesh)| Placed { node, mesh, world: world[node].to_cols_array_2d() }).collect()
    }

    /// The name for a format with one object: that of the only mesh, if it has one, otherwise that of the scene.
    pub(crate) fn title(&self) -> &str {
        match self.object_names().collect::<Vec<_>>()[..] {
            [name] if self.placed().len() == 1 => name,
            _ => &self.name,
        }
    }

    /// The names of the nodes that are drawn, if they have names.
    pub(crate) fn object_names(&self) -> impl Iterator<Item = &str> {
        let name = |placed: Placed| {
            [&self.nodes[placed.node].name, &self.meshes[placed.mesh].name]
                .into_iter()
                .find(|name| !name.is_empty())
        };
        self.placed().into_iter().filter_map(name).map(String::as_str)
    }

    /// The number of triangles that are drawn.
    pub fn triangle_count(&self) -> usize {
        self.drawn(|primitive| primitive.mesh.triangles.len())
    }

    /// The number of vertices that are drawn.
    pub fn vertex_count(&self) -> usize {
        self.drawn(|primitive| primitive.mesh.positions.len())
    }

    /// Why the scene has no triangles that are drawn; `None` if it has some.
    pub fn why_empty(&self) -> Option<String> {
        if self.triangle_count() > 0 {
            return None;
        }
        let primitives = self.primitives();
        if primitives.clone().any(|primitive| !primitive.mesh.triangles.is_empty()) {
            return Some("all triangles are hidden, or in meshes that no node of the scene uses".to_owned());
        }
        Some(match primitives.map(|primitive| primitive.mesh.positions.len()).sum() {
            0 => "found no triangles".to_owned(),
            vertices => format!("found {}, but no triangles", Counted::new(vertices, "vertices")),
        })
    }

    fn drawn(&self, count: fn(&Primitive) -> usize) -> usize {
        let of = |mesh: &Mesh| mesh.primitives.iter().map(count).sum();
        let each: Vec<usize> = self.meshes.iter().map(of).collect();
        self.placed().iter().map(|placed| each[placed.mesh]).fold(0, usize::saturating_add)
    }
}
