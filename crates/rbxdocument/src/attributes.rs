//! The attributes and tags of instances, which documents store as the bytes of a property.

use std::any::Any;
use std::collections::BTreeMap;

use bstr::{BString, ByteSlice as _};
use geom::wire::{Error, Result};
pub use rbxblobs::Attribute;
use rbxblobs::{Attributes, Tags};
use rbxcore::{Dom, EditOptions, InstanceId, Value, ValueRef};

/// The property with the attributes.
const ATTRIBUTES: &str = "AttributesSerialize";
/// The property with the tags.
const TAGS: &str = "Tags";
/// Before the name of an attribute, the name of the property that stores a reference of it in XML.
const REFERENCE: &str = "__attrRef_";

/// The attributes of an instance, in the file's order; then those that refer to instances, as a [`Value::Ref`].
///
/// References in arrays and tables are numbers ([`Attribute::Ref`]), which only binary documents store.
///
/// # Errors
/// `InvalidArgument` if the document has no such instance; otherwise if the bytes of the attributes are damaged.
pub fn attributes(document: &dyn Dom, id: InstanceId) -> Result<Vec<(BString, Attribute)>> {
    document.require(id)?;
    let (mut all, mut references) = (Vec::new(), Vec::new());
    for (name, value) in stored(document, id)?.0 {
        match value {
            Attribute::Ref(number) => references.push((name, Value::Ref(by_number(document, number)).into())),
            value => all.push((name, value)),
        }
    }
    for (name, value) in document.properties(id) {
        if let (Some(name), ValueRef::Ref(to)) = (name.strip_prefix(REFERENCE.as_bytes()), value) {
            references.push((name.into(), Value::Ref(to).into()));
        }
    }
    all.append(&mut references);
    Ok(all)
}

/// An attribute of an instance, with its value as that of [`attributes`]; `None` if it does not have it.
///
/// # Errors
/// As [`attributes`].
pub fn attribute(document: &dyn Dom, id: InstanceId, name: &str) -> Result<Option<Attribute>> {
    let mut all = attributes(document, id)?.into_iter();
    Ok(all.rfind(|(known, _)| known == name).map(|(_, value)| value))
}

/// Sets an attribute of an instance, or adds it; a [`Value::Ref`] refers to an instance. If a binary document stores no
/// attributes for the class yet, all its instances get an empty list.
///
/// # Errors
/// As [`attributes`]; `InvalidArgument` if the old value has an unknown type, whose length is not known, and other
/// attributes follow it; and if attributes cannot have a value of this type.
pub fn set_attribute(
    document: &mut dyn Dom,
    id: InstanceId,
    name: &str,
    value: impl Into<Attribute>,
) -> Result<()> {
    set_attributes(document, id, [(name, value.into())])
}

/// Sets attributes of an instance, like [`set_attribute`], in one pass; the last one counts if a name occurs twice.
///
/// # Errors
/// As [`set_attribute`].
pub fn set_attributes<N: AsRef<str>>(
    document: &mut dyn Dom,
    id: InstanceId,
    new: impl IntoIterator<Item = (N, Attribute)>,
) -> Result<()> {
    document.require(id)?;
    let new: BTreeMap<String, Attribute> =
        new.into_iter().map(|(name, value)| (name.as_ref().to_owned(), value)).collect();
    if new.is_empty() {
        return Ok(());
    }
    let mut all = stored(document, id)?;
    let (mut values, mut in_xml) = (Vec::new(), BTreeMap::new());
    for (name, value) in new {
        changeable(&all, &name)?;
        match (value, binary(document)) {
            (Attribute::Value(Value::Ref(to)), Some(binary)) => {
                let to = to.map(|to| binary.require(to).map(|()| binary.referent(to))).transpose()?.flatten();
                values.push((name, Attribute::Ref(to.map_or(-1, |to| to.0))));
            }
            (Attribute::Value(Value::Ref(to)), None) => _ = in_xml.insert(name, to),
            (value, _) => {
                if document.get(id, reference(&name)).is_some() {
                    in_xml.insert(name.clone(), None);
                }
                values.push((name, value));
            }
        }
    }
    let count = all.0.len();
    all.0.retain(|(name, _)| name.to_str().map_or(true, |name| !in_xml.contains_key(name)));
    if count != all.0.len() || !values.is_empty() {
        all.extend(values);
        put(document, id, ATTRIBUTES, all.to_vec()?)?;
    }
    in_xml
        .into_iter()
        .try_for_each(|(name, to)| EditOptions::new().set(document, id, reference(&name), Value::Ref(to)))
}

/// Removes an attribute of an instance. In XML, one that refers to an instance becomes a reference to none.
///
/// # Errors
/// As [`set_attribute`]; `InvalidArgument` if the instance does not have the attribute.
pub fn remove_attribute(document: &mut dyn Dom, id: InstanceId, name: &str) -> Result<()> {
    document.require(id)?;
    let mut all = stored(document, id)?;
    changeable(&all, name)?;
    let (value, to) = (all.remove(name), document.get(id, reference(name)).is_some());
    if value.is_none() && !to {
        return Err(Error::invalid_argument(name.to_owned(), "the instance has no such attribute"));
    }
    if to {
        document.set(id, reference(name), Value::Ref(None))?;
    }
    value.map_or(Ok(()), |_| put(document, id, ATTRIBUTES, all.to_vec()?))
}

/// The tags of an instance, in order.
///
/// # Errors
/// `InvalidArgument` if the document has no such instance.
pub fn tags(document: &dyn Dom, id: InstanceId) -> Result<Vec<BString>> {
    document.require(id)?;
    let value = document.get(id, TAGS);
    Ok(rbxblobs::from_slice::<Tags>(value.as_ref().and_then(ValueRef::as_bytes).unwrap_or_default())?.0)
}

/// Replaces the tags of an instance. If a binary document stores no tags for the class yet, all its instances get an empty
/// list.
///
/// # Errors
/// `InvalidArgument` if the document has no such instance; `Unwritable` if a tag has a zero byte, or the only tag is
/// empty.
pub fn set_tags<T: Into<BString>>(
    document: &mut dyn Dom,
    id: InstanceId,
    tags: impl IntoIterator<Item = T>,
) -> Result<()> {
    document.require(id)?;
    let tags = Tags(tags.into_iter().map(Into::into).collect()).to_vec()?;
    put(document, id, TAGS, tags)
}

/// The property in which XML stores a reference of the attribute with this name.
fn reference(name: &str) -> String {
    format!("{REFERENCE}{name}")
}

/// Refuses to change a value of an unknown type that contains the attributes after it.
fn changeable(all: &Attributes, name: &str) -> Result<()> {
    match all.0.last() {
        Some((known, Attribute::Unknown(old))) if known == name && old.more > 0 => {
            let what =
                "the length of its unknown type is not known, so the attributes after it would be lost";
            Err(Error::invalid_argument(name.to_owned(), what))
        }
        _ => Ok(()),
    }
}

/// The attributes in the property of an instance.
fn stored(document: &dyn Dom, id: InstanceId) -> Result<Attributes> {
    let value = document.get(id, ATTRIBUTES);
    let bytes = value.as_ref().and_then(ValueRef::as_bytes).unwrap_or_default();
    let references = document.properties(id).filter(|(name, _)| name.starts_with(REFERENCE.as_bytes()));
    read_attributes(bytes, references.count())
}

/// Decodes attributes. Their number may include the references, which are properties in XML.
///
/// # Errors
/// If the bytes are damaged.
#[doc(hidden)]
pub fn read_attributes(bytes: &[u8], references: usize) -> Result<Attributes> {
    rbxblobs::from_slice(bytes).or_else(|error| {
        let mut fewer = bytes.to_vec();
        let count = fewer.first_chunk_mut::<4>().and_then(|count| {
            let all = u32::from_le_bytes(*count);
            *count = all.checked_sub(u32::try_from(references).ok()?)?.to_le_bytes();
            Some(())
        });
        count.and_then(|()| rbxblobs::from_slice(&fewer).ok()).ok_or(error)
    })
}

/// Sets a property with bytes. If a class of a binary document does not store it, all its instances get it, empty.
fn put(document: &mut dyn Dom, id: InstanceId, name: &str, bytes: Vec<u8>) -> Result<()> {
    if document.get(id, name).is_none() && binary(document).is_some() {
        let class = document.class(id).unwrap_or_default().to_owned();
        document.add_property(class, name, "")?;
    }
    EditOptions::new().set(document, id, name, Value::BinaryString(bytes.into()))
}

fn binary(document: &dyn Dom) -> Option<&rbxbinary::Document> {
    let document: &dyn Any = document.form();
    document.downcast_ref()
}

fn by_number(document: &dyn Dom, number: i32) -> Option<InstanceId> {
    binary(document)?.by_referent(rbxbinary::parts::Referent(number))
}
