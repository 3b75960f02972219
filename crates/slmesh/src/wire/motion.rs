//! A keyframe motion. All numbers are little-endian.
//!
//! | field | type |
//! |---|---|
//! | version, sub-version | `u16` 1, `u16` 0 |
//! | priority | `i32` |
//! | duration | `f32` |
//! | emote | text that ends with a zero byte |
//! | loop in, loop out | `f32` each |
//! | looped | `i32` |
//! | ease in, ease out | `f32` each |
//! | hand pose | `u32` |
//! | joints | `u32` count; each: name that ends with a zero byte, `i32` priority, `i32` count of rotations, the keys, `i32` count of positions, the keys |
//! | constraints | `i32` count; each 86 bytes |
//!
//! A key is a `u16` time and three `u16`.

use llsd::Text;
use nom::Parser as _;
use nom::bytes::complete::{tag, take_till};
use nom::number::complete::{le_f32, le_i32, le_u8, le_u16, le_u32};

use super::limits::Limits;
use crate::model::motion::{Constraint, Joint, Key, Motion};
use geom::wire::{At, Error, Fail, Here, Parsed, Problem, Refuse as _, Result, after, finish};

/// The version and the sub-version.
pub(crate) const VERSION: [u16; 2] = [1, 0];

/// The sizes of a key and of a constraint, in bytes.
const KEY: usize = 8;
const CONSTRAINT: usize = 86;

/// The fewest bytes of a joint: an empty name and three counts.
const JOINT: usize = 13;

/// Whether the bytes look like a motion: a version, a priority, a duration and a text of printable characters.
/// There is no magic.
pub(crate) fn detect(bytes: &[u8]) -> bool {
    let start = (version, le_i32, le_f32, text).parse(bytes);
    start.is_ok_and(|(_, ((), priority, duration, emote))| {
        let printable = emote.len() < 64 && emote.iter().all(|byte| (b' '..0x7f).contains(byte));
        (-1..=7).contains(&priority) && (0.0..=86_400.0).contains(&duration) && printable
    })
}

pub(crate) fn read(bytes: &[u8], limits: &mut Limits) -> Result<Motion> {
    finish(bytes, motion(bytes, limits)).map(|(_, motion)| motion)
}

fn version(input: &[u8]) -> Parsed<'_, ()> {
    let (rest, found) = (le_u16, le_u16).parse(input)?;
    match <[u16; 2]>::from(found) == VERSION {
        true => Ok((rest, ())),
        false => {
            let what = Problem::version("motion", format_args!("{}.{}", found.0, found.1), "1.0");
            Err(Fail::unsupported(input, what))
        }
    }
}

/// A text terminated by a zero byte, without it.
fn text(input: &[u8]) -> Parsed<'_, &[u8]> {
    let (rest, text) = take_till(|byte| byte == 0)(input)?;
    let (rest, _) = tag(&b"\0"[..])(rest)?;
    Ok((rest, text))
}

/// A count of values of at least `size` bytes each, checked against the remaining bytes.
fn count(input: &[u8], size: usize) -> Parsed<'_, usize> {
    let (rest, count) = le_i32(input)?;
    let fits = usize::try_from(count)
        .ok()
        .filter(|&count| count.checked_mul(size).is_some_and(|bytes| bytes <= rest.len()));
    match fits {
        Some(count) => Ok((rest, count)),
        None => {
            let (claimed, available) = (u64::from(count.cast_unsigned()), rest.len() as u64);
            Err(Fail::invalid(input, Problem::Claim { claimed, available }))
        }
    }
}

fn motion<'a>(input: &'a [u8], limits: &mut Limits) -> Parsed<'a, Motion> {
    let (input, ()) = version(input).field("version")?;
    let (input, priority) = le_i32(input).field("priority")?;
    let (input, duration) = le_f32(input).field("duration")?;
    let (input, emote) = owned(input, limits).field("emote")?;
    let (input, loop_in) = le_f32(input).field("loop_in")?;
    let (input, loop_out) = le_f32(input).field("loop_out")?;
    let (input, looped) = le_i32(input).field("looped")?;
    let (input, ease_in) = le_f32(input).field("ease_in")?;
    let (input, ease_out) = le_f32(input).field("ease_out")?;
    let (input, hand_pose) = le_u32(input).field("hand_pose")?;
    let (mut input, many) = count(input, JOINT).field("joints")?;
    let mut joints = limits.budget.vec(many).here(input)?;
    for index in 0..many {
        let (rest, found) = joint(input, limits).index(index).field("joints")?;
        joints.push(found);
        input = rest;
    }
    let (mut input, many) = count(input, CONSTRAINT).field("constraints")?;
    let mut constraints = limits.budget.vec(many).here(input)?;
    for index in 0..many {
        let (rest, found) = constraint(input).index(index).field("constraints")?;
        constraints.push(found);
        input = rest;
    }
    let rest = limits.budget.copy(input).here(input)?;
    let motion = Motion {
        priority,
        duration,
        emote,
        loop_in,
        loop_out,
        looped,
        ease_in,
        ease_out,
        hand_pose,
        joints,
        constraints,
        rest,
    };
    Ok((&[], motion))
}

fn owned<'a>(input: &'a [u8], limits: &mut Limits) -> Parsed<'a, Text> {
    let (rest, found) = text(input)?;
    limits.budget.take(found.len() as u64).here(input)?;
    Ok((rest, Text::from(found)))
}

fn joint<'a>(input: &'a [u8], limits: &mut Limits) -> Parsed<'a, Joint> {
    let (input, name) = owned(input, limits).field("name")?;
    let (input, priority) = le_i32(input).field("priority")?;
    let (input, rotations) = keys(input, limits).field("rotations")?;
    let (input, positions) = keys(input, limits).field("positions")?;
    Ok((input, Joint { name, priority, rotations, positions }))
}

fn keys<'a>(input: &'a [u8], limits: &mut Limits) -> Parsed<'a, Vec<Key>> {
    let (input, many) = count(input, KEY)?;
    let mut keys = limits.budget.vec(many).here(input)?;
    // `count` has checked that the bytes of all keys exist.
    let all = input.as_chunks::<KEY>().0.get(..many).unwrap_or_default();
    let rest = after(input, all.as_flattened().len());
    keys.extend(all.iter().map(|&[t0, t1, x0, x1, y0, y1, z0, z1]| Key {
        time: u16::from_le_bytes([t0, t1]),
        value: [[x0, x1], [y0, y1], [z0, z1]].map(u16::from_le_bytes),
    }));
    Ok((rest, keys))
}

fn constraint(input: &[u8]) -> Parsed<'_, Constraint> {
    fn volume(input: &[u8]) -> Parsed<'_, [u8; 16]> {
        let Some((&bytes, rest)) = input.split_first_chunk() else { return Err(Fail::end(input)) };
        Ok((rest, bytes))
    }
    fn vector(input: &[u8]) -> Parsed<'_, [f32; 3]> {
        (le_f32, le_f32, le_f32).map(<[f32; 3]>::from).parse(input)
    }
    let (input, (chain_length, kind, source, source_offset)) = (le_u8, le_u8, volume, vector).parse(input)?;
    let (input, (target, target_offset, target_direction)) = (volume, vector, vector).parse(input)?;
    let (input, [ease_in_start, ease_in_stop, ease_out_start, ease_out_stop]) =
        (le_f32, le_f32, le_f32, le_f32).map(<[f32; 4]>::from).parse(input)?;
    let constraint = Constraint {
        chain_length,
        kind,
        source,
        source_offset,
        target,
        target_offset,
        target_direction,
        ease_in_start,
        ease_in_stop,
        ease_out_start,
        ease_out_stop,
    };
    Ok((input, constraint))
}

pub(crate) fn write(motion: &Motion) -> Result<Vec<u8>> {
    let Motion { priority, duration, emote, loop_in, loop_out, looped, ease_in, ease_out, hand_pose, .. } =
        motion;
    let mut bytes = Vec::new();
    VERSION.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes.extend(priority.to_le_bytes());
    bytes.extend(duration.to_le_bytes());
    write_text(emote, "emote", &mut bytes)?;
    [loop_in, loop_out].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes.extend(looped.to_le_bytes());
    [ease_in, ease_out].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes.extend(hand_pose.to_le_bytes());
    write_count(motion.joints.len(), || "joints".into(), &mut bytes)?;
    for (index, Joint { name, priority, rotations, positions }) in motion.joints.iter().enumerate() {
        write_text(name, &format!("joints[{index}].name"), &mut bytes)?;
        bytes.extend(priority.to_le_bytes());
        for (keys, what) in [(rotations, "rotations"), (positions, "positions")] {
            write_count(keys.len(), || format!("joints[{index}].{what}"), &mut bytes)?;
            for Key { time, value: [x, y, z] } in keys {
                [time, x, y, z].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            }
        }
    }
    write_count(motion.constraints.len(), || "constraints".into(), &mut bytes)?;
    for constraint in &motion.constraints {
        bytes.extend([constraint.chain_length, constraint.kind]);
        bytes.extend(constraint.source);
        constraint.source_offset.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(constraint.target);
        let vectors = [constraint.target_offset, constraint.target_direction];
        vectors.as_flattened().iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        let Constraint { ease_in_start, ease_in_stop, ease_out_start, ease_out_stop, .. } = constraint;
        let times = [ease_in_start, ease_in_stop, ease_out_start, ease_out_stop];
        times.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    bytes.extend_from_slice(&motion.rest);
    Ok(bytes)
}

fn write_text(text: &Text, path: &str, bytes: &mut Vec<u8>) -> Result<()> {
    if text.contains(&0) {
        return Err(Error::unwritable(path.to_owned(), "a string that contains a zero byte"));
    }
    bytes.extend_from_slice(text);
    bytes.push(0);
    Ok(())
}

fn write_count(count: usize, path: impl Fn() -> String, bytes: &mut Vec<u8>) -> Result<()> {
    let count = Problem::fit("entries", count, i32::MAX).unwritable("").named(path)?;
    bytes.extend(count.to_le_bytes());
    Ok(())
}
