//! `rezkit sl`: prepares the files of an upload to Second Life.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rezkit::render::{RenderOptions, Renderer};
use rezkit::scene::{Levels, Scene, Terrain, images};
use rezkit::upload::LevelTarget;
use rezkit::upload::sl::{self, Physics};
use rezkit::{ConvertOptions, Reference, Sources};
use rezkit_core::Counted;

use super::lods::target;
use super::scenes::Beside;
use super::settings::{Settings, UPLOADED};
use crate::below;
use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage, helped, outcome};
use crate::output::{Plan, Replacing};
use crate::policy::{Policy, accept};
use crate::report::{self, about};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit sl house.glb -o house
  rezkit sl chair.glb -o chair --land-impact 2.5
  rezkit sl tree.obj -o tree --levels 0.4,0.1,20 --physics box

Files in the output folder:
  NAME.glb, NAME_LOD2.glb, NAME_LOD1.glb, NAME_LOD0.glb, NAME_PHYS.glb
                            the levels of detail and the physics shape; the viewer recognizes them by these names
  NAME.llmesh               the mesh asset; if there are several objects, NAME.slm instead
  report.html, report.json  the land impact, and everything that Second Life would refuse or change
The folder also contains the materials, textures and animations.
If files such as NAME_LOD2.glb exist beside the model, they are used instead of generated levels. If Second Life would
refuse something, the exit status is 1, but the folder is still written. --allow and --deny also take the rules of
`rezkit check --profile secondlife-upload`.")]
pub(crate) struct Sl {
    /// The output folder
    #[arg(short, long)]
    output: PathBuf,
    /// The levels of detail medium, low and lowest, separated by commas: for each, a fraction of the finest level's
    /// triangles (0.25) or a number of triangles (500) [default: 0.333333,0.111111,0.037037]
    #[arg(long, value_delimiter = ',', value_name = "LEVEL", value_parser = target)]
    levels: Vec<LevelTarget>,
    /// Simplify the coarser levels of detail, if necessary the finest one, and the physics hulls, until the land impact
    /// is at most COST
    #[arg(long, value_name = "COST", conflicts_with = "levels", allow_negative_numbers = true)]
    land_impact: Option<f32>,
    /// The physics shape. If an object has a node with its name and _PHYS (door_PHYS), or a file beside the model has the
    /// model's name and _PHYS (house_PHYS.glb), `hulls` and `mesh` are made from that node or file; `box` and `none`
    /// ignore it
    #[arg(long, value_enum, default_value_t = Shape::Hulls)]
    physics: Shape,
    /// With --physics hulls: the largest allowed distance between a hull and the surface, as a fraction of the object's
    /// longest side; smaller values generate more hulls, each with at most 32 corners [default: 0.03]
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true)]
    concavity: Option<f64>,
    /// The factor by which the object will be scaled in Second Life; the land impact is computed for this size
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, allow_negative_numbers = true)]
    scale: f32,
    /// Fix and list what Second Life would refuse or change: textures that are too large, too many faces or vertices,
    /// negative scales, joints that the avatar does not have, a wrong size or direction of the rig, objects longer than
    /// 64 m or thinner than 1 cm, and levels of detail with more vertices, faces or materials than the next finer one
    #[arg(long)]
    fix: bool,
    /// Include the joint positions of the rig in the mesh asset; they replace the joint positions of the avatar
    #[arg(long)]
    joint_positions: bool,
    /// Omit the rendered images from the report
    #[arg(long)]
    no_pictures: bool,
    /// The model to prepare, or a folder, of whose models each gets a folder of its own
    file: PathBuf,
    #[command(flatten)]
    settings: Settings<UPLOADED>,
    #[command(flatten)]
    beside: Beside,
    #[command(flatten)]
    policy: Policy,
    #[command(flatten)]
    replacing: Replacing,
}

/// Whether a file of a folder is a model, and not a level of detail or a physics shape of one.
fn is_model(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_beside = sl::Kind::ALL.iter().any(|kind| stem.ends_with(kind.suffix()));
    let has_geometry = |kind: &rezkit::FileType| kind.has_geometry && kind.extensions.contains(&&*extension);
    !is_beside && extension != "xml" && rezkit::FILE_TYPES.iter().any(has_geometry)
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Shape {
    /// Convex hulls that approximate the object
    Hulls,
    /// The triangles of the lowest level of detail
    Mesh,
    /// One box around the object
    Box,
    /// No shape file; the mesh asset of an object without a skin gets a box, since Second Life requires a shape
    None,
}

impl Sl {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        if !self.file.is_dir() {
            return self.one(&self.file, &self.output, reading);
        }
        let (mut worst, mut any) = (Outcome::Success, false);
        for path in reading.below(&self.file)? {
            let path = match path {
                Ok(path) if is_model(&path) => path,
                Ok(_) => continue,
                Err((path, what)) => {
                    report::complain(Some(&report::path(&path)), &what);
                    worst = worst.max(Outcome::Failure);
                    continue;
                }
            };
            any = true;
            let inside = path.strip_prefix(&self.file)?.with_extension("");
            let output = below::join(&self.output, &inside)?;
            worst = worst.max(self.one(&path, &output, reading).unwrap_or_else(|error| {
                report::failed(Some(&report::path(&path)), &error);
                outcome(&error)
            }));
        }
        match any {
            true => Ok(worst),
            false => Err(about(&self.file)("the folder contains no models")),
        }
    }

    /// Prepares one model.
    fn one(&self, file: &Path, output: &Path, reading: &Reading) -> Result<Outcome, Error> {
        let of_file = about(file);
        let policy = self.policy.of_all()?;
        let (mut opened, source) = self.beside.open_one(reading, file).map_err(&of_file)?;
        let mut scenes = self.beside.options(reading)?;
        opened.check_options(&scenes).map_err(Error::from).map_err(&of_file)?;
        (scenes.levels, scenes.hulls) = (Levels::All, true);
        if opened.file_type().is_of_region() {
            // The ground of a region is no object.
            scenes.terrain = Terrain::Without;
        }
        let (scene, mut losses) = opened.scene(&scenes).map_err(Error::from).map_err(&of_file)?;
        accept(&policy, &mut losses).map_err(&of_file)?;
        let is_motion = opened.file_type().is_motion();
        drop(opened);
        if scene.triangle_count() == 0 && !scene.animations.is_empty() {
            let what = match is_motion {
                true => "the file contains only an animation, in a format that Second Life's viewer can upload: it \
                         needs no preparation"
                    .to_owned(),
                false => {
                    let [from, to] = [file, &file.with_extension("anim")].map(report::path);
                    format!("the file contains only an animation: use `rezkit convert {from} {to}`")
                }
            };
            return Err(of_file(rezkit::Error::unwritable(what).into()));
        }
        let about_file = report::path(file);
        report::lost(&about_file, &losses, reading.verbose);
        let name_of_file = file.file_name().unwrap_or_default().to_string_lossy();
        let mut sources = self.beside.sources(reading, &source)?;
        let given = sl::given(&name_of_file, &mut |file| {
            let of_model = Reference::Beside(file.to_owned());
            let Some(bytes) = sources.get(&of_model, reading.max_bytes)? else { return Ok(None) };
            let beside = |reference: &Reference, max_bytes: u64| sources.get(reference, max_bytes);
            let mut opened = reading.options().open(bytes, file, beside)?;
            let (scene, mut losses) = opened.scene(&scenes)?;
            policy.accept(&mut losses)?;
            report::lost(file, &losses, reading.verbose);
            Ok(Some(scene))
        });
        let given = given.map_err(about(file))?;
        let options = self.options(reading)?;
        let name = name_of_file.rsplit_once('.').map_or(&*name_of_file, |(stem, _)| stem);
        // All pictures show the box around the finest level, which is drawn first.
        let mut drawn = RenderOptions::default();
        let mut picture = |scene: &Scene, left: u64| self.picture(scene, &mut drawn, left);
        let upload = sl::second_life(&scene, name, &given, &options, &mut picture).map_err(|error| {
            // Find out whether --fix would help.
            let is_refused = error.kind() == rezkit::ErrorKind::Unwritable && !options.fix;
            let mut fixed = options.clone();
            fixed.fix = true;
            let mut no_picture = |_: &Scene, _: u64| Ok(None);
            match is_refused && sl::second_life(&scene, name, &given, &fixed, &mut no_picture).is_ok() {
                true => helped(error, "use --fix to change what Second Life would refuse"),
                false => error.into(),
            }
        });
        let mut upload = upload.map_err(about(file))?;
        accept(&policy, &mut upload.report.losses).map_err(about(file))?;
        upload.report.findings.retain(|advice| !policy.allows(&advice.finding));
        let mut findings = upload.report.findings.iter().map(|advice| &advice.finding);
        if let Some(denied) = findings.find(|finding| policy.denies(finding)) {
            let error = format!("{}: {} ({} is denied)", denied.path, denied.found, denied.rule);
            return Err(about(file)(helped(error, "--allow RULE accepts what violates a rule")));
        }
        let mut plan = Plan::whole_folder(&[file], self.replacing);
        upload.files.into_iter().try_for_each(|file| plan.file(output, file))?;
        let mut text: String = plan.paths().map(|path| format!("{}\n", report::path(path))).collect();
        plan.write()?;
        let made = &upload.report;
        report::lost(&about_file, &made.losses, reading.verbose);
        let mut counts = BTreeMap::<_, usize>::new();
        for advice in &made.findings {
            let finding = &advice.finding;
            let count = counts.entry(&finding.rule).or_default();
            *count += 1;
            if *count > report::OF_A_RULE && !reading.verbose {
                continue;
            }
            let found = format!("{}: {} ({})", finding.path, finding.found, finding.rule);
            // The remedy is the same for all violations of a rule.
            report::finding(&about_file, finding.severity, &found, (*count == 1).then_some(advice.remedy));
        }
        let hidden =
            |count: &usize| count.checked_sub(report::OF_A_RULE).filter(|&more| more > 0 && !reading.verbose);
        for (rule, more) in counts.iter().filter_map(|(rule, count)| Some((rule, hidden(count)?))) {
            let more = Counted::new(more, "more violations");
            report::note(&about_file, &format!("{more} of the rule {rule}; --verbose lists them"));
        }
        let objects = match made.parts.len() {
            1 => "1 object".to_owned(),
            count => format!("{count} objects"),
        };
        text += &format!("land impact {}; {objects}\n", made.land_impact);
        report::print(&text)?;
        let refused = made.findings.iter().any(|advice| advice.finding.severity == rezkit::Severity::Error);
        Ok(if refused { Outcome::Failure } else { source.outcome() })
    }

    fn options(&self, reading: &Reading) -> Result<sl::Options, Error> {
        let mut options = sl::Options::default();
        if !self.levels.is_empty() {
            let three = <[LevelTarget; 3]>::try_from(self.levels.clone());
            options.targets = three.map_err(|given| {
                let count = given.len();
                Usage(format!("--levels: expected three values (medium, low, lowest), found {count}"))
            })?;
        }
        options.land_impact = self.land_impact;
        options.physics = match self.physics {
            Shape::Hulls => Physics::Hulls,
            Shape::Mesh => Physics::Mesh,
            Shape::Box => Physics::Box,
            Shape::None => Physics::None,
        };
        if let Some(concavity) = self.concavity {
            if !(0.001..=1.0).contains(&concavity) {
                return Err(Usage(format!("--concavity: expected 0.001 to 1, found {concavity}")).into());
            }
            options.hulls.concavity = concavity;
        }
        (options.scale, options.fix) = (self.scale, self.fix);
        let mut converted = ConvertOptions::new();
        self.settings.set(&mut converted, reading)?;
        (options.motion, options.joints) = (converted.motion, converted.joints);
        (options.joint_positions, options.max_bytes) = (self.joint_positions, reading.max_bytes);
        Ok(options)
    }

    fn picture(
        &self,
        scene: &Scene,
        options: &mut RenderOptions,
        max_bytes: u64,
    ) -> rezkit::Result<Option<Vec<u8>>> {
        if self.no_pictures || !scene.is_visible() {
            return Ok(None);
        }
        (options.width, options.height) = (480, 480);
        options.yaw = scene.front + RenderOptions::default().yaw;
        options.frame = options.frame.or_else(|| scene.bounds());
        let picture = Renderer::new(scene, max_bytes)?.draw(options)?;
        images::png(&picture).map(Some)
    }
}
