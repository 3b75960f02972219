//! Copies between documents of either form.

use std::collections::HashMap;

use rbxcore::{Dom, InstanceId};

use crate::convert::ConvertOptions;
pub use crate::graft::Done;
use crate::graft::{graft, model};
use crate::references::{leads_out, not_copied};
use geom::wire::{Budget, Result};

/// Inserts everything from another document, binary or XML, below a parent; `None` is the root. What the form of the document
/// cannot represent is an error, or dropped and listed if the options allow it. References to other instances of the model
/// refer to their copies, and a `UniqueId` that exists already is replaced.
///
/// ```
/// use rbxdocument::convert::ConvertOptions;
/// use rbxdocument::{NewInstance, state};
///
/// let (mut place, mut model) = (rbxxml::Document::new(), rbxbinary::Document::new());
/// model.insert(None, NewInstance::new("Folder").property("Name", "Doors"))?;
/// let done = state::insert(&mut place, None, &model, &ConvertOptions::new())?;
/// assert_eq!(place.label(done.roots[0]), "Doors");
/// # Ok::<(), rbxdocument::Error>(())
/// ```
///
/// # Errors
/// If a value cannot be stored, or the copy takes more memory than the options allow.
pub fn insert(
    document: &mut dyn Dom,
    parent: Option<InstanceId>,
    model: &dyn Dom,
    options: &ConvertOptions,
) -> Result<Done> {
    graft(document, parent, model, options.allow_loss, &mut Budget::new(options.max_bytes))
}

/// Copies an instance of another document, binary or XML, with its descendants, as [`insert`] does with all. References to
/// instances that are not copied become null, and are listed.
///
/// # Errors
/// As [`insert`], and if the instance does not exist.
pub fn copy_from(
    document: &mut dyn Dom,
    parent: Option<InstanceId>,
    source: &dyn Dom,
    id: InstanceId,
    options: &ConvertOptions,
) -> Result<Done> {
    let (copy, mut losses) = model(source, id, &HashMap::new(), options.allow_loss)?;
    let budget = &mut Budget::new(options.max_bytes);
    losses.extend(not_copied(source, Some(id), budget)?);
    losses.extend(leads_out(source, id, budget)?);
    let mut done = graft(document, parent, &*copy, options.allow_loss, budget)?;
    losses.append(&mut done.losses);
    Ok(Done { losses, ..done })
}
