//! Joins the changes of two LLSD documents since the one that both come from: maps by key, arrays by their values.

use std::collections::HashMap;

use ::llsd::{Encoding, Header, Value, WriteOptions};

use crate::merge::{Conflict, MergeOptions, Side};
use crate::tree;
use rbxdocument::state::lines::{Change, changes};
use rezkit_core::{Error, Result};

/// The merge of three values: ours, with what only theirs changed.
///
/// # Errors
/// If they have nearly nothing in common.
pub(super) fn merge(
    base: Option<&Value>,
    [ours, theirs]: [&Value; 2],
    options: &MergeOptions,
) -> Result<(Value, Vec<Conflict>)> {
    // What one side did not change is what the other one made of it, however different that is.
    if base.is_some_and(|base| base.identical(ours)) {
        return Ok((theirs.clone(), Vec::new()));
    }
    if base.is_some_and(|base| base.identical(theirs)) {
        return Ok((ours.clone(), Vec::new()));
    }
    let count = base.and_then(Value::as_map).map_or(0, |map| map.len());
    let known = base.and_then(Value::as_map).map(::llsd::Map::index).unwrap_or_default();
    let common = |other: &Value| {
        let shared = |map: &::llsd::Map| map.keys().filter(|key| known.contains_key(key.as_bytes())).count();
        other.as_map().map_or(0, shared)
    };
    let matched = common(ours).min(common(theirs));
    let is_related = base.unwrap_or(ours).type_name() == ours.type_name()
        && ours.type_name() == theirs.type_name()
        && (count == 0 || matched * 10 >= count);
    if !is_related && !options.is_unrelated() {
        return Err(Error::argument(format!(
            "the files have nearly nothing in common: {matched} of {count} keys; to merge them anyway, use `--unrelated`"
        )));
    }
    let mut merging = Merging { options, conflicts: Vec::new() };
    let value = merging.value(base, Some(ours), Some(theirs), &mut String::new());
    Ok((value.unwrap_or_default(), merging.conflicts))
}

struct Merging<'a> {
    options: &'a MergeOptions,
    conflicts: Vec<Conflict>,
}

/// Whether both are the same, bit by bit and in the order of their keys.
fn same(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.identical(other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

impl Merging<'_> {
    /// The value at a path; `None` if the merge does not have it.
    fn value(
        &mut self,
        base: Option<&Value>,
        ours: Option<&Value>,
        theirs: Option<&Value>,
        path: &mut String,
    ) -> Option<Value> {
        if same(ours, theirs) || same(base, theirs) {
            return ours.cloned();
        }
        if same(base, ours) {
            return theirs.cloned();
        }
        let is_plain = |map: &::llsd::Map| map.index().len() == map.len();
        match (base, ours, theirs) {
            (base, Some(Value::Map(one)), Some(Value::Map(two))) if is_plain(one) && is_plain(two) => {
                let none = ::llsd::Map::default();
                let base = base.and_then(Value::as_map).unwrap_or(&none);
                Some(Value::Map(self.map([base, one, two], path)))
            }
            (Some(Value::Array(base)), Some(Value::Array(one)), Some(Value::Array(two))) => {
                Some(Value::from(self.array([base, one, two], path)))
            }
            _ => self.conflict(base, ours, theirs, path),
        }
    }

    fn conflict(
        &mut self,
        base: Option<&Value>,
        ours: Option<&Value>,
        theirs: Option<&Value>,
        path: &str,
    ) -> Option<Value> {
        match self.options.decision(path) {
            Some(Side::Ours) => return ours.cloned(),
            Some(Side::Theirs) => return theirs.cloned(),
            None => {}
        }
        let notation = WriteOptions::new().encoding(Encoding::Notation).header(Header::None);
        let text = |value: Option<&Value>| {
            let bytes = notation.write(value?).unwrap_or_default();
            Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
        };
        let what = match (ours, theirs) {
            (None, _) => "ours removed it, theirs changed it",
            (_, None) => "ours changed it, theirs removed it",
            _ if base.is_none() => "both added it",
            _ => "both changed it",
        };
        self.conflicts.push(Conflict {
            path: path.to_owned(),
            what: what.to_owned(),
            base: text(base),
            ours: text(ours),
            theirs: text(theirs),
        });
        // What ours removed stays in the result, so that nothing is lost.
        ours.or(theirs).cloned()
    }

    fn map(&mut self, [base, ours, theirs]: [&::llsd::Map; 3], path: &mut String) -> ::llsd::Map {
        let mut merged = ::llsd::Map::with_capacity(ours.len());
        let (of_base, of_ours, of_theirs) = (base.index(), ours.index(), theirs.index());
        // What only theirs has comes after what ours has.
        let new = theirs.keys().filter(|key| !of_ours.contains_key(key.as_bytes()));
        for key in ours.keys().chain(new) {
            let bytes = key.as_bytes();
            let length = path.len();
            tree::push(path, &key.to_string(), 0);
            let [base, ours, theirs] = [&of_base, &of_ours, &of_theirs].map(|of| of.get(bytes).copied());
            if let Some(value) = self.value(base, ours, theirs, path) {
                merged.push(key.clone(), value);
            }
            path.truncate(length);
        }
        merged
    }

    /// Arrays are merged between the values that all three have.
    fn array(&mut self, [base, ours, theirs]: [&[Value]; 3], path: &mut String) -> Vec<Value> {
        let mut known = HashMap::new();
        let mut numbers = |values: &[Value]| -> Vec<usize> {
            let write = WriteOptions::new().encoding(Encoding::Binary).header(Header::None);
            let number = |value: &Value| {
                let next = known.len();
                *known.entry(write.write(value).unwrap_or_default()).or_insert(next)
            };
            values.iter().map(number).collect()
        };
        let [b, o, t] = [base, ours, theirs].map(&mut numbers);
        // For each value of the base, the same value of the other.
        let twins = |other: &[usize]| {
            let mut twin = vec![None; b.len()];
            let (mut at, mut of_other) = (0, 0);
            let end = Change { old: b.len()..b.len(), new: other.len()..other.len() };
            for change in changes(&b, other).into_iter().chain([end]) {
                let same = at..change.old.start;
                same.zip(of_other..).for_each(|(index, other)| twin[index] = Some(other));
                (at, of_other) = (change.old.end, change.new.end);
            }
            twin
        };
        let (in_ours, in_theirs) = (twins(&o), twins(&t));
        let mut merged = Vec::with_capacity(ours.len());
        let mut at = [0; 3];
        for end in 0..=base.len() {
            let ends = match (in_ours.get(end), in_theirs.get(end)) {
                (None, _) | (_, None) => [base.len(), ours.len(), theirs.len()],
                (Some(Some(one)), Some(Some(two))) => [end, *one, *two],
                _ => continue,
            };
            let parts = [&base[at[0]..ends[0]], &ours[at[1]..ends[1]], &theirs[at[2]..ends[2]]];
            self.part(parts, at[1], path, &mut merged);
            merged.extend(ours.get(ends[1]).filter(|_| end < base.len()).cloned());
            at = ends.map(|end| end + 1);
        }
        merged
    }

    /// A part of an array that not all three have. `at` is its index in ours.
    fn part(
        &mut self,
        [base, ours, theirs]: [&[Value]; 3],
        at: usize,
        path: &mut String,
        merged: &mut Vec<Value>,
    ) {
        let equal = |one: &[Value], other: &[Value]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.identical(other))
        };
        if equal(ours, theirs) || equal(base, theirs) {
            merged.extend_from_slice(ours);
        } else if equal(base, ours) {
            merged.extend_from_slice(theirs);
        } else if base.len() == ours.len() && base.len() == theirs.len() {
            for (index, ((base, ours), theirs)) in base.iter().zip(ours).zip(theirs).enumerate() {
                let length = path.len();
                tree::push(path, &(at + index).to_string(), 0);
                merged.extend(self.value(Some(base), Some(ours), Some(theirs), path));
                path.truncate(length);
            }
        } else {
            let length = path.len();
            tree::push(path, &at.to_string(), 0);
            let list = |values: &[Value]| Value::from(values.to_vec());
            let [base, ours, theirs] = [list(base), list(ours), list(theirs)];
            let kept = self.conflict(Some(&base), Some(&ours), Some(&theirs), path);
            path.truncate(length);
            if let Some(Value::Array(kept)) = kept {
                merged.extend(kept.into_vec());
            }
        }
    }
}
