//! The value that a property has in Roblox: files leave out defaults, and use other names and older forms.

use rbxbinary::TypeId;
use rbxcore::classes::{self, Class, Property};
use rbxcore::{CFrame, Dom, InstanceId, UniqueId, Value};

use crate::view::View as _;

/// The value that the file stores, under this or another name of the property.
pub fn stored(document: &dyn Dom, id: InstanceId, property: &str) -> Option<Value> {
    document.value(id, property).or_else(|| {
        let known = classes::class(&*document.class_of(id))?.property(property)?;
        known.names().find_map(|name| document.value(id, name))
    })
}

/// The properties of a class that the file does not store for an instance.
pub fn unstored(
    document: &dyn Dom,
    id: InstanceId,
    class: Class,
) -> impl Iterator<Item = (&'static str, Effective)> {
    let all = class.properties().map(|property| property.name());
    let found = all.filter_map(move |name| Some((name, stored_or_older(document, id, name)?)));
    found.filter(|(_, found)| !matches!(found, Effective::Stored(_)))
}

/// The effective value of a property, and its source.
#[derive(Clone, Debug, PartialEq)]
pub enum Effective {
    /// The file stores the value, under this name or another.
    Stored(Value),
    /// The file stores the value in an older or a newer form, a property with this name.
    Other(&'static str, Value),
    /// The default of the class.
    Default(Value),
}

impl Effective {
    /// The value.
    pub fn into_value(self) -> Value {
        match self {
            Self::Stored(value) | Self::Other(_, value) | Self::Default(value) => value,
        }
    }
}

/// The effective value of a property of an instance; `None` if neither the file nor the class table has one.
pub fn effective(document: &dyn Dom, id: InstanceId, property: &str) -> Option<Effective> {
    stored_or_older(document, id, property).or_else(|| {
        let class = classes::class(&*document.class_of(id))?;
        let known = class.property(property)?;
        let mut newer = known.replaced_by().filter_map(|name| class.property(name)).flat_map(Property::names);
        let kind = TypeId::of(known.kind())?.kind()?;
        newer.find_map(|name| Some(Effective::Other(name, document.value(id, name)?.converted(kind)?)))
    })
}

/// As [`effective`], but a newer form that the file stores does not count.
fn stored_or_older(document: &dyn Dom, id: InstanceId, property: &str) -> Option<Effective> {
    if let Some(value) = stored(document, id, property) {
        return Some(Effective::Stored(value));
    }
    let class = classes::class(&*document.class_of(id))?;
    let known = class.property(property)?;
    let stored = |known: Property| known.names().find_map(|name| Some((name, document.value(id, name)?)));
    let older = known.older().find_map(|(older, turn)| {
        let (name, value) = stored(older)?;
        Some(Effective::Other(name, turn(value.as_ref())?))
    });
    // The default of an older form has no effect if the file stores the form that replaced it.
    let is_replaced = || {
        let mut newer = known.replaced_by().filter_map(|name| class.property(name));
        newer.any(|newer| stored(newer).is_some())
    };
    let default = || {
        let default = TypeId::of(known.kind())?.default_of(class.name(), known.name());
        default.or_else(|| of_every_class(known.name()))
    };
    older.or_else(|| default().filter(|_| !is_replaced()).map(Effective::Default))
}

/// The default of a property.
pub fn default(class: &str, name: &str) -> Option<Value> {
    classes::class(class)?.stored(name)?.default().or_else(|| of_every_class(name))
}

/// The defaults of properties that every instance has, which the class table lacks: those that Studio writes for a new one
/// whose value it has not set.
fn of_every_class(name: &str) -> Option<Value> {
    Some(match name {
        "AttributesSerialize" | "Tags" => Value::String("".into()),
        "HistoryId" | "UniqueId" => Value::UniqueId(UniqueId::default()),
        "SourceAssetId" => Value::Int64(-1),
        _ => return None,
    })
}

/// The frame of an instance of which a property is a part: `Position` or `Orientation`, if its class has no such property.
pub fn frame_of(document: &dyn Dom, id: InstanceId, property: &str) -> Option<CFrame> {
    let class = document.class_of(id);
    let class = classes::class(&*class).filter(|_| matches!(property, "Position" | "Orientation"))?;
    class.property("CFrame").filter(|_| class.property(property).is_none())?;
    effective(document, id, "CFrame")?.into_value().as_cframe()
}
