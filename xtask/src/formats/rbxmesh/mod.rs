//! Roblox meshes.

use super::{Format, Trip};

pub(crate) const FORMAT: Format = Format {
    name: "rbxmesh",
    detect: |bytes| rbxmesh::detect(bytes).map(|version| version.to_string()),
    trip: |bytes| {
        let read = |bytes: &[u8]| rbxmesh::from_slice(bytes).map_err(|error| error.to_string());
        let write = |mesh: &_| rbxmesh::to_vec(mesh).map_err(|error| error.to_string());
        Trip::take(bytes, read, write, |a, b| a == b)
    },
};
