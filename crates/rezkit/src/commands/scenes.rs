//! What the commands with scenes share: the files around a file, and conversions by way of a scene.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rezkit::scene::io::{self, SceneForm, SceneOptions};
use rezkit::scene::roblox::AssetRef;
use rezkit::scene::{Levels, Loss, Scene};

use crate::cli::Error;
use crate::input::Reading;
use crate::{output, report};

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
}

/// The files next to a file, and those of assets.
struct Folder<'a> {
    folder: PathBuf,
    beside: &'a Beside,
    /// The files of the asset folders by their ids; made when it is first needed.
    ids: Option<HashMap<u64, PathBuf>>,
}

impl io::Files for Folder<'_> {
    fn beside(&mut self, name: &str) -> Option<Vec<u8>> {
        inside(&self.folder, name)
    }

    fn asset(&mut self, asset: &AssetRef) -> Option<Vec<u8>> {
        match asset {
            AssetRef::Local(path) => self.beside.assets.iter().find_map(|folder| inside(folder, path)),
            AssetRef::Id(id) => {
                let folders: Vec<&Path> = match self.beside.assets.is_empty() {
                    true => vec![self.folder.as_path()],
                    false => self.beside.assets.iter().map(PathBuf::as_path).collect(),
                };
                let ids = self
                    .ids
                    .get_or_insert_with(|| folders.iter().flat_map(|folder| files_by_id(folder)).collect());
                std::fs::read(ids.get(id)?).ok()
            }
        }
    }
}

/// A file below a folder; `None` where the name leads out of it.
fn inside(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let name = Path::new(name);
    let stays = name
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    std::fs::read(folder.join(name)).ok().filter(|_| stays)
}

/// The files of a folder whose names begin with a number.
fn files_by_id(folder: &Path) -> Vec<(u64, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let id = |path: &Path| path.file_stem()?.to_str()?.parse().ok();
    entries.map(|entry| entry.path()).filter_map(|path| Some((id(&path)?, path))).collect()
}

impl Beside {
    /// A file as a scene; what it loses is reported.
    pub(crate) fn scene(&self, reading: &Reading, path: &Path) -> Result<(Scene, Vec<Loss>), Error> {
        let bytes = reading.bytes(path)?;
        let mut options = SceneOptions::default();
        options.levels = match self.lod {
            Some(level) => Levels::One(level),
            None if self.all_levels => Levels::All,
            None => Levels::Finest,
        };
        options.read = reading.options();
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let mut files = Folder { folder, beside: self, ids: None };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(io::read(&bytes, &name, &options, &mut files)?)
    }
}

/// The form that a conversion asks for, if it goes by way of a scene: the output's name or `--to` names
/// one, and the input is of another format or of none of ours.
///
/// # Errors
/// Where the input cannot be read.
pub(crate) fn form(
    reading: &Reading,
    input: &Path,
    to: Option<&str>,
    output: &Path,
) -> Result<Option<&'static SceneForm>, Error> {
    let extension = output.extension().and_then(|extension| extension.to_str());
    let form = to.and_then(SceneForm::find).or_else(|| SceneForm::find(extension?));
    // The standard input can be read once only.
    let Some(form) = form.filter(|_| input != Path::new("-")) else { return Ok(None) };
    let same = rezkit::detect(&reading.bytes(input)?).is_some_and(|found| {
        let forms = found.format.forms.iter().map(|form| form.name);
        found.format.extensions.iter().copied().chain(forms).any(|name| name == form.name)
    });
    Ok((!same).then_some(form))
}

/// Converts one file; what is lost is printed, a line each.
pub(crate) fn convert(
    reading: &Reading,
    beside: &Beside,
    input: &Path,
    form: &SceneForm,
    to: Option<&str>,
    output: &Path,
) -> Result<(), Error> {
    let (scene, mut losses) = beside.scene(reading, input)?;
    let stem = output.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy().into_owned());
    let mut written = form.write(&scene, &stem)?;
    losses.append(&mut written.losses);
    // A version or an encoding of the format that was asked for.
    if let Some(to) = to.filter(|to| SceneForm::find(to).is_none()) {
        let asset = reading.options().read(&written.bytes)?;
        written.bytes = asset.write(&rezkit::WriteOptions::new().form(to))?;
    }
    for loss in &losses {
        report::complain(Some(&report::path(input)), &format_args!("not converted: {loss}"));
    }
    let folder = output.parent().unwrap_or(Path::new(""));
    for (name, bytes) in &written.files {
        output::put(&folder.join(name), bytes)?;
    }
    output::put(output, &written.bytes)?;
    Ok(())
}
