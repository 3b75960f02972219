//! The verbs in which the options of an edit end. The same file in rbxbinary and rbxxml; `cargo xtask tidy` keeps
//! it so.

use super::options::{EditOptions, Edited, Missing};
use crate::model::{Document, InstanceId, NewInstance};
use geom::wire::Result;

impl EditOptions<'_> {
    /// As [`Document::insert`] with these options.
    ///
    /// # Errors
    /// As [`Document::insert`].
    pub fn insert(
        &self,
        document: &mut Document,
        parent: impl Into<Option<InstanceId>>,
        new: NewInstance,
    ) -> Result<Edited> {
        super::insert(document, self, parent.into(), new)
    }

    /// As [`Document::copy_from`] with these options.
    ///
    /// # Errors
    /// As [`Document::copy_from`].
    pub fn copy_from(
        &self,
        document: &mut Document,
        parent: impl Into<Option<InstanceId>>,
        source: &Document,
        id: InstanceId,
    ) -> Result<Edited> {
        super::copy_from(document, self, parent.into(), source, id)
    }

    /// As [`Document::merge`] with these options.
    ///
    /// # Errors
    /// As [`Document::merge`].
    pub fn merge(
        &self,
        document: &mut Document,
        parent: impl Into<Option<InstanceId>>,
        source: &Document,
    ) -> Result<Edited> {
        super::merge(document, self, parent.into(), source)
    }

    /// Every property without a value for which [`Document::merge`] with these options is refused; empty where none
    /// lacks one. The documents stay as they are.
    ///
    /// # Errors
    /// As [`Document::merge`], for other reasons than missing values.
    pub fn missing(&self, document: &Document, source: &Document) -> Result<Vec<Missing>> {
        super::missing_in_merge(document, self, source)
    }
}
