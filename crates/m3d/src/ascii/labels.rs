//! Section `Labels`: annotations.
//!
//! | row | what |
//! |---|---|
//! | `color #AABBGGRR` | the colour of all |
//! | `lang xx_XX` | the language |
//! | `vertex text` | an annotation |

use geom::Rgba8;

use super::reader::{Reader, Section};
use super::token::{self, line_end, rows};
use super::writer::Writer;
use crate::error::Result;
use crate::model::{Label, LabelGroup};
use crate::wire::fail::{At, Parsed};

impl Section for LabelGroup {
    fn read<'a>(reader: &mut Reader, head: &'a [u8], input: &'a [u8]) -> Parsed<'a, Self> {
        let (_, name) = reader.rest(head).field("name")?;
        let mut group = Self { name, ..Self::default() };
        let (rest, ()) = rows(input, |start| {
            match token::token(start, "") {
                Ok((rest, b"color")) => {
                    let (rest, color) = token::color(rest).field("color")?;
                    group.color = color;
                    return line_end(rest);
                }
                Ok((rest, b"lang")) => {
                    let (rest, language) = reader.rest(rest).field("language")?;
                    group.language = language;
                    return Ok((rest, ()));
                }
                _ => {}
            }
            let read = read_label(reader, start);
            reader.add(&mut group.labels, read).field("labels")
        })?;
        Ok((rest, group))
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        writer.head(&self.name);
        if self.color != Rgba8::default() {
            writer.put("color ");
            writer.color(self.color);
            writer.line();
        }
        if !self.language.is_empty() {
            writer.put("lang");
            writer.head(&self.language);
        }
        for label in &self.labels {
            writer.index(label.vertex);
            writer.head(&label.text);
        }
        Ok(())
    }
}

fn read_label<'a>(reader: &mut Reader, start: &'a [u8]) -> Parsed<'a, Label> {
    let (rest, vertex) = token::id(start, "`color`, `lang` or the index of a vertex").field("vertex")?;
    let (rest, text) = reader.rest(rest).field("text")?;
    Ok((rest, Label { vertex, text }))
}
