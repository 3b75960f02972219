//! Materials.

use gltf::json;
use gltf::json::extensions::material as ext;
use gltf::json::material as mat;
use gltf::json::validation::Checked::Valid;
use rezkit_core::Result;

use super::writer::{Writer, extras, name};
use crate::model::{Alpha, Material};

impl Writer<'_> {
    pub(super) fn material(&mut self, from: &Material) -> Result<json::Material> {
        let unit = |value: f32| if value.is_finite() { value.clamp(0.0, 1.0) } else { 1.0 };
        let extensions = ext::Material {
            unlit: from.unlit.then_some(ext::Unlit {}),
            transmission: from.transmission.map(|factor| ext::Transmission {
                transmission_factor: ext::TransmissionFactor(unit(factor)),
                ..ext::Transmission::default()
            }),
            ior: from.ior.map(|ior| ext::Ior { ior: ext::IndexOfRefraction(ior), extras: None }),
            specular: from.specular.map(|[r, g, b, factor]| ext::Specular {
                specular_factor: ext::SpecularFactor(unit(factor)),
                specular_color_factor: ext::SpecularColorFactor([r, g, b]),
                ..ext::Specular::default()
            }),
        };
        let used = [
            ("KHR_materials_unlit", extensions.unlit.is_some()),
            ("KHR_materials_transmission", extensions.transmission.is_some()),
            ("KHR_materials_ior", extensions.ior.is_some()),
            ("KHR_materials_specular", extensions.specular.is_some()),
        ];
        let any = used.iter().any(|(_, used)| *used);
        self.extensions.extend(used.iter().filter(|(_, used)| *used).map(|(name, _)| *name));
        let (alpha_mode, alpha_cutoff) = match from.alpha {
            Alpha::Opaque => (mat::AlphaMode::Opaque, None),
            Alpha::Mask(cutoff) => (mat::AlphaMode::Mask, Some(mat::AlphaCutoff(cutoff))),
            Alpha::Blend => (mat::AlphaMode::Blend, None),
        };
        let normal_texture = self.texture(from.normal_texture)?.map(|index| mat::NormalTexture {
            index,
            scale: from.normal_scale,
            tex_coord: 0,
            extensions: None,
            extras: None,
        });
        let occlusion_texture = self.texture(from.occlusion_texture)?.map(|index| mat::OcclusionTexture {
            index,
            strength: mat::StrengthFactor(1.0),
            tex_coord: 0,
            extensions: None,
            extras: None,
        });
        Ok(json::Material {
            alpha_cutoff,
            alpha_mode: Valid(alpha_mode),
            double_sided: from.double_sided,
            name: name(&from.name),
            pbr_metallic_roughness: mat::PbrMetallicRoughness {
                base_color_factor: mat::PbrBaseColorFactor(from.base_color.map(unit)),
                base_color_texture: self.info(from.base_texture)?,
                metallic_factor: mat::StrengthFactor(unit(from.metallic)),
                roughness_factor: mat::StrengthFactor(unit(from.roughness)),
                metallic_roughness_texture: self.info(from.metallic_roughness_texture)?,
                extensions: None,
                extras: None,
            },
            normal_texture,
            occlusion_texture,
            emissive_texture: self.info(from.emissive_texture)?,
            emissive_factor: mat::EmissiveFactor(from.emissive.map(unit)),
            extensions: any.then_some(extensions),
            extras: extras(&from.extras),
        })
    }
}
