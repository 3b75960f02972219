//! Bytes that are usually text, as serde sees them: a string if they are UTF-8, a list of bytes
//! if they are not; bytes in binary formats.

use std::fmt;

use bstr::{BString, ByteSlice};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::ser::Serializer;

/// For `#[serde(with = "crate::text")]`.
pub fn serialize<S: Serializer>(bytes: impl AsRef<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
    let bytes = bytes.as_ref();
    match bytes.to_str() {
        _ if !serializer.is_human_readable() => serializer.serialize_bytes(bytes),
        Ok(text) => serializer.serialize_str(text),
        Err(_) => serializer.collect_seq(bytes),
    }
}

/// For `#[serde(with = "crate::text")]`.
pub fn deserialize<'de, T: From<BString>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Bytes;
    impl<'de> Visitor<'de> for Bytes {
        type Value = BString;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string or a list of bytes")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<BString, E> {
            Ok(text.into())
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<BString, E> {
            Ok(bytes.into())
        }

        fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<BString, E> {
            Ok(bytes.into())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<BString, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = list.next_element()? {
                bytes.push(byte);
            }
            Ok(bytes.into())
        }
    }
    let bytes = match deserializer.is_human_readable() {
        true => deserializer.deserialize_any(Bytes),
        false => deserializer.deserialize_byte_buf(Bytes),
    }?;
    Ok(bytes.into())
}
