//! Counts: a u32.

use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u32;

use geom::wire::{At, Fail, Parsed, Problem, Refuse as _, Result};

/// Reads a count, and checks it against the remaining bytes: each item takes at least `least` bytes.
pub(crate) fn count(input: &[u8], least: usize) -> Parsed<'_, usize> {
    let (rest, count) = context("count", le_u32).parse(input)?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    match count.checked_mul(least) {
        Some(bytes) if bytes <= rest.len() => Ok((rest, count)),
        _ => Err(Fail::end_of(rest)).field("count"),
    }
}

pub(crate) fn put_count(count: usize, path: &'static str, out: &mut Vec<u8>) -> Result<()> {
    out.extend(Problem::fit("entries", count, u32::MAX).unwritable(path)?.to_le_bytes());
    Ok(())
}
