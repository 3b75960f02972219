#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod any;
#[cfg(feature = "classes")]
pub mod attribute_refs;
#[cfg(feature = "attributes")]
mod attributes;
#[cfg(feature = "classes")]
pub mod convert;
#[cfg(feature = "classes")]
pub mod create;
#[cfg(feature = "classes")]
pub mod effective;
#[cfg(feature = "classes")]
pub mod filled;
#[cfg(feature = "classes")]
pub mod forms;
#[cfg(feature = "classes")]
pub mod graft;
#[cfg(feature = "classes")]
pub mod join;
#[cfg(feature = "classes")]
pub mod paths;
#[cfg(feature = "classes")]
pub mod references;
#[cfg(feature = "classes")]
pub mod state;
#[cfg(feature = "classes")]
mod texts;
#[cfg(feature = "classes")]
pub mod validate;
#[cfg(feature = "classes")]
pub mod view;
#[cfg(feature = "weak")]
mod weak;
#[cfg(feature = "classes")]
pub mod which;

use std::ops::{Deref, DerefMut};

/// The types of values, which [`Value`] has as variants, and what they consist of.
pub mod types {
    pub use geom::{Mat3, Quat, Vec2, Vec3};
    pub use rbxcore::{
        Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint,
        Content, ContentRef, CustomPhysicalProperties, EnumItem, Faces, Font, FontRef, FontStyle, Kind,
        NumberRange, NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Ray, Rect,
        SecurityCapabilities, SharedBytes, Text, UDim, UDim2, UniqueId, Unknown, Vector2int16, Vector3int16,
    };
}

#[cfg(feature = "attributes")]
#[cfg_attr(docsrs, doc(cfg(feature = "attributes")))]
pub use attributes::{
    attribute, attributes, read_attributes, remove_attribute, set_attribute, set_attributes, set_tags, tags,
};
pub use bstr;
pub use geom::wire::{
    Advice, Budget, Error, ErrorKind, Finding, Limit, Loss, LossKind, Missing, Problem, Result,
};
use geom::wire::{DEFAULT_MAX_BYTES, options};
#[cfg(feature = "attributes")]
#[cfg_attr(docsrs, doc(cfg(feature = "attributes")))]
pub use rbxblobs::Attribute;
pub use rbxcore::{
    Dom, EditOptions, Edited, Fill, Filled, InstanceId, LeftOut, NewInstance, Others, Renamed, Value,
    ValueRef,
};
#[cfg(feature = "classes")]
#[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
pub use rbxcore::{
    classes,
    property::{Found, Source},
};
#[cfg(feature = "weak")]
#[cfg_attr(docsrs, doc(cfg(feature = "weak")))]
pub use weak::{Lost, from_weak, to_weak};

/// A place or a model of either form. It dereferences to [`Dom`]. A `match` needs an arm `_`, since there may be further
/// forms.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AnyDocument {
    /// A binary document.
    Binary(rbxbinary::Document),
    /// A document in XML.
    Xml(rbxxml::Document),
}

/// The form of a file, by its first bytes; `None` if they are those of neither.
pub fn detect(bytes: &[u8]) -> Option<Form> {
    match rbxbinary::detect(bytes) {
        Some(_) => Some(Form::Binary),
        None => rbxxml::detect(bytes).map(|_| Form::Xml),
    }
}

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// Binary: `.rbxl`, `.rbxm`.
    Binary,
    /// XML: `.rbxlx`, `.rbxmx`.
    Xml,
}

options! {
    /// Options for reading a document of either form.
    ///
    /// ```
    /// # fn main() -> rbxdocument::Result<()> {
    /// # let bytes = rbxbinary::to_vec(&rbxbinary::Document::new())?;
    /// let document = rbxdocument::ReadOptions::new().max_bytes(64 << 20).read(&bytes)?;
    /// # assert!(document.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ReadOptions {
        /// The number of bytes that a read may allocate. 1 GiB by default, about ten times as much as the largest known
        /// places need.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
        /// Whether to keep the bytes of the file, so that what no edit touches is written back unchanged. On by default.
        keep_source: bool = true;
    }
}

impl ReadOptions {
    /// Reads a document.
    ///
    /// # Errors
    /// As [`from_slice`].
    pub fn read(&self, bytes: &[u8]) -> Result<AnyDocument> {
        match rbxbinary::detect(bytes) {
            Some(_) => {
                let options = rbxbinary::ReadOptions::new().max_bytes(self.max_bytes);
                options.keep_source(self.keep_source).read(bytes).map(AnyDocument::Binary)
            }
            None => {
                let options = rbxxml::ReadOptions::new().max_bytes(self.max_bytes);
                options.keep_source(self.keep_source).read(bytes).map(AnyDocument::Xml)
            }
        }
    }

    /// Reads a document from a reader, to its end; the input counts towards `max_bytes`, too.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and if the reader fails.
    pub fn read_from(&self, reader: impl std::io::Read) -> Result<AnyDocument> {
        let mut budget = Budget::new(self.max_bytes);
        let bytes = budget.read_all(reader)?;
        self.clone().max_bytes(budget.left()).read(&bytes)
    }
}

/// Reads a document of either form with the default options. Bytes that are not a binary document are read as XML.
///
/// # Errors
/// As `rbxbinary::from_slice` and `rbxxml::from_slice`.
pub fn from_slice(bytes: &[u8]) -> Result<AnyDocument> {
    ReadOptions::new().read(bytes)
}

/// Reads a document of either form from a reader, to its end, with the default options.
///
/// # Errors
/// As [`from_slice`], and if the reader fails.
pub fn from_reader(reader: impl std::io::Read) -> Result<AnyDocument> {
    ReadOptions::new().read_from(reader)
}

/// The bytes of a document in its form, with the default options.
///
/// # Errors
/// As `rbxbinary::to_vec` and `rbxxml::to_vec`.
pub fn to_vec(document: &AnyDocument) -> Result<Vec<u8>> {
    match document {
        AnyDocument::Binary(document) => rbxbinary::to_vec(document),
        AnyDocument::Xml(document) => rbxxml::to_vec(document),
    }
}

/// Writes a document in its form, with the default options.
///
/// # Errors
/// As [`to_vec`], and if the writer fails.
pub fn to_writer(writer: impl std::io::Write, document: &AnyDocument) -> Result<()> {
    match document {
        AnyDocument::Binary(document) => rbxbinary::to_writer(writer, document),
        AnyDocument::Xml(document) => rbxxml::to_writer(writer, document),
    }
}

/// Every rule of its form that a document breaks, as `rbxbinary::check` and `rbxxml::check`.
pub fn check(document: &AnyDocument) -> Vec<Finding> {
    match document {
        AnyDocument::Binary(document) => rbxbinary::check(document),
        AnyDocument::Xml(document) => rbxxml::check(document),
    }
}

impl AnyDocument {
    /// An empty document of the same form.
    pub fn empty(&self) -> Self {
        match self {
            Self::Binary(_) => Self::Binary(rbxbinary::Document::new()),
            Self::Xml(_) => Self::Xml(rbxxml::Document::new()),
        }
    }

    /// The document of its form.
    fn dom(&self) -> &dyn Dom {
        match self {
            Self::Binary(document) => document,
            Self::Xml(document) => document,
        }
    }

    /// The form of its file.
    pub fn form(&self) -> Form {
        match self {
            Self::Binary(_) => Form::Binary,
            Self::Xml(_) => Form::Xml,
        }
    }

    /// The bytes of the document in its form.
    ///
    /// # Errors
    /// As [`to_vec`].
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        to_vec(self)
    }
}

impl Deref for AnyDocument {
    type Target = dyn Dom;

    fn deref(&self) -> &Self::Target {
        self.dom()
    }
}

impl DerefMut for AnyDocument {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Binary(document) => document,
            Self::Xml(document) => document,
        }
    }
}

impl From<rbxbinary::Document> for AnyDocument {
    fn from(document: rbxbinary::Document) -> Self {
        Self::Binary(document)
    }
}

impl From<rbxxml::Document> for AnyDocument {
    fn from(document: rbxxml::Document) -> Self {
        Self::Xml(document)
    }
}
