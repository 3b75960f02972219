//! Skips metadata: named values about the mesh and its attributes.

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::multi::length_data;
use nom::number::complete::le_u8;

use crate::wire::draco::bits::{read_block, read_varint};
use geom::wire::{Fail, Parsed};

/// The maximum depth of nested elements. Only the number of remaining children is kept per level.
const DEPTH: usize = 64;

/// | size | what |
/// |---|---|
/// | varint | the number of attributes with metadata |
/// | ... | for each: varint id, and an element |
/// | ... | the element of the mesh |
pub(crate) fn skip(start: &[u8]) -> Parsed<'_, ()> {
    let (mut input, attributes) = context("attributes", read_varint).parse(start)?;
    for _ in 0..attributes {
        let (rest, _) = context("id", read_varint).parse(input)?;
        (input, ()) = skip_element(rest)?;
    }
    skip_element(input)
}

/// | size | what |
/// |---|---|
/// | varint | the number of values |
/// | ... | for each: u8 length and name, varint length and bytes |
/// | varint | the number of child elements |
/// | ... | for each: u8 length and name, and the element |
fn skip_element(start: &[u8]) -> Parsed<'_, ()> {
    let mut input = skip_values(start)?.0;
    let (rest, children) = context("children", read_varint).parse(input)?;
    input = rest;
    let mut left = vec![children];
    while let Some(children) = left.last_mut() {
        let Some(after) = children.checked_sub(1) else {
            left.pop();
            continue;
        };
        *children = after;
        if left.len() >= DEPTH {
            return Err(Fail::unsupported(input, "Draco metadata nested deeper than 64 levels"));
        }
        let (rest, _) = context("name", length_data(le_u8)).parse(input)?;
        let (rest, ()) = skip_values(rest)?;
        let (rest, children) = context("children", read_varint).parse(rest)?;
        input = rest;
        left.push(children);
    }
    Ok((input, ()))
}

fn skip_values(start: &[u8]) -> Parsed<'_, ()> {
    let (mut input, count) = context("values", read_varint).parse(start)?;
    for _ in 0..count {
        let (rest, len) = context("name", le_u8).parse(input)?;
        let (rest, _) = context("name", take(len)).parse(rest)?;
        (input, _) = context("value", read_block).parse(rest)?;
    }
    Ok((input, ()))
}
