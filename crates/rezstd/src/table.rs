//! Tables of finite state entropy, for reading.

use crate::consts::{Code, KINDS, Kind, LENGTH, LITERALS, OFFSET, WEIGHTS_LOG};
use crate::fse::{MAX_CODES, MAX_STATES, spread};

/// A state: what it means, and what comes after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The least value of its code,
    pub(crate) base: u32,
    /// and how many bits tell how much more it is.
    pub(crate) extra: u8,
    /// The next state is `next` and as much more as these bits tell.
    pub(crate) bits: u8,
    pub(crate) next: u16,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    entries: [Entry; MAX_STATES],
    pub(crate) log: u32,
}

impl Table {
    /// A table with one state.
    pub(crate) const EMPTY: Self =
        Self { entries: [Entry { base: 0, extra: 0, bits: 0, next: 0 }; MAX_STATES], log: 0 };

    /// The state with an index below 512.
    #[inline(always)]
    pub(crate) fn get(&self, state: usize) -> Entry {
        self.entries[state % MAX_STATES]
    }

    /// One state, which leads to itself.
    pub(crate) fn fill_one(&mut self, code: Code) {
        self.entries[0] = Entry { base: code.base, extra: code.bits, bits: 0, next: 0 };
        self.log = 0;
    }

    /// `1 << log` states, of which each code has its share.
    pub(crate) const fn fill(&mut self, codes: &[Code], shares: &[i16], log: u32) {
        let size = 1_usize << log;
        let states = spread(shares, log);
        // How many states of each code there are, and then as many more as were seen.
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
            self.entries[state] = Entry {
                base: codes[code].base,
                extra: codes[code].bits,
                bits: bits as u8,
                next: ((order as usize) << bits).wrapping_sub(size) as u16,
            };
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

/// The format's own tables.
pub(crate) static FORMAT: [Table; 3] =
    [Table::of(&KINDS[LITERALS]), Table::of(&KINDS[OFFSET]), Table::of(&KINDS[LENGTH])];

/// Weights of Huffman codes are numbers as they are.
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
