//! Bones and what hangs on them.

use bstr::BString;
use geom::{Mat3, Mat4, Vec3};

use crate::consts::{BONES_PER_SUBSET, NO_BONE};

/// A bone. Its place is its bind pose in the mesh's own space, not relative to the parent.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bone {
    /// The name; bytes that are usually text.
    pub name: BString,
    /// The index of the parent, or [`NO_BONE`].
    pub parent: u16,
    /// The index of the parent in lower levels of detail, or [`NO_BONE`]; the same as `parent` in
    /// every file seen.
    pub lod_parent: u16,
    /// The distance beyond which the bone need not move.
    pub culling: f32,
    /// The rotation of the bind pose.
    pub rotation: Mat3,
    /// The place of the bind pose, in studs.
    pub position: Vec3,
}

impl Default for Bone {
    fn default() -> Self {
        Self {
            name: BString::default(),
            parent: NO_BONE,
            lod_parent: NO_BONE,
            culling: 0.0,
            rotation: Mat3::IDENTITY,
            position: Vec3::default(),
        }
    }
}

impl Bone {
    /// The bind pose as a matrix, in the mesh's own space.
    pub fn bind_pose(&self) -> Mat4 {
        Mat4::from_parts(self.rotation, self.position)
    }
}

/// The bones that one vertex hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Envelope {
    /// Places in [`Subset::bones`] of the subset that the vertex is in, not bones themselves:
    /// `Mesh::influences` resolves them.
    pub indices: [u8; 4],
    /// Their weights, greatest first, 255 in sum; 0 for an unused place.
    pub weights: [u8; 4],
}

/// A run of vertices and faces and the bones that they use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Subset {
    /// The first face.
    pub faces_begin: u32,
    /// How many faces. Faces of lower levels of detail may be in no subset.
    pub faces_len: u32,
    /// The first vertex.
    pub vertices_begin: u32,
    /// How many vertices.
    pub vertices_len: u32,
    /// How many places of the table are used.
    pub bones_len: u32,
    /// The table of bones, [`NO_BONE`] in unused places.
    pub bone_table: [u16; BONES_PER_SUBSET],
}

impl Default for Subset {
    fn default() -> Self {
        Self {
            faces_begin: 0,
            faces_len: 0,
            vertices_begin: 0,
            vertices_len: 0,
            bones_len: 0,
            bone_table: [NO_BONE; BONES_PER_SUBSET],
        }
    }
}

impl Subset {
    /// The bones in use, which [`Envelope::indices`] count in.
    pub fn bones(&self) -> &[u16] {
        let len = (self.bones_len as usize).min(BONES_PER_SUBSET);
        self.bone_table.get(..len).unwrap_or_default()
    }

    /// Whether the vertex is in this subset.
    pub fn contains(&self, vertex: u32) -> bool {
        vertex.checked_sub(self.vertices_begin).is_some_and(|place| place < self.vertices_len)
    }
}
