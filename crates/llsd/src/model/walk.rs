//! Traverses values without recursion: to drop, copy and compare them, and step by step.

use std::cell::Cell;

use crate::model::{Array, Event, Map, Text, Value};

/// The nesting depth up to which containers are dropped by plain recursion, which allocates nothing.
const SHALLOW: u32 = 64;

thread_local! {
    /// The current nesting depth of dropping.
    static DROPPING: Cell<u32> = const { Cell::new(0) };
}

/// Drops the content of a container. Beyond [`SHALLOW`] levels, the values are moved to a list and dropped from it.
fn discard<T>(items: Vec<T>, spill: impl FnOnce(Vec<T>, &mut Vec<Value>)) {
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

/// A step of a walk over a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'a> {
    /// A scalar, or a container that begins.
    Value(&'a Value),
    /// A key; its value follows.
    Key(&'a Text),
    EndArray,
    EndMap,
}

impl<'a> From<Item<'a>> for Event<'a> {
    fn from(item: Item<'a>) -> Self {
        match item {
            Item::Value(value) => value.into(),
            Item::Key(key) => Self::Key(std::borrow::Cow::Borrowed(key)),
            Item::EndArray => Self::EndArray,
            Item::EndMap => Self::EndMap,
        }
    }
}

/// The steps of a walk over a value, from the outside in.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'a> {
    /// The innermost container that is open; at first an array of the value alone.
    current: Open<'a>,
    outer: Vec<Open<'a>>,
    /// The value of the key that was returned last.
    value: Option<&'a Value>,
}

/// The remaining entries of an open container.
#[derive(Clone, Debug)]
pub(crate) enum Open<'a> {
    Array(std::slice::Iter<'a, Value>),
    Map(std::slice::Iter<'a, (Text, Value)>),
}

impl<'a> Open<'a> {
    #[inline]
    pub(crate) fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::Array(values) => Some(Self::Array(values.iter())),
            Value::Map(map) => Some(Self::Map(map.iter())),
            _ => None,
        }
    }
}

impl<'a> Walk<'a> {
    pub(crate) fn new(value: &'a Value) -> Self {
        let current = Open::Array(std::slice::from_ref(value).iter());
        Self { current, outer: Vec::new(), value: None }
    }

    fn leave(&mut self, end: Item<'a>) -> Option<Item<'a>> {
        self.current = self.outer.pop()?;
        Some(end)
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Item<'a>;

    #[inline]
    fn next(&mut self) -> Option<Item<'a>> {
        let value = match self.value.take() {
            Some(value) => value,
            None => match &mut self.current {
                Open::Array(values) => match values.next() {
                    Some(value) => value,
                    None => return self.leave(Item::EndArray),
                },
                Open::Map(entries) => match entries.next() {
                    Some((key, value)) => {
                        self.value = Some(value);
                        return Some(Item::Key(key));
                    }
                    None => return self.leave(Item::EndMap),
                },
            },
        };
        if let Some(inner) = Open::of(value) {
            self.outer.push(std::mem::replace(&mut self.current, inner));
        }
        Some(Item::Value(value))
    }
}

/// Whether two values are equal. With `exact`, entries of maps must be in the same order; otherwise in any order.
fn equal(a: &Value, b: &Value, exact: bool) -> bool {
    let mut pairs = vec![(a, b)];
    while let Some((a, b)) = pairs.pop() {
        let same = match (a, b) {
            (Value::Array(a), Value::Array(b)) => {
                pairs.extend(a.iter().zip(b));
                a.len() == b.len()
            }
            (Value::Map(a), Value::Map(b)) => entries(a, b, exact, &mut pairs),
            (a, b) => a.scalar().is_some_and(|a| b.scalar() == Some(a)),
        };
        if !same {
            return false;
        }
    }
    true
}

/// Whether two maps have the same keys. Pushes the pairs of their values, which are still to be compared.
fn entries<'a>(a: &'a Map, b: &'a Map, exact: bool, pairs: &mut Vec<(&'a Value, &'a Value)>) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if a.keys().eq(b.keys()) {
        pairs.extend(a.values().zip(b.values()));
        return true;
    }
    if exact {
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

/// A copy of a value: containers that are not complete yet are kept in a vector.
fn copy(value: &Value) -> Value {
    enum Open {
        Array(Vec<Value>),
        Map(Vec<(Text, Value)>),
    }
    let mut open: Vec<Open> = Vec::new();
    for item in Walk::new(value) {
        let done = match item {
            Item::Value(Value::Array(values)) => {
                open.push(Open::Array(Vec::with_capacity(values.len())));
                continue;
            }
            Item::Value(Value::Map(map)) => {
                open.push(Open::Map(Vec::with_capacity(map.len())));
                continue;
            }
            // A key is pushed with undef, which its value replaces.
            Item::Key(key) => {
                if let Some(Open::Map(entries)) = open.last_mut() {
                    entries.push((key.clone(), Value::Undef));
                }
                continue;
            }
            Item::Value(scalar) => scalar.clone(),
            Item::EndArray | Item::EndMap => match open.pop() {
                Some(Open::Array(values)) => Value::Array(Array(values)),
                Some(Open::Map(entries)) => Value::Map(Map(entries)),
                None => Value::Undef,
            },
        };
        match open.last_mut() {
            None => return done,
            Some(Open::Array(values)) => values.push(done),
            Some(Open::Map(entries)) => {
                if let Some((_, value)) = entries.last_mut() {
                    *value = done;
                }
            }
        }
    }
    Value::Undef
}

impl Clone for Value {
    fn clone(&self) -> Self {
        self.scalar().map_or_else(|| copy(self), Value::from)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        equal(self, other, false)
    }
}

impl Eq for Value {}

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

impl Eq for Array {}

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

impl Eq for Map {}

impl Drop for Array {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            discard(std::mem::take(&mut self.0), |values, stack| stack.extend(values));
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            discard(std::mem::take(&mut self.0), |entries, stack| {
                stack.extend(entries.into_iter().map(|(_, value)| value));
            });
        }
    }
}

impl Value {
    /// Whether the two are equal with their entries in the same order.
    pub fn identical(&self, other: &Self) -> bool {
        equal(self, other, true)
    }

    /// The value as events, as a reader of its document would return them.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        Walk::new(self).map(Event::from)
    }
}
