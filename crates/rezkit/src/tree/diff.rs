//! Differences between two trees.

use std::collections::HashMap;

use rezkit_core::{Budget, Result};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use super::{Elsewhere, Found, MAX_DEPTH, Node, Numbers, Shared, Value, join, push, too_deep};

/// A difference between two trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The path of the node, or of the property that differs: the node's path, `.` and the name. Below a node that was
    /// moved, the path after the move.
    pub path: String,
    /// The kind of the node if all of it was added or removed.
    pub node: Option<String>,
    /// The value before; `None` if it was added.
    pub old: Option<Value>,
    /// The value after; `None` if it was removed.
    pub new: Option<Value>,
    /// Whether the node or property exists before, and whether it exists after.
    pub in_both: (bool, bool),
    /// The new path of a node that was moved or renamed.
    pub moved: Option<String>,
    /// The smallest set of children whose moves explain the new order.
    pub order: Vec<Reordered>,
}

/// A child with a new position among the siblings that exist before and after.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reordered {
    /// The last step of the child's path.
    pub child: String,
    /// Its index before.
    pub from: usize,
    /// Its index after.
    pub to: usize,
}

/// Writes the values as [`Value::to_json`], their type, and the change: `changed`, `added`, `removed`, `moved` or `reordered`.
impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Change", 7)?;
        fields.serialize_field("path", &self.path)?;
        fields.serialize_field("node", &self.node)?;
        let kind = self.new.as_ref().or(self.old.as_ref()).map(|value| &value.kind);
        fields.serialize_field("type", &kind)?;
        fields.serialize_field("old", &self.old)?;
        fields.serialize_field("new", &self.new)?;
        let change = match self.in_both {
            (false, _) => "added",
            (_, false) => "removed",
            _ if self.moved.is_some() => {
                fields.serialize_field("to", &self.moved)?;
                "moved"
            }
            _ if !self.order.is_empty() => {
                fields.serialize_field("order", &self.order)?;
                "reordered"
            }
            (true, true) => "changed",
        };
        fields.serialize_field("change", change)?;
        fields.end()
    }
}

/// Calls a function with each difference between two trees, in the order of the first tree. Children are paired by
/// [identity](Node::identity), wherever they are; others by name and kind, and, if several have the same, by their order.
///
/// # Errors
/// [`Effort`](rezkit_core::ErrorKind::Effort) if the trees have more than [`MAX_DEPTH`] levels in common;
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the lists of children that are compared need more memory than is left.
pub fn diff(a: &dyn Node, b: &dyn Node, budget: &mut Budget, found: &mut dyn FnMut(Change)) -> Result<()> {
    compared(a, b, true, budget, found)
}

/// As [`diff`], but a value that one of them stores is no difference if it is what the other one has without it: the default of the
/// class, or that of an older or newer form of the property.
///
/// # Errors
/// As [`diff`].
pub(crate) fn diff_effective(
    a: &dyn Node,
    b: &dyn Node,
    budget: &mut Budget,
    found: &mut dyn FnMut(Change),
) -> Result<()> {
    compared(a, b, false, budget, found)
}

fn compared(
    a: &dyn Node,
    b: &dyn Node,
    is_exact: bool,
    budget: &mut Budget,
    found: &mut dyn FnMut(Change),
) -> Result<()> {
    let (these, mut those) = (a.identities(), b.identities());
    let identities = IDENTITY * (these.len() + those.len()) as u64;
    budget.take(identities, LISTS)?;
    those.retain(|identity, node| these.get(identity).is_some_and(|other| other.kind() == node.kind()));
    drop(these);
    Walk { path: String::new(), equal: HashMap::new(), kept: &those, is_exact, budget: &mut *budget, found }
        .compare(a, b, MAX_DEPTH)?;
    budget.give_back(identities);
    Ok(())
}

/// The approximate memory of an identity, and of a child that is compared, besides its name, in bytes.
const IDENTITY: u64 = 160;
const CHILD: u64 = 400;

/// The lists of children, in errors.
const LISTS: &str = "the compared nodes";

/// A walk over two trees.
struct Walk<'n, 'f> {
    /// The current path. It is copied only for a difference, since a node with a long name can have many children.
    path: String,
    /// The results of comparing shared values: many instances can share a long one.
    equal: HashMap<(Shared, Shared), bool>,
    /// The nodes of the second tree whose identity the first one has too.
    kept: &'n HashMap<u128, Box<dyn Node + 'n>>,
    /// Whether values that are stored on one side only always differ.
    is_exact: bool,
    budget: &'f mut Budget,
    found: &'f mut dyn FnMut(Change),
}

impl<'n> Walk<'n, '_> {
    /// Calls a function with the path extended by a child.
    fn below<T>(&mut self, name: &str, index: usize, then: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        push(&mut self.path, name, index);
        let result = then(self);
        self.path.truncate(length);
        result
    }

    fn changed(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let (path, in_both) = (self.path.clone(), (old.is_some(), new.is_some()));
        (self.found)(Change { path, old: old.cloned(), new: new.cloned(), in_both, ..Change::default() });
    }

    fn whole(&mut self, node: &dyn Node, removed: bool) {
        let (path, value) = (self.path.clone(), node.value());
        let (old, new) = if removed { (value, None) } else { (None, value) };
        let node = Some(node.kind().into_owned());
        (self.found)(Change { path, node, old, new, in_both: (removed, !removed), ..Change::default() });
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
            (self.found)(Change { path, old, new, in_both: (true, true), ..Change::default() });
        }
        self.properties(&a.metadata(), &b.metadata(), &|_| false, None);
        if !a.has_properties_of(b) {
            // The path of a node changes with its parent.
            let is_same = |name: &str| {
                let referred = a.referred(name);
                referred.is_some() && referred == b.referred(name)
            };
            // Of several values of one property, the last one counts.
            let properties = |node: &dyn Node| {
                let mut all = node.properties();
                if !self.is_exact {
                    all.reverse();
                    all.dedup_by(|(name, _), (later, _)| name == later);
                    all.reverse();
                }
                all
            };
            let (own, others) = (properties(a), properties(b));
            self.properties(&own, &others, &is_same, Some([a, b]));
        }
        if a.is_list() && b.is_list() {
            return self.lists(a, b, depth);
        }
        let before = self.budget.left();
        let (these, those) = (self.children(a)?, self.children(b)?);
        let (mut left, mut pairs) = (self.pairs(&those), Vec::new());
        let (old_steps, new_steps) = (steps(&these), steps(&those));
        for ((child, key), (name, index)) in these.iter().zip(self.keys(&these)).zip(&old_steps) {
            let paired = left.remove(&key);
            self.below(name, *index, |walk| match (paired, key) {
                (Some(other), Key::Identity(identity)) if *name != new_steps[other].0 => {
                    walk.moved(&**child, &*walk.kept[&identity], depth)
                }
                (Some(other), _) => walk.compare(&**child, &*those[other], depth),
                (None, Key::Identity(identity)) => walk.moved(&**child, &*walk.kept[&identity], depth),
                (None, Key::Name(..)) => {
                    walk.whole(&**child, true);
                    walk.moved_out(&**child, depth)
                }
            })?;
            pairs.extend(paired);
        }
        if a.is_ordered() {
            self.order(&pairs, &new_steps);
        }
        // A node that was moved here is reported at its old parent.
        let is_new = |(key, index)| matches!(key, Key::Name(..)).then_some(index);
        let mut left: Vec<_> = left.into_iter().filter_map(is_new).collect();
        left.sort_unstable();
        for index in left {
            let (name, number) = &new_steps[index];
            self.below(name, *number, |walk| walk.whole(&*those[index], false));
        }
        self.budget.give_back(before - self.budget.left());
        Ok(())
    }

    /// The children of a node. The memory of comparing them is charged.
    fn children<'c>(&mut self, of: &'c dyn Node) -> Result<Vec<Box<dyn Node + 'c>>> {
        let mut children = Vec::new();
        for child in of.children() {
            self.budget.take(CHILD + 4 * child.name().len() as u64, LISTS)?;
            children.push(child);
        }
        Ok(children)
    }

    /// Reports a node that is at another path, and compares it.
    fn moved(&mut self, old: &dyn Node, new: &dyn Node, depth: usize) -> Result<()> {
        let to = new.path();
        let change = Change { path: old.path(), in_both: (true, true), ..Change::default() };
        (self.found)(Change { moved: Some(to.clone()), ..change });
        let path = std::mem::replace(&mut self.path, to);
        let result = self.compare(old, new, depth);
        self.path = path;
        result
    }

    /// Reports the nodes that were moved out of a node that was removed.
    fn moved_out(&mut self, node: &dyn Node, depth: usize) -> Result<()> {
        if self.kept.is_empty() {
            return Ok(());
        }
        let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
        let kept = self.kept;
        node.children().try_for_each(|child| {
            match child.identity().and_then(|identity| kept.get(&identity)) {
                Some(new) => self.moved(&*child, &**new, depth),
                None => self.moved_out(&*child, depth),
            }
        })
    }

    /// Reports the children that changed their order: all but a longest sequence that is still in order.
    fn order(&mut self, pairs: &[usize], steps: &[(String, usize)]) {
        let mut after: Vec<_> = (0..pairs.len()).collect();
        after.sort_unstable_by_key(|&index| pairs[index]);
        let mut to = vec![0; pairs.len()];
        after.iter().enumerate().for_each(|(rank, &index)| to[index] = rank);
        let in_order = rbxdocument::state::lines::longest_ascending(&to);
        let reordered = to.iter().enumerate().filter(|&(from, _)| !in_order[from]).map(|(from, &to)| {
            let (name, number) = &steps[pairs[from]];
            Reordered { child: join("", name, *number), from, to }
        });
        let order: Vec<_> = reordered.collect();
        if !order.is_empty() {
            let (path, in_both) = (self.path.clone(), (true, true));
            (self.found)(Change { path, order, in_both, ..Change::default() });
        }
    }

    /// The key by which each child is paired.
    fn keys(&self, children: &[Box<dyn Node + '_>]) -> Vec<Key> {
        let mut counts: HashMap<(String, String), usize> = HashMap::new();
        let mut key = |child: &dyn Node| {
            let identity = child.identity().filter(|identity| self.kept.contains_key(identity));
            identity.map_or_else(
                || {
                    let (name, kind) = (child.name().into_owned(), kind(child));
                    let count = counts.entry((name.clone(), kind.clone())).or_default();
                    *count += 1;
                    Key::Name(name, kind, *count - 1)
                },
                Key::Identity,
            )
        };
        children.iter().map(|child| key(&**child)).collect()
    }

    fn pairs(&self, children: &[Box<dyn Node + '_>]) -> HashMap<Key, usize> {
        self.keys(children).into_iter().enumerate().map(|(index, key)| (key, index)).collect()
    }

    /// Compares lists, whose names are indices, one by one: they can be too long to keep in memory.
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

    /// Reports the differences of properties, and of the fields within decoded bytes, except for references of which a
    /// function says that they are to the same node.
    fn properties(
        &mut self,
        these: &[(String, Value)],
        those: &[(String, Value)],
        is_same: &dyn Fn(&str) -> bool,
        nodes: Option<[&dyn Node; 2]>,
    ) {
        let nodes = nodes.filter(|_| !self.is_exact);
        let has = |node: &dyn Node, name: &str, value: &Value| match node.unstored(name) {
            // Tags are stored in two types.
            Some(Found::Default(other)) => other.data == value.data,
            Some(Found::Other(_, other) | Found::Value(other)) => other == *value,
            _ => false,
        };
        let length = self.path.len();
        // Several with one name are paired by number.
        let mut others: HashMap<(&str, usize), &Value> = numbered(those).collect();
        for ((name, number), old) in numbered(these) {
            self.path.extend([".", name]);
            match others.remove(&(name, number)) {
                Some(new) if self.is_equal(old, new) => {}
                Some(new) => match (old.as_fields(), new.as_fields()) {
                    (Some(old), Some(new)) => self.properties(old, new, &|_| false, None),
                    _ if is_same(name) => {}
                    _ => self.changed(Some(old), Some(new)),
                },
                None => match nodes.and_then(|[a, b]| a.elsewhere(name, b, true)) {
                    Some(Elsewhere::Compared) => {}
                    Some(Elsewhere::Differs(new)) => self.changed(Some(old), Some(&new)),
                    None if nodes.is_some_and(|[_, b]| has(b, name, old)) => {}
                    None => self.changed(Some(old), None),
                },
            }
            self.path.truncate(length);
        }
        for ((name, _), new) in numbered(those).filter(|(key, _)| others.contains_key(key)) {
            let old = match nodes.and_then(|[a, b]| b.elsewhere(name, a, false)) {
                Some(Elsewhere::Compared) => continue,
                Some(Elsewhere::Differs(old)) => Some(old),
                None if nodes.is_some_and(|[a, _]| has(a, name, new)) => continue,
                None => None,
            };
            self.path.extend([".", name]);
            self.changed(old.as_ref(), Some(new));
            self.path.truncate(length);
        }
    }
}

/// The kind by which nodes are paired. It is empty for a node with a value, which may change its type and is still
/// the same.
fn kind(node: &dyn Node) -> String {
    if node.value().is_some() { String::new() } else { node.kind().into_owned() }
}

/// The key by which children are paired.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// An identity that both trees have.
    Identity(u128),
    /// The name, the kind, and the index among the children with this name and kind.
    Name(String, String, usize),
}

/// The names of children, and the index of each among those with its name.
fn steps(children: &[Box<dyn Node + '_>]) -> Vec<(String, usize)> {
    let mut numbers = Numbers::default();
    let mut step = |child: &dyn Node| {
        let name = child.name().into_owned();
        let number = numbers.next(&name);
        (name, number)
    };
    children.iter().map(|child| step(&**child)).collect()
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
