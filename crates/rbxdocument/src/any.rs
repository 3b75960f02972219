//! A document of either form: reading, writing, and a `Dom`, so that a function that takes one needs no dereferenced
//! argument.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use bstr::{BStr, BString};
use geom::wire::{Budget, DEFAULT_MAX_BYTES, Finding, Result, options};
use rbxcore::{Added, Dom, EditOptions, Edited, InstanceId, Missing, Store, Value, ValueRef};

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
        // Also of a file that ends in the header, so that the error says that.
        match bytes.starts_with(b"<roblox!") {
            true => {
                let options = rbxbinary::ReadOptions::new().max_bytes(self.max_bytes);
                options.keep_source(self.keep_source).read(bytes).map(AnyDocument::Binary)
            }
            false => {
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
    /// An empty document of a form.
    pub fn new(form: Form) -> Self {
        match form {
            Form::Binary => Self::Binary(rbxbinary::Document::new()),
            Form::Xml => Self::Xml(rbxxml::Document::new()),
        }
    }

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

/// Implements methods by those of the document in its form.
macro_rules! forwarded {
    ($of:ident & $(fn $name:ident($($arg:ident: $kind:ty),*) $(-> $result:ty)?;)+) => {$(
        fn $name(&self $(, $arg: $kind)*) $(-> $result)? {
            match self {
                Self::Binary(document) => $of::$name(document $(, $arg)*),
                Self::Xml(document) => $of::$name(document $(, $arg)*),
            }
        }
    )+};
    ($of:ident &mut $(fn $name:ident($($arg:ident: $kind:ty),*) $(-> $result:ty)?;)+) => {$(
        fn $name(&mut self $(, $arg: $kind)*) $(-> $result)? {
            match self {
                Self::Binary(document) => $of::$name(document $(, $arg)*),
                Self::Xml(document) => $of::$name(document $(, $arg)*),
            }
        }
    )+};
}

impl Dom for AnyDocument {
    forwarded! { Dom &
        fn len() -> usize;
        fn contains(id: InstanceId) -> bool;
        fn first_child(parent: Option<InstanceId>) -> Option<InstanceId>;
        fn next_sibling(id: InstanceId) -> Option<InstanceId>;
        fn parent(id: InstanceId) -> Option<InstanceId>;
        fn class(id: InstanceId) -> Option<&BStr>;
        fn dangling(id: InstanceId) -> Vec<&BStr>;
        fn is_service(id: InstanceId) -> bool;
        fn metadata() -> Vec<(&BStr, &BStr)>;
        fn shared_len() -> usize;
        fn empty() -> Box<dyn Dom>;
        fn copy() -> Box<dyn Dom>;
        fn editable() -> Result<()>;
    }

    forwarded! { Dom &mut
        fn set_metadata(entries: Vec<(BString, BString)>) -> Result<()>;
    }
}

impl Store for AnyDocument {
    fn form(&self) -> &dyn Dom {
        self.dom()
    }

    forwarded! { Store &
        fn value_ref(id: InstanceId, property: &[u8]) -> Option<ValueRef<'_>>;
        fn value_refs(id: InstanceId) -> Box<dyn Iterator<Item = (&BStr, ValueRef<'_>)> + '_>;
        fn of_class(class: &[u8]) -> Box<dyn Iterator<Item = InstanceId> + '_>;
        fn attributes_for(id: InstanceId, copies: &HashMap<InstanceId, InstanceId>) -> Option<(BString, Value)>;
        fn undecoded(id: InstanceId, property: &[u8]) -> bool;
        fn lacking(options: &EditOptions<'_>, new: Added<'_>) -> Result<Vec<Missing>>;
    }

    forwarded! { Store &mut
        fn set_value(id: InstanceId, property: &[u8], value: Value) -> Result<()>;
        fn remove_value(id: InstanceId, property: &[u8]) -> bool;
        fn add_to_class(class: &[u8], property: &[u8], value: Value) -> Result<()>;
        fn remove_from_class(class: &[u8], properties: &[&[u8]]) -> Result<()>;
        fn add(options: &EditOptions<'_>, parent: Option<InstanceId>, new: Added<'_>) -> Result<Edited>;
        fn link(id: InstanceId, parent: Option<InstanceId>);
        fn take(ids: &[InstanceId]) -> Result<usize>;
    }
}
