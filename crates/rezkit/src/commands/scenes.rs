//! Options that the commands with scenes share: neighbouring files, and levels of detail.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rezkit::scene::slmesh::JointNames;
use rezkit::scene::{Levels, RigModel, Terrain, Unions};
use rezkit::{Opened, Reference, SceneOptions};

use crate::input::{Place, Reading, Source};
use crate::outcome::{Error, Usage};
use crate::report;

/// Folders to search for files that a file refers to.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Scenes")]
pub(crate) struct Beside {
    /// A folder with Roblox assets, named by id with any extension, or by their path
    #[arg(long, value_name = "FOLDER")]
    assets: Vec<PathBuf>,
    /// Use all levels of detail, not only the finest
    #[arg(long)]
    all_levels: bool,
    /// Use one level of detail, 0 is the finest
    #[arg(long, value_name = "LEVEL", conflicts_with = "all_levels")]
    lod: Option<usize>,
    /// Include convex hulls of Second Life assets
    #[arg(long)]
    hulls: bool,
    /// Use only the instance at this path and what is below it: names separated by `/`
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// The step of terrain in voxels: 1, 2, 4 or 8, or none [default: the finest below a million triangles]
    #[arg(long, value_name = "STEP", value_parser = terrain)]
    terrain: Option<Terrain>,
    /// The representation of unions [default: the first available of mesh, hulls and operands]
    #[arg(long, value_name = "WHAT")]
    unions: Option<As>,
    #[command(flatten)]
    rig: Rig,
}

/// The rig of animations.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Animations")]
pub(crate) struct Rig {
    /// The rig for animations without one, and for animations written for Roblox: R6, R15, or the first model with joints in
    /// a .rbxm, .rbxmx, .rbxl or .rbxlx file [default: R6 or R15 by the names of joints]
    #[arg(long, value_name = "RIG")]
    rig: Option<PathBuf>,
}

impl Rig {
    /// # Errors
    /// If its file cannot be read.
    pub(crate) fn model(&self, reading: &Reading) -> Result<Option<RigModel>, Error> {
        Ok(match &self.rig {
            None => None,
            Some(rig) if rig.as_os_str().eq_ignore_ascii_case("r6") => Some(RigModel::R6),
            Some(rig) if rig.as_os_str().eq_ignore_ascii_case("r15") => Some(RigModel::R15),
            Some(rig) => Some(RigModel::Document(reading.bytes(rig).map_err(report::about(rig))?.into())),
        })
    }
}

/// The representation of unions; a box if they do not have it.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum As {
    /// Their mesh, from the file or their asset
    Mesh,
    /// The parts that they were made of, without cutting
    Operands,
    /// Their collision hulls
    Hulls,
    /// Boxes of their size
    Box,
}

/// The names of joints in a file.
pub(crate) fn joint_names(reading: &Reading, path: &Path) -> Result<JointNames, Error> {
    let text = String::from_utf8(reading.bytes(path)?)?;
    JointNames::new(&text).map_err(|error| format!("{}: {error}", report::path(path)).into())
}

fn terrain(text: &str) -> Result<Terrain, String> {
    match text {
        "none" => Ok(Terrain::Without),
        "1" | "2" | "4" | "8" => Ok(Terrain::Step(text.parse().unwrap_or(1))),
        _ => Err("expected 1, 2, 4, 8 or none".to_owned()),
    }
}

/// The files next to a file, and those of assets.
struct Folder<'a> {
    place: Place,
    reading: &'a Reading,
    beside: &'a Beside,
    /// The files of the asset folders by their ids; made when it is first needed.
    ids: Option<HashMap<u64, (PathBuf, String)>>,
}

impl rezkit::Sources for Folder<'_> {
    fn get(&mut self, reference: &Reference) -> rezkit::Result<Option<Vec<u8>>> {
        match reference {
            Reference::Beside(name) => self.reading.beside(&self.place, name),
            Reference::Local(path) => {
                let mut folders = self.beside.assets.iter().map(|folder| self.reading.inside(folder, path));
                folders.find(|found| !matches!(found, Ok(None))).unwrap_or(Ok(None))
            }
            Reference::Id(id) => {
                let folders: Vec<&Path> = match self.beside.assets.is_empty() {
                    true => match &self.place {
                        Place::Folder(folder) => vec![folder.as_path()],
                        _ => Vec::new(),
                    },
                    false => self.beside.assets.iter().map(PathBuf::as_path).collect(),
                };
                if self.ids.is_none() {
                    let mut ids = HashMap::new();
                    for folder in folders {
                        files_by_id(folder, &mut ids).map_err(|error| {
                            rezkit::Error::unreadable(format!("{}: {error}", report::path(folder)))
                        })?;
                    }
                    self.ids = Some(ids);
                }
                match self.ids.as_ref().and_then(|ids| ids.get(id)) {
                    Some((folder, name)) => self.reading.inside(folder, name),
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }
}

/// Adds the files of a folder whose names are numbers; folders before it come first.
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
    /// Provides the files next to a file.
    pub(crate) fn sources<'a>(
        &'a self,
        reading: &'a Reading,
        source: &Source,
    ) -> Result<impl rezkit::Sources + 'a, Error> {
        if let Some(missing) = self.assets.iter().find(|folder| !folder.is_dir()) {
            return Err(Usage(format!("--assets {}: no such folder", report::path(missing))).into());
        }
        Ok(Folder { place: source.place(), reading, beside: self, ids: None })
    }

    /// Options of scenes.
    ///
    /// # Errors
    /// If the file of the rig cannot be read.
    pub(crate) fn options(&self, reading: &Reading) -> Result<SceneOptions, Error> {
        let mut options = SceneOptions::default();
        options.rig = self.rig.model(reading)?;
        options.levels = match self.lod {
            Some(level) => Levels::One(level),
            None if self.all_levels => Levels::All,
            None => Levels::Finest,
        };
        options.hulls = self.hulls;
        options.path.clone_from(&self.path);
        options.terrain = self.terrain.unwrap_or_default();
        options.unions = match self.unions {
            None => Unions::First,
            Some(As::Mesh) => Unions::Mesh,
            Some(As::Operands) => Unions::Operands,
            Some(As::Hulls) => Unions::Hulls,
            Some(As::Box) => Unions::Box,
        };
        options.max_bytes = reading.max_bytes;
        Ok(options)
    }

    /// The checked content: all levels and hulls, unless one level is requested.
    pub(crate) fn checked(&self, reading: &Reading) -> Result<SceneOptions, Error> {
        let mut options = self.options(reading)?;
        options.hulls = true;
        if self.lod.is_none() {
            options.levels = Levels::All;
        }
        Ok(options)
    }

    /// An asset with the files next to it.
    pub(crate) fn opened<'a>(&'a self, reading: &'a Reading, source: &Source) -> Result<Opened<'a>, Error> {
        reading.opened_with(source, self.sources(reading, source)?)
    }
}
