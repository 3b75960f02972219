//! `rezkit pack`: puts edited files back into the file that they were extracted from.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rezkit::{PackOptions, Packed};

use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage, helped};
use crate::output::{Plan, To};
use crate::report::{self, about};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit extract place.rbxl -o place            write the scripts as files, to edit them
  rezkit pack place place.rbxl                  put the edited scripts back
  rezkit pack place place.rbxl -o edited.rbxl   keep the original file

The files become instances as in Rojo: NAME.server.luau is a Script, NAME.client.luau a LocalScript, NAME.luau a
ModuleScript, init.luau turns its folder into a script, NAME.rbxm and NAME.model.json are models, and NAME.meta.json has
properties. Each instance is found by its name and class below its parent; what differs is changed, and new instances are
added. If FOLDER has a default.project.json, only the instances in it are compared. Nothing else in FILE changes. Files
of other kinds are listed, but not packed.")]
pub(crate) struct Pack {
    #[command(flatten)]
    to: To,
    /// Remove scripts whose files are missing, folders that become empty, and what models no longer contain. If the file of a script was only
    /// renamed or moved, the script is renamed or moved instead of removed
    #[arg(long)]
    remove: bool,
    /// The folder that `rezkit extract` wrote, or a Rojo project
    folder: PathBuf,
    /// The file to update: .rbxl, .rbxlx, .rbxm or .rbxmx
    file: PathBuf,
}

impl Pack {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        if !self.folder.is_dir() {
            return Err(Usage(format!("{}: no such folder", report::path(&self.folder))).into());
        }
        let mut files = Vec::new();
        let mut left = reading.max_bytes;
        for path in reading.all_below(&self.folder)? {
            // An unreadable part of the folder is an error: its scripts must not count as removed.
            let path = path.map_err(|(path, reason)| format!("{}: {reason}", report::path(&path)))?;
            let is_folder = path.is_dir();
            let bytes = if is_folder { Ok(Vec::new()) } else { reading.bytes(&path) };
            let bytes = bytes.map_err(|error| format!("{}: {error}", report::path(&path)))?;
            left = left
                .checked_sub(bytes.len() as u64)
                .ok_or_else(|| {
                    format!(
                        "the files in the folder exceed the limit of {} bytes in total",
                        reading.max_bytes
                    )
                })
                .map_err(|error| helped(error, report::RAISE))
                .map_err(about(&self.folder))?;
            let name = name(path.strip_prefix(&self.folder)?);
            let wrong = || about(&path)("the path is not UTF-8, so it names no instance; rename the file");
            let end = if is_folder { "/" } else { "" };
            files.push((name.ok_or_else(wrong)? + end, bytes));
        }
        let mut opened = self.to.read(reading, &self.file)?;
        let names: HashSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
        let mut options = PackOptions::new().remove(self.remove);
        options.name = std::fs::canonicalize(&self.folder)
            .ok()
            .and_then(|folder| Some(folder.file_name()?.to_str()?.to_owned()));
        let packed = opened.pack_with(files, options);
        let Packed { changed, losses, .. } = packed.map_err(|error| {
            let at = if names.contains(error.path()) { &self.folder } else { &self.file };
            about(at)(error)
        })?;
        report::listed(&report::path(&self.folder), &losses, reading.verbose);
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
            _ => self.to.write(&opened, &self.file, reading.verbose)?,
        }
        report::print(&changed.iter().map(|path| format!("{}\n", report::Plain(path))).collect::<String>())?;
        Ok(Outcome::Success)
    }
}

/// A relative path with names separated by `/`; `None` if one of them is not UTF-8.
fn name(path: &Path) -> Option<String> {
    Some(path.iter().map(|name| name.to_str()).collect::<Option<Vec<_>>>()?.join("/"))
}
