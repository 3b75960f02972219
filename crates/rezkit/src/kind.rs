//! A kind of file, and what every file that was read can do.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

#[cfg(feature = "scene")]
use crate::SceneOptions;
use crate::edits::{Edit, Edited};
use crate::exact::Model;
use crate::fact::Fact;
use crate::options::{ConvertOptions, ExtractOptions, PackOptions, ReadOptions, WriteOptions};
use crate::scripts::Script;
use crate::tree::{Node, Value};
use rezkit_core::{Error, File, Finding, Loss, Result, Rule, Sources};
#[cfg(feature = "scene")]
use rezkit_scene::SceneWriter;

/// What a person calls a file type: its names, how its files are recognised, read and written.
pub struct Kind {
    /// The name, as `convert --to` takes it: the usual extension, except for LLSD.
    pub name: &'static str,
    /// The format that it is of, which is its name in reports: the format crate, or the name of a format without one.
    pub format: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What its files' names end in, the usual extension first.
    pub extensions: &'static [&'static str],
    /// The versions, encodings or compressions in which its files can be written.
    pub forms: &'static [&'static str],
    /// Whether a format crate reads it and writes it again as it was; of others only a scene is kept.
    pub is_exact: bool,
    /// Whether its files become scenes.
    pub has_geometry: bool,
    /// The rules that its check tries.
    pub(crate) rules: fn() -> Vec<Rule>,
    /// The version of a file, from its first bytes; `None` if it is of another kind.
    pub(crate) detect: fn(&[u8]) -> Option<String>,
    /// Whether bytes that no kind recognises are of this one if the file has one of its extensions.
    pub(crate) fits_name: fn(&[u8]) -> bool,
    pub(crate) read: Reader,
    /// Reads bytes that do not tell what they are; `None` if they always do.
    pub(crate) read_as: Option<Reader>,
    /// The kinds that its files become without a scene.
    pub(crate) becomes: &'static [&'static str],
    /// The length of the file at the beginning of a stream, if the format tells it.
    pub(crate) length: fn(&[u8]) -> Option<usize>,
    /// How scenes are written as its files.
    #[cfg(feature = "scene")]
    pub writer: Option<&'static SceneWriter>,
}

/// Reads a file: its name and what gives the files beside it are for formats of several files.
pub(crate) type Reader = fn(&'static Kind, &[u8], &ReadOptions, &str, &mut dyn Sources) -> Result<Held>;

/// A file that was read, and how many bytes it takes of those that reading it may take.
pub(crate) type Held = (Box<dyn Asset>, u64);

impl Kind {
    /// A kind with a format crate, without what only some of them have.
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
            read,
            read_as: None,
            becomes: &[],
            length: |_| None,
            #[cfg(feature = "scene")]
            writer: None,
        }
    }

    /// Whether only their names tell the files of another kind from those of this one.
    pub(crate) fn is_twin(&self, other: &Self) -> bool {
        self.format == other.format && self.forms == other.forms && self.becomes.contains(&other.name)
    }

    /// Whether files of this kind have an extension, given in lower case.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        self.extensions.contains(&extension)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kind({})", self.name)
    }
}

/// Reads a model that is complete in itself.
pub(crate) fn read_model<M: Model + Asset>(
    _: &'static Kind,
    bytes: &[u8],
    options: &ReadOptions,
    _: &str,
    _: &mut dyn Sources,
) -> Result<Held> {
    let (model, held) = M::read(bytes, options.max_bytes)?;
    Ok((Box::new(model), held))
}

/// The rules of a format's crate.
pub(crate) fn rules_of<R: Copy + Into<Rule>>(rules: &[R]) -> Vec<Rule> {
    rules.iter().copied().map(Into::into).collect()
}

/// A file that was read, of whichever format.
pub trait Asset: Any + Send + Sync {
    /// Its kind; of kinds whose files differ in their names only, the first.
    fn kind(&self) -> &'static Kind;

    /// The version or the form within its format.
    fn version(&self) -> String;

    /// Counts and sizes of what is in it. Costs no more than a walk over the model, and allocates no
    /// more than the answer.
    fn describe(&self) -> Vec<Fact>;

    /// What is in it, as nodes. A property whose bytes are decoded is shown as bytes where decoding it takes more
    /// than a read may allocate.
    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_>;

    /// Sets the value at a path, which keeps its type unless another is named.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such path, the value is not of that type, or
    /// assets of this format cannot be edited by path; where decoding the property that the value is in takes
    /// more than a read may allocate.
    fn set(&mut self, path: &str, value: &str, kind: Option<&str>, options: &ReadOptions) -> Result<()> {
        let _ = (path, value, kind, options);
        Err(Error::argument(format!("values of {} cannot be edited by path", self.kind().title)))
    }

    /// The rules of its format that it breaks.
    fn check(&self) -> Vec<Finding>;

    /// The rules for values whose bytes have a layout of their own that it breaks.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if the paths take more than `max_bytes`.
    fn check_values(&self, _max_bytes: u64) -> Result<Vec<Finding>> {
        Ok(Vec::new())
    }

    /// The rules for an upload of the animations in it that it breaks: the profile `roblox-animation`.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if the paths take more than `max_bytes`.
    fn check_animations(&self, _max_bytes: u64) -> Result<Vec<Finding>> {
        Ok(Vec::new())
    }

    /// The value at a path: names with `/` between them, and `.` before a property.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if it is missing.
    fn get(&self, path: &str, options: &ReadOptions) -> Result<Value> {
        crate::tree::get(&*self.tree(options), path)
    }

    /// Its bytes: as it was read, or in another form of its format.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if the format has no such form, and
    /// [`Unwritable`](crate::ErrorKind::Unwritable) if the form cannot represent the content.
    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>>;

    /// What the asset has that one of its format's forms cannot represent: what writing it with
    /// [`WriteOptions::allow_loss`] leaves out.
    fn losses(&self, form: &str) -> Vec<Loss> {
        let _ = form;
        Vec::new()
    }

    /// What is listed of writing in one of its format's forms though it is not refused: what a reader may trip over, and what
    /// the form is asked for without. The empty form is that of the file: what an edit could not keep.
    fn remarks(&self, form: &str) -> Vec<Loss> {
        let _ = form;
        Vec::new()
    }

    /// The same content in another format.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if assets of this format cannot become one of that, and
    /// [`Unwritable`](crate::ErrorKind::Unwritable) if it cannot represent the content.
    fn convert(&self, format: &str, options: &ConvertOptions) -> Result<Converted> {
        let _ = options;
        Err(no_conversion(self, format))
    }

    /// The files in it: scripts, textures, and what is stored as bytes; and what is in none of them.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if what is decoded takes more than a read may allocate, with its path.
    fn files(&self, options: &ReadOptions, extract: &ExtractOptions) -> Result<(Vec<File>, Vec<Loss>)> {
        let _ = (options, extract);
        Ok(Default::default())
    }

    /// Edits it, with the models that are put in: all of the edits, in order, or none of them.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such path or a value does not fit, and where assets of this
    /// format have no instances.
    fn edit(
        &mut self,
        edits: &[(&Edit, Option<&dyn Asset>)],
        options: &ReadOptions,
    ) -> Result<Edited, (usize, Error)> {
        let _ = (edits, options);
        Err((0, Error::argument(format!("a {} has no instances to edit", self.kind().title))))
    }

    /// Puts files that [`files`](Self::files) made, and that were edited since, back: what changed, by path, and the
    /// files that were not put anywhere.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if a file cannot be put back, with its path, and where assets of this format
    /// take none.
    fn pack(
        &mut self,
        files: BTreeMap<String, Vec<u8>>,
        pack: PackOptions,
        options: &ReadOptions,
    ) -> Result<(Vec<String>, Vec<Loss>)> {
        let _ = (files, pack, options);
        Err(Error::argument(format!("files are not packed into a {}", self.kind().title)))
    }

    /// The scripts in it.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if the sources that scripts share take more than a read may allocate.
    fn scripts(&self, options: &ReadOptions) -> Result<Vec<Script>> {
        let _ = options;
        Ok(Vec::new())
    }

    /// Replaces texts by what a function gives for them; how many values changed.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if assets of this format have no texts to replace.
    fn replace_texts(&mut self, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Result<usize> {
        let _ = replace;
        Err(Error::argument(format!("texts in a {} cannot be replaced", self.kind().title)))
    }

    /// The asset as a scene, and what that leaves out. `stem` is the name of its file without the extension.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if assets of this format have no geometry, and
    /// [`Limit`](crate::ErrorKind::Limit) if it needs more than the options allow.
    #[cfg(feature = "scene")]
    fn scene(&self, stem: &str, options: &SceneOptions, sources: &mut dyn Sources) -> Made {
        let _ = (stem, options, sources);
        Err(Error::argument(format!("{} has no geometry", self.kind().title)))
    }

    /// The geometry that its properties have, such as terrain and hulls: a file of a kind each, with those that it refers to;
    /// and what is approximated or unreadable.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if scenes are not written as that kind, [`Limit`](crate::ErrorKind::Limit) if it needs more
    /// than the options allow.
    #[cfg(feature = "scene")]
    fn geometry(&self, kind: &Kind, options: &SceneOptions) -> Result<(Vec<File>, Vec<Loss>)> {
        let _ = (kind, options);
        Ok((Vec::new(), Vec::new()))
    }

    /// Where in its tree the nodes of a scene are that was made of it; none of them if they are not in it.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if the paths take more than `max_bytes`.
    #[cfg(feature = "scene")]
    fn node_paths(&self, scene: &rezkit_scene::Scene, max_bytes: u64) -> Result<Vec<Option<String>>> {
        let _ = max_bytes;
        Ok(vec![None; scene.nodes.len()])
    }

    /// Whether it consists of instances, one of which can become a scene alone.
    fn has_instances(&self) -> bool {
        false
    }

    /// Whether it consists of other files as well, to which its own refers.
    fn has_files_beside(&self) -> bool {
        false
    }

    /// Whether two assets are equal by value and bits: NaN equals itself, -0 differs from 0.
    fn equals(&self, other: &dyn Asset) -> bool;
}

/// The format and the version alone: each text of each model would be in every program.
impl fmt::Debug for dyn Asset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Asset({}, {})", self.kind().name, self.version())
    }
}

/// A scene, and what it leaves out.
#[cfg(feature = "scene")]
pub type Made = Result<(rezkit_scene::Scene, Vec<Loss>)>;

/// An asset of another format.
#[derive(Debug)]
pub struct Converted {
    /// The asset.
    pub asset: Box<dyn Asset>,
    /// What was left out or filled in.
    pub losses: Vec<Loss>,
    /// How many bytes it leaves of those that it may take.
    pub left: u64,
}

/// There is no such form of the kind.
pub(crate) fn no_form(kind: &Kind, form: &str) -> Error {
    let names = if kind.forms.is_empty() { "one form only".to_owned() } else { kind.forms.join(", ") };
    Error::argument(format!("{} has no form {form:?}: it has {names}", kind.title))
}

/// Assets of this kind cannot become one of that format.
pub(crate) fn no_conversion(asset: &(impl Asset + ?Sized), format: &str) -> Error {
    Error::argument(format!("there is no conversion from {} to {format}", asset.kind().title))
}

/// The same asset type, where the other is one.
pub(crate) fn same_type<A: Asset>(other: &dyn Asset) -> Option<&A> {
    (other as &dyn Any).downcast_ref()
}

/// Whether two assets are equal models of one format.
pub(crate) fn equal<M: Model + Asset>(model: &M, other: &dyn Asset) -> bool {
    same_type(other).is_some_and(|other| Model::equals(model, other))
}
