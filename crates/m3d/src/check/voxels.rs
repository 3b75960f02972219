//! Voxels.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use geom::Rgba8;

use super::rules::*;
use super::{identifier, index_of};
use crate::model::Model;
use geom::wire::{Counted, Findings, report};

pub(super) fn check(model: &Model, findings: &mut Findings) {
    types(model, findings);
    let types = model.voxel_types.len();
    let unused = types != 0 && model.voxel_blocks.is_empty();
    report!(findings, unused, VOXEL_BLOCKS, "voxel_types", "the model has no block of voxels");
    let mut groups: BTreeMap<u8, (u32, u32, usize)> = BTreeMap::new();
    for (index, block) in model.voxel_blocks.iter().enumerate() {
        identifier(findings, block.name.as_bstr(), || format!("voxel_blocks[{index}].name"));
        let (volume, len) =
            (block.size.iter().map(|&side| u128::from(side)).product::<u128>(), block.voxels.len());
        report!(
            findings,
            volume == 0,
            BLOCK_SIZE,
            "voxel_blocks[{index}].size",
            "the size is {:?}",
            block.size
        );
        report!(
            findings,
            len as u128 != volume,
            BLOCK_VOXELS,
            "voxel_blocks[{index}].voxels",
            "found data for {}, expected {volume} (the size is {:?})",
            Counted::new(len, "voxels"),
            block.size
        );
        let kinds = block.voxels.iter().map(|voxel| voxel.kind());
        let mut kinds = (0..).zip(kinds).filter_map(|(voxel, kind)| Some((voxel, kind?)));
        if let Some((voxel, kind)) = kinds.find(|&(_, kind)| kind >= types) {
            let path = || format!("voxel_blocks[{index}].voxels[{voxel}]");
            let of = Counted::new(types, "voxel types");
            findings
                .add(VOXEL_TYPE, || (path(), format!("type {kind} is out of range (the model has {of})")));
        }
        if block.group != 0 {
            let (sum, count, _) = groups.entry(block.group).or_insert((0, 0, index));
            (*sum, *count) = (*sum + u32::from(block.uncertainty), *count + 1);
        }
    }
    for (group, (sum, count, at)) in groups {
        report!(
            findings,
            count < 2,
            GROUP_BLOCKS,
            "voxel_blocks[{at}].group",
            "group {group} has only one block"
        );
        let (other, found) =
            (sum.abs_diff(255) >= count, || format!("the uncertainties of group {group} sum to {sum}"));
        report!(findings, other, GROUP_UNCERTAINTY, "voxel_blocks[{at}].uncertainty", "{}", found());
    }
}

fn types(model: &Model, findings: &mut Findings) {
    for (index, kind) in model.voxel_types.iter().enumerate() {
        identifier(findings, kind.name.as_bstr(), || format!("voxel_types[{index}].name"));
        let (shape, items, no_name) = (kind.shape, kind.items.len(), kind.name.is_empty());
        let no_look = no_name && kind.color == Rgba8::default();
        report!(
            findings,
            no_look,
            VOXEL_LOOK,
            "voxel_types[{index}].color",
            "the voxel type has neither a colour nor a name"
        );
        report!(
            findings,
            !kind.has_shape(),
            VOXEL_SHAPE,
            "voxel_types[{index}].shape",
            "the shape is {shape}"
        );
        let (other, rotation) = (!kind.has_rotation(), kind.rotation);
        report!(
            findings,
            other,
            VOXEL_ROTATION,
            "voxel_types[{index}].rotation",
            "bit 6 of the rotation {rotation:#x} is set"
        );
        let reserved = (18..32).contains(&shape);
        report!(
            findings,
            reserved,
            VOXEL_SHAPE_RESERVED,
            "voxel_types[{index}].shape",
            "the shape is {shape}"
        );
        if kind.skin.get().is_some() {
            let skins = model.skins.len();
            index_of!(findings, SKIN_INDEX, kind.skin, skins, "skins", "voxel_types[{index}].skin");
        }
        let wrong = items != 0 && no_name;
        let found = || format!("a voxel type without a name has {}", Counted::new(items, "items"));
        report!(findings, wrong, VOXEL_ITEMS, "voxel_types[{index}].items", "{}", found());
        for (number, item) in kind.items.iter().enumerate() {
            let path = || format!("voxel_types[{index}].items[{number}].name");
            identifier(findings, item.name.as_bstr(), path);
        }
    }
    let types = model.voxel_types.len();
    report!(findings, types >= 65534, VOXEL_TYPES, "voxel_types", "the model has {types} voxel types");
}
