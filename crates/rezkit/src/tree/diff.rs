//! What differs between two trees.

use std::collections::HashMap;

use rezkit_core::Result;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use super::{MAX_DEPTH, Node, Value, join, too_deep};

/// A difference between two trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path of the node; with `.` and the name of a property where that differs.
    pub path: String,
    /// The kind of the node where all of it was added or removed.
    pub node: Option<String>,
    /// The value before; `None` where it was added.
    pub old: Option<Value>,
    /// The value after; `None` where it was removed.
    pub new: Option<Value>,
    /// Whether it is there before and after.
    pub in_both: (bool, bool),
}

/// With [`Value::to_json`] of the values, and whether it was `changed`, `added` or `removed`.
impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Change", 5)?;
        fields.serialize_field("path", &self.path)?;
        fields.serialize_field("node", &self.node)?;
        fields.serialize_field("old", &self.old)?;
        fields.serialize_field("new", &self.new)?;
        let change = match self.in_both {
            (true, true) => "changed",
            (false, _) => "added",
            (_, false) => "removed",
        };
        fields.serialize_field("change", change)?;
        fields.end()
    }
}

/// Calls a function with each difference between two trees, in the order of the first. Children are paired by
/// name and kind, and, where several have the same, by their order.
///
/// # Errors
/// [`Effort`](rezkit_core::ErrorKind::Effort) where the trees have more than [`MAX_DEPTH`] levels in common.
pub fn diff(a: &dyn Node, b: &dyn Node, found: &mut dyn FnMut(Change)) -> Result<()> {
    compare(a, b, "", MAX_DEPTH, found)
}

fn compare(
    a: &dyn Node,
    b: &dyn Node,
    path: &str,
    depth: usize,
    found: &mut dyn FnMut(Change),
) -> Result<()> {
    let below = depth.checked_sub(1).ok_or_else(too_deep)?;
    if let (Some(a), Some(b)) = (a.whole(), b.whole())
        && a == b
    {
        return Ok(());
    }
    let (old, new) = (a.value(), b.value());
    if old != new || (old.is_some() && a.kind() != b.kind()) {
        found(Change { path: path.to_owned(), node: None, old, new, in_both: (true, true) });
    }
    let fields = |node: &dyn Node| Value::fields("", node.properties());
    properties(path, &fields(a), &fields(b), found);
    if a.is_list() && b.is_list() {
        return lists(a, b, path, below, found);
    }
    let (these, those): (Vec<_>, Vec<_>) = (a.children().collect(), b.children().collect());
    let mut left: HashMap<_, usize> =
        keys(&those).into_iter().enumerate().map(|(index, key)| (key, index)).collect();
    for (child, key) in these.iter().zip(keys(&these)) {
        let path = join(path, &key.0, key.3);
        match left.remove(&key) {
            Some(index) => compare(&**child, &*those[index], &path, below, found)?,
            None => found(whole(path, &**child, true)),
        }
    }
    let mut left: Vec<_> = left.into_iter().collect();
    left.sort_by_key(|(_, index)| *index);
    for (key, index) in left {
        found(whole(join(path, &key.0, key.3), &*those[index], false));
    }
    Ok(())
}

/// Values with their indices as names are paired one by one: lists can be too long to keep.
fn lists(a: &dyn Node, b: &dyn Node, path: &str, depth: usize, found: &mut dyn FnMut(Change)) -> Result<()> {
    let (mut these, mut those) = (a.children(), b.children());
    loop {
        let (old, new) = (these.next(), those.next());
        let Some(either) = old.as_ref().or(new.as_ref()) else { return Ok(()) };
        let path = join(path, &either.name(), 0);
        match (&old, &new) {
            (Some(old), Some(new)) if kind(&**old) == kind(&**new) => {
                compare(&**old, &**new, &path, depth, found)?
            }
            _ => {
                old.iter().for_each(|old| found(whole(path.clone(), &**old, true)));
                new.iter().for_each(|new| found(whole(path.clone(), &**new, false)));
            }
        }
    }
}

/// The kind by which nodes are paired: what has no children of its own may change its type and is still the
/// same.
fn kind(node: &dyn Node) -> String {
    if node.value().is_some() { String::new() } else { node.kind().into_owned() }
}

/// The name, the kind, which of those with both, and which of those with the name.
type Key = (String, String, usize, usize);

fn keys(children: &[Box<dyn Node + '_>]) -> Vec<Key> {
    let (mut with_both, mut with_name) = (HashMap::new(), HashMap::new());
    let mut next = |name: &str, kind: &str| {
        let both: &mut usize = with_both.entry((name.to_owned(), kind.to_owned())).or_default();
        let named: &mut usize = with_name.entry(name.to_owned()).or_default();
        *both += 1;
        *named += 1;
        (*both - 1, *named - 1)
    };
    let mut key = |child: &dyn Node| {
        let (name, kind) = (child.name().into_owned(), kind(child));
        let (both, named) = next(&name, &kind);
        (name, kind, both, named)
    };
    children.iter().map(|child| key(&**child)).collect()
}

/// The differences of properties, and of the fields within decoded bytes.
fn properties(path: &str, a: &Value, b: &Value, found: &mut dyn FnMut(Change)) {
    let (Some(these), Some(those)) = (a.as_fields(), b.as_fields()) else {
        if a != b {
            let (old, new) = (Some(a.clone()), Some(b.clone()));
            found(Change { path: path.to_owned(), node: None, old, new, in_both: (true, true) });
        }
        return;
    };
    // Of several with one name, each with the one of its number.
    let mut others: HashMap<(&str, usize), &Value> = numbered(those).collect();
    for ((name, number), old) in numbered(these) {
        let path = format!("{path}.{name}");
        match others.remove(&(name, number)) {
            Some(new) => properties(&path, old, new, found),
            None => {
                found(Change { path, node: None, old: Some(old.clone()), new: None, in_both: (true, false) })
            }
        }
    }
    for ((name, _), new) in numbered(those).filter(|(key, _)| others.contains_key(key)) {
        let path = format!("{path}.{name}");
        found(Change { path, node: None, old: None, new: Some(new.clone()), in_both: (false, true) });
    }
}

/// Fields with their names, and how many of that name are before each.
fn numbered(fields: &[(String, Value)]) -> impl Iterator<Item = ((&str, usize), &Value)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    fields.iter().map(move |(name, value)| {
        let count = counts.entry(name).or_default();
        *count += 1;
        ((name.as_str(), *count - 1), value)
    })
}

fn whole(path: String, node: &dyn Node, removed: bool) -> Change {
    let value = node.value();
    let (old, new) = if removed { (value, None) } else { (None, value) };
    Change { path, node: Some(node.kind().into_owned()), old, new, in_both: (removed, !removed) }
}
