//! `EXT_meshopt_compression` and `KHR_meshopt_compression`: decompresses buffer views into new buffers.
//!
//! After its stream is read, a filter may convert the numbers of a view to vectors of length 1, quaternions, floats or
//! colours.
//! The layouts are those of the appendices of the extensions' specifications.

mod filters;
mod streams;

use std::collections::{BTreeSet, HashMap};

use gltf::json::Index;
use gltf::json::buffer::View;
use gltf::json::validation::USize64;
use rezkit_core::{Error, Result};

use super::expand::{Expanding, MESHOPT};
use super::wording::what;
use filters::{color_8, color_16, exponential, octahedral_8, octahedral_16, quaternion};
use streams::{attributes, indices, triangles};

/// The extension of a buffer view.
#[derive(PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Compressed {
    buffer: u32,
    #[serde(default)]
    byte_offset: u64,
    byte_length: u64,
    byte_stride: u64,
    count: u64,
    mode: String,
    #[serde(default)]
    filter: Option<String>,
}

/// Whether a buffer exists only for programs that do not know the extension.
pub(super) fn is_fallback(buffer: &gltf::json::Buffer) -> bool {
    let extensions = buffer.extensions.as_ref();
    let is_told = |name| extensions.and_then(|all| all.others.get(name)?.get("fallback")?.as_bool());
    MESHOPT.into_iter().any(|name| is_told(name) == Some(true))
}

impl Expanding<'_, '_> {
    /// Decompresses the buffer views that accessors and images use; those with the same compressed bytes once.
    pub(super) fn meshopt(&mut self) -> Result<()> {
        let sparse = self.json.accessors.iter().filter_map(|accessor| accessor.sparse.as_ref());
        let sparse = sparse.flat_map(|sparse| [sparse.indices.buffer_view, sparse.values.buffer_view]);
        let plain = self.json.accessors.iter().filter_map(|accessor| accessor.buffer_view);
        let images = self.json.images.iter().filter_map(|image| image.buffer_view);
        let used: BTreeSet<usize> = plain.chain(sparse).chain(images).map(|view| view.value()).collect();
        let mut known = HashMap::new();
        for at in 0..self.json.buffer_views.len() {
            let extensions = self.json.buffer_views[at].extensions.as_ref();
            let find = |name| Some((name, extensions?.others.get(name)?));
            let Some((name, found)) = MESHOPT.into_iter().find_map(find) else { continue };
            if !used.contains(&at) {
                let view = &mut self.json.buffer_views[at];
                (view.byte_offset, view.byte_length) = (None, USize64(0));
                continue;
            }
            let path = format!("bufferViews[{at}].{name}");
            let broken = |error: serde_json::Error| Error::unreadable(format!("{path}: {}", what(&error)));
            let compressed: Compressed = serde_json::from_value(found.clone()).map_err(broken)?;
            let stride = self.json.buffer_views[at].byte_stride.map(|stride| stride.0 as u64);
            if let Some(stride) = stride.filter(|stride| *stride != compressed.byte_stride) {
                return Err(Error::unreadable(format!(
                    "{path}: byteStride is {}, expected that of the buffer view ({stride})",
                    compressed.byte_stride
                )));
            }
            let new = match known.get(&compressed) {
                Some(known) => *known,
                None => {
                    let bytes = self.decompressed(&compressed, &path)?;
                    let new = self.view(bytes);
                    *known.entry(compressed).or_insert(new)
                }
            };
            let View { buffer, byte_length, .. } = self.json.buffer_views[new.value()];
            let view = &mut self.json.buffer_views[at];
            (view.buffer, view.byte_offset, view.byte_length) = (buffer, None, byte_length);
        }
        Ok(())
    }

    fn decompressed(&mut self, compressed: &Compressed, path: &str) -> Result<Vec<u8>> {
        let Compressed { buffer, byte_offset, byte_length, byte_stride, count, mode, filter } = compressed;
        let broken = |what: &str| Error::unreadable(format!("{path}: {what}"));
        let total = count
            .checked_mul(*byte_stride)
            .ok_or_else(|| broken("count times byteStride is more than 2^64 bytes"))?;
        self.budget.take(total, path)?;
        // Real streams are at most some ten times smaller.
        let steps = total.saturating_sub(byte_length.saturating_mul(16)).saturating_mul(4);
        self.budget.work(steps, "the buffer views with meshopt compression")?;
        let [stride, count] =
            [*byte_stride, *count].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let [start, length] = [*byte_offset, *byte_length].map(|number| usize::try_from(number).ok());
        let all = self.buffer(Index::new(*buffer)).zip(start.zip(length));
        let bytes = all.and_then(|(all, (start, length))| all.get(start..)?.get(..length));
        let bytes = bytes.ok_or_else(|| {
            broken(&format!(
                "buffers[{buffer}] does not exist, or is too short for byteOffset {byte_offset} and byteLength \
                 {byte_length}"
            ))
        })?;
        let short = || broken("the compressed data is truncated, or is not valid for its mode");
        let mut values = match mode.as_str() {
            "ATTRIBUTES" if stride % 4 == 0 && (4..=256).contains(&stride) => {
                attributes(bytes, count, stride)
            }
            "TRIANGLES" if matches!(stride, 2 | 4) && count % 3 == 0 => triangles(bytes, count, stride),
            "INDICES" if matches!(stride, 2 | 4) => indices(bytes, count, stride),
            mode => {
                let wanted = match mode {
                    "ATTRIBUTES" => "a byteStride that is a multiple of 4, up to 256",
                    "TRIANGLES" => "a byteStride of 2 or 4, and a count that is a multiple of 3",
                    "INDICES" => "a byteStride of 2 or 4",
                    _ => {
                        return Err(broken(&format!(
                            "expected the mode ATTRIBUTES, TRIANGLES or INDICES, found {mode:?}"
                        )));
                    }
                };
                return Err(broken(&format!(
                    "the mode {mode} requires {wanted} (found: byteStride {stride}, count {count})"
                )));
            }
        }
        .ok_or_else(short)?;
        match (filter.as_deref(), mode.as_str(), stride) {
            (None | Some("NONE"), ..) => {}
            (Some("OCTAHEDRAL"), "ATTRIBUTES", 4) => {
                values.as_chunks_mut().0.iter_mut().for_each(octahedral_8)
            }
            (Some("OCTAHEDRAL"), "ATTRIBUTES", 8) => {
                values.as_chunks_mut().0.iter_mut().for_each(octahedral_16)
            }
            (Some("QUATERNION"), "ATTRIBUTES", 8) => values.as_chunks_mut().0.iter_mut().for_each(quaternion),
            (Some("EXPONENTIAL"), "ATTRIBUTES", _) => {
                values.as_chunks_mut().0.iter_mut().for_each(exponential)
            }
            (Some("COLOR"), "ATTRIBUTES", 4) => values.as_chunks_mut().0.iter_mut().for_each(color_8),
            (Some("COLOR"), "ATTRIBUTES", 8) => values.as_chunks_mut().0.iter_mut().for_each(color_16),
            (Some(filter), ..) => {
                let strides = match filter {
                    "OCTAHEDRAL" | "COLOR" => " and a byteStride of 4 or 8",
                    "QUATERNION" => " and a byteStride of 8",
                    "EXPONENTIAL" => "",
                    _ => {
                        return Err(broken(&format!(
                            "expected the filter NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL or COLOR, found {filter:?}"
                        )));
                    }
                };
                return Err(broken(&format!(
                    "the filter {filter} requires the mode ATTRIBUTES{strides} (found: mode {mode}, byteStride \
                     {stride})"
                )));
            }
        }
        Ok(values)
    }
}
