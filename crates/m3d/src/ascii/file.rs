//! The text: a header, sections in any order, `End`.
//!
//! | line | what |
//! |---|---|
//! | `3dmodel scale` | the header begins |
//! | | name |
//! | | license |
//! | | author |
//! | | description, as many lines as it takes |
//! | | an empty line |
//! | keyword | a section begins; it ends with an empty line |
//! | `End` | the text ends; it may also just end |

use super::name::{self, Place};
use super::number;
use super::reader::{Reader, Section};
use super::skins::{SkinPlan, SkinTable};
use super::small::PREVIEW;
use super::token::{is_blank, line, line_end, newline, row, rows, skip_blanks, token};
use super::writer::Writer;
use crate::error::Result;
use crate::limits::Budget;
use crate::list::push;
use crate::model::{Model, SectionKind, TextLayout, TextSection, each_list, ordered};
use crate::options::WriteOptions;
use crate::wire::fail::{At, Here, Parsed, magic};
use bstr::{BString, ByteSlice};

/// The byte order mark that programs on Windows write before a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

pub(crate) fn read(whole: &[u8], budget: Budget) -> Parsed<'_, Model> {
    let mut reader = Reader {
        model: Model::default(),
        layout: TextLayout::default(),
        budget,
        skins: SkinTable::default(),
    };
    let mut input = reader.read_header(whole.strip_prefix(MARK).unwrap_or(whole))?.0;
    let mut counts = [0_usize; SectionKind::ALL.len()];
    loop {
        let start = match row(input) {
            Ok(start) => start,
            Err([]) => {
                reader.layout.no_end = true;
                input = &[];
                break;
            }
            Err(rest) => {
                input = rest;
                continue;
            }
        };
        let (head, keyword) = token(start, "the keyword of a section")?;
        if keyword == b"End" {
            input = line_end(head).field("End")?.0;
            break;
        }
        input = reader.read_section(start, keyword, head, &mut counts)?.0;
    }
    let trailing = reader.budget.copy(input).here(input)?;
    reader.layout.trailing = trailing.into();
    reader.finish_columns(input)?;
    reader.finish_skins(input)?;
    let Reader { mut model, mut layout, .. } = reader;
    // A preview has a name.
    if layout.preview.is_empty() {
        match model.preview {
            Some(_) => layout.preview = PREVIEW.into(),
            None => layout.sections.retain(|section| section.kind != SectionKind::Preview),
        }
    }
    let sections = layout.sections.iter();
    if sections.clone().all(|section| section.comment.is_empty())
        && sections
            .map(|section| section.kind)
            .eq(order(&model, &layout, &[]).into_iter().map(|(kind, ..)| kind))
    {
        layout.sections = Vec::new();
    }
    model.layout.text = Some(layout);
    Ok((&[], model))
}

impl Reader {
    fn read_header<'a>(&mut self, start: &'a [u8]) -> Parsed<'a, ()> {
        let (input, ()) =
            magic(start, b"3dmodel", "not a Model 3D text, which begins with \"3dmodel\"").field("magic")?;
        let mut rest = skip_blanks(input);
        // The scale may be missing: it is not stated then.
        if newline(rest).is_none() {
            (rest, self.model.scale) = number::read_f32(rest, "a scale").field("scale")?;
        }
        self.layout.crlf = skip_blanks(rest).starts_with(b"\r\n");
        let mut input = line_end(rest).field("scale")?.0;
        let mut texts: [BString; 3] = Default::default();
        for to in &mut texts {
            let (text, rest) = line(input);
            *to = self.string(text).here(input)?;
            input = rest;
        }
        [self.model.name, self.model.license, self.model.author] = texts;
        let mut description = Vec::new();
        let mut first = true;
        loop {
            let (text, rest) = line(input);
            if text.iter().all(|&byte| is_blank(byte)) {
                self.model.description = description.into();
                return Ok((rest, ()));
            }
            let newline: &[u8] = if std::mem::take(&mut first) { b"" } else { b"\n" };
            self.budget.extend(&mut description, newline).here(input)?;
            self.budget.extend(&mut description, &name::read(text)).here(input)?;
            input = rest;
        }
    }

    fn read_section<'a>(
        &mut self,
        start: &'a [u8],
        keyword: &'a [u8],
        head: &'a [u8],
        counts: &mut [usize; SectionKind::ALL.len()],
    ) -> Parsed<'a, ()> {
        let known = SectionKind::ALL.into_iter().find(|kind| kind.keyword().as_bytes() == keyword);
        let kind = match keyword {
            b"Voxtypes" => SectionKind::VoxelTypes,
            _ => known.unwrap_or(SectionKind::Unknown),
        };
        let place = counts.get_mut(kind as usize).map_or(0, |count| {
            *count = count.saturating_add(1);
            count.saturating_sub(1)
        });
        if (place == 0 || !kind.is_once()) && kind != SectionKind::Skins {
            let comment = if kind.has_comment() { self.rest(head)?.1 } else { Default::default() };
            push(&mut self.layout.sections, TextSection { kind, comment }, &mut self.budget).here(start)?;
        }
        let input = line(head).1;
        macro_rules! entry {
            ($list:ident) => {{
                let (rest, entry) = Section::read(self, head, input).index(place).field(kind.path())?;
                push(&mut self.model.$list, entry, &mut self.budget).here(input)?;
                return Ok((rest, ()));
            }};
        }
        each_list!(SectionKind, kind, entry, {
            SectionKind::Preview => self.read_preview(input),
            SectionKind::TexCoords => self.read_tex_coords(input),
            SectionKind::Skins => {
                self.layout.extensions = true;
                self.read_skins(input)
            },
            SectionKind::Vertices => self.read_vertices(input),
            SectionKind::Bones => self.read_bones(input),
            SectionKind::VoxelTypes => self.read_voxel_types(input),
            SectionKind::Assets => self.read_assets(input),
            SectionKind::Unknown => self.read_unknown(start).index(place),
        })
        .field(kind.path())
    }

    /// A section that this crate does not know, up to the empty line.
    fn read_unknown<'a>(&mut self, start: &'a [u8]) -> Parsed<'a, ()> {
        let mut after = start;
        let (end, ()) = rows(start, |row| {
            after = line(row).1;
            Ok((after, ()))
        })?;
        let len = start.len().saturating_sub(after.len());
        let mut text = self.budget.copy(start.get(..len).unwrap_or_default()).here(start)?;
        if text.last() != Some(&b'\n') {
            // The text ended within its last line.
            text.extend_from_slice(if self.layout.crlf { b"\r\n" } else { b"\n" });
        }
        push(&mut self.layout.unknown, text.into(), &mut self.budget).here(start)?;
        Ok((end, ()))
    }
}

/// The sections in their order.
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
        &SectionKind::ALL,
        |kind| kind.is_once() && kind != SectionKind::Skins,
        |_| false,
        |kind| {
            each_list!(SectionKind, kind, len, {
                SectionKind::Preview => (model.preview.is_some() || !layout.preview.is_empty()).into(),
                SectionKind::TexCoords => (!model.tex_coords.uvs.is_empty()).into(),
                SectionKind::Vertices => (!model.vertices.is_empty()).into(),
                SectionKind::Bones => (!model.bones.is_empty()).into(),
                SectionKind::VoxelTypes => (!model.voxel_types.is_empty()).into(),
                SectionKind::Assets => (!model.assets.is_empty()).into(),
                // Written where it must be.
                SectionKind::Skins => 0,
                SectionKind::Unknown => layout.unknown.len(),
            })
        },
    )
}

pub(crate) fn write(model: &Model, options: &WriteOptions) -> Result<Vec<u8>> {
    // What the SDK needs to read a text.
    let default = TextLayout { padded_skins: true, padded_actions: true, ..TextLayout::default() };
    let layout = model.layout.text.as_ref().unwrap_or(&default);
    let sections = order(model, layout, &layout.sections);
    let place = |wanted| sections.iter().position(|&(kind, ..)| kind == wanted);
    let voxels_first = place(SectionKind::VoxelTypes) < place(SectionKind::Vertices);
    let extensions = options.extensions || layout.extensions;
    let skins = SkinPlan::new(model, voxels_first, extensions)?;
    let mut writer = Writer { model, layout, skins, out: Vec::new(), extensions };
    writer.write_header();
    let mut skins = writer.skins.listed;
    for (kind, index, place) in sections {
        if matches!(kind, SectionKind::Vertices | SectionKind::VoxelTypes) && std::mem::take(&mut skins) {
            writer.write_skins();
        }
        let known = place.and_then(|place| layout.sections.get(place));
        writer.write_section(kind, index, known.map_or(&[], |known| &known.comment))?;
        writer.line();
    }
    if skins {
        writer.write_skins();
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
        let mut out = std::mem::take(&mut self.out);
        if model.description.is_empty() {
            // The line that is not there, as the SDK writes it.
            out.extend_from_slice(if self.layout.crlf { b"\r\n" } else { b"\n" });
        } else {
            for text in model.description.split_str("\n") {
                name::write(text, if text.is_empty() { Place::Row } else { Place::Line }, &mut out);
                out.extend_from_slice(if self.layout.crlf { b"\r\n" } else { b"\n" });
            }
        }
        self.out = out;
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
            SectionKind::Preview => {
                self.write_preview();
                Ok(())
            },
            SectionKind::TexCoords => self.write_tex_coords(),
            SectionKind::Vertices => self.write_vertices(),
            SectionKind::Bones => self.write_bones(),
            SectionKind::VoxelTypes => self.write_voxel_types(),
            SectionKind::Assets => {
                self.write_assets();
                Ok(())
            },
            SectionKind::Skins => Ok(()),
            SectionKind::Unknown => {
                self.out.extend_from_slice(self.layout.unknown.get(index).map_or(&[], |text| text));
                if self.out.last() != Some(&b'\n') {
                    self.line();
                }
                Ok(())
            },
        })
        .field(kind.path())
    }
}

/// Whether the bytes are a text, from their beginning; a byte order mark may come first.
pub(crate) fn detect(bytes: &[u8]) -> bool {
    bytes.strip_prefix(MARK).unwrap_or(bytes).starts_with(b"3dmodel")
}
