//! Suggestions for paths that do not exist.

use bstr::ByteSlice as _;
use rbxcore::classes;
use rbxcore::parts::names;
use rezkit_core::{Error, Result};

use super::{Node, with_node};

/// Maximum number of names that are compared with a misspelled one.
const COMPARED: usize = 10_000;

/// The length in bytes of the longest path that is compared or interpreted.
pub(super) const LONGEST: usize = 1_000;

/// The error for a path that does not exist, with a suggestion.
pub fn nothing(root: &dyn Node, path: &str) -> Error {
    let known = if path.len() > LONGEST { None } else { meant(root, path).ok() };
    let error = Error::argument(match known.unwrap_or(Meant::Nothing) {
        Meant::Path(meant) if meant == path && has_value(root, path) => {
            format!("{path} is the path of a property; expected the path of an instance")
        }
        // A property of the class.
        Meant::Path(meant) if meant == path => {
            format!("{path}: the file stores no value, and the default of the class is not known")
        }
        Meant::Path(meant) => format!("no such path: {path}; did you mean {meant}?"),
        Meant::Missing(what) => format!("no such path: {path}; {what}"),
        Meant::Nothing => format!("no such path: {path}"),
    });
    error.first_at(path)
}

/// Whether the property at a path has a value: one that the file stores, or the default of the class.
fn has_value(root: &dyn Node, path: &str) -> bool {
    let Some((instance, name)) = path.rsplit_once('.') else { return false };
    let mut has_value = false;
    let there = with_node(root, instance, &mut |node| {
        has_value = node.properties().iter().any(|(known, _)| known == name) || node.unstored(name).is_some();
    });
    matches!(there, Ok(true)) && has_value
}

/// What is known about a path that does not exist.
enum Meant {
    /// The path that was probably meant.
    Path(String),
    /// The first part of the path that does not exist.
    Missing(String),
    Nothing,
}

/// The name that was probably meant.
pub fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names::closest(name.as_bytes(), names.take(COMPARED))
}

/// A path with a similar name in place of the first name that does not exist, that of an instance or a property.
fn meant(root: &dyn Node, path: &str) -> Result<Meant> {
    if let Some(inner) = path.strip_prefix('/')
        && with_node(root, inner.rsplit_once('.').map_or(inner, |(instance, _)| instance), &mut |_| {})?
    {
        return Ok(Meant::Path(inner.to_owned()));
    }
    if let Some(meant) = dotted(root, path)? {
        return Ok(Meant::Path(meant));
    }
    // A `/` within a name is escaped in paths, and so is not a separator.
    let is_end = |&at: &usize| !path[..at].ends_with('\\');
    let ends = path.match_indices(['/', '.']).map(|(at, _)| at).filter(is_end);
    let ends: Vec<usize> = ends.chain([path.len()]).collect();
    let mut begin = 0;
    for end in ends {
        let (before, name) = (path[..begin].trim_end_matches(['/', '.']), &path[begin..end]);
        if !with_node(root, &path[..end], &mut |_| {})? {
            let is_property = path[..begin].ends_with('.');
            let mut found = None;
            with_node(root, before, &mut |node| {
                found = if is_property { property(node, name) } else { child(node, name) };
            })?;
            // A name may contain a `.`.
            let is_whole = found.is_some() || end == path.len() || path[end..].starts_with('/');
            if is_whole {
                return Ok(match found {
                    Some(found) if end < path.len() && found == name => {
                        Meant::Missing(format!("{} does not contain {}", &path[..end], &path[end + 1..]))
                    }
                    Some(found) => Meant::Path(format!("{}{found}{}", &path[..begin], &path[end..])),
                    None if before.is_empty() => match within(root, name)? {
                        Some(above) => Meant::Path(format!("{above}/{path}")),
                        None => Meant::Nothing,
                    },
                    None if is_property => Meant::Missing(format!("{before} has no property {name}")),
                    None => Meant::Missing(format!("{before} has no child {name}")),
                });
            }
            continue;
        }
        begin = end + 1;
    }
    Ok(Meant::Nothing)
}

/// The path of an instance or a property that is written as in a script, such as `game.Workspace.Door.Color`.
fn dotted(root: &dyn Node, path: &str) -> Result<Option<String>> {
    let path = path.strip_prefix("game.").unwrap_or(path);
    if path.contains('/') || !path.contains('.') {
        return Ok(None);
    }
    let mut meant = String::new();
    for (index, name) in path.split('.').enumerate() {
        let (mut step, mut is_last) = (None, false);
        with_node(root, &meant, &mut |node| {
            let same = node.children().map(|child| child.name().into_owned()).find(|child| child == name);
            step = same.or_else(|| child(node, name)).map(|name| format!("/{name}"));
            if step.is_none() && index > 0 {
                is_last = true;
                let exists = node.properties().iter().any(|(known, _)| known == name);
                let own = (exists || node.unstored(name).is_some()).then(|| name.to_owned());
                step = own.or_else(|| property(node, name)).map(|name| format!(".{name}"));
            }
        })?;
        let Some(step) = step else { return Ok(None) };
        meant += step.strip_prefix('/').filter(|_| index == 0).unwrap_or(&step);
        if is_last {
            return Ok((index == path.matches('.').count()).then_some(meant));
        }
    }
    Ok(Some(meant))
}

/// The name of what contains a node of this name, such as the `Workspace` for `Terrain`.
fn within(root: &dyn Node, name: &str) -> Result<Option<String>> {
    let mut found = None;
    with_node(root, "", &mut |node| {
        let has = |child: &dyn Node| child.children().take(COMPARED).any(|inner| inner.name() == name);
        let above = node.children().take(COMPARED).find(|child| !child.is_list() && has(&**child));
        found = above.map(|child| child.name().into_owned()).filter(|name| !name.contains(['/', '\\', '[']));
    })?;
    Ok(found)
}

fn child(node: &dyn Node, name: &str) -> Option<String> {
    if node.is_list() {
        return None;
    }
    let names: Vec<String> = node.children().take(COMPARED).map(|child| child.name().into_owned()).collect();
    let plain = names.iter().map(String::as_str).filter(|name| !name.contains(['/', '\\', '[']));
    closest(name, plain).map(str::to_owned)
}

fn property(node: &dyn Node, name: &str) -> Option<String> {
    let properties = node.properties();
    let stored = properties.iter().take(COMPARED).map(|(name, _)| name.as_str().into());
    let stored = names::closest_stored(name.as_bytes(), stored).and_then(|name| name.to_str().ok());
    // Only instances have properties and a class.
    let class = classes::class(&*node.kind()).filter(|_| !properties.is_empty());
    class
        .and_then(|class| classes::stored_in(class.name(), name))
        .or(stored)
        .or_else(|| class?.closest(name))
        .map(str::to_owned)
}
