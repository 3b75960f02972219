//! Conversions of an opened file.

use rbxdocument::Form;
use rezkit_core::{Error, File, Files, Loss, Names, Result};
use rezkit_scene::motion::{self, MotionRig};
use rezkit_scene::roblox_model::MOST_TRIANGLES;
#[cfg(feature = "history")]
use rezkit_scene::roblox_model::files::Assets;
use rezkit_scene::{Feature, RigModel, SceneOptions, SceneWriter};
#[cfg(feature = "history")]
use rezkit_scene::{Terrain, Unions};

#[cfg(feature = "history")]
use crate::client_assets;
use crate::edits::{Edit, Edited};
use crate::file_type::{FileType, Motion};
use crate::formats::{self, FILE_TYPES};
use crate::kit::{Opened, Output, TargetFormat, file_name};
use crate::options::{ConvertOptions, EditOptions, WriteOptions};
use crate::roundtrip::reads_again;
use crate::settings::{Applies, SETTINGS, Topic};

impl Output {
    /// The output of a conversion, with grouped losses.
    pub(crate) fn new(
        stem: &str,
        extension: Option<&str>,
        bytes: Vec<u8>,
        beside: Vec<File>,
        losses: Vec<Loss>,
    ) -> Self {
        let mut files = Files::default();
        let dot = if extension.is_some() { "." } else { "" };
        files.add(&[&format!("{stem}{dot}{}", extension.unwrap_or_default())], bytes);
        let mut files = files.into_vec();
        files.extend(beside);
        Self { files, losses: Loss::grouped(losses) }
    }
}

/// The file that a scene is written to.
pub(crate) struct Writing<'a> {
    pub(crate) file_type: &'a FileType,
    pub(crate) form: Option<&'static str>,
    /// The name of the file without its extension, valid on every system.
    pub(crate) stem: &'a str,
    pub(crate) file: &'a str,
    pub(crate) allow_loss: bool,
    pub(crate) max_bytes: u64,
    pub(crate) model: rezkit_scene::ModelOptions,
}

/// The way in which a file is converted to a file type.
enum Way {
    /// The asset in a form of its own format; `None` for the form in which it was read.
    Form(Option<&'static str>),
    /// As an asset of another format.
    Format,
    /// By way of a scene, in a form of the file type if one is named.
    Scene(Option<&'static str>),
}

/// A conversion, as far as it decides which options apply.
struct Conversion {
    from: &'static FileType,
    to: &'static FileType,
    /// The form of the target, if one was named.
    form: Option<&'static str>,
    is_by_scene: bool,
}

impl Conversion {
    /// Whether options apply.
    fn has(&self, applies: Applies) -> bool {
        let Self { from, to, form, is_by_scene } = self;
        let keeps = |writer: &SceneWriter| writer.keeps.contains(&Feature::JointAnimations);
        let is_animated = *is_by_scene && to.writer.is_some_and(keeps);
        let is_motion = from.is_motion() && to.is_motion();
        let is_bvh = |file_type: &FileType| file_type.has.motion == Some(Motion::Bvh);
        match applies {
            Applies::Everywhere => true,
            Applies::Text => to.has.llsd && form.is_some_and(|form| ["xml", "notation"].contains(&form)),
            Applies::Scene => *is_by_scene,
            Applies::Places => *is_by_scene && from.has_instances(),
            Applies::Terrain => *is_by_scene && (from.has_instances() || from.has.ground),
            Applies::Hulls => *is_by_scene && from.has.hulls,
            Applies::Levels => *is_by_scene && from.has_levels(),
            Applies::Unitless => *is_by_scene && !from.has.unit,
            Applies::Bvh => is_animated && is_bvh(from) && to.is_motion(),
            Applies::Animation => is_animated || is_motion,
            Applies::Playback => is_animated && !is_bvh(to) || is_motion,
            Applies::SecondLife => self.has(Applies::Playback) && !to.has_instances(),
            Applies::Motion => (is_animated || is_motion) && to.is_motion(),
            Applies::Roblox => is_animated && to.has_instances(),
            Applies::Rig => *is_by_scene && (from.has_instances() || is_animated),
            Applies::Model => *is_by_scene && to.has_instances(),
            Applies::Document => from.has_instances(),
            Applies::Stored => !*is_by_scene && from.has_instances(),
            Applies::Binary => !*is_by_scene && from.has_instances() && is_binary(to),
        }
    }

    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if an option is set that does not apply.
    fn refuse(&self, options: &ConvertOptions) -> Result<()> {
        let Some(row) = options.set().find(|row| !self.has(row.applies)) else { return Ok(()) };
        let conversion = match self.from.name == self.to.name {
            true => self.from.title.to_owned(),
            false => format!("a conversion from {} to {}", self.from.title, self.to.title),
        };
        Err(Error::argument(format!(
            "the option {} applies only to {}, and not to {conversion}; remove it",
            if row.topic == Topic::Levels { "levels (--lod, --all-levels)" } else { row.name },
            row.applies.text(),
        )))
    }
}

/// Whether files of a file type are Roblox documents in the binary form, which is compressed.
fn is_binary(file_type: &FileType) -> bool {
    file_type.has.document == Some(Form::Binary)
}

/// The way with the compression that the options ask for.
fn compressed(
    file_type: &'static FileType,
    way: Way,
    options: &ConvertOptions,
    write: &mut WriteOptions,
) -> Way {
    let wanted = options.compression.clone().filter(|_| is_binary(file_type));
    match (way, wanted) {
        (Way::Form(_), Some((name, level))) => {
            write.level = level;
            Way::Form(file_type.forms.iter().copied().find(|form| **form == name))
        }
        (Way::Format, Some((name, level))) => {
            (write.level, write.form) = (level, Some(name));
            Way::Format
        }
        (way, _) => way,
    }
}

/// The events and facial controls of Roblox that are kept among the extras of animations, whose times change.
fn unmoved(scene: &rezkit_scene::Scene, changes: &rezkit_scene::slmesh::ChangeOptions) -> Vec<Loss> {
    if changes.speed.is_none() && changes.trim.is_none() && changes.then.is_none() {
        return Vec::new();
    }
    let kept = scene.animations.iter().enumerate().filter_map(|(index, animation)| {
        let name =
            ["Markers", "FaceControls"].into_iter().find(|name| animation.extras.contains_key(*name))?;
        Some((index, name))
    });
    let lost = kept.map(|(index, name)| {
        let what = "the times of events or facial controls among the extras, which stay as they are";
        Loss::warning(format!("animations[{index}].extras.{name}"), what).id("animation.settings")
    });
    lost.collect()
}

/// Whether bytes are a Roblox document.
fn of_document(bytes: &[u8]) -> bool {
    formats::detect(bytes).is_some_and(|found| found.file_type.has_instances())
}

impl Opened<'_> {
    /// Checks that the options of scenes apply to the file.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if one is set that does not.
    pub fn check_options(&self, options: &SceneOptions) -> Result<()> {
        let own = self.file_type();
        let mut all = ConvertOptions::new();
        all.scene.clone_from(options);
        Conversion { from: own, to: own, form: None, is_by_scene: true }.refuse(&all)
    }

    /// All targets of conversions.
    pub fn targets(&self) -> Vec<TargetFormat> {
        let own = self.file_type();
        let extension = |file_type: &FileType| file_type.extensions.first().copied().unwrap_or_default();
        let target = |name, file_type: &'static FileType, is_by_scene| {
            let form = file_type.forms.iter().copied().find(|form| *form == name);
            let conversion = Conversion { from: own, to: file_type, form, is_by_scene };
            let applies = SETTINGS.iter().filter(|row| conversion.has(row.applies));
            TargetFormat {
                name,
                title: file_type.title,
                extension: extension(file_type),
                by_scene: is_by_scene,
                options: applies.map(|row| row.name).collect(),
            }
        };
        let mut targets: Vec<TargetFormat> = own.forms.iter().map(|form| target(form, own, false)).collect();
        for (file_type, way) in self.ways() {
            match way {
                Way::Form(None) => {}
                Way::Form(Some(_)) => {
                    targets.extend(file_type.forms.iter().map(|form| target(form, file_type, false)))
                }
                Way::Format => targets.push(target(file_type.name, file_type, false)),
                Way::Scene(_) => targets.push(target(file_type.name, file_type, true)),
            }
        }
        targets
    }

    /// The file types that the file can be converted to, its own first.
    fn ways(&self) -> impl Iterator<Item = (&'static FileType, Way)> {
        let own = self.file_type();
        // A glTF or OBJ file with files beside it is written by way of a scene, as one file.
        let is_whole = own.is_exact || !self.asset.has_files_beside();
        let others = FILE_TYPES.iter().filter(|file_type| file_type.name != own.name);
        std::iter::once(own).chain(others).filter_map(move |file_type| {
            let is_own = file_type.name == own.name && is_whole;
            Some((
                file_type,
                match own.becomes.contains(&file_type.name) {
                    _ if is_own => Way::Form(None),
                    true if file_type.format != own.format => Way::Format,
                    true => Way::Form(file_type.forms.first().copied().filter(|_| !own.is_twin(file_type))),
                    false if self.asset.has_scene() && file_type.writer.is_some() => Way::Scene(None),
                    false => return None,
                },
            ))
        })
    }

    /// The conversion to a form, or to a file with an extension.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such form or extension for this file type, or they disagree,
    /// [`Empty`](crate::ErrorKind::Empty) if the target needs geometry and the file has none.
    fn way(&self, to: Option<&str>, extension: Option<&str>) -> Result<(&'static FileType, Way)> {
        let Some(to) = to else {
            let is_own =
                |wanted| self.file_type().has_extension(wanted) || formats::extension(&self.name) == wanted;
            let is_kept = extension.is_none_or(is_own);
            let fits = |file_type: &FileType| {
                is_kept || extension.is_some_and(|wanted| file_type.has_extension(wanted))
            };
            let found = self.ways().find(|(file_type, _)| fits(file_type));
            let wanted = extension.unwrap_or_default();
            return found.ok_or_else(|| match FILE_TYPES.iter().any(|file_type| file_type.has_extension(wanted)) {
                true => self.no_way(wanted),
                false => Error::argument(format!(
                    "no format has the extension .{wanted}; choose another extension, or name the format with \
                     `--to`: {}",
                    self.names()
                )),
            });
        };
        // The name of a format means all of its file types; the name of a file type takes precedence.
        let is_of = |name: &&str| name.eq_ignore_ascii_case(to);
        let is_named = |file_type: &FileType| {
            is_of(&file_type.name) || file_type.forms.contains(&to) || file_type.extensions.iter().any(is_of)
        };
        let mut named: Vec<_> = self.ways().filter(|(file_type, _)| is_named(file_type)).collect();
        if named.is_empty() {
            named.extend(self.ways().filter(|(file_type, _)| is_of(&file_type.format)));
        }
        let is_known =
            |extension: &&str| FILE_TYPES.iter().any(|file_type| file_type.has_extension(extension));
        let fits = |file_type: &FileType| {
            extension.filter(is_known).is_none_or(|extension| file_type.has_extension(extension))
        };
        let is_wanted = |file_type: &FileType| {
            named.iter().any(|(of, _)| of.name == file_type.name || of.is_twin(file_type))
        };
        // A form of its own format takes precedence: `binary` is one of STL, too.
        let found = self.ways().filter(|(file_type, _)| fits(file_type) && is_wanted(file_type));
        let found = found.min_by_key(|(_, way)| matches!(way, Way::Scene(_)));
        let (file_type, way) = found.ok_or_else(|| {
            let extension = extension.filter(|_| !named.is_empty());
            extension.map_or_else(
                || self.no_way(to),
                |extension| {
                    let what = format!(
                        "a .{extension} file cannot be written as {to:?}; choose another extension or format"
                    );
                    Error::argument(what)
                },
            )
        })?;
        let form = file_type.forms.iter().copied().find(|form| *form == to);
        Ok((
            file_type,
            match (way, form) {
                (Way::Form(_), Some(form)) => Way::Form(Some(form)),
                (Way::Scene(_), form) => Way::Scene(form),
                (way, _) => way,
            },
        ))
    }

    /// The names of all targets, separated by commas.
    fn names(&self) -> String {
        let mut names: Vec<_> = self.targets().iter().map(|target| target.name).collect();
        let own = self.file_type();
        names.extend(Some(own.name).filter(|_| own.forms.is_empty() && own.writer.is_some()));
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    }

    fn no_way(&self, wanted: &str) -> Error {
        let (own, names) = (self.file_type(), self.names());
        let text = format!("cannot convert from {} to {wanted:?}; expected one of {names}", own.title);
        if !self.asset.has_scene()
            && FILE_TYPES.iter().any(|file_type| file_type.writer.is_some() && file_type.name == wanted)
        {
            return Error::new(
                rezkit_core::ErrorKind::Empty,
                format!("files of the format {} have no geometry: {text}", own.title),
            );
        }
        Error::argument(text)
    }

    /// The extension of the output of a conversion to a target: that of the opened file if files of the target can have
    /// it, otherwise that of the target. A place becomes a place (`.rbxlx`), even if the target is a model (`rbxmx`).
    ///
    /// # Errors
    /// As [`convert`](Self::convert), if there is no such form.
    pub fn extension(&self, to: &str) -> Result<String> {
        let (own, (file_type, way)) = (self.file_type(), self.way(Some(to), None)?);
        let of_format =
            |format| FILE_TYPES.iter().filter(move |file_type: &&FileType| file_type.format == format);
        let old = formats::extension(&self.name);
        let file_type = match way {
            // Before 2013, `.rbxl` files were XML.
            Way::Format => of_format(file_type.format)
                .find(|file_type| file_type.has_extension(&old))
                .unwrap_or_else(|| {
                    let index = of_format(own.format)
                        .position(|file_type| file_type.name == own.name)
                        .unwrap_or_default();
                    of_format(file_type.format).nth(index).unwrap_or(file_type)
                }),
            _ => file_type,
        };
        let new = file_type.extensions.first().map_or(to, |extension| extension);
        let is_kept = file_type.has_extension(&old) || file_type.name == own.name && !old.is_empty();
        let is_kept = is_kept && self.way(Some(to), Some(&old)).is_ok();
        Ok(if is_kept { old } else { new.to_owned() })
    }

    /// Checks that the asset may be written in its own format under a name: the name's extension is one of this format,
    /// that of the opened file (before 2013, `.rbxl` files were XML), or unknown.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if the extension belongs to another format.
    pub fn check_name(&self, output: &str) -> Result<()> {
        let (own, extension) = (self.file_type(), formats::extension(output));
        let mut named = FILE_TYPES.iter().filter(|file_type| file_type.has_extension(&extension)).peekable();
        let is_kept = formats::extension(&self.name) == extension;
        match is_kept
            || named.peek().is_none()
            || named.any(|file_type| file_type.name == own.name || own.is_twin(file_type))
        {
            true => Ok(()),
            false => {
                let keeps = format!("an edited file keeps its format ({})", own.title);
                Err(Error::argument(format!(
                    "{keeps}, but the extension .{extension} belongs to another format; choose an extension of the \
                     file's own format, and then convert the edited file"
                )))
            }
        }
    }

    /// The asset in another form or format: `to` is the name of one of the [`targets`](Self::targets), or `None` for
    /// the target of the output's extension. Without either, it is written as it was read. The output is read again to
    /// check it.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such target,
    /// [`Unwritable`](crate::ErrorKind::Unwritable) if it cannot represent the content,
    /// [`Empty`](crate::ErrorKind::Empty) if the asset has nothing for it, [`Limit`](crate::ErrorKind::Limit) if
    /// reading the output again takes more than the options allow for the file.
    pub fn convert(&mut self, to: Option<&str>, output: &str, options: &ConvertOptions) -> Result<Output> {
        let file = file_name(output);
        let (stem, extension) = match file.rsplit_once('.') {
            Some((stem, extension)) => (stem, Some(extension.to_ascii_lowercase())),
            None => (file, None),
        };
        let extension = extension.as_deref();
        let stem = Names::default().unique(if stem.is_empty() { self.stem() } else { stem });
        let mut write = WriteOptions::new().allow_loss(options.allow_loss).pretty(options.pretty);
        write = write.max_bytes(self.options.max_bytes).max_read_bytes(self.options.max_bytes);
        let mut beside = Vec::new();
        let (file_type, way) = self.way(to, extension)?;
        if !options.changes.is_empty()
            && options.changes.is_exact()
            && let Some((bytes, losses)) = formats::slmesh::changed(&*self.asset, &options.changes)?
        {
            let options = ConvertOptions { changes: Default::default(), ..options.clone() };
            let mut output = self.options.open(bytes, &self.name, ())?.convert(to, output, &options)?;
            output.losses.splice(0..0, losses);
            return Ok(output);
        }
        let has_instances = self.asset.file_type().has_instances();
        let way = match way {
            // A node is a part of a scene.
            Way::Form(form) if options.scene.path.is_some() && !has_instances => {
                Way::Scene(form.or_else(|| file_type.forms.first().copied()))
            }
            Way::Format if options.scene.path.is_some() && !has_instances => Way::Scene(None),
            // So are animations, unless a motion is changed exactly.
            Way::Form(form) if self.moves(file_type, options) => Way::Scene(form),
            Way::Format if self.moves(file_type, options) => Way::Scene(None),
            way => way,
        };
        if let (Way::Form(_) | Way::Format, Some(path)) = (&way, &options.scene.path) {
            let (mut part, losses) = self.part(path)?;
            let mut options = options.clone();
            options.scene.path = None;
            let mut output = part.convert(to, output, &options)?;
            output.losses.splice(0..0, losses);
            return Ok(output);
        }
        #[cfg(feature = "history")]
        if options.client.is_some() {
            return self.for_client((file_type, way), to, output, options);
        }
        if options.share {
            let is_by_scene = matches!(way, Way::Scene(_));
            Conversion { from: self.file_type(), to: file_type, form: None, is_by_scene }.refuse(options)?;
            return self.shared(to, output, options, &write);
        }
        let way = compressed(file_type, way, options, &mut write);
        let way = match way {
            // The file is not written as it was read.
            Way::Form(None) if options.pretty => Way::Form(file_type.forms.first().copied()),
            way => way,
        };
        let (form, is_by_scene) = match way {
            Way::Form(form) => (form, false),
            Way::Format => (None, false),
            Way::Scene(form) => (form, true),
        };
        Conversion { from: self.file_type(), to: file_type, form, is_by_scene }.refuse(options)?;
        let (bytes, losses) = match way {
            Way::Form(_) | Way::Format if !options.motion.is_empty() => {
                (formats::slmesh::with_playback(&*self.asset, &options.motion)?, Vec::new())
            }
            Way::Form(None) => (self.asset.write(&write)?, Vec::new()),
            Way::Form(Some(form)) => {
                write = write.form(form);
                // First, since it refuses what needs too much memory.
                let bytes = self.asset.write(&write)?;
                let mut losses = self.asset.remarks(form);
                // Without `allow_loss` there can be no losses to list.
                losses.extend(options.allow_loss.then(|| self.asset.losses(form)).into_iter().flatten());
                (bytes, losses)
            }
            Way::Format => {
                let options = ConvertOptions { max_bytes: self.options.max_bytes, ..options.clone() };
                let converted = self.asset.convert(file_type.format, &options)?;
                (converted.asset.write(&write.max_bytes(converted.left))?, converted.losses)
            }
            Way::Scene(form) => {
                let (mut scene, mut losses) = self.scene(&self.reading(options))?;
                let rig = self.apply_to(&mut scene, file_type, options, &mut losses)?;
                losses.extend(self.reduced(&mut scene, file_type, options)?);
                let (allow_loss, max_bytes) = (options.allow_loss, self.options.max_bytes);
                let only = options.scene.rig.is_some() || options.joints.is_some();
                let mut model = options.model.clone().only_animations(only);
                (model.animation, model.rig) = (options.animation, rig);
                let to = Writing { file_type, form, stem: &stem, file, allow_loss, max_bytes, model };
                let mut written = self.written(&scene, &to, &losses)?;
                losses.extend(written.losses);
                if options.changes.mirror && file_type.is_motion() {
                    losses.extend(self.mirrored(&mut written.bytes)?);
                }
                beside = written.files;
                (written.bytes, losses)
            }
        };
        if file_type.is_read() {
            reads_again(&bytes, file, &beside, self.options.max_bytes)?;
        }
        Ok(Output::new(&stem, extension, bytes, beside, losses))
    }

    /// A document that stores equal bytes once, converted.
    fn shared(
        &self,
        to: Option<&str>,
        output: &str,
        options: &ConvertOptions,
        write: &WriteOptions,
    ) -> Result<Output> {
        let bytes = formats::roblox::shared(&*self.asset, self.options.max_bytes)?.write(write)?;
        let options = ConvertOptions { share: false, ..options.clone() };
        self.options.open(bytes, &self.name, ())?.convert(to, output, &options)
    }

    /// Simplifies meshes with more triangles than Roblox accepts, if the options ask for that; the others are split when
    /// they are written.
    fn reduced(
        &self,
        scene: &mut rezkit_scene::Scene,
        file_type: &FileType,
        options: &ConvertOptions,
    ) -> Result<Vec<Loss>> {
        if !options.model.fit || !file_type.has_instances() {
            return Ok(Vec::new());
        }
        let budget = &mut rezkit_core::Budget::new(self.options.max_bytes);
        rezkit_upload::reduced(scene, MOST_TRIANGLES, budget)
    }

    /// The asset for the client of a month.
    #[cfg(feature = "history")]
    fn for_client(
        &mut self,
        (file_type, way): (&'static FileType, Way),
        to: Option<&str>,
        output: &str,
        options: &ConvertOptions,
    ) -> Result<Output> {
        let is_by_scene = matches!(way, Way::Scene(_));
        let file = file_name(output);
        let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
        let stem = Names::default().unique(if stem.is_empty() { self.stem() } else { stem });
        // The files beside it are written here, unless the document becomes a scene.
        let mut own = options.clone();
        let model = own.model.clone();
        let has_files = model.assets.is_some() && !is_by_scene;
        let mut wanted = Unions::default();
        if has_files {
            (own.model.assets, own.model.prefix) = (None, None);
            wanted = std::mem::take(&mut own.scene.unions);
        }
        let mut parts = None;
        if let (Terrain::Step(step), false) = (own.scene.terrain, is_by_scene) {
            (own.scene.terrain, parts) = (Terrain::default(), Some(step));
        }
        let options = &own;
        Conversion { from: self.file_type(), to: file_type, form: None, is_by_scene }.refuse(options)?;
        let is_binary = (!is_by_scene).then_some(is_binary(file_type));
        let (left, client) = (self.options.max_bytes, options.client.as_deref().unwrap_or_default());
        if options.share && !formats::roblox::client::shares(client)? {
            return Err(Error::argument(format!(
                "clients of {client} know no shared strings; remove the option share"
            )));
        }
        let month = crate::options::month(client)?;
        let is_zstd = options.compression.as_ref().is_some_and(|(name, _)| name == "zstd");
        if is_zstd && month < rbxdocument::history::ZSTD_SINCE {
            return Err(Error::argument(format!(
                "clients of {client} read no chunks in Zstandard; remove the option compression, or choose lz4"
            )));
        }
        let (mut assets, mut of_unions) = (Assets::new(&model, &stem), Vec::new());
        let unions = match has_files {
            true => {
                let to = (&mut assets, &mut of_unions, left);
                client_assets::unions::of(&*self.asset, &mut *self.sources, (month, wanted), to)?
            }
            false => Default::default(),
        };
        let (mut bytes, mut losses) =
            formats::roblox::client::converted(&*self.asset, client, is_binary, (unions, parts), left)?;
        losses.append(&mut of_unions);
        let mut beside = Vec::new();
        if has_files {
            let mut made = self.options.open(bytes, &self.name, ())?;
            beside =
                client_assets::beside(&mut made, &mut *self.sources, (month, &model, assets), &mut losses)?;
            bytes = made.to_vec()?;
        }
        // A client without the binary form reads XML under the same name.
        let is_xml =
            formats::detect(&bytes).is_some_and(|found| found.file_type.has.document == Some(Form::Xml));
        if is_binary == Some(true) && is_xml {
            reads_again(&bytes, file, &[], left)?;
            let extension = extension.to_ascii_lowercase();
            return Ok(Output::new(&stem, Some(&extension), bytes, beside, losses));
        }
        let options = ConvertOptions { client: None, ..options.clone() };
        let mut output = self.options.open(bytes, &self.name, ())?.convert(to, output, &options)?;
        output.losses.splice(0..0, Loss::grouped(losses));
        output.files.extend(beside);
        Ok(output)
    }

    /// Makes a motion its mirror image, which is exact.
    fn mirrored(&self, bytes: &mut Vec<u8>) -> Result<Vec<Loss>> {
        let motion = self.options.read_named(bytes, "", &mut ())?;
        let mut mirror = rezkit_scene::slmesh::ChangeOptions::default();
        mirror.mirror = true;
        let Some((made, losses)) = formats::slmesh::changed(&*motion, &mirror)? else {
            return Ok(Vec::new());
        };
        *bytes = made;
        Ok(losses)
    }

    /// Whether a conversion changes animations in a way that only a scene allows.
    fn moves(&self, file_type: &FileType, options: &ConvertOptions) -> bool {
        let is_asked = options.scene.rig.is_some() || !options.changes.is_empty();
        let is_asked = is_asked || options.animation.fps.is_some() && !file_type.has_instances();
        let keeps = |writer: &SceneWriter| writer.keeps.contains(&Feature::JointAnimations);
        is_asked && self.asset.has_scene() && file_type.writer.is_some_and(keeps)
    }

    /// The options of reading the scene: without a rig to which animations are moved later.
    fn reading(&self, options: &ConvertOptions) -> SceneOptions {
        let mut scene = options.scene.clone();
        let is_read = |rig: &RigModel| match rig {
            RigModel::Document(bytes) => of_document(bytes),
            rig => matches!(rig, RigModel::R6 | RigModel::R15),
        };
        if !self.file_type().has_instances() || !scene.rig.as_ref().is_some_and(is_read) {
            scene.rig = None;
        }
        scene
    }

    /// Changes a scene as the options ask for, before it is written as a file of a file type. Returns the rig for animations of
    /// Roblox.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if an option does not apply to the file type, or to the content.
    fn apply_to(
        &self,
        scene: &mut rezkit_scene::Scene,
        file_type: &FileType,
        options: &ConvertOptions,
        losses: &mut Vec<Loss>,
    ) -> Result<Option<RigModel>> {
        options.action.iter().try_for_each(|action| scene.keep_animation(action))?;
        options.joints.iter().try_for_each(|joints| joints.rename(scene))?;
        let budget = &mut rezkit_core::Budget::new(self.options.max_bytes);
        let mut changes = options.changes.clone();
        // The mirror image of a motion is exact.
        changes.mirror &= !file_type.is_motion();
        if !options.changes.is_empty() {
            changes.apply_to(scene)?;
        }
        losses.extend(unmoved(scene, &changes));
        let then = self.other(changes.then.as_deref(), "then", losses)?;
        let pose = self.other(changes.pose.as_deref(), "pose", losses)?;
        let rig = options.scene.rig.as_ref().filter(|_| !file_type.has_instances());
        let rig = self.rig(scene, rig, budget)?;
        let (in_place, mirror) = (changes.in_place, changes.mirror);
        if rig.is_some() {
            (changes.in_place, changes.mirror) = (false, false);
        }
        motion::change(scene, &changes, [then.as_ref(), pose.as_ref()], budget, losses)?;
        (changes.in_place, changes.mirror) = (in_place, mirror);
        if let Some(rig) = rig {
            *scene = motion::retarget(scene, &rig, &changes, options.animation.fps, budget, losses)?.0;
        }
        let rig = options.scene.rig.clone().filter(|_| file_type.has_instances());
        let fps = options.animation.fps;
        match file_type.has.motion {
            _ if file_type.has_instances() => {
                let mut animation = options.animation;
                // The tolerance is also that of parts.
                if options.model.parts && scene.animations.is_empty() {
                    animation.tolerance = None;
                }
                animation.apply_to(&options.motion, rig.as_ref(), scene, budget)?;
            }
            Some(Motion::Bvh) => {
                options.motion.apply_to(scene)?;
                fps.map_or(Ok(()), |fps| rezkit_scene::bvh::set_fps(scene, fps))?;
            }
            _ => {
                options.motion.apply_to(scene)?;
                motion::rekey(scene, fps, None, budget)?;
            }
        }
        motion::rekey(scene, None, changes.reduce, budget)?;
        if file_type.has.motion.is_none() {
            rezkit_scene::slmesh::forget_bvh(scene);
        }
        Ok(rig)
    }

    /// The scene of the file of an option.
    fn other(
        &self,
        bytes: Option<&[u8]>,
        option: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Option<rezkit_scene::Scene>> {
        let Some(bytes) = bytes else { return Ok(None) };
        let at = |error: Error| error.below(|path| format!("{option}: {path}"));
        let mut opened = self.options.open(bytes.to_vec(), option, ()).map_err(at)?;
        let (scene, lost) = opened.scene(&SceneOptions::new()).map_err(at)?;
        losses.extend(lost.into_iter().map(|loss| loss.below(|path| format!("{option}: {path}"))));
        Ok(Some(scene))
    }

    /// The scene, and, if the options name another rig, the same animations on that rig.
    ///
    /// # Errors
    /// As [`scene`](Self::scene), and if the rig has no counterparts of the joints that move.
    pub fn scene_on_rig(
        &mut self,
        options: &SceneOptions,
    ) -> Result<(rezkit_scene::Scene, Option<rezkit_scene::Scene>, Vec<Loss>)> {
        let mut all = ConvertOptions::new();
        all.scene.clone_from(options);
        let (scene, mut losses) = self.scene(&self.reading(&all))?;
        let budget = &mut rezkit_core::Budget::new(self.options.max_bytes);
        let moved = match self.rig(&scene, options.rig.as_ref(), budget)? {
            None => None,
            Some(rig) => {
                let changes = rezkit_scene::slmesh::ChangeOptions::default();
                Some(motion::retarget(&scene, &rig, &changes, None, budget, &mut losses)?.0)
            }
        };
        Ok((scene, moved, losses))
    }

    /// The rig to which the animations of a scene are moved; `None` if they have it.
    fn rig(
        &self,
        scene: &rezkit_scene::Scene,
        rig: Option<&RigModel>,
        budget: &mut rezkit_core::Budget,
    ) -> Result<Option<MotionRig>> {
        let Some(rig) = rig else { return Ok(None) };
        let is_read =
            |name: &str| scene.nodes.iter().any(|node| node.extras.get("Rig").is_some_and(|rig| rig == name));
        let named = |name: &'static str| if is_read(name) { None } else { MotionRig::named(name) };
        Ok(match rig {
            // The animations were read on it.
            RigModel::Document(bytes) if of_document(bytes) && self.file_type().has_instances() => None,
            RigModel::Document(bytes) if of_document(bytes) => Some(MotionRig::of_document(bytes, budget)?),
            RigModel::Document(bytes) => {
                let rig = self.other(Some(bytes), "rig", &mut Vec::new())?;
                rig.as_ref().map(MotionRig::of_scene).transpose()?
            }
            rig => rig.name().and_then(named),
        })
    }

    /// The instance at a path and its descendants, as a model in the form of the document; and the losses.
    fn part(&mut self, path: &str) -> Result<(Opened<'static>, Vec<Loss>)> {
        let extension = if self.file_type().has.document == Some(Form::Xml) { "rbxmx" } else { "rbxm" };
        let model = format!("{}.{extension}", self.stem());
        let copy = Edit::Copy { path: path.to_owned(), model };
        let Edited { models, losses, .. } = self.edit(&[copy], &mut (), &EditOptions::new())?;
        let (name, bytes) = models.into_iter().next().unwrap_or_default();
        Ok((self.options.open(bytes, &name, ())?, losses))
    }

    /// A scene as a file of a file type, in one of its forms. `losses` are those of reading it.
    pub(crate) fn written(
        &self,
        scene: &rezkit_scene::Scene,
        to: &Writing<'_>,
        losses: &[Loss],
    ) -> Result<rezkit_scene::Written> {
        let &Writing { file_type, form, stem, file, allow_loss, max_bytes, ref model } = to;
        let unknown = || Error::argument(format!("geometry cannot be written as {}", file_type.title));
        let writer = file_type.writer.ok_or_else(unknown)?;
        writer.check_content(scene, losses)?;
        let mut written = writer.write_model(scene, stem, model, max_bytes)?;
        if let Some(form) = form {
            let asset = self.options.read_named(&written.bytes, file, &mut ())?;
            written.losses.extend(asset.remarks(form));
            if allow_loss {
                written.losses.extend(asset.losses(form));
            }
            let write = WriteOptions::new().allow_loss(allow_loss).max_read_bytes(self.options.max_bytes);
            written.bytes = asset.write(&write.form(form))?;
        }
        Ok(written)
    }
}
