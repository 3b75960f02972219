//! Bytes that are usually text.

use std::fmt;
use std::ops::Deref;

use bstr::{BStr, BString};

/// Bytes that are usually text: as a [`BString`], but without spare capacity, which keeps values small.
///
/// XML is text, but old files contain bytes that are not UTF-8; they are kept as they are.
#[derive(Clone, Default, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Box<[u8]>);

impl Text {
    /// The bytes, to grow.
    pub fn into_vec(self) -> Vec<u8> {
        self.0.into_vec()
    }
}

impl Deref for Text {
    type Target = BStr;
    fn deref(&self) -> &BStr {
        BStr::new(&self.0)
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

macro_rules! into_text {
    ($($from:ty: $value:ident => $bytes:expr),+ $(,)?) => {$(
        impl From<$from> for Text {
            fn from($value: $from) -> Self {
                Self($bytes)
            }
        }
    )+};
}
into_text! {
    &str: text => text.as_bytes().into(),
    &[u8]: bytes => bytes.into(),
    &BStr: bytes => (**bytes).into(),
    String: text => text.into_bytes().into_boxed_slice(),
    Vec<u8>: bytes => bytes.into_boxed_slice(),
    BString: bytes => Vec::from(bytes).into_boxed_slice(),
}

impl From<Text> for BString {
    fn from(text: Text) -> Self {
        text.into_vec().into()
    }
}

impl<T: AsRef<[u8]> + ?Sized> PartialEq<T> for Text {
    fn eq(&self, other: &T) -> bool {
        *self.0 == *other.as_ref()
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Text {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::text::serialize(self, serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::text::deserialize(deserializer)
    }
}
