//! Regions of terrain that are cut, moved, copied, or pasted from another place.

use rbxblobs::terrain::{Extent, PhysicsGrid, Voxel};
use rbxblobs::{ReadOptions, SmoothGrid};
use rbxcore::{Dom, InstanceId, Value};

use crate::view::View as _;
use crate::write::{By, Write, write};
use geom::wire::{Budget, Error, Loss, Result};

/// The length of a voxel in studs.
const VOXEL: i32 = 4;

/// What an edit does with the voxels of a box. Distances are in studs: whole voxels.
#[derive(Clone, Copy, Debug)]
pub enum Action<'a> {
    /// Removes them.
    Cut,
    /// Copies them by a distance.
    Copy([i32; 3]),
    /// Moves them by a distance.
    Move([i32; 3]),
    /// Replaces them by those of another place, moved by a distance.
    Paste(&'a dyn Dom, [i32; 3]),
}

/// Changes the voxels of a box of terrain, given by two opposite corners in studs: all voxels that it touches. Returns what
/// was filled in, and what turning terrain of the form before 2015 changed.
///
/// # Errors
/// `InvalidArgument` if one of the documents has no terrain, or the box is empty, too large or between voxels; `Limit` if the
/// voxels take more memory than is left.
pub fn change(
    document: &mut dyn Dom,
    action: Action<'_>,
    [from, to]: [[i32; 3]; 2],
    budget: &mut Budget,
) -> Result<Vec<Loss>> {
    document.editable()?;
    let by = match action {
        Action::Cut => [0; 3],
        Action::Copy(by) | Action::Move(by) | Action::Paste(_, by) => by,
    };
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
    let pasted = match action {
        Action::Paste(other, _) => {
            let from = terrain(other, budget)?;
            turned = turned.or(from.older.map(|(_, loss)| loss));
            Some(from.grid.region(extent, by, budget)?)
        }
        Action::Copy(_) | Action::Move(_) => Some(grid.region(extent, by, budget)?),
        Action::Cut => {
            // Checks the size of the region, too.
            grid.region(extent, [0; 3], budget)?;
            None
        }
    };
    if matches!(action, Action::Cut | Action::Move(_)) {
        grid.edit(extent.from, extent.to, |_, voxel| *voxel = Voxel::default());
    }
    if let Some(pasted) = &pasted {
        grid.paste(pasted, budget)?;
    }
    let physics = PhysicsGrid::of(&grid)?.to_vec()?;
    let mut losses = Vec::new();
    for (name, bytes) in [("SmoothGrid", grid.to_vec()?), ("PhysicsGrid", physics)] {
        budget.charge(bytes.len() as u64, "the terrain")?;
        losses.extend(write(document, Write::new(id, name, bytes).by(By::Name))?);
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
#[derive(Debug)]
pub struct Terrain {
    /// The instance of the class `Terrain`.
    pub id: InstanceId,
    /// Its voxels, of which it may have none.
    pub grid: SmoothGrid,
    /// The older property that has them, and what turning them changes.
    pub older: Option<(&'static str, Loss)>,
}

/// The first terrain of a document with voxels, or else the first one.
///
/// # Errors
/// If there is none, or its voxels cannot be read.
pub fn terrain(document: &dyn Dom, budget: &mut Budget) -> Result<Terrain> {
    let all: Vec<InstanceId> = document.by_class("Terrain").collect();
    // Studio gave places with older terrain an empty grid, which has only its header.
    let grid = |id: InstanceId, name: &str| {
        let value = document.value(id, name)?;
        value.as_bytes().filter(|bytes| bytes.len() > 2).map(<[u8]>::to_vec)
    };
    let find = |name: &str| all.iter().find_map(|&id| Some((id, grid(id, name)?)));
    if let Some((id, bytes)) = find("SmoothGrid") {
        budget.charge(64 * bytes.len() as u64, "the voxels of terrain")?;
        let grid = ReadOptions::new().max_bytes(budget.left()).read(&bytes)?;
        return Ok(Terrain { id, grid, older: None });
    }
    for name in ["ClusterGridV3", "ClusterGridV2"] {
        if let Some((id, bytes)) = find(name) {
            let (grid, loss) = SmoothGrid::from_cells(&bytes, budget)?;
            return Ok(Terrain { id, grid, older: Some((name, loss)) });
        }
    }
    let none = || Error::argument("the file has no Terrain; `add Terrain Workspace` adds one");
    let id = *all.first().ok_or_else(none)?;
    Ok(Terrain { id, grid: SmoothGrid::default(), older: None })
}
