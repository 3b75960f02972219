//! Documents as nodes of a tree.

use rbxdocument::view::View as _;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use rbxcore::{Dom, InstanceId, Value, classes};

use super::effective::{Effective, effective};
use super::{ATTRIBUTES, show};
use crate::tree::{self, Children, Elsewhere, Found, Node};
use rbxdocument::decoded::{Layout, Property};
use rbxdocument::paths::Paths;
use rbxdocument::state::matches;
use rbxdocument::view::is_as_stored;

/// A document as a node.
pub(in super::super) struct Root<'a>(Shared<'a>);

/// The shared data of all nodes of a document.
struct Shared<'a> {
    document: &'a dyn Dom,
    /// The memory limit for decoding a property.
    max_bytes: u64,
    /// The paths of instances that properties refer to.
    paths: Rc<RefCell<Paths<'a>>>,
    shown: Rc<RefCell<Shown>>,
    /// The instances that another document has, too: a number for each that is the same in both.
    same: Option<Rc<HashMap<InstanceId, u128>>>,
}

/// The values of shared strings, kept since many instances can share a long one. The key is the address, the length,
/// and the layout of the bytes.
#[derive(Default)]
struct Shown {
    values: HashMap<(usize, usize, Option<Layout>), tree::Value>,
    cost: u64,
}

impl Shown {
    fn value(&mut self, property: Property<'_>, bytes: &[u8], max_bytes: u64) -> tree::Value {
        let key = (bytes.as_ptr() as usize, bytes.len(), Layout::of(property));
        if let Some(value) = self.values.get(&key) {
            return value.clone();
        }
        let value = show::of_bytes("SharedString", property, bytes, max_bytes);
        self.cost += value.cost() as u64;
        if self.cost > max_bytes / 4 {
            (self.values, self.cost) = (HashMap::new(), value.cost() as u64);
        }
        self.values.insert(key, value.clone());
        value
    }
}

struct Branch<'a> {
    shared: Shared<'a>,
    id: InstanceId,
}

impl<'a> Root<'a> {
    pub(in super::super) fn new(document: &'a dyn Dom, max_bytes: u64) -> Self {
        Self(Shared {
            document,
            max_bytes,
            paths: Rc::new(RefCell::new(Paths::new(document))),
            shown: Rc::default(),
            same: None,
        })
    }

    /// Two documents whose instances are found as for a merge: also those without ids that were moved or renamed.
    pub(super) fn both([old, new]: [&'a dyn Dom; 2], max_bytes: u64) -> [Self; 2] {
        let pairs: Vec<(InstanceId, InstanceId)> = matches(old, new).to.into_iter().collect();
        let numbered = |of: fn(&(InstanceId, InstanceId)) -> InstanceId| {
            let numbers = pairs.iter().zip(1..).map(|(pair, number)| (of(pair), number));
            Some(Rc::new(numbers.collect()))
        };
        let [mut old, mut new] = [old, new].map(|document| Self::new(document, max_bytes));
        (old.0.same, new.0.same) = (numbered(|pair| pair.0), numbered(|pair| pair.1));
        [old, new]
    }
}

impl<'a> Shared<'a> {
    fn again(&self) -> Self {
        Self {
            document: self.document,
            max_bytes: self.max_bytes,
            paths: Rc::clone(&self.paths),
            shown: Rc::clone(&self.shown),
            same: self.same.clone(),
        }
    }

    fn branches(&self, ids: Vec<InstanceId>) -> Children<'_> {
        let shared = self.again();
        Box::new(ids.into_iter().map(move |id| Box::new(Branch { shared: shared.again(), id }) as _))
    }
}

impl Node for Root<'_> {
    fn name(&self) -> Cow<'_, str> {
        "".into()
    }

    fn kind(&self) -> Cow<'_, str> {
        "document".into()
    }

    fn metadata(&self) -> Vec<(String, tree::Value)> {
        let entry = |(key, value): (String, Vec<u8>)| (key, tree::Value::bytes("metadata", value));
        let mut all: Vec<_> = self.0.document.meta().into_iter().map(entry).collect();
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all
    }

    fn unstored(&self, property: &str) -> Option<tree::Found<'_>> {
        let found = self.metadata().into_iter().find(|(key, _)| key == property);
        found.map(|(_, value)| tree::Found::Value(value))
    }

    fn children(&self) -> Children<'_> {
        self.0.branches(self.0.document.top())
    }

    fn is_ordered(&self) -> bool {
        true
    }

    fn identities(&self) -> HashMap<u128, Box<dyn Node + '_>> {
        let (mut nodes, mut again) = (HashMap::<_, Box<dyn Node + '_>>::new(), HashSet::new());
        for id in self.0.document.all() {
            let branch = Branch { shared: self.0.again(), id };
            if let Some(identity) = branch.identity()
                && nodes.insert(identity, Box::new(branch)).is_some()
            {
                again.insert(identity);
            }
        }
        nodes.retain(|identity, _| !again.contains(identity));
        nodes
    }
}

impl Node for Branch<'_> {
    fn name(&self) -> Cow<'_, str> {
        self.shared.document.name_of(self.id)
    }

    fn kind(&self) -> Cow<'_, str> {
        self.shared.document.class_of(self.id)
    }

    fn properties(&self) -> Vec<(String, tree::Value)> {
        let Shared { document, max_bytes, paths, shown, .. } = &self.shared;
        let class = document.class_of(self.id);
        let mut all = Vec::with_capacity(document.count_of(self.id));
        document.each(self.id, &|_, _| true, &mut |name, value| {
            let path = |id| paths.borrow_mut().shown(id);
            let of = (&*class, &*name);
            let value = match value {
                Value::SharedString(bytes) => shown.borrow_mut().value(of, &bytes, *max_bytes),
                value => show::value(of, &value, *max_bytes, path),
            };
            all.push((name, value));
        });
        // Sorting takes memory, too, and many files are sorted.
        if !all.is_sorted_by(|(a, _), (b, _)| a <= b) {
            all.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        all
    }

    fn instance(&self) -> Option<(&dyn Dom, InstanceId)> {
        Some((self.shared.document, self.id))
    }

    fn has_properties_of(&self, other: &dyn Node) -> bool {
        let own = (self.shared.document, self.id);
        // A reference is compared as a path.
        other.instance().is_some_and(|other| is_as_stored(own, other, &|_, _| false))
    }

    fn weight(&self) -> u64 {
        match self.shared.document.count_of(self.id) {
            0..4096 => 0,
            count => 160 * count as u64,
        }
    }

    fn unstored(&self, property: &str) -> Option<Found<'_>> {
        let Shared { document, max_bytes, paths, .. } = &self.shared;
        let class = document.class_of(self.id);
        if let Some(name) = property.strip_prefix("Attributes.") {
            let all = tree::Value::fields("", self.properties());
            return all.field(&format!("{ATTRIBUTES}.{name}")).cloned().map(Found::Value);
        }
        if property == "Parent" && document.value(self.id, property).is_none() {
            let path = document.parent(self.id).map_or_else(String::new, |id| paths.borrow_mut().shown(id));
            return Some(Found::Value(tree::Value::text("Ref", path)));
        }
        let Some(known) = classes::class(&*class).and_then(|class| class.property(property)) else {
            let value = document.property(self.id, property)?.value;
            let no_path = |_| String::new();
            return Some(Found::Value(show::value((&class, property), &value, *max_bytes, no_path)));
        };
        let shown = |value: &Value| {
            let path = |id| paths.borrow_mut().shown(id);
            show::value((&class, known.name()), value, *max_bytes, path)
        };
        Some(match effective(*document, self.id, property)? {
            Effective::Stored(value) => Found::Value(shown(&value)),
            Effective::Other(name, value) => Found::Other(name, shown(&value)),
            Effective::Default(value) => Found::Default(shown(&value)),
        })
    }

    fn elsewhere(&self, property: &str, other: &dyn Node, is_old: bool) -> Option<Elsewhere> {
        let (document, id) = other.instance()?;
        let class = self.shared.document.class_of(self.id);
        let known = classes::class(&*class)?.property(property)?;
        // The row of what replaced it shows the difference.
        if !document.newer(id, property).is_empty() {
            return Some(Elsewhere::Compared);
        }
        let (has, is_same_property) = match effective(document, id, property)? {
            Effective::Stored(value) => (value, true),
            Effective::Other(_, value) => (value, false),
            Effective::Default(_) => return None,
        };
        let own = self.shared.document.value(self.id, property)?;
        let of_property = |value: &Value| value.converted(known.kind());
        let is_equal = has == own || of_property(&has).is_some_and(|has| Some(has) == of_property(&own));
        if is_equal || is_same_property && !is_old {
            return Some(Elsewhere::Compared);
        }
        let path = |id| document.path_of(id);
        Some(Elsewhere::Differs(show::value((&class, property), &has, self.shared.max_bytes, path)))
    }

    fn is_undecoded(&self, property: &str) -> bool {
        self.shared.document.is_undecoded(self.id, property)
    }

    fn children(&self) -> Children<'_> {
        self.shared.branches(self.shared.document.below(self.id))
    }

    fn is_ordered(&self) -> bool {
        true
    }

    /// The `UniqueId`, which either all instances of a file have or none, unless the documents were matched.
    fn identity(&self) -> Option<u128> {
        if let Some(same) = &self.shared.same {
            return same.get(&self.id).copied();
        }
        let id = self.shared.document.value(self.id, "UniqueId")?.as_unique_id()?;
        let parts = [u128::from(id.index) << 96, u128::from(id.time) << 64, u128::from(id.random)];
        Some(parts.iter().sum()).filter(|&identity| identity != 0)
    }

    fn referred(&self, property: &str) -> Option<u128> {
        let id = self.shared.document.value(self.id, property)?.as_instance()?;
        Self { shared: self.shared.again(), id }.identity()
    }

    fn path(&self) -> String {
        self.shared.paths.borrow_mut().shown(self.id)
    }
}
