//! Copies instances of one document into another.

use std::collections::HashMap;

use rbxcore::{EditOptions, Edited};

use crate::model::{Document, Instance, InstanceId, Metadata, Name, SharedBytes, SharedString, Span, Text};
use geom::wire::{Error, Result};

impl Document {
    /// The metadata of the other document that this one lacks.
    pub(super) fn new_metadata(&self, source: &Self) -> Result<Vec<Metadata>> {
        let mut mine: HashMap<Name, Text> = HashMap::new();
        mine.extend(self.metadata.iter().map(|metadata| (metadata.key.clone(), metadata.value.clone())));
        let mut added = Vec::new();
        for metadata in &source.metadata {
            match mine.get(&metadata.key) {
                None => added.push(metadata.clone()),
                Some(value) if *value == metadata.value => {}
                Some(value) => {
                    let what = format!(
                        "expected the same value in both documents, found {value:?} and {:?} (make them \
                         equal before merging)",
                        metadata.value
                    );
                    return Err(Error::invalid_argument(format!("metadata.{}", metadata.key), what));
                }
            }
        }
        Ok(added)
    }

    /// Copies the shared strings whose keys this document lacks.
    pub(super) fn copy_shared(&mut self, source: &Self) {
        for shared in source.shared_strings() {
            if self.shared(shared.key()).is_none() {
                self.add_shared(copied(shared));
            }
        }
    }

    /// Copies instances with their descendants.
    pub(super) fn copy(
        &mut self,
        options: &EditOptions<'_>,
        parent: Option<InstanceId>,
        source: &Self,
        tops: impl IntoIterator<Item = InstanceId>,
    ) -> Edited {
        let mut edited = Edited::default();
        let mut copies: HashMap<InstanceId, InstanceId> = HashMap::new();
        let (keys, mut shared) = (source.shared_keys(), HashMap::new());
        let mut order = Vec::new();
        for top in tops {
            for id in std::iter::once(top).chain(source.descendants(top)) {
                let Some(original) = source.instance(id) else { continue };
                let mut copy = Instance { at: Span::default(), ..original.clone() };
                for property in &mut copy.properties {
                    property.at = property.at.copied();
                    if let Some(bytes) = property.value.shared_mut() {
                        let new = shared.entry(bytes.address());
                        *bytes =
                            new.or_insert_with(|| self.shared_copy(source, keys.of(bytes), bytes)).clone();
                    }
                }
                self.make_unique(&mut copy, options.keep_unique_ids);
                copy.class = self.interned(&copy.class);
                let referent = copy.referent.take();
                let above = source.parent(id).filter(|_| id != top);
                let above = above.and_then(|above| copies.get(&above).copied());
                let Some(new) = self.append(above.or(parent), copy) else { continue };
                self.take_referent(new, referent);
                copies.insert(id, new);
                order.push(new);
                if id == top {
                    edited.instances.push(new);
                }
            }
        }
        for new in order {
            self.lead_to_copies(new, &copies);
        }
        edited
    }

    /// Copies a shared string to which a copy refers, under its key if that is free; returns the document's bytes.
    fn shared_copy(&mut self, source: &Self, key: Option<&Name>, bytes: &SharedBytes) -> SharedBytes {
        let Some(shared) = key.and_then(|key| source.shared_string(key)) else {
            return self.share(bytes.clone());
        };
        match self.shared_string(shared.key()) {
            Some(there) if there.bytes == shared.bytes => there.bytes.clone(),
            Some(_) => self.share(bytes.clone()),
            None => {
                self.add_shared(copied(shared));
                shared.bytes.clone()
            }
        }
    }
}

/// A copy of a shared string for another document.
fn copied(shared: &SharedString) -> SharedString {
    SharedString { at: shared.at.copied(), ..shared.clone() }
}

impl Document {
    /// Gives a copy the referent of its original, or a new one if that is taken.
    fn take_referent(&mut self, copy: InstanceId, referent: Option<Name>) {
        let Some(referent) = referent else { return };
        let free = match self.names.get(&referent).map(|uses| InstanceId::new(uses.instance)) {
            None => true,
            // A name that no instance has may be the target of a dangling reference.
            Some(id) => id.is_some_and(|id| !self.contains(id)),
        };
        if free {
            self.names.uses(&referent).instance = copy.slot();
        }
        let new = if free { referent } else { self.fresh_referent(copy) };
        if let Some(instance) = self.instance_mut(copy) {
            instance.referent = Some(new);
        }
    }

    /// Redirects the references of a copied instance to the copies of their targets; others become null.
    fn lead_to_copies(&mut self, copy: InstanceId, copies: &HashMap<InstanceId, InstanceId>) {
        let Some(instance) = self.instance_mut(copy) else { return };
        let mut targets = Vec::new();
        for property in &mut instance.properties {
            if let Some(to) = property.value.reference_mut() {
                *to = to.and_then(|to| copies.get(&to).copied());
                targets.extend(*to);
            }
        }
        for to in targets {
            self.give_referent(to);
        }
    }
}
