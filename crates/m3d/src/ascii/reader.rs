//! The state while sections are read: the remaining text, the budget, and data that can only be evaluated once all
//! sections are known.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use bstr::BString;
use geom::Rgba8;

use super::name::{self, trimmed};
use super::number::{self, Number};
use super::token::{self, expected};
use super::writer::Writer;
use crate::hash::Mix;
use crate::model::{SectionKind, Skin, SkinId, TextLayout};
use geom::wire::{At, Budget, ErrorKind, Fail, Here, Parsed, Result};

/// The result of reading a text, or the position of its failure.
pub(crate) type Read<'a, T> = std::result::Result<T, nom::Err<Fail<'a>>>;

/// The skins read so far.
#[derive(Debug, Default)]
pub(crate) struct SkinTable {
    pub(crate) used: Vec<Skin>,
    pub(crate) ids: HashMap<Skin, SkinId, Mix>,
    /// The vertices whose rows state that they have no skin.
    pub(crate) without: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) layout: TextLayout,
    pub(crate) budget: Budget,
    pub(crate) skins: SkinTable,
    /// Which kinds of sections were found.
    pub(crate) seen: [bool; SectionKind::ALL.len()],
}

impl<'a> Reader<'a> {
    #[inline(always)]
    pub(crate) fn parse<T>(&mut self, parser: impl FnOnce(&'a [u8]) -> Parsed<'a, T>) -> Read<'a, T> {
        let (rest, value) = parser(self.input)?;
        self.input = rest;
        Ok(value)
    }

    /// Advances to the next row of a section; false after the section.
    #[inline(always)]
    pub(crate) fn row(&mut self) -> bool {
        let row = token::row(self.input);
        self.input = row.unwrap_or_else(|after| after);
        row.is_ok()
    }

    /// Consumes a word if it comes next.
    pub(crate) fn word(&mut self, word: &[u8]) -> bool {
        let found = token::token(self.input, "").ok().filter(|(_, found)| *found == word);
        found.map(|(rest, _)| self.input = rest).is_some()
    }

    /// Consumes a sign if it comes next, after blanks.
    pub(crate) fn sign(&mut self, sign: u8) -> bool {
        self.input = token::skip_blanks(self.input);
        let rest = self.input.strip_prefix(&[sign]);
        rest.map(|rest| self.input = rest).is_some()
    }

    pub(crate) fn expected(&self, what: &str) -> nom::Err<Fail<'a>> {
        expected(self.input, what)
    }

    pub(crate) fn line_end(&mut self) -> Read<'a, ()> {
        self.parse(token::line_end)
    }

    pub(crate) fn token(&mut self, what: &str) -> Read<'a, &'a [u8]> {
        self.parse(|input| token::token(input, what))
    }

    /// An index of any kind, after blanks.
    pub(crate) fn id<T: From<u32>>(&mut self, what: &str) -> Read<'a, T> {
        self.whole(|input| token::index(input, what), what).map(T::from)
    }

    /// An integer, after blanks, that ends before a blank, a bracket or the end of the line.
    fn whole<T>(&mut self, parser: impl FnOnce(&'a [u8]) -> Parsed<'a, T>, what: &str) -> Read<'a, T> {
        let start = token::skip_blanks(self.input);
        let (rest, value) = parser(start)?;
        match rest.first() {
            Some(&byte) if !token::is_end(byte) && !matches!(byte, b'[' | b']') => Err(expected(start, what)),
            _ => {
                self.input = rest;
                Ok(value)
            }
        }
    }

    /// An integer within a range, after blanks.
    pub(crate) fn int<T: TryFrom<i64>>(&mut self, range: RangeInclusive<i64>, what: &str) -> Read<'a, T> {
        self.whole(|input| token::int(input, range, what), what)
    }

    /// A count or a time: 0 to 2^32 - 1.
    pub(crate) fn unsigned(&mut self, what: &str) -> Read<'a, u32> {
        self.int(0..=i64::from(u32::MAX), what)
    }

    /// Any number, after blanks.
    pub(crate) fn number(&mut self, what: &str) -> Read<'a, Number> {
        self.parse(|input| number::read(input, what))
    }

    pub(crate) fn color(&mut self) -> Read<'a, Rgba8> {
        self.parse(token::color)
    }

    /// Appends the rest of a line as bytes.
    pub(crate) fn bytes(&mut self, to: &mut Vec<u8>) -> Read<'a, ()> {
        let (rest, ()) = token::bytes(self.input, to, &mut self.budget)?;
        self.input = rest;
        Ok(())
    }

    /// The rest of a line as a string.
    pub(crate) fn rest(&mut self) -> Read<'a, BString> {
        let (line, rest) = token::line(self.input);
        let name = self.string(trimmed(line)).here(self.input)?;
        self.input = rest;
        Ok(name)
    }

    pub(crate) fn string(&mut self, text: &[u8]) -> Result<BString, ErrorKind> {
        self.budget.copy(&name::read(text)).map(Into::into)
    }

    /// A token as a name; `-` is no name.
    pub(crate) fn name(&mut self) -> Read<'a, BString> {
        let token = self.token("a name")?;
        self.string(if token == b"-" { b"" } else { token }).here(self.input)
    }

    pub(crate) fn push<T>(&mut self, list: &mut Vec<T>, value: T) -> Read<'a, ()> {
        self.budget.push(list, value).here(self.input)
    }

    /// Adds an entry to a list.
    pub(crate) fn entry<T>(
        &mut self,
        list: &mut Vec<T>,
        read: impl FnOnce(&mut Self) -> Read<'a, T>,
    ) -> Read<'a, ()> {
        let value = read(self).index(list.len())?;
        self.push(list, value)
    }
}

/// A part of the model that is a section, or a list entry for each section.
pub(crate) trait Section: Default {
    /// Reads the text after the keyword, unless that is a comment, and the rows, and adds them to this part.
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()>;

    /// Writes the text after the keyword, unless that is a comment, and the rows.
    fn write(&self, writer: &mut Writer<'_>) -> Result<()>;
}

/// Extends a column to a length with default values. Called before one more entry is pushed.
pub(crate) fn fill<T: Clone + Default>(
    column: &mut Vec<T>,
    len: usize,
    budget: &mut Budget,
) -> Result<(), ErrorKind> {
    if let Some(missing) = len.checked_sub(column.len()) {
        budget.reserve(column, missing)?;
        column.resize(len, T::default());
    }
    budget.reserve(column, 1)
}
