//! Section `Shape` with its name: commands, one a row.
//!
//! | row | what |
//! |---|---|
//! | `group bone` | the bone that moves it |
//! | `key arguments` | a command |
//! | `key n[ arguments ]` | one that repeats its arguments n times; brackets may be missing |
//! | `@id #bytes` | ours: a command that nobody knows, as bytes |

use super::number;
use super::reader::{Reader, Section};
use super::token::{self, expected, line_end, newline, rows, skip_blanks};
use super::writer::Writer;
use crate::consts::{ArgKind, CommandId};
use crate::error::Result;
use crate::list::push;
use crate::model::{Arg, Command, Shape};
use crate::wire::fail::{At, Here, Parsed};

impl Section for Shape {
    fn read<'a>(reader: &mut Reader, head: &'a [u8], input: &'a [u8]) -> Parsed<'a, Self> {
        let (_, name) = reader.rest(head).field("name")?;
        let mut shape = Self { name, ..Self::default() };
        let (rest, ()) = rows(input, |start| {
            if let Ok((rest, b"group")) = token::token(start, "") {
                let (rest, group) = token::id(rest, "the index of a bone").field("group")?;
                shape.group = group;
                return line_end(rest).field("group");
            }
            let read = reader.read_command(start);
            reader.add(&mut shape.commands, read).field("commands")
        })?;
        Ok((rest, shape))
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        writer.head(&self.name);
        if !self.group.is_none() {
            writer.put("group ");
            writer.index(self.group);
            writer.line();
        }
        for (index, command) in self.commands.iter().enumerate() {
            writer.command(command).index(index).field("commands")?;
        }
        Ok(())
    }
}

impl Reader {
    fn read_command<'a>(&mut self, start: &'a [u8]) -> Parsed<'a, Command> {
        const WHAT: &str = "`group` or a command, as `div` or `nurbs`";
        let (mut input, key) = token::token(start, WHAT)?;
        if let Some(id) = key.strip_prefix(b"@") {
            self.layout.extensions = true;
            let (_, id) = token::ranged(id, 0..=0x7fff, "the number of a command, 0 to 32767")?;
            let at = skip_blanks(input);
            let Some(bytes) = at.strip_prefix(b"#") else { return Err(expected(at, "`#` and bytes")) };
            let mut other = Vec::new();
            let (rest, ()) = token::bytes(bytes, &mut other, &mut self.budget)?;
            let id = CommandId(u16::try_from(id).unwrap_or(0));
            if id.args().is_some() {
                return Err(expected(start, "the number of a command that nobody knows"));
            }
            return Ok((rest, Command { id, args: vec![Arg::Other(other)] }));
        }
        let id = std::str::from_utf8(key).ok().and_then(CommandId::from_key);
        let Some((id, kinds)) = id.and_then(|id| Some((id, id.args()?))) else {
            return Err(expected(start, WHAT));
        };
        let mut rounds = 1;
        if id.is_variadic() {
            (input, rounds) = token::unsigned(input, "how often the arguments follow").field("count")?;
        }
        let mut args = Vec::new();
        for _ in 0..rounds {
            for &kind in kinds {
                if kind == ArgKind::Material {
                    let (rest, name) = self.rest(input).index(args.len()).field("args")?;
                    push(&mut args, Arg::Material(name), &mut self.budget).here(input)?;
                    return Ok((rest, Command { id, args }));
                }
                input = skip_brackets(input);
                let (rest, arg) = read_arg(kind, input).index(args.len()).field("args")?;
                push(&mut args, arg, &mut self.budget).here(input)?;
                input = rest;
            }
        }
        Ok((line_end(skip_brackets(input))?.0, Command { id, args }))
    }
}

/// Brackets are there for people.
fn skip_brackets(mut input: &[u8]) -> &[u8] {
    loop {
        input = skip_blanks(input);
        match input {
            [b'[' | b']', rest @ ..] => input = rest,
            _ => return input,
        }
    }
}

fn read_arg(kind: ArgKind, input: &[u8]) -> Parsed<'_, Arg> {
    let (rest, arg) = match kind {
        ArgKind::Material => return Err(expected(input, "a material")),
        ArgKind::Shape => token::id(input, "the index of a shape").map(|(rest, it)| (rest, Arg::Shape(it))),
        ArgKind::TexCoord => {
            token::id(input, "the index of a texture coordinate").map(|(rest, it)| (rest, Arg::TexCoord(it)))
        }
        ArgKind::Vertex => {
            token::id(input, "the index of a vertex").map(|(rest, it)| (rest, Arg::Vertex(it)))
        }
        ArgKind::Quaternion => {
            token::id(input, token::ORIENTATION).map(|(rest, it)| (rest, Arg::Quaternion(it)))
        }
        ArgKind::Coord | ArgKind::Length => {
            number::read(input, "a number").map(|(rest, it)| (rest, Arg::Coord(it.double)))
        }
        ArgKind::Int1 | ArgKind::Int2 | ArgKind::Int4 => {
            token::int(input, "a whole number").map(|(rest, it)| (rest, Arg::Int(it)))
        }
    }?;
    match rest.first() {
        Some(b' ' | b'\t' | b']' | b'[') => Ok((rest, arg)),
        _ if newline(rest).is_some() => Ok((rest, arg)),
        _ => Err(expected(input, "a blank between arguments")),
    }
}

impl Writer<'_> {
    fn command(&mut self, command: &Command) -> Result<()> {
        let (rounds, _) = command.writable()?;
        match command.id.key() {
            Some(key) => self.put(key),
            None => {
                self.extension("a command without a keyword")?;
                self.put("@");
                self.unsigned(command.id.0.into());
            }
        }
        if command.id.is_variadic() {
            self.put(" ");
            self.unsigned(rounds);
            self.put("[");
        }
        for arg in &command.args {
            if let Arg::Material(name) = arg {
                self.rest(name);
                continue;
            }
            self.put(" ");
            match arg {
                Arg::Shape(id) => self.index(*id),
                Arg::TexCoord(id) => self.index(*id),
                Arg::Vertex(id) | Arg::Quaternion(id) => self.index(*id),
                Arg::Coord(value) => self.f64(*value),
                Arg::Int(value) => self.int((*value).into()),
                Arg::Other(bytes) => self.hex_row(bytes),
                Arg::Material(_) => {}
            }
        }
        if command.id.is_variadic() {
            self.put(" ]");
        }
        self.line();
        Ok(())
    }
}
