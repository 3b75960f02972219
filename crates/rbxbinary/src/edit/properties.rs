//! Adds properties to a class and removes them.

use std::collections::HashSet;

use bstr::{BStr, ByteSlice as _};

use super::rows::Turn;
use super::{not_stored, refuse};
use crate::consts::TypeId;
use crate::model::{Column, Document, Index, Name, Property, Source, UNIQUE_ID, Value};
use geom::wire::{Budget, Error, Result};
use rbxcore::Filled;

/// The memory of a value for some instances, in a list whose capacity doubles.
fn memory(instances: usize, value: &Value) -> u64 {
    (instances as u64).saturating_mul(2 * value.as_ref().memory() as u64)
}

/// A failing edit leaves the document unchanged.
impl Document {
    /// Adds a property to a class with this value for all its instances.
    pub(crate) fn add_to_all(&mut self, name: &[u8], property: &[u8], value: Value) -> Result<()> {
        let path = || format!("{}.{}", BStr::new(name), BStr::new(property));
        self.editable()?;
        let mut numbers = self.numbers(name)?;
        if value.kind().is_none() {
            return Err(Error::invalid_argument(
                path(),
                "the binary format cannot represent this value (only XML can)",
            ));
        }
        // If several classes have the name, some may store the property.
        numbers.retain(|&number| !self.stores(number, property));
        if numbers.is_empty() {
            return Err(Error::invalid_argument(
                path(),
                "the class already stores the property (Document::set changes its values, unless they are \
                 malformed)",
            ));
        }
        let rows = numbers.iter().map(|&number| self.classes[number as usize].referents.len()).sum();
        self.room.take(memory(rows, &value)).map_err(|kind| Error::new(kind, path()))?;
        let strings = self.shared_strings.len();
        for (done, &number) in numbers.iter().enumerate() {
            let type_id = TypeId::of_value(&value.as_ref());
            if let Err(error) = self.add_column(number, property.into(), type_id, Some(&value), None) {
                for &number in &numbers[..=done] {
                    self.classes[number as usize].properties.pop();
                    self.parts().index.forget_columns(number);
                }
                self.forget_shared(strings);
                return Err(error);
            }
        }
        self.touch_value();
        self.touch_new_strings(strings);
        Ok(())
    }

    /// Removes properties from a class, with the values of all its instances, in one walk over its columns.
    pub(crate) fn remove_from_all(&mut self, name: &[u8], properties: &[&[u8]]) -> Result<()> {
        self.editable()?;
        let numbers = self.numbers(name)?;
        let stored = |property: &[u8]| numbers.iter().any(|&number| self.stores(number, property));
        if let Some(property) = properties.iter().find(|property| !stored(property)) {
            let class = numbers.first().map(|&number| &self.classes[number as usize]);
            let what = class.map_or_else(|| "".into(), |class| not_stored(class, property, ""));
            return Err(Error::invalid_argument(
                format!("{}.{}", BStr::new(name), BStr::new(property)),
                what,
            ));
        }
        let gone: HashSet<&[u8]> = properties.iter().copied().collect();
        for number in numbers {
            let is_kept = |property: &Property| !gone.contains(property.name.as_bytes());
            let class = &mut self.classes[number as usize];
            if let Some(places) = self.frames.classes.get_mut(number as usize) {
                let mut kept = class.properties.iter().map(is_kept);
                places.columns.retain(|_| kept.next().unwrap_or(true));
            }
            class.properties.retain(is_kept);
            self.parts().index.forget_columns(number);
        }
        self.frames.freed = true;
        if gone.contains(UNIQUE_ID) {
            self.parts().index.forget_unique_ids();
        }
        self.touch_value();
        Ok(())
    }

    /// Sets the memory in bytes that later edits may use for values that they fill in for instances that lack a
    /// property. A small model can ask for much of it: each of its properties that the document does not have needs a
    /// value for each instance of the class. By default, it is what reading the document has left of
    /// [`ReadOptions::max_bytes`](crate::ReadOptions::max_bytes); for a new document, 1 GiB.
    pub fn set_max_bytes(&mut self, max_bytes: u64) {
        self.room = Budget::new(max_bytes);
    }

    /// The memory that is left after an edit fills in these values.
    ///
    /// # Errors
    /// `Limit` if the values need more than is left.
    pub(super) fn room_after(&self, filled: &[Filled]) -> Result<Budget> {
        let mut room = self.room.clone();
        for Filled { class, property, instances, value } in filled {
            let limit = |kind| Error::new(kind, format!("{class}.{property}"));
            room.take(memory(*instances, value)).map_err(limit)?;
        }
        Ok(room)
    }

    /// Whether a class stores a property.
    fn stores(&self, number: u32, property: &[u8]) -> bool {
        let class = &self.classes[number as usize];
        self.index().column(number, class, property).is_some()
    }

    /// Adds a column to a class, with a value for each of its instances. If a value is refused, the column remains, and
    /// the caller removes it.
    pub(super) fn add_column(
        &mut self,
        number: u32,
        name: Name,
        type_id: Option<TypeId>,
        value: Option<&Value>,
        from: Option<(usize, Option<Turn>)>,
    ) -> Result<()> {
        let column = || type_id.and_then(Column::new).unwrap_or(Column::Untyped);
        let class = &mut self.classes[number as usize];
        let (rows, place) = (class.referents.len(), (number, class.properties.len()));
        class.properties.push(Property { name: name.clone(), column: column() });
        let mut parts = self.parts();
        parts.index.add_column(number, &name, place.1);
        let Some(value) = value.map(Value::as_ref) else { return Ok(()) };
        if name == *UNIQUE_ID {
            parts.index.forget_unique_ids();
        }
        let put = (0..rows).try_for_each(|row| {
            let turned = from.and_then(|(column, turn)| {
                let source = Source { shared: parts.shared_strings, index: parts.index };
                turn?(parts.classes[number as usize].properties[column].column.value(row, &source)?)
            });
            let value = turned.as_ref().map_or(value, Value::as_ref);
            parts.put(place, None, value, &Index::referent)
        });
        put.map_err(|mismatch| {
            let path = format!("{}.{name}", self.classes[number as usize].name);
            refuse(path, mismatch, value, &column())
        })
    }
}
