//! XML, read.

use std::borrow::Cow;

use bstr::BStr;

use crate::event::Event;
use crate::limits::Budget;
use crate::options::ReadOptions;
use crate::wire::fail::{Fail, Here};
use crate::wire::xml::scalar;
use crate::wire::xml::token::{Tag, Token, Tokens, chars, plain};
use crate::wire::{Failed, deeper};

/// Reads events.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    tokens: Tokens<'a>,
    /// Whether each open container is a map.
    open: Vec<bool>,
    /// A key that was read, and not given yet: its value may be missing.
    key: Option<Cow<'a, BStr>>,
    /// The value of the key that was given.
    value: Option<Value<'a>>,
    budget: Budget,
    max_depth: u32,
    strict: bool,
    state: State,
}

/// A value that was come to before its key was given.
#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    /// Its start was read.
    Begun(Tag),
    /// All of it was read: a scalar and its text.
    Whole(Tag, &'a [u8]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before `<llsd>`.
    Prolog,
    /// The value, or in its containers.
    Value,
    /// Behind the value, before `</llsd>`.
    Behind,
    Over,
}

impl<'a> Source<'a> {
    pub(crate) fn new(body: &'a [u8], options: &ReadOptions) -> Self {
        Self {
            tokens: Tokens::new(body),
            open: Vec::new(),
            key: None,
            value: None,
            budget: Budget::new(options.byte_limit()),
            max_depth: options.depth_limit(),
            strict: options.is_strict(),
            state: State::Prolog,
        }
    }

    /// Up to and with `<llsd>`.
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
                _ => return Err(Fail::invalid(self.tokens.last(), "no <llsd> at the root")),
            }
        }
    }

    /// From the value up to and with `</llsd>`.
    fn epilog(&mut self) -> Result<(), Failed<'a>> {
        loop {
            match self.tokens.next()? {
                Token::End => {
                    self.state = State::Over;
                    return Ok(());
                }
                Token::Eof => return Err(Fail::end(self.tokens.rest())),
                other => self.stray(other, "more than one value in <llsd>")?,
            }
        }
    }

    /// Something that stands where nothing should: passed over, or an error.
    fn stray(&mut self, token: Token<'a>, what: &'static str) -> Result<(), Failed<'a>> {
        match token {
            Token::Text(text) if plain(text)?.trim_ascii().is_empty() => return Ok(()),
            Token::CData(text) => drop(chars(text)?),
            _ => {}
        }
        if self.strict {
            return Err(Fail::invalid(self.tokens.last(), what));
        }
        match token {
            Token::Start(_) => self.tokens.skip(),
            _ => Ok(()),
        }
    }

    /// The next event in the value.
    #[inline(always)]
    fn inside(&mut self) -> Result<Event<'a>, Failed<'a>> {
        match self.value.take() {
            Some(Value::Begun(tag)) => return self.begin(tag),
            Some(Value::Whole(tag, text)) => return self.scalar(tag, Cow::Borrowed(text)),
            None => {}
        }
        let in_map = self.open.last() == Some(&true);
        loop {
            if let Some((tag, text)) = self.tokens.simple() {
                match tag {
                    Tag::Key if in_map => self.keep_key(Cow::Borrowed(BStr::new(text)))?,
                    Tag::Key => self.needless("a key outside a map")?,
                    _ if in_map => match self.key.take() {
                        Some(key) => {
                            deeper(self.tokens.last(), self.open.len(), self.max_depth)?;
                            self.value = Some(Value::Whole(tag, text));
                            return Ok(Event::Key(key));
                        }
                        None => self.needless("a value without a key")?,
                    },
                    _ => {
                        deeper(self.tokens.last(), self.open.len(), self.max_depth)?;
                        return self.scalar(tag, Cow::Borrowed(text));
                    }
                }
                continue;
            }
            let token = self.tokens.next()?;
            match token {
                Token::End => return self.end(),
                Token::Eof => return Err(Fail::end(self.tokens.rest())),
                Token::Text(_) | Token::CData(_) | Token::Char(_) => {
                    self.stray(token, "text between values")?;
                }
                Token::Start(Tag::Key) if in_map => {
                    let key = scalar::bstr(self.content()?);
                    self.keep_key(key)?;
                }
                Token::Start(Tag::Key) => self.stray(token, "a key outside a map")?,
                Token::Start(Tag::Llsd) => self.stray(token, "an <llsd> in another")?,
                Token::Start(tag) if in_map => match self.key.take() {
                    Some(key) => {
                        deeper(self.tokens.last(), self.open.len(), self.max_depth)?;
                        self.value = Some(Value::Begun(tag));
                        return Ok(Event::Key(key));
                    }
                    None => self.stray(token, "a value without a key")?,
                },
                Token::Start(tag) => {
                    deeper(self.tokens.last(), self.open.len(), self.max_depth)?;
                    return self.begin(tag);
                }
            }
        }
    }

    /// A key, whose value is looked for.
    #[inline]
    fn keep_key(&mut self, key: Cow<'a, BStr>) -> Result<(), Failed<'a>> {
        match self.key.replace(key) {
            Some(_) => self.needless("a key without a value"),
            None => Ok(()),
        }
    }

    /// Something that was read and means nothing.
    fn needless(&self, what: &'static str) -> Result<(), Failed<'a>> {
        match self.strict {
            true => Err(Fail::invalid(self.tokens.last(), what)),
            false => Ok(()),
        }
    }

    /// The end of the innermost container, or of `<llsd>` without a value.
    #[inline]
    fn end(&mut self) -> Result<Event<'a>, Failed<'a>> {
        match self.open.pop() {
            Some(true) => {
                if self.key.take().is_some() && self.strict {
                    return Err(Fail::invalid(self.tokens.last(), "a key without a value"));
                }
                Ok(Event::EndMap)
            }
            Some(false) => Ok(Event::EndArray),
            None if self.strict => Err(Fail::invalid(self.tokens.last(), "no value in <llsd>")),
            None => {
                self.state = State::Over;
                Ok(Event::Undef)
            }
        }
    }

    /// A value whose start was read.
    #[inline]
    fn begin(&mut self, tag: Tag) -> Result<Event<'a>, Failed<'a>> {
        match tag {
            Tag::Array => {
                self.open.push(false);
                Ok(Event::StartArray(None))
            }
            Tag::Map => {
                self.open.push(true);
                Ok(Event::StartMap(None))
            }
            Tag::Other | Tag::Key | Tag::Llsd => {
                if self.strict {
                    return Err(Fail::invalid(self.tokens.last(), "an element that is no value"));
                }
                self.tokens.skip()?;
                Ok(Event::Undef)
            }
            tag => {
                let start = self.tokens.last();
                let text = self.content()?;
                self.tokens.mark(start);
                self.scalar(tag, text)
            }
        }
    }

    #[inline]
    fn scalar(&mut self, tag: Tag, text: Cow<'a, [u8]>) -> Result<Event<'a>, Failed<'a>> {
        if matches!(tag, Tag::Binary(_)) {
            // No base makes bytes more.
            self.budget.take(text.len() as u64).here(self.tokens.last())?;
        }
        let start = self.tokens.last();
        scalar::event(tag, text, self.strict).map_err(|what| Fail::invalid(start, what))
    }

    /// The text of an element, up to and with its end.
    #[inline]
    fn content(&mut self) -> Result<Cow<'a, [u8]>, Failed<'a>> {
        let mut text: Cow<'a, [u8]> = Cow::Borrowed(&[]);
        loop {
            match self.tokens.next()? {
                Token::End => return Ok(text),
                Token::Text(piece) => self.add(&mut text, plain(piece)?)?,
                Token::CData(piece) => self.add(&mut text, chars(piece)?)?,
                Token::Char(c) => {
                    let mut bytes = [0; 4];
                    let piece = c.encode_utf8(&mut bytes).as_bytes().to_vec();
                    self.add(&mut text, Cow::Owned(piece))?;
                }
                Token::Eof => return Err(Fail::end(self.tokens.rest())),
                token @ Token::Start(_) => {
                    self.stray(token, "an element in a scalar")?;
                    // As in the viewer: the text begins anew behind it.
                    text = Cow::Borrowed(&[]);
                }
            }
        }
    }

    #[inline]
    fn add(&mut self, text: &mut Cow<'a, [u8]>, piece: Cow<'a, [u8]>) -> Result<(), Failed<'a>> {
        if let Cow::Owned(piece) = &piece {
            self.budget.take(piece.len() as u64).here(self.tokens.last())?;
        }
        if text.is_empty() {
            *text = piece;
            return Ok(());
        }
        if let Cow::Borrowed(before) = text {
            self.budget.take(before.len() as u64).here(self.tokens.last())?;
        }
        let text = text.to_mut();
        if text.capacity().saturating_sub(text.len()) < piece.len() {
            // It grows to twice what it is; the old one stands beside the new for a while.
            let wanted = text.len().saturating_add(piece.len()).saturating_mul(2) as u64;
            self.budget.take(wanted).here(self.tokens.last())?;
        }
        text.extend_from_slice(&piece);
        Ok(())
    }
}

impl<'a> crate::wire::Source<'a> for Source<'a> {
    #[inline(always)]
    fn next(&mut self) -> Result<Option<Event<'a>>, Failed<'a>> {
        if self.state == State::Prolog {
            self.prolog()?;
        }
        match self.state {
            State::Behind => {
                self.epilog()?;
                Ok(None)
            }
            State::Over => Ok(None),
            State::Prolog | State::Value => {
                let event = self.inside()?;
                if self.open.is_empty() && self.state == State::Value {
                    self.state = State::Behind;
                }
                Ok(Some(event))
            }
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.tokens.rest()
    }
}
