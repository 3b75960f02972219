//! Materials, shapes, labels, scripts, assets, the preview.

use std::collections::{HashMap, HashSet};

use bstr::{BStr, ByteSlice};

use super::rules::*;
use super::{identifier, index_of, named, utf8};
use crate::consts::{CommandId, PropertyId};
use crate::model::{Arg, Label, LabelGroup, Model, Value, without_png};
use geom::wire::{Counted, Findings, report};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

pub(super) fn check(model: &Model, findings: &mut Findings) {
    materials(model, findings);
    shapes(model, findings);
    labels(model, findings);
    for (index, procedural) in model.procedurals.iter().enumerate() {
        let script = procedural.script.as_bstr();
        named(findings, script, || format!("procedurals[{index}].script"));
        let extension = script.contains(&b'.');
        report!(
            findings,
            !extension,
            SCRIPT_NAME,
            "procedurals[{index}].script",
            "{script:?} has no extension"
        );
    }
    assets(model, findings);
    if let Some(preview) = &model.preview {
        image(preview, findings);
    }
}

fn materials(model: &Model, findings: &mut Findings) {
    let mut names = HashSet::new();
    let files = model.assets.iter().filter(|asset| !asset.data.is_empty());
    let textures: HashSet<&[u8]> = files.map(|asset| without_png(&asset.name)).collect();
    for (index, material) in model.materials.iter().enumerate() {
        let name = material.name.as_bstr();
        named(findings, name, || format!("materials[{index}].name"));
        report!(
            findings,
            !name.is_empty() && !names.insert(name),
            MATERIAL_NAMES,
            "materials[{index}].name",
            "duplicate material name {name:?}"
        );
        let mut ids = HashSet::new();
        for (number, property) in material.properties.iter().enumerate() {
            macro_rules! report {
                ($broken:expr, $rule:ident, $($found:tt)+) => {
                    super::report!(
                        findings, $broken, $rule, "materials[{index}].properties[{number}]", $($found)+
                    )
                };
            }
            let (id, value) = (property.id, &property.value);
            let key = || id.key().map_or_else(|| id.0.to_string(), str::to_owned);
            report!(!ids.insert(id), PROPERTY_TWICE, "duplicate property {}", key());
            report!(id.key().is_none(), PROPERTY_UNKNOWN, "unknown property id {}", id.0);
            report!(
                property.writable().is_err(),
                PROPERTY_KIND,
                "expected a `{}` for the property {}, found a `{}`",
                Value::variant(id.kind()),
                key(),
                Value::variant(value.kind())
            );
            if let Value::Map(name) = value {
                utf8(findings, name.as_bstr(), || format!("materials[{index}].properties[{number}]"));
                report!(name.is_empty(), TEXTURE_NAME, "the name of the texture is empty");
                let missing = !name.is_empty() && !textures.contains(without_png(name));
                report!(missing, TEXTURE_MISSING, "the texture {name:?} is a separate file, or is missing");
            }
            if let Some(number) = value.number() {
                report!(!number.is_finite(), FINITE_NUMBERS, "{} is {number}", key());
                report!(
                    id == PropertyId::ILLUMINATION && number > 10.0,
                    ILLUMINATION,
                    "the illumination model is {number}"
                );
            }
        }
    }
}

fn shapes(model: &Model, findings: &mut Findings) {
    let defined = model.material_ids();
    for (index, shape) in model.shapes.iter().enumerate() {
        identifier(findings, shape.name.as_bstr(), || format!("shapes[{index}].name"));
        if !shape.group.is_none() {
            index_of!(findings, BONE_INDEX, shape.group, model.bones.len(), "bones", "shapes[{index}].group");
        }
        for (number, command) in shape.commands.iter().enumerate() {
            macro_rules! at {
                ($broken:expr, $rule:ident, $($found:tt)+) => {
                    report!(findings, $broken, $rule, "shapes[{index}].commands[{number}]", $($found)+)
                };
            }
            let id = command.id;
            at!(id == CommandId::MESH, MESH_COMMAND, "the shape uses the command `mesh`");
            at!(id.key().is_none(), COMMAND_UNKNOWN, "unknown command id {}", id.0);
            at!(
                command.rounds() == Some(0),
                COMMAND_EMPTY,
                "the command `{}` has no arguments",
                id.key().unwrap_or_default()
            );
            for (at, arg) in command.args.iter().enumerate() {
                let path = || format!("shapes[{index}].commands[{number}].args[{at}]");
                match arg {
                    Arg::Material(name) => {
                        let name = name.as_bstr();
                        identifier(findings, name, path);
                        if !name.is_empty() && !defined.contains_key(name) {
                            findings.add(MATERIAL_DEFINED, || {
                                (path(), format!("the model does not define the material {name:?}"))
                            });
                        }
                    }
                    Arg::Vertex(id) | Arg::Quaternion(id) => {
                        super::skeleton::vertex(model, *id, findings, path);
                    }
                    Arg::TexCoord(id) if !id.is_none() => {
                        let uvs = model.tex_coords.uvs.len();
                        index_of!(findings, TEX_COORD_INDEX, id, uvs, "texture coordinates", "{}", path());
                    }
                    Arg::Shape(id) if id.get().is_none_or(|id| id >= index) => {
                        findings.add(SHAPE_ORDER, || {
                            let what = match id.is_none() {
                                true => "the command refers to no shape".to_owned(),
                                false => format!("shape {index} includes shape {id}"),
                            };
                            (path(), what)
                        });
                    }
                    Arg::Coord(value) if !value.is_finite() => {
                        findings.add(FINITE_NUMBERS, || (path(), format!("the number is {value}")));
                    }
                    _ => {}
                }
            }
        }
    }
}

fn labels(model: &Model, findings: &mut Findings) {
    // For each name, the first group, and the first group in another language.
    let mut groups: HashMap<&BStr, (&LabelGroup, Option<&LabelGroup>)> = HashMap::new();
    for (index, group) in model.labels.iter().enumerate() {
        identifier(findings, group.name.as_bstr(), || format!("labels[{index}].name"));
        let language = group.language.as_bstr();
        report!(findings, !is_language(language), LANGUAGE, "labels[{index}].language", "found {language:?}");
        for (number, Label { vertex, text }) in group.labels.iter().enumerate() {
            let path = || format!("labels[{index}].labels[{number}].vertex");
            super::skeleton::vertex(model, *vertex, findings, path);
            utf8(findings, text.as_bstr(), || format!("labels[{index}].labels[{number}].text"));
            report!(
                findings,
                text.is_empty(),
                LABEL_TEXT,
                "labels[{index}].labels[{number}].text",
                "the text is empty"
            );
        }
        // Translations of a group label the same vertices.
        let (first, other) = groups.entry(group.name.as_bstr()).or_insert((group, None));
        let translated = match first.language == group.language {
            true => *other,
            false => {
                other.get_or_insert(group);
                Some(*first)
            }
        };
        let vertex = |label: &Label| label.vertex;
        if let Some(LabelGroup { language, labels, .. }) = translated {
            let same = labels.iter().map(vertex).eq(group.labels.iter().map(vertex));
            let found = || {
                let other = match language.is_empty() {
                    true => "the group without a language".to_owned(),
                    false => format!("the language {language:?}"),
                };
                format!("the labelled vertices or their order differ from those of {other}")
            };
            report!(findings, !same, TRANSLATIONS, "labels[{index}].labels", "{}", found());
        }
    }
}

fn is_language(name: &BStr) -> bool {
    matches!(name.as_bytes(), [] | [b'a'..=b'z', b'a'..=b'z', b'_', b'A'..=b'Z', b'A'..=b'Z'])
}

fn assets(model: &Model, findings: &mut Findings) {
    let mut names = HashSet::new();
    for (index, asset) in model.assets.iter().enumerate() {
        let name = asset.name.as_bstr();
        named(findings, name, || format!("assets[{index}].name"));
        report!(
            findings,
            !name.is_empty() && !names.insert(name),
            ASSET_NAMES,
            "assets[{index}].name",
            "duplicate asset name {name:?}"
        );
        let script = name.contains(&b'.') && !name.ends_with(b".png");
        // A text names files that are beside it.
        let is_named_only = model.layout.text.is_some() && asset.data.is_empty();
        let image = script || is_named_only || asset.data.starts_with(PNG);
        report!(
            findings,
            !image,
            ASSET_PNG,
            "assets[{index}].data",
            "the data of {name:?} ({}) has no PNG signature",
            Counted::new(asset.data.len(), "bytes")
        );
    }
}

fn image(preview: &[u8], findings: &mut Findings) {
    let is_png = preview.starts_with(PNG);
    report!(findings, !is_png, PREVIEW_PNG, "preview", "the data has no PNG signature");
    report!(findings, preview.len() > 65536, PREVIEW_BYTES, "preview", "found {} bytes", preview.len());
    if let Some(size) = preview.get(16..24).filter(|_| is_png) {
        let sides: Vec<u32> = size.as_chunks().0.iter().map(|&side| u32::from_be_bytes(side)).collect();
        report!(
            findings,
            sides.iter().any(|&side| side > 256),
            PREVIEW_SIZE,
            "preview",
            "width and height are {sides:?} pixels"
        );
    }
}
