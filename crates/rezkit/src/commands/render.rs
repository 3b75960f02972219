//! `rezkit render` and `rezkit show`: pictures.

use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use rbxcore::geom::Aabb;
use rezkit::ErrorKind;
use rezkit::render::{RenderOptions, Renderer, Sheet, animated_gif, animated_png};
use rezkit::scene::{Scene, images};

use super::scenes::Beside;
use crate::below;
use crate::input::{Reading, Source};
use crate::outcome::{Error, Outcome, Usage};
use crate::output::{Claims, Plan, Replacing};
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
  rezkit render meshes/ -o sheet.png
  rezkit render meshes/ --to png -o pictures
  rezkit render --look Workspace/Car place.rbxl -o car.png")]
pub(crate) struct Render {
    /// The output file: PNG, or GIF if the extension is .gif; with --to, the output folder
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Write one image per file, in this format, into the folder given by --output, instead of one sheet
    #[arg(long, value_name = "FORMAT", value_parser = ["png", "gif"])]
    to: Option<String>,
    /// Write an animated PNG or GIF in which the model turns once, with this number of frames
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
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Image")]
struct Look {
    /// The size of each image in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size, default_value = "512x512")]
    size: (u32, u32),
    /// The direction from which the camera looks at the model, in degrees: YAW turns the camera around the model (at 0,
    /// it shows the +z side), and PITCH raises it [default: 30 degrees beside the front of the model, raised by 20]
    #[arg(long, value_name = "YAW,PITCH", value_parser = angle, allow_hyphen_values = true)]
    angle: Option<(f32, f32)>,
    /// The magnification; at 1, the model fits into the image
    #[arg(long, value_name = "FACTOR", value_parser = zoom, default_value_t = 1.0, allow_negative_numbers = true)]
    zoom: f32,
    /// The camera from which the image is rendered
    #[arg(long, value_enum, default_value_t = Eye::Frame, conflicts_with = "angle")]
    camera: Eye,
    /// Move the camera so that the instance or node at this path fills the image
    #[arg(long, value_name = "PATH", conflicts_with = "camera")]
    look: Option<String>,
    /// Fit the whole model into the image, including ground plates and parts that are far from the others
    #[arg(long)]
    outliers: bool,
    /// Draw the edges of triangles instead of their surfaces
    #[arg(long)]
    wireframe: bool,
    /// Draw the skeleton as lines; this is the default for files without triangles, such as animations
    #[arg(long)]
    skeleton: bool,
    /// Pose the model with the animation of this name or index (the first has index 0); a GIF shows the whole
    /// animation, unless --time is given
    #[arg(long, visible_alias = "animation", value_name = "NAME")]
    action: Option<String>,
    /// Pose the model at this time of its animation, in seconds; --action can be omitted if the file has one animation.
    /// Without --time, --action poses the model at 0 s. Without both, a model with triangles is shown at rest
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time: Option<f32>,
    /// The background colour: hexadecimal RRGGBB or RRGGBBAA, or "none" for a transparent background
    #[arg(long, value_name = "COLOUR", value_parser = colour, default_value = "d6dce4")]
    background: [u8; 4],
    #[command(flatten)]
    beside: Beside,
}

/// The camera that a picture is drawn from.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Eye {
    /// A camera that shows the whole model
    Frame,
    /// The first camera in the file, such as the camera of a Roblox place
    Place,
}

fn zoom(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once('x').unwrap_or((text, text));
    let number = |part: &str| {
        let expected = "a size of at most 16384x16384 pixels, such as 640x480, or 512 for a square";
        part.parse().map_err(|_| format!("expected {expected}, found {text:?}"))
    };
    Ok((number(width)?, number(height)?))
}

fn angle(text: &str) -> Result<(f32, f32), String> {
    let (yaw, pitch) = text.split_once(',').unwrap_or((text, "20"));
    let number = |text: &str| {
        text.parse::<f32>()
            .ok()
            .filter(|n| n.is_finite())
            .ok_or(format!("expected an angle in degrees, found {text:?}"))
    };
    Ok((number(yaw)?, number(pitch)?))
}

fn colour(text: &str) -> Result<[u8; 4], String> {
    if text == "none" {
        return Ok([0; 4]);
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    let value = u32::from_str_radix(digits, 16).ok();
    match (value, digits.len()) {
        (Some(value), 6) => Ok((value << 8 | 0xff).to_be_bytes()),
        (Some(value), 8) => Ok(value.to_be_bytes()),
        _ => Err(format!(
            "expected a hexadecimal colour (RRGGBB or RRGGBBAA) or the word \"none\", found {text:?}"
        )),
    }
}

impl Look {
    /// The scene of a file. It is an error if nothing of the scene can be seen.
    fn scene(&self, reading: &Reading, source: &Source) -> Result<(Scene, RenderOptions), Error> {
        let mut opened = self.beside.opened(reading, source)?;
        let options = self.beside.options(reading)?;
        let (scene, losses) = opened.scene(&options)?;
        report::lost(&source.name, &losses, reading.verbose);
        // Of an animation without a model, the joints are drawn.
        let only_joints = scene.triangle_count() == 0 && !scene.skins.is_empty();
        let skeleton = self.skeleton || only_joints;
        if !skeleton && !scene.is_visible() {
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
        let mut options = RenderOptions::default();
        (options.width, options.height) = self.size;
        let (yaw, pitch) = self.angle.unwrap_or((scene.front + 30.0, 20.0));
        (options.yaw, options.pitch) = (yaw, pitch);
        options.zoom = self.zoom;
        if self.camera == Eye::Place {
            let camera = scene.walk().into_iter().find(|&node| scene.nodes[node].camera.is_some());
            let nothing = "--camera place requires a camera, but the file has none (use --camera frame)";
            options.camera = Some(camera.ok_or(nothing)?);
        }
        (options.wireframe, options.skeleton) = (self.wireframe, skeleton);
        options.outliers = self.outliers;
        if let Some(path) = &self.look {
            let nothing = || format!("--look {path}: found no instance or node with triangles at this path");
            options.frame = Some(bounds(&scene, &opened.node_paths(&scene)?, path).ok_or_else(nothing)?);
        }
        (options.time, options.background) = (self.time.unwrap_or_default(), self.background);
        options.animation = (only_joints && !scene.animations.is_empty()).then_some(0);
        match (&self.action, self.time, scene.animations.len()) {
            (Some(action), ..) => options.animation = Some(scene.find_animation(action)?),
            (None, Some(_), 1) => options.animation = Some(0),
            (None, Some(_), count @ 2..) if !only_joints => {
                let what = format!("--time requires --action, since the file has {count} animations");
                return Err(what.into());
            }
            (None, Some(_), 0) => {
                let what = "--time has no effect, since the file has no animation";
                report::warn(&source.name, what);
            }
            _ => {}
        }
        Ok((scene, options))
    }
}

/// The box around an instance, found by its path, or a node, found by its name, with everything below it.
fn bounds(scene: &Scene, paths: &[Option<String>], wanted: &str) -> Option<Aabb> {
    let is_at = |path: &String| {
        path.strip_prefix(wanted).is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'/', ..]))
    };
    let mut inside: Vec<bool> = (scene.nodes.iter().zip(paths))
        .map(|(node, path)| node.name == wanted || path.as_ref().is_some_and(is_at))
        .collect();
    for node in scene.walk().into_iter().filter(|&node| inside[node]).collect::<Vec<_>>() {
        let mut waiting = scene.nodes[node].children.clone();
        while let Some(child) = waiting.pop().filter(|&child| !inside[child]) {
            inside[child] = true;
            waiting.extend(&scene.nodes[child].children);
        }
    }
    let (placed, pose) = (scene.placed(), scene.pose());
    let posed = placed.iter().zip(scene.posed(&pose));
    let points = posed.filter(|(placed, _)| inside[placed.node]).flat_map(|(_, primitives)| {
        primitives.into_iter().flat_map(|primitive| primitive.mesh.positions.clone())
    });
    Aabb::from_points(points)
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
    source.detected().is_some_and(|found| found.kind.has_geometry)
}

/// A renderer for a scene with its textures; reports missing textures, and parts that are too far away.
fn renderer<'s>(
    reading: &Reading,
    source: &Source,
    scene: &'s Scene,
    options: &RenderOptions,
) -> Result<Renderer<'s>, Error> {
    let renderer = Renderer::new(scene, reading.max_bytes)?;
    report::lost(&source.name, renderer.losses(), reading.verbose);
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
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let ending = match &self.to {
            Some(to) => Some(to.clone()),
            None => self.output.extension().map(|ending| ending.to_string_lossy().to_lowercase()),
        };
        let is_gif = match ending.as_deref() {
            None | Some("png") => false,
            Some("gif") => true,
            Some(_) => {
                let text = format!(
                    "{}: expected an output path with the extension .png or .gif",
                    report::path(&self.output)
                );
                return Err(Usage(text).into());
            }
        };
        if self.turntable.is_some() && self.look.camera == Eye::Place {
            return Err(Usage("--turntable cannot be combined with --camera place".into()).into());
        }
        // A turntable shows one asset; an archive of several, like a folder, becomes a sheet.
        let is_one = match &self.inputs[..] {
            // The standard input is read once.
            [one] if one.to_str() == Some("-") => true,
            // A file that cannot be read is an error of this file.
            [one] if !one.is_dir() => reading.open(one).map_or(true, |sources| sources.len() == 1),
            _ => false,
        };
        if is_gif && !is_one && self.to.is_none() {
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
            let (scene, options) = self.look.scene(reading, source)?;
            let renderer = renderer(reading, source, &scene, &options)?;
            if each && is_gif && turning.is_none() && options.animation.is_some() && self.look.time.is_none()
            {
                return Ok(animated_gif(renderer.animation(&options, 20)?, 50)?);
            }
            Ok(match (turning, each && is_gif) {
                (Some(count), true) => animated_gif(renderer.turntable(&options, count)?, 80)?,
                (Some(count), false) => animated_png(renderer.turntable(&options, count)?, 80)?,
                (None, true) => animated_gif([renderer.draw(&options)].into_iter(), 80)?,
                (None, false) => images::png(&renderer.draw(&options)?)?,
            })
        };
        if let Some(to) = &self.to {
            return self.pictures(reading, to, is_one, draw);
        }
        let (width, height) = self.look.size;
        let mut sheet = Sheet::new(width, height, self.look.background, reading.max_bytes);
        let mut only = None;
        let drawn = |source: &Source| unless_empty(source, is_one, draw(source));
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
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let graphics = match std::io::stdout().is_terminal() {
            true => self.graphics.unwrap_or_else(Graphics::of_terminal),
            false => self.graphics.unwrap_or(Graphics::Blocks),
        };
        let only = self.inputs.len() == 1 && !self.inputs[0].is_dir();
        let run = |source: &Source| {
            let found = unless_empty(source, only, self.look.scene(reading, source))?;
            let Some((scene, options)) = found else { return Ok(None) };
            Ok(Some(graphics.text(&renderer(reading, source, &scene, &options)?.draw(&options)?)?))
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
