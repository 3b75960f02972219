//! The shared strings of a document, without duplicates.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use bstr::ByteSlice;

use super::SharedString;
use super::lists::SharedIndex;
use rbxcore::SharedBytes;
use rbxcore::parts::Known;

/// The shared strings by their hash, to find duplicates; built on first use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool(Option<Box<Strings>>);

#[derive(Clone, Debug, Default)]
struct Strings {
    hasher: RandomState,
    /// The indices of the strings with a hash.
    by_hash: HashMap<u64, Vec<u32>>,
    /// The indices of strings that were placed before, by address: bytes that a million values share are hashed once.
    known: Known<u32>,
}

impl Pool {
    /// The index of a string, which is added if it is new; `None` if there are more strings than 32 bits can count.
    pub(super) fn place(
        &mut self,
        strings: &mut Vec<SharedString>,
        bytes: &SharedBytes,
    ) -> Option<SharedIndex> {
        let Strings { hasher, by_hash, known } = &mut **self.0.get_or_insert_with(|| {
            let mut new = Strings::default();
            for (string, index) in strings.iter().zip(0_u32..) {
                let hash = new.hasher.hash_one(string.bytes.as_bstr());
                new.by_hash.entry(hash).or_default().push(index);
            }
            Box::new(new)
        });
        if let Some(&index) = known.get(bytes) {
            return Some(SharedIndex(index));
        }
        let same = by_hash.entry(hasher.hash_one(bytes.as_bstr())).or_default();
        let is_it = |index: &u32| strings.get(*index as usize).is_some_and(|string| string.bytes == *bytes);
        let index = match same.iter().copied().find(is_it) {
            Some(index) => index,
            None => {
                let index = u32::try_from(strings.len()).ok()?;
                same.push(index);
                strings.push(SharedString { hash: [0; 16], bytes: bytes.clone() });
                index
            }
        };
        known.put(bytes, index);
        Some(SharedIndex(index))
    }

    /// Forgets all strings, because other code changed the list.
    pub(crate) fn forget(&mut self) {
        self.0 = None;
    }
}
