//! Envelopes, bones, the table of their names, and subsets.

use bstr::BString;
use geom::{Mat3, Vec3};

use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Bone, BoneNames, Envelope, Layout, Subset};
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::record::record;
use crate::wire::{array, blob, count};

record!(Envelope, 8 { indices: [u8; 4], weights: [u8; 4] });

record!(Subset, 72 {
    faces_begin: u32,
    faces_len: u32,
    vertices_begin: u32,
    vertices_len: u32,
    bones_len: u32,
    bone_table: [u16; 26],
});

/// A bone as it stands in the file, its name elsewhere.
#[derive(Debug)]
pub(crate) struct RawBone {
    name: u32,
    parent: u16,
    lod_parent: u16,
    culling: f32,
    rotation: Mat3,
    position: Vec3,
}

record!(RawBone, 60 {
    name: u32,
    parent: u16,
    lod_parent: u16,
    culling: f32,
    rotation: Mat3,
    position: Vec3,
});

/// The bones and, where a writer would not make the same one, the table of their names.
pub(crate) fn read_bones<'a>(
    input: &'a [u8],
    bones: usize,
    names_len: impl FnOnce(&'a [u8]) -> Parsed<'a, u32>,
    budget: &mut Budget,
) -> Parsed<'a, (Vec<Bone>, Option<BoneNames>)> {
    let (input, raw) = array::read::<RawBone, 60>(input, bones, budget).field("bones")?;
    let (input, names_len) = names_len(input)?;
    let (rest, table) = blob(input, names_len).field("bone_names")?;

    let mut bones = budget.vec(raw.len()).here(input)?;
    // Bones may share a name, but names that overlap again and again would fill any memory.
    let most = table.len().saturating_add(raw.len().saturating_mul(61));
    let mut next = 0_usize;
    let mut canonical = true;
    for (index, raw) in raw.iter().enumerate() {
        let name = BoneNames::name_at(table, raw.name).unwrap_or_default();
        canonical &= raw.name as usize == next;
        next = next.saturating_add(name.len()).saturating_add(1);
        if next > most {
            return Err(Fail::invalid(input, "names that overlap")).field("name").index(index).field("bones");
        }
        let name = BString::from(budget.copy(name).here(input)?);
        let &RawBone { parent, lod_parent, culling, rotation, position, .. } = raw;
        bones.push(Bone { name, parent, lod_parent, culling, rotation, position });
    }
    let odd = !canonical || next != table.len();
    let names = match odd {
        false => None,
        true => Some(BoneNames {
            bytes: budget.copy(table).here(input)?.into(),
            offsets: raw.iter().map(|bone| bone.name).collect(),
        }),
    };
    Ok((rest, (bones, names)))
}

/// The table of the bones' names and where each begins.
pub(crate) fn bone_names(bones: &[Bone], layout: &Layout) -> Result<BoneNames> {
    if let Some(kept) = layout.bone_names.as_ref().filter(|kept| kept.still_names(bones)) {
        return Ok(kept.clone());
    }
    let mut names = BoneNames::default();
    for (index, bone) in bones.iter().enumerate() {
        if bone.name.contains(&0) {
            return Err(Error::unwritable(format!("bones[{index}].name"), "a zero byte in a name"));
        }
        names.offsets.push(count(names.bytes.len(), "bone_names")?);
        names.bytes.extend_from_slice(&bone.name);
        names.bytes.push(0);
    }
    Ok(names)
}

pub(crate) fn write_bones(bones: &[Bone], names: &BoneNames, out: &mut Vec<u8>) {
    let raw: Vec<_> = bones
        .iter()
        .zip(&names.offsets)
        .map(|(bone, &name)| RawBone {
            name,
            parent: bone.parent,
            lod_parent: bone.lod_parent,
            culling: bone.culling,
            rotation: bone.rotation,
            position: bone.position,
        })
        .collect();
    array::write(&raw, out);
}

impl BoneNames {
    /// Whether the table still gives every bone the name that it has.
    fn still_names(&self, bones: &[Bone]) -> bool {
        self.offsets.len() == bones.len()
            && self.offsets.iter().zip(bones).all(|(&offset, bone)| {
                Self::name_at(&self.bytes, offset).unwrap_or_default() == bone.name.as_slice()
            })
    }
}
