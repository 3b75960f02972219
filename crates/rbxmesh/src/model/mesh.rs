//! The mesh and its vertices.

use geom::{Rgba8, Vec2, Vec3};

use crate::consts::Version;
use crate::model::{Bone, Envelope, Facs, Layout, Lods, Subset, Visibility};

/// A mesh of any version.
///
/// What differs between versions is the same here: positions are at their true size (1.00 stores them
/// doubled), v grows downwards (1.x stores it upwards), the triangles of 1.x are faces of three vertices
/// of their own, and a vertex without a colour is white. What a rewrite needs besides is in
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

/// A vertex: 40 bytes, in the file's own order.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Vertex {
    /// In studs, in the mesh's own space, y up.
    pub position: Vec3,
    /// Of unit length, usually; real files break that.
    pub normal: Vec3,
    /// Texture coordinate, v downwards.
    pub uv: Vec2,
    /// The tangent.
    pub tangent: Tangent,
    /// The colour; white where the file has none.
    pub color: Rgba8,
}

impl Default for Vertex {
    fn default() -> Self {
        Self {
            position: Vec3::default(),
            normal: Vec3::default(),
            uv: Vec2::default(),
            tangent: Tangent::ABSENT,
            color: Rgba8::WHITE,
        }
    }
}

/// A tangent as it is in the file: x, y, z and the sign of the bitangent, each byte `b` for the value
/// `(b - 127) / 127`. Real files also contain bytes without a meaning, so the bytes are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Tangent(pub [u8; 4]);

impl Tangent {
    /// No tangent: four zero bytes, as in older files.
    pub const ABSENT: Self = Self([0; 4]);

    /// The direction, −1 to 1.008 per component, and the sign of the bitangent; `None` where absent.
    pub fn decode(self) -> Option<(Vec3, f32)> {
        (self != Self::ABSENT).then(|| {
            let [x, y, z, sign] = self.0.map(|byte| (f32::from(byte) - 127.0) / 127.0);
            (Vec3::new(x, y, z), sign)
        })
    }

    /// The nearest tangent to a direction of unit length; components beyond ±1 are clamped.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 254: the clamp comes first, and a float cast saturates"
    )]
    pub fn encode(direction: Vec3, sign: f32) -> Self {
        let Vec3 { x, y, z } = direction;
        Self([x, y, z, sign].map(|value| (value.clamp(-1.0, 1.0) * 127.0 + 127.5) as u8))
    }
}
