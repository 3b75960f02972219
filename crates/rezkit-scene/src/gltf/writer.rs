//! The parts of a glTF file under construction: its buffer, views, accessors and textures.

use rezkit_core::{Error, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use geom::TriMesh;
use gltf::json::accessor::{ComponentType, GenericComponentType, Type};
use gltf::json::buffer::{Target as BufferTarget, View};
use gltf::json::mesh::Semantic;
use gltf::json::texture::{self, WrappingMode};
use gltf::json::validation::Checked::{self, Valid};
use gltf::json::validation::USize64;
use gltf::json::{self, Accessor, Index, Root};
use serde_json::{Value, json};

use super::document::WEBP;
use crate::model::{Filter, Sampler, Scene, Texture, Wrap};
use rezkit_core::Loss;

/// The columns and the triangles of a mesh.
#[derive(Clone)]
pub(super) struct Geometry {
    pub(super) attributes: BTreeMap<Checked<Semantic>, Index<Accessor>>,
    pub(super) indices: Index<Accessor>,
}

pub(super) struct Writer<'a> {
    pub(super) scene: &'a Scene,
    pub(super) root: Root,
    pub(super) buffer: Vec<u8>,
    pub(super) losses: Vec<Loss>,
    textures: HashMap<(usize, Sampler), u32>,
    samplers: HashMap<Sampler, Index<texture::Sampler>>,
    /// The images of the scene; `None` if the file of one is missing.
    pub(super) images: Vec<Option<Index<json::Image>>>,
    /// The data that primitives with the same mesh share, by the address of the mesh.
    pub(super) meshes: HashMap<*const TriMesh, Geometry>,
    /// Whether images are copied into the buffer, for a single file.
    pub(super) embed: bool,
    pub(super) extensions: BTreeSet<&'static str>,
}

pub(super) fn index<T>(value: usize) -> Result<Index<T>> {
    u32::try_from(value).map(Index::new).map_err(|_| {
        Error::unwritable("a list has more than 4,294,967,295 entries, the maximum that glTF can index")
    })
}

pub(super) fn name(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

pub(super) fn extras(values: &BTreeMap<String, Value>) -> json::Extras {
    if values.is_empty() {
        return None;
    }
    serde_json::value::to_raw_value(values).ok()
}

impl<'a> Writer<'a> {
    pub(super) fn new(scene: &'a Scene, embed: bool) -> Self {
        Self {
            scene,
            root: Root::default(),
            buffer: Vec::new(),
            losses: Vec::new(),
            textures: HashMap::new(),
            samplers: HashMap::new(),
            images: Vec::new(),
            meshes: HashMap::new(),
            embed,
            extensions: BTreeSet::new(),
        }
    }

    /// Numbers for JSON, which has no infinities and no NaN: they are replaced and listed.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        values: [f32; N],
        instead: [f32; N],
        path: impl FnOnce() -> String,
    ) -> [f32; N] {
        if values.iter().all(|value| value.is_finite()) {
            return values;
        }
        let shown = instead.map(|number| number.to_string()).join(", ");
        let what = match N {
            1 => format!("an infinite or NaN number, replaced by the default of glTF: {shown}"),
            _ => {
                format!("a value with an infinite or NaN number, replaced by the default of glTF: [{shown}]")
            }
        };
        self.losses.push(Loss::approximated(path(), what).id("gltf.not-finite"));
        instead
    }

    /// The index of a texture, if its image exists.
    pub(super) fn texture(&mut self, texture: Texture) -> Result<Option<u32>> {
        let image = self
            .images
            .get(texture.image)
            .ok_or_else(|| Error::unwritable("a texture refers to an image that does not exist"))?;
        let Some(source) = *image else { return Ok(None) };
        let key = (texture.image, texture.sampler);
        if let Some(&index) = self.textures.get(&key) {
            return Ok(Some(index));
        }
        let sampler = match self.samplers.get(&texture.sampler) {
            _ if texture.sampler == Sampler::default() => None,
            Some(&index) => Some(index),
            None => {
                let index = self.root.push(sampler_of(&texture.sampler));
                self.samplers.insert(texture.sampler, index);
                Some(index)
            }
        };
        let is_webp = self.scene.images[texture.image].media_type() == Some("image/webp");
        let mut made = json::Texture { name: None, sampler, source, extensions: None, extras: None };
        if is_webp {
            // The library's marker for a texture without a standard image: only the extension has one.
            made.source = Index::new(u32::MAX);
            let others = [(WEBP.to_owned(), json!({ "source": source.value() }))].into_iter().collect();
            made.extensions = Some(json::extensions::texture::Texture { others });
            self.extensions.insert(WEBP);
        }
        let made = self.root.push(made);
        let made = u32::try_from(made.value()).map_err(Error::unwritable)?;
        self.textures.insert(key, made);
        Ok(Some(made))
    }

    pub(super) fn points(&mut self, points: &[[f32; 3]]) -> Result<Index<Accessor>> {
        let view = self.view(points.as_flattened(), Some(BufferTarget::ArrayBuffer))?;
        let accessor = self.accessor(view, points.len(), ComponentType::F32, Type::Vec3);
        let fold = |pick: fn(f32, f32) -> f32, start: f32| {
            points.iter().fold([start; 3], |[x, y, z], p| [pick(x, p[0]), pick(y, p[1]), pick(z, p[2])])
        };
        let slot = &mut self.root.accessors[accessor.value()];
        slot.min = Some(json!(fold(f32::min, f32::INFINITY)));
        slot.max = Some(json!(fold(f32::max, f32::NEG_INFINITY)));
        Ok(accessor)
    }

    pub(super) fn view(&mut self, values: &[f32], target: Option<BufferTarget>) -> Result<Index<View>> {
        let start = self.aligned();
        self.buffer.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.close(start, target)
    }

    pub(super) fn view_of_bytes(
        &mut self,
        bytes: &[u8],
        target: Option<BufferTarget>,
    ) -> Result<Index<View>> {
        let start = self.aligned();
        self.buffer.extend_from_slice(bytes);
        self.close(start, target)
    }

    pub(super) fn aligned(&mut self) -> usize {
        let length = self.buffer.len().next_multiple_of(4);
        self.buffer.resize(length, 0);
        length
    }

    pub(super) fn close(&mut self, start: usize, target: Option<BufferTarget>) -> Result<Index<View>> {
        let length = self.buffer.len() - start;
        Ok(self.root.push(View {
            buffer: Index::new(0),
            byte_length: USize64::from(length),
            byte_offset: Some(USize64::from(start)),
            byte_stride: None,
            name: None,
            target: target.map(Valid),
            extensions: None,
            extras: None,
        }))
    }

    pub(super) fn accessor(
        &mut self,
        view: Index<View>,
        count: usize,
        component: ComponentType,
        kind: Type,
    ) -> Index<Accessor> {
        self.root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: Some(USize64(0)),
            count: USize64::from(count),
            component_type: Valid(GenericComponentType(component)),
            extensions: None,
            extras: None,
            type_: Valid(kind),
            min: None,
            max: None,
            name: None,
            normalized: false,
            sparse: None,
        })
    }
}

fn sampler_of(from: &Sampler) -> texture::Sampler {
    use texture::{MagFilter, MinFilter};
    let [wrap_s, wrap_t] = from.wrap.map(|wrap| {
        Valid(match wrap {
            Wrap::Repeat => WrappingMode::Repeat,
            Wrap::Mirror => WrappingMode::MirroredRepeat,
            Wrap::Clamp => WrappingMode::ClampToEdge,
        })
    });
    let mag_filter = from.mag.map(|filter| match filter {
        Filter::Nearest => MagFilter::Nearest,
        Filter::Linear => MagFilter::Linear,
    });
    let min_filter = from.min.map(|filter| match (filter, from.mip) {
        (Filter::Nearest, None) => MinFilter::Nearest,
        (Filter::Linear, None) => MinFilter::Linear,
        (Filter::Nearest, Some(Filter::Nearest)) => MinFilter::NearestMipmapNearest,
        (Filter::Linear, Some(Filter::Nearest)) => MinFilter::LinearMipmapNearest,
        (Filter::Nearest, Some(Filter::Linear)) => MinFilter::NearestMipmapLinear,
        (Filter::Linear, Some(Filter::Linear)) => MinFilter::LinearMipmapLinear,
    });
    let (mag_filter, min_filter) = (mag_filter.map(Valid), min_filter.map(Valid));
    texture::Sampler { mag_filter, min_filter, wrap_s, wrap_t, ..texture::Sampler::default() }
}

/// The sampler of a file.
pub(super) fn sampler(from: &gltf::texture::Sampler<'_>) -> Sampler {
    use gltf::texture::{MagFilter, MinFilter};
    let wrap = [from.wrap_s(), from.wrap_t()].map(|mode| match mode {
        WrappingMode::ClampToEdge => Wrap::Clamp,
        WrappingMode::MirroredRepeat => Wrap::Mirror,
        WrappingMode::Repeat => Wrap::Repeat,
    });
    let mag = from.mag_filter().map(|filter| match filter {
        MagFilter::Nearest => Filter::Nearest,
        MagFilter::Linear => Filter::Linear,
    });
    let (min, mip) = match from.min_filter() {
        None => (None, None),
        Some(MinFilter::Nearest) => (Some(Filter::Nearest), None),
        Some(MinFilter::Linear) => (Some(Filter::Linear), None),
        Some(MinFilter::NearestMipmapNearest) => (Some(Filter::Nearest), Some(Filter::Nearest)),
        Some(MinFilter::LinearMipmapNearest) => (Some(Filter::Linear), Some(Filter::Nearest)),
        Some(MinFilter::NearestMipmapLinear) => (Some(Filter::Nearest), Some(Filter::Linear)),
        Some(MinFilter::LinearMipmapLinear) => (Some(Filter::Linear), Some(Filter::Linear)),
    };
    Sampler { wrap, mag, min, mip }
}
