//! Properties in Roblox's class table, as columns.

use bstr::{BStr, ByteSlice};
use geom::Vec3;
use rbxcore::classes::{Class, Property};

use super::found;
use super::rows::Turn;
use crate::consts::TypeId;
use crate::model::{Column, Document, NewNode, NewValue, PhysicalProperties, Value};
use geom::wire::{Error, Result};

impl TypeId {
    /// The type of the property of a class, under any of its names; `None` if the class table does not know it.
    pub fn of_property(class: impl AsRef<[u8]>, property: impl AsRef<[u8]>) -> Option<Self> {
        Self::of(rbxcore::classes::class(class)?.property(property)?.kind())
    }

    /// The default of a class's property, under its stored name; `None` if the class table has none of this type.
    pub fn default_of(self, class: impl AsRef<[u8]>, property: impl AsRef<[u8]>) -> Option<Value> {
        let property = rbxcore::classes::class(class)?.property(property)?;
        let is_this = Self::of(property.kind()) == Some(self);
        property.default().filter(|_| is_this)?.converted(self.kind()?)
    }
}

/// The value of an instance without the property, converted to a type.
pub(super) fn default(class: &BStr, property: &BStr, type_id: Option<TypeId>) -> Option<Value> {
    let kind = type_id?.kind()?;
    let property = rbxcore::classes::class(class).and_then(|class| class.property(property));
    let known = property.and_then(|property| property.default()?.converted(kind));
    Some(known.unwrap_or_else(|| Value::neutral(kind)))
}

/// Renames and retypes the properties of a new instance as files store them, as far as known. An existing column
/// keeps its name.
pub(super) fn as_stored(document: &Document, node: &mut NewNode) -> Result<()> {
    let Some(class) = rbxcore::classes::class(node.class()) else { return Ok(()) };
    let mut properties = std::mem::take(&mut node.properties);
    for (at, value) in &mut properties {
        let name = node.name(at);
        let Some(property) = class.property(name) else { continue };
        if *property.name() != *name && !stores(document, class, name) {
            *at = node.add_name(property.name().as_bytes());
        }
        let Some(type_id) = TypeId::of(property.kind()) else { continue };
        let new = match value {
            NewValue::Value(value) if TypeId::of_value(&value.as_ref()) == Some(type_id) => continue,
            NewValue::Value(value) => type_id.kind().and_then(|kind| value.converted(kind)),
            NewValue::Label(_) if [TypeId::REF, TypeId::CONTENT].contains(&type_id) => continue,
            NewValue::Label(_) => None,
        };
        let Some(new) = new else {
            let given = match value {
                NewValue::Value(value) => found(value.as_ref()),
                NewValue::Label(_) => TypeId::REF.to_string(),
            };
            let path = format!("{}.{}", class.name(), node.name(at));
            return Err(Error::invalid_argument(path, format!("expected {type_id}, found {given}")));
        };
        *value = NewValue::Value(new);
    }
    node.properties = properties;
    Ok(())
}

fn stores(document: &Document, class: Class, property: &[u8]) -> bool {
    let index = document.index();
    index.classes(class.name().as_bytes()).iter().any(|&number| {
        let there = &document.classes()[number as usize];
        !there.referents.is_empty() && index.column(number, there, property).is_some()
    })
}

/// The stored name of a property that scripts know by another name.
pub(super) fn stored_name(class: &BStr, property: &[u8]) -> Option<&'static str> {
    Some(rbxcore::classes::class(class)?.property(property)?.name())
}

/// The anomaly of a column: its type or its name.
pub(crate) enum Odd {
    Type(String),
    Name(String),
}

/// Columns that Roblox would not read as written: a column whose type does not convert to the stored one; a
/// misspelled property name.
pub(crate) fn odd(class: &BStr, property: &BStr, column: &Column) -> Option<Odd> {
    let known = rbxcore::classes::class(class)?;
    let Some(property) = known.property(property) else {
        let closest = known.closest(property.to_str().ok()?)?;
        return Some(Odd::Name(format!("{property} looks like a misspelling of {closest}")));
    };
    let (expected, found) = (TypeId::of(property.kind())?, column.type_id()?);
    // Files from other years have these.
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

/// The first number that is not an item of its enum, or not in the palette.
pub(crate) fn not_an_item(class: &BStr, property: &BStr, column: &Column) -> Option<(usize, String)> {
    let property = rbxcore::classes::class(class)?.property(property)?;
    match column {
        Column::Enum(items) => {
            let of = property.items()?;
            let row = items.iter().position(|&item| of.item_name(item).is_none())?;
            Some((row, format!("{}, not an item of {}", items[row], of.name())))
        }
        Column::BrickColor(colors) => {
            let row = colors.iter().position(|color| rbxcore::classes::brick_color(color.0).is_none())?;
            Some((row, format!("{}, not in the palette of BrickColor", colors[row].0)))
        }
        _ => None,
    }
}

/// The first number outside its range, or NaN.
pub(crate) fn out_of_range(class: &BStr, property: &BStr, column: &Column) -> Option<(usize, String)> {
    let property = rbxcore::classes::class(class)?.property(property)?;
    if let Column::PhysicalProperties(column) = column {
        let outside = |of: &PhysicalProperties| match of {
            PhysicalProperties::Default => None,
            PhysicalProperties::Custom(of) => rbxcore::classes::physical_outside([
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

/// The columns that have a property under another name, or in the form that replaced it; or, `back`, the column
/// with its older form. With each, how to convert the value.
pub(super) fn turns(
    class: &BStr,
    property: &BStr,
    type_id: Option<TypeId>,
    position: &dyn Fn(&[u8]) -> Option<usize>,
    back: bool,
) -> Vec<(usize, Option<Turn>)> {
    let Some(class) = rbxcore::classes::class(class) else { return Vec::new() };
    let Some(this) = class.property(property) else { return Vec::new() };
    if type_id != TypeId::of(this.kind()) {
        return Vec::new();
    }
    if back {
        let column = |older: Property| older.names().find_map(|name| position(name.as_bytes()));
        let mut found = this.older().filter_map(|(older, turn)| Some((column(older)?, Some(turn))));
        return found.next().into_iter().collect();
    }
    // The same property, under its name in another year.
    let mut same = this.names().filter(|name| name.as_bytes() != property.as_bytes());
    if let Some(column) = same.find_map(|name| position(name.as_bytes())) {
        return vec![(column, None)];
    }
    let newer = this.replaced_by().map(|new| {
        let new = class.property(new)?;
        Some((position(new.name().as_bytes())?, Some(rbxcore::classes::turn(this.kind(), new.kind())?)))
    });
    // If one of them is missing, the value cannot be stored.
    newer.collect::<Option<Vec<_>>>().unwrap_or_default()
}
