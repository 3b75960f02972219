//! Model 3D.

use super::{Format, Trip};

pub(crate) const FORMAT: Format = Format {
    name: "m3d",
    detect: |bytes| m3d::detect(bytes).map(|variant| variant.to_string()),
    trip: |bytes| {
        let read = |bytes: &[u8]| m3d::from_slice(bytes).map_err(|error| error.to_string());
        let write = |model: &_| m3d::to_vec(model).map_err(|error| error.to_string());
        Trip::take(bytes, read, write, same)
    },
};

/// Whether two files are the same: byte for byte, or, where the payload is compressed, all that stands
/// in front of it but the size of the file, and the payload after decompression.
fn same(a: &[u8], b: &[u8]) -> bool {
    if a == b {
        return true;
    }
    let parts = |bytes: &[u8]| {
        let front = match bytes.get(8..16)? {
            [b'P', b'R', b'V', b'W', size @ ..] => u32::from_le_bytes(size.try_into().ok()?) as usize,
            _ => 0,
        };
        let compressed = bytes.get(8 + front..12 + front)? != b"HEAD";
        let front = bytes.get(8..8 + front)?.to_vec();
        compressed.then_some(())?;
        Some((front, m3d::payload(bytes).ok()?.into_owned()))
    };
    matches!((parts(a), parts(b)), (Some(a), Some(b)) if a == b)
}
