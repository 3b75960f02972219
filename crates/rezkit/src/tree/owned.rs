//! Trees that own their content.

use std::sync::Arc;

use rezkit_core::{Budget, Result};

use super::{Data, MAX_DEPTH, Node, Value, look, nothing, too_deep, visit};

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

/// The kind of value that the text of a [`Data::Line`] represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Written {
    /// A text: an identifier, a date, a path, several values of different types.
    Text,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer,
    /// The name of an item of an enum, which has this number.
    Item(u32),
    /// A number with a fraction.
    Real,
    /// Numbers with commas between them, in brackets or without: of a vector, a colour, a CFrame, a list.
    Numbers,
}

/// An owned value, with numbers as numbers.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum OwnedValue {
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// A text, or a value that is written as one.
    Text(String),
    /// Bytes that are not text.
    Bytes(Vec<u8>),
    /// The numbers of a vector, a colour, a CFrame.
    Numbers(Vec<f64>),
    /// Values without names.
    List(Vec<Self>),
    /// The content of decoded bytes.
    Fields(Vec<(String, Self)>),
}

impl From<Value> for OwnedValue {
    fn from(value: Value) -> Self {
        match value.data {
            Data::Line(written, text) => Self::of_line(written, &text).unwrap_or(Self::Text(text)),
            Data::Bytes(bytes) => {
                let bytes = Arc::unwrap_or_clone(bytes);
                String::from_utf8(bytes).map_or_else(|error| Self::Bytes(error.into_bytes()), Self::Text)
            }
            Data::List(values) => {
                Self::List(Arc::unwrap_or_clone(values).into_iter().map(Self::from).collect())
            }
            Data::Fields(fields) | Data::Decoded(_, fields) => {
                let fields = Arc::unwrap_or_clone(fields);
                Self::Fields(fields.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
        }
    }
}

impl OwnedValue {
    /// The value of a line; `None` if it stays text: a text, a whole number beyond 64 bits, or a NaN with unusual bits.
    fn of_line(written: Written, text: &str) -> Option<Self> {
        match written {
            Written::Text => None,
            Written::Bool => text.parse().map(Self::Bool).ok(),
            Written::Integer => text.parse().map(Self::Integer).ok(),
            Written::Item(number) => Some(Self::Integer(number.into())),
            Written::Real => text.parse().map(Self::Real).ok(),
            Written::Numbers => {
                let text = text.trim_matches(['(', ')', '[', ']']);
                let numbers = text.split(", ").filter(|text| !text.is_empty()).map(str::parse);
                numbers.collect::<Result<_, _>>().map(Self::Numbers).ok()
            }
        }
    }
}

/// A line as JSON; a number that JSON cannot represent stays text.
pub(super) fn json_of_line(written: Written, text: &str) -> serde_json::Value {
    let number = |number: f64| serde_json::Number::from_f64(number).map(serde_json::Value::Number);
    let json = match OwnedValue::of_line(written, text) {
        Some(OwnedValue::Bool(value)) => Some(value.into()),
        Some(OwnedValue::Integer(value)) => Some(value.into()),
        Some(OwnedValue::Real(value)) => number(value),
        Some(OwnedValue::Numbers(values)) => values.into_iter().map(number).collect(),
        _ => None,
    };
    json.unwrap_or_else(|| text.into())
}

/// The node at a path with some levels below it.
///
/// # Errors
/// If there is no such path, or if it needs more than is left.
pub(crate) fn owned(root: &dyn Node, path: &str, depth: usize, budget: &mut Budget) -> Result<OwnedNode> {
    let mut made = None;
    visit(root, path, &mut |node| made = Some(own(node, depth.min(MAX_DEPTH), budget)))?;
    made.ok_or_else(|| nothing(root, path))?
}

/// The allocator's overhead for the texts of a node.
const TEXTS: usize = 32;

fn own(node: &dyn Node, depth: usize, budget: &mut Budget) -> Result<OwnedNode> {
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
    look(root, path, &mut |found| value = Some(found.into_value(budget)))?;
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
