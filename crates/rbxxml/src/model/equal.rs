//! Equality of documents.

use std::cell::RefCell;
use std::collections::HashSet;

use super::{Content, Document, NONE, Node, Value};

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes
            && self.metadata == other.metadata
            && self.externals == other.externals
            && self.shared_strings == other.shared_strings
            && self.same_instances(other)
    }
}

impl Eq for Document {}

impl Document {
    fn same_instances(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.positions(), other.positions());
        let same_reference = |a: &Value, b: &Value| {
            let at = |value: &Value, positions: &[u32]| {
                let position = positions.get(value.as_instance()?.slot() as usize).copied()?;
                (position != NONE).then_some(position)
            };
            at(a, &mine) == at(b, &theirs)
        };
        let equal = RefCell::new(HashSet::new());
        let same = |a: &Value, b: &Value| match (a, b) {
            (Value::Ref(_), Value::Ref(_))
            | (Value::Content(Content::Object(_)), Value::Content(Content::Object(_))) => {
                same_reference(a, b)
            }
            (a, b) => match a.as_shared().zip(b.as_shared()) {
                // Many instances can share long bytes: they are compared once.
                Some((mine, theirs)) => {
                    let pair = (mine.address(), theirs.address());
                    let is_known = equal.borrow().contains(&pair);
                    a.kind() == b.kind() && (is_known || (mine == theirs && equal.borrow_mut().insert(pair)))
                }
                None => a == b,
            },
        };
        self.len() == other.len()
            && self.instances().zip(other.instances()).all(|(a, b)| {
                let (Some(a), Some(b)) = (self.node(a), other.node(b)) else { return false };
                // In preorder, these two bits of each instance describe the whole tree.
                let shape = |node: &Node| (node.first == NONE, node.next == NONE);
                let (x, y) = (&a.instance, &b.instance);
                shape(a) == shape(b)
                    && x.class == y.class
                    && x.referent == y.referent
                    && x.properties.len() == y.properties.len()
                    && x.properties
                        .iter()
                        .zip(&y.properties)
                        .all(|(x, y)| x.name == y.name && same(&x.value, &y.value))
            })
    }

    /// The position of each node in preorder; [`NONE`] for a removed one.
    fn positions(&self) -> Vec<u32> {
        let mut positions = vec![NONE; self.nodes.len()];
        for (position, id) in (0..).zip(self.instances()) {
            if let Some(to) = positions.get_mut(id.slot() as usize) {
                *to = position;
            }
        }
        positions
    }
}
