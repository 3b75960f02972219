//! A property: an element named after its type, with the property's name and a value.

use crate::error::ErrorKind;
use crate::model::{Property, Unknown, Value};
use crate::wire::cx::{Cx, Read};
use crate::wire::fail::At as _;
use crate::wire::out::{Illegal, Out};
use crate::wire::read::one_element;
use crate::wire::xml::Element;
use crate::wire::{component, content, scalar, sequence};

/// Reads a property. A type that is not known is kept as text.
#[inline]
pub(crate) fn read<'s>(cx: &mut Cx<'s>, element: Element<'_, '_>) -> Read<'s, Property> {
    let name = element.tag().attribute("name").unwrap_or_default();
    let name = cx.name(element, &name)?;
    let value = value(cx, element).named(|| name.to_string())?;
    Ok(Property { name, value })
}

#[inline]
fn value<'s>(cx: &mut Cx<'s>, element: Element<'_, '_>) -> Read<'s, Value> {
    let tag = element.name();
    if let Some(value) = scalar::read(cx, tag, element)? {
        return Ok(value);
    }
    if let Some(value) = component::read(cx, tag, element)? {
        return Ok(value);
    }
    if let Some(value) = content::read(cx, tag, element)? {
        return Ok(value);
    }
    if let Some(value) = sequence::read(cx, tag, element)? {
        return Ok(value);
    }
    let inside = cx.source.slice(cx.source.range(element.tag().end()..element.range().end));
    let xml = inside.get(..bstr::ByteSlice::rfind(inside, b"</").unwrap_or(0)).unwrap_or_default();
    cx.charge(element, xml.len())?;
    let tag = cx.name(element, tag)?;
    Ok(Value::Unknown(Box::new(Unknown { tag, xml: xml.into() })))
}

/// Writes a property as Studio does, its first line indented so deep already.
#[inline]
pub(crate) fn write(out: &mut Out, depth: usize, property: &Property) {
    let Property { name, value } = property;
    let tag = value.tag();
    out.open(tag, name);
    if let Value::Unknown(unknown) = value {
        out.raw(&unknown.xml);
    } else {
        let _one_of_them = scalar::write(out, value)
            || component::write(out, depth, value)
            || content::write(out, depth, value)
            || sequence::write(out, value);
    }
    out.close(tag);
}

/// Why a property that was written would not come back as it is.
pub(crate) fn refuse(property: &Property, written: &[u8]) -> Option<String> {
    match &property.value {
        value
            if value
                .as_ref_name()
                .is_some_and(|name| is_no_name(name) || matches!(&**name, "null" | "nil")) =>
        {
            Some("a referent that means none".into())
        }
        value if value.as_shared_key().is_some_and(|key| key.trim_ascii() != &**key) => {
            Some("a key with white space around it".into())
        }
        Value::Unknown(unknown) if is_known(&unknown.tag) => {
            Some(format!("<{}> as an unknown type", unknown.tag))
        }
        Value::Unknown(_) => one_element(written).err().map(|error| match error.kind() {
            ErrorKind::Invalid(what) => format!("an unknown type whose text is no XML ({what})"),
            other => format!("an unknown type whose text is no XML ({other})"),
        }),
        _ => None,
    }
}

fn is_no_name(name: &str) -> bool {
    name.trim_ascii() != name || name.is_empty()
}

/// Whether a tag belongs to a type that this crate reads.
fn is_known(tag: &str) -> bool {
    const KNOWN: [&str; 36] = [
        "string",
        "ProtectedString",
        "BinaryString",
        "bool",
        "int",
        "int64",
        "float",
        "double",
        "token",
        "BrickColor",
        "Color3",
        "Color3uint8",
        "Vector2",
        "Vector3",
        "Vector2int16",
        "Vector3int16",
        "UDim",
        "UDim2",
        "CoordinateFrame",
        "OptionalCoordinateFrame",
        "Ray",
        "Rect2D",
        "Axes",
        "Faces",
        "NumberRange",
        "NumberSequence",
        "ColorSequence",
        "PhysicalProperties",
        "Font",
        "UniqueId",
        "SecurityCapabilities",
        "Content",
        "ContentId",
        "Ref",
        "SharedString",
        "NetAssetRef",
    ];
    KNOWN.contains(&tag)
}

/// What XML cannot hold, as an error says it.
pub(crate) fn illegal(what: Illegal) -> String {
    match what {
        Illegal::Character(code) => {
            format!("U+{code:04X}, which XML cannot hold (WriteOptions::illegal allows it)")
        }
        Illegal::Byte(byte) => {
            format!("byte {byte:#04x}, which is not UTF-8 (WriteOptions::illegal allows it)")
        }
    }
}
