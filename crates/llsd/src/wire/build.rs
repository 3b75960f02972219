//! From events to a value.

use std::borrow::Cow;

use bstr::BStr;

use crate::error::ErrorKind;
use crate::limits::Budget;
use crate::model::keys;
use crate::model::{Array, Binary, Duplicates, Event, Map, Text, Uri, Value};

/// Takes events and gives the value when it is complete.
#[derive(Debug)]
pub(crate) struct Builder {
    open: Vec<Open>,
    /// The values of the arrays that have few yet, one after the other.
    values: Vec<Value>,
    /// The same of maps.
    entries: Vec<(Text, Value)>,
    keys: Option<Duplicates>,
}

#[derive(Debug)]
enum Open {
    Array(Vec<Value>),
    /// A key goes in with undef as its value, which the value then replaces.
    Map(Vec<(Text, Value)>),
    /// An array of unknown length: where its values begin among all of that kind.
    FewValues(usize),
    FewEntries(usize),
}

/// Containers of unknown length are collected in one vector up to this many, and get memory when they
/// are complete: just what they need, and one after the other, which is quicker to make and much
/// quicker to go through than what is left of vectors that grew.
const FEW: usize = 32;

impl Builder {
    /// With a rule for equal keys, or without one for events in which no keys are equal.
    pub(crate) fn new(keys: Option<Duplicates>) -> Self {
        Self { open: Vec::new(), values: Vec::new(), entries: Vec::new(), keys }
    }

    /// The next event; the value, when this was the last one.
    #[inline(always)]
    pub(crate) fn take(&mut self, event: Event<'_>, budget: &mut Budget) -> Result<Option<Value>, ErrorKind> {
        let value = match event {
            Event::Undef => Value::Undef,
            Event::Boolean(value) => Value::Boolean(value),
            Event::Integer(value) => Value::Integer(value),
            Event::Real(value) => Value::Real(value),
            Event::Uuid(value) => Value::Uuid(value),
            Event::Date(value) => Value::Date(value),
            Event::String(string) => Value::String(text(string, budget)?),
            Event::Uri(uri) => Value::Uri(Uri(text(uri, budget)?)),
            Event::Binary(Cow::Borrowed(bytes)) => Value::Binary(Binary(budget.copy(bytes)?)),
            Event::Binary(Cow::Owned(bytes)) => Value::Binary(Binary(bytes.into())),
            Event::Key(key) => {
                let entry = (text(key, budget)?, Value::Undef);
                match self.open.last_mut() {
                    Some(Open::FewEntries(start)) => {
                        if self.entries.len().wrapping_sub(*start) < FEW {
                            push(&mut self.entries, entry, budget)?;
                        } else {
                            let mut entries = spill(&mut self.entries, *start, budget)?;
                            entries.push(entry);
                            self.replace(Open::Map(entries));
                        }
                    }
                    Some(Open::Map(entries)) => push(entries, entry, budget)?,
                    _ => {}
                }
                return Ok(None);
            }
            Event::StartArray(count) => {
                let open = match count {
                    None => Open::FewValues(self.values.len()),
                    Some(count) => Open::Array(budget.vec(count)?),
                };
                push(&mut self.open, open, budget)?;
                return Ok(None);
            }
            Event::StartMap(count) => {
                let open = match count {
                    None => Open::FewEntries(self.entries.len()),
                    Some(count) => Open::Map(budget.vec(count)?),
                };
                push(&mut self.open, open, budget)?;
                return Ok(None);
            }
            Event::EndArray | Event::EndMap => match self.open.pop() {
                Some(Open::Array(values)) => Value::Array(Array(values)),
                Some(Open::FewValues(start)) => Value::Array(Array(exact(&mut self.values, start, budget)?)),
                Some(Open::Map(entries)) => self.map(entries, budget)?,
                Some(Open::FewEntries(start)) => {
                    let entries = exact(&mut self.entries, start, budget)?;
                    self.map(entries, budget)?
                }
                None => return Ok(None),
            },
        };
        match self.open.last_mut() {
            None => return Ok(Some(value)),
            Some(Open::FewValues(start)) => {
                if self.values.len().wrapping_sub(*start) < FEW {
                    push(&mut self.values, value, budget)?;
                } else {
                    let mut values = spill(&mut self.values, *start, budget)?;
                    values.push(value);
                    self.replace(Open::Array(values));
                }
            }
            Some(Open::Array(values)) => push(values, value, budget)?,
            Some(Open::FewEntries(_)) => {
                if let Some(entry) = self.entries.last_mut() {
                    entry.1 = value;
                }
            }
            Some(Open::Map(entries)) => {
                if let Some(entry) = entries.last_mut() {
                    entry.1 = value;
                }
            }
        }
        Ok(None)
    }

    #[inline(always)]
    fn map(&self, mut entries: Vec<(Text, Value)>, budget: &mut Budget) -> Result<Value, ErrorKind> {
        if let Some(rule) = self.keys {
            keys::settle(&mut entries, rule, budget)?;
        }
        Ok(Value::Map(Map(entries)))
    }

    /// The innermost container has many values, and from now on a vector of its own.
    fn replace(&mut self, open: Open) {
        if let Some(innermost) = self.open.last_mut() {
            *innermost = open;
        }
    }
}

#[inline(always)]
fn text(text: Cow<'_, BStr>, budget: &mut Budget) -> Result<Text, ErrorKind> {
    match &text {
        Cow::Borrowed(text) => budget.take(Text::extra(text.len()))?,
        // Its reader took it from the budget; a short one is copied and freed.
        Cow::Owned(text) => {
            budget.give_back((text.len() as u64).saturating_sub(Text::extra(text.len())));
        }
    }
    Ok(text.into())
}

#[inline(always)]
pub(crate) fn push<T>(vec: &mut Vec<T>, item: T, budget: &mut Budget) -> Result<(), ErrorKind> {
    if vec.len() == vec.capacity() {
        grow(vec, 1, budget)?;
    }
    vec.push(item);
    Ok(())
}

/// Makes space for so many more: twice of what was there, or what is needed. While the vector grows, the
/// old and the new memory are both there.
#[cold]
#[inline(never)]
pub(crate) fn grow<T>(vec: &mut Vec<T>, more: usize, budget: &mut Budget) -> Result<(), ErrorKind> {
    let size = size_of::<T>() as u64;
    let old = vec.capacity();
    let wanted = old.saturating_mul(2).max(vec.len().saturating_add(more)).max(4);
    budget.take((wanted as u64).saturating_mul(size))?;
    vec.reserve_exact(wanted.saturating_sub(vec.len()));
    budget.give_back((old as u64).saturating_mul(size));
    Ok(())
}

/// What begins at `start`, in memory of its own.
#[inline]
fn exact<T>(from: &mut Vec<T>, start: usize, budget: &mut Budget) -> Result<Vec<T>, ErrorKind> {
    let mut items = budget.vec(from.len().saturating_sub(start))?;
    items.extend(from.drain(start.min(from.len())..));
    Ok(items)
}

/// The same with space for as many again.
#[cold]
#[inline(never)]
fn spill<T>(from: &mut Vec<T>, start: usize, budget: &mut Budget) -> Result<Vec<T>, ErrorKind> {
    let mut items = budget.vec(2 * FEW)?;
    items.extend(from.drain(start.min(from.len())..));
    Ok(items)
}

impl Drop for Builder {
    /// What was opened and never closed is dropped as a value is.
    fn drop(&mut self) {
        while let Some(open) = self.open.pop() {
            match open {
                Open::Array(values) => drop(Array(values)),
                Open::Map(entries) => drop(Map(entries)),
                Open::FewValues(_) | Open::FewEntries(_) => {}
            }
        }
        drop(Array(std::mem::take(&mut self.values)));
        drop(Map(std::mem::take(&mut self.entries)));
    }
}
