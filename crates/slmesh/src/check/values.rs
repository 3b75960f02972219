//! Checks shared by several rules: leftover values, and the domains of positions.

use llsd::{Text, Value};

use super::rules::{ARRAY_LENGTH, DOMAIN_ORDER, KEY_TYPE, POSITION_RANGE};
use crate::consts::MAX_POSITION;
use crate::model::Domain;
use crate::model::keys::Keyed;
use geom::wire::{Counted, Findings};

/// The type of a list of matrices, as in `model::keys`.
const MATRICES: &str = "an array for each joint, each of 16 reals";

/// Reports the unparsed parts of known keys, which are in `extra`.
pub(super) fn left_over<'e, M: Keyed>(
    path: &str,
    extra: impl IntoIterator<Item = &'e (Text, Value)>,
    findings: &mut Findings,
) {
    let kind = |key: &Text| {
        let known = M::KEYS.iter().zip(M::TYPES).find(|(known, _)| *key == ***known);
        known.map(|(_, kind)| *kind)
    };
    for (key, value) in extra {
        if let Some(kind) = kind(key) {
            left_over_value(path, key, value, kind, findings);
        }
    }
}

fn left_over_value(path: &str, key: &Text, value: &Value, kind: &str, findings: &mut Findings) {
    let dot = if path.is_empty() { "" } else { "." };
    let at = || format!("{path}{dot}extra.{key}");
    match value {
        // Empty arrays are allowed; other rules find those that a mesh needs.
        Value::Binary(rest) if rest.is_empty() => {}
        Value::Array(items) if items.is_empty() && matches!(kind, "strings" | MATRICES) => {}
        Value::Binary(rest) => {
            findings.add(ARRAY_LENGTH, || {
                let bytes = Counted::new(rest.len(), "surplus bytes");
                (at(), format!("{key} ends with {bytes} (or an incomplete element)"))
            });
        }
        other => {
            let found = match (other, kind.contains("`Min`")) {
                (Value::Map(map), true) => {
                    let ends = map.iter().take(4).map(|(key, value)| format!("{key}: {}", shape(value)));
                    format!("a map with {}", ends.collect::<Vec<_>>().join(", "))
                }
                (Value::Array(items), false) => odd_item(items, kind).unwrap_or_else(|| shape(other)),
                _ => shape(other),
            };
            let found = match (other, other.type_name() == kind) {
                (Value::Boolean(value), true) => format!("expected {} or no key, found {value}", !value),
                (_, true) => {
                    format!("the value ({found}) belongs to a known field (set that field instead)")
                }
                (_, false) if kind.contains(" per ") => {
                    format!("expected binary ({kind}), found {found}")
                }
                (_, false) => format!("expected {kind}, found {found}"),
            };
            findings.add(KEY_TYPE, || (at(), found));
        }
    }
}

/// The first item that differs from those that `kind` requires; `None` if all items have the same wrong type, if only
/// their number is wrong, or if `kind` is no list.
fn odd_item(items: &[Value], kind: &str) -> Option<String> {
    let is_number = |item: &Value| matches!(item, Value::Real(_) | Value::Integer(_));
    let fits = |item: &Value| match kind {
        MATRICES => {
            item.as_array().is_some_and(|numbers| numbers.len() == 16 && numbers.iter().all(is_number))
        }
        "strings" => matches!(item, Value::String(_)),
        "maps" => matches!(item, Value::Map(_)),
        _ => is_number(item),
    };
    let is_list = matches!(kind, "strings" | "maps") || kind.ends_with(" reals");
    let is_mixed = items.iter().any(|item| item.type_name() != items[0].type_name());
    if !is_list || !is_mixed && !matches!(items, [Value::Array(_), ..]) {
        return None;
    }
    let index = items.iter().position(|item| !fits(item))?;
    Some(format!("{} at index {index}", shape(&items[index])))
}

/// The type of a value, with the number and the type of its items.
fn shape(value: &Value) -> String {
    match value {
        Value::Array(items) => match items.first().map(Value::type_name) {
            None => "an empty array".to_owned(),
            Some(first) if items.iter().all(|item| item.type_name() == first) => {
                let plural = if first == "binary" { "binaries".to_owned() } else { format!("{first}s") };
                format!("an array of {}", Counted::new(items.len(), &plural))
            }
            _ => format!("an array of length {} with different types", items.len()),
        },
        Value::Map(map) => format!("a map of length {}", map.len()),
        Value::Boolean(value) => format!("boolean {value}"),
        _ => value.type_name().to_owned(),
    }
}

/// Checks a domain of positions.
pub(super) fn positions(path: impl Fn() -> String, domain: &Domain<3>, findings: &mut Findings) {
    let outside = |end: &f64| !(-MAX_POSITION..=MAX_POSITION).contains(end);
    if let Some(end) = domain.min.iter().chain(&domain.max).find(|end| outside(end)) {
        findings.add(POSITION_RANGE, || {
            (path(), format!("expected a coordinate from -{MAX_POSITION} to {MAX_POSITION}, found {end}"))
        });
    }
    let mut ends = ["x", "y", "z"].iter().zip(domain.min.iter().zip(&domain.max));
    if let Some((axis, (min, max))) = ends.find(|(_, (min, max))| min > max) {
        findings.add(DOMAIN_ORDER, || {
            (path(), format!("along {axis}, the minimum {min:?} exceeds the maximum {max:?}"))
        });
    }
}
