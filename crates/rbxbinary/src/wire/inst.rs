//! INST: u32 id, string name, u8 format, u32 count, referents; if the format is 1, a marker of one byte per instance.

use nom::Parser;
use nom::error::context;
use nom::number::complete::{le_u32, u8 as byte};

use crate::consts::ClassFormat;
use crate::model::Class;
use crate::wire::column::Wire;
use crate::wire::count::{count, put_count};
use crate::wire::interleave::records;
use crate::wire::{referent, string};
use geom::wire::{At, Budget, Here, Parsed, Problem, Refuse as _, Result};

pub(crate) fn read<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Class> {
    let (input, id) = context("id", le_u32).parse(input)?;
    let (input, name) = context("name", string::read).parse(input)?;
    let name = budget.copy(name).here(input)?.into();
    let (input, format) = context("format", byte).parse(input)?;
    let format = ClassFormat(format);
    let (input, count) = count(input, 4)?;
    let (mut input, referents) = Vec::read(input, count, budget).field("referents")?;
    let mut markers = Vec::new();
    if format == ClassFormat::SERVICE {
        let (after, bytes) = records(input, count, 1).field("markers")?;
        markers = budget.copy(bytes).here(input)?;
        input = after;
    }
    Ok((input, Class { id, name, format, referents, markers, ..Class::default() }))
}

pub(crate) fn write(class: &Class, out: &mut Vec<u8>) -> Result<()> {
    let expected = if class.format == ClassFormat::SERVICE { class.referents.len() } else { 0 };
    Problem::length("service markers", class.markers.len(), expected).unwritable("markers")?;
    out.extend(class.id.to_le_bytes());
    string::write(&class.name, "name", out)?;
    out.push(class.format.0);
    put_count(class.referents.len(), "referents", out)?;
    referent::write(&class.referents, out);
    out.extend_from_slice(&class.markers);
    out.extend_from_slice(&class.extra);
    Ok(())
}
