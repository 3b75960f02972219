//! Chunk `ACTN`: an animation.
//!
//! | size | what |
//! |---|---|
//! | `si_t` | name |
//! | 2 | how many frames |
//! | 4 | duration in milliseconds |
//! | each frame | u32 time in milliseconds, `fc_t` how many transforms |
//! | each transform | `bi_t` bone, `vi_t` position, `vi_t` orientation |

use bstr::ByteSlice;
use nom::bytes::complete::take;
use nom::number::complete::{le_u16, le_u32};

use super::fail::{At, Fail, Here, Parsed};
use super::reader::{Reader, length, next_index};
use super::writer::Writer;
use crate::consts::TypeField;
use crate::error::{Error, Result};
use crate::model::{Action, BoneId, Frame, Transform, VertexId};

impl<'a> Reader<'a> {
    pub(crate) fn read_action(&mut self, data: &'a [u8]) -> Parsed<'a, Action> {
        let (input, name) = self.name(data).field("name")?;
        let (input, count) = le_u16(input).field("frames.count")?;
        let (mut input, duration) = le_u32(input).field("duration")?;
        let least = self.types.size(TypeField::FrameCount).saturating_add(4);
        if usize::from(count) > input.len().checked_div(least).unwrap_or(0) {
            return Err(Fail::end(input)).field("frames.count");
        }
        let mut frames = self.budget.vec(count.into()).here(input).field("frames")?;
        for index in 0..count {
            let (rest, frame) = self.read_frame(input).index(index.into()).field("frames")?;
            frames.push(frame);
            input = rest;
        }
        Ok((input, Action { name, duration, frames }))
    }

    fn read_frame(&mut self, input: &'a [u8]) -> Parsed<'a, Frame> {
        let (input, time) = le_u32(input).field("time")?;
        let (mut input, count) = self.count(TypeField::FrameCount, input).field("transforms.count")?;
        let record = (self.types.size(TypeField::Vertex).saturating_mul(2))
            .saturating_add(self.types.size(TypeField::Bone));
        let count = length(input, count).field("transforms.count")?;
        if count > input.len().checked_div(record).unwrap_or(0) {
            return Err(Fail::end(input)).field("transforms.count");
        }
        let (rest, records) = take(count.saturating_mul(record))(input).field("transforms")?;
        let mut transforms = self.budget.vec(count).here(input).field("transforms")?;
        let bone_size = self.types.size(TypeField::Bone);
        let vertex_size = self.types.size(TypeField::Vertex);
        transforms.extend(records.chunks_exact(record).map(|mut record| Transform {
            bone: BoneId(next_index(bone_size, &mut record)),
            position: VertexId(next_index(vertex_size, &mut record)),
            orientation: VertexId(next_index(vertex_size, &mut record)),
        }));
        input = rest;
        Ok((input, Frame { time, transforms }))
    }
}

impl Writer<'_> {
    pub(crate) fn write_action(&mut self, action: &Action) -> Result<()> {
        self.name(action.name.as_bstr());
        let frames = u16::try_from(action.frames.len())
            .map_err(|_| Error::unwritable("frames", "more than 65535 of them"))?;
        self.put(&frames.to_le_bytes());
        self.put(&action.duration.to_le_bytes());
        for (index, frame) in action.frames.iter().enumerate() {
            self.put(&frame.time.to_le_bytes());
            self.count(TypeField::FrameCount, frame.transforms.len(), "transforms")
                .map_err(|error| error.within(&format!("frames[{index}]")))?;
            for transform in &frame.transforms {
                self.index(TypeField::Bone, transform.bone.0);
                self.index(TypeField::Vertex, transform.position.0);
                self.index(TypeField::Vertex, transform.orientation.0);
            }
        }
        Ok(())
    }
}
