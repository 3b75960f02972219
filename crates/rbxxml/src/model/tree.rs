//! The tree of instances, in an arena; nothing here recurses.

use bstr::{BStr, BString, ByteSlice as _};

use super::{Document, Instance, InstanceId, Metadata, NONE, Value};
use geom::wire::{Error, Problem, Result};
use rbxcore::{Added, Dom, EditOptions, Edited, Missing, Store, ValueRef};

/// The value of `parent` in the node of a removed instance.
const GONE: u32 = u32::MAX - 1;

/// An instance and its neighbours in the tree. Siblings are linked, so that removing one takes constant time.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) instance: Instance,
    pub(crate) parent: u32,
    /// The previous sibling; for the first sibling, the last one.
    previous: u32,
    pub(crate) next: u32,
    pub(crate) first: u32,
}

impl Document {
    pub(crate) fn node(&self, id: InstanceId) -> Option<&Node> {
        self.node_at(id.slot())
    }

    /// The node with an index.
    fn node_at(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize).filter(|node| node.parent != GONE)
    }

    pub(crate) fn instance(&self, id: InstanceId) -> Option<&Instance> {
        self.node(id).map(|node| &node.instance)
    }

    pub(crate) fn instance_mut(&mut self, id: InstanceId) -> Option<&mut Instance> {
        self.nodes
            .get_mut(id.slot() as usize)
            .filter(|node| node.parent != GONE)
            .map(|node| &mut node.instance)
    }

    /// The attribute `referent`, which identifies an instance in the file. Studio writes `RBX` and 32 hexadecimal
    /// digits; instances in hand-written files often have none.
    pub fn referent(&self, id: InstanceId) -> Option<&str> {
        self.instance(id)?.referent.as_deref()
    }

    /// The instance with a referent; the first one if there are several.
    pub fn by_referent(&self, referent: &str) -> Option<InstanceId> {
        let id = InstanceId::new(self.names.get(referent)?.instance)?;
        match self.contains(id) {
            true => Some(id),
            // The first of several instances with this referent was removed.
            false if self.twins => self.instances().find(|&id| self.referent(id) == Some(referent)),
            false => None,
        }
    }

    /// The current value of a property: a reference to a removed instance is null.
    pub(crate) fn current<'a>(&self, value: &'a Value) -> &'a Value {
        match value.as_instance() {
            Some(to) if !self.contains(to) => match value {
                Value::Ref(_) => &Value::Ref(None),
                _ => &Value::Content(super::Content::Object(None)),
            },
            _ => value,
        }
    }

    /// Describes an instance whose path may not be known yet: its class and its referent.
    pub(crate) fn described(&self, id: InstanceId) -> String {
        match self.instance(id).map(|instance| (&instance.class, &instance.referent)) {
            Some((class, Some(referent))) => format!("{class}[{referent}]"),
            Some((class, None)) => class.to_string(),
            None => String::new(),
        }
    }

    /// Adds an instance as the last child of a parent, which must exist, or as the last root. `None` if there are no
    /// more ids.
    pub(crate) fn append(&mut self, parent: Option<InstanceId>, instance: Instance) -> Option<InstanceId> {
        let id = u32::try_from(self.nodes.len()).ok().filter(|&id| id < GONE)?;
        if let Some(by_class) = &mut self.caches.by_class {
            by_class.entry(instance.class.clone()).or_default().push(id);
        }
        self.nodes.push(Node { instance, parent: NONE, previous: id, next: NONE, first: NONE });
        self.count += 1;
        self.attach(id, parent.map_or(NONE, InstanceId::slot));
        InstanceId::new(id)
    }

    /// Removes an instance and its descendants from the document, and returns them.
    pub(crate) fn take_out(&mut self, id: InstanceId) -> Vec<Instance> {
        let all: Vec<_> = std::iter::once(id).chain(self.descendants(id)).collect();
        self.detach(id.slot());
        let mut taken = Vec::with_capacity(all.len());
        for id in all {
            if let Some(node) = self.nodes.get_mut(id.slot() as usize) {
                node.parent = GONE;
                taken.push(std::mem::take(&mut node.instance));
            }
        }
        self.count -= taken.len();
        taken
    }

    fn linked(&mut self, id: u32) -> Option<&mut Node> {
        self.nodes.get_mut(id as usize)
    }

    /// The first child of a parent, or the first root.
    fn first_of(&mut self, parent: u32) -> &mut u32 {
        match self.nodes.get_mut(parent as usize) {
            Some(node) => &mut node.first,
            None => &mut self.root,
        }
    }

    fn attach(&mut self, id: u32, parent: u32) {
        self.touch_at(parent);
        let first = *self.first_of(parent);
        let mut previous = id;
        match self.linked(first) {
            Some(first) => previous = std::mem::replace(&mut first.previous, id),
            None => *self.first_of(parent) = id,
        }
        if let Some(last) = self.linked(previous).filter(|_| previous != id) {
            last.next = id;
        }
        if let Some(node) = self.linked(id) {
            (node.parent, node.previous, node.next) = (parent, previous, NONE);
        }
    }

    fn detach(&mut self, id: u32) {
        let Some(node) = self.linked(id) else { return };
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        self.touch_at(parent);
        let first = *self.first_of(parent);
        match first == id {
            true => *self.first_of(parent) = next,
            false => {
                if let Some(previous) = self.linked(previous) {
                    previous.next = next;
                }
            }
        }
        // The node that links back to this one: the next sibling or, for the last one, the first sibling.
        let after = if next == NONE { first } else { next };
        if let Some(after) = self.linked(after).filter(|_| after != id) {
            after.previous = previous;
        }
    }
}

impl Dom for Document {
    fn len(&self) -> usize {
        self.count
    }

    fn contains(&self, id: InstanceId) -> bool {
        self.node(id).is_some()
    }

    fn first_child(&self, parent: Option<InstanceId>) -> Option<InstanceId> {
        InstanceId::new(match parent {
            Some(parent) => self.node(parent)?.first,
            None => self.root,
        })
    }

    fn next_sibling(&self, id: InstanceId) -> Option<InstanceId> {
        InstanceId::new(self.node(id)?.next)
    }

    fn parent(&self, id: InstanceId) -> Option<InstanceId> {
        InstanceId::new(self.node(id)?.parent).filter(|&parent| self.contains(parent))
    }

    fn class(&self, id: InstanceId) -> Option<&BStr> {
        self.instance(id).map(|instance| instance.class.as_bstr())
    }

    fn dangling(&self, id: InstanceId) -> Vec<&BStr> {
        let properties = self.instance(id).map_or([].as_slice(), |instance| &instance.properties);
        let dangling = properties.iter().filter(|property| self.is_dangling(property));
        dangling.map(|property| property.name.as_bstr()).collect()
    }

    fn metadata(&self) -> Vec<(&BStr, &BStr)> {
        self.metadata.iter().map(|of| (of.key.as_bstr(), of.value.as_bytes().as_bstr())).collect()
    }

    fn set_metadata(&mut self, entries: Vec<(BString, BString)>) -> Result<()> {
        let entry = |(key, value): (BString, BString)| {
            let key = key.to_str().map_err(|_| Error::invalid_argument("", Problem::Utf8))?;
            Ok(Metadata::new(key, &**value))
        };
        self.metadata = entries.into_iter().map(entry).collect::<Result<_>>()?;
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
}

impl Store for Document {
    fn form(&self) -> &dyn Dom {
        self
    }

    fn remove_value(&mut self, id: InstanceId, property: &[u8]) -> bool {
        self.unset(id, property).is_ok()
    }

    fn value_ref(&self, id: InstanceId, property: &[u8]) -> Option<ValueRef<'_>> {
        Some(self.current(&self.instance(id)?.property(property)?.value).as_ref())
    }

    /// In the order of the file, which Studio sorts by name.
    fn value_refs(&self, id: InstanceId) -> Box<dyn Iterator<Item = (&BStr, ValueRef<'_>)> + '_> {
        let properties = self.instance(id).map_or([].as_slice(), |instance| &instance.properties);
        Box::new(properties.iter().map(|of| (of.name.as_bstr(), self.current(&of.value).as_ref())))
    }

    fn of_class(&self, class: &[u8]) -> Box<dyn Iterator<Item = InstanceId> + '_> {
        let class = class.to_vec();
        Box::new(self.instances().filter(move |&id| self.class(id).is_some_and(|of| *of == *class)))
    }

    fn set_value(&mut self, id: InstanceId, property: &[u8], value: Value) -> Result<()> {
        self.set_stored(id, property, value, false)
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
        self.add_copies(options, parent, new)
    }

    /// Always empty: each instance has its own properties, so none is missing.
    fn lacking(&self, _: &EditOptions<'_>, new: Added<'_>) -> Result<Vec<Missing>> {
        match new {
            Added::New(_) => {}
            Added::Copy(source, id) => source.require(id)?,
            Added::All(source) => self.accepts(None, source.len())?,
        }
        Ok(Vec::new())
    }

    fn link(&mut self, id: InstanceId, parent: Option<InstanceId>) {
        self.detach(id.slot());
        self.attach(id.slot(), parent.map_or(NONE, InstanceId::slot));
    }

    fn take(&mut self, ids: &[InstanceId]) -> Result<usize> {
        let mut count = 0;
        for &id in ids {
            if self.contains(id) {
                self.forget_all_stored(id);
                let removed = self.take_out(id);
                removed.iter().for_each(|instance| self.forget_unique_ids(instance));
                count += removed.len();
            }
        }
        Ok(count)
    }
}

rbxcore::is_a_dom!(Document);
