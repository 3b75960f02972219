//! The errors of the JSON library and of the glTF library, in the words of the specifications.

use gltf::json::validation::Error as Why;
use rezkit_core::plain::shorten;
use rezkit_core::{Counted, Error};
use serde_json::Value;

/// The maximum number of characters of a value in a message.
const MOST: usize = 60;

/// What the validation of the glTF library found first in a file, as a sentence with its path and its value in
/// the `file`.
pub(super) fn refused(error: gltf::Error, file: &Value) -> Error {
    let gltf::Error::Validation(found) = error else { return Error::unreadable(error) };
    let Some((path, why)) = found.first() else {
        return Error::unreadable(
            "the document violates the glTF specification: check it with the Khronos glTF Validator",
        );
    };
    // The library has its own names for these properties.
    let path = [
        ("khrLightsPunctual", "KHR_lights_punctual"),
        (".positions", ".POSITION"),
        (".normals", ".NORMAL"),
        (".tangents", ".TANGENT"),
    ]
    .into_iter()
    .fold(path.as_str().to_owned(), |path, (own, name)| path.replace(own, name));
    let value = value_at(file, &path).filter(|value| !value.is_object() && !value.is_array());
    let value = value.map_or_else(String::new, |value| format!(" {}", shorten(&value.to_string(), MOST)));
    let what = match why {
        Why::IndexOutOfBounds => format!("the index{value} refers to an object that does not exist"),
        Why::Invalid => format!("the value{value} is not one that glTF defines"),
        Why::Missing => "the value is missing".to_owned(),
        Why::Oversize => format!("the number{value} is too large for this computer"),
        Why::Unsupported => format!("the value{value} is not supported"),
    };
    let more = match found.len() {
        1 => String::new(),
        count => format!(" (and {})", Counted::new(count - 1, "more errors")),
    };
    Error::unreadable(format!("{what}{more}")).at(path)
}

/// The value at a path such as `nodes[0].mesh`.
fn value_at<'v>(file: &'v Value, path: &str) -> Option<&'v Value> {
    // Channels can have other indices in the file: some are omitted.
    if path.contains(".channels[") {
        return None;
    }
    let mut value = file;
    for part in path.split(['.', '[']) {
        value = match part.strip_suffix(']').map(str::parse::<usize>) {
            Some(Ok(index)) => value.get(index)?,
            Some(Err(_)) => return None,
            None => value.get(part)?,
        };
    }
    Some(value)
}

/// The sentence of an error of the JSON library, with the line and the column.
pub(super) fn reason(error: &serde_json::Error) -> String {
    match (error.is_data(), error.line()) {
        // The text is not JSON.
        (false, line) if error.is_eof() => {
            format!("line {line}, column {}: the JSON text ends before it is complete", error.column())
        }
        (false, _) => error.to_string(),
        (true, 0) => what(error),
        (true, line) => format!("line {line}, column {}: {}", error.column(), what(error)),
    }
}

/// The sentence of an error of the JSON library without the position. Types have their names in JSON.
pub(super) fn what(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = if error.line() > 0 { text.rfind(" at line ") } else { None };
    let text = &text[..end.unwrap_or(text.len())];
    if let Some(name) = text.strip_prefix("missing field `").and_then(|name| name.strip_suffix('`')) {
        return format!("the property {name:?} is missing");
    }
    let parts = text.rsplit_once(", expected ");
    match parts.and_then(|(found, expected)| Some((shown(found)?, expected))) {
        Some((found, expected)) => format!("expected {}, found {found}", named(expected)),
        None => text.to_owned(),
    }
}

/// The value in the first half of an error, such as ``invalid type: integer `5` ``.
fn shown(found: &str) -> Option<String> {
    if let Some(length) = found.strip_prefix("invalid length ") {
        return Some(format!("the length {length}"));
    }
    let value = found.strip_prefix("invalid type: ").or_else(|| found.strip_prefix("invalid value: "))?;
    Some(match value {
        "map" => "an object".to_owned(),
        "sequence" => "an array".to_owned(),
        _ => {
            let value = value.strip_prefix("string ").unwrap_or(value);
            let number = value.strip_suffix('`').and_then(|value| value.split_once('`'));
            shorten(number.map_or(value, |(_, number)| number), MOST)
        }
    })
}

/// The type in the second half of an error.
fn named(expected: &str) -> String {
    let name = match expected {
        "u8" => "an integer from 0 to 255",
        "u16" => "an integer from 0 to 65,535",
        "u32" => "an integer from 0 to 4,294,967,295",
        "u64" | "usize" => "an integer of 0 or more",
        "index into child of root" => "an index of 0 or more",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        _ if expected.starts_with("struct ") => "an object",
        _ => {
            let list = expected.strip_prefix("any of: [").and_then(|list| list.strip_suffix(']'));
            return list.map_or_else(|| expected.to_owned(), |list| format!("one of {list}"));
        }
    };
    name.to_owned()
}

/// The error about a version before 2.0.
pub(super) fn too_old(version: &str) -> Error {
    Error::unreadable(format!(
        "glTF version {version} is not supported: convert the file to 2.0, for example with gltf-pipeline"
    ))
}
