//! PROP: u32 id of the class, string name, u8 type, values. This module has the part before the type.

use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::wire::string;
use geom::wire::{At, Parsed, Result};

/// Reads the id of the class and the name of the property.
#[inline]
pub(crate) fn read(input: &[u8]) -> Parsed<'_, (u32, &[u8])> {
    let (input, class) = match input.split_first_chunk() {
        Some((&class, rest)) => (rest, u32::from_le_bytes(class)),
        None => context("class_id", le_u32).parse(input)?,
    };
    let (input, name) = string::read(input).field("name")?;
    Ok((input, (class, name)))
}

pub(crate) fn write(class: u32, name: &[u8], out: &mut Vec<u8>) -> Result<()> {
    out.extend(class.to_le_bytes());
    string::write(name, "name", out)
}
