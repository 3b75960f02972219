//! Edges in the order of their costs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many bits of a cost tell its heap.
const BITS: u32 = 16;

/// An edge in the order of its cost, which is not negative, by bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    cost: u32,
    pub(super) ends: [u32; 2],
    /// The versions of the ends when the cost was found.
    pub(super) versions: [u32; 2],
}

impl Entry {
    pub(super) fn new(cost: f64, ends: [u32; 2], versions: [u32; 2]) -> Self {
        Self { cost: (cost.max(0.0) as f32).to_bits(), ends, versions }
    }
}

/// Many heaps, one for each order of costs: of millions of edges, the few of one heap are near each other in memory.
#[derive(Default)]
pub(super) struct Queue {
    heaps: Vec<BinaryHeap<Reverse<Entry>>>,
    /// Before this one all are empty.
    first: usize,
    count: usize,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn push(&mut self, entry: Entry) {
        let at = (entry.cost >> (32 - BITS)) as usize;
        if self.heaps.is_empty() {
            self.heaps.resize_with(1 << BITS, BinaryHeap::new);
        }
        self.heaps[at].push(Reverse(entry));
        self.first = if self.count == 0 { at } else { self.first.min(at) };
        self.count += 1;
    }

    /// Takes the cheapest.
    pub(super) fn pop(&mut self) -> Option<Entry> {
        while let Some(heap) = self.heaps.get_mut(self.first) {
            if let Some(Reverse(entry)) = heap.pop() {
                self.count -= 1;
                return Some(entry);
            }
            self.first += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheaper_comes_before() {
        let mut queue = Queue::default();
        let entry = |cost, number| Entry::new(cost, [number; 2], [0; 2]);
        for (number, cost) in (0..).zip([3.0, 0.0, 1e-30, 2.0, 1e30, 1e-9, 2.0 - 1e-6]) {
            queue.push(entry(cost, number));
        }
        let mut order = Vec::new();
        while let Some(entry_of) = queue.pop() {
            order.push(entry_of.ends[0]);
            if order.len() == 4 {
                // Cheaper than what was taken already.
                queue.push(entry(1e-20, 7));
            }
        }
        assert_eq!(order, [1, 2, 5, 6, 7, 3, 0, 4]);
        assert!(queue.is_empty());
    }
}
