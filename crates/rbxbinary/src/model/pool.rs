//! The shared strings of a document, each of them once.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use bstr::{BStr, ByteSlice};

use super::SharedString;
use super::lists::SharedIndex;

/// The shared strings by their hash, so that each is there once; made when it is first needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool(Option<Box<(RandomState, ByHash)>>);

/// The indices of the strings with a hash.
type ByHash = HashMap<u64, Vec<u32>>;

impl Pool {
    /// The index of a string, which is added where it is new; `None` where 32 bits cannot count it.
    pub(super) fn place(&mut self, strings: &mut Vec<SharedString>, bytes: &BStr) -> Option<SharedIndex> {
        let (hasher, by_hash) = &mut **self.0.get_or_insert_with(|| {
            let hasher = RandomState::new();
            let mut by_hash = ByHash::new();
            for (string, index) in strings.iter().zip(0_u32..) {
                by_hash.entry(hasher.hash_one(string.bytes.as_bstr())).or_default().push(index);
            }
            Box::new((hasher, by_hash))
        });
        let same = by_hash.entry(hasher.hash_one(bytes)).or_default();
        let is_it = |index: &&u32| strings.get(**index as usize).is_some_and(|string| string.bytes == bytes);
        if let Some(&index) = same.iter().find(is_it) {
            return Some(SharedIndex(index));
        }
        let index = u32::try_from(strings.len()).ok()?;
        same.push(index);
        strings.push(SharedString { hash: [0; 16], bytes: bytes.to_owned() });
        Some(SharedIndex(index))
    }

    /// The list of strings was changed by others.
    pub(crate) fn forget(&mut self) {
        self.0 = None;
    }
}
