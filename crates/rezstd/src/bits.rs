//! Streams of bits: forwards for tables, from their end backwards for codes.

/// The 64 bits of `bytes` that end with the byte of bit `at`, shifted so that the bit before `at` is the highest.
/// At least 56 of them were in `bytes`.
///
/// A stream is in the middle of a frame: bits before its start are other bytes of the frame. `None` if there are
/// fewer than eight, which is far before the start.
#[inline(always)]
pub(crate) fn before(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get((at / 8).wrapping_sub(7)..)?.first_chunk()?;
    Some(u64::from_le_bytes(*word) << (8 - at % 8))
}

/// The highest `count` bits, at most 63.
#[inline(always)]
pub(crate) fn highest(bits: u64, count: u32) -> u64 {
    (bits >> 1) >> (63 - count)
}

/// Consumes the highest `count` bits, at most 32.
#[inline(always)]
pub(crate) fn take(bits: &mut u64, count: u32) -> u32 {
    let value = highest(*bits, count);
    *bits <<= count;
    value as u32
}

/// The bit at which a stream ends whose last byte is the one before `end`: the one below the highest set bit.
pub(crate) fn end_of(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let last = *bytes.get(start..end)?.last()?;
    Some((end - 1) * 8 + last.checked_ilog2()? as usize)
}

/// Reads forwards.
pub(crate) struct Forward<'a> {
    pub(crate) bytes: &'a [u8],
    /// The index of the next bit.
    pub(crate) at: usize,
}

impl Forward<'_> {
    /// The next bits, at most 25, without consuming them. After the end come zeros.
    pub(crate) fn peek(&self, count: u32) -> u32 {
        let mut word = [0; 4];
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        (u32::from_le_bytes(word) >> (self.at % 8)) & ((1 << count) - 1)
    }

    pub(crate) fn take(&mut self, count: u32) -> u32 {
        let value = self.peek(count);
        self.at += count as usize;
        value
    }
}

/// Writes from the lowest bit upwards. Bits beyond the space are counted but not written: [`Writer::end`] is then
/// after the end.
pub(crate) struct Writer<'a> {
    out: &'a mut [u8],
    at: usize,
    bits: u64,
    count: u32,
}

impl<'a> Writer<'a> {
    /// Writes from an index on.
    pub(crate) fn new(out: &'a mut [u8], at: usize) -> Self {
        Self { out, at, bits: 0, count: 0 }
    }

    /// Adds bits; between two calls of [`Writer::flush`] at most 56.
    #[inline(always)]
    pub(crate) fn put(&mut self, value: u32, count: u32) {
        self.bits |= (u64::from(value) & ((1 << count) - 1)) << self.count;
        self.count += count;
    }

    /// Writes all whole bytes.
    #[inline(always)]
    pub(crate) fn flush(&mut self) {
        if let Some(place) = self.out.get_mut(self.at..).and_then(<[u8]>::first_chunk_mut) {
            *place = self.bits.to_le_bytes();
        }
        self.at += (self.count / 8) as usize;
        self.bits >>= self.count & 56;
        self.count %= 8;
    }

    /// Writes the partial last byte; returns the index after it.
    pub(crate) fn end(mut self) -> usize {
        self.flush();
        self.at + usize::from(self.count > 0)
    }

    /// The same after a bit that marks the end of the stream.
    pub(crate) fn end_marked(mut self) -> usize {
        self.put(1, 1);
        self.end()
    }
}
