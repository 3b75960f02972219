//! Chunk `HEAD`: the scale, the widths and the strings.
//!
//! | size | what |
//! |---|---|
//! | 4 | scale |
//! | 4 | thirteen widths of two bits each, and six bits that nobody uses |
//! | | the string table |

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::{le_f32, le_u32};

use super::chunk::read_chunk;
use super::fail::{At, Fail, Parsed};
use crate::consts::{Tag, TypeField, Types};

/// The content of the header.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    pub(crate) scale: f32,
    pub(crate) types: Types,
    pub(crate) strings: &'a [u8],
}

pub(crate) fn read(start: &[u8]) -> Parsed<'_, Head<'_>> {
    let (rest, (tag, data)) = read_chunk(start)?;
    if tag != Tag::HEAD {
        return Err(Fail::invalid(start, format!("chunk {tag} where HEAD must be")));
    }
    let (input, scale) = context("scale", le_f32).parse(data)?;
    let types_at = input;
    let (input, types) = context("types", le_u32).parse(input)?;
    let types = Types(types);
    for (field, bits) in [(TypeField::Vertex, 3), (TypeField::Name, 3), (TypeField::Voxel, 2)] {
        if types.get(field) == bits {
            let what = format!("{} {bits}, which no reader understands", field.as_str());
            return Err(Fail::unsupported(types_at, what)).field("types");
        }
    }
    let (_, strings) = take(input.len())(input)?;
    Ok((rest, Head { scale, types, strings }))
}

pub(crate) fn write(scale: f32, types: Types, out: &mut Vec<u8>) {
    out.extend_from_slice(&scale.to_le_bytes());
    out.extend_from_slice(&types.0.to_le_bytes());
}
