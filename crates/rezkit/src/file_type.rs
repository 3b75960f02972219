//! A type of files, and the operations of what was read of one.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::SceneOptions;
use crate::exact::Model;
use crate::fact::Fact;
use crate::options::{ConvertOptions, ExtractOptions, ReadOptions, WriteOptions};
use crate::scripts::Script;
use crate::tree::{Node, Value};
use rbxdocument::Form;
use rezkit_core::{Budget, Error, File, Finding, Loss, Result, Rule, Sources};
use rezkit_scene::SceneWriter;

/// A file type: its names, and how its files are recognised, read and written.
pub struct FileType {
    /// The name for `convert --to`: the usual extension, except for LLSD.
    pub name: &'static str,
    /// The name of the format in reports: that of its crate, if it has one.
    pub format: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The extensions of its files, the usual one first.
    pub extensions: &'static [&'static str],
    /// The versions, encodings or compressions in which its files can be written.
    pub forms: &'static [&'static str],
    /// Whether a format crate reads and writes it exactly; other file types are read as scenes.
    pub is_exact: bool,
    /// Whether its files become scenes.
    pub has_geometry: bool,
    /// The rules that its check tests.
    pub(crate) rules: fn() -> Vec<Rule>,
    /// The version of a file, from its first bytes; `None` if it is of another file type.
    pub(crate) detect: fn(&[u8]) -> Option<String>,
    /// Whether bytes that no file type recognises may be of this file type, for a file with one of its extensions.
    pub(crate) fits_name: fn(&[u8]) -> bool,
    /// Reads a file; `None` if the file type is only written.
    pub(crate) read: Option<Reader>,
    /// Reads content as this file type without recognizing it; `None` if the file type is always recognized.
    pub(crate) read_as: Option<Reader>,
    /// The names of the file types that its files can be converted to without a scene.
    pub(crate) becomes: &'static [&'static str],
    /// The length of the file at the beginning of a stream, if the format states it.
    pub(crate) length: fn(&[u8]) -> Option<usize>,
    /// How scenes are written.
    pub writer: Option<&'static SceneWriter>,
    /// What its files have.
    pub(crate) has: Has,
}

/// What the files of a type have, which decides on options and operations.
#[derive(Clone, Copy)]
pub(crate) struct Has {
    /// The form of the Roblox document that a file is.
    pub(crate) document: Option<Form>,
    /// Values that edits set, and texts in which references to assets are replaced.
    pub(crate) editable_values: bool,
    /// Values by keys and indices, with forms that can be indented: LLSD.
    pub(crate) llsd: bool,
    /// The most levels of detail that a mesh has.
    pub(crate) levels: Option<usize>,
    /// Convex hulls for physics.
    pub(crate) hulls: bool,
    /// The ground of a region.
    pub(crate) ground: bool,
    /// Joints that move, and nothing else.
    pub(crate) motion: Option<Motion>,
    /// LLSD of another structure than a document's: meshes and materials.
    pub(crate) inner_llsd: bool,
    /// A unit of length.
    pub(crate) unit: bool,
    /// Every feature of scenes, though it is not written.
    pub(crate) all_features: bool,
    /// Numbers that Studio takes for studs, whatever unit the file states.
    pub(crate) studs: bool,
}

/// The format of a file of motion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motion {
    SecondLife,
    Bvh,
}

impl Has {
    /// A mesh or a scene.
    pub(crate) const NONE: Self = Self {
        document: None,
        editable_values: false,
        llsd: false,
        levels: None,
        hulls: false,
        ground: false,
        motion: None,
        inner_llsd: false,
        unit: true,
        all_features: false,
        studs: false,
    };
}

/// Reads a file. The name, and the source of the files beside it, are for formats of several files.
pub(crate) type Reader =
    fn(&'static FileType, &[u8], &ReadOptions, &str, &mut dyn Sources) -> Result<ReadAsset>;

/// An asset that was read, and the bytes that it takes of the memory limit for reading.
pub(crate) type ReadAsset = (Box<dyn Asset>, u64);

impl FileType {
    /// Whether its files consist of instances: Roblox places and models.
    pub fn has_instances(&self) -> bool {
        self.has.document.is_some()
    }

    /// Whether its files can have several levels of detail.
    pub fn has_levels(&self) -> bool {
        self.has.levels.is_some()
    }

    /// Whether changes of its files can be stated as steps, and merged: Roblox documents and LLSD.
    pub fn has_steps(&self) -> bool {
        self.has_instances() || self.has.llsd
    }

    /// Whether its files have values that can be set, and references that can be replaced.
    pub fn has_editable_values(&self) -> bool {
        self.has.editable_values
    }

    /// Whether its files are motions of Second Life, which have no mesh.
    pub fn is_motion(&self) -> bool {
        self.has.motion == Some(Motion::SecondLife)
    }

    /// Whether its files are objects or regions of OpenSim.
    pub fn is_of_region(&self) -> bool {
        self.has.ground
    }

    /// A file type with a format crate, without the optional parts.
    pub(crate) const fn exact(
        [name, format, title]: [&'static str; 3],
        rules: fn() -> Vec<Rule>,
        detect: fn(&[u8]) -> Option<String>,
        read: Reader,
    ) -> Self {
        Self {
            name,
            format,
            title,
            extensions: &[],
            forms: &[],
            is_exact: true,
            has_geometry: true,
            rules,
            detect,
            fits_name: |_| false,
            read: Some(read),
            read_as: None,
            becomes: &[],
            length: |_| None,
            writer: None,
            has: Has::NONE,
        }
    }

    /// Whether files of this file type are read; a file type of scenes may be only written.
    pub fn is_read(&self) -> bool {
        self.read.is_some()
    }

    /// Whether the files of another file type differ from those of this one only in their names.
    pub(crate) fn is_twin(&self, other: &Self) -> bool {
        self.format == other.format && self.forms == other.forms && self.becomes.contains(&other.name)
    }

    /// Whether files of this file type have an extension, given in lower case.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        self.extensions.contains(&extension)
    }
}

impl fmt::Debug for FileType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileType({})", self.name)
    }
}

/// Reads a model that is complete in itself.
pub(crate) fn read_model<M: Model + Asset>(
    _: &'static FileType,
    bytes: &[u8],
    options: &ReadOptions,
    _: &str,
    _: &mut dyn Sources,
) -> Result<ReadAsset> {
    let (model, held) = M::read(bytes, options.max_bytes)?;
    Ok((Box::new(model), held))
}

/// What a file contains, without its name and the files beside it: the model of its format's crate. Cloning is cheap, and
/// both share it.
#[derive(Clone, Debug)]
pub struct Content(pub(crate) Arc<dyn Asset>);

impl<A: Asset> From<A> for Content {
    fn from(model: A) -> Self {
        Self(Arc::new(model))
    }
}

impl Content {
    /// The model as the type of its format's crate, such as `rbxmesh::Mesh`; `None` if it is of another one.
    pub fn model<M: Any + Send + Sync>(&self) -> Option<Arc<M>> {
        let any: Arc<dyn Any + Send + Sync> = self.0.clone();
        any.downcast().ok()
    }

    /// The model for changes; a copy of it if it is shared. `None` if it is of another type.
    pub fn model_mut<M: Any + Send + Sync + Clone>(&mut self) -> Option<&mut M>
    where
        Self: From<M>,
    {
        if Arc::get_mut(&mut self.0).is_none() {
            let model = self.model::<M>()?;
            *self = Self::from((*model).clone());
        }
        (Arc::get_mut(&mut self.0)? as &mut dyn Any).downcast_mut()
    }

    /// Whether both are one model in memory.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A model of any format. Its methods are those of [`Opened`](crate::Opened), for which it is the one interface.
pub trait Asset: Any + Send + Sync {
    /// The file type; if file types differ only in the names of their files, the first of them.
    fn file_type(&self) -> &'static FileType;

    /// The version or the form within its format.
    fn version(&self) -> String;

    /// Counts and sizes of the content. A fact that would take more memory than a read may allocate has the reason as its
    /// value.
    fn describe(&self, options: &ReadOptions) -> Vec<Fact>;

    /// The content as nodes. A property whose bytes are decoded is shown as bytes if decoding it takes more
    /// than a read may allocate.
    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_>;

    /// Sets the value at a path. It keeps its type unless another one is given. Returns what else changed: in the binary
    /// form of Roblox documents, a new property is filled in for the other instances of the class.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if the path does not exist, the value has another type, or
    /// assets of this format cannot be edited by path, or decoding the property that contains the value takes
    /// more than a read may allocate.
    fn set(
        &mut self,
        path: &str,
        value: &str,
        kind: Option<&str>,
        options: &ReadOptions,
    ) -> Result<Vec<Loss>> {
        let _ = (path, value, kind, options);
        Err(Error::argument(format!(
            "expected a Roblox place or model, LLSD or a Second Life material, since values in other files cannot be \
             set; found: {}",
            self.file_type().title
        )))
    }

    /// Checks the rules of its format.
    fn check(&self) -> Vec<Finding>;

    /// Checks the rules for values with their own layout of bytes.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if the paths take more than `max_bytes`.
    fn check_values(&self, _max_bytes: u64) -> Result<Vec<Finding>> {
        Ok(Vec::new())
    }

    /// Checks the upload requirements of its animations: the profile `roblox-animation`.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if the paths take more than `max_bytes`.
    fn check_animations(&self, _max_bytes: u64) -> Result<Vec<Finding>> {
        Ok(Vec::new())
    }

    /// The value at a path: names separated by `/`, and `.` before a property.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if it is missing, and [`Limit`](crate::ErrorKind::Limit) if it takes more
    /// than `max_bytes`.
    fn get(&self, path: &str, options: &ReadOptions) -> Result<Value> {
        crate::tree::get(&*self.tree(options), path, &mut Budget::new(options.max_bytes))
    }

    /// The bytes of the asset: as it was read, or in another form of its format.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if the format has no such form, and
    /// [`Unwritable`](crate::ErrorKind::Unwritable) if the form cannot represent the content.
    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>>;

    /// The losses of a form of the asset's format: the values that writing
    /// with [`WriteOptions::allow_loss`] drops.
    fn losses(&self, form: &str) -> Vec<Loss> {
        let _ = form;
        Vec::new()
    }

    /// Notes about writing a form of the asset's format that are not errors, such as content that some readers refuse.
    /// For the empty form, that of the file, the notes list what an edit could not keep.
    fn remarks(&self, form: &str) -> Vec<Loss> {
        let _ = form;
        Vec::new()
    }

    /// The same content in another format.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such conversion, and
    /// [`Unwritable`](crate::ErrorKind::Unwritable) if it cannot represent the content.
    fn convert(&self, format: &str, options: &ConvertOptions) -> Result<Converted> {
        let _ = options;
        Err(no_conversion(self, format))
    }

    /// The embedded files: scripts, textures, and properties stored as bytes; and losses for content in no file.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if what is decoded takes more than a read may allocate, with its path.
    fn files(&self, options: &ReadOptions, extract: &ExtractOptions) -> Result<(Vec<File>, Vec<Loss>)> {
        let _ = (options, extract);
        Ok(Default::default())
    }

    /// The scripts in the asset.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if the sources that scripts share take more than a read may allocate.
    fn scripts(&self, options: &ReadOptions) -> Result<Vec<Script>> {
        let _ = options;
        Ok(Vec::new())
    }

    /// Replaces texts by the results of a function; returns the number of changed values.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if assets of this format have no texts to replace.
    fn replace_texts(&mut self, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Result<usize> {
        let _ = replace;
        let title = self.file_type().title;
        Err(Error::argument(format!(
            "expected a Roblox place or model, LLSD or a Second Life material, since references to assets in other \
             files cannot be replaced; found: {title}"
        )))
    }

    /// Whether it becomes a scene. Of LLSD, only the poses of avatars do.
    fn has_scene(&self) -> bool {
        self.file_type().has_geometry
    }

    /// The asset as a scene, and losses. `stem` is the name of its file without the extension.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if assets of this format have no geometry,
    /// [`Empty`](crate::ErrorKind::Empty) if a Roblox document has nothing visible, and
    /// [`Limit`](crate::ErrorKind::Limit) if the scene needs more than the options allow.
    fn scene(&self, stem: &str, options: &SceneOptions, sources: &mut dyn Sources) -> SceneAndLosses {
        let _ = (stem, options, sources);
        Err(Error::argument(format!("files of the format {} have no geometry", self.file_type().title)))
    }

    /// The geometry in the asset's properties, such as terrain and hulls: for each a file of this file type, with the files
    /// that it refers to; and losses.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if scenes are not written as that file type,
    /// [`Limit`](crate::ErrorKind::Limit) if it needs more than the options allow.
    fn geometry(&self, file_type: &FileType, options: &SceneOptions) -> Result<(Vec<File>, Vec<Loss>)> {
        let _ = (file_type, options);
        Ok((Vec::new(), Vec::new()))
    }

    /// The animations of a Roblox document, with their paths.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if they need more than `max_bytes`.
    fn animations(&self, max_bytes: u64) -> Animations {
        let _ = max_bytes;
        Ok(Vec::new())
    }

    /// For each node of the asset's scene, the tree path of what it shows; `None` if it is not in the tree.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if the paths take more than `max_bytes`.
    fn node_paths(&self, scene: &rezkit_scene::Scene, max_bytes: u64) -> Result<Vec<Option<String>>> {
        let _ = max_bytes;
        Ok(vec![None; scene.nodes.len()])
    }

    /// Whether the asset refers to files beside its own.
    fn has_files_beside(&self) -> bool {
        false
    }

    /// Whether two assets are equal by value and bits: NaN equals itself, -0 differs from 0.
    fn equals(&self, other: &dyn Asset) -> bool;
}

/// Shows only the format and the version: the `Debug` texts of all models would enlarge every program.
impl fmt::Debug for dyn Asset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Asset({}, {})", self.file_type().name, self.version())
    }
}

/// A scene, and the losses: the content that it leaves out.
pub(crate) type SceneAndLosses = Result<(rezkit_scene::Scene, Vec<Loss>)>;

/// The animations of a document, with their paths.
pub(crate) type Animations = Result<Vec<(rezkit_scene::roblox::AnimationFacts, String)>>;

/// An asset of another format.
#[derive(Debug)]
pub struct Converted {
    /// The asset.
    pub asset: Box<dyn Asset>,
    /// The losses: dropped, changed and filled-in values.
    pub losses: Vec<Loss>,
    /// The number of bytes that are left of the memory limit.
    pub left: u64,
}

/// The error for a form that a file type does not have.
pub(crate) fn no_form(file_type: &FileType, form: &str) -> Error {
    let expected = match file_type.forms {
        [] => "this format has no versions, encodings or compressions to choose from".to_owned(),
        forms => format!("expected one of {}", forms.join(", ")),
    };
    let title = file_type.title;
    Error::argument(format!(
        "{form:?} is not a version, encoding or compression of the format {title}; {expected}"
    ))
}

/// The error for a conversion to a format that does not exist for an asset's file type.
pub(crate) fn no_conversion(asset: &(impl Asset + ?Sized), format: &str) -> Error {
    Error::argument(format!(
        "files of the format {} cannot be converted to {format}",
        asset.file_type().title
    ))
}

/// An asset as the type `A`; `None` if it has another type.
pub(crate) fn same_type<A: Asset>(other: &dyn Asset) -> Option<&A> {
    (other as &dyn Any).downcast_ref()
}

/// Whether two assets are equal models of one format.
pub(crate) fn equal<M: Model + Asset>(model: &M, other: &dyn Asset) -> bool {
    same_type(other).is_some_and(|other| Model::equals(model, other))
}
