//! A document, chunk by chunk.

use std::collections::HashMap;
use std::num::NonZeroU32;

use bstr::{BStr, ByteSlice};

use crate::consts::{ChunkName, Compression, END_MAGIC};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::model::{Chunk, Class, Column, Document, Header, Name, Part, Property, RawChunk};
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
        columns: Columns::default(),
        seen: Seen::default(),
    };
    let (count, classes) = count_chunks(rest);
    reader.names.make_room(count);
    let room = |kind| Error::new(kind, "chunks");
    reader.document.classes = reader.budget.vec(classes).map_err(room)?;
    let chunks = reader.budget.vec(count);
    reader.document.layout.chunks = Some(chunks.map_err(room)?);
    let mut chunk = 0_usize;
    while !rest.is_empty() {
        let (frame, behind) = match Frame::split(rest) {
            Some(split) => split,
            // The way of an error is a long one: only errors go it.
            None => {
                let (behind, frame) = finish(bytes, Frame::read(rest).index(chunk).field("chunks"))?;
                (frame, behind)
            }
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
    columns: Columns,
    seen: Seen,
}

/// The tables of which a file has one each, and whether it came already: a second one is kept as it stands.
#[derive(Default)]
struct Seen {
    metadata: bool,
    shared_strings: bool,
    parents: bool,
}

/// How many whole chunks there are, and how many of them are classes: a walk over their frames alone.
fn count_chunks(mut rest: &[u8]) -> (usize, usize) {
    let (mut count, mut classes) = (0_usize, 0_usize);
    while let Some((frame, behind)) = Frame::split(rest) {
        count = count.saturating_add(1);
        classes = classes.saturating_add(usize::from(frame.name == ChunkName::INST));
        if frame.name == ChunkName::END {
            break;
        }
        rest = behind;
    }
    (count, classes)
}

/// The columns of the class that is being read, which stand together: they are moved to it when all
/// are there, so that it gets a vector of the right length at once.
#[derive(Default)]
struct Columns {
    class: usize,
    read: Vec<Property>,
}

impl Columns {
    /// Moves the columns to their class.
    fn settle(&mut self, classes: &mut [Class]) {
        let Some(class) = classes.get_mut(self.class) else { return };
        // A class whose columns do not stand together grows as vectors do.
        if class.properties.is_empty() {
            class.properties.reserve_exact(self.read.len());
        }
        class.properties.append(&mut self.read);
    }
}

/// The index of each class by its id.
#[derive(Default)]
struct Classes {
    count: usize,
    /// Where an id is another number than the index, as in no file of Studio's: by id, the first.
    places: Option<HashMap<u32, usize>>,
}

impl Classes {
    fn place(&self, id: u32) -> Option<usize> {
        match &self.places {
            None => usize::try_from(id).ok().filter(|&place| place < self.count),
            Some(places) => places.get(&id).copied(),
        }
    }

    /// Adds the next class.
    fn add(&mut self, id: u32) {
        if self.places.is_some() || usize::try_from(id) != Ok(self.count) {
            let places = self.places.get_or_insert_with(|| (0..).zip(0..self.count).collect());
            // A second class of the same id is kept; the columns belong to the first.
            places.entry(id).or_insert(self.count);
        }
        self.count = self.count.saturating_add(1);
    }
}

/// Names met lately, so that most are there once. Two that fall on one place replace each other: no
/// choice of names makes this slow.
#[derive(Default)]
struct Names(Vec<Option<Name>>);

impl Names {
    /// Room for the names of a file with so many chunks.
    fn make_room(&mut self, chunks: usize) {
        self.0.resize((chunks / 4).clamp(16, 1024).next_power_of_two(), None);
    }

    /// A number that is most likely another for other bytes.
    fn hash(bytes: &[u8]) -> u64 {
        let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let half = |word: &[u8; 4]| u64::from(u32::from_le_bytes(*word));
        let words = bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word));
        // The last word overlaps with the one before it.
        let last = match (bytes.last_chunk(), bytes.first_chunk(), bytes.last_chunk()) {
            (Some(&last), ..) => u64::from_le_bytes(last),
            (_, Some(first), Some(last)) => half(first) << 32 | half(last),
            _ => bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
        mix(words.fold(bytes.len() as u64, mix), last)
    }

    fn get(&mut self, bytes: &[u8], budget: &mut Budget) -> Result<Name, ErrorKind> {
        // There is a power of two of them, and the upper bits of a hash are the well mixed ones.
        let mask = self.0.len().saturating_sub(1);
        let slot = usize::try_from(Self::hash(bytes) >> 40).unwrap_or(0) & mask;
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
        let Self { budget, inflater, document, classes, names, columns, seen, .. } = self;
        let data = inflater.inflate(frame, budget)?;
        let layout = &mut document.layout;
        let part = match frame.name {
            ChunkName::META if !seen.metadata => {
                seen.metadata = true;
                let (metadata, extra) = whole(data, budget, parts::read_metadata)?;
                (document.metadata, layout.metadata_extra) = (metadata, extra);
                Part::Metadata
            }
            ChunkName::SSTR if !seen.shared_strings => {
                seen.shared_strings = true;
                let ((version, strings), extra) = whole(data, budget, parts::read_shared_strings)?;
                (layout.shared_strings_version, layout.shared_strings_extra) = (version, extra);
                document.shared_strings = strings;
                Part::SharedStrings
            }
            ChunkName::INST => {
                let (mut class, extra) = whole(data, budget, parts::read_class)?;
                class.extra = extra;
                let place = document.classes.len();
                classes.add(class.id);
                document.classes.push(class);
                Part::Class(index(place)?)
            }
            ChunkName::PROP => {
                match property(data, &mut document.classes, classes, (names, columns), budget)? {
                    Some(part) => part,
                    None => raw(frame.name, data, &mut document.layout.raw, budget)?,
                }
            }
            ChunkName::PRNT if !seen.parents => {
                seen.parents = true;
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
        let chunks = document.layout.chunks.get_or_insert_default();
        chunks.push(Chunk { part, compression, reserved, compressed });
        Ok(())
    }

    /// Whether the filter leaves out this column. Only the first bytes are looked at where they can
    /// be had alone.
    fn is_unwanted(&mut self, frame: &Frame<'_>) -> Result<bool, Failed> {
        let Some(filter) = self.want.filter else { return Ok(false) };
        let document = &self.document;
        let classes = &self.classes;
        let asked = |head: &[u8]| {
            let (_, (id, name)) = parts::read_property_head(head).ok()?;
            let class = document.classes.get(classes.place(id)?)?;
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
        self.columns.settle(&mut document.classes);
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
    all: &mut [Class],
    classes: &Classes,
    (names, columns): (&mut Names, &mut Columns),
    budget: &mut Budget,
) -> Result<Option<Part>, Failed> {
    let (rest, (id, name)) = match parts::read_property_head(data) {
        Ok(read) => read,
        broken => finish(data, broken).map_err(Failed::Inside)?,
    };
    let Some(place) = classes.place(id) else { return Ok(None) };
    if columns.class != place {
        columns.settle(all);
        columns.class = place;
    }
    let Some(class) = all.get(place) else { return Ok(None) };
    budget.take(size_of::<Property>() as u64)?;
    let index_there = class.properties.len().saturating_add(columns.read.len());
    let part = Part::Property(index(place)?, index(index_there)?);
    // It is read into its place: a column is moved no more often than it must.
    columns.read.push(Property { name: names.get(name, budget)?, column: Column::Untyped });
    let Some(property) = columns.read.last_mut() else { return Ok(None) };
    if let Err(broken) = column::read(rest, class.referents.len(), budget, &mut property.column) {
        let broken: Parsed<'_, ()> = Err(broken);
        finish(data, broken.named(|| format!("{}.{}", class.name, name.as_bstr())))
            .map_err(Failed::Inside)?;
    }
    Ok(Some(part))
}
