//! Nodes of a tree for the steps that edit or search them.

use std::collections::BTreeMap;

use rezkit::Opened;
use rezkit::tree::{self, OwnedNode, OwnedValue};

use crate::kit::{TEXT, ok};

/// The path of a node, and its value.
type Found = (String, Option<OwnedValue>);

/// The paths and values of some nodes, and the size of all. The nodes are not kept, since a search may take all of the
/// memory that the file leaves.
pub(crate) fn some(opened: &Opened<'_>, depth: usize, most: usize) -> Option<(Vec<Found>, usize)> {
    let root = ok(opened.nodes("", depth))?;
    let mut paths = Vec::new();
    collect(&root, "", &mut paths);
    // Copies of long values are not part of the step.
    let short = |value: &&OwnedValue| of(value) <= TEXT;
    let some = paths.into_iter().take(most).map(|(path, value)| (path, value.filter(short).cloned()));
    Some((some.collect(), size(&root)))
}

fn collect<'a>(node: &'a OwnedNode, path: &str, paths: &mut Vec<(String, Option<&'a OwnedValue>)>) {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for child in node.children.iter().take(100) {
        let index = names.entry(&child.name).or_default();
        let path = tree::join(path, &child.name, *index);
        *index += 1;
        // Nodes below a long name add nothing to the test, and their paths would take more memory than the step may.
        if path.len() > TEXT {
            continue;
        }
        collect(child, &path, paths);
        paths.push((path, child.value.as_ref()));
    }
}

/// The number of bytes of all texts in a tree. Instances can share texts, but each node has its own copy.
fn size(node: &OwnedNode) -> usize {
    let own = node.value.iter().chain(node.properties.iter().map(|(_, value)| value)).map(of);
    own.sum::<usize>() + node.children.iter().map(size).sum::<usize>() + node.name.len()
}

/// The number of bytes of a text.
fn of(value: &OwnedValue) -> usize {
    match value {
        OwnedValue::Text(text) => text.len(),
        OwnedValue::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}
