//! Packs a folder into a document: its instances are matched with those of the document by name and class below the
//! same parent, and what differs is changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rbxcore::{InstanceId, Value, classes};
use rezkit_core::{Budget, Error, Files, Loss, Names, Result};
use serde_json::{Map, Value as Json};

use super::super::attribute_refs::key_of;
use super::super::edits::insert;
use super::super::finder::Finder;
use super::super::models::{leads_out, references, refers};
use super::super::{ATTRIBUTES, Form, Paths, filled, validate};
use super::gone::{Gone, Missing};
use super::lost::Lost;
use super::model::{Model, is_usual};
use super::snapshot::{Fields, Node, PROJECT, PROJECTS, Snapshot, with_folders};
use super::tree::{self, Scripts, suffix};
use super::{blobs, files, meta};
use crate::edits::{Edited, Filled};
use crate::kind::Asset;
use crate::options::{ConvertOptions, ExtractOptions, Fill, PackOptions, ReadOptions};

/// Applies a folder to the document; returns the changes, by path, and losses for unused files.
///
/// # Errors
/// If a file cannot be applied, with its path; others may already have been applied then.
pub(in super::super::super) fn pack(
    document: &mut dyn Form,
    given: &BTreeMap<String, Vec<u8>>,
    pack: PackOptions,
    options: &ReadOptions,
) -> Result<(Vec<String>, Vec<Loss>)> {
    let (mut budget, mut of_nodes) = (Budget::new(options.max_bytes), Budget::new(options.max_bytes));
    let none = br#"{"tree":{"$className":"DataModel"}}"#.as_slice();
    let (written, all);
    let (project, text, given) = match project_of(given, pack.project.as_deref())? {
        Some((path, bytes)) => (path, &**bytes, given),
        None => {
            let own = files(&*document, options, &ExtractOptions::new())?.0;
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
    let mut scripts = Scripts::of(&*document, &mut budget)?;
    let others = std::mem::take(&mut scripts.others);
    let count = snapshot.nodes.len();
    let mut packing = Packing {
        document,
        snapshot: &snapshot,
        models: HashMap::new(),
        bound: vec![None; count],
        taken: HashSet::new(),
        scripts,
        options,
        budget,
        removes: pack.remove,
        edited: Vec::new(),
        moved: Vec::new(),
        left: snapshot.left.clone(),
        gone: Vec::new(),
        unknown: Vec::new(),
        new: Vec::new(),
        ids: meta::Ids::new(),
        before: HashMap::new(),
        emptied: Vec::new(),
        replaced: Vec::new(),
        heirs: HashSet::new(),
    };
    packing.open()?;
    packing.bind()?;
    packing.remember()?;
    packing.views(given)?;
    let (created, missing) = packing.create()?;
    packing.edit(&created)?;
    packing.sources(given, &others)?;
    let removed = packing.remove(&created, missing)?;
    packing.report(&created, removed)?;
    packing.unused(given)?;
    let Packing { mut edited, moved, left, .. } = packing;
    edited.extend(moved);
    Ok((edited, left))
}

/// The project file, and its content: the one with this path, the one of the usual name, or the only one with another
/// name.
fn project_of<'g>(
    given: &'g BTreeMap<String, Vec<u8>>,
    path: Option<&str>,
) -> Result<Option<(&'g str, &'g Vec<u8>)>> {
    if let Some(path) = path {
        let found = given.get_key_value(path).map(|(path, bytes)| (path.as_str(), bytes));
        return found.map(Some).ok_or_else(|| Error::argument("no such project file").at(path));
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
                return Err(Error::argument(what).at(one.as_str()));
            }
            (one, _) => one,
        },
    };
    Ok(found.map(|(path, bytes)| (path.as_str(), bytes)))
}

/// The files and folders of `extract` that are only for reading.
const VIEWS: [&str; 4] = ["terrain/", "shared/", "attributes.json", "tags.json"];

/// What is said about an instance without a model.
const NO_MODELS: &str = "the instance is in no file, but stays in the document, since the folder does not have all instances \
                         as models";

/// A folder that is being applied to a document.
struct Packing<'a, 's> {
    document: &'a mut dyn Form,
    snapshot: &'a Snapshot<'s>,
    /// The models, by their nodes.
    models: HashMap<usize, Model>,
    /// The instances of the nodes.
    bound: Vec<Option<InstanceId>>,
    taken: HashSet<InstanceId>,
    scripts: Scripts,
    options: &'a ReadOptions,
    budget: Budget,
    removes: bool,
    /// The changed properties, by path.
    edited: Vec<String>,
    /// What was added, moved and removed, by path.
    moved: Vec<String>,
    /// What is not applied.
    left: Vec<Loss>,
    /// The scripts without a file.
    gone: Vec<Gone>,
    /// Other instances without a file, the path that a model of them would have, and whether models are beside it.
    unknown: Vec<(InstanceId, String, bool)>,
    /// The nodes without an instance whose parents have one.
    new: Vec<(usize, Option<usize>)>,
    ids: meta::Ids,
    /// The paths of all instances that may be edited, moved or removed, before anything is moved.
    before: HashMap<InstanceId, String>,
    /// The instances that something was taken out of.
    emptied: Vec<InstanceId>,
    /// The removed scripts that were replaced.
    replaced: Vec<String>,
    /// The scripts that replaced them, which have their properties.
    heirs: HashSet<InstanceId>,
}

/// A new or moved instance, its node, and its meaning.
struct Created {
    id: InstanceId,
    node: usize,
    is_moved: bool,
    /// Whether it has children that the document already had.
    has_children: bool,
}

impl<'a, 's> Packing<'a, 's> {
    fn node(&self, index: usize) -> &'a Node<'s> {
        &self.snapshot.nodes[index]
    }

    fn open(&mut self) -> Result<()> {
        for (index, node) in self.snapshot.nodes.iter().enumerate() {
            if let Some(bytes) = node.model {
                self.models.insert(index, Model::open(&node.file, bytes, self.options, &mut self.budget)?);
            }
        }
        Ok(())
    }

    /// The class that a file or a project states, also as the content of a model.
    fn class(&self, index: usize) -> Option<String> {
        let of_model = || self.models.get(&index).map(|model| model.form().class_of(model.root).into_owned());
        self.node(index).class.clone().or_else(of_model)
    }

    /// Finds the instances of the nodes.
    fn bind(&mut self) -> Result<()> {
        let top = self.document.top();
        let mut waiting = Vec::new();
        match (self.snapshot.is_place, &*top) {
            (true, _) if self.node(0).is_script() => {
                let what = "the folder is the document itself, which cannot be a script (move the file into a folder \
                            below it)";
                return Err(Error::argument(what).at(self.node(0).file.as_str()));
            }
            (true, _) => self.children(0, None, top, &mut waiting)?,
            // The name of a single instance is often that of another project.
            (false, &[only]) => {
                let is_other = self.class(0).is_some_and(|class| class != self.document.class_of(only));
                match is_other {
                    false => self.take(0, only, &mut waiting),
                    true => self.new.push((0, None)),
                }
            }
            (false, _) => drop(self.below(&[0], None, top, &mut waiting)?),
        }
        while let Some(index) = waiting.pop() {
            let Some(id) = self.bound[index].filter(|_| !self.pair(index)) else { continue };
            let children = self.document.below(id);
            self.children(index, Some(index), children, &mut waiting)?;
        }
        Ok(())
    }

    /// Finds the instances of a node's model; returns whether it has one.
    fn pair(&mut self, index: usize) -> bool {
        let (Some(id), Some(model)) = (self.bound[index], self.models.get_mut(&index)) else { return false };
        model.pair(self.document, id);
        self.taken.extend(model.twins.iter().map(|twin| twin.1));
        true
    }

    /// Finds the instances of the nodes below a node whose instance was moved: they are not missing.
    fn along(&mut self, index: usize, missing: &mut Missing) -> Result<()> {
        let mut waiting = vec![index];
        while let Some(index) = waiting.pop() {
            let Some(id) = self.bound[index] else { continue };
            missing.found(id);
            if self.pair(index) {
                self.models[&index].twins.iter().for_each(|twin| missing.found(twin.1));
                continue;
            }
            let below = self.document.below(id);
            self.below(&self.snapshot.nodes[index].children, Some(index), below, &mut waiting)?;
        }
        Ok(())
    }

    fn take(&mut self, index: usize, id: InstanceId, waiting: &mut Vec<usize>) {
        self.bound[index] = Some(id);
        self.taken.insert(id);
        waiting.push(index);
    }

    /// Finds the instances of a node's children, and lists what the folder lacks.
    fn children(
        &mut self,
        index: usize,
        parent: Option<usize>,
        instances: Vec<InstanceId>,
        waiting: &mut Vec<usize>,
    ) -> Result<()> {
        let node = self.node(index);
        let (is_whole, ignores, folder) = (node.is_whole, node.ignores_unknown, node.folder.clone());
        if let Some(id) = self.bound[index].filter(|id| {
            self.scripts.suffixes.contains_key(id) && node.text.is_none() && node.class.is_none()
        }) {
            // The folder of a script without its source. A project or a model in JSON states the class.
            let file = format!("{folder}/init{}", self.scripts.suffixes[&id]);
            self.lacks(id, file)?;
        }
        let left = self.below(&self.snapshot.nodes[index].children, parent, instances, waiting)?;
        let is_foreign = self.snapshot.is_foreign;
        // `extract` does not say that it leaves out what is below the file of a script.
        let is_file = node.text.is_some() && !node.file.starts_with(&format!("{folder}/"));
        let ignores_others = ignores || is_file && !is_foreign;
        let has_models = node.children.iter().any(|&child| self.snapshot.nodes[child].model.is_some());
        for id in left.into_iter().filter(|_| is_whole && !(ignores && is_foreign)) {
            self.miss(id, &folder, (ignores_others, has_models))?;
        }
        Ok(())
    }

    /// Finds the instances of nodes among those below one parent; returns the instances that are of no node.
    fn below(
        &mut self,
        nodes: &[usize],
        parent: Option<usize>,
        instances: Vec<InstanceId>,
        waiting: &mut Vec<usize>,
    ) -> Result<Vec<InstanceId>> {
        let mut named: HashMap<String, Vec<InstanceId>> = HashMap::new();
        // `extract` names scripts and folders first.
        let (wanted, others): (Vec<_>, Vec<_>) =
            instances.iter().copied().partition(|id| self.scripts.wanted.contains(id));
        for &id in wanted.iter().chain(&others) {
            named.entry(self.document.name_of(id).into_owned()).or_default().push(id);
        }
        // Among the roots, the project has one of each name, and a folder the others.
        if parent.is_some() {
            self.by_file(nodes, &named, wanted.into_iter().chain(others), waiting);
        }
        // The more a node says about its class, the earlier it chooses.
        for pass in 0..3 {
            for &index in nodes.iter().filter(|&&index| self.bound[index].is_none()).collect::<Vec<_>>() {
                let (class, node) = (self.class(index), self.node(index));
                let is_folder = node.text.is_none() && node.model.is_none();
                let mut found = None;
                let free = named.get(&node.name).into_iter().flatten().filter(|id| !self.taken.contains(id));
                for &id in free {
                    let own = self.document.class_of(id);
                    let fits = match (&class, pass) {
                        (Some(class), 0) => *class == own,
                        (None, 1) => node.inferred.as_deref().unwrap_or("Folder") == own,
                        (_, 2) if is_folder => class.is_none() || suffix(&own).is_none(),
                        _ => false,
                    };
                    let is_better = |old: &InstanceId| {
                        suffix(&self.document.class_of(*old)).is_some() && suffix(&own).is_none()
                    };
                    if fits && found.as_ref().is_none_or(is_better) {
                        found = Some(id);
                    }
                }
                if let (None, 2, None, Some(class)) =
                    (found, pass, parent, class.as_ref().or(node.inferred.as_ref()))
                    && classes::is_service(class)
                {
                    // A service under another name.
                    found = instances.iter().copied().find(|&id| self.document.class_of(id) == **class);
                }
                if let Some(id) = found {
                    self.take(index, id, waiting);
                } else if pass == 2 && node.is_script() && node.file.contains("/init.") {
                    let free =
                        named.get(&node.name).into_iter().flatten().find(|id| !self.taken.contains(id));
                    if free.is_some_and(|&id| suffix(&self.document.class_of(id)).is_none()) {
                        let what = "the document already has an instance for this folder, and an init file cannot \
                                    turn it into a script (move the file into a new folder, or give the file another \
                                    name to add the script below the instance)";
                        return Err(Error::argument(what).at(node.file.as_str()));
                    }
                }
            }
        }
        let new = nodes.iter().filter(|&&index| self.bound[index].is_none() && self.node(index).exists);
        let new: Vec<_> = new.map(|&index| (index, parent)).collect();
        self.new.extend(new);
        Ok(instances.into_iter().filter(|id| !self.taken.contains(id)).collect())
    }

    /// Finds the instances of nodes among siblings of one name: by the names that `extract` gives their files.
    fn by_file(
        &mut self,
        nodes: &[usize],
        named: &HashMap<String, Vec<InstanceId>>,
        ordered: impl Iterator<Item = InstanceId>,
        waiting: &mut Vec<usize>,
    ) {
        if named.values().all(|same| same.len() < 2) {
            return;
        }
        let ordered: Vec<_> = ordered.collect();
        let all: Vec<_> = ordered.iter().map(|&id| self.document.name_of(id).into_owned()).collect();
        // Older versions named the second one `Door (2)`.
        let mut names = Names::default();
        let older = all.iter().map(|name| tree::stem(&mut names, name, "").0);
        let stems = ordered.into_iter().zip(tree::stems(&all).into_iter().zip(older));
        let stems: HashMap<InstanceId, [String; 2]> =
            stems.map(|(id, ((stem, _), older))| (id, [stem, older])).collect();
        for &index in nodes {
            let (class, node) = (self.class(index), self.node(index));
            let Some(same) = named.get(&node.name).filter(|same| same.len() > 1) else { continue };
            let found = same.iter().copied().find(|id| {
                !self.taken.contains(id)
                    && class.as_deref().unwrap_or("Folder") == self.document.class_of(*id)
                    && stems[id].iter().any(|stem| node.has_stem(stem))
            });
            if let Some(id) = found {
                self.take(index, id, waiting);
            }
        }
    }

    /// Notes an instance below a folder that has no file in it; whether the folder says that it does not have all, and
    /// whether it has models.
    fn miss(&mut self, top: InstanceId, folder: &str, (ignores, has_models): (bool, bool)) -> Result<()> {
        let mut waiting = vec![(top, folder.to_owned())];
        while let Some((id, folder)) = waiting.pop() {
            let name = self.document.name_of(id);
            let path = format!("{folder}/{name}");
            if !self.scripts.wanted.contains(&id) {
                let class = self.document.class_of(id);
                if !ignores && !classes::is_service(&class) {
                    // Every place has them, whatever a project says.
                    let is_of_place = matches!(&*class, "Terrain" | "Camera");
                    self.unknown.push((id, path, id == top && has_models && !is_of_place));
                }
                continue;
            }
            self.budget.take(path.len() as u64 + 64, "the paths of missing files")?;
            let below = self.document.below(id).into_iter().rev();
            if let Some(suffix) = self.scripts.suffixes.get(&id) {
                let is_folder = below.clone().any(|id| self.scripts.wanted.contains(&id));
                let init = if is_folder { "/init" } else { "" };
                self.lacks(id, format!("{path}{init}{suffix}"))?;
            }
            waiting.extend(below.into_iter().map(|id| (id, path.clone())));
        }
        Ok(())
    }

    /// Notes a script without a file.
    fn lacks(&mut self, id: InstanceId, file: String) -> Result<()> {
        if !self.removes {
            let what = "the file is missing from the folder, but the script stays in the document; to remove the \
                        script, use `--remove`";
            self.left.push(Loss::missing(file, what));
            return Ok(());
        }
        let value = self.document.value(id, "Source");
        let source = value.as_ref().and_then(Value::as_bytes).unwrap_or_default().to_vec();
        self.budget.take((source.len() + file.len()) as u64, "the missing scripts")?;
        self.gone.push(Gone { id, file, source });
        Ok(())
    }

    /// Remembers the paths of instances.
    fn remember(&mut self) -> Result<()> {
        let document = &*self.document;
        let folders_above = |id: InstanceId| {
            let above = std::iter::successors(document.parent(id), |&id| document.parent(id));
            above.take_while(|&id| document.class_of(id) == "Folder")
        };
        let unknown = std::mem::take(&mut self.unknown);
        let gone: Vec<_> =
            self.gone.iter().map(|one| one.id).chain(unknown.iter().map(|one| one.0)).collect();
        let gone = gone.into_iter().flat_map(|id| [id].into_iter().chain(folders_above(id)));
        let lost = self.models.values().flat_map(|model| model.gone.iter().copied());
        let ids: Vec<_> = gone.chain(lost).collect();
        let mut paths = Paths::new(document);
        for id in ids {
            if let std::collections::hash_map::Entry::Vacant(entry) = self.before.entry(id) {
                entry.insert(paths.of(id, &mut self.budget)?);
            }
        }
        self.unknown = unknown;
        Ok(())
    }

    /// Creates the new instances, without their content, and moves those whose files have moved. Returns them, and the
    /// scripts whose files are missing.
    fn create(&mut self) -> Result<(Vec<Created>, Missing)> {
        let gone = std::mem::take(&mut self.gone);
        let unbound = (0..self.bound.len()).filter(|&index| self.bound[index].is_none());
        let new = unbound.filter_map(|index| match &self.node(index).text {
            Some(("Source", source)) => Some((self.class(index)?, source.to_vec())),
            _ => None,
        });
        let mut missing = Missing::new(&*self.document, gone, new);
        let (mut created, mut replaced) = (Vec::new(), HashMap::new());
        let mut waiting: Vec<_> = std::mem::take(&mut self.new);
        waiting.reverse();
        while let Some((index, parent)) = waiting.pop() {
            let to = parent.and_then(|parent| self.bound[parent]);
            let node = &self.snapshot.nodes[index];
            let at = |error: Error| error.at(node.file.as_str());
            let class = self.class(index).or_else(|| node.inferred.clone());
            let class = class.as_deref().unwrap_or("Folder");
            let old = match node.text {
                Some(("Source", ref source)) => missing.take(class, source, &node.name),
                _ => None,
            };
            let replaces = match (&old, node.is_script()) {
                (None, true) => missing.replaced(to, &node.name),
                _ => None,
            };
            let id = match (&old, self.models.get(&index)) {
                (Some(one), _) => {
                    self.emptied.extend(self.document.parent(one.id));
                    if self.document.parent(one.id) != to {
                        self.document.move_to(one.id, to).map_err(at)?;
                    }
                    one.id
                }
                (None, Some(model)) => {
                    let asset = Arc::clone(&model.asset);
                    let new = self.insert(index, &*asset, to)?.into_iter().next();
                    // The services of a model join those of a place.
                    let new = new.filter(|&id| self.document.contains(id));
                    let new = new.ok_or_else(|| at(Error::argument("the model was not inserted")))?;
                    if let Some(model) = self.models.get_mut(&index) {
                        model.pair_copy(self.document, model.root, new);
                    }
                    new
                }
                (None, None) => {
                    validate::known_class(self.document, class).map_err(at)?;
                    self.document.add_default(to, class).map_err(at)?.0
                }
            };
            if self.document.name_of(id) != node.name {
                self.document.put(id, "Name", Value::from(node.name.as_str())).map_err(at)?;
            }
            self.bound[index] = Some(id);
            self.taken.insert(id);
            let is_moved = old.is_some();
            let has_children = is_moved || replaces.is_some();
            created.push(Created { id, node: index, is_moved, has_children });
            let children: Vec<_> = node.children.iter().rev().map(|&child| (child, Some(index))).collect();
            if let Some(replaces) = replaces {
                replaced.insert(replaces, id);
                self.inherit(replaces, id).map_err(at)?;
                for child in self.document.below(replaces) {
                    self.document.move_to(child, Some(id)).map_err(at)?;
                }
            }
            match has_children {
                // What is below a moved script moves along.
                true => {
                    self.along(index, &mut missing)?;
                    waiting.extend(std::mem::take(&mut self.new).into_iter().rev());
                }
                false => waiting.extend(children.into_iter().filter(|child| self.node(child.0).exists)),
            }
        }
        self.replace(&replaced)?;
        Ok((created, missing))
    }

    /// Gives a new script the properties of the one that it replaces, if its class has them.
    fn inherit(&mut self, old: InstanceId, new: InstanceId) -> Result<()> {
        let name = self.document.class_of(new).into_owned();
        let class = classes::class(&name);
        for (property, value) in self.document.values(old) {
            let is_known =
                key_of(&property).is_some() || class.is_some_and(|class| class.property(&property).is_some());
            let is_of_file = ["Name", "Source", "RunContext"].contains(&&*property);
            let is_same = match self.document.value(new, &property) {
                Some(own) => own == value,
                None => is_usual(&name, &property, &value),
            };
            if is_known && !is_of_file && !is_same {
                self.left.extend(filled::put(self.document, new, &property, value, Fill::Defaults)?);
            }
        }
        self.heirs.insert(new);
        Ok(())
    }

    /// Lets references to the replaced scripts lead to the new ones, and removes the replaced scripts.
    fn replace(&mut self, replaced: &HashMap<InstanceId, InstanceId>) -> Result<()> {
        if replaced.is_empty() {
            return Ok(());
        }
        for (id, property, to) in references(&*self.document, &mut self.budget)? {
            let Some(&new) = replaced.get(&to).filter(|_| !replaced.contains_key(&id)) else { continue };
            match self.document.value(id, &property) {
                Some(value) => self.document.put(id, &property, refers(&value, new))?,
                None => {
                    let path = self.document.path_of(id);
                    let what =
                        "a reference to a script that was replaced by one of another class; replaced by null";
                    self.left.push(Loss::new(format!("{path}.{property}"), what));
                }
            }
        }
        for &id in replaced.keys() {
            self.replaced.push(format!("{}: removed", self.before[&id]));
            self.document.take_out(id)?;
        }
        self.replaced.sort_unstable();
        Ok(())
    }

    /// Finds the ids of the instances: those of copies come last.
    fn identify(&mut self, new: &HashSet<InstanceId>) -> Result<()> {
        let mut all = Vec::new();
        for (index, node) in self.snapshot.nodes.iter().enumerate() {
            let Some(id) = self.bound[index] else { continue };
            let labels = node.fields.iter().filter_map(|fields| fields.json.get("id").and_then(Json::as_str));
            all.extend(labels.map(|label| (label.to_owned(), id, new.contains(&id))));
            if let Some(model) = self.models.get(&index) {
                all.extend(model.ids());
                self.taken.extend(model.twins.iter().map(|twin| twin.1));
            }
        }
        all.sort_by_key(|one| one.2);
        let mut paths = Paths::new(&*self.document);
        for (label, id, _) in all {
            let same = self.ids.entry(label.clone()).or_default();
            if same.last() == Some(&id) {
                continue;
            }
            if let Some(&first) = same.first() {
                let what = format!(
                    "the id {label:?} is also that of {}: a reference stays as it is if it leads to one of them, and \
                     others lead to {0} (give the copy another id)",
                    paths.of(first, &mut self.budget)?
                );
                self.left.push(Loss::warning(paths.of(id, &mut self.budget)?, what));
            }
            same.push(id);
        }
        Ok(())
    }

    /// Gives the instances the content of their files.
    fn edit(&mut self, created: &[Created]) -> Result<()> {
        let new: HashSet<InstanceId> = created.iter().filter(|one| !one.is_moved).map(|one| one.id).collect();
        self.insert_below()?;
        self.identify(&new)?;
        let mut changed = Vec::new();
        for index in 0..self.snapshot.nodes.len() {
            let Some(id) = self.bound[index] else { continue };
            let node = self.node(index);
            if let Some(model) = self.models.remove(&index) {
                let at = |error: Error| error.at(node.file.as_str());
                let inside = (&self.ids, &self.taken);
                changed.extend(model.apply(self.document, inside, &mut self.left).map_err(at)?);
                for &id in &model.gone {
                    self.drop(id, self.path_before(id))?;
                }
            }
            self.put_text(index, id, &new, &mut changed)?;
            self.put_fields(index, id, &new, &mut changed)?;
        }
        let mut paths = Paths::new(&*self.document);
        for (id, property) in changed {
            let path = match self.before.get(&id) {
                Some(path) => path.clone(),
                None => paths.of(id, &mut self.budget)?,
            };
            self.edited.push(format!("{path}.{property}"));
        }
        Ok(())
    }

    /// Sets the property that the content of a file is.
    fn put_text(
        &mut self,
        index: usize,
        id: InstanceId,
        new: &HashSet<InstanceId>,
        changed: &mut Vec<(InstanceId, String)>,
    ) -> Result<()> {
        let node = self.node(index);
        let Some((property, text)) = &node.text else { return Ok(()) };
        // A meta file takes precedence.
        let states = |fields: &Map<String, Json>| fields.get(*property).is_some();
        let fields = node.fields.iter().filter_map(|fields| fields.json.get("properties")?.as_object());
        if fields.into_iter().any(states) {
            return Ok(());
        }
        let lines = |bytes: &[u8]| bstr::ByteSlice::replace(bytes, "\r\n", "\n");
        let old = self.document.value(id, property);
        let old = old.as_ref().and_then(Value::as_bytes).unwrap_or_default();
        let is_other = old != &**text && lines(old) != lines(text);
        // As in Rojo, the ends of lines that a checkout on Windows makes do not become those of a script.
        let keeps = *property != "Source" || bstr::ByteSlice::find(old, "\r\n").is_some();
        let text = is_other
            .then(|| (*property, Value::String(if keeps { text.to_vec() } else { lines(text) }.into())));
        let context = node.run_context.map(|context| validate::enum_item("Script", "RunContext", context));
        let context = context.transpose()?.map(Value::Enum);
        let own = self.document.value(id, "RunContext").unwrap_or(Value::Enum(0));
        let context = context.filter(|context| *context != own).map(|context| ("RunContext", context));
        for (property, value) in text.into_iter().chain(context) {
            // A binary document may not store the sources of this class yet.
            let filled = filled::put(self.document, id, property, value, Fill::Defaults);
            self.left.extend(filled.map_err(|error| error.at(node.file.as_str()))?);
            changed.extend((!new.contains(&id)).then(|| (id, property.to_owned())));
        }
        Ok(())
    }

    /// Applies the meta file of a node, and what its project says about it.
    fn put_fields(
        &mut self,
        index: usize,
        id: InstanceId,
        new: &HashSet<InstanceId>,
        changed: &mut Vec<(InstanceId, String)>,
    ) -> Result<()> {
        let node = self.node(index);
        let is_script = node.text.is_some();
        // What a project says takes precedence over a meta file.
        let (metas, others): (Vec<_>, Vec<_>) = node.fields.iter().partition(|fields| fields.is_whole);
        for fields in metas.iter().chain(&others) {
            let others = if fields.is_whole { &*others } else { &[] };
            let mut json = Cow::Borrowed(&fields.json);
            if !others.is_empty() {
                remove_stated(json.to_mut(), others);
            }
            let is_new = new.contains(&id) && !self.heirs.contains(&id);
            let mut old = match fields.is_whole && node.model.is_none() && !is_new {
                true => {
                    let document = &*self.document;
                    let targets = targets(document, id, &self.taken);
                    let mut lost = Lost::new(document);
                    meta::of(document, id, is_script, &targets, &mut lost, &mut self.budget)?
                }
                false => Map::new(),
            };
            // These properties come from the file itself.
            let of_file = node.text.iter().map(|text| text.0).chain(node.run_context.map(|_| "RunContext"));
            if let Some(properties) = old.get_mut("properties").and_then(Json::as_object_mut) {
                of_file.for_each(|name| drop(properties.remove(name)));
            }
            if !is_script && json.get("className").is_some() {
                old.insert("className".to_owned(), self.document.class_of(id).into_owned().into());
            }
            let mut old = old.into();
            remove_stated(&mut old, others);
            let at = |what: String| Error::argument(what).at(fields.file.as_str());
            let (names, losses) =
                meta::put(self.document, id, (&old, &json), (&self.ids, &self.taken), fields.is_whole)
                    .map_err(at)?;
            self.left.extend(losses);
            changed.extend(names.into_iter().filter(|_| !new.contains(&id)).map(|name| (id, name)));
        }
        Ok(())
    }

    /// Inserts a model of a node; returns the copies of its roots.
    fn insert(&mut self, index: usize, model: &dyn Asset, to: Option<InstanceId>) -> Result<Vec<InstanceId>> {
        let (mut edited, mut finder) = (Edited::default(), Finder::new(self.options.max_bytes / 4));
        let convert = ConvertOptions::new().fill(Fill::Defaults);
        let convert = ConvertOptions { max_bytes: self.options.max_bytes, ..convert };
        let file = &self.node(index).file;
        let roots = insert(self.document, file, model, to, &convert, &mut edited, &mut finder)?;
        let filled = |of: Filled| Loss::filled_with(&of.class, &of.property, of.value, of.count);
        self.left.extend(edited.filled.into_iter().map(filled).chain(edited.losses));
        Ok(roots)
    }

    /// Inserts the instances of models that the document lacks.
    fn insert_below(&mut self) -> Result<()> {
        let mut models = std::mem::take(&mut self.models);
        for index in 0..self.snapshot.nodes.len() {
            let Some(model) = models.get_mut(&index) else { continue };
            for (from, to) in std::mem::take(&mut model.new) {
                let own = model.form();
                let extension = if own.form_kind().format == "rbxbinary" { "rbxm" } else { "rbxmx" };
                // Other references are set afterwards.
                let nested = format!(".{ATTRIBUTES}.");
                let left = leads_out(own, from, &mut self.budget)?.into_iter();
                self.left.extend(left.filter(|loss| loss.path.contains(&nested)));
                let (bytes, _) = own.model(from, extension, &HashMap::new(), true)?;
                let part = Model::open(&self.node(index).file, &bytes, self.options, &mut self.budget)?;
                for id in self.insert(index, &*part.asset, Some(to))? {
                    model.pair_copy(self.document, from, id);
                    self.moved.push(format!("{}: added", self.document.path_of(id)));
                }
            }
        }
        self.models = models;
        Ok(())
    }

    /// The path of an instance before anything was moved, if it was remembered.
    fn path_before(&self, id: InstanceId) -> String {
        self.before.get(&id).cloned().unwrap_or_else(|| self.document.path_of(id))
    }

    /// Removes an instance that is not in the folder, or lists it.
    fn drop(&mut self, id: InstanceId, place: String) -> Result<()> {
        if !self.removes {
            let what =
                "the instance is not in the folder, but stays in the document; to remove it, use `--remove`";
            self.left.push(Loss::missing(place, what));
        } else if self.document.contains(id) {
            let path = self.path_before(id);
            self.document.take_out(id)?;
            self.moved.push(format!("{path}: removed"));
        }
        Ok(())
    }

    /// Applies the sources that are not text, which `extract` writes into a folder of their own.
    fn sources(&mut self, given: &BTreeMap<String, Vec<u8>>, others: &[InstanceId]) -> Result<()> {
        if others.is_empty() || !given.keys().any(|path| path.starts_with(tree::SOURCES)) {
            return Ok(());
        }
        let files = tree::other_sources(&*self.document, others, &mut self.budget)?;
        for (file, &id) in files.into_iter().zip(others) {
            if let Some(new) = given.get(file.path()).filter(|new| **new != *file.bytes) {
                let value = Value::String(new.clone().into());
                self.left.extend(filled::put(self.document, id, "Source", value, Fill::Defaults)?);
                self.edited.push(format!("{}.Source", self.document.path_of(id)));
            }
        }
        Ok(())
    }

    /// Removes scripts without children, and the folders that become empty.
    fn remove(&mut self, created: &[Created], missing: Missing) -> Result<Vec<String>> {
        let mut removed = std::mem::take(&mut self.replaced);
        let is_whole = self.snapshot.has_all();
        // What is below a moved script was missing below the old one.
        let moved: HashSet<_> = created.iter().filter(|one| one.has_children).map(|one| one.id).collect();
        for (id, path, has_models) in std::mem::take(&mut self.unknown) {
            let mut above = std::iter::successors(Some(id), |&id| self.document.parent(id));
            match is_whole || has_models {
                _ if above.any(|id| moved.contains(&id)) => {}
                true => self.drop(id, path)?,
                false if self.snapshot.is_foreign => {}
                // Without any model, a folder need not have what is not a script.
                false => self.left.push(Loss::missing(path, NO_MODELS)),
            }
        }
        // What the project names stays, and what has a folder.
        let named = self.snapshot.nodes.iter().zip(&self.bound).enumerate();
        let named = named.filter(|(index, (node, _))| *index == 0 || node.is_keyed || node.exists);
        let named: HashSet<InstanceId> = named.filter_map(|(_, (_, id))| *id).collect();
        for id in std::mem::take(&mut self.emptied) {
            self.clear(id, &named, &mut removed)?;
        }
        for Gone { id, file, .. } in missing.into_deepest_first() {
            if self.document.below(id).is_empty() {
                let parent = self.document.parent(id);
                self.document.take_out(id)?;
                removed.push(format!("{}: removed", self.before[&id]));
                parent.map_or(Ok(()), |parent| self.clear(parent, &named, &mut removed))?;
            } else {
                let what =
                    "the file is missing, but its script was not removed, since the script has children";
                self.left.push(Loss::warning(file, what));
            }
        }
        Ok(removed)
    }

    /// Removes a folder that has become empty, and then those above it.
    fn clear(
        &mut self,
        id: InstanceId,
        named: &HashSet<InstanceId>,
        removed: &mut Vec<String>,
    ) -> Result<()> {
        let mut next = Some(id);
        while let Some(id) = next.filter(|id| self.document.contains(*id) && !named.contains(id)) {
            let Some(path) = self.before.get(&id) else { break };
            if self.document.class_of(id) != "Folder" || !self.document.below(id).is_empty() {
                break;
            }
            next = self.document.parent(id);
            removed.push(format!("{path}: removed"));
            self.document.take_out(id)?;
        }
        Ok(())
    }

    /// Lists what was added, moved and removed.
    fn report(&mut self, created: &[Created], removed: Vec<String>) -> Result<()> {
        let document = &*self.document;
        let mut paths = Paths::new(document);
        for one in created {
            let path = paths.of(one.id, &mut self.budget)?;
            let node = &self.snapshot.nodes[one.node];
            match self.before.get(&one.id).filter(|_| one.is_moved) {
                Some(from) if *from == path => {}
                Some(from) => self.moved.push(format!("{from}: moved to {path}")),
                // A folder is part of what is added in it.
                None if node.text.is_none()
                    && node.model.is_none()
                    && node.fields.is_empty()
                    && !node.children.is_empty() => {}
                None => self.moved.push(format!("{path}: added")),
            }
            if self.snapshot.is_place {
                let top = std::iter::successors(Some(one.id), |&id| document.parent(id)).last();
                let top = top.filter(|&top| !classes::is_service(&document.class_of(top)));
                if let Some(top) = top.filter(|_| node.is_script() && !one.is_moved) {
                    let name = document.name_of(top);
                    let what = format!(
                        "the script is added below {name:?}, which is at the root of the place but is not a service \
                         (move the file into the folder of a service)"
                    );
                    self.left.push(Loss::warning(node.file.as_str(), what));
                }
            }
        }
        self.moved.extend(removed);
        Ok(())
    }

    /// Lists the files that are only for reading but were edited.
    fn views(&mut self, given: &BTreeMap<String, Vec<u8>>) -> Result<()> {
        if !given.keys().any(|path| VIEWS.iter().any(|part| path.starts_with(part))) {
            return Ok(());
        }
        let mut files = Files::default();
        blobs::write(&*self.document, &mut self.budget, &mut files)?;
        for file in files.into_vec() {
            let json = |bytes: &[u8]| serde_json::from_slice::<Json>(bytes).ok();
            let is_same =
                |new: &[u8]| new == file.bytes || json(new).is_some_and(|new| Some(new) == json(&file.bytes));
            if given.get(file.path()).is_some_and(|new| !is_same(new)) {
                let what = "the file was edited, but only scripts, meta files and models can be packed";
                self.left.push(Loss::warning(file.path(), what));
            }
        }
        Ok(())
    }

    /// Lists the files that belong to no instance.
    fn unused(&mut self, given: &BTreeMap<String, Vec<u8>>) -> Result<()> {
        let snapshot = self.snapshot;
        let is_used = |path: &String| {
            let starts = VIEWS.iter().chain(&[tree::SOURCES, PROJECT]);
            snapshot.used.contains(path.as_str()) || starts.into_iter().any(|start| path.starts_with(start))
        };
        if let Some(first) = given.keys().next().filter(|_| !given.keys().any(is_used)) {
            let what = "the project of the folder, or the one that `extract` would write, names no file of the folder \
                        (add a default.project.json that does)";
            return Err(Error::argument(what).at(first));
        }
        let is_unused = |path: &&String| {
            let is_ignored = || {
                let known = |place| snapshot.ignored.iter().any(|known| known.contains(place));
                with_folders(path).any(known)
            };
            !path.ends_with('/')
                && !snapshot.used.contains(path.as_str())
                && snapshot.has(path)
                && !is_ignored()
        };
        self.left.extend(given.keys().filter(is_unused).map(|path| {
            Loss::warning(path, "the file is not packed, since it belongs to no instance of the document")
        }));
        Ok(())
    }
}

/// Removes the properties and attributes that other files state.
fn remove_stated(json: &mut Json, others: &[&Fields]) {
    for part in ["properties", "attributes"] {
        let Some(own) = json.get_mut(part).and_then(Json::as_object_mut) else { continue };
        let stated = others.iter().filter_map(|other| other.json.get(part)?.as_object());
        stated.flat_map(Map::keys).for_each(|name| drop(own.remove(name)));
    }
}

/// The instances to which the properties of an instance refer, if they are in the folder, by their paths.
fn targets(document: &dyn Form, id: InstanceId, taken: &HashSet<InstanceId>) -> HashMap<InstanceId, String> {
    let references = document.some(id, &|_, sort| sort == super::super::Sort::Reference);
    let all = references.into_iter().filter_map(|(_, value)| value.as_instance());
    all.filter(|to| taken.contains(to)).map(|to| (to, document.path_of(to))).collect()
}
