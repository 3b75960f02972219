//! Packs a folder into a document, in four steps: its instances are read, matched with those of the document, what
//! differs is planned, and the plan is applied.

use rbxdocument::view::View as _;
use std::collections::{BTreeMap, HashMap, HashSet};

use geom::files::Files;
use geom::wire::{Budget, Error, Loss, Result};
use rbxcore::{InstanceId, Value, classes};
use serde_json::Value as Json;

use crate::apply::apply;
use crate::blobs;
use crate::extract::extract;
use crate::meta::{IDENTIFIERS, is_default};
use crate::options::{ExtractOptions, PackOptions};
use crate::plan::{self, Plan, Step};
use crate::snapshot::{PROJECT, PROJECTS, Snapshot, with_folders};
use crate::table::{Is, Table, table};
use crate::tree::{self, Scripts};
use crate::wants::Wants;
use rbxcore::Dom;
use rbxdocument::attribute_refs::key_of;
use rbxdocument::paths::Paths;
use rbxdocument::state::{Action, At};
use rbxdocument::write::By;

/// What packing did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Packed {
    /// What changed, by path, a line for each.
    pub changes: Vec<String>,
    /// The files that belong to no instance, and what the document cannot represent.
    pub losses: Vec<Loss>,
}

/// Applies the files of a project, by their paths below its folder, to a document: all or nothing.
///
/// # Errors
/// If a file cannot be applied, with its path; the document is unchanged then.
pub fn pack(document: &mut dyn Dom, given: &BTreeMap<String, Vec<u8>>, pack: &PackOptions) -> Result<Packed> {
    let (mut budget, mut of_nodes) = (Budget::new(pack.max_bytes), Budget::new(pack.max_bytes));
    let none = br#"{"tree":{"$className":"DataModel"}}"#.as_slice();
    let (written, all);
    let (project, text, given) = match project_of(given, pack.project.as_deref())? {
        Some((path, bytes)) => (path, &**bytes, given),
        None => {
            let own = extract(&*document, &ExtractOptions::new().max_bytes(pack.max_bytes))?.files;
            let mut own: BTreeMap<String, Vec<u8>> =
                own.into_iter().map(|file| (file.path().to_owned(), file.bytes)).collect();
            written = own.remove(PROJECT);
            // Some of the files of `extract`: what is not among them stays as it is.
            let is_part = !pack.remove && given.keys().any(|path| own.contains_key(path));
            own.extend(given.iter().map(|(path, bytes)| (path.clone(), bytes.clone())));
            all = own;
            (PROJECT, written.as_deref().unwrap_or(none), if is_part { &all } else { given })
        }
    };
    let name = pack.name.as_deref().unwrap_or_default();
    let snapshot = Snapshot::new(given, (project, text, name), &mut of_nodes)?;
    unused(&snapshot, given)?;
    let wants = Wants::read(&snapshot, pack.max_bytes, &mut budget)?;
    let mut scripts = Scripts::of(&*document, &mut budget)?;
    let others = std::mem::take(&mut scripts.others);
    let table = table(&*document, &wants, &scripts, pack.remove);
    let mut plan = plan::plan(&*document, &wants, &table, (pack.remove, pack.max_bytes), &mut budget)?;
    plan.steps.splice(..0, sources(&*document, given, &others, &mut budget)?);
    let mut losses = snapshot.left.clone();
    losses.append(&mut plan.losses);
    losses.extend(views(&*document, &snapshot, given, &mut budget)?);
    losses.extend(not_packed(&snapshot, given));
    if plan.steps.is_empty() {
        return Ok(Packed { changes: Vec::new(), losses });
    }
    let mut new = document.copy();
    let (ids, filled) = apply(&mut *new, &wants, &table.wants, &plan, &mut budget)?;
    losses.extend(filled);
    let report = Report { before: &*document, after: &*new, wants: &wants, table: &table, ids: &ids };
    losses.extend(report.strays(&plan));
    let lines = report.lines(&plan, &mut budget)?;
    rbxdocument::which::assign(document, new);
    Ok(Packed { changes: lines, losses })
}

/// The project file, and its content: the one with this path, the one of the usual name, or the only one with another
/// name.
fn project_of<'g>(
    given: &'g BTreeMap<String, Vec<u8>>,
    path: Option<&str>,
) -> Result<Option<(&'g str, &'g Vec<u8>)>> {
    if let Some(path) = path {
        let found = given.get_key_value(path).map(|(path, bytes)| (path.as_str(), bytes));
        return found
            .map(Some)
            .ok_or_else(|| Error::argument("no such project file").at_path(path.to_owned()));
    }
    let usual = PROJECTS.iter().find_map(|name| given.get_key_value(*name));
    let is_one = |path: &str| path.ends_with(".project.json") || path.ends_with(".project.jsonc");
    let mut others = given.iter().filter(|(path, _)| !path.contains('/') && is_one(path));
    let found = match usual {
        Some(found) => Some(found),
        None => match (others.next(), others.next()) {
            (Some((one, _)), Some((other, _))) => {
                let what = format!(
                    "the folder has several project files, such as {one} and {other} (give the path of one of them \
                     instead of the folder, or name one of them {PROJECT})"
                );
                return Err(Error::argument(what).at_path(one.clone()));
            }
            (one, _) => one,
        },
    };
    Ok(found.map(|(path, bytes)| (path.as_str(), bytes)))
}

/// The files and folders of `extract` that are only for reading.
const VIEWS: [&str; 4] = ["terrain/", "shared/", "attributes.json", "tags.json"];

/// What a plan did, in words.
struct Report<'a> {
    before: &'a dyn Dom,
    after: &'a dyn Dom,
    wants: &'a Wants<'a>,
    table: &'a Table,
    ids: &'a [Option<InstanceId>],
}

impl Report<'_> {
    /// The changes, by path: values first, then instances, then those that are gone.
    fn lines(&self, plan: &Plan, budget: &mut Budget) -> Result<Vec<String>> {
        let (mut before, mut after) = (Paths::new(self.before), Paths::new(self.after));
        let (mut values, mut instances, mut gone) = (Vec::new(), Vec::new(), Vec::new());
        for step in &plan.steps {
            match (&step.action, step.want) {
                (Action::Set { property, .. } | Action::Refer { property, .. }, Some(want)) => {
                    if let Is::Same(id) | Is::Moved(id) = self.table.wants[want] {
                        if property == "Name" {
                            continue;
                        }
                        let path = before.of(id, budget)?;
                        let parts = self.parts(id, want, property).into_iter();
                        values.extend(parts.map(|part| (want, format!("{path}.{part}"))));
                    }
                }
                (Action::Set { at: At::Id(id), property, .. }, None) => {
                    values.push((usize::MAX, format!("{}.{property}", before.of(*id, budget)?)));
                }
                (Action::Add { .. } | Action::Copy { .. }, Some(want)) => {
                    let (Some(id), wanted) = (self.ids[want], &self.wants.all[want]) else { continue };
                    let node = self.wants.node(want);
                    // A folder is part of what is added in it.
                    let is_part = node.text.is_none() && node.fields.is_empty() && wanted.model.is_none();
                    if !is_part || wanted.children.is_empty() {
                        instances.push(format!("{}: added", after.of(id, budget)?));
                    }
                }
                (Action::Move { id, .. }, Some(want)) => {
                    let (from, to) = (before.of(*id, budget)?, self.ids[want]);
                    let to = to.map(|to| after.of(to, budget)).transpose()?.unwrap_or_default();
                    if from != to {
                        instances.push(format!("{from}: moved to {to}"));
                    }
                }
                (Action::Become { id, class, .. }, Some(want)) => {
                    let (path, old) = (before.of(*id, budget)?, self.before.class_of(*id));
                    instances.push(format!("{path}: {old} becomes {class}"));
                    let dropped = self.dropped(*id, want, &old, class).into_iter();
                    values.extend(dropped.map(|part| (want, format!("{path}.{part}"))));
                }
                (Action::Remove { ids }, _) => {
                    for &id in ids {
                        let count =
                            self.before.descendants(id).filter(|&id| !self.after.contains(id)).count();
                        let more =
                            if count > 0 { format!(" (with {count} below it)") } else { String::new() };
                        gone.push(format!("{}: removed{more}", before.of(id, budget)?));
                    }
                }
                _ => {}
            }
        }
        geom::sort::by_key(&mut values, |(want, _)| *want);
        Ok(values.into_iter().map(|(_, line)| line).chain(instances).chain(gone).collect())
    }

    /// What an instance that gets another class stored, both classes have, and no file states.
    fn dropped(&self, id: InstanceId, want: usize, old: &str, class: &str) -> Vec<String> {
        let has = |property: &str| {
            key_of(property).is_some()
                || classes::class(class).is_some_and(|class| class.property(property).is_some())
        };
        let is_dropped = |(property, value): &(String, Value)| {
            let is_of_file = ["Name", "Source", "RunContext"].contains(&&**property);
            let now = self.ids[want].and_then(|id| self.after.value(id, property));
            let is_other = now.is_none_or(|now| now != *value);
            is_other
                && !is_of_file
                && !IDENTIFIERS.contains(&&**property)
                && !is_default(old, property, value)
                && has(property)
        };
        let stored = self.before.values(id).into_iter().filter(is_dropped);
        stored.flat_map(|(property, _)| self.parts(id, want, &property)).collect()
    }

    /// The changed property, or the changed attributes.
    fn parts(&self, id: InstanceId, want: usize, property: &str) -> Vec<String> {
        let all = |form: &dyn Dom, id| {
            let value = form.value(id, property)?;
            Some(rbxblobs::from_slice::<rbxblobs::Attributes>(value.as_bytes()?).unwrap_or_default())
        };
        if property != rbxdocument::which::ATTRIBUTES {
            return vec![property.to_owned()];
        }
        let old = all(self.before, id).unwrap_or_default();
        let new = self.ids[want].and_then(|id| all(self.after, id)).unwrap_or_default();
        let of_old: HashMap<_, _> = old.0.iter().map(|(name, value)| (name, value)).collect();
        let changed = new.0.iter().filter(|(name, value)| of_old.get(name) != Some(&value));
        let changed = changed.map(|(name, _)| name);
        let of_new: HashSet<_> = new.0.iter().map(|(name, _)| name).collect();
        let removed = old.0.iter().map(|(name, _)| name).filter(|name| !of_new.contains(name));
        changed.chain(removed).map(|name| format!("{property}.{name}")).collect()
    }

    /// Warnings about scripts at the root of a place.
    fn strays(&self, plan: &Plan) -> Vec<Loss> {
        let mut losses = Vec::new();
        if !self.wants.snapshot.is_place {
            return losses;
        }
        for step in &plan.steps {
            let (Action::Add { .. }, Some(want)) = (&step.action, step.want) else { continue };
            let Some(id) = self.ids[want].filter(|_| self.wants.node(want).is_script()) else { continue };
            let top = std::iter::successors(Some(id), |&id| self.after.parent(id)).last();
            if let Some(top) = top.filter(|&top| !classes::is_service(&self.after.class_of(top))) {
                let what = format!(
                    "the script is added below {:?}, which is at the root of the place but is not a service (move the \
                     file into the folder of a service)",
                    self.after.name_of(top)
                );
                losses.push(Loss::warning(self.wants.file(want), what).id("rojo.outside-service"));
            }
        }
        losses
    }
}

/// The sources that are not text, which `extract` writes into a folder of their own.
fn sources(
    document: &dyn Dom,
    given: &BTreeMap<String, Vec<u8>>,
    others: &[InstanceId],
    budget: &mut Budget,
) -> Result<Vec<Step>> {
    if others.is_empty() || !given.keys().any(|path| path.starts_with(tree::SOURCES)) {
        return Ok(Vec::new());
    }
    let files = tree::other_sources(document, others, budget)?;
    let steps = files.into_iter().zip(others).filter_map(|(file, &id)| {
        let new = given.get(file.path()).filter(|new| **new != *file.bytes)?;
        let value = Value::String(new.clone().into());
        let property = "Source".to_owned();
        let action = Action::Set { at: At::Id(id), property, value: Some(value), by: By::File };
        Some(Step { want: None, action })
    });
    Ok(steps.collect())
}

/// Lists the files that are only for reading but were edited.
fn views(
    document: &dyn Dom,
    snapshot: &Snapshot<'_>,
    given: &BTreeMap<String, Vec<u8>>,
    budget: &mut Budget,
) -> Result<Vec<Loss>> {
    let mut losses = Vec::new();
    if !given.keys().any(|path| VIEWS.iter().any(|part| path.starts_with(part))) {
        return Ok(losses);
    }
    let mut files = Files::default();
    blobs::write(document, budget, &mut files)?;
    for file in files.into_vec() {
        let json = |bytes: &[u8]| serde_json::from_slice::<Json>(bytes).ok();
        let is_same =
            |new: &[u8]| new == file.bytes || json(new).is_some_and(|new| Some(new) == json(&file.bytes));
        let is_packed = snapshot.used.contains(file.path());
        if given.get(file.path()).is_some_and(|new| !is_packed && !is_same(new)) {
            let what = "the file was edited, but only scripts, meta files and models can be packed";
            losses.push(Loss::warning(file.path(), what).id("rojo.not-packed"));
        }
    }
    Ok(losses)
}

/// Refuses a folder of which no file belongs to an instance.
fn unused(snapshot: &Snapshot<'_>, given: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    let is_used = |path: &String| {
        let starts = VIEWS.iter().chain(&[tree::SOURCES, PROJECT]);
        snapshot.used.contains(path.as_str()) || starts.into_iter().any(|start| path.starts_with(start))
    };
    if let Some(first) = given.keys().next().filter(|_| !given.keys().any(is_used)) {
        let what = "the project of the folder, or the one that `extract` would write, names no file of the folder (add a \
                    default.project.json that does)";
        return Err(Error::argument(what).at_path(first.to_owned()));
    }
    Ok(())
}

/// Whether Rojo reads files of this name as instances: others, such as `README.md` and `.luaurc`, are none.
fn is_packable(path: &str) -> bool {
    const EXTENSIONS: [&str; 11] =
        ["luau", "lua", "json", "jsonc", "toml", "csv", "txt", "yml", "yaml", "rbxm", "rbxmx"];
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    !name.starts_with('.') && extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// Lists the files that belong to no instance.
fn not_packed(snapshot: &Snapshot<'_>, given: &BTreeMap<String, Vec<u8>>) -> Vec<Loss> {
    // What is beside another project belongs to its tools.
    let projects: HashSet<&str> = given
        .keys()
        .filter_map(|path| path.rsplit_once('/').filter(|(_, name)| PROJECTS.contains(name)))
        .map(|(folder, _)| folder)
        .collect();
    let is_ignored = |path: &str| {
        let known = |place| snapshot.ignored.iter().any(|known| known.contains(place));
        with_folders(path).any(known)
    };
    let is_unused = |path: &&String| {
        let is_free = path.rsplit_once('/').is_none_or(|(folder, _)| !projects.contains(folder));
        is_free
            && is_packable(path)
            && !snapshot.used.contains(path.as_str())
            && snapshot.has(path)
            && !is_ignored(path)
    };
    let what = "the file is not packed, since it belongs to no instance of the document";
    given.keys().filter(is_unused).map(|path| Loss::warning(path, what).id("rojo.not-packed")).collect()
}
