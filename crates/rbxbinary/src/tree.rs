//! A document as a tree of instances.

use std::collections::HashMap;

use bstr::{BStr, ByteSlice};

use crate::model::{Class, Column, Document, Referent, ValueRef};

/// No instance.
pub(crate) const NONE: u32 = u32::MAX;

/// Where each referent is.
#[derive(Clone, Debug)]
enum Lookup {
    /// By the referent itself: they are dense in nearly every file.
    Dense(Vec<u32>),
    Sparse(HashMap<Referent, u32>),
}

impl Lookup {
    fn get(&self, referent: Referent) -> Option<u32> {
        match self {
            Self::Dense(places) => {
                let place = *places.get(usize::try_from(referent.0).ok()?)?;
                (place != NONE).then_some(place)
            }
            Self::Sparse(places) => places.get(&referent).copied(),
        }
    }
}

/// The instances of a document, indexed by parents and children. See [`Document::tree`].
#[derive(Clone, Debug)]
pub struct Tree<'a> {
    document: &'a Document,
    /// Class and row of each instance.
    rows: Vec<(u32, u32)>,
    lookup: Lookup,
    /// The parent of each instance, or `NONE`.
    parents: Vec<u32>,
    /// The children of the instance `i` are `children[starts[i]..starts[i + 1]]`; behind the last
    /// instance come the roots.
    starts: Vec<u32>,
    children: Vec<u32>,
    /// The place of the `Name` in each class.
    names: Vec<Option<u32>>,
}

/// An instance: a row of its class's columns.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    tree: &'a Tree<'a>,
    index: u32,
}

impl Document {
    /// The document as a tree of instances.
    ///
    /// Every instance is in it exactly once: one that has no row among the parents, one whose parent
    /// is not in the document, and the first of those that are each other's ancestors, stand at the
    /// root. Where there are several rows for an instance, the last one counts. [`crate::check`]
    /// reports all of this.
    pub fn tree(&self) -> Tree<'_> {
        Tree::new(self)
    }
}

#[allow(clippy::cast_possible_truncation, reason = "instances are counted with 32 bits")]
impl<'a> Tree<'a> {
    fn new(document: &'a Document) -> Self {
        let mut rows = Vec::with_capacity(document.instance_count());
        for (class, index) in document.classes.iter().zip(0_u32..) {
            rows.extend((0..class.referents.len() as u32).map(|row| (index, row)));
        }
        let count = rows.len();
        let lookup = lookup(document, count);
        let mut parents = vec![NONE; count];
        // The row of each instance among the parents, which orders the children.
        let mut order = vec![NONE; count];
        let pairs = document.parents.children.iter().zip(&document.parents.parents);
        for (row, (&child, &parent)) in pairs.enumerate() {
            if let Some(child) = lookup.get(child) {
                parents[child as usize] = lookup.get(parent).unwrap_or(NONE);
                order[child as usize] = row as u32;
            }
        }
        break_cycles(&mut parents);
        let starts = starts(&parents);
        let mut tree =
            Self { document, rows, lookup, parents, starts, children: Vec::new(), names: Vec::new() };
        tree.children = tree.sort_children(&order);
        let name = |class: &Class| class.properties.iter().position(|property| property.name == "Name");
        tree.names = document.classes.iter().map(|class| name(class).map(|place| place as u32)).collect();
        tree
    }

    /// All children, parent by parent, in the order of their rows; those without one last.
    fn sort_children(&self, order: &[u32]) -> Vec<u32> {
        let mut by_row: Vec<u32> = (0..self.rows.len() as u32).collect();
        by_row.sort_by_key(|&index| order[index as usize]);
        let mut next = self.starts.clone();
        let mut children = vec![NONE; self.rows.len()];
        for index in by_row {
            let place = &mut next[self.slot(self.parents[index as usize])];
            children[*place as usize] = index;
            *place += 1;
        }
        children
    }

    /// The place of a parent in `starts`: the roots stand behind all instances.
    fn slot(&self, parent: u32) -> usize {
        if parent == NONE { self.rows.len() } else { parent as usize }
    }

    fn child_indices(&self, parent: u32) -> &[u32] {
        let slot = self.slot(parent);
        &self.children[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }

    fn instance(&'a self, index: u32) -> Instance<'a> {
        Instance { tree: self, index }
    }

    /// The document.
    pub fn document(&self) -> &'a Document {
        self.document
    }

    /// How many instances there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The instances at the root, in order: the services of a place, the top of a model.
    pub fn roots(&'a self) -> impl ExactSizeIterator<Item = Instance<'a>> + DoubleEndedIterator {
        self.child_indices(NONE).iter().map(|&index| self.instance(index))
    }

    /// The instance with a referent; the first, should there be several.
    pub fn get(&'a self, referent: Referent) -> Option<Instance<'a>> {
        self.lookup.get(referent).map(|index| self.instance(index))
    }

    /// The first instance at a path of names, such as `Workspace/Model/Part`.
    ///
    /// Where several instances have the same name, all of them are tried. A name that holds a slash
    /// cannot be reached in this way.
    pub fn find(&'a self, path: impl AsRef<[u8]>) -> Option<Instance<'a>> {
        find(self.roots().collect(), path.as_ref())
    }

    /// The first instance at the root with a name.
    pub fn find_first_child(&'a self, name: impl AsRef<[u8]>) -> Option<Instance<'a>> {
        self.roots().find(|instance| instance.name() == name.as_ref())
    }

    /// All instances, each before its children.
    pub fn descendants(&'a self) -> Descendants<'a> {
        Descendants { tree: self, stack: self.child_indices(NONE).iter().rev().copied().collect() }
    }

    /// All instances of a class, in the order of the file.
    pub fn by_class(&'a self, name: impl AsRef<[u8]>) -> impl Iterator<Item = Instance<'a>> {
        let of =
            self.document.classes.iter().map(move |class| class.name == name.as_ref()).collect::<Vec<_>>();
        let indices = (0_u32..).zip(&self.rows).filter(move |(_, (class, _))| of[*class as usize]);
        indices.map(|(index, _)| self.instance(index))
    }
}

fn lookup(document: &Document, count: usize) -> Lookup {
    let referents = || document.classes.iter().flat_map(|class| &class.referents).copied();
    let room = count.saturating_mul(4);
    match referents().all(|referent| usize::try_from(referent.0).is_ok_and(|place| place < room)) {
        true => {
            let len = referents().map(|referent| referent.0 + 1).max().unwrap_or(0);
            let mut places = vec![NONE; usize::try_from(len).unwrap_or(0)];
            for (index, referent) in (0_u32..).zip(referents()) {
                if let Some(place) = usize::try_from(referent.0).ok().and_then(|place| places.get_mut(place))
                    && *place == NONE
                {
                    *place = index;
                }
            }
            Lookup::Dense(places)
        }
        false => {
            let mut places = HashMap::with_capacity(count);
            for (index, referent) in (0_u32..).zip(referents()).filter(|(_, referent)| !referent.is_null()) {
                places.entry(referent).or_insert(index);
            }
            Lookup::Sparse(places)
        }
    }
}

/// Where each parent's children begin, and behind the last where they end.
fn starts(parents: &[u32]) -> Vec<u32> {
    let mut starts = vec![0_u32; parents.len() + 2];
    for &parent in parents {
        let slot = if parent == NONE { parents.len() } else { parent as usize };
        starts[slot + 1] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    starts
}

/// Makes a root of the first instance of every cycle.
#[allow(clippy::cast_possible_truncation, reason = "instances are counted with 32 bits")]
fn break_cycles(parents: &mut [u32]) {
    const NEW: u32 = 0;
    // The walk in which an instance was first met.
    let mut met = vec![NEW; parents.len()];
    for start in 0..parents.len() {
        let walk = start as u32 + 1;
        let mut at = start as u32;
        while at != NONE && met[at as usize] == NEW {
            met[at as usize] = walk;
            at = parents[at as usize];
        }
        if at != NONE && met[at as usize] == walk {
            // Walking up led back into this very walk: `at` is on the cycle.
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

/// The first instance at a path that begins with one of these.
fn find<'a>(mut level: Vec<Instance<'a>>, path: &[u8]) -> Option<Instance<'a>> {
    let mut names = path.split(|&byte| byte == b'/').peekable();
    while let Some(name) = names.next() {
        level.retain(|instance| instance.name() == name);
        if names.peek().is_some() {
            level = level.iter().flat_map(Instance::children).collect();
        }
    }
    level.first().copied()
}

impl<'a> Instance<'a> {
    fn row(&self) -> (&'a Class, usize) {
        let (class, row) = self.tree.rows[self.index as usize];
        (&self.tree.document.classes[class as usize], row as usize)
    }

    /// The index of the class and the row in it.
    pub(crate) fn place(&self) -> (usize, usize) {
        let (class, row) = self.tree.rows[self.index as usize];
        (class as usize, row as usize)
    }

    /// The referent, by which edits name an instance.
    pub fn referent(&self) -> Referent {
        let (class, row) = self.row();
        class.referents[row]
    }

    /// The class.
    pub fn class(&self) -> &'a Class {
        self.row().0
    }

    /// The name of the class.
    pub fn class_name(&self) -> &'a BStr {
        self.row().0.name.as_bstr()
    }

    /// The name; empty where there is none.
    pub fn name(&self) -> &'a BStr {
        let (class, row) = self.tree.rows[self.index as usize];
        let place = self.tree.names[class as usize];
        let column =
            place.map(|place| &self.tree.document.classes[class as usize].properties[place as usize].column);
        match column {
            Some(Column::String(names)) => names.get(row as usize).unwrap_or_default(),
            Some(column) => {
                let value = column.get(row as usize, &self.tree.document.shared_strings);
                value.and_then(|value| value.as_bytes()).unwrap_or_default().as_bstr()
            }
            None => BStr::new(""),
        }
    }

    /// The value of a property. `None` where the class has no such column, and as in [`Column::get`].
    pub fn get(&self, property: impl AsRef<[u8]>) -> Option<ValueRef<'a>> {
        let (class, row) = self.row();
        class.property(property)?.get(row, &self.tree.document.shared_strings)
    }

    /// All properties in the file's order; `None` for a value that cannot be told, as in
    /// [`Column::get`].
    pub fn properties(&self) -> impl ExactSizeIterator<Item = (&'a BStr, Option<ValueRef<'a>>)> + use<'a> {
        let (class, row) = self.row();
        let shared = &self.tree.document.shared_strings;
        class
            .properties
            .iter()
            .map(move |property| (property.name.as_bstr(), property.column.get(row, shared)))
    }

    /// The parent; `None` at the root.
    pub fn parent(&self) -> Option<Instance<'a>> {
        let parent = self.tree.parents[self.index as usize];
        (parent != NONE).then(|| self.tree.instance(parent))
    }

    /// The children, in order.
    pub fn children(&self) -> impl ExactSizeIterator<Item = Instance<'a>> + DoubleEndedIterator + use<'a> {
        let tree = self.tree;
        tree.child_indices(self.index).iter().map(|&index| tree.instance(index))
    }

    /// Everything below this instance, each before its children.
    pub fn descendants(&self) -> Descendants<'a> {
        let stack = self.tree.child_indices(self.index).iter().rev().copied().collect();
        Descendants { tree: self.tree, stack }
    }

    /// The first instance at a path of names below this one, as [`Tree::find`].
    pub fn find(&self, path: impl AsRef<[u8]>) -> Option<Instance<'a>> {
        find(self.children().collect(), path.as_ref())
    }

    /// The first child with a name.
    pub fn find_first_child(&self, name: impl AsRef<[u8]>) -> Option<Instance<'a>> {
        self.children().find(|child| child.name() == name.as_ref())
    }
}

impl PartialEq for Instance<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && std::ptr::eq(self.tree, other.tree)
    }
}

impl Eq for Instance<'_> {}

/// Instances, each before its children. See [`Tree::descendants`].
#[derive(Clone, Debug)]
pub struct Descendants<'a> {
    tree: &'a Tree<'a>,
    stack: Vec<u32>,
}

impl<'a> Iterator for Descendants<'a> {
    type Item = Instance<'a>;

    fn next(&mut self) -> Option<Instance<'a>> {
        let index = self.stack.pop()?;
        self.stack.extend(self.tree.child_indices(index).iter().rev());
        Some(self.tree.instance(index))
    }
}
