//! `rezkit extract`: the files that are in a file.

use std::path::PathBuf;

use crate::input::Reading;
use crate::outcome::{Error, Outcome};
use crate::output::{Plan, Replacing};
use crate::report;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit extract place.rbxl -o place       scripts as files, with a project that Rojo opens
  rezkit extract model.m3d -o textures

Written are: scripts in the shape of the tree (src, default.project.json), attributes and tags by path
(attributes.json, tags.json), terrain (terrain), terrain, hulls and
meshes of unions as scenes (geometry), shared strings (shared), embedded files of models, blocks
of Second Life meshes as JSON. Where one of them is there already, nothing is written without --force.")]
pub(crate) struct Extract {
    /// The folder to write into
    #[arg(long, short)]
    output: PathBuf,
    /// The form of terrain, hulls and meshes of unions: glb, obj and others, or none
    #[arg(long, value_name = "FORM", default_value = "glb")]
    geometry: String,
    /// The file
    file: PathBuf,
    #[command(flatten)]
    replacing: Replacing,
}

impl Extract {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let opened = reading.read(&self.file)?;
        let mut files = opened.extract()?;
        if self.geometry != "none" {
            let geometry = opened.geometry(&self.geometry)?;
            geometry.losses.iter().for_each(|loss| report::complain(Some(&report::path(&self.file)), loss));
            files.extend(geometry.files);
        }
        if files.is_empty() {
            report::complain(Some(&report::path(&self.file)), &"nothing to extract");
        }
        let mut plan = Plan::in_folder(&[&self.file], self.replacing);
        files.into_iter().try_for_each(|file| plan.below(&self.output, file))?;
        let text: String = plan.paths().map(|path| format!("{}\n", report::path(path))).collect();
        plan.write()?;
        report::print(&text)?;
        Ok(Outcome::Success)
    }
}
