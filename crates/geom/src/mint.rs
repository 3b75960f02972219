//! Conversions from and to `mint`.

use crate::{Mat3, Mat4, Quat, Vec2, Vec3, Vec4};

/// Implements `From` in both directions between two structs, field by field.
macro_rules! fields {
    ($($ours:ident = $theirs:ty { $($field:ident = $other:ident),+ })+) => {$(
        impl From<$theirs> for $ours {
                fn from(value: $theirs) -> Self {
                Self { $($field: value.$other.into()),+ }
            }
        }

        impl From<$ours> for $theirs {
                fn from(value: $ours) -> Self {
                Self { $($other: value.$field.into()),+ }
            }
        }

        impl mint::IntoMint for $ours {
            type MintType = $theirs;
        }
    )+};
}
fields! {
    Vec2 = mint::Vector2<f32> { x = x, y = y }
    Vec3 = mint::Vector3<f32> { x = x, y = y, z = z }
    Vec4 = mint::Vector4<f32> { x = x, y = y, z = z, w = w }
    Mat3 = mint::ColumnMatrix3<f32> { x_axis = x, y_axis = y, z_axis = z }
    Mat4 = mint::ColumnMatrix4<f32> { x_axis = x, y_axis = y, z_axis = z, w_axis = w }
}

impl From<mint::Quaternion<f32>> for Quat {
    fn from(q: mint::Quaternion<f32>) -> Self {
        Self::new(q.v.x, q.v.y, q.v.z, q.s)
    }
}

impl From<Quat> for mint::Quaternion<f32> {
    fn from(q: Quat) -> Self {
        Self { v: mint::Vector3 { x: q.x, y: q.y, z: q.z }, s: q.w }
    }
}

impl mint::IntoMint for Quat {
    type MintType = mint::Quaternion<f32>;
}

/// Points convert like vectors: this crate does not distinguish them.
impl From<mint::Point3<f32>> for Vec3 {
    fn from(p: mint::Point3<f32>) -> Self {
        Self::new(p.x, p.y, p.z)
    }
}

/// Points convert like vectors: this crate does not distinguish them.
impl From<mint::Point2<f32>> for Vec2 {
    fn from(p: mint::Point2<f32>) -> Self {
        Self::new(p.x, p.y)
    }
}
