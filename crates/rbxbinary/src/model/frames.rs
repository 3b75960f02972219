//! The file that a document was read from: its bytes, and the chunk of each part of the document. A chunk is written
//! back unchanged unless an edit touches its part.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Class, Column, Document, SharedString};
use crate::consts::{ChunkName, Compression};
use geom::wire::{Error, Result};

/// The chunks of the file, and the chunk of each part; empty in a document that was not read from a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    /// The bytes of the file, unless the reader was asked not to keep them.
    source: Option<Arc<Vec<u8>>>,
    /// The chunks, in the order of the file.
    pub(crate) chunks: Vec<Frame>,
    pub(crate) metadata: Place,
    pub(crate) shared_strings: Place,
    pub(crate) parents: Place,
    pub(crate) signatures: Place,
    pub(crate) end: Place,
    /// The chunks of each class, by its index. Classes and columns beyond the ends of these lists are new.
    pub(crate) classes: Vec<ClassPlaces>,
    /// Chunks that are no part of the model.
    pub(crate) unknown: Vec<(UnknownChunk, Place)>,
    /// The unknown rotation ids of each column that has any: the chunk, the row of the first, its id, and their number.
    pub(crate) odd_rotations: Vec<(u32, u32, u8, u32)>,
    /// The version of the SSTR chunk, always 0 so far.
    pub(crate) shared_strings_version: u32,
    /// Bytes after the known content of META, SSTR and PRNT.
    pub(crate) metadata_extra: Vec<u8>,
    pub(crate) shared_strings_extra: Vec<u8>,
    pub(crate) parents_extra: Vec<u8>,
    /// The content of the END chunk if it is not `</roblox>`.
    pub(crate) end_content: Option<Vec<u8>>,
    /// Bytes after the END chunk.
    pub(crate) trailing: Vec<u8>,
    /// The document was read from a file.
    pub(crate) is_read: bool,
    /// The document was read with a filter, which skipped something.
    pub(crate) partial: bool,
    /// Anything was edited.
    pub(crate) edited: bool,
    /// An edit may have removed the last user of some shared strings.
    pub(crate) freed: bool,
    /// The tree was edited, so the parents are in the index, not in `Document::parents`.
    pub(crate) relinked: bool,
}

/// A chunk of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) name: ChunkName,
    /// The length of the content.
    pub(crate) len: u32,
    pub(crate) reserved: u32,
    pub(crate) compression: Compression,
    pub(crate) touched: bool,
}

/// The chunk of a part, by its index in the file; nothing if the part is new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place(Option<std::num::NonZeroU32>);

/// The chunks of a class.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassPlaces {
    pub(crate) class: Place,
    pub(crate) columns: Vec<Place>,
}

/// An unknown chunk, or a repeated one of a kind that occurs once, as stored in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownChunk {
    /// Its name.
    pub name: ChunkName,
    /// Its content, decompressed.
    pub bytes: Vec<u8>,
}

/// A part of a document: the content of one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Metadata,
    SharedStrings,
    /// The index of a class.
    Class(u32),
    /// The index of a class, and that of a column in it.
    Column(u32, u32),
    Parents,
    Signatures,
    /// An index in [`Frames::unknown`].
    Unknown(u32),
    End,
}

impl Place {
    pub(crate) fn new(chunk: u32) -> Self {
        Self(std::num::NonZeroU32::new(chunk.wrapping_add(1)))
    }

    pub(crate) fn chunk(self) -> Option<u32> {
        self.0.map(|number| number.get() - 1)
    }
}

impl Frames {
    /// Keeps the bytes of the file.
    pub(crate) fn keep(&mut self, source: Arc<Vec<u8>>) {
        self.source = Some(source);
    }

    /// Whether the document was not read from a file.
    pub(crate) fn is_new(&self) -> bool {
        !self.is_read
    }

    pub(crate) fn frame(&self, place: Place) -> Option<&Frame> {
        self.chunks.get(place.chunk()? as usize)
    }

    /// The stored bytes of a chunk; `None` if its part was touched, or if the bytes were not kept.
    pub(crate) fn stored(&self, place: Place) -> Option<&[u8]> {
        let frame = self.frame(place).filter(|frame| !frame.touched)?;
        self.source.as_ref()?.get(frame.start..frame.end)
    }

    /// All bytes after the header of the file; `None` if anything was edited or skipped, or if the bytes were not kept.
    pub(crate) fn all(&self) -> Option<&[u8]> {
        let start = self.chunks.first().filter(|_| !self.edited && !self.partial)?.start;
        self.source.as_ref()?.get(start..)
    }

    /// Marks the chunk of a part as changed.
    pub(crate) fn touch(&mut self, place: Place) {
        if let Some(frame) = place.chunk().and_then(|chunk| self.chunks.get_mut(chunk as usize)) {
            frame.touched = true;
        }
    }

    pub(crate) fn class(&self, class: u32) -> Place {
        self.classes.get(class as usize).map_or(Place::default(), |places| places.class)
    }

    pub(crate) fn column(&self, class: u32, column: usize) -> Place {
        let columns = self.classes.get(class as usize).map(|places| &places.columns);
        columns.and_then(|columns| columns.get(column)).copied().unwrap_or_default()
    }

    /// Marks the INST of a class, and its columns with values, as changed: rows were added or removed.
    pub(crate) fn touch_rows(&mut self, class: u32, has_values: impl Fn(usize) -> bool) {
        self.touch(self.class(class));
        let columns = self.classes.get(class as usize).map_or(0, |places| places.columns.len());
        for column in (0..columns).filter(|&column| has_values(column)) {
            self.touch(self.column(class, column));
        }
    }

    /// Forgets the chunks of a class that has neither instances nor columns left.
    pub(crate) fn forget_class(&mut self, class: u32) {
        if let Some(places) = self.classes.get_mut(class as usize) {
            *places = ClassPlaces::default();
        }
    }

    /// The row and the id of the first unknown rotation id in a column that was not touched, and their number.
    pub(crate) fn odd_rotation(&self, class: u32, column: usize) -> Option<(u32, u8, usize)> {
        let place = self.column(class, column);
        let chunk = self.frame(place).filter(|frame| !frame.touched).and(place.chunk())?;
        let index = self.odd_rotations.binary_search_by_key(&chunk, |(chunk, ..)| *chunk).ok()?;
        self.odd_rotations.get(index).map(|&(_, row, id, count)| (row, id, count as usize))
    }
}

impl Document {
    /// The classes that are written, with their indices: removing the last instance of a class removes the class.
    pub(crate) fn written_classes(&self) -> impl Iterator<Item = (u32, &Class)> {
        let frames = &self.frames;
        (0_u32..).zip(&self.classes).filter(|(index, class)| {
            !class.referents.is_empty() || !frames.relinked || frames.frame(frames.class(*index)).is_some()
        })
    }

    /// For each shared string, whether an edit removed its last user.
    pub(crate) fn unused_strings(&self) -> Vec<bool> {
        let strings = &self.shared_strings;
        let mut unused = vec![self.frames.freed; strings.len()];
        if !self.frames.freed {
            return unused;
        }
        for property in self.classes.iter().flat_map(|class| &class.properties) {
            if let Column::SharedString(values) = &property.column {
                for value in values {
                    if let Some(unused) = unused.get_mut(value.0 as usize) {
                        *unused = false;
                    }
                }
            }
        }
        unused.iter_mut().zip(strings).for_each(|(unused, string)| *unused &= !string.bytes.is_empty());
        unused
    }

    /// The shared strings as they are written: unused ones are empty.
    pub(crate) fn written_strings(
        &self,
        unused: &[bool],
    ) -> impl ExactSizeIterator<Item = Cow<'_, SharedString>> {
        self.shared_strings.iter().zip(unused).map(|(string, unused)| match unused {
            true => Cow::Owned(SharedString::default()),
            false => Cow::Borrowed(string),
        })
    }

    /// The parts to write, in the order of the file. New parts follow similar ones, in Studio's order.
    pub(crate) fn parts_in_order(&self) -> Result<Vec<(Place, Part)>> {
        let frames = &self.frames;
        let mut order = Order::default();
        if !self.metadata.is_empty() || frames.frame(frames.metadata).is_some() {
            order.add(frames.metadata, Part::Metadata);
        }
        if !self.shared_strings.is_empty() || frames.frame(frames.shared_strings).is_some() {
            order.add(frames.shared_strings, Part::SharedStrings);
        }
        let written = || self.written_classes();
        let mut ids = std::collections::HashMap::new();
        for (index, class) in written() {
            order.add(frames.class(index), Part::Class(index));
            ids.entry(class.id).or_insert(index);
        }
        for (index, class) in written() {
            let mut last = None;
            for (property, column) in class.properties.iter().zip(0_u32..) {
                if ids.get(&class.id) != Some(&index) {
                    let path = format!("{}.{}", class.name, property.name);
                    let what =
                        "a property of a class that has the id of another class (give each class its own id)";
                    return Err(Error::unwritable(path, what));
                }
                let place = frames.column(index, column as usize);
                last = Some(order.add_after(last, place, Part::Column(index, column)));
            }
        }
        let needs_parents = frames.is_new() || frames.relinked || self.parents != super::Parents::default();
        if needs_parents || frames.frame(frames.parents).is_some() {
            order.add(frames.parents, Part::Parents);
        }
        if self.signatures.is_some() {
            order.add(frames.signatures, Part::Signatures);
        }
        for ((unknown, place), index) in frames.unknown.iter().zip(0_u32..) {
            // Signatures are invalid after an edit.
            if unknown.name != ChunkName::SIGN || !frames.edited {
                order.add(*place, Part::Unknown(index));
            }
        }
        if frames.is_new() || frames.edited || frames.frame(frames.end).is_some() {
            order.end(frames.end);
        }
        order.parts.sort_by_key(|(position, ..)| *position);
        Ok(order.parts.into_iter().map(|(_, place, part)| (place, part)).collect())
    }
}

/// Parts to write, each with its position: that of its chunk or, if it is new, of the part that it follows.
#[derive(Default)]
struct Order {
    parts: Vec<(u32, Place, Part)>,
    last: u32,
}

impl Order {
    /// Adds a part; a new one after all others so far.
    fn add(&mut self, place: Place, part: Part) {
        self.add_after(None, place, part);
    }

    fn add_after(&mut self, after: Option<u32>, place: Place, part: Part) -> u32 {
        let position = place.0.map_or(after.unwrap_or(self.last), std::num::NonZeroU32::get);
        self.last = self.last.max(position);
        self.parts.push((position, place, part));
        position
    }

    fn end(&mut self, place: Place) {
        self.parts.push((u32::MAX, place, Part::End));
    }
}
