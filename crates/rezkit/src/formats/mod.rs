//! Every format: one entry of [`FORMATS`] and one file each, which has all that is known of it.

mod fact;
mod generic;
mod llsd;
mod llsd_json;
mod m3d;
mod rbxbinary;
mod rbxmesh;
mod rbxxml;
pub mod roblox;
#[cfg(feature = "scene")]
mod scenes;
pub(crate) mod slmesh;

#[cfg(feature = "scene")]
pub(crate) use scenes::NOT_SUPPORTED;

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

#[cfg(feature = "scene")]
use crate::SceneOptions;
use crate::edits::{Edit, Edited};
use crate::foreign;
use crate::options::{ConvertOptions, ExtractOptions, ReadOptions, WriteOptions};
use crate::scripts::Script;
use crate::tree::{self, Node};
pub use fact::{Fact, FactValue};
pub use llsd::Json as LlsdJson;
use rezkit_core::{Error, ErrorKind, Exact, File, Finding, Loss, Model, Result, Rule, Sources};

/// A format: its names, and how its files are recognised and read.
pub struct Format {
    /// The name of its crate, which is its name in reports.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What its files' names end in.
    pub extensions: &'static [&'static str],
    /// The forms in which an asset can be written.
    pub forms: &'static [Form],
    /// The rules that its check tries.
    pub(crate) rules: fn() -> Vec<Rule>,
    pub(crate) detect: fn(&[u8]) -> Option<String>,
    pub(crate) read: Reader,
    /// How a format's own crate reads it, without loss: of all but those that only scenes are made of.
    pub(crate) exact: Option<&'static Exact>,
    /// Whether its assets become scenes.
    pub(crate) has_geometry: bool,
    /// The names of the formats that its assets become without a scene.
    pub(crate) converts_to: &'static [&'static str],
    /// The length of the asset at the beginning of a stream, where the format tells it.
    pub(crate) length: fn(&[u8]) -> Option<usize>,
    /// Reads bytes that do not tell what they are in a form that the caller names; `None` where the
    /// format has no such form.
    pub(crate) read_as: ReaderAs,
}

impl Format {
    /// A format with a crate of its own, without what only some of them have.
    const fn exact(
        exact: &'static Exact,
        title: &'static str,
        rules: fn() -> Vec<Rule>,
        read: Reader,
    ) -> Self {
        Self {
            name: exact.name,
            title,
            extensions: &[],
            forms: &[],
            rules,
            detect: exact.detect,
            read,
            exact: Some(exact),
            has_geometry: true,
            converts_to: &[],
            length: |_| None,
            read_as: |_, _, _| None,
        }
    }
}

/// Reads a model that is complete in itself.
fn read_model<M: Model + Asset>(
    bytes: &[u8],
    options: &ReadOptions,
    _: &str,
    _: &mut dyn Sources,
) -> Result<Box<dyn Asset>> {
    Ok(Box::new(M::read(bytes, options.max_bytes)?))
}

/// The rules of a format's crate.
fn rules_of<R: Copy + Into<Rule>>(rules: &[R]) -> Vec<Rule> {
    rules.iter().copied().map(Into::into).collect()
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name)
    }
}

impl Format {
    /// Whether a crate of this workspace reads it, and writes it again as it was; of others only a scene is kept.
    pub fn is_exact(&self) -> bool {
        self.exact.is_some()
    }

    /// Whether its assets become scenes.
    pub fn has_geometry(&self) -> bool {
        self.has_geometry
    }

    /// Whether files of this format, or of one of its forms, have an extension.
    #[cfg(feature = "scene")]
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        self.extensions.contains(&extension)
            || self.forms.iter().any(|form| form.extension == Some(extension))
    }
}

/// Reads the bytes of a format: the file's name and what gives files beside it are for formats of several files.
type Reader = fn(&[u8], &ReadOptions, &str, &mut dyn Sources) -> Result<Box<dyn Asset>>;

/// Reads bytes in a form with a name.
type ReaderAs = fn(&[u8], &str, &ReadOptions) -> Option<Result<Box<dyn Asset>>>;

/// A version, an encoding or a compression in which an asset can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The name, as `convert --to` takes it.
    pub name: &'static str,
    /// The ending of a file's name that asks for it.
    pub extension: Option<&'static str>,
}

impl Form {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, extension: None }
    }

    pub(crate) const fn of_extension(name: &'static str, extension: &'static str) -> Self {
        Self { name, extension: Some(extension) }
    }
}

/// Every format, in the order in which a file is offered to them: those with a magic number first, LLSD
/// last, since a Second Life asset is LLSD too.
pub static FORMATS: &[&Format] = &[
    &rbxmesh::FORMAT,
    &rbxbinary::FORMAT,
    &rbxxml::FORMAT,
    &m3d::FORMAT,
    &slmesh::FORMAT,
    #[cfg(feature = "scene")]
    &scenes::GLTF,
    #[cfg(feature = "scene")]
    &scenes::PLY,
    #[cfg(feature = "scene")]
    &scenes::OBJ,
    #[cfg(feature = "scene")]
    &scenes::STL,
    &llsd::FORMAT,
];

/// What a file is, from its first bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Detected {
    /// The format.
    pub format: &'static Format,
    /// The version or the form within the format.
    pub version: String,
}

/// A file that was read, of whichever format.
pub trait Asset: Any + Send + Sync {
    /// Its format.
    fn format(&self) -> &'static Format;

    /// The version or the form within its format.
    fn version(&self) -> String;

    /// What its files' names end in, where the files of its format are of several kinds and it has no geometry.
    fn extension(&self) -> Option<&'static str> {
        None
    }

    /// Counts and sizes of what is in it. Costs no more than a walk over the model, and allocates no
    /// more than the answer.
    fn describe(&self) -> Vec<Fact>;

    /// What is in it, as nodes. A property whose bytes are decoded is shown as bytes where decoding it takes more
    /// than a read may allocate.
    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_>;

    /// Sets the value at a path, which keeps its type unless another is named.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where there is no such path, the value is not of that type, or
    /// assets of this format cannot be edited by path; where decoding the property that the value is in takes
    /// more than a read may allocate.
    fn set(&mut self, path: &str, value: &str, kind: Option<&str>, options: &ReadOptions) -> Result<()> {
        let _ = (path, value, kind, options);
        Err(Error::argument(format!("values of {} cannot be edited by path", self.format().title)))
    }

    /// The rules of its format that it breaks.
    fn check(&self) -> Vec<Finding>;

    /// The value at a path: names with `/` between them, and `.` before a property.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where it is missing.
    fn get(&self, path: &str, options: &ReadOptions) -> Result<tree::Value> {
        tree::get(&*self.tree(options), path)
    }

    /// Its bytes: as it was read, or in another form of its format.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where the format has no such form, and
    /// [`Unwritable`](ErrorKind::Unwritable) where the form cannot represent the content.
    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>>;

    /// What the asset has that one of its format's forms cannot represent: what writing it with
    /// [`WriteOptions::allow_loss`] leaves out.
    fn losses(&self, form: &str) -> Vec<Loss> {
        let _ = form;
        Vec::new()
    }

    /// What is listed of writing in one of its format's forms though it is not refused: what a reader may trip over, and what
    /// the form is asked for without.
    fn remarks(&self, form: &str) -> Vec<Loss> {
        let _ = form;
        Vec::new()
    }

    /// The same content in another format.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where assets of this format cannot become one of that, and
    /// [`Unwritable`](ErrorKind::Unwritable) where it cannot represent the content.
    fn convert(&self, to: &Format, options: &ConvertOptions) -> Result<Converted> {
        let _ = options;
        Err(no_conversion(self, to))
    }

    /// The files in it: scripts, textures, and what is stored as bytes; and what is in none of them.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) where what is decoded takes more than a read may allocate, with its path.
    fn files(&self, options: &ReadOptions, extract: &ExtractOptions) -> Result<(Vec<File>, Vec<Loss>)> {
        let _ = (options, extract);
        Ok(Default::default())
    }

    /// Edits it, with the models that are put in: all of the edits, in order, or none of them.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where there is no such path or a value does not fit, and where assets of this
    /// format have no instances.
    fn edit(&mut self, edits: &[(&Edit, Option<&dyn Asset>)], options: &ReadOptions) -> Result<Edited> {
        let _ = (edits, options);
        Err(Error::argument(format!("a {} has no instances to edit", self.format().title)))
    }

    /// Puts files that [`files`](Self::files) made, and that were edited since, back: what changed, by path, and the
    /// files that were not put anywhere.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where a file cannot be put back, with its path, and where assets of this format
    /// take none.
    fn pack(
        &mut self,
        files: BTreeMap<String, Vec<u8>>,
        options: &ReadOptions,
    ) -> Result<(Vec<String>, Vec<Loss>)> {
        let _ = (files, options);
        Err(Error::argument(format!("files are not packed into a {}", self.format().title)))
    }

    /// The scripts in it.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) where the sources that scripts share take more than a read may allocate.
    fn scripts(&self, options: &ReadOptions) -> Result<Vec<Script>> {
        let _ = options;
        Ok(Vec::new())
    }

    /// Replaces texts by what a function gives for them; how many values changed.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where assets of this format have no texts to replace.
    fn replace_texts(&mut self, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Result<usize> {
        let _ = replace;
        Err(Error::argument(format!("in a {} no texts can be replaced", self.format().title)))
    }

    /// The asset as a scene, and what that leaves out. `stem` is the name of its file without the extension.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where assets of this format have no geometry, and
    /// [`Limit`](ErrorKind::Limit) where it needs more than the options allow.
    #[cfg(feature = "scene")]
    fn scene(&self, stem: &str, options: &SceneOptions, sources: &mut dyn Sources) -> Made {
        let _ = (stem, options, sources);
        Err(Error::argument(format!("{} has no geometry", self.format().title)))
    }

    /// The geometry that its properties have, such as terrain and hulls: a file each, in a
    /// [form](rezkit_scene::form) of scenes, with those that it refers to; and what is approximated or unreadable.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where there is no such form, [`Limit`](ErrorKind::Limit) where it needs more
    /// than the options allow.
    #[cfg(feature = "scene")]
    fn geometry(&self, form: &str, options: &SceneOptions) -> Result<(Vec<File>, Vec<Loss>)> {
        let _ = (form, options);
        Ok((Vec::new(), Vec::new()))
    }

    /// Where in its tree the nodes of a scene are that was made of it; none of them where they are not in it.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) where the paths take more than `max_bytes`.
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
        write!(f, "Asset({}, {})", self.format().name, self.version())
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
}

/// The format of a file.
pub(crate) fn detect(bytes: &[u8]) -> Option<Detected> {
    FORMATS.iter().find_map(|format| Some(Detected { format, version: (format.detect)(bytes)? }))
}

/// The format of a file: by its first bytes, or, of formats whose files begin with anything, by its name.
pub(crate) fn detect_named(bytes: &[u8], name: &str) -> Option<Detected> {
    #[cfg(feature = "scene")]
    let by_name = || scenes::detect_named(bytes, name);
    #[cfg(not(feature = "scene"))]
    let by_name = || {
        let _ = name;
        None
    };
    // JSON that is named so is LLSD.
    let text = || bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    let is_value = |text: &[u8]| match text {
        [b'{' | b'[' | b'"' | b'-' | b'0'..=b'9', ..] => true,
        word => [&b"null"[..], b"true", b"false"].contains(&word),
    };
    let is_json = || is_named_json(name) && is_value(text());
    let json = || is_json().then(|| Detected { format: &llsd::FORMAT, version: llsd::JSON.to_owned() });
    detect(bytes).or_else(by_name).or_else(json)
}

fn is_named_json(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".json")
}

impl ReadOptions {
    /// Reads a file of any known format that is complete in itself.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(&self, bytes: &[u8]) -> Result<Box<dyn Asset>> {
        self.read_named(bytes, "", &mut ())
    }

    /// Reads a file of any known format; formats whose files begin with anything are known by its name.
    ///
    /// # Errors
    /// [`Unknown`](ErrorKind::Unknown) where it is of no known format, [`Unreadable`](ErrorKind::Unreadable)
    /// where its crate refuses it, [`Limit`](ErrorKind::Limit) where it needs more than the options allow.
    pub fn read_named(&self, bytes: &[u8], name: &str, sources: &mut dyn Sources) -> Result<Box<dyn Asset>> {
        let found = detect_named(bytes, name);
        // What is named so and cannot be read has an error with a position.
        let is_json =
            |found: &Detected| found.format.name == llsd::FORMAT.name && found.version == llsd::JSON;
        let is_named = || !bytes.is_empty() && is_named_json(name);
        let json = found.as_ref().map_or_else(is_named, is_json).then_some(llsd::JSON);
        if let Some(form) = self.form.as_deref().or(json) {
            // Of these, the extension of a file's name tells what it is.
            let is_named = |format: &&&Format| format.exact.is_none() && format.extensions.contains(&form);
            if let Some(format) = FORMATS.iter().find(is_named) {
                let asset = (format.read)(bytes, self, &format!("{name}.{form}"), sources)?;
                let found = asset.format();
                let other = || Error::unreadable(format!("expected {}, found {}", format.title, found.title));
                return if found.name == format.name { Ok(asset) } else { Err(other()) };
            }
            let read = FORMATS.iter().find_map(|format| (format.read_as)(bytes, form, self));
            return read.unwrap_or_else(|| Err(Error::argument(format!("nothing is read as {form:?}"))));
        }
        let unknown = || {
            let describe =
                || Error::new(ErrorKind::Unknown, format!("not an asset: {}", foreign::describe(bytes)));
            foreign::refused(bytes, self.max_bytes).unwrap_or_else(describe)
        };
        (found.ok_or_else(unknown)?.format.read)(bytes, self, name, sources)
    }
}

/// There is no such form of the format.
fn no_form(format: &Format, form: &str) -> Error {
    let names: Vec<_> = format.forms.iter().map(|form| form.name).collect();
    let names = if names.is_empty() { "one form only".to_owned() } else { names.join(", ") };
    Error::argument(format!("{} has no form {form:?}: it has {names}", format.title))
}

/// Assets of this format cannot become one of that.
fn no_conversion(asset: &(impl Asset + ?Sized), to: &Format) -> Error {
    Error::argument(format!("there is no conversion from {} to {}", asset.format().title, to.title))
}

/// The same asset type, where the other is one.
fn same_type<A: Asset>(other: &dyn Asset) -> Option<&A> {
    (other as &dyn Any).downcast_ref()
}

/// Whether two assets are equal models of one format.
fn equal<M: Model + Asset>(model: &M, other: &dyn Asset) -> bool {
    same_type(other).is_some_and(|other| Model::equals(model, other))
}
