//! What a mesh is, whatever version it came from. Plain data, no I/O.

mod chunk;
mod facs;
mod layout;
mod skin;
mod stream;

pub use chunk::{Chunk, Payload, Visibility};
pub use facs::{Facs, Names, Pose, QuantizedMatrix, Samples, Transforms};
use geom::{Rgba8, Vec2, Vec3};
pub use layout::{BoneNames, Layout};
pub use skin::{Bone, Envelope, Subset};
pub use stream::DracoStream;
pub(crate) use stream::{Coding, Grid, Normals, print};

use crate::consts::{LodType, Version};

/// A mesh of any version.
///
/// What differs between versions is the same here: positions are at their true size (1.00 stores
/// them doubled), v grows downwards (1.x stores it upwards), the triangles of 1.x are faces over
/// three vertices of their own, and a vertex without a colour is white. What a rewrite needs
/// besides is in [`Mesh::layout`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mesh {
    /// The version that it was read from, and that it is written as unless asked otherwise.
    pub version: Version,
    /// The vertices, of all levels of detail.
    pub vertices: Vec<Vertex>,
    /// Three vertex indices per face, the levels of detail one after the other.
    pub faces: Vec<[u32; 3]>,
    /// The levels of detail.
    pub lods: Lods,
    /// The bones that a vertex hangs on, one per vertex; empty where there is no skin.
    pub envelopes: Vec<Envelope>,
    /// The bones; empty where there is no skin.
    pub bones: Vec<Bone>,
    /// Which bones a run of vertices uses.
    pub subsets: Vec<Subset>,
    /// Facial animation, from 5.00 on.
    pub facs: Option<Facs>,
    /// What is always visible, from 6.00 on.
    pub visibility: Option<Visibility>,
    /// The third texture coordinate of a 1.x file, one per vertex; empty where all are zero. What it
    /// says is unknown, and later versions have no place for it.
    pub texture_w: Vec<f32>,
    /// What a rewrite needs and the model does not say.
    pub layout: Layout,
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

/// A tangent as it stands in the file: x, y, z and the sign of the bitangent, each byte `b` for the
/// value `(b - 127) / 127`. Real files also hold bytes that mean nothing, so the bytes are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Tangent(pub [u8; 4]);

impl Tangent {
    /// No tangent: four zero bytes, which is what older files hold in this place.
    pub const ABSENT: Self = Self([0; 4]);

    /// The direction, −1 to 1.008 per component, and the sign of the bitangent; `None` where absent.
    pub fn decode(self) -> Option<(Vec3, f32)> {
        (self != Self::ABSENT).then(|| {
            let [x, y, z, sign] = self.0.map(|byte| (f32::from(byte) - 127.0) / 127.0);
            (Vec3::new(x, y, z), sign)
        })
    }

    /// The nearest tangent to a direction of unit length; components beyond ±1 are cut there.
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

/// The levels of detail: where each begins in the faces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lods {
    /// How they were made; from 4.00 on.
    pub kind: LodType,
    /// Level k is the faces from `offsets[k]` to `offsets[k + 1]`. With fewer than three offsets
    /// there is one level, of all faces, whatever the offsets say.
    pub offsets: Vec<u32>,
    /// How many of the levels are of high quality; from 4.00 on. What follows from it is unknown.
    pub high_quality: u8,
}
