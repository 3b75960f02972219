//! The instances of models that a plan copies.

use rbxdocument::view::View as _;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use geom::wire::{Budget, Error, Loss, Result};
use rbxcore::{Dom, EditOptions, InstanceId, Value};

use crate::model::without_links;
use crate::wants::Wants;
use rbxdocument::AnyDocument;
use rbxdocument::convert::{self, ConvertOptions, Fill};
use rbxdocument::graft;
use rbxdocument::references::{leads_out, not_copied};
use rbxdocument::which::ATTRIBUTES;

/// The instances of models that are copied, in a document of their own of the same form.
#[derive(Default)]
pub(crate) struct Copies {
    pub(crate) prepared: Option<Box<dyn Dom>>,
    /// Their topmost instances there, by the wanted ones.
    pub(crate) tops: HashMap<usize, InstanceId>,
    pub(crate) losses: Vec<Loss>,
}

/// Collects the instances of models that are copied, as the document stores them.
///
/// # Errors
/// If a model cannot be converted, with its file, or the budget does not suffice.
pub(crate) fn copies(
    document: &dyn Dom,
    wants: &Wants<'_>,
    tops: &[usize],
    max_bytes: u64,
    budget: &mut Budget,
) -> Result<Copies> {
    let mut copies = Copies::default();
    if tops.is_empty() {
        return Ok(copies);
    }
    let is_binary = document.has_columns();
    let mut collected = document.empty();
    let mut converted: HashMap<usize, (AnyDocument, HashMap<InstanceId, InstanceId>)> = HashMap::new();
    let to = ConvertOptions::new().fill(Fill::Defaults).allow_loss(true).max_bytes(max_bytes);
    for &want in tops {
        let file = wants.file(want);
        let of_file = |loss: Loss| loss.below(|path| format!("{file}: {path}"));
        let at = |error: Error| error.below(|path| format!("{file}: {path}"));
        let Some((model, id)) = wants.all[want].model else { continue };
        let form = wants.models[model].form();
        copies.losses.extend(not_copied(form, Some(id), budget)?.into_iter().map(of_file));
        // Other references are set afterwards.
        let nested = format!(".{ATTRIBUTES}.");
        let left = leads_out(form, id, budget)?.into_iter().filter(|loss| loss.path.contains(&nested));
        copies.losses.extend(left.map(of_file));
        let (source, id): (&dyn Dom, InstanceId) = match form.has_columns() == is_binary {
            true => (form, id),
            false => {
                let (made, same) = match converted.entry(model) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        let (made, losses) = in_other_form(form, &to).map_err(at)?;
                        copies.losses.extend(losses.into_iter().map(of_file));
                        let same = form.all().into_iter().zip(made.all()).collect();
                        entry.insert((made, same))
                    }
                };
                let id = same.get(&id).copied();
                (&**made, id.ok_or_else(|| at(Error::argument("the model was not converted")))?)
            }
        };
        let copy = EditOptions::defaults().keep_unique_ids(true);
        let copied = copy.copy_from(&mut *collected, None, source, id);
        let top = copied.map_err(at)?.instances.first().copied();
        copies.tops.extend(top.map(|top| (want, top)));
    }
    for id in collected.all() {
        unlink(&mut *collected, id)?;
    }
    let (changed, losses) = graft::prepared(&*collected, document, true, budget)?;
    copies.losses.extend(losses);
    if let Some(changed) = &changed {
        let same: HashMap<InstanceId, InstanceId> = collected.all().into_iter().zip(changed.all()).collect();
        copies.tops.values_mut().for_each(|top| *top = same.get(top).copied().unwrap_or(*top));
    }
    copies.prepared = Some(changed.unwrap_or(collected));
    Ok(copies)
}

/// A document in its other form, and the losses.
fn in_other_form(document: &dyn Dom, options: &ConvertOptions) -> Result<(AnyDocument, Vec<Loss>)> {
    Ok(match document.has_columns() {
        true => {
            let made = convert::to_xml(document, options)?;
            (made.document.into(), made.losses)
        }
        false => {
            let made = convert::to_binary(document, options)?;
            (made.document.into(), made.losses)
        }
    })
}

/// Removes Rojo's attributes of references: they are properties.
fn unlink(document: &mut dyn Dom, id: InstanceId) -> Result<()> {
    let value = document.value(id, ATTRIBUTES);
    let Some(bytes) = value.as_ref().and_then(Value::as_bytes) else { return Ok(()) };
    let new = match without_links(bytes, &[]) {
        (Some(new), _) if new != bytes => new,
        (None, _) if !bytes.is_empty() => Vec::new(),
        _ => return Ok(()),
    };
    if !new.is_empty() || !document.unset_value(id, ATTRIBUTES)? {
        document.put(id, ATTRIBUTES, Value::from(new))?;
    }
    Ok(())
}
