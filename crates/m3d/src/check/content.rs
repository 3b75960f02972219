//! Materials, shapes, labels, scripts, assets, the preview.

use std::collections::{HashMap, HashSet};

use bstr::{BStr, ByteSlice};

use super::{identifier, named, rules, utf8};
use crate::consts::{CommandId, PropertyId};
use crate::finding::Findings;
use crate::model::{Arg, Label, LabelGroup, MaterialId, Model, Value, without_png};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

pub(super) fn check(model: &Model, findings: &mut Findings) {
    materials(model, findings);
    shapes(model, findings);
    labels(model, findings);
    for (index, procedural) in model.procedurals.iter().enumerate() {
        let path = || format!("procedurals[{index}].script");
        named(findings, procedural.script.as_bstr(), path);
        if !procedural.script.contains(&b'.') {
            findings.add(rules::SCRIPT_NAME, || (path(), format!("{:?}", procedural.script)));
        }
    }
    assets(model, findings);
    if let Some(preview) = &model.preview {
        image(preview, findings);
    }
}

fn materials(model: &Model, findings: &mut Findings) {
    let mut names = HashSet::new();
    let textures: HashSet<&[u8]> = model.assets.iter().map(|asset| without_png(&asset.name)).collect();
    for (index, material) in model.materials.iter().enumerate() {
        named(findings, material.name.as_bstr(), || format!("materials[{index}].name"));
        if !names.insert(&material.name) {
            findings.add(rules::MATERIAL_NAMES, || {
                (format!("materials[{index}].name"), format!("{:?} again", material.name))
            });
        }
        let mut ids = HashSet::new();
        for (number, property) in material.properties.iter().enumerate() {
            let path = || format!("materials[{index}].properties[{number}]");
            let id = property.id;
            if !ids.insert(id) {
                findings.add(rules::PROPERTY_TWICE, || (path(), format!("{id:?} again")));
            }
            if id.key().is_none() {
                findings.add(rules::PROPERTY_UNKNOWN, || (path(), format!("{id:?}")));
            }
            if property.writable().is_err() {
                findings.add(rules::PROPERTY_KIND, || (path(), format!("{:?}", property.value)));
            }
            match &property.value {
                Value::Map(name) => {
                    utf8(findings, name.as_bstr(), path);
                    if name.is_empty() {
                        findings.add(rules::TEXTURE_NAME, || (path(), "no name".into()));
                    } else if !textures.contains(without_png(name)) {
                        findings.add(rules::TEXTURE_MISSING, || {
                            (path(), format!("{name:?}: a file beside the model, or missing"))
                        });
                    }
                }
                Value::Float(value) if !value.is_finite() => {
                    findings.add(rules::FINITE_NUMBERS, || (path(), value.to_string()));
                }
                &Value::Byte(value) if id == PropertyId::ILLUMINATION && value > 10 => {
                    findings.add(rules::ILLUMINATION, || (path(), value.to_string()));
                }
                _ => {}
            }
        }
    }
}

fn shapes(model: &Model, findings: &mut Findings) {
    let defined = model.material_ids();
    for (index, shape) in model.shapes.iter().enumerate() {
        identifier(findings, shape.name.as_bstr(), || format!("shapes[{index}].name"));
        if !shape.group.is_none() && shape.group.0 as usize >= model.bones.len() {
            findings.add(rules::BONE_INDEX, || {
                (format!("shapes[{index}].group"), format!("{} of {}", shape.group.0, model.bones.len()))
            });
        }
        for (number, command) in shape.commands.iter().enumerate() {
            let path = || format!("shapes[{index}].commands[{number}]");
            match command.id {
                CommandId::MESH => findings
                    .add(rules::MESH_COMMAND, || (path(), "the sources of the format disagree".into())),
                id if id.key().is_none() => {
                    findings.add(rules::COMMAND_UNKNOWN, || (path(), format!("{id:?}")));
                }
                _ => {}
            }
            if command.rounds() == Some(0) {
                findings.add(rules::COMMAND_EMPTY, || (path(), "none".into()));
            }
            for (place, arg) in command.args.iter().enumerate() {
                argument(model, &defined, index, arg, findings, &|| format!("{}.args[{place}]", path()));
            }
        }
    }
}

fn argument(
    model: &Model,
    defined: &HashMap<&BStr, MaterialId>,
    shape: usize,
    arg: &Arg,
    findings: &mut Findings,
    path: &dyn Fn() -> String,
) {
    match arg {
        Arg::Material(name) => {
            identifier(findings, name.as_bstr(), path);
            if !name.is_empty() && !defined.contains_key(name.as_bstr()) {
                findings.add(rules::MATERIAL_DEFINED, || (path(), format!("{name:?} is not")));
            }
        }
        Arg::Vertex(id) | Arg::Quaternion(id) => super::skeleton::vertex(model, *id, findings, path),
        Arg::TexCoord(id) if !id.is_none() && id.0 as usize >= model.tex_coords.uvs.len() => {
            findings.add(rules::TEX_COORD_INDEX, || {
                (path(), format!("{} of {}", id.0, model.tex_coords.uvs.len()))
            });
        }
        Arg::Shape(id) if id.get().is_none_or(|id| id >= shape) => {
            findings.add(rules::SHAPE_ORDER, || (path(), id.0.to_string()));
        }
        Arg::Coord(value) if !value.is_finite() => {
            findings.add(rules::FINITE_NUMBERS, || (path(), value.to_string()));
        }
        _ => {}
    }
}

fn labels(model: &Model, findings: &mut Findings) {
    // The first group of each name, and the first of another language.
    let mut groups: HashMap<&BStr, (&LabelGroup, Option<&LabelGroup>)> = HashMap::new();
    for (index, group) in model.labels.iter().enumerate() {
        identifier(findings, group.name.as_bstr(), || format!("labels[{index}].name"));
        if !is_language(group.language.as_bstr()) {
            findings.add(rules::LANGUAGE, || {
                (format!("labels[{index}].language"), format!("{:?}", group.language))
            });
        }
        for (number, label) in group.labels.iter().enumerate() {
            let path = |field: &str| format!("labels[{index}].labels[{number}].{field}");
            super::skeleton::vertex(model, label.vertex, findings, || path("vertex"));
            utf8(findings, label.text.as_bstr(), || path("text"));
            if label.text.is_empty() {
                findings.add(rules::LABEL_TEXT, || (path("text"), "none".into()));
            }
        }
        // Translations of a group say the same of the same vertices.
        let (first, other) = groups.entry(group.name.as_bstr()).or_insert((group, None));
        let translated = match first.language == group.language {
            true => *other,
            false => {
                other.get_or_insert(group);
                Some(*first)
            }
        };
        let vertex = |label: &Label| label.vertex;
        if let Some(first) = translated
            && !first.labels.iter().map(vertex).eq(group.labels.iter().map(vertex))
        {
            findings.add(rules::TRANSLATIONS, || {
                (format!("labels[{index}].labels"), format!("other labels than in {:?}", first.language))
            });
        }
    }
}

fn is_language(name: &BStr) -> bool {
    match name.as_bytes() {
        [] => true,
        [a, b, b'_', c, d] => {
            a.is_ascii_lowercase()
                && b.is_ascii_lowercase()
                && c.is_ascii_uppercase()
                && d.is_ascii_uppercase()
        }
        _ => false,
    }
}

fn assets(model: &Model, findings: &mut Findings) {
    let mut names = HashSet::new();
    for (index, asset) in model.assets.iter().enumerate() {
        named(findings, asset.name.as_bstr(), || format!("assets[{index}].name"));
        if !names.insert(&asset.name) {
            findings.add(rules::ASSET_NAMES, || {
                (format!("assets[{index}].name"), format!("{:?} again", asset.name))
            });
        }
        let script = asset.name.contains(&b'.') && !asset.name.ends_with(b".png");
        if !script && !asset.data.starts_with(PNG) {
            findings.add(rules::ASSET_PNG, || (format!("assets[{index}].data"), "no PNG signature".into()));
        }
    }
}

fn image(preview: &[u8], findings: &mut Findings) {
    if !preview.starts_with(PNG) {
        findings.add(rules::PREVIEW_PNG, || ("preview".into(), "no PNG signature".into()));
    }
    if preview.len() > 65536 {
        findings.add(rules::PREVIEW_BYTES, || ("preview".into(), format!("{} bytes", preview.len())));
    }
    if let Some(size) = preview.get(16..24) {
        let (sides, _) = size.as_chunks::<4>();
        let sides: Vec<u32> = sides.iter().map(|&side| u32::from_be_bytes(side)).collect();
        if sides.iter().any(|&side| side > 256) {
            findings.add(rules::PREVIEW_SIZE, || ("preview".into(), format!("{sides:?}")));
        }
    }
}
