//! Projects of Rojo that were not made by `extract`: which folder of theirs is which instance.

use std::collections::{BTreeMap, HashMap, HashSet};

use rezkit_core::{Error, Result};
use serde_json::{Map, Value as Json};

/// Maximum depth of a project's tree.
const DEPTH: usize = 64;

/// The file that has the tree.
pub(super) const PROJECT: &str = "default.project.json";

/// The common prefix of the file paths that a project describes.
pub(super) struct Layout(HashSet<String>);

impl Layout {
    /// Whether a file, by the path that `extract` gives it, is of the project.
    pub(super) fn has(&self, file: &str) -> bool {
        file.match_indices(['/', '.']).any(|(end, _)| self.0.contains(&file[..end]))
    }
}

/// Gives the files of a project the paths that `extract` gives them, whose own project file is `own`; `None` if they have
/// them.
///
/// # Errors
/// If the project file is not one.
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

/// The paths in a project file, and those that `extract` gives the same instances.
fn paths_in(project: &[u8]) -> Result<Vec<(String, String)>> {
    let wrong = |what: String| Error::argument(what).at(PROJECT);
    let project: Json = serde_json::from_slice(project).map_err(|error| wrong(error.to_string()))?;
    let tree = project.get("tree").and_then(Json::as_object);
    let tree = tree.ok_or_else(|| wrong("expected an object whose field `tree` is an object".to_owned()))?;
    let is_place = tree.get("$className").and_then(Json::as_str) == Some("DataModel");
    let top = match project.get("name").and_then(Json::as_str) {
        Some(name) if !is_place => format!("src/{name}"),
        _ => "src".to_owned(),
    };
    let mut paths = Vec::new();
    collect(tree, &top, DEPTH, &mut paths).map_err(wrong)?;
    Ok(paths)
}

/// The paths of a node and of all below it, with those that `extract` gives the same instances.
fn collect(
    node: &Map<String, Json>,
    to: &str,
    depth: usize,
    paths: &mut Vec<(String, String)>,
) -> Result<(), String> {
    let depth = depth.checked_sub(1).ok_or("the tree has too many levels")?;
    let path = match node.get("$path") {
        // A path that may be missing.
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

/// The path of a file that is at a node's path, or below it: of paths in one another, the inner one.
fn renamed(name: &str, paths: &HashMap<String, String>) -> Option<String> {
    if let Some(to) = paths.get(name) {
        // A file: its ending is that of the node's.
        let file = name.rsplit('/').next().unwrap_or(name);
        return Some(format!("{to}{}", file.find('.').map_or("", |at| &file[at..])));
    }
    let below = name
        .rmatch_indices('/')
        .find_map(|(end, _)| Some(format!("{}{}", paths.get(&name[..end])?, &name[end..])));
    // All of the project.
    let all = || ["", "."].iter().find_map(|path| Some(format!("{}/{name}", paths.get(*path)?)));
    below.or_else(all)
}
