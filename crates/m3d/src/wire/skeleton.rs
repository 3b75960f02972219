//! Chunk `BONE`: the bones of the bind pose, and the skins.
//!
//! | size | what |
//! |---|---|
//! | `bi_t` | the number of bones; if `bi_t` has no width, it is absent, and there are no bones |
//! | `sk_t` | the number of skins; if `sk_t` has no width, it is absent, and there are no skins |
//! | | the bones |
//! | each skin | `nb_t` weights of one byte (absent if `nb_t` is 1), and a `bi_t` for each weight that is not 0 |

use nom::bytes::complete::take;

use super::reader::Reader;
use super::record::Field;
use super::width::Width;
use super::writer::Writer;
use crate::consts::{TypeField, Types};
use crate::model::{BoneId, Model, Skin};
use geom::wire::{At, Parsed, Result};

pub(crate) fn read<'a>(reader: &mut Reader<'a>, data: &'a [u8], model: &mut Model) -> Parsed<'a, ()> {
    let (input, bones) = reader.plain(TypeField::Bone, data).field("count").field("bones")?;
    let (mut input, skins) = reader.plain(TypeField::Skin, input).field("count").field("skins")?;
    (input, model.bones) = reader.list(input, bones).field("bones")?;
    (input, model.skins) = reader.list(input, skins).field("skins")?;
    Ok((input, ()))
}

pub(crate) fn write<'m>(model: &'m Model, writer: &mut Writer<'m>) -> Result<()> {
    writer.count(Width::Of(TypeField::Bone), model.bones.len()).field("bones")?;
    writer.count(Width::Of(TypeField::Skin), model.skins.len()).field("skins")?;
    model.bones.write(writer).field("bones")?;
    model.skins.write(writer).field("skins")
}

impl Field for Skin {
    fn least(types: Types) -> usize {
        match types.size(TypeField::Weights) {
            1 => types.size(TypeField::Bone),
            weights => weights,
        }
    }

    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        let count = reader.types.size(TypeField::Weights);
        if count == 1 {
            let (rest, bone) = BoneId::read(reader, input).field("bones")?;
            return Ok((rest, Self::rigid(bone)));
        }
        let (mut input, weights) = take(count)(input).field("weights")?;
        let mut skin = Self::default();
        for ((&weight, to_weight), to_bone) in weights.iter().zip(&mut skin.weights).zip(&mut skin.bones) {
            *to_weight = weight;
            if weight != 0 {
                (input, *to_bone) = BoneId::read(reader, input).field("bones")?;
            }
        }
        Ok((input, skin))
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        let need = match self.weights {
            [255, 0, 0, 0, 0, 0, 0, 0] => 0,
            [_, _, 0, 0, 0, 0, 0, 0] => 1,
            [_, _, _, _, 0, 0, 0, 0] => 2,
            _ => 3,
        };
        let count = writer.weights(need);
        if count != 1 {
            writer.put(self.weights.get(..count).unwrap_or(&self.weights));
        }
        let bones = self.bones.iter().zip(&self.weights);
        bones.filter(|&(_, &weight)| weight != 0).try_for_each(|(bone, _)| bone.write(writer))
    }
}
