//! LLSD values in serde, without loss: as the bytes of binary LLSD. Formats such as JSON have no binaries, UUIDs or
//! dates, and would return arrays and strings in their place.

use llsd::{Map, Value};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

fn to_bytes<E: serde::ser::Error>(value: &Value) -> Result<Vec<u8>, E> {
    llsd::write_binary(value).map_err(E::custom)
}

fn from_bytes<E: serde::de::Error>(bytes: &[u8]) -> Result<Value, E> {
    llsd::read_binary(bytes).map_err(E::custom)
}

/// `#[serde(with = "crate::exact::map")]`; an empty map has no bytes.
pub(crate) mod map {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(map: &Map, serializer: S) -> Result<S::Ok, S::Error> {
        match map.is_empty() {
            true => Vec::<u8>::new().serialize(serializer),
            false => to_bytes::<S::Error>(&Value::Map(map.clone()))?.serialize(serializer),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map, D::Error> {
        let bytes = Vec::<u8>::deserialize(deserializer)?;
        if bytes.is_empty() {
            return Ok(Map::new());
        }
        match from_bytes::<D::Error>(&bytes)? {
            Value::Map(map) => Ok(map),
            other => {
                Err(D::Error::custom(format!("expected a map in binary LLSD, found {}", other.type_name())))
            }
        }
    }
}

/// `#[serde(with = "crate::exact::value")]`.
pub(crate) mod value {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = value.as_ref().map(to_bytes::<S::Error>).transpose().map_err(S::Error::custom)?;
        bytes.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
        let bytes = Option::<Vec<u8>>::deserialize(deserializer)?;
        bytes.map(|bytes| from_bytes::<D::Error>(&bytes)).transpose()
    }
}
