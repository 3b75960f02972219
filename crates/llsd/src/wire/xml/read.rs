//! Reads XML.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice as _};

use crate::model::{Event, Scalar};
use crate::options::ReadOptions;
use crate::wire::events::{Failed, Span, Take, deeper};
use crate::wire::rules::Rules;
use crate::wire::xml::chars::{Chars, chars, lines, plain};
use crate::wire::xml::scalar;
use crate::wire::xml::token::{Base, Tag, Token, Tokens};
use geom::wire::{Budget, Fail, Here, after, foreign};

const TWO_VALUES: &str = "a value followed by another one in <llsd>";

/// Reads events.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    tokens: Tokens<'a>,
    /// Whether each open container is a map.
    open: Vec<bool>,
    /// A key that was read but not yet returned, because its value may be missing.
    key: Option<(Cow<'a, BStr>, Span<'a>)>,
    /// A value whose start was read but which was not yet returned, with its text if that was read.
    value: Option<(Tag, Option<&'a [u8]>)>,
    /// The part of the input that the last event was read from.
    span: Span<'a>,
    /// The text of the last scalar whose text was in several pieces.
    text: Vec<u8>,
    max_depth: u32,
    rules: Rules,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before `<llsd>`.
    Prolog,
    /// In `<llsd>`: before the value, or inside it.
    Value,
    Over,
}

impl<'a> Source<'a> {
    pub(crate) fn new(body: &'a [u8], options: &ReadOptions, budget: Budget) -> Self {
        Self {
            tokens: Tokens::new(body, budget),
            open: Vec::new(),
            key: None,
            value: None,
            span: [body; 2],
            text: Vec::new(),
            max_depth: options.max_depth,
            rules: Rules::new(options),
            state: State::Prolog,
        }
    }

    /// Reads the prolog, up to and including `<llsd>`.
    fn prolog(&mut self) -> Result<(), Failed<'a>> {
        loop {
            match self.tokens.next()? {
                Token::Start(Tag::Llsd) => {
                    self.state = State::Value;
                    return Ok(());
                }
                Token::Text(text) if text.trim_ascii().is_empty() => {}
                Token::Text(text) if text.trim_ascii() == b"\xef\xbb\xbf" => {}
                Token::Eof => return Err(Fail::end(self.tokens.rest())),
                _ => {
                    let last = self.tokens.last();
                    let upper = last.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<llsd"));
                    return Err(match upper {
                        true => Fail::invalid(last, "expected the root element <llsd> in lower case"),
                        false => foreign(last, "expected the root element <llsd>"),
                    });
                }
            }
        }
    }

    /// Reads from the end of the value up to and including `</llsd>`, or up to another value, which replaces the
    /// first.
    fn epilog(&mut self) -> Result<(), Failed<'a>> {
        loop {
            match self.tokens.next()? {
                Token::End => {
                    self.state = State::Over;
                    return Ok(());
                }
                Token::Eof => return Err(Fail::end(self.tokens.rest())),
                Token::Start(tag) if !matches!(tag, Tag::Key | Tag::Llsd) => {
                    self.rules.skipped(self.tokens.last(), TWO_VALUES)?;
                    self.value = Some((tag, None));
                    return Ok(());
                }
                other => self.stray(other, "unexpected content after the value in <llsd>")?,
            }
        }
    }

    /// Handles a token that has no meaning at its place: skips it, or refuses it if the reader is strict.
    fn stray(&mut self, token: Token<'a>, what: &'static str) -> Result<(), Failed<'a>> {
        match token {
            Token::Text(text) if plain(text)?.is_space() => return Ok(()),
            Token::CData(text) => {
                chars(text)?;
            }
            _ => {}
        }
        self.rules.skipped(self.tokens.last(), what)?;
        match token {
            Token::Start(_) => self.tokens.skip(),
            _ => Ok(()),
        }
    }

    /// The next event in the value.
    #[inline(always)]
    fn inside(&mut self) -> Result<Event<'a>, Failed<'a>> {
        if let Some((tag, text)) = self.value.take() {
            return self.begin(tag, text);
        }
        let in_map = self.open.last() == Some(&true);
        loop {
            let (tag, text) = match self.tokens.element()? {
                Token::Leaf(tag, text) => (tag, Some(text)),
                Token::Start(tag) => (tag, None),
                Token::End => return self.end(),
                Token::Eof => return Err(Fail::end(self.tokens.rest())),
                token @ (Token::Text(_) | Token::CData(_) | Token::Char(_)) => {
                    self.stray(token, "unexpected text between values")?;
                    continue;
                }
            };
            let what = match tag {
                Tag::Key if in_map => {
                    let start = self.tokens.last();
                    let key = match text {
                        Some(text) => Cow::Borrowed(BStr::new(text)),
                        None => scalar::bstr(self.content()?),
                    };
                    let before = self.key.replace((key, [start, self.tokens.rest()]));
                    if before.is_some() {
                        self.rules.skipped(self.tokens.last(), "a key without a value before another key")?;
                    }
                    continue;
                }
                Tag::Key => "a <key> outside a map",
                Tag::Llsd => "<llsd> inside <llsd>",
                _ if in_map => match self.key.take() {
                    Some((key, span)) => {
                        deeper(self.tokens.last(), self.open.len(), self.max_depth)?;
                        self.value = Some((tag, text));
                        self.span = span;
                        return Ok(Event::Key(key));
                    }
                    None => "a value in a map without a <key> before it",
                },
                _ => {
                    deeper(self.tokens.last(), self.open.len(), self.max_depth)?;
                    return self.begin(tag, text);
                }
            };
            match text {
                Some(text) => self.stray(Token::Leaf(tag, text), what)?,
                None => self.stray(Token::Start(tag), what)?,
            }
        }
    }

    /// Handles the end of the innermost container, or of an `<llsd>` without a value.
    #[inline]
    fn end(&mut self) -> Result<Event<'a>, Failed<'a>> {
        self.span = [self.tokens.last(), self.tokens.rest()];
        match self.open.pop() {
            Some(true) => {
                if self.key.take().is_some() {
                    self.rules.skipped(self.tokens.last(), "a key without a value at the end of a map")?;
                }
                Ok(Event::EndMap)
            }
            Some(false) => Ok(Event::EndArray),
            None => {
                self.rules.odd(self.tokens.last(), "expected a value in <llsd>, found none")?;
                self.state = State::Over;
                Ok(Scalar::Undef.into())
            }
        }
    }

    /// Reads a value whose start was read, or, if `text` is given, the whole of which was read.
    #[inline(always)]
    fn begin(&mut self, tag: Tag, text: Option<&'a [u8]>) -> Result<Event<'a>, Failed<'a>> {
        let start = self.tokens.last();
        let event = match (tag, text) {
            (tag, Some(text)) => self.scalar(tag, Cow::Borrowed(text)),
            (Tag::Array | Tag::Map, None) => {
                self.tokens.budget.push(&mut self.open, tag == Tag::Map).here(start)?;
                Ok(if tag == Tag::Map { Event::StartMap(None) } else { Event::StartArray(None) })
            }
            (Tag::Other | Tag::Key | Tag::Llsd, None) => {
                self.unknown(start)?;
                Ok(Scalar::Undef.into())
            }
            (tag, None) => {
                let text = self.content()?;
                self.tokens.mark(start);
                self.scalar(tag, text)
            }
        };
        self.span = [start, self.tokens.rest()];
        event
    }

    /// Skips an element that is not a value.
    #[cold]
    fn unknown(&mut self, start: &'a [u8]) -> Result<(), Failed<'a>> {
        if self.rules.strict || self.rules.noting() {
            let end = |byte: &u8| matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n');
            let name: String =
                after(start, 1).split(end).next().unwrap_or_default().chars().take(64).collect();
            let what = format!("unknown element <{name}> (expected a value such as <string> or <map>)");
            self.rules.odd(start, what)?;
        }
        self.tokens.skip()
    }

    #[inline]
    fn scalar(&mut self, tag: Tag, text: Cow<'a, [u8]>) -> Result<Event<'a>, Failed<'a>> {
        let start = self.tokens.last();
        let budget = &mut self.tokens.budget;
        let before = budget.left();
        match tag {
            // Decoding never needs more bytes; text that is not plain base64 is copied first.
            Tag::Binary(Base::B85) => budget.take_values::<[u8; 5]>(text.len()),
            Tag::Binary(_) => budget.take_values::<[u8; 2]>(text.len()),
            _ => Ok(()),
        }
        .here(start)?;
        let owned = if let Cow::Owned(text) = &text { text.len() as u64 } else { 0 };
        if self.rules.noting()
            && let Err(what) = scalar::parse(tag, text.clone(), true)
        {
            self.rules.odd(start, what)?;
        }
        let scalar =
            scalar::parse(tag, text, self.rules.strict).map_err(|what| Fail::invalid(start, what))?;
        match &scalar {
            Scalar::String(_) | Scalar::Uri(_) => {}
            Scalar::Binary(bytes) => {
                self.tokens.budget.refund_since(before, bytes.len());
                self.tokens.budget.give_back(owned);
            }
            _ => self.tokens.budget.give_back(owned),
        }
        Ok(scalar.into())
    }

    /// Reads the text of an element, up to and including its end.
    #[inline]
    fn content(&mut self) -> Result<Cow<'a, [u8]>, Failed<'a>> {
        // Most texts are in one piece, which is borrowed; others are put together in `self.text`.
        let mut whole: &'a [u8] = &[];
        self.text.clear();
        loop {
            let piece = match self.tokens.next()? {
                Token::End if self.text.is_empty() => return Ok(Cow::Borrowed(whole)),
                Token::End => {
                    let text = self.tokens.budget.copy(&self.text).here(self.tokens.last())?;
                    return Ok(Cow::Owned(text));
                }
                Token::Text(piece) => plain(piece)?,
                Token::CData(piece) => chars(piece)?,
                Token::Char(c) => {
                    self.add(&mut whole, c.encode_utf8(&mut [0; 4]).as_bytes())?;
                    continue;
                }
                Token::Eof => return Err(Fail::end(self.tokens.rest())),
                token @ (Token::Start(_) | Token::Leaf(..)) => {
                    self.stray(token, "an element inside a value or key (only text is allowed)")?;
                    // As in the viewer, the text after the element replaces the text before it.
                    whole = &[];
                    self.text.clear();
                    continue;
                }
            };
            match piece {
                Chars::Same(piece) if whole.is_empty() && self.text.is_empty() => whole = piece,
                Chars::Same(piece) => self.add(&mut whole, piece)?,
                Chars::Returns(piece) => lines(piece).try_for_each(|line| self.add(&mut whole, line))?,
            }
        }
    }

    /// Adds a piece to a text that consists of several.
    fn add(&mut self, whole: &mut &'a [u8], piece: &[u8]) -> Result<(), Failed<'a>> {
        for piece in [std::mem::take(whole), piece] {
            self.tokens.budget.extend(&mut self.text, piece).here(self.tokens.last())?;
        }
        Ok(())
    }
}

impl<'a> crate::wire::events::Source<'a> for Source<'a> {
    #[inline(always)]
    fn give(&mut self, to: &mut impl Take<'a>) -> Result<bool, Failed<'a>> {
        if self.state == State::Prolog {
            self.prolog()?;
        }
        if self.state == State::Over {
            return Ok(false);
        }
        let event = self.inside()?;
        // The document is read to its end with the last event, so that `rest` is the input after it.
        if self.open.is_empty() && self.state == State::Value {
            self.epilog()?;
        }
        to.take(event, &mut self.tokens.budget).here(self.tokens.rest())?;
        Ok(true)
    }

    fn rest(&self) -> &'a [u8] {
        self.tokens.rest()
    }

    fn span(&self) -> Span<'a> {
        self.span
    }

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn budget(&mut self) -> &mut Budget {
        &mut self.tokens.budget
    }
}
