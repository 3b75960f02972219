//! `KHR_draco_mesh_compression`: decodes columns and triangles of primitives into new buffers.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use draco_core::{DataType, DecodeLimits, DecoderBuffer, DracoError, GeometryMetadata, Mesh, MeshDecoder};
use gltf::json::Index;
use gltf::json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf::json::mesh::Mode;
use gltf::json::validation::{Checked, USize64};
use rezkit_core::{Counted, Error, ErrorKind, Result};

use super::expand::{DRACO, Expanding};
use super::wording::what;

/// The maximum number of bytes that the decoder needs for a triangle, besides the values of its corners.
const FACE: u64 = 256;

/// The maximum number of bytes that the decoder also needs for a triangle in each attribute with own corners.
const FACE_OF_ATTRIBUTE: u64 = 64;

/// The extension of a primitive.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Compressed {
    buffer_view: u32,
    /// The unique ids of attributes in the stream, by their names.
    attributes: BTreeMap<String, u32>,
}

/// What is decoded for several primitives.
#[derive(Default)]
struct Decoded {
    /// The number of primitives that use a stream, by its buffer view.
    uses: HashMap<u32, usize>,
    /// The streams that several primitives use.
    streams: HashMap<u32, Rc<Mesh>>,
    /// The accessors with decoded values, by buffer view, attribute (`None` for indices) and original accessor.
    accessors: HashMap<(u32, Option<u32>, usize), Index<Accessor>>,
}

impl Expanding<'_, '_> {
    /// Decodes the values that a file stores only as Draco streams.
    pub(super) fn draco(&mut self) -> Result<()> {
        let (mut found, mut decoded) = (Vec::new(), Decoded::default());
        for (at, mesh) in self.json.meshes.iter().enumerate() {
            for (part, primitive) in mesh.primitives.iter().enumerate() {
                let extension = primitive.extensions.as_ref().and_then(|all| all.others.get(DRACO));
                // If the accessors also have plain values, those are exact, and the stream is not needed.
                let is_plain = |index: &Index<Accessor>| {
                    let accessor = self.json.accessors.get(index.value());
                    accessor.is_some_and(|accessor| accessor.buffer_view.is_some())
                };
                let mut accessors = primitive.attributes.values().chain(&primitive.indices);
                let Some(extension) = extension.filter(|_| !accessors.all(is_plain)) else { continue };
                let path = format!("meshes[{at}].primitives[{part}].{DRACO}");
                match primitive.mode {
                    Checked::Valid(Mode::Triangles | Mode::TriangleStrip) => {}
                    Checked::Valid(Mode::TriangleFan) => {
                        let text =
                            "expected the mode 4 (TRIANGLES) or 5 (TRIANGLE_STRIP), found 6 (TRIANGLE_FAN)";
                        return Err(Error::unreadable(format!("{path}: {text}")));
                    }
                    // Points and lines are dropped.
                    _ => continue,
                }
                let broken =
                    |error: serde_json::Error| Error::unreadable(format!("{path}: {}", what(&error)));
                let compressed: Compressed = serde_json::from_value(extension.clone()).map_err(broken)?;
                *decoded.uses.entry(compressed.buffer_view).or_default() += 1;
                found.push((at, part, compressed, path));
            }
        }
        for (mesh, part, compressed, path) in found {
            self.primitive(mesh, part, &compressed, &path, &mut decoded)?;
        }
        Ok(())
    }

    /// The decoded stream in a buffer view.
    fn stream(&mut self, view: u32, path: &str, decoded: &mut Decoded) -> Result<Rc<Mesh>> {
        if let Some(stream) = decoded.streams.get(&view) {
            return Ok(Rc::clone(stream));
        }
        let bytes = self.bytes(Index::new(view), 0);
        let bytes = bytes.ok_or_else(|| {
            Error::unreadable(format!(
                "{path}: bufferViews[{view}] does not exist or extends past the end of its buffer"
            ))
        })?;
        let broken = |error: DracoError| {
            Error::unreadable(format!("{path}: the Draco data cannot be decoded: {}", error.message()))
        };
        let (faces, attributes) = head(bytes).map_err(broken)?;
        let held = faces.saturating_mul(FACE + FACE_OF_ATTRIBUTE * attributes);
        let mut budget = self.budget.clone();
        budget.take(held, path)?;
        // The decoder needs four bytes for a value of one byte, and the values are copied.
        let limits = DecodeLimits::default().with_max_faces(faces).with_max_decoded_bytes(budget.left() / 8);
        let mut stream = Mesh::new();
        let mut input = DecoderBuffer::new(bytes).with_limits(limits);
        let result = MeshDecoder::new().decode(&mut input, &mut stream);
        result.map_err(|error| match error.kind() {
            // The number of faces is that of the limit, so the bytes exceed it.
            draco_core::ErrorKind::LimitExceeded if faces > 0 => {
                let left = Counted(budget.left(), "bytes");
                let text =
                    format!("not enough memory is left for {path} (available within max_bytes: {left})");
                Error::new(ErrorKind::Limit, text)
            }
            _ => broken(error),
        })?;
        let stream = Rc::new(stream);
        if decoded.uses.get(&view).is_some_and(|uses| *uses > 1) {
            // The decoded stream is kept.
            let columns = (0..stream.num_attributes()).map(|at| stream.attribute(at).buffer().data_size());
            let bytes = columns.sum::<usize>() + stream.num_faces() * size_of::<[u32; 3]>();
            let maps = stream.num_attributes() as usize * stream.num_points() * size_of::<u32>();
            self.budget.take((bytes + maps) as u64, path)?;
            decoded.streams.insert(view, Rc::clone(&stream));
        }
        Ok(stream)
    }

    fn primitive(
        &mut self,
        mesh: usize,
        part: usize,
        compressed: &Compressed,
        path: &str,
        decoded: &mut Decoded,
    ) -> Result<()> {
        let view = compressed.buffer_view;
        let stream = self.stream(view, path, decoded)?;
        let (points, faces) = (stream.num_points(), stream.num_faces());
        let indices = match self.json.meshes[mesh].primitives[part].indices {
            Some(index) => index,
            None => {
                let component_type = Checked::Valid(GenericComponentType(ComponentType::U32));
                self.json.push(Accessor {
                    buffer_view: None,
                    byte_offset: None,
                    count: USize64(0),
                    component_type,
                    extensions: None,
                    extras: Default::default(),
                    type_: Checked::Valid(Type::Scalar),
                    min: None,
                    max: None,
                    name: None,
                    normalized: false,
                    sparse: None,
                })
            }
        };
        let key = (view, None, indices.value());
        let indices = match decoded.accessors.get(&key) {
            Some(known) => *known,
            None => {
                self.budget.take_values::<[u32; 3]>(faces, path)?;
                let corners = stream.faces().iter().flatten();
                let bytes = corners.flat_map(|corner| corner.0.to_le_bytes()).collect();
                let new = self.replace(indices, bytes, faces * 3)?;
                if let Some(accessor) = self.json.accessors.get_mut(new.value()) {
                    accessor.component_type = Checked::Valid(GenericComponentType(ComponentType::U32));
                }
                *decoded.accessors.entry(key).or_insert(new)
            }
        };
        let primitive = &mut self.json.meshes[mesh].primitives[part];
        // A strip is decoded as triangles, too.
        (primitive.indices, primitive.mode) = (Some(indices), Checked::Valid(Mode::Triangles));
        let attributes = primitive.attributes.clone();
        for (semantic, index) in attributes {
            let Checked::Valid(name) = &semantic else { continue };
            let Some(&id) = compressed.attributes.get(&name.to_string()) else { continue };
            let path = format!("{path}.{}", name.to_string());
            let key = (view, Some(id), index.value());
            let new = match decoded.accessors.get(&key) {
                Some(known) => *known,
                None => {
                    let bytes = self.values(&stream, id, index, &path)?;
                    let new = self.replace(index, bytes, points)?;
                    *decoded.accessors.entry(key).or_insert(new)
                }
            };
            self.json.meshes[mesh].primitives[part].attributes.insert(semantic, new);
        }
        Ok(())
    }

    /// The values of an attribute of a stream, in the type of an accessor.
    fn values(&mut self, stream: &Mesh, id: u32, index: Index<Accessor>, path: &str) -> Result<Vec<u8>> {
        let wrong = |what: String| Error::unreadable(format!("{path}: {what}"));
        let at = index.value();
        let attribute = stream
            .attribute_by_unique_id(id)
            .ok_or_else(|| wrong(format!("the Draco data has no attribute with the id {id}")))?;
        let accessor = self.json.accessors.get(at);
        let accessor = accessor.ok_or_else(|| wrong(format!("accessors[{at}] does not exist")))?;
        let (Checked::Valid(GenericComponentType(kind)), Checked::Valid(shape)) =
            (accessor.component_type, accessor.type_)
        else {
            let what = format!("the type or componentType of accessors[{at}] is not one that glTF defines");
            return Err(wrong(what));
        };
        let (points, parts) = (stream.num_points(), Type::multiplicity(&shape));
        let (own, is_normalized) = (attribute.data_type(), accessor.normalized);
        let wanted = match kind {
            ComponentType::I8 => "int8",
            ComponentType::U8 => "uint8",
            ComponentType::I16 => "int16",
            ComponentType::U16 => "uint16",
            ComponentType::U32 => "uint32",
            ComponentType::F32 => "float32",
        };
        let other = || {
            Error::unreadable(format!(
                "{path}: expected {parts} values of the type {wanted} per vertex in the Draco data, as in the \
                 accessor, found {} of the type {}",
                attribute.num_components(),
                format!("{own:?}").to_lowercase()
            ))
        };
        // Integers that are not fractions can have another size.
        let (is_same, is_number) = match (kind, own) {
            (ComponentType::F32, _) => (own == DataType::Float32, false),
            (ComponentType::I8, DataType::Int8)
            | (ComponentType::U8, DataType::Uint8)
            | (ComponentType::I16, DataType::Int16)
            | (ComponentType::U16, DataType::Uint16)
            | (ComponentType::U32, DataType::Uint32) => (true, false),
            _ => (false, own != DataType::Float32 && !is_normalized),
        };
        if parts != usize::from(attribute.num_components()) || !is_same && !is_number {
            return Err(other());
        }
        self.budget.take_values::<[f32; 2]>(points.saturating_mul(parts), path)?;
        let values = attribute.read_f32s(points, parts);
        let fits = |value: &f32| match kind {
            ComponentType::I8 => f32::from(*value as i8) == *value,
            ComponentType::U8 => f32::from(*value as u8) == *value,
            ComponentType::I16 => f32::from(*value as i16) == *value,
            ComponentType::U16 => f32::from(*value as u16) == *value,
            ComponentType::U32 | ComponentType::F32 => is_same || *value >= 0.0,
        };
        if !is_same && let Some(value) = values.iter().find(|&value| !fits(value)) {
            return Err(wrong(format!(
                "the type {wanted} of the accessor cannot represent the value {value} of the Draco data"
            )));
        }
        let bytes = values.into_iter().flat_map(|value| match kind {
            ComponentType::I8 => vec![(value as i8).to_le_bytes()[0]],
            ComponentType::U8 => vec![value as u8],
            ComponentType::I16 => (value as i16).to_le_bytes().to_vec(),
            ComponentType::U16 => (value as u16).to_le_bytes().to_vec(),
            ComponentType::U32 => (value as u32).to_le_bytes().to_vec(),
            ComponentType::F32 => value.to_le_bytes().to_vec(),
        });
        Ok(bytes.collect())
    }

    /// Gives packed values to an accessor. If it has values already, as for another primitive, a new one is made.
    fn replace(&mut self, index: Index<Accessor>, bytes: Vec<u8>, count: usize) -> Result<Index<Accessor>> {
        let view = self.view(bytes);
        let missing = || {
            Error::unreadable(format!(
                "accessors[{}] does not exist, but a Draco-compressed primitive refers to it",
                index.value()
            ))
        };
        let old = self.json.accessors.get(index.value()).ok_or_else(missing)?;
        let mut accessor = old.clone();
        (accessor.buffer_view, accessor.byte_offset, accessor.sparse) = (Some(view), None, None);
        accessor.count = USize64::from(count);
        if old.buffer_view.is_some() {
            return Ok(self.json.push(accessor));
        }
        self.json.accessors[index.value()] = accessor;
        Ok(index)
    }
}

/// The numbers of faces of a stream, and of attributes with own corners.
fn head(bytes: &[u8]) -> Result<(u64, u64), DracoError> {
    const MESH: u8 = 1;
    const EDGEBREAKER: u8 = 1;
    const METADATA: u16 = 1 << 15;
    let mut head = DecoderBuffer::new(bytes);
    head.decode_bytes(&mut [0; 5])?;
    let (major, minor, kind) = (head.decode_u8()?, head.decode_u8()?, head.decode_u8()?);
    head.set_version(major, minor);
    if kind != MESH || head.bitstream_version() < 0x202 {
        // The decoder refuses these.
        return Ok((0, 0));
    }
    let method = head.decode_u8()?;
    if head.decode_u16()? & METADATA != 0 {
        GeometryMetadata::decode(&mut head)?;
    }
    if method != EDGEBREAKER {
        return Ok((head.decode_varint()?, 0));
    }
    let (_traversal, _vertices) = (head.decode_u8()?, head.decode_varint()?);
    Ok((head.decode_varint()?, head.decode_u8()?.into()))
}
