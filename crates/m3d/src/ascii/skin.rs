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

use super::reader::{Read, Reader};
use super::skins::{SkinPlan, SkinTable, compact, first_places};
use super::token::{self, at_line_end, expected, is_end, skip_blanks};
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::list::{fill, push};
use crate::model::{BoneId, Model, Skin, SkinId};
use crate::wire::fail::{At, Here};

/// What a skin takes in a table, with what a table leaves free.
const PLACE: u64 = size_of::<[(Skin, SkinId); 2]>() as u64;

const WHAT: &str = "a bone as index or index:weight";

impl<'a> Reader<'a> {
    /// The skin of the tokens up to the end of the line, or up to a brace. One that is given by its index is put
    /// with its place into a list of the table, and absent until all are known.
    pub(crate) fn skin(
        &mut self,
        place: usize,
        given: impl FnOnce(&mut SkinTable) -> &mut Vec<(usize, SkinId)>,
    ) -> Read<'a, SkinId> {
        if self.sign(b'@') {
            self.layout.extensions = true;
            let id = SkinId(self.parse(|input| token::index(input, "the index of a skin"))?);
            push(given(&mut self.skins), (place, id), &mut self.budget).here(self.input)?;
            return Ok(SkinId::NONE);
        }
        let mut skin = Skin::default();
        let mut slots = skin.bones.iter_mut().zip(&mut skin.weights);
        while !at_line_end(self.input) && !self.input.starts_with(b"{") {
            let start = self.input;
            let (bone, weight) = self.influence()?;
            // A bone of weight 0 moves nothing: it is there for the SDK.
            if weight == 0 {
                self.layout.padded_skins = true;
            } else {
                let Some((to_bone, to_weight)) = slots.next() else {
                    return Err(expected(start, "no more than eight bones"));
                };
                (*to_bone, *to_weight) = (bone, weight);
            }
            self.input = skip_blanks(self.input);
        }
        if skin == Skin::default() {
            return Ok(SkinId::NONE);
        }
        if let Some(&id) = self.skins.places.get(&skin) {
            return Ok(id);
        }
        let id = SkinId::new(self.skins.used.len());
        self.budget.take(PLACE).here(self.input)?;
        self.skins.places.insert(skin, id);
        push(&mut self.skins.used, skin, &mut self.budget).here(self.input)?;
        Ok(id)
    }

    /// The skin of a vertex, if its row has one.
    pub(crate) fn vertex_skin(&mut self, column: &mut Vec<SkinId>, place: usize) -> Read<'a, ()> {
        let id = self.skin(place, |table| &mut table.vertices)?;
        if !id.is_none() {
            fill(column, place, &mut self.budget).here(self.input)?;
            column.push(id);
        }
        Ok(())
    }

    /// A bone and its weight, which is 1 unless said.
    fn influence(&mut self) -> Read<'a, (BoneId, u8)> {
        let start = self.input;
        let bone = BoneId(self.parse(|input| token::index(input, WHAT))?);
        let mut weight = 255;
        if let Some(at) = self.input.strip_prefix(b":") {
            self.input = at;
            let part = self.number("a weight of 0 to 1").field("weight")?.float;
            if !(0.0..=1.0009766).contains(&part) {
                return Err(expected(at, "a weight of 0 to 1"));
            }
            // A half is 127, as in the specification.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates at 255")]
            let steps = (part * 255.0 - 0.5).ceil() as u8;
            weight = steps;
        }
        match self.input.first() {
            Some(&byte) if !is_end(byte) => Err(expected(start, WHAT)),
            _ => Ok((bone, weight)),
        }
    }

    pub(crate) fn read_skins(&mut self) -> Read<'a, ()> {
        self.layout.extensions = true;
        while self.row() {
            let mut skin = Skin::default();
            for slot in skin.bones.iter_mut().zip(&mut skin.weights) {
                match self.input {
                    input if at_line_end(input) => break,
                    [b'-', rest @ ..] if rest.first().is_none_or(|&byte| is_end(byte)) => self.input = rest,
                    _ => (*slot.0, *slot.1) = self.influence()?,
                }
                self.input = skip_blanks(self.input);
            }
            push(&mut self.skins.listed, skin, &mut self.budget).here(self.input)?;
            self.line_end()?;
        }
        Ok(())
    }

    /// Gives all skins their indices, now that all are known.
    pub(crate) fn finish_skins(&mut self, model: &mut Model) -> Read<'a, ()> {
        let at = self.input;
        let SkinTable { used, listed, vertices, voxel_types, .. } = std::mem::take(&mut self.skins);
        let budget = &mut self.budget;
        let mut column = std::mem::take(&mut model.vertices.skins);
        if listed.is_empty() {
            model.skins = used;
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
            let uses = column.iter_mut().chain(model.voxel_types.iter_mut().map(|kind| &mut kind.skin));
            for id in uses {
                *id = id.get().and_then(|used| ids.get(used)).copied().unwrap_or(*id);
            }
            model.skins = skins;
        }
        let count = model.vertices.len();
        if !column.is_empty() || model.orientations().next().is_some() || !vertices.is_empty() {
            fill(&mut column, count, budget).here(at)?;
        }
        for id in model.orientations() {
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
            if let Some(kind) = model.voxel_types.get_mut(place) {
                kind.skin = id;
            }
        }
        if column.iter().any(|skin| !skin.is_none()) {
            model.vertices.skins = column;
        }
        Ok(())
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
            _ => self.skin(skin, self.layout.padded_skins).field("skin"),
        }
    }

    /// The tokens of a skin, each after a blank. Padded ones are at most eight with their padding, which is
    /// all that the SDK reads.
    pub(crate) fn skin(&mut self, id: SkinId, padded: bool) -> Result<()> {
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
            None => return Err(Error::unwritable("", format!("skin {} of {}", id.0, skins.len()))),
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

    pub(crate) fn write_skins(&mut self) {
        self.put("Skins");
        self.line();
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
        self.line();
    }
}
