//! A vertex and its tangent.

use geom::{Rgba8, Vec2, Vec3};

/// A vertex: 40 bytes, with the fields in the order of the file.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Vertex {
    /// The position in studs, in the space of the mesh; y is up.
    pub position: Vec3,
    /// The normal; its length is 1 in most real files.
    pub normal: Vec3,
    /// The texture coordinate; v grows downwards.
    pub uv: Vec2,
    /// The tangent.
    pub tangent: Tangent,
    /// The colour; white if the file has no colours.
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

/// A tangent as stored in the file: x, y, z and the sign of the bitangent. A byte `b` is `(b - 127) / 127`.
/// Real files also contain bytes without a meaning, so the bytes are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Tangent(pub [u8; 4]);

impl Tangent {
    /// No tangent: four zero bytes, as in older files.
    pub const ABSENT: Self = Self([0; 4]);

    /// The direction, −1 to 1.008 per component, and the sign of the bitangent; `None` if the tangent is absent.
    pub fn decode(self) -> Option<(Vec3, f32)> {
        (self != Self::ABSENT).then(|| {
            let [x, y, z, sign] = self.0.map(|byte| (f32::from(byte) - 127.0) / 127.0);
            (Vec3::new(x, y, z), sign)
        })
    }

    /// The tangent nearest to a direction of unit length; components beyond ±1 are clamped.
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
