//! All texts of an asset: names and values, with their paths.

use rezkit_core::{Budget, Result};

use crate::tree::{self, Data, MAX_DEPTH, Node, Value};

/// A text.
#[derive(Clone, Copy, Debug)]
pub enum Leaf<'a> {
    /// The name of a node.
    Name(&'a str),
    /// A value without fields or entries.
    Value(&'a Value),
}

/// Receives the texts, with the path of each, and the budget of the walk.
pub type Visit<'v> = dyn FnMut(&str, Leaf<'_>, &mut Budget) -> Result<()> + 'v;

/// Visits all texts of an asset, in the order of its tree: the names of its nodes, their values, those of their properties,
/// and the fields and entries of these.
///
/// # Errors
/// [`Effort`](rezkit_core::ErrorKind::Effort) if the tree has more than [`MAX_DEPTH`] levels,
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the properties of a node exceed the budget; and those of the visitor.
pub fn walk(root: &dyn Node, budget: &mut Budget, visit: &mut Visit<'_>) -> Result<()> {
    Walk { path: String::new(), budget, visit }.node(root, MAX_DEPTH)
}

struct Walk<'w, 'v> {
    /// The path of the current node: one text that grows and is cut again, since a long name can have many children.
    path: String,
    budget: &'w mut Budget,
    visit: &'w mut Visit<'v>,
}

impl Walk<'_, '_> {
    fn node(&mut self, node: &dyn Node, depth: usize) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or_else(tree::too_deep)?;
        if let Some(value) = node.value() {
            self.value(&value)?;
        }
        let length = self.path.len();
        const WHAT: &str = "the properties of an instance";
        self.budget.clone().take(node.weight(), WHAT)?;
        let properties = node.properties();
        let held: usize = properties.iter().map(|(_, value)| value.cost()).sum();
        self.budget.take(held as u64, WHAT)?;
        self.fields(&properties)?;
        self.budget.give_back(held as u64);
        let mut names = tree::Numbers::below(node);
        for child in node.children() {
            if child.whole().is_some_and(|whole| !whole.has_text()) {
                continue;
            }
            let name = child.name();
            tree::push(&mut self.path, &name, names.next(&name));
            (self.visit)(&self.path, Leaf::Name(&name), self.budget)?;
            self.node(&*child, depth)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn fields(&mut self, fields: &[(String, Value)]) -> Result<()> {
        let length = self.path.len();
        for (name, value) in fields {
            self.path.extend([".", name]);
            self.value(value)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn value(&mut self, value: &Value) -> Result<()> {
        match &value.data {
            Data::Fields(fields) | Data::Decoded(_, fields) => self.fields(fields),
            Data::List(values) => values.iter().try_for_each(|value| self.value(value)),
            Data::Bytes(_) | Data::Line(..) => (self.visit)(&self.path, Leaf::Value(value), self.budget),
        }
    }
}
