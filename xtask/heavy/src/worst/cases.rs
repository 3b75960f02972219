//! What repeats: every list and every text in the models of the fixtures, alone and together with those
//! beside it, all alike and all different; and every line, element or chunk of the files themselves.

use std::any::Any;
use std::collections::BTreeSet;

use rezkit::{Asset, WriteOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Dynamic, special};

/// A construct that is repeated.
pub(super) struct Case {
    /// The format, the file, and what is repeated in it.
    pub(super) name: String,
    /// The model, or the bytes of a file, with so many of it; `None` where there is no such model.
    pub(super) make: Box<dyn Fn(usize) -> Option<Made>>,
    /// Every public function of the model's crate.
    pub(super) everything: fn(&dyn Asset),
}

/// A model and a file. Where there is a file alone, the model is what it reads as.
type Made = (Option<Dynamic>, Option<Vec<u8>>);

/// The fixtures with the most constructs.
const FILES: &[(&str, &[&str])] = &[
    ("rbxmesh", &["v1_01.mesh", "v5_00.mesh", "v6_00_all.mesh", "v7_00_metadata.mesh"]),
    ("rbxbinary", &["types.rbxm", "place.rbxl", "shared.rbxm", "unknown.rbxm"]),
    ("rbxxml", &["every_type.rbxmx", "tree.rbxlx", "messy.rbxmx", "odd.rbxmx"]),
    (
        "m3d",
        &[
            "order.m3d",
            "colors-1.m3d",
            "skeleton-1-4.m3d",
            "materials.m3d",
            "mesh-polygons.m3d",
            "actions-1.m3d",
            "voxels-d1-p1.m3d",
            "shapes-int8-1.m3d",
            "labels-1.m3d",
            "ascii-all.a3d",
            "ascii-bytes.a3d",
        ],
    ),
    ("slmesh", &["all.llmesh", "upload.slm"]),
    ("llsd", &["every_type.bin", "every_type.xml", "odd.xml", "every_type.notation", "odd.notation"]),
];

/// The cases of a format.
pub(super) fn of(format: &str) -> Vec<Case> {
    let mut all = Vec::new();
    for (_, files) in FILES.iter().filter(|(name, _)| *name == format) {
        for file in *files {
            let bytes = testkit::fixture(format, file);
            all.extend(pieces(format, file, &bytes));
            match format {
                "rbxmesh" => all.extend(lists::<rbxmesh::Mesh>(file, &bytes)),
                "rbxbinary" => all.extend(lists::<rbxbinary::Document>(file, &bytes)),
                "rbxxml" => all.extend(lists::<rbxxml::Document>(file, &bytes)),
                "m3d" => all.extend(lists::<m3d::Model>(file, &bytes)),
                "slmesh" => all.extend(lists::<slmesh::Asset>(file, &bytes)),
                // Its values are their own files: the pieces and the special cases.
                _ => {}
            }
        }
    }
    all.extend(special::of(format).into_iter().map(|(name, make)| Case {
        name: format!("{format}: {name}"),
        make: Box::new(move |size| Some((None, Some(make(size))))),
        everything: everything(format),
    }));
    all
}

fn everything(format: &str) -> fn(&dyn Asset) {
    match format {
        "rbxmesh" => |asset| with(asset, targets::rbxmesh::everything),
        "rbxbinary" => |asset| {
            with(asset, |document: &rbxbinary::Document| targets::rbxbinary::everything(document.clone()))
        },
        "rbxxml" => {
            |asset| with(asset, |document: &rbxxml::Document| targets::rbxxml::everything(document.clone()))
        }
        "m3d" => |asset| with(asset, targets::m3d::everything),
        "slmesh" => |asset| with(asset, targets::slmesh::everything),
        _ => |asset| with(asset, |document: &llsd::Document| targets::llsd::everything(&document.value)),
    }
}

fn with<M: 'static>(asset: &dyn Asset, examine: impl Fn(&M)) {
    if let Some(model) = (asset as &dyn Any).downcast_ref() {
        examine(model);
    }
}

/// Each line of a text, and each quarter of its elements and chunks, repeated.
fn pieces(format: &str, file: &str, bytes: &[u8]) -> Vec<Case> {
    let ends: &[u8] = match format {
        "rbxxml" => b">",
        "llsd" if file.ends_with(".xml") => b">",
        "llsd" if file.ends_with(".notation") => b",",
        "m3d" if file.ends_with(".a3d") => b"\n",
        _ => return Vec::new(),
    };
    let cases = testkit::pieces_up_to(bytes, ends).into_iter().map(|piece| {
        let shown: String = String::from_utf8_lossy(&bytes[piece.clone()]).trim().chars().take(30).collect();
        let bytes = bytes.to_vec();
        Case {
            name: format!("{format}: {file}: {shown:?} at {:#x}", piece.start),
            make: Box::new(move |size| {
                let repeated = bytes[piece.clone()].repeat(size);
                let parts = [&bytes[..piece.start], &repeated, &bytes[piece.end..]];
                Some((None, Some(parts.concat())))
            }),
            everything: everything(format),
        }
    });
    cases.collect()
}

/// Each list and each text of a model, repeated.
fn lists<M: Asset + Serialize + DeserializeOwned>(file: &str, bytes: &[u8]) -> Vec<Case> {
    let Some(asset) = rezkit::read(bytes).ok() else { return Vec::new() };
    let Some(model) = (&*asset as &dyn Any).downcast_ref::<M>() else { return Vec::new() };
    let Ok(json) = serde_json::to_value(model) else { return Vec::new() };
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut seen = BTreeSet::new();
    collect(&json, String::new(), &mut groups, &mut seen);
    let format = asset.kind().format;
    let mut cases = Vec::new();
    for group in groups {
        for different in [false, true] {
            let kind = if different { "different" } else { "alike" };
            let (json, group) = (json.clone(), group.clone());
            cases.push(Case {
                name: format!("{format}: {file}: {} {kind}", group.join(" ")),
                make: Box::new(move |size| {
                    let mut json = json.clone();
                    for pointer in &group {
                        grow(json.pointer_mut(pointer)?, size, different);
                    }
                    let model = serde_json::from_value::<M>(json).ok()?;
                    let bytes = model.write(&WriteOptions::new()).ok();
                    Some((Some(Box::new(model)), bytes))
                }),
                everything: everything(format),
            });
        }
    }
    cases
}

/// The pointers to lists and texts that differ in more than an index, each alone, and those that one object
/// has together.
fn collect(json: &Value, pointer: String, groups: &mut Vec<Vec<String>>, seen: &mut BTreeSet<String>) {
    let shape: String = pointer.chars().filter(|c| !c.is_ascii_digit()).collect();
    match json {
        Value::Array(values) if !values.is_empty() => {
            if seen.insert(shape.clone()) {
                groups.push(vec![pointer.clone()]);
            }
            for (index, value) in values.iter().enumerate().take(60) {
                collect(value, format!("{pointer}/{index}"), groups, seen);
            }
        }
        Value::String(text) if !text.is_empty() && seen.insert(shape.clone()) => groups.push(vec![pointer]),
        Value::Object(fields) => {
            let mut lists = Vec::new();
            nearest(json, &pointer, &mut lists);
            if lists.len() > 1 && seen.insert(format!("{shape}{{}}")) {
                groups.push(lists);
            }
            for (name, value) in fields {
                collect(value, format!("{pointer}/{}", name.replace('/', "~1")), groups, seen);
            }
        }
        _ => {}
    }
}

/// The lists of an object, and those of the objects in it.
fn nearest(json: &Value, pointer: &str, lists: &mut Vec<String>) {
    for (name, value) in json.as_object().into_iter().flatten() {
        let pointer = format!("{pointer}/{}", name.replace('/', "~1"));
        match value {
            Value::Array(values) if !values.is_empty() => lists.push(pointer),
            value => nearest(value, &pointer, lists),
        }
    }
}

/// A list or a text of this length.
fn grow(json: &mut Value, size: usize, different: bool) {
    match json {
        Value::Array(values) => {
            let grown = (0..size).map(|index| {
                let mut value = values[index % values.len()].clone();
                if different {
                    vary(&mut value, index);
                }
                value
            });
            *values = grown.collect();
        }
        Value::String(text) => *text = text.chars().cycle().take(size).collect(),
        _ => {}
    }
}

/// Another value than all others: its first texts and numbers change.
fn vary(json: &mut Value, index: usize) {
    match json {
        Value::String(text) => *text += &index.to_string(),
        Value::Number(number) if number.is_u64() => {
            *json = number.as_u64().unwrap_or(0).wrapping_add(index as u64).into()
        }
        Value::Array(values) => values.iter_mut().take(4).for_each(|value| vary(value, index)),
        Value::Object(fields) => fields.values_mut().for_each(|value| vary(value, index)),
        _ => {}
    }
}
