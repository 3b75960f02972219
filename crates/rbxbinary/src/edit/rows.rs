//! The values of new rows: given, copied from another document, or filled in.

use std::borrow::Cow;

use bstr::ByteSlice;

use super::refuse;
use super::sources::{Forest, Group, Item, Origin};
use crate::consts::{ClassFormat, TypeId};
use crate::model::references::{has_attributes, with_attribute_references};
use crate::model::{Document, Index, InstanceId, Name, Referent, UNIQUE_ID, Value, ValueRef};
use geom::wire::{Error, Result};
use rbxcore::EditOptions;
use rbxcore::parts::attributes;

/// Converts a value between an older property and the one that replaced it; `None` if it has no such form.
pub(crate) type Turn = fn(ValueRef<'_>) -> Option<Value>;

/// The plan for a group.
pub(super) struct Plan {
    /// The class to which the group is added; `None` for a new class.
    pub(super) class: Option<u32>,
    pub(super) format: ClassFormat,
    pub(super) columns: Vec<PlanColumn>,
}

/// The plan for a column.
pub(super) struct PlanColumn {
    /// The index of the column in the class; `None` for a new column.
    pub(super) there: Option<usize>,
    pub(super) name: Name,
    /// The type of a new column, and its value for existing rows.
    pub(super) type_id: Option<TypeId>,
    pub(super) others: Option<Value>,
    /// The column from which existing rows get their values, converted.
    pub(super) others_from: Option<(usize, Option<Turn>)>,
    /// The index of the property in the group.
    pub(super) given: Option<usize>,
    /// The conversion to the form that the column stores, if it differs.
    pub(super) turn: Option<Turn>,
    /// The value for members of the group that lack the property.
    pub(super) fill: Option<Value>,
}

/// The rows of a group.
pub(super) struct Rows<'a> {
    pub(super) forest: &'a Forest<'a>,
    pub(super) group: &'a Group<'a>,
    pub(super) referents: &'a [Referent],
    pub(super) options: &'a EditOptions<'a>,
}

impl Rows<'_> {
    /// Adds the values of a property, one per member. Returns the number of members whose attributes were cut.
    pub(super) fn add(
        &self,
        document: &mut Document,
        place: (u32, usize),
        column: &PlanColumn,
    ) -> Result<usize> {
        let mut cut = 0;
        let Self { forest, group, referents, .. } = *self;
        let source = match &forest.origin {
            Origin::New(_) => None,
            Origin::Copied(document, _) => Some(*document),
        };
        let fill = |document: &mut Document| match &column.fill {
            Some(fill) => self.put(document, place, column, fill.as_ref(), true, &Index::referent),
            // The value is a shared string, or an address, that the other document lacks.
            None => {
                let what = "cannot copy instances: a value refers to a shared string or URI that the source \
                            document does not contain (to drop such values, convert the source document to XML \
                            and back with the option allow_loss or --allow-loss)";
                Err(self.refuse(column, what))
            }
        };
        let Some(given) = column.given.and_then(|given| group.given.get(given)) else {
            return (0..group.members).try_for_each(|_| fill(document)).map(|()| cut);
        };
        if given.type_id().is_none() {
            return Ok(cut);
        }
        for item in given.items(group, source) {
            if let (Some(turn), Some(Item::Value(value))) = (column.turn, &item) {
                match turn(*value) {
                    Some(turned) => {
                        self.put(document, place, column, turned.as_ref(), false, &Index::referent)?;
                    }
                    None => {
                        let what = format!(
                            "cannot convert the value {value:?} of the property {} to the property {}, which this \
                             document stores instead",
                            given.name, column.name
                        );
                        return Err(self.refuse(column, what));
                    }
                }
                continue;
            }
            match (item, &forest.origin) {
                (None, _) => fill(document)?,
                (Some(Item::Value(value)), Origin::New(_)) => {
                    self.put(document, place, column, value, false, &Index::referent)?;
                }
                (Some(Item::Value(value)), Origin::Copied(from, new)) => {
                    // References to instances that are not copied become null.
                    let referent = |_: &Index, id: InstanceId| {
                        Some(new.get(&id.slot()).map_or(Referent::NULL, |&index| referents[index]))
                    };
                    let mapped;
                    let value = match value {
                        ValueRef::String(blob) if has_attributes(given.name) => {
                            let (attributes, is_cut) =
                                self.attributes(document, column, blob, from, &|id| {
                                    referent(from.index(), id).unwrap_or(Referent::NULL)
                                })?;
                            mapped = attributes;
                            cut += usize::from(is_cut);
                            ValueRef::String(mapped.as_bstr())
                        }
                        value => value,
                    };
                    self.put(document, place, column, value, !self.options.keep_unique_ids, &referent)?;
                }
                (Some(Item::Label(label)), Origin::New(labels)) if labels.contains_key(label) => {
                    // A placeholder: `referent` ignores it, and returns the referent of the instance with the label.
                    let value = ValueRef::Ref(InstanceId::new(0));
                    let referent = |_: &Index, _| Some(referents[labels[label]]);
                    self.put(document, place, column, value, false, &referent)?;
                }
                (Some(Item::Label(label)), _) => {
                    let what =
                        format!("no new instance has the label \"{label}\" (set it with NewInstance::label)");
                    return Err(self.refuse(column, what));
                }
            }
        }
        Ok(cut)
    }

    /// The attributes of an instance of another document, whose references are to the copies, and whether they were cut
    /// since a reference that cannot be found would be to another instance.
    fn attributes(
        &self,
        document: &Document,
        column: &PlanColumn,
        blob: &[u8],
        from: &Document,
        copy: &dyn Fn(InstanceId) -> Referent,
    ) -> Result<(Vec<u8>, bool)> {
        let (mapped, done) =
            with_attribute_references(blob, |old| from.index().by_referent(old).map_or(Referent::NULL, copy));
        let Err(incomplete) = done else { return Ok((mapped, false)) };
        let is_instance = |referent: Referent| {
            let of = |document: &Document| document.index().by_referent(referent).is_some();
            // Those of an edit are ascending, but for one place where the negative ones begin.
            let ranges = self.referents.split_at(self.referents.partition_point(|known| known.0 >= 0));
            let is_new =
                |range: &[Referent]| range.binary_search_by_key(&referent.0, |known| known.0).is_ok();
            of(from) || of(document) || is_new(ranges.0) || is_new(ranges.1)
        };
        match attributes::possible(blob, incomplete.at).map(Referent).any(is_instance) {
            false => Ok((mapped, false)),
            true if self.options.cut_attributes => Ok((attributes::cut(&mapped, incomplete), true)),
            true => {
                let what = "cannot copy instances: behind an attribute of an unknown type, a reference would name \
                            another instance (EditOptions::cut_attributes drops these attributes)";
                Err(self.refuse(column, what))
            }
        }
    }

    fn path(&self, column: &PlanColumn) -> String {
        format!("{}.{}", self.group.class, column.name)
    }

    #[cold]
    fn refuse(&self, column: &PlanColumn, what: impl Into<Cow<'static, str>>) -> Error {
        Error::invalid_argument(self.path(column), what)
    }

    /// Stores a value in a new row. If `fresh`, a unique id that another instance has is replaced.
    fn put(
        &self,
        document: &mut Document,
        place: (u32, usize),
        column: &PlanColumn,
        mut value: ValueRef<'_>,
        fresh: bool,
        referent: &dyn Fn(&Index, InstanceId) -> Option<Referent>,
    ) -> Result<()> {
        let mut parts = document.parts();
        let mut unique_id = value.as_unique_id().filter(|_| column.name == *UNIQUE_ID);
        if let Some(id) = unique_id.as_mut().filter(|_| fresh) {
            *id = parts.index.fresh_unique_id(parts.classes, *id);
            value = ValueRef::UniqueId(*id);
        }
        let put = parts.put(place, None, value, referent);
        parts.index.change_unique_id(None, unique_id);
        put.map_err(|mismatch| {
            let there = &document.classes[place.0 as usize].properties[place.1].column;
            refuse(self.path(column), mismatch, value, there)
        })
    }
}
