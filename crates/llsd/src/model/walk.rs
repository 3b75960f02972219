//! Over all of a value without recursion: dropping, copying, comparing, and as events.

use std::borrow::Cow;
use std::cell::Cell;

use bstr::ByteSlice;

use crate::event::Event;
use crate::model::{Array, Map, Text, Value};

/// So many containers in one another are dropped by plain recursion, which needs no memory.
const SHALLOW: u32 = 64;

thread_local! {
    /// How many containers are being dropped in one another.
    static DROPPING: Cell<u32> = const { Cell::new(0) };
}

/// Drops what a container held. Deeper down, the values are laid on a heap and taken from there.
pub(crate) fn discard<T>(items: Vec<T>, spill: impl FnOnce(Vec<T>, &mut Vec<Value>)) {
    let depth = DROPPING.try_with(Cell::get).unwrap_or(SHALLOW);
    if depth < SHALLOW {
        DROPPING.set(depth + 1);
        drop(items);
        DROPPING.set(depth);
        return;
    }
    let mut heap = Vec::new();
    spill(items, &mut heap);
    while let Some(value) = heap.pop() {
        match value {
            Value::Array(mut array) => heap.append(&mut array.0),
            Value::Map(mut map) => {
                heap.extend(std::mem::take(&mut map.0).into_iter().map(|(_, value)| value))
            }
            _ => {}
        }
    }
}

/// The events of a value, from the outside in.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'a> {
    next: Option<&'a Value>,
    open: Vec<Open<'a>>,
}

#[derive(Clone, Debug)]
enum Open<'a> {
    Array(std::slice::Iter<'a, Value>),
    Map(std::slice::Iter<'a, (Text, Value)>),
}

impl<'a> Walk<'a> {
    pub(crate) fn new(value: &'a Value) -> Self {
        Self { next: Some(value), open: Vec::new() }
    }

    #[inline]
    fn begin(&mut self, value: &'a Value) -> Event<'a> {
        match value {
            Value::Undef => Event::Undef,
            Value::Boolean(value) => Event::Boolean(*value),
            Value::Integer(value) => Event::Integer(*value),
            Value::Real(value) => Event::Real(*value),
            Value::Uuid(value) => Event::Uuid(*value),
            Value::String(value) => Event::String(Cow::Borrowed(value)),
            Value::Date(value) => Event::Date(*value),
            Value::Uri(value) => Event::Uri(Cow::Borrowed(&value.0)),
            Value::Binary(value) => Event::Binary(Cow::Borrowed(value.0.as_bstr())),
            Value::Array(values) => {
                self.open.push(Open::Array(values.iter()));
                Event::StartArray(Some(values.len()))
            }
            Value::Map(map) => {
                self.open.push(Open::Map(map.iter()));
                Event::StartMap(Some(map.len()))
            }
        }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Event<'a>;

    #[inline]
    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(value) = self.next.take() {
            return Some(self.begin(value));
        }
        match self.open.last_mut()? {
            Open::Array(values) => match values.next() {
                Some(value) => Some(self.begin(value)),
                None => {
                    self.open.pop();
                    Some(Event::EndArray)
                }
            },
            Open::Map(entries) => match entries.next() {
                Some((key, value)) => {
                    self.next = Some(value);
                    Some(Event::Key(Cow::Borrowed(key)))
                }
                None => {
                    self.open.pop();
                    Some(Event::EndMap)
                }
            },
        }
    }
}

/// Whether two values are equal. `bits`: reals and dates by their bits and entries in their order;
/// otherwise reals as numbers and maps as sets of entries.
pub(crate) fn equal(a: &Value, b: &Value, bits: bool) -> bool {
    let mut pairs = vec![(a, b)];
    while let Some((a, b)) = pairs.pop() {
        let real = |a: f64, b: f64| if bits { a.to_bits() == b.to_bits() } else { a == b };
        let same = match (a, b) {
            (Value::Undef, Value::Undef) => true,
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Real(a), Value::Real(b)) => real(*a, *b),
            (Value::Uuid(a), Value::Uuid(b)) => a == b,
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Date(a), Value::Date(b)) => real(a.secs(), b.secs()),
            (Value::Uri(a), Value::Uri(b)) => a == b,
            (Value::Binary(a), Value::Binary(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => {
                pairs.extend(a.iter().zip(b));
                a.len() == b.len()
            }
            (Value::Map(a), Value::Map(b)) => entries(a, b, bits, &mut pairs),
            _ => false,
        };
        if !same {
            return false;
        }
    }
    true
}

/// Whether two maps have the same keys; their values are still to be compared.
fn entries<'a>(a: &'a Map, b: &'a Map, bits: bool, pairs: &mut Vec<(&'a Value, &'a Value)>) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if a.keys().eq(b.keys()) {
        pairs.extend(a.values().zip(b.values()));
        return true;
    }
    if bits {
        return false;
    }
    let (a, b) = (a.index(), b.index());
    a.len() == b.len()
        && a.iter().all(|(key, value)| {
            b.get(key).is_some_and(|other| {
                pairs.push((*value, *other));
                true
            })
        })
}

/// A copy of a value.
pub(crate) fn copy(value: &Value) -> Value {
    let mut builder = crate::build::Builder::unlimited();
    for event in Walk::new(value) {
        // Without limits and rules for keys nothing can be refused.
        if let Ok(Some(value)) = builder.take(event) {
            return value;
        }
    }
    Value::Undef
}

impl Clone for Value {
    fn clone(&self) -> Self {
        match self {
            Self::Undef => Self::Undef,
            Self::Boolean(value) => Self::Boolean(*value),
            Self::Integer(value) => Self::Integer(*value),
            Self::Real(value) => Self::Real(*value),
            Self::Uuid(value) => Self::Uuid(*value),
            Self::String(value) => Self::String(value.clone()),
            Self::Date(value) => Self::Date(*value),
            Self::Uri(value) => Self::Uri(value.clone()),
            Self::Binary(value) => Self::Binary(value.clone()),
            Self::Array(_) | Self::Map(_) => copy(self),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        equal(self, other, false)
    }
}

impl Clone for Array {
    fn clone(&self) -> Self {
        Self(self.0.to_vec())
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a == b)
    }
}

impl Clone for Map {
    fn clone(&self) -> Self {
        Self(self.0.to_vec())
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = Vec::new();
        entries(self, other, false, &mut pairs) && pairs.into_iter().all(|(a, b)| a == b)
    }
}
