//! The files that a command reads: named ones, those below folders, those in archives.

use std::fs;
use std::io::{self, IsTerminal as _, Read};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use crate::cli::{self, Error, Outcome};
use crate::report::{self, Plain};

/// How files are found and read.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Reading {
    /// How many bytes reading one file may allocate
    #[arg(long, global = true, value_name = "BYTES", default_value_t = 1 << 30)]
    pub(crate) max_bytes: u64,
    /// Below folders, leave out files that match, as in a .gitignore (can be given several times)
    #[arg(long, global = true, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Read as this, whatever the content: binary, xml or notation (LLSD without a header), json (LLSD)
    #[arg(long, global = true, value_name = "FORM")]
    from: Option<String>,
}

/// The bytes of an asset, and the name by which reports call it.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// A file to read. Of those below folders, only assets count.
struct Entry {
    path: PathBuf,
    named: bool,
}

/// How many files are read before the next line is printed.
const BATCH: usize = 64;

impl Reading {
    pub(crate) fn options(&self) -> rezkit::ReadOptions {
        let options = rezkit::ReadOptions::new().max_bytes(self.max_bytes);
        match &self.from {
            Some(form) => options.form(form),
            None => options,
        }
    }

    /// Reads and does something with every asset at these paths, several at a time, whatever becomes of
    /// the others. What is printed about an asset appears in the order of the paths, and not at all where
    /// the asset fails half way.
    pub(crate) fn each(
        &self,
        paths: &[PathBuf],
        run: impl Fn(&Source, &mut String) -> Result<Outcome, Error> + Sync,
    ) -> Result<Outcome, Error> {
        let entries = self.entries(paths)?;
        let bar = progress(entries.len());
        let mut all = Outcome::Success;
        for batch in entries.chunks(BATCH) {
            let done: Vec<_> = batch.par_iter().map(|entry| self.one(entry, &run)).collect();
            bar.inc(batch.len() as u64);
            for Done { text, errors, outcome } in done {
                all = all.and(outcome);
                let listening = bar.suspend(|| {
                    for (name, error) in errors {
                        report::complain(Some(&name), &error);
                    }
                    report::print(&text)
                })?;
                if !listening {
                    return Ok(all);
                }
            }
        }
        bar.finish_and_clear();
        Ok(all)
    }

    fn one(
        &self,
        entry: &Entry,
        run: &(impl Fn(&Source, &mut String) -> Result<Outcome, Error> + Sync),
    ) -> Done {
        let mut done = Done { text: String::new(), errors: Vec::new(), outcome: Outcome::Success };
        let sources = match self.open(&entry.path) {
            Ok(sources) => sources,
            Err(error) => {
                done.fail(report::path(&entry.path), &error);
                return done;
            }
        };
        for source in sources {
            if !entry.named && self.from.is_none() && rezkit::detect(&source.bytes).is_none() {
                continue;
            }
            let mut text = String::new();
            match run(&source, &mut text) {
                Ok(outcome) => {
                    done.outcome = done.outcome.and(outcome);
                    done.text += &text;
                }
                Err(error) => done.fail(source.name, &error),
            }
        }
        done
    }

    /// The assets in a file.
    pub(crate) fn open(&self, path: &Path) -> Result<Vec<Source>, Error> {
        let bytes = self.bytes(path)?;
        let name = report::path(path);
        if self.from.is_some() {
            return Ok(vec![Source { name, bytes }]);
        }
        let parts = rezkit::unwrap(bytes, &self.options())?;
        if parts.is_empty() {
            return Err("an archive without assets".into());
        }
        let source = |part: rezkit::Part| {
            let joint = if part.name.is_empty() || part.name.starts_with('#') { "" } else { "/" };
            Source { name: format!("{name}{joint}{}", Plain(&part.name)), bytes: part.bytes }
        };
        Ok(parts.into_iter().map(source).collect())
    }

    /// The one asset in a file.
    pub(crate) fn read(&self, path: &Path) -> Result<(Source, Box<dyn rezkit::Asset>), Error> {
        let mut sources = self.open(path)?;
        let Some(source) = sources.pop().filter(|_| sources.is_empty()) else {
            return Err("several assets in one file: unpack them first".into());
        };
        let asset = self.read_bytes(path, &source.bytes)?;
        Ok((source, asset))
    }

    /// An asset; JSON that is named so is LLSD.
    pub(crate) fn read_bytes(&self, path: &Path, bytes: &[u8]) -> Result<Box<dyn rezkit::Asset>, Error> {
        let json = path.extension().is_some_and(|extension| extension == "json");
        if self.from.is_none() && json && rezkit::detect(bytes).is_none() {
            return Ok(self.options().form("json").read(bytes)?);
        }
        Ok(self.options().read(bytes)?)
    }

    /// Every file at these paths; folders with all below them, in order of names.
    fn entries(&self, paths: &[PathBuf]) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        for path in paths {
            if !path.is_dir() {
                entries.push(Entry { path: path.clone(), named: true });
                continue;
            }
            let mut excluded = OverrideBuilder::new(path);
            for glob in &self.exclude {
                excluded
                    .add(&format!("!{glob}"))
                    .map_err(|error| usage(&format!("--exclude {glob}: {error}")))?;
            }
            let mut walk = WalkBuilder::new(path);
            walk.standard_filters(false).overrides(excluded.build()?);
            walk.sort_by_file_path(|a, b| a.cmp(b));
            for entry in walk.build() {
                match entry {
                    Ok(entry) if entry.path().is_file() => {
                        entries.push(Entry { path: entry.into_path(), named: false });
                    }
                    Ok(_) => {}
                    Err(error) => report::complain(None, &error),
                }
            }
        }
        Ok(entries)
    }

    /// All bytes of a file, or of the standard input. A file that is larger than what may be allocated is
    /// not read to its end.
    pub(crate) fn bytes(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let limit = self.max_bytes.saturating_add(1);
        match path.to_str() {
            Some("-") => io::stdin().lock().take(limit).read_to_end(&mut bytes)?,
            _ => fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?,
        };
        match bytes.len() as u64 > self.max_bytes {
            true => Err(format!("more than {} bytes (--max-bytes raises the limit)", self.max_bytes).into()),
            false => Ok(bytes),
        }
    }
}

/// What became of a file.
struct Done {
    text: String,
    errors: Vec<(String, String)>,
    outcome: Outcome,
}

impl Done {
    fn fail(&mut self, name: String, error: &Error) {
        self.outcome = self.outcome.and(cli::outcome(error));
        self.errors.push((name, error.to_string()));
    }
}

/// A wrong argument.
fn usage(text: &str) -> Error {
    Box::new(cli::Usage(text.to_owned()))
}

/// A bar on a terminal, where there is something to wait for.
fn progress(files: usize) -> ProgressBar {
    if files < BATCH || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {eta} left");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
