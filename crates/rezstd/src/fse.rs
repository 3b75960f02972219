//! Finite state entropy (FSE): normalized counts, which frames store, and the table for writing.

use crate::bits::{Forward, Writer};

/// The maximum number of codes of a table.
pub(crate) const MAX_CODES: usize = 53;

/// The maximum number of states of a table.
pub(crate) const MAX_STATES: usize = 512;

/// The code of each of `1 << log` states. Codes with a count of -1 have one state each, at the end; any other code has
/// as many states as its count, far apart.
pub(crate) const fn spread(shares: &[i16], log: u32) -> [u8; MAX_STATES] {
    let size = 1_usize << log;
    let mut states = [0; MAX_STATES];
    let mut high = size;
    let mut code = 0;
    while code < shares.len() {
        if shares[code] == -1 {
            high -= 1;
            states[high] = code as u8;
        }
        code += 1;
    }
    let step = (size >> 1) + (size >> 3) + 3;
    let (mut at, mut code) = (0, 0);
    while code < shares.len() {
        let mut left = shares[code];
        while left > 0 {
            states[at] = code as u8;
            at = (at + step) & (size - 1);
            while at >= high && high > 0 {
                at = (at + step) & (size - 1);
            }
            left -= 1;
        }
        code += 1;
    }
    states
}

/// Normalized counts: the number of states of each code, of `1 << log` states in total. -1 means less than one.
pub(crate) struct Shares {
    shares: [i16; MAX_CODES],
    codes: usize,
    pub(crate) log: u32,
}

impl Shares {
    pub(crate) fn shares(&self) -> &[i16] {
        &self.shares[..self.codes]
    }

    /// Reads the counts of at most `codes` codes; also returns their size in bytes. `None` if they do not add up.
    pub(crate) fn read(bytes: &[u8], codes: usize, max_log: u32) -> Option<(Self, usize)> {
        let mut bits = Forward { bytes, at: 0 };
        let log = bits.take(4) + 5;
        if log > max_log {
            return None;
        }
        let mut shares = [0_i16; MAX_CODES];
        let (mut left, mut threshold, mut count) = ((1_i32 << log) + 1, 1_i32 << log, log + 1);
        let mut code = 0;
        while left > 1 {
            // As many bits as the largest possible value needs, or one bit less if that is unambiguous.
            let spare = 2 * threshold - 1 - left;
            let short = bits.peek(count - 1) as i32;
            let value = if short < spare {
                bits.at += count as usize - 1;
                short
            } else {
                let long = bits.take(count) as i32;
                if long >= threshold { long - spare } else { long }
            };
            let share = value - 1;
            *shares[..codes].get_mut(code)? = share as i16;
            code += 1;
            left -= share.abs();
            if share == 0 {
                // The number of further counts of zero, up to three at a time.
                loop {
                    let run = bits.take(2);
                    code += run as usize;
                    if run < 3 || code > codes {
                        break;
                    }
                }
            }
            while left < threshold && threshold > 1 {
                (count, threshold) = (count - 1, threshold >> 1);
            }
        }
        let used = bits.at.div_ceil(8);
        (left == 1 && code <= codes && used <= bytes.len())
            .then_some((Self { shares, codes: code, log }, used))
    }

    /// Distributes `1 << log` states among codes, by frequency. `None` if only one code occurs, or if there are too few
    /// states.
    pub(crate) fn new(counts: &[u32], log: u32) -> Option<Self> {
        let total: u32 = counts.iter().sum();
        let size = 1_u32 << log;
        let codes = counts.iter().rposition(|&count| count > 0)? + 1;
        let mut shares = [0; MAX_CODES];
        let (mut most, mut left) = (0, size as i16);
        for (code, &count) in counts[..codes].iter().enumerate().filter(|(_, count)| **count > 0) {
            if count == total {
                return None;
            }
            shares[code] = ((count * size + total / 2) / total).max(1) as i16;
            left -= shares[code];
            if shares[code] > shares[most] {
                most = code;
            }
        }
        // The remainder of rounding goes to the greatest count.
        shares[most] += left;
        (shares[most] >= 1).then_some(Self { shares, codes, log })
    }

    /// Writes the counts, each with as many bits as the greatest possible count needs; returns the index after them.
    pub(crate) fn write(&self, out: &mut [u8], at: usize) -> usize {
        let mut bits = Writer::new(out, at);
        bits.put(self.log - 5, 4);
        let log = self.log;
        let (mut left, mut threshold, mut count) = ((1_i32 << log) + 1, 1_i32 << log, log + 1);
        let mut shares = self.shares().iter().map(|&share| i32::from(share)).peekable();
        while left > 1 {
            let Some(share) = shares.next() else { break };
            let spare = 2 * threshold - 1 - left;
            left -= share.abs();
            let value = share + 1;
            let value = if value >= threshold { value + spare } else { value };
            bits.put(value as u32, if value < spare { count - 1 } else { count });
            bits.flush();
            if share == 0 {
                // The number of further counts of zero, up to three at a time.
                loop {
                    let mut run = 0;
                    while run < 3 && shares.next_if_eq(&0).is_some() {
                        run += 1;
                    }
                    bits.put(run, 2);
                    bits.flush();
                    if run < 3 {
                        break;
                    }
                }
            }
            while left < threshold && threshold > 1 {
                (count, threshold) = (count - 1, threshold >> 1);
            }
        }
        bits.end()
    }
}

/// A table for writing.
#[derive(Clone, Debug)]
pub(crate) struct Coder {
    states: [u16; MAX_STATES],
    /// For each code, a number whose sum with the state has the number of output bits in its upper 16 bits; and the
    /// start of its states, relative to the state without these bits.
    codes: [(u32, i32); MAX_CODES],
    pub(crate) log: u32,
}

impl Coder {
    pub(crate) const EMPTY: Self = Self { states: [0; MAX_STATES], codes: [(0, 0); MAX_CODES], log: 0 };

    /// Makes a table of one state, which writes no bits.
    pub(crate) fn fill_one(&mut self, code: u8) {
        self.states[0] = 0;
        self.codes[usize::from(code)] = (0, 0);
        self.log = 0;
    }

    pub(crate) const fn fill(&mut self, shares: &[i16], log: u32) {
        let size = 1_usize << log;
        let spread = spread(shares, log);
        let mut next = [0_usize; MAX_CODES];
        let (mut total, mut code) = (0_i32, 0);
        while code < shares.len() {
            let count = shares[code].unsigned_abs() as u32;
            next[code] = total as usize;
            self.codes[code] = match count {
                0 | 1 => ((log << 16).wrapping_sub(1 << log), total - 1),
                _ => {
                    let most = log - (count - 1).ilog2();
                    ((most << 16) - (count << most), total - count as i32)
                }
            };
            total += count as i32;
            code += 1;
        }
        let mut state = 0;
        while state < size {
            let code = spread[state] as usize;
            self.states[next[code]] = (size + state) as u16;
            next[code] += 1;
            state += 1;
        }
        self.log = log;
    }

    /// The initial state for the code that is written first, which is the last one of the stream.
    pub(crate) fn start(&self, code: u8) -> u32 {
        let (bits, begin) = self.codes[usize::from(code)];
        let out = (bits + (1 << 15)) >> 16;
        let value = (out << 16) - bits;
        self.states[((value >> out) as i32 + begin) as usize % MAX_STATES].into()
    }

    /// Encodes a code; returns the new state.
    #[inline(always)]
    pub(crate) fn put(&self, state: u32, code: u8, bits: &mut Writer<'_>) -> u32 {
        let (delta, begin) = self.codes[usize::from(code)];
        let out = (state + delta) >> 16;
        bits.put(state, out);
        self.states[((state >> out) as i32 + begin) as usize % MAX_STATES].into()
    }
}
