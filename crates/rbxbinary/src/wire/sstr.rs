//! SSTR: u32 version, u32 count, and for each shared string 16 bytes of hash and a string.

use std::borrow::Cow;

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::model::{SharedBytes, SharedString};
use crate::wire::count::{count, put_count};
use crate::wire::string;
use geom::wire::{At, Budget, Here, Parsed, Result};

pub(crate) fn read<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, (u32, Vec<SharedString>)> {
    let (input, version) = context("version", le_u32).parse(input)?;
    let (mut rest, count) = count(input, 20)?;
    let mut strings = budget.vec(count).here(rest)?;
    for index in 0..count {
        let (after, hash) = context("hash", take(16_usize)).parse(rest).index(index)?;
        let (after, bytes) = string::read(after).index(index)?;
        budget.take(SharedBytes::BESIDE).here(rest)?;
        let bytes = budget.copy(bytes).here(rest)?.into();
        strings.push(SharedString { hash: *hash.first_chunk().unwrap_or(&[0; 16]), bytes });
        rest = after;
    }
    Ok((rest, (version, strings)))
}

pub(crate) fn write<'a>(
    version: u32,
    strings: impl ExactSizeIterator<Item = Cow<'a, SharedString>>,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.extend(version.to_le_bytes());
    put_count(strings.len(), "shared_strings", out)?;
    let mut strings = strings;
    strings.try_for_each(|string| {
        out.extend_from_slice(&string.hash);
        string::write(&string.bytes, "shared_strings", out)
    })
}
