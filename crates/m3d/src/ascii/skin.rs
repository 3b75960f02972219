//! Skins: the bones that move a vertex (after its numbers in `Vertex`) or a type of voxels (after its name in
//! `VoxTypes`).
//!
//! | token | what |
//! |---|---|
//! | `bone` | this bone alone |
//! | `bone:weight` | one of up to eight bones, with its weight from 0 to 1; a bone of weight 0 moves nothing |
//!
//! The SDK skips a token before each bone of a vertex and after each bone of a type of voxels, and stops if there is no
//! token. Therefore a bone of weight 0 is written at each of these places. The SDK does not read the digits of `-1`; it
//! continues with the next token.
//!
//! The skins of a model are in the order in which rows first use them. A vertex that a bone or an action uses as an
//! orientation is a quaternion. A row whose weights are all 0 has no skin, unless one of its bones is -2: then it is a
//! quaternion.

use std::collections::HashSet;

use super::number::thousandths;
use super::reader::{Read, Reader, SkinTable, fill};
use super::token::{self, at_line_end, expected, is_end, skip_blanks};
use super::writer::Writer;
use crate::hash::Mix;
use crate::model::{BoneId, Model, Skin, SkinId};
use geom::wire::{At, Error, Here, Problem, Refuse as _, Result};

/// The memory that a skin takes in a table, including the table's free space.
const PLACE: u64 = size_of::<[(Skin, SkinId); 2]>() as u64;

const WHAT: &str = "a bone as `index` or `index:weight`";

/// A bone of weight 0.
const PADDING: &str = " 0:0";

impl<'a> Reader<'a> {
    /// The skin of the tokens up to the end of the line, or up to a brace; `None` if there are no tokens.
    pub(crate) fn skin(&mut self) -> Read<'a, Option<SkinId>> {
        let mut skin = Skin::default();
        let mut slots = skin.bones.iter_mut().zip(&mut skin.weights);
        let mut marked = None;
        self.input = skip_blanks(self.input);
        while !at_line_end(self.input) && !self.input.starts_with(b"{") {
            let start = self.input;
            let (bone, weight) = self.influence()?;
            if weight == 0 {
                let is_quaternion = bone.0 == SkinId::QUATERNION.0;
                marked =
                    Some(if is_quaternion { SkinId::QUATERNION } else { marked.unwrap_or(SkinId::NONE) });
            } else {
                let Some((to_bone, to_weight)) = slots.next() else {
                    return Err(expected(start, "no further bone (a skin has at most eight)"));
                };
                (*to_bone, *to_weight) = (bone, weight);
            }
            self.input = skip_blanks(self.input);
        }
        if skin == Skin::default() {
            return Ok(marked);
        }
        if let Some(&id) = self.skins.ids.get(&skin) {
            return Ok(Some(id));
        }
        let id = SkinId::new(self.skins.used.len());
        self.budget.take(PLACE).here(self.input)?;
        self.skins.ids.insert(skin, id);
        self.budget.push(&mut self.skins.used, skin).here(self.input)?;
        Ok(Some(id))
    }

    /// The skin of a vertex, if its row has one.
    pub(crate) fn vertex_skin(&mut self, column: &mut Vec<SkinId>, index: usize) -> Read<'a, ()> {
        match self.skin()? {
            None => {}
            Some(SkinId::NONE) => self.budget.push(&mut self.skins.without, index).here(self.input)?,
            Some(id) => {
                fill(column, index, &mut self.budget).here(self.input)?;
                column.push(id);
            }
        }
        Ok(())
    }

    /// A bone and its weight, 1 by default.
    fn influence(&mut self) -> Read<'a, (BoneId, u8)> {
        let start = self.input;
        let bone = BoneId(self.parse(|input| token::index(input, WHAT))?);
        let mut weight = 255;
        if let Some(at) = self.input.strip_prefix(b":") {
            self.input = at;
            let part = self.number("a weight from 0 to 1").field("weight")?.float;
            if !(0.0..=1.0009766).contains(&part) {
                return Err(expected(at, "a weight from 0 to 1")).field("weight");
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

    /// Gives the model its skins, and marks the vertices that are orientations.
    pub(crate) fn finish_skins(&mut self, model: &mut Model) -> Read<'a, ()> {
        let at = self.input;
        let SkinTable { used, without, .. } = std::mem::take(&mut self.skins);
        model.skins = used;
        let mut column = std::mem::take(&mut model.vertices.skins);
        if !column.is_empty() || model.orientations().next().is_some() {
            fill(&mut column, model.vertices.len(), &mut self.budget).here(at)?;
        }
        for id in model.orientations() {
            if let Some(skin) = id.get().and_then(|index| column.get_mut(index))
                && skin.is_none()
            {
                *skin = SkinId::QUATERNION;
            }
        }
        for index in without {
            if let Some(skin) = column.get_mut(index) {
                *skin = SkinId::NONE;
            }
        }
        if column.iter().any(|skin| !skin.is_none()) {
            model.vertices.skins = column;
        }
        Ok(())
    }
}

impl<'m> Writer<'m> {
    pub(crate) fn new(model: &'m Model, crlf: bool) -> Self {
        let mut orientations = vec![false; model.vertices.len()];
        for id in model.orientations() {
            if let Some(there) = id.get().and_then(|index| orientations.get_mut(index)) {
                *there = true;
            }
        }
        Self { model, orientations, out: Vec::new(), crlf }
    }

    /// Refuses a skin that no row uses, unless it equals a used one.
    pub(crate) fn check_skins(model: &Model) -> Result<()> {
        let mut used = vec![false; model.skins.len()];
        let kinds = model.voxel_types.iter().map(|kind| kind.skin);
        for id in model.vertices.skins.iter().copied().chain(kinds) {
            if let Some(used) = id.get().and_then(|index| used.get_mut(index)) {
                *used = true;
            }
        }
        let of = |wanted: bool| {
            let skins = model.skins.iter().map(Skin::compact).zip(&used).enumerate();
            skins.filter(move |(_, (_, used))| **used == wanted).map(|(index, (skin, _))| (index, skin))
        };
        if of(false).next().is_none() {
            return Ok(());
        }
        let there: HashSet<Skin, Mix> = of(true).map(|(_, skin)| skin).collect();
        match of(false).find(|(_, skin)| !there.contains(skin)) {
            None => Ok(()),
            Some((index, _)) => Err(Error::unwritable(
                format!("skins[{index}]"),
                "a text file with an unused skin (remove the skin, or use the binary format, .m3d)",
            )),
        }
    }

    /// The tokens of a vertex, each after a blank.
    pub(crate) fn vertex_skin(&mut self, index: usize) -> Result<()> {
        let id = self.model.vertices.skins.get(index).copied().unwrap_or(SkinId::NONE);
        let is_orientation = self.orientations.get(index) == Some(&true);
        match (id, is_orientation) {
            (SkinId::QUATERNION, true) | (SkinId::NONE, false) => {}
            // The row must say so, because a reader cannot infer it. The SDK skips the first of the two tokens.
            (SkinId::QUATERNION, false) => self.put(" -2:0 0:0"),
            (SkinId::NONE, true) => self.put(" 0:0 0:0"),
            _ => {
                let skin = self.skin(id).field("skin")?;
                let mut is_next = false;
                for (bone, weight, text) in influences(&skin) {
                    if !is_next {
                        self.put(PADDING);
                    }
                    self.influence(bone, weight, text);
                    is_next = bone.get().is_none();
                }
                if is_next {
                    self.put(PADDING);
                }
            }
        }
        Ok(())
    }

    /// The tokens of a type of voxels, each after a blank.
    pub(crate) fn voxel_skin(&mut self, id: SkinId) -> Result<()> {
        match id {
            SkinId::NONE => {}
            SkinId::QUATERNION => self.put(" 0:0 -2:0"),
            _ => {
                let skin = self.skin(id).field("skin")?;
                for (bone, weight, text) in influences(&skin) {
                    self.influence(bone, weight, text);
                    if text && bone.get().is_some() {
                        self.put(PADDING);
                    }
                }
            }
        }
        Ok(())
    }

    /// The skin with an id, in the form that a row can state. Fails if it has no bones.
    fn skin(&self, id: SkinId) -> Result<Skin> {
        let skins = &self.model.skins;
        let skin = id.get().and_then(|index| skins.get(index)).map(Skin::compact);
        match skin.ok_or_else(|| Problem::reference("skin", id.0, skins.len())).unwritable("")? {
            skin if skin == Skin::default() => {
                let what = "a text file with a skin that has no bones (use the binary format, .m3d)";
                Err(Error::unwritable("", what))
            }
            skin => Ok(skin),
        }
    }

    /// A bone, and its weight if that is not 1.
    fn influence(&mut self, bone: BoneId, weight: u8, with_weight: bool) {
        self.put(" ");
        self.index(bone);
        if with_weight {
            self.put(":");
            self.f32(thousandths(weight) / 1000.0);
        }
    }
}

/// The bones of a skin, their weights, and whether to write the weights: not if the only bone has all the weight.
fn influences(skin: &Skin) -> impl Iterator<Item = (BoneId, u8, bool)> {
    let alone = skin.weights.first() == Some(&255) && skin.weights.get(1) == Some(&0);
    let filled = skin.bones.into_iter().zip(skin.weights).filter(|&(_, weight)| weight != 0);
    filled.map(move |(bone, weight)| (bone, weight, !alone))
}
