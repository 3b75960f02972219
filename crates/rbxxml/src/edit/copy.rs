//! Instances of one document copied into another.

use std::collections::HashMap;

use super::{EditOptions, Edited, Missing};
use crate::model::{Document, Instance, InstanceId, NONE, Name, SharedString, Span, Text, Value};
use geom::wire::{Error, Result};

pub(crate) fn copy_from(
    document: &mut Document,
    options: &EditOptions<'_>,
    parent: Option<InstanceId>,
    source: &Document,
    id: InstanceId,
) -> Result<Edited> {
    source.require(id)?;
    document.accepts(parent, source.descendants(id).count() + 1)?;
    Ok(copy(document, options, parent, source, [id]))
}

pub(crate) fn merge(
    document: &mut Document,
    options: &EditOptions<'_>,
    parent: Option<InstanceId>,
    source: &Document,
) -> Result<Edited> {
    document.accepts(parent, source.len())?;
    let mut mine: HashMap<Name, Text> = HashMap::new();
    mine.extend(document.metadata.iter().map(|metadata| (metadata.key.clone(), metadata.value.clone())));
    let mut added = Vec::new();
    for metadata in &source.metadata {
        match mine.get(&metadata.key) {
            None => added.push(metadata.clone()),
            Some(value) if *value == metadata.value => {}
            Some(value) => {
                let what = format!("{value:?} here, and {:?} in the other document", metadata.value);
                return Err(Error::invalid_argument(format!("metadata.{}", metadata.key), what));
            }
        }
    }
    document.metadata.append(&mut added);
    let edited = copy(document, options, parent, source, source.roots());
    for shared in source.shared_strings() {
        if document.shared(shared.key()).is_none() {
            document.add_shared(copied(shared));
        }
    }
    Ok(edited)
}

/// In XML, an instance has just its own properties: none is missing.
pub(crate) fn missing_in_merge(
    document: &Document,
    _: &EditOptions<'_>,
    source: &Document,
) -> Result<Vec<Missing>> {
    document.accepts(None, source.len())?;
    Ok(Vec::new())
}

/// Copies instances with everything below them.
fn copy(
    document: &mut Document,
    options: &EditOptions<'_>,
    parent: Option<InstanceId>,
    source: &Document,
    tops: impl IntoIterator<Item = InstanceId>,
) -> Edited {
    let mut edited = Edited::default();
    let mut copies: HashMap<InstanceId, InstanceId> = HashMap::new();
    let mut keys = HashMap::new();
    let mut order = Vec::new();
    for top in tops {
        for id in std::iter::once(top).chain(source.descendants(top)) {
            let Some(original) = source.instance(id) else { continue };
            let mut copy = Instance { at: Span::default(), ..original.clone() };
            for property in &mut copy.properties {
                property.at = property.at.copied();
                if let Value::SharedString(key) | Value::NetAssetRef(key) = &mut property.value {
                    let new = keys.entry(key.clone()).or_insert_with(|| shared_key(document, source, key));
                    if new != key {
                        *key = new.clone();
                    }
                }
            }
            document.make_unique(&mut copy, options.keep_unique_ids);
            copy.class = document.interned(&copy.class);
            let referent = copy.referent.take();
            let above = source.parent(id).filter(|_| id != top).and_then(|above| copies.get(&above).copied());
            let Some(new) = document.append(above.or(parent), copy) else { continue };
            document.take_referent(new, referent);
            copies.insert(id, new);
            order.push(new);
            if id == top {
                edited.instances.push(new);
            }
        }
    }
    for new in order {
        document.lead_to_copies(new, &copies);
    }
    edited
}

/// A shared string for another document.
fn copied(shared: &SharedString) -> SharedString {
    SharedString { at: shared.at.copied(), ..shared.clone() }
}

/// The key of a shared string that a copy refers to, which is copied too.
fn shared_key(document: &mut Document, source: &Document, key: &Name) -> Name {
    let Some(shared) = source.shared_string(key) else { return key.clone() };
    match document.shared_string(key) {
        Some(there) if there.bytes == shared.bytes => key.clone(),
        Some(_) => document.share(shared.bytes.clone()),
        None => {
            document.add_shared(copied(shared));
            key.clone()
        }
    }
}

impl Document {
    /// Gives a copy the referent of its original, or a new one where that is taken.
    fn take_referent(&mut self, copy: InstanceId, referent: Option<Name>) {
        let Some(referent) = referent else { return };
        let free = match self.names.get(&referent).map(|uses| InstanceId(uses.instance)) {
            None => true,
            // A name without an instance may be that of a reference which leads nowhere.
            Some(id) => id.0 != NONE && !self.contains(id),
        };
        if free {
            self.names.uses(&referent).instance = copy.0;
        }
        let new = if free { referent } else { self.fresh_referent(copy) };
        if let Some(instance) = self.instance_mut(copy) {
            instance.referent = Some(new);
        }
    }

    /// Makes the references of a copy lead to the copies.
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
