//! How motions are played, as options of commands.

use std::path::PathBuf;

use rezkit::ConvertOptions;
use rezkit::scene::roblox::AnimationOptions;
use rezkit::scene::slmesh::{self, HAND_POSES, Loop, MotionOptions};

use super::scenes::joint_names;
use crate::input::Reading;
use crate::outcome::Error;

/// Override the animation's own settings, or the defaults.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Animations")]
pub(crate) struct Played {
    /// The priority: of two animations of a joint, the higher one wins. Roblox: `idle`, `movement`, `action`, `action2` to
    /// `action4`, `core`; Second Life: 0 to 6 [default: as in the file, or action and 3]
    #[arg(long, value_name = "PRIORITY", value_parser = priority)]
    priority: Option<i32>,
    /// `on` or `off`; for Second Life also the start and end in seconds, such as `0.5,2` [default: as in the file, or on
    /// for Roblox and off for Second Life]
    #[arg(long = "loop", value_name = "WHEN", value_parser = when)]
    looped: Option<Loop>,
}

/// Like [`Played`], with the options of Second Life motions.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Animations")]
pub(crate) struct Motions {
    #[command(flatten)]
    played: Played,
    /// Fade-in and fade-out time in seconds, such as `0.3,0.5` (Second Life) [default: as in the file, or 0.8]
    #[arg(long, value_name = "IN,OUT", value_parser = pair)]
    ease: Option<[f32; 2]>,
    /// The hand pose: `relaxed`, `fist`, `point-right` and so on, or a number from 0 to 13 (Second Life) [default: as in the
    /// file, or relaxed]
    #[arg(long, value_name = "POSE", value_parser = hand_pose)]
    hand_pose: Option<u32>,
}

/// Which animation is converted, and how animations are written for Roblox.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Animations")]
pub(crate) struct Curves {
    /// Convert only this animation: its name or index
    #[arg(long, visible_alias = "animation", value_name = "NAME")]
    action: Option<String>,
    /// Write CurveAnimations instead of KeyframeSequences (Roblox)
    #[arg(long)]
    curves: bool,
    /// The tolerance for dropping sampled keys: degrees and studs (Roblox) [default: 0.1,0.001]
    #[arg(long, value_name = "DEGREES,STUDS", value_parser = pair)]
    tolerance: Option<[f32; 2]>,
    /// Samples per second of retargeted animations (Roblox) [default: 30]
    #[arg(long, value_name = "NUMBER")]
    fps: Option<f32>,
    /// A text file that maps joints to those of Second Life's avatar, one per line: `Bip01 Pelvis = mPelvis`; joints of Mixamo,
    /// VRM, VRoid, Rigify and Roblox need none
    #[arg(long, value_name = "FILE")]
    joints: Option<PathBuf>,
}

impl Curves {
    /// Adds these options to others.
    pub(crate) fn options(
        &self,
        reading: &Reading,
        options: ConvertOptions,
    ) -> Result<ConvertOptions, Error> {
        let mut animation = AnimationOptions::default();
        (animation.curves, animation.tolerance, animation.fps) = (self.curves, self.tolerance, self.fps);
        let mut options = options.animation(animation);
        if let Some(action) = &self.action {
            options = options.action(action);
        }
        if let Some(joints) = &self.joints {
            options = options.joints(joint_names(reading, joints)?);
        }
        Ok(options)
    }
}

impl Played {
    pub(crate) fn options(&self) -> MotionOptions {
        let mut options = MotionOptions::default();
        (options.priority, options.looped) = (self.priority, self.looped);
        options
    }
}

impl Motions {
    pub(crate) fn options(&self) -> MotionOptions {
        let mut options = self.played.options();
        options.hand_pose = self.hand_pose;
        (options.ease_in, options.ease_out) =
            self.ease.map(|[ease_in, ease_out]| (ease_in, ease_out)).unzip();
        options
    }
}

fn priority(text: &str) -> Result<i32, String> {
    const NAMES: [&str; 6] = ["idle", "movement", "action", "action2", "action3", "action4"];
    let named = (0..).zip(NAMES).find(|(_, name)| name.eq_ignore_ascii_case(text)).map(|(number, _)| number);
    let core = text.eq_ignore_ascii_case("core").then_some(1000);
    let wrong = || format!("expected a number, {} or core", NAMES.join(", "));
    named.or(core).or_else(|| text.parse().ok()).ok_or_else(wrong)
}

fn when(text: &str) -> Result<Loop, String> {
    match text {
        "on" => Ok(Loop::On),
        "off" => Ok(Loop::Off),
        _ => match pair(text) {
            Ok([from, to]) => Ok(Loop::Between(from, to)),
            Err(_) => Err("expected on, off, or two times in seconds, such as 0.5,2".to_owned()),
        },
    }
}

fn pair(text: &str) -> Result<[f32; 2], String> {
    let numbers =
        text.split_once(',').and_then(|(a, b)| Some([a.trim().parse().ok()?, b.trim().parse().ok()?]));
    numbers.ok_or_else(|| "expected two numbers, such as 0.5,2".to_owned())
}

fn hand_pose(text: &str) -> Result<u32, String> {
    slmesh::hand_pose(text).ok_or_else(|| {
        let names = HAND_POSES.map(|name| name.replace(' ', "-"));
        format!("expected a number, or one of {}", names.join(", "))
    })
}
