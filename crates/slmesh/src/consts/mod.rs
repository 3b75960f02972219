//! Names and limits.

pub mod joints;

use std::fmt;

/// In place of a joint of a vertex: there are no more.
pub const NO_JOINT: u8 = 0xff;

/// The greatest `version` that the viewer reads.
pub const MAX_VERSION: i32 = 999;
/// How many submeshes a level may have; the uploader makes another model of what is more.
pub const MAX_FACES: usize = 8;
/// How many vertices a submesh may have: the viewer wants fewer than 65,535.
pub const MAX_VERTICES: usize = 65_534;
/// How many triangles a face may have: uploaders cut it there, at 65,532 indices.
pub const MAX_FACE_TRIANGLES: usize = 21_844;
/// How many joints a skin may have in an upload.
pub const MAX_JOINTS: usize = 110;
/// How many points a hull may have.
pub const MAX_HULL_POINTS: usize = 256;
/// How many hulls a decomposition may have.
pub const MAX_HULLS: usize = 256;
/// How far from the origin a position may be along each axis.
pub const MAX_POSITION: f64 = 0.501;
/// How many bytes the viewer fetches for a header.
pub const MAX_HEADER: usize = 4096;

/// A level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Lod {
    /// The coarsest.
    Lowest,
    /// The second coarsest.
    Low,
    /// The second finest.
    Medium,
    /// The finest, which every asset has.
    High,
}

impl Lod {
    /// All levels, coarsest first.
    pub const ALL: [Self; 4] = [Self::Lowest, Self::Low, Self::Medium, Self::High];

    /// The key in the header.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Lowest => "lowest_lod",
            Self::Low => "low_lod",
            Self::Medium => "medium_lod",
            Self::High => "high_lod",
        }
    }

    /// The levels in the order in which the viewer takes them when this one is asked for: itself,
    /// the lower ones downwards, then the higher ones upwards.
    ///
    /// ```
    /// use slmesh::Lod;
    /// let order: Vec<_> = Lod::Low.fallback().collect();
    /// assert_eq!(order, [Lod::Low, Lod::Lowest, Lod::Medium, Lod::High]);
    /// ```
    pub fn fallback(self) -> impl Iterator<Item = Self> {
        let down = Self::ALL.into_iter().rev().filter(move |&lod| lod <= self);
        down.chain(Self::ALL.into_iter().filter(move |&lod| lod > self))
    }
}

impl fmt::Display for Lod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.key())
    }
}

/// What a file is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A mesh asset: [`crate::from_slice`] reads it.
    Asset,
    /// A `.slm` file of the uploader, with the meshes of a model in it: [`crate::Slm`] reads it.
    Slm,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Asset => "asset",
            Self::Slm => "slm",
        })
    }
}
