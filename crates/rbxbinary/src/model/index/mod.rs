//! The index: the class and row of each instance, and its parent, siblings and children. It is built on first use; an
//! edit updates only the entries that it affects.
#![allow(
    clippy::cast_possible_truncation,
    reason = "instances and classes are counted with 32 bits, which reading and inserting check"
)]

mod free;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use bstr::BString;

use super::pool::Pool;
use super::{Class, Document, InstanceId, Name, Property, Referent, unique_ids};
use crate::consts::ChunkName;
use rbxcore::UniqueId;
use rbxcore::parts::spare::{Spare, with_spare};
use rbxcore::parts::unique_ids::UniqueIds;

/// The slot that means no instance.
pub(crate) const NONE: u32 = u32::MAX;

/// The size of the index per instance, in bytes.
pub(crate) const PER_INSTANCE: usize = with_spare(size_of::<Node>() + 4 * size_of::<u32>());

/// A class with more columns than this has a map to find them by name.
const FEW: usize = 12;

/// An instance: its location and its neighbours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// `NONE` if the instance was removed.
    pub(crate) class: u32,
    pub(crate) row: u32,
    pub(crate) referent: Referent,
    pub(crate) parent: u32,
    previous: u32,
    pub(crate) next: u32,
    pub(crate) first: u32,
    last: u32,
}

impl Node {
    /// An instance that is not linked to others yet.
    fn new(class: u32, row: u32, referent: Referent) -> Self {
        let [parent, previous, next, first, last] = [NONE; 5];
        Self { class, row, referent, parent, previous, next, first, last }
    }
}

/// The slot of each referent, also of removed instances.
#[derive(Clone)]
enum Lookup {
    /// Slots by referent: referents are small numbers in nearly every file.
    Dense(Spare<u32>),
    Sparse(HashMap<Referent, u32>),
}

#[derive(Clone)]
pub(crate) struct Index {
    nodes: Spare<Node>,
    classes: Vec<ClassIndex>,
    /// The first and the last instance at the root.
    pub(crate) first_root: u32,
    last_root: u32,
    lookup: Lookup,
    pub(crate) next_referent: Option<i32>,
    next_class: u32,
    class_ids: Option<HashSet<u32>>,
    /// The referents that values refer to, whether or not an instance has them; collected when one is first reserved.
    referred: Option<HashSet<Referent>>,
    /// Instances were removed, so values may refer to removed ones.
    pub(crate) has_removed: bool,
    by_name: HashMap<BString, Vec<u32>>,
    pub(crate) pool: Pool,
    /// The unique ids of all instances; collected on first use.
    unique_ids: Option<UniqueIds>,
    /// Why the document cannot be edited, if so.
    pub(crate) refusal: Option<String>,
}

/// The index of one class.
#[derive(Clone, Default)]
struct ClassIndex {
    /// The slot of the instance in each row.
    slots: Spare<u32>,
    /// The columns by name, if there are more than [`FEW`].
    columns: OnceLock<HashMap<Name, u32>>,
    /// The columns that have a value for each instance.
    whole: OnceLock<Vec<u32>>,
}

impl Index {
    pub(crate) fn new(document: &Document) -> Self {
        let classes = &document.classes;
        let count = document.len();
        let mut index = Self {
            nodes: Spare(Vec::with_capacity(with_spare(count))),
            classes: Vec::with_capacity(classes.len()),
            first_root: NONE,
            last_root: NONE,
            lookup: Lookup::new(classes, count),
            next_referent: None,
            next_class: classes.iter().map(|class| class.id).max().map_or(0, |id| id.wrapping_add(1)),
            class_ids: None,
            referred: None,
            has_removed: false,
            by_name: HashMap::new(),
            pool: Pool::default(),
            unique_ids: None,
            refusal: None,
        };
        for (class, number) in classes.iter().zip(0_u32..) {
            index.by_name.entry(class.name.clone()).or_default().push(number);
            let first = index.nodes.len() as u32;
            let mut slots = Vec::with_capacity(with_spare(class.referents.len()));
            slots.extend((first..).take(class.referents.len()));
            index.classes.push(ClassIndex { slots: Spare(slots), ..ClassIndex::default() });
            for (&referent, row) in class.referents.iter().zip(0_u32..) {
                let slot = index.nodes.len() as u32;
                index.nodes.push(Node::new(number, row, referent));
                let refusal = &mut index.refusal;
                let remedy = "convert the document to XML and back, which assigns new referents";
                if referent.is_null() {
                    refusal.get_or_insert_with(|| {
                        format!("an instance of the class {} has a null referent ({remedy})", class.name)
                    });
                } else if !index.lookup.insert(referent, slot) {
                    refusal.get_or_insert_with(|| {
                        format!("two instances have the referent {referent} ({remedy})")
                    });
                }
            }
        }
        for raw in document.unknown_chunks() {
            let what = match raw.name {
                ChunkName::PRNT => "a second PRNT chunk",
                ChunkName::PROP => "a PROP chunk whose class id belongs to no class",
                _ => continue,
            };
            let remedy = "convert the document to XML and back, with the option allow_loss or --allow-loss, which \
                          drops the chunk and all else that XML cannot store";
            let why = || format!("it has {what} ({remedy})");
            index.refusal.get_or_insert_with(why);
        }
        let greatest = classes.iter().flat_map(|class| &class.referents).map(|referent| referent.0).max();
        index.next_referent = greatest.unwrap_or(-1).max(-1).checked_add(1).or(Some(i32::MIN));
        index.link_all(document);
        index
    }

    /// Links each instance to its parent. If an instance has several rows in `parents`, the last one counts. An
    /// instance without a row, one whose parent does not exist, and the first one of a cycle are put at the root.
    fn link_all(&mut self, document: &Document) {
        let pairs = || document.parents.children.iter().zip(&document.parents.parents).zip(0_u32..);
        let mut parents = vec![NONE; self.nodes.len()];
        let mut rows = vec![NONE; self.nodes.len()];
        for ((&child, &parent), row) in pairs() {
            if let Some(child) = self.lookup.get(child) {
                parents[child as usize] = self.lookup.get(parent).unwrap_or(NONE);
                rows[child as usize] = row;
            }
        }
        break_cycles(&mut parents);
        for ((&child, _), row) in pairs() {
            if let Some(child) = self.lookup.get(child).filter(|&child| rows[child as usize] == row) {
                self.link(child, parents[child as usize]);
            }
        }
        for (slot, _) in (0_u32..).zip(&rows).filter(|(_, row)| **row == NONE) {
            self.link(slot, NONE);
        }
    }

    /// An existing instance.
    pub(crate) fn node(&self, id: InstanceId) -> Option<&Node> {
        self.nodes.get(id.slot() as usize).filter(|node| node.class != NONE)
    }

    pub(crate) fn at(&self, slot: u32) -> Option<&Node> {
        self.nodes.get(slot as usize)
    }

    pub(crate) fn by_referent(&self, referent: Referent) -> Option<InstanceId> {
        let id = InstanceId::new(self.lookup.get(referent)?)?;
        self.node(id).map(|_| id)
    }

    /// Whether an edit removed the instance with a referent.
    pub(crate) fn is_removed(&self, referent: Referent) -> bool {
        let slot = self.lookup.get(referent).filter(|_| self.has_removed);
        slot.and_then(|slot| self.at(slot)).is_some_and(|node| node.class == NONE)
    }

    /// The referent of an existing instance.
    pub(crate) fn referent(&self, id: InstanceId) -> Option<Referent> {
        self.node(id).map(|node| node.referent)
    }

    /// The classes with this name.
    pub(crate) fn classes(&self, name: &[u8]) -> &[u32] {
        self.by_name.get(bstr::BStr::new(name)).map_or(&[], Vec::as_slice)
    }

    /// The instances of a class, in the order of its rows.
    pub(crate) fn rows(&self, class: u32) -> &[u32] {
        self.classes.get(class as usize).map_or(&[], |class| &class.slots)
    }

    /// The column of a property; the last if there are several.
    pub(crate) fn column(&self, number: u32, class: &Class, property: &[u8]) -> Option<usize> {
        if class.properties.len() <= FEW {
            return class.properties.iter().rposition(|other| other.name == *property);
        }
        let columns = self.classes.get(number as usize)?.columns.get_or_init(|| {
            let mut columns = HashMap::with_capacity(class.properties.len());
            for (property, index) in class.properties.iter().zip(0_u32..) {
                columns.insert(property.name.clone(), index);
            }
            columns
        });
        columns.get(property).map(|&index| index as usize)
    }

    /// The columns of a class that have a value for each of its instances. A file can have many other columns, and a
    /// walk over instances must not look at them for each instance.
    pub(crate) fn whole(&self, number: u32, class: &Class) -> &[u32] {
        let Some(known) = self.classes.get(number as usize) else { return &[] };
        known.whole.get_or_init(|| {
            let columns = class.properties.iter().zip(0_u32..);
            let is_whole = |property: &Property| property.column.len() == Some(class.referents.len());
            columns.filter(|(property, _)| is_whole(property)).map(|(_, index)| index).collect()
        })
    }

    /// Forgets what is known about the columns of a class, because they were changed.
    pub(crate) fn forget_columns(&mut self, class: u32) {
        if let Some(class) = self.classes.get_mut(class as usize) {
            (class.columns, class.whole) = (OnceLock::new(), OnceLock::new());
        }
    }

    /// Adds a new last column of a class to its map, which is not rebuilt.
    pub(crate) fn add_column(&mut self, class: u32, name: &Name, column: usize) {
        if let Some(class) = self.classes.get_mut(class as usize) {
            if let Some(columns) = class.columns.get_mut() {
                columns.entry(name.clone()).or_insert(column as u32);
            }
            class.whole = OnceLock::new();
        }
    }

    /// Adds a new last class; returns its index.
    pub(crate) fn add_class(&mut self, name: BString) -> u32 {
        let number = self.classes.len() as u32;
        self.by_name.entry(name).or_default().push(number);
        self.classes.push(ClassIndex::default());
        number
    }

    /// Removes the last class, to roll back an edit.
    pub(crate) fn pop_class(&mut self, name: &BString) {
        self.classes.pop();
        if let Some(classes) = self.by_name.get_mut(name) {
            classes.pop();
        }
    }

    /// Adds an instance in a new row of a class, as the last child of its parent.
    pub(crate) fn add(&mut self, class: u32, referent: Referent, parent: u32) -> Option<InstanceId> {
        let slot = self.nodes.len() as u32;
        let rows = &mut self.classes.get_mut(class as usize)?.slots;
        self.nodes.push(Node::new(class, rows.len() as u32, referent));
        rows.push(slot);
        self.lookup.insert(referent, slot);
        self.link(slot, parent);
        InstanceId::new(slot)
    }

    /// Marks an instance as removed; the last instance of the class takes its row. Its neighbours stay linked to it.
    pub(crate) fn remove(&mut self, slot: u32) -> Option<(u32, u32)> {
        self.has_removed = true;
        let node = self.nodes.get_mut(slot as usize)?;
        let (class, row) = (std::mem::replace(&mut node.class, NONE), node.row);
        let rows = &mut self.classes.get_mut(class as usize)?.slots;
        rows.swap_remove(row as usize);
        if let Some(&moved) = rows.get(row as usize) {
            self.nodes[moved as usize].row = row;
        }
        Some((class, row))
    }

    /// Removes an instance from its parent's children.
    pub(crate) fn unlink(&mut self, slot: u32) {
        let Node { parent, previous, next, .. } = self.nodes[slot as usize];
        match self.nodes.get_mut(previous as usize) {
            Some(previous) => previous.next = next,
            None => *self.ends(parent).0 = next,
        }
        match self.nodes.get_mut(next as usize) {
            Some(next) => next.previous = previous,
            None => *self.ends(parent).1 = previous,
        }
        let node = &mut self.nodes[slot as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Makes an unlinked instance the last child of its parent.
    pub(crate) fn link(&mut self, slot: u32, parent: u32) {
        let previous = std::mem::replace(self.ends(parent).1, slot);
        match self.nodes.get_mut(previous as usize) {
            Some(previous) => previous.next = slot,
            None => *self.ends(parent).0 = slot,
        }
        let node = &mut self.nodes[slot as usize];
        (node.parent, node.previous, node.next) = (parent, previous, NONE);
    }

    /// The first and the last child.
    fn ends(&mut self, parent: u32) -> (&mut u32, &mut u32) {
        match self.nodes.get_mut(parent as usize) {
            Some(node) => (&mut node.first, &mut node.last),
            None => (&mut self.first_root, &mut self.last_root),
        }
    }

    /// The next instance in preorder among the descendants of `top` (`NONE`: all instances); `NONE` at the end.
    pub(crate) fn after(&self, slot: u32, top: u32) -> u32 {
        match self.at(slot) {
            Some(node) if node.first != NONE => node.first,
            _ => self.past(slot, top),
        }
    }

    /// The first descendant without children, in preorder; or the instance itself, if it has no children.
    pub(crate) fn deepest(&self, mut slot: u32) -> u32 {
        while let Some(node) = self.at(slot).filter(|node| node.first != NONE) {
            slot = node.first;
        }
        slot
    }

    /// Like [`Index::after`], but skips the descendants of the instance.
    pub(crate) fn past(&self, mut slot: u32, top: u32) -> u32 {
        while slot != top {
            let Some(node) = self.at(slot) else { return NONE };
            if node.next != NONE {
                return node.next;
            }
            slot = node.parent;
        }
        NONE
    }

    /// An instance and its descendants, in preorder.
    pub(crate) fn subtree(&self, top: u32) -> impl Iterator<Item = u32> {
        let mut next = top;
        std::iter::from_fn(move || {
            let slot = std::mem::replace(&mut next, NONE);
            let found = self.at(slot).map(|_| slot)?;
            next = self.after(slot, top);
            Some(found)
        })
    }

    /// The unique id for a copy: the same if no instance has it, otherwise a fresh one.
    pub(crate) fn fresh_unique_id(&mut self, classes: &[Class], id: UniqueId) -> UniqueId {
        let all = || unique_ids(classes).map(|(_, _, id)| id).collect();
        self.unique_ids.get_or_insert_with(all).fresh(id)
    }

    /// Updates the unique ids after the id of an instance was set or changed.
    pub(crate) fn change_unique_id(&mut self, before: Option<UniqueId>, now: Option<UniqueId>) {
        if let Some(ids) = &mut self.unique_ids {
            before.into_iter().for_each(|id| ids.remove(id));
            now.into_iter().for_each(|id| ids.add(id));
        }
    }

    /// Removes the unique id in a row that is about to be removed.
    pub(crate) fn forget_unique_id(&mut self, class: &Class, row: u32) {
        if let Some(ids) = &mut self.unique_ids
            && let Some(&id) = class.unique_ids().get(row as usize)
        {
            ids.remove(id);
        }
    }

    /// Forgets the unique ids, because a column of them was changed.
    pub(crate) fn forget_unique_ids(&mut self) {
        self.unique_ids = None;
    }
}

impl Lookup {
    fn new(classes: &[Class], count: usize) -> Self {
        let most = count * 2;
        let dense = |referent: &Referent| usize::try_from(referent.0).is_ok_and(|number| number < most);
        match classes.iter().flat_map(|class| &class.referents).all(dense) {
            true => Self::Dense(Spare(Vec::with_capacity(with_spare(count)))),
            false => Self::Sparse(HashMap::with_capacity(count)),
        }
    }

    fn get(&self, referent: Referent) -> Option<u32> {
        match self {
            Self::Dense(slots) => {
                slots.get(usize::try_from(referent.0).ok()?).copied().filter(|&slot| slot != NONE)
            }
            Self::Sparse(slots) => slots.get(&referent).copied(),
        }
    }

    /// Adds the slot of a referent. If the referent has a slot already, returns `false` and changes nothing.
    fn insert(&mut self, referent: Referent, slot: u32) -> bool {
        if let Self::Dense(slots) = self {
            match usize::try_from(referent.0) {
                Ok(number) if number < 2 * slots.len() + (1 << 16) => {
                    if number >= slots.len() {
                        slots.resize(number + 1, NONE);
                    }
                    if slots[number] != NONE {
                        return false;
                    }
                    slots[number] = slot;
                    return true;
                }
                _ => {
                    let all = (0..).map(Referent).zip(slots.iter().copied());
                    *self = Self::Sparse(all.filter(|(_, slot)| *slot != NONE).collect());
                }
            }
        }
        match self {
            Self::Sparse(slots) => match slots.entry(referent) {
                Entry::Vacant(entry) => {
                    entry.insert(slot);
                    true
                }
                Entry::Occupied(_) => false,
            },
            Self::Dense(_) => false,
        }
    }
}

/// Makes a root of the first instance of every cycle.
fn break_cycles(parents: &mut [u32]) {
    const NEW: u32 = 0;
    // For each instance, the number of the walk that met it first.
    let mut met = vec![NEW; parents.len()];
    for (start, walk) in (0..parents.len()).zip(1_u32..) {
        let mut at = start as u32;
        while at != NONE && met[at as usize] == NEW {
            met[at as usize] = walk;
            at = parents[at as usize];
        }
        if at != NONE && met[at as usize] == walk {
            // This walk has come back to an instance that it met before: `at` is on a cycle.
            let mut first = at;
            let mut next = parents[at as usize];
            while next != at {
                first = first.min(next);
                next = parents[next as usize];
            }
            parents[first as usize] = NONE;
        }
    }
}
