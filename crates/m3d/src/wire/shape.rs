//! Chunk `SHPE`: a surface by formula.
//!
//! | size | what |
//! |---|---|
//! | `si_t` | name |
//! | `bi_t` | the bone that moves it, where that has a width |
//! | each command | 1 byte which, below 128; or 2 bytes, of which the first has bit 7 set and the lower seven bits |
//! | | a variadic one: u32 how often its arguments are there |
//! | | its arguments |
//!
//! The length of an unknown command is unknown: the rest of the chunk is kept as it is.

use bstr::ByteSlice;
use nom::number::complete::{le_i32, le_u8, le_u32};

use super::fail::{At, Fail, Here, Parsed};
use super::reader::{Reader, length, sized_index};
use super::writer::{Writer, index_fits};
use crate::consts::{ArgKind, CommandId, TypeField};
use crate::error::{Error, Result};
use crate::list::push;
use crate::model::{Arg, Command, Shape};

impl<'a> Reader<'a> {
    pub(crate) fn read_shape(&mut self, data: &'a [u8]) -> Parsed<'a, Shape> {
        let (input, name) = self.name(data).field("name")?;
        let (mut input, group) = self.bone(input).field("group")?;
        let mut commands = Vec::new();
        while !input.is_empty() {
            let (rest, command) = self.read_command(input).index(commands.len()).field("commands")?;
            push(&mut commands, command, &mut self.budget).here(input).field("commands")?;
            input = rest;
        }
        Ok((input, Shape { name, group, commands }))
    }

    fn read_command(&mut self, start: &'a [u8]) -> Parsed<'a, Command> {
        let (mut input, low) = le_u8(start).field("id")?;
        let mut id = u16::from(low);
        if low & 0x80 != 0 {
            let (rest, high) = le_u8(input).field("id")?;
            id = u16::from(low & 0x7f) | u16::from(high) << 7;
            if id < 128 {
                push(&mut self.long_commands, self.commands, &mut self.budget).here(input)?;
            }
            input = rest;
        }
        self.commands = self.commands.saturating_add(1);
        let id = CommandId(id);
        let Some(kinds) = id.args() else {
            let (rest, end) = input.split_at(input.len());
            let rest = self.budget.copy(rest).here(input)?;
            return Ok((end, Command { id, args: vec![Arg::Other(rest)] }));
        };
        let mut rounds = 1;
        if id.is_variadic() {
            let (rest, count) = le_u32(input).field("count")?;
            // Every argument of a variadic command but texture coordinates has a width.
            let round: usize = kinds.iter().map(|&kind| self.arg_size(kind)).fold(0, usize::saturating_add);
            rounds = length(input, count).field("count")?;
            if rounds > rest.len().checked_div(round).unwrap_or(0) {
                return Err(Fail::end(input)).field("count");
            }
            input = rest;
        }
        let mut args = self.budget.vec(rounds.saturating_mul(kinds.len())).here(input).field("args")?;
        for _ in 0..rounds {
            for &kind in kinds {
                let (rest, arg) = self.read_arg(kind, input).index(args.len()).field("args")?;
                args.push(arg);
                input = rest;
            }
        }
        Ok((input, Command { id, args }))
    }

    /// How many bytes an argument takes.
    fn arg_size(&self, kind: ArgKind) -> usize {
        match kind {
            ArgKind::Material => self.types.size(TypeField::Name),
            ArgKind::Shape => self.types.size(TypeField::Shape),
            ArgKind::TexCoord => self.types.size(TypeField::TexCoord),
            ArgKind::Vertex | ArgKind::Quaternion => self.types.size(TypeField::Vertex),
            ArgKind::Coord | ArgKind::Length => self.types.size(TypeField::Coord),
            ArgKind::Int1 => 1,
            ArgKind::Int2 => 2,
            ArgKind::Int4 => 4,
        }
    }

    fn read_arg(&mut self, kind: ArgKind, input: &'a [u8]) -> Parsed<'a, Arg> {
        let int =
            |size| sized_index(size, input).map(|(input, value)| (input, Arg::Int(value.cast_signed())));
        match kind {
            ArgKind::Material => self.name(input).map(|(input, name)| (input, Arg::Material(name))),
            ArgKind::Shape => self.shape(input).map(|(input, id)| (input, Arg::Shape(id))),
            ArgKind::TexCoord => self.tex_coord(input).map(|(input, id)| (input, Arg::TexCoord(id))),
            ArgKind::Vertex => self.vertex(input).map(|(input, id)| (input, Arg::Vertex(id))),
            ArgKind::Quaternion => self.vertex(input).map(|(input, id)| (input, Arg::Quaternion(id))),
            ArgKind::Coord | ArgKind::Length => {
                self.coord(input).map(|(input, value)| (input, Arg::Coord(value)))
            }
            ArgKind::Int1 => int(1),
            ArgKind::Int2 => int(2),
            ArgKind::Int4 => le_i32(input).map(|(input, value)| (input, Arg::Int(value))),
        }
    }
}

impl Writer<'_> {
    pub(crate) fn write_shape(&mut self, shape: &Shape) -> Result<()> {
        self.name(shape.name.as_bstr());
        self.index(TypeField::Bone, shape.group.0);
        let last = shape.commands.len().saturating_sub(1);
        for (index, command) in shape.commands.iter().enumerate() {
            let path = || format!("commands[{index}]");
            self.write_command(command, index == last).map_err(|what| Error::unwritable(path(), what))?;
        }
        Ok(())
    }

    fn write_command(&mut self, command: &Command, last: bool) -> Result<(), &'static str> {
        let [low, high] = command.id.0.to_le_bytes();
        let long = self.long_commands.binary_search(&self.commands).is_ok();
        self.commands = self.commands.saturating_add(1);
        match command.id.0 {
            0..128 if !long => self.put(&[low]),
            0..0x8000 => self.put(&[low | 0x80, high << 1 | low >> 7]),
            _ => return Err("a command past 32767"),
        }
        let Some(kinds) = command.id.args() else {
            return match &command.args[..] {
                [Arg::Other(bytes)] if last => {
                    self.put(bytes);
                    Ok(())
                }
                [Arg::Other(_)] => Err("an unknown command that is not the last: its bytes have no end"),
                _ => Err("arguments of a command that is not known"),
            };
        };
        let rounds = command.args.len().checked_div(kinds.len()).unwrap_or(0);
        if rounds.saturating_mul(kinds.len()) != command.args.len()
            || (!command.id.is_variadic() && rounds != 1)
        {
            return Err("another number of arguments than the command has");
        }
        if command.id.is_variadic() {
            let count =
                u32::try_from(rounds).map_err(|_| "more arguments than a count of 32 bits can represent")?;
            self.put(&count.to_le_bytes());
        }
        for (arg, &kind) in command.args.iter().zip(kinds.iter().cycle()) {
            self.write_arg(kind, arg)?;
        }
        Ok(())
    }

    fn write_arg(&mut self, kind: ArgKind, arg: &Arg) -> Result<(), &'static str> {
        match (kind, arg) {
            (ArgKind::Material, Arg::Material(name)) => self.name(name.as_bstr()),
            (ArgKind::Shape, Arg::Shape(id)) => self.index(TypeField::Shape, id.0),
            (ArgKind::TexCoord, Arg::TexCoord(id)) => self.index(TypeField::TexCoord, id.0),
            (ArgKind::Vertex, Arg::Vertex(id)) | (ArgKind::Quaternion, Arg::Quaternion(id)) => {
                self.index(TypeField::Vertex, id.0);
            }
            (ArgKind::Coord | ArgKind::Length, &Arg::Coord(value)) => self.coord(value),
            (ArgKind::Int4, Arg::Int(value)) => self.put(&value.to_le_bytes()),
            (ArgKind::Int1 | ArgKind::Int2, Arg::Int(value)) => {
                let size = if kind == ArgKind::Int1 { 1 } else { 2 };
                if !index_fits(size, value.cast_unsigned()) {
                    return Err("a whole number past what its bytes hold");
                }
                self.put(value.to_le_bytes().get(..size).unwrap_or_default());
            }
            _ => return Err("an argument of another kind than the command has"),
        }
        Ok(())
    }
}
