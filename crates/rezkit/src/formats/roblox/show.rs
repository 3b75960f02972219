//! Values as text.

use ::rbxbinary::parts::TypeId;
use rbxcore::{Content, InstanceId, Value, ValueRef};
use rbxdocument::view::View as _;

use super::attributes::written;
use super::decoded::decoded;
use super::type_of;
use crate::tree;
use rbxcore::Dom;
use rbxdocument::decoded::Property;

/// A value as it is shown and compared: bytes of a known layout decoded, instances as their paths.
pub(crate) fn value(
    property: Property<'_>,
    value: &Value,
    max_bytes: u64,
    path: impl Fn(InstanceId) -> String,
) -> tree::Value {
    let path = |id: &Option<InstanceId>| id.map_or_else(|| "null".to_owned(), &path);
    match value {
        Value::Ref(id) => tree::Value::text("Ref", path(id)),
        Value::Content(Content::Object(id)) => tree::Value::text("Content", format!("object {}", path(id))),
        Value::Unknown(unknown) => tree::Value::bytes(unknown.tag.to_string(), unknown.xml.to_vec()),
        value => plain(property, value, max_bytes),
    }
}

pub(super) fn of_bytes(
    kind: &'static str,
    property: Property<'_>,
    bytes: &[u8],
    max_bytes: u64,
) -> tree::Value {
    match decoded(property, bytes, max_bytes) {
        Ok(Some(value)) => value,
        Ok(None) => tree::Value::bytes(kind, bytes),
        Err(why) => tree::Value::bytes(format!("{kind}, not decoded: {why}"), bytes),
    }
}

fn plain(property: Property<'_>, value: &Value, max_bytes: u64) -> tree::Value {
    let kind = type_of(value).and_then(TypeId::name).unwrap_or("unknown");
    if let Some(bytes) = value.as_bytes() {
        return of_bytes(kind, property, bytes, max_bytes);
    }
    let item = |number| rbxdocument::which::items(property.0, property.1).and_then(|of| of.item_name(number));
    let text = match value.as_ref() {
        ValueRef::Enum(number) if item(number).is_some() => item(number).map(str::to_owned),
        other => other.to_text(),
    };
    let text = text.unwrap_or_else(|| format!("{value:?}"));
    tree::Value::line(kind, written(value.as_ref()), text)
}

/// A value in one line.
pub(super) fn said(document: &dyn Dom, property: Property<'_>, value: &Value) -> String {
    self::value(property, value, 1 << 16, |id| document.path_of(id)).summary(80)
}
