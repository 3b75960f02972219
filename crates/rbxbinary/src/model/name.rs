//! The names of properties, which many classes share.

use std::borrow::Borrow;
use std::sync::Arc;

use bstr::{BStr, BString};
use rbxcore::newtype;

/// The name of a property: bytes that are usually text, cheap to copy.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<[u8]>);

impl Name {
    /// A name.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Self(bytes.as_ref().into())
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

newtype!(Name: |bytes| Self::new(bytes));

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
