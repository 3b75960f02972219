//! The arena of items: who is whose child, without recursion anywhere.

use std::collections::HashSet;
use std::fmt;

use super::{Content, Document, Item, Value};
use crate::error::{Error, ErrorKind, Result};

/// No item.
pub(crate) const NONE: u32 = u32::MAX;
/// The parent of an item that was removed.
const GONE: u32 = u32::MAX - 1;

/// The name of an item within its document. It stays the item's as long as that is there, and is
/// never given to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct ItemId(pub(crate) u32);

impl fmt::Debug for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ItemId({})", self.0)
    }
}

/// An item with its place in the tree. Siblings are linked, so that taking one out costs nothing.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) item: Item,
    pub(crate) parent: u32,
    /// The sibling in front; of the first one, the last.
    previous: u32,
    pub(crate) next: u32,
    pub(crate) first: u32,
}

/// The children of an item, or the items at the root. See [`Document::children`].
#[derive(Clone, Debug)]
pub struct Children<'a> {
    document: &'a Document,
    next: u32,
}

impl Iterator for Children<'_> {
    type Item = ItemId;

    fn next(&mut self) -> Option<ItemId> {
        let id = ItemId(self.next);
        self.next = self.document.node(id)?.next;
        Some(id)
    }
}

/// Items with all that is below them, parents before children. See [`Document::descendants`].
#[derive(Clone, Debug)]
pub struct Descendants<'a> {
    document: &'a Document,
    top: u32,
    next: u32,
}

impl Iterator for Descendants<'_> {
    type Item = ItemId;

    fn next(&mut self) -> Option<ItemId> {
        let id = ItemId(self.next);
        let node = self.document.node(id)?;
        self.next = node.first;
        let (mut at, mut up) = (id.0, node);
        while self.next == NONE && at != self.top {
            self.next = up.next;
            at = up.parent;
            match self.document.node(ItemId(at)) {
                Some(parent) => up = parent,
                None => break,
            }
        }
        Some(id)
    }
}

impl Document {
    pub(crate) fn node(&self, id: ItemId) -> Option<&Node> {
        self.nodes.get(id.0 as usize).filter(|node| node.parent != GONE)
    }

    fn node_mut(&mut self, id: ItemId) -> Option<&mut Node> {
        self.nodes.get_mut(id.0 as usize).filter(|node| node.parent != GONE)
    }

    fn must(&self, id: ItemId) -> Result<&Node> {
        self.node(id).ok_or_else(|| missing(id))
    }

    /// An item.
    pub fn item(&self, id: ItemId) -> Option<&Item> {
        self.node(id).map(|node| &node.item)
    }

    /// An item, to change.
    pub fn item_mut(&mut self, id: ItemId) -> Option<&mut Item> {
        self.node_mut(id).map(|node| &mut node.item)
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.nodes.iter().filter(|node| node.parent != GONE).count()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.root == NONE
    }

    /// The items at the root, in order.
    pub fn roots(&self) -> Children<'_> {
        Children { document: self, next: self.root }
    }

    /// The children of an item, in order; none where there is no such item.
    pub fn children(&self, id: ItemId) -> Children<'_> {
        Children { document: self, next: self.node(id).map_or(NONE, |node| node.first) }
    }

    /// The parent of an item; `None` at the root.
    pub fn parent(&self, id: ItemId) -> Option<ItemId> {
        let parent = ItemId(self.node(id)?.parent);
        self.node(parent).map(|_| parent)
    }

    /// All items, parents before their children, in the file's order.
    pub fn items(&self) -> impl Iterator<Item = (ItemId, &Item)> {
        let all = Descendants { document: self, top: NONE, next: self.root };
        all.filter_map(|id| Some((id, self.item(id)?)))
    }

    /// An item and all that is below it, parents before their children.
    pub fn descendants(&self, id: ItemId) -> Descendants<'_> {
        Descendants { document: self, top: id.0, next: id.0 }
    }

    /// The first item at a path of names from the root, parted by dots or slashes:
    /// `Workspace.Baseplate`. A part that stands in front of the whole name of an item may hold dots
    /// and slashes itself.
    pub fn find(&self, path: &str) -> Option<ItemId> {
        // Places where the search goes on: an item, and what of the path is left behind its name.
        let mut open = vec![(self.roots(), path)];
        while let Some((items, rest)) = open.last_mut() {
            let Some(id) = items.next() else {
                open.pop();
                continue;
            };
            let rest = *rest;
            let name = self.item(id).and_then(Item::name).unwrap_or_default();
            match rest.strip_prefix(name) {
                Some("") => return Some(id),
                Some(below) => {
                    if let Some(below) = below.strip_prefix(['.', '/']) {
                        open.push((self.children(id), below));
                    }
                }
                None => {}
            }
        }
        None
    }

    /// The first item with a referent.
    pub fn find_referent(&self, referent: &str) -> Option<ItemId> {
        self.items().find(|(_, item)| item.referent.as_deref() == Some(referent)).map(|(id, _)| id)
    }

    /// The value of a property of an item.
    pub fn get(&self, id: ItemId, property: &str) -> Option<&Value> {
        self.item(id)?.get(property)
    }

    /// Sets a property of an item and gives back the value that it had.
    ///
    /// # Errors
    /// `Invalid` where there is no such item.
    pub fn set(&mut self, id: ItemId, property: &str, value: impl Into<Value>) -> Result<Option<Value>> {
        Ok(self.item_mut(id).ok_or_else(|| missing(id))?.set(property, value))
    }

    /// Adds an item behind the last child of a parent, or at the root.
    ///
    /// # Errors
    /// `Invalid` where there is no such parent, `Unwritable` past 4,294,967,294 items.
    pub fn insert(&mut self, parent: impl Into<Option<ItemId>>, item: Item) -> Result<ItemId> {
        let parent = match parent.into() {
            Some(parent) => self.must(parent).map(|_| parent.0)?,
            None => NONE,
        };
        let id = u32::try_from(self.nodes.len()).ok().filter(|&id| id < GONE);
        let id = id.ok_or_else(|| Error::unwritable("items", "more items than 32 bits can count"))?;
        self.nodes.push(Node { item, parent, previous: id, next: NONE, first: NONE });
        self.attach(id, parent);
        Ok(ItemId(id))
    }

    /// That so many items can be put below a parent.
    pub(crate) fn room_for(&self, count: usize, parent: Option<ItemId>) -> Result<()> {
        if let Some(parent) = parent {
            self.must(parent)?;
        }
        match u32::try_from(self.nodes.len().saturating_add(count)) {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::unwritable("items", "more items than 32 bits can count")),
        }
    }

    /// Removes an item and all that is below it, and gives the item back. References to them become
    /// null.
    pub fn remove(&mut self, id: ItemId) -> Option<Item> {
        self.node(id)?;
        let below: Vec<ItemId> = self.descendants(id).collect();
        self.detach(id.0);
        let mut gone = HashSet::new();
        let mut first = None;
        for id in below {
            if let Some(node) = self.node_mut(id) {
                node.parent = GONE;
                let item = std::mem::take(&mut node.item);
                gone.extend(item.referent.clone());
                first.get_or_insert(item);
            }
        }
        // A referent may stand twice: then references go to the item that is left.
        if !gone.is_empty() {
            let left = self.nodes.iter().filter(|node| node.parent != GONE);
            left.filter_map(|node| node.item.referent.as_ref()).for_each(|referent| {
                gone.remove(referent);
            });
        }
        if gone.is_empty() {
            return first;
        }
        for node in self.nodes.iter_mut().filter(|node| node.parent != GONE) {
            for property in &mut node.item.properties {
                if let Value::Ref(to) | Value::Content(Content::Object(to)) = &mut property.value
                    && to.as_ref().is_some_and(|to| gone.contains(to))
                {
                    *to = None;
                }
            }
        }
        first
    }

    /// Makes an item the last child of another parent, or the last at the root.
    ///
    /// # Errors
    /// `Invalid` where one of them is missing, and where the new parent is the item itself or stands
    /// below it.
    pub fn reparent(&mut self, id: ItemId, parent: impl Into<Option<ItemId>>) -> Result<()> {
        self.must(id)?;
        let parent = match parent.into() {
            Some(parent) => {
                self.must(parent)?;
                let mut up = Some(parent);
                while let Some(at) = up {
                    if at == id {
                        let what = "an item cannot stand below itself".into();
                        return Err(Error::new(ErrorKind::Invalid(what), format!("{id:?}")));
                    }
                    up = self.parent(at);
                }
                parent.0
            }
            None => NONE,
        };
        self.detach(id.0);
        self.attach(id.0, parent);
        Ok(())
    }

    fn link(&mut self, id: u32) -> Option<&mut Node> {
        self.nodes.get_mut(id as usize)
    }

    /// The first child of a parent, or the first item at the root.
    fn first_of(&mut self, parent: u32) -> &mut u32 {
        match self.nodes.get_mut(parent as usize) {
            Some(node) => &mut node.first,
            None => &mut self.root,
        }
    }

    fn attach(&mut self, id: u32, parent: u32) {
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
        let first = *self.first_of(parent);
        match first == id {
            true => *self.first_of(parent) = next,
            false => {
                if let Some(previous) = self.link(previous) {
                    previous.next = next;
                }
            }
        }
        // Behind the last one comes the first, which knows the last.
        let behind = if next == NONE { first } else { next };
        if let Some(behind) = self.link(behind).filter(|_| behind != id) {
            behind.previous = previous;
        }
    }

    /// How deep the deepest item stands; 1 at the root.
    pub(crate) fn depth(&self) -> usize {
        let (mut deepest, mut depth) = (0, 0_usize);
        let mut next = self.root;
        while let Some(node) = self.node(ItemId(next)) {
            depth += 1;
            deepest = deepest.max(depth);
            next = node.first;
            let mut up = node;
            while next == NONE {
                depth -= 1;
                next = up.next;
                match self.node(ItemId(up.parent)) {
                    Some(parent) => up = parent,
                    None => break,
                }
            }
        }
        deepest
    }

    /// Whether the items of two documents are the same, in the same places.
    pub(crate) fn same_items(&self, other: &Self) -> bool {
        let (mut mine, mut theirs) = (self.items(), other.items());
        loop {
            match (mine.next(), theirs.next()) {
                (None, None) => return true,
                (Some((a, item)), Some((b, other_item))) => {
                    let (Some(a), Some(b)) = (self.node(a), other.node(b)) else { return false };
                    // In the order of a walk, these two bits at each item are the whole tree.
                    let shape = |node: &Node| (node.first == NONE, node.next == NONE);
                    if shape(a) != shape(b) || item != other_item {
                        return false;
                    }
                }
                _ => return false,
            }
        }
    }
}

#[cold]
fn missing(id: ItemId) -> Error {
    Error::new(ErrorKind::Invalid("the document has no such item".into()), format!("{id:?}"))
}
