//! The layouts of records, each stated once for reading and writing. The encoding of a field follows from its type:
//! indices, names and colours have the widths of the header, numbers are little-endian, and a list takes the rest of
//! the chunk.
//!
//! | type | in the file |
//! |---|---|
//! | `VertexId`, `TexCoordId`, `BoneId`, `SkinId`, `ShapeId` | `vi_t`, `ti_t`, `bi_t`, `sk_t`, `hi_t` |
//! | `BString` | `si_t`, the offset of a name |
//! | `Rgba8` | `ci_t` |

use bstr::{BString, ByteSlice};
use geom::Rgba8;
use nom::number::complete::{le_f32, le_u8, le_u16, le_u32};

use super::reader::Reader;
use super::width::{Width, length, sized, sized_index};
use super::writer::Writer;
use crate::consts::{PropertyId, PropertyKind, TypeField, Types};
use crate::model::{
    Action, Asset, Bone, BoneId, Extra, Frame, Label, LabelGroup, Material, Procedural, Property, Shape,
    ShapeId, SkinId, TexCoordId, Transform, Value, VertexId, VoxelItem,
};
use geom::wire::{At, Error, Fail, Here, Parsed, Result};

/// The maximum number of records of size 0: the size of the input does not limit it.
const MOST_EMPTY: usize = 1 << 16;

/// A value stored in a chunk.
pub(crate) trait Field: Sized {
    /// Its least size in bytes.
    fn least(_: Types) -> usize {
        0
    }

    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self>;

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()>;

    /// Reads values up to the end of the chunk; the bytes after the last whole value are left.
    fn read_all<'a>(reader: &mut Reader<'a>, mut input: &'a [u8]) -> Parsed<'a, Vec<Self>> {
        let least = Self::least(reader.types).max(1);
        let mut values = Vec::new();
        while input.len() >= least {
            let (rest, value) = Self::read(reader, input).index(values.len())?;
            reader.budget.push(&mut values, value).here(input)?;
            input = rest;
        }
        Ok((input, values))
    }

    fn write_all<'m>(values: &'m [Self], writer: &mut Writer<'m>) -> Result<()> {
        let mut all = values.iter().enumerate();
        while let Some((index, value)) = all.next() {
            let what = "an unknown property or command that is not the last in its list \
                        (move it to the end, since readers cannot find where it ends)";
            let has_end = !value.is_open() || all.len() == 0;
            has_end.then_some(()).ok_or_else(|| Error::unwritable("", what)).index(index)?;
            value.write(writer).index(index)?;
        }
        Ok(())
    }

    /// Whether its length is unknown, so that it takes all bytes up to the end of the chunk.
    fn is_open(&self) -> bool {
        false
    }
}

impl<'a> Reader<'a> {
    /// Reads `count` values, after checking that the input is long enough for them.
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
                sized_index(reader.types.size(TypeField::$field), input).map(|(rest, id)| (rest, Self(id)))
            }

            #[inline(always)]
            fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
                writer.index(TypeField::$field, self.0);
                Ok(())
            }
        }
    )+};
}
ids! { VertexId = Vertex; TexCoordId = TexCoord; BoneId = Bone; SkinId = Skin; ShapeId = Shape; }

macro_rules! numbers {
    ($($number:ty = $read:ident { $($all:item)* })+) => {$(
        impl Field for $number {
            fn least(_: Types) -> usize {
                size_of::<Self>()
            }

            #[inline(always)]
            fn read<'a>(_: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
                $read(input)
            }

            #[inline(always)]
            fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
                writer.put(&self.to_le_bytes());
                Ok(())
            }

            $($all)*
        }
    )+};
}
numbers! {
    u16 = le_u16 {}
    u32 = le_u32 {}
    f32 = le_f32 {}
    u8 = le_u8 {
        fn read_all<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Vec<Self>> {
            let (bytes, end) = input.split_at(input.len());
            Ok((end, reader.budget.copy(bytes).here(input)?))
        }

        fn write_all<'m>(values: &'m [Self], writer: &mut Writer<'m>) -> Result<()> {
            writer.put(values);
            Ok(())
        }
    }
}

/// A name, stored as its offset in the string table. An offset outside the table is no name.
impl Field for BString {
    fn least(types: Types) -> usize {
        types.size(TypeField::Name)
    }

    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        let size = reader.types.size(TypeField::Name);
        let (rest, offset) = sized_index(size, input)?;
        let name = reader.name(offset, sized(size, input)?.1, rest);
        reader.budget.take(name.len() as u64).here(input)?;
        Ok((rest, name.into()))
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        writer.name(self.as_bstr())
    }
}

/// A colour, stored as an index into the palette or as the colour itself.
impl Field for Rgba8 {
    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        let size = reader.types.size(TypeField::Color);
        let (rest, number) = sized(size, input)?;
        let is_index = matches!(size, 1 | 2);
        Ok((rest, if is_index { reader.color(number, size, rest) } else { Self::from(number.to_le_bytes()) }))
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        writer.color(*self);
        Ok(())
    }
}

impl<T: Field> Field for Vec<T> {
    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        T::read_all(reader, input)
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        T::write_all(self, writer)
    }
}

/// The least size of a field of a record.
fn least_of<R, T: Field>(types: Types, _: impl Fn(&R) -> &T) -> usize {
    T::least(types)
}

/// The layouts of records: their fields in file order. `list(width)` is the number of entries of a list, and
/// `list[..]` the list itself; a list without a count is the rest of the chunk.
macro_rules! records {
    (@least $types:ident $name:ident $field:ident) => { least_of($types, |record: &$name| &record.$field) };
    (@least $types:ident $name:ident $field:ident ($width:expr)) => { $width.size($types) };
    (@least $types:ident $name:ident $field:ident [..]) => { 0 };
    (@read $reader:ident $input:ident $record:ident $field:ident) => {
        ($input, $record.$field) = Field::read($reader, $input).field(stringify!($field))?;
    };
    (@read $reader:ident $input:ident $record:ident $field:ident ($width:expr)) => {
        let $field;
        ($input, $field) =
            sized($width.size($reader.types), $input).field("count").field(stringify!($field))?;
    };
    (@read $reader:ident $input:ident $record:ident $field:ident [..]) => {
        ($input, $record.$field) = $reader.list($input, $field).field(stringify!($field))?;
    };
    (@write $record:ident $writer:ident $field:ident ($width:expr)) => {
        $writer.count($width, $record.$field.len())
    };
    (@write $record:ident $writer:ident $field:ident $([..])?) => { $record.$field.write($writer) };
    ($($name:ident { $($field:ident $(($width:expr))? $([$list:tt])?),+ })+) => {$(
        impl Field for $name {
            fn least(types: Types) -> usize {
                let fields = [$(records!(@least types $name $field $(($width))? $([$list])?)),+];
                fields.into_iter().sum()
            }

            #[inline(always)]
            fn read<'a>(reader: &mut Reader<'a>, mut input: &'a [u8]) -> Parsed<'a, Self> {
                let mut record = Self::default();
                $(records!(@read reader input record $field $(($width))? $([$list])?);)+
                Ok((input, record))
            }

            #[inline]
            fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
                $(records!(@write self writer $field $(($width))? $([$list])?).field(stringify!($field))?;)+
                Ok(())
            }
        }
    )+};
}
records! {
    Bone { parent, name, position, orientation }
    Transform { bone, position, orientation }
    Frame { time, transforms(Width::Of(TypeField::FrameCount)), transforms[..] }
    Action { name, frames(Width::Bytes(2)), duration, frames[..] }
    Label { vertex, text }
    VoxelItem { count, name }
    LabelGroup { name, language, color, labels }
    Material { name, properties }
    Shape { name, group, commands }
    Procedural { script }
    Asset { name, data }
    Extra { data }
}

/// A property of chunk `MTRL`: one byte for its id, then its value.
///
/// The value of an id from 128 on is a `si_t`, the name of a texture. The length of an unknown property below 128 is
/// unknown too: all bytes up to the end of the chunk are kept.
impl Field for Property {
    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, id) = u8::read(reader, input).field("id")?;
        let id = PropertyId(id);
        let (input, value) = match id.kind() {
            Some(PropertyKind::Color) => {
                Rgba8::read(reader, input).map(|(rest, it)| (rest, Value::Color(it)))
            }
            Some(PropertyKind::Float) => f32::read(reader, input).map(|(rest, it)| (rest, Value::Float(it))),
            Some(PropertyKind::Byte) => u8::read(reader, input).map(|(rest, it)| (rest, Value::Byte(it))),
            Some(PropertyKind::Map) => BString::read(reader, input).map(|(rest, it)| (rest, Value::Map(it))),
            None => Vec::read(reader, input).map(|(rest, it)| (rest, Value::Other(it))),
        }
        .field("value")?;
        Ok((input, Self { id, value }))
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        writer.put(&[self.id.0]);
        self.writable()?;
        match &self.value {
            Value::Color(value) => value.write(writer),
            Value::Float(value) => value.write(writer),
            Value::Byte(value) => value.write(writer),
            Value::Map(value) => value.write(writer),
            Value::Other(value) => value.write(writer),
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.value, Value::Other(_))
    }
}
