//! A file of any format, opened: everything that is done with it.

use std::sync::Arc;

use rezkit_core::{Error, ErrorKind, File, Files, Finding, Loss, Names, Result, Sources};

use crate::assets;
use crate::formats::{self, Asset, FORMATS, Fact, Format};
use crate::options::{ConvertOptions, ExtractOptions, ReadOptions, WriteOptions};
use crate::scripts::Script;
use crate::tree::{self, Node, OwnedNode};
use crate::unwrap::{Part, Wrapped, unwrap};

/// A file of any format that was opened, with what gives the files that it refers to.
pub struct Opened<'f> {
    name: String,
    wrapped: Wrapped,
    bytes: usize,
    asset: Arc<dyn Asset>,
    pub(crate) options: ReadOptions,
    #[cfg_attr(not(feature = "scene"), allow(dead_code, reason = "only scenes ask for files"))]
    sources: Box<dyn Sources + 'f>,
}

/// What a file is and how much is in it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Info {
    /// The name of its format, as `rbxmesh`.
    pub format: &'static str,
    /// What people call the format.
    pub title: &'static str,
    /// The version or the form within the format; empty where it has one only.
    pub version: String,
    /// How many bytes the asset has, unwrapped.
    pub bytes: u64,
    /// Counts and sizes.
    pub facts: Vec<Fact>,
}

/// Something that an opened file can be converted into.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Target {
    /// The name, by which [`Opened::convert`] takes it.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// The extension of the file that is written.
    pub extension: &'static str,
    /// Whether only a scene is kept of what is converted: its triangles, materials, skins and animations.
    pub by_scene: bool,
}

/// What a file is converted into, or taken apart into.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// The files; of a conversion, the file first.
    pub files: Vec<File>,
    /// What was left out, changed or filled in.
    pub losses: Vec<Loss>,
}

impl Output {
    /// The files of a conversion, after the first was read again; losses are grouped.
    pub(crate) fn new(
        name: &str,
        stem: &str,
        extension: Option<&str>,
        bytes: Vec<u8>,
        beside: Vec<File>,
        losses: Vec<Loss>,
    ) -> Result<Self> {
        crate::roundtrip::reads_again(&bytes, name, &beside)?;
        let mut files = Files::default();
        let dot = if extension.is_some() { "." } else { "" };
        files.add(&[&format!("{stem}{dot}{}", extension.unwrap_or_default())], bytes);
        let mut files = files.into_vec();
        files.extend(beside);
        Ok(Self { files, losses: Loss::grouped(losses) })
    }
}

/// A version or an encoding of the format whose files have the name of a form of scenes as their extension.
#[cfg(feature = "scene")]
pub(crate) fn version_of(form: &rezkit_scene::SceneForm, name: &str) -> Option<&'static str> {
    let format = FORMATS.iter().find(|format| format.extensions.contains(&form.name))?;
    format.forms.iter().find(|form| form.name == name).map(|form| form.name)
}

enum Way {
    /// In another form of the format; as it was read without one.
    Form(Option<&'static str>),
    /// As an asset of another format.
    Format(&'static Format),
    #[cfg(feature = "scene")]
    Scene(&'static rezkit_scene::SceneForm, Option<&'static str>),
}

impl std::fmt::Debug for Opened<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Opened({}, {})", self.name, self.asset.format().name)
    }
}

/// Opens a file of any format, with the default limits. `name` is its name, which formats without a mark of their
/// own are known by; `sources` gives the files that it refers to, `()` none.
///
/// # Errors
/// As [`ReadOptions::open`].
pub fn open<'f>(bytes: Vec<u8>, name: &str, sources: impl Sources + 'f) -> Result<Opened<'f>> {
    ReadOptions::new().open(bytes, name, sources)
}

impl ReadOptions {
    /// Opens a file of any format, unwrapped from gzip, and from a ZIP archive that has one asset.
    ///
    /// # Errors
    /// [`Unknown`](ErrorKind::Unknown) where it is of no known format, [`Unreadable`](ErrorKind::Unreadable) where
    /// its crate refuses it, [`Limit`](ErrorKind::Limit) where it needs more than these options allow,
    /// [`Argument`](ErrorKind::Argument) where there are several assets in it: [`unwrap`] gives each.
    pub fn open<'f>(&self, bytes: Vec<u8>, name: &str, sources: impl Sources + 'f) -> Result<Opened<'f>> {
        // What is read in a form that the caller names is not looked into.
        let mut parts = match self.form {
            Some(_) => vec![Part::whole(bytes)],
            None => unwrap(bytes, self)?,
        };
        match (parts.pop(), parts.is_empty()) {
            (Some(part), true) => self.open_part(&part, name, sources),
            (Some(_), false) => {
                let text = format!("{} assets in one file: unpack them first", parts.len() + 1);
                Err(Error::argument(text))
            }
            (None, _) => Err(Error::new(ErrorKind::Unknown, "an archive without assets")),
        }
    }

    /// Opens one of the assets in a file of this name.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_part<'f>(&self, part: &Part, name: &str, sources: impl Sources + 'f) -> Result<Opened<'f>> {
        let Part { name: inner, bytes, wrapped } = part;
        let stripped = name.strip_suffix(".gz").filter(|_| *wrapped != Wrapped::Gzip(0)).unwrap_or(name);
        let name = if inner.is_empty() || inner.starts_with('#') { stripped } else { inner }.to_owned();
        let mut sources: Box<dyn Sources + 'f> = Box::new(sources);
        let asset = self.read_named(bytes, &name, &mut *sources)?.into();
        Ok(Opened { name, wrapped: *wrapped, bytes: bytes.len(), asset, options: self.clone(), sources })
    }

    /// An asset that was read before, or made, as a file of this name: [`Info::bytes`] is 0. While others have the
    /// asset too, it cannot be changed here.
    pub fn open_asset<'f>(
        &self,
        asset: Arc<dyn Asset>,
        name: &str,
        sources: impl Sources + 'f,
    ) -> Opened<'f> {
        let (name, sources) = (name.to_owned(), Box::new(sources));
        Opened { name, wrapped: Wrapped::Gzip(0), bytes: 0, asset, options: self.clone(), sources }
    }
}

impl Opened<'_> {
    /// The name of the file without folders and extension.
    fn stem(&self) -> &str {
        let file = self.name.rsplit(['/', '\\']).next().unwrap_or_default();
        file.rsplit_once('.').map_or(file, |(stem, _)| stem)
    }

    /// The asset itself: what its format can do and others cannot.
    pub fn asset(&self) -> &dyn Asset {
        &*self.asset
    }

    /// The asset itself, to be kept.
    pub fn into_asset(self) -> Arc<dyn Asset> {
        self.asset
    }

    /// The asset, where it is this file's alone.
    pub(crate) fn asset_mut(&mut self) -> Result<&mut dyn Asset> {
        Arc::get_mut(&mut self.asset).ok_or_else(|| Error::argument("the asset is in use elsewhere"))
    }

    /// What it is and how much is in it.
    pub fn info(&self) -> Info {
        let format = self.asset.format();
        Info {
            format: format.name,
            title: format.title,
            version: self.asset.version(),
            bytes: self.bytes as u64,
            facts: self.asset.describe(),
        }
    }

    /// What is in it, as nodes that are made when they are asked for.
    pub fn tree(&self) -> Box<dyn Node + '_> {
        self.asset.tree(&self.options)
    }

    /// What is in it, as nodes of its own: the node at a path, with this many levels below it.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where there is no such path, [`Limit`](ErrorKind::Limit) where it needs more
    /// memory than reading the file may.
    pub fn nodes(&self, path: &str, depth: usize) -> Result<OwnedNode> {
        tree::owned(&*self.tree(), path, depth, &mut rezkit_core::Budget::new(self.options.max_bytes))
    }

    /// The value at a path: names with `/` between them, and `.` before a property.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where there is nothing.
    pub fn get(&self, path: &str) -> Result<tree::Value> {
        self.asset.get(path, &self.options)
    }

    /// Sets the value at a path, which keeps its type unless another is named.
    ///
    /// # Errors
    /// As [`Asset::set`].
    pub fn set(&mut self, path: &str, value: &str, kind: Option<&str>) -> Result<()> {
        let options = self.options.clone();
        self.asset_mut()?.set(path, value, kind, &options)
    }

    /// The rules that it breaks: of its format, and of the platforms whose [profiles](crate::PROFILES) are named.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where a profile is not known or the format has no geometry.
    pub fn check(&mut self, profiles: &[&str]) -> Result<Vec<Finding>> {
        let mut findings = self.asset.check();
        if !profiles.is_empty() {
            findings.extend(self.check_profiles(profiles)?);
        }
        Ok(findings.into_iter().map(Finding::shortened).collect())
    }

    #[cfg(feature = "scene")]
    fn check_profiles(&mut self, profiles: &[&str]) -> Result<Vec<Finding>> {
        if let Some(profile) = profiles.iter().find(|profile| !crate::PROFILES.contains(profile)) {
            return Err(Error::argument(format!(
                "no profile {profile:?}: there are {}",
                crate::PROFILES.join(", ")
            )));
        }
        let options = &mut crate::SceneOptions::default();
        options.levels = crate::scene::Levels::All;
        options.hulls = true;
        let (scene, _) = self.scene(options)?;
        let mut budget = rezkit_core::Budget::new(self.options.max_bytes);
        let mut check = |profile: &&str| rezkit_scene::upload::check(&scene, profile, &mut budget);
        Ok(profiles.iter().map(&mut check).collect::<Result<Vec<_>>>()?.concat())
    }

    #[cfg(not(feature = "scene"))]
    fn check_profiles(&mut self, _: &[&str]) -> Result<Vec<Finding>> {
        Err(Error::argument("profiles are checked on scenes, which this build does not have"))
    }

    /// The asset as a scene, and what that leaves out.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where the format has no geometry, [`Limit`](ErrorKind::Limit) where it needs
    /// more than the options allow.
    #[cfg(feature = "scene")]
    pub fn scene(&mut self, options: &crate::SceneOptions) -> formats::Made {
        if let Some(path) = options.path.as_ref().filter(|_| !self.asset.has_instances()) {
            let title = self.asset.format().title;
            return Err(Error::argument(format!("{title} has no instances: nothing is at {path}")));
        }
        let stem = self.stem().to_owned();
        let mut options = options.clone();
        options.max_bytes = options.max_bytes.min(self.options.max_bytes);
        let (mut scene, losses) = self.asset.scene(&stem, &options, &mut *self.sources)?;
        if scene.name.is_empty() {
            scene.name = stem;
        }
        Ok((scene, losses))
    }

    /// Everything that it can be converted into.
    pub fn targets(&self) -> Vec<Target> {
        let own = self.asset.format();
        let extension =
            |form: &formats::Form| form.extension.or(own.extensions.first().copied()).unwrap_or_default();
        let forms = own.forms.iter().map(|form| Target {
            name: form.name,
            title: own.title,
            extension: extension(form),
            by_scene: false,
        });
        let mut targets: Vec<Target> = forms.collect();
        for format in FORMATS.iter().filter(|format| own.converts_to.contains(&format.name)) {
            let named = format.extensions.iter().map(|&extension| Target {
                name: extension,
                title: format.title,
                extension,
                by_scene: false,
            });
            targets.extend(named);
        }
        #[cfg(feature = "scene")]
        if own.has_geometry {
            let forms = rezkit_scene::FORMATS.iter().flat_map(|format| format.forms);
            let others = forms.filter(|form| !own.has_extension(form.name));
            targets.extend(others.map(|form| Target {
                name: form.name,
                title: form.title,
                extension: form.name,
                by_scene: true,
            }));
        }
        targets
    }

    /// What converting into a form, or into a file of an extension, would do.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where there is no such form or extension for this format,
    /// [`Empty`](ErrorKind::Empty) where there is, and the format has no geometry.
    fn way(&self, to: Option<&str>, extension: Option<&str>) -> Result<Way> {
        let own = self.asset.format();
        if let Some(form) = to.and_then(|to| own.forms.iter().find(|form| form.name == to)) {
            return Ok(Way::Form(Some(form.name)));
        }
        #[cfg(feature = "scene")]
        if own.has_geometry {
            let form = to.and_then(rezkit_scene::form).or_else(|| rezkit_scene::form(extension?));
            if let Some(form) = form.filter(|form| !own.has_extension(form.name)) {
                match to.filter(|to| !form.name.eq_ignore_ascii_case(to)) {
                    None => return Ok(Way::Scene(form, None)),
                    Some(to) => {
                        if let Some(version) = version_of(form, to) {
                            return Ok(Way::Scene(form, Some(version)));
                        }
                    }
                }
            }
        }
        let Some(wanted) = to.or(extension) else { return Ok(Way::Form(None)) };
        if let Some(form) = own.forms.iter().find(|form| form.extension == Some(wanted)) {
            // A name that fits how the asset is written already asks for nothing.
            let as_read = form.name == self.asset.version();
            return Ok(Way::Form((!as_read).then_some(form.name)));
        }
        let is_own = own.extensions.contains(&wanted) || own.name == wanted;
        if is_own || to.is_none() && self.name.rsplit_once('.').is_some_and(|(_, own)| own == wanted) {
            return Ok(Way::Form(None));
        }
        let is = |format: &&&Format| format.name == wanted || format.extensions.contains(&wanted);
        if let Some(format) = FORMATS.iter().find(is).filter(|format| own.converts_to.contains(&format.name))
        {
            return Ok(Way::Format(format));
        }
        let mut names: Vec<_> = self.targets().iter().map(|target| target.name).collect();
        names.sort_unstable();
        names.dedup();
        let text = format!("{} is not converted to {wanted:?}: known are {}", own.title, names.join(", "));
        #[cfg(feature = "scene")]
        if !own.has_geometry && rezkit_scene::form(wanted).is_some() {
            return Err(Error::new(ErrorKind::Empty, format!("without geometry: {text}")));
        }
        Err(Error::argument(text))
    }

    /// The extension of what converting into a form makes: the one that is asked for; of a form, the file's own; and
    /// where both formats have one for models and one for places, the file's kind.
    ///
    /// # Errors
    /// As [`convert`](Self::convert), where there is no such form.
    pub fn extension(&self, to: &str) -> Result<String> {
        let own = self.asset.format();
        let old = self.name.rsplit_once('.').map(|(_, extension)| extension);
        let same_kind = |format: &Format| {
            let index = own.extensions.iter().position(|extension| Some(*extension) == old).unwrap_or(0);
            format.extensions.get(index).copied()
        };
        let extension = match self.way(Some(to), None)? {
            Way::Form(None) => old,
            Way::Form(Some(name)) => {
                own.forms.iter().find(|form| form.name == name).and_then(|form| form.extension).or(old)
            }
            Way::Format(format) => same_kind(format),
            #[cfg(feature = "scene")]
            Way::Scene(form, _) => Some(form.name),
        };
        Ok(extension.unwrap_or(to).to_owned())
    }

    /// The asset in another form or format: `to` is the name of one of the [`targets`](Self::targets), or `None` for
    /// the one that the extension of the output's name asks for. Without either it is written as it was read. What is
    /// written is read again.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where there is no such target, [`Unwritable`](ErrorKind::Unwritable) where
    /// it cannot represent the content, [`Empty`](ErrorKind::Empty) where there is nothing that it has.
    pub fn convert(&mut self, to: Option<&str>, output: &str, options: &ConvertOptions) -> Result<Output> {
        let file = output.rsplit(['/', '\\']).next().unwrap_or_default();
        let (stem, extension) = match file.rsplit_once('.') {
            Some((stem, extension)) => (stem, Some(extension)),
            None => (file, None),
        };
        let stem = Names::default().unique(if stem.is_empty() { self.stem() } else { stem });
        let mut write = WriteOptions::new().allow_loss(options.allow_loss);
        #[cfg_attr(not(feature = "scene"), allow(unused_mut, reason = "only scenes are several files"))]
        let mut beside = Vec::new();
        let (bytes, losses) = match self.way(to, extension)? {
            Way::Form(None) => (self.asset.write(&write)?, Vec::new()),
            Way::Form(Some(form)) => {
                write = write.form(form);
                let mut losses = self.asset.remarks(form);
                // What is written without loss needs no list.
                if options.allow_loss {
                    losses.extend(self.asset.losses(form));
                }
                (self.asset.write(&write)?, losses)
            }
            Way::Format(format) => {
                let options = ConvertOptions { max_bytes: self.options.max_bytes, ..options.clone() };
                let converted = self.asset.convert(format, &options)?;
                (converted.asset.write(&write)?, converted.losses)
            }
            #[cfg(feature = "scene")]
            Way::Scene(form, version) => {
                let (scene, mut losses) = self.scene(&options.scene)?;
                let written = self.written(&scene, (form, version), &stem, file, options.allow_loss)?;
                losses.extend(written.losses);
                beside = written.files;
                (written.bytes, losses)
            }
        };
        Output::new(file, &stem, extension, bytes, beside, losses)
    }

    /// A scene in a form, and in a version of it.
    #[cfg(feature = "scene")]
    pub(crate) fn written(
        &self,
        scene: &rezkit_scene::Scene,
        (form, version): (&rezkit_scene::SceneForm, Option<&'static str>),
        stem: &str,
        file: &str,
        allow_loss: bool,
    ) -> Result<rezkit_scene::Written> {
        form.check_content(scene)?;
        let mut written = form.write(scene, stem, self.options.max_bytes)?;
        if let Some(version) = version {
            let asset = self.options.read_named(&written.bytes, file, &mut ())?;
            written.losses.extend(asset.remarks(version));
            if allow_loss {
                written.losses.extend(asset.losses(version));
            }
            written.bytes = asset.write(&WriteOptions::new().allow_loss(allow_loss).form(version))?;
        }
        Ok(written)
    }

    /// Its bytes as it was read, with what was set.
    ///
    /// # Errors
    /// [`Unwritable`](ErrorKind::Unwritable) where the content cannot be represented.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        self.asset.write(&WriteOptions::new())
    }

    /// As [`to_vec`](Self::to_vec), wrapped as the file was: what takes the file's place.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec), and [`Argument`](ErrorKind::Argument) where it is in an archive.
    pub fn to_file(&self) -> Result<Vec<u8>> {
        self.wrapped.wrap(self.to_vec()?)
    }

    /// The files in it: scripts, textures, and what is stored as bytes; and what is in none of them.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) where what is decoded takes more than a read may allocate.
    pub fn extract(&self, options: &ExtractOptions) -> Result<Output> {
        let (files, losses) = self.asset.files(&self.options, options)?;
        Ok(Output { files, losses: Loss::grouped(losses) })
    }

    /// The geometry of its properties (terrain, hulls, meshes of unions), as files in a [form](crate::scene::form) of scenes.
    ///
    /// # Errors
    /// As [`Asset::geometry`].
    #[cfg(feature = "scene")]
    pub fn geometry(&self, form: &str) -> Result<Output> {
        let mut options = crate::SceneOptions::default();
        options.max_bytes = self.options.max_bytes;
        let (files, losses) = self.asset.geometry(form, &options)?;
        Ok(Output { files, losses })
    }

    /// Every asset that it refers to, with the paths that do.
    ///
    /// # Errors
    /// As [`assets::uses`].
    pub fn assets(&self) -> Result<std::collections::BTreeMap<String, Vec<String>>> {
        assets::uses(&*self.tree())
    }

    /// Replaces the assets that it refers to; how many values changed. A key is a whole reference, or an id.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) where assets of this format have no texts to replace.
    pub fn replace_assets(&mut self, map: &std::collections::BTreeMap<String, String>) -> Result<usize> {
        self.asset_mut()?.replace_texts(&|text| assets::replace(text, map))
    }

    /// The scripts in it.
    ///
    /// # Errors
    /// As [`Asset::scripts`].
    pub fn scripts(&self) -> Result<Vec<Script>> {
        self.asset.scripts(&self.options)
    }
}
