//! The files in a document, in the shape of its tree: scripts named as Rojo names them, and bytes of known
//! layouts.

use std::collections::{BTreeMap, HashSet};

use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::{Any, Instances, Paths};
use crate::blobs::{Attributes, PhysicsGrid, SmoothGrid, Tags, from_slice};
use crate::options::ReadOptions;
use rezkit_core::Budget;
use rezkit_core::Result;
use rezkit_core::{File, Files, Names};

/// All files. Below `src`, every instance that is or contains a script is a file or a folder, so that Rojo
/// opens it with the project file beside it.
///
/// # Errors
/// Where what is decoded takes more than a read may allocate.
pub(in super::super) fn files<D: Instances>(document: &D, options: &ReadOptions) -> Result<Vec<File>> {
    let (mut files, mut budget) = (Files::default(), Budget::new(options.max_bytes));
    let mut wanted = HashSet::new();
    mark(document, &mut wanted);
    let mut project = serde_json::Map::new();
    project.insert("$className".into(), "DataModel".into());
    let mut names = Names::default();
    for id in document.top().into_iter().filter(|id| wanted.contains(id)) {
        let name = names.unique(&document.name_of(id));
        scripts(document, id, &name, &wanted, &mut files, &mut budget)?;
        let class = document.class_of(id);
        // A root that is a script is a file, with what Rojo adds to its name.
        let is_file = suffix(&class).filter(|_| !document.below(id).iter().any(|id| wanted.contains(id)));
        let mut entry = json!({ "$path": format!("src/{name}{}", is_file.unwrap_or_default()) });
        if super::types::is_service(&class)
            && let Json::Object(entry) = &mut entry
        {
            entry.insert("$className".into(), class.into_owned().into());
        }
        project.insert(document.name_of(id).into_owned(), entry);
    }
    if !files.is_empty() {
        let project = json!({ "name": "extracted", "tree": project });
        files.add(&["default.project.json"], budget.json(&project, "default.project.json")?);
    }
    blobs(document, &mut budget, &mut files)?;
    Ok(files.into_vec())
}

/// The scripts and everything above them.
fn mark<D: Instances>(document: &D, wanted: &mut HashSet<D::Id>) {
    for id in document.all() {
        let mut next = suffix(&document.class_of(id)).map(|_| id);
        while let Some(id) = next {
            if !wanted.insert(id) {
                break;
            }
            next = document.above(id);
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
    name: &str,
    wanted: &HashSet<D::Id>,
    files: &mut Files,
    budget: &mut Budget,
) -> Result<()> {
    // No recursion: trees can be deep.
    let mut waiting = vec![(id, "src".to_owned(), name.to_owned())];
    while let Some((id, folder, name)) = waiting.pop() {
        let class = document.class_of(id);
        let children: Vec<_> = document.below(id).into_iter().filter(|id| wanted.contains(id)).collect();
        let inner = format!("{folder}/{name}");
        // The path is kept with each child and with each file.
        budget.take((inner.len() * (children.len() + 2)) as u64, "the paths of the scripts")?;
        let mut add = |folder: &str, name: &str, bytes: Vec<u8>| {
            let path: Vec<&str> = folder.split('/').chain([name]).collect();
            files.add(&path, bytes);
        };
        if let Some(suffix) = suffix(&class) {
            let value = document.value(id, "Source");
            let source = value.as_ref().and_then(Any::bytes).unwrap_or_default();
            budget.take(source.len() as u64, &inner)?;
            let source = source.to_vec();
            match children.is_empty() {
                true => add(&folder, &format!("{name}{suffix}"), source),
                false => add(&inner, &format!("init{suffix}"), source),
            }
        } else if class != "Folder" && !super::types::is_service(&class) {
            add(&inner, "init.meta.json", format!("{:#}\n", json!({ "className": class })).into_bytes());
        }
        let mut names = Names::default();
        for child in children {
            let name = names.unique(&document.name_of(child));
            waiting.push((child, inner.clone(), name));
        }
    }
    Ok(())
}

/// Attributes as an object.
struct Named(Attributes);

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.0.iter().map(|(name, value)| (name.to_string(), value)))
    }
}

/// Attributes and tags by path, terrain, and shared strings.
fn blobs<D: Instances>(document: &D, budget: &mut Budget, files: &mut Files) -> Result<()> {
    let (mut attributes, mut all_tags) = (BTreeMap::new(), BTreeMap::new());
    let mut paths = Paths::new(document);
    // By their addresses: a shared string is in the document once.
    let mut shared: HashSet<(usize, usize)> = HashSet::new();
    for id in document.all() {
        for (property, value) in document.values(id) {
            let Some(bytes) = value.bytes().filter(|bytes| !bytes.is_empty()) else { continue };
            let is_shared = matches!(value, Any::Shared(_));
            if !is_shared
                && !matches!(&*property, "AttributesSerialize" | "Tags" | "SmoothGrid" | "PhysicsGrid")
            {
                continue;
            }
            let path = paths.of(id, budget)?;
            let what = format!("{path}.{property}");
            budget.take(super::cost(&property, bytes) + what.len() as u64, &what)?;
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
                    let name = |ending| format!("{path}.{property}.{ending}");
                    files.add(&["terrain", &name("bin")], bytes.to_vec());
                    let json = match property.as_str() {
                        "SmoothGrid" => from_slice::<SmoothGrid>(bytes).map(|grid| budget.json(&grid, &what)),
                        _ => from_slice::<PhysicsGrid>(bytes).map(|grid| budget.json(&grid, &what)),
                    };
                    if let Ok(json) = json {
                        files.add(&["terrain", &name("json")], json?);
                    }
                }
                _ if is_shared && shared.insert((bytes.as_ptr() as usize, bytes.len())) => {
                    budget.take(bytes.len() as u64, &what)?;
                    files.add(&["shared", &format!("{}-{property}.bin", shared.len())], bytes.to_vec());
                }
                _ => {}
            }
        }
    }
    if !attributes.is_empty() {
        let bytes = budget.json(&attributes, "attributes.json")?;
        files.add(&["attributes.json"], bytes);
    }
    if !all_tags.is_empty() {
        let bytes = budget.json(&all_tags, "tags.json")?;
        files.add(&["tags.json"], bytes);
    }
    Ok(())
}
