//! The two containers. Neither is dropped, cloned or compared by recursion over its content.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut, Index};

use crate::limits::Budget;
use crate::model::{Text, Value, keys, walk};

/// An array: a vector of values, to which it dereferences.
#[derive(Default)]
pub struct Array(pub(crate) Vec<Value>);

impl Array {
    /// An empty array.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The values as a vector.
    pub fn into_vec(mut self) -> Vec<Value> {
        std::mem::take(&mut self.0)
    }
}

impl Deref for Array {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        &self.0
    }
}

impl DerefMut for Array {
    fn deref_mut(&mut self) -> &mut Vec<Value> {
        &mut self.0
    }
}

impl From<Vec<Value>> for Array {
    fn from(values: Vec<Value>) -> Self {
        Self(values)
    }
}

impl<V: Into<Value>> FromIterator<V> for Array {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self(values.into_iter().map(Into::into).collect())
    }
}

impl IntoIterator for Array {
    type Item = Value;
    type IntoIter = std::vec::IntoIter<Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// A map: keys and values in the order in which they were read or put in.
///
/// [`Map::get`] compares one key after the other, which is quicker than hashing for the maps of real
/// documents; for many lookups in a map of thousands of keys take [`Map::index`].
///
/// Two maps are equal where they have the same keys with equal values, in any order.
#[derive(Default)]
pub struct Map(pub(crate) Vec<(Text, Value)>);

impl Map {
    /// An empty map.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// An empty map with room for some entries.
    pub fn with_capacity(entries: usize) -> Self {
        Self(Vec::with_capacity(entries))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&Value> {
        let key = key.as_ref();
        self.0.iter().find(|(there, _)| there.as_bytes() == key).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: impl AsRef<[u8]>) -> Option<&mut Value> {
        let key = key.as_ref();
        self.0.iter_mut().find(|(there, _)| there.as_bytes() == key).map(|(_, value)| value)
    }

    /// Whether there is a key.
    pub fn contains_key(&self, key: impl AsRef<[u8]>) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of a key and gives the one that it had. A new key goes to the end.
    pub fn insert(&mut self, key: impl Into<Text>, value: impl Into<Value>) -> Option<Value> {
        let (key, value) = (key.into(), value.into());
        match self.get_mut(&key) {
            Some(there) => Some(std::mem::replace(there, value)),
            None => {
                self.0.push((key, value));
                None
            }
        }
    }

    /// Puts an entry at the end without looking whether the key is there already: where it is, the
    /// later entry is never found, and [`crate::check`] reports it. Building a large map is quick
    /// this way; so is collecting entries, which looks after the keys.
    pub fn push(&mut self, key: impl Into<Text>, value: impl Into<Value>) {
        self.0.push((key.into(), value.into()));
    }

    /// Removes an entry; those after it move up. Gives its value.
    pub fn remove(&mut self, key: impl AsRef<[u8]>) -> Option<Value> {
        let key = key.as_ref();
        let at = self.0.iter().position(|(there, _)| there.as_bytes() == key)?;
        Some(self.0.remove(at).1)
    }

    /// The entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Text, Value)> {
        self.0.iter()
    }

    /// The entries in order, to be changed. A key that is made equal to another hides or is hidden.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, (Text, Value)> {
        self.0.iter_mut()
    }

    /// The keys in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Text> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Sorts the entries by the bytes of their keys, which is the order that the viewer writes.
    pub fn sort_keys(&mut self) {
        self.0.sort_by(|(a, _), (b, _)| a.cmp(b));
    }

    /// An index of the keys, for many lookups in a large map.
    pub fn index(&self) -> HashMap<&[u8], &Value> {
        let mut index = HashMap::with_capacity(self.len());
        for (key, value) in &self.0 {
            index.entry(key.as_bytes()).or_insert(value);
        }
        index
    }

    /// The entries as a vector.
    pub fn into_vec(mut self) -> Vec<(Text, Value)> {
        std::mem::take(&mut self.0)
    }
}

/// Of entries with equal keys the last one counts, at the index of the first, as in every map of Rust.
impl<K: Into<Text>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Into<Text>, V: Into<Value>> Extend<(K, V)> for Map {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        self.0.extend(entries.into_iter().map(|(key, value)| (key.into(), value.into())));
        // Without a limit and with this rule nothing is refused.
        let _infallible = keys::settle(&mut self.0, keys::Duplicates::Last, &mut Budget::new(u64::MAX));
    }
}

impl<K: Into<Text>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Map {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

/// The value of a key, or [`Value::Undef`] where there is no such key, as in the viewer.
impl<K: AsRef<[u8]>> Index<K> for Map {
    type Output = Value;

    fn index(&self, key: K) -> &Value {
        self.get(key).unwrap_or(&Value::UNDEF)
    }
}

impl IntoIterator for Map {
    type Item = (Text, Value);
    type IntoIter = std::vec::IntoIter<(Text, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = &'a (Text, Value);
    type IntoIter = std::slice::Iter<'a, (Text, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            walk::discard(std::mem::take(&mut self.0), |values, stack| stack.extend(values));
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            walk::discard(std::mem::take(&mut self.0), |entries, stack| {
                stack.extend(entries.into_iter().map(|(_, value)| value));
            });
        }
    }
}
