//! Chunk `BONE`: the bones of the bind pose, and which of them move a vertex.
//!
//! | size | what |
//! |---|---|
//! | `bi_t` | how many bones; nothing, and none, where that has no width |
//! | `sk_t` | how many skins; nothing, and none, where that has no width |
//! | each bone | `bi_t` parent, `si_t` name, `vi_t` position, `vi_t` orientation |
//! | each skin | a weight byte for each of `nb_t` (none where that is one), a `bi_t` for each weight that is not 0 |

use bstr::ByteSlice;
use nom::bytes::complete::take;

use super::fail::{At, Fail, Here, Parsed};
use super::reader::{Reader, length};
use super::writer::Writer;
use crate::consts::TypeField;
use crate::error::Result;
use crate::model::{Bone, Skin};

/// How many skins may be there that take no bytes: a claim that nothing backs.
const MOST_EMPTY: usize = 1 << 16;

impl<'a> Reader<'a> {
    pub(crate) fn read_skeleton(&mut self, data: &'a [u8]) -> Parsed<'a, (Vec<Bone>, Vec<Skin>)> {
        let (input, bone_count) = self.count(TypeField::Bone, data).field("bones.count")?;
        let (mut input, skin_count) = self.count(TypeField::Skin, input).field("skins.count")?;

        let (bone, weights) = (self.types.size(TypeField::Bone), self.types.size(TypeField::Weights));
        let record = bone
            .saturating_add(self.types.size(TypeField::Name))
            .saturating_add(self.types.size(TypeField::Vertex).saturating_mul(2));
        let bone_count = fitting(input, bone_count, record).field("bones.count")?;
        let mut bones = self.budget.vec(bone_count).here(input).field("bones")?;
        for index in 0..bone_count {
            let (rest, bone) = self.read_bone(input).index(index).field("bones")?;
            bones.push(bone);
            input = rest;
        }

        let least = if weights == 1 { bone } else { weights };
        let skin_count = fitting(input, skin_count, least).field("skins.count")?;
        let mut skins = self.budget.vec(skin_count).here(input).field("skins")?;
        for index in 0..skin_count {
            let (rest, skin) = self.read_skin(input, weights).index(index).field("skins")?;
            skins.push(skin);
            input = rest;
        }
        Ok((input, (bones, skins)))
    }

    fn read_bone(&mut self, input: &'a [u8]) -> Parsed<'a, Bone> {
        let (input, parent) = self.bone(input).field("parent")?;
        let (input, name) = self.name(input).field("name")?;
        let (input, position) = self.vertex(input).field("position")?;
        let (input, orientation) = self.vertex(input).field("orientation")?;
        Ok((input, Bone { parent, name, position, orientation }))
    }

    fn read_skin(&self, input: &'a [u8], count: usize) -> Parsed<'a, Skin> {
        if count == 1 {
            let (input, bone) = self.bone(input).field("bones")?;
            return Ok((input, Skin::rigid(bone)));
        }
        let (mut input, weights) = take(count)(input).field("weights")?;
        let mut skin = Skin::default();
        for ((&weight, to_weight), to_bone) in weights.iter().zip(&mut skin.weights).zip(&mut skin.bones) {
            *to_weight = weight;
            if weight != 0 {
                let (rest, bone) = self.bone(input).field("bones")?;
                (input, *to_bone) = (rest, bone);
            }
        }
        Ok((input, skin))
    }
}

/// A count of records of at least so many bytes, if the input can hold them.
fn fitting(input: &[u8], count: u32, least: usize) -> Result<usize, nom::Err<Fail<'_>>> {
    let count = length(input, count)?;
    let most = input.len().checked_div(least).unwrap_or(MOST_EMPTY);
    if count <= most { Ok(count) } else { Err(Fail::end(input)) }
}

impl Writer<'_> {
    pub(crate) fn write_skeleton(&mut self, bones: &[Bone], skins: &[Skin]) -> Result<()> {
        self.count(TypeField::Bone, bones.len(), "bones")?;
        self.count(TypeField::Skin, skins.len(), "skins")?;
        for bone in bones {
            self.index(TypeField::Bone, bone.parent.0);
            self.name(bone.name.as_bstr());
            self.index(TypeField::Vertex, bone.position.0);
            self.index(TypeField::Vertex, bone.orientation.0);
        }
        let count = self.types.size(TypeField::Weights);
        for skin in skins {
            self.write_skin(skin, count);
        }
        Ok(())
    }

    fn write_skin(&mut self, skin: &Skin, count: usize) {
        let [first, ..] = skin.bones;
        if count == 1 {
            if *skin != Skin::rigid(first) {
                self.too_narrow(TypeField::Weights);
            }
            return self.index(TypeField::Bone, first.0);
        }
        let (here, behind) = skin.weights.split_at_checked(count).unwrap_or((&skin.weights, &[]));
        if behind.iter().any(|&weight| weight != 0) {
            self.too_narrow(TypeField::Weights);
        }
        self.put(here);
        for (bone, _) in skin.bones.iter().zip(here).filter(|&(_, &weight)| weight != 0) {
            self.index(TypeField::Bone, bone.0);
        }
    }
}
