//! Regions of terrain that are cut, moved, copied, or pasted from another place.

use rbxcore::{Dom, InstanceId, Value};
use rbxdocument::filled::put;
use rbxdocument::view::View as _;
use rezkit_core::{Budget, Error, Loss, Result};
use rezkit_scene::roblox::smooth_of_cells;

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
    let Terrain { id, mut grid, older } = terrain(document, budget)?;
    let mut turned = older.as_ref().map(|(_, loss)| loss.clone());
    let pasted = match (action, other) {
        (TerrainAction::Paste, None) => return Err(Error::argument("the place to paste from was not found")),
        (TerrainAction::Paste, Some(other)) => {
            let from = terrain(other, budget)?;
            turned = turned.or(from.older.map(|(_, loss)| loss));
            Some(from.grid.region(extent, by, budget)?)
        }
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
    if let Some((older, _)) = older
        && !document.unset_value(id, older)?
    {
        document.put(id, older, Value::from(Vec::new()))?;
    }
    let path = document.path_of(id);
    losses.extend(turned.map(|loss| loss.below(|_| path.clone())));
    Ok(losses)
}

/// The terrain of a document.
pub(super) struct Terrain {
    id: InstanceId,
    /// Its voxels, of which it may have none.
    pub(super) grid: SmoothGrid,
    /// The older property that has them, and what turning them changes.
    pub(super) older: Option<(&'static str, Loss)>,
}

/// The first terrain of a document with voxels, or else the first one.
///
/// # Errors
/// If there is none, or its voxels cannot be read.
pub(super) fn terrain(document: &dyn Dom, budget: &mut Budget) -> Result<Terrain> {
    let all: Vec<InstanceId> = document.by_class("Terrain").collect();
    // Studio gave places with older terrain an empty grid, which has only its header.
    let grid = |id: InstanceId, name: &str| {
        let value = document.value(id, name)?;
        value.as_bytes().filter(|bytes| bytes.len() > 2).map(<[u8]>::to_vec)
    };
    let find = |name: &str| all.iter().find_map(|&id| Some((id, grid(id, name)?)));
    if let Some((id, bytes)) = find("SmoothGrid") {
        budget.take(64 * bytes.len() as u64, "the voxels of terrain")?;
        let grid = BlobOptions::new().max_bytes(budget.left()).read(&bytes)?;
        return Ok(Terrain { id, grid, older: None });
    }
    for name in ["ClusterGridV3", "ClusterGridV2"] {
        if let Some((id, bytes)) = find(name) {
            let (grid, loss) = smooth_of_cells(&bytes, budget)?;
            return Ok(Terrain { id, grid, older: Some((name, loss)) });
        }
    }
    let none = || {
        Error::new(rezkit_core::ErrorKind::Empty, "the file has no Terrain; `add Terrain Workspace` adds one")
    };
    let id = *all.first().ok_or_else(none)?;
    Ok(Terrain { id, grid: SmoothGrid::default(), older: None })
}
