//! The parser of XML, piece by piece: quick-xml cuts the text, and what it leaves to its callers stands
//! here: names, attributes, references, the declaration. Nothing else in this crate knows which
//! parser it is.
//!
//! Items are walked through tag by tag ([`Xml::child`]); only what belongs to one value is made a tree
//! ([`Xml::element`]), in room that is used again for the next.

use std::io::BufRead as _;
use std::ops::Range;

use bstr::ByteSlice as _;
use quick_xml::Reader;
use quick_xml::errors::{Error as XmlError, IllFormedError};
use quick_xml::events::Event;

use crate::error::{ErrorKind, Limit};
use crate::limits::Budget;
use crate::wire::parse;

mod tag;
mod text;
mod tree;

pub(crate) use tag::Tag;
use tag::begins_name;
use text::{Kind, Text, referred, text_len};
pub(crate) use text::{code, is_forbidden};
pub(crate) use tree::{Element, Tree};

/// A text that is being parsed.
pub(crate) struct Xml<'t> {
    reader: Reader<&'t [u8]>,
    text: &'t str,
    /// Where in the text the reader began: behind a byte order mark.
    base: usize,
    /// Where the last token begins.
    start: usize,
    /// Whether the last token was a tag: only then quick-xml stands at the first byte of what comes.
    at_content: bool,
    /// What stands in the element whose tag was handed out last, if all of it was passed already.
    leaf: Option<Text<'t>>,
    /// Whether a carriage return stands anywhere.
    returns: bool,
    nodes: u32,
    max_nodes: u32,
}

enum Token<'t> {
    Start(Tag<'t>),
    /// An element without any other in it, passed as a whole.
    Leaf(Tag<'t>, Text<'t>),
    End,
    Text(Text<'t>),
    Eof,
}

/// Why a text was refused, and where.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) kind: ErrorKind,
    pub(crate) at: usize,
}

type Parsed<T> = Result<T, Refused>;

impl Refused {
    /// Whether the text might be readable once the characters that XML does not allow are put as
    /// others.
    pub(crate) fn is_curable(&self) -> bool {
        matches!(self.kind, ErrorKind::Invalid(_) | ErrorKind::UnexpectedEnd)
    }
}

impl std::fmt::Debug for Xml<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Xml at {}", self.at())
    }
}

impl<'t> Xml<'t> {
    pub(crate) fn new(text: &'t str, max_nodes: u32) -> Self {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let base = text.len().saturating_sub(body.len());
        let returns = text.as_bytes().contains(&b'\r');
        let reader = Reader::from_reader(body.as_bytes());
        Self { reader, text, base, start: 0, at_content: false, leaf: None, returns, nodes: 0, max_nodes }
    }

    /// Where what was not read yet begins.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        let read = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
        self.base.saturating_add(read)
    }

    #[inline]
    fn piece(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    #[inline]
    fn bytes_from(&self, at: usize) -> &'t [u8] {
        self.text.as_bytes().get(at..).unwrap_or_default()
    }

    #[cold]
    fn malformed(&self, at: usize, what: &str) -> Refused {
        Refused { kind: ErrorKind::Invalid(format!("malformed XML: {what}").into()), at }
    }

    #[cold]
    fn ended(&self) -> Refused {
        Refused { kind: ErrorKind::UnexpectedEnd, at: self.text.len() }
    }

    /// The first element. A document type is refused: with it, a small text could become a large one.
    pub(crate) fn root(&mut self) -> Parsed<Tag<'t>> {
        // quick-xml would pass over a second mark, and count it nowhere.
        if self.bytes_from(self.base).starts_with(b"\xef\xbb\xbf") {
            return Err(self.malformed(self.base, "a byte order mark in the middle"));
        }
        loop {
            match self.token()? {
                Token::Start(tag) => return Ok(tag),
                Token::Leaf(tag, text) => {
                    self.leaf = Some(text);
                    return Ok(tag);
                }
                Token::Text(text) if text.kind != Kind::Section && text.raw.trim_ascii().is_empty() => {}
                Token::Text(_) => {
                    return Err(self.malformed(self.start, "text in front of the first element"));
                }
                Token::End | Token::Eof => return Err(self.ended()),
            }
        }
    }

    /// The next element in the one that is open; `None` at its end, which is passed. What stands
    /// between them means nothing, but it is XML. The caller goes on with what is in the element:
    /// with this, with [`Xml::element`] or with [`Xml::skip`].
    #[inline]
    pub(crate) fn child(&mut self) -> Parsed<Option<Tag<'t>>> {
        if self.leaf.take().is_some() {
            return Ok(None);
        }
        loop {
            match self.token()? {
                Token::Start(tag) => return Ok(Some(tag)),
                Token::Leaf(tag, text) => {
                    self.leaf = Some(text);
                    return Ok(Some(tag));
                }
                Token::Text(_) => {}
                Token::End => return Ok(None),
                Token::Eof => return Err(self.ended()),
            }
        }
    }

    /// Passes over what is in the element whose tag was read last.
    pub(crate) fn skip(&mut self) -> Parsed<()> {
        if self.leaf.take().is_some() {
            return Ok(());
        }
        let mut depth = 1_u64;
        while depth > 0 {
            match self.token()? {
                Token::Start(_) => depth = depth.saturating_add(1),
                Token::End => depth = depth.saturating_sub(1),
                Token::Leaf(..) | Token::Text(_) => {}
                Token::Eof => return Err(self.ended()),
            }
        }
        Ok(())
    }

    /// All of the element whose tag was read last, as a tree that takes the place of the one before.
    #[inline]
    pub(crate) fn element<'d>(
        &mut self,
        tag: Tag<'t>,
        tree: &'d mut Tree<'t>,
        budget: &mut Budget,
    ) -> Parsed<Element<'d, 't>> {
        tree.clear();
        tree.room(budget).map_err(|kind| Refused { kind, at: tag.start() })?;
        match self.leaf.take() {
            Some(text) => tree.leaf(tag, text, self.at()),
            None => self.branch(tag, tree, budget)?,
        }
        tree.root().ok_or(Refused { kind: ErrorKind::UnexpectedEnd, at: tag.start() })
    }

    fn branch(&mut self, tag: Tag<'t>, tree: &mut Tree<'t>, budget: &mut Budget) -> Parsed<()> {
        tree.start(tag);
        while tree.is_open() {
            tree.room(budget).map_err(|kind| Refused { kind, at: self.start })?;
            match self.token()? {
                Token::Start(tag) => tree.start(tag),
                Token::Leaf(tag, text) => tree.leaf(tag, text, self.at()),
                Token::Text(text) => tree.text(text),
                Token::End => tree.end(self.at()),
                Token::Eof => return Err(self.ended()),
            }
        }
        Ok(())
    }

    #[inline]
    fn count(&mut self, nodes: u32) -> Parsed<()> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes <= self.max_nodes {
            return Ok(());
        }
        let limit = Limit { name: "max_nodes", allowed: u64::from(self.max_nodes) };
        Err(Refused { kind: ErrorKind::Limit(limit), at: self.start })
    }

    /// The next token; comments and processing instructions are passed over.
    #[inline]
    fn token(&mut self) -> Parsed<Token<'t>> {
        if self.at_content {
            let from = self.at();
            if let Some((tag, text)) = self.simple() {
                // White space in front of it, and the text in it, where there is any.
                self.count(1)?;
                self.count(u32::from(tag.start() > from))?;
                self.count(u32::from(!text.raw.is_empty()))?;
                return Ok(Token::Leaf(tag, text));
            }
        }
        self.event()
    }

    fn event(&mut self) -> Parsed<Token<'t>> {
        self.at_content = false;
        loop {
            self.start = self.at();
            let event = self.reader.read_event().map_err(|error| self.broken(&error))?;
            if !matches!(event, Event::End(_) | Event::Eof) {
                self.count(1)?;
            }
            match event {
                Event::Start(start) => {
                    self.at_content = true;
                    return self.tag(start.name().0.len()).map(Token::Start);
                }
                Event::Empty(start) => {
                    self.at_content = true;
                    return Ok(Token::Leaf(
                        self.tag(start.name().0.len())?,
                        Text { raw: "", kind: Kind::Plain },
                    ));
                }
                Event::End(_) => {
                    self.at_content = true;
                    return Ok(Token::End);
                }
                Event::Text(_) => {
                    let raw = self.piece(self.start..self.at());
                    let kind = if self.has_returns(raw) { Kind::Coded } else { Kind::Plain };
                    return Ok(Token::Text(Text { raw, kind }));
                }
                Event::CData(_) => {
                    let raw = self.piece(self.start..self.at());
                    let raw = raw.strip_prefix("<![CDATA[").and_then(|raw| raw.strip_suffix("]]>"));
                    return Ok(Token::Text(Text { raw: raw.unwrap_or_default(), kind: Kind::Section }));
                }
                Event::GeneralRef(name) => {
                    if std::str::from_utf8(&name).ok().and_then(referred).is_none() {
                        return Err(self.malformed(self.start, "a reference to nothing that XML knows"));
                    }
                    let raw = self.piece(self.start..self.at());
                    return Ok(Token::Text(Text { raw, kind: Kind::Coded }));
                }
                Event::Comment(_) => {}
                Event::PI(instruction) => {
                    if !instruction.first().is_some_and(|&byte| begins_name(byte)) {
                        return Err(self.malformed(self.start, "a processing instruction without a name"));
                    }
                }
                Event::Decl(_) => {
                    let declaration = self.piece(self.start..self.at());
                    let first = self.start == self.base;
                    // Without a space it is an instruction with an odd name.
                    let odd = !declaration.starts_with("<?xml ");
                    let good = odd || first && parse::is_declaration(declaration.as_bytes());
                    if !good {
                        return Err(
                            self.malformed(self.start, "a declaration that is none, or not the first")
                        );
                    }
                }
                Event::DocType(_) => {
                    let kind = ErrorKind::Unsupported("document type declaration".into());
                    return Err(Refused { kind, at: self.start });
                }
                Event::Eof => return Ok(Token::Eof),
            }
        }
    }

    #[inline]
    fn has_returns(&self, raw: &str) -> bool {
        self.returns && raw.as_bytes().find_byte(b'\r').is_some()
    }

    /// A whole element in one step, where it is the most usual there is: with one attribute or none,
    /// and text without references. That is nearly all of nearly every document, and quick-xml would
    /// take four steps. Whatever is not like this is left to it. White space in front of the element
    /// is passed over with it: where an element stands, it means nothing.
    #[inline]
    fn simple(&mut self) -> Option<(Tag<'t>, Text<'t>)> {
        let from = self.at();
        let all = self.bytes_from(from);
        let mut rest = all;
        while let Some((b' ' | b'\n' | b'\r' | b'\t', behind)) = rest.split_first() {
            rest = behind;
        }
        let at = from.saturating_add(all.len().saturating_sub(rest.len()));
        let (name, behind) = tag::simple(rest)?;
        let tag_len = rest.len().saturating_sub(behind.len());
        let text_len = text_len(behind)?;
        let (text, behind) = behind.split_at_checked(text_len)?;
        let behind = behind.strip_prefix(b"</")?.strip_prefix(name)?.strip_prefix(b">")?;
        self.reader.stream().consume(all.len().saturating_sub(behind.len()));
        self.start = at;
        let tag = self.piece(at..at.saturating_add(tag_len));
        let tag = Tag::simple(tag, at, name.len(), text.is_empty());
        let raw = self.piece(tag.end()..tag.end().saturating_add(text_len));
        Some((tag, Text { raw, kind: Kind::Plain }))
    }

    /// The start tag that was just read, with a name of so many bytes.
    #[inline]
    fn tag(&self, name_len: usize) -> Parsed<Tag<'t>> {
        let (at, end) = (self.start, self.at());
        let text = self.piece(at..end);
        let hollow = text.ends_with("/>") || self.bytes_from(end).starts_with(b"</");
        Tag::checked(text, at, name_len, hollow).map_err(|(at, what)| self.malformed(at, what))
    }

    /// Whether markup that does not end begins as some does.
    fn is_begun(&self, at: usize) -> bool {
        let markup = self.bytes_from(at);
        let known = [&b"<!--"[..], b"<![CDATA[", b"<!DOCTYPE"];
        match markup.starts_with(b"<!") {
            true => known.iter().any(|known| known.starts_with(markup) || markup.starts_with(known)),
            false => self.bytes_from(self.at()).is_empty(),
        }
    }

    #[cold]
    fn broken(&self, error: &XmlError) -> Refused {
        let at = usize::try_from(self.reader.error_position()).unwrap_or(usize::MAX);
        let at = self.base.saturating_add(at);
        match error {
            XmlError::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                let what = format!("</{}> where </{}> belongs", short(found), short(expected));
                Refused { kind: ErrorKind::Invalid(what.into()), at }
            }
            XmlError::IllFormed(IllFormedError::UnmatchedEndTag(_)) => {
                self.malformed(at, "the end of what was not begun")
            }
            XmlError::IllFormed(IllFormedError::UnclosedReference) => {
                self.malformed(at, "an & that begins no reference")
            }
            // It is looked for up to the end: whether it was begun well says the beginning.
            XmlError::Syntax(_) if self.is_begun(at) => self.ended(),
            _ => self.malformed(at, "malformed markup"),
        }
    }
}

/// The beginning of a name that may be very long.
fn short(name: &str) -> String {
    name.chars().take(64).collect()
}

#[cfg(test)]
mod tests;
