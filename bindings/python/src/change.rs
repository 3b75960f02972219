//! Changes of properties of one or several instances.

use std::collections::HashMap;

use pyo3::prelude::*;
use rbxbinary::parts::TypeId;
use rezkit::Document;
use rezkit::Fill;
use rezkit::formats::roblox::{InstanceId, Value, type_named};

use crate::document::{RobloxDocument, edit_many, kind_of, look, survey};
use crate::error::{Error, Result};
use crate::value::from_python;
use crate::working::Progress;

/// Sets properties of instances: all of them, or none. `kind` is the type of the properties if it is given.
pub(crate) fn put(
    document: &Bound<'_, RobloxDocument>,
    ids: &[InstanceId],
    given: &[(String, Bound<'_, PyAny>)],
    kind: Option<&str>,
    fill: Fill,
) -> Result<Vec<rezkit::Loss>> {
    let kind = kind.map(type_named).transpose()?;
    let names: Vec<String> = given.iter().map(|(name, _)| name.clone()).collect();
    let (wanted, properties) = (ids.to_vec(), names.clone());
    let known = survey(document, &Progress::default(), move |document| {
        let of = |id: InstanceId| {
            let class = document.class(id)?.to_string();
            let types = properties.iter().map(|name| document.type_of(id, name)).collect::<Vec<_>>();
            Some((class, types))
        };
        wanted.into_iter().map(of).collect::<Option<Vec<_>>>()
    })?;
    let known = known.ok_or_else(|| rezkit::Error::argument("the instance was removed from its document"))?;
    let path = |id, property: &str| look(document, |document| place(document, id, property));
    // Instances of a class mostly have the same types, so each value is converted once.
    let mut made: HashMap<(&String, usize, Option<TypeId>), Value> = HashMap::new();
    let mut changes = Vec::with_capacity(ids.len() * given.len());
    for (&id, (class, types)) in ids.iter().zip(&known) {
        for (index, ((name, value), own)) in given.iter().zip(types).enumerate() {
            let key = (class, index, *own);
            let change = match made.get(&key) {
                Some(change) => change.clone(),
                None => {
                    let change = change(document, class, (name, value), kind.or(*own));
                    let change = change.or_else(|error| Err(error.at(&path(id, name)?)))?;
                    made.entry(key).or_insert(change).clone()
                }
            };
            changes.push((id, index, change));
        }
    }
    let done = edit_many(document, changes.len(), move |document| {
        // A single edit leaves the document unchanged if it fails; several need a copy.
        let mut copy = (changes.len() > 1).then(|| document.clone());
        let changed = copy.as_mut().unwrap_or(document);
        let mut filled = Vec::new();
        for (id, index, change) in changes {
            match changed.set(id, &names[index], &change, fill) {
                Ok(losses) => filled.extend(losses),
                Err(error) => return Ok(Err((id, index, error))),
            }
        }
        if let Some(copy) = copy {
            *document = copy;
        }
        Ok(Ok(filled))
    })?;
    match done {
        Ok(filled) => Ok(rezkit::Loss::grouped(filled)),
        Err((id, index, error)) => Err(Error::from(error).at(&path(id, &given[index].0)?)),
    }
}

/// The value of a property of a class, of this type or of the one that the class table or the value determines. Errors
/// have no path.
fn change(
    document: &Bound<'_, RobloxDocument>,
    class: &str,
    (name, value): (&str, &Bound<'_, PyAny>),
    kind: Option<TypeId>,
) -> Result<Value> {
    let kind = kind.map_or_else(|| kind_of(document, class, name, value), Ok)?;
    from_python(document, (class, name), kind, value)
}

/// The path of a property: that of the instance, `.` and the name.
fn place(document: &Document, id: InstanceId, property: &str) -> String {
    format!("{}.{property}", document.path(id).unwrap_or_default())
}
