//! Counts and sizes that precede their content.

use nom::bytes::complete::take;

use geom::wire::{Fail, Parsed, Problem, Refuse as _, Result};

/// Reads `len` bytes.
pub(crate) fn blob(input: &[u8], len: impl TryInto<usize>) -> Parsed<'_, &[u8]> {
    match len.try_into() {
        Ok(len) if len <= input.len() => take(len)(input),
        _ => Err(Fail::end_of(input)),
    }
}

/// Converts a count or a size to the 32 bits in which the format stores it.
pub(crate) fn count(len: usize, path: &'static str) -> Result<u32> {
    Problem::fit("entries", len, u32::MAX).unwritable(path)
}

/// Converts a count to the 16 bits in which the format stores it.
pub(crate) fn short_count(len: usize, path: &'static str) -> Result<u16> {
    Problem::fit("entries", len, u16::MAX).unwritable(path)
}

/// Writes the size of the content as a u32, and the content.
pub(crate) fn write_sized(
    out: &mut Vec<u8>,
    path: &'static str,
    content: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    let at = out.len();
    out.extend([0; 4]);
    let start = out.len();
    content(out)?;
    let size = count(out.get(start..).map_or(0, <[u8]>::len), path)?;
    if let Some(bytes) = out.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *bytes = size.to_le_bytes();
    }
    Ok(())
}
