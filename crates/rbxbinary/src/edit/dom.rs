//! The document as a tree of instances that can be edited.

use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice as _};

use super::Parts;
use super::graft::{add, lacking};
use crate::consts::ClassFormat;
use crate::model::index::Node;
use crate::model::references::{ATTRIBUTES, with_attribute_references};
use crate::model::{Column, Document, InstanceId, Metadata, Referent, Value, ValueRef};
use crate::view::slot;
use geom::wire::{Error, Result};
use rbxcore::{Added, Dom, EditOptions, Edited, Missing, Store};

impl Dom for Document {
    fn len(&self) -> usize {
        self.classes.iter().map(|class| class.referents.len()).sum()
    }

    fn contains(&self, id: InstanceId) -> bool {
        self.index().node(id).is_some()
    }

    fn first_child(&self, parent: Option<InstanceId>) -> Option<InstanceId> {
        InstanceId::new(match parent {
            Some(parent) => self.index().node(parent)?.first,
            None => self.index().first_root,
        })
    }

    fn next_sibling(&self, id: InstanceId) -> Option<InstanceId> {
        InstanceId::new(self.index().node(id)?.next)
    }

    fn parent(&self, id: InstanceId) -> Option<InstanceId> {
        InstanceId::new(self.index().node(id)?.parent)
    }

    fn class(&self, id: InstanceId) -> Option<&BStr> {
        Some(self.located(id)?.0.name.as_bstr())
    }

    fn dangling(&self, id: InstanceId) -> Vec<&BStr> {
        let index = self.index();
        // The reference to an instance that an edit removed is written as null.
        let is_missing =
            |to: Referent| !to.is_null() && index.by_referent(to).is_none() && !index.is_removed(to);
        let Some((class, _, row)) = self.located(id) else { return Vec::new() };
        let dangling = class.properties.iter().filter(|of| of.reference(row).is_some_and(is_missing));
        dangling.map(|property| property.name.as_bstr()).collect()
    }

    fn metadata(&self) -> Vec<(&BStr, &BStr)> {
        self.metadata.iter().map(|of| (of.key.as_bstr(), of.value.as_bstr())).collect()
    }

    fn set_metadata(&mut self, entries: Vec<(BString, BString)>) -> Result<()> {
        *self.metadata_mut() = entries.into_iter().map(|(key, value)| Metadata::new(key, value)).collect();
        Ok(())
    }

    fn shared_len(&self) -> usize {
        self.shared_strings.len()
    }

    fn empty(&self) -> Box<dyn Dom> {
        Box::new(Self::new())
    }

    fn copy(&self) -> Box<dyn Dom> {
        Box::new(self.clone())
    }

    fn editable(&self) -> Result<()> {
        match &self.index().refusal {
            Some(why) => Err(Error::invalid_argument("", format!("the document cannot be edited: {why}"))),
            None => Ok(()),
        }
    }

    fn is_service(&self, id: InstanceId) -> bool {
        self.located(id).is_some_and(|(class, ..)| class.format == ClassFormat::SERVICE)
    }
}

impl Store for Document {
    fn form(&self) -> &dyn Dom {
        self
    }

    fn undecoded(&self, id: InstanceId, property: &[u8]) -> bool {
        self.located(id).is_some_and(|(class, number, _)| {
            let column = self.index().column(number, class, property);
            let column = column.and_then(|column| class.properties.get(column));
            column.is_some_and(|of| matches!(of.column, Column::Unknown { .. } | Column::Untyped))
        })
    }

    /// `None` if the class does not store the property, or if its type is not known.
    fn value_ref(&self, id: InstanceId, property: &[u8]) -> Option<ValueRef<'_>> {
        let (class, number, row) = self.located(id)?;
        let column = self.index().column(number, class, property)?;
        class.properties.get(column)?.column.value(row, &self.source())
    }

    /// Columns of an unknown type, and columns without one value per instance of the class, are left out;
    /// [`Document::classes`] has them.
    fn value_refs(&self, id: InstanceId) -> Box<dyn Iterator<Item = (&BStr, ValueRef<'_>)> + '_> {
        let source = self.source();
        let Some((class, number, row)) = self.located(id) else { return Box::new(std::iter::empty()) };
        Box::new(source.index.whole(number, class).iter().filter_map(move |&column| {
            let property = class.properties.get(column as usize)?;
            Some((property.name.as_bstr(), property.column.value(row, &source)?))
        }))
    }

    fn of_class(&self, class: &[u8]) -> Box<dyn Iterator<Item = InstanceId> + '_> {
        let index = self.index();
        let rows = index.classes(class).iter().flat_map(|&class| index.rows(class));
        Box::new(rows.filter_map(|&slot| InstanceId::new(slot)))
    }

    fn set_value(&mut self, id: InstanceId, property: &[u8], value: Value) -> Result<()> {
        self.set_stored(id, property, value)
    }

    fn add_to_class(&mut self, class: &[u8], property: &[u8], value: Value) -> Result<()> {
        self.add_to_all(class, property, value)
    }

    fn remove_from_class(&mut self, class: &[u8], properties: &[&[u8]]) -> Result<()> {
        self.remove_from_all(class, properties)
    }

    fn add(
        &mut self,
        options: &EditOptions<'_>,
        parent: Option<InstanceId>,
        new: Added<'_>,
    ) -> Result<Edited> {
        add(self, options, parent, new)
    }

    fn lacking(&self, options: &EditOptions<'_>, new: Added<'_>) -> Result<Vec<Missing>> {
        lacking(self, options, new)
    }

    fn attributes_for(
        &self,
        id: InstanceId,
        copies: &HashMap<InstanceId, InstanceId>,
    ) -> Option<(BString, Value)> {
        let value = self.value_ref(id, ATTRIBUTES)?;
        let (mut refers, old) = (false, value.as_bytes()?);
        // References that cannot be found are to no copied instance; `copy_from` has refused others.
        let (new, _) = with_attribute_references(old, |to| {
            refers = true;
            let copy = self.by_referent(to).and_then(|to| copies.get(&to));
            copy.and_then(|&copy| self.referent(copy)).unwrap_or(to)
        });
        refers.then(|| (ATTRIBUTES.into(), Value::from(new)))
    }

    fn link(&mut self, id: InstanceId, parent: Option<InstanceId>) {
        let Parts { index, classes, .. } = self.parts();
        index.unlink(slot(Some(id)));
        index.link(slot(Some(id)), slot(parent));
        if let Some(&Node { class, row, .. }) = index.node(id)
            && let Some(marker) = classes[class as usize].markers.get_mut(row as usize)
            && *marker != u8::from(parent.is_none())
        {
            *marker = parent.is_none().into();
            self.frames.touch(self.frames.class(class));
        }
        self.touch_tree();
    }

    fn take(&mut self, ids: &[InstanceId]) -> Result<usize> {
        self.take_rows(ids)
    }
}

rbxcore::is_a_dom!(Document);
