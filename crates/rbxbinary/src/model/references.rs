//! The instances that values refer to: in columns of references and of content, and in attributes.

use std::collections::HashSet;

use bstr::ByteSlice;

use super::lists::ContentEntry;
use super::strings::Strings;
use super::{Class, Column, Property, Referent};

/// The property with the attributes of an instance.
pub(crate) const ATTRIBUTES: &[u8] = b"AttributesSerialize";

/// The type of an attribute that refers to an instance. Its value is the referent, as an i32.
const REF: u8 = 0x25;

/// The maximum depth of nested arrays and tables in attributes.
const MAX_DEPTH: u32 = 64;

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
                    attribute_references(blob, |_, referent| visit(Some(row), referent));
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
                let mapped = blobs.iter().map(|blob| with_attribute_references(blob, to));
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

/// All referents to which values of these classes refer.
pub(crate) fn referred(classes: &[Class]) -> HashSet<Referent> {
    let mut all = HashSet::new();
    for property in classes.iter().flat_map(|class| &class.properties).filter(|property| property.refers()) {
        property.references(|_, referent| _ = all.insert(referent));
    }
    all
}

/// The attributes with each referent replaced by `to`.
pub(crate) fn with_attribute_references(blob: &[u8], mut to: impl FnMut(Referent) -> Referent) -> Vec<u8> {
    let mut mapped = blob.to_vec();
    attribute_references(blob, |at, referent| {
        if let Some(bytes) = mapped.get_mut(at..at + size_of::<i32>()) {
            bytes.copy_from_slice(&to(referent).0.to_le_bytes());
        }
    });
    mapped
}

/// Calls `visit` with the offset and the referent of each attribute that refers to an instance. An unknown type
/// ends the walk, since the length of its value is unknown, too.
pub(crate) fn attribute_references(blob: &[u8], mut visit: impl FnMut(usize, Referent)) {
    if blob.find_byte(REF).is_some() {
        let mut walk = Walk { blob, at: 0, visit: &mut visit };
        let _complete = walk.table(MAX_DEPTH);
    }
}

struct Walk<'a> {
    blob: &'a [u8],
    at: usize,
    visit: &'a mut dyn FnMut(usize, Referent),
}

impl Walk<'_> {
    fn take(&mut self, len: usize) -> Option<&[u8]> {
        let start = self.at;
        self.at = start.checked_add(len)?;
        self.blob.get(start..self.at)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }

    /// Skips a count and that number of records, each of `len` bytes.
    fn records(&mut self, len: usize) -> Option<()> {
        let bytes = (self.u32()? as usize).checked_mul(len)?;
        self.take(bytes).map(|_| ())
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    /// Walks over a table: a count, then that number of names, each with its value.
    fn table(&mut self, depth: u32) -> Option<()> {
        for _ in 0..self.u32()? {
            self.records(1)?;
            self.value(depth)?;
        }
        Some(())
    }

    /// Walks over a value and its type.
    fn value(&mut self, depth: u32) -> Option<()> {
        let fixed = match self.byte()? {
            0x01 => 0,
            0x03 => 1,
            0x1e => 3,
            0x04 | 0x05 | 0x0c | 0x0d | 0x0e | 0x12 => 4,
            0x13 => 6,
            0x06 | 0x09 | 0x10 | 0x1b | 0x22 => 8,
            0x0f | 0x11 | 0x20 => 12,
            0x0a | 0x1c => 16,
            0x24 => 21,
            0x0b | 0x1f => 24,
            0x1d => 25,
            0x23 => 48,
            0x02 => return self.records(1),
            0x17 => return self.records(12),
            0x19 => return self.records(20),
            0x15 => {
                self.records(1)?;
                4
            }
            0x21 => {
                self.take(3)?;
                self.records(1)?;
                return self.records(1);
            }
            0x14 => {
                let is_matrix = self.take(13)?.last() == Some(&0);
                if is_matrix { 36 } else { 0 }
            }
            0x07 => {
                for _ in 0..self.u32()? {
                    self.value(depth.checked_sub(1)?)?;
                }
                0
            }
            0x08 => return self.table(depth.checked_sub(1)?),
            REF => {
                let at = self.at;
                let referent = Referent(i32::from_le_bytes(*self.take(4)?.first_chunk()?));
                (self.visit)(at, referent);
                0
            }
            _ => return None,
        };
        self.take(fixed).map(|_| ())
    }
}
