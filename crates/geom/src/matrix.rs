//! Matrices of three and four columns.

use core::ops::Mul;

use crate::{Vec3, Vec4};

/// A matrix of three columns: a rotation, or a rotation with scale.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Mat3 {
    /// The first column: where the x axis goes.
    pub x_axis: Vec3,
    /// The second column: where the y axis goes.
    pub y_axis: Vec3,
    /// The third column: where the z axis goes.
    pub z_axis: Vec3,
}

impl Mat3 {
    /// The matrix that changes nothing.
    pub const IDENTITY: Self = Self {
        x_axis: Vec3::new(1.0, 0.0, 0.0),
        y_axis: Vec3::new(0.0, 1.0, 0.0),
        z_axis: Vec3::new(0.0, 0.0, 1.0),
    };

    /// From nine numbers, row by row.
    #[inline]
    pub const fn from_rows([a, b, c, d, e, f, g, h, i]: [f32; 9]) -> Self {
        Self { x_axis: Vec3::new(a, d, g), y_axis: Vec3::new(b, e, h), z_axis: Vec3::new(c, f, i) }
    }

    /// The nine numbers, row by row.
    #[inline]
    pub const fn to_rows(self) -> [f32; 9] {
        let Self { x_axis: x, y_axis: y, z_axis: z } = self;
        [x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z]
    }

    /// The direction (or the point, around the origin) after this matrix.
    #[inline]
    pub fn transform(self, v: Vec3) -> Vec3 {
        self.x_axis * v.x + self.y_axis * v.y + self.z_axis * v.z
    }
}

/// A matrix of four columns: an affine transform where the last row is 0 0 0 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Mat4 {
    /// The first column.
    pub x_axis: Vec4,
    /// The second column.
    pub y_axis: Vec4,
    /// The third column.
    pub z_axis: Vec4,
    /// The fourth column: the translation.
    pub w_axis: Vec4,
}

impl Mat4 {
    /// The matrix that changes nothing.
    pub const IDENTITY: Self = Self::from_parts(Mat3::IDENTITY, Vec3::new(0.0, 0.0, 0.0));

    /// A rotation (or any 3 × 3 matrix) followed by a translation.
    #[inline]
    pub const fn from_parts(linear: Mat3, translation: Vec3) -> Self {
        let Mat3 { x_axis: x, y_axis: y, z_axis: z } = linear;
        Self {
            x_axis: Vec4::new(x.x, x.y, x.z, 0.0),
            y_axis: Vec4::new(y.x, y.y, y.z, 0.0),
            z_axis: Vec4::new(z.x, z.y, z.z, 0.0),
            w_axis: Vec4::new(translation.x, translation.y, translation.z, 1.0),
        }
    }

    /// A translation alone.
    #[inline]
    pub const fn from_translation(translation: Vec3) -> Self {
        Self::from_parts(Mat3::IDENTITY, translation)
    }

    /// The upper left 3 × 3 part.
    #[inline]
    pub const fn linear(self) -> Mat3 {
        let Self { x_axis: x, y_axis: y, z_axis: z, .. } = self;
        Mat3 {
            x_axis: Vec3::new(x.x, x.y, x.z),
            y_axis: Vec3::new(y.x, y.y, y.z),
            z_axis: Vec3::new(z.x, z.y, z.z),
        }
    }

    /// The translation.
    #[inline]
    pub const fn translation(self) -> Vec3 {
        Vec3::new(self.w_axis.x, self.w_axis.y, self.w_axis.z)
    }

    /// The point after this transform; the last row is taken for 0 0 0 1.
    #[inline]
    pub fn transform_point(self, p: Vec3) -> Vec3 {
        self.linear().transform(p) + self.translation()
    }

    /// The four columns after this matrix.
    #[inline]
    fn transform4(self, v: Vec4) -> Vec4 {
        let [x, y, z, w] = [self.x_axis, self.y_axis, self.z_axis, self.w_axis].map(Vec4::to_array);
        let [a, b, c, d] = v.to_array();
        Vec4::from(core::array::from_fn(|i| x[i] * a + y[i] * b + z[i] * c + w[i] * d))
    }
}

impl Mul for Mat3 {
    type Output = Self;
    #[inline]
    fn mul(self, right: Self) -> Self {
        Self {
            x_axis: self.transform(right.x_axis),
            y_axis: self.transform(right.y_axis),
            z_axis: self.transform(right.z_axis),
        }
    }
}

impl Mul for Mat4 {
    type Output = Self;
    #[inline]
    fn mul(self, right: Self) -> Self {
        Self {
            x_axis: self.transform4(right.x_axis),
            y_axis: self.transform4(right.y_axis),
            z_axis: self.transform4(right.z_axis),
            w_axis: self.transform4(right.w_axis),
        }
    }
}

/// Identity, default and the conversions from and to a flat array of columns.
macro_rules! columns {
    ($name:ident, $column:ident, $n:literal, [$($axis:ident),+], $doc:literal) => {
        impl Default for $name {
            fn default() -> Self {
                Self::IDENTITY
            }
        }

        #[doc = $doc]
        impl From<[f32; $n]> for $name {
            #[inline]
            fn from(flat: [f32; $n]) -> Self {
                let mut columns = flat.as_chunks().0.iter().map(|&c| $column::from(c));
                $(let $axis = columns.next().unwrap_or_default();)+
                Self { $($axis),+ }
            }
        }

        #[doc = $doc]
        impl From<$name> for [f32; $n] {
            #[inline]
            fn from(matrix: $name) -> Self {
                let mut flat = [0.0; $n];
                let columns = [$(matrix.$axis.to_array()),+];
                flat.copy_from_slice(columns.as_flattened());
                flat
            }
        }
    };
}
columns!(Mat3, Vec3, 9, [x_axis, y_axis, z_axis], "Column by column.");
columns!(Mat4, Vec4, 16, [x_axis, y_axis, z_axis, w_axis], "Column by column.");
