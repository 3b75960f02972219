//! Options by their names: one table of each kind for the command line, Python and the web.

use rezkit_core::{Error, Result};
use rezkit_scene::motion::MotionRig;
use rezkit_scene::slmesh::{self, JointNames, Loop};
use rezkit_scene::{Levels, RigModel, SceneOptions, Terrain, Unions};

use crate::options::{ConvertOptions, Fill};

/// An option by its name.
#[derive(Debug)]
#[non_exhaustive]
pub struct Setting<O: 'static = ConvertOptions> {
    /// The name: lower-case words separated by `-`. [`Options::set`] also finds `hand_pose` and `handPose`.
    pub name: &'static str,
    /// The placeholder for its value in help; empty for a switch.
    pub value: &'static str,
    /// Its effect, for help.
    pub help: &'static str,
    /// Shows its default, unless the help describes it.
    default: Option<fn(&O) -> String>,
    /// Its topic.
    pub topic: Topic,
    /// All possible values, if they are few; otherwise empty.
    pub values: &'static [&'static str],
    /// Whether the value can be the content of a file.
    pub is_file: bool,
    /// Whether a short help omits it.
    pub is_rare: bool,
    /// The values that it accepts, for messages.
    pub expected: &'static str,
    /// The conversions that it changes.
    pub applies: Applies,
    apply: Apply<O>,
    /// Whether it differs from the default.
    is_set: fn(&O) -> bool,
}

/// The conversions to which an option applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Applies {
    /// All.
    Everywhere,
    /// Those to LLSD as XML or notation.
    Text,
    /// Those by way of a scene.
    Scene,
    /// Those of a Roblox document by way of a scene.
    Places,
    /// As [`Places`](Self::Places), and those of a region of OpenSim.
    Terrain,
    /// Those of a Second Life mesh by way of a scene.
    Hulls,
    /// Those of a file with levels of detail by way of a scene.
    Levels,
    /// Those of a file that does not state the unit of its lengths by way of a scene.
    Unitless,
    /// Those of BVH to an animation of Second Life.
    Bvh,
    /// Those by way of a scene to a format with animations.
    Animation,
    /// Those to a format that has settings of playback, and changes of these in a Second Life animation.
    Playback,
    /// As [`Playback`](Self::Playback), but not for Roblox, which lacks the setting.
    SecondLife,
    /// Those of an animation to one of Second Life.
    Motion,
    /// Those of an animation to one of Roblox.
    Roblox,
    /// Those of animations that are read from a Roblox document, or written to a format with animations.
    Rig,
    /// Those by way of a scene to a Roblox model.
    Model,
    /// Those of a Roblox document.
    Document,
    /// Those of a Roblox document to one.
    Stored,
    /// Those of a Roblox document to a binary one.
    Binary,
}

impl Applies {
    /// What options apply to, as the end of a sentence.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Everywhere => "all conversions",
            Self::Text => "LLSD that is written as XML or notation",
            Self::Places => "Roblox places and models that become a scene",
            Self::Terrain => "Roblox places and models and regions of OpenSim that become a scene",
            Self::Hulls => "Second Life meshes that become a scene",
            Self::Levels => "meshes of Roblox and Second Life and Roblox places that become a scene",
            Self::Unitless => "STL, OBJ and PLY, which do not state a unit",
            Self::Bvh => "BVH files that become animations for Second Life (.anim)",
            Self::Scene => "conversions to or from a scene format, such as glb",
            Self::Animation => "animations that are written to a format with animations",
            Self::Playback => {
                "animations that are written to a format with settings of playback, which BVH lacks"
            }
            Self::SecondLife => "animations that are written for Second Life or to glTF",
            Self::Motion => "animations that are written for Second Life (.anim)",
            Self::Roblox => "animations that are written to Roblox files",
            Self::Rig => "animations that are read from Roblox files or written to a format with animations",
            Self::Model => "scenes that become a Roblox model (.rbxm, .rbxmx)",
            Self::Document => "Roblox places and models",
            Self::Stored => "Roblox places and models that stay one",
            Self::Binary => "Roblox places and models that are written in the binary form",
        }
    }
}

/// The topic of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Topic {
    /// The output.
    Result = 1,
    /// The parts of a file that become a scene.
    Scene = 2,
    /// The levels of detail that become a scene.
    Levels = 4,
    /// The rig of animations.
    Rig = 8,
    /// The playback of animations.
    Played = 16,
    /// The playback of Second Life motions.
    Motion = 32,
    /// The conversion of BVH.
    Bvh = 64,
    /// The written animations, and their form for Roblox.
    Curves = 128,
    /// The names of joints.
    Joints = 256,
    /// Rendered images.
    Image = 512,
    /// Changes of animations.
    Changes = 1024,
    /// The parts and meshes of a Roblox model.
    Model = 2048,
    /// The folder of the meshes and images of a Roblox model.
    Folder = 4096,
}

impl Topic {
    /// The topics of options that apply to every scene, whatever it is converted to.
    pub const OF_SCENES: [Self; 3] = [Self::Scene, Self::Levels, Self::Rig];
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionValue {
    /// On or off.
    Flag(bool),
    /// A number.
    Number(f64),
    /// Several numbers.
    Numbers(Vec<f64>),
    /// A text, as it is written on a command line.
    Text(String),
    /// The content of a file.
    Bytes(Vec<u8>),
}

/// Sets an option; `None` if the value does not fit.
type Apply<O> = fn(&mut O, &OptionValue) -> Option<Result<()>>;

pub(crate) const fn row<O>(
    topic: Topic,
    name: &'static str,
    value: &'static str,
    help: &'static str,
    apply: Apply<O>,
) -> Setting<O> {
    let expected = if value.is_empty() { "a boolean" } else { "a string" };
    let (values, is_file, is_rare) = (&[], false, true);
    let (applies, is_set): (_, fn(&O) -> bool) = (Applies::Everywhere, |_| false);
    Setting {
        name,
        value,
        help,
        default: None,
        topic,
        values,
        is_file,
        is_rare,
        expected,
        applies,
        apply,
        is_set,
    }
}

impl<O> Setting<O> {
    pub(crate) const fn one_of(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }

    pub(crate) const fn expects(self, expected: &'static str) -> Self {
        Self { expected, ..self }
    }

    pub(crate) const fn often(self) -> Self {
        Self { is_rare: false, ..self }
    }

    pub(crate) const fn shows(self, default: fn(&O) -> String) -> Self {
        Self { default: Some(default), ..self }
    }

    /// The conversions to which it applies, and whether it is set.
    const fn applies(self, applies: Applies, is_set: fn(&O) -> bool) -> Self {
        Self { applies, is_set, ..self }
    }

    const fn file(self) -> Self {
        Self { is_file: true, ..self }
    }

    /// The help with the default.
    pub fn help(&self) -> String
    where
        O: Default,
    {
        let default = self.default.map(|show| format!(" [default: {}]", show(&O::default())));
        self.help.to_owned() + &default.unwrap_or_default()
    }

    /// Sets this option.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if the value does not fit.
    pub fn set(&self, options: &mut O, given: &OptionValue) -> Result<()> {
        (self.apply)(options, given).unwrap_or_else(|| {
            let expected = match self.values {
                [] => self.expected.to_owned(),
                values => format!("one of {}", values.join(", ")),
            };
            Err(Error::argument(format!("expected {expected}, found {given}")))
        })
    }
}

/// Options that a table lists by name.
pub trait Options: Default + 'static {
    /// All options.
    const TABLE: &'static [Setting<Self>];

    /// The option with a name.
    fn find(name: &str) -> Option<&'static Setting<Self>> {
        let plain = |name: &str| name.replace(['-', '_'], "").to_ascii_lowercase();
        Self::TABLE.iter().find(|row| plain(row.name) == plain(name))
    }

    /// Sets an option by its name, as command lines and bindings do.
    ///
    /// ```
    /// use rezkit::{ConvertOptions, OptionValue, Options as _};
    ///
    /// let mut options = ConvertOptions::new();
    /// options.set("tolerance", &OptionValue::Text("0.5,0.01".into()))?;
    /// assert_eq!(options.animation.tolerance, Some([0.5, 0.01]));
    /// assert!(options.set("fps", &OptionValue::Flag(true)).is_err());
    /// # Ok::<(), rezkit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such option, or the value does not fit.
    fn set(&mut self, name: &str, given: &OptionValue) -> Result<()> {
        let row = Self::find(name).ok_or_else(|| {
            let names: Vec<_> = Self::TABLE.iter().map(|row| row.name).collect();
            Error::argument(format!("unknown option {name:?}; expected one of {}", names.join(", ")))
        })?;
        row.set(self, given).map_err(|error| error.below(|path| format!("{name}: {path}")))
    }
}

#[allow(clippy::cast_possible_truncation, reason = "to the nearest")]
impl OptionValue {
    pub(crate) fn flag(&self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> Option<f32> {
        match self {
            Self::Number(number) => Some(*number as f32),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    pub(crate) fn pair(&self) -> Option<[f32; 2]> {
        match self {
            Self::Numbers(numbers) => {
                <[f64; 2]>::try_from(&numbers[..]).ok().map(|pair| pair.map(|n| n as f32))
            }
            Self::Text(text) => {
                let (a, b) = text.split_once(',')?;
                Some([a.trim().parse().ok()?, b.trim().parse().ok()?])
            }
            _ => None,
        }
    }

    /// The content of a file.
    pub(crate) fn bytes(&self) -> Option<std::sync::Arc<[u8]>> {
        match self {
            Self::Bytes(bytes) => Some(bytes.as_slice().into()),
            _ => None,
        }
    }

    /// A text, or a number as one.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string()),
            Self::Bytes(bytes) => String::from_utf8(bytes.clone()).ok(),
            _ => None,
        }
    }
}

impl std::fmt::Display for OptionValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Numbers(numbers) => write!(f, "{numbers:?}"),
            Self::Text(text) => write!(f, "{:?}", rezkit_core::plain::shorten(text, 60)),
            Self::Bytes(bytes) if std::str::from_utf8(bytes).is_err() => {
                write!(f, "{} bytes that are not UTF-8", bytes.len())
            }
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
        }
    }
}

/// Sets a field to a value; `None` if the value is `None`.
pub(crate) fn put<T>(field: &mut T, value: Option<T>) -> Option<Result<()>> {
    *field = value?;
    Some(Ok(()))
}

fn priority(given: &OptionValue) -> Option<i32> {
    const NAMES: [&str; 6] = ["idle", "movement", "action", "action2", "action3", "action4"];
    let text = given.text()?;
    let named = (0..).zip(NAMES).find(|(_, name)| name.eq_ignore_ascii_case(&text)).map(|(number, _)| number);
    let of_second_life = || rezkit_scene::Priority::of_second_life(&text);
    named
        .or(text.eq_ignore_ascii_case("core").then_some(1000))
        .or_else(of_second_life)
        .or_else(|| text.parse().ok())
}

fn looped(given: &OptionValue) -> Option<Loop> {
    match (given, given.flag()) {
        (_, Some(true)) => Some(Loop::On),
        (_, Some(false)) => Some(Loop::Off),
        (OptionValue::Text(text), _) if text == "on" => Some(Loop::On),
        (OptionValue::Text(text), _) if text == "off" => Some(Loop::Off),
        _ => given.pair().map(|[from, to]| Loop::Between(from, to)),
    }
}

fn rig(given: &OptionValue) -> Option<RigModel> {
    match given {
        OptionValue::Text(name) => RigModel::of_roblox(name).or_else(|| {
            let known = MotionRig::names().find(|known| known.eq_ignore_ascii_case(name));
            known.map(RigModel::Named)
        }),
        OptionValue::Bytes(bytes) => Some(RigModel::Document(bytes.as_slice().into())),
        _ => None,
    }
}

fn levels(given: &OptionValue) -> Option<Levels> {
    Some(match given.text()?.as_str() {
        "finest" => Levels::Finest,
        "all" => Levels::All,
        number => Levels::One(number.parse().ok()?),
    })
}

const fn option(
    topic: Topic,
    name: &'static str,
    value: &'static str,
    help: &'static str,
    apply: Apply<ConvertOptions>,
) -> Setting {
    row(topic, name, value, help, apply)
}

impl Options for ConvertOptions {
    const TABLE: &'static [Setting] = SETTINGS;
}

impl ConvertOptions {
    /// The options that are set.
    pub(crate) fn set(&self) -> impl Iterator<Item = &'static Setting> {
        SETTINGS.iter().filter(|row| (row.is_set)(self))
    }

    /// The first option that is set and applies only to animations.
    pub(crate) fn of_animations(&self) -> Option<&'static str> {
        let others = [Topic::Result, Topic::Scene, Topic::Levels, Topic::Model, Topic::Folder];
        // With it, parts may deviate from meshes.
        let is_of_parts = |row: &Setting| self.model.parts && row.name == "tolerance";
        let is_one = |row: &&Setting| !others.contains(&row.topic) && !is_of_parts(row);
        self.set().find(is_one).map(|row| row.name)
    }
}

/// All options of conversions.
pub const SETTINGS: &[Setting] = &[
    option(
        Topic::Result,
        "allow-loss",
        "",
        "Drop or replace content that the target format cannot represent, and list it; without this option, \
         that content is an error, except in conversions to glTF and other scene formats, which always drop and list it",
        |to, given| put(&mut to.allow_loss, given.flag()),
    )
    .often()
    .applies(Applies::Everywhere, |of| of.allow_loss),
    option(
        Topic::Result,
        "fill",
        "WITH",
        "Values that the file lacks but the target format requires, which are listed: the `defaults` of Roblox's \
         classes, `neutral` values such as 0, or `none`, which makes missing values an error [default: defaults]",
        |to, given| match given.text()?.as_str() {
            "neutral" => put(&mut to.fill, Some(Fill::Neutral)),
            "defaults" => put(&mut to.fill, Some(Fill::Defaults)),
            "none" => put(&mut to.fill, Some(Fill::Refuse)),
            _ => None,
        },
    )
    .one_of(&["defaults", "neutral", "none"])
    .applies(Applies::Everywhere, |of| of.fill != ConvertOptions::default().fill),
    #[cfg(feature = "history")]
    option(
        Topic::Result,
        "client",
        "MONTH",
        "Write a place or model for the Roblox client of a month, such as `2016-04`, or of a version, such as `0.240`: \
         what it did not know becomes what it knew or is dropped, and is listed. Before 2014, the output is XML, whatever \
         its extension",
        |to, given| {
            let month = given.text()?;
            Some(crate::options::month(&month).map(|_| to.client = Some(month)))
        },
    )
    .expects("a month, such as 2016-04, or a version, such as 0.240")
    .applies(Applies::Document, |of| of.client.is_some()),
    option(
        Topic::Result,
        "share",
        "",
        "Store bytes that several unions or meshes have alike once, as shared strings (places and models); `size` states \
         what that saves",
        |to, given| put(&mut to.share, given.flag()),
    )
    .applies(Applies::Stored, |of| of.share),
    option(
        Topic::Result,
        "compression",
        "NAME",
        "The compression of a binary place or model: `none`, `lz4`, `zstd`, or zstd with a level from 1 to 22, such as \
         `zstd:19`; `size` states what each would save",
        |to, given| {
            let text = given.text()?;
            let (name, level) = text.split_once(':').map_or((&*text, None), |(name, level)| (name, Some(level)));
            let level = match level {
                Some(level) => Some(level.parse().ok().filter(|level| name == "zstd" && (1..=22).contains(level))?),
                None => None,
            };
            let is_known = ["none", "lz4", "zstd"].contains(&name);
            is_known.then(|| to.compression = Some((name.to_owned(), level))).map(Ok)
        },
    )
    .expects("none, lz4, zstd, or zstd:1 to zstd:22")
    .applies(Applies::Binary, |of| of.compression.is_some()),
    option(
        Topic::Result,
        "pretty",
        "",
        "Indent LLSD that is written as XML or notation, with an entry on each line",
        |to, given| put(&mut to.pretty, given.flag()),
    )
    .applies(Applies::Text, |of| of.pretty),
    option(
        Topic::Played,
        "priority",
        "PRIORITY",
        "The priority of the animation; if two animations move the same joint, the one with the higher priority \
         wins. For Roblox: `idle`, `movement`, `action`, `action2` to `action4` or `core`; for Second Life: 0 to 6, or `low` to `highest` (0 to 4) \
         [default: the file's own priority for this platform; if it has none, `action` for Roblox, and 3 for Second \
         Life (2 for a BVH file without `--exact`)]",
        |to, given| put(&mut to.motion.priority, priority(given).map(Some)),
    )
    .expects(
        "a number from 0 to 6 for Second Life, or idle, movement, action, action2, action3, action4 or core for Roblox",
    )
    .applies(Applies::Playback, |of| of.motion.priority.is_some()),
    option(
        Topic::Played,
        "loop",
        "WHEN",
        "Whether the animation repeats: `on` or `off`; for Second Life, also the start and end of the repeated part in \
         seconds, such as `0.5,2` [default: as in the file; otherwise on for Roblox and off for Second Life]",
        |to, given| put(&mut to.motion.looped, looped(given).map(Some)),
    )
    .expects("on, off, or two times in seconds, such as 0.5,2")
    .often()
    .applies(Applies::Playback, |of| of.motion.looped.is_some()),
    option(
        Topic::Motion,
        "ease",
        "IN,OUT",
        "Fade-in and fade-out time in seconds, such as `0.3,0.5` (Second Life) [default: as in the file; \
         otherwise 0.8 for both, or 0.3 for a BVH file without `--exact`, but at most half of the animation]",
        |to, given| {
            let ease = given.pair()?;
            (to.motion.ease_in, to.motion.ease_out) = (Some(ease[0]), Some(ease[1]));
            Some(Ok(()))
        },
    )
    .expects("two times in seconds, such as 0.3,0.5")
    .applies(Applies::SecondLife, |of| of.motion.ease_in.is_some() || of.motion.ease_out.is_some()),
    option(
        Topic::Motion,
        "hand-pose",
        "POSE",
        "The hand pose: a name such as `relaxed`, `fist` or `point-right`, or a number from 0 to 13 (Second Life) \
         [default: as in the file, otherwise relaxed]",
        |to, given| put(&mut to.motion.hand_pose, slmesh::hand_pose(&given.text()?).map(Some)),
    )
    .expects("a number from 0 to 13, or a name such as relaxed, fist or point-right")
    .applies(Applies::SecondLife, |of| of.motion.hand_pose.is_some()),
    option(
        Topic::Changes,
        "speed",
        "FACTOR",
        "Play the animations this number of times as fast: all times are divided by it, also the fade-in and fade-out \
         times and those of the loop (`--loop` and `--ease` set times of the result)",
        |to, given| put(&mut to.changes.speed, given.number().map(Some)),
    )
    .expects("a number above 0")
    .applies(Applies::Animation, |of| of.changes.speed.is_some()),
    option(
        Topic::Changes,
        "drop-joints",
        "NAMES",
        "Remove these joints from the animations: names separated by commas, in which `*` stands for any text, such as \
         `mHead,mHand*`; the other joints stay unchanged",
        |to, given| {
            let names = given.text()?;
            let names: Vec<String> = names.split(',').map(|name| name.trim().to_owned()).collect();
            put(&mut to.changes.drop_joints, names.iter().all(|name| !name.is_empty()).then_some(names))
        },
    )
    .expects("names of joints separated by commas")
    .applies(Applies::Animation, |of| !of.changes.drop_joints.is_empty()),
    option(
        Topic::Changes,
        "mirror",
        "",
        "Exchange the left and the right side of the animations",
        |to, given| put(&mut to.changes.mirror, given.flag()),
    )
    .applies(Applies::Animation, |of| of.changes.mirror),
    option(
        Topic::Changes,
        "in-place",
        "",
        "Keep the hips above the place where they begin: a walk becomes one on the spot",
        |to, given| put(&mut to.changes.in_place, given.flag()),
    )
    .applies(Applies::Animation, |of| of.changes.in_place),
    option(
        Topic::Changes,
        "trim",
        "FROM,TO",
        "Keep only the part between two times of the animations, in seconds, such as `0.5,2`, which then begins at 0",
        |to, given| put(&mut to.changes.trim, given.pair().map(Some)),
    )
    .expects("two times in seconds, such as 0.5,2")
    .applies(Applies::Animation, |of| of.changes.trim.is_some()),
    option(
        Topic::Changes,
        "reduce",
        "DEGREES,LENGTH",
        "Remove keys of the animations that straight lines between the others yield within this number of degrees, and \
         this length in the unit of the animation, such as `0.5,0.005`",
        |to, given| put(&mut to.changes.reduce, given.pair().map(Some)),
    )
    .expects("two numbers, degrees and a length, such as 0.5,0.005")
    .applies(Applies::Animation, |of| of.changes.reduce.is_some()),
    option(
        Topic::Changes,
        "then",
        "FILE",
        "Play the first animation of this file after the first one of the input; its rig may be another one",
        |to, given| put(&mut to.changes.then, given.bytes().map(Some)),
    )
    .expects("a file with an animation")
    .file()
    .applies(Applies::Animation, |of| of.changes.then.is_some()),
    option(
        Topic::Changes,
        "blend",
        "SECONDS",
        "The time in which the end of the animation and the start of that of `--then` are blended [default: 0.3]",
        |to, given| put(&mut to.changes.blend, given.number().map(Some)),
    )
    .expects("a number of seconds")
    .applies(Applies::Animation, |of| of.changes.blend.is_some()),
    option(
        Topic::Changes,
        "pose",
        "FILE",
        "Replace the motion of the joints of `--pose-joints` by the first animation, or the pose, of this file; its rig \
         may be another one",
        |to, given| put(&mut to.changes.pose, given.bytes().map(Some)),
    )
    .expects("a file with an animation or a pose")
    .file()
    .applies(Applies::Animation, |of| of.changes.pose.is_some()),
    option(
        Topic::Changes,
        "pose-joints",
        "NAMES",
        "The joints that `--pose` moves, with everything below them: names separated by commas, in which `*` stands for \
         any text, such as `mCollar*` [default: all that the pose moves]",
        |to, given| {
            let names = given.text()?;
            let names: Vec<String> = names.split(',').map(|name| name.trim().to_owned()).collect();
            put(&mut to.changes.pose_joints, names.iter().all(|name| !name.is_empty()).then_some(names))
        },
    )
    .expects("names of joints separated by commas")
    .applies(Applies::Animation, |of| !of.changes.pose_joints.is_empty()),
    option(
        Topic::Bvh,
        "exact",
        "",
        "Convert a BVH file to a Second Life animation with its own rest pose and all of its frames; joints that stay in \
         the rest pose get no keys. Without this \
         option, a file whose first joint is hip or mPelvis is converted in the same way as by Second Life's uploader: \
         the first frame is not played, and redundant frames are dropped (Second Life)",
        |to, given| put(&mut to.motion.exact, given.flag()),
    )
    .applies(Applies::Bvh, |of| of.motion.exact),
    option(
        Topic::Curves,
        "action",
        "NAME",
        "Convert only the animation with this name or index (the first has index 0)",
        |to, given| put(&mut to.action, given.text().map(Some)),
    )
    .often()
    .applies(Applies::Scene, |of| of.action.is_some()),
    option(
        Topic::Curves,
        "curves",
        "",
        "Write CurveAnimations instead of KeyframeSequences (Roblox)",
        |to, given| put(&mut to.animation.curves, given.flag()),
    )
    .applies(Applies::Roblox, |of| of.animation.curves),
    option(
        Topic::Curves,
        "tolerance",
        "DEGREES,STUDS",
        "The accuracy of rotations in degrees and of positions in studs (Roblox). With `--parts`, no point of a mesh that \
         becomes a part is farther from it than STUDS. If an animation is transferred to \
         another rig, keyframes that this accuracy does not need are removed. With `--curves`, keys are added (at most \
         60 per second) if the curves deviate from the rotation of the animation by more than DEGREES [default: 0.1,0.001]",
        |to, given| put(&mut to.animation.tolerance, given.pair().map(Some)),
    )
    .expects("two numbers, degrees and studs, such as 0.1,0.001")
    .applies(Applies::Roblox, |of| of.animation.tolerance.is_some()),
    option(
        Topic::Curves,
        "fps",
        "NUMBER",
        "The number of samples per second if an animation is transferred to another rig, where `--tolerance` then \
         reduces them to fewer keyframes (Roblox) [default: 30]; and of frames per second of BVH [default: as in the \
         file if its keys are regular, otherwise 30]; other formats get a key for each frame [default: the keys of the \
         file]",
        |to, given| put(&mut to.animation.fps, given.number().map(Some)),
    )
    .expects("a number")
    .applies(Applies::Animation, |of| of.animation.fps.is_some()),
    option(
        Topic::Joints,
        "joints",
        "FILE",
        "A text file that maps the joints of the model to joints of Second Life's avatar, one pair per line, such as \
         `Bip01 Pelvis = mPelvis`. Animations of the rigs of Mixamo, VRM, VRoid, Rigify, Biovision and Roblox do not need it. \
         With `sl --fix`, meshes with these rigs do not need it either",
        |to, given| {
            Some(JointNames::new(&given.text()?).map(|joints| to.joints = Some(joints)))
        },
    )
    .expects("a text file with lines such as `Bip01 Pelvis = mPelvis`")
    .file()
    .applies(Applies::Scene, |of| of.joints.is_some()),
    option(
        Topic::Levels,
        "levels",
        "LEVELS",
        "The levels of detail: `finest`, `all`, or the number of a level; 0 is the finest [default: finest]",
        |to, given| put(&mut to.scene.levels, levels(given)),
    )
    .expects("\"finest\", \"all\" or the number of a level")
    .applies(Applies::Levels, |of| of.scene.levels != SceneOptions::default().levels),
    option(Topic::Scene, "hulls", "", "Include the convex physics hulls of Second Life meshes", |to, given| {
        put(&mut to.scene.hulls, given.flag())
    })
    .applies(Applies::Hulls, |of| of.scene.hulls),
    option(
        Topic::Scene,
        "path",
        "PATH",
        "Use only the instance or the node at this path (names separated by `/`, `[1]` for the second of a name) and \
         everything below it",
        |to, given| put(&mut to.scene.path, given.text().map(Some)),
    )
    .often()
    .applies(Applies::Everywhere, |of| of.scene.path.is_some()),
    option(
        Topic::Scene,
        "terrain",
        "STEP",
        "The resolution of terrain: the distance between two samples of the surface, 1, 2, 4 or 8 voxels (of a region \
         of OpenSim: metres), or none to omit terrain [default: the smallest distance with at most a million \
         triangles, otherwise 8]. With --client, it makes parts of terrain, whose sizes are multiples of the distance",
        |to, given| {
            put(
                &mut to.scene.terrain,
                match given.text()?.as_str() {
                    "none" => Some(Terrain::Without),
                    step => Some(Terrain::Step(step.parse().ok().filter(|step| [1, 2, 4, 8].contains(step))?)),
                },
            )
        },
    )
    .expects("1, 2, 4, 8 or none")
    .applies(Applies::Terrain, |of| of.scene.terrain != SceneOptions::default().terrain),
    option(
        Topic::Scene,
        "unions",
        "WHAT",
        "How unions are represented: by their mesh, by the original parts (operands), by their collision hulls, or by \
         boxes of their size [default: the first available of mesh, hulls, operands and box]",
        |to, given| {
            put(
                &mut to.scene.unions,
                Some(match given.text()?.as_str() {
                    "mesh" => Unions::Mesh,
                    "operands" => Unions::Operands,
                    "hulls" => Unions::Hulls,
                    "box" => Unions::Box,
                    _ => return None,
                }),
            )
        },
    )
    .one_of(&["mesh", "operands", "hulls", "box"])
    .applies(Applies::Places, |of| of.scene.unions != SceneOptions::default().unions),
    option(
        Topic::Scene,
        "unit",
        "UNIT",
        "The unit of the lengths in an STL, OBJ or PLY file, which does not state it: metres, centimetres, millimetres \
         or inches; the scene is scaled to metres [default: lengths are unchanged, so that 1 is 1 m, or a stud of Roblox]",
        |to, given| {
            let unit = match given.text()?.as_str() {
                "m" => 1.0,
                "cm" => 0.01,
                "mm" => 0.001,
                "in" => 0.0254,
                _ => return None,
            };
            put(&mut to.scene.unit, Some(Some(unit)))
        },
    )
    .one_of(&["m", "cm", "mm", "in"])
    .often()
    .applies(Applies::Unitless, |of| of.scene.unit.is_some()),
    option(
        Topic::Folder,
        "assets",
        "FOLDER",
        "Write the meshes and images of a Roblox model into this folder, each once, with a list of them (`manifest.json`); \
         the model refers to them as `rbxasset://FOLDER/…` until they are uploaded",
        |to, given| put(&mut to.model.assets, given.text().filter(|name| !name.is_empty()).map(Some)),
    )
    .expects("the name of a folder")
    .applies(Applies::Model, |of| of.model.assets.is_some()),
    option(
        Topic::Model,
        "prefix",
        "ADDRESS",
        "The beginning of the addresses of meshes and images of a Roblox model, which their names follow, such as \
         `rbxasset://mygame/` [default: rbxasset:// and the name of the folder of --assets]",
        |to, given| put(&mut to.model.prefix, given.text().filter(|text| text.contains("://")).map(Some)),
    )
    .expects("the beginning of an address, such as rbxasset://mygame/")
    .applies(Applies::Model, |of| of.model.prefix.is_some()),
    option(
        Topic::Model,
        "parts",
        "",
        "Meshes without textures that are exactly a box, a wedge, a corner wedge, a cylinder or a ball become parts; all \
         others stay meshes (Roblox models)",
        |to, given| put(&mut to.model.parts, given.flag()),
    )
    .often()
    .applies(Applies::Model, |of| of.model.parts),
    option(
        Topic::Model,
        "fit",
        "",
        "Meshes above 20,000 triangles are simplified, or split if that would cross their borders or seams; those above 2,048 \
         studs are split, models that are still too large scaled down, and images \
         reduced to 4,096 pixels a side (Roblox models)",
        |to, given| put(&mut to.model.fit, given.flag()),
    )
    .applies(Applies::Model, |of| of.model.fit),
    option(
        Topic::Model,
        "scale",
        "STUDS",
        "The number of studs in a unit of a scene that becomes a Roblox model, or `m` for 1/0.28, since an avatar is built \
         with 0.28 m for a stud",
        |to, given| {
            let scale = match given.text()?.as_str() {
                "m" => 1.0 / 0.28,
                number => number.parse().ok()?,
            };
            put(&mut to.model.scale, Some(scale).filter(|scale: &f32| scale.is_finite() && *scale > 0.0))
        },
    )
    .expects("a number above 0, or m")
    .shows(|options| options.model.scale.to_string())
    .often()
    .applies(Applies::Model, |of| of.model.scale != 1.0),
    option(
        Topic::Model,
        "max-texture",
        "PIXELS",
        "The maximum width and height of the images of a Roblox model; larger ones are reduced [default: unlimited]",
        |to, given| put(&mut to.model.max_texture, given.text()?.parse().ok().filter(|most| *most > 0).map(Some)),
    )
    .expects("a number of pixels above 0")
    .applies(Applies::Model, |of| of.model.max_texture.is_some()),
    option(
        Topic::Model,
        "mesh-version",
        "VERSION",
        "The version of the meshes of a Roblox model, such as 4.00 [default: 2.00, and 4.01 for meshes with bones]",
        |to, given| put(&mut to.model.mesh_version, given.text()?.parse().ok().map(Some)),
    )
    .expects("a version of the format, such as 2.00 or 4.00")
    .applies(Applies::Model, |of| of.model.mesh_version.is_some()),
    option(
        Topic::Rig,
        "rig",
        "RIG",
        "The rig of the animations in the output: R6, R15, Rthro, Rthro-narrow, classic or bento (Second Life), mixamo, \
         vrm, vroid, rigify, unreal, makehuman or daz, or a file: a Roblox document, whose first model with joints is used, \
         or any file with a skeleton. Animations of a Roblox document without a rig are read on R6, R15 or a document [default: the rig of \
         the file; for Roblox R6 or R15, according to the names of the joints]",
        |to, given| put(&mut to.scene.rig, rig(given).map(Some)),
    )
    .expects("R6, R15, bento or another known rig, or a file with a skeleton")
    .file()
    .often()
    .applies(Applies::Rig, |of| of.scene.rig.is_some()),
];
