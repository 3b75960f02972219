//! Trees that own their content.

use std::sync::Arc;

use rezkit_core::{Budget, Result};

use super::value::{Data, OwnedValue, Value};
use super::{MAX_DEPTH, Node, nothing, resolve, too_deep, with_node};

/// An owned node with all its content.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct OwnedNode {
    /// The name within its parent.
    pub name: String,
    /// The class, or the type.
    pub kind: String,
    /// The value of a leaf.
    pub value: Option<OwnedValue>,
    /// The properties, if the node is an instance.
    pub properties: Vec<(String, OwnedValue)>,
    /// The number of children.
    pub count: usize,
    /// The child nodes; empty below the requested depth.
    pub children: Vec<Self>,
}

/// The node at a path with some levels below it.
///
/// # Errors
/// If there is no such path, or if it needs more than is left.
pub(crate) fn owned(root: &dyn Node, path: &str, depth: usize, budget: &mut Budget) -> Result<OwnedNode> {
    let mut made = None;
    with_node(root, path, &mut |node| made = Some(own(node, depth.min(MAX_DEPTH), budget)))?;
    made.ok_or_else(|| nothing(root, path))?
}

/// The allocator's overhead for the texts of a node.
const TEXTS: usize = 32;

fn own(node: &dyn Node, depth: usize, budget: &mut Budget) -> Result<OwnedNode> {
    budget.clone().take(node.weight(), "the content tree")?;
    let (name, kind) = (node.name().into_owned(), node.kind().into_owned());
    let (value, properties) = (node.value(), node.properties());
    let cost = value.as_ref().map_or(0, Value::cost) + name.len() + kind.len() + TEXTS;
    let cost = cost + properties.iter().map(|(name, value)| name.len() + value.cost()).sum::<usize>();
    budget.take(cost as u64, "the content tree")?;
    let mut children = Vec::new();
    if depth > 0 {
        budget.take_values::<OwnedNode>(node.count(), "the content tree")?;
        children.reserve_exact(node.count());
        for child in node.children() {
            children.push(own(&*child, depth - 1, budget)?);
        }
    }
    Ok(OwnedNode {
        name,
        kind,
        value: value.map(OwnedValue::from),
        properties: properties.into_iter().map(|(name, value)| (name, value.into())).collect(),
        count: node.count(),
        children,
    })
}

/// The value at a path.
///
/// # Errors
/// If nothing is at the path, or the value needs more than is left of the budget.
pub(crate) fn get(root: &dyn Node, path: &str, budget: &mut Budget) -> Result<Value> {
    let mut value = None;
    resolve(root, path, &mut |found| value = Some(found.into_value(budget)))?;
    value.ok_or_else(|| nothing(root, path))?
}

/// The whole content of a node as one value.
pub(super) fn all(node: &dyn Node, depth: usize, budget: &mut Budget) -> Result<Value> {
    const WHAT: &str = "the value at the path";
    let below = depth.checked_sub(1).ok_or_else(too_deep)?;
    if let Some(value) = node.value() {
        budget.take(value.cost() as u64, WHAT)?;
        return Ok(value);
    }
    if node.is_list() {
        budget.take_values::<Value>(node.count(), WHAT)?;
        let values = node.children().map(|child| all(&*child, below, budget)).collect::<Result<_>>()?;
        return Ok(Value { kind: "list".into(), data: Data::List(Arc::new(values)) });
    }
    budget.clone().take(node.weight(), WHAT)?;
    let mut fields = node.properties();
    budget.take(fields.iter().map(|(name, value)| name.len() + value.cost()).sum::<usize>() as u64, WHAT)?;
    if fields.is_empty() {
        budget.take_values::<(String, Value)>(node.count(), WHAT)?;
        fields.reserve_exact(node.count());
        for child in node.children() {
            let name = child.name().into_owned();
            budget.take((name.len() + TEXTS) as u64, WHAT)?;
            fields.push((name, all(&*child, below, budget)?));
        }
    }
    Ok(Value::fields("fields", fields))
}
