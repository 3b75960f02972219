//! The tree of instances, in an arena; nothing here recurses.

use bstr::{BStr, BString};

use super::{Document, Instance, InstanceId, NONE, Value};
use rbxcore::parts::path;

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

/// The children of an instance, or the roots, in order. See [`Document::children`].
#[derive(Clone, Debug)]
pub struct Children<'a> {
    document: &'a Document,
    next: u32,
}

impl Iterator for Children<'_> {
    type Item = InstanceId;

    fn next(&mut self) -> Option<InstanceId> {
        let id = InstanceId::new(self.next)?;
        self.next = self.document.node(id)?.next;
        Some(id)
    }
}

/// Instances in preorder. See [`Document::descendants`].
#[derive(Clone, Debug)]
pub struct Descendants<'a> {
    document: &'a Document,
    top: u32,
    next: u32,
}

impl Iterator for Descendants<'_> {
    type Item = InstanceId;

    fn next(&mut self) -> Option<InstanceId> {
        let id = InstanceId::new(self.next)?;
        let node = self.document.node(id)?;
        self.next = node.first;
        let (mut at, mut up) = (id.slot(), node);
        while self.next == NONE && at != self.top {
            self.next = up.next;
            at = up.parent;
            match self.document.node_at(at) {
                Some(parent) => up = parent,
                None => break,
            }
        }
        Some(id)
    }
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

    /// The number of instances.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no instances.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether the instance is in the document and has not been removed.
    pub fn contains(&self, id: InstanceId) -> bool {
        self.node(id).is_some()
    }

    /// The instances without a parent, in order.
    pub fn roots(&self) -> Children<'_> {
        Children { document: self, next: self.root }
    }

    /// The children of an instance, in order; empty if it does not exist.
    pub fn children(&self, id: InstanceId) -> Children<'_> {
        Children { document: self, next: self.node(id).map_or(NONE, |node| node.first) }
    }

    /// All descendants of an instance, in preorder.
    pub fn descendants(&self, id: InstanceId) -> Descendants<'_> {
        Descendants { document: self, top: id.slot(), next: self.node(id).map_or(NONE, |node| node.first) }
    }

    /// All instances, in preorder.
    pub fn instances(&self) -> Descendants<'_> {
        Descendants { document: self, top: NONE, next: self.root }
    }

    /// The parent of an instance; `None` for a root.
    pub fn parent(&self, id: InstanceId) -> Option<InstanceId> {
        InstanceId::new(self.node(id)?.parent).filter(|&parent| self.contains(parent))
    }

    /// The class of an instance, such as `Part`.
    pub fn class(&self, id: InstanceId) -> Option<&BStr> {
        self.instance(id).map(|instance| instance.class.as_bstr())
    }

    /// The value of the property `Name`, if it is a string.
    pub fn name(&self, id: InstanceId) -> Option<&BStr> {
        self.get(id, "Name")?.as_bytes().map(BStr::new)
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

    /// The instances of a class, in the order of the document.
    pub fn by_class(&self, class: impl AsRef<[u8]>) -> impl Iterator<Item = InstanceId> {
        let is_of_class = move |id: &InstanceId| {
            self.instance(*id).is_some_and(|instance| instance.class.as_bytes() == class.as_ref())
        };
        self.instances().filter(is_of_class)
    }

    /// The value of a property of an instance, by its stored name; `None` if the instance does not store it. Some stored
    /// names differ from those in scripts, such as `size`: see `classes::Class::property`.
    pub fn get(&self, id: InstanceId, property: impl AsRef<[u8]>) -> Option<&Value> {
        let property = self.instance(id)?.property(property.as_ref())?;
        Some(self.current(&property.value))
    }

    /// The properties of an instance, in file order, which Studio sorts by name.
    pub fn properties(&self, id: InstanceId) -> impl Iterator<Item = (&BStr, &Value)> {
        let properties = self.instance(id).map_or([].as_slice(), |instance| &instance.properties);
        properties.iter().map(|property| (property.name.as_bstr(), self.current(&property.value)))
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

    /// The path by which [`Document::find`] finds an instance, such as `Workspace/Door/Handle[1]`. An instance without
    /// a stored name has the name of its class, as in Studio.
    ///
    /// `/`, `\` and `[` in a name are escaped with `\`. `[1]` is the index, counted from 0, among the siblings with the
    /// same name; it is omitted if it is 0. Takes time in proportion to the siblings of the instance and of its
    /// ancestors; [`Document::paths`] returns the paths of all instances at once.
    pub fn path(&self, id: InstanceId) -> Option<BString> {
        let mut steps = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at {
            let name = self.step_name(id);
            let parent = self.parent(id);
            let siblings = parent.map_or_else(|| self.roots(), |parent| self.children(parent));
            let before = siblings.take_while(|&sibling| sibling != id);
            steps.push((name, before.filter(|&sibling| self.step_name(sibling) == name).count()));
            at = parent;
        }
        self.contains(id).then(|| path::format(steps.into_iter().rev()))
    }

    /// Describes an instance whose path may not be known yet: its class and its referent.
    pub(crate) fn label(&self, id: InstanceId) -> String {
        match self.instance(id).map(|instance| (&instance.class, &instance.referent)) {
            Some((class, Some(referent))) => format!("{class}[{referent}]"),
            Some((class, None)) => class.to_string(),
            None => String::new(),
        }
    }

    /// The name of an instance in a path; without a stored name, the name of its class, as in Studio.
    fn step_name(&self, id: InstanceId) -> &[u8] {
        self.name(id).or_else(|| self.class(id)).map_or(b"", |name| name)
    }

    /// All instances, in preorder, with their [paths](Self::path). Takes time in proportion to the number of instances
    /// and the length of the paths.
    pub fn paths(&self) -> impl Iterator<Item = (InstanceId, BString)> {
        path::all(self.instances().map(|id| (id, self.parent(id), self.step_name(id))))
    }

    /// The instance at a path that begins at the roots, such as `Workspace/Door`. [`Document::path`] describes the
    /// syntax.
    pub fn find(&self, path: impl AsRef<[u8]>) -> Option<InstanceId> {
        self.find_from(self.roots(), path.as_ref())
    }

    /// The instance at a path that begins at the children of another instance.
    pub fn find_in(&self, id: InstanceId, path: impl AsRef<[u8]>) -> Option<InstanceId> {
        self.find_from(self.children(id), path.as_ref())
    }

    fn find_from<'a>(&'a self, mut among: Children<'a>, path: &[u8]) -> Option<InstanceId> {
        let mut found = None;
        for step in path::parse(path)? {
            let id = among.filter(|&id| *self.step_name(id) == **step.name).nth(step.index)?;
            among = self.children(id);
            found = Some(id);
        }
        found
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

    /// Makes an instance the last child of a parent, which must exist, or the last root.
    pub(crate) fn attach_last(&mut self, id: InstanceId, parent: Option<InstanceId>) {
        self.detach(id.slot());
        self.attach(id.slot(), parent.map_or(NONE, InstanceId::slot));
    }

    /// Removes an instance and its descendants from the document, and returns them.
    pub(crate) fn take(&mut self, id: InstanceId) -> Vec<Instance> {
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

    fn link(&mut self, id: u32) -> Option<&mut Node> {
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
        match self.link(first) {
            Some(first) => previous = std::mem::replace(&mut first.previous, id),
            None => *self.first_of(parent) = id,
        }
        if let Some(last) = self.link(previous).filter(|_| previous != id) {
            last.next = id;
        }
        if let Some(node) = self.link(id) {
            (node.parent, node.previous, node.next) = (parent, previous, NONE);
        }
    }

    fn detach(&mut self, id: u32) {
        let Some(node) = self.link(id) else { return };
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        self.touch_at(parent);
        let first = *self.first_of(parent);
        match first == id {
            true => *self.first_of(parent) = next,
            false => {
                if let Some(previous) = self.link(previous) {
                    previous.next = next;
                }
            }
        }
        // The node that links back to this one: the next sibling or, for the last one, the first sibling.
        let after = if next == NONE { first } else { next };
        if let Some(after) = self.link(after).filter(|_| after != id) {
            after.previous = previous;
        }
    }
}
