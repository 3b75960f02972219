//! Which instances of two saves of a document are the same.
//!
//! Measured on 75 pairs of real saves: ids are never wrong where they match (176,904 instances), and half of the files
//! have none; unique paths were never wrong (12,455), unique contents twice in 61,939. The numbers of binary files and
//! `HistoryId` identify nothing.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use rbxcore::{Dom, InstanceId, UniqueId};

use super::content::{Contents, Hashes};
use super::lines::{Change, changes};
use crate::view::{View as _, children_of};

/// The instances of a document that are those of another one.
#[derive(Debug, Default)]
pub struct Matches {
    /// The instance of the new document, by that of the old one.
    pub to: HashMap<InstanceId, InstanceId>,
    /// The instance of the old document, by that of the new one.
    pub from: HashMap<InstanceId, InstanceId>,
    /// Whether most instances have ids in both documents, but other ones.
    pub reissued: bool,
}

/// Two documents, and what is matched so far.
struct Matcher<'a> {
    old: &'a dyn Dom,
    new: &'a dyn Dom,
    found: Matches,
    /// Whether ids that differ are those of different instances: most ids of one document are in the other one.
    ids_differ: bool,
    /// What the instances of each document are like that neither ids nor unique paths match.
    hashes: [HashMap<InstanceId, Hashes>; 2],
}

/// Matches the instances of two documents.
pub fn matches(old: &dyn Dom, new: &dyn Dom) -> Matches {
    let mut matcher =
        Matcher { old, new, found: Matches::default(), ids_differ: false, hashes: Default::default() };
    matcher.by_ids();
    matcher.by_guids();
    matcher.by_path(false);
    matcher.by_content();
    matcher.by_order();
    matcher.by_referent();
    matcher.above_children();
    matcher.by_path(true);
    matcher.renamed();
    matcher.by_path(true);
    matcher.found
}

/// A key that only one instance has, with that instance.
fn unique<K: Hash + Eq, I: Copy>(pairs: impl Iterator<Item = (K, I)>) -> HashMap<K, I> {
    let mut all: HashMap<K, Option<I>> = HashMap::new();
    for (key, id) in pairs {
        all.entry(key).and_modify(|of| *of = None).or_insert(Some(id));
    }
    all.into_iter().filter_map(|(key, id)| Some((key, id?))).collect()
}

pub(crate) fn unique_id(document: &dyn Dom, id: InstanceId) -> Option<UniqueId> {
    document.value(id, "UniqueId")?.as_unique_id().filter(|id| !id.is_nil())
}

/// The class and the name of an instance.
fn label(document: &dyn Dom, id: InstanceId) -> (String, String) {
    (document.class_of(id).into_owned(), document.name_of(id).into_owned())
}

/// What a child is when siblings are aligned: one that is matched already, by its number among them; one that takes no
/// part; or another one, by its key.
#[derive(PartialEq, Eq, Hash)]
enum Token<K> {
    Matched(usize),
    Apart(usize, bool),
    Free(K),
}

/// What is matched so far of two trees: of two documents, or of a document and what the files of a project want.
pub trait Matching {
    /// An instance of the old tree.
    type Old: Copy + Eq + Hash;
    /// An instance of the new tree.
    type New: Copy + Hash + Ord;

    /// The new instance that an old one is.
    fn new_of(&self, old: Self::Old) -> Option<Self::New>;

    /// The old instance that a new one is.
    fn old_of(&self, new: Self::New) -> Option<Self::Old>;

    /// Matches two instances, unless something says that they are different ones.
    fn pair(&mut self, old: Self::Old, new: Self::New);

    /// Matches instances whose key is unique in both lists.
    fn by_unique<K: Hash + Eq>(
        &mut self,
        old: &[Self::Old],
        new: &[Self::New],
        key_of_old: impl Fn(&Self, Self::Old) -> Option<K>,
        key_of_new: impl Fn(&Self, Self::New) -> Option<K>,
    ) {
        let free = old.iter().filter(|old| self.new_of(**old).is_none());
        let olds = unique(free.filter_map(|&old| Some((key_of_old(self, old)?, old))));
        let free = new.iter().filter(|new| self.old_of(**new).is_none());
        let news = unique(free.filter_map(|&new| Some((key_of_new(self, new)?, new))));
        for (key, old) in olds {
            if let Some(&new) = news.get(&key) {
                self.pair(old, new);
            }
        }
    }

    /// Matches siblings with the same key that are in the same order among those that are matched.
    fn in_order<K: Hash + Eq>(
        &mut self,
        old: &[Self::Old],
        new: &[Self::New],
        key_of_old: impl Fn(&Self, Self::Old) -> K,
        key_of_new: impl Fn(&Self, Self::New) -> K,
    ) {
        let place: HashMap<Self::New, usize> = new.iter().copied().zip(0..).collect();
        let of_old = |(index, &old): (usize, &Self::Old)| match self.new_of(old) {
            Some(to) => place.get(&to).map_or(Token::Apart(index, true), |&at| Token::Matched(at)),
            None => Token::Free(key_of_old(self, old)),
        };
        let olds: Vec<_> = old.iter().enumerate().map(of_old).collect();
        let here: HashSet<Self::Old> = old.iter().copied().collect();
        let of_new = |(index, &new): (usize, &Self::New)| match self.old_of(new) {
            Some(from) if here.contains(&from) => Token::Matched(index),
            Some(_) => Token::Apart(index, false),
            None => Token::Free(key_of_new(self, new)),
        };
        let news: Vec<_> = new.iter().enumerate().map(of_new).collect();
        let (mut at, mut to) = (0, 0);
        let end = Change { old: old.len()..old.len(), new: new.len()..new.len() };
        for change in changes(&olds, &news).into_iter().chain([end]) {
            for (&old, &new) in old[at..change.old.start].iter().zip(&new[to..change.new.start]) {
                if self.new_of(old).is_none() {
                    self.pair(old, new);
                }
            }
            (at, to) = (change.old.end, change.new.end);
        }
    }

    /// Matches instances with the same key in any order: the first with the first.
    fn in_any_order<K: Hash + Eq>(
        &mut self,
        old: &[Self::Old],
        new: &[Self::New],
        key_of_old: impl Fn(&Self, Self::Old) -> K,
        key_of_new: impl Fn(&Self, Self::New) -> K,
    ) {
        let mut free: HashMap<K, Vec<Self::New>> = HashMap::new();
        for &new in new.iter().rev().filter(|new| self.old_of(**new).is_none()) {
            free.entry(key_of_new(self, new)).or_default().push(new);
        }
        if free.is_empty() {
            return;
        }
        for &old in old {
            if self.new_of(old).is_none()
                && let Some(new) = free.get_mut(&key_of_old(self, old)).and_then(Vec::pop)
            {
                self.pair(old, new);
            }
        }
    }

    /// Matches instances that were renamed and moved: those that have most of the children of the other one, if these are
    /// `enough` of all that are somewhere. The old ones are given from the deepest on; `fits` tells whether two can be the same.
    fn by_children(
        &mut self,
        old: impl IntoIterator<Item = Self::Old>,
        below: impl Fn(&Self, Self::Old) -> Vec<Self::Old>,
        parent: impl Fn(&Self, Self::New) -> Option<Self::New>,
        fits: impl Fn(&Self, Self::Old, Self::New) -> bool,
        enough: fn(usize, usize) -> bool,
    ) {
        for old in old {
            let (mut all, mut above) = (0, HashMap::<Self::New, usize>::new());
            for child in below(self, old) {
                if let Some(to) = self.new_of(child).and_then(|to| parent(self, to)) {
                    all += 1;
                    *above.entry(to).or_default() += 1;
                }
            }
            let most = above.into_iter().max_by_key(|&(new, count)| (count, Reverse(new)));
            let is_it = |&(new, count): &(Self::New, usize)| {
                enough(count, all) && self.old_of(new).is_none() && fits(self, old, new)
            };
            if let Some((new, _)) = most.filter(is_it) {
                self.pair(old, new);
            }
        }
    }
}

impl Matching for Matcher<'_> {
    type Old = InstanceId;
    type New = InstanceId;

    fn new_of(&self, old: InstanceId) -> Option<InstanceId> {
        self.found.to.get(&old).copied()
    }

    fn old_of(&self, new: InstanceId) -> Option<InstanceId> {
        self.found.from.get(&new).copied()
    }

    /// Matches two instances, unless their ids say that they are different ones.
    fn pair(&mut self, old: InstanceId, new: InstanceId) {
        let id = |document, id| if self.ids_differ { unique_id(document, id) } else { None };
        let both = id(self.old, old).zip(id(self.new, new));
        if both.is_none_or(|(old, new)| old == new) {
            self.found.to.insert(old, new);
            self.found.from.insert(new, old);
        }
    }
}

impl Matcher<'_> {
    fn is_old_free(&self, id: &InstanceId) -> bool {
        !self.found.to.contains_key(id)
    }

    fn is_new_free(&self, id: &InstanceId) -> bool {
        !self.found.from.contains_key(id)
    }

    /// The instances of the old and of the new document that are not matched.
    fn rest(&self) -> [Vec<InstanceId>; 2] {
        let old = self.old.all().into_iter().filter(|id| self.is_old_free(id));
        let new = self.new.all().into_iter().filter(|id| self.is_new_free(id));
        [old.collect(), new.collect()]
    }

    /// Matches unmatched instances whose class and key are the same and unique in both documents; returns their number.
    fn by_key<K: Hash + Eq>(&mut self, key: impl Fn(&dyn Dom, InstanceId) -> Option<K>) -> usize {
        let [old, new] = self.rest();
        let (documents, before) = ([self.old, self.new], self.found.to.len());
        let of = |side: usize| {
            let (document, key) = (documents[side], &key);
            move |_: &Self, id| Some((key(document, id)?, document.class_of(id)))
        };
        self.by_unique(&old, &new, of(0), of(1));
        self.found.to.len() - before
    }

    fn by_ids(&mut self) {
        let count = self.by_key(unique_id);
        let with_id = |document: &dyn Dom| {
            document.all().iter().filter(|&&id| unique_id(document, id).is_some()).count()
        };
        let fewer = with_id(self.old).min(with_id(self.new));
        self.found.reissued = fewer > 10 && count * 2 < fewer;
        self.ids_differ = fewer > 0 && count * 2 >= fewer;
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
            let old = children_of(self.old, at.map(|(old, _)| old));
            let new = children_of(self.new, at.map(|(_, new)| new));
            let groups = |document: &dyn Dom, ids: &[InstanceId], is_free: &dyn Fn(&InstanceId) -> bool| {
                let mut groups: HashMap<(String, String), Vec<InstanceId>> = HashMap::new();
                for id in ids.iter().copied().filter(is_free) {
                    groups.entry(label(document, id)).or_default().push(id);
                }
                groups
            };
            let from = groups(self.old, &old, &|id| self.is_old_free(id));
            let mut to = groups(self.new, &new, &|id| self.is_new_free(id));
            let mut has_several = false;
            for (key, olds) in from {
                match (&olds[..], to.remove(&key).as_deref()) {
                    (_, None) => {}
                    (&[old], Some(&[new])) => self.pair(old, new),
                    _ => has_several = true,
                }
            }
            if all && has_several {
                self.siblings(&old, &new);
            }
            waiting.extend(old.into_iter().filter_map(|id| Some(Some((id, *self.found.to.get(&id)?)))));
        }
    }

    /// Matches children of matched parents, and roots, that have the same content and are in the same order: a referent must
    /// not exchange them.
    fn by_order(&mut self) {
        let mut waiting: Vec<Option<(InstanceId, InstanceId)>> = vec![None];
        while let Some(at) = waiting.pop() {
            let old = children_of(self.old, at.map(|(old, _)| old));
            let new = children_of(self.new, at.map(|(_, new)| new));
            if old.iter().any(|id| self.is_old_free(id)) && new.iter().any(|id| self.is_new_free(id)) {
                self.in_order(
                    &old,
                    &new,
                    |all, id| all.hashes(0, id).whole,
                    |all, id| all.hashes(1, id).whole,
                );
            }
            waiting.extend(old.into_iter().filter_map(|id| Some(Some((id, *self.found.to.get(&id)?)))));
        }
    }

    /// Matches children of one class and name below a parent, as lines of two texts are matched: in their order, those
    /// with the same content first, and then what is between them. What has changed its place comes last.
    fn siblings(&mut self, old: &[InstanceId], new: &[InstanceId]) {
        self.in_order(old, new, |all, id| all.hashes(0, id).whole, |all, id| all.hashes(1, id).whole);
        self.in_order(old, new, |all, id| all.hashes(0, id).own, |all, id| all.hashes(1, id).own);
        self.in_any_order(old, new, |all, id| all.hashes(0, id).whole, |all, id| all.hashes(1, id).whole);
        self.in_any_order(old, new, |all, id| all.hashes(0, id).own, |all, id| all.hashes(1, id).own);
        self.in_order(old, new, |all, id| label(all.old, id), |all, id| label(all.new, id));
        self.in_any_order(old, new, |all, id| label(all.old, id), |all, id| label(all.new, id));
    }

    /// What an instance of the old (0) or the new document (1) is like.
    fn hashes(&self, side: usize, id: InstanceId) -> Hashes {
        self.hashes[side].get(&id).copied().unwrap_or_default()
    }

    /// Matches children of matched parents that differ only in their names.
    fn renamed(&mut self) {
        let [olds, news] = self.rest();
        let unnamed =
            |matcher: &Self, side: usize, id| matcher.hashes[side].get(&id).map_or(0, |of| of.unnamed);
        let mut free: HashMap<(Option<InstanceId>, u64), Vec<InstanceId>> = HashMap::new();
        for new in news.into_iter().rev() {
            free.entry((self.new.parent(new), unnamed(self, 1, new))).or_default().push(new);
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
            if let Some(new) = free.get_mut(&(above, unnamed(self, 0, old))).and_then(Vec::pop) {
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
        let mut contents = Contents::default();
        self.hashes = [contents.of(self.old, &old), contents.of(self.new, &new)];
        for key in [|hashes: &Hashes| hashes.whole, |hashes: &Hashes| hashes.own] {
            let of = |side: usize| move |all: &Self, id| Some(key(all.hashes[side].get(&id)?));
            self.by_unique(&old, &new, of(0), of(1));
        }
    }

    /// Matches instances that were renamed and moved, by their children.
    fn above_children(&mut self) {
        let [olds, _] = self.rest();
        // An instance with another id is another one.
        let is_other = |id: &InstanceId| !self.found.reissued && unique_id(self.old, *id).is_some();
        // Children are after their parent, and matched first.
        let olds: Vec<_> = olds.into_iter().rev().filter(|id| !is_other(id)).collect();
        let fits = |all: &Self, old, new| all.old.class_of(old) == all.new.class_of(new);
        let enough = |count, all| count * 2 > all;
        self.by_children(olds, |all, old| all.old.below(old), |all, new| all.new.parent(new), fits, enough);
    }

    /// Matches instances of XML documents by their referents and names, if the referents of most matched instances agree. A
    /// referent alone is no identity: two edits of one file give theirs the same new ones.
    fn by_referent(&mut self) {
        let agree = self.found.to.iter().filter(|&(&old, &new)| {
            let of = self.old.referent_text(old);
            of.is_some() && of == self.new.referent_text(new)
        });
        if agree.count() * 2 > self.found.to.len() {
            self.by_key(|document, id| {
                Some((document.referent_text(id)?, document.name_of(id).into_owned()))
            });
        }
    }
}

/// The instances of a list and everything below them.
pub(crate) fn with_descendants(document: &dyn Dom, tops: &[InstanceId]) -> HashSet<InstanceId> {
    let (mut all, mut waiting) = (HashSet::new(), tops.to_vec());
    while let Some(id) = waiting.pop() {
        if all.insert(id) {
            waiting.extend(document.below(id));
        }
    }
    all
}
