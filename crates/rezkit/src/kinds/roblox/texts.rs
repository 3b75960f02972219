//! The scripts of a document, the replacement of texts, and the adaptation of texts to XML.

use rbxdocument::view::View as _;
use std::collections::HashMap;

use rbxcore::{Content, SharedBytes, Value};
use rezkit_core::{Budget, Error, ErrorKind, Result};

use super::{ATTRIBUTES, Paths};
use crate::blobs::{Attribute, Attributes, Tags};
use crate::options::ReadOptions;
use crate::scripts::Script;
use rbxcore::Dom;
use rbxdocument::lists::Tagged;

pub(super) fn is_script(class: &str) -> bool {
    matches!(class, "Script" | "LocalScript" | "ModuleScript" | "AuroraScript")
}

/// Every script with its source.
///
/// # Errors
/// If the sources take more than a read may allocate: many scripts can share a source.
pub(in super::super) fn scripts(document: &dyn Dom, options: &ReadOptions) -> Result<Vec<Script>> {
    let (mut budget, mut paths) = (Budget::new(options.max_bytes), Paths::new(document));
    let mut scripts = Vec::new();
    for id in document.all() {
        let class = document.class_of(id);
        if !is_script(&class) {
            continue;
        }
        let value = document.value(id, "Source");
        let Some(source) = value.as_ref().and_then(Value::as_bytes) else { continue };
        let path = paths.of(id, &mut budget)?;
        // A growing list is copied into one of twice the size, so each entry counts three times.
        let cost = source.len() + class.len() + 3 * size_of::<Script>() + 64;
        budget.take(cost as u64, "the sources of the scripts")?;
        scripts.push(Script { path, class: class.into_owned(), source: source.to_vec() });
    }
    Ok(scripts)
}

/// Replaces texts; returns the number of changed values.
///
/// # Errors
/// If a value cannot be put into the document.
pub(in super::super) fn replace(
    document: &mut dyn Dom,
    replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<usize> {
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

/// Changes tags as in a list separated by commas: `A, B` replaces all tags; `+A` and `-B` add and remove single tags.
///
/// # Errors
/// If only some entries begin with a sign.
pub(super) fn change_tags(text: &str, tags: &mut Tagged) -> Result<()> {
    // The list in quotes that the tree shows, also as JSON.
    let list = if text.starts_with('[') { text.to_owned() } else { format!("[{text}]") };
    if text.starts_with(['"', '['])
        && let Ok(names) = serde_json::from_slice::<Vec<String>>(list.as_bytes())
    {
        *tags = Tagged::new(Tags(names.into_iter().map(Into::into).collect()));
        return Ok(());
    }
    let names: Vec<&str> = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let signed = names.iter().filter(|name| name.starts_with(['+', '-'])).count();
    if signed == 0 {
        *tags = Tagged::default();
    } else if signed < names.len() {
        let expected = "expected either all tags, such as A,B, or only changes, such as +A,-B";
        return Err(Error::argument(format!("{expected}; found {text:?}")));
    }
    for name in names {
        let plain = name.strip_prefix(['+', '-']).filter(|_| signed > 0).unwrap_or(name);
        if plain.is_empty() {
            return Err(Error::argument(format!("expected a tag after {name}")));
        }
        match signed > 0 && name.starts_with('-') {
            true => tags.remove(plain),
            false => tags.add(plain),
        }
    }
    Ok(())
}

/// An error of one of the crates about an edit.
pub(in super::super) fn edit_error(error: ::rbxbinary::Error) -> Error {
    Error::new(ErrorKind::Argument, error.kind().to_string()).at(error.path())
}
