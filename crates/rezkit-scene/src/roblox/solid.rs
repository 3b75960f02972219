//! The geometry of unions and terrain, by its origin.

use std::sync::Arc;

use geom::TriMesh;
use glam::Vec3;

use rezkit_core::{Loss, Reference};

/// The geometry of a blob, in the space of the part at its `InitialSize`.
#[derive(Clone)]
pub(super) struct Solid {
    pub(super) mesh: Arc<TriMesh>,
    pub(super) size: Vec3,
    /// The colour of all vertices, if they have the same one: then the mesh has no colours.
    pub(super) color: Option<[u8; 3]>,
    pub(super) hulls: usize,
    /// The number of levels of detail that were read with it.
    pub(super) levels: usize,
}

/// The key of a solid, which is built once: its blob, and how it is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SolidKey {
    pub(super) from: Origin,
    /// Whether the union's own colour applies: then the colours of the mesh are dropped.
    pub(super) own_color: bool,
    /// The level of detail; 0 is the finest.
    pub(super) level: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// The number of the blob in the document.
    Blob(usize),
    /// The mesh of a file.
    Asset(Reference),
}

impl Origin {
    /// The length of its text.
    pub(super) fn text_length(&self) -> usize {
        match self {
            Self::Blob(_) => 0,
            Self::Asset(asset) => asset.to_string().len(),
        }
    }
}

/// The numbers of the blobs of voxels and of colours, and the bits of the colour and the transparency of water: equal
/// terrain shares a mesh.
pub(super) type GroundKey = (usize, Option<usize>, Option<[u32; 3]>, Option<u32>);

/// A loss of geometry, without the path of the instance.
pub(super) type Listed = Loss;
