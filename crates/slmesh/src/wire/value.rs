//! Values of LLSD in the input, which are not built unless somebody asks: an array of vertices is a
//! binary, and its bytes are decoded where they stand.

use std::borrow::Cow;

use llsd::bstr::BStr;
use llsd::{Encoding, Event, Reader, Text, Value};
use nom::number::complete::{be_f64, be_i32};

use crate::wire::fail::{At, Fail, Here};
use crate::wire::{Got, Limits, kind_of};

/// A value that is well-formed: exactly its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'a>(pub(crate) &'a [u8]);

/// The events of a value. Errors stand where `explain` puts them.
fn events(bytes: &[u8], max_depth: u32) -> Got<'_, Reader<'_>> {
    let options = llsd::ReadOptions::new().encoding(Encoding::Binary).max_depth(max_depth);
    options.events(bytes).map_err(|error| explain(bytes, &error))
}

/// An error of the LLSD underneath, at its place.
fn explain<'a>(bytes: &'a [u8], error: &llsd::Error) -> nom::Err<Fail<'a>> {
    let offset = error.offset().and_then(|offset| usize::try_from(offset).ok()).unwrap_or(0);
    let at = bytes.get(offset..).unwrap_or_default();
    let failed = Err::<(), _>(Fail::new(at, kind_of(error)));
    let failed = if error.path().is_empty() { failed } else { failed.named(|| error.path().to_owned()) };
    match failed {
        Err(failed) => failed,
        Ok(()) => Fail::end(bytes),
    }
}

impl<'a> Raw<'a> {
    /// The first value of a document; what stands behind it is not looked at.
    pub(crate) fn first(bytes: &'a [u8], max_depth: u32) -> Got<'a, Self> {
        Inside { bytes, reader: events(bytes, max_depth)? }.value()
    }

    fn payload(self, marker: u8) -> Option<&'a [u8]> {
        self.0.split_first().filter(|(found, _)| **found == marker).map(|(_, rest)| rest)
    }

    /// A binary's bytes.
    pub(crate) fn binary(self) -> Option<&'a [u8]> {
        // The length is behind the marker; a negative one is none.
        self.payload(b'b').map(|rest| rest.get(4..).unwrap_or_default())
    }

    pub(crate) fn integer(self) -> Option<i32> {
        be_i32::<_, Fail<'_>>(self.payload(b'i')?).ok().map(|(_, integer)| integer)
    }

    pub(crate) fn boolean(self) -> Option<bool> {
        match self.0 {
            b"1" => Some(true),
            b"0" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn real(self) -> Option<f64> {
        be_f64::<_, Fail<'_>>(self.payload(b'r')?).ok().map(|(_, real)| real)
    }

    /// A real, or an integer that stands for one.
    pub(crate) fn number(self) -> Option<f64> {
        self.real().or_else(|| self.integer().map(f64::from))
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self.0.first(), Some(b's' | b'\'' | b'"'))
    }

    /// Exactly so many numbers.
    pub(crate) fn numbers<const N: usize>(self, limits: &Limits) -> Got<'a, Option<[f64; N]>> {
        let mut numbers = [0.0; N];
        // Nearly always all of them are reals, which stand at known places.
        let inside = self.0.get(5..self.0.len().saturating_sub(1)).unwrap_or_default();
        let (reals, rest) = inside.as_chunks::<9>();
        if self.payload(b'[').is_some() && reals.len() == N && rest.is_empty() {
            let all_reals = reals.iter().zip(&mut numbers).all(|([marker, bits @ ..], number)| {
                *number = f64::from_be_bytes(*bits);
                *marker == b'r'
            });
            if all_reals {
                return Ok(Some(numbers));
            }
        }
        let Some(mut items) = self.items(limits)? else { return Ok(None) };
        for place in &mut numbers {
            let Some(number) = items.next()?.and_then(Raw::number) else { return Ok(None) };
            *place = number;
        }
        Ok(items.next()?.is_none().then_some(numbers))
    }

    /// The values of an array.
    pub(crate) fn items(self, limits: &Limits) -> Got<'a, Option<Inside<'a>>> {
        self.inside(b'[', limits)
    }

    /// The entries of a map.
    pub(crate) fn entries(self, limits: &Limits) -> Got<'a, Option<Inside<'a>>> {
        self.inside(b'{', limits)
    }

    fn inside(self, marker: u8, limits: &Limits) -> Got<'a, Option<Inside<'a>>> {
        if self.payload(marker).is_none() {
            return Ok(None);
        }
        let mut inside = Inside { bytes: self.0, reader: events(self.0, limits.max_depth)? };
        inside.event()?;
        Ok(Some(inside))
    }

    /// The value, built.
    pub(crate) fn value(self, limits: &mut Limits) -> Got<'a, Value> {
        limits.budget.take(self.cost(limits.max_depth)?).here(self.0)?;
        let options = llsd::ReadOptions::new().encoding(Encoding::Binary).max_depth(limits.max_depth);
        options.max_bytes(u64::MAX).read(self.0).map_err(|error| explain(self.0, &error))
    }

    /// A string, built; `None` for what is none.
    pub(crate) fn text(self, limits: &mut Limits) -> Got<'a, Option<Text>> {
        if !self.is_text() {
            return Ok(None);
        }
        match self.value(limits)? {
            Value::String(text) => Ok(Some(text)),
            _ => Ok(None),
        }
    }

    /// The most that building the value takes, vectors that grow included.
    fn cost(self, max_depth: u32) -> Got<'a, u64> {
        let entry = size_of::<(Text, Value)>() as u64;
        let mut cost = 0_u64;
        let mut reader = events(self.0, max_depth)?;
        while let Some(event) = reader.next_event().map_err(|error| explain(self.0, &error))? {
            let len = match &event {
                Event::String(text) | Event::Uri(text) | Event::Binary(text) | Event::Key(text) => text.len(),
                _ => 0,
            };
            cost = cost.saturating_add(entry.saturating_mul(2)).saturating_add(len as u64);
        }
        Ok(cost)
    }
}

/// A container that is being read.
#[derive(Debug)]
pub(crate) struct Inside<'a> {
    bytes: &'a [u8],
    reader: Reader<'a>,
}

impl<'a> Inside<'a> {
    fn event(&mut self) -> Got<'a, Option<Event<'a>>> {
        self.reader.next_event().map_err(|error| explain(self.bytes, &error))
    }

    /// What was not read yet.
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.reader.used()..).unwrap_or_default()
    }

    /// The next value.
    pub(crate) fn value(&mut self) -> Got<'a, Raw<'a>> {
        let rest = self.rest();
        self.reader.skip_value().map_err(|error| explain(self.bytes, &error))?;
        let len = rest.len().saturating_sub(self.rest().len());
        Ok(Raw(rest.get(..len).unwrap_or_default()))
    }

    /// The next value of an array.
    pub(crate) fn next(&mut self) -> Got<'a, Option<Raw<'a>>> {
        let raw = self.value()?;
        // The end of the array is skipped as a value is.
        Ok((raw.0 != b"]" && !raw.0.is_empty()).then_some(raw))
    }

    /// The next entry of a map.
    pub(crate) fn next_entry(&mut self) -> Got<'a, Option<(Cow<'a, BStr>, Raw<'a>)>> {
        match self.event()? {
            Some(Event::Key(key)) => Ok(Some((key, self.value()?))),
            _ => Ok(None),
        }
    }

    /// Goes into the next value of an array, which must be a map; false at the end of the array. The
    /// map's entries are to be read to their end then.
    pub(crate) fn next_map(&mut self) -> Got<'a, bool> {
        let start = self.rest();
        match self.event()? {
            Some(Event::StartMap(_)) => Ok(true),
            Some(Event::EndArray) | None => Ok(false),
            Some(_) => Err(Fail::invalid(start, "no map")),
        }
    }
}
