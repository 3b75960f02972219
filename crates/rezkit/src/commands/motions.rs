//! How motions are played, as options of commands.

use rezkit::scene::slmesh::{self, HAND_POSES, Loop, MotionOptions};

/// Instead of what the animation tells, or the defaults.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Motions of Second Life")]
pub(crate) struct Played {
    /// 0 to 6: of two motions that move a joint, the one with the higher priority does [default: as told in the file, or 3]
    #[arg(long, value_name = "NUMBER")]
    priority: Option<i32>,
    /// `on`, `off`, or from and to in seconds, as `0.5,2` [default: as told in the file, or off]
    #[arg(long = "loop", value_name = "WHEN", value_parser = when)]
    looped: Option<Loop>,
    /// How long it fades in and out, in seconds, as `0.3,0.5` [default: as told in the file, or 0.8]
    #[arg(long, value_name = "IN,OUT", value_parser = pair)]
    ease: Option<[f32; 2]>,
    /// What the hands do: `relaxed`, `fist`, `point-right` and so on, or a number from 0 to 13 [default: as told in the file, or
    /// relaxed]
    #[arg(long, value_name = "POSE", value_parser = hand_pose)]
    hand_pose: Option<u32>,
}

impl Played {
    pub(crate) fn options(&self) -> MotionOptions {
        let mut options = MotionOptions::default();
        (options.priority, options.looped, options.hand_pose) = (self.priority, self.looped, self.hand_pose);
        (options.ease_in, options.ease_out) =
            self.ease.map(|[ease_in, ease_out]| (ease_in, ease_out)).unzip();
        options
    }
}

fn when(text: &str) -> Result<Loop, String> {
    match text {
        "on" => Ok(Loop::On),
        "off" => Ok(Loop::Off),
        _ => match pair(text) {
            Ok([from, to]) => Ok(Loop::Between(from, to)),
            Err(_) => Err("expected on, off, or two times in seconds, as 0.5,2".to_owned()),
        },
    }
}

fn pair(text: &str) -> Result<[f32; 2], String> {
    let numbers =
        text.split_once(',').and_then(|(a, b)| Some([a.trim().parse().ok()?, b.trim().parse().ok()?]));
    numbers.ok_or_else(|| "expected two times in seconds, as 0.5,2".to_owned())
}

fn hand_pose(text: &str) -> Result<u32, String> {
    slmesh::hand_pose(text).ok_or_else(|| {
        let names = HAND_POSES.map(|name| name.replace(' ', "-"));
        format!("expected a number, or one of {}", names.join(", "))
    })
}
