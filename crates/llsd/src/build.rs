//! From events to a value.

use crate::error::ErrorKind;
use crate::event::Event;
use crate::keys;
use crate::limits::Budget;
use crate::model::{Array, Binary, Map, Text, Uri, Value};
use crate::options::Duplicates;

/// Takes events and gives the value when it is complete.
#[derive(Debug)]
pub(crate) struct Builder {
    open: Vec<Open>,
    /// What the arrays hold that have few values yet, one behind the other.
    values: Vec<Value>,
    /// The same of maps.
    entries: Vec<(Text, Value)>,
    budget: Budget,
    keys: Option<Duplicates>,
}

#[derive(Debug)]
enum Open {
    Array(Vec<Value>),
    /// A key goes in with nothing as its value, which the value then replaces.
    Map(Vec<(Text, Value)>),
    /// An array of which is not known how long it gets: where its values begin among all of that kind.
    FewValues(usize),
    FewEntries(usize),
}

/// Containers of unknown length are collected in one place up to this many, and get memory when they
/// are complete: just what they need, and one behind the other, which is quicker to make and much
/// quicker to go through than what is left of vectors that grew.
const FEW: usize = 32;

impl Builder {
    pub(crate) fn new(max_bytes: u64, keys: Duplicates) -> Self {
        Self::with(Budget::new(max_bytes), Some(keys))
    }

    /// For events that come from a value: no limit, and no rule for keys.
    pub(crate) fn unlimited() -> Self {
        Self::with(Budget::new(u64::MAX), None)
    }

    fn with(budget: Budget, keys: Option<Duplicates>) -> Self {
        Self { open: Vec::new(), values: Vec::new(), entries: Vec::new(), budget, keys }
    }

    /// The next event; the value, when this was the last one.
    #[inline(always)]
    pub(crate) fn take(&mut self, event: Event<'_>) -> Result<Option<Value>, ErrorKind> {
        let value = match event {
            Event::Undef => Value::Undef,
            Event::Boolean(value) => Value::Boolean(value),
            Event::Integer(value) => Value::Integer(value),
            Event::Real(value) => Value::Real(value),
            Event::Uuid(value) => Value::Uuid(value),
            Event::Date(value) => Value::Date(value),
            Event::String(text) => {
                self.budget.take(Text::extra(text.len()))?;
                Value::String(text.into())
            }
            Event::Uri(text) => {
                self.budget.take(Text::extra(text.len()))?;
                Value::Uri(Uri(text.into()))
            }
            Event::Binary(bytes) => {
                self.budget.take(bytes.len() as u64)?;
                Value::Binary(Binary(bytes.into_owned().into()))
            }
            Event::Key(key) => {
                self.budget.take(Text::extra(key.len()))?;
                let entry = (key.into(), Value::Undef);
                match self.open.last_mut() {
                    Some(Open::FewEntries(start)) => {
                        if self.entries.len() - *start < FEW {
                            push(&mut self.entries, entry, &mut self.budget)?;
                        } else {
                            let mut entries = spill(&mut self.entries, *start, &mut self.budget)?;
                            entries.push(entry);
                            self.replace(Open::Map(entries));
                        }
                    }
                    Some(Open::Map(entries)) => push(entries, entry, &mut self.budget)?,
                    _ => {}
                }
                return Ok(None);
            }
            Event::StartArray(count) => {
                return match count {
                    None => self.begin(Open::FewValues(self.values.len())),
                    Some(count) => {
                        let values = self.budget.vec(count)?;
                        self.begin(Open::Array(values))
                    }
                };
            }
            Event::StartMap(count) => {
                return match count {
                    None => self.begin(Open::FewEntries(self.entries.len())),
                    Some(count) => {
                        let entries = self.budget.vec(count)?;
                        self.begin(Open::Map(entries))
                    }
                };
            }
            Event::EndArray | Event::EndMap => match self.open.pop() {
                Some(Open::Array(values)) => Value::Array(Array(values)),
                Some(Open::FewValues(start)) => {
                    Value::Array(Array(exact(&mut self.values, start, &mut self.budget)?))
                }
                Some(Open::Map(entries)) => self.map(entries)?,
                Some(Open::FewEntries(start)) => {
                    let entries = exact(&mut self.entries, start, &mut self.budget)?;
                    self.map(entries)?
                }
                None => return Ok(None),
            },
        };
        match self.open.last_mut() {
            None => return Ok(Some(value)),
            Some(Open::FewValues(start)) => {
                if self.values.len() - *start < FEW {
                    push(&mut self.values, value, &mut self.budget)?;
                } else {
                    let mut values = spill(&mut self.values, *start, &mut self.budget)?;
                    values.push(value);
                    self.replace(Open::Array(values));
                }
            }
            Some(Open::Array(values)) => push(values, value, &mut self.budget)?,
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

    fn map(&self, mut entries: Vec<(Text, Value)>) -> Result<Value, ErrorKind> {
        if let Some(rule) = self.keys {
            keys::settle(&mut entries, rule)
                .map_err(|key| ErrorKind::Invalid(format!("key {key:?} twice").into()))?;
        }
        Ok(Value::Map(Map(entries)))
    }

    /// The innermost container has many values, and from now on a vector of its own.
    fn replace(&mut self, open: Open) {
        if let Some(innermost) = self.open.last_mut() {
            *innermost = open;
        }
    }

    fn begin(&mut self, open: Open) -> Result<Option<Value>, ErrorKind> {
        room(&mut self.open, &mut self.budget)?;
        self.open.push(open);
        Ok(None)
    }
}

#[inline(always)]
fn push<T>(vec: &mut Vec<T>, item: T, budget: &mut Budget) -> Result<(), ErrorKind> {
    room(vec, budget)?;
    vec.push(item);
    Ok(())
}

/// What stands behind `start`, in memory of its own.
#[inline]
fn exact<T>(from: &mut Vec<T>, start: usize, budget: &mut Budget) -> Result<Vec<T>, ErrorKind> {
    let mut items = budget.vec(from.len().saturating_sub(start))?;
    items.extend(from.drain(start.min(from.len())..));
    Ok(items)
}

/// The same with room for as many again.
#[cold]
#[inline(never)]
fn spill<T>(from: &mut Vec<T>, start: usize, budget: &mut Budget) -> Result<Vec<T>, ErrorKind> {
    let mut items = budget.vec(2 * FEW)?;
    items.extend(from.drain(start.min(from.len())..));
    Ok(items)
}

/// Room for one more, taken from the budget. The vector doubles, and all that it takes is counted
/// each time, which pays for the old one standing beside the new.
#[inline(always)]
pub(crate) fn room<T>(vec: &mut Vec<T>, budget: &mut Budget) -> Result<(), ErrorKind> {
    if vec.len() == vec.capacity() {
        grow(vec, budget)?;
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn grow<T>(vec: &mut Vec<T>, budget: &mut Budget) -> Result<(), ErrorKind> {
    let wanted = vec.capacity().saturating_mul(2).max(4);
    budget.take((wanted as u64).saturating_mul(size_of::<T>() as u64))?;
    vec.reserve_exact(wanted - vec.len());
    Ok(())
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
