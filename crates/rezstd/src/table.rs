//! Tables of finite state entropy (FSE), for reading.

use crate::consts::{Code, KINDS, Kind, LENGTH, LITERALS, OFFSET, WEIGHTS_LOG};
use crate::fse::{MAX_CODES, MAX_STATES, spread};

/// A state: its value and the next state, in one number. From the lowest bit on:
///
/// * 8 bits: the number of extra bits to add to `base`;
/// * 8 bits: the number of extra bits to add to `next`;
/// * 16 bits: `next`;
/// * 32 bits: `base`, the least value of the code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry(u64);

impl Entry {
    const fn new(code: Code, bits: u32, next: u16) -> Self {
        Self(code.bits as u64 | (bits as u64) << 8 | (next as u64) << 16 | (code.base as u64) << 32)
    }

    #[inline(always)]
    pub(crate) fn extra(self) -> u32 {
        (self.0 & 0xff) as u32
    }

    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        (self.0 >> 8 & 0xff) as u32
    }

    #[inline(always)]
    pub(crate) fn next(self) -> u32 {
        (self.0 >> 16 & 0xffff) as u32
    }

    #[inline(always)]
    pub(crate) fn base(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    entries: [Entry; MAX_STATES],
    pub(crate) log: u32,
}

impl Table {
    /// A table with one state.
    pub(crate) const EMPTY: Self = Self { entries: [Entry(0); MAX_STATES], log: 0 };

    /// The state with a number below 512.
    #[inline(always)]
    pub(crate) fn get(&self, state: u32) -> Entry {
        self.entries[state as usize % MAX_STATES]
    }

    /// Makes a table of one state, which leads to itself.
    pub(crate) fn fill_one(&mut self, code: Code) {
        self.entries[0] = Entry::new(code, 0, 0);
        self.log = 0;
    }

    /// Makes a table of `1 << log` states; `shares` has the number of states of each code.
    pub(crate) const fn fill(&mut self, codes: &[Code], shares: &[i16], log: u32) {
        let size = 1_usize << log;
        let states = spread(shares, log);
        // The number of states of each code, to which those found so far are added.
        let mut next = [0_u16; MAX_CODES];
        let mut code = 0;
        while code < shares.len() {
            next[code] = shares[code].unsigned_abs();
            code += 1;
        }
        let mut state = 0;
        while state < size {
            let code = states[state] as usize;
            let order = next[code];
            next[code] += 1;
            let bits = log - order.ilog2();
            let next = ((order as usize) << bits).wrapping_sub(size) as u16;
            self.entries[state] = Entry::new(codes[code], bits, next);
            state += 1;
        }
        self.log = log;
    }

    const fn of(kind: &Kind) -> Self {
        let mut table = Self::EMPTY;
        table.fill(kind.codes, kind.shares, kind.log);
        table
    }
}

/// The predefined tables.
pub(crate) static FORMAT: [Table; 3] =
    [Table::of(&KINDS[LITERALS]), Table::of(&KINDS[OFFSET]), Table::of(&KINDS[LENGTH])];

/// The codes of Huffman weights, which are plain numbers without extra bits.
pub(crate) const WEIGHTS: [Code; 12] = {
    let mut codes = [Code { base: 0, bits: 0 }; 12];
    let mut weight = 0;
    while weight < codes.len() {
        codes[weight].base = weight as u32;
        weight += 1;
    }
    codes
};

const _: () = assert!(1 << WEIGHTS_LOG <= MAX_STATES);
