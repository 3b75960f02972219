//! `KHR_draco_mesh_compression`: decodes columns and triangles of primitives into new buffers.

use std::collections::BTreeMap;

use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder, PointIndex};
use gltf::json::Index;
use gltf::json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf::json::validation::{Checked, USize64};
use rezkit_core::{Error, Result};

use super::expand::{DRACO, Expanding};

/// The maximum number of bytes that the decoder needs for a triangle, besides the values of its corners.
const FACE: u64 = 256;

/// The extension of a primitive.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Compressed {
    buffer_view: u32,
    /// The unique ids of attributes in the stream, by their names.
    attributes: BTreeMap<String, u32>,
}

impl Expanding<'_, '_> {
    /// Decodes the values that a file stores only as Draco streams.
    pub(super) fn draco(&mut self) -> Result<()> {
        for mesh in 0..self.json.meshes.len() {
            for part in 0..self.json.meshes[mesh].primitives.len() {
                let primitive = &self.json.meshes[mesh].primitives[part];
                let found = primitive.extensions.as_ref().and_then(|all| all.others.get(DRACO));
                // If the accessors also have plain values, those are exact, and the stream is not needed.
                let is_plain = |index: &Index<Accessor>| {
                    self.json
                        .accessors
                        .get(index.value())
                        .is_some_and(|accessor| accessor.buffer_view.is_some())
                };
                let Some(found) = found.filter(|_| !primitive.attributes.values().all(is_plain)) else {
                    continue;
                };
                let path = format!("meshes[{mesh}].primitives[{part}].{DRACO}");
                let broken = |error: serde_json::Error| Error::unreadable(format!("{path}: {error}"));
                let compressed: Compressed = serde_json::from_value(found.clone()).map_err(broken)?;
                self.primitive(mesh, part, &compressed, &path)?;
            }
        }
        Ok(())
    }

    fn primitive(&mut self, mesh: usize, part: usize, compressed: &Compressed, path: &str) -> Result<()> {
        let bytes = self.bytes(Index::new(compressed.buffer_view), 0);
        let bytes = bytes.ok_or_else(|| {
            Error::unreadable(format!(
                "{path}: bufferView {} does not exist or extends past the end of its buffer",
                compressed.buffer_view
            ))
        })?;
        let left = self.budget.left();
        let limits = DecodeLimits::default()
            .with_max_points(left / FACE)
            .with_max_faces(left / FACE)
            .with_max_decoded_bytes(left / 2);
        let mut stream = Mesh::new();
        let decoded =
            MeshDecoder::new().decode(&mut DecoderBuffer::new(bytes).with_limits(limits), &mut stream);
        decoded.map_err(|error| {
            Error::unreadable(format!("{path}: the Draco data cannot be decoded: {}", error.message()))
        })?;
        let (points, faces) = (stream.num_points(), stream.num_faces());
        self.budget.take_values::<[u32; 3]>(faces, path)?;
        let indices: Vec<u8> =
            stream.faces().iter().flatten().flat_map(|corner: &PointIndex| corner.0.to_le_bytes()).collect();
        if let Some(index) = self.json.meshes[mesh].primitives[part].indices {
            self.replace(index, indices, faces * 3, Some(ComponentType::U32))?;
        }
        let attributes = self.json.meshes[mesh].primitives[part].attributes.clone();
        for (semantic, index) in attributes {
            let Checked::Valid(semantic) = semantic else { continue };
            let Some(&id) = compressed.attributes.get(&semantic.to_string()) else { continue };
            let missing = || {
                Error::unreadable(format!(
                    "{path}.{}: the Draco data has no attribute with the id {id}, \
                     or the accessor is missing or invalid",
                    semantic.to_string()
                ))
            };
            let attribute = stream.attribute_by_unique_id(id).ok_or_else(missing)?;
            let accessor = self.json.accessors.get(index.value()).ok_or_else(missing)?;
            let (Checked::Valid(GenericComponentType(kind)), Checked::Valid(shape)) =
                (accessor.component_type, accessor.type_)
            else {
                return Err(missing());
            };
            let parts = Type::multiplicity(&shape);
            self.budget.take_values::<[f32; 2]>(points.saturating_mul(parts), path)?;
            let values = attribute.read_f32s(points, parts);
            let bytes = values.into_iter().flat_map(|value| match kind {
                ComponentType::I8 => vec![(value as i8).to_le_bytes()[0]],
                ComponentType::U8 => vec![value as u8],
                ComponentType::I16 => (value as i16).to_le_bytes().to_vec(),
                ComponentType::U16 => (value as u16).to_le_bytes().to_vec(),
                ComponentType::U32 => (value as u32).to_le_bytes().to_vec(),
                ComponentType::F32 => value.to_le_bytes().to_vec(),
            });
            self.replace(index, bytes.collect(), points, None)?;
        }
        Ok(())
    }

    /// Replaces the values of an accessor by packed ones.
    fn replace(
        &mut self,
        index: Index<Accessor>,
        bytes: Vec<u8>,
        count: usize,
        kind: Option<ComponentType>,
    ) -> Result<()> {
        let view = self.view(bytes);
        let missing = || {
            Error::unreadable(format!(
                "accessors[{}] does not exist, but a Draco-compressed primitive refers to it",
                index.value()
            ))
        };
        let accessor = self.json.accessors.get_mut(index.value()).ok_or_else(missing)?;
        (accessor.buffer_view, accessor.byte_offset, accessor.count) =
            (Some(view), None, USize64::from(count));
        if let Some(kind) = kind {
            accessor.component_type = Checked::Valid(GenericComponentType(kind));
        }
        Ok(())
    }
}
