//! Values whose element holds text: strings, numbers, identifiers.

use crate::model::{BrickColor, Color3uint8, SecurityCapabilities, UniqueId, Value};
use crate::wire::cx::{Cx, Read};
use crate::wire::fail::Fail;
use crate::wire::format;
use crate::wire::number;
use crate::wire::out::{Out, decode_base64};
use crate::wire::xml::Element;

/// Reads a value of the given tag, `None` where it is not one of these.
#[inline]
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: &str, element: Element<'_, '_>) -> Read<'s, Option<Value>> {
    Ok(Some(match tag {
        "bool" => Value::Bool(cx.parse(element, number::boolean, "true or false")?),
        "token" => Value::Enum(cx.parse(element, number::uint32, "a whole number of 32 bits")?),
        "float" => Value::Float32(cx.parse(element, number::float, "a number")?),
        "string" => Value::String(cx.value(element)?),
        "int" => Value::Int32(cx.parse(element, number::int32, "a whole number of 32 bits")?),
        "int64" => Value::Int64(cx.parse(element, number::int64, "a whole number of 64 bits")?),
        "double" => Value::Float64(cx.parse(element, number::double, "a number")?),
        "BinaryString" => Value::BinaryString(base64(cx, element)?.into()),
        "ProtectedString" => Value::ProtectedString(cx.value(element)?),
        "UniqueId" => Value::UniqueId(cx.parse(element, unique_id, "32 hexadecimal digits")?),
        "SecurityCapabilities" => {
            let bits = cx.parse(element, number::uint64, "a whole number of 64 bits")?;
            Value::SecurityCapabilities(SecurityCapabilities(bits))
        }
        "BrickColor" => {
            Value::BrickColor(BrickColor(cx.parse(element, number::uint32, "a whole number of 32 bits")?))
        }
        _ => return Ok(None),
    }))
}

/// Writes what stands between the tags; false where the value is not one of these.
#[inline]
pub(crate) fn write(out: &mut Out, value: &Value) -> bool {
    match value {
        Value::Bool(true) => out.raw("true"),
        Value::Bool(false) => out.raw("false"),
        // Studio has signed numbers here.
        Value::Enum(value) => out.whole(value.cast_signed()),
        Value::Float32(value) => out.float(*value),
        Value::String(text) => out.text(text.as_ref()),
        Value::Int32(value) => out.whole(*value),
        Value::Int64(value) => out.whole(*value),
        Value::Float64(value) => format::double(&mut out.bytes, *value),
        Value::BinaryString(bytes) => out.base64(bytes.as_ref(), true),
        Value::ProtectedString(text) => out.cdata(text.as_ref()),
        Value::UniqueId(UniqueId { random, time, index }) => {
            format::hex(&mut out.bytes, &random.to_be_bytes());
            format::hex(&mut out.bytes, &time.to_be_bytes());
            format::hex(&mut out.bytes, &index.to_be_bytes());
        }
        Value::SecurityCapabilities(SecurityCapabilities(bits)) => format::unsigned(&mut out.bytes, *bits),
        Value::BrickColor(BrickColor(number)) => out.whole(*number),
        Value::Color3uint8(Color3uint8 { r, g, b }) => out.whole(u32::from_be_bytes([0xff, *r, *g, *b])),
        _ => return false,
    }
    true
}

/// The bytes of base64 in an element.
pub(crate) fn base64<'s>(cx: &mut Cx<'s>, element: Element<'_, '_>) -> Read<'s, Vec<u8>> {
    let text = cx.text(element)?;
    cx.charge(element, text.len())?;
    decode_base64(text.as_bytes()).map_err(|at| {
        // Where the text stands as it is, the place is known to the byte.
        let behind = cx.at(element.tag().end());
        match behind.get(at..).filter(|_| behind.starts_with(text.as_bytes())) {
            Some(place) => Fail::invalid(place, "malformed base64"),
            None => cx.invalid(element, "malformed base64"),
        }
    })
}

/// `random`, `time` and `index` in that order, which is not that of a binary file.
fn unique_id(text: &[u8]) -> Option<UniqueId> {
    let text = std::str::from_utf8(number::trim(text)).ok()?;
    if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some(UniqueId {
        random: u64::from_str_radix(text.get(..16)?, 16).ok()?,
        time: u32::from_str_radix(text.get(16..24)?, 16).ok()?,
        index: u32::from_str_radix(text.get(24..)?, 16).ok()?,
    })
}
