//! A document as a file: the chunks of its layout, and those that the layout does not list.

use crate::consts::{ChunkName, Compression, END_MAGIC};
use crate::error::{Error, Result};
use crate::limits::{Budget, DEFAULT_MAX_BYTES};
use crate::model::{Chunk, Document, Part, RawChunk};
use crate::wire::codec::{Deflater, Inflater};
use crate::wire::frame::Frame;
use crate::wire::header::Head;
use crate::wire::{column, parts};

pub(crate) fn write(document: &Document, compression: Option<Compression>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    Head::write(document, &mut out)?;
    let mut deflater = Deflater::default();
    let mut data = Vec::new();
    for chunk in plan(document)? {
        data.clear();
        let name = fill(document, &chunk.part, &mut data)?;
        let path = || describe(document, &chunk.part);
        let len = u32::try_from(data.len())
            .map_err(|_| Error::unwritable(path(), "more than 4 GiB: a length has 32 bits"))?;
        // The END is never compressed, unless it was.
        let compression = match (&chunk.part, compression) {
            (Part::End, _) | (_, None) => chunk.compression,
            (_, Some(compression)) => compression,
        };
        let kept = kept(document, &chunk)
            .filter(|stored| compression == chunk.compression && stands_for(&chunk, stored, len, &data));
        let stored = match kept {
            Some(stored) => stored,
            None => deflater.deflate(&data, compression),
        };
        let frame = Frame { name, compression, len, reserved: chunk.reserved, stored };
        frame.write(&path, &mut out)?;
    }
    out.extend_from_slice(&document.layout.trailing);
    Ok(out)
}

/// The compressed bytes that were kept of a chunk.
fn kept<'a>(document: &'a Document, chunk: &Chunk) -> Option<&'a [u8]> {
    let place = usize::try_from(chunk.compressed?.get()).ok()?.checked_sub(1)?;
    document.layout.compressed.get(place).map(AsRef::as_ref)
}

/// Whether kept compressed bytes become what the chunk is to hold.
fn stands_for(chunk: &Chunk, stored: &[u8], len: u32, data: &[u8]) -> bool {
    let Chunk { compression, reserved, .. } = *chunk;
    let frame = Frame { name: ChunkName::default(), compression, len, reserved, stored };
    let mut budget = Budget::new(DEFAULT_MAX_BYTES);
    Inflater::default().inflate(&frame, &mut budget).is_ok_and(|inflated| inflated == data)
}

/// The path of a part, for errors.
fn describe(document: &Document, part: &Part) -> String {
    let class = |index: u32| document.classes.get(usize::try_from(index).unwrap_or(usize::MAX));
    match part {
        Part::Metadata => "metadata".into(),
        Part::SharedStrings => "shared_strings".into(),
        Part::Signatures => "signatures".into(),
        Part::Class(index) => class(*index).map_or_else(String::new, |class| class.name.to_string()),
        Part::Property(index, property) => {
            let Some(class) = class(*index) else { return String::new() };
            let property = class.properties.get(usize::try_from(*property).unwrap_or(usize::MAX));
            property.map_or_else(String::new, |property| format!("{}.{}", class.name, property.name))
        }
        Part::Parents => "parents".into(),
        Part::End => "end".into(),
        Part::Raw(place) => raw(document, *place).map_or_else(String::new, |raw| raw.name.to_string()),
    }
}

fn raw(document: &Document, place: u32) -> Option<&RawChunk> {
    document.layout.raw.get(usize::try_from(place).unwrap_or(usize::MAX))
}

/// Appends what a part holds to `out`, and says the name of its chunk.
fn fill(document: &Document, part: &Part, out: &mut Vec<u8>) -> Result<ChunkName> {
    let layout = &document.layout;
    let within = |error: Error| error.within(&describe(document, part));
    Ok(match part {
        Part::Metadata => {
            parts::write_metadata(&document.metadata, out)?;
            out.extend_from_slice(&layout.metadata_extra);
            ChunkName::META
        }
        Part::SharedStrings => {
            parts::write_shared_strings(layout.shared_strings_version, &document.shared_strings, out)?;
            out.extend_from_slice(&layout.shared_strings_extra);
            ChunkName::SSTR
        }
        Part::Signatures => {
            out.extend_from_slice(document.signatures.as_deref().unwrap_or_default());
            ChunkName::SIGN
        }
        Part::Class(index) => {
            let class = document.classes.get(usize::try_from(*index).unwrap_or(usize::MAX));
            class.map_or(Ok(()), |class| parts::write_class(class, out)).map_err(within)?;
            ChunkName::INST
        }
        Part::Property(index, place) => {
            let class = document.classes.get(usize::try_from(*index).unwrap_or(usize::MAX));
            let place = usize::try_from(*place).unwrap_or(usize::MAX);
            if let Some((class, property)) =
                class.and_then(|class| Some((class, class.properties.get(place)?)))
            {
                parts::write_property_head(class.id, &property.name, out).map_err(within)?;
                column::write(&property.column, class.referents.len(), out).map_err(within)?;
            }
            ChunkName::PROP
        }
        Part::Parents => {
            parts::write_parents(&document.parents, out)?;
            out.extend_from_slice(&layout.parents_extra);
            ChunkName::PRNT
        }
        Part::End => {
            out.extend_from_slice(layout.end.as_deref().unwrap_or(END_MAGIC));
            ChunkName::END
        }
        Part::Raw(place) => match raw(document, *place) {
            Some(raw) => {
                out.extend_from_slice(&raw.bytes);
                raw.name
            }
            None => ChunkName::default(),
        },
    })
}

/// The chunks to write, in order: those of the layout whose parts are there, each once, and at their
/// natural places the parts that the layout does not list.
fn plan(document: &Document) -> Result<Vec<Chunk>> {
    let mut plan = Plan::new(document);
    let listed = document.layout.chunks.as_deref().unwrap_or_default();
    // A document that was never in a file gets an END, one that was read gets what it had.
    let had_end = document.layout.has(Part::End);
    let last_class = listed.iter().rposition(|chunk| matches!(chunk.part, Part::Class(_)));
    let has_parents = document.layout.has(Part::Parents);
    for (place, chunk) in listed.iter().enumerate() {
        match chunk.part {
            Part::Class(_) => plan.before_classes(),
            Part::Property(class, _) => plan.class(class),
            Part::Parents => plan.before_parents()?,
            Part::End => plan.before_end(has_parents)?,
            _ => {}
        }
        plan.push(*chunk);
        if Some(place) == last_class {
            plan.classes()?;
        }
    }
    plan.before_end(has_parents)?;
    if !had_end && (document.layout.chunks.is_none() || document.layout.edited) {
        plan.add(Part::End);
    }
    Ok(plan.chunks)
}

/// What is known of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// The layout does not list it: it is written at its natural place.
    #[default]
    Missing,
    /// The layout lists it: it is written there, wherever that is.
    Listed,
    /// It is planned already.
    Planned,
}

struct Plan<'a> {
    document: &'a Document,
    chunks: Vec<Chunk>,
    /// Metadata, shared strings, signatures, parents.
    singles: [State; 4],
    /// Per class: itself, and each of its columns.
    classes: Vec<(State, Vec<State>)>,
    /// Of what may stand in a file more than once.
    other: State,
}

impl<'a> Plan<'a> {
    fn new(document: &'a Document) -> Self {
        let classes = document.classes.iter();
        let classes = classes.map(|class| (State::Missing, vec![State::Missing; class.properties.len()]));
        let listed = document.layout.chunks.as_deref().unwrap_or_default();
        let mut plan = Self {
            document,
            chunks: Vec::with_capacity(listed.len()),
            singles: Default::default(),
            classes: classes.collect(),
            other: State::Missing,
        };
        for chunk in listed {
            if let Some(state) = plan.state(&chunk.part) {
                *state = State::Listed;
            }
        }
        plan
    }

    /// What is known of a part; `None` where it is gone.
    fn state(&mut self, part: &Part) -> Option<&mut State> {
        let [metadata, shared_strings, signatures, parents] = &mut self.singles;
        Some(match *part {
            Part::Metadata => metadata,
            Part::SharedStrings => shared_strings,
            Part::Signatures if self.document.signatures.is_none() => return None,
            Part::Signatures => signatures,
            Part::Parents => parents,
            Part::Class(index) => &mut self.classes.get_mut(usize::try_from(index).ok()?)?.0,
            Part::Property(index, place) => {
                let (_, properties) = self.classes.get_mut(usize::try_from(index).ok()?)?;
                properties.get_mut(usize::try_from(place).ok()?)?
            }
            Part::Raw(place) if raw(self.document, place).is_none() => return None,
            Part::End | Part::Raw(_) => {
                self.other = State::Missing;
                &mut self.other
            }
        })
    }

    /// Plans a chunk, unless its part is gone or planned already.
    fn push(&mut self, chunk: Chunk) {
        if let Some(state) = self.state(&chunk.part)
            && std::mem::replace(state, State::Planned) != State::Planned
        {
            self.chunks.push(chunk);
        }
    }

    /// Plans a part at its natural place, unless the layout lists it.
    fn add(&mut self, part: Part) {
        if self.state(&part) == Some(&mut State::Missing) {
            self.push(Chunk::new(part));
        }
    }

    /// What stands before the first class and is not listed.
    fn before_classes(&mut self) {
        if !self.document.metadata.is_empty() {
            self.add(Part::Metadata);
        }
        if !self.document.shared_strings.is_empty() {
            self.add(Part::SharedStrings);
        }
    }

    fn class(&mut self, index: u32) {
        self.push(Chunk::new(Part::Class(index)));
    }

    /// The classes that are not listed.
    fn classes(&mut self) -> Result<()> {
        for index in 0..self.classes.len() {
            self.add(Part::Class(part_index(index)?));
        }
        Ok(())
    }

    /// The classes and columns that are not listed.
    fn before_parents(&mut self) -> Result<()> {
        self.before_classes();
        self.classes()?;
        for class in 0..self.classes.len() {
            let count = self.classes.get(class).map_or(0, |(_, properties)| properties.len());
            for property in 0..count {
                self.add(Part::Property(part_index(class)?, part_index(property)?));
            }
        }
        Ok(())
    }

    fn before_end(&mut self, has_parents: bool) -> Result<()> {
        self.before_parents()?;
        let layout = &self.document.layout;
        // A file without parents that nobody edited stays as it was.
        let natural = layout.chunks.is_none() || layout.edited || !self.document.parents.children.is_empty();
        if !has_parents && natural {
            self.add(Part::Parents);
        }
        if self.document.signatures.is_some() {
            self.push(Chunk::new(Part::Signatures));
        }
        Ok(())
    }
}

fn part_index(index: usize) -> Result<u32> {
    u32::try_from(index).map_err(|_| Error::unwritable("classes", "more of them than 32 bits can count"))
}
