//! `HSRAVIS`: u32 number of flags, and a bit for each, the lowest bit of a byte first.

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::model::{Mesh, Visibility};
use geom::wire::{Counted, Error, Parsed, Result};

pub(crate) fn read<'a>(mesh: &mut Mesh, input: &'a [u8]) -> Parsed<'a, ()> {
    let (input, count) = context("count", le_u32).parse(input)?;
    let (rest, bits) = context("bits", take(count.div_ceil(8))).parse(input)?;
    mesh.visibility = Some(Visibility { count, bits: bits.to_vec() });
    Ok((rest, ()))
}

pub(crate) fn write(mesh: &Mesh, out: &mut Vec<u8>) -> Result<()> {
    let Some(Visibility { count, bits }) = &mesh.visibility else { return Ok(()) };
    if bits.len() != count.div_ceil(8) as usize {
        let bytes = Counted::new(bits.len(), "bytes of visibility flags");
        let what = format!("{bytes} (expected {} for {count} flags)", count.div_ceil(8));
        return Err(Error::unwritable("visibility.bits", what));
    }
    out.extend(count.to_le_bytes());
    out.extend_from_slice(bits);
    Ok(())
}
