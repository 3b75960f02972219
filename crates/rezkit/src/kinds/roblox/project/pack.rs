//! Changed files of a project back into the document that they were made of.

use std::collections::{BTreeMap, HashSet};

use rbxcore::Value;
use rezkit_core::{Error, Loss, Result};
use serde_json::Value as Json;

use super::super::{Instances, Paths};
use super::{Project, Role, meta, project};
use crate::options::{ExtractOptions, ReadOptions};

/// Puts the sources and meta files that differ from what the document has into it: what changed, by path, and the files
/// that were not put anywhere.
///
/// # Errors
/// Where a file cannot be put into the document, with its path: then some of the others are there already.
pub(in super::super::super) fn pack<D: Instances>(
    document: &mut D,
    mut given: BTreeMap<String, Vec<u8>>,
    options: &ReadOptions,
) -> Result<(Vec<String>, Vec<Loss>)> {
    let Project { files, roles, absent, .. } = extracted(&*document, &given, options)?;
    let (mut changed, mut left) = (Vec::new(), Vec::new());
    let mut edits = Vec::new();
    for (file, role) in files.into_iter().zip(roles) {
        let Some(new) = given.remove(file.path()) else {
            left.push(Loss::new(file.path(), "missing: the document keeps what it has"));
            continue;
        };
        if same(&file.bytes, &new, role) {
            continue;
        }
        match role {
            Role::Other => left.push(Loss::new(file.path(), "changed, and neither a source nor a meta file")),
            Role::Source(id) | Role::Meta(id) => {
                edits.push((id, role, file.path().to_owned(), file.bytes, new))
            }
        }
    }
    // Meta files of instances that had nothing to tell.
    for (path, id) in absent {
        edits.extend(given.remove(&path).map(|new| (id, Role::Meta(id), path, b"{}".to_vec(), new)));
    }
    let mut budget = rezkit_core::Budget::new(options.max_bytes);
    for (id, role, file, old, new) in edits {
        let wrong = |what: String| Error::argument(what).at(file.as_str());
        let path = Paths::new(&*document).of(id, &mut budget)?;
        match role {
            Role::Source(_) => {
                let source = Value::String(new.into());
                document.put(id, "Source", source).map_err(|error| wrong(error.to_string()))?;
                changed.push(format!("{path}.Source"));
            }
            _ => {
                let json = |bytes: &[u8]| serde_json::from_slice::<Json>(bytes);
                let old = json(&old).map_err(|error| wrong(error.to_string()))?;
                let new = json(&new).map_err(|error| wrong(error.to_string()))?;
                let names = meta::put(document, id, &old, &new).map_err(wrong)?;
                changed.extend(names.into_iter().map(|name| format!("{path}.{name}")));
            }
        }
    }
    // Other files of the folder have nothing to do with it.
    let others = given.into_keys().filter(|path| is_part(path));
    left.extend(others.map(|path| Loss::new(path, "not a file of this document")));
    Ok((changed, left))
}

/// The project to which the files belong: with models where one of them is a model, or only then is one of the project.
fn extracted<D: Instances>(
    document: &D,
    given: &BTreeMap<String, Vec<u8>>,
    options: &ReadOptions,
) -> Result<Project> {
    let models = |extension: &str| project(document, options, &ExtractOptions::new().models(extension));
    if let Some(extension) = ["rbxm", "rbxmx"].iter().find(|&of| given.keys().any(|path| has(path, of))) {
        return models(extension);
    }
    let plain = project(document, options, &ExtractOptions::new())?;
    let known = |project: &Project| {
        let files = project.files.iter().map(|file| file.path());
        let all: HashSet<&str> = files.chain(project.absent.iter().map(|(path, _)| path.as_str())).collect();
        given.keys().filter(|path| all.contains(path.as_str())).count()
    };
    let is_whole = !given.keys().any(|path| is_part(path)) || known(&plain) == given.len();
    if is_whole {
        return Ok(plain);
    }
    let others = models("rbxm")?;
    Ok(if known(&others) > known(&plain) { others } else { plain })
}

fn is_part(path: &str) -> bool {
    PARTS.iter().any(|part| path.starts_with(part))
}

/// The folders that have the files of a project.
const PARTS: [&str; 3] = ["src/", "other/", "sources/"];

fn has(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, found)| found == extension)
}

/// Whether a file means the same: sources that differ by their line ends only, and JSON that is written otherwise, do.
fn same(old: &[u8], new: &[u8], role: Role) -> bool {
    let lines = |bytes: &[u8]| bstr::ByteSlice::replace(bytes, "\r\n", "\n");
    old == new
        || match role {
            Role::Source(_) => lines(old) == lines(new),
            Role::Meta(_) | Role::Other => {
                let json = |bytes: &[u8]| serde_json::from_slice::<Json>(bytes).ok();
                json(old).zip(json(new)).is_some_and(|(old, new)| old == new)
            }
        }
}
