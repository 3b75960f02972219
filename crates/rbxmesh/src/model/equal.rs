//! Equality of meshes: content bit by bit, without the layout.

use std::iter::zip;

use geom::{Mat3, Vec2, Vec3};

use crate::model::{Bone, Facs, Layout, Mesh, NormalGrid, QuantizedMatrix, Samples, Transforms, Vertex};

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

impl<T: Same> Same for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl Same for Vec2 {
    fn same(&self, other: &Self) -> bool {
        self.to_array().same(&other.to_array())
    }
}

impl Same for Vec3 {
    fn same(&self, other: &Self) -> bool {
        self.to_array().same(&other.to_array())
    }
}

impl Same for Mat3 {
    fn same(&self, other: &Self) -> bool {
        self.to_rows().same(&other.to_rows())
    }
}

impl Same for Vertex {
    fn same(&self, other: &Self) -> bool {
        let Self { position, normal, uv, tangent, color } = self;
        position.same(&other.position)
            && normal.same(&other.normal)
            && uv.same(&other.uv)
            && *tangent == other.tangent
            && *color == other.color
    }
}

impl Same for Bone {
    fn same(&self, other: &Self) -> bool {
        let Self { name, parent, lod_parent, culling, rotation, position } = self;
        *name == other.name
            && *parent == other.parent
            && *lod_parent == other.lod_parent
            && culling.same(&other.culling)
            && rotation.same(&other.rotation)
            && position.same(&other.position)
    }
}

impl Same for Facs {
    fn same(&self, other: &Self) -> bool {
        let Self { face_bones, controls, transforms, two_pose, three_pose, trailing } = self;
        *face_bones == other.face_bones
            && *controls == other.controls
            && transforms.same(&other.transforms)
            && *two_pose == other.two_pose
            && *three_pose == other.three_pose
            && *trailing == other.trailing
    }
}

impl Same for Transforms {
    fn same(&self, other: &Self) -> bool {
        let Self { position, rotation } = self;
        position.same(&other.position) && rotation.same(&other.rotation)
    }
}

impl Same for QuantizedMatrix {
    fn same(&self, other: &Self) -> bool {
        let Self { rows, columns, samples } = self;
        (*rows, *columns) == (other.rows, other.columns)
            && match (samples, &other.samples) {
                (Samples::Float(a), Samples::Float(b)) => a.same(b),
                (
                    Samples::Quantized { min, max, steps },
                    Samples::Quantized { min: other_min, max: other_max, steps: other_steps },
                ) => min.same(other_min) && max.same(other_max) && steps == other_steps,
                _ => false,
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
        *version == other.version
            && vertices.same(&other.vertices)
            && *faces == other.faces
            && *lods == other.lods
            && *envelopes == other.envelopes
            && bones.same(&other.bones)
            && *subsets == other.subsets
            && facs.same(&other.facs)
            && *visibility == other.visibility
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
        let Self {
            crlf,
            long_exponents,
            texture_v,
            vertex_size,
            face_size,
            lod_size,
            lod_offsets,
            vertex_extra,
            face_extra,
            header_extra,
            reserved,
            facs_unknown,
            bone_names,
            chunks,
            draco,
            normal_grid,
            trailing,
        } = self;
        *crlf == other.crlf
            && *long_exponents == other.long_exponents
            && texture_v.same(&other.texture_v)
            && *vertex_size == other.vertex_size
            && *face_size == other.face_size
            && *lod_size == other.lod_size
            && *lod_offsets == other.lod_offsets
            && *vertex_extra == other.vertex_extra
            && *face_extra == other.face_extra
            && *header_extra == other.header_extra
            && *reserved == other.reserved
            && *facs_unknown == other.facs_unknown
            && *bone_names == other.bone_names
            && *chunks == other.chunks
            && *draco == other.draco
            && normal_grid.same(&other.normal_grid)
            && *trailing == other.trailing
    }
}

impl Same for NormalGrid {
    fn same(&self, other: &Self) -> bool {
        let Self { origin, range, bits } = self;
        origin.same(&other.origin) && range.same(&other.range) && *bits == other.bits
    }
}
