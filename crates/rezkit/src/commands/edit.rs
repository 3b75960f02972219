//! `rezkit edit`, and an edit alone: `insert`, `remove`, `move`, `rename`, `copy`.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use rezkit::{Edit, Edited, Loss, Reference};

use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage};
use crate::output::{Plan, Replacing, To};
use crate::report::{self, about};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit insert car.rbxm place.rbxl Workspace
  rezkit insert car.rbxmx place.rbxl Workspace/Cars -o other.rbxl

What instances of a class lack, on either side, is filled in with what a new instance has, and listed.")]
pub(crate) struct Insert {
    #[command(flatten)]
    to: To,
    /// The model: all of it is put in
    model: PathBuf,
    /// The file
    file: PathBuf,
    /// The instance below which the model goes; the root unless set
    #[arg(default_value = "")]
    path: String,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit remove place.rbxl Workspace/Car 'Workspace/Door[1]'")]
pub(crate) struct Remove {
    #[command(flatten)]
    to: To,
    /// The file
    file: PathBuf,
    /// The instances, each with everything below it
    #[arg(required = true)]
    paths: Vec<String>,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit move place.rbxl Workspace/Car ServerStorage")]
pub(crate) struct Move {
    #[command(flatten)]
    to: To,
    /// The file
    file: PathBuf,
    /// The instance
    path: String,
    /// Its new parent; the root unless set
    #[arg(default_value = "")]
    parent: String,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit rename place.rbxl Workspace/Car Truck")]
pub(crate) struct Rename {
    #[command(flatten)]
    to: To,
    /// The file
    file: PathBuf,
    /// The instance
    path: String,
    /// Its new name
    name: String,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit copy place.rbxl Workspace/Car car.rbxm")]
pub(crate) struct Copy {
    #[command(flatten)]
    replacing: Replacing,
    /// The file
    file: PathBuf,
    /// The instance, with everything below it
    path: String,
    /// The model that is written: its extension, rbxm or rbxmx, tells the form
    model: PathBuf,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit edit place.rbxl < edits.txt

A line is one of
  set PATH VALUE [TYPE]
  insert MODEL [PARENT]
  remove PATH
  move PATH [PARENT]
  rename PATH NAME
  copy PATH MODEL
What has spaces is in quotes; a line that begins with # is a comment. All of it is done, or nothing: neither the file
nor a model is written where one of the lines is refused.")]
pub(crate) struct Script {
    #[command(flatten)]
    to: To,
    /// The file; the edits are read from the standard input
    file: PathBuf,
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl Insert {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let edit = Edit::Insert { model: text(&self.model), parent: self.path };
        run(reading, &self.file, &self.to, &[edit])
    }
}

impl Remove {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let edits: Vec<_> = self.paths.into_iter().map(|path| Edit::Remove { path }).collect();
        run(reading, &self.file, &self.to, &edits)
    }
}

impl Move {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let edit = Edit::Move { path: self.path, parent: self.parent };
        run(reading, &self.file, &self.to, &[edit])
    }
}

impl Rename {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let edit = Edit::Rename { path: self.path, name: self.name };
        run(reading, &self.file, &self.to, &[edit])
    }
}

impl Copy {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let edit = Edit::Copy { path: self.path, model: text(&self.model) };
        run(reading, &self.file, &To { output: None, replacing: self.replacing }, &[edit])
    }
}

impl Script {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        if self.file.to_str() == Some("-") {
            return Err(
                Usage("-: the standard input lists the edits and cannot be the file, too".into()).into()
            );
        }
        let mut script = String::new();
        std::io::stdin()
            .lock()
            .take(reading.max_bytes)
            .read_to_string(&mut script)
            .map_err(about(Path::new("-")))?;
        run(reading, &self.file, &self.to, &Edit::parse(&script).map_err(about(Path::new("-")))?)
    }
}

/// Does edits, and writes the file and the models as one.
fn run(reading: &Reading, file: &Path, to: &To, edits: &[Edit]) -> Result<Outcome, Error> {
    let mut opened = reading.read(file)?;
    let changes = edits.iter().any(|edit| !matches!(edit, Edit::Copy { .. }));
    // A file that is edited may be replaced.
    let mut inputs = if changes { Vec::new() } else { vec![file] };
    inputs.extend(edits.iter().filter_map(|edit| match edit {
        Edit::Insert { model, .. } => Some(Path::new(model)),
        _ => None,
    }));
    let mut models = |reference: &Reference| match reference {
        Reference::Beside(name) => {
            let bytes = reading
                .bytes(Path::new(name))
                .map_err(|error| rezkit::Error::unreadable(error).at(name.as_str()))?;
            Ok(Some(bytes))
        }
        _ => Ok(None),
    };
    let Edited { filled, models, losses, .. } = opened.edit(edits, &mut models).map_err(about(file))?;
    let mut plan = Plan::new(&inputs, to.replacing);
    for (name, bytes) in models {
        plan.unnamed(PathBuf::from(name), bytes)?;
    }
    if changes {
        to.add(&opened, file, &mut plan)?;
    }
    plan.write()?;
    let name = report::path(file);
    let filled = filled.iter().map(|of| Loss::filled_with(&of.class, &of.property, &*of.value, of.count));
    report::lost(&name, &filled.chain(losses).collect::<Vec<_>>(), reading.verbose);
    Ok(Outcome::Success)
}
