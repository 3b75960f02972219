//! Section `Shape`, with the shape's name: one command per row.
//!
//! | row | what |
//! |---|---|
//! | `group bone` | the bone that moves the shape |
//! | `key arguments` | a command |
//! | `key n[ arguments ]` | a command with n rounds of arguments; the brackets may be missing |

use super::reader::{Read, Reader, Section};
use super::token::{self, ORIENTATION, expected};
use super::writer::Writer;
use crate::consts::{ArgKind, CommandId};
use crate::model::{Arg, Command, Shape};
use geom::wire::{At, Result};

impl Section for Shape {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        self.name = reader.rest().field("name")?;
        while reader.row() {
            if reader.word(b"group") {
                self.group = reader.id("the index of a bone").field("group")?;
                reader.line_end().field("group")?;
            } else {
                reader.entry(&mut self.commands, read_command).field("commands")?;
            }
        }
        Ok(())
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

fn read_command<'a>(reader: &mut Reader<'a>) -> Read<'a, Command> {
    const WHAT: &str = "`group` or a command such as `div` or `nurbs`";
    let start = reader.input;
    let key = reader.token(WHAT)?;
    let mut args = Vec::new();
    let id = std::str::from_utf8(key).ok().and_then(CommandId::from_key);
    let Some((id, kinds)) = id.and_then(|id| Some((id, id.args()?))) else {
        return Err(expected(start, WHAT));
    };
    let rounds = match id.is_variadic() {
        true => reader.unsigned("a count before the arguments, as in `bez 4[ … ]`").field("count")?,
        false => 1,
    };
    for _ in 0..rounds {
        for &kind in kinds {
            reader.entry(&mut args, |reader| read_arg(reader, kind)).field("args")?;
        }
    }
    // The name of a material is the rest of its line.
    if kinds != [ArgKind::Material] {
        skip_brackets(reader);
        if id.is_variadic() && !token::at_line_end(reader.input) {
            let what = format!("the end of the line (the count before the arguments is {rounds})");
            return Err(reader.expected(&what));
        }
        reader.line_end()?;
    }
    Ok(Command { id, args })
}

fn skip_brackets(reader: &mut Reader<'_>) {
    while reader.sign(b'[') || reader.sign(b']') {}
}

fn read_arg<'a>(reader: &mut Reader<'a>, kind: ArgKind) -> Read<'a, Arg> {
    if kind == ArgKind::Material {
        return reader.rest().map(Arg::Material);
    }
    skip_brackets(reader);
    match kind {
        ArgKind::Shape => reader.id("the index of a shape").map(Arg::Shape),
        ArgKind::TexCoord => reader.id("the index of a texture coordinate").map(Arg::TexCoord),
        ArgKind::Vertex => reader.id("the index of a vertex").map(Arg::Vertex),
        ArgKind::Quaternion => reader.id(ORIENTATION).map(Arg::Quaternion),
        ArgKind::Int1 | ArgKind::Int2 | ArgKind::Int4 => {
            let what = "a whole number from -2147483648 to 2147483647";
            reader.int(i32::MIN.into()..=i32::MAX.into(), what).map(Arg::Int)
        }
        _ => reader.number("a number").map(|number| Arg::Coord(number.double)),
    }
}

impl Writer<'_> {
    fn command(&mut self, command: &Command) -> Result<()> {
        let (rounds, _) = command.writable()?;
        self.keyword(command.id.key(), "an unknown shape command")?;
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
                Arg::Int(value) => self.int(*value),
                // Commands with a keyword have known arguments.
                Arg::Other(_) | Arg::Material(_) => {}
            }
        }
        if command.id.is_variadic() {
            self.put(" ]");
        }
        self.line();
        Ok(())
    }
}
