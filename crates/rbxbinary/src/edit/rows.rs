//! The values of new rows: given, copied from another document, or filled in.

use std::collections::HashMap;

use bstr::BStr;

use super::refuse;
use super::sources::{Forest, Group, Item, Origin};
use crate::consts::TypeId;
use crate::error::{Error, Result};
use crate::model::{Column, Document, Mismatch, Name, Referent, Value, ValueRef};
use crate::view::slot;

/// What becomes of a column.
pub(super) struct PlanColumn {
    /// The index of the column in the class; `None` for a new one.
    pub(super) there: Option<usize>,
    pub(super) name: Name,
    /// The type of a new column, and the value of the rows that are there.
    pub(super) type_id: Option<TypeId>,
    pub(super) others: Option<Value>,
    /// The index of the property in the group.
    pub(super) given: Option<usize>,
    /// The value of those that lack it.
    pub(super) fill: Option<Value>,
}

/// The rows of a group.
pub(super) struct Rows<'a> {
    pub(super) forest: &'a Forest<'a>,
    pub(super) group: &'a Group<'a>,
    pub(super) referents: &'a [Referent],
    pub(super) keep: bool,
}

impl Rows<'_> {
    /// Adds the values of a property, one per member.
    pub(super) fn add(
        &self,
        document: &mut Document,
        place: (u32, usize),
        column: &PlanColumn,
    ) -> Result<()> {
        let Self { forest, group, .. } = *self;
        let source = match &forest.origin {
            Origin::New(_) => None,
            Origin::Copied(document, new) => Some((*document, new)),
        };
        let fill = |document: &mut Document| match &column.fill {
            Some(fill) => self.put(document, place, column, (fill.as_ref(), true), None),
            // A shared string, or an address, that the other document does not have.
            None => Err(Error::invalid_argument(self.path(column), "no value in the other document")),
        };
        let Some(given) = column.given.and_then(|given| group.given.get(given)) else {
            return (0..group.members).try_for_each(|_| fill(document));
        };
        if given.type_id().is_none() {
            return Ok(());
        }
        for item in given.items(group, source.map(|(document, _)| document)) {
            match item {
                None => fill(document)?,
                Some(Item::Value(value)) => {
                    let fresh = source.is_some() && !self.keep;
                    self.put(document, place, column, (value, fresh), source.map(|(_, new)| new))?;
                }
                Some(Item::Label(label)) => self.put_label(document, place, column, label)?,
            }
        }
        Ok(())
    }

    fn path(&self, column: &PlanColumn) -> String {
        format!("{}.{}", self.group.class, column.name)
    }

    /// Puts a value into a new row; a unique id that is to be fresh is another one where it is taken. `copied` has the
    /// new instances to which references of another document lead.
    fn put(
        &self,
        document: &mut Document,
        place: (u32, usize),
        column: &PlanColumn,
        (mut value, fresh): (ValueRef<'_>, bool),
        copied: Option<&HashMap<u32, usize>>,
    ) -> Result<()> {
        let mut parts = document.parts();
        if let ValueRef::UniqueId(id) = value
            && column.name == "UniqueId"
        {
            match fresh {
                true => value = ValueRef::UniqueId(parts.index.fresh_unique(parts.classes, id)),
                false => parts.index.use_unique(id),
            }
        }
        let put = match copied {
            None => parts.put(place, None, value),
            Some(new) => parts.put_with(place, None, value, &|_, id| {
                // What is not copied is not in this document.
                Some(new.get(&slot(Some(id))).map_or(Referent::NULL, |&index| self.referents[index]))
            }),
        };
        put.map_err(|mismatch| {
            let (class, number) = place;
            let there = &document.classes[class as usize].properties[number].column;
            refuse(self.path(column), mismatch, value, there)
        })
    }

    fn put_label(
        &self,
        document: &mut Document,
        place: (u32, usize),
        column: &PlanColumn,
        label: &BStr,
    ) -> Result<()> {
        let Origin::New(labels) = &self.forest.origin else { return Ok(()) };
        let Some(&index) = labels.get(label) else {
            return Err(Error::invalid_argument(
                self.path(column),
                format!("no instance has the label \"{label}\""),
            ));
        };
        match &mut document.classes[place.0 as usize].properties[place.1].column {
            Column::Ref(values) => {
                values.push(self.referents[index]);
                Ok(())
            }
            other => Err(refuse(self.path(column), Mismatch::Type, ValueRef::Ref(None), other)),
        }
    }
}
