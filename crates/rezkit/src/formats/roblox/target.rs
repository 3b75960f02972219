//! What a path leads to.

use rbxcore::{Dom, InstanceId};
use rbxdocument::text::{self, Finder};
use rbxdocument::view::View as _;
use rezkit_core::{Error, Loss, Result};

use super::nodes::Root;
use crate::options::ReadOptions;
use crate::tree;

/// Sets the property, or the attribute in a property, at a path.
pub(in super::super) fn set(
    document: &mut dyn Dom,
    path: &str,
    text: &str,
    kind: Option<&str>,
    options: &ReadOptions,
) -> Result<Vec<Loss>> {
    let mut finder = Finder::new(options.max_bytes, nothing);
    let (id, property) = target(document, path, &mut finder)?;
    text::set(document, (id, property), text, kind, options.max_bytes, &mut finder)
        .map_err(|error| about(path, error))
}

/// The instance and the property at a path.
pub(super) fn target<'p>(
    document: &dyn Dom,
    path: &'p str,
    finder: &mut Finder<Error>,
) -> Result<(InstanceId, &'p str)> {
    if let Some(key) = path.strip_prefix('.')
        && document.meta().iter().any(|(known, _)| known == key)
    {
        return Err(Error::argument("metadata of a document cannot be set").at(path));
    }
    // Names may contain a `.`: the longest path of an existing instance counts.
    let mut dots = path.rmatch_indices('.').map(|(dot, _)| dot);
    let found = dots.find_map(|dot| Some((finder.find(document, &path[..dot])?, &path[dot + 1..])));
    found.ok_or_else(|| nothing(document, path))
}

/// An error with the path of the edited instance, unless it already has one below it.
pub(super) fn about(path: &str, error: Error) -> Error {
    if error.path().starts_with(path) { error } else { error.at(path) }
}

/// The error for a path that does not exist.
pub(super) fn nothing(document: &dyn Dom, path: &str) -> Error {
    tree::nothing(&Root::new(document, 0), path)
}
