//! Regions of terrain that are cut, moved, copied, or pasted from another place.

use rbxcore::{Dom, InstanceId, Value};
use rbxdocument::filled::put;
use rbxdocument::view::View as _;
use rezkit_core::{Budget, Error, Loss, Result};

use crate::blobs::terrain::{Extent, PhysicsGrid, Voxel};
use crate::blobs::{ReadOptions as BlobOptions, SmoothGrid};
use crate::edits::{Edit, TerrainAction};
use crate::options::Fill;

/// The length of a voxel in studs.
const VOXEL: i32 = 4;

/// Applies [`Edit::Terrain`]; other edits change nothing.
///
/// # Errors
/// If one of the documents has no terrain, or the region is empty, too large or between voxels.
pub(super) fn change(
    document: &mut dyn Dom,
    edit: &Edit,
    other: Option<&dyn Dom>,
    budget: &mut Budget,
) -> Result<Vec<Loss>> {
    let Edit::Terrain { action, from, to, by, .. } = edit else { return Ok(Vec::new()) };
    let extent = Extent {
        from: std::array::from_fn(|axis| from[axis].min(to[axis]).div_euclid(VOXEL)),
        to: std::array::from_fn(|axis| {
            (from[axis].max(to[axis]).saturating_add(VOXEL - 1)).div_euclid(VOXEL)
        }),
    };
    if let Some(studs) = by.iter().find(|studs| *studs % VOXEL != 0) {
        let what = format!("terrain moves by whole voxels of {VOXEL} studs, found {studs}");
        return Err(Error::argument(what));
    }
    let by = by.map(|studs| studs / VOXEL);
    let (id, mut grid) = terrain(document, budget)?;
    let pasted = match (action, other) {
        (TerrainAction::Paste, None) => return Err(Error::argument("the place to paste from was not found")),
        (TerrainAction::Paste, Some(other)) => Some(terrain(other, budget)?.1.region(extent, by, budget)?),
        (TerrainAction::Copy | TerrainAction::Move, _) => Some(grid.region(extent, by, budget)?),
        (TerrainAction::Cut, _) => {
            // Checks the size of the region, too.
            grid.region(extent, [0; 3], budget)?;
            None
        }
    };
    if matches!(action, TerrainAction::Cut | TerrainAction::Move) {
        grid.edit(extent.from, extent.to, |_, voxel| *voxel = Voxel::default());
    }
    if let Some(pasted) = &pasted {
        grid.paste(pasted, budget)?;
    }
    let physics = PhysicsGrid::of(&grid)?.to_vec()?;
    let mut losses = Vec::new();
    for (name, bytes) in [("SmoothGrid", grid.to_vec()?), ("PhysicsGrid", physics)] {
        budget.take(bytes.len() as u64, "the terrain")?;
        losses.extend(put(document, id, name, Value::from(bytes), Fill::Defaults)?);
    }
    Ok(losses)
}

/// The first terrain of a document with its voxels, of which it may have none.
fn terrain(document: &dyn Dom, budget: &mut Budget) -> Result<(InstanceId, SmoothGrid)> {
    let all: Vec<InstanceId> = document.by_class("Terrain").collect();
    let grid = |id: InstanceId| document.value(id, "SmoothGrid")?.as_bytes().map(<[u8]>::to_vec);
    let found = all.iter().find_map(|&id| Some((id, grid(id).filter(|bytes| !bytes.is_empty())?)));
    let Some((id, bytes)) = found else {
        let none = || {
            Error::new(
                rezkit_core::ErrorKind::Empty,
                "the file has no Terrain; `add Terrain Workspace` adds one",
            )
        };
        return all.first().map(|&id| (id, SmoothGrid::default())).ok_or_else(none);
    };
    budget.take(64 * bytes.len() as u64, "the voxels of terrain")?;
    Ok((id, BlobOptions::new().max_bytes(budget.left()).read(&bytes)?))
}
