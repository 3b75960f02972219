//! The instances that values refer to: in columns of references and of content, and in attributes.

use std::collections::HashSet;

use rbxcore::parts::attributes::{self, Incomplete};

use super::lists::ContentEntry;
use super::strings::Strings;
use super::{Class, Column, Property, Referent};

/// The property with the attributes of an instance.
pub(crate) const ATTRIBUTES: &[u8] = attributes::ATTRIBUTES.as_bytes();

impl Property {
    /// Whether values can refer to instances, judging by the type alone.
    pub(crate) fn refers(&self) -> bool {
        match &self.column {
            Column::Ref(_) | Column::Content(_) => true,
            Column::String(_) => self.name == *ATTRIBUTES,
            _ => false,
        }
    }

    /// Calls `visit` with the row and the referent of each non-null reference; without a row for an external object.
    /// Those behind attributes of unknown types are not found; see [`referred`].
    pub(crate) fn references(&self, mut visit: impl FnMut(Option<usize>, Referent)) {
        let mut visit = |row, referent: Referent| {
            if !referent.is_null() {
                visit(row, referent);
            }
        };
        match &self.column {
            Column::Ref(values) => (0..).zip(values).for_each(|(row, value)| visit(Some(row), *value)),
            Column::Content(contents) => {
                for (row, entry) in contents.entries.iter().enumerate() {
                    if let ContentEntry::Object(object) = entry {
                        visit(Some(row), *object);
                    }
                }
                contents.external.iter().for_each(|object| visit(None, *object));
            }
            Column::String(blobs) if self.name == *ATTRIBUTES => {
                for (row, blob) in blobs.iter().enumerate() {
                    let _found = attributes::references(blob, |_, to| visit(Some(row), Referent(to)));
                }
            }
            _ => {}
        }
    }

    /// The referent in a row of a column of references or of content.
    pub(crate) fn reference(&self, row: usize) -> Option<Referent> {
        match &self.column {
            Column::Ref(values) => values.get(row).copied(),
            Column::Content(contents) => match contents.entries.get(row)? {
                ContentEntry::Object(object) => Some(*object),
                _ => None,
            },
            _ => None,
        }
    }

    /// The column with referents replaced; `None` if nothing changes.
    pub(crate) fn with_references(&self, to: &dyn Fn(Referent) -> Referent) -> Option<Column> {
        let mut differs = false;
        self.references(|_, referent| differs |= to(referent) != referent);
        if !differs {
            return None;
        }
        Some(match &self.column {
            Column::Ref(values) => Column::Ref(values.iter().map(|&value| to(value)).collect()),
            Column::Content(contents) => {
                let mut contents = contents.clone();
                for entry in &mut contents.entries {
                    if let ContentEntry::Object(object) = entry {
                        *object = to(*object);
                    }
                }
                contents.external.iter_mut().for_each(|object| *object = to(*object));
                Column::Content(contents)
            }
            Column::String(blobs) => {
                let mapped = blobs.iter().map(|blob| with_attribute_references(blob, to).0);
                Column::String(Strings::from_strings(mapped).ok()?)
            }
            _ => return None,
        })
    }
}

/// Whether a property is the one with attributes.
pub(crate) fn has_attributes(property: &[u8]) -> bool {
    property == ATTRIBUTES
}

/// All referents to which values of these classes refer, and those to which attributes of unknown types may refer.
pub(crate) fn referred(classes: &[Class]) -> HashSet<Referent> {
    let mut all = HashSet::new();
    for property in classes.iter().flat_map(|class| &class.properties).filter(|property| property.refers()) {
        property.references(|_, referent| _ = all.insert(referent));
        if let Column::String(blobs) = &property.column {
            for blob in blobs.iter() {
                if let Err(incomplete) = attributes::references(blob, |_, _| {}) {
                    all.extend(attributes::possible(blob, incomplete.at).map(Referent));
                }
            }
        }
    }
    all
}

/// The attributes with each referent replaced by `to`.
///
/// # Errors
/// If references behind a value of an unknown type cannot be found.
pub(crate) fn with_attribute_references(
    blob: &[u8],
    mut to: impl FnMut(Referent) -> Referent,
) -> (Vec<u8>, Result<(), Incomplete>) {
    let mut mapped = blob.to_vec();
    let done = attributes::references(blob, |at, referent| {
        if let Some(bytes) = mapped.get_mut(at..at + size_of::<i32>()) {
            bytes.copy_from_slice(&to(Referent(referent)).0.to_le_bytes());
        }
    });
    (mapped, done)
}
