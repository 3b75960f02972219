//! The names of properties, which many classes share.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};

/// The name of a property: bytes that are usually text, cheap to copy.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<[u8]>);

impl Name {
    /// A name.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Self(bytes.as_ref().into())
    }
}

impl Deref for Name {
    type Target = BStr;

    fn deref(&self) -> &BStr {
        self.0.as_bstr()
    }
}

impl Borrow<[u8]> for Name {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl Default for Name {
    fn default() -> Self {
        Self::new("")
    }
}

impl AsRef<[u8]> for Name {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

macro_rules! from {
    ($($kind:ty),+) => {$(
        impl From<$kind> for Name {
            fn from(bytes: $kind) -> Self {
                Self::new(bytes)
            }
        }
    )+};
}
from!(&str, String, &[u8], Vec<u8>, BString, &BStr);

macro_rules! equal {
    ($($kind:ty),+) => {$(
        impl PartialEq<$kind> for Name {
            fn eq(&self, other: &$kind) -> bool {
                let other: &[u8] = other.as_ref();
                *self.0 == *other
            }
        }
    )+};
}
equal!(str, &str, [u8], &[u8], BStr, &BStr, BString);

#[cfg(feature = "serde")]
impl serde::Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        rbxcore::text::serialize(self, serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Name {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        rbxcore::text::deserialize(deserializer)
    }
}
