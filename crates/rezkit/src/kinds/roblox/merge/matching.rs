//! Which instances of two saves of a document are the same.
//!
//! Measured on 75 pairs of real saves: ids are never wrong where they match (176,904 instances), and half of the files
//! have none; unique paths were never wrong (12,455), unique contents twice in 61,939. The numbers of binary files and
//! `HistoryId` identify nothing.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use rbxcore::{InstanceId, UniqueId, ValueRef};

use super::super::form::has_references;
use super::super::{ATTRIBUTES, Form};
use super::is_identity;

/// The instances of a document that are those of another one.
#[derive(Debug, Default)]
pub(in super::super) struct Matches {
    pub(in super::super) to: HashMap<InstanceId, InstanceId>,
    pub(super) from: HashMap<InstanceId, InstanceId>,
    /// Whether most instances have ids in both documents, but other ones.
    pub(super) reissued: bool,
}

/// Two documents, and what is matched so far.
struct Matcher<'a> {
    old: &'a dyn Form,
    new: &'a dyn Form,
    found: Matches,
}

/// Matches the instances of two documents.
pub(in super::super) fn matches(old: &dyn Form, new: &dyn Form) -> Matches {
    let mut matcher = Matcher { old, new, found: Matches::default() };
    matcher.by_ids();
    matcher.by_guids();
    matcher.by_path(false);
    matcher.by_content();
    matcher.by_referent();
    matcher.by_children();
    matcher.by_path(true);
    matcher.renamed();
    matcher.by_path(true);
    matcher.found
}

/// A key that only one instance has, with that instance.
fn unique<K: std::hash::Hash + Eq>(pairs: impl Iterator<Item = (K, InstanceId)>) -> HashMap<K, InstanceId> {
    let mut all: HashMap<K, Option<InstanceId>> = HashMap::new();
    for (key, id) in pairs {
        all.entry(key).and_modify(|of| *of = None).or_insert(Some(id));
    }
    all.into_iter().filter_map(|(key, id)| Some((key, id?))).collect()
}

pub(super) fn unique_id(document: &dyn Form, id: InstanceId) -> Option<UniqueId> {
    document.value(id, "UniqueId")?.as_unique_id().filter(|id| !id.is_nil())
}

/// The hash of an instance's class and properties, without identities, references, and the default values that only some
/// programs write.
fn content(document: &dyn Form, id: InstanceId) -> u64 {
    let mut hasher = DefaultHasher::new();
    document.name_of(id).hash(&mut hasher);
    unnamed(document, id).hash(&mut hasher);
    hasher.finish()
}

/// Like [`content`], without the name.
fn unnamed(document: &dyn Form, id: InstanceId) -> u64 {
    let mut all = 0_u64;
    for (name, value) in document.value_refs(id) {
        let text = std::str::from_utf8(name).unwrap_or_default();
        let is_attribute_reference = || text == ATTRIBUTES && has_references(&value);
        if text == "Name"
            || is_identity(text)
            || matches!(value, ValueRef::Ref(_))
            || value.as_instance().is_some()
            || is_attribute_reference()
        {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        hash_value(&value, &mut hasher);
        // In any order.
        all = all.wrapping_add(hasher.finish());
    }
    let mut hasher = DefaultHasher::new();
    (document.class_of(id), all).hash(&mut hasher);
    hasher.finish()
}

fn hash_value(value: &ValueRef<'_>, hasher: &mut DefaultHasher) {
    match value {
        ValueRef::Bool(value) => value.hash(hasher),
        ValueRef::Int32(value) => value.hash(hasher),
        ValueRef::Int64(value) => value.hash(hasher),
        ValueRef::Enum(value) => value.hash(hasher),
        value => match (value.floats(), value.as_bytes()) {
            (Some(floats), _) => floats.iter().for_each(|of| of.to_bits().hash(hasher)),
            (None, Some(bytes)) => bytes.hash(hasher),
            (None, None) => format!("{value:?}").hash(hasher),
        },
    }
}

impl Matcher<'_> {
    fn pair(&mut self, old: InstanceId, new: InstanceId) {
        self.found.to.insert(old, new);
        self.found.from.insert(new, old);
    }

    /// The instances of the old and of the new document that are not matched.
    fn rest(&self) -> [Vec<InstanceId>; 2] {
        let old = self.old.all().into_iter().filter(|id| !self.found.to.contains_key(id));
        let new = self.new.all().into_iter().filter(|id| !self.found.from.contains_key(id));
        [old.collect(), new.collect()]
    }

    /// Matches unmatched instances whose key is unique in both documents, and whose class is equal.
    fn by_key<K: std::hash::Hash + Eq>(&mut self, key: impl Fn(&dyn Form, InstanceId) -> Option<K>) -> usize {
        let [old, new] = self.rest();
        let of = |document, ids: Vec<InstanceId>| {
            unique(ids.into_iter().filter_map(|id| Some((key(document, id)?, id))))
        };
        let (old, new) = (of(self.old, old), of(self.new, new));
        let mut count = 0;
        for (key, id) in old {
            if let Some(&other) = new.get(&key)
                && self.old.class_of(id) == self.new.class_of(other)
            {
                self.pair(id, other);
                count += 1;
            }
        }
        count
    }

    fn by_ids(&mut self) {
        let count = self.by_key(unique_id);
        let with_id = |document: &dyn Form| {
            document.all().iter().filter(|&&id| unique_id(document, id).is_some()).count()
        };
        let fewer = with_id(self.old).min(with_id(self.new));
        self.found.reissued = fewer > 10 && count * 2 < fewer;
    }

    fn by_guids(&mut self) {
        self.by_key(|document, id| {
            let guid = document.value(id, "ScriptGuid")?.as_bytes()?.to_vec();
            Some(guid).filter(|guid| !guid.is_empty())
        });
    }

    /// Matches children of matched parents, and roots, by class and name: those that are unique, or with `all`, also
    /// several of one name.
    fn by_path(&mut self, all: bool) {
        let mut waiting: Vec<Option<(InstanceId, InstanceId)>> = vec![None];
        while let Some(at) = waiting.pop() {
            let below = |document: &dyn Form, id: Option<InstanceId>| {
                id.map_or_else(|| document.top(), |id| document.below(id))
            };
            let old = below(self.old, at.map(|(old, _)| old));
            let new = below(self.new, at.map(|(_, new)| new));
            let groups = |document: &dyn Form, ids: &[InstanceId], is_free: &dyn Fn(&InstanceId) -> bool| {
                let mut groups: HashMap<(String, String), Vec<InstanceId>> = HashMap::new();
                for id in ids.iter().copied().filter(is_free) {
                    let key = (document.class_of(id).into_owned(), document.name_of(id).into_owned());
                    groups.entry(key).or_default().push(id);
                }
                groups
            };
            let found = &self.found;
            let from = groups(self.old, &old, &|id| !found.to.contains_key(id));
            let mut to = groups(self.new, &new, &|id| !found.from.contains_key(id));
            let is_several = |(key, olds): (&_, &Vec<_>)| {
                to.get(key).is_some_and(|news: &Vec<_>| olds.len() > 1 || news.len() > 1)
            };
            let needs_places = all && from.iter().any(is_several);
            let expected = if needs_places { self.expected(&old, &new) } else { HashMap::new() };
            for (key, olds) in from {
                let Some(news) = to.remove(&key) else { continue };
                match (&olds[..], &news[..]) {
                    (&[old], &[new]) => self.pair(old, new),
                    _ if all => self.group(&olds, &news, &expected),
                    _ => {}
                }
            }
            waiting.extend(old.into_iter().filter_map(|id| Some(Some((id, *self.found.to.get(&id)?)))));
        }
    }

    /// For each child of a parent, the children at its place in the other document: as far behind the matched child before
    /// it, and as far before the matched one behind it.
    fn expected(
        &self,
        old: &[InstanceId],
        new: &[InstanceId],
    ) -> HashMap<InstanceId, [Option<InstanceId>; 2]> {
        let place: HashMap<InstanceId, usize> = new.iter().copied().zip(0..).collect();
        let anchor = |id: &InstanceId| place.get(self.found.to.get(id)?).copied();
        let mut expected: HashMap<InstanceId, [Option<InstanceId>; 2]> = HashMap::with_capacity(old.len());
        let mut next = 0;
        for id in old {
            expected.insert(*id, [new.get(next).copied(), None]);
            next = anchor(id).unwrap_or(next) + 1;
        }
        let mut behind = new.len();
        for id in old.iter().rev() {
            let at = behind.checked_sub(1);
            if let Some([_, after]) = expected.get_mut(id) {
                *after = at.and_then(|at| new.get(at)).copied();
            }
            behind = anchor(id).or(at).unwrap_or(0);
        }
        expected
    }

    /// Matches instances of one class and name below one parent: those with equal content, the same referent or the same
    /// place first.
    fn group(
        &mut self,
        olds: &[InstanceId],
        news: &[InstanceId],
        expected: &HashMap<InstanceId, [Option<InstanceId>; 2]>,
    ) {
        let of_old: HashMap<InstanceId, u64> = olds.iter().map(|&id| (id, content(self.old, id))).collect();
        let of_new: HashMap<InstanceId, u64> = news.iter().map(|&id| (id, content(self.new, id))).collect();
        let referents: HashMap<String, InstanceId> =
            news.iter().filter_map(|&id| Some((self.new.referent_text(id)?, id))).collect();
        let same_referent = |matcher: &Self, old| referents.get(&matcher.old.referent_text(old)?).copied();
        let at = |old: InstanceId, side: usize| expected.get(&old).and_then(|places| places[side]);
        let equal = |old: &InstanceId, new: &InstanceId| of_old.get(old) == of_new.get(new);
        let mut left = olds.to_vec();
        let mut pass =
            |matcher: &mut Self, new_of: &mut dyn FnMut(&Self, InstanceId) -> Option<InstanceId>| {
                left.retain(|&old| {
                    let new = new_of(matcher, old);
                    let new =
                        new.filter(|new| of_new.contains_key(new) && !matcher.found.from.contains_key(new));
                    new.inspect(|&new| matcher.pair(old, new)).is_none()
                });
            };
        pass(self, &mut |matcher, old| same_referent(matcher, old).filter(|new| equal(&old, new)));
        pass(self, &mut |_, old| at(old, 0).filter(|new| equal(&old, new)));
        pass(self, &mut |_, old| at(old, 1).filter(|new| equal(&old, new)));
        let mut by_content: HashMap<u64, Vec<InstanceId>> = HashMap::new();
        for new in news.iter().rev().filter(|new| !self.found.from.contains_key(new)) {
            by_content.entry(of_new[new]).or_default().push(*new);
        }
        pass(self, &mut |_, old| by_content.get_mut(&of_old[&old])?.pop());
        pass(self, &mut |matcher, old| same_referent(matcher, old));
        pass(self, &mut |_, old| at(old, 0));
        let free: Vec<_> = news.iter().copied().filter(|new| !self.found.from.contains_key(new)).collect();
        left.into_iter().zip(free).for_each(|(old, new)| self.pair(old, new));
    }

    /// Matches children of matched parents that differ only in their names.
    fn renamed(&mut self) {
        let [olds, news] = self.rest();
        let mut free: HashMap<(Option<InstanceId>, u64), Vec<InstanceId>> = HashMap::new();
        for new in news.into_iter().rev() {
            free.entry((self.new.parent(new), unnamed(self.new, new))).or_default().push(new);
        }
        for old in olds {
            // An instance with another id is another one.
            if !self.found.reissued && unique_id(self.old, old).is_some() {
                continue;
            }
            let above = match self.old.parent(old) {
                None => None,
                Some(above) => match self.found.to.get(&above) {
                    None => continue,
                    above => above.copied(),
                },
            };
            if let Some(new) = free.get_mut(&(above, unnamed(self.old, old))).and_then(Vec::pop) {
                self.pair(old, new);
            }
        }
    }

    /// Matches instances with the same content below them, and then of the same content, wherever they are.
    fn by_content(&mut self) {
        let [old, new] = self.rest();
        if old.is_empty() || new.is_empty() {
            return;
        }
        let hashes = |document: &dyn Form, ids: &[InstanceId]| {
            let mut own: HashMap<InstanceId, u64> = HashMap::new();
            let mut whole: HashMap<InstanceId, u64> = HashMap::new();
            // Children are after their parent.
            for &id in ids.iter().rev() {
                let hash = content(document, id);
                let mut hasher = DefaultHasher::new();
                hash.hash(&mut hasher);
                document.below(id).iter().for_each(|child| whole.get(child).hash(&mut hasher));
                own.insert(id, hash);
                whole.insert(id, hasher.finish());
            }
            (own, whole)
        };
        let (old, new) = (hashes(self.old, &old), hashes(self.new, &new));
        for (old, new) in [(&old.1, &new.1), (&old.0, &new.0)] {
            let new = unique(
                new.iter().filter(|(id, _)| !self.found.from.contains_key(id)).map(|(id, hash)| (*hash, *id)),
            );
            let old = unique(
                old.iter().filter(|(id, _)| !self.found.to.contains_key(id)).map(|(id, hash)| (*hash, *id)),
            );
            for (hash, id) in old {
                if let Some(&other) = new.get(&hash) {
                    self.pair(id, other);
                }
            }
        }
    }

    /// Matches instances that were renamed and moved: those that have most of the children of the other one.
    fn by_children(&mut self) {
        let [olds, _] = self.rest();
        // Children are after their parent, and matched first.
        for old in olds.into_iter().rev() {
            // An instance with another id is another one.
            if !self.found.reissued && unique_id(self.old, old).is_some() {
                continue;
            }
            let (mut all, mut above) = (0, HashMap::<InstanceId, usize>::new());
            for child in self.old.below(old) {
                if let Some(to) = self.found.to.get(&child).and_then(|&to| self.new.parent(to)) {
                    all += 1;
                    *above.entry(to).or_default() += 1;
                }
            }
            let Some((new, _)) = above.into_iter().find(|(_, count)| count * 2 > all) else { continue };
            if !self.found.from.contains_key(&new) && self.old.class_of(old) == self.new.class_of(new) {
                self.pair(old, new);
            }
        }
    }

    /// Matches instances of XML documents by their referents, if those of most matched instances agree.
    fn by_referent(&mut self) {
        let agree = self.found.to.iter().filter(|&(&old, &new)| {
            let of = self.old.referent_text(old);
            of.is_some() && of == self.new.referent_text(new)
        });
        if agree.count() * 2 > self.found.to.len() {
            self.by_key(|document, id| document.referent_text(id));
        }
    }
}

/// The instances of a list and everything below them.
pub(super) fn with_descendants(document: &dyn Form, tops: &[InstanceId]) -> HashSet<InstanceId> {
    let (mut all, mut waiting) = (HashSet::new(), tops.to_vec());
    while let Some(id) = waiting.pop() {
        if all.insert(id) {
            waiting.extend(document.below(id));
        }
    }
    all
}
