//! The layouts of records, each stated once for both directions. What a field is in the file follows from its
//! type: indices, names and colours have the widths of the header, numbers are little-endian, and a list is
//! all that is left of the chunk.
//!
//! | type | in the file |
//! |---|---|
//! | `VertexId`, `TexCoordId`, `BoneId`, `SkinId`, `ShapeId` | `vi_t`, `ti_t`, `bi_t`, `sk_t`, `hi_t` |
//! | `BString` | `si_t`, the offset of a name |
//! | `Rgba8` | `ci_t` |

use bstr::{BString, ByteSlice};
use geom::Rgba8;
use nom::number::complete::{le_f32, le_u8, le_u16, le_u32};

use super::fail::{At, Fail, Here, Parsed};
use super::number::length;
use super::reader::Reader;
use super::sink::Sink;
use crate::consts::{Tag, TypeField, Types};
use crate::error::{Error, Result};
use crate::list::push;
use crate::model::{
    Action, Asset, Bone, BoneId, Extra, Frame, Label, LabelGroup, Material, Procedural, Shape, ShapeId,
    SkinId, TexCoordId, Transform, VertexId, VoxelItem,
};

/// How many records may be there that take no bytes: a claim that nothing backs.
const MOST_EMPTY: usize = 1 << 16;

/// Something in a chunk.
pub(crate) trait Field: Sized {
    /// The fewest bytes that it takes.
    fn least(types: Types) -> usize;

    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self>;

    fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()>;

    /// All up to the end of the chunk; the bytes after the last whole one are left.
    fn read_all<'a>(reader: &mut Reader<'a>, mut input: &'a [u8]) -> Parsed<'a, Vec<Self>> {
        let least = Self::least(reader.types).max(1);
        let mut values = Vec::new();
        while input.len() >= least {
            let (rest, value) = Self::read(reader, input).index(values.len())?;
            push(&mut values, value, &mut reader.budget).here(input)?;
            input = rest;
        }
        Ok((input, values))
    }

    fn write_all<'m>(values: &'m [Self], sink: &mut impl Sink<'m>) -> Result<()> {
        let last = values.len().saturating_sub(1);
        for (index, value) in values.iter().enumerate() {
            match value.is_open() && index != last {
                true => {
                    Err(Error::unwritable("", "an unknown one that is not the last: its bytes have no end"))
                }
                false => value.write(sink),
            }
            .index(index)?;
        }
        Ok(())
    }

    /// Whether its length is unknown, so that it takes the rest of the chunk.
    fn is_open(&self) -> bool {
        false
    }
}

impl<'a> Reader<'a> {
    /// So many of a kind: a claim, which the input must be able to contain.
    pub(crate) fn list<T: Field>(&mut self, mut input: &'a [u8], count: u32) -> Parsed<'a, Vec<T>> {
        let count = length(input, count).field("count")?;
        if count > input.len().checked_div(T::least(self.types)).unwrap_or(MOST_EMPTY) {
            return Err(Fail::end(input)).field("count");
        }
        let mut values = self.budget.vec(count).here(input)?;
        for index in 0..count {
            let (rest, value) = T::read(self, input).index(index)?;
            values.push(value);
            input = rest;
        }
        Ok((input, values))
    }
}

macro_rules! ids {
    ($($id:ident = $field:ident;)+) => {$(
        impl Field for $id {
            fn least(types: Types) -> usize {
                types.size(TypeField::$field)
            }

            #[inline(always)]
            fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
                reader.index(TypeField::$field, input).map(|(rest, id)| (rest, Self(id)))
            }

            #[inline(always)]
            fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
                sink.index(TypeField::$field, self.0);
                Ok(())
            }
        }
    )+};
}
ids! { VertexId = Vertex; TexCoordId = TexCoord; BoneId = Bone; SkinId = Skin; ShapeId = Shape; }

macro_rules! numbers {
    ($($number:ty = $read:ident;)+) => {$(
        impl Field for $number {
            fn least(_: Types) -> usize {
                size_of::<Self>()
            }

            #[inline(always)]
            fn read<'a>(_: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
                $read(input)
            }

            #[inline(always)]
            fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
                sink.put(&self.to_le_bytes());
                Ok(())
            }
        }
    )+};
}
numbers! { u16 = le_u16; u32 = le_u32; f32 = le_f32; }

impl Field for u8 {
    fn least(_: Types) -> usize {
        1
    }

    fn read<'a>(_: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        le_u8(input)
    }

    fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
        sink.put(&[*self]);
        Ok(())
    }

    fn read_all<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Vec<Self>> {
        let (bytes, end) = input.split_at(input.len());
        Ok((end, reader.budget.copy(bytes).here(input)?))
    }

    fn write_all<'m>(values: &'m [Self], sink: &mut impl Sink<'m>) -> Result<()> {
        sink.put(values);
        Ok(())
    }
}

impl Field for BString {
    fn least(types: Types) -> usize {
        types.size(TypeField::Name)
    }

    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        reader.name(input)
    }

    fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
        sink.name(self.as_bstr())
    }
}

impl Field for Rgba8 {
    fn least(types: Types) -> usize {
        types.size(TypeField::Color)
    }

    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        reader.color(input)
    }

    fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
        sink.color(*self);
        Ok(())
    }
}

impl<T: Field> Field for Vec<T> {
    fn least(_: Types) -> usize {
        0
    }

    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        T::read_all(reader, input)
    }

    fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
        T::write_all(self, sink)
    }
}

/// The least size of a field of a record.
fn least_of<R, T: Field>(types: Types, _: impl Fn(&R) -> &T) -> usize {
    T::least(types)
}

/// The layouts of records: their fields in the order of the file, and after a semicolon those that the chunk does
/// not have.
macro_rules! records {
    ($($name:ident { $($field:ident),+ $(; $($absent:ident: $value:expr),+)? })+) => {$(
        impl Field for $name {
            fn least(types: Types) -> usize {
                let mut least = 0_usize;
                $(least = least.saturating_add(least_of(types, |record: &$name| &record.$field));)+
                least
            }

            #[inline(always)]
            fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
                $(let (input, $field) = Field::read(reader, input).field(stringify!($field))?;)+
                Ok((input, Self { $($field),+ $(, $($absent: $value),+)? }))
            }

            #[inline]
            fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
                $(self.$field.write(sink).field(stringify!($field))?;)+
                Ok(())
            }
        }
    )+};
}
records! {
    Bone { parent, name, position, orientation }
    Transform { bone, position, orientation }
    Label { vertex, text }
    VoxelItem { count, name }
    LabelGroup { name, language, color, labels }
    Material { name, properties }
    Shape { name, group, commands }
    Procedural { script }
    Asset { name, data }
    Extra { data; tag: Tag::NONE }
}

/// | size | frame of an action |
/// |---|---|
/// | 4 | time in milliseconds |
/// | `fc_t` | how many transforms |
/// | | the transforms |
impl Field for Frame {
    fn least(types: Types) -> usize {
        types.size(TypeField::FrameCount).saturating_add(4)
    }

    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, time) = le_u32(input).field("time")?;
        let (input, count) = reader.count(TypeField::FrameCount, input).field("count").field("transforms")?;
        let (input, transforms) = reader.list(input, count).field("transforms")?;
        Ok((input, Self { time, transforms }))
    }

    fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
        self.time.write(sink)?;
        sink.count(TypeField::FrameCount, self.transforms.len()).field("transforms")?;
        self.transforms.write(sink).field("transforms")
    }
}

/// | size | chunk `ACTN` |
/// |---|---|
/// | `si_t` | name |
/// | 2 | how many frames |
/// | 4 | duration in milliseconds |
/// | | the frames |
impl Field for Action {
    fn least(_: Types) -> usize {
        0
    }

    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, name) = reader.name(input).field("name")?;
        let (input, count) = le_u16(input).field("count").field("frames")?;
        let (input, duration) = le_u32(input).field("duration")?;
        let (input, frames) = reader.list(input, count.into()).field("frames")?;
        Ok((input, Self { name, duration, frames }))
    }

    fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
        self.name.write(sink).field("name")?;
        let frames = u16::try_from(self.frames.len())
            .map_err(|_| Error::unwritable("frames", "more than 65535 of them"))?;
        sink.put(&frames.to_le_bytes());
        self.duration.write(sink)?;
        self.frames.write(sink).field("frames")
    }
}
