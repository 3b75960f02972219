//! Passes scalars to a visitor in one of several forms.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};
use serde::de::{Error as _, Unexpected, Visitor};

use geom::wire::{Error, Result};

/// Passes a real as an integer; fails if it is not whole or out of range.
pub(super) fn whole<'de, V: Visitor<'de>>(value: f64, visitor: V) -> Result<V::Value> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and in range")]
    match value {
        _ if value.fract() != 0.0 => {}
        0.0..18_446_744_073_709_551_616.0 => return visitor.visit_u64(value as u64),
        -9_223_372_036_854_775_808.0..0.0 => return visitor.visit_i64(value as i64),
        _ => {}
    }
    Err(Error::invalid_type(Unexpected::Float(value), &visitor))
}

/// Passes text, or bytes if it is not UTF-8; borrowed if it is borrowed from the input.
pub(super) fn text<'de, V: Visitor<'de>>(text: Cow<'de, BStr>, visitor: V) -> Result<V::Value> {
    match text {
        Cow::Borrowed(text) => match text.to_str() {
            Ok(text) => visitor.visit_borrowed_str(text),
            Err(_) => visitor.visit_borrowed_bytes(text),
        },
        Cow::Owned(text) => match String::from_utf8(text.into()) {
            Ok(text) => visitor.visit_string(text),
            Err(error) => visitor.visit_byte_buf(error.into_bytes()),
        },
    }
}

pub(super) fn bytes<'de, V: Visitor<'de>>(bytes: Cow<'de, BStr>, visitor: V) -> Result<V::Value> {
    match bytes {
        Cow::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
        Cow::Owned(bytes) => visitor.visit_byte_buf(bytes.into()),
    }
}
