//! Colours from texts.

use rbxbinary::parts::TypeId;
use rbxcore::{Color3, Color3uint8, Value, classes};

use crate::validate::SUCH_AS;
use geom::wire::{Error, Result};
use rbxcore::plain::floats_text;

/// The number of a `BrickColor` that a user enters as `194` or `Medium stone grey`.
///
/// # Errors
/// `InvalidArgument` if there is no such colour; the error suggests a similar name.
pub fn brick_color(text: &str) -> Result<u32> {
    let number = text.parse().ok().or_else(|| classes::brick_color_named(text)).ok_or_else(|| {
        let meant = classes::closest_brick_color(text).map(|meant| format!("; did you mean {meant}?"));
        Error::argument(format!(
            "expected the number or the name of a BrickColor, such as 194 or `Medium stone grey`, found `{text}`{}",
            meant.unwrap_or_default()
        ))
    })?;
    match classes::not_a_brick_color(number) {
        Some(what) => Err(Error::argument(format!("{what}{SUCH_AS}"))),
        None => Ok(number),
    }
}

/// A `Color3` or a `Color3uint8` from its text: `#ff8800`, `rgb(255, 136, 0)`, `Color3.fromRGB(255, 136, 0)`,
/// `Color3.new(1, 0.5, 0)`, the name of a BrickColor, or three numbers as the type has them: 0 to 1, or 0 to 255.
///
/// # Errors
/// `InvalidArgument` if it is none of these, or if the three numbers are probably meant for
/// the other type, unless they are the `old` value.
pub fn color(text: &str, kind: TypeId, old: Option<&Value>) -> Result<Value> {
    let text = text.trim();
    if let Some(color) = explicit(text) {
        let outside = || Error::argument(format!("expected components from 0 to 1, found `{text}`"));
        return kind.kind().and_then(|kind| color.converted(kind)).ok_or_else(outside);
    }
    let Some(all) = three(text) else {
        let near = classes::closest_brick_color(text).map(|near| format!("; did you mean {near}?"));
        return Err(Error::argument(format!(
            "expected a colour such as `#ff8800`, `rgb(255, 136, 0)`, `Color3.new(1, 0.5, 0)` or `Bright red`, found \
             `{text}`{}",
            near.unwrap_or_default()
        )));
    };
    let (of_bytes, units) = (bytes(all), Color3::new(all[0], all[1], all[2]));
    let stated: Option<Value> = match kind {
        TypeId::COLOR3 => Some(units.into()),
        _ => of_bytes.map(Value::from),
    };
    if let Some(stated) = stated.as_ref().filter(|stated| old == Some(*stated)) {
        return Ok(stated.clone());
    }
    let of_units = Color3uint8::try_from(units).ok();
    let hex = |Color3uint8 { r, g, b }| format!("#{r:02x}{g:02x}{b:02x}");
    // What the numbers would be for the other type, unless they are right for this one.
    let (range, is_right, other) = match kind {
        TypeId::COLOR3 => {
            let other = of_bytes.filter(|_| of_units.is_none()).map(|color| {
                let Color3 { r, g, b } = color.into();
                format!("{} or {} (or, beyond 1, Color3.new({text}))", floats_text(&[r, g, b]), hex(color))
            });
            ("0 to 1", of_units.is_some(), other)
        }
        _ => {
            let other = of_units.filter(|color| *color != Color3uint8::default()).map(|color| {
                let Color3uint8 { r, g, b } = color;
                format!("{r}, {g}, {b} or {} (or, for nearly black, rgb({text}))", hex(color))
            });
            ("0 to 255", true, other)
        }
    };
    match (stated.filter(|_| is_right), other) {
        (Some(stated), None) => Ok(stated),
        (_, Some(other)) => Err(Error::argument(format!(
            "the components of this colour are {range}, so `{text}` is probably not what is meant: write {other}"
        ))),
        (None, None) => Err(Error::argument(format!(
            "expected three components from {range}, or `#ff8800`, found `{text}`"
        ))),
    }
}

/// A colour that is not three bare numbers.
#[allow(clippy::cast_possible_truncation, reason = "the lowest byte is meant")]
pub fn explicit(text: &str) -> Option<Value> {
    let call = |name: &str| text.strip_prefix(name)?.trim().strip_prefix('(')?.strip_suffix(')');
    if let Some(digits) = text.strip_prefix('#').filter(|digits| digits.len() == 6) {
        let number = u32::from_str_radix(digits, 16).ok()?;
        return Some(Color3uint8::new((number >> 16) as u8, (number >> 8) as u8, number as u8).into());
    }
    if let Some(parts) = call("rgb").or_else(|| call("Color3.fromRGB")) {
        return Some(bytes(three(parts)?)?.into());
    }
    if let Some(parts) = call("Color3.new") {
        let [r, g, b] = three(parts)?;
        return Some(Color3 { r, g, b }.into());
    }
    let [r, g, b] = classes::brick_color(classes::brick_color_named(text)?)?;
    Some(Color3uint8 { r, g, b }.into())
}

fn three(text: &str) -> Option<[f32; 3]> {
    let parts: Option<Vec<f32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    parts?.try_into().ok()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers from 0 to 255")]
fn bytes(all: [f32; 3]) -> Option<Color3uint8> {
    let is_byte = |part: &f32| (0.0..=255.0).contains(part) && part.fract() == 0.0;
    all.iter().all(is_byte).then(|| Color3uint8::new(all[0] as u8, all[1] as u8, all[2] as u8))
}
