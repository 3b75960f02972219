//! Instances as nodes of a tree.

use std::borrow::Cow;

use super::{Instances, show};
use crate::tree::{self, Children, Node};

/// A document as a node, and how many bytes decoding a property may take.
pub(in super::super) struct Root<'a, D>(pub(in super::super) &'a D, pub(in super::super) u64);

struct Branch<'a, D: Instances> {
    document: &'a D,
    max_bytes: u64,
    id: D::Id,
}

fn branches<'a, D: Instances>(document: &'a D, max_bytes: u64, ids: Vec<D::Id>) -> Children<'a>
where
    D::Id: 'a,
{
    Box::new(ids.into_iter().map(move |id| Box::new(Branch { document, max_bytes, id }) as _))
}

impl<D: Instances> Node for Root<'_, D> {
    fn name(&self) -> Cow<'_, str> {
        "".into()
    }

    fn kind(&self) -> Cow<'_, str> {
        "document".into()
    }

    fn children(&self) -> Children<'_> {
        branches(self.0, self.1, self.0.top())
    }
}

impl<D: Instances> Node for Branch<'_, D> {
    fn name(&self) -> Cow<'_, str> {
        self.document.name_of(self.id)
    }

    fn kind(&self) -> Cow<'_, str> {
        self.document.class_of(self.id)
    }

    fn properties(&self) -> Vec<(String, tree::Value)> {
        let values = self.document.values(self.id).into_iter();
        let mut shown: Vec<_> = values
            .map(|(name, value)| {
                let value = show::value(self.document, &name, &value, self.max_bytes);
                (name, value)
            })
            .collect();
        shown.sort_by(|(a, _), (b, _)| a.cmp(b));
        shown
    }

    fn children(&self) -> Children<'_> {
        branches(self.document, self.max_bytes, self.document.below(self.id))
    }
}
