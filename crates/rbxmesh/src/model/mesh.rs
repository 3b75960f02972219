//! The mesh.

use crate::consts::Version;
use crate::model::{Bone, Envelope, Facs, Layout, Lods, Subset, Vertex, Visibility};

/// A mesh of any version.
///
/// What differs between versions is the same here: positions are at their true size (1.00 stores them
/// doubled), v grows downwards (1.x stores it upwards), the triangles of 1.x are faces of three vertices
/// of their own, and a vertex without a colour is white. What else a rewrite needs is in
/// [`Mesh::layout`].
///
/// `==` compares everything but the layout: floats by their bits, except that every NaN equals every NaN.
/// [`Mesh::same_layout`] compares the rest.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mesh {
    /// The version that it was read from, and that it is written as. [`Mesh::to_version`] changes it
    /// together with what the other version cannot represent.
    pub version: Version,
    /// The vertices, of all levels of detail.
    pub vertices: Vec<Vertex>,
    /// Three vertex indices per face, the levels of detail one after the other.
    pub faces: Vec<[u32; 3]>,
    /// The levels of detail.
    pub lods: Lods,
    /// The bones that move a vertex, one entry per vertex; empty where there is no skin.
    pub envelopes: Vec<Envelope>,
    /// The bones; empty where there is no skin.
    pub bones: Vec<Bone>,
    /// Which bones a run of vertices uses.
    pub subsets: Vec<Subset>,
    /// Facial animation, from 5.00 on.
    pub facs: Option<Facs>,
    /// What is always visible, from 6.00 on.
    pub visibility: Option<Visibility>,
    /// The third texture coordinate of a 1.x file, one per vertex; empty where all are zero. Its meaning
    /// is not known, and later versions do not have it.
    pub texture_w: Vec<f32>,
    /// How the file was laid out.
    pub layout: Layout,
}

impl Mesh {
    /// The faces of each level of detail, finest first.
    ///
    /// Without [`Lods::offsets`] there is one level, of all faces. Offsets beyond the faces end there, and
    /// a level that would end before it begins is empty.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = &[[u32; 3]]> + DoubleEndedIterator {
        self.lods.ranges(self.faces.len()).map(|range| &self.faces[range])
    }
}
