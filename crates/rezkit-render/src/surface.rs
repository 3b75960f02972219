//! The colour of a point of a surface.

use rezkit_core::{Error, ErrorKind, Result};
use std::collections::HashSet;

use glam::Vec3;
use image::RgbaImage;

use super::Camera;
use rezkit_core::Loss;
use rezkit_scene::images::{self, linear_from_srgb};
use rezkit_scene::{Alpha, ImageData, Material, Scene, Texture};

/// The decoded images of a scene.
#[derive(Debug)]
pub(super) struct Textures(Vec<Option<RgbaImage>>);

impl Textures {
    /// The images that are drawn, and those of them that cannot be.
    pub(super) fn new(scene: &Scene, max_bytes: u64) -> Result<(Self, Vec<Loss>)> {
        let used: HashSet<usize> = scene
            .materials
            .iter()
            .flat_map(|material| [material.base_texture, material.emissive_texture])
            .flatten()
            .map(|texture| texture.image)
            .collect();
        let mut left = max_bytes;
        let mut losses = Vec::new();
        let mut textures = Vec::new();
        for (index, image) in scene.images.iter().enumerate() {
            let path = || format!("images[{index}] {:?}", image.name);
            let decoded = match &image.data {
                _ if !used.contains(&index) => None,
                ImageData::Bytes(bytes) => {
                    let (width, height) = images::size(bytes).unwrap_or((0, 0));
                    // As decoded, which can have two bytes a channel, and as drawn.
                    let needed = u64::from(width) * u64::from(height) * 12;
                    left = left.checked_sub(needed).ok_or_else(|| {
                        let text =
                            format!("{width} x {height} pixels need more memory than the limit allows");
                        Error::new(ErrorKind::Limit, text).at(path())
                    })?;
                    let decoded = images::decode(bytes, max_bytes);
                    decoded.map_err(|error| losses.push(Loss::new(path(), error.to_string()))).ok()
                }
                ImageData::Uri(uri) => {
                    losses.push(Loss::new(path(), format!("{uri:?} is not there")));
                    None
                }
            };
            textures.push(decoded.map(|image| image.to_rgba8()));
        }
        Ok((Self(textures), losses))
    }

    fn get(&self, texture: Option<Texture>) -> Option<(&RgbaImage, bool)> {
        let texture = texture?;
        Some((self.0.get(texture.image)?.as_ref()?, texture.repeat))
    }
}

/// A material with what it needs of the camera.
pub(super) struct Surface<'a> {
    material: &'a Material,
    base: Option<(&'a RgbaImage, bool)>,
    emissive: Option<(&'a RgbaImage, bool)>,
    eye: Vec3,
    key: Vec3,
    fill: Vec3,
}

impl<'a> Surface<'a> {
    pub(super) fn new(material: &'a Material, textures: &'a Textures, view: &Camera) -> Self {
        let (right, up) = (view.right, view.up);
        let back = right.cross(up);
        Self {
            base: textures.get(material.base_texture),
            emissive: textures.get(material.emissive_texture),
            eye: view.eye,
            key: (back + up * 0.8 - right * 0.6).normalize(),
            fill: (back * 0.4 + up * 0.1 + right).normalize(),
            material,
        }
    }

    /// The linear colour and alpha of a point; `None` where nothing is drawn.
    pub(super) fn shade(
        &self,
        position: Vec3,
        normal: Vec3,
        uv: [f32; 2],
        color: [f32; 4],
    ) -> Option<[f32; 4]> {
        let material = self.material;
        let texel = self.base.map_or([1.0; 4], |(image, repeat)| sampled(image, repeat, uv));
        let base: [f32; 4] =
            std::array::from_fn(|part| material.base_color[part] * texel[part] * color[part]);
        if matches!(material.alpha, Alpha::Mask(cutoff) if base[3] < cutoff) {
            return None;
        }
        let albedo = Vec3::new(base[0], base[1], base[2]);
        if material.unlit {
            return Some(base);
        }
        let to_eye = (self.eye - position).normalize_or_zero();
        let mut normal = normal.normalize_or_zero();
        if normal.dot(to_eye) < 0.0 {
            normal = -normal;
        }
        let metallic = material.metallic.clamp(0.0, 1.0);
        let roughness = material.roughness.clamp(0.05, 1.0);
        let reflected = Vec3::splat(0.04 * (1.0 - metallic)) + albedo * metallic;
        let diffuse = albedo * (1.0 - metallic);
        // The sky is brighter than the ground.
        let ambient = 0.24 + 0.10 * normal.y;
        let mirrored = normal * (2.0 * normal.dot(to_eye)) - to_eye;
        let sky = (0.45 + 0.35 * mirrored.y) * (1.0 - 0.5 * roughness);
        let mut light = diffuse * ambient + reflected * sky;
        let exponent = (2.0 / (roughness * roughness * roughness * roughness) - 2.0).clamp(1.0, 2000.0);
        for (direction, strength) in [(self.key, 0.62), (self.fill, 0.2)] {
            let facing = normal.dot(direction);
            if facing > 0.0 {
                let half = (direction + to_eye).normalize_or_zero();
                let highlight = libm::powf(normal.dot(half).max(0.0), exponent) * (exponent + 2.0) / 8.0;
                light += (diffuse + reflected * highlight.min(20.0)) * (facing * strength);
            }
        }
        let glow = self.emissive.map_or([1.0; 4], |(image, repeat)| sampled(image, repeat, uv));
        let color: [f32; 3] = std::array::from_fn(|part| light[part] + material.emissive[part] * glow[part]);
        Some([color[0].min(1.0), color[1].min(1.0), color[2].min(1.0), base[3]])
    }
}

/// The linear colour of an image at a point, from the four texels around it.
fn sampled(image: &RgbaImage, repeat: bool, [u, v]: [f32; 2]) -> [f32; 4] {
    let (width, height) = (image.width() as f32, image.height() as f32);
    if !(u.is_finite() && v.is_finite()) {
        return [1.0; 4];
    }
    let (x, y) = (u * width - 0.5, v * height - 0.5);
    let (left, top) = (x.floor(), y.floor());
    let texel = |dx: f32, dy: f32| -> [f32; 4] {
        let wrap = |at: f32, size: f32| {
            let at = if repeat { at - (at / size).floor() * size } else { at.clamp(0.0, size - 1.0) };
            at.clamp(0.0, size - 1.0) as u32
        };
        let [r, g, b, a] = image.get_pixel(wrap(left + dx, width), wrap(top + dy, height)).0;
        [linear_from_srgb(r), linear_from_srgb(g), linear_from_srgb(b), f32::from(a) / 255.0]
    };
    let (fx, fy) = (x - left, y - top);
    let corners = [texel(0.0, 0.0), texel(1.0, 0.0), texel(0.0, 1.0), texel(1.0, 1.0)];
    std::array::from_fn(|part| {
        let upper = corners[0][part] + (corners[1][part] - corners[0][part]) * fx;
        let lower = corners[2][part] + (corners[3][part] - corners[2][part]) * fx;
        upper + (lower - upper) * fy
    })
}
