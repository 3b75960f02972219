//! Edits of the tree of a document of either form.

use rbxdocument::view::View as _;
use std::collections::{HashMap, HashSet};

use rbxcore::{InstanceId, Value};
use rezkit_core::{Budget, Error, Loss, Result};

use rbxdocument::terrain;
use rbxdocument::text::{self, Change, Finder, Open, Part};
use rbxdocument::write::replacing;

use super::form::{filled_in, format_of, graft};
use super::join::join;
use super::models::{leads_out, not_copied};
use super::patch::{self, How};
use super::target::{about, nothing, target};
use super::{form, validate};
use crate::edits::{Edit, Edited, Filled, TerrainAction};
use crate::file_type::Asset;
use crate::options::{ConvertOptions, Fill, ReadOptions};
use crate::patch::Step;
use rbxcore::Dom;
use rbxdocument::state::{Action, Applying, At};

/// Applies all edits to a document, in order, with the inserted models. After an error, it is to be dropped.
///
/// # Errors
/// [`Argument`](crate::ErrorKind::Argument) if the path does not exist or a value does not fit.
pub(crate) fn edit_document(
    document: &mut dyn Dom,
    edits: &[(&Edit, Option<&dyn Asset>)],
    how: How<'_>,
) -> Result<Edited, (Option<usize>, Error)> {
    let mut applying = Applying::new(document);
    let done = edit(&mut applying, edits, how).and_then(|(mut edited, mut budget)| {
        let last = |error: rbxdocument::Error| (edits.len().saturating_sub(1), error.into());
        edited.losses.extend(applying.finish(&mut budget).map_err(last)?);
        Ok(edited)
    });
    done.map_err(|(index, error)| (Some(index), error))
}

/// Applies edits. After an error, the edits before the refused one remain applied.
///
/// # Errors
/// With the index and the path of the refused edit.
fn edit(
    document: &mut Applying<'_>,
    steps: &[(&Edit, Option<&dyn Asset>)],
    how: How<'_>,
) -> Result<(Edited, Budget), (usize, Error)> {
    let options = how.options;
    let (mut edited, mut budget) = (Edited::default(), Budget::new(options.max_bytes));
    let mut finder = Finder::new(options.max_bytes / 4, nothing);
    let mut found = Vec::new();
    if how.paths_before {
        budget.take(steps.len() as u64 * 32, "the edited instances").map_err(|error| (0, error))?;
        for (index, (step, _)) in steps.iter().enumerate() {
            found.push(edited_by(&**document, step, &mut finder).map_err(|error| (index, error))?);
            match step {
                Edit::Move { parent, .. } => finder.keep(&**document, parent),
                Edit::Set { path, value, .. } if path.ends_with(".Parent") => finder.keep(&**document, value),
                _ => {}
            }
        }
        finder.clear();
    }
    // The list that the last edits changed, with the index and the path of the last one.
    let mut open: Option<(usize, &str, Open)> = None;
    for (index, step) in steps.iter().enumerate() {
        let at = |error| (index, error);
        if document.settle(ordered(step.0)).map_err(|error| at(error.into()))? {
            finder.clear();
        }
        let target = match found.get(index) {
            Some(found) => *found,
            None => edited_by(&**document, step.0, &mut finder).map_err(at)?,
        };
        let part = target.and_then(|(id, property)| {
            Some(match step.0 {
                Edit::Set { path, value, kind } => {
                    let kind = kind.as_deref();
                    (id, Part::at(property, kind)?, path, Change::Text(value, kind))
                }
                Edit::Tag { path, tag, remove } => {
                    (id, Part::Tags, path, Change::One(tag, (!remove).then_some("")))
                }
                Edit::Attribute { path, name, value } => {
                    (id, Part::Attributes, path, Change::One(name, value.as_deref()))
                }
                _ => return None,
            })
        });
        let is_other =
            |(_, _, list): &mut (_, _, Open)| part.is_none_or(|(id, part, ..)| !list.is_of(id, part));
        if let Some(list) = open.take_if(is_other) {
            closed(document.document(), list, &mut edited)?;
        }
        match part {
            None => {
                let all = One { edited: &mut edited, finder: &mut finder, budget: &mut budget, how, target };
                one(document, *step, all).map_err(at)?;
            }
            Some((id, part, path, change)) => {
                let list = open.take().map_or_else(
                    || Open::new(&**document, id, part, options.max_bytes),
                    |(.., list)| Ok(list),
                );
                let changed = list.and_then(|mut list| list.change(part, change).map(|()| list));
                open = Some((index, path, changed.map_err(|error| at(about(path, error.into())))?));
            }
        }
    }
    if let Some(list) = open {
        closed(document.document(), list, &mut edited)?;
    }
    Ok((edited, budget))
}

/// Sets the property of a list that edits changed. An error is that of the last one.
fn closed(
    document: &mut dyn Dom,
    (index, path, list): (usize, &str, Open),
    edited: &mut Edited,
) -> Result<(), (usize, Error)> {
    let (losses, is_changed) = list.close(document).map_err(|error| (index, about(path, error.into())))?;
    edited.losses.extend(losses);
    edited.changed += usize::from(is_changed);
    Ok(())
}

/// An error about a part of a model.
fn within(model: &str, error: Error) -> Error {
    error.below(|path| format!("{model}: {path}"))
}

/// The parent at a path; `None` for the root, whose path is empty.
fn parent_at(path: &str, find: impl FnOnce(&str) -> Result<InstanceId>) -> Result<Option<InstanceId>> {
    if path.is_empty() { Ok(None) } else { find(path).map(Some) }
}

/// The path of a parent whose name looks like a property that the class does not have: `Value=1`.
fn named_as_property(class: &str, parent: &str, properties: &[(String, String)]) -> Option<String> {
    let (name, value) = properties.first().filter(|_| parent.is_empty())?;
    let is_known = rbxcore::classes::class(class).is_none_or(|class| class.property(name).is_some());
    (!is_known).then(|| format!("{name}={value}"))
}

/// Adds an instance of a class below a parent, with these properties.
fn add(
    document: &mut Applying<'_>,
    (to, class, properties): (Option<InstanceId>, &str, &[(String, String)]),
    options: &ReadOptions,
    (edited, finder): (&mut Edited, &mut Finder<Error>),
    budget: &mut Budget,
) -> Result<()> {
    validate::known_class(&**document, class)?;
    let values = vec![("Name".to_owned(), Value::from(class))];
    let added = Action::Add { parent: to.map(At::Id), class: class.to_owned(), values };
    let done = document.act(added, budget)?;
    let Some(&id) = done.roots.first() else { return Ok(()) };
    let filled = filled_in(&**document, &done.filled);
    finder.added(&**document, id);
    edited.inserted += 1;
    let mut given: HashSet<&str> = HashSet::new();
    for (property, value) in properties {
        let at = |document: &dyn Dom, error| about(&format!("{}.{property}", document.path_of(id)), error);
        given.insert(validate::stored_name(class, property));
        let newer = replacing(&**document, id, property).into_iter().flatten();
        given.extend(newer.map(|(name, _)| name));
        let set = (id, &**property);
        let losses = text::set(document.document(), set, value, None, options.max_bytes, finder);
        edited.losses.extend(losses.map_err(|error| at(&**document, error))?);
    }
    // What is given is not filled in.
    let is_given = |of: &Filled| of.count == 1 && given.contains(validate::stored_name(class, &of.property));
    edited.filled.extend(filled.into_iter().filter(|of| !is_given(of)));
    Ok(())
}

/// The instance that an edit changes, and its property if a property is set; `None` for edits that add or patch.
fn edited_by<'e>(
    document: &dyn Dom,
    edit: &'e Edit,
    finder: &mut Finder<Error>,
) -> Result<Option<(InstanceId, &'e str)>> {
    let path = match edit {
        Edit::Set { path, .. } => return target(document, path, finder).map(Some),
        Edit::Tag { path, .. }
        | Edit::Attribute { path, .. }
        | Edit::Remove { path }
        | Edit::Move { path, .. }
        | Edit::Rename { path, .. }
        | Edit::Copy { path, .. } => path,
        Edit::Step(_) | Edit::Add { .. } | Edit::Insert { .. } | Edit::Terrain { .. } => return Ok(None),
    };
    let found = finder.need(document, path)?;
    Ok(Some((found, "")))
}

/// The path of the parent whose children a step orders.
fn ordered(step: &Edit) -> Option<&str> {
    match step {
        Edit::Step(step) => match &**step {
            Step::Reordered { path, .. } => Some(path),
            _ => None,
        },
        _ => None,
    }
}

/// What one of several edits needs.
struct One<'a> {
    how: How<'a>,
    /// The instance that it changes, and the property that it sets, if they are known.
    target: Option<(InstanceId, &'a str)>,
    edited: &'a mut Edited,
    finder: &'a mut Finder<Error>,
    budget: &'a mut Budget,
}

fn one<'a>(
    document: &mut Applying<'_>,
    (step, model): (&'a Edit, Option<&dyn Asset>),
    all: One<'a>,
) -> Result<()> {
    let One { how, target, edited, finder, budget } = all;
    let options = how.options;
    let mut at = |document: &dyn Dom, path: &str| finder.need(document, path);
    match (step, target) {
        (Edit::Step(step), _) => {
            let count = document.len();
            let done = patch::apply(document, step, how, finder, budget)?;
            edited.inserted += document.len().saturating_sub(count);
            edited.removed += count.saturating_sub(document.len());
            edited.filled.extend(done.filled);
            edited.losses.extend(done.losses);
        }
        (Edit::Set { path, value, kind }, Some((id, property))) => {
            let now = |document: &dyn Dom| document.property(id, property).map(|found| found.value);
            let old = now(&**document);
            let losses = text::set(
                document.document(),
                (id, property),
                value,
                kind.as_deref(),
                options.max_bytes,
                finder,
            );
            edited.losses.extend(losses.map_err(|error| about(path, error))?);
            edited.changed += usize::from(old.is_none() || old != now(&**document));
        }
        (Edit::Add { class, parent, properties }, _) => {
            let named = named_as_property(class, parent, properties);
            let named = named.filter(|path| finder.find(&**document, path).is_some());
            let (parent, properties) = match &named {
                Some(path) => (path, &properties[1..]),
                None => (parent, &**properties),
            };
            let to = parent_at(parent, |path| finder.need(&**document, path))?;
            add(document, (to, class, properties), options, (edited, finder), budget)?;
        }
        (Edit::Terrain { action, from, to, by, place }, _) => {
            let missing = || Error::argument("the place to paste from was not found");
            let action = match action {
                TerrainAction::Cut => terrain::Action::Cut,
                TerrainAction::Copy => terrain::Action::Copy(*by),
                TerrainAction::Move => terrain::Action::Move(*by),
                TerrainAction::Paste => {
                    terrain::Action::Paste(model.and_then(form::of).ok_or_else(missing)?, *by)
                }
            };
            let changed =
                terrain::change(document.document(), action, [*from, *to], budget).map_err(Error::from);
            // An error about the other place leads to it.
            let named = |error: Error| match place {
                Some(place) if error.path().is_empty() => error.at(place.as_str()),
                _ => error,
            };
            edited.losses.extend(changed.map_err(named)?);
        }
        // In edits at once, it can be removed with what it is below.
        (Edit::Remove { .. }, Some((id, _))) if how.paths_before && !document.contains(id) => {}
        (Edit::Remove { path }, Some((id, _))) => {
            finder.leaves(&**document, id);
            let count = document.len();
            let removed = document.act(Action::Remove { ids: vec![id] }, budget);
            removed.map_err(|error| about(path, error.into()))?;
            edited.removed += count - document.len();
        }
        (Edit::Move { path, parent }, Some((id, _))) => {
            let to = parent_at(parent, |path| at(&**document, path))?;
            finder.leaves(&**document, id);
            let moved = document.act(Action::Move { id, parent: to.map(At::Id) }, budget);
            moved.map_err(|error| about(path, error.into()))?;
            finder.added(&**document, id);
        }
        (Edit::Rename { path, name }, Some((id, _))) => {
            rename(document, (id, name), finder, budget).map_err(|error| about(path, error))?;
        }
        (Edit::Copy { model, .. }, Some((id, _))) => {
            let extension = model.rsplit_once('.').map_or("", |(_, extension)| extension);
            let copied = rbxdocument::graft::model_file(&**document, id, extension, &HashMap::new(), false);
            // A path leads to the copied instance; without one, the error concerns the model as a file.
            let named = |error: Error| if error.path().is_empty() { error.at(model.as_str()) } else { error };
            let (bytes, losses) = copied.map_err(|error| named(error.into()))?;
            budget.take(bytes.len() as u64, "the copied models")?;
            edited.models.push((model.clone(), bytes));
            edited.losses.extend(losses);
            edited.losses.extend(not_copied(&**document, Some(id), budget)?);
            edited.losses.extend(leads_out(&**document, id, budget)?);
        }
        (Edit::Insert { model: name, parent }, _) => {
            document.editable()?;
            let missing = || Error::argument("the model to insert was not found").at(name.as_str());
            let (model, to) = (model.ok_or_else(missing)?, parent_at(parent, |path| at(&**document, path))?);
            let convert = ConvertOptions::new().fill(Fill::Defaults).allow_loss(how.allow_loss);
            let options = ConvertOptions { max_bytes: how.options.max_bytes, ..convert };
            insert(document, (name, model, to), &options, (edited, finder), budget)?;
        }
        // Lists are changed by `edit`.
        _ => {}
    }
    Ok(())
}

/// Gives an instance a name.
fn rename(
    document: &mut Applying<'_>,
    (id, name): (InstanceId, &str),
    finder: &mut Finder<Error>,
    budget: &mut Budget,
) -> Result<()> {
    finder.leaves(&**document, id);
    if document.value(id, "Name").is_none() {
        // Other instances of the class get names, too.
        finder.clear();
        let class = document.class_of(id).into_owned();
        document.document().store(id, "Name", Value::from(class))?;
    }
    document.act(Action::stored(id, "Name", Some(Value::from(name))), budget)?;
    finder.renamed(&**document, id);
    Ok(())
}

/// Inserts the instances of a model, converted to the form of the document. Returns the copies of its roots.
fn insert(
    document: &mut Applying<'_>,
    (name, model, to): (&str, &dyn Asset, Option<InstanceId>),
    options: &ConvertOptions,
    (edited, finder): (&mut Edited, &mut Finder<Error>),
    budget: &mut Budget,
) -> Result<Vec<InstanceId>> {
    let of_model = |loss: Loss| loss.below(|path| format!("{name}: {path}"));
    let (converted, listed) = (&mut None, edited.losses.len());
    let model = match format_of(&**document) {
        own if own == model.file_type().format => model,
        own => {
            let made = model.convert(own, options).map_err(|error| within(name, error))?;
            edited.losses.extend(made.losses.into_iter().map(of_model));
            &**converted.insert(made.asset)
        }
    };
    let before = document.len();
    let grafted = graft(document, to.map(At::Id), model, options.allow_loss, budget)
        .map_err(|error| within(name, error))?;
    if grafted.roots.is_empty() {
        return Err(Error::argument("the model has no instances to insert").at(name));
    }
    if to.is_none() {
        // Services join existing ones.
        finder.clear();
        edited.losses.extend(join(document.document(), &grafted.roots)?);
    } else {
        grafted.roots.iter().for_each(|&id| finder.added(&**document, id));
    }
    if !document.has_columns() {
        edited.losses.extend(rbxdocument::graft::renew(document.document(), &grafted.roots)?);
    }
    edited.inserted += document.len() - before;
    edited.filled.extend(grafted.filled);
    // Losses of the conversion are already listed.
    let mut new: Vec<Loss> = grafted.losses.into_iter().map(of_model).collect();
    let known: HashSet<_> = edited.losses[listed..].iter().map(|of| (&of.path, &of.what)).collect();
    new.retain(|loss| !known.contains(&(&loss.path, &loss.what)));
    edited.losses.extend(new);
    Ok(grafted.roots)
}
