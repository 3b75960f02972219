//! Binary: a marker, then what it tells. Numbers are big-endian, but for dates.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};

use crate::error::ErrorKind;
use crate::limits::Budget;
use crate::model::{Date, Event, Text, Uuid};
use crate::options::ReadOptions;
use crate::text::out::Out;
use crate::wire::build::push;
use crate::wire::events::{Failed, Take, deeper, shown};
use crate::wire::fail::{Fail, Here, Parsed};
use crate::wire::notation::quoted;

/// Reads events.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    rest: &'a [u8],
    open: Vec<Open>,
    /// How many values and entries the open containers still claim to have: each takes a byte at least.
    claimed: u64,
    budget: Budget,
    max_depth: u32,
    strict: bool,
    state: State,
}

/// A container that was begun.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// How many values or entries are to come.
    left: u32,
    map: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value comes next: the first, or that of a key.
    Value,
    /// What the innermost container tells comes next.
    Container,
    Over,
}

impl<'a> Source<'a> {
    pub(crate) fn new(body: &'a [u8], options: &ReadOptions, budget: Budget) -> Self {
        Self {
            rest: body,
            open: Vec::new(),
            claimed: 0,
            budget,
            max_depth: options.max_depth,
            strict: options.strict,
            state: State::Value,
        }
    }

    #[inline(always)]
    fn value(&mut self, start: &'a [u8], to: &mut impl Take<'a>) -> Result<(), Failed<'a>> {
        deeper(start, self.open.len(), self.max_depth)?;
        let Some((marker, rest)) = start.split_first() else { return Err(Fail::end(start)) };
        self.state = if self.open.is_empty() { State::Over } else { State::Container };
        let mut give = |(rest, event): (&'a [u8], Event<'a>)| {
            self.rest = rest;
            to.take(event, &mut self.budget).here(rest)
        };
        match marker {
            b'!' => give((rest, Event::Undef)),
            b'1' => give((rest, Event::Boolean(true))),
            b'0' => give((rest, Event::Boolean(false))),
            b'i' => give(map(number(rest, i32::from_be_bytes)?, Event::Integer)),
            b'r' => give(map(number(rest, f64::from_be_bytes)?, Event::Real)),
            b'd' => give(map(number(rest, f64::from_le_bytes)?, |secs| Event::Date(Date(secs)))),
            b'u' => give(map(number(rest, Uuid)?, Event::Uuid)),
            b's' => give(map(run(rest, false)?, |text| Event::String(Cow::Borrowed(text)))),
            b'l' => give(map(run(rest, false)?, |text| Event::Uri(Cow::Borrowed(text)))),
            b'b' => give(map(run(rest, !self.strict)?, |bytes| Event::Binary(Cow::Borrowed(bytes)))),
            b'\'' | b'"' => {
                let (rest, text) = quoted::read(rest, *marker, &mut self.budget)?;
                self.rest = rest;
                to.take(Event::String(text), &mut self.budget).here(rest)
            }
            b'[' => {
                let (rest, count) = self.begin(rest, false)?;
                self.rest = rest;
                to.take(Event::StartArray(Some(count)), &mut self.budget).here(rest)
            }
            b'{' => {
                let (rest, count) = self.begin(rest, true)?;
                self.rest = rest;
                to.take(Event::StartMap(Some(count)), &mut self.budget).here(rest)
            }
            b']' | b'}' if !self.open.is_empty() => {
                Err(Fail::invalid(start, "a container that ends before its count is reached"))
            }
            _ => Err(Fail::invalid(start, format!("the marker {}, which no value has", shown(start)))),
        }
    }

    /// The count of a container.
    #[inline(always)]
    fn begin(&mut self, start: &'a [u8], is_map: bool) -> Parsed<'a, usize> {
        let (rest, count) = number(start, i32::from_be_bytes)?;
        let left = match u32::try_from(count) {
            Ok(count) => count,
            // As the viewer reads a negative count.
            Err(_) if !self.strict => 0,
            Err(_) => return Err(Fail::invalid(start, format!("a count of {count}"))),
        };
        // The counts of all open containers together have to fit into what is left.
        self.claimed = self.claimed.saturating_add(left.into());
        if self.claimed > rest.len() as u64 {
            return Err(Fail::end(start));
        }
        push(&mut self.open, Open { left, map: is_map }, &mut self.budget).here(start)?;
        self.state = State::Container;
        Ok((rest, left as usize))
    }

    #[inline(always)]
    fn key(&mut self, start: &'a [u8]) -> Parsed<'a, Cow<'a, BStr>> {
        match start.split_first() {
            Some((b'k', rest)) => Ok(map(run(rest, false)?, Cow::Borrowed)),
            Some((quote @ (b'\'' | b'"'), rest)) => quoted::read(rest, *quote, &mut self.budget),
            Some((b'}' | b']', _)) => {
                Err(Fail::invalid(start, "a container that ends before its count is reached"))
            }
            // The viewer takes any other marker for an empty key.
            Some((_, rest)) if !self.strict => Ok((rest, Cow::Borrowed(BStr::new(b"")))),
            Some(_) => Err(Fail::invalid(start, format!("the marker {}, which no key has", shown(start)))),
            None => Err(Fail::end(start)),
        }
    }

    /// The end of the innermost container.
    #[inline(always)]
    fn end(&mut self, start: &'a [u8], close: u8) -> Result<&'a [u8], Failed<'a>> {
        match start.split_first() {
            Some((found, rest)) if *found == close => {
                self.open.pop();
                self.state = if self.open.is_empty() { State::Over } else { State::Container };
                Ok(rest)
            }
            Some(_) => {
                let what = format!(
                    "{} instead of {:?} at the end of what was counted",
                    shown(start),
                    char::from(close)
                );
                Err(Fail::invalid(start, what))
            }
            None => Err(Fail::end(start)),
        }
    }
}

impl<'a> super::Source<'a> for Source<'a> {
    #[inline(always)]
    fn give(&mut self, to: &mut impl Take<'a>) -> Result<bool, Failed<'a>> {
        let start = self.rest;
        let open = match self.state {
            State::Over => return Ok(false),
            State::Value => None,
            State::Container => self.open.last_mut(),
        };
        let Some(open) = open else { return self.value(start, to).map(|()| true) };
        let map = open.map;
        if let Some(left) = open.left.checked_sub(1) {
            open.left = left;
            self.claimed = self.claimed.saturating_sub(1);
            if !map {
                return self.value(start, to).map(|()| true);
            }
            let (rest, key) = self.key(start)?;
            self.rest = rest;
            self.state = State::Value;
            to.take(Event::Key(key), &mut self.budget).here(rest)?;
        } else if map {
            self.rest = self.end(start, b'}')?;
            to.take(Event::EndMap, &mut self.budget).here(self.rest)?;
        } else {
            self.rest = self.end(start, b']')?;
            to.take(Event::EndArray, &mut self.budget).here(self.rest)?;
        }
        Ok(true)
    }

    fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

#[inline(always)]
fn map<T, U>((rest, value): (&[u8], T), with: impl FnOnce(T) -> U) -> (&[u8], U) {
    (rest, with(value))
}

/// A number of `N` bytes: nom's own are calls here, one for every value.
#[inline(always)]
fn number<const N: usize, T>(start: &[u8], from: impl FnOnce([u8; N]) -> T) -> Parsed<'_, T> {
    match start.split_first_chunk() {
        Some((bytes, rest)) => Ok((rest, from(*bytes))),
        None => Err(Fail::end(start)),
    }
}

/// A length and so many bytes. A negative length is 0 where that is allowed.
#[inline(always)]
fn run(start: &[u8], negative: bool) -> Parsed<'_, &BStr> {
    let (rest, len) = number(start, i32::from_be_bytes)?;
    match usize::try_from(len) {
        Ok(len) => match rest.split_at_checked(len) {
            Some((bytes, rest)) => Ok((rest, bytes.as_bstr())),
            None => Err(Fail::end(start)),
        },
        Err(_) if negative => Ok((rest, BStr::new(b""))),
        Err(_) => Err(Fail::invalid(start, format!("a length of {len}"))),
    }
}

/// Writes events.
#[derive(Debug)]
pub(crate) struct Sink {
    out: Out,
    open: Vec<Begun>,
    /// Whether the counts with which containers begin can be trusted.
    pub(crate) counted: bool,
}

/// A container that was begun: where its count is, and how many it has.
#[derive(Debug)]
struct Begun {
    at: usize,
    count: usize,
    map: bool,
}

impl Sink {
    pub(crate) fn new(out: Vec<u8>) -> Self {
        Self { out: Out::new(out), open: Vec::new(), counted: false }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.out.finish()
    }

    #[inline(always)]
    fn run(&mut self, marker: u8, bytes: &[u8]) -> Result<(), ErrorKind> {
        let Ok(len) = i32::try_from(bytes.len()) else {
            let what = format!("{} bytes: a length has 31 bits", bytes.len());
            return Err(ErrorKind::Unwritable(what.into()));
        };
        let [a, b, c, d] = len.to_be_bytes();
        self.out.all(&[marker, a, b, c, d]);
        self.out.few(bytes);
        Ok(())
    }

    fn begin(&mut self, marker: u8, map: bool, count: Option<usize>) -> Result<(), ErrorKind> {
        if let (true, Some(count)) = (self.counted, count) {
            let [a, b, c, d] = count_bytes(count)?;
            self.out.all(&[marker, a, b, c, d]);
            return Ok(());
        }
        self.out.byte(marker);
        self.open.push(Begun { at: self.out.len(), count: 0, map });
        self.out.all(&[0; 4]);
        Ok(())
    }

    /// The count is known now.
    fn end(&mut self, marker: u8) -> Result<(), ErrorKind> {
        self.out.byte(marker);
        let Some(Begun { at, count, .. }) = self.open.pop() else { return Ok(()) };
        let bytes = count_bytes(count)?;
        if let Some(space) = self.out.written_mut(at).first_chunk_mut() {
            *space = bytes;
        }
        Ok(())
    }
}

#[inline]
fn count_bytes(count: usize) -> Result<[u8; 4], ErrorKind> {
    match i32::try_from(count) {
        Ok(count) => Ok(count.to_be_bytes()),
        Err(_) => Err(ErrorKind::Unwritable(format!("{count} values: a count has 31 bits").into())),
    }
}

impl Sink {
    /// A short text in one piece with its marker and length.
    #[inline(always)]
    fn text(&mut self, marker: u8, text: &Text) -> Result<(), ErrorKind> {
        let Some((bytes, len)) = text.padded() else { return self.run(marker, text.as_bytes()) };
        self.out.piece::<27>(len.saturating_add(5), |space| {
            if let Some((head, body)) = space.split_first_chunk_mut() {
                *head = [marker, 0, 0, 0, u8::try_from(len).unwrap_or(0)];
                body.copy_from_slice(bytes);
            }
        });
        Ok(())
    }
}

impl crate::wire::events::Sink for Sink {
    #[inline(always)]
    fn key(&mut self, key: &Text) -> Result<(), ErrorKind> {
        match self.counted {
            true => self.text(b'k', key),
            false => self.take(&Event::Key(Cow::Borrowed(key))),
        }
    }

    #[inline(always)]
    fn string(&mut self, text: &Text) -> Result<(), ErrorKind> {
        match self.counted {
            true => self.text(b's', text),
            false => self.take(&Event::String(Cow::Borrowed(text))),
        }
    }

    #[inline(always)]
    fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind> {
        // In a map the keys are counted, in an array the values.
        if !self.counted
            && let Some(open) = self.open.last_mut()
            && open.map == matches!(event, Event::Key(_))
            && !matches!(event, Event::EndArray | Event::EndMap)
        {
            open.count = open.count.saturating_add(1);
        }
        let out = &mut self.out;
        match event {
            Event::Undef => out.byte(b'!'),
            Event::Boolean(value) => out.byte(if *value { b'1' } else { b'0' }),
            Event::Integer(value) => {
                let [a, b, c, d] = value.to_be_bytes();
                out.all(&[b'i', a, b, c, d]);
            }
            Event::Real(value) => eight(out, b'r', value.to_be_bytes()),
            Event::Date(value) => eight(out, b'd', value.0.to_le_bytes()),
            Event::Uuid(value) => {
                out.piece::<17>(17, |space| {
                    let [marker, bytes @ ..] = space;
                    *marker = b'u';
                    *bytes = value.0;
                });
            }
            Event::String(text) => self.run(b's', text)?,
            Event::Uri(text) => self.run(b'l', text)?,
            Event::Binary(bytes) => self.run(b'b', bytes)?,
            Event::Key(key) => self.run(b'k', key)?,
            Event::StartArray(count) => self.begin(b'[', false, *count)?,
            Event::StartMap(count) => self.begin(b'{', true, *count)?,
            Event::EndArray => self.end(b']')?,
            Event::EndMap => self.end(b'}')?,
        }
        Ok(())
    }
}

#[inline(always)]
fn eight(out: &mut Out, marker: u8, [a, b, c, d, e, f, g, h]: [u8; 8]) {
    out.all(&[marker, a, b, c, d, e, f, g, h]);
}
