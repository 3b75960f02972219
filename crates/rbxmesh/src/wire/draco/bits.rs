//! Reads and writes variable-length integers and bits.

use nom::bytes::complete::take;

use geom::wire::{Fail, Parsed};

/// Reads an integer in groups of seven bits, lowest first; the top bit of a byte means that another byte follows.
#[inline]
pub(crate) fn read_varint(start: &[u8]) -> Parsed<'_, u32> {
    // Nearly all integers have at most three bytes.
    match *start {
        [a @ ..0x80, ref rest @ ..] => Ok((rest, a.into())),
        [a, b @ ..0x80, ref rest @ ..] => Ok((rest, u32::from(a & 0x7f) | u32::from(b) << 7)),
        [a, b, c @ ..0x80, ref rest @ ..] => {
            Ok((rest, u32::from(a & 0x7f) | u32::from(b & 0x7f) << 7 | u32::from(c) << 14))
        }
        _ => read_long_varint(start),
    }
}

fn read_long_varint(start: &[u8]) -> Parsed<'_, u32> {
    let (mut value, mut input) = (0_u32, start);
    for shift in [0, 7, 14, 21, 28] {
        let Some((&byte, rest)) = input.split_first() else { return Err(Fail::end(input)) };
        input = rest;
        let group = u32::from(byte & 0x7f);
        // The fifth group has four bits left.
        if shift == 28 && group > 0xf {
            break;
        }
        value |= group << shift;
        if byte < 0x80 {
            return Ok((input, value));
        }
    }
    Err(Fail::invalid(start, "a variable-length integer exceeds 32 bits"))
}

pub(crate) fn write_varint(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Reads a run of bytes that is preceded by its length, a variable-length integer.
pub(crate) fn read_block(start: &[u8]) -> Parsed<'_, &[u8]> {
    let (input, len) = read_varint(start)?;
    match usize::try_from(len) {
        Ok(len) => take(len)(input),
        Err(_) => Err(Fail::end(input)),
    }
}

/// Reads bits, the lowest of a byte first.
#[derive(Debug)]
pub(crate) struct Bits<'a> {
    rest: &'a [u8],
    /// The bits taken from `rest` but not yet returned; the next one is the lowest.
    held: u64,
    count: u32,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(input: &'a [u8]) -> Self {
        Self { rest: input, held: 0, count: 0 }
    }

    /// The next `count` bits, at most 32; `None` if the input ends before.
    #[inline(always)]
    pub(crate) fn read(&mut self, count: u32) -> Option<u32> {
        if self.count < count {
            self.refill();
            if self.count < count {
                return None;
            }
        }
        let mask = (1_u64 << (count & 63)).wrapping_sub(1);
        #[allow(clippy::cast_possible_truncation, reason = "masked to 32 bits at most")]
        let value = (self.held & mask) as u32;
        self.held >>= count & 63;
        self.count = self.count.wrapping_sub(count);
        Some(value)
    }

    /// Fills a tuple with values of `count` bits each.
    #[inline(always)]
    pub(crate) fn fill(&mut self, tuple: &mut [u32], count: u32) -> Option<()> {
        tuple.iter_mut().try_for_each(|value| {
            *value = self.read(count)?;
            Some(())
        })
    }

    #[inline]
    fn refill(&mut self) {
        // Fewer than 32 bits are held, so four more bytes fit.
        if let Some((bytes, rest)) = self.rest.split_first_chunk::<4>() {
            self.held |= u64::from(u32::from_le_bytes(*bytes)) << (self.count & 63);
            self.count = self.count.wrapping_add(32);
            self.rest = rest;
            return;
        }
        while let Some((&byte, rest)) = self.rest.split_first() {
            self.held |= u64::from(byte) << (self.count & 63);
            self.count = self.count.wrapping_add(8);
            self.rest = rest;
        }
    }

    /// The bytes of `input`, the whole input of this reader, after the last byte of which a bit was read.
    pub(crate) fn finish(self, input: &'a [u8]) -> &'a [u8] {
        let held = (self.count / 8) as usize;
        let read = input.len().checked_sub(self.rest.len()).and_then(|read| read.checked_sub(held));
        // `rest` and the held bytes are parts of `input`.
        read.and_then(|read| input.get(read..)).unwrap_or(self.rest)
    }
}

/// Writes bits, the lowest of a byte first.
#[derive(Debug, Default)]
pub(crate) struct BitsOut {
    bytes: Vec<u8>,
    held: u64,
    count: u32,
}

impl BitsOut {
    /// Writes `count` bits, at most 32, of a value whose higher bits are 0.
    #[inline]
    pub(crate) fn write(&mut self, value: u32, count: u32) {
        self.held |= u64::from(value) << (self.count & 63);
        self.count = self.count.wrapping_add(count);
        while self.count >= 8 {
            self.bytes.push(self.held.to_le_bytes()[0]);
            self.held >>= 8;
            self.count = self.count.wrapping_sub(8);
        }
    }

    /// The bytes, the last one padded with zero bits.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.held.to_le_bytes()[0]);
        }
        self.bytes
    }
}

/// The number of significant bits: 0 for 0.
#[inline]
pub(crate) fn bit_length(value: u32) -> u32 {
    u32::BITS.wrapping_sub(value.leading_zeros())
}
