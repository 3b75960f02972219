//! A fast hash of names: documents ask for the names of classes and properties for every value.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};

/// A map by names, or by ids. Not for keys with single bytes, which [`NameHasher`] takes for the ends of names.
pub type NameMap<K, V> = HashMap<K, V, Seed>;

/// A set of names.
pub type NameSet<K> = HashSet<K, Seed>;

/// The seed of the hash. Since it is random, a file cannot choose names with equal hashes.
#[derive(Clone, Copy, Debug)]
pub struct Seed(u64);

impl Default for Seed {
    fn default() -> Self {
        Self(RandomState::new().build_hasher().finish() | 1)
    }
}

/// The hash of one name.
#[derive(Debug)]
pub struct NameHasher(u64);

impl BuildHasher for Seed {
    type Hasher = NameHasher;

    fn build_hasher(&self) -> NameHasher {
        NameHasher(self.0)
    }
}

impl Hasher for NameHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for &word in words {
            self.mix(u64::from_le_bytes(word));
        }
        let last = rest.iter().fold(rest.len() as u64, |last, &byte| last << 8 | u64::from(byte));
        self.mix(last);
    }

    /// Ignores the byte that ends a string, since the length is part of the hash already.
    #[inline]
    fn write_u8(&mut self, _: u8) {}

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

impl NameHasher {
    /// Folds a product of 128 bits, so that every bit of the word affects every bit of the hash.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "both halves are used")]
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}
