//! Properties in files of other years: under other names, and in forms that another property has replaced.

use bstr::{BStr, ByteSlice as _};
use geom::Vec2;

use super::table::TABLE;
use super::{Property, brick_color, class as class_named, font};
use crate::kind::Kind;
use crate::types::{BrickColor, Color3, Color3uint8};
use crate::value::{Content, ContentRef, Value, ValueRef};

/// Converts a value of an older property to the form that replaced it; `None` if the value has no such form.
pub type Turn = fn(ValueRef<'_>) -> Option<Value>;

impl Property {
    /// The names under which files of any year store it, the current one first, except for names that are now those of
    /// another property.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let is_own = move |name: &&str| self.class.stored(name).is_none_or(|of| of.name() == self.name());
        std::iter::once(self.name()).chain(self.other_names().filter(is_own))
    }

    /// The properties that it has replaced, with the conversion of their values.
    pub fn older(self) -> impl Iterator<Item = (Self, Turn)> {
        let is_older =
            move |older: &Self| older.replaced_by().any(|new| self.names().any(|name| name == new));
        let older = self.class.properties().filter(is_older);
        older.filter_map(move |older| Some((older, turn(older.kind(), self.kind())?)))
    }
}

/// The property in which files store another one of scripts, such as the position of a part.
pub fn stored_in(class: impl AsRef<[u8]>, property: impl AsRef<[u8]>) -> Option<&'static str> {
    let (base, stored) = match property.as_ref() {
        b"Position" | b"Orientation" => (&["BasePart", "Attachment"][..], "CFrame"),
        b"Rotation" => (&["BasePart"][..], "CFrame"),
        b"Axis" | b"SecondaryAxis" | b"WorldPosition" | b"WorldOrientation" | b"WorldCFrame" => {
            (&["Attachment"][..], "CFrame")
        }
        b"WorldPivot" => (&["Model"][..], "WorldPivotData"),
        _ => return None,
    };
    let class = class_named(class)?;
    base.iter().any(|base| class.is_a(base)).then_some(stored)
}

/// Why a file cannot have a property, if that is known: scripts have it, but it is a part of another one or of the tree.
pub fn unstored(class: impl AsRef<[u8]>, property: impl AsRef<[u8]>) -> Option<String> {
    let (class, property) = (BStr::new(class.as_ref()), BStr::new(property.as_ref()));
    match &**property {
        b"Parent" => Some("the parent is not stored as a property (move the instance)".to_owned()),
        b"ClassName" if class_named(class).is_some() => {
            Some("the class of an instance cannot be changed".to_owned())
        }
        _ => {
            if let Some(other) = stored_in(class, property) {
                return Some(format!("files store {class}.{property} in {other} (set {other})"));
            }
            // An insertion asks for each property.
            let of_scripts = ["Parent", "ClassName", "Position", "Orientation", "Rotation"];
            let meant = of_scripts.into_iter().find(|name| property.eq_ignore_ascii_case(name.as_bytes()));
            if meant.is_none() && !property.contains(&b'.') {
                return None;
            }
            let known = class_named(class)?;
            if let Some((of, part)) = property.split_once_str(b".") {
                let of = BStr::new(of);
                let is_known = known.property(of).is_some() || stored_in(class, of).is_some();
                return is_known.then(|| format!("{class}.{of} has no part {}", BStr::new(part)));
            }
            let meant = meant?;
            let is_other = known.property(property).is_none() && known.property(meant).is_none();
            (is_other && property != meant && unstored(class, meant).is_some())
                .then(|| format!("{class} has no property {property} (did you mean {meant}?)"))
        }
    }
}

/// The sizes in pixels of the items of the enum `FontSize`.
const FONT_SIZES: [f32; 15] =
    [8.0, 9.0, 10.0, 11.0, 12.0, 14.0, 18.0, 24.0, 36.0, 48.0, 28.0, 32.0, 42.0, 60.0, 96.0];

/// The conversion between an older form and the one that replaced it, in either direction; `None` if it is not known.
/// Each is exact: a value without an equal one has none.
pub fn turn(from: Kind, to: Kind) -> Option<Turn> {
    let turn: Turn = match (from, to) {
        (from, to) if from == to => |value| Some(value.to_value()),
        (Kind::ContentId, Kind::Content) => |value| Some(value.converted(Kind::Content)?.to_value()),
        (Kind::Content, Kind::ContentId) => |value| Some(value.converted(Kind::ContentId)?.to_value()),
        (Kind::BrickColor, Kind::Color3uint8) => |value| {
            let [r, g, b] = brick_color(value.as_brick_color()?.0)?;
            Some(Color3uint8 { r, g, b }.into())
        },
        (Kind::BrickColor, Kind::Color3) => |value| {
            let [r, g, b] = brick_color(value.as_brick_color()?.0)?.map(|byte| f32::from(byte) / 255.0);
            Some(Color3 { r, g, b }.into())
        },
        (Kind::Color3uint8, Kind::BrickColor) => |value| match value {
            ValueRef::Color3uint8(Color3uint8 { r, g, b }) => named_color([r, g, b]),
            _ => None,
        },
        (Kind::Color3, Kind::BrickColor) => |value| match value.converted(Kind::Color3uint8)? {
            ValueRef::Color3uint8(Color3uint8 { r, g, b }) => named_color([r, g, b]),
            _ => None,
        },
        (Kind::Int64, Kind::Content) => |value| {
            Some(Value::Content(match value.as_i64()? {
                0 => Content::None,
                id => Content::Uri(format!("rbxassetid://{id}").into()),
            }))
        },
        (Kind::Content, Kind::Int64) => |value| match value {
            ValueRef::Content(ContentRef::None) => Some(Value::Int64(0)),
            ValueRef::Content(ContentRef::Uri(uri)) => {
                let id = uri.strip_prefix(b"rbxassetid://")?.to_str().ok()?;
                Some(Value::Int64(id.parse().ok()?))
            }
            _ => None,
        },
        // `IgnoreGuiInset` became `ScreenInsets`: `DeviceSafeInsets` if it is true, else `CoreUISafeInsets`.
        (Kind::Bool, Kind::Enum) => {
            |value: ValueRef<'_>| Some(Value::Enum(if value.as_bool()? { 1 } else { 2 }))
        }
        (Kind::Enum, Kind::Bool) => |value| match value.as_enum()? {
            1 => Some(Value::Bool(true)),
            2 => Some(Value::Bool(false)),
            _ => None,
        },
        (Kind::Enum, Kind::Font) => |value| font(value.as_enum()?),
        (Kind::Font, Kind::Enum) => |value| {
            let ValueRef::Font(face) = value else { return None };
            let is_it = |number: &u32| match font(*number) {
                Some(Value::Font(of)) => {
                    (of.family.as_slice(), of.weight, of.style) == (face.family, face.weight, face.style)
                }
                _ => false,
            };
            TABLE.fonts.keys().copied().filter(is_it).min().map(Value::Enum)
        },
        // `FontSize` became `TextSize`.
        (Kind::Enum, Kind::Float32) => {
            |value| FONT_SIZES.get(value.as_enum()? as usize).copied().map(Value::Float32)
        }
        (Kind::Float32, Kind::Enum) => |value| {
            let ValueRef::Float32(size) = value else { return None };
            let item = FONT_SIZES.iter().position(|&known| known.to_bits() == size.to_bits())?;
            Some(Value::Enum(u32::try_from(item).ok()?))
        },
        // `VelocitySpread` became `SpreadAngle`.
        (Kind::Float32, Kind::Vector2) => |value| {
            let ValueRef::Float32(angle) = value else { return None };
            Some(Vec2::new(angle, angle).into())
        },
        (Kind::Vector2, Kind::Float32) => |value| match value {
            ValueRef::Vector2(Vec2 { x, y }) if x.to_bits() == y.to_bits() => Some(Value::Float32(x)),
            _ => None,
        },
        _ => return None,
    };
    Some(turn)
}

/// The first `BrickColor` with these bytes.
fn named_color(rgb: [u8; 3]) -> Option<Value> {
    let number = TABLE.colors.iter().find(|(_, (known, _))| *known == rgb)?.0;
    Some(BrickColor(*number).into())
}
