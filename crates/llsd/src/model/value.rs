//! Values and the two containers. Nothing here recurses over the content of a container.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut, Index};

use crate::model::{Binary, Date, Text, Uri, Uuid};

/// A value of LLSD.
///
/// For exact access, match on it or use [`Value::as_map`] and similar functions; the viewer's
/// conversions ([`Value::to_integer`] and so on) never fail and return a default instead.
///
/// Values are equal if their content is: reals and dates are compared by their bits, and maps may be in any order.
/// [`Value::identical`] also compares the order.
///
/// ```
/// use llsd::{Map, Value};
///
/// let mut value = Value::from(Map::from([("name", "cube"), ("owner", "me")]));
/// value.set("parts/0/size", 2.5)?;
/// assert_eq!(value.find("parts[0]/size"), Some(&Value::Real(2.5)));
/// assert_eq!(value["name"].as_str(), Some("cube"));
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Default)]
pub enum Value {
    /// No value.
    #[default]
    Undef,
    /// True or false.
    Boolean(bool),
    /// A 32-bit integer.
    Integer(i32),
    /// A 64-bit floating-point number.
    Real(f64),
    /// A 128-bit identifier.
    Uuid(Uuid),
    /// A string, of bytes that are mostly UTF-8.
    String(Text),
    /// A point in time.
    Date(Date),
    /// A URI.
    Uri(Uri),
    /// Bytes.
    Binary(Binary),
    /// Values in order.
    Array(Array),
    /// Values with keys.
    Map(Map),
}

/// A document may have millions of values: their size matters.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Value>() == 32 && size_of::<Text>() == 24);

impl Value {
    /// The name of the type: that of its XML element.
    pub fn type_name(&self) -> &'static str {
        match (self.scalar(), self) {
            (Some(scalar), _) => scalar.type_name(),
            (None, Self::Map(_)) => "map",
            (None, _) => "array",
        }
    }

    /// Whether this is [`Value::Undef`].
    pub fn is_undef(&self) -> bool {
        matches!(self, Self::Undef)
    }

    /// The text of a string that is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        self.as_text()?.as_str()
    }

    /// The number of values of an array or a map; 0 for everything else, as in the viewer.
    pub fn len(&self) -> usize {
        match self {
            Self::Array(values) => values.len(),
            Self::Map(map) => map.len(),
            _ => 0,
        }
    }

    /// Whether [`Value::len`] is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Exact access: the value of one variant.
macro_rules! exact {
    ($($(#[$doc:meta])+ $name:ident $([$mutable:tt])? -> $type:ty: $variant:ident($value:ident) => $read:expr;)+) => {
        impl Value {
            $($(#[$doc])+
            pub fn $name(&$($mutable)? self) -> Option<$type> {
                match self {
                    Self::$variant($value) => Some($read),
                    _ => None,
                }
            })+
        }
    };
}

exact! {
    /// A boolean. This and the methods below return `None` for a value of another type.
    as_boolean -> bool: Boolean(value) => *value;
    /// An integer.
    as_integer -> i32: Integer(value) => *value;
    /// A real.
    as_real -> f64: Real(value) => *value;
    /// A UUID.
    as_uuid -> Uuid: Uuid(value) => *value;
    /// A string.
    as_text -> &Text: String(text) => text;
    /// A date.
    as_date -> Date: Date(value) => *value;
    /// A URI.
    as_uri -> &Uri: Uri(uri) => uri;
    /// The bytes of a binary.
    as_binary -> &[u8]: Binary(bytes) => bytes;
    /// The values of an array.
    as_array -> &[Value]: Array(values) => values;
    /// The values of an array, mutably.
    as_array_mut [mut] -> &mut Vec<Value>: Array(values) => values;
    /// A map.
    as_map -> &Map: Map(map) => map;
    /// A map, mutably.
    as_map_mut [mut] -> &mut Map: Map(map) => map;
}

/// An array, which dereferences to a vector of values.
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

/// A map: keys and values in the order in which they were read or inserted.
///
/// [`Map::get`] searches linearly, which is faster than hashing for the maps of real documents; for many lookups
/// in a map with thousands of keys, use [`Map::index`].
///
/// Two maps are equal if they have the same keys with equal values, in any order.
#[derive(Default)]
pub struct Map(pub(crate) Vec<(Text, Value)>);

impl Map {
    /// An empty map.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// An empty map with space for some entries.
    pub fn with_capacity(entries: usize) -> Self {
        Self(Vec::with_capacity(entries))
    }

    /// The number of entries.
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

    /// The value of a key, mutably.
    pub fn get_mut(&mut self, key: impl AsRef<[u8]>) -> Option<&mut Value> {
        let key = key.as_ref();
        self.0.iter_mut().find(|(there, _)| there.as_bytes() == key).map(|(_, value)| value)
    }

    /// Whether the map has a key.
    pub fn contains_key(&self, key: impl AsRef<[u8]>) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of a key and returns the previous one. A new key goes to the end. Takes time in proportion to the
    /// entries; to build a large map, collect the entries or call `extend`.
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

    /// Appends an entry without checking whether the key exists. If it does, the new entry is never found, and
    /// [`crate::check`] reports it. This is fast for a large map; so is collecting entries, which does check the keys.
    pub fn push(&mut self, key: impl Into<Text>, value: impl Into<Value>) {
        self.0.push((key.into(), value.into()));
    }

    /// Removes an entry and returns its value; later entries move up.
    pub fn remove(&mut self, key: impl AsRef<[u8]>) -> Option<Value> {
        let key = key.as_ref();
        let at = self.0.iter().position(|(there, _)| there.as_bytes() == key)?;
        Some(self.0.remove(at).1)
    }

    /// The entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Text, Value)> {
        self.0.iter()
    }

    /// The entries in order, mutably. If two keys become equal, only the first of them is found.
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

    /// Sorts the entries by the bytes of their keys, which is the order in which the viewer writes them.
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

/// The value of a key, or [`Value::Undef`] if there is no such key, as in the viewer.
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
