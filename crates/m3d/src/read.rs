//! Reading: detects the variant, and applies limits.

use std::borrow::Cow;
use std::sync::Arc;

use crate::ascii;
use crate::consts::Variant;
use crate::model::Model;
use crate::options::ReadOptions;
use crate::wire;
use geom::wire::{Budget, Result};

/// The variant of a model, by its first bytes alone; `None` if the bytes are not a model.
pub fn detect(bytes: &[u8]) -> Option<Variant> {
    if ascii::detect(bytes) { Some(Variant::Ascii) } else { wire::detect(bytes).then_some(Variant::Binary) }
}

impl ReadOptions {
    /// Reads a model, binary or text.
    ///
    /// # Errors
    /// If the bytes are not a model, end too early or break the format beyond interpretation, and if `max_bytes` is
    /// reached.
    pub fn read(&self, bytes: &[u8]) -> Result<Model> {
        Ok(self.read_counted(bytes)?.0)
    }

    /// The payload of a binary file: its chunks from `HEAD` on, inflated if they are compressed.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], but the content of the chunks is not checked.
    pub fn payload<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>> {
        wire::payload(bytes, Budget::new(self.max_bytes))
    }

    pub(crate) fn read_within(&self, bytes: Cow<'_, [u8]>, budget: &mut Budget) -> Result<Model> {
        match detect(&bytes) {
            Some(Variant::Ascii) => self.read_text(bytes, budget),
            _ => wire::read(&bytes, self.keep_source, budget),
        }
    }

    fn read_text(&self, text: Cow<'_, [u8]>, budget: &mut Budget) -> Result<Model> {
        let mut model = ascii::read(&text, budget)?;
        if self.keep_source {
            model.layout.source = Arc::new(budget.own(text)?);
        }
        Ok(model)
    }
}

pub(crate) fn text(text: &str) -> Result<Model> {
    let options = ReadOptions::default();
    options.read_text(text.as_bytes().into(), &mut Budget::new(options.max_bytes))
}
