//! Parses values of attributes from text.

use bstr::BString;

use crate::attributes::{
    Attribute, CFrame, ColorKeypoint, EnumItem, Font, NumberKeypoint, One, PhysicalProperties, TweenInfo,
    UDim,
};
use geom::wire::{Error, Result};

/// The id of the identity rotation.
const UPRIGHT: u8 = 2;

impl Attribute {
    /// Parses a value of a type from text: a word, or numbers separated by commas. The name of the type is that of
    /// [`Attribute::type_name`], in any case, with or without `_`.
    ///
    /// | type | text |
    /// |---|---|
    /// | UDim, UDim2 | scale, offset; twice |
    /// | CFrame | x, y, z; then the matrix row by row, unless there is no rotation |
    /// | NumberSequence | time, value, envelope; … |
    /// | ColorSequence | time, red, green, blue, envelope; … |
    /// | Enum | the name of the enumeration and a number: `Material 256` |
    /// | Font | family, weight, style, and optionally the cached face |
    /// | PhysicalProperties | density, friction, elasticity, their two weights, acoustic absorption |
    /// | TweenInfo | time, delay, repeats, style, direction, `true` or `false` |
    /// | Path2DControlPoint | the position and both tangents, each as a UDim2 |
    ///
    /// Arrays, tables and references cannot be parsed.
    ///
    /// # Errors
    /// If the text is not a value of the type, or if values of the type cannot be parsed.
    pub fn parse(text: &str, type_name: &str) -> Result<Self> {
        let kind = type_name.to_lowercase().replace('_', "");
        let Some((value, expected)) = Self::flat(text, &kind).or_else(|| Self::structured(text, &kind))
        else {
            let what = format!(
                "attributes of the type {type_name} cannot be set from text (expected a type such as string, \
                 bool, int32, float64, Color3 or CFrame)"
            );
            return Err(Error::invalid_argument("", what));
        };
        let wrong = || Error::invalid_argument("", format!("expected {expected}, found `{text}`"));
        value.ok_or_else(wrong)
    }

    /// A value of a type that is a list of numbers, and the texts that the type expects.
    fn flat(text: &str, kind: &str) -> Option<(Option<Self>, &'static str)> {
        const COLOR: &str = "three numbers from 0 to 1 (red, green, blue)";
        Some(match kind {
            "string" => (Some(Self::String(text.into())), ""),
            "bool" => (one(text).map(Self::Bool), "true or false"),
            "int32" => (one(text).map(Self::Int32), "a 32-bit integer"),
            "float32" => (one(text).map(Self::Float32), "a number"),
            "float64" => (one(text).map(Self::Float64), "a number"),
            "brickcolor" => (one(text).map(Self::BrickColor), "the number of a BrickColor, such as 194"),
            "securitycapabilities" => (one(text).map(Self::SecurityCapabilities), "a 64-bit integer"),
            "faces" => (
                one(text).filter(|bits| *bits < 64).map(Self::Faces),
                "an integer from 0 to 63 (the sum of 1 for right, 2 for top, 4 for back, 8 for left, \
                 16 for bottom, 32 for front)",
            ),
            "axes" => (
                one(text).filter(|bits| *bits < 8).map(Self::Axes),
                "an integer from 0 to 7 (the sum of 1 for x, 2 for y, 4 for z)",
            ),
            "color3" => (all(text).map(Self::Color3), COLOR),
            "color3uint8" => {
                (all(text).map(Self::Color3uint8), "three integers from 0 to 255 (red, green, blue)")
            }
            "vector2" => (all(text).map(Self::Vector2), "two numbers (x, y)"),
            "vector3" => (all(text).map(Self::Vector3), "three numbers (x, y, z)"),
            "vector2int16" => (all(text).map(Self::Vector2int16), "two 16-bit integers (x, y)"),
            "vector3int16" => (all(text).map(Self::Vector3int16), "three 16-bit integers (x, y, z)"),
            "numberrange" => (all(text).map(Self::NumberRange), "two numbers (min, max)"),
            "rect" => (all(text).map(Self::Rect), "four numbers (min x, min y, max x, max y)"),
            "ray" => (
                all(text).map(Self::Ray),
                "six numbers (x, y, z of the origin, then x, y, z of the direction)",
            ),
            "region3" => {
                (all(text).map(Self::Region3), "six numbers (min x, min y, min z, max x, max y, max z)")
            }
            "region3int16" => (
                all(text).map(Self::Region3int16),
                "six 16-bit integers (min x, min y, min z, max x, max y, max z)",
            ),
            "udim" => (udims(text).map(|[udim]| Self::UDim(udim)), "a number and an integer (scale, offset)"),
            "udim2" => (
                udims(text).map(Self::UDim2),
                "four numbers (x scale, x offset, y scale, y offset; offsets are integers)",
            ),
            "path2dcontrolpoint" => (
                udims(text).map(|[a, b, c, d, e, f]| Self::Path2DControlPoint([[a, b], [c, d], [e, f]])),
                "twelve numbers (x scale, x offset, y scale, y offset of the position, \
                 then of the left tangent, then of the right tangent; offsets are integers)",
            ),
            _ => return None,
        })
    }

    /// The same for the other types.
    fn structured(text: &str, kind: &str) -> Option<(Option<Self>, &'static str)> {
        const CFRAME: &str =
            "three numbers (x, y, z), or twelve numbers (x, y, z, then the rotation matrix row by row)";
        const PHYSICAL: &str = "six numbers (density, friction, elasticity, friction weight, elasticity weight, \
                                acoustic absorption)";
        Some(match kind {
            "cframe" => (cframe(text).map(Self::CFrame), CFRAME),
            "enum" => (
                item(text).map(Self::Enum),
                "the name of an enum and the number of an item, such as `Material 256`",
            ),
            "numbersequence" => {
                let key = |[time, value, envelope]: [f32; 3]| NumberKeypoint { envelope, time, value };
                let keys = keys(text).map(|keys| keys.into_iter().map(key).collect());
                let expected = "one or more keypoints of three numbers (time, value, envelope), such as \
                                `0, 1, 0; 1, 0, 0`";
                (keys.map(Self::NumberSequence), expected)
            }
            "colorsequence" => {
                let key =
                    |[time, r, g, b, envelope]: [f32; 5]| ColorKeypoint { envelope, time, color: [r, g, b] };
                let keys = keys(text).map(|keys| keys.into_iter().map(key).collect());
                let expected = "one or more keypoints of five numbers (time, red, green, blue, envelope), \
                                such as `0, 1, 1, 1, 0; 1, 1, 0, 0, 0`";
                (keys.map(Self::ColorSequence), expected)
            }
            "font" => (
                font(text).map(Self::Font),
                "`family, number of FontWeight, number of FontStyle`, such as \
                 `rbxasset://fonts/families/Arial.json, 400, 0`",
            ),
            "physicalproperties" => {
                let properties = all(text).map(|[density, friction, elasticity, a, b, absorption]| {
                    Self::PhysicalProperties(PhysicalProperties {
                        custom: One,
                        density,
                        friction,
                        elasticity,
                        friction_weight: a,
                        elasticity_weight: b,
                        acoustic_absorption: absorption,
                    })
                });
                (properties, PHYSICAL)
            }
            "tweeninfo" => (
                tween(text).map(Self::TweenInfo),
                "`time, delay, repeat count, number of EasingStyle, number of EasingDirection, reverses`, \
                 such as `1, 0, 0, 1, 1, false`",
            ),
            _ => return None,
        })
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
