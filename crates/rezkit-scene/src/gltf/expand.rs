//! What the glTF library does not read, put into the form that it reads: accessors without a buffer view, and the
//! whole numbers of `KHR_mesh_quantization`.

use std::collections::HashMap;

use gltf::Semantic;
use gltf::json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf::json::buffer::{Buffer, View};
use gltf::json::validation::{Checked, USize64};
use gltf::json::{Index, Root};
use rezkit_core::{Budget, Error, Result};

/// The extension that this module reads.
pub(super) const QUANTIZATION: &str = "KHR_mesh_quantization";

/// Adds the values that accessors have by definition or in another form. The buffers that it adds come last.
///
/// # Errors
/// Where the values of an accessor are not in its buffer view, or need more memory than is left.
pub(super) fn expand(json: &mut Root, buffers: &mut Vec<Vec<u8>>, budget: &mut Budget) -> Result<()> {
    let mut expanding = Expanding { json, buffers, budget, made: HashMap::new() };
    expanding.zeros()?;
    expanding.floats()?;
    json.extensions_required.retain(|name| name != QUANTIZATION);
    Ok(())
}

struct Expanding<'a> {
    json: &'a mut Root,
    buffers: &'a mut Vec<Vec<u8>>,
    budget: &'a mut Budget,
    /// The accessors of numbers with a fraction, by those that they replace.
    made: HashMap<usize, Index<Accessor>>,
}

impl Expanding<'_> {
    /// A buffer view of bytes.
    fn view(&mut self, bytes: Vec<u8>) -> Index<View> {
        let byte_length = USize64::from(bytes.len());
        let buffer =
            Buffer { byte_length, name: None, uri: None, extensions: None, extras: Default::default() };
        let buffer = self.json.push(buffer);
        self.buffers.push(bytes);
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

    /// By the specification an accessor without a buffer view has zeros.
    fn zeros(&mut self) -> Result<()> {
        for index in 0..self.json.accessors.len() {
            let accessor = &self.json.accessors[index];
            if accessor.buffer_view.is_some() || accessor.sparse.is_some() {
                continue;
            }
            let (path, count) = (format!("accessors[{index}]"), accessor.count.0);
            let size = size_of_value(accessor, &path)? as u64;
            let bytes = count
                .checked_mul(size)
                .ok_or_else(|| Error::unreadable(format!("{path}: {count} values")))?;
            self.budget.take(bytes, &path)?;
            let view = self.view(vec![0; usize::try_from(bytes).map_err(Error::unreadable)?]);
            let accessor = &mut self.json.accessors[index];
            (accessor.buffer_view, accessor.byte_offset) = (Some(view), None);
        }
        Ok(())
    }

    /// Positions, normals, tangents and texture coordinates as numbers with a fraction.
    fn floats(&mut self) -> Result<()> {
        for mesh in 0..self.json.meshes.len() {
            for primitive in 0..self.json.meshes[mesh].primitives.len() {
                let attributes: Vec<_> = self.json.meshes[mesh].primitives[primitive]
                    .attributes
                    .iter()
                    .map(|(semantic, index)| (semantic.clone(), *index))
                    .collect();
                for (semantic, index) in attributes {
                    if let Checked::Valid(
                        Semantic::Positions | Semantic::Normals | Semantic::Tangents | Semantic::TexCoords(_),
                    ) = semantic
                    {
                        let new = self.float(index)?;
                        if semantic == Checked::Valid(Semantic::Positions)
                            && let Some(accessor) = self.json.accessors.get_mut(new.value())
                        {
                            // The library wants bounds, and does not use them.
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
                        *slot = slot.map(|index| self.float(index)).transpose()?;
                    }
                    if let Some(targets) = &mut self.json.meshes[mesh].primitives[primitive].targets {
                        targets[number] = new;
                    }
                }
            }
        }
        Ok(())
    }

    /// The accessor itself where its numbers have fractions, or one with the same values.
    fn float(&mut self, index: Index<Accessor>) -> Result<Index<Accessor>> {
        let at = index.value();
        let Some(accessor) = self.json.accessors.get(at) else { return Ok(index) };
        let Checked::Valid(GenericComponentType(kind)) = accessor.component_type else { return Ok(index) };
        if kind == ComponentType::F32 || kind == ComponentType::U32 {
            return Ok(index);
        }
        if let Some(made) = self.made.get(&at) {
            return Ok(*made);
        }
        let path = format!("accessors[{at}]");
        if accessor.sparse.is_some() {
            return Err(Error::unreadable(format!("{path}: sparse and quantized")));
        }
        let (size, count) = (size_of_value(accessor, &path)?, accessor.count.0);
        let parts = size / kind.size();
        let short = || Error::unreadable(format!("{path}: ends after its buffer view"));
        let view = accessor.buffer_view.and_then(|view| self.json.buffer_views.get(view.value()));
        let view = view.ok_or_else(short)?;
        let buffer = self.buffers.get(view.buffer.value()).ok_or_else(short)?;
        let start =
            view.byte_offset.unwrap_or_default().0.checked_add(accessor.byte_offset.unwrap_or_default().0);
        let start = usize::try_from(start.ok_or_else(short)?).map_err(|_| short())?;
        let stride = view.byte_stride.map_or(size, |stride| stride.0);
        self.budget.take(count.saturating_mul(parts as u64 * 4), &path)?;
        let mut bytes = Vec::new();
        for value in 0..usize::try_from(count).map_err(|_| short())? {
            let from =
                value.checked_mul(stride).and_then(|offset| offset.checked_add(start)).ok_or_else(short)?;
            let value = buffer.get(from..).and_then(|rest| rest.get(..size)).ok_or_else(short)?;
            for part in value.chunks_exact(kind.size()) {
                bytes.extend(number(part, kind, accessor.normalized).to_le_bytes());
            }
        }
        let mut new = accessor.clone();
        new.component_type = Checked::Valid(GenericComponentType(ComponentType::F32));
        (new.normalized, new.byte_offset, new.min, new.max) = (false, None, None, None);
        new.buffer_view = Some(self.view(bytes));
        let new = self.json.push(new);
        self.made.insert(at, new);
        Ok(new)
    }
}

/// The bytes of a value without gaps.
fn size_of_value(accessor: &Accessor, path: &str) -> Result<usize> {
    match (&accessor.component_type, &accessor.type_) {
        (Checked::Valid(GenericComponentType(kind)), Checked::Valid(shape)) => {
            Ok(kind.size() * Type::multiplicity(shape))
        }
        _ => Err(Error::unreadable(format!("{path}: of an unknown type"))),
    }
}

/// A whole number as the specification turns it into one with a fraction.
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
