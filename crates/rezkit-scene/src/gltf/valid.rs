//! Checks what the glTF library assumes without checking: that accessors exist, have elements, are within their views,
//! and have the types that their use requires.

use std::borrow::Cow;
use std::collections::HashSet;

use gltf::Semantic;
use gltf::accessor::{Accessor, DataType, Dimensions};
use gltf::animation::Property;
use gltf::json;
use gltf::json::camera::Type;
use gltf::json::validation::Checked;
use gltf::mesh::Mode;
use rezkit_core::{Counted, Error, Result};

use super::expand::INSTANCING;
use super::{document, expand, vrm};
use rezkit_core::Budget;

use DataType::{F32, I8, I16, U8, U16, U32};
use Dimensions::{Mat4, Scalar, Vec2, Vec3, Vec4};

/// The extensions that are read, besides those of materials; others are listed as lost.
const EXTENSIONS: [&str; 4] =
    ["KHR_lights_punctual", "KHR_node_visibility", expand::INSTANCING, expand::QUANTIZATION];

pub(super) fn is_read(extension: &str) -> bool {
    let is_draco = cfg!(feature = "draco") && extension == expand::DRACO;
    let is_meshopt = expand::MESHOPT.contains(&extension);
    is_draco
        || is_meshopt
        || extension == document::WEBP
        || EXTENSIONS.contains(&extension)
        || document::MATERIALS.contains(&extension)
}

/// Checks the indices that the library's validation follows.
pub(super) fn indices(json: &json::Root) -> Result<()> {
    for (at, mesh) in json.meshes.iter().enumerate() {
        let mut attributes = mesh.primitives.iter().flat_map(|primitive| primitive.attributes.values());
        let count = json.accessors.len();
        if let Some(accessor) = attributes.find(|accessor| accessor.value() >= count) {
            let accessor = accessor.value();
            return Err(Error::unreadable(format!(
                "meshes[{at}]: an attribute refers to accessors[{accessor}], which does not exist"
            )));
        }
    }
    for (at, animation) in json.animations.iter().enumerate() {
        for channel in &animation.channels {
            let (sampler, node) = (channel.sampler.value(), channel.target.node.value());
            let missing = match sampler < animation.samplers.len() {
                false => format!("samplers[{sampler}]"),
                true if node >= json.nodes.len() => format!("nodes[{node}]"),
                true => continue,
            };
            return Err(Error::unreadable(format!(
                "animations[{at}]: a channel refers to {missing}, which does not exist"
            )));
        }
    }
    for (at, image) in json.images.iter().enumerate() {
        let has_source = match image.buffer_view {
            Some(_) => image.mime_type.is_some(),
            None => image.uri.is_some(),
        };
        if !has_source {
            return Err(Error::unreadable(format!(
                "images[{at}]: expected a uri, or a bufferView and a mimeType"
            )));
        }
    }
    for (at, camera) in json.cameras.iter().enumerate() {
        let has_property = match camera.type_ {
            Checked::Valid(Type::Perspective) => camera.perspective.is_some(),
            Checked::Valid(Type::Orthographic) => camera.orthographic.is_some(),
            Checked::Invalid => false,
        };
        if !has_property {
            return Err(Error::unreadable(format!(
                "cameras[{at}]: expected the type perspective or orthographic, and a property of that name"
            )));
        }
    }
    Ok(())
}

/// The end of a sentence about an unsupported extension: what is kept of it, or which program can remove it.
pub(super) fn without(extension: &str) -> &'static str {
    match extension {
        "EXT_texture_avif" => "; `gltf-transform png --formats '*'` converts the textures to PNG",
        "KHR_texture_basisu" => "; `gltf-transform ktxdecompress` converts the textures to PNG",
        expand::DRACO => "; the crate feature `draco` adds support for it",
        _ if vrm::EXTENSIONS.contains(&extension) => {
            "; only the names of humanoid bones are kept, as extras of their nodes"
        }
        _ => "",
    }
}

/// Refuses a file that requires an unsupported extension.
pub(super) fn required(json: &json::Root) -> Result<()> {
    match json.extensions_required.iter().find(|name| !is_read(name)) {
        None => Ok(()),
        Some(name) => {
            // For VRM, the text would be wrong: bones are kept only if the file does not require the extension.
            let help = if vrm::EXTENSIONS.contains(&&**name) { "" } else { without(name) };
            let text = format!("extensionsRequired: the extension {name} is not supported{help}");
            Err(Error::unreadable(text))
        }
    }
}

/// Checks the lengths in binary glTF, from which the library subtracts without checking.
pub(super) fn lengths(bytes: &[u8]) -> Result<()> {
    if !bytes.starts_with(b"glTF") {
        return Ok(());
    }
    let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    if word(4) == Some(1) {
        return Err(super::wording::too_old("1.0"));
    }
    match (word(8), word(12)) {
        (Some(length), Some(json))
            if length >= 20 && json <= length - 20 && length as usize <= bytes.len() =>
        {
            Ok(())
        }
        _ => Err(Error::unreadable(
            "the lengths in the GLB headers do not match the size of the file, which may be truncated",
        )),
    }
}

/// Maximum memory of an element of a list of the JSON, in the library and in the scene: that of a material.
const ELEMENT: u64 = 2400;
/// That of the elements of lists which can be long.
const ELEMENTS: [(&[u8], u64); 4] =
    [(b"nodes", 1200), (b"meshes", 600), (b"accessors", 850), (b"bufferViews", 400)];
/// Maximum memory of an object in an element, such as the attributes of a primitive: a tree, twice.
const OBJECT: u64 = 1300;
/// Maximum memory of a number in a list.
const NUMBER: u64 = 16;

/// Charges the memory of the JSON text and its objects.
pub(super) fn text(bytes: &[u8], budget: &mut Budget) -> Result<()> {
    let json = match bytes.get(12..16).filter(|_| bytes.starts_with(b"glTF")) {
        Some(&[a, b, c, d]) => {
            let len = u32::from_le_bytes([a, b, c, d]) as usize;
            bytes.get(20..).map(|rest| rest.get(..len).unwrap_or(rest)).unwrap_or_default()
        }
        _ => bytes,
    };
    let count = |byte| memchr::memchr_iter(byte, json).count() as u64;
    // The texts in the JSON, and a copy of the bytes for a caller that keeps the file.
    let text = (json.len() + bytes.len()) as u64;
    budget.take(objects(json) + count(b',') * NUMBER + text, "the glTF document")
}

/// The memory of the objects in the JSON.
fn objects(json: &[u8]) -> u64 {
    let (mut total, mut depth, mut element, mut at) = (0, 0_u32, ELEMENT, 0);
    while let Some(&byte) = json.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let start = at;
                while let Some(end) = memchr::memchr2(b'"', b'\\', &json[at..]).map(|end| at + end) {
                    at = end + 1;
                    if json[end] == b'"' {
                        break;
                    }
                    // What is escaped.
                    at = (at + 1).min(json.len());
                }
                if depth == 1 {
                    let key = json.get(start..at.saturating_sub(1)).unwrap_or_default();
                    element =
                        ELEMENTS.iter().find(|(known, _)| *known == key).map_or(ELEMENT, |known| known.1);
                }
            }
            b'{' | b'[' => {
                depth = depth.saturating_add(1);
                let size = if depth <= 3 { element } else { OBJECT };
                total += if byte == b'{' { size } else { 0 };
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    total
}

/// Checks and charges all accessors that the library's readers follow.
pub(super) fn accessors(
    document: &gltf::Document,
    buffers: &[Cow<'_, [u8]>],
    budget: &mut Budget,
) -> Result<()> {
    for view in document.views() {
        let end = view.offset().checked_add(view.length());
        if end.is_none_or(|end| end > buffers[view.buffer().index()].len()) {
            return Err(Error::unreadable(format!(
                "bufferViews[{}]: byteOffset {} and byteLength {} exceed the {}",
                view.index(),
                view.offset(),
                view.length(),
                Counted::new(buffers[view.buffer().index()].len(), "bytes of the buffer")
            )));
        }
    }
    let used = used(document);
    for accessor in document.accessors() {
        let path = format!("accessors[{}]", accessor.index());
        let (count, size) = (accessor.count(), accessor.size());
        // Exporters leave empty ones to which nothing refers.
        if count == 0 && !used.contains(&accessor.index()) {
            continue;
        }
        // The library subtracts 1 from the count.
        if count == 0 {
            return Err(Error::unreadable(format!("{path}: count is 0, expected at least 1")));
        }
        match accessor.view() {
            Some(view) => within(&path, accessor.offset(), count, size, &view)?,
            None => return Err(Error::unreadable(format!("{path}: the accessor has no buffer view"))),
        }
    }
    for primitive in document.meshes().flat_map(|mesh| mesh.primitives().collect::<Vec<_>>()) {
        for (semantic, accessor) in primitive.attributes() {
            let (dimensions, types): (&[Dimensions], &[DataType]) = match semantic {
                Semantic::Positions | Semantic::Normals => (&[Vec3], &[F32]),
                Semantic::Tangents => (&[Vec4], &[F32]),
                Semantic::Colors(_) => (&[Vec3, Vec4], &[F32, U8, U16]),
                Semantic::TexCoords(_) => (&[Vec2], &[F32, U8, U16]),
                Semantic::Joints(_) => (&[Vec4], &[U8, U16]),
                Semantic::Weights(_) => (&[Vec4], &[F32, U8, U16]),
                Semantic::Extras(_) => continue,
            };
            column(&accessor, &semantic.to_string(), dimensions, types, budget)?;
        }
        let (path, indices) = match primitive.indices() {
            Some(accessor) => {
                typed(&accessor, "indices", &[Scalar], &[U8, U16, U32])?;
                (format!("accessors[{}]", accessor.index()), accessor.count())
            }
            None => {
                let positions = primitive.get(&Semantic::Positions);
                (
                    "the triangles of a primitive without indices".to_owned(),
                    positions.map_or(0, |accessor| accessor.count()),
                )
            }
        };
        // The list of indices, and the triangles; in a strip, each index begins a triangle.
        let triangles = if primitive.mode() == Mode::Triangles { 4 } else { 12 };
        budget.take(indices as u64 * (4 + triangles), &path)?;
        for target in primitive.morph_targets() {
            let parts = [target.positions(), target.normals(), target.tangents()];
            for accessor in parts.iter().flatten() {
                column(accessor, "a morph target", &[Vec3], &[F32], budget)?;
            }
        }
    }
    for node in document.nodes() {
        let found = node.extension_value(INSTANCING).and_then(|value| value.get("attributes")?.as_object());
        for (name, index) in found.into_iter().flatten() {
            let accessor =
                index.as_u64().and_then(|index| document.accessors().nth(usize::try_from(index).ok()?));
            match (name.as_str(), accessor) {
                ("TRANSLATION" | "SCALE", Some(accessor)) => {
                    column(&accessor, name, &[Vec3], &[F32], budget)?
                }
                ("ROTATION", Some(accessor)) => column(&accessor, name, &[Vec4], &[F32], budget)?,
                _ => {}
            }
        }
    }
    for accessor in document.skins().filter_map(|skin| skin.inverse_bind_matrices()) {
        column(&accessor, "inverseBindMatrices", &[Mat4], &[F32], budget)?;
    }
    for channel in document.animations().flat_map(|animation| animation.channels().collect::<Vec<_>>()) {
        column(&channel.sampler().input(), "the input of an animation sampler", &[Scalar], &[F32], budget)?;
        let numbers = [F32, I8, I16, U8, U16];
        let (user, dimensions, types): (_, Dimensions, &[DataType]) = match channel.target().property() {
            Property::Translation => ("an animated translation", Vec3, &[F32]),
            Property::Scale => ("an animated scale", Vec3, &[F32]),
            Property::Rotation => ("an animated rotation", Vec4, &numbers),
            Property::MorphTargetWeights => ("animated weights", Scalar, &numbers),
        };
        column(&channel.sampler().output(), user, &[dimensions], types, budget)?;
    }
    Ok(())
}

/// Checks and charges an accessor whose values are copied as numbers of 4 bytes; `user` is what uses it.
fn column(
    accessor: &Accessor<'_>,
    user: &str,
    dimensions: &[Dimensions],
    types: &[DataType],
    budget: &mut Budget,
) -> Result<()> {
    typed(accessor, user, dimensions, types)?;
    let size = (accessor.dimensions().multiplicity() as u64 * 4).max(16);
    budget.take(accessor.count() as u64 * size, &format!("accessors[{}]", accessor.index()))
}

fn within(path: &str, offset: usize, count: usize, size: usize, view: &gltf::buffer::View<'_>) -> Result<()> {
    let stride = view.stride().unwrap_or(size);
    let last = count.saturating_sub(1).checked_mul(stride);
    let end = last.and_then(|last| last.checked_add(offset)?.checked_add(size));
    if stride < size {
        let text = format!("{path}: byteStride {stride} is less than the size of an element, {size} bytes");
        return Err(Error::unreadable(text));
    }
    if end.is_none_or(|end| end > view.length()) {
        return Err(Error::unreadable(format!(
            "{path}: the elements ({count} of {} each) do not fit into the buffer view of {} \
             (byteOffset {offset}, byteStride {stride})",
            Counted::new(size, "bytes"),
            Counted::new(view.length(), "bytes")
        )));
    }
    Ok(())
}

fn typed(accessor: &Accessor<'_>, user: &str, dimensions: &[Dimensions], types: &[DataType]) -> Result<()> {
    match dimensions.contains(&accessor.dimensions()) && types.contains(&accessor.data_type()) {
        true => Ok(()),
        false => {
            // As in the file: `VEC3` and 5126.
            let name = |kind: &Dimensions| format!("{kind:?}").to_uppercase();
            let code = |kind: &DataType| kind.as_gl_enum().to_string();
            Err(Error::unreadable(format!(
                "accessors[{}]: expected the type {} and the componentType {} for {user}, found {} and {}",
                accessor.index(),
                dimensions.iter().map(name).collect::<Vec<_>>().join(" or "),
                types.iter().map(code).collect::<Vec<_>>().join(" or "),
                name(&accessor.dimensions()),
                code(&accessor.data_type())
            )))
        }
    }
}

/// The accessors of which something is read.
fn used(document: &gltf::Document) -> HashSet<usize> {
    let mut used = HashSet::new();
    for primitive in document.meshes().flat_map(|mesh| mesh.primitives().collect::<Vec<_>>()) {
        used.extend(primitive.attributes().map(|(_, accessor)| accessor.index()));
        used.extend(primitive.indices().map(|accessor| accessor.index()));
        let targets = primitive.morph_targets();
        let own = targets.flat_map(|target| [target.positions(), target.normals(), target.tangents()]);
        used.extend(own.flatten().map(|accessor| accessor.index()));
    }
    let samplers = document.animations().flat_map(|animation| animation.samplers().collect::<Vec<_>>());
    used.extend(samplers.flat_map(|sampler| [sampler.input().index(), sampler.output().index()]));
    used.extend(
        document.skins().filter_map(|skin| skin.inverse_bind_matrices()).map(|accessor| accessor.index()),
    );
    used
}
