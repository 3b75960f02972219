//! Versions, magic bytes and tags.

use std::fmt;
use std::str::FromStr;

use geom::wire::{Error, Result};

/// The first bytes of every mesh, followed by the number of the version and a line end.
pub(crate) const MAGIC: &[u8; 8] = b"version ";

/// The index that means "no bone": in a file, the parent of a bone at the root, and an unused entry of a subset's
/// table.
pub const NO_BONE: u16 = 0xffff;

/// The maximum number of bones in a subset.
pub const BONES_PER_SUBSET: usize = 26;

/// The layout of a version's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lines of text.
    Text,
    /// A header, then records.
    Records(HeaderForm),
    /// Chunks.
    Chunks,
}

/// The headers of 2.00 to 5.00.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderForm {
    V2,
    V3,
    V4,
    V5,
}

/// Declares the versions, one per line: the number as stored in the file, and the form of its files.
macro_rules! versions {
    ($(#[$about:meta])* Version: $($(#[$doc:meta])* $name:ident = $number:literal, $form:expr;)+) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum Version {
            $($(#[$doc])* $name,)+
        }

        impl Version {
            /// Every version, oldest first.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The number as stored in the file: `4.01`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $number),+ }
            }

            /// The layout of its files.
            pub(crate) const fn form(self) -> Form {
                match self { $(Self::$name => $form),+ }
            }
        }
    };
}

versions! {
    /// A version of the format, in order of release.
    ///
    /// 1.00 and 1.01 are text, 2.00 to 5.00 are records after a header, 6.00 and 7.00 are chunks. No
    /// difference in layout is known between 3.00 and 3.01, or between 4.00 and 4.01.
    Version:
    /// Text, with positions at twice their size.
    V1_00 = "1.00", Form::Text;
    /// Text.
    V1_01 = "1.01", Form::Text;
    /// Vertices of 36 or 40 bytes and indexed faces. Every client reads this version.
    #[default]
    V2_00 = "2.00", Form::Records(HeaderForm::V2);
    /// With levels of detail.
    V3_00 = "3.00", Form::Records(HeaderForm::V3);
    /// As 3.00.
    V3_01 = "3.01", Form::Records(HeaderForm::V3);
    /// With bones, envelopes and subsets.
    V4_00 = "4.00", Form::Records(HeaderForm::V4);
    /// As 4.00.
    V4_01 = "4.01", Form::Records(HeaderForm::V4);
    /// With facial animation (FACS).
    V5_00 = "5.00", Form::Records(HeaderForm::V5);
    /// The parts of 5.00 as chunks.
    V6_00 = "6.00", Form::Chunks;
    /// Chunks, with vertices and faces compressed.
    V7_00 = "7.00", Form::Chunks;
}

impl Version {
    pub(crate) fn from_number(number: &[u8]) -> Option<Self> {
        Self::ALL.iter().copied().find(|version| version.as_str().as_bytes() == number)
    }

    /// All versions, as in messages.
    pub(crate) fn known() -> String {
        Self::ALL.iter().map(|version| version.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Whether files of this version are text.
    pub const fn is_text(self) -> bool {
        matches!(self.form(), Form::Text)
    }

    /// Whether files of this version are chunks.
    pub const fn is_chunked(self) -> bool {
        matches!(self.form(), Form::Chunks)
    }

    /// Whether the version can represent the content of a chunk.
    pub(crate) fn has(self, kind: ChunkKind) -> bool {
        self >= kind.since()
    }

    /// Whether the version has levels of detail.
    pub fn has_lods(self) -> bool {
        self.has(ChunkKind::Lods)
    }

    /// Whether the version has bones and [`LodType`], the origin of the levels of detail.
    pub fn has_skin(self) -> bool {
        self.has(ChunkKind::Skinning)
    }

    /// Whether the version has facial animation.
    pub fn has_facs(self) -> bool {
        self.has(ChunkKind::Facs)
    }

    /// Whether the file has a header, which can contain bytes without a known meaning.
    pub(crate) const fn has_header(self) -> bool {
        matches!(self.form(), Form::Records(_))
    }

    /// Whether the header has the sizes of a vertex and of a face.
    pub(crate) const fn has_strides(self) -> bool {
        match self.form() {
            Form::Records(HeaderForm::V2 | HeaderForm::V3) => true,
            Form::Text | Form::Records(HeaderForm::V4 | HeaderForm::V5) | Form::Chunks => false,
        }
    }

    /// Whether the header has a byte of unknown meaning.
    pub(crate) const fn has_reserved(self) -> bool {
        match self.form() {
            Form::Records(HeaderForm::V4 | HeaderForm::V5) => true,
            Form::Text | Form::Records(HeaderForm::V2 | HeaderForm::V3) | Form::Chunks => false,
        }
    }
}

/// Parses a version number such as `4.01`.
impl FromStr for Version {
    type Err = Error;

    fn from_str(number: &str) -> Result<Self> {
        let unknown = || {
            let what = format!("expected one of {}, found {number:?}", Self::known());
            Error::invalid_argument("version", what)
        };
        Self::from_number(number.as_bytes()).ok_or_else(unknown)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The origin of the levels of detail. Values without a constant here are kept.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LodType(pub u16);

impl LodType {
    /// There are no levels.
    pub const NONE: Self = Self(0);
    /// Unknown.
    pub const UNKNOWN: Self = Self(1);
    /// By Roblox's own simplifier.
    pub const RBX_SIMPLIFIER: Self = Self(2);
    /// By meshoptimizer.
    pub const ZEUX_MESH_OPTIMIZER: Self = Self(3);
    // 4 is the most frequent value in real files; its name is not public.
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

/// The name of a chunk of 6.00 and 7.00: eight bytes, padded with zeros. Chunks with unknown names are kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ChunkTag(pub [u8; 8]);

/// The known chunks, one per line: what it contains, the name of its tag, the versions of its layout, and the first
/// version of a mesh that can represent its content.
macro_rules! chunks {
    ($($(#[$doc:meta])* $kind:ident $name:ident = $tag:literal, $versions:expr, since $since:ident;)+) => {
        /// The content of a known chunk.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum ChunkKind {
            $($kind,)+
        }

        impl ChunkKind {
            /// All known chunks, in the order of real files.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$kind),+];

            pub(crate) const fn tag(self) -> ChunkTag {
                match self { $(Self::$kind => ChunkTag::$name),+ }
            }

            /// The known versions of its layout, oldest first.
            pub(crate) const fn versions(self) -> &'static [u32] {
                match self { $(Self::$kind => &$versions),+ }
            }

            /// The first version of a mesh that can represent this content, as a chunk or otherwise.
            const fn since(self) -> Version {
                match self { $(Self::$kind => Version::$since),+ }
            }

            /// Whether this version of the chunk's layout is known.
            pub(crate) fn knows(self, version: u32) -> bool {
                self.versions().contains(&version)
            }
        }

        impl ChunkTag {
            $($(#[$doc])* pub const $name: Self = Self(*$tag);)+

            /// The known chunks, in the order of real files.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
        }
    };
}

chunks! {
    /// Vertices and faces: version 1 plain, version 2 compressed with Draco.
    Core COREMESH = b"COREMESH", [1, 2], since V1_00;
    /// The levels of detail.
    Lods LODS = b"LODS\0\0\0\0", [1], since V3_00;
    /// Envelopes, bones and subsets.
    Skinning SKINNING = b"SKINNING", [1], since V4_00;
    /// Facial animation.
    Facs FACS = b"FACS\0\0\0\0", [1], since V5_00;
    /// Visibility flags; no public file has any.
    Visibility HSRAVIS = b"HSRAVIS\0", [1], since V6_00;
}

impl ChunkTag {
    /// The content of a chunk with this name; `None` if the name is unknown.
    pub(crate) fn kind(&self) -> Option<ChunkKind> {
        ChunkKind::ALL.iter().copied().find(|kind| kind.tag().name() == self.name())
    }

    /// Whether this layout version of a chunk with this name is known.
    pub fn knows(&self, version: u32) -> bool {
        self.kind().is_some_and(|kind| kind.knows(version))
    }

    /// The name: the bytes before the first zero, without trailing spaces.
    pub fn name(&self) -> &[u8] {
        let end = self.0.iter().position(|&byte| byte == 0).unwrap_or(self.0.len());
        self.0[..end].trim_ascii_end()
    }
}

impl fmt::Debug for ChunkTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name().escape_ascii())
    }
}
