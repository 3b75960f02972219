//! An opened file of any format, with all operations.

use std::collections::BTreeMap;
use std::sync::Arc;

use rezkit_core::{Error, ErrorKind, File, Finding, Loss, Result, Sources};

use crate::assets;
use crate::fact::Fact;
use crate::file_type::{Asset, Content, FileType};
use crate::formats::{FILE_TYPES, extension};
use crate::options::{ExtractOptions, ReadOptions, WriteOptions};
use crate::scripts::Script;
use crate::tree::{self, Node, OwnedNode};
use crate::unwrap::{Unwrapped, Wrapped, unwrap};

/// An opened file of any format, with the source of the files that it refers to.
pub struct Opened<'f> {
    pub(crate) name: String,
    wrapped: Wrapped,
    bytes: usize,
    pub(crate) asset: Arc<dyn Asset>,
    /// The memory of the asset in bytes.
    pub(crate) held: u64,
    /// The options, with the part of the memory limit that the asset leaves.
    pub(crate) options: ReadOptions,
    pub(crate) sources: Box<dyn Sources + Send + 'f>,
}

/// The format of a file, and facts about its content.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Info {
    /// The name of its format, such as `rbxmesh`.
    pub format: &'static str,
    /// The name of the format for people.
    pub title: &'static str,
    /// The version or the form within the format; empty if it has one only.
    pub version: String,
    /// The size of the asset in bytes, without gzip or ZIP.
    pub bytes: u64,
    /// Counts and sizes.
    pub facts: Vec<Fact>,
}

impl Info {
    /// The facts about an archive of OpenSim with these contents and this size in bytes.
    pub fn of_archive(contents: &rezkit_scene::opensim::Contents, bytes: u64) -> Self {
        fn counts(counts: &BTreeMap<impl std::fmt::Display, usize>) -> String {
            let texts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            texts.join(", ")
        }
        let facts = [
            Fact::names("regions", &contents.regions),
            Some(Fact::count("objects", contents.objects)),
            Fact::text("parts", counts(&contents.parts)),
            Some(Fact::count("inventory items", contents.items.len())),
            Fact::names("names of items", &contents.items),
            Fact::text("assets", counts(&contents.assets)),
        ];
        let facts = facts.into_iter().flatten().collect();
        Self { format: "opensim-archive", title: "OpenSim archive", version: String::new(), bytes, facts }
    }
}

/// A target of conversions of an opened file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct TargetFormat {
    /// The name for [`Opened::convert`].
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The extension of the file that is written.
    pub extension: &'static str,
    /// Whether the conversion keeps only a scene: triangles, materials, skins and animations.
    pub by_scene: bool,
    /// The names of the options that apply.
    pub options: Vec<&'static str>,
}

/// The result of a conversion or an extraction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// The files; for a conversion, first the converted file, then the files that it refers to.
    pub files: Vec<File>,
    /// Losses.
    pub losses: Vec<Loss>,
}

impl std::fmt::Debug for Opened<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Opened({}, {})", self.name, self.asset.file_type().name)
    }
}

/// Opens a file of any format, with the default limits. `name` identifies formats without a magic number. `sources`
/// provides the files that the file refers to; `()` provides none. It is asked again by each function that needs the
/// files. The result can be sent to another thread, so `sources` must be [`Send`].
///
/// # Errors
/// As [`ReadOptions::open`].
pub fn open<'f>(bytes: Vec<u8>, name: &str, sources: impl Sources + Send + 'f) -> Result<Opened<'f>> {
    ReadOptions::new().open(bytes, name, sources)
}

impl ReadOptions {
    /// Opens a file of any format, also in gzip, or in a ZIP archive with one asset.
    ///
    /// # Errors
    /// [`Unknown`](ErrorKind::Unknown) if its format is unknown, [`Unreadable`](ErrorKind::Unreadable) if
    /// its crate refuses it, [`Limit`](ErrorKind::Limit) if it needs more than these options allow,
    /// [`Argument`](ErrorKind::Argument) if it contains several assets: [`unwrap`] returns all of them.
    pub fn open<'f>(
        &self,
        bytes: Vec<u8>,
        name: &str,
        sources: impl Sources + Send + 'f,
    ) -> Result<Opened<'f>> {
        // Content in a form that the caller names is not unwrapped.
        let mut parts = match self.form {
            Some(_) => vec![Unwrapped::whole(bytes)],
            None => unwrap(bytes, self)?,
        };
        parts.iter().try_for_each(Unwrapped::readable)?;
        match (parts.pop(), parts.is_empty()) {
            (Some(part), true) => self.open_part(&part, name, sources),
            (Some(_), false) => {
                let text = format!(
                    "the file contains {} assets; unpack or split it, and open one of them",
                    parts.len() + 1
                );
                Err(Error::argument(text))
            }
            (None, _) => {
                Err(Error::new(ErrorKind::Unknown, "the archive contains no asset that rezkit can read"))
            }
        }
    }

    /// Opens one of the assets in a file of this name.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_part<'f>(
        &self,
        part: &Unwrapped,
        name: &str,
        sources: impl Sources + Send + 'f,
    ) -> Result<Opened<'f>> {
        let Unwrapped { name: inner, bytes, wrapped, failed, .. } = part;
        if let Some(reason) = failed {
            return Err(Error::unreadable(reason));
        }
        let stripped = name.strip_suffix(".gz").filter(|_| *wrapped != Wrapped::Gzip(0)).unwrap_or(name);
        let name = if inner.is_empty() || inner.starts_with('#') { stripped } else { inner }.to_owned();
        let mut sources: Box<dyn Sources + Send + 'f> = Box::new(sources);
        let left = self.max_bytes.saturating_sub(part.memory_of_others());
        // The bytes of the file are in memory while it is read, so they count.
        let reading = self.clone().max_bytes(left.saturating_sub(bytes.len() as u64));
        let (asset, held) = reading.read_held(bytes, &name, &mut *sources)?;
        // The rest is available for objects created from it.
        let options = self.clone().max_bytes(left.saturating_sub(held));
        let (asset, wrapped) = (asset.into(), *wrapped);
        Ok(Opened { name, wrapped, bytes: bytes.len(), asset, held, options, sources })
    }

    /// Opens content in memory as a file of this name: [`Info::bytes`] is 0. It cannot be changed while it is shared.
    pub fn open_content<'f>(
        &self,
        content: Content,
        name: &str,
        sources: impl Sources + Send + 'f,
    ) -> Opened<'f> {
        let (name, sources) = (name.to_owned(), Box::new(sources));
        Opened {
            name,
            wrapped: Wrapped::Gzip(0),
            bytes: 0,
            asset: content.0,
            held: 0,
            options: self.clone(),
            sources,
        }
    }

    /// Opens a scene in memory as a file of this name, to [convert](Opened::convert) it. It has no bytes of its own:
    /// [`Opened::to_vec`] returns none.
    ///
    /// # Errors
    /// [`Unwritable`](ErrorKind::Unwritable) if the scene contradicts itself, as [`Scene::check`] tells.
    ///
    /// [`Scene::check`]: crate::scene::Scene::check
    pub fn open_scene(&self, scene: crate::scene::Scene, name: &str) -> Result<Opened<'static>> {
        scene.check()?;
        Ok(self.open_content(crate::formats::of_scene(scene), name, ()))
    }
}

/// The last part of a path of any platform.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

impl Opened<'_> {
    /// The name of the file without folders and extension.
    pub(crate) fn stem(&self) -> &str {
        let file = file_name(&self.name);
        file.rsplit_once('.').map_or(file, |(stem, _)| stem)
    }

    /// The number of bytes of the memory limit that are left for whatever is computed from the asset.
    pub fn memory_left(&self) -> u64 {
        self.options.max_bytes
    }

    /// The file type of the file; if only names distinguish several file types, that of the file's extension.
    pub fn file_type(&self) -> &'static FileType {
        let (own, extension) = (self.asset.file_type(), extension(&self.name));
        let named = |file_type: &&FileType| own.is_twin(file_type) && file_type.has_extension(&extension);
        FILE_TYPES.iter().find(named).unwrap_or(own)
    }

    pub(crate) fn asset(&self) -> &dyn Asset {
        &*self.asset
    }

    /// The content itself, for operations that only its format has.
    pub fn into_content(self) -> Content {
        Content(self.asset)
    }

    /// Whether the file becomes a scene. Of LLSD, only the poses of avatars do.
    pub fn has_scene(&self) -> bool {
        self.asset.has_scene()
    }

    /// What the last edits could not keep as it was written.
    pub fn edit_losses(&self) -> Vec<Loss> {
        self.asset.remarks("")
    }

    /// Whether both have equal content by value and bits: NaN equals itself, -0 differs from 0.
    pub fn equals(&self, other: &Opened<'_>) -> bool {
        self.asset.equals(other.asset())
    }

    /// The content as it is now, for [`restore`](Self::restore). As long as it is kept, changes are made to a copy.
    pub fn content(&self) -> Content {
        Content(Arc::clone(&self.asset))
    }

    /// Brings the file back to a content that it had, such as the one before an edit: its bytes, its ids and all else.
    pub fn restore(&mut self, content: &Content) {
        self.asset = Arc::clone(&content.0);
    }

    /// The asset for changes, a copy if it is shared; an error if no copy can be made.
    pub(crate) fn asset_mut(&mut self) -> Result<&mut dyn Asset> {
        if Arc::get_mut(&mut self.asset).is_none()
            && let Some(copy) = crate::formats::copy(self.asset())
        {
            rezkit_core::Budget::new(self.options.max_bytes).take(self.held, "a copy of the document")?;
            self.asset = Arc::from(copy);
        }
        Arc::get_mut(&mut self.asset).ok_or_else(|| {
            Error::argument("the asset cannot be edited while other references to it exist; drop them first")
        })
    }

    /// The version or form within the format; empty if it has one only.
    pub fn version(&self) -> String {
        self.asset.version()
    }

    /// The format, and facts about the content.
    pub fn info(&self) -> Info {
        let file_type = self.file_type();
        Info {
            format: file_type.format,
            title: file_type.title,
            version: self.asset.version(),
            bytes: self.bytes as u64,
            facts: self.asset.describe(&self.options),
        }
    }

    /// The content as a tree whose nodes are created on demand.
    pub fn tree(&self) -> Box<dyn Node + '_> {
        self.asset.tree(&self.options)
    }

    /// The content as an owned tree: the node at a path, with this many levels below it.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if there is no such path, [`Limit`](ErrorKind::Limit) if it needs more
    /// memory than reading the file may.
    pub fn nodes(&self, path: &str, depth: usize) -> Result<OwnedNode> {
        tree::owned(&*self.tree(), path, depth, &mut rezkit_core::Budget::new(self.options.max_bytes))
    }

    /// The value at a path: names separated by `/`, and `.` before a property. [`OwnedValue`](tree::OwnedValue) is made
    /// from it, and has numbers as numbers.
    ///
    /// ```
    /// use rezkit::tree::OwnedValue;
    ///
    /// # fn main() -> rezkit::Result<()> {
    /// let file = br#"<llsd><map><key>wait</key><real>0.5</real><key>name</key><string>door</string></map></llsd>"#;
    /// let opened = rezkit::open(file.to_vec(), "a.xml", ())?;
    /// let wait = opened.get("wait")?;
    /// assert_eq!(wait.to_string(), "0.5");
    /// assert_eq!(OwnedValue::from(wait).as_f64(), Some(0.5));
    /// assert_eq!(OwnedValue::from(opened.get("name")?).as_str(), Some("door"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if nothing is at the path, and [`Limit`](ErrorKind::Limit) if the value takes
    /// more than a read may allocate.
    pub fn get(&self, path: &str) -> Result<tree::Value> {
        self.asset.get(path, &self.options)
    }

    /// Sets the value at a path. It keeps its type unless another one is given. Returns what else changed: in the binary
    /// form of Roblox documents, a new property is filled in for the other instances of the class.
    ///
    /// # Errors
    /// As [`edit`](Self::edit).
    pub fn set(&mut self, path: &str, value: &str, kind: Option<&str>) -> Result<Vec<Loss>> {
        let options = self.options.clone();
        self.asset_mut()?
            .set(path, value, kind, &options)
            .map_err(|error| if error.path().is_empty() { error.at(path) } else { error })
    }

    /// Checks the rules of its format, and of the given [profiles](crate::PROFILES): these for the scene that the options
    /// select, such as a single instance or level of detail, or with `None` for the whole file.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if a profile is not known or the format has no geometry, and as
    /// [`scene`](Self::scene).
    pub fn check(
        &mut self,
        profiles: &[&str],
        options: Option<&crate::SceneOptions>,
    ) -> Result<Vec<Finding>> {
        let mut findings = self.asset.check();
        findings.extend(self.asset.check_values(self.options.max_bytes)?);
        if !profiles.is_empty() {
            let whole = crate::SceneOptions::new().levels(crate::scene::Levels::All).hulls(true);
            findings.extend(self.check_scene(profiles, options.unwrap_or(&whole))?);
        }
        Ok(findings.into_iter().map(Finding::shortened).collect())
    }

    /// What the Roblox client of a month, such as `2016-04`, or of a version, such as `0.240`, does not know of the file;
    /// none if it is no Roblox document.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if the month is not known.
    #[cfg(feature = "history")]
    #[cfg_attr(docsrs, doc(cfg(feature = "history")))]
    pub fn check_client(&self, client: &str) -> Result<Vec<Finding>> {
        let found = crate::formats::roblox::client::check(&*self.asset, client, self.options.max_bytes)?;
        Ok(found.unwrap_or_default())
    }

    fn check_scene(&mut self, profiles: &[&str], options: &crate::SceneOptions) -> Result<Vec<Finding>> {
        if let Some(profile) = profiles.iter().find(|profile| !crate::PROFILES.contains(profile)) {
            return Err(Error::argument(format!(
                "unknown profile {profile:?}: expected one of {}",
                crate::PROFILES.join(", ")
            )));
        }
        let mut findings = Vec::new();
        let is_avatar = |profile: &&str| *profile == "roblox-avatar";
        let (avatar, profiles): (Vec<&str>, Vec<&str>) = profiles.iter().copied().partition(is_avatar);
        if !avatar.is_empty() {
            findings = self.check_avatar(&rezkit_avatar::CheckOptions::default())?.findings();
        }
        let (studio, profiles): (Vec<&str>, Vec<&str>) =
            profiles.into_iter().partition(|profile| *profile == "roblox-studio");
        if !studio.is_empty() {
            let max_bytes = self.options.max_bytes;
            findings.extend(crate::formats::roblox::check_studio(&*self.asset, self.bytes, max_bytes)?);
        }
        if profiles.is_empty() {
            return Ok(findings);
        }
        let scene = match self.scene(options) {
            Ok((scene, _)) => scene,
            // The rules for animations apply even if none can be converted.
            Err(error) if error.kind() == ErrorKind::Empty && profiles == ["roblox-animation"] => {
                crate::scene::Scene::default()
            }
            Err(error) => return Err(error),
        };
        let mut budget = rezkit_core::Budget::new(self.options.max_bytes);
        scene.take(1, &mut budget)?;
        let mut check = |profile: &&str| match *profile {
            "roblox-animation" => self.animations_of(&scene, &mut budget),
            profile => rezkit_upload::check(&scene, profile, &mut budget),
        };
        for profile in &profiles {
            findings.extend(check(profile)?);
        }
        Ok(findings)
    }

    /// The findings about the animations of the file, which a scene has: about their instances, and their motion.
    pub(crate) fn animations_of(
        &self,
        scene: &crate::scene::Scene,
        budget: &mut rezkit_core::Budget,
    ) -> Result<Vec<Finding>> {
        let mut findings = self.asset.check_animations(self.options.max_bytes)?;
        let all = self.asset.animations(self.options.max_bytes)?;
        findings.extend(rezkit_scene::roblox::check_animations(scene, &all, budget)?);
        Ok(findings)
    }

    /// The error for a path that does not exist.
    fn missing(&self, path: &str) -> Option<Error> {
        let root = self.tree();
        crate::tree::with_node(&*root, path, &mut |_| {})
            .is_ok_and(|exists| !exists)
            .then(|| crate::tree::nothing(&*root, path))
    }

    /// The asset as a scene, and losses.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if the format has no geometry, or the file has no instance, node or level that
    /// the options name; [`Empty`](ErrorKind::Empty) if a Roblox document has nothing visible; [`Limit`](ErrorKind::Limit)
    /// if the scene needs more than the options allow.
    pub fn scene(&mut self, options: &crate::SceneOptions) -> Result<(crate::scene::Scene, Vec<Loss>)> {
        let stem = self.stem().to_owned();
        let mut options = options.clone();
        options.max_bytes = options.max_bytes.min(self.options.max_bytes);
        let made = self.asset.scene(&stem, &options, &mut *self.sources);
        let (mut scene, losses) = made.map_err(|error| match &options.path {
            Some(path) if error.kind() == ErrorKind::Argument => self.missing(path).unwrap_or(error),
            _ => error,
        })?;
        // A document reads only the instance.
        if let Some(path) = options.path.as_ref().filter(|_| !self.asset.file_type().has_instances()) {
            scene.select(path)?;
        }
        if let Some(unit) = options.unit {
            scene.resize(unit, &mut rezkit_core::Budget::new(options.max_bytes))?;
        }
        let has_levels = self.asset.file_type().has_levels();
        if let crate::scene::Levels::One(level @ 1..) = options.levels
            && (!has_levels || scene.triangle_count() == 0)
        {
            let known = match has_levels {
                true => "levels are numbered from 0, the finest".to_owned(),
                false => {
                    format!("files of the format {} have only the level 0", self.asset.file_type().title)
                }
            };
            return Err(Error::argument(format!("the file has no level of detail {level}; {known}")));
        }
        if scene.name.is_empty() {
            scene.name = stem;
        }
        Ok((scene, losses))
    }

    /// For each node of a [scene](Self::scene) of this asset, the path in the [tree](Self::tree) of what it shows: the
    /// instance of a Roblox document, or the node of a glTF file; `None` if it is not in the tree.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) if the paths take more than reading the file may.
    pub fn node_paths(&self, scene: &crate::scene::Scene) -> Result<Vec<Option<String>>> {
        self.asset.node_paths(scene, self.options.max_bytes)
    }

    /// The original bytes with the changes applied.
    ///
    /// # Errors
    /// [`Unwritable`](ErrorKind::Unwritable) if the content cannot be represented.
    // No budget: the bytes are as large as the model, which was charged when it was read.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        self.write(&WriteOptions::new().max_read_bytes(self.options.max_bytes))
    }

    /// The content in a form of its format, or with other options.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if the format has no such form, and [`Unwritable`](ErrorKind::Unwritable) if it
    /// cannot represent the content.
    // No budget: it is among the options.
    pub fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        self.asset.write(options)
    }

    /// Like [`to_vec`](Self::to_vec), compressed as the file was, to replace the file; or for a new file of this name,
    /// compressed with gzip, as many times as the file was but at least once, if it ends in `.gz`.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec); without a name, also [`Argument`](ErrorKind::Argument) if the asset is in an archive.
    // No budget: as `to_vec`.
    pub fn to_file(&self, new: Option<&str>) -> Result<Vec<u8>> {
        let bytes = self.to_vec()?;
        let is_gzip = |name: &str| {
            name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("gz"))
        };
        match (new, self.wrapped) {
            (None, wrapped) => wrapped.wrap(bytes),
            (Some(name), _) if !is_gzip(name) => Ok(bytes),
            (Some(_), Wrapped::Gzip(times)) => Wrapped::Gzip(times.max(1)).wrap(bytes),
            (Some(_), Wrapped::Among) => Wrapped::Gzip(1).wrap(bytes),
        }
    }

    /// The embedded files: scripts, textures, and properties stored as bytes; and losses for content in no file.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) if what is decoded takes more than a read may allocate.
    pub fn extract(&self, options: &ExtractOptions) -> Result<Output> {
        let (files, losses) = self.asset.files(&self.options, options)?;
        Ok(Output { files, losses: Loss::grouped(losses) })
    }

    /// The geometry in the asset's properties (terrain, hulls, meshes of unions), as files of the file type named `form`.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if scenes are not written as that type, [`Limit`](ErrorKind::Limit) if it needs more
    /// than reading the file may.
    pub fn geometry(&self, form: &str) -> Result<Output> {
        let options = crate::SceneOptions::new().max_bytes(self.options.max_bytes);
        // The name of a file type takes precedence over that of a format, as in conversions.
        let named = FILE_TYPES.iter().find(|file_type| file_type.name == form);
        let file_type = named.or_else(|| FILE_TYPES.iter().find(|file_type| file_type.format == form));
        let unknown = || {
            Error::argument(format!(
                "unknown format {form:?} for geometry; expected a format for meshes, such as glb or obj"
            ))
        };
        let (files, losses) = self.asset.geometry(file_type.ok_or_else(unknown)?, &options)?;
        Ok(Output { files, losses })
    }

    /// The assets that the file refers to, each with the paths that refer to it.
    ///
    /// # Errors
    /// As [`assets::uses`].
    pub fn assets(&self) -> Result<std::collections::BTreeMap<String, Vec<String>>> {
        let uuids = !self.file_type().has_instances();
        assets::uses(&*self.tree(), uuids, &mut rezkit_core::Budget::new(self.options.max_bytes))
    }

    /// The paths of the instances that a selector means, in the order of the document.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if the asset is no Roblox document, [`Limit`](ErrorKind::Limit) if the search or
    /// the paths exceed the limit.
    pub fn query(&self, selector: &crate::Selector) -> Result<Vec<String>> {
        let document = crate::Document::of(Content(Arc::clone(&self.asset))).map_err(|_| {
            Error::argument(format!(
                "selectors apply to Roblox places and models, not to {}",
                self.file_type().title
            ))
        })?;
        let mut budget = rezkit_core::Budget::new(self.options.max_bytes);
        let ids = rbxdocument::query::query(&*document, None, selector, &mut budget)?;
        let mut paths = document.paths();
        ids.into_iter().map(|id| paths.of(id, &mut budget)).collect()
    }

    /// Replaces references to assets. A key of `map` is a reference or an id. Returns the number of changed values, and
    /// the references that contain a key but stay, with their paths.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if assets of this format have no texts to replace, or a new value is empty.
    pub fn replace_assets(
        &mut self,
        map: &std::collections::BTreeMap<String, String>,
    ) -> Result<(usize, std::collections::BTreeMap<String, Vec<String>>)> {
        if let Some((old, _)) = map.iter().find(|(_, new)| new.is_empty()) {
            return Err(Error::argument(format!("expected a new value for {old}, found nothing")));
        }
        let before = self.assets()?;
        let count = self.asset_mut()?.replace_texts(&|text| assets::replace(text, map))?;
        Ok((count, assets::remaining(&before, self.assets()?, map)))
    }

    /// The scripts in the asset.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) if the sources that scripts share take more than a read may allocate.
    pub fn scripts(&self) -> Result<Vec<Script>> {
        self.asset.scripts(&self.options)
    }
}
