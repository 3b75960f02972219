//! A map of known keys: what each of them holds, and everything else.

use std::collections::HashSet;

use llsd::{Binary, Map, Text, Value};

use crate::model::Domain;
use crate::wire::fail::{At, Fail, Here};
use crate::wire::value::{Inside, Raw};
use crate::wire::{Got, Limits};

/// The entries of a map that is being read. Of equal keys the first counts, as in the viewer.
///
/// What of a known key is not of its type goes to `extra`, under that key; of an array the bytes
/// behind its last whole element, and an empty binary for an array without elements.
#[derive(Debug)]
pub(crate) struct Fields<'a, const N: usize> {
    names: [&'static str; N],
    found: [Option<Raw<'a>>; N],
    pub(crate) extra: Map,
}

impl<'a, const N: usize> Fields<'a, N> {
    pub(crate) fn read(raw: Raw<'a>, names: [&'static str; N], limits: &mut Limits) -> Got<'a, Self> {
        let Some(mut entries) = raw.entries(limits)? else {
            return Err(Fail::invalid(raw.0, "no map"));
        };
        Self::fill(&mut entries, names, limits)
    }

    /// From a map that was begun.
    pub(crate) fn fill(
        entries: &mut Inside<'a>,
        names: [&'static str; N],
        limits: &mut Limits,
    ) -> Got<'a, Self> {
        let mut fields = Self { names, found: [None; N], extra: Map::new() };
        let mut seen = HashSet::new();
        while let Some((key, raw)) = entries.next_entry()? {
            let known = names.iter().position(|name| name.as_bytes() == &**key);
            match known.and_then(|place| fields.found.get_mut(place)) {
                Some(place) => *place = place.or(Some(raw)),
                None => {
                    let taken = const { 2 * size_of::<Text>() as u64 }.saturating_add(key.len() as u64);
                    limits.budget.take(taken).here(raw.0)?;
                    let key = Text::from(key);
                    if seen.insert(key.clone()) {
                        fields.extra.push(key, raw.value(limits)?);
                    }
                }
            }
        }
        Ok(fields)
    }

    /// What stands under a known key.
    pub(crate) fn raw(&self, name: &'static str) -> Option<Raw<'a>> {
        let place = self.names.iter().position(|known| *known == name)?;
        self.found.get(place).copied().flatten()
    }

    /// What stands under a known key, as what `read` makes of it; `None`, and kept as it is, where it
    /// makes nothing of it.
    pub(crate) fn take<T>(
        &mut self,
        name: &'static str,
        limits: &mut Limits,
        read: impl FnOnce(Raw<'a>, &mut Limits) -> Got<'a, Option<T>>,
    ) -> Got<'a, Option<T>> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        let value = read(raw, limits).field(name)?;
        if value.is_none() {
            self.keep(name, raw, limits)?;
        }
        Ok(value)
    }

    /// Keeps what stands under a known key as it is.
    pub(crate) fn keep(&mut self, name: &'static str, raw: Raw<'a>, limits: &mut Limits) -> Got<'a, ()> {
        limits.budget.take(size_of::<(Text, Value)>() as u64).here(raw.0)?;
        self.extra.push(name, raw.value(limits)?);
        Ok(())
    }

    /// Keeps what was not understood of an array.
    pub(crate) fn keep_rest(
        &mut self,
        name: &'static str,
        rest: &'a [u8],
        limits: &mut Limits,
    ) -> Got<'a, ()> {
        limits.budget.take(size_of::<(Text, Value)>() as u64).here(rest)?;
        self.extra.push(name, Binary(limits.budget.copy(rest).here(rest)?));
        Ok(())
    }

    /// The bytes of a binary; an empty one is kept, so that it is not forgotten that it was there.
    pub(crate) fn binary(&mut self, name: &'static str, limits: &mut Limits) -> Got<'a, &'a [u8]> {
        let bytes = self.take(name, limits, |raw, _| Ok(raw.binary()))?;
        if bytes.is_some_and(<[u8]>::is_empty) {
            self.keep_rest(name, &[], limits)?;
        }
        Ok(bytes.unwrap_or_default())
    }

    /// An array of so many steps each.
    pub(crate) fn steps<const S: usize>(
        &mut self,
        name: &'static str,
        limits: &mut Limits,
    ) -> Got<'a, Vec<[u16; S]>> {
        let bytes = self.binary(name, limits)?;
        let (steps, rest) = steps(bytes, limits)?;
        if !rest.is_empty() {
            self.keep_rest(name, rest, limits)?;
        }
        Ok(steps)
    }

    /// So many numbers.
    pub(crate) fn numbers<const S: usize>(
        &mut self,
        name: &'static str,
        limits: &mut Limits,
    ) -> Got<'a, Option<[f64; S]>> {
        self.take(name, limits, |raw, limits| raw.numbers(limits))
    }

    /// A map of `Min` and `Max`, and nothing else.
    pub(crate) fn domain<const S: usize>(
        &mut self,
        name: &'static str,
        limits: &mut Limits,
    ) -> Got<'a, Option<Domain<S>>> {
        self.take(name, limits, |raw, limits| {
            if raw.entries(limits)?.is_none() {
                return Ok(None);
            }
            let mut ends = Fields::read(raw, ["Min", "Max"], limits)?;
            let (min, max) = (ends.numbers("Min", limits)?, ends.numbers("Max", limits)?);
            Ok(match (min, max) {
                (Some(min), Some(max)) if ends.extra.is_empty() => Some(Domain { min, max }),
                _ => None,
            })
        })
    }

    pub(crate) fn integer(&mut self, name: &'static str, limits: &mut Limits) -> Got<'a, Option<i32>> {
        self.take(name, limits, |raw, _| Ok(raw.integer()))
    }

    pub(crate) fn number(&mut self, name: &'static str, limits: &mut Limits) -> Got<'a, Option<f64>> {
        self.take(name, limits, |raw, _| Ok(raw.number()))
    }
}

/// So many steps each, as many as there are, and the bytes behind them.
pub(crate) fn steps<'a, const S: usize>(
    bytes: &'a [u8],
    limits: &mut Limits,
) -> Got<'a, (Vec<[u16; S]>, &'a [u8])> {
    let (groups, _) = bytes.as_chunks::<2>().0.as_chunks::<S>();
    let mut steps = limits.budget.vec(groups.len()).here(bytes)?;
    steps.extend(groups.iter().map(|group| group.map(u16::from_le_bytes)));
    let used = size_of::<[u16; S]>().saturating_mul(groups.len());
    Ok((steps, bytes.get(used..).unwrap_or_default()))
}

/// The entries of a map that is being written: typed ones, then what was kept.
#[derive(Debug, Default)]
pub(crate) struct Out(Map);

impl Out {
    pub(crate) fn put(&mut self, name: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.push(name, value);
        }
    }

    pub(crate) fn numbers<const S: usize>(&mut self, name: &'static str, numbers: Option<[f64; S]>) {
        self.put(name, numbers.map(Value::from));
    }

    pub(crate) fn domain<const S: usize>(&mut self, name: &'static str, domain: Option<Domain<S>>) {
        self.put(
            name,
            domain
                .map(|Domain { min, max }| Map::from([("Max", Value::from(max)), ("Min", Value::from(min))])),
        );
    }

    /// An array, with what of it was not understood behind it; left out where there is neither.
    pub(crate) fn array(&mut self, name: &'static str, mut bytes: Vec<u8>, extra: &Map) {
        match extra.get(name) {
            Some(Value::Binary(rest)) => bytes.extend_from_slice(rest),
            _ if bytes.is_empty() => return,
            _ => {}
        }
        self.0.push(name, Binary(bytes));
    }

    pub(crate) fn steps<const S: usize>(&mut self, name: &'static str, steps: &[[u16; S]], extra: &Map) {
        self.array(name, steps_bytes(steps), extra);
    }

    /// All entries, those that were kept among them, in the order in which the viewer writes them.
    pub(crate) fn finish(mut self, extra: &Map) -> Map {
        let there: HashSet<Text> = self.0.keys().cloned().collect();
        for (key, value) in extra {
            if !there.contains(key) {
                self.0.push(key, value.clone());
            }
        }
        self.0.sort_keys();
        self.0
    }
}

pub(crate) fn steps_bytes<const S: usize>(steps: &[[u16; S]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(steps));
    for step in steps.as_flattened() {
        bytes.extend_from_slice(&step.to_le_bytes());
    }
    bytes
}
