//! Binary: each value is a marker, then its content. Numbers are big-endian, except for dates.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};

use crate::model::{Date, Event, Run, Scalar, Uuid};
use crate::options::ReadOptions;
use crate::text::out::Out;
use crate::wire::events::{Failed, Span, Take, deeper, expected, shown};
use crate::wire::notation::quoted;
use crate::wire::rules::Rules;
use geom::wire::{Budget, ErrorKind, Fail, Here, Parsed, Problem};

/// Reads events.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    rest: &'a [u8],
    /// The input from the last event on.
    last: &'a [u8],
    open: Vec<Open>,
    /// The number of values and entries still to come, by the counts of the open containers. Each takes at least one
    /// byte.
    claimed: u64,
    budget: Budget,
    max_depth: u32,
    rules: Rules,
    state: State,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The number of values or entries to come.
    left: u32,
    map: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value comes next: the first, or that of a key.
    Value,
    /// The next part of the innermost container comes next: a value, a key or the end.
    Container,
    Over,
}

impl<'a> Source<'a> {
    pub(crate) fn new(body: &'a [u8], options: &ReadOptions, budget: Budget) -> Self {
        Self {
            rest: body,
            last: body,
            open: Vec::new(),
            claimed: 0,
            budget,
            max_depth: options.max_depth,
            rules: Rules::new(options),
            state: State::Value,
        }
    }

    #[inline(always)]
    fn value(&mut self, start: &'a [u8], to: &mut impl Take<'a>) -> Result<(), Failed<'a>> {
        deeper(start, self.open.len(), self.max_depth)?;
        let Some((marker, rest)) = start.split_first() else { return Err(Fail::end(start)) };
        self.state = if self.open.is_empty() { State::Over } else { State::Container };
        match marker {
            b'!' => self.to((rest, Scalar::Undef), to),
            b'1' | b'0' => self.to((rest, Scalar::Boolean(*marker == b'1')), to),
            b'i' => self.to(map(number(rest, i32::from_be_bytes)?, Scalar::Integer), to),
            b'r' => self.to(map(number(rest, f64::from_be_bytes)?, Scalar::Real), to),
            b'd' => self.to(map(number(rest, f64::from_le_bytes)?, |secs| Scalar::Date(Date(secs))), to),
            b'u' => self.to(map(number(rest, Uuid)?, Scalar::Uuid), to),
            b's' => self.to(map(run(rest, false)?, |text| Scalar::String(Cow::Borrowed(text))), to),
            b'l' => self.to(map(run(rest, false)?, |text| Scalar::Uri(Cow::Borrowed(text))), to),
            b'b' => {
                let bytes = run(rest, !self.rules.strict)?;
                if bytes.1.is_empty() && rest.first().is_some_and(|byte| *byte >= 0x80) {
                    let (_, len) = number(rest, i32::from_be_bytes)?;
                    self.rules.odd(rest, format!("expected a length of 0 or more, found {len}"))?;
                }
                self.to(map(bytes, |bytes| Scalar::Binary(Cow::Borrowed(bytes))), to)
            }
            b'\'' | b'"' => {
                let text = quoted::read(rest, *marker, &mut self.budget)?;
                self.to(map(text, Scalar::String), to)
            }
            b'[' => {
                let count = self.begin(rest, false)?;
                self.to(map(count, |count| Event::StartArray(Some(count))), to)
            }
            b'{' => {
                let count = self.begin(rest, true)?;
                self.to(map(count, |count| Event::StartMap(Some(count))), to)
            }
            b']' | b'}' if !self.open.is_empty() => {
                Err(Fail::invalid(start, "the array or map ends before its declared number of entries"))
            }
            _ => Err(expected("a type marker such as 'i', 's', '[' or '{'", start)),
        }
    }

    /// Passes an event to `to`; `rest` is the input after it.
    #[inline(always)]
    fn to(
        &mut self,
        (rest, event): (&'a [u8], impl Into<Event<'a>>),
        to: &mut impl Take<'a>,
    ) -> Result<(), Failed<'a>> {
        self.rest = rest;
        to.take(event.into(), &mut self.budget).here(rest)
    }

    /// Begins a container: reads its count.
    #[inline(always)]
    fn begin(&mut self, start: &'a [u8], is_map: bool) -> Parsed<'a, usize> {
        let (rest, count) = number(start, i32::from_be_bytes)?;
        let left = match u32::try_from(count) {
            Ok(count) => count,
            // The viewer reads a negative count as 0.
            Err(_) => {
                self.rules.odd(start, format!("expected an entry count of 0 or more, found {count}"))?;
                0
            }
        };
        // The counts of all open containers together must not exceed the remaining bytes.
        let claimed = self.claimed.checked_add(left.into()).filter(|&claimed| claimed <= rest.len() as u64);
        self.claimed = claimed.ok_or_else(|| Fail::end(start))?;
        self.budget.push(&mut self.open, Open { left, map: is_map }).here(start)?;
        self.state = State::Container;
        Ok((rest, left as usize))
    }

    #[inline(always)]
    fn key(&mut self, start: &'a [u8]) -> Parsed<'a, Cow<'a, BStr>> {
        match start.split_first() {
            Some((b'k', rest)) => Ok(map(run(rest, false)?, Cow::Borrowed)),
            Some((quote @ (b'\'' | b'"'), rest)) => quoted::read(rest, *quote, &mut self.budget),
            Some((b'}' | b']', _)) => {
                Err(Fail::invalid(start, "the array or map ends before its declared number of entries"))
            }
            // The viewer takes any other marker for an empty key.
            Some((_, rest)) => {
                self.rules
                    .odd(start, format!("expected a key marker (k, ' or \"), found {}", shown(start)))?;
                Ok((rest, Cow::Borrowed(BStr::new(b""))))
            }
            None => Err(Fail::end(start)),
        }
    }

    /// Reads the end of the innermost container.
    #[inline(always)]
    fn end(&mut self, start: &'a [u8], close: u8) -> Result<&'a [u8], Failed<'a>> {
        match start.split_first() {
            Some((found, rest)) if *found == close => {
                self.open.pop();
                self.state = if self.open.is_empty() { State::Over } else { State::Container };
                Ok(rest)
            }
            Some(_) => {
                Err(expected(&format!("{:?} after the declared number of entries", char::from(close)), start))
            }
            None => Err(Fail::end(start)),
        }
    }
}

impl<'a> super::Source<'a> for Source<'a> {
    #[inline(always)]
    fn give(&mut self, to: &mut impl Take<'a>) -> Result<bool, Failed<'a>> {
        let start = self.rest;
        self.last = start;
        let open = match self.state {
            State::Over => return Ok(false),
            State::Value => None,
            State::Container => self.open.last_mut(),
        };
        'value: {
            let Some(open) = open else { break 'value };
            let map = open.map;
            if let Some(left) = open.left.checked_sub(1) {
                open.left = left;
                self.claimed = self.claimed.saturating_sub(1);
                if !map {
                    break 'value;
                }
                let key = self.key(start)?;
                self.state = State::Value;
                self.to(self::map(key, Event::Key), to)?;
            } else if map {
                let rest = self.end(start, b'}')?;
                self.to((rest, Event::EndMap), to)?;
            } else {
                let rest = self.end(start, b']')?;
                self.to((rest, Event::EndArray), to)?;
            }
            return Ok(true);
        }
        self.value(start, to)?;
        Ok(true)
    }

    fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fn span(&self) -> Span<'a> {
        [self.last, self.rest]
    }

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

#[inline(always)]
fn map<T, U>((rest, value): (&[u8], T), with: impl FnOnce(T) -> U) -> (&[u8], U) {
    (rest, with(value))
}

/// Reads a number of `N` bytes. The functions of nom are not inlined here, and would be a call for every value.
#[inline(always)]
fn number<const N: usize, T>(start: &[u8], from: impl FnOnce([u8; N]) -> T) -> Parsed<'_, T> {
    match start.split_first_chunk() {
        Some((bytes, rest)) => Ok((rest, from(*bytes))),
        None => Err(Fail::end(start)),
    }
}

/// Reads a length, then that number of bytes. If `negative` is set, a negative length means 0; otherwise it is an error.
#[inline(always)]
fn run(start: &[u8], negative: bool) -> Parsed<'_, &BStr> {
    let (rest, len) = number(start, i32::from_be_bytes)?;
    match usize::try_from(len) {
        Ok(len) => match rest.split_at_checked(len) {
            Some((bytes, rest)) => Ok((rest, bytes.as_bstr())),
            None => Err(Fail::end(start)),
        },
        Err(_) if negative => Ok((rest, BStr::new(b""))),
        Err(_) => Err(Fail::invalid(start, format!("expected a length of 0 or more, found {len}"))),
    }
}

/// Writes events.
#[derive(Debug)]
pub(crate) struct Sink {
    out: Out,
    /// Containers whose counts are not known yet.
    open: Vec<Begun>,
}

/// An open container: the offset of its count, and the number of its values or entries so far.
#[derive(Debug)]
struct Begun {
    at: usize,
    count: usize,
    map: bool,
}

impl Sink {
    pub(crate) fn new(out: Vec<u8>) -> Self {
        Self { out: Out::new(out), open: Vec::new() }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.out.finish()
    }

    /// Writes a marker, a length and bytes.
    fn run(&mut self, marker: u8, bytes: &[u8]) -> Result<(), ErrorKind> {
        let len = Problem::fit("bytes", bytes.len(), i32::MAX).map_err(ErrorKind::Unwritable)?;
        let [a, b, c, d] = len.to_be_bytes();
        self.out.all(&[marker, a, b, c, d]);
        self.out.slice(bytes);
        Ok(())
    }

    /// Counts a value in the innermost array, or a key in the innermost map.
    #[inline]
    fn count(&mut self, key: bool) {
        if let Some(open) = self.open.last_mut()
            && open.map == key
        {
            open.count = open.count.saturating_add(1);
        }
    }

    #[inline]
    fn eight(&mut self, marker: u8, [a, b, c, d, e, f, g, h]: [u8; 8]) {
        self.out.all(&[marker, a, b, c, d, e, f, g, h]);
    }
}

#[inline]
fn count_bytes(count: usize) -> Result<[u8; 4], ErrorKind> {
    Problem::fit("values", count, i32::MAX).map(i32::to_be_bytes).map_err(ErrorKind::Unwritable)
}

impl crate::wire::events::Sink for Sink {
    #[inline(always)]
    fn scalar(&mut self, scalar: &Scalar<'_>) -> Result<(), ErrorKind> {
        if !matches!(scalar, Scalar::String(_)) {
            self.count(false);
        }
        match scalar {
            Scalar::Undef => self.out.byte(b'!'),
            Scalar::Boolean(value) => self.out.byte(if *value { b'1' } else { b'0' }),
            Scalar::Integer(value) => {
                let [a, b, c, d] = value.to_be_bytes();
                self.out.all(&[b'i', a, b, c, d]);
            }
            Scalar::Real(value) => self.eight(b'r', value.to_be_bytes()),
            Scalar::Date(value) => self.eight(b'd', value.0.to_le_bytes()),
            Scalar::Uuid(value) => self.out.piece::<17>(17, |space| {
                let [marker, bytes @ ..] = space;
                *marker = b'u';
                *bytes = value.0;
            }),
            Scalar::String(text) => return self.text(Run::Any(text), false),
            Scalar::Uri(text) => self.run(b'l', text)?,
            Scalar::Binary(bytes) => self.run(b'b', bytes)?,
        }
        Ok(())
    }

    #[inline(always)]
    fn text(&mut self, text: Run<'_>, key: bool) -> Result<(), ErrorKind> {
        self.count(key);
        let marker = if key { b'k' } else { b's' };
        let Run::Short(bytes, len) = text else { return self.run(marker, text.bytes()) };
        self.out.piece::<27>(len.saturating_add(5), |space| {
            if let Some((head, body)) = space.split_first_chunk_mut() {
                *head = [marker, 0, 0, 0, u8::try_from(len).unwrap_or(0)];
                body.copy_from_slice(bytes);
            }
        });
        Ok(())
    }

    #[inline]
    fn start(&mut self, map: bool, count: Option<usize>) -> Result<(), ErrorKind> {
        self.count(false);
        let [a, b, c, d] = count_bytes(count.unwrap_or(0))?;
        self.out.byte(if map { b'{' } else { b'[' });
        if count.is_none() {
            self.open.push(Begun { at: self.out.len(), count: 0, map });
        }
        self.out.all(&[a, b, c, d]);
        Ok(())
    }

    /// Ends a container, whose count is now known: writes the count to its place.
    #[inline]
    fn end(&mut self, map: bool) -> Result<(), ErrorKind> {
        self.out.byte(if map { b'}' } else { b']' });
        let Some(Begun { at, count, .. }) = self.open.pop() else { return Ok(()) };
        let bytes = count_bytes(count)?;
        if let Some(space) = self.out.written_mut(at).first_chunk_mut() {
            *space = bytes;
        }
        Ok(())
    }
}
