//! Counts: a u32.

use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u32;

use geom::wire::{At, Error, Fail, Parsed, Result};

/// A count, and the least number of bytes that each of what it counts takes.
pub(crate) fn count(input: &[u8], least: usize) -> Parsed<'_, usize> {
    let (rest, count) = context("count", le_u32).parse(input)?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    match count.checked_mul(least) {
        Some(bytes) if bytes <= rest.len() => Ok((rest, count)),
        _ => Err(Fail::end_of(rest)).field("count"),
    }
}

pub(crate) fn put_count(count: usize, path: &'static str, out: &mut Vec<u8>) -> Result<()> {
    let count = u32::try_from(count).map_err(|_| {
        Error::unwritable(path, format!("expected at most {} entries, found {count}", u32::MAX))
    })?;
    out.extend(count.to_le_bytes());
    Ok(())
}
