//! The tokens of Luau, the language of scripts: names, numbers, strings and symbols, without comments and white space.

use std::borrow::Cow;

/// The maximum nesting depth of strings with expressions. Deeper ones are read as plain text.
const DEPTH: usize = 16;

/// An iterator over the tokens of a source, in order. It ends for any bytes.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    /// The number of open braces in each open string with expressions.
    braces: [u32; DEPTH],
    depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    /// A string in quotes, or a part of a string with expressions. It can contain escapes.
    Text,
    /// A string in long brackets, which has no escapes.
    Raw,
    Symbol,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    /// The text of the token; of a string, without its quotes or brackets.
    pub(super) text: &'a [u8],
    pub(super) start: usize,
}

impl Token<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Name | Kind::Symbol) && self.text == text.as_bytes()
    }

    pub(super) fn is_string(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Raw)
    }
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a [u8]) -> Self {
        Self { source, at: 0, braces: [0; DEPTH], depth: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Takes bytes while `is` accepts them.
    fn take(&mut self, is: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|&byte| !is(byte)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The content of a long bracket that begins here: `[[…]]`, `[=[…]=]`.
    fn long(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let level = rest.get(1..)?.iter().take_while(|&&byte| byte == b'=').count();
        if rest.first() != Some(&b'[') || rest.get(level + 1) != Some(&b'[') {
            return None;
        }
        let inner = &rest[level + 2..];
        // The first bracket that closes with as many signs.
        let mut from = 0;
        let end = loop {
            let Some(close) = inner[from..].iter().position(|&byte| byte == b']') else { break inner.len() };
            let after = &inner[from + close + 1..];
            let signs = after.iter().take(level).take_while(|&&byte| byte == b'=').count();
            if signs == level && after.get(level) == Some(&b']') {
                break from + close;
            }
            from += close + 1;
        };
        self.at += level + 2 + (end + level + 2).min(inner.len());
        Some(&inner[..end])
    }

    /// Takes the rest of a string up to its closing quote or, in a string with expressions, the next expression.
    fn string(&mut self, quote: u8) -> &'a [u8] {
        let rest = self.rest();
        let mut end = 0;
        while let Some(&byte) = rest.get(end) {
            if byte == quote || byte == b'\n' && quote != b'`' {
                break;
            }
            if byte == b'{' && quote == b'`' && self.depth < DEPTH {
                self.braces[self.depth] = 0;
                self.depth += 1;
                break;
            }
            // After `\z`, or before a line end, the string continues.
            end += if byte == b'\\' { 2 } else { 1 };
        }
        let end = end.min(rest.len());
        self.at += (end + 1).min(rest.len());
        &rest[..end]
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.take(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
            if !self.rest().starts_with(b"--") {
                break;
            }
            self.at += 2;
            if self.long().is_none() {
                self.take(|byte| byte != b'\n');
            }
        }
        let (start, rest) = (self.at, self.rest());
        let &first = rest.first()?;
        let (kind, text) = match first {
            b'"' | b'\'' | b'`' => {
                self.at += 1;
                (Kind::Text, self.string(first))
            }
            b'}' if self.depth > 0 && self.braces[self.depth - 1] == 0 => {
                self.at += 1;
                self.depth -= 1;
                (Kind::Text, self.string(b'`'))
            }
            b'[' if matches!(rest.get(1), Some(b'[' | b'=')) => match self.long() {
                Some(text) => (Kind::Raw, text),
                None => {
                    self.at += 1;
                    (Kind::Symbol, &rest[..1])
                }
            },
            b'0'..=b'9' => {
                (Kind::Number, self.take(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte)))
            }
            b'.' if rest.get(1).is_some_and(u8::is_ascii_digit) => {
                (Kind::Number, self.take(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte)))
            }
            _ if first.is_ascii_alphabetic() || first == b'_' || first >= 0x80 => {
                (Kind::Name, self.take(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80))
            }
            _ => {
                let two = [&b"=="[..], b"~=", b"<=", b">=", b"..", b"::", b"->"];
                let length = if two.iter().any(|two| rest.starts_with(two)) { 2 } else { 1 };
                self.at += length;
                if let Some(open) = self.depth.checked_sub(1) {
                    match first {
                        b'{' => self.braces[open] += 1,
                        b'}' => self.braces[open] -= 1,
                        _ => {}
                    }
                }
                (Kind::Symbol, &rest[..length])
            }
        };
        Some(Token { kind, text, start })
    }
}

/// The content of a string, the number of its characters that are written as numbers, and how many of these are letters
/// or digits, for which this is not necessary.
pub(super) fn decode<'a>(token: &Token<'a>) -> (Cow<'a, [u8]>, usize, usize) {
    let (mut numbers, mut plain) = (0, 0);
    if token.kind != Kind::Text || !token.text.contains(&b'\\') {
        return (token.text.into(), 0, 0);
    }
    let (mut out, mut at) = (Vec::with_capacity(token.text.len()), 0);
    let byte = |at: usize| token.text.get(at).copied();
    while let Some(first) = byte(at) {
        at += 1;
        if first != b'\\' {
            out.push(first);
            continue;
        }
        let Some(second) = byte(at) else { break };
        at += 1;
        let mut digits = |radix: u32, max: usize, at: &mut usize| {
            let (mut number, mut count) = (0_u32, 0);
            while let Some(digit) = byte(*at).and_then(|byte| char::from(byte).to_digit(radix))
                && count < max
            {
                number = number.saturating_mul(radix).saturating_add(digit);
                (*at, count) = (*at + 1, count + 1);
            }
            numbers += 1;
            plain += usize::from(char::from_u32(number).is_some_and(|char| char.is_ascii_alphanumeric()));
            number
        };
        match second {
            b'x' => out.extend(u8::try_from(digits(16, 2, &mut at))),
            b'0'..=b'9' => {
                at -= 1;
                out.extend(u8::try_from(digits(10, 3, &mut at)));
            }
            b'u' if byte(at) == Some(b'{') => {
                at += 1;
                let char = char::from_u32(digits(16, 8, &mut at)).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend(char.encode_utf8(&mut [0; 4]).as_bytes());
                at += usize::from(byte(at) == Some(b'}'));
            }
            b'z' => at += token.text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count(),
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            other => out.push(other),
        }
    }
    (out.into(), numbers, plain)
}
