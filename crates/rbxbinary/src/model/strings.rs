//! Many strings in one buffer.
#![allow(
    clippy::cast_possible_truncation,
    reason = "strings are shorter than 4 GiB, which adding one checks"
)]

use std::fmt;

use bstr::{BStr, ByteSlice};

#[cfg(feature = "serde")]
use super::Name;
use super::spare::{Spare, with_spare};
use crate::error::{Error, Result};

/// The bytes of a length.
const LENGTH: usize = size_of::<u32>();

/// How long a list can be, with the lengths: what 32 bits can count; in tests, what fits into memory.
pub(crate) const MOST: usize = if cfg!(test) { 1 << 12 } else { u32::MAX as usize };

/// A list of strings in one buffer, each with its length before it, as files have them. To replace or to
/// remove one takes no longer in a long list than in a short one: the others stay where they are.
#[derive(Clone, Default)]
pub struct Strings {
    data: Spare<u8>,
    /// Where each string begins in `data`: at its length.
    starts: Spare<u32>,
    /// How many bytes of `data` no string uses any more.
    unused: usize,
    /// The strings are in `data` in another order than in the list.
    moved: bool,
}

impl Strings {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// A list of strings.
    ///
    /// # Errors
    /// Where all strings together are longer than 4 GiB.
    pub fn from_strings<S: AsRef<[u8]>>(strings: impl IntoIterator<Item = S>) -> Result<Self> {
        let mut list = Self::new();
        strings.into_iter().try_for_each(|string| list.push(string))?;
        Ok(list)
    }

    /// From strings as a file has them, and where each begins.
    pub(crate) fn from_wire(data: Vec<u8>, starts: Vec<u32>) -> Self {
        Self { data: Spare(data), starts: Spare(starts), unused: 0, moved: false }
    }

    /// The strings as a file has them, where `data` has them so.
    pub(crate) fn as_wire(&self) -> Option<&[u8]> {
        (self.unused == 0 && !self.moved).then_some(&self.data)
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// How many bytes all strings together have.
    pub fn total_len(&self) -> usize {
        self.data.len() - self.unused - self.len() * LENGTH
    }

    /// The string with an index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&BStr> {
        let (&length, rest) = self.data.get(*self.starts.get(index)? as usize..)?.split_first_chunk()?;
        rest.get(..u32::from_le_bytes(length) as usize).map(ByteSlice::as_bstr)
    }

    /// The strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &BStr> + Clone {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// Adds a string.
    ///
    /// # Errors
    /// Where all strings together would be longer than 4 GiB.
    pub fn push(&mut self, string: impl AsRef<[u8]>) -> Result<()> {
        let start = self.append(string.as_ref())?;
        self.starts.push(start);
        Ok(())
    }

    /// Replaces a string.
    pub(crate) fn set(&mut self, index: usize, string: &[u8]) -> Result<()> {
        let before = self.get(index).map_or(0, |before| before.len());
        if index >= self.len() {
            return Err(Error::invalid_argument("", format!("no string {index} of {}", self.len())));
        }
        let start = self.append(string)?;
        self.starts[index] = start;
        self.moved = true;
        self.drop_bytes(before);
        Ok(())
    }

    /// Removes a string; the last one takes its index.
    pub(crate) fn swap_remove(&mut self, index: usize) {
        if let Some(string) = self.get(index) {
            let before = string.len();
            self.starts.swap_remove(index);
            self.moved = true;
            self.drop_bytes(before);
        }
    }

    /// Appends to the buffer; where.
    fn append(&mut self, string: &[u8]) -> Result<u32> {
        let fits = |data: &Vec<u8>| data.len() + LENGTH + string.len() <= MOST;
        if !fits(&self.data) {
            self.compact();
        }
        if !fits(&self.data) {
            return Err(Error::invalid_argument("", "strings of more than 4 GiB"));
        }
        let (start, len) = (self.data.len() as u32, string.len() as u32);
        self.data.extend(len.to_le_bytes());
        self.data.extend_from_slice(string);
        Ok(start)
    }

    /// A string of this length is used no more.
    fn drop_bytes(&mut self, len: usize) {
        self.unused += LENGTH + len;
        if self.unused > self.data.len() / 2 {
            self.compact();
        }
    }

    /// Keeps only what is used, in order.
    fn compact(&mut self) {
        if self.unused == 0 {
            return;
        }
        let mut data = Vec::with_capacity(with_spare(self.data.len() - self.unused));
        let mut starts = Vec::with_capacity(with_spare(self.len()));
        for string in self.iter() {
            // No more than before, which had 32 bits.
            starts.push(data.len() as u32);
            data.extend((string.len() as u32).to_le_bytes());
            data.extend_from_slice(string);
        }
        *self = Self::from_wire(data, starts);
    }
}

impl PartialEq for Strings {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Strings {}

impl fmt::Debug for Strings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Strings {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Name::new))
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Strings {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let strings = Vec::<Name>::deserialize(deserializer)?;
        Self::from_strings(strings).map_err(serde::de::Error::custom)
    }
}
