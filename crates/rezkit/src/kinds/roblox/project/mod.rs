//! Extracts a document as a project that Rojo builds, and packs changed files back into the document.
//!
//! Scripts and everything above them are files and folders below `src`, named as Rojo names them; their other data is
//! in meta files beside them. If a name cannot be that of a file (it is reserved, has an ending that Rojo gives a
//! meaning, or is the name of a sibling, also on systems that ignore case), the instance is in a folder with its own
//! project file, which has the name.

mod apply;
mod blobs;
mod json;
mod links;
mod lost;
mod luau;
mod meta;
mod model;
mod pack;
mod plan;
mod snapshot;
mod table;
mod tree;
mod values;
mod wants;

use rezkit_core::{Budget, File, Files, Loss, Result};

use super::Form;
use crate::options::{ExtractOptions, ReadOptions};
pub(in super::super) use pack::pack;
pub use snapshot::project_paths;

/// All files of the project, and losses for content that is in no file.
///
/// # Errors
/// If the decoded content takes more than a read may allocate.
pub(in super::super) fn files(
    document: &dyn Form,
    options: &ReadOptions,
    extract: &ExtractOptions,
) -> Result<(Vec<File>, Vec<Loss>)> {
    let (mut files, mut budget) = (Files::default(), Budget::new(options.max_bytes));
    let losses = tree::write(document, extract, &mut files, &mut budget)?;
    blobs::write(document, &mut budget, &mut files)?;
    Ok((files.into_vec(), losses))
}
