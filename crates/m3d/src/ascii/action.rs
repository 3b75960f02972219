//! Section `Action` with duration in milliseconds and name: an animation.
//!
//! | row | what |
//! |---|---|
//! | `frame ms` | the time of the rows that follow |
//! | `bone position orientation` | a bone's new position and orientation; the SDK wants a blank after it |

use super::reader::{Reader, Section};
use super::token::{self, expected, line_end, rows};
use super::writer::Writer;
use crate::error::Result;
use crate::model::{Action, Frame, Transform};
use crate::wire::fail::{At, Parsed};

impl Section for Action {
    fn read<'a>(reader: &mut Reader, head: &'a [u8], input: &'a [u8]) -> Parsed<'a, Self> {
        let (rest, duration) = token::unsigned(head, "a duration in milliseconds").field("duration")?;
        let (_, name) = reader.rest(rest).field("name")?;
        let mut action = Self { name, duration, frames: Vec::new() };
        let (rest, ()) = rows(input, |start| {
            let place = action.frames.len();
            if let Ok((rest, b"frame")) = token::token(start, "") {
                let read = token::unsigned(rest, "a time in milliseconds").field("time");
                let read = read
                    .and_then(|(rest, time)| Ok((line_end(rest)?.0, Frame { time, transforms: Vec::new() })));
                return reader.add(&mut action.frames, read).field("frames");
            }
            let Some(frame) = action.frames.last_mut() else {
                return Err(expected(start, "`frame` and a time"));
            };
            let read = read_transform(reader, start);
            let added = reader.add(&mut frame.transforms, read).field("transforms");
            added.index(place.wrapping_sub(1)).field("frames")
        })?;
        Ok((rest, action))
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        writer.put(" ");
        writer.unsigned(self.duration);
        writer.head(&self.name);
        for frame in &self.frames {
            writer.put("frame ");
            writer.unsigned(frame.time);
            writer.line();
            for Transform { bone, position, orientation } in &frame.transforms {
                writer.indices([bone.0, position.0, orientation.0]);
                if writer.layout.padded_actions {
                    writer.put(" ");
                }
                writer.line();
            }
        }
        Ok(())
    }
}

fn read_transform<'a>(reader: &mut Reader, start: &'a [u8]) -> Parsed<'a, Transform> {
    let (rest, bone) = token::id(start, "`frame` or the index of a bone").field("bone")?;
    let (rest, position) = token::id(rest, token::POSITION).field("position")?;
    let (rest, orientation) = token::id(rest, token::ORIENTATION).field("orientation")?;
    reader.layout.padded_actions |= rest.first() == Some(&b' ');
    Ok((line_end(rest)?.0, Transform { bone, position, orientation }))
}
