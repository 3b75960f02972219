//! Rojo projects that `extract` did not write: the instances that their folders represent.

use std::collections::{BTreeMap, HashMap, HashSet};

use rezkit_core::{Error, Result};
use serde_json::{Map, Value as Json};

/// Maximum depth of a project's tree.
const DEPTH: usize = 64;

/// The name of the project file, which contains the tree.
pub(super) const PROJECT: &str = "default.project.json";

/// The common prefix of the file paths that a project describes.
pub(super) struct Layout(HashSet<String>);

impl Layout {
    /// Whether a file belongs to the project, by the path that `extract` gives it.
    pub(super) fn has(&self, file: &str) -> bool {
        file.match_indices(['/', '.']).any(|(end, _)| self.0.contains(&file[..end]))
    }
}

/// Renames the files of a project to the paths that `extract` gives them; `own` is the project file that `extract`
/// writes. `None` if the files already have these paths.
///
/// # Errors
/// If the project file cannot be read.
pub(super) fn as_extracted(
    given: &mut BTreeMap<String, Vec<u8>>,
    own: Option<&[u8]>,
) -> Result<Option<Layout>> {
    let Some(bytes) = given.get(PROJECT).map(Vec::as_slice).filter(|bytes| Some(*bytes) != own) else {
        return Ok(None);
    };
    let same = own.map(paths_in).transpose()?.unwrap_or_default();
    let paths = paths_in(bytes)?;
    if paths.iter().all(|pair| pair.0 == pair.1 || same.contains(pair)) {
        return Ok(None);
    }
    given.remove(PROJECT);
    let layout = Layout(paths.iter().map(|(_, to)| to.clone()).collect());
    let paths: HashMap<String, String> = paths.into_iter().collect();
    for (name, bytes) in std::mem::take(given) {
        let renamed = renamed(&name, &paths);
        given.insert(renamed.unwrap_or(name), bytes);
    }
    Ok(Some(layout))
}

/// The paths in a project file, each with the path that `extract` gives the same instance.
fn paths_in(project: &[u8]) -> Result<Vec<(String, String)>> {
    let wrong =
        |what: String| Error::argument(format!("the project file is not a Rojo project: {what}")).at(PROJECT);
    let project: Json = serde_json::from_slice(project).map_err(|error| wrong(error.to_string()))?;
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
        let path = path.replace('\\', "/");
        let path = path.trim_start_matches("./").trim_end_matches('/');
        paths.push((path.to_owned(), to.to_owned()));
    }
    for (name, below) in node.iter().filter(|(name, _)| !name.starts_with('$')) {
        let Some(below) = below.as_object() else { continue };
        collect(below, &format!("{to}/{name}"), depth, paths)?;
    }
    Ok(())
}

/// The new path of a file that is at the path of a node or below it. If paths are nested, the inner one counts.
fn renamed(name: &str, paths: &HashMap<String, String>) -> Option<String> {
    if let Some(to) = paths.get(name) {
        // The node is a file: its extension is kept.
        let file = name.rsplit('/').next().unwrap_or(name);
        return Some(format!("{to}{}", file.find('.').map_or("", |at| &file[at..])));
    }
    let below = name
        .rmatch_indices('/')
        .find_map(|(end, _)| Some(format!("{}{}", paths.get(&name[..end])?, &name[end..])));
    // A node whose path is the whole folder of the project.
    let all = || ["", "."].iter().find_map(|path| Some(format!("{}/{name}", paths.get(*path)?)));
    below.or_else(all)
}
