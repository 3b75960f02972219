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
use super::reader::Reader;
use super::skin::{SkinPlan, SkinTable};
use super::token::{expected, is_blank, line, line_end, newline, row, skip_blanks, token};
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::list::push;
use crate::model::{Model, SectionKind, TextLayout, TextSection};
use crate::options::WriteOptions;
use crate::wire::fail::{At, Here, Parsed, magic};
use bstr::ByteSlice;

/// How a preview is called that was not in a text.
pub(crate) const PREVIEW: &str = "preview.png";

/// The byte order mark that programs on Windows write before a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

pub(crate) fn read(whole: &[u8], budget: Budget) -> Parsed<'_, Model> {
    let mut reader = Reader {
        model: Model::default(),
        layout: TextLayout::default(),
        budget,
        skins: SkinTable::default(),
        quaternions: Vec::new(),
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
    if layout.sections == usual(&model, &layout) {
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
        for to in [0, 1, 2] {
            let (text, rest) = line(input);
            let text = self.string(text).here(input)?;
            match to {
                0 => self.model.name = text,
                1 => self.model.license = text,
                _ => self.model.author = text,
            }
            input = rest;
        }
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
        let Some(count) = counts.get_mut(kind as usize) else { return Err(expected(start, "a section")) };
        let place = *count;
        *count = place.saturating_add(1);
        if (place == 0 || !kind.is_once()) && kind != SectionKind::Skins {
            let comment = if kind.has_comment() { self.rest(head)?.1 } else { Default::default() };
            push(&mut self.layout.sections, TextSection { kind, comment }, &mut self.budget).here(start)?;
        }
        let input = line(head).1;
        let read = match kind {
            SectionKind::Preview => self.read_preview(input),
            SectionKind::TexCoords => self.read_tex_coords(input),
            SectionKind::Skins => {
                self.layout.extensions = true;
                self.read_skins(input)
            }
            SectionKind::Vertices => self.read_vertices(input),
            SectionKind::Bones => self.read_bones(input),
            SectionKind::Material => self.read_material(head, input),
            SectionKind::Procedural => self.read_procedural(input),
            SectionKind::Mesh => self.read_mesh(input),
            SectionKind::VoxelTypes => self.read_voxel_types(input),
            SectionKind::Voxels => self.read_voxels(head, input),
            SectionKind::Shape => self.read_shape(head, input),
            SectionKind::Labels => self.read_labels(head, input),
            SectionKind::Action => self.read_action(head, input),
            SectionKind::Assets => self.read_assets(input),
            SectionKind::Extra => self.read_extra(head, input),
            SectionKind::Unknown => self.read_unknown(start),
        };
        match kind.is_once() {
            true => read.field(kind.path()),
            false => read.index(place).field(kind.path()),
        }
    }

    /// A section that this crate does not know, up to the empty line.
    fn read_unknown<'a>(&mut self, start: &'a [u8]) -> Parsed<'a, ()> {
        let mut input = start;
        let end = loop {
            input = match row(input) {
                Ok(row) => line(row).1,
                Err(rest) => break rest,
            };
        };
        let len = start.len().saturating_sub(input.len());
        let mut text = self.budget.copy(start.get(..len).unwrap_or_default()).here(start)?;
        if text.last() != Some(&b'\n') {
            // The text ended within its last line.
            text.extend_from_slice(if self.layout.crlf { b"\r\n" } else { b"\n" });
        }
        push(&mut self.layout.unknown, text.into(), &mut self.budget).here(start)?;
        Ok((end, ()))
    }
}

/// How many sections of a kind a model has.
fn count(model: &Model, layout: &TextLayout, kind: SectionKind) -> usize {
    match kind {
        SectionKind::Preview => (model.preview.is_some() || !layout.preview.is_empty()).into(),
        SectionKind::TexCoords => (!model.tex_coords.uvs.is_empty()).into(),
        SectionKind::Vertices => (!model.vertices.is_empty()).into(),
        SectionKind::Bones => (!model.bones.is_empty()).into(),
        SectionKind::VoxelTypes => (!model.voxel_types.is_empty()).into(),
        SectionKind::Assets => (!model.assets.is_empty()).into(),
        // Written where it must be.
        SectionKind::Skins => 0,
        SectionKind::Material => model.materials.len(),
        SectionKind::Procedural => model.procedurals.len(),
        SectionKind::Mesh => model.meshes.len(),
        SectionKind::Voxels => model.voxel_blocks.len(),
        SectionKind::Shape => model.shapes.len(),
        SectionKind::Labels => model.labels.len(),
        SectionKind::Action => model.actions.len(),
        SectionKind::Extra => model.extras.len(),
        SectionKind::Unknown => layout.unknown.len(),
    }
}

/// The usual order of a model's sections.
fn usual(model: &Model, layout: &TextLayout) -> Vec<TextSection> {
    let mut sections = Vec::new();
    for kind in SectionKind::ALL {
        let one = TextSection { kind, comment: Default::default() };
        sections.extend(std::iter::repeat_n(one, count(model, layout, kind)));
    }
    sections
}

/// The sections as the layout orders them, and those that it does not know of at the end.
fn ordered(model: &Model, layout: &TextLayout) -> Vec<(TextSection, usize)> {
    let mut written = [0_usize; SectionKind::ALL.len()];
    let mut sections = Vec::new();
    for section in layout.sections.iter().cloned().chain(usual(model, layout)) {
        let Some(place) = written.get_mut(section.kind as usize) else { continue };
        let there = count(model, layout, section.kind);
        // One that was empty stays.
        let most = if section.kind.is_once() && sections.len() < layout.sections.len() { 1 } else { there };
        if *place < most && section.kind != SectionKind::Skins {
            sections.push((section, *place));
            *place = place.saturating_add(1);
        }
    }
    sections
}

pub(crate) fn write(model: &Model, options: &WriteOptions) -> Result<Vec<u8>> {
    // What the SDK needs to read a text.
    let default = TextLayout { padded_skins: true, padded_actions: true, ..TextLayout::default() };
    let layout = model.layout.text.as_ref().unwrap_or(&default);
    let sections = ordered(model, layout);
    let place = |kind| sections.iter().position(|(section, _)| section.kind == kind);
    let voxels_first = place(SectionKind::VoxelTypes) < place(SectionKind::Vertices);
    let extensions = options.extensions || layout.extensions;
    let skins = SkinPlan::new(model, voxels_first, extensions)?;
    let mut writer = Writer { model, layout, skins, out: Vec::new(), extensions };
    writer.write_header();
    let mut skins = writer.skins.listed;
    for (TextSection { kind, comment }, place) in &sections {
        if matches!(kind, SectionKind::Vertices | SectionKind::VoxelTypes) && std::mem::take(&mut skins) {
            writer.write_skin_section()?;
        }
        if *kind == SectionKind::Unknown {
            writer.out.extend_from_slice(
                layout.unknown.get(*place).map(|text| text.as_slice()).unwrap_or_default(),
            );
            if writer.out.last() != Some(&b'\n') {
                writer.line();
            }
        } else {
            writer.write_section(*kind, *place, comment, layout)?;
        }
        writer.line();
    }
    if skins {
        writer.write_skin_section()?;
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

    fn write_skin_section(&mut self) -> Result<()> {
        self.head(SectionKind::Skins.keyword(), b"")?;
        self.write_skins();
        self.line();
        Ok(())
    }

    fn write_section(
        &mut self,
        kind: SectionKind,
        place: usize,
        comment: &[u8],
        layout: &TextLayout,
    ) -> Result<()> {
        let model = self.model;
        let gone = || Error::unwritable(kind.path(), "a section of an entry that does not exist");
        macro_rules! nth {
            ($list:ident) => {
                model.$list.get(place).ok_or_else(gone)?
            };
        }
        let word = kind.keyword();
        match kind {
            SectionKind::Preview => {
                self.head(word, comment)?;
                self.write_preview(&layout.preview);
            }
            SectionKind::TexCoords => {
                self.head(word, comment)?;
                self.write_tex_coords();
            }
            SectionKind::Vertices => {
                self.head(word, comment)?;
                self.write_vertices()?;
            }
            SectionKind::Bones => {
                self.head(word, comment)?;
                self.write_bones()?;
            }
            SectionKind::VoxelTypes => {
                self.head(word, comment)?;
                self.write_voxel_types()?;
            }
            SectionKind::Assets => {
                self.head(word, comment)?;
                self.write_assets();
            }
            SectionKind::Procedural => {
                self.head(word, comment)?;
                self.write_procedural(nth!(procedurals));
            }
            SectionKind::Mesh => {
                self.head(word, comment)?;
                self.write_mesh(nth!(meshes), place)?;
            }
            SectionKind::Material => {
                let material = nth!(materials);
                self.head(word, &material.name)?;
                self.write_material(material, place)?;
            }
            SectionKind::Voxels => {
                let block = nth!(voxel_blocks);
                self.head(word, &block.name)?;
                self.write_voxels(block, place)?;
            }
            SectionKind::Shape => {
                let shape = nth!(shapes);
                self.head(word, &shape.name)?;
                self.write_shape(shape, place)?;
            }
            SectionKind::Labels => {
                let group = nth!(labels);
                self.head(word, &group.name)?;
                self.write_labels(group);
            }
            SectionKind::Action => {
                let action = nth!(actions);
                self.put(word);
                self.put(" ");
                self.unsigned(action.duration);
                self.rest(&action.name);
                self.line();
                self.write_action(action);
            }
            SectionKind::Extra => {
                let extra = nth!(extras);
                self.put(word);
                self.put(" ");
                self.string(&extra.tag.0, Place::Token);
                self.line();
                self.write_extra(extra);
            }
            SectionKind::Skins | SectionKind::Unknown => {}
        }
        Ok(())
    }
}

/// Whether the bytes are a text, from their beginning; a byte order mark may come first.
pub(crate) fn detect(bytes: &[u8]) -> bool {
    bytes.strip_prefix(MARK).unwrap_or(bytes).starts_with(b"3dmodel")
}
