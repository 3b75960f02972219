//! New instances.

use bstr::{BStr, BString, ByteSlice};

use super::{accepts, filled, pool, refuse};
use crate::consts::ClassFormat;
use crate::error::Result;
use crate::model::{Class, Column, Document, Place, Property, Referent, Value};

/// An instance to insert: its class and the properties that it has.
///
/// ```
/// use rbxbinary::{Document, NewInstance, Value};
///
/// # fn main() -> rbxbinary::Result<()> {
/// let mut document = Document::new();
/// let folder = document.insert(None, NewInstance::new("Folder").property("Name", "Doors"))?;
/// let door = NewInstance::new("Part")
///     .property("Name", "Door")
///     .property("Transparency", 0.5_f32)
///     .fill("Anchored", true);
/// let door = document.insert(Some(folder), door)?;
/// assert_eq!(document.tree().find("Doors/Door").unwrap().referent(), door);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct NewInstance {
    class: BString,
    service: bool,
    properties: Vec<(BString, Value)>,
    fills: Vec<(BString, Value)>,
}

impl NewInstance {
    /// An instance of a class.
    pub fn new(class: impl Into<BString>) -> Self {
        Self { class: class.into(), ..Self::default() }
    }

    /// Whether the class is a service, should the document not have it yet.
    pub fn service(mut self, service: bool) -> Self {
        self.service = service;
        self
    }

    /// A property and its value.
    pub fn property(mut self, name: impl Into<BString>, value: impl Into<Value>) -> Self {
        self.properties.push((name.into(), value.into()));
        self
    }

    /// The value of a property for whoever has none: the other instances of the class where the
    /// column is new, and this instance where it does not name the property itself. Without it, they
    /// get the type's neutral value, which need not be the class's default.
    pub fn fill(mut self, name: impl Into<BString>, value: impl Into<Value>) -> Self {
        self.fills.push((name.into(), value.into()));
        self
    }

    fn fill_of(&self, name: &[u8]) -> Option<&Value> {
        self.fills.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value)
    }
}

/// Whether rows can be added to all columns of a class.
pub(super) fn is_open(class: &Class) -> bool {
    !class.properties.iter().any(|property| matches!(property.column, Column::Unknown { .. }))
}

impl Document {
    /// Inserts an instance under a parent, after its children; `None` is the root. Returns which
    /// referent it got.
    ///
    /// A class that is new gets its place and its columns. The columns that the class has already get
    /// the instance's values, or those of [`NewInstance::fill`], or neutral ones.
    ///
    /// # Errors
    /// `Unwritable` where the parent is not in the document, and where a column of the class is of a
    /// type that cannot hold the value.
    pub fn insert(&mut self, parent: Option<Referent>, new: NewInstance) -> Result<Referent> {
        if let Some(parent) = parent {
            self.located(parent)?;
        }
        let index = self.classes.iter().position(|class| class.name == new.class && is_open(class));
        if let Some(class) = index.and_then(|index| self.classes.get(index)) {
            for (name, value) in new.properties.iter().chain(&new.fills) {
                accepts(class, name, value.as_ref())?;
            }
        }
        let referent = self.new_referent();
        let index = index.unwrap_or_else(|| self.add_class(new.class.clone(), new.service));
        let Self { classes, shared_strings, .. } = self;
        let class = &mut classes[index];
        let mut pool = pool(shared_strings);
        let before = class.referents.len();
        let path = |name: &BStr| format!("{}.{name}", new.class);
        // The last of several values for one property counts.
        let given =
            new.properties.iter().chain(new.fills.iter().filter(|(name, _)| class.property(name).is_none()));
        let given: Vec<(&BString, &Value)> = given.map(|(name, value)| (name, value)).collect();
        for (name, value) in given {
            if class.property(name).is_none() {
                let value = value.as_ref();
                let column = filled(value, new.fill_of(name), before, &mut pool)
                    .map_err(|mismatch| refuse(path(name.as_bstr()), mismatch, &value, &Column::Untyped))?;
                class.properties.push(Property { name: name.as_slice().into(), column });
            }
        }
        for Property { name, column } in &mut class.properties {
            let own = new.properties.iter().rev().find(|(other, _)| name == other).map(|(_, value)| value);
            match own.or_else(|| new.fill_of(name)).map(Value::as_ref) {
                Some(value) => column
                    .put(Place::End, value, &mut pool)
                    .map_err(|mismatch| refuse(path(name.as_bstr()), mismatch, &value, column))?,
                None => column.fill(before + 1, &mut pool).map_err(|mismatch| {
                    refuse(path(name.as_bstr()), mismatch, &Value::Bool(false).as_ref(), column)
                })?,
            }
        }
        class.referents.push(referent);
        if class.format == ClassFormat::SERVICE {
            class.markers.push(parent.is_none().into());
        }
        self.parents.children.push(referent);
        self.parents.parents.push(parent.unwrap_or(Referent::NULL));
        self.touch();
        Ok(referent)
    }

    /// A class without instances, with an id of its own; its index.
    pub(super) fn add_class(&mut self, name: BString, service: bool) -> usize {
        let ids: std::collections::HashSet<u32> = self.classes.iter().map(|class| class.id).collect();
        let id = (0..).find(|id| !ids.contains(id)).unwrap_or(u32::MAX);
        let format = if service { ClassFormat::SERVICE } else { ClassFormat::REGULAR };
        self.classes.push(Class { id, name, format, ..Class::default() });
        self.classes.len() - 1
    }
}
