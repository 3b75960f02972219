//! Strings: a u32 length and the bytes.

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::model::Strings;
use crate::model::strings::{FEW, TABLE};
use crate::wire::column::{Wire, fits, malformed, space};
use geom::wire::{Budget, Here, Parsed, Problem, Refuse as _, Result, taken};

/// Reads a string. Files contain more strings than anything else, so this makes only two checks.
#[inline]
pub(crate) fn read(input: &[u8]) -> Parsed<'_, &[u8]> {
    let split = input
        .split_first_chunk()
        .and_then(|(&len, rest)| rest.split_at_checked(usize::try_from(u32::from_le_bytes(len)).ok()?));
    match split {
        Some((string, rest)) => Ok((rest, string)),
        None => missing(input),
    }
}

/// The error for a truncated string.
#[cold]
fn missing(input: &[u8]) -> Parsed<'_, &[u8]> {
    let (input, len) = context("length", le_u32).parse(input)?;
    take(len)(input)
}

/// Writes a string; `path` names it if it is too long.
pub(crate) fn write(bytes: &[u8], path: &'static str, out: &mut Vec<u8>) -> Result<()> {
    out.extend(Problem::fit("bytes", bytes.len(), u32::MAX).unwritable(path)?.to_le_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

/// A list of strings.
impl Wire for Strings {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        if !fits(input, count, 4) {
            return malformed(input);
        }
        let has_table = count > FEW;
        let mut starts: Vec<u32> = space(if has_table { count } else { 0 }, budget).here(input)?;
        budget.take(if has_table { TABLE } else { 0 }).here(input)?;
        let mut rest = input;
        for _ in 0..count {
            let Ok(start) = u32::try_from(taken(input, rest).len()) else {
                return malformed(rest);
            };
            if has_table {
                starts.push(start);
            }
            rest = read(rest)?.0;
        }
        let used = taken(input, rest);
        let mut data = space(used.len(), budget).here(input)?;
        data.extend_from_slice(used);
        Ok((rest, Self::from_wire(data, starts)))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        if let Some(data) = self.as_wire() {
            out.extend_from_slice(data);
            return Ok(());
        }
        out.reserve(self.total_len().saturating_add(self.len().saturating_mul(4)));
        self.iter().try_for_each(|string| write(string, "length", out))
    }
}
