//! Options.

use geom::settable;
use geom::wire::DEFAULT_MAX_BYTES;

settable! {
    /// Options of packing edited and new files of a project into a document. By default nothing is removed.
    PackOptions {
        /// Remove what no file of the folder has.
        remove: bool = false, bool => remove;
        /// The name of the folder: that of the instance of a project without a name.
        name: Option<String> = None, impl Into<String> => Some(name.into());
        /// The path of the project file, if it is not `default.project.json` of the folder.
        project: Option<String> = None, impl Into<String> => Some(project.into());
        /// The number of bytes that the files and what is computed from them may allocate: 1 GiB by default.
        max_bytes: u64 = DEFAULT_MAX_BYTES, u64 => max_bytes;
    }
}

settable! {
    /// Options of extracting files: scripts, textures, and content stored as bytes.
    ExtractOptions {
        /// Also write everything except scripts as models, so that the project has the whole place: `rbxm` for the binary
        /// form, `rbxmx` for XML, `json` for small models of folders, remotes and values as JSON and all others as `rbxm`.
        models: Option<String> = None, impl Into<String> => Some(models.into());
        /// In XML models, replace and list bytes that XML cannot represent, instead of refusing.
        allow_loss: bool = false, bool => allow_loss;
        /// The number of bytes that the files may allocate: 1 GiB by default.
        max_bytes: u64 = DEFAULT_MAX_BYTES, u64 => max_bytes;
    }
}
