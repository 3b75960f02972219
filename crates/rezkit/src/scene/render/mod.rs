//! Pictures of scenes, without a graphics card: the same on every machine.
//!
//! A perspective camera that frames what is drawn, two lights that follow the camera and an ambient
//! term, textures, vertex colours, transparency, and four samples per pixel. All arithmetic is IEEE
//! addition, multiplication, division and square root, and the functions of `libm`, so that pictures
//! do not depend on the processor.

mod raster;
mod sheet;
mod surface;

pub use sheet::{animated_gif, animated_png, contact_sheet};

use glam::{Mat4, Vec3};
use image::RgbaImage;

use super::model::{Alpha, Primitive, Scene};
use raster::{Canvas, Corner};
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
    /// How many bytes the pixels of all textures may take: 1 GiB unless set.
    pub max_bytes: u64,
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
            max_bytes: 1 << 30,
        }
    }
}

/// The most pixels of a side.
const MAX_SIDE: u32 = 16_384;
/// The vertical field of view, in radians: about 31 degrees.
const FIELD_OF_VIEW: f32 = 0.55;
/// Samples per pixel and axis.
const SAMPLES: usize = 2;

/// A picture of a scene.
///
/// # Errors
/// Where the size is 0 or more than 16,384 pixels a side, and where the textures take more than they may.
pub fn render(scene: &Scene, options: &RenderOptions) -> Result<RgbaImage, String> {
    let (width, height) = (options.width, options.height);
    if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
        return Err(format!("a picture of {width} x {height} pixels: 1 to {MAX_SIDE} a side"));
    }
    let transforms = match options.animation {
        Some(animation) => scene.transforms_at(animation, options.time),
        None => scene.transforms(),
    };
    let mut primitives: Vec<Primitive> = scene.posed(&transforms).into_iter().flatten().collect();
    primitives.iter_mut().for_each(complete);
    let world = scene.world_matrices(&transforms);
    let bones: Vec<[Vec3; 2]> = if options.skeleton { bones(scene, &world) } else { Vec::new() };
    let view = Camera::around(&primitives, &bones, options);
    let mut canvas = Canvas::new(width as usize * SAMPLES, height as usize * SAMPLES);
    let textures = Textures::new(scene, options.max_bytes)?;
    // What can be seen through comes last, the farthest part first.
    let (mut solid, mut clear): (Vec<&Primitive>, Vec<&Primitive>) =
        primitives.iter().partition(|primitive| {
            let material = primitive.material.and_then(|index| scene.materials.get(index));
            material.is_none_or(|material| material.alpha != Alpha::Blend)
        });
    let depth = |primitive: &Primitive| {
        let center = primitive.mesh.bounds().map(|bounds| Vec3::from(bounds.center().to_array()));
        center.map_or(0.0, |center| view.matrix.project_point3(center).z)
    };
    clear.sort_by(|a, b| depth(b).total_cmp(&depth(a)));
    for (primitive, blend) in solid
        .drain(..)
        .map(|primitive| (primitive, false))
        .chain(clear.drain(..).map(|primitive| (primitive, true)))
    {
        let surface = Surface::new(scene, primitive.material, &textures, view.eye, view.right, view.up);
        if options.wireframe {
            canvas.edges(&view.matrix, &primitive.mesh, [0.11, 0.13, 0.18, 1.0]);
        } else {
            let corners = corners(primitive);
            canvas.triangles(&view.matrix, &corners, &primitive.mesh.triangles, &surface, blend);
        }
    }
    canvas.lines(&view.matrix, &bones, [0.9, 0.1, 0.1, 1.0]);
    Ok(canvas.finish(SAMPLES, options.background))
}

/// Gives a primitive normals where it has none.
fn complete(primitive: &mut Primitive) {
    if primitive.mesh.normals.is_empty() {
        primitive.mesh.normals = primitive.mesh.area_weighted_normals();
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

struct Camera {
    /// From the scene to clip space.
    matrix: Mat4,
    eye: Vec3,
    right: Vec3,
    up: Vec3,
}

impl Camera {
    /// The camera that sees everything, as near as it can be.
    fn around(primitives: &[Primitive], bones: &[[Vec3; 2]], options: &RenderOptions) -> Self {
        let (yaw, pitch) = (options.yaw.to_radians(), options.pitch.clamp(-89.9, 89.9).to_radians());
        let back = Vec3::new(
            libm::sinf(yaw) * libm::cosf(pitch),
            libm::sinf(pitch),
            libm::cosf(yaw) * libm::cosf(pitch),
        );
        let right = Vec3::Y.cross(back).normalize();
        let up = back.cross(right);
        let used = primitives.iter().flat_map(|primitive| {
            let mesh = &primitive.mesh;
            mesh.triangles
                .iter()
                .flatten()
                .map(|&index| Vec3::from(mesh.positions[index as usize].to_array()))
        });
        let corners = options.frame.map(|frame| {
            let [min, max] = [frame.min, frame.max].map(|corner| Vec3::from(corner.to_array()));
            (0..8).map(move |corner| {
                let pick = |bit: usize, min: f32, max: f32| if corner & bit == 0 { min } else { max };
                Vec3::new(pick(1, min.x, max.x), pick(2, min.y, max.y), pick(4, min.z, max.z))
            })
        });
        let points: Vec<Vec3> = match corners {
            Some(corners) => corners.collect(),
            None => used.chain(bones.iter().flatten().copied()).filter(|point| point.is_finite()).collect(),
        };
        let (min, max) = points
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), &p| (min.min(p), max.max(p)));
        let center = if points.is_empty() { Vec3::ZERO } else { (min + max) * 0.5 };
        let aspect = options.width as f32 / options.height as f32;
        let tangent = libm::tanf(FIELD_OF_VIEW / 2.0);
        let (across, down) = (tangent * aspect.max(1e-3), tangent);
        let mut distance = 0.0_f32;
        let (mut near, mut far) = (f32::INFINITY, f32::NEG_INFINITY);
        for point in &points {
            let from = *point - center;
            let (x, y, z) = (from.dot(right).abs(), from.dot(up).abs(), from.dot(back));
            distance = distance.max(z + x / across).max(z + y / down);
            near = near.min(-z);
            far = far.max(-z);
        }
        // A margin of a twentieth on each side.
        distance = (distance * 1.08).max(1e-6);
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
        Self { matrix: projection * view, eye, right, up }
    }
}
