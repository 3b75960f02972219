//! The identifiers of instances: Studio crashes if two are equal.

use crate::model::{Document, Instance, InstanceId, UniqueId, Value};

pub(super) const NAME: &[u8] = b"UniqueId";

/// The identifier of an instance, unless it is the one of zeros.
fn unique_id(instance: &Instance) -> Option<UniqueId> {
    let id = instance.property(NAME)?.value.as_unique_id()?;
    (!id.is_nil()).then_some(id)
}

impl Document {
    /// Takes the identifier of an instance off the list, if there is one, before the property changes.
    pub(super) fn forget_unique_id(&mut self, id: InstanceId, property: &[u8]) {
        if property == NAME
            && let Some(old) = self.instance(id).and_then(unique_id)
            && let Some(ids) = &mut self.caches.unique_ids
        {
            ids.remove(old);
        }
    }

    /// The same for an instance that was removed.
    pub(super) fn forget_unique_ids(&mut self, instance: &Instance) {
        if let (Some(ids), Some(id)) = (&mut self.caches.unique_ids, unique_id(instance)) {
            ids.remove(id);
        }
    }

    /// Puts the identifier of an instance on the list, if there is one, after the property changed.
    pub(super) fn note_unique_id(&mut self, id: InstanceId, property: &[u8]) {
        if property == NAME
            && let Some(new) = self.instance(id).and_then(unique_id)
            && let Some(ids) = &mut self.caches.unique_ids
        {
            ids.add(new);
        }
    }

    /// Gives a copy an identifier that no instance has, unless it has one like that, and puts it on the list.
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
