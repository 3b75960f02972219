//! Tests that comparisons of models notice every changed value.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

use crate::{Sample, fixtures};

/// Changes one value at a time in the models of a crate's fixtures. If a changed model is written as other bytes, it
/// must not be equal to the original, or not have the same layout. If the changed value is part of the layout, the
/// models must be equal, but not have the same layout.
///
/// # Panics
/// If a change goes unnoticed, and if 200 or fewer changes lead to other bytes.
pub fn changes_are_noticed<M: Serialize + DeserializeOwned + PartialEq>(
    name: &str,
    read: impl Fn(&[u8]) -> Option<M>,
    write: impl Fn(&M) -> Option<Vec<u8>>,
    same_layout: impl Fn(&M, &M) -> bool,
) {
    let mut noticed = 0;
    for Sample { name, bytes } in fixtures(name) {
        let Some(model) = read(&bytes) else { continue };
        let Some(written) = write(&model) else { continue };
        each_change(&model, 1_000, |path, changed| {
            if path.starts_with("/layout") {
                assert!(changed == model && !same_layout(&changed, &model), "{name}: {path}");
            } else if write(&changed).is_some_and(|bytes| bytes != written) {
                assert!(changed != model || !same_layout(&changed, &model), "{name}: {path}");
                noticed += 1;
            }
        });
    }
    assert!(noticed > 200, "only {noticed}");
}

/// Calls the test with copies of a model and the path of the value that differs in each: a number, a bool, a string or
/// the length of a list. At most `most` values are changed, spread over the model. Changes that the types of the model
/// do not allow are left out.
///
/// # Panics
/// If the model cannot be serialized.
pub fn each_change<M: Serialize + DeserializeOwned>(model: &M, most: usize, mut test: impl FnMut(&str, M)) {
    let mut value = serde_json::to_value(model).expect("a model that can be serialized");
    let mut paths = Vec::new();
    collect(&value, String::new(), &mut paths);
    for path in paths.iter().step_by(paths.len().div_ceil(most).max(1)) {
        let place = value.pointer_mut(path).expect("a path of this value");
        let before = place.clone();
        if change(place)
            && let Ok(changed) = serde_json::from_value(value.clone())
        {
            test(path, changed);
        }
        *value.pointer_mut(path).expect("the same path") = before;
    }
}

/// The paths of all values that [`change`] may change.
fn collect(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            list.iter()
                .enumerate()
                .for_each(|(index, entry)| collect(entry, format!("{path}/{index}"), paths));
        }
        Value::Object(map) => {
            for (key, entry) in map {
                collect(entry, format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), paths);
            }
        }
        _ => {}
    }
    if !matches!(value, Value::Null | Value::Object(_)) {
        paths.push(path);
    }
}

fn change(value: &mut Value) -> bool {
    match value {
        Value::Null | Value::Object(_) => return false,
        Value::Bool(truth) => *truth = !*truth,
        Value::Array(list) => return list.pop().is_some(),
        Value::Number(number) => {
            let changed = match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => Some(Number::from(number ^ 1)),
                (None, Some(number), _) => Some(Number::from(number ^ 1)),
                // By so much that the number also differs with half the precision.
                (None, None, Some(number)) => Number::from_f64(number * 1.5 + 0.271),
                _ => None,
            };
            match changed {
                Some(changed) => *number = changed,
                None => return false,
            }
        }
        Value::String(text) => match text.pop() {
            Some(last) => text.push(if last == 'A' { 'B' } else { 'A' }),
            None => text.push('A'),
        },
    }
    true
}
