//! Envelopes, bones, the table of their names, and subsets. The chunk `SKINNING` has all of them, each preceded by its
//! count.

use bstr::BString;
use geom::{Mat3, Vec3};
use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::consts::NO_BONE;
use crate::model::{Bone, BoneNames, Envelope, Layout, Mesh, Subset};
use crate::wire::record::{Field as _, counted, record, write_array, write_counted};
use crate::wire::sizes::{blob, count};
use geom::wire::{At, Budget, Error, Here, Parsed, Result};

record!(Envelope { indices: [u8; 4], weights: [u8; 4] });

record!(Subset {
    faces_begin: u32,
    faces_len: u32,
    vertices_begin: u32,
    vertices_len: u32,
    bones_len: u32,
    bone_table: [u16; 26],
});

record! {
    /// A bone as stored in the file; `name` is an offset in the table of names.
    struct RawBone { name: u32, parent: u16, lod_parent: u16, culling: f32, rotation: Mat3, position: Vec3 }
}

/// The maximum number of bytes in memory per byte of bones in the file: for the records and the bones, without names.
pub(crate) const COST: u64 = 3;
const _: () = assert!((size_of::<RawBone>() + size_of::<Bone>()) as u64 <= COST * RawBone::SIZE as u64);

pub(crate) fn read<'a>(mesh: &mut Mesh, input: &'a [u8], budget: &mut Budget) -> Parsed<'a, ()> {
    let bones = context("bones", counted::<RawBone>);
    let mut head = (context("envelopes", counted::<Envelope>), bones, context("bone_names", le_u32));
    let (input, (envelopes, bones, names)) = head.parse(input)?;
    let (input, ()) = read_names(mesh, &bones, input, names, budget)?;
    let (rest, subsets) = context("subsets", counted::<Subset>).parse(input)?;
    (mesh.envelopes, mesh.subsets) = (envelopes, subsets);
    Ok((rest, ()))
}

/// Reads the table of names, and creates the bones. The table is kept if a writer would build a different one. Bones
/// may share a name.
pub(crate) fn read_names<'a>(
    mesh: &mut Mesh,
    raw: &[RawBone],
    input: &'a [u8],
    size: u32,
    budget: &mut Budget,
) -> Parsed<'a, ()> {
    let (rest, table) = blob(input, size).field("bone_names")?;
    let mut bones = Vec::with_capacity(raw.len());
    // The offset of the next name in the table that a writer would build.
    let mut next = Some(0_usize);
    let mut canonical = true;
    for (index, raw) in raw.iter().enumerate() {
        let name = name_at(table, raw.name).unwrap_or_default();
        canonical &= Some(raw.name as usize) == next;
        next = next.and_then(|next| next.checked_add(name.len())?.checked_add(1));
        let name = budget.copy(name).here(input).field("name").index(index).field("bones")?;
        let &RawBone { parent, lod_parent, culling, rotation, position, .. } = raw;
        let [parent, lod_parent] =
            [parent, lod_parent].map(|bone| Some(bone).filter(|&bone| bone != NO_BONE));
        bones.push(Bone { name: name.into(), parent, lod_parent, culling, rotation, position });
    }
    if !canonical || next != Some(table.len()) {
        let offsets = raw.iter().map(|bone| bone.name).collect();
        mesh.layout.bone_names = Some(BoneNames { bytes: table.into(), offsets });
    }
    mesh.bones = bones;
    Ok((rest, ()))
}

/// The name that begins at an offset and ends before the next zero byte, or at the end of the table;
/// `None` if the offset is outside the table.
fn name_at(table: &[u8], offset: u32) -> Option<&[u8]> {
    let rest = table.get(offset as usize..)?;
    rest.split(|&byte| byte == 0).next()
}

/// The table of the bones' names, and the offset of each. It is the table that was read, as long as its names are those
/// of the bones.
pub(crate) fn names(bones: &[Bone], layout: &Layout) -> Result<BoneNames> {
    let current = |names: &&BoneNames| {
        let mut pairs = names.offsets.iter().zip(bones);
        names.offsets.len() == bones.len()
            && pairs.all(|(&offset, bone)| name_at(&names.bytes, offset).unwrap_or_default() == bone.name)
    };
    if let Some(kept) = layout.bone_names.as_ref().filter(current) {
        return Ok(kept.clone());
    }
    let mut names = BoneNames { bytes: BString::default(), offsets: Vec::with_capacity(bones.len()) };
    for (index, bone) in bones.iter().enumerate() {
        if bone.name.contains(&0) {
            return Err(Error::unwritable(
                format!("bones[{index}].name"),
                "a name that contains a zero byte",
            ));
        }
        names.offsets.push(count(names.bytes.len(), "bone_names")?);
        names.bytes.extend_from_slice(&bone.name);
        names.bytes.push(0);
    }
    Ok(names)
}

pub(crate) fn write_bones(bones: &[Bone], names: &BoneNames, out: &mut Vec<u8>) -> Result<()> {
    let number = |index: usize, field: &str, parent: Option<u16>| match parent {
        Some(NO_BONE) => Err(Error::unwritable(
            format!("bones[{index}].{field}"),
            "the reserved bone index 65535 (use None for a bone without a parent)",
        )),
        parent => Ok(parent.unwrap_or(NO_BONE)),
    };
    let raw = bones.iter().zip(&names.offsets).enumerate().map(|(index, (bone, &name))| {
        let &Bone { parent, lod_parent, culling, rotation, position, .. } = bone;
        let parent = number(index, "parent", parent)?;
        let lod_parent = number(index, "lod_parent", lod_parent)?;
        Ok(RawBone { name, parent, lod_parent, culling, rotation, position })
    });
    write_array::<RawBone>(&raw.collect::<Result<Vec<_>>>()?, out);
    Ok(())
}

pub(crate) fn write(mesh: &Mesh, out: &mut Vec<u8>) -> Result<()> {
    let names = names(&mesh.bones, &mesh.layout)?;
    write_counted::<Envelope>(&mesh.envelopes, "envelopes", out)?;
    out.extend(count(mesh.bones.len(), "bones")?.to_le_bytes());
    write_bones(&mesh.bones, &names, out)?;
    out.extend(count(names.bytes.len(), "bone_names")?.to_le_bytes());
    out.extend_from_slice(&names.bytes);
    write_counted::<Subset>(&mesh.subsets, "subsets", out)
}
