//! `rezkit edit`, and single edits: `insert`, `remove`, `move`, `rename`, `copy`.

use std::path::{Path, PathBuf};

use rezkit::{ConvertOptions, Edit, EditOptions, Edited, Reference, Sources};

use super::found::{Where, losses};
use super::settings::{INSERTED, Settings};
use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage, helped};
use crate::output::{Plan, Replacing, To};
use crate::policy::{Policy, refused, with_losses};
use crate::report::{self, about};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit insert car.rbxm place.rbxl Workspace
  rezkit insert car.rbxmx place.rbxl Workspace/Cars -o other.rbxl
  rezkit insert wave.glb place.rbxl Workspace/Dummy/AnimSaves --rig r6
  rezkit insert value.json settings.xml Lists/Friends    LLSD: a value at a new key, or before an index

In a binary file, all instances of a class store the same properties. If the inserted instances store other properties
than those in the file, the missing values are filled in with the defaults of the class, and listed.")]
pub(crate) struct Insert {
    #[command(flatten)]
    to: To,
    /// The model to insert; the nodes of glTF, FBX and other scenes become Models and MeshParts, and their animations
    /// KeyframeSequences. For LLSD, the LLSD or JSON file whose value is inserted
    model: PathBuf,
    /// The place, model or LLSD file to insert MODEL into
    file: PathBuf,
    /// The path of the parent of the inserted instances [default: the root]; for LLSD, of the new value
    #[arg(default_value = "", hide_default_value = true)]
    path: String,
    /// Drop values that FILE cannot store, and list them
    #[arg(long)]
    allow_loss: bool,
    /// The folder into which the meshes and images of a scene are written, as by `convert`
    #[arg(long, value_name = "FOLDER", help_heading = "Roblox models")]
    assets: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings<INSERTED>,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit add place.rbxl Part Workspace Name=Floor Size=64,1,64 Anchored=true
  rezkit add model.rbxm Folder")]
pub(crate) struct Add {
    #[command(flatten)]
    to: To,
    /// The place or model to edit
    file: PathBuf,
    /// The class of the new instance
    class: String,
    /// The path of the parent [default: the root], and the properties of the new instance as PROPERTY=VALUE
    #[arg(value_name = "PARENT|PROPERTY=VALUE")]
    more: Vec<String>,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit new place.rbxl
  rezkit new model.rbxmx")]
pub(crate) struct New {
    /// The file to create: a place with its services (.rbxl or .rbxlx), or an empty model (.rbxm or .rbxmx)
    output: PathBuf,
    #[command(flatten)]
    replacing: Replacing,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit remove place.rbxl Workspace/Car 'Workspace/Door[1]'
  rezkit remove place.rbxl --where 'Script.Virus'

Of several instances with the same name, `Door` and `Door[0]` are the first one, and `Door[1]` is the second one. In LLSD,
a path has keys and indices: `Lists/Friends/0`; a key with `/` is in quotes.")]
pub(crate) struct Remove {
    #[command(flatten)]
    found: Where,
    #[command(flatten)]
    to: To,
    /// The place, model or LLSD file to edit
    file: PathBuf,
    /// The paths of the instances or values to remove; with --where, further files
    #[arg(required_unless_present = "selector")]
    paths: Vec<String>,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit move place.rbxl Workspace/Car ServerStorage")]
pub(crate) struct Move {
    #[command(flatten)]
    to: To,
    /// The place, model or LLSD file to edit
    file: PathBuf,
    /// The path of the instance or value to move
    path: String,
    /// The path of the new parent [default: the root]
    #[arg(default_value = "", hide_default_value = true)]
    parent: String,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit rename place.rbxl Workspace/Car Truck
  rezkit rename place.rbxl --where '#Handel' Handle")]
pub(crate) struct Rename {
    #[command(flatten)]
    found: Where,
    #[command(flatten)]
    to: To,
    /// The place, model or LLSD file to edit
    file: PathBuf,
    /// The path of the instance or key to rename; none with --where
    path: String,
    /// The new name
    #[arg(required_unless_present = "selector")]
    name: Option<String>,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit copy place.rbxl Workspace/Car car.rbxm")]
pub(crate) struct Copy {
    #[command(flatten)]
    replacing: Replacing,
    #[command(flatten)]
    policy: Policy,
    /// The place, model or LLSD file to copy from
    file: PathBuf,
    /// The path of the instance or value to copy
    path: String,
    /// The model to write: .rbxm or .rbxmx; for a value of LLSD, LLSD as XML, or .json
    model: PathBuf,
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit edit place.rbxl < edits.txt
  rezkit diff --json old.rbxl new.rbxl | rezkit edit old.rbxl -o other.rbxl

Each line is one of these edits:
  set PATH VALUE [TYPE]
  insert MODEL [PARENT]
  add CLASS [PARENT] [PROPERTY=VALUE...]
  remove PATH
  move PATH [PARENT]
  rename PATH NAME
  copy PATH MODEL
  terrain cut FROM TO                 FROM, TO, BY: X,Y,Z in studs; terrain has voxels of 4 studs
  terrain move FROM TO BY
  terrain copy FROM TO BY
  terrain paste PLACE FROM TO [BY]    from another place
or a line of JSON that `diff --json` prints (refused if the file has neither the old nor the new value, unless --force is
given), or an edit as JSON, also for values with line breaks:
  {\"do\": \"set\", \"path\": \"Main.Source\", \"value\": \"print(1)\\nprint(2)\"}
Put a path or a value with spaces in quotes; in double quotes, write \\\" for \" and \\\\ for \\. A line that begins
with # is a comment. If one edit fails, none is applied, and no file is written.")]
pub(crate) struct Script {
    #[command(flatten)]
    to: To,
    /// The place or model to edit; the edits are read from the standard input
    file: PathBuf,
}

/// A list of edits takes up to this many times the memory of its text; a patch in JSON has longer lines.
const OF_SCRIPT: u64 = 64;
const OF_PATCH: u64 = 8;

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl Insert {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let edit = Edit::Insert { model: text(&self.model), parent: self.path };
        let mut convert = ConvertOptions::new();
        self.settings.set(&mut convert, reading)?;
        let name = |folder: &Path| folder.file_name().map(|name| name.to_string_lossy().into_owned());
        convert.model.assets = self.assets.as_deref().and_then(name);
        let edit = &[edit];
        let policy = self.to.policy.of_losses()?;
        let edits: &Edits<'_> = &|opened, models| {
            let insert = |allow_loss| {
                let convert = convert.clone().allow_loss(allow_loss);
                opened.edit(edit, models, &EditOptions::new().convert(convert))
            };
            let does = "drops and lists what the file cannot store";
            with_losses(&policy, self.allow_loss, does, insert, |edited| &edited.losses)
        };
        done(reading, (&self.file, self.assets.as_deref()), &self.to, edit, edits)
    }
}

impl Add {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let edit = Edit::added(self.class, self.more.into_iter());
        let edit = edit.map_err(|error| Usage(error.to_string()))?;
        run(reading, &self.file, &self.to, &[edit])
    }
}

/// The services that contain a game.
const SERVICES: [&str; 12] = [
    "Workspace",
    "Players",
    "Lighting",
    "MaterialService",
    "ReplicatedFirst",
    "ReplicatedStorage",
    "ServerScriptService",
    "ServerStorage",
    "StarterGui",
    "StarterPack",
    "StarterPlayer",
    "SoundService",
];

impl New {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let ending = self.output.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let form = match ending.as_deref() {
            Some(form @ ("rbxl" | "rbxlx" | "rbxm" | "rbxmx")) => form,
            _ => {
                let text = format!(
                    "{}: expected the extension .rbxl, .rbxlx, .rbxm or .rbxmx",
                    report::path(&self.output)
                );
                return Err(Usage(text).into());
            }
        };
        // Studio writes this element.
        let meta = "<Meta name=\"ExplicitAutoJoints\">true</Meta>";
        let empty = format!("<roblox version=\"4\">{meta}</roblox>").into_bytes();
        let mut made = reading.options().open(empty, "new.rbxmx", ())?;
        let add = |class: &str, parent: &str| Edit::Add {
            class: class.to_owned(),
            parent: parent.to_owned(),
            properties: Vec::new(),
        };
        if form.starts_with("rbxl") {
            let mut edits: Vec<_> = SERVICES.iter().map(|service| add(service, "")).collect();
            edits.extend([add("Camera", "Workspace"), add("Terrain", "Workspace")]);
            edits.extend(
                ["StarterCharacterScripts", "StarterPlayerScripts"].map(|of| add(of, "StarterPlayer")),
            );
            edits.push(Edit::Set {
                path: "Workspace.CurrentCamera".into(),
                value: "Workspace/Camera".into(),
                kind: Some("Ref".into()),
            });
            made.edit(&edits, &mut (), &EditOptions::new())?;
        }
        let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
        let output = made.convert(Some(form), &format!("new.{form}"), &options)?;
        let mut plan = Plan::new(&[], self.replacing);
        for file in output.files.into_iter().take(1) {
            plan.unnamed(self.output.clone(), file.bytes)?;
        }
        plan.write()?;
        Ok(Outcome::Success)
    }
}

impl Remove {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        if let Some(selector) = self.found.selector()? {
            let files: Vec<_> =
                [self.file].into_iter().chain(self.paths.into_iter().map(PathBuf::from)).collect();
            return self.found.run(reading, &self.to, &files, &selector, |_, paths| {
                Ok(paths.into_iter().map(|path| Edit::Remove { path }).collect())
            });
        }
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
        match (self.found.selector()?, self.name) {
            (None, Some(name)) => {
                run(reading, &self.file, &self.to, &[Edit::Rename { path: self.path, name }])
            }
            (Some(selector), None) => {
                self.found.run(reading, &self.to, &[self.file], &selector, |_, paths| {
                    let edit = |path| Edit::Rename { path, name: self.path.clone() };
                    Ok(paths.into_iter().map(edit).collect())
                })
            }
            _ => Err(Usage("expected FILE PATH NAME, or FILE NAME with --where".into()).into()),
        }
    }
}

impl Copy {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let edit = Edit::Copy { path: self.path, model: text(&self.model) };
        let to = To { replacing: self.replacing, policy: self.policy, ..To::default() };
        run(reading, &self.file, &to, &[edit])
    }
}

impl Script {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        if self.file.to_str() == Some("-") {
            return Err(Usage(
                "-: the edits are read from the standard input, so the file to edit must be given as a path"
                    .into(),
            )
            .into());
        }
        let script = reading.stream()?;
        let limit = reading.max_bytes / if script.starts_with('{') { OF_PATCH } else { OF_SCRIPT };
        if script.len() as u64 > limit {
            let what = format!("the list of edits is larger than the limit of {limit} bytes");
            return Err(about(Path::new("-"))(helped(what, report::RAISE)));
        }
        let edits = Edit::parse(&script).map_err(about(Path::new("-")))?;
        let force = self.to.replacing.force;
        let options = EditOptions::new().any_old(force);
        done(reading, (&self.file, None), &self.to, &edits, &|opened, models| {
            let edited = match force {
                true => opened.edit(&edits, models, &options),
                false => opened.edit_script(&script, models, &options),
            };
            edited.map_err(|error| (error, None))
        })
    }
}

pub(super) fn run(reading: &Reading, file: &Path, to: &To, edits: &[Edit]) -> Result<Outcome, Error> {
    done(reading, (file, None), to, edits, &|opened, models| {
        opened.edit(edits, models, &EditOptions::new()).map_err(|error| (error, None))
    })
}

/// The edits of a file; with an error, its remedy.
type Edits<'a> =
    dyn Fn(&mut rezkit::Opened<'_>, &mut dyn Sources) -> Result<Edited, (rezkit::Error, Option<String>)> + 'a;

/// Applies edits, and writes the file, the models, and the files of inserted scenes together.
fn done(
    reading: &Reading,
    (file, assets): (&Path, Option<&Path>),
    to: &To,
    edits: &[Edit],
    edit: &Edits<'_>,
) -> Result<Outcome, Error> {
    let mut opened = to.read(reading, file)?;
    // A script without edits writes the file, too, and one with an output file writes that.
    let changes = edits.is_empty()
        || to.output.is_some()
        || edits.iter().any(|edit| !matches!(edit, Edit::Copy { .. }));
    // A file that is edited may be replaced.
    let mut inputs = if changes { Vec::new() } else { vec![file] };
    inputs.extend(edits.iter().filter_map(|edit| edit.file().map(Path::new)));
    let mut models = |reference: &Reference, _: u64| match reference {
        Reference::Beside(name) => {
            let bytes = reading
                .bytes(Path::new(name))
                .map_err(|error| rezkit::Error::unreadable(error).at(name.as_str()))?;
            Ok(Some(bytes))
        }
        _ => Ok(None),
    };
    let edited = edit(&mut opened, &mut models).map_err(|(error, help)| {
        let own = edits.iter().find_map(|edit| match edit {
            Edit::Copy { model, .. } => Some(model.as_str()),
            edit => edit.file(),
        });
        let (path, error) = match own.filter(|model| error.path() == *model) {
            Some(model) => (Path::new(model), error.below(|_| String::new())),
            None => (file, error),
        };
        about(path)(refused((error, help)))
    });
    let mut edited = edited?;
    let mut losses = losses(&mut edited);
    let mut plan = match assets {
        Some(_) => Plan::in_folder(&inputs, to.replacing),
        None => Plan::new(&inputs, to.replacing),
    };
    for (name, bytes) in edited.models {
        match (assets, name.split_once('/')) {
            (Some(folder), Some((_, inside))) => plan.below(folder, Path::new(inside), bytes)?,
            _ => plan.unnamed(PathBuf::from(name), bytes)?,
        }
    }
    if changes {
        to.add(&opened, file, &mut plan)?;
        losses.extend(opened.edit_losses());
    }
    let losses = to.accepted(losses, file)?;
    plan.write()?;
    report::lost(&report::path(file), &losses, reading.verbose);
    Ok(Outcome::Success)
}
