//! Reads notation.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};
use nom::bytes::complete::{take, take_till};
use nom::character::complete::i32 as decimal;

use crate::model::{Date, Event, Scalar, Uuid};
use crate::options::ReadOptions;
use crate::text::base::{decode16, decode64, is_space};
use crate::text::{date, number, unlike, uuid};
use crate::wire::events::{Failed, Span, Take, deeper, expected, shown};
use crate::wire::notation::quoted;
use crate::wire::rules::Rules;
use geom::wire::{Budget, Fail, Here, Parsed, after};

/// Reads events.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    rest: &'a [u8],
    /// The input from the last event on.
    last: &'a [u8],
    /// Whether each open container is a map.
    open: Vec<bool>,
    budget: Budget,
    max_depth: u32,
    rules: Rules,
    state: State,
}

const NO_LETTER: &str = "a number has no prefix (write 'i' before an integer or 'r' before a real)";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value comes next: the first, or that of a key.
    Value,
    /// A container has just begun.
    Begun,
    /// A value was read, and its container continues or ends.
    After,
    Over,
}

impl<'a> Source<'a> {
    pub(crate) fn new(body: &'a [u8], options: &ReadOptions, budget: Budget) -> Self {
        Self {
            rest: body,
            last: body,
            open: Vec::new(),
            budget,
            max_depth: options.max_depth,
            rules: Rules::new(options),
            state: State::Value,
        }
    }

    #[inline(always)]
    fn value(&mut self, start: &'a [u8], to: &mut impl Take<'a>) -> Result<(), Failed<'a>> {
        self.last = start;
        deeper(start, self.open.len(), self.max_depth)?;
        let Some((marker, rest)) = start.split_first() else { return Err(Fail::end(start)) };
        self.state = if self.open.is_empty() { State::Over } else { State::After };
        match marker {
            b'!' => self.to((rest, Scalar::Undef), to),
            b'1' | b'0' => {
                // The viewer would read the 1 of 1.5 as true, and in a map it would skip the `.5`.
                if let Some(b'0'..=b'9' | b'.' | b'e' | b'E') = rest.first() {
                    return Err(Fail::invalid(start, NO_LETTER));
                }
                self.to((rest, Scalar::Boolean(*marker == b'1')), to)
            }
            b't' | b'T' | b'f' | b'F' => {
                let value = marker.eq_ignore_ascii_case(&b't');
                let (rest, ()) = self.word(start, if value { b"true" } else { b"false" })?;
                self.to((rest, Scalar::Boolean(value)), to)
            }
            b'i' => self.to(map(self.integer(rest)?, Scalar::Integer), to),
            b'r' => self.to(map(self.real(rest)?, Scalar::Real), to),
            b'u' => {
                let (tail, text) = take(36_usize)(rest)?;
                match uuid::parse(text) {
                    Some(bytes) => self.to((tail, Scalar::Uuid(Uuid(bytes))), to),
                    None => Err(Fail::invalid(rest, unlike(uuid::FORM, text))),
                }
            }
            b'\'' | b'"' => {
                let text = quoted::read(rest, *marker, &mut self.budget)?;
                self.to(map(text, Scalar::String), to)
            }
            b's' => self.to(map(self.sized(rest)?, |text| Scalar::String(Cow::Borrowed(text))), to),
            b'l' => {
                let text = self.text(rest)?;
                self.to(map(text, Scalar::Uri), to)
            }
            b'd' => {
                let (tail, text) = self.text(rest)?;
                if self.rules.noting() && !text.is_empty() && date::parse(&text, true).is_none() {
                    self.rules.odd(rest, unlike(date::FORM, &text))?;
                }
                let secs = match date::parse(&text, self.rules.strict) {
                    Some(secs) => secs,
                    None if text.is_empty() => 0.0,
                    None => return Err(Fail::invalid(rest, unlike(date::FORM, &text))),
                };
                self.to((tail, Scalar::Date(Date(secs))), to)
            }
            b'b' => {
                let bytes = self.binary(rest)?;
                self.to(map(bytes, Scalar::Binary), to)
            }
            b'[' => {
                self.budget.push(&mut self.open, false).here(start)?;
                self.state = State::Begun;
                self.to((rest, Event::StartArray(None)), to)
            }
            b'{' => {
                self.budget.push(&mut self.open, true).here(start)?;
                self.state = State::Begun;
                self.to((rest, Event::StartMap(None)), to)
            }
            b'-' | b'+' | b'2'..=b'9' => Err(Fail::invalid(start, NO_LETTER)),
            _ => Err(expected("a value", start)),
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

    /// Passes the end of the innermost container to `to`.
    #[inline(always)]
    fn end(&mut self, rest: &'a [u8], event: Event<'a>, to: &mut impl Take<'a>) -> Result<(), Failed<'a>> {
        self.open.pop();
        self.state = if self.open.is_empty() { State::Over } else { State::After };
        self.to((rest, event), to)
    }

    /// Reads a word such as `true`, or only its first letter.
    fn word(&self, start: &'a [u8], word: &'static [u8]) -> Parsed<'a, ()> {
        let is_more = start.get(1).is_some_and(u8::is_ascii_alphabetic);
        if !is_more {
            return Ok((after(start, 1), ()));
        }
        match start.split_at_checked(word.len()) {
            Some((text, rest)) if text.eq_ignore_ascii_case(word) => {
                if text != word && text != word.to_ascii_uppercase() {
                    let what = format!(
                        "expected a boolean in lower or upper case, such as true or TRUE, found {:?}",
                        text.as_bstr()
                    );
                    self.rules.odd(start, what)?;
                }
                Ok((rest, ()))
            }
            _ => {
                let len = start.iter().take(24).take_while(|byte| byte.is_ascii_alphabetic()).count();
                let (found, _) = start.split_at_checked(len).unwrap_or((start, &[]));
                Err(Fail::invalid(start, format!("expected true or false, found {:?}", found.as_bstr())))
            }
        }
    }

    /// Skips white space before a number, as the viewer's streams do.
    #[inline(always)]
    fn space(&self, rest: &'a [u8]) -> Result<&'a [u8], Failed<'a>> {
        let number = space(rest);
        if number.len() < rest.len() {
            self.rules.odd(rest, "expected a number directly after 'i' or 'r', found white space")?;
        }
        Ok(number)
    }

    #[inline(always)]
    fn integer(&self, start: &'a [u8]) -> Parsed<'a, i32> {
        let text = self.space(start)?;
        match decimal::<_, ()>(text) {
            Ok((rest, value)) if !matches!(rest.first(), Some(b'.' | b'e' | b'E')) => Ok((rest, value)),
            _ => Err(Fail::invalid(
                start,
                format!("expected a 32-bit integer after 'i', found {}", word(text)),
            )),
        }
    }

    #[inline(always)]
    fn real(&self, start: &'a [u8]) -> Parsed<'a, f64> {
        let text = self.space(start)?;
        let wrong = || format!("expected a real number after 'r', found {}", word(text));
        number::real_prefix(text).map_or_else(|| Err(Fail::invalid(start, wrong())), Ok)
    }

    /// Reads a text between two quotes.
    fn text(&mut self, start: &'a [u8]) -> Parsed<'a, Cow<'a, BStr>> {
        let (rest, quote) = quote(start)?;
        quoted::read(rest, quote, &mut self.budget)
    }

    /// Reads a length in parentheses, then that number of bytes in quotes, such as `(3)"abc"`.
    fn sized(&self, start: &'a [u8]) -> Parsed<'a, &'a BStr> {
        let rest = match start.split_first() {
            Some((b'(', rest)) => rest,
            Some(_) => {
                let what = format!("expected a length in parentheses after 's', found {}", shown(start));
                return Err(Fail::invalid(start, what));
            }
            None => return Err(Fail::end(start)),
        };
        let (tail, text) = take_till(|byte| byte == b')')(rest)?;
        let Some((_, tail)) = tail.split_first() else { return Err(Fail::end(tail)) };
        let len = number::length(text, self.rules.strict);
        if len.is_some() && len != number::length(text, true) {
            self.rules.odd(rest, format!("expected a decimal length, found {:?}", text.as_bstr()))?;
        }
        let Some(len) = len else {
            return Err(Fail::invalid(
                rest,
                format!("expected a length from 0 to {}, found {:?}", u64::MAX, text.as_bstr()),
            ));
        };
        let (tail, opening) = quote(tail)?;
        let (tail, bytes) = match usize::try_from(len) {
            Ok(len) => take(len)(tail)?,
            Err(_) => return Err(Fail::end(tail)),
        };
        match tail.split_first() {
            Some((closing, rest)) if *closing == opening => Ok((rest, bytes.as_bstr())),
            Some((b'\'' | b'"', rest)) => {
                self.rules.odd(tail, "the value begins and ends with different quotes")?;
                Ok((rest, bytes.as_bstr()))
            }
            Some(_) => Err(expected("a closing quotation mark after the declared number of bytes", tail)),
            None => Err(Fail::end(tail)),
        }
    }

    fn binary(&mut self, start: &'a [u8]) -> Parsed<'a, Cow<'a, BStr>> {
        let base = match start {
            [b'(', ..] => return self.sized(start).map(|(rest, bytes)| (rest, Cow::Borrowed(bytes))),
            [b'6', b'4', ..] => 64,
            [b'1', b'6', ..] => 16,
            [] | [b'6'] | [b'1'] => return Err(Fail::end(start)),
            _ => {
                let what =
                    format!("expected 64, 16 or a length in parentheses after 'b', found {}", shown(start));
                return Err(Fail::invalid(start, what));
            }
        };
        let (rest, quote) = quote(after(start, 2))?;
        let (end, text) = take_till(|byte| byte == quote)(rest)?;
        let Some((_, tail)) = end.split_first() else { return Err(Fail::end(end)) };
        // Decoding never gives more bytes than the text has; base64 with white space is copied first.
        let before = self.budget.left();
        self.budget.take_values::<[u8; 2]>(text.len()).here(rest)?;
        if self.rules.noting() && base == 64 && decode64(text, true).is_none() {
            self.rules.odd(rest, "malformed base64")?;
        }
        let bytes = if base == 64 { decode64(text, self.rules.strict) } else { decode16(text) };
        match bytes {
            Some(bytes) => {
                self.budget.refund_since(before, bytes.capacity());
                Ok((tail, Cow::Owned(bytes.into())))
            }
            None => Err(Fail::invalid(rest, format!("malformed base{base}"))),
        }
    }

    /// Skips to the next part of an array: the end, or a value.
    #[inline(always)]
    fn in_array(&self, mut rest: &'a [u8]) -> Result<&'a [u8], Failed<'a>> {
        if self.rules.strict {
            return self.separator(rest, b']');
        }
        self.commas(rest, b']')?;
        while let Some((b',', tail)) = rest.split_first() {
            rest = space(tail);
        }
        Ok(rest)
    }

    /// Reads the next part of a map: the end, or a key.
    #[inline(always)]
    fn in_map(&mut self, mut rest: &'a [u8], to: &mut impl Take<'a>) -> Result<(), Failed<'a>> {
        if self.rules.strict {
            rest = self.separator(rest, b'}')?;
        } else {
            self.commas(rest, b'}')?;
            // The viewer skips bytes that do not begin a key.
            while let Some((byte, tail)) = rest.split_first()
                && !matches!(byte, b'}' | b'\'' | b'"' | b's')
            {
                if self.rules.noting() && *byte != b',' && !is_space(*byte) {
                    self.rules.skipped(rest, "a character that is not part of a key in quotes")?;
                }
                rest = tail;
            }
        }
        self.last = rest;
        let (tail, key) = match rest.split_first() {
            Some((b'}', rest)) => return self.end(rest, Event::EndMap, to),
            Some((quote @ (b'\'' | b'"'), rest)) => quoted::read(rest, *quote, &mut self.budget)?,
            Some((b's', rest)) => map(self.sized(rest)?, Cow::Borrowed),
            Some(_) => return Err(expected("a key", rest)),
            None => return Err(Fail::end(rest)),
        };
        let mut tail = space(tail);
        match tail.split_first() {
            Some((b':', rest)) => tail = rest,
            Some(_) => {
                self.rules.colon(tail, format!("expected a colon after a key, found {}", shown(tail)))?
            }
            None => return Err(Fail::end(tail)),
        }
        if !self.rules.strict {
            while let Some((byte, rest)) = tail.split_first()
                && (*byte == b':' || is_space(*byte))
            {
                if *byte == b':' {
                    self.rules.colon(tail, "superfluous colon after a key")?;
                }
                tail = rest;
            }
            if let Some((b'}', rest)) = tail.split_first() {
                // The viewer drops a key without a value.
                self.rules.skipped(tail, "a key without a value at the end of a map")?;
                self.last = tail;
                return self.end(rest, Event::EndMap, to);
            }
        }
        self.state = State::Value;
        self.to((tail, Event::Key(key)), to)
    }

    /// Notes missing and superfluous commas.
    #[inline(always)]
    fn commas(&self, rest: &'a [u8], close: u8) -> Result<(), Failed<'a>> {
        if !self.rules.noting() {
            return Ok(());
        }
        let what = match (self.separator(rest, close), rest.split_first()) {
            (Err(_), Some((b',', tail))) if space(tail).first() == Some(&close) => {
                "unexpected comma before the end of an array or map"
            }
            (Ok([b',', ..]), _) | (Err(_), Some((b',', _))) => {
                "superfluous comma (expected a single one between two values)"
            }
            (Err(_), _) => "missing comma (expected one between two values)",
            (Ok(_), _) => return Ok(()),
        };
        self.rules.comma(rest, what)
    }

    /// Reads one comma between values; a comma elsewhere is an error.
    fn separator(&self, rest: &'a [u8], close: u8) -> Result<&'a [u8], Failed<'a>> {
        match rest.split_first() {
            Some((b',', tail)) if self.state == State::After => {
                let tail = space(tail);
                match tail.first() {
                    Some(byte) if *byte == close => {
                        Err(Fail::invalid(rest, "unexpected comma before the end of an array or map"))
                    }
                    _ => Ok(tail),
                }
            }
            Some((byte, _)) if self.state == State::After && *byte != close => {
                Err(expected("a comma between values", rest))
            }
            _ => Ok(rest),
        }
    }
}

impl<'a> crate::wire::events::Source<'a> for Source<'a> {
    #[inline(always)]
    fn give(&mut self, to: &mut impl Take<'a>) -> Result<bool, Failed<'a>> {
        let mut rest = space(self.rest);
        match self.state {
            State::Over => return Ok(false),
            State::Value => {}
            State::Begun | State::After => {
                if let Some(true) = self.open.last() {
                    self.in_map(rest, to)?;
                    return Ok(true);
                }
                rest = self.in_array(rest)?;
                if let Some((b']', tail)) = rest.split_first() {
                    self.last = rest;
                    self.end(tail, Event::EndArray, to)?;
                    return Ok(true);
                }
            }
        }
        self.value(rest, to)?;
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

/// The input after white space.
#[inline(always)]
fn space(mut rest: &[u8]) -> &[u8] {
    while let Some((byte, tail)) = rest.split_first()
        && is_space(*byte)
    {
        rest = tail;
    }
    rest
}

/// The input up to the next separator, as text for a message.
fn word(at: &[u8]) -> String {
    let is_in = |byte: &&u8| !is_space(**byte) && !matches!(byte, b',' | b']' | b'}');
    let len = at.iter().take(24).take_while(is_in).count();
    format!("{:?}", at.get(..len).unwrap_or(at).as_bstr())
}

fn quote(start: &[u8]) -> Parsed<'_, u8> {
    match start.split_first() {
        Some((quote @ (b'\'' | b'"'), rest)) => Ok((rest, *quote)),
        Some(_) => Err(expected("a quotation mark (' or \")", start)),
        None => Err(Fail::end(start)),
    }
}
