//! The data, beyond the content, that is needed to write a file back unchanged.

use geom::wire::{Bytes, short_debug};
use llsd::Text;

/// The layout of the file, so that unedited parts come back unchanged.
///
/// Edits do not update this: when an asset is written, each block of the model is compared with the content of its
/// kept bytes, and those bytes are written if both are the same. The default gives a file as the viewer writes it.
#[derive(Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Layout {
    /// The original header, including a deprecated `<? LLSD/Binary ?>`. If an edit changes the header, this
    /// determines the order of the keys, and the prefix is dropped: today's viewers do not read it.
    pub header: Vec<u8>,
    /// The blocks in their original order.
    pub blocks: Vec<Kept>,
    /// Bytes after the last block.
    pub trailing: Vec<u8>,
}

/// A block as stored in a file.
#[derive(Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Kept {
    /// Its key in the header.
    pub name: Text,
    /// Bytes before it that belong to no block.
    pub gap: Vec<u8>,
    /// The block, compressed; empty for a block that this crate does not understand, whose bytes are
    /// in [`crate::Asset::other_blocks`].
    pub bytes: Vec<u8>,
}

short_debug! {
    Layout { blocks; header => Bytes(header), trailing => Bytes(trailing) }
    Kept { name; gap => Bytes(gap), bytes => Bytes(bytes) }
}
