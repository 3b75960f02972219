//! Section `Labels`: annotations.
//!
//! | row | what |
//! |---|---|
//! | `color #AABBGGRR` | the colour of all |
//! | `lang xx_XX` | the language |
//! | `vertex text` | an annotation |

use geom::Rgba8;

use super::reader::{Read, Reader, Section};
use super::writer::Writer;
use crate::error::Result;
use crate::model::{Label, LabelGroup};
use crate::wire::fail::At;

impl Section for LabelGroup {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        self.name = reader.rest().field("name")?;
        while reader.row() {
            if reader.word(b"color") {
                self.color = reader.color().field("color")?;
                reader.line_end()?;
            } else if reader.word(b"lang") {
                self.language = reader.rest().field("language")?;
            } else {
                let label = |reader: &mut Reader<'a>| {
                    let what = "`color`, `lang` or the index of a vertex";
                    let vertex = reader.id(what).field("vertex")?;
                    Ok(Label { vertex, text: reader.rest().field("text")? })
                };
                reader.entry(&mut self.labels, label).field("labels")?;
            }
        }
        Ok(())
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
