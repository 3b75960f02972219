//! Which bones move a vertex: after its numbers in `Vertex`, after the name in `VoxTypes`.
//!
//! | token | what |
//! |---|---|
//! | `bone` | this bone alone |
//! | `bone:weight` | up to eight bones, each with its part of 1; those of weight 0 do not count |
//! | `@skin` | ours: the skin of this index, -1 for none, -2 for a quaternion |
//!
//! Without a section `Skins` the model has the skins in the order in which rows first use them, and
//! what a bone or an action uses as an orientation is a quaternion. Where a model differs, a text with
//! extensions has tokens with `@` and a section `Skins`: one skin a row, `-` for a place without a bone.

use std::collections::HashMap;

use super::number;
use super::reader::Reader;
use super::token::{self, at_line_end, expected, is_end, line_end, row, skip_blanks};
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::list::{fill, push};
use crate::model::{BoneId, Model, Skin, SkinId};
use crate::wire::fail::{At, Here, Parsed};

/// The skins that were read so far. Until all is read the ids in the model are indices of `used`.
#[derive(Debug, Default)]
pub(crate) struct SkinTable {
    used: Vec<Skin>,
    places: HashMap<Skin, SkinId>,
    listed: Vec<Skin>,
    /// The vertices and the types of voxels whose skin is given as an index.
    vertices: Vec<(usize, SkinId)>,
    voxel_types: Vec<(usize, SkinId)>,
}

/// The tokens of a row: influences or an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowSkin {
    Skin(SkinId),
    Index(SkinId),
}

/// What a skin takes in a table, with what a table leaves free.
const PLACE: u64 = size_of::<[(Skin, SkinId); 2]>() as u64;

const WHAT: &str = "a bone as index or index:weight";

impl Reader {
    /// The skin of the tokens up to the end of the line, or up to a brace.
    pub(crate) fn skin<'a>(&mut self, mut input: &'a [u8]) -> Parsed<'a, RowSkin> {
        input = skip_blanks(input);
        if let [b'@', index @ ..] = input {
            self.layout.extensions = true;
            let (rest, id) = token::index(index, "the index of a skin")?;
            return Ok((rest, RowSkin::Index(SkinId(id))));
        }
        let mut skin = Skin::default();
        let mut slots = skin.bones.iter_mut().zip(&mut skin.weights);
        while !at_line_end(input) && !input.starts_with(b"{") {
            let (rest, (bone, weight)) = influence(input)?;
            // A bone of weight 0 moves nothing: it is there for the SDK.
            if weight == 0 {
                self.layout.padded_skins = true;
            } else {
                let Some((to_bone, to_weight)) = slots.next() else {
                    return Err(expected(input, "no more than eight bones"));
                };
                (*to_bone, *to_weight) = (bone, weight);
            }
            input = skip_blanks(rest);
        }
        if skin == Skin::default() {
            return Ok((input, RowSkin::Skin(SkinId::NONE)));
        }
        let table = &mut self.skins;
        let id = match table.places.get(&skin) {
            Some(&id) => id,
            None => {
                let id = SkinId::new(table.used.len());
                self.budget.take(PLACE).here(input)?;
                table.places.insert(skin, id);
                push(&mut table.used, skin, &mut self.budget).here(input)?;
                id
            }
        };
        Ok((input, RowSkin::Skin(id)))
    }

    /// The skin of a vertex, if its row has one.
    pub(crate) fn vertex_skin<'a>(&mut self, input: &'a [u8], place: usize) -> Parsed<'a, ()> {
        let (rest, skin) = self.skin(input)?;
        match skin {
            RowSkin::Skin(SkinId::NONE) => {}
            RowSkin::Skin(id) => {
                fill(&mut self.model.vertices.skins, place, &mut self.budget).here(input)?;
                self.model.vertices.skins.push(id);
            }
            RowSkin::Index(id) => {
                push(&mut self.skins.vertices, (place, id), &mut self.budget).here(input)?
            }
        }
        Ok((rest, ()))
    }

    /// The skin of a type of voxels.
    pub(crate) fn voxel_skin<'a>(&mut self, input: &'a [u8], place: usize) -> Parsed<'a, SkinId> {
        let (rest, skin) = self.skin(input)?;
        let id = match skin {
            RowSkin::Skin(id) => id,
            RowSkin::Index(id) => {
                push(&mut self.skins.voxel_types, (place, id), &mut self.budget).here(input)?;
                SkinId::NONE
            }
        };
        Ok((rest, id))
    }

    /// Section `Skins`.
    pub(crate) fn read_skins<'a>(&mut self, mut input: &'a [u8]) -> Parsed<'a, ()> {
        loop {
            let mut slot = match row(input) {
                Ok(row) => row,
                Err(rest) => return Ok((rest, ())),
            };
            let mut skin = Skin::default();
            for (bone, weight) in skin.bones.iter_mut().zip(&mut skin.weights) {
                if at_line_end(slot) {
                    break;
                }
                slot = match slot {
                    [b'-', rest @ ..] if rest.first().is_none_or(|&byte| is_end(byte)) => rest,
                    _ => {
                        let (rest, influence) = influence(slot)?;
                        (*bone, *weight) = influence;
                        rest
                    }
                };
                slot = skip_blanks(slot);
            }
            push(&mut self.skins.listed, skin, &mut self.budget).here(slot)?;
            input = line_end(slot)?.0;
        }
    }

    /// Gives all skins their indices, now that all are known.
    pub(crate) fn finish_skins<'a>(&mut self, at: &'a [u8]) -> Parsed<'a, ()> {
        let SkinTable { used, places, listed, vertices, voxel_types } = std::mem::take(&mut self.skins);
        drop(places);
        let budget = &mut self.budget;
        let mut column = std::mem::take(&mut self.model.vertices.skins);
        if listed.is_empty() {
            self.model.skins = used;
        } else {
            budget.take(PLACE.saturating_mul(listed.len() as u64)).here(at)?;
            let mut places = first_places(&listed);
            let mut skins = listed;
            let mut ids = budget.vec(used.len()).here(at)?;
            for skin in used {
                let id = *places.entry(skin).or_insert(SkinId::new(skins.len()));
                if id.get() == Some(skins.len()) {
                    push(&mut skins, skin, budget).here(at)?;
                }
                ids.push(id);
            }
            let uses = column.iter_mut().chain(self.model.voxel_types.iter_mut().map(|kind| &mut kind.skin));
            for id in uses {
                *id = id.get().and_then(|used| ids.get(used)).copied().unwrap_or(*id);
            }
            self.model.skins = skins;
        }
        let count = self.model.vertices.len();
        if !column.is_empty() || !self.quaternions.is_empty() || !vertices.is_empty() {
            fill(&mut column, count, budget).here(at)?;
        }
        for id in &self.quaternions {
            if let Some(skin) = id.get().and_then(|place| column.get_mut(place))
                && skin.is_none()
            {
                *skin = SkinId::QUATERNION;
            }
        }
        for (place, id) in vertices {
            if let Some(skin) = column.get_mut(place) {
                *skin = id;
            }
        }
        for (place, id) in voxel_types {
            if let Some(kind) = self.model.voxel_types.get_mut(place) {
                kind.skin = id;
            }
        }
        if column.iter().any(|skin| !skin.is_none()) {
            self.model.vertices.skins = column;
        }
        Ok((at, ()))
    }
}

/// A bone and its weight, which is 1 unless said.
fn influence(input: &[u8]) -> Parsed<'_, (BoneId, u8)> {
    let (rest, bone) = token::index(input, WHAT)?;
    let (rest, weight) = match rest.strip_prefix(b":") {
        Some(at) => {
            let (rest, weight) = number::read_f32(at, "a weight of 0 to 1").field("weight")?;
            if !(0.0..=1.0009766).contains(&weight) {
                return Err(expected(at, "a weight of 0 to 1"));
            }
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates at 255")]
            // A half is 127, as in the specification.
            (rest, (weight * 255.0 - 0.5).ceil() as u8)
        }
        None => (rest, 255),
    };
    match rest.first() {
        Some(&byte) if !is_end(byte) => Err(expected(input, WHAT)),
        _ => Ok((rest, (BoneId(bone), weight))),
    }
}

/// A skin as rows have it: without places that no bone has.
fn compact(skin: &Skin) -> Skin {
    Skin::new(skin.bones.into_iter().zip(skin.weights))
}

fn first_places(skins: &[Skin]) -> HashMap<Skin, SkinId> {
    let mut places = HashMap::with_capacity(skins.len());
    for (place, skin) in skins.iter().enumerate() {
        places.entry(compact(skin)).or_insert(SkinId::new(place));
    }
    places
}

/// How the skins of a model are written.
#[derive(Debug, Default)]
pub(crate) struct SkinPlan<'m> {
    skins: &'m [Skin],
    /// There must be a section `Skins`.
    pub(crate) listed: bool,
    extensions: bool,
    places: HashMap<Skin, SkinId>,
    quaternions: Vec<bool>,
}

impl<'m> SkinPlan<'m> {
    /// `voxels_first`: the types of voxels are written before the vertices.
    pub(crate) fn new(model: &'m Model, voxels_first: bool, extensions: bool) -> Result<Self> {
        let count = model.vertices.len();
        let mut quaternions = vec![false; count];
        let transforms =
            model.actions.iter().flat_map(|action| &action.frames).flat_map(|frame| &frame.transforms);
        let used = transforms.map(|transform| transform.orientation);
        for id in used.chain(model.bones.iter().map(|bone| bone.orientation)) {
            if let Some(there) = id.get().and_then(|place| quaternions.get_mut(place)) {
                *there = true;
            }
        }
        if !matches!(model.vertices.skins.len(), 0) && model.vertices.skins.len() != count {
            return Err(Error::unwritable(
                "vertices.skins",
                "a column of another length than vertices.coords",
            ));
        }

        if !extensions {
            return Ok(Self { skins: &model.skins, quaternions, ..Self::default() });
        }
        // What a reader makes of rows alone, and whether that is what there is.
        let mut next = 0_usize;
        let mut places: HashMap<Skin, SkinId> = HashMap::new();
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

impl Writer<'_> {
    /// The tokens of a vertex, each after a blank.
    pub(crate) fn vertex_skin(&mut self, index: usize) -> Result<()> {
        let skin = self.model.vertices.skins.get(index).copied().unwrap_or_default();
        let quaternion = self.skins.quaternions.get(index) == Some(&true);
        match skin {
            SkinId::QUATERNION if quaternion => Ok(()),
            SkinId::NONE if !quaternion => Ok(()),
            _ => self.skin(skin, self.layout.padded_skins, || format!("vertices.skins[{index}]")),
        }
    }

    /// The tokens of a skin, each after a blank. Padded ones are at most eight with their padding, which is
    /// all that the SDK reads.
    pub(crate) fn skin(&mut self, id: SkinId, padded: bool, path: impl FnOnce() -> String) -> Result<()> {
        let SkinPlan { skins, extensions, .. } = self.skins;
        let there = id.get().map(|place| skins.get(place).map(compact));
        let as_row = |skin: &Skin| self.skins.places.get(skin) == Some(&id) && *skin != Skin::default();
        match there.flatten().filter(|skin| !extensions || as_row(skin)) {
            Some(skin) => {
                let alone = skin.weights.get(1) == Some(&0);
                let padded = padded && skin.weights.get(4) == Some(&0);
                for (bone, weight) in
                    skin.bones.into_iter().zip(skin.weights).filter(|&(_, weight)| weight != 0)
                {
                    self.put(if padded { " 0:0 " } else { " " });
                    self.influence(bone, weight, alone);
                }
            }
            None if extensions => {
                self.put(" @");
                self.index(id);
            }
            // No skin, and a quaternion that no bone uses: neither moves anything.
            None if there.is_none() => {}
            None => return Err(Error::unwritable(path(), format!("skin {} of {}", id.0, skins.len()))),
        }
        Ok(())
    }

    fn influence(&mut self, bone: BoneId, weight: u8, alone: bool) {
        self.index(bone);
        if alone && weight == 255 {
            return;
        }
        // Thousandths are enough for 255 steps. Rounded up, they are right for readers that round and
        // for those that cut off.
        let thousandths = u32::from(weight).saturating_mul(1000).saturating_add(254) / 255;
        self.put(":");
        #[allow(clippy::cast_precision_loss, reason = "at most 1000")]
        self.f32(thousandths as f32 / 1000.0);
    }

    /// Section `Skins`.
    pub(crate) fn write_skins(&mut self) {
        for skin in self.skins.skins {
            let filled = skin.bones.iter().zip(&skin.weights);
            let last = filled.clone().rposition(|(bone, &weight)| weight != 0 || !bone.is_none());
            let len = last.map_or(1, |last| last.saturating_add(1));
            for (place, (&bone, &weight)) in filled.take(len).enumerate() {
                if place != 0 {
                    self.put(" ");
                }
                match weight {
                    0 if bone.is_none() => self.put("-"),
                    _ => self.influence(bone, weight, len == 1),
                }
            }
            self.line();
        }
    }
}
