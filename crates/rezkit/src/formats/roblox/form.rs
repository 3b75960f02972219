//! Documents of either form as assets.

use std::any::Any;

use rbxcore::{Dom, InstanceId};
use rbxdocument::state::{Action, Applying, At};
use rbxdocument::view::View as _;

use super::show::said;
use crate::edits::Filled;
use crate::file_type::{Asset, Converted};
use crate::options::ConvertOptions;
use rezkit_core::{Budget, Loss, Result};

/// The result of inserting a model.
pub(crate) struct Grafted {
    pub(crate) filled: Vec<Filled>,
    /// The properties that were stored under another name or type, and odd values.
    pub(crate) losses: Vec<Loss>,
    /// The copies of the model's roots.
    pub(crate) roots: Vec<InstanceId>,
}

/// The name of the format of the form of a document.
pub(crate) fn format_of(document: &dyn Dom) -> &'static str {
    if document.has_columns() { "rbxbinary" } else { "rbxxml" }
}

/// Inserts another document below a parent. Values that either of the two lacks are filled in with defaults; with `allow_loss`,
/// those that cannot be stored are dropped.
pub(crate) fn graft(
    document: &mut Applying<'_>,
    parent: Option<At>,
    model: &dyn Asset,
    allow_loss: bool,
    budget: &mut Budget,
) -> Result<Grafted> {
    let Some(model) = of(model) else {
        return Err(rezkit_core::Error::argument(
            "the model and the document have different formats (convert the model first)",
        ));
    };
    let made = document.act(Action::Insert { parent, model, allow_loss }, budget)?;
    Ok(Grafted { filled: filled_in(&**document, &made.filled), losses: made.losses, roots: made.roots })
}

/// The bytes of a document in the form of an extension.
pub(in super::super) fn bytes_in_form(
    document: &dyn Dom,
    extension: &str,
    allow_loss: bool,
) -> Result<(Vec<u8>, Vec<Loss>)> {
    let made = rbxdocument::graft::in_form(document, extension, allow_loss)?;
    Ok((made.document.to_vec()?, made.losses))
}

/// The values that an edit filled in.
pub(in super::super) fn filled_in(document: &dyn Dom, filled: &[rbxcore::Filled]) -> Vec<Filled> {
    let filled = filled.iter().map(|of| {
        let (class, property) = (of.class.to_string(), of.property.to_string());
        let value = said(document, (&class, &property), &of.value);
        Filled { class, property, value, count: of.instances }
    });
    filled.collect()
}

/// A document in the other form, whose format has this name.
pub(in super::super) fn other_form(
    document: &dyn Dom,
    format: &str,
    options: &ConvertOptions,
) -> Option<Result<Converted>> {
    let convert = rbxdocument::convert::ConvertOptions::new()
        .max_bytes(options.max_bytes)
        .allow_loss(options.allow_loss)
        .fill(options.fill);
    match (document.has_columns(), format) {
        (true, "rbxxml") => Some(rbxdocument::convert::to_xml(document, &convert).map(converted)),
        (false, "rbxbinary") => Some(rbxdocument::convert::to_binary(document, &convert).map(converted)),
        _ => return None,
    }
    .map(|made| made.map_err(rezkit_core::Error::from))
}

fn converted<D: Asset>(made: rbxdocument::convert::Converted<D>) -> Converted {
    Converted { asset: Box::new(made.document), losses: made.losses, left: made.memory_left }
}

/// A document as an asset.
pub(in super::super) fn into_asset(document: Box<dyn Dom>) -> Option<Box<dyn Asset>> {
    let document: Box<dyn Any> = document;
    match document.downcast::<rbxbinary::Document>() {
        Ok(document) => Some(document),
        Err(document) => Some(document.downcast::<rbxxml::Document>().ok()?),
    }
}

/// A copy of a document; `None` for other assets.
pub(crate) fn copy(asset: &dyn Asset) -> Option<Box<dyn Asset>> {
    into_asset(of(asset)?.copy())
}

/// An asset as a document; `None` for other assets.
pub(crate) fn of(asset: &dyn Asset) -> Option<&dyn Dom> {
    let asset: &dyn Any = asset;
    match asset.downcast_ref::<rbxbinary::Document>() {
        Some(document) => Some(document),
        None => Some(asset.downcast_ref::<rbxxml::Document>()?),
    }
}

/// An asset as a document that can be edited; `None` for other assets.
pub(in super::super) fn of_mut(asset: &mut dyn Asset) -> Option<&mut dyn Dom> {
    let asset: &mut dyn Any = asset;
    match asset.is::<rbxbinary::Document>() {
        true => Some(asset.downcast_mut::<rbxbinary::Document>()?),
        false => Some(asset.downcast_mut::<rbxxml::Document>()?),
    }
}
