//! META: u32 count, and for each entry its key and value, a string each.

use nom::Parser;
use nom::error::context;

use crate::model::Metadata;
use crate::wire::count::{count, put_count};
use crate::wire::string;
use geom::wire::{At, Budget, Here, Parsed, Result};

pub(crate) fn read<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Vec<Metadata>> {
    let (mut rest, count) = count(input, 8)?;
    let mut entries = budget.vec(count).here(rest)?;
    for index in 0..count {
        let (after, key) = context("key", string::read).parse(rest).index(index)?;
        let (after, value) = context("value", string::read).parse(after).index(index)?;
        let key = budget.copy(key).here(rest)?.into();
        entries.push(Metadata { key, value: budget.copy(value).here(rest)?.into() });
        rest = after;
    }
    Ok((rest, entries))
}

pub(crate) fn write(entries: &[Metadata], out: &mut Vec<u8>) -> Result<()> {
    put_count(entries.len(), "metadata", out)?;
    entries.iter().try_for_each(|entry| {
        string::write(&entry.key, "metadata", out)?;
        string::write(&entry.value, "metadata", out)
    })
}
