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
    fn missing_for_insert_with(&self, options: &EditOptions<'_>, new: NewInstance) -> Result<Vec<Missing>>;
    #[doc(hidden)]
    fn missing_for_copy_with(
        &self,
        options: &EditOptions<'_>,
        source: &Self,
        id: InstanceId,
    ) -> Result<Vec<Missing>>;
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

    /// The properties whose missing values make `Document::insert` with these options fail; empty if no value is
    /// missing. The document is not changed.
    ///
    /// # Errors
    /// As `Document::insert`, except for missing values, and for the types of values.
    pub fn missing_for_insert<D: Editable>(&self, document: &D, new: NewInstance) -> Result<Vec<Missing>> {
        document.missing_for_insert_with(self, new)
    }

    /// The properties whose missing values make `Document::copy_from` with these options fail; empty if no value is
    /// missing. Neither document is changed.
    ///
    /// # Errors
    /// As `Document::copy_from`, except for missing values.
    pub fn missing_for_copy<D: Editable>(
        &self,
        document: &D,
        source: &D,
        id: InstanceId,
    ) -> Result<Vec<Missing>> {
        document.missing_for_copy_with(self, source, id)
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

/// Defines `Document::duplicate`; the argument makes a property's value an owned one.
#[macro_export]
#[doc(hidden)]
macro_rules! duplicate {
    (|$value:ident| $owned:expr) => {
        /// Copies an instance of this document, with its descendants, as the last child of a parent, or as the last
        /// root if that is `None`, and returns the copy. As with `Clone` in scripts, references within the copy refer
        /// to the copies, and other references are the same as in the original. A copy gets a fresh `UniqueId`.
        ///
        /// # Errors
        /// `InvalidArgument` if the instance or the parent does not exist.
        pub fn duplicate(
            &mut self,
            id: InstanceId,
            parent: impl Into<Option<InstanceId>>,
        ) -> Result<InstanceId> {
            let mut apart = Self::new();
            let copy = apart.copy_from(None, self, id)?;
            // The parent can be in the original, which then gets further descendants.
            let originals: Vec<InstanceId> = std::iter::once(id).chain(self.descendants(id)).collect();
            let top = self.copy_from(parent, &apart, copy)?;
            let copies: Vec<InstanceId> = std::iter::once(top).chain(self.descendants(top)).collect();
            let inside: std::collections::HashSet<InstanceId> = originals.iter().copied().collect();
            for (original, copy) in originals.into_iter().zip(copies) {
                let outside = self
                    .properties(original)
                    .filter(|(_, value)| value.as_instance().is_some_and(|target| !inside.contains(&target)));
                let outside: Vec<_> = outside.map(|(name, $value)| (name.to_owned(), $owned)).collect();
                for (name, value) in outside {
                    // A failing edit leaves the document unchanged.
                    self.set(copy, &name, value).or_else(|error| self.remove(top).and(Err(error)))?;
                }
            }
            Ok(top)
        }
    };
}
