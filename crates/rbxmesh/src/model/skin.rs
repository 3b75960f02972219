//! Bones and the vertices that they move.

use bstr::BString;
use geom::{Mat3, Mat4, Vec3};

use crate::consts::{BONES_PER_SUBSET, NO_BONE};
use geom::wire::{Error, Result};

/// A bone. Its position and rotation are its bind pose in the space of the mesh, not relative to the parent.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bone {
    /// The name; bytes that are usually text.
    pub name: BString,
    /// The index of the parent; `None` for a bone at the root.
    pub parent: Option<u16>,
    /// The index of the parent in lower levels of detail; the same as `parent` in every known file.
    pub lod_parent: Option<u16>,
    /// The distance beyond which the bone need not move.
    pub culling: f32,
    /// The rotation of the bind pose.
    pub rotation: Mat3,
    /// The position of the bind pose, in studs.
    pub position: Vec3,
}

impl Default for Bone {
    fn default() -> Self {
        Self {
            name: BString::default(),
            parent: None,
            lod_parent: None,
            culling: 0.0,
            rotation: Mat3::IDENTITY,
            position: Vec3::default(),
        }
    }
}

impl Bone {
    /// A bone with this bind pose in the space of the mesh.
    ///
    /// # Errors
    /// `InvalidArgument` if the last row of the matrix is not 0 0 0 1 (within 0.00001, since matrices are
    /// often computed), or if a number is not finite.
    pub fn new(name: impl Into<BString>, parent: Option<u16>, bind_pose: Mat4) -> Result<Self> {
        let rows = bind_pose.to_rows();
        let last = rows[12..].iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-5);
        if !last || rows.iter().any(|number| !number.is_finite()) {
            let what = format!("expected finite numbers and the last row 0 0 0 1, found {rows:?}");
            return Err(Error::invalid_argument("bind_pose", what));
        }
        Ok(Self {
            name: name.into(),
            parent,
            lod_parent: parent,
            culling: 0.0,
            rotation: bind_pose.linear(),
            position: bind_pose.translation(),
        })
    }

    /// A bone with this inverse bind matrix, as glTF stores it.
    ///
    /// # Errors
    /// As [`Bone::new`], and if the matrix has no inverse.
    pub fn from_inverse_bind(
        name: impl Into<BString>,
        parent: Option<u16>,
        inverse_bind: Mat4,
    ) -> Result<Self> {
        let singular = || {
            let rows = inverse_bind.to_rows();
            let what = format!("expected an invertible matrix, found {rows:?}");
            Error::invalid_argument("inverse_bind", what)
        };
        Self::new(name, parent, inverse_bind.inverse().ok_or_else(singular)?)
    }

    /// The bind pose as a matrix, in the space of the mesh.
    pub fn bind_pose(&self) -> Mat4 {
        Mat4::from_parts(self.rotation, self.position)
    }

    /// The inverse of the bind pose, from the space of the mesh to that of the bone, as glTF's inverse bind matrices.
    /// `None` if it does not exist, which is the case in no known file.
    pub fn inverse_bind_pose(&self) -> Option<Mat4> {
        self.bind_pose().inverse()
    }
}

/// The bones that move one vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Envelope {
    /// Indices into [`Subset::bones`] of the vertex's subset, not into the mesh's bones; [`crate::Skin`] resolves
    /// them.
    pub indices: [u8; 4],
    /// The weights of the bones, greatest first, with a sum of 255; 0 for an unused index.
    pub weights: [u8; 4],
}

/// A run of vertices and faces and the bones that they use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Subset {
    /// The first face.
    pub faces_begin: u32,
    /// The number of faces. Faces of lower levels of detail may be in no subset.
    pub faces_len: u32,
    /// The first vertex.
    pub vertices_begin: u32,
    /// The number of vertices.
    pub vertices_len: u32,
    /// The number of used entries in `bone_table`.
    pub bones_len: u32,
    /// The table of bones, as indices of the mesh's bones; [`NO_BONE`] in unused entries.
    pub bone_table: [u16; 26],
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
    /// The bones in use; [`Envelope::indices`] refers to them.
    pub fn bones(&self) -> &[u16] {
        let len = (self.bones_len as usize).min(BONES_PER_SUBSET);
        self.bone_table.get(..len).unwrap_or_default()
    }
}
