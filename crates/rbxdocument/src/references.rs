//! Form with everything below them as separate documents.

use std::collections::{HashMap, HashSet};

use rbxcore::{Content, Dom, InstanceId, Value};

use crate::attribute_refs;
use crate::convert;
use crate::paths::Paths;
use crate::view::{ATTRIBUTES, Sort, View as _};
use geom::wire::{Budget, Loss, Result};

/// Losses for the unknown parts of an instance and its descendants, or of the whole document, which are not copied.
///
/// # Errors
/// If the list takes more memory than is left.
pub fn not_copied(document: &dyn Dom, top: Option<InstanceId>, budget: &mut Budget) -> Result<Vec<Loss>> {
    let inside = top.map(|top| inside(document, top));
    let is_inside = |id: Option<InstanceId>| {
        inside.as_ref().is_none_or(|inside| id.is_some_and(|id| inside.contains(&id)))
    };
    convert::unknown(document, &is_inside, |what| format!("the unknown {what} is not copied"), budget)
}

/// An instance and its descendants.
fn inside(document: &dyn Dom, top: InstanceId) -> HashSet<InstanceId> {
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
pub fn leads_out(document: &dyn Dom, id: InstanceId, budget: &mut Budget) -> Result<Vec<Loss>> {
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
                budget.lose(&mut losses, Loss::new(path, what).id("roblox.null-reference"))?;
            }
        }
    }
    Ok(losses)
}

/// The references of an instance: its properties, its attributes, and those in arrays and tables of attributes.
pub fn references_of(document: &dyn Dom, id: InstanceId) -> impl Iterator<Item = (String, Value)> {
    let wanted = |name: &[u8], sort| sort == Sort::Reference || name == ATTRIBUTES.as_bytes();
    let nested = attribute_refs::nested(document, id).into_iter();
    let nested = nested.map(|(key, to)| (format!("{ATTRIBUTES}.{key}"), Value::Ref(to)));
    document.some(id, &wanted).into_iter().chain(nested)
}

/// A reference like another one, to an instance.
pub fn refers(like: &Value, id: InstanceId) -> Value {
    match like {
        Value::Content(_) => Value::Content(Content::Object(Some(id))),
        _ => Value::Ref(Some(id)),
    }
}

/// The references of all instances: the instance, the property, and the instance that it refers to.
pub fn references(document: &dyn Dom, budget: &mut Budget) -> Result<Vec<(InstanceId, String, InstanceId)>> {
    let mut references = Vec::new();
    for id in document.all() {
        for (property, value) in references_of(document, id) {
            let Some(to) = value.as_instance() else { continue };
            let bytes = size_of::<[(InstanceId, String, InstanceId); 2]>() + property.len();
            budget.charge(bytes as u64, "the references between instances")?;
            references.push((id, property, to));
        }
    }
    Ok(references)
}

/// Sets attributes in the copy of an instance and its descendants; they are given by the instances of the original.
pub fn put_attributes(
    copy: &mut dyn Dom,
    (original, id): (&dyn Dom, InstanceId),
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
pub fn other_metadata(model: &dyn Dom, document: &dyn Dom) -> Vec<Loss> {
    let own = document.meta();
    // Studio writes this entry into every model.
    let is_usual = |(key, value): &(String, Vec<u8>)| key == "ExplicitAutoJoints" && value == b"true";
    let others = model.meta().into_iter().filter(|entry| !own.contains(entry) && !is_usual(entry));
    let what = "the metadata of the model, since the document keeps its own";
    others.map(|(key, _)| Loss::new(format!("metadata.{key}"), what).id("roblox.model-metadata")).collect()
}
