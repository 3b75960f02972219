//! Reads and writes maps by the tables of `model::keys`.
//!
//! If a key occurs more than once, the first one is used, as in the viewer. What does not fit the type of a known key
//! goes to `extra` under that key: the whole value, or the bytes after the last whole element of an array; for an array
//! without elements that is an empty binary.

use std::collections::HashSet;

use llsd::{Binary, Lazy, Map, Text, Value};

use super::codec::{Codec, Kept, Single};
use super::limits::{Got, Limits, build, first, kind_of};
use crate::model::keys::{Keyed, tables};
use crate::model::*;
use geom::wire::{At, Error, Fail, Here, Result};

/// A model that is a map.
pub(crate) trait Fields: Keyed + Default + PartialEq {
    /// Fills the field of a known key; returns the part of the value that goes to `extra`.
    fn read_field<'a>(&mut self, key: &str, value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Kept<'a>>;
    /// The values of the non-default fields.
    fn write_fields(&self) -> Result<Vec<(&'static str, Value)>>;
    fn extra(&self) -> &Map;
    fn extra_mut(&mut self) -> &mut Map;
}

macro_rules! fields {
    ($($model:ident [$($other:ident)*] [$($left_out:ident)*] { $($field:ident $key:literal $kind:literal,)+ })+) => {$(
        impl Fields for $model {
            fn read_field<'a>(&mut self, key: &str, value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Kept<'a>> {
                let kept;
                match key {
                    $($key => (self.$field, kept) = Codec::read(value, limits).field($key)?,)+
                    _ => kept = Kept::Whole,
                }
                Ok(kept)
            }

            fn write_fields(&self) -> Result<Vec<(&'static str, Value)>> {
                let mut values = Vec::new();
                $(
                    let value = Codec::write(&self.$field).map_err(|error| error.within(stringify!($field)))?;
                    values.extend(value.map(|value| ($key, value)));
                )+
                Ok(values)
            }

            fn extra(&self) -> &Map {
                &self.extra
            }

            fn extra_mut(&mut self) -> &mut Map {
                &mut self.extra
            }
        }
    )+};
}
tables!(fields);

/// A map nested in a map or in an array.
impl<T: Fields> Single for T {
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Option<Self>> {
        if value.entries().is_none() {
            return Ok(None);
        }
        read_map(value, limits).map(Some)
    }

    fn write(&self) -> Result<Value> {
        write_map(self).map(Value::Map)
    }
}

/// Fills a model from the entries of a map, except for those that `take` accepts by returning true.
pub(super) fn read_entries<'a, M: Fields>(
    value: Lazy<'a>,
    limits: &mut Limits,
    mut take: impl FnMut(&[u8], Lazy<'a>, &mut Limits) -> Got<'a, bool>,
) -> Got<'a, M> {
    let mut model = M::default();
    let extra = entries(value, limits, M::KEYS, &mut take, &mut |key, value, limits| {
        model.read_field(key, value, limits)
    })?;
    extra.into_iter().for_each(|(name, kept)| model.extra_mut().push(name, kept));
    Ok(model)
}

/// Reads the value of an entry with a name.
type Reads<'f, 'a, Name, T> = dyn FnMut(&Name, Lazy<'a>, &mut Limits) -> Got<'a, T> + 'f;

/// The entries of a map that neither `take` nor `field` reads as a whole. Compiled once for all models.
fn entries<'a>(
    value: Lazy<'a>,
    limits: &mut Limits,
    keys: &[&'static str],
    take: &mut Reads<'_, 'a, [u8], bool>,
    field: &mut Reads<'_, 'a, str, Kept<'a>>,
) -> Got<'a, Vec<(Text, Value)>> {
    let Some(entries) = value.entries() else { return Err(Fail::invalid(value.bytes(), "expected a map")) };
    let mut extra = Vec::new();
    let mut known = [false; 16];
    let mut others: HashSet<Text> = HashSet::new();
    for (name, value) in entries {
        let index = keys.iter().position(|key| key.as_bytes() == &**name);
        let first = match index.and_then(|index| known.get_mut(index)) {
            Some(known) => !std::mem::replace(known, true),
            None => {
                limits.budget.take_values::<[Text; 2]>(1).here(value.bytes())?;
                limits.budget.take(name.len() as u64).here(value.bytes())?;
                others.insert(Text::from(name.clone()))
            }
        };
        if !first || take(&name, value, limits)? {
            continue;
        }
        let kept = match index.and_then(|index| keys.get(index)) {
            Some(key) => field(key, value, limits)?,
            None => Kept::Whole,
        };
        let kept = match kept {
            Kept::Nothing => continue,
            Kept::Whole => build(value, limits)?,
            Kept::Rest(rest) => Binary(limits.budget.copy(rest).here(rest)?).into(),
        };
        limits.budget.take(size_of::<(Text, Value)>() as u64).here(value.bytes())?;
        extra.push((Text::from(name), kept));
    }
    Ok(extra)
}

pub(super) fn read_map<'a, M: Fields>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, M> {
    read_entries(value, limits, |_, _, _| Ok(false))
}

/// The map of a model, in the order in which the viewer writes its keys.
pub(super) fn write_map<M: Fields>(model: &M) -> Result<Map> {
    write_and_verify(model, |value, limits| read_map::<M>(value, limits).is_ok_and(|read| read == *model))
}

/// Like [`write_map`]. If `extra` has a known key, `reads_back` decides whether the output is read back as the same
/// model: it is if the value was left over when the key was read; any other value would be lost.
pub(super) fn write_and_verify<M: Fields>(
    model: &M,
    reads_back: impl FnOnce(Lazy<'_>, &mut Limits) -> bool,
) -> Result<Map> {
    let map = model.write_fields()?.into_iter().collect();
    let mut reads_back = Some(reads_back);
    let mut reads_back = |value: Lazy<'_>, limits: &mut Limits| {
        reads_back.take().is_some_and(|reads_back| reads_back(value, limits))
    };
    verified(map, model.extra(), M::KEYS, &mut reads_back)
}

/// The map of the fields of a model with its `extra`. Compiled once for all models.
fn verified(
    mut map: Map,
    extra: &Map,
    keys: &[&str],
    reads_back: &mut dyn FnMut(Lazy<'_>, &mut Limits) -> bool,
) -> Result<Map> {
    let mut seen = HashSet::new();
    let mut odd = None;
    for (key, value) in extra {
        if !keys.iter().any(|known| *key == **known) {
            if !seen.insert(key) {
                return Err(Error::unwritable(
                    format!("extra.{key}"),
                    format!("a field `extra` that contains the key \"{key}\" twice (remove one)"),
                ));
            }
            map.push(key.clone(), value.clone());
            continue;
        }
        odd = Some(key);
        match (map.get_mut(key), value) {
            (Some(Value::Binary(bytes)), Value::Binary(rest)) => bytes.extend_from_slice(rest),
            (Some(there), _) => *there = value.clone(),
            (None, _) => map.push(key.clone(), value.clone()),
        }
    }
    map.sort_keys();
    if let Some(key) = odd {
        let bytes = encode(&Value::Map(map.clone()))?;
        let read = first(&bytes, u32::MAX).map(|(value, _)| reads_back(value, &mut Limits::none()));
        if !read.unwrap_or(false) {
            let what = "an extra value whose key belongs to a known field (set that field instead)";
            return Err(Error::unwritable(format!("extra.{key}"), what));
        }
    }
    Ok(map)
}

/// The bytes of a value.
pub(crate) fn encode(value: &Value) -> Result<Vec<u8>> {
    llsd::write_binary(value).map_err(|error| Error::new(kind_of(&error), error.path().to_owned()))
}
