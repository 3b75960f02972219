//! Access to the rows of a column: reads, replaces, adds and removes values in constant time.

use bstr::BStr;
use geom::{Vec2, Vec3};
use rbxcore::parts::spare;
use rbxcore::{
    Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ContentRef, Faces, FontRef,
    NumberRange, NumberSequence, PhysicalProperties, Ray, Rect, SecurityCapabilities, SharedBytes, UDim,
    UDim2, UniqueId, Vector2int16, Vector3int16,
};

use super::lists::{ContentEntry, Contents, Fonts, SharedIndex};
use super::pool::Pool;
use super::strings::Strings;
use super::{Index, InstanceId, Referent, SharedString};

/// Why a value does not fit into a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mismatch {
    /// The column has values of another type.
    Type,
    /// The row does not exist.
    Row,
    /// The column would be too long for a count of 32 bits.
    Full,
    /// The instance that the value refers to is not in the document.
    Reference,
    /// The values of the column cannot be separated.
    Unknown,
}

/// The target of a value: the row with this index, or a new row after the last.
pub(crate) type At = Option<usize>;

/// The context for reading the values of a column.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) shared: &'a [SharedString],
    pub(crate) index: &'a Index,
}

/// The context for writing the values of a column.
pub(crate) struct Sink<'a> {
    pub(crate) strings: &'a mut Vec<SharedString>,
    pub(crate) pool: &'a mut Pool,
    /// The referent of an instance; `None` if it is not in the document.
    pub(crate) referent: &'a dyn Fn(InstanceId) -> Option<Referent>,
}

impl Sink<'_> {
    fn referent(&self, id: Option<InstanceId>) -> Result<Referent, Mismatch> {
        id.map_or(Ok(Referent::NULL), |id| (self.referent)(id).ok_or(Mismatch::Reference))
    }
}

/// The list of a column's values, or several lists of the same length.
pub(crate) trait Lists {
    /// The number of rows.
    fn count(&self) -> usize;
    /// Removes one of `count` rows; the last one takes its index. A list of another length is truncated at that
    /// row.
    fn remove_row(&mut self, row: usize, count: usize);
    /// A copy with space for more rows.
    fn copy(&self) -> Self;
    /// Allocates space for more rows, if that is one allocation.
    fn room(&mut self, _more: usize) {}
}

impl<T: Clone> Lists for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn remove_row(&mut self, row: usize, count: usize) {
        if self.len() != count {
            self.truncate(row);
        } else if row < count {
            self.swap_remove(row);
        }
    }

    fn copy(&self) -> Self {
        spare::copy(self)
    }

    fn room(&mut self, more: usize) {
        self.reserve_exact(more);
    }
}

impl Lists for Strings {
    fn count(&self) -> usize {
        self.len()
    }

    fn remove_row(&mut self, row: usize, _: usize) {
        self.swap_remove(row);
    }

    fn copy(&self) -> Self {
        self.clone()
    }
}

/// Implements `Lists` for columns of several lists; the first one has an entry for each row.
macro_rules! lists {
    ($($kind:ident: $first:ident $(, $list:ident)+;)+) => {$(
        impl Lists for $kind {
            fn count(&self) -> usize {
                self.$first.count()
            }

            fn remove_row(&mut self, row: usize, count: usize) {
                self.$first.remove_row(row, count);
                $(self.$list.remove_row(row, count);)+
            }

            fn copy(&self) -> Self {
                Self { $first: self.$first.copy(), $($list: self.$list.copy()),+ }
            }
        }
    )+};
}
lists! {
    Fonts: styles, families, weights, cached_face_ids;
}

impl Lists for Contents {
    fn count(&self) -> usize {
        self.entries.len()
    }

    fn remove_row(&mut self, row: usize, count: usize) {
        self.entries.remove_row(row, count);
        self.compact();
    }

    fn copy(&self) -> Self {
        Self { entries: self.entries.copy(), uris: self.uris.clone(), external: self.external.clone() }
    }
}

/// The rows of a column.
pub(crate) trait Rows: Lists {
    /// A value by reference.
    type Of<'a>
    where
        Self: 'a;

    /// The value of a row. `None` if the row, or its shared string, does not exist.
    fn value<'a>(&'a self, row: usize, source: &Source<'a>) -> Option<Self::Of<'a>>;
    /// Puts a value into a row.
    fn put(&mut self, at: At, value: Self::Of<'_>, sink: &mut Sink<'_>) -> Result<(), Mismatch>;
}

fn put<T>(values: &mut Vec<T>, at: At, value: T) -> Result<(), Mismatch> {
    match at {
        None => values.push(value),
        Some(row) => *values.get_mut(row).ok_or(Mismatch::Row)? = value,
    }
    Ok(())
}

/// Implements `Rows` for vectors, given the type of a value by reference and the conversions from and to an element.
macro_rules! vectors {
    ($($kind:ty as $of:ty: |$row:ident, $source:ident| $value:expr, |$new:ident, $sink:ident| $put:expr;)+) => {$(
        impl Rows for Vec<$kind> {
            type Of<'a> = $of;

            fn value<'a>(&'a self, row: usize, $source: &Source<'a>) -> Option<Self::Of<'a>> {
                let $row = self.get(row)?;
                Some($value)
            }

            fn put(&mut self, at: At, $new: Self::Of<'_>, $sink: &mut Sink<'_>) -> Result<(), Mismatch> {
                put(self, at, $put)
            }
        }
    )+};
}
vectors! {
    NumberSequence as &'a NumberSequence: |row, _source| row, |new, _sink| new.clone();
    ColorSequence as &'a ColorSequence: |row, _source| row, |new, _sink| new.clone();
    Referent as Option<InstanceId>: |row, source| source.index.by_referent(*row), |new, sink| sink.referent(new)?;
    SharedIndex as &'a SharedBytes:
        |row, source| &source.shared.get(row.0 as usize)?.bytes,
        |new, sink| sink.pool.place(sink.strings, new).ok_or(Mismatch::Full)?;
}

macro_rules! plain {
    ($($kind:ty),+ $(,)?) => { vectors! { $($kind as $kind: |row, _source| *row, |new, _sink| new;)+ } };
}
plain! {
    bool, i32, i64, u32, f32, f64, UDim, UDim2, Ray, Faces, Axes, BrickColor, Color3, Color3uint8, Vec2, Vec3,
    Vector2int16, Vector3int16, NumberRange, Rect, UniqueId, SecurityCapabilities, CFrame, CFrameQuat, Option<CFrame>,
    PhysicalProperties,
}

impl Rows for Strings {
    type Of<'a> = &'a BStr;

    fn value<'a>(&'a self, row: usize, _: &Source<'a>) -> Option<&'a BStr> {
        self.get(row)
    }

    fn put(&mut self, at: At, value: &BStr, _: &mut Sink<'_>) -> Result<(), Mismatch> {
        match at {
            None => self.push(value).map_err(|_| Mismatch::Full),
            Some(row) if row < self.len() => self.set(row, value).map_err(|_| Mismatch::Full),
            Some(_) => Err(Mismatch::Row),
        }
    }
}

impl Rows for Fonts {
    type Of<'a> = FontRef<'a>;

    fn value<'a>(&'a self, row: usize, _: &Source<'a>) -> Option<FontRef<'a>> {
        Some(FontRef {
            family: self.families.get(row)?,
            weight: *self.weights.get(row)?,
            style: *self.styles.get(row)?,
            cached_face_id: self.cached_face_ids.get(row)?,
        })
    }

    fn put(&mut self, at: At, value: FontRef<'_>, sink: &mut Sink<'_>) -> Result<(), Mismatch> {
        self.families.put(at, value.family, sink)?;
        self.cached_face_ids.put(at, value.cached_face_id, sink)?;
        put(&mut self.weights, at, value.weight)?;
        put(&mut self.styles, at, value.style)
    }
}

impl Rows for Contents {
    type Of<'a> = ContentRef<'a>;

    fn value<'a>(&'a self, row: usize, source: &Source<'a>) -> Option<ContentRef<'a>> {
        Some(match *self.entries.get(row)? {
            ContentEntry::None => ContentRef::None,
            ContentEntry::Uri(index) => ContentRef::Uri(self.uri(index)?),
            ContentEntry::Object(referent) => ContentRef::Object(source.index.by_referent(referent)),
        })
    }

    fn put(&mut self, at: At, value: ContentRef<'_>, sink: &mut Sink<'_>) -> Result<(), Mismatch> {
        if at.is_some_and(|row| row >= self.entries.len()) {
            return Err(Mismatch::Row);
        }
        let entry = match value {
            ContentRef::None => ContentEntry::None,
            ContentRef::Object(id) => ContentEntry::Object(sink.referent(id)?),
            ContentRef::Uri(uri) => {
                let index = u32::try_from(self.uris.len()).map_err(|_| Mismatch::Full)?;
                self.uris.push(uri).map_err(|_| Mismatch::Full)?;
                ContentEntry::Uri(index)
            }
        };
        put(&mut self.entries, at, entry)?;
        self.compact();
        Ok(())
    }
}

impl Contents {
    /// Drops the unused addresses once they outnumber the others.
    fn compact(&mut self) {
        if self.uris.len() <= 2 * self.entries.len() + 16 {
            return;
        }
        let mut uris = Strings::new();
        for entry in &mut self.entries {
            if let ContentEntry::Uri(index) = entry
                && let Some(uri) = self.uris.get(*index as usize)
                && let Ok(next) = u32::try_from(uris.len())
                && uris.push(uri).is_ok()
            {
                *index = next;
            }
        }
        self.uris = uris;
    }
}
