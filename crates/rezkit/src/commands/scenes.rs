//! What the commands with scenes share: the files around a file, and conversions by way of a scene.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rezkit::scene::io::{self, SceneForm, SceneOptions};
use rezkit::scene::roblox::AssetRef;
use rezkit::scene::{Levels, Loss, Scene};

use crate::input::{Reading, Source};
use crate::outcome::Error;
use crate::report;

/// Where files that a file refers to are looked for.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Beside {
    /// A folder with the files of Roblox assets: named by id, with any extension, or by their path below it
    #[arg(long, value_name = "FOLDER")]
    assets: Vec<PathBuf>,
    /// All levels of detail, not only the finest
    #[arg(long)]
    all_levels: bool,
    /// One level of detail, 0 for the finest
    #[arg(long, value_name = "LEVEL", conflicts_with = "all_levels")]
    lod: Option<usize>,
    /// Convex hulls of Second Life assets too
    #[arg(long)]
    hulls: bool,
}

/// The files next to a file, and those of assets.
struct Folder<'a> {
    folder: PathBuf,
    reading: &'a Reading,
    beside: &'a Beside,
    /// The files of the asset folders by their ids; made when it is first needed.
    ids: Option<HashMap<u64, PathBuf>>,
}

impl io::Sources for Folder<'_> {
    fn beside(&mut self, name: &str) -> Option<Vec<u8>> {
        self.inside(&self.folder, name)
    }

    fn asset(&mut self, asset: &AssetRef) -> Option<Vec<u8>> {
        match asset {
            AssetRef::Local(path) => self.beside.assets.iter().find_map(|folder| self.inside(folder, path)),
            AssetRef::Id(id) => {
                let folders: Vec<&Path> = match self.beside.assets.is_empty() {
                    true => vec![self.folder.as_path()],
                    false => self.beside.assets.iter().map(PathBuf::as_path).collect(),
                };
                let ids = self
                    .ids
                    .get_or_insert_with(|| folders.iter().flat_map(|folder| files_by_id(folder)).collect());
                let path = ids.get(id)?.clone();
                self.read(&path)
            }
        }
    }
}

impl Folder<'_> {
    /// A file below a folder; `None` where the name leads out of it.
    fn inside(&self, folder: &Path, name: &str) -> Option<Vec<u8>> {
        let name = Path::new(name);
        let stays = name
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
        if stays { self.read(&folder.join(name)) } else { None }
    }

    /// A file, where there is one; why another cannot be read is said.
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        if !path.is_file() {
            return None;
        }
        let read = self.reading.bytes(path);
        read.map_err(|error| report::complain(Some(&report::path(path)), &error)).ok()
    }
}

/// The files of a folder whose names begin with a number.
fn files_by_id(folder: &Path) -> Vec<(u64, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let id = |path: &Path| path.file_stem()?.to_str()?.parse().ok();
    entries.map(|entry| entry.path()).filter_map(|path| Some((id(&path)?, path))).collect()
}

impl Beside {
    /// A file as a scene, and what that loses.
    pub(crate) fn scene(&self, reading: &Reading, source: &Source) -> Result<(Scene, Vec<Loss>), Error> {
        let mut options = SceneOptions::default();
        options.levels = match self.lod {
            Some(level) => Levels::One(level),
            None if self.all_levels => Levels::All,
            None => Levels::Finest,
        };
        options.hulls = self.hulls;
        options.read = reading.options();
        let folder = source.path.parent().map(Path::to_path_buf).unwrap_or_default();
        let mut files = Folder { folder, reading, beside: self, ids: None };
        Ok(io::read(&source.bytes, &file_name(source), &options, &mut files)?)
    }
}

/// The name of a file without its folders.
fn file_name(source: &Source) -> String {
    Path::new(&source.name).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether a file is of a format that scenes are made of.
pub(crate) fn is_scene(source: &Source) -> bool {
    io::detect(&source.bytes, &file_name(source))
}

/// The form that a conversion asks for, if it goes by way of a scene: the output's name or `--to` names
/// one, and the input is of another format or of none of ours.
pub(crate) fn form(source: &Source, to: Option<&str>, output: &Path) -> Option<&'static SceneForm> {
    let extension = output.extension().and_then(|extension| extension.to_str());
    let form = to.and_then(SceneForm::find).or_else(|| SceneForm::find(extension?))?;
    let same = rezkit::detect(&source.bytes).is_some_and(|found| {
        let forms = found.format.forms.iter().map(|form| form.name);
        found.format.extensions.iter().copied().chain(forms).any(|name| name == form.name)
    });
    (!same).then_some(form)
}

/// What one file is converted into.
pub(crate) struct Made {
    pub(crate) bytes: Vec<u8>,
    /// The files that it refers to.
    pub(crate) beside: Vec<rezkit::File>,
    /// What was left out or filled in, a line each.
    pub(crate) losses: Vec<String>,
}

/// Converts one file into a form of scenes.
pub(crate) fn convert(
    reading: &Reading,
    beside: &Beside,
    source: &Source,
    form: &SceneForm,
    to: Option<&str>,
    output: &Path,
) -> Result<Made, Error> {
    let (scene, mut losses) = beside.scene(reading, source)?;
    let stem = output.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy().into_owned());
    let mut written = form.write(&scene, &stem, reading.max_bytes)?;
    losses.append(&mut written.losses);
    // A version or an encoding of the format that was asked for.
    if let Some(to) = to.filter(|to| SceneForm::find(to).is_none()) {
        let asset = reading.options().read(&written.bytes)?;
        written.bytes = asset.write(&rezkit::WriteOptions::new().form(to))?;
    }
    let losses = losses.iter().map(|loss| format!("not converted: {loss}")).collect();
    Ok(Made { bytes: written.bytes, beside: written.files, losses })
}
