//! Bytes that are usually text, as serde sees them: a string where they are UTF-8, a list of bytes
//! where they are not; bytes in formats that nobody reads by eye.

use std::borrow::Cow;
use std::fmt;

use bstr::{BStr, BString, ByteSlice};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// A wrapper that serialises as text.
pub(crate) struct Text<'a>(pub(crate) Cow<'a, BStr>);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            _ if !serializer.is_human_readable() => serializer.serialize_bytes(&self.0),
            Ok(text) => serializer.serialize_str(text),
            Err(_) => serializer.collect_seq(self.0.iter()),
        }
    }
}

impl<'de> Deserialize<'de> for Text<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
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
        Ok(Self(Cow::Owned(bytes)))
    }
}

pub(crate) fn serialize<S: Serializer>(bytes: &BString, serializer: S) -> Result<S::Ok, S::Error> {
    Text(Cow::Borrowed(bytes.as_bstr())).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BString, D::Error> {
    Text::deserialize(deserializer).map(|text| text.0.into_owned())
}
