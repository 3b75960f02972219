//! The commands of chunk `SHPE`.
//!
//! | size | what |
//! |---|---|
//! | 1 or 2 | the id: 1 byte below 128; or 2 bytes, of which the first has bit 7 set and the low seven bits of the id |
//! | 4 | for a variadic command, the number of rounds of arguments |
//! | | the arguments |
//!
//! The length of an unknown command is unknown: all bytes up to the end of the chunk are kept.

use bstr::BString;
use nom::number::complete::{le_u8, le_u32};

use super::reader::Reader;
use super::record::Field;
use super::width::{Width, length, sized_index};
use super::writer::Writer;
use crate::consts::{ArgKind, CommandId, TypeField};
use crate::model::{Arg, Command};
use geom::wire::{At, Counted, Error, Fail, Here, Parsed, Result};

impl Field for Command {
    fn read<'a>(reader: &mut Reader<'a>, start: &'a [u8]) -> Parsed<'a, Self> {
        let (mut input, low) = le_u8(start).field("id")?;
        let mut id = u16::from(low);
        if low & 0x80 != 0 {
            let (rest, high) = le_u8(input).field("id")?;
            id = u16::from(low & 0x7f) | u16::from(high) << 7;
            input = rest;
            reader.choice(rest);
        }
        let id = CommandId(id);
        let Some(kinds) = id.args() else {
            let (rest, bytes) = Vec::read(reader, input)?;
            return Ok((rest, Self { id, args: vec![Arg::Other(bytes)] }));
        };
        let mut rounds = 1;
        if id.is_variadic() {
            let (rest, count) = le_u32(input).field("count")?;
            // In a variadic command, only texture coordinates may have no width.
            let round = kinds.iter().map(|&kind| width(kind).size(reader.types)).sum();
            rounds = length(input, count).field("count")?;
            if rounds > rest.len().checked_div(round).unwrap_or(0) {
                return Err(Fail::end(input)).field("count");
            }
            input = rest;
        }
        let mut args = reader.budget.vec(rounds.saturating_mul(kinds.len())).here(input).field("args")?;
        for _ in 0..rounds {
            for &kind in kinds {
                let (rest, arg) = read_arg(reader, kind, input).index(args.len()).field("args")?;
                args.push(arg);
                input = rest;
            }
        }
        Ok((input, Self { id, args }))
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        let (rounds, kinds) = self.writable()?;
        let [low, high] = self.id.0.to_le_bytes();
        let long = [low | 0x80, high << 1 | low >> 7];
        let is_short = self.id.0 < 128 && !writer.old().starts_with(&long);
        writer.put(if is_short { std::slice::from_ref(&low) } else { &long });
        if self.id.is_variadic() {
            writer.put(&rounds.to_le_bytes());
        }
        for (index, arg) in self.args.iter().enumerate() {
            let kind = kinds.get(index.checked_rem(kinds.len()).unwrap_or(0));
            write_arg(kind, arg, writer).index(index).field("args")?;
        }
        Ok(())
    }

    fn is_open(&self) -> bool {
        self.id.args().is_none()
    }
}

const fn width(kind: ArgKind) -> Width {
    match kind {
        ArgKind::Material => Width::Of(TypeField::Name),
        ArgKind::Shape => Width::Of(TypeField::Shape),
        ArgKind::TexCoord => Width::Of(TypeField::TexCoord),
        ArgKind::Vertex | ArgKind::Quaternion => Width::Of(TypeField::Vertex),
        ArgKind::Coord | ArgKind::Length => Width::Of(TypeField::Coord),
        ArgKind::Int1 => Width::Bytes(1),
        ArgKind::Int2 => Width::Bytes(2),
        ArgKind::Int4 => Width::Bytes(4),
    }
}

fn read_arg<'a>(reader: &mut Reader<'a>, kind: ArgKind, input: &'a [u8]) -> Parsed<'a, Arg> {
    match kind {
        ArgKind::Material => BString::read(reader, input).map(|(rest, name)| (rest, Arg::Material(name))),
        ArgKind::Coord | ArgKind::Length => {
            reader.coord(input).map(|(rest, value)| (rest, Arg::Coord(value)))
        }
        _ => {
            let (rest, index) = sized_index(width(kind).size(reader.types), input)?;
            Ok((rest, Arg::of_index(kind, index)))
        }
    }
}

fn write_arg<'m>(kind: Option<&ArgKind>, arg: &'m Arg, writer: &mut Writer<'m>) -> Result<()> {
    match arg {
        Arg::Material(name) => name.write(writer),
        Arg::Shape(id) => id.write(writer),
        Arg::TexCoord(id) => id.write(writer),
        Arg::Vertex(id) | Arg::Quaternion(id) => id.write(writer),
        Arg::Coord(value) => {
            #[allow(clippy::cast_possible_truncation, reason = "the double is beside it")]
            writer.numbers("shapes", true, [*value as f32], Some(&[*value]));
            Ok(())
        }
        Arg::Int(value) => {
            let size = if let Some(Width::Bytes(size)) = kind.copied().map(width) { size } else { 4 };
            let bytes = value.to_le_bytes();
            let bytes = bytes.get(..size).unwrap_or_default();
            if !sized_index(size, bytes).is_ok_and(|(_, read)| read.cast_signed() == *value) {
                let most = (1_u64 << size.saturating_mul(8)).wrapping_sub(3);
                let size = Counted::new(size, "bytes");
                let what = format!("the integer {value} as an argument of {size} (expected -2 to {most})");
                return Err(Error::unwritable("", what));
            }
            writer.put(bytes);
            Ok(())
        }
        Arg::Other(bytes) => bytes.write(writer),
    }
}
