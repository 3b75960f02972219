//! Stable sorting whose code is compiled once, for lists that are short or rarely sorted: the sorting of the standard library
//! is compiled again for each type and each comparison, and has 4 kB of WebAssembly. Long lists in code that has to be fast
//! are sorted by the standard library.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The most elements that are sorted by insertion.
const FEW: usize = 16;

/// Sorts a list by a comparison. Equal elements keep their order.
///
/// ```
/// let mut list = [2.5, -1.0, 7.0];
/// geom::sort::by(&mut list, |a: &f64, b| a.total_cmp(b));
/// assert_eq!(list, [-1.0, 2.5, 7.0]);
/// ```
pub fn by<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if list.len() > FEW {
        let order = order(list.len(), &mut |a, b| compare(&list[a], &list[b]));
        return arrange(list, order);
    }
    for end in 1..list.len() {
        let mut at = end;
        while at > 0 && compare(&list[at - 1], &list[at]) == Ordering::Greater {
            list.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Sorts a list by keys, each of which is computed for each comparison. Equal elements keep their order.
pub fn by_key<T, K: Ord>(list: &mut [T], mut key: impl FnMut(&T) -> K) {
    by(list, |a, b| key(a).cmp(&key(b)));
}

/// The indices of a number of elements in the order of a comparison of two of them.
fn order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// Moves the elements to the places that an order of their indices gives them.
fn arrange<T>(list: &mut [T], mut order: Vec<usize>) {
    for start in 0..order.len() {
        // Along the cycle of this place; the places of a cycle that is done are their own.
        let mut at = start;
        loop {
            let from = core::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            list.swap(at, from);
            at = from;
        }
    }
}
