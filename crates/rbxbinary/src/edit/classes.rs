//! Compares columns with the properties in Roblox's class table, and converts values to their types.

use bstr::{BStr, ByteSlice};
use rbxcore::Kind;
use rbxcore::classes::{Class, Property, default_of};

use super::found;
use super::rows::Turn;
use crate::consts::TypeId;
use crate::model::{Column, Document, NewNode, NewValue, PhysicalProperties, Value};
use geom::wire::{Error, Problem, Result};

impl TypeId {
    /// The type of the property of a class, under any of its names; `None` if the class table does not know it.
    pub fn of_property(class: impl AsRef<[u8]>, property: impl AsRef<[u8]>) -> Option<Self> {
        Self::of(rbxcore::classes::class(class)?.property(property)?.kind())
    }

    /// The default of a class's property, under any of its names, as a value of this type; `None` if the class table
    /// does not know it, or if the property has another type.
    pub fn default_of(self, class: impl AsRef<[u8]>, property: impl AsRef<[u8]>) -> Option<Value> {
        let known = rbxcore::classes::class(&class).and_then(|class| class.property(&property));
        let is_this = known.is_none_or(|property| Self::of(property.kind()) == Some(self));
        default_of(class, property, self.kind()?).filter(|_| is_this)
    }
}

/// The default of a property, converted to a type. That of a reference or of a unique id is null.
pub(super) fn default(class: &BStr, property: impl AsRef<[u8]>, type_id: Option<TypeId>) -> Option<Value> {
    let kind = type_id?.kind()?;
    let null = || matches!(kind, Kind::Ref | Kind::UniqueId).then(|| Value::neutral(kind));
    default_of(class, property, kind).or_else(null)
}

/// Whether a value of another instance is a better guess than the neutral one: neither a place nor content.
pub(super) fn is_setting(value: &Value) -> bool {
    matches!(
        value.kind(),
        Some(
            Kind::Bool
                | Kind::Int32
                | Kind::Int64
                | Kind::Float32
                | Kind::Float64
                | Kind::Enum
                | Kind::BrickColor
                | Kind::Color3
                | Kind::Color3uint8
                | Kind::NumberRange
                | Kind::UDim
                | Kind::UDim2
        )
    )
}

/// A property that has replaced another one: its name, its type, and the conversion of the value if one is needed.
pub(super) type Successor = (&'static str, TypeId, Option<Turn>);

/// The properties that have replaced one, or the one itself if only its name has changed.
pub(super) fn successors(class: &BStr, property: &BStr, type_id: TypeId) -> Option<Vec<Successor>> {
    let class = rbxcore::classes::class(class)?;
    let this = class.property(property).filter(|this| TypeId::of(this.kind()) == Some(type_id))?;
    let newer = this.replaced_by().map(|new| {
        let new = class.property(new)?;
        let turn = rbxcore::classes::turn(this.kind(), new.kind())?;
        Some((new.name(), TypeId::of(new.kind())?, Some(turn)))
    });
    let newer: Vec<_> = newer.collect::<Option<_>>()?;
    match newer.is_empty() {
        true => (*this.name() != *property).then(|| vec![(this.name(), type_id, None)]),
        false => Some(newer),
    }
}

/// Gives the known properties of a new instance the types with which files store them, and their stored names, unless
/// the document has a column with the given name. Fails if a value cannot be converted.
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
            NewValue::Value(value) => {
                let kind = type_id.kind();
                let name = node.name(at);
                let path = || format!("{}.{name}", class.name());
                let found = rbxcore::classes::named(class.name(), name, value.as_ref(), kind);
                let wrong = |what: String| Error::invalid_argument(path(), Problem::WrongType(what.into()));
                let found = found.map_err(wrong)?;
                kind.and_then(|kind| found.as_ref().unwrap_or(value).converted(kind))
            }
            NewValue::Label(_) if [TypeId::REF, TypeId::CONTENT].contains(&type_id) => continue,
            NewValue::Label(_) => None,
        };
        let Some(new) = new else {
            let given = match value {
                NewValue::Value(value) => found(value.as_ref()),
                NewValue::Label(_) => TypeId::REF.to_string(),
            };
            let path = format!("{}.{}", class.name(), node.name(at));
            let what = format!("expected {type_id}, found {given}");
            return Err(Error::invalid_argument(path, Problem::WrongType(what.into())));
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

/// The stored name of a property, by any of its names.
pub(super) fn stored_name(class: &BStr, property: &[u8]) -> Option<&'static str> {
    Some(rbxcore::classes::class(class)?.property(property)?.name())
}

/// What is unusual about a column: its type or its name, with the text of the finding.
pub(crate) enum Odd {
    Type(String),
    Name(String),
}

/// Finds a column that Roblox would not read as it is: one whose type does not convert to the stored type, or one
/// whose name looks like a misspelling.
pub(crate) fn odd(class: &BStr, name: &BStr, column: &Column) -> Option<Odd> {
    let known = rbxcore::classes::class(class)?;
    let Some(property) = known.property(name) else {
        let closest = known.closest(name.to_str().ok()?)?;
        return Some(Odd::Name(format!("property name looks like a misspelling of \"{closest}\"")));
    };
    let (expected, found) = (TypeId::of(property.kind())?, column.type_id()?);
    // Under another name, it is a property of another year.
    let is_older = property.name().as_bytes() != name.as_bytes();
    let is_bytecode = (expected, found) == (TypeId::STRING, TypeId::BYTECODE);
    let fits = expected == found || is_older || is_bytecode || expected.reads_too(found);
    (!fits).then(|| Odd::Type(format!("expected the type {expected}, found {found}")))
}

/// The rows of a column that break a rule: the first one, the text of the finding, and the number of such rows.
pub(crate) type Broken = (usize, String, usize);

/// The values that `wrong` maps to what is wrong with them; `text` describes the first.
fn broken<T, W>(
    values: &[T],
    wrong: impl Fn(&T) -> Option<W>,
    text: impl FnOnce(W) -> String,
) -> Option<Broken> {
    let mut rows = values.iter().enumerate().filter_map(|(row, value)| Some((row, wrong(value)?)));
    let (row, first) = rows.next()?;
    Some((row, text(first), 1 + rows.count()))
}

/// The numbers of a column that are not items of their enum, or not in the palette.
pub(crate) fn not_an_item(class: &BStr, property: &BStr, column: &Column) -> Option<Broken> {
    let property = rbxcore::classes::class(class)?.property(property)?;
    let no_color = |number: u32| rbxcore::classes::brick_color(number).is_none().then_some(number);
    let text = |number| rbxcore::classes::not_a_brick_color(number).unwrap_or_default();
    match column {
        Column::Enum(items) => {
            let of = property.items()?;
            let wrong = |&item: &u32| of.item_name(item).is_none().then_some(item);
            broken(items, wrong, |item| format!("{item} is not an item of the enum {}", of.name()))
        }
        Column::BrickColor(colors) => broken(colors, |color| no_color(color.0), text),
        Column::Int32(numbers) if property.kind() == Kind::BrickColor => {
            broken(numbers, |number| no_color(number.cast_unsigned()), text)
        }
        _ => None,
    }
}

/// The numbers of a column that are NaN or outside their range.
pub(crate) fn out_of_range(class: &BStr, property: &BStr, column: &Column) -> Option<Broken> {
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
        return broken(column, outside, |(name, number, range)| {
            format!("expected {name} from {} to {}, found {number}", range.start(), range.end())
        });
    }
    let range = property.range()?;
    let outside = |number: &f32| !range.contains(number);
    let text =
        |number| format!("expected a number from {} to {}, found {number}", range.start(), range.end());
    match column {
        Column::Float32(numbers) => broken(numbers, |number| Some(*number).filter(outside), text),
        Column::Vector3(vectors) => {
            broken(vectors, |vector| vector.to_array().into_iter().find(outside), text)
        }
        _ => None,
    }
}

/// The columns that store a property under another name, or in the form that replaced it; if `back`, the column that
/// stores its older form. Each with the conversion of the value, if one is needed.
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
    // If one of the newer columns is missing, the value cannot be stored.
    newer.collect::<Option<Vec<_>>>().unwrap_or_default()
}
