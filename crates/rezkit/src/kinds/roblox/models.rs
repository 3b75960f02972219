//! Form with everything below them as separate documents.

use std::any::Any;
use std::collections::{HashMap, HashSet};

use rbxcore::{Content, InstanceId, Value};
use rezkit_core::{Budget, Error, Loss, Result};

use super::paths::Paths;
use super::{ATTRIBUTES, Form, Sort, attribute_refs, convert};
use crate::options::{ConvertOptions, Fill, WriteOptions};

/// A document as the bytes of a model, in the form of an extension, and the losses.
pub(in super::super) fn model(
    document: &dyn Form,
    extension: &str,
    allow_loss: bool,
) -> Result<(Vec<u8>, Vec<Loss>)> {
    let format = match extension {
        "rbxm" | "rbxl" => "rbxbinary",
        "rbxmx" | "rbxlx" => "rbxxml",
        _ => {
            let found = if extension.is_empty() { "none".to_owned() } else { format!(".{extension}") };
            return Err(Error::argument(format!("expected the extension .rbxm or .rbxmx, found {found}")));
        }
    };
    if document.form_kind().format == format {
        return Ok((document.to_bytes(&WriteOptions::new())?, Vec::new()));
    }
    let options = ConvertOptions::new().allow_loss(true).fill(Fill::Defaults);
    let same: &dyn Any = document;
    if let Some(binary) = same.downcast_ref() {
        // Texts that XML cannot represent are changed only if losses are allowed.
        convert::texts_of(binary, allow_loss, &mut Budget::new(options.max_bytes))?;
    }
    let converted = document.other_form(format, &options);
    let converted = converted.unwrap_or_else(|| Err(Error::argument("no such form")))?;
    Ok((converted.asset.write(&WriteOptions::new())?, converted.losses))
}

/// Losses for the unknown parts of an instance and its descendants, or of the whole document, which are not copied.
///
/// # Errors
/// If the list takes more memory than is left.
pub(in super::super) fn not_copied(
    document: &dyn Form,
    top: Option<InstanceId>,
    budget: &mut Budget,
) -> Result<Vec<Loss>> {
    let inside = top.map(|top| inside(document, top));
    let is_inside = |id: Option<InstanceId>| {
        inside.as_ref().is_none_or(|inside| id.is_some_and(|id| inside.contains(&id)))
    };
    convert::unknown(document, &is_inside, |what| format!("the unknown {what} is not copied"), budget)
}

/// An instance and its descendants.
fn inside(document: &dyn Form, top: InstanceId) -> HashSet<InstanceId> {
    let (mut inside, mut waiting) = (HashSet::new(), vec![top]);
    while let Some(id) = waiting.pop() {
        waiting.extend(document.below(id));
        inside.insert(id);
    }
    inside
}

/// Losses for references from an instance and its descendants to other instances: they are null in a model of it.
///
/// # Errors
/// If the paths take more than `max_bytes`.
pub(super) fn leads_out(document: &dyn Form, id: InstanceId, budget: &mut Budget) -> Result<Vec<Loss>> {
    let inside = inside(document, id);
    let mut paths = Paths::new(document);
    let mut losses = Vec::new();
    for id in document.all().into_iter().filter(|id| inside.contains(id)) {
        for (property, value) in references_of(document, id) {
            let Some(to) = value.as_instance() else { continue };
            if !inside.contains(&to) {
                let path = format!("{}.{property}", paths.of(id, budget)?);
                let what = format!(
                    "a reference to {}, which is not in the model; replaced by null",
                    paths.of(to, budget)?
                );
                budget.lose(&mut losses, Loss::new(path, what))?;
            }
        }
    }
    Ok(losses)
}

/// The references of an instance: its properties, its attributes, and those in arrays and tables of attributes.
pub(super) fn references_of(document: &dyn Form, id: InstanceId) -> impl Iterator<Item = (String, Value)> {
    let wanted = |name: &[u8], sort| sort == Sort::Reference || name == ATTRIBUTES.as_bytes();
    let nested = attribute_refs::nested(document.dom(), id).into_iter();
    let nested = nested.map(|(key, to)| (format!("{ATTRIBUTES}.{key}"), Value::Ref(to)));
    document.some(id, &wanted).into_iter().chain(nested)
}

/// A reference like another one, to an instance.
pub(super) fn refers(like: &Value, id: InstanceId) -> Value {
    match like {
        Value::Content(_) => Value::Content(Content::Object(Some(id))),
        _ => Value::Ref(Some(id)),
    }
}

/// The references of all instances: the instance, the property, and the instance that it refers to.
pub(super) fn references(
    document: &dyn Form,
    budget: &mut Budget,
) -> Result<Vec<(InstanceId, String, InstanceId)>> {
    let mut references = Vec::new();
    for id in document.all() {
        for (property, value) in references_of(document, id) {
            let Some(to) = value.as_instance() else { continue };
            let bytes = size_of::<[(InstanceId, String, InstanceId); 2]>() + property.len();
            budget.take(bytes as u64, "the references between instances")?;
            references.push((id, property, to));
        }
    }
    Ok(references)
}

/// Sets attributes in the copy of an instance and its descendants; they are given by the instances of the original.
pub(in super::super) fn put_attributes(
    copy: &mut dyn Form,
    (original, id): (&dyn Form, InstanceId),
    attributes: &HashMap<InstanceId, Vec<u8>>,
) -> Result<()> {
    if attributes.is_empty() {
        return Ok(());
    }
    let mut waiting: Vec<_> = copy.top().into_iter().map(|top| (id, top)).collect();
    while let Some((old, new)) = waiting.pop() {
        if let Some(bytes) = attributes.get(&old) {
            if copy.value(new, ATTRIBUTES).is_none() {
                copy.store(new, ATTRIBUTES, Value::String("".into()))?;
            }
            copy.put(new, ATTRIBUTES, Value::from(bytes.clone()))?;
        }
        waiting.extend(original.below(old).into_iter().zip(copy.below(new)));
    }
    Ok(())
}

/// The losses of a model's metadata that the document into which it is inserted lacks, or has with another value.
pub(in super::super) fn other_metadata(model: &dyn Form, document: &dyn Form) -> Vec<Loss> {
    let own = document.meta();
    // Studio writes this entry into every model.
    let is_usual = |(key, value): &(String, Vec<u8>)| key == "ExplicitAutoJoints" && value == b"true";
    let others = model.meta().into_iter().filter(|entry| !own.contains(entry) && !is_usual(entry));
    let what = "the metadata of the model, since the document keeps its own";
    others.map(|(key, _)| Loss::new(format!("metadata.{key}"), what)).collect()
}
