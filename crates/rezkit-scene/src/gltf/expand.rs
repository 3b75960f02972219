//! Converts input that the glTF library does not read into a form that it reads: accessors without a buffer view, and
//! the integers of `KHR_mesh_quantization`.

use std::borrow::Cow;
use std::collections::HashMap;

use gltf::Semantic;
use gltf::json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf::json::buffer::{Buffer, View};
use gltf::json::validation::{Checked, USize64};
use gltf::json::{Index, Root};
use rezkit_core::{Budget, Error, Result};

/// The extensions that this module reads.
pub(super) const QUANTIZATION: &str = "KHR_mesh_quantization";
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";
pub(super) const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
pub(super) const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// Adds the values of accessors that have them by definition, or in a form that the library does not read. New buffers
/// are appended.
///
/// # Errors
/// If the values of an accessor are outside its buffer view, or need more memory than is left.
pub(super) fn expand(json: &mut Root, buffers: &mut Vec<Cow<'_, [u8]>>, budget: &mut Budget) -> Result<()> {
    let mut expanding = Expanding { json, buffers, budget, made: HashMap::new() };
    expanding.meshopt()?;
    #[cfg(feature = "draco")]
    expanding.draco()?;
    expanding.dense()?;
    expanding.floats()?;
    expanding.instances()?;
    Ok(())
}

pub(super) struct Expanding<'a, 'b> {
    pub(super) json: &'a mut Root,
    buffers: &'a mut Vec<Cow<'b, [u8]>>,
    pub(super) budget: &'a mut Budget,
    /// The accessors of floats that were created, by the accessors that they replace.
    made: HashMap<usize, Index<Accessor>>,
}

impl Expanding<'_, '_> {
    /// Adds a buffer with these bytes, and returns a view of it.
    pub(super) fn view(&mut self, bytes: Vec<u8>) -> Index<View> {
        let byte_length = USize64::from(bytes.len());
        let buffer =
            Buffer { byte_length, name: None, uri: None, extensions: None, extras: Default::default() };
        let buffer = self.json.push(buffer);
        self.buffers.push(bytes.into());
        self.json.push(View {
            buffer,
            byte_length,
            byte_offset: None,
            byte_stride: None,
            name: None,
            target: None,
            extensions: None,
            extras: Default::default(),
        })
    }

    /// Stores the values of accessors without a buffer view, which are zeros, and of sparse accessors in new views.
    fn dense(&mut self) -> Result<()> {
        for at in 0..self.json.accessors.len() {
            let accessor = &self.json.accessors[at];
            if accessor.buffer_view.is_some() && accessor.sparse.is_none() {
                continue;
            }
            let (path, accessor) = (format!("accessors[{at}]"), accessor.clone());
            let mut bytes = self.packed(&accessor, &path)?;
            if let Some(sparse) = &accessor.sparse {
                let path = format!("{path}.sparse");
                let (indices, values) = (&sparse.indices, &sparse.values);
                let Checked::Valid(kind) = indices.component_type else {
                    return Err(Error::unreadable(format!(
                        "{path}.indices: expected the componentType 5121, 5123 or 5125"
                    )));
                };
                let (size, index_size) = (size_of_value(&accessor, &path)?, kind.0.size());
                let count = usize::try_from(sparse.count.0).map_err(Error::unreadable)?;
                let short = || {
                    Error::unreadable(format!(
                        "{path}: a buffer view is missing or too short for the indices and values (count: {count})"
                    ))
                };
                let part = |view, offset: u64, size: usize| {
                    self.bytes(view, offset)
                        .and_then(|bytes| bytes.get(..count.checked_mul(size)?))
                        .ok_or_else(short)
                };
                let places = part(indices.buffer_view, indices.byte_offset.0, index_size)?;
                let new = part(values.buffer_view, values.byte_offset.0, size)?;
                let mut before = None;
                for (place, new) in places.chunks_exact(index_size).zip(new.chunks_exact(size)) {
                    let place = place.iter().rev().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
                    if let Some(before) = before.replace(place).filter(|before| *before >= place) {
                        return Err(Error::unreadable(format!(
                            "{path}: expected strictly increasing indices, found {place} after {before}"
                        )));
                    }
                    let old =
                        place.checked_mul(size).and_then(|start| bytes.get_mut(start..)?.get_mut(..size));
                    let outside = || {
                        Error::unreadable(format!(
                            "{path}: index {place} is out of range (the count of the accessor is {})",
                            accessor.count.0
                        ))
                    };
                    old.ok_or_else(outside)?.copy_from_slice(new);
                }
            }
            let view = self.view(bytes);
            let accessor = &mut self.json.accessors[at];
            (accessor.buffer_view, accessor.byte_offset, accessor.sparse) = (Some(view), None, None);
        }
        Ok(())
    }

    pub(super) fn buffer(&self, buffer: Index<Buffer>) -> Option<&[u8]> {
        self.buffers.get(buffer.value()).map(|data| &**data)
    }

    /// The content of a buffer view from an offset on.
    pub(super) fn bytes(&self, view: Index<View>, offset: u64) -> Option<&[u8]> {
        let view = self.json.buffer_views.get(view.value())?;
        let start = usize::try_from(view.byte_offset.unwrap_or_default().0).ok()?;
        let length = usize::try_from(view.byte_length.0).ok()?;
        let all = self.buffers.get(view.buffer.value())?.get(start..)?.get(..length)?;
        all.get(usize::try_from(offset).ok()?..)
    }

    /// The values of an accessor without gaps between them, before sparse values replace some.
    fn packed(&mut self, accessor: &Accessor, path: &str) -> Result<Vec<u8>> {
        let (size, count) = (size_of_value(accessor, path)?, accessor.count.0);
        let total = count.checked_mul(size as u64);
        let total = total.ok_or_else(|| {
            Error::unreadable(format!("{path}: {count} elements would need more than 2^64 bytes"))
        })?;
        let Some(view) = accessor.buffer_view else {
            self.budget.take(total, path)?;
            return Ok(vec![0; usize::try_from(total).map_err(Error::unreadable)?]);
        };
        let short = || {
            let what =
                "the buffer view is missing, ends outside of its buffer, or is too short for the elements";
            Error::unreadable(format!("{path}: {what} (count: {count}, bytes of each: {size})"))
        };
        let stride = self.json.buffer_views.get(view.value()).and_then(|view| view.byte_stride);
        let stride = stride.map_or(size, |stride| stride.0).max(1);
        let count = usize::try_from(count).map_err(|_| short())?;
        let needed = count.saturating_sub(1).checked_mul(stride).and_then(|last| last.checked_add(size));
        let offset = accessor.byte_offset.unwrap_or_default().0;
        let found = self.bytes(view, offset).map(<[u8]>::len);
        if found.is_none() || count > 0 && needed.is_none_or(|needed| Some(needed) > found) {
            return Err(short());
        }
        self.budget.take(total, path)?;
        let mut bytes = Vec::with_capacity(count * size);
        let source = self.bytes(view, offset).unwrap_or_default();
        let values = source.chunks(stride).take(count).filter_map(|value| value.get(..size));
        values.for_each(|value| bytes.extend_from_slice(value));
        Ok(bytes)
    }

    /// Converts positions, normals, tangents and texture coordinates to floats.
    fn floats(&mut self) -> Result<()> {
        for mesh in 0..self.json.meshes.len() {
            for primitive in 0..self.json.meshes[mesh].primitives.len() {
                let attributes: Vec<_> = self.json.meshes[mesh].primitives[primitive]
                    .attributes
                    .iter()
                    .map(|(semantic, index)| (semantic.clone(), *index))
                    .collect();
                for (semantic, index) in attributes {
                    let wanted = match semantic {
                        Checked::Valid(Semantic::Positions | Semantic::Normals) => Some(Type::Vec3),
                        Checked::Valid(Semantic::Tangents) => Some(Type::Vec4),
                        Checked::Valid(Semantic::TexCoords(_)) => Some(Type::Vec2),
                        _ => None,
                    };
                    if let Some(wanted) = wanted {
                        let new = self.float(index, wanted)?;
                        if semantic == Checked::Valid(Semantic::Positions)
                            && let Some(accessor) = self.json.accessors.get_mut(new.value())
                        {
                            // The library requires bounds but does not use them.
                            let any = || serde_json::json!([0.0, 0.0, 0.0]);
                            accessor.min.get_or_insert_with(any);
                            accessor.max.get_or_insert_with(any);
                        }
                        self.json.meshes[mesh].primitives[primitive].attributes.insert(semantic, new);
                    }
                }
                let targets =
                    self.json.meshes[mesh].primitives[primitive].targets.clone().unwrap_or_default();
                for (number, target) in targets.into_iter().enumerate() {
                    let mut new = target.clone();
                    for slot in [&mut new.positions, &mut new.normals, &mut new.tangents] {
                        *slot = slot.map(|index| self.float(index, Type::Vec3)).transpose()?;
                    }
                    if let Some(targets) = &mut self.json.meshes[mesh].primitives[primitive].targets {
                        targets[number] = new;
                    }
                }
            }
        }
        Ok(())
    }

    /// Converts the attributes of instances to floats.
    fn instances(&mut self) -> Result<()> {
        for at in 0..self.json.nodes.len() {
            let extensions = self.json.nodes[at].extensions.as_ref();
            let found = extensions.and_then(|all| all.others.get(INSTANCING)?.get("attributes")?.as_object());
            for (name, index) in found.cloned().unwrap_or_default() {
                let count = self.json.accessors.len();
                let found = index.as_u64().and_then(|index| u32::try_from(index).ok());
                let missing = || {
                    Error::unreadable(format!(
                        "nodes[{at}].{INSTANCING}.{name}: expected the index of an accessor, found {index} (number of \
                         accessors: {count})"
                    ))
                };
                let wanted = if name == "ROTATION" { Type::Vec4 } else { Type::Vec3 };
                let found = found.filter(|index| (*index as usize) < count).ok_or_else(missing)?;
                let new = self.float(Index::new(found), wanted)?;
                let extensions = self.json.nodes[at].extensions.as_mut();
                if let Some(attributes) = extensions
                    .and_then(|all| all.others.get_mut(INSTANCING)?.get_mut("attributes")?.as_object_mut())
                {
                    attributes.insert(name, new.value().into());
                }
            }
        }
        Ok(())
    }

    /// The accessor itself if it has floats or another type than the wanted one, which is refused later, otherwise an
    /// accessor of floats with the same values.
    fn float(&mut self, index: Index<Accessor>, wanted: Type) -> Result<Index<Accessor>> {
        let at = index.value();
        let Some(accessor) = self.json.accessors.get(at) else { return Ok(index) };
        if accessor.type_ != Checked::Valid(wanted) {
            return Ok(index);
        }
        let Checked::Valid(GenericComponentType(kind)) = accessor.component_type else { return Ok(index) };
        if kind == ComponentType::F32 || kind == ComponentType::U32 {
            return Ok(index);
        }
        if let Some(made) = self.made.get(&at) {
            return Ok(*made);
        }
        let path = format!("accessors[{at}]");
        let accessor = accessor.clone();
        let parts = (size_of_value(&accessor, &path)? / kind.size()) as u64;
        self.budget.take(accessor.count.0.saturating_mul(parts * 4), &path)?;
        let values = self.packed(&accessor, &path)?;
        let number = |part: &[u8]| number(part, kind, accessor.normalized).to_le_bytes();
        let bytes = values.chunks_exact(kind.size()).flat_map(number).collect();
        let mut new = accessor;
        new.component_type = Checked::Valid(GenericComponentType(ComponentType::F32));
        (new.normalized, new.byte_offset, new.min, new.max) = (false, None, None, None);
        new.buffer_view = Some(self.view(bytes));
        let new = self.json.push(new);
        self.made.insert(at, new);
        Ok(new)
    }
}

/// The size of a value in bytes, without gaps.
fn size_of_value(accessor: &Accessor, path: &str) -> Result<usize> {
    match (&accessor.component_type, &accessor.type_) {
        (Checked::Valid(GenericComponentType(kind)), Checked::Valid(shape)) => {
            Ok(kind.size() * Type::multiplicity(shape))
        }
        _ => {
            Err(Error::unreadable(format!("{path}: the type or componentType is not one that glTF defines")))
        }
    }
}

/// Converts an integer to a float, as the specification defines.
fn number(bytes: &[u8], kind: ComponentType, normalized: bool) -> f32 {
    let (value, most) = match (kind, bytes) {
        (ComponentType::I8, &[byte]) => (f32::from(byte.cast_signed()), 127.0),
        (ComponentType::U8, &[byte]) => (f32::from(byte), 255.0),
        (ComponentType::I16, &[a, b]) => (f32::from(i16::from_le_bytes([a, b])), 32767.0),
        (ComponentType::U16, &[a, b]) => (f32::from(u16::from_le_bytes([a, b])), 65535.0),
        _ => (0.0, 1.0),
    };
    if normalized { (value / most).max(-1.0) } else { value }
}
