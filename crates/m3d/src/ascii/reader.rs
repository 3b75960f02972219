//! What every section needs while it is read: the model so far, what may still be allocated, and what
//! can only be said when all sections are known.

use bstr::BString;

use super::name::{self, trimmed};
use super::skins::SkinTable;
use super::token;
use super::writer::Writer;
use crate::error::Result;
use crate::limits::Budget;
use crate::list::push;
use crate::model::{Model, TextLayout};
use crate::wire::fail::{At, Here, Parsed};

/// The state of a read.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) model: Model,
    pub(crate) layout: TextLayout,
    pub(crate) budget: Budget,
    pub(crate) skins: SkinTable,
}

impl Reader {
    /// The rest of a line as a string, and the text after the line.
    pub(crate) fn rest<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, BString> {
        let (line, rest) = token::line(input);
        let name = self.string(trimmed(line)).here(input)?;
        Ok((rest, name))
    }

    /// A string from its text.
    pub(crate) fn string(&mut self, text: &[u8]) -> Result<BString, crate::error::ErrorKind> {
        self.budget.copy(&name::read(text)).map(Into::into)
    }

    /// A token as a name; `-` is no name.
    pub(crate) fn name<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, BString> {
        let (rest, token) = token::token(input, "a name")?;
        let name = self.string(if token == b"-" { b"" } else { token }).here(input)?;
        Ok((rest, name))
    }

    /// Adds what was read of a row to a list.
    pub(crate) fn add<'a, T>(&mut self, list: &mut Vec<T>, read: Parsed<'a, T>) -> Parsed<'a, ()> {
        let (rest, value) = read.index(list.len())?;
        push(list, value, &mut self.budget).here(rest)?;
        Ok((rest, ()))
    }
}

/// A section of which a model may have several.
pub(crate) trait Section: Sized {
    /// Reads what follows its keyword, and its rows.
    fn read<'a>(reader: &mut Reader, head: &'a [u8], input: &'a [u8]) -> Parsed<'a, Self>;

    /// Writes its rows; before them what follows its keyword, unless that is a comment.
    fn write(&self, writer: &mut Writer<'_>) -> Result<()>;
}
