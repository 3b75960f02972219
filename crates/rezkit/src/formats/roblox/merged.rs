//! Merges of documents as assets, with conflicts as texts.

use rbxdocument::state::{self, Found, MergeOptions};

use super::attributes::attribute;
use super::{form, patch, show};
use crate::file_type::Asset;
use crate::merge::Conflict;
use crate::patch::Step;
use rezkit_core::{Error, Loss, Result};

/// The merged asset, and what a person has to look at.
pub(crate) struct Merged {
    pub(crate) asset: Box<dyn Asset>,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) notes: Vec<Loss>,
}

/// The merge of three documents, in the form of `ours`. Without a base, everything was inserted by both.
///
/// # Errors
/// [`Argument`](crate::ErrorKind::Argument) if one of them is no document, or they share nothing, and if the form of `ours`
/// cannot represent what `theirs` has.
pub(crate) fn merge(
    base: Option<&dyn Asset>,
    all: [&dyn Asset; 2],
    options: &MergeOptions,
) -> Result<Merged> {
    let none = || Error::argument("expected three Roblox places or models");
    let document = |asset| form::of(asset).ok_or_else(none);
    let base = base.map(document).transpose()?;
    let merged = state::merge(base, [document(all[0])?, document(all[1])?], options)?;
    let conflicts = merged.conflicts.into_iter().map(|of| {
        let [base, ours, theirs] = of.values.map(|value| value.map(|value| text(&value, options.memory())));
        Conflict { path: of.path, what: of.what.to_owned(), base, ours, theirs }
    });
    let conflicts = conflicts.collect();
    let asset = form::into_asset(merged.document).ok_or_else(none)?;
    Ok(Merged { asset, conflicts, notes: merged.notes })
}

/// A value of a conflict as text.
fn text(found: &Found, max_bytes: u64) -> String {
    match found {
        Found::Path(path) => path.clone(),
        Found::Attribute(value) => attribute(value).to_string(),
        Found::Value { class, property, value, to } => {
            let path = |_| to.clone().unwrap_or_default();
            show::value((class, property), value, max_bytes, path).to_string()
        }
        _ => format!("{found:?}"),
    }
}

/// The steps that make a document of another one, whose instances are found as for a merge, and what they cannot represent.
///
/// # Errors
/// As [`merge`], and if the steps take more memory than is allowed.
pub(crate) fn patch(both: [&dyn Asset; 2], max_bytes: u64) -> Result<(Vec<Step>, Vec<Loss>)> {
    let [Some(old), Some(new)] = both.map(form::of) else {
        return Err(Error::argument("expected two Roblox places or models"));
    };
    let (steps, losses) = state::patch([old, new], max_bytes)?;
    Ok((patch::steps(steps, max_bytes)?, losses))
}
