//! Materials, their textures, and images.

use std::collections::BTreeMap;

use super::Scene;
use crate::images::{self, Kind};
use rezkit_core::Loss;

/// The appearance of a surface.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Material {
    /// The name; empty if it has no name.
    pub name: String,
    /// Base colour, linear, with alpha; multiplies the texture and the vertex colours.
    pub base_color: [f32; 4],
    /// The texture of the base colour, sRGB with alpha.
    pub base_texture: Option<Texture>,
    /// The metalness, 0 to 1.
    pub metallic: f32,
    /// The roughness, 0 to 1.
    pub roughness: f32,
    /// Roughness in green, metalness in blue; multiplied by `roughness` and `metallic`.
    pub metallic_roughness_texture: Option<Texture>,
    /// A tangent-space normal map, y up.
    pub normal_texture: Option<Texture>,
    /// The strength of the normal map.
    pub normal_scale: f32,
    /// Ambient occlusion in red.
    pub occlusion_texture: Option<Texture>,
    /// The strength of the occlusion, 0 to 1.
    pub occlusion_strength: f32,
    /// The colour of the light that the surface emits, linear, 0 to 1.
    pub emissive: [f32; 3],
    /// A factor for the emitted light (`KHR_materials_emissive_strength`).
    pub emissive_strength: f32,
    /// The texture of the emitted light, sRGB; multiplied by `emissive`.
    pub emissive_texture: Option<Texture>,
    /// The meaning of alpha.
    pub alpha: Alpha,
    /// Whether both sides are drawn.
    pub double_sided: bool,
    /// Whether the surface ignores light (`KHR_materials_unlit`).
    pub unlit: bool,
    /// The index of refraction (`KHR_materials_ior`).
    pub ior: Option<f32>,
    /// The fraction of light that passes through, 0 to 1 (`KHR_materials_transmission`).
    pub transmission: Option<f32>,
    /// The strength, then the colour, of non-metallic reflections (`KHR_materials_specular`).
    pub specular: Option<[f32; 4]>,
    /// A clear layer above the surface (`KHR_materials_clearcoat`).
    pub clearcoat: Option<Clearcoat>,
    /// Properties without a counterpart in a scene, by name.
    pub extras: BTreeMap<String, serde_json::Value>,
}

impl Material {
    /// What surfaces without a material are drawn with: a smooth light grey.
    pub fn unassigned() -> Self {
        Self { base_color: [0.8, 0.8, 0.8, 1.0], roughness: 0.4, ..Self::default() }
    }
}

impl Default for Material {
    /// A white, rough, non-metallic surface.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            base_texture: None,
            metallic: 0.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: [0.0; 3],
            emissive_strength: 1.0,
            emissive_texture: None,
            alpha: Alpha::Opaque,
            double_sided: false,
            unlit: false,
            ior: None,
            transmission: None,
            specular: None,
            clearcoat: None,
            extras: BTreeMap::new(),
        }
    }
}

impl Material {
    /// All textures.
    pub fn textures(&self) -> impl Iterator<Item = &Texture> {
        let coat = self.clearcoat.as_ref();
        let coat =
            coat.into_iter().flat_map(|coat| [&coat.texture, &coat.roughness_texture, &coat.normal_texture]);
        let own = [
            &self.base_texture,
            &self.metallic_roughness_texture,
            &self.normal_texture,
            &self.occlusion_texture,
            &self.emissive_texture,
        ];
        own.into_iter().chain(coat).flatten()
    }

    /// All textures, mutable.
    pub fn textures_mut(&mut self) -> impl Iterator<Item = &mut Texture> {
        let coat = self.clearcoat.as_mut().into_iter();
        let coat =
            coat.flat_map(|coat| [&mut coat.texture, &mut coat.roughness_texture, &mut coat.normal_texture]);
        let own = [
            &mut self.base_texture,
            &mut self.metallic_roughness_texture,
            &mut self.normal_texture,
            &mut self.occlusion_texture,
            &mut self.emissive_texture,
        ];
        own.into_iter().chain(coat).flatten()
    }
}

/// A clear layer above a surface.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Clearcoat {
    /// The intensity of the layer, 0 to 1.
    pub factor: f32,
    /// The intensity in red; multiplied by `factor`.
    pub texture: Option<Texture>,
    /// The roughness of the layer, 0 to 1.
    pub roughness: f32,
    /// Roughness in green; multiplied by `roughness`.
    pub roughness_texture: Option<Texture>,
    /// A tangent-space normal map, y up.
    pub normal_texture: Option<Texture>,
    /// The strength of the normal map.
    pub normal_scale: f32,
}

impl Default for Clearcoat {
    /// No clear coat: a factor of 0.
    fn default() -> Self {
        Self {
            factor: 0.0,
            texture: None,
            roughness: 0.0,
            roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
        }
    }
}

/// A texture: an image, its set of texture coordinates, and its sampling.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Texture {
    /// The index of the image.
    pub image: usize,
    /// The set of texture coordinates, an argument of [`Primitive::uvs`](super::Primitive::uvs).
    pub set: usize,
    /// The transform of the coordinates.
    pub transform: UvTransform,
    /// The sampling of pixels.
    pub sampler: Sampler,
}

impl Texture {
    /// A texture of an image that repeats, with the first set of texture coordinates and no transform.
    pub fn new(image: usize) -> Self {
        Self { image, ..Self::default() }
    }
}

/// A transform of texture coordinates (`KHR_texture_transform`): scale first, then rotation, then offset.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct UvTransform {
    /// Added to u and v.
    pub offset: [f32; 2],
    /// The rotation around (0, 0), in radians; counter-clockwise if v grows upwards.
    pub rotation: f32,
    /// The factors of u and v.
    pub scale: [f32; 2],
}

impl Default for UvTransform {
    /// The identity.
    fn default() -> Self {
        Self { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2] }
    }
}

impl UvTransform {
    /// Transforms a coordinate.
    pub fn apply(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let [u, v] = [u * self.scale[0], v * self.scale[1]];
        let (sine, cosine) = (libm::sinf(self.rotation), libm::cosf(self.rotation));
        [u * cosine + v * sine + self.offset[0], v * cosine - u * sine + self.offset[1]]
    }
}

/// The sampling of an image. The filters are those of glTF; `None` if a file does not set them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Sampler {
    /// The treatment of coordinates outside 0 to 1, for u and for v.
    pub wrap: [Wrap; 2],
    /// The filter of an enlarged image.
    pub mag: Option<Filter>,
    /// The filter of a reduced image.
    pub min: Option<Filter>,
    /// The filter between mipmaps; no mipmaps if `min` is set and this is `None`.
    pub mip: Option<Filter>,
}

/// The treatment of a coordinate outside 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Wrap {
    /// The image repeats.
    #[default]
    Repeat,
    /// The image repeats, every other one mirrored.
    Mirror,
    /// The border of the image is extended.
    Clamp,
}

/// The choice of a value between two pixels or two mipmaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Filter {
    /// The nearer one.
    Nearest,
    /// Linear interpolation.
    Linear,
}

/// The meaning of alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub enum Alpha {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Pixels whose alpha is below the value are not drawn.
    Mask(f32),
    /// Alpha is the opacity.
    Blend,
}

/// An image.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Image {
    /// The name; empty if it has no name.
    pub name: String,
    /// The image itself, or its location.
    pub data: ImageData,
}

/// An image itself, or its location.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub enum ImageData {
    /// A PNG, JPEG, WebP or GIF file. Writers drop any other bytes and list them as lost.
    #[serde(serialize_with = "bytes")]
    Bytes(Vec<u8>),
    /// A path relative to the file of the scene, or a URL.
    Uri(String),
}

fn bytes<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

impl Image {
    /// The image itself, if the scene has it.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match &self.data {
            ImageData::Bytes(bytes) => Some(bytes),
            ImageData::Uri(_) => None,
        }
    }

    /// The kind of a file by its first bytes, or by its name if there are no bytes.
    fn kind(&self) -> Option<Kind> {
        match &self.data {
            ImageData::Bytes(bytes) => Kind::of(bytes),
            ImageData::Uri(uri) => match uri.to_ascii_lowercase().rsplit('.').next() {
                Some("png") => Some(Kind::Png),
                Some("jpg" | "jpeg") => Some(Kind::Jpeg),
                Some("webp") => Some(Kind::WebP),
                _ => None,
            },
        }
    }

    /// The media type, by the first bytes or the name of the file; `None` for GIF, JPEG 2000 and files that are not images.
    pub fn media_type(&self) -> Option<&'static str> {
        match self.kind()? {
            Kind::Png => Some("image/png"),
            Kind::Jpeg => Some("image/jpeg"),
            Kind::WebP => Some("image/webp"),
            // glTF does not allow them.
            Kind::Gif | Kind::Jpeg2000 => None,
        }
    }

    /// The extension of a file with these bytes; `None` if they are not an image.
    pub fn extension(&self) -> Option<&'static str> {
        Some(match self.kind()? {
            Kind::Png => "png",
            Kind::Jpeg => "jpg",
            Kind::WebP => "webp",
            Kind::Gif => "gif",
            Kind::Jpeg2000 => "jp2",
        })
    }
}

impl Scene {
    /// The images whose files were not read, as losses.
    pub fn missing_images(&self) -> impl Iterator<Item = Loss> {
        self.images.iter().enumerate().filter_map(|(index, image)| match &image.data {
            ImageData::Uri(uri) => images::missing(uri, format!("images[{index}]")),
            ImageData::Bytes(_) => None,
        })
    }
}
