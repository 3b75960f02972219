//! A document as a project that Rojo builds, and changed files back into the document.
//!
//! Scripts and everything above them are files and folders below `src`, named as Rojo names them; what else they store is in
//! the meta files beside them. If a name cannot be that of a file (it is reserved, has an ending that Rojo gives a
//! meaning, or is a sibling's, on systems that ignore case, too), there is a folder with a project of its own that has
//! the name.

mod added;
mod blobs;
mod json;
mod layout;
mod links;
mod lost;
mod meta;
mod pack;
mod tree;

use rbxcore::InstanceId;
use rezkit_core::{Budget, File, Files, Loss, Result};

use super::Instances;
use crate::options::{ExtractOptions, ReadOptions};
pub(in super::super) use pack::pack;

/// The content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Source(InstanceId),
    Meta(InstanceId),
    /// Files of several instances, or only for reading.
    Other,
}

/// All files, and what each of them has.
struct Project {
    files: Vec<File>,
    roles: Vec<Role>,
    /// The paths of meta files that would be empty.
    absent: Vec<(String, InstanceId)>,
    losses: Vec<Loss>,
}

/// All files, and what is in none of them.
///
/// # Errors
/// If what is decoded takes more than a read may allocate.
pub(in super::super) fn files(
    document: &dyn Instances,
    options: &ReadOptions,
    extract: &ExtractOptions,
) -> Result<(Vec<File>, Vec<Loss>)> {
    let Project { files, losses, .. } = project(document, options, extract)?;
    Ok((files, losses))
}

fn project(document: &dyn Instances, options: &ReadOptions, extract: &ExtractOptions) -> Result<Project> {
    let (mut files, mut budget) = (Files::default(), Budget::new(options.max_bytes));
    let tree::Written { mut roles, absent, losses } =
        tree::write(document, extract, &mut files, &mut budget)?;
    blobs::write(document, &mut budget, &mut files)?;
    roles.resize(files.len(), Role::Other);
    Ok(Project { files: files.into_vec(), roles, absent, losses })
}
