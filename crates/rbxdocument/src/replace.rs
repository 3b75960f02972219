//! Replaces texts in all properties and attributes.

use std::collections::HashMap;

use rbxblobs::{Attribute, Attributes};
use rbxcore::{Content, Dom, SharedBytes, Value};

use crate::view::View as _;
use crate::which::ATTRIBUTES;
use geom::wire::Result;

/// Replaces texts: those for which `replace` returns a new one. Returns the number of changed values.
///
/// # Errors
/// If a value cannot be put into the document.
pub fn replace_texts(document: &mut dyn Dom, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Result<usize> {
    // Many instances can share a long string, which is replaced only once. The key is its address; the old string is
    // kept, so that nothing else gets this address.
    let mut shared: HashMap<*const u8, (SharedBytes, Option<SharedBytes>)> = HashMap::new();
    let mut count = 0;
    for id in document.all() {
        let mut changes = Vec::new();
        for (property, value) in document.values(id) {
            let is_text = !is_blob(&property) && !matches!(value, Value::Bytecode(_));
            if let Value::Font(font) = &value {
                let [family, face] = [&font.family, &font.cached_face_id].map(|text| replace(text));
                if family.is_some() || face.is_some() {
                    let mut font = font.clone();
                    family.into_iter().for_each(|new| font.family = new.into());
                    face.into_iter().for_each(|new| font.cached_face_id = new.into());
                    changes.push((property, Value::Font(font)));
                }
                continue;
            }
            if property == ATTRIBUTES {
                let blob = value.as_bytes().unwrap_or_default();
                let new = rbxblobs::from_slice(blob).ok().and_then(|all| in_attributes(all, replace));
                if let Some(new) = new {
                    changes.push((property, Value::from(new.to_vec()?)));
                }
                continue;
            }
            let Some(text) = value.as_bytes().filter(|_| is_text) else { continue };
            let new = match &value {
                Value::SharedString(old) => {
                    let make = || (old.clone(), replace(old).map(SharedBytes::from));
                    let (_, new) = shared.entry(old.as_ptr()).or_insert_with(make);
                    new.clone().map(Value::SharedString)
                }
                Value::Content(_) => replace(text).map(|new| Value::Content(Content::Uri(new.into()))),
                _ => replace(text).map(Value::from),
            };
            changes.extend(new.map(|new| (property, new)));
        }
        count += changes.len();
        for (property, new) in changes {
            document.put(id, &property, new)?;
        }
    }
    Ok(count)
}

/// Attributes with replaced texts; `None` if nothing changes.
fn in_attributes(mut all: Attributes, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Option<Attributes> {
    let (mut waiting, mut is_changed): (Vec<_>, _) =
        (all.0.iter_mut().map(|(_, value)| value).collect(), false);
    while let Some(value) = waiting.pop() {
        match value {
            Attribute::Value(Value::String(text)) => {
                if let Some(new) = replace(text) {
                    *text = new.into();
                    is_changed = true;
                }
            }
            Attribute::Value(Value::Font(font)) => {
                for text in [&mut font.family, &mut font.cached_face_id] {
                    if let Some(new) = replace(text) {
                        *text = new.into();
                        is_changed = true;
                    }
                }
            }
            Attribute::Array(values) => waiting.extend(values),
            Attribute::Table(values) => waiting.extend(values.iter_mut().map(|(_, value)| value)),
            _ => {}
        }
    }
    is_changed.then_some(all)
}

/// Whether a property is binary data that contains lengths, in which texts cannot be replaced.
fn is_blob(property: &str) -> bool {
    property.ends_with("Serialize") || property.ends_with("Data") || property.ends_with("Grid")
}
