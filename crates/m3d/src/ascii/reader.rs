//! What every section needs while it is read: the model so far, what may still be allocated, and what
//! can only be said when all sections are known.

use bstr::BString;

use super::name::{self, trimmed};
use super::skin::SkinTable;
use super::token;
use crate::limits::Budget;
use crate::list::push;
use crate::model::{Model, TextLayout, VertexId};
use crate::wire::fail::{Here, Parsed};

/// The state of a read.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) model: Model,
    pub(crate) layout: TextLayout,
    pub(crate) budget: Budget,
    pub(crate) skins: SkinTable,
    /// The vertices that bones use as quaternions.
    pub(crate) quaternions: Vec<VertexId>,
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

    /// A token as a string.
    pub(crate) fn token<'a>(&mut self, input: &'a [u8], what: &str) -> Parsed<'a, BString> {
        let (rest, token) = token::token(input, what)?;
        let name = self.string(token).here(input)?;
        Ok((rest, name))
    }

    /// A vertex that is the orientation of a bone.
    pub(crate) fn orientation<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, VertexId> {
        let (rest, id) = token::id(input, "the index of a vertex that is an orientation")?;
        push(&mut self.quaternions, id, &mut self.budget).here(input)?;
        Ok((rest, id))
    }
}
