//! Finite state entropy, written: the stream of bits and the tables of states that zstd uses.

/// A stream of bits, from the lowest upwards.
pub(crate) struct Bits<'a> {
    out: &'a mut Vec<u8>,
    bits: u64,
    count: u32,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, bits: 0, count: 0 }
    }

    #[inline]
    pub(crate) fn put(&mut self, value: u32, count: u32) {
        // At most 31 are left from before, and at most 20 come.
        self.bits |= (u64::from(value) & ((1 << count) - 1)) << self.count;
        self.count += count;
        if self.count >= 32 {
            self.out.extend_from_slice(&(self.bits as u32).to_le_bytes());
            self.bits >>= 32;
            self.count -= 32;
        }
    }

    /// A bit that marks where the stream ends, and what is left of the last byte.
    pub(crate) fn finish(mut self) {
        self.put(1, 1);
        self.align();
    }

    /// What is left of the last byte.
    pub(crate) fn align(self) {
        let len = self.count.div_ceil(8) as usize;
        self.out.extend_from_slice(&self.bits.to_le_bytes()[..len]);
    }
}

/// A table of finite state entropy, for writing.
#[derive(Debug)]
pub(crate) struct Table {
    states: Vec<u16>,
    /// Per code: how many bits go out, as a number to add to the state, and where its states begin.
    codes: Vec<(u32, i32)>,
}

impl Table {
    /// From how often each code comes among the `1 << log` states; −1 is less than once.
    pub(crate) fn new(shares: &[i16], log: u32) -> Self {
        let size = 1_usize << log;
        let mut spread = vec![0_usize; size];
        let mut high = size;
        for (code, _) in shares.iter().enumerate().filter(|(_, share)| **share == -1) {
            high -= 1;
            spread[high] = code;
        }
        let (step, mut at) = ((size >> 1) + (size >> 3) + 3, 0);
        for (code, &share) in shares.iter().enumerate() {
            for _ in 0..share.max(0) {
                spread[at] = code;
                at = (at + step) % size;
                while at >= high {
                    at = (at + step) % size;
                }
            }
        }
        let (mut total, mut codes, mut next) = (0_i32, Vec::new(), Vec::new());
        for &share in shares {
            let count = u32::from(share.unsigned_abs());
            next.push(total as usize);
            codes.push(match count {
                0 | 1 => ((log << 16) - (1 << log), total - 1),
                _ => {
                    let most = log - (count - 1).ilog2();
                    ((most << 16) - (count << most), total - count as i32)
                }
            });
            total += count as i32;
        }
        let mut states = vec![0; size];
        for (state, &code) in spread.iter().enumerate() {
            states[next[code]] = (size + state) as u16;
            next[code] += 1;
        }
        Self { states, codes }
    }

    /// The state from which a code is read, at the end of the stream.
    pub(crate) fn start(&self, code: u8) -> u32 {
        let (bits, begin) = self.codes[usize::from(code)];
        let out = (bits + (1 << 15)) >> 16;
        let value = (out << 16) - bits;
        u32::from(self.states[((value >> out) as i32 + begin) as usize])
    }

    /// Writes what leads from a code to the state after it, and gives the state before.
    #[inline]
    pub(crate) fn put(&self, state: u32, code: u8, bits: &mut Bits<'_>) -> u32 {
        let (delta, begin) = self.codes[usize::from(code)];
        let out = (state + delta) >> 16;
        bits.put(state, out);
        u32::from(self.states[((state >> out) as i32 + begin) as usize])
    }
}

/// How many of `1 << log` states each code gets; `None` where one code has them all or they are too few.
pub(crate) fn normalize(counts: &[u32], log: u32) -> Option<Vec<i16>> {
    let total: u32 = counts.iter().sum();
    let size = 1_u32 << log;
    let used = counts.iter().rposition(|&count| count > 0)? + 1;
    if counts.contains(&total) {
        return None;
    }
    let share =
        |&count: &u32| if count == 0 { 0 } else { ((count * size + total / 2) / total).max(1) as i16 };
    let mut shares: Vec<i16> = counts[..used].iter().map(share).collect();
    // What rounding left goes to the greatest share.
    let left = size as i16 - shares.iter().sum::<i16>();
    let most = shares.iter_mut().max()?;
    *most += left;
    (*most >= 1).then_some(shares)
}

/// Writes the shares of `1 << log` states: each in as many bits as what is left can need.
pub(crate) fn put_shares(shares: &[i16], log: u32, out: &mut Vec<u8>) {
    let mut bits = Bits::new(out);
    bits.put(log - 5, 4);
    let (mut left, mut threshold, mut count) = ((1_i32 << log) + 1, 1_i32 << log, log + 1);
    let mut shares = shares.iter().map(|&share| i32::from(share)).peekable();
    while left > 1 {
        let Some(share) = shares.next() else { break };
        let most = 2 * threshold - 1 - left;
        left -= share;
        let value = share + 1;
        let value = if value >= threshold { value + most } else { value };
        bits.put(value as u32, if value < most { count - 1 } else { count });
        if share == 0 {
            // How many more are zero, up to three at a time.
            loop {
                let mut run = 0;
                while run < 3 && shares.next_if_eq(&0).is_some() {
                    run += 1;
                }
                bits.put(run, 2);
                if run < 3 {
                    break;
                }
            }
        }
        while left < threshold {
            (count, threshold) = (count - 1, threshold >> 1);
        }
    }
    bits.align();
}
