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
    budget: Budget,
    keys: Option<Duplicates>,
}

#[derive(Debug)]
enum Open {
    Array(Vec<Value>),
    /// A key goes in with nothing as its value, which the value then replaces.
    Map(Vec<(Text, Value)>),
}

impl Builder {
    pub(crate) fn new(max_bytes: u64, keys: Duplicates) -> Self {
        Self { open: Vec::new(), budget: Budget::new(max_bytes), keys: Some(keys) }
    }

    /// For events that come from a value: no limit, and no rule for keys.
    pub(crate) fn unlimited() -> Self {
        Self { open: Vec::new(), budget: Budget::new(u64::MAX), keys: None }
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
                if let Some(Open::Map(entries)) = self.open.last_mut() {
                    room(entries, &mut self.budget)?;
                    entries.push((key.into(), Value::Undef));
                }
                return Ok(None);
            }
            Event::StartArray(count) => {
                let values = self.budget.vec(count.unwrap_or(0))?;
                return self.begin(Open::Array(values));
            }
            Event::StartMap(count) => {
                let entries = self.budget.vec(count.unwrap_or(0))?;
                return self.begin(Open::Map(entries));
            }
            Event::EndArray | Event::EndMap => match self.open.pop() {
                Some(Open::Array(values)) => Value::Array(Array(values)),
                Some(Open::Map(mut entries)) => {
                    if let Some(rule) = self.keys {
                        keys::settle(&mut entries, rule)
                            .map_err(|key| ErrorKind::Invalid(format!("key {key:?} twice").into()))?;
                    }
                    Value::Map(Map(entries))
                }
                None => return Ok(None),
            },
        };
        match self.open.last_mut() {
            None => return Ok(Some(value)),
            Some(Open::Array(values)) => {
                room(values, &mut self.budget)?;
                values.push(value);
            }
            Some(Open::Map(entries)) => {
                if let Some(entry) = entries.last_mut() {
                    entry.1 = value;
                }
            }
        }
        Ok(None)
    }

    fn begin(&mut self, open: Open) -> Result<Option<Value>, ErrorKind> {
        room(&mut self.open, &mut self.budget)?;
        self.open.push(open);
        Ok(None)
    }
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
            }
        }
    }
}
