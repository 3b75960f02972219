//! Parses values of attributes from text.

use rbxcore::geom::Vec3;
use rbxcore::{Kind, UDim2, Value, Vector3int16, plain};

use crate::attributes::{Attribute, EnumItem, TweenInfo};
use geom::wire::{Error, Result};

impl Attribute {
    /// Parses a value of a type from text. The name of the type is that of [`Attribute::type_name`], in any case, with
    /// or without `_`. Types that properties have are read by [`Value::parse`]; of the others:
    ///
    /// | type | text |
    /// |---|---|
    /// | Enum | the name of the enumeration and a number: `Material 256` |
    /// | Region3, Region3int16 | the smallest and the largest corner: six numbers |
    /// | TweenInfo | time, delay, repeats, style, direction, `true` or `false` |
    /// | Path2DControlPoint | the position and both tangents, each as a UDim2 |
    ///
    /// Arrays, tables and references cannot be parsed.
    ///
    /// # Errors
    /// If the text is not a value of the type, or if values of the type cannot be parsed.
    pub fn parse(text: &str, type_name: &str) -> Result<Self> {
        let kind = type_name.to_lowercase().replace('_', "");
        let numbers = || -> Option<[&str; 6]> { text.split(',').collect::<Vec<_>>().try_into().ok() };
        let (value, expected) = match &*kind {
            "enum" => (item(text), "the name of an enum and the number of an item, such as `Material 256`"),
            "region3" => {
                let corners = numbers().and_then(corners::<f32>);
                let corners = corners.map(|corners| Self::Region3(corners.map(Vec3::from_array)));
                (corners, "six numbers (min x, min y, min z, max x, max y, max z)")
            }
            "region3int16" => {
                let corners = numbers().and_then(corners::<i16>);
                let corner = |[x, y, z]: [i16; 3]| Vector3int16 { x, y, z };
                let corners = corners.map(|corners| Self::Region3int16(corners.map(corner)));
                (corners, "six 16-bit integers (min x, min y, min z, max x, max y, max z)")
            }
            "path2dcontrolpoint" => {
                let points = plain::udims::<6>(text).map(|[a, b, c, d, e, f]| {
                    Self::Path2DControlPoint([(a, b), (c, d), (e, f)].map(|(x, y)| UDim2 { x, y }))
                });
                let expected = "twelve numbers (x scale, x offset, y scale, y offset of the position, then of the left \
                                tangent, then of the right tangent; offsets are integers)";
                (points, expected)
            }
            "tweeninfo" => (
                numbers().and_then(tween),
                "`time, delay, repeat count, number of EasingStyle, number of EasingDirection, reverses`, such as \
                 `1, 0, 0, 1, 1, false`",
            ),
            _ => {
                let known = Kind::named(&kind).filter(|&kind| super::attributes::has(kind));
                let kind = known.ok_or_else(|| {
                    let what = format!(
                        "attributes of the type {type_name} cannot be set from text (expected a type such as string, \
                         bool, int32, float64, Color3 or CFrame)"
                    );
                    Error::invalid_argument("", what)
                })?;
                return Value::parse(kind, text).map(Self::Value);
            }
        };
        value.ok_or_else(|| Error::invalid_argument("", format!("expected {expected}, found `{text}`")))
    }
}

fn one<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}

fn corners<T: std::str::FromStr>([a, b, c, d, e, f]: [&str; 6]) -> Option<[[T; 3]; 2]> {
    Some([[one(a)?, one(b)?, one(c)?], [one(d)?, one(e)?, one(f)?]])
}

fn item(text: &str) -> Option<Attribute> {
    let (name, value) = text.trim().rsplit_once(' ')?;
    Some(Attribute::Enum(EnumItem { name: name.trim().into(), value: one(value)? }))
}

fn tween([time, delay, repeats, style, direction, reverses]: [&str; 6]) -> Option<Attribute> {
    Some(Attribute::TweenInfo(TweenInfo {
        time: one(time)?,
        delay: one(delay)?,
        repeats: one(repeats)?,
        style: one(style)?,
        direction: one(direction)?,
        reverses: one(reverses)?,
    }))
}
