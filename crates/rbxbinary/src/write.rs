//! A document as a file: chunk by chunk as it was, or in the order in which Studio writes one.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
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
        let classes = writer.classes().count();
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
                Chunk { name, compression, range: 0..0, len, reserved: chunk.reserved, payload: &[] };
            let kept = kept(document, chunk).filter(|_| compression == chunk.compression);
            match kept.filter(|payload| decompresses_to(&Chunk { payload, ..frame.clone() }, &data)) {
                Some(payload) => frame.payload = payload,
                None => frame.payload = deflater.deflate(&data, compression),
            }
            if shortest && frame.payload.len() >= data.len() {
                (frame.compression, frame.payload) = (Compression::None, &data);
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

    /// The classes that are written, and their indices: without instances, only where the file had them.
    fn classes(&self) -> impl Iterator<Item = (u32, &'a Class)> {
        let edited = self.natural.is_some();
        (0..).zip(&self.document.classes).filter(move |(_, class)| !edited || !class.referents.is_empty())
    }

    /// The chunks that are no part of the model. An edit drops signatures, which are not valid any more.
    fn others(&self) -> impl Iterator<Item = u32> {
        let edited = self.natural.is_some();
        let kept = move |other: &OtherChunk| !edited || other.name != ChunkName::SIGN;
        (0..).zip(&self.document.layout.other).filter(move |(_, other)| kept(other)).map(|(index, _)| index)
    }

    /// Whether there are shared strings to write: an edit drops those that no column uses.
    fn has_strings(&self) -> bool {
        self.natural.map_or(!self.document.shared_strings.is_empty(), Natural::has_strings)
    }

    /// The chunks to write, in order: those of the layout where they are read as the model, else those that Studio
    /// would write.
    fn order(&self) -> Result<Cow<'a, [LayoutChunk]>> {
        let layout = &self.document.layout;
        if let Some(listed) = &layout.chunks
            && self.natural.is_none()
            && self.lost(listed).is_none()
        {
            if !layout.trailing.is_empty() && listed.last().is_none_or(|last| last.kind != ChunkKind::End) {
                return Err(Error::unwritable("layout.trailing", "bytes after an END that is not there"));
            }
            return Ok(Cow::Borrowed(listed));
        }
        let chunks = self.natural_order()?;
        let (path, what) = match self.lost(&chunks) {
            None => return Ok(Cow::Owned(chunks)),
            Some(ChunkKind::Other(index)) => {
                (format!("layout.other[{index}]"), "a chunk that would be read as a part of the model")
            }
            Some(kind) => {
                (self.describe(kind), "a column that would be read as one of another class of the same id")
            }
        };
        Err(Error::unwritable(path, what))
    }

    /// The first part of the model that a reader of these chunks would not have where it is.
    fn lost(&self, chunks: &[LayoutChunk]) -> Option<ChunkKind> {
        let document = self.document;
        let (mut classes, mut others) = (self.classes().map(|(index, _)| index), self.others());
        let mut columns = vec![0; document.classes.len()];
        let (mut by_id, mut seen) = (HashMap::new(), HashSet::new());
        for chunk in chunks {
            let (name, id) = match chunk.kind {
                ChunkKind::Metadata => (ChunkName::META, None),
                ChunkKind::SharedStrings => (ChunkName::SSTR, None),
                ChunkKind::Parents => (ChunkName::PRNT, None),
                ChunkKind::Signatures if document.signatures.is_none() => return Some(chunk.kind),
                ChunkKind::Signatures => (ChunkName::SIGN, None),
                ChunkKind::Class(index) => {
                    (ChunkName::INST, self.class(index).map(|class| self.id(index, class)))
                }
                ChunkKind::Property(index, _) => {
                    (ChunkName::PROP, self.class(index).map(|class| self.id(index, class)))
                }
                ChunkKind::Other(index) => {
                    let other = self.other(index)?;
                    let property = prop::read(&other.bytes).ok().map(|(_, (id, _))| id);
                    // A reader refuses a property that ends within its header.
                    if other.name == ChunkName::PROP && property.is_none() {
                        return Some(chunk.kind);
                    }
                    (other.name, property)
                }
                ChunkKind::End => (ChunkName::END, None),
            };
            // As the reader does it.
            let first = !seen.contains(&ChunkName::END) && seen.insert(name);
            let class = id.and_then(|id| by_id.get(&id).copied());
            let read = match (name, class) {
                (ChunkName::META, _) if first => Some(ChunkKind::Metadata),
                (ChunkName::SSTR, _) if first => Some(ChunkKind::SharedStrings),
                (ChunkName::PRNT, _) if first => Some(ChunkKind::Parents),
                (ChunkName::SIGN, _) if first => Some(ChunkKind::Signatures),
                (ChunkName::END, _) => first.then_some(ChunkKind::End),
                (ChunkName::INST, _) => classes.next().map(|index| {
                    id.map(|id| by_id.entry(id).or_insert(index));
                    ChunkKind::Class(index)
                }),
                (ChunkName::PROP, Some(class)) => columns.get_mut(class as usize).map(|count| {
                    *count += 1;
                    ChunkKind::Property(class, *count - 1)
                }),
                _ => others.next().map(ChunkKind::Other),
            };
            if read != Some(chunk.kind) {
                return Some(chunk.kind);
            }
        }
        let missing = |name, wanted: bool, kind| (wanted && !seen.contains(&name)).then_some(kind);
        let column = |(index, class): (u32, &Class)| {
            let count = columns.get(index as usize).copied()?;
            ((count as usize) < class.properties.len()).then_some(ChunkKind::Property(index, count))
        };
        classes
            .next()
            .map(ChunkKind::Class)
            .or_else(|| self.classes().find_map(column))
            .or_else(|| others.next().map(ChunkKind::Other))
            .or_else(|| missing(ChunkName::META, !document.metadata.is_empty(), ChunkKind::Metadata))
            .or_else(|| missing(ChunkName::SSTR, self.has_strings(), ChunkKind::SharedStrings))
            .or_else(|| {
                missing(ChunkName::PRNT, *document.parents() != Parents::default(), ChunkKind::Parents)
            })
            .or_else(|| missing(ChunkName::SIGN, document.signatures.is_some(), ChunkKind::Signatures))
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
        let has_strings =
            self.has_strings() || self.natural.is_none() && !layout.shared_strings_extra.is_empty();
        let count = |len: usize| {
            u32::try_from(len).map_err(|_| {
                Error::unwritable("classes", format!("expected at most {} entries, found {len}", u32::MAX))
            })
        };
        count(document.classes.len())?;
        let mut kinds = Vec::new();
        kinds.extend(has_metadata.then_some(ChunkKind::Metadata));
        kinds.extend(has_strings.then_some(ChunkKind::SharedStrings));
        kinds.extend(self.classes().map(|(index, _)| ChunkKind::Class(index)));
        for (index, class) in self.classes() {
            kinds
                .extend((0..count(class.properties.len())?).map(|column| ChunkKind::Property(index, column)));
        }
        kinds.push(ChunkKind::Parents);
        kinds.extend(document.signatures.is_some().then_some(ChunkKind::Signatures));
        kinds.extend(self.others().map(ChunkKind::Other));
        kinds.push(ChunkKind::End);
        // Where the content is still the same, the kept bytes are.
        let listed = layout.chunks.iter().flatten();
        let kept: HashMap<_, _> = listed.map(|chunk| (chunk.kind, chunk.compressed)).collect();
        let chunk = |kind| {
            let compression = if kind == ChunkKind::End { Compression::None } else { compression };
            LayoutChunk { kind, compression, reserved: 0, compressed: kept.get(&kind).copied().flatten() }
        };
        Ok(kinds.into_iter().map(chunk).collect())
    }
}
