//! Reads a document, chunk by chunk.

use std::borrow::Cow;
use std::collections::HashMap;

use bstr::ByteSlice;

use crate::consts::{ChunkName, Compression, END_MAGIC, TypeId};
use crate::model::{
    Class, ClassPlaces, Column, Document, Frame, Frames, Header, Name, Place, Property, UnknownChunk, index,
};
use crate::options::{Filter, ReadOptions};
use crate::wire::cframe::odd_rotation;
use crate::wire::codec::Inflater;
use crate::wire::frame::{Chunk, Chunks};
use crate::wire::{column, inst, meta, peek, prnt, prop, sstr};
use geom::wire::{At, Budget, Error, ErrorKind, Here, Parsed, Result, finish};

impl ReadOptions {
    /// Reads a document.
    ///
    /// # Errors
    /// If the bytes are not a binary Roblox file, end too early, or break the format so that they cannot be
    /// interpreted; and if `max_bytes` is reached. The path names the chunk. A file that was cut between two chunks is
    /// read; [`check`](crate::check) reports that it lacks its end.
    pub fn read(&self, bytes: &[u8]) -> Result<Document> {
        Ok(self.read_counted(bytes)?.0)
    }

    pub(crate) fn read_within(&self, bytes: Cow<'_, [u8]>, budget: &mut Budget) -> Result<Document> {
        let mut document = self.read_chunks(&bytes, budget)?;
        if self.keep_source {
            document.frames.keep(budget.own(bytes)?.into());
        }
        document.room = budget.clone();
        Ok(document)
    }

    fn read_chunks(&self, bytes: &[u8], budget: &mut Budget) -> Result<Document> {
        let (header, mut chunks) = Chunks::new(bytes)?;
        let (count, classes) = chunks.counts();
        let limit = |kind| Error::new(kind, "chunks");
        let mut document = Document::new();
        document.classes = budget.vec(classes).map_err(limit)?;
        document.frames.is_read = true;
        document.frames.chunks = budget.vec(count).map_err(limit)?;
        document.frames.classes = budget.vec(classes).map_err(limit)?;
        let mut reader = Reader {
            options: self,
            budget,
            inflater: Inflater::default(),
            document,
            classes: Classes::default(),
            columns: Columns::default(),
        };
        reader.columns.names.make_space(count);
        for (number, chunk) in chunks.by_ref().enumerate() {
            let chunk = chunk?;
            reader.chunk(&chunk).map_err(|error| {
                let error = error.within(&format!("chunks[{number}].{}", chunk.name));
                // An error of the chunk as a whole has no offset in its content, so it gets that of the chunk.
                match error.offset() {
                    None => error.at(chunk.range.start),
                    Some(_) => error.inside("the decompressed chunk"),
                }
            })?;
        }
        reader.finish(header, chunks.rest())
    }
}

/// An error whose path is added by the caller.
#[cold]
fn bare(kind: ErrorKind) -> Error {
    Error::new(kind, "")
}

/// Converts a count to 32 bits, the size of the indices of chunks, classes and columns.
fn number(len: usize) -> Result<u32> {
    u32::try_from(len)
        .map_err(|_| bare(ErrorKind::Invalid("the file has more than 4294967295 chunks".into())))
}

struct Reader<'w> {
    options: &'w ReadOptions,
    budget: &'w mut Budget,
    inflater: Inflater,
    document: Document,
    classes: Classes,
    columns: Columns,
}

/// The columns of the current class. Columns of a class usually follow each other, and are moved to the class when all
/// have been read, so that its vector gets the right length at once.
#[derive(Default)]
struct Columns {
    class: usize,
    read: Vec<Property>,
    places: Vec<Place>,
    names: Names,
}

impl Columns {
    /// Moves the columns to their class.
    fn move_into_class(&mut self, classes: &mut [Class], frames: &mut Frames) {
        let (Some(class), Some(places)) = (classes.get_mut(self.class), frames.classes.get_mut(self.class))
        else {
            return;
        };
        // If the columns of a class do not follow each other, its vector grows as usual.
        if class.properties.is_empty() {
            class.properties.reserve_exact(self.read.len());
            places.columns.reserve_exact(self.read.len());
        }
        class.properties.append(&mut self.read);
        places.columns.append(&mut self.places);
    }
}

/// The index of each class by its id.
#[derive(Default)]
struct Classes {
    count: usize,
    /// The first class with each id, if an id differs from the index of its class. No file of Studio has such ids.
    by_id: Option<HashMap<u32, usize>>,
}

impl Classes {
    fn index(&self, id: u32) -> Option<usize> {
        match &self.by_id {
            None => usize::try_from(id).ok().filter(|&index| index < self.count),
            Some(by_id) => by_id.get(&id).copied(),
        }
    }

    /// Adds the next class.
    fn add(&mut self, id: u32) {
        if self.by_id.is_some() || usize::try_from(id) != Ok(self.count) {
            let by_id = self.by_id.get_or_insert_with(|| (0..).zip(0..self.count).collect());
            // A second class with the same id is kept, but columns with this id belong to the first.
            by_id.entry(id).or_insert(self.count);
        }
        self.count += 1;
    }
}

/// A cache of recent names, so that equal names share memory. Two names with the same slot replace each other, so no
/// choice of names makes this slow.
#[derive(Default)]
struct Names(Vec<Option<Name>>);

impl Names {
    /// Space for the names of a file with this number of chunks.
    fn make_space(&mut self, chunks: usize) {
        self.0.resize((chunks / 4).clamp(16, 1024).next_power_of_two(), None);
    }

    /// A hash of the bytes.
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

    fn get(&mut self, bytes: &[u8], budget: &mut Budget) -> Result<Name> {
        // The number of slots is a power of two, and the upper bits of a hash are well mixed.
        let mask = self.0.len().saturating_sub(1);
        let slot = usize::try_from(Self::hash(bytes) >> 40).unwrap_or(0) & mask;
        let Some(slot) = self.0.get_mut(slot) else { return Ok(Name::new(bytes)) };
        match slot {
            Some(name) if *name == *bytes => Ok(name.clone()),
            _ => {
                // The name, and the two reference counts of its `Arc`.
                budget.take(bytes.len() as u64 + 16).map_err(bare)?;
                let name = Name::new(bytes);
                *slot = Some(name.clone());
                Ok(name)
            }
        }
    }
}

/// Reads the content of a chunk; returns the value, and a copy of the bytes after it.
fn whole<'a, T>(
    data: &'a [u8],
    budget: &mut Budget,
    read: impl FnOnce(&'a [u8], &mut Budget) -> Parsed<'a, T>,
) -> Result<(T, Vec<u8>)> {
    let parsed = read(data, budget).and_then(|(rest, value)| {
        let extra = budget.copy(rest).here(rest)?;
        Ok((rest, (value, extra)))
    });
    finish(data, parsed).map(|(_, value)| value)
}

impl Reader<'_> {
    fn chunk(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let frames = &mut self.document.frames;
        let place = Place::new(number(frames.chunks.len())?);
        frames.chunks.push(Frame {
            start: chunk.range.start,
            end: chunk.range.end,
            name: chunk.name,
            len: chunk.len,
            reserved: chunk.reserved,
            compression: chunk.compression,
            touched: false,
        });
        if chunk.name == ChunkName::PROP && self.is_unwanted(chunk)? {
            self.document.frames.partial = true;
            return Ok(());
        }
        let Self { budget, inflater, document, classes, columns, .. } = self;
        let data = chunk.inflate(inflater, budget).map_err(bare)?;
        let frames = &mut document.frames;
        let is_first = |place| place == Place::default();
        match chunk.name {
            ChunkName::META if is_first(frames.metadata) => {
                frames.metadata = place;
                (document.metadata, frames.metadata_extra) = whole(data, budget, meta::read)?;
            }
            ChunkName::SSTR if is_first(frames.shared_strings) => {
                frames.shared_strings = place;
                let ((version, strings), extra) = whole(data, budget, sstr::read)?;
                (frames.shared_strings_version, frames.shared_strings_extra) = (version, extra);
                document.shared_strings = strings;
            }
            ChunkName::INST => {
                let (mut class, extra) = whole(data, budget, inst::read)?;
                class.extra = extra;
                // The index is built on first use, without a budget, so it is charged here.
                budget.take(class.referents.len() as u64 * index::PER_INSTANCE as u64).map_err(bare)?;
                budget.take(INDEX_PER_CLASS).map_err(bare)?;
                number(document.classes.len())?;
                classes.add(class.id);
                frames.classes.push(ClassPlaces { class: place, columns: Vec::new() });
                document.classes.push(class);
            }
            ChunkName::PROP => {
                match property(data, &mut document.classes, classes, columns, frames, place, budget)? {
                    Some(()) => {}
                    None => unknown(chunk.name, data, frames, place, budget)?,
                }
            }
            ChunkName::PRNT if is_first(frames.parents) => {
                frames.parents = place;
                (document.parents, frames.parents_extra) = whole(data, budget, prnt::read)?;
            }
            ChunkName::SIGN if document.signatures.is_none() => {
                frames.signatures = place;
                document.signatures = Some(budget.copy(data).map_err(bare)?);
            }
            ChunkName::END => {
                frames.end = place;
                frames.end_content =
                    if data == END_MAGIC { None } else { Some(budget.copy(data).map_err(bare)?) };
            }
            name => unknown(name, data, frames, place, budget)?,
        }
        Ok(())
    }

    /// Whether the filter skips this column. If possible, only its first bytes are decompressed.
    fn is_unwanted(&mut self, chunk: &Chunk<'_>) -> Result<bool> {
        let Some(Filter(filter)) = &self.options.filter else { return Ok(false) };
        let document = &self.document;
        let classes = &self.classes;
        let asked = |head: &[u8]| {
            let (_, (id, name)) = prop::read(head).ok()?;
            let class = document.classes.get(classes.index(id)?)?;
            Some(!filter(class.name.as_bstr(), name.as_bstr()))
        };
        if chunk.compression == Compression::Lz4
            && let Some(unwanted) = peek::lz4(chunk.payload).and_then(|head| asked(&head))
        {
            return Ok(unwanted);
        }
        let data = chunk.inflate(&mut self.inflater, self.budget).map_err(bare)?;
        Ok(asked(data).unwrap_or(false))
    }

    fn finish(mut self, header: Header, trailing: &[u8]) -> Result<Document> {
        let document = &mut self.document;
        self.columns.move_into_class(&mut document.classes, &mut document.frames);
        document.frames.trailing = self.budget.copy(trailing).map_err(|kind| Error::new(kind, "trailing"))?;
        let differs = |given: &i32, count: usize| usize::try_from(*given) != Ok(count);
        document.header = Header {
            class_count: header.class_count.filter(|given| differs(given, document.classes.len())),
            instance_count: header.instance_count.filter(|given| differs(given, document.len())),
            ..header
        };
        document.classes.shrink_to_fit();
        for (class, places) in document.classes.iter_mut().zip(&mut document.frames.classes) {
            class.properties.shrink_to_fit();
            places.columns.shrink_to_fit();
        }
        Ok(self.document)
    }
}

/// The peak memory of a vector that grows by doubling, as a multiple of the size of its elements: the old vector and
/// the new one, which is twice as long.
const GROWTH: u64 = 4;

/// The approximate size of the index per class, in bytes: the name, and two empty lists.
const INDEX_PER_CLASS: u64 = 256;

/// Keeps a chunk that is not part of the model.
fn unknown(
    name: ChunkName,
    data: &[u8],
    frames: &mut Frames,
    place: Place,
    budget: &mut Budget,
) -> Result<()> {
    budget.take(GROWTH * size_of::<(UnknownChunk, Place)>() as u64).map_err(bare)?;
    let bytes = budget.copy(data).map_err(bare)?;
    frames.unknown.push((UnknownChunk { name, bytes }, place));
    Ok(())
}

/// Reads a column; `None` if no class has its id.
fn property(
    data: &[u8],
    all: &mut [Class],
    classes: &Classes,
    columns: &mut Columns,
    frames: &mut Frames,
    place: Place,
    budget: &mut Budget,
) -> Result<Option<()>> {
    let (rest, (id, name)) = match prop::read(data) {
        Ok(read) => read,
        broken => finish(data, broken)?,
    };
    let Some(class_index) = classes.index(id) else { return Ok(None) };
    if columns.class != class_index {
        columns.move_into_class(all, frames);
        columns.class = class_index;
    }
    let Some(class) = all.get(class_index) else { return Ok(None) };
    budget.take(GROWTH * (size_of::<Property>() + size_of::<Place>()) as u64).map_err(bare)?;
    number(class.properties.len() + columns.read.len())?;
    columns.places.push(place);
    // The column is read in place, to move it as rarely as possible.
    columns.read.push(Property { name: columns.names.get(name, budget)?, column: Column::Untyped });
    let Some(property) = columns.read.last_mut() else { return Ok(None) };
    let count = class.referents.len();
    if let Err(broken) = column::read(rest, count, budget, &mut property.column) {
        let broken: Parsed<'_, ()> = Err(broken);
        finish(data, broken.named(|| format!("{}.{}", class.name, name.as_bstr())))?;
    }
    if let (Some((type_id, values)), Some(chunk)) = (rest.split_first(), place.chunk())
        && let Some((row, id, odd)) = odd_rotation(TypeId(*type_id), values, count)
    {
        budget.take(GROWTH * size_of::<(u32, u32, u8, u32)>() as u64).map_err(bare)?;
        frames.odd_rotations.push((chunk, row, id, odd));
    }
    Ok(Some(()))
}
