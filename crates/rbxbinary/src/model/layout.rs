//! What a rewrite needs and the model does not say.

use std::num::NonZeroU32;

use crate::consts::{ChunkName, Compression};

/// How the file was laid out, so that what nobody edited comes back as it was.
///
/// The default is what Studio writes: metadata, shared strings, classes, columns, parents, end, all
/// but the last compressed with LZ4. A part of the model that is not listed here is written where
/// Studio would write it, and a place whose part is gone is passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Layout {
    /// The chunks in the file's order; `None` in a document that was never in a file, which is written
    /// as Studio would.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub chunks: Option<Vec<Chunk>>,
    /// The version of the SSTR chunk, always 0 so far.
    pub shared_strings_version: u32,
    /// Bytes of the META chunk behind all that is known.
    pub metadata_extra: Vec<u8>,
    /// Bytes of the SSTR chunk behind all that is known.
    pub shared_strings_extra: Vec<u8>,
    /// Bytes of the PRNT chunk behind all that is known.
    pub parents_extra: Vec<u8>,
    /// What the END chunk holds, where that is not `</roblox>`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub end: Option<Vec<u8>>,
    /// The chunks that stand as [`Part::Raw`] in the file.
    pub raw: Vec<RawChunk>,
    /// The bytes of chunks as they stood in the file, where [`crate::ReadOptions::keep_compressed`]
    /// asked for them. Each is written again for as long as it stands for what the model says.
    pub compressed: Vec<Box<[u8]>>,
    /// Bytes behind the END chunk.
    pub trailing: Vec<u8>,
    /// The document was read with a filter, which left something out.
    pub partial: bool,
    /// The document was changed through this crate: [`crate::Document::normalize`] has work to do.
    pub edited: bool,
}

impl Layout {
    /// Whether the file has this part.
    pub(crate) fn has(&self, part: Part) -> bool {
        self.chunks.iter().flatten().any(|chunk| chunk.part == part)
    }
}

/// A chunk of the file: what stands there, and in which frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Chunk {
    /// What it holds.
    pub part: Part,
    /// How it is compressed.
    pub compression: Compression,
    /// Always 0 so far.
    pub reserved: u32,
    /// The place of its compressed bytes in [`Layout::compressed`], counted from 1, where they were
    /// kept.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub compressed: Option<NonZeroU32>,
}

impl Chunk {
    /// A part in the frame that Studio would give it.
    pub(crate) fn new(part: Part) -> Self {
        let compression = match part {
            Part::End => Compression::None,
            _ => Compression::Lz4,
        };
        Self { part, compression, reserved: 0, compressed: None }
    }
}

/// What stands in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Part {
    /// The metadata.
    Metadata,
    /// The shared strings.
    SharedStrings,
    /// The signatures.
    Signatures,
    /// The class with this index.
    Class(u32),
    /// A column: the index of the class, and that of the column in it.
    Property(u32, u32),
    /// The parents.
    Parents,
    /// The end.
    End,
    /// The chunk with this index in [`Layout::raw`].
    Raw(u32),
}

/// A chunk that is not known, or that says something a second time, as it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RawChunk {
    /// Its name.
    pub name: ChunkName,
    /// What it holds, decompressed.
    pub bytes: Vec<u8>,
}
