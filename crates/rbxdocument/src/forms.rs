//! Values in the types of either form.

use rbxcore::classes::stored_kind;
use rbxcore::{Content, Kind, Value};

use crate::texts;
use crate::which::{items, type_of};
use geom::wire::Error;

/// A value of the binary form in the type in which XML stores the property.
pub fn to_xml(class: &str, property: &str, value: Value) -> Value {
    let kind = match (&value, stored_kind(class, property)) {
        (Value::String(_), Some(kind @ (Kind::BinaryString | Kind::ProtectedString | Kind::ContentId)))
        | (Value::SharedString(_), Some(kind @ Kind::NetAssetRef)) => kind,
        (Value::String(text), kind) if kind != Some(Kind::String) && texts::in_xml(text).is_some() => {
            Kind::BinaryString
        }
        // Studio writes only the number.
        (Value::BrickColor(color), _) => return Value::Int32(color.0.cast_signed()),
        (Value::CFrameQuat(frame), _) => return frame.to_cframe().into(),
        _ => return value,
    };
    value.converted(kind).unwrap_or(value)
}

/// A value of XML in the type in which the binary form stores the property.
pub fn from_xml(class: &str, property: &str, value: Value) -> Value {
    let is = |kind: Kind| stored_kind(class, property) == Some(kind);
    let kind = match &value {
        // An empty element can be either kind of content; in files of other programs, so can a URI.
        Value::ContentId(_) if is(Kind::Content) => Some(Kind::Content),
        Value::Content(Content::None) if is(Kind::ContentId) => Some(Kind::String),
        Value::Int32(number) if is(Kind::BrickColor) => {
            return rbxbinary::types::BrickColor(number.cast_unsigned()).into();
        }
        // Other programs write the name of the item.
        Value::Unknown(unknown) if &*unknown.tag == Kind::Enum.tag() => {
            let name = std::str::from_utf8(&unknown.xml).ok().map(str::trim);
            let item = name.and_then(|name| items(class, property)?.item(name));
            return item.map(Value::Enum).unwrap_or(value);
        }
        value => type_of(value).and_then(rbxbinary::parts::TypeId::kind),
    };
    kind.and_then(|kind| value.converted(kind)).unwrap_or(value)
}

/// The error of a form that has no type for a value.
pub fn lacking(form: &str, value: &Value) -> Error {
    // An element of XML with malformed content has a tag, but no type.
    let what = type_of(value).map_or_else(
        || format!("the element <{}>: its type is unknown, or its content is malformed", value.tag()),
        |kind| format!("a value of type {kind}"),
    );
    Error::not_representable(format!("{form} cannot store {what}"))
}
