//! Counts and sizes that precede their content.

use nom::bytes::complete::take;

use geom::wire::{Fail, Parsed, Problem, Refuse as _, Result};

/// A run of bytes preceded by its length.
pub(crate) fn blob(input: &[u8], len: impl TryInto<usize>) -> Parsed<'_, &[u8]> {
    match len.try_into() {
        Ok(len) if len <= input.len() => take(len)(input),
        _ => Err(Fail::end_of(input)),
    }
}

/// A count or a size as the format's 32 bits.
pub(crate) fn count(len: usize, path: &'static str) -> Result<u32> {
    Problem::fit("entries", len, u32::MAX).unwritable(path)
}

/// A count as the format's 16 bits.
pub(crate) fn short_count(len: usize, path: &'static str) -> Result<u16> {
    Problem::fit("entries", len, u16::MAX).unwritable(path)
}

/// The size of the content as a u32, and the content.
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
