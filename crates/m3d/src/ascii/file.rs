//! The text: a header, sections in any order, and `End`.
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
//! | `End` | the text ends; this line may be missing |

use super::keep::{Keep, Text};
use super::name::{self, Place};
use super::reader::{Read, Reader, Section, SkinTable, fill};
use super::token::{is_blank, line, newline, skip_blanks};
use super::writer::Writer;
use crate::model::{Model, SectionKind, TextLayout, TextSlot, each_list, ordered};
use bstr::ByteSlice;
use geom::wire::{At, Budget, Error, ErrorKind, Here, Limit, Parsed, Result, magic};

/// The byte order mark that programs on Windows write before a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

pub(crate) fn read<'a>(whole: &'a [u8], budget: &mut Budget) -> Parsed<'a, Model> {
    let mut reader = Reader {
        input: whole.strip_prefix(MARK).unwrap_or(whole),
        layout: TextLayout::default(),
        budget: budget.clone(),
        skins: SkinTable::default(),
        seen: [false; SectionKind::ALL.len()],
    };
    let mut model = Model::default();
    reader.read_header(&mut model)?;
    loop {
        let start = whole.len().saturating_sub(reader.input.len());
        if !reader.row() {
            if reader.input.is_empty() {
                reader.end_section(whole.len());
                break;
            }
            continue;
        }
        reader.end_section(start);
        if reader.word(b"End") {
            reader.line_end().field("End")?;
            break;
        }
        reader.read_section(start, &mut model)?;
    }
    let input = reader.input;
    let vertices = &mut model.vertices;
    if !vertices.colors.is_empty() {
        fill(&mut vertices.colors, vertices.coords.len(), &mut reader.budget).here(input)?;
    }
    reader.finish_skins(&mut model)?;
    model.layout.text = Some(reader.layout);
    *budget = reader.budget;
    Ok((&[], model))
}

impl<'a> Reader<'a> {
    fn read_header(&mut self, model: &mut Model) -> Read<'a, ()> {
        const EXPECTED: &str = "not a Model 3D text file: expected \"3dmodel\" at the start";
        self.parse(|input| magic(input, b"3dmodel", EXPECTED)).field("magic")?;
        self.input = skip_blanks(self.input);
        // The scale may be missing.
        if newline(self.input).is_none() {
            model.scale = self.number("the scale (a number)").field("scale")?.float;
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

    /// Records the end of the header or of the last section.
    fn end_section(&mut self, offset: usize) {
        let layout = &mut self.layout;
        let end = layout.sections.last_mut().map_or(&mut layout.header, |last| &mut last.end);
        if *end == 0 {
            *end = offset;
        }
        layout.end = offset;
    }

    fn read_section(&mut self, start: usize, model: &mut Model) -> Read<'a, ()> {
        let kind = kind_of(self.token("a section keyword such as `Vertex` or `Mesh`")?);
        let again = self.seen.get_mut(kind as usize).is_some_and(|seen| std::mem::replace(seen, true));
        if kind.has_comment() {
            self.input = line(self.input).1;
        }
        let slot = TextSlot { kind, start, end: 0, again: again && kind.is_once() };
        self.budget.push(&mut self.layout.sections, slot).here(self.input)?;
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
            SectionKind::Unknown => {
                self.input = line(self.input).1;
                while self.row() {
                    self.input = line(self.input).1;
                }
                Ok(())
            },
        })
        .field(kind.path())
    }
}

fn order(model: &Model, sections: &[TextSlot]) -> Vec<(SectionKind, usize, Option<usize>)> {
    macro_rules! len {
        ($list:ident) => {
            model.$list.len()
        };
    }
    ordered(
        sections.iter().map(|section| if section.again { SectionKind::Unknown } else { section.kind }),
        SectionKind::ALL,
        SectionKind::is_once,
        |_| false,
        |kind| {
            each_list!(SectionKind, kind, len, {
                SectionKind::Preview => model.preview.is_some().into(),
                SectionKind::TexCoords => (!model.tex_coords.uvs.is_empty()).into(),
                SectionKind::Vertices => (!model.vertices.is_empty()).into(),
                SectionKind::Bones => (!model.bones.is_empty()).into(),
                SectionKind::VoxelTypes => (!model.voxel_types.is_empty()).into(),
                SectionKind::Assets => (!model.assets.is_empty()).into(),
                SectionKind::Unknown => sections.iter().filter(|section| section.kind == kind || section.again).count(),
            })
        },
    )
}

/// Writes a text. If `utf8` is set, no original row is kept, so that the text is UTF-8 unless unknown sections are not.
/// The original text, and a text that was written, may take `max_bytes` together when they are read again.
pub(crate) fn write(model: &Model, utf8: bool, max_bytes: u64) -> Result<Vec<u8>> {
    Writer::check_skins(model)?;
    let budget = &mut Budget::named("WriteOptions::max_bytes", max_bytes);
    let mut read = |text: &[u8]| match super::read(text, budget) {
        Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => Err(error),
        read => Ok(read.ok()),
    };
    let old = model.layout.text.as_ref().map(|_| read(&model.layout.source)).transpose()?.flatten();
    let Some(old) = old else { return write_along(model, None, Keep::Unknown, max_bytes) };
    if utf8 {
        return write_along(model, Some(&old), Keep::Unknown, max_bytes);
    }
    if old == *model {
        return Ok(model.layout.source.to_vec());
    }
    for keep in [Keep::Lines, Keep::Sections] {
        let text = write_along(model, Some(&old), keep, max_bytes)?;
        // A kept row may mean something else among other rows: keep less then.
        if read(&text)?.is_some_and(|again| again == *model) {
            return Ok(text);
        }
    }
    write_along(model, Some(&old), Keep::Unknown, max_bytes)
}

/// Writes a model and copies unchanged parts of the original text, whose model is `old`. The text and a section of it
/// may take `max_bytes` while they grow.
fn write_along(model: &Model, old: Option<&Model>, keep: Keep, max_bytes: u64) -> Result<Vec<u8>> {
    let crlf = model.layout.text.as_ref().is_some_and(|text| text.crlf);
    let new = TextLayout::default();
    let layout = old.and_then(|old| old.layout.text.as_ref()).unwrap_or(&new);
    let source = old.map_or(&[][..], |_| &model.layout.source);
    let raw = |start, end| source.get(start..end).unwrap_or_default();
    let mut text = Text { out: Vec::new(), keep, newline: if crlf { b"\r\n" } else { b"\n" } };
    let mut was = Writer::new(old.unwrap_or(model), crlf);
    let mut now = Writer::new(model, crlf);
    let mut add = |raw: &[u8], write: &dyn Fn(&mut Writer<'_>) -> Result<()>| -> Result<bool> {
        was.out.clear();
        now.out.clear();
        write(&mut now)?;
        if !raw.is_empty() {
            write(&mut was)?;
        }
        // Growing texts need twice their size.
        let needed = text.out.len().saturating_add(now.out.len()).saturating_mul(2);
        if needed as u64 > max_bytes {
            let limit = Limit::new("WriteOptions::max_bytes", max_bytes);
            return Err(Error::new(ErrorKind::Limit(limit), ""));
        }
        Ok(text.section(raw, &was.out, &now.out))
    };
    let mut changed = Vec::new();
    add(raw(0, layout.header), &|writer| {
        writer.write_header();
        Ok(())
    })?;
    for (kind, index, slot) in order(model, &layout.sections) {
        let slot = slot.and_then(|slot| layout.sections.get(slot));
        let raw = slot.map_or(&[][..], |slot| raw(slot.start, slot.end));
        let joined = slot.is_some_and(|slot| slot.again && changed.contains(&slot.kind));
        // If the meshes are equal, their texts are, too: neither needs to be written.
        let same = old
            .is_some_and(|old| kind == SectionKind::Mesh && old.meshes.get(index) == model.meshes.get(index));
        let write: &dyn Fn(&mut Writer<'_>) -> Result<()> = match same && !raw.is_empty() {
            true => &|_| Ok(()),
            false => &|writer| writer.write_section(kind, index),
        };
        if !joined && !add(raw, write)? {
            changed.push(kind);
        }
    }
    match old {
        Some(_) => _ = text.section(raw(layout.end, source.len()), b"", b""),
        None => {
            text.section(b"End", b"", b"");
            text.end_line();
        }
    }
    Ok(text.out)
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
            // An empty line ends the description, so an empty line in it is escaped. If there is no description, an
            // empty line is written in its place, as the SDK does.
            let marked = text.is_empty() && !model.description.is_empty();
            self.string(text, if marked { Place::Row } else { Place::Line });
            self.line();
        }
        self.line();
    }

    fn write_section(&mut self, kind: SectionKind, index: usize) -> Result<()> {
        let model = self.model;
        self.put(kind.keyword());
        if kind.has_comment() {
            self.line();
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
            SectionKind::Unknown => Ok(()),
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

/// Whether the bytes begin like a text model; a byte order mark may come first.
pub(crate) fn detect(bytes: &[u8]) -> bool {
    bytes.strip_prefix(MARK).unwrap_or(bytes).starts_with(b"3dmodel")
}
