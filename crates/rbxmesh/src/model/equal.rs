//! Equality of meshes: content bit by bit, without the layout.

use std::iter::zip;

use bstr::BString;
use geom::{Mat3, Rgba8, Vec2, Vec3};

use crate::consts::Version;
use crate::model::{
    Bone, BoneNames, Chunk, DracoStream, Envelope, Facs, Layout, Lods, Mesh, Names, NormalGrid,
    QuantizedMatrix, Samples, Subset, Tangent, Transforms, UnknownFacs, Vertex, Visibility,
};

/// Equality of what contains floats: the same bits, or NaN both.
trait Same {
    fn same(&self, other: &Self) -> bool;
}

impl Same for f32 {
    fn same(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
    }
}

impl<T: Same> Same for [T] {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && zip(self, other).all(|(a, b)| a.same(b))
    }
}

impl<T: Same, const N: usize> Same for [T; N] {
    fn same(&self, other: &Self) -> bool {
        self[..].same(&other[..])
    }
}

impl<T: Same> Same for Vec<T> {
    fn same(&self, other: &Self) -> bool {
        self[..].same(other)
    }
}

impl<T: Same> Same for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

/// Structs that are the same where each of their fields is. A field that is not listed does not compile.
macro_rules! by_field {
    ($($name:ident { $($field:ident),+ })+) => {
        $(impl Same for $name {
            fn same(&self, other: &Self) -> bool {
                let Self { $($field),+ } = self;
                true $(&& $field.same(&other.$field))+
            }
        })+
    };
}

/// What contains no floats.
macro_rules! by_value {
    ($($name:ty),+ $(,)?) => {
        $(impl Same for $name {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        })+
    };
}

by_value! {
    bool, u8, u16, u32, BString, BoneNames, Chunk, DracoStream, Envelope, Lods, Names, Rgba8, Subset, Tangent,
    UnknownFacs, Version, Visibility,
}

by_field! {
    Vec2 { x, y }
    Vec3 { x, y, z }
    Vertex { position, normal, uv, tangent, color }
    Bone { name, parent, lod_parent, culling, rotation, position }
    Facs { face_bones, controls, transforms, two_pose, three_pose, trailing }
    Transforms { position, rotation }
    QuantizedMatrix { rows, columns, samples }
    NormalGrid { origin, range, bits }
    Layout {
        crlf, long_exponents, texture_v, vertex_size, face_size, lod_size, lod_offsets, vertex_extra, face_extra,
        header_extra, reserved, facs_unknown, bone_names, chunks, draco, normal_grid, trailing
    }
}

impl Same for Mat3 {
    fn same(&self, other: &Self) -> bool {
        self.to_rows().same(&other.to_rows())
    }
}

impl Same for Samples {
    fn same(&self, other: &Self) -> bool {
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

impl Eq for Mesh {}

impl PartialEq for Mesh {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            version,
            vertices,
            faces,
            lods,
            envelopes,
            bones,
            subsets,
            facs,
            visibility,
            texture_w,
            layout: _,
        } = self;
        version.same(&other.version)
            && vertices.same(&other.vertices)
            && faces.same(&other.faces)
            && lods.same(&other.lods)
            && envelopes.same(&other.envelopes)
            && bones.same(&other.bones)
            && subsets.same(&other.subsets)
            && facs.same(&other.facs)
            && visibility.same(&other.visibility)
            && same_column(texture_w, &other.texture_w)
    }
}

/// A column that is absent is one of zeros.
fn same_column(a: &[f32], b: &[f32]) -> bool {
    let zeros = |column: &[f32]| column.iter().all(|number| number.to_bits() == 0);
    a.same(b) || (a.is_empty() || b.is_empty()) && zeros(a) && zeros(b)
}

impl Mesh {
    /// Whether the two meshes are laid out alike, unknown bytes included. Equal meshes with the same
    /// layout are written as the same bytes.
    pub fn same_layout(&self, other: &Self) -> bool {
        self.layout == other.layout
    }
}

impl Eq for Layout {}

/// Floats by their bits, as in meshes.
impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        self.same(other)
    }
}
