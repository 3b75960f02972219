//! What a rewrite needs beside the content.

use llsd::Text;

/// How the file was laid out, so that what was not edited comes back as it was.
///
/// Nothing in here follows an edit: when an asset is written, each block of the model is compared
/// with the content of its kept bytes, and these are written if both are the same. The default is what
/// the viewer writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Layout {
    /// The header as it was, a deprecated `<? LLSD/Binary ?>` included. If an edit changes the
    /// header, this gives the order of the keys, and the prefix is not written again: viewers of
    /// today do not read it.
    pub header: Vec<u8>,
    /// The blocks in the order in which they were.
    pub blocks: Vec<Kept>,
    /// Bytes after the last block.
    pub trailing: Vec<u8>,
}

/// A block as it was in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
