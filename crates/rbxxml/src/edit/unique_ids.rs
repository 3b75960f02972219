//! The identifiers of instances: Studio crashes if two are equal.

use crate::model::{Document, Instance, InstanceId, UniqueId, Value};

pub(super) const NAME: &[u8] = b"UniqueId";

/// The identifier of an instance, unless it is the one of zeros.
fn unique_id(instance: &Instance) -> Option<UniqueId> {
    let id = instance.property(NAME)?.value.as_unique_id()?;
    (!id.is_nil()).then_some(id)
}

impl Document {
    /// Removes the identifier of an instance from the index, if any, before the property changes.
    pub(super) fn forget_unique_id(&mut self, id: InstanceId, property: &[u8]) {
        if property == NAME
            && let Some(old) = self.instance(id).and_then(unique_id)
            && let Some(ids) = &mut self.caches.unique_ids
        {
            ids.remove(old);
        }
    }

    /// The same for a removed instance.
    pub(super) fn forget_unique_ids(&mut self, instance: &Instance) {
        if let (Some(ids), Some(id)) = (&mut self.caches.unique_ids, unique_id(instance)) {
            ids.remove(id);
        }
    }

    /// Adds the identifier of an instance to the index, if any, after the property changed.
    pub(super) fn note_unique_id(&mut self, id: InstanceId, property: &[u8]) {
        if property == NAME
            && self.caches.unique_ids.is_some()
            && let Some(new) = self.instance(id).and_then(unique_id)
            && let Some(ids) = &mut self.caches.unique_ids
        {
            ids.add(new);
        }
    }

    /// Gives a copy an unused identifier, unless it has one, and adds it to the index.
    pub(super) fn make_unique(&mut self, copy: &mut Instance, keep: bool) {
        let Some(old) = unique_id(copy) else { return };
        if self.caches.unique_ids.is_none() {
            let all = self.instances().filter_map(|id| self.instance(id));
            self.caches.unique_ids = Some(all.filter_map(unique_id).collect());
        }
        let Some(ids) = &mut self.caches.unique_ids else { return };
        let new = if keep { old } else { ids.fresh(old) };
        ids.add(new);
        if new != old
            && let Some(property) = copy.property_mut(NAME)
        {
            property.value = Value::UniqueId(new);
        }
    }
}
