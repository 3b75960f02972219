//! Equality of types with floats, by their bits: a NaN equals a NaN of the same bits, and 0 differs from -0.

use std::sync::Arc;

use bstr::BString;
use geom::wire::by_bits;

use crate::model::{
    Bone, BoneNames, Chunk, DracoStream, Layout, NormalGrid, Samples, Tangent, UnknownFacs, Vertex,
};

by_bits!(Tangent, BString, Arc<Vec<u8>>, UnknownFacs, BoneNames, Chunk, DracoStream);
by_bits! { equal:
    Vertex { position, normal, uv, tangent, color }
    Bone { culling, rotation, position, name, parent, lod_parent }
    NormalGrid { origin, range, bits }
    Layout {
        text, crlf, vertex_size, face_size, lod_size, lod_offsets, vertex_extra, face_extra,
        header_extra, reserved, facs_unknown, bone_names, chunks, draco, normal_grid, trailing
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
