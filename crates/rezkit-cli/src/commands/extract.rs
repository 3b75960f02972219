//! `rezkit extract`: the files that are in a file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rezkit::{ExtractOptions, Output};
use rezkit_core::Counted;

use crate::input::{Reading, Source, one_of};
use crate::outcome::{Error, Outcome};
use crate::output::{Plan, Replacing};
use crate::policy::{Policy, accept, refused, with_losses};
use crate::report::{self, about};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit extract place.rbxl -o place             scripts as files, with a project that Rojo opens
  rezkit extract --models rbxm place.rbxl -o place   all content, so that Rojo can build the place
  rezkit extract model.m3d -o textures

From a place or a model, rezkit extracts
  src, default.project.json   scripts, in folders like the tree of instances
  NAME.meta.json              other properties of a script, or of an instance that contains scripts
  attributes.json, tags.json  attributes and tags, by the paths of their instances
  terrain                     terrain, as the bytes that the file stores
  geometry                    terrain, collision hulls and union meshes, in the format of --geometry
  sources                     sources of scripts that are not UTF-8, which Rojo cannot read
  shared                      shared strings
Content of a place or model that is in none of the files is listed as dropped. `rezkit pack` puts edited scripts and
meta files back. From a Model 3D file, rezkit extracts the embedded files; from a Second Life mesh (.llmesh), the blocks
as JSON; from a Second Life material, the glTF document; from a glTF or OBJ file, the images; and from an archive, such
as an .oar or .iar file of OpenSim, all files, with the names that the inventory and the objects give to assets. If one of the files
already exists, nothing is written without --force.")]
pub(crate) struct Extract {
    /// The output folder
    #[arg(long, short)]
    output: PathBuf,
    /// Also write everything except scripts, as binary models (rbxm) or XML models (rbxmx); with json, small models of
    /// folders, remotes and values are .model.json files, and all others binary
    #[arg(long, value_name = "FORMAT")]
    models: Option<Models>,
    /// Replace and list the characters that XML models cannot represent; without this option, they are an error
    #[arg(long, requires = "models")]
    allow_loss: bool,
    /// The format in which terrain, collision hulls and union meshes are written, such as glb or obj; none skips them
    #[arg(long, value_name = "FORMAT", default_value = "glb")]
    geometry: String,
    /// The file to extract from
    file: PathBuf,
    #[command(flatten)]
    policy: Policy,
    #[command(flatten)]
    replacing: Replacing,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Models {
    Rbxm,
    Rbxmx,
    Json,
}

impl Extract {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let policy = self.policy.of_losses()?;
        let options = match self.models {
            None => ExtractOptions::new(),
            Some(Models::Rbxm) => ExtractOptions::new().models("rbxm"),
            Some(Models::Rbxmx) => ExtractOptions::new().models("rbxmx"),
            Some(Models::Json) => ExtractOptions::new().models("json"),
        };
        let list = reading.open(&self.file).map_err(about(&self.file))?;
        let is_archive =
            |first: &&Source| list.len() > 1 && first.part.is_in_archive() || first.part.is_in_opensim();
        if let Some(first) = list.first().filter(is_archive) {
            let unread = list.iter().filter_map(|source| Some((&source.name, source.part.failed.as_ref()?)));
            let unread: Vec<_> = unread.filter(|_| first.part.name != rezkit::OPENSIM_ARCHIVE).collect();
            self.archive(&first.part, reading)?;
            for (name, reason) in &unread {
                report::failed(Some(name), &rezkit::Error::unreadable(reason).into());
            }
            return Ok(if unread.is_empty() { Outcome::Success } else { Outcome::Failure });
        }
        let opened = reading.opened(&one_of(list)?).map_err(about(&self.file))?;
        let extract = |allow_loss| opened.extract(&options.clone().allow_loss(allow_loss));
        let does = "replaces the characters that XML cannot represent";
        let made = with_losses(&policy, self.allow_loss, does, extract, |made| &made.losses);
        let Output { mut files, mut losses, .. } = made.map_err(refused).map_err(about(&self.file))?;
        if self.geometry != "none" {
            let geometry = opened.geometry(&self.geometry).map_err(about(&self.file))?;
            losses.extend(geometry.losses);
            files.extend(geometry.files);
        }
        accept(&policy, &mut losses).map_err(about(&self.file))?;
        let name = report::path(&self.file);
        report::listed(&name, &losses, reading.verbose);
        if files.is_empty() {
            return Err(about(&self.file)(
                "the file contains no scripts, textures or other parts that can be extracted",
            ));
        }
        let mut plan = Plan::whole_folder(&[&self.file], self.replacing);
        files.into_iter().try_for_each(|file| plan.file(&self.output, file))?;
        let text: String = plan.paths().map(|path| format!("{}\n", report::path(path))).collect();
        // In a new folder, there is nothing else.
        let src = Some(self.output.join("src")).filter(|src| src.exists());
        let written: HashSet<PathBuf> = plan.paths().map(Path::to_owned).collect();
        plan.write()?;
        report::print(&text)?;
        let others = src.map_or_else(Vec::new, |src| others(&src, &written));
        if let Some(first) = others.first() {
            let what = format!(
                "{} below src are not from this extraction, such as {}: `pack` adds what they contain; remove them if they \
                 are from an older one",
                Counted::new(others.len(), "files"),
                report::path(first)
            );
            report::note(&report::path(&self.output), &what);
        }
        Ok(Outcome::Success)
    }

    /// Writes the files of an archive; assets get the names that items of the inventory or objects give them.
    fn archive(&self, part: &rezkit::Unwrapped, reading: &Reading) -> Result<(), Error> {
        let files = part.files();
        let mut budget = rezkit::Budget::new(reading.max_bytes.saturating_sub(part.memory_of_others()));
        let contents = part.opensim(&mut budget).map_err(about(&self.file))?;
        let names = contents.unwrap_or_default().names;
        let mut made = rezkit_core::Files::default();
        for (path, bytes) in files {
            let mut steps: Vec<String> = path.split('/').map(str::to_owned).collect();
            if let Some(file) = steps.last_mut()
                && let Some((id, kind)) = file.split_at_checked(36)
                && let Some(name) = names.get(&id.to_ascii_lowercase())
            {
                *file = format!("{name}{kind}");
            }
            let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
            let cost = bytes.len() as u64 + rezkit_core::Files::cost(&steps);
            budget.take(cost, path).map_err(about(&self.file))?;
            made.add(&steps, bytes.to_vec());
        }
        let mut plan = Plan::whole_folder(&[&self.file], self.replacing);
        made.into_vec().into_iter().try_for_each(|file| plan.file(&self.output, file))?;
        let text: String = plan.paths().map(|path| format!("{}\n", report::path(path))).collect();
        plan.write()?;
        report::print(&text).map(drop)
    }
}

/// The files below a folder that are not among those that were written, in order.
fn others(folder: &Path, written: &HashSet<PathBuf>) -> Vec<PathBuf> {
    let all = ignore::WalkBuilder::new(folder).standard_filters(false).hidden(true).build();
    let files = all.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut others: Vec<PathBuf> =
        files.map(ignore::DirEntry::into_path).filter(|path| !written.contains(path)).collect();
    others.sort_unstable();
    others
}
