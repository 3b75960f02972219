//! PRNT: u8 version, u32 count, referents, referents of the parents.

use nom::Parser;
use nom::error::context;
use nom::number::complete::u8 as byte;

use crate::model::Parents;
use crate::wire::column::Wire;
use crate::wire::count::{count, put_count};
use crate::wire::referent;
use geom::wire::{At, Budget, Parsed, Problem, Refuse as _, Result};

pub(crate) fn read<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Parents> {
    let (input, version) = context("version", byte).parse(input)?;
    let (input, count) = count(input, 8)?;
    let (input, children) = Vec::read(input, count, budget).field("children")?;
    let (input, parents) = Vec::read(input, count, budget).field("parents")?;
    Ok((input, Parents { version, children, parents }))
}

pub(crate) fn write(parents: &Parents, out: &mut Vec<u8>) -> Result<()> {
    let children = parents.children.len();
    Problem::length("parents", parents.parents.len(), children).unwritable("parents")?;
    out.push(parents.version);
    put_count(children, "parents", out)?;
    referent::write(&parents.children, out);
    referent::write(&parents.parents, out);
    Ok(())
}
