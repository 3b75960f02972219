//! What instances are like: hashes of their values, equal for two saves that store the same in different ways.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use bstr::{BStr, BString};
use rbxcore::classes::{self, Property, Turn};
use rbxcore::{Dom, InstanceId, ValueRef};

use crate::view::{View as _, has_references};
use crate::which::ATTRIBUTES;

/// Whether a property says which instance it is, not what it is like.
pub(super) fn is_identity(property: &str) -> bool {
    matches!(property, "UniqueId" | "HistoryId" | "ScriptGuid" | "SourceAssetId")
}

/// The hashes of an instance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hashes {
    /// Its class and values, without the name, identities, references and defaults.
    pub(crate) unnamed: u64,
    /// The same with the name.
    pub(crate) own: u64,
    /// The same with everything below it.
    pub(crate) whole: u64,
}

/// How a property of a class counts.
struct Row {
    name: u64,
    default: Option<u64>,
    /// The properties that have replaced it: the conversion, and how they count.
    newer: Vec<(Turn, u64, Option<u64>)>,
}

/// Hashes of instances; what the class table says of each property is looked up once.
#[derive(Default)]
pub(crate) struct Contents {
    rows: HashMap<BString, HashMap<BString, Row>>,
}

impl Contents {
    /// The hashes of instances of which each comes before its children. Children that are not listed do not count.
    pub(crate) fn of(&mut self, document: &dyn Dom, ids: &[InstanceId]) -> HashMap<InstanceId, Hashes> {
        let mut all: HashMap<InstanceId, Hashes> = HashMap::with_capacity(ids.len());
        for &id in ids.iter().rev() {
            let unnamed = self.unnamed(document, id);
            let own = hash(&(document.name_of(id), unnamed));
            let mut whole = DefaultHasher::new();
            own.hash(&mut whole);
            for child in document.children(id) {
                all.get(&child).map(|hashes| hashes.whole).hash(&mut whole);
            }
            all.insert(id, Hashes { unnamed, own, whole: whole.finish() });
        }
        all
    }

    fn unnamed(&mut self, document: &dyn Dom, id: InstanceId) -> u64 {
        let class: &BStr = document.class(id).unwrap_or_default();
        if !self.rows.contains_key(class) {
            self.rows.insert(class.to_owned(), HashMap::new());
        }
        let Some(rows) = self.rows.get_mut(class) else { return 0 };
        // In any order.
        let mut all = 0_u64;
        for (name, value) in document.value_refs(id) {
            let text = std::str::from_utf8(name).unwrap_or_default();
            if text == "Name"
                || is_identity(text)
                || value.as_instance().is_some()
                || matches!(value, ValueRef::Ref(_))
                || text == ATTRIBUTES && has_references(&value)
                || value.as_bytes().is_some_and(<[u8]>::is_empty)
            {
                continue;
            }
            if !rows.contains_key(name) {
                rows.insert(name.to_owned(), row(class, name));
            }
            let Some(row) = rows.get(name) else { continue };
            let mut count = |name: u64, default: Option<u64>, value: u64| {
                if default != Some(value) {
                    all = all.wrapping_add(hash(&(name, value)));
                }
            };
            if row.newer.is_empty() {
                count(row.name, row.default, value_hash(&value));
            } else if document.newer(id, name).is_empty() {
                for &(turn, name, default) in &row.newer {
                    if let Some(value) = turn(value) {
                        count(name, default, value_hash(&value.as_ref()));
                    }
                }
            }
        }
        hash(&(class, all))
    }
}

/// A hash of an instance and everything below it: of names, classes, values and order, not of references, identities and
/// defaults. Hashes of different versions of this crate cannot be compared.
pub fn content_of(document: &dyn Dom, id: InstanceId) -> u64 {
    let all: Vec<InstanceId> = std::iter::once(id).chain(document.descendants(id)).collect();
    Contents::default().of(document, &all).get(&id).map_or(0, |hashes| hashes.whole)
}

fn hash(of: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

fn row(class: &BStr, name: &BStr) -> Row {
    let known = classes::class(class).and_then(|class| Some((class, class.property(name)?)));
    let Some((class, property)) = known else {
        return Row { name: hash(&name), default: None, newer: Vec::new() };
    };
    let of = |property: Property| (hash(&BStr::new(property.name())), default(property));
    let newer = property.replaced_by().filter_map(|newer| {
        let newer = class.property(newer)?;
        let (name, default) = of(newer);
        Some((classes::turn(property.kind(), newer.kind())?, name, default))
    });
    let ((name, default), newer) = (of(property), newer.collect());
    Row { name, default, newer }
}

fn default(property: Property) -> Option<u64> {
    Some(value_hash(&property.default()?.as_ref()))
}

/// The hash of a value; the same for a number in the types that both forms use for it.
fn value_hash(value: &ValueRef<'_>) -> u64 {
    match value {
        ValueRef::Bool(value) => hash(value),
        ValueRef::Int32(value) => hash(&i64::from(*value)),
        ValueRef::BrickColor(value) => hash(&i64::from(value.0)),
        ValueRef::Int64(value) => hash(value),
        ValueRef::Enum(value) => hash(&i64::from(*value)),
        value => match (value.floats(), value.as_bytes()) {
            (Some(floats), _) => floats.iter().fold(0, |before, of| hash(&(before, of.to_bits()))),
            (None, Some(bytes)) => hash(&bytes),
            (None, None) => hash(&format!("{value:?}")),
        },
    }
}
