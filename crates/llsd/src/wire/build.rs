//! Builds a value from events.

use std::borrow::Cow;

use bstr::BStr;

use crate::model::keys;
use crate::model::{Array, Duplicates, Event, Map, Scalar, Text, Value};
use crate::wire::events::Take;
use geom::wire::{Budget, ErrorKind};

/// Takes events and builds values.
///
/// A container of known length gets its vector when it begins. The values of other containers are collected in vectors
/// that they share, and moved to vectors of the exact size when a container is complete.
///
/// Every value is created in its final place. Otherwise it would be copied in larger pieces than it was written in, and
/// the processor would stall.
#[derive(Debug)]
pub(crate) struct Builder {
    values: Vec<Value>,
    /// A key is added with undef, which its value then replaces.
    entries: Vec<(Text, Value)>,
    /// Whether the innermost container is a map, and where its content begins.
    map: bool,
    start: usize,
    outer: Vec<Outer>,
    /// The shared vectors, while vectors of containers of known length have replaced them.
    arrays: Vec<Vec<Value>>,
    maps: Vec<Vec<(Text, Value)>>,
    rule: Option<Duplicates>,
    /// Whether an entry or a value was dropped, since its key occurred twice, or since another value followed it.
    pub(crate) deduplicated: bool,
    /// Whether an event was refused.
    pub(crate) failed: bool,
}

/// The container around another one: its `map` and `start`, and whether the inner one has a vector of its own.
#[derive(Debug)]
struct Outer {
    map: bool,
    start: usize,
    own: bool,
}

const EMPTY: Value = Value::String(Text::EMPTY);
const ENTRY: (Text, Value) = (Text::EMPTY, Value::Undef);

impl Builder {
    /// `rule` decides between equal keys; it is `None` for events without equal keys.
    pub(crate) fn new(rule: Option<Duplicates>) -> Self {
        Self {
            values: Vec::new(),
            entries: Vec::new(),
            map: false,
            start: 0,
            outer: Vec::new(),
            arrays: Vec::new(),
            maps: Vec::new(),
            rule,
            deduplicated: false,
            failed: false,
        }
    }

    /// The value, if it is complete; if there were several, the last one.
    pub(crate) fn value(&mut self) -> Option<Value> {
        self.deduplicated |= self.values.len() > 1;
        if self.outer.is_empty() { self.values.pop() } else { None }
    }

    /// Where the next value goes.
    #[inline(always)]
    fn slot(&mut self, budget: &mut Budget) -> Result<&mut Value, ErrorKind> {
        let slot = if self.map {
            self.entries.last_mut().map(|(_, value)| value)
        } else {
            add(&mut self.values, || Value::Undef, budget)?;
            self.values.last_mut()
        };
        match slot {
            Some(slot) => Ok(slot),
            None => Err(ErrorKind::UnexpectedEnd),
        }
    }

    #[inline]
    fn begin(&mut self, map: bool, count: Option<usize>, budget: &mut Budget) -> Result<(), ErrorKind> {
        let (outer_map, outer_start) = (self.map, self.start);
        add(&mut self.outer, || Outer { map: outer_map, start: outer_start, own: count.is_some() }, budget)?;
        (self.map, self.start) = (map, 0);
        match (count, map) {
            (None, true) => self.start = self.entries.len(),
            (None, false) => self.start = self.values.len(),
            (Some(count), true) => {
                let own = budget.vec(count)?;
                let outer = std::mem::replace(&mut self.entries, own);
                budget.push(&mut self.maps, outer)?;
            }
            (Some(count), false) => {
                let own = budget.vec(count)?;
                let outer = std::mem::replace(&mut self.values, own);
                budget.push(&mut self.arrays, outer)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn end(&mut self, budget: &mut Budget) -> Result<(), ErrorKind> {
        let Some(Outer { map, start, own }) = self.outer.pop() else { return Ok(()) };
        let begin = std::mem::replace(&mut self.start, start);
        if std::mem::replace(&mut self.map, map) {
            let mut entries = match own {
                true => std::mem::replace(&mut self.entries, self.maps.pop().unwrap_or_default()),
                false => exact(&mut self.entries, begin, budget)?,
            };
            if let Some(rule) = self.rule {
                let before = entries.len();
                keys::deduplicate(&mut entries, rule, budget)?;
                self.deduplicated |= entries.len() < before;
            }
            self.set(|| Value::Map(Map(entries)), budget)
        } else {
            let values = match own {
                true => std::mem::replace(&mut self.values, self.arrays.pop().unwrap_or_default()),
                false => exact(&mut self.values, begin, budget)?,
            };
            self.set(|| Value::Array(Array(values)), budget)
        }
    }

    #[inline]
    fn set(&mut self, make: impl FnOnce() -> Value, budget: &mut Budget) -> Result<(), ErrorKind> {
        put(self.slot(budget)?, make);
        Ok(())
    }

    #[inline(always)]
    fn scalar(&mut self, scalar: Scalar<'_>, budget: &mut Budget) -> Result<(), ErrorKind> {
        match &scalar {
            Scalar::String(text) | Scalar::Uri(text) => afford(text, budget)?,
            Scalar::Binary(Cow::Borrowed(bytes)) => budget.take(bytes.len() as u64)?,
            _ => {}
        }
        let slot = self.slot(budget)?;
        match scalar {
            Scalar::String(string) => {
                put(slot, || EMPTY);
                if let Value::String(text) = slot {
                    text.fill(string);
                }
            }
            scalar => put(slot, || scalar.into()),
        }
        Ok(())
    }

    // If the compiler knows the kind of an event, little of this remains.
    #[inline(always)]
    pub(crate) fn add(&mut self, event: Event<'_>, budget: &mut Budget) -> Result<(), ErrorKind> {
        match event {
            Event::Key(key) => {
                afford(&key, budget)?;
                add(&mut self.entries, || ENTRY, budget)?;
                if let Some((text, _)) = self.entries.last_mut() {
                    text.fill(key);
                }
                Ok(())
            }
            Event::Scalar(scalar) => self.scalar(scalar, budget),
            Event::StartArray(count) => self.begin(false, count, budget),
            Event::StartMap(count) => self.begin(true, count, budget),
            Event::EndArray | Event::EndMap => self.end(budget),
        }
    }
}

impl<'a> Take<'a> for Builder {
    #[inline(always)]
    fn take(&mut self, event: Event<'a>, budget: &mut Budget) -> Result<(), ErrorKind> {
        self.add(event, budget).inspect_err(|_| self.failed = true)
    }
}

/// Replaces undef by a value, without dropping the undef.
#[inline(always)]
fn put(slot: &mut Value, make: impl FnOnce() -> Value) {
    std::mem::forget(std::mem::replace(slot, make()));
}

/// Takes the bytes that a text allocates from the budget.
#[inline(always)]
#[allow(clippy::ptr_arg, reason = "whether it is owned")]
fn afford(text: &Cow<'_, BStr>, budget: &mut Budget) -> Result<(), ErrorKind> {
    match text {
        Cow::Borrowed(text) => budget.take(Text::extra(text.len())),
        // The reader took its bytes from the budget; a short text is copied, and they are freed.
        Cow::Owned(text) => {
            budget.give_back(text.len() as u64);
            budget.take(Text::extra(text.len()))
        }
    }
}

/// Like [`Budget::push`], for a value that is created in place.
#[inline(always)]
fn add<T>(vec: &mut Vec<T>, mut make: impl FnMut() -> T, budget: &mut Budget) -> Result<(), ErrorKind> {
    budget.reserve(vec, 1)?;
    vec.extend((0..1).map(|_| make()));
    Ok(())
}

/// Moves the items from `start` on into a vector of the exact size.
#[inline]
fn exact<T>(from: &mut Vec<T>, start: usize, budget: &mut Budget) -> Result<Vec<T>, ErrorKind> {
    budget.take_values::<T>(from.get(start..).map_or(0, <[T]>::len))?;
    Ok(from.split_off(start.min(from.len())))
}
