//! What a document contains, however it is written.

mod convert;
mod event;
pub(crate) mod keys;
mod literal;
mod map;
mod path;
mod scalar;
#[cfg(feature = "serde")]
pub(crate) mod serde;
mod text;
mod walk;

pub use event::Event;
pub use keys::Duplicates;
pub use map::{Array, Map};
pub(crate) use path::{Steps, path_of};
pub use scalar::{Binary, Date, Uri, Uuid};
pub use text::Text;
pub(crate) use walk::{Item, Walk};

/// A value of LLSD.
///
/// Exact access is by matching, or by [`Value::as_map`] and its like; the viewer's conversions
/// ([`Value::to_integer`] and so on) never fail and give a default instead.
///
/// Equality is that of the values: reals as numbers (NaN equals nothing), maps in any order.
/// [`Value::identical`] compares the bits and the order too.
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
    /// A whole number of 32 bits.
    Integer(i32),
    /// A floating-point number of 64 bits.
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

    /// A boolean; `None` for everything else, as in all of these.
    pub fn as_boolean(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// An integer.
    pub fn as_integer(&self) -> Option<i32> {
        match self {
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// A real.
    pub fn as_real(&self) -> Option<f64> {
        match self {
            Self::Real(value) => Some(*value),
            _ => None,
        }
    }

    /// A UUID.
    pub fn as_uuid(&self) -> Option<Uuid> {
        match self {
            Self::Uuid(value) => Some(*value),
            _ => None,
        }
    }

    /// The text of a string that is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        self.as_text()?.as_str()
    }

    /// A string.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// A date.
    pub fn as_date(&self) -> Option<Date> {
        match self {
            Self::Date(value) => Some(*value),
            _ => None,
        }
    }

    /// A URI.
    pub fn as_uri(&self) -> Option<&Uri> {
        match self {
            Self::Uri(uri) => Some(uri),
            _ => None,
        }
    }

    /// The bytes of a binary.
    pub fn as_binary(&self) -> Option<&[u8]> {
        match self {
            Self::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The values of an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(values) => Some(values),
            _ => None,
        }
    }

    /// The values of an array, to be changed.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Self::Array(values) => Some(values),
            _ => None,
        }
    }

    /// A map.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// A map, to be changed.
    pub fn as_map_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// How many values an array or a map has; 0 for everything else, as in the viewer.
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
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        Walk::new(self).map(Event::from)
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
    &[Value]: |value| Self::Array(value.to_vec().into()),
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

/// Bytes are a binary, in a vector, a slice or an array: so no single byte is an integer.
impl<const N: usize> From<[u8; N]> for Value {
    fn from(bytes: [u8; N]) -> Self {
        Self::Binary(Binary(bytes.to_vec()))
    }
}

impl<const N: usize> From<&[u8; N]> for Value {
    fn from(bytes: &[u8; N]) -> Self {
        Self::Binary(Binary(bytes.to_vec()))
    }
}

impl<V: Into<Value>> FromIterator<V> for Value {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self::Array(values.into_iter().collect())
    }
}
