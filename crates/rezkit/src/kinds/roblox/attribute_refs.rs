//! Attributes that refer to instances. The binary form stores them among the attributes, by referent. XML stores each
//! as a separate reference, named `__attrRef_` and the name of the attribute. The kit shows them like XML in both
//! forms.

use ::rbxbinary::{Document, Referent};
use bstr::ByteSlice as _;
use rbxcore::{InstanceId, Value};
use rezkit_core::{Error, Result};

use super::{ATTRIBUTES, Instances, attribute_edits};
use crate::blobs::{self, Attribute, Attributes};

/// The prefix of the names of these references.
pub(super) const PREFIX: &str = "__attrRef_";

/// References by their names.
type References = Vec<(String, Value)>;

/// The name of the attribute that a reference named `property` belongs to; `None` if it is no such reference.
pub(in super::super) fn key_of(property: &str) -> Option<&str> {
    property.strip_prefix(PREFIX)
}

/// The decoded attributes, if any of them refers to an instance.
fn with_references(blob: &[u8]) -> Option<Attributes> {
    // The byte of the type of a reference; without it, decoding is not needed.
    blob.find_byte(0x25)?;
    let attributes: Attributes = blobs::from_slice(blob).ok()?;
    let is_reference = |(_, value): &(_, Attribute)| matches!(value, Attribute::Ref(_));
    attributes.0.iter().any(is_reference).then_some(attributes)
}

/// The names of attributes whose reference is neither null nor the number of a known instance.
pub(in super::super) fn dangling(blob: &[u8], is_known: impl Fn(i32) -> bool) -> Vec<String> {
    let all = with_references(blob).unwrap_or_default().0.into_iter();
    let is_dangling = |value: &Attribute| matches!(value, Attribute::Ref(to) if *to != -1 && !is_known(*to));
    all.filter(|(_, value)| is_dangling(value)).map(|(name, _)| name.to_string()).collect()
}

/// Attributes whose references are null, for another document.
pub(super) fn nulled(blob: &[u8]) -> Result<Vec<u8>> {
    let mut attributes = with_references(blob).unwrap_or_default();
    for (_, value) in &mut attributes.0 {
        if let Attribute::Ref(to) = value {
            *to = -1;
        }
    }
    attributes.to_vec().map_err(Error::from)
}

/// The attributes without those that refer to instances, and the references.
pub(in super::super) fn split(document: &Document, blob: &[u8]) -> Option<(Vec<u8>, References)> {
    let mut references = Vec::new();
    let Attributes(mut all) = with_references(blob)?;
    all.retain(|(name, value)| match value {
        Attribute::Ref(referent) => {
            let to = document.by_referent(Referent(*referent));
            references.push((format!("{PREFIX}{name}"), Value::Ref(to)));
            false
        }
        _ => true,
    });
    Some((Attributes(all).to_vec().ok()?, references))
}

/// The new attributes of an instance, with the references of its old ones.
pub(in super::super) fn joined(document: &Document, id: InstanceId, blob: Vec<u8>) -> Result<Vec<u8>> {
    let old = document.get(id, ATTRIBUTES);
    let old = old.as_ref().and_then(|old| old.as_bytes()).and_then(with_references);
    let Some(Attributes(old)) = old else { return Ok(blob) };
    let mut new: Attributes = blobs::from_slice(&blob).map_err(Error::from)?;
    for (name, value) in old {
        if matches!(value, Attribute::Ref(_)) && new.get(&name).is_none() {
            new.set(name, value);
        }
    }
    new.to_vec().map_err(Error::from)
}

/// Sets an attribute to an instance.
pub(in super::super) fn put(
    document: &mut Document,
    id: InstanceId,
    key: &str,
    to: Option<InstanceId>,
) -> Result<()> {
    let old = document.get(id, ATTRIBUTES);
    let blob = old.as_ref().and_then(|old| old.as_bytes()).unwrap_or_default();
    let mut attributes: Attributes = blobs::from_slice(blob).map_err(Error::from)?;
    attribute_edits::separable(&attributes, key)?;
    let referent = to.and_then(|to| document.referent(to)).unwrap_or(Referent::NULL);
    attributes.set(key, Attribute::Ref(referent.0));
    let blob = Value::from(attributes.to_vec().map_err(Error::from)?);
    match document.get(id, ATTRIBUTES).is_some() {
        true => document.set(id, ATTRIBUTES, blob).map_err(super::edit_error),
        false => {
            document.store(id, ATTRIBUTES, Value::from(""))?;
            document.set(id, ATTRIBUTES, blob).map_err(super::edit_error)
        }
    }
}

/// Moves the references among the properties of a new instance into its attributes, as null until they are set.
///
/// # Errors
/// If there are references, but the attributes cannot be read.
pub(in super::super) fn folded(properties: &mut Vec<(String, Value)>) -> Result<()> {
    let mut keys = Vec::new();
    properties.retain(|(name, value)| match key_of(name) {
        Some(key) if matches!(value, Value::Ref(_)) => {
            keys.push(key.to_owned());
            false
        }
        _ => true,
    });
    if keys.is_empty() {
        return Ok(());
    }
    let blob = properties.iter_mut().find(|(name, _)| name == ATTRIBUTES);
    let old = blob.as_ref().and_then(|(_, value)| value.as_bytes()).unwrap_or_default();
    let mut attributes = read(old, keys.len())?;
    keys.into_iter().for_each(|key| attributes.set(key, Attribute::Ref(-1)));
    let new = Value::from(attributes.to_vec().map_err(Error::from)?);
    match blob {
        Some((_, value)) => *value = new,
        None => properties.push((ATTRIBUTES.to_owned(), new)),
    }
    Ok(())
}

/// Decodes attributes whose count may include the references, which XML stores elsewhere.
fn read(blob: &[u8], references: usize) -> Result<Attributes> {
    blobs::from_slice(blob).or_else(|error| {
        let mut fewer = blob.to_vec();
        let count = fewer.first_chunk_mut::<4>().and_then(|count| {
            let all = u32::from_le_bytes(*count);
            *count = all.checked_sub(u32::try_from(references).ok()?)?.to_le_bytes();
            Some(())
        });
        count.and_then(|()| blobs::from_slice(&fewer).ok()).ok_or_else(|| Error::from(error))
    })
}
