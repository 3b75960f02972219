//! Applies changed files of a project to the document that they were extracted from.

use std::collections::{BTreeMap, HashMap, HashSet};

use rbxcore::{InstanceId, Value};
use rezkit_core::{Budget, Error, File, Loss, Result};
use serde_json::Value as Json;

use super::super::{Form, Paths, filled};
use super::added::{self, Folders, Gone, Missing, meta_of, script};
use super::{Project, Role, layout, meta, project};
use crate::options::{ExtractOptions, Fill, PackOptions, ReadOptions};

/// Applies changed sources and meta files to the document; returns the changes, by path, and losses for unused
/// files.
///
/// # Errors
/// If a file cannot be applied, with its path; others may already have been applied then.
pub(in super::super::super) fn pack(
    document: &mut dyn Form,
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
    document: &mut dyn Form,
    given: BTreeMap<String, Vec<u8>>,
    project: Project,
    layout: Option<&layout::Layout>,
    pack: PackOptions,
    options: &ReadOptions,
) -> Result<(Vec<String>, Vec<Loss>)> {
    let Project { files, roles, absent, .. } = project;
    let mut packing = Packing {
        folders: Folders::new(&files, &roles, &absent),
        document,
        given,
        layout,
        budget: Budget::new(options.max_bytes),
        changed: Vec::new(),
        left: Vec::new(),
        edits: Vec::new(),
        gone: Vec::new(),
        metas: HashMap::new(),
        sources: HashMap::new(),
        before: HashMap::new(),
        emptied: Vec::new(),
        done: HashSet::new(),
    };
    files.iter().zip(&roles).for_each(|(file, role)| as_extracted(file.path(), *role, &mut packing.given));
    for (file, role) in files.into_iter().zip(roles) {
        packing.compare(file, role, pack.remove)?;
    }
    // New meta files of instances for which `extract` writes none.
    for (file, id) in absent {
        let new = packing.given.remove(&file);
        packing.edits.extend(new.map(|new| Edit { id, is_meta: true, file, old: b"{}".to_vec(), new }));
    }
    packing.remember()?;
    packing.edit()?;
    let missing = packing.add()?;
    packing.remove(missing)?;
    Ok(packing.finish())
}

/// A changed file of an instance.
struct Edit {
    id: InstanceId,
    /// Whether it is a meta file instead of a source.
    is_meta: bool,
    file: String,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// Files that are being applied to a document.
struct Packing<'a> {
    document: &'a mut dyn Form,
    /// The files that are not applied yet.
    given: BTreeMap<String, Vec<u8>>,
    layout: Option<&'a layout::Layout>,
    folders: Folders,
    budget: Budget,
    /// The changes, by path.
    changed: Vec<String>,
    /// What is not applied.
    left: Vec<Loss>,
    edits: Vec<Edit>,
    gone: Vec<Gone>,
    /// The meta files of scripts whose files are missing.
    metas: HashMap<InstanceId, Vec<u8>>,
    /// The files of all scripts.
    sources: HashMap<InstanceId, String>,
    /// The paths of all instances that may be edited, moved or removed, before anything is moved.
    before: HashMap<InstanceId, String>,
    /// The instances that something was taken out of.
    emptied: Vec<InstanceId>,
    /// The meta files of moved and removed scripts, which are not missing.
    done: HashSet<String>,
}

impl Packing<'_> {
    /// Compares a file of the document's project with the given one.
    fn compare(&mut self, file: File, role: Role, removes: bool) -> Result<()> {
        if let Role::Source(id) = role {
            self.budget.take(file.path().len() as u64 + 64, "the names of the scripts' files")?;
            self.sources.insert(id, file.path().to_owned());
        }
        let Some(new) = self.given.remove(file.path()) else {
            self.miss(file, role, removes);
            return Ok(());
        };
        if same(&file.bytes, &new, role) {
            return Ok(());
        }
        match role {
            Role::Other => self.left.push(Loss::warning(
                file.path(),
                "the file was edited, but only scripts and meta files can be packed",
            )),
            Role::Source(id) | Role::Meta(id) => {
                let (is_meta, path) = (matches!(role, Role::Meta(_)), file.path().to_owned());
                self.edits.push(Edit { id, is_meta, file: path, old: file.bytes, new });
            }
        }
        Ok(())
    }

    /// Lists a missing file.
    fn miss(&mut self, file: File, role: Role, removes: bool) {
        // A project that `extract` did not write may contain only a part of the document.
        let is_missed = self.layout.is_none_or(|layout| layout.has(file.path()));
        let what = match role {
            Role::Source(id) if removes && is_missed => {
                return self.gone.push(Gone { id, file: file.path().to_owned(), source: file.bytes });
            }
            Role::Source(_) => {
                "the file is missing from the folder, but the script stays in the document; to remove the script, use \
                 `--remove`"
            }
            Role::Meta(id) => {
                self.metas.insert(id, file.bytes.clone());
                "the meta file is missing from the folder; the values in it stay unchanged in the document"
            }
            Role::Other => {
                "the file is missing from the folder; this changes nothing in the document, since only scripts and \
                 meta files are packed"
            }
        };
        if is_missed && (self.layout.is_none() || matches!(role, Role::Source(_))) {
            self.left.push(Loss::missing(file.path(), what));
        }
    }

    /// Remembers the ids that the user gave to instances, by which references find them, and the paths of instances.
    fn remember(&mut self) -> Result<()> {
        for edit in self.edits.iter().filter(|edit| edit.is_meta) {
            let json = serde_json::from_slice::<Json>(&edit.new).unwrap_or_default();
            let label = json.get("id").and_then(Json::as_str);
            self.folders.ids.extend(label.map(|label| (label.to_owned(), edit.id)));
        }
        let document = &*self.document;
        let folders_above = |id: InstanceId| {
            let above = std::iter::successors(document.parent(id), |&id| document.parent(id));
            above.take_while(|&id| document.class_of(id) == "Folder")
        };
        let mut paths = Paths::new(document);
        let emptied = self.gone.iter().flat_map(|one| [one.id].into_iter().chain(folders_above(one.id)));
        for id in self.edits.iter().map(|edit| edit.id).chain(emptied) {
            if let std::collections::hash_map::Entry::Vacant(entry) = self.before.entry(id) {
                entry.insert(paths.of(id, &mut self.budget)?);
            }
        }
        Ok(())
    }

    /// Applies the changed files.
    fn edit(&mut self) -> Result<()> {
        for Edit { id, is_meta, file, old, new } in std::mem::take(&mut self.edits) {
            let names = match is_meta {
                true => self.put_meta(id, &file, &old, &new)?,
                false => {
                    // A binary document may not store the sources of this class yet.
                    let source = Value::String(new.into());
                    let filled = filled::put(self.document, id, "Source", source, Fill::Defaults);
                    let wrong = |error: Error| Error::argument(error.to_string()).at(file.as_str());
                    self.left.extend(filled.map_err(wrong)?);
                    vec!["Source".to_owned()]
                }
            };
            let path = &self.before[&id];
            self.changed.extend(names.into_iter().map(|name| format!("{path}.{name}")));
        }
        Ok(())
    }

    /// Applies a changed meta file; returns the names of the changed properties.
    fn put_meta(&mut self, id: InstanceId, file: &str, old: &[u8], new: &[u8]) -> Result<Vec<String>> {
        let wrong = |what: String| Error::argument(what).at(file);
        let json = |bytes: &[u8]| {
            serde_json::from_slice::<Json>(bytes).map_err(|error| wrong(format!("invalid JSON: {error}")))
        };
        let (old, new) = (json(old)?, json(new)?);
        let (names, losses) = meta::put(self.document, id, (&old, &new), &self.folders.ids).map_err(wrong)?;
        self.left.extend(losses);
        Ok(names)
    }

    /// Adds new scripts, and moves those whose files have moved; returns the scripts whose files are missing.
    fn add(&mut self) -> Result<Missing> {
        let is_place = self.document.top().into_iter().any(|id| self.is_service(id));
        let mut missing = Missing::new(&*self.document, std::mem::take(&mut self.gone));
        let mut put = Vec::new();
        for file in added::scripts(self.given.keys().filter(|path| path.starts_with(SOURCES))) {
            let Some((source, (stem, class))) = self.given.remove(&file).zip(script(&file)) else { continue };
            let at = |error: Error| error.at(file.as_str());
            let moved = missing.take(class, &source, &file);
            let old = moved.as_ref().map(|one| one.id);
            if let Some(one) = &moved {
                self.emptied.extend(self.document.parent(one.id));
                self.done.insert(meta_of(&one.file));
            }
            let added = self.folders.put(self.document, stem, class, old, &mut self.given).map_err(at)?;
            let id = added.map_err(|there| at(Error::argument(self.why_taken(there, class))))?;
            if old.is_none() {
                let source = Value::String(source.into());
                let filled = filled::put(self.document, id, "Source", source, Fill::Defaults);
                self.left.extend(filled.map_err(at)?);
                if is_place {
                    self.left.extend(self.outside_of_services(id, &file));
                }
            }
            // The meta file beside a moved script may be unchanged or new.
            let name = meta_of(&file);
            let names = match self.given.remove(&name) {
                None => Vec::new(),
                Some(new) => {
                    let own = old.and_then(|id| self.metas.remove(&id)).unwrap_or_else(|| b"{}".to_vec());
                    self.put_meta(id, &name, &own, &new)?
                }
            };
            put.push((id, old, names));
        }
        let mut paths = Paths::new(&*self.document);
        for (id, old, names) in put {
            let path = paths.of(id, &mut self.budget)?;
            match old.map(|id| &self.before[&id]) {
                Some(from) if *from == path => {}
                Some(from) => self.changed.push(format!("{from}: moved to {path}")),
                None => self.changed.push(format!("{path}: added")),
            }
            self.changed.extend(names.into_iter().map(|name| format!("{path}.{name}")));
        }
        Ok(missing)
    }

    fn is_service(&self, id: InstanceId) -> bool {
        rbxcore::classes::is_service(&self.document.class_of(id))
    }

    /// Why a script cannot be added at the place of an instance; `None` is the document itself.
    fn why_taken(&self, there: Option<InstanceId>, class: &str) -> String {
        match (there, there.and_then(|id| self.sources.get(&id))) {
            (None, _) => "`src` is the document itself, which cannot be a script (move the file into a folder below \
                          `src`)"
                .to_owned(),
            (Some(id), Some(_)) if self.document.class_of(id) != class => format!(
                "the script at this path is a {}, and packing does not change the class of a script (remove the script \
                 first)",
                self.document.class_of(id)
            ),
            (_, Some(own)) => {
                let own = self.layout.map_or_else(|| own.clone(), |layout| layout.original(own));
                format!("the file {own:?} is the source of the script at this path (remove one of the two)")
            }
            _ => "the document already has an instance for this folder, and an init file cannot turn it into a script \
                  (move the file into a new folder, or give the file another name to add the script below the instance)"
                .to_owned(),
        }
    }

    /// The warning about a new script of a place that is in no service.
    fn outside_of_services(&self, id: InstanceId, file: &str) -> Option<Loss> {
        let top = std::iter::successors(Some(id), |&id| self.document.parent(id)).last();
        let top = top.filter(|&top| !self.is_service(top))?;
        let name = self.document.name_of(top);
        let what = format!(
            "the script is added below {name:?}, which is at the root of the place but is not a service (move the file \
             into the folder of a service)"
        );
        Some(Loss::warning(file, what))
    }

    /// Removes scripts without children, and then the folders that have become empty.
    fn remove(&mut self, missing: Missing) -> Result<()> {
        for Gone { id, file, .. } in missing.into_deepest_first() {
            if self.document.below(id).is_empty() {
                self.emptied.extend(self.document.parent(id));
                self.document.take_out(id)?;
                self.changed.push(format!("{}: removed", self.before[&id]));
                self.done.insert(meta_of(&file));
            } else {
                self.left.push(Loss::warning(
                    file,
                    "the file is missing, but its script was not removed, since the script has children",
                ));
            }
        }
        self.emptied.sort_unstable();
        self.emptied.dedup();
        while let Some(id) = self.emptied.pop() {
            let Some(path) = self.before.get(&id).filter(|_| self.document.contains(id)) else { continue };
            if self.document.class_of(id) == "Folder" && self.document.below(id).is_empty() {
                self.emptied.extend(self.document.parent(id));
                self.document.take_out(id)?;
                self.changed.push(format!("{path}: removed"));
            }
        }
        Ok(())
    }

    /// The changes, and the losses. Files outside of the project's folders are ignored.
    fn finish(self) -> (Vec<String>, Vec<Loss>) {
        let Self { changed, mut left, given, done, .. } = self;
        left.retain(|loss| !done.contains(&loss.path));
        let others = given.into_keys().filter(|path| is_part(path));
        left.extend(others.map(|path| {
            Loss::warning(path, "the file is not packed, since it belongs to no instance of the document")
        }));
        (changed, left)
    }
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

/// The folder of a project's sources.
const SOURCES: &str = "src/";

/// The project to which the files belong. It has models if one of the files is a model that `extract` would write, or is
/// in no project without models.
fn extracted(
    document: &dyn Form,
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
