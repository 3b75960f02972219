//! Checks shared by several rules: leftover values, and the domains of positions.

use llsd::{Text, Value};

use super::rules::{ARRAY_LENGTH, DOMAIN_ORDER, KEY_TYPE, POSITION_RANGE};
use crate::consts::MAX_POSITION;
use crate::model::Domain;
use crate::model::keys::Keyed;
use geom::wire::{Counted, Findings};

/// Reports the unparsed parts of known keys, which are in `extra`.
pub(super) fn left_over<'e, M: Keyed>(
    path: &str,
    extra: impl IntoIterator<Item = &'e (Text, Value)>,
    findings: &mut Findings,
) {
    let dot = if path.is_empty() { "" } else { "." };
    for (key, value) in extra {
        let Some((_, kind)) = M::KEYS.iter().zip(M::TYPES).find(|(known, _)| *key == ***known) else {
            continue;
        };
        let at = || format!("{path}{dot}extra.{key}");
        match value {
            // Empty arrays are allowed; other rules find those that a mesh needs.
            Value::Binary(rest) if rest.is_empty() => {}
            Value::Array(items)
                if items.is_empty()
                    && matches!(*kind, "strings" | "an array for each joint, each of 16 reals") => {}
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
                    _ => shape(other),
                };
                let found = match (other, other.type_name() == *kind) {
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
}

/// The type of a value, with the lengths and types of its items.
fn shape(value: &Value) -> String {
    match value {
        Value::Array(items) => match items.first().map(Value::type_name) {
            None => "an empty array".to_owned(),
            Some("array") => {
                format!("an array of {} arrays, the first of which is {}", items.len(), shape(&items[0]))
            }
            Some(first) if items.iter().all(|item| item.type_name() == first) => {
                format!("{} × {first}", items.len())
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
    if domain.min.iter().zip(&domain.max).any(|(min, max)| min > max) {
        findings.add(DOMAIN_ORDER, || {
            (
                path(),
                format!("along an axis, the minimum {:?} exceeds the maximum {:?}", domain.min, domain.max),
            )
        });
    }
}
