//! A document, chunk by chunk.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::num::NonZeroU32;

use bstr::{BStr, ByteSlice};

use crate::consts::{ChunkName, Compression, END_MAGIC};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::model::{Chunk, Document, Header, Name, Part, Property, RawChunk};
use crate::wire::codec::Inflater;
use crate::wire::fail::{At, Here, Parsed, finish};
use crate::wire::frame::Frame;
use crate::wire::header::Head;
use crate::wire::{column, parts, peek};

/// Whether a column is wanted: of the class, of the property.
pub(crate) type Filter = dyn Fn(&BStr, &BStr) -> bool + Send + Sync;

/// What is wanted of a file.
#[derive(Clone, Copy)]
pub(crate) struct Want<'a> {
    pub(crate) max_bytes: u64,
    pub(crate) keep_compressed: bool,
    pub(crate) filter: Option<&'a Filter>,
}

/// What an index of the format has room for.
fn index(len: usize) -> Result<u32, ErrorKind> {
    u32::try_from(len).map_err(|_| ErrorKind::Invalid("more parts than 32 bits can count".into()))
}

pub(crate) fn read(bytes: &[u8], want: Want<'_>) -> Result<Document> {
    let (mut rest, head) = finish(bytes, Head::read(bytes))?;
    let mut reader = Reader {
        want,
        budget: Budget::new(want.max_bytes),
        inflater: Inflater::default(),
        document: Document::default(),
        classes: Classes::default(),
        names: Names::default(),
    };
    let count = count_chunks(rest);
    let chunks = reader.budget.vec(count);
    reader.document.layout.chunks = chunks.map_err(|kind| Error::new(kind, "chunks"))?;
    let mut chunk = 0_usize;
    while !rest.is_empty() {
        let (behind, frame) = match Frame::read(rest) {
            Ok(read) => read,
            // The way of an error is a long one: only errors go it.
            broken => finish(bytes, broken.index(chunk).field("chunks"))?,
        };
        reader.chunk(&frame).map_err(|error| match error {
            // An error of the frame itself: it stands at the chunk.
            Failed::Kind(kind) => {
                let offset = bytes.len().saturating_sub(rest.len());
                Error::new(kind, place(chunk, frame.name)).at(offset, None)
            }
            Failed::Inside(error) => error.within(&place(chunk, frame.name)),
        })?;
        rest = behind;
        if frame.name == ChunkName::END {
            break;
        }
        chunk = chunk.saturating_add(1);
    }
    reader.finish(&head, rest)
}

fn place(index: usize, name: ChunkName) -> String {
    format!("chunks[{index}].{name}")
}

/// Why a chunk was not read: without a place, or with one inside what it holds.
enum Failed {
    Kind(ErrorKind),
    Inside(Error),
}

impl From<ErrorKind> for Failed {
    fn from(kind: ErrorKind) -> Self {
        Self::Kind(kind)
    }
}

struct Reader<'w> {
    want: Want<'w>,
    budget: Budget,
    inflater: Inflater,
    document: Document,
    classes: Classes,
    names: Names,
}

/// How many whole chunks there are: a walk over their frames alone.
fn count_chunks(mut rest: &[u8]) -> usize {
    let mut count = 0_usize;
    while let Ok((behind, frame)) = Frame::read(rest) {
        count = count.saturating_add(1);
        if frame.name == ChunkName::END {
            break;
        }
        rest = behind;
    }
    count
}

/// The index of each class by its id.
#[derive(Default)]
struct Classes {
    places: HashMap<u32, usize>,
    /// The one asked for last: the columns of a class stand together.
    last: Option<(u32, usize)>,
}

impl Classes {
    fn place(&mut self, id: u32) -> Option<usize> {
        if let Some((last, place)) = self.last
            && last == id
        {
            return Some(place);
        }
        let place = self.places.get(&id).copied()?;
        self.last = Some((id, place));
        Some(place)
    }
}

/// Names met lately, so that most are there once. Two that fall on one place replace each other: no
/// choice of names makes this slow.
#[derive(Default)]
struct Names(Vec<Option<Name>>);

impl Names {
    const SLOTS: usize = 512;

    fn get(&mut self, bytes: &[u8], budget: &mut Budget) -> Result<Name, ErrorKind> {
        if self.0.is_empty() {
            self.0.resize(Self::SLOTS, None);
        }
        let (words, rest) = bytes.as_chunks::<8>();
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(place, &byte)| *place = byte);
        let words = words.iter().chain([&last]).map(|&word| u64::from_le_bytes(word));
        let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = words.fold(bytes.len() as u64, mix);
        // The upper bits are the well mixed ones.
        let slot = usize::try_from(hash >> 40).unwrap_or(0) % Self::SLOTS;
        let Some(slot) = self.0.get_mut(slot) else { return Ok(Name::new(bytes)) };
        match slot {
            Some(name) if *name == *bytes => Ok(name.clone()),
            _ => {
                // The name and its two counts.
                budget.take((bytes.len() as u64).saturating_add(16))?;
                let name = Name::new(bytes);
                *slot = Some(name.clone());
                Ok(name)
            }
        }
    }
}

/// Reads all of a chunk; what is left over is copied.
fn whole<'a, T>(
    data: &'a [u8],
    budget: &mut Budget,
    read: impl FnOnce(&'a [u8], &mut Budget) -> Parsed<'a, T>,
) -> Result<(T, Vec<u8>), Failed> {
    let parsed = read(data, budget).and_then(|(rest, value)| {
        let extra = budget.copy(rest).here(rest)?;
        Ok((rest, (value, extra)))
    });
    finish(data, parsed).map(|(_, value)| value).map_err(Failed::Inside)
}

impl Reader<'_> {
    fn chunk(&mut self, frame: &Frame<'_>) -> Result<(), Failed> {
        if frame.name == ChunkName::PROP && self.is_unwanted(frame)? {
            self.document.layout.partial = true;
            return Ok(());
        }
        let Self { budget, inflater, document, classes, names, .. } = self;
        let data = inflater.inflate(frame, budget)?;
        let layout = &mut document.layout;
        let has = |part: &Part| layout.chunks.iter().any(|chunk| chunk.part == *part);
        let part = match frame.name {
            ChunkName::META if !has(&Part::Metadata) => {
                let (metadata, extra) = whole(data, budget, parts::read_metadata)?;
                (document.metadata, layout.metadata_extra) = (metadata, extra);
                Part::Metadata
            }
            ChunkName::SSTR if !has(&Part::SharedStrings) => {
                let ((version, strings), extra) = whole(data, budget, parts::read_shared_strings)?;
                (layout.shared_strings_version, layout.shared_strings_extra) = (version, extra);
                document.shared_strings = strings;
                Part::SharedStrings
            }
            ChunkName::INST => {
                let (mut class, extra) = whole(data, budget, parts::read_class)?;
                class.extra = extra;
                let place = document.classes.len();
                budget.take(size_of_val(&class) as u64)?;
                // A second class of the same id is kept; the columns belong to the first.
                if let Entry::Vacant(entry) = classes.places.entry(class.id) {
                    entry.insert(place);
                }
                document.classes.push(class);
                Part::Class(index(place)?)
            }
            ChunkName::PROP => match property(data, document, classes, names, budget)? {
                Some(part) => part,
                None => raw(frame.name, data, &mut document.layout.raw, budget)?,
            },
            ChunkName::PRNT if !has(&Part::Parents) => {
                let (parents, extra) = whole(data, budget, parts::read_parents)?;
                (document.parents, layout.parents_extra) = (parents, extra);
                Part::Parents
            }
            ChunkName::SIGN if document.signatures.is_none() => {
                document.signatures = Some(budget.copy(data)?);
                Part::Signatures
            }
            ChunkName::END => {
                layout.end = if data == END_MAGIC { None } else { Some(budget.copy(data)?) };
                Part::End
            }
            name => raw(name, data, &mut layout.raw, budget)?,
        };
        let mut compressed = None;
        if self.want.keep_compressed && frame.compression != Compression::None {
            let kept = &mut document.layout.compressed;
            budget.take(size_of::<Box<[u8]>>() as u64)?;
            kept.push(budget.copy(frame.stored)?.into());
            compressed = NonZeroU32::new(index(kept.len())?);
        }
        let Frame { compression, reserved, .. } = *frame;
        document.layout.chunks.push(Chunk { part, compression, reserved, compressed });
        Ok(())
    }

    /// Whether the filter leaves out this column. Only the first bytes are looked at where they can
    /// be had alone.
    fn is_unwanted(&mut self, frame: &Frame<'_>) -> Result<bool, Failed> {
        let Some(filter) = self.want.filter else { return Ok(false) };
        let document = &self.document;
        let classes = &self.classes.places;
        let asked = |head: &[u8]| {
            let (_, (id, name)) = parts::read_property_head(head).ok()?;
            let class = document.classes.get(*classes.get(&id)?)?;
            Some(!filter(class.name.as_bstr(), name.as_bstr()))
        };
        if frame.compression == Compression::Lz4
            && let Some(unwanted) = peek::lz4(frame.stored).and_then(|head| asked(&head))
        {
            return Ok(unwanted);
        }
        let data = self.inflater.inflate(frame, &mut self.budget)?;
        Ok(asked(data).unwrap_or(false))
    }

    fn finish(mut self, head: &Head, trailing: &[u8]) -> Result<Document> {
        let document = &mut self.document;
        document.layout.trailing = self.budget.copy(trailing).map_err(|kind| Error::new(kind, "trailing"))?;
        let other = |said: i32, count: usize| (usize::try_from(said) != Ok(count)).then_some(said);
        document.header = Header {
            version: head.version,
            class_count: other(head.classes, document.classes.len()),
            instance_count: other(head.instances, document.instance_count()),
            reserved: head.reserved,
        };
        document.classes.shrink_to_fit();
        for class in &mut document.classes {
            class.properties.shrink_to_fit();
        }
        Ok(self.document)
    }
}

/// A chunk as it stands in the file.
fn raw(
    name: ChunkName,
    data: &[u8],
    chunks: &mut Vec<RawChunk>,
    budget: &mut Budget,
) -> Result<Part, ErrorKind> {
    budget.take(size_of::<RawChunk>() as u64)?;
    let part = Part::Raw(index(chunks.len())?);
    chunks.push(RawChunk { name, bytes: budget.copy(data)? });
    Ok(part)
}

/// A column; `None` where no class has its id.
fn property(
    data: &[u8],
    document: &mut Document,
    classes: &mut Classes,
    names: &mut Names,
    budget: &mut Budget,
) -> Result<Option<Part>, Failed> {
    let (rest, (id, name)) = match parts::read_property_head(data) {
        Ok(read) => read,
        broken => finish(data, broken).map_err(Failed::Inside)?,
    };
    let before = classes.last;
    let Some(place) = classes.place(id) else { return Ok(None) };
    if let Some((last, done)) = before
        && last != id
        && let Some(class) = document.classes.get_mut(done)
    {
        // The columns of a class stand together: it has got all that it will.
        class.properties.shrink_to_fit();
    }
    let Some(class) = document.classes.get_mut(place) else { return Ok(None) };
    budget.take(size_of::<Property>() as u64)?;
    let (_, column) = match column::read(rest, class.referents.len(), budget) {
        Ok(read) => read,
        broken => {
            let broken = broken.named(|| format!("{}.{}", class.name, name.as_bstr()));
            finish(data, broken).map_err(Failed::Inside)?
        }
    };
    let part = Part::Property(index(place)?, index(class.properties.len())?);
    class.properties.push(Property { name: names.get(name, budget)?, column });
    Ok(Some(part))
}
