//! Bones, skins and actions.

use std::collections::HashSet;

use bstr::ByteSlice;

use super::rules;
use crate::finding::Findings;
use crate::model::{Model, SkinId, VertexId};

pub(super) fn check(model: &Model, findings: &mut Findings) {
    let mut names = HashSet::new();
    for (index, bone) in model.bones.iter().enumerate() {
        super::identifier(findings, bone.name.as_bstr(), || format!("bones[{index}].name"));
        if !bone.name.is_empty() && !names.insert(&bone.name) {
            findings.add(rules::BONE_NAMES, || {
                (format!("bones[{index}].name"), format!("{:?} again", bone.name))
            });
        }
        if !bone.parent.is_none() && bone.parent.0 as usize >= index {
            findings
                .add(rules::BONE_PARENT, || (format!("bones[{index}].parent"), format!("{}", bone.parent.0)));
        }
        vertex(model, bone.position, findings, || format!("bones[{index}].position"));
        quaternion(model, bone.orientation, findings, || format!("bones[{index}].orientation"));
    }
    skins(model, findings);
    actions(model, findings);
}

pub(super) fn vertex(model: &Model, id: VertexId, findings: &mut Findings, path: impl FnOnce() -> String) {
    if id.get().is_none_or(|id| id >= model.vertices.len()) {
        findings.add(rules::VERTEX_INDEX, || (path(), format!("{} of {}", id.0, model.vertices.len())));
    }
}

fn quaternion(model: &Model, id: VertexId, findings: &mut Findings, path: impl Fn() -> String) {
    vertex(model, id, findings, &path);
    if model.vertices.coord(id).is_some() && model.vertices.skin(id) != SkinId::QUATERNION {
        findings.add(rules::QUATERNION_MARK, || (path(), format!("vertex {} is not", id.0)));
    }
}

fn skins(model: &Model, findings: &mut Findings) {
    for (index, skin) in model.skins.iter().enumerate() {
        let sum: u32 = skin.weights.iter().map(|&weight| u32::from(weight)).sum();
        if sum != 255 {
            findings.add(rules::WEIGHTS, || (format!("skins[{index}].weights"), format!("{sum}")));
        }
        for (bone, _) in skin.bones.iter().zip(skin.weights).filter(|&(_, weight)| weight != 0) {
            if bone.get().is_none_or(|bone| bone >= model.bones.len()) {
                findings.add(rules::BONE_INDEX, || {
                    (format!("skins[{index}].bones"), format!("{} of {}", bone.0, model.bones.len()))
                });
            }
        }
    }
}

fn actions(model: &Model, findings: &mut Findings) {
    if !model.actions.is_empty() && model.bones.is_empty() {
        findings.add(rules::ACTION_BONES, || ("actions[0]".into(), "it has none".into()));
    }
    for (index, action) in model.actions.iter().enumerate() {
        let place = |field: &str| format!("actions[{index}].{field}");
        super::named(findings, action.name.as_bstr(), || place("name"));
        if action.frames.is_empty() {
            findings.add(rules::ACTION_FRAMES, || (place("frames"), "none".into()));
        }
        if action.duration < 10 {
            findings.add(rules::ACTION_DURATION, || (place("duration"), format!("{}", action.duration)));
        }
        let mut before = None;
        for (number, frame) in action.frames.iter().enumerate() {
            let place = |field: &str| format!("actions[{index}].frames[{number}].{field}");
            if before.is_some_and(|before| before >= frame.time) {
                findings.add(rules::FRAME_ORDER, || {
                    (place("time"), format!("{} after {}", frame.time, before.unwrap_or(0)))
                });
            }
            before = Some(frame.time);
            if frame.time > action.duration {
                findings.add(rules::FRAME_TIME, || {
                    (place("time"), format!("{} of {}", frame.time, action.duration))
                });
            }
            let mut moved = HashSet::new();
            for (entry, transform) in frame.transforms.iter().enumerate() {
                let bone = transform.bone;
                if bone.get().is_none_or(|bone| bone >= model.bones.len()) {
                    findings.add(rules::BONE_INDEX, || {
                        (
                            place(&format!("transforms[{entry}].bone")),
                            format!("{} of {}", bone.0, model.bones.len()),
                        )
                    });
                } else if !moved.insert(bone) {
                    findings.add(rules::BONE_TWICE, || {
                        (place(&format!("transforms[{entry}].bone")), format!("{} again", bone.0))
                    });
                }
                vertex(model, transform.position, findings, || {
                    place(&format!("transforms[{entry}].position"))
                });
                quaternion(model, transform.orientation, findings, || {
                    place(&format!("transforms[{entry}].orientation"))
                });
            }
        }
    }
}
