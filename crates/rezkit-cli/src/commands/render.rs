//! `rezkit render` and `rezkit show`: pictures.

use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rezkit::render::{RenderOptions, Renderer, Sheet, animated_gif, animated_png, animated_webp, beside};
use rezkit::scene::Scene;
use rezkit::scene::images::{self, Picture};
use rezkit::{ErrorKind, PictureOptions, RulePolicy};

use super::scenes::Beside;
use super::settings::{IMAGES, Settings};
use crate::below;
use crate::input::{Reading, Source, expanded};
use crate::outcome::{Error, Outcome, Usage};
use crate::output::{Claims, Plan, Replacing};
use crate::policy::{Policy, accept};
use crate::report;
use crate::terminal::Graphics;

/// Draws assets: one picture, a turntable, or a contact sheet of several files.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit render head.mesh -o head.png
  rezkit render --skeleton --action walk --time 0.5 seagull.m3d -o pose.png
  rezkit render --turntable 36 sword.glb -o sword.png
  rezkit render --turntable 36 sword.glb -o sword.gif
  rezkit render --animation walk npc.rbxm -o walk.gif
  rezkit render --animation 0 --rig bento walk.bvh -o both.webp
  rezkit render meshes/ -o sheet.png
  rezkit render meshes/ --to png -o pictures
  rezkit render --look Workspace/Car place.rbxl -o car.png")]
pub(crate) struct Render {
    /// The output file: PNG, or GIF, animated WebP or animated PNG if the extension is .gif, .webp or .apng; with --to, the
    /// output folder. If --rig names another rig than the file's, the figures of both are side by side
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Write one image per file, in this format, into the folder given by --output, instead of one sheet
    #[arg(long, value_name = "FORMAT", value_parser = ["png", "gif", "webp", "apng"])]
    to: Option<String>,
    /// Write an animated picture in which the model turns once, with this number of frames
    #[arg(long, value_name = "FRAMES", value_parser = clap::value_parser!(u16).range(1..))]
    turntable: Option<u16>,
    /// Files or folders; several files are rendered on one sheet and labelled with their names
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    replacing: Replacing,
}

/// The subject and the camera of a picture.
#[derive(clap::Args, Debug)]
struct Look {
    #[command(flatten)]
    picture: Settings<IMAGES, PictureOptions>,
    #[command(flatten)]
    beside: Beside,
    #[command(flatten)]
    policy: Policy,
}

impl Look {
    /// The scene of a file, and how it is drawn. It is an error if nothing of the scene can be seen.
    fn scene(&self, reading: &Reading, source: &Source) -> Result<(Scene, RenderOptions), Error> {
        let mut opened = self.beside.opened(reading, source)?;
        let scenes = self.beside.options(reading)?;
        opened.check_options(&scenes)?;
        let read = opened.scene(&scenes)?;
        self.drawn(reading, source, &mut opened, read)
    }

    /// The figures of a scene, and of the same animations on another rig if the options name one.
    fn figures(&self, reading: &Reading, source: &Source) -> Result<Vec<(Scene, RenderOptions)>, Error> {
        let mut opened = self.beside.opened(reading, source)?;
        let scenes = self.beside.options(reading)?;
        let mut others = scenes.clone();
        others.rig = None;
        opened.check_options(&others)?;
        let (scene, moved, losses) = opened.scene_on_rig(&scenes)?;
        let own = self.drawn(reading, source, &mut opened, (scene, losses))?;
        let picture = self.options(reading)?;
        let moved = moved.map(|moved| picture.of(&moved, &[]).map(|options| (moved, options))).transpose()?;
        Ok(std::iter::once(own).chain(moved).collect())
    }

    fn drawn(
        &self,
        reading: &Reading,
        source: &Source,
        opened: &mut rezkit::Opened<'_>,
        (scene, mut losses): (Scene, Vec<rezkit::Loss>),
    ) -> Result<(Scene, RenderOptions), Error> {
        accept(&self.policy.of_losses()?, &mut losses)?;
        report::lost(&source.name, &losses, reading.verbose);
        let picture = self.options(reading)?;
        let paths = picture.look.as_ref().map(|_| opened.node_paths(&scene)).transpose()?;
        let options = picture.of(&scene, &paths.unwrap_or_default())?;
        if !options.skeleton && !scene.is_visible() {
            let why = scene.why_empty().unwrap_or_else(|| {
                let count = scene.triangle_count();
                format!(
                    "every triangle has an area of 0, or a corner that is infinite or NaN \
                     (triangles: {count})"
                )
            });
            let what = format!("nothing to render: {why}");
            return Err(rezkit::Error::new(ErrorKind::Empty, what).into());
        }
        if picture.time.is_some() && picture.action.is_none() && scene.animations.is_empty() {
            let what = "--time applies only to files with an animation; remove it";
            return Err(Usage(what.to_owned()).into());
        }
        Ok((scene, options))
    }

    fn options(&self, reading: &Reading) -> Result<PictureOptions, Error> {
        let mut options = PictureOptions::default();
        self.picture.set(&mut options, reading)?;
        Ok(options)
    }
}

/// What was drawn of a file. If there are several files, one with nothing to draw is not a failure.
fn unless_empty<T>(source: &Source, only: bool, drawn: Result<T, Error>) -> Result<Option<T>, Error> {
    match drawn {
        Err(error) if !only && super::convert::is_empty(&error) => {
            report::warn(&source.name, &error.to_string());
            Ok(None)
        }
        drawn => drawn.map(Some),
    }
}

/// Whether a file may have geometry, judging by its first bytes and its name.
fn has_geometry(source: &Source) -> bool {
    source.detected().is_some_and(|found| found.file_type.has_geometry)
}

/// A renderer for a scene with its textures; reports missing textures, and parts that are too far away.
fn renderer<'s>(
    reading: &Reading,
    source: &Source,
    policy: &RulePolicy,
    scene: &'s Scene,
    options: &RenderOptions,
) -> Result<Renderer<'s>, Error> {
    let renderer = Renderer::new(scene, reading.max_bytes)?;
    let mut losses = renderer.losses().to_vec();
    accept(policy, &mut losses)?;
    report::lost(&source.name, &losses, reading.verbose);
    match renderer.outside(options) {
        0 => {}
        count => {
            let text = format!(
                "parts that are not in the image, since they are far from the others: {count} \
                 (use --outliers to show them)"
            );
            report::warn(&source.name, &text);
        }
    }
    Ok(renderer)
}

impl Render {
    pub(crate) fn run(mut self, reading: &Reading) -> Result<Outcome, Error> {
        self.inputs = expanded(&self.inputs);
        let ending = match &self.to {
            Some(to) => Some(to.clone()),
            None => self.output.extension().map(|ending| ending.to_string_lossy().to_lowercase()),
        };
        let Some(form) = Form::of(ending.as_deref()) else {
            let text = format!(
                "{}: expected an output path with the extension .png, .gif, .webp or .apng",
                report::path(&self.output)
            );
            return Err(Usage(text).into());
        };
        let (picture, policy) = (self.look.options(reading)?, self.look.policy.of_losses()?);
        if self.turntable.is_some() && picture.is_placed {
            return Err(Usage("--turntable cannot be combined with --camera place".into()).into());
        }
        // A turntable shows one asset; an archive of several, like a folder, becomes a sheet.
        let several = self.several(reading);
        let is_one = several.is_none();
        if form != Form::Png && !is_one && self.to.is_none() {
            let text = format!(
                "{}: expected the extension .png for a sheet of several files; to write one GIF per file, use \
                 --to gif and an output folder",
                report::path(&self.output)
            );
            return Err(Usage(text).into());
        }
        let each = is_one || self.to.is_some();
        let turning = self.turntable.filter(|_| each);
        let draw = |source: &Source| -> Result<Vec<u8>, Error> {
            let figures = self.look.figures(reading, source)?;
            let form = if each { form } else { Form::Png };
            let plays = |options: &RenderOptions| {
                form != Form::Png && options.animation.is_some() && picture.time.is_none()
            };
            let milliseconds = match figures.first() {
                Some((_, options)) if turning.is_none() && plays(options) => 50,
                _ => 80,
            };
            let drawn = |(scene, options): &(Scene, RenderOptions)| -> Result<Vec<Picture>, Error> {
                let renderer = renderer(reading, source, &policy, scene, options)?;
                Ok(match turning {
                    Some(count) => renderer.turntable(options, count)?.collect::<Result<_, _>>()?,
                    None if plays(options) => renderer.animation(options, 20)?.collect::<Result<_, _>>()?,
                    None => vec![renderer.draw(options)?],
                })
            };
            let is_turning = turning.is_some();
            match &figures[..] {
                [one] => {
                    let (scene, options) = one;
                    let renderer = renderer(reading, source, &policy, scene, options)?;
                    match turning {
                        Some(count) => {
                            form.file(renderer.turntable(options, count)?, milliseconds, is_turning)
                        }
                        None if plays(options) => {
                            form.file(renderer.animation(options, 20)?, milliseconds, is_turning)
                        }
                        None => form.file([renderer.draw(options)].into_iter(), milliseconds, is_turning),
                    }
                }
                several => {
                    let all: Vec<Vec<Picture>> = several.iter().map(drawn).collect::<Result<_, _>>()?;
                    let count = all.iter().map(Vec::len).min().unwrap_or_default();
                    let both = (0..count).map(|at| {
                        let all = all.iter().map(|of| &of[at]);
                        Ok(all
                            .cloned()
                            .reduce(|left, right| beside(&left, &right))
                            .unwrap_or(Picture::new(1, 1, [0; 4])))
                    });
                    form.file(both, milliseconds, is_turning)
                }
            }
        };
        if let Some(to) = &self.to {
            return self.pictures(reading, to, is_one, draw);
        }
        let RenderOptions { width, height, background, .. } = picture.render;
        let sheet = Sheet::new(width, height, background, reading.max_bytes);
        // Before any of them is drawn.
        sheet.fits(several.unwrap_or_default())?;
        self.together(reading, is_one, sheet, draw)
    }

    /// `None` if there is one asset, or a file that cannot be read; otherwise, their number as far as it is known.
    fn several(&self, reading: &Reading) -> Option<usize> {
        match &self.inputs[..] {
            // The standard input is read once.
            [one] if one.to_str() == Some("-") => None,
            [one] if !one.is_dir() => {
                let sources = reading.open(one).ok().filter(|sources| sources.len() != 1)?;
                Some(sources.iter().filter(|source| has_geometry(source)).count())
            }
            _ => Some(0),
        }
    }

    /// The picture of one asset, or a sheet of several.
    fn together(
        &self,
        reading: &Reading,
        is_one: bool,
        mut sheet: Sheet,
        draw: impl Fn(&Source) -> Result<Vec<u8>, Error> + Sync,
    ) -> Result<Outcome, Error> {
        let (mut only, count, limit) = (None, AtomicUsize::new(0), sheet.empty());
        let drawn = |source: &Source| {
            let others = count.fetch_add(1, Ordering::Relaxed);
            limit.fits(if is_one { 0 } else { others + 1 })?;
            let picture = unless_empty(source, is_one, draw(source))?;
            count.fetch_sub(usize::from(picture.is_none()), Ordering::Relaxed);
            Ok(picture)
        };
        let mut empty = 0;
        let tally = reading.map(&self.inputs, has_geometry, drawn, |name, picture| {
            let Some(picture) = picture else {
                empty += 1;
                return Ok(true);
            };
            match is_one {
                true if only.is_some() => {
                    return Err(
                        "the file contains several assets, but this command reads one; unpack or split \
                         the file first"
                            .into(),
                    );
                }
                true => only = Some(picture),
                false => sheet.push(name, picture)?,
            }
            Ok(true)
        })?;
        let bytes = match only {
            Some(picture) => picture,
            // The error was already printed.
            None if sheet.is_empty() => return Ok(tally.outcome.max(Outcome::Failure)),
            None => {
                if self.turntable.is_some() {
                    let text = "--turntable is ignored, since a sheet shows one still image of each file; \
                                to write one turntable per file, use --to gif and an output folder";
                    report::warn("", text);
                }
                if tally.skipped + empty > 0 {
                    let text = format!(
                        "files that are not on the sheet, since they have no geometry: {}",
                        tally.skipped + empty
                    );
                    report::warn(&report::path(&self.output), &text);
                }
                sheet.png()?
            }
        };
        let mut plan = Plan::new(&[], self.replacing);
        plan.unnamed(self.output.clone(), bytes)?;
        plan.write()?;
        Ok(tally.outcome)
    }

    /// A picture of each file, at its path below the output.
    fn pictures(
        &self,
        reading: &Reading,
        to: &str,
        is_one: bool,
        draw: impl Fn(&Source) -> Result<Vec<u8>, Error> + Sync,
    ) -> Result<Outcome, Error> {
        let (claims, mut stems) = (Claims::default(), HashMap::<PathBuf, usize>::new());
        for input in self.inputs.iter().filter(|input| input.is_dir()) {
            for path in reading.below(input)?.into_iter().flatten() {
                *stems.entry(path.with_extension("")).or_default() += 1;
            }
        }
        let run = |source: &Source| {
            let Some(bytes) = unless_empty(source, is_one, draw(source))? else { return Ok(None) };
            let inside = self.inputs.iter().find_map(|input| source.path.strip_prefix(input).ok());
            let inside = inside.filter(|inside| inside.file_name().is_some());
            let name = inside
                .map_or_else(|| PathBuf::from(source.path.file_name().unwrap_or_default()), Path::to_owned);
            let is_alone = stems.get(&source.path.with_extension("")).is_none_or(|count| *count == 1);
            // `a.mesh` and `a.m3d` are beside each other, or a file has several assets: each keeps its whole name.
            let whole = format!("{}.{to}", source.file_name());
            let name = match (source.is_part(), is_alone) {
                (true, _) => name.with_file_name(safe(&whole)),
                (false, true) => name.with_extension(to),
                (false, false) => name.with_file_name(whole),
            };
            if !source.is_part() {
                claims.claim(&below::join(&self.output, &name)?, &source.name)?;
            }
            Ok(Some((name, bytes, source.is_part())))
        };
        let tally = reading.map(&self.inputs, has_geometry, run, |input, picture| {
            let Some((mut name, bytes, is_part)) = picture else { return Ok(true) };
            // The user cannot rename a file in an archive, so it gets a number.
            let stem = name.with_extension("");
            let mut numbers = 2..;
            while is_part && claims.claim(&below::join(&self.output, &name)?, input).is_err() {
                let number = numbers.next().unwrap_or_default();
                name.clone_from(&stem);
                name.as_mut_os_string().push(format!(" ({number}).{to}"));
            }
            let mut plan = Plan::in_folder(&[], self.replacing);
            plan.below(&self.output, &name, bytes)?;
            let path = plan.paths().map(|path| format!("{}\n", report::path(path))).collect::<String>();
            plan.write()?;
            report::print(&path)
        })?;
        Ok(tally.outcome)
    }
}

/// The form of an image file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Png,
    Apng,
    Gif,
    WebP,
}

impl Form {
    /// The form of files with an extension.
    fn of(ending: Option<&str>) -> Option<Self> {
        match ending {
            None | Some("png") => Some(Self::Png),
            Some("apng") => Some(Self::Apng),
            Some("gif") => Some(Self::Gif),
            Some("webp") => Some(Self::WebP),
            Some(_) => None,
        }
    }

    /// Pictures as a file: as an animation, unless it is a PNG that shows no turntable.
    fn file(
        self,
        mut pictures: impl ExactSizeIterator<Item = rezkit::Result<Picture>>,
        milliseconds: u16,
        is_turning: bool,
    ) -> Result<Vec<u8>, Error> {
        Ok(match self {
            Self::Png if !is_turning => match pictures.next() {
                Some(picture) => images::png(&picture?)?,
                None => Vec::new(),
            },
            Self::Png | Self::Apng => animated_png(pictures, milliseconds)?,
            Self::Gif => animated_gif(pictures, milliseconds)?,
            Self::WebP => animated_webp(pictures, milliseconds)?,
        })
    }
}

/// The name of a file in an archive as a path that every system accepts.
fn safe(name: &str) -> String {
    let mut files = rezkit_core::Files::default();
    files.add(&name.split('/').collect::<Vec<_>>(), Vec::new());
    files.into_vec().iter().map(rezkit::File::path).collect()
}

/// Shows assets in the terminal, as a picture if it can, or else as blocks of colour.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit show head.mesh
  rezkit show --size 200x200 --wireframe meshes/
  rezkit show --graphics blocks --angle 0,10 avatar.llmesh")]
pub(crate) struct Show {
    /// The protocol for images in the terminal [default: one that the terminal supports]
    #[arg(long)]
    graphics: Option<Graphics>,
    /// Files or folders; of a folder, every file with geometry or an animation is shown
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    look: Look,
}

impl Show {
    pub(crate) fn run(mut self, reading: &Reading) -> Result<Outcome, Error> {
        self.inputs = expanded(&self.inputs);
        let graphics = match std::io::stdout().is_terminal() {
            true => self.graphics.unwrap_or_else(Graphics::of_terminal),
            false => self.graphics.unwrap_or(Graphics::Blocks),
        };
        let policy = self.look.policy.of_losses()?;
        let only = self.inputs.len() == 1 && !self.inputs[0].is_dir();
        let run = |source: &Source| {
            let found = unless_empty(source, only, self.look.scene(reading, source))?;
            let Some((scene, options)) = found else { return Ok(None) };
            Ok(Some(graphics.text(&renderer(reading, source, &policy, &scene, &options)?.draw(&options)?)?))
        };
        let mut count = 0;
        let tally = reading.map(&self.inputs, has_geometry, run, |name, picture| {
            let Some(picture) = picture else { return Ok(true) };
            count += 1;
            // If there are several files, the name is printed, since a picture does not show it.
            let is_first = count == 1 && only;
            let title = if is_first { String::new() } else { format!("{name}\n") };
            report::print(&(title + &picture))
        })?;
        Ok(tally.outcome)
    }
}
