//! Extracts a document as a project.

use geom::files::{File, Files};
use geom::wire::{Budget, Loss, Result};
use rbxcore::Dom;

use crate::options::ExtractOptions;
use crate::{blobs, tree};

/// The files of a project.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Extracted {
    /// The files, with the project file.
    pub files: Vec<File>,
    /// The content that is in no file.
    pub losses: Vec<Loss>,
}

/// A document as a project that Rojo builds.
///
/// Scripts and everything above them are files and folders below `src`, named as Rojo names them; their other data is
/// in meta files beside them. If a name cannot be that of a file (it is reserved, has an ending that Rojo gives a
/// meaning, or is the name of a sibling, also on systems that ignore case), the instance is in a folder with its own
/// project file, which has the name.
///
/// # Errors
/// If the decoded content takes more memory than the options allow, and with
/// [`models`](ExtractOptions::models) if a form cannot represent a value.
pub fn extract(document: &dyn Dom, options: &ExtractOptions) -> Result<Extracted> {
    let (mut files, mut budget) = (Files::default(), Budget::new(options.max_bytes));
    let losses = tree::write(document, options, &mut files, &mut budget)?;
    blobs::write(document, &mut budget, &mut files)?;
    Ok(Extracted { files: files.into_vec(), losses })
}
