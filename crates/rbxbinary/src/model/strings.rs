//! Many strings in one buffer.
#![allow(
    clippy::cast_possible_truncation,
    reason = "strings are shorter than 4 GiB, which adding one checks"
)]

use std::fmt;

use bstr::{BStr, ByteSlice};

#[cfg(feature = "serde")]
use super::Name;
use geom::wire::{Error, Problem, Refuse as _, Result};
use rbxcore::parts::spare::{Spare, with_spare};

/// The size of a length.
const LENGTH: usize = size_of::<u32>();

/// The maximum size of a list in bytes, including the lengths: limited by offsets of 32 bits; smaller in tests.
pub(crate) const MOST: usize = if cfg!(test) { 1 << 12 } else { u32::MAX as usize };

/// A list of at most this many strings needs no table as long as it is in order: walking over the strings is fast.
pub(crate) const FEW: usize = 8;

/// A list of strings in one buffer, each preceded by its length, as in files. Replacing or removing a string takes
/// constant time, since the others do not move.
#[derive(Clone, Default)]
pub struct Strings {
    data: Spare<u8>,
    /// Absent if there are at most [`FEW`] strings and they are in order: most columns have few values, and are then
    /// read with one allocation.
    table: Option<Box<Table>>,
}

#[derive(Clone, Default)]
struct Table {
    /// The offset in the buffer of each string's length.
    starts: Spare<u32>,
    /// The number of unused bytes in the buffer. If it is not 0, the order of the strings in the buffer may differ from
    /// that of the list.
    unused: usize,
}

/// The size of a table without its offsets, in bytes.
pub(crate) const TABLE: u64 = size_of::<Table>() as u64;

/// The offsets of the strings in a buffer without unused bytes.
fn starts(data: &[u8]) -> impl Iterator<Item = u32> {
    let mut rest = data;
    std::iter::from_fn(move || {
        let start = data.len() - rest.len();
        let (&length, after) = rest.split_first_chunk()?;
        rest = after.get(u32::from_le_bytes(length) as usize..)?;
        Some(start as u32)
    })
}

impl Strings {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// A list of strings.
    ///
    /// # Errors
    /// If all strings together are longer than 4 GiB.
    pub fn from_strings<S: AsRef<[u8]>>(strings: impl IntoIterator<Item = S>) -> Result<Self> {
        let mut list = Self::new();
        strings.into_iter().try_for_each(|string| list.push(string))?;
        Ok(list)
    }

    /// A list from strings as stored in a file, and the offset of each; `starts` may be empty for at most [`FEW`]
    /// strings.
    pub(crate) fn from_wire(data: Vec<u8>, starts: Vec<u32>) -> Self {
        let has_table = !starts.is_empty();
        let table = Table { starts: Spare(starts), unused: 0 };
        Self { data: Spare(data), table: has_table.then(|| Box::new(table)) }
    }

    /// The strings as stored in a file, if the buffer has no unused bytes.
    pub(crate) fn as_wire(&self) -> Option<&[u8]> {
        (self.unused() == 0).then_some(&self.data)
    }

    fn unused(&self) -> usize {
        self.table.as_ref().map_or(0, |table| table.unused)
    }

    fn table(&mut self) -> &mut Table {
        let data = &self.data;
        self.table.get_or_insert_with(|| Box::new(Table { starts: Spare(starts(data).collect()), unused: 0 }))
    }

    /// The number of strings.
    pub fn len(&self) -> usize {
        self.table.as_ref().map_or_else(|| starts(&self.data).count(), |table| table.starts.len())
    }

    /// Whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of bytes of all strings.
    pub fn total_len(&self) -> usize {
        self.data.len() - self.unused() - self.len() * LENGTH
    }

    /// The string with an index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&BStr> {
        let start = match &self.table {
            Some(table) => table.starts.get(index).copied(),
            None => starts(&self.data).nth(index),
        };
        let (&length, rest) = self.data.get(start? as usize..)?.split_first_chunk()?;
        rest.get(..u32::from_le_bytes(length) as usize).map(ByteSlice::as_bstr)
    }

    /// The strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &BStr> + Clone {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// Adds a string.
    ///
    /// # Errors
    /// If all strings together would be longer than 4 GiB.
    pub fn push(&mut self, string: impl AsRef<[u8]>) -> Result<()> {
        if self.len() == FEW {
            self.table();
        }
        let start = self.append(string.as_ref())?;
        if let Some(table) = &mut self.table {
            table.starts.push(start);
        }
        Ok(())
    }

    /// Replaces a string.
    pub(crate) fn set(&mut self, index: usize, string: &[u8]) -> Result<()> {
        let Some(before) = self.get(index).map(|before| before.len()) else {
            return Err(Problem::reference("string", index as u64, self.len())).argument("");
        };
        self.table();
        let start = self.append(string)?;
        self.table().starts[index] = start;
        self.drop_bytes(before);
        Ok(())
    }

    /// Removes a string; the last one takes its index.
    pub(crate) fn swap_remove(&mut self, index: usize) {
        if let Some(before) = self.get(index).map(|before| before.len()) {
            self.table().starts.swap_remove(index);
            self.drop_bytes(before);
        }
    }

    /// Appends to the buffer; returns the offset.
    fn append(&mut self, string: &[u8]) -> Result<u32> {
        let fits = |data: &Vec<u8>| data.len() + LENGTH + string.len() <= MOST;
        if !fits(&self.data) {
            self.compact();
        }
        if !fits(&self.data) {
            return Err(Error::invalid_argument("", "the strings of a property would exceed 4 GiB"));
        }
        let (start, len) = (self.data.len() as u32, string.len() as u32);
        self.data.extend(len.to_le_bytes());
        self.data.extend_from_slice(string);
        Ok(start)
    }

    /// Marks a string of this length as unused.
    fn drop_bytes(&mut self, len: usize) {
        let table = self.table();
        table.unused += LENGTH + len;
        if table.unused > self.data.len() / 2 {
            self.compact();
        }
    }

    /// Keeps only used strings, in order.
    fn compact(&mut self) {
        if self.unused() == 0 {
            return;
        }
        let mut data = Vec::with_capacity(with_spare(self.data.len() - self.unused()));
        let mut starts = Vec::with_capacity(with_spare(self.len()));
        for string in self.iter() {
            // The offsets are not greater than before, so they fit into 32 bits.
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
