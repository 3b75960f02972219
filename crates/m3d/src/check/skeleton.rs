//! Bones, skins and actions.

use std::collections::HashSet;

use bstr::ByteSlice;

use super::rules::*;
use super::{identifier, index_of, named};
use crate::model::{Model, SkinId, VertexId};
use geom::wire::{Counted, Findings, report};

pub(super) fn check(model: &Model, findings: &mut Findings) {
    let mut names = HashSet::new();
    for (index, bone) in model.bones.iter().enumerate() {
        let name = bone.name.as_bstr();
        identifier(findings, name, || format!("bones[{index}].name"));
        let again = !name.is_empty() && !names.insert(name);
        report!(findings, again, BONE_NAMES, "bones[{index}].name", "duplicate bone name {name:?}");
        let later = !bone.parent.is_none() && bone.parent.0 as usize >= index;
        report!(
            findings,
            later,
            BONE_PARENT,
            "bones[{index}].parent",
            "the parent of bone {index} is bone {} (the model has {})",
            bone.parent,
            Counted::new(model.bones.len(), "bones")
        );
        vertex(model, bone.position, findings, || format!("bones[{index}].position"));
        quaternion(model, bone.orientation, findings, || format!("bones[{index}].orientation"));
    }
    skins(model, findings);
    actions(model, findings);
}

pub(super) fn vertex(model: &Model, id: VertexId, findings: &mut Findings, path: impl FnOnce() -> String) {
    index_of!(findings, VERTEX_INDEX, id, model.vertices.len(), "vertices", "{}", path());
}

fn quaternion(model: &Model, id: VertexId, findings: &mut Findings, path: impl Fn() -> String) {
    vertex(model, id, findings, &path);
    let skin = model.vertices.skin(id);
    if model.vertices.coord(id).is_some() && skin != SkinId::QUATERNION {
        findings.add(QUATERNION_MARK, || (path(), format!("the skin of vertex {id} is {skin}, not -2")));
    }
}

fn skins(model: &Model, findings: &mut Findings) {
    for (index, skin) in model.skins.iter().enumerate() {
        let sum: u32 = skin.weights.iter().map(|&weight| u32::from(weight)).sum();
        let used = skin.bones.iter().zip(skin.weights).enumerate().filter(|&(_, (_, weight))| weight != 0);
        let other = sum.abs_diff(255) as usize >= used.clone().count();
        report!(findings, other, WEIGHTS, "skins[{index}].weights", "the sum is {sum}");
        for (slot, (&bone, _)) in used {
            index_of!(findings, BONE_INDEX, bone, model.bones.len(), "bones", "skins[{index}].bones[{slot}]");
        }
    }
}

fn actions(model: &Model, findings: &mut Findings) {
    let no_bones = !model.actions.is_empty() && model.bones.is_empty();
    report!(findings, no_bones, ACTION_BONES, "actions[0]", "the file has no bones");
    for (index, action) in model.actions.iter().enumerate() {
        named(findings, action.name.as_bstr(), || format!("actions[{index}].name"));
        let duration = action.duration;
        report!(
            findings,
            action.frames.is_empty(),
            ACTION_FRAMES,
            "actions[{index}].frames",
            "the action has no frames"
        );
        report!(
            findings,
            duration < 10,
            ACTION_DURATION,
            "actions[{index}].duration",
            "the duration is {duration} ms"
        );
        let mut before = None;
        for (number, frame) in action.frames.iter().enumerate() {
            let path = |field: &str| format!("actions[{index}].frames[{number}].{field}");
            let time = frame.time;
            if let Some(before) = before.replace(time).filter(|&before| before >= time) {
                let found = || format!("the frame at {time} ms follows a frame at {before} ms");
                findings.add(FRAME_ORDER, || (path("time"), found()));
            }
            let found = || format!("the frame is at {time} ms, but the action lasts {duration} ms");
            report!(findings, time > duration, FRAME_TIME, path("time"), "{}", found());
            let mut moved = HashSet::new();
            for (entry, transform) in frame.transforms.iter().enumerate() {
                let bone = transform.bone;
                let path = |field: &str| path(&format!("transforms[{entry}].{field}"));
                index_of!(findings, BONE_INDEX, bone, model.bones.len(), "bones", "{}", path("bone"));
                if bone.get().is_some_and(|bone| bone < model.bones.len()) && !moved.insert(bone) {
                    let found = || format!("the frame moves bone {} more than once", bone.0);
                    findings.add(BONE_TWICE, || (path("bone"), found()));
                }
                vertex(model, transform.position, findings, || path("position"));
                quaternion(model, transform.orientation, findings, || path("orientation"));
            }
        }
    }
}
