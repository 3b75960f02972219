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
//! Of a command that nobody knows nobody knows the length: everything behind it is kept as it is.

use nom::number::complete::{le_i32, le_u8, le_u32};

use super::fail::{At, Fail, Here, Parsed};
use super::reader::{Reader, length, push, sized_index};
use crate::consts::{ArgKind, CommandId, TypeField};
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
            ArgKind::Face => self.types.size(TypeField::Face),
            ArgKind::TexCoord => self.types.size(TypeField::TexCoord),
            ArgKind::Vertex | ArgKind::Quaternion => self.types.size(TypeField::Vertex),
            ArgKind::Coord => self.types.size(TypeField::Coord),
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
            ArgKind::Face => self.face(input).map(|(input, id)| (input, Arg::Face(id))),
            ArgKind::TexCoord => self.tex_coord(input).map(|(input, id)| (input, Arg::TexCoord(id))),
            ArgKind::Vertex => self.vertex(input).map(|(input, id)| (input, Arg::Vertex(id))),
            ArgKind::Quaternion => self.vertex(input).map(|(input, id)| (input, Arg::Quaternion(id))),
            ArgKind::Coord => self.coord(input).map(|(input, value)| (input, Arg::Coord(value))),
            ArgKind::Int1 => int(1),
            ArgKind::Int2 => int(2),
            ArgKind::Int4 => le_i32(input).map(|(input, value)| (input, Arg::Int(value))),
        }
    }
}
