//! Section `Action` with duration in milliseconds and name: an animation.
//!
//! | row | what |
//! |---|---|
//! | `frame ms` | the time of the rows that follow |
//! | `bone position orientation` | a bone's new position and orientation; the SDK wants a blank after it |

use super::reader::{Read, Reader, Section};
use super::token::{ORIENTATION, POSITION};
use super::writer::Writer;
use crate::error::Result;
use crate::model::{Action, Frame, Transform};
use crate::wire::fail::At;

impl Section for Action {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        self.duration = reader.unsigned("a duration in milliseconds").field("duration")?;
        self.name = reader.rest().field("name")?;
        while reader.row() {
            if reader.word(b"frame") {
                reader.entry(&mut self.frames, read_frame).field("frames")?;
            } else {
                let place = self.frames.len().wrapping_sub(1);
                let Some(frame) = self.frames.last_mut() else {
                    return Err(reader.expected("`frame` and a time"));
                };
                let read = reader.entry(&mut frame.transforms, read_transform);
                read.field("transforms").index(place).field("frames")?;
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
                if writer.layout.padded_actions {
                    writer.put(" ");
                }
                writer.line();
            }
        }
        Ok(())
    }
}

fn read_frame<'a>(reader: &mut Reader<'a>) -> Read<'a, Frame> {
    let time = reader.unsigned("a time in milliseconds").field("time")?;
    reader.line_end()?;
    Ok(Frame { time, transforms: Vec::new() })
}

fn read_transform<'a>(reader: &mut Reader<'a>) -> Read<'a, Transform> {
    let bone = reader.id("`frame` or the index of a bone").field("bone")?;
    let position = reader.id(POSITION).field("position")?;
    let orientation = reader.id(ORIENTATION).field("orientation")?;
    reader.layout.padded_actions |= reader.input.first() == Some(&b' ');
    reader.line_end()?;
    Ok(Transform { bone, position, orientation })
}
