//! Computes the colour of a point of a surface.

use glam::Vec3;
use rezkit_scene::images::srgb_from_linear;
use rezkit_scene::{Alpha, Material, Texture};

use crate::camera::View;
use crate::texture::{Sampler, Textures};

/// A point of a surface, in camera space.
pub(crate) struct Fragment {
    pub(crate) at: Vec3,
    /// The normal on the visible side, of any length.
    pub(crate) normal: Vec3,
    pub(crate) uv: [f32; 2],
    pub(crate) color: [f32; 4],
    /// The change of texture coordinates to the next pixel on the right and to the one below.
    pub(crate) steps: [[f32; 2]; 2],
}

/// A material with camera-dependent data.
pub(crate) struct Surface<'a> {
    material: &'a Material,
    base: Option<Sampler<'a>>,
    emissive: Option<Sampler<'a>>,
    /// The texture of metalness and roughness, unless it has coordinates of its own.
    metallic_roughness: Option<Sampler<'a>>,
    /// The scene's y axis in camera space.
    up: Vec3,
    /// The directions of the lights, which move with the camera, and their strengths.
    lights: [(Vec3, f32); 2],
}

impl<'a> Surface<'a> {
    pub(crate) fn new(material: &'a Material, textures: &'a Textures, view: &View) -> Self {
        let is_with_color = |of: &Texture| of.set == uv_set(material);
        Self {
            base: textures.get(material.base_texture),
            emissive: textures.get(material.emissive_texture),
            metallic_roughness: textures
                .get(material.metallic_roughness_texture.filter(|of| !material.unlit && is_with_color(of))),
            up: view.direction(Vec3::Y),
            lights: [
                (Vec3::new(-0.6, 0.9, 0.8).normalize(), 0.66),
                (Vec3::new(1.0, 0.1, 0.4).normalize(), 0.16),
            ],
            material,
        }
    }

    /// Whether alpha decides visibility.
    pub(crate) fn is_masked(&self) -> bool {
        matches!(self.material.alpha, Alpha::Mask(_))
    }

    /// Whether the surface is affected by light.
    pub(crate) fn is_lit(&self) -> bool {
        !self.material.unlit
    }

    pub(crate) fn uv_set(&self) -> usize {
        uv_set(self.material)
    }

    pub(crate) fn is_textured(&self) -> bool {
        self.base.is_some() || self.emissive.is_some() || self.metallic_roughness.is_some()
    }

    /// The work of computing a colour, in units of testing a pixel.
    pub(crate) fn work(&self) -> u64 {
        let samplers = [self.base, self.emissive, self.metallic_roughness];
        18 + 12 * samplers.into_iter().flatten().count() as u64
    }

    /// The metalness and the roughness at a point.
    fn metallic_roughness(&self, fragment: &Fragment) -> [f32; 2] {
        let texel = self.metallic_roughness.map(|texture| texture.at(fragment.uv, fragment.steps));
        // These are numbers, not colours.
        let [metallic, roughness] = texel
            .map_or([1.0; 2], |[_, g, b, _]| [b, g].map(|part| f32::from(srgb_from_linear(part)) / 255.0));
        let metallic = (self.material.metallic * metallic).clamp(0.0, 1.0);
        [metallic, (self.material.roughness * roughness).clamp(0.08, 1.0)]
    }

    /// The linear colour and alpha of a point; `None` if nothing is drawn.
    pub(crate) fn shade(&self, fragment: &Fragment) -> Option<[f32; 4]> {
        let material = self.material;
        let texel = self.base.map_or([1.0; 4], |base| base.at(fragment.uv, fragment.steps));
        let base: [f32; 4] =
            std::array::from_fn(|part| material.base_color[part] * texel[part] * fragment.color[part]);
        if matches!(material.alpha, Alpha::Mask(cutoff) if base[3] < cutoff) {
            return None;
        }
        if material.unlit {
            return Some(base);
        }
        let to_eye = (-fragment.at).normalize_or_zero();
        let normal = fragment.normal.normalize_or_zero();
        let albedo = Vec3::new(base[0], base[1], base[2]);
        let [metallic, roughness] = self.metallic_roughness(fragment);
        let reflected = Vec3::splat(0.04 * (1.0 - metallic)) + albedo * metallic;
        let diffuse = albedo * (1.0 - metallic);
        // The sky is brighter than the ground.
        let ambient = 0.23 + 0.11 * normal.dot(self.up);
        let mirrored = normal * (2.0 * normal.dot(to_eye)) - to_eye;
        let sky = (0.45 + 0.35 * mirrored.dot(self.up)) * (1.0 - 0.5 * roughness);
        let mut light = diffuse * ambient + reflected * sky;
        let square = roughness * roughness * roughness * roughness;
        for (direction, strength) in self.lights {
            let facing = normal.dot(direction);
            if facing > 0.0 {
                let half = (direction + to_eye).normalize_or_zero();
                let (along, across) = (normal.dot(half).max(0.0), direction.dot(half).max(0.0));
                let spread = along * along * (square - 1.0) + 1.0;
                // The usual GGX microfacet model, with a simplified masking term.
                let highlight =
                    square / (spread * spread * (across * across).max(0.1) * (roughness * 4.0 + 2.0));
                light += (diffuse + reflected * highlight.min(20.0)) * (facing * strength);
            }
        }
        let glow = self.emissive.map_or([1.0; 4], |glow| glow.at(fragment.uv, fragment.steps));
        let color: [f32; 3] = std::array::from_fn(|part| {
            light[part] + material.emissive[part] * material.emissive_strength * glow[part]
        });
        Some([color[0].min(1.0), color[1].min(1.0), color[2].min(1.0), base[3]])
    }
}

/// The index of the set of texture coordinates of a material: that of its first texture.
fn uv_set(material: &Material) -> usize {
    let textures = [material.base_texture, material.emissive_texture, material.metallic_roughness_texture];
    textures.into_iter().flatten().next().map_or(0, |texture| texture.set)
}
