//! Equal keys in one map: which of them count. Never by comparing each with each, which a hostile
//! file would make use of.

use std::hash::{BuildHasher, RandomState};

use crate::model::{Text, Value};
use crate::options::Duplicates;

/// Up to this many entries a filter of 64 bits and a few comparisons are quicker than sorting.
const FEW: usize = 32;

/// Leaves one entry for each key. The order stays: the one that counts takes the place of the first.
///
/// # Errors
/// The key, where there are two and there may not be.
pub(crate) fn settle(entries: &mut Vec<(Text, Value)>, rule: Duplicates) -> Result<(), Text> {
    let Some(groups) = repeated(entries) else { return Ok(()) };
    if rule == Duplicates::Error {
        let key = groups.first().and_then(|&(_, later)| entries.get(later));
        return Err(key.map(|(key, _)| key.clone()).unwrap_or_default());
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

/// Every entry whose key stood before: the first entry with that key and its own place, by place
/// within each key. `None` where all keys differ, which is found without an allocation for sorted
/// keys and for few of them.
pub(crate) fn repeated(entries: &[(Text, Value)]) -> Option<Vec<(usize, usize)>> {
    if entries.windows(2).all(|pair| matches!(pair, [(a, _), (b, _)] if a < b)) {
        return None;
    }
    if entries.len() <= FEW && all_differ(entries) {
        return None;
    }
    let keys: Vec<&[u8]> = entries.iter().map(|(key, _)| key.as_bytes()).collect();
    let groups = repeated_keys(&keys);
    if groups.is_empty() { None } else { Some(groups) }
}

/// The same for keys alone.
pub(crate) fn repeated_keys(keys: &[&[u8]]) -> Vec<(usize, usize)> {
    // By a keyed hash first: long common beginnings would make comparing the keys slow.
    let hasher = RandomState::new();
    let mut order: Vec<(u64, usize)> =
        keys.iter().enumerate().map(|(at, key)| (hasher.hash_one(key), at)).collect();
    order.sort_unstable();
    let mut groups = Vec::new();
    for run in order.chunk_by(|a, b| a.0 == b.0) {
        let mut firsts: Vec<usize> = Vec::new();
        for &(_, at) in run {
            match firsts.iter().find(|&&first| keys.get(first) == keys.get(at)) {
                Some(&first) => groups.push((first, at)),
                None => firsts.push(at),
            }
        }
    }
    groups.sort_unstable_by_key(|&(_, later)| later);
    groups
}

/// For few entries: a filter says at once that most keys are new.
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
    let at = |place: usize| u64::from(key.get(place).copied().unwrap_or(0));
    let (len, middle, end) = (key.len(), key.len() / 2, key.len().saturating_sub(1));
    let sum = at(0) ^ (at(1) << 8) ^ (at(middle) << 16) ^ (at(end) << 24) ^ ((len as u64) << 32);
    sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58
}
