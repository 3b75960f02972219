//! What Roblox's class table knows of properties, as columns have them.

use bstr::{BStr, ByteSlice};
use geom::Vec3;
use rbxclasses::{Class, Kind, Property, Value as Default};

use super::found;
use super::rows::Turn;
use crate::consts::TypeId;
use crate::model::{
    Axes, BrickColor, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Column, Content, Document,
    Faces, Font, FontStyle, NewNode, NewValue, NumberRange, NumberSequence, NumberSequenceKeypoint,
    PhysicalProperties, SecurityCapabilities, Value, ValueRef, converted, converted_value,
};
use geom::wire::{Error, Result};

/// The type of a column for a kind; `None` for one that this crate does not know.
pub(crate) fn type_of(kind: Kind) -> Option<TypeId> {
    Some(match kind {
        Kind::String | Kind::ProtectedString | Kind::BinaryString | Kind::ContentId => TypeId::STRING,
        Kind::Content => TypeId::CONTENT,
        Kind::SharedString | Kind::NetAssetRef => TypeId::SHARED_STRING,
        Kind::Bool => TypeId::BOOL,
        Kind::Int32 => TypeId::INT32,
        Kind::Int64 => TypeId::INT64,
        Kind::Float32 => TypeId::FLOAT32,
        Kind::Float64 => TypeId::FLOAT64,
        Kind::Enum => TypeId::ENUM,
        Kind::BrickColor => TypeId::BRICK_COLOR,
        Kind::Color3 => TypeId::COLOR3,
        Kind::Color3uint8 => TypeId::COLOR3_UINT8,
        Kind::Vector2 => TypeId::VECTOR2,
        Kind::Vector3 => TypeId::VECTOR3,
        Kind::Vector3int16 => TypeId::VECTOR3_INT16,
        Kind::UDim => TypeId::UDIM,
        Kind::UDim2 => TypeId::UDIM2,
        Kind::CFrame => TypeId::CFRAME,
        Kind::OptionalCFrame => TypeId::OPTIONAL_CFRAME,
        Kind::Ray => TypeId::RAY,
        Kind::Rect => TypeId::RECT,
        Kind::Axes => TypeId::AXES,
        Kind::Faces => TypeId::FACES,
        Kind::NumberRange => TypeId::NUMBER_RANGE,
        Kind::NumberSequence => TypeId::NUMBER_SEQUENCE,
        Kind::ColorSequence => TypeId::COLOR_SEQUENCE,
        Kind::PhysicalProperties => TypeId::PHYSICAL_PROPERTIES,
        Kind::Font => TypeId::FONT,
        Kind::UniqueId => TypeId::UNIQUE_ID,
        Kind::SecurityCapabilities => TypeId::SECURITY_CAPABILITIES,
        Kind::Ref => TypeId::REF,
        _ => return None,
    })
}

/// A value of the table.
fn value_of(kind: Kind, value: Default) -> Option<Value> {
    Some(match value {
        Default::Bytes(bytes) => match kind {
            Kind::Content if bytes.is_empty() => Value::Content(Content::None),
            Kind::Content => Value::Content(Content::Uri(bytes.into())),
            Kind::SharedString | Kind::NetAssetRef => Value::SharedString(bytes.into()),
            _ => Value::String(bytes.into()),
        },
        Default::Bool(value) => Value::Bool(value),
        Default::Integer(value) => match kind {
            Kind::Int64 => Value::Int64(value),
            Kind::Enum => Value::Enum(value.try_into().ok()?),
            Kind::BrickColor => BrickColor(value.try_into().ok()?).into(),
            Kind::Axes => Axes(value.try_into().ok()?).into(),
            Kind::Faces => Faces(value.try_into().ok()?).into(),
            Kind::SecurityCapabilities => SecurityCapabilities(value.cast_unsigned()).into(),
            _ => Value::Int32(value.try_into().ok()?),
        },
        Default::Float32(value) => Value::Float32(value),
        Default::Float64(value) => Value::Float64(value),
        Default::Color3([r, g, b]) => Color3 { r, g, b }.into(),
        Default::Color3uint8([r, g, b]) => Color3uint8 { r, g, b }.into(),
        Default::Vector2(value) => value.into(),
        Default::Vector3(value) => value.into(),
        Default::Vector3int16(value) => value.into(),
        Default::UDim(value) => value.into(),
        Default::UDim2(value) => value.into(),
        Default::CFrame(value) => value.into(),
        Default::Ray(value) => value.into(),
        Default::Rect(value) => value.into(),
        Default::NumberRange([min, max]) => NumberRange { min, max }.into(),
        Default::NumberSequence(keypoints) => {
            let keypoint =
                |[time, value, envelope]: [f32; 3]| NumberSequenceKeypoint { time, value, envelope };
            NumberSequence { keypoints: keypoints.into_iter().map(keypoint).collect() }.into()
        }
        Default::ColorSequence(keypoints) => {
            let keypoint = |[time, r, g, b, envelope]: [f32; 5]| ColorSequenceKeypoint {
                time,
                color: Color3 { r, g, b },
                envelope,
            };
            ColorSequence { keypoints: keypoints.into_iter().map(keypoint).collect() }.into()
        }
        Default::Font { family, weight, style } => {
            Font { family: family.into(), weight, style: FontStyle(style), ..Font::default() }.into()
        }
        Default::Nothing => Value::neutral(type_of(kind)?)?,
        _ => return None,
    })
}

impl TypeId {
    /// The type of the property of a class, under any of its names; `None` where the class table does not know it.
    pub fn of_property(class: impl AsRef<[u8]>, property: impl AsRef<[u8]>) -> Option<Self> {
        type_of(rbxclasses::class(class)?.property(property)?.kind())
    }
}

impl Value {
    /// The value as one of another type, if nothing is lost: a wider number, a string of another kind, the nearest float of 32
    /// bits, the nearest colour of bytes.
    pub fn converted(&self, type_id: TypeId) -> Option<Self> {
        converted_value(type_id, self.as_ref())
    }

    /// The default of the property of a class, under the name by which files store it; `None` where the class table
    /// knows none of this type.
    pub fn default_of(class: impl AsRef<[u8]>, property: impl AsRef<[u8]>, type_id: TypeId) -> Option<Self> {
        let property = rbxclasses::class(class)?.property(property)?;
        value_of(property.kind(), property.default()?).filter(|value| value.type_id() == type_id)
    }
}

/// What an instance without the property has, as a value of a type.
pub(super) fn default(class: &BStr, property: &BStr, type_id: Option<TypeId>) -> Option<Value> {
    let property = rbxclasses::class(class).and_then(|class| class.property(property));
    let known = property.and_then(|property| value_of(property.kind(), property.default()?));
    let known = known.and_then(|value| converted_value(type_id?, value.as_ref()));
    known.or_else(|| Value::neutral(type_id?))
}

/// Gives the properties of a new instance the names and the types under which files store them, as far as they are
/// known. A column that is there keeps its name.
pub(super) fn as_stored(document: &Document, node: &mut NewNode) -> Result<()> {
    let Some(class) = rbxclasses::class(&node.class) else { return Ok(()) };
    for (name, value) in &mut node.properties {
        let Some(property) = class.property(&*name) else { continue };
        if property.name().as_bytes() != name.as_slice() && !stores(document, class, name) {
            *name = property.name().into();
        }
        let Some(type_id) = type_of(property.kind()) else { continue };
        let new = match value {
            NewValue::Value(value) if value.type_id() == type_id => continue,
            NewValue::Value(value) => converted_value(type_id, value.as_ref()),
            NewValue::Label(_) if [TypeId::REF, TypeId::CONTENT].contains(&type_id) => continue,
            NewValue::Label(_) => None,
        };
        let Some(new) = new else {
            let given = match value {
                NewValue::Value(value) => found(value.as_ref()),
                NewValue::Label(_) => TypeId::REF.to_string(),
            };
            let path = format!("{}.{name}", class.name());
            return Err(Error::invalid_argument(path, format!("expected {type_id}, found {given}")));
        };
        *value = NewValue::Value(new);
    }
    Ok(())
}

fn stores(document: &Document, class: Class, property: &[u8]) -> bool {
    let index = document.index();
    index.classes(class.name().as_bytes()).iter().any(|&number| {
        let there = &document.classes()[number as usize];
        !there.referents.is_empty() && index.column(number, there, property).is_some()
    })
}

/// The name under which a property is stored that scripts know under another.
pub(super) fn stored_name(class: &BStr, property: &[u8]) -> Option<&'static str> {
    Some(rbxclasses::class(class)?.property(property)?.name())
}

/// What is odd about a column: its type, or its name.
pub(crate) enum Odd {
    Type(String),
    Name(String),
}

/// What Roblox would not read as it is written: a column of a type that does not become the one that is stored; a name that
/// is not that of a property, but nearly.
pub(crate) fn odd(class: &BStr, property: &BStr, column: &Column) -> Option<Odd> {
    let known = rbxclasses::class(class)?;
    let Some(property) = known.property(property) else {
        let closest = known.closest(property.to_str().ok()?)?;
        return Some(Odd::Name(format!("{property}, which is probably {closest}")));
    };
    let (expected, found) = (type_of(property.kind())?, column.type_id()?);
    // What files of other times have.
    const READ_TOO: [(TypeId, TypeId); 8] = [
        (TypeId::STRING, TypeId::SHARED_STRING),
        (TypeId::STRING, TypeId::BYTECODE),
        (TypeId::SHARED_STRING, TypeId::STRING),
        (TypeId::INT64, TypeId::INT32),
        (TypeId::INT32, TypeId::INT64),
        (TypeId::COLOR3_UINT8, TypeId::COLOR3),
        (TypeId::BRICK_COLOR, TypeId::INT32),
        (TypeId::CFRAME, TypeId::CFRAME_QUAT),
    ];
    let fits = expected == found || READ_TOO.contains(&(expected, found));
    (!fits).then(|| Odd::Type(format!("{found}, expected {expected}")))
}

/// The first number of an enum or of the palette that means nothing.
pub(crate) fn not_an_item(class: &BStr, property: &BStr, column: &Column) -> Option<(usize, String)> {
    let property = rbxclasses::class(class)?.property(property)?;
    match column {
        Column::Enum(items) => {
            let of = property.enum_name()?;
            let row = items.iter().position(|&item| rbxclasses::has_item(of, item) == Some(false))?;
            Some((row, format!("{}, which is not an item of {of}", items[row])))
        }
        Column::BrickColor(colors) => {
            let row = colors.iter().position(|color| rbxclasses::brick_color(color.0).is_none())?;
            Some((row, format!("{}, which is not in the palette", colors[row].0)))
        }
        _ => None,
    }
}

/// The first number that is not within its range, and NaN.
pub(crate) fn out_of_range(class: &BStr, property: &BStr, column: &Column) -> Option<(usize, String)> {
    let property = rbxclasses::class(class)?.property(property)?;
    if let Column::PhysicalProperties(column) = column {
        let outside = |of: &PhysicalProperties| match of {
            PhysicalProperties::Default => None,
            PhysicalProperties::Custom(of) => rbxclasses::physical_outside([
                of.density,
                of.friction,
                of.elasticity,
                of.friction_weight,
                of.elasticity_weight,
            ]),
        };
        let mut rows = column.iter().enumerate();
        let (row, (name, number, range)) = rows.find_map(|(row, of)| Some((row, outside(of)?)))?;
        return Some((row, format!("a {name} of {number}, expected {} to {}", range.start(), range.end())));
    }
    let range = property.range()?;
    let outside = |number: &f32| !range.contains(number);
    let (row, number) = match column {
        Column::Float32(numbers) => {
            numbers.iter().copied().enumerate().find(|(_, number)| outside(number))?
        }
        Column::Vector3(vectors) => {
            let first =
                |(row, vector): (usize, &Vec3)| Some((row, vector.to_array().into_iter().find(outside)?));
            vectors.iter().enumerate().find_map(first)?
        }
        _ => return None,
    };
    Some((row, format!("{number}, expected {} to {}", range.start(), range.end())))
}

/// The columns that have a property under another name, or in the form that has replaced it; or, `back`, the column with
/// the older form of it. With each, how the value is turned.
pub(super) fn turns(
    class: &BStr,
    property: &BStr,
    type_id: Option<TypeId>,
    position: &dyn Fn(&[u8]) -> Option<usize>,
    back: bool,
) -> Vec<(usize, Option<Turn>)> {
    let Some(class) = rbxclasses::class(class) else { return Vec::new() };
    let Some(this) = class.property(property) else { return Vec::new() };
    if type_id != type_of(this.kind()) {
        return Vec::new();
    }
    let names = |of: Property| std::iter::once(of.name()).chain(of.other_names());
    if back {
        let older =
            class.properties().filter(|older| older.replaced_by().any(|new| names(this).any(|n| n == new)));
        let mut found = older.filter_map(|older| {
            let column = names(older).find_map(|name| position(name.as_bytes()))?;
            Some((column, Some(turn(older.kind(), this.kind())?)))
        });
        return found.next().into_iter().collect();
    }
    // The same property, under a name of another time.
    let same = names(this).filter(|name| name.as_bytes() != property.as_bytes());
    if let Some(column) = same
        .filter(|name| class.stored(name).is_none_or(|p| p.name() == this.name()))
        .find_map(|name| position(name.as_bytes()))
    {
        return vec![(column, None)];
    }
    let newer = this.replaced_by().map(|new| {
        let new = class.property(new)?;
        Some((position(new.name().as_bytes())?, Some(turn(this.kind(), new.kind())?)))
    });
    // Where one of them is missing, the value has no place.
    newer.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// How a value of an older form becomes one of the form that has replaced it.
fn turn(from: Kind, to: Kind) -> Option<Turn> {
    let turn: Turn = match (from, to) {
        (Kind::UDim, Kind::UDim) => |value| Some(value.to_value()),
        (Kind::ContentId, Kind::Content) => |value| Some(converted(TypeId::CONTENT, value)?.to_value()),
        (Kind::BrickColor, Kind::Color3uint8) => |value| {
            let [r, g, b] = rbxclasses::brick_color(value.as_brick_color()?.0)?;
            Some(Color3uint8 { r, g, b }.into())
        },
        (Kind::Int64, Kind::Content) => |value| {
            Some(Value::Content(match value.as_i64()? {
                0 => Content::None,
                id => Content::Uri(format!("rbxassetid://{id}").into()),
            }))
        },
        // `IgnoreGuiInset`: the screen without, or with, the insets of the core interface.
        (Kind::Bool, Kind::Enum) => {
            |value: ValueRef<'_>| Some(Value::Enum(if value.as_bool()? { 1 } else { 2 }))
        }
        (Kind::Enum, Kind::Font) => |value| value_of(Kind::Font, rbxclasses::font(value.as_enum()?)?),
        _ => return None,
    };
    Some(turn)
}
