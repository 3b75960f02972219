#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::cast_possible_truncation,
    reason = "colours and pixels: a float cast saturates, and the counts are bounded before"
)]

mod raster;
mod sheet;
mod surface;

pub use sheet::{animated_gif, animated_png, contact_sheet};

use rezkit_core::{Error, Result};
use std::sync::Arc;

use glam::{DVec3, Mat4, Vec3};
use image::RgbaImage;

use raster::{Canvas, Corner};
use rezkit_core::Loss;
use rezkit_scene::{Alpha, Material, Primitive, Scene};
use surface::{Surface, Textures};

/// What to draw, from where, and how large.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RenderOptions {
    /// Width in pixels, at most 16,384.
    pub width: u32,
    /// Height in pixels, at most 16,384.
    pub height: u32,
    /// Where the camera is around the model, in degrees: 0 looks at its +z side, 90 at its +x side.
    pub yaw: f32,
    /// How far the camera is above the model, in degrees.
    pub pitch: f32,
    /// Draws the edges of triangles instead of surfaces.
    pub wireframe: bool,
    /// Draws the joints of skins as lines above everything else.
    pub skeleton: bool,
    /// The animation to pose the scene by.
    pub animation: Option<usize>,
    /// The time of the animation, in seconds.
    pub time: f32,
    /// The colour of the background, sRGB with alpha.
    pub background: [u8; 4],
    /// Frames the camera around this box instead of what is drawn: the same for all frames of an
    /// animation.
    pub frame: Option<geom::Aabb>,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            width: 512,
            height: 512,
            yaw: 30.0,
            pitch: 20.0,
            wireframe: false,
            skeleton: false,
            animation: None,
            time: 0.0,
            background: [242, 242, 245, 255],
            frame: None,
        }
    }
}

/// The most pixels of a side.
const MAX_SIDE: u32 = 16_384;
/// The vertical field of view, in radians: about 31 degrees.
const FIELD_OF_VIEW: f32 = 0.55;
/// Samples per pixel and axis.
const SAMPLES: usize = 2;

/// A scene that is ready to be drawn, as often as wanted.
#[derive(Debug)]
pub struct Renderer<'s> {
    scene: &'s Scene,
    textures: Textures,
    /// What has no material of its own.
    plain: Material,
    losses: Vec<Loss>,
}

impl<'s> Renderer<'s> {
    /// Decodes the textures of a scene, whose pixels may take this many bytes.
    ///
    /// # Errors
    /// Where the textures take more than they may.
    pub fn new(scene: &'s Scene, max_bytes: u64) -> Result<Self> {
        let (textures, losses) = Textures::new(scene, max_bytes)?;
        let plain = Material { base_color: [0.8, 0.8, 0.8, 1.0], roughness: 0.6, ..Material::default() };
        Ok(Self { scene, textures, plain, losses })
    }

    /// The images that cannot be decoded or are not there: surfaces are drawn without them.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// A picture.
    ///
    /// # Errors
    /// Where the size is 0 or more than 16,384 pixels a side.
    pub fn draw(&self, options: &RenderOptions) -> Result<RgbaImage> {
        let (scene, width, height) = (self.scene, options.width, options.height);
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            return Err(Error::unwritable(format!(
                "a picture of {width} x {height} pixels: 1 to {MAX_SIDE} a side"
            )));
        }
        let transforms = match options.animation {
            Some(animation) => scene.transforms_at(animation, options.time),
            None => scene.transforms(),
        };
        let bones = match options.skeleton {
            true => bones(scene, &scene.world_matrices(&transforms)),
            false => Vec::new(),
        };
        let mut extent = Extent::new(options);
        match options.frame {
            Some(frame) => corners_of(frame).for_each(|corner| extent.add(corner)),
            None => {
                scene.posed(&transforms).flatten().for_each(|primitive| {
                    let used = primitive.mesh.triangles.iter().flatten();
                    let positions = used.filter_map(|&index| primitive.mesh.positions.get(index as usize));
                    positions.for_each(|position| extent.add(Vec3::from(position.to_array())));
                });
                bones.iter().flatten().for_each(|&point| extent.add(point));
            }
        }
        let view = extent.camera();
        let mut canvas = Canvas::new(width as usize * SAMPLES, height as usize * SAMPLES);
        // What can be seen through comes last, the farthest part first.
        let mut clear: Vec<(f32, Primitive)> = Vec::new();
        for primitive in scene.posed(&transforms).flatten() {
            if options.wireframe {
                canvas.edges(&view.matrix, &primitive.mesh, [0.11, 0.13, 0.18, 1.0]);
            } else if self.material(&primitive).alpha == Alpha::Blend {
                let center = primitive.mesh.bounds().map(|bounds| Vec3::from(bounds.center().to_array()));
                clear.push((center.map_or(0.0, |center| view.matrix.project_point3(center).z), primitive));
            } else {
                self.fill(&mut canvas, &view, primitive, false);
            }
        }
        clear.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        for (_, primitive) in clear {
            self.fill(&mut canvas, &view, primitive, true);
        }
        canvas.lines(&view.matrix, &bones, [0.9, 0.1, 0.1, 1.0]);
        Ok(canvas.finish(SAMPLES, options.background))
    }

    fn material(&self, primitive: &Primitive) -> &Material {
        primitive.material.and_then(|index| self.scene.materials.get(index)).unwrap_or(&self.plain)
    }

    fn fill(&self, canvas: &mut Canvas, view: &Camera, mut primitive: Primitive, blend: bool) {
        if primitive.mesh.normals.is_empty() {
            let normals = primitive.mesh.area_weighted_normals();
            Arc::make_mut(&mut primitive.mesh).normals = normals;
        }
        let surface = Surface::new(self.material(&primitive), &self.textures, view);
        canvas.triangles(&view.matrix, &corners(&primitive), &primitive.mesh.triangles, &surface, blend);
    }
}

fn corners(primitive: &Primitive) -> Vec<Corner> {
    let mesh = &primitive.mesh;
    let corner = |(index, position): (usize, &geom::Vec3)| Corner {
        position: Vec3::from(position.to_array()),
        normal: mesh.normals.get(index).map_or(Vec3::ZERO, |normal| Vec3::from(normal.to_array())),
        uv: mesh.uvs.get(index).map_or([0.0; 2], |uv| uv.to_array()),
        color: mesh
            .colors
            .get(index)
            .map_or([1.0; 4], |color| color.to_array().map(|part| f32::from(part) / 255.0)),
    };
    mesh.positions.iter().enumerate().map(corner).collect()
}

/// From each joint to the joints below it.
fn bones(scene: &Scene, world: &[Mat4]) -> Vec<[Vec3; 2]> {
    let joints: std::collections::HashSet<usize> =
        scene.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
    let at = |index: usize| world[index].w_axis.truncate();
    let mut lines = Vec::new();
    for &joint in joints.iter().filter(|&&joint| joint < scene.nodes.len()) {
        let children = scene.nodes[joint].children.iter().filter(|child| joints.contains(child));
        lines.extend(children.map(|&child| [at(joint), at(child)]));
    }
    lines.sort_by(|a, b| {
        a.iter()
            .flat_map(|p| p.to_array())
            .map(f32::to_bits)
            .cmp(b.iter().flat_map(|p| p.to_array()).map(f32::to_bits))
    });
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

struct Camera {
    /// From the scene to clip space.
    matrix: Mat4,
    eye: Vec3,
    right: Vec3,
    up: Vec3,
}

/// How far points reach in the directions that a camera's distance depends on.
struct Extent {
    right: Vec3,
    up: Vec3,
    back: Vec3,
    /// The tangents of half of the horizontal and of the vertical field of view.
    across: f32,
    down: f32,
    min: Vec3,
    max: Vec3,
    /// The normals of the four sides of the view, and the axis in both directions.
    directions: [DVec3; 6],
    /// The largest product of a point with each of them.
    reach: [f64; 6],
}

impl Extent {
    fn new(options: &RenderOptions) -> Self {
        let (yaw, pitch) = (options.yaw.to_radians(), options.pitch.clamp(-89.9, 89.9).to_radians());
        let back = Vec3::new(
            libm::sinf(yaw) * libm::cosf(pitch),
            libm::sinf(pitch),
            libm::cosf(yaw) * libm::cosf(pitch),
        );
        let right = Vec3::Y.cross(back).normalize();
        let up = back.cross(right);
        let aspect = options.width as f32 / options.height as f32;
        let down = libm::tanf(FIELD_OF_VIEW / 2.0);
        let across = down * aspect.max(1e-3);
        let (sides, ends) = (right / across, up / down);
        let directions = [back + sides, back - sides, back + ends, back - ends, back, -back];
        Self {
            right,
            up,
            back,
            across,
            down,
            min: Vec3::INFINITY,
            max: Vec3::NEG_INFINITY,
            directions: directions.map(|direction| direction.as_dvec3()),
            reach: [f64::NEG_INFINITY; 6],
        }
    }

    fn add(&mut self, point: Vec3) {
        if !point.is_finite() {
            return;
        }
        (self.min, self.max) = (self.min.min(point), self.max.max(point));
        let point = point.as_dvec3();
        for (reach, direction) in self.reach.iter_mut().zip(&self.directions) {
            *reach = reach.max(direction.dot(point));
        }
    }

    /// The camera that sees all points, as near as it can be.
    fn camera(&self) -> Camera {
        let Self { right, up, back, across, down, .. } = *self;
        let any = self.min.is_finite();
        let center = if any { (self.min + self.max) * 0.5 } else { Vec3::ZERO };
        let mut reach = [0.0_f32; 6];
        for ((reach, most), direction) in reach.iter_mut().zip(self.reach).zip(self.directions) {
            *reach = if any { (most - direction.dot(center.as_dvec3())) as f32 } else { 0.0 };
        }
        let [sides @ .., front, behind] = reach;
        // A margin of a twentieth on each side.
        let distance = (sides.into_iter().fold(0.0, f32::max) * 1.08).max(1e-6);
        let (near, far) = (-front, behind);
        let size = (far - near).max(distance * 1e-3);
        let eye = center + back * distance;
        let znear = (distance + near - size * 0.01).max(distance * 1e-4);
        let zfar = distance + far.max(0.0) + size * 0.01;
        let rotation = glam::Mat3::from_cols(right, up, back).transpose();
        let view = Mat4::from_mat3(rotation) * Mat4::from_translation(-eye);
        let depth = 1.0 / (znear - zfar);
        let projection = Mat4::from_cols_array_2d(&[
            [1.0 / across, 0.0, 0.0, 0.0],
            [0.0, 1.0 / down, 0.0, 0.0],
            [0.0, 0.0, (zfar + znear) * depth, -1.0],
            [0.0, 0.0, 2.0 * zfar * znear * depth, 0.0],
        ]);
        Camera { matrix: projection * view, eye, right, up }
    }
}
