//! Streams of bits: read forwards for tables, and backwards from their end for codes.

/// Loads the eight bytes of `bytes` that end with the byte of bit `at`, shifted so that the bit before `at` is the
/// highest. At least the highest 56 bits are valid.
///
/// A stream is in the middle of a frame, so bits before its start are those of other parts of the frame. `None` if
/// there are fewer than eight bytes, which happens only far before the start of the stream.
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

/// Removes and returns the highest `count` bits, at most 32.
#[inline(always)]
pub(crate) fn take(bits: &mut u64, count: u32) -> u32 {
    let value = highest(*bits, count);
    *bits <<= count;
    value as u32
}

/// The index of the bit after the last one of a stream that ends before the byte `end`: the highest set bit of the last
/// byte, which marks the end. `None` if the stream is empty or has no mark.
pub(crate) fn end_of(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let last = *bytes.get(start..end)?.last()?;
    Some((end - 1) * 8 + last.checked_ilog2()? as usize)
}

/// Reads bits forwards.
pub(crate) struct Forward<'a> {
    pub(crate) bytes: &'a [u8],
    /// The index of the next bit.
    pub(crate) at: usize,
}

impl Forward<'_> {
    /// The next bits, at most 25, without consuming them. Bits after the end are zeros.
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

/// Writes bits from the lowest upwards. Bits that do not fit into the output are counted but not written, so that
/// [`Writer::end`] returns an index beyond the output.
pub(crate) struct Writer<'a> {
    out: &'a mut [u8],
    at: usize,
    bits: u64,
    count: u32,
}

impl<'a> Writer<'a> {
    /// A writer that begins at an index of the output.
    pub(crate) fn new(out: &'a mut [u8], at: usize) -> Self {
        Self { out, at, bits: 0, count: 0 }
    }

    /// Adds bits: at most 56 between two calls of [`Writer::flush`].
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

    /// Like [`Writer::end`], after a bit that marks the end of the stream.
    pub(crate) fn end_marked(mut self) -> usize {
        self.put(1, 1);
        self.end()
    }
}
