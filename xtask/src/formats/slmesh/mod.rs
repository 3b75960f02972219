//! Second Life mesh assets.

use super::{Format, Trip};

pub(crate) const FORMAT: Format = Format {
    name: "slmesh",
    detect: |bytes| slmesh::detect(bytes).map(|kind| kind.to_string()),
    trip: |bytes| {
        if slmesh::detect(bytes) == Some(slmesh::Kind::Slm) {
            let read = |bytes: &[u8]| slmesh::Slm::from_slice(bytes).map_err(|error| error.to_string());
            let write = |slm: &slmesh::Slm| slm.to_vec().map_err(|error| error.to_string());
            return Trip::take(bytes, read, write, |a, b| a == b);
        }
        let read = |bytes: &[u8]| slmesh::from_slice(bytes).map_err(|error| error.to_string());
        let write = |asset: &_| slmesh::to_vec(asset).map_err(|error| error.to_string());
        Trip::take(bytes, read, write, |a, b| a == b)
    },
};
