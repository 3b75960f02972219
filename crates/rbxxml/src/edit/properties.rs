//! Adds properties to the instances of a class and removes them.

use std::collections::HashSet;

use bstr::ByteSlice as _;

use super::unique_ids::NAME as UNIQUE_ID;
use super::{convert, dotted, no_class, utf8};
use crate::model::{Document, Instance, InstanceId, Name, Property, Span, Value};
use geom::wire::{Error, Problem, Result};
use rbxcore::hash::NameMap;
use rbxcore::missing;

impl Document {
    /// Adds a property to every instance of a class that lacks it.
    pub(crate) fn add_to_all(&mut self, class: &[u8], name: &[u8], value: Value) -> Result<()> {
        let refuse = |what: Problem| Error::invalid_argument(dotted(class, name), what);
        let ids = self.all_of(class);
        if ids.is_empty() {
            return Err(refuse(no_class(class.as_bstr())));
        }
        let class = Name::from(utf8(class, "the class name")?);
        let name = self.interned(utf8(name, "the property name")?);
        let value = match self.kind(&class, &name) {
            Some((_, kind)) => convert::to_kind(&class, value, kind, name.as_bytes()),
            None => Ok(convert::to_new(value, name.as_bytes())),
        };
        let mut value = value.and_then(|value| self.fits(&value).map(|()| value)).map_err(refuse)?;
        self.share_value(&mut value);
        if let Some(to) = value.as_instance() {
            self.give_referent(to);
        }
        for id in ids {
            if self.get(id, name.as_bytes()).is_none() {
                self.store(id, name.clone(), value.clone());
                self.note_unique_id(id, name.as_bytes());
            }
        }
        Ok(())
    }

    /// Removes properties from every instance of a class, in one walk over them.
    pub(crate) fn remove_from_all(&mut self, class: &[u8], properties: &[&[u8]]) -> Result<()> {
        let gone: HashSet<&[u8]> = properties.iter().copied().collect();
        let (ids, mut found) = (self.all_of(class), HashSet::new());
        for instance in ids.iter().filter_map(|&id| self.instance(id)) {
            let names = instance.properties.iter().filter_map(|property| gone.get(property.name.as_bytes()));
            found.extend(names.copied());
        }
        let class_name = utf8(class, "the class name")?;
        if let Some(name) = properties.iter().find(|name| !found.contains(**name)) {
            let what = self.not_stored(class_name, name);
            return Err(Error::invalid_argument(dotted(class, name), what));
        }
        for id in ids {
            if gone.contains(UNIQUE_ID) {
                self.forget_unique_id(id, UNIQUE_ID);
            }
            let Some(Instance { properties, .. }) = self.instance_mut(id) else { continue };
            let before = properties.len();
            properties.retain(|property| !gone.contains(property.name.as_bytes()));
            if properties.len() < before {
                self.touch(id);
            }
        }
        if let Some(stored) = self.caches.stored.classes.get_mut(class_name) {
            gone.iter().filter_map(|name| name.to_str().ok()).for_each(|name| _ = stored.remove(name));
        }
        Ok(())
    }

    /// Removes a property from one instance, which only XML can do: other instances of the class keep it.
    ///
    /// # Errors
    /// `InvalidArgument` if the instance does not exist or does not have the property.
    pub fn unset(&mut self, id: InstanceId, property: impl AsRef<[u8]>) -> Result<()> {
        let name = property.as_ref();
        let instance = self.instance(id).ok_or_else(|| missing(id))?;
        if instance.property(name).is_none() {
            let what = Problem::NotStored("the instance does not store the property".into());
            return Err(Error::invalid_argument(self.path_of(id, name), what));
        }
        self.forget_unique_id(id, name);
        self.forget_stored(id, &|of| of.name.as_bytes() == name);
        if let Some(instance) = self.instance_mut(id) {
            instance.properties.retain(|of| of.name.as_bytes() != name);
        }
        self.touch(id);
        Ok(())
    }

    /// The instances of a class, in no particular order. They are collected on first use; new ones are added to the
    /// list.
    fn all_of(&mut self, class: &[u8]) -> Vec<InstanceId> {
        if self.caches.by_class.is_none() {
            let mut by_class: NameMap<Name, Vec<u32>> = NameMap::default();
            for id in self.instances() {
                if let Some(instance) = self.instance(id) {
                    by_class.entry(instance.class.clone()).or_default().push(id.slot());
                }
            }
            self.caches.by_class = Some(by_class);
        }
        let Ok(class) = class.to_str() else { return Vec::new() };
        let listed = self.caches.by_class.as_ref().and_then(|classes| classes.get(class));
        let listed = listed.into_iter().flatten().filter_map(|&id| InstanceId::new(id));
        listed.filter(|&id| self.contains(id)).collect()
    }

    /// Inserts a property in the order of the names.
    pub(super) fn store(&mut self, id: InstanceId, name: Name, value: Value) {
        let Some(instance) = self.instance_mut(id) else { return };
        let class = instance.class.clone();
        let index = instance.properties.partition_point(|property| property.name <= name);
        let kind = value.kind();
        instance.properties.insert(index, Property { name: name.clone(), value, at: Span::default() });
        self.touch(id);
        // An instance that was not visited yet is counted later.
        if (id.slot() as usize) < self.caches.stored.seen {
            self.caches.stored.classes.entry(class).or_default().entry(name).or_insert((kind, 0)).1 += 1;
        }
    }
}
