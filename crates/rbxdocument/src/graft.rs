//! Adds instances to a document: new ones, and copies of other documents.

use std::collections::{HashMap, HashSet};

use bstr::BString;
use rbxcore::{Dom, EditOptions, Filled, InstanceId, classes};

use crate::any::AnyDocument;
use crate::attribute_refs;
use crate::convert::{self, Converted};
use crate::filled::{left_out, renamed, retyped_in};
use crate::references::{not_copied, other_metadata, put_attributes};
use crate::view::View as _;
use geom::wire::{Budget, Error, Loss, Result};

/// What an edit of a document did.
#[derive(Debug, Default)]
pub struct Done {
    /// The topmost instances that it added.
    pub roots: Vec<InstanceId>,
    /// The values that the added ones, or others of their classes, got.
    pub filled: Vec<Filled>,
    /// What was converted or could not be stored.
    pub losses: Vec<Loss>,
}

/// Inserts another document of either form below a parent. Values that either of the two lacks are filled in with defaults;
/// with `allow_loss`, those that cannot be stored are dropped.
///
/// # Errors
/// If a value cannot be stored.
pub fn graft(
    document: &mut dyn Dom,
    parent: Option<InstanceId>,
    model: &dyn Dom,
    allow_loss: bool,
    budget: &mut Budget,
) -> Result<Done> {
    let options = convert::ConvertOptions::new().allow_loss(allow_loss).max_bytes(budget.left());
    if let Some((converted, mut losses)) = convert::like(model, document, &options)? {
        let mut done = graft(document, parent, &*converted, allow_loss, budget)?;
        losses.append(&mut done.losses);
        return Ok(Done { losses, ..done });
    }
    let not_copied = not_copied(model, None, budget)?;
    let (changed, losses) = prepared(model, document, allow_loss, budget)?;
    let others = other_metadata(model, document);
    let mut model = changed.unwrap_or_else(|| model.copy());
    // The document keeps its own metadata.
    model.set_metadata(Vec::new())?;
    let options = EditOptions::defaults().cut_attributes(allow_loss);
    let edited = options.merge(document, parent, &*model)?;
    let losses = losses.into_iter().chain(renamed(&edited)).chain(left_out(&edited));
    let losses = losses.chain(attribute_refs::cut_in(&edited));
    let losses = losses.chain(not_copied).chain(others).collect();
    Ok(Done { filled: edited.filled, losses, roots: edited.instances })
}

/// Another model, unless the document can store the first one as it is, and what changes.
pub type Prepared = (Option<Box<dyn Dom>>, Vec<Loss>);

/// A model of the same form with the values that a document can store, if others are in it, and what changes.
///
/// # Errors
/// If a value cannot be stored, unless losses are allowed.
pub fn prepared(
    model: &dyn Dom,
    document: &dyn Dom,
    allow_loss: bool,
    budget: &mut Budget,
) -> Result<Prepared> {
    let mut stored = document.empty();
    let (is_changed, mut losses) = convert::stored(model, document, &mut *stored, allow_loss, budget)?;
    let changed = is_changed.then_some(stored);
    losses.extend(retyped_in(changed.as_deref().unwrap_or(model), document));
    Ok((changed, losses))
}

/// Gives inserted instances, and all below them, the properties of today in place of older ones, as the binary form does:
/// unless other instances of their class have the older ones.
///
/// # Errors
/// If a value cannot be set.
pub fn renew(document: &mut dyn Dom, roots: &[InstanceId]) -> Result<Vec<Loss>> {
    let below = roots.iter().flat_map(|&root| document.descendants(root));
    let inside: HashSet<InstanceId> = below.chain(roots.iter().copied()).collect();
    let mut is_kept: HashMap<(String, String), bool> = HashMap::new();
    let mut losses: Vec<Loss> = Vec::new();
    for id in document.all().into_iter().filter(|id| inside.contains(id)) {
        let name = document.class_of(id).into_owned();
        let Some(class) = classes::class(&name) else { continue };
        for (older, value) in document.values(id) {
            let Some(known) = class.property(&older) else { continue };
            let newer = known.replaced_by().map(|newer| {
                let newer = class.property(newer)?;
                let new = classes::turn(known.kind(), newer.kind())?(value.as_ref())?;
                document.value(id, newer.name()).is_none().then_some((newer.name(), new))
            });
            let Some(newer) = newer.collect::<Option<Vec<_>>>().filter(|newer| !newer.is_empty()) else {
                continue;
            };
            let is_kept = is_kept.entry((name.clone(), older.clone())).or_insert_with(|| {
                let mut others = document.of_class(name.as_bytes()).filter(|other| !inside.contains(other));
                others.any(|other| document.value(other, &older).is_some())
            });
            if *is_kept {
                continue;
            }
            let names: Vec<&str> = newer.iter().map(|(name, _)| *name).collect();
            let what = format!("stored under the name {}", names.join(", "));
            newer.into_iter().try_for_each(|(name, value)| document.put(id, name, value))?;
            document.unset_value(id, &older)?;
            Loss::approximated(format!("{name}.{older}"), what)
                .id("roblox.converted-property")
                .count_in(&mut losses);
        }
    }
    Ok(losses)
}

/// A document of an instance and its descendants, with the given attributes for some of them.
///
/// # Errors
/// As [`Dom::copy_from`](trait.Dom.html#method.copy_from).
pub fn model(
    document: &dyn Dom,
    id: InstanceId,
    attributes: &HashMap<InstanceId, Vec<u8>>,
    allow_loss: bool,
) -> Result<(Box<dyn Dom>, Vec<Loss>)> {
    let mut copy = document.empty();
    let options = EditOptions::new().keep_unique_ids(true).cut_attributes(allow_loss);
    let edited = options.copy_from(&mut *copy, None, document, id)?;
    let metadata = document.metadata().into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut metadata: Vec<(BString, BString)> = metadata.collect();
    if metadata.is_empty() {
        // Studio writes this into every model.
        metadata.push(("ExplicitAutoJoints".into(), "true".into()));
    }
    copy.set_metadata(metadata)?;
    put_attributes(&mut *copy, (document, id), attributes)?;
    Ok((copy, attribute_refs::cut_in(&edited).collect()))
}

/// A file of an instance and its descendants in the form of an extension, with the given attributes for some of them, and the
/// losses.
///
/// # Errors
/// As [`model`] and [`in_form`].
pub fn model_file(
    document: &dyn Dom,
    id: InstanceId,
    extension: &str,
    attributes: &HashMap<InstanceId, Vec<u8>>,
    allow_loss: bool,
) -> Result<(Vec<u8>, Vec<Loss>)> {
    let (copy, cut) = model(document, id, attributes, allow_loss)?;
    let made = in_form(&*copy, extension, allow_loss)?;
    Ok((made.document.to_vec()?, made.losses.into_iter().chain(cut).collect()))
}

/// A document in the form of an extension, `.rbxm`, `.rbxl`, `.rbxmx` or `.rbxlx`, with the losses; values that XML lacks are
/// refused unless losses are allowed.
///
/// # Errors
/// If the extension is another one, or the form cannot represent a value.
pub fn in_form(document: &dyn Dom, extension: &str, allow_loss: bool) -> Result<Converted<AnyDocument>> {
    let options = convert::ConvertOptions::new().allow_loss(true);
    match extension {
        "rbxm" | "rbxl" => {
            let made = convert::to_binary(document, &options)?;
            Ok(Converted {
                document: made.document.into(),
                losses: made.losses,
                memory_left: made.memory_left,
            })
        }
        "rbxmx" | "rbxlx" => {
            if let Some(binary) = crate::view::as_binary(document) {
                // Texts that XML cannot represent are changed only if losses are allowed.
                convert::texts_of(binary, allow_loss, &mut Budget::new(options.max_bytes))?;
            }
            let made = convert::to_xml(document, &options)?;
            Ok(Converted {
                document: made.document.into(),
                losses: made.losses,
                memory_left: made.memory_left,
            })
        }
        _ => {
            let found = if extension.is_empty() { "none".to_owned() } else { format!(".{extension}") };
            Err(Error::argument(format!("expected the extension .rbxm or .rbxmx, found {found}")))
        }
    }
}
