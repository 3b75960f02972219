//! Section `Action` with duration in milliseconds and name: an animation.
//!
//! | row | what |
//! |---|---|
//! | `frame ms` | the time of the rows that follow |
//! | `bone position orientation` | a bone's new position and orientation; the SDK wants a blank after it |

use super::reader::Reader;
use super::token::{self, expected, line_end, row};
use super::writer::Writer;
use crate::list::push;
use crate::model::{Action, Frame, Transform};
use crate::wire::fail::{At, Here, Parsed};

impl Reader {
    /// Section `Action`.
    pub(crate) fn read_action<'a>(&mut self, head: &'a [u8], mut input: &'a [u8]) -> Parsed<'a, ()> {
        let (rest, duration) = token::unsigned(head, "a duration in milliseconds").field("duration")?;
        let (_, name) = self.rest(rest).field("name")?;
        let mut action = Action { name, duration, frames: Vec::new() };
        loop {
            let start = match row(input) {
                Ok(row) => row,
                Err(rest) => {
                    push(&mut self.model.actions, action, &mut self.budget).here(input)?;
                    return Ok((rest, ()));
                }
            };
            let place = action.frames.len();
            if let Ok((rest, b"frame")) = token::token(start, "") {
                let (rest, time) = token::unsigned(rest, "a time in milliseconds")
                    .field("time")
                    .index(place)
                    .field("frames")?;
                push(&mut action.frames, Frame { time, transforms: Vec::new() }, &mut self.budget)
                    .here(start)?;
                input = line_end(rest)?.0;
                continue;
            }
            let Some(frame) = action.frames.last_mut() else {
                return Err(expected(start, "`frame` and a time"));
            };
            let mut read = || {
                let (rest, bone) = token::id(start, "`frame` or the index of a bone").field("bone")?;
                let (rest, position) =
                    token::id(rest, "the index of a vertex that is a position").field("position")?;
                let (rest, orientation) = self.orientation(rest).field("orientation")?;
                self.layout.padded_actions |= rest.first() == Some(&b' ');
                Ok((line_end(rest)?.0, Transform { bone, position, orientation }))
            };
            let (rest, transform) = read()
                .index(frame.transforms.len())
                .field("transforms")
                .index(place.wrapping_sub(1))
                .field("frames")?;
            push(&mut frame.transforms, transform, &mut self.budget).here(start)?;
            input = rest;
        }
    }
}

impl Writer<'_> {
    /// Section `Action`.
    pub(crate) fn write_action(&mut self, action: &Action) {
        for frame in &action.frames {
            self.put("frame ");
            self.unsigned(frame.time);
            self.line();
            for Transform { bone, position, orientation } in &frame.transforms {
                self.index(*bone);
                self.put(" ");
                self.index(*position);
                self.put(" ");
                self.index(*orientation);
                if self.layout.padded_actions {
                    self.put(" ");
                }
                self.line();
            }
        }
    }
}
