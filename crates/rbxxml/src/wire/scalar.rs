//! Values whose element contains text: strings, numbers, identifiers.

use crate::model::{BrickColor, Color3uint8, SecurityCapabilities, UniqueId, Value};
use crate::wire::cx::{Cx, Read};
use crate::wire::fail::Fail;
use crate::wire::format;
use crate::wire::number;
use crate::wire::out::{Out, decode_base64};

/// Reads a value of the given tag, `None` where it is not one of these.
#[inline]
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: &[u8]) -> Read<'s, Option<Value>> {
    Ok(Some(match tag {
        b"bool" => Value::Bool(cx.parse(number::boolean)?),
        b"token" => Value::Enum(cx.parse(number::uint32)?),
        b"float" => Value::Float32(cx.parse(number::float)?),
        b"string" => Value::String(cx.value()?),
        b"int" => Value::Int32(cx.parse(number::int32)?),
        b"int64" => Value::Int64(cx.parse(number::int64)?),
        b"double" => Value::Float64(cx.parse(number::double)?),
        b"BinaryString" => Value::BinaryString(base64(cx)?.into()),
        b"ProtectedString" => Value::ProtectedString(cx.value()?),
        b"UniqueId" => Value::UniqueId(cx.parse(unique_id)?),
        b"SecurityCapabilities" => {
            Value::SecurityCapabilities(SecurityCapabilities(cx.parse(number::uint64)?))
        }
        b"BrickColor" => Value::BrickColor(BrickColor(cx.parse(number::uint32)?)),
        _ => return Ok(None),
    }))
}

/// Writes the content of the element; false where the value is not one of these.
#[inline]
pub(crate) fn write(out: &mut Out<'_>, value: &Value) -> bool {
    match value {
        Value::Bool(true) => out.raw("true"),
        Value::Bool(false) => out.raw("false"),
        // Studio writes these as signed numbers.
        Value::Enum(value) => out.integer(value.cast_signed()),
        Value::Float32(value) => out.float(*value),
        Value::String(text) => out.text(text.as_ref()),
        Value::Int32(value) => out.integer(*value),
        Value::Int64(value) => out.integer(*value),
        Value::Float64(value) => format::double(&mut out.bytes, *value),
        Value::BinaryString(bytes) => out.base64(bytes.as_ref(), true),
        Value::ProtectedString(text) => out.cdata(text.as_ref()),
        Value::UniqueId(UniqueId { random, time, index }) => {
            format::hex(&mut out.bytes, &random.to_be_bytes());
            format::hex(&mut out.bytes, &time.to_be_bytes());
            format::hex(&mut out.bytes, &index.to_be_bytes());
        }
        Value::SecurityCapabilities(SecurityCapabilities(bits)) => format::unsigned(&mut out.bytes, *bits),
        Value::BrickColor(BrickColor(number)) => out.integer(*number),
        Value::Color3uint8(Color3uint8 { r, g, b }) => out.integer(u32::from_be_bytes([0xff, *r, *g, *b])),
        _ => return false,
    }
    true
}

/// The bytes of base64 in an element.
pub(crate) fn base64<'s>(cx: &mut Cx<'s>) -> Read<'s, Vec<u8>> {
    let bytes = cx.scanner.text(|scanner, text| {
        // The digits without white space, and the bytes that they become.
        scanner.charge(scanner.at(), text.len().saturating_mul(2))?;
        let bytes = decode_base64(text);
        let kept = bytes.as_ref().map_or(0, Vec::capacity);
        scanner.budget.give_back(text.len().saturating_mul(2).saturating_sub(kept) as u64);
        Ok(bytes)
    })?;
    let at = cx.scanner.from(cx.scanner.at());
    bytes.ok_or_else(|| Fail::invalid(at, "malformed base64"))
}

/// `random`, `time` and `index` in that order, which is not that of a binary file.
fn unique_id(text: &[u8]) -> Option<UniqueId> {
    let text = std::str::from_utf8(text.trim_ascii()).ok()?;
    if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some(UniqueId {
        random: u64::from_str_radix(text.get(..16)?, 16).ok()?,
        time: u32::from_str_radix(text.get(16..24)?, 16).ok()?,
        index: u32::from_str_radix(text.get(24..)?, 16).ok()?,
    })
}
