//! A fast hash for small keys of numbers, with a seed that differs from run to run.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Makes [`Mixer`]s.
#[derive(Clone, Debug)]
pub(crate) struct Mix(u64);

impl Default for Mix {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0_u8))
    }
}

impl BuildHasher for Mix {
    type Hasher = Mixer;

    fn build_hasher(&self) -> Mixer {
        Mixer(self.0)
    }
}

/// Mixes in one number after the other: multiplies, and combines both halves of the product.
#[derive(Debug)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks();
        eights.iter().for_each(|&eight| self.write_u64(u64::from_le_bytes(eight)));
        rest.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
        let [low, high] = [product as u64, (product >> 64) as u64];
        self.0 = (low ^ high).wrapping_add(0x2545_f491_4f6c_dd1d);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}
