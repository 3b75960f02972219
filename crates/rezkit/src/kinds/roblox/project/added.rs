//! Scripts and folders of a project that the document does not have, and scripts that were moved.

use std::collections::{BTreeMap, HashMap};

use rbxcore::{InstanceId, Value};
use rezkit_core::{Error, File, Result};
use serde_json::Value as Json;

use super::super::Form;
use super::{Role, meta};

/// The path of a script's file without its extension, and the class that the extension means; `None` for other files.
pub(super) fn script(file: &str) -> Option<(&str, &'static str)> {
    let stem = file.strip_suffix(".luau").or_else(|| file.strip_suffix(".lua"))?;
    let server = stem.strip_suffix(".server").map(|stem| (stem, "Script"));
    let client = || stem.strip_suffix(".client").map(|stem| (stem, "LocalScript"));
    Some(server.or_else(client).unwrap_or((stem, "ModuleScript")))
}

/// The path of the meta file beside a script's file.
pub(super) fn meta_of(file: &str) -> String {
    format!("{}.meta.json", script(file).map_or(file, |(stem, _)| stem))
}

/// The scripts among files; a script that is a folder comes before the scripts in it.
pub(super) fn scripts<'a>(files: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut scripts: Vec<(usize, bool, &String)> = files
        .filter_map(|path| {
            let (stem, _) = script(path)?;
            Some((path.matches('/').count(), !stem.ends_with("/init"), path))
        })
        .collect();
    scripts.sort();
    scripts.into_iter().map(|(.., path)| path.clone()).collect()
}

/// A script whose file is missing.
pub(super) struct Gone {
    pub(super) id: InstanceId,
    pub(super) file: String,
    pub(super) source: Vec<u8>,
}

/// Scripts whose files are missing, by class and source, which identify a new file as one of them.
pub(super) struct Missing {
    gone: Vec<Option<Gone>>,
    /// The indices of the scripts with a class and a source. The last one is taken first.
    same: HashMap<(String, Vec<u8>), Vec<usize>>,
    /// The indices of the scripts with a class, a source and a file name.
    named: HashMap<(String, Vec<u8>, String), Vec<usize>>,
}

impl Missing {
    pub(super) fn new(document: &dyn Form, gone: Vec<Gone>) -> Self {
        let (mut same, mut named): (HashMap<_, Vec<_>>, HashMap<_, Vec<_>>) = Default::default();
        for (index, one) in gone.iter().enumerate().rev() {
            let (class, source) = (document.class_of(one.id).into_owned(), one.source.clone());
            same.entry((class.clone(), source.clone())).or_default().push(index);
            named.entry((class, source, name_of(&one.file))).or_default().push(index);
        }
        Self { gone: gone.into_iter().map(Some).collect(), same, named }
    }

    /// The missing script that a new file is, preferably one with the same file name.
    pub(super) fn take(&mut self, class: &str, source: &[u8], file: &str) -> Option<Gone> {
        let key = (class.to_owned(), source.to_vec());
        let named = self.named.get_mut(&(class.to_owned(), source.to_vec(), name_of(file)));
        let lists = named.into_iter().chain(self.same.get_mut(&key));
        // A script is in both lists, so it may already have been taken by way of the other.
        lists.flat_map(|list| std::iter::from_fn(|| list.pop())).find_map(|index| self.gone[index].take())
    }

    /// Scripts without a file, the deepest first.
    pub(super) fn into_deepest_first(self) -> Vec<Gone> {
        let mut gone: Vec<_> = self.gone.into_iter().flatten().collect();
        gone.sort_by_cached_key(|one| {
            // A script with a folder is above the content of the folder.
            let is_folder = script(&one.file).is_some_and(|(stem, _)| stem.ends_with("/init"));
            (std::cmp::Reverse(one.file.matches('/').count() * 2 - usize::from(is_folder)), one.file.clone())
        });
        gone
    }
}

/// The name of the file at a path.
fn name_of(file: &str) -> String {
    file.rsplit('/').next().unwrap_or_default().to_owned()
}

/// The instances of a project's folders, by their paths.
pub(super) struct Folders {
    known: HashMap<String, InstanceId>,
    /// By parent, as far as requested, the first child of each name.
    children: HashMap<Option<InstanceId>, HashMap<String, InstanceId>>,
    pub(super) ids: meta::Ids,
}

impl Folders {
    pub(super) fn new(files: &[File], roles: &[Role], absent: &[(String, InstanceId)]) -> Self {
        let of_files = files.iter().zip(roles).filter_map(|(file, role)| match role {
            Role::Source(id) | Role::Meta(id) => Some((file.path(), *id)),
            Role::Other => None,
        });
        let all = of_files.chain(absent.iter().map(|(path, id)| (path.as_str(), *id)));
        let folder = |(path, id): (&str, InstanceId)| {
            let (folder, name) = path.rsplit_once('/')?;
            name.starts_with("init.").then(|| (folder.to_owned(), id))
        };
        Self { known: all.filter_map(folder).collect(), children: HashMap::new(), ids: meta::Ids::new() }
    }

    /// The instance of a folder, created if it does not exist; `None` for the root.
    fn find(
        &mut self,
        document: &mut dyn Form,
        folder: &str,
        given: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<Option<InstanceId>> {
        // From the folder upwards, until one is known or `src` is left.
        let mut steps = Vec::new();
        let (mut at, mut parent) = (folder, None);
        while let Some((above, name)) = at.rsplit_once('/') {
            parent = self.known.get(at).copied();
            if parent.is_some() {
                break;
            }
            steps.push((at, name));
            at = above;
        }
        for (path, name) in steps.into_iter().rev() {
            let id = match self.child(document, parent, name) {
                Some(id) => id,
                None => {
                    let id = made(document, parent, path, name, given, &self.ids)?;
                    self.add(document, parent, name, |_| Ok(id))?
                }
            };
            self.known.insert(path.to_owned(), id);
            parent = Some(id);
        }
        Ok(parent)
    }

    /// Creates a script at a path, or moves one there. An init file cannot replace an instance that exists at its path:
    /// then returns this instance as the inner error, or `None` for the document itself.
    pub(super) fn put(
        &mut self,
        document: &mut dyn Form,
        stem: &str,
        class: &str,
        moved: Option<InstanceId>,
        given: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<Result<InstanceId, Option<InstanceId>>> {
        let path = stem.strip_suffix("/init").unwrap_or(stem);
        let Some((above, name)) = path.rsplit_once('/') else { return Ok(Err(None)) };
        let is_folder = path.len() < stem.len();
        let parent = self.find(document, above, given)?;
        let child = self.child(document, parent, name).filter(|id| Some(*id) != moved);
        let there = self.known.get(path).copied().or(child);
        if is_folder && there.is_some() {
            return Ok(Err(there));
        }
        let id = self.add(document, parent, name, |document| match moved {
            Some(id) => {
                if document.parent(id) != parent {
                    document.move_to(id, parent)?;
                }
                if document.name_of(id) != name {
                    document.put(id, "Name", Value::from(name))?;
                }
                Ok(id)
            }
            None => named(document, parent, class, name),
        })?;
        if is_folder {
            self.known.insert(path.to_owned(), id);
        }
        Ok(Ok(id))
    }

    /// The child of a parent, or the root instance, with a name.
    fn child(&mut self, document: &dyn Form, parent: Option<InstanceId>, name: &str) -> Option<InstanceId> {
        let named = self.children.entry(parent).or_insert_with(|| {
            let children = parent.map_or_else(|| document.top(), |parent| document.below(parent));
            // If several have one name, the first counts.
            children.into_iter().rev().map(|id| (document.name_of(id).into_owned(), id)).collect()
        });
        // A child may have been moved or renamed since.
        named.get(name).copied().filter(|&id| document.parent(id) == parent && document.name_of(id) == name)
    }

    /// Adds a child that `make` creates or moves, and notes it.
    fn add(
        &mut self,
        document: &mut dyn Form,
        parent: Option<InstanceId>,
        name: &str,
        make: impl FnOnce(&mut dyn Form) -> Result<InstanceId>,
    ) -> Result<InstanceId> {
        let id = make(document)?;
        if let Some(children) = self.children.get_mut(&parent) {
            children.entry(name.to_owned()).or_insert(id);
        }
        Ok(id)
    }
}

fn named(document: &mut dyn Form, parent: Option<InstanceId>, class: &str, name: &str) -> Result<InstanceId> {
    let (id, _) = document.add_default(parent, class)?;
    document.put(id, "Name", Value::from(name))?;
    Ok(id)
}

/// Creates the instance of a folder: a Folder, or an instance of the class in its meta file, with the other data of
/// that file.
fn made(
    document: &mut dyn Form,
    parent: Option<InstanceId>,
    path: &str,
    name: &str,
    given: &mut BTreeMap<String, Vec<u8>>,
    ids: &meta::Ids,
) -> Result<InstanceId> {
    let file = format!("{path}/init.meta.json");
    let Some(bytes) = given.remove(&file) else { return named(document, parent, "Folder", name) };
    let at = |error: String| Error::argument(error).at(file.as_str());
    let mut meta: Json = serde_json::from_slice(&bytes).map_err(|error| at(error.to_string()))?;
    let class = meta.as_object_mut().and_then(|fields| fields.remove("className"));
    let id = named(document, parent, class.as_ref().and_then(Json::as_str).unwrap_or("Folder"), name)?;
    meta::put(document, id, (&Json::Object(serde_json::Map::new()), &meta), ids).map_err(at)?;
    Ok(id)
}
