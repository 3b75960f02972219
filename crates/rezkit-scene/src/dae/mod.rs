//! Collada (`.dae`), of versions 1.4 and 1.5: read. Second Life's viewers, OpenSim's tools and many modelling programs write
//! it.
//!
//! The axes become those of a scene (y up), and lengths metres, by the settings of the file. The source is the
//! specification of Khronos (Collada 1.4.1 and 1.5.0).

mod document;
mod geometry;
mod materials;
mod motion;
mod skins;
mod transform;

use std::collections::HashMap;
use std::rc::Rc;

use glam::DVec3;
use rezkit_core::{Budget, Error, Loss, Result};
use roxmltree::NodeId;

use crate::forms::{Beside, SceneReader};
use crate::model::{Camera, Light, LightKind, Mesh, Node, Primitive, Scene, Skin};
use document::{Element, File, all, at, child, damaged, few, name, number, path, trimmed};
use materials::{Materials, Reading};
use motion::{Animated, Morphed, Motion};
use skins::Shape;
use transform::Space;

/// Reads Collada, and the images that it names.
pub static READER: SceneReader = SceneReader(|reading| {
    let (scene, losses) = reading.beside(|bytes, budget, beside| from_slice(bytes, budget, beside))?;
    reading.losses.extend(losses);
    Ok(scene)
});

/// Whether bytes begin like a Collada file.
pub fn detect(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(4096)];
    let is_wide = start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]);
    let narrow: Vec<u8> = match is_wide {
        true => start.iter().copied().filter(|byte| *byte != 0).skip(2).collect(),
        false => crate::forms::unmarked(start).to_vec(),
    };
    narrow.trim_ascii_start().starts_with(b"<") && memchr::memmem::find(&narrow, b"<COLLADA").is_some()
}

/// Reads a scene. `resolve` returns the content of an image by its name relative to the file.
///
/// # Errors
/// If the file is damaged, with the path, the line and the column, or needs more memory than the budget allows.
pub fn from_slice(bytes: &[u8], budget: &mut Budget, resolve: &mut Beside<'_>) -> Result<(Scene, Vec<Loss>)> {
    let text = document::text(bytes, budget)?;
    let document = document::parse(&text, budget)?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let found = rezkit_core::plain::shorten(root.tag_name().name(), 40);
        return Err(Error::unreadable(format!("the root element is `{found}`, not `COLLADA`")));
    }
    let asset = child(root, "asset");
    let up = asset.and_then(|asset| child(asset, "up_axis")).map(trimmed).unwrap_or_default();
    let unit = asset.and_then(|asset| number(child(asset, "unit")?.attribute("meter")?.trim()));
    let space = Space {
        axes: transform::axes(up),
        unit: unit.filter(|unit| unit.is_finite() && *unit > 0.0).unwrap_or(1.0),
    };
    let mut builder = Builder {
        file: File::new(root, budget)?,
        resolve,
        space,
        scene: Scene::default(),
        materials: Materials::default(),
        animated: HashMap::new(),
        morphed: Vec::new(),
        instances: Vec::new(),
        shapes: HashMap::new(),
        meshes: HashMap::new(),
        skins: HashMap::new(),
        sids: HashMap::new(),
    };
    let note = |of| asset.and_then(|asset| at(asset, &["contributor", of])).map(trimmed).unwrap_or_default();
    builder.scene.copyright = [note("author"), note("copyright")]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join(", ");
    builder.nodes()?;
    for instance in std::mem::take(&mut builder.instances) {
        builder.instance(&instance)?;
    }
    let Builder { mut file, mut scene, animated, morphed, .. } = builder;
    file.budget
        .work((scene.skins.len() as u64).saturating_mul(200 * scene.nodes.len() as u64), "the skins")?;
    let axes = glam::Mat4::from_quat(space.axes.as_quat());
    let moved = skins::rebind(&mut scene, axes, &mut file.losses);
    scene.animations = Motion { animated: &animated, morphed: &morphed, moved: &moved }.read(&mut file)?;
    let physics = file.library("library_physics_models", "physics_model").len();
    Loss::new("library_physics_models", "physics")
        .id("dae.physics")
        .times(physics)
        .count_in(&mut file.losses);
    Ok((scene, file.losses))
}

/// A geometry or a controller at a node.
struct Instance<'a> {
    node: usize,
    element: Element<'a>,
    /// The visual scene around it, where joints are searched.
    scene: Option<Element<'a>>,
}

/// The elements below another one by their `sid`.
type Sids<'a> = HashMap<&'a str, Element<'a>>;

struct Builder<'a, 'b> {
    file: File<'a, 'b>,
    resolve: &'b mut Beside<'b>,
    space: Space,
    scene: Scene,
    materials: Materials,
    /// The nodes of each element.
    animated: HashMap<u32, Vec<Animated<'a>>>,
    morphed: Vec<Morphed<'a>>,
    instances: Vec<Instance<'a>>,
    shapes: HashMap<NodeId, Rc<Shape<'a>>>,
    /// The mesh of an element with materials.
    meshes: HashMap<(NodeId, Vec<Option<usize>>), usize>,
    /// The skin of an element with joints.
    skins: HashMap<(NodeId, Vec<usize>), usize>,
    sids: HashMap<NodeId, Rc<Sids<'a>>>,
}

/// The deepest nesting of nodes that are instances of others.
const DEPTH: usize = 32;

impl<'a> Builder<'a, '_> {
    /// Adds the nodes of the visual scene, or of all geometries without one.
    fn nodes(&mut self) -> Result<()> {
        let shown = at(self.file.root, &["scene", "instance_visual_scene"]);
        let shown = shown.and_then(|instance| self.file.find(instance.attribute("url")?));
        let scenes = self.file.library("library_visual_scenes", "visual_scene");
        let Some(shown) = shown.or_else(|| scenes.first().copied()) else {
            let what = "without a visual scene, all geometries are shown";
            let geometries = self.file.library("library_geometries", "geometry");
            Loss::approximated("", what)
                .id("dae.scene")
                .times(geometries.len().min(1))
                .count_in(&mut self.file.losses);
            for geometry in geometries {
                self.file.budget.take(1000, "the nodes")?;
                let space = self.space;
                let transform = space.transform(glam::DMat4::IDENTITY, geometry, &mut self.file.losses);
                let node = Node { name: name(geometry).to_owned(), transform, ..Node::default() };
                let node = self.scene.add_node(None, node);
                self.instances.push(Instance { node, element: geometry, scene: None });
            }
            return Ok(());
        };
        let what = "visual scenes that the file does not show";
        Loss::new("library_visual_scenes", what)
            .id("dae.scene")
            .times(scenes.len() - 1)
            .count_in(&mut self.file.losses);
        self.scene.name = shown.attribute("name").unwrap_or_default().to_owned();
        let mut open: Vec<(Element<'a>, Option<usize>, usize)> =
            all(shown, "node").map(|node| (node, None, 0)).collect();
        open.reverse();
        while let Some((element, parent, depth)) = open.pop() {
            if depth > DEPTH {
                return Err(damaged(element, "nodes that are instances of each other"));
            }
            let node = self.node(element, parent)?;
            let before = open.len();
            for inner in element.children().filter(|inner| inner.is_element()) {
                match inner.tag_name().name() {
                    "node" => open.push((inner, Some(node), depth)),
                    "instance_node" => {
                        let found = inner.attribute("url").and_then(|url| self.file.find(url));
                        match found.filter(|found| found.tag_name().name() == "node") {
                            Some(found) => open.push((found, Some(node), depth + 1)),
                            None => self.dangling(inner),
                        }
                    }
                    _ => {}
                }
            }
            open[before..].reverse();
            self.contents(element, node, shown)?;
        }
        Ok(())
    }

    fn dangling(&mut self, instance: Element<'a>) {
        let url = instance.attribute("url").unwrap_or_default();
        self.file.losses.push(
            Loss::missing(path(instance), format!("an instance of {url:?}, which does not exist"))
                .id("dae.scene"),
        );
    }

    fn node(&mut self, element: Element<'a>, parent: Option<usize>) -> Result<usize> {
        self.file.budget.take(1000, "the nodes")?;
        let steps = transform::steps(element, self.file.budget, &mut self.file.losses)?;
        let axes = if parent.is_none() { self.space.axes } else { glam::DQuat::IDENTITY };
        let space = Space { axes, ..self.space };
        let transform = space.transform(transform::matrix(&steps), element, &mut self.file.losses);
        let named = name(element);
        let name = if named.is_empty() { element.attribute("sid").unwrap_or_default() } else { named };
        let node = self.scene.add_node(parent, Node { name: name.to_owned(), transform, ..Node::default() });
        self.animated.entry(element.id().get()).or_default().push(Animated { node, steps, space });
        Ok(node)
    }

    /// The meshes, lights and cameras of a node: at the node itself, or below it if there are several.
    fn contents(&mut self, element: Element<'a>, node: usize, scene: Element<'a>) -> Result<()> {
        let mut is_taken = [false; 3];
        for inner in element.children().filter(|inner| inner.is_element()) {
            let kind = match inner.tag_name().name() {
                "instance_geometry" | "instance_controller" => 0,
                "instance_light" => 1,
                "instance_camera" => 2,
                _ => continue,
            };
            let Some(found) = inner.attribute("url").and_then(|url| self.file.find(url)) else {
                self.dangling(inner);
                continue;
            };
            let target = match std::mem::replace(&mut is_taken[kind], true) {
                false => node,
                true => {
                    self.file.budget.take(1000, "the nodes")?;
                    let name = name(found).to_owned();
                    self.scene.add_node(Some(node), Node { name, ..Node::default() })
                }
            };
            match kind {
                0 => self.instances.push(Instance { node: target, element: inner, scene: Some(scene) }),
                1 => self.scene.nodes[target].light = light(found, &mut self.file)?,
                _ => self.scene.nodes[target].camera = camera(found, self.space.unit, &mut self.file.losses),
            }
        }
        Ok(())
    }

    /// Adds the mesh of an instance to its node.
    fn instance(&mut self, instance: &Instance<'a>) -> Result<()> {
        let element = instance.element;
        let is_geometry = element.tag_name().name() == "geometry";
        let of = if is_geometry { element } else { self.file.follow(element, "url")? };
        if !["geometry", "controller"].contains(&of.tag_name().name()) {
            return Err(damaged(element, "the instance refers to neither a geometry nor a controller"));
        }
        let shape = match self.shapes.get(&of.id()) {
            Some(known) => Rc::clone(known),
            None => {
                let shape = Rc::new(skins::shape(&mut self.file, of, self.space.unit)?);
                self.shapes.insert(of.id(), Rc::clone(&shape));
                shape
            }
        };
        if shape.parts.is_empty() {
            return Ok(());
        }
        let materials = self.bound(element, &shape)?;
        let mesh = match self.meshes.get(&(of.id(), materials.clone())) {
            Some(&known) => known,
            None => {
                let copied: usize = shape.parts.iter().map(|(_, part)| 200 + part.targets.len() * 100).sum();
                self.file.budget.take(copied as u64, "the meshes")?;
                let primitives = shape.parts.iter().zip(&materials);
                let primitives = primitives
                    .map(|((_, primitive), &material)| Primitive { material, ..primitive.clone() })
                    .collect();
                let mesh = Mesh { name: shape.name.to_owned(), primitives, ..Mesh::default() };
                let mesh = self.scene.add_mesh(mesh);
                self.meshes.insert((of.id(), materials), mesh);
                mesh
            }
        };
        let skin = match shape.joints.is_empty() {
            true => None,
            false => self.skin(instance, of, &shape)?,
        };
        let node = &mut self.scene.nodes[instance.node];
        (node.mesh, node.skin) = (Some(mesh), skin);
        node.weights.clone_from(&shape.weights);
        if let Some(source) = shape.morph {
            let weights = shape.weights.clone();
            self.morphed.push(Morphed { node: instance.node, source, weights });
        }
        Ok(())
    }

    /// The materials of the parts of a shape, as an instance binds them.
    fn bound(&mut self, instance: Element<'a>, shape: &Shape<'a>) -> Result<Vec<Option<usize>>> {
        let common = at(instance, &["bind_material", "technique_common"]);
        let bound: Vec<Element<'a>> =
            common.into_iter().flat_map(|common| all(common, "instance_material")).collect();
        self.file.budget.work((bound.len() * shape.parts.len()) as u64, "the materials")?;
        let mut made = Vec::new();
        for (symbol, _) in &shape.parts {
            let own = bound.iter().find(|of| of.attribute("symbol") == Some(symbol));
            let target = own.and_then(|of| self.file.find(of.attribute("target")?));
            // Some programs name the material itself.
            let target = target.or_else(|| self.file.find(symbol).filter(|_| !symbol.is_empty()));
            let target = target.filter(|target| target.tag_name().name() == "material");
            let Some(target) = target else {
                if !symbol.is_empty() {
                    let what = format!("the material {symbol:?}, which does not exist");
                    self.file.losses.push(Loss::new(path(instance), what).id("material.undefined"));
                }
                made.push(None);
                continue;
            };
            let inputs = own.into_iter().flat_map(|own| all(*own, "bind_vertex_input")).take(64);
            let mut bindings: Vec<(String, usize)> = inputs
                .filter_map(|input| {
                    let set = input.attribute("input_set").map_or(Some(0), |set| set.trim().parse().ok())?;
                    let index = shape.sets.binary_search(&set).ok()?;
                    Some((input.attribute("semantic")?.to_owned(), index))
                })
                .collect();
            // Those of the first set need no row.
            bindings.retain(|(_, index)| *index > 0);
            let Self { file, scene, resolve, .. } = self;
            let mut reading = Reading { file, scene, beside: *resolve };
            made.push(Some(self.materials.of(target, &bindings, &mut reading)?));
        }
        Ok(made)
    }

    /// The skin of an instance; `None` if it has no joints.
    fn skin(&mut self, instance: &Instance<'a>, of: Element<'a>, shape: &Shape<'a>) -> Result<Option<usize>> {
        let mut roots = skins::skeletons(&self.file, instance.element);
        roots.extend(instance.scene);
        let mut joints = Vec::new();
        let mut missing = 0;
        for joint in &shape.joints {
            let mut found = None;
            for root in &roots {
                let sids = self.sids(*root)?;
                found = found.or_else(|| sids.get(joint.name).copied());
            }
            let found = found.or_else(|| self.file.find(joint.name));
            let node =
                found.and_then(|found| self.animated.get(&found.id().get())?.first().map(|of| of.node));
            joints.push(node.unwrap_or_else(|| {
                // The vertices stay as they were bound.
                missing += 1;
                let inverse = joint.inverse.inverse();
                let transform = self.space.transform(inverse, of, &mut self.file.losses);
                let node = Node { name: joint.name.to_owned(), transform, ..Node::default() };
                self.scene.add_node(None, node)
            }));
        }
        self.file.budget.take(300 * missing as u64 + 100 * joints.len() as u64, "the skins")?;
        let what = "a joint that is not in the scene is placed as the mesh was bound to it";
        Loss::filled_in(path(of), what).id("dae.skin").times(missing).count_in(&mut self.file.losses);
        let key = (of.id(), joints);
        if let Some(&known) = self.skins.get(&key) {
            return Ok(Some(known));
        }
        let inverse_bind = shape.joints.iter().map(|joint| {
            let mut inverse = joint.inverse;
            inverse.w_axis *= DVec3::splat(self.space.unit).extend(1.0);
            inverse.as_mat4().to_cols_array_2d()
        });
        let skin =
            Skin { name: name(of).to_owned(), joints: key.1.clone(), inverse_bind: inverse_bind.collect() };
        self.scene.skins.push(skin);
        self.skins.insert(key, self.scene.skins.len() - 1);
        Ok(Some(self.scene.skins.len() - 1))
    }

    /// The nodes at and below an element by their `sid`, and by their name if no node has it as `sid`.
    fn sids(&mut self, root: Element<'a>) -> Result<Rc<Sids<'a>>> {
        if let Some(known) = self.sids.get(&root.id()) {
            return Ok(Rc::clone(known));
        }
        let mut sids = Sids::new();
        for key in ["sid", "name"] {
            for node in root.descendants().filter(|node| node.tag_name().name() == "node") {
                if let Some(sid) = node.attribute(key) {
                    self.file.budget.take(100, "the nodes")?;
                    sids.entry(sid).or_insert(node);
                }
            }
        }
        let sids = Rc::new(sids);
        self.sids.insert(root.id(), Rc::clone(&sids));
        Ok(sids)
    }
}

/// A number of an element below another one.
fn float(of: Element<'_>, name: &'static str) -> Option<f32> {
    let found = number(trimmed(child(of, name)?))?;
    found.is_finite().then_some(found as f32)
}

/// A light. It shines along -z, as in a scene.
fn light<'a>(of: Element<'a>, file: &mut File<'a, '_>) -> Result<Option<Light>> {
    let common = child(of, "technique_common");
    let kinds = ["directional", "point", "spot"];
    let found =
        common.and_then(|common| common.children().find(|kind| kinds.contains(&kind.tag_name().name())));
    let Some(found) = found else {
        file.losses.push(
            Loss::new(path(of), "a light that is neither a point, a spot nor directional").id("dae.scene"),
        );
        return Ok(None);
    };
    let color = child(found, "color").map(|color| few::<3>(color, file.budget)).transpose()?.flatten();
    let color =
        color.unwrap_or([1.0; 3]).map(|part| if part.is_finite() { part.max(0.0) as f32 } else { 0.0 });
    // Programs write the strength as a factor of the colour.
    let strength = color.into_iter().fold(0.0, f32::max).max(1.0);
    let outer = float(found, "falloff_angle").unwrap_or(180.0).clamp(1.0, 179.0).to_radians() / 2.0;
    let kind = match found.tag_name().name() {
        "directional" => LightKind::Directional,
        "spot" => LightKind::Spot { inner: 0.0, outer },
        _ => LightKind::Point,
    };
    // As in FBX, a light of the usual strength has about 100 candela in a scene of this size.
    let usual = if kind == LightKind::Directional || strength > 1.0 { 1.0 } else { 100.0 };
    let color = color.map(|part| part / strength);
    Ok(Some(Light { kind, color, intensity: strength * usual, range: None }))
}

/// A camera. It looks along -z, as in a scene.
fn camera(of: Element<'_>, unit: f64, losses: &mut Vec<Loss>) -> Option<Camera> {
    let optics = at(of, &["optics", "technique_common"]);
    let Some(found) = optics.and_then(|optics| child(optics, "perspective")) else {
        losses.push(Loss::new(path(of), "a camera without perspective").id("dae.scene"));
        return None;
    };
    let angle = |of| float(found, of).filter(|angle| (0.1..179.0).contains(angle)).map(f32::to_radians);
    let ratio = float(found, "aspect_ratio").filter(|ratio| *ratio > 1e-3);
    let (wide, high) = (angle("xfov"), angle("yfov"));
    let across = |angle: f32, by: f32| 2.0 * libm::atanf(libm::tanf(angle / 2.0) * by);
    let aspect = ratio.or_else(|| Some(libm::tanf(wide? / 2.0) / libm::tanf(high? / 2.0)));
    let yfov = high.or_else(|| Some(across(wide?, 1.0 / aspect.unwrap_or(16.0 / 9.0)))).unwrap_or(0.7);
    let far = |of| float(found, of).map(|far| far * unit as f32);
    let znear = far("znear").unwrap_or(0.1).max(1e-3);
    Some(Camera { yfov, znear, zfar: far("zfar").filter(|far| *far > znear), aspect })
}
