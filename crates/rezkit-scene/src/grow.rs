//! Lists and tables that charge their growth to a budget.

use std::collections::HashMap;
use std::hash::Hash;

use rezkit_core::{Budget, Error, Result};

/// Adds a value to a list, whose capacity doubles if it is full.
pub(crate) fn push<T>(list: &mut Vec<T>, value: T, budget: &mut Budget) -> Result<()> {
    if list.len() == list.capacity() {
        let more = list.capacity().max(4);
        budget.take_values::<T>(list.len() + more, "the scene")?;
        list.reserve_exact(more);
    }
    list.push(value);
    Ok(())
}

/// The index of the vertex with a key: that in the table, or else `next`, which is then added.
pub(crate) fn index_of<K: Eq + Hash>(
    table: &mut HashMap<K, u32>,
    key: K,
    next: usize,
    budget: &mut Budget,
) -> Result<u32> {
    if table.len() == table.capacity() {
        let more = table.capacity().max(3);
        // At most seven eighths of the entries of a table are used, and each takes one more byte.
        budget.take((more as u64 + 1) * 2 * (size_of::<(K, u32)>() as u64 + 4), "the vertices of a mesh")?;
        table.reserve(more);
    }
    let next = u32::try_from(next).ok().filter(|&next| next != u32::MAX);
    let next = next.ok_or_else(|| Error::unreadable("a mesh has more than 4,294,967,295 vertices"))?;
    Ok(*table.entry(key).or_insert(next))
}
