//! A document as a tree of instances.

use bstr::{BStr, BString, ByteSlice};

use crate::model::index::NONE;
use crate::model::{Class, Document, InstanceId, Referent, Source, ValueRef};
use rbxcore::parts::path;

/// Instances, each before its children. See [`Document::descendants`].
#[derive(Clone, Debug)]
pub struct Descendants<'a> {
    document: &'a Document,
    top: u32,
    next: u32,
}

/// The children of an instance, or the instances at the root. See [`Document::children`].
#[derive(Clone, Debug)]
pub struct Children<'a> {
    document: &'a Document,
    next: u32,
}

/// Every instance is in the tree exactly once. An instance without a row in [`Document::parents`], one whose parent is
/// not in the document, and the first one of a cycle are at the root. If an instance has several rows, the last one
/// counts. [`crate::check`] reports all of these.
impl Document {
    /// Whether an instance is in the document.
    pub fn contains(&self, id: InstanceId) -> bool {
        self.index().node(id).is_some()
    }

    /// The instances at the root, in order: the services of a place, or the topmost instances of a model.
    pub fn roots(&self) -> Children<'_> {
        Children { document: self, next: self.index().first_root }
    }

    /// The children of an instance, in order.
    pub fn children(&self, id: InstanceId) -> Children<'_> {
        Children { document: self, next: self.index().node(id).map_or(NONE, |node| node.first) }
    }

    /// All descendants of an instance, in preorder.
    pub fn descendants(&self, id: InstanceId) -> Descendants<'_> {
        let next = self.index().node(id).map_or(NONE, |node| node.first);
        Descendants { document: self, top: slot(Some(id)), next }
    }

    /// All instances, in preorder.
    pub fn instances(&self) -> Descendants<'_> {
        Descendants { document: self, top: NONE, next: self.index().first_root }
    }

    /// The parent; `None` for an instance at the root.
    pub fn parent(&self, id: InstanceId) -> Option<InstanceId> {
        InstanceId::new(self.index().node(id)?.parent)
    }

    /// The name of the class.
    pub fn class(&self, id: InstanceId) -> Option<&BStr> {
        Some(self.located(id)?.0.name.as_bstr())
    }

    /// The value of the property `Name`.
    pub fn name(&self, id: InstanceId) -> Option<&BStr> {
        self.get(id, "Name")?.as_bytes().map(ByteSlice::as_bstr)
    }

    /// The number of the instance in the file. New instances have the number with which they will be written.
    pub fn referent(&self, id: InstanceId) -> Option<Referent> {
        self.index().referent(id)
    }

    /// The instance with a referent; the first if there are several.
    pub fn by_referent(&self, referent: Referent) -> Option<InstanceId> {
        self.index().by_referent(referent)
    }

    /// The path by which [`Document::find`] finds an instance: `Workspace/Door/Handle[1]`. An instance without a stored
    /// name has the name of its class, as in Studio.
    ///
    /// Takes time in proportion to the siblings of the instance and of its ancestors; [`Document::paths`] returns the
    /// paths of all instances at once.
    pub fn path(&self, id: InstanceId) -> Option<BString> {
        let mut steps = Vec::new();
        let mut at = self.contains(id).then_some(id);
        while let Some(id) = at {
            let name = self.step_name(id);
            at = self.parent(id);
            let siblings = at.map_or_else(|| self.roots(), |parent| self.children(parent));
            let index = siblings
                .take_while(|&other| other != id)
                .filter(|&other| self.step_name(other) == name)
                .count();
            steps.push((name.as_bytes(), index));
        }
        (!steps.is_empty()).then(|| path::format(steps.into_iter().rev()))
    }

    /// All instances, in preorder, with their [paths](Self::path). Takes time in proportion to the number of instances
    /// and the length of the paths.
    pub fn paths(&self) -> impl Iterator<Item = (InstanceId, BString)> {
        path::all(self.instances().map(|id| (id, self.parent(id), self.step_name(id).as_bytes())))
    }

    /// The instance at a path from the root: names separated by `/`. In a name, escape `\`, `/` and `[` with `\`. `[1]`
    /// after a name selects the second sibling with this name; without an index, the first one is found.
    pub fn find(&self, path: impl AsRef<[u8]>) -> Option<InstanceId> {
        self.walk(self.roots(), path.as_ref())
    }

    /// The instance at a path that begins at the children of another instance.
    pub fn find_in(&self, id: InstanceId, path: impl AsRef<[u8]>) -> Option<InstanceId> {
        self.walk(self.children(id), path.as_ref())
    }

    fn walk<'a>(&'a self, mut level: Children<'a>, path: &[u8]) -> Option<InstanceId> {
        let mut found = None;
        for step in path::parse(path)? {
            let id = level.filter(|&id| self.step_name(id) == step.name).nth(step.index)?;
            level = self.children(id);
            found = Some(id);
        }
        found
    }

    /// The name of an instance in a path; without a stored name, the name of its class, as in Studio.
    fn step_name(&self, id: InstanceId) -> &BStr {
        self.name(id).or_else(|| self.class(id)).unwrap_or_default()
    }

    /// All instances of a class, in the order of its rows.
    pub fn by_class(&self, class: impl AsRef<[u8]>) -> impl Iterator<Item = InstanceId> {
        let index = self.index();
        let classes = index.classes(class.as_ref());
        classes.iter().flat_map(|&class| index.rows(class)).filter_map(|&slot| InstanceId::new(slot))
    }

    /// The value of a property, by its stored name; `None` if the class does not store it, or if its type is not known.
    /// Some stored names differ from those in scripts, such as `size`: see `classes::Class::property`.
    pub fn get(&self, id: InstanceId, property: impl AsRef<[u8]>) -> Option<ValueRef<'_>> {
        let (class, number, row) = self.located(id)?;
        let column = self.index().column(number, class, property.as_ref())?;
        class.properties.get(column)?.column.value(row, &self.source())
    }

    /// The properties of an instance whose reference [`Document::get`] returns as null, although the file has a referent:
    /// no instance has it.
    pub fn dangling(&self, id: InstanceId) -> impl Iterator<Item = &BStr> {
        let index = self.index();
        // The reference to an instance that an edit removed is written as null.
        let is_missing =
            |to: Referent| !to.is_null() && index.by_referent(to).is_none() && !index.is_removed(to);
        self.located(id).into_iter().flat_map(move |(class, _, row)| {
            let properties = class.properties.iter();
            let dangling = properties.filter(move |property| property.reference(row).is_some_and(is_missing));
            dangling.map(|property| property.name.as_bstr())
        })
    }

    /// The properties of an instance, in file order. Columns of an unknown type, and columns without one value per
    /// instance of the class, are left out; [`Document::classes`] has them.
    pub fn properties(&self, id: InstanceId) -> impl Iterator<Item = (&BStr, ValueRef<'_>)> {
        let source = self.source();
        self.located(id).into_iter().flat_map(move |(class, number, row)| {
            source.index.whole(number, class).iter().filter_map(move |&column| {
                let property = class.properties.get(column as usize)?;
                Some((property.name.as_bstr(), property.column.value(row, &source)?))
            })
        })
    }

    /// The shared strings and instances to which values refer.
    pub(crate) fn source(&self) -> Source<'_> {
        Source { shared: &self.shared_strings, index: self.index() }
    }

    /// The class of an instance, the index of the class, and the row of the instance in it.
    pub(crate) fn located(&self, id: InstanceId) -> Option<(&Class, u32, usize)> {
        let node = self.index().node(id)?;
        Some((self.classes.get(node.class as usize)?, node.class, node.row as usize))
    }
}

/// The slot of a parent; [`NONE`] for the root.
pub(crate) fn slot(id: Option<InstanceId>) -> u32 {
    id.map_or(NONE, InstanceId::slot)
}

impl Iterator for Descendants<'_> {
    type Item = InstanceId;

    fn next(&mut self) -> Option<InstanceId> {
        let id = InstanceId::new(self.next)?;
        self.next = self.document.index().after(self.next, self.top);
        Some(id)
    }
}

impl Iterator for Children<'_> {
    type Item = InstanceId;

    fn next(&mut self) -> Option<InstanceId> {
        let id = InstanceId::new(self.next)?;
        self.next = self.document.index().at(self.next).map_or(NONE, |node| node.next);
        Some(id)
    }
}
