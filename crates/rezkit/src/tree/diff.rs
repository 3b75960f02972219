//! What differs between two trees.

use std::collections::HashMap;

use rezkit_core::Result;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use super::{MAX_DEPTH, Node, Shared, Value, push, too_deep};

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
    Walk { path: String::new(), equal: HashMap::new(), found }.compare(a, b, MAX_DEPTH)
}

/// A walk over two trees.
struct Walk<'f> {
    /// Where it is: the path is copied if there is a difference and nowhere else, since a long name can have many children.
    path: String,
    /// Whether values that others share are equal: many instances can share a long one.
    equal: HashMap<(Shared, Shared), bool>,
    found: &'f mut dyn FnMut(Change),
}

impl Walk<'_> {
    /// Does something below a node.
    fn below<T>(&mut self, name: &str, index: usize, then: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        push(&mut self.path, name, index);
        let result = then(self);
        self.path.truncate(length);
        result
    }

    fn changed(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let (path, in_both) = (self.path.clone(), (old.is_some(), new.is_some()));
        (self.found)(Change { path, node: None, old: old.cloned(), new: new.cloned(), in_both });
    }

    fn whole(&mut self, node: &dyn Node, removed: bool) {
        let (path, value) = (self.path.clone(), node.value());
        let (old, new) = if removed { (value, None) } else { (None, value) };
        let node = Some(node.kind().into_owned());
        (self.found)(Change { path, node, old, new, in_both: (removed, !removed) });
    }

    fn is_equal(&mut self, a: &Value, b: &Value) -> bool {
        match (a.shared(), b.shared()) {
            (Some(old), Some(new)) if a.kind == b.kind => {
                *self.equal.entry((old, new)).or_insert_with(|| a.data == b.data)
            }
            _ => a == b,
        }
    }

    fn compare(&mut self, a: &dyn Node, b: &dyn Node, depth: usize) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
        if let (Some(a), Some(b)) = (a.whole(), b.whole())
            && a == b
        {
            return Ok(());
        }
        let (old, new) = (a.value(), b.value());
        if old != new || (old.is_some() && a.kind() != b.kind()) {
            let path = self.path.clone();
            (self.found)(Change { path, node: None, old, new, in_both: (true, true) });
        }
        self.properties(&a.properties(), &b.properties());
        if a.is_list() && b.is_list() {
            return self.lists(a, b, depth);
        }
        let (these, those): (Vec<_>, Vec<_>) = (a.children().collect(), b.children().collect());
        let mut left: HashMap<_, usize> =
            keys(&those).into_iter().enumerate().map(|(index, key)| (key, index)).collect();
        for (child, key) in these.iter().zip(keys(&these)) {
            self.below(&key.0, key.3, |walk| match left.remove(&key) {
                Some(index) => walk.compare(&**child, &*those[index], depth),
                None => {
                    walk.whole(&**child, true);
                    Ok(())
                }
            })?;
        }
        let mut left: Vec<_> = left.into_iter().collect();
        left.sort_by_key(|(_, index)| *index);
        for (key, index) in left {
            self.below(&key.0, key.3, |walk| walk.whole(&*those[index], false));
        }
        Ok(())
    }

    /// Values with their indices as names are paired one by one: lists can be too long to keep.
    fn lists(&mut self, a: &dyn Node, b: &dyn Node, depth: usize) -> Result<()> {
        let (mut these, mut those) = (a.children(), b.children());
        loop {
            let (old, new) = (these.next(), those.next());
            let Some(either) = old.as_ref().or(new.as_ref()) else { return Ok(()) };
            self.below(&either.name(), 0, |walk| match (&old, &new) {
                (Some(old), Some(new)) if kind(&**old) == kind(&**new) => walk.compare(&**old, &**new, depth),
                _ => {
                    old.iter().for_each(|old| walk.whole(&**old, true));
                    new.iter().for_each(|new| walk.whole(&**new, false));
                    Ok(())
                }
            })?;
        }
    }

    /// The differences of properties, and of the fields within decoded bytes.
    fn properties(&mut self, these: &[(String, Value)], those: &[(String, Value)]) {
        let length = self.path.len();
        // Of several with one name, each with the one of its number.
        let mut others: HashMap<(&str, usize), &Value> = numbered(those).collect();
        for ((name, number), old) in numbered(these) {
            self.path.extend([".", name]);
            match others.remove(&(name, number)) {
                Some(new) if self.is_equal(old, new) => {}
                Some(new) => match (old.as_fields(), new.as_fields()) {
                    (Some(old), Some(new)) => self.properties(old, new),
                    _ => self.changed(Some(old), Some(new)),
                },
                None => self.changed(Some(old), None),
            }
            self.path.truncate(length);
        }
        for ((name, _), new) in numbered(those).filter(|(key, _)| others.contains_key(key)) {
            self.path.extend([".", name]);
            self.changed(None, Some(new));
            self.path.truncate(length);
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

/// Fields with their names, and how many of that name are before each.
fn numbered(fields: &[(String, Value)]) -> impl Iterator<Item = ((&str, usize), &Value)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    fields.iter().map(move |(name, value)| {
        let count = counts.entry(name).or_default();
        *count += 1;
        ((name.as_str(), *count - 1), value)
    })
}
