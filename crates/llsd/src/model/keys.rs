//! Finds equal keys in a map, and decides which of them is used. Keys are not all compared with each other: that would
//! take quadratic time for a hostile file.

use std::hash::{BuildHasher, RandomState};

use bstr::BStr;

use crate::model::{Map, Text, Value};
use geom::wire::{Budget, ErrorKind};

/// Which of two entries with the same key is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Duplicates {
    /// The first: the rule of binary and notation in the viewer.
    First,
    /// The last, at the index of the first: the rule of XML in the viewer.
    Last,
    /// Neither: equal keys are an error.
    Error,
}

/// Up to this number of entries, a filter of 64 bits and a few comparisons are faster than sorting.
const FEW: usize = 32;

/// Keeps one entry for each key. The used entry is moved to the index of the first; the order stays otherwise.
///
/// # Errors
/// If the rule makes equal keys an error, or if searching for them exceeds the budget.
#[inline]
pub(crate) fn deduplicate(
    entries: &mut Vec<(Text, Value)>,
    rule: Duplicates,
    budget: &mut Budget,
) -> Result<(), ErrorKind> {
    if differ(entries) {
        return Ok(());
    }
    // Does not overflow: the entries are in memory, where each takes nearly as much.
    let cost = entries.len() as u64 * COST;
    budget.take(cost)?;
    let deduplicated = deduplicate_groups(entries, rule);
    budget.give_back(cost);
    deduplicated
}

#[cold]
#[inline(never)]
fn deduplicate_groups(entries: &mut Vec<(Text, Value)>, rule: Duplicates) -> Result<(), ErrorKind> {
    let groups = repeated(entries);
    if groups.is_empty() {
        return Ok(());
    }
    if rule == Duplicates::Error {
        let key = groups.first().and_then(|&(_, later)| entries.get(later));
        return Err(twice(key.map(|(key, _)| key.as_bytes()).unwrap_or_default()));
    }
    let mut gone = vec![false; entries.len()];
    for (first, later) in groups {
        if rule == Duplicates::Last
            && let Ok([first, later]) = entries.get_disjoint_mut([first, later])
        {
            std::mem::swap(&mut first.1, &mut later.1);
        }
        if let Some(gone) = gone.get_mut(later) {
            *gone = true;
        }
    }
    let mut gone = gone.into_iter();
    entries.retain(|_| !gone.next().unwrap_or(false));
    Ok(())
}

/// The memory of the search for equal keys, per key: the key, its hash and index, and a pair of indices.
const COST: u64 = 64;

/// The error for a key that occurs twice in a map.
pub(crate) fn twice(key: &[u8]) -> ErrorKind {
    ErrorKind::Invalid(format!("duplicate key {:?}", BStr::new(key)).into())
}

/// Whether all keys are found to differ without an allocation. It finds this if they are sorted, and nearly always if
/// they are few. False does not mean that two are equal.
#[inline]
fn differ(entries: &[(Text, Value)]) -> bool {
    entries.len() < 2
        || entries.is_sorted_by(|(a, _), (b, _)| a < b)
        || (entries.len() <= FEW && all_differ(entries))
}

/// Every entry whose key occurred before: the index of the first entry with that key, and its own, in
/// ascending order.
pub(crate) fn repeated(entries: &[(Text, Value)]) -> Vec<(usize, usize)> {
    if differ(entries) {
        return Vec::new();
    }
    repeated_keys(entries.len(), |at| entries.get(at).map_or(&[][..], |(key, _)| key.as_bytes()))
}

/// Like [`repeated`], for keys without values.
pub(crate) fn repeated_keys<'a>(count: usize, key: impl Fn(usize) -> &'a [u8]) -> Vec<(usize, usize)> {
    // Compares keyed hashes first: comparing keys with long common beginnings would be slow.
    let hasher = RandomState::new();
    let mut order: Vec<(u64, usize)> = (0..count).map(|at| (hasher.hash_one(key(at)), at)).collect();
    order.sort_unstable();
    let mut groups = Vec::new();
    for run in order.chunk_by(|a, b| a.0 == b.0) {
        let mut firsts: Vec<usize> = Vec::new();
        for &(_, at) in run {
            match firsts.iter().find(|&&first| key(first) == key(at)) {
                Some(&first) => groups.push((first, at)),
                None => firsts.push(at),
            }
        }
    }
    geom::sort::by_key(&mut groups, |&(_, later)| later);
    groups
}

/// Whether all keys differ, for few entries. A filter shows for most keys at once that they are new.
fn all_differ(entries: &[(Text, Value)]) -> bool {
    let mut filter = 0_u64;
    entries.iter().enumerate().all(|(at, (key, _))| {
        let key = key.as_bytes();
        let bit = 1_u64 << (mix(key) & 63);
        let fresh = filter & bit == 0;
        filter |= bit;
        fresh || entries.iter().take(at).all(|(other, _)| other.as_bytes() != key)
    })
}

/// Some bits that differ between most keys.
fn mix(key: &[u8]) -> u64 {
    let at = |index: usize| u64::from(key.get(index).copied().unwrap_or(0));
    let (len, middle, end) = (key.len(), key.len() / 2, key.len().saturating_sub(1));
    let sum = at(0) ^ (at(1) << 8) ^ (at(middle) << 16) ^ (at(end) << 24) ^ ((len as u64) << 32);
    sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58
}

/// If keys are equal, the last entry is kept, at the index of the first, as in the maps of Rust.
impl<K: Into<Text>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Into<Text>, V: Into<Value>> Extend<(K, V)> for Map {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        self.0.extend(entries.into_iter().map(|(key, value)| (key.into(), value.into())));
        // Cannot fail: there is no limit, and this rule allows equal keys.
        let _infallible = deduplicate(&mut self.0, Duplicates::Last, &mut Budget::new(u64::MAX));
    }
}

impl<K: Into<Text>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Map {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}
