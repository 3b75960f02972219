//! Scripts and everything above them as files, in the shape of the tree.

use rbxdocument::view::View as _;
use std::collections::{HashMap, HashSet};

use bstr::ByteSlice;
use geom::files::{File, Files, Folder, Names};
use geom::wire::{Budget, Error, Loss, Result};
use rbxcore::{InstanceId, Value, classes};
use serde_json::{Map, Value as Json, json};

use crate::json as text;
use crate::lost::Lost;
use crate::memory::charge;
use crate::meta;
use crate::options::ExtractOptions;
use rbxcore::Dom;
use rbxdocument::paths::Paths;

/// The scripts of a document, and what is above them.
#[derive(Default)]
pub(crate) struct Scripts {
    /// The scripts whose sources are text, and the suffix that Rojo adds to the names of their files.
    pub(crate) suffixes: HashMap<InstanceId, &'static str>,
    /// The scripts and everything above them.
    pub(crate) wanted: HashSet<InstanceId>,
    /// The scripts whose sources are not text.
    pub(crate) others: Vec<InstanceId>,
}

impl Scripts {
    /// # Errors
    /// If the sources take more memory than is left: many scripts can share a long one.
    pub(crate) fn of(document: &dyn Dom, budget: &mut Budget) -> Result<Self> {
        let (mut parents, mut scripts) = (HashMap::new(), Self::default());
        // Every source is written to a file.
        let mut left = budget.clone();
        let ids = document.all();
        for &id in &ids {
            parents.extend(document.below(id).into_iter().map(|child| (child, id)));
        }
        for id in ids {
            let Some(suffix) = suffix(&document.class_of(id)) else { continue };
            let source = document.value(id, "Source");
            // Rojo fails on sources that are not UTF-8.
            let source = source.as_ref().and_then(Value::as_bytes).unwrap_or_default();
            left.charge(source.len() as u64, "the sources of the scripts")?;
            if std::str::from_utf8(source).is_err() {
                scripts.others.push(id);
                continue;
            }
            scripts.suffixes.insert(id, suffix);
            let mut next = Some(id);
            while let Some(id) = next {
                if !scripts.wanted.insert(id) {
                    break;
                }
                next = parents.get(&id).copied();
            }
        }
        Ok(scripts)
    }
}

/// The folder of the sources that are not text, which Rojo does not read.
pub(crate) const SOURCES: &str = "sources/";

/// The files of sources that are not text, in the order of the scripts.
pub(crate) fn other_sources(
    document: &dyn Dom,
    others: &[InstanceId],
    budget: &mut Budget,
) -> Result<Vec<File>> {
    let (mut files, mut paths) = (Files::default(), Paths::new(document));
    let folder = files.folder(Files::TOP, SOURCES.trim_end_matches('/'));
    for &id in others {
        let suffix = suffix(&document.class_of(id)).unwrap_or_default();
        let name = format!("{}{suffix}", paths.of(id, budget)?.replace('/', "."));
        let value = document.value(id, "Source");
        let source = value.as_ref().and_then(Value::as_bytes).unwrap_or_default();
        charge(budget, source.len() as u64, &name)?;
        files.add_in(folder, &name, source.to_vec());
    }
    Ok(files.into_vec())
}

/// The ending of the names of models in JSON.
pub(crate) const JSON_MODEL: &str = ".model.json";

/// The name of the project of a place.
pub(crate) const EXTRACTED: &str = "extracted";

/// The suffix that Rojo adds to the name of a script's file.
pub(crate) fn suffix(class: &str) -> Option<&'static str> {
    Some(match class {
        "Script" => ".server.luau",
        "LocalScript" => ".client.luau",
        "ModuleScript" => ".luau",
        _ => return None,
    })
}

/// The measured bytes of memory of a file and its folder, without their contents and paths.
const FILE: u64 = 1000;

/// The length in bytes of the longest name of an instance that can be the name of its file.
const MAX_NAME: usize = 120;

/// Endings that the name of a file must not have, since they would give it another meaning for Rojo, or beside other
/// files.
const ENDINGS: [&str; 16] = [
    ".server", ".client", ".plugin", ".lua", ".luau", ".json", ".jsonc", ".project", ".model", ".meta",
    ".rbxm", ".rbxmx", ".toml", ".csv", ".txt", ".yaml",
];

/// The name of an instance's file or folder, which ends with `end`, and whether Rojo would derive another name of the
/// instance from it.
pub(crate) fn stem(names: &mut Names, name: &str, end: &str) -> (String, bool) {
    let lower = name.to_lowercase();
    let is_plain = name.len() <= MAX_NAME
        && lower != "init"
        && !lower.starts_with("init.")
        && !lower.ends_with(".yml")
        && !ENDINGS.iter().any(|ending| lower.ends_with(ending));
    let own = if is_plain {
        name.to_owned()
    } else {
        let end = (0..=MAX_NAME.min(name.len())).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
        name[..end].replace('.', "_")
    };
    let stem = names.unique(&(own + end));
    let is_other = !is_plain || stem != name;
    (stem, is_other)
}

/// As [`stem`], for all children of an instance. Rojo sorts files by name, so siblings of one name get names that sort in
/// their order, also after the first one with its extension: `Door.luau`, `Door_(2)`.
pub(crate) fn stems(all: &[String]) -> Vec<(String, bool)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    all.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    let (mut names, mut numbers) = (Names::default(), HashMap::new());
    let all = all.iter().map(|name| {
        let number: &mut usize = numbers.entry(name).or_default();
        *number += 1;
        let width = counts[&**name].to_string().len();
        let end = if *number > 1 { format!("_({number:0width$})") } else { String::new() };
        stem(&mut names, name, &end)
    });
    all.collect()
}

/// Whether a path of the project is that of a root of this name: its stem, with a suffix or a number.
pub(crate) fn is_stem(path: &str, name: &str) -> bool {
    let own = stem(&mut Names::default(), name, "").0;
    path.strip_prefix(&*own).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ']))
}

/// The files and folders that the project file of a single instance names.
const NAMED: [&str; 3] = ["source", "tree", "model"];

/// Whether a path is one that the project file of a single instance has.
pub(crate) fn is_named(path: &str) -> bool {
    NAMED
        .iter()
        .any(|name| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

pub(crate) fn write(
    document: &dyn Dom,
    extract: &ExtractOptions,
    files: &mut Files,
    budget: &mut Budget,
) -> Result<Vec<Loss>> {
    let models = match extract.models.as_deref() {
        None => None,
        Some(extension @ ("rbxm" | "rbxmx")) => Some(extension),
        Some("json") => Some("rbxm"),
        Some(other) => {
            return Err(Error::argument(format!(
                "expected rbxm, rbxmx or json as the format of models, found {other:?}"
            )));
        }
    };
    let Scripts { suffixes: scripts, wanted, others } = Scripts::of(document, budget)?;
    let mut writer = Writer {
        document,
        models,
        has_json: extract.models.as_deref() == Some("json"),
        allow_loss: extract.allow_loss,
        scripts,
        wanted,
        targets: HashMap::new(),
        links: HashMap::new(),
        files,
        budget,
        lost: Lost::new(document),
    };
    writer.top()?;
    writer.others(&others)?;
    Ok(writer.lost.into_losses())
}

pub(crate) struct Writer<'a> {
    pub(crate) document: &'a dyn Dom,
    /// The extension of model files; `None` to write no models.
    pub(crate) models: Option<&'a str>,
    /// Whether small models that JSON can represent are files in JSON.
    pub(crate) has_json: bool,
    /// Whether texts in models may be changed if XML cannot represent them.
    pub(crate) allow_loss: bool,
    /// The scripts whose sources are text, and the suffix that Rojo adds to the names of their files.
    pub(crate) scripts: HashMap<InstanceId, &'static str>,
    /// The scripts and everything above them.
    pub(crate) wanted: HashSet<InstanceId>,
    /// The instances to which references from other files lead, and their ids in the project, which are paths.
    pub(crate) targets: HashMap<InstanceId, String>,
    /// The references of instances in models that lead to other files.
    pub(crate) links: HashMap<InstanceId, Vec<(String, InstanceId)>>,
    pub(crate) files: &'a mut Files,
    pub(crate) budget: &'a mut Budget,
    pub(crate) lost: Lost<'a>,
}

/// A place in the project for an instance: the parent folder, the name of its file or folder, and whether that name
/// differs from the instance's.
struct Spot {
    folder: Folder,
    stem: String,
    is_other: bool,
}

impl Writer<'_> {
    /// Writes the sources that are not text.
    fn others(&mut self, others: &[InstanceId]) -> Result<()> {
        for &id in others {
            let what = "a source file for Rojo, which reads only UTF-8; the folder \"sources\" contains the source \
                        instead";
            self.lost.add(id, "Source", Loss::new("", what).id("rojo.source-not-utf8"), self.budget)?;
        }
        for file in other_sources(self.document, others, self.budget)? {
            let name = file.path().strip_prefix(SOURCES).unwrap_or_default().to_owned();
            self.files.add(&["sources", &name], file.bytes);
        }
        Ok(())
    }

    fn top(&mut self) -> Result<()> {
        let document = self.document;
        let roots = document.top();
        let is_service = |id: InstanceId| classes::is_service(&document.class_of(id));
        let is_place = roots.len() != 1 || roots.iter().any(|&id| is_service(id));
        if self.models.is_some() && is_place {
            self.wanted.extend(roots.iter().copied().filter(|&id| is_service(id)));
        }
        self.link()?;
        let has_project = !self.wanted.is_empty() || self.models.is_some() && !roots.is_empty();
        if !has_project {
            return roots.into_iter().try_for_each(|root| self.leave_out(root).map(drop));
        }
        let mut tree = Map::new();
        let name = match roots.first() {
            Some(&root) if !is_place => {
                if let Some((path, _)) = self.root(root, &mut Names::default(), false)? {
                    tree.insert("$path".into(), path.into());
                }
                document.name_of(root).into_owned()
            }
            _ => {
                tree.insert("$className".into(), "DataModel".into());
                self.roots(&roots, &mut tree)?;
                EXTRACTED.to_owned()
            }
        };
        let project = json!({ "name": name, "tree": tree });
        let bytes = text::text(self.budget, &project, "default.project.json")?;
        self.files.add_in(Files::TOP, "default.project.json", bytes);
        Ok(())
    }

    /// Adds the roots of a place, or several roots, as nodes of the project. Roots whose names cannot be keys go into a
    /// folder.
    fn roots(&mut self, roots: &[InstanceId], tree: &mut Map<String, Json>) -> Result<()> {
        let document = self.document;
        let (mut names, mut others) = (Names::default(), Vec::new());
        // Scripts and folders get their names first, so that these are the same without models.
        let (wanted, models): (Vec<_>, Vec<_>) = roots.iter().partition(|id| self.wanted.contains(id));
        for root in wanted.into_iter().chain(models) {
            let name = document.name_of(root);
            if name.starts_with('$') || tree.contains_key(&*name) {
                others.push(root);
                continue;
            }
            let Some((path, class)) = self.root(root, &mut names, true)? else { continue };
            let mut node = Map::new();
            node.extend(class.map(|class| ("$className".into(), class.into())));
            if !path.is_empty() {
                node.insert("$path".into(), path.into());
            }
            tree.insert(name.into_owned(), node.into());
        }
        let folder = self.files.folder(Files::TOP, "other");
        let before = self.files.len();
        let left = self.children(others, folder)?;
        self.below(left)?;
        if self.files.len() > before {
            tree.insert("$path".into(), self.files.path(folder).into());
        }
        Ok(())
    }

    /// Writes a root with everything below it. Returns its path in the project, which is empty if no file was written,
    /// and the class to state in its node; `None` if the root is left out.
    fn root(
        &mut self,
        root: InstanceId,
        names: &mut Names,
        is_node: bool,
    ) -> Result<Option<(String, Option<String>)>> {
        let name = self.document.name_of(root);
        let (stem, _) = stem(names, &name, "");
        let folder = self.files.folder(Files::TOP, "src");
        let class = self.document.class_of(root).into_owned();
        let above = format!("{}/{stem}", self.files.path(folder));
        if !self.wanted.contains(&root) {
            return Ok(match self.models {
                Some(extension) => {
                    if let Some(json) = self.json_model(root)? {
                        self.json_file(folder, &stem, &json)?;
                        return Ok(Some((format!("{above}{JSON_MODEL}"), None)));
                    }
                    self.model(root, (folder, &stem), extension, true)?;
                    Some((format!("{above}.{extension}"), None))
                }
                None => {
                    self.leave_out(root)?;
                    None
                }
            });
        }
        let children = self.wanted_below(root);
        if let Some(&suffix) = self.scripts.get(&root).filter(|_| children.is_empty()) {
            self.leaf(root, folder, &stem, suffix)?;
            return Ok(Some((format!("{above}{suffix}"), None)));
        }
        // Rojo would take a Folder with the name of a service for the service, so its class is stated.
        let is_told = is_node && class == "Folder";
        let before = self.files.len();
        let inner = self.files.folder(folder, &stem);
        let left = self.branch(root, inner, !is_told)?;
        self.below(left)?;
        let path = if self.files.len() > before { above } else { String::new() };
        Ok(Some((path, is_told.then_some(class))))
    }

    /// The children that are files or folders, or would be models.
    fn wanted_below(&self, id: InstanceId) -> Vec<InstanceId> {
        let children = self.document.below(id).into_iter();
        children.filter(|id| self.models.is_some() || self.wanted.contains(id)).collect()
    }

    /// Writes the waiting instances and everything below them. It does not recurse, since trees can be deep.
    fn below(&mut self, mut waiting: Vec<(InstanceId, Folder)>) -> Result<()> {
        while let Some((id, folder)) = waiting.pop() {
            waiting.extend(self.branch(id, folder, true)?);
        }
        Ok(())
    }

    /// Writes an instance that is a folder: its source or its class, and its children. Returns the children that are
    /// folders, which are still to be written.
    fn branch(
        &mut self,
        id: InstanceId,
        folder: Folder,
        tells_class: bool,
    ) -> Result<Vec<(InstanceId, Folder)>> {
        let class = self.document.class_of(id);
        let suffix = self.scripts.get(&id).copied();
        let mut left_out = 0;
        for child in self.document.below(id) {
            if self.models.is_none() && !self.wanted.contains(&child) {
                left_out += self.leave_out(child)?;
            }
        }
        if let Some(suffix) = suffix {
            self.source(id, folder, &format!("init{suffix}"))?;
        }
        let mut meta =
            meta::of(self.document, id, suffix.is_some(), &self.targets, &mut self.lost, self.budget)?;
        if tells_class && suffix.is_none() && class != "Folder" {
            meta.insert("className".into(), class.into());
        }
        if left_out > 0 {
            meta.insert("ignoreUnknownInstances".into(), true.into());
        }
        self.meta(folder, "init", &meta)?;
        let children = self.wanted_below(id);
        self.children(children, folder)
    }

    /// Writes children into a folder. Returns the children that are folders, which are still to be written.
    fn children(&mut self, children: Vec<InstanceId>, folder: Folder) -> Result<Vec<(InstanceId, Folder)>> {
        let document = self.document;
        let length = self.files.path(folder).len();
        // The path is kept with each child and with each file.
        self.budget.charge(
            (length as u64 + FILE) * (children.len() as u64 + 1),
            "the paths of the extracted files",
        )?;
        let mut left = Vec::new();
        let (wanted, others): (Vec<_>, Vec<_>) =
            children.into_iter().partition(|id| self.wanted.contains(id));
        let mut all = Vec::with_capacity(wanted.len() + others.len());
        for &child in wanted.iter().chain(&others) {
            let name = document.name_of(child);
            self.budget.charge(3 * name.len() as u64, "the names of the extracted files")?;
            all.push(name.into_owned());
        }
        let children =
            wanted.into_iter().map(|id| (id, true)).chain(others.into_iter().map(|id| (id, false)));
        for ((child, is_wanted), (name, (stem, is_other))) in children.zip(all.iter().zip(stems(&all))) {
            let spot = Spot { folder, stem, is_other };
            let suffix = self.scripts.get(&child).copied().filter(|_| self.wanted_below(child).is_empty());
            match (is_wanted, suffix, self.models) {
                (true, Some(suffix), _) => {
                    let (folder, stem) = self.named(&spot, name, "source", suffix)?;
                    self.leaf(child, folder, &stem, suffix)?;
                }
                (true, None, _) => {
                    let (folder, stem) = self.named(&spot, name, "tree", "")?;
                    left.push((child, self.files.folder(folder, &stem)));
                }
                (false, _, Some(extension)) => {
                    if let Some(json) = self.json_model(child)? {
                        let (folder, stem) = self.named(&spot, name, "model", JSON_MODEL)?;
                        self.json_file(folder, &stem, &json)?;
                        continue;
                    }
                    let (folder, stem) = self.named(&spot, name, "model", &format!(".{extension}"))?;
                    self.model(child, (folder, &stem), extension, spot.is_other)?;
                }
                (false, _, None) => _ = self.leave_out(child)?,
            }
        }
        Ok(left)
    }

    /// The folder and the name of an instance's file: its spot or, if Rojo would name it otherwise there, a folder with
    /// its own project file.
    fn named(&mut self, spot: &Spot, name: &str, inner: &str, ending: &str) -> Result<(Folder, String)> {
        if !spot.is_other {
            return Ok((spot.folder, spot.stem.clone()));
        }
        let folder = self.files.folder(spot.folder, &spot.stem);
        let project = json!({ "name": name, "tree": { "$path": format!("{inner}{ending}") } });
        let bytes = text::text(self.budget, &project, "default.project.json")?;
        self.files.add_in(folder, "default.project.json", bytes);
        Ok((folder, inner.to_owned()))
    }

    /// Writes a script whose children, if it has any, are left out.
    fn leaf(&mut self, id: InstanceId, folder: Folder, stem: &str, suffix: &str) -> Result<()> {
        self.source(id, folder, &format!("{stem}{suffix}"))?;
        let mut left_out = 0;
        for child in self.document.below(id) {
            left_out += self.leave_out(child)?;
        }
        let mut meta = meta::of(self.document, id, true, &self.targets, &mut self.lost, self.budget)?;
        if left_out > 0 {
            meta.insert("ignoreUnknownInstances".into(), true.into());
        }
        self.meta(folder, stem, &meta)
    }

    fn source(&mut self, id: InstanceId, folder: Folder, name: &str) -> Result<()> {
        let value = self.document.value(id, "Source");
        let source = value.as_ref().and_then(Value::as_bytes).unwrap_or_default();
        charge(self.budget, source.len() as u64, name)?;
        let bytes = source.to_vec();
        if self.scripts.contains_key(&id) && bytes.find("\r\n").is_some() {
            let what = "CR LF line endings, which Rojo reads as LF";
            self.lost.add(id, "Source", Loss::warning("", what).id("rojo.line-ends"), self.budget)?;
        }
        self.files.add_in(folder, name, bytes);
        Ok(())
    }

    fn meta(&mut self, folder: Folder, stem: &str, meta: &Map<String, Json>) -> Result<()> {
        let name = format!("{stem}.meta.json");
        if !meta.is_empty() {
            let bytes = text::text(self.budget, meta, &name)?;
            self.files.add_in(folder, &name, bytes);
        }
        Ok(())
    }

    /// Lists an instance that is in no file, with its descendants; returns the number of these instances.
    fn leave_out(&mut self, id: InstanceId) -> Result<usize> {
        const SCRIPTS: &str = "the properties of a script whose source is not UTF-8; \
                               `--models` extracts such scripts";
        const OTHERS: &str = "an instance that contains no script; `--models` extracts such instances";
        // Beside scripts that are left out, since their sources are not UTF-8.
        const BESIDE: &str = "an instance without any script that can be extracted (the sources of its scripts are not \
                              UTF-8); `--models` extracts such instances";
        // The first of each kind, and their number.
        let (mut scripts, mut others) = ((id, 0), (id, 0));
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            let is_script = suffix(&self.document.class_of(id)).is_some();
            let (first, count) = if is_script { &mut scripts } else { &mut others };
            *first = if *count == 0 { id } else { *first };
            *count += 1;
            waiting.extend(self.document.below(id).into_iter().rev());
        }
        let of_others = if scripts.1 > 0 { BESIDE } else { OTHERS };
        for ((first, count), what) in [(scripts, SCRIPTS), (others, of_others)] {
            if count > 0 {
                let loss = Loss::new("", what).id("rojo.not-extracted").times(count);
                self.lost.add(first, "", loss, self.budget)?;
            }
        }
        Ok(scripts.1 + others.1)
    }
}
