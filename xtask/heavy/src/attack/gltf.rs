//! Damage to glTF after which the numbers of its accessors, views and buffers fit together: most of what is broken at random is
//! refused because they do not.

use serde_json::Value;
use testkit::Rng;

use super::damage::{HURTS, in_place};
use crate::bytes::{base64, from_base64};

/// What the sizes are made of.
const SIZES: [&str; 10] = [
    "byteLength",
    "byteOffset",
    "byteStride",
    "count",
    "componentType",
    "type",
    "bufferView",
    "buffer",
    "version",
    "uri",
];

/// Keys whose values are indices, or lists of them, and the list that they lead to.
const INDICES: [(&str, &str); 14] = [
    ("mesh", "meshes"),
    ("node", "nodes"),
    ("nodes", "nodes"),
    ("children", "nodes"),
    ("joints", "nodes"),
    ("skeleton", "nodes"),
    ("skin", "skins"),
    ("camera", "cameras"),
    ("material", "materials"),
    ("source", "images"),
    ("input", "accessors"),
    ("output", "accessors"),
    ("inverseBindMatrices", "accessors"),
    ("indices", "accessors"),
];

/// Changes some values of a document, or bytes of its buffers: those of a GLB are given.
pub(super) fn damage(value: &mut Value, buffer: &mut [u8], rng: &mut Rng) {
    for _ in 0..=rng.below(3) {
        match rng.below(3) {
            0 if !buffer.is_empty() => in_place(buffer, rng),
            0 => within_a_buffer(value, rng),
            _ => {
                let mut leaves = Vec::new();
                collect(value, String::new(), "", &mut leaves);
                if leaves.is_empty() {
                    return;
                }
                let (pointer, key) = leaves.swap_remove(rng.below(leaves.len()));
                let list = INDICES.iter().find(|(of, _)| *of == key).map(|(_, list)| *list);
                let length = list.and_then(|list| value.get(list)?.as_array().map(Vec::len));
                let Some(leaf) = value.pointer_mut(&pointer) else { return };
                other(leaf, length, rng);
            }
        }
    }
}

/// The values that are not lists, and the last key above each.
fn collect(value: &Value, pointer: String, key: &str, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::Array(list) => {
            let each = list.iter().enumerate();
            each.for_each(|(at, value)| collect(value, format!("{pointer}/{at}"), key, leaves));
        }
        Value::Object(map) => {
            for (key, value) in map.iter().filter(|(key, _)| !SIZES.contains(&key.as_str())) {
                let step = key.replace('~', "~0").replace('/', "~1");
                collect(value, format!("{pointer}/{step}"), key, leaves);
            }
        }
        _ => leaves.push((pointer, key.to_owned())),
    }
}

/// Another value of the same kind; of an index another one in its list.
fn other(leaf: &mut Value, length: Option<usize>, rng: &mut Rng) {
    *leaf = match leaf {
        Value::Number(_) if let Some(length) = length.filter(|&length| length > 0) => {
            rng.below(length).into()
        }
        Value::Number(number) if number.is_u64() => match rng.below(4) {
            0 => serde_json::from_str(HURTS[rng.below(HURTS.len())]).unwrap_or(Value::Null),
            _ => (number.as_u64().unwrap_or_default().wrapping_add(rng.below(5) as u64).saturating_sub(2))
                .into(),
        },
        Value::Number(_) => {
            let near = [0.0, -1.0, 1.0, 0.5, 1e-30, 1e30, 3.4e38, -3.4e38, 1e-45, 100.0];
            near[rng.below(near.len())].into()
        }
        Value::Bool(value) => (!*value).into(),
        Value::String(text) => match rng.below(4) {
            0 => "".into(),
            1 => format!("{text}{text}").into(),
            2 => "../\u{1b}[31m\u{202e}\0".into(),
            _ => ["BLEND", "MASK", "STEP", "CUBICSPLINE", "scale", "weights", "perspective", "spot"]
                [rng.below(8)]
            .into(),
        },
        _ => Value::Null,
    };
}

/// The bytes of a buffer that is in the document.
fn within_a_buffer(value: &mut Value, rng: &mut Rng) {
    let Some(buffers) =
        value.get_mut("buffers").and_then(Value::as_array_mut).filter(|list| !list.is_empty())
    else {
        return;
    };
    let at = rng.below(buffers.len());
    let Some(Value::String(uri)) = buffers[at].get_mut("uri") else { return };
    let Some((head, text)) = uri.split_once(";base64,") else { return };
    let Some(mut bytes) = from_base64(text) else { return };
    in_place(&mut bytes, rng);
    *uri = format!("{head};base64,{}", base64(&bytes));
}
