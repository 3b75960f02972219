//! A document as a tree of instances.

use crate::model::index::NONE;
use crate::model::{Class, Document, InstanceId, Referent, Source};
use rbxcore::ValueRef;

/// Every instance is in the tree exactly once. An instance without a row in [`Document::parents`], one whose parent is
/// not in the document, and the first one of a cycle are at the root. If an instance has several rows, the last one
/// counts. [`crate::check`] reports all of these.
impl Document {
    /// The number of the instance in the file. New instances have the number with which they will be written.
    pub fn referent(&self, id: InstanceId) -> Option<Referent> {
        self.index().referent(id)
    }

    /// The instance with a referent; the first if there are several.
    pub fn by_referent(&self, referent: Referent) -> Option<InstanceId> {
        self.index().by_referent(referent)
    }

    /// The shared strings and instances to which values refer.
    pub(crate) fn source(&self) -> Source<'_> {
        Source { shared: &self.shared_strings, index: self.index() }
    }

    /// The index of the class of an instance among [`Document::classes`], and the row of the instance in its columns.
    pub fn row(&self, id: InstanceId) -> Option<(usize, usize)> {
        self.located(id).map(|(_, class, row)| (class as usize, row))
    }

    /// The value in a row of a column: of the class and the property with these indices. `None` if there is no such row,
    /// and if the column does not have one value per instance.
    pub fn value_at(&self, class: usize, property: usize, row: usize) -> Option<ValueRef<'_>> {
        let class = self.classes.get(class)?;
        let column = &class.properties.get(property)?.column;
        column.value(row, &self.source()).filter(|_| column.len() == Some(class.referents.len()))
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
