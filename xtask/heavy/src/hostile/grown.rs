//! Makes large files from fixtures with many constructs. Every list and every text of their models grows, alone and
//! together with the others of its object, with equal and with different elements; and every line or element of a text
//! is repeated.

use std::any::Any;
use std::collections::BTreeSet;

use rezkit::{Asset, WriteOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What is repeated, and a function that makes the file of a given size; `None` if there is no such file.
pub(super) type Grown = (String, Box<dyn Fn(usize) -> Option<Vec<u8>>>);

/// The fixtures of each format.
pub(super) const FILES: &[(&str, &str)] = &[
    ("rbxmesh", "v1_01.mesh v5_00.mesh v6_00_all.mesh v7_00_metadata.mesh"),
    ("rbxbinary", "types.rbxm place.rbxl shared.rbxm unknown.rbxm"),
    ("rbxxml", "every_type.rbxmx tree.rbxlx messy.rbxmx odd.rbxmx"),
    (
        "m3d",
        "order.m3d colors-1.m3d skeleton-1-4.m3d materials.m3d mesh-polygons.m3d actions-1.m3d voxels-d1-p1.m3d \
         shapes-int8-1.m3d labels-1.m3d ascii-all.a3d ascii-bytes.a3d",
    ),
    ("slmesh", "all.llmesh upload.slm"),
    ("llsd", "every_type.bin every_type.xml odd.xml every_type.notation odd.notation"),
];

/// The cases of a fixture.
pub(super) fn of(format: &str, file: &str) -> Vec<Grown> {
    let bytes = testkit::fixture(format, file);
    let mut all = pieces(file, &bytes);
    match format {
        "rbxmesh" => lists::<rbxmesh::Mesh>(&bytes, &mut all),
        "rbxbinary" => lists::<rbxbinary::Document>(&bytes, &mut all),
        "rbxxml" => lists::<rbxxml::Document>(&bytes, &mut all),
        "m3d" => lists::<m3d::Model>(&bytes, &mut all),
        "slmesh" => lists::<slmesh::Asset>(&bytes, &mut all),
        // LLSD has no model besides its values; its pieces and the constructs are enough.
        _ => {}
    }
    all
}

/// A case for each piece of a text: it is repeated. Pieces are lines, or parts that end with a comma or the end of a
/// tag.
fn pieces(file: &str, bytes: &[u8]) -> Vec<Grown> {
    let ends: &[u8] = match file.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "rbxmx" | "rbxlx" | "xml" => b">",
        "notation" => b",",
        "a3d" => b"\n",
        _ => return Vec::new(),
    };
    let cases = testkit::pieces_up_to(bytes, ends).into_iter().map(|piece| -> Grown {
        let shown: String = String::from_utf8_lossy(&bytes[piece.clone()]).trim().chars().take(30).collect();
        let (name, bytes) = (format!("{shown:?} at {:#x}", piece.start), bytes.to_vec());
        let make = move |size| {
            let repeated = bytes[piece.clone()].repeat(size);
            Some([&bytes[..piece.start], &repeated, &bytes[piece.end..]].concat())
        };
        (name, Box::new(make))
    });
    cases.collect()
}

/// Two cases for each list and each text of a model: it grows with equal and with different elements.
fn lists<M: Asset + Serialize + DeserializeOwned>(bytes: &[u8], all: &mut Vec<Grown>) {
    let Some(asset) = rezkit::read(bytes).ok() else { return };
    let Some(model) = (&*asset as &dyn Any).downcast_ref::<M>() else { return };
    let json = serde_json::to_value(model).unwrap_or_default();
    let (mut groups, mut seen) = (Vec::new(), BTreeSet::new());
    collect(&json, String::new(), &mut groups, &mut seen);
    for (group, different) in groups.iter().flat_map(|group| [(group, false), (group, true)]) {
        let name = format!("{} {}", group.join(" "), if different { "different" } else { "alike" });
        let (json, group) = (json.clone(), group.clone());
        let make = move |size| {
            let mut json = json.clone();
            for pointer in &group {
                grow(json.pointer_mut(pointer)?, size, different);
            }
            serde_json::from_value::<M>(json).ok()?.write(&WriteOptions::new()).ok()
        };
        all.push((name, Box::new(make)));
    }
}

/// Collects the pointers to lists and texts, each as a group, and those in the same object as one group. Pointers that
/// differ only in indices are collected once.
fn collect(json: &Value, pointer: String, groups: &mut Vec<Vec<String>>, seen: &mut BTreeSet<String>) {
    let shape: String = pointer.chars().filter(|c| !c.is_ascii_digit()).collect();
    match json {
        Value::Array(values) if !values.is_empty() => {
            if seen.insert(shape) {
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

/// Collects the lists of an object and of the objects in it.
fn nearest(json: &Value, pointer: &str, lists: &mut Vec<String>) {
    for (name, value) in json.as_object().into_iter().flatten() {
        let pointer = format!("{pointer}/{}", name.replace('/', "~1"));
        match value {
            Value::Array(values) if !values.is_empty() => lists.push(pointer),
            value => nearest(value, &pointer, lists),
        }
    }
}

/// Makes a list or a text this long.
fn grow(json: &mut Value, size: usize, different: bool) {
    match json {
        Value::Array(values) => {
            let mut grown: Vec<Value> = values.iter().cycle().take(size).cloned().collect();
            if different {
                grown.iter_mut().enumerate().for_each(|(index, value)| vary(value, index));
            }
            *values = grown;
        }
        Value::String(text) => *text = text.chars().cycle().take(size).collect(),
        _ => {}
    }
}

/// Makes a value different from all others, by changing its texts and numbers.
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
