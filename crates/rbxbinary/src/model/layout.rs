//! What a rewrite needs and the model does not tell.

use std::num::NonZeroU32;

use crate::consts::{ChunkName, Compression};

/// How the file was laid out, so that an unedited document comes back as it was.
///
/// The default is what Studio writes: metadata, shared strings, classes, columns, parents, end, all but the last
/// compressed with LZ4. So is an edited document written, and one whose layout does not list its parts, each in
/// a possible order: with the compression of the first chunk that is compressed, where that is shorter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Layout {
    /// The chunks in the file's order; `None` in a document that was never in a file.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub chunks: Option<Vec<LayoutChunk>>,
    /// The version of the SSTR chunk, always 0 so far.
    pub shared_strings_version: u32,
    /// Bytes of the META chunk after all that is known.
    pub metadata_extra: Vec<u8>,
    /// Bytes of the SSTR chunk after all that is known.
    pub shared_strings_extra: Vec<u8>,
    /// Bytes of the PRNT chunk after all that is known.
    pub parents_extra: Vec<u8>,
    /// The content of the END chunk, where that is not `</roblox>`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub end: Option<Vec<u8>>,
    /// The chunks that the file has and the model does not: see [`ChunkKind::Other`].
    pub other: Vec<OtherChunk>,
    /// The bytes of chunks as they were in the file, where [`crate::ReadOptions::keep_compressed`] asked for
    /// them. Each is written again as long as it decompresses to what the model has.
    pub compressed: Vec<Box<[u8]>>,
    /// Bytes after the END chunk.
    pub trailing: Vec<u8>,
    /// The document was read with a filter, which left something out.
    pub partial: bool,
    /// The document was changed by one of its methods: it is written in Studio's order.
    pub edited: bool,
}

/// A chunk of the file: what it contains, and its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LayoutChunk {
    /// What it contains.
    pub kind: ChunkKind,
    /// How it is compressed.
    pub compression: Compression,
    /// Always 0 so far.
    pub reserved: u32,
    /// The index of its compressed bytes in [`Layout::compressed`], counted from 1, where they were kept.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub compressed: Option<NonZeroU32>,
}

/// What a chunk contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ChunkKind {
    /// The metadata.
    Metadata,
    /// The shared strings.
    SharedStrings,
    /// The class with this index.
    Class(u32),
    /// A column: the index of the class, and that of the column in it.
    Property(u32, u32),
    /// The parents.
    Parents,
    /// The signatures.
    Signatures,
    /// The chunk with this index in [`Layout::other`].
    Other(u32),
    /// The end.
    End,
}

/// A chunk that is not known, or that repeats what only one chunk can be, as it is in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OtherChunk {
    /// Its name.
    pub name: ChunkName,
    /// Its content, decompressed.
    pub bytes: Vec<u8>,
}
