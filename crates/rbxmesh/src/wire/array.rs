//! Arrays of records: the count is a claim, checked against the input before anything is allocated.

use nom::bytes::complete::take;

use crate::limits::Budget;
use crate::wire::fail::{Fail, Here, Parsed};
use crate::wire::record::Record;

/// The bytes of `count` records of `size` bytes.
fn take_records(input: &[u8], count: usize, size: usize) -> Parsed<'_, &[u8]> {
    match count.checked_mul(size) {
        Some(len) if len <= input.len() => take(len)(input),
        // At the end of the input: that is where the record is missing.
        _ => Err(Fail::end(input.get(input.len()..).unwrap_or(input))),
    }
}

/// `count` records, one behind the other.
pub(crate) fn read<'a, T: Record<N>, const N: usize>(
    input: &'a [u8],
    count: usize,
    budget: &mut Budget,
) -> Parsed<'a, Vec<T>> {
    let (rest, bytes) = take_records(input, count, N)?;
    let mut records = budget.vec(count).here(input)?;
    records.extend(bytes.as_chunks().0.iter().map(T::read));
    Ok((rest, records))
}

/// `count` records of `size` bytes each, of which the first `N` are known; the others are kept.
pub(crate) fn read_wide<'a, T: Record<N>, const N: usize>(
    input: &'a [u8],
    count: usize,
    size: usize,
    budget: &mut Budget,
) -> Parsed<'a, (Vec<T>, Vec<u8>)> {
    if size == N {
        let (rest, records) = read(input, count, budget)?;
        return Ok((rest, (records, Vec::new())));
    }
    let (rest, bytes) = take_records(input, count, size)?;
    let mut records = budget.vec(count).here(input)?;
    let mut extra = budget.vec(bytes.len().saturating_sub(count.saturating_mul(N))).here(input)?;
    for bytes in bytes.chunks_exact(size) {
        if let Some((known, unknown)) = bytes.split_first_chunk() {
            records.push(T::read(known));
            extra.extend_from_slice(unknown);
        }
    }
    Ok((rest, (records, extra)))
}

/// The records, one behind the other.
pub(crate) fn write<T: Record<N>, const N: usize>(records: &[T], out: &mut Vec<u8>) {
    out.reserve(records.len().saturating_mul(N));
    for record in records {
        out.extend_from_slice(&record.write());
    }
}

/// The records, each followed by its share of the extra bytes.
pub(crate) fn write_wide<T: Record<N>, const N: usize>(
    records: &[T],
    size: usize,
    extra: &[u8],
    out: &mut Vec<u8>,
) {
    let Some(unknown) = size.checked_sub(N).filter(|&unknown| unknown > 0) else {
        return write(records, out);
    };
    out.reserve(records.len().saturating_mul(size));
    for (record, unknown) in records.iter().zip(extra.chunks_exact(unknown)) {
        out.extend_from_slice(&record.write());
        out.extend_from_slice(unknown);
    }
}
