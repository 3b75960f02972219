#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::cast_possible_truncation,
    reason = "colours and pixels: a float cast saturates, and the counts are bounded before"
)]

mod camera;
mod clip;
mod light;
mod lines;
mod options;
mod outliers;
mod raster;
mod sheet;
mod surface;
mod texture;
pub mod treemap;
mod vertex;

use options::MAX_SIDE;
pub use options::RenderOptions;
pub use sheet::{Sheet, animated_gif, animated_png, animated_webp, beside};

use std::collections::HashSet;

use geom::{Aabb, TriMesh};
use glam::{DVec3, Vec3};
use rezkit_core::{Budget, Error, Loss, Result};
use rezkit_scene::images::{Picture, linear_from_srgb};
use rezkit_scene::{Alpha, Material, Node, Primitive, Scene};

use camera::{Frame, View};
use light::Shadow;
use outliers::{Bounds, union};
use raster::{Canvas, Pass, Sides};
use surface::Surface;
use texture::Textures;
use vertex::Vertex;

/// The colours of edges and of joints.
const EDGES: [f32; 4] = [0.11, 0.13, 0.18, 1.0];
const JOINTS: [f32; 4] = [0.9, 0.1, 0.1, 1.0];

/// A scene prepared to be drawn any number of times.
#[derive(Debug)]
pub struct Renderer<'s> {
    scene: &'s Scene,
    textures: Textures,
    /// The default material.
    plain: Material,
    losses: Vec<Loss>,
    /// The remaining memory for pictures.
    budget: Budget,
}

/// A posed scene.
struct Posed {
    nodes: rezkit_scene::Pose,
    /// Lines from each joint to its child joints.
    bones: Vec<[Vec3; 2]>,
    /// The box around everything in the frame.
    bounds: Bounds,
    /// Whether each primitive, in drawing order, is too far from the rest to be framed; empty if all are framed.
    outside: Vec<bool>,
    /// Whether each primitive is a ground plate, which is drawn but does not determine the camera's distance.
    ground: Vec<bool>,
}

impl Posed {
    fn is_framed(&self, index: usize) -> bool {
        let is = |all: &[bool]| all.get(index).copied().unwrap_or(false);
        !is(&self.outside) && !is(&self.ground)
    }
}

impl<'s> Renderer<'s> {
    /// Decodes the textures of a scene. The scene, the pixels of its textures and a picture, with all temporary data,
    /// may take at most `max_bytes`.
    ///
    /// # Errors
    /// If the scene is inconsistent ([`Scene::check`]), or the textures exceed the limit.
    pub fn new(scene: &'s Scene, max_bytes: u64) -> Result<Self> {
        scene.check()?;
        let mut budget = Budget::new(max_bytes);
        scene.take(1, &mut budget)?;
        let (textures, losses) = Textures::new(scene, &mut budget)?;
        Ok(Self { scene, textures, plain: Material::unassigned(), losses, budget })
    }

    /// Losses for images that are missing or cannot be decoded; surfaces are drawn without them.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Draws a picture.
    ///
    /// # Errors
    /// If the size is 0 or more than 16,384 pixels a side, the zoom is not above 0, an angle or the time is not finite,
    /// the node has no camera, or there is no such animation; [`Limit`](rezkit_core::ErrorKind::Limit) if the picture
    /// exceeds the memory limit, [`Effort`](rezkit_core::ErrorKind::Effort) if it needs more work than is allowed for any
    /// picture.
    pub fn draw(&self, options: &RenderOptions) -> Result<Picture> {
        let mut budget = self.budget(options)?;
        let pose = self.pose(options);
        let view = match options.camera {
            None => self.frame(&pose, options, false).view(),
            Some(node) => {
                let path = format!("nodes[{node}]");
                let missing = format!("RenderOptions::camera: {path} does not exist or has no camera");
                let camera = self.scene.nodes.get(node).and_then(|node| node.camera.as_ref());
                let camera = camera.ok_or_else(|| Error::unwritable(missing))?;
                let world = self.scene.world_matrices(&pose.nodes.transforms);
                View::of_camera(camera, &world[node], options).map_err(|error| error.at(&*path))?
            }
        };
        self.picture(&pose, &view, options, &mut budget)
    }

    /// Pictures from all around the model, beginning with the angle of the options. The camera keeps its distance. Each
    /// picture is drawn on demand.
    ///
    /// # Errors
    /// As [`draw`](Self::draw), and if the options name a camera of the scene.
    pub fn turntable<'r>(
        &'r self,
        options: &RenderOptions,
        count: u16,
    ) -> Result<impl ExactSizeIterator<Item = Result<Picture>> + use<'r, 's>> {
        if options.camera.is_some() {
            return Err(Error::unwritable(
                "a turntable cannot use a camera of the scene: set RenderOptions::camera to `None`",
            ));
        }
        self.budget(options)?;
        let pose = self.pose(options);
        let (frame, options) = (self.frame(&pose, options, true), options.clone());
        Ok((0..count).map(move |picture| {
            let yaw = options.yaw + 360.0 * f32::from(picture) / f32::from(count);
            let options = RenderOptions { yaw, ..options.clone() };
            self.picture(&pose, &frame.turned(&options).view(), &options, &mut self.budget(&options)?)
        }))
    }

    /// Pictures of the animation in the options at a frame rate, with a fixed camera. Each picture is drawn on demand.
    ///
    /// # Errors
    /// As [`draw`](Self::draw), and if the options name no animation, or it needs more than 3,000 pictures.
    pub fn animation<'r>(
        &'r self,
        options: &RenderOptions,
        per_second: u16,
    ) -> Result<impl ExactSizeIterator<Item = Result<Picture>> + use<'r, 's>> {
        /// The maximum number of pictures: two and a half minutes at 20 per second.
        const MOST: u16 = 3000;
        /// The number of poses that determine the position of the camera.
        const LOOKS: u16 = 24;
        self.budget(options)?;
        let animation = options.animation.and_then(|index| self.scene.animations.get(index));
        let animation = animation.ok_or_else(|| {
            let count = self.scene.animations.len();
            let what = format!("expected Some(index), found None (animations in the scene: {count})");
            Error::unwritable(format!("RenderOptions::animation: {what}"))
        })?;
        let duration = animation.duration();
        let last = duration * f32::from(per_second);
        if last > f32::from(MOST - 1) {
            return Err(Error::unwritable(format!(
                "the animation needs more than {MOST} frames ({duration} s at {per_second} frames per second): \
                 render a single image with the option time, or shorten the animation"
            )));
        }
        let mut options = options.clone();
        if options.frame.is_none() && options.camera.is_none() {
            let looks = (0..=LOOKS).map(|look| duration * f32::from(look) / f32::from(LOOKS));
            let bounds = looks.map(|time| self.pose(&RenderOptions { time, ..options.clone() }).bounds);
            let bounds = bounds.fold(None, union);
            options.frame =
                bounds.map(|[min, max]| Aabb { min: min.to_array().into(), max: max.to_array().into() });
        }
        let count = last.ceil() as u16 + 1;
        Ok((0..count).map(move |picture| {
            let time = (f32::from(picture) / f32::from(per_second)).min(duration);
            self.draw(&RenderOptions { time, ..options.clone() })
        }))
    }

    /// The remaining memory for meshes, after the pixels and the largest mesh are taken from the limit.
    fn budget(&self, options: &RenderOptions) -> Result<Budget> {
        let count = self.scene.animations.len();
        if let Some(animation) = options.animation.filter(|&animation| animation >= count) {
            return Err(Error::argument(format!(
                "animation index {animation} is out of range (animations in the scene: {count})"
            )));
        }
        let (width, height) = (options.width, options.height);
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            return Err(Error::unwritable(format!(
                "expected an image with sides of 1 to {MAX_SIDE} pixels, found {width} x {height} pixels"
            )));
        }
        options.check()?;
        let mut budget = self.budget.clone();
        let shadow = shadow_side(options) as u64;
        let pixels = u64::from(width) * u64::from(height) * Canvas::BYTES + shadow * shadow * 12;
        budget.take(pixels, &format!("an image of {width} x {height} pixels"))?;
        let bytes = |mesh: &rezkit_scene::Mesh| -> u64 {
            let sets = |part: &Primitive| part.more_uvs.len() as u64 * 8 + part.targets.len() as u64 * 36;
            let more = |part: &Primitive| sets(part).saturating_mul(part.mesh.positions.len() as u64);
            let parts = mesh.primitives.iter().map(|part| {
                mesh_bytes(&part.mesh).saturating_add(vertex_bytes(&part.mesh)).saturating_add(more(part))
            });
            parts.fold(0, u64::saturating_add)
        };
        let most = self.scene.meshes.iter().map(bytes).max().unwrap_or(0);
        budget.take(most, "the largest mesh of the scene")?;
        // Meshes are visited five times, so a triangle with separate corners, 480 bytes, takes about 400
        // nanoseconds. The scene's own data may be placed several times; beyond that, two million such triangles.
        let sizes: Vec<u64> = self.scene.meshes.iter().map(bytes).collect();
        let mut placed = 0_u64;
        for node in &self.scene.nodes {
            let joints =
                node.skin.and_then(|skin| self.scene.skins.get(skin)).map_or(0, |skin| skin.joints.len());
            let mesh = node.mesh.and_then(|mesh| sizes.get(mesh)).copied().unwrap_or(0);
            placed = placed.saturating_add(mesh).saturating_add(joints as u64 * JOINT);
        }
        let nodes = self.scene.nodes.len() as u64 * size_of::<Node>() as u64;
        let own = sizes.iter().fold(nodes, |sum, &bytes| sum.saturating_add(bytes));
        let steps = placed.saturating_sub(own.saturating_mul(8)).saturating_mul(4);
        budget.work(steps, "the meshes of all nodes")?;
        Ok(budget)
    }

    fn pose(&self, options: &RenderOptions) -> Posed {
        let scene = self.scene;
        let nodes = match options.animation {
            Some(animation) => scene.pose_at(animation, options.time),
            None => scene.pose(),
        };
        let bones = match options.skeleton {
            true => bones(scene, &scene.world_matrices(&nodes.transforms)),
            false => Vec::new(),
        };
        let mut pose = Posed { nodes, bones, bounds: None, outside: Vec::new(), ground: Vec::new() };
        let mut boxes: Vec<Bounds> = Vec::new();
        self.each_point(&pose, options, |index, point| {
            if boxes.len() <= index {
                boxes.resize(index + 1, None);
            }
            boxes[index] = union(boxes[index], Some([point; 2]));
        });
        // If a frame is given, or joints are drawn, nothing is left out.
        if !options.outliers && options.frame.is_none() && !options.skeleton {
            // Beside a plate that is larger than all distances, nothing would be far away.
            let ground = outliers::ground(&boxes, &[]);
            let is_ground = |index: usize| ground.get(index).copied().unwrap_or(false);
            let others: Vec<Bounds> =
                boxes.iter().enumerate().map(|(index, of)| of.filter(|_| !is_ground(index))).collect();
            pose.outside = outliers::outliers(&others);
            pose.ground = outliers::ground(&boxes, &pose.outside);
        }
        let framed = boxes.iter().enumerate().filter(|(index, _)| pose.is_framed(*index));
        pose.bounds = framed.fold(None, |all, (_, bounds)| union(all, *bounds));
        pose
    }

    /// The number of parts that a picture leaves out, since they are too far from the rest: 0 if the option `outliers`
    /// is set, if a camera of the scene is used, or if the picture would exceed a limit.
    pub fn outside(&self, options: &RenderOptions) -> usize {
        let counts = self.scene.nodes.iter().filter_map(|node| self.scene.meshes.get(node.mesh?));
        let count = counts.map(|mesh| mesh.primitives.len()).fold(0, usize::saturating_add);
        match options.camera {
            // Among a few parts, none counts as far away.
            None if count < outliers::FEW || self.budget(options).is_err() => 0,
            None => self.pose(options).outside.iter().filter(|is_outside| **is_outside).count(),
            Some(_) => 0,
        }
    }

    /// Calls a function with each finite point in the frame, and the index of its primitive.
    fn each_point(&self, pose: &Posed, options: &RenderOptions, mut take: impl FnMut(usize, Vec3)) {
        let mut take = |index: usize, point: Vec3| {
            if point.is_finite() {
                take(index, point)
            }
        };
        if let Some(frame) = options.frame {
            return corners_of(frame).for_each(|point| take(0, point));
        }
        let (mut used, mut count) = (Vec::new(), 0);
        for primitive in self.scene.posed(&pose.nodes).flatten() {
            count += 1;
            if !pose.is_framed(count - 1) {
                continue;
            }
            let mesh = &primitive.mesh;
            used.clear();
            used.resize(mesh.positions.len(), false);
            for &index in mesh.triangles.iter().flatten() {
                if let Some(used) = used.get_mut(index as usize) {
                    *used = true;
                }
            }
            let positions = mesh.positions.iter().zip(&used).filter(|(_, used)| **used);
            positions.for_each(|(position, _)| take(count - 1, Vec3::from(position.to_array())));
        }
        pose.bones.iter().flatten().for_each(|&point| take(count, point));
    }

    /// The frame of all points that the camera has to see, from one side or, if `turning`, from all sides.
    fn frame(&self, pose: &Posed, options: &RenderOptions, turning: bool) -> Frame {
        let [min, max] = pose.bounds.unwrap_or_default().map(|corner| corner.as_dvec3());
        let mut frame = Frame::new(options, (min + max) * 0.5);
        self.each_point(pose, options, |_, point| match turning {
            true => frame.add_turning(point),
            false => frame.add(point),
        });
        frame
    }

    fn picture(
        &self,
        pose: &Posed,
        view: &View,
        options: &RenderOptions,
        budget: &mut Budget,
    ) -> Result<Picture> {
        let (width, height) = (options.width as usize, options.height as usize);
        let mut canvas = Canvas::new(width, height);
        let mut shadow = match (options.wireframe || options.camera.is_some(), pose.bounds) {
            (false, Some([min, max])) => Shadow::new(view, min, max, shadow_side(options)),
            _ => None,
        };
        // Transparent parts come last, farthest first.
        let mut clear: Vec<(f32, Primitive)> = Vec::new();
        let mut vertices = Vec::new();
        let mut last: Option<Primitive> = None;
        for primitive in self.scene.posed(&pose.nodes).flatten() {
            canvas.in_time()?;
            let is_clear = self.material(&primitive).alpha == Alpha::Blend;
            // New parts are often all in one place: an identical part in the same place changes nothing.
            if !is_clear && last.as_ref() == Some(&primitive) {
                continue;
            }
            last = Some(primitive.clone());
            if options.wireframe {
                canvas.lines(view, edges(&primitive.mesh).into_iter(), EDGES);
            } else if is_clear {
                budget.take(mesh_bytes(&primitive.mesh), "the transparent parts of the image")?;
                let center = primitive.mesh.bounds().map(|bounds| Vec3::from(bounds.center().to_array()));
                clear.push((center.map_or(0.0, |center| view.point(center).z), primitive));
            } else {
                let surface = Surface::new(self.material(&primitive), &self.textures, view);
                corners(&mut vertices, &primitive, surface.uv_set(), view, &canvas);
                let triangles = primitive.mesh.triangles.iter();
                canvas.triangles(view, &vertices, triangles.clone(), &surface, Pass::Opaque);
                if let Some(shadow) = &mut shadow {
                    shadow.add(&vertices, triangles, &mut canvas.work);
                }
            }
        }
        if !options.wireframe {
            canvas.occlude(view);
        }
        geom::sort::by(&mut clear, |(a, _), (b, _)| a.total_cmp(b));
        for (_, primitive) in clear {
            canvas.in_time()?;
            let surface = Surface::new(self.material(&primitive), &self.textures, view);
            let sides = outer_sides(&primitive.mesh);
            corners(&mut vertices, &primitive, surface.uv_set(), view, &canvas);
            let far = |triangle: &&[u32; 3]| -> f32 {
                triangle
                    .iter()
                    .filter_map(|&index| vertices.get(index as usize))
                    .map(|corner| corner.at.z)
                    .sum()
            };
            let mut order: Vec<(f32, &[u32; 3])> =
                primitive.mesh.triangles.iter().map(|triangle| (far(&triangle), triangle)).collect();
            order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            let triangles = order.iter().map(|(_, triangle)| *triangle);
            canvas.triangles(view, &vertices, triangles, &surface, Pass::Blend(sides));
        }
        canvas.lines(view, pose.bones.iter().copied(), JOINTS);
        canvas.in_time()?;
        if let Some(shadow) = &mut shadow {
            shadow.soften();
        }
        let [red, green, blue, alpha] = options.background;
        let alpha = f32::from(alpha) / 255.0;
        let [red, green, blue] = [red, green, blue].map(|part| linear_from_srgb(part) * alpha);
        Ok(canvas.finish(|x, y| {
            let dark = shadow.as_ref().map_or(0.0, |shadow| shadow.at(view, width, height, x, y));
            let light = 1.0 - dark;
            [red * light, green * light, blue * light, dark + alpha * light]
        }))
    }

    fn material(&self, primitive: &Primitive) -> &Material {
        primitive.material.and_then(|index| self.scene.materials.get(index)).unwrap_or(&self.plain)
    }
}

/// The number of texels per side of a shadow.
fn shadow_side(options: &RenderOptions) -> usize {
    (options.width.max(options.height) as usize / 2).clamp(16, 256)
}

/// The bytes of memory of a joint of a posed mesh.
const JOINT: u64 = 64;

/// The memory of a posed mesh.
fn mesh_bytes(mesh: &TriMesh) -> u64 {
    (mesh.positions.len() as u64).saturating_mul(96).saturating_add(mesh.triangles.len() as u64 * 36)
}

/// The memory of the corners of a mesh while it is drawn.
fn vertex_bytes(mesh: &TriMesh) -> u64 {
    (mesh.positions.len() * (size_of::<Vertex>() + 1)) as u64
}

/// Fills `vertices` with the corners of a mesh in camera space.
fn corners(vertices: &mut Vec<Vertex>, primitive: &Primitive, set: usize, view: &View, canvas: &Canvas) {
    let (mesh, uvs) = (&primitive.mesh, primitive.uvs(set));
    vertices.clear();
    vertices.extend(mesh.positions.iter().enumerate().map(|(index, position)| {
        let normal = mesh.normals.get(index).map_or(Vec3::ZERO, |normal| Vec3::from(normal.to_array()));
        let color = mesh.colors.get(index);
        let mut vertex = Vertex::new(
            view.point(Vec3::from(position.to_array())),
            view.direction(normal),
            uvs.get(index).map_or([0.0; 2], |uv| uv.to_array()),
            color.map_or([1.0; 4], |color| color.to_unit()),
        );
        canvas.place(view, &mut vertex);
        vertex
    }));
}

/// The sides of a transparent mesh that are drawn: only the outer sides if it is closed. In a closed mesh, two
/// triangles pass each edge in opposite directions, so numbers assigned to the directed edges add up to 0.
fn outer_sides(mesh: &TriMesh) -> Sides {
    let bits = |point: geom::Vec3| point.to_array().map(|part| u64::from((part + 0.0).to_bits()));
    let hash = |point: geom::Vec3| {
        let mix = |hash: u64, part: u64| (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        bits(point).into_iter().fold(0x51_7c_c1_b7, mix)
    };
    let (mut sum, mut volume) = (0_u64, 0.0_f64);
    for triangle in &mesh.triangles {
        let corner = |index: u32| mesh.positions.get(index as usize).copied();
        let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { continue };
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let (from, to) = (hash(from), hash(to));
            let edge = from.min(to).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ from.max(to).rotate_left(17);
            let edge = (edge ^ edge >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
            sum = if from < to { sum.wrapping_add(edge) } else { sum.wrapping_sub(edge) };
        }
        let [a, b, c] = [a, b, c].map(|point| DVec3::from(point.to_array().map(f64::from)));
        volume += a.cross(b).dot(c);
    }
    match sum == 0 {
        true if volume > 0.0 => Sides::Front,
        true if volume < 0.0 => Sides::Back,
        _ => Sides::Both,
    }
}

/// The edges of all triangles, each once.
fn edges(mesh: &TriMesh) -> Vec<[Vec3; 2]> {
    let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(mesh.triangles.len() * 3);
    for &[a, b, c] in &mesh.triangles {
        pairs.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let at = |index: u32| mesh.positions.get(index as usize).map(|point| Vec3::from(point.to_array()));
    pairs.into_iter().filter_map(|[a, b]| Some([at(a)?, at(b)?])).collect()
}

/// Lines from each joint to its child joints. Without skins and triangles, all nodes are joints, as in files of a motion.
fn bones(scene: &Scene, world: &[[[f32; 4]; 4]]) -> Vec<[Vec3; 2]> {
    let is_joint = |node: &Node| node.camera.is_none() && node.light.is_none();
    let joints: HashSet<usize> = match scene.skins.is_empty() && scene.triangle_count() == 0 {
        true => (0..scene.nodes.len()).filter(|&index| is_joint(&scene.nodes[index])).collect(),
        false => scene.joints().collect(),
    };
    let at = |index: usize| world.get(index).map(|[.., [x, y, z, _]]| Vec3::new(*x, *y, *z));
    let mut lines = Vec::new();
    for (joint, node) in scene.nodes.iter().enumerate().filter(|(joint, _)| joints.contains(joint)) {
        let children = node.children.iter().filter(|child| joints.contains(child));
        lines.extend(children.filter_map(|&child| Some([at(joint)?, at(child)?])));
    }
    lines
}

/// The corners of a box.
fn corners_of(frame: geom::Aabb) -> impl Iterator<Item = Vec3> {
    let [min, max] = [frame.min, frame.max].map(|corner| Vec3::from(corner.to_array()));
    (0..8).map(move |corner| {
        let pick = |bit: usize, min: f32, max: f32| if corner & bit == 0 { min } else { max };
        Vec3::new(pick(1, min.x, max.x), pick(2, min.y, max.y), pick(4, min.z, max.z))
    })
}
