//! The index of the unique ids of instances: Studio crashes if two are equal.

use crate::model::{Document, Instance, InstanceId, UniqueId, Value};

pub(super) const NAME: &[u8] = b"UniqueId";

/// The unique id of an instance; `None` if it has none, or if the id is all zeros.
fn unique_id(instance: &Instance) -> Option<UniqueId> {
    let id = instance.property(NAME)?.value.as_unique_id()?;
    (!id.is_nil()).then_some(id)
}

impl Document {
    /// Removes the unique id of an instance, if any, from the index, before the property changes.
    pub(super) fn forget_unique_id(&mut self, id: InstanceId, property: &[u8]) {
        if property == NAME
            && let Some(old) = self.instance(id).and_then(unique_id)
            && let Some(ids) = &mut self.caches.unique_ids
        {
            ids.remove(old);
        }
    }

    /// Removes the unique id of a removed instance, if any, from the index.
    pub(crate) fn forget_unique_ids(&mut self, instance: &Instance) {
        if let (Some(ids), Some(id)) = (&mut self.caches.unique_ids, unique_id(instance)) {
            ids.remove(id);
        }
    }

    /// Adds the unique id of an instance, if any, to the index, after the property changed.
    pub(super) fn note_unique_id(&mut self, id: InstanceId, property: &[u8]) {
        if property == NAME
            && self.caches.unique_ids.is_some()
            && let Some(new) = self.instance(id).and_then(unique_id)
            && let Some(ids) = &mut self.caches.unique_ids
        {
            ids.add(new);
        }
    }

    /// Gives a copy an unused unique id if its own is taken (unless `keep`), and adds its id to the index.
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
