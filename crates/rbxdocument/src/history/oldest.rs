//! The oldest client that knows a document unchanged.

use std::collections::HashMap;

use rbxcore::{Kind, Value, classes};

use super::table::{self, Month};
use crate::errors::Budget;
use crate::paths::Paths;
use crate::view::View as _;
use crate::which::type_of;
use crate::{Dom, Result};

/// The oldest client that knows a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Oldest {
    /// Its month. [`Month::OLDEST`] means that month or before.
    pub month: Month,
    /// What decides: the things in the document that came in that month, each with its first case; at most three.
    pub decides: Vec<Decides>,
    /// The classes and properties that no table knows, with their first cases.
    pub unknown: Vec<Decides>,
}

/// Something that older clients do not know.
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

/// Properties that only Studio uses, so that a client without them loses nothing.
const WITHOUT_EFFECT: [&str; 6] =
    ["Capabilities", "DefinesCapabilities", "HistoryId", "ScriptGuid", "SourceAssetId", "UniqueId"];

/// The oldest client that knows all classes, properties, types and enum items of a document. A property that has the default
/// of its class does not count, and services without children do not, since Studio stores both in every place.
///
/// # Errors
/// If the paths take more memory than is allowed.
pub fn oldest(document: &dyn Dom, max_bytes: u64) -> Result<Oldest> {
    let (mut paths, mut budget) = (Paths::new(document), Budget::new(max_bytes));
    let mut months: HashMap<String, Option<Month>> = HashMap::new();
    let (mut decides, mut unknown) = (Vec::new(), Vec::new());
    for id in document.all() {
        let class = document.class_of(id).into_owned();
        if document.is_service(id) && document.children(id).next().is_none() && document.parent(id).is_none()
        {
            continue;
        }
        let mut found = Vec::new();
        let class_first = table::class_span(&class).map(|span| span.first.unwrap_or(Month::OLDEST));
        found.push((class.clone(), class_first));
        for (name, value) in document.values(id) {
            if WITHOUT_EFFECT.contains(&&*name)
                || crate::attribute_refs::key_of(&name).is_some()
                || is_default(&class, &name, &value)
            {
                continue;
            }
            let what = format!("{class}.{name}");
            let first = match months.get(&what) {
                Some(known) => *known,
                None => {
                    // The class is dropped with all of it, or known.
                    let first = table::first(&class, &name).max(class_first);
                    *months.entry(what.clone()).or_insert(first)
                }
            };
            // The class decides already.
            if first != class_first || class_first == Some(Month::OLDEST) {
                found.push((what, first));
            }
            if let Some(kind) = type_of(&value).and_then(rbxbinary::TypeId::kind)
                && let Some(since) = table::kind_since(kind)
            {
                found.push((format!("the type {kind}"), Some(since)));
            }
            if let Value::Enum(item) = value {
                found.extend(item_first(&class, &name, item));
            }
        }
        for (what, first) in found {
            let is_new = first.is_none_or(|first| first > Month::OLDEST);
            if !is_new || months.contains_key(&format!("={what}")) {
                continue;
            }
            months.insert(format!("={what}"), first);
            let path = paths.of(id, &mut budget)?;
            match first {
                Some(month) => decides.push(Decides { month, what, path }),
                None => unknown.push(Decides { month: Month::LAST, what, path }),
            }
        }
    }
    decides.sort_by_key(|of: &Decides| std::cmp::Reverse(of.month));
    let month = decides.first().map_or(Month::OLDEST, |first| first.month);
    decides.retain(|of| of.month == month);
    decides.truncate(NAMED);
    unknown.truncate(NAMED);
    Ok(Oldest { month, decides, unknown })
}

/// Whether a value is the default of its property, or says nothing.
fn is_default(class: &str, name: &str, value: &Value) -> bool {
    let kind = type_of(value).and_then(rbxbinary::TypeId::kind).unwrap_or(Kind::String);
    classes::default_of(class, name, kind).is_some_and(|default| default == *value)
        || value.as_bytes().is_some_and(<[u8]>::is_empty)
        || matches!(value, Value::Ref(None))
}

/// The item of an enum, and when it came.
fn item_first(class: &str, name: &str, item: u32) -> Option<(String, Option<Month>)> {
    let of = table::rows(class, name).find_map(|row| table::enum_of(name, row.of))?;
    let first = table::item_span(of, item)?.first?;
    let item_name = classes::enum_named(of).and_then(|of| of.item_name(item));
    let item_name = item_name.map_or_else(|| item.to_string(), ToOwned::to_owned);
    Some((format!("Enum.{of}.{item_name}"), Some(first)))
}
