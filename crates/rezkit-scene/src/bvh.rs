//! BVH (Biovision Hierarchy): a skeleton and its motion.
//!
//! BVH uses degrees and seconds; y is usually up. Lengths have no unit and are taken unchanged. A rotation is the
//! product of the rotations about the axes, in the order of the channels. A position replaces the offset of its joint,
//! as in Blender. There is no formal specification: the sources are the description of 1999 by the University of
//! Wisconsin, and the files that other programs read. The `.avm` files of QAvimator are BVH with further lines, which
//! are those of its examples.

mod write;

pub use write::{WRITER, set_fps};

use std::str::SplitAsciiWhitespace;

use glam::{Quat, Vec3};

use crate::forms::{SceneReader, unmarked};
use crate::grow;
use crate::model::{Animation, Channel, Interpolation, Node, Playback, Scene, Skin, Values};
use rezkit_core::{Budget, Counted, Error, Loss, Result};

/// Reads BVH.
pub static READER: SceneReader = SceneReader(|reading| {
    let (scene, losses) = from_slice(reading.bytes, reading.budget)?;
    reading.losses.extend(losses);
    Ok(scene)
});

/// What is lost of nearly every file.
pub const END_SITES: &str = "offsets of end sites, which do not affect the animation";

/// Maximum nesting depth of joints.
const MAX_DEPTH: usize = 512;

/// Whether the bytes begin like a BVH file.
pub fn detect(bytes: &[u8]) -> bool {
    const WORD: &[u8] = b"HIERARCHY";
    let text = unmarked(bytes).trim_ascii_start();
    text.get(..WORD.len()).is_some_and(|word| word.eq_ignore_ascii_case(WORD))
}

/// The meaning of a number of a frame: a position along an axis, or a rotation about it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Position(usize),
    Rotation(usize),
}

impl Column {
    fn of(word: &str) -> Option<Self> {
        let (axis, kind) = word.split_at_checked(1)?;
        let axis = ["x", "y", "z"].iter().position(|known| axis.eq_ignore_ascii_case(known))?;
        match kind.to_ascii_lowercase().as_str() {
            "position" => Some(Self::Position(axis)),
            "rotation" => Some(Self::Rotation(axis)),
            _ => None,
        }
    }
}

/// The words of the file, and the number of the line of the last one.
struct Words<'a> {
    lines: std::iter::Enumerate<std::str::SplitTerminator<'a, char>>,
    rest: SplitAsciiWhitespace<'a>,
    line: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.skip_blank()?;
        self.rest.next()
    }

    /// Goes to the next line with words if the current one has no more; `None` at the end of the file.
    fn skip_blank(&mut self) -> Option<()> {
        while self.rest.clone().next().is_none() {
            let (index, line) = self.lines.next()?;
            (self.line, self.rest) = (index + 1, line.split_ascii_whitespace());
        }
        Some(())
    }

    /// Whether the rest is what QAvimator adds in its `.avm` files: for each joint and end site a line with the number
    /// of its key frames and their indices, the word Properties, a line with a number for each of them, and then lines
    /// such as `LoopIn: 1` or `PositionsEase: 1 0`.
    fn of_qavimator(&self) -> Option<()> {
        let first = std::iter::once(self.rest.clone());
        let lines = first.chain(self.lines.clone().map(|(_, line)| line.split_ascii_whitespace()));
        let mut names = 0;
        for mut line in lines.filter(|line| line.clone().next().is_some()) {
            let (word, count) = (line.next()?, line.clone().count());
            match word.parse::<usize>() {
                Ok(listed) => {
                    (listed == count && line.all(|word| word.parse::<u32>().is_ok())).then_some(())?
                }
                Err(_) => {
                    names += 1;
                    let is_number = |word: &str| word.parse::<f64>().is_ok();
                    let has_values = word.ends_with(':') && count > 0 && (count == 1 || line.all(is_number));
                    (word == "Properties" && count == 0 || has_values).then_some(())?;
                }
            }
        }
        (names > 0).then_some(())
    }

    fn wrong(&self, what: &str, found: Option<&str>) -> Error {
        let found =
            found.map_or_else(|| "the end of the file".to_owned(), |word| format!("{:?}", shown(word)));
        Error::unreadable(format!("line {}: expected {what}, found {found}", self.line))
    }

    fn expect(&mut self, wanted: &str) -> Result<()> {
        let found = self.next();
        match found.is_some_and(|word| word.eq_ignore_ascii_case(wanted)) {
            true => Ok(()),
            false => Err(self.wrong(&format!("{wanted:?}"), found)),
        }
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        let found = self.next();
        found.and_then(|word| word.parse().ok()).ok_or_else(|| self.wrong(what, found))
    }

    fn float(&mut self, what: &str) -> Result<f32> {
        let found = self.next();
        let number = found.and_then(|word| word.parse().ok());
        number.filter(|number: &f32| number.is_finite()).ok_or_else(|| self.wrong(what, found))
    }

    /// Refuses a statement that the innermost joint has already.
    fn first(&self, open: &mut [Open], has: fn(&mut Open) -> &mut bool, word: &str) -> Result<()> {
        match open.last_mut().map(has) {
            Some(has) if *has => {
                let what = format!("line {}: a second {word} for the same joint or end site", self.line);
                Err(Error::unreadable(what))
            }
            has => {
                has.into_iter().for_each(|has| *has = true);
                Ok(())
            }
        }
    }

    /// The rest of the line up to a `{`, and whether there is one.
    fn name(&mut self, budget: &mut Budget) -> Result<(String, bool)> {
        let words = self.rest.clone().take_while(|word| *word != "{");
        let length = words.map(|word| word.len() + 1).sum();
        budget.take(length as u64, "the names of the joints")?;
        let mut name = String::with_capacity(length);
        for word in self.rest.by_ref() {
            if word == "{" {
                return Ok((name, true));
            }
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(word);
        }
        Ok((name, false))
    }
}

fn shown(word: &str) -> &str {
    word.char_indices().nth(40).map_or(word, |(end, _)| &word[..end])
}

/// A joint with channels: its node, and the meaning of the next numbers of a frame.
struct Moved {
    node: usize,
    columns: Vec<Column>,
}

/// A scene with a node for each joint, and one animation.
///
/// # Errors
/// If a line is malformed, a number is not finite, frames end too early or their numbers do not match the channels, or
/// the budget does not suffice.
pub fn from_slice(bytes: &[u8], budget: &mut Budget) -> Result<(Scene, Vec<Loss>)> {
    let bytes = unmarked(bytes);
    // Names may have any encoding: invalid UTF-8 is replaced by three bytes, in a text whose capacity doubles.
    let copies = if str::from_utf8(bytes).is_ok() { 2 } else { 6 };
    budget.take(bytes.len() as u64 * copies, "the text of the BVH file")?;
    let text = String::from_utf8_lossy(bytes);
    // If there is no LF, CR ends lines.
    let end = if text.contains('\n') { '\n' } else { '\r' };
    let lines = text.split_terminator(end).enumerate();
    let mut words = Words { lines, rest: "".split_ascii_whitespace(), line: 0 };
    words.expect("HIERARCHY")?;
    let mut scene = Scene::default();
    let mut losses = Vec::new();
    let moved = hierarchy(&mut words, &mut scene, budget, &mut losses)?;
    words.expect("Frames:")?;
    let count: usize = words.number("the number of frames")?;
    words.expect("Frame")?;
    words.expect("Time:")?;
    let step = words.float("the time per frame, in seconds")?;
    if count > 1 && step <= 0.0 {
        return Err(Error::unreadable(format!(
            "line {}: expected a time per frame above 0 s, found {step}",
            words.line
        )));
    }
    let columns: usize = moved.iter().map(|moved| moved.columns.len()).sum();
    // A number is at least a digit and a separator, and a frame without numbers a line.
    let most = bytes.len() / columns.max(1);
    if columns == 0 && count > most {
        return Err(Error::unreadable(format!(
            "MOTION declares {} of {}, more than the file's {} bytes can contain",
            Counted::new(count, "frames"),
            Counted::new(columns, "numbers"),
            bytes.len()
        )));
    }
    let size = moved.len() as u64 * 40 + columns as u64 * 4 + 4;
    budget.take((count.min(most) as u64).saturating_mul(size), "the frames of the animation")?;
    frames(&mut words, &mut scene, &moved, (count, most, step), &mut losses)?;
    // Programs show the nodes as a skeleton if they are joints of a skin, which have a common root in glTF.
    if scene.roots.len() == 1 {
        let world = scene.world_at_rest();
        let inverse_bind = world.iter().map(|place| place.inverse().to_cols_array_2d()).collect();
        scene.skins.push(Skin {
            name: String::new(),
            joints: (0..scene.nodes.len()).collect(),
            inverse_bind,
        });
    }
    Ok((scene, losses))
}

/// A joint or an end site whose `}` has not been read.
#[derive(Default)]
struct Open {
    /// The node; an end site has none.
    node: Option<usize>,
    has_offset: bool,
    has_channels: bool,
}

/// Reads the joints, up to the word MOTION.
fn hierarchy(
    words: &mut Words<'_>,
    scene: &mut Scene,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Moved>> {
    let mut moved: Vec<Moved> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    loop {
        let found = words.next();
        let word = found.unwrap_or_default().to_ascii_lowercase();
        let last = open.last().map(|last| last.node);
        match (word.as_str(), last) {
            ("motion", None) => return Ok(moved),
            ("root", None) | ("joint", Some(Some(_))) => {
                let (name, opens) = words.name(budget)?;
                budget.take((size_of::<Node>() + name.len()) as u64 * 2 + 192, "the joints")?;
                let node = scene.add_node(last.flatten(), Node { name, ..Node::default() });
                open.push(Open { node: Some(node), ..Open::default() });
                if !opens {
                    words.expect("{")?;
                }
            }
            ("end", Some(Some(_))) => {
                words.expect("Site")?;
                let (_, opens) = words.name(budget)?;
                open.push(Open::default());
                if !opens {
                    words.expect("{")?;
                }
            }
            ("offset", Some(node)) => {
                words.first(&mut open, |open| &mut open.has_offset, "OFFSET")?;
                let line = words.line;
                let mut offset = [0.0; 3];
                for number in &mut offset {
                    *number = words.float("a finite number for OFFSET")?;
                }
                match node {
                    Some(node) => scene.nodes[node].transform.translation = offset,
                    None if offset == [0.0; 3] => {}
                    None => Loss::new(format!("line {line}"), END_SITES).id("bvh.end-site").count_in(losses),
                }
            }
            ("channels", Some(Some(node))) => {
                words.first(&mut open, |open| &mut open.has_channels, "CHANNELS")?;
                let count: usize = words.number("the number of channels")?;
                let mut columns = Vec::new();
                for _ in 0..count {
                    let found = words.next();
                    let column = found.and_then(Column::of);
                    let what = "a channel name such as Xrotation";
                    let column = column.ok_or_else(|| words.wrong(what, found))?;
                    // A joint has a place only once, while rotations can follow each other.
                    if matches!(column, Column::Position(_)) && columns.contains(&column) {
                        let word = found.unwrap_or_default();
                        let what = format!("line {}: CHANNELS lists {word} twice", words.line);
                        return Err(Error::unreadable(what));
                    }
                    grow::push(&mut columns, column, budget)?;
                }
                grow::push(&mut moved, Moved { node, columns }, budget)?;
            }
            ("}", Some(_)) => _ = open.pop(),
            _ => {
                let what = match last {
                    None => "ROOT or MOTION",
                    Some(Some(_)) => "JOINT, End Site, OFFSET, CHANNELS or }",
                    Some(None) => "OFFSET or }",
                };
                return Err(words.wrong(what, found));
            }
        }
        if open.len() > MAX_DEPTH {
            return Err(Error::unreadable(format!(
                "line {}: joints are nested deeper than the maximum of {MAX_DEPTH} levels",
                words.line
            )));
        }
    }
}

/// The numbers of at most `count` frames, and the number of frames in the file, which can contain `most`. A line has a
/// whole number of frames, or several lines have one, and the last of them ends with it. An incomplete frame at the end
/// is left out.
fn numbers(
    words: &mut Words<'_>,
    columns: usize,
    (count, most): (usize, usize),
    losses: &mut Vec<Loss>,
) -> Result<(Vec<f32>, usize)> {
    let wanted = count.min(most) * columns;
    let mut numbers = Vec::with_capacity(wanted);
    let mut found = 0;
    // The first line of the frame, its numbers, and the numbers of the frame.
    let (mut line, mut in_line, mut in_frame) = (0, 0, 0);
    let wrong = |frame: usize, line: usize, in_line: usize| {
        let expected = Counted::new(columns, "numbers");
        let what = format!("line {line}: expected {expected} (one per channel), found {in_line}");
        Error::unreadable(what).at(format!("frames[{frame}]"))
    };
    while words.skip_blank().is_some() {
        if in_frame == 0 && found >= count && columns > 0 && words.of_qavimator().is_some() {
            losses.push(Loss::new(
                format!("line {}", words.line),
                "the lines of QAvimator after the frames: the numbers of key frames, their properties, the scale, the \
                 figure and the loop (all frames are kept; `--loop` sets a loop)",
            ).id("animation.settings"));
            break;
        }
        let here = words.rest.clone().count();
        if in_frame == 0 {
            (line, in_line) = (words.line, here);
        }
        for _ in 0..here {
            let number =
                words.float("a finite number").map_err(|error| error.at(format!("frames[{found}]")))?;
            if numbers.len() < wanted {
                numbers.push(number);
            }
        }
        in_frame += here;
        if columns > 0 && in_frame % columns == 0 {
            (found, in_frame) = (found + in_frame / columns, 0);
        } else if in_frame > columns {
            return Err(wrong(found, line, in_line));
        }
    }
    if in_frame > 0 && (found == 0 || columns == 0) {
        return Err(wrong(found, line, in_line));
    }
    if in_frame > 0 {
        let what = format!("an incomplete frame at the end (it has {in_frame} of {columns} numbers)");
        losses.push(Loss::new(format!("line {line}"), what).id("bvh.frame-count"));
    }
    if found < count && columns > 0 {
        let declared = Counted::new(count, "frames");
        if found == 0 {
            let what = format!("\"Frames:\" declares {declared}, but the file has {found}");
            return Err(Error::unreadable(what).at("MOTION"));
        }
        let what = format!("the number of frames (\"Frames:\" declares {count}, but the file has {found})");
        losses.push(Loss::approximated("MOTION", what).id("bvh.frame-count"));
    }
    Ok((numbers, found))
}

fn frames(
    words: &mut Words<'_>,
    scene: &mut Scene,
    moved: &[Moved],
    (declared, most, step): (usize, usize, f32),
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let columns: usize = moved.iter().map(|joint| joint.columns.len()).sum();
    let (numbers, found) = numbers(words, columns, (declared, most), losses)?;
    let count = if columns > 0 { declared.min(found) } else { declared };
    let mut turns: Vec<Vec<[f32; 4]>> = vec![Vec::with_capacity(count); moved.len()];
    let mut places: Vec<Vec<[f32; 3]>> = vec![Vec::new(); moved.len()];
    let mut numbers = numbers.into_iter();
    for _ in 0..count {
        for ((joint, turns), places) in moved.iter().zip(&mut turns).zip(&mut places) {
            let mut place = scene.nodes[joint.node].transform.translation;
            let mut turn = Quat::IDENTITY;
            for (column, value) in joint.columns.iter().zip(&mut numbers) {
                match *column {
                    Column::Position(axis) => place[axis] = value,
                    Column::Rotation(axis) => {
                        turn *= Quat::from_axis_angle(Vec3::AXES[axis], value.to_radians());
                    }
                }
            }
            turns.push(turn.normalize().to_array());
            places.push(place);
        }
    }
    if found > declared {
        let what = format!("surplus frames (\"Frames:\" declares {declared}, but the file has {found})");
        losses.push(Loss::new("MOTION", what).id("bvh.frame-count"));
    }
    let times: Vec<f32> = (0..count).map(|frame| frame as f32 * step).collect();
    let mut channels = Vec::new();
    for ((joint, turns), places) in moved.iter().zip(turns).zip(places) {
        let has = |wanted: fn(&Column) -> bool| count > 0 && joint.columns.iter().any(wanted);
        let mut add = |values| {
            let interpolation = Interpolation::Linear;
            channels.push(Channel { node: joint.node, times: times.clone(), values, interpolation });
        };
        if has(|column| matches!(column, Column::Rotation(_))) {
            add(Values::Rotation(shortest(turns)));
        }
        // MakeHuman writes 0 where a joint stays at its offset.
        let rest = scene.nodes[joint.node].transform.translation;
        let is_below = !scene.roots.contains(&joint.node) && rest != [0.0; 3];
        let is_zero = is_below && places.iter().flatten().all(|number| number.abs() < 1e-5);
        if is_zero && count > 0 && joint.columns.iter().any(|column| matches!(column, Column::Position(_))) {
            let what = "positions that are all 0, for joints with an offset: they stay at their offsets";
            Loss::approximated(scene.nodes[joint.node].name.clone(), what)
                .id("bvh.skeleton")
                .count_in(losses);
        } else if has(|column| matches!(column, Column::Position(_))) {
            add(Values::Translation(places));
        }
    }
    if !channels.is_empty() {
        let playback = Playback { frame_time: Some(step.into()), ..Playback::default() };
        scene.animations.push(Animation { channels, playback, ..Animation::default() });
    }
    Ok(())
}

/// Negates quaternions if necessary, so that each is on the shorter arc from the previous one.
fn shortest(mut turns: Vec<[f32; 4]>) -> Vec<[f32; 4]> {
    let mut before = Quat::IDENTITY;
    for turn in &mut turns {
        let own = Quat::from_array(*turn);
        before = if own.dot(before) < 0.0 { -own } else { own };
        *turn = before.to_array();
    }
    turns
}
