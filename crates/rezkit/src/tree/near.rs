//! Suggestions for paths that do not exist.

use rbxcore::classes;
use rbxcore::parts::names;
use rezkit_core::{Error, Result};

use super::{Node, visit};

/// Maximum number of names that are compared with a misspelled one.
const COMPARED: usize = 10_000;

/// The length in bytes of the longest path that is compared or interpreted.
pub(super) const LONGEST: usize = 1_000;

/// The error for a path that does not exist, with a suggestion.
pub fn nothing(root: &dyn Node, path: &str) -> Error {
    let meant = if path.len() > LONGEST { None } else { meant(root, path).ok().flatten() };
    Error::argument(match meant {
        // A property of the class.
        Some(meant) if meant == path => {
            format!("{path}: the file stores no value, and the default of the class is not known")
        }
        Some(meant) => format!("no such path: {path}; did you mean {meant}?"),
        None => format!("no such path: {path}"),
    })
}

/// The name that was probably meant.
pub fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let names = names.take(COMPARED).map(Into::into);
    std::str::from_utf8(names::closest(name.as_bytes(), names)?).ok()
}

/// A path with a similar name in place of the first name that does not exist, that of an instance or a property.
fn meant(root: &dyn Node, path: &str) -> Result<Option<String>> {
    // A `/` within a name is escaped in paths, and so is not a separator.
    let ends: Vec<usize> = path.match_indices(['/', '.']).map(|(at, _)| at).chain([path.len()]).collect();
    let mut begin = 0;
    for end in ends {
        let (before, name) = (path[..begin].trim_end_matches(['/', '.']), &path[begin..end]);
        if !visit(root, &path[..end], &mut |_| {})? {
            let is_property = path[..begin].ends_with('.');
            let mut found = None;
            visit(root, before, &mut |node| {
                found = if is_property { property(node, name) } else { child(node, name) };
            })?;
            // A name may contain a `.`.
            let is_whole = found.is_some() || end == path.len() || path[end..].starts_with('/');
            if is_whole {
                return Ok(found.map(|found| format!("{}{found}{}", &path[..begin], &path[end..])));
            }
            continue;
        }
        begin = end + 1;
    }
    Ok(None)
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
    let stored = closest(name, properties.iter().map(|(name, _)| name.as_str()));
    // Only instances have properties and a class.
    let class = classes::class(&*node.kind()).filter(|_| !properties.is_empty());
    stored.or_else(|| class?.closest(name)).map(str::to_owned)
}
