//! Ids of instances.

use std::fmt;
use std::num::NonZeroU32;

/// The id of an instance in a document. It stays valid across all edits until the instance is removed, and is never
/// reused in the same document. It does not know its document: in another one, it means the instance with the same
/// number, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(NonZeroU32);

impl InstanceId {
    /// The id for a slot; `None` for `u32::MAX`.
    #[doc(hidden)]
    pub fn new(slot: u32) -> Option<Self> {
        NonZeroU32::new(slot.wrapping_add(1)).map(Self)
    }

    #[doc(hidden)]
    pub fn slot(self) -> u32 {
        self.0.get() - 1
    }
}

impl fmt::Debug for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InstanceId({})", self.slot())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for InstanceId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.slot().serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for InstanceId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let slot = u32::deserialize(deserializer)?;
        let reserved = || format!("expected an instance index below 4294967295, found {slot}");
        Self::new(slot).ok_or_else(|| serde::de::Error::custom(reserved()))
    }
}
