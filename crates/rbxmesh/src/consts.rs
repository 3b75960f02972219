//! Versions, magics and tags.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// The first bytes of every mesh; the number and a line end follow.
pub(crate) const MAGIC: &[u8; 8] = b"version ";

/// The number of no bone: a bone without a parent in a file, and an unused entry of a subset's table.
pub const NO_BONE: u16 = 0xffff;

/// How many bones a subset can use.
pub const BONES_PER_SUBSET: usize = 26;

/// A version of the format, in the order in which they came.
///
/// 1.00 and 1.01 are text, 2.00 to 5.00 fixed records after a header, 6.00 and 7.00 chunks. No
/// difference in layout is known between 3.00 and 3.01, or between 4.00 and 4.01.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Version {
    /// Text, positions at twice their size.
    V1_00,
    /// Text.
    V1_01,
    /// Vertices of 36 or 40 bytes and indexed faces. The one that every client reads.
    #[default]
    V2_00,
    /// With levels of detail.
    V3_00,
    /// As 3.00.
    V3_01,
    /// With bones, envelopes and subsets.
    V4_00,
    /// As 4.00.
    V4_01,
    /// With facial animation (FACS).
    V5_00,
    /// The parts of 5.00 as chunks.
    V6_00,
    /// Chunks, the mesh itself compressed.
    V7_00,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Self; 10] = [
        Self::V1_00,
        Self::V1_01,
        Self::V2_00,
        Self::V3_00,
        Self::V3_01,
        Self::V4_00,
        Self::V4_01,
        Self::V5_00,
        Self::V6_00,
        Self::V7_00,
    ];

    /// The number as it is in the file: `4.01`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1_00 => "1.00",
            Self::V1_01 => "1.01",
            Self::V2_00 => "2.00",
            Self::V3_00 => "3.00",
            Self::V3_01 => "3.01",
            Self::V4_00 => "4.00",
            Self::V4_01 => "4.01",
            Self::V5_00 => "5.00",
            Self::V6_00 => "6.00",
            Self::V7_00 => "7.00",
        }
    }

    pub(crate) fn from_number(number: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str().as_bytes() == number)
    }

    /// Whether files of this version are text.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::V1_00 | Self::V1_01)
    }

    /// Whether files of this version are chunks.
    pub const fn is_chunked(self) -> bool {
        matches!(self, Self::V6_00 | Self::V7_00)
    }

    /// Whether the version has levels of detail.
    pub fn has_lods(self) -> bool {
        self >= Self::V3_00
    }

    /// Whether the version has bones, and tells how the levels of detail were made.
    pub fn has_skin(self) -> bool {
        self >= Self::V4_00
    }

    /// Whether the version has facial animation.
    pub fn has_facs(self) -> bool {
        self >= Self::V5_00
    }

    /// Whether the file states the sizes of a vertex and of a face.
    pub(crate) const fn has_strides(self) -> bool {
        matches!(self, Self::V2_00 | Self::V3_00 | Self::V3_01)
    }

    /// Whether the header has a byte whose meaning is not known.
    pub(crate) const fn has_reserved(self) -> bool {
        matches!(self, Self::V4_00 | Self::V4_01 | Self::V5_00)
    }

    /// Whether the two are laid out alike, so that bytes without a known meaning can go from one to
    /// the other.
    pub(crate) const fn same_header(self, other: Self) -> bool {
        self.header_len() == other.header_len() && self.is_text() == other.is_text()
    }

    /// The size of the header after the first line, as far as it is known.
    pub(crate) const fn header_len(self) -> usize {
        match self {
            Self::V1_00 | Self::V1_01 | Self::V6_00 | Self::V7_00 => 0,
            Self::V2_00 => 12,
            Self::V3_00 | Self::V3_01 => 16,
            Self::V4_00 | Self::V4_01 => 24,
            Self::V5_00 => 32,
        }
    }
}

/// From its number, as `4.01`.
impl FromStr for Version {
    type Err = Error;

    fn from_str(number: &str) -> Result<Self> {
        let unknown = || Error::invalid_argument("version", format!("{number:?} is not 1.00 to 7.00"));
        Self::from_number(number.as_bytes()).ok_or_else(unknown)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How the levels of detail were made. Open: values without a name are kept.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LodType(pub u16);

impl LodType {
    /// There are no levels.
    pub const NONE: Self = Self(0);
    /// It is not known how.
    pub const UNKNOWN: Self = Self(1);
    /// By Roblox's own simplifier.
    pub const RBX_SIMPLIFIER: Self = Self(2);
    /// By meshoptimizer.
    pub const ZEUX_MESH_OPTIMIZER: Self = Self(3);
    // 4 is the most frequent in real files; its name is not public.
}

impl fmt::Debug for LodType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NONE => f.write_str("NONE"),
            Self::UNKNOWN => f.write_str("UNKNOWN"),
            Self::RBX_SIMPLIFIER => f.write_str("RBX_SIMPLIFIER"),
            Self::ZEUX_MESH_OPTIMIZER => f.write_str("ZEUX_MESH_OPTIMIZER"),
            Self(other) => write!(f, "LodType({other})"),
        }
    }
}

/// The name of a chunk of 6.00 and 7.00: eight bytes, padded with zeros. Open: chunks without a name
/// here are kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ChunkTag(pub [u8; 8]);

impl ChunkTag {
    /// Vertices and faces: version 1 plain, version 2 compressed with Draco.
    pub const COREMESH: Self = Self(*b"COREMESH");
    /// The levels of detail.
    pub const LODS: Self = Self(*b"LODS\0\0\0\0");
    /// Envelopes, bones and subsets.
    pub const SKINNING: Self = Self(*b"SKINNING");
    /// Facial animation.
    pub const FACS: Self = Self(*b"FACS\0\0\0\0");
    /// What is always visible; no public file has it.
    pub const HSRAVIS: Self = Self(*b"HSRAVIS\0");

    /// The chunks that are known, in the order in which files have them.
    pub const ALL: [Self; 5] = [Self::COREMESH, Self::LODS, Self::SKINNING, Self::FACS, Self::HSRAVIS];

    /// Whether a version of the layout of a chunk with this name is known.
    pub fn knows(&self, version: u32) -> bool {
        let known = Self::ALL.iter().any(|tag| tag.name() == self.name());
        known && (version == 1 || version == 2 && self.name() == Self::COREMESH.name())
    }

    /// The name: the bytes before the first zero, without spaces at their end.
    pub fn name(&self) -> &[u8] {
        self.0.split(|&byte| byte == 0).next().unwrap_or_default().trim_ascii_end()
    }
}

impl fmt::Debug for ChunkTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name().escape_ascii())
    }
}
