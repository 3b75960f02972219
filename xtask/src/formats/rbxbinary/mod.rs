//! Roblox binary places and models.

use super::{Format, Trip};

pub(crate) const FORMAT: Format = Format {
    name: "rbxbinary",
    detect: |bytes| rbxbinary::detect(bytes).map(|version| version.to_string()),
    trip: |bytes| {
        let read = |bytes: &[u8]| rbxbinary::from_slice(bytes).map_err(|error| error.to_string());
        let write = |document: &_| rbxbinary::to_vec(document).map_err(|error| error.to_string());
        Trip::take(bytes, read, write, |a, b| same(a, b) == Some(true))
    },
};

/// Whether two files have the same header, the same frames in the same order, and in each of them
/// the same bytes once decompressed, and the same bytes behind the last. `None` where a frame is
/// broken.
fn same(a: &[u8], b: &[u8]) -> Option<bool> {
    if a.get(..32)? != b.get(..32)? {
        return Some(false);
    }
    let (mut these, mut those) = (rbxbinary::chunks(a).ok()?, rbxbinary::chunks(b).ok()?);
    loop {
        match (these.next(), those.next()) {
            (None, None) => return Some(these.rest() == those.rest()),
            (Some(this), Some(that)) => {
                let (this, that) = (this.ok()?, that.ok()?);
                let frame = |chunk: &rbxbinary::RawFrame<'_>| {
                    (chunk.name, chunk.compression, chunk.len, chunk.reserved)
                };
                if frame(&this) != frame(&that) || this.data().ok()? != that.data().ok()? {
                    return Some(false);
                }
            }
            _ => return Some(false),
        }
    }
}
