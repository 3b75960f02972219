//! The small sections.
//!
//! | section | rows |
//! |---|---|
//! | `Preview` | the name of a PNG file; ours: rows of `#` and bytes in hexadecimal digits, its content |
//! | `Procedural` | the name of a script |
//! | `Assets` | names of files; extension: after a name rows of `#` and bytes, its content |
//! | `Extra` and the tag of a chunk | bytes in hexadecimal digits |

use super::name::{Place, trimmed};
use super::reader::{Reader, Section};
use super::token::{self, expected, line, row, rows};
use super::writer::Writer;
use crate::consts::Tag;
use crate::error::Result;
use crate::list::push;
use crate::model::{Asset, Extra, Procedural};
use crate::wire::fail::{At, Here, Parsed};

/// How a preview is called that was not in a text.
pub(crate) const PREVIEW: &str = "preview.png";

impl Reader {
    /// Section `Preview`.
    pub(crate) fn read_preview<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, ()> {
        rows(input, |start| match start {
            [b'#', bytes @ ..] => {
                token::bytes(bytes, self.model.preview.get_or_insert_default(), &mut self.budget)
            }
            _ => {
                let (rest, name) = self.rest(start)?;
                self.layout.preview = name;
                Ok((rest, ()))
            }
        })
    }

    /// Section `Assets`.
    pub(crate) fn read_assets<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, ()> {
        rows(input, |start| match (start, self.model.assets.last_mut()) {
            ([b'#', bytes @ ..], Some(asset)) => {
                token::bytes(bytes, &mut asset.data, &mut self.budget).field("data")
            }
            ([b'#', ..], None) => Err(expected(start, "the name of a file")),
            _ => {
                let (rest, name) = self.rest(start).field("name")?;
                push(&mut self.model.assets, Asset { name, data: Vec::new() }, &mut self.budget)
                    .here(start)?;
                Ok((rest, ()))
            }
        })
    }
}

impl Section for Procedural {
    fn read<'a>(reader: &mut Reader, _: &'a [u8], input: &'a [u8]) -> Parsed<'a, Self> {
        let Ok(start) = row(input) else {
            return Err(expected(token::skip_blanks(input), "the name of a script")).field("script");
        };
        let (rest, script) = reader.rest(start).field("script")?;
        match row(rest) {
            Ok(more) => Err(expected(more, "an empty line")),
            Err(rest) => Ok((rest, Self { script })),
        }
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        writer.string(&self.script, Place::Row);
        writer.line();
        Ok(())
    }
}

impl Section for Extra {
    fn read<'a>(reader: &mut Reader, head: &'a [u8], input: &'a [u8]) -> Parsed<'a, Self> {
        let name = reader.string(trimmed(line(head).0)).here(head)?;
        let Ok(tag) = <[u8; 4]>::try_from(name.as_slice()) else {
            return Err(expected(token::skip_blanks(head), "a tag of four characters")).field("tag");
        };
        let mut data = Vec::new();
        let (rest, ()) =
            rows(input, |start| token::bytes(start, &mut data, &mut reader.budget).field("data"))?;
        Ok((rest, Self { tag: Tag(tag), data }))
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

impl Writer<'_> {
    /// Section `Preview`.
    pub(crate) fn write_preview(&mut self) {
        let name: &[u8] = &self.layout.preview;
        self.string(if name.is_empty() { PREVIEW.as_bytes() } else { name }, Place::Row);
        self.line();
        if let Some(preview) = &self.model.preview {
            self.bytes("#", preview);
        }
    }

    /// Section `Assets`.
    pub(crate) fn write_assets(&mut self) {
        for asset in &self.model.assets {
            self.string(&asset.name, Place::Row);
            self.line();
            if !asset.data.is_empty() {
                self.bytes("#", &asset.data);
            }
        }
    }
}
