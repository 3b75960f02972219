//! Section `Shape` with its name: commands, one a row.
//!
//! | row | what |
//! |---|---|
//! | `group bone` | the bone that moves it |
//! | `key arguments` | a command |
//! | `key n[ arguments ]` | one that repeats its arguments n times; brackets may be missing |
//! | `@id #bytes` | ours: a command that nobody knows, as bytes |

use super::number;
use super::reader::Reader;
use super::token::{self, expected, line_end, newline, row, skip_blanks};
use super::writer::Writer;
use crate::consts::{ArgKind, CommandId};
use crate::error::{Error, Result};
use crate::list::push;
use crate::model::{Arg, Command, Shape};
use crate::wire::fail::{At, Here, Parsed};

impl Reader {
    /// Section `Shape`.
    pub(crate) fn read_shape<'a>(&mut self, head: &'a [u8], mut input: &'a [u8]) -> Parsed<'a, ()> {
        let (_, name) = self.rest(head).field("name")?;
        let mut shape = Shape { name, ..Shape::default() };
        loop {
            let start = match row(input) {
                Ok(row) => row,
                Err(rest) => {
                    push(&mut self.model.shapes, shape, &mut self.budget).here(input)?;
                    return Ok((rest, ()));
                }
            };
            if let Ok((rest, b"group")) = token::token(start, "") {
                let (rest, group) = token::id(rest, "the index of a bone").field("group")?;
                shape.group = group;
                input = line_end(rest).field("group")?.0;
                continue;
            }
            let (rest, command) = self.read_command(start).index(shape.commands.len()).field("commands")?;
            push(&mut shape.commands, command, &mut self.budget).here(start)?;
            input = rest;
        }
    }

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
        ArgKind::Shape => {
            token::id(input, "the index of a shape").map(|(rest, id)| (rest, Arg::Shape(id)))?
        }
        ArgKind::TexCoord => token::id(input, "the index of a texture coordinate")
            .map(|(rest, id)| (rest, Arg::TexCoord(id)))?,
        ArgKind::Vertex => {
            token::id(input, "the index of a vertex").map(|(rest, id)| (rest, Arg::Vertex(id)))?
        }
        ArgKind::Quaternion => token::id(input, "the index of a vertex that is an orientation")
            .map(|(rest, id)| (rest, Arg::Quaternion(id)))?,
        ArgKind::Coord | ArgKind::Length => {
            number::read(input, "a number").map(|(rest, number)| (rest, Arg::Coord(number.double)))?
        }
        ArgKind::Int1 | ArgKind::Int2 | ArgKind::Int4 => {
            let (rest, value) = token::ranged(input, -0x8000_0000..=0x7fff_ffff, "a whole number")?;
            (rest, Arg::Int(i32::try_from(value).unwrap_or(0)))
        }
    };
    match rest.first() {
        Some(b' ' | b'\t' | b']' | b'[') => Ok((rest, arg)),
        _ if newline(rest).is_some() => Ok((rest, arg)),
        _ => Err(expected(input, "a blank between arguments")),
    }
}

impl Writer<'_> {
    /// Section `Shape`.
    pub(crate) fn write_shape(&mut self, shape: &Shape, place: usize) -> Result<()> {
        if !shape.group.is_none() {
            self.put("group ");
            self.index(shape.group);
            self.line();
        }
        for (index, command) in shape.commands.iter().enumerate() {
            if command.id.key().is_none() {
                let path = || format!("shapes[{place}].commands[{index}]");
                self.extension(path, "a command without a keyword")?;
            }
            if !self.command(command) {
                return Err(Error::unwritable(
                    format!("shapes[{place}].commands[{index}].args"),
                    "other arguments than the command has",
                ));
            }
            self.line();
        }
        Ok(())
    }

    /// Writes a command. False where its arguments are not those that it wants.
    fn command(&mut self, command: &Command) -> bool {
        let Command { id, args } = command;
        let (Some(key), Some(kinds)) = (id.key(), id.args()) else {
            let [Arg::Other(bytes)] = args.as_slice() else { return false };
            self.put("@");
            self.unsigned(id.0.into());
            self.put(" ");
            self.hex_row(bytes);
            return id.0 <= 0x7fff;
        };
        self.put(key);
        let rounds = args.len().checked_div(kinds.len()).unwrap_or(0);
        let whole = rounds.saturating_mul(kinds.len()) == args.len();
        if id.is_variadic() {
            let Ok(rounds) = u32::try_from(rounds) else { return false };
            self.put(" ");
            self.unsigned(rounds);
            self.put("[");
        } else if rounds != 1 {
            return false;
        }
        for (arg, kind) in args.iter().zip(kinds.iter().cycle()) {
            if let (Arg::Material(name), ArgKind::Material) = (arg, kind) {
                self.rest(name);
                continue;
            }
            self.put(" ");
            match (arg, kind) {
                (Arg::Shape(id), ArgKind::Shape) => self.index(*id),
                (Arg::TexCoord(id), ArgKind::TexCoord) => self.index(*id),
                (Arg::Vertex(id), ArgKind::Vertex) | (Arg::Quaternion(id), ArgKind::Quaternion) => {
                    self.index(*id)
                }
                (Arg::Coord(value), ArgKind::Coord | ArgKind::Length) => self.f64(*value),
                (Arg::Int(value), ArgKind::Int1 | ArgKind::Int2 | ArgKind::Int4) => self.int((*value).into()),
                _ => return false,
            }
        }
        if id.is_variadic() {
            self.put(" ]");
        }
        whole
    }
}
