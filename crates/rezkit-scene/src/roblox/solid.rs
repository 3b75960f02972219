//! The geometry of unions, by its origin.

use std::sync::Arc;

use geom::TriMesh;
use glam::Vec3;

use rezkit_core::Reference;

/// Geometry of a blob, in the part's space at `InitialSize`.
#[derive(Clone)]
pub(super) struct Solid {
    pub(super) mesh: Arc<TriMesh>,
    pub(super) size: Vec3,
    /// The colour of all vertices, if it is one, and no more in the mesh.
    pub(super) color: Option<[u8; 3]>,
    pub(super) hulls: usize,
    /// The number of levels of detail of its file.
    pub(super) levels: usize,
}

/// The blob of a solid.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SolidKey {
    pub(super) from: Origin,
    /// If a union's own colour applies, its mesh has no colours.
    pub(super) own_color: bool,
    /// 0 is the finest.
    pub(super) level: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// The number of the blob in the document.
    Blob(usize),
    /// The mesh of a file.
    Asset(Reference),
}
