//! Columns that become as long as others.

use geom::wire::{Budget, ErrorKind};

/// Makes a column as long as it must be, with default values in the new entries, and capacity for one more.
pub(crate) fn fill<T: Clone + Default>(
    column: &mut Vec<T>,
    len: usize,
    budget: &mut Budget,
) -> Result<(), ErrorKind> {
    if let Some(missing) = len.checked_sub(column.len()) {
        budget.reserve(column, missing)?;
        column.resize(len, T::default());
    }
    budget.reserve(column, 1)
}
