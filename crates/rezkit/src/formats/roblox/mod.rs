//! Operations that the binary and the XML form of Roblox documents share: showing, finding, editing and extracting
//! instances. Values of both are treated as those of the binary form, which has fewer types.

mod asset;
mod attributes;
#[cfg(feature = "history")]
pub(crate) mod client;
mod decoded;
mod edits;
mod facts;
mod form;
mod geometry;
mod merged;
mod nodes;
mod numbers;
mod patch;
mod paths;
pub(crate) mod show;
mod target;
mod texts;

use std::collections::BTreeMap;

pub(super) use asset::File;
pub(crate) use attributes::attribute;
pub(crate) use edits::edit_document;
pub(super) use facts::describe;
pub(super) use facts::{animations, has_animations};
pub(crate) use form::of as dom;
pub(super) use form::of_mut as dom_mut;
pub(crate) use form::{copy, graft};
pub(super) use geometry::geometry;
pub(crate) use merged::{Merged, merge as merge_assets, patch as patch_assets};
pub(super) use nodes::Root;
pub use numbers::moved;
pub(crate) use patch::How;
pub(super) use paths::{node_paths, with_paths};
pub use rbxcore::property::{is_of_frame, kind_of};
pub use rbxcore::{InstanceId, Value};
use rbxdocument::paths::Paths;
pub use rbxdocument::query::Selector;
pub(super) use rbxdocument::references as models;
pub use rbxdocument::text::{color, type_named};
pub(super) use rbxdocument::view::{ATTRIBUTES, Sort, type_of};
pub(super) use rbxdocument::{effective, join, validate};
pub use rbxproject::project_paths;
pub(super) use target::set;
pub(crate) use texts::edit_error;
pub(super) use texts::scripts;
pub use validate::enum_item;

use crate::file_type::Asset;
use crate::options::{PackOptions, ReadOptions};
use rezkit_core::{Error, Loss, Result, Rule};

/// What Studio refuses or changes in a document whose file has a number of bytes.
///
/// # Errors
/// If the asset is no document, or the findings take more memory than is allowed.
pub(crate) fn check_studio(
    asset: &dyn Asset,
    bytes: usize,
    max_bytes: u64,
) -> Result<Vec<rezkit_core::Finding>> {
    let only = || Error::argument("Studio opens Roblox places and models only");
    found(rbxdocument::rules::studio(form::of(asset).ok_or_else(only)?, bytes, max_bytes))
}

/// Findings about a document.
fn found(
    findings: rbxdocument::Result<Vec<rbxdocument::errors::Finding>>,
) -> Result<Vec<rezkit_core::Finding>> {
    Ok(findings?.into_iter().flat_map(rezkit_core::Finding::each).collect())
}

/// A document whose equal bytes are stored once.
pub(crate) fn shared(asset: &dyn Asset, max_bytes: u64) -> Result<Box<dyn Asset>> {
    let only = || Error::argument("only Roblox places and models share strings");
    let mut copy = form::of(asset).ok_or_else(only)?.copy();
    rbxdocument::size::share(&mut *copy, &mut rezkit_core::Budget::new(max_bytes))?;
    form::into_asset(copy).ok_or_else(only)
}

/// Calls a function with each difference of two documents; `None` if they are not documents.
pub(crate) fn differences(
    both: [&dyn Asset; 2],
    is_exact: bool,
    budget: &mut rezkit_core::Budget,
    found: &mut dyn FnMut(crate::tree::Change),
) -> Option<Result<()>> {
    let [Some(old), Some(new)] = both.map(form::of) else { return None };
    let size = (old.len() + new.len()) as u64 * MATCHED;
    Some(budget.take(size, "the compared instances").and_then(|()| {
        let [old, new] = Root::both([old, new], budget.left());
        match is_exact {
            true => crate::tree::diff(&old, &new, budget, found),
            false => crate::tree::diff_effective(&old, &new, budget, found),
        }
    }))
}

/// The approximate memory of an instance that is looked for in another document, in bytes.
const MATCHED: u64 = 240;

/// The rules for the content of documents of both forms, and for their animations.
pub(crate) fn rules() -> Vec<Rule> {
    #[cfg_attr(not(feature = "history"), allow(unused_mut, reason = "for the rules of clients"))]
    let mut rules = rbxdocument::rules::all();
    #[cfg(feature = "history")]
    rules.extend(client::rules());
    rules
}

// Edits are no methods of `Asset`: a program that edits no documents does not contain their code.

/// Puts edited files back that were extracted from a document. Returns what changed, by path, and the losses.
///
/// # Errors
/// [`Argument`](crate::ErrorKind::Argument) if a file cannot be put back, with its path, and if assets of this format
/// take none.
pub(crate) fn pack_asset(
    asset: &mut dyn Asset,
    files: BTreeMap<String, Vec<u8>>,
    options: PackOptions,
    read: &ReadOptions,
) -> Result<(Vec<String>, Vec<Loss>)> {
    let title = asset.file_type().title;
    match form::of_mut(asset) {
        Some(document) => {
            let options = options.max_bytes(read.max_bytes);
            let packed = rbxproject::pack(document, &files, &options)?;
            Ok((packed.changes, packed.losses))
        }
        None => {
            let what = "expected a Roblox place or model, since files cannot be packed into other formats";
            Err(Error::argument(format!("{what}; found: {title}")))
        }
    }
}
