//! Nodes as rows of a list, for scrolling and searching.

use rezkit_core::Result;

use super::{MAX_DEPTH, Node, Numbers, join, push, too_deep};

/// Maximum number of characters of a value in a [`Row`].
const SUMMARY: usize = 80;

/// A node as a row of a list.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The path, by which [`with_node`](super::with_node) finds the node.
    pub path: String,
    /// The name within its parent.
    pub name: String,
    /// The class, or the type.
    pub kind: String,
    /// The value of a leaf, shortened to one line.
    pub value: Option<String>,
    /// The number of children.
    pub count: usize,
}

impl Row {
    fn new(path: String, node: &dyn Node) -> Self {
        Self {
            path,
            name: node.name().into_owned(),
            kind: node.kind().into_owned(),
            value: node.value().map(|value| value.summary(SUMMARY)),
            count: node.count(),
        }
    }
}

/// At most `max` children of the node at `path`, from the index `from` on.
pub fn list(node: &dyn Node, path: &str, from: usize, max: usize) -> Vec<Row> {
    // The names in a list are indices, so each is unique.
    if node.is_list() {
        let children = node.children().skip(from).take(max);
        return children.map(|child| Row::new(join(path, &child.name(), 0), &*child)).collect();
    }
    let mut names = Numbers::below(node);
    let numbered = node.children().take(from.saturating_add(max)).map(|child| {
        let index = names.next(&child.name());
        (child, index)
    });
    let rows = numbered.skip(from);
    rows.map(|(child, index)| Row::new(join(path, &child.name(), index), &*child)).collect()
}

/// Calls a function with each node below the node at `path` whose name, class or type contains a text, ignoring case,
/// until the function returns `false`. Returns whether it never did.
///
/// # Errors
/// [`Effort`](rezkit_core::ErrorKind::Effort) if there are more than [`MAX_DEPTH`] levels below the node.
pub fn find(node: &dyn Node, path: &str, text: &str, found: &mut dyn FnMut(Row) -> bool) -> Result<bool> {
    let lower = text.to_lowercase();
    walk(node, path, &mut |path, node| {
        let is_found = contains(&node.name(), &lower) || contains(&node.kind(), &lower);
        !is_found || found(Row::new(path.to_owned(), node))
    })
}

/// Calls a function with each node below a node, at any depth, and its path, until the function returns `false`. Returns
/// whether it never did.
///
/// # Errors
/// [`Effort`](rezkit_core::ErrorKind::Effort) if there are more than [`MAX_DEPTH`] levels below the node.
pub fn walk(node: &dyn Node, path: &str, visit: &mut dyn FnMut(&str, &dyn Node) -> bool) -> Result<bool> {
    each_below(node, &mut path.to_owned(), MAX_DEPTH, visit)
}

fn each_below(
    node: &dyn Node,
    path: &mut String,
    depth: usize,
    visit: &mut dyn FnMut(&str, &dyn Node) -> bool,
) -> Result<bool> {
    let below = depth.checked_sub(1).ok_or_else(too_deep)?;
    let (length, mut names) = (path.len(), Numbers::below(node));
    for child in node.children() {
        {
            let name = child.name();
            push(path, &name, names.next(&name));
        }
        if !visit(path, &*child) || !each_below(&*child, path, below, visit)? {
            return Ok(false);
        }
        path.truncate(length);
    }
    Ok(true)
}

/// Whether a text contains a text of lower case, ignoring case.
fn contains(text: &str, lower: &str) -> bool {
    // Most names and types are short and ASCII, and are compared without a copy.
    if text.len() <= SUMMARY && text.is_ascii() {
        let mut places = text.as_bytes().windows(lower.len().max(1));
        return lower.is_empty() || places.any(|place| place.eq_ignore_ascii_case(lower.as_bytes()));
    }
    text.to_lowercase().contains(lower)
}
