//! What an opened file is converted into.

use rezkit_core::{Error, File, Files, Loss, Names, Result};

use crate::formats::{self, FORMATS, Format};
use crate::kit::{Opened, Output, Target};
use crate::options::{ConvertOptions, WriteOptions};

impl Output {
    /// The files of a conversion, after the first was read again; losses are grouped.
    pub(crate) fn new(
        name: &str,
        stem: &str,
        extension: Option<&str>,
        bytes: Vec<u8>,
        beside: Vec<File>,
        losses: Vec<Loss>,
        max_bytes: u64,
    ) -> Result<Self> {
        crate::roundtrip::reads_again(&bytes, name, &beside, max_bytes)?;
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

impl Opened<'_> {
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
            let others = forms.filter(|form| !self.has_form(form));
            targets.extend(others.map(|form| Target {
                name: form.name,
                title: form.title,
                extension: form.name,
                by_scene: true,
            }));
        }
        targets
    }

    /// Whether the file's own bytes are of a form of scenes, and need no others beside them.
    #[cfg(feature = "scene")]
    fn has_form(&self, form: &rezkit_scene::SceneForm) -> bool {
        let own = self.asset.format();
        // Of a format of several things, such as meshes and motions, it is one.
        if let Some(extension) = self.asset.extension() {
            return form.name == extension;
        }
        let is_other = own.extensions.contains(&&*self.asset.version()) && self.asset.version() != form.name;
        form.has_meshes
            && own.has_extension(form.name)
            && (own.is_exact() || !is_other && !self.asset.has_files_beside())
    }

    /// What converting into a form, or into a file of an extension, would do.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) where there is no such form or extension for this format,
    /// [`Empty`](crate::ErrorKind::Empty) where there is, and the format has no geometry.
    fn way(&self, to: Option<&str>, extension: Option<&str>) -> Result<Way> {
        let own = self.asset.format();
        if let Some(form) = to.and_then(|to| own.forms.iter().find(|form| form.name == to)) {
            return Ok(Way::Form(Some(form.name)));
        }
        #[cfg(feature = "scene")]
        if own.has_geometry {
            let form = to.and_then(rezkit_scene::form).or_else(|| rezkit_scene::form(extension?));
            if let Some(form) = form.filter(|form| !self.has_form(form)) {
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
        if is_own
            || to.is_none()
                && self.name.rsplit_once('.').is_some_and(|(_, own)| own.eq_ignore_ascii_case(wanted))
        {
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
            return Err(Error::new(rezkit_core::ErrorKind::Empty, format!("without geometry: {text}")));
        }
        Err(Error::argument(text))
    }

    /// Whether a file with an extension contains what a conversion makes; one that no format has fits anything.
    fn fits(&self, way: &Way, extension: &str) -> bool {
        let own = self.asset.format();
        #[cfg(feature = "scene")]
        let is_form = rezkit_scene::form(extension).is_some();
        #[cfg(not(feature = "scene"))]
        let is_form = false;
        let is_known = |format: &&Format| {
            let mut forms = format.forms.iter();
            format.extensions.contains(&extension) || forms.any(|form| form.extension == Some(extension))
        };
        if !is_form && !FORMATS.iter().any(is_known) {
            return true;
        }
        match way {
            Way::Form(None) => true,
            Way::Form(Some(name)) => {
                let form = own.forms.iter().find(|form| form.name == *name);
                let expected = form.and_then(|form| form.extension);
                expected.map_or(own.extensions.contains(&extension), |expected| expected == extension)
            }
            Way::Format(format) => format.extensions.contains(&extension),
            #[cfg(feature = "scene")]
            Way::Scene(form, _) => form.name == extension,
        }
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
    /// [`Argument`](crate::ErrorKind::Argument) where there is no such target, [`Unwritable`](crate::ErrorKind::Unwritable) where
    /// it cannot represent the content, [`Empty`](crate::ErrorKind::Empty) where there is nothing that it has,
    /// [`Limit`](crate::ErrorKind::Limit) where reading it again takes more than the options allow for the file itself.
    pub fn convert(&mut self, to: Option<&str>, output: &str, options: &ConvertOptions) -> Result<Output> {
        let file = output.rsplit(['/', '\\']).next().unwrap_or_default();
        let (stem, extension) = match file.rsplit_once('.') {
            Some((stem, extension)) => (stem, Some(extension.to_ascii_lowercase())),
            None => (file, None),
        };
        let extension = extension.as_deref();
        let stem = Names::default().unique(if stem.is_empty() { self.stem() } else { stem });
        let mut write = WriteOptions::new().allow_loss(options.allow_loss).max_bytes(self.options.max_bytes);
        #[cfg_attr(not(feature = "scene"), allow(unused_mut, reason = "only scenes are several files"))]
        let mut beside = Vec::new();
        let way = self.way(to, extension)?;
        if let (Some(to), Some(extension)) = (to, extension)
            && !self.fits(&way, extension)
        {
            return Err(Error::argument(format!(
                "{to:?} is not what a file with the extension .{extension} contains"
            )));
        }
        let (bytes, losses) = match way {
            #[cfg(feature = "scene")]
            Way::Form(_) | Way::Format(_) if !options.motion.is_empty() => {
                (crate::formats::slmesh::played(&*self.asset, &options.motion)?, Vec::new())
            }
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
                let (mut scene, mut losses) = self.scene(&options.scene)?;
                options.joints.iter().try_for_each(|joints| joints.rename(&mut scene))?;
                options.motion.tell(&mut scene)?;
                let written = self.written(&scene, (form, version), &stem, file, options.allow_loss)?;
                losses.extend(written.losses);
                beside = written.files;
                (written.bytes, losses)
            }
        };
        Output::new(file, &stem, extension, bytes, beside, losses, self.options.max_bytes)
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
}
