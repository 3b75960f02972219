//! Changed files of a project back into the document that they were made of.

use std::collections::{BTreeMap, HashMap, HashSet};

use rbxcore::{InstanceId, Value};
use rezkit_core::{Error, File, Loss, Result};
use serde_json::Value as Json;

use super::super::{Instances, Paths};
use super::{Project, Role, meta, project};
use crate::options::{ExtractOptions, PackOptions, ReadOptions};

/// Puts the sources and meta files that differ from what the document has into it: what changed, by path, and the files
/// that were not put anywhere.
///
/// # Errors
/// Where a file cannot be put into the document, with its path: then some of the others are there already.
pub(in super::super::super) fn pack<D: Instances>(
    document: &mut D,
    mut given: BTreeMap<String, Vec<u8>>,
    pack: PackOptions,
    options: &ReadOptions,
) -> Result<(Vec<String>, Vec<Loss>)> {
    let Project { files, roles, absent, .. } = extracted(&*document, &given, options)?;
    let mut folders = Folders::new(&files, &roles, &absent);
    let (mut changed, mut left) = (Vec::new(), Vec::new());
    let (mut edits, mut gone) = (Vec::new(), Vec::new());
    for (file, role) in files.into_iter().zip(roles) {
        let Some(new) = given.remove(file.path()) else {
            if let (Role::Source(id), true) = (role, pack.remove) {
                gone.push((id, file.path().to_owned()));
                continue;
            }
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
    let mut removed = HashSet::new();
    for (id, file) in gone {
        if document.below(id).is_empty() {
            let path = Paths::new(&*document).of(id, &mut budget)?;
            document.take_out(id)?;
            changed.push(format!("{path}: removed"));
            removed.insert(meta_of(&file));
        } else {
            left.push(Loss::new(file, "missing: the script is kept, since something is below it"));
        }
    }
    left.retain(|loss| !removed.contains(&loss.path));
    // What makes a folder a script comes before what is in the folder.
    let mut scripts: Vec<(usize, bool, String)> = given
        .keys()
        .filter(|path| path.starts_with(SOURCES))
        .filter_map(|path| {
            let (stem, _) = script(path)?;
            Some((path.matches('/').count(), !stem.ends_with("/init"), path.clone()))
        })
        .collect();
    scripts.sort();
    for (_, _, file) in scripts {
        let Some((source, (stem, class))) = given.remove(&file).zip(script(&file)) else { continue };
        let at = |error: Error| error.at(file.as_str());
        match folders.add(document, stem, class)? {
            None => left.push(Loss::new(file, "not put anywhere: what exists at its path is not a script")),
            Some(id) => {
                let put = meta::put_value(document, id, class, "Source", Value::String(source.into()));
                put.map_err(|what| at(Error::argument(what)))?;
                changed.push(format!("{}: added", Paths::new(&*document).of(id, &mut budget)?));
            }
        }
    }
    // Other files of the folder have nothing to do with it.
    let others = given.into_keys().filter(|path| is_part(path));
    left.extend(others.map(|path| Loss::new(path, "not a file of this document")));
    Ok((changed, left))
}

/// Where the sources of a project are.
const SOURCES: &str = "src/";

/// The path of a script's file without its ending, and the class that the ending tells.
fn script(file: &str) -> Option<(&str, &'static str)> {
    let stem = file.strip_suffix(".luau").or_else(|| file.strip_suffix(".lua"))?;
    let server = stem.strip_suffix(".server").map(|stem| (stem, "Script"));
    let client = || stem.strip_suffix(".client").map(|stem| (stem, "LocalScript"));
    Some(server.or_else(client).unwrap_or((stem, "ModuleScript")))
}

/// The path of the meta file beside a script's file.
fn meta_of(file: &str) -> String {
    format!("{}.meta.json", script(file).map_or(file, |(stem, _)| stem))
}

/// The instances of a project's folders, by their paths.
struct Folders(HashMap<String, InstanceId>);

impl Folders {
    fn new(files: &[File], roles: &[Role], absent: &[(String, InstanceId)]) -> Self {
        let of_files = files.iter().zip(roles).filter_map(|(file, role)| match role {
            Role::Source(id) | Role::Meta(id) => Some((file.path(), *id)),
            Role::Other => None,
        });
        let all = of_files.chain(absent.iter().map(|(path, id)| (path.as_str(), *id)));
        let folder = |(path, id): (&str, InstanceId)| {
            let (folder, name) = path.rsplit_once('/')?;
            name.starts_with("init.").then(|| (folder.to_owned(), id))
        };
        Self(all.filter_map(folder).collect())
    }

    /// The instance of a folder, which is made if it does not exist; `None` for the root.
    fn find<D: Instances>(&mut self, document: &mut D, folder: &str) -> Result<Option<InstanceId>> {
        // From the folder upwards, until one is known or `src` is left.
        let mut steps = Vec::new();
        let (mut at, mut parent) = (folder, None);
        while let Some((above, name)) = at.rsplit_once('/') {
            parent = self.0.get(at).copied();
            if parent.is_some() {
                break;
            }
            steps.push((at, name));
            at = above;
        }
        for (path, name) in steps.into_iter().rev() {
            let id = match child(document, parent, name) {
                Some(id) => id,
                None => named(document, parent, "Folder", name)?,
            };
            self.0.insert(path.to_owned(), id);
            parent = Some(id);
        }
        Ok(parent)
    }

    /// A new script; `None` if something else exists there.
    fn add<D: Instances>(&mut self, document: &mut D, stem: &str, class: &str) -> Result<Option<InstanceId>> {
        let path = stem.strip_suffix("/init").unwrap_or(stem);
        let Some((above, name)) = path.rsplit_once('/') else { return Ok(None) };
        let is_folder = path.len() < stem.len();
        let parent = self.find(document, above)?;
        if is_folder && (self.0.contains_key(path) || child(document, parent, name).is_some()) {
            return Ok(None);
        }
        let id = named(document, parent, class, name)?;
        if is_folder {
            self.0.insert(path.to_owned(), id);
        }
        Ok(Some(id))
    }
}

/// The child of a name, or the root.
fn child<D: Instances>(document: &D, parent: Option<InstanceId>, name: &str) -> Option<InstanceId> {
    let children = parent.map_or_else(|| document.top(), |parent| document.below(parent));
    children.into_iter().find(|&id| document.name_of(id) == name)
}

fn named<D: Instances>(
    document: &mut D,
    parent: Option<InstanceId>,
    class: &str,
    name: &str,
) -> Result<InstanceId> {
    let (id, _) = document.add(parent, class)?;
    document.put(id, "Name", Value::from(name))?;
    Ok(id)
}

/// The project to which the files belong: with models where one of them is a model, or only then is one of the project.
fn extracted<D: Instances>(
    document: &D,
    given: &BTreeMap<String, Vec<u8>>,
    options: &ReadOptions,
) -> Result<Project> {
    let models = |extension: &str| {
        // What is refused in `extract` is only compared here.
        project(document, options, &ExtractOptions::new().models(extension).allow_loss(true))
    };
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
