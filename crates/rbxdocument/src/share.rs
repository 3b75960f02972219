//! Stores once what several instances store: the bytes of properties that a shared string replaced.

use std::collections::{HashMap, HashSet};

use rbxcore::{InstanceId, Value, ValueRef, classes};

use crate::errors::Budget;
use crate::view::View as _;
use crate::{Dom, Result};

/// Properties that store bytes in each instance, the shared strings that replaced them, and the class that has both.
const SHARED: [(&str, &str, &str); 3] = [
    ("PartOperation", "ChildData", "ChildData2"),
    ("PartOperation", "MeshData", "MeshData2"),
    ("TriangleMeshPart", "PhysicsData", "PhysicalConfigData"),
];

/// What sharing changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shared {
    /// The number of values that are shared strings now.
    pub values: usize,
    /// The bytes that the document no longer stores, before compression.
    pub saved: u64,
}

/// The shared string that replaced a property of a class.
pub(crate) fn shared_name(class: &str, property: &str) -> Option<&'static str> {
    let row = SHARED.iter().find(|(base, old, _)| *old == property && classes::is_a(class, base));
    row.map(|(.., new)| *new)
}

/// A value to share.
struct Found<'a> {
    id: InstanceId,
    class: String,
    old: &'static str,
    new: &'static str,
    bytes: &'a [u8],
}

/// Moves bytes that several instances store alike into the shared strings that replaced their properties, as Studio does
/// when it saves a place. What only one instance stores stays where it is.
///
/// # Errors
/// If the result takes more memory than the budget has left.
pub fn share(document: &mut dyn Dom, budget: &mut Budget) -> Result<Shared> {
    let (mut counts, mut found): (HashMap<&[u8], usize>, Vec<Found<'_>>) = Default::default();
    for id in document.instances() {
        let class = document.class(id).unwrap_or_default().to_string();
        for (base, old, new) in SHARED {
            let Some(bytes) = own_bytes(&*document, id, old).filter(|_| classes::is_a(&class, base)) else {
                continue;
            };
            budget.charge(200, "the shared strings")?;
            *counts.entry(bytes).or_default() += 1;
            found.push(Found { id, class: class.clone(), old, new, bytes });
        }
    }
    let has_new = |of: &Found<'_>| {
        let new = document.value_ref(of.id, of.new.as_bytes());
        new.and_then(|new| new.as_bytes().map(<[u8]>::len)).is_some_and(|len| len > 0)
    };
    found.retain(|of| counts[of.bytes] > 1 && !has_new(of));
    let (mut shared, mut strings, mut wanted) = (Shared::default(), HashMap::new(), Vec::new());
    for Found { id, class, old, new, bytes } in found {
        shared.values += 1;
        if strings.contains_key(bytes) {
            shared.saved += bytes.len() as u64;
        } else {
            budget.charge(bytes.len() as u64, "the shared strings")?;
            strings.insert(bytes, Value::SharedString(bytes.into()));
        }
        wanted.push((id, class, old, new, strings[bytes].clone()));
    }
    let mut classes_with: HashSet<(String, &str)> = HashSet::new();
    for (id, class, old, new, value) in wanted {
        let lacks = document.has_columns() && document.value_ref(id, new.as_bytes()).is_none();
        if lacks && classes_with.insert((class.clone(), new)) {
            document.add_property(&class, new, Value::SharedString(b"".as_slice().into()))?;
        }
        document.set_value(id, new.as_bytes(), value)?;
        let empty = match document.value_ref(id, old.as_bytes()) {
            Some(ValueRef::BinaryString(_)) => Value::BinaryString("".into()),
            _ => Value::String("".into()),
        };
        document.set_value(id, old.as_bytes(), empty)?;
    }
    Ok(shared)
}

/// The bytes that an instance stores itself.
fn own_bytes<'a>(document: &'a dyn Dom, id: InstanceId, property: &str) -> Option<&'a [u8]> {
    let value = document.value_ref(id, property.as_bytes())?;
    let is_shared = matches!(value, ValueRef::SharedString(_) | ValueRef::NetAssetRef(_));
    value.as_bytes().filter(|bytes| !is_shared && !bytes.is_empty())
}
