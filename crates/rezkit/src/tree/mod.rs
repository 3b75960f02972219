//! The content of an asset as a tree of nodes with names, kinds and values, for `tree`, `get` and
//! `diff`.

mod diff;
mod near;
mod owned;
mod rows;
mod value;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{self, Write as _};

use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};

use rbxcore::{Dom, InstanceId};

use crate::serial::Any;
use rezkit_core::plain::unescaped;
use rezkit_core::{Budget, Error, ErrorKind, Result};

pub(crate) use diff::diff_effective;
pub use diff::{Change, Reordered, diff};
use near::LONGEST;
pub use near::{closest, nothing};
pub use owned::OwnedNode;
use owned::all;
pub(crate) use owned::{get, owned};
pub use rows::{Row, find, list, walk};
pub use value::{Data, OwnedValue, Value, Written};
pub(crate) use value::{Shared, as_text, hex};

/// A node: an instance, a value of LLSD, a field of a mesh.
pub trait Node {
    /// The name within the parent: the name of an instance, a key, the name of a field, or an index.
    fn name(&self) -> Cow<'_, str>;

    /// The class, or the type.
    fn kind(&self) -> Cow<'_, str>;

    /// The value of a leaf.
    fn value(&self) -> Option<Value> {
        None
    }

    /// The properties, if the node is an instance.
    fn properties(&self) -> Vec<(String, Value)> {
        Vec::new()
    }

    /// The instance of a Roblox document that the node is.
    fn instance(&self) -> Option<(&dyn Dom, InstanceId)> {
        None
    }

    /// Whether the properties are those of another node: quickly, and `false` if that is not sure.
    fn has_properties_of(&self, other: &dyn Node) -> bool {
        let _ = other;
        false
    }

    /// The approximate number of bytes that [`properties`](Self::properties) takes, if there are unusually many.
    fn weight(&self) -> u64 {
        0
    }

    /// Values of the whole file, sorted by name: the metadata of a document. They are only compared, and found by their
    /// paths, such as `.ExplicitAutoJoints`.
    fn metadata(&self) -> Vec<(String, Value)> {
        Vec::new()
    }

    /// Whether the file stores values of a property that cannot be decoded.
    fn is_undecoded(&self, property: &str) -> bool {
        let _ = property;
        false
    }

    /// A property that is not among the [properties](Self::properties): metadata, stored under another name, or the
    /// default of the instance's class.
    fn unstored(&self, property: &str) -> Option<Found<'_>> {
        let _ = property;
        None
    }

    /// What another node has for a property that this node stores and the other one does not, if the other one stores it
    /// under another name or in another form; `is_old` tells apart two names of one property, of which only one counts.
    fn elsewhere(&self, property: &str, other: &dyn Node, is_old: bool) -> Option<Elsewhere> {
        let _ = (property, other, is_old);
        None
    }

    /// The children, in order, created on demand.
    fn children(&self) -> Children<'_> {
        Box::new(std::iter::empty())
    }

    /// The number of children.
    fn count(&self) -> usize {
        self.children().count()
    }

    /// Whether the children are values with their indices as names.
    fn is_list(&self) -> bool {
        false
    }

    /// Whether the order of the children is data.
    fn is_ordered(&self) -> bool {
        false
    }

    /// The identity of the node, which it keeps when it is moved or renamed.
    fn identity(&self) -> Option<u128> {
        None
    }

    /// The [identity](Self::identity) of the node that a property refers to.
    fn referred(&self, _property: &str) -> Option<u128> {
        None
    }

    /// All nodes below this one with an identity that no other node has.
    fn identities(&self) -> HashMap<u128, Box<dyn Node + '_>> {
        HashMap::new()
    }

    /// The path of a node with an identity.
    fn path(&self) -> String {
        join("", &self.name(), 0)
    }

    /// Calls a function with a child: the one with this index among those of this name. Returns whether it exists.
    fn child(&self, name: &str, index: usize, found: &mut dyn FnMut(&dyn Node)) -> bool {
        let mut named = self.children().filter(|child| child.name() == name);
        named.nth(index).map(|child| found(&*child)).is_some()
    }

    /// The whole content of the node, if available. Equal contents need not be compared further, and content without
    /// texts need not be searched for texts.
    #[doc(hidden)]
    fn whole(&self) -> Option<&Any> {
        None
    }
}

/// The value of a property that a node stores under another name or in another form; see [`Node::elsewhere`].
#[derive(Debug)]
pub enum Elsewhere {
    /// The same, or it is compared under the other name.
    Compared,
    /// Another value.
    Differs(Value),
}

/// The nodes in a node.
pub type Children<'a> = Box<dyn Iterator<Item = Box<dyn Node + 'a>> + 'a>;

/// Names joined by `/`; in a name `/`, `\` and `[` are escaped. An empty name is written as its index, `[0]`, since the
/// empty path is the root.
pub fn join(path: &str, name: &str, index: usize) -> String {
    let mut joined = String::with_capacity(path.len() + name.len() + 1);
    joined.push_str(path);
    push(&mut joined, name, index);
    joined
}

/// Appends a step to a path, as [`join`] does, so that a walk can keep one path and truncate it again.
pub fn push(path: &mut String, name: &str, index: usize) {
    if !path.is_empty() {
        path.push('/');
    }
    for piece in name.split_inclusive(['/', '\\', '[']) {
        let plain = piece.strip_suffix(['/', '\\', '[']).unwrap_or(piece);
        path.push_str(plain);
        if plain.len() < piece.len() {
            path.push('\\');
            path.push_str(&piece[plain.len()..]);
        }
    }
    if index > 0 || name.is_empty() {
        let _written = write!(path, "[{index}]");
    }
}

/// Counts siblings of the same name, to give each its index.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// Whether no two siblings have the same name, so that none is counted.
    unique: bool,
    counts: HashMap<String, usize>,
}

impl Numbers {
    /// For the children of a node.
    pub(crate) fn below(node: &dyn Node) -> Self {
        let unique = node.is_list() || node.whole().is_some_and(Any::is_struct);
        Self { unique, counts: HashMap::new() }
    }

    /// The index of the next sibling of this name.
    pub(crate) fn next(&mut self, name: &str) -> usize {
        if self.unique {
            return 0;
        }
        if let Some(count) = self.counts.get_mut(name) {
            *count += 1;
            return *count;
        }
        self.counts.insert(name.to_owned(), 0);
        0
    }
}

/// A step of a path: a name, and the index among the siblings with that name.
pub(crate) type Step = (String, usize);

/// The name in quotes at the beginning of a step, after the first quote. A name needs quotes if it has a character that
/// means something in a path; quotes around another name belong to it.
fn quoted(rest: &str) -> Option<&str> {
    let (inside, after) = rest.split_once('"')?;
    let is_whole = after.is_empty() || after.starts_with(['/', '[']);
    (is_whole && inside.contains(['/', '[', '.'])).then_some(inside)
}

/// The steps of a path. It may begin with `/`, as the paths in findings about LLSD do.
///
/// # Errors
/// If an index is not a number.
pub(crate) fn parse(path: &str) -> Result<Vec<Step>> {
    let path = &*unescaped(path);
    let path = path.strip_prefix('/').unwrap_or(path);
    let mut steps = Vec::new();
    let (mut name, mut index) = (String::new(), 0);
    let mut chars = path.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => name.extend(chars.next()),
            '"' if name.is_empty() && index == 0 => match quoted(chars.as_str()) {
                Some(inside) => {
                    name.push_str(inside);
                    chars = chars.as_str()[inside.len() + 1..].chars();
                }
                None => name.push('"'),
            },
            '/' => steps.push((std::mem::take(&mut name), std::mem::take(&mut index))),
            '[' => {
                let mut closed = false;
                let is_inside = |char: &char| {
                    closed = *char == ']';
                    !closed
                };
                let digits: String = chars.by_ref().take_while(is_inside).collect();
                let end = if closed { "]" } else { "" };
                let known = if closed { digits.parse().ok() } else { None };
                index = known.ok_or_else(|| {
                    Error::argument(format!(
                        "[{digits}{end} in the path is not an index such as [1]; in a name, write \\[ for ["
                    ))
                })?;
            }
            other => name.push(other),
        }
    }
    if !path.is_empty() {
        steps.push((name, index));
    }
    Ok(steps)
}

/// The value at a path.
pub enum Found<'a> {
    /// A node.
    Node(&'a dyn Node),
    /// A property, or a field of one.
    Value(Value),
    /// A property that the file stores in an older or newer form, under this name.
    Other(&'static str, Value),
    /// The default of a property that the file does not store.
    Default(Value),
}

impl fmt::Debug for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => write!(f, "Node({}, {})", node.name(), node.kind()),
            Self::Value(value) | Self::Other(_, value) | Self::Default(value) => value.fmt(f),
        }
    }
}

impl Found<'_> {
    /// The value; for an instance its properties, for any other node all of its content.
    ///
    /// # Errors
    /// [`Effort`](ErrorKind::Effort) if the node has more than [`MAX_DEPTH`] levels below it, and
    /// [`Limit`](ErrorKind::Limit) if the value needs more than is left of the budget.
    pub fn into_value(self, budget: &mut Budget) -> Result<Value> {
        match self {
            Self::Node(node) => all(node, MAX_DEPTH, budget),
            Self::Value(value) | Self::Other(_, value) | Self::Default(value) => Ok(value),
        }
    }
}

/// Like [`Found::into_value`] and [`Value::to_json`], piece by piece.
impl Serialize for Found<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Node(node) => Below(*node, MAX_DEPTH).serialize(serializer),
            Self::Value(value) | Self::Other(_, value) | Self::Default(value) => {
                value.to_json().serialize(serializer)
            }
        }
    }
}

/// A node, and the maximum number of levels below it.
struct Below<'a>(&'a dyn Node, usize);

impl Serialize for Below<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(node, depth) = self;
        let below = depth.checked_sub(1).ok_or_else(|| S::Error::custom(too_deep()))?;
        if let Some(value) = node.value() {
            return value.to_json().serialize(serializer);
        }
        if node.is_list() {
            return serializer.collect_seq(node.children().map(|child| Element(child, below)));
        }
        let properties = node.properties();
        let mut map = serializer.serialize_map(None)?;
        if properties.is_empty() {
            for child in node.children() {
                map.serialize_entry(&child.name(), &Below(&*child, below))?;
            }
        }
        properties.iter().try_for_each(|(name, value)| map.serialize_entry(name, &value.to_json()))?;
        map.end()
    }
}

/// An element of a list, and the maximum number of levels below it.
struct Element<'a>(Box<dyn Node + 'a>, usize);

impl Serialize for Element<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Below(&*self.0, self.1).serialize(serializer)
    }
}

/// Calls a function with the node, or the property after a `.`, at a path; [unstored](Node::unstored) properties included.
///
/// # Errors
/// If nothing is at the path, or values that cannot be decoded.
pub fn resolve(root: &dyn Node, path: &str, found: &mut dyn FnMut(Found<'_>)) -> Result<()> {
    if with_node(root, path, &mut |node| found(Found::Node(node)))? {
        return Ok(());
    }
    // Names may contain a `.`: the longest path of an existing instance counts.
    for (dot, _) in path.rmatch_indices('.') {
        let (mut is_found, mut is_undecoded) = (false, false);
        let (instance, property) = (&path[..dot], &path[dot + 1..]);
        let there = with_node(root, instance, &mut |node| {
            let stored = Value::fields("", node.properties()).field(property).cloned().map(Found::Value);
            is_undecoded = stored.is_none() && node.is_undecoded(property);
            if is_undecoded {
                return;
            }
            if let Some(value) = stored.or_else(|| node.unstored(property)) {
                is_found = true;
                found(value);
            }
        })?;
        if is_undecoded {
            return Err(Error::unreadable(UNDECODED).at(path));
        }
        if is_found {
            return Ok(());
        }
        if there {
            break;
        }
    }
    // The paths in findings about meshes and the like: `bones[2].name` is `bones/2/name`.
    let slashed = path.replace(['.', '['], "/").replace(']', "");
    match path.len() <= LONGEST && with_node(root, &slashed, &mut |node| found(Found::Node(node)))? {
        true => Ok(()),
        false => Err(nothing(root, path)),
    }
}

/// Calls a function with the node at a path below a node; returns whether it exists.
pub fn with_node(node: &dyn Node, path: &str, found: &mut dyn FnMut(&dyn Node)) -> Result<bool> {
    Ok(descend(node, &parse(path)?, found))
}

fn descend(node: &dyn Node, steps: &[Step], found: &mut dyn FnMut(&dyn Node)) -> bool {
    let Some(((name, index), rest)) = steps.split_first() else {
        found(node);
        return true;
    };
    let mut there = false;
    node.child(name, *index, &mut |child| there = descend(child, rest, found));
    there
}

/// The error for values that only the format crate keeps, as bytes.
pub(crate) const UNDECODED: &str = "the values of this property cannot be decoded, since they are damaged or have an \
                                    unknown type (`rezkit check` shows the reason)";

/// Maximum depth of a walk over a tree: each level is a nested call.
pub const MAX_DEPTH: usize = 1000;

/// The error for a tree that is deeper: [`Effort`](ErrorKind::Effort).
pub fn too_deep() -> Error {
    Error::new(ErrorKind::Effort, format!("the content has more than {MAX_DEPTH} nested levels, the maximum"))
}
