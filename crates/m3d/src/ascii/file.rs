//! The text: a header, sections in any order, `End`.
//!
//! | line | what |
//! |---|---|
//! | `3dmodel scale` | the header begins |
//! | | name |
//! | | license |
//! | | author |
//! | | description, any number of lines |
//! | | an empty line |
//! | keyword | a section begins; it ends with an empty line |
//! | `End` | the text ends; it may also just end |

use super::name::{self, Place};
use super::reader::{Read, Reader, Section, SkinTable};
use super::small::PREVIEW;
use super::token::{is_blank, line, newline, row, skip_blanks, token};
use super::writer::Writer;
use crate::list::fill;
use crate::model::{Model, SectionKind, TextLayout, TextSection, each_list, ordered};
use bstr::{BString, ByteSlice};
use geom::wire::{At, Budget, Error, Here, Parsed, Result, magic, taken};

/// The byte order mark that programs on Windows write before a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

pub(crate) fn read(whole: &[u8], budget: Budget) -> Parsed<'_, Model> {
    let mut reader = Reader {
        input: whole.strip_prefix(MARK).unwrap_or(whole),
        layout: TextLayout::default(),
        budget,
        skins: SkinTable::default(),
        seen: [false; SectionKind::ALL.len()],
    };
    let mut model = Model::default();
    reader.read_header(&mut model)?;
    loop {
        if !reader.row() {
            if reader.input.is_empty() {
                reader.layout.no_end = true;
                break;
            }
        } else if reader.word(b"End") {
            reader.line_end().field("End")?;
            break;
        } else {
            reader.read_section(&mut model)?;
        }
    }
    let input = reader.input;
    reader.layout.trailing = reader.budget.copy(input).here(input)?.into();
    let vertices = &mut model.vertices;
    if !vertices.colors.is_empty() {
        fill(&mut vertices.colors, vertices.coords.len(), &mut reader.budget).here(input)?;
    }
    reader.finish_skins(&mut model)?;
    let Reader { mut layout, .. } = reader;
    // A preview has a name.
    if layout.preview.is_empty() {
        match model.preview {
            Some(_) => layout.preview = PREVIEW.into(),
            None => layout.sections.retain(|section| section.kind != SectionKind::Preview),
        }
    }
    let sections = layout.sections.iter();
    let usual = order(&model, &layout, &[]);
    if sections.clone().all(|section| section.comment.is_empty())
        && sections.map(|section| section.kind).eq(usual.into_iter().map(|(kind, ..)| kind))
    {
        layout.sections = Vec::new();
    }
    model.layout.text = Some(layout);
    Ok((&[], model))
}

impl<'a> Reader<'a> {
    fn read_header(&mut self, model: &mut Model) -> Read<'a, ()> {
        const EXPECTED: &str = "not a Model 3D text, which begins with \"3dmodel\"";
        self.parse(|input| magic(input, b"3dmodel", EXPECTED)).field("magic")?;
        self.input = skip_blanks(self.input);
        // The scale may be missing: it is not stated then.
        if newline(self.input).is_none() {
            model.scale = self.number("a scale").field("scale")?.float;
        }
        self.layout.crlf = skip_blanks(self.input).starts_with(b"\r\n");
        self.line_end().field("scale")?;
        for to in [&mut model.name, &mut model.license, &mut model.author] {
            let (text, rest) = line(self.input);
            *to = self.string(text).here(text)?;
            self.input = rest;
        }
        let mut description = Vec::new();
        let mut newline: &[u8] = b"";
        loop {
            let (text, rest) = line(self.input);
            self.input = rest;
            if text.iter().all(|&byte| is_blank(byte)) {
                model.description = description.into();
                return Ok(());
            }
            self.budget.extend(&mut description, newline).here(text)?;
            self.budget.extend(&mut description, &name::read(text)).here(text)?;
            newline = b"\n";
        }
    }

    fn read_section(&mut self, model: &mut Model) -> Read<'a, ()> {
        let start = self.input;
        let keyword = self.token("the keyword of a section")?;
        let kind = kind_of(keyword);
        let again = self.seen.get_mut(kind as usize).is_some_and(|seen| std::mem::replace(seen, true));
        let comment = if kind.has_comment() { self.rest()? } else { BString::default() };
        if !(again && kind.is_once()) {
            self.budget.push(&mut self.layout.sections, TextSection { kind, comment }).here(start)?;
        }
        macro_rules! entry {
            ($list:ident) => {
                self.entry(&mut model.$list, |reader| {
                    let mut entry = Default::default();
                    Section::read(&mut entry, reader).map(|()| entry)
                })
            };
        }
        each_list!(SectionKind, kind, entry, {
            SectionKind::Preview => model.preview.read(self),
            SectionKind::TexCoords => model.tex_coords.read(self),
            SectionKind::Vertices => model.vertices.read(self),
            SectionKind::Bones => model.bones.read(self),
            SectionKind::VoxelTypes => model.voxel_types.read(self),
            SectionKind::Assets => model.assets.read(self),
            SectionKind::Unknown => self.read_unknown(start).index(self.layout.unknown.len()),
        })
        .field(kind.path())
    }

    /// A section that this crate does not know, up to the empty line.
    fn read_unknown(&mut self, start: &'a [u8]) -> Read<'a, ()> {
        let after = after_rows(start);
        self.input = after;
        self.row();
        let mut text = self.budget.copy(taken(start, after)).here(start)?;
        if text.last() != Some(&b'\n') {
            // The text ended within its last line.
            text.extend_from_slice(if self.layout.crlf { b"\r\n" } else { b"\n" });
        }
        self.budget.push(&mut self.layout.unknown, text.into()).here(start)
    }
}

fn order(
    model: &Model,
    layout: &TextLayout,
    known: &[TextSection],
) -> Vec<(SectionKind, usize, Option<usize>)> {
    macro_rules! len {
        ($list:ident) => {
            model.$list.len()
        };
    }
    ordered(
        known.iter().map(|section| section.kind),
        SectionKind::ALL,
        SectionKind::is_once,
        |_| false,
        |kind| {
            each_list!(SectionKind, kind, len, {
                SectionKind::Preview => (model.preview.is_some() || !layout.preview.is_empty()).into(),
                SectionKind::TexCoords => (!model.tex_coords.uvs.is_empty()).into(),
                SectionKind::Vertices => (!model.vertices.is_empty()).into(),
                SectionKind::Bones => (!model.bones.is_empty()).into(),
                SectionKind::VoxelTypes => (!model.voxel_types.is_empty()).into(),
                SectionKind::Assets => (!model.assets.is_empty()).into(),
                SectionKind::Unknown => layout.unknown.len(),
            })
        },
    )
}

pub(crate) fn write(model: &Model) -> Result<Vec<u8>> {
    // What the SDK needs to read a text.
    let default = TextLayout { padded_skins: true, padded_actions: true, ..TextLayout::default() };
    let layout = model.layout.text.as_ref().unwrap_or(&default);
    let sections = order(model, layout, &layout.sections);
    Writer::check_skins(model)?;
    let mut writer = Writer { model, layout, orientations: Writer::orientations(model), out: Vec::new() };
    writer.write_header();
    for (kind, index, place) in sections {
        let known = place.and_then(|place| layout.sections.get(place));
        writer.write_section(kind, index, known.map_or(&[], |known| &known.comment))?;
        writer.line();
    }
    if !layout.no_end {
        writer.put("End");
        writer.line();
        writer.out.extend_from_slice(&layout.trailing);
    }
    Ok(writer.out)
}

impl Writer<'_> {
    fn write_header(&mut self) {
        let model = self.model;
        self.put("3dmodel ");
        self.f32(model.scale);
        self.line();
        for text in [&model.name, &model.license, &model.author] {
            self.string(text, Place::Line);
            self.line();
        }
        for text in model.description.split_str("\n") {
            // An empty line ends the description. Without a description the line is written too, as by
            // the SDK.
            let marked = text.is_empty() && !model.description.is_empty();
            self.string(text, if marked { Place::Row } else { Place::Line });
            self.line();
        }
        self.line();
    }

    fn write_section(&mut self, kind: SectionKind, index: usize, comment: &[u8]) -> Result<()> {
        let model = self.model;
        self.put(kind.keyword());
        if kind.has_comment() {
            self.head(comment);
        }
        macro_rules! entry {
            ($list:ident) => {
                model.$list.get(index).map_or(Ok(()), |entry| entry.write(self)).index(index)
            };
        }
        each_list!(SectionKind, kind, entry, {
            SectionKind::Preview => model.preview.write(self),
            SectionKind::TexCoords => model.tex_coords.write(self),
            SectionKind::Vertices => model.vertices.write(self),
            SectionKind::Bones => model.bones.write(self),
            SectionKind::VoxelTypes => model.voxel_types.write(self),
            SectionKind::Assets => model.assets.write(self),
            SectionKind::Unknown => {
                let text = self.layout.unknown.get(index).filter(|text| is_unknown(text));
                let refused = || Error::unwritable("", "a text that would not be read as one section");
                self.out.extend_from_slice(text.ok_or_else(refused)?);
                if self.out.last() != Some(&b'\n') {
                    self.line();
                }
                Ok(())
            },
        })
        .field(kind.path())
    }
}

fn kind_of(keyword: &[u8]) -> SectionKind {
    let known = SectionKind::ALL.iter().copied().find(|kind| kind.keyword().as_bytes() == keyword);
    match keyword {
        b"Voxtypes" => SectionKind::VoxelTypes,
        _ => known.unwrap_or(SectionKind::Unknown),
    }
}

/// What comes after the rows of a section: the empty line that ends it, or the end of the text.
fn after_rows(mut input: &[u8]) -> &[u8] {
    while row(input).is_ok() {
        input = line(input).1;
    }
    input
}

/// Whether a text is read as one section, of a kind that is not known.
fn is_unknown(text: &[u8]) -> bool {
    let begins = |keyword| keyword != b"End" && kind_of(keyword) == SectionKind::Unknown;
    after_rows(text).is_empty() && token(text, "").is_ok_and(|(_, keyword)| begins(keyword))
}

/// Whether the bytes are a text, from their beginning; a byte order mark may come first.
pub(crate) fn detect(bytes: &[u8]) -> bool {
    bytes.strip_prefix(MARK).unwrap_or(bytes).starts_with(b"3dmodel")
}
