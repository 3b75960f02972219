//! Extracts a document as a project that Rojo builds, and packs changed files back into the document.
//!
//! Scripts and everything above them are files and folders below `src`, named as Rojo names them; their other data is
//! in meta files beside them. If a name cannot be that of a file (it is reserved, has an ending that Rojo gives a
//! meaning, or is the name of a sibling, also on systems that ignore case), the instance is in a folder with its own
//! project file, which has the name.

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

use super::Form;
use crate::options::{ExtractOptions, ReadOptions};
pub(in super::super) use pack::pack;

/// The role of a file, and the instance that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Source(InstanceId),
    Meta(InstanceId),
    /// A file of several instances, or one that is only for reading.
    Other,
}

/// All files of a project, and the role of each.
struct Project {
    files: Vec<File>,
    roles: Vec<Role>,
    /// The paths of meta files that would be empty.
    absent: Vec<(String, InstanceId)>,
    losses: Vec<Loss>,
}

/// All files of the project, and losses for content that is in no file.
///
/// # Errors
/// If the decoded content takes more than a read may allocate.
pub(in super::super) fn files(
    document: &dyn Form,
    options: &ReadOptions,
    extract: &ExtractOptions,
) -> Result<(Vec<File>, Vec<Loss>)> {
    let Project { files, losses, .. } = project(document, options, extract)?;
    Ok((files, losses))
}

fn project(document: &dyn Form, options: &ReadOptions, extract: &ExtractOptions) -> Result<Project> {
    let (mut files, mut budget) = (Files::default(), Budget::new(options.max_bytes));
    let tree::Written { mut roles, absent, losses } =
        tree::write(document, extract, &mut files, &mut budget)?;
    blobs::write(document, &mut budget, &mut files)?;
    roles.resize(files.len(), Role::Other);
    Ok(Project { files: files.into_vec(), roles, absent, losses })
}
