//! `rezkit convert`: the same content in another form of its format, or in another format.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rezkit::scene::{Feature, SceneWriter};
use rezkit::{ConvertOptions, FILE_TYPES, Opened, Output, RulePolicy};

use super::scenes::{Beside, Pictures};
use super::settings::{CONVERTED, Settings};
use crate::below;
use crate::input::{Reading, Source, Tally};
use crate::outcome::{self, Error, Outcome, Usage};
use crate::output::{Claims, Plan, Replacing};
use crate::policy::{Policy, accept, refused, with_losses};
use crate::report::{self, about};

#[derive(clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n{MORE}"), after_long_help = forms())]
pub(crate) struct Convert {
    /// The format, version, encoding or compression to write [default: the format that the output's
    /// extension belongs to; without an extension, the format of the input]
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// The file to convert, or a folder or an archive, whose files are all converted
    input: PathBuf,
    /// The output file, or the output folder if the input is a folder or an archive (for an archive of one asset, if it has no extension or ends with /); if the command fails, an existing file is kept
    output: PathBuf,
    #[command(flatten)]
    settings: Settings<CONVERTED>,
    #[command(flatten)]
    beside: Beside,
    #[command(flatten)]
    ground: Ground,
    #[command(flatten)]
    policy: Policy,
    #[command(flatten)]
    replacing: Replacing,
}

/// Terrain as an image.
#[derive(clap::Args)]
struct Ground {
    /// The size in studs of the terrain that an image becomes, or that becomes one [default: 4 studs for each pixel, and a height of 256; of a place, the box around its ground]
    #[arg(long, value_name = "X,Y,Z", help_heading = "Terrain", hide_short_help = true)]
    terrain_size: Option<String>,
    /// The material of the terrain that an image becomes [default: Grass]
    #[arg(long, value_name = "NAME", help_heading = "Terrain", hide_short_help = true)]
    terrain_material: Option<String>,
    /// An image of the materials of the terrain, each in its colour: read if an image becomes terrain, written if terrain
    /// becomes one
    #[arg(
        long,
        value_name = "FILE.png",
        help_heading = "Terrain",
        hide_short_help = true,
        conflicts_with = "terrain_material"
    )]
    terrain_materials: Option<PathBuf>,
    /// The height in studs up to which water covers the terrain that an image becomes [default: 0]
    #[arg(long, value_name = "STUDS", help_heading = "Terrain", hide_short_help = true)]
    terrain_water: Option<f32>,
}

impl Ground {
    /// Whether one of the options is given.
    fn first(&self) -> Option<&'static str> {
        let given = [
            ("terrain-size", self.terrain_size.is_some()),
            ("terrain-material", self.terrain_material.is_some()),
            ("terrain-materials", self.terrain_materials.is_some()),
            ("terrain-water", self.terrain_water.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    fn options(&self, reading: &Reading) -> Result<rezkit::HeightOptions, Error> {
        let mut options = rezkit::HeightOptions::new().max_bytes(reading.max_bytes);
        if let Some(size) = &self.terrain_size {
            let parts: Vec<f32> = size.split(',').filter_map(|part| part.trim().parse().ok()).collect();
            let size = <[f32; 3]>::try_from(parts).map_err(|_| {
                Usage(format!(
                    "--terrain-size: expected three numbers in studs, such as 2048,256,2048, found {size}"
                ))
            })?;
            options = options.size(size);
        }
        if let Some(material) = &self.terrain_material {
            options = options.material(material.clone());
        }
        Ok(options.water(self.terrain_water.unwrap_or_default()))
    }
}

/// Whether a file is named as an image in PNG.
fn is_image(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}

const EXAMPLES: &str = "Examples:
  rezkit convert place.rbxl place.rbxlx               binary to XML
  rezkit convert --to 5.00 new.mesh old-client.mesh   an older version of the format
  rezkit convert --to zstd place.rbxl smaller.rbxl    another compression
  rezkit convert answer.bin answer.json               LLSD to JSON
  rezkit convert --to glb meshes/ scenes/             every mesh in a folder to glTF
  rezkit convert --to glb region.oar objects/         every object and mesh in an archive of OpenSim
  rezkit convert region.oar region.glb                all objects of a region as one scene
  rezkit convert --client 2016-04 place.rbxl old.rbxl    for an older client
  rezkit convert heights.png island.rbxl              a grey image as terrain
  rezkit convert island.rbxl heights.png              terrain as a grey image of 16 bits
";

const MORE: &str = "--help lists the versions, encodings and compressions that --to accepts.";

/// The examples, and the forms of every format, for the help.
fn forms() -> String {
    let mut text = format!("{EXAMPLES}\nVersions, encodings and compressions for --to:\n");
    for file_type in FILE_TYPES.iter().filter(|file_type| file_type.is_exact) {
        let extensions = file_type.extensions.iter().map(|extension| format!(".{extension}"));
        let extensions = extensions.collect::<Vec<_>>().join(" ");
        text += &format!("  {extensions:<16} {:<24} {}\n", file_type.title, file_type.forms.join(" "));
    }
    text += "To convert a Roblox document to binary, use --to rbxm or an output with the extension .rbxm or .rbxl;\n\
             to convert it to XML, use --to rbxmx or an output with the extension .rbxmx or .rbxlx.\n";
    let names = |is_wanted: fn(&'static SceneWriter) -> bool| {
        let file_types = FILE_TYPES.iter().filter(|file_type| file_type.writer.is_some_and(is_wanted));
        file_types.map(|file_type| file_type.name).collect::<Vec<_>>().join(" ")
    };
    text += "If the output is a .rbxm or .rbxmx file and the input is not a Roblox document, its nodes become Models and\n\
             MeshParts, whose meshes and images are written into the folder of --assets, and each animation becomes a\n\
             KeyframeSequence or, with --curves, a CurveAnimation; with --rig, only the animations are written.\n";
    text + &format!(
        "Formats for the geometry of a mesh, place or model: {}\n\
         Formats for animations: {} (m3d and a3d only with a mesh)\n\
         Format for materials: material",
        names(|writer| writer.has_meshes),
        names(|writer| writer.keeps.contains(&Feature::JointAnimations))
    )
}

impl Convert {
    pub(crate) fn run(mut self, reading: &Reading) -> Result<Outcome, Error> {
        let policy = self.policy.of_losses()?;
        if is_image(&self.input) || is_image(&self.output) {
            return self.heights(reading, &policy).map_err(about(&self.input));
        }
        if let Some(option) = self.ground.first() {
            return Err(Usage(format!("--{option} applies only to terrain as an image (.png)")).into());
        }
        if self.input.is_dir() {
            return self.folder(reading, &policy, &HashMap::new());
        }
        let reading = &reading.again(&self.input).map_err(about(&self.input))?;
        let list = reading.open(&self.input);
        let has_instances =
            |source: &Source| source.detected().is_some_and(|found| found.file_type.has_instances());
        let mut client = ConvertOptions::new();
        self.settings.set(&mut client, reading)?;
        // A document for an older client gets the meshes and images that this client reads beside it.
        self.beside.is_output = client.client.is_some() && !self.is_other()
            || self.is_model() && list.as_ref().is_ok_and(|list| !list.iter().any(has_instances));
        // The only asset of an archive is written into a folder if the output is one, or has no extension.
        let is_folder = self.output.as_os_str().as_encoded_bytes().ends_with(b"/")
            || self.output.is_dir()
            || self.output.extension().is_none()
                && self.output.to_str() != Some("-")
                && !self.output.exists();
        let is_archive = |list: &Vec<Source>| {
            (list.len() > 1 || is_folder) && list[0].part.is_in_archive() && self.to.is_some()
        };
        if list.as_ref().is_ok_and(is_archive) {
            let names = names_within(&list?, reading.max_bytes).map_err(about(&self.input))?;
            self.beside.pictures = Some(Arc::new(Pictures::new(reading.max_bytes)));
            return self.folder(reading, &policy, &names);
        }
        let opened = list.and_then(|list| self.beside.only(reading, list));
        let done = opened.and_then(|(mut opened, source)| {
            let Output { files, losses, .. } = self.converted(reading, &policy, &mut opened, &self.output)?;
            let mut files = files.into_iter();
            let assets = self.beside.folder().filter(|_| self.beside.is_output);
            let mut plan = match &assets {
                Some(_) => Plan::in_folder(&[&source.path], self.replacing),
                None => Plan::new(&[&source.path], self.replacing),
            };
            files.by_ref().take(1).try_for_each(|file| plan.unnamed(self.output.clone(), file.bytes))?;
            let folder = self.output.parent().unwrap_or(Path::new(""));
            files.try_for_each(|file| match &assets {
                Some((to, name)) if file.path().split('/').next() == Some(name) => {
                    let inside = file.path().split_once('/').map_or("", |(_, inside)| inside).to_owned();
                    plan.below(to, Path::new(&inside), file.bytes)
                }
                _ => plan.file(folder, file),
            })?;
            plan.write()?;
            Ok((losses, source.outcome()))
        });
        let name = report::path(&self.input);
        match done {
            Ok((losses, outcome)) => {
                report::lost(&name, &losses, reading.verbose);
                Ok(outcome)
            }
            Err(error) => {
                report::failed(Some(&name), &error);
                Ok(outcome::outcome(&error))
            }
        }
    }

    /// Converts an image to terrain, or terrain to an image.
    fn heights(&self, reading: &Reading, policy: &RulePolicy) -> Result<Outcome, Error> {
        let mut options = self.ground.options(reading)?;
        let materials = self.ground.terrain_materials.as_ref();
        if let Some(path) = materials.filter(|_| is_image(&self.input)) {
            options = options.materials(reading.bytes(path)?);
        }
        if let Some(option) = self.settings.first().filter(|_| is_image(&self.output)) {
            return Err(Usage(format!("--{option} does not apply to terrain as an image")).into());
        }
        let mut image = None;
        let (bytes, mut losses) = match is_image(&self.input) {
            true => {
                let (place, mut losses) = rezkit::place_of_heights(&reading.bytes(&self.input)?, &options)?;
                let name = self.output.file_name().unwrap_or_default().to_string_lossy();
                let mut opened = reading.options().open_content(place.content(), &name, ());
                let Output { files, losses: more, .. } =
                    self.converted(reading, policy, &mut opened, &self.output)?;
                losses.extend(more);
                (files.into_iter().next().map(|file| file.bytes).unwrap_or_default(), losses)
            }
            false => {
                let opened = reading.read(&self.input)?;
                if let Some(path) = materials {
                    image = Some((path.clone(), rezkit::materials_of(&opened, &options)?));
                }
                rezkit::heights_of(&opened, &options)?
            }
        };
        accept(policy, &mut losses)?;
        let mut plan = Plan::new(&[&self.input], self.replacing);
        plan.unnamed(self.output.clone(), bytes)?;
        image.into_iter().try_for_each(|(path, bytes)| plan.unnamed(path, bytes))?;
        plan.write()?;
        report::lost(&report::path(&self.input), &losses, reading.verbose);
        Ok(Outcome::Success)
    }

    /// Whether the output is a Roblox model.
    fn is_model(&self) -> bool {
        let is_one = |name: &str| ["rbxm", "rbxmx", "rbxbinary", "rbxxml"].contains(&name);
        let extension = self.output.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        self.to.as_deref().map_or_else(|| extension.as_deref().is_some_and(is_one), is_one)
    }

    /// Whether the output is of another format than Roblox's documents.
    fn is_other(&self) -> bool {
        let extension = self.output.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let Some(name) = self.to.as_deref().or(extension.as_deref()) else { return false };
        let is_named = |file_type: &&rezkit::FileType| {
            [file_type.name, file_type.format].contains(&name) || file_type.extensions.contains(&name)
        };
        FILE_TYPES.iter().filter(is_named).any(|file_type| !file_type.has_instances())
    }

    /// Converts everything below a folder or in an archive, whose entries have safe `names`, into files of the same names
    /// in another folder.
    fn folder(
        &self,
        reading: &Reading,
        policy: &RulePolicy,
        names: &HashMap<String, PathBuf>,
    ) -> Result<Outcome, Error> {
        let refused = |text: &str| about(&self.input)(Usage(text.to_owned()));
        let mut client = ConvertOptions::new();
        self.settings.set(&mut client, reading)?;
        // Documents for an older client keep their names.
        let is_for_client = client.client.is_some() && self.to.is_none();
        if self.to.is_none() && !is_for_client {
            return Err(refused("converting a folder requires an output format, such as --to glb"));
        }
        if self.output.to_str() == Some("-") {
            return Err(refused(
                "the files of a folder cannot be written to the standard output; give an output folder",
            ));
        }
        self.beside.has_folders()?;
        let mut stems: HashMap<PathBuf, usize> = HashMap::new();
        // Files that belong to others, such as materials, have no output of their own.
        const BESIDE: [&str; 9] = ["mtl", "bin", "png", "jpg", "jpeg", "webp", "tga", "bmp", "dds"];
        let is_beside = |path: &PathBuf| {
            path.extension().is_some_and(|own| BESIDE.iter().any(|known| own.eq_ignore_ascii_case(known)))
        };
        let below = if self.input.is_dir() { reading.below(&self.input)? } else { Vec::new() };
        for path in below.into_iter().flatten().filter(|path| !is_beside(path)) {
            *stems.entry(path.with_extension("")).or_default() += 1;
        }
        let claims = Claims::default();
        let convert = |source: &Source| -> Result<Done, Error> {
            let within = names.get(&source.part.name).filter(|_| source.part.is_in_archive());
            // The assets of another archive are files below a folder of its name.
            let is_apart = source.is_part() && source.part.is_in_archive() && !source.part.is_in_opensim();
            let apart = match within {
                None if is_apart => {
                    let name = names_within(std::slice::from_ref(source), reading.max_bytes)?;
                    let folder = source.path.with_extension("");
                    let within = |name: PathBuf| crate::below::join(&folder, &name);
                    name.into_values().next().map(within).transpose()?
                }
                _ => None,
            };
            let is_whole = source.is_part() && within.is_none() && apart.is_none();
            if is_whole && !source.is_first {
                return Ok(Done::Within);
            }
            // As when the file is converted alone: an archive of OpenSim is one scene.
            let mut opened = match is_whole {
                true => self.beside.only(reading, reading.open(&source.path)?)?.0,
                false => self.beside.opened(reading, source)?,
            };
            let mut path = within.or(apart.as_ref()).unwrap_or(&source.path).clone();
            if let Some(to) = &self.to {
                let extension = opened.extension(to)?;
                // If `a.mesh` and `a.m3d` are beside each other, both outputs keep the whole name.
                match stems.get(&path.with_extension("")) {
                    Some(1) => _ = path.set_extension(extension),
                    _ if within.or(apart.as_ref()).is_some() => _ = path.set_extension(extension),
                    _ => path.as_mut_os_string().push(format!(".{extension}")),
                }
            }
            let inside = if within.is_some() { &*path } else { path.strip_prefix(&self.input)? };
            let output = below::join(&self.output, inside)?;
            let Output { files, losses, .. } = self.converted(reading, policy, &mut opened, &output)?;
            let mut plan = Plan::in_folder(&[&source.path], self.replacing);
            for (index, file) in files.into_iter().enumerate() {
                // The first file has the name of the input; it refers to the others by their paths beside it.
                let beside = inside.with_file_name(file.path());
                let path = if index == 0 { inside } else { &beside };
                claims.claim(&below::join(&self.output, path)?, &source.name)?;
                plan.below(&self.output, path, file.bytes)?;
            }
            plan.write()?;
            let mut text = format!("{} -> {}\n", source.name, report::path(&output));
            text += &report::indented(&losses, reading.verbose);
            Ok(Done::Converted { text, lossy: !losses.is_empty() })
        };
        // In a folder, a file with nothing to draw is not a failure.
        let run = |source: &Source| match convert(source) {
            Err(error) if is_empty(&error) => {
                Ok(Done::WithoutGeometry(format!("{}: {error}\n", source.name)))
            }
            done => done,
        };
        let wanted = |source: &Source| {
            source.detected().is_some_and(|found| !is_for_client || found.file_type.has_instances())
        };
        let (mut converted, mut with_losses, mut without) = (0, 0, 0);
        let tally = reading.map(std::slice::from_ref(&self.input), wanted, run, |_, done| {
            let text = match done {
                Done::Converted { text, lossy } => {
                    converted += 1;
                    with_losses += usize::from(lossy);
                    text
                }
                Done::WithoutGeometry(text) => {
                    without += 1;
                    text
                }
                Done::Within => return Ok(true),
            };
            // Files are converted even if the standard output is closed.
            report::print(&text).map(|_| true)
        })?;
        let Tally { failed, skipped, .. } = tally;
        report::print(&format!(
            "converted: {converted} (with losses: {with_losses}), without geometry: {without}, failed: {failed}, \
             skipped (not assets): {skipped}\n"
        ))?;
        // If nothing was converted, this is likely the wrong folder.
        Ok(if converted == 0 { Outcome::Failure } else { tally.outcome })
    }

    /// The files of one conversion, whose losses are accepted.
    fn converted(
        &self,
        reading: &Reading,
        policy: &RulePolicy,
        opened: &mut Opened<'_>,
        output: &Path,
    ) -> Result<Output, Error> {
        let mut options = ConvertOptions::new().scene(self.beside.options(reading)?);
        self.settings.set(&mut options, reading)?;
        if self.beside.is_output {
            options.model.assets = self.beside.folder().map(|(_, name)| name);
        }
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        let name = if name == "-" { "" } else { &name };
        let convert =
            |allow_loss| opened.convert(self.to.as_deref(), name, &options.clone().allow_loss(allow_loss));
        let does = "converts the file, and drops or replaces what the target format cannot represent";
        let made = with_losses(policy, options.allow_loss, does, convert, |made| &made.losses);
        let mut made = made.map_err(refused)?;
        accept(policy, &mut made.losses)?;
        Ok(made)
    }
}

/// The paths of the entries of an archive as every system accepts them, as `extract` writes them.
///
/// # Errors
/// If they need more memory than allowed.
fn names_within(list: &[Source], max_bytes: u64) -> Result<HashMap<String, PathBuf>, Error> {
    let (mut files, mut names) = (rezkit_core::Files::default(), Vec::new());
    let held = list.first().map_or(0, |first| first.part.memory_of_others());
    let mut budget = rezkit::Budget::new(max_bytes.saturating_sub(held));
    for source in list {
        let Some(path) = rezkit_core::normal_path(&source.part.name) else { continue };
        let steps: Vec<&str> = path.split('/').collect();
        budget.take(rezkit_core::Files::cost(&steps), "the paths of the output files")?;
        files.add(&steps, Vec::new());
        names.push(source.part.name.clone());
    }
    let paths = files.into_vec().into_iter().map(|file| PathBuf::from(file.path()));
    Ok(names.into_iter().zip(paths).collect())
}

/// The result for a file of a folder, with the text that is printed about it.
enum Done {
    Converted {
        text: String,
        lossy: bool,
    },
    WithoutGeometry(String),
    /// A part of a file whose first part was converted with all others.
    Within,
}

pub(super) fn is_empty(error: &Error) -> bool {
    error.downcast_ref::<rezkit::Error>().is_some_and(|error| error.kind() == rezkit::ErrorKind::Empty)
}
