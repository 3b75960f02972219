//! Values whose element contains text: strings, numbers and identifiers.

use crate::model::{BrickColor, SecurityCapabilities, Text, UniqueId};
use crate::wire::cx::{Cx, Read};
use crate::wire::format;
use crate::wire::number;
use crate::wire::out::{Out, decode_base64};
use geom::wire::Fail;

/// Reads the base64 in an element as a value.
pub(crate) fn binary<'s>(cx: &mut Cx<'s>) -> Read<'s, Text> {
    bytes(cx).map(Text::from)
}

/// Reads the base64 in an element as bytes.
pub(crate) fn bytes<'s>(cx: &mut Cx<'s>) -> Read<'s, Vec<u8>> {
    let bytes = cx.scanner.text(|scanner, text| {
        // Charges the digits without white space, and the decoded bytes.
        let before = scanner.budget.left();
        scanner.charge_values::<[u8; 2]>(scanner.at(), text.len())?;
        let bytes = decode_base64(text);
        scanner.budget.refund_since(before, bytes.as_ref().map_or(0, Vec::capacity));
        Ok(bytes)
    })?;
    let at = cx.scanner.from(cx.scanner.at());
    bytes.ok_or_else(|| Fail::invalid(at, "malformed base64"))
}

pub(crate) fn brick_color(text: &[u8]) -> Option<BrickColor> {
    number::uint32(text).map(BrickColor)
}

pub(crate) fn capabilities(text: &[u8]) -> Option<SecurityCapabilities> {
    number::uint64(text).map(SecurityCapabilities)
}

/// Parses `random`, `time` and `index` in this order, which differs from that in a binary file.
pub(crate) fn unique_id(text: &[u8]) -> Option<UniqueId> {
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

impl Out {
    #[inline]
    pub(crate) fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    #[inline]
    pub(crate) fn float(&mut self, value: f32) {
        format::float(&mut self.bytes, value);
    }

    pub(crate) fn double(&mut self, value: f64) {
        format::double(&mut self.bytes, value);
    }

    #[inline]
    pub(crate) fn integer(&mut self, value: impl Into<i64>) {
        format::signed(&mut self.bytes, value.into());
    }

    /// Writes the number of an enum's item as a signed integer, as Studio does.
    #[inline]
    pub(crate) fn token(&mut self, value: u32) {
        self.integer(value.cast_signed());
    }

    pub(crate) fn binary(&mut self, bytes: &[u8]) {
        self.base64(bytes, true);
    }

    pub(crate) fn brick_color(&mut self, BrickColor(number): BrickColor) {
        self.integer(number);
    }

    pub(crate) fn capabilities(&mut self, SecurityCapabilities(bits): SecurityCapabilities) {
        format::unsigned(&mut self.bytes, bits);
    }

    pub(crate) fn unique_id(&mut self, UniqueId { random, time, index }: UniqueId) {
        format::hex(&mut self.bytes, &random.to_be_bytes());
        format::hex(&mut self.bytes, &time.to_be_bytes());
        format::hex(&mut self.bytes, &index.to_be_bytes());
    }
}
