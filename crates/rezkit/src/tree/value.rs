//! The values of nodes.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Weak};

use serde::ser::{Serialize, Serializer};

use rezkit_core::plain::shorten;

/// A value of a node or a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The name that the format gives the type.
    pub kind: Cow<'static, str>,
    /// The content.
    pub data: Data,
}

/// The content of a [`Value`]. Equal if the values are equal by their bits. A copy costs nothing: many instances can share
/// one long string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// A number, a vector and the like: a text of one line from which the same bits can be read.
    Line(Written, String),
    /// A string or bytes.
    Bytes(Arc<Vec<u8>>),
    /// Values without names.
    List(Arc<Vec<Value>>),
    /// The content of decoded bytes, such as attributes.
    Fields(Arc<Vec<(String, Value)>>),
    /// The content of bytes of a known layout: a summary line, and values that are equal if the bytes are.
    Decoded(String, Arc<Vec<(String, Value)>>),
}

impl Value {
    pub(crate) fn text(kind: impl Into<Cow<'static, str>>, text: impl fmt::Display) -> Self {
        Self::line(kind, Written::Text, text)
    }

    pub(crate) fn line(
        kind: impl Into<Cow<'static, str>>,
        written: Written,
        text: impl fmt::Display,
    ) -> Self {
        Self { kind: kind.into(), data: Data::Line(written, text.to_string()) }
    }

    pub(crate) fn bytes(kind: impl Into<Cow<'static, str>>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { kind: kind.into(), data: Data::Bytes(Arc::new(bytes.into())) }
    }

    pub(crate) fn fields(kind: impl Into<Cow<'static, str>>, fields: Vec<(String, Value)>) -> Self {
        Self { kind: kind.into(), data: Data::Fields(Arc::new(fields)) }
    }

    pub(crate) fn decoded(kind: &'static str, line: String, fields: Vec<(String, Value)>) -> Self {
        Self { kind: kind.into(), data: Data::Decoded(line, Arc::new(fields)) }
    }

    /// The fields of the value, if it has fields.
    pub fn as_fields(&self) -> Option<&[(String, Self)]> {
        match &self.data {
            Data::Fields(fields) | Data::Decoded(_, fields) => Some(fields),
            Data::Line(..) | Data::Bytes(_) | Data::List(_) => None,
        }
    }

    /// The field at a path of names separated by `.`; a name may contain a `.` itself. Of equal names, the last counts.
    pub(crate) fn field(&self, path: &str) -> Option<&Self> {
        self.as_fields()?.iter().rev().find_map(|(name, value)| {
            let rest = path.strip_prefix(name.as_str())?;
            if rest.is_empty() { Some(value) } else { value.field(rest.strip_prefix('.')?) }
        })
    }

    /// The value in one line of about `max` characters at most.
    pub fn summary(&self, max: usize) -> String {
        match &self.data {
            Data::Line(_, text) | Data::Decoded(text, _) => shorten(text, max),
            Data::Bytes(bytes) => match as_text(bytes) {
                Some(text) => format!("{:?}", shorten(text, max)),
                None => format!("{} bytes: {}", bytes.len(), shorten(&hex(bytes, max / 2), max)),
            },
            Data::List(values) => pieces(max, "[", values.iter(), |value, max| value.summary(max)) + "]",
            Data::Fields(fields) => {
                let field = |(name, value): &(String, Value), max| format!("{name}: {}", value.summary(max));
                pieces(max, "{", fields.iter(), field) + "}"
            }
        }
    }

    /// The identity of the content, if other values share it.
    pub(crate) fn shared(&self) -> Option<Shared> {
        match &self.data {
            Data::Bytes(bytes) if Arc::strong_count(bytes) > 1 => Some(Shared(Arc::downgrade(bytes) as _)),
            Data::List(values) if Arc::strong_count(values) > 1 => Some(Shared(Arc::downgrade(values) as _)),
            Data::Fields(fields) | Data::Decoded(_, fields) if Arc::strong_count(fields) > 1 => {
                Some(Shared(Arc::downgrade(fields) as _))
            }
            _ => None,
        }
    }

    /// The approximate number of bytes that the value takes.
    pub fn cost(&self) -> usize {
        size_of::<Self>()
            + match &self.data {
                Data::Line(_, text) => text.len(),
                Data::Bytes(bytes) => bytes.len(),
                Data::List(values) => values.iter().map(Self::cost).sum(),
                Data::Fields(fields) | Data::Decoded(_, fields) => {
                    fields.iter().map(|(name, value)| name.len() + value.cost()).sum()
                }
            }
    }

    /// The text, if it has more than one line.
    pub fn as_lines(&self) -> Option<&str> {
        let Data::Bytes(bytes) = &self.data else { return None };
        as_text(bytes).filter(|text| text.contains('\n'))
    }

    /// The value as JSON with its type: `{"type": "Vector3", "value": [1, 2, 3]}`; the value is as [`to_json`](Self::to_json)
    /// returns it.
    pub fn to_typed_json(&self) -> serde_json::Value {
        serde_json::json!({ "type": self.kind, "value": self.to_json() })
    }

    /// The value as JSON: numbers, arrays for vectors, strings for NaN and the like, base64 for bytes that are not text.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.data {
            Data::Line(written, text) => json_of_line(*written, text),
            Data::Bytes(bytes) => match as_text(bytes) {
                Some(text) => text.into(),
                None => {
                    use base64::Engine as _;
                    serde_json::json!({ "base64": base64::prelude::BASE64_STANDARD.encode(bytes.as_slice()) })
                }
            },
            Data::List(values) => values.iter().map(Self::to_json).collect(),
            Data::Fields(fields) | Data::Decoded(_, fields) => {
                let fields = fields.iter().map(|(name, value)| (name.clone(), value.to_json()));
                fields.collect()
            }
        }
    }
}

/// Texts separated by commas, of about `max` characters at most.
fn pieces<T>(
    max: usize,
    begin: &str,
    values: impl Iterator<Item = T>,
    one: impl Fn(T, usize) -> String,
) -> String {
    let mut text = String::from(begin);
    for value in values {
        if text.len() >= max {
            text.push_str(", …");
            break;
        }
        if text.len() > begin.len() {
            text.push_str(", ");
        }
        text += &one(value, max.saturating_sub(text.len()));
    }
    text
}

/// Bytes that are text without control characters other than white space.
pub(crate) fn as_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let odd = |char: char| char.is_control() && !char.is_whitespace();
    (!text.chars().any(odd)).then_some(text)
}

pub(crate) fn hex(bytes: &[u8], max: usize) -> String {
    let shown = &bytes[..max.min(bytes.len())];
    let mut text = String::with_capacity(shown.len() * 2);
    for byte in shown {
        text.extend([byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])));
    }
    if bytes.len() > max {
        text.push('…');
    }
    text
}

/// The whole value in one line, as [`summary`](Value::summary) without a limit.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary(usize::MAX))
    }
}

/// Like [`Value::to_json`].
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

/// The identity of shared content: its address, which nothing else gets as long as this is kept.
#[derive(Debug)]
pub(crate) struct Shared(Weak<dyn std::any::Any>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(self.0.as_ptr(), other.0.as_ptr())
    }
}

impl Eq for Shared {}

impl std::hash::Hash for Shared {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.as_ptr().cast::<()>().hash(state);
    }
}

/// The kind of value that the text of a [`Data::Line`] represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Written {
    /// A text: an identifier, a date, a path, several values of different types.
    Text,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer,
    /// The name of an item of an enum, which has this number.
    Item(u32),
    /// A number with a fraction.
    Real,
    /// Numbers with commas between them, in brackets or without: of a vector, a colour, a CFrame, a list.
    Numbers,
    /// Whole numbers, written like [`Numbers`](Self::Numbers): of a list of indices or counts.
    Integers,
    /// Texts in quotes, as JSON has them, with commas between them: of a list of tags.
    Texts,
}

/// An owned value, with numbers as numbers.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum OwnedValue {
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// A text, or a value that is written as one.
    Text(String),
    /// Bytes that are not text.
    Bytes(Vec<u8>),
    /// The numbers of a vector, a colour, a CFrame.
    Numbers(Vec<f64>),
    /// Values without names.
    List(Vec<Self>),
    /// The content of decoded bytes.
    Fields(Vec<(String, Self)>),
}

impl From<Value> for OwnedValue {
    fn from(value: Value) -> Self {
        match value.data {
            Data::Line(written, text) => Self::of_line(written, &text).unwrap_or(Self::Text(text)),
            Data::Bytes(bytes) => {
                let bytes = Arc::unwrap_or_clone(bytes);
                String::from_utf8(bytes).map_or_else(|error| Self::Bytes(error.into_bytes()), Self::Text)
            }
            Data::List(values) => {
                Self::List(Arc::unwrap_or_clone(values).into_iter().map(Self::from).collect())
            }
            Data::Fields(fields) | Data::Decoded(_, fields) => {
                let fields = Arc::unwrap_or_clone(fields);
                Self::Fields(fields.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
        }
    }
}

impl OwnedValue {
    /// The text of a string, or of a value that is written as one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number; a whole number beyond 2^53 is rounded.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// The value of a line; `None` if it stays text: a text, a whole number beyond 64 bits, or a NaN with unusual bits.
    fn of_line(written: Written, text: &str) -> Option<Self> {
        match written {
            Written::Text => None,
            Written::Bool => text.parse().map(Self::Bool).ok(),
            Written::Integer => text.parse().map(Self::Integer).ok(),
            Written::Item(number) => Some(Self::Integer(number.into())),
            Written::Real => text.parse().map(Self::Real).ok(),
            Written::Numbers => parts(text).map(str::parse).collect::<Result<_, _>>().map(Self::Numbers).ok(),
            Written::Integers => {
                let numbers = parts(text).map(|text| text.parse().map(Self::Integer));
                numbers.collect::<Result<_, _>>().map(Self::List).ok()
            }
            Written::Texts => {
                let texts: Vec<String> = serde_json::from_slice(format!("[{text}]").as_bytes()).ok()?;
                Some(Self::List(texts.into_iter().map(Self::Text).collect()))
            }
        }
    }
}

/// The numbers of a vector or a list.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.trim_matches(['(', ')', '[', ']']).split(", ").filter(|text| !text.is_empty())
}

/// A line as JSON; a number that JSON cannot represent stays text.
fn json_of_line(written: Written, text: &str) -> serde_json::Value {
    let number = |number: f64| serde_json::Number::from_f64(number).map(serde_json::Value::Number);
    let json = match OwnedValue::of_line(written, text) {
        Some(OwnedValue::Real(value)) => number(value),
        Some(OwnedValue::Numbers(values)) => values.into_iter().map(number).collect(),
        // Neither a boolean nor an integer can fail.
        whole => whole.and_then(|whole| serde_json::to_value(whole).ok()),
    };
    json.unwrap_or_else(|| text.into())
}
