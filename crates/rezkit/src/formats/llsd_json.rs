//! LLSD as JSON, without loss: a value of a type that JSON lacks is an object with one key that begins with `$`.
//!
//! | LLSD | JSON |
//! |---|---|
//! | undef, boolean, string, array | null, boolean, string, array |
//! | integer | a number without point and exponent |
//! | real | a number with a point or an exponent; `{"$real": "nan"}` if JSON has none |
//! | uuid, date, uri | `{"$uuid": "…"}`, `{"$date": "…"}`, `{"$uri": "…"}`; a date without a text form by its bits, `0x…` |
//! | binary, a string that is not UTF-8 | `{"$binary": "base64"}`, `{"$string": "base64"}` |
//! | map | object, in its order; a key that begins with `$` gets another `$` before it |

use std::collections::HashSet;
use std::fmt;

use crate::options::WriteOptions;
use ::llsd::{Date, Map, Value};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rezkit_core::plain::shorten;
use rezkit_core::{Budget, Error, ErrorKind, Result};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};

/// The JSON of a value, with a line break after it.
///
/// # Errors
/// If a key or a URI is not UTF-8, a map contains a key twice, or the text is too long.
pub(super) fn write(value: &Value, options: &WriteOptions) -> Result<Vec<u8>> {
    Budget::new(options.most().unwrap_or(u64::MAX)).json(&Json(value), "the JSON").map_err(
        |error| match error.kind() {
            ErrorKind::Limit => error,
            _ => Error::unwritable(format!("cannot write {error} as JSON (use binary or notation)")),
        },
    )
}

struct Json<'a>(&'a Value);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Undef => serializer.serialize_unit(),
            Value::Boolean(value) => serializer.serialize_bool(*value),
            Value::Integer(value) => serializer.serialize_i32(*value),
            Value::Real(value) if value.is_finite() => serializer.serialize_f64(*value),
            Value::Real(value) if value.is_nan() && value.to_bits() != f64::NAN.to_bits() => {
                named(serializer, "$real", &format!("{:#018x}", value.to_bits()))
            }
            Value::Real(value) => named(serializer, "$real", &value.to_string().to_lowercase()),
            Value::Uuid(uuid) => named(serializer, "$uuid", &uuid.to_string()),
            Value::Date(date) => {
                // Dates beyond the calendar, and fractions of seconds that a text would lose, are written as bits.
                let text = date.to_string();
                let again = text.parse::<Date>().ok().filter(|again| again.0.to_bits() == date.0.to_bits());
                let bits = || format!("{:#018x}", date.0.to_bits());
                named(serializer, "$date", &again.map_or_else(bits, |_| text.clone()))
            }
            Value::Uri(uri) => match std::str::from_utf8(uri.0.as_bytes()) {
                Ok(text) => named(serializer, "$uri", text),
                Err(_) => Err(S::Error::custom(not_text("URI", uri.0.as_bytes()))),
            },
            Value::String(text) => match std::str::from_utf8(text.as_bytes()) {
                Ok(text) => serializer.serialize_str(text),
                Err(_) => named(serializer, "$string", &BASE64_STANDARD.encode(text.as_bytes())),
            },
            Value::Binary(binary) => named(serializer, "$binary", &BASE64_STANDARD.encode(&binary.0)),
            Value::Array(values) => serializer.collect_seq(values.iter().map(Json)),
            Value::Map(map) => {
                let mut keys = HashSet::new();
                let mut object = serializer.serialize_map(Some(map.len()))?;
                for (key, value) in map.iter() {
                    let text = std::str::from_utf8(key.as_bytes());
                    let key = text.map_err(|_| S::Error::custom(not_text("key", key.as_bytes())))?;
                    if !keys.insert(key) {
                        return Err(S::Error::custom(format_args!("a map with the duplicate key {key:?}")));
                    }
                    match key.starts_with('$') {
                        true => object.serialize_entry(&format!("${key}"), &Json(value))?,
                        false => object.serialize_entry(key, &Json(value))?,
                    }
                }
                object.end()
            }
        }
    }
}

/// The words about a text that is not UTF-8, for [`write`]'s error.
fn not_text(what: &str, bytes: &[u8]) -> String {
    let shown = shorten(&String::from_utf8_lossy(bytes), 60);
    format!("the {what} {shown:?}, which is not UTF-8,")
}

/// An object with one key.
fn named<S: Serializer>(serializer: S, key: &str, text: &str) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_map(Some(1))?;
    object.serialize_entry(key, text)?;
    object.end()
}

/// The LLSD value of JSON, and the number of bytes of memory that it takes.
///
/// # Errors
/// With the path of the value at fault: if the JSON is broken, an integer has more than 32 bits, an object contains a
/// key twice, an object with a `$` key is not one of those above, or the value needs more than `max_bytes`.
pub(super) fn read(bytes: &[u8], max_bytes: u64) -> Result<(Value, u64)> {
    let mut reading =
        Reading { budget: Budget::new(max_bytes), path: String::new(), limit: None, numbers: bytes };
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = Seed(&mut reading).deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    let read = read.map(|value| (value, max_bytes - reading.budget.left()));
    read.map_err(|error| {
        // Other errors are those of this module.
        let is_json = !(error.is_syntax() || error.is_eof());
        let text = if is_json { error.to_string() } else { format!("cannot be read as JSON: {error}") };
        let error = reading.limit.take().unwrap_or_else(|| Error::unreadable(text));
        if reading.path.is_empty() { error } else { error.at(reading.path) }
    })
}

/// The remaining budget, the path of the value being read, and the text after the last large number.
struct Reading<'a> {
    budget: Budget,
    path: String,
    limit: Option<Error>,
    numbers: &'a [u8],
}

impl Reading<'_> {
    /// The text of the next number in the text that has more than 63 bits.
    fn large(&mut self) -> Option<&str> {
        let mut in_string = false;
        while let Some((&first, rest)) = self.numbers.split_first() {
            match first {
                b'"' => in_string = !in_string,
                b'\\' if in_string => {
                    self.numbers = rest.get(1..)?;
                    continue;
                }
                b'-' | b'0'..=b'9' if !in_string => {
                    let is_end = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                    let end = self.numbers.iter().position(is_end).unwrap_or(self.numbers.len());
                    let (number, rest) = self.numbers.split_at(end);
                    self.numbers = rest;
                    let text = std::str::from_utf8(number).ok()?;
                    if text.parse::<f64>().is_ok_and(|number| number.abs() >= LARGE) {
                        return Some(text);
                    }
                    continue;
                }
                _ => {}
            }
            self.numbers = rest;
        }
        None
    }

    /// Takes the memory of a value with a text of this length.
    fn take<E: serde::de::Error>(&mut self, length: usize) -> Result<(), E> {
        self.budget.take((size_of::<Value>() + 2 * length) as u64, "the JSON values").map_err(|error| {
            let text = E::custom(&error);
            self.limit = Some(error);
            text
        })
    }

    /// Reads a part of the value, and restores the path afterwards unless reading fails.
    fn part<T, E>(&mut self, step: &str, read: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        let length = self.path.len();
        if length > 0 {
            self.path.push('/');
        }
        self.path.push_str(step);
        let value = read(self)?;
        self.path.truncate(length);
        Ok(value)
    }
}

/// 2^63: JSON's integers from here on are read as floats.
const LARGE: f64 = 9_223_372_036_854_775_808.0;

fn not_an_integer<E: serde::de::Error>(found: impl fmt::Display) -> E {
    E::custom(format!("expected a 32-bit integer, or a real such as {found}.0, found {found}"))
}

struct Seed<'r, 'a>(&'r mut Reading<'a>);

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Value, E> {
        self.0.take(0).map(|()| Value::Undef)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Value, E> {
        self.0.take(0).map(|()| Value::Boolean(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        self.0.take(0)?;
        i32::try_from(value).map(Value::Integer).map_err(|_| not_an_integer(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        i64::try_from(value).map_err(|_| not_an_integer(value)).and_then(|value| self.visit_i64(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let large = (value.abs() >= LARGE).then(|| self.0.large()).flatten();
        if let Some(integer) = large.filter(|text| !text.contains(['.', 'e', 'E'])) {
            return Err(not_an_integer(integer));
        }
        self.0.take(0).map(|()| Value::Real(value))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        self.0.take(text.len()).map(|()| Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.0.take(0)?;
        let mut values = Vec::new();
        while let Some(value) =
            self.0.part(&values.len().to_string(), |reading| access.next_element_seed(Seed(reading)))?
        {
            // The capacity of the list doubles.
            self.0.take(size_of::<Value>() / 2)?;
            values.push(value);
        }
        Ok(Value::Array(values.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let Self(reading) = self;
        reading.take(0)?;
        let (mut map, mut keys) = (Map::default(), HashSet::new());
        while let Some(key) = access.next_key::<String>()? {
            // The entry, and the name in `keys`; the capacity of both lists doubles.
            reading.take(3 * size_of::<(String, Value)>() + 2 * key.len())?;
            let value = reading.part(&key, |reading| access.next_value_seed(Seed(reading)))?;
            let name = match key.strip_prefix('$') {
                Some(rest) if rest.starts_with('$') => rest,
                Some(kind) => {
                    let text = match &value {
                        Value::String(text) if map.is_empty() => std::str::from_utf8(text.as_bytes()).ok(),
                        _ => None,
                    };
                    let found = text.and_then(|text| special(kind, text));
                    let wrong = text.filter(|_| found.is_none());
                    let found =
                        found.filter(|_| access.next_key::<String>().is_ok_and(|next| next.is_none()));
                    return found.ok_or_else(|| {
                        let instead = match &value {
                            Value::String(_) => "another key".to_owned(),
                            other => format!("a value of type {}", other.type_name()),
                        };
                        A::Error::custom(misused(&key, wrong, &instead))
                    });
                }
                None => key.as_str(),
            };
            if !keys.insert(name.to_owned()) {
                return Err(A::Error::custom(format!("duplicate key {key:?}")));
            }
            map.push(name, value);
        }
        Ok(Value::Map(map))
    }
}

/// A number from the text of its bits, `0x…`.
fn bits(text: &str) -> Option<f64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok().map(f64::from_bits)
}

/// The text about an object with a key that begins with one `$`; `wrong` is the value of the key if it is a text that
/// does not fit the type, `instead` what else was found.
fn misused(key: &str, wrong: Option<&str>, instead: &str) -> String {
    let kind = key.trim_start_matches('$');
    let form = match kind {
        "date" => " (such as 2024-12-31T23:59:59Z)",
        "binary" | "string" => " (in Base64)",
        "real" | "uuid" | "uri" => "",
        _ => {
            return format!(
                "expected an LLSD value such as {{\"$uri\": \"…\"}} or, for a map, the key \"${key}\", found an \
                 object with the key {key:?}"
            );
        }
    };
    match wrong {
        Some(text) => {
            let text = shorten(text, 80);
            format!("expected a value of type {kind}{form} for the key {key:?}, found {text:?}")
        }
        None => format!(
            "expected an object whose only key is {key:?} and whose only value is a string, found {instead}"
        ),
    }
}

/// The value of a type that JSON does not have.
fn special(kind: &str, text: &str) -> Option<Value> {
    Some(match kind {
        "real" => Value::Real(bits(text).map_or_else(|| text.parse().ok(), Some)?),
        "uuid" => Value::Uuid(text.parse().ok()?),
        "date" => Value::Date(bits(text).map_or_else(|| text.parse().ok(), |bits| Some(Date(bits)))?),
        "uri" => Value::Uri(::llsd::Uri(text.into())),
        "binary" => Value::from(BASE64_STANDARD.decode(text).ok()?),
        "string" => Value::from(bstr::BString::from(BASE64_STANDARD.decode(text).ok()?)),
        _ => return None,
    })
}
