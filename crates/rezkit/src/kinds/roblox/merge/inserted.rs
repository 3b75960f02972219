//! Instances that both documents inserted.

use super::matching::unique_id;
use super::*;

/// A class and a name; without a name for a service at the root, of which there is only one.
type Key = (String, String);

/// The instances that ours inserted, and the number of those that theirs inserted, by their parent: in ours, and in theirs.
#[derive(Default)]
pub(super) struct Inserted {
    ours: HashMap<Option<InstanceId>, HashMap<Key, Vec<InstanceId>>>,
    theirs: HashMap<Option<InstanceId>, HashMap<Key, usize>>,
}

fn key(document: &dyn Form, id: InstanceId) -> Key {
    let class = document.class_of(id).into_owned();
    let is_service = document.parent(id).is_none() && classes::is_service(&class);
    let name = if is_service { String::new() } else { document.name_of(id).into_owned() };
    (class, name)
}

/// The children that a document inserted below a parent, or at the root.
fn inserted_below(document: &dyn Form, parent: Option<InstanceId>, matches: &Matches) -> Vec<InstanceId> {
    let below = match parent {
        None => document.top(),
        Some(parent) if document.contains(parent) => document.below(parent),
        Some(_) => Vec::new(),
    };
    below.into_iter().filter(|id| !matches.from.contains_key(id)).collect()
}

impl Merging<'_> {
    /// The instances that ours inserted below a parent of the result, with the class and the name of one of theirs, the last
    /// one first.
    fn inserted_by_ours(&mut self, parent: Option<InstanceId>, key: &Key) -> &mut Vec<InstanceId> {
        let (ours, to_ours) = (self.ours, &self.to_ours);
        let of_parent = self.inserted.ours.entry(parent).or_insert_with(|| {
            let mut all: HashMap<Key, Vec<InstanceId>> = HashMap::new();
            for id in inserted_below(ours, parent, to_ours).into_iter().rev() {
                all.entry(self::key(ours, id)).or_default().push(id);
            }
            all
        });
        of_parent.entry(key.clone()).or_default()
    }

    /// Whether ours inserted the same instance, with the same content: both have it from a third version.
    pub(super) fn is_in_ours(&mut self, theirs: InstanceId, parent: Option<InstanceId>) -> bool {
        let id = unique_id(self.theirs, theirs);
        let key = key(self.theirs, theirs);
        let mut candidates = std::mem::take(self.inserted_by_ours(parent, &key));
        let same = candidates.iter().rposition(|&child| {
            unique_id(self.ours, child) == id && equal_below(self.ours, child, self.theirs, theirs)
        });
        let child = same.map(|at| candidates.remove(at));
        *self.inserted_by_ours(parent, &key) = candidates;
        let Some(child) = child else { return false };
        let pairs = order_below(self.ours, child).into_iter().zip(order_below(self.theirs, theirs));
        self.copies.extend(pairs.map(|(ours, theirs)| (theirs, ours)));
        if id.is_none() {
            let what = "both inserted the same instance, which is kept once";
            self.notes.push(Loss::approximated(self.paths.shown(child), what));
        }
        true
    }

    /// The instance that ours inserted at the path of one that theirs inserted: the same service, or, without a common
    /// document, the only one of its class and name. Others are listed.
    pub(super) fn twin(&mut self, theirs: InstanceId, parent: Option<InstanceId>) -> Option<InstanceId> {
        let key = key(self.theirs, theirs);
        let &[ours] = &self.inserted_by_ours(parent, &key)[..] else { return None };
        let beside = self.theirs.parent(theirs);
        let (document, to_theirs) = (self.theirs, &self.to_theirs);
        let of_theirs = self.inserted.theirs.entry(beside).or_insert_with(|| {
            let mut all: HashMap<Key, usize> = HashMap::new();
            for id in inserted_below(document, beside, to_theirs) {
                *all.entry(self::key(document, id)).or_default() += 1;
            }
            all
        });
        if of_theirs.get(&key) != Some(&1) {
            return None;
        }
        // Two parts with the name of their class are seldom one.
        if !self.base.dom().is_empty() && !key.1.is_empty() {
            let what = "both inserted an instance with this name; both are kept";
            self.notes.push(Loss::warning(self.paths.shown(ours), what));
            return None;
        }
        self.inserted_by_ours(parent, &key).clear();
        Some(ours)
    }

    /// Adds the values of an instance that theirs inserted to one that ours inserted.
    pub(super) fn add_values(&mut self, theirs: InstanceId, ours: InstanceId) -> Result<()> {
        self.copies.insert(theirs, ours);
        let (class, path) = (self.ours.class_of(ours).into_owned(), self.ours.path_of(ours));
        for name in names(self.ours, ours, self.theirs, theirs) {
            let (now, after) = (held(self.ours, ours, &name), held(self.theirs, theirs, &name));
            let is_reference = |value: &Stored| value.as_ref().is_some_and(|of| of.as_instance().is_some());
            // References are set later, if ours has none.
            if is_noise(&class, &name) || same(&class, &name, &now, &after) || is_reference(&after) {
                continue;
            }
            match (now, after) {
                (None, Some(after)) => self.set(ours, &name, after)?,
                (now, after) => self.differ(&path, (&class, &name), [None, now, after], ours)?,
            }
        }
        Ok(())
    }
}
