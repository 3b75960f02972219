//! Many values of varying length in one buffer.

use std::fmt;

use bstr::{BStr, ByteSlice};

/// A list of strings: their bytes one after the other, and where each ends.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Strings {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

/// A list of lists of keypoints: all of them one after the other, and where each list ends.
#[derive(Clone, Default, PartialEq)]
pub struct Sequences<K> {
    keypoints: Vec<K>,
    ends: Vec<u32>,
}

/// From where to where the element with an index goes.
fn range(ends: &[u32], index: usize) -> Option<std::ops::Range<usize>> {
    let end = *ends.get(index)? as usize;
    let start = match index.checked_sub(1) {
        Some(before) => *ends.get(before)? as usize,
        None => 0,
    };
    Some(start..end)
}

macro_rules! list {
    ([$($generic:tt)*] $name:ty, $items:ident: $item:ty) => {
        impl<$($generic)*> $name {
            /// An empty list.
            pub fn new() -> Self {
                Self { $items: Vec::new(), ends: Vec::new() }
            }

            /// From parts whose capacity was taken from a budget.
            pub(crate) fn from_buffers($items: Vec<$item>, ends: Vec<u32>) -> Self {
                Self { $items, ends }
            }

            /// How many elements there are.
            pub fn len(&self) -> usize {
                self.ends.len()
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.ends.is_empty()
            }

            fn slice(&self, index: usize) -> Option<&[$item]> {
                self.$items.get(range(&self.ends, index)?)
            }

            /// Adds an element; false, and nothing is added, where 32 bits can count no further.
            pub(crate) fn try_push(&mut self, element: &[$item]) -> bool {
                match u32::try_from(self.$items.len() + element.len()) {
                    Ok(end) => {
                        self.$items.extend_from_slice(element);
                        self.ends.push(end);
                        true
                    }
                    Err(_) => false,
                }
            }

            /// Replaces an element; false, and nothing changes, where there is none with this index,
            /// or where 32 bits can count no further.
            pub(crate) fn try_set(&mut self, index: usize, element: &[$item]) -> bool {
                let Some(range) = range(&self.ends, index) else { return false };
                let (before, after) = (range.len(), element.len());
                let grown = self.$items.len() - before + after;
                if u32::try_from(grown).is_err() {
                    return false;
                }
                self.$items.splice(range, element.iter().cloned());
                for end in self.ends.iter_mut().skip(index) {
                    // Within 32 bits, as the greatest of them is.
                    *end = u32::try_from(*end as usize - before + after).unwrap_or(u32::MAX);
                }
                true
            }

            /// Keeps the elements for which this is true.
            pub(crate) fn retain_rows(&mut self, keep: &[bool]) {
                let mut kept = Self::new();
                for index in (0..self.len()).filter(|&index| keep.get(index) != Some(&false)) {
                    kept.try_push(self.slice(index).unwrap_or_default());
                }
                *self = kept;
            }
        }

        impl<$($generic)*> Extend<Vec<$item>> for $name {
            /// Adds elements.
            ///
            /// # Panics
            /// Where all elements together are longer than 32 bits can count.
            fn extend<I: IntoIterator<Item = Vec<$item>>>(&mut self, elements: I) {
                for element in elements {
                    assert!(self.try_push(&element), "a list is at most 4 GiB long");
                }
            }
        }
    };
}
list!([] Strings, bytes: u8);
list!([K: Clone] Sequences<K>, keypoints: K);

impl Strings {
    /// The string with an index.
    pub fn get(&self, index: usize) -> Option<&BStr> {
        self.slice(index).map(ByteSlice::as_bstr)
    }

    /// The strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &BStr> {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// Adds a string.
    ///
    /// # Panics
    /// Where all strings together are longer than 4 GiB.
    pub fn push(&mut self, string: impl AsRef<[u8]>) {
        assert!(self.try_push(string.as_ref()), "strings of a column are at most 4 GiB long");
    }

    /// How many bytes all strings together have.
    pub fn total_len(&self) -> usize {
        self.bytes.len()
    }
}

impl<K: Clone> Sequences<K> {
    /// The keypoints of the list with an index.
    pub fn get(&self, index: usize) -> Option<&[K]> {
        self.slice(index)
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

    /// How many keypoints all lists together have.
    pub fn total_len(&self) -> usize {
        self.keypoints.len()
    }
}

impl<S: AsRef<[u8]>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        let mut list = Self::new();
        strings.into_iter().for_each(|string| list.push(string));
        list
    }
}

impl<K: Clone, S: AsRef<[K]>> FromIterator<S> for Sequences<K> {
    fn from_iter<I: IntoIterator<Item = S>>(lists: I) -> Self {
        let mut list = Self::new();
        lists.into_iter().for_each(|keypoints| list.push(keypoints));
        list
    }
}

impl fmt::Debug for Strings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
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

    use bstr::BString;

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
            Ok(list.into_iter().map(|text| -> BString { text.0.into_owned() }).collect())
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
