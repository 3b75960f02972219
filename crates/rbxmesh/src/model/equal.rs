//! Equality of types that contain floats, by their bits: NaN equals a NaN of the same bits, and 0 differs from -0.

use geom::{Mat3, Vec2, Vec3};

use crate::model::{Bone, Layout, NormalGrid, Samples, Vertex};

/// Floats compared by their bits.
pub(crate) trait Floats {
    fn same(&self, other: &Self) -> bool;
}

macro_rules! floats {
    ($($name:ty, |$value:ident| $floats:expr;)+) => {$(
        impl Floats for $name {
            fn same(&self, other: &Self) -> bool {
                let floats = |$value: &Self| $floats.map(f32::to_bits);
                floats(self) == floats(other)
            }
        }
    )+};
}

floats! {
    f32, |value| [*value];
    [f32; 3], |value| *value;
    Vec2, |value| value.to_array();
    Vec3, |value| value.to_array();
    Mat3, |value| value.to_rows();
}

impl Floats for Vec<f32> {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

/// The fields that contain floats, then the others. A missing field does not compile.
macro_rules! by_bits {
    ($($name:ident { $($float:ident),+; $($other:ident),+ })+) => {$(
        impl Eq for $name {}

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                let Self { $($float,)+ $($other,)+ } = self;
                true $(&& $float.same(&other.$float))+ $(&& *$other == other.$other)+
            }
        }
    )+};
}

by_bits! {
    Vertex { position, normal, uv; tangent, color }
    Bone { culling, rotation, position; name, parent, lod_parent }
    NormalGrid { origin, range; bits }
    Layout {
        texture_v;
        crlf, long_exponents, vertex_size, face_size, lod_size, lod_offsets, vertex_extra, face_extra, header_extra,
        reserved, facs_unknown, bone_names, chunks, draco, normal_grid, trailing
    }
}

impl Eq for Samples {}

impl PartialEq for Samples {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float(a), Self::Float(b)) => a.same(b),
            (
                Self::Quantized { min, max, steps },
                Self::Quantized { min: other_min, max: other_max, steps: other_steps },
            ) => min.same(other_min) && max.same(other_max) && steps == other_steps,
            (Self::Float(_), Self::Quantized { .. }) | (Self::Quantized { .. }, Self::Float(_)) => false,
        }
    }
}
