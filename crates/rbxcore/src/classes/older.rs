//! Properties in files of other years: under other names, and in forms that another property has replaced.

use bstr::BStr;

use super::{Property, brick_color, class as class_named, font};
use crate::kind::Kind;
use crate::types::Color3uint8;
use crate::value::{Content, Value, ValueRef};

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
            let other = stored_in(class, property)?;
            Some(format!("files store {class}.{property} in {other} (set {other})"))
        }
    }
}

/// The conversion from an older form to the one that replaced it; `None` if it is not known.
pub fn turn(from: Kind, to: Kind) -> Option<Turn> {
    let turn: Turn = match (from, to) {
        (Kind::UDim, Kind::UDim) => |value| Some(value.to_value()),
        (Kind::ContentId, Kind::Content) => |value| Some(value.converted(Kind::Content)?.to_value()),
        (Kind::BrickColor, Kind::Color3uint8) => |value| {
            let [r, g, b] = brick_color(value.as_brick_color()?.0)?;
            Some(Color3uint8 { r, g, b }.into())
        },
        (Kind::Int64, Kind::Content) => |value| {
            Some(Value::Content(match value.as_i64()? {
                0 => Content::None,
                id => Content::Uri(format!("rbxassetid://{id}").into()),
            }))
        },
        // `IgnoreGuiInset` became `ScreenInsets`: `DeviceSafeInsets` if it is true, else `CoreUISafeInsets`.
        (Kind::Bool, Kind::Enum) => {
            |value: ValueRef<'_>| Some(Value::Enum(if value.as_bool()? { 1 } else { 2 }))
        }
        (Kind::Enum, Kind::Font) => |value| font(value.as_enum()?),
        _ => return None,
    };
    Some(turn)
}
