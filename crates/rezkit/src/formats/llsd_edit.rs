//! Edits of LLSD by path: values are inserted, removed, renamed, moved and copied.

use std::any::Any;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use ::llsd::{Document, Value};

use super::llsd::Json;
use super::llsd_json;
use super::roblox::How;
use crate::edits::{Edit, Edited};
use crate::file_type::Asset;
use crate::options::{ReadOptions, WriteOptions};
use crate::patch;
use crate::tree::{self, Step};
use rezkit_core::{Budget, Error, Loss, Result};

/// The value of LLSD in any form; `None` for other assets.
pub(super) fn value_of(asset: &dyn Asset) -> Option<&Value> {
    let asset: &dyn Any = asset;
    let json = || asset.downcast_ref::<Json>().map(|json| &json.0.value);
    asset.downcast_ref::<Document>().map(|document| &document.value).or_else(json)
}

/// A copy of LLSD in any form; `None` for other assets.
pub(super) fn copy(asset: &dyn Asset) -> Option<Box<dyn Asset>> {
    let asset: &dyn Any = asset;
    let document =
        asset.downcast_ref::<Document>().map(|document| Box::new(document.clone()) as Box<dyn Asset>);
    document.or_else(|| asset.downcast_ref::<Json>().map(|json| Box::new(json.clone()) as Box<dyn Asset>))
}

/// The same, to change.
pub(super) fn value_of_mut(asset: &mut dyn Asset) -> Option<&mut Value> {
    let asset: &mut dyn Any = asset;
    match asset.is::<Document>() {
        true => asset.downcast_mut::<Document>().map(|document| &mut document.value),
        false => asset.downcast_mut::<Json>().map(|json| &mut json.0.value),
    }
}

/// Applies all edits, in order. After an error, the asset is to be dropped.
///
/// # Errors
/// With the index of the refused edit.
pub(super) fn edit(
    asset: &mut dyn Asset,
    steps: &[(&Edit, Option<&dyn Asset>)],
    how: How<'_>,
) -> Result<Edited, (Option<usize>, Error)> {
    let mut edited = Edited::default();
    let mut index = 0;
    while let Some((step, model)) = steps.get(index) {
        let keys = removals(&steps[index..]);
        let done = match keys.len() {
            0 | 1 => one(asset, step, *model, how, &mut edited).map(|()| 1).map_err(|error| (index, error)),
            _ => removed_at_once(asset, &keys, how, &mut edited).map_err(|(nth, error)| (index + nth, error)),
        };
        index += done.map_err(|(index, error)| (Some(index), error))?;
    }
    Ok(edited)
}

/// A value that is removed.
struct Removal<'s> {
    path: &'s str,
    steps: Vec<Step>,
    /// What a patch expects there.
    content: Option<&'s str>,
}

impl<'s> Removal<'s> {
    fn of(step: &'s Edit) -> Option<Self> {
        let (path, content) = match step {
            Edit::Remove { path } => (path, None),
            Edit::Step(step) => match &**step {
                patch::Step::Removed { path, content, .. } => (path, content.as_deref()),
                _ => return None,
            },
            _ => return None,
        };
        Some(Self { path, steps: tree::parse(path).ok()?, content })
    }

    /// # Errors
    /// If a patch expects another value.
    fn fits(&self, value: &Value, any_old: bool) -> Result<()> {
        match self.content.filter(|_| !any_old) {
            Some(content) if content_of(value)? != content => Err(patch::other_content().at(self.path)),
            _ => Ok(()),
        }
    }
}

/// A hash of a value.
fn content_of(value: &Value) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    shown(value)?.to_string().hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

/// The removals that these steps begin with and whose values have one parent.
fn removals<'s>(steps: &[(&'s Edit, Option<&dyn Asset>)]) -> Vec<Removal<'s>> {
    let mut found: Vec<Removal<'_>> = Vec::new();
    for (step, _) in steps {
        let Some(removal) = Removal::of(step) else { break };
        let first = found.first().and_then(|first| first.steps.split_last());
        let is_next = match (first, removal.steps.split_last()) {
            (Some((_, these)), Some((_, those))) => these == those,
            (None, Some(_)) => true,
            _ => false,
        };
        if !is_next {
            break;
        }
        found.push(removal);
    }
    found
}

/// Applies removals of values that have one parent: from a map, all at once.
///
/// # Errors
/// With the index of the refused removal.
fn removed_at_once(
    asset: &mut dyn Asset,
    keys: &[Removal<'_>],
    how: How<'_>,
    edited: &mut Edited,
) -> Result<usize, (usize, Error)> {
    let above = keys[0].steps.split_last().map(|(_, above)| above).unwrap_or_default();
    let Some(Value::Map(map)) = value_of_mut(asset).and_then(|root| find(root, above)) else {
        let value = removed(asset, keys[0].path, how.options).map_err(|error| (0, error))?;
        keys[0].fits(&value, how.any_old).map_err(|error| (0, error))?;
        edited.removed += 1;
        return Ok(1);
    };
    let mut places: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (place, key) in map.keys().enumerate() {
        places.entry(key.as_bytes().to_vec()).or_default().push(place);
    }
    let mut is_kept = vec![true; map.len()];
    for (index, removal) in keys.iter().enumerate() {
        let place = removal.steps.last().and_then(|(name, nth)| {
            let places = places.get_mut(name.as_bytes())?;
            (*nth < places.len()).then(|| places.remove(*nth))
        });
        let Some(place) = place else { return Err((index, nothing(asset, removal.path, how.options))) };
        is_kept[place] = false;
        let value = map.values().nth(place).map_or(Ok(()), |value| removal.fits(value, how.any_old));
        value.map_err(|error| (index, error))?;
    }
    let entries = std::mem::take(map).into_vec().into_iter().zip(is_kept);
    *map = entries.filter_map(|(entry, is_kept)| is_kept.then_some(entry)).collect();
    edited.removed += keys.len();
    Ok(keys.len())
}

fn one(
    asset: &mut dyn Asset,
    step: &Edit,
    model: Option<&dyn Asset>,
    how: How<'_>,
    edited: &mut Edited,
) -> Result<()> {
    let options = how.options;
    match step {
        Edit::Set { path, value, kind } => {
            edited.losses.extend(asset.set(path, value, kind.as_deref(), options)?);
        }
        Edit::Remove { path } => {
            removed(asset, path, options)?;
            edited.removed += 1;
        }
        Edit::Rename { path, name } => {
            let steps = tree::parse(path)?;
            let Some(((last, nth), above)) = steps.split_last() else {
                return Err(nothing(asset, path, options));
            };
            match value_of_mut(asset).and_then(|value| find(value, above)) {
                Some(Value::Map(map)) => {
                    if map.contains_key(name) {
                        return Err(
                            Error::argument(format!("the map already has a key {name}")).at(path.as_str())
                        );
                    }
                    let mut named = map.iter_mut().filter(|(key, _)| *key == last.as_str());
                    match named.nth(*nth) {
                        Some((key, _)) => *key = name.as_str().into(),
                        None => return Err(nothing(asset, path, options)),
                    }
                }
                Some(Value::Array(_)) => {
                    let what = "the values of an array have indices, which cannot be renamed";
                    return Err(Error::argument(what).at(path.as_str()));
                }
                _ => return Err(nothing(asset, path, options)),
            }
        }
        Edit::Move { path, parent } => {
            let name = tree::parse(path)?.pop().map(|(name, _)| name).unwrap_or_default();
            let is_inside = parent
                .strip_prefix(path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            if is_inside {
                return Err(Error::argument("a value cannot be moved into itself").at(path.as_str()));
            }
            // The parent may be an array in which the value has an index.
            let value = removed(asset, path, options)?;
            if !value.is_empty() {
                let what = "comments, white space and the original spelling, since the moved value was written again";
                edited.losses.push(Loss::new(path.as_str(), what).id("llsd.rewritten"));
            }
            match value_of_mut(asset).and_then(|root| find(root, &tree::parse(parent).ok()?)) {
                Some(Value::Array(values)) => values.push(value),
                Some(Value::Map(map)) if !map.contains_key(&name) => map.push(name, value),
                Some(Value::Map(_)) => {
                    return Err(
                        Error::argument(format!("the map already has a key {name}")).at(parent.as_str())
                    );
                }
                _ => return Err(nothing(asset, parent, options)),
            }
        }
        Edit::Insert { model: name, parent } => {
            let given = model
                .and_then(value_of)
                .ok_or_else(|| Error::argument("expected LLSD or JSON to insert").at(name.as_str()))?;
            insert(asset, parent, given.clone(), options)?;
            edited.inserted += 1;
        }
        Edit::Copy { path, model } => {
            let steps = tree::parse(path)?;
            let value = value_of_mut(asset).and_then(|root| find(root, &steps)).cloned();
            let value = value.ok_or_else(|| nothing(asset, path, options))?;
            let is_json = model.ends_with(".json");
            let document = Document::new(value, ::llsd::Encoding::Xml);
            let form = if is_json { Some("json".to_owned()) } else { None };
            let bytes = Asset::write(&document, &WriteOptions { form, ..WriteOptions::new() })?;
            edited.models.push((model.clone(), bytes));
        }
        Edit::Step(step) => {
            patch(asset, step, options, how.any_old)?;
            edited.removed += usize::from(matches!(**step, patch::Step::Removed { .. }));
            edited.inserted += usize::from(matches!(**step, patch::Step::Added { .. }));
        }
        Edit::Terrain { .. } => return Err(Error::argument("only Roblox places have terrain")),
        Edit::Tag { .. } | Edit::Attribute { .. } => {
            return Err(Error::argument("only instances of Roblox have tags and attributes"));
        }
        Edit::Add { class, .. } => {
            let what = format!(
                "LLSD has no classes such as {class} (to add a value, use `set` with a type, or `insert`)"
            );
            return Err(Error::argument(what));
        }
    }
    Ok(())
}

/// Applies a step of a patch.
fn patch(asset: &mut dyn Asset, step: &patch::Step, options: &ReadOptions, any_old: bool) -> Result<()> {
    let read = |text: Option<&str>, path: &str| {
        let text = text.ok_or_else(|| Error::argument("expected the value as LLSD in XML"));
        let value = text.and_then(|text| ::llsd::from_slice(text.as_bytes()).map_err(Error::unreadable));
        value.map_err(|error| error.at(path))
    };
    match step {
        patch::Step::Added { path, model, .. } => insert(asset, path, read(model.as_str(), path)?, options),
        patch::Step::Removed { path, content, .. } => {
            let value = removed(asset, path, options)?;
            let (content, steps) = (content.as_deref(), Vec::new());
            Removal { path, steps, content }.fits(&value, any_old)
        }
        patch::Step::Changed { path, text, old: expected, .. } => {
            let (value, steps) = (read(text.as_deref(), path)?, tree::parse(path)?);
            match value_of_mut(asset).and_then(|root| find(root, &steps)) {
                Some(old) => {
                    let found = shown(old)?;
                    if let Some(expected) =
                        expected.as_ref().filter(|expected| !any_old && **expected != found)
                    {
                        return Err(patch::other_value(expected, &found).at(path.as_str()));
                    }
                    *old = value;
                }
                None => return Err(nothing(asset, path, options)),
            }
            Ok(())
        }
        patch::Step::Moved { .. } | patch::Step::Reordered { .. } | patch::Step::Filled { .. } => {
            Err(Error::argument("values of LLSD are added, removed and changed"))
        }
    }
}

/// A value as a step has it.
fn shown(value: &Value) -> Result<serde_json::Value> {
    let json = llsd_json::write(value, &WriteOptions::new())?;
    serde_json::from_slice(&json).map_err(Error::unreadable)
}

/// Whether each key of a map is there once, and is a text.
fn is_plain(map: &::llsd::Map) -> bool {
    map.index().len() == map.len() && map.keys().all(|key| std::str::from_utf8(key.as_bytes()).is_ok())
}

/// The steps that make a value of another one: keys of a map that only one of them has are removed and added, values of an
/// array are compared index by index.
///
/// # Errors
/// If the values cannot be written, or take more memory than is left.
pub(super) fn steps(
    old: &Value,
    new: &Value,
    path: &mut String,
    budget: &mut Budget,
    found: &mut Vec<patch::Step>,
) -> Result<()> {
    let length = path.len();
    match (old, new) {
        (Value::Map(old), Value::Map(new)) if is_plain(old) && is_plain(new) => {
            let (these, those) = (old.index(), new.index());
            for (key, value) in old {
                tree::push(path, &key.to_string(), 0);
                match those.get(key.as_bytes()) {
                    Some(other) => steps(value, other, path, budget, found)?,
                    None => found.push(gone(path, value)),
                }
                path.truncate(length);
            }
            for (key, value) in new.iter().filter(|(key, _)| !these.contains_key(key.as_bytes())) {
                tree::push(path, &key.to_string(), 0);
                found.push(added(path, &path[..length], value, budget)?);
                path.truncate(length);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            // From the end, so that the indices of the others stay.
            for index in (new.len()..old.len()).rev().chain(0..new.len()) {
                tree::push(path, &index.to_string(), 0);
                match (old.get(index), new.get(index)) {
                    (Some(value), Some(other)) => steps(value, other, path, budget, found)?,
                    (Some(value), None) => found.push(gone(path, value)),
                    (None, Some(value)) => found.push(added(path, &path[..length], value, budget)?),
                    (None, None) => {}
                }
                path.truncate(length);
            }
        }
        _ if old.identical(new) => {}
        _ => {
            let text = text(new, budget)?;
            found.push(patch::Step::Changed {
                path: path.clone(),
                kind: new.type_name().into(),
                old: Some(shown(old)?),
                new: shown(new)?,
                bytes: None,
                text: Some(text),
            });
        }
    }
    Ok(())
}

fn gone(path: &str, value: &Value) -> patch::Step {
    let content = content_of(value).ok();
    patch::Step::Removed { path: path.to_owned(), node: value.type_name().into(), content }
}

fn added(path: &str, parent: &str, value: &Value, budget: &mut Budget) -> Result<patch::Step> {
    Ok(patch::Step::Added {
        path: path.to_owned(),
        parent: parent.to_owned(),
        node: value.type_name().into(),
        model: text(value, budget)?.into(),
    })
}

/// A value as a document in XML, or in notation if XML cannot represent it.
fn text(value: &Value, budget: &mut Budget) -> Result<String> {
    let mut document = Document::new(value.clone(), ::llsd::Encoding::Xml);
    let bytes = match Asset::write(&document, &WriteOptions::new()) {
        Ok(bytes) => bytes,
        Err(_) => {
            document = Document::new(document.value, ::llsd::Encoding::Notation);
            Asset::write(&document, &WriteOptions::new())?
        }
    };
    budget.take(2 * bytes.len() as u64, "the differences")?;
    String::from_utf8(bytes).map_err(Error::unreadable)
}

/// The error for a path that does not exist. It looks for similar ones in the whole document.
fn nothing(asset: &dyn Asset, path: &str, options: &ReadOptions) -> Error {
    tree::nothing(&*asset.tree(options), path)
}

/// The value at a path.
fn find<'v>(root: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(root, |value, (name, nth)| match value {
        Value::Array(values) if *nth == 0 => values.get_mut(name.parse::<usize>().ok()?),
        Value::Map(map) => {
            let mut named = map.iter_mut().filter(|(key, _)| *key == name.as_str());
            named.nth(*nth).map(|(_, value)| value)
        }
        _ => None,
    })
}

/// Takes the value at a path out.
fn removed(asset: &mut dyn Asset, path: &str, options: &ReadOptions) -> Result<Value> {
    let steps = tree::parse(path)?;
    let found = value_of_mut(asset).and_then(|root| {
        let ((last, nth), above) = steps.split_last()?;
        match find(root, above)? {
            Value::Array(values) => {
                let index = last.parse::<usize>().ok().filter(|&index| *nth == 0 && index < values.len())?;
                Some(values.remove(index))
            }
            Value::Map(map) => {
                let mut places = (0..map.len())
                    .filter(|&place| map.iter().nth(place).is_some_and(|(key, _)| *key == last.as_str()));
                let place = places.nth(*nth)?;
                let mut entries = std::mem::take(map).into_vec();
                let (_, value) = entries.remove(place);
                *map = entries.into_iter().collect();
                Some(value)
            }
            _ => None,
        }
    });
    found.ok_or_else(|| match steps.is_empty() {
        true => Error::argument("the whole document cannot be removed"),
        false => nothing(asset, path, options),
    })
}

/// Inserts a value at a new key, or before an index; the index of the last value plus 1 appends it.
fn insert(asset: &mut dyn Asset, path: &str, value: Value, options: &ReadOptions) -> Result<()> {
    let steps = tree::parse(path)?;
    let Some(((last, _), above)) = steps.split_last() else {
        return Err(Error::argument("expected the path of a new key or an index, such as `settings/Name`"));
    };
    match value_of_mut(asset).and_then(|root| find(root, above)) {
        Some(Value::Map(map)) if map.contains_key(last) => {
            let what = "the key exists (remove it first, or use `set`)";
            Err(Error::argument(what).at(path))
        }
        Some(Value::Map(map)) => {
            map.push(last.as_str(), value);
            Ok(())
        }
        Some(Value::Array(values)) => match last.parse::<usize>().ok().filter(|&index| index <= values.len())
        {
            Some(index) => {
                values.insert(index, value);
                Ok(())
            }
            None => {
                let what = format!("expected an index from 0 to {}, found {last}", values.len());
                Err(Error::argument(what).at(path))
            }
        },
        _ => Err(nothing(asset, path, options)),
    }
}
