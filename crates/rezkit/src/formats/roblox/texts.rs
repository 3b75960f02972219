//! Scripts, and texts that are replaced.

use ::rbxbinary::Value;
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
/// Where shared strings are looked at, and made anew, for more instances than a file may ask for; nothing is changed then.
pub(in super::super) fn replace(
    document: &mut impl Instances,
    replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<usize> {
    let mut budget = Budget::new(u64::MAX);
    for id in document.all() {
        for (_, value) in document.values(id) {
            if let Any::Shared(text) = value {
                // It is searched, copied, and its hash is made.
                budget.work(8 * text.len() as u64, "replacing texts in shared strings")?;
            }
        }
    }
    let mut count = 0;
    for id in document.all() {
        let mut changes = Vec::new();
        for (property, value) in document.values(id) {
            let Some(text) = value.bytes().filter(|_| !is_blob(&property)) else { continue };
            if let Some(new) = replace(text) {
                let new = match value {
                    Any::Value(Value::Content(_)) => Value::Content(::rbxbinary::Content::Uri(new.into())),
                    Any::Shared(_) => Value::SharedString(new.into()),
                    _ => Value::from(new),
                };
                changes.push((property, new));
            }
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
