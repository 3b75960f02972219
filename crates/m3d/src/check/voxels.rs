//! Voxels.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use geom::Rgba8;

use super::{identifier, rules};
use crate::finding::Findings;
use crate::model::Model;

pub(super) fn check(model: &Model, findings: &mut Findings) {
    types(model, findings);
    if !model.voxel_types.is_empty() && model.voxel_blocks.is_empty() {
        findings.add(rules::VOXEL_BLOCKS, || ("voxel_types".into(), "a block without voxel types".into()));
    }
    let mut groups: BTreeMap<u8, (u32, usize, usize)> = BTreeMap::new();
    for (index, block) in model.voxel_blocks.iter().enumerate() {
        let path = |field: &str| format!("voxel_blocks[{index}].{field}");
        identifier(findings, block.name.as_bstr(), || path("name"));
        let volume = block.volume().unwrap_or(usize::MAX);
        if volume == 0 {
            findings.add(rules::BLOCK_SIZE, || (path("size"), format!("{:?}", block.size)));
        }
        if block.voxels.len() != volume {
            findings
                .add(rules::BLOCK_VOXELS, || (path("voxels"), format!("{} of {volume}", block.voxels.len())));
        }
        let outside = block
            .voxels
            .iter()
            .position(|voxel| voxel.kind().is_some_and(|kind| kind >= model.voxel_types.len()));
        if let Some(place) = outside {
            findings.add(rules::VOXEL_TYPE, || {
                (
                    path(&format!("voxels[{place}]")),
                    format!("{} of {}", block.voxels[place].0, model.voxel_types.len()),
                )
            });
        }
        if block.group != 0 {
            let (sum, count, _) = groups.entry(block.group).or_insert((0, 0, index));
            (*sum, *count) = (*sum + u32::from(block.uncertainty), *count + 1);
        }
    }
    for (group, (sum, count, index)) in groups {
        if count < 2 {
            findings.add(rules::GROUP_BLOCKS, || {
                (format!("voxel_blocks[{index}].group"), format!("{group} has one"))
            });
        }
        if sum != 255 {
            findings.add(rules::GROUP_UNCERTAINTY, || {
                (format!("voxel_blocks[{index}].uncertainty"), format!("group {group} has {sum}"))
            });
        }
    }
}

fn types(model: &Model, findings: &mut Findings) {
    for (index, kind) in model.voxel_types.iter().enumerate() {
        let path = |field: &str| format!("voxel_types[{index}].{field}");
        identifier(findings, kind.name.as_bstr(), || path("name"));
        if kind.name.is_empty() && kind.color == Rgba8::default() {
            findings.add(rules::VOXEL_LOOK, || (path("color"), "neither".into()));
        }
        if kind.rotation & 0x40 != 0 || kind.shape > 511 {
            findings.add(rules::VOXEL_SHAPE, || (path("shape"), format!("{}", kind.shape)));
        } else if (18..32).contains(&kind.shape) {
            findings.add(rules::VOXEL_SHAPE_RESERVED, || (path("shape"), format!("{}", kind.shape)));
        }
        if kind.skin.get().is_some_and(|skin| skin >= model.skins.len()) {
            findings.add(rules::SKIN_INDEX, || {
                (path("skin"), format!("{} of {}", kind.skin.0, model.skins.len()))
            });
        }
        if !kind.items.is_empty() && kind.name.is_empty() {
            findings.add(rules::VOXEL_ITEMS, || (path("items"), format!("{} of them", kind.items.len())));
        }
        for (number, item) in kind.items.iter().enumerate() {
            identifier(findings, item.name.as_bstr(), || path(&format!("items[{number}].name")));
        }
    }
    if model.voxel_types.len() >= 65534 {
        findings.add(rules::VOXEL_TYPES, || ("voxel_types".into(), format!("{}", model.voxel_types.len())));
    }
}
