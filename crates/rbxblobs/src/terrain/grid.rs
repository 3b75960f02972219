//! The coordinates of terrain chunks and blocks: big-endian differences from the previous ones, with the bytes of x, y
//! and z interleaved.

use crate::bytes::Bytes;
use geom::wire::Result;

/// The position of a chunk or block along x, y and z, in units of its edge.
pub type Coordinates = [i32; 3];

/// Reads the coordinates after `last`.
pub(super) fn read(bytes: &mut Bytes<'_>, last: Coordinates) -> Result<Coordinates> {
    let bytes: [u8; 12] = bytes.array()?;
    let mut next = last;
    for (axis, value) in next.iter_mut().enumerate() {
        let difference = [bytes[axis], bytes[3 + axis], bytes[6 + axis], bytes[9 + axis]];
        *value = value.wrapping_add(i32::from_be_bytes(difference));
    }
    Ok(next)
}

/// Appends the coordinates `next`, which follow `last`.
pub(super) fn write(out: &mut Vec<u8>, last: Coordinates, next: Coordinates) {
    let mut bytes = [0; 12];
    for axis in 0..3 {
        let difference = next[axis].wrapping_sub(last[axis]).to_be_bytes();
        for (index, byte) in difference.into_iter().enumerate() {
            bytes[index * 3 + axis] = byte;
        }
    }
    out.extend_from_slice(&bytes);
}
