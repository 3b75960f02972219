//! Tests of private items; the source file that they test includes this file as a module.

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
            // Cheaper than the entries that were already taken.
            queue.push(entry(1e-20, 7));
        }
    }
    assert_eq!(order, [1, 2, 5, 6, 7, 3, 0, 4]);
    assert!(queue.is_empty());
    // In a large queue, entries with nearly equal costs keep the order in which they were added.
    let mut queue = Queue::new(1_000_000);
    (0..).zip([4.0, 2.1, 2.0, 1e-9]).for_each(|(number, cost)| queue.push(entry(cost, number)));
    let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|entry| entry.ends[0]).collect();
    assert_eq!(order, [3, 1, 2, 0]);
}
