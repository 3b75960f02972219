//! LLSD in its three encodings.

pub(crate) mod vectors;

use llsd::Document;

use super::{Format, Trip};

pub(crate) const FORMAT: Format = Format {
    name: "llsd",
    detect: |bytes| llsd::detect(bytes).map(|encoding| encoding.to_string()),
    trip: |bytes| {
        let read = |bytes: &[u8]| Document::from_slice(bytes).map_err(|error| error.to_string());
        let write = |document: &Document| document.to_vec().map_err(|error| error.to_string());
        Trip::take(bytes, read, write, |a, b| a == b)
    },
};
