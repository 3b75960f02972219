//! Attributes that refer to instances. The binary form stores them among the attributes, by referent. XML stores each
//! as a separate reference, named `__attrRef_` and the name of the attribute. The kit shows them like XML in both
//! forms.

use std::collections::HashSet;

use bstr::{BString, ByteSlice as _};
use rbxbinary::Document;
use rbxbinary::parts::Referent;
use rbxcore::parts::attributes;
use rbxcore::{Dom, InstanceId, Value};

use rbxblobs::{self as blobs, Attribute, Attributes};

use crate::which::{ATTRIBUTES, as_binary};
use geom::wire::{Error, Loss, Result};

/// The prefix of the names of these references.
pub const PREFIX: &str = "__attrRef_";

/// References by their names.
type References = Vec<(String, Value)>;

/// The name of the attribute that a reference named `property` belongs to; `None` if it is no such reference.
pub fn key_of(property: &str) -> Option<&str> {
    property.strip_prefix(PREFIX)
}

/// The decoded attributes, if they may contain references.
fn decoded(blob: &[u8]) -> Option<Attributes> {
    // The byte of the type of a reference; without it, decoding is not needed.
    blob.find_byte(0x25)?;
    blobs::from_slice(blob).ok()
}

/// The decoded attributes, if any of them refers to an instance.
fn with_references(blob: &[u8]) -> Option<Attributes> {
    let is_reference = |(_, value): &(_, Attribute)| matches!(value, Attribute::Ref(_));
    decoded(blob).filter(|attributes| attributes.0.iter().any(is_reference))
}

/// Visits the references in a value, including those in arrays and tables.
fn each(value: &mut Attribute, visit: &mut dyn FnMut(&mut i32)) {
    match value {
        Attribute::Ref(to) => visit(to),
        Attribute::Array(values) => values.iter_mut().for_each(|value| each(value, visit)),
        Attribute::Table(values) => values.iter_mut().for_each(|(_, value)| each(value, visit)),
        _ => {}
    }
}

/// The attributes of an instance, if they may contain references, and its document if it is binary.
fn of(document: &dyn Dom, id: InstanceId) -> Option<(Attributes, Option<&Document>)> {
    let all = document.value_ref(id, ATTRIBUTES.as_bytes())?.as_bytes().and_then(decoded)?;
    Some((all, as_binary(document)))
}

/// The names of attributes with a reference that is neither null nor the number of a known instance.
pub fn dangling(document: &dyn Dom, id: InstanceId) -> Vec<String> {
    let Some((all, binary)) = of(document, id) else { return Vec::new() };
    let is_known = |to| binary.is_some_and(|of| of.by_referent(Referent(to)).is_some());
    let is_dangling = |(name, mut value): (BString, Attribute)| {
        let mut found = false;
        each(&mut value, &mut |to| found |= *to != -1 && !is_known(*to));
        found.then(|| name.to_string())
    };
    all.0.into_iter().filter_map(is_dangling).collect()
}

/// The references in arrays and tables, which only the binary form can store: the name of the attribute, and the instance.
pub fn nested(document: &dyn Dom, id: InstanceId) -> Vec<(String, Option<InstanceId>)> {
    let mut found = Vec::new();
    let Some((all, Some(binary))) = of(document, id) else { return found };
    for (name, mut value) in all.0 {
        if !matches!(value, Attribute::Ref(_)) {
            each(&mut value, &mut |to| found.push((name.to_string(), binary.by_referent(Referent(*to)))));
        }
    }
    found
}

/// The attributes up to the first one of an unknown type, if a reference behind it would name another instance in another
/// document: the binary form stores the number of the instance, and it is not known where the value ends.
pub fn cut(document: &dyn Dom, blob: &[u8]) -> Option<Vec<u8>> {
    let incomplete = attributes::references(blob, |_, _| {}).err()?;
    let binary = as_binary(document);
    let is_instance = |to: i32| match binary {
        Some(document) => document.by_referent(Referent(to)).is_some(),
        // The binary form numbers the instances from 0.
        None => usize::try_from(to).is_ok_and(|to| to < document.len()),
    };
    let names_one = attributes::possible(blob, incomplete.at).any(is_instance);
    names_one.then(|| attributes::cut(blob, incomplete))
}

/// What [`cut`] drops.
pub const UNREAD: &str = "the attributes from the first one of an unknown type on, since a reference among them would name another instance";

/// The losses of an edit that cut attributes.
pub fn cut_in(edited: &rbxcore::Edited) -> impl Iterator<Item = Loss> {
    let path = |of: &rbxcore::LeftOut| format!("{}.{}", of.class, of.property);
    edited
        .cut
        .iter()
        .map(move |of| Loss::new(path(of), UNREAD).id("roblox.attributes-cut").times(of.instances))
}

/// Attributes whose references are null, for another document.
pub fn nulled(blob: &[u8]) -> Result<Vec<u8>> {
    let mut attributes = decoded(blob).unwrap_or_default();
    attributes.0.iter_mut().for_each(|(_, value)| each(value, &mut |to| *to = -1));
    attributes.to_vec()
}

/// Attributes from another document, whose references mean nothing here: an attribute that differs from its `own` one
/// only in references is that one, and references in others are null.
pub fn with_own(own: &[u8], blob: Vec<u8>) -> Result<Vec<u8>> {
    let Some(mut new) = decoded(&blob) else { return Ok(blob) };
    let own = decoded(own).unwrap_or_default();
    let nulled = |mut value: Attribute| {
        each(&mut value, &mut |to| *to = -1);
        value
    };
    for (name, value) in &mut new.0 {
        let null = nulled(value.clone());
        let kept = own.get(&**name).filter(|kept| nulled((*kept).clone()) == null);
        *value = kept.cloned().unwrap_or(null);
    }
    new.to_vec()
}

/// The names of the attributes that have a value among the properties and are also references among them.
pub fn replaced(properties: &[(String, Value)]) -> Vec<String> {
    let mut keys = properties.iter().filter_map(|(name, _)| key_of(name)).peekable();
    let blob = properties.iter().find(|(name, _)| name == ATTRIBUTES).and_then(|(_, value)| value.as_bytes());
    let Some(blob) = keys.peek().and(blob) else { return Vec::new() };
    let attributes: Attributes = blobs::from_slice(blob).unwrap_or_default();
    let known: HashSet<&[u8]> = attributes.0.iter().map(|(name, _)| name.as_bytes()).collect();
    keys.filter(|key| known.contains(key.as_bytes())).map(str::to_owned).collect()
}

/// The attributes without those that refer to instances, and the references.
pub fn split(document: &Document, blob: &[u8]) -> Option<(Vec<u8>, References)> {
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
pub fn joined(document: &dyn Dom, id: InstanceId, blob: Vec<u8>) -> Result<Vec<u8>> {
    let old = document.value_ref(id, ATTRIBUTES.as_bytes());
    let old = old.as_ref().and_then(|old| old.as_bytes());
    if let Some(known) = cut(document, &blob)
        && !old.is_some_and(|old| old.ends_with(blob.get(known.len().max(4)..).unwrap_or_default()))
    {
        let what = "cannot set attributes of an unknown type: they may have references to other instances";
        return Err(Error::argument(what));
    }
    let old = old.and_then(with_references);
    let Some(Attributes(old)) = old else { return Ok(blob) };
    let mut new: Attributes = blobs::from_slice(&blob)?;
    let known: HashSet<BString> = new.0.iter().map(|(name, _)| name.clone()).collect();
    let is_kept =
        |(name, value): &(BString, Attribute)| matches!(value, Attribute::Ref(_)) && !known.contains(name);
    new.extend(old.into_iter().filter(is_kept));
    new.to_vec()
}

/// Moves the references among the properties of a new instance into its attributes, as null until they are set.
///
/// # Errors
/// If there are references, but the attributes cannot be read.
pub fn folded(properties: &mut Vec<(String, Value)>) -> Result<()> {
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
    let mut attributes = crate::attributes::read_attributes(old, keys.len())?;
    attributes.extend(keys.into_iter().map(|key| (key, Attribute::Ref(-1))));
    let new = Value::from(attributes.to_vec()?);
    match blob {
        Some((_, value)) => *value = new,
        None => properties.push((ATTRIBUTES.to_owned(), new)),
    }
    Ok(())
}
