//! The small sections.
//!
//! | section | rows |
//! |---|---|
//! | `Preview` | the name of a PNG file; after it, rows of `#` and bytes with its content |
//! | `Procedural` | the name of a script |
//! | `Assets` | names of files; after a name, rows of `#` and bytes with its content |
//! | `Extra` and the tag of a chunk | bytes |
//! | `Labels` and the name of the group | `color #AABBGGRR`, `lang xx_XX`, and annotations: `vertex text` |
//!
//! Bytes are hexadecimal digits. Rows of `#` are an extension of this crate.

use geom::Rgba8;

use super::name::{Place, trimmed};
use super::reader::{Read, Reader, Section};
use super::token::{expected, line, skip_blanks};
use super::writer::Writer;
use crate::consts::Tag;
use crate::model::{Asset, Extra, Label, LabelGroup, Procedural};
use geom::wire::{At, Fail, Here, Result};

/// The name written for a preview, since a model has none for it.
const PREVIEW: &[u8] = b"preview.png";

impl Section for Option<Vec<u8>> {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        while reader.row() {
            match reader.sign(b'#') {
                true => reader.bytes(self.get_or_insert_default())?,
                false => reader.input = line(reader.input).1,
            }
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        writer.named_bytes(PREVIEW, self.as_deref());
        Ok(())
    }
}

impl Section for Vec<Asset> {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        while reader.row() {
            let start = reader.input;
            let last = self.len().wrapping_sub(1);
            match (reader.sign(b'#'), self.last_mut()) {
                (true, Some(asset)) => reader.bytes(&mut asset.data).field("data").index(last)?,
                (true, None) => {
                    return Err(expected(
                        start,
                        "the name of a file before the first row that begins with `#`",
                    ));
                }
                _ => {
                    let name = reader.rest().field("name").index(self.len())?;
                    reader.push(self, Asset { name, data: Vec::new() })?;
                }
            }
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        for Asset { name, data } in self {
            writer.named_bytes(name, Some(data).filter(|data| !data.is_empty()).map(Vec::as_slice));
        }
        Ok(())
    }
}

impl Section for Procedural {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        let start = reader.input;
        if !reader.row() {
            return Err(expected(skip_blanks(start), "the name of a script")).field("script");
        }
        self.script = reader.rest().field("script")?;
        if reader.row() { Err(reader.expected("an empty line after the name of the script")) } else { Ok(()) }
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        writer.named_bytes(&self.script, None);
        Ok(())
    }
}

impl Section for Extra {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        let (tag, rest) = line(reader.input);
        let name = reader.string(trimmed(tag)).here(tag)?;
        let Ok(tag) = <[u8; 4]>::try_from(name.as_slice()) else {
            let whole = trimmed(tag);
            let found = whole.get(..24).unwrap_or(whole);
            let more = if found.len() < whole.len() { "…" } else { "" };
            let what = match found {
                [] => "expected a chunk tag of exactly four bytes, such as abcd, found the end of the line"
                    .to_owned(),
                found => {
                    let found = found.escape_ascii();
                    format!(
                        "expected a chunk tag of exactly four bytes, such as abcd, found \"{found}{more}\""
                    )
                }
            };
            return Err(Fail::invalid(skip_blanks(reader.input), what)).field("tag");
        };
        (self.tag, reader.input) = (Tag(tag), rest);
        while reader.row() {
            reader.bytes(&mut self.data).field("data")?;
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        writer.put(" ");
        writer.string(&self.tag.0, Place::Token);
        writer.line();
        if !self.data.is_empty() {
            writer.bytes("", &self.data);
        }
        Ok(())
    }
}

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

impl Writer<'_> {
    /// The name of a file, and its content if it exists.
    fn named_bytes(&mut self, name: &[u8], bytes: Option<&[u8]>) {
        self.string(name, Place::Row);
        self.line();
        if let Some(bytes) = bytes {
            self.bytes("#", bytes);
        }
    }
}
