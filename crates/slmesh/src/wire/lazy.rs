//! A value of binary LLSD that is checked once and built only where somebody asks for it: an array of
//! vertices is a binary, whose bytes are decoded where they are.

use std::borrow::Cow;

use llsd::bstr::BStr;
use llsd::{Date, Encoding, Event, Reader, Uuid, Value};

use super::fail::{At, Fail, Here};
use super::limits::{Got, Limits, kind_of};

/// A value that is well-formed: exactly its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lazy<'a>(&'a [u8]);

fn options(max_depth: u32) -> llsd::ReadOptions {
    llsd::ReadOptions::new().encoding(Encoding::Binary).max_depth(max_depth)
}

/// An error of llsd, at its offset in our bytes.
#[cold]
fn explain<'a>(bytes: &'a [u8], error: &llsd::Error) -> nom::Err<Fail<'a>> {
    let offset = error.offset().and_then(|offset| usize::try_from(offset).ok()).unwrap_or(0);
    let failed: Got<'a, ()> = Err(Fail::new(bytes.get(offset..).unwrap_or_default(), kind_of(error)));
    let failed = if error.path().is_empty() { failed } else { failed.named(|| error.path().to_owned()) };
    failed.err().unwrap_or_else(|| Fail::end(bytes))
}

impl<'a> Lazy<'a> {
    /// The first value in the bytes; what follows it is not looked at.
    pub(crate) fn first(bytes: &'a [u8], max_depth: u32) -> Got<'a, Self> {
        let checked = options(max_depth).events(bytes).and_then(|mut reader| {
            reader.skip_value()?;
            Ok(reader.used())
        });
        match checked {
            Ok(used) => Ok(Self(bytes.get(..used).unwrap_or_default())),
            Err(error) => Err(explain(bytes, &error)),
        }
    }

    pub(crate) fn bytes(self) -> &'a [u8] {
        self.0
    }

    fn payload(self, marker: u8) -> Option<&'a [u8]> {
        self.0.split_first().filter(|(found, _)| **found == marker).map(|(_, rest)| rest)
    }

    fn array<const N: usize>(self, marker: u8) -> Option<[u8; N]> {
        self.payload(marker)?.first_chunk().copied()
    }

    pub(crate) fn as_binary(self) -> Option<&'a [u8]> {
        // The length is after the marker.
        self.payload(b'b')?.get(4..)
    }

    pub(crate) fn as_integer(self) -> Option<i32> {
        self.array(b'i').map(i32::from_be_bytes)
    }

    pub(crate) fn as_real(self) -> Option<f64> {
        self.array(b'r').map(f64::from_be_bytes)
    }

    pub(crate) fn as_date(self) -> Option<Date> {
        self.array(b'd').map(|bits| Date(f64::from_le_bytes(bits)))
    }

    pub(crate) fn as_uuid(self) -> Option<Uuid> {
        self.array(b'u').map(Uuid)
    }

    pub(crate) fn as_boolean(self) -> Option<bool> {
        match self.0 {
            b"1" => Some(true),
            b"0" => Some(false),
            _ => None,
        }
    }

    /// Whether it is a string, and its bytes where they are as they are in the input.
    pub(crate) fn as_text(self) -> Option<Option<&'a [u8]>> {
        match self.0.first()? {
            b's' => Some(self.0.get(5..)),
            b'\'' | b'"' => Some(None),
            _ => None,
        }
    }

    /// The values of an array.
    pub(crate) fn items(self) -> Option<Items<'a>> {
        self.payload(b'[').and_then(|_| self.inside()).map(Items)
    }

    /// The entries of a map.
    pub(crate) fn entries(self) -> Option<Entries<'a>> {
        self.payload(b'{').and_then(|_| self.inside()).map(Entries)
    }

    fn inside(self) -> Option<Inside<'a>> {
        // The depth was checked already.
        let mut reader = options(u32::MAX).events(self.0).ok()?;
        reader.next_event().ok()?;
        Some(Inside { bytes: self.0, reader })
    }

    /// The value, built, with what that takes from the budget.
    pub(crate) fn to_value(self, limits: &mut Limits) -> Got<'a, Value> {
        limits.budget.take(self.cost()).here(self.0)?;
        options(limits.max_depth).max_bytes(u64::MAX).read(self.0).map_err(|error| explain(self.0, &error))
    }

    /// The most that building the value takes, vectors that grow included.
    fn cost(self) -> u64 {
        let entry = const { 2 * size_of::<(llsd::Text, Value)>() as u64 };
        let Ok(mut reader) = options(u32::MAX).events(self.0) else { return u64::MAX };
        let mut cost = 0_u64;
        while let Ok(Some(event)) = reader.next_event() {
            let len = match &event {
                Event::String(text) | Event::Uri(text) | Event::Binary(text) | Event::Key(text) => text.len(),
                _ => 0,
            };
            cost = cost.saturating_add(entry).saturating_add(len as u64);
        }
        cost
    }
}

#[derive(Debug)]
struct Inside<'a> {
    bytes: &'a [u8],
    reader: Reader<'a>,
}

impl<'a> Inside<'a> {
    fn value(&mut self) -> Option<Lazy<'a>> {
        let start = self.reader.used();
        self.reader.skip_value().ok()?;
        self.bytes.get(start..self.reader.used()).map(Lazy)
    }
}

#[derive(Debug)]
pub(crate) struct Items<'a>(Inside<'a>);

impl<'a> Iterator for Items<'a> {
    type Item = Lazy<'a>;

    fn next(&mut self) -> Option<Lazy<'a>> {
        // The end of the array is skipped as a value is.
        self.0.value().filter(|value| !matches!(value.0, b"" | b"]"))
    }
}

#[derive(Debug)]
pub(crate) struct Entries<'a>(Inside<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = (Cow<'a, BStr>, Lazy<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.reader.next_event() {
            Ok(Some(Event::Key(key))) => Some((key, self.0.value()?)),
            _ => None,
        }
    }
}
