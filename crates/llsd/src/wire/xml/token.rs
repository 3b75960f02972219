//! The tokens of XML, as quick-xml cuts them, and what it leaves to its callers: characters,
//! attributes, references, declarations.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::BufRead as _;

use quick_xml::Reader;
use quick_xml::errors::{Error as XmlError, IllFormedError, SyntaxError};
use quick_xml::events::{BytesDecl, BytesPI, BytesRef, BytesStart, Event as Xml};

use crate::limits::Budget;
use crate::wire::events::Failed;
use crate::wire::fail::{Fail, Here, foreign};
use crate::wire::xml::chars::{BAD, chars, flags, is_char, is_name, is_special};

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Llsd,
    Key,
    Undef,
    Boolean,
    Integer,
    Real,
    Uuid,
    String,
    Date,
    Uri,
    Binary(Base),
    Array,
    Map,
    Other,
}

/// How the text of a binary is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    B64,
    B16,
    B85,
    Other,
}

/// A token that matters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'a> {
    Start(Tag),
    End,
    /// Text with the lines as they are; it is checked where it is used.
    Text(&'a [u8]),
    CData(&'a [u8]),
    Char(char),
    Eof,
}

/// Cuts the input into tokens.
pub(super) struct Tokens<'a> {
    xml: Reader<&'a [u8]>,
    body: &'a [u8],
    /// Where the last token begins.
    start: usize,
    /// Whether the last token was the start of an empty element, whose end comes next.
    empty: bool,
    /// Whether the last token was a tag: only then quick-xml is at the first byte of what comes.
    at_content: bool,
    pub(super) budget: Budget,
}

/// What quick-xml allocates for an element that is open, besides its name, while its vectors grow.
const OPEN_COST: u64 = 24;

/// What a set of names allocates for an attribute while it grows.
const ATTRIBUTE_COST: u64 = 64;

impl std::fmt::Debug for Tokens<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tokens at {}", self.start)
    }
}

impl<'a> Tokens<'a> {
    pub(super) fn new(body: &'a [u8], budget: Budget) -> Self {
        let mut body = body;
        // quick-xml passes over a mark as well, but does not count it.
        while let Some(tail) = body.strip_prefix(b"\xef\xbb\xbf") {
            body = tail;
        }
        let mut xml = Reader::from_reader(body);
        let config = xml.config_mut();
        config.check_comments = true;
        Self { xml, body, start: 0, empty: false, at_content: false, budget }
    }

    /// What was not read yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.from(self.xml.buffer_position())
    }

    /// The input from the last token on.
    pub(super) fn last(&self) -> &'a [u8] {
        self.body.get(self.start..).unwrap_or_default()
    }

    /// Records that the last token began there.
    pub(super) fn mark(&mut self, start: &'a [u8]) {
        self.start = self.body.len().saturating_sub(start.len());
    }

    fn from(&self, position: u64) -> &'a [u8] {
        usize::try_from(position).ok().and_then(|at| self.body.get(at..)).unwrap_or_default()
    }

    /// The next token; comments and processing instructions are passed over.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Token<'a>, Failed<'a>> {
        if std::mem::take(&mut self.empty) {
            return Ok(Token::End);
        }
        self.at_content = false;
        loop {
            self.start = self.body.len().saturating_sub(self.rest().len());
            self.afford_name()?;
            let event = match self.xml.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.broken(&error)),
            };
            return Ok(match event {
                Xml::Start(start) => {
                    self.at_content = true;
                    self.budget.take(open_cost(start.name().as_ref())).here(self.last())?;
                    Token::Start(self.tag(&start)?)
                }
                Xml::Empty(start) => {
                    (self.empty, self.at_content) = (true, true);
                    Token::Start(self.tag(&start)?)
                }
                Xml::End(end) => {
                    self.at_content = true;
                    self.budget.give_back(open_cost(end.name().as_ref().trim_ascii_end()));
                    Token::End
                }
                Xml::Text(text) => Token::Text(borrowed(text.into_inner())),
                Xml::CData(text) => Token::CData(borrowed(text.into_inner())),
                Xml::GeneralRef(reference) => Token::Char(self.reference(&reference)?),
                Xml::Eof => Token::Eof,
                Xml::Comment(text) => {
                    chars(borrowed(text.into_inner()))?;
                    continue;
                }
                Xml::PI(instruction) => {
                    self.instruction(&instruction)?;
                    continue;
                }
                Xml::Decl(declaration) => {
                    self.declaration(&declaration)?;
                    continue;
                }
                Xml::DocType(_) => {
                    let html = "<!doctype html";
                    let start = self.last().get(..html.len()).unwrap_or_default();
                    return Err(match start.eq_ignore_ascii_case(html.as_bytes()) {
                        true => foreign(self.last(), "no LLSD"),
                        false => {
                            Fail::unsupported(self.last(), "document type declaration (LLSD has no entities)")
                        }
                    });
                }
            });
        }
    }

    /// quick-xml copies the name of an element before it gives it: a long one has to be affordable.
    #[inline]
    fn afford_name(&mut self) -> Result<(), Failed<'a>> {
        const LONG: usize = 256;
        let ends = |byte: &u8| matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n');
        if let [b'<', name @ ..] = self.last()
            && name.len() > LONG
            && !name.iter().take(LONG).any(ends)
        {
            let len = name.iter().position(ends).unwrap_or(name.len());
            let cost = open_cost(name.get(..len).unwrap_or(name));
            self.budget.take(cost).here(self.last())?;
            self.budget.give_back(cost);
        }
        Ok(())
    }

    /// A whole element in one step, where it is the most usual there is: one that contains a scalar or a
    /// key, without attributes (but for base64), and text of plain ASCII without references. That is
    /// nearly all of nearly every document, and quick-xml would take three steps. Whatever is not
    /// like this is left to it.
    #[inline(always)]
    pub(super) fn simple(&mut self) -> Option<(Tag, &'a [u8])> {
        if !self.at_content || self.empty {
            return None;
        }
        let all = self.rest();
        let mut rest = all;
        while let Some((b' ' | b'\n' | b'\r' | b'\t', tail)) = rest.split_first() {
            rest = tail;
        }
        let (tag, close, tail) = opening(rest)?;
        let len = tail.iter().position(|&byte| is_special(byte))?;
        let (text, tail) = tail.split_at_checked(len)?;
        let tail = tail.strip_prefix(close)?;
        let used = all.len().saturating_sub(tail.len());
        self.start = self.body.len().saturating_sub(rest.len());
        self.xml.stream().consume(used);
        Some((tag, text))
    }

    /// Passes over an element whose start was just read. Its content has no meaning, but it is XML.
    pub(super) fn skip(&mut self) -> Result<(), Failed<'a>> {
        let mut depth = 1_u64;
        while depth > 0 {
            match self.next()? {
                Token::Start(_) => depth = depth.saturating_add(1),
                Token::End => depth = depth.saturating_sub(1),
                Token::Text(text) | Token::CData(text) => {
                    chars(text)?;
                }
                Token::Char(_) => {}
                Token::Eof => return Err(Fail::end(self.rest())),
            }
        }
        Ok(())
    }

    #[inline]
    fn tag(&mut self, start: &BytesStart<'a>) -> Result<Tag, Failed<'a>> {
        let name = start.name();
        let name = name.as_ref();
        let tag = match name {
            b"llsd" => Tag::Llsd,
            b"key" => Tag::Key,
            b"undef" => Tag::Undef,
            b"boolean" => Tag::Boolean,
            b"integer" => Tag::Integer,
            b"real" => Tag::Real,
            b"uuid" => Tag::Uuid,
            b"string" => Tag::String,
            b"date" => Tag::Date,
            b"uri" => Tag::Uri,
            b"binary" => Tag::Binary(Base::B64),
            b"array" => Tag::Array,
            b"map" => Tag::Map,
            _ if is_name(name) => Tag::Other,
            _ => return Err(Fail::invalid(self.last(), "malformed element name")),
        };
        match start.len() == name.len() {
            true => Ok(tag),
            false => self.attributes(start, tag),
        }
    }

    /// The attributes are checked, and one of them matters.
    #[cold]
    fn attributes(&mut self, start: &BytesStart<'a>, mut tag: Tag) -> Result<Tag, Failed<'a>> {
        let at = self.last();
        let bad = || Fail::invalid(at, "malformed attributes");
        // quick-xml would compare each with all before it.
        let mut names = HashSet::new();
        let mut cost = 0_u64;
        for attribute in start.attributes().with_checks(false) {
            let attribute = attribute.map_err(|_| bad())?;
            let name = attribute.key.into_inner();
            // The value is copied where it has references.
            let next = ATTRIBUTE_COST.saturating_add((attribute.value.len() as u64).saturating_mul(2));
            self.budget.take(next).here(at)?;
            cost = cost.saturating_add(next);
            if !is_name(name)
                || !names.insert(name)
                || attribute.value.contains(&b'<')
                || flags(&attribute.value) & BAD != 0
            {
                return Err(bad());
            }
            let value = attribute.unescape_value().map_err(|_| bad())?;
            if let (Tag::Binary(base), b"encoding") = (&mut tag, name) {
                *base = match &*value {
                    "" | "base64" => Base::B64,
                    "base16" => Base::B16,
                    "base85" => Base::B85,
                    _ => Base::Other,
                };
            }
        }
        self.budget.give_back(cost);
        Ok(tag)
    }

    /// The five entities that XML has, and characters by number.
    fn reference(&self, reference: &BytesRef<'a>) -> Result<char, Failed<'a>> {
        let named = match &**reference {
            b"lt" => '<',
            b"gt" => '>',
            b"amp" => '&',
            b"apos" => '\'',
            b"quot" => '"',
            _ => match reference.resolve_char_ref() {
                Ok(Some(number)) if is_char(number) => number,
                Ok(None) => return Err(Fail::invalid(self.last(), "unknown entity")),
                _ => {
                    return Err(Fail::invalid(
                        self.last(),
                        "a reference to a character that XML does not allow",
                    ));
                }
            },
        };
        Ok(named)
    }

    fn instruction(&self, instruction: &BytesPI<'a>) -> Result<(), Failed<'a>> {
        // Only before the first element, where a header of LLSD looks like one with a space too many.
        let reserved = instruction.target().eq_ignore_ascii_case(b"xml");
        if reserved || flags(instruction) & BAD != 0 || std::str::from_utf8(instruction).is_err() {
            return Err(Fail::invalid(self.last(), "malformed processing instruction"));
        }
        Ok(())
    }

    fn declaration(&self, declaration: &BytesDecl<'a>) -> Result<(), Failed<'a>> {
        let before = self.body.get(..self.start).unwrap_or_default();
        let before = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before);
        // White space before it is an error of XML that the viewer and python pass over, and so is a
        // header of LLSD.
        let first = before.trim_ascii().is_empty() || before.starts_with(b"<?");
        if !first || !declaration.version().is_ok_and(|version| version.starts_with(b"1.")) {
            return Err(Fail::invalid(self.last(), "malformed XML declaration"));
        }
        match declaration.encoding() {
            None => Ok(()),
            Some(Ok(name))
                if ["utf-8", "utf8", "us-ascii", "ascii"]
                    .iter()
                    .any(|known| name.eq_ignore_ascii_case(known.as_bytes())) =>
            {
                Ok(())
            }
            Some(Ok(name)) => {
                let name = String::from_utf8_lossy(&name).into_owned();
                Err(Fail::unsupported(self.last(), format!("character encoding {name:?}")))
            }
            Some(Err(_)) => Err(Fail::invalid(self.last(), "malformed XML declaration")),
        }
    }

    #[cold]
    fn broken(&self, error: &XmlError) -> Failed<'a> {
        let at = self.from(self.xml.error_position());
        match error {
            XmlError::Syntax(SyntaxError::InvalidBangMarkup) if !at.is_empty() => {
                Fail::invalid(at, "malformed markup")
            }
            XmlError::Syntax(_) => Fail::end(self.body.get(self.body.len()..).unwrap_or_default()),
            XmlError::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                Fail::invalid(at, format!("</{}> where </{expected}> is expected", found.escape_debug()))
            }
            XmlError::IllFormed(IllFormedError::UnmatchedEndTag(_)) => {
                Fail::invalid(at, "an end tag without a start tag")
            }
            XmlError::IllFormed(IllFormedError::UnclosedReference) => {
                Fail::invalid(at, "an & without a reference")
            }
            XmlError::IllFormed(IllFormedError::DoubleHyphenInComment) => {
                Fail::invalid(at, "two hyphens in a comment")
            }
            _ => Fail::invalid(at, "malformed XML"),
        }
    }
}

/// The start tag of a scalar or a key in its shortest form, and the end that belongs to it.
#[inline(always)]
fn opening(rest: &[u8]) -> Option<(Tag, &'static [u8], &[u8])> {
    const BASE64: &[u8] = b"<binary encoding=\"base64\">";
    let (tag, open, close): (Tag, &[u8], &[u8]) = match rest.get(..3)? {
        b"<ke" => (Tag::Key, b"<key>", b"</key>"),
        b"<st" => (Tag::String, b"<string>", b"</string>"),
        b"<in" => (Tag::Integer, b"<integer>", b"</integer>"),
        b"<re" => (Tag::Real, b"<real>", b"</real>"),
        b"<uu" => (Tag::Uuid, b"<uuid>", b"</uuid>"),
        b"<ur" => (Tag::Uri, b"<uri>", b"</uri>"),
        b"<bo" => (Tag::Boolean, b"<boolean>", b"</boolean>"),
        b"<da" => (Tag::Date, b"<date>", b"</date>"),
        b"<bi" if rest.starts_with(BASE64) => (Tag::Binary(Base::B64), BASE64, b"</binary>"),
        b"<bi" => (Tag::Binary(Base::B64), b"<binary>", b"</binary>"),
        _ => return None,
    };
    rest.strip_prefix(open).map(|tail| (tag, close, tail))
}

/// What quick-xml keeps of an open element while its vectors grow.
fn open_cost(name: &[u8]) -> u64 {
    (name.len() as u64).saturating_mul(3).saturating_add(OPEN_COST)
}

/// A slice is read without copying.
#[inline]
fn borrowed(text: Cow<'_, [u8]>) -> &[u8] {
    match text {
        Cow::Borrowed(text) => text,
        Cow::Owned(_) => &[],
    }
}
