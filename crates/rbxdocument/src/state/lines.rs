//! Which lines, or other elements of two sequences, differ.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, NoSliderHeuristic, Token};

/// A changed region: these elements of the first sequence became these of the second one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The indices in the first sequence.
    pub old: Range<usize>,
    /// The indices in the second sequence.
    pub new: Range<usize>,
}

/// The changed regions of two sequences, in order; both have the same elements between two regions. A region that could
/// lie in several places lies in the last one, as Git shows it.
pub fn changes<T: Hash + Eq>(old: &[T], new: &[T]) -> Vec<Change> {
    let mut numbers: HashMap<&T, u32> = HashMap::new();
    let mut next = 0;
    let [old, new] = [old, new].map(|all| {
        let number = |element| {
            Token(*numbers.entry(element).or_insert_with(|| {
                next += 1;
                next - 1
            }))
        };
        all.iter().map(number).collect::<Vec<Token>>()
    });
    between(&old, &new, next)
}

/// The lines of a text, each with the line feed that ends it. A carriage return alone ends no line.
pub fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The changed regions of two texts, in [`lines`].
pub fn changed_lines(old: &str, new: &str) -> Vec<Change> {
    changes(&lines(old), &lines(new))
}

/// The changed regions of two sequences of numbers below `count`.
fn between(old: &[Token], new: &[Token], count: u32) -> Vec<Change> {
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Histogram, old, new, count);
    diff.postprocess_with(old, new, NoSliderHeuristic);
    let range = |of: Range<u32>| of.start as usize..of.end as usize;
    diff.hunks().map(|hunk| Change { old: range(hunk.before), new: range(hunk.after) }).collect()
}

/// Which of different numbers are in a longest ascending sequence.
pub fn longest_ascending(numbers: &[usize]) -> Vec<bool> {
    // For each length, the index of the smallest number that ends a sequence; for each number, its predecessor.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (index, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|&end| numbers[end] < *number);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut is_in = vec![false; numbers.len()];
    let mut at = ends.last().copied();
    while let Some(index) = at {
        is_in[index] = true;
        at = before[index];
    }
    is_in
}
