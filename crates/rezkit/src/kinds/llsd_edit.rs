//! Edits of LLSD by path: values are inserted, removed, renamed, moved and copied.

use std::any::Any;

use ::llsd::{Document, Value};

use super::llsd::Json;
use crate::edits::{Edit, Edited};
use crate::kind::Asset;
use crate::options::{ReadOptions, WriteOptions};
use crate::tree::{self, Step};
use rezkit_core::{Error, Result};

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

/// Applies all edits, in order, or none of them.
///
/// # Errors
/// With the index of the refused edit.
pub(super) fn edit(
    asset: &mut dyn Asset,
    steps: &[(&Edit, Option<&dyn Asset>)],
    options: &ReadOptions,
) -> Result<Edited, (Option<usize>, Error)> {
    let before = value_of(asset).cloned();
    let mut edited = Edited::default();
    for (index, (step, model)) in steps.iter().enumerate() {
        if let Err(error) = one(asset, step, *model, options, &mut edited) {
            if let Some((value, before)) = value_of_mut(asset).zip(before) {
                *value = before;
            }
            return Err((Some(index), error));
        }
    }
    Ok(edited)
}

fn one(
    asset: &mut dyn Asset,
    step: &Edit,
    model: Option<&dyn Asset>,
    options: &ReadOptions,
    edited: &mut Edited,
) -> Result<()> {
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
        Edit::Add { class, .. } => {
            let what = format!(
                "LLSD has no classes such as {class} (to add a value, use `set` with a type, or `insert`)"
            );
            return Err(Error::argument(what));
        }
    }
    Ok(())
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
