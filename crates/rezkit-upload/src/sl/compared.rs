//! The differences between two reports.

use std::collections::HashMap;

use rezkit_scene::{Budget, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is compared of a report.
#[derive(Deserialize)]
struct Report {
    scale: f32,
    land_impact: Cost,
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Cost {
    streaming: f32,
    physics: Option<f32>,
    server: f32,
    total: f32,
}

#[derive(Deserialize)]
struct Part {
    name: String,
    size: [f64; 3],
    levels: Vec<Level>,
    hulls: usize,
    hull_points: usize,
    physics_triangles: usize,
    land_impact: Cost,
}

#[derive(Deserialize)]
struct Level {
    triangles: usize,
    vertices: usize,
    bytes: u64,
    from: f64,
}

/// A value that two reports do not share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The object; `None` for all objects together.
    pub object: Option<String>,
    /// The name of the value, such as `triangles`.
    pub what: &'static str,
    /// The old value, a number, or a list: the levels from high to lowest. `None` if the old report does not have the object.
    pub old: Option<Value>,
    /// The new value; `None` if the new report does not have the object.
    pub new: Option<Value>,
}

/// A name and a value.
type Row = (&'static str, Value);

/// Whether a file is a report: JSON with a land impact and objects.
pub fn is_report(json: &[u8]) -> bool {
    /// The keys of a report.
    #[derive(Deserialize)]
    struct Keys {
        #[serde(rename = "land_impact")]
        _land_impact: serde::de::IgnoredAny,
        #[serde(rename = "parts")]
        _parts: Vec<serde::de::IgnoredAny>,
    }
    json.trim_ascii_start().starts_with(b"{") && serde_json::from_slice::<Keys>(json).is_ok()
}

/// The differences between the values of two reports, object by object: land impact, triangles, vertices, bytes, hulls,
/// size. Objects of one name are compared in their order.
///
/// # Errors
/// [`Unreadable`](rezkit_scene::ErrorKind::Unreadable) if a file is not a report, and
/// [`Limit`](rezkit_scene::ErrorKind::Limit) if the reports need more than is left of the budget.
pub fn differences(old: &[u8], new: &[u8], budget: &mut Budget) -> Result<Vec<Difference>> {
    // A level is about 80 bytes of JSON.
    budget.take(4 * (old.len() + new.len()) as u64, "the reports")?;
    let read = |json: &[u8]| {
        serde_json::from_slice::<Report>(json)
            .map_err(|error| Error::unreadable(format!("expected a report of `sl`: {error}")))
    };
    let (old, new) = (read(old)?, read(new)?);
    let mut found = Vec::new();
    compare(None, Some(total(&old)), Some(total(&new)), &mut found);
    let mut others: HashMap<(&str, usize), &Part> = numbered(&new.parts).collect();
    for (key, part) in numbered(&old.parts) {
        compare(Some(named(key)), Some(rows(part)), others.remove(&key).map(rows), &mut found);
    }
    for (key, part) in numbered(&new.parts).filter(|(key, _)| others.contains_key(key)) {
        compare(Some(named(key)), None, Some(rows(part)), &mut found);
    }
    Ok(found)
}

/// The objects with their names, and their numbers among those of one name.
fn numbered(parts: &[Part]) -> impl Iterator<Item = ((&str, usize), &Part)> {
    let mut counts = HashMap::new();
    parts.iter().map(move |part| {
        let count = counts.entry(&*part.name).or_insert(0_usize);
        *count += 1;
        ((&*part.name, *count - 1), part)
    })
}

/// The path of an object.
fn named((name, nth): (&str, usize)) -> String {
    if nth == 0 { name.to_owned() } else { format!("{name}[{nth}]") }
}

fn compare(
    object: Option<String>,
    old: Option<Vec<Row>>,
    new: Option<Vec<Row>>,
    found: &mut Vec<Difference>,
) {
    let names: Vec<_> = old.iter().chain(&new).next().into_iter().flatten().map(|(what, _)| *what).collect();
    let mut old = old.map(|rows| rows.into_iter().map(|(_, value)| value));
    let mut new = new.map(|rows| rows.into_iter().map(|(_, value)| value));
    for what in names {
        let old = old.as_mut().and_then(Iterator::next);
        let new = new.as_mut().and_then(Iterator::next);
        if old != new {
            found.push(Difference { object: object.clone(), what, old, new });
        }
    }
}

fn total(report: &Report) -> Vec<Row> {
    let sum = |value: fn(&Level) -> u64| -> Value {
        report.parts.iter().flat_map(|part| &part.levels).map(value).sum::<u64>().into()
    };
    let mut rows = cost(&report.land_impact);
    rows.extend([
        ("scale", number(report.scale.into())),
        ("objects", report.parts.len().into()),
        ("triangles of all levels", sum(|level| level.triangles as u64)),
        ("bytes of all levels", sum(|level| level.bytes)),
    ]);
    rows
}

fn rows(part: &Part) -> Vec<Row> {
    let levels = |value: fn(&Level) -> Value| -> Value { part.levels.iter().map(value).collect() };
    let mut rows = cost(&part.land_impact);
    rows.extend([
        ("triangles", levels(|level| level.triangles.into())),
        ("vertices", levels(|level| level.vertices.into())),
        ("bytes", levels(|level| level.bytes.into())),
        ("seen from (m)", levels(|level| number(level.from))),
        ("hulls", part.hulls.into()),
        ("hull corners", part.hull_points.into()),
        ("physics triangles", part.physics_triangles.into()),
        ("size (m)", part.size.into_iter().map(number).collect()),
    ]);
    rows
}

fn cost(cost: &Cost) -> Vec<Row> {
    vec![
        ("land impact", number(cost.total.into())),
        ("download", number(cost.streaming.into())),
        ("physics", cost.physics.map_or(Value::Null, |cost| number(cost.into()))),
        ("server", number(cost.server.into())),
    ]
}

/// A number, rounded to thousandths.
fn number(number: f64) -> Value {
    ((number * 1000.0).round() / 1000.0).into()
}
