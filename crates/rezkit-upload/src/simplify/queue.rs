//! Edges in the order of their costs.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The maximum number of leading bits of a cost that select its heap. There are about as many heaps as triangles.
const BITS: u32 = 16;
/// The number of these bits for large surfaces: sign, exponent and two more, which are steps of about a fifth.
const COARSE: u32 = 11;
/// Surfaces of more triangles are large: they do not fit into the processor's cache.
const MANY: usize = 200_000;

/// An edge, ordered by the bits of its cost, which is not negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) cost: u32,
    pub(super) ends: [u32; 2],
    /// The versions of the ends when the cost was found.
    pub(super) versions: [u32; 2],
}

impl Entry {
    pub(super) fn new(cost: f64, ends: [u32; 2], versions: [u32; 2]) -> Self {
        Self { cost: (cost.max(0.0) as f32).to_bits(), ends, versions }
    }
}

/// A priority queue of many heaps, one for each range of costs, so that the few edges of one heap are near each other
/// in memory.
#[derive(Default)]
pub(super) struct Queue {
    heaps: Vec<BinaryHeap<Reverse<Entry>>>,
    /// For large surfaces, the edges of nearly the same cost in the order of insertion: so the points of successive
    /// edges are near each other in memory, whose access takes most of the time.
    lines: Vec<VecDeque<Entry>>,
    /// The index before which all heaps are empty.
    first: usize,
    count: usize,
    is_coarse: bool,
    bits: u32,
}

impl Queue {
    /// A queue for a surface of this number of triangles.
    pub(super) fn new(triangles: usize) -> Self {
        let is_coarse = triangles > MANY;
        let bits = if is_coarse { COARSE } else { (usize::BITS - triangles.leading_zeros()).min(BITS) };
        Self { is_coarse, bits, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        *self = Self { is_coarse: self.is_coarse, bits: self.bits, ..Self::default() };
    }

    pub(super) fn push(&mut self, entry: Entry) {
        let bits = self.bits.max(1);
        let at = (entry.cost >> (32 - bits)) as usize;
        if self.is_coarse {
            self.lines.resize_with(1 << bits, VecDeque::new);
            self.lines[at].push_back(entry);
        } else {
            self.heaps.resize_with(1 << bits, BinaryHeap::new);
            self.heaps[at].push(Reverse(entry));
        }
        self.first = if self.count == 0 { at } else { self.first.min(at) };
        self.count += 1;
    }

    /// Takes the cheapest edge.
    pub(super) fn pop(&mut self) -> Option<Entry> {
        while self.count > 0 {
            let heap = self.heaps.get_mut(self.first).and_then(BinaryHeap::pop).map(|Reverse(entry)| entry);
            let found = heap.or_else(|| self.lines.get_mut(self.first)?.pop_front());
            if found.is_some() {
                self.count -= 1;
                return found;
            }
            self.first += 1;
        }
        None
    }
}

#[cfg(test)]
#[path = "../../tests/inside/simplify_queue.rs"]
mod tests;
