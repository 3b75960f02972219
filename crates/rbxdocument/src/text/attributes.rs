//! Edits of attributes as text: all of them as JSON, or a list of attributes to add and remove.

use serde_json::Value as Json;

use rbxcore::{Kind, Value};

use super::values;
use crate::lists::Attributed;
use geom::wire::{Counted, Error, Result};
use rbxblobs::{Attribute, Attributes};

/// Refuses to replace a value of an unknown type: its length is unknown, too, so the attributes after it are part of it.
pub fn separable(name: &str, old: Option<&Attribute>) -> Result<()> {
    match old {
        Some(Attribute::Unknown(of)) if of.more > 0 => {
            let more = Counted::new(of.more as usize, "attributes");
            Err(Error::argument(format!(
                "cannot change the attribute {name}: the length of its unknown type {:#04x} is unknown, so the \
                 {more} after it would be removed, too",
                of.type_id
            )))
        }
        _ => Ok(()),
    }
}

/// The value of a property as an attribute of the same type, or of the type of the `old` attribute. A new number is a
/// double, as in Luau. A text is parsed as the old type, and a number also as the number of an item.
///
/// # Errors
/// If attributes have no such type, or the value does not fit the type of the old one.
pub fn of_value(value: &Value, old: Option<&Attribute>) -> Result<Attribute> {
    let is_number =
        matches!(value, Value::Int32(_) | Value::Int64(_) | Value::Float32(_) | Value::Float64(_));
    let kind = match (old.map(Attribute::value), value) {
        (Some(old), _) => old.and_then(|old| old.kind()),
        (None, _) if is_number => Some(Kind::Float64),
        (None, value) if value.as_bytes().is_some() => Some(Kind::String),
        (None, value) => value.kind(),
    };
    if let Some(value) = kind.and_then(|kind| value.converted(kind)) {
        return Ok(value.into());
    }
    let name = old.map_or_else(|| kind.map_or("unknown", Kind::name), Attribute::type_name);
    let is_text = value.as_bytes().is_some();
    if old.is_some() && !is_text && (!is_number || kind == Some(Kind::String)) {
        let found = value.kind().map_or("another type", Kind::name);
        let what =
            format!("expected {name}, the type of the attribute, found {found} (remove the attribute first)");
        return Err(Error::argument(what));
    }
    let text = value.as_ref().to_text().or_else(|| Some(value.as_str()?.to_owned())).unwrap_or_default();
    values::attribute(&text, name, old)
}

/// Changes attributes as in an edit: all of them as a JSON object, or changes such as `+Health=100,-Speed`. An existing
/// attribute keeps its type; a new one is a double, a boolean or a string.
///
/// # Errors
/// If a value does not fit the type, or an attribute to remove does not exist.
pub(super) fn change(text: &str, attributes: &mut Attributed) -> Result<()> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('{') {
        let json = if text.is_empty() { "{}" } else { text };
        let json: serde_json::Map<String, Json> = serde_json::from_slice(json.as_bytes())
            .map_err(|error| Error::argument(format!("invalid JSON: {error}")))?;
        let new = json.iter().map(|(name, value)| Ok((name, of_json_as(name, attributes.get(name), value)?)));
        let mut all = Attributes::default();
        all.extend(new.collect::<Result<Vec<_>>>()?);
        *attributes = Attributed::new(all);
        return Ok(());
    }
    for change in changes(text) {
        let (name, value) = match (change.strip_prefix('-'), change.strip_prefix('+')) {
            (Some(name), _) => (name, None),
            (None, set) => match set.and_then(|set| set.split_once('=')) {
                Some((name, value)) => (name, Some(value)),
                None => {
                    let expected = "a JSON object, or changes such as +Health=100,-Speed";
                    return Err(Error::argument(format!("expected {expected}, found {change:?}")));
                }
            },
        };
        if let Some(value) = value.filter(|_| may_be_list(attributes.get(name))) {
            signed(name, value)?;
        }
        change_one(name, value, attributes)?;
    }
    Ok(())
}

/// Sets an attribute, or removes it if there is no value. An existing attribute keeps its type; a new one is a double, a
/// boolean or a string.
///
/// # Errors
/// If the value does not fit the type, or the attribute to remove does not exist.
pub(super) fn change_one(name: &str, value: Option<&str>, attributes: &mut Attributed) -> Result<()> {
    let old = attributes.get(name);
    separable(name, old)?;
    let Some(value) = value else {
        if old.is_none() {
            let what = format!("cannot remove the attribute {name}, since it does not exist");
            return Err(Error::argument(what));
        }
        attributes.remove(name);
        return Ok(());
    };
    if name.is_empty() {
        return Err(Error::argument("the name of the attribute is empty"));
    }
    let value = match (old, serde_json::from_slice::<Json>(value.as_bytes())) {
        (Some(old), _) => values::attribute(value, old.type_name(), Some(old))?,
        (None, Ok(json @ (Json::Bool(_) | Json::Number(_)))) => of_json_as(name, None, &json)?,
        (None, _) => {
            let parts: Vec<&str> = value.split(',').collect();
            if parts.len() > 1 && parts.iter().all(|part| part.trim().parse::<f64>().is_ok()) {
                let what = format!(
                    "the type of {value} is not clear: set Attributes.{name} with a type such as Vector3"
                );
                return Err(Error::argument(format!("{what} ({})", as_text(name))));
            }
            value.into()
        }
    };
    attributes.set(name, value);
    Ok(())
}

fn as_text(name: &str) -> String {
    format!("for a text, set Attributes.{name} with the type String")
}

/// Whether the value of an attribute is probably one of several if it looks like them.
fn may_be_list(old: Option<&Attribute>) -> bool {
    matches!(old, None | Some(Attribute::Value(Value::String(_))))
}

/// Refuses a text that probably contains other attributes to set.
fn signed(name: &str, value: &str) -> Result<()> {
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let mut parts = value.split(',').map(str::trim).skip(1);
    match parts.find(|part| part.split_once('=').is_some_and(|(key, _)| is_name(key))) {
        Some(next) => {
            let what = format!("expected a sign before {next}, as in +A=1,+B=2");
            Err(Error::argument(format!("{what} ({})", as_text(name))))
        }
        None => Ok(()),
    }
}

/// The changes in a list. Each begins with a sign and a name, so that values may contain commas.
fn changes(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let begins = |at: usize| {
        let name = bytes.get(at + 2).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        bytes[at] == b',' && matches!(bytes.get(at + 1), Some(b'+' | b'-')) && name
    };
    let ends: Vec<_> = (0..bytes.len()).filter(|&at| begins(at)).chain([bytes.len()]).collect();
    let mut from = 0;
    ends.into_iter().map(|end| text[std::mem::replace(&mut from, end + 1)..end].trim()).collect()
}

/// A JSON value as an attribute of the type of the existing one; a vector is an array of numbers.
fn of_json_as(name: &str, old: Option<&Attribute>, json: &Json) -> Result<Attribute> {
    let at = |error: Error| error.at_path(name.to_owned());
    let kind = match old {
        None | Some(Attribute::Array(_) | Attribute::Table(_)) => {
            return values::of_json(json).ok_or_else(|| {
                at(Error::argument("the value contains a number that does not fit into a 64-bit float"))
            });
        }
        Some(old) => old.type_name(),
    };
    let text = match json {
        Json::String(text) => text.clone(),
        Json::Array(values) => {
            // A whole number is written without a fraction, since some parts are integers.
            let part = |value: &Json| match value.as_f64().filter(|_| value.is_f64()) {
                Some(number) => number.to_string(),
                None => value.to_string(),
            };
            values.iter().map(part).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    values::attribute(&text, kind, old).map_err(at)
}
