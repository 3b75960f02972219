//! The value that a property has in Roblox: files leave out defaults, and use other names and older forms.

use rbxcore::classes::{self, Class, Property};
use rbxcore::property::{Found, Source};
use rbxcore::{CFrame, Dom, InstanceId, Value};

use crate::forms;
use crate::view::View as _;

/// The value that the file stores, under this or another name of the property.
pub fn stored(document: &dyn Dom, id: InstanceId, property: &str) -> Option<Value> {
    document.value(id, property).or_else(|| {
        let known = classes::class(&*document.class_of(id))?.property(property)?;
        known.names().find_map(|name| document.value(id, name))
    })
}

/// The properties of a class that the file does not store for an instance; without those whose newer form it stores.
pub fn unstored(
    document: &dyn Dom,
    id: InstanceId,
    class: Class,
) -> impl Iterator<Item = (&'static str, Effective)> {
    class.properties().filter_map(move |property| {
        let found = effective(document, id, property.name())?;
        let is_newer = |name: &str| {
            property
                .replaced_by()
                .filter_map(|newer| class.property(newer))
                .flat_map(Property::names)
                .any(|of| of == name)
        };
        match &found {
            Effective::Stored(_) => None,
            Effective::Other(name, _) if is_newer(name) => None,
            _ => Some((property.name(), found)),
        }
    })
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
    if let Some(value) = document.value(id, property) {
        return Some(Effective::Stored(value));
    }
    let Found { value, source } = document.property(id, property)?;
    let value = forms::from_xml(&document.class_of(id), property, value);
    Some(match source {
        Source::Stored => Effective::Stored(stored(document, id, property).unwrap_or(value)),
        Source::Form(name) => Effective::Other(name, value),
        Source::Default => Effective::Default(value),
        _ => return None,
    })
}

/// The value of a property for queries and columns: the effective one, or a computed one, such as `Parent`, `Position` and
/// `CFrame.X`.
pub fn value(document: &dyn Dom, id: InstanceId, property: &str) -> Option<Value> {
    effective(document, id, property)
        .map(Effective::into_value)
        .or_else(|| document.property(id, property).map(|found| found.value))
}

/// The default of a property.
pub fn default(class: &str, name: &str) -> Option<Value> {
    classes::class(class)?.stored(name)?.default()
}

/// The frame of an instance of which a property is a part: `Position` or `Orientation`, if its class has no such property.
pub fn frame_of(document: &dyn Dom, id: InstanceId, property: &str) -> Option<CFrame> {
    let class = document.class_of(id);
    let class = classes::class(&*class).filter(|_| matches!(property, "Position" | "Orientation"))?;
    class.property("CFrame").filter(|_| class.property(property).is_none())?;
    effective(document, id, "CFrame")?.into_value().as_cframe()
}
