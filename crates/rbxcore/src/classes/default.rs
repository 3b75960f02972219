//! Defaults, from their text in the table.

use geom::{CFrame, Mat3, Ray, Rect, UDim, UDim2, Vec2, Vec3};

use crate::kind::Kind;
use crate::types::{
    Axes, BrickColor, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Faces, Font, FontStyle,
    NumberRange, NumberSequence, NumberSequenceKeypoint, SecurityCapabilities,
};
use crate::value::{Content, Value};

/// The value of a text in the table, which is empty for what is zero, empty, nothing or the identity.
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
            // After the family there may be the file that Roblox took last.
            let mut parts = text.split(' ');
            let (weight, style) = (parts.next()?.parse().ok()?, FontStyle(parts.next()?.parse().ok()?));
            Font { family: parts.next()?.into(), weight, style, ..Font::default() }.into()
        }
        kind => Value::neutral(kind),
    })
}

/// Three integers.
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

/// The bytes of a text with `\xff` for those that are not printable.
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
mod tests {
    use super::*;
    use crate::classes::{brick_color, class, classes};

    /// Each default can be read, each class has its base class, each enum its items.
    #[test]
    fn the_table_is_whole() {
        let (mut known, mut all) = (0, 0);
        for class in classes() {
            assert_eq!(class.base().is_none(), class.name() == "Object", "{class:?}");
            for property in class.properties() {
                all += 1;
                let is_unknown = property.default().is_none();
                known += u32::from(!is_unknown);
                assert_eq!(class.stored(property.name()).unwrap().name(), property.name());
                assert_eq!(property.items().is_some(), property.kind() == Kind::Enum, "{property:?}");
            }
        }
        assert!(known * 10 > all * 9, "{known} of {all}");
    }

    /// As roblox-defaults.md has them, which are from real files.
    #[test]
    fn defaults_of_real_files() {
        let default = |of: &str, name: &str| class(of).unwrap().property(name).unwrap().default().unwrap();
        let family = "rbxasset://fonts/families/LegacyArial.json".into();
        assert_eq!(default("TextButton", "FontFace"), Font { family, weight: 400, ..Font::default() }.into());
        assert_eq!(default("Part", "size"), Value::Vector3(Vec3::new(4.0, 1.2, 2.0)));
        assert_eq!(default("Part", "Color"), Color3uint8::new(163, 162, 165).into());
        assert_eq!(default("UnionOperation", "Color3uint8"), Color3uint8::new(255, 255, 255).into());
        assert_eq!(default("Part", "CollisionGroup"), Value::from("Default"));
        assert_eq!(default("Part", "Material"), Value::Enum(256));
        assert_eq!(default("Part", "BackParamA"), Value::Float32(-0.5));
        assert_eq!(default("Model", "ScaleFactor"), Value::Float32(1.0));
        assert_eq!(default("Fire", "heat_xml"), Value::Float32(9.0));
        assert_eq!(default("Terrain", "SmoothGrid"), Value::BinaryString([1, 5].as_slice().into()));
        assert_eq!(default("Part", "CFrame"), CFrame::IDENTITY.into());
        assert_eq!(default("Folder", "SourceAssetId"), Value::Int64(-1));
        assert_eq!(default("Folder", "Name"), Value::from("Folder"));
        assert_eq!(
            default("Workspace", "CollisionGroupData"),
            Value::BinaryString(b"\x01\x01\0\x04\xff\xff\xff\xff\x07Default".as_slice().into())
        );
        assert_eq!(brick_color(194), Some([163, 162, 165]));
        let material = class("Part").unwrap().property("Material").unwrap().items().unwrap();
        assert_eq!((material.name(), material.item("Grass")), ("Material", Some(1280)));
        assert_eq!([256, 0].map(|number| material.item_name(number)), [Some("Plastic"), None]);
        assert_eq!([material.closest("Gras"), material.closest("Stone")], [Some("Grass"), None]);
        // An old property of this class alone.
        let selection = class("SelectionBox").unwrap();
        assert_eq!([selection.closest("Color"), selection.closest("Color4")], [None, Some("Color3")]);
    }

    /// Stored names and types, from roblox-names.tsv and roblox-properties.tsv.
    #[test]
    fn names_and_types() {
        let of = |class_name: &str, name: &str| {
            let property = class(class_name).unwrap().property(name).unwrap();
            (property.name(), property.kind())
        };
        assert_eq!(of("Part", "Shape"), ("shape", Kind::Enum));
        assert_eq!(of("Part", "Tags"), ("Tags", Kind::BinaryString));
        assert_eq!(of("Script", "Source"), ("Source", Kind::ProtectedString));
        assert_eq!(of("Humanoid", "Health"), ("Health_XML", Kind::Float32));
        assert_eq!(of("Camera", "CoordinateFrame"), ("CFrame", Kind::CFrame));
        assert_eq!(of("Decal", "Texture"), ("Texture", Kind::ContentId));
        assert_eq!(of("MeshPart", "MeshContent"), ("MeshContent", Kind::Content));
        assert_eq!(of("SpawnLocation", "TeamColor"), ("TeamColor", Kind::BrickColor));
        assert_eq!(of("WeldConstraint", "Part0"), ("Part0Internal", Kind::Ref));
        let brick = class("Part").unwrap().property("BrickColor").unwrap();
        assert_eq!(brick.replaced_by().collect::<Vec<_>>(), ["Color"]);
        assert!(class("Part").unwrap().property("Ancored").is_none());
        assert!(class("part").is_none());
    }
}
