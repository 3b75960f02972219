//! The files in a document, in the shape of its tree: scripts named as Rojo names them, and bytes of known
//! layouts.

use std::collections::{BTreeMap, HashSet};

use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::{Any, Instances};
use crate::blobs::{Attributes, PhysicsGrid, SmoothGrid, Tags, from_slice};
use crate::error::Result;
use crate::extract::{File, file_name};
use crate::limits::Budget;
use crate::options::ReadOptions;

/// All files. Below `src`, every instance that is or contains a script is a file or a folder, so that Rojo
/// opens it with the project file beside it.
///
/// # Errors
/// Where what is decoded takes more than a read may allocate.
pub(in super::super) fn files<D: Instances>(document: &D, options: &ReadOptions) -> Result<Vec<File>> {
    let mut files = Vec::new();
    let mut wanted = HashSet::new();
    mark(document, &mut wanted);
    let mut project = serde_json::Map::new();
    project.insert("$className".into(), "DataModel".into());
    let mut names = HashSet::new();
    for id in document.top().into_iter().filter(|id| wanted.contains(id)) {
        let name = unique(&document.name_of(id), &mut names);
        scripts(document, id, vec!["src".into()], &name, &wanted, &mut files);
        let class = document.class_of(id);
        let mut entry = json!({ "$path": format!("src/{name}") });
        if super::types::is_service(&class)
            && let Json::Object(entry) = &mut entry
        {
            entry.insert("$className".into(), class.into_owned().into());
        }
        project.insert(document.name_of(id).into_owned(), entry);
    }
    if !files.is_empty() {
        // A root that is a script is a file, with what Rojo adds to its name.
        for (_, entry) in project.iter_mut().filter(|(key, _)| *key != "$className") {
            if let Some(path) = entry["$path"].as_str()
                && let Some(file) = files
                    .iter()
                    .find(|file| file.path.len() == 2 && file.path.join("/").starts_with(&format!("{path}.")))
            {
                entry["$path"] = file.path.join("/").into();
            }
        }
        let project = json!({ "name": "extracted", "tree": project });
        files.push(File::json(&["default.project.json"], &project));
    }
    blobs(document, &mut Budget::new(options), &mut files)?;
    Ok(files)
}

/// The scripts and everything above them.
fn mark<D: Instances>(document: &D, wanted: &mut HashSet<D::Id>) {
    let mut parents = std::collections::HashMap::new();
    let ids = document.all();
    for &id in &ids {
        parents.extend(document.below(id).into_iter().map(|child| (child, id)));
    }
    for id in ids {
        let mut next = suffix(&document.class_of(id)).map(|_| id);
        while let Some(id) = next {
            if !wanted.insert(id) {
                break;
            }
            next = parents.get(&id).copied();
        }
    }
}

/// What Rojo adds to the name of a script's file.
fn suffix(class: &str) -> Option<&'static str> {
    Some(match class {
        "Script" => ".server.luau",
        "LocalScript" => ".client.luau",
        "ModuleScript" => ".luau",
        _ => return None,
    })
}

fn scripts<D: Instances>(
    document: &D,
    id: D::Id,
    folder: Vec<String>,
    name: &str,
    wanted: &HashSet<D::Id>,
    files: &mut Vec<File>,
) {
    // No recursion: trees can be deep.
    let mut waiting = vec![(id, folder, name.to_owned())];
    while let Some((id, folder, name)) = waiting.pop() {
        let class = document.class_of(id);
        let children: Vec<_> = document.below(id).into_iter().filter(|id| wanted.contains(id)).collect();
        let mut inner = folder.clone();
        inner.push(name.clone());
        if let Some(suffix) = suffix(&class) {
            let source = match document.value(id, "Source") {
                Some(Any::Value(source)) => source.as_bytes().unwrap_or_default().to_vec(),
                _ => Vec::new(),
            };
            let mut path = if children.is_empty() { folder } else { inner.clone() };
            path.push(if children.is_empty() { format!("{name}{suffix}") } else { format!("init{suffix}") });
            files.push(File { path, bytes: source });
        } else if class != "Folder" && !super::types::is_service(&class) {
            let mut path = inner.clone();
            path.push("init.meta.json".into());
            files.push(File { path, bytes: format!("{:#}\n", json!({ "className": class })).into_bytes() });
        }
        let mut names = HashSet::new();
        for child in children {
            let name = unique(&document.name_of(child), &mut names);
            waiting.push((child, inner.clone(), name));
        }
    }
}

/// A file name that no sibling has.
fn unique(name: &str, names: &mut HashSet<String>) -> String {
    let base = file_name(name);
    let mut name = base.clone();
    let mut number = 2;
    while !names.insert(name.to_lowercase()) {
        name = format!("{base} ({number})");
        number += 1;
    }
    name
}

/// Attributes as an object.
struct Named(Attributes);

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.0.iter().map(|(name, value)| (name.to_string(), value)))
    }
}

/// Attributes and tags by path, terrain, and shared strings.
fn blobs<D: Instances>(document: &D, budget: &mut Budget, files: &mut Vec<File>) -> Result<()> {
    let (mut attributes, mut all_tags) = (BTreeMap::new(), BTreeMap::new());
    let mut shared: HashSet<Vec<u8>> = HashSet::new();
    for id in document.all() {
        for (property, value) in document.values(id) {
            let Any::Value(value) = value else { continue };
            let Some(bytes) = value.as_bytes().filter(|bytes| !bytes.is_empty()) else { continue };
            let path = document.path_of(id);
            let what = format!("{path}.{property}");
            budget.take(super::cost(&property, bytes), &what)?;
            match property.as_str() {
                "AttributesSerialize" => {
                    if let Ok(decoded) = from_slice(bytes) {
                        attributes.insert(path, Named(decoded));
                    }
                }
                "Tags" => {
                    if let Ok(Tags(names)) = from_slice(bytes) {
                        all_tags.insert(path, names.iter().map(ToString::to_string).collect::<Vec<_>>());
                    }
                }
                "SmoothGrid" | "PhysicsGrid" => {
                    let name = format!("{}.{property}", file_name(&path));
                    let file = |ending: &str| vec!["terrain".into(), format!("{name}.{ending}")];
                    files.push(File { path: file("bin"), bytes: bytes.to_vec() });
                    let json = match property.as_str() {
                        "SmoothGrid" => from_slice::<SmoothGrid>(bytes).map(|grid| budget.json(&grid, &what)),
                        _ => from_slice::<PhysicsGrid>(bytes).map(|grid| budget.json(&grid, &what)),
                    };
                    if let Ok(json) = json {
                        files.push(File { path: file("json"), bytes: json? });
                    }
                }
                _ if value.type_id() == ::rbxbinary::TypeId::SHARED_STRING
                    && shared.insert(bytes.to_vec()) =>
                {
                    let name = format!("{}-{property}.bin", shared.len());
                    files.push(File { path: vec!["shared".into(), name], bytes: bytes.to_vec() });
                }
                _ => {}
            }
        }
    }
    if !attributes.is_empty() {
        let bytes = budget.json(&attributes, "attributes.json")?;
        files.push(File { path: vec!["attributes.json".into()], bytes });
    }
    if !all_tags.is_empty() {
        let bytes = budget.json(&all_tags, "tags.json")?;
        files.push(File { path: vec!["tags.json".into()], bytes });
    }
    Ok(())
}
