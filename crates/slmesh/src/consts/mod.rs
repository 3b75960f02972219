//! Names and limits.

pub mod joints;

use std::fmt;

/// Stored in place of a joint, ends the list of a vertex's joints.
pub const NO_JOINT: u8 = 0xff;

/// The greatest `version` that the viewer reads.
pub const MAX_VERSION: i32 = 999;
/// The maximum number of submeshes of a level; the uploader puts further ones into another model.
pub const MAX_FACES: usize = 8;
/// The maximum number of vertices of a submesh: the viewer requires fewer than 65,535.
pub const MAX_VERTICES: usize = 65_534;
/// The maximum number of triangles of a face: uploaders split a face after this many, which have 65,532 indices.
pub const MAX_FACE_TRIANGLES: usize = 21_844;
/// The maximum number of joints of a skin in an upload.
pub const MAX_JOINTS: usize = 110;
/// The maximum number of points of a hull.
pub const MAX_HULL_POINTS: usize = 256;
/// The maximum number of hulls of a decomposition.
pub const MAX_HULLS: usize = 256;
/// The maximum distance of a position from the origin along each axis.
pub const MAX_POSITION: f64 = 0.501;
/// The number of bytes that the viewer fetches for a header.
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

    /// The levels in the order in which the viewer tries them for this one: itself, then lower ones downwards, then
    /// higher ones upwards.
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

/// The kind of a file, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A mesh asset: [`crate::from_slice`] reads it.
    Asset,
    /// A `.slm` file of the uploader, which contains the meshes of a model: [`crate::Slm`] reads it.
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
