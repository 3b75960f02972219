//! Parses the defaults of properties from their text in the class table.

use geom::{CFrame, Mat3, Ray, Rect, UDim, UDim2, Vec2, Vec3};

use crate::kind::Kind;
use crate::types::{
    Axes, BrickColor, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Faces, Font, FontStyle,
    NumberRange, NumberSequence, NumberSequenceKeypoint, SecurityCapabilities,
};
use crate::value::{Content, Value};

/// The value of a default in the class table; `None` if it is malformed. An empty text means zero, empty, nothing or
/// the identity.
pub(crate) fn parse(kind: Kind, text: &str) -> Option<Value> {
    let mut numbers = text.split(' ').filter(|part| !part.is_empty());
    let mut f = || numbers.next().map_or(Some(0.0_f32), |part| part.parse().ok());
    let integer = || if text.is_empty() { Some(0_i64) } else { text.parse().ok() };
    let string = || unescape(text);
    Some(match kind {
        Kind::String => Value::String(string()?.into()),
        Kind::ProtectedString => Value::ProtectedString(string()?.into()),
        Kind::BinaryString => Value::BinaryString(string()?.into()),
        Kind::ContentId => Value::ContentId(string()?.into()),
        Kind::Content if text.is_empty() => Content::None.into(),
        Kind::Content => Content::Uri(string()?.into()).into(),
        Kind::SharedString => Value::SharedString(string()?.into()),
        Kind::NetAssetRef => Value::NetAssetRef(string()?.into()),
        Kind::Bool => Value::Bool(text == "1"),
        Kind::Int32 => Value::Int32(integer()?.try_into().ok()?),
        Kind::Int64 => Value::Int64(integer()?),
        Kind::Enum => Value::Enum(integer()?.try_into().ok()?),
        Kind::BrickColor => BrickColor(integer()?.try_into().ok()?).into(),
        Kind::Axes => Axes(integer()?.try_into().ok()?).into(),
        Kind::Faces => Faces(integer()?.try_into().ok()?).into(),
        Kind::SecurityCapabilities => SecurityCapabilities(integer()?.cast_unsigned()).into(),
        Kind::Float32 => Value::Float32(f()?),
        Kind::Float64 => Value::Float64(if text.is_empty() { 0.0 } else { text.parse().ok()? }),
        Kind::Color3 => Color3::new(f()?, f()?, f()?).into(),
        Kind::Color3uint8 => {
            let [r, g, b] = integers(text)?;
            Color3uint8 { r, g, b }.into()
        }
        Kind::Vector2 => Vec2::new(f()?, f()?).into(),
        Kind::Vector3 => Vec3::new(f()?, f()?, f()?).into(),
        Kind::Vector3int16 => Value::Vector3int16(integers(text)?.into()),
        Kind::UDim => udim(text.split(' '))?.into(),
        Kind::UDim2 => {
            let mut parts = text.split(' ');
            UDim2 { x: udim(parts.by_ref())?, y: udim(parts)? }.into()
        }
        Kind::CFrame if text.is_empty() => CFrame::IDENTITY.into(),
        Kind::CFrame => {
            let position = Vec3::new(f()?, f()?, f()?);
            let rows = [f()?, f()?, f()?, f()?, f()?, f()?, f()?, f()?, f()?];
            CFrame { position, rotation: Mat3::from_rows(rows) }.into()
        }
        Kind::Ray => {
            let origin = Vec3::new(f()?, f()?, f()?);
            Ray { origin, direction: Vec3::new(f()?, f()?, f()?) }.into()
        }
        Kind::Rect => {
            let min = Vec2::new(f()?, f()?);
            Rect { min, max: Vec2::new(f()?, f()?) }.into()
        }
        Kind::NumberRange => NumberRange { min: f()?, max: f()? }.into(),
        Kind::NumberSequence => {
            let keypoint =
                |[time, value, envelope]: [f32; 3]| NumberSequenceKeypoint { time, value, envelope };
            NumberSequence { keypoints: keypoints(text)?.into_iter().map(keypoint).collect() }.into()
        }
        Kind::ColorSequence => {
            let keypoint = |[time, r, g, b, envelope]: [f32; 5]| ColorSequenceKeypoint {
                time,
                color: Color3::new(r, g, b),
                envelope,
            };
            ColorSequence { keypoints: keypoints(text)?.into_iter().map(keypoint).collect() }.into()
        }
        Kind::Font => {
            // The family may be followed by the cached face, which is not part of the default.
            let mut parts = text.split(' ');
            let (weight, style) = (parts.next()?.parse().ok()?, FontStyle(parts.next()?.parse().ok()?));
            Font { family: parts.next()?.into(), weight, style, ..Font::default() }.into()
        }
        kind => Value::neutral(kind),
    })
}

/// Three integers; missing ones are 0.
fn integers<T: std::str::FromStr + Default + Copy>(text: &str) -> Option<[T; 3]> {
    let mut all = [T::default(); 3];
    for (to, part) in all.iter_mut().zip(text.split(' ').filter(|part| !part.is_empty())) {
        *to = part.parse().ok()?;
    }
    Some(all)
}

fn udim<'a>(mut parts: impl Iterator<Item = &'a str>) -> Option<UDim> {
    let mut part = || parts.next().filter(|part| !part.is_empty()).unwrap_or("0");
    Some(UDim::new(part().parse().ok()?, part().parse().ok()?))
}

fn keypoints<const N: usize>(text: &str) -> Option<Vec<[f32; N]>> {
    let numbers: Result<Vec<f32>, _> = text.split(' ').map(str::parse).collect();
    let numbers = numbers.ok()?;
    let (keypoints, []) = numbers.as_chunks() else { return None };
    Some(keypoints.to_vec())
}

/// The bytes of a text in which bytes that are not printable are written as `\xff`.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(part.get(2..)?.as_bytes());
    }
    Some(bytes)
}

#[cfg(test)]
#[path = "../../tests/inside/default.rs"]
mod tests;
