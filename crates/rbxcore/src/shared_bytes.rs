//! Bytes that many values share.

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use bstr::{BStr, BString};

use crate::same::Same;
use geom::wire::by_bits;

/// The bytes of a shared string. A clone is the same bytes and not a copy of them : what many instances share is stored, copied and converted once.
#[derive(Clone, Default, Eq)]
pub struct SharedBytes(Arc<Vec<u8>>);

impl SharedBytes {
    /// How many bytes the allocation has in addition to the content.
    #[doc(hidden)]
    pub const BESIDE: u64 = size_of::<[usize; 5]>() as u64;

    /// Where the bytes are: equal in all clones.
    #[doc(hidden)]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// The bytes, shared.
    pub fn as_arc(&self) -> &Arc<Vec<u8>> {
        &self.0
    }
}

impl Deref for SharedBytes {
    type Target = BStr;

    fn deref(&self) -> &BStr {
        BStr::new(self.0.as_slice())
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl PartialEq for SharedBytes {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

by_bits!(==: SharedBytes);

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl From<Arc<Vec<u8>>> for SharedBytes {
    fn from(bytes: Arc<Vec<u8>>) -> Self {
        Self(bytes)
    }
}

macro_rules! into_shared_bytes {
    ($($from:ty),+ $(,)?) => {$(
        impl From<$from> for SharedBytes {
            fn from(bytes: $from) -> Self {
                Self(Arc::new(BString::from(bytes).into()))
            }
        }
    )+};
}
into_shared_bytes!(&str, &[u8], &BStr, String, Vec<u8>, BString);

#[cfg(feature = "serde")]
impl serde::Serialize for SharedBytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::text::serialize(self, serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for SharedBytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::text::deserialize(deserializer)
    }
}

/// What is known of shared bytes, found by where they are: without a look at them.
#[derive(Clone, Debug)]
pub struct Known<T>(HashMap<usize, (Weak<Vec<u8>>, T)>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> Known<T> {
    /// What is known of some bytes.
    pub fn get(&self, bytes: &SharedBytes) -> Option<&T> {
        self.0.get(&bytes.address()).map(|(_, known)| known)
    }

    /// Remembers it, where somebody else has the same bytes. As long as it is remembered nothing else is at their address.
    pub fn put(&mut self, bytes: &SharedBytes, known: T) {
        if Arc::strong_count(&bytes.0) > 1 {
            self.0.insert(bytes.address(), (Arc::downgrade(&bytes.0), known));
        }
    }
}
