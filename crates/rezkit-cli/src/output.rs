//! Writes all files of a command or none: they are planned together, written as temporary files beside their targets,
//! and moved when all are complete.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rezkit::{Loss, Opened};
use rezkit_core::Names;

use crate::below::{self, folder_of};
use crate::input::Reading;
use crate::outcome::{Error, Usage, helped};
use crate::policy::{Policy, accept};
use crate::report::{self, about};
use crate::seen::Seen;
use crate::temporary::{builder, new_permissions, paths, without_temporary};

/// The error for several files, or a folder, as the standard output.
const ONE: &str = "the command can write several files, but the standard output accepts only one; use an output path \
                   instead of -";

/// The remedy if a file exists.
const FORCE: &str = "use --force to overwrite";

/// The files that a command may replace.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Writing")]
pub(crate) struct Replacing {
    /// Overwrite existing files
    #[arg(long, short, alias = "overwrite")]
    pub(crate) force: bool,
}

/// The paths that a run of a command writes, with their inputs: two inputs must not become one output.
#[derive(Debug, Default)]
pub(crate) struct Claims(Mutex<HashMap<String, String>>);

/// A key that is equal for paths that some file system takes for the same one, however they are spelled.
fn key(path: &Path) -> String {
    // The file, or the folder in which it will be, is where the system says that it is.
    let found = path.ancestors().find_map(|at| {
        let known = if at.as_os_str().is_empty() { Path::new(".") } else { at };
        let (known, rest) = (known.canonicalize().ok()?, path.strip_prefix(at).ok()?);
        Some(if rest.as_os_str().is_empty() { known } else { known.join(rest) })
    });
    Names::key(&found.as_deref().unwrap_or(path).to_string_lossy())
}

impl Claims {
    /// Notes that an input becomes this output.
    ///
    /// # Errors
    /// If another input already becomes this file, also on file systems that ignore case or normalise names.
    pub(crate) fn claim(&self, output: &Path, input: &str) -> Result<(), Error> {
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = claims.entry(key(output)).or_insert_with(|| input.to_owned());
        match *first == input {
            true => Ok(()),
            false => {
                let output = report::path(output);
                Err(Usage(format!(
                    "{first} and {input} would both be written to {output} (upper and lower case count as \
                     equal); write them to different folders, or rename one"
                ))
                .into())
            }
        }
    }
}

impl Replacing {
    /// All files may be replaced.
    pub(crate) fn all() -> Self {
        Self { force: true }
    }
}

/// The output files of one input.
#[derive(Debug)]
pub(crate) struct Plan {
    inputs: HashSet<PathBuf>,
    replacing: Replacing,
    files: Vec<Planned>,
    /// The [`key`]s of their paths.
    planned: HashSet<String>,
    /// The [`key`]s of their folders.
    keys: HashMap<PathBuf, String>,
    /// The user's folder and folders below it that are known to be no links, and whether they exist.
    folders: HashMap<PathBuf, bool>,
    missing: Missing,
}

#[derive(Debug)]
struct Planned {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Whether the user named the path: then a link stays a link, and its target is written.
    named: bool,
    /// The expected content of a file that is edited in place.
    seen: Option<Seen>,
}

/// The treatment of missing folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    /// The user must create them.
    Refused,
    /// They are created; another plan may create them at the same time.
    Made,
    /// They are created as temporary folders with their content, and moved as a whole.
    Whole,
}

impl Plan {
    /// An empty plan, none of whose files may be one of the inputs.
    pub(crate) fn new(inputs: &[&Path], replacing: Replacing) -> Self {
        let inputs = inputs.iter().map(|path| same(path)).collect();
        Self {
            inputs,
            replacing,
            files: Vec::new(),
            planned: HashSet::new(),
            keys: HashMap::new(),
            folders: HashMap::new(),
            missing: Missing::Refused,
        }
    }

    /// An empty plan for files below a folder that the user names, which is created if it is missing.
    pub(crate) fn in_folder(inputs: &[&Path], replacing: Replacing) -> Self {
        Self { missing: Missing::Made, ..Self::new(inputs, replacing) }
    }

    /// Like [`in_folder`](Self::in_folder), if no other plan of this run has files below the folder.
    pub(crate) fn whole_folder(inputs: &[&Path], replacing: Replacing) -> Self {
        Self { missing: Missing::Whole, ..Self::new(inputs, replacing) }
    }

    /// Adds the file that is edited in place.
    pub(crate) fn named(&mut self, path: &Path, bytes: Vec<u8>, seen: Option<Seen>) -> Result<(), Error> {
        self.replace(Planned { path: path.to_owned(), bytes, named: true, seen })
    }

    /// Adds the output file that the user names, if it does not exist or may be replaced.
    pub(crate) fn unnamed(&mut self, path: PathBuf, bytes: Vec<u8>) -> Result<(), Error> {
        self.output(path, bytes, None)
    }

    /// Like [`unnamed`](Self::unnamed), with the expected content of the file that is replaced.
    pub(crate) fn output(&mut self, path: PathBuf, bytes: Vec<u8>, seen: Option<Seen>) -> Result<(), Error> {
        self.add(Planned { path, bytes, named: true, seen })
    }

    /// Adds a file below a folder that the user names.
    ///
    /// # Errors
    /// If the path leaves the folder, or one of its names is a link.
    pub(crate) fn below(&mut self, folder: &Path, path: &Path, bytes: Vec<u8>) -> Result<(), Error> {
        if folder.to_str() == Some("-") {
            return Err(Usage(ONE.into()).into());
        }
        let names = path.components().count();
        let path = below::join(folder, path)?;
        // Before anything is looked up, which takes longer the longer the path is.
        if path.as_os_str().len() >= MAX_PATH {
            return Err(format!(
                "{}: the path has {} bytes, and systems accept at most {MAX_PATH}; nothing was written",
                rezkit::plain::shorten(&report::path(&path).to_string(), 200),
                path.as_os_str().len()
            )
            .into());
        }
        let parent = path.parent().unwrap_or(folder);
        // From the file upwards, until a folder is known.
        let mut exists = self.folders.get(parent).copied();
        if exists != Some(false) {
            for at in path.ancestors().take(names) {
                if self.folders.contains_key(at) {
                    break;
                }
                if below::is_link(at) {
                    return Err(Usage(format!(
                        "{}: found a symbolic link, which rezkit does not follow; choose another output folder",
                        report::path(at)
                    ))
                    .into());
                }
                if at != path {
                    self.folders.insert(at.to_owned(), is_folder(at));
                }
            }
            exists = Some(*self.folders.entry(parent.to_owned()).or_insert_with(|| is_folder(parent)));
        }
        let file = Planned { path, bytes, named: false, seen: None };
        match exists {
            Some(false) => self.push(file),
            _ => self.add(file),
        }
    }

    /// Adds a file of the kit below a folder that the user names.
    pub(crate) fn file(&mut self, folder: &Path, file: rezkit::File) -> Result<(), Error> {
        let path = PathBuf::from(file.path());
        self.below(folder, &path, file.bytes)
    }

    /// # Errors
    /// If the file exists and may not be replaced.
    fn add(&mut self, file: Planned) -> Result<(), Error> {
        let path = &file.path;
        // A device is written to directly.
        if !path.is_file() {
            return self.push(file);
        }
        if !self.replacing.force && !self.inputs.contains(&same(path)) {
            return Err(about(path)(helped(Usage("already exists".into()), FORCE)));
        }
        self.replace(file)
    }

    /// # Errors
    /// If the path is an input, or already a file of the plan.
    fn replace(&mut self, file: Planned) -> Result<(), Error> {
        let path = &file.path;
        if path.to_str() != Some("-") && self.inputs.contains(&same(path)) && !self.replacing.force {
            let same = Usage("input and output are the same file".into());
            return Err(about(path)(helped(same, FORCE)));
        }
        self.push(file)
    }

    /// A file that is not an input.
    fn push(&mut self, file: Planned) -> Result<(), Error> {
        let key = self.key(&file.path);
        if !self.planned.insert(key) {
            return Err(Usage(format!(
                "{}: the command would write this file twice; choose different output paths",
                report::path(&file.path)
            ))
            .into());
        }
        self.files.push(file);
        Ok(())
    }

    /// As [`key`], which looks up each folder once.
    fn key(&mut self, path: &Path) -> String {
        if path.exists() || below::is_link(path) {
            return key(path);
        }
        let (mut found, mut new) = (String::new(), Vec::new());
        for folder in path.ancestors().skip(1) {
            if let Some(known) = self.keys.get(folder) {
                found.clone_from(known);
                break;
            }
            if is_folder(folder) {
                found = key(folder);
                self.keys.insert(folder.to_owned(), found.clone());
                break;
            }
            new.push(folder);
        }
        let inside = |found: &str, path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            format!("{found}/{}", Names::key(&name))
        };
        for folder in new.into_iter().rev() {
            found = inside(&found, folder);
            self.keys.insert(folder.to_owned(), found.clone());
        }
        inside(&found, path)
    }

    /// The paths of the plan.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// Writes all files, or none of them.
    ///
    /// # Errors
    /// With the path of the file at fault.
    pub(crate) fn write(self) -> Result<(), Error> {
        if self.files.len() > 1 && self.paths().any(|path| path.to_str() == Some("-")) {
            return Err(Usage(ONE.into()).into());
        }
        let (mut staged, mut folders) = (Vec::new(), Folders::default());
        for Planned { path, bytes, named, seen } in &self.files {
            let at = |error: io::Error| format!("{}: {error}", report::path(path));
            let folder = path.parent().filter(|_| self.missing != Missing::Refused);
            let new = folder.map_or(Ok(None), |folder| folders.find(folder, self.missing)).map_err(at)?;
            match new {
                // A folder that this run creates contains nothing else.
                Some(folder) => {
                    let _not_removed = paths();
                    let file = below::join(&folder, Path::new(path.file_name().unwrap_or_default()));
                    file.and_then(fs::File::create_new)
                        .and_then(|mut file| file.write_all(bytes))
                        .map_err(at)?;
                }
                None => {
                    staged.extend(stage(path, bytes, *named).map_err(at)?.map(|staged| (path, *seen, staged)))
                }
            }
        }
        let mut paths = paths();
        let mut made = Vec::new();
        let take_back = |made: Vec<&Path>| {
            made.into_iter().for_each(|path| _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path)));
        };
        for (path, folder) in &folders.new {
            if let Err(error) = fs::rename(folder, path) {
                take_back(made);
                // Dropping `folders`, which removes the temporary ones, locks the paths again.
                drop(paths);
                return Err(format!("{}: {error}", report::path(path)).into());
            }
            made.push(path);
        }
        for (path, seen, file) in staged {
            let is_new = !path.exists();
            if let Err(error) = file.commit(seen, &mut paths) {
                take_back(made);
                drop(paths);
                return Err(format!("{}: {error}", report::path(path)).into());
            }
            made.extend(is_new.then_some(path.as_path()));
        }
        drop(paths);
        Ok(())
    }
}

/// The folders that a plan makes.
#[derive(Default)]
struct Folders {
    /// By folder, the temporary folder in which its files are written; `None` if the folder itself is used.
    found: HashMap<PathBuf, Option<PathBuf>>,
    /// By outermost missing folder, the temporary folder that is moved into its place.
    new: HashMap<PathBuf, PathBuf>,
}

impl Folders {
    /// The temporary folder for the files of a folder; `None` if the folder exists, or was created in place.
    fn find(&mut self, folder: &Path, missing: Missing) -> io::Result<Option<PathBuf>> {
        if let Some(found) = self.found.get(folder) {
            return Ok(found.clone());
        }
        let found = match folder.ancestors().take_while(|path| !is_folder(path)).last() {
            None => None,
            Some(_) if missing != Missing::Whole => {
                fs::create_dir_all(folder)?;
                None
            }
            Some(top) => {
                let temporary = match self.new.get(top) {
                    Some(temporary) => temporary.clone(),
                    None => self.add(top)?,
                };
                let inner = below::join(&temporary, folder.strip_prefix(top).unwrap_or(Path::new("")))?;
                let _not_removed = paths();
                fs::create_dir_all(&inner)?;
                Some(inner)
            }
        };
        self.found.insert(folder.to_owned(), found.clone());
        Ok(found)
    }

    fn add(&mut self, path: &Path) -> io::Result<PathBuf> {
        let builder = builder(folder_of(path), Some(0o777));
        let mut paths = paths();
        let folder = builder.tempdir_in(folder_of(path)).map_err(without_temporary)?.keep();
        paths.insert(folder.clone());
        self.new.insert(path.to_owned(), folder.clone());
        Ok(folder)
    }
}

impl Drop for Folders {
    /// Removes the temporary folders that were not moved.
    fn drop(&mut self) {
        for folder in self.new.values() {
            let _ = fs::remove_dir_all(folder);
            paths().remove(folder);
        }
    }
}

/// The output path of an edited file.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Writing")]
pub(crate) struct To {
    /// The output path [default: overwrite the input file]
    #[arg(long, short)]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) replacing: Replacing,
    #[command(flatten)]
    pub(crate) policy: Policy,
    /// The state of the file when it was read.
    #[arg(skip)]
    pub(crate) seen: Cell<Option<Seen>>,
}

impl To {
    /// Reads the only asset in the file that is edited.
    ///
    /// # Errors
    /// With the file's name.
    pub(crate) fn read(&self, reading: &Reading, file: &Path) -> Result<Opened<'static>, Error> {
        let bytes = reading.bytes(file).map_err(about(file))?;
        let seen = Seen::of(&bytes).map_err(about(file))?;
        self.seen.set(file.is_file().then_some(seen));
        reading.one(file, bytes).map_err(about(file))
    }

    /// Adds an edited asset to a plan: at the path that the user gives, or in place of its file, compressed as it was.
    ///
    /// # Errors
    /// If the path exists and may not be replaced.
    pub(crate) fn add(&self, opened: &Opened<'_>, file: &Path, plan: &mut Plan) -> Result<(), Error> {
        match &self.output {
            Some(output) => {
                let name = output.file_name().unwrap_or_default().to_string_lossy();
                opened.check_name(&name).map_err(about(output))?;
                plan.unnamed(output.clone(), opened.to_file(Some(&name)).map_err(about(file))?)
            }
            None => plan.named(file, opened.to_file(None).map_err(about(file))?, self.seen.get()),
        }
    }

    /// The losses of an edit that are listed.
    ///
    /// # Errors
    /// If the options deny one of them.
    pub(crate) fn accepted(&self, losses: Vec<Loss>, file: &Path) -> Result<Vec<Loss>, Error> {
        let mut losses = Loss::grouped(losses);
        accept(&self.policy.of_losses()?, &mut losses).map_err(about(file))?;
        Ok(losses)
    }

    /// Writes an edited asset, and prints what the edit could not keep.
    ///
    /// # Errors
    /// Also if the options deny one of the losses.
    pub(crate) fn write(
        &self,
        opened: &Opened<'_>,
        file: &Path,
        mut losses: Vec<Loss>,
        reading: &Reading,
    ) -> Result<(), Error> {
        losses.extend(opened.edit_losses());
        let losses = self.accepted(losses, file)?;
        let mut plan = Plan::new(&[], self.replacing);
        self.add(opened, file, &mut plan)?;
        plan.write()?;
        report::lost(&report::path(file), &losses, reading.verbose);
        Ok(())
    }
}

/// The longest path of a file that systems accept, in bytes.
const MAX_PATH: usize = 4096;

/// A path that is equal for all existing paths of one file.
pub(crate) fn same(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// A complete temporary file beside its target.
struct Staged {
    temporary: tempfile::TempPath,
    path: PathBuf,
    /// Whether it replaces a file, whose content must not be lost in a system crash.
    replaces: bool,
}

/// Writes a temporary file beside its target. `None` if the target was written directly: the standard output (`-`), a
/// device or a pipe.
///
/// Only the owner can read the file until it is moved; then it has the permissions and the owner of the file that it
/// replaces, or those of a new file. A link stays a link: its target is replaced or created. If the user did not name
/// the path, a link, a device or a pipe is an error. Other names of a replaced file (hard links) keep the old content.
fn stage(path: &Path, bytes: &[u8], named: bool) -> io::Result<Option<Staged>> {
    staged(path, bytes, named).map_err(without_temporary)
}

fn staged(path: &Path, bytes: &[u8], named: bool) -> io::Result<Option<Staged>> {
    if path.to_str() == Some("-") {
        let mut out = io::stdout().lock();
        // A program that reads only the beginning has all that it wants.
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(None),
        };
    }
    let existing = fs::metadata(path).ok();
    if !named && below::is_link(path) {
        return Err(io::Error::other(
            "found a symbolic link, which rezkit does not follow; choose another output folder",
        ));
    }
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        if !named || path.is_dir() {
            return Err(io::Error::other(
                "a folder or device already exists at this path; choose another path",
            ));
        }
        fs::OpenOptions::new().write(true).open(path)?.write_all(bytes)?;
        return Ok(None);
    }
    let path = below::follow(path)?;
    let folder = folder_of(&path);
    if below::names_folder(&path) || !folder.is_dir() {
        // The path of a file has no folder below it.
        let what = match folder.ancestors().find(|path| path.is_file()) {
            Some(file) => format!("{} is a file; choose another path for the folder", report::path(file)),
            None => "the output folder does not exist; create it first".to_owned(),
        };
        return Err(io::Error::new(io::ErrorKind::NotFound, what));
    }
    let permissions = match &existing {
        Some(existing) if existing.permissions().readonly() => {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the file is read-only; make it writable or choose another output path",
            ));
        }
        Some(existing) => existing.permissions(),
        None => new_permissions(folder)?,
    };
    let mut file = {
        let builder = builder(folder, None);
        let mut paths = paths();
        let file = builder.tempfile_in(folder)?;
        paths.insert(file.path().to_owned());
        file
    };
    let written = (|| {
        file.write_all(bytes)?;
        #[cfg(unix)]
        if let Some(existing) = &existing {
            use std::os::unix::fs::MetadataExt as _;
            let new = file.as_file().metadata()?;
            if (new.uid(), new.gid()) != (existing.uid(), existing.gid()) {
                // If the user may not change the owner, the user owns the file, as with any editor.
                let _ = std::os::unix::fs::fchown(file.as_file(), Some(existing.uid()), Some(existing.gid()));
            }
        }
        file.as_file().set_permissions(permissions)?;
        match existing {
            Some(_) => file.as_file().sync_all(),
            None => Ok(()),
        }
    })();
    let replaces = existing.is_some();
    // If writing failed, dropping `staged` removes the temporary file.
    let staged = Staged { temporary: file.into_temp_path(), path, replaces };
    written.map(|()| Some(staged))
}

impl Staged {
    /// Moves the file to its path. If `seen` is given, the file there must not have changed since.
    fn commit(self, seen: Option<Seen>, paths: &mut BTreeSet<PathBuf>) -> io::Result<()> {
        let temporary = self.temporary.to_path_buf();
        let _locked = seen.map(|seen| seen.unchanged(&self.path)).transpose()?;
        // Unlike `persist`, this replaces a file on Windows that another run is reading.
        let placed = self
            .temporary
            .keep()
            .map_err(io::Error::from)
            .and_then(|made| fs::rename(&made, &self.path).inspect_err(|_| _ = fs::remove_file(&made)));
        paths.remove(&temporary);
        placed?;
        // The new name must survive a crash, too. Systems that cannot open folders do not need this.
        if self.replaces
            && let Ok(folder) = fs::File::open(folder_of(&self.path))
        {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// Whether something exists at the path of a folder. The empty path is the current folder.
fn is_folder(path: &Path) -> bool {
    path.as_os_str().is_empty() || path.exists()
}
