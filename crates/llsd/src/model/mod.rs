//! What a document holds, whatever it is written as.

mod convert;
mod fmt;
mod map;
mod path;
mod scalar;
pub(crate) mod text;
pub(crate) mod walk;

pub use map::{Array, Map};
pub use scalar::{Binary, Date, Uri, Uuid};
pub use text::Text;

/// A value of LLSD.
///
/// Exact access is by matching, or by [`Value::as_map`] and its like; the conversions that the
/// viewer does ([`Value::as_integer`] and so on) never fail and give a default instead.
///
/// Equality is that of the values: reals as numbers (not a number equals nothing), maps in any
/// order. [`Value::identical`] compares the bits and the order too.
///
/// ```
/// use llsd::{Map, Value};
///
/// let mut value = Value::from(Map::from([("name", "cube"), ("owner", "me")]));
/// value.set("parts/0/size", 2.5);
/// assert_eq!(value.find("parts/0/size"), Some(&Value::Real(2.5)));
/// assert_eq!(value.get("name").and_then(Value::as_str), Some("cube"));
/// ```
#[derive(Default)]
pub enum Value {
    /// Nothing.
    #[default]
    Undef,
    /// True or false.
    Boolean(bool),
    /// A whole number of 32 bits.
    Integer(i32),
    /// A number of 64 bits with a floating point.
    Real(f64),
    /// 128 bits that name something.
    Uuid(Uuid),
    /// A string, of bytes that are mostly UTF-8.
    String(Text),
    /// A point in time.
    Date(Date),
    /// The name of a resource.
    Uri(Uri),
    /// Bytes.
    Binary(Binary),
    /// Values in order.
    Array(Array),
    /// Values with keys.
    Map(Map),
}

/// A document is read into millions of these.
const _: () = assert!(size_of::<Value>() == 32 && size_of::<Text>() == 24);

impl Value {
    /// The name of the type, as XML has it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Undef => "undef",
            Self::Boolean(_) => "boolean",
            Self::Integer(_) => "integer",
            Self::Real(_) => "real",
            Self::Uuid(_) => "uuid",
            Self::String(_) => "string",
            Self::Date(_) => "date",
            Self::Uri(_) => "uri",
            Self::Binary(_) => "binary",
            Self::Array(_) => "array",
            Self::Map(_) => "map",
        }
    }

    /// Whether this is [`Value::Undef`].
    pub fn is_undef(&self) -> bool {
        matches!(self, Self::Undef)
    }

    /// The text of a string or a URI that is UTF-8; `None` for everything else.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => text.as_str(),
            Self::Uri(uri) => uri.0.as_str(),
            _ => None,
        }
    }

    /// The values of an array; `None` for everything else.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(values) => Some(values),
            _ => None,
        }
    }

    /// The values of an array, to be changed; `None` for everything else.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Self::Array(values) => Some(values),
            _ => None,
        }
    }

    /// The map; `None` for everything else.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The map, to be changed; `None` for everything else.
    pub fn as_map_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// How many values an array or a map holds; 0 for everything else, as in the viewer.
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

    /// Whether the two are equal to the last bit: reals and dates by their bits, entries in their
    /// order.
    pub fn identical(&self, other: &Self) -> bool {
        walk::equal(self, other, true)
    }

    /// The value as events, from the outside in, as a reader would give them.
    pub fn events(&self) -> impl Iterator<Item = crate::Event<'_>> {
        walk::Walk::new(self)
    }
}

macro_rules! from {
    ($($kind:ty: |$value:ident| $into:expr),+ $(,)?) => {$(
        impl From<$kind> for Value {
            #[inline]
            fn from($value: $kind) -> Self {
                $into
            }
        }
    )+};
}

from! {
    bool: |value| Self::Boolean(value),
    i8: |value| Self::Integer(value.into()),
    u8: |value| Self::Integer(value.into()),
    i16: |value| Self::Integer(value.into()),
    u16: |value| Self::Integer(value.into()),
    i32: |value| Self::Integer(value),
    f32: |value| Self::Real(value.into()),
    f64: |value| Self::Real(value),
    Uuid: |value| Self::Uuid(value),
    Date: |value| Self::Date(value),
    std::time::SystemTime: |value| Self::Date(value.into()),
    Uri: |value| Self::Uri(value),
    Binary: |value| Self::Binary(value),
    Vec<u8>: |value| Self::Binary(Binary(value)),
    &[u8]: |value| Self::Binary(Binary(value.to_vec())),
    &str: |value| Self::String(value.into()),
    String: |value| Self::String(value.into()),
    &String: |value| Self::String(value.into()),
    Text: |value| Self::String(value),
    bstr::BString: |value| Self::String(value.into()),
    &bstr::BStr: |value| Self::String(value.into()),
    Array: |value| Self::Array(value),
    Map: |value| Self::Map(value),
    Vec<Value>: |value| Self::Array(value.into()),
    (): |_nothing| Self::Undef,
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Undef, Into::into)
    }
}

impl<V: Into<Value>, const N: usize> From<[V; N]> for Value {
    fn from(values: [V; N]) -> Self {
        Self::Array(values.into_iter().collect())
    }
}

impl<V: Into<Value>> FromIterator<V> for Value {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self::Array(values.into_iter().collect())
    }
}
