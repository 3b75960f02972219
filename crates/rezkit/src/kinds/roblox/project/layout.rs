//! Rojo projects that `extract` did not write: the instances that their folders represent.

use std::collections::{BTreeMap, HashMap};

use rezkit_core::{Budget, Error, Result, normal_path};
use serde_json::{Map, Value as Json};

/// Maximum depth of a project's tree.
const DEPTH: usize = 64;

/// The name of the project file, which contains the tree.
pub(super) const PROJECT: &str = "default.project.json";

/// The paths of a project.
pub(super) struct Layout {
    /// The common prefix of the file paths that each path of the project describes, with this path.
    prefixes: HashMap<String, String>,
    /// The files of the project, by the paths that `extract` gives them.
    files: HashMap<String, String>,
}

impl Layout {
    /// Whether a file belongs to the project, by the path that `extract` gives it.
    pub(super) fn has(&self, file: &str) -> bool {
        file.match_indices(['/', '.']).any(|(end, _)| self.prefixes.contains_key(&file[..end]))
    }

    /// The path in the project of a file, by the path that `extract` gives it.
    pub(super) fn original(&self, file: &str) -> String {
        let below = || {
            let mut ends = file.rmatch_indices(['/', '.']);
            let found = ends.find_map(|(end, _)| Some((self.prefixes.get(&file[..end])?, &file[end..])));
            found.map(|(path, rest)| format!("{path}{rest}").trim_start_matches('/').to_owned())
        };
        self.files.get(file).cloned().or_else(below).unwrap_or_else(|| file.to_owned())
    }
}

/// Renames the files of a project to the paths that `extract` gives them; `own` is the project file that `extract`
/// writes. `None` if the files already have these paths.
///
/// # Errors
/// If the project file cannot be read, two files belong to the same instance, or the budget does not suffice.
pub(super) fn as_extracted(
    given: &mut BTreeMap<String, Vec<u8>>,
    own: Option<&[u8]>,
    budget: &mut Budget,
) -> Result<Option<Layout>> {
    let Some(bytes) = given.get(PROJECT).map(Vec::as_slice).filter(|bytes| Some(*bytes) != own) else {
        return Ok(None);
    };
    let same = own.map(paths_in).transpose()?.unwrap_or_default();
    let paths = paths_in(bytes)?;
    let nested =
        |path: &str| path.ends_with(".project.json") || given.contains_key(&format!("{path}/{PROJECT}"));
    let is_same = |pair: &(String, String)| pair.0 == pair.1 || same.contains(pair);
    if paths.iter().all(is_same) {
        return Ok(None);
    }
    if let Some((path, _)) = paths.iter().find(|pair| !is_same(pair) && nested(&pair.0)) {
        let what = format!("the path {path:?} leads to another project, which rezkit cannot pack");
        return Err(Error::argument(what).at(PROJECT));
    }
    given.remove(PROJECT);
    let prefixes = paths.iter().map(|(path, to)| (to.clone(), path.clone())).collect();
    // Several nodes can have the same path.
    let mut targets: HashMap<String, Vec<String>> = HashMap::new();
    paths.into_iter().for_each(|(path, to)| targets.entry(path).or_default().push(to));
    let mut files: HashMap<String, String> = HashMap::new();
    let mut others = Vec::new();
    for (name, bytes) in std::mem::take(given) {
        let renamed = renamed(&name, &targets);
        for to in &renamed {
            if let Some(other) = files.insert(to.clone(), name.clone()) {
                let what = format!("{other} and {name} are files of the same instance; remove one of them");
                return Err(Error::argument(what).at(name));
            }
            budget.take((2 * (name.len() + to.len()) + bytes.len()) as u64, "the files of the project")?;
            given.insert(to.clone(), bytes.clone());
        }
        if renamed.is_empty() {
            others.push((name, bytes));
        }
    }
    for (name, bytes) in others {
        given.entry(name).or_insert(bytes);
    }
    Ok(Some(Layout { prefixes, files }))
}

/// The paths in a project file, each with the path that `extract` gives the same instance.
fn paths_in(project: &[u8]) -> Result<Vec<(String, String)>> {
    let wrong =
        |what: String| Error::argument(format!("the project file is not a Rojo project: {what}")).at(PROJECT);
    let project: Json =
        serde_json::from_slice(project).map_err(|error| wrong(format!("invalid JSON: {error}")))?;
    let tree = project.get("tree").and_then(Json::as_object);
    let tree = tree.ok_or_else(|| {
        wrong("expected a JSON object with the field `tree`, whose value is an object".to_owned())
    })?;
    let is_place = tree.get("$className").and_then(Json::as_str) == Some("DataModel");
    let top = match project.get("name").and_then(Json::as_str) {
        Some(name) if !is_place => format!("src/{name}"),
        _ => "src".to_owned(),
    };
    let mut paths = Vec::new();
    collect(tree, &top, DEPTH, &mut paths)?;
    Ok(paths)
}

/// Collects the paths of a node and all nodes below it, each with the path that `extract` gives the same instance.
fn collect(
    node: &Map<String, Json>,
    to: &str,
    depth: usize,
    paths: &mut Vec<(String, String)>,
) -> Result<()> {
    let depth = depth.checked_sub(1).ok_or_else(|| {
        let what =
            format!("the tree of the project has more than {DEPTH} levels, the maximum that rezkit reads");
        Error::argument(what).at(PROJECT)
    })?;
    let path = match node.get("$path") {
        // An optional path: the file may be missing.
        Some(Json::Object(path)) => path.get("optional"),
        other => other,
    };
    if let Some(path) = path.and_then(Json::as_str) {
        let names = path.replace('\\', "/");
        let inside = if names.starts_with('/') { None } else { normal_path(&names) };
        let inside = inside.ok_or_else(|| {
            let what = format!(
                "the path {path:?} leads out of the folder of the project, and rezkit packs only files inside it"
            );
            Error::argument(what).at(PROJECT)
        })?;
        paths.push((inside, to.to_owned()));
    }
    for (name, below) in node.iter().filter(|(name, _)| !name.starts_with('$')) {
        let Some(below) = below.as_object() else { continue };
        collect(below, &format!("{to}/{name}"), depth, paths)?;
    }
    Ok(())
}

/// The new paths of a file that is at the path of a node or below it. If paths are nested, the inner one counts.
fn renamed(name: &str, targets: &HashMap<String, Vec<String>>) -> Vec<String> {
    let moved = |to: &[String], rest: &str| to.iter().map(|to| format!("{to}{rest}")).collect();
    if let Some(to) = targets.get(name) {
        // The node is a file: its extension is kept.
        let file = name.rsplit('/').next().unwrap_or(name);
        return moved(to, file.find('.').map_or("", |at| &file[at..]));
    }
    let below =
        name.rmatch_indices('/').find_map(|(end, _)| Some(moved(targets.get(&name[..end])?, &name[end..])));
    // A node whose path is the whole folder of the project.
    let all = || Some(moved(targets.get("")?, &format!("/{name}")));
    below.or_else(all).unwrap_or_default()
}
