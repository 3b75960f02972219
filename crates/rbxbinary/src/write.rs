//! A document as a file: chunk by chunk as it was, or in the order in which Studio writes one.

use std::borrow::Cow;
use std::io::Write;

use crate::consts::{ChunkName, Compression, END_MAGIC};
use crate::error::{Error, Result};
use crate::limits::{Budget, DEFAULT_MAX_BYTES};
use crate::model::{ChunkKind, Class, Document, LayoutChunk, OtherChunk, Parents, Property};
use crate::natural::Natural;
use crate::options::WriteOptions;
use crate::wire::codec::{Deflater, Inflater};
use crate::wire::frame::Chunk;
use crate::wire::{column, inst, meta, prnt, prop, sstr};

impl WriteOptions {
    /// The document as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, where a column has more or fewer values than its class has instances, where a
    /// count does not fit, where two classes have one id, where the header's version is not 0, and where the document
    /// was read with a filter.
    pub fn write(&self, document: &Document) -> Result<Vec<u8>> {
        if document.layout.partial && !self.allow_loss {
            let what = "a document that was read with a filter, which left columns out";
            return Err(Error::unwritable("layout.partial", what));
        }
        let natural = document.layout.edited.then(|| Natural::new(document)).transpose()?;
        let writer = Writer { document, natural: natural.as_ref() };
        let classes = document.classes.iter().filter(|class| writer.has(class)).count();
        let mut out = Vec::new();
        document.header.write((classes, document.len()), &mut out)?;
        let mut deflater = Deflater::default();
        let mut data = Vec::new();
        let order = writer.order()?;
        // A chunk stays in the form that it has in the file. Where there is a choice, it is the shorter one.
        let shortest = self.compression.is_some() || matches!(order, Cow::Owned(_));
        for chunk in order.iter() {
            data.clear();
            let path = || writer.describe(chunk.kind);
            let name = writer.fill(chunk.kind, &mut data).map_err(|error| error.within(&path()))?;
            let len = u32::try_from(data.len())
                .map_err(|_| Error::unwritable(path(), "more than 4 GiB: a length has 32 bits"))?;
            // The END is never compressed, unless it was.
            let compression = match (chunk.kind, self.compression) {
                (ChunkKind::End, _) | (_, None) => chunk.compression,
                (_, Some(compression)) => compression,
            };
            let mut frame =
                Chunk { name, compression, range: 0..0, len, reserved: chunk.reserved, stored: &[] };
            let kept = kept(document, chunk).filter(|_| compression == chunk.compression);
            match kept.filter(|stored| decompresses_to(&Chunk { stored, ..frame.clone() }, &data)) {
                Some(stored) => frame.stored = stored,
                None => frame.stored = deflater.deflate(&data, compression),
            }
            if shortest && frame.stored.len() >= data.len() {
                (frame.compression, frame.stored) = (Compression::None, &data);
            }
            frame.write(&path, &mut out)?;
        }
        out.extend_from_slice(&document.layout.trailing);
        Ok(out)
    }

    /// Writes the document into a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write`], and where the writer fails.
    pub fn write_to(&self, mut writer: impl Write, document: &Document) -> Result<()> {
        Ok(writer.write_all(&self.write(document)?)?)
    }
}

/// The compressed bytes that were kept of a chunk.
fn kept<'a>(document: &'a Document, chunk: &LayoutChunk) -> Option<&'a [u8]> {
    let index = usize::try_from(chunk.compressed?.get()).ok()?.checked_sub(1)?;
    document.layout.compressed.get(index).map(AsRef::as_ref)
}

/// Whether kept compressed bytes are still those of the content.
fn decompresses_to(chunk: &Chunk<'_>, data: &[u8]) -> bool {
    let mut budget = Budget::new(DEFAULT_MAX_BYTES);
    chunk.inflate(&mut Inflater::default(), &mut budget).is_ok_and(|inflated| inflated == data)
}

struct Writer<'a> {
    document: &'a Document,
    /// The numbers of an edited document.
    natural: Option<&'a Natural>,
}

impl<'a> Writer<'a> {
    /// Whether a class is written: without instances, only where the file had it.
    fn has(&self, class: &Class) -> bool {
        self.natural.is_none() || !class.referents.is_empty()
    }

    fn class(&self, index: u32) -> Option<&'a Class> {
        self.document.classes.get(index as usize)
    }

    fn property(&self, class: u32, index: u32) -> Option<(&'a Class, &'a Property)> {
        let class = self.class(class)?;
        Some((class, class.properties.get(index as usize)?))
    }

    fn other(&self, index: u32) -> Option<&'a OtherChunk> {
        self.document.layout.other.get(index as usize)
    }

    /// The path of a part, for errors.
    fn describe(&self, kind: ChunkKind) -> String {
        match kind {
            ChunkKind::Metadata => "metadata".into(),
            ChunkKind::SharedStrings => "shared_strings".into(),
            ChunkKind::Signatures => "signatures".into(),
            ChunkKind::Class(index) => {
                self.class(index).map_or_else(String::new, |class| class.name.to_string())
            }
            ChunkKind::Property(class, index) => self
                .property(class, index)
                .map_or_else(String::new, |(class, property)| format!("{}.{}", class.name, property.name)),
            ChunkKind::Parents => "parents".into(),
            ChunkKind::Other(index) => {
                self.other(index).map_or_else(String::new, |other| other.name.to_string())
            }
            ChunkKind::End => "end".into(),
        }
    }

    /// Appends the content of a chunk to `out`; the name of the chunk.
    fn fill(&self, kind: ChunkKind, out: &mut Vec<u8>) -> Result<ChunkName> {
        let (document, layout) = (self.document, &self.document.layout);
        let gone = || Error::unwritable("layout.chunks", "a chunk of what the document does not have");
        Ok(match kind {
            ChunkKind::Metadata => {
                meta::write(&document.metadata, out)?;
                out.extend_from_slice(&layout.metadata_extra);
                ChunkName::META
            }
            ChunkKind::SharedStrings => {
                let version = layout.shared_strings_version;
                match self.natural {
                    Some(natural) => sstr::write(version, natural.strings(document), out)?,
                    None => sstr::write(version, document.shared_strings.iter(), out)?,
                }
                out.extend_from_slice(&layout.shared_strings_extra);
                ChunkName::SSTR
            }
            ChunkKind::Signatures => {
                out.extend_from_slice(document.signatures.as_deref().unwrap_or_default());
                ChunkName::SIGN
            }
            ChunkKind::Class(index) => {
                let class = self.class(index).ok_or_else(gone)?;
                let referents = match self.natural {
                    Some(natural) => Cow::Owned(natural.referents_of(document, index)),
                    None => Cow::Borrowed(&class.referents[..]),
                };
                inst::write(class, self.id(index, class), &referents, out)?;
                ChunkName::INST
            }
            ChunkKind::Property(index, property) => {
                let (class, property) = self.property(index, property).ok_or_else(gone)?;
                prop::write(self.id(index, class), &property.name, out)?;
                let renumbered = self.natural.and_then(|natural| natural.column(document, &property.column));
                column::write(renumbered.as_ref().unwrap_or(&property.column), class.referents.len(), out)?;
                ChunkName::PROP
            }
            ChunkKind::Parents => {
                match self.natural {
                    Some(natural) => prnt::write(&natural.parents, out)?,
                    None => prnt::write(&document.parents(), out)?,
                }
                out.extend_from_slice(&layout.parents_extra);
                ChunkName::PRNT
            }
            ChunkKind::Other(index) => {
                let other = self.other(index).ok_or_else(gone)?;
                out.extend_from_slice(&other.bytes);
                other.name
            }
            ChunkKind::End => {
                out.extend_from_slice(layout.end.as_deref().unwrap_or(END_MAGIC));
                ChunkName::END
            }
        })
    }

    /// The id of a class in the file.
    fn id(&self, index: u32, class: &Class) -> u32 {
        self.natural.map_or(class.id, |natural| natural.class_id(index))
    }

    /// The chunks to write, in order: those of the layout where they are those of the model, else those that
    /// Studio would write.
    fn order(&self) -> Result<Cow<'a, [LayoutChunk]>> {
        self.check_ids()?;
        let layout = &self.document.layout;
        if let Some(listed) = &layout.chunks
            && self.natural.is_none()
            && self.fits(listed)
        {
            if !layout.trailing.is_empty() && listed.last().is_none_or(|last| last.kind != ChunkKind::End) {
                return Err(Error::unwritable("layout.trailing", "bytes after an END that is not there"));
            }
            return Ok(Cow::Borrowed(listed));
        }
        self.natural_order().map(Cow::Owned)
    }

    /// Columns name their class by its id: no two classes can have the same, if the second one has columns.
    fn check_ids(&self) -> Result<()> {
        let mut ids = std::collections::HashSet::new();
        for class in self.document.classes.iter().filter(|_| self.natural.is_none()) {
            if !ids.insert(class.id) && !class.properties.is_empty() {
                let what =
                    format!("the id {} of another class: its columns would be read as those", class.id);
                return Err(Error::unwritable(class.name.to_string(), what));
            }
        }
        Ok(())
    }

    /// Whether the layout has each part of the model once, each column after its class, and nothing else, so that
    /// it is read as the same.
    fn fits(&self, listed: &[LayoutChunk]) -> bool {
        let document = self.document;
        let mut seen = [false; 5];
        let (mut classes, mut others) = (0, 0);
        let mut properties = vec![0_usize; document.classes.len()];
        let mut once = |index: usize| !std::mem::replace(&mut seen[index], true);
        let in_order = listed.iter().all(|chunk| match chunk.kind {
            ChunkKind::Metadata => once(0),
            ChunkKind::SharedStrings => once(1),
            ChunkKind::Signatures => document.signatures.is_some() && once(2),
            ChunkKind::Parents => once(3),
            ChunkKind::Class(index) => {
                classes += 1;
                index as usize == classes - 1
            }
            ChunkKind::Property(class, index) => match properties.get_mut(class as usize) {
                Some(count) => {
                    *count += 1;
                    (class as usize) < classes && index as usize == *count - 1
                }
                None => false,
            },
            ChunkKind::Other(index) => {
                others += 1;
                index as usize == others - 1
            }
            ChunkKind::End => once(4),
        });
        let complete = document.classes.iter().map(|class| class.properties.len()).eq(properties);
        let ends = |chunk: &LayoutChunk| chunk.kind == ChunkKind::End;
        let end_is_last = listed.iter().position(ends).is_none_or(|end| end + 1 == listed.len());
        let [metadata, shared_strings, signatures, parents, _] = seen;
        let all = |has: bool, wanted: bool| has || !wanted;
        in_order
            && complete
            && end_is_last
            && classes == document.classes.len()
            && others == document.layout.other.len()
            && signatures == document.signatures.is_some()
            && all(metadata, !document.metadata.is_empty())
            && all(shared_strings, !document.shared_strings.is_empty())
            && all(parents, *document.parents() != Parents::default())
            && self.others_fit(listed)
    }

    /// Whether each chunk that the model does not have would be read as one again.
    fn others_fit(&self, listed: &[LayoutChunk]) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut ids = std::collections::HashSet::new();
        listed.iter().all(|chunk| match chunk.kind {
            ChunkKind::Metadata => seen.insert(ChunkName::META),
            ChunkKind::SharedStrings => seen.insert(ChunkName::SSTR),
            ChunkKind::Signatures => seen.insert(ChunkName::SIGN),
            ChunkKind::Parents => seen.insert(ChunkName::PRNT),
            ChunkKind::Class(index) => {
                ids.extend(self.class(index).map(|class| self.id(index, class)));
                true
            }
            ChunkKind::Other(index) => self.other(index).is_some_and(|other| match other.name {
                name @ (ChunkName::META | ChunkName::SSTR | ChunkName::SIGN | ChunkName::PRNT) => {
                    seen.contains(&name)
                }
                ChunkName::INST | ChunkName::END => false,
                ChunkName::PROP => prop::read(&other.bytes).is_ok_and(|(_, (id, _))| !ids.contains(&id)),
                _ => true,
            }),
            _ => true,
        })
    }

    /// The chunks as Studio orders them, each compressed as the first one of the file that is.
    fn natural_order(&self) -> Result<Vec<LayoutChunk>> {
        let document = self.document;
        let layout = &document.layout;
        let compression = layout.chunks.as_ref().map_or(Compression::Lz4, |chunks| {
            let mut compressions = chunks.iter().map(|chunk| chunk.compression);
            compressions.find(|compression| *compression != Compression::None).unwrap_or(Compression::None)
        });
        let has_metadata = !document.metadata.is_empty() || !layout.metadata_extra.is_empty();
        let has_strings = match self.natural {
            Some(natural) => natural.has_strings(),
            None => !document.shared_strings.is_empty() || !layout.shared_strings_extra.is_empty(),
        };
        let count = |len: usize| {
            u32::try_from(len)
                .map_err(|_| Error::unwritable("classes", "more of them than 32 bits can count"))
        };
        let mut kinds = Vec::new();
        kinds.extend(has_metadata.then_some(ChunkKind::Metadata));
        kinds.extend(has_strings.then_some(ChunkKind::SharedStrings));
        let classes = || document.classes.iter().zip(0_u32..).filter(|(class, _)| self.has(class));
        count(document.classes.len())?;
        kinds.extend(classes().map(|(_, index)| ChunkKind::Class(index)));
        for (class, index) in classes() {
            kinds
                .extend((0..count(class.properties.len())?).map(|column| ChunkKind::Property(index, column)));
        }
        kinds.push(ChunkKind::Parents);
        kinds.extend(document.signatures.is_some().then_some(ChunkKind::Signatures));
        // An edit drops signatures, which are not valid any more.
        let others = layout.other.iter().zip(0_u32..);
        let kept = others.filter(|(other, _)| self.natural.is_none() || other.name != ChunkName::SIGN);
        kinds.extend(kept.map(|(_, index)| ChunkKind::Other(index)));
        kinds.push(ChunkKind::End);
        let chunk = |kind| {
            let compression = if kind == ChunkKind::End { Compression::None } else { compression };
            LayoutChunk { kind, compression, reserved: 0, compressed: None }
        };
        let chunks: Vec<LayoutChunk> = kinds.into_iter().map(chunk).collect();
        if !self.others_fit(&chunks) {
            let what = "a chunk that would not be read as what it is";
            return Err(Error::unwritable("layout.other", what));
        }
        Ok(chunks)
    }
}
