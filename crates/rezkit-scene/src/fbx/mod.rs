//! Autodesk FBX, binary and text, of versions 6.0 to 7.9: read.
//!
//! The axes become those of a scene (y up), and lengths metres, by the settings of the file.

mod geometry;
mod materials;
mod motion;
mod objects;
mod skins;
mod text;
mod transform;
mod tree;

use std::collections::{HashMap, HashSet};

use glam::{DQuat, DVec3};
use rezkit_core::{Budget, Loss, Result};

use crate::corners::Moved;
use crate::forms::{Beside, SceneReader};
use crate::model::{Camera, Light, LightKind, Mesh, Node, Primitive, Scene, Transform};
use materials::Materials;
use motion::{Animated, Motion};
use objects::{Objects, Properties, SCENE};
use skins::Blend;
use transform::{Local, Pivots};

/// Reads FBX, and the images that it names.
pub static READER: SceneReader = SceneReader(|reading| {
    let (scene, losses) = reading.beside(|bytes, budget, beside| from_slice(bytes, budget, beside))?;
    reading.losses.extend(losses);
    Ok(scene)
});

/// Whether bytes begin like an FBX file.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(tree::MAGIC) || rezkit_core::plain::unmarked(bytes).starts_with(b"; FBX ")
}

/// The metres of a unit of length in a file, by which its numbers become those of a scene.
///
/// # Errors
/// As [`from_slice`].
pub fn unit(bytes: &[u8], budget: &mut Budget) -> Result<f64> {
    let (_, top) = match bytes.starts_with(tree::MAGIC) {
        true => tree::read(bytes, budget)?,
        false => text::read(bytes, budget)?,
    };
    Ok(unit_of(&settings(&top)))
}

/// The settings of a file.
fn settings(top: &tree::Record) -> Properties<'_> {
    let settings = top
        .child("GlobalSettings")
        .or_else(|| top.child("Objects").and_then(|objects| objects.child("GlobalSettings")));
    settings.map(|record| Properties::of(record, None)).unwrap_or_default()
}

/// The unit of a file is a number of centimetres.
fn unit_of(settings: &Properties<'_>) -> f64 {
    let unit = settings.float("UnitScaleFactor").filter(|unit| unit.is_finite() && *unit > 0.0);
    unit.unwrap_or(1.0) / 100.0
}

/// Reads a scene. `resolve` returns the content of an image by its name relative to the file.
///
/// # Errors
/// If the file is damaged, with the path and the offset, or needs more memory than the budget allows.
pub fn from_slice(bytes: &[u8], budget: &mut Budget, resolve: &mut Beside<'_>) -> Result<(Scene, Vec<Loss>)> {
    let (_, top) = match bytes.starts_with(tree::MAGIC) {
        true => tree::read(bytes, budget)?,
        false => text::read(bytes, budget)?,
    };
    let objects = Objects::of(&top, budget)?;
    let settings = settings(&top);
    let mut builder = Builder {
        objects: &objects,
        budget,
        resolve,
        scene: Scene::default(),
        losses: Vec::new(),
        materials: Materials::new(&objects),
        nodes: HashMap::new(),
        animated: HashMap::new(),
        meshes: HashMap::new(),
        blends: Vec::new(),
        axes: transform::axes(&settings),
        unit: unit_of(&settings),
    };
    builder.models()?;
    builder.geometries()?;
    builder.lights();
    let Builder { mut scene, mut losses, animated, blends, unit, budget, .. } = builder;
    if top.child("Takes").is_some_and(|takes| takes.all("Take").any(|take| take.child("Model").is_some())) {
        losses.push(Loss::new("Takes", "animations of files before 7.0").id("fbx.animations"));
    }
    let rate = motion::frame_rate(&settings);
    let motion = Motion { objects: &objects, animated: &animated, blends: &blends, rate, unit };
    scene.animations = motion.read(budget, &mut losses)?;
    Ok((scene, losses))
}

/// A mesh of the scene, its skin, and its blend shapes with their weights.
type Made = (usize, Option<usize>, Vec<Blend>);

/// The mesh of a geometry with this transform and these materials.
type MeshKey = (usize, Vec<u64>, Vec<usize>);

struct Builder<'a, 'b> {
    objects: &'a Objects<'a>,
    budget: &'b mut Budget,
    resolve: &'b mut Beside<'b>,
    scene: Scene,
    losses: Vec<Loss>,
    materials: Materials<'a>,
    /// The node of each model.
    nodes: HashMap<usize, usize>,
    animated: HashMap<usize, Animated>,
    meshes: HashMap<MeshKey, Made>,
    blends: Vec<(usize, Vec<Blend>)>,
    axes: DQuat,
    unit: f64,
}

impl Builder<'_, '_> {
    /// Adds a node for each model, parents before their children.
    fn models(&mut self) -> Result<()> {
        let objects = self.objects;
        let is_model = |object: &usize| objects.all[*object].kind == "Model";
        let is_inner = |object: usize| objects.users(object, "Model").next().is_some();
        let tops: HashSet<usize> = objects.tops.iter().copied().collect();
        let mut open: Vec<(usize, Option<usize>)> = (0..objects.all.len())
            .filter(|object| is_model(object) && (tops.contains(object) || !is_inner(*object)))
            .map(|object| (object, None))
            .collect();
        open.reverse();
        while let Some((object, parent)) = open.pop() {
            if self.nodes.contains_key(&object) {
                continue;
            }
            self.budget.take(1000, "the nodes")?;
            let from = &objects.all[object];
            let (pivots, local) = (Pivots::of(&from.properties), Local::of(&from.properties));
            let axes = if parent.is_none() { self.axes } else { DQuat::IDENTITY };
            let placed = pivots.place(&local);
            let place = axes * placed.translation * self.unit;
            let transform = Transform {
                translation: place.as_vec3().to_array(),
                rotation: (axes * placed.rotation).normalize().as_quat().to_array(),
                scale: placed.scale.as_vec3().to_array(),
            };
            let is_finite = Transform::mat4(&transform).is_finite();
            if !is_finite {
                self.losses.push(
                    Loss::new(format!("Model {:?}", from.name), "a transform that is not finite")
                        .id("fbx.transforms"),
                );
            }
            if from.properties.int("InheritType") == Some(2) && parent.is_some() {
                let what = "the scale of the nodes above the node applies to it, too";
                self.losses
                    .push(Loss::approximated(format!("Model {:?}", from.name), what).id("fbx.transforms"));
            }
            let node = Node {
                name: from.name.clone(),
                transform: if is_finite { transform } else { Transform::default() },
                hidden: from.properties.float("Visibility").is_some_and(|value| value <= 0.0),
                ..Node::default()
            };
            let index = self.scene.add_node(parent, node);
            self.nodes.insert(object, index);
            self.animated.insert(object, Animated { node: index, pivots, local, axes });
            let children: Vec<usize> = objects.inside(object, "Model").collect();
            open.extend(children.into_iter().rev().map(|child| (child, Some(index))));
        }
        Ok(())
    }

    /// Adds the meshes of all models.
    fn geometries(&mut self) -> Result<()> {
        let objects = self.objects;
        let mut models: Vec<(usize, usize)> =
            self.nodes.iter().map(|(&model, &node)| (model, node)).collect();
        geom::sort::by_key(&mut models, |(_, node)| *node);
        for (model, node) in models {
            let own = objects.all[model].record.child("PolygonVertexIndex").map(|_| model);
            for geometry in own.into_iter().chain(objects.inside(model, "Geometry")) {
                let from = &objects.all[geometry];
                if from.record.child("PolygonVertexIndex").is_none() {
                    let path = format!("Geometry {:?}", from.name);
                    if from.record.child("Vertices").is_none() || from.class != "Mesh" {
                        self.losses.push(
                            Loss::new(path, format!("a geometry of the kind {:?}", from.class))
                                .id("fbx.geometry"),
                        );
                    }
                    continue;
                }
                self.mesh(model, node, geometry)?;
            }
        }
        Ok(())
    }

    fn mesh(&mut self, model: usize, node: usize, geometry: usize) -> Result<()> {
        let objects = self.objects;
        let from = &objects.all[model];
        let matrix = transform::geometric(&from.properties);
        let materials: Vec<usize> = objects.inside(model, "Material").collect();
        let bits = matrix.to_cols_array().map(f64::to_bits).to_vec();
        let key = (geometry, bits, materials.clone());
        let name = match objects.all[geometry].name.as_str() {
            "" => from.name.clone(),
            name => name.to_owned(),
        };
        if !self.meshes.contains_key(&key) {
            let path = format!("Geometry {name:?}");
            let moved = Moved::new(matrix, self.unit);
            let record = objects.all[geometry].record;
            let mut made = geometry::read(record, &moved, &path, self.budget, &mut self.losses)?;
            let nodes = (&self.nodes, self.unit);
            let skin =
                skins::bind(objects, (geometry, &path), nodes, &mut made, self.budget, &mut self.losses)?;
            let blends =
                skins::blend(objects, (geometry, &path), &moved, &mut made, self.budget, &mut self.losses)?;
            let mut primitives: Vec<Primitive> = Vec::new();
            for (index, mut primitive) in made.primitives {
                if let Some(&material) = materials.get(index).or(materials.first()) {
                    let material = self.materials.of(
                        material,
                        &mut self.scene,
                        self.resolve,
                        self.budget,
                        &mut self.losses,
                    )?;
                    primitive.material = Some(material);
                }
                primitives.push(primitive);
            }
            let skin = skin.map(|skin| {
                self.scene.skins.push(skin);
                self.scene.skins.len() - 1
            });
            let index = self.scene.add_mesh(Mesh { name: name.clone(), primitives, ..Mesh::default() });
            self.meshes.insert(key.clone(), (index, skin, blends));
        }
        let Some((mesh, skin, blends)) = self.meshes.get(&key) else { return Ok(()) };
        let (mesh, skin, blends) = (Some(*mesh), *skin, blends.clone());
        let weights: Vec<f32> = blends.iter().map(|blend| blend.weight).collect();
        // A model has usually one geometry.
        let target = match self.scene.nodes[node].mesh {
            None => node,
            Some(_) => self.scene.add_node(Some(node), Node { name, ..Node::default() }),
        };
        if !blends.is_empty() {
            self.blends.push((target, blends));
        }
        let target = &mut self.scene.nodes[target];
        (target.mesh, target.skin, target.weights) = (mesh, skin, weights);
        Ok(())
    }

    /// Adds a node below the model for each light and each camera, since they shine along -y and look along +x in FBX.
    fn lights(&mut self) {
        let objects = self.objects;
        for (attribute, from) in objects.all.iter().enumerate() {
            if from.kind != "NodeAttribute" {
                continue;
            }
            let own = match from.class.as_str() {
                "Light" => {
                    let turn = DQuat::from_rotation_arc(DVec3::NEG_Z, DVec3::NEG_Y);
                    (Some(light(&from.properties)), None, turn)
                }
                "Camera" => {
                    let turn = DQuat::from_rotation_y(-std::f64::consts::FRAC_PI_2);
                    (None, Some(camera(&from.properties)), turn)
                }
                _ => continue,
            };
            let (light, camera, turn) = own;
            for link in objects.users(attribute, "Model").filter(|link| link.object != SCENE) {
                let Some(&node) = self.nodes.get(&link.object) else { continue };
                let name = format!("{} {}", self.scene.nodes[node].name, from.class.to_lowercase());
                let transform = Transform { rotation: turn.as_quat().to_array(), ..Transform::default() };
                self.scene.add_node(Some(node), Node { name, transform, light, camera, ..Node::default() });
            }
        }
    }
}

fn light(properties: &Properties<'_>) -> Light {
    let number = |name, default| properties.float(name).unwrap_or(default) as f32;
    let outer = number("OuterAngle", 45.0).clamp(1.0, 179.0).to_radians() / 2.0;
    let inner = (number("InnerAngle", 0.0).clamp(0.0, 179.0).to_radians() / 2.0).min(outer - 1e-3).max(0.0);
    let kind = match properties.int("LightType") {
        Some(1) => LightKind::Directional,
        Some(2) => LightKind::Spot { inner, outer },
        _ => LightKind::Point,
    };
    let color = properties.vector("Color").unwrap_or([1.0; 3]).map(|part| part.clamp(0.0, 1.0) as f32);
    // An intensity of 100 is the usual one; a light of a scene of this size has about 100 candela.
    let intensity = number("Intensity", 100.0).max(0.0);
    Light { kind, color, intensity, range: None }
}

fn camera(properties: &Properties<'_>) -> Camera {
    let number = |name, default: f64| properties.float(name).unwrap_or(default) as f32;
    let aspect = number("AspectWidth", 16.0) / number("AspectHeight", 9.0).max(1e-3);
    let aspect = if aspect.is_finite() && aspect > 0.0 { aspect } else { 16.0 / 9.0 };
    let wide = number("FieldOfView", 40.0).clamp(1.0, 170.0).to_radians();
    let yfov = 2.0 * libm::atanf(libm::tanf(wide / 2.0) / aspect);
    let near = (number("NearPlane", 10.0) / 100.0).max(1e-3);
    let far = number("FarPlane", 4000.0) / 100.0;
    Camera { yfov, znear: near, zfar: Some(far).filter(|far| *far > near), aspect: Some(aspect) }
}
