//! `rezkit pack`: puts edited files back into the file that they were extracted from.

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rezkit::{PackOptions, Packed};

use crate::below;
use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage, helped};
use crate::output::{Plan, Replacing, To};
use crate::report::{self, about};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit extract place.rbxl -o place            write the scripts as files, to edit them
  rezkit pack place place.rbxl                  put the edited scripts back
  rezkit pack place place.rbxl -o edited.rbxl   keep the original file
  rezkit pack place place.rbxl --watch          and again whenever a file changes, until Ctrl+C

The files become instances as in Rojo: NAME.server.luau is a Script, NAME.client.luau a LocalScript, NAME.luau a
ModuleScript, init.luau turns its folder into a script, NAME.rbxm and NAME.model.json are models, and NAME.meta.json has
properties. Each instance is found by its name and class below its parent; what differs is changed, and new instances are
added. If a file is wrong, nothing is changed. If FOLDER has a default.project.json, only the instances in it are compared. FOLDER can also be a project file,
such as lobby.project.json. Files outside of its folder are read only if it names them. Nothing else in FILE changes. Files
of other kinds, such as README.md, are not packed.")]
pub(crate) struct Pack {
    #[command(flatten)]
    to: To,
    /// Remove what no file of the folder has: in folders that the project names with a path, and in those that `extract`
    /// wrote. Services, Terrain, Camera, and what is beside the scripts in Workspace stay. Scripts, folders and models then
    /// have their defaults where no file states a value. If the file of a script was only renamed or moved, the script is
    /// renamed or moved instead of removed
    #[arg(long)]
    remove: bool,
    /// Print the changes, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Pack again whenever a file of the folder changes, until Ctrl+C. A file that is wrong is reported, and nothing is
    /// written until it is right
    #[arg(long, conflicts_with = "dry_run")]
    watch: bool,
    /// Print the changes as lines of JSON, which `rezkit edit` applies
    #[arg(long, requires = "dry_run")]
    json: bool,
    /// The folder that `rezkit extract` wrote, or a Rojo project: its folder or its file
    folder: PathBuf,
    /// The file to update: .rbxl, .rbxlx, .rbxm or .rbxmx
    file: PathBuf,
}

/// The names of the file that makes a folder a project.
const PROJECTS: [&str; 2] = ["default.project.json", "default.project.jsonc"];

/// The name of a project file without its ending.
fn project_name(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(".project.json").or_else(|| name.strip_suffix(".project.jsonc"))
}

/// The files to pack.
struct Given<'r> {
    reading: &'r Reading,
    left: u64,
    /// The files and folders whose content was read, without `..`.
    tops: Vec<PathBuf>,
    /// The content of each file; `None` for an empty folder.
    files: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl Given<'_> {
    /// Reads a file, or all files below a folder.
    fn read(&mut self, top: &Path) -> Result<(), Error> {
        let paths = if top.is_dir() { self.reading.all_below(top)? } else { vec![Ok(top.to_owned())] };
        for path in paths {
            // An unreadable part of the folder is an error: its scripts must not count as removed.
            let path = path.map_err(|(path, reason)| format!("{}: {reason}", report::path(&path)))?;
            let bytes = (!path.is_dir()).then(|| self.reading.bytes(&path)).transpose();
            let bytes = bytes.map_err(|error| format!("{}: {error}", report::path(&path)))?;
            let length = bytes.as_ref().map_or(0, Vec::len);
            self.left = self
                .left
                .checked_sub(length as u64)
                .ok_or_else(|| {
                    let limit = self.reading.max_bytes;
                    format!("the files in the folder exceed the limit of {limit} bytes in total")
                })
                .map_err(|error| helped(error, report::RAISE))
                .map_err(about(top))?;
            self.files.insert(normal(&path)?, bytes);
        }
        self.tops.push(normal(top)?);
        Ok(())
    }

    /// Reads what a project, and projects in what it names, name outside of what was read.
    fn named(&mut self, project: &Path) -> Result<(), Error> {
        let (mut waiting, mut seen) = (vec![normal(project)?], HashSet::new());
        while let Some(project) = waiting.pop() {
            let Some(Some(bytes)) = self.files.get(&project).filter(|_| seen.insert(project.clone())) else {
                continue;
            };
            for path in rezkit::project_paths(bytes) {
                let path = path.replace('\\', "/");
                if path.starts_with('/') {
                    continue;
                }
                let path = below::from(below::folder_of(&project), &path);
                let top = normal(&path)?;
                if path.exists() && !self.tops.iter().any(|known| top.starts_with(known)) {
                    self.read(&path)?;
                }
                // The paths below a folder follow it in their order.
                let inside = self.files.range(top.clone()..).map(|(file, _)| file);
                let inside = inside.take_while(|file| file.starts_with(&top));
                waiting.extend(inside.filter(|file| project_name(file).is_some()).cloned());
            }
        }
        Ok(())
    }

    /// The lowest folder above everything that was read.
    fn base(&self) -> PathBuf {
        let mut tops = self.tops.iter();
        let first = tops.next().cloned().unwrap_or_default();
        tops.fold(first, |base, top| {
            base.ancestors().find(|above| top.starts_with(above)).map(Path::to_owned).unwrap_or_default()
        })
    }
}

/// An absolute path without `.` and `..`.
fn normal(path: &Path) -> Result<PathBuf, Error> {
    let mut normal = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::ParentDir => _ = normal.pop(),
            part => normal.push(part),
        }
    }
    Ok(normal)
}

/// The pause between two looks at a folder; longer if a look takes long.
const PAUSE: Duration = Duration::from_millis(100);

/// The files of a folder, with the time of the last change and the length of each.
type Stamps = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

impl Pack {
    pub(crate) fn run(mut self, reading: &Reading) -> Result<Outcome, Error> {
        if !self.watch {
            return self.once(reading, &mut Vec::new());
        }
        if self.file.to_str() == Some("-") {
            return Err(
                Usage("--watch needs a file that can be read again, not the standard input".into()).into()
            );
        }
        let mut tops = Vec::new();
        // Wrong arguments end the program, wrong files do not.
        let mut result = self.once(reading, &mut tops);
        if tops.is_empty() {
            return result;
        }
        // What changed meanwhile is packed by the first look.
        let mut seen = Stamps::new();
        loop {
            match result {
                // The output is replaced from now on.
                Ok(_) => self.to.replacing = Replacing::all(),
                Err(error) => report::failed(None, &error),
            }
            loop {
                let start = Instant::now();
                let now = self.stamps(reading, &tops);
                let took = start.elapsed();
                if now != seen {
                    // An editor or Git is still writing while something changes.
                    std::thread::sleep(PAUSE / 4);
                    let settled = self.stamps(reading, &tops) == now;
                    if settled {
                        seen = now;
                        break;
                    }
                    continue;
                }
                std::thread::sleep(PAUSE.max(8 * took));
            }
            result = self.once(reading, &mut tops);
        }
    }

    /// The state of all files that are packed, without the packed document.
    fn stamps(&self, reading: &Reading, tops: &[PathBuf]) -> Stamps {
        let documents = [Some(&self.file), self.to.output.as_ref()];
        let documents: Vec<PathBuf> =
            documents.into_iter().flatten().filter_map(|path| normal(path).ok()).collect();
        let mut stamps = Stamps::new();
        for top in tops {
            let below =
                if top.is_dir() { reading.all_below(top).unwrap_or_default() } else { vec![Ok(top.clone())] };
            for path in below.into_iter().map(|path| path.unwrap_or_else(|(path, _)| path)) {
                if !documents.contains(&path) {
                    let stamp = path.metadata().and_then(|of| Ok((of.modified()?, of.len()))).ok();
                    stamps.insert(path, stamp);
                }
            }
        }
        stamps
    }

    /// Packs once. `tops` becomes the files and folders that were read.
    fn once(&self, reading: &Reading, read: &mut Vec<PathBuf>) -> Result<Outcome, Error> {
        let given_project = project_name(&self.folder).filter(|_| self.folder.is_file());
        let folder = match given_project {
            Some(_) => below::folder_of(&self.folder).to_owned(),
            None => self.folder.clone(),
        };
        if !folder.is_dir() {
            return Err(Usage(format!("{}: no such folder or project file", report::path(&folder))).into());
        }
        let (tops, files) = Default::default();
        let mut given = Given { reading, left: reading.max_bytes, tops, files };
        given.read(&folder)?;
        let project = match given_project {
            Some(_) => Some(self.folder.clone()),
            None => PROJECTS
                .iter()
                .map(|name| below::from(&folder, name))
                .find(|path| normal(path).is_ok_and(|path| given.files.contains_key(&path))),
        };
        read.clone_from(&given.tops);
        project.as_deref().map_or(Ok(()), |project| given.named(project))?;
        read.clone_from(&given.tops);
        let base = given.base();
        let mut options = PackOptions::new().remove(self.remove);
        options.name = std::fs::canonicalize(&folder)
            .ok()
            .and_then(|folder| Some(folder.file_name()?.to_str()?.to_owned()));
        if let Some(stem) = given_project.filter(|stem| *stem != "default") {
            options.name = Some(stem.to_owned());
        }
        let mut files = Vec::new();
        for (path, bytes) in given.files {
            let wrong = || about(&path)("the path is not UTF-8, so it names no instance; rename the file");
            let name = name(path.strip_prefix(&base)?).ok_or_else(wrong)?;
            files.push(match bytes {
                Some(bytes) => (name, bytes),
                None => (name + "/", Vec::new()),
            });
        }
        options.project = match project {
            Some(project) => name(normal(&project)?.strip_prefix(&base)?),
            None => None,
        };
        let mut opened = self.to.read(reading, &self.file)?;
        let names: HashSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
        let packed = opened.pack(files, options);
        let Packed { changed, losses, .. } = packed.map_err(|error| {
            let at = if names.contains(error.path()) { &self.folder } else { &self.file };
            about(at)(error)
        })?;
        let losses = self.to.accepted(losses, &self.folder)?;
        report::listed(&report::path(&self.folder), &losses, reading.verbose);
        if self.json {
            let old = reading.one(&self.file, reading.bytes(&self.file)?).map_err(about(&self.file))?;
            let (steps, losses) = old.patch(&opened)?;
            report::lost(&report::path(&self.file), &losses, true);
            let mut text = String::new();
            for step in &steps {
                report::json_line(&mut text, &serde_json::json!(step));
                if !report::print_much(&mut text)? {
                    break;
                }
            }
            report::print(&text)?;
            return Ok(Outcome::Success);
        }
        let lines = changed.iter().map(|path| format!("{}\n", report::Plain(path))).collect::<String>();
        if self.dry_run {
            report::print(&lines)?;
            return Ok(Outcome::Success);
        }
        match (changed.is_empty(), &self.to.output) {
            (true, None) if self.file.to_str() != Some("-") => {}
            // The standard input cannot be read again.
            (true, Some(output)) if self.file.to_str() != Some("-") => {
                let name = output.file_name().unwrap_or_default().to_string_lossy();
                opened.check_name(&name).map_err(about(output))?;
                let mut plan = Plan::new(&[], self.to.replacing);
                plan.unnamed(output.clone(), reading.bytes(&self.file)?)?;
                plan.write()?;
            }
            _ => self.to.write(&opened, &self.file, Vec::new(), reading)?,
        }
        report::print(&lines)?;
        Ok(Outcome::Success)
    }
}

/// A relative path with names separated by `/`; `None` if one of them is not UTF-8.
fn name(path: &Path) -> Option<String> {
    Some(path.iter().map(|name| name.to_str()).collect::<Option<Vec<_>>>()?.join("/"))
}
