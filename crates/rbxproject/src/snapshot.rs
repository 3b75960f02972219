//! A folder as the tree of instances that Rojo reads from it: scripts, meta files, models, data files and projects.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use geom::files::normal_path;
use geom::wire::{Budget, Error, Loss, Result};
use rbxcore::classes;
use serde_json::{Map, Value as Json};

use crate::globs::glob;
use crate::luau;
use crate::memory::charge;
use crate::meta::{GRIDS, ID, TARGET};
use crate::tree;

/// The name of the file that makes a folder a project.
pub(crate) const PROJECT: &str = "default.project.json";

/// The names of the file that makes a folder a project; the first counts.
pub(crate) const PROJECTS: [&str; 2] = [PROJECT, "default.project.jsonc"];

/// What a node of a project can say.
const KEYS: [&str; 6] =
    ["$className", "$path", "$properties", "$attributes", "$id", "$ignoreUnknownInstances"];

/// The files of the grids of terrain, without their properties.
const TERRAIN: &str = "terrain/Workspace_Terrain";

/// The deepest tree of a project file, and of projects that lead to other projects.
const DEPTH: usize = 64;

/// The deepest folder.
const FOLDERS: usize = 1000;

/// How much more memory the values of YAML take than those of JSON: they need no punctuation.
const YAML: u64 = 40;

/// The approximate memory of a node, without its texts.
const NODE: usize = 600;

/// Where values come from, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum From {
    /// A model in JSON.
    Model,
    /// A meta file.
    Meta,
    /// A node of a project.
    Project,
}

/// A meta file or the fields of a node in a project or a model.
pub(crate) struct Fields {
    pub(crate) file: String,
    pub(crate) json: Json,
    pub(crate) from: From,
}

/// What happens to the children of an instance that no file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unlisted {
    /// They stay.
    Keep,
    /// What `extract` without models writes as files is missing; the others stay.
    KeepOthers,
    /// The same, but the others are listed, since the folder does not say that there are any.
    ListOthers,
    /// They are missing from the folder.
    Remove,
}

/// The class of a wanted instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A file or a project states it.
    Stated(String),
    /// A new instance gets it: the class of a folder, or the one that the name means below this parent.
    Inferred(String),
    /// The instance that is there keeps its class.
    Any,
}

/// An instance of the folder.
#[derive(Default)]
pub(crate) struct Node<'a> {
    pub(crate) name: String,
    /// The class that the file or the project states.
    pub(crate) class: Option<String>,
    /// The class that the name means below this parent.
    pub(crate) inferred: Option<String>,
    /// The path of the file or the folder; for errors.
    pub(crate) file: String,
    /// The path of the folder for its children.
    pub(crate) folder: String,
    /// The property that the content of the file is, and the content.
    pub(crate) text: Option<(&'static str, Cow<'a, [u8]>)>,
    /// The `RunContext` that the name of the file means.
    pub(crate) run_context: Option<&'static str>,
    /// A model file.
    pub(crate) model: Option<&'a [u8]>,
    pub(crate) fields: Vec<Fields>,
    /// Properties whose bytes are files: the grids of terrain.
    pub(crate) blobs: Vec<(&'static str, &'a [u8])>,
    pub(crate) children: Vec<usize>,
    /// Whether a file or a folder lists all children, unless one of the next two says something else.
    lists_all: bool,
    /// What the project says about children that no file names.
    ignores_by_project: Option<bool>,
    /// Whether a meta file says that there are others.
    ignores_by_meta: bool,
    /// Whether a file, a folder or a node of a project exists for it.
    pub(crate) exists: bool,
    /// Whether a project leads to it by a path.
    pub(crate) has_path: bool,
    /// Whether an optional path of a project leads to nothing, and no class is stated: there is no such instance.
    pub(crate) is_gone: bool,
    /// Whether it has the name of its file, so that another with the same name is a mistake.
    is_plain: bool,
    /// Whether a project has it as a key, so that it can be joined with a folder of the same name.
    pub(crate) is_keyed: bool,
    /// The name of its file or folder.
    entry: String,
}

impl From {
    /// Whether a property that is not stated has its default.
    pub(crate) fn states_all(self) -> bool {
        self != Self::Project
    }
}

impl Node<'_> {
    pub(crate) fn is_script(&self) -> bool {
        matches!(self.text, Some(("Source", _)))
    }

    /// Whether it is a model file, also in JSON.
    fn is_model(&self) -> bool {
        self.model.is_some() || self.fields.iter().any(|of| of.from == From::Model)
    }

    /// What happens to children that no file names.
    fn unlisted(&self, (is_foreign, has_all): (bool, bool)) -> Unlisted {
        let keeps = self.ignores_by_project.unwrap_or(self.ignores_by_meta || !self.lists_all);
        match keeps {
            true if is_foreign || self.is_keyed && !self.has_path => Unlisted::Keep,
            false if is_foreign || has_all => Unlisted::Remove,
            false => Unlisted::ListOthers,
            true => Unlisted::KeepOthers,
        }
    }

    /// The class, if a file states it or its place determines it.
    pub(crate) fn wanted_class(&self) -> Class {
        match (&self.class, &self.inferred) {
            (Some(class), _) => Class::Stated(class.clone()),
            (None, Some(class)) => Class::Inferred(class.clone()),
            (None, None) if self.is_keyed && !self.lists_all => Class::Any,
            (None, None) => Class::Inferred("Folder".to_owned()),
        }
    }

    /// Whether the file is about its folder.
    pub(crate) fn is_init(&self) -> bool {
        self.file.rsplit('/').next().is_some_and(|name| name.to_lowercase().starts_with("init."))
    }

    /// What the name of its file or folder can be without its ending: the names that `extract` gives to siblings.
    pub(crate) fn stems(&self) -> impl Iterator<Item = &str> {
        let entry = &*self.entry;
        std::iter::once(entry).chain(entry.rmatch_indices('.').map(|(dot, _)| &entry[..dot]))
    }
}

/// The instances of a folder.
pub(crate) struct Snapshot<'a> {
    pub(crate) nodes: Vec<Node<'a>>,
    /// Whether the project is a place, so that the children of the root are services.
    pub(crate) is_place: bool,
    /// Whether the project leads to other folders than one that `extract` writes: what it says about instances without a
    /// file is also about scripts.
    pub(crate) is_foreign: bool,
    /// Whether a folder of `extract` has models, and no meta file says that there are other children: it has everything.
    has_all: bool,
    /// The files that belong to an instance.
    pub(crate) used: HashSet<&'a str>,
    /// The folders and files to which projects lead.
    pub(crate) paths: Vec<String>,
    given: &'a BTreeMap<String, Vec<u8>>,
    /// What is not as the project says.
    pub(crate) left: Vec<Loss>,
    /// The files and folders that each project excludes from what it leads to.
    pub(crate) ignored: Vec<HashSet<&'a str>>,
    /// What some files are by the rules of each project, of which the first that names a file counts.
    synced: Vec<HashMap<&'a str, Synced>>,
    /// The folders that are not read yet, with their nodes, and what the project above them says.
    waiting: Vec<(String, usize, Rules)>,
    budget: &'a mut Budget,
}

/// The class of a script and its `RunContext`.
type ScriptKind = (&'static str, Option<&'static str>);

/// A file that a rule of a project reads in another way: the name of the instance, how the name of such a file ends
/// otherwise, and its class and `RunContext`.
struct Synced {
    stem: String,
    ending: &'static str,
    script: Option<ScriptKind>,
}

/// The uses of files in rules of projects, how the name of such a file ends otherwise, and the class and `RunContext`.
const USES: [(&str, &str, Option<ScriptKind>); 17] = [
    ("serverScript", ".server.luau", None),
    ("clientScript", ".client.luau", None),
    ("moduleScript", ".luau", None),
    ("pluginScript", ".plugin.luau", None),
    ("legacyServerScript", ".luau", Some(("Script", None))),
    ("legacyClientScript", ".luau", Some(("LocalScript", None))),
    ("runContextServerScript", ".luau", Some(("Script", Some("Server")))),
    ("runContextClientScript", ".luau", Some(("Script", Some("Client")))),
    ("json", ".json", None),
    ("toml", ".toml", None),
    ("yaml", ".yaml", None),
    ("csv", ".csv", None),
    ("text", ".txt", None),
    ("rbxm", ".rbxm", None),
    ("rbxmx", ".rbxmx", None),
    ("jsonModel", ".model.json", None),
    ("project", ".project.json", None),
];

/// What a project says about all files below it.
#[derive(Clone, Copy)]
struct Rules {
    /// Whether a server's script is a `Script` without a `RunContext`, and a client's a `LocalScript`.
    legacy: bool,
    /// The number of projects that lead here.
    depth: usize,
    /// The index of the files that they exclude.
    ignored: usize,
    /// The index of what files are by the rules of the project itself.
    synced: usize,
}

/// How a name of a file ends, the class, and the `RunContext`.
const SCRIPTS: [(&str, &str, Option<&str>); 4] = [
    (".server", "Script", None),
    (".client", "LocalScript", None),
    (".plugin", "Script", Some("Plugin")),
    ("", "ModuleScript", None),
];

/// The files that are about the instance of their folder.
const INIT_METAS: [&str; 2] = ["init.meta.json", "init.meta.jsonc"];

/// The files that are the source of their folder, the strongest first.
const INITS: [&str; 9] = [
    "init.luau",
    "init.lua",
    "init.server.luau",
    "init.server.lua",
    "init.client.luau",
    "init.client.lua",
    "init.plugin.lua",
    "init.plugin.luau",
    "init.csv",
];

/// The name of a script's file without its endings, its class and its `RunContext`; `None` for other files.
fn script(file: &str, legacy: bool) -> Option<(&str, &'static str, Option<&'static str>)> {
    let stem = file.strip_suffix(".luau").or_else(|| file.strip_suffix(".lua"))?;
    let stem = if stem.is_empty() { file } else { stem };
    let (stem, &(ending, class, context)) =
        SCRIPTS.iter().find_map(|script| Some((stem.strip_suffix(script.0)?, script)))?;
    Some(match ending {
        ".server" if !legacy => (stem, "Script", Some("Server")),
        ".client" if !legacy => (stem, "Script", Some("Client")),
        _ => (stem, class, context),
    })
}

impl<'a> Snapshot<'a> {
    /// What happens to the children of a node that no file names.
    pub(crate) fn unlisted(&self, node: &Node<'_>) -> Unlisted {
        // A model that `extract` wrote says where there are others.
        node.unlisted((self.is_foreign, self.has_all || !self.is_place))
    }

    /// Reads a project file and all that it leads to. The first node is the root; `name` is its name if the file has none.
    ///
    /// # Errors
    /// If a file cannot be read, two files are the same instance, or the budget does not suffice.
    pub(crate) fn new(
        given: &'a BTreeMap<String, Vec<u8>>,
        (file, project, name): (&str, &[u8], &str),
        budget: &'a mut Budget,
    ) -> Result<Self> {
        let mut snapshot = Self {
            nodes: Vec::new(),
            is_place: false,
            is_foreign: false,
            has_all: false,
            used: HashSet::new(),
            paths: Vec::new(),
            given,
            left: Vec::new(),
            ignored: vec![HashSet::new()],
            synced: Vec::new(),
            waiting: Vec::new(),
            budget,
        };
        let rules = Rules { legacy: true, depth: 0, ignored: 0, synced: 0 };
        snapshot.take(file);
        snapshot.project(file, project, name, rules)?;
        snapshot.is_place =
            snapshot.nodes.first().and_then(|node| node.class.as_deref()) == Some("DataModel");
        // The name that `extract` gives the project of a place.
        let name = snapshot.nodes.first().map(|node| node.name.as_str());
        snapshot.is_foreign |=
            snapshot.is_place && !snapshot.paths.is_empty() && name != Some(tree::EXTRACTED);
        let rules = Rules { ignored: 1, ..rules };
        snapshot.extracted(rules)?;
        snapshot.terrain()?;
        while let Some((folder, node, rules)) = snapshot.waiting.pop() {
            snapshot.folder(&folder, node, rules)?;
        }
        for index in 0..snapshot.nodes.len() {
            snapshot.order(index)?;
        }
        snapshot.classes()?;
        let mut nodes = snapshot.nodes.iter();
        snapshot.has_all = nodes.clone().any(Node::is_model) && nodes.all(|node| !node.ignores_by_meta);
        Ok(snapshot)
    }

    /// Lists the classes that meta files of scripts and data files state: as in Rojo, they are ignored, and those of folders
    /// are errors.
    fn classes(&mut self) -> Result<()> {
        for node in self.nodes.iter().filter(|node| node.text.is_some()) {
            let stated = node.fields.iter().filter(|fields| fields.from == From::Meta);
            for (file, class) in stated.filter_map(|of| Some((&of.file, of.json.get("className")?))) {
                let is_init = INIT_METAS.contains(&file.rsplit('/').next().unwrap_or(file));
                if is_init && class.as_str() != node.class.as_deref() {
                    let what = format!(
                        "className: the class is that of {}, not {class} (remove the field)",
                        node.file
                    );
                    return Err(Error::argument(what).at_path(file.clone()));
                }
                if !is_init {
                    let what = format!("the field className, since the class is that of {}", node.file);
                    self.left.push(Loss::warning(file.clone(), what).id("rojo.unknown-key"));
                }
            }
        }
        Ok(())
    }

    /// Adds what is new in the folder `src` of a place that `extract` wrote, whose project names each service in it.
    fn extracted(&mut self, rules: Rules) -> Result<()> {
        let is_own =
            |path: &String| path.starts_with("src/") && path.matches('/').count() == 1 || path == "other";
        if !self.is_place || self.is_foreign || self.paths.is_empty() || !self.paths.iter().all(is_own) {
            return Ok(());
        }
        for (name, is_folder) in self.list("src", rules) {
            let path = format!("src/{name}");
            if !self.paths.contains(&path) && (is_folder || script(name, true).is_some()) {
                let child = self.path(PROJECT, &path, rules)?;
                if is_folder {
                    name.clone_into(&mut self.nodes[child].name);
                }
                self.nodes[0].children.push(child);
            }
        }
        Ok(())
    }

    /// Adds the grids of terrain, which `extract` writes into a folder of their own.
    fn terrain(&mut self) -> Result<()> {
        let mut blobs = Vec::new();
        for property in GRIDS {
            let path = format!("{TERRAIN}.{property}.bin");
            blobs.extend(self.take(&path).map(|bytes| (property, bytes)));
        }
        let has_model = self.given.keys().any(|path| path.starts_with("src/Workspace/Terrain."));
        if !self.is_place || self.is_foreign || has_model || blobs.is_empty() {
            return Ok(());
        }
        let new = |name: &str, class: &str| Node {
            name: name.to_owned(),
            inferred: Some(class.to_owned()),
            file: TERRAIN.to_owned(),
            exists: true,
            is_keyed: true,
            ..Node::default()
        };
        let top = self.nodes[0].children.clone();
        let workspace = match top.into_iter().find(|&child| self.nodes[child].name == "Workspace") {
            Some(workspace) => workspace,
            None => {
                let workspace = self.add(new("Workspace", "Workspace"))?;
                self.nodes[0].children.push(workspace);
                workspace
            }
        };
        let terrain = self.add(Node { blobs, ..new("Terrain", "Terrain") })?;
        self.nodes[workspace].children.push(terrain);
        Ok(())
    }

    /// Whether a file is part of the folders to which the project leads.
    pub(crate) fn has(&self, file: &str) -> bool {
        let is_above = |path: &String| {
            path.is_empty()
                || file.strip_prefix(&**path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.paths.iter().any(is_above)
    }

    fn add(&mut self, node: Node<'a>) -> Result<usize> {
        let texts = node.name.len() + node.file.len() + node.folder.len();
        self.budget.charge((NODE + texts) as u64, "the instances of the folder")?;
        self.nodes.push(node);
        Ok(self.nodes.len() - 1)
    }

    /// The bytes of a file, which belongs to an instance from now on.
    fn take(&mut self, file: &str) -> Option<&'a [u8]> {
        let (path, bytes) = self.given.get_key_value(file)?;
        self.used.insert(path);
        Some(bytes)
    }

    /// The project file of a folder, and its content.
    fn project_in(&mut self, folder: &str) -> Option<(String, &'a [u8])> {
        PROJECTS.iter().find_map(|name| {
            let file = format!("{folder}/{name}");
            self.take(&file).map(|bytes| (file, bytes))
        })
    }

    /// The names of files and folders in a folder, in the order of the names; the flag is set for folders. As in Rojo, a
    /// file that is about its folder is read although a pattern excludes it.
    fn list(&self, folder: &str, rules: Rules) -> Vec<(&'a str, bool)> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let (mut from, mut all) = (prefix.clone(), Vec::new());
        while let Some((path, _)) = self.given.range(from..).next() {
            let Some(rest) = path.strip_prefix(&*prefix) else { break };
            let (name, is_folder) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
            let is_init = !is_folder && (INITS.contains(&name) || INIT_METAS.contains(&name));
            if is_init || !self.ignored[rules.ignored].contains(&path[..prefix.len() + name.len()]) {
                all.push((name, is_folder));
            }
            // After all paths of a folder: `0` follows `/`.
            from = if is_folder { format!("{prefix}{name}0") } else { format!("{path}\0") };
        }
        all
    }

    fn has_folder(&self, folder: &str) -> bool {
        folder.is_empty() && !self.given.is_empty() || {
            let prefix = format!("{folder}/");
            self.given.range(prefix.clone()..).next().is_some_and(|(path, _)| path.starts_with(&prefix))
        }
    }

    /// Reads a project file; returns its root.
    fn project(&mut self, file: &str, bytes: &[u8], name: &str, rules: Rules) -> Result<usize> {
        let wrong = |what: String| {
            Error::argument(format!("the project file is not a Rojo project: {what}"))
                .at_path(file.to_owned())
        };
        if rules.depth >= DEPTH {
            return Err(wrong(format!("more than {DEPTH} projects lead to each other")));
        }
        charge(self.budget, luau::cost(bytes), file)?;
        let project = luau::parse(bytes).map_err(wrong)?;
        let tree = project.get("tree").and_then(Json::as_object).ok_or_else(|| {
            wrong("expected a JSON object with the field `tree`, whose value is an object".to_owned())
        })?;
        let base = file.rsplit_once('/').map_or(String::new(), |(base, _)| format!("{base}/"));
        let patterns = project.get("globIgnorePaths").and_then(Json::as_array);
        // The files and folders below the project.
        let below = self.given.range(base.clone()..).map(|(path, _)| path.as_str());
        let below = below.take_while(|path| patterns.is_some() && path.starts_with(&base));
        let places: BTreeSet<&str> =
            below.flat_map(|path| with_folders(path).filter(|place| place.len() > base.len())).collect();
        let mut ignored = self.ignored[rules.ignored].clone();
        self.budget.charge(ignored.len() as u64 * 32, "the excluded paths")?;
        for pattern in patterns.into_iter().flatten().filter_map(Json::as_str) {
            // As in Rojo, a pattern after `!` takes back what others before it exclude.
            let (pattern, is_back) = pattern.strip_prefix('!').map_or((pattern, false), |of| (of, true));
            let glob = glob(pattern, file, self.budget)?;
            self.budget.work(places.len() as u64 * 100, "the excluded paths")?;
            let matched = places.iter().copied().filter(|path| glob.is_match(&path[base.len()..]));
            match is_back {
                true => matched.for_each(|path| _ = ignored.remove(path)),
                false => ignored.extend(matched),
            }
        }
        self.ignored.push(ignored);
        self.sync_rules(file, &base, &project)?;
        let legacy = project.get("emitLegacyScripts").and_then(Json::as_bool).unwrap_or(true);
        let name = project.get("name").and_then(Json::as_str).unwrap_or(name).to_owned();
        let (ignored, synced) = (self.ignored.len() - 1, self.synced.len() - 1);
        let rules = Rules { legacy, depth: rules.depth + 1, ignored, synced };
        let index = self.node((file, name), tree, None, DEPTH, rules)?;
        // The file of another project is that of its instance, and lists what is in it.
        self.nodes[index].lists_all |= rules.depth > 1;
        Ok(index)
    }

    /// Reads the rules of a project about what files are.
    fn sync_rules(&mut self, file: &str, base: &str, project: &Json) -> Result<()> {
        // As in Rojo, those of the projects above do not count.
        let mut synced = HashMap::new();
        for rule in project.get("syncRules").and_then(Json::as_array).into_iter().flatten() {
            let text = |name: &str| rule.get(name).and_then(Json::as_str);
            let Some((pattern, of)) = text("pattern").zip(text("use")) else {
                return Err(
                    Error::argument("expected `pattern` and `use` in syncRules").at_path(file.to_owned())
                );
            };
            let known = USES.iter().find(|known| known.0 == of);
            if known.is_none() && of != "ignore" {
                self.left.push(
                    Loss::warning(format!("{file}: {of}"), "this use in syncRules is not known")
                        .id("rojo.unknown-key"),
                );
                continue;
            }
            let matched = glob(pattern, file, self.budget)?;
            let excluded = text("exclude").map(|pattern| glob(pattern, file, self.budget)).transpose()?;
            self.budget.work(self.given.len() as u64 * 200, "the rules of the project")?;
            let below = self.given.range(base.to_owned()..).map(|(path, _)| path.as_str());
            for path in below.take_while(|path| path.starts_with(base)) {
                let inner = &path[base.len()..];
                let is_excluded = || excluded.as_ref().is_some_and(|excluded| excluded.is_match(inner));
                if !matched.is_match(inner) || synced.contains_key(path) || is_excluded() {
                    continue;
                }
                let name = path.rsplit('/').next().unwrap_or(path);
                let stem = match text("suffix") {
                    Some(suffix) => name.strip_suffix(suffix),
                    None => name.rsplit_once('.').map(|(stem, _)| stem),
                };
                let stem = stem.unwrap_or(name);
                self.budget.charge(100 + name.len() as u64, "the rules of the project")?;
                let of = known.map(|(_, ending, script)| (*ending, *script));
                if known.is_none() {
                    self.used.insert(path);
                }
                // A name without an ending is that of no instance.
                let (ending, script) = of.unwrap_or_default();
                synced.insert(path, Synced { stem: stem.to_owned(), ending, script });
            }
        }
        self.synced.push(synced);
        Ok(())
    }

    /// Reads a node of a project with everything below it.
    fn node(
        &mut self,
        (file, name): (&str, String),
        node: &Map<String, Json>,
        parent_class: Option<&str>,
        depth: usize,
        rules: Rules,
    ) -> Result<usize> {
        let wrong = |what: String| Error::argument(what).at_path(file.to_owned());
        let depth = depth.checked_sub(1).ok_or_else(|| {
            wrong(format!(
                "the tree of the project has more than {DEPTH} levels, the maximum that rezkit reads"
            ))
        })?;
        let inferred = match parent_class {
            Some("DataModel") if classes::is_service(&name) => Some(name.clone()),
            Some("StarterPlayer") if name.starts_with("Starter") => Some(name.clone()),
            Some("Workspace") if name == "Terrain" => Some(name.clone()),
            _ => None,
        };
        let stated = node.get("$className").and_then(Json::as_str).map(str::to_owned);
        // An optional path: the file may be missing.
        let optional = node.get("$path").and_then(|path| path.get("optional"));
        let is_optional = optional.is_some();
        let index = match optional.or(node.get("$path")) {
            Some(path) => {
                let path = path.as_str().ok_or_else(|| {
                    let expected = "expected a path, or an object with the field `optional`";
                    wrong(format!("{name}.$path: {expected}, found {}", node["$path"]))
                })?;
                let index = self.path(file, path, rules)?;
                self.nodes[index].has_path = true;
                // `extract` writes no folder for a service without scripts.
                let is_own = path == "other"
                    || path.strip_prefix("src/").is_some_and(|path| tree::is_stem(path, &name));
                self.is_foreign |= !(is_own || rules.depth > 1 && tree::is_named(path));
                let own = &mut self.nodes[index];
                if !own.exists && is_optional {
                    // As in Rojo, it is a node without a path.
                    (own.lists_all, own.has_path) = (false, false);
                    own.exists = stated.is_some() || inferred.is_some();
                    own.is_gone = !own.exists;
                } else if !own.exists && !is_own {
                    // Nothing is removed for it.
                    own.lists_all = false;
                    let what = "the path of the project leads to nothing, or to an empty folder, so nothing is packed from it";
                    self.left.push(Loss::missing(path, what).id("rojo.empty-path"));
                }
                index
            }
            None => self.add(Node { exists: true, file: file.to_owned(), ..Node::default() })?,
        };
        let own = &mut self.nodes[index];
        own.name = name;
        own.is_plain = false;
        own.file = if own.file.is_empty() { file.to_owned() } else { std::mem::take(&mut own.file) };
        // As in Rojo, a folder gets the class of the node that leads to it.
        if own.class.is_none()
            || own.class.as_deref() == Some("Folder") && (stated.is_some() || inferred.is_some())
        {
            own.class = stated;
        }
        own.inferred = inferred;
        own.ignores_by_project =
            node.get("$ignoreUnknownInstances").and_then(Json::as_bool).or(own.ignores_by_project);
        let mut fields = Map::new();
        for (from, to) in [("$properties", "properties"), ("$attributes", "attributes"), ("$id", "id")] {
            fields.extend(node.get(from).map(|json| (to.to_owned(), json.clone())));
        }
        if !fields.is_empty() {
            own.fields.push(Fields {
                file: file.to_owned(),
                json: normal(fields.into()),
                from: From::Project,
            });
        }
        let class = own.class.clone().or_else(|| own.inferred.clone());
        for (key, _) in node.iter().filter(|(key, _)| key.starts_with('$') && !KEYS.contains(&&***key)) {
            let what = format!(
                "a key of the project that Rojo does not have, and that is not used ({})",
                KEYS.join(", ")
            );
            self.left.push(Loss::warning(format!("{file}: {key}"), what).id("rojo.unknown-key"));
        }
        for (name, below) in node.iter().filter(|(name, _)| !name.starts_with('$')) {
            let below = below.as_object().ok_or_else(|| {
                Error::argument(format!("{name}: expected an object with the instance, found {below}"))
                    .at_path(file.to_owned())
            })?;
            let child = self.node((file, name.clone()), below, class.as_deref(), depth, rules)?;
            self.nodes[child].is_keyed = true;
            if !self.nodes[child].is_gone {
                self.nodes[index].children.push(child);
            }
        }
        Ok(index)
    }

    /// The node of a file or folder to which a project leads.
    fn path(&mut self, project: &str, path: &str, rules: Rules) -> Result<usize> {
        let names = path.replace('\\', "/");
        let base = project.rsplit_once('/').map_or("", |(base, _)| base);
        let inside = if names.starts_with('/') { None } else { normal_path(&format!("{base}/{names}")) };
        let inside = inside.ok_or_else(|| {
            let what = format!("the path {path:?} leads out of the folder with the files to pack");
            Error::argument(what).at_path(project.to_owned())
        })?;
        self.paths.push(inside.clone());
        let (folder, name) = inside.rsplit_once('/').unwrap_or(("", &inside));
        if self.given.contains_key(&inside)
            && let Some(index) = self.file(folder, name, rules)?
        {
            return Ok(index);
        }
        // The folder of the project itself is not that project again.
        if inside != base
            && let Some((file, bytes)) = self.project_in(&inside)
        {
            return self.project(&file, bytes, name, rules);
        }
        let exists = self.has_folder(&inside);
        let node =
            Node { file: inside.clone(), folder: inside.clone(), lists_all: true, exists, ..Node::default() };
        let index = self.add(node)?;
        self.waiting.push((inside, index, rules));
        Ok(index)
    }

    /// Reads the files and folders of a folder.
    fn folder(&mut self, folder: &str, index: usize, rules: Rules) -> Result<()> {
        if folder.matches('/').count() > FOLDERS {
            return Err(Error::argument(format!("there are more than {FOLDERS} folders above the file"))
                .at_path(folder.to_owned()));
        }
        let path = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        // As in Rojo, the meta file of a source is also beside it with the name of the folder, below the other one.
        if INITS.iter().any(|init| self.given.contains_key(&path(init))) {
            let name = folder.rsplit('/').next().filter(|name| !name.is_empty());
            name.map_or(Ok(()), |name| self.metas(&path(name), index))?;
        }
        for (name, is_folder) in self.list(folder, rules) {
            let (path, lower) = (path(name), name.to_lowercase());
            if !is_folder && lower.starts_with("init.") && self.init(&path, name, index, rules)? {
                continue;
            }
            let child = match is_folder {
                false if PROJECTS.contains(&name) => None,
                false => self.file(folder, name, rules)?,
                true => Some(match self.project_in(&path) {
                    Some((file, bytes)) => self.project(&file, bytes, name, rules)?,
                    None => {
                        let (name, folder) = (name.to_owned(), path.clone());
                        let node = Node { lists_all: true, exists: true, is_plain: true, ..Node::default() };
                        let child = self.add(Node { name, file: folder.clone(), folder, ..node })?;
                        self.waiting.push((path, child, rules));
                        child
                    }
                }),
            };
            if let Some(child) = child.filter(|&child| !self.nodes[child].is_gone) {
                name.clone_into(&mut self.nodes[child].entry);
                self.nodes[index].children.push(child);
            }
        }
        Ok(())
    }

    /// Reads a file that is about its folder: the source of a script, a table, or a meta file.
    fn init(&mut self, path: &str, name: &str, index: usize, rules: Rules) -> Result<bool> {
        if INIT_METAS.contains(&name) {
            self.meta(path, index)?;
            return Ok(true);
        }
        let found = match script(name, rules.legacy) {
            Some(("init", class, context)) => (class, context, "Source"),
            _ if name == "init.csv" => ("LocalizationTable", None, "Contents"),
            _ => return Ok(false),
        };
        let bytes = self.take(path).unwrap_or_default();
        // Of several, Rojo 7.7.1 reads the first in this order.
        let rank = |path: &str| INITS.iter().position(|init| path.rsplit('/').next() == Some(init));
        let node = &self.nodes[index];
        let other = node.text.is_some().then(|| node.file.clone());
        let is_first = other.as_ref().is_none_or(|other| rank(path) < rank(other));
        if let Some(other) = other {
            let (used, unused) = if is_first { (path, &*other) } else { (&*other, path) };
            let what = format!("the file is not used, since {used} is the source of the folder");
            self.left.push(Loss::warning(unused, what).id("rojo.not-packed"));
        }
        if !is_first {
            return Ok(true);
        }
        let text = self.content(path, found.2, bytes)?;
        let node = &mut self.nodes[index];
        (node.class, node.run_context, node.text) =
            (Some(found.0.to_owned()), found.1, Some((found.2, text)));
        path.clone_into(&mut node.file);
        Ok(true)
    }

    /// What a file stores in a property.
    fn content(&mut self, path: &str, property: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>> {
        if property != "Contents" {
            return Ok(bytes.into());
        }
        let made =
            luau::localization(bytes).map_err(|what| Error::argument(what).at_path(path.to_owned()))?;
        charge(self.budget, made.len() as u64, path)?;
        Ok(made.into_bytes().into())
    }

    /// Reads a meta file of a node.
    fn meta(&mut self, path: &str, index: usize) -> Result<()> {
        let Some(bytes) = self.take(path) else { return Ok(()) };
        charge(self.budget, luau::cost(bytes), path)?;
        let json = luau::parse(bytes).map_err(|what| Error::argument(what).at_path(path.to_owned()))?;
        let node = &mut self.nodes[index];
        if let Some(class) = json.get("className").and_then(Json::as_str).filter(|_| node.text.is_none()) {
            // A folder gets the class of the node that leads to it.
            if class != "Folder" || node.class.is_none() && node.inferred.is_none() {
                node.class = Some(class.to_owned());
            }
        }
        node.ignores_by_meta |= json.get("ignoreUnknownInstances") == Some(&Json::Bool(true));
        if let Some(name) = json.get("name").and_then(Json::as_str) {
            name.clone_into(&mut node.name);
        }
        node.fields.push(Fields { file: path.to_owned(), json: normal(json), from: From::Meta });
        Ok(())
    }

    /// Reads the meta files beside a file that is the node; `path` is theirs without the ending.
    fn metas(&mut self, path: &str, index: usize) -> Result<()> {
        [".meta.json", ".meta.jsonc"]
            .iter()
            .try_for_each(|ending| self.meta(&format!("{path}{ending}"), index))
    }

    /// Reads a file that is an instance; `None` for other files.
    fn file(&mut self, folder: &str, name: &str, rules: Rules) -> Result<Option<usize>> {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let at = |what: String| Error::argument(what).at_path(path.clone());
        let Some(bytes) = self.given.get(&path).map(Vec::as_slice) else { return Ok(None) };
        let mut node = Node { exists: true, lists_all: true, is_plain: true, ..Node::default() };
        // A rule says what the file is, and the name of the instance.
        let (name, stated, of_rule) = match self.synced[rules.synced].get(&*path) {
            Some(Synced { stem, ending, script }) => (*ending, *script, Some(stem.clone())),
            None => (name, None, None),
        };
        let stem = if let Some((stem, class, context)) = script(name, rules.legacy) {
            let (class, context) = stated.unwrap_or((class, context));
            (node.class, node.run_context) = (Some(class.to_owned()), context);
            node.text = Some(("Source", bytes.into()));
            stem
        } else if let Some(stem) =
            name.strip_suffix(".project.json").or_else(|| name.strip_suffix(".project.jsonc"))
        {
            self.take(&path);
            return self.project(&path, bytes, of_rule.as_deref().unwrap_or(stem), rules).map(Some);
        } else if let Some(stem) =
            name.strip_suffix(".model.json").or_else(|| name.strip_suffix(".model.jsonc"))
        {
            self.take(&path);
            // As in Rojo, an empty file is no model.
            if bytes.trim_ascii().is_empty() {
                return Ok(None);
            }
            charge(self.budget, luau::cost(bytes), &path)?;
            let json = luau::parse(bytes).map_err(at)?;
            return self.json_model(&path, &json, of_rule.as_deref().or(Some(stem))).map(Some);
        } else if name.ends_with(".meta.json") || name.ends_with(".meta.jsonc") {
            return Ok(None);
        } else {
            let Some((stem, extension)) = name.rsplit_once('.') else { return Ok(None) };
            let (class, text) = match extension {
                "rbxm" | "rbxmx" => {
                    node.model = Some(bytes);
                    (None, None)
                }
                "txt" => (Some("StringValue"), Some(("Value", bytes.into()))),
                "csv" => {
                    (Some("LocalizationTable"), Some(("Contents", self.content(&path, "Contents", bytes)?)))
                }
                "json" | "jsonc" | "toml" | "yml" | "yaml" => {
                    let cost = if extension.starts_with('y') { YAML } else { 1 };
                    charge(self.budget, luau::cost(bytes) * cost, &path)?;
                    let source = match extension {
                        "toml" => luau::source_of_toml(bytes),
                        "yml" | "yaml" => luau::source_of_yaml(bytes),
                        _ => luau::parse(bytes).and_then(|json| luau::source(&json)),
                    };
                    let source = source.map_err(at)?;
                    charge(self.budget, source.len() as u64, &path)?;
                    (Some("ModuleScript"), Some(("Source", source.into_bytes().into())))
                }
                _ => return Ok(None),
            };
            (node.class, node.text) = (class.map(str::to_owned), text);
            match extension {
                // As in Rojo, which looks for the other endings without their names.
                "json" | "jsonc" => stem,
                _ if stem.is_empty() => name,
                _ => stem,
            }
        };
        self.take(&path);
        let stem = of_rule.as_deref().unwrap_or(stem);
        node.name = stem.to_owned();
        node.file.clone_from(&path);
        let folder = if folder.is_empty() { stem.to_owned() } else { format!("{folder}/{stem}") };
        let beside = folder.clone();
        let index = self.add(Node { folder, ..node })?;
        // As in Rojo, a model has no meta file.
        if self.nodes[index].model.is_none() {
            self.metas(&beside, index)?;
        }
        Ok(Some(index))
    }

    /// Reads an instance of a model in JSON with everything below it. The name of the file is that of the root.
    fn json_model(&mut self, file: &str, json: &Json, name: Option<&str>) -> Result<usize> {
        let field = |name: &str| {
            let upper = name[..1].to_uppercase() + &name[1..];
            json.get(name).or_else(|| json.get(upper))
        };
        let class = field("className").and_then(Json::as_str).ok_or_else(|| {
            Error::argument("expected an object with the field `className` as a model in JSON")
                .at_path(file.to_owned())
        })?;
        let own = || field("name").and_then(Json::as_str);
        let mut fields = Map::new();
        for name in ["properties", "attributes", "id"] {
            fields.extend(field(name).map(|json| (name.to_owned(), json.clone())));
        }
        let node = Node {
            name: name.or_else(own).unwrap_or(class).to_owned(),
            class: Some(class.to_owned()),
            file: file.to_owned(),
            folder: file.to_owned(),
            exists: true,
            is_plain: name.is_some(),
            fields: vec![Fields { file: file.to_owned(), json: normal(fields.into()), from: From::Model }],
            lists_all: true,
            ..Node::default()
        };
        let index = self.add(node)?;
        for child in field("children").and_then(Json::as_array).into_iter().flatten() {
            let child = self.json_model(file, child, None)?;
            self.nodes[index].children.push(child);
        }
        Ok(index)
    }

    /// Joins children that the project and a folder of `extract` both have; Rojo has two instances of them. Children with
    /// one name are in the order in which `extract` writes them.
    fn order(&mut self, index: usize) -> Result<()> {
        let children = std::mem::take(&mut self.nodes[index].children);
        // The folders and nodes of a name, and whether a project has them as a key.
        let mut folders: HashMap<(String, bool), Vec<usize>> = HashMap::new();
        let mut kept = Vec::with_capacity(children.len());
        for child in children {
            let node = &self.nodes[child];
            let is_folder = !self.is_foreign && node.text.is_none() && node.model.is_none();
            let same = folders.get(&(node.name.clone(), !node.is_keyed)).filter(|_| is_folder);
            let is_same = |&&other: &&usize| {
                let other = &self.nodes[other];
                other.class.is_none() || node.class.is_none() || other.class == node.class
            };
            let same = same.into_iter().flatten();
            match same.copied().find(|other| is_same(&other)) {
                Some(other) => {
                    let node = std::mem::take(&mut self.nodes[child]);
                    let own = &mut self.nodes[other];
                    own.children.extend(node.children);
                    own.fields.extend(node.fields);
                    own.class = own.class.take().or(node.class);
                    own.inferred = own.inferred.take().or(node.inferred);
                    own.lists_all |= node.lists_all;
                    own.ignores_by_project = own.ignores_by_project.or(node.ignores_by_project);
                    own.ignores_by_meta |= node.ignores_by_meta;
                    own.has_path |= node.has_path;
                    own.exists |= node.exists;
                }
                None => {
                    if is_folder {
                        let key = (node.name.clone(), node.is_keyed);
                        folders.entry(key).or_default().push(child);
                    }
                    kept.push(child);
                }
            }
        }
        let mut plain: HashMap<(&str, &str), usize> = HashMap::new();
        for &child in &kept {
            let node = &self.nodes[child];
            let Some(class) = node.class.as_deref().filter(|_| node.is_plain) else { continue };
            if let Some(other) = plain.insert((&node.name, class), child) {
                let what =
                    format!("{} has the same name and class: both are instances", self.nodes[other].file);
                self.left.push(Loss::warning(node.file.clone(), what).id("rojo.same-name"));
            }
        }
        let key = |&child: &usize| {
            let node = &self.nodes[child];
            (node.name.clone(), !node.is_keyed, !node.is_plain, node.entry.len(), node.entry.clone())
        };
        // A model in JSON has its own order.
        if !self.nodes[index].fields.iter().any(|of| of.from == From::Model) {
            kept.sort_by_cached_key(key);
        }
        self.nodes[index].children = kept;
        Ok(())
    }
}

/// Fields with the attributes in one place: they may also be a property, and have the type of a string. The attribute with
/// the id of the instance is the field `id`.
fn normal(mut json: Json) -> Json {
    let Some(fields) = json.as_object_mut() else { return json };
    let properties = fields.get_mut("properties").and_then(Json::as_object_mut);
    if let Some(Json::Object(all)) = properties.and_then(|properties| properties.remove("Attributes")) {
        let inner = all.get("Attributes").and_then(Json::as_object).filter(|_| all.len() == 1).cloned();
        if let Json::Object(to) = fields.entry("attributes").or_insert_with(|| Map::new().into()) {
            to.extend(inner.unwrap_or(all));
        }
    }
    let Some(attributes) = fields.get_mut("attributes").and_then(Json::as_object_mut) else { return json };
    for (name, value) in attributes.iter_mut() {
        if let Some(text) = value.get("String").filter(|_| name.starts_with(TARGET) || name == ID).cloned() {
            *value = text;
        }
    }
    if let Some(id) = attributes.remove(ID) {
        fields.entry("id").or_insert(id);
    }
    json
}

/// The paths that a Rojo project names, relative to its folder: what [`pack`](crate::pack) needs
/// beside this folder. There are none if the project cannot be read.
pub fn project_paths(project: &[u8]) -> Vec<String> {
    let project = luau::parse(project).unwrap_or_default();
    let (mut waiting, mut paths) = (Vec::from_iter(project.get("tree")), Vec::new());
    while let Some(node) = waiting.pop() {
        let path = node.get("$path");
        let path = path.and_then(|path| path.get("optional")).or(path).and_then(Json::as_str);
        paths.extend(path.map(str::to_owned));
        let below = node.as_object().into_iter().flatten().filter(|(name, _)| !name.starts_with('$'));
        waiting.extend(below.map(|(_, node)| node));
    }
    paths
}

/// A path, and those of the folders above it.
pub(crate) fn with_folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0))
}
