//! Indices that are stored as differences of one or three bytes.

use crate::bytes::Bytes;
use geom::wire::Result;

/// The 23 bits of an index.
const MASK: u32 = 0x7f_ffff;

/// Reads `count` indices; each takes at least one byte.
pub(super) fn read(bytes: &mut Bytes<'_>, count: u64) -> Result<Vec<u32>> {
    let count = bytes.fits(count, 1)?;
    let mut indices = bytes.vec(count)?;
    let mut index = 0_u32;
    for _ in 0..count {
        let first = bytes.u8()?;
        let difference = match first {
            0..64 => first.into(),
            64..128 => u32::from(first).wrapping_sub(128),
            128.. => {
                let [second, third] = bytes.array()?;
                u32::from_be_bytes([0, first & 0x7f, second, third])
            }
        };
        index = index.wrapping_add(difference) & MASK;
        indices.push(index);
    }
    Ok(indices)
}

#[cfg(test)]
#[path = "../../tests/inside/deltas.rs"]
mod tests;
