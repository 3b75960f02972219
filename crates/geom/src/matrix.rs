//! 3 × 3 and 4 × 4 matrices.

use core::ops::Mul;

use crate::{Vec3, Vec4};

/// A 3 × 3 matrix: a rotation, or any linear map.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Mat3 {
    /// The first column: the image of the x axis.
    pub x_axis: Vec3,
    /// The second column: the image of the y axis.
    pub y_axis: Vec3,
    /// The third column: the image of the z axis.
    pub z_axis: Vec3,
}

impl Mat3 {
    /// The product of this matrix and a vector.
    #[inline]
    pub fn transform(self, v: Vec3) -> Vec3 {
        self.x_axis * v.x + self.y_axis * v.y + self.z_axis * v.z
    }
}

/// A 4 × 4 matrix: usually an affine transform, whose last row is 0 0 0 1.
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
    /// A rotation (or any 3 × 3 matrix) followed by a translation.
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
    pub const fn from_translation(translation: Vec3) -> Self {
        Self::from_parts(Mat3::IDENTITY, translation)
    }

    /// The upper left 3 × 3 part.
    pub const fn linear(self) -> Mat3 {
        let Self { x_axis: x, y_axis: y, z_axis: z, .. } = self;
        Mat3 {
            x_axis: Vec3::new(x.x, x.y, x.z),
            y_axis: Vec3::new(y.x, y.y, y.z),
            z_axis: Vec3::new(z.x, z.y, z.z),
        }
    }

    /// The translation.
    pub const fn translation(self) -> Vec3 {
        Vec3::new(self.w_axis.x, self.w_axis.y, self.w_axis.z)
    }

    /// Transforms a point by this matrix, whose last row is assumed to be 0 0 0 1.
    #[inline]
    pub fn transform_point(self, p: Vec3) -> Vec3 {
        self.linear().transform(p) + self.translation()
    }

    /// The product of this matrix and a vector of four numbers.
    #[inline]
    fn transform(self, v: Vec4) -> Vec4 {
        let [x, y, z, w] = [self.x_axis, self.y_axis, self.z_axis, self.w_axis].map(Vec4::to_array);
        let [a, b, c, d] = v.to_array();
        Vec4::from(core::array::from_fn(|i| x[i] * a + y[i] * b + z[i] * c + w[i] * d))
    }
}

/// The common methods of matrices of both sizes.
macro_rules! square {
    ($name:ident, $column:ident, $n:literal, $flat:literal, [$($axis:ident = $index:literal),+]) => {
        impl $name {
            /// The identity.
            pub const IDENTITY: Self = {
                let mut columns = [[0.0; $n]; $n];
                $(columns[$index][$index] = 1.0;)+
                Self::from_arrays(columns)
            };

            const fn from_arrays(columns: [[f32; $n]; $n]) -> Self {
                Self { $($axis: $column::from_array(columns[$index])),+ }
            }

            const fn to_arrays(self) -> [[f32; $n]; $n] {
                [$(self.$axis.to_array()),+]
            }

            /// From its numbers column by column, as glTF and OpenGL store them.
            pub const fn from_columns(flat: [f32; $flat]) -> Self {
                let mut columns = [[0.0; $n]; $n];
                columns.as_flattened_mut().copy_from_slice(&flat);
                Self::from_arrays(columns)
            }

            /// From its numbers row by row, as they are written on paper.
            pub const fn from_rows(flat: [f32; $flat]) -> Self {
                Self::from_columns(flat).transpose()
            }

            /// The numbers column by column.
            pub const fn to_columns(self) -> [f32; $flat] {
                let mut flat = [0.0; $flat];
                flat.copy_from_slice(self.to_arrays().as_flattened());
                flat
            }

            /// The numbers row by row.
            pub const fn to_rows(self) -> [f32; $flat] {
                self.transpose().to_columns()
            }

            /// Rows and columns exchanged. For a rotation, this is the inverse.
            pub const fn transpose(self) -> Self {
                let from = self.to_arrays();
                let mut to = from;
                let mut i = 0;
                while i < $n * $n {
                    to[i % $n][i / $n] = from[i / $n][i % $n];
                    i += 1;
                }
                Self::from_arrays(to)
            }

            /// The inverse, computed in 64 bits; `None` if it does not exist, or one of its numbers is not finite
            /// in 32 bits.
            pub fn inverse(self) -> Option<Self> {
                invert(self.to_arrays()).map(Self::from_arrays)
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::IDENTITY
            }
        }

        impl Mul for $name {
            type Output = Self;
            #[inline]
            fn mul(self, right: Self) -> Self {
                Self { $($axis: self.transform(right.$axis)),+ }
            }
        }
    };
}
square!(Mat3, Vec3, 3, 9, [x_axis = 0, y_axis = 1, z_axis = 2]);
square!(Mat4, Vec4, 4, 16, [x_axis = 0, y_axis = 1, z_axis = 2, w_axis = 3]);

/// Inverts a matrix by Gauss-Jordan elimination with partial pivoting. The inner arrays may be rows or columns: the
/// inverse of the transpose is the transpose of the inverse.
fn invert<const N: usize>(matrix: [[f32; N]; N]) -> Option<[[f32; N]; N]> {
    let mut left = matrix.map(|row| row.map(f64::from));
    let mut right: [[f64; N]; N] =
        core::array::from_fn(|i| core::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    for i in 0..N {
        let pivot = (i..N).max_by(|&a, &b| libm::fabs(left[a][i]).total_cmp(&libm::fabs(left[b][i])))?;
        left.swap(i, pivot);
        right.swap(i, pivot);
        let scale = 1.0 / left[i][i];
        for number in left[i].iter_mut().chain(&mut right[i]) {
            *number *= scale;
        }
        for row in (0..N).filter(|&row| row != i) {
            let factor = left[row][i];
            for k in 0..N {
                left[row][k] -= factor * left[i][k];
                right[row][k] -= factor * right[i][k];
            }
        }
    }
    #[allow(clippy::cast_possible_truncation, reason = "matrices have 32 bits")]
    let inverse = right.map(|row| row.map(|number| number as f32));
    inverse.as_flattened().iter().all(|number| number.is_finite()).then_some(inverse)
}
