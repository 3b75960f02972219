//! Bytes that are usually text.

use bstr::BString;

use crate::newtype;

/// Bytes that are usually text: like a [`BString`], but without spare capacity, which keeps values small.
///
/// XML is text, but old files contain bytes that are not UTF-8; they are kept as they are.
#[derive(Clone, Default, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Box<[u8]>);

impl Text {
    /// The bytes as a vector.
    pub fn into_vec(self) -> Vec<u8> {
        self.0.into_vec()
    }
}

newtype!(Text: |bytes| Self(Vec::from(BString::from(bytes)).into_boxed_slice()));

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
