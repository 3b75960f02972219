//! The files that a command reads: given ones, and those in folders and archives.

use std::fs;
use std::io::{self, IsTerminal as _, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use rezkit::Opened;
use rezkit::plain::shorten;

use crate::below::{self, folder_of};
use crate::outcome::{Error, Outcome, Usage, helped, outcome};
use crate::report::{self, Plain, about};

/// The options for finding and reading files.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// Maximum memory in bytes for reading one file and for everything computed from it, such as 500000, 64M or 2G
    #[arg(long, global = true, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    pub(crate) max_bytes: u64,
    /// In folders, skip files that match this pattern in .gitignore syntax (repeatable)
    #[arg(long, global = true, value_name = "GLOB")]
    exclude: Vec<String>,
    /// In folders, include hidden files
    #[arg(long, global = true)]
    hidden: bool,
    /// In folders, include files that .gitignore and .ignore files exclude
    #[arg(long, global = true)]
    no_ignore: bool,
    /// Read files as this format instead of recognizing it: binary, xml or notation (LLSD without a header), json (LLSD
    /// written as JSON), gltf, obj or stl
    #[arg(long, global = true, value_name = "FORMAT")]
    from: Option<String>,
    /// List all losses and errors, instead of a summary; losses with the same cause share one line
    #[arg(long, short, global = true, help_heading = "Messages")]
    pub(crate) verbose: bool,
    /// What the standard input contained, if it is read several times.
    #[arg(skip)]
    piped: Option<Arc<Vec<u8>>>,
    /// Prints a row for a file that cannot be read, besides the error.
    #[arg(skip)]
    row: Option<fn(&str, &Error) -> String>,
}

/// The largest file of patterns that is read.
const PATTERNS: u64 = 1 << 20;

/// A file with patterns of ignored files in a folder that is a link, a pipe or a device, or has more than [`PATTERNS`] bytes.
fn unreadable_patterns(folder: &Path) -> Option<Unread> {
    let is_wrong = |path: &PathBuf| {
        std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file() || found.len() > PATTERNS)
    };
    let path = [".ignore", ".gitignore"].map(|name| folder.join(name)).into_iter().find(is_wrong)?;
    let what = "expected a file of at most 1 MiB with patterns of ignored files (use --no-ignore to read the folder \
                without it)";
    Some((path, what.to_owned()))
}

/// A number of bytes: 1K, 1KB and 1KiB are 1,024.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => Some(0),
        "K" | "KB" | "KIB" => Some(10),
        "M" | "MB" | "MIB" => Some(20),
        "G" | "GB" | "GIB" => Some(30),
        _ => None,
    };
    let bytes =
        number.parse().ok().zip(shift).and_then(|(number, shift)| u64::checked_mul(number, 1 << shift));
    bytes.ok_or_else(|| "expected a number of bytes such as 65536, 64K, 16M or 1G".to_owned())
}

/// The error for bytes that should be a text.
pub(crate) const NOT_TEXT: &str = "the text on the standard input is not UTF-8";

/// The maximum number of characters of the name of a part of an archive in reports.
const NAME: usize = 600;

/// An asset in a file, and its name in reports.
pub(crate) struct Source {
    /// The name as it is printed, with control characters escaped.
    pub(crate) name: String,
    /// The file; for a part of an archive, the archive.
    pub(crate) path: PathBuf,
    pub(crate) part: rezkit::Unwrapped,
    /// Whether this is the first asset of the file.
    pub(crate) is_first: bool,
}

/// The separator between the names of a file and of a part of it.
fn joint(part: &rezkit::Unwrapped) -> &'static str {
    if part.name.is_empty() || part.name.starts_with('#') { "" } else { "/" }
}

impl Source {
    /// Whether the asset is in an archive, or in a file with others.
    pub(crate) fn is_part(&self) -> bool {
        self.part.wrapped == rezkit::Wrapped::Among
    }

    /// The place of the files next to the asset.
    pub(crate) fn place(&self) -> Place {
        match self.path.to_str() {
            _ if self.part.is_in_archive() => Place::Archive(self.part.clone()),
            Some("-") => Place::Nowhere,
            _ => Place::Folder(folder_of(&self.path).to_owned()),
        }
    }

    /// The name for JSON and SARIF, which have their own escapes.
    pub(crate) fn json_name(&self) -> String {
        let Self { path, part, .. } = self;
        let name = shorten(&part.name, NAME);
        format!("{}{}{name}", path.display(), joint(part)).replace(std::path::MAIN_SEPARATOR, "/")
    }

    /// The name of the file, or within the archive.
    pub(crate) fn file_name(&self) -> String {
        match self.part.name.is_empty() {
            true => self.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            false => self.part.name.clone(),
        }
    }

    fn is_json(&self) -> bool {
        self.detected().is_some_and(|found| found.version == "json")
    }

    /// A failure if entries of its archive cannot be read, though the rest was.
    pub(crate) fn outcome(&self) -> Outcome {
        if self.part.failed.is_some() { Outcome::Failure } else { Outcome::Success }
    }

    /// Whether only files of our formats have the extension of its name.
    pub(crate) fn is_named_as_asset(&self) -> bool {
        const OWN: [&str; 17] = [
            "a3d", "anim", "bvh", "dae", "glb", "gltf", "iar", "llmesh", "m3d", "mesh", "oar", "ply", "rbxl",
            "rbxlx", "rbxm", "rbxmx", "slm",
        ];
        let name = self.file_name().to_ascii_lowercase();
        name.rsplit_once('.').is_some_and(|(_, extension)| OWN.contains(&extension))
    }

    /// The format of the asset, by its first bytes and its name.
    pub(crate) fn detected(&self) -> Option<rezkit::Detected> {
        rezkit::detect_named(&self.part.bytes, &self.file_name())
    }
}

/// The place of the files next to a file.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Folder(PathBuf),
    /// An archive, which has the files beside this part of it.
    Archive(rezkit::Unwrapped),
    /// The standard input has no neighbours.
    Nowhere,
}

/// The result of reading the files at some paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    pub(crate) outcome: Outcome,
    pub(crate) failed: usize,
    /// The number of skipped files below folders.
    pub(crate) skipped: usize,
}

/// A file to read, or a folder that cannot be read, with the reason.
struct Entry {
    path: PathBuf,
    named: bool,
    refused: Option<String>,
}

/// The number of files that are read before their results are printed.
const BATCH: usize = 64;

impl Reading {
    pub(crate) fn options(&self) -> rezkit::ReadOptions {
        let options = rezkit::ReadOptions::new().max_bytes(self.max_bytes);
        match &self.from {
            Some(form) => options.form(form),
            None => options,
        }
    }

    /// The same, with a row for each file that cannot be read.
    pub(crate) fn with_row(&self, row: fn(&str, &Error) -> String) -> Self {
        Self { row: Some(row), ..self.clone() }
    }

    /// Whether the user names the format of the files.
    pub(crate) fn names_format(&self) -> bool {
        self.from.is_some()
    }

    /// Calls a function with every asset at these paths, several at a time; an error does not stop
    /// the others. The text about an asset is printed in the order of the paths, and not at all if
    /// the asset fails.
    pub(crate) fn each(
        &self,
        paths: &[PathBuf],
        run: impl Fn(&Source, &mut String) -> Result<Outcome, Error> + Sync,
    ) -> Result<Outcome, Error> {
        self.each_of(paths, |source| source.detected().is_some() || source.is_named_as_asset(), run)
    }

    /// Like [`Reading::each`], with a filter for files below folders.
    pub(crate) fn each_of(
        &self,
        paths: &[PathBuf],
        wanted: impl Fn(&Source) -> bool + Sync,
        run: impl Fn(&Source, &mut String) -> Result<Outcome, Error> + Sync,
    ) -> Result<Outcome, Error> {
        let run = |source: &Source| {
            let mut text = String::new();
            run(source, &mut text).map(|outcome| (text, outcome))
        };
        let mut worst = Outcome::Success;
        let tally = self.map(paths, wanted, run, |_, (text, outcome)| {
            worst = worst.max(outcome);
            report::print(&text)
        })?;
        Ok(tally.outcome.max(worst))
    }

    /// Maps every asset at these paths, several at a time; `take` gets the results in the order of the
    /// paths, until it returns `false`. Errors are printed. Below folders, only accepted files are read.
    pub(crate) fn map<T: Send>(
        &self,
        paths: &[PathBuf],
        wanted: impl Fn(&Source) -> bool + Sync,
        run: impl Fn(&Source) -> Result<T, Error> + Sync,
        mut take: impl FnMut(&str, T) -> Result<bool, Error>,
    ) -> Result<Tally, Error> {
        // Where no threads can be started, this one does the work: the global pool would panic.
        let threads = rayon::ThreadPoolBuilder::new().build().ok();
        let entries = self.entries(paths)?;
        let bar = progress(entries.len());
        let one = |entry: &Entry| {
            let (mut skipped, others) = (0, std::cell::Cell::new(0));
            let refused = entry.refused.clone().map(Error::from);
            let made: Vec<(String, Result<T, Error>)> =
                match refused.map_or_else(|| self.open(&entry.path), Err) {
                    Ok(sources) => sources
                        .into_iter()
                        .filter(|source| {
                            let is_wanted = entry.named
                                || self.from.is_some()
                                || source.part.failed.is_some()
                                || wanted(source);
                            skipped += usize::from(!is_wanted);
                            is_wanted
                        })
                        .map(|source| match &source.part.failed {
                            Some(reason) => (Err(rezkit::Error::unreadable(reason).into()), source),
                            None => (run(&source), source),
                        })
                        .filter(|(made, source)| {
                            // Most JSON of other programs is also LLSD; the rest is skipped.
                            let is_other = !entry.named && source.is_json() && is_unreadable(made);
                            others.set(others.get() + usize::from(is_other));
                            !is_other
                        })
                        .map(|(made, source)| (source.name, made))
                        .collect(),
                    Err(error) => vec![(report::path(&entry.path), Err(error))],
                };
            bar.inc(1);
            (made, skipped + others.get())
        };
        let (mut tally, mut any) = (Tally { outcome: Outcome::Success, failed: 0, skipped: 0 }, false);
        for batch in entries.chunks(BATCH) {
            let batch: Vec<_> = match &threads {
                Some(threads) => threads.install(|| batch.par_iter().map(one).collect()),
                None => batch.iter().map(one).collect(),
            };
            for (made, skipped) in batch {
                tally.skipped += skipped;
                let mut errors = 0;
                for (name, made) in made {
                    any = true;
                    let goes_on = bar.suspend(|| match made {
                        Ok(made) => take(&name, made),
                        Err(error) => {
                            tally.outcome = tally.outcome.max(outcome(&error));
                            tally.failed += 1;
                            errors += 1;
                            if errors <= report::ERRORS || self.verbose {
                                report::failed(Some(&name), &error);
                            }
                            self.row.map_or(Ok(true), |row| report::print(&row(&name, &error)).map(|_| true))
                        }
                    })?;
                    if !goes_on {
                        return Ok(tally);
                    }
                }
                if errors > report::ERRORS && !self.verbose {
                    let more =
                        format!("further errors: {}; --verbose lists all errors", errors - report::ERRORS);
                    bar.suspend(|| report::note("", &more));
                }
            }
        }
        bar.finish_and_clear();
        if !any {
            nothing_found(paths);
            tally.outcome = tally.outcome.max(Outcome::Failure);
        }
        Ok(tally)
    }

    /// The assets in a file.
    pub(crate) fn open(&self, path: &Path) -> Result<Vec<Source>, Error> {
        self.sources(path, self.bytes(path)?)
    }

    /// The assets in the bytes of a file.
    fn sources(&self, path: &Path, bytes: Vec<u8>) -> Result<Vec<Source>, Error> {
        let name = report::path(path);
        let parts = match self.from {
            Some(_) => vec![rezkit::Unwrapped::whole(bytes)],
            None => rezkit::unwrap(bytes, &self.options())?,
        };
        if parts.is_empty() {
            return Err("the archive contains no asset that rezkit can read".into());
        }
        let source = |(index, part): (usize, rezkit::Unwrapped)| {
            let name = format!("{name}{}{}", joint(&part), Plain(shorten(&part.name, NAME)));
            Source { name, path: path.to_owned(), part, is_first: index == 0 }
        };
        Ok(parts.into_iter().enumerate().map(source).collect())
    }

    /// The only asset in a file, not yet decoded.
    pub(crate) fn open_one(&self, path: &Path) -> Result<Source, Error> {
        one_of(self.open(path)?)
    }

    /// The only asset in the bytes of a file.
    pub(crate) fn one(&self, path: &Path, bytes: Vec<u8>) -> Result<Opened<'static>, Error> {
        self.opened(&one_of(self.sources(path, bytes)?)?)
    }

    /// The only asset in a file.
    ///
    /// # Errors
    /// With the file's name.
    pub(crate) fn read(&self, path: &Path) -> Result<Opened<'static>, Error> {
        self.open_one(path).and_then(|source| self.opened(&source)).map_err(about(path))
    }

    /// An opened asset that finds the files next to it.
    pub(crate) fn opened(&self, source: &Source) -> Result<Opened<'static>, Error> {
        let (reading, place) = (self.clone(), source.place());
        let beside = move |reference: &rezkit::Reference, max_bytes| match reference {
            rezkit::Reference::Beside(name) => reading.beside(&place, name, max_bytes),
            _ => Ok(None),
        };
        self.opened_with(source, beside)
    }

    /// A file of at most `max_bytes` bytes next to another, by its name relative to that one.
    pub(crate) fn beside(
        &self,
        place: &Place,
        name: &str,
        max_bytes: u64,
    ) -> rezkit::Result<Option<Vec<u8>>> {
        match place {
            Place::Folder(folder) => self.inside(folder, name, max_bytes),
            Place::Archive(part) => {
                let Some(bytes) = part.beside(name) else { return Ok(None) };
                let left = self.max_bytes.saturating_sub(part.memory_of_others());
                rezkit::Budget::new(left.min(max_bytes))
                    .take(bytes.len() as u64, &format!("the file {name}"))?;
                Ok(Some(bytes.to_vec()))
            }
            Place::Nowhere => Ok(None),
        }
    }

    /// A file of at most `max_bytes` bytes below a folder; `None` if the file is missing.
    ///
    /// # Errors
    /// If the name or a link leaves the folder, or the file is larger.
    pub(crate) fn inside(
        &self,
        folder: &Path,
        name: &str,
        max_bytes: u64,
    ) -> rezkit::Result<Option<Vec<u8>>> {
        match below::find(folder, Path::new(name)).map_err(rezkit::Error::unreadable)? {
            Some(path) if path.is_file() => {
                let len = fs::metadata(&path).map_err(rezkit::Error::unreadable)?.len();
                rezkit::Budget::new(max_bytes).take(len, &format!("the file {name}"))?;
                self.bytes(&path).map(Some).map_err(rezkit::Error::unreadable)
            }
            _ => Ok(None),
        }
    }

    /// An opened asset with this source of the files that it refers to.
    pub(crate) fn opened_with<'f>(
        &self,
        source: &Source,
        sources: impl rezkit::Sources + Send + 'f,
    ) -> Result<Opened<'f>, Error> {
        Ok(self.options().open_part(&source.part, &source.file_name(), sources)?)
    }

    /// Every file below a folder, in order of names, and every folder that cannot be read and every
    /// link that leaves the folder, with the reason.
    pub(crate) fn below(&self, folder: &Path) -> Result<Vec<Result<PathBuf, Unread>>, Error> {
        self.walk(folder, self.hidden, self.no_ignore)
    }

    /// Like [`below`](Self::below), with hidden and ignored files, and with empty folders.
    pub(crate) fn all_below(&self, folder: &Path) -> Result<Vec<Result<PathBuf, Unread>>, Error> {
        self.walk(folder, true, true)
    }

    fn walk(&self, folder: &Path, hidden: bool, all: bool) -> Result<Vec<Result<PathBuf, Unread>>, Error> {
        let mut excluded = OverrideBuilder::new(folder);
        for glob in &self.exclude {
            let added = excluded.add(&format!("!{glob}"));
            added.map_err(|error| match error {
                // Its text contains the `!`, which the user did not write.
                ignore::Error::Glob { err, .. } => Usage(format!("--exclude {glob}: {err}")),
                error => Usage(format!("--exclude {glob}: {error}")),
            })?;
        }
        // The crate `ignore` reads files of patterns whole, whatever they are, so folders with others are not read.
        let refused = Arc::new(Mutex::new(Vec::new()));
        let mut walk = WalkBuilder::new(folder);
        if !all {
            unreadable_patterns(folder).map_or(Ok(()), |error| Err(about(&error.0)(error.1)))?;
            let refused = Arc::clone(&refused);
            walk.filter_entry(move |entry| {
                let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                let error = is_folder.then(|| unreadable_patterns(entry.path())).flatten();
                let is_read = error.is_none();
                refused.lock().unwrap_or_else(PoisonError::into_inner).extend(error);
                is_read
            });
        }
        walk.overrides(excluded.build()?).hidden(!hidden).require_git(false).git_global(false);
        walk.parents(false).ignore(!all).git_ignore(!all).git_exclude(false);
        walk.sort_by_file_path(|a, b| a.cmp(b));
        // Where everything counts, a link to a folder is not skipped without a word.
        let is_linked = |entry: &ignore::DirEntry| all && entry.path_is_symlink() && entry.depth() > 0;
        let is_empty = |entry: &ignore::DirEntry| {
            let is_folder = all && entry.depth() > 0 && entry.path().is_dir();
            is_folder && entry.path().read_dir().is_ok_and(|mut entries| entries.next().is_none())
        };
        // Nor is a pipe or a device, whose file would count as missing.
        let is_special = |entry: &ignore::DirEntry| {
            all && entry.file_type().is_some_and(|of| !of.is_file() && !of.is_dir() && !of.is_symlink())
        };
        let wanted = |entry: &Result<ignore::DirEntry, _>| {
            !entry.as_ref().is_ok_and(|entry| {
                !entry.path().is_file() && !is_linked(entry) && !is_empty(entry) && !is_special(entry)
            })
        };
        let found = walk.build().filter(wanted).map(|entry| {
            let entry = entry.map_err(|error| located(error, folder))?;
            let (is_link, is_special) = (entry.path_is_symlink(), is_special(&entry));
            let path = entry.into_path();
            if is_special {
                return Err((path, "neither a file nor a folder, such as a pipe; remove it".to_owned()));
            }
            if is_link && path.is_dir() {
                let what =
                    "a link to a folder, which rezkit does not follow; replace it with a copy of the folder";
                return Err((path, what.to_owned()));
            }
            if below::is_link(&path) {
                let inside = path.strip_prefix(folder).unwrap_or(&path);
                below::find(folder, inside).map_err(|error| (path.clone(), error.to_string()))?;
            }
            Ok(path)
        });
        let mut found: Vec<_> = found.collect();
        let refused = std::mem::take(&mut *refused.lock().unwrap_or_else(PoisonError::into_inner));
        found.extend(refused.into_iter().map(Err));
        Ok(found)
    }

    /// Every file at these paths and below the folders among them.
    fn entries(&self, paths: &[PathBuf]) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        for path in expanded(paths) {
            if path.is_dir() {
                entries.extend(self.below(&path)?.into_iter().map(|found| match found {
                    Ok(path) => Entry { path, named: false, refused: None },
                    Err((path, reason)) => Entry { path, named: true, refused: Some(reason) },
                }));
            } else {
                entries.push(Entry { path, named: true, refused: None });
            }
        }
        Ok(entries)
    }

    /// Options with which a path can be read several times, also if it is the standard input.
    pub(crate) fn again(&self, path: &Path) -> Result<Self, Error> {
        let piped = (path.to_str() == Some("-")).then(|| self.bytes(path).map(Arc::new)).transpose()?;
        Ok(Self { piped, ..self.clone() })
    }

    /// The text on the standard input.
    pub(crate) fn stream(&self) -> Result<String, Error> {
        let path = Path::new("-");
        String::from_utf8(self.bytes(path)?).map_err(|_| about(path)(NOT_TEXT))
    }

    /// All bytes of a file, or of the standard input. A file that is larger than the memory limit is not
    /// read to its end.
    pub(crate) fn bytes(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let limit = self.max_bytes.saturating_add(1);
        let is_piped = path.to_str() == Some("-");
        if let Some(piped) = self.piped.as_ref().filter(|_| is_piped) {
            return Ok(piped.to_vec());
        }
        match is_piped {
            true => io::stdin().lock().take(limit).read_to_end(&mut bytes)?,
            false if path.is_dir() => return Err("the path is that of a folder; expected a file".into()),
            false => {
                let file = fs::File::open(path)?;
                let len = file.metadata()?.len().min(limit);
                bytes
                    .try_reserve_exact(usize::try_from(len).unwrap_or(usize::MAX))
                    .map_err(io::Error::from)?;
                file.take(limit).read_to_end(&mut bytes)?
            }
        };
        match bytes.len() as u64 > self.max_bytes {
            true => Err(helped(
                format!("the file is larger than the limit of {} bytes", self.max_bytes),
                report::RAISE,
            )),
            false => Ok(bytes),
        }
    }
}

/// # Errors
/// If there are several, or some cannot be read.
pub(crate) fn one_of(mut sources: Vec<Source>) -> Result<Source, Error> {
    sources.iter().try_for_each(|source| source.part.readable())?;
    let one = sources.pop().filter(|_| sources.is_empty());
    one.ok_or_else(|| {
        "the file contains several assets, but this command reads one; unpack or split the file first".into()
    })
}

/// The paths with those that end in a pattern replaced by the names that match it: shells of Windows do not do this.
pub(crate) fn expanded(paths: &[PathBuf]) -> Vec<PathBuf> {
    let matching = |path: &PathBuf| -> Option<Vec<PathBuf>> {
        let pattern = path.file_name()?.to_str().filter(|name| cfg!(windows) && name.contains(['*', '?']))?;
        let pattern = regex::escape(pattern).replace(r"\*", ".*").replace(r"\?", ".");
        let pattern = regex::Regex::new(&format!("(?is)^{pattern}$")).ok()?;
        let names = fs::read_dir(folder_of(path)).ok()?.flatten().map(|entry| entry.file_name());
        let names = names.filter(|name| pattern.is_match(&name.to_string_lossy()));
        let mut found: Vec<_> = names.map(|name| path.with_file_name(name)).collect();
        found.sort();
        Some(found).filter(|found| !found.is_empty())
    };
    paths.iter().flat_map(|path| matching(path).unwrap_or_else(|| vec![path.clone()])).collect()
}

/// Reports that no asset exists at the given paths.
pub(crate) fn nothing_found(paths: &[PathBuf]) {
    for path in paths {
        report::complain(Some(&report::path(path)), &"found no asset that this command can read");
    }
}

/// A folder or link that cannot be read, and the reason.
type Unread = (PathBuf, String);

/// The part of a folder that an error of the walk is about.
fn located(error: ignore::Error, folder: &Path) -> Unread {
    match error {
        ignore::Error::WithDepth { err, .. } => located(*err, folder),
        ignore::Error::WithPath { path, err } => (path, err.to_string()),
        other => (folder.to_owned(), other.to_string()),
    }
}

fn is_unreadable<T>(made: &Result<T, Error>) -> bool {
    let error = made.as_ref().err().and_then(|error| error.downcast_ref::<rezkit::Error>());
    error.is_some_and(|error| error.kind() == rezkit::ErrorKind::Unreadable)
}

/// The number of files from which a progress bar is shown.
const MANY: usize = 16;

/// A progress bar; hidden for few files, or if the standard error is no terminal.
fn progress(files: usize) -> ProgressBar {
    if files < MANY || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {eta} left");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
