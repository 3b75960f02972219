//! The skins of a text as tables: those that rows give while it is read, and how those of a model are written.

use std::collections::HashMap;

use crate::error::Result;
use crate::hash::Mix;
use crate::model::{Model, Skin, SkinId};

/// The skins that were read so far. Until all is read the ids in the model are indices of `used`.
#[derive(Debug, Default)]
pub(crate) struct SkinTable {
    pub(crate) used: Vec<Skin>,
    pub(crate) places: HashMap<Skin, SkinId, Mix>,
    pub(crate) listed: Vec<Skin>,
    /// The vertices and the types of voxels whose skin is given as an index.
    pub(crate) vertices: Vec<(usize, SkinId)>,
    pub(crate) voxel_types: Vec<(usize, SkinId)>,
}

/// A skin as rows have it: without places that no bone has.
pub(crate) fn compact(skin: &Skin) -> Skin {
    Skin::new(skin.bones.into_iter().zip(skin.weights))
}

pub(crate) fn first_places(skins: &[Skin]) -> HashMap<Skin, SkinId, Mix> {
    let mut places = HashMap::with_capacity_and_hasher(skins.len(), Mix::default());
    for (place, skin) in skins.iter().enumerate() {
        places.entry(compact(skin)).or_insert(SkinId::new(place));
    }
    places
}

#[derive(Debug, Default)]
pub(crate) struct SkinPlan<'m> {
    pub(crate) skins: &'m [Skin],
    /// There must be a section `Skins`.
    pub(crate) listed: bool,
    pub(crate) extensions: bool,
    pub(crate) places: HashMap<Skin, SkinId, Mix>,
    pub(crate) quaternions: Vec<bool>,
}

impl<'m> SkinPlan<'m> {
    /// `voxels_first`: the types of voxels are written before the vertices.
    pub(crate) fn new(model: &'m Model, voxels_first: bool, extensions: bool) -> Result<Self> {
        let mut quaternions = vec![false; model.vertices.len()];
        for id in model.orientations() {
            if let Some(there) = id.get().and_then(|place| quaternions.get_mut(place)) {
                *there = true;
            }
        }
        if !extensions {
            return Ok(Self { skins: &model.skins, quaternions, ..Self::default() });
        }
        // What a reader makes of rows alone, and whether that is what there is.
        let mut next = 0_usize;
        let mut places: HashMap<Skin, SkinId, Mix> = HashMap::default();
        let mut as_used = |id: SkinId| {
            let Some(skin) = id.get().and_then(|place| model.skins.get(place)) else { return true };
            if *skin == Skin::default() || compact(skin) != *skin {
                return false;
            }
            let used = *places.entry(*skin).or_insert_with(|| {
                next = next.saturating_add(1);
                SkinId::new(next.saturating_sub(1))
            });
            used == id
        };
        let vertices = model.vertices.skins.iter().copied();
        let kinds = model.voxel_types.iter().map(|kind| kind.skin);
        let in_row_order = match voxels_first {
            true => kinds.chain(vertices).all(&mut as_used),
            false => vertices.chain(kinds).all(&mut as_used),
        };
        let listed = !in_row_order || next != model.skins.len();
        if listed {
            places = first_places(&model.skins);
        }
        Ok(Self { skins: &model.skins, listed, extensions, places, quaternions })
    }
}
