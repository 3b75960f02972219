//! Writes a document: untouched parts as they were stored, the others encoded.

use crate::consts::{ChunkName, Compression, END_MAGIC, TypeId};
use crate::model::{
    Class, Column, Document, Frame, Header, Parents, Part, Property, SharedString, UnknownChunk,
};
use crate::options::WriteOptions;
use crate::wire::codec::Deflater;
use crate::wire::frame::Chunk;
use crate::wire::header::LEN as HEADER;
use crate::wire::{column, inst, meta, prnt, prop, sstr, string};
use geom::wire::{At as _, Error, ErrorKind, Limit, Problem, Refuse as _, Result};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io::Write;

impl WriteOptions {
    /// Returns the document as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, if a column does not have one value per instance, if a count is too large for its
    /// field, if two classes have the same id, if the version in the header is not 0, and if the document was read with
    /// a filter and [`WriteOptions::allow_loss`] is off.
    pub fn write(&self, document: &Document) -> Result<Vec<u8>> {
        let frames = &document.frames;
        if frames.partial && !self.allow_loss {
            let what = "a document that was read without some properties, because of ReadOptions::filter (to write \
                        it without them, set WriteOptions::allow_loss)";
            return Err(Error::unwritable("", what));
        }
        let mut out = Vec::new();
        if let Some(stored) = frames.all().filter(|_| self.compression.is_none()) {
            out.reserve_exact(stored.len() + HEADER);
            document.header.write((document.classes.len(), document.len()), &mut out)?;
            out.extend_from_slice(stored);
            return Ok(out);
        }
        let parts = document.parts_in_order()?;
        let classes = parts.iter().filter(|(_, part)| matches!(part, Part::Class(_))).count();
        out.reserve(frames.chunks.last().map_or(0, |frame| frame.end));
        document.header.write((classes, document.len()), &mut out)?;
        refuse_captured(document)?;
        let writer = Writer::new(document);
        let mut deflater = Deflater::with_level(self.level);
        let mut compressions = None;
        let mut data = Vec::new();
        for (place, part) in parts {
            // The END is never compressed.
            let asked = self.compression.filter(|_| part != Part::End);
            if asked.is_none()
                && let Some(stored) = frames.stored(place)
                && !writer.is_changed(part)
            {
                out.extend_from_slice(stored);
                continue;
            }
            data.clear();
            let path = || writer.describe(part);
            let name = writer.fill(part, &mut data).map_err(|error| error.within(&path()))?;
            // The content, and at most as much compressed.
            let needed = out.len().saturating_add(data.len().saturating_mul(2)) as u64;
            if let Some(max_bytes) = self.max_bytes.filter(|&max_bytes| needed > max_bytes) {
                return Err(Error::new(ErrorKind::Limit(Limit::new("max_bytes", max_bytes)), path()));
            }
            let len = Problem::fit("bytes", data.len(), u32::MAX).unwritable("").named(path)?;
            let frame = frames.frame(place);
            let similar = |frame: &&Frame| frame.len.abs_diff(len) <= frame.len;
            let compression = match (part, asked, frame.filter(similar)) {
                (Part::End, ..) => frame.map_or(Compression::None, |frame| frame.compression),
                (_, Some(asked), _) => asked,
                (_, None, Some(frame)) => frame.compression,
                _ => compressions.get_or_insert_with(|| Compressions::new(document)).nearest(name, len),
            };
            let reserved = frame.map_or(0, |frame| frame.reserved);
            let payload = deflater.deflate(&data, compression);
            let mut frame = Chunk { name, compression, range: 0..0, len, reserved, payload };
            // In a new or recompressed document, a chunk that compression does not shorten is stored uncompressed.
            if (frames.is_new() || asked.is_some()) && frame.payload.len() >= data.len() {
                (frame.compression, frame.payload) = (Compression::None, &data);
            }
            frame.write(&path, &mut out)?;
        }
        out.extend_from_slice(&frames.trailing);
        Ok(out)
    }
}

/// The compression of each chunk of the file, by its name and the length of its content.
struct Compressions(BTreeMap<(ChunkName, u32), Compression>);

impl Compressions {
    fn new(document: &Document) -> Self {
        let frames = document.frames.chunks.iter().filter(|frame| frame.name != ChunkName::END);
        Self(frames.map(|frame| ((frame.name, frame.len), frame.compression)).collect())
    }

    /// The compression of the chunk with this name whose length is nearest. Without a chunk of this name: that of
    /// any compressed chunk, or no compression; LZ4 in a new document.
    fn nearest(&self, name: ChunkName, len: u32) -> Compression {
        let below = self.0.range((name, 0)..=(name, len)).next_back();
        let above = self.0.range((name, len)..=(name, u32::MAX)).next();
        let distance = |&(&(_, other), _): &(&(ChunkName, u32), &Compression)| other.abs_diff(len);
        let nearest = below.into_iter().chain(above).min_by_key(distance);
        let any = || self.0.values().find(|compression| **compression != Compression::None);
        match nearest {
            Some((_, compression)) => *compression,
            None if self.0.is_empty() => Compression::Lz4,
            None => any().copied().unwrap_or(Compression::None),
        }
    }
}

struct Writer<'a> {
    document: &'a Document,
    /// For each shared string, whether an edit removed its last user.
    unused: Vec<bool>,
}

impl<'a> Writer<'a> {
    fn new(document: &'a Document) -> Self {
        Self { document, unused: document.unused_strings() }
    }

    fn class(&self, index: u32) -> Option<&'a Class> {
        self.document.classes.get(index as usize)
    }

    fn property(&self, class: u32, index: u32) -> Option<(&'a Class, &'a Property)> {
        let class = self.class(class)?;
        Some((class, class.properties.get(index as usize)?))
    }

    fn unknown(&self, index: u32) -> Option<&'a UnknownChunk> {
        self.document.frames.unknown.get(index as usize).map(|(chunk, _)| chunk)
    }

    /// Whether an untouched part must be rewritten, because it refers to removed instances or has shared strings that
    /// only they used.
    fn is_changed(&self, part: Part) -> bool {
        match part {
            Part::SharedStrings => self.unused.contains(&true),
            Part::Column(class, column) => self
                .property(class, column)
                .is_some_and(|(_, property)| self.document.without_removed(property).is_some()),
            _ => false,
        }
    }

    /// The path of a part, for errors.
    fn describe(&self, part: Part) -> String {
        match part {
            Part::Metadata => "metadata".into(),
            Part::SharedStrings => "shared_strings".into(),
            Part::Signatures => "signatures".into(),
            Part::Class(index) => self.class(index).map_or_else(String::new, |class| class.name.to_string()),
            Part::Column(class, column) => self
                .property(class, column)
                .map_or_else(String::new, |(class, property)| format!("{}.{}", class.name, property.name)),
            Part::Parents => "parents".into(),
            Part::Unknown(index) => {
                self.unknown(index).map_or_else(String::new, |chunk| chunk.name.to_string())
            }
            Part::End => "end".into(),
        }
    }

    /// Appends the content of a chunk to `out`; returns the name of the chunk.
    fn fill(&self, part: Part, out: &mut Vec<u8>) -> Result<ChunkName> {
        let (document, frames) = (self.document, &self.document.frames);
        let gone = || Error::unwritable("", "a chunk whose class or property does not exist");
        Ok(match part {
            Part::Metadata => {
                meta::write(&document.metadata, out)?;
                out.extend_from_slice(&frames.metadata_extra);
                ChunkName::META
            }
            Part::SharedStrings => {
                let strings = document.written_strings(&self.unused);
                sstr::write(frames.shared_strings_version, strings, out)?;
                out.extend_from_slice(&frames.shared_strings_extra);
                ChunkName::SSTR
            }
            Part::Signatures => {
                out.extend_from_slice(document.signatures.as_deref().unwrap_or_default());
                ChunkName::SIGN
            }
            Part::Class(index) => {
                inst::write(self.class(index).ok_or_else(gone)?, out)?;
                ChunkName::INST
            }
            Part::Column(class, column) => {
                let (class, property) = self.property(class, column).ok_or_else(gone)?;
                if let Column::SharedString(values) = &property.column
                    && let Some((row, value)) =
                        (0..).zip(values).find(|(_, value)| value.0 as usize >= self.unused.len())
                {
                    let what = Problem::reference("shared string", value.0, self.unused.len());
                    return Err(what).unwritable(format!("[{row}]"));
                }
                prop::write(class.id, &property.name, out)?;
                let column = document.without_removed(property);
                column::write(column.as_ref().unwrap_or(&property.column), class.referents.len(), out)?;
                ChunkName::PROP
            }
            Part::Parents => {
                prnt::write(&document.parents(), out)?;
                out.extend_from_slice(&frames.parents_extra);
                ChunkName::PRNT
            }
            Part::Unknown(index) => {
                let unknown = self.unknown(index).ok_or_else(gone)?;
                out.extend_from_slice(&unknown.bytes);
                unknown.name
            }
            Part::End => {
                out.extend_from_slice(frames.end_content.as_deref().unwrap_or(END_MAGIC));
                ChunkName::END
            }
        })
    }
}

/// Fails if, after a change through `columns_mut`, a class has the id of a kept PROP chunk whose class was unknown: the
/// chunk would be read back as a column of this class.
fn refuse_captured(document: &Document) -> Result<()> {
    let frames = &document.frames;
    let columns = frames.unknown.iter().filter(|(chunk, _)| chunk.name == ChunkName::PROP);
    let ids = columns.filter_map(|(chunk, _)| prop::read(&chunk.bytes).ok().map(|(_, (id, _))| id));
    let ids: HashSet<u32> = ids.collect();
    match document.classes.iter().find(|class| ids.contains(&class.id)) {
        Some(class) if frames.classes.is_empty() => {
            let what = format!(
                "a PROP chunk that belonged to no class: its class id, {}, is now that of the class {} (give {} \
                 another id)",
                class.id, class.name, class.name
            );
            Err(Error::unwritable(class.name.to_string(), what))
        }
        _ => Ok(()),
    }
}

/// Writes a file chunk by chunk, for a program that has a model of its own: only one column is in memory at a time. The
/// caller writes the chunks in their order, and each class before its columns.
#[doc(hidden)]
pub struct ChunkWriter<W> {
    out: W,
    compression: Compression,
    deflater: Deflater,
    content: Vec<u8>,
    frame: Vec<u8>,
}

impl<W> fmt::Debug for ChunkWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkWriter").field("compression", &self.compression).finish_non_exhaustive()
    }
}

impl<W: Write> ChunkWriter<W> {
    /// Writes the header, with the numbers of classes and instances.
    ///
    /// # Errors
    /// If a number does not fit into 31 bits, or if writing fails.
    pub fn new(mut out: W, compression: Compression, counts: (usize, usize)) -> Result<Self> {
        let mut frame = Vec::with_capacity(HEADER);
        Header::default().write(counts, &mut frame)?;
        out.write_all(&frame)?;
        Ok(Self { out, compression, deflater: Deflater::default(), content: Vec::new(), frame })
    }

    /// Writes the chunk SSTR.
    ///
    /// # Errors
    /// If there are more strings or bytes than the fields of a file can count, or if writing fails.
    pub fn shared_strings(&mut self, strings: &[SharedString]) -> Result<()> {
        sstr::write(0, strings.iter().map(Cow::Borrowed), &mut self.content)?;
        self.chunk(ChunkName::SSTR, self.compression, &|| "shared_strings".into())
    }

    /// Writes the chunk INST of a class.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn class(&mut self, class: &Class) -> Result<()> {
        let path = || class.name.to_string();
        inst::write(class, &mut self.content).map_err(|error| error.within(&path()))?;
        self.chunk(ChunkName::INST, self.compression, &path)
    }

    /// Writes the chunk PROP of a column, whose values are free again before they are compressed.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn column(&mut self, class: &Class, name: &[u8], values: Column) -> Result<()> {
        let path = || format!("{}.{}", class.name, name.escape_ascii());
        let content = &mut self.content;
        prop::write(class.id, name, content)
            .and_then(|()| column::write(&values, class.referents.len(), content))
            .map_err(|error| error.within(&path()))?;
        drop(values);
        self.chunk(ChunkName::PROP, self.compression, &path)
    }

    /// As [`column`](Self::column), for strings.
    ///
    /// # Errors
    /// As that.
    pub fn strings(&mut self, class: &Class, name: &[u8], values: &[&[u8]]) -> Result<()> {
        let path = || format!("{}.{}", class.name, name.escape_ascii());
        let content = &mut self.content;
        content.reserve(name.len() + 9 + values.iter().map(|value| value.len() + 4).sum::<usize>());
        prop::write(class.id, name, content)
            .and_then(|()| {
                content.push(TypeId::STRING.0);
                values.iter().try_for_each(|value| string::write(value, "length", content))
            })
            .map_err(|error| error.within(&path()))?;
        self.chunk(ChunkName::PROP, self.compression, &path)
    }

    /// Writes the chunks PRNT and END.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn finish(mut self, parents: &Parents) -> Result<()> {
        prnt::write(parents, &mut self.content)?;
        self.chunk(ChunkName::PRNT, self.compression, &|| "parents".into())?;
        self.content.extend_from_slice(END_MAGIC);
        self.chunk(ChunkName::END, Compression::None, &|| "end".into())?;
        Ok(self.out.flush()?)
    }

    /// Compresses and writes the content.
    fn chunk(&mut self, name: ChunkName, compression: Compression, path: &dyn Fn() -> String) -> Result<()> {
        let data = &self.content;
        let len = Problem::fit("bytes", data.len(), u32::MAX).unwritable("").named(path)?;
        let payload = self.deflater.deflate(data, compression);
        let mut chunk = Chunk { name, compression, range: 0..0, len, reserved: 0, payload };
        if chunk.payload.len() >= data.len() {
            (chunk.compression, chunk.payload) = (Compression::None, data);
        }
        self.frame.clear();
        chunk.write(path, &mut self.frame)?;
        self.out.write_all(&self.frame)?;
        self.content.clear();
        Ok(())
    }
}
