//! The values of new rows: given, copied from another document, or filled in.

use bstr::BStr;

use super::sources::{Forest, Group, Item, Origin};
use super::{Parts, refuse};
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
            Origin::Copied(document, _) => Some(*document),
        };
        let Some(given) = column.given.and_then(|given| group.given.get(given)) else {
            for _ in 0..group.members {
                self.put_fill(document, place, column)?;
            }
            return Ok(());
        };
        if given.type_id().is_none() {
            return Ok(());
        }
        for item in given.items(group, source) {
            match item {
                None => self.put_fill(document, place, column)?,
                Some(Item::Value(value)) => {
                    let fresh = source.is_some() && !self.keep;
                    self.put(document, place, column, value, fresh)?;
                }
                Some(Item::Label(label)) => self.put_label(document, place, column, label)?,
            }
        }
        Ok(())
    }

    fn refuse(&self, column: &PlanColumn, mismatch: Mismatch, value: ValueRef<'_>, there: &Column) -> Error {
        refuse(format!("{}.{}", self.group.class, column.name), mismatch, value, there)
    }

    fn put_fill(&self, document: &mut Document, place: (u32, usize), column: &PlanColumn) -> Result<()> {
        let Some(fill) = &column.fill else {
            let path = format!("{}.{}", self.group.class, column.name);
            return Err(Error::invalid_argument(path, "no value in the other document"));
        };
        let mut value = fill.as_ref();
        let Parts { classes, index, .. } = document.parts();
        if let ValueRef::UniqueId(id) = value
            && column.name == "UniqueId"
        {
            value = ValueRef::UniqueId(index.fresh_unique(classes, id));
        }
        let put = document.parts().put(place, None, value);
        put.map_err(|mismatch| self.refuse(column, mismatch, value, column_at(document, place)))
    }

    fn put(
        &self,
        document: &mut Document,
        place: (u32, usize),
        column: &PlanColumn,
        mut value: ValueRef<'_>,
        fresh: bool,
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
        let put = match &self.forest.origin {
            Origin::New(_) => parts.put(place, None, value),
            Origin::Copied(_, new) => parts.put_with(place, None, value, &|_, id| {
                // What is not copied is not in this document.
                Some(new.get(&slot(Some(id))).map_or(Referent::NULL, |&index| self.referents[index]))
            }),
        };
        put.map_err(|mismatch| self.refuse(column, mismatch, value, column_at(document, place)))
    }

    fn put_label(
        &self,
        document: &mut Document,
        place: (u32, usize),
        column: &PlanColumn,
        label: &BStr,
    ) -> Result<()> {
        let path = || format!("{}.{}", self.group.class, column.name);
        let Origin::New(labels) = &self.forest.origin else { return Ok(()) };
        let Some(&index) = labels.get(label) else {
            return Err(Error::invalid_argument(path(), format!("no instance has the label \"{label}\"")));
        };
        match &mut document.classes[place.0 as usize].properties[place.1].column {
            Column::Ref(values) => {
                values.push(self.referents[index]);
                Ok(())
            }
            other => Err(self.refuse(column, Mismatch::Type, ValueRef::Ref(None), &other.clone())),
        }
    }
}

fn column_at(document: &Document, (class, column): (u32, usize)) -> &Column {
    &document.classes[class as usize].properties[column].column
}
