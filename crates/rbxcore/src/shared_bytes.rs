//! Bytes that many values share.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use bstr::BString;

use crate::newtype;
use crate::same::Same;
use geom::wire::by_bits;

/// The bytes of a shared string. A clone shares the bytes: data of many instances is stored, copied and converted once.
#[derive(Clone, Default, Eq)]
pub struct SharedBytes(Arc<Vec<u8>>);

impl SharedBytes {
    /// The size of the allocation beyond the content, in bytes.
    #[doc(hidden)]
    pub const BESIDE: u64 = size_of::<[usize; 5]>() as u64;

    /// The address of the bytes: equal in all clones.
    #[doc(hidden)]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// The bytes, shared.
    pub fn as_arc(&self) -> &Arc<Vec<u8>> {
        &self.0
    }
}

impl PartialEq for SharedBytes {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

by_bits!(==: SharedBytes);

impl From<Arc<Vec<u8>>> for SharedBytes {
    fn from(bytes: Arc<Vec<u8>>) -> Self {
        Self(bytes)
    }
}

newtype!(SharedBytes: |bytes| Self(Arc::new(BString::from(bytes).into())));

/// A cache of facts about shared bytes, by their address.
#[derive(Clone, Debug)]
pub struct Known<T>(HashMap<usize, (Weak<Vec<u8>>, T)>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> Known<T> {
    /// The fact known about these bytes.
    pub fn get(&self, bytes: &SharedBytes) -> Option<&T> {
        self.0.get(&bytes.address()).map(|(_, known)| known)
    }

    /// Remembers a fact about bytes, if they have another owner. The weak reference keeps their address from being
    /// reused.
    pub fn put(&mut self, bytes: &SharedBytes, known: T) {
        if Arc::strong_count(&bytes.0) > 1 {
            self.0.insert(bytes.address(), (Arc::downgrade(&bytes.0), known));
        }
    }
}
