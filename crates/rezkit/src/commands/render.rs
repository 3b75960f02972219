//! `rezkit render` and `rezkit show`: pictures.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use rezkit::render::{RenderOptions, Renderer, Sheet, animated_gif, animated_png};
use rezkit::scene::{Scene, images};
use rezkit::{ErrorKind, Loss, LossKind};

use super::scenes::Beside;
use crate::input::{Reading, Source};
use crate::outcome::{Error, Outcome, Usage};
use crate::terminal::Graphics;
use crate::{output, report};

/// Draws assets: one picture, a turntable, or a contact sheet of several files.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit render head.mesh -o head.png
  rezkit render --skeleton --action walk --time 0.5 seagull.m3d -o pose.png
  rezkit render --turntable 36 sword.glb -o sword.png
  rezkit render --turntable 36 sword.glb -o sword.gif
  rezkit render meshes/ -o sheet.png")]
pub(crate) struct Render {
    /// The picture: a PNG file, or a GIF file where it ends in .gif
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Turns the model once around, in this many pictures, as an animated PNG or GIF
    #[arg(long, value_name = "FRAMES")]
    turntable: Option<u16>,
    /// What is drawn; several files, and all below a folder, become one sheet with their names
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    look: Look,
}

/// What a picture shows, from where.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Picture")]
struct Look {
    /// The size of the picture, of each file where there are several
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size, default_value = "512x512")]
    size: (u32, u32),
    /// Where the camera is, in degrees: around the model (0 looks at its +z side) and above it
    #[arg(long, value_name = "YAW,PITCH", value_parser = angle, allow_hyphen_values = true)]
    angle: Option<(f32, f32)>,
    /// How much larger than where all of it is in the picture
    #[arg(long, value_name = "FACTOR", value_parser = zoom, default_value_t = 1.0)]
    zoom: f32,
    /// Which camera looks: one that sees everything, or the first one of the file, such as a place's
    #[arg(long, value_enum, default_value_t = Eye::Frame, conflicts_with = "angle")]
    camera: Eye,
    /// Frame everything: also a few things that are far away from the rest, and ground plates
    #[arg(long)]
    outliers: bool,
    /// Edges instead of surfaces
    #[arg(long)]
    wireframe: bool,
    /// The joints of skins as lines: always of a file that has no triangles, such as an animation, in its first pose
    #[arg(long)]
    skeleton: bool,
    /// The animation to pose it by: its name or its index
    #[arg(long, value_name = "NAME")]
    action: Option<String>,
    /// The time of the animation, in seconds
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS")]
    time: f32,
    /// The background: RRGGBB, RRGGBBAA or "none"
    #[arg(long, value_name = "COLOUR", value_parser = colour, default_value = "d6dce4")]
    background: [u8; 4],
    #[command(flatten)]
    beside: Beside,
}

/// Which camera looks.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Eye {
    /// One that sees everything
    Frame,
    /// The first one of the file
    Place,
}

fn zoom(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once('x').unwrap_or((text, text));
    let number = |text: &str| text.parse().map_err(|_| format!("{text:?} is not a number of pixels"));
    Ok((number(width)?, number(height)?))
}

fn angle(text: &str) -> Result<(f32, f32), String> {
    let (yaw, pitch) = text.split_once(',').unwrap_or((text, "20"));
    let number = |text: &str| {
        text.parse::<f32>().ok().filter(|n| n.is_finite()).ok_or(format!("{text:?} is not an angle"))
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
        _ => Err(format!("{text:?} is not a colour")),
    }
}

impl Look {
    /// The scene of a file, which is an error where it is the only one and nothing of it can be seen.
    fn scene(&self, reading: &Reading, source: &Source, only: bool) -> Result<(Scene, RenderOptions), Error> {
        let mut opened = self.beside.opened(reading, source)?;
        let options = self.beside.options(reading);
        let (scene, losses) = opened.scene(&options)?;
        not_drawn(source, &losses);
        // An animation is its joints.
        let only_joints = scene.triangle_count() == 0 && !scene.skins.is_empty();
        let skeleton = self.skeleton || only_joints;
        if !skeleton && !scene.is_visible() {
            let why = match scene.triangle_count() {
                0 => "no triangles".to_owned(),
                count => format!("{count} triangles without an area"),
            };
            let error = rezkit::Error::new(ErrorKind::Empty, format!("nothing to see: {why}"));
            if only {
                return Err(error.into());
            }
            report::complain(Some(&source.name), &error);
        }
        let mut options = RenderOptions::default();
        (options.width, options.height) = self.size;
        let (yaw, pitch) = self.angle.unwrap_or((scene.front + 30.0, 20.0));
        (options.yaw, options.pitch) = (yaw, pitch);
        options.zoom = self.zoom;
        if self.camera == Eye::Place {
            let camera = scene.walk().into_iter().find(|&node| scene.nodes[node].camera.is_some());
            options.camera = Some(camera.ok_or("no camera in the file")?);
        }
        (options.wireframe, options.skeleton) = (self.wireframe, skeleton);
        options.outliers = self.outliers;
        (options.time, options.background) = (self.time, self.background);
        options.animation = (only_joints && !scene.animations.is_empty()).then_some(0);
        if let Some(action) = &self.action {
            let by_name = scene.animations.iter().position(|animation| animation.name == *action);
            let by_index = || action.parse().ok().filter(|&index: &usize| index < scene.animations.len());
            let names: Vec<&str> = scene.animations.iter().map(|animation| animation.name.as_str()).collect();
            let missing = || format!("no action {action:?}; there are: {}", names.join(", "));
            options.animation = Some(by_name.or_else(by_index).ok_or_else(missing)?);
        }
        Ok((scene, options))
    }
}

/// Whether something of a file can be drawn, as far as its first bytes and its name tell.
fn has_geometry(source: &Source) -> bool {
    source.detected().is_some_and(|found| found.kind.has_geometry)
}

fn not_drawn(source: &Source, losses: &[Loss]) {
    for loss in losses {
        let what = if loss.kind == LossKind::Approximated { "approximated" } else { "not drawn" };
        report::complain(Some(&source.name), &format!("{what}: {loss}"));
    }
}

/// A scene with its textures; which of them are not there is said, and what is too far away to be seen.
fn renderer<'s>(
    reading: &Reading,
    source: &Source,
    scene: &'s Scene,
    options: &RenderOptions,
) -> Result<Renderer<'s>, Error> {
    let renderer = Renderer::new(scene, reading.max_bytes)?;
    not_drawn(source, renderer.losses());
    match renderer.outside(options) {
        0 => {}
        count => {
            let text = format!("{count} parts are far from the rest and not in the picture (--outliers)");
            report::complain(Some(&source.name), &text);
        }
    }
    Ok(renderer)
}

impl Render {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let ending = self.output.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let is_gif = match ending.as_deref() {
            None | Some("png") => false,
            Some("gif") => true,
            Some(_) => {
                let text = format!("{}: pictures are written as .png or .gif", report::path(&self.output));
                return Err(Usage(text).into());
            }
        };
        if self.turntable.is_some() && self.look.camera == Eye::Place {
            return Err(Usage("--turntable goes around the model, --camera place does not".into()).into());
        }
        // A turntable shows one asset: of an archive of several, as of a folder, there is a sheet.
        let is_one = match &self.inputs[..] {
            // The standard input is read once.
            [one] if one.to_str() == Some("-") => true,
            [one] if !one.is_dir() => reading.open(one).is_ok_and(|sources| sources.len() == 1),
            _ => false,
        };
        if is_gif && !is_one {
            let text = format!("{}: a sheet of several files is written as .png", report::path(&self.output));
            return Err(Usage(text).into());
        }
        let turning = self.turntable.filter(|_| is_one);
        let run = |source: &Source| {
            let (scene, options) = self.look.scene(reading, source, is_one)?;
            let renderer = renderer(reading, source, &scene, &options)?;
            Ok(match (turning, is_one && is_gif) {
                (Some(count), true) => animated_gif(renderer.turntable(&options, count)?, 80)?,
                (Some(count), false) => animated_png(renderer.turntable(&options, count)?, 80)?,
                (None, true) => animated_gif([renderer.draw(&options)].into_iter(), 80)?,
                (None, false) => images::png(&renderer.draw(&options)?)?,
            })
        };
        let (width, height) = self.look.size;
        let mut sheet = Sheet::new(width, height, self.look.background, reading.max_bytes);
        let mut only = None;
        let tally = reading.map(&self.inputs, has_geometry, run, |name, picture| {
            match is_one {
                true if only.is_some() => return Err("several files in one: unpack them first".into()),
                true => only = Some(picture),
                false => sheet.push(name, picture)?,
            }
            Ok(true)
        })?;
        let bytes = match only {
            Some(picture) => picture,
            // Why is said already.
            None if sheet.is_empty() => return Ok(tally.outcome.max(Outcome::Failure)),
            None => {
                if self.turntable.is_some() {
                    report::complain(None, &"--turntable is ignored: a sheet has one picture of each file");
                }
                if tally.skipped > 0 {
                    let text = format!("{} files without geometry are not on the sheet", tally.skipped);
                    report::complain(Some(&report::path(&self.output)), &text);
                }
                sheet.png()?
            }
        };
        output::put(&self.output, &bytes)?;
        Ok(tally.outcome)
    }
}

/// Shows assets in the terminal, as a picture where it can, or else as blocks of colour.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit show head.mesh
  rezkit show --size 200x200 --wireframe meshes/
  rezkit show --graphics blocks --angle 0,10 avatar.llmesh")]
pub(crate) struct Show {
    /// How the picture gets into the terminal; as the terminal tells what it is, unless set
    #[arg(long)]
    graphics: Option<Graphics>,
    /// What is shown: files, and all with geometry below folders
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
            let (scene, options) = self.look.scene(reading, source, only)?;
            Ok(graphics.text(&renderer(reading, source, &scene, &options)?.draw(&options)?)?)
        };
        let mut count = 0;
        let tally = reading.map(&self.inputs, has_geometry, run, |name, picture| {
            count += 1;
            // The name, where there are several: a picture does not tell it.
            let is_first = count == 1 && only;
            let title = if is_first { String::new() } else { format!("{name}\n") };
            report::print(&(title + &picture))
        })?;
        Ok(tally.outcome)
    }
}
