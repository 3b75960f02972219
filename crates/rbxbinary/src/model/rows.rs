//! One row of a column: got, set, added, taken out.

use std::collections::HashMap;

use bstr::{BStr, ByteSlice};

use super::column::{Column, ContentEntry, plain_columns};
use super::list::Strings;
use super::value::{CFrame, CFrameQuat, Font, PhysicalProperties};
use super::value_ref::{ContentRef, FontRef, ValueRef};
use super::{Referent, SharedString};

/// Where in a column a value goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// In the place of the one with this index.
    At(usize),
    /// Behind the last.
    End,
}

/// Why a value does not go into a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mismatch {
    /// The column holds values of another type.
    Type,
    /// There is no such row.
    Row,
    /// The column would be longer than 32 bits can count.
    Full,
}

fn put<T>(values: &mut Vec<T>, place: Place, value: T) -> Result<(), Mismatch> {
    match place {
        Place::End => values.push(value),
        Place::At(index) => *values.get_mut(index).ok_or(Mismatch::Row)? = value,
    }
    Ok(())
}

fn put_string(strings: &mut Strings, place: Place, value: &[u8]) -> Result<(), Mismatch> {
    let done = match place {
        Place::End => strings.try_push(value),
        Place::At(index) if index < strings.len() => strings.try_set(index, value),
        Place::At(_) => return Err(Mismatch::Row),
    };
    if done { Ok(()) } else { Err(Mismatch::Full) }
}

/// The shared strings of a document, and where those of each length are, so that none is there twice.
#[derive(Debug)]
pub(crate) struct Pool<'a> {
    strings: &'a mut Vec<SharedString>,
    by_len: Option<HashMap<usize, Vec<u32>>>,
}

impl<'a> Pool<'a> {
    pub(crate) fn new(strings: &'a mut Vec<SharedString>) -> Self {
        Self { strings, by_len: None }
    }

    /// The place of a string, which is added where it is new.
    pub(crate) fn place(&mut self, bytes: &BStr) -> Result<u32, Mismatch> {
        let Self { strings, by_len } = self;
        let by_len = by_len.get_or_insert_with(|| {
            let mut by_len: HashMap<usize, Vec<u32>> = HashMap::new();
            for (string, place) in strings.iter().zip(0_u32..) {
                by_len.entry(string.bytes.len()).or_default().push(place);
            }
            by_len
        });
        let places = by_len.entry(bytes.len()).or_default();
        let there = places.iter().find(|place| strings[**place as usize].bytes == bytes);
        if let Some(&place) = there {
            return Ok(place);
        }
        let place = u32::try_from(strings.len()).map_err(|_| Mismatch::Full)?;
        places.push(place);
        strings.push(SharedString { hash: [0; 16], bytes: bytes.to_owned() });
        Ok(place)
    }
}

macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident($kind:ty) = $id:ident, $neutral:expr;)+) => {
        impl Column {
            /// The value in a row. `None` where there is no such row, where the values cannot be
            /// told apart, and where a shared string is not in the document's table, which is
            /// `shared`.
            pub fn get<'a>(&'a self, row: usize, shared: &'a [SharedString]) -> Option<ValueRef<'a>> {
                Some(match self {
                    $(Self::$name(values) => ValueRef::$name(*values.get(row)?),)+
                    Self::String(strings) => ValueRef::String(strings.get(row)?),
                    Self::Bytecode(strings) => ValueRef::Bytecode(strings.get(row)?),
                    Self::CFrame(frames) => ValueRef::CFrame(*frames.values.get(row)?),
                    Self::CFrameQuat(frames) => ValueRef::CFrameQuat(*frames.values.get(row)?),
                    Self::NumberSequence(lists) => ValueRef::NumberSequence(lists.get(row)?),
                    Self::ColorSequence(lists) => ValueRef::ColorSequence(lists.get(row)?),
                    Self::PhysicalProperties(column) => {
                        ValueRef::PhysicalProperties(*column.values.get(row)?)
                    }
                    Self::SharedString(places) => {
                        ValueRef::SharedString(shared.get(*places.get(row)? as usize)?.bytes.as_bstr())
                    }
                    Self::OptionalCFrame(frames) => {
                        let value = frames.frames.values.get(row)?;
                        ValueRef::OptionalCFrame(frames.present.get(row)?.then_some(*value))
                    }
                    Self::Font(fonts) => ValueRef::Font(FontRef {
                        family: fonts.families.get(row)?,
                        weight: *fonts.weights.get(row)?,
                        style: *fonts.styles.get(row)?,
                        cached_face_id: fonts.cached_face_ids.get(row)?,
                    }),
                    Self::Content(contents) => ValueRef::Content(match *contents.entries.get(row)? {
                        ContentEntry::None => ContentRef::None,
                        ContentEntry::Uri(place) => ContentRef::Uri(contents.uri(place)?),
                        ContentEntry::Object(referent) => ContentRef::Object(referent),
                    }),
                    Self::Unknown { .. } | Self::Untyped => return None,
                })
            }

            /// Puts a value into the column. A value of a type that the column's can hold exactly is
            /// converted: strings among each other, numbers where nothing is lost.
            #[allow(clippy::cast_possible_truncation, reason = "compared with the value just behind")]
            pub(crate) fn put(
                &mut self,
                place: Place,
                value: ValueRef<'_>,
                pool: &mut Pool<'_>,
            ) -> Result<(), Mismatch> {
                match (self, value) {
                    $((Self::$name(values), ValueRef::$name(value)) => put(values, place, value),)+
                    (Self::Int64(values), ValueRef::Int32(value)) => put(values, place, value.into()),
                    (Self::Int32(values), ValueRef::Int64(value)) => {
                        put(values, place, i32::try_from(value).map_err(|_| Mismatch::Type)?)
                    }
                    (Self::Float64(values), ValueRef::Float32(value)) => put(values, place, value.into()),
                    (Self::Float32(values), ValueRef::Float64(value)) => {
                        let narrow = value as f32;
                        let same = f64::from(narrow).to_bits() == value.to_bits();
                        put(values, place, same.then_some(narrow).ok_or(Mismatch::Type)?)
                    }
                    (
                        Self::String(strings),
                        ValueRef::String(value) | ValueRef::Bytecode(value) | ValueRef::SharedString(value),
                    ) => put_string(strings, place, value),
                    (
                        Self::Bytecode(strings),
                        ValueRef::String(value) | ValueRef::Bytecode(value) | ValueRef::SharedString(value),
                    ) => put_string(strings, place, value),
                    (
                        Self::SharedString(places),
                        ValueRef::String(value) | ValueRef::Bytecode(value) | ValueRef::SharedString(value),
                    ) => put(places, place, pool.place(value)?),
                    (Self::CFrame(frames), ValueRef::CFrame(value)) => put_frame(frames, place, value),
                    (Self::OptionalCFrame(frames), ValueRef::CFrame(value)) => {
                        put_frame(&mut frames.frames, place, value)?;
                        put(&mut frames.present, place, true)
                    }
                    (Self::OptionalCFrame(frames), ValueRef::OptionalCFrame(value)) => {
                        put_frame(&mut frames.frames, place, value.unwrap_or(CFrame::IDENTITY))?;
                        put(&mut frames.present, place, value.is_some())
                    }
                    (Self::CFrameQuat(frames), ValueRef::CFrameQuat(value)) => match place {
                        Place::End => {
                            frames.push(value);
                            Ok(())
                        }
                        // The id no longer fits, which writing notices.
                        Place::At(_) => put(&mut frames.values, place, value),
                    },
                    (Self::NumberSequence(lists), ValueRef::NumberSequence(value)) => match place {
                        Place::End => lists.try_push(value).then_some(()).ok_or(Mismatch::Full),
                        Place::At(row) => lists.try_set(row, value).then_some(()).ok_or(Mismatch::Row),
                    },
                    (Self::ColorSequence(lists), ValueRef::ColorSequence(value)) => match place {
                        Place::End => lists.try_push(value).then_some(()).ok_or(Mismatch::Full),
                        Place::At(row) => lists.try_set(row, value).then_some(()).ok_or(Mismatch::Row),
                    },
                    (Self::PhysicalProperties(column), ValueRef::PhysicalProperties(value)) => match place {
                        Place::End => {
                            column.push(value);
                            Ok(())
                        }
                        Place::At(_) => put(&mut column.values, place, value),
                    },
                    (Self::Font(fonts), ValueRef::Font(value)) => {
                        put_string(&mut fonts.families, place, value.family)?;
                        put_string(&mut fonts.cached_face_ids, place, value.cached_face_id)?;
                        put(&mut fonts.weights, place, value.weight)?;
                        put(&mut fonts.styles, place, value.style)
                    }
                    (Self::Content(contents), ValueRef::Content(value)) => {
                        let entry = match value {
                            ContentRef::None => ContentEntry::None,
                            ContentRef::Object(referent) => ContentEntry::Object(referent),
                            ContentRef::Uri(uri) => {
                                let next = u32::try_from(contents.uris.len()).map_err(|_| Mismatch::Full)?;
                                put_string(&mut contents.uris, Place::End, uri)?;
                                ContentEntry::Uri(next)
                            }
                        };
                        put(&mut contents.entries, place, entry)
                    }
                    _ => Err(Mismatch::Type),
                }
            }

            /// Adds neutral values until there are `count`: zero, false, empty, none, the identity.
            pub(crate) fn fill(&mut self, count: usize, pool: &mut Pool<'_>) -> Result<(), Mismatch> {
                let missing = self.len().map_or(0, |len| count.saturating_sub(len));
                match self {
                    $(Self::$name(values) => values.resize(values.len() + missing, $neutral),)+
                    Self::SharedString(places) => {
                        if missing > 0 {
                            let empty = pool.place(b"".as_bstr())?;
                            places.resize(places.len() + missing, empty);
                        }
                    }
                    Self::Unknown { .. } | Self::Untyped => {}
                    _ => {
                        let font = Font { weight: 400, ..Font::default() };
                        for _ in 0..missing {
                            let neutral = match self {
                                Self::CFrame(_) => ValueRef::CFrame(CFrame::IDENTITY),
                                Self::CFrameQuat(_) => ValueRef::CFrameQuat(CFrameQuat::IDENTITY),
                                Self::NumberSequence(_) => ValueRef::NumberSequence(&[]),
                                Self::ColorSequence(_) => ValueRef::ColorSequence(&[]),
                                Self::PhysicalProperties(_) => {
                                    ValueRef::PhysicalProperties(PhysicalProperties::Default)
                                }
                                Self::OptionalCFrame(_) => ValueRef::OptionalCFrame(None),
                                Self::Font(_) => ValueRef::Font(font.as_ref()),
                                Self::Content(_) => ValueRef::Content(ContentRef::None),
                                _ => ValueRef::String(b"".as_bstr()),
                            };
                            self.put(Place::End, neutral, pool)?;
                        }
                    }
                }
                Ok(())
            }

            /// Keeps the rows for which this is true.
            pub(crate) fn retain(&mut self, keep: &[bool]) {
                match self {
                    $(Self::$name(values) => retain(values, keep),)+
                    Self::SharedString(places) => retain(places, keep),
                    Self::String(strings) => strings.retain_rows(keep),
                    Self::Bytecode(strings) => strings.retain_rows(keep),
                    Self::CFrame(frames) => {
                        retain(&mut frames.values, keep);
                        retain(&mut frames.ids, keep);
                    }
                    Self::CFrameQuat(frames) => {
                        retain(&mut frames.values, keep);
                        retain(&mut frames.ids, keep);
                    }
                    Self::OptionalCFrame(frames) => {
                        retain(&mut frames.frames.values, keep);
                        retain(&mut frames.frames.ids, keep);
                        retain(&mut frames.present, keep);
                    }
                    Self::NumberSequence(lists) => lists.retain_rows(keep),
                    Self::ColorSequence(lists) => lists.retain_rows(keep),
                    Self::PhysicalProperties(column) => {
                        retain(&mut column.values, keep);
                        retain(&mut column.flags, keep);
                    }
                    Self::Font(fonts) => {
                        fonts.families.retain_rows(keep);
                        fonts.cached_face_ids.retain_rows(keep);
                        retain(&mut fonts.weights, keep);
                        retain(&mut fonts.styles, keep);
                    }
                    Self::Content(contents) => {
                        retain(&mut contents.entries, keep);
                        contents.compact();
                    }
                    Self::Unknown { .. } | Self::Untyped => {}
                }
            }
        }
    };
}
plain_columns!(rows);

impl Column {
    /// Puts other references in the place of those that are there.
    pub(crate) fn map_referents(&mut self, map: impl Fn(Referent) -> Referent) {
        match self {
            Self::Ref(values) => values.iter_mut().for_each(|value| *value = map(*value)),
            Self::Content(contents) => {
                for entry in &mut contents.entries {
                    if let ContentEntry::Object(referent) = entry {
                        *referent = map(*referent);
                    }
                }
            }
            _ => {}
        }
    }
}

impl super::Contents {
    /// Drops the addresses that no entry names any more, and lists the others in the entries' order.
    pub(crate) fn compact(&mut self) {
        let mut uris = Strings::new();
        for entry in &mut self.entries {
            if let ContentEntry::Uri(place) = entry {
                let uri = self.uris.get(*place as usize).unwrap_or_default();
                // No more of them than there were entries, whose count has 32 bits.
                *place = u32::try_from(uris.len()).unwrap_or(u32::MAX);
                uris.try_push(uri);
            }
        }
        self.uris = uris;
    }
}

fn put_frame(frames: &mut super::CFrames, place: Place, value: CFrame) -> Result<(), Mismatch> {
    match place {
        Place::End => {
            frames.push(value);
            Ok(())
        }
        // Where the id no longer fits, writing takes the shortest form.
        Place::At(_) => put(&mut frames.values, place, value),
    }
}

/// Keeps the rows for which this is true.
pub(crate) fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    values.retain(|_| keep.next() != Some(&false));
}
