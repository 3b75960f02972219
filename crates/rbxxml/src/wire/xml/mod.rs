//! The XML scanner: it walks over the bytes of a file once, from tag to tag, without building a tree.
//!
//! It accepts things that XML 1.0 forbids but old files contain: control characters, references to them, bytes that are
//! not UTF-8, an `&` that begins no reference, and white space before a declaration. A prefix is part of a name.
//! Document types are refused, since with one, a small file could expand to a large text.

use std::borrow::Cow;
use std::ops::Range;

use bstr::ByteSlice as _;

use geom::wire::{Budget, ErrorKind, Fail, Here as _, Limit, after, foreign, taken};

mod tag;
mod text;

pub(crate) use tag::Tag;
use tag::begins_name;
use text::{Kind, Text, text_len};

/// The result of reading a part of the file.
pub(crate) type Read<'s, T> = Result<T, nom::Err<Fail<'s>>>;

/// The file that is being read, and the position in it.
#[derive(Debug)]
pub(crate) struct Scanner<'s> {
    pub(crate) file: &'s [u8],
    pub(crate) budget: Budget,
    at: usize,
    /// The names of the elements that are open.
    open: Vec<&'s [u8]>,
    /// The text of the last element returned, if the whole element has been read already.
    leaf: Option<Text<'s>>,
    nodes: u32,
    max_nodes: u32,
}

enum Token<'s> {
    Start(Tag<'s>),
    /// An element without children, read as a whole.
    Leaf(Tag<'s>, Text<'s>),
    End,
    Text(Text<'s>),
    Eof,
}

impl<'s> Scanner<'s> {
    pub(crate) fn new(file: &'s [u8], budget: Budget, max_nodes: u32) -> Self {
        Self { file, budget, at: 0, open: Vec::new(), leaf: None, nodes: 0, max_nodes }
    }

    /// A scanner that begins at an element of the file, as if nothing preceded it.
    pub(crate) fn of_element(file: &'s [u8], at: usize) -> Self {
        Self { at, ..Self::new(file, Budget::new(u64::MAX), u32::MAX) }
    }

    /// The offset of the next tag, if only white space precedes it.
    #[inline]
    pub(crate) fn next_element(&self) -> Option<usize> {
        let rest = self.from(self.at).trim_ascii_start();
        (self.leaf.is_none() && rest.starts_with(b"<")).then(|| taken(self.file, rest).len())
    }

    /// Continues at `end`, to skip an element without reading it.
    pub(crate) fn go_on(&mut self, end: usize) {
        self.at = end;
    }

    /// The offset of the first unread byte.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The file from an offset on.
    #[inline]
    pub(crate) fn from(&self, at: usize) -> &'s [u8] {
        after(self.file, at)
    }

    /// A part of the file.
    #[inline]
    pub(crate) fn slice(&self, range: Range<usize>) -> &'s [u8] {
        self.file.get(range).unwrap_or_default()
    }

    /// Continues with this part of the file, up to its end.
    #[inline]
    fn go_to(&mut self, rest: &[u8]) {
        self.at = taken(self.file, rest).len();
    }

    #[cold]
    fn malformed<T>(&self, at: &'s [u8], what: &str) -> Read<'s, T> {
        Err(Fail::invalid(at, format!("malformed XML: {what}")))
    }

    #[cold]
    fn ended<T>(&self) -> Read<'s, T> {
        Err(Fail::end_of(self.file))
    }

    /// Charges memory for something that begins at an offset.
    #[inline]
    pub(crate) fn charge(&mut self, at: usize, bytes: usize) -> Read<'s, ()> {
        self.charge_values::<u8>(at, bytes)
    }

    /// Charges the memory of a number of values for something that begins at an offset.
    #[inline]
    pub(crate) fn charge_values<T>(&mut self, at: usize, count: usize) -> Read<'s, ()> {
        match self.budget.take_values::<T>(count) {
            Ok(()) => Ok(()),
            Err(kind) => Err(kind).here(self.from(at)),
        }
    }

    /// The tag of the first element.
    pub(crate) fn root(&mut self) -> Read<'s, Tag<'s>> {
        const EXPECTED: &str = "not a Roblox document in XML: expected the element <roblox>";
        let text = self.file.strip_prefix(MARK).unwrap_or(self.file).trim_ascii_start();
        let doctype = b"<!doctype html";
        let html = text.get(..doctype.len()).is_some_and(|start| start.eq_ignore_ascii_case(doctype));
        if !text.starts_with(b"<") || html || text.starts_with(crate::consts::BINARY) {
            return Err(foreign(self.file, EXPECTED));
        }
        let tag = self.first()?;
        match tag.name() {
            b"roblox" => Ok(tag),
            b"html" | b"llsd" => Err(foreign(text, EXPECTED)),
            name => {
                let what = format!("expected <roblox> as the first element, found <{}>", name.as_bstr());
                Err(Fail::invalid(self.from(tag.start()), what))
            }
        }
    }

    /// The tag of the first element, whatever its name.
    fn first(&mut self) -> Read<'s, Tag<'s>> {
        if let Some(text) = self.file.strip_prefix(MARK).filter(|_| self.at == 0) {
            self.go_to(text);
        }
        loop {
            match self.token()? {
                Token::Start(tag) => return Ok(tag),
                Token::Leaf(tag, text) => {
                    self.leaf = Some(text);
                    return Ok(tag);
                }
                Token::Text(text) if text.kind != Kind::Section && text.raw.trim_ascii().is_empty() => {}
                Token::Text(text) => {
                    let start = self.at.saturating_sub(text.raw.trim_ascii_start().len());
                    return self.malformed(self.from(start), "found text before the first element");
                }
                Token::End | Token::Eof => return self.ended(),
            }
        }
    }

    /// The next child of the open element; `None` at its end, which is consumed. The caller must then read the content
    /// of the child, with this function, [`Scanner::text`] or [`Scanner::skip`].
    #[inline]
    pub(crate) fn child(&mut self) -> Read<'s, Option<Tag<'s>>> {
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
                Token::Eof => return self.ended(),
            }
        }
    }

    /// Skips the content and the end of the last element returned.
    pub(crate) fn skip(&mut self) -> Read<'s, ()> {
        if self.leaf.take().is_some() {
            return Ok(());
        }
        // The last element returned is the last open one.
        let open = self.open.len();
        while self.open.len() >= open {
            if let Token::Eof = self.token()? {
                return self.ended();
            }
        }
        Ok(())
    }

    /// The number of open elements around the last element returned.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.open.len().saturating_sub(usize::from(self.leaf.is_none()))
    }

    /// Whether the content of the last element returned begins with an element.
    pub(crate) fn begins_with_element(&self) -> bool {
        let rest = self.from(self.at).trim_ascii_start();
        self.leaf.is_none() && matches!(rest, [b'<', first, ..] if begins_name(*first))
    }

    /// Goes back to the first byte after a start tag, in `depth` open elements.
    pub(crate) fn rewind(&mut self, tag: Tag<'s>, depth: usize) -> Read<'s, ()> {
        self.open.truncate(depth);
        self.at = tag.end();
        self.leaf = tag.is_empty().then(Text::default);
        if !tag.is_empty() {
            self.budget.push(&mut self.open, tag.name()).here(self.from(tag.start()))?;
        }
        Ok(())
    }

    /// Reads the text of the last element returned, and its end. Fails if it contains an element.
    #[inline]
    pub(crate) fn text<T>(&mut self, read: impl FnOnce(&mut Self, &[u8]) -> Read<'s, T>) -> Read<'s, T> {
        match self.leaf.take() {
            Some(Text { raw, kind: Kind::Plain }) => read(self, raw),
            Some(text) => self.long_text(Some(text), read),
            None => self.long_text(None, read),
        }
    }

    fn long_text<T>(
        &mut self,
        leaf: Option<Text<'s>>,
        read: impl FnOnce(&mut Self, &[u8]) -> Read<'s, T>,
    ) -> Read<'s, T> {
        let text = self.pieces(leaf)?;
        let value = read(self, &text)?;
        if let Cow::Owned(text) = text {
            self.budget.release(text);
        }
        Ok(value)
    }

    /// The text of a leaf, or of an element up to its end, which is consumed.
    fn pieces(&mut self, leaf: Option<Text<'s>>) -> Read<'s, Cow<'s, [u8]>> {
        let is_leaf = leaf.is_some();
        let mut text: Cow<'s, [u8]> = Cow::default();
        let mut next = leaf;
        loop {
            if let Some(piece) = next.take() {
                let at = self.at;
                let decoded = piece.decoded(&mut self.budget).here(self.from(at))?;
                match &mut text {
                    text if text.is_empty() => *text = decoded,
                    Cow::Borrowed(first) => {
                        let mut both = Vec::new();
                        let first = *first;
                        self.budget.extend(&mut both, first).here(self.from(at))?;
                        self.budget.extend(&mut both, &decoded).here(self.from(at))?;
                        text = Cow::Owned(both);
                    }
                    Cow::Owned(text) => self.budget.extend(text, &decoded).here(self.from(at))?,
                }
            }
            if is_leaf {
                return Ok(text);
            }
            match self.token()? {
                Token::Text(piece) => next = Some(piece),
                Token::End => return Ok(text),
                Token::Eof => return self.ended(),
                Token::Start(tag) | Token::Leaf(tag, _) => {
                    return Err(Fail::invalid(self.from(tag.start()), "expected text, found an element"));
                }
            }
        }
    }

    #[inline]
    fn count(&mut self, at: usize) -> Read<'s, ()> {
        match self.nodes.checked_add(1).filter(|&nodes| nodes <= self.max_nodes) {
            Some(nodes) => self.nodes = nodes,
            None => {
                let limit = Limit::new("max_nodes", self.max_nodes.into());
                return Err(Fail::new(self.from(at), ErrorKind::Limit(limit)));
            }
        }
        Ok(())
    }

    /// The next token; comments and processing instructions are skipped.
    #[inline]
    fn token(&mut self) -> Read<'s, Token<'s>> {
        if let Some((tag, text)) = self.simple() {
            self.count(tag.start())?;
            return Ok(Token::Leaf(tag, text));
        }
        self.markup()
    }

    /// Reads a whole element in one step, if it has the most frequent form: at most one attribute, and text without
    /// references. White space before it is skipped, since it has no meaning between elements.
    #[inline]
    fn simple(&mut self) -> Option<(Tag<'s>, Text<'s>)> {
        let mut rest = self.from(self.at);
        while let Some((b' ' | b'\n' | b'\r' | b'\t', after)) = rest.split_first() {
            rest = after;
        }
        let (name, content) = tag::simple(rest)?;
        let (raw, end) = content.split_at_checked(text_len(content)?)?;
        let next = end.strip_prefix(b"</")?.strip_prefix(name)?.strip_prefix(b">")?;
        let tag = Tag::new(taken(rest, content), taken(self.file, rest).len(), name.len());
        self.go_to(next);
        Some((tag, Text { raw, kind: Kind::Plain }))
    }

    fn markup(&mut self) -> Read<'s, Token<'s>> {
        loop {
            let (at, rest) = (self.at, self.from(self.at));
            match rest {
                [] => return Ok(Token::Eof),
                [b'<', b'/', name @ ..] => return self.end_tag(name).map(|()| Token::End),
                [b'<', b'?', ..] => self.instruction(at, rest)?,
                [b'<', b'!', ..] => {
                    if let Some(text) = self.exclamation(at, rest)? {
                        return Ok(Token::Text(text));
                    }
                }
                [b'<', ..] => return self.start_tag(at),
                _ => {
                    let (raw, next) = rest.split_at(rest.find_byte(b'<').unwrap_or(rest.len()));
                    self.go_to(next);
                    let text = Text::between_tags(raw);
                    if let Err(offset) = text.check() {
                        return self.malformed(after(rest, offset), UNKNOWN_REFERENCE);
                    }
                    return Ok(Token::Text(text));
                }
            }
        }
    }

    fn start_tag(&mut self, at: usize) -> Read<'s, Token<'s>> {
        self.count(at)?;
        let tag = match Tag::parse(self.from(at), at, &mut self.budget) {
            Ok(tag) => tag,
            Err(tag::Wrong::End) => return self.ended(),
            Err(tag::Wrong::Malformed(offset, what)) => {
                return self.malformed(after(self.from(at), offset), &what);
            }
            Err(tag::Wrong::Limit(kind)) => return Err(kind).here(self.from(at)),
        };
        self.at = tag.end();
        if tag.is_empty() {
            return Ok(Token::Leaf(tag, Text::default()));
        }
        self.budget.push(&mut self.open, tag.name()).here(self.from(at))?;
        Ok(Token::Start(tag))
    }

    #[inline]
    fn end_tag(&mut self, found: &'s [u8]) -> Read<'s, ()> {
        let Some(name) = self.open.last() else {
            return self.malformed(self.from(self.at), "end tag without a start tag");
        };
        match found.strip_prefix(*name).map(<[u8]>::trim_ascii_start) {
            Some([b'>', next @ ..]) => {
                self.open.pop();
                self.go_to(next);
                Ok(())
            }
            _ => self.wrong_end(found, name),
        }
    }

    #[cold]
    fn wrong_end(&self, found: &[u8], name: &[u8]) -> Read<'s, ()> {
        let shown = |name: &[u8]| name.as_bstr().to_string().chars().take(64).collect::<String>();
        let Some((found, _)) = found.split_once_str(">") else { return self.ended() };
        let what = format!("expected </{}>, found </{}>", shown(name), shown(found.trim_ascii_end()));
        Err(Fail::invalid(self.from(self.at), what))
    }

    /// Skips `<?…?>`.
    fn instruction(&mut self, at: usize, rest: &'s [u8]) -> Read<'s, ()> {
        self.count(at)?;
        let whole = rest.strip_prefix(b"<?").and_then(|rest| rest.split_once_str("?>"));
        let Some((inside, next)) = whole else { return self.ended() };
        self.go_to(next);
        if !inside.first().is_some_and(|&byte| begins_name(byte)) {
            return self.malformed(rest, "processing instruction without a name");
        }
        if let Some(declaration) = inside.strip_prefix(b"xml ") {
            let before = self.slice(0..at);
            let before = before.strip_prefix(MARK).unwrap_or(before);
            let Some(encoding) = tag::declared_encoding(declaration) else {
                return self
                    .malformed(rest, "expected attributes such as version=\"1.0\" in the XML declaration");
            };
            if !before.trim_ascii().is_empty() {
                let what = "misplaced XML declaration (it is allowed only at the beginning of the file)";
                return self.malformed(rest, what);
            }
            let utf8 = encoding.is_empty() || encoding.eq_ignore_ascii_case(b"utf-8");
            if !utf8 && !self.file.is_ascii() {
                let what = format!(
                    "encoding {} (convert the file to UTF-8 and remove the encoding from the declaration)",
                    encoding.as_bstr()
                );
                return Err(Fail::unsupported(rest, what));
            }
        }
        Ok(())
    }

    /// Skips a comment, or returns the text of a CDATA section.
    fn exclamation(&mut self, at: usize, rest: &'s [u8]) -> Read<'s, Option<Text<'s>>> {
        const SECTION: &[u8] = b"<![CDATA[";
        self.count(at)?;
        if let Some(inside) = rest.strip_prefix(b"<!--") {
            let Some((_, next)) = inside.split_once_str("-->") else { return self.ended() };
            self.go_to(next);
            return Ok(None);
        }
        if let Some(inside) = rest.strip_prefix(SECTION) {
            let Some((raw, next)) = inside.split_once_str("]]>") else { return self.ended() };
            self.go_to(next);
            return Ok(Some(Text { raw, kind: Kind::Section }));
        }
        if rest.starts_with(b"<!DOCTYPE") {
            return Err(Fail::unsupported(rest, "<!DOCTYPE> declaration (remove it from the file)"));
        }
        let begun = [b"<!--", SECTION, b"<!DOCTYPE"].iter().any(|markup| markup.starts_with(rest));
        if begun {
            self.ended()
        } else {
            self.malformed(rest, "expected a comment or a CDATA section after \"<!\"")
        }
    }
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
const UNKNOWN_REFERENCE: &str = "reference to an undefined entity (write a literal & as &amp;)";

#[cfg(test)]
#[path = "../../../tests/inside/xml.rs"]
mod tests;
