//! Roblox models and places in XML.

use super::{Format, Trip};

pub(crate) const FORMAT: Format = Format {
    name: "rbxxml",
    detect: |bytes| rbxxml::detect(bytes).map(|version| version.to_string()),
    trip: |bytes| {
        let read = |bytes: &[u8]| rbxxml::from_slice(bytes).map_err(|error| error.to_string());
        let write = |document: &_| rbxxml::to_vec(document).map_err(|error| error.to_string());
        Trip::take(bytes, read, write, |a, b| a == b)
    },
};
