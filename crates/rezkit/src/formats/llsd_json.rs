//! LLSD as JSON, without loss: what JSON has no type for is an object with one key that begins with `$`.
//!
//! | LLSD | JSON |
//! |---|---|
//! | undef, boolean, string, array | null, boolean, string, array |
//! | integer | a number without point and exponent |
//! | real | a number with a point or an exponent; `{"$real": "nan"}` where JSON has none |
//! | uuid, date, uri | `{"$uuid": "…"}`, `{"$date": "…"}`, `{"$uri": "…"}` |
//! | binary, a string that is not UTF-8 | `{"$binary": "base64"}`, `{"$string": "base64"}` |
//! | map | object; a key that begins with `$` gets another `$` before it |

use ::llsd::{Map, Value};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map as Object, Number, Value as Json, json};

use rezkit_core::{Error, ErrorKind, Result};

/// The JSON of a value.
///
/// # Errors
/// Where a key is not UTF-8 or is in a map twice.
pub(super) fn write(value: &Value) -> Result<Json> {
    Ok(match value {
        Value::Undef => Json::Null,
        Value::Boolean(value) => (*value).into(),
        Value::Integer(value) => (*value).into(),
        Value::Real(value) => match Number::from_f64(*value) {
            Some(number) => Json::Number(number),
            None if value.is_nan() && value.to_bits() != f64::NAN.to_bits() => {
                json!({ "$real": format!("{:#018x}", value.to_bits()) })
            }
            None => json!({ "$real": value.to_string().to_lowercase() }),
        },
        Value::Uuid(uuid) => json!({ "$uuid": uuid.to_string() }),
        Value::Date(date) => json!({ "$date": date.to_string() }),
        Value::Uri(uri) => match std::str::from_utf8(uri.0.as_bytes()) {
            Ok(text) => json!({ "$uri": text }),
            Err(_) => return Err(lossy("a URI that is not UTF-8")),
        },
        Value::String(text) => match std::str::from_utf8(text.as_bytes()) {
            Ok(text) => text.into(),
            Err(_) => json!({ "$string": BASE64_STANDARD.encode(text.as_bytes()) }),
        },
        Value::Binary(binary) => json!({ "$binary": BASE64_STANDARD.encode(&binary.0) }),
        Value::Array(values) => Json::Array(values.iter().map(write).collect::<Result<_>>()?),
        Value::Map(map) => {
            let mut object = Object::new();
            for (key, value) in map.iter() {
                let key =
                    std::str::from_utf8(key.as_bytes()).map_err(|_| lossy("a key that is not UTF-8"))?;
                let key = if key.starts_with('$') { format!("${key}") } else { key.to_owned() };
                if object.insert(key, write(value)?).is_some() {
                    return Err(lossy("a map with one key twice"));
                }
            }
            Json::Object(object)
        }
    })
}

fn lossy(what: &str) -> Error {
    Error::new(ErrorKind::Unwritable, format!("cannot write {what} as JSON"))
}

/// The value of JSON.
///
/// # Errors
/// Where an integer has more than 32 bits, or an object with a `$` key is not one of those above.
pub(super) fn read(json: &Json) -> Result<Value> {
    Ok(match json {
        Json::Null => Value::Undef,
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::Integer(
                i32::try_from(integer).map_err(|_| wrong(format!("{integer} has more than 32 bits")))?,
            ),
            (None, Some(real)) if number.is_f64() => Value::Real(real),
            _ => return Err(wrong(format!("{number} has more than 32 bits"))),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(values) => Value::Array(values.iter().map(read).collect::<Result<Vec<_>>>()?.into()),
        Json::Object(object) => {
            if let Some((key, Json::String(text))) = object.iter().next().filter(|_| object.len() == 1)
                && let Some(kind) = key.strip_prefix('$')
                && !kind.starts_with('$')
            {
                return special(kind, text);
            }
            let mut map = Map::default();
            for (key, value) in object {
                let key = match key.strip_prefix('$') {
                    Some(rest) if rest.starts_with('$') => rest,
                    Some(_) => return Err(wrong(format!("{key:?} among the keys of an object"))),
                    None => key.as_str(),
                };
                map.push(key, read(value)?);
            }
            Value::Map(map)
        }
    })
}

fn special(kind: &str, text: &str) -> Result<Value> {
    let bad = || wrong(format!("{text:?} as ${kind}"));
    let base64 = || BASE64_STANDARD.decode(text).map_err(|_| bad());
    Ok(match kind {
        "real" => Value::Real(match text.strip_prefix("0x") {
            Some(bits) => f64::from_bits(u64::from_str_radix(bits, 16).map_err(|_| bad())?),
            None => text.parse().map_err(|_| bad())?,
        }),
        "uuid" => Value::Uuid(text.parse().map_err(|_| bad())?),
        "date" => Value::Date(text.parse().map_err(|_| bad())?),
        "uri" => Value::Uri(::llsd::Uri(text.into())),
        "binary" => Value::from(base64()?),
        "string" => Value::from(bstr::BString::from(base64()?)),
        _ => return Err(bad()),
    })
}

fn wrong(what: String) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{what} is not LLSD"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_comes_back() {
        let text = r#"{"a":null,"b":true,"c":-1,"d":1.0,"e":{"$real":"nan"},"f":"text",
            "g":{"$uuid":"6b075707-299a-462f-8576-f558d18e2867"},"h":{"$date":"2006-02-01T14:29:53Z"},
            "i":{"$uri":"http://example.com"},"j":{"$binary":"AAEC"},"k":[1,2.5],"$$l":{"$real":"-inf"}}"#;
        let json: Json = serde_json::from_str(text).expect("JSON");
        let value = read(&json).expect("LLSD");
        let kinds: Vec<_> = value.as_map().expect("a map").values().map(Value::type_name).collect();
        let mut wanted = vec![
            "undef", "boolean", "integer", "real", "real", "string", "uuid", "date", "uri", "binary", "array",
        ];
        wanted.insert(0, "real");
        assert_eq!(kinds, wanted, "objects are in the order of their keys");
        assert_eq!(write(&value).expect("JSON"), json);
        assert!(read(&json!(1_u64 << 40)).is_err() && read(&json!({ "$what": "" })).is_err());
    }
}
