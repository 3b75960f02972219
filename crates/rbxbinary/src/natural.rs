//! The numbers of an edited document, as Studio would give them.
#![allow(clippy::cast_possible_truncation, reason = "shared strings are counted with 32 bits")]

use std::collections::HashMap;

use bstr::BStr;

use crate::error::{Error, Result};
use crate::model::index::NONE;
use crate::model::{Column, Document, Parents, Referent, SharedIndex, SharedString};

/// Referents from 0 upwards, each instance before its children; ids of classes; the parents, children before their
/// parent; shared strings once, and only those that are used.
pub(crate) struct Natural {
    /// The new referent of each slot.
    referents: Vec<Referent>,
    /// The id of each class.
    classes: Vec<u32>,
    pub(crate) parents: Parents,
    /// The old index of each shared string that is kept.
    kept: Vec<u32>,
    /// The new index of each shared string.
    shared: Vec<u32>,
}

impl Natural {
    pub(crate) fn new(document: &Document) -> Result<Self> {
        let full = |_| Error::unwritable("classes", "more instances than 31 bits can count");
        i32::try_from(document.len()).map_err(full)?;
        let index = document.index();
        let mut referents = vec![Referent::NULL; index.slots()];
        let mut parents = Parents { version: document.parents.version, ..Parents::default() };
        // The instances whose children are being numbered.
        let mut open: Vec<u32> = Vec::new();
        for (slot, next) in document.instances().map(|id| id.slot()).chain([NONE]).zip(0..) {
            let parent = index.at(slot).map_or(NONE, |node| node.parent);
            // What is not above this one has all its children.
            while let Some(slot) = open.pop_if(|open| *open != parent) {
                parents.children.push(referents[slot as usize]);
                parents.parents.push(open.last().map_or(Referent::NULL, |&above| referents[above as usize]));
            }
            if let Some(referent) = referents.get_mut(slot as usize) {
                *referent = Referent(next);
                open.push(slot);
            }
        }
        let mut next = 0;
        let mut classes = Vec::with_capacity(document.classes.len());
        for class in &document.classes {
            classes.push(next);
            next += u32::from(!class.referents.is_empty());
        }
        let (kept, shared) = share(document)?;
        Ok(Self { referents, classes, parents, kept, shared })
    }

    /// The id of a class, each of which has one.
    pub(crate) fn class_id(&self, class: u32) -> u32 {
        self.classes.get(class as usize).copied().unwrap_or_default()
    }

    /// The new referents of the instances of a class.
    pub(crate) fn referents_of(&self, document: &Document, class: u32) -> Vec<Referent> {
        let slots = document.index().rows(class);
        slots
            .iter()
            .map(|&slot| self.referents.get(slot as usize).copied().unwrap_or(Referent::NULL))
            .collect()
    }

    /// A column with the new numbers; `None` where it has none.
    pub(crate) fn column(&self, document: &Document, column: &Column) -> Option<Column> {
        let index = document.index();
        let referent = |old| {
            let slot = index.by_referent(old).map(|id| id.slot() as usize);
            slot.and_then(|slot| self.referents.get(slot).copied()).unwrap_or(Referent::NULL)
        };
        // `share` has refused an index without a string.
        let shared =
            |SharedIndex(old)| SharedIndex(self.shared.get(old as usize).copied().unwrap_or_default());
        column.renumbered(&referent, &shared)
    }

    pub(crate) fn has_strings(&self) -> bool {
        !self.kept.is_empty()
    }

    /// The shared strings that are kept.
    pub(crate) fn strings<'a>(
        &'a self,
        document: &'a Document,
    ) -> impl ExactSizeIterator<Item = &'a SharedString> {
        self.kept.iter().map(|&index| &document.shared_strings[index as usize])
    }
}

/// The shared strings that columns use, each once: the old index of each, and the new index of each old one.
fn share(document: &Document) -> Result<(Vec<u32>, Vec<u32>)> {
    let strings = &document.shared_strings;
    let mut used = vec![false; strings.len()];
    for class in &document.classes {
        for property in &class.properties {
            let Column::SharedString(values) = &property.column else { continue };
            for (row, value) in values.iter().enumerate() {
                match used.get_mut(value.0 as usize) {
                    Some(used) => *used = true,
                    None => {
                        let path = format!("{}.{}[{row}]", class.name, property.name);
                        let what = format!("shared string {} of {}", value.0, strings.len());
                        return Err(Error::unwritable(path, what));
                    }
                }
            }
        }
    }
    let mut by_bytes: HashMap<&BStr, u32> = HashMap::new();
    let (mut kept, mut shared) = (Vec::new(), vec![0; strings.len()]);
    for ((string, index), used) in strings.iter().zip(0_u32..).zip(used) {
        if used {
            let next = kept.len() as u32;
            shared[index as usize] = *by_bytes.entry(&*string.bytes).or_insert_with(|| {
                kept.push(index);
                next
            });
        }
    }
    Ok((kept, shared))
}
