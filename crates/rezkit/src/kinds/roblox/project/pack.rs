//! Applies changed files of a project to the document that they were extracted from.

use std::collections::{BTreeMap, HashMap, HashSet};

use rbxcore::{InstanceId, Value};
use rezkit_core::{Budget, Error, Loss, Result};
use serde_json::Value as Json;

use super::super::{Instances, Paths, filled};
use super::added::{self, Folders, Gone, Missing, meta_of, script};
use super::{Project, Role, layout, meta, project};
use crate::options::{ExtractOptions, Fill, PackOptions, ReadOptions};

/// Applies changed sources and meta files to the document; returns the changes, by path, and losses for unused
/// files.
///
/// # Errors
/// If a file cannot be applied, with its path; others may already have been applied then.
pub(in super::super::super) fn pack(
    document: &mut dyn Instances,
    mut given: BTreeMap<String, Vec<u8>>,
    pack: PackOptions,
    options: &ReadOptions,
) -> Result<(Vec<String>, Vec<Loss>)> {
    let mut project = extracted(&*document, &given, options)?;
    let own = project.files.iter().find(|file| file.path() == layout::PROJECT);
    let mut budget = Budget::new(options.max_bytes);
    let layout = layout::as_extracted(&mut given, own.map(|file| &*file.bytes), &mut budget)?;
    let Some(layout) = layout else { return put_back(document, given, project, None, pack, options) };
    project = extracted(&*document, &given, options)?;
    let packed = put_back(document, given, project, Some(&layout), pack, options);
    let named = |loss: Loss| loss.below(|path| layout.original(path));
    packed
        .map(|(changed, losses)| (changed, losses.into_iter().map(named).collect()))
        .map_err(|error| error.below(|path| layout.original(path)))
}

/// Applies changed files, given by the paths of the project that `extract` writes. `layout`: the paths of another
/// project to which they belong.
fn put_back(
    document: &mut dyn Instances,
    mut given: BTreeMap<String, Vec<u8>>,
    project: Project,
    layout: Option<&layout::Layout>,
    pack: PackOptions,
    options: &ReadOptions,
) -> Result<(Vec<String>, Vec<Loss>)> {
    let Project { files, roles, absent, .. } = project;
    let mut folders = Folders::new(&files, &roles, &absent);
    let mut budget = Budget::new(options.max_bytes);
    files.iter().zip(&roles).for_each(|(file, role)| as_extracted(file.path(), *role, &mut given));
    let (mut changed, mut left) = (Vec::new(), Vec::new());
    let (mut edits, mut gone, mut metas) = (Vec::new(), Vec::new(), HashMap::new());
    // The files of all scripts.
    let mut sources = HashMap::new();
    for (file, role) in files.into_iter().zip(roles) {
        if let Role::Source(id) = role {
            budget.take(file.path().len() as u64 + 64, "the names of the scripts' files")?;
            sources.insert(id, file.path().to_owned());
        }
        let Some(new) = given.remove(file.path()) else {
            // A project that `extract` did not write may contain only a part of the document.
            let is_missed = layout.is_none_or(|layout| layout.has(file.path()));
            match role {
                Role::Source(id) if pack.remove && is_missed => {
                    gone.push(Gone { id, file: file.path().to_owned(), source: file.bytes });
                    continue;
                }
                Role::Meta(id) => _ = metas.insert(id, file.bytes.clone()),
                _ => {}
            }
            if is_missed && (layout.is_none() || matches!(role, Role::Source(_))) {
                let what = match role {
                    Role::Source(_) => {
                        "the file is missing from the folder, but the script stays in the document; to remove the \
                         script, use `--remove`"
                    }
                    Role::Meta(_) => {
                        "the meta file is missing from the folder; the values in it stay unchanged in the document"
                    }
                    Role::Other => {
                        "the file is missing from the folder; this changes nothing in the document, since only \
                         scripts and meta files are packed"
                    }
                };
                left.push(Loss::missing(file.path(), what));
            }
            continue;
        };
        if same(&file.bytes, &new, role) {
            continue;
        }
        match role {
            Role::Other => left.push(Loss::warning(
                file.path(),
                "the file was edited, but only scripts and meta files can be packed",
            )),
            Role::Source(id) | Role::Meta(id) => {
                edits.push((id, role, file.path().to_owned(), file.bytes, new))
            }
        }
    }
    // New meta files of instances for which `extract` writes none.
    for (path, id) in absent {
        edits.extend(given.remove(&path).map(|new| (id, Role::Meta(id), path, b"{}".to_vec(), new)));
    }
    // Ids that the user gave to instances, by which references find them.
    for (id, _, _, _, new) in edits.iter().filter(|(_, role, ..)| matches!(role, Role::Meta(_))) {
        let json = serde_json::from_slice::<Json>(new).unwrap_or_default();
        let label = json.get("id").and_then(Json::as_str);
        folders.ids.extend(label.map(|label| (label.to_owned(), *id)));
    }
    // The paths of all instances that may be edited, moved or removed, before anything is moved.
    let folders_above = |id: InstanceId| {
        let above = std::iter::successors(document.above(id), |&id| document.above(id));
        above.take_while(|&id| document.class_of(id) == "Folder")
    };
    let (mut before, mut paths) = (HashMap::new(), Paths::new(&*document));
    let emptied = gone.iter().flat_map(|one: &Gone| [one.id].into_iter().chain(folders_above(one.id)));
    for id in edits.iter().map(|(id, ..)| *id).chain(emptied) {
        if let std::collections::hash_map::Entry::Vacant(entry) = before.entry(id) {
            entry.insert(paths.of(id, &mut budget)?);
        }
    }
    for (id, role, file, old, new) in edits {
        let wrong = |what: String| Error::argument(what).at(file.as_str());
        let path = &before[&id];
        match role {
            Role::Source(_) => {
                // A binary document may not store the sources of this class yet.
                let source = Value::String(new.into());
                let filled = filled::put(document, id, "Source", source, Fill::Defaults);
                left.extend(filled.map_err(|error| wrong(error.to_string()))?);
                changed.push(format!("{path}.Source"));
            }
            _ => {
                let (names, losses) = put_meta(document, id, &file, (&old, &new), &folders.ids)?;
                left.extend(losses);
                changed.extend(names.into_iter().map(|name| format!("{path}.{name}")));
            }
        }
    }
    let is_service = |document: &dyn Instances, id| rbxcore::classes::is_service(&document.class_of(id));
    let is_place = document.top().into_iter().any(|id| is_service(&*document, id));
    let mut missing = Missing::new(&*document, gone);
    let (mut done, mut emptied, mut put) = (HashSet::new(), Vec::new(), Vec::new());
    for file in added::scripts(given.keys().filter(|path| path.starts_with(SOURCES))) {
        let Some((source, (stem, class))) = given.remove(&file).zip(script(&file)) else { continue };
        let at = |error: Error| error.at(file.as_str());
        let moved = missing.take(class, &source, &file);
        let old = moved.as_ref().map(|one| one.id);
        if let Some(one) = &moved {
            emptied.extend(document.above(one.id));
            done.insert(meta_of(&one.file));
        }
        let id = match folders.put(document, stem, class, old, &mut given).map_err(at)? {
            Ok(id) => id,
            Err(there) => {
                let what = match (there, there.and_then(|id| sources.get(&id))) {
                    (None, _) => "`src` is the document itself, which cannot be a script (move the file into a folder \
                                  below `src`)"
                        .to_owned(),
                    (Some(id), Some(_)) if document.class_of(id) != class => format!(
                        "the script at this path is a {}, and packing does not change the class of a script (remove \
                         the script first)",
                        document.class_of(id)
                    ),
                    (_, Some(own)) => {
                        let own = layout.map_or_else(|| own.clone(), |layout| layout.original(own));
                        format!("the file {own:?} is the source of the script at this path (remove one of the two)")
                    }
                    _ => "the document already has an instance for this folder, and an init file cannot turn it into \
                          a script (move the file into a new folder, or give the file another name to add the script \
                          below the instance)"
                        .to_owned(),
                };
                return Err(at(Error::argument(what)));
            }
        };
        if old.is_none() {
            let filled = filled::put(document, id, "Source", Value::String(source.into()), Fill::Defaults);
            left.extend(filled.map_err(at)?);
        }
        let top = std::iter::successors(Some(id), |&id| document.above(id)).last();
        if let Some(top) = top.filter(|&top| is_place && old.is_none() && !is_service(&*document, top)) {
            let name = document.name_of(top);
            let what = format!(
                "the script is added below {name:?}, which is at the root of the place but is not a service (move the \
                 file into the folder of a service)"
            );
            left.push(Loss::warning(&*file, what));
        }
        // The meta file beside a moved script may be unchanged or new.
        let name = meta_of(&file);
        let names = match given.remove(&name) {
            None => Vec::new(),
            Some(new) => {
                let old = old.and_then(|id| metas.remove(&id)).unwrap_or_else(|| b"{}".to_vec());
                let (names, losses) = put_meta(document, id, &name, (&old, &new), &folders.ids)?;
                left.extend(losses);
                names
            }
        };
        put.push((id, old.map(|id| before[&id].as_str()), names));
    }
    let mut paths = Paths::new(&*document);
    for (id, from, names) in put {
        let path = paths.of(id, &mut budget)?;
        match from {
            Some(from) if from == path => {}
            Some(from) => changed.push(format!("{from}: moved to {path}")),
            None => changed.push(format!("{path}: added")),
        }
        changed.extend(names.into_iter().map(|name| format!("{path}.{name}")));
    }
    for Gone { id, file, .. } in missing.into_deepest_first() {
        if document.below(id).is_empty() {
            emptied.extend(document.above(id));
            document.take_out(id)?;
            changed.push(format!("{}: removed", before[&id]));
            done.insert(meta_of(&file));
        } else {
            left.push(Loss::warning(
                file,
                "the file is missing, but its script was not removed, since the script has children",
            ));
        }
    }
    // Remove the folders that have become empty.
    emptied.sort_unstable();
    emptied.dedup();
    while let Some(id) = emptied.pop() {
        let Some(path) = before.get(&id).filter(|_| document.has(id)) else { continue };
        if document.class_of(id) == "Folder" && document.below(id).is_empty() {
            emptied.extend(document.above(id));
            document.take_out(id)?;
            changed.push(format!("{path}: removed"));
        }
    }
    left.retain(|loss| !done.contains(&loss.path));
    // Files outside of the project's folders are ignored.
    let others = given.into_keys().filter(|path| is_part(path));
    left.extend(others.map(|path| {
        Loss::warning(path, "the file is not packed, since it belongs to no instance of the document")
    }));
    Ok((changed, left))
}

/// Gives the file of a script and its meta file the names that `extract` gives them, if they have other names that Rojo
/// reads in the same way: `Run/init.luau` for `Run.luau`, or the reverse, and `.lua` for `.luau`.
fn as_extracted(path: &str, role: Role, given: &mut BTreeMap<String, Vec<u8>>) {
    let Some((stem, _)) = script(path).filter(|_| matches!(role, Role::Source(_))) else { return };
    let suffix = &path[stem.len()..];
    let other = stem.strip_suffix("/init").map_or_else(|| format!("{stem}/init"), str::to_owned);
    let lua = suffix.replace(".luau", ".lua");
    let names = [format!("{stem}{lua}"), format!("{other}{suffix}"), format!("{other}{lua}")];
    let Some(name) = names.iter().find(|name| !given.contains_key(path) && given.contains_key(*name)) else {
        return;
    };
    for (from, to) in [(meta_of(name), meta_of(path)), (name.clone(), path.to_owned())] {
        given.remove(&from).and_then(|bytes| given.insert(to, bytes));
    }
}

/// Applies a changed meta file to the document; returns the names of the changed properties.
fn put_meta(
    document: &mut dyn Instances,
    id: InstanceId,
    file: &str,
    (old, new): (&[u8], &[u8]),
    ids: &meta::Ids,
) -> Result<(Vec<String>, Vec<Loss>)> {
    let wrong = |what: String| Error::argument(what).at(file);
    let json = |bytes: &[u8]| {
        serde_json::from_slice::<Json>(bytes).map_err(|error| wrong(format!("invalid JSON: {error}")))
    };
    let (old, new) = (json(old)?, json(new)?);
    meta::put(document, id, (&old, &new), ids).map_err(wrong)
}

/// The folder of a project's sources.
const SOURCES: &str = "src/";

/// The project to which the files belong. It has models if one of the files is a model that `extract` would write, or is
/// in no project without models.
fn extracted(
    document: &dyn Instances,
    given: &BTreeMap<String, Vec<u8>>,
    options: &ReadOptions,
) -> Result<Project> {
    let models = |extension: &str| {
        // The models are only compared here, so content that `extract` would refuse is accepted.
        project(document, options, &ExtractOptions::new().models(extension).allow_loss(true))
    };
    for extension in ["rbxm", "rbxmx"] {
        if given.keys().any(|path| has(path, extension)) {
            let made = models(extension)?;
            // Other models are the user's.
            if made.files.iter().any(|file| has(file.path(), extension) && given.contains_key(file.path())) {
                return Ok(made);
            }
        }
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

/// The folders that contain the files of a project.
const PARTS: [&str; 3] = ["src/", "other/", "sources/"];

fn has(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, found)| found == extension)
}

/// Whether two files are equivalent: sources may differ in their line ends, and JSON in its formatting.
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
