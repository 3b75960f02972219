//! The methods of [`EditOptions`] that edit a document.

use geom::wire::Result;

use crate::edit::{EditOptions, Edited, Missing};
use crate::id::InstanceId;
use crate::new_instance::NewInstance;

/// A binary or XML document, which [`EditOptions`] can edit.
pub trait Editable: Sized {
    #[doc(hidden)]
    fn insert_with(
        &mut self,
        options: &EditOptions<'_>,
        parent: Option<InstanceId>,
        new: NewInstance,
    ) -> Result<Edited>;
    #[doc(hidden)]
    fn copy_with(
        &mut self,
        options: &EditOptions<'_>,
        parent: Option<InstanceId>,
        source: &Self,
        id: InstanceId,
    ) -> Result<Edited>;
    #[doc(hidden)]
    fn merge_with(
        &mut self,
        options: &EditOptions<'_>,
        parent: Option<InstanceId>,
        source: &Self,
    ) -> Result<Edited>;
    #[doc(hidden)]
    fn missing_with(&self, options: &EditOptions<'_>, source: &Self) -> Result<Vec<Missing>>;
}

impl EditOptions<'_> {
    /// As `Document::insert` with these options.
    ///
    /// # Errors
    /// As `Document::insert`.
    pub fn insert<D: Editable>(
        &self,
        document: &mut D,
        parent: impl Into<Option<InstanceId>>,
        new: NewInstance,
    ) -> Result<Edited> {
        document.insert_with(self, parent.into(), new)
    }

    /// As `Document::copy_from` with these options.
    ///
    /// # Errors
    /// As `Document::copy_from`.
    pub fn copy_from<D: Editable>(
        &self,
        document: &mut D,
        parent: impl Into<Option<InstanceId>>,
        source: &D,
        id: InstanceId,
    ) -> Result<Edited> {
        document.copy_with(self, parent.into(), source, id)
    }

    /// As `Document::merge` with these options.
    ///
    /// # Errors
    /// As `Document::merge`.
    pub fn merge<D: Editable>(
        &self,
        document: &mut D,
        parent: impl Into<Option<InstanceId>>,
        source: &D,
    ) -> Result<Edited> {
        document.merge_with(self, parent.into(), source)
    }

    /// The properties whose missing values make `Document::merge` with these options fail; empty if no value is
    /// missing. Neither document is changed.
    ///
    /// # Errors
    /// As `Document::merge`, except for missing values.
    pub fn missing<D: Editable>(&self, document: &D, source: &D) -> Result<Vec<Missing>> {
        document.missing_with(self, source)
    }
}
