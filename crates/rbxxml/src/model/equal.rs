//! When two documents are equal, and when they are written alike.

use super::{Body, Content, Document, Kept, Layout, NONE, Node, Piece, Value};

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
    /// Whether two equal documents are laid out alike: then they are written as the same bytes.
    pub fn same_layout(&self, other: &Self) -> bool {
        let Layout { prolog, epilog, newline, indent, start, body } = &self.layout;
        let theirs = &other.layout;
        let same_kept = |this: &Kept, that: &Kept| this.text() == that.text();
        let same_body = |this: Option<&Body>, that: Option<&Body>| match (this, that) {
            (Some(this), Some(that)) => {
                same_kept(&this.start, &that.start) && same_pieces(&this.pieces, &that.pieces)
            }
            (this, that) => this.is_none() && that.is_none(),
        };
        (prolog, epilog, newline, indent) == (&theirs.prolog, &theirs.epilog, &theirs.newline, &theirs.indent)
            && same_kept(start, &theirs.start)
            && same_pieces(body, &theirs.body)
            && self.metadata.iter().zip(&other.metadata).all(|(a, b)| same_kept(&a.kept, &b.kept))
            && self.externals.iter().zip(&other.externals).all(|(a, b)| same_kept(&a.kept, &b.kept))
            && self.shared_strings.iter().zip(&other.shared_strings).all(|(a, b)| same_kept(&a.kept, &b.kept))
            && self.instances().zip(other.instances()).all(|(a, b)| {
                let (Some(a), Some(b)) = (self.instance(a), other.instance(b)) else { return false };
                same_body(a.body.as_deref(), b.body.as_deref())
                    && a.properties.iter().zip(&b.properties).all(|(a, b)| same_kept(&a.kept, &b.kept))
            })
    }

    fn same_instances(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.positions(), other.positions());
        let same_reference = |a: &Value, b: &Value| {
            let at = |value: &Value, positions: &[u32]| {
                let position = positions.get(value.as_instance()?.0 as usize).copied()?;
                (position != NONE).then_some(position)
            };
            at(a, &mine) == at(b, &theirs)
        };
        let same = |a: &Value, b: &Value| match (a, b) {
            (Value::Ref(_), Value::Ref(_))
            | (Value::Content(Content::Object(_)), Value::Content(Content::Object(_))) => {
                same_reference(a, b)
            }
            (a, b) => a == b,
        };
        self.len() == other.len()
            && self.instances().zip(other.instances()).all(|(a, b)| {
                let (Some(a), Some(b)) = (self.node(a), other.node(b)) else { return false };
                // In the order of a walk, these two bits of each instance are the whole tree.
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

    /// The position of each node in the order of a walk; of a removed one, [`NONE`].
    fn positions(&self) -> Vec<u32> {
        let mut positions = vec![NONE; self.nodes.len()];
        for (position, id) in (0..).zip(self.instances()) {
            if let Some(to) = positions.get_mut(id.0 as usize) {
                *to = position;
            }
        }
        positions
    }
}

/// Instances are in the order of the tree in both.
fn same_pieces(this: &[Piece], that: &[Piece]) -> bool {
    this.len() == that.len()
        && this.iter().zip(that).all(|pieces| match pieces {
            (Piece::Instance(_), Piece::Instance(_)) => true,
            (this, that) => this == that,
        })
}
