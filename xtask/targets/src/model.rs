//! Models that are as hostile as files, since public fields allow any combination of values. A model is read, turned
//! into JSON, changed there, and turned back.

use std::fmt::Display;

use rezkit::Asset;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Input;

/// The model of a file, edited if the input has edits.
pub(super) fn hostile<M: Serialize + DeserializeOwned, E>(
    input: &Input<'_>,
    read: impl Fn(&[u8]) -> Result<M, E>,
) -> Option<M> {
    let model = read(input.bytes).ok()?;
    if input.edits.is_empty() { Some(model) } else { edited(&model, input.edits) }
}

/// Applies edits to a model; `None` if the types of its fields do not allow the result.
pub fn edited<M: Serialize + DeserializeOwned>(model: &M, edits: &[u8]) -> Option<M> {
    let mut json = serde_json::to_value(model).ok()?;
    edits.chunks_exact(EDIT).for_each(|edit| apply(&mut json, edit));
    serde_json::from_value(json).ok()
}

/// A model that is written without an error reads back equal, by value and bits. Only its layouts may differ: a
/// description of the layout of bytes is dropped if it does not fit the rest of the model.
pub(super) fn reads_back<M: Asset + Serialize, E: Display>(
    model: &M,
    read: impl Fn(&[u8]) -> Result<M, E>,
    write: impl Fn(&M) -> Result<Vec<u8>, E>,
) {
    let Ok(written) = write(model) else { return };
    let again = read(&written).unwrap_or_else(|error| panic!("written without an error, not read: {error}"));
    if !model.equals(&again) {
        let json = |model: &M| without_layouts(serde_json::to_value(model).unwrap_or_default());
        if let Some(difference) = difference(&json(model), &json(&again), String::new()) {
            panic!("what was written reads as another model: {difference}");
        }
    }
}

fn without_layouts(json: Value) -> Value {
    match json {
        Value::Array(values) => values.into_iter().map(without_layouts).collect(),
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(name, _)| name != "layout");
            kept.map(|(name, value)| (name, without_layouts(value))).collect()
        }
        value => value,
    }
}

/// The first path at which two models differ, and the two values.
fn difference(a: &Value, b: &Value, path: String) -> Option<String> {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(index, (a, b))| difference(a, b, format!("{path}[{index}]")))
        }
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            let mut pairs = a.iter().zip(b.values());
            pairs.find_map(|((name, a), b)| difference(a, b, format!("{path}.{name}")))
        }
        // As texts, since -0 == 0. JSON has no NaN, and both models can be written as JSON.
        _ => {
            let (a, b) = (a.to_string(), b.to_string());
            let short = |text: &str| text.chars().take(200).collect::<String>();
            (a != b).then(|| format!("{path}: {} became {}", short(&a), short(&b)))
        }
    }
}

/// The bytes of an edit: the index of a node (three), the operation (one) and its argument (four).
pub const EDIT: usize = 8;

/// Changes one node of a model as JSON.
pub fn apply(json: &mut Value, edit: &[u8]) {
    let (which, operation) = (u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize, edit[3]);
    let argument = u32::from_le_bytes([edit[4], edit[5], edit[6], edit[7]]);
    let count = nodes(json);
    let other = node(json, argument as usize % count).clone();
    let target = node(json, which % count);
    match target {
        // Replaces the node by another one, whatever its type.
        _ if operation % 8 == 7 => *target = other,
        Value::Null => *target = argument.into(),
        Value::Bool(value) => *value = !*value,
        Value::Number(number) => {
            let value = number.as_i64().unwrap_or_default();
            *target = match operation % 32 {
                0 => 0.into(),
                1 => (-1).into(),
                2 => value.wrapping_add(1).into(),
                3 => value.wrapping_sub(1).into(),
                4 => 0xff.into(),
                5 => 0x100.into(),
                6 => 0xffff.into(),
                8 => 0x1_0000.into(),
                9 => i32::MAX.into(),
                10 => i32::MIN.into(),
                11 => u32::MAX.into(),
                12 => u64::MAX.into(),
                13 => 1e38.into(),
                14 => (-0.0).into(),
                16 => 1e-45.into(),
                _ => argument.into(),
            };
        }
        Value::String(text) => match operation % 8 {
            0 => text.clear(),
            1 => text.push('\0'),
            2 => text.push('/'),
            3 => *text = text.repeat(2),
            4 => *text = "x".repeat(0x1_0001),
            5 => text.insert(0, '\u{1f600}'),
            _ => *text = format!("{text}<&]]>\n"),
        },
        Value::Array(values) => match (operation % 8, values.len()) {
            (_, 0) => values.push(other),
            (0, _) => values.clear(),
            (1, len) => values.truncate(len / 2),
            (2, _) => drop(values.pop()),
            (3, len) => values.push(values[argument as usize % len].clone()),
            (4, len) => values.swap(0, argument as usize % len),
            (5, len) => drop(values.remove(argument as usize % len)),
            (_, len) => {
                let value = values[argument as usize % len].clone();
                values.extend(std::iter::repeat_n(value, (argument >> 16) as usize % 300));
            }
        },
        Value::Object(fields) => {
            let Some(name) = fields.keys().nth(argument as usize % fields.len().max(1)).cloned() else {
                return;
            };
            match operation % 8 {
                0 => drop(fields.remove(&name)),
                1 => drop(fields.insert(name, Value::Null)),
                _ => {
                    // The value under another name, which can select another variant of an enum.
                    let value = fields.remove(&name).unwrap_or_default();
                    fields.insert(other.as_str().unwrap_or("other").to_owned(), value);
                }
            }
        }
    }
}

fn nodes(json: &Value) -> usize {
    1 + match json {
        Value::Array(values) => values.iter().map(nodes).sum(),
        Value::Object(fields) => fields.values().map(nodes).sum(),
        _ => 0,
    }
}

/// The node with this index, in depth-first order.
fn node(json: &mut Value, mut number: usize) -> &mut Value {
    if number == 0 {
        return json;
    }
    number -= 1;
    let children: Vec<&mut Value> = match json {
        Value::Array(values) => values.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => unreachable!("only nodes with children contain others"),
    };
    for child in children {
        let count = nodes(child);
        if number < count {
            return node(child, number);
        }
        number -= count;
    }
    unreachable!("the number is below the count of nodes")
}
