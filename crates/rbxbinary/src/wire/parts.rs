//! What the chunks hold but for columns.
//!
//! | chunk | layout |
//! |---|---|
//! | META | u32 count, a string and a string each |
//! | SSTR | u32 version, u32 count, 16 bytes and a string each |
//! | INST | u32 id, string name, u8 format, u32 count, referents; a byte each where the format is 1 |
//! | PROP | u32 id of the class, string name, u8 type, values |
//! | PRNT | u8 version, u32 count, referents, referents of the parents |

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::{le_u32, u8 as byte};

use crate::consts::ClassFormat;
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Class, Metadata, Parents, SharedString};
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::interleave::records;
use crate::wire::{referent, string};

/// A count, and the least number of bytes that each of what it counts takes.
fn count(input: &[u8], least: usize) -> Parsed<'_, usize> {
    let (rest, count) = context("count", le_u32).parse(input)?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    match count.checked_mul(least) {
        Some(bytes) if bytes <= rest.len() => Ok((rest, count)),
        _ => {
            let end = rest.get(rest.len()..).unwrap_or(rest);
            Err(Fail::end(end)).field("count")
        }
    }
}

fn put_count(count: usize, path: &'static str, out: &mut Vec<u8>) -> Result<()> {
    let count = u32::try_from(count)
        .map_err(|_| Error::unwritable(path, format!("{count} of them: a count has 32 bits")))?;
    out.extend(count.to_le_bytes());
    Ok(())
}

pub(crate) fn read_metadata<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Vec<Metadata>> {
    let (mut rest, count) = count(input, 8)?;
    let mut entries = budget.vec(count).here(rest)?;
    for index in 0..count {
        let (behind, key) = context("key", string::read).parse(rest).index(index)?;
        let (behind, value) = context("value", string::read).parse(behind).index(index)?;
        let key = budget.copy(key).here(rest)?.into();
        entries.push(Metadata { key, value: budget.copy(value).here(rest)?.into() });
        rest = behind;
    }
    Ok((rest, entries))
}

pub(crate) fn write_metadata(entries: &[Metadata], out: &mut Vec<u8>) -> Result<()> {
    put_count(entries.len(), "metadata", out)?;
    entries.iter().try_for_each(|entry| {
        string::write(&entry.key, "metadata", out)?;
        string::write(&entry.value, "metadata", out)
    })
}

pub(crate) fn read_shared_strings<'a>(
    input: &'a [u8],
    budget: &mut Budget,
) -> Parsed<'a, (u32, Vec<SharedString>)> {
    let (input, version) = context("version", le_u32).parse(input)?;
    let (mut rest, count) = count(input, 20)?;
    let mut strings = budget.vec(count).here(rest)?;
    for index in 0..count {
        let (behind, hash) = context("hash", take(16_usize)).parse(rest).index(index)?;
        let (behind, bytes) = string::read(behind).index(index)?;
        let bytes = budget.copy(bytes).here(rest)?.into();
        strings.push(SharedString { hash: *hash.first_chunk().unwrap_or(&[0; 16]), bytes });
        rest = behind;
    }
    Ok((rest, (version, strings)))
}

pub(crate) fn write_shared_strings(version: u32, strings: &[SharedString], out: &mut Vec<u8>) -> Result<()> {
    out.extend(version.to_le_bytes());
    put_count(strings.len(), "shared_strings", out)?;
    strings.iter().try_for_each(|string| {
        out.extend_from_slice(&string.hash);
        string::write(&string.bytes, "shared_strings", out)
    })
}

pub(crate) fn read_class<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Class> {
    let (input, id) = context("id", le_u32).parse(input)?;
    let (input, name) = context("name", string::read).parse(input)?;
    let name = budget.copy(name).here(input)?.into();
    let (input, format) = context("format", byte).parse(input)?;
    let format = ClassFormat(format);
    let (input, count) = count(input, 4)?;
    let (mut input, referents) = referent::read(input, count, budget).field("referents")?;
    let mut markers = Vec::new();
    if format == ClassFormat::SERVICE {
        let (behind, bytes) = records(input, count, 1).field("markers")?;
        markers = budget.copy(bytes).here(input)?;
        input = behind;
    }
    Ok((input, Class { id, name, format, referents, markers, ..Class::default() }))
}

pub(crate) fn write_class(class: &Class, out: &mut Vec<u8>) -> Result<()> {
    let expected = if class.format == ClassFormat::SERVICE { class.referents.len() } else { 0 };
    if class.markers.len() != expected {
        let what = format!("{} markers for {expected} services", class.markers.len());
        return Err(Error::unwritable("markers", what));
    }
    out.extend(class.id.to_le_bytes());
    string::write(&class.name, "name", out)?;
    out.push(class.format.0);
    put_count(class.referents.len(), "referents", out)?;
    referent::write(&class.referents, out);
    out.extend_from_slice(&class.markers);
    out.extend_from_slice(&class.extra);
    Ok(())
}

/// The id of the class and the name of the property, which stand before a column.
#[inline]
pub(crate) fn read_property_head(input: &[u8]) -> Parsed<'_, (u32, &[u8])> {
    let (input, class) = match input.split_first_chunk() {
        Some((&class, rest)) => (rest, u32::from_le_bytes(class)),
        None => context("class_id", le_u32).parse(input)?,
    };
    let (input, name) = string::read(input).field("name")?;
    Ok((input, (class, name)))
}

pub(crate) fn write_property_head(class: u32, name: &[u8], out: &mut Vec<u8>) -> Result<()> {
    out.extend(class.to_le_bytes());
    string::write(name, "name", out)
}

pub(crate) fn read_parents<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Parents> {
    let (input, version) = context("version", byte).parse(input)?;
    let (input, count) = count(input, 8)?;
    let (input, children) = referent::read(input, count, budget).field("children")?;
    let (input, parents) = referent::read(input, count, budget).field("parents")?;
    Ok((input, Parents { version, children, parents }))
}

pub(crate) fn write_parents(parents: &Parents, out: &mut Vec<u8>) -> Result<()> {
    let (children, of) = (parents.children.len(), parents.parents.len());
    if children != of {
        return Err(Error::unwritable("parents", format!("{of} parents for {children} children")));
    }
    out.push(parents.version);
    put_count(children, "parents", out)?;
    referent::write(&parents.children, out);
    referent::write(&parents.parents, out);
    Ok(())
}
