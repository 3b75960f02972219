//! `rezkit extract`: the files that are in a file.

use std::fs;
use std::path::PathBuf;

use crate::input::Reading;
use crate::outcome::{Error, Outcome};
use crate::output;
use crate::report::{self, Plain};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit extract place.rbxl -o place       scripts as files, with a project that Rojo opens
  rezkit extract model.m3d -o textures

Written are: scripts in the shape of the tree (src, default.project.json), attributes and tags by path
(attributes.json, tags.json), terrain (terrain), shared strings (shared), embedded files of models, blocks
of Second Life meshes as JSON. Files that are there already are replaced.")]
pub(crate) struct Extract {
    /// The folder to write into
    #[arg(long, short)]
    output: PathBuf,
    /// The file
    file: PathBuf,
}

impl Extract {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let (_, asset) = reading.read(&self.file)?;
        let files = asset.files(&reading.options())?;
        if files.is_empty() {
            report::complain(Some(&report::path(&self.file)), &"nothing to extract");
        }
        let mut text = String::new();
        for file in files {
            let mut path = self.output.clone();
            path.extend(&file.path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", report::path(folder)))?;
            }
            output::put(&path, &file.bytes).map_err(|error| format!("{}: {error}", report::path(&path)))?;
            text += &format!("{}\n", Plain(path.display()));
        }
        report::print(&text)?;
        Ok(Outcome::Success)
    }
}
