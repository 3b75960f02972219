//! The nodes of a scene as instances.

use std::collections::HashMap;
use std::sync::Arc;

use geom::TriMesh;
use glam::{Mat3, Mat4, Vec3};
use rbxcore::{CFrame, Color3, Color3uint8, Content, NewInstance, Value};
use rbxmesh::{LodChoice, Mesh as RobloxMesh, Version};
use rezkit_core::{Budget, Loss, Result};

use super::bones::{Joints, UNSEEN, cframe, unseen, vector};
use super::files::{Assets, FileId};
use super::motors::Motors;
use super::moving::Moving;
use super::shapes::{Shape, Solid};
use super::surfaces::{Look, Looks, Maps};
use crate::features::Feature;
use crate::forms::{ModelOptions, Writing};
use crate::images::srgb_from_linear;
use crate::model::{
    Light, LightKind, Node, Pose, Primitive, Scene, Transform, UvTransform, decomposed, rigid,
};
use crate::pose::{deformed, morphed};
use crate::rbxmesh::bind_all;
use crate::roblox::BoneNode;

/// The most triangles of a mesh that Roblox accepts.
pub const MOST_TRIANGLES: usize = 20_000;
/// The largest size of a part that Roblox accepts, in studs.
pub const LARGEST: f32 = 2048.0;
/// The smallest size of a part, in studs.
const SMALLEST: f32 = 0.001;
const WHAT: &str = "the instances of the model";
/// The approximate memory of an instance with its properties, twice while it is inserted.
const INSTANCE: u64 = 4000;

/// A mesh in a file, of which several parts can have copies.
#[derive(Clone, Copy)]
struct Placed {
    file: FileId,
    /// The middle of the mesh before it was moved to the origin.
    middle: Vec3,
    size: Vec3,
}

/// What distinguishes the files of one mesh: the address of its triangles, the look's coordinates, and the part of the
/// matrix that is not a rotation and a size.
type Key = (usize, (usize, [u32; 5]), Option<[u32; 9]>);

struct Builder<'a> {
    scene: &'a Scene,
    options: &'a ModelOptions,
    budget: &'a mut Budget,
    losses: &'a mut Vec<Loss>,
    world: Vec<Mat4>,
    pose: Pose,
    joints: Joints,
    looks: Looks<'a>,
    assets: Assets,
    meshes: HashMap<Key, Placed>,
    /// By the address of the mesh, and the bits of the tolerance relative to its size.
    solids: HashMap<(usize, Option<u32>), Option<Solid>>,
    /// Meshes with morph targets, which are kept so that their addresses stay their own.
    morphed: Vec<Arc<TriMesh>>,
    bones: Vec<BoneNode>,
    /// The avatar that the scene is.
    motors: Option<Motors>,
    /// The parts that animations move, if it is none.
    moving: Option<Moving>,
    /// The frame and the size of the part that was made last.
    last: (Mat4, Vec3),
    /// The number of labels of instances.
    labels: usize,
}

/// The model of a scene, and the bones in it.
///
/// # Errors
/// If the budget does not suffice.
pub(super) fn model(scene: &Scene, writing: &mut Writing<'_>) -> Result<(NewInstance, Vec<BoneNode>)> {
    let options = writing.model;
    let count = scene.nodes.len() as u64;
    writing.budget.take(count.saturating_mul(INSTANCE), WHAT)?;
    // The triangles are copied for their files.
    writing.budget.work(scene.held()[1], WHAT)?;
    let scale = Mat4::from_scale(Vec3::splat(options.scale));
    let world: Vec<Mat4> = scene.world_at_rest().into_iter().map(|matrix| scale * matrix).collect();
    let joints = Joints::new(scene);
    let motors = Motors::new(scene, &world);
    let moving = match motors {
        Some(_) => None,
        None => Moving::new(scene, &world, &joints, |node| name(scene, node).to_owned()),
    };
    let mut builder = Builder {
        scene,
        options,
        motors,
        moving,
        last: (Mat4::IDENTITY, Vec3::ONE),
        world,
        budget: &mut writing.budget,
        losses: &mut writing.losses,
        pose: scene.pose(),
        joints,
        looks: Looks::new(scene, options),
        assets: Assets::new(options, writing.stem),
        meshes: HashMap::new(),
        solids: HashMap::new(),
        morphed: Vec::new(),
        bones: Vec::new(),
        labels: 0,
    };
    let model = builder.model(writing.stem)?;
    let Builder { assets, bones, .. } = builder;
    assets.finish(options, &mut writing.files, &mut writing.losses, &mut writing.budget)?;
    Ok((model, bones))
}

fn color3([r, g, b]: [f32; 3]) -> Color3 {
    Color3 { r, g, b }
}

/// A property of a part that refers to a file.
fn uri(address: String) -> Value {
    Value::Content(Content::Uri(address.into()))
}

/// The name of the instance of a node.
fn name(scene: &Scene, node: usize) -> &str {
    let Node { name, mesh, light, .. } = &scene.nodes[node];
    let of_mesh = mesh.and_then(|mesh| scene.meshes.get(mesh)).map_or("", |mesh| &mesh.name);
    let class = match (mesh, light) {
        (Some(_), _) => "MeshPart",
        (None, Some(_)) => "Light",
        (None, None) => "Model",
    };
    [name, of_mesh, class].into_iter().find(|name| !name.is_empty()).unwrap_or(class)
}

impl Builder<'_> {
    fn lose(&mut self, loss: Loss) -> Result<()> {
        self.budget.lose(self.losses, loss)
    }

    fn model(&mut self, stem: &str) -> Result<NewInstance> {
        let scene = self.scene;
        let order = scene.visible();
        let paths = self.paths(&order, stem)?;
        let hidden = scene.walk().len() - order.len();
        if hidden > 0 {
            let loss = Loss::new("nodes", "hidden nodes").id("scene.hidden-nodes").times(hidden);
            self.lose(loss.about([Feature::Hidden.title()]))?;
        }
        let mut below: Vec<Vec<NewInstance>> = vec![Vec::new(); scene.nodes.len()];
        let parents = scene.parents();
        let mut tops = Vec::new();
        // Children before their parents, and the last sibling first.
        for &node in order.iter().rev() {
            let mut children = std::mem::take(&mut below[node]);
            children.reverse();
            let made = self.node(node, children, &paths[node])?;
            match parents[node] {
                Some(parent) => below[parent].extend(made),
                None => tops.extend(made),
            }
        }
        tops.reverse();
        let name = if scene.name.is_empty() { stem } else { &scene.name };
        let mut model = NewInstance::new("Model").property("Name", name);
        let (motors, is_assumed) = self.motors.as_mut().map(Motors::finish).unwrap_or_default();
        if is_assumed {
            let what = "the places of joints, which are those of Roblox's avatar, since the parts state none";
            self.lose(Loss::approximated("nodes", what).id("roblox.joints"))?;
        }
        let moving = self
            .moving
            .take()
            .map(|moving| moving.finish(&self.world, |name| unseen(name, CFrame::default())));
        let (joined, bones) = moving.map(|joined| (joined.instances, joined.bones)).unwrap_or_default();
        self.bones.extend(bones);
        if !self.bones.is_empty() || !motors.is_empty() {
            let animator = NewInstance::new("Animator").property("Name", "Animator");
            let controller = NewInstance::new("AnimationController").property("Name", "AnimationController");
            model = model.child(controller.child(animator));
        }
        model = model.property("WorldPivotData", Some(CFrame::default()));
        model = motors.into_iter().chain(joined).fold(model, NewInstance::child);
        Ok(tops.into_iter().fold(model, NewInstance::child))
    }

    /// The paths of the instances of nodes, for messages.
    fn paths(&mut self, order: &[usize], stem: &str) -> Result<Vec<String>> {
        /// Longer paths are those of deep hierarchies, and are cut.
        const LONGEST: usize = 400;
        let scene = self.scene;
        let top = if scene.name.is_empty() { stem } else { &scene.name };
        let mut paths = vec![String::new(); scene.nodes.len()];
        scene.roots.iter().for_each(|&root| top.clone_into(&mut paths[root]));
        for &node in order {
            let path = format!("{}/{}", paths[node], name(scene, node));
            let path = rezkit_core::plain::shorten(&path, LONGEST);
            let children = &scene.nodes[node].children;
            self.budget.take((path.len() * (1 + children.len())) as u64, WHAT)?;
            children.iter().for_each(|&child| path.clone_into(&mut paths[child]));
            paths[node] = path;
        }
        Ok(paths)
    }

    /// The instance of a node; `None` for a joint, which is a `Bone`, and a camera.
    fn node(&mut self, index: usize, children: Vec<NewInstance>, path: &str) -> Result<Option<NewInstance>> {
        let scene = self.scene;
        let node = &scene.nodes[index];
        let name = name(scene, index).to_owned();
        let mesh = node.mesh.and_then(|mesh| scene.meshes.get(mesh));
        let primitives = mesh.map_or(&[][..], |mesh| &mesh.primitives);
        let primitives: Vec<&Primitive> =
            primitives.iter().filter(|primitive| !primitive.mesh.triangles.is_empty()).collect();
        let moves = |moving: &Moving| moving.moves_below(index);
        if !children.is_empty() && self.joints.contains(index) && !self.moving.as_ref().is_some_and(moves) {
            let what = "parts below a joint of a skin, which do not follow its bone";
            self.lose(Loss::approximated(path, what).id("roblox.joints").times(children.len()))?;
        }
        let made = match (primitives.as_slice(), node.light) {
            ([], Some(light)) => match self.light(&name, &light, index, path)? {
                Some(light) => Some(self.limb(index, light).0),
                None => return Ok((!children.is_empty()).then(|| self.group(&name, index, children))),
            },
            ([], None) => {
                // The ends of bones are no joints.
                let is_skeleton =
                    self.joints.is_at_or_below(index) || self.holds_joints(index) || node.camera.is_some();
                let is_left_out = children.is_empty() && is_skeleton;
                return Ok((!is_left_out).then(|| self.group(&name, index, children)));
            }
            ([one], None) => {
                let part = self.part(index, one, (&name, path))?;
                part.map(|part| self.limb(index, part).0)
            }
            (several, light) => {
                let mut group = NewInstance::new("Model")
                    .property("Name", &*name)
                    .property("WorldPivotData", Some(self.pivot(index)));
                let label = format!("part {}", self.labels);
                self.labels += 1;
                let mut welds = Vec::new();
                for (at, primitive) in several.iter().enumerate() {
                    let material = primitive.material.and_then(|index| scene.materials.get(index));
                    let own = material.map_or("", |material| &material.name);
                    let own = if own.is_empty() { format!("{name} {}", at + 1) } else { own.to_owned() };
                    self.budget.take(INSTANCE, WHAT)?;
                    let own_path = format!("{path}/{own}");
                    let Some(part) = self.part(index, primitive, (&own, &own_path))? else { continue };
                    let (part, own_label) = match welds.is_empty() {
                        true => self.limb(index, part),
                        false => (part, None),
                    };
                    let own_label = own_label.unwrap_or_else(|| format!("{label} {at}"));
                    group = group.child(part.label(&own_label));
                    welds.push(own_label);
                }
                for other in welds.iter().skip(1) {
                    let weld = NewInstance::new("WeldConstraint").property("Name", "WeldConstraint");
                    group = group
                        .child(weld.reference("Part0Internal", &welds[0]).reference("Part1Internal", other));
                }
                if let Some(light) = light
                    && let Some(light) = self.light("Light", &light, index, path)?
                {
                    group = match welds.first().filter(|_| self.moves(index)) {
                        Some(first) => {
                            let weld = NewInstance::new("WeldConstraint").property("Name", "WeldConstraint");
                            let weld = weld.reference("Part0Internal", first);
                            let label = format!("{label} light");
                            group.child(weld.reference("Part1Internal", &label)).child(light.label(&label))
                        }
                        None => group.child(light),
                    };
                }
                Some(group)
            }
        };
        Ok(match made {
            Some(made) => Some(children.into_iter().fold(made, NewInstance::child)),
            None => (!children.is_empty()).then(|| self.group(&name, index, children)),
        })
    }

    /// The first part of a node with the label to which joints and welds refer, and the name that they need.
    fn limb(&mut self, index: usize, part: NewInstance) -> (NewInstance, Option<String>) {
        let (label, name) = if let Some(motors) = &mut self.motors {
            let Some(name) = motors.part(index) else { return (part, None) };
            (motors.add(name, self.last, self.world[index]), Some(name.to_owned()))
        } else {
            let made = self.moving.as_mut().and_then(|moving| moving.add(index, self.last.0));
            let Some(made) = made else { return (part, None) };
            made
        };
        let part = match name {
            Some(name) => part.property("Name", name.as_str()),
            None => part,
        };
        (part.label(&label), Some(label))
    }

    /// Whether a joint or a weld moves the parts of a node.
    fn moves(&self, index: usize) -> bool {
        match (&self.motors, &self.moving) {
            (Some(motors), _) => motors.moves(index),
            (None, moving) => moving.as_ref().is_some_and(|moving| moving.moves(index)),
        }
    }

    /// Whether a node is above joints.
    fn holds_joints(&self, index: usize) -> bool {
        self.scene.nodes[index].children.iter().any(|&child| self.joints.contains(child))
    }

    fn pivot(&self, index: usize) -> CFrame {
        let (_, rotation, translation) = decomposed(self.world[index]);
        let frame = Mat4::from_rotation_translation(rotation.normalize(), translation);
        cframe(if frame.is_finite() { frame } else { Mat4::IDENTITY })
    }

    fn group(&self, name: &str, index: usize, children: Vec<NewInstance>) -> NewInstance {
        let group = NewInstance::new("Model")
            .property("Name", name)
            .property("WorldPivotData", Some(self.pivot(index)));
        children.into_iter().fold(group, NewInstance::child)
    }

    /// A part for the triangles of one material.
    fn part(
        &mut self,
        index: usize,
        primitive: &Primitive,
        (name, path): (&str, &str),
    ) -> Result<Option<NewInstance>> {
        let scene = self.scene;
        // Joints move no anchored part.
        let is_anchored = !self.moves(index);
        let look = self.looks.of(primitive.material, &mut self.assets, self.losses, self.budget)?;
        let weights = scene.weights_of(index, &self.pose);
        let has_weights = !primitive.targets.is_empty() && weights.iter().any(|weight| *weight != 0.0);
        let mesh = if has_weights { morphed(primitive, weights) } else { primitive.mesh.clone() };
        if has_weights {
            self.budget.take(crate::model::held::held(&mesh) as u64, WHAT)?;
            self.morphed.push(mesh.clone());
        }
        if !self.world[index].is_finite() || mesh.bounds().is_none_or(|bounds| !finite(bounds)) {
            self.lose(Loss::new(path, "a mesh with infinite or NaN coordinates").id("mesh.not-finite"))?;
            return Ok(None);
        }
        if let Some(skin) = scene.nodes[index].skin
            && let Some(skinned) = self.joints.bind(scene, skin, &mesh, &self.world)?
        {
            let part = self.skinned(skinned, primitive, &look, (name, path))?;
            return Ok(Some(part.property("Anchored", is_anchored)));
        }
        let world = self.world[index];
        let is_plain =
            look.maps.is_none() && mesh.colors.iter().all(|color| *color == geom::LinearRgba::WHITE);
        if self.options.parts
            && is_plain
            && let Some((shape, (size, frame))) = self.solid(&mesh, world)?
        {
            self.check_size(size, path)?;
            self.last = (frame, size);
            return Ok(Some(exact(shape, size, frame, name, &look).property("Anchored", is_anchored)));
        }
        let transform = Transform::of(world);
        let scale = Vec3::from(transform.scale);
        let rigid = Transform { scale: [1.0; 3], ..transform }.mat4();
        // What is not a size and a rotation, such as a mirror image, is in the file.
        let baked =
            (scale.min_element() <= 0.0 || transform.lacks_shear_of(world)).then(|| rigid.inverse() * world);
        let (scale, own) = if baked.is_some() { (Vec3::ONE, baked) } else { (scale, None) };
        let placed = self.mesh(&mesh, primitive, &look, own, path)?;
        let size = placed.size * scale;
        let frame = rigid * Mat4::from_translation(placed.middle * scale);
        let part = self.mesh_part((placed, size), frame, &look, (name, path))?;
        let pivot = Mat4::from_translation(-placed.middle * scale);
        Ok(Some(part.property("PivotOffset", cframe(pivot)).property("Anchored", is_anchored)))
    }

    /// The shape of a part that a mesh is, and its size and frame.
    fn solid(&mut self, mesh: &Arc<TriMesh>, world: Mat4) -> Result<Option<(Shape, (Vec3, Mat4))>> {
        let studs = self.options.animation.tolerance.map(|[_, studs]| studs);
        let scale = Vec3::from(Transform::from_matrix(world.to_cols_array_2d()).scale).abs();
        let longest = (extent(mesh) * scale).max_element();
        let within = studs.map(|studs| studs / longest);
        let key = (Arc::as_ptr(mesh).addr(), within.map(f32::to_bits));
        let solid = *self.solids.entry(key).or_insert_with(|| Solid::of(mesh, within));
        let Some(solid) = solid else { return Ok(None) };
        let placed = match studs {
            None => solid.placed(world),
            Some(studs) => {
                self.budget.work(60 * mesh.triangles.len() as u64, WHAT)?;
                solid.within(mesh, world, studs)
            }
        };
        Ok(placed.map(|placed| (solid.shape, placed)))
    }

    fn skinned(
        &mut self,
        mut skinned: super::bones::Skinned,
        primitive: &Primitive,
        look: &Look,
        (name, path): (&str, &str),
    ) -> Result<NewInstance> {
        let count = skinned.bones.len() as u64;
        self.budget.take(count.saturating_mul(INSTANCE), WHAT)?;
        for joint in std::mem::take(&mut skinned.scaled) {
            let what = format!("the scale of the joint {:?}, which moves vertices", self.joints.name(joint));
            self.lose(Loss::new(path, what).id("roblox.joint-scale"))?;
        }
        let unbound = skinned.mesh.weights.iter().filter(|weights| **weights == [0.0; 4]).count();
        if unbound > 0 {
            bind_all(&mut skinned.mesh);
            let what = "a vertex that follows no bone is bound to the first one";
            self.lose(Loss::approximated(path, what).id("mesh.unbound-vertex").times(unbound))?;
        }
        prepare(&mut skinned.mesh, primitive, look);
        let middle = centre(&mut skinned.mesh);
        skinned.bones.iter_mut().for_each(|bone| bone.position = bone.position - vector(middle));
        let size = extent(&skinned.mesh);
        let made = RobloxMesh::from_skinned_tri_mesh(&skinned.mesh, skinned.bones.clone())
            .map_err(|error| rezkit_core::Error::unwritable(error).at(path))?;
        let triangles = skinned.mesh.triangles.len();
        let file = self.assets.add(rbxmesh::to_vec(&made)?, Some(triangles), self.budget)?;
        let placed = Placed { file, middle, size };
        self.too_many(triangles, path)?;
        let frame = Mat4::from_translation(middle);
        let part =
            self.mesh_part((placed, size), frame, look, (name, path))?.property("HasSkinnedMesh", true);
        match self.motors {
            // The joints between the parts move them, and the bones of their meshes have the same names.
            Some(_) => Ok(part),
            None => Ok(self.joints.add(&skinned, (part, name), frame, &self.world, &mut self.bones)),
        }
    }

    /// The file of a mesh, and its place.
    fn mesh(
        &mut self,
        mesh: &Arc<TriMesh>,
        primitive: &Primitive,
        look: &Look,
        baked: Option<Mat4>,
        path: &str,
    ) -> Result<Placed> {
        let (set, UvTransform { offset: [u, v], rotation, scale: [width, height] }) = look.coordinates;
        let coordinates = [u, v, rotation, width, height].map(f32::to_bits);
        // Mirrored coordinates are in the file.
        let set = set | look.mirrors.iter().fold(0, |bits, mirrors| bits << 1 | usize::from(*mirrors)) << 16;
        let own = baked.map(|matrix| Mat3::from_mat4(matrix).to_cols_array().map(f32::to_bits));
        let key = (Arc::as_ptr(mesh).addr(), (set, coordinates), own);
        if let Some(&known) = self.meshes.get(&key) {
            return Ok(known);
        }
        let mut copy = match baked {
            Some(matrix) => deformed(mesh, matrix, None),
            None => TriMesh::clone(mesh),
        };
        (copy.joints, copy.weights) = (Vec::new(), Vec::new());
        prepare(&mut copy, primitive, look);
        if look.clamps && copy.uvs.iter().any(|uv| uv.x.min(uv.y) < -0.001 || uv.x.max(uv.y) > 1.001) {
            let what = "a texture that does not repeat (clamp or mirror), outside of its image";
            self.lose(Loss::approximated(path, what).id("scene.sampler").about([Feature::Wrapping.title()]))?;
        }
        let middle = centre(&mut copy);
        let size = extent(&copy);
        let triangles = copy.triangles.len();
        self.too_many(triangles, path)?;
        let made = RobloxMesh::from_tri_mesh(&copy)
            .map_err(|error| rezkit_core::Error::unwritable(error).at(path))?;
        let version = self.options.mesh_version.unwrap_or(Version::V2_00);
        let (made, dropped) = if made.version == version {
            (made, Vec::new())
        } else {
            made.to_version(version, LodChoice::First)
        };
        for lost in dropped {
            self.lose(Loss::new(path, lost.what).id("rbxmesh.version"))?;
        }
        let file = self.assets.add(rbxmesh::to_vec(&made)?, Some(triangles), self.budget)?;
        let placed = Placed { file, middle, size };
        self.meshes.insert(key, placed);
        Ok(placed)
    }

    fn too_many(&mut self, triangles: usize, path: &str) -> Result<()> {
        if triangles > MOST_TRIANGLES {
            let what =
                format!("{triangles} triangles in a mesh, of which Roblox accepts at most {MOST_TRIANGLES}");
            self.lose(Loss::warning(path, what).id("roblox.limits"))?;
        }
        Ok(())
    }

    fn check_size(&mut self, size: Vec3, path: &str) -> Result<()> {
        if size.max_element() > LARGEST {
            let what =
                format!("a part of {} studs, of which Roblox accepts at most {LARGEST}", size.max_element());
            self.lose(Loss::warning(path, what).id("roblox.limits"))?;
        }
        Ok(())
    }

    fn mesh_part(
        &mut self,
        (placed, size): (Placed, Vec3),
        frame: Mat4,
        look: &Look,
        (name, path): (&str, &str),
    ) -> Result<NewInstance> {
        self.check_size(size, path)?;
        self.last = (frame, size);
        // A flat mesh has no thickness, but its part does.
        let thick = size.max(Vec3::splat(SMALLEST));
        let initial = Vec3::select(size.cmplt(thick), thick, placed.size);
        let initial = Vec3::select(
            size.cmplt(thick) & placed.size.cmpgt(Vec3::ZERO),
            thick / size * placed.size,
            initial,
        );
        let address = self.assets.address(placed.file, path, "MeshContent", self.budget)?;
        let part = seen(NewInstance::new("MeshPart").property("Name", name), look)
            .property("CFrame", cframe(frame))
            .property("size", vector(thick))
            .property("InitialSize", vector(initial))
            .property("MeshContent", uri(address))
            .property("DoubleSided", look.double_sided);
        match &look.maps {
            Some(maps) => Ok(part.child(self.surface(maps, path)?)),
            None => Ok(part),
        }
    }

    fn surface(&mut self, maps: &Maps, path: &str) -> Result<NewInstance> {
        let Maps { color, metalness, normal, roughness, emissive, .. } = *maps;
        let mut surface = NewInstance::new("SurfaceAppearance")
            .property("Name", "SurfaceAppearance")
            .property("AlphaMode", Value::Enum(maps.alpha_mode))
            .property("Color", color3(maps.tint));
        if emissive.is_some() {
            surface = surface
                .property("EmissiveStrength", maps.emissive_strength)
                .property("EmissiveTint", color3(maps.emissive_tint));
        }
        if maps.is_pixelated {
            surface = surface.property("ResampleMode", Value::Enum(1));
        }
        let path = format!("{path}/SurfaceAppearance");
        for (file, property) in [
            (color, "ColorMapContent"),
            (metalness, "MetalnessMapContent"),
            (normal, "NormalMapContent"),
            (roughness, "RoughnessMapContent"),
            (emissive, "EmissiveMaskContent"),
        ] {
            let Some(file) = file else { continue };
            surface =
                surface.property(property, uri(self.assets.address(file, &path, property, self.budget)?));
        }
        Ok(surface)
    }

    /// A light, in an invisible part.
    fn light(&mut self, name: &str, light: &Light, index: usize, path: &str) -> Result<Option<NewInstance>> {
        /// The range of a light, in studs.
        const FARTHEST: f32 = 60.0;
        const USUAL: f32 = 16.0;
        let (class, angle) = match light.kind {
            LightKind::Point => ("PointLight", None),
            LightKind::Spot { inner, outer } => {
                if inner > 0.0 {
                    self.lose(Loss::new(path, "the inner angle of a spot light").id("roblox.light"))?;
                }
                ("SpotLight", Some((outer * 2.0).to_degrees().min(180.0)))
            }
            LightKind::Directional => {
                let what = "a directional light, since the sun of Roblox is a property of the place";
                self.lose(Loss::new(path, what).id("scene.lights").about([Feature::Lights.title()]))?;
                return Ok(None);
            }
        };
        let range = light.range.map(|range| range * self.options.scale);
        if range.is_none_or(|range| range > FARTHEST) {
            let what = "the range of a light, which is at most 60 studs in Roblox (16 without one)";
            self.lose(Loss::approximated(path, what).id("roblox.light"))?;
        }
        let mut own = NewInstance::new(class)
            .property("Name", class)
            .property("Brightness", light.intensity / 100.0)
            .property("Color", color3(light.color.map(srgb_from_linear).map(|part| f32::from(part) / 255.0)))
            .property("Range", range.unwrap_or(USUAL).clamp(0.0, FARTHEST));
        if let Some(angle) = angle {
            own = own.property("Angle", angle).property("Face", Value::Enum(5));
        }
        self.last = (rigid(self.world[index]), Vec3::splat(UNSEEN));
        let part = unseen(name, self.pivot(index)).property("Anchored", !self.moves(index));
        Ok(Some(part.child(own)))
    }
}

fn finite(bounds: geom::Aabb) -> bool {
    bounds.min.is_finite() && bounds.max.is_finite()
}

/// The properties that every part has.
fn seen(part: NewInstance, look: &Look) -> NewInstance {
    let [r, g, b] = look.color;
    part.property("Color3uint8", Color3uint8 { r, g, b })
        .property("Transparency", look.transparency)
        .property("Reflectance", look.reflectance)
        .property("Material", Value::Enum(look.material))
}

/// A part of an exact shape.
fn exact(shape: Shape, size: Vec3, frame: Mat4, name: &str, look: &Look) -> NewInstance {
    let (class, kind) = match shape {
        Shape::Block => ("Part", Some(1)),
        Shape::Ball => ("Part", Some(0)),
        Shape::Cylinder => ("Part", Some(2)),
        Shape::Wedge => ("WedgePart", None),
        Shape::CornerWedge => ("CornerWedgePart", None),
    };
    let part = seen(NewInstance::new(class).property("Name", name), look)
        .property("CFrame", cframe(frame))
        .property("size", vector(size))
        // Smooth: old parts have studs.
        .property("TopSurface", Value::Enum(0))
        .property("BottomSurface", Value::Enum(0));
    match kind {
        Some(kind) => part.property("shape", Value::Enum(kind)),
        None => part,
    }
}

/// Moves a mesh so that its middle is at the origin; returns the former middle.
fn centre(mesh: &mut TriMesh) -> Vec3 {
    let Some(bounds) = mesh.bounds() else { return Vec3::ZERO };
    let middle = (Vec3::from(bounds.min.to_array()) + Vec3::from(bounds.max.to_array())) * 0.5;
    for position in &mut mesh.positions {
        *position = vector(Vec3::from(position.to_array()) - middle);
    }
    middle
}

fn extent(mesh: &TriMesh) -> Vec3 {
    mesh.bounds().map_or(Vec3::ZERO, |bounds| Vec3::from((bounds.max - bounds.min).to_array()))
}

/// Fills the columns of a mesh: the texture coordinates of the look, flat normals if there are none, and tangents.
fn prepare(mesh: &mut TriMesh, primitive: &Primitive, look: &Look) {
    let (set, transform) = look.coordinates;
    if set > 0 {
        mesh.uvs = primitive.uvs(set).to_vec();
    }
    if transform != UvTransform::default() {
        mesh.uvs.iter_mut().for_each(|uv| *uv = transform.apply([uv.x, uv.y]).into());
    }
    for (axis, _) in look.mirrors.into_iter().enumerate().filter(|(_, mirrors)| *mirrors) {
        mirror(mesh, axis);
    }
    if mesh.normals.is_empty() {
        flat(mesh);
    }
    if mesh.tangents.is_empty()
        && !mesh.uvs.is_empty()
        && look.maps.as_ref().is_some_and(|maps| maps.normal.is_some())
    {
        tangents(mesh);
    }
    keep_used(mesh);
}

/// Drops the vertices of no triangle: primitives can share the columns of a file.
fn keep_used(mesh: &mut TriMesh) {
    let mut is_used = vec![false; mesh.positions.len()];
    for index in mesh.triangles.iter().flatten() {
        if let Some(used) = is_used.get_mut(*index as usize) {
            *used = true;
        }
    }
    if is_used.iter().all(|used| *used) {
        return;
    }
    let mut next = 0;
    let places: Vec<u32> = is_used
        .iter()
        .map(|used| {
            next += u32::from(*used);
            next - u32::from(*used)
        })
        .collect();
    for index in mesh.triangles.iter_mut().flatten() {
        *index = places.get(*index as usize).copied().unwrap_or_default();
    }
    fn keep<T>(column: &mut Vec<T>, is_used: &[bool]) {
        let mut used = is_used.iter();
        column.retain(|_| used.next().copied().unwrap_or_default());
    }
    keep(&mut mesh.positions, &is_used);
    keep(&mut mesh.normals, &is_used);
    keep(&mut mesh.tangents, &is_used);
    keep(&mut mesh.uvs, &is_used);
    keep(&mut mesh.colors, &is_used);
    keep(&mut mesh.joints, &is_used);
    keep(&mut mesh.weights, &is_used);
}

/// Moves the coordinates of triangles that are each in one copy of an image, of which every other one is mirrored, into the
/// image itself. Nothing changes if a triangle is in several copies, or a vertex would need two coordinates.
fn mirror(mesh: &mut TriMesh, axis: usize) {
    const NEAR: f32 = 1e-4;
    let mut copies: Vec<Option<f32>> = vec![None; mesh.uvs.len()];
    for triangle in &mesh.triangles {
        let corners = triangle.map(|corner| corner as usize);
        let Some(places) = corners.iter().map(|&at| mesh.uvs.get(at)).collect::<Option<Vec<_>>>() else {
            return;
        };
        let places = places.into_iter().map(|uv| [uv.x, uv.y][axis]);
        let (low, high) = places
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)));
        let copy = (low + NEAR).floor();
        if !copy.is_finite() || high > copy + 1.0 + NEAR {
            return;
        }
        for at in corners {
            if *copies[at].get_or_insert(copy) != copy {
                return;
            }
        }
    }
    for (uv, copy) in mesh.uvs.iter_mut().zip(copies) {
        let Some(copy) = copy else { continue };
        let place = if axis == 0 { &mut uv.x } else { &mut uv.y };
        *place -= copy;
        if copy.rem_euclid(2.0) == 1.0 {
            *place = 1.0 - *place;
        }
    }
}

/// Gives each triangle its own vertices, with its normal: so glTF defines meshes without normals.
fn flat(mesh: &mut TriMesh) {
    let corners: Vec<usize> = mesh.triangles.iter().flatten().map(|&index| index as usize).collect();
    fn each<T: Copy>(column: &[T], corners: &[usize]) -> Vec<T> {
        if column.is_empty() { Vec::new() } else { corners.iter().map(|&corner| column[corner]).collect() }
    }
    let positions = each(&mesh.positions, &corners);
    let normals = positions.as_chunks::<3>().0.iter().flat_map(|triangle| {
        let [a, b, c] = triangle.map(|at| Vec3::from(at.to_array()));
        [vector((b - a).cross(c - a).normalize_or(Vec3::Y)); 3]
    });
    let normals = normals.collect();
    *mesh = TriMesh {
        normals,
        tangents: Vec::new(),
        uvs: each(&mesh.uvs, &corners),
        colors: each(&mesh.colors, &corners),
        joints: each(&mesh.joints, &corners),
        weights: each(&mesh.weights, &corners),
        triangles: (0..mesh.triangles.len() as u32).map(|at| [at * 3, at * 3 + 1, at * 3 + 2]).collect(),
        positions,
    };
}

/// Tangents in the direction of u, the mean of those of the triangles of a vertex, as Roblox's importer computes them.
fn tangents(mesh: &mut TriMesh) {
    let mut sums = vec![(Vec3::ZERO, Vec3::ZERO); mesh.positions.len()];
    for triangle in &mesh.triangles {
        let at = triangle.map(|index| index as usize);
        let [a, b, c] = at.map(|index| Vec3::from(mesh.positions[index].to_array()));
        let [p, q, r] = at.map(|index| glam::Vec2::from(<[f32; 2]>::from(mesh.uvs[index])));
        let (right, up, along, across) = (b - a, c - a, q - p, r - p);
        let area = along.perp_dot(across);
        if area == 0.0 || !area.is_finite() {
            continue;
        }
        let u = (right * across.y - up * along.y) * area.signum();
        let v = (up * along.x - right * across.x) * area.signum();
        for index in at {
            sums[index].0 += u;
            sums[index].1 += v;
        }
    }
    mesh.tangents = sums
        .into_iter()
        .zip(&mesh.normals)
        .map(|((u, v), normal)| {
            let normal = Vec3::from(normal.to_array());
            let tangent = (u - normal * normal.dot(u)).normalize_or(normal.any_orthonormal_vector());
            // v of images points down, and the bitangent up.
            let side = if normal.cross(tangent).dot(v) > 0.0 { -1.0 } else { 1.0 };
            [tangent.x, tangent.y, tangent.z, side].into()
        })
        .collect();
}
