//! The chunks of a file of 6.00 or 7.00, and the visibility flags, which exist only as a chunk.

use crate::consts::{ChunkKind, ChunkTag};

/// A chunk of the file that a mesh was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Chunk {
    /// Its name, as stored in the file.
    pub tag: ChunkTag,
    /// The version of its layout.
    pub version: u32,
    /// Its content.
    pub payload: Payload,
}

/// The content of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Payload {
    /// A part of the mesh, which has its content.
    Model {
        /// The bytes after the known content.
        extra: Vec<u8>,
    },
    /// The bytes of a chunk that is kept as it is: its name or version is unknown, it is empty, or it is not the first
    /// with its name.
    Kept(Vec<u8>),
}

impl Chunk {
    /// Whether its layout is known.
    pub fn is_known(&self) -> bool {
        self.kind().is_some()
    }

    /// The part of the mesh that it contains, if its layout is known.
    pub(crate) fn kind(&self) -> Option<ChunkKind> {
        self.tag.kind().filter(|kind| kind.knows(self.version))
    }
}

/// Flags that tell which parts of a mesh are always visible (`HSRAVIS`). It is not known whether a flag refers to a
/// vertex, a face or something else; no public file has any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Visibility {
    /// The number of flags.
    pub count: u32,
    /// Eight flags per byte, lowest bit first.
    pub bits: Vec<u8>,
}

impl Visibility {
    /// The flag with this index; `None` if it is out of range.
    pub fn get(&self, index: u32) -> Option<bool> {
        let byte = self.bits.get((index / 8) as usize).filter(|_| index < self.count)?;
        Some(byte >> (index % 8) & 1 == 1)
    }

    /// The flags in order.
    pub fn iter(&self) -> impl Iterator<Item = bool> {
        (0..self.count).map_while(|index| self.get(index))
    }
}

impl FromIterator<bool> for Visibility {
    fn from_iter<I: IntoIterator<Item = bool>>(flags: I) -> Self {
        let mut made = Self::default();
        for flag in flags {
            if made.count.is_multiple_of(8) {
                made.bits.push(0);
            }
            if let Some(last) = made.bits.last_mut() {
                *last |= u8::from(flag) << (made.count % 8);
            }
            made.count += 1;
        }
        made
    }
}
