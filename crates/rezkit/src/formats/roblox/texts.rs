//! The scripts of a document.

use rbxcore::{Dom, Value};
use rbxdocument::view::View as _;
use rbxdocument::which::is_script;
use rezkit_core::{Budget, Error, ErrorKind, Result};

use super::Paths;
use crate::options::ReadOptions;
use crate::scripts::Script;

/// Every script with its source.
///
/// # Errors
/// If the sources take more than a read may allocate: many scripts can share a source.
pub(in super::super) fn scripts(document: &dyn Dom, options: &ReadOptions) -> Result<Vec<Script>> {
    let (mut budget, mut paths) = (Budget::new(options.max_bytes), Paths::new(document));
    let mut scripts = Vec::new();
    for id in document.all() {
        let class = document.class_of(id);
        if !is_script(&class) {
            continue;
        }
        let value = document.value(id, "Source");
        let Some(source) = value.as_ref().and_then(Value::as_bytes) else { continue };
        let path = paths.of(id, &mut budget)?;
        // A growing list is copied into one of twice the size, so each entry counts three times.
        let cost = source.len() + class.len() + 3 * size_of::<Script>() + 64;
        budget.take(cost as u64, "the sources of the scripts")?;
        scripts.push(Script { path, class: class.into_owned(), source: source.to_vec() });
    }
    Ok(scripts)
}

/// An error of one of the crates about an edit.
pub(crate) fn edit_error(error: ::rbxbinary::Error) -> Error {
    Error::new(ErrorKind::Argument, error.kind().to_string()).at(error.path())
}
