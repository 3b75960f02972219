//! Options that the commands with scenes share: neighbouring files, and levels of detail.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rezkit::scene::{Levels, images};
use rezkit::{ConvertOptions, Opened, Reference, SceneOptions};

use super::settings::{SCENES, Settings};
use crate::input::{Place, Reading, Source, one_of};
use crate::outcome::{Error, Usage};
use crate::report;

/// Folders to search for files that a file refers to.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Scenes")]
pub(crate) struct Beside {
    /// A folder with the Roblox assets that a file refers to, such as meshes and textures: files with an asset id as
    /// the name and any extension (`123.mesh`), or files at the paths of rbxasset:// addresses; or with the textures of
    /// Second Life materials and OpenSim objects, whose names are UUIDs (`UUID.png`) (repeatable). If a scene is converted
    /// to a Roblox model: the folder into which its meshes and images are written
    #[arg(long, value_name = "FOLDER")]
    assets: Vec<PathBuf>,
    /// Use all levels of detail, not only the finest
    #[arg(long)]
    all_levels: bool,
    /// Use only this level of detail; 0 is the finest
    #[arg(long, value_name = "LEVEL", conflicts_with = "all_levels", value_parser = level)]
    lod: Option<usize>,
    #[command(flatten)]
    settings: Settings<SCENES>,
    /// The textures of an archive, if its objects are converted one by one.
    #[arg(skip)]
    pub(crate) pictures: Option<Arc<Pictures>>,
    /// Whether the folder of assets is one of the output, which need not exist.
    #[arg(skip)]
    pub(crate) is_output: bool,
}

/// Textures of an archive in JPEG 2000 as PNG, by the names of their files, so that objects that share one do not convert
/// it again; with the memory that is left for them.
#[derive(Debug)]
pub(crate) struct Pictures(Mutex<(HashMap<String, Vec<u8>>, rezkit::Budget)>);

impl Pictures {
    pub(crate) fn new(max_bytes: u64) -> Self {
        Self(Mutex::new((HashMap::new(), rezkit::Budget::new(max_bytes))))
    }

    /// A texture as PNG, or unchanged if it cannot be read.
    fn of(&self, path: &str, bytes: Vec<u8>, max_bytes: u64) -> Vec<u8> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(png) = known().0.get(name) {
            return png.clone();
        }
        let Ok(png) = images::to_png(&bytes, &mut rezkit::Budget::new(max_bytes)) else { return bytes };
        let (pictures, budget) = &mut *known();
        if budget.take(png.len() as u64, name).is_ok() {
            pictures.insert(name.to_owned(), png.clone());
        }
        png
    }
}

fn level(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected the number of a level: 0, 1, …".to_owned())
}

/// The files next to a file, and the Roblox assets in the folders of `--assets`.
struct Folder<'a> {
    place: Place,
    reading: &'a Reading,
    beside: &'a Beside,
    /// The folder and the name of each asset file by its id; listed when an asset is first needed.
    ids: Option<HashMap<u64, (PathBuf, String)>>,
}

impl rezkit::Sources for Folder<'_> {
    fn get(&mut self, reference: &Reference, max_bytes: u64) -> rezkit::Result<Option<Vec<u8>>> {
        match reference {
            Reference::Beside(name) => {
                let beside = self.reading.beside(&self.place, name, max_bytes);
                if let (Ok(Some(bytes)), Some(pictures)) = (&beside, &self.beside.pictures)
                    && name.ends_with("_texture.jp2")
                {
                    return Ok(Some(pictures.of(name, bytes.clone(), max_bytes)));
                }
                // Textures of Second Life have a UUID as the name.
                let is_id = |(stem, _): (&str, &str)| stem.parse::<llsd::Uuid>().is_ok();
                if !matches!(beside, Ok(None)) || !name.split_once('.').is_some_and(is_id) {
                    return beside;
                }
                let inside = |folder: &PathBuf| self.reading.inside(folder, name, max_bytes);
                self.beside
                    .assets
                    .iter()
                    .map(inside)
                    .find(|found| !matches!(found, Ok(None)))
                    .unwrap_or(beside)
            }
            Reference::Local(path) => self.local(path, max_bytes),
            Reference::Id(id) => {
                if self.ids.is_none() {
                    let mut ids = HashMap::new();
                    for folder in self.folders() {
                        files_by_id(folder, &mut ids).map_err(|error| {
                            rezkit::Error::unreadable(format!("{}: {error}", report::path(folder)))
                        })?;
                    }
                    self.ids = Some(ids);
                }
                match self.ids.as_ref().and_then(|ids| ids.get(id)) {
                    Some((folder, name)) => self.reading.inside(folder, name, max_bytes),
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }
}

impl Folder<'_> {
    /// The folders of assets, or, without one to read from, that of the file.
    fn folders(&self) -> Vec<&Path> {
        let Beside { assets, is_output, .. } = self.beside;
        let given = assets.iter().map(PathBuf::as_path).filter(|folder| !is_output || folder.is_dir());
        let place = match &self.place {
            Place::Folder(folder) if assets.len() <= usize::from(*is_output) => Some(folder.as_path()),
            _ => None,
        };
        given.chain(place).collect()
    }

    /// A file of the `content` folder: below a folder of `--assets`, or that folder itself if it has the name of the first
    /// folder of the path. Without `--assets`, the files of a model that was made of a scene are beside it.
    fn local(&self, path: &str, max_bytes: u64) -> rezkit::Result<Option<Vec<u8>>> {
        for folder in self.folders() {
            let inner = path.split_once('/').filter(|(first, _)| folder.ends_with(first));
            for path in std::iter::once(path).chain(inner.map(|(_, rest)| rest)) {
                let found = self.reading.inside(folder, path, max_bytes);
                if !matches!(found, Ok(None)) {
                    return found;
                }
            }
        }
        Ok(None)
    }
}

/// Adds the files of a folder that are named by an id; files of earlier folders take precedence.
fn files_by_id(folder: &Path, ids: &mut HashMap<u64, (PathBuf, String)>) -> std::io::Result<()> {
    let entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let files = entries.iter().filter(|entry| entry.path().is_file());
    let names = files.filter_map(|entry| entry.file_name().into_string().ok());
    for (id, name) in Reference::ids_of(names) {
        ids.entry(id).or_insert_with(|| (folder.to_owned(), name));
    }
    Ok(())
}

impl Beside {
    /// The name of the first of these options that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let own = [
            ("assets", !self.assets.is_empty()),
            ("all-levels", self.all_levels),
            ("lod", self.lod.is_some()),
        ];
        let own = own.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name);
        own.or_else(|| self.settings.first())
    }

    /// The last folder of `--assets`, and its name, which addresses of assets contain.
    pub(crate) fn folder(&self) -> Option<(&Path, String)> {
        let folder = self.assets.last()?;
        Some((folder, folder.file_name()?.to_string_lossy().into_owned()))
    }

    /// Fails if a folder of `--assets` does not exist.
    pub(crate) fn has_folders(&self) -> Result<(), Error> {
        let missing = self.assets.iter().find(|folder| !folder.is_dir() && !self.is_output);
        missing.map_or(Ok(()), |missing| {
            Err(Usage(format!("--assets {}: no such folder", report::path(missing))).into())
        })
    }

    /// Provides the files next to a file.
    pub(crate) fn sources<'a>(
        &'a self,
        reading: &'a Reading,
        source: &Source,
    ) -> Result<impl rezkit::Sources + Send + 'a, Error> {
        self.has_folders()?;
        Ok(Folder { place: source.place(), reading, beside: self, ids: None })
    }

    /// The options for scenes.
    ///
    /// # Errors
    /// If the file of the rig cannot be read.
    /// The path of the part that is meant, for a command that knows no other of these options.
    ///
    /// # Errors
    /// If another one is given.
    pub(crate) fn path_alone(&self, reading: &Reading) -> Result<Option<String>, Error> {
        let levels = if self.all_levels { Some("all-levels") } else { self.lod.map(|_| "lod") };
        match levels.or(self.settings.besides("path")) {
            Some(other) => Err(Usage(format!("--{other} does not apply here")).into()),
            None => Ok(self.options(reading)?.path),
        }
    }

    pub(crate) fn options(&self, reading: &Reading) -> Result<SceneOptions, Error> {
        let mut options = ConvertOptions::new();
        self.settings.set(&mut options, reading)?;
        options.scene.levels = match self.lod {
            Some(level) => Levels::One(level),
            None if self.all_levels => Levels::All,
            None => Levels::Finest,
        };
        options.scene.max_bytes = reading.max_bytes;
        Ok(options.scene)
    }

    /// The options for the scene that is checked: all levels and hulls, unless one level is requested.
    pub(crate) fn checked(&self, reading: &Reading) -> Result<SceneOptions, Error> {
        let mut options = self.options(reading)?;
        options.hulls = true;
        if self.lod.is_none() {
            options.levels = Levels::All;
        }
        Ok(options)
    }

    /// The one asset in a file, with the files next to it, and its source. The bytes of the file are freed.
    pub(crate) fn open_one<'a>(
        &'a self,
        reading: &'a Reading,
        path: &Path,
    ) -> Result<(Opened<'a>, Source), Error> {
        self.only(reading, reading.open(path)?)
    }

    /// The one asset among those of a file, or all objects of an archive of OpenSim as one. The bytes of the file are freed.
    /// Entries of an archive that cannot be read are printed; the first one's reason is in the source.
    pub(crate) fn only<'a>(
        &'a self,
        reading: &'a Reading,
        list: Vec<Source>,
    ) -> Result<(Opened<'a>, Source), Error> {
        let parts: Vec<rezkit::Unwrapped> = list.iter().map(|source| source.part.clone()).collect();
        let region = rezkit::Unwrapped::region(&parts);
        drop(parts);
        let is_read = |source: &Source| source.part.failed.is_none();
        // An archive without assets is no error here, since its ground is a scene.
        let unread = |source: &Source| {
            let reason =
                source.part.failed.as_ref().filter(|_| source.part.name != rezkit::OPENSIM_ARCHIVE)?;
            Some((source.name.clone(), reason.clone()))
        };
        let unread: Vec<(String, String)> = list.iter().filter_map(unread).collect();
        let mut source = match region {
            Some(part) => Source { part, ..list.into_iter().next().ok_or("the file contains no asset")? },
            None if list.iter().filter(|source| is_read(source)).count() == 1 => {
                one_of(list.into_iter().filter(is_read).collect())?
            }
            None => one_of(list)?,
        };
        let opened = self.opened(reading, &source)?;
        source.part.bytes = Arc::default();
        for (name, reason) in &unread {
            report::failed(Some(name), &rezkit::Error::unreadable(reason).into());
        }
        source.part.failed = unread.into_iter().next().map(|(_, reason)| reason);
        Ok((opened, source))
    }

    /// An asset with the files next to it.
    pub(crate) fn opened<'a>(&'a self, reading: &'a Reading, source: &Source) -> Result<Opened<'a>, Error> {
        reading.opened_with(source, self.sources(reading, source)?)
    }
}
