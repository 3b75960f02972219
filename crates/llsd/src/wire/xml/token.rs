//! The scanner: goes once over the bytes of a document, from token to token, without building a tree. Common tokens are
//! read by loops, all others by nom.

use std::collections::HashSet;

use bstr::ByteSlice as _;
use nom::Parser as _;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_till1, take_until};
use nom::character::complete::{char, multispace0, multispace1};
use nom::combinator::{all_consuming, cut, opt, verify};
use nom::sequence::{delimited, preceded, separated_pair, terminated};

use crate::wire::events::Failed;
use crate::wire::xml::chars::{BAD, chars, flags, is_char, is_name, is_special, plain};
use geom::wire::{Budget, Fail, Here, Parsed, after, foreign, taken};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// The kind of an element.
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

/// The encoding of a binary's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    B64,
    B16,
    B85,
    Other,
}

/// A token other than comments and processing instructions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'a> {
    Start(Tag),
    /// A whole element: a scalar or a key, and its text.
    Leaf(Tag, &'a [u8]),
    End,
    /// Text with its original line ends; the caller checks it.
    Text(&'a [u8]),
    CData(&'a [u8]),
    Char(char),
    Eof,
}

/// Cuts the input into tokens.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    body: &'a [u8],
    rest: &'a [u8],
    /// The input from the last token on.
    last: &'a [u8],
    /// The names of the open elements.
    open: Vec<&'a [u8]>,
    /// Whether the last token was the start of an empty element, whose end comes next.
    empty: bool,
    /// Whether an element has begun.
    begun: bool,
    pub(super) budget: Budget,
}

/// The memory of a set of names per attribute while it grows.
const ATTRIBUTE_COST: u64 = 64;

impl<'a> Tokens<'a> {
    pub(super) fn new(body: &'a [u8], budget: Budget) -> Self {
        let mut rest = body;
        while let Some(tail) = rest.strip_prefix(MARK) {
            rest = tail;
        }
        Self { body, rest, last: rest, open: Vec::new(), empty: false, begun: false, budget }
    }

    /// The unread rest.
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The input from the last token on.
    #[inline]
    pub(super) fn last(&self) -> &'a [u8] {
        self.last
    }

    /// Sets where the last token began.
    pub(super) fn mark(&mut self, start: &'a [u8]) {
        self.last = start;
    }

    #[cold]
    fn malformed<T>(&self, what: &'static str) -> Result<T, Failed<'a>> {
        Err(Fail::invalid(self.last, what))
    }

    /// The next token where an element is expected: white space before a whole element is skipped.
    #[inline(always)]
    pub(super) fn element(&mut self) -> Result<Token<'a>, Failed<'a>> {
        match self.leaf() {
            Some((tag, text)) => Ok(Token::Leaf(tag, text)),
            None => self.next(),
        }
    }

    /// Reads a whole element in one step if it is of the most common form: a scalar or a key, without attributes
    /// (except for base64), with text of plain ASCII without references. Nearly all elements of documents are of this
    /// form.
    #[inline(always)]
    fn leaf(&mut self) -> Option<(Tag, &'a [u8])> {
        if self.empty {
            return None;
        }
        let mut rest = self.rest;
        while let Some((b' ' | b'\n' | b'\r' | b'\t', tail)) = rest.split_first() {
            rest = tail;
        }
        let (tag, close, tail) = opening(rest)?;
        let len = tail.iter().position(|&byte| is_special(byte))?;
        let (text, tail) = tail.split_at_checked(len)?;
        self.rest = tail.strip_prefix(close)?;
        self.last = rest;
        Some((tag, text))
    }

    /// The next token; comments and processing instructions are skipped.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Token<'a>, Failed<'a>> {
        if std::mem::take(&mut self.empty) {
            return Ok(Token::End);
        }
        let token = self.token();
        if token.is_err() {
            // Counts the first malformed byte as read: the path of the error is found by this.
            self.rest = after(self.last, 1);
        }
        token
    }

    #[inline]
    fn token(&mut self) -> Result<Token<'a>, Failed<'a>> {
        loop {
            self.last = self.rest;
            return Ok(match self.rest {
                [] => Token::Eof,
                [b'<', b'/', name @ ..] => self.end_tag(name)?,
                [b'<', b'!' | b'?', ..] => match self.markup()? {
                    Some(section) => Token::CData(section),
                    None => continue,
                },
                [b'<', name @ ..] => self.start_tag(name)?,
                [b'&', ..] => self.reference()?,
                text => {
                    let end = text.iter().position(|byte| matches!(byte, b'<' | b'&'));
                    let (text, rest) =
                        text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, &[]));
                    self.rest = rest;
                    Token::Text(text)
                }
            });
        }
    }

    fn start_tag(&mut self, text: &'a [u8]) -> Result<Token<'a>, Failed<'a>> {
        self.begun = true;
        let ends = |byte: &u8| matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n');
        let Some(end) = text.iter().position(ends) else { return Err(Fail::end_of(text)) };
        let (name, mut rest) = text.split_at_checked(end).unwrap_or((text, &[]));
        let mut tag = match name {
            b"map" => Tag::Map,
            b"array" => Tag::Array,
            b"key" => Tag::Key,
            b"string" => Tag::String,
            b"integer" => Tag::Integer,
            b"real" => Tag::Real,
            b"boolean" => Tag::Boolean,
            b"uuid" => Tag::Uuid,
            b"date" => Tag::Date,
            b"uri" => Tag::Uri,
            b"binary" => Tag::Binary(Base::B64),
            b"undef" => Tag::Undef,
            b"llsd" => Tag::Llsd,
            _ if is_name(name) => Tag::Other,
            _ => return self.malformed("malformed element name"),
        };
        if let [b' ' | b'\t' | b'\r' | b'\n', ..] = rest {
            rest = self.attributes(rest, &mut tag)?;
        }
        match rest {
            [b'>', rest @ ..] => {
                self.rest = rest;
                self.budget.push(&mut self.open, name).here(self.last)?;
            }
            [b'/', b'>', rest @ ..] => (self.rest, self.empty) = (rest, true),
            [] | [b'/'] => return Err(Fail::end_of(text)),
            _ => return self.malformed("expected > or /> at the end of a tag"),
        }
        Ok(Token::Start(tag))
    }

    /// Reads the attributes of a tag, of which only `encoding` has a meaning, then its `>` or `/>`.
    #[cold]
    fn attributes(&mut self, text: &'a [u8], tag: &mut Tag) -> Result<&'a [u8], Failed<'a>> {
        let mut names = HashSet::new();
        let (mut rest, before) = (text, self.budget.left());
        loop {
            let next = rest.trim_ascii_start();
            match next {
                [b'>' | b'/', ..] => break,
                [] => return Err(Fail::end_of(next)),
                _ if next.len() == rest.len() => {
                    return self.malformed("expected white space before an attribute");
                }
                _ => {}
            }
            let Ok((more, (name, value))) = attribute(next) else {
                return match next.contains(&b'>') {
                    true => self.malformed("malformed attribute (expected name=\"value\")"),
                    false => Err(Fail::end_of(next)),
                };
            };
            rest = more;
            self.budget.take(ATTRIBUTE_COST).here(self.last)?;
            // The value is copied if it has references.
            self.budget.take_values::<[u8; 2]>(value.len()).here(self.last)?;
            let new = names.insert(name);
            let Some(value) = attribute_value(value).filter(|_| new && is_name(name)) else {
                let what = if new { "malformed" } else { "duplicate" };
                return Err(Fail::invalid(self.last, format!("{what} attribute {:?}", name.as_bstr())));
            };
            if let (Tag::Binary(base), b"encoding") = (&mut *tag, name) {
                *base = match &*value {
                    "" | "base64" => Base::B64,
                    "base16" => Base::B16,
                    "base85" => Base::B85,
                    _ => Base::Other,
                };
            }
        }
        self.budget.refund_since(before, 0);
        Ok(rest.trim_ascii_start())
    }

    #[inline]
    fn end_tag(&mut self, text: &'a [u8]) -> Result<Token<'a>, Failed<'a>> {
        let rest =
            self.open.last().and_then(|name| text.strip_prefix(*name)?.trim_ascii_start().strip_prefix(b">"));
        match rest {
            Some(rest) => {
                self.open.pop();
                self.rest = rest;
                Ok(Token::End)
            }
            None => self.wrong_end(text),
        }
    }

    #[cold]
    fn wrong_end<T>(&self, text: &'a [u8]) -> Result<T, Failed<'a>> {
        let Some((found, _)) = text.split_once_str(">") else { return Err(Fail::end_of(text)) };
        let Some(name) = self.open.last() else { return self.malformed("an end tag without a start tag") };
        let shown = |name: &[u8]| name.chars().take(64).collect::<String>().escape_debug().to_string();
        let found = shown(found.trim_ascii_end());
        Err(Fail::invalid(self.last, format!("expected </{}>, found </{found}>", shown(name))))
    }

    /// Reads a reference: one of the five entities of XML, or a character by number.
    fn reference(&mut self) -> Result<Token<'a>, Failed<'a>> {
        let inside = take_till::<_, _, Fail<'_>>(|byte| matches!(byte, b';' | b'<' | b'&'));
        let Ok((rest, name)) = delimited(char('&'), inside, char(';')).parse(self.rest) else {
            return self.malformed("found a literal & (write it as &amp;)");
        };
        self.rest = rest;
        match character(name) {
            Some(Some(c)) => Ok(Token::Char(c)),
            Some(None) => {
                let what =
                    format!("the reference &{}; is a character that XML does not allow", name.as_bstr());
                Err(Fail::invalid(self.last, what))
            }
            None => {
                let what = format!(
                    "unknown entity {:?} (expected amp, lt, gt, apos, quot, or a number such as #160)",
                    name.as_bstr()
                );
                Err(Fail::invalid(self.last, what))
            }
        }
    }

    /// Reads a CDATA section, or skips a comment, a processing instruction or a declaration.
    fn markup(&mut self) -> Result<Option<&'a [u8]>, Failed<'a>> {
        let section = self.between("<![CDATA[", "]]>")?;
        if section.is_some() {
            return Ok(section);
        }
        if let Some(comment) = self.between("<!--", "-->")? {
            chars(comment)?;
            return match comment.find("--").or(comment.ends_with(b"-").then_some(comment.len())) {
                Some(at) => Err(Fail::invalid(
                    after(comment, at),
                    "two hyphens (--) in a comment, which XML does not allow",
                )),
                None => Ok(None),
            };
        }
        match self.between("<?", "?>")? {
            Some(instruction) => self.instruction(instruction)?,
            None => return Err(self.exclamation()),
        }
        Ok(None)
    }

    /// The text between two marks, if the input continues with the first.
    fn between(&mut self, open: &'static str, close: &'static str) -> Result<Option<&'a [u8]>, Failed<'a>> {
        match opt(delimited(tag(open), cut(take_until(close)), tag(close))).parse(self.last) {
            Ok((rest, found)) => {
                self.rest = rest;
                Ok(found)
            }
            Err::<_, nom::Err<Fail<'_>>>(_) => Err(Fail::end_of(self.last)),
        }
    }

    /// The error for markup that begins with `<!` and is neither a comment nor CDATA.
    #[cold]
    fn exclamation(&self) -> Failed<'a> {
        let is = |start: &str| {
            self.last.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start.as_bytes()))
        };
        let is_html = ["<!doctype html>", "<!doctype html "].iter().any(|start| is(start));
        if is_html && !self.begun && !self.last.contains_str("<llsd") {
            return foreign(self.last, "the input is not LLSD");
        }
        match self.last.contains(&b'>') {
            true if is("<!doctype") => {
                Fail::unsupported(self.last, "document type declaration (remove the <!DOCTYPE …>)")
            }
            true => Fail::invalid(self.last, "expected a comment or a CDATA section after <!"),
            false => Fail::end_of(self.last),
        }
    }

    fn instruction(&self, inside: &'a [u8]) -> Result<(), Failed<'a>> {
        let target = inside.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        match inside.strip_prefix(b"xml") {
            Some(declaration) if target == b"xml" => self.declaration(declaration),
            // Other spellings of `xml` are reserved. The target of the header `<? LLSD/XML ?>` is empty: it is skipped.
            _ if target.eq_ignore_ascii_case(b"xml")
                || flags(inside) & BAD != 0
                || std::str::from_utf8(inside).is_err() =>
            {
                self.malformed("malformed processing instruction (reserved name or forbidden characters)")
            }
            _ => Ok(()),
        }
    }

    fn declaration(&self, text: &'a [u8]) -> Result<(), Failed<'a>> {
        let before = taken(self.body, self.last);
        let before = before.strip_prefix(MARK).unwrap_or(before);
        // XML forbids white space and an LLSD header before the declaration, but the viewer and python accept both.
        let first = !self.begun && (before.trim_ascii().is_empty() || before.starts_with(b"<?"));
        let named = |name: &'static str| {
            let wanted = move |pair: &(&[u8], &[u8])| pair.0 == name.as_bytes();
            preceded(multispace1, verify(attribute, wanted)).map(|(_, value)| value)
        };
        let parts = (named("version"), opt(named("encoding")), opt(named("standalone")));
        match all_consuming(terminated(parts, multispace0)).parse(text) {
            Ok((_, (version, encoding, _))) if first && version.starts_with(b"1.") => {
                let known = |name: &[u8]| {
                    let names: [&[u8]; 4] = [b"utf-8", b"utf8", b"us-ascii", b"ascii"];
                    names.iter().any(|known| name.eq_ignore_ascii_case(known))
                };
                match encoding.filter(|name| !known(name)) {
                    None => Ok(()),
                    Some(name) => Err(Fail::unsupported(
                        self.last,
                        format!("character encoding {:?} (convert the file to UTF-8)", name.as_bstr()),
                    )),
                }
            }
            _ => self.malformed(
                "malformed or misplaced XML declaration (expected <?xml version=\"1.0\"?> at the start)",
            ),
        }
    }

    /// Skips an element whose start was just read. Its content has no meaning, but it is XML.
    pub(super) fn skip(&mut self) -> Result<(), Failed<'a>> {
        let depth = self.open.len();
        if std::mem::take(&mut self.empty) {
            return Ok(());
        }
        while self.open.len() >= depth {
            match self.next()? {
                Token::Text(text) => drop(plain(text)?),
                Token::CData(text) => drop(chars(text)?),
                Token::Eof => return Err(Fail::end(self.rest)),
                Token::Start(_) | Token::Leaf(..) | Token::End | Token::Char(_) => {}
            }
        }
        Ok(())
    }
}

/// Reads an attribute: a name, an equals sign and a value between quotes.
pub(crate) fn attribute(text: &[u8]) -> Parsed<'_, (&[u8], &[u8])> {
    let name = take_till1(|byte: u8| byte.is_ascii_whitespace() || b"=/>\"'<".contains(&byte));
    let quoted = |quote: char| {
        delimited(char(quote), take_till(move |byte: u8| char::from(byte) == quote), char(quote))
    };
    let equals = (multispace0, char('='), multispace0);
    separated_pair(name, equals, alt((quoted('"'), quoted('\'')))).parse(text)
}

/// The value of an attribute; `None` if it is malformed.
fn attribute_value(raw: &[u8]) -> Option<String> {
    let raw =
        std::str::from_utf8(raw).ok().filter(|raw| !raw.contains('<') && flags(raw.as_bytes()) & BAD == 0)?;
    let mut text = String::with_capacity(raw.len());
    for (index, piece) in raw.split('&').enumerate() {
        let rest = match index {
            0 => piece,
            _ => {
                let (name, rest) = piece.split_once(';')?;
                text.push(character(name.as_bytes())??);
                rest
            }
        };
        text.push_str(rest);
    }
    Some(text)
}

/// The character of a reference with this name: `None` for an entity that XML does not have,
/// `Some(None)` for a number that is not a character of XML.
fn character(name: &[u8]) -> Option<Option<char>> {
    let number = |digits: &[u8], radix| {
        let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        char::from_u32(u32::from_str_radix(digits, radix).ok()?).filter(|c| is_char(*c))
    };
    Some(match name {
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"amp" => Some('&'),
        b"apos" => Some('\''),
        b"quot" => Some('"'),
        [b'#', b'x', digits @ ..] => number(digits, 16),
        [b'#', digits @ ..] => number(digits, 10),
        _ => return None,
    })
}

/// Reads the start tag of a scalar or a key in its shortest form: the tag, its end tag, and the input after it.
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
