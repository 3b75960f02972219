//! Lists that grow within a budget.

use crate::error::ErrorKind;
use crate::limits::Budget;

/// Adds to a list whose length the input does not state.
#[inline]
pub(crate) fn push<T>(list: &mut Vec<T>, value: T, budget: &mut Budget) -> Result<(), ErrorKind> {
    make_space(list, 1, budget)?;
    list.push(value);
    Ok(())
}

/// Reserves capacity for more, at least doubling what there is.
#[inline]
pub(crate) fn make_space<T>(list: &mut Vec<T>, more: usize, budget: &mut Budget) -> Result<(), ErrorKind> {
    if list.capacity().saturating_sub(list.len()) >= more {
        return Ok(());
    }
    grow(list, more, budget)
}

/// While the list moves, the old memory is there too, and both count. Near the limit it grows by less.
#[cold]
fn grow<T>(list: &mut Vec<T>, more: usize, budget: &mut Budget) -> Result<(), ErrorKind> {
    let bytes = |count: usize| (count as u64).saturating_mul(size_of::<T>() as u64);
    let old = list.capacity();
    let least = list.len().saturating_add(more);
    let mut wanted = least.max(old.saturating_mul(2)).max(4);
    while let Err(limit) = budget.take(bytes(wanted)) {
        if wanted <= least {
            return Err(limit);
        }
        wanted = least.saturating_add(wanted.saturating_sub(least) / 4);
    }
    list.reserve_exact(wanted.saturating_sub(list.len()));
    budget.give_back(bytes(old));
    Ok(())
}

/// Makes a column as long as it must be, with default values in the new entries, and capacity for one more.
pub(crate) fn fill<T: Clone + Default>(
    column: &mut Vec<T>,
    len: usize,
    budget: &mut Budget,
) -> Result<(), ErrorKind> {
    make_space(column, len.saturating_sub(column.len()).saturating_add(1), budget)?;
    if column.len() < len {
        column.resize(len, T::default());
    }
    Ok(())
}
