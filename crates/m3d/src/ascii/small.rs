//! The small sections.
//!
//! | section | rows |
//! |---|---|
//! | `Preview` | the name of a PNG file; ours: rows of `#` and bytes in hexadecimal digits, its content |
//! | `Procedural` | the name of a script |
//! | `Assets` | names of files; extension: after a name rows of `#` and bytes, its content |
//! | `Extra` and the tag of a chunk | bytes in hexadecimal digits |

use super::file::PREVIEW;
use super::name::{Place, trimmed};
use super::reader::Reader;
use super::token::{self, expected, line, row};
use super::writer::Writer;
use crate::consts::Tag;
use crate::list::push;
use crate::model::{Asset, Extra, Procedural};
use crate::wire::fail::{At, Here, Parsed};

impl Reader {
    /// Section `Preview`.
    pub(crate) fn read_preview<'a>(&mut self, mut input: &'a [u8]) -> Parsed<'a, ()> {
        loop {
            input = match row(input) {
                Ok([b'#', bytes @ ..]) => {
                    let preview = self.model.preview.get_or_insert_default();
                    token::bytes(bytes, preview, &mut self.budget)?.0
                }
                Ok(name) => {
                    let (rest, name) = self.rest(name)?;
                    self.layout.preview = name;
                    rest
                }
                Err(rest) => return Ok((rest, ())),
            };
        }
    }

    /// Section `Procedural`.
    pub(crate) fn read_procedural<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, ()> {
        let Ok(start) = row(input) else {
            return Err(expected(token::skip_blanks(input), "the name of a script")).field("script");
        };
        let (rest, script) = self.rest(start).field("script")?;
        push(&mut self.model.procedurals, Procedural { script }, &mut self.budget).here(start)?;
        match row(rest) {
            Ok(more) => Err(expected(more, "an empty line")),
            Err(rest) => Ok((rest, ())),
        }
    }

    /// Section `Assets`.
    pub(crate) fn read_assets<'a>(&mut self, mut input: &'a [u8]) -> Parsed<'a, ()> {
        loop {
            input = match row(input) {
                Ok(start @ [b'#', bytes @ ..]) => match self.model.assets.last_mut() {
                    Some(asset) => token::bytes(bytes, &mut asset.data, &mut self.budget).field("data")?.0,
                    None => return Err(expected(start, "the name of a file")),
                },
                Ok(start) => {
                    let (rest, name) = self.rest(start).field("name")?;
                    push(&mut self.model.assets, Asset { name, data: Vec::new() }, &mut self.budget)
                        .here(start)?;
                    rest
                }
                Err(rest) => return Ok((rest, ())),
            };
        }
    }

    /// Section `Extra`.
    pub(crate) fn read_extra<'a>(&mut self, head: &'a [u8], mut input: &'a [u8]) -> Parsed<'a, ()> {
        let name = self.string(trimmed(line(head).0)).here(head)?;
        let Ok(tag) = <[u8; 4]>::try_from(name.as_slice()) else {
            return Err(expected(token::skip_blanks(head), "a tag of four characters")).field("tag");
        };
        let mut data = Vec::new();
        while let Ok(start) = row(input) {
            input = token::bytes(start, &mut data, &mut self.budget).field("data")?.0;
        }
        push(&mut self.model.extras, Extra { tag: Tag(tag), data }, &mut self.budget).here(head)?;
        Ok((row(input).err().unwrap_or(input), ()))
    }
}

impl Writer<'_> {
    /// Section `Preview`.
    pub(crate) fn write_preview(&mut self, name: &[u8]) {
        self.string(if name.is_empty() { PREVIEW.as_bytes() } else { name }, Place::Row);
        self.line();
        if let Some(preview) = &self.model.preview {
            self.bytes("#", preview);
        }
    }

    /// Section `Procedural`.
    pub(crate) fn write_procedural(&mut self, procedural: &Procedural) {
        self.string(&procedural.script, Place::Row);
        self.line();
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

    /// Section `Extra`.
    pub(crate) fn write_extra(&mut self, extra: &Extra) {
        if !extra.data.is_empty() {
            self.bytes("", &extra.data);
        }
    }
}
