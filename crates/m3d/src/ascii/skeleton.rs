//! Section `Bones`, the skeleton, and section `Action`, an animation, with its duration in milliseconds and its name.
//!
//! A row of `Bones` is a `/` per level of depth, then `position orientation name`.
//!
//! | `Action` row | what |
//! |---|---|
//! | `frame ms` | the time of the rows that follow |
//! | `bone position orientation` | a bone's new position and orientation; the SDK requires a space at the end |

use super::reader::{Read, Reader, Section};
use super::token::{ORIENTATION, POSITION};
use super::writer::Writer;
use crate::model::{Action, Bone, BoneId, Frame, Transform};
use geom::wire::{At, Here, Result, after};

/// The greatest depth of bones that other readers support.
const DEEPEST: usize = 64;

impl Section for Vec<Bone> {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        // The last bone of each level.
        let mut levels: Vec<BoneId> = Vec::new();
        while reader.row() {
            let id = BoneId::new(self.len());
            reader.entry(self, |reader| {
                let parent = read_parent(reader, id, &mut levels)?;
                let position = reader.id(POSITION).field("position")?;
                let orientation = reader.id(ORIENTATION).field("orientation")?;
                Ok(Bone { parent, name: reader.rest().field("name")?, position, orientation })
            })?;
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        let mut levels: Vec<BoneId> = Vec::new();
        for (index, bone) in self.iter().enumerate() {
            let level = match bone.parent {
                BoneId::NONE => Some(0),
                parent => {
                    levels.iter().rposition(|&level| level == parent).map(|level| level.saturating_add(1))
                }
            };
            match level {
                Some(level) if level <= DEEPEST => {
                    levels.truncate(level);
                    levels.push(BoneId::new(index));
                    (0..level).for_each(|_| writer.put("/"));
                }
                other => {
                    let what = match other {
                        Some(_) => "a bone that is more than 64 levels deep",
                        None => "bones that are not in depth-first order",
                    };
                    return writer.keyword(None, what).field("parent").index(index);
                }
            }
            writer.indices([bone.position.0, bone.orientation.0]);
            writer.head(&bone.name);
        }
        Ok(())
    }
}

fn read_parent<'a>(reader: &mut Reader<'a>, id: BoneId, levels: &mut Vec<BoneId>) -> Read<'a, BoneId> {
    let level = reader.input.iter().take_while(|&&byte| byte == b'/').count();
    if level > levels.len() {
        return Err(reader.expected(match levels.is_empty() {
            true => "a first bone without `/`",
            false => "a bone with at most one more `/` than the previous bone",
        }));
    }
    levels.truncate(level);
    let parent = levels.last().copied().unwrap_or(BoneId::NONE);
    reader.budget.push(levels, id).here(reader.input)?;
    reader.input = after(reader.input, level);
    Ok(parent)
}

impl Section for Action {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        self.duration = reader
            .unsigned("a duration in milliseconds (a whole number from 0 to 4294967295)")
            .field("duration")?;
        self.name = reader.rest().field("name")?;
        while reader.row() {
            if reader.word(b"frame") {
                let frame = |reader: &mut Reader<'a>| {
                    let time = reader
                        .unsigned("a time in milliseconds (a whole number from 0 to 4294967295)")
                        .field("time")?;
                    reader.line_end().map(|()| Frame { time, transforms: Vec::new() })
                };
                reader.entry(&mut self.frames, frame).field("frames")?;
            } else {
                let index = self.frames.len().wrapping_sub(1);
                let Some(frame) = self.frames.last_mut() else {
                    return Err(reader.expected("`frame` and a time in milliseconds"));
                };
                let read = reader.entry(&mut frame.transforms, read_transform);
                read.field("transforms").index(index).field("frames")?;
            }
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        writer.put(" ");
        writer.unsigned(self.duration);
        writer.head(&self.name);
        for frame in &self.frames {
            writer.row(format_args!("frame {}", frame.time));
            for Transform { bone, position, orientation } in &frame.transforms {
                writer.indices([bone.0, position.0, orientation.0]);
                // The SDK stops reading without a blank here.
                writer.put(" ");
                writer.line();
            }
        }
        Ok(())
    }
}

fn read_transform<'a>(reader: &mut Reader<'a>) -> Read<'a, Transform> {
    let bone = reader.id("`frame` or the index of a bone").field("bone")?;
    let position = reader.id(POSITION).field("position")?;
    let orientation = reader.id(ORIENTATION).field("orientation")?;
    reader.line_end()?;
    Ok(Transform { bone, position, orientation })
}
