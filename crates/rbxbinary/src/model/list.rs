//! Many values of varying length in one buffer.

use std::fmt;
use std::ops::Range;

use bstr::{BStr, ByteSlice};

/// A list of strings, in one buffer: their bytes one after the other, and behind them, where each
/// ends.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Strings {
    /// The strings, and an end of four bytes for each.
    buffer: Vec<u8>,
    len: u32,
}

/// How many bytes an end takes.
const END: usize = size_of::<u32>();

impl Strings {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// From a buffer of strings and their ends, which the reader has just laid out.
    pub(crate) fn from_buffer(buffer: Vec<u8>, len: u32) -> Self {
        Self { buffer, len }
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes all strings together have.
    pub fn total_len(&self) -> usize {
        self.buffer.len().saturating_sub(self.len() * END)
    }

    /// From where to where the string with an index goes.
    fn range(&self, index: usize) -> Option<Range<usize>> {
        if index >= self.len() {
            return None;
        }
        let ends = self.buffer.get(self.total_len()..)?.as_chunks().0;
        let end = |index: usize| ends.get(index).map(|&end| u32::from_le_bytes(end) as usize);
        let start = if index == 0 { 0 } else { end(index - 1)? };
        Some(start..end(index)?)
    }

    /// The string with an index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&BStr> {
        self.buffer.get(self.range(index)?).map(ByteSlice::as_bstr)
    }

    /// The strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &BStr> {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// Adds a string. Each time, the ends of all strings move: collect where there are many.
    ///
    /// # Panics
    /// Where all strings together are longer than 4 GiB.
    pub fn push(&mut self, string: impl AsRef<[u8]>) {
        assert!(self.try_push(string.as_ref()), "strings of a column are at most 4 GiB long");
    }

    /// Adds a string; false, and nothing is added, where 32 bits can count no further.
    pub(crate) fn try_push(&mut self, string: &[u8]) -> bool {
        let place = self.total_len();
        let (Ok(end), Some(len)) = (u32::try_from(place + string.len()), self.len.checked_add(1)) else {
            return false;
        };
        self.buffer.reserve(string.len() + END);
        self.buffer.splice(place..place, string.iter().copied());
        self.buffer.extend(end.to_le_bytes());
        self.len = len;
        true
    }

    /// Replaces a string; false, and nothing changes, where there is none with this index, or where
    /// 32 bits can count no further.
    pub(crate) fn try_set(&mut self, index: usize, string: &[u8]) -> bool {
        let Some(range) = self.range(index) else { return false };
        let (before, after) = (range.len(), string.len());
        if u32::try_from(self.total_len() - before + after).is_err() {
            return false;
        }
        self.buffer.splice(range, string.iter().copied());
        let ends = self.total_len();
        for bytes in self.buffer[ends..].as_chunks_mut::<END>().0.iter_mut().skip(index) {
            let end = u32::from_le_bytes(*bytes) as usize - before + after;
            // Within 32 bits, as the greatest of them is.
            *bytes = u32::try_from(end).unwrap_or(u32::MAX).to_le_bytes();
        }
        true
    }

    /// Keeps the strings for which this is true.
    pub(crate) fn retain_rows(&mut self, keep: &[bool]) {
        let kept = self.iter().enumerate().filter(|(index, _)| keep.get(*index) != Some(&false));
        *self = kept.map(|(_, string)| string).collect();
    }

    /// Adds all strings of another list; false where 32 bits can count no further.
    pub(crate) fn append(&mut self, other: &Self) -> bool {
        let fits = u32::try_from(self.total_len() + other.total_len()).is_ok();
        if fits && self.len.checked_add(other.len).is_some() {
            *self = self.iter().chain(other.iter()).collect();
        }
        fits
    }
}

impl<S: AsRef<[u8]>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        let (mut buffer, mut ends) = (Vec::new(), Vec::new());
        for string in strings {
            buffer.extend_from_slice(string.as_ref());
            let end = u32::try_from(buffer.len()).expect("strings of a column are at most 4 GiB long");
            ends.push(end.to_le_bytes());
        }
        let len = u32::try_from(ends.len()).expect("a column has at most 2^32 strings");
        buffer.reserve_exact(ends.len() * END);
        buffer.extend_from_slice(ends.as_flattened());
        Self { buffer, len }
    }
}

impl<S: AsRef<[u8]>> Extend<S> for Strings {
    fn extend<I: IntoIterator<Item = S>>(&mut self, strings: I) {
        let added: Self = strings.into_iter().collect();
        assert!(self.append(&added), "strings of a column are at most 4 GiB long");
    }
}

impl fmt::Debug for Strings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A list of lists of keypoints: all of them one after the other, and where each list ends.
#[derive(Clone, Default, PartialEq)]
pub struct Sequences<K> {
    keypoints: Vec<K>,
    ends: Vec<u32>,
}

impl<K: Clone> Sequences<K> {
    /// An empty list.
    pub fn new() -> Self {
        Self { keypoints: Vec::new(), ends: Vec::new() }
    }

    /// From parts whose capacity was taken from a budget.
    pub(crate) fn from_buffers(keypoints: Vec<K>, ends: Vec<u32>) -> Self {
        Self { keypoints, ends }
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many keypoints all lists together have.
    pub fn total_len(&self) -> usize {
        self.keypoints.len()
    }

    fn range(&self, index: usize) -> Option<Range<usize>> {
        let end = *self.ends.get(index)? as usize;
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)? as usize,
            None => 0,
        };
        Some(start..end)
    }

    /// The keypoints of the list with an index.
    pub fn get(&self, index: usize) -> Option<&[K]> {
        self.keypoints.get(self.range(index)?)
    }

    /// The lists in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[K]> {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// Adds a list.
    ///
    /// # Panics
    /// Where all lists together have more than 2^32 keypoints.
    pub fn push(&mut self, keypoints: impl AsRef<[K]>) {
        assert!(self.try_push(keypoints.as_ref()), "lists of a column have at most 2^32 keypoints");
    }

    /// Adds a list; false, and nothing is added, where 32 bits can count no further.
    pub(crate) fn try_push(&mut self, keypoints: &[K]) -> bool {
        let Ok(end) = u32::try_from(self.keypoints.len() + keypoints.len()) else { return false };
        self.keypoints.extend_from_slice(keypoints);
        self.ends.push(end);
        true
    }

    /// Replaces a list; false, and nothing changes, where there is none with this index, or where 32
    /// bits can count no further.
    pub(crate) fn try_set(&mut self, index: usize, keypoints: &[K]) -> bool {
        let Some(range) = self.range(index) else { return false };
        let (before, after) = (range.len(), keypoints.len());
        if u32::try_from(self.keypoints.len() - before + after).is_err() {
            return false;
        }
        self.keypoints.splice(range, keypoints.iter().cloned());
        for end in self.ends.iter_mut().skip(index) {
            // Within 32 bits, as the greatest of them is.
            *end = u32::try_from(*end as usize - before + after).unwrap_or(u32::MAX);
        }
        true
    }

    /// Keeps the lists for which this is true.
    pub(crate) fn retain_rows(&mut self, keep: &[bool]) {
        let kept = self.iter().enumerate().filter(|(index, _)| keep.get(*index) != Some(&false));
        *self = kept.map(|(_, list)| list).collect();
    }
}

impl<K: Clone, S: AsRef<[K]>> FromIterator<S> for Sequences<K> {
    fn from_iter<I: IntoIterator<Item = S>>(lists: I) -> Self {
        let mut list = Self::new();
        lists.into_iter().for_each(|keypoints| list.push(keypoints));
        list
    }
}

impl<K: Clone + fmt::Debug> fmt::Debug for Sequences<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(feature = "serde")]
mod serde_impls {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Sequences, Strings};
    use crate::text::Text;

    impl Serialize for Strings {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.iter().map(|string| Text(Cow::Borrowed(string))))
        }
    }

    impl<'de> Deserialize<'de> for Strings {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let list = Vec::<Text<'static>>::deserialize(deserializer)?;
            Ok(list.iter().map(|text| text.0.as_ref()).collect())
        }
    }

    impl<K: Clone + Serialize> Serialize for Sequences<K> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.iter())
        }
    }

    impl<'de, K: Clone + Deserialize<'de>> Deserialize<'de> for Sequences<K> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Ok(Vec::<Vec<K>>::deserialize(deserializer)?.into_iter().collect())
        }
    }
}
