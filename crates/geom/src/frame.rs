//! Coordinate frames and rays, under Roblox's names.

use core::ops::Mul;

use crate::{Mat3, Vec3};

/// A coordinate frame: a rotation (or any other 3 × 3 matrix) and a position. It maps a point `p` to
/// `rotation * p + position`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct CFrame {
    /// The position, in studs.
    pub position: Vec3,
    /// The rotation. Roblox lists it row by row: R00 R01 R02 R10 and so on.
    pub rotation: Mat3,
}

/// A point and a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Ray {
    /// The origin.
    pub origin: Vec3,
    /// The direction.
    pub direction: Vec3,
}

impl CFrame {
    /// No rotation, at the origin.
    pub const IDENTITY: Self = Self { position: Vec3::new(0.0, 0.0, 0.0), rotation: Mat3::IDENTITY };

    /// A position without rotation.
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self { position: Vec3::new(x, y, z), rotation: Mat3::IDENTITY }
    }

    /// The same rotation at another position.
    pub const fn with_position(self, position: Vec3) -> Self {
        Self { position, rotation: self.rotation }
    }

    /// A frame at the origin, rotated about an axis by an angle in radians, counter-clockwise as seen from
    /// the tip of the axis. The axis need not have length 1; an axis of length 0 gives the identity.
    pub fn from_axis_angle(axis: Vec3, angle: f32) -> Self {
        let Some(Vec3 { x, y, z }) = axis.normalize() else { return Self::IDENTITY };
        let (sin, cos) = libm::sincosf(angle);
        let rest = 1.0 - cos;
        Self::from_rotation([
            cos + x * x * rest,
            x * y * rest - z * sin,
            x * z * rest + y * sin,
            y * x * rest + z * sin,
            cos + y * y * rest,
            y * z * rest - x * sin,
            z * x * rest - y * sin,
            z * y * rest + x * sin,
            cos + z * z * rest,
        ])
    }

    /// Roblox's `CFrame.fromEulerAnglesXYZ` and `CFrame.Angles`: a frame at the origin, the product of
    /// rotations about x, y and z, in this order. The angles are in radians.
    pub fn from_euler_angles_xyz(x: f32, y: f32, z: f32) -> Self {
        about_x(x) * about_y(y) * about_z(z)
    }

    /// Roblox's `CFrame.fromEulerAnglesYXZ` and `CFrame.fromOrientation`: a frame at the origin, the
    /// product of rotations about y, x and z, in this order. The angles are in radians.
    pub fn from_euler_angles_yxz(x: f32, y: f32, z: f32) -> Self {
        about_y(y) * about_x(x) * about_z(z)
    }

    /// The inverse: the product of both frames is the identity. It is correct only if `rotation` is a
    /// rotation, since the matrix is transposed, not inverted.
    #[must_use]
    pub fn inverse(self) -> Self {
        let [a, b, c, d, e, f, g, h, i] = self.rotation.to_rows();
        let rotation = Mat3::from_rows([a, d, g, b, e, h, c, f, i]);
        Self { position: rotation.transform(self.position) * -1.0, rotation }
    }

    const fn from_rotation(rows: [f32; 9]) -> Self {
        Self { position: Vec3::new(0.0, 0.0, 0.0), rotation: Mat3::from_rows(rows) }
    }
}

fn about_x(angle: f32) -> CFrame {
    let (sin, cos) = libm::sincosf(angle);
    CFrame::from_rotation([1.0, 0.0, 0.0, 0.0, cos, -sin, 0.0, sin, cos])
}

fn about_y(angle: f32) -> CFrame {
    let (sin, cos) = libm::sincosf(angle);
    CFrame::from_rotation([cos, 0.0, sin, 0.0, 1.0, 0.0, -sin, 0.0, cos])
}

fn about_z(angle: f32) -> CFrame {
    let (sin, cos) = libm::sincosf(angle);
    CFrame::from_rotation([cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0])
}

/// Applies the right frame first, then the left one.
impl Mul for CFrame {
    type Output = Self;

    fn mul(self, right: Self) -> Self {
        Self { position: self * right.position, rotation: self.rotation * right.rotation }
    }
}

/// Transforms a point from object space to world space, as Roblox's `CFrame:PointToWorldSpace`.
impl Mul<Vec3> for CFrame {
    type Output = Vec3;

    #[allow(clippy::suspicious_arithmetic_impl, reason = "after the rotation comes the position")]
    fn mul(self, point: Vec3) -> Vec3 {
        self.rotation.transform(point) + self.position
    }
}
