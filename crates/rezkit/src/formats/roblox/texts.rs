//! Scripts, and texts that are replaced.

use std::collections::HashMap;

use ::rbxbinary::{Content, SharedBytes, Value};
use rezkit_core::{Budget, Result};

use super::{Any, Instances, Paths, is_script};
use crate::options::ReadOptions;
use crate::scripts::Script;

/// Every script with its source.
///
/// # Errors
/// Where a source that many scripts share takes more than a read may allocate.
pub(in super::super) fn scripts(document: &impl Instances, options: &ReadOptions) -> Result<Vec<Script>> {
    let (mut budget, mut paths) = (Budget::new(options.max_bytes), Paths::new(document));
    let mut scripts = Vec::new();
    for id in document.all() {
        let class = document.class_of(id);
        if !is_script(&class) {
            continue;
        }
        let value = document.value(id, "Source");
        let Some(source) = value.as_ref().and_then(Any::bytes) else { continue };
        let path = paths.of(id, &mut budget)?;
        budget.take(source.len() as u64, "the sources of the scripts")?;
        scripts.push(Script { path, class: class.into_owned(), source: source.to_vec() });
    }
    Ok(scripts)
}

/// Replaces texts; how many values changed.
///
/// # Errors
/// Where a value cannot be put into the document.
pub(in super::super) fn replace(
    document: &mut impl Instances,
    replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<usize> {
    // Many instances can share a long string, which is searched and made anew once: by the one that it was, which is kept.
    let mut shared: HashMap<*const u8, (SharedBytes, Option<SharedBytes>)> = HashMap::new();
    let mut count = 0;
    for id in document.all() {
        let mut changes = Vec::new();
        for (property, value) in document.values(id) {
            let Some(text) = value.bytes().filter(|_| !is_blob(&property)) else { continue };
            let new = match &value {
                Any::Value(Value::SharedString(old)) => {
                    let make = || (old.clone(), replace(old).map(SharedBytes::from));
                    let (_, new) = shared.entry(old.as_ptr()).or_insert_with(make);
                    new.clone().map(Value::SharedString)
                }
                Any::Value(Value::Content(_)) => {
                    replace(text).map(|new| Value::Content(Content::Uri(new.into())))
                }
                _ => replace(text).map(Value::from),
            };
            changes.extend(new.map(|new| (property, new)));
        }
        count += changes.len();
        for (property, new) in changes {
            document.put(id, &property, Any::Value(new))?;
        }
    }
    Ok(count)
}

/// Whether a property has bytes with lengths in them, in which a text cannot be replaced by another.
fn is_blob(property: &str) -> bool {
    property.ends_with("Serialize") || property.ends_with("Data") || property.ends_with("Grid")
}
