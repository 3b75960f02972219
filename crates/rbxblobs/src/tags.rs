//! `Tags`: names separated by zero bytes.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing))]

use bstr::{BString, ByteSlice};

use crate::bytes::{Bytes, Layout};
use geom::wire::{Error, Result};

/// The tags of an instance, in order: the bytes of the property `Tags`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Tags(pub Vec<BString>);

impl Layout for Tags {
    const NAME: &'static str = "Tags";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        let text = bytes.rest();
        if text.is_empty() {
            return Ok(Self::default());
        }
        let count = text.split_str(b"\0").count();
        let mut tags = bytes.vec(count)?;
        bytes.charge(text.len() as u64)?;
        tags.extend(text.split_str(b"\0").map(BString::from));
        Ok(Self(tags))
    }
}

impl Tags {
    /// The bytes of the property.
    ///
    /// # Errors
    /// If a tag has a zero byte, or if there is only one tag and it is empty, which would be read as no tag.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let wrong = |index, what| Err(Error::unwritable(format!("Tags[{index}]"), what));
        if let Some(index) = self.0.iter().position(|tag| tag.contains(&0)) {
            return wrong(index, "a tag that contains a zero byte");
        }
        if matches!(&*self.0, [only] if only.is_empty()) {
            return wrong(0, "a list whose only tag is empty (it would be read back as an empty list)");
        }
        Ok(bstr::join(b"\0", &self.0))
    }
}

#[cfg(test)]
#[path = "../tests/inside/tags.rs"]
mod tests;
