//! Bytes that are usually text, and names that many things share.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

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

/// A name: of a class, a property, an instance or a shared string. A document has one copy of each of its
/// names, and a clone costs nothing.
#[allow(clippy::redundant_allocation, reason = "one word wide, where an `Arc<str>` has two")]
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<Box<str>>);

impl Name {
    /// The name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as bytes.
    pub fn as_bstr(&self) -> &BStr {
        BStr::new(self.as_bytes())
    }
}

impl Default for Name {
    fn default() -> Self {
        Self::from("")
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self(Arc::new(name.into()))
    }
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Self(Arc::new(name.into_boxed_str()))
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}
