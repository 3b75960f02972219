//! Options and results of edits, and the iterators over instances. An edit changes only what it names, and leaves the document unchanged if it is refused. Its
//! cost depends on the values that it changes, not on the size of the document.

#[cfg(feature = "classes")]
pub(crate) mod classes;
mod dom;
mod graft;
mod one;
mod properties;
mod rows;
mod sources;
#[cfg(test)]
#[path = "../../tests/inside/edit.rs"]
mod tests;
mod undo;

use std::collections::HashMap;

pub use rbxcore::{
    Added, Children, Descendants, EditOptions, Edited, Fill, Filled, LeftOut, Missing, Others, Renamed,
    ValueOf,
};

use bstr::{BStr, ByteSlice};
use rbxcore::Dom as _;
use rbxcore::missing;

use crate::consts::TypeId;
use crate::model::{
    Class, Column, Document, Index, InstanceId, Mismatch, Parents, Property, Referent, Sink, Source,
    UNIQUE_ID, Value, ValueRef,
};
use crate::view::slot;
use geom::wire::{Error, Problem, Result};
use rbxcore::parts::names;

/// Describes a value in an error message: its type, and the value if it is a number.
fn found(value: ValueRef<'_>) -> String {
    let id = TypeId::of_value(&value)
        .map_or_else(|| "a value of a type that only XML can represent".into(), |id| id.to_string());
    match (value.as_i64(), value.as_f64()) {
        (Some(number), _) => format!("{id} {number}"),
        (None, Some(number)) => format!("{id} {number:?}"),
        (None, None) => id,
    }
}

/// The error for a value that does not fit a column.
#[cold]
pub(crate) fn refuse(path: String, mismatch: Mismatch, value: ValueRef<'_>, column: &Column) -> Error {
    let stored = column.type_id().map_or_else(|| "unknown".into(), |id| id.to_string());
    let given = found(value);
    let what = match mismatch {
        Mismatch::Type => Problem::WrongType(format!("expected {stored}, found {given}").into()),
        Mismatch::Row => "the PROP chunk has no value for this instance".into(),
        Mismatch::Full => "the values of this property would exceed 4 GiB".into(),
        Mismatch::Reference => {
            Problem::NoInstance("the value refers to an instance that is not in the document".into())
        }
        Mismatch::Unknown => {
            let what = format!(
                "cannot set a value: the values of the PROP chunk (type: {stored}) cannot be decoded (to drop \
                 them, convert the document to XML and back with the option allow_loss or --allow-loss)"
            );
            what.into()
        }
    };
    Error::invalid_argument(path, what)
}

/// The parts of a document that edits of values borrow separately.
pub(crate) struct Parts<'a> {
    pub(crate) classes: &'a mut Vec<Class>,
    pub(crate) index: &'a mut Index,
    pub(crate) shared_strings: &'a mut Vec<crate::model::SharedString>,
}

impl Parts<'_> {
    /// Stores a value in a row of a column, or in a new row if `at` is `None`. `referent` returns the referent of an
    /// instance; it is usually [`Index::referent`].
    pub(crate) fn put(
        &mut self,
        (class, column): (u32, usize),
        at: Option<usize>,
        value: ValueRef<'_>,
        referent: &dyn Fn(&Index, InstanceId) -> Option<Referent>,
    ) -> Result<(), Mismatch> {
        let Self { classes, index, shared_strings } = self;
        let column = classes.get_mut(class as usize).and_then(|class| class.properties.get_mut(column));
        let Some(Property { column, .. }) = column else { return Err(Mismatch::Row) };
        let mut pool = std::mem::take(&mut index.pool);
        let referent = |id| referent(index, id);
        let mut sink = Sink { strings: shared_strings, pool: &mut pool, referent: &referent };
        let put = column.put(at, value, &mut sink);
        index.pool = pool;
        put
    }
}

/// A failing edit leaves the document unchanged.
impl Document {
    /// Sets the value of a property that the class of the instance stores.
    pub(crate) fn set_stored(&mut self, id: InstanceId, property: &[u8], value: Value) -> Result<()> {
        self.editable()?;
        let (class, number, row) = self.located(id).ok_or_else(|| missing(id))?;
        let Some(column) = self.stored_column(number, class, property) else {
            let what = not_stored(class, property, " (Document::add_property adds it to every instance)");
            return Err(Error::invalid_argument(self.place_of(id, property), what));
        };
        #[cfg(feature = "classes")]
        let value = {
            let Property { name, column } = &class.properties[column];
            let kind = column.type_id().and_then(TypeId::kind);
            let named = rbxcore::classes::named(&*class.name, name, value.as_ref(), kind);
            let refuse = |what: String| {
                Error::invalid_argument(self.place_of(id, property), Problem::WrongType(what.into()))
            };
            named.map_err(refuse)?.unwrap_or(value)
        };
        // A null that the file has as a referent without an instance is replaced.
        let is_lost = |to: Referent| !to.is_null() && self.index().by_referent(to).is_none();
        let old = &class.properties[column];
        if old.reference(row).is_none_or(|to| !is_lost(to)) && self.is_in(&old.column, row, &value) {
            return Ok(());
        }
        let unique = property == UNIQUE_ID;
        let before = if unique { class.unique_ids().get(row).copied() } else { None };
        let strings = self.shared_strings.len();
        let put = self.parts().put((number, column), Some(row), value.as_ref(), &Index::referent);
        put.map_err(|mismatch| {
            if self.shared_strings.len() > strings {
                self.forget_shared(strings);
            }
            let column = &self.classes[number as usize].properties[column].column;
            refuse(self.place_of(id, property), mismatch, value.as_ref(), column)
        })?;
        if unique {
            self.parts().index.change_unique_id(before, value.as_unique_id());
        }
        self.touch_value();
        self.touch_new_strings(strings);
        self.frames.touch(self.frames.column(number, column));
        self.frames.freed |=
            matches!(self.classes[number as usize].properties[column].column, Column::SharedString(_));
        Ok(())
    }

    /// Whether a row of a column has this value, or another type of it.
    fn is_in(&self, column: &Column, row: usize, value: &Value) -> bool {
        let source = Source { shared: &self.shared_strings, index: self.index() };
        let Some(old) = column.value(row, &source) else { return false };
        match old.kind().and_then(|kind| value.as_ref().converted(kind)) {
            Some(new) => new == old,
            None => matches!(old, ValueRef::SharedString(_)) && value.as_bytes() == old.as_bytes(),
        }
    }

    /// Marks the document as edited, and removes its signatures, which are no longer valid.
    pub(crate) fn touch_value(&mut self) {
        self.frames.edited = true;
        self.signatures = None;
    }

    /// Marks the shared strings as edited if there are more than the `count` that there were.
    pub(crate) fn touch_new_strings(&mut self, count: usize) {
        if self.shared_strings.len() > count {
            self.frames.touch(self.frames.shared_strings);
        }
    }

    /// The column of a property; with the feature `classes`, also found by its scripting name.
    fn stored_column(&self, number: u32, class: &Class, property: &[u8]) -> Option<usize> {
        let column = self.index().column(number, class, property);
        #[cfg(feature = "classes")]
        let column = column.or_else(|| {
            self.index().column(
                number,
                class,
                classes::stored_name(class.name.as_bstr(), property)?.as_bytes(),
            )
        });
        column
    }

    /// Removes instances and their descendants.
    pub(crate) fn take_rows(&mut self, ids: &[InstanceId]) -> Result<usize> {
        let tops: Vec<u32> = ids.iter().map(|&id| slot(Some(id))).collect();
        let index = self.index();
        let mut order = Vec::new();
        let mut gone = std::collections::HashSet::new();
        for &top in &tops {
            if gone.contains(&top) {
                continue;
            }
            let mut next = top;
            while index.at(next).is_some() {
                // A descendant of a listed instance is removed with it.
                let known = !gone.insert(next);
                if !known {
                    order.push(next);
                }
                next = if known { index.past(next, top) } else { index.after(next, top) };
            }
        }
        self.check_removal(&order)?;
        let Parts { index, classes, .. } = self.parts();
        for &top in &tops {
            if gone.remove(&top) {
                index.unlink(top);
            }
        }
        let mut touched = std::collections::HashSet::new();
        for &slot in &order {
            let Some((number, row)) = index.remove(slot) else { continue };
            let class = &mut classes[number as usize];
            index.forget_unique_id(class, row);
            class.swap_remove(row as usize);
            touched.insert(number);
        }
        for number in touched {
            self.touch_rows(number);
            let class = &mut self.classes[number as usize];
            if class.referents.is_empty() {
                class.properties.clear();
                self.parts().index.forget_columns(number);
                self.frames.forget_class(number);
            }
        }
        if !order.is_empty() {
            self.frames.freed = true;
            self.touch_tree();
        }
        Ok(order.len())
    }

    /// Fails if a column of their classes prevents the removal of these instances.
    fn check_removal(&self, slots: &[u32]) -> Result<()> {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for node in slots.iter().filter_map(|&slot| self.index().at(slot)) {
            *counts.entry(node.class).or_default() += 1;
        }
        for (number, count) in counts {
            let class = &self.classes[number as usize];
            let rows = class.referents.len();
            if !class.extra.is_empty() && count < rows {
                let what = "cannot remove only some instances of the class: its INST chunk has bytes of \
                            unknown meaning (to drop them, convert the document to XML and back with the option \
                            allow_loss or --allow-loss)";
                return Err(Error::invalid_argument(class.name.to_string(), what));
            }
            for property in &class.properties {
                let what = match property.column.len() {
                    Some(len) if len != rows => {
                        let counts = format!("values: {len}; instances: {rows}");
                        format!("the PROP chunk does not have one value per instance ({counts})")
                    }
                    None if count < rows && property.column != Column::Untyped => {
                        "cannot remove only some instances of the class: the PROP chunk has unknown or \
                         malformed values (to drop them, convert the document to XML and back with the option \
                         allow_loss or --allow-loss)"
                            .into()
                    }
                    _ => continue,
                };
                return Err(Error::invalid_argument(format!("{}.{}", class.name, property.name), what));
            }
        }
        Ok(())
    }

    pub(crate) fn parts(&mut self) -> Parts<'_> {
        self.index();
        let Self { classes, shared_strings, index, .. } = self;
        // The first line made it.
        let index = index.get_mut().expect("the index was just made");
        Parts { classes, index, shared_strings }
    }

    /// The indices of the classes with this name that have instances; an error if no class does.
    fn numbers(&self, name: &[u8]) -> Result<Vec<u32>> {
        let numbers = self.index().classes(name).iter().copied();
        let numbers: Vec<u32> = numbers.filter(|&number| !self.index().rows(number).is_empty()).collect();
        match numbers.is_empty() {
            true => {
                let name = BStr::new(name).to_string();
                let what = format!("the document has no instance of the class {name} (check the spelling)");
                Err(Error::invalid_argument(name, Problem::NoInstance(what.into())))
            }
            false => Ok(numbers),
        }
    }

    /// Marks the chunks of a class as edited, since rows were added or removed.
    pub(crate) fn touch_rows(&mut self, class: u32) {
        let properties = &self.classes[class as usize].properties;
        self.frames.touch_rows(class, |column| properties[column].column != Column::Untyped);
    }

    /// Marks the tree as edited.
    pub(crate) fn touch_tree(&mut self) {
        self.touch_value();
        if !self.frames.relinked {
            self.frames.relinked = true;
            self.parents = Parents { version: self.parents.version, ..Parents::default() };
        }
        self.frames.touch(self.frames.parents);
        self.header.class_count = None;
        self.header.instance_count = None;
    }

    /// Removes the shared strings after the first `count`, to roll back an edit.
    pub(crate) fn forget_shared(&mut self, count: usize) {
        self.shared_strings.truncate(count);
        self.parts().index.pool.forget();
    }

    /// The path of a property, for errors: `Workspace/Door.Anchored`.
    fn place_of(&self, id: InstanceId, property: &[u8]) -> String {
        format!("{}.{}", self.path(id).unwrap_or_default(), BStr::new(property))
    }
}

/// The problem of a property that a class does not store, with a remedy if it does not store one of a similar name.
pub(crate) fn not_stored(class: &Class, property: &[u8], remedy: &str) -> Problem {
    let stored = class.properties.iter().map(|property| property.name.as_bstr());
    let closest =
        names::closest_stored(property, stored).map(|closest| format!(" (did you mean \"{closest}\"?)"));
    let (name, class, advice) = (BStr::new(property), &class.name, closest.as_deref().unwrap_or(remedy));
    Problem::NotStored(format!("no instance of {class} stores the property \"{name}\"{advice}").into())
}
