//! CRC-32 (IEEE 802.3) by the interface of the crate `crc32fast`, for the libraries that use it: the tables of that crate are
//! 16 kB of an engine in which everything is transferred, and cannot be compressed. Here they are computed when they are
//! first needed.

use std::sync::OnceLock;

/// The polynomial, with the lowest power in the highest bit.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// The number of bytes that one step reads.
const STEP: usize = 16;

type Tables = [[u32; 256]; STEP];

/// The remainders of each byte, followed by as many zeros as the number of its table.
fn tables() -> &'static Tables {
    static TABLES: OnceLock<Box<Tables>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = Box::new([[0; 256]; STEP]);
        for byte in 0..256 {
            let mut rest = byte as u32;
            for _ in 0..8 {
                rest = rest >> 1 ^ if rest & 1 == 1 { POLYNOMIAL } else { 0 };
            }
            tables[0][byte] = rest;
        }
        for table in 1..STEP {
            for byte in 0..256 {
                let before = tables[table - 1][byte];
                tables[table][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            }
        }
        tables
    })
}

/// The checksum of bytes.
#[must_use]
pub fn hash(bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(bytes);
    hasher.finalize()
}

/// The state of a checksum.
#[derive(Clone, Debug, Default)]
pub struct Hasher {
    checksum: u32,
    length: u64,
}

impl Hasher {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Continues after bytes with a checksum, whose number is not known.
    #[must_use]
    pub fn new_with_initial(checksum: u32) -> Self {
        Self::new_with_initial_len(checksum, 0)
    }

    /// Continues after a number of bytes with a checksum.
    #[must_use]
    pub fn new_with_initial_len(checksum: u32, length: u64) -> Self {
        Self { checksum, length }
    }

    pub fn update(&mut self, bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        let tables = tables();
        let mut rest = !self.checksum;
        let (steps, last) = bytes.as_chunks::<STEP>();
        for step in steps {
            let mut next = 0;
            for (at, byte) in step.iter().enumerate() {
                // The first four bytes are added to the remainder so far.
                let byte = if at < 4 { byte ^ (rest >> (8 * at)) as u8 } else { *byte };
                next ^= tables[STEP - 1 - at][usize::from(byte)];
            }
            rest = next;
        }
        for byte in last {
            rest = rest >> 8 ^ tables[0][usize::from(byte ^ rest as u8)];
        }
        self.checksum = !rest;
    }

    #[must_use]
    pub fn finalize(self) -> u32 {
        self.checksum
    }

    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Appends what another state has read.
    pub fn combine(&mut self, other: &Self) {
        // As many zeros as the other has bytes: a byte is eight multiplications by x.
        let (mut power, mut left, mut factor) = (other.length, self.checksum, 0x0080_0000);
        while power > 0 {
            if power & 1 == 1 {
                left = product(left, factor);
            }
            factor = product(factor, factor);
            power >>= 1;
        }
        self.checksum = left ^ other.checksum;
        self.length = self.length.wrapping_add(other.length);
    }
}

/// The product of two polynomials modulo that of the checksum. The highest bit is the lowest power.
fn product(a: u32, mut b: u32) -> u32 {
    let mut sum = 0;
    for bit in (0..32).rev() {
        if a >> bit & 1 == 1 {
            sum ^= b;
        }
        b = b >> 1 ^ if b & 1 == 1 { POLYNOMIAL } else { 0 };
    }
    sum
}

impl core::hash::Hasher for Hasher {
    fn finish(&self) -> u64 {
        self.checksum.into()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::{Hasher, hash};

    /// The check value of the catalogue of parametrised CRC algorithms, and that of zlib for 256 bytes.
    #[test]
    fn known_values() {
        assert_eq!(hash(b""), 0);
        assert_eq!(hash(b"123456789"), 0xcbf4_3926);
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(hash(&bytes), 0x2905_8c73);
    }

    #[test]
    fn parts_are_the_whole() {
        let bytes: Vec<u8> = (0..1000_u32).map(|at| (at * 7) as u8).collect();
        for cut in [0, 1, 15, 16, 500, 1000] {
            let (mut first, mut second) = (Hasher::new(), Hasher::new());
            first.update(&bytes[..cut]);
            second.update(&bytes[cut..]);
            let mut both = first.clone();
            both.update(&bytes[cut..]);
            first.combine(&second);
            assert_eq!((first.finalize(), both.finalize()), (hash(&bytes), hash(&bytes)), "{cut}");
        }
    }
}
