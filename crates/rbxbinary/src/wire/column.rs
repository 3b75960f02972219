//! Reads and writes the type and the values of a column.

use crate::consts::{TypeId, types};
use crate::model::Column;
use geom::wire::{Budget, Error, ErrorKind, Fail, Here, Parsed, Problem, Refuse as _, Result, after};
use rbxcore::parts::spare::with_spare;

/// A vector with space for `count` values, and for some more that edits may add.
pub(crate) fn space<T>(count: usize, budget: &mut Budget) -> Result<Vec<T>, ErrorKind> {
    budget.vec(with_spare(count))
}

/// The error for values that are not as their type requires. The column is then kept as bytes, so it is never shown.
#[cold]
pub(crate) fn malformed<T>(at: &[u8]) -> Parsed<'_, T> {
    Err(Fail::invalid(at, "malformed values"))
}

/// Whether the input can contain this number of values of at least this size each.
#[inline]
pub(crate) fn fits(input: &[u8], count: usize, least: usize) -> bool {
    count.checked_mul(least).is_some_and(|bytes| bytes <= input.len())
}

/// The storage of a type's values in a file.
pub(crate) trait Wire: Sized {
    /// Reads `count` values.
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self>;

    /// Writes all values.
    fn write(&self, out: &mut Vec<u8>) -> Result<()>;

    /// Fails unless each list of the column has this number of values.
    fn check(&self, _count: usize) -> Result<()> {
        Ok(())
    }
}

impl<T: Wire> Wire for Box<T> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        budget.take(size_of::<T>() as u64).here(input)?;
        T::read(input, count, budget).map(|(rest, values)| (rest, Self::new(values)))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        (**self).write(out)
    }

    fn check(&self, count: usize) -> Result<()> {
        (**self).check(count)
    }
}

macro_rules! codec {
    ($($(#[$doc:meta])* $id:literal $constant:ident $name:ident($column:ty);)+) => {
        fn read_values<'a>(
            type_id: TypeId,
            input: &'a [u8],
            count: usize,
            budget: &mut Budget,
            column: &mut Column,
        ) -> Parsed<'a, ()> {
            match type_id {
                $(TypeId::$constant => {
                    let (rest, values) = Wire::read(input, count, budget)?;
                    *column = Column::$name(values);
                    Ok((rest, ()))
                })+
                _ => malformed(input),
            }
        }

        fn write_values(column: &Column, count: usize, out: &mut Vec<u8>) -> Result<()> {
            match column {
                $(Column::$name(values) => values.check(count).and_then(|()| values.write(out)),)+
                Column::Unknown { type_id, bytes } => {
                    let (mut budget, mut read) = (Budget::new(u64::MAX), Column::Untyped);
                    let known = read_values(*type_id, bytes, count, &mut budget, &mut read);
                    if known.is_ok_and(|(rest, ())| rest.is_empty()) {
                        let what = format!(
                            "a `Column::Unknown` whose bytes are values of the known type {type_id} (use the variant \
                             of that type)"
                        );
                        return Err(Error::unwritable("", what));
                    }
                    out.extend_from_slice(bytes);
                    Ok(())
                }
                Column::Untyped => Ok(()),
            }
        }
    };
}
types!(codec);

/// Reads the type and the values of `count` instances. Values that cannot be read are kept as bytes.
pub(crate) fn read<'a>(
    input: &'a [u8],
    count: usize,
    budget: &mut Budget,
    column: &mut Column,
) -> Parsed<'a, ()> {
    let Some((&type_id, values)) = input.split_first() else { return Ok((input, ())) };
    let type_id = TypeId(type_id);
    match read_values(type_id, values, count, budget, column) {
        Ok((rest, ())) if rest.is_empty() => return Ok((rest, ())),
        Err(limit @ nom::Err::Failure(_)) => return Err(limit),
        // The type is unknown, the values are malformed, or their number is not that of the instances.
        _ => {}
    }
    let bytes = budget.copy(values).here(values)?.into();
    *column = Column::Unknown { type_id, bytes };
    Ok((after(values, values.len()), ()))
}

/// Writes the type, and one value for each of `count` instances.
pub(crate) fn write(column: &Column, count: usize, out: &mut Vec<u8>) -> Result<()> {
    column.len().map_or(Ok(()), |len| Problem::length("values", len, count)).unwritable("")?;
    out.extend(column.type_id().map(|type_id| type_id.0));
    write_values(column, count, out)
}
