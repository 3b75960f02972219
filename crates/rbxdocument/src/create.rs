//! New instances.

use rbxcore::{Dom, EditOptions, InstanceId, NewInstance, Value};

use crate::attribute_refs;
use crate::view::View as _;
use geom::wire::{Error, Result};

/// An instance to create.
#[derive(Debug)]
pub struct New {
    /// The class.
    pub class: String,
    /// Whether it is a service.
    pub service: bool,
    /// The stored names and values of the properties.
    pub properties: Vec<(String, Value)>,
}

/// Creates an instance with exactly these properties.
///
/// # Errors
/// As [`Dom::insert`](trait.Dom.html#method.insert).
pub fn create(document: &mut dyn Dom, parent: Option<InstanceId>, mut new: New) -> Result<InstanceId> {
    if document.has_columns() {
        attribute_refs::folded(&mut new.properties)?;
    }
    let mut instance = NewInstance::new(&new.class).service(new.service);
    for (name, value) in new.properties {
        instance = instance.property(name, value);
    }
    let options = EditOptions::new().keep_unique_ids(true).as_given(true);
    first(&options.insert(document, parent, instance)?)
}

/// The first instance that an edit added.
fn first(edited: &rbxcore::Edited) -> Result<InstanceId> {
    let first = edited.instances.first().copied();
    first.ok_or_else(|| Error::argument("the model has no instances to insert"))
}
