//! Values of attributes from texts.

use bstr::BString;

use crate::attributes::{
    Attribute, CFrame, ColorKeypoint, EnumItem, Font, NumberKeypoint, One, PhysicalProperties, TweenInfo,
    UDim,
};
use geom::wire::{Error, Result};

/// The number of a rotation that turns nothing.
const UPRIGHT: u8 = 2;

impl Attribute {
    /// A value of a type from its text: a word, or numbers with commas between them. The name of the type is
    /// [`Attribute::type_name`], with or without `_`, in any case.
    ///
    /// | type | text |
    /// |---|---|
    /// | UDim, UDim2 | scale, offset; twice |
    /// | CFrame | x, y, z, and nothing for no rotation, or nine numbers by rows |
    /// | NumberSequence | time, value, envelope; … |
    /// | ColorSequence | time, red, green, blue, envelope; … |
    /// | Enum | the name of the enumeration and a number: `Material 256` |
    /// | Font | family, weight, style, and perhaps the cached face |
    /// | PhysicalProperties | density, friction, elasticity, their two weights, acoustic absorption |
    /// | TweenInfo | time, delay, repeats, style, direction, `true` or `false` |
    /// | Path2DControlPoint | the position and both tangents, each as a UDim2 |
    ///
    /// Arrays, tables and references have no text.
    ///
    /// # Errors
    /// If the text is not of the type, or values of that type have no such text.
    pub fn parse(text: &str, type_name: &str) -> Result<Self> {
        let value = match type_name.to_lowercase().replace('_', "").as_str() {
            "string" => Some(Self::String(text.into())),
            "bool" => one(text).map(Self::Bool),
            "int32" => one(text).map(Self::Int32),
            "float32" => one(text).map(Self::Float32),
            "float64" => one(text).map(Self::Float64),
            "brickcolor" => one(text).map(Self::BrickColor),
            "securitycapabilities" => one(text).map(Self::SecurityCapabilities),
            "faces" => one(text).filter(|bits| *bits < 64).map(Self::Faces),
            "axes" => one(text).filter(|bits| *bits < 8).map(Self::Axes),
            "color3" => all(text).map(Self::Color3),
            "color3uint8" => all(text).map(Self::Color3uint8),
            "vector2" => all(text).map(Self::Vector2),
            "vector3" => all(text).map(Self::Vector3),
            "vector2int16" => all(text).map(Self::Vector2int16),
            "vector3int16" => all(text).map(Self::Vector3int16),
            "numberrange" => all(text).map(Self::NumberRange),
            "rect" => all(text).map(Self::Rect),
            "ray" => all(text).map(Self::Ray),
            "region3" => all(text).map(Self::Region3),
            "region3int16" => all(text).map(Self::Region3int16),
            "udim" => udims(text).map(|[udim]| Self::UDim(udim)),
            "udim2" => udims(text).map(Self::UDim2),
            "path2dcontrolpoint" => {
                udims(text).map(|[a, b, c, d, e, f]| Self::Path2DControlPoint([[a, b], [c, d], [e, f]]))
            }
            "cframe" => cframe(text).map(Self::CFrame),
            "enum" => item(text).map(Self::Enum),
            "numbersequence" => {
                let key = |[time, value, envelope]: [f32; 3]| NumberKeypoint { envelope, time, value };
                keys(text).map(|keys| Self::NumberSequence(keys.into_iter().map(key).collect()))
            }
            "colorsequence" => {
                let key =
                    |[time, r, g, b, envelope]: [f32; 5]| ColorKeypoint { envelope, time, color: [r, g, b] };
                keys(text).map(|keys| Self::ColorSequence(keys.into_iter().map(key).collect()))
            }
            "font" => font(text).map(Self::Font),
            "physicalproperties" => {
                all(text).map(|[density, friction, elasticity, a, b, acoustic_absorption]| {
                    let (friction_weight, elasticity_weight) = (a, b);
                    Self::PhysicalProperties(PhysicalProperties {
                        custom: One,
                        density,
                        friction,
                        elasticity,
                        friction_weight,
                        elasticity_weight,
                        acoustic_absorption,
                    })
                })
            }
            "tweeninfo" => tween(text).map(Self::TweenInfo),
            _ => {
                return Err(Error::invalid_argument(
                    "",
                    format!("no text gives a value of type {type_name}"),
                ));
            }
        };
        value.ok_or_else(|| Error::invalid_argument("", format!("{text:?} is not a {type_name}")))
    }
}

fn one<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}

fn all<T: std::str::FromStr, const N: usize>(text: &str) -> Option<[T; N]> {
    let values: Option<Vec<T>> = text.split(',').map(one).collect();
    values?.try_into().ok()
}

fn udims<const N: usize>(text: &str) -> Option<[UDim; N]> {
    let parts: Vec<&str> = text.split(',').collect();
    let (pairs, []) = parts.as_chunks::<2>() else { return None };
    let udim = |[scale, offset]: &[&str; 2]| Some(UDim { scale: one(scale)?, offset: one(offset)? });
    pairs.iter().map(udim).collect::<Option<Vec<_>>>()?.try_into().ok()
}

fn cframe(text: &str) -> Option<CFrame> {
    if let Some(position) = all(text) {
        return Some(CFrame { position, rotation_id: UPRIGHT, rotation: None });
    }
    let [x, y, z, a, b, c, d, e, f, g, h, i] = all(text)?;
    Some(CFrame { position: [x, y, z], rotation_id: 0, rotation: Some([a, b, c, d, e, f, g, h, i]) })
}

fn item(text: &str) -> Option<EnumItem> {
    let (name, value) = text.trim().rsplit_once(' ')?;
    Some(EnumItem { name: name.trim().into(), value: one(value)? })
}

fn keys<const N: usize>(text: &str) -> Option<Vec<[f32; N]>> {
    text.split(';').map(all).collect()
}

fn font(text: &str) -> Option<Font> {
    let name = |text: &str| BString::from(text.trim().trim_matches('"'));
    let parts: Vec<&str> = text.split(',').collect();
    let (family, weight, style, face) = match parts.as_slice() {
        [family, weight, style] => (family, weight, style, ""),
        [family, weight, style, face] => (family, weight, style, *face),
        _ => return None,
    };
    Some(Font { weight: one(weight)?, style: one(style)?, family: name(family), cached_face: name(face) })
}

fn tween(text: &str) -> Option<TweenInfo> {
    let parts: Vec<&str> = text.split(',').collect();
    let [time, delay, repeats, style, direction, reverses] = parts.as_slice() else { return None };
    Some(TweenInfo {
        time: one(time)?,
        delay: one(delay)?,
        repeats: one(repeats)?,
        style: one(style)?,
        direction: one(direction)?,
        reverses: one(reverses)?,
    })
}
