//! The oldest client that knows a document unchanged.

use std::collections::{HashMap, HashSet};

use rbxcore::{Content, InstanceId, Kind, PhysicalProperties, Value, classes};

use super::build::{form_of, has_zstd};
use super::table::{self, Month};
use super::values::{absorption, thickened};
use super::walk::{BOOKKEEPING, Walk, is_default, is_plain_service};
use super::{
    ACOUSTIC_SINCE, ATTRIBUTE_REFERENCES_SINCE, BINARY_SINCE, ITEM, TYPE, UNKNOWN, ZSTD_SINCE, has_effect,
};
use crate::attribute_refs;
use crate::errors::Budget;
use crate::paths::Paths;
use crate::view::View as _;
use crate::which::{ATTRIBUTES, type_of};
use crate::{Dom, Result};

/// The oldest client that knows a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Oldest {
    /// Its month. [`Month::OLDEST`] means that month or before.
    pub month: Month,
    /// What decides: the things in the document that came in that month, each with its first case; at most three.
    pub decides: Vec<Decides>,
    /// What the client of that month has no longer, so that no client knows all of the document; at most three.
    pub gone: Vec<Decides>,
    /// The classes, properties and enum items that no table knows, with their first cases.
    pub unknown: Vec<Decides>,
}

/// Something that other clients do not know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decides {
    /// The month in which it came.
    pub month: Month,
    /// What it is: `Part.CastShadow`, `UICorner`, `Enum.Material.Asphalt`.
    pub what: String,
    /// The path of the first instance that has it.
    pub path: String,
}

/// The number of things that [`Oldest`] names.
const NAMED: usize = 3;

/// The oldest client that knows all classes, properties, types and enum items of a document, and the form of its file: the
/// first month for which [`check_client`](super::check_client) lists nothing that has an effect. A property that has the
/// default of its class does not count, and services with nothing but defaults do not, since Studio stores both in every
/// place. What no table knows does not count, and is listed.
///
/// # Errors
/// If the things in the document take more memory than is allowed.
pub fn oldest(document: &dyn Dom, max_bytes: u64) -> Result<Oldest> {
    let mut budget = Budget::new(max_bytes);
    let mut paths = Paths::new(document);
    let Things { all, unknown } = things(document, &mut budget)?;
    let mut floor = Month::OLDEST;
    let mut form = None;
    if document.has_columns() {
        (floor, form) = (BINARY_SINCE, Some("the binary form"));
    }
    if has_zstd(document) {
        (floor, form) = (ZSTD_SINCE, Some("chunks in Zstandard"));
    }
    let fails = |month: Month, first_only: bool| failing(document, &all, (month, first_only), max_bytes);
    let start = all.iter().map(|thing| thing.first).max().unwrap_or(floor).max(floor);
    let mut month = start;
    let mut gone = fails(month, false)?;
    if gone.is_empty() {
        while month > floor && fails(month.previous(), true)?.is_empty() {
            month = month.previous();
        }
    } else {
        let last = Month::newest().max(start);
        let mut later = start.next();
        while later <= last && !fails(later, true)?.is_empty() {
            later = later.next();
        }
        if later <= last {
            (month, gone) = (later, Vec::new());
        }
    }
    let mut decides = Vec::new();
    if let Some(what) = form.filter(|_| month == floor) {
        decides.push(Decides { month, what: what.to_owned(), path: String::new() });
    } else if month > Month::OLDEST {
        let newest = fails(month.previous(), false)?;
        let came = |at: &&(usize, &'static str)| !gone.iter().any(|(index, _)| *index == at.0);
        for (index, rule) in newest.iter().filter(came) {
            if decides.len() == NAMED {
                break;
            }
            let found = all[*index].named(rule, month.previous(), month, &mut paths, &mut budget)?;
            if !decides.iter().any(|known| known.what == found.what) {
                decides.push(found);
            }
        }
    }
    let mut named = |of: &[(usize, &'static str)]| -> Result<Vec<Decides>> {
        let of = of.iter().take(NAMED);
        of.map(|(index, rule)| all[*index].named(rule, month, all[*index].first, &mut paths, &mut budget))
            .collect()
    };
    let gone = named(&gone)?;
    let unknown = unknown.iter().take(NAMED).map(|thing| {
        let item = thing.property.as_ref().and_then(|(name, value)| item_name(&thing.class, name, value));
        let (what, path) = (item.unwrap_or_else(|| thing.what()), paths.of(thing.id, &mut budget)?);
        Ok(Decides { month: Month::LAST, what, path })
    });
    let unknown = unknown.collect::<Result<_>>()?;
    Ok(Oldest { month, decides, gone, unknown })
}

/// A class, or one kind of values of a property, that a document has.
struct Thing {
    /// The first instance that has it.
    id: InstanceId,
    class: String,
    property: Option<(String, Value)>,
    /// When it came.
    first: Month,
}

impl Thing {
    /// `Part.CastShadow`, `UICorner`.
    fn what(&self) -> String {
        match &self.property {
            Some((name, _)) => format!("{}.{name}", self.class),
            None => self.class.clone(),
        }
    }

    /// What a client lacks, by the rule that the thing breaks in its month.
    fn named(
        &self,
        rule: &str,
        before: Month,
        month: Month,
        paths: &mut Paths<'_>,
        budget: &mut Budget,
    ) -> Result<Decides> {
        let path = paths.of(self.id, budget)?;
        let item = |(name, value): &(String, Value)| item_name(&self.class, name, value);
        let kind = |(_, value): &(String, Value)| {
            type_since(value).filter(|since| *since > before)?;
            Some(format!("the type {}", type_of(value).and_then(rbxbinary::parts::TypeId::kind)?))
        };
        let named = match rule {
            ITEM => self.property.as_ref().and_then(item),
            TYPE => self.property.as_ref().and_then(kind),
            _ => None,
        };
        Ok(Decides { month, what: named.unwrap_or_else(|| self.what()), path })
    }
}

/// The things in a document.
#[derive(Default)]
struct Things {
    all: Vec<Thing>,
    /// Those that no table knows.
    unknown: Vec<Thing>,
}

fn things(document: &dyn Dom, budget: &mut Budget) -> Result<Things> {
    const WHAT: &str = "the classes and values of the document";
    let mut found = Things::default();
    // By class, then by name: when it came, and whether what older clients store depends on the value.
    let mut known: HashMap<String, HashMap<String, (Option<Month>, bool)>> = HashMap::new();
    let mut seen: HashSet<(String, String, Signature)> = HashSet::new();
    for id in document.all() {
        let class = document.class_of(id).into_owned();
        if is_plain_service(document, id, &class) {
            continue;
        }
        let class_first = table::class_span(&class).map(|span| span.first.unwrap_or(Month::OLDEST));
        let of_class = known.entry(class.clone()).or_insert_with(|| {
            let thing =
                Thing { id, class: class.clone(), property: None, first: class_first.unwrap_or_default() };
            if class_first.is_some() { &mut found.all } else { &mut found.unknown }.push(thing);
            HashMap::new()
        });
        // Of a class that no table knows, the types of the values remain.
        let Some(class_first) = class_first else {
            for (name, value) in document.values(id) {
                let Some(first) = type_since(&value).filter(|_| !of_class.contains_key(&name)) else {
                    continue;
                };
                budget.charge(600, WHAT)?;
                of_class.insert(name.clone(), (None, false));
                found.all.push(Thing { id, class: class.clone(), property: Some((name, value)), first });
            }
            continue;
        };
        for (name, value) in document.values(id) {
            if name == "Name" || BOOKKEEPING.contains(&&*name) {
                continue;
            }
            let (first, depends) = *of_class.entry(name.clone()).or_insert_with(|| {
                let is_reference = attribute_refs::key_of(&name).is_some();
                let first = match is_reference {
                    true => table::first(&class, ATTRIBUTES).max(Some(ATTRIBUTE_REFERENCES_SINCE)),
                    false => table::first(&class, &name),
                };
                let first = first.map(|first| first.max(class_first));
                (first, values_matter(&class, &name))
            });
            let default = is_default(&class, &name, &value);
            let signature = Signature::of((&class, &name), &value, default, depends);
            let key = (class.clone(), name, signature);
            if seen.contains(&key) {
                continue;
            }
            let len = value.as_bytes().map_or(0, <[u8]>::len);
            budget.charge((300 + key.0.len() + 2 * key.1.len() + len) as u64, WHAT)?;
            let is_no_item = is_no_item(&class, &key.1, &value);
            let absorbs = absorption(&value).is_some_and(|of| of.to_bits() != 1_f32.to_bits());
            let property = Some((key.1.clone(), value));
            // A default came when it came, but its absence is no loss.
            let from = if default { class_first } else { first.unwrap_or(class_first) };
            let from = if absorbs { from.max(ACOUSTIC_SINCE) } else { from };
            let thing = Thing { id, class: class.clone(), property, first: from };
            match first {
                Some(_) if is_no_item => found.unknown.push(thing),
                Some(_) => found.all.push(thing),
                None if default => {}
                None => found.unknown.push(thing),
            }
            seen.insert(key);
        }
    }
    Ok(found)
}

fn values_matter(class: &str, name: &str) -> bool {
    super::values::has_older(class, name) || table::changed(class, name)
}

/// What of a value decides whether a client knows it.
#[derive(PartialEq, Eq, Hash)]
struct Signature {
    kind: Option<Kind>,
    is_default: bool,
    /// Whether it has more bytes than an empty grid.
    is_long: bool,
    /// The item of an enum, or what else of the value matters.
    detail: String,
}

impl Signature {
    fn of((class, name): (&str, &str), value: &Value, is_default: bool, depends: bool) -> Self {
        let kind = type_of(value).and_then(rbxbinary::parts::TypeId::kind);
        let is_long = value.as_bytes().is_some_and(|bytes| bytes.len() > 2);
        let detail = match value {
            Value::Enum(item) => item.to_string(),
            Value::Content(Content::Object(_)) => "object".to_owned(),
            Value::Content(Content::Uri(_)) => "address".to_owned(),
            Value::OptionalCFrame(None) => "none".to_owned(),
            // Whether a text is UTF-8.
            Value::String(bytes) if depends => std::str::from_utf8(bytes).is_ok().to_string(),
            Value::PhysicalProperties(all) => match &**all {
                PhysicalProperties::Default => "default".to_owned(),
                PhysicalProperties::Custom(of) => format!("{:?}", of.acoustic_absorption),
            },
            Value::Color3uint8(_) | Value::Color3(_) | Value::Font(_) | Value::Vector2(_) if depends => {
                format!("{value:?}")
            }
            Value::Vector3(_) if thickened(class, name, value).is_some() => "thin".to_owned(),
            Value::Float32(number) if depends => number.to_bits().to_string(),
            Value::Int64(number) if depends => i32::try_from(*number).is_ok().to_string(),
            _ => String::new(),
        };
        Self { kind, is_default, is_long, detail }
    }
}

/// The things that a client of a month does not know, with the rules; or only the first one.
fn failing(
    document: &dyn Dom,
    all: &[Thing],
    (month, first_only): (Month, bool),
    max_bytes: u64,
) -> Result<Vec<(usize, &'static str)>> {
    let mut walk = Walk::new(document, month, Budget::new(max_bytes));
    (walk.form, walk.only_lists) = (form_of(document), true);
    let mut failing = Vec::new();
    for (index, thing) in all.iter().enumerate() {
        let known = walk.class(&thing.class);
        let rule = match (known.filter(|known| **known == *thing.class), &thing.property) {
            (None, None) => Some(super::CLASS),
            (None, Some((_, value))) if table::class_span(&thing.class).is_none() => {
                type_since(value).filter(|since| *since > month).map(|_| TYPE)
            }
            // The class decides.
            (None, Some(_)) | (Some(_), None) => None,
            (Some(target), Some((name, value))) => {
                let listed = walk.changes.len();
                walk.value(thing.id, &thing.class, target, name.clone(), value.clone())?;
                let mut new = walk.changes[listed..].iter().map(|change| change.rule);
                new.rfind(|rule| has_effect(rule) && *rule != UNKNOWN)
            }
        };
        failing.extend(rule.map(|rule| (index, rule)));
        if first_only && !failing.is_empty() {
            break;
        }
    }
    Ok(failing)
}

/// When readers learned the type of a value, if the oldest dump does not have it.
fn type_since(value: &Value) -> Option<Month> {
    table::kind_since(type_of(value).and_then(rbxbinary::parts::TypeId::kind)?)
}

/// Whether a value is an item of an enum that no table has.
fn is_no_item(class: &str, name: &str, value: &Value) -> bool {
    let known = || table::rows(class, name).find(|row| table::enum_of(name, row.of).is_some());
    let has = |item| move |of| table::item_span(of, item).is_some();
    value.as_enum().zip(known()).is_some_and(|(item, row)| !table::enums_of(name, row.of).any(has(item)))
}

/// `Enum.Material.Asphalt`.
fn item_name(class: &str, name: &str, value: &Value) -> Option<String> {
    let item = value.as_enum()?;
    let of = table::rows(class, name).find_map(|row| table::enum_of(name, row.of))?;
    let item_name = classes::enum_named(of).and_then(|of| of.item_name(item));
    Some(format!("Enum.{of}.{}", item_name.map_or_else(|| item.to_string(), ToOwned::to_owned)))
}
