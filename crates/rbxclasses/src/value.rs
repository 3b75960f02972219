//! Types and values.

use std::fmt;

use geom::{CFrame, Mat3, Ray, Rect, UDim, UDim2, Vec2, Vec3, Vector3int16};

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $tag:literal;)+) => {
        /// The type of a property, as files store it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $name,)+
        }

        impl Kind {
            /// The tag of its element in XML, except that `ContentId` and `BrickColor` are told apart from `Content` and
            /// `int`, under whose tags Studio writes them.
            pub fn tag(self) -> &'static str {
                match self {
                    $(Self::$name => $tag,)+
                }
            }

            /// The type of this [`Kind::tag`].
            pub fn of_tag(tag: &str) -> Option<Self> {
                Some(match tag {
                    $($tag => Self::$name,)+
                    _ => return None,
                })
            }
        }
    };
}
kinds! {
    /// Text.
    String "string";
    /// The source of a script.
    ProtectedString "ProtectedString";
    /// Bytes.
    BinaryString "BinaryString";
    /// The address of an asset, of the older type.
    ContentId "ContentId";
    /// An asset, of the newer type.
    Content "Content";
    /// Bytes that instances share.
    SharedString "SharedString";
    /// The same for an asset from the net.
    NetAssetRef "NetAssetRef";
    /// True or false.
    Bool "bool";
    /// An integer of 32 bits.
    Int32 "int";
    /// An integer of 64 bits.
    Int64 "int64";
    /// A number of 32 bits.
    Float32 "float";
    /// A number of 64 bits.
    Float64 "double";
    /// An item of an enum.
    Enum "token";
    /// A colour by its number in the palette.
    BrickColor "BrickColor";
    /// A colour of three numbers.
    Color3 "Color3";
    /// A colour of three bytes.
    Color3uint8 "Color3uint8";
    /// Two numbers.
    Vector2 "Vector2";
    /// Three numbers.
    Vector3 "Vector3";
    /// Three integers of 16 bits.
    Vector3int16 "Vector3int16";
    /// A length.
    UDim "UDim";
    /// A length along each axis.
    UDim2 "UDim2";
    /// A rotation and a position.
    CFrame "CoordinateFrame";
    /// The same, or nothing.
    OptionalCFrame "OptionalCoordinateFrame";
    /// A point and a direction.
    Ray "Ray";
    /// A rectangle.
    Rect "Rect2D";
    /// A set of axes.
    Axes "Axes";
    /// A set of faces.
    Faces "Faces";
    /// From one number to another.
    NumberRange "NumberRange";
    /// Numbers over time.
    NumberSequence "NumberSequence";
    /// Colours over time.
    ColorSequence "ColorSequence";
    /// How a part behaves in the simulation.
    PhysicalProperties "PhysicalProperties";
    /// A typeface.
    Font "Font";
    /// An identifier that no two instances share.
    UniqueId "UniqueId";
    /// What a script may do.
    SecurityCapabilities "SecurityCapabilities";
    /// An instance.
    Ref "Ref";
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

/// The default of a property.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// The bytes of a string of any type, an address, or a shared string; an empty address is no asset.
    Bytes(Vec<u8>),
    /// Of `Bool`.
    Bool(bool),
    /// Of `Int32`, `Int64`, `Enum`, `BrickColor`, `Axes`, `Faces` and `SecurityCapabilities`, within their range.
    Integer(i64),
    /// Of `Float32`.
    Float32(f32),
    /// Of `Float64`.
    Float64(f64),
    /// Of `Color3`: red, green and blue.
    Color3([f32; 3]),
    /// Of `Color3uint8`: red, green and blue.
    Color3uint8([u8; 3]),
    /// Of `Vector2`.
    Vector2(Vec2),
    /// Of `Vector3`.
    Vector3(Vec3),
    /// Of `Vector3int16`.
    Vector3int16(Vector3int16),
    /// Of `UDim`.
    UDim(UDim),
    /// Of `UDim2`.
    UDim2(UDim2),
    /// Of `CFrame`.
    CFrame(CFrame),
    /// Of `Ray`.
    Ray(Ray),
    /// Of `Rect`.
    Rect(Rect),
    /// Of `NumberRange`: the least and the greatest.
    NumberRange([f32; 2]),
    /// Of `NumberSequence`: time, number and envelope of each keypoint.
    NumberSequence(Vec<[f32; 3]>),
    /// Of `ColorSequence`: time, red, green, blue and envelope of each keypoint.
    ColorSequence(Vec<[f32; 5]>),
    /// Of `Font`.
    Font {
        /// The asset of the family.
        family: String,
        /// How bold: 100 to 900.
        weight: u16,
        /// 0 for upright, 1 for italic.
        style: u8,
    },
    /// No frame, no instance, no identifier, the physical properties of the material.
    Nothing,
}

impl Value {
    /// From the text in the table, which is empty for what is zero, empty, nothing or the identity.
    pub(crate) fn parse(kind: Kind, text: &str) -> Option<Self> {
        let mut numbers = text.split(' ').filter(|part| !part.is_empty());
        let mut f = || numbers.next().map_or(Some(0.0_f32), |part| part.parse().ok());
        Some(match kind {
            Kind::String
            | Kind::ProtectedString
            | Kind::BinaryString
            | Kind::ContentId
            | Kind::Content
            | Kind::SharedString
            | Kind::NetAssetRef => Self::Bytes(unescape(text)?),
            Kind::Bool => Self::Bool(text == "1"),
            Kind::Int32
            | Kind::Int64
            | Kind::Enum
            | Kind::BrickColor
            | Kind::Axes
            | Kind::Faces
            | Kind::SecurityCapabilities => {
                Self::Integer(if text.is_empty() { 0 } else { text.parse().ok()? })
            }
            Kind::Float32 => Self::Float32(f()?),
            Kind::Float64 => Self::Float64(if text.is_empty() { 0.0 } else { text.parse().ok()? }),
            Kind::Color3 => Self::Color3([f()?, f()?, f()?]),
            Kind::Color3uint8 => Self::Color3uint8(bytes(text)?),
            Kind::Vector2 => Self::Vector2(Vec2::new(f()?, f()?)),
            Kind::Vector3 => Self::Vector3(Vec3::new(f()?, f()?, f()?)),
            Kind::Vector3int16 => Self::Vector3int16(bytes(text)?.into()),
            Kind::UDim => Self::UDim(udim(text.split(' '))?),
            Kind::UDim2 => {
                let mut parts = text.split(' ');
                Self::UDim2(UDim2 { x: udim(parts.by_ref())?, y: udim(parts)? })
            }
            Kind::CFrame if text.is_empty() => Self::CFrame(CFrame::IDENTITY),
            Kind::CFrame => {
                let position = Vec3::new(f()?, f()?, f()?);
                let rows = [f()?, f()?, f()?, f()?, f()?, f()?, f()?, f()?, f()?];
                Self::CFrame(CFrame { position, rotation: Mat3::from_rows(rows) })
            }
            Kind::Ray => {
                let origin = Vec3::new(f()?, f()?, f()?);
                Self::Ray(Ray { origin, direction: Vec3::new(f()?, f()?, f()?) })
            }
            Kind::Rect => {
                let min = Vec2::new(f()?, f()?);
                Self::Rect(Rect { min, max: Vec2::new(f()?, f()?) })
            }
            Kind::NumberRange => Self::NumberRange([f()?, f()?]),
            Kind::NumberSequence => Self::NumberSequence(keypoints(text)?),
            Kind::ColorSequence => Self::ColorSequence(keypoints(text)?),
            Kind::Font => {
                // After the family there may be the file that Roblox took last.
                let mut parts = text.split(' ');
                let (weight, style) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
                Self::Font { family: parts.next()?.to_owned(), weight, style }
            }
            Kind::OptionalCFrame | Kind::PhysicalProperties | Kind::UniqueId | Kind::Ref => Self::Nothing,
        })
    }
}

/// Three integers.
fn bytes<T: std::str::FromStr + Default + Copy>(text: &str) -> Option<[T; 3]> {
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
    use crate::{brick_color, class, classes, has_item};

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
                if let Some(of) = property.enum_name() {
                    assert!(has_item(of, u32::MAX).is_some(), "{property:?}");
                }
            }
        }
        assert!(known * 10 > all * 9, "{known} of {all}");
    }

    /// As roblox-defaults.md has them, which are from real files.
    #[test]
    fn defaults_of_real_files() {
        let default = |of: &str, name: &str| class(of).unwrap().property(name).unwrap().default().unwrap();
        let family = "rbxasset://fonts/families/LegacyArial.json".to_owned();
        assert_eq!(default("TextButton", "FontFace"), Value::Font { family, weight: 400, style: 0 });
        assert_eq!(default("Part", "size"), Value::Vector3(Vec3::new(4.0, 1.2, 2.0)));
        assert_eq!(default("Part", "Color"), Value::Color3uint8([163, 162, 165]));
        assert_eq!(default("UnionOperation", "Color3uint8"), Value::Color3uint8([255, 255, 255]));
        assert_eq!(default("Part", "CollisionGroup"), Value::Bytes("Default".into()));
        assert_eq!(default("Part", "Material"), Value::Integer(256));
        assert_eq!(default("Part", "BackParamA"), Value::Float32(-0.5));
        assert_eq!(default("Model", "ScaleFactor"), Value::Float32(1.0));
        assert_eq!(default("Fire", "heat_xml"), Value::Float32(9.0));
        assert_eq!(default("Terrain", "SmoothGrid"), Value::Bytes([1, 5].into()));
        assert_eq!(default("Part", "CFrame"), Value::CFrame(CFrame::IDENTITY));
        assert_eq!(default("Folder", "SourceAssetId"), Value::Integer(-1));
        assert_eq!(default("Folder", "Name"), Value::Bytes("Folder".into()));
        assert_eq!(
            default("Workspace", "CollisionGroupData"),
            Value::Bytes(b"\x01\x01\0\x04\xff\xff\xff\xff\x07Default".to_vec())
        );
        assert_eq!(brick_color(194), Some([163, 162, 165]));
        assert_eq!((has_item("Material", 256), has_item("Material", 0)), (Some(true), Some(false)));
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
