//! The order in which the chunks of a model are written.

use crate::model::{ChunkKind, Model, TexCoords, Vertices};

/// The chunks in their order: what each is, and which of its list.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) chunks: Vec<(ChunkKind, usize)>,
}

impl Plan {
    /// The order of the file that was read, as far as its chunks are still there; what is new comes
    /// after the last of its kind, or where its kind usually is.
    pub(crate) fn new(model: &Model, palette: bool) -> Self {
        let mut chunks: Vec<(ChunkKind, usize)> = Vec::new();
        let mut written = [0_usize; ChunkKind::ALL.len()];
        let count = |kind| count(model, kind, palette);
        for &kind in &model.layout.chunks {
            let Some(next) = written.get_mut(kind as usize) else { continue };
            let once = is_once(kind) && *next == 0;
            if once || *next < count(kind) {
                chunks.push((kind, *next));
                *next = next.saturating_add(1);
            }
        }
        for kind in ChunkKind::ALL {
            let next = written.get(kind as usize).copied().unwrap_or(0);
            let new = next..count(kind);
            if new.is_empty() {
                continue;
            }
            let last = chunks.iter().rposition(|&(there, _)| there == kind);
            let last = last.or_else(|| {
                chunks.iter().rposition(|&(there, _)| {
                    (there as usize) < kind as usize
                        && (there != ChunkKind::Extra || kind == ChunkKind::Extra)
                })
            });
            let at = last.map_or(0, |last| last.saturating_add(1));
            chunks.splice(at..at, new.map(|index| (kind, index)));
        }
        Self { chunks }
    }
}

pub(crate) fn is_once(kind: ChunkKind) -> bool {
    matches!(
        kind,
        ChunkKind::Palette
            | ChunkKind::TexCoords
            | ChunkKind::Vertices
            | ChunkKind::Skeleton
            | ChunkKind::VoxelTypes
    )
}

/// How many chunks of a kind the model wants.
fn count(model: &Model, kind: ChunkKind, palette: bool) -> usize {
    match kind {
        ChunkKind::Palette => usize::from(palette),
        ChunkKind::TexCoords => usize::from(model.tex_coords != TexCoords::default()),
        ChunkKind::Vertices => usize::from(model.vertices != Vertices::default()),
        ChunkKind::Skeleton => usize::from(!model.bones.is_empty() || !model.skins.is_empty()),
        ChunkKind::VoxelTypes => usize::from(!model.voxel_types.is_empty()),
        ChunkKind::Material => model.materials.len(),
        ChunkKind::Procedural => model.procedurals.len(),
        ChunkKind::Mesh => model.meshes.len(),
        ChunkKind::Voxels => model.voxel_blocks.len(),
        ChunkKind::Shape => model.shapes.len(),
        ChunkKind::Labels => model.labels.len(),
        ChunkKind::Action => model.actions.len(),
        ChunkKind::Asset => model.assets.len(),
        ChunkKind::Extra => model.extras.len(),
    }
}
